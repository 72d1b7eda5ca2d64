/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Shaders, variants, linking.
 *
 * The state that changes the code is collected in a key; the variants of a
 * shader are a list in which a hit moves to the front, so that the usual case
 * is one comparison.  A first variant is compiled when the shader is created,
 * with the state it will most likely meet, so that programs which do not fit
 * the chip are found at link time.  A dummy draws in place of them
 * (tegra20_dummy.h), unless TEGRA20_DEBUG=refuse asks for a link error.
 */

#include "tegra20_program.h"

#include <string.h>

#include "compiler/nir/nir.h"
#include "nir/nir_draw_helpers.h"
#include "nir/tgsi_to_nir.h"
#include "util/ralloc.h"
#include "util/u_inlines.h"
#include "util/u_memory.h"

#include "nir/tegra20_cut.h"
#include "nir/tegra20_derive.h"
#include "tegra20_cache.h"
#include "tegra20_context.h"
#include "tegra20_debug.h"
#include "tegra20_dummy.h"
#include "tegra20_mesa.h"
#include "tegra20_samples.h"
#include "tegra20_screen.h"
#include "tegra20_smooth.h"
#include "tegra20_swtnl.h"
#include "tegra20_texture.h"

/* --- compilation --- */

static void
report_stats(struct tegra20_context *ctx, const char *stage,
             const char *stats)
{
   if (DBG(SHADERDB))
      fprintf(stderr, "%s shader: %s\n", stage, stats);
   util_debug_message(&ctx->debug, SHADER_INFO, "%s shader: %s", stage,
                      stats);
}

static void
report_failure(struct tegra20_context *ctx, const char *stage,
               const nir_shader *nir, const char *error)
{
   if (nir && DBG(MSGS))
      nir_print_shader((nir_shader *)nir, stderr);
   tegra20_msg("%s shader does not fit the chip: %s", stage,
               error ? error : "unknown reason");
   util_debug_message(&ctx->debug, ERROR,
                      "%s shader does not fit the chip: %s", stage,
                      error ? error : "");
}

/* Once for a program, however many of its variants do not fit. */
static void
report_dummy(struct tegra20_context *ctx, struct tegra20_shader *shader,
             const char *error)
{
   if (shader->reported && !DBG(MSGS))
      return;
   shader->reported = true;

   const bool is_vertex = shader->stage == MESA_SHADER_VERTEX;
   const char *stage = is_vertex ? "vertex" : "fragment";
   const char *instead =
      is_vertex ? "nothing is drawn with it" : "grey is drawn in its place";

   if (DBG(MSGS))
      nir_print_shader(shader->nir, stderr);
   tegra20_msg("%s shader does not fit the chip, %s: %s", stage, instead,
               error ? error : "unknown reason");
   /* not an error: an X server would print a backtrace */
   util_debug_message(&ctx->debug, FALLBACK,
                      "%s shader does not fit the chip, %s: %s", stage,
                      instead, error ? error : "");
}

/* State that the parameters of a program come from. */
static uint32_t
params_used(const struct tegra20_values *values)
{
   uint32_t used = 0;

   for (unsigned i = 0; i < values->count; i++) {
      if (values->nodes[i].op != TEGRA20_VALUE_PARAM)
         continue;
      uint32_t param = values->nodes[i].arg;
      if (param < TEGRA20_PARAM_BLEND_COLOR)
         used |= TEGRA20_DIRTY_VIEWPORT;
      else if (param < TEGRA20_PARAM_ALPHA_REF)
         used |= TEGRA20_DIRTY_BLEND_COLOR;
      else if (param < TEGRA20_PARAM_POINT_SIZE)
         used |= TEGRA20_DIRTY_ZSA;
      else if (param < TEGRA20_PARAM_TEX_SIZE)
         used |= TEGRA20_DIRTY_RASTERIZER;
      else
         used |= TEGRA20_DIRTY_TEXTURES;
   }
   return used;
}

static unsigned
num_uniforms(const struct tegra20_fs *fs)
{
   unsigned count = 0;

   for (unsigned i = 0; i < TEGRA20_FS_MAX_UNIFORMS; i++) {
      if (fs->uniforms[i].format != TEGRA20_FS_NONE)
         count = i + 1;
   }
   return count;
}

/* *error, when given, receives a malloc'ed copy of the reason instead of it
 * being reported. */
static struct tegra20_vs_variant *
compile_vs(struct tegra20_context *ctx, struct tegra20_shader *shader,
           const struct tegra20_vs_key *key, char **error)
{
   struct tegra20_vs_variant *v = rzalloc(shader, struct tegra20_vs_variant);
   char *reason = NULL;

   v->shader = shader;
   v->key = *key;
   v->id = p_atomic_inc_return(&ctx->screen->next_id);
   ctx->stats.variants++;
   v->program = tegra20_cache_find_vs(ctx->screen, v);
   bool cached = v->program;
   ctx->stats.cached += cached;
   if (cached ||
       tegra20_compile_vs(v, shader->nir, key, &ctx->screen->compiler,
                          &v->program, &reason)) {
      if (!cached)
         tegra20_cache_store_vs(ctx->screen, v);
      v->values = rzalloc_array(v, float, MAX2(v->program->values.count, 1));
      v->params_used = params_used(&v->program->values);
      char *stats = tegra20_vs_stats_string(v, &v->program->stats);
      report_stats(ctx, "VS", stats);
      ralloc_free(stats);
   } else {
      v->program = NULL;
      if (error)
         *error =
            strdup(reason ? reason : "vertex shader does not fit the chip");
      else
         report_failure(ctx, "vertex", shader->nir, reason);
   }
   v->next = shader->variants;
   shader->variants = v;
   return v;
}

/* A program that does not fit may do so with nearest texels of depth
 * textures. */
static bool
compile_fs_key(struct tegra20_fs_variant *v,
               const struct tegra20_compiler_options *options, char **reason)
{
   struct tegra20_fs_key key = v->key;
   bool filtered = false;

   if (tegra20_compile_fs(v, v->shader->nir, &key, options, &v->program,
                          reason))
      return true;
   for (unsigned i = 0; i < key.num_tex; i++) {
      filtered |= key.tex[i].filter_depth;
      key.tex[i].filter_depth = false;
   }
   return filtered && tegra20_compile_fs(v, v->shader->nir, &key, options,
                                         &v->program, reason);
}

static void
prepare_fs(struct tegra20_context *ctx, struct tegra20_fs_variant *v)
{
   v->values = rzalloc_array(v, float, MAX2(v->program->values.count, 1));
   v->params_used = params_used(&v->program->values);
   v->num_uniforms = num_uniforms(v->program);
   tegra20_upload_prepare(v);
   char *stats = tegra20_fs_stats_string(v, &v->program->stats);
   report_stats(ctx, "FS", stats);
   ralloc_free(stats);
}

/* For a program that fits, but not with all that the state of a draw adds. */
static void
compile_dummy_fs(struct tegra20_context *ctx, struct tegra20_fs_variant *v)
{
   nir_shader *nir = tegra20_nir_dummy(v->shader->nir);
   char *error = NULL;

   report_dummy(ctx, v->shader, v->reason);
   tegra20_preprocess_nir(nir);
   if (tegra20_compile_fs(v, nir, &v->key, &ctx->screen->compiler,
                          &v->program, &error))
      prepare_fs(ctx, v);
   else
      v->program = NULL;
   ralloc_free(nir);
}

static struct tegra20_fs_variant *
compile_fs(struct tegra20_context *ctx, struct tegra20_shader *shader,
           const struct tegra20_fs_key *key, char **error)
{
   struct tegra20_fs_variant *v = rzalloc(shader, struct tegra20_fs_variant);
   char *reason = NULL;

   v->shader = shader;
   v->key = *key;
   ctx->stats.variants++;
   v->program = tegra20_cache_find_fs(ctx->screen, v);
   bool cached = v->program;
   ctx->stats.cached += cached;
   if (cached || compile_fs_key(v, &ctx->screen->compiler, &reason)) {
      if (!cached)
         tegra20_cache_store_fs(ctx->screen, v);
      prepare_fs(ctx, v);
   } else {
      if (DBG(MSGS)) {
         tegra20_msg("target 0: bound %d order %d alpha %d mask %x blend %d "
                     "(%d %d %d, %d %d %d) logicop %d/%d",
                     key->rt[0].bound, key->rt[0].order, key->rt[0].has_alpha,
                     key->rt[0].colormask, key->rt[0].blend_enable,
                     key->rt[0].rgb_func, key->rt[0].rgb_src,
                     key->rt[0].rgb_dst, key->rt[0].alpha_func,
                     key->rt[0].alpha_src, key->rt[0].alpha_dst,
                     key->logicop_enable, key->logicop_func);
      }
      v->program = NULL;
      if (error)
         *error =
            strdup(reason ? reason : "fragment shader does not fit the chip");
      v->reason = reason ? reason : "unknown reason";
   }
   v->next = shader->variants;
   shader->variants = v;
   return v;
}

/* Finds key in a list of variants (which begins with the members that VARIANT
 * names) and moves it to the front. */
#define FIND_VARIANT(VARIANT, shader, wanted)                                \
   ({                                                                        \
      struct VARIANT **link_ = (struct VARIANT **)&(shader)->variants,       \
                     *found_ = NULL;                                         \
      for (; *link_; link_ = &(*link_)->next) {                              \
         if (memcmp(&(*link_)->key, (wanted), sizeof((*link_)->key)) == 0) { \
            found_ = *link_;                                                 \
            *link_ = found_->next;                                           \
            found_->next = (shader)->variants;                               \
            (shader)->variants = found_;                                     \
            break;                                                           \
         }                                                                   \
      }                                                                      \
      found_;                                                                \
   })

/* --- keys --- */

static void
vs_key(const struct tegra20_context *ctx, struct tegra20_vs_key *key)
{
   memset(key, 0, sizeof(*key));
   key->clamp_color = ctx->rasterizer->base.clamp_vertex_color;
}

/* A program that fetches needs to know colours that it does not store. */
static bool
fetches_color(const struct tegra20_pass *pass)
{
   return pass->fs->nir->info.fs.uses_fbfetch_output;
}

/* Adds nothing of the destination and all of the source: what blending is set
 * to before a program chooses otherwise. */
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
   /* what is only fetched is neither blended nor stored */
   static const struct pipe_rt_blend_state fetch_only = {
      .colormask = PIPE_MASK_RGBA,
   };
   const struct pipe_surface *surface = pass->cbufs[i];
   const struct pipe_blend_state *blend = pass->blend;
   const struct pipe_rt_blend_state *rt =
      pass->fetch_only & BITFIELD_BIT(i)
         ? &fetch_only
         : &blend->rt[blend->independent_blend_enable ? i : 0];
   const struct tegra20_format *format =
      surface ? tegra20_format_info(surface->format) : NULL;

   const unsigned colormask = pass->no_color ? 0 : rt->colormask;

   key->surface = tegra20_rt_slot(i);
   if (pass->handed & BITFIELD_BIT(i)) {
      const bool flag = pass->flags & BITFIELD_BIT(i);

      key->bound = true;
      key->has_alpha = !flag;
      key->order = flag ? TEGRA20_RT_RGBA : TEGRA20_RT_FP20;
      key->colormask = PIPE_MASK_RGBA;
      return;
   }
   if (!format || !format->target || !(colormask || fetches_color(pass)))
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

static bool
reads_colors(const struct tegra20_shader *fs)
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
      return pass->fs->kills && ctx->zsa->stencil && pass->zsbuf &&
             tegra20_resource_stencil(tegra20_surface_zs(pass->zsbuf));
   }
}

static void
fs_key(struct tegra20_context *ctx, const struct tegra20_pass *pass,
       struct tegra20_fs_key *key)
{
   const struct pipe_blend_state *blend = pass->blend;

   memset(key, 0, sizeof(*key));
   key->nr_cbufs =
      pass->no_color && !fetches_color(pass) ? 0 : pass->nr_cbufs;
   for (unsigned i = 0; i < key->nr_cbufs && i < TEGRA20_MAX_CBUFS; i++)
      rt_key(pass, i, &key->rt[i]);
   if (pass->fs->extension.count) {
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
   key->wide_colors =
      reads_colors(pass->fs) && !ctx->rasterizer->base.clamp_vertex_color;
   if (blend->logicop_enable && blend->logicop_func != PIPE_LOGICOP_COPY) {
      key->logicop_enable = true;
      key->logicop_func = blend->logicop_func;
   }
   key->late_stencil = has_late_stencil(ctx, pass);
   key->clamp_color = true; /* all targets are fixed point */

   unsigned unit;
   BITSET_FOREACH_SET (unit, pass->fs->nir->info.textures_used,
                       TEGRA20_MAX_SAMPLERS) {
      if (pass->sampled[unit])
         key->tex[unit].encoding = TEGRA20_TEX_FP20;
      else
         key->tex[unit] = ctx->textures[unit].key;
      key->num_tex = unit + 1;
   }
}

/* The state that a new program will most likely meet. */
static void
default_fs_key(const struct tegra20_context *ctx, const nir_shader *nir,
               struct tegra20_fs_key *key)
{
   const struct pipe_surface *bound =
      ctx->framebuffer.nr_cbufs ? ctx->framebuffer.cbufs[0] : NULL;
   const struct tegra20_format *format =
      bound ? tegra20_format_info(bound->format) : NULL;

   memset(key, 0, sizeof(*key));
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
   unsigned unit;
   BITSET_FOREACH_SET (unit, nir->info.textures_used, TEGRA20_MAX_SAMPLERS) {
      for (unsigned c = 0; c < 4; c++)
         key->tex[unit].swizzle[c] = PIPE_SWIZZLE_X + c;
      key->tex[unit].target = GLSL_SAMPLER_DIM_2D;
      key->num_tex = unit + 1;
   }
}

/* --- state objects --- */

/* Nothing of the context points to a program any more. */
static void
forget_programs(struct tegra20_context *ctx)
{
   tegra20_plan_forget(ctx);
   ctx->fs_without_copies = NULL;
   tegra20_program_forget_choices(ctx);
}

static void
free_extended(struct tegra20_context *ctx, struct tegra20_shader *shader)
{
   struct tegra20_shader *next;

   forget_programs(ctx);
   for (struct tegra20_shader *e = shader->extended; e; e = next) {
      next = e->next_extended;
      ralloc_free(e);
   }
   shader->extended = NULL;
   shader->num_extended = 0;
}

/* Compiles a first variant.  *error as in compile_vs(). */
static void
compile_first(struct tegra20_context *ctx, struct tegra20_shader *shader,
              char **error)
{
   if (shader->stage == MESA_SHADER_VERTEX) {
      const struct tegra20_vs_key key = { 0 };
      compile_vs(ctx, shader, &key, error);
   } else {
      struct tegra20_fs_key key;

      shader->kills = shader->nir->info.fs.uses_discard;
      default_fs_key(ctx, shader->nir, &key);
      compile_fs(ctx, shader, &key, error);
   }
}

/* Makes shader->nir of a finalized shader, with values for the uniforms that
 * decide about loops, and compiles a first variant. */
static void
finish_shader(struct tegra20_context *ctx, struct tegra20_shader *shader,
              const nir_shader *finalized,
              const struct tegra20_control_uniforms *uniforms,
              const uint32_t *values, char **error)
{
   nir_shader *nir = nir_shader_clone(shader, finalized);

   if (uniforms->count)
      tegra20_inline_uniforms(nir, uniforms, values);
   shader->nir = nir_shader_clone(shader, nir);
   if (tegra20_finish_nir(shader->nir, TEGRA20_ROUNDS))
      shader->loops = nir;
   else
      ralloc_free(nir);
   shader->derives = tegra20_has_derivatives(shader->nir);
   compile_first(ctx, shader, error);
}

static struct tegra20_shader *
new_shader(gl_shader_stage stage)
{
   struct tegra20_shader *shader = rzalloc(NULL, struct tegra20_shader);

   if (shader)
      shader->stage = stage;
   return shader;
}

/* Makes the program that is drawn with when state adds nothing, with samples
 * of the uniforms that decide its control flow: nothing is drawn with these
 * values, but whether the program fits the chip has to be said when it is
 * linked. */
static void
finish_plain(struct tegra20_context *ctx, struct tegra20_shader *shader,
             char **error)
{
   nir_shader *nir = nir_shader_clone(shader, shader->source);

   if (shader->writes_depth)
      tegra20_nir_drop_depth(nir);
   finish_shader(ctx, shader, nir, &shader->control_uniforms,
                 shader->control_uniforms.samples, error);
   ralloc_free(nir);
}

/* Forgets what finish_plain() made. */
static void
unfinish(struct tegra20_shader *shader)
{
   ralloc_free(shader->nir);
   ralloc_free(shader->loops);
   shader->nir = shader->loops = NULL;
   shader->variants = NULL;
   shader->hashed = false;
}

/* A program that does not fit with all of its branches may do so with those
 * that its uniforms select. */
static bool
fit_by_branches(struct tegra20_context *ctx, struct tegra20_shader *shader,
                char **error)
{
   if (!tegra20_find_branch_uniforms(shader->source,
                                     &shader->control_uniforms))
      return false;
   free(*error);
   *error = NULL;
   unfinish(shader);
   finish_plain(ctx, shader, error);
   return !*error;
}

/* --- parts --- */

static struct tegra20_shader *
new_part(struct tegra20_fs_variant *v, unsigned i)
{
   struct tegra20_shader *shader = new_shader(MESA_SHADER_FRAGMENT);

   if (!shader)
      return NULL;
   ralloc_steal(v, shader);
   shader->nir = v->parts->part[i].nir;
   shader->kills = shader->nir->info.fs.uses_discard;
   shader->extension = v->shader->extension;
   shader->extension.count &= i == v->parts->count - 1;
   shader->stipple_unit = v->shader->stipple_unit;
   return shader;
}

/* Copies of the body of a loop may be too much where rounds of it are not. */
static struct tegra20_parts *
cut_in_rounds(struct tegra20_context *ctx, struct tegra20_fs_variant *v,
              char **error)
{
   nir_shader *nir = nir_shader_clone(NULL, v->shader->loops);

   tegra20_finish_nir(nir, TEGRA20_ALL_ROUNDS);
   struct tegra20_parts *parts =
      tegra20_cut_fs(v, nir, &v->key, &ctx->screen->compiler, error);
   ralloc_free(nir);
   return parts;
}

const struct tegra20_parts *
tegra20_program_cut(struct tegra20_context *ctx, struct tegra20_fs_variant *v)
{
   char *error = NULL;

   if (v->cut)
      return v->parts;
   v->cut = true;
   v->parts = tegra20_cut_fs(v, v->shader->nir, &v->key,
                             &ctx->screen->compiler, &error);
   if (!v->parts && v->shader->loops)
      v->parts = cut_in_rounds(ctx, v, &error);
   if (!v->parts) {
      v->reason = error;
      return NULL;
   }
   v->part_shaders =
      rzalloc_array(v, struct tegra20_shader *, v->parts->count);
   for (unsigned i = 0; i < v->parts->count; i++) {
      v->part_shaders[i] = new_part(v, i);
      if (!v->part_shaders[i])
         v->parts = NULL; /* memory ran out */
      if (!v->parts)
         return NULL;
   }
   if (DBG(MSGS))
      tegra20_msg("fragment program is drawn in %u parts with %u loops that "
                  "hand on %u "
                  "values in %u surfaces: %s",
                  v->parts->count, v->parts->num_loops, v->parts->num_values,
                  v->parts->num_surfaces, v->reason);
   util_debug_message(&ctx->debug, FALLBACK,
                      "fragment program is drawn in %u parts: %s",
                      v->parts->count, v->reason);
   return v->parts;
}

/* A program that does not fit may do so in parts. */
static bool
fit_in_parts(struct tegra20_context *ctx, struct tegra20_shader *shader,
             char **error)
{
   struct tegra20_fs_variant *v = shader->variants;

   if (shader->stage != MESA_SHADER_FRAGMENT || !tegra20_program_cut(ctx, v))
      return false;
   free(*error);
   *error = NULL;
   return true;
}

/* A program that does not fit is drawn with another in its place. */
static void
become_dummy(struct tegra20_context *ctx, struct tegra20_shader *shader,
             const char *reason)
{
   nir_shader *dummy = tegra20_nir_dummy(shader->source);

   report_dummy(ctx, shader, reason);
   unfinish(shader);
   ralloc_free(shader->original);
   ralloc_free(shader->source);
   ralloc_steal(shader, dummy);
   shader->original = nir_shader_clone(shader, dummy);
   tegra20_finalize_nir(dummy);
   shader->source = dummy;
   shader->writes_depth = false;
   shader->control_uniforms.count = 0;
   finish_plain(ctx, shader, NULL);
}

static void *
create_shader(struct pipe_context *pctx,
              const struct pipe_shader_state *state, gl_shader_stage stage)
{
   struct tegra20_context *ctx = tegra20_context(pctx);
   struct pipe_shader_state *result = (struct pipe_shader_state *)state;
   struct tegra20_shader *shader = new_shader(stage);
   char *error = NULL;

   if (!shader)
      return NULL;
   /* Mesa's own helpers (u_blitter, the HUD) still speak TGSI. */
   nir_shader *nir = state->type == PIPE_SHADER_IR_NIR
                        ? state->ir.nir
                        : tgsi_to_nir(state->tokens, pctx->screen, false);
   ralloc_steal(shader, nir);
   shader->original = nir_shader_clone(shader, nir);
   tegra20_finalize_nir(nir);
   shader->source = nir;
   shader->writes_depth =
      stage == MESA_SHADER_FRAGMENT &&
      (nir->info.outputs_written & BITFIELD64_BIT(FRAG_RESULT_DEPTH));
   tegra20_find_loop_uniforms(nir, &shader->control_uniforms);
   finish_plain(ctx, shader, &error);
   if (error && !fit_by_branches(ctx, shader, &error) &&
       !fit_in_parts(ctx, shader, &error)) {
      /* Mesa 25.0 reads the message of a vertex shader when it links, but
       * forgets to say that it will. */
      if (DBG(REFUSE) &&
          (state->report_compile_error || stage == MESA_SHADER_VERTEX)) {
         result->error_message = error;
         ralloc_free(shader);
         return NULL;
      }
      if (DBG(REFUSE))
         report_failure(ctx, "fragment", shader->nir, error);
      else
         become_dummy(ctx, shader, error);
      free(error);
   }
   return shader;
}

static struct tegra20_shader *
extend_shader(struct tegra20_context *ctx, struct tegra20_shader *base,
              const struct tegra20_fs_extension *extension)
{
   struct tegra20_shader *shader = new_shader(base->stage);

   if (!shader)
      return NULL;
   nir_shader *nir = nir_shader_clone(shader, base->source);
   shader->extension = *extension;
   shader->reported = base->reported;
   if (extension->samples)
      tegra20_nir_coverage(nir, extension->samples);
   if (extension->smooth)
      tegra20_nir_smooth(nir, extension->smooth);
   if (extension->output == TEGRA20_OUTPUT_DEPTH)
      tegra20_nir_store_depth_as_color(nir);
   else if (base->writes_depth)
      tegra20_nir_drop_depth(nir);
   if (extension->output == TEGRA20_OUTPUT_COVERAGE)
      tegra20_nir_store_coverage(nir);
   if (extension->clip_planes)
      tegra20_nir_clip(nir, extension->clip_planes);
   if (extension->sprite_coords)
      nir_lower_texcoord_replace_late(nir, extension->sprite_coords, true);
   if (extension->stipple)
      nir_lower_pstipple_fs(nir, &shader->stipple_unit, 0, true,
                            nir_type_bool1);
   if (extension->count)
      tegra20_nir_count_samples(nir);
   if (extension->samples)
      tegra20_nir_scale_position(nir);
   tegra20_finalize_nir(nir);
   finish_shader(ctx, shader, nir, &base->control_uniforms,
                 extension->control_uniforms, NULL);
   ralloc_free(nir);
   ralloc_steal(base, shader);
   base->reported |= shader->reported;
   shader->next_extended = base->extended;
   base->extended = shader;
   base->num_extended++;
   return shader;
}

static bool
is_point_sprite(const struct tegra20_context *ctx)
{
   const struct pipe_rasterizer_state *rast = &ctx->rasterizer->base;
   const nir_shader *fs = ctx->bound_fs->nir;

   return (rast->point_quad_rasterization && rast->sprite_coord_enable) ||
          BITSET_TEST(fs->info.system_values_read,
                      SYSTEM_VALUE_POINT_COORD) ||
          (fs->info.inputs_read & VARYING_BIT_PNTC);
}

static bool
needs_expanded_points(const struct tegra20_context *ctx)
{
   return is_point_sprite(ctx) ||
          (ctx->rasterizer->base.point_size_per_vertex &&
           (ctx->bound_vs->nir->info.outputs_written & VARYING_BIT_PSIZ));
}

static struct tegra20_shader *
expanded_points(struct tegra20_context *ctx, struct tegra20_shader *base)
{
   if (base->extended)
      return base->extended;
   struct tegra20_shader *shader = new_shader(base->stage);
   if (!shader)
      return NULL;
   ralloc_steal(base, shader);
   shader->nir = nir_shader_clone(shader, base->nir);
   shader->expands_points = tegra20_nir_expand_points(
      shader->nir, &shader->corner_input, &shader->point_uniform);
   if (!shader->expands_points)
      tegra20_msg_once(
         "a program has no room for point sprites: points have a fixed size");
   tegra20_preprocess_nir(shader->nir);
   compile_first(ctx, shader, NULL);
   base->extended = shader;
   return shader;
}

/* The words of constant buffer 0 that the loops and branches of the bound
 * fragment shader depend on; what is not there is 0. */
static void
read_control_uniforms(const struct tegra20_context *ctx, uint32_t *values)
{
   const struct tegra20_control_uniforms *uniforms =
      &ctx->bound_fs->control_uniforms;
   unsigned count;
   const uint32_t *words =
      tegra20_constant_words(ctx, MESA_SHADER_FRAGMENT, &count);

   for (unsigned i = 0; i < uniforms->count; i++) {
      if (uniforms->words[i] < count)
         values[i] = words[uniforms->words[i]];
   }
}

static struct tegra20_shader *
extended_fs(struct tegra20_context *ctx, const struct tegra20_pass *pass)
{
   const struct pipe_rasterizer_state *rast = &ctx->rasterizer->base;
   const struct tegra20_fs_extension none = { 0 };
   const enum mesa_prim kind = pass->kind;
   struct tegra20_fs_extension extension = { 0 };
   struct tegra20_shader *fs;

   extension.output = pass->output;
   extension.count = pass->counts;
   /* the driver's own programs know what the application's discards */
   if (pass->source == ctx->bound_fs) {
      extension.clip_planes =
         rast->clip_plane_enable &
         BITFIELD_MASK(ctx->bound_vs->nir->info.clip_distance_array_size);
      extension.stipple =
         kind == MESA_PRIM_TRIANGLES && rast->poly_stipple_enable;
      if (kind == MESA_PRIM_POINTS && rast->point_quad_rasterization)
         extension.sprite_coords = rast->sprite_coord_enable;
      extension.smooth = tegra20_smooth_kind(rast, kind);
      extension.samples = tegra20_samples_key(ctx);
      /* nothing to scale */
      if (extension.samples == TEGRA20_SAMPLES_SCALED && !extension.stipple &&
          !BITSET_TEST(pass->source->nir->info.system_values_read,
                       SYSTEM_VALUE_FRAG_COORD))
         extension.samples = 0;
   }
   if (pass->source->control_uniforms.count)
      read_control_uniforms(ctx, extension.control_uniforms);
   else if (memcmp(&extension, &none, sizeof(none)) == 0)
      return pass->source;
   for (fs = pass->source->extended; fs; fs = fs->next_extended) {
      if (memcmp(&fs->extension, &extension, sizeof(extension)) == 0)
         return fs;
   }
   if (pass->source->num_extended == TEGRA20_MAX_EXTENDED)
      free_extended(ctx, pass->source);
   return extend_shader(ctx, pass->source, &extension);
}

bool
tegra20_program_extend(struct tegra20_context *ctx, struct tegra20_pass *pass)
{
   const bool smooth = tegra20_smooth_kind(&ctx->rasterizer->base,
                                           pass->kind) != TEGRA20_SMOOTH_NONE;

   pass->vs =
      pass->kind == MESA_PRIM_POINTS && !smooth && needs_expanded_points(ctx)
         ? expanded_points(ctx, ctx->bound_vs)
         : ctx->bound_vs;
   pass->fs = extended_fs(ctx, pass);
   if (!pass->vs || !pass->fs)
      return false;
   pass->expands_points = pass->vs->expands_points;
   if (pass->fs->extension.stipple)
      return tegra20_stipple_bind(ctx, pass->fs->stipple_unit);
   return true;
}

static void *
create_vs(struct pipe_context *pctx, const struct pipe_shader_state *state)
{
   return create_shader(pctx, state, MESA_SHADER_VERTEX);
}

static void *
create_fs(struct pipe_context *pctx, const struct pipe_shader_state *state)
{
   return create_shader(pctx, state, MESA_SHADER_FRAGMENT);
}

static void
bind_vs(struct pipe_context *pctx, void *shader)
{
   struct tegra20_context *ctx = tegra20_context(pctx);

   ctx->bound_vs = shader;
}

static void
bind_fs(struct pipe_context *pctx, void *shader)
{
   struct tegra20_context *ctx = tegra20_context(pctx);

   ctx->bound_fs = shader;
}

static void
delete_shader(struct pipe_context *pctx, void *state)
{
   struct tegra20_context *ctx = tegra20_context(pctx);
   struct tegra20_shader *shader = state;

   if (!shader)
      return;
   forget_programs(ctx); /* also when it is one of the extended ones */
   tegra20_swtnl_delete_shader(ctx, shader);
   ralloc_free(shader);
}

/* --- choice for a draw --- */

bool
tegra20_same_link(const struct tegra20_link *a, const struct tegra20_link *b)
{
   return a->count == b->count && a->out_mask == b->out_mask &&
          a->tram_rows == b->tram_rows &&
          memcmp(a->words, b->words, a->count * sizeof(a->words[0])) == 0;
}

static bool
update_link(struct tegra20_context *ctx, struct tegra20_pass *pass)
{
   struct tegra20_fs_variant *fs = pass->fs_variant;
   struct tegra20_vs_variant *vs = pass->vs_variant;
   struct tegra20_link_entry *entry;

   for (entry = fs->links; entry; entry = entry->next) {
      if (entry->vs_id == vs->id)
         break;
   }
   if (!entry) {
      char *error = NULL;

      entry = rzalloc(fs, struct tegra20_link_entry);
      entry->vs_id = vs->id;
      entry->valid = tegra20_link_programs(fs, vs->program, fs->program,
                                           &entry->link, &error);
      if (!entry->valid)
         report_failure(ctx, "linked", NULL, error);
      entry->next = fs->links;
      fs->links = entry;
   }
   pass->link = &entry->link;
   return entry->valid;
}

static struct tegra20_vs_variant *
choose_vs(struct tegra20_context *ctx, struct tegra20_shader *vs)
{
   struct tegra20_vs_key key;

   vs_key(ctx, &key);
   struct tegra20_vs_variant *v = FIND_VARIANT(tegra20_vs_variant, vs, &key);
   return v ? v : compile_vs(ctx, vs, &key, NULL);
}

static struct tegra20_fs_variant *
find_fs(struct tegra20_context *ctx, const struct tegra20_pass *pass)
{
   struct tegra20_fs_key key;

   fs_key(ctx, pass, &key);
   struct tegra20_fs_variant *v =
      FIND_VARIANT(tegra20_fs_variant, pass->fs, &key);
   return v ? v : compile_fs(ctx, pass->fs, &key, NULL);
}

/* Of a pass that has the bound targets and tests. */
static bool
is_plain(const struct tegra20_pass *pass)
{
   return !pass->no_color && !pass->fetch_only &&
          pass->stencil == TEGRA20_STENCIL_STATE;
}

void
tegra20_program_forget_choices(struct tegra20_context *ctx)
{
   memset(ctx->fs_choices, 0, sizeof(ctx->fs_choices));
}

static struct tegra20_fs_variant *
choose_fs(struct tegra20_context *ctx, const struct tegra20_pass *pass)
{
   const uintptr_t hash =
      (uintptr_t)pass->fs / 64 ^ (uintptr_t)pass->blend / 16;
   struct tegra20_fs_choice *set =
      ctx->fs_choices[(hash ^ hash / TEGRA20_FS_CHOICE_SETS) %
                      TEGRA20_FS_CHOICE_SETS];
   const bool clamp = ctx->rasterizer->base.clamp_vertex_color;

   if (!is_plain(pass))
      return find_fs(ctx, pass);
   for (unsigned i = 0; i < TEGRA20_FS_CHOICE_WAYS; i++) {
      if (set[i].fs == pass->fs && set[i].blend == pass->blend &&
          set[i].clamp == clamp)
         return set[i].variant;
   }

   struct tegra20_fs_variant *v = find_fs(ctx, pass);
   set[ctx->next_fs_choice++ % TEGRA20_FS_CHOICE_WAYS] =
      (struct tegra20_fs_choice){ pass->fs, pass->blend, clamp, v };
   return v;
}

/* Makes a variant that did not fit one that draws something else. */
static bool
replace_fs(struct tegra20_context *ctx, struct tegra20_fs_variant *v)
{
   if (!v->replaced) {
      v->replaced = true;
      if (DBG(REFUSE))
         report_failure(ctx, "fragment", v->shader->nir, v->reason);
      else
         compile_dummy_fs(ctx, v);
   }
   return v->program;
}

bool
tegra20_program_update(struct tegra20_context *ctx, struct tegra20_pass *pass,
                       bool replace)
{
   const struct tegra20_pass *last = &ctx->emitted;
   const uint32_t vs_state = TEGRA20_DIRTY_RASTERIZER_KEY;
   /* the key has the stencil test only for programs that discard */
   const uint32_t fs_state =
      TEGRA20_DIRTY_FRAMEBUFFER | TEGRA20_DIRTY_BLEND |
      TEGRA20_DIRTY_TEXTURE_KEYS |
      (pass->fs->kills ? TEGRA20_DIRTY_ZSA_KEY : 0) |
      (reads_colors(pass->fs) ? TEGRA20_DIRTY_RASTERIZER_KEY : 0);

   pass->vs_variant = pass->vs == last->vs && !(ctx->dirty & vs_state)
                         ? last->vs_variant
                         : choose_vs(ctx, pass->vs);
   pass->fs_variant = pass->fs == last->fs && !(ctx->dirty & fs_state) &&
                            is_plain(pass) && is_plain(last)
                         ? last->fs_variant
                         : choose_fs(ctx, pass);
   if (!pass->vs_variant->program)
      return false;
   if ((!pass->fs_variant->program || pass->fs_variant->replaced) &&
       (!replace || !replace_fs(ctx, pass->fs_variant)))
      return false;
   return update_link(ctx, pass);
}

bool
tegra20_program_update_fs(struct tegra20_context *ctx,
                          struct tegra20_pass *pass)
{
   struct tegra20_fs_variant *v = choose_fs(ctx, pass);

   if (v == pass->fs_variant)
      return true;
   if (!v->program || v->replaced)
      return false;
   pass->fs_variant = v;
   return update_link(ctx, pass);
}

/* --- parameters --- */

void
tegra20_program_params(const struct tegra20_context *ctx,
                       float params[TEGRA20_PARAM_COUNT])
{
   memset(params, 0, TEGRA20_PARAM_COUNT * sizeof(float));
   for (unsigned c = 0; c < 3; c++) {
      params[TEGRA20_PARAM_VIEWPORT_SCALE + c] = ctx->viewport.scale[c];
      params[TEGRA20_PARAM_VIEWPORT_BIAS + c] = ctx->viewport.translate[c];
   }
   for (unsigned c = 0; c < 4; c++)
      params[TEGRA20_PARAM_BLEND_COLOR + c] =
         SATURATE(ctx->blend_color.color[c]); /* of fixed-point targets */
   params[TEGRA20_PARAM_ALPHA_REF] = ctx->zsa->base.alpha_ref_value;
   params[TEGRA20_PARAM_POINT_SIZE] = ctx->rasterizer->point_size;
   for (unsigned i = 0; i < ctx->num_views; i++)
      tegra20_texture_params(ctx, i, params);
}

void
tegra20_program_init(struct tegra20_context *ctx)
{
   ctx->base.create_vs_state = create_vs;
   ctx->base.create_fs_state = create_fs;
   ctx->base.bind_vs_state = bind_vs;
   ctx->base.bind_fs_state = bind_fs;
   ctx->base.delete_vs_state = delete_shader;
   ctx->base.delete_fs_state = delete_shader;
}
