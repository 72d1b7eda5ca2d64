/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * The calls of Linux's msm driver, for Adreno A4xx.  A job runs inside the
 * call that submits it, so everything that waits is done.
 *
 * TEGRA20_SHIM_VERTICES names a file for the vertices of all draws, in the
 * order of submission: tests/a4xx/vertices.py reads it.
 */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "drm-uapi/msm_drm.h"

#include "a4xx.h"
#include "shim.h"

#define MAX_BOS 65536
#define MAX_CMDS 1024
#define GMEM_SIZE 0x180000u
#define GMEM_BASE 0x100000u
#define MAX_FREQUENCY 600000000u
#define NUM_RINGS 1
/* Of buffers' addresses: 32 bits. */
#define ADDRESS_START 0x1000000u
#define ADDRESS_SIZE 0xf0000000u

static struct a4xx *chip;
static uint32_t last_fence, last_queue;

static void
on_diag(void *data, unsigned number, const char *text)
{
   shim_report_diag(number, text);
}

/* --- vertices --- */

static void
write_capture(FILE *file, const struct a4xx_capture *c)
{
   const uint32_t header[] = {
      0x56345841, /* "AX4V" */
      c->draw,        c->primitive,    c->patches,
      c->num_outputs, c->num_vertices, c->num_indices
   };
   fwrite(header, sizeof(header), 1, file);
   for (unsigned i = 0; i < c->num_vertices; i++) {
      const struct a4xx_vertex *v = &c->vertices[i];
      fwrite(v->position, sizeof(v->position), 1, file);
      fwrite(v->window, sizeof(v->window), 1, file);
      fwrite(&v->point_size, sizeof(v->point_size), 1, file);
      fwrite(v->outputs, sizeof(v->outputs[0]), c->num_outputs, file);
   }
   fwrite(c->indices, sizeof(c->indices[0]), c->num_indices, file);
}

static void
on_capture(void *data, const struct a4xx_capture *capture)
{
   const char *path = data;
   FILE *file = fopen(path, "ab");
   if (file)
      write_capture(file, capture);
   if (!file || fclose(file))
      fprintf(stderr, "tegra20-shim: cannot write %s: %s\n", path,
              strerror(errno));
}

/* --- the chip --- */

/* "U1=lane,U2=7", as --switch of the other chip. */
static void
set_switches(struct a4xx_profile *profile, const char *list)
{
   char id[16], value[32];
   for (int used = 0; list && *list; list += used + (list[used] == ',')) {
      if (sscanf(list, "%15[^=,]=%31[^,]%n", id, value, &used) != 2 ||
          (list[used] && list[used] != ',') ||
          !a4xx_set_switch(profile, id, value)) {
         fprintf(stderr,
                 "tegra20-shim: TEGRA20_SHIM_SWITCH: no switch of an A4xx or "
                 "value at \"%s\", ignored\n",
                 list);
         return;
      }
   }
}

/* The counter runs with the highest frequency. */
static uint64_t
read_clock(void *data)
{
   const uint64_t ns = shim_now();
   return ns / 1000 * (MAX_FREQUENCY / 1000000) +
          ns % 1000 * (MAX_FREQUENCY / 1000000) / 1000;
}

static bool
create_chip(void)
{
   char *vertices = getenv("TEGRA20_SHIM_VERTICES");
   struct a4xx_options options = {
      .strict = shim.options.strict,
      .threads = shim.options.threads,
      .profile = A4XX_PROFILE_DEFAULT,
      .diag = on_diag,
      .capture = vertices && *vertices ? on_capture : NULL,
      .clock = read_clock,
      .data = vertices,
   };
   if (chip)
      return true;
   set_switches(&options.profile, shim.options.switches);
   shim_report_init();
   chip = a4xx_create(&options);
   return chip;
}

void
shim_msm_forget(struct shim_mem *mem)
{
   if (chip && mem->on_chip)
      a4xx_unmap(chip, mem->address);
}

int
shim_msm_get_param(struct shim_file *file, void *arg)
{
   struct drm_msm_param *args = arg;
   const unsigned id = shim.options.adreno;
   if (args->pipe != MSM_PIPE_3D0)
      return -EINVAL;
   switch (args->param) {
   case MSM_PARAM_GPU_ID:
      args->value = id;
      return 0;
   case MSM_PARAM_CHIP_ID:
      /* Four bytes; of the patch level the driver asks nothing. */
      args->value = id / 100 << 24 | id / 10 % 10 << 16 | id % 10 << 8 | 0xff;
      return 0;
   case MSM_PARAM_GMEM_SIZE:
      args->value = GMEM_SIZE;
      return 0;
   case MSM_PARAM_GMEM_BASE:
      args->value = GMEM_BASE;
      return 0;
   case MSM_PARAM_MAX_FREQ:
      args->value = MAX_FREQUENCY;
      return 0;
   case MSM_PARAM_TIMESTAMP:
      args->value = read_clock(NULL);
      return 0;
   case MSM_PARAM_NR_RINGS:
      args->value = NUM_RINGS;
      return 0;
   case MSM_PARAM_PP_PGTABLE:
      args->value = 1;
      return 0;
   case MSM_PARAM_FAULTS:
   case MSM_PARAM_SUSPENDS:
      args->value = 0;
      return 0;
   case MSM_PARAM_VA_START:
      args->value = ADDRESS_START;
      return 0;
   case MSM_PARAM_VA_SIZE:
      args->value = ADDRESS_SIZE;
      return 0;
   default:
      return -EINVAL;
   }
}

/* --- buffers --- */

int
shim_msm_gem_new(struct shim_file *file, void *arg)
{
   struct drm_msm_gem_new *args = arg;
   struct drm_tegra_gem_create create = { .size = args->size };
   if (args->flags & ~MSM_BO_FLAGS)
      return -EINVAL;
   int ret = shim_gem_create(file, &create);
   args->handle = create.handle;
   return ret;
}

int
shim_msm_gem_info(struct shim_file *file, void *arg)
{
   struct drm_msm_gem_info *args = arg;
   struct shim_mem *mem = shim_ids_get(&file->handles, args->handle);
   if (args->pad)
      return -EINVAL;
   if (!mem)
      return -ENOENT;
   switch (args->info) {
   case MSM_INFO_GET_OFFSET:
   case MSM_INFO_GET_IOVA:
      args->value = mem->address;
      return 0;
   case MSM_INFO_SET_NAME:
      return 0;
   case MSM_INFO_GET_FLAGS:
      args->value = MSM_BO_WC;
      return 0;
   default:
      return -EINVAL;
   }
}

int
shim_msm_cpu_prep(struct shim_file *file, void *arg)
{
   const struct drm_msm_gem_cpu_prep *args = arg;
   if (args->op & ~MSM_PREP_FLAGS)
      return -EINVAL;
   return shim_ids_get(&file->handles, args->handle) ? 0 : -ENOENT;
}

int
shim_msm_cpu_fini(struct shim_file *file, void *arg)
{
   const struct drm_msm_gem_cpu_fini *args = arg;
   return shim_ids_get(&file->handles, args->handle) ? 0 : -ENOENT;
}

/* Memory is never short enough here for a buffer to go. */
int
shim_msm_madvise(struct shim_file *file, void *arg)
{
   struct drm_msm_gem_madvise *args = arg;
   if (args->madv > MSM_MADV_DONTNEED)
      return -EINVAL;
   if (!shim_ids_get(&file->handles, args->handle))
      return -ENOENT;
   args->retained = 1;
   return 0;
}

/* --- queues --- */

int
shim_msm_queue_new(struct shim_file *file, void *arg)
{
   struct drm_msm_submitqueue *args = arg;
   if (args->flags & ~MSM_SUBMITQUEUE_FLAGS || args->prio >= 3 * NUM_RINGS)
      return -EINVAL;
   shim_report_channel();
   args->id = ++last_queue;
   return 0;
}

int
shim_msm_queue_close(struct shim_file *file, void *arg)
{
   const uint32_t *id = arg;
   return *id && *id <= last_queue ? 0 : -ENOENT;
}

/* Nothing ever hangs: a stream that cannot go on ends. */
int
shim_msm_queue_query(struct shim_file *file, void *arg)
{
   struct drm_msm_submitqueue_query *args = arg;
   const uint32_t faults = 0;
   if (args->pad || args->param != MSM_SUBMITQUEUE_PARAM_FAULTS)
      return -EINVAL;
   if (!args->len) {
      args->len = sizeof(faults);
      return 0;
   }
   return shim_copy_out(args->data, &faults, MIN2(args->len, sizeof(faults)));
}

int
shim_msm_wait_fence(struct shim_file *file, void *arg)
{
   const struct drm_msm_wait_fence *args = arg;
   if (args->flags & ~MSM_WAIT_FENCE_FLAGS)
      return -EINVAL;
   return (int32_t)(args->fence - last_fence) <= 0 ? 0 : -EINVAL;
}

/* --- jobs --- */

static int
refuse(const char *why, unsigned number)
{
   if (shim.options.trace || shim.options.strict)
      fprintf(stderr, "tegra20-shim: msm refuses %s (%u)\n", why, number);
   return -EINVAL;
}

/* The counters of a job for tegra20-run. */
static void
report_stats(const struct a4xx_stats *before, const struct a4xx_stats *after)
{
   struct sim_stats delta = {
      .jobs = 1,
      .draws = after->draws - before->draws,
      .vertices = after->vertices - before->vertices,
      .primitives = after->primitives - before->primitives,
   };
   shim_report_stats(&delta);
}

/* The buffers of a job, mapped for the chip. */
static int
find_bos(struct shim_file *file, const struct drm_msm_gem_submit *args,
         struct shim_mem **mems)
{
   struct drm_msm_gem_submit_bo *bos =
      malloc(args->nr_bos * sizeof(*bos) + 1);
   if (!bos)
      return -ENOMEM;
   int ret = shim_copy_in(bos, args->bos, args->nr_bos * sizeof(*bos));
   for (unsigned i = 0; !ret && i < args->nr_bos; i++) {
      struct shim_mem *mem = shim_ids_get(&file->handles, bos[i].handle);
      if (!mem) {
         ret = refuse("a handle that names no buffer", bos[i].handle);
      } else if (bos[i].flags & ~MSM_SUBMIT_BO_FLAGS) {
         ret = refuse("flags of a buffer", bos[i].flags);
      } else {
         if (!mem->on_chip)
            mem->on_chip = a4xx_map(chip, mem->address, mem->size, mem->cpu);
         mems[i] = mem;
      }
   }
   free(bos);
   return ret;
}

static int
run_command(const struct drm_msm_gem_submit *args,
            struct shim_mem *const *mems,
            const struct drm_msm_gem_submit_cmd *cmd)
{
   struct a4xx_stats before, after;
   if (cmd->submit_idx >= args->nr_bos || cmd->size % 4 ||
       cmd->submit_offset % 4 ||
       (uint64_t)cmd->submit_offset + cmd->size > mems[cmd->submit_idx]->size)
      return refuse("a stream beyond its buffer", cmd->submit_idx);
   /* Drivers since 2016 write addresses themselves. */
   if (cmd->nr_relocs)
      return refuse("relocations", cmd->nr_relocs);
   if (cmd->type != MSM_SUBMIT_CMD_BUF || shim.options.noop)
      return 0;
   a4xx_get_stats(chip, &before);
   a4xx_submit(chip, mems[cmd->submit_idx]->address + cmd->submit_offset,
               cmd->size / 4);
   a4xx_get_stats(chip, &after);
   report_stats(&before, &after);
   return 0;
}

static int
run_commands(const struct drm_msm_gem_submit *args,
             struct shim_mem *const *mems)
{
   struct drm_msm_gem_submit_cmd *cmds =
      malloc(args->nr_cmds * sizeof(*cmds) + 1);
   if (!cmds)
      return -ENOMEM;
   int ret = shim_copy_in(cmds, args->cmds, args->nr_cmds * sizeof(*cmds));
   for (unsigned i = 0; !ret && i < args->nr_cmds; i++)
      ret = run_command(args, mems, &cmds[i]);
   free(cmds);
   return ret;
}

int
shim_msm_submit(struct shim_file *file, void *arg)
{
   struct drm_msm_gem_submit *args = arg;
   const uint32_t known = MSM_SUBMIT_NO_IMPLICIT | MSM_SUBMIT_FENCE_FD_IN |
                          MSM_SUBMIT_FENCE_FD_OUT | MSM_SUBMIT_FENCE_SN_IN |
                          MSM_PIPE_3D0;
   if (args->flags & ~known || args->pad || args->nr_bos > MAX_BOS ||
       args->nr_cmds > MAX_CMDS)
      return refuse("flags or numbers of a job", args->flags);
   if (!create_chip())
      return -ENOMEM;
   struct shim_mem **mems = calloc(args->nr_bos + 1, sizeof(*mems));
   if (!mems)
      return -ENOMEM;
   int ret = find_bos(file, args, mems);
   if (!ret)
      ret = run_commands(args, mems);
   free(mems);
   if (ret)
      return ret;
   if (!(args->flags & MSM_SUBMIT_FENCE_SN_IN))
      args->fence = last_fence + 1;
   last_fence = args->fence;
   if (args->flags & MSM_SUBMIT_FENCE_FD_OUT) {
      args->fence_fd = shim_sync_file_signalled();
      return args->fence_fd < 0 ? args->fence_fd : 0;
   }
   return 0;
}
