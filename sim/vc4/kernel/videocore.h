/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * The kernel's driver for VideoCore IV: calls of user space (videocore.c),
 * what it lets through to the chip (videocore_shader.c, videocore_bin.c), and
 * the list with which it renders (videocore_render.c); recordings of it all
 * (videocore_record.c).
 */

#ifndef SHIM_VIDEOCORE_H
#define SHIM_VIDEOCORE_H

#include "drm-uapi/vc4_drm.h"

#include "shim.h"
#include "v3d.h"

/* A look-up: where its parameters are among the uniforms, in bytes; ~0 =
 * not given. */
struct vc4_sample {
   bool direct; /* of a word of memory */
   uint32_t offsets[4];
};

/* What validation found out about a program. */
struct shim_vc4_shader {
   uint32_t uniforms_size;     /* bytes */
   uint32_t uniforms_src_size; /* with a handle for each look-up */
   unsigned num_samples;
   struct vc4_sample *samples;
   unsigned num_resets; /* uniforms that hold the uniforms' address */
   uint32_t *resets;    /* their numbers */
   bool threaded;
};

/* A job on its way. */
struct vc4_exec {
   const struct drm_vc4_submit_cl *args;
   struct shim_mem **bos;
   unsigned num_bos;
   /* Of the lists as user space has them: copies. */
   const uint8_t *bin, *records, *uniforms;
   /* What goes to the chip, at these addresses. */
   uint8_t *out;
   uint32_t out_address, out_used, out_size;
   uint32_t bin_address, bin_end;
   uint32_t tile_address, tile_lists, tile_size; /* state, lists, all */
   unsigned tiles_x, tiles_y;
   unsigned tile_width;
   uint32_t render_address, render_end;
   uint8_t *render;
   uint32_t render_size;
};

/* Says why a call is refused, when calls are traced or strict mode is on;
 * returns -EINVAL. */
int
shim_vc4_refuse(const char *format, ...)
   __attribute__((format(printf, 1, 2)));

/* NULL: not a valid program. */
struct shim_vc4_shader *
shim_vc4_validate_shader(const uint64_t *words, unsigned count);
void
shim_vc4_shader_free(struct shim_vc4_shader *shader);

/* The buffer of a handle's number in the job's list, which may not be a
 * shader; NULL when there is none. */
struct shim_mem *
shim_vc4_use_bo(const struct vc4_exec *exec, uint32_t index);
/* Whether an image fits into a buffer; tiling as in packets. */
bool
shim_vc4_image_fits(const struct shim_mem *mem, uint32_t offset,
                    unsigned tiling, uint32_t width, uint32_t height,
                    unsigned cpp);
/* 0 or -EINVAL, into exec->out. */
int
shim_vc4_validate_bin(struct vc4_exec *exec);
int
shim_vc4_make_render_list(struct vc4_exec *exec);
/* Around the execution of a job, whose words are those of a recording. */
void
shim_vc4_record(const struct vc4_exec *exec, const uint32_t *words,
                unsigned count, bool end, bool ok);

#endif
