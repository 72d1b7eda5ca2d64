/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Plans: which passes a draw takes, and their programs.  The kinds of passes
 * and the reasons for them are in tegra20_pass.h.
 */

#include "tegra20_multipass.h"

#include <string.h>

#include "compiler/nir/nir_builder.h"
#include "util/u_inlines.h"

#include "multipass/tegra20_cut.h"
#include "tegra20/tegra20_hw.h"

#include "tegra20_context.h"
#include "tegra20_cost.h"
#include "tegra20_debug.h"
#include "tegra20_occlusion.h"
#include "tegra20_program.h"
#include "tegra20_scratch.h"
#include "tegra20_swtnl.h"
#include "tegra20_texture.h"

/* Draws of more primitives are one group.  Those of the second row wait for
 * the engine once per group. */
#define MAX_GROUPS_MARKED 1024
#define MAX_GROUPS_FRAGDEPTH 256
#define MAX_GROUPS_BLENDED 256
#define MAX_GROUPS_STENCIL 32
#define MAX_GROUPS_CAPTURED 256
#define MAX_GROUPS_PARTS UINT_MAX /* values of two primitives never mix */

/* Uses of a scratch image by passes that store in it. */
static const struct pipe_blend_state tegra20_no_blend = {
   .rt[0].colormask = PIPE_MASK_RGBA,
};

/* --- programs of the driver --- */

/* A program that does nothing, for passes that write depth. */
static struct tegra20_shader *
tegra20_depth_only_fs(struct tegra20_context *ctx)
{
   if (!ctx->depth_only_fs) {
      nir_builder b = nir_builder_init_simple_shader(
         MESA_SHADER_FRAGMENT, tegra20_nir_options(MESA_SHADER_FRAGMENT),
         "depth only");
      ctx->depth_only_fs = tegra20_create_fs(ctx, b.shader);
   }
   return ctx->depth_only_fs;
}

static nir_def *
tegra20_build_fetch(nir_builder *b, unsigned cbuf)
{
   nir_variable *var = nir_variable_create(b->shader, nir_var_shader_out,
                                           glsl_vec4_type(), "source");

   var->data.location = FRAG_RESULT_DATA0 + cbuf;
   var->data.driver_location = b->shader->num_outputs++;
   var->data.fb_fetch_output = true;
   return nir_load_var(b, var);
}

/* Stores the pixel of colour buffer 1, and discards where that of colour
 * buffer 2 is 0. */
static struct tegra20_shader *
tegra20_copy_fs(struct tegra20_context *ctx, bool discards)
{
   if (ctx->copy_fs[discards])
      return ctx->copy_fs[discards];
   nir_builder b = nir_builder_init_simple_shader(
      MESA_SHADER_FRAGMENT, tegra20_nir_options(MESA_SHADER_FRAGMENT),
      "blend");
   nir_variable *color = nir_variable_create(b.shader, nir_var_shader_out,
                                             glsl_vec4_type(), "color");

   color->data.location = FRAG_RESULT_DATA0;
   color->data.driver_location = b.shader->num_outputs++;
   nir_def *source = tegra20_build_fetch(&b, 1);
   if (discards) {
      nir_def *covered = nir_channel(&b, tegra20_build_fetch(&b, 2), 0);
      nir_discard_if(&b, nir_flt_imm(&b, covered, 0.5f));
      b.shader->info.fs.uses_discard = true;
   }
   nir_store_var(&b, color, source, 0xf);
   b.shader->info.outputs_written = BITFIELD64_BIT(FRAG_RESULT_DATA0);
   b.shader->info.fs.uses_fbfetch_output = true;
   ctx->copy_fs[discards] = tegra20_create_fs(ctx, b.shader);
   return ctx->copy_fs[discards];
}

/* Passes that draws take with programs that fit: fewer than that. */
#define PASSES_AT_FIRST 16

static bool
tegra20_plan_reserve(struct tegra20_plan *plan, unsigned count)
{
   if (count <= plan->space)
      return true;
   struct tegra20_pass *passes =
      realloc(plan->passes, count * sizeof(*passes));
   if (!passes)
      return false;
   memset(passes + plan->space, 0, (count - plan->space) * sizeof(*passes));
   plan->passes = passes;
   plan->space = count;
   return true;
}

bool
tegra20_multipass_init(struct tegra20_context *ctx)
{
   ctx->scratch = CALLOC_STRUCT(tegra20_scratch);
   return ctx->scratch && tegra20_plan_reserve(ctx->plan, PASSES_AT_FIRST);
}

void
tegra20_multipass_fini(struct tegra20_context *ctx)
{
   if (ctx->depth_only_fs)
      ctx->base.delete_fs_state(&ctx->base, ctx->depth_only_fs);
   for (unsigned i = 0; i < ARRAY_SIZE(ctx->copy_fs); i++) {
      if (ctx->copy_fs[i])
         ctx->base.delete_fs_state(&ctx->base, ctx->copy_fs[i]);
   }
   tegra20_scratch_fini(ctx);
   free(ctx->plan->passes);
}

/* --- which passes --- */

/* A draw as the application wants it. */
static struct tegra20_pass
tegra20_plain_pass(const struct tegra20_context *ctx, enum mesa_prim kind,
                   bool windowed, bool counts)
{
   const struct pipe_framebuffer_state *fb = &ctx->framebuffer;
   struct tegra20_pass pass;

   memset(&pass, 0, sizeof(pass));
   memcpy(pass.cbufs, fb->cbufs, fb->nr_cbufs * sizeof(fb->cbufs[0]));
   pass.nr_cbufs = fb->nr_cbufs;
   pass.zsbuf = fb->zsbuf;
   pass.counts = counts;
   pass.kind = kind;
   pass.windowed = windowed;
   pass.blend = ctx->blend;
   pass.fs = ctx->bound_fs;
   return pass;
}

static void
tegra20_plan_add(struct tegra20_plan *plan, const struct tegra20_pass *pass)
{
   assert(plan->num_passes < plan->space);
   plan->passes[plan->num_passes++] = *pass;
}

static void
tegra20_plan_limit_groups(struct tegra20_plan *plan, unsigned max)
{
   plan->max_groups = plan->max_groups ? MIN2(plan->max_groups, max) : max;
}

/* Adds a pass that stores something in a scratch image, without tests. */
static bool
tegra20_plan_add_image(struct tegra20_context *ctx, struct tegra20_plan *plan,
                       const struct tegra20_pass *plain, unsigned image,
                       enum tegra20_output output)
{
   struct tegra20_pass pass = *plain;

   memset(pass.cbufs, 0, sizeof(pass.cbufs));
   pass.cbufs[0] = tegra20_scratch_image(ctx, image);
   pass.nr_cbufs = 1;
   pass.zsbuf = NULL;
   pass.depth = TEGRA20_DEPTH_OFF;
   pass.stencil = TEGRA20_STENCIL_OFF;
   pass.counts = false;
   pass.blend = &tegra20_no_blend;
   pass.output = output;
   pass.clear = BITFIELD_BIT(0);
   if (!pass.cbufs[0] || !tegra20_program_extend(ctx, &pass))
      return false;
   tegra20_plan_add(plan, &pass);
   return true;
}

/* Adds the passes that compute the colour, and makes *pass the one that
 * blends it. */
static bool
tegra20_plan_add_blending(struct tegra20_context *ctx,
                          struct tegra20_plan *plan,
                          const struct tegra20_pass *plain,
                          struct tegra20_pass *pass)
{
   const bool discards = tegra20_pass_kills(plain);

   *pass = *plain;
   if (!tegra20_plan_add_image(ctx, plan, plain, TEGRA20_IMAGE_SOURCE,
                               TEGRA20_OUTPUT_COLOR) ||
       (discards &&
        !tegra20_plan_add_image(ctx, plan, plain, TEGRA20_IMAGE_COVERAGE,
                                TEGRA20_OUTPUT_COVERAGE)))
      return false;
   pass->cbufs[1] = ctx->scratch->images[TEGRA20_IMAGE_SOURCE];
   pass->cbufs[2] =
      discards ? ctx->scratch->images[TEGRA20_IMAGE_COVERAGE] : NULL;
   pass->nr_cbufs = discards ? 3 : 2;
   pass->fetch_only = discards ? 0x6 : 0x2;
   pass->fs = tegra20_copy_fs(ctx, discards);
   tegra20_plan_limit_groups(plan, MAX_GROUPS_BLENDED);
   return pass->fs && tegra20_program_extend(ctx, pass);
}

/* The program's own depth: a depth image, the CPU's tests, colour. */
static bool
tegra20_plan_add_fragdepth(struct tegra20_context *ctx,
                           struct tegra20_plan *plan,
                           const struct tegra20_pass *plain,
                           struct tegra20_pass *color)
{
   if (!tegra20_plan_add_image(ctx, plan, plain, TEGRA20_IMAGE_DEPTH,
                               TEGRA20_OUTPUT_DEPTH))
      return false;
   color->action = TEGRA20_ACTION_TEST_FRAGMENTS;
   color->depth = TEGRA20_DEPTH_OFF;
   color->stencil = TEGRA20_STENCIL_MARKED;
   tegra20_plan_add(plan, color);
   plan->num_marks = 1;
   tegra20_plan_limit_groups(plan, MAX_GROUPS_FRAGDEPTH);
   return true;
}

/* A34: comparisons that come out otherwise when the interpolated depth has
 * more bits than the stored one, whose bits below are 0. */
static bool
tegra20_compares_otherwise(const struct tegra20_context *ctx)
{
   const uint32_t funcs =
      BITFIELD_BIT(PIPE_FUNC_EQUAL) | BITFIELD_BIT(PIPE_FUNC_NOTEQUAL) |
      BITFIELD_BIT(PIPE_FUNC_LEQUAL) | BITFIELD_BIT(PIPE_FUNC_GREATER);

   return TEGRA20_HW_IS(DEPTH_COMPARE_BITS, 20) && tegra20_has_depth(ctx) &&
          funcs & BITFIELD_BIT(ctx->zsa->base.depth_func);
}

/* A36, A37: stencil writes of a face that the chip does not make. */
static bool
tegra20_face_writes_otherwise(const struct pipe_stencil_state *face,
                              bool kills)
{
   const bool fails = face->fail_op != PIPE_STENCIL_OP_KEEP ||
                      face->zfail_op != PIPE_STENCIL_OP_KEEP;

   if (!face->enabled)
      return false;
   return (TEGRA20_HW_IS(LATE_STENCIL, PASSED) && kills && fails) ||
          (TEGRA20_HW_IS(STENCIL_MASK, NONE) && face->writemask != 0xff &&
           (fails || face->zpass_op != PIPE_STENCIL_OP_KEEP));
}

static bool
tegra20_stencils_otherwise(const struct tegra20_context *ctx, bool kills)
{
   const struct pipe_stencil_state *faces = ctx->zsa->base.stencil;

   return tegra20_has_stencil(ctx) &&
          (tegra20_face_writes_otherwise(&faces[0], kills) ||
           tegra20_face_writes_otherwise(&faces[1], kills));
}

/* Depth and marks of both faces, the CPU's tests, colour. */
static bool
tegra20_plan_add_captured(struct tegra20_context *ctx,
                          struct tegra20_plan *plan,
                          const struct tegra20_pass *plain,
                          const struct tegra20_pass *color, bool stencils)
{
   struct tegra20_pass capture = *plain, tested = *color;
   const uint8_t when = stencils ? TEGRA20_WHEN_ALWAYS : TEGRA20_WHEN_GROUPED;

   capture.zsbuf = tegra20_scratch_depth(ctx);
   capture.no_color = true;
   capture.counts = false;
   capture.depth = TEGRA20_DEPTH_CAPTURED;
   capture.stencil = TEGRA20_STENCIL_MARK_FACES;
   capture.when = when;
   if (!capture.zsbuf || !tegra20_program_extend(ctx, &capture))
      return false;
   tegra20_plan_add(plan, &capture);

   tested.action = TEGRA20_ACTION_TEST_CAPTURED;
   tested.depth = TEGRA20_DEPTH_OFF;
   tested.stencil = TEGRA20_STENCIL_MARKED;
   tested.when = when;
   tegra20_plan_add(plan, &tested);
   plan->num_marks = 2;
   tegra20_plan_limit_groups(plan, MAX_GROUPS_CAPTURED);
   return true;
}

/* Colour of a program that discards, then depth where it did not. */
static bool
tegra20_plan_add_marked(struct tegra20_context *ctx,
                        struct tegra20_plan *plan,
                        const struct tegra20_pass *plain)
{
   struct tegra20_pass color = *plain, depth = *plain;

   color.depth = TEGRA20_DEPTH_READ_ONLY;
   if (tegra20_has_stencil(ctx)) {
      struct tegra20_pass coverage = color;

      coverage.no_color = true;
      coverage.counts = false;
      coverage.stencil = TEGRA20_STENCIL_MARK_FACES;
      if (!tegra20_program_extend(ctx, &coverage))
         return false;
      tegra20_plan_add(plan, &coverage);
      color.action = TEGRA20_ACTION_TEST_STENCIL;
      plan->num_marks = 2;
      tegra20_plan_limit_groups(plan, MAX_GROUPS_STENCIL);
   } else {
      color.stencil = TEGRA20_STENCIL_MARK;
      plan->num_marks = MAX2(plan->num_marks, 1);
      tegra20_plan_limit_groups(plan, MAX_GROUPS_MARKED);
   }
   tegra20_plan_add(plan, &color);

   depth.no_color = true;
   depth.counts = false;
   depth.stencil = TEGRA20_STENCIL_MARKED;
   depth.fs = tegra20_depth_only_fs(ctx);
   if (!depth.fs || !tegra20_program_extend(ctx, &depth))
      return false;
   tegra20_plan_add(plan, &depth);
   return true;
}

/* blending: in a pass of its own. */
static bool
tegra20_plan_build(struct tegra20_context *ctx, enum mesa_prim kind,
                   bool windowed, bool blending)
{
   struct tegra20_plan *plan = ctx->plan;
   const bool counts = tegra20_occlusion_counts(ctx);
   struct tegra20_pass plain =
      tegra20_plain_pass(ctx, kind, windowed, counts);
   struct tegra20_pass blend, *color = &plain;

   tegra20_program_trim(ctx);
   plan->num_passes = plan->num_marks = plan->max_groups = 0;
   plan->dilates = false;
   plan->counts = counts;
   if (!tegra20_program_extend(ctx, &plain))
      return false;
   plan->kills = tegra20_pass_kills(&plain);
   if (blending &&
       !tegra20_plan_add_blending(ctx, plan, &plain, color = &blend))
      return false;
   if (ctx->bound_fs->writes_depth && tegra20_has_depth(ctx))
      return tegra20_plan_add_fragdepth(ctx, plan, &plain, color);
   const bool stencils = tegra20_stencils_otherwise(ctx, plan->kills);
   if ((stencils || tegra20_compares_otherwise(ctx)) &&
       !tegra20_plan_add_captured(ctx, plan, &plain, color, stencils))
      return false;
   if (stencils)
      return true;
   if (plan->num_marks)
      color->when = TEGRA20_WHEN_WHOLE;
   if (plan->kills && tegra20_has_depth(ctx) &&
       ctx->zsa->base.depth_writemask && !DBG(EARLYZ))
      return tegra20_plan_add_marked(ctx, plan, color);
   tegra20_plan_add(plan, color);
   return true;
}

/* The draw module's vertices have the varyings of all passes. */
static bool
tegra20_plan_use_module(struct tegra20_context *ctx,
                        struct tegra20_plan *plan)
{
   uint64_t varyings = 0;

   for (unsigned i = 0; i < plan->num_passes; i++)
      varyings |= tegra20_pass_varyings(&plan->passes[i]);
   struct tegra20_shader *vs = tegra20_swtnl_vs(ctx, varyings);
   for (unsigned i = 0; i < plan->num_passes; i++)
      plan->passes[i].vs = vs;
   return vs;
}

/* A pass of one part of a program: false when memory ran out. */
static bool
tegra20_part_pass(struct tegra20_context *ctx,
                  const struct tegra20_parts *parts, unsigned i,
                  struct tegra20_shader *shader, struct tegra20_pass *pass)
{
   const bool last = i == parts->count - 1;

   pass->fs = shader;
   pass->nr_cbufs = TEGRA20_MAX_CBUFS;
   if (!last) {
      memset(pass->cbufs, 0, sizeof(pass->cbufs));
      pass->fetch_only = 0;
      pass->zsbuf = NULL;
      pass->depth = TEGRA20_DEPTH_OFF;
      pass->stencil = TEGRA20_STENCIL_OFF;
      pass->counts = pass->no_color = false;
      pass->blend = &tegra20_no_blend;
      pass->action = TEGRA20_ACTION_NONE;
      pass->clear = 0;
   }
   for (unsigned c = 0; c < TEGRA20_MAX_CBUFS; c++) {
      const unsigned use = parts->part[i].cbuf[c].use,
                     index = parts->part[i].cbuf[c].index;

      if (use == TEGRA20_PART_TARGET && !last)
         pass->cbufs[c] = ctx->framebuffer.cbufs[index];
      if (use >= TEGRA20_PART_LOAD) {
         pass->cbufs[c] =
            tegra20_scratch_image(ctx, TEGRA20_IMAGE_VALUES + index);
         pass->spilled |= BITFIELD_BIT(c);
         if (!pass->cbufs[c])
            return false;
      }
      pass->group[c] = parts->part[i].cbuf[c].group;
      if (parts->part[i].cbuf[c].flag)
         pass->flags |= BITFIELD_BIT(c);
      if (parts->part[i].cbuf[c].clear)
         pass->clear |= BITFIELD_BIT(c);
      if (use == TEGRA20_PART_LOAD || (use == TEGRA20_PART_TARGET && !last))
         pass->fetch_only |= BITFIELD_BIT(c);
   }
   u_foreach_bit (unit, parts->part[i].sampled) {
      pass->sampled[unit] =
         TEGRA20_IMAGE_VALUES + parts->part[i].texture[unit];
      if (!tegra20_scratch_image(ctx, pass->sampled[unit]))
         return false;
   }
   return true;
}

/* Does a part look at other pixels? */
static bool
tegra20_parts_sample(const struct tegra20_parts *parts)
{
   for (unsigned i = 0; i < parts->count; i++) {
      if (parts->part[i].sampled)
         return true;
   }
   return false;
}

/* Makes passes of the parts of a program that does not fit in one. */
static bool
tegra20_plan_cut(struct tegra20_context *ctx, struct tegra20_plan *plan,
                 unsigned at)
{
   const struct tegra20_pass whole = plan->passes[at];

   if (whole.spilled || !whole.fs_variant)
      return false;
   const struct tegra20_parts *parts =
      tegra20_program_cut(ctx, whole.fs_variant);
   static_assert(TEGRA20_IMAGE_VALUES + TEGRA20_MAX_PART_SURFACES ==
                    TEGRA20_NUM_SCRATCH_IMAGES,
                 "an image for each surface of a part");
   if (!parts ||
       !tegra20_plan_reserve(plan, plan->num_passes + parts->count - 1))
      return false;
   struct tegra20_pass *passes = &plan->passes[at];
   const bool dilates =
      (whole.windowed || whole.expands_points) && tegra20_parts_sample(parts);
   memmove(passes + parts->count, passes + 1,
           (plan->num_passes - at - 1) * sizeof(*passes));
   plan->num_passes += parts->count - 1;
   for (unsigned i = 0; i < parts->count; i++) {
      passes[i] = whole;
      if (!tegra20_part_pass(ctx, parts, i, whole.fs_variant->part_shaders[i],
                             &passes[i]))
         return false;
      passes[i].whole_quads = dilates && i < parts->count - 1;
   }
   plan->dilates |= dilates;
   for (unsigned l = 0; l < parts->num_loops; l++) {
      struct tegra20_pass *first = &passes[parts->loops[l].first];

      first->in_loop = parts->loops[l].count;
      first->active = tegra20_scratch_image(ctx, TEGRA20_IMAGE_VALUES +
                                                    parts->loops[l].active);
   }
   tegra20_plan_limit_groups(plan, MAX_GROUPS_PARTS);
   return true;
}

/* Replacements for fragment programs that do not fit. */
enum tegra20_unfit {
   TEGRA20_UNFIT_FAILS,
   TEGRA20_UNFIT_CUT,
   TEGRA20_UNFIT_REPLACED,
};

static bool
tegra20_plan_prepare_textures(struct tegra20_context *ctx,
                              const struct tegra20_plan *plan)
{
   for (unsigned i = 0; i < plan->num_passes; i++) {
      const struct tegra20_pass *pass = &plan->passes[i];

      if ((pass->fs != ctx->fs_without_copies || pass->extension.stipple ||
           (ctx->dirty & TEGRA20_DIRTY_TEXTURES)) &&
          !tegra20_texture_prepare(ctx, pass))
         return false;
   }
   return true;
}

/* Sets the variants of all passes; *unfit: the pass whose fragment program
 * does not fit and has no replacement. */
static bool
tegra20_plan_compile(struct tegra20_context *ctx, struct tegra20_plan *plan,
                     enum tegra20_unfit action,
                     const struct tegra20_pass **unfit)
{
   const bool replace = action == TEGRA20_UNFIT_REPLACED;

   *unfit = NULL;
   if (plan->passes[0].windowed && !tegra20_plan_use_module(ctx, plan))
      return false;
   if (!tegra20_plan_prepare_textures(ctx, plan))
      return false;
   if (ctx->dirty & TEGRA20_DIRTY_TEXTURE_KEYS)
      tegra20_program_forget_choices(
         ctx); /* of the copies that were made just now */
   for (unsigned i = 0; i < plan->num_passes; i++) {
      struct tegra20_pass *pass = &plan->passes[i];

      if (!tegra20_program_update(ctx, pass, replace)) {
         if (action == TEGRA20_UNFIT_CUT && tegra20_plan_cut(ctx, plan, i)) {
            i--; /* its first part */
            continue;
         }
         if (pass->vs_variant->program && pass->fs_variant->reason)
            *unfit = pass;
         return false;
      }
   }
   if (plan->passes[0].vs_variant != ctx->emitted->vs_variant)
      ctx->dirty |= TEGRA20_DIRTY_VS_CODE; /* tegra20_vertex.c */
   return true;
}

/* Is there anything that a pass of its own would take from the program? */
static bool
tegra20_can_blend_apart(const struct tegra20_context *ctx,
                        const struct tegra20_pass *unfit)
{
   const struct pipe_rt_blend_state *rt = &ctx->blend->rt[0];

   return unfit && unfit->fs == ctx->bound_fs &&
          unfit->output == TEGRA20_OUTPUT_COLOR &&
          ctx->framebuffer.nr_cbufs == 1 && ctx->framebuffer.cbufs[0] &&
          rt->colormask &&
          (rt->blend_enable || ctx->blend->logicop_enable ||
           rt->colormask != PIPE_MASK_RGBA) &&
          !ctx->bound_fs->nir->info.fs.uses_fbfetch_output;
}

/* The state that the passes and their programs depend on. */
static uint32_t
tegra20_plan_state(const struct tegra20_context *ctx,
                   const struct tegra20_plan *plan)
{
   uint32_t state = TEGRA20_DIRTY_FRAMEBUFFER | TEGRA20_DIRTY_RASTERIZER_KEY |
                    TEGRA20_DIRTY_BLEND | TEGRA20_DIRTY_VS |
                    TEGRA20_DIRTY_FS | TEGRA20_DIRTY_TEXTURE_KEYS;

   if (ctx->bound_fs->control_uniforms.count)
      state |= TEGRA20_DIRTY_FS_CONST;
   /* Programs that leave depth alone take one pass, whose key does not have
    * depth and stencil. */
   if (!plan->simple || plan->kills || ctx->bound_fs->writes_depth ||
       TEGRA20_HW_IS(STENCIL_MASK, NONE) ||
       TEGRA20_HW_IS(DEPTH_COMPARE_BITS, 20))
      state |= TEGRA20_DIRTY_ZSA;
   return state;
}

/* State that changed since the plan was made; all of it for another plan. */
static uint32_t
tegra20_plan_changed(const struct tegra20_context *ctx, enum mesa_prim kind,
                     bool windowed)
{
   const struct tegra20_plan *plan = ctx->plan;
   const struct tegra20_pass *pass = &plan->passes[0];

   if (!plan->num_passes || pass->kind != kind ||
       pass->windowed != windowed ||
       pass->extension.stipple /* its pattern is bound for each draw */ ||
       plan->counts != tegra20_occlusion_counts(ctx) ||
       (ctx->bound_fs->asks_face &&
        pass->extension.face != tegra20_pass_face(ctx, pass)))
      return ~0;
   return ctx->dirty & plan->state;
}

/* A plan with its programs, as ctx->plan-> */
static bool
tegra20_plan_make(struct tegra20_context *ctx, enum mesa_prim kind,
                  bool windowed)
{
   struct tegra20_plan *plan = ctx->plan;
   const struct tegra20_pass *unfit;

   if (tegra20_plan_build(ctx, kind, windowed, false)) {
      if (tegra20_plan_compile(ctx, plan, TEGRA20_UNFIT_FAILS, &unfit))
         return true;
      const bool fits = !unfit;
      if (tegra20_can_blend_apart(ctx, unfit) &&
          tegra20_plan_build(ctx, kind, windowed, true) &&
          tegra20_plan_compile(ctx, plan, TEGRA20_UNFIT_FAILS, &unfit))
         return true;
      for (enum tegra20_unfit action = TEGRA20_UNFIT_CUT;
           !fits && action <= TEGRA20_UNFIT_REPLACED; action++) {
         if (tegra20_plan_build(ctx, kind, windowed, false) &&
             tegra20_plan_compile(ctx, plan, action, &unfit))
            return true;
      }
   }
   return false;
}

/* Gives the only pass of a plan another blend state.  False when that takes
 * other passes, or a program that does not fit. */
static bool
tegra20_plan_blend(struct tegra20_context *ctx)
{
   struct tegra20_pass *pass = &ctx->plan->passes[0];

   pass->blend = ctx->blend;
   /* of samples, coverage is in the program */
   return ctx->plan->simple && ctx->scale == 1 &&
          tegra20_program_update_fs(ctx, pass) &&
          !tegra20_plan_fetches_alone(ctx->plan);
}

bool
tegra20_plan_refresh(struct tegra20_context *ctx)
{
   if (ctx->dirty & TEGRA20_DIRTY_ZSA_KEY)
      tegra20_program_forget_choices(ctx);
   return !(ctx->dirty & TEGRA20_DIRTY_BLEND) || tegra20_plan_blend(ctx);
}

bool
tegra20_plan_update(struct tegra20_context *ctx, enum mesa_prim kind,
                    bool windowed)
{
   struct tegra20_plan *plan = ctx->plan;

   if (!ctx->bound_vs || !ctx->bound_fs)
      return false;
   /* The keys of other programs may have state that this one's lacks. */
   if (ctx->dirty & (TEGRA20_DIRTY_FRAMEBUFFER | TEGRA20_DIRTY_ZSA_KEY))
      tegra20_program_forget_choices(ctx);
   if (ctx->dirty & TEGRA20_DIRTY_JOB)
      tegra20_cost_look(ctx);

   uint32_t changed = tegra20_plan_changed(ctx, kind, windowed);
   if (!(changed & ~TEGRA20_DIRTY_BLEND)) {
      if (!tegra20_plan_prepare_textures(ctx, plan))
         return false;
      if (!(ctx->dirty & TEGRA20_DIRTY_TEXTURE_KEYS) &&
          (!changed || tegra20_plan_blend(ctx)))
         return true;
   }
   if (!tegra20_plan_make(ctx, kind, windowed)) {
      plan->num_passes = 0;
      return false;
   }
   ctx->emitted_pass = NULL;
   plan->simple = plan->num_passes == 1 && !plan->counts &&
                  !plan->max_groups && !tegra20_plan_fetches_alone(plan);
   plan->state = tegra20_plan_state(ctx, plan);
   tegra20_cost_plan(ctx);
   return true;
}
