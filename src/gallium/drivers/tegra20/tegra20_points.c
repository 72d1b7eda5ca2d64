/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Points whose size the vertex program computes, and point sprites (A27):
 * neither has known registers.  Each point is drawn as two triangles.  Its
 * vertex is fetched six times, together with a generated attribute that says
 * which corner it is; this pass makes the vertex program move the position
 * there and write the coordinate inside the point.
 *
 * Points of programs with derivatives are drawn so, too: the passes whose
 * values are looked up from other pixels draw them with a margin, in which
 * the coordinate goes on.
 */

#include "compiler/nir/nir_builder.h"

#include "tegra20_context.h"
#include "tegra20_mesa.h"
#include "tegra20_program.h"

/* Components of the generated uniforms, and of their CPU side
 * tegra20_point_uniforms(). */
enum {
   POINT_RCP_SCALE_X, /* clip space per pixel, times w */
   POINT_RCP_SCALE_Y,
   POINT_SIZE,   /* when the program does not write one */
   POINT_T_SIGN, /* +1: t grows downwards in memory */
   POINT_MARGIN, /* pixels, on each side */
};

#define MAX_POINT_SIZE 256.0f

/* Two pixels of a quad are up to the root of two apart; the rest is what
 * rounding of positions to sixteenths takes. */
#define MARGIN 2.0f

static nir_intrinsic_instr *
tegra20_find_store(nir_block *block, gl_varying_slot slot)
{
   nir_foreach_instr_reverse (instr, block) {
      if (instr->type != nir_instr_type_intrinsic)
         continue;
      nir_intrinsic_instr *intr = nir_instr_as_intrinsic(instr);
      if (intr->intrinsic == nir_intrinsic_store_output &&
          nir_intrinsic_io_semantics(intr).location == slot)
         return intr;
   }
   return NULL;
}

/* A point whose centre is outside the view volume is not drawn: its triangles
 * get no area.  Booleans are floats here. */
static nir_def *
tegra20_if_inside(nir_builder *b, nir_def *pos, nir_def *half)
{
   nir_def *w = nir_channel(b, pos, 3);

   for (unsigned c = 0; c < 3; c++)
      half = nir_fmul(b, half,
                      nir_sge(b, w, nir_fabs(b, nir_channel(b, pos, c))));
   return half;
}

static nir_def *
tegra20_point_size(nir_builder *b, nir_block *block, nir_def *uniform)
{
   nir_intrinsic_instr *psiz = tegra20_find_store(block, VARYING_SLOT_PSIZ);

   if (!psiz)
      return nir_channel(b, uniform, POINT_SIZE);
   nir_def *size = nir_channel(b, psiz->src[0].ssa, 0);
   nir_instr_remove(&psiz->instr);
   return nir_fmin(b, nir_fmax(b, size, nir_imm_float(b, 1.0f)),
                   nir_imm_float(b, MAX_POINT_SIZE));
}

bool
tegra20_nir_expand_points(nir_shader *nir, unsigned *corner_input,
                          unsigned *uniform_slot)
{
   nir_function_impl *impl = nir_shader_get_entrypoint(nir);
   nir_block *block = nir_impl_last_block(impl);
   nir_intrinsic_instr *position =
      tegra20_find_store(block, VARYING_SLOT_POS);

   if (!position || nir->num_inputs >= TEGRA20_MAX_ATTRIBS)
      return false;
   *corner_input = nir->num_inputs++;
   *uniform_slot = nir->num_uniforms;
   nir->num_uniforms += TEGRA20_POINT_UNIFORMS / 4;

   nir_builder b = nir_builder_at(nir_after_block_before_jump(block));
   nir_def *zero = nir_imm_int(&b, 0);
   nir_def *uniform =
      nir_load_uniform(&b, 4, 32, zero, .base = *uniform_slot, .range = 1,
                       .dest_type = nir_type_float32);
   nir_def *margin =
      nir_load_uniform(&b, 1, 32, zero, .base = *uniform_slot + 1, .range = 1,
                       .dest_type = nir_type_float32);
   nir_def *corner = nir_load_input(
      &b, 2, 32, zero, .base = *corner_input, .dest_type = nir_type_float32,
      .io_semantics.location = VERT_ATTRIB_GENERIC15,
      .io_semantics.num_slots = 1);
   nir_def *half =
      nir_fmul_imm(&b, tegra20_point_size(&b, block, uniform), 0.5f);
   nir_def *pos = position->src[0].ssa;
   nir_def *w = nir_channel(&b, pos, 3);
   nir_def *drawn = nir_fadd(&b, half, margin);
   /* where the corner is, in units of the point without a margin */
   nir_def *place =
      nir_fmul(&b, corner, nir_fmul(&b, drawn, nir_frcp(&b, half)));
   nir_def *xy[2];

   drawn = tegra20_if_inside(&b, pos, drawn);

   for (unsigned c = 0; c < 2; c++) {
      nir_def *offset = nir_fmul(
         &b, nir_fmul(&b, nir_channel(&b, corner, c), drawn),
         nir_fmul(&b, nir_channel(&b, uniform, POINT_RCP_SCALE_X + c), w));
      xy[c] = nir_fadd(&b, nir_channel(&b, pos, c), offset);
   }
   nir_store_output(&b,
                    nir_vec4(&b, xy[0], xy[1], nir_channel(&b, pos, 2), w),
                    zero, .base = nir_intrinsic_base(position), .range = 1,
                    .write_mask = 0xf, .src_type = nir_type_float32,
                    .io_semantics = nir_intrinsic_io_semantics(position));
   nir_instr_remove(&position->instr);

   nir_def *s = nir_fadd_imm(
      &b, nir_fmul_imm(&b, nir_channel(&b, place, 0), 0.5f), 0.5f);
   nir_def *t = nir_fmul(&b, nir_channel(&b, place, 1),
                         nir_channel(&b, uniform, POINT_T_SIGN));
   t = nir_fadd_imm(&b, nir_fmul_imm(&b, t, 0.5f), 0.5f);
   nir_store_output(
      &b,
      nir_vec4(&b, s, t, nir_imm_float(&b, 0.0f), nir_imm_float(&b, 1.0f)),
      zero, .base = nir->num_outputs++, .range = 1, .write_mask = 0xf,
      .src_type = nir_type_float32,
      .io_semantics.location = VARYING_SLOT_PNTC,
      .io_semantics.num_slots = 1);
   nir->info.outputs_written |= VARYING_BIT_PNTC;
   nir_metadata_preserve(impl, nir_metadata_control_flow);
   return true;
}

void
tegra20_point_uniforms(const struct tegra20_context *ctx, bool with_margin,
                       float uniforms[TEGRA20_POINT_UNIFORMS])
{
   bool lower_left =
      ctx->rasterizer->base.sprite_coord_mode == PIPE_SPRITE_COORD_LOWER_LEFT;

   memset(uniforms, 0, TEGRA20_POINT_UNIFORMS * sizeof(*uniforms));
   /* the viewport's scale is half its size; its sign carries over, so that
    * corners are those in memory */
   uniforms[POINT_RCP_SCALE_X] =
      ctx->viewport.scale[0] ? ctx->scale / ctx->viewport.scale[0] : 0;
   uniforms[POINT_RCP_SCALE_Y] =
      ctx->viewport.scale[1] ? ctx->scale / ctx->viewport.scale[1] : 0;
   uniforms[POINT_SIZE] = ctx->rasterizer->point_size;
   uniforms[POINT_T_SIGN] = lower_left ? -1 : 1;
   uniforms[POINT_MARGIN] = with_margin ? MARGIN / ctx->scale : 0;
}
