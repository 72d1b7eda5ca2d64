/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Channels, mappings, sync points and submission, in the order and with the
 * error codes of kernel-interface.md 2.3-2.9.
 */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "shim.h"

/* Array sizes that CHANNEL_SUBMIT accepts (kernel-interface.md 2.7, steps 5
 * and 6). */
#define MAX_ARRAY_BYTES 0x4000
#define MAX_GATHER_WORDS 16383

#define POLLS_ARE_A_WAIT 64

/* --- channels --- */

int
shim_channel_open(struct shim_file *file, void *arg)
{
   struct drm_tegra_channel_open *args = arg;
   if (args->flags)
      return -EINVAL;
   bool is_3d = args->host1x_class == 0x60;
   if (!(is_3d && shim.options.chip) && args->host1x_class != 0x51)
      return -ENODEV;
   struct shim_context *context = calloc(1, sizeof(*context));
   if (!context)
      return -ENOMEM;
   context->engine = is_3d ? SHIM_GR3D : SHIM_GR2D;
   context->class_id = args->host1x_class;
   int id = shim_ids_add(&file->contexts, context);
   if (id < 0) {
      free(context);
      return id;
   }
   shim_report_channel();
   args->context = id;
   args->version = shim.options.chip ? shim.options.chip->version : 0;
   args->capabilities = 0;
   return 0;
}

static void
context_destroy(struct shim_context *context)
{
   for (unsigned i = 0; i < context->mappings.size; i++) {
      if (context->mappings.objects[i])
         shim_mem_unref(context->mappings.objects[i]);
   }
   free(context->mappings.objects);
   free(context);
}

int
shim_channel_close(struct shim_file *file, void *arg)
{
   struct drm_tegra_channel_close *args = arg;
   struct shim_context *context =
      shim_ids_remove(&file->contexts, args->context);
   if (!context)
      return -EINVAL;
   context_destroy(context);
   return 0;
}

int
shim_channel_map(struct shim_file *file, void *arg)
{
   struct drm_tegra_channel_map *args = arg;
   if (args->flags & ~DRM_TEGRA_CHANNEL_MAP_READ_WRITE || !args->flags)
      return -EINVAL;
   struct shim_context *context =
      shim_ids_get(&file->contexts, args->context);
   struct shim_mem *mem = shim_ids_get(&file->handles, args->handle);
   if (!context || !mem)
      return -EINVAL;
   int id = shim_ids_add(&context->mappings, mem);
   if (id < 0)
      return id;
   shim_mem_ref(mem);
   args->mapping = id;
   return 0;
}

int
shim_channel_unmap(struct shim_file *file, void *arg)
{
   struct drm_tegra_channel_unmap *args = arg;
   struct shim_context *context =
      shim_ids_get(&file->contexts, args->context);
   struct shim_mem *mem =
      context ? shim_ids_remove(&context->mappings, args->mapping) : NULL;
   if (!mem)
      return -EINVAL;
   shim_mem_unref(mem);
   return 0;
}

/* --- sync points --- */

/*
 * Not for user space: 0 is a dummy, 26 and 27 count vblanks, each display
 * head and each engine's older client holds one (kernel-interface.md 2.8).
 */
#define RESERVED_SYNCPTS (1u << 0 | 1u << 26 | 1u << 27 | 0xfu << 1)

void
shim_syncpts_init(void)
{
   for (unsigned i = 0; i < SIM_NUM_SYNCPTS; i++) {
      shim.syncpts[i].reserved = RESERVED_SYNCPTS >> i & 1;
      shim.syncpts[i].max = shim_syncpt_value(i);
   }
}

int
shim_syncpt_find_free(void)
{
   for (unsigned i = 0; i < SIM_NUM_SYNCPTS; i++) {
      const struct shim_syncpt *syncpt = &shim.syncpts[i];
      if (!syncpt->reserved && !syncpt->owner && !syncpt->client &&
          !syncpt->jobs)
         return i;
   }
   return -EBUSY;
}

int
shim_syncpoint_allocate(struct shim_file *file, void *arg)
{
   struct drm_tegra_syncpoint_allocate *args = arg;
   if (args->id)
      return -EINVAL;
   int id = shim.options.one_chip ? shim_chip_allocate_syncpt(false)
                                  : shim_syncpt_find_free();
   if (id < 0)
      return id;
   shim.syncpts[id].owner = file;
   shim.syncpts[id].locked = false;
   shim.syncpts[id].max = shim_syncpt_value(id);
   file->syncpts |= 1u << id;
   args->id = id;
   return 0;
}

static struct shim_syncpt *
own_syncpt(struct shim_file *file, uint32_t id)
{
   return id < SIM_NUM_SYNCPTS && file->syncpts >> id & 1 ? &shim.syncpts[id]
                                                          : NULL;
}

static void
syncpt_free(struct shim_file *file, uint32_t id)
{
   file->syncpts &= ~(1u << id);
   shim.syncpts[id].owner = NULL;
   shim.syncpts[id].locked = false;
   if (shim.options.one_chip)
      shim_chip_free_syncpt(id);
}

int
shim_syncpoint_free(struct shim_file *file, void *arg)
{
   struct drm_tegra_syncpoint_free *args = arg;
   if (!own_syncpt(file, args->id))
      return -EINVAL;
   syncpt_free(file, args->id);
   return 0;
}

int
shim_syncpt_sleep(uint32_t id, uint32_t threshold, int64_t deadline)
{
   static unsigned polls;
   bool slept = false;
   /* Who asks again and again does wait. */
   if (shim.options.adversary && shim_now() >= deadline &&
       (int32_t)(shim_syncpt_value(id) - threshold) < 0 &&
       ++polls % POLLS_ARE_A_WAIT == 0)
      deadline = shim_now() + 1000000000;
   while ((int32_t)(shim_syncpt_value(id) - threshold) < 0) {
      int64_t now = shim_now();
      if (shim_chip_is_gone())
         return -ENODEV;
      if (now >= deadline)
         return -EAGAIN;
      if (!slept)
         shim_report_wait();
      slept = true;
      int64_t until = MIN2(deadline, now + 1000000000);
      struct timespec ts = { .tv_sec = until / 1000000000,
                             .tv_nsec = until % 1000000000 };
      struct shim_need need = { .syncpt = true,
                                .id = id,
                                .threshold = threshold };
      shim_wait_begin(&need);
      pthread_cond_timedwait(&shim.progress, &shim.lock, &ts);
      shim_wait_end(&need);
   }
   return 0;
}

int
shim_syncpoint_wait(struct shim_file *file, void *arg)
{
   struct drm_tegra_syncpoint_wait *args = arg;
   if (args->padding || args->id >= SIM_NUM_SYNCPTS)
      return -EINVAL;
   int ret = shim_syncpt_sleep(args->id, args->threshold, args->timeout_ns);
   args->value = shim_syncpt_value(args->id);
   return ret;
}

void
shim_channel_file_close(struct shim_file *file)
{
   for (unsigned i = 0; i < file->contexts.size; i++) {
      if (file->contexts.objects[i])
         context_destroy(file->contexts.objects[i]);
   }
   free(file->contexts.objects);
   for (unsigned i = 0; i < SIM_NUM_SYNCPTS; i++) {
      if (file->syncpts >> i & 1)
         syncpt_free(file, i);
   }
}

/* --- attributes of buffers --- */

int
shim_gem_set_tiling(struct shim_file *file, void *arg)
{
   const struct drm_tegra_gem_set_tiling *args = arg;
   uint32_t limit = args->mode == DRM_TEGRA_GEM_TILING_MODE_BLOCK ? 5 : 0;
   if (args->mode > DRM_TEGRA_GEM_TILING_MODE_BLOCK || args->value > limit)
      return -EINVAL;
   struct shim_mem *mem = shim_ids_get(&file->handles, args->handle);
   if (!mem)
      return -ENOENT;
   shim_mem_set_tiling(mem, args->mode, args->value);
   return 0;
}

int
shim_gem_get_tiling(struct shim_file *file, void *arg)
{
   struct drm_tegra_gem_get_tiling *args = arg;
   struct shim_mem *mem = shim_ids_get(&file->handles, args->handle);
   if (!mem)
      return -ENOENT;
   shim_mem_get_tiling(mem, &args->mode, &args->value);
   return 0;
}

int
shim_gem_set_flags(struct shim_file *file, void *arg)
{
   const struct drm_tegra_gem_set_flags *args = arg;
   if (args->flags & ~DRM_TEGRA_GEM_FLAGS)
      return -EINVAL;
   struct shim_mem *mem = shim_ids_get(&file->handles, args->handle);
   if (!mem)
      return -ENOENT;
   mem->flags =
      (mem->flags & ~DRM_TEGRA_GEM_CREATE_BOTTOM_UP) |
      (args->flags & DRM_TEGRA_GEM_BOTTOM_UP ? DRM_TEGRA_GEM_CREATE_BOTTOM_UP
                                             : 0);
   return 0;
}

int
shim_gem_get_flags(struct shim_file *file, void *arg)
{
   struct drm_tegra_gem_get_flags *args = arg;
   struct shim_mem *mem = shim_ids_get(&file->handles, args->handle);
   if (!mem)
      return -ENOENT;
   args->flags = mem->flags & DRM_TEGRA_GEM_CREATE_BOTTOM_UP
                    ? DRM_TEGRA_GEM_BOTTOM_UP
                    : 0;
   return 0;
}

/* --- submission --- */

static int
copy_array(void **to, uint64_t from, uint64_t count, size_t size)
{
   if (count * size > MAX_ARRAY_BYTES)
      return -E2BIG;
   *to = malloc(MAX2(count * size, 1));
   if (!*to)
      return -ENOMEM;
   return shim_copy_in(*to, from, count * size);
}

/*
 * Step 2: waiting works, but the kernel then takes the remaining time for an
 * error and returns it (kernel-interface.md 2.7).
 */
static int
wait_syncobj_in(struct shim_file *file, uint32_t handle)
{
   struct shim_syncobj *syncobj = shim_ids_get(&file->syncobjs, handle);
   if (!syncobj || !syncobj->fence)
      return syncobj ? -EINVAL : -ENOENT;
   int64_t deadline = shim_now() + 10000000000;
   if (shim_fence_wait(syncobj->fence, deadline))
      return -ETIME;
   int64_t jiffies = (deadline - shim_now()) / 10000000;
   return jiffies > 0 ? jiffies : 1;
}

void
shim_job_add_mem(struct shim_job *job, struct shim_mem *mem)
{
   for (unsigned i = 0; i < job->num_mems; i++) {
      if (job->mems[i] == mem)
         return;
   }
   shim_mem_ref(mem);
   job->mems[job->num_mems++] = mem;
}

/* Step 5. */
static int
relocate(struct shim_context *context,
         const struct drm_tegra_channel_submit *args, struct shim_job *job)
{
   struct drm_tegra_submit_buf *bufs = NULL;
   int ret = copy_array((void **)&bufs, args->bufs_ptr, args->num_bufs,
                        sizeof(*bufs));
   if (!ret) {
      job->mems = calloc(MAX2(args->num_bufs, 1), sizeof(*job->mems));
      ret = job->mems ? 0 : -ENOMEM;
   }
   for (unsigned i = 0; i < args->num_bufs && !ret; i++) {
      const struct drm_tegra_submit_buf *buf = &bufs[i];
      struct shim_mem *mem = shim_ids_get(&context->mappings, buf->mapping);
      if (buf->flags & ~DRM_TEGRA_SUBMIT_RELOC_SECTOR_LAYOUT || !mem ||
          buf->reloc.gather_offset_words >= job->num_words ||
          buf->reloc.shift > 63) {
         ret = -EINVAL;
         break;
      }
      job->words[buf->reloc.gather_offset_words] =
         (mem->address + buf->reloc.target_offset) >> buf->reloc.shift;
      shim_job_add_mem(job, mem);
   }
   free(bufs);
   return ret;
}

/* Step 6, one command.  *word is where the next gather starts. */
static int
add_command(const struct drm_tegra_channel_submit *args, struct shim_job *job,
            const struct drm_tegra_submit_cmd *cmd, uint32_t base,
            uint32_t *class_id, unsigned *word, const char **reason)
{
   struct sim_cmd *out = &job->cmds[job->num_cmds];
   if (cmd->flags)
      return -EINVAL;
   switch (cmd->type) {
   case DRM_TEGRA_SUBMIT_CMD_GATHER_UPTR: {
      uint32_t count = cmd->gather_uptr.words;
      if (cmd->gather_uptr.reserved[0] || cmd->gather_uptr.reserved[1] ||
          cmd->gather_uptr.reserved[2])
         return -EINVAL;
      if (count > MAX_GATHER_WORDS || count > job->num_words - *word)
         return -EINVAL;
      int ret = shim_firewall(job->engine, class_id, job->words + *word,
                              count, job->mems, job->num_mems, reason);
      if (ret)
         return ret;
      *out = (struct sim_cmd){ .type = SIM_CMD_GATHER,
                               .gather = { job->words + *word, count } };
      *word += count;
      break;
   }
   case DRM_TEGRA_SUBMIT_CMD_WAIT_SYNCPT:
   case DRM_TEGRA_SUBMIT_CMD_WAIT_SYNCPT_RELATIVE: {
      bool relative = cmd->type == DRM_TEGRA_SUBMIT_CMD_WAIT_SYNCPT_RELATIVE;
      if (cmd->wait_syncpt.reserved[0] || cmd->wait_syncpt.reserved[1])
         return -EINVAL;
      if (relative && cmd->wait_syncpt.id != args->syncpt.id)
         return -EINVAL;
      *out = (struct sim_cmd){
         .type = SIM_CMD_WAIT,
         .wait = { cmd->wait_syncpt.id,
                   cmd->wait_syncpt.value + (relative ? base : 0) },
      };
      break;
   }
   default:
      return -EINVAL;
   }
   job->num_cmds++;
   return 0;
}

static int
add_commands(struct shim_file *file, struct shim_context *context,
             const struct drm_tegra_channel_submit *args,
             struct shim_job *job, const char **reason)
{
   struct drm_tegra_submit_cmd *cmds = NULL;
   int ret = copy_array((void **)&cmds, args->cmds_ptr, args->num_cmds,
                        sizeof(*cmds));
   if (!ret && (args->syncpt.flags || !own_syncpt(file, args->syncpt.id)))
      ret = -EINVAL;
   if (!ret) {
      job->cmds = calloc(MAX2(args->num_cmds, 1), sizeof(*job->cmds));
      ret = job->cmds ? 0 : -ENOMEM;
   }
   uint32_t class_id = context->class_id;
   unsigned word = 0;
   bool has_gather = false;
   for (unsigned i = 0; i < args->num_cmds && !ret; i++) {
      has_gather |= cmds[i].type == DRM_TEGRA_SUBMIT_CMD_GATHER_UPTR;
      ret =
         add_command(args, job, &cmds[i], shim.syncpts[args->syncpt.id].max,
                     &class_id, &word, reason);
   }
   free(cmds);
   return ret ? ret : has_gather ? 0 : -EINVAL;
}

static int
build_job(struct shim_file *file, struct drm_tegra_channel_submit *args,
          struct shim_job *job, const char **reason)
{
   struct shim_context *context =
      shim_ids_get(&file->contexts, args->context);
   if (!context)
      return -EINVAL;
   if (args->syncobj_in) {
      int ret = wait_syncobj_in(file, args->syncobj_in);
      if (ret)
         return ret;
   }
   if (args->syncobj_out && !shim_ids_get(&file->syncobjs, args->syncobj_out))
      return -ENOENT;

   if (args->gather_data_words == 0)
      return -EINVAL;
   job->engine = context->engine;
   job->class_id = context->class_id;
   job->num_words = args->gather_data_words;
   job->words = malloc((size_t)job->num_words * sizeof(uint32_t));
   if (!job->words)
      return -ENOMEM;
   int ret = shim_copy_in(job->words, args->gather_data_ptr,
                          (size_t)job->num_words * sizeof(uint32_t));
   if (!ret)
      ret = relocate(context, args, job);
   if (!ret)
      ret = add_commands(file, context, args, job, reason);
   if (!ret && shim.syncpts[args->syncpt.id].locked)
      ret = -EPERM;
   if (!ret && !shim_job_fits(job))
      ret = -EDEADLK;
   if (!ret) {
      job->fence = shim_fence_create();
      ret = job->fence ? 0 : -ENOMEM;
   }
   return ret;
}

/*
 * What the kernel puts into the channel's push buffer (kernel-review.md 1): a
 * wait for the job's sync point, the selection of its class, a slot for each
 * gather and two for each wait.
 */
bool
shim_job_fits(struct shim_job *job)
{
   job->slots = 2;
   for (unsigned i = 0; i < job->num_cmds; i++)
      job->slots += job->cmds[i].type == SIM_CMD_WAIT ? 2 : 1;
   if (job->slots <= SHIM_PUSH_BUFFER_SLOTS)
      return true;
   char text[160];
   snprintf(text, sizeof(text),
            "a job takes %u slots of a push buffer of %u: the call never "
            "returns, and the channel stays locked until the machine is "
            "started again",
            job->slots, SHIM_PUSH_BUFFER_SLOTS);
   shim_report_diag(SHIM_DIAG_PUSH_BUFFER, text);
   return false;
}

uint32_t
shim_job_submit(struct shim_job *job, uint32_t syncpt, uint32_t increments)
{
   job->syncpt = syncpt;
   job->increments = increments;
   shim_report_job();
   if (shim.options.one_chip) {
      uint32_t end = shim.syncpts[syncpt].max = shim_chip_submit(job);
      shim_job_free(job);
      return end;
   }
   uint32_t value = shim.syncpts[syncpt].max += increments;
   job->end_value = value;
   shim_job_queue(job);
   return value;
}

int
shim_channel_submit(struct shim_file *file, void *arg)
{
   struct drm_tegra_channel_submit *args = arg;
   const char *reason = NULL;
   struct shim_job *job = calloc(1, sizeof(*job));
   int ret = job ? build_job(file, args, job, &reason) : -ENOMEM;
   if (ret) {
      /* The kernel says nothing; the developer of a driver wants to know. */
      if (reason)
         shim_report_diag(SHIM_DIAG_REFUSED, reason);
      if (job)
         shim_job_free(job);
      return ret;
   }

   if (args->syncobj_out) {
      struct shim_syncobj *syncobj =
         shim_ids_get(&file->syncobjs, args->syncobj_out);
      shim_fence_unref(syncobj->fence);
      syncobj->fence = shim_fence_ref(job->fence);
   }
   args->syncpt.value =
      shim_job_submit(job, args->syncpt.id, args->syncpt.increments);
   return 0;
}
