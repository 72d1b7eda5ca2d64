/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Plans: which passes a draw takes, and drawing primitives through them.
 * The kinds of passes and the reasons for them are in tegra20_pass.h.
 */

#include "tegra20_pass.h"

#include <string.h>

#include "compiler/nir/nir_builder.h"
#include "util/u_inlines.h"
#include "util/u_prim.h"

#include "nir/tegra20_cut.h"
#include "tegra20/gr3d_regs.h"
#include "tegra20/hw/tegra20_hw.h"

#include "tegra20_context.h"
#include "tegra20_debug.h"
#include "tegra20_screen.h"
#include "tegra20_smooth.h"
#include "tegra20_swtnl.h"
#include "tegra20_texture.h"

/* Draws of more primitives are one group.  Those of the second row wait for
 * the engine once per group. */
#define MAX_GROUPS_MARKED 1024
#define MAX_GROUPS_FRAGDEPTH 256
#define MAX_GROUPS_BLENDED 256
#define MAX_GROUPS_STENCIL 32
#define MAX_GROUPS_PARTS UINT_MAX /* values of two primitives never mix */

/* Rounds of a loop before the CPU looks whether pixels want more, and those
 * of a loop that never ends. */
#define FIRST_ROUNDS 8
#define MOST_ROUNDS 64
#define MAX_ROUNDS 65536

/* Scratch images. */
enum {
   IMAGE_SOURCE,
   IMAGE_COVERAGE,
   IMAGE_DEPTH,
   IMAGE_VALUES, /* and the following ones */
};

/* What passes that store in a scratch image do with it. */
static const struct pipe_blend_state tegra20_no_blend = {
   .rt[0].colormask = PIPE_MASK_RGBA,
};

/* --- programs of the driver --- */

static struct tegra20_shader *
tegra20_create_fs(struct tegra20_context *ctx, nir_shader *nir)
{
   const struct pipe_shader_state state = { .type = PIPE_SHADER_IR_NIR,
                                            .ir.nir = nir };
   return ctx->base.create_fs_state(&ctx->base, &state);
}

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
   pass.source = ctx->bound_fs;
   return pass;
}

static void
tegra20_plan_add(struct tegra20_plan *plan, const struct tegra20_pass *pass)
{
   assert(plan->num_passes < TEGRA20_MAX_PASSES);
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
                          struct tegra20_pass *pass)
{
   const struct tegra20_pass plain = *pass;
   const bool discards = plain.fs->kills;

   if (!tegra20_plan_add_image(ctx, plan, &plain, IMAGE_SOURCE,
                               TEGRA20_OUTPUT_COLOR) ||
       (discards && !tegra20_plan_add_image(ctx, plan, &plain, IMAGE_COVERAGE,
                                            TEGRA20_OUTPUT_COVERAGE)))
      return false;
   pass->cbufs[1] = ctx->scratch.images[IMAGE_SOURCE];
   pass->cbufs[2] = discards ? ctx->scratch.images[IMAGE_COVERAGE] : NULL;
   pass->nr_cbufs = discards ? 3 : 2;
   pass->fetch_only = discards ? 0x6 : 0x2;
   pass->source = tegra20_copy_fs(ctx, discards);
   tegra20_plan_limit_groups(plan, MAX_GROUPS_BLENDED);
   return pass->source && tegra20_program_extend(ctx, pass);
}

static bool
tegra20_has_depth(const struct tegra20_context *ctx)
{
   const struct pipe_surface *zs = ctx->framebuffer.zsbuf;

   return zs && ctx->zsa->base.depth_enabled &&
          tegra20_resource_depth(tegra20_surface_zs(zs));
}

static bool
tegra20_has_stencil(const struct tegra20_context *ctx)
{
   const struct pipe_surface *zs = ctx->framebuffer.zsbuf;

   return zs && ctx->zsa->stencil &&
          tegra20_resource_stencil(tegra20_surface_zs(zs));
}

/* The program's own depth: a depth image, the CPU's tests, colour. */
static bool
tegra20_plan_add_fragdepth(struct tegra20_context *ctx,
                           struct tegra20_plan *plan,
                           const struct tegra20_pass *plain,
                           struct tegra20_pass *color)
{
   if (!tegra20_plan_add_image(ctx, plan, plain, IMAGE_DEPTH,
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
      plan->num_marks = 1;
      tegra20_plan_limit_groups(plan, MAX_GROUPS_MARKED);
   }
   tegra20_plan_add(plan, &color);

   depth.no_color = true;
   depth.counts = false;
   depth.stencil = TEGRA20_STENCIL_MARKED;
   depth.source = tegra20_depth_only_fs(ctx);
   if (!depth.source || !tegra20_program_extend(ctx, &depth))
      return false;
   tegra20_plan_add(plan, &depth);
   return true;
}

/* blending: in a pass of its own. */
static bool
tegra20_plan_build(struct tegra20_context *ctx, enum mesa_prim kind,
                   bool windowed, bool blending)
{
   struct tegra20_plan *plan = &ctx->plan;
   const bool counts = tegra20_occlusion_counts(ctx);
   struct tegra20_pass plain =
      tegra20_plain_pass(ctx, kind, windowed, counts);
   struct tegra20_pass color;

   plan->num_passes = plan->num_marks = plan->max_groups = 0;
   plan->dilates = false;
   plan->counts = counts;
   plan->bound_vs = ctx->bound_vs;
   plan->bound_fs = ctx->bound_fs;
   if (!tegra20_program_extend(ctx, &plain))
      return false;
   color = plain;
   if (blending && !tegra20_plan_add_blending(ctx, plan, &color))
      return false;
   if (ctx->bound_fs->writes_depth && tegra20_has_depth(ctx))
      return tegra20_plan_add_fragdepth(ctx, plan, &plain, &color);
   if (color.fs->kills && tegra20_has_depth(ctx) &&
       ctx->zsa->base.depth_writemask && !DBG(EARLYZ))
      return tegra20_plan_add_marked(ctx, plan, &color);
   tegra20_plan_add(plan, &color);
   return true;
}

/* The draw module's vertices have what any of the passes reads. */
static bool
tegra20_plan_use_module(struct tegra20_context *ctx,
                        struct tegra20_plan *plan)
{
   uint64_t varyings = 0;

   for (unsigned i = 0; i < plan->num_passes; i++)
      varyings |= plan->passes[i].fs->nir->info.inputs_read;
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
         pass->cbufs[c] = tegra20_scratch_image(ctx, IMAGE_VALUES + index);
         pass->handed |= BITFIELD_BIT(c);
         if (!pass->cbufs[c])
            return false;
      }
      if (parts->part[i].cbuf[c].flag)
         pass->flags |= BITFIELD_BIT(c);
      if (parts->part[i].cbuf[c].clear)
         pass->clear |= BITFIELD_BIT(c);
      if (use == TEGRA20_PART_LOAD || (use == TEGRA20_PART_TARGET && !last))
         pass->fetch_only |= BITFIELD_BIT(c);
   }
   u_foreach_bit (unit, parts->part[i].sampled) {
      pass->sampled[unit] = tegra20_scratch_image(
         ctx, IMAGE_VALUES + parts->part[i].texture[unit]);
      if (!pass->sampled[unit])
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
   struct tegra20_pass *passes = &plan->passes[at];

   if (whole.handed || !whole.fs_variant)
      return false;
   const struct tegra20_parts *parts =
      tegra20_program_cut(ctx, whole.fs_variant);
   if (!parts || plan->num_passes + parts->count - 1 > TEGRA20_MAX_PASSES ||
       IMAGE_VALUES + parts->num_surfaces > TEGRA20_NUM_SCRATCH_IMAGES)
      return false;
   const bool dilates = whole.windowed && tegra20_parts_sample(parts);
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

      first->rounds = parts->loops[l].count;
      first->active =
         tegra20_scratch_image(ctx, IMAGE_VALUES + parts->loops[l].active);
   }
   tegra20_plan_limit_groups(plan, MAX_GROUPS_PARTS);
   return true;
}

/* What becomes of fragment programs that do not fit. */
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
      const struct tegra20_shader *fs = plan->passes[i].fs;

      if ((fs != ctx->fs_without_copies ||
           (ctx->dirty & TEGRA20_DIRTY_TEXTURES)) &&
          !tegra20_texture_prepare(ctx, fs))
         return false;
   }
   return true;
}

/* Sets the variants of all passes; *unfit: the pass whose fragment program
 * does not fit, unless something else becomes of it. */
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
   if (plan->passes[0].vs_variant != ctx->emitted.vs_variant)
      ctx->dirty |= TEGRA20_DIRTY_VS_CODE; /* tegra20_vertex.c */
   return true;
}

/* Is there anything that a pass of its own would take from the program? */
static bool
tegra20_can_blend_apart(const struct tegra20_context *ctx,
                        const struct tegra20_pass *unfit)
{
   const struct pipe_rt_blend_state *rt = &ctx->blend->rt[0];

   return unfit && unfit->source == ctx->bound_fs &&
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
   if (!plan->simple || plan->passes[0].fs->kills ||
       ctx->bound_fs->writes_depth)
      state |= TEGRA20_DIRTY_ZSA;
   return state;
}

/* State that changed since the plan was made; all of it for another plan. */
static uint32_t
tegra20_plan_changed(const struct tegra20_context *ctx, enum mesa_prim kind,
                     bool windowed)
{
   const struct tegra20_plan *plan = &ctx->plan;
   const struct tegra20_pass *pass = &plan->passes[0];

   if (!plan->num_passes || plan->bound_vs != ctx->bound_vs ||
       plan->bound_fs != ctx->bound_fs || pass->kind != kind ||
       pass->windowed != windowed ||
       pass->fs->extension.stipple /* its pattern is bound for each draw */ ||
       plan->counts != tegra20_occlusion_counts(ctx))
      return ~0;
   return ctx->dirty & plan->state;
}

/* A56: what a primitive fetches must not come from its own draw. */
static bool
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

/* A plan with its programs, as ctx->plan. */
static bool
tegra20_plan_make(struct tegra20_context *ctx, enum mesa_prim kind,
                  bool windowed)
{
   struct tegra20_plan *plan = &ctx->plan;
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
   struct tegra20_pass *pass = &ctx->plan.passes[0];

   pass->blend = ctx->blend;
   /* of samples, coverage is in the program */
   return ctx->plan.simple && ctx->scale == 1 &&
          tegra20_program_update_fs(ctx, pass);
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
   struct tegra20_plan *plan = &ctx->plan;

   if (!ctx->bound_vs || !ctx->bound_fs)
      return false;
   /* The keys of other programs may have what that of this one has not. */
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

void
tegra20_plan_forget(struct tegra20_context *ctx)
{
   ctx->plan.num_passes = 0;
   ctx->prepared_mode = MESA_PRIM_COUNT;
   memset(&ctx->emitted, 0, sizeof(ctx->emitted));
   ctx->emitted_pass = NULL;
   ctx->dirty |= TEGRA20_DIRTY_VS | TEGRA20_DIRTY_FS;
}

/* --- tests by the CPU --- */

static bool
tegra20_test_passes(unsigned func, unsigned z, unsigned stored)
{
   switch (func) {
   case PIPE_FUNC_NEVER:
      return false;
   case PIPE_FUNC_LESS:
      return z < stored;
   case PIPE_FUNC_EQUAL:
      return z == stored;
   case PIPE_FUNC_LEQUAL:
      return z <= stored;
   case PIPE_FUNC_GREATER:
      return z > stored;
   case PIPE_FUNC_NOTEQUAL:
      return z != stored;
   case PIPE_FUNC_GEQUAL:
      return z >= stored;
   default:
      return true;
   }
}

static uint8_t
tegra20_stencil_result(unsigned op, uint8_t stored, uint8_t ref)
{
   switch (op) {
   case PIPE_STENCIL_OP_ZERO:
      return 0;
   case PIPE_STENCIL_OP_REPLACE:
      return ref;
   case PIPE_STENCIL_OP_INCR:
      return MIN2(stored + 1, 255);
   case PIPE_STENCIL_OP_DECR:
      return MAX2(stored - 1, 0);
   case PIPE_STENCIL_OP_INCR_WRAP:
      return stored + 1;
   case PIPE_STENCIL_OP_DECR_WRAP:
      return stored - 1;
   case PIPE_STENCIL_OP_INVERT:
      return ~stored;
   default:
      return stored;
   }
}

/* Stencil state and reference of a face. */
struct tegra20_face {
   const struct pipe_stencil_state *state;
   uint8_t ref;
};

static struct tegra20_face
tegra20_stencil_face(const struct tegra20_context *ctx, bool back)
{
   const struct pipe_stencil_state *states = ctx->zsa->base.stencil;

   back = back && states[1].enabled;
   return (struct tegra20_face){ &states[back],
                                 ctx->stencil_ref.ref_value[back] };
}

static bool
tegra20_stencil_passes(const struct tegra20_face *face, uint8_t stored)
{
   return tegra20_test_passes(face->state->func,
                              face->ref & face->state->valuemask,
                              stored & face->state->valuemask);
}

/* A level of a tiled surface for the CPU. */
struct tegra20_mapped {
   uint8_t *map;
   unsigned pitch;
};

static bool
tegra20_map_surface(struct tegra20_context *ctx, struct tegra20_mapped *m,
                    struct tegra20_resource *res, unsigned level,
                    unsigned layer, unsigned access)
{
   tegra20_context_sync_bo(ctx, res->bo, access);
   m->map = tegra20_bo_map(res->bo);
   if (!m->map)
      return false;
   m->map += tegra20_resource_offset(res, level, layer);
   m->pitch = res->layout.levels[level].pitch;
   return true;
}

static uint8_t *
tegra20_mapped_byte(const struct tegra20_mapped *m, unsigned x, unsigned y)
{
   return m->map + tegra20_tiled_offset(m->pitch, x, y);
}

static bool
tegra20_map_marks(struct tegra20_context *ctx, struct tegra20_mapped *m,
                  unsigned access)
{
   return tegra20_map_surface(ctx, m, tegra20_resource(ctx->scratch.marks), 0,
                              0, access);
}

static bool
tegra20_map_stencil(struct tegra20_context *ctx, struct tegra20_mapped *m,
                    const struct pipe_surface *zs, unsigned access)
{
   return tegra20_map_surface(
      ctx, m, tegra20_resource_stencil(tegra20_surface_zs(zs)),
      zs->u.tex.level, zs->u.tex.first_layer, access);
}

/* Leaves marks where the application's stencil test passes, all with the
 * first number. */
static bool
tegra20_test_stencil(struct tegra20_context *ctx,
                     const struct tegra20_pass *pass)
{
   const struct pipe_scissor_state *area = &ctx->draw_area;
   struct tegra20_mapped stencil, marks;

   if (!tegra20_map_stencil(ctx, &stencil, pass->zsbuf, TEGRA20_READ) ||
       !tegra20_map_marks(ctx, &marks, TEGRA20_READ | TEGRA20_WRITE))
      return false;
   for (unsigned y = area->miny; y < area->maxy; y++) {
      for (unsigned x = area->minx; x < area->maxx; x++) {
         uint8_t *mark = tegra20_mapped_byte(&marks, x, y);
         const bool back = *mark != pass->mark;

         if (*mark != pass->mark + back)
            continue;
         const struct tegra20_face face = tegra20_stencil_face(ctx, back);
         const uint8_t stored = *tegra20_mapped_byte(&stencil, x, y);
         *mark = tegra20_stencil_passes(&face, stored) ? pass->mark : 0;
      }
   }
   return true;
}

/* Both tests for a fragment, and their writes; stencil NULL: no stencil
 * test.  Does it pass? */
static bool
tegra20_test_fragment(const struct tegra20_context *ctx, uint16_t *depth,
                      uint8_t *stencil, uint16_t z, bool back)
{
   const struct pipe_depth_stencil_alpha_state *state = &ctx->zsa->base;
   bool pass = tegra20_test_passes(state->depth_func, z, *depth);

   if (stencil) {
      const struct tegra20_face face = tegra20_stencil_face(ctx, back);
      const struct pipe_stencil_state *s = face.state;
      const uint8_t stored = *stencil;
      const bool stencil_pass = tegra20_stencil_passes(&face, stored);
      unsigned op = !stencil_pass ? s->fail_op
                    : pass        ? s->zpass_op
                                  : s->zfail_op;

      *stencil =
         (tegra20_stencil_result(op, stored, face.ref) & s->writemask) |
         (stored & ~s->writemask);
      pass = pass && stencil_pass;
   }
   if (pass && state->depth_writemask)
      *depth = z;
   return pass;
}

/* Tests the fragments of the depth image and marks those that pass. */
static bool
tegra20_test_fragments(struct tegra20_context *ctx,
                       const struct tegra20_pass *pass)
{
   const struct pipe_surface *zs = pass->zsbuf;
   const struct pipe_scissor_state *area = &ctx->draw_area;
   const unsigned both = TEGRA20_READ | TEGRA20_WRITE;
   const bool has_stencil = tegra20_has_stencil(ctx);
   struct tegra20_resource *res = tegra20_surface_zs(zs);
   struct tegra20_mapped image, depth, stencil, marks;

   if (!tegra20_map_surface(
          ctx, &image,
          tegra20_resource(ctx->scratch.images[IMAGE_DEPTH]->texture), 0, 0,
          TEGRA20_READ) ||
       !tegra20_map_surface(ctx, &depth, tegra20_resource_depth(res),
                            zs->u.tex.level, zs->u.tex.first_layer, both) ||
       !tegra20_map_marks(ctx, &marks, TEGRA20_WRITE) ||
       (has_stencil && !tegra20_map_stencil(ctx, &stencil, zs, both)))
      return false;

   for (unsigned y = area->miny; y < area->maxy; y++) {
      for (unsigned x = area->minx; x < area->maxx; x++) {
         const uint8_t *fragment = image.map + y * image.pitch + x * 4;
         uint16_t *z = (uint16_t *)tegra20_mapped_byte(&depth, x * 2, y);
         uint8_t *s =
            has_stencil ? tegra20_mapped_byte(&stencil, x, y) : NULL;

         if (fragment[2] &&
             tegra20_test_fragment(ctx, z, s, fragment[0] << 8 | fragment[1],
                                   fragment[3] < 128))
            *tegra20_mapped_byte(&marks, x, y) = pass->mark;
      }
   }
   tegra20_resource_written(res);
   return true;
}

/* --- drawing --- */

static bool
tegra20_pass_prepare(struct tegra20_context *ctx,
                     const struct tegra20_pass *pass)
{
   u_foreach_bit (c, pass->clear) {
      if (!tegra20_scratch_clear(ctx, pass->cbufs[c]))
         return false;
   }
   switch ((enum tegra20_pass_action)pass->action) {
   case TEGRA20_ACTION_NONE:
      return true;
   case TEGRA20_ACTION_TEST_STENCIL:
      return tegra20_test_stencil(ctx, pass);
   case TEGRA20_ACTION_TEST_FRAGMENTS:
      return tegra20_test_fragments(ctx, pass);
   }
   return false;
}

/* A group of primitives on its way through the passes. */
struct tegra20_primitive_group {
   const struct tegra20_draw_call *call, *dilated;
   struct tegra20_counter *counter;
   uint8_t mark;
};

static bool
tegra20_group_draw_pass(struct tegra20_context *ctx,
                        const struct tegra20_primitive_group *group,
                        unsigned i)
{
   struct tegra20_pass pass = ctx->plan.passes[i];

   pass.mark = group->mark;
   pass.counter = pass.counts ? group->counter : NULL;
   if (!tegra20_pass_prepare(ctx, &pass))
      return false;
   const bool drawn = tegra20_emit_draw(
      ctx, &pass, pass.whole_quads ? group->dilated : group->call);
   ctx->emitted_pass = NULL;
   return drawn;
}

/* Does a pixel have the flag? */
static bool
tegra20_any_active(struct tegra20_context *ctx,
                   const struct pipe_surface *flags, bool *active)
{
   const struct pipe_scissor_state *area = &ctx->draw_area;
   struct tegra20_mapped m;

   *active = false;
   if (!tegra20_map_surface(ctx, &m, tegra20_resource(flags->texture), 0, 0,
                            TEGRA20_READ))
      return false;
   for (unsigned y = area->miny; y < area->maxy && !*active; y++) {
      for (unsigned x = area->minx; x < area->maxx && !*active; x++)
         *active = m.map[y * m.pitch + 4 * x];
   }
   return true;
}

/* Draws the passes of a loop until it has ended for all pixels. */
static bool
tegra20_group_draw_rounds(struct tegra20_context *ctx,
                          const struct tegra20_primitive_group *group,
                          unsigned first)
{
   const struct tegra20_pass *loop = &ctx->plan.passes[first];
   unsigned batch = FIRST_ROUNDS;
   bool active = true;

   for (unsigned rounds = 0; active && rounds < MAX_ROUNDS;) {
      for (unsigned i = 0; i < batch * loop->rounds; i++) {
         if (!tegra20_group_draw_pass(ctx, group, first + i % loop->rounds))
            return false;
      }
      if (!tegra20_any_active(ctx, loop->active, &active))
         return false;
      rounds += batch;
      batch = CLAMP(rounds / 4, FIRST_ROUNDS, MOST_ROUNDS);
   }
   if (active)
      tegra20_msg_once("a loop of a fragment program was ended after %u "
                       "rounds",
                       MAX_ROUNDS);
   return true;
}

/* Draws a call, which is one group of num_primitives, through all passes. */
static bool
tegra20_plan_draw_group(struct tegra20_context *ctx,
                        const struct tegra20_draw_call *call,
                        const struct tegra20_draw_call *dilated,
                        unsigned num_primitives)
{
   const struct tegra20_plan *plan = &ctx->plan;
   struct tegra20_primitive_group group = { .call = call,
                                            .dilated = dilated };

   if (plan->counts) {
      group.counter = tegra20_occlusion_counter(ctx, num_primitives);
      if (!group.counter)
         return false;
   }
   if (plan->num_marks &&
       !tegra20_scratch_marks(ctx, plan->num_marks, &group.mark))
      return false;
   for (unsigned i = 0; i < plan->num_passes;
        i += MAX2(plan->passes[i].rounds, 1)) {
      const bool drawn = plan->passes[i].rounds
                            ? tegra20_group_draw_rounds(ctx, &group, i)
                            : tegra20_group_draw_pass(ctx, &group, i);
      if (!drawn)
         return false;
   }
   return true;
}

bool
tegra20_cut_primitives(enum mesa_prim mode, unsigned max_primitives,
                       struct tegra20_cut *cut)
{
   const unsigned max = TEGRA20_MAX_DRAW_VERTICES, n = max_primitives;
   unsigned size;

   switch (mode) {
   case MESA_PRIM_POINTS:
      size = MIN2(n, max);
      *cut = (struct tegra20_cut){ size, size };
      return true;
   case MESA_PRIM_LINES:
      size = 2 * MIN2(n, max / 2);
      *cut = (struct tegra20_cut){ size, size };
      return true;
   case MESA_PRIM_LINE_STRIP:
      size = MIN2(n + 1, max);
      *cut = (struct tegra20_cut){ size, size - 1 };
      return true;
   case MESA_PRIM_TRIANGLES:
      size = 3 * MIN2(n, max / 3);
      *cut = (struct tegra20_cut){ size, size };
      return true;
   case MESA_PRIM_TRIANGLE_STRIP:
      /* an even number of triangles, so that the next part begins with the
       * right winding */
      size = MIN2(MAX2(n / 2 * 2, 2) + 2, max);
      *cut = (struct tegra20_cut){ size, size - 2 };
      return true;
   default:
      return false;
   }
}

/* Primitives that one draw of the engine may have. */
static unsigned
tegra20_plan_max_primitives(const struct tegra20_context *ctx)
{
   if (tegra20_plan_fetches_alone(&ctx->plan))
      return 1;
   const unsigned max = ctx->plan.counts
                           ? tegra20_occlusion_max_primitives(ctx)
                           : TEGRA20_MAX_DRAW_VERTICES;
   return MIN2(max, tegra20_cost_max_primitives(ctx));
}

bool
tegra20_plan_can_draw(const struct tegra20_context *ctx, enum mesa_prim mode,
                      unsigned count)
{
   if (ctx->plan.simple && count <= ctx->cost.max_vertices)
      return true;

   const unsigned max = tegra20_plan_max_primitives(ctx);
   struct tegra20_cut cut;

   if (ctx->plan.max_groups && mode != MESA_PRIM_POINTS &&
       mode != MESA_PRIM_LINES && mode != MESA_PRIM_LINE_STRIP &&
       mode != MESA_PRIM_TRIANGLES)
      return false;
   return (count <= TEGRA20_MAX_DRAW_VERTICES &&
           u_decomposed_prims_for_vertices(mode, count) <= max) ||
          tegra20_cut_primitives(mode, max, &cut);
}

static uint32_t
tegra20_primitive_type(enum mesa_prim mode)
{
   switch (mode) {
   case MESA_PRIM_POINTS:
      return GR3D_PRIMITIVE_TYPE_POINTS;
   case MESA_PRIM_LINES:
      return GR3D_PRIMITIVE_TYPE_LINES;
   case MESA_PRIM_LINE_LOOP:
      return GR3D_PRIMITIVE_TYPE_LINE_LOOP;
   case MESA_PRIM_LINE_STRIP:
      return GR3D_PRIMITIVE_TYPE_LINE_STRIP;
   case MESA_PRIM_TRIANGLE_STRIP:
      return GR3D_PRIMITIVE_TYPE_TRIANGLE_STRIP;
   case MESA_PRIM_TRIANGLE_FAN:
      return GR3D_PRIMITIVE_TYPE_TRIANGLE_FAN;
   default:
      return GR3D_PRIMITIVE_TYPE_TRIANGLES;
   }
}

static uint32_t
tegra20_draw_params(const struct tegra20_context *ctx,
                    const struct tegra20_primitives *prims)
{
   uint32_t index_mode = !prims->index_bo         ? GR3D_INDEX_MODE_NONE
                         : prims->index_size == 1 ? GR3D_INDEX_MODE_UINT8
                                                  : GR3D_INDEX_MODE_UINT16;
   /* A30: the bit selects the last vertex, or the first one */
   const bool first = ctx->rasterizer->base.flatshade_first ^
                      TEGRA20_HW_IS(PROVOKING_BIT, FIRST);
   uint32_t provoking =
      first ? GR3D_PROVOKING_VERTEX_FIRST : GR3D_PROVOKING_VERTEX_LAST;

   return GR3D_DRAW_PARAMS_PRIMITIVE_TYPE(
             tegra20_primitive_type(prims->mode)) |
          GR3D_DRAW_PARAMS_INDEX_MODE(index_mode) |
          GR3D_DRAW_PARAMS_PROVOKING_VERTEX(provoking);
}

/* Do the triangles at t and t + 3 of a list share an edge, in opposite
 * directions as neighbours with the same winding do? */
static bool
tegra20_share_edge(const uint32_t *t)
{
   for (unsigned i = 0; i < 3; i++) {
      for (unsigned j = 0; j < 3; j++) {
         if (t[i] == t[3 + (j + 1) % 3] && t[(i + 1) % 3] == t[3 + j])
            return true;
      }
   }
   return false;
}

/* Vertices of the group that begins at a vertex of a list of primitives. */
static unsigned
tegra20_group_size(const struct tegra20_context *ctx,
                   const struct tegra20_primitives *prims, unsigned at)
{
   const unsigned cull = ctx->rasterizer->base.cull_face;

   if (prims->vertices_per_group)
      return prims->vertices_per_group;
   switch (prims->mode) {
   case MESA_PRIM_POINTS:
      return 1;
   case MESA_PRIM_LINES:
   case MESA_PRIM_LINE_STRIP:
      return 2;
   default:
      return prims->numbers && cull != PIPE_FACE_NONE &&
                   at + 6 <= prims->count &&
                   tegra20_share_edge(&prims->numbers[at])
                ? 6
                : 3;
   }
}

/* A part of the primitives as one draw. */
static bool
tegra20_plan_draw_part(struct tegra20_context *ctx,
                       const struct tegra20_primitives *prims, unsigned at,
                       unsigned count)
{
   const struct tegra20_draw_call call = {
      .params = tegra20_draw_params(ctx, prims),
      .first = prims->index_bo ? 0 : prims->first + at,
      .count = count,
      .index_bo = prims->index_bo,
      .index_offset =
         prims->index_offset + (prims->first + at) * prims->index_size,
      .mode = prims->mode,
   };

   struct tegra20_draw_call dilated = call;

   if (ctx->plan.num_passes == 1 && !ctx->plan.counts)
      return tegra20_emit_draw(ctx, &ctx->plan.passes[0], &call);
   if (ctx->plan.dilates) {
      const struct tegra20_dilated *d = &prims->dilated[at / count];

      if (!d->count)
         return true; /* it covers no pixel */
      dilated.params = tegra20_draw_params(
         ctx, &(struct tegra20_primitives){ .mode = MESA_PRIM_TRIANGLES });
      dilated.first = d->first;
      dilated.count = d->count;
   }
   return tegra20_plan_draw_group(
      ctx, &call, &dilated,
      u_decomposed_prims_for_vertices(prims->mode, count));
}

static void
tegra20_plan_draw_groups(struct tegra20_context *ctx,
                         const struct tegra20_primitives *prims)
{
   const unsigned overlap = prims->mode == MESA_PRIM_LINE_STRIP;
   unsigned size;

   for (unsigned at = 0; at + overlap < prims->count; at += size - overlap) {
      size = tegra20_group_size(ctx, prims, at);
      if (at + size > prims->count ||
          !tegra20_plan_draw_part(ctx, prims, at, size))
         break;
   }
}

void
tegra20_plan_draw(struct tegra20_context *ctx,
                  const struct tegra20_primitives *prims)
{
   if (ctx->plan.simple && prims->count <= ctx->cost.max_vertices) {
      tegra20_plan_draw_part(ctx, prims, 0, prims->count);
      return;
   }

   const unsigned max = tegra20_plan_max_primitives(ctx);
   const unsigned num =
      u_decomposed_prims_for_vertices(prims->mode, prims->count);
   struct tegra20_cut cut = { prims->count, prims->count };

   if (ctx->plan.dilates ||
       (ctx->plan.max_groups && num <= ctx->plan.max_groups)) {
      tegra20_plan_draw_groups(ctx, prims);
      return;
   }
   if (prims->count > TEGRA20_MAX_DRAW_VERTICES || num > max)
      tegra20_cut_primitives(prims->mode, max, &cut);
   for (unsigned done = 0; done < prims->count; done += cut.advance) {
      unsigned count = MIN2(prims->count - done, cut.size);

      if (done && !u_trim_pipe_prim(prims->mode, &count))
         break;
      if (!tegra20_plan_draw_part(ctx, prims, done, count) ||
          done + count == prims->count)
         break;
   }
}
