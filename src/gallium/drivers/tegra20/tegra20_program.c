/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Shader objects, their state-dependent NIR, and the choice of their variants
 * for a draw.
 *
 * The state that changes the code is collected in a key
 * (tegra20_program_key.c).  A first variant (tegra20_variant.c) is compiled
 * when the shader is created, with the state it will most likely meet, so
 * that programs which do not fit the chip are found at link time; drafts of
 * those whose loops depend on uniforms wait for the values.
 */

#include "tegra20_variant.h"

#include <string.h>

#include "compiler/nir/nir_builder.h"
#include "nir/tgsi_to_nir.h"
#include "util/hash_table.h"
#include "util/ralloc.h"
#include "util/u_inlines.h"
#include "util/u_pstipple.h"

#include "nir/tegra20_derive.h"
#include "tegra20_context.h"
#include "tegra20_mesa.h"
#include "tegra20_samples.h"
#include "tegra20_smooth.h"
#include "tegra20_swtnl.h"
#include "tegra20_texture.h"

/* --- state objects --- */

/* Compiles a first variant, with samples of the uniforms that decide its
 * control flow: nothing is drawn with these values, but whether the program
 * fits the chip has to be said when it is linked.  *error as in
 * tegra20_compile_vs_variant(). */
static void
compile_first(struct tegra20_context *ctx, struct tegra20_shader *shader,
              char **error)
{
   if (shader->stage == MESA_SHADER_VERTEX) {
      struct tegra20_vs_variant_key key = { 0 };

      key.program.clamp_color =
         ctx->rasterizer && ctx->rasterizer->base.clamp_vertex_color;
      tegra20_compile_vs_variant(ctx, shader, &key, error);
   } else {
      struct tegra20_fs_variant_key key;

      tegra20_default_fs_key(ctx, shader, &key);
      tegra20_compile_fs_variant(ctx, shader, &key, error);
   }
}

/* Variants for placeholder values of control uniforms are never drawn, so
 * they are only compiled when drafts are off. */
static bool
waits_for_uniforms(const struct tegra20_shader *shader)
{
   return shader->control_uniforms.count && tegra20_begins_with_drafts();
}

/* Are there derivatives as differences of pixels?  Most are known from the
 * expression. */
static bool
derives(const struct tegra20_shader *shader)
{
   if (shader->stage != MESA_SHADER_FRAGMENT ||
       !tegra20_has_derivatives(shader->nir))
      return false;
   /* the values that it is drawn with may keep code that placeholders
    * remove */
   if (shader->control_uniforms.count)
      return true;
   nir_shader *nir = nir_shader_clone(NULL, shader->nir);
   tegra20_finish_nir(nir);
   const bool left = tegra20_has_derivatives(nir);
   ralloc_free(nir);
   return left;
}

static void
forget_variants(struct tegra20_shader *shader)
{
   ralloc_free(shader->variants);
   tegra20_init_variants(shader);
}

/* A program that does not fit with all of its branches may do so with those
 * that its uniforms select. */
static bool
fit_by_branches(struct tegra20_context *ctx, struct tegra20_shader *shader,
                char **error)
{
   if (!tegra20_find_branch_uniforms(shader->nir, &shader->control_uniforms))
      return false;
   free(*error);
   *error = NULL;
   forget_variants(shader);
   compile_first(ctx, shader, error);
   return !*error;
}

/* A program that does not fit may do so in parts; otherwise *error says why
 * not, too. */
static bool
fit_in_parts(struct tegra20_context *ctx, struct tegra20_shader *shader,
             char **error)
{
   struct tegra20_fs_variant *v = shader->last->data;
   char *whole = *error;

   if (shader->stage != MESA_SHADER_FRAGMENT)
      return false;
   const bool fits = tegra20_program_cut(ctx, v) || v->program;
   if (fits)
      *error = NULL;
   else if (asprintf(error, "%s; %s", whole, v->reason) < 0)
      *error = strdup(v->reason);
   free(whole);
   return fits;
}

/* nir: as the state tracker delivers it. */
static void
set_nir(struct tegra20_shader *shader, nir_shader *nir)
{
   ralloc_steal(shader, nir);
   shader->reads_instance = tegra20_nir_instance(nir);
   shader->original = nir_shader_clone(shader, nir);
   tegra20_finalize_nir(nir);
   shader->nir = nir;
   shader->hashed = false;
   shader->writes_depth =
      shader->stage == MESA_SHADER_FRAGMENT &&
      (nir->info.outputs_written & BITFIELD64_BIT(FRAG_RESULT_DEPTH));
   shader->asks_face =
      shader->writes_depth ||
      BITSET_TEST(nir->info.system_values_read, SYSTEM_VALUE_FRONT_FACE);
   tegra20_find_loop_uniforms(nir, &shader->control_uniforms);
   shader->derives = derives(shader);
}

/* A program that does not fit is drawn with another in its place. */
static void
become_fallback(struct tegra20_context *ctx, struct tegra20_shader *shader,
                const char *reason)
{
   nir_shader *fallback = tegra20_nir_fallback(shader->nir);

   tegra20_report_fallback(ctx, shader, reason);
   forget_variants(shader);
   ralloc_free(shader->original);
   ralloc_free(shader->nir);
   set_nir(shader, fallback);
   compile_first(ctx, shader, NULL);
}

static void *
create_shader(struct pipe_context *pctx,
              const struct pipe_shader_state *state, gl_shader_stage stage)
{
   struct tegra20_context *ctx = tegra20_context(pctx);
   struct pipe_shader_state *result = (struct pipe_shader_state *)state;
   struct tegra20_shader *shader = tegra20_new_shader(stage);
   char *error = NULL;

   if (!shader)
      return NULL;
   /* Mesa's own helpers (u_blitter, the HUD) still speak TGSI. */
   nir_shader *nir = state->type == PIPE_SHADER_IR_NIR
                        ? state->ir.nir
                        : tgsi_to_nir(state->tokens, pctx->screen, false);
   set_nir(shader, nir);
   if (!waits_for_uniforms(shader))
      compile_first(ctx, shader, &error);
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
         tegra20_report_failure(ctx, "fragment", shader->nir, "", error);
      else
         become_fallback(ctx, shader, error);
      free(error);
   }
   return shader;
}

/* --- additions of the state --- */

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
   return is_point_sprite(ctx) || ctx->bound_fs->derives ||
          (ctx->rasterizer->base.point_size_per_vertex &&
           (ctx->bound_vs->nir->info.outputs_written & VARYING_BIT_PSIZ));
}

/* The words of constant buffer 0 that the loops and branches of the bound
 * fragment shader depend on; words beyond its end are 0. */
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

static struct tegra20_fs_extension
fs_extension(const struct tegra20_context *ctx,
             const struct tegra20_pass *pass)
{
   const struct pipe_rasterizer_state *rast = &ctx->rasterizer->base;
   const struct tegra20_shader *fs = pass->fs;
   struct tegra20_fs_extension extension = { 0 };

   extension.output = pass->output;
   extension.count = pass->counts;
   if (fs->control_uniforms.count)
      read_control_uniforms(ctx, extension.control_uniforms);
   /* the driver's own programs apply the application's discards */
   if (fs != ctx->bound_fs)
      return extension;
   extension.clip_planes = pass->clip_planes;
   extension.stipple =
      pass->kind == MESA_PRIM_TRIANGLES && rast->poly_stipple_enable;
   if (pass->kind == MESA_PRIM_POINTS && rast->point_quad_rasterization)
      extension.sprite_coords = rast->sprite_coord_enable;
   extension.smooth = tegra20_smooth_kind(rast, pass->kind);
   extension.samples = tegra20_samples_key(ctx);
   if (fs->asks_face)
      extension.face = tegra20_pass_face(ctx, pass);
   /* nothing to scale */
   if (extension.samples == TEGRA20_SAMPLES_SCALED && !extension.stipple &&
       !fs->derives &&
       !BITSET_TEST(fs->nir->info.system_values_read,
                    SYSTEM_VALUE_FRAG_COORD))
      extension.samples = 0;
   return extension;
}

/* Binds the polygon stipple as texture of a unit that the application's
 * program does not use. */
static bool
stipple_bind(struct tegra20_context *ctx, unsigned unit)
{
   if (unit >= TEGRA20_MAX_SAMPLERS)
      return false;
   if (!ctx->stipple_sampler)
      ctx->stipple_sampler = util_pstipple_create_sampler(&ctx->base);
   if (!ctx->stipple_view) {
      struct pipe_resource *texture = util_pstipple_create_stipple_texture(
         &ctx->base, ctx->stipple.stipple);
      if (!texture)
         return false;
      ctx->stipple_view =
         util_pstipple_create_sampler_view(&ctx->base, texture);
      pipe_resource_reference(&texture, NULL);
   }
   if (!ctx->stipple_sampler || !ctx->stipple_view)
      return false;
   if ((struct pipe_sampler_view *)ctx->views[unit] != ctx->stipple_view ||
       ctx->samplers[unit] != ctx->stipple_sampler) {
      pipe_sampler_view_reference(
         (struct pipe_sampler_view **)&ctx->views[unit], ctx->stipple_view);
      ctx->samplers[unit] = ctx->stipple_sampler;
      tegra20_texture_changed(ctx, unit);
      ctx->num_views = MAX2(ctx->num_views, unit + 1);
      ctx->num_samplers = MAX2(ctx->num_samplers, unit + 1);
   }
   return true;
}

bool
tegra20_program_extend(struct tegra20_context *ctx, struct tegra20_pass *pass)
{
   static const struct tegra20_fs_extension no_extension;
   const struct pipe_rasterizer_state *rast = &ctx->rasterizer->base;

   pass->vs = ctx->bound_vs;
   /* the draw module clips by itself */
   pass->clip_planes = pass->windowed ? 0 : rast->clip_plane_enable;
   pass->expands_points = pass->kind == MESA_PRIM_POINTS && !pass->windowed &&
                          !tegra20_smooth_kind(rast, pass->kind) &&
                          needs_expanded_points(ctx);
   if (pass->expands_points &&
       pass->vs->nir->num_inputs >= TEGRA20_MAX_ATTRIBS) {
      tegra20_msg_once(
         "a program has no room for point sprites: points have a fixed size");
      pass->expands_points = false;
   }
   pass->extension = fs_extension(ctx, pass);
   pass->extended =
      memcmp(&pass->extension, &no_extension, sizeof(no_extension)) != 0;
   return !pass->extension.stipple ||
          stipple_bind(ctx, tegra20_stipple_unit(pass->fs->nir));
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

struct tegra20_shader *
tegra20_create_fs(struct tegra20_context *ctx, nir_shader *nir)
{
   const struct pipe_shader_state state = { .type = PIPE_SHADER_IR_NIR,
                                            .ir.nir = nir };
   return create_fs(&ctx->base, &state);
}

static void
bind_vs(struct pipe_context *pctx, void *shader)
{
   struct tegra20_context *ctx = tegra20_context(pctx);

   ctx->dirty |= ctx->bound_vs != shader ? TEGRA20_DIRTY_VS : 0;
   ctx->bound_vs = shader;
}

static void
bind_fs(struct pipe_context *pctx, void *shader)
{
   struct tegra20_context *ctx = tegra20_context(pctx);

   ctx->dirty |= ctx->bound_fs != shader ? TEGRA20_DIRTY_FS : 0;
   ctx->bound_fs = shader;
}

static void
delete_shader(struct pipe_context *pctx, void *state)
{
   struct tegra20_context *ctx = tegra20_context(pctx);
   struct tegra20_shader *shader = state;

   if (!shader)
      return;
   tegra20_program_forget(ctx);
   tegra20_swtnl_delete_shader(ctx, shader);
   ralloc_free(shader);
}

/* --- choice for a draw --- */

/* Of a pass that has the bound targets and tests. */
static bool
is_plain(const struct tegra20_pass *pass)
{
   return !pass->no_color && !pass->fetch_only &&
          pass->stencil == TEGRA20_STENCIL_STATE;
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

   if (!is_plain(pass) || pass->extended)
      return tegra20_get_fs_variant(ctx, pass);
   for (unsigned i = 0; i < TEGRA20_FS_CHOICE_WAYS; i++) {
      if (set[i].fs == pass->fs && set[i].blend == pass->blend &&
          set[i].clamp == clamp)
         return set[i].variant;
   }

   struct tegra20_fs_variant *v = tegra20_get_fs_variant(ctx, pass);
   set[ctx->next_fs_choice++ % TEGRA20_FS_CHOICE_WAYS] =
      (struct tegra20_fs_choice){ pass->fs, pass->blend, clamp, v };
   return v;
}

bool
tegra20_program_update(struct tegra20_context *ctx, struct tegra20_pass *pass,
                       bool replace)
{
   const struct tegra20_pass *last = ctx->emitted;
   const uint32_t vs_state = TEGRA20_DIRTY_RASTERIZER_KEY;
   const uint32_t fs_state =
      TEGRA20_DIRTY_FRAMEBUFFER | TEGRA20_DIRTY_BLEND |
      TEGRA20_DIRTY_TEXTURE_KEYS |
      (tegra20_reads_colors(pass->fs) ? TEGRA20_DIRTY_RASTERIZER_KEY : 0);

   pass->vs_variant = pass->vs == last->vs &&
                            pass->clip_planes == last->clip_planes &&
                            pass->expands_points == last->expands_points &&
                            !(ctx->dirty & vs_state)
                         ? last->vs_variant
                         : tegra20_get_vs_variant(ctx, pass);
   /* the key has the stencil test only for programs that discard */
   const bool tests =
      ctx->dirty & TEGRA20_DIRTY_ZSA_KEY && tegra20_pass_kills(pass);
   pass->fs_variant = pass->fs == last->fs && !tests &&
                            !(ctx->dirty & fs_state) && is_plain(pass) &&
                            is_plain(last) &&
                            memcmp(&pass->extension, &last->extension,
                                   sizeof(pass->extension)) == 0
                         ? last->fs_variant
                         : choose_fs(ctx, pass);
   pass->fs_variant->used = ++pass->fs->used;
   if (!pass->vs_variant->program)
      return false;
   if ((!pass->fs_variant->program || pass->fs_variant->replaced) &&
       (!replace || !tegra20_replace_fs_variant(ctx, pass->fs_variant)))
      return false;
   return tegra20_update_link(ctx, pass);
}

bool
tegra20_program_update_fs(struct tegra20_context *ctx,
                          struct tegra20_pass *pass)
{
   struct tegra20_fs_variant *v = choose_fs(ctx, pass);

   v->used = ++pass->fs->used;
   if (v == pass->fs_variant)
      return true;
   if (!v->program || v->replaced)
      return false;
   pass->fs_variant = v;
   return tegra20_update_link(ctx, pass);
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
