/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Variants of a shader: the NIR of a key, compilation, parts of those that do
 * not fit, links.
 *
 * A fallback draws in place of programs that do not fit the chip
 * (tegra20_nir_fallback()), unless TEGRA20_DEBUG=refuse asks for a link
 * error.
 */

#include "tegra20_variant.h"

#include <string.h>

#include "compiler/nir/nir_builder.h"
#include "nir/nir_draw_helpers.h"
#include "util/hash_table.h"
#include "util/ralloc.h"

#include "multipass/tegra20_cut.h"
#include "tegra20_cache.h"
#include "tegra20_context.h"
#include "tegra20_samples.h"
#include "tegra20_screen.h"
#include "tegra20_smooth.h"

/* --- tables --- */

DERIVE_HASH_TABLE(tegra20_vs_variant_key)
DERIVE_HASH_TABLE(tegra20_fs_variant_key)

void
tegra20_init_variants(struct tegra20_shader *shader)
{
   shader->variants = shader->stage == MESA_SHADER_VERTEX
                         ? tegra20_vs_variant_key_table_create(shader)
                         : tegra20_fs_variant_key_table_create(shader);
   shader->last = NULL;
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

void
tegra20_program_forget_choices(struct tegra20_context *ctx)
{
   memset(ctx->fs_choices, 0, sizeof(ctx->fs_choices));
}

void
tegra20_program_forget(struct tegra20_context *ctx)
{
   ctx->plan->num_passes = 0;
   ctx->prepared_mode = MESA_PRIM_COUNT;
   memset(ctx->emitted, 0, sizeof(*ctx->emitted));
   ctx->emitted_pass = NULL;
   /* and registers that the emitted pass set */
   ctx->dirty |= TEGRA20_DIRTY_VS | TEGRA20_DIRTY_FS | TEGRA20_DIRTY_SCISSOR |
                 TEGRA20_DIRTY_VIEWPORT | TEGRA20_DIRTY_RASTERIZER;
   ctx->fs_without_copies = NULL;
   tegra20_program_forget_choices(ctx);
}

/* Most often it is the one that was asked for last. */
static void *
find_variant(struct tegra20_shader *shader, const void *key)
{
   struct hash_table *table = shader->variants;

   if (!shader->last || !table->key_equals_function(shader->last->key, key))
      shader->last = _mesa_hash_table_search(table, key);
   return shader->last ? shader->last->data : NULL;
}

/* Frees a variant with those that share its parts. */
void
tegra20_program_trim(struct tegra20_context *ctx)
{
   struct hash_table *variants = ctx->bound_fs->variants;

   while (_mesa_hash_table_num_entries(variants) > TEGRA20_MAX_VARIANTS) {
      struct tegra20_fs_variant *oldest = NULL;

      hash_table_foreach (variants, entry) {
         struct tegra20_fs_variant *v = entry->data;
         oldest = !oldest || v->used < oldest->used ? v : oldest;
      }
      tegra20_program_forget(ctx);
      ctx->bound_fs->last = NULL;
      hash_table_foreach (variants, entry) {
         struct tegra20_fs_variant *v = entry->data;
         if (v != oldest &&
             (!v->parts || v->part_shaders != oldest->part_shaders))
            continue;
         _mesa_hash_table_remove(variants, entry);
         if (v != oldest)
            ralloc_free(v);
      }
      ralloc_free(oldest);
   }
}

/* --- additions of a key --- */

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

static nir_shader *
build_vs(void *mem_ctx, const struct tegra20_shader *shader,
         const struct tegra20_vs_variant_key *key)
{
   nir_shader *nir = nir_shader_clone(mem_ctx, shader->nir);
   unsigned first_plane = nir->num_uniforms;

   if (key->clip_planes) {
      nir->num_uniforms += PIPE_MAX_CLIP_PLANES;
      NIR_PASS(_, nir, nir_lower_clip_vs, key->clip_planes, false, false,
               NULL);
      NIR_PASS(_, nir, nir_shader_intrinsics_pass, load_clip_plane,
               nir_metadata_control_flow, &first_plane);
      tegra20_finalize_nir(nir);
   }
   tegra20_finish_nir(nir);
   if (key->expands_points) {
      tegra20_nir_expand_points(nir);
      tegra20_preprocess_nir(nir);
   }
   return nir;
}

static void
extend_fs(const struct tegra20_shader *shader,
          const struct tegra20_fs_extension *extension, nir_shader *nir)
{
   if (extension->samples)
      tegra20_nir_coverage(nir, extension->samples);
   if (extension->smooth)
      tegra20_nir_smooth(nir, extension->smooth);
   if (extension->output == TEGRA20_OUTPUT_DEPTH)
      tegra20_nir_store_depth_as_color(nir);
   else if (shader->writes_depth)
      tegra20_nir_drop_depth(nir);
   if (extension->output == TEGRA20_OUTPUT_COVERAGE)
      tegra20_nir_store_coverage(nir);
   if (extension->clip_planes)
      tegra20_nir_clip(nir, extension->clip_planes);
   if (extension->sprite_coords)
      nir_lower_texcoord_replace_late(nir, extension->sprite_coords, true);
   if (extension->stipple) {
      unsigned unit;
      nir_lower_pstipple_fs(nir, &unit, 0, true, nir_type_bool1);
   }
   if (extension->count)
      tegra20_nir_count_samples(nir);
   if (extension->samples)
      tegra20_nir_scale_position(nir);
   if (extension->face)
      tegra20_nir_fix_face(nir, extension->face == PIPE_FACE_FRONT);
   tegra20_finalize_nir(nir);
   if (shader->control_uniforms.count)
      tegra20_inline_uniforms(nir, &shader->control_uniforms,
                              extension->control_uniforms);
}

nir_shader *
tegra20_build_fs(void *mem_ctx, const struct tegra20_fs_variant *v)
{
   const struct tegra20_fs_extension none = { 0 };
   const struct tegra20_fs_extension *extension = &v->key.extension;
   nir_shader *nir = nir_shader_clone(mem_ctx, v->shader->nir);

   if (v->shader->part_of)
      return nir;
   if (v->shader->writes_depth || v->shader->control_uniforms.count ||
       memcmp(extension, &none, sizeof(none)) != 0)
      extend_fs(v->shader, extension, nir);
   tegra20_finish_nir(nir);
   return nir;
}

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

void
tegra20_report_failure(struct tegra20_context *ctx, const char *stage,
                       const nir_shader *nir, const char *instead,
                       const char *error)
{
   if (!error)
      error = "unknown reason";
   if (nir && DBG(MSGS))
      nir_print_shader((nir_shader *)nir, stderr);
   tegra20_msg("%s shader does not fit the chip%s: %s", stage, instead,
               error);
   /* where something is drawn instead, it is no error: an X server would
    * print a backtrace */
   if (*instead)
      util_debug_message(&ctx->debug, FALLBACK,
                         "%s shader does not fit the chip%s: %s", stage,
                         instead, error);
   else
      util_debug_message(&ctx->debug, ERROR,
                         "%s shader does not fit the chip: %s", stage, error);
}

void
tegra20_report_fallback(struct tegra20_context *ctx,
                        struct tegra20_shader *shader, const char *error)
{
   const bool is_vertex = shader->stage == MESA_SHADER_VERTEX;

   if (shader->reported && !DBG(MSGS))
      return;
   shader->reported = true;
   tegra20_report_failure(ctx, is_vertex ? "vertex" : "fragment", shader->nir,
                          is_vertex ? ", nothing is drawn with it"
                                    : ", grey is drawn in its place",
                          error);
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

struct tegra20_vs_variant *
tegra20_compile_vs_variant(struct tegra20_context *ctx,
                           struct tegra20_shader *shader,
                           const struct tegra20_vs_variant_key *key,
                           char **error)
{
   struct tegra20_vs_variant *v = rzalloc(shader, struct tegra20_vs_variant);
   char *reason = NULL;

   v->shader = shader;
   v->key = *key;
   v->id = p_atomic_inc_return(&ctx->screen->next_id);
   ctx->stats.variants++;
   v->program = tegra20_cache_find_vs(ctx->screen, v);
   ctx->stats.cached += v->program != NULL;
   if (!v->program) {
      nir_shader *nir = build_vs(NULL, shader, key);

      if (tegra20_compile_vs(v, nir, &key->program, &ctx->screen->compiler,
                             &v->program, &reason))
         tegra20_cache_store_vs(ctx->screen, v);
      else
         v->program = NULL;
      ralloc_free(nir);
   }
   if (v->program) {
      v->values = rzalloc_array(v, float, MAX2(v->program->values.count, 1));
      v->params_used = params_used(&v->program->values);
      char *stats = tegra20_vs_stats_string(v, &v->program->stats);
      report_stats(ctx, "VS", stats);
      ralloc_free(stats);
   } else if (error) {
      *error =
         strdup(reason ? reason : "vertex shader does not fit the chip");
   } else {
      tegra20_report_failure(ctx, "vertex", shader->nir, "", reason);
   }
   shader->last = _mesa_hash_table_insert(shader->variants, &v->key, v);
   return v;
}

bool
tegra20_compile_fs_key(void *mem_ctx, const nir_shader *nir,
                       const struct tegra20_fs_key *key,
                       const struct tegra20_compiler_options *options,
                       struct tegra20_fs **out, char **reason)
{
   struct tegra20_fs_key nearest = *key;
   bool filtered = false;

   if (tegra20_compile_fs(mem_ctx, nir, key, options, out, reason))
      return true;
   for (unsigned i = 0; i < key->num_tex; i++) {
      filtered |= key->tex[i].filter_depth;
      nearest.tex[i].filter_depth = false;
   }
   return filtered &&
          tegra20_compile_fs(mem_ctx, nir, &nearest, options, out, reason);
}

static void
prepare_fs(struct tegra20_context *ctx, struct tegra20_fs_variant *v)
{
   v->values = rzalloc_array(v, float, MAX2(v->program->values.count, 1));
   v->params_used = params_used(&v->program->values);
   v->num_uniforms = num_uniforms(v->program);
   v->constants_serial = 0;
   v->links = _mesa_hash_table_u64_create(v->program);
   v->last_link = NULL;
   tegra20_upload_prepare(v);
   char *stats = tegra20_fs_stats_string(v, &v->program->stats);
   report_stats(ctx, "FS", stats);
   ralloc_free(stats);
}

void
tegra20_exchange_fs(struct tegra20_context *ctx, struct tegra20_fs_variant *v,
                    struct tegra20_fs *program)
{
   tegra20_program_forget(ctx);
   ralloc_free(v->words);
   ralloc_free(v->values);
   ralloc_free(v->program);
   v->program = program;
   ralloc_steal(v, program);
   ctx->stats.improved++;
   tegra20_cache_store_fs(ctx->screen, v);
   prepare_fs(ctx, v);
}

/* For a program that fits, but not with all that the state of a draw adds. */
static void
compile_fallback_fs(struct tegra20_context *ctx, struct tegra20_fs_variant *v)
{
   nir_shader *nir = tegra20_nir_fallback(v->shader->nir);
   char *error = NULL;

   tegra20_report_fallback(ctx, v->shader, v->reason);
   tegra20_preprocess_nir(nir);
   if (tegra20_compile_fs(v, nir, &v->key.program, &ctx->screen->compiler,
                          &v->program, &error))
      prepare_fs(ctx, v);
   else
      v->program = NULL;
   ralloc_free(nir);
}

static bool
compile_fs(struct tegra20_context *ctx, struct tegra20_fs_variant *v,
           enum tegra20_effort effort, char **reason)
{
   struct tegra20_compiler_options options = ctx->screen->compiler;
   nir_shader *nir = tegra20_build_fs(NULL, v);

   options.effort = effort;
   options.is_part = v->shader->part_of;
   if (tegra20_compile_fs_key(v, nir, &v->key.program, &options, &v->program,
                              reason))
      tegra20_cache_store_fs(ctx->screen, v);
   else
      v->program = NULL;
   ralloc_free(nir);
   return v->program;
}

/* From the cache, or compiled: the best code, or a draft where drafts are on.
 * A program that does not fit may have its parts from the cache. */
static bool
obtain_fs(struct tegra20_context *ctx, struct tegra20_fs_variant *v,
          char **reason)
{
   const bool draft = tegra20_begins_with_drafts();

   v->program = tegra20_cache_find_fs(ctx->screen, v, false);
   if (!v->program && draft)
      v->program = tegra20_cache_find_fs(ctx->screen, v, true);
   if (!v->program)
      v->parts = tegra20_cache_find_parts(ctx->screen, v);
   if (v->program || v->parts) {
      ctx->stats.cached++;
      return v->program;
   }
   v->gave_up_soon = draft && !v->shader->part_of;
   return compile_fs(
      ctx, v, draft ? TEGRA20_EFFORT_DRAFT : TEGRA20_EFFORT_BEST, reason);
}

/* Takes the time that was not taken for a program that cannot be drawn in
 * parts.  True when it fits. */
static bool
fit_at_length(struct tegra20_context *ctx, struct tegra20_fs_variant *v)
{
   char *reason = NULL;

   if (!v->gave_up_soon)
      return false;
   v->gave_up_soon = false;
   if (!compile_fs(ctx, v, TEGRA20_EFFORT_BEST, &reason))
      return false;
   prepare_fs(ctx, v);
   return true;
}

static void
print_target_key(const struct tegra20_fs_key *key)
{
   tegra20_msg("target 0: bound %d order %d alpha %d mask %x blend %d "
               "(%d %d %d, %d %d %d) logicop %d/%d",
               key->rt[0].bound, key->rt[0].order, key->rt[0].has_alpha,
               key->rt[0].colormask, key->rt[0].blend_enable,
               key->rt[0].rgb_func, key->rt[0].rgb_src, key->rt[0].rgb_dst,
               key->rt[0].alpha_func, key->rt[0].alpha_src,
               key->rt[0].alpha_dst, key->logicop_enable, key->logicop_func);
}

static struct tegra20_fs_variant *
add_fs_variant(struct tegra20_context *ctx, struct tegra20_shader *shader,
               const struct tegra20_fs_variant_key *key)
{
   struct tegra20_fs_variant *v = rzalloc(shader, struct tegra20_fs_variant);

   v->shader = shader;
   v->key = *key;
   ctx->stats.variants++;
   shader->last = _mesa_hash_table_insert(shader->variants, &v->key, v);
   return v;
}

struct tegra20_fs_variant *
tegra20_compile_fs_variant(struct tegra20_context *ctx,
                           struct tegra20_shader *shader,
                           const struct tegra20_fs_variant_key *key,
                           char **error)
{
   struct tegra20_fs_variant *v = add_fs_variant(ctx, shader, key);
   char *reason = NULL;

   if (obtain_fs(ctx, v, &reason)) {
      prepare_fs(ctx, v);
      return v;
   }
   if (DBG(MSGS))
      print_target_key(&key->program);
   if (!v->parts)
      v->reason = reason ? reason : "unknown reason";
   if (error)
      *error = strdup(v->reason);
   return v;
}

/* --- parts --- */

/* The program with which a part was found to fit is its first draft. */
static void
adopt_program(struct tegra20_context *ctx, struct tegra20_shader *shader,
              const struct tegra20_fs_variant_key *key,
              struct tegra20_fs *program)
{
   struct tegra20_fs_variant *v = add_fs_variant(ctx, shader, key);

   v->program = program;
   ralloc_steal(v, program);
   tegra20_cache_store_fs(ctx->screen, v);
   prepare_fs(ctx, v);
}

static struct tegra20_shader *
new_part(struct tegra20_context *ctx, struct tegra20_fs_variant *v,
         unsigned i)
{
   struct tegra20_shader *shader = tegra20_new_shader(MESA_SHADER_FRAGMENT);

   if (!shader)
      return NULL;
   ralloc_steal(v, shader);
   shader->nir = v->parts->part[i].nir;
   shader->part_of = v;
   struct tegra20_part *part = &v->parts->part[i];
   if (part->program && tegra20_begins_with_drafts()) {
      struct tegra20_fs_variant_key key = { 0 };

      tegra20_part_key(v->parts, i, &v->key.program, &key.program);
      adopt_program(ctx, shader, &key, part->program);
   } else {
      ralloc_free(part->program);
   }
   part->program = NULL;
   return shader;
}

/* Do keys differ only in the order of the components of targets?  The colour
 * buffers of parts depend on everything else. */
static bool
same_but_for_order(const struct tegra20_fs_variant_key *a,
                   const struct tegra20_fs_variant_key *b)
{
   struct tegra20_fs_variant_key ordered = *a;

   for (unsigned i = 0; i < ARRAY_SIZE(ordered.program.rt); i++) {
      ordered.program.rt[i].order = b->program.rt[i].order;
      ordered.program.rt[i].has_alpha = b->program.rt[i].has_alpha;
   }
   return memcmp(&ordered, b, sizeof(ordered)) == 0;
}

static const struct tegra20_fs_variant *
find_similar_in_parts(const struct tegra20_fs_variant *v)
{
   hash_table_foreach (v->shader->variants, entry) {
      const struct tegra20_fs_variant *other = entry->data;
      if (other->part_shaders && other->parts &&
          same_but_for_order(&v->key, &other->key))
         return other;
   }
   return NULL;
}

/* Takes the parts of the variant for windows, say, for textures too, when
 * they fit with that key. */
static bool
share_parts(struct tegra20_context *ctx, struct tegra20_fs_variant *v)
{
   const struct tegra20_fs_variant *other = find_similar_in_parts(v);

   if (!other)
      return false;
   for (unsigned i = 0; i < other->parts->count; i++) {
      struct tegra20_shader *part = other->part_shaders[i];
      struct tegra20_fs_variant_key key = { 0 };

      tegra20_part_key(other->parts, i, &v->key.program, &key.program);
      struct tegra20_fs_variant *with_key = find_variant(part, &key);
      if (!with_key)
         with_key = tegra20_compile_fs_variant(ctx, part, &key, NULL);
      if (!with_key->program)
         return false;
   }
   v->parts = other->parts;
   v->part_shaders = other->part_shaders;
   return true;
}

static bool
find_parts(struct tegra20_context *ctx, struct tegra20_fs_variant *v)
{
   nir_shader *nir = tegra20_build_fs(NULL, v);
   char *error = NULL;

   v->parts =
      tegra20_cut_fs(v, nir, &v->key.program, &ctx->screen->compiler, &error);
   ralloc_free(nir);
   if (v->parts)
      tegra20_cache_store_parts(ctx->screen, v);
   else if (!fit_at_length(ctx, v))
      v->reason = error;
   return v->parts;
}

static bool
make_parts(struct tegra20_context *ctx, struct tegra20_fs_variant *v)
{
   if (!v->parts && !find_parts(ctx, v))
      return false;
   v->part_shaders =
      rzalloc_array(v, struct tegra20_shader *, v->parts->count);
   for (unsigned i = 0; v->parts && i < v->parts->count; i++) {
      v->part_shaders[i] = new_part(ctx, v, i);
      if (!v->part_shaders[i])
         v->parts = NULL; /* memory ran out */
   }
   return v->parts;
}

const struct tegra20_parts *
tegra20_program_cut(struct tegra20_context *ctx, struct tegra20_fs_variant *v)
{
   if (v->cut)
      return v->parts;
   v->cut = true;
   if ((v->parts || !share_parts(ctx, v)) && !make_parts(ctx, v))
      return NULL;
   if (DBG(MSGS))
      tegra20_msg("fragment program is drawn in %u parts with %u loops that "
                  "spill %u values in %u surfaces: %s",
                  v->parts->count, v->parts->num_loops, v->parts->num_values,
                  v->parts->num_surfaces, v->reason);
   util_debug_message(&ctx->debug, FALLBACK,
                      "fragment program is drawn in %u parts: %s",
                      v->parts->count, v->reason);
   return v->parts;
}

/* --- choice for a draw --- */

bool
tegra20_same_link(const struct tegra20_link *a, const struct tegra20_link *b)
{
   return a->count == b->count && a->out_mask == b->out_mask &&
          a->tram_rows == b->tram_rows &&
          memcmp(a->words, b->words, a->count * sizeof(a->words[0])) == 0;
}

bool
tegra20_update_link(struct tegra20_context *ctx, struct tegra20_pass *pass)
{
   struct tegra20_fs_variant *fs = pass->fs_variant;
   struct tegra20_vs_variant *vs = pass->vs_variant;
   struct tegra20_link_entry *entry = fs->last_link;

   if (!entry || entry->vs_id != vs->id)
      entry = _mesa_hash_table_u64_search(fs->links, vs->id);
   if (!entry) {
      char *error = NULL;

      entry = rzalloc(fs->program, struct tegra20_link_entry);
      entry->vs_id = vs->id;
      entry->valid = tegra20_link_programs(entry, vs->program, fs->program,
                                           &entry->link, &error);
      if (!entry->valid)
         tegra20_report_failure(ctx, "linked", NULL, "", error);
      _mesa_hash_table_u64_insert(fs->links, vs->id, entry);
   }
   fs->last_link = entry;
   pass->link = &entry->link;
   return entry->valid;
}

struct tegra20_vs_variant *
tegra20_get_vs_variant(struct tegra20_context *ctx,
                       const struct tegra20_pass *pass)
{
   struct tegra20_vs_variant_key key;

   tegra20_get_vs_key(ctx, pass, &key);
   struct tegra20_vs_variant *v = find_variant(pass->vs, &key);
   return v ? v : tegra20_compile_vs_variant(ctx, pass->vs, &key, NULL);
}

struct tegra20_fs_variant *
tegra20_get_fs_variant(struct tegra20_context *ctx,
                       const struct tegra20_pass *pass)
{
   struct tegra20_fs_variant_key key;

   tegra20_get_fs_key(ctx, pass, &key);
   struct tegra20_fs_variant *v = find_variant(pass->fs, &key);
   return v ? v : tegra20_compile_fs_variant(ctx, pass->fs, &key, NULL);
}

bool
tegra20_replace_fs_variant(struct tegra20_context *ctx,
                           struct tegra20_fs_variant *v)
{
   if (!v->program && !v->replaced) {
      v->replaced = true;
      if (DBG(REFUSE))
         tegra20_report_failure(ctx, "fragment", v->shader->nir, "",
                                v->reason);
      else
         compile_fallback_fs(ctx, v);
   }
   return v->program;
}
