/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Clears.
 *
 * Clears of the bound framebuffer are draws of the 3D engine, so that they
 * need no job of their own and no engine waits for the other.  Surfaces that
 * it cannot draw in one piece (layers, samples, scratch surfaces) and unbound
 * surfaces are filled with the 2D engine.  Both store the same bits.  The
 * state tracker draws masked clears.
 */

#include <math.h>

#include "compiler/nir/nir_builder.h"
#include "util/format/u_format.h"
#include "util/u_inlines.h"
#include "util/u_pack_color.h"
#include "util/u_simple_shaders.h"
#include "util/u_surface.h"
#include "util/u_upload_mgr.h"

#include "tegra20/gr3d_regs.h"

#include "tegra20_context.h"
#include "tegra20_cost.h"
#include "tegra20_gr2d.h"
#include "tegra20_program.h"
#include "tegra20_samples.h"
#include "tegra20_vertex.h"

/* --- fills --- */

/* The CPU fills surfaces that the engine cannot address. */
static void
fill_with_cpu(struct tegra20_context *ctx, struct tegra20_resource *res,
              unsigned level, unsigned layer, unsigned cpp,
              const struct pipe_scissor_state *area, uint32_t value)
{
   const struct tegra20_level_layout *l = &res->layout.levels[level];

   tegra20_context_sync_bo(ctx, res->bo, TEGRA20_WRITE);
   uint8_t *map = tegra20_bo_map(res->bo);
   if (!map)
      return;
   map += tegra20_resource_offset(res, level, layer);
   for (unsigned y = area->miny; y < area->maxy; y++) {
      for (unsigned x = area->minx; x < area->maxx; x++) {
         uint32_t at = res->layout.tiled
                          ? tegra20_tiled_offset(l->pitch, x * cpp, y)
                          : y * l->pitch + x * cpp;
         memcpy(map + at, &value, cpp);
      }
   }
}

static void
fill(struct tegra20_context *ctx, struct tegra20_resource *res,
     unsigned level, unsigned layer, const struct pipe_scissor_state *area,
     uint32_t value)
{
   const struct tegra20_gr2d_surface dst = tegra20_gr2d_level(res, level);
   unsigned cell_x = tegra20_layout_cell_x(&res->layout, level, layer);
   unsigned cell_y = tegra20_layout_cell_y(&res->layout, level, layer);
   unsigned cpp = tegra20_format_stored_cpp(res->storage);
   struct pipe_scissor_state inside = {
      .minx = area->minx,
      .miny = area->miny,
      .maxx = MIN2(area->maxx, u_minify(res->base.width0, level)),
      .maxy = MIN2(area->maxy, u_minify(res->base.height0, level)),
   };

   if (inside.minx >= inside.maxx || inside.miny >= inside.maxy)
      return;
   tegra20_context_writes(ctx, res);
   if (!tegra20_gr2d_fill(ctx, &dst, cpp, cell_x / cpp + inside.minx,
                          cell_y + inside.miny, inside.maxx - inside.minx,
                          inside.maxy - inside.miny, value))
      fill_with_cpu(ctx, res, level, layer, cpp, &inside, value);
}

static uint32_t
pack_color(enum pipe_format format, const union pipe_color_union *color)
{
   union util_color packed = { 0 };

   util_pack_color_union(format, &packed, color);
   return packed.ui[0];
}

/* Depth 0..1 as a D16 surface stores it. */
static uint32_t
pack_depth(double depth)
{
   return (uint32_t)(CLAMP(depth, 0.0, 1.0) * 0xffff + 0.5);
}

static void
clear_color_surface(struct tegra20_context *ctx, struct pipe_surface *surface,
                    const struct pipe_scissor_state *area,
                    const union pipe_color_union *color)
{
   struct pipe_scissor_state samples = *area;

   if (!tegra20_surface_usable(surface))
      return;
   tegra20_samples_scale_area(surface, &samples);

   for (unsigned layer = surface->u.tex.first_layer;
        layer <= surface->u.tex.last_layer; layer++) {
      const struct tegra20_target t = tegra20_surface_target(surface, layer);
      const bool own = t.resource->base.format == surface->texture->format;

      fill(
         ctx, t.resource, t.level, t.layer, &samples,
         pack_color(own ? surface->format : t.resource->base.format, color));
   }
}

static void
clear_zs_surface(struct tegra20_context *ctx, struct pipe_surface *surface,
                 unsigned buffers, const struct pipe_scissor_state *area,
                 double depth, unsigned stencil)
{
   struct tegra20_resource *res = tegra20_surface_zs(surface);
   struct pipe_scissor_state samples = *area;
   struct tegra20_resource *z = tegra20_resource_depth(res),
                           *s = tegra20_resource_stencil(res);

   tegra20_samples_scale_area(surface, &samples);
   for (unsigned layer = surface->u.tex.first_layer;
        layer <= surface->u.tex.last_layer; layer++) {
      if ((buffers & PIPE_CLEAR_DEPTH) && z)
         fill(ctx, z, surface->u.tex.level, layer, &samples,
              pack_depth(depth));
      if ((buffers & PIPE_CLEAR_STENCIL) && s)
         fill(ctx, s, surface->u.tex.level, layer, &samples, stencil & 0xff);
   }
}

/* --- draws --- */

/* A clear of the bound framebuffer. */
struct clear {
   unsigned depth_stencil; /* PIPE_CLEAR_* of the buffers left to clear */
   struct pipe_scissor_state area;
   const union pipe_color_union *color;
   double depth;
   unsigned stencil;
};

/* The program's output is 1: the colour is in blending's constant. */
static const struct pipe_blend_state constant_color = {
   .rt[0] = {
      .blend_enable = true,
      .rgb_func = PIPE_BLEND_ADD,
      .rgb_src_factor = PIPE_BLENDFACTOR_CONST_COLOR,
      .rgb_dst_factor = PIPE_BLENDFACTOR_ZERO,
      .alpha_func = PIPE_BLEND_ADD,
      .alpha_src_factor = PIPE_BLENDFACTOR_CONST_ALPHA,
      .alpha_dst_factor = PIPE_BLENDFACTOR_ZERO,
      .colormask = PIPE_MASK_RGBA,
   },
};

static struct tegra20_shader *
create_fs_of_ones(struct tegra20_context *ctx)
{
   nir_builder b = nir_builder_init_simple_shader(
      MESA_SHADER_FRAGMENT, tegra20_nir_options(MESA_SHADER_FRAGMENT),
      "clear");
   nir_variable *color = nir_variable_create(b.shader, nir_var_shader_out,
                                             glsl_vec4_type(), "color");

   color->data.location = FRAG_RESULT_DATA0;
   b.shader->num_outputs = 1;
   nir_store_var(&b, color, nir_imm_vec4(&b, 1, 1, 1, 1), 0xf);
   b.shader->info.outputs_written = BITFIELD64_BIT(FRAG_RESULT_DATA0);
   return tegra20_create_fs(ctx, b.shader);
}

static bool
get_programs(struct tegra20_context *ctx)
{
   static const enum tgsi_semantic position = TGSI_SEMANTIC_POSITION;
   static const unsigned first = 0;

   if (!ctx->clear_vs)
      ctx->clear_vs = util_make_vertex_passthrough_shader(
         &ctx->base, 1, &position, &first, false);
   if (!ctx->clear_fs)
      ctx->clear_fs = create_fs_of_ones(ctx);
   return ctx->clear_vs && ctx->clear_fs;
}

void
tegra20_clear_fini(struct tegra20_context *ctx)
{
   ctx->base.delete_vs_state(&ctx->base, ctx->clear_vs);
   ctx->base.delete_fs_state(&ctx->base, ctx->clear_fs);
}

/* A value that the store converts to this code: fx10 values below and above
 * one half (fragment-pipeline.md 2.3), or the next one above the code,
 * whether the chip rounds or cuts (A62). */
static float
value_of_code(unsigned code, unsigned bits)
{
   return bits == 8 ? (code + code / 128) / 256.0f
                    : ceilf(code * 256.0f / BITFIELD_MASK(bits)) / 256.0f;
}

/* The colour that a fill would store. */
static struct pipe_blend_color
stored_color(enum pipe_format format, const union pipe_color_union *color)
{
   const struct util_format_description *desc =
      util_format_description(format);
   const uint32_t packed = pack_color(format, color);
   struct pipe_blend_color stored;

   util_format_unpack_rgba(format, stored.color, &packed, 1);
   for (unsigned c = 0; c < 4; c++) {
      if (desc->swizzle[c] > PIPE_SWIZZLE_W)
         continue;
      const unsigned bits = desc->channel[desc->swizzle[c]].size;
      stored.color[c] =
         value_of_code(lroundf(stored.color[c] * BITFIELD_MASK(bits)), bits);
   }
   return stored;
}

/*
 * Corners of the viewport.  Depth is in the middle of the values that the
 * unit stores as the same 16 bits, whether it rounds or cuts (A33), so that
 * nothing depends on the last bit of the interpolation.
 */
static bool
upload_corners(struct tegra20_context *ctx, double depth,
               struct pipe_resource **buffer)
{
   const double step = 1.0 / (1 << 21); /* of tegra20_emit_viewport() */
   const float z =
      ((pack_depth(depth) + 0.5) / (1 << 16) + step - 0.5) / (0.5 - step);
   const float corners[4][4] = {
      { -1, -1, z, 1 }, { 1, -1, z, 1 }, { -1, 1, z, 1 }, { 1, 1, z, 1 }
   };
   unsigned offset;

   u_upload_data(ctx->base.stream_uploader, 0, sizeof(corners), 4, corners,
                 &offset, buffer);
   if (*buffer)
      tegra20_attribs_float4(ctx, *buffer, offset, 1);
   return *buffer;
}

static bool
emit_corners(struct tegra20_context *ctx, struct tegra20_pass *pass,
             double depth)
{
   const struct tegra20_draw_call call = {
      .params =
         GR3D_DRAW_PARAMS_PRIMITIVE_TYPE(GR3D_PRIMITIVE_TYPE_TRIANGLE_STRIP),
      .count = 4,
      .mode = MESA_PRIM_TRIANGLE_STRIP,
   };
   struct pipe_resource *buffer = NULL;
   bool drawn = false;

   if (tegra20_program_update(ctx, pass, false) &&
       upload_corners(ctx, depth, &buffer))
      drawn = tegra20_emit_draw(ctx, pass, &call);
   ctx->emitted_pass = NULL;
   tegra20_attribs_forget(ctx);
   pipe_resource_reference(&buffer, NULL);
   return drawn;
}

/* Draws a pass with state of its own in the place of the application's. */
static bool
draw_pass(struct tegra20_context *ctx, struct tegra20_pass *pass,
          const struct clear *clear, const struct pipe_blend_color *color)
{
   const struct pipe_viewport_state viewport = ctx->viewport;
   const struct pipe_scissor_state draw_area = ctx->draw_area;
   const struct pipe_blend_color blend_color = ctx->blend_color;
   const float half[3] = { ctx->framebuffer.width * 0.5f,
                           ctx->framebuffer.height * 0.5f, 0.5f };
   const uint32_t own = TEGRA20_DIRTY_VIEWPORT | TEGRA20_DIRTY_SCISSOR |
                        TEGRA20_DIRTY_BLEND_COLOR;
   /* the draws that follow have to see the changes before this one */
   const uint32_t dirty = (ctx->dirty & ~TEGRA20_DIRTY_JOB) | own;

   if (ctx->dirty & TEGRA20_DIRTY_JOB)
      tegra20_cost_look(ctx);
   memcpy(ctx->viewport.scale, half, sizeof(half));
   memcpy(ctx->viewport.translate, half, sizeof(half));
   ctx->draw_area = clear->area;
   ctx->blend_color = *color;
   ctx->dirty |= own;
   const bool drawn = emit_corners(ctx, pass, clear->depth);
   ctx->viewport = viewport;
   ctx->draw_area = draw_area;
   ctx->blend_color = blend_color;
   ctx->dirty |= dirty;
   return drawn;
}

/* Has it one layer, of the framebuffer's size at least, that draws store to?
 */
static bool
can_draw_to(const struct tegra20_context *ctx,
            const struct pipe_surface *surface)
{
   const struct tegra20_format *format = tegra20_format_info(surface->format);
   const struct pipe_resource *base = surface->texture;
   const unsigned level = surface->u.tex.level;

   return surface->u.tex.first_layer == surface->u.tex.last_layer &&
          u_minify(base->width0, level) >= ctx->framebuffer.width &&
          u_minify(base->height0, level) >= ctx->framebuffer.height &&
          (tegra20_format_is_zs(surface->format) ||
           (format && format->target));
}

/* Clears a colour buffer (NULL: none), and the remaining ones of depth and
 * stencil.  False, and nothing done, when that cannot be drawn. */
static bool
draw_clear(struct tegra20_context *ctx, struct pipe_surface *cbuf,
           struct clear *clear)
{
   struct pipe_surface *zsbuf = ctx->framebuffer.zsbuf;
   struct pipe_blend_color color = { 0 };
   struct tegra20_pass pass;

   /* the first clear of a context may come before any state */
   if (!ctx->rasterizer || !ctx->zsa || ctx->scale != 1 ||
       ctx->uses_scratch || (cbuf && !can_draw_to(ctx, cbuf)) ||
       (clear->depth_stencil && !can_draw_to(ctx, zsbuf)) ||
       !get_programs(ctx))
      return false;
   memset(&pass, 0, sizeof(pass));
   pass.cbufs[0] = cbuf;
   pass.nr_cbufs = cbuf ? 1 : 0;
   pass.zsbuf = zsbuf;
   pass.depth = clear->depth_stencil & PIPE_CLEAR_DEPTH
                   ? TEGRA20_DEPTH_CAPTURED
                   : TEGRA20_DEPTH_OFF;
   pass.stencil = clear->depth_stencil & PIPE_CLEAR_STENCIL
                     ? TEGRA20_STENCIL_REPLACED
                     : TEGRA20_STENCIL_OFF;
   pass.mark = clear->stencil;
   pass.kind = MESA_PRIM_TRIANGLES;
   pass.windowed = true;
   pass.blend = &constant_color;
   pass.fs = ctx->clear_fs;
   pass.vs = ctx->clear_vs;
   if (cbuf)
      color = stored_color(cbuf->format, clear->color);
   if (!draw_pass(ctx, &pass, clear, &color))
      return false;
   clear->depth_stencil = 0;
   return true;
}

static void
clear(struct pipe_context *pctx, unsigned buffers,
      const struct pipe_scissor_state *scissor,
      const union pipe_color_union *color, double depth, unsigned stencil)
{
   struct tegra20_context *ctx = tegra20_context(pctx);
   const struct pipe_framebuffer_state *fb = &ctx->framebuffer;
   struct clear clear = {
      .depth_stencil = fb->zsbuf ? buffers & PIPE_CLEAR_DEPTHSTENCIL : 0,
      .area = { .maxx = fb->width, .maxy = fb->height },
      .color = color,
      .depth = depth,
      .stencil = stencil & 0xff,
   };

   if (!tegra20_context_condition(ctx))
      return;
   if (scissor) {
      clear.area.minx = MIN2(scissor->minx, clear.area.maxx);
      clear.area.miny = MIN2(scissor->miny, clear.area.maxy);
      clear.area.maxx = MIN2(scissor->maxx, clear.area.maxx);
      clear.area.maxy = MIN2(scissor->maxy, clear.area.maxy);
   }
   if (clear.area.minx >= clear.area.maxx ||
       clear.area.miny >= clear.area.maxy)
      return;
   tegra20_draw_check_storage(ctx);
   for (unsigned i = 0; i < fb->nr_cbufs; i++) {
      if (!(buffers & (PIPE_CLEAR_COLOR0 << i)) || !fb->cbufs[i] ||
          draw_clear(ctx, fb->cbufs[i], &clear))
         continue;
      /* the texture may have been written since it was bound */
      tegra20_surface_prepare(ctx, fb->cbufs[i]);
      clear_color_surface(ctx, fb->cbufs[i], &clear.area, color);
   }
   if (clear.depth_stencil && !draw_clear(ctx, NULL, &clear))
      clear_zs_surface(ctx, fb->zsbuf, clear.depth_stencil, &clear.area,
                       depth, stencil);
}

static void
clear_render_target(struct pipe_context *pctx, struct pipe_surface *surface,
                    const union pipe_color_union *color, unsigned x,
                    unsigned y, unsigned width, unsigned height,
                    bool render_condition)
{
   struct tegra20_context *ctx = tegra20_context(pctx);
   const struct pipe_scissor_state area = {
      .minx = x, .miny = y, .maxx = x + width, .maxy = y + height
   };

   if (render_condition && !tegra20_context_condition(ctx))
      return;
   tegra20_surface_prepare(ctx, surface);
   clear_color_surface(ctx, surface, &area, color);
   tegra20_surface_finish(ctx, surface);
}

static void
clear_depth_stencil(struct pipe_context *pctx, struct pipe_surface *surface,
                    unsigned flags, double depth, unsigned stencil,
                    unsigned x, unsigned y, unsigned width, unsigned height,
                    bool render_condition)
{
   struct tegra20_context *ctx = tegra20_context(pctx);
   const struct pipe_scissor_state area = {
      .minx = x, .miny = y, .maxx = x + width, .maxy = y + height
   };

   if (!render_condition || tegra20_context_condition(ctx))
      clear_zs_surface(ctx, surface, flags, &area, depth, stencil);
}

void
tegra20_clear_init(struct tegra20_context *ctx)
{
   ctx->base.clear = clear;
   ctx->base.clear_render_target = clear_render_target;
   ctx->base.clear_depth_stencil = clear_depth_stencil;
   ctx->base.clear_texture = u_default_clear_texture;
}
