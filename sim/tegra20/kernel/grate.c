/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * The interface of the grate project's kernel (kernel-interface-grate.md):
 * jobs as one stream with descriptors for addresses, a sync point of its own
 * for each job, fences in sync objects, and an order of jobs that follows
 * from their buffers.  docs/drm-shim.md says what of it is not simulated.
 */

#include <errno.h>
#include <stdlib.h>

#include "drm-uapi/tegra_grate_drm.h"

#include "shim.h"

#define MAX_WORDS 0xffffff
/* The kernel refuses registers from these on (5). */
#define GR3D_END 0xe88
#define GR2D_END 0x4d
#define NOP 0x20000000u
#define IMM 4u
/* The last word of a job that ends when the engine is done: IMM 0, OP_DONE */
#define LAST_WORD 0x40000100u
/* of a push buffer: a jump, whatever is jumped to */
#define SLOTS_OF_JOB 12

int
shim_grate_version(struct shim_file *file, void *arg)
{
   struct grate_version *args = arg;
   args->soc =
      shim.options.chip ? shim.options.chip->grate_soc : 3; /* Tegra124 */
   args->uapi = GRATE_KERNEL_MIN_MAJOR;
   return 0;
}

/* Channels say that the engine is there, and nothing else. */
int
shim_grate_open_channel(struct shim_file *file, void *arg)
{
   struct drm_tegra_open_channel *args = arg;
   if (!(args->client == 0x60 && shim.options.chip) && args->client != 0x51)
      return -EINVAL;
   int id = shim_ids_add(&file->grate_channels, &shim);
   if (id < 0)
      return id;
   shim_report_channel();
   args->context = id;
   return 0;
}

int
shim_grate_close_channel(struct shim_file *file, void *arg)
{
   const struct drm_tegra_close_channel *args = arg;
   if (args->context > UINT32_MAX ||
       !shim_ids_get(&file->grate_channels, args->context))
      return -EINVAL;
   shim_ids_remove(&file->grate_channels, args->context);
   return 0;
}

int
shim_grate_refused(struct shim_file *file, void *arg)
{
   return -EPERM;
}

/* --- the stream --- */

struct parser {
   struct shim_job *job;
   const struct grate_submit *args;
   struct shim_mem **mems; /* of the table */
   uint32_t class_id;      /* 0: none selected */
   uint32_t syncpt, increments;
   unsigned word;
   bool has_2d, has_3d;
   const char **reason;
};

static int
refuse(struct parser *p, const char *reason)
{
   *p->reason = reason;
   return -EINVAL;
}

static uint32_t
increment(struct parser *p, uint32_t word)
{
   p->increments++;
   return (word & ~0xffu) | p->syncpt;
}

static int
address(struct parser *p, uint32_t *word)
{
   const uint32_t index = *word & (GRATE_MAX_BOS - 1);
   const uint32_t offset = *word >> GRATE_OFFSET_SHIFT;
   if (index >= p->args->num_bos)
      return refuse(p, "a descriptor names no buffer of the table");
   if (offset >= p->mems[index]->size)
      return refuse(p, "a descriptor's offset lies outside its buffer");
   *word = p->mems[index]->address + offset;
   return 0;
}

static int
write_reg(struct parser *p, uint32_t reg)
{
   if (p->word == p->args->num_words)
      return refuse(p, "the data words of an opcode are missing");
   uint32_t *word = &p->job->words[p->word++];
   if (p->class_id == 0)
      return refuse(p, "data without a class");
   if (p->class_id == 1) {
      if (reg != 8)
         return refuse(p, "a register of host1x that user space may not use");
      uint32_t n = *word & 0xffffff;
      *word = p->syncpt << 24 | (n ? n : p->increments);
      return 0;
   }
   if (reg >= (p->class_id == 0x60 ? GR3D_END : GR2D_END))
      return refuse(p, "a register that does not exist on the chip");
   if (shim_is_address(p->class_id, reg))
      return address(p, word);
   if (reg == 0)
      *word = increment(p, *word);
   return 0;
}

static int
write_mask(struct parser *p, uint32_t reg, uint32_t mask)
{
   int ret = 0;
   for (; mask && !ret; mask >>= 1, reg++) {
      if (mask & 1)
         ret = write_reg(p, reg);
   }
   return ret;
}

static int
set_class(struct parser *p, uint32_t word)
{
   p->class_id = word >> 6 & 0x3ff;
   const bool is_3d = p->class_id == 0x60;
   const bool is_2d = p->class_id == 0x51 || p->class_id == 0x52;
   if (!is_2d && !is_3d && p->class_id != 1)
      return refuse(p, "an unknown class");
   if ((is_3d && !(p->args->pipes & GRATE_PIPE_3D)) ||
       (is_2d && !(p->args->pipes & GRATE_PIPE_2D)))
      return refuse(p, "a class of an engine that the job does not name");
   p->has_2d |= is_2d;
   p->has_3d |= is_3d;
   if (word & 0x20)
      return refuse(p, "SETCLASS with mask bit 5: the kernel overlooks it, "
                       "the hardware does not");
   return write_mask(p, word >> 16 & 0xfff, word & 0x1f);
}

static int
write_sequence(struct parser *p, uint32_t reg, uint32_t count,
               bool incrementing)
{
   if (!incrementing && count > 1 && shim_is_address(p->class_id, reg))
      return refuse(p, "several words for one address register: the kernel "
                       "patches the first one only");
   int ret = 0;
   for (uint32_t i = 0; i < count && !ret; i++)
      ret = write_reg(p, incrementing ? reg + i : reg);
   return ret;
}

static int
immediate(struct parser *p, uint32_t reg)
{
   uint32_t *word = &p->job->words[p->word - 1];
   if (p->class_id <= 1 || shim_is_address(p->class_id, reg))
      return refuse(p, "IMM where it is not allowed");
   if (reg == 0)
      *word = increment(p, *word);
   return 0;
}

static int
parse(struct parser *p)
{
   int ret = 0;
   while (p->word < p->args->num_words && !ret) {
      const uint32_t word = p->job->words[p->word++];
      const uint32_t reg = word >> 16 & 0xfff;
      switch (word >> 28) {
      case 0:
         ret = set_class(p, word);
         break;
      case 1:
         ret = write_sequence(p, reg, word & 0xffff, true);
         break;
      case 2:
         ret = write_sequence(p, reg, word & 0xffff, false);
         break;
      case 3:
         ret = write_mask(p, reg, word & 0xffff);
         break;
      case IMM:
         ret = immediate(p, reg);
         break;
      case 14: /* locks of the engines: unneeded */
         p->job->words[p->word - 1] = NOP;
         break;
      default:
         ret = refuse(p, "an opcode that user space may not use");
         break;
      }
   }
   return ret;
}

/* --- order --- */

static void
set_fence(struct shim_fence **slot, struct shim_fence *fence)
{
   struct shim_fence *old = *slot;
   *slot = fence ? shim_fence_ref(fence) : NULL;
   shim_fence_unref(old);
}

static void
depend(struct shim_job *job, struct shim_fence *fence)
{
   if (fence && !fence->signalled && fence != job->fence)
      job->deps[job->num_deps++] = shim_fence_ref(fence);
}

/* The job waits for those that its buffers are in use by, and others for it
 * (7.2). */
static void
order(struct shim_job *job, struct shim_mem *mem, uint32_t flags)
{
   if (!(flags & GRATE_BO_EXPLICIT_FENCE)) {
      depend(job, mem->writer);
      for (unsigned i = 0; i < SHIM_NUM_ENGINES && (flags & GRATE_BO_WRITE);
           i++)
         depend(job, mem->readers[i]);
   }
   if (flags & GRATE_BO_WRITE)
      set_fence(&mem->writer, job->fence);
   else
      set_fence(&mem->readers[job->engine], job->fence);
}

/* --- submission --- */

/* Each job has a sync point, of those that the system has left: about 30
 * unfinished jobs are possible, and the next one waits. */
static uint32_t
take_syncpt(void)
{
   while (true) {
      int id = shim.options.one_chip ? shim_chip_allocate_syncpt(true)
                                     : shim_syncpt_find_free();
      if (id >= 0) {
         if (!shim.options.one_chip)
            shim_syncpt_raise(id, 0);
         shim.syncpts[id].max = 0;
         shim.syncpts[id].locked = false;
         return id;
      }
      if (shim_chip_is_gone())
         return 0;
      struct shim_need need = { 0 };
      shim_wait_begin(&need);
      pthread_cond_wait(&shim.progress, &shim.lock);
      shim_wait_end(&need);
   }
}

static int
get_table(struct shim_file *file, const struct grate_submit *args,
          struct grate_bo *bos, struct shim_mem **mems)
{
   int ret = shim_copy_in(bos, args->bos, args->num_bos * sizeof(*bos));
   for (unsigned i = 0; i < args->num_bos && !ret; i++) {
      mems[i] = shim_ids_get(&file->handles, bos[i].handle);
      if (!mems[i])
         return -EINVAL;
      for (unsigned j = 0; j < i; j++) {
         if (mems[j] == mems[i])
            return -EALREADY;
      }
   }
   return ret;
}

static int
wait_in_fence(struct shim_file *file, uint32_t handle)
{
   const struct shim_syncobj *syncobj = shim_ids_get(&file->syncobjs, handle);
   if (!syncobj)
      return -ENOENT;
   if (syncobj->fence)
      shim_fence_wait(syncobj->fence, INT64_MAX);
   return 0;
}

static int
build_stream(const struct grate_submit *args, struct shim_job *job,
             struct shim_mem **mems, const char **reason)
{
   struct parser p = {
      .job = job,
      .args = args,
      .mems = mems,
      .syncpt = take_syncpt(),
      .reason = reason,
   };
   int ret = parse(&p);
   if (!ret && p.has_2d && p.has_3d)
      ret = refuse(&p, "classes of two engines in one job");
   if (ret) {
      if (shim.options.one_chip)
         shim_chip_free_syncpt(p.syncpt);
      return ret;
   }
   if ((job->words[args->num_words - 1] & ~0xffu) != LAST_WORD)
      shim_report_diag(SHIM_DIAG_EARLY_END,
                       "a job does not end with an increment on OP_DONE: its "
                       "fence signals while the engine still works");
   job->engine = p.has_3d ? SHIM_GR3D : SHIM_GR2D;
   job->class_id = p.has_3d ? 0x60 : 0x51;
   job->words[job->num_words++] = IMM << 28 | p.syncpt;
   job->cmds[job->num_cmds++] =
      (struct sim_cmd){ .type = SIM_CMD_GATHER,
                        .gather = { job->words, job->num_words } };
   job->syncpt = p.syncpt;
   job->increments = p.increments + 1;
   return 0;
}

static int
build_job(struct shim_file *file, const struct grate_submit *args,
          struct shim_job *job, const char **reason)
{
   struct grate_bo bos[GRATE_MAX_BOS];
   struct shim_mem *mems[GRATE_MAX_BOS];
   if (args->uapi > GRATE_KERNEL_MIN_MAJOR || args->num_words == 0 ||
       args->num_words > MAX_WORDS || args->num_bos > GRATE_MAX_BOS)
      return -EINVAL;
   if (args->out_fence && !shim_ids_get(&file->syncobjs, args->out_fence))
      return -ENOENT;
   int ret = args->in_fence ? wait_in_fence(file, args->in_fence) : 0;
   if (ret)
      return ret;
   job->num_words = args->num_words;
   job->words = malloc(((size_t)job->num_words + 1) * sizeof(uint32_t));
   job->cmds = calloc(1, sizeof(*job->cmds));
   job->mems = calloc(GRATE_MAX_BOS, sizeof(*job->mems));
   job->deps =
      calloc(GRATE_MAX_BOS * (1 + SHIM_NUM_ENGINES), sizeof(*job->deps));
   job->fence = shim_fence_create();
   if (!job->words || !job->cmds || !job->mems || !job->deps || !job->fence)
      return -ENOMEM;
   ret = shim_copy_in(job->words, args->cmdstream,
                      (size_t)job->num_words * sizeof(uint32_t));
   if (!ret)
      ret = get_table(file, args, bos, mems);
   if (!ret)
      ret = build_stream(args, job, mems, reason);
   for (unsigned i = 0; i < args->num_bos && !ret; i++) {
      shim_job_add_mem(job, mems[i]);
      order(job, mems[i], bos[i].flags);
   }
   job->slots = SLOTS_OF_JOB;
   job->goes_on = true;
   return ret;
}

int
shim_grate_submit(struct shim_file *file, void *arg)
{
   const struct grate_submit *args = arg;
   const char *reason = NULL;
   struct shim_job *job = calloc(1, sizeof(*job));
   int ret = job ? build_job(file, args, job, &reason) : -ENOMEM;
   if (ret) {
      if (reason)
         shim_report_diag(SHIM_DIAG_REFUSED, reason);
      if (job)
         shim_job_free(job);
      return ret;
   }
   if (args->out_fence) {
      struct shim_syncobj *syncobj =
         shim_ids_get(&file->syncobjs, args->out_fence);
      set_fence(&syncobj->fence, job->fence);
   }
   /* Other processes wait for buffers that they share, too: here they cannot
    * see this one's fences. */
   bool shared = false;
   for (unsigned i = 0; i < job->num_mems; i++)
      shared |= job->mems[i]->shared;
   struct shim_fence *fence = shim_fence_ref(job->fence);
   shim_job_submit(job, job->syncpt, job->increments);
   if (shared)
      shim_fence_wait(fence, INT64_MAX);
   shim_fence_unref(fence);
   return 0;
}
