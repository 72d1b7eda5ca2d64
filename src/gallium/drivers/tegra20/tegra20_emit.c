/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * State to registers, in the order of gr3d-registers.md 4.1.
 *
 * Each draw is one packet group of the job: it is announced with the largest
 * size that a draw can need, so that it never splits.  The first draw of a
 * job sends everything (nothing survives between jobs, A75), beginning with
 * the reset block that every known driver sends; later ones send what the
 * dirty bits name.
 */

#include "tegra20_emit.h"

#include "tegra20/gr3d_regs.h"
#include "tegra20/tegra20_hw.h"

#include "tegra20_cost.h"
#include "tegra20_debug.h"
#include "tegra20_improve.h"
#include "tegra20_screen.h"
#include "tegra20_swtnl.h"
#include "tegra20_texture.h"

/*
 * Largest group: vertex program and constants 1024 + 1120 words, fragment
 * program 6 * 64 + 128 + 1024, linker 64, constants 32, 3 words for each of
 * 16 attributes and targets, 5 for each of 16 textures, reset block, single
 * registers and the additions of later chips.
 */
#define MAX_GROUP_WORDS 5120
#define MAX_GROUP_RELOCS (16 + 16 + 10 + 1)

/* --- reset block --- */

static const struct tegra20_chip_reg resets[] = {
   /* grate's column of gr3d-registers.md 2.3, without registers of later
    * chips (A78), which struct tegra20_chip_info has */
   { GR3D_UNK_00D(0), 9, 0 },
   { GR3D_VP_ATTRIB_IN_OUT_SELECT, 1, 0 },
   { GR3D_DRAW_PARAMS, 1, 0 },
   { GR3D_UNK_124, 1, 7 },
   { GR3D_UNK_125, 2, 0 },
   { GR3D_UNK_200, 1, 0x11 },
   { GR3D_UNK_201, 1, 0xffff },
   { GR3D_UNK_202, 1, 0xff0000 },
   { GR3D_UNK_203, 2, 0 },
   { GR3D_UNK_209, 2, 0 },
   { GR3D_UNK_20B, 1, 3 },
   { GR3D_LINKER_INSTRUCTION(0), 2, 0 },
   { GR3D_UNK_34E, 1, 0x3f800000 },
   { GR3D_UNK_34F, 1, 0 },
   { GR3D_UNK_35B, 1, 0x205 },
   { GR3D_UNK_363, 2, 0 },
   { GR3D_UNK_406, 1, 1 },
   { GR3D_UNK_407(0), 3, 0 },
   { GR3D_UNK_40A, 1, 0x1fff1fff },
   { GR3D_UNK_40B, 1, 0 },
   { GR3D_UNK_40C, 1, 6 },
   { GR3D_UNK_40D, 1, 0 },
   { GR3D_UNK_40E, 1, 8 },
   { GR3D_UNK_410, 4, 0 },
   { GR3D_FP_PSEQ_UPLOAD_INST_BUFFER_FLUSH, 1, 0 },
   { GR3D_UNK_502, 2, 0 },
   { GR3D_FP_PSEQ_ENGINE_INST, 32, 0 },
   { GR3D_FP_PSEQ_UPLOAD_INST_ID, 1, 0 },
   { GR3D_UNK_542(0), 3, 0 },
   { GR3D_FP_PSEQ_QUAD_ID, 1, 0 },
   { GR3D_UNK_60E, 1, 0 },
   { GR3D_UNK_702, 1, 0 },
   { GR3D_UNK_740, 1, 0x35 },
   { GR3D_UNK_741, 2, 0 },
   { GR3D_UNK_902, 1, 0 },
   { GR3D_FDC_CONTROL, 1, 0xe00 },
   { GR3D_UNK_A01, 1, 0 },
   { GR3D_UNK_A02(0), 3, 0x1ff },
   { GR3D_UNK_A05, 1, 0x30 },
   { GR3D_UNK_A06, 1, 0x20 },
   { GR3D_UNK_A07, 1, 0x30 },
   { GR3D_UNK_A08, 1, 0x100 },
   { GR3D_UNK_A09, 1, 0x0f0f0f0f },
   { GR3D_UNK_A0A(0), 3, 0 },
   { GR3D_FP_UPLOAD_INST_ID_COMMON, 1, 0 },
   { GR3D_UNK_E25, 1, 0 },
   { GR3D_UNK_E27, 1, 1 },
   /* registers that no state below changes */
   { GR3D_DITHER, 1, 0x779 },        /* A70: unused, dithering stays off */
   { GR3D_LINE_PARAMS, 1, 2 },       /* A27 */
   { GR3D_POINT_PARAMS, 1, 0x1401 }, /* A27 */
   { GR3D_POINT_COORD_RANGE_MAX_S, 2, 0x3f800000 },
   { GR3D_POINT_COORD_RANGE_MIN_S, 2, 0 },
   { GR3D_PSEQ_CFG, 1, 0x223212cf }, /* its limit of 300 is that of
                                        tegra20_pack_alu_buffer_size() */
};

/* A76, A77: writes of other engines or earlier draws become visible. */
#define FDC_INVALIDATE 0xe01

static void
tegra20_emit_registers(struct tegra20_stream *s,
                       const struct tegra20_chip_reg *list, unsigned count)
{
   for (unsigned i = 0; i < count; i++) {
      const struct tegra20_chip_reg *r = &list[i];

      if (r->count == 1) {
         tegra20_reg(s, r->reg, r->value);
      } else {
         tegra20_out(s, host1x_incr(r->reg, r->count));
         for (unsigned n = 0; n < r->count; n++)
            tegra20_out(s, r->value);
      }
   }
}

static void
tegra20_emit_invalidate(struct tegra20_stream *s,
                        const struct tegra20_chip_info *chip)
{
   tegra20_reg(s, GR3D_FDC_CONTROL, FDC_INVALIDATE);
   if (chip->quirks & TEGRA20_QUIRK_FDC_STAYS)
      tegra20_reg(s, GR3D_FDC_CONTROL, FDC_INVALIDATE & ~1);
}

static void
tegra20_make_reset(struct tegra20_stream *s,
                   const struct tegra20_chip_info *chip)
{
   tegra20_emit_registers(s, chip->init, chip->num_init);
   tegra20_emit_registers(s, resets, ARRAY_SIZE(resets));
   /* A107: Tegra30's list has them in any case */
   if (TEGRA20_HW_IS(REGISTERS_750, ZEROED)) {
      const struct tegra20_chip_reg zero = { GR3D_UNK_750(0), 16, 0 };
      tegra20_emit_registers(s, &zero, 1);
   }
   tegra20_emit_invalidate(s, chip);
}

/* The same words in each job: those of the first one are kept. */
static void
tegra20_emit_reset(struct tegra20_stream *s, struct tegra20_context *ctx)
{
   if (ctx->num_reset_words == 0) {
      struct tegra20_stream kept = { .p = ctx->reset_words };

      tegra20_make_reset(&kept, ctx->screen->chip);
      ctx->num_reset_words = kept.p - ctx->reset_words;
      assert(ctx->num_reset_words <= ARRAY_SIZE(ctx->reset_words));
   }
   memcpy(s->p, ctx->reset_words, ctx->num_reset_words * sizeof(*s->p));
   s->p += ctx->num_reset_words;
}

/* --- programs --- */

static void
tegra20_emit_vertex_program(struct tegra20_stream *s,
                            const struct tegra20_pass *pass)
{
   const struct tegra20_vs *vs = pass->vs_variant->program;

   tegra20_reg(s, GR3D_VP_UPLOAD_INST_ID, 0);
   tegra20_port(s, GR3D_VP_UPLOAD_INST, &vs->insts[0][0], vs->num_insts * 4);
}

/* Values must have been evaluated. */
static void
tegra20_emit_fragment_program(struct tegra20_stream *s,
                              struct tegra20_context *ctx,
                              const struct tegra20_fs_variant *v)
{
   const unsigned n = v->program->num_execs;
   unsigned head = v->num_words;

   /* the complements are always 0, so once per job and entry; their place is
    * in front of the DW words */
   if (n > ctx->sent_complements)
      head = v->dw_start;
   memcpy(s->p, v->words, head * 4);
   s->p += head;
   if (head == v->num_words)
      return;
   ctx->sent_complements = n;
   tegra20_out(s, host1x_nonincr(GR3D_FP_UPLOAD_ALU_INST_COMPLEMENT, n));
   memset(s->p, 0, n * 4);
   s->p += n;
   memcpy(s->p, v->words + head, (v->num_words - head) * 4);
   s->p += v->num_words - head;
}

static void
tegra20_emit_link(struct tegra20_stream *s, struct tegra20_context *ctx,
                  const struct tegra20_link *link)
{
   struct tegra20_stream group = *s;

   tegra20_reg(&group, GR3D_TRAM_SETUP,
               GR3D_TRAM_SETUP_USED_TRAM_ROWS_NB(link->tram_rows) |
                  GR3D_TRAM_SETUP_DIV64(64 / link->tram_rows));
   tegra20_out(&group,
               host1x_incr(GR3D_LINKER_INSTRUCTION(0), link->count * 2));
   memcpy(group.p, link->words, link->count * 8);
   group.p += link->count * 2;
   tegra20_end_group(s, &group, ctx, TEGRA20_GROUP_LINK);
}

/* --- constants --- */

const uint32_t *
tegra20_constant_words(const struct tegra20_context *ctx,
                       gl_shader_stage stage, unsigned *count)
{
   const struct pipe_constant_buffer *cb =
      &ctx->constants[stage == MESA_SHADER_FRAGMENT];
   const uint8_t *words = cb->user_buffer;

   if (cb->buffer) {
      struct tegra20_resource *res = tegra20_resource(cb->buffer);
      words = tegra20_bo_map(res->bo);
      words = words ? words + res->offset : NULL;
   }
   *count = words ? cb->buffer_size / 4 : 0;
   return words ? (const uint32_t *)(words + cb->buffer_offset) : NULL;
}

unsigned
tegra20_vertex_words(const struct tegra20_context *ctx,
                     uint32_t words[TEGRA20_VS_MAX_CONSTS * 4])
{
   unsigned count;
   const uint32_t *given =
      tegra20_constant_words(ctx, MESA_SHADER_VERTEX, &count);
   const unsigned num =
      MIN2(ctx->bound_vs->nir->num_uniforms, TEGRA20_VS_MAX_CONSTS) * 4;

   memset(words, 0, num * sizeof(*words));
   if (count > 0)
      memcpy(words, given, MIN2(count, num) * sizeof(*words));
   if (ctx->bound_vs->reads_instance)
      words[num - 4] = fui(ctx->instance);
   return num;
}

#define MAX_VERTEX_WORDS                                   \
   (TEGRA20_VS_MAX_CONSTS * 4 + PIPE_MAX_CLIP_PLANES * 4 + \
    TEGRA20_POINT_UNIFORMS)

/* tegra20_vertex_words(), and behind them the user's clip planes and the
 * inputs of tegra20_program_nir.c.  Returns their number. */
static unsigned
append_vertex_words(const struct tegra20_context *ctx,
                    const struct tegra20_pass *pass,
                    uint32_t extended[MAX_VERTEX_WORDS])
{
   unsigned at = tegra20_vertex_words(ctx, extended);

   if (pass->clip_planes) {
      memcpy(&extended[at], ctx->clip.ucp, sizeof(ctx->clip.ucp));
      at += sizeof(ctx->clip.ucp) / sizeof(*extended);
   }
   if (pass->expands_points) {
      tegra20_point_uniforms(ctx, pass->whole_quads, (float *)&extended[at]);
      at += TEGRA20_POINT_UNIFORMS;
   }
   return at;
}

/* Those of tegra20_swtnl_vs(); returns their number. */
static unsigned
window_uniforms(const struct tegra20_context *ctx, float *words)
{
   memset(words, 0, TEGRA20_SWTNL_UNIFORMS * 4 * sizeof(float));
   for (unsigned c = 0; c < 3; c++) {
      words[TEGRA20_SWTNL_RCP_SCALE * 4 + c] =
         ctx->viewport.scale[c] ? 1 / ctx->viewport.scale[c] : 0;
      words[TEGRA20_SWTNL_TRANSLATE * 4 + c] = ctx->viewport.translate[c];
   }
   return TEGRA20_SWTNL_UNIFORMS * 4;
}

/* Those of the vertex program: the application's, or the driver's own. */
static void
tegra20_eval_vertex_values(struct tegra20_context *ctx,
                           const struct tegra20_pass *pass,
                           const float *params)
{
   uint32_t extended[MAX_VERTEX_WORDS];
   struct tegra20_vs_variant *v = pass->vs_variant;
   unsigned count;
   const uint32_t *words =
      tegra20_constant_words(ctx, MESA_SHADER_VERTEX, &count);

   if (pass->windowed) {
      count = window_uniforms(ctx, (float *)extended);
      words = extended;
   } else if (pass->clip_planes || pass->expands_points ||
              pass->vs->reads_instance) {
      count = append_vertex_words(ctx, pass, extended);
      words = extended;
   }
   tegra20_values_eval(&v->program->values, words, count, params, v->values);
}

static void
tegra20_emit_vertex_constants(struct tegra20_stream *s,
                              struct tegra20_context *ctx,
                              const struct tegra20_pass *pass,
                              const float *params)
{
   struct tegra20_vs_variant *v = pass->vs_variant;
   const struct tegra20_vs *vs = v->program;

   if (!vs->num_consts)
      return;
   tegra20_eval_vertex_values(ctx, pass, params);
   tegra20_reg(s, GR3D_VP_UPLOAD_CONST_ID, 0);
   tegra20_out(s, host1x_nonincr(GR3D_VP_UPLOAD_CONST, vs->num_consts * 4));
   for (unsigned i = 0; i < vs->num_consts; i++) {
      for (unsigned c = 0; c < 4; c++) {
         uint16_t node = vs->consts[i][c];
         tegra20_out_float(s,
                           node == TEGRA20_NO_VALUE ? 0.0f : v->values[node]);
      }
   }
}

/* --- draw --- */

/* A variant that was in use before still has its constants when nothing
 * changed since. */
static bool
tegra20_has_constants(const struct tegra20_context *ctx,
                      const struct tegra20_fs_variant *v)
{
   return v->constants_serial == ctx->constants_serial;
}

/* The parameters of enum tegra20_param, from the bound state. */
static void
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

static void
tegra20_emit_constants(struct tegra20_stream *s, struct tegra20_context *ctx,
                       const struct tegra20_pass *pass, bool vs, bool fs)
{
   struct tegra20_fs_variant *v = pass->fs_variant;
   float params[TEGRA20_PARAM_COUNT];
   bool eval_fs = fs && !tegra20_has_constants(ctx, v);

   if ((vs && pass->vs_variant->params_used) || (eval_fs && v->params_used))
      tegra20_program_params(ctx, params);
   if (eval_fs && v->params_used)
      tegra20_sampled_params(ctx, pass, params);
   if (vs)
      tegra20_emit_vertex_constants(s, ctx, pass, params);
   if (eval_fs) {
      unsigned count;
      const uint32_t *words =
         tegra20_constant_words(ctx, MESA_SHADER_FRAGMENT, &count);

      tegra20_values_eval(&v->program->values, words, count, params,
                          v->values);
      tegra20_upload_constants(v);
      v->constants_serial = ctx->constants_serial;
   }
   if (fs && v->num_uniforms)
      tegra20_send_group(s, ctx, TEGRA20_GROUP_FRAGMENT_CONSTANTS,
                         v->uniforms, 1 + v->num_uniforms);
}

/* Not inlined: draws without new state save fewer registers. */
static ATTRIBUTE_NOINLINE void
tegra20_emit_state(struct tegra20_stream *s, struct tegra20_context *ctx,
                   const struct tegra20_pass *pass)
{
   uint32_t dirty = ctx->dirty;
   /* which state the registers of a group depend on */
   const uint32_t scissor = TEGRA20_DIRTY_FRAMEBUFFER |
                            TEGRA20_DIRTY_VIEWPORT | TEGRA20_DIRTY_SCISSOR;
   const uint32_t depth_stencil = TEGRA20_DIRTY_ZSA |
                                  TEGRA20_DIRTY_STENCIL_REF |
                                  TEGRA20_DIRTY_FRAMEBUFFER;
   uint32_t vs_params = pass->vs_variant->params_used,
            fs_params = pass->fs_variant->params_used;

   /* the uniforms of the driver's own programs */
   if (pass->expands_points || pass->windowed)
      vs_params |= TEGRA20_DIRTY_VIEWPORT | TEGRA20_DIRTY_RASTERIZER;
   bool vs_consts =
      dirty & (TEGRA20_DIRTY_VS_CODE | TEGRA20_DIRTY_VS_CONST | vs_params);
   bool fs_consts =
      dirty & (TEGRA20_DIRTY_FS_CODE | TEGRA20_DIRTY_FS_CONST | fs_params);
   bool fs_code = (dirty & TEGRA20_DIRTY_FS_CODE) ||
                  (fs_consts && pass->fs_variant->program->num_patches);

   if (dirty & TEGRA20_DIRTY_JOB) {
      for (unsigned i = 0; i < TEGRA20_NUM_GROUPS; i++)
         ctx->sent[i].count = 0;
      ctx->sent_complements = 0;
      ctx->sent_index_bo = NULL;
      tegra20_emit_reset(s, ctx);
   }
   if (dirty & scissor)
      tegra20_emit_scissor(s, ctx, pass);
   if (dirty & TEGRA20_DIRTY_RASTERIZER)
      tegra20_emit_rasterizer(s, ctx, pass);
   if (dirty & depth_stencil ||
       pass->fs_variant->program->kills != ctx->sent_kills ||
       (dirty & TEGRA20_DIRTY_RASTERIZER && ctx->sent_stencil &&
        tegra20_pass_face(ctx, pass) != ctx->sent_face))
      tegra20_emit_depth_stencil(s, ctx, pass);
   if (dirty & TEGRA20_DIRTY_VIEWPORT)
      tegra20_emit_viewport(s, ctx, pass);
   if (dirty &
       (TEGRA20_DIRTY_RASTERIZER | TEGRA20_DIRTY_LINK |
        (TEGRA20_HW_IS(WINDING, VIEWPORT) ? TEGRA20_DIRTY_VIEWPORT : 0)))
      tegra20_emit_cull_face(s, ctx, pass);
   ctx->constants_serial +=
      (dirty & (TEGRA20_DIRTY_FS_CONST | TEGRA20_DIRTY_PARAMS)) != 0;
   if (vs_consts || fs_consts)
      tegra20_emit_constants(s, ctx, pass, vs_consts, fs_consts);
   if (dirty &
       (TEGRA20_DIRTY_VERTEX | TEGRA20_DIRTY_VS_CODE | TEGRA20_DIRTY_LINK))
      tegra20_emit_attributes(s, ctx, pass);
   if (dirty & (TEGRA20_DIRTY_FRAMEBUFFER | TEGRA20_DIRTY_ZSA_KEY) ||
       tegra20_rts(pass) != ctx->sent_rts)
      tegra20_emit_targets(s, ctx, pass);
   if (dirty & TEGRA20_DIRTY_TEXTURES)
      ctx->sent_textures = 0;
   if (dirty & (TEGRA20_DIRTY_TEXTURES | TEGRA20_DIRTY_FS_CODE))
      tegra20_emit_textures(s, ctx, pass);
   if (dirty & TEGRA20_DIRTY_VS_CODE)
      tegra20_emit_vertex_program(s, pass);
   if (fs_code) {
      tegra20_send_group(s, ctx, TEGRA20_GROUP_PROGRAM_SETUP,
                         pass->fs_variant->setup,
                         pass->fs_variant->num_setup);
      tegra20_emit_fragment_program(s, ctx, pass->fs_variant);
   }
   if (dirty & TEGRA20_DIRTY_LINK)
      tegra20_emit_link(s, ctx, pass->link);
}

/* Marks surfaces that the draw renders to, for the barrier before they are
 * sampled.  Earlier draws of the job did the same while neither targets nor
 * textures change, as they do with each epoch. */
static void
tegra20_mark_targets(struct tegra20_context *ctx,
                     const struct tegra20_pass *pass)
{
   const struct tegra20_fs *fs = pass->fs_variant->program;
   const uint32_t rts = tegra20_rts(pass);

   if (!(ctx->dirty & (TEGRA20_DIRTY_FRAMEBUFFER | TEGRA20_DIRTY_ZSA_KEY |
                       TEGRA20_DIRTY_TEXTURES)) &&
       rts == ctx->sent_rts)
      return;
   ctx->sent_rts = rts;

   u_foreach_bit (i, tegra20_used_cbufs(pass) & fs->rts_stored) {
      struct pipe_surface *surface = pass->cbufs[i];
      struct tegra20_resource *res =
         tegra20_surface_target(surface, surface->u.tex.first_layer).resource;

      tegra20_context_writes(ctx, res);
   }
   if (tegra20_depth_active(ctx, pass) || tegra20_stencil_active(ctx, pass))
      tegra20_context_writes(ctx, tegra20_bound_zs(pass));
}

static bool
tegra20_is_target(const struct tegra20_pass *pass,
                  const struct tegra20_resource *res)
{
   for (unsigned i = 0; i < pass->nr_cbufs; i++) {
      struct pipe_surface *surface = pass->cbufs[i];

      if (surface &&
          tegra20_surface_target(surface, surface->u.tex.first_layer)
                .resource == res)
         return true;
   }
   return false;
}

/* While targets and textures stay the same nothing but the targets is
 * rendered to: the other textures need one look. */
static bool
tegra20_samples_what_was_rendered(struct tegra20_context *ctx,
                                  const struct tegra20_pass *pass)
{
   const struct tegra20_fs *fs = pass->fs_variant->program;
   const uint32_t used = fs->samplers_used & ~(fs->ramps[0] | fs->ramps[1]);
   bool result = false;

   if (ctx->dirty & (TEGRA20_DIRTY_FRAMEBUFFER | TEGRA20_DIRTY_TEXTURES))
      ctx->unrendered_textures = 0;
   u_foreach_bit (i, used & ~ctx->unrendered_textures) {
      const struct tegra20_resource *res = ctx->textures[i].resource;

      if (pass->sampled[i])
         res = tegra20_sampled(ctx, pass, i);
      else if (ctx->textures[i].copy)
         continue;
      result |= res->epoch == ctx->epoch;
      if (!tegra20_is_target(pass, res))
         ctx->unrendered_textures |= BITFIELD_BIT(i);
   }
   return result;
}

/* A77: the sampled surface was rendered to in this job. */
static bool
tegra20_texture_barrier(struct tegra20_context *ctx, struct tegra20_job *job)
{
   if (tegra20_job_empty(job))
      return true;
   if (!tegra20_job_barrier(job)) {
      tegra20_context_submit(ctx, TEGRA20_ENGINE_3D);
      return true;
   }
   struct tegra20_stream s = { .job = job,
                               .p = tegra20_job_begin(job, 4, 0) };
   if (!s.p) {
      tegra20_context_submit(ctx, TEGRA20_ENGINE_3D);
      return true;
   }
   tegra20_emit_invalidate(&s, ctx->screen->chip);
   tegra20_job_end(job, s.p);
   tegra20_context_new_epoch(ctx);
   ctx->dirty |= TEGRA20_DIRTY_TEXTURES;
   ctx->stats.barriers++;
   return true;
}

/* State whose registers differ between two passes, apart from programs. */
static uint32_t
tegra20_pass_difference(const struct tegra20_pass *a,
                        const struct tegra20_pass *b)
{
   uint32_t dirty = 0;

   if (memcmp(a->cbufs, b->cbufs, sizeof(a->cbufs)) != 0 ||
       a->nr_cbufs != b->nr_cbufs || a->fetch_only != b->fetch_only ||
       a->spilled != b->spilled || a->flags != b->flags ||
       memcmp(a->group, b->group, sizeof(a->group)) != 0 ||
       a->zsbuf != b->zsbuf || a->counter != b->counter ||
       a->stencil != b->stencil || a->depth != b->depth)
      dirty |= TEGRA20_DIRTY_FRAMEBUFFER | TEGRA20_DIRTY_ZSA;
   if (memcmp(a->sampled, b->sampled, sizeof(a->sampled)) != 0)
      dirty |= TEGRA20_DIRTY_TEXTURES;
   if (a->whole_quads != b->whole_quads) /* points are larger then */
      dirty |= TEGRA20_DIRTY_SCISSOR |
               (b->expands_points ? TEGRA20_DIRTY_RASTERIZER : 0);
   if (a->mark != b->mark)
      dirty |= TEGRA20_DIRTY_ZSA;
   if (a->kind != b->kind)
      dirty |= TEGRA20_DIRTY_RASTERIZER;
   if (a->expands_points != b->expands_points || a->windowed != b->windowed)
      dirty |= TEGRA20_DIRTY_RASTERIZER | TEGRA20_DIRTY_VIEWPORT;
   return dirty;
}

static uint32_t
tegra20_program_difference(const struct tegra20_pass *a,
                           const struct tegra20_pass *b)
{
   uint32_t dirty = 0;

   if (a->vs_variant != b->vs_variant)
      dirty |= TEGRA20_DIRTY_VS_CODE;
   if (a->fs_variant != b->fs_variant)
      dirty |= TEGRA20_DIRTY_FS_CODE;
   if (a->link != b->link &&
       (!a->link || !tegra20_same_link(a->link, b->link)))
      dirty |= TEGRA20_DIRTY_LINK;
   return dirty;
}

/* A98: does the draw overwrite state that those before it in the job may
 * still need? */
static bool
tegra20_waits_for_draws(const struct tegra20_context *ctx,
                        struct tegra20_job *job)
{
   const uint32_t uploads = TEGRA20_DIRTY_VS_CODE | TEGRA20_DIRTY_FS_CODE |
                            TEGRA20_DIRTY_VS_CONST | TEGRA20_DIRTY_FS_CONST |
                            TEGRA20_DIRTY_PARAMS;

   return TEGRA20_HW_IS(DRAWS_IN_JOB, UPLOADS) && ctx->dirty & uploads &&
          !tegra20_job_empty(job);
}

/* A98: must a draw not meet the next one? */
static bool
tegra20_is_alone(struct tegra20_job *job)
{
   return TEGRA20_HW_IS(DRAWS_IN_JOB, ALONE) ||
          (TEGRA20_HW_IS(DRAWS_IN_JOB, WAIT) && !tegra20_job_barrier(job));
}

/* Draws bands of the scissor rectangle, one after the other.  Fragments of a
 * pixel keep their order, and no pixel sees another one's. */
static bool
tegra20_emit_bands(struct tegra20_context *ctx,
                   const struct tegra20_pass *pass,
                   const struct tegra20_draw_call *call, unsigned rows)
{
   const struct pipe_scissor_state area = ctx->draw_area;
   bool ok = true;

   for (unsigned y = area.miny; ok && y < area.maxy;
        y = ctx->draw_area.maxy) {
      ctx->draw_area.miny = y;
      ctx->draw_area.maxy = MIN2(y / rows * rows + rows, area.maxy);
      ctx->dirty |= TEGRA20_DIRTY_SCISSOR;
      ok = tegra20_emit_draw(ctx, pass, call);
   }
   ctx->draw_area = area;
   ctx->dirty |= TEGRA20_DIRTY_SCISSOR;
   return ok;
}

/* Draws of the same indices share a relocation, of which a job has few
 * (kernel-interface.md 7.5).  The job keeps the buffer, so that no other one
 * can have its address. */
static void
tegra20_emit_index_pointer(struct tegra20_stream *s,
                           struct tegra20_context *ctx,
                           const struct tegra20_draw_call *call)
{
   if (call->index_bo == ctx->sent_index_bo &&
       call->index_offset == ctx->sent_index_offset)
      return;
   ctx->sent_index_bo = call->index_bo;
   ctx->sent_index_offset = call->index_offset;
   tegra20_reg_address(s, GR3D_INDEX_PTR, call->index_bo, call->index_offset,
                       TEGRA20_READ);
}

static void
tegra20_note_emitted(struct tegra20_context *ctx,
                     const struct tegra20_pass *pass)
{
   if (pass != ctx->emitted_pass) {
      ctx->emitted_pass = pass;
      *ctx->emitted = *pass;
   } else if (ctx->emitted->fs_variant != pass->fs_variant) {
      ctx->emitted->fs_variant = pass->fs_variant;
      ctx->emitted->link = pass->link;
   }
}

bool
tegra20_emit_draw(struct tegra20_context *ctx,
                  const struct tegra20_pass *pass,
                  const struct tegra20_draw_call *call)
{
   /* A09: the fetch and vertex caches are stale when any of this changed, as
    * all of it has at the start of a job. */
   const uint32_t vertex_state =
      TEGRA20_DIRTY_VERTEX | TEGRA20_DIRTY_VS_CODE | TEGRA20_DIRTY_VS_CONST |
      TEGRA20_DIRTY_LINK | TEGRA20_DIRTY_VIEWPORT | TEGRA20_DIRTY_RASTERIZER;
   /* while it has commands the other engine's job has none */
   struct tegra20_job *job = ctx->dirty & TEGRA20_DIRTY_JOB
                                ? tegra20_context_job(ctx, TEGRA20_ENGINE_3D)
                                : ctx->jobs[TEGRA20_ENGINE_3D];
   assert(tegra20_job_empty(ctx->jobs[TEGRA20_ENGINE_2D]));

   /* nothing survives between jobs */
   if (ctx->dirty & TEGRA20_DIRTY_JOB || DBG(FULLSTATE))
      ctx->dirty = TEGRA20_DIRTY_ALL;
   if (pass != ctx->emitted_pass)
      ctx->dirty |= tegra20_pass_difference(ctx->emitted, pass);
   ctx->dirty |= tegra20_program_difference(ctx->emitted, pass);
   if (ctx->dirty & TEGRA20_DIRTY_COST) {
      const unsigned rows = tegra20_cost_update(ctx, pass, call);

      if (rows)
         return tegra20_emit_bands(ctx, pass, call, rows);
      if (pass->fs_variant->program->draft)
         tegra20_improve_note_draft(ctx, pass->fs_variant);
   }
   if (tegra20_samples_what_was_rendered(ctx, pass) &&
       !tegra20_texture_barrier(ctx, job))
      return false;
   if (tegra20_waits_for_draws(ctx, job) && !tegra20_job_barrier(job))
      tegra20_context_submit(ctx, TEGRA20_ENGINE_3D);

   struct tegra20_stream s = { .job = job };
   s.p = tegra20_job_begin(job, MAX_GROUP_WORDS, MAX_GROUP_RELOCS);
   if (!s.p) {
      tegra20_context_submit(ctx, TEGRA20_ENGINE_3D);
      s.p = tegra20_job_begin(job, MAX_GROUP_WORDS, MAX_GROUP_RELOCS);
      if (!s.p) {
         tegra20_msg_once("out of memory: draws are dropped");
         return false;
      }
   }
   if (ctx->dirty & TEGRA20_DIRTY_JOB) { /* also where that above submits */
      ctx->dirty = TEGRA20_DIRTY_ALL;
      ctx->stats.full_states++;
   }

   const bool stale = ctx->dirty & vertex_state;
   /* programs have the rest; registers below have no other writer */
   if (ctx->dirty &
       ~(TEGRA20_DIRTY_BLEND | TEGRA20_DIRTY_VS | TEGRA20_DIRTY_FS)) {
      tegra20_emit_state(&s, ctx, pass);
      tegra20_mark_targets(ctx, pass);
   }
   ctx->dirty = 0;

   const struct tegra20_chip_info *chip = ctx->screen->chip;
   if (chip->num_before_draw)
      tegra20_emit_registers(&s, chip->before_draw, chip->num_before_draw);
   if (call->index_bo)
      tegra20_emit_index_pointer(&s, ctx, call);
   tegra20_reg(&s, GR3D_DRAW_PARAMS,
               call->params |
                  GR3D_DRAW_PARAMS_VTX_MEM_CACHE_INVALIDATE(stale) |
                  GR3D_DRAW_PARAMS_VTX_GPU_CACHE_INVALIDATE(stale));
   tegra20_reg(&s, GR3D_DRAW_PRIMITIVES,
               GR3D_DRAW_PRIMITIVES_INDEX_COUNT(call->count - 1) |
                  GR3D_DRAW_PRIMITIVES_OFFSET(call->first));
   const bool full = tegra20_job_end(job, s.p);

   tegra20_note_emitted(ctx, pass);
   ctx->stats.draws++;
   ctx->cost->left -= ctx->cost->area + ctx->cost->vertex * call->count;
   if (full || tegra20_is_alone(job) || DBG(FLUSH) || DBG(SYNC) ||
       (unlikely(ctx->cost->left < 0) && tegra20_cost_is_spent(ctx, call)))
      tegra20_context_submit(ctx, TEGRA20_ENGINE_3D);
   return true;
}
