/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 */

#include "fs_interp.h"

#include <math.h>

#include "compiler/nir/nir_constant_expressions.h"
#include "util/ralloc.h"

struct interpreter {
   struct fs_interp_io *io;
   nir_const_value (*values)[NIR_MAX_VEC_COMPONENTS];
   float (*errors)[NIR_MAX_VEC_COMPONENTS];
};

#define ROUNDING 0x1p-13f
#define FUNCTION_ROUNDING 0x1p-11f
#define TEXEL_ERROR (1.0f / 256)
#define ENOUGH 1e6f /* errors above mean nothing */

static float
scalar(const struct interpreter *in, nir_src src)
{
   return in->values[src.ssa->index][0].f32;
}

static float
own_error(nir_op op, float result)
{
   switch (op) {
   case nir_op_mov:
   case nir_op_vec2:
   case nir_op_vec3:
   case nir_op_vec4:
   case nir_op_fneg:
   case nir_op_fabs:
   case nir_op_fmin:
   case nir_op_fmax:
   case nir_op_fsat:
   case nir_op_fcsel:
   case nir_op_slt:
   case nir_op_sge:
   case nir_op_seq:
   case nir_op_sne:
      return 0;
   case nir_op_frcp:
   case nir_op_frsq:
   case nir_op_fsqrt:
   case nir_op_fexp2:
   case nir_op_ffract:
      return FUNCTION_ROUNDING * fabsf(result);
   case nir_op_fsin:
   case nir_op_fcos:
   case nir_op_flog2:
      return FUNCTION_ROUNDING * fmaxf(fabsf(result), 1);
   default:
      return ROUNDING * fabsf(result);
   }
}

static float
bounded(float error)
{
   return error < ENOUGH ? error : ENOUGH;
}

/* How far does the result move when source component (s, c) moves by its bound, up or down? */
static void
pass_on_error(struct interpreter *in, const nir_alu_instr *alu, nir_const_value (*src)[NIR_MAX_VEC_COMPONENTS],
              nir_const_value **srcs, unsigned s, unsigned c, float *error)
{
   const float moved = in->errors[alu->src[s].src.ssa->index][alu->src[s].swizzle[c]];
   const nir_const_value kept = src[s][c];

   if (moved == 0)
      return;
   float worst[NIR_MAX_VEC_COMPONENTS] = {0};
   for (int sign = -1; sign <= 1; sign += 2) {
      nir_const_value result[NIR_MAX_VEC_COMPONENTS];
      src[s][c].f32 = kept.f32 + sign * moved;
      nir_eval_const_opcode(alu->op, result, alu->def.num_components, 32, srcs, 0);
      for (unsigned i = 0; i < alu->def.num_components; i++)
         worst[i] = fmaxf(worst[i], bounded(fabsf(result[i].f32 - in->values[alu->def.index][i].f32)));
   }
   src[s][c] = kept;
   for (unsigned i = 0; i < alu->def.num_components; i++)
      error[i] = bounded(error[i] + worst[i]);
}

static void
follow_alu_errors(struct interpreter *in, const nir_alu_instr *alu, nir_const_value (*src)[NIR_MAX_VEC_COMPONENTS],
                  nir_const_value **srcs)
{
   float *error = in->errors[alu->def.index];

   for (unsigned i = 0; i < alu->def.num_components; i++)
      error[i] = bounded(own_error(alu->op, in->values[alu->def.index][i].f32));
   for (unsigned s = 0; s < nir_op_infos[alu->op].num_inputs; s++) {
      for (unsigned c = 0; c < nir_ssa_alu_instr_src_components(alu, s); c++)
         pass_on_error(in, alu, src, srcs, s, c, error);
   }
}

static void
run_alu(struct interpreter *in, const nir_alu_instr *alu)
{
   const nir_op_info *info = &nir_op_infos[alu->op];
   nir_const_value src[NIR_MAX_VEC_COMPONENTS][NIR_MAX_VEC_COMPONENTS], *srcs[NIR_MAX_VEC_COMPONENTS];

   for (unsigned i = 0; i < info->num_inputs; i++) {
      srcs[i] = src[i];
      for (unsigned c = 0; c < nir_ssa_alu_instr_src_components(alu, i); c++)
         src[i][c] = in->values[alu->src[i].src.ssa->index][alu->src[i].swizzle[c]];
   }
   nir_eval_const_opcode(alu->op, in->values[alu->def.index], alu->def.num_components, 32, srcs, 0);
   if (in->io->errors)
      follow_alu_errors(in, alu, src, srcs);
}

static float
read_input(struct interpreter *in, unsigned slot, unsigned c)
{
   if (slot == VARYING_SLOT_POS)
      return in->io->frag_coord[c];
   if (slot == VARYING_SLOT_FACE)
      return in->io->front;
   return in->io->input(in->io->data, slot, c);
}

static void
run_intrinsic(struct interpreter *in, const nir_intrinsic_instr *intr)
{
   struct fs_interp_io *io = in->io;
   nir_const_value *dest = nir_intrinsic_infos[intr->intrinsic].has_dest ? in->values[intr->def.index] : NULL;

   switch (intr->intrinsic) {
   case nir_intrinsic_load_barycentric_pixel:
   case nir_intrinsic_load_barycentric_centroid:
   case nir_intrinsic_load_barycentric_sample:
      break;
   case nir_intrinsic_load_input:
   case nir_intrinsic_load_interpolated_input: {
      const unsigned slot = nir_intrinsic_io_semantics(intr).location +
                            (unsigned)scalar(in, *nir_get_io_offset_src((nir_intrinsic_instr *)intr));
      for (unsigned c = 0; c < intr->def.num_components; c++)
         dest[c].f32 = read_input(in, slot, nir_intrinsic_component(intr) + c);
      for (unsigned c = 0; c < intr->def.num_components; c++)
         in->errors[intr->def.index][c] = slot == VARYING_SLOT_FACE ? 0 : 2 * ROUNDING * fmaxf(fabsf(dest[c].f32), 0.5f);
      break;
   }
   case nir_intrinsic_load_frag_coord:
      for (unsigned c = 0; c < intr->def.num_components; c++)
         dest[c].f32 = io->frag_coord[c];
      break;
   case nir_intrinsic_load_front_face:
      dest[0].f32 = io->front;
      break;
   case nir_intrinsic_load_point_coord:
      for (unsigned c = 0; c < 2; c++)
         dest[c].f32 = io->input(io->data, VARYING_SLOT_PNTC, c);
      break;
   case nir_intrinsic_load_uniform: {
      const int offset = (int)scalar(in, intr->src[0]);
      for (unsigned c = 0; c < intr->def.num_components; c++)
         dest[c].f32 = io->uniform(io->data, 4 * (nir_intrinsic_base(intr) + offset) + c);
      break;
   }
   case nir_intrinsic_terminate:
   case nir_intrinsic_demote:
      io->killed = true;
      break;
   case nir_intrinsic_terminate_if:
   case nir_intrinsic_demote_if:
      io->killed |= scalar(in, intr->src[0]) != 0.0f;
      io->kill_error = fmaxf(io->kill_error, in->errors[intr->src[0].ssa->index][0]);
      break;
   case nir_intrinsic_store_output: {
      const unsigned location = nir_intrinsic_io_semantics(intr).location;
      for (unsigned rt = 0; rt < 8; rt++) {
         if (location != FRAG_RESULT_COLOR && location != FRAG_RESULT_DATA0 + rt)
            continue;
         io->written[rt] = true;
         io->written_mask |= rt == 0 ? nir_intrinsic_write_mask(intr) << nir_intrinsic_component(intr) : 0;
         u_foreach_bit(c, nir_intrinsic_write_mask(intr)) {
            io->color[rt][nir_intrinsic_component(intr) + c] = in->values[intr->src[0].ssa->index][c].f32;
            io->color_error[rt][nir_intrinsic_component(intr) + c] = in->errors[intr->src[0].ssa->index][c];
         }
      }
      break;
   }
   default:
      io->error = "an intrinsic that the interpreter does not know";
      break;
   }
}

static void
run_tex(struct interpreter *in, const nir_tex_instr *tex)
{
   float coord[3] = {0, 0.5f, 0}, result[4], projector = 1, error = 0, projector_error = 0;

   for (unsigned i = 0; i < tex->num_srcs; i++) {
      const nir_const_value *src = in->values[tex->src[i].src.ssa->index];
      if (tex->src[i].src_type == nir_tex_src_coord) {
         for (unsigned c = 0; c < MIN2(tex->coord_components, 3); c++)
            coord[c] = src[c].f32;
         for (unsigned c = 0; c < MIN2(tex->coord_components, 2); c++)
            error += in->errors[tex->src[i].src.ssa->index][c];
      } else if (tex->src[i].src_type == nir_tex_src_projector) {
         projector = src[0].f32;
         projector_error = in->errors[tex->src[i].src.ssa->index][0];
      } else if (tex->src[i].src_type != nir_tex_src_bias) {
         in->io->error = "a lookup operand that the interpreter does not know";
      }
   }
   for (unsigned c = 0; c < 3; c++)
      coord[c] /= projector;
   const bool volume = tex->sampler_dim == GLSL_SAMPLER_DIM_3D && in->io->volume && !in->io->errors;
   if (!volume && tex->sampler_dim != GLSL_SAMPLER_DIM_2D && tex->sampler_dim != GLSL_SAMPLER_DIM_1D)
      in->io->error = "a texture target that the interpreter does not know";
   if (volume)
      in->io->volume(in->io->data, tex->texture_index, coord, result);
   else
      in->io->texel(in->io->data, tex->texture_index, coord[0], coord[1], result);
   for (unsigned c = 0; c < tex->def.num_components; c++)
      in->values[tex->def.index][c].f32 = result[c];

   /* s / q: the error of s over q, that of q times s over q squared */
   const float size = fmaxf(fabsf(coord[0]), fabsf(coord[1]));
   const float moved = (error + (projector_error + FUNCTION_ROUNDING * fabsf(projector)) * size) / fabsf(projector);
   for (unsigned c = 0; c < tex->def.num_components; c++)
      in->errors[tex->def.index][c] = fminf(bounded(moved) * in->io->texel_slope + TEXEL_ERROR, 1);
}

void
fs_interpret(const nir_shader *nir, struct fs_interp_io *io)
{
   nir_function_impl *impl = nir_shader_get_entrypoint((nir_shader *)nir);
   struct interpreter in = {
      .io = io,
      .values = rzalloc_array_size(NULL, sizeof(nir_const_value[NIR_MAX_VEC_COMPONENTS]), impl->ssa_alloc),
      .errors = rzalloc_array_size(NULL, sizeof(float[NIR_MAX_VEC_COMPONENTS]), impl->ssa_alloc),
   };

   nir_foreach_block(block, impl) {
      nir_foreach_instr(instr, block) {
         switch (instr->type) {
         case nir_instr_type_alu:
            run_alu(&in, nir_instr_as_alu(instr));
            break;
         case nir_instr_type_intrinsic:
            run_intrinsic(&in, nir_instr_as_intrinsic(instr));
            break;
         case nir_instr_type_tex:
            run_tex(&in, nir_instr_as_tex(instr));
            break;
         case nir_instr_type_load_const: {
            const nir_load_const_instr *load = nir_instr_as_load_const(instr);
            memcpy(in.values[load->def.index], load->value, load->def.num_components * sizeof(load->value[0]));
            break;
         }
         case nir_instr_type_undef:
            break;
         default:
            io->error = "an instruction that the interpreter does not know";
            break;
         }
      }
   }
   ralloc_free(in.values);
   ralloc_free(in.errors);
}
