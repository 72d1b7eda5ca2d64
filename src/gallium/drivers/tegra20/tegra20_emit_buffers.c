/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * State to registers: vertex attributes, targets, textures.
 */

#include "tegra20_emit.h"
#include "tegra20_occlusion.h"
#include "tegra20_scratch.h"
#include "tegra20_texture.h"

#include "tegra20/gr3d_regs.h"
#include "tegra20/tegra20_hw.h"

void
tegra20_emit_attributes(struct tegra20_stream *s, struct tegra20_context *ctx,
                        const struct tegra20_pass *pass)
{
   const struct tegra20_vs *vs = pass->vs_variant->program;

   uint32_t masks = GR3D_VP_ATTRIB_IN_OUT_SELECT_IN(vs->attribs_read) |
                    GR3D_VP_ATTRIB_IN_OUT_SELECT_OUT(pass->link->out_mask);

   if (!(ctx->dirty & TEGRA20_DIRTY_VERTEX) &&
       masks == ctx->sent_attribute_masks)
      return;
   ctx->sent_attribute_masks = masks;
   /* masks first: writing a pointer may start a prefetch */
   tegra20_reg(s, GR3D_VP_ATTRIB_IN_OUT_SELECT, masks);
   u_foreach_bit (i, vs->attribs_read) {
      const struct tegra20_attrib *a = &ctx->attribs[i];

      tegra20_reg(s, GR3D_ATTRIB_MODE(i), a->mode);
      tegra20_reg_address(s, GR3D_ATTRIB_PTR(i), a->bo, a->offset,
                          TEGRA20_READ);
   }
}

static void
tegra20_emit_target(struct tegra20_stream *s, unsigned slot, uint32_t format,
                    bool tiled, const struct tegra20_bo *bo, uint32_t offset,
                    uint32_t pitch)
{
   tegra20_reg(s, GR3D_RT_PARAMS(slot),
               GR3D_RT_PARAMS_FORMAT(format) | GR3D_RT_PARAMS_PITCH(pitch) |
                  GR3D_RT_PARAMS_TILED(tiled));
   tegra20_reg_address(s, GR3D_RT_PTR(slot), (struct tegra20_bo *)bo, offset,
                       TEGRA20_READ | TEGRA20_WRITE);
}

static void
tegra20_emit_zs_target(struct tegra20_stream *s, unsigned slot,
                       uint32_t format, struct tegra20_resource *res,
                       unsigned level, unsigned layer)
{
   tegra20_emit_target(s, slot, format, res->layout.tiled, res->bo,
                       tegra20_resource_offset(res, level, layer),
                       res->layout.levels[level].pitch);
}

#define SLOT_DEPTH 0
#define SLOT_STENCIL 2

/* A132: the bits of 0x903 that belong to a depth buffer. */
static uint32_t
tegra20_depth_enable(void)
{
   const uint32_t surface = GR3D_RT_ENABLE_RT(1 << SLOT_DEPTH),
                  depth = GR3D_RT_ENABLE_DEPTH_BUFFER(1);

   if (TEGRA20_HW_IS(DEPTH_ENABLE, BIT16))
      return depth;
   if (TEGRA20_HW_IS(DEPTH_ENABLE, BIT0))
      return surface;
   return surface | depth;
}

/* Which surfaces the draw uses: the value of 0x903. */
static uint32_t
tegra20_used_targets(const struct tegra20_context *ctx,
                     const struct tegra20_pass *pass)
{
   uint32_t enable = 0;

   if (tegra20_depth_active(ctx, pass))
      enable |= tegra20_depth_enable();
   if (tegra20_uses_marks(pass) || tegra20_stencil_active(ctx, pass))
      enable |= GR3D_RT_ENABLE_RT(1 << SLOT_STENCIL);
   u_foreach_bit (i, tegra20_used_cbufs(pass))
      enable |= GR3D_RT_ENABLE_RT(1 << tegra20_rt_slot(i));
   if (pass->counter)
      enable |= GR3D_RT_ENABLE_RT(1 << tegra20_rt_slot(TEGRA20_COUNTER_CBUF));
   return enable;
}

static void
tegra20_emit_color_target(struct tegra20_stream *s, unsigned i,
                          struct pipe_surface *surface)
{
   const struct tegra20_target t =
      tegra20_surface_target(surface, surface->u.tex.first_layer);

   tegra20_emit_target(s, tegra20_rt_slot(i),
                       tegra20_format_info(t.resource->base.format)->hw,
                       t.resource->layout.tiled, t.resource->bo,
                       tegra20_resource_offset(t.resource, t.level, t.layer),
                       t.resource->layout.levels[t.level].pitch);
}

void
tegra20_emit_targets(struct tegra20_stream *s, struct tegra20_context *ctx,
                     const struct tegra20_pass *pass)
{
   const struct pipe_surface *zs = pass->zsbuf;
   const uint32_t enable = tegra20_used_targets(ctx, pass);

   if (!(ctx->dirty & TEGRA20_DIRTY_FRAMEBUFFER)) {
      /* surfaces that were described once stay so, used or not */
      if (enable == ctx->sent_targets)
         return;
      if (!(enable & ~ctx->described_targets)) {
         ctx->sent_targets = enable;
         tegra20_reg(s, GR3D_RT_ENABLE, enable);
         return;
      }
   }
   ctx->sent_targets = enable;
   ctx->described_targets = enable;

   if (tegra20_depth_active(ctx, pass)) {
      tegra20_emit_zs_target(s, SLOT_DEPTH, GR3D_PIXEL_FORMAT_D16_LINEAR,
                             tegra20_resource_depth(tegra20_bound_zs(pass)),
                             zs->u.tex.level, zs->u.tex.first_layer);
   }
   if (tegra20_uses_marks(pass)) {
      tegra20_emit_zs_target(s, SLOT_STENCIL, GR3D_PIXEL_FORMAT_S8,
                             tegra20_resource(ctx->scratch->marks), 0, 0);
   } else if (tegra20_stencil_active(ctx, pass)) {
      tegra20_emit_zs_target(s, SLOT_STENCIL, GR3D_PIXEL_FORMAT_S8,
                             tegra20_resource_stencil(tegra20_bound_zs(pass)),
                             zs->u.tex.level, zs->u.tex.first_layer);
   }
   u_foreach_bit (i, tegra20_used_cbufs(pass))
      tegra20_emit_color_target(s, i, pass->cbufs[i]);
   if (pass->counter) {
      struct tegra20_resource *res = tegra20_resource(pass->counter->surface);

      tegra20_emit_target(s, tegra20_rt_slot(TEGRA20_COUNTER_CBUF),
                          GR3D_PIXEL_FORMAT_A8, false, res->bo,
                          tegra20_resource_offset(res, 0, 0),
                          res->layout.levels[0].pitch);
   }
   tegra20_reg(s, GR3D_RT_ENABLE, enable);
}

struct tegra20_resource *
tegra20_sampled(const struct tegra20_context *ctx,
                const struct tegra20_pass *pass, unsigned unit)
{
   return tegra20_resource(
      ctx->scratch->images[pass->sampled[unit]]->texture);
}

/* Texels of a row of a scratch image. */
static unsigned
tegra20_sampled_width(const struct tegra20_resource *res)
{
   return res->layout.levels[0].pitch / 4;
}

/* A scratch image as a texture of one level, without a filter.  Its width is
 * that of its rows, so that both have the same pitch. */
static void
tegra20_emit_sampled(struct tegra20_stream *s, unsigned unit,
                     const struct tegra20_resource *res)
{
   tegra20_out(s, host1x_incr(GR3D_TEXTURE_DESC1(unit), 2));
   tegra20_out(
      s, GR3D_TEXTURE_DESC1_FORMAT(tegra20_format_info(res->storage)->hw) |
            GR3D_TEXTURE_DESC1_WRAP_S_CLAMP_TO_EDGE(1) |
            GR3D_TEXTURE_DESC1_WRAP_T_CLAMP_TO_EDGE(1));
   tegra20_out(s, GR3D_TEXTURE_DESC2_NOT_POW2_DIMENSIONS(1) |
                     GR3D_TEXTURE_DESC2_MIPMAP_DISABLE(1) |
                     GR3D_TEXTURE_DESC2_WIDTH(tegra20_sampled_width(res)) |
                     GR3D_TEXTURE_DESC2_HEIGHT(res->base.height0));
   tegra20_reg_address(s, GR3D_TEXTURE_POINTER(unit), res->bo,
                       tegra20_resource_offset(res, 0, 0), TEGRA20_READ);
}

void
tegra20_sampled_params(const struct tegra20_context *ctx,
                       const struct tegra20_pass *pass, float *params)
{
   for (unsigned i = 0; i < TEGRA20_MAX_SAMPLERS; i++) {
      if (!pass->sampled[i])
         continue;
      const struct tegra20_resource *res = tegra20_sampled(ctx, pass, i);
      params[TEGRA20_PARAM_TEX_RCP_SIZE + 2 * i] =
         1.0f / tegra20_sampled_width(res);
      params[TEGRA20_PARAM_TEX_RCP_SIZE + 2 * i + 1] =
         1.0f / res->base.height0;
   }
}

/* The ramp, for which a level of detail of 0 is like one of the first level:
 * filters inside a level do not matter. */
static void
tegra20_emit_ramp(struct tegra20_stream *s, struct tegra20_context *ctx,
                  unsigned unit, bool mixed)
{
   const struct tegra20_resource *res = ctx->ramp;

   tegra20_out(s, host1x_incr(GR3D_TEXTURE_DESC1(unit), 2));
   tegra20_out(
      s, GR3D_TEXTURE_DESC1_FORMAT(tegra20_format_info(res->storage)->hw) |
            GR3D_TEXTURE_DESC1_MINFILTER_LINEAR_BETWEEN(mixed) |
            GR3D_TEXTURE_DESC1_WRAP_S_CLAMP_TO_EDGE(1) |
            GR3D_TEXTURE_DESC1_WRAP_T_CLAMP_TO_EDGE(1));
   tegra20_out(s, GR3D_TEXTURE_DESC2_WIDTH_LOG2(TEGRA20_RAMP_LEVELS - 1) |
                     GR3D_TEXTURE_DESC2_MAX_LOD(TEGRA20_RAMP_LEVELS - 1) |
                     GR3D_TEXTURE_DESC2_MIPMAP_DISABLE(
                        TEGRA20_HW_IS(MIPMAP_BIT, NORMALISED)));
   tegra20_reg_address(s, GR3D_TEXTURE_POINTER(unit), res->bo,
                       tegra20_resource_offset(res, 0, 0), TEGRA20_READ);
}

/* Not inlined, since most draws send none: they save no registers. */
static ATTRIBUTE_NOINLINE void
tegra20_emit_units(struct tegra20_stream *s, struct tegra20_context *ctx,
                   const struct tegra20_pass *pass, uint32_t missing)
{
   const struct tegra20_fs *fs = pass->fs_variant->program;

   ctx->sent_textures |= missing;
   for (unsigned i = 0; i < 2; i++)
      ctx->sent_ramps[i] =
         (ctx->sent_ramps[i] & ~missing) | (fs->ramps[i] & missing);

   u_foreach_bit (i, missing & (fs->ramps[0] | fs->ramps[1]))
      tegra20_emit_ramp(s, ctx, i, fs->ramps[1] & BITFIELD_BIT(i));
   u_foreach_bit (i, missing & ~(fs->ramps[0] | fs->ramps[1])) {
      const struct tegra20_texture *t = &ctx->textures[i];

      if (pass->sampled[i]) {
         tegra20_emit_sampled(s, i, tegra20_sampled(ctx, pass, i));
         continue;
      }
      tegra20_out(s, host1x_incr(GR3D_TEXTURE_DESC1(i), 2));
      tegra20_out(s, t->desc1);
      tegra20_out(s, t->desc2);
      tegra20_reg_address(s, GR3D_TEXTURE_POINTER(i), t->resource->bo,
                          t->offset, TEGRA20_READ);
   }
}

void
tegra20_emit_textures(struct tegra20_stream *s, struct tegra20_context *ctx,
                      const struct tegra20_pass *pass)
{
   const struct tegra20_fs *fs = pass->fs_variant->program;
   const uint32_t other = (ctx->sent_ramps[0] ^ fs->ramps[0]) |
                          (ctx->sent_ramps[1] ^ fs->ramps[1]);
   const uint32_t missing = fs->samplers_used & (other | ~ctx->sent_textures);

   if (missing)
      tegra20_emit_units(s, ctx, pass, missing);
}
