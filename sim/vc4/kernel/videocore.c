/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * The calls of Linux's vc4 driver.  A job runs inside the call that submits
 * it, so everything that waits is done.
 */

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "drm-uapi/drm_fourcc.h"
#include "drm-uapi/tegra_drm.h"

#include "videocore.h"

/* The kernel's own memory lies above all buffers. */
#define EXEC_ADDRESS 0x50000000u
#define TILE_ADDRESS 0x60000000u
#define RENDER_ADDRESS 0x70000000u
#define OVERFLOW_ADDRESS 0x80000000u
#define TILE_SIZE (8u << 20)
#define RENDER_SIZE (8u << 20)
#define OVERFLOW_SIZE (256u << 20)
#define OVERFLOW_STEP (512u << 10)
#define MAX_BOS 65536
#define MAX_JOB (64u << 20)

struct perfmon {
   unsigned num;
   uint8_t events[DRM_VC4_MAX_PERF_COUNTERS];
   uint64_t values[DRM_VC4_MAX_PERF_COUNTERS];
};

static struct v3d *v3d;
static uint8_t *exec_memory, *render_memory;
static uint32_t exec_size;
static uint32_t overflow_used;
static uint64_t last_seqno;
static struct shim_ids perfmons;

static void
on_diag(void *data, unsigned number, const char *text)
{
   shim_report_diag(number, text);
}

/* As the interrupt handler does. */
static void
on_out_of_memory(void *data)
{
   if (overflow_used + OVERFLOW_STEP > OVERFLOW_SIZE)
      return;
   v3d_write(v3d, V3D_BPOA, OVERFLOW_ADDRESS + overflow_used);
   v3d_write(v3d, V3D_BPOS, OVERFLOW_STEP);
   overflow_used += OVERFLOW_STEP;
}

/* Memory of the kernel's; only what is touched is taken. */
static uint8_t *
map_own(uint32_t address, uint32_t size)
{
   void *cpu = mmap(NULL, size, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
   if (cpu == MAP_FAILED)
      return NULL;
   if (!v3d_map(v3d, address, size, cpu)) {
      munmap(cpu, size);
      return NULL;
   }
   return cpu;
}

static bool
create_chip(void)
{
   if (v3d)
      return true;
   struct v3d_options options = {
      .strict = shim.options.strict,
      .threads = shim.options.threads,
      .diag = on_diag,
      .out_of_memory = on_out_of_memory,
   };
   shim_report_init();
   v3d = v3d_create(&options);
   if (!v3d)
      return false;
   render_memory = map_own(RENDER_ADDRESS, RENDER_SIZE);
   if (render_memory && map_own(TILE_ADDRESS, TILE_SIZE) &&
       map_own(OVERFLOW_ADDRESS, OVERFLOW_SIZE))
      return true;
   v3d_destroy(v3d);
   v3d = NULL;
   return false;
}

/* For videocore-dump: a file in the directory TEGRA20_SHIM_VC4_DUMP. */
static void
dump(const char *kind, uint64_t number, const void *data, size_t size)
{
   const char *directory = getenv("TEGRA20_SHIM_VC4_DUMP");
   char path[PATH_MAX];
   if (!directory || !*directory)
      return;
   snprintf(path, sizeof(path), "%s/%s-%08llx", directory, kind,
            (unsigned long long)number);
   FILE *file = fopen(path, "wb");
   bool good = file && fwrite(data, 1, size, file) == size;
   if (!file || fclose(file) || !good)
      fprintf(stderr, "tegra20-shim: cannot write %s: %s\n", path,
              strerror(errno));
}

/* --- buffers --- */

void
shim_vc4_forget(struct shim_mem *mem)
{
   if (v3d && mem->on_chip)
      v3d_unmap(v3d, mem->address);
   shim_vc4_shader_free(mem->shader);
}

int
shim_vc4_create_bo(struct shim_file *file, void *arg)
{
   struct drm_vc4_create_bo *args = arg;
   struct drm_tegra_gem_create create = { .size = args->size };
   if (args->flags || args->pad)
      return -EINVAL;
   int ret = shim_gem_create(file, &create);
   args->handle = create.handle;
   return ret;
}

int
shim_vc4_create_shader_bo(struct shim_file *file, void *arg)
{
   struct drm_vc4_create_shader_bo *args = arg;
   struct drm_vc4_create_bo create = { .size = args->size };
   if (!args->size || args->flags || args->size % 8)
      return -EINVAL;
   int ret = shim_vc4_create_bo(file, &create);
   if (ret)
      return ret;
   struct shim_mem *mem = shim_ids_get(&file->handles, create.handle);
   ret = shim_copy_in(mem->cpu, args->data, args->size);
   if (!ret) {
      /* The rest of the page is 0, which ends no program. */
      mem->shader =
         shim_vc4_validate_shader((const uint64_t *)mem->cpu, mem->size / 8);
      ret = mem->shader ? 0 : -EINVAL;
   }
   if (ret) {
      shim_ids_remove(&file->handles, create.handle);
      shim_mem_unref(mem);
      return ret;
   }
   dump("qpu", mem->address, mem->cpu, args->size);
   args->handle = create.handle;
   return 0;
}

int
shim_vc4_mmap_bo(struct shim_file *file, void *arg)
{
   struct drm_vc4_mmap_bo *args = arg;
   struct shim_mem *mem = shim_ids_get(&file->handles, args->handle);
   if (!mem || mem->shader || args->flags)
      return -EINVAL;
   args->offset = mem->address;
   return 0;
}

/* The tiling of a buffer is known to all its users. */
int
shim_vc4_set_tiling(struct shim_file *file, void *arg)
{
   struct drm_vc4_set_tiling *args = arg;
   struct shim_mem *mem = shim_ids_get(&file->handles, args->handle);
   bool tiled = args->modifier == DRM_FORMAT_MOD_BROADCOM_VC4_T_TILED;
   if (args->flags || (!tiled && args->modifier != DRM_FORMAT_MOD_LINEAR))
      return -EINVAL;
   if (!mem)
      return -ENOENT;
   shim_mem_set_tiling(mem, tiled, 0);
   return 0;
}

int
shim_vc4_get_tiling(struct shim_file *file, void *arg)
{
   struct drm_vc4_get_tiling *args = arg;
   struct shim_mem *mem = shim_ids_get(&file->handles, args->handle);
   uint32_t mode, value;
   if (args->flags || args->modifier)
      return -EINVAL;
   if (!mem)
      return -ENOENT;
   shim_mem_get_tiling(mem, &mode, &value);
   args->modifier =
      mode ? DRM_FORMAT_MOD_BROADCOM_VC4_T_TILED : DRM_FORMAT_MOD_LINEAR;
   return 0;
}

int
shim_vc4_label_bo(struct shim_file *file, void *arg)
{
   const struct drm_vc4_label_bo *args = arg;
   return shim_ids_get(&file->handles, args->handle) ? 0 : -ENOENT;
}

/* Memory is never short enough here for a buffer to go. */
int
shim_vc4_madvise(struct shim_file *file, void *arg)
{
   struct drm_vc4_gem_madvise *args = arg;
   if (args->madv > VC4_MADV_DONTNEED || args->pad)
      return -EINVAL;
   if (!shim_ids_get(&file->handles, args->handle))
      return -ENOENT;
   args->retained = 1;
   return 0;
}

/* --- what it is --- */

int
shim_vc4_get_param(struct shim_file *file, void *arg)
{
   struct drm_vc4_get_param *args = arg;
   if (args->pad)
      return -EINVAL;
   if (!create_chip())
      return -ENOMEM;
   switch (args->param) {
   case DRM_VC4_PARAM_V3D_IDENT0:
      args->value = v3d_read(v3d, V3D_IDENT0);
      return 0;
   case DRM_VC4_PARAM_V3D_IDENT1:
      args->value = v3d_read(v3d, V3D_IDENT1);
      return 0;
   case DRM_VC4_PARAM_V3D_IDENT2:
      args->value = v3d_read(v3d, V3D_IDENT2);
      return 0;
   case DRM_VC4_PARAM_SUPPORTS_BRANCHES:
   case DRM_VC4_PARAM_SUPPORTS_ETC1:
   case DRM_VC4_PARAM_SUPPORTS_THREADED_FS:
   case DRM_VC4_PARAM_SUPPORTS_FIXED_RCL_ORDER:
   case DRM_VC4_PARAM_SUPPORTS_MADVISE:
   case DRM_VC4_PARAM_SUPPORTS_PERFMON:
      args->value = 1;
      return 0;
   default:
      return -EINVAL;
   }
}

/* Nothing ever hangs: a list that cannot go on ends. */
int
shim_vc4_get_hang_state(struct shim_file *file, void *arg)
{
   return -ENOENT;
}

int
shim_vc4_wait_seqno(struct shim_file *file, void *arg)
{
   const struct drm_vc4_wait_seqno *args = arg;
   return args->seqno <= last_seqno ? 0 : -ETIME;
}

int
shim_vc4_wait_bo(struct shim_file *file, void *arg)
{
   const struct drm_vc4_wait_bo *args = arg;
   if (args->pad)
      return -EINVAL;
   return shim_ids_get(&file->handles, args->handle) ? 0 : -ENOENT;
}

/* --- counters --- */

int
shim_vc4_perfmon_create(struct shim_file *file, void *arg)
{
   struct drm_vc4_perfmon_create *args = arg;
   if (!args->ncounters || args->ncounters > DRM_VC4_MAX_PERF_COUNTERS)
      return -EINVAL;
   for (unsigned i = 0; i < args->ncounters; i++) {
      if (args->events[i] >= VC4_PERFCNT_NUM_EVENTS)
         return -EINVAL;
   }
   struct perfmon *perfmon = calloc(1, sizeof(*perfmon));
   if (!perfmon)
      return -ENOMEM;
   perfmon->num = args->ncounters;
   memcpy(perfmon->events, args->events, perfmon->num);
   int id = shim_ids_add(&perfmons, perfmon);
   if (id < 0) {
      free(perfmon);
      return id;
   }
   args->id = id;
   return 0;
}

int
shim_vc4_perfmon_destroy(struct shim_file *file, void *arg)
{
   const struct drm_vc4_perfmon_destroy *args = arg;
   struct perfmon *perfmon = shim_ids_remove(&perfmons, args->id);
   free(perfmon);
   return perfmon ? 0 : -EINVAL;
}

int
shim_vc4_perfmon_get_values(struct shim_file *file, void *arg)
{
   const struct drm_vc4_perfmon_get_values *args = arg;
   const struct perfmon *perfmon = shim_ids_get(&perfmons, args->id);
   return perfmon ? shim_copy_out(args->values_ptr, perfmon->values,
                                  perfmon->num * sizeof(uint64_t))
                  : -EINVAL;
}

/* What the simulator knows of the chip's events. */
static void
count_events(struct perfmon *perfmon, const struct v3d_stats *before,
             const struct v3d_stats *after)
{
   for (unsigned i = 0; i < perfmon->num; i++) {
      uint64_t *value = &perfmon->values[i];
      switch (perfmon->events[i]) {
      case VC4_PERFCNT_FEP_VALID_PRIMS_RENDER:
         *value += after->primitives - before->primitives;
         break;
      case VC4_PERFCNT_FEP_VALID_QUADS:
         *value += (after->fragments - before->fragments) / 4;
         break;
      case VC4_PERFCNT_QPU_TOTAL_CLK_CYCLES_EXEC_VALID_INST:
         *value += (after->instructions - before->instructions) * 4;
         break;
      case VC4_PERFCNT_TMU_TOTAL_TEXT_QUADS_PROCESSED:
         *value += (after->texture_lookups - before->texture_lookups) / 4;
         break;
      default:
         break;
      }
   }
}

/* --- jobs --- */

/* The counters of a job for tegra20-run. */
static void
report_stats(const struct v3d_stats *before, const struct v3d_stats *after)
{
   struct sim_stats delta = {
      .jobs = 1,
      .draws = after->draws - before->draws,
      .vertices = after->vertices - before->vertices,
      .primitives = after->primitives - before->primitives,
      .fragments = after->fragments - before->fragments,
      .texture_lookups = after->texture_lookups - before->texture_lookups,
   };
   shim_report_stats(&delta);
}

/* As in a recording: where the chip may put tile lists, and writes of
 * registers. */
#define SCRATCH_WORDS 5

static bool
write_registers(const uint32_t *words, unsigned count)
{
   bool good = true;
   for (unsigned i = SCRATCH_WORDS; i < count; i += 2) {
      v3d_write(v3d, words[i], words[i + 1]);
      if (words[i] == V3D_CT0EA || words[i] == V3D_CT1EA)
         good &= !(v3d_read(v3d, V3D_CT0CS + (words[i] - V3D_CT0EA)) &
                   V3D_CTCS_ERROR);
   }
   return good;
}

static void
run_lists(const struct vc4_exec *exec)
{
   const uint32_t words[] = {
      TILE_ADDRESS, TILE_SIZE, OVERFLOW_ADDRESS, OVERFLOW_SIZE, OVERFLOW_STEP,
      /* What programs and textures have in caches is old. */
      V3D_L2CACTL, 4, V3D_SLCACTL, 0x0f0f0f0f, V3D_CT1CA,
      exec->render_address, V3D_CT0CA, exec->bin_address, V3D_CT0EA,
      exec->bin_end, V3D_CT1EA, exec->render_end, V3D_INTCTL, ~0u
   };
   struct v3d_stats before, after;
   v3d_get_stats(v3d, &before);
   overflow_used = 0;
   dump("render", last_seqno + 1, exec->render,
        exec->render_end - exec->render_address);
   if (exec->args->bin_cl_size)
      dump("bin", last_seqno + 1, exec->out,
           exec->bin_end - exec->bin_address);
   shim_vc4_record(exec, words, ARRAY_SIZE(words), false, false);
   bool good = write_registers(words, ARRAY_SIZE(words));
   shim_vc4_record(exec, words, ARRAY_SIZE(words), true, good);
   v3d_get_stats(v3d, &after);
   report_stats(&before, &after);
   struct perfmon *perfmon = shim_ids_get(&perfmons, exec->args->perfmonid);
   if (perfmon)
      count_events(perfmon, &before, &after);
}

static bool
grow_exec_memory(uint32_t size)
{
   if (size <= exec_size)
      return true;
   uint32_t new_size = ALIGN_POT(MAX2(size, 1u << 20), 1u << 20);
   if (exec_memory) {
      v3d_unmap(v3d, EXEC_ADDRESS);
      munmap(exec_memory, exec_size);
   }
   exec_memory = map_own(EXEC_ADDRESS, new_size);
   exec_size = exec_memory ? new_size : 0;
   return exec_memory;
}

/* The buffers of a job, mapped for the chip. */
static int
find_bos(struct shim_file *file, struct vc4_exec *exec)
{
   const struct drm_vc4_submit_cl *args = exec->args;
   uint32_t *handles = malloc(args->bo_handle_count * sizeof(*handles) + 1);
   exec->bos = calloc(args->bo_handle_count + 1, sizeof(*exec->bos));
   int ret = handles && exec->bos
                ? shim_copy_in(handles, args->bo_handles,
                               args->bo_handle_count * sizeof(*handles))
                : -ENOMEM;
   for (unsigned i = 0; !ret && i < args->bo_handle_count; i++) {
      struct shim_mem *mem = shim_ids_get(&file->handles, handles[i]);
      if (!mem) {
         ret = shim_vc4_refuse("handle %u names no buffer", handles[i]);
      } else {
         if (!mem->on_chip)
            mem->on_chip = v3d_map(v3d, mem->address, mem->size, mem->cpu);
         exec->bos[i] = mem;
      }
   }
   exec->num_bos = args->bo_handle_count;
   free(handles);
   return ret;
}

/* Copies of what user space has: binning list, records, uniforms. */
static uint8_t *
copy_lists(struct vc4_exec *exec, int *ret)
{
   const struct drm_vc4_submit_cl *args = exec->args;
   uint64_t records = ALIGN_POT((uint64_t)args->bin_cl_size, 16);
   uint64_t uniforms = records + args->shader_rec_size;
   uint64_t size = uniforms + args->uniforms_size;
   *ret = -EINVAL;
   if (size > MAX_JOB || args->shader_rec_count > MAX_JOB / 16) {
      shim_vc4_refuse("a job of %llu bytes", (unsigned long long)size);
      return NULL;
   }
   uint8_t *copy = malloc(size + 16);
   *ret = copy && grow_exec_memory(size + 64) ? 0 : -ENOMEM;
   if (!*ret)
      *ret = shim_copy_in(copy, args->bin_cl, args->bin_cl_size);
   if (!*ret)
      *ret = shim_copy_in(copy + records, args->shader_rec,
                          args->shader_rec_size);
   if (!*ret)
      *ret =
         shim_copy_in(copy + uniforms, args->uniforms, args->uniforms_size);
   exec->out_used = size;
   exec->bin = copy;
   exec->records = copy + records;
   exec->uniforms = copy + uniforms;
   return copy;
}

int
shim_vc4_submit_cl(struct shim_file *file, void *arg)
{
   struct drm_vc4_submit_cl *args = arg;
   const bool multisample = args->color_write.bits & 1;
   struct vc4_exec exec = {
      .args = args,
      .tile_address = TILE_ADDRESS,
      .tile_width = multisample ? 32 : 64,
      .render_address = RENDER_ADDRESS,
      .render_size = RENDER_SIZE,
      .out_address = EXEC_ADDRESS,
   };
   const uint32_t known = VC4_SUBMIT_CL_USE_CLEAR_COLOR |
                          VC4_SUBMIT_CL_FIXED_RCL_ORDER |
                          VC4_SUBMIT_CL_RCL_ORDER_INCREASING_X |
                          VC4_SUBMIT_CL_RCL_ORDER_INCREASING_Y;
   if (args->flags & ~known || args->pad2 || args->bo_handle_count > MAX_BOS)
      return shim_vc4_refuse("flags 0x%x or %u buffers of a job", args->flags,
                             args->bo_handle_count);
   struct shim_syncobj *in = NULL, *out = NULL;
   if (args->in_sync && !(in = shim_ids_get(&file->syncobjs, args->in_sync)))
      return -EINVAL;
   if (args->out_sync &&
       !(out = shim_ids_get(&file->syncobjs, args->out_sync)))
      return -EINVAL;
   if (!create_chip())
      return -ENOMEM;
   if (in && in->fence)
      shim_fence_wait(in->fence, INT64_MAX);
   shim_report_channel();

   int ret = find_bos(file, &exec);
   uint8_t *copy = NULL;
   if (!ret && args->bin_cl_size)
      copy = copy_lists(&exec, &ret);
   exec.out = exec_memory;
   exec.out_size = exec_size;
   exec.render = render_memory;
   if (!ret && args->bin_cl_size)
      ret = shim_vc4_validate_bin(&exec);
   if (!ret && exec.tile_size > TILE_SIZE)
      ret = -ENOMEM;
   if (!ret)
      ret = shim_vc4_make_render_list(&exec);
   if (!ret) {
      if (!shim.options.noop)
         run_lists(&exec);
      args->seqno = ++last_seqno;
      if (out)
         shim_syncobj_set_signalled(out);
   }
   free(copy);
   free(exec.bos);
   return ret;
}
