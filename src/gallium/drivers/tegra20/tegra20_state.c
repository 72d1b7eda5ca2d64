/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * State objects and bindings.
 */

#include "util/u_framebuffer.h"
#include "util/u_helpers.h"
#include "util/u_inlines.h"
#include "util/u_math.h"
#include "util/u_memory.h"

#include "tegra20/gr3d_regs.h"
#include "tegra20/tegra20_hw.h"

#include "tegra20_context.h"
#include "tegra20_cost.h"
#include "tegra20_mesa.h"
#include "tegra20_pack.h"
#include "tegra20_program.h"
#include "tegra20_resource.h"
#include "tegra20_samples.h"
#include "tegra20_texture.h"

/* --- blend --- */

static void *
create_blend(struct pipe_context *pctx, const struct pipe_blend_state *state)
{
   return mem_dup(state, sizeof(*state));
}

static void
bind_blend(struct pipe_context *pctx, void *state)
{
   struct tegra20_context *ctx = tegra20_context(pctx);

   ctx->blend = state;
   ctx->dirty |= TEGRA20_DIRTY_BLEND;
}

static void
delete_state(struct pipe_context *pctx, void *state)
{
   FREE(state);
}

static void
delete_blend(struct pipe_context *pctx, void *state)
{
   tegra20_program_forget_choices(tegra20_context(pctx));
   FREE(state);
}

static void
set_blend_color(struct pipe_context *pctx,
                const struct pipe_blend_color *color)
{
   struct tegra20_context *ctx = tegra20_context(pctx);

   ctx->blend_color = *color;
   ctx->dirty |= TEGRA20_DIRTY_BLEND_COLOR;
}

/* --- rasteriser --- */

/* A28: the engine adds factor * slope + units in window depth 0..1; a unit is
 * one step of a D16 surface.  Or it counts in such steps. */
static float
polygon_offset_unit(void)
{
   return TEGRA20_HW_IS(OFFSET_UNIT, STEPS) ? 1.0f : 1.0f / 65536.0f;
}

static uint32_t
tegra20_rasterizer_key(const struct pipe_rasterizer_state *s)
{
   /* tegra20_smooth_kind() looks at the mode of visible back faces */
   const unsigned back =
      s->cull_face & PIPE_FACE_BACK ? PIPE_POLYGON_MODE_FILL : s->fill_back;

   return (s->sprite_coord_enable & 0x1ff) | s->clip_plane_enable << 9 |
          back << 17 | s->point_quad_rasterization << 19 |
          s->point_size_per_vertex << 20 | s->point_smooth << 21 |
          s->line_smooth << 22 | s->multisample << 23 |
          s->poly_stipple_enable << 24 | s->clamp_vertex_color << 25;
}

static void *
create_rasterizer(struct pipe_context *pctx,
                  const struct pipe_rasterizer_state *state)
{
   struct tegra20_rasterizer *rast = CALLOC_STRUCT(tegra20_rasterizer);

   if (!rast)
      return NULL;
   rast->base = *state;
   rast->key = tegra20_rasterizer_key(state);
   rast->cull_face = tegra20_pack_cull_face(state);
   rast->point_size = CLAMP(state->point_size, 1.0f, 256.0f);
   if (TEGRA20_HW_IS(POINT_SIZE, RADIUS))
      rast->point_size /= 2; /* A26 */
   rast->half_line_width = CLAMP(roundf(state->line_width), 1.0f, 256.0f) / 2;
   if (state->offset_tri) {
      rast->offset_units = state->offset_units * polygon_offset_unit();
      rast->offset_factor = state->offset_scale;
   }
   return rast;
}

static void
bind_rasterizer(struct pipe_context *pctx, void *state)
{
   struct tegra20_context *ctx = tegra20_context(pctx);
   struct tegra20_rasterizer *rast = state;

   ctx->dirty |= TEGRA20_DIRTY_RASTERIZER;
   ctx->rasterizer = rast;
   if (!rast)
      return;
   if (rast->key != ctx->rasterizer_key)
      ctx->dirty |= TEGRA20_DIRTY_RASTERIZER_KEY;
   if (rast->base.scissor != ctx->scissor_test)
      ctx->dirty |= TEGRA20_DIRTY_SCISSOR;
   ctx->rasterizer_key = rast->key;
   ctx->scissor_test = rast->base.scissor;
}

/* --- depth and stencil --- */

static void *
create_zsa(struct pipe_context *pctx,
           const struct pipe_depth_stencil_alpha_state *state)
{
   struct tegra20_zsa *zsa = CALLOC_STRUCT(tegra20_zsa);

   if (!zsa)
      return NULL;
   zsa->base = *state;
   zsa->stencil = state->stencil[0].enabled;
   zsa->depth_test = tegra20_pack_depth_test(state);
   zsa->key = state->depth_enabled | zsa->stencil << 1;
   for (unsigned i = 0; i < 2; i++) {
      const struct pipe_stencil_state *s =
         &state->stencil[i && state->stencil[1].enabled ? 1 : 0];

      zsa->stencil1[i] = tegra20_pack_stencil_test(s);
      zsa->stencil2[i] = tegra20_pack_stencil_ops(s);
   }
   return zsa;
}

static void
bind_zsa(struct pipe_context *pctx, void *state)
{
   struct tegra20_context *ctx = tegra20_context(pctx);
   struct tegra20_zsa *zsa = state;

   ctx->dirty |= TEGRA20_DIRTY_ZSA;
   ctx->zsa = zsa;
   if (!zsa)
      return;
   if (zsa->key != ctx->zsa_key)
      ctx->dirty |= TEGRA20_DIRTY_ZSA_KEY;
   ctx->zsa_key = zsa->key;
}

static void
set_stencil_ref(struct pipe_context *pctx, const struct pipe_stencil_ref ref)
{
   struct tegra20_context *ctx = tegra20_context(pctx);

   ctx->stencil_ref = ref;
   ctx->dirty |= TEGRA20_DIRTY_STENCIL_REF;
}

/* --- samplers --- */

/* Does a limit lie between two levels?  The unit mixes them in steps of no
 * less than a sixty-fourth. */
static bool
is_fractional(float lod)
{
   return lod > 0 && lod < TEGRA20_MAX_LEVELS &&
          fabsf(lod - roundf(lod)) >= 1.0f / 64;
}

static void *
create_sampler(struct pipe_context *pctx,
               const struct pipe_sampler_state *state)
{
   struct tegra20_sampler *sampler = CALLOC_STRUCT(tegra20_sampler);

   if (!sampler)
      return NULL;
   sampler->base = *state;
   bool between = state->min_mip_filter == PIPE_TEX_MIPFILTER_LINEAR;
   /* with a lower limit above 0 nothing is magnified, and the unit begins at
    * a later level */
   unsigned magnify =
      state->min_mip_filter != PIPE_TEX_MIPFILTER_NONE && state->min_lod > 0
         ? state->min_img_filter
         : state->mag_img_filter;
   sampler->filters =
      GR3D_TEXTURE_DESC1_MINFILTER_LINEAR_WITHIN(state->min_img_filter ==
                                                 PIPE_TEX_FILTER_LINEAR) |
      GR3D_TEXTURE_DESC1_MINFILTER_LINEAR_BETWEEN(between) |
      GR3D_TEXTURE_DESC1_MAGFILTER_LINEAR(magnify == PIPE_TEX_FILTER_LINEAR);
   sampler->fractional_lod = between && (is_fractional(state->min_lod) ||
                                         is_fractional(state->max_lod));
   return sampler;
}

static void
bind_samplers(struct pipe_context *pctx, enum pipe_shader_type shader,
              unsigned start, unsigned count, void **states)
{
   struct tegra20_context *ctx = tegra20_context(pctx);

   if (shader != PIPE_SHADER_FRAGMENT)
      return;
   for (unsigned i = 0; i < count && start + i < TEGRA20_MAX_SAMPLERS; i++) {
      struct tegra20_sampler *sampler = states ? states[i] : NULL;

      if (ctx->samplers[start + i] == sampler)
         continue;
      ctx->samplers[start + i] = sampler;
      tegra20_texture_changed(ctx, start + i);
   }
   ctx->num_samplers =
      MAX2(ctx->num_samplers, MIN2(start + count, TEGRA20_MAX_SAMPLERS));
   while (ctx->num_samplers && !ctx->samplers[ctx->num_samplers - 1])
      ctx->num_samplers--;
}

/* Another one may get its address while it still looks bound. */
static void
delete_sampler(struct pipe_context *pctx, void *state)
{
   struct tegra20_context *ctx = tegra20_context(pctx);

   for (unsigned i = 0; i < TEGRA20_MAX_SAMPLERS; i++) {
      if (ctx->samplers[i] == state) {
         ctx->samplers[i] = NULL;
         tegra20_texture_changed(ctx, i);
      }
   }
   FREE(state);
}

static struct pipe_sampler_view *
create_sampler_view(struct pipe_context *pctx, struct pipe_resource *res,
                    const struct pipe_sampler_view *templ)
{
   struct tegra20_sampler_view *view = CALLOC_STRUCT(tegra20_sampler_view);

   if (!view)
      return NULL;
   view->base = *templ;
   pipe_reference_init(&view->base.reference, 1);
   view->base.texture = NULL;
   pipe_resource_reference(&view->base.texture, res);
   view->base.context = pctx;
   view->format = tegra20_format_info(templ->format);
   return &view->base;
}

static void
sampler_view_destroy(struct pipe_context *pctx,
                     struct pipe_sampler_view *view)
{
   pipe_resource_reference(&view->texture, NULL);
   FREE(view);
}

static void
bind_views(struct tegra20_context *ctx, enum pipe_shader_type shader,
           unsigned start, unsigned count, unsigned unbind,
           bool take_ownership, struct pipe_sampler_view **views)
{
   if (shader != PIPE_SHADER_FRAGMENT) {
      if (take_ownership) {
         for (unsigned i = 0; i < count; i++)
            pipe_sampler_view_reference(&views[i], NULL);
      }
      return;
   }
   for (unsigned i = 0;
        i < count + unbind && start + i < TEGRA20_MAX_SAMPLERS; i++) {
      struct pipe_sampler_view **slot =
         (struct pipe_sampler_view **)&ctx->views[start + i];
      struct pipe_sampler_view *view = views && i < count ? views[i] : NULL;
      const bool changed = *slot != view;

      if (take_ownership && view) {
         pipe_sampler_view_reference(slot, NULL);
         *slot = view;
      } else {
         pipe_sampler_view_reference(slot, view);
      }
      if (changed)
         tegra20_texture_changed(ctx, start + i);
      /* Binding makes draws of other processes visible
       * (OES_EGL_image_external). */
      if (view && tegra20_resource(view->texture)->shared)
         tegra20_resource_written(tegra20_resource(view->texture));
   }
   ctx->num_views =
      MAX2(ctx->num_views, MIN2(start + count, TEGRA20_MAX_SAMPLERS));
   while (ctx->num_views && !ctx->views[ctx->num_views - 1])
      ctx->num_views--;
}

#if TEGRA20_MESA_25_1
static void
set_sampler_views(struct pipe_context *pctx, enum pipe_shader_type shader,
                  unsigned start, unsigned count, unsigned unbind,
                  struct pipe_sampler_view **views)
{
   bind_views(tegra20_context(pctx), shader, start, count, unbind, false,
              views);
}
#else
static void
set_sampler_views(struct pipe_context *pctx, enum pipe_shader_type shader,
                  unsigned start, unsigned count, unsigned unbind,
                  bool take_ownership, struct pipe_sampler_view **views)
{
   bind_views(tegra20_context(pctx), shader, start, count, unbind,
              take_ownership, views);
}
#endif

/* --- vertices --- */

static void *
create_vertex_elements(struct pipe_context *pctx, unsigned count,
                       const struct pipe_vertex_element *elements)
{
   struct tegra20_vertex_elements *ve =
      CALLOC_STRUCT(tegra20_vertex_elements);

   if (!ve)
      return NULL;
   ve->count = MIN2(count, TEGRA20_MAX_ATTRIBS);
   for (unsigned i = 0; i < ve->count; i++) {
      int mode = tegra20_vertex_format(elements[i].src_format);

      ve->elements[i] = elements[i];
      if (elements[i].instance_divisor) {
         ve->instanced |= BITFIELD_BIT(i);
         ve->instance_stride[i] = elements[i].src_stride;
         ve->elements[i].src_stride = 0;
      }
      ve->size[i] = util_format_get_blocksize(elements[i].src_format);
      if (mode < 0)
         ve->unsupported |= BITFIELD_BIT(i);
      ve->mode[i] = mode < 0
                       ? GR3D_ATTRIB_MODE_TYPE(GR3D_ATTRIB_TYPE_FLOAT32) |
                            GR3D_ATTRIB_MODE_SIZE(4)
                       : mode;
   }
   return ve;
}

static void
bind_vertex_elements(struct pipe_context *pctx, void *state)
{
   struct tegra20_context *ctx = tegra20_context(pctx);

   ctx->elements = state;
   ctx->dirty |= TEGRA20_DIRTY_VERTEX;
}

static void
set_vertex_buffers(struct pipe_context *pctx, unsigned count,
                   const struct pipe_vertex_buffer *buffers)
{
   struct tegra20_context *ctx = tegra20_context(pctx);

   util_set_vertex_buffers_mask(
      ctx->vertex_buffers, &ctx->bound_vertex_buffers, buffers, count, true);
   ctx->dirty |= TEGRA20_DIRTY_VERTEX;
}

/* --- everything else --- */

static void
set_constant_buffer(struct pipe_context *pctx, enum pipe_shader_type shader,
                    uint index, bool take_ownership,
                    const struct pipe_constant_buffer *cb)
{
   struct tegra20_context *ctx = tegra20_context(pctx);

   if (index != 0 ||
       (shader != PIPE_SHADER_VERTEX && shader != PIPE_SHADER_FRAGMENT)) {
      if (take_ownership && cb) {
         struct pipe_resource *buffer = cb->buffer;
         pipe_resource_reference(&buffer, NULL);
      }
      return;
   }
   util_copy_constant_buffer(&ctx->constants[shader == PIPE_SHADER_FRAGMENT],
                             cb, take_ownership);
   ctx->dirty |= shader == PIPE_SHADER_FRAGMENT ? TEGRA20_DIRTY_FS_CONST
                                                : TEGRA20_DIRTY_VS_CONST;
}

static void
set_framebuffer_state(struct pipe_context *pctx,
                      const struct pipe_framebuffer_state *fb)
{
   struct tegra20_context *ctx = tegra20_context(pctx);

   if (util_framebuffer_state_equal(&ctx->framebuffer, fb))
      return;
   tegra20_targets_look_for_lost(ctx);
   tegra20_finish_scratch(ctx, NULL);
   util_copy_framebuffer_state(&ctx->framebuffer, fb);
   ctx->cost->first_draw = ctx->stats.draws;
   ctx->uses_scratch = ctx->reads_widen = false;
   for (unsigned i = 0; i < fb->nr_cbufs; i++) {
      const struct tegra20_surface *surface = tegra20_surface(fb->cbufs[i]);

      if (!surface)
         continue;
      ctx->uses_scratch |=
         surface->needs_scratch || surface->widened || surface->scale > 1;
      ctx->reads_widen |= surface->widens;
      if (!ctx->converting)
         tegra20_surface_prepare(ctx, fb->cbufs[i]);
   }
   if (fb->zsbuf && tegra20_surface(fb->zsbuf)->widens)
      ctx->reads_widen = ctx->uses_scratch = true;
   const unsigned scale = tegra20_samples_scale(fb);
   if (scale != ctx->scale) {
      ctx->scale = scale;
      tegra20_samples_update_viewport(ctx);
      ctx->dirty |= TEGRA20_DIRTY_SCISSOR | TEGRA20_DIRTY_RASTERIZER;
   }
   ctx->dirty |= TEGRA20_DIRTY_FRAMEBUFFER;
}

static void
set_viewport_states(struct pipe_context *pctx, unsigned start, unsigned count,
                    const struct pipe_viewport_state *vp)
{
   struct tegra20_context *ctx = tegra20_context(pctx);

   if (start == 0 && count > 0) {
      ctx->app_viewport = vp[0];
      tegra20_samples_update_viewport(ctx);
   }
}

static void
set_scissor_states(struct pipe_context *pctx, unsigned start, unsigned count,
                   const struct pipe_scissor_state *scissor)
{
   struct tegra20_context *ctx = tegra20_context(pctx);

   if (start == 0 && count > 0) {
      ctx->scissor = scissor[0];
      ctx->dirty |= TEGRA20_DIRTY_SCISSOR;
   }
}

static void
set_clip_state(struct pipe_context *pctx, const struct pipe_clip_state *clip)
{
   struct tegra20_context *ctx = tegra20_context(pctx);

   ctx->clip = *clip;
   ctx->dirty |= TEGRA20_DIRTY_VS_CONST;
}

static void
set_sample_mask(struct pipe_context *pctx, unsigned mask)
{
   struct tegra20_context *ctx = tegra20_context(pctx);

   /* in the program, as is blending */
   if ((mask ^ ctx->sample_mask) & TEGRA20_ALL_SAMPLES)
      ctx->dirty |= TEGRA20_DIRTY_BLEND;
   ctx->sample_mask = mask;
}

static void
set_polygon_stipple(struct pipe_context *pctx,
                    const struct pipe_poly_stipple *stipple)
{
   struct tegra20_context *ctx = tegra20_context(pctx);

   ctx->stipple = *stipple;
   pipe_sampler_view_reference(&ctx->stipple_view, NULL);
}

void
tegra20_state_init(struct tegra20_context *ctx)
{
   struct pipe_context *p = &ctx->base;

   p->create_blend_state = create_blend;
   p->bind_blend_state = bind_blend;
   p->delete_blend_state = delete_blend;
   p->set_blend_color = set_blend_color;
   p->create_rasterizer_state = create_rasterizer;
   p->bind_rasterizer_state = bind_rasterizer;
   p->delete_rasterizer_state = delete_state;
   p->create_depth_stencil_alpha_state = create_zsa;
   p->bind_depth_stencil_alpha_state = bind_zsa;
   p->delete_depth_stencil_alpha_state = delete_state;
   p->set_stencil_ref = set_stencil_ref;
   p->create_sampler_state = create_sampler;
   p->bind_sampler_states = bind_samplers;
   p->delete_sampler_state = delete_sampler;
   p->create_sampler_view = create_sampler_view;
   p->sampler_view_destroy = sampler_view_destroy;
   p->set_sampler_views = set_sampler_views;
   p->create_vertex_elements_state = create_vertex_elements;
   p->bind_vertex_elements_state = bind_vertex_elements;
   p->delete_vertex_elements_state = delete_state;
   p->set_vertex_buffers = set_vertex_buffers;
   p->set_constant_buffer = set_constant_buffer;
   p->set_framebuffer_state = set_framebuffer_state;
   p->set_viewport_states = set_viewport_states;
   p->set_scissor_states = set_scissor_states;
   p->set_clip_state = set_clip_state;
   p->set_sample_mask = set_sample_mask;
   p->set_polygon_stipple = set_polygon_stipple;
}
