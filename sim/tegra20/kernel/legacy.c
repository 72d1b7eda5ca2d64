/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * The legacy interface of the same kernel driver (kernel-interface.md 5):
 * command words in buffers, one sync point per engine shared by all programs,
 * a firewall that wants relocations in stream order (4.4), with offsets that
 * count from their gather (kernel-review.md 5), and time-outs
 * after which the CPU raises the sync point as if the job had ended.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "shim.h"

#define MAX_GATHER_WORDS 16383
/* Of the engines' legacy clients, among the reserved ones of channel.c. */
#define SYNCPT_GR2D 3
#define SYNCPT_GR3D 4

struct legacy_context {
   int engine;
};

static uint32_t
engine_syncpt(int engine)
{
   return engine == SHIM_GR3D ? SYNCPT_GR3D : SYNCPT_GR2D;
}

static struct legacy_context *
get_context(struct shim_file *file, uint64_t id)
{
   return id > UINT32_MAX ? NULL : shim_ids_get(&file->legacy_contexts, id);
}

void
shim_legacy_file_close(struct shim_file *file)
{
   for (unsigned i = 0; i < file->legacy_contexts.size; i++)
      free(file->legacy_contexts.objects[i]);
   free(file->legacy_contexts.objects);
}

int
shim_legacy_open_channel(struct shim_file *file, void *arg)
{
   struct drm_tegra_open_channel *args = arg;
   bool is_3d = args->client == 0x60;
   if (!(is_3d && shim.options.chip) && args->client != 0x51)
      return -ENODEV;
   struct legacy_context *context = calloc(1, sizeof(*context));
   if (!context)
      return -ENOMEM;
   context->engine = is_3d ? SHIM_GR3D : SHIM_GR2D;
   int id = shim_ids_add(&file->legacy_contexts, context);
   if (id < 0) {
      free(context);
      return id;
   }
   shim_report_channel();
   args->context = id;
   return 0;
}

int
shim_legacy_close_channel(struct shim_file *file, void *arg)
{
   const struct drm_tegra_close_channel *args = arg;
   struct legacy_context *context = get_context(file, args->context);
   if (!context)
      return -EINVAL;
   shim_ids_remove(&file->legacy_contexts, args->context);
   free(context);
   return 0;
}

/* --- sync points --- */

int
shim_legacy_syncpt_read(struct shim_file *file, void *arg)
{
   struct drm_tegra_syncpt_read *args = arg;
   if (args->id >= SIM_NUM_SYNCPTS)
      return -EINVAL;
   args->value = shim_syncpt_value(args->id);
   return 0;
}

int
shim_legacy_syncpt_incr(struct shim_file *file, void *arg)
{
   const struct drm_tegra_syncpt_incr *args = arg;
   /* only what a job has yet to raise */
   if (args->id >= SIM_NUM_SYNCPTS ||
       shim_syncpt_value(args->id) == shim.syncpts[args->id].max)
      return -EINVAL;
   shim_syncpt_raise(args->id, shim_syncpt_value(args->id) + 1);
   return 0;
}

int
shim_legacy_syncpt_wait(struct shim_file *file, void *arg)
{
   struct drm_tegra_syncpt_wait *args = arg;
   int64_t deadline = args->timeout == DRM_TEGRA_NO_TIMEOUT
                         ? INT64_MAX
                         : shim_now() + args->timeout * 1000000ll;
   if (args->id >= SIM_NUM_SYNCPTS)
      return -EINVAL;
   int ret = shim_syncpt_sleep(args->id, args->thresh, deadline);
   args->value = shim_syncpt_value(args->id);
   return ret;
}

int
shim_legacy_get_syncpt(struct shim_file *file, void *arg)
{
   struct drm_tegra_get_syncpt *args = arg;
   struct legacy_context *context = get_context(file, args->context);
   if (!context)
      return -ENODEV;
   if (args->index >= 1)
      return -EINVAL;
   args->id = engine_syncpt(context->engine);
   return 0;
}

int
shim_legacy_get_syncpt_base(struct shim_file *file, void *arg)
{
   struct drm_tegra_get_syncpt_base *args = arg;
   struct legacy_context *context = get_context(file, args->context);
   if (!context)
      return -ENODEV;
   if (args->syncpt >= 1)
      return -EINVAL;
   args->id = context->engine; /* the engines' sync points have bases */
   return 0;
}

/* --- attributes of buffers --- */

int
shim_legacy_set_tiling(struct shim_file *file, void *arg)
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
shim_legacy_get_tiling(struct shim_file *file, void *arg)
{
   struct drm_tegra_gem_get_tiling *args = arg;
   struct shim_mem *mem = shim_ids_get(&file->handles, args->handle);
   if (!mem)
      return -ENOENT;
   shim_mem_get_tiling(mem, &args->mode, &args->value);
   return 0;
}

int
shim_legacy_set_flags(struct shim_file *file, void *arg)
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
shim_legacy_get_flags(struct shim_file *file, void *arg)
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

/* The arrays of a submission, copied from the program. */
struct legacy_submit {
   struct shim_file *file;
   struct drm_tegra_syncpt syncpt;
   struct drm_tegra_cmdbuf *cmdbufs;
   struct drm_tegra_reloc *relocs;
   unsigned num_cmdbufs, num_relocs;
};

static int
copy_array(void *to, uint64_t from, uint32_t count, size_t size)
{
   void **array = to;
   if (count > 65536)
      return -EINVAL;
   *array = malloc(MAX2(count * size, 1));
   return *array ? shim_copy_in(*array, from, count * size) : -ENOMEM;
}

static int
check_buffers(struct legacy_submit *s)
{
   for (unsigned i = 0; i < s->num_cmdbufs; i++) {
      const struct drm_tegra_cmdbuf *cmdbuf = &s->cmdbufs[i];
      struct shim_mem *mem = shim_ids_get(&s->file->handles, cmdbuf->handle);
      if (cmdbuf->words > MAX_GATHER_WORDS)
         return -EINVAL;
      if (!mem)
         return -ENOENT;
      if (cmdbuf->offset & 3 ||
          cmdbuf->offset + (uint64_t)cmdbuf->words * 4 > mem->size)
         return -EINVAL;
   }
   for (unsigned i = 0; i < s->num_relocs; i++) {
      const struct drm_tegra_reloc *reloc = &s->relocs[i];
      struct shim_mem *cmdbuf =
         shim_ids_get(&s->file->handles, reloc->cmdbuf.handle);
      struct shim_mem *target =
         shim_ids_get(&s->file->handles, reloc->target.handle);
      if (!cmdbuf || !target)
         return -ENOENT;
      if (reloc->cmdbuf.offset & 3 || reloc->cmdbuf.offset >= cmdbuf->size ||
          reloc->target.offset >= target->size)
         return -EINVAL;
   }
   return 0;
}

static void
copy_words(struct legacy_submit *s, struct shim_job *job,
           const struct drm_tegra_cmdbuf *cmdbuf, unsigned start)
{
   struct shim_mem *mem = shim_ids_get(&s->file->handles, cmdbuf->handle);
   memcpy(job->words + start, mem->cpu + cmdbuf->offset, cmdbuf->words * 4);
}

/*
 * Patches the words of a buffer, once for all its gathers: the offset of a
 * relocation counts from the copy of the first of them, whatever its offset
 * in the buffer, while the firewall wants it to count from the gather that it
 * is in (kernel-review.md 5).
 */
static void
patch_words(struct legacy_submit *s, struct shim_job *job, unsigned first,
            unsigned start)
{
   const uint32_t handle = s->cmdbufs[first].handle;
   for (unsigned i = 0; i < first; i++) {
      if (s->cmdbufs[i].handle == handle)
         return;
   }
   for (unsigned i = 0; i < s->num_relocs; i++) {
      const struct drm_tegra_reloc *reloc = &s->relocs[i];
      const unsigned word = start + reloc->cmdbuf.offset / 4;
      if (reloc->cmdbuf.handle != handle || word >= job->num_words)
         continue;
      struct shim_mem *target =
         shim_ids_get(&s->file->handles, reloc->target.handle);
      job->words[word] =
         (target->address + reloc->target.offset) >> (reloc->shift & 31);
      shim_job_add_mem(job, target);
   }
}

struct reloc_check {
   const struct legacy_submit *s;
   const struct drm_tegra_cmdbuf *cmdbuf;
   unsigned next;
};

/* A word for an address register: it must be what the next relocation patches
 * (4.4). */
static bool
is_next_reloc(void *data, unsigned word)
{
   struct reloc_check *check = data;
   if (check->next == check->s->num_relocs)
      return false;
   const struct drm_tegra_reloc *reloc = &check->s->relocs[check->next++];
   return reloc->cmdbuf.handle == check->cmdbuf->handle &&
          reloc->cmdbuf.offset == word * 4 && reloc->shift == 0;
}

static int
add_gathers(struct legacy_submit *s, struct shim_job *job,
            const char **reason)
{
   size_t total = 0;
   for (unsigned i = 0; i < s->num_cmdbufs; i++)
      total += s->cmdbufs[i].words;
   job->num_words = total;
   job->words = malloc(MAX2(total, 1) * sizeof(uint32_t));
   job->cmds = calloc(MAX2(s->num_cmdbufs, 1), sizeof(*job->cmds));
   job->mems = calloc(MAX2(s->num_relocs, 1), sizeof(*job->mems));
   if (!job->words || !job->cmds || !job->mems)
      return -ENOMEM;

   uint32_t class_id = job->class_id;
   unsigned start = 0;
   struct reloc_check check = { .s = s };
   for (unsigned i = 0; i < s->num_cmdbufs; i++) {
      check.cmdbuf = &s->cmdbufs[i];
      copy_words(s, job, check.cmdbuf, start);
      int ret = shim_legacy_firewall(job->engine, &class_id,
                                     job->words + start, check.cmdbuf->words,
                                     is_next_reloc, &check, reason);
      if (ret)
         return ret;
      job->cmds[job->num_cmds++] =
         (struct sim_cmd){ .type = SIM_CMD_GATHER,
                           .gather = { job->words + start,
                                       check.cmdbuf->words } };
      start += check.cmdbuf->words;
   }
   start = 0;
   for (unsigned i = 0; i < s->num_cmdbufs; i++) {
      patch_words(s, job, i, start);
      start += s->cmdbufs[i].words;
   }
   if (check.next != s->num_relocs) {
      *reason = "a relocation without an address register (or out of order)";
      return -EINVAL;
   }
   return 0;
}

static int
build_job(struct legacy_submit *s, const struct drm_tegra_submit *args,
          struct shim_job *job, const char **reason)
{
   struct legacy_context *context = get_context(s->file, args->context);
   if (!context)
      return -ENODEV;
   if (args->num_syncpts != 1 || args->num_waitchks != 0)
      return -EINVAL;
   int ret = shim_copy_in(&s->syncpt, args->syncpts, sizeof(s->syncpt));
   s->num_cmdbufs = args->num_cmdbufs;
   s->num_relocs = args->num_relocs;
   if (!ret)
      ret = copy_array(&s->cmdbufs, args->cmdbufs, s->num_cmdbufs,
                       sizeof(*s->cmdbufs));
   if (!ret)
      ret = copy_array(&s->relocs, args->relocs, s->num_relocs,
                       sizeof(*s->relocs));
   if (!ret)
      ret = check_buffers(s);
   if (!ret && s->syncpt.id >= SIM_NUM_SYNCPTS)
      ret = -ENOENT;
   if (ret)
      return ret;
   job->engine = context->engine;
   job->class_id = context->engine == SHIM_GR3D ? 0x60 : 0x51;
   job->legacy = true;
   ret = add_gathers(s, job, reason);
   if (!ret && !shim_job_fits(job))
      ret = -EDEADLK;
   if (!ret) {
      job->fence = shim_fence_create();
      ret = job->fence ? 0 : -ENOMEM;
   }
   return ret;
}

int
shim_legacy_submit(struct shim_file *file, void *arg)
{
   struct drm_tegra_submit *args = arg;
   struct legacy_submit s = { .file = file };
   const char *reason = NULL;
   struct shim_job *job = calloc(1, sizeof(*job));
   int ret = job ? build_job(&s, args, job, &reason) : -ENOMEM;
   free(s.cmdbufs);
   free(s.relocs);
   if (ret) {
      if (reason)
         shim_report_diag(SHIM_DIAG_REFUSED, reason);
      if (job)
         shim_job_free(job);
      return ret;
   }
   args->fence = shim_job_submit(job, s.syncpt.id, s.syncpt.incrs);
   return 0;
}
