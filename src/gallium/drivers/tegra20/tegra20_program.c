/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Shader objects, what state adds to them, and the choice of their variants
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
#include "nir/nir_draw_helpers.h"
#include "nir/tgsi_to_nir.h"
#include "util/hash_table.h"
#include "util/ralloc.h"
#include "util/u_memory.h"

#include "nir/tegra20_derive.h"
#include "tegra20_context.h"
#include "tegra20_debug.h"
#include "tegra20_improve.h"
#include "tegra20_mesa.h"
#include "tegra20_samples.h"
#include "tegra20_smooth.h"
#include "tegra20_swtnl.h"
#include "tegra20_texture.h"

/* --- state objects --- */

void
tegra20_program_forget(struct tegra20_context *ctx)
{
   tegra20_plan_forget(ctx);
   ctx->fs_without_copies = NULL;
   tegra20_program_forget_choices(ctx);
}

void
tegra20_program_trim(struct tegra20_context *ctx)
{
   struct hash_table *extended = ctx->bound_fs->extended;

   while (extended &&
          _mesa_hash_table_num_entries(extended) > TEGRA20_MAX_EXTENDED) {
      struct tegra20_shader *oldest = NULL;

      hash_table_foreach (extended, entry) {
         struct tegra20_shader *fs = entry->data;
         oldest = !oldest || fs->used < oldest->used ? fs : oldest;
      }
      tegra20_program_forget(ctx);
      _mesa_hash_table_remove_key(extended, &oldest->extension);
      ralloc_free(oldest);
   }
}

/* Compiles a first variant.  *error as in tegra20_compile_vs_variant(). */
static void
compile_first(struct tegra20_context *ctx, struct tegra20_shader *shader,
              char **error)
{
   if (shader->stage == MESA_SHADER_VERTEX) {
      struct tegra20_vs_key key = { 0 };

      if (ctx->rasterizer)
         tegra20_get_vs_key(ctx, &key);
      tegra20_compile_vs_variant(ctx, shader, &key, error);
   } else {
      struct tegra20_fs_key key;

      shader->kills = shader->nir->info.fs.uses_discard;
      tegra20_default_fs_key(ctx, shader->nir, &key);
      tegra20_compile_fs_variant(ctx, shader, &key, error);
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
   shader->nir = nir;
   tegra20_finish_nir(nir);
   /* the values that it is drawn with may keep what these remove */
   shader->derives =
      tegra20_has_derivatives(uniforms->count ? finalized : shader->nir);
   compile_first(ctx, shader, error);
}

struct tegra20_shader *
tegra20_new_shader(gl_shader_stage stage)
{
   struct tegra20_shader *shader = rzalloc(NULL, struct tegra20_shader);

   if (!shader)
      return NULL;
   shader->stage = stage;
   tegra20_init_variants(shader);
   return shader;
}

/* Nothing is drawn with the samples of the uniforms that decide about loops,
 * so compiling for them is for those who ask for the best code at once. */
static bool
waits_for_uniforms(const struct tegra20_shader *shader)
{
   return shader->control_uniforms.count &&
          tegra20_improve_begins_with_drafts();
}

/* What draws ask a program for whose variants all wait for uniforms. */
static void
prepare_to_wait(struct tegra20_shader *shader)
{
   shader->nir = nir_shader_clone(shader, shader->source);
   shader->derives = tegra20_has_derivatives(shader->nir);
}

/* Makes the program that is drawn with when state adds nothing, with samples
 * of the uniforms that decide its control flow: nothing is drawn with these
 * values, but whether the program fits the chip has to be said when it is
 * linked. */
static void
finish_plain(struct tegra20_context *ctx, struct tegra20_shader *shader,
             char **error)
{
   nir_shader *without_depth = NULL;

   if (shader->writes_depth) {
      without_depth = nir_shader_clone(shader, shader->source);
      tegra20_nir_drop_depth(without_depth);
   }
   finish_shader(ctx, shader, without_depth ? without_depth : shader->source,
                 &shader->control_uniforms, shader->control_uniforms.samples,
                 error);
   ralloc_free(without_depth);
}

/* Forgets what finish_plain() made. */
static void
unfinish(struct tegra20_shader *shader)
{
   ralloc_free(shader->nir);
   shader->nir = NULL;
   ralloc_free(shader->variants);
   tegra20_init_variants(shader);
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

/* A program that does not fit is drawn with another in its place. */
static void
become_dummy(struct tegra20_context *ctx, struct tegra20_shader *shader,
             const char *reason)
{
   nir_shader *dummy = tegra20_nir_dummy(shader->source);

   tegra20_report_dummy(ctx, shader, reason);
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
   struct tegra20_shader *shader = tegra20_new_shader(stage);
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
   shader->asks_face =
      shader->writes_depth ||
      BITSET_TEST(nir->info.system_values_read, SYSTEM_VALUE_FRONT_FACE);
   tegra20_find_loop_uniforms(nir, &shader->control_uniforms);
   if (waits_for_uniforms(shader))
      prepare_to_wait(shader);
   else
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
         tegra20_report_failure(ctx, "fragment", shader->nir, error);
      else
         become_dummy(ctx, shader, error);
      free(error);
   }
   return shader;
}

DERIVE_HASH_TABLE(tegra20_fs_extension)

static struct tegra20_shader *
extend_shader(struct tegra20_context *ctx, struct tegra20_shader *base,
              const struct tegra20_fs_extension *extension)
{
   struct tegra20_shader *shader = tegra20_new_shader(base->stage);

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
   if (extension->face)
      tegra20_nir_fix_face(nir, extension->face == PIPE_FACE_FRONT);
   tegra20_finalize_nir(nir);
   finish_shader(ctx, shader, nir, &base->control_uniforms,
                 extension->control_uniforms, NULL);
   ralloc_free(nir);
   ralloc_steal(base, shader);
   base->reported |= shader->reported;
   if (!base->extended)
      base->extended = tegra20_fs_extension_table_create(base);
   _mesa_hash_table_insert(base->extended, &shader->extension, shader);
   return shader;
}

/* From the user's planes, which the chip does not know, to distances. */
static bool
load_clip_plane(nir_builder *b, nir_intrinsic_instr *intr, void *data)
{
   const unsigned *first = data;

   if (intr->intrinsic != nir_intrinsic_load_user_clip_plane)
      return false;
   b->cursor = nir_before_instr(&intr->instr);
   nir_def_replace(&intr->def, nir_load_uniform(
                                  b, 4, 32, nir_imm_int(b, 0),
                                  .base = *first + nir_intrinsic_ucp_id(intr),
                                  .range = 1, .dest_type = nir_type_float32));
   return true;
}

static struct tegra20_shader *
clipped_vs(struct tegra20_context *ctx, struct tegra20_shader *base,
           unsigned planes)
{
   if (!base->clipped)
      base->clipped = _mesa_hash_table_u64_create(base);
   struct tegra20_shader *shader =
      _mesa_hash_table_u64_search(base->clipped, planes);
   if (shader)
      return shader;
   shader = tegra20_new_shader(base->stage);
   if (!shader)
      return NULL;
   ralloc_steal(base, shader);
   nir_shader *nir = nir_shader_clone(shader, base->nir);
   shader->nir = nir;
   shader->clip_planes = planes;
   shader->clip_uniform = nir->num_uniforms;
   nir->num_uniforms += PIPE_MAX_CLIP_PLANES;
   NIR_PASS(_, nir, nir_lower_clip_vs, planes, false, false, NULL);
   NIR_PASS(_, nir, nir_shader_intrinsics_pass, load_clip_plane,
            nir_metadata_control_flow, &shader->clip_uniform);
   tegra20_preprocess_nir(nir);
   compile_first(ctx, shader, NULL);
   _mesa_hash_table_u64_insert(base->clipped, planes, shader);
   return shader;
}

static bool
is_point_sprite(const struct tegra20_context *ctx)
{
   const struct pipe_rasterizer_state *rast = &ctx->rasterizer->base;
   const nir_shader *fs = ctx->bound_fs->source;

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

static struct tegra20_shader *
expanded_points(struct tegra20_context *ctx, struct tegra20_shader *base)
{
   if (base->expanded)
      return base->expanded;
   struct tegra20_shader *shader = tegra20_new_shader(base->stage);
   if (!shader)
      return NULL;
   ralloc_steal(base, shader);
   shader->nir = nir_shader_clone(shader, base->nir);
   shader->clip_planes = base->clip_planes;
   shader->clip_uniform = base->clip_uniform;
   shader->expands_points = tegra20_nir_expand_points(
      shader->nir, &shader->corner_input, &shader->point_uniform);
   if (!shader->expands_points)
      tegra20_msg_once(
         "a program has no room for point sprites: points have a fixed size");
   tegra20_preprocess_nir(shader->nir);
   compile_first(ctx, shader, NULL);
   base->expanded = shader;
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

/* The draw module clips by itself. */
static unsigned
clip_planes(const struct tegra20_context *ctx,
            const struct tegra20_pass *pass)
{
   return pass->windowed ? 0 : ctx->rasterizer->base.clip_plane_enable;
}

static struct tegra20_shader *
extended_fs(struct tegra20_context *ctx, const struct tegra20_pass *pass)
{
   const struct pipe_rasterizer_state *rast = &ctx->rasterizer->base;
   const struct tegra20_fs_extension none = { 0 };
   const enum mesa_prim kind = pass->kind;
   struct tegra20_shader *source = pass->source;
   struct tegra20_fs_extension extension = { 0 };
   struct tegra20_shader *fs;

   extension.output = pass->output;
   extension.count = pass->counts;
   /* the driver's own programs know what the application's discards */
   if (source == ctx->bound_fs) {
      extension.clip_planes = clip_planes(ctx, pass);
      extension.stipple =
         kind == MESA_PRIM_TRIANGLES && rast->poly_stipple_enable;
      if (kind == MESA_PRIM_POINTS && rast->point_quad_rasterization)
         extension.sprite_coords = rast->sprite_coord_enable;
      extension.smooth = tegra20_smooth_kind(rast, kind);
      extension.samples = tegra20_samples_key(ctx);
      if (source->asks_face)
         extension.face = tegra20_remaining_face(ctx, kind, pass->windowed);
      /* nothing to scale */
      if (extension.samples == TEGRA20_SAMPLES_SCALED && !extension.stipple &&
          !source->derives &&
          !BITSET_TEST(source->source->info.system_values_read,
                       SYSTEM_VALUE_FRAG_COORD))
         extension.samples = 0;
   }
   if (source->control_uniforms.count)
      read_control_uniforms(ctx, extension.control_uniforms);
   else if (memcmp(&extension, &none, sizeof(none)) == 0)
      return source;
   struct hash_entry *entry =
      source->extended ? _mesa_hash_table_search(source->extended, &extension)
                       : NULL;
   fs = entry ? entry->data : extend_shader(ctx, source, &extension);
   if (fs)
      fs->used = ++source->used;
   return fs;
}

bool
tegra20_program_extend(struct tegra20_context *ctx, struct tegra20_pass *pass)
{
   const bool smooth = tegra20_smooth_kind(&ctx->rasterizer->base,
                                           pass->kind) != TEGRA20_SMOOTH_NONE;

   const unsigned planes = clip_planes(ctx, pass);

   pass->vs = planes ? clipped_vs(ctx, ctx->bound_vs, planes) : ctx->bound_vs;
   if (pass->vs && pass->kind == MESA_PRIM_POINTS && !pass->windowed &&
       !smooth && needs_expanded_points(ctx))
      pass->vs = expanded_points(ctx, pass->vs);
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
   tegra20_program_forget(ctx); /* also when it is one of the extended ones */
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
   const struct tegra20_pass *last = &ctx->emitted;
   const uint32_t vs_state = TEGRA20_DIRTY_RASTERIZER_KEY;
   /* the key has the stencil test only for programs that discard */
   const uint32_t fs_state =
      TEGRA20_DIRTY_FRAMEBUFFER | TEGRA20_DIRTY_BLEND |
      TEGRA20_DIRTY_TEXTURE_KEYS |
      (pass->fs->kills ? TEGRA20_DIRTY_ZSA_KEY : 0) |
      (tegra20_reads_colors(pass->fs) ? TEGRA20_DIRTY_RASTERIZER_KEY : 0);

   pass->vs_variant = pass->vs == last->vs && !(ctx->dirty & vs_state)
                         ? last->vs_variant
                         : tegra20_get_vs_variant(ctx, pass->vs);
   pass->fs_variant = pass->fs == last->fs && !(ctx->dirty & fs_state) &&
                            is_plain(pass) && is_plain(last)
                         ? last->fs_variant
                         : choose_fs(ctx, pass);
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

   if (v == pass->fs_variant)
      return true;
   if (!v->program || v->replaced)
      return false;
   pass->fs_variant = v;
   return tegra20_update_link(ctx, pass);
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
