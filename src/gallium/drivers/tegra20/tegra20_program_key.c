/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Keys: the state that is compiled into a program; and what the programs of a
 * pass do with that state.
 */

#include "tegra20_variant.h"

#include <string.h>

#include "compiler/nir/nir.h"

#include "multipass/tegra20_cut.h"
#include "tegra20/tegra20_hw.h"

#include "tegra20_context.h"
#include "tegra20_resource.h"
#include "tegra20_samples.h"
#include "tegra20_smooth.h"
#include "tegra20_texture.h"

/* --- programs of a pass --- */

unsigned
tegra20_stipple_unit(const nir_shader *nir)
{
   int unit = 0;

   nir_foreach_uniform_variable (var, nir) {
      if (glsl_type_is_sampler(var->type))
         unit = MAX2(unit, (int)var->data.binding + 1);
   }
   return unit;
}

/* Additions to the program of a pass. */
static const struct tegra20_fs_extension *
added(const struct tegra20_pass *pass)
{
   static const struct tegra20_fs_extension no_extension;

   return pass->fs->part_of ? &no_extension : &pass->extension;
}

bool
tegra20_pass_kills(const struct tegra20_pass *pass)
{
   const struct tegra20_fs_extension *extension = added(pass);

   return pass->fs->nir->info.fs.uses_discard || extension->clip_planes ||
          extension->stipple || extension->smooth ||
          extension->samples &
             (TEGRA20_ALL_SAMPLES | TEGRA20_SAMPLES_FROM_ALPHA);
}

uint32_t
tegra20_pass_textures(const struct tegra20_pass *pass)
{
   const nir_shader *nir = pass->fs->nir;

   return nir->info.textures_used[0] |
          (added(pass)->stipple ? BITFIELD_BIT(tegra20_stipple_unit(nir))
                                : 0);
}

uint64_t
tegra20_pass_varyings(const struct tegra20_pass *pass)
{
   return pass->fs->nir->info.inputs_read |
          (added(pass)->smooth ? BITFIELD64_BIT(TEGRA20_SMOOTH_SLOT) : 0);
}

bool
tegra20_plan_fetches_alone(const struct tegra20_plan *plan)
{
   for (unsigned i = 0;
        TEGRA20_HW_IS(FETCH_ORDER, DRAW) && i < plan->num_passes; i++) {
      const struct tegra20_fs_variant *v = plan->passes[i].fs_variant;
      if (v && v->program && v->program->rts_fetched)
         return true;
   }
   return false;
}

unsigned
tegra20_pass_face(const struct tegra20_context *ctx,
                  const struct tegra20_pass *pass)
{
   const unsigned cull = ctx->rasterizer->base.cull_face;

   return pass->kind == MESA_PRIM_TRIANGLES && !pass->windowed && cull
             ? cull ^ PIPE_FACE_FRONT_AND_BACK
             : PIPE_FACE_NONE;
}

/* --- keys --- */

void
tegra20_get_vs_key(const struct tegra20_context *ctx,
                   const struct tegra20_pass *pass,
                   struct tegra20_vs_variant_key *key)
{
   memset(key, 0, sizeof(*key));
   key->clip_planes = pass->clip_planes;
   key->expands_points = pass->expands_points;
   key->program.clamp_color = ctx->rasterizer->base.clamp_vertex_color;
}

/* A program that fetches needs to know colours that it does not store. */
static bool
fetches_color(const struct tegra20_pass *pass)
{
   return pass->fs->nir->info.fs.uses_fbfetch_output;
}

/* Adds nothing of the destination and all of the source: the default of
 * blending. */
static bool
replaces(unsigned func, unsigned src, unsigned dst)
{
   return (func == PIPE_BLEND_ADD || func == PIPE_BLEND_SUBTRACT) &&
          src == PIPE_BLENDFACTOR_ONE && dst == PIPE_BLENDFACTOR_ZERO;
}

/* States that blend in the same way get the same key, so that no program is
 * compiled and sent for the difference. */
static void
blend_key(const struct pipe_rt_blend_state *rt, struct tegra20_fs_rt_key *key)
{
   if (replaces(rt->rgb_func, rt->rgb_src_factor, rt->rgb_dst_factor) &&
       replaces(rt->alpha_func, rt->alpha_src_factor, rt->alpha_dst_factor))
      return;
   key->blend_enable = true;
   key->rgb_func = rt->rgb_func;
   key->rgb_src = rt->rgb_src_factor;
   key->rgb_dst = rt->rgb_dst_factor;
   key->alpha_func = rt->alpha_func;
   key->alpha_src = rt->alpha_src_factor;
   key->alpha_dst = rt->alpha_dst_factor;
}

static void
rt_key(const struct tegra20_pass *pass, unsigned i,
       struct tegra20_fs_rt_key *key)
{
   /* buffers that are only fetched are neither blended nor stored */
   static const struct pipe_rt_blend_state fetch_only = {
      .colormask = PIPE_MASK_RGBA,
   };
   const struct pipe_surface *surface = pass->cbufs[i];
   const struct tegra20_format *format =
      surface ? tegra20_format_info(surface->format) : NULL;

   key->surface = tegra20_rt_slot(i);
   if (pass->spilled & BITFIELD_BIT(i)) {
      const bool flag = pass->flags & BITFIELD_BIT(i);

      key->bound = true;
      key->has_alpha = !flag;
      key->order = flag ? TEGRA20_RT_RGBA : TEGRA20_RT_FP20;
      key->group = pass->group[i];
      key->colormask = PIPE_MASK_RGBA;
      return;
   }
   if (!format || !format->target)
      return;

   /* the application has no more targets than the state has room for */
   const struct pipe_blend_state *blend = pass->blend;
   const struct pipe_rt_blend_state *rt =
      pass->fetch_only & BITFIELD_BIT(i) ? &fetch_only
      : blend->independent_blend_enable && i < PIPE_MAX_COLOR_BUFS
         ? &blend->rt[i]
         : &blend->rt[0];
   const unsigned colormask = pass->no_color ? 0 : rt->colormask;

   if (!colormask && !fetches_color(pass))
      return;
   key->bound = true;
   key->order = format->rt_order;
   key->has_alpha = format->has_alpha;
   key->colormask = colormask;
   /* An X8 target has nothing to preserve in its fourth byte. */
   if (!format->has_alpha && (key->colormask & 7) == 7)
      key->colormask = 0xf;
   if (rt->blend_enable && !blend->logicop_enable)
      blend_key(rt, key);
}

bool
tegra20_reads_colors(const struct tegra20_shader *fs)
{
   return fs->nir->info.inputs_read & (VARYING_BIT_COL0 | VARYING_BIT_COL1 |
                                       VARYING_BIT_BFC0 | VARYING_BIT_BFC1);
}

/* The stencil test comes after the program. */
static bool
has_late_stencil(const struct tegra20_context *ctx,
                 const struct tegra20_pass *pass)
{
   switch (pass->stencil) {
   case TEGRA20_STENCIL_OFF:
      return false;
   case TEGRA20_STENCIL_MARK:
   case TEGRA20_STENCIL_MARK_FACES:
      return true;
   case TEGRA20_STENCIL_MARKED:
      return !pass->no_color;
   default:
      return tegra20_pass_kills(pass) && ctx->zsa->stencil && pass->zsbuf &&
             tegra20_resource_stencil(tegra20_surface_zs(pass->zsbuf));
   }
}

void
tegra20_get_fs_key(const struct tegra20_context *ctx,
                   const struct tegra20_pass *pass,
                   struct tegra20_fs_variant_key *variant)
{
   const struct pipe_blend_state *blend = pass->blend;
   struct tegra20_fs_key *key = &variant->program;

   memset(variant, 0, sizeof(*variant));
   if (!pass->fs->part_of)
      variant->extension = pass->extension;
   key->nr_cbufs =
      pass->no_color && !fetches_color(pass) ? 0 : pass->nr_cbufs;
   for (unsigned i = 0; i < key->nr_cbufs && i < TEGRA20_MAX_CBUFS; i++)
      rt_key(pass, i, &key->rt[i]);
   if (pass->counts) {
      key->rt[TEGRA20_COUNTER_CBUF] = (struct tegra20_fs_rt_key){
         .bound = true,
         .order = TEGRA20_RT_RGBA,
         .has_alpha = true,
         .colormask = 0xf,
         .blend_enable = true,
         .rgb_func = PIPE_BLEND_ADD,
         .rgb_src = PIPE_BLENDFACTOR_ONE,
         .rgb_dst = PIPE_BLENDFACTOR_ONE,
         .alpha_func = PIPE_BLEND_ADD,
         .alpha_src = PIPE_BLENDFACTOR_ONE,
         .alpha_dst = PIPE_BLENDFACTOR_ONE,
         .surface = tegra20_rt_slot(TEGRA20_COUNTER_CBUF),
      };
      key->nr_cbufs = MAX2(key->nr_cbufs, TEGRA20_COUNTER_CBUF + 1);
   }
   key->wide_colors = tegra20_reads_colors(pass->fs) &&
                      !ctx->rasterizer->base.clamp_vertex_color;
   if (blend->logicop_enable && blend->logicop_func != PIPE_LOGICOP_COPY) {
      key->logicop_enable = true;
      key->logicop_func = blend->logicop_func;
   }
   key->late_stencil = has_late_stencil(ctx, pass);
   key->clamp_color = true; /* all targets are fixed point */

   u_foreach_bit (unit, tegra20_pass_textures(pass)) {
      if (pass->sampled[unit])
         key->tex[unit].encoding = TEGRA20_TEX_FP20;
      else
         key->tex[unit] = ctx->textures[unit].key;
      key->num_tex = unit + 1;
   }
}

/* The dimensions that a program's lookups have; images of other devices are
 * 2D textures. */
static void
guess_targets(const nir_shader *nir, struct tegra20_fs_key *key)
{
   nir_function_impl *impl = nir_shader_get_entrypoint((nir_shader *)nir);

   nir_foreach_block (block, impl) {
      nir_foreach_instr (instr, block) {
         if (instr->type != nir_instr_type_tex)
            continue;
         const nir_tex_instr *tex = nir_instr_as_tex(instr);
         if (tex->texture_index < key->num_tex &&
             tex->sampler_dim != GLSL_SAMPLER_DIM_EXTERNAL)
            key->tex[tex->texture_index].target = tex->sampler_dim;
      }
   }
}

void
tegra20_default_fs_key(const struct tegra20_context *ctx,
                       const struct tegra20_shader *fs,
                       struct tegra20_fs_variant_key *variant)
{
   struct tegra20_fs_key *key = &variant->program;
   const struct pipe_surface *bound =
      ctx->framebuffer.nr_cbufs ? ctx->framebuffer.cbufs[0] : NULL;
   const struct tegra20_format *format =
      bound ? tegra20_format_info(bound->format) : NULL;

   memset(variant, 0, sizeof(*variant));
   memcpy(variant->extension.control_uniforms, fs->control_uniforms.samples,
          sizeof(variant->extension.control_uniforms));
   key->nr_cbufs = 1;
   key->rt[0] = (struct tegra20_fs_rt_key){
      .bound = true,
      .order = TEGRA20_RT_BGRA,
      .has_alpha = true,
      .colormask = 0xf,
      .surface = tegra20_rt_slot(0),
   };
   if (format && format->target) {
      key->rt[0].order = format->rt_order;
      key->rt[0].has_alpha = format->has_alpha;
   }
   key->clamp_color = true;
   u_foreach_bit (unit, fs->nir->info.textures_used[0]) {
      for (unsigned c = 0; c < 4; c++)
         key->tex[unit].swizzle[c] = PIPE_SWIZZLE_X + c;
      key->tex[unit].target = GLSL_SAMPLER_DIM_2D;
      key->num_tex = unit + 1;
   }
   guess_targets(fs->nir, key);
}
