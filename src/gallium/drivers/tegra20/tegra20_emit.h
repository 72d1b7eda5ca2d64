/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Shared by the files that write state to registers: tegra20_emit.c,
 * tegra20_emit_raster.c and tegra20_emit_buffers.c.  Each tegra20_emit_*()
 * writes its registers when the state that the context names dirty, or the
 * pass, changed them.
 */

#ifndef TEGRA20_EMIT_H
#define TEGRA20_EMIT_H

#include "tegra20_context.h"
#include "tegra20_resource.h"
#include "tegra20_program.h"
#include "tegra20_stream.h"

/* NULL: there is none. */
static inline struct tegra20_resource *
tegra20_bound_zs(const struct tegra20_pass *pass)
{
   return pass->zsbuf ? tegra20_surface_zs(pass->zsbuf) : NULL;
}

/* Are there the test and the surface, and does the pass use them? */
static inline bool
tegra20_depth_active(const struct tegra20_context *ctx,
                     const struct tegra20_pass *pass)
{
   return pass->depth != TEGRA20_DEPTH_OFF &&
          (ctx->zsa->depth_test || pass->depth == TEGRA20_DEPTH_CAPTURED) &&
          tegra20_bound_zs(pass) &&
          tegra20_resource_depth(tegra20_bound_zs(pass));
}

static inline bool
tegra20_stencil_active(const struct tegra20_context *ctx,
                       const struct tegra20_pass *pass)
{
   return ((pass->stencil == TEGRA20_STENCIL_STATE && ctx->zsa->stencil) ||
           pass->stencil == TEGRA20_STENCIL_REPLACED) &&
          tegra20_bound_zs(pass) &&
          tegra20_resource_stencil(tegra20_bound_zs(pass));
}

/* Is the stencil surface that of the marks instead of the application's? */
static inline bool
tegra20_uses_marks(const struct tegra20_pass *pass)
{
   return pass->stencil == TEGRA20_STENCIL_MARK ||
          pass->stencil == TEGRA20_STENCIL_MARK_FACES ||
          pass->stencil == TEGRA20_STENCIL_MARKED;
}

/* Parts of a program that targets depend on: buffers that it stores to, and
 * those that it uses at all. */
static inline uint32_t
tegra20_rts(const struct tegra20_pass *pass)
{
   const struct tegra20_fs *fs = pass->fs_variant->program;

   return fs->rts_stored | (uint32_t)(fs->rts_stored | fs->rts_fetched) << 16;
}

/* Colour buffers that the program stores to or fetches from. */
static inline uint32_t
tegra20_used_cbufs(const struct tegra20_pass *pass)
{
   const struct tegra20_fs *fs = pass->fs_variant->program;
   uint32_t used = 0;

   for (unsigned i = 0; i < pass->nr_cbufs; i++) {
      if (pass->cbufs[i])
         used |= BITFIELD_BIT(i);
   }
   return used & (fs->rts_stored | fs->rts_fetched);
}

/* tegra20_emit_raster.c: the fixed-function stages before the fragment
 * program, and depth and stencil. */
void
tegra20_emit_scissor(struct tegra20_stream *s, struct tegra20_context *ctx,
                     const struct tegra20_pass *pass);
void
tegra20_emit_viewport(struct tegra20_stream *s, struct tegra20_context *ctx,
                      const struct tegra20_pass *pass);
/* Sizes of points and lines, polygon offset. */
void
tegra20_emit_rasterizer(struct tegra20_stream *s, struct tegra20_context *ctx,
                        const struct tegra20_pass *pass);
/* And the number of linker instructions, which is in the same register. */
void
tegra20_emit_cull_face(struct tegra20_stream *s, struct tegra20_context *ctx,
                       const struct tegra20_pass *pass);
void
tegra20_emit_depth_stencil(struct tegra20_stream *s,
                           struct tegra20_context *ctx,
                           const struct tegra20_pass *pass);

/* tegra20_emit_buffers.c: registers that hold addresses. */
void
tegra20_emit_attributes(struct tegra20_stream *s, struct tegra20_context *ctx,
                        const struct tegra20_pass *pass);
void
tegra20_emit_targets(struct tegra20_stream *s, struct tegra20_context *ctx,
                     const struct tegra20_pass *pass);
void
tegra20_emit_textures(struct tegra20_stream *s, struct tegra20_context *ctx,
                      const struct tegra20_pass *pass);

/* The scratch image that a unit samples, and parameters of all such units. */
struct tegra20_resource *
tegra20_sampled(const struct tegra20_context *ctx,
                const struct tegra20_pass *pass, unsigned unit);
void
tegra20_sampled_params(const struct tegra20_context *ctx,
                       const struct tegra20_pass *pass, float *params);

#endif
