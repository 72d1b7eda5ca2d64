/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * State to registers: geometry, depth and stencil.
 */

#include "tegra20_emit.h"

#include "util/u_math.h"

#include "tegra20/gr3d_regs.h"
#include "tegra20/tegra20_hw.h"

#include "tegra20_pack.h"
#include "tegra20_screen.h"

/* --- geometry --- */

void
tegra20_emit_scissor(struct tegra20_stream *s, struct tegra20_context *ctx,
                     const struct tegra20_pass *pass)
{
   struct pipe_scissor_state area = ctx->draw_area;
   struct tegra20_stream group = *s;

   if (pass->whole_quads) {
      area.minx = ROUND_DOWN_TO(area.minx, 2);
      area.miny = ROUND_DOWN_TO(area.miny, 2);
      area.maxx = align(area.maxx, 2);
      area.maxy = align(area.maxy, 2);
   }
   tegra20_out(&group, host1x_incr(GR3D_SCISSOR_HORIZ, 2));
   tegra20_out(&group, GR3D_SCISSOR_HORIZ_MIN(area.minx) |
                          GR3D_SCISSOR_HORIZ_MAX(area.maxx));
   tegra20_out(&group, GR3D_SCISSOR_VERT_MIN(area.miny) |
                          GR3D_SCISSOR_VERT_MAX(area.maxy));
   tegra20_end_group(s, &group, ctx, TEGRA20_GROUP_SCISSOR);
}

void
tegra20_emit_viewport(struct tegra20_stream *s, struct tegra20_context *ctx,
                      const struct tegra20_pass *pass)
{
   const float *scale = ctx->viewport.scale,
               *translate = ctx->viewport.translate;
   const float z_step = 1.0f / (1 << 21); /* maps ndc -1..1 to 0..0xfffff */
   const float depth_max = TEGRA20_HW_IS(DEPTH_RANGE_UNIT, 16)
                              ? 0xffff
                              : ctx->screen->chip->depth_max;
   float near = translate[2] - scale[2], far = translate[2] + scale[2];

   /* Where the scissor does not cut at the viewport the clipper does; points
    * made of triangles are clipped before.  A100: or there is no guard band
    * at all. */
   const bool exact =
      (ctx->wide && !pass->expands_points && !pass->windowed) ||
      TEGRA20_HW_IS(GUARD_BAND, DROPPED);
   const float width =
      exact ? 1.0f : tegra20_guardband(translate[0], scale[0]);
   const float height =
      exact ? 1.0f : tegra20_guardband(translate[1], scale[1]);
   struct tegra20_stream group = *s;

   tegra20_out(&group, host1x_incr(GR3D_GUARDBAND_WIDTH, 3));
   tegra20_out_float(&group, width);
   tegra20_out_float(&group, height);
   /* A20, A108: the clipper cuts exactly at near and far */
   tegra20_out_float(&group,
                     TEGRA20_HW_IS(DEPTH_GUARD_BAND, 6_99) ? 6.99f : 1.0f);

   tegra20_out(&group, host1x_incr(GR3D_DEPTH_RANGE_NEAR, 2));
   tegra20_out(&group,
               (uint32_t)(CLAMP(MIN2(near, far), 0.0f, 1.0f) * depth_max));
   tegra20_out(&group,
               (uint32_t)(CLAMP(MAX2(near, far), 0.0f, 1.0f) * depth_max));

   tegra20_out(&group, host1x_incr(GR3D_VIEWPORT_X_BIAS, 6));
   /* A22: a chip that cuts coordinates rounds them when half a step is added
    */
   const float half = TEGRA20_HW_IS(SNAP, CUT) ? 0.5f : 0.0f;
   tegra20_out_float(&group, translate[0] * 16 + half);
   tegra20_out_float(&group, translate[1] * 16 + half);
   tegra20_out_float(&group, translate[2] - z_step);
   tegra20_out_float(&group, scale[0] * 16);
   tegra20_out_float(&group, scale[1] * 16);
   tegra20_out_float(&group, scale[2] - z_step);
   tegra20_end_group(s, &group, ctx, TEGRA20_GROUP_VIEWPORT);
}

void
tegra20_emit_rasterizer(struct tegra20_stream *s, struct tegra20_context *ctx,
                        const struct tegra20_pass *pass)
{
   const struct tegra20_rasterizer *rast = ctx->rasterizer;
   struct tegra20_stream group = *s;

   const float scale = ctx->scale;

   tegra20_reg_float(&group, GR3D_POINT_SIZE, rast->point_size * scale);
   tegra20_reg_float(&group, GR3D_HALF_LINE_WIDTH,
                     rast->half_line_width * scale);
   tegra20_out(&group, host1x_incr(GR3D_POLYGON_OFFSET_UNITS, 2));
   /* of triangles only: neither of points that became triangles nor, on any
    * chip, of points and lines */
   const bool offset = pass->kind == MESA_PRIM_TRIANGLES && !pass->windowed;
   tegra20_out_float(&group, offset ? rast->offset_units : 0);
   /* slopes are depth per sample */
   tegra20_out_float(&group, offset ? rast->offset_factor * scale : 0);
   tegra20_end_group(s, &group, ctx, TEGRA20_GROUP_RASTERIZER);
}

void
tegra20_emit_cull_face(struct tegra20_stream *s, struct tegra20_context *ctx,
                       const struct tegra20_pass *pass)
{
   /* constant in every known stream */
   const uint32_t unknown = 0xb8e00000;
   uint32_t faces = ctx->rasterizer->cull_face;

   /* points that became triangles always show their front: in memory they
    * wind as front faces do without FRONT_CW */
   if (pass->expands_points)
      faces = 0;
   else if (pass->windowed)
      faces = GR3D_CULL_FACE_LINKER_SETUP_FRONT_CW(
         ctx->rasterizer->base.front_ccw);

   /* A29: a chip that winds before the viewport sees the mirror image of what
    * OpenGL means where the viewport mirrors */
   if (TEGRA20_HW_IS(WINDING, VIEWPORT) &&
       ctx->viewport.scale[0] * ctx->viewport.scale[1] < 0)
      faces = tegra20_pack_mirrored_faces(faces);

   struct tegra20_stream group = *s;
   tegra20_reg(&group, GR3D_CULL_FACE_LINKER_SETUP,
               unknown | faces |
                  GR3D_CULL_FACE_LINKER_SETUP_LINKER_INST_COUNT(
                     pass->link->count - 1));
   tegra20_end_group(s, &group, ctx, TEGRA20_GROUP_CULL_FACE);
}

/* --- depth and stencil --- */

/* State of the stencil unit for a draw. */
struct stencil_setup {
   bool test, late;
   uint32_t word1[2], word2[2]; /* 0x400/0x401 and 0xe28/0xe29 */
};

/* The face whose state side 0 (front) or 1 (back) of the engine gets: that of
 * the faces that are left, 0 or 1. */
static unsigned
tegra20_stencil_side(unsigned remaining, unsigned side)
{
   return remaining == PIPE_FACE_NONE ? side : remaining == PIPE_FACE_BACK;
}

static void
tegra20_setup_bound_stencil(const struct tegra20_context *ctx,
                            const struct tegra20_pass *pass,
                            unsigned remaining, struct stencil_setup *setup)
{
   const struct tegra20_zsa *zsa = ctx->zsa;
   const unsigned back = zsa->base.stencil[1].enabled ? 1 : 0;

   setup->test = true;
   setup->late = pass->fs_variant->program->kills;
   for (unsigned i = 0; i < 2; i++) {
      const unsigned side = tegra20_stencil_side(remaining, i);

      setup->word1[i] = zsa->stencil1[side];
      setup->word2[i] =
         zsa->stencil2[side] |
         GR3D_STENCIL_FRONT2_REF(ctx->stencil_ref.ref_value[side ? back : 0]);
   }
}

/* Values that the pass writes, or looks for, instead of the application's. */
static void
tegra20_setup_marks(const struct tegra20_pass *pass, unsigned remaining,
                    struct stencil_setup *setup)
{
   const bool writes = pass->stencil != TEGRA20_STENCIL_MARKED;

   setup->test = true;
   setup->late = (writes && pass->stencil != TEGRA20_STENCIL_REPLACED) ||
                 pass->fs_variant->program->kills;
   for (unsigned i = 0; i < 2; i++) {
      const bool next = tegra20_stencil_side(remaining, i) == 1 &&
                        pass->stencil == TEGRA20_STENCIL_MARK_FACES;

      setup->word1[i] =
         GR3D_STENCIL_FRONT1_MASK(0xff) |
         GR3D_STENCIL_FRONT1_FUNC(writes ? GR3D_COMPARE_FUNC_ALWAYS
                                         : GR3D_COMPARE_FUNC_EQUAL);
      setup->word2[i] =
         GR3D_STENCIL_FRONT2_OP_FAIL(GR3D_STENCIL_OP_KEEP) |
         GR3D_STENCIL_FRONT2_OP_ZFAIL(GR3D_STENCIL_OP_KEEP) |
         GR3D_STENCIL_FRONT2_OP_ZPASS(writes ? GR3D_STENCIL_OP_REPLACE
                                             : GR3D_STENCIL_OP_KEEP) |
         GR3D_STENCIL_FRONT2_WRITE_MASK(0xff) |
         GR3D_STENCIL_FRONT2_REF(pass->mark + next);
   }
}

/* Late stage of the tests behind the fragment program (gr3d-registers.md 2.2,
 * 0x402 and 0x40f). */
#define LATE_TEST_NORMAL 0x48
#define LATE_TEST_STENCIL 0x60

static uint32_t
tegra20_depth_test(const struct tegra20_context *ctx,
                   const struct tegra20_pass *pass)
{
   if (!tegra20_depth_active(ctx, pass))
      return 0;
   switch ((enum tegra20_pass_depth)pass->depth) {
   case TEGRA20_DEPTH_CAPTURED:
      return GR3D_DEPTH_TEST_PARAMS_DEPTH_TEST(1) |
             GR3D_DEPTH_TEST_PARAMS_FUNC(GR3D_COMPARE_FUNC_ALWAYS) |
             GR3D_DEPTH_TEST_PARAMS_DEPTH_WRITE(1);
   case TEGRA20_DEPTH_READ_ONLY:
      return ctx->zsa->depth_test & ~GR3D_DEPTH_TEST_PARAMS_DEPTH_WRITE(1);
   default:
      return ctx->zsa->depth_test;
   }
}

void
tegra20_emit_depth_stencil(struct tegra20_stream *s,
                           struct tegra20_context *ctx,
                           const struct tegra20_pass *pass)
{
   const bool kills = pass->fs_variant->program->kills;
   const unsigned remaining = tegra20_pass_face(ctx, pass);
   struct stencil_setup stencil = { 0 };
   uint32_t depth = tegra20_depth_test(ctx, pass);

   if (pass->stencil == TEGRA20_STENCIL_STATE &&
       tegra20_stencil_active(ctx, pass))
      tegra20_setup_bound_stencil(ctx, pass, remaining, &stencil);
   else if (tegra20_uses_marks(pass) || tegra20_stencil_active(ctx, pass))
      tegra20_setup_marks(pass, remaining, &stencil);

   struct tegra20_stream group = *s;

   /* bit 9, and bit 3 of 0x402, are set in every intended value */
   tegra20_reg(&group, GR3D_LATE_TEST,
               stencil.late ? LATE_TEST_STENCIL : LATE_TEST_NORMAL);
   depth |= GR3D_DEPTH_TEST_PARAMS_UNK_9(1);
   tegra20_reg(&group, GR3D_DEPTH_TEST_PARAMS, depth);
   if (ctx->screen->chip->quirks & TEGRA20_QUIRK_DEPTH_TEST_COPY)
      tegra20_reg(&group, GR3D_DEPTH_TEST_PARAMS_COPY, depth);

   tegra20_out(&group, host1x_incr(GR3D_STENCIL_FRONT1, 3));
   tegra20_out(&group, stencil.word1[0]);
   tegra20_out(&group, stencil.word1[1]);
   tegra20_out(&group, GR3D_STENCIL_PARAMS_UNK_3(1) |
                          GR3D_STENCIL_PARAMS_STENCIL_TEST(stencil.test) |
                          GR3D_STENCIL_PARAMS_STENCIL_WRITE_EARLY(!kills));

   tegra20_out(&group, host1x_incr(GR3D_STENCIL_FRONT2, 2));
   tegra20_out(&group, stencil.word2[0]);
   tegra20_out(&group, stencil.word2[1]);
   tegra20_end_group(s, &group, ctx, TEGRA20_GROUP_DEPTH_STENCIL);
   ctx->sent_kills = kills;
   ctx->sent_stencil = stencil.test;
   ctx->sent_face = remaining;
}
