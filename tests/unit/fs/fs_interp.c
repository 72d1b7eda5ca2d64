/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 */

#include "fs_interp.h"

#include <math.h>

#include "compiler/nir/nir_constant_expressions.h"
#include "nir/fs_lower_loops.h"
#include "util/ralloc.h"

#define MAX_CARRIED 128
#define MAX_ROUNDS  1000
#define MAX_BLOCKS  100000 /* that one run goes through */
#define MAX_PHIS    64

struct interpreter {
   struct fs_interp_io *io;
   nir_const_value (*values)[NIR_MAX_VEC_COMPONENTS];
   float (*errors)[NIR_MAX_VEC_COMPONENTS];
   struct interpreter *quad; /* the four fragments of the quad, or NULL */
   bool runs;                /* not in a round of a loop that the fragment has left */
   struct carried {
      float value, error;
      float result, result_error, low, high; /* of the loop: when it ends, and wherever errors may end it */
   } carried[MAX_CARRIED]; /* by loops */
   bool ended;             /* has a result */
   unsigned blocks;
   const nir_block *previous;
};

enum flow { FLOW_NEXT, FLOW_BREAK, FLOW_CONTINUE, FLOW_STOP };

#define ROUNDING 0x1p-13f
#define SMALLEST 0x1p-30f /* less becomes 0 */
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
      return (fabsf(result) < SMALLEST ? 1 : ROUNDING) * fabsf(result);
   }
}

static bool
is_small_integer(float value)
{
   return value == truncf(value) && fabsf(value) <= 4096;
}

/* Sums and products of small integers are exact. */
static bool
is_exact(const nir_alu_instr *alu, nir_const_value (*src)[NIR_MAX_VEC_COMPONENTS], float result)
{
   if (!is_small_integer(result))
      return false;
   switch (alu->op) {
   case nir_op_ftrunc:
   case nir_op_ffloor:
   case nir_op_fceil:
      return true;
   case nir_op_fadd:
   case nir_op_fmul:
   case nir_op_ffma:
      for (unsigned s = 0; s < nir_op_infos[alu->op].num_inputs; s++) {
         for (unsigned c = 0; c < alu->def.num_components; c++) {
            if (!is_small_integer(src[s][c].f32))
               return false;
         }
      }
      return true;
   default:
      return false;
   }
}

static float
bounded(float error)
{
   return error < ENOUGH ? error : ENOUGH;
}

/* Both ends of an interval of arguments may have the same result. */
static float
least_change(nir_op op, float moved)
{
   switch (op) {
   case nir_op_fsin:
   case nir_op_fcos:
      return fminf(moved, 2);
   case nir_op_ffract:
      return fminf(moved, 1);
   default:
      return 0;
   }
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
   const float least = in->io->together ? least_change(alu->op, moved) : 0;
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
      error[i] = bounded(error[i] + fmaxf(worst[i], least));
}

static float
operand(const struct interpreter *in, const nir_alu_instr *alu, unsigned s, unsigned c, float *error)
{
   const unsigned index = alu->src[s].src.ssa->index, from = alu->src[s].swizzle[c];

   *error = in->errors[index][from];
   return in->values[index][from].f32;
}

/* What operands do together that none does alone. */
static void
follow_together(const struct interpreter *in, const nir_alu_instr *alu, unsigned c, float *error)
{
   float e[3], v[3] = {0};

   for (unsigned s = 0; s < MIN2(nir_op_infos[alu->op].num_inputs, 3); s++)
      v[s] = operand(in, alu, s, c, &e[s]);
   switch (alu->op) {
   case nir_op_slt:
   case nir_op_sge:
   case nir_op_seq:
   case nir_op_sne:
      *error = e[0] + e[1] > 0 && fabsf(v[0] - v[1]) <= e[0] + e[1] ? 1 : 0;
      break;
   case nir_op_fcsel:
      *error = v[0] != 0 ? e[1] : e[2];
      if (e[0] > 0 && fabsf(v[0]) <= e[0] + (v[0] != 0 ? 0 : INFINITY))
         *error = fmaxf(*error, fabsf(v[1] - v[2]) + (v[0] != 0 ? e[2] : e[1]));
      break;
   case nir_op_fmul:
   case nir_op_ffma:
      *error = bounded(*error + e[0] * e[1]);
      break;
   default:
      break;
   }
}

static void
follow_alu_errors(struct interpreter *in, const nir_alu_instr *alu, nir_const_value (*src)[NIR_MAX_VEC_COMPONENTS],
                  nir_const_value **srcs)
{
   float *error = in->errors[alu->def.index];

   for (unsigned i = 0; i < alu->def.num_components; i++) {
      const float result = in->values[alu->def.index][i].f32;

      error[i] = in->io->together && is_exact(alu, src, result) ? 0 : bounded(own_error(alu->op, result));
   }
   for (unsigned s = 0; s < nir_op_infos[alu->op].num_inputs; s++) {
      for (unsigned c = 0; c < nir_ssa_alu_instr_src_components(alu, s); c++)
         pass_on_error(in, alu, src, srcs, s, c, error);
   }
   for (unsigned c = 0; c < alu->def.num_components && in->io->together; c++)
      follow_together(in, alu, c, &error[c]);
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

static bool
is_vertical(const nir_intrinsic_instr *derivative)
{
   return derivative->intrinsic == nir_intrinsic_ddy || derivative->intrinsic == nir_intrinsic_ddy_coarse ||
          derivative->intrinsic == nir_intrinsic_ddy_fine;
}

static void
run_derivative(struct interpreter *in, const nir_intrinsic_instr *intr)
{
   if (!in->quad) {
      in->io->error = "a derivative of a fragment alone";
      return;
   }
   const bool vertical = is_vertical(intr);
   const struct interpreter *to = &in->quad[vertical ? 2 : 3], *from = &in->quad[vertical ? 0 : 2];
   const unsigned src = intr->src[0].ssa->index, dest = intr->def.index;

   for (unsigned c = 0; c < intr->def.num_components; c++) {
      const float difference = to->values[src][c].f32 - from->values[src][c].f32;
      in->values[dest][c].f32 = difference;
      in->errors[dest][c] = bounded(to->errors[src][c] + from->errors[src][c] + ROUNDING * fabsf(difference));
   }
}

/* Offsets are floats after the lowering of integers. */
static unsigned
offset_of(struct interpreter *in, const nir_src *src, unsigned count)
{
   if (nir_src_is_const(*src) || count == 0)
      return scalar(in, *src);
   const float offset = rintf(scalar(in, *src));
   in->io->out_of_range |= !(offset >= 0 && offset < count);
   return fminf(fmaxf(offset, 0), count - 1);
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
run_carried(struct interpreter *in, const nir_intrinsic_instr *intr)
{
   const unsigned number = nir_intrinsic_base(intr) - FS_CARRIED;

   if (number >= MAX_CARRIED) {
      in->io->error = "more carried values than the interpreter has room for";
   } else if (intr->intrinsic == nir_intrinsic_load_output) {
      in->values[intr->def.index][0].f32 = in->carried[number].value;
      in->errors[intr->def.index][0] = in->carried[number].error;
   } else if (in->runs) {
      in->carried[number].value = scalar(in, intr->src[0]);
      in->carried[number].error = in->errors[intr->src[0].ssa->index][0];
   }
}

static void
run_intrinsic(struct interpreter *in, const nir_intrinsic_instr *intr)
{
   if (fs_is_carried(intr)) {
      run_carried(in, intr);
      return;
   }
   struct fs_interp_io *io = in->io;
   nir_const_value *dest = nir_intrinsic_infos[intr->intrinsic].has_dest ? in->values[intr->def.index] : NULL;

   switch (intr->intrinsic) {
   case nir_intrinsic_load_barycentric_pixel:
   case nir_intrinsic_load_barycentric_centroid:
   case nir_intrinsic_load_barycentric_sample:
      break;
   case nir_intrinsic_load_input:
   case nir_intrinsic_load_interpolated_input: {
      const nir_io_semantics semantics = nir_intrinsic_io_semantics(intr);
      const unsigned slot =
         semantics.location + offset_of(in, nir_get_io_offset_src((nir_intrinsic_instr *)intr), semantics.num_slots);
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
      const unsigned offset = offset_of(in, &intr->src[0], nir_intrinsic_range(intr));
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
   case nir_intrinsic_ddx:
   case nir_intrinsic_ddx_coarse:
   case nir_intrinsic_ddx_fine:
   case nir_intrinsic_ddy:
   case nir_intrinsic_ddy_coarse:
   case nir_intrinsic_ddy_fine:
      run_derivative(in, intr);
      break;
   case nir_intrinsic_store_output: {
      const unsigned location = nir_intrinsic_io_semantics(intr).location;
      u_foreach_bit(c, io->output ? nir_intrinsic_write_mask(intr) : 0)
         io->output(io->data, location, nir_intrinsic_component(intr) + c, in->values[intr->src[0].ssa->index][c].f32);
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

/* The face that a direction points at, and whether errors leave that open: constants have none, but the chip rounds them. */
static unsigned
cube_face(const float coord[3], float error, bool *open)
{
   unsigned axis = fabsf(coord[1]) > fabsf(coord[0]);

   if (fabsf(coord[2]) > fabsf(coord[axis]))
      axis = 2;
   error += 2 * ROUNDING * fabsf(coord[axis]) + SMALLEST;
   *open = fabsf(coord[axis]) <= error;
   for (unsigned c = 0; c < 3; c++)
      *open |= c != axis && fabsf(coord[axis]) - fabsf(coord[c]) <= error;
   return 2 * axis + (coord[axis] < 0);
}

static void
run_cube(struct interpreter *in, const nir_tex_instr *tex, const float coord[3], float error)
{
   float result[4];
   bool open;

   in->io->cube(in->io->data, tex->texture_index, cube_face(coord, error, &open), result);
   for (unsigned c = 0; c < tex->def.num_components; c++) {
      in->values[tex->def.index][c].f32 = result[c];
      in->errors[tex->def.index][c] = open ? 1 : TEXEL_ERROR;
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
         for (unsigned c = 0; c < MIN2(tex->coord_components, 3); c++)
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
   if (tex->sampler_dim == GLSL_SAMPLER_DIM_CUBE && in->io->cube) {
      run_cube(in, tex, coord, error);
      return;
   }
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

static void
run_instr(struct interpreter *in, const nir_instr *instr)
{
   switch (instr->type) {
   case nir_instr_type_alu:
      run_alu(in, nir_instr_as_alu(instr));
      break;
   case nir_instr_type_intrinsic:
      run_intrinsic(in, nir_instr_as_intrinsic(instr));
      break;
   case nir_instr_type_tex:
      run_tex(in, nir_instr_as_tex(instr));
      break;
   case nir_instr_type_load_const: {
      const nir_load_const_instr *load = nir_instr_as_load_const(instr);
      memcpy(in->values[load->def.index], load->value, load->def.num_components * sizeof(load->value[0]));
      break;
   }
   case nir_instr_type_undef:
   case nir_instr_type_phi:
   case nir_instr_type_jump:
      break;
   default:
      in->io->error = "an instruction that the interpreter does not know";
      break;
   }
}

/* A loop may end here, and does for certain without errors. */
static void
note_end(struct interpreter *in, bool exact)
{
   for (unsigned i = 0; i < MAX_CARRIED; i++) {
      struct carried *c = &in->carried[i];

      c->low = fminf(c->low, c->value - c->error);
      c->high = fmaxf(c->high, c->value + c->error);
      if (exact) {
         c->result = c->value;
         c->result_error = c->error;
      }
   }
   in->ended |= exact;
}

static void
begin_loop(struct interpreter *in)
{
   in->runs = true;
   in->ended = false;
   for (unsigned i = 0; i < MAX_CARRIED; i++) {
      in->carried[i].low = INFINITY;
      in->carried[i].high = -INFINITY;
   }
}

/* Does the fragment run another round?  One of which errors leave that open does, but may have ended. */
static void
begin_round(struct interpreter *in, unsigned loop)
{
   const struct carried *flag = &in->carried[loop];
   const bool open = flag->error >= 0.5f, goes_on = flag->value > 0.5f;

   if (!in->runs)
      return;
   if (open || !goes_on)
      note_end(in, !goes_on && !in->ended);
   in->runs = open || goes_on;
}

static void
end_loop(struct interpreter *in)
{
   for (unsigned i = 0; i < MAX_CARRIED; i++) {
      struct carried *c = &in->carried[i];

      c->value = c->result;
      c->error = in->runs || !in->ended ? ENOUGH : bounded(fmaxf(c->high - c->value, c->value - c->low));
   }
   in->runs = true;
}

static void
run_phis(struct interpreter *in, nir_block *block)
{
   nir_const_value results[MAX_PHIS][NIR_MAX_VEC_COMPONENTS];
   unsigned n = 0;

   nir_foreach_phi(phi, block) {
      nir_foreach_phi_src(src, phi) {
         if (src->pred == in->previous && n < MAX_PHIS)
            memcpy(results[n], in->values[src->src.ssa->index], sizeof(results[n]));
      }
      if (++n > MAX_PHIS)
         in->io->error = "more values at a place where ways meet than the interpreter has room for";
   }
   n = 0;
   nir_foreach_phi(phi, block)
      memcpy(in->values[phi->def.index], results[n++ % MAX_PHIS], sizeof(results[0]));
}

static enum flow
run_block(struct interpreter *in, unsigned count, nir_block *block)
{
   nir_instr *begin = NULL; /* of the loop that is under way */
   unsigned loop = 0, rounds = 0;

   run_phis(in, block);
   if (++in->blocks > MAX_BLOCKS)
      in->io->error = "a program that does not end";
   for (nir_instr *instr = nir_block_first_instr(block); instr; instr = nir_instr_next(instr)) {
      for (unsigned i = 0; i < count && !fs_is_barrier(instr); i++)
         run_instr(&in[i], instr);
      if (!fs_is_barrier(instr))
         continue;
      bool again = false;
      for (unsigned i = 0; i < count; i++) {
         if (!begin)
            begin_loop(&in[i]);
         begin_round(&in[i], loop);
         again |= in[i].runs;
      }
      if (!begin) {
         begin = instr;
      } else if (again && rounds++ < MAX_ROUNDS) {
         instr = begin;
      } else {
         for (unsigned i = 0; i < count; i++)
            end_loop(&in[i]);
         begin = NULL;
         rounds = 0;
         loop++;
      }
   }
   in->previous = block;
   const nir_instr *last = nir_block_last_instr(block);
   if (in->io->error)
      return FLOW_STOP;
   if (!last || last->type != nir_instr_type_jump)
      return FLOW_NEXT;
   return nir_instr_as_jump((nir_instr *)last)->type == nir_jump_break ? FLOW_BREAK : FLOW_CONTINUE;
}

/* What branches is a vertex alone: tegra20_preprocess_nir() has flattened fragment programs. */
static enum flow
run_list(struct interpreter *in, unsigned count, struct exec_list *list)
{
   foreach_list_typed(nir_cf_node, node, node, list) {
      enum flow flow;

      if (node->type == nir_cf_node_block) {
         flow = run_block(in, count, nir_cf_node_as_block(node));
      } else if (node->type == nir_cf_node_if) {
         nir_if *nif = nir_cf_node_as_if(node);
         flow = run_list(in, count, scalar(in, nif->condition) != 0 ? &nif->then_list : &nif->else_list);
      } else {
         do {
            flow = run_list(in, count, &nir_cf_node_as_loop(node)->body);
         } while (flow == FLOW_NEXT || flow == FLOW_CONTINUE);
         flow = flow == FLOW_BREAK ? FLOW_NEXT : flow;
      }
      if (flow != FLOW_NEXT)
         return flow;
   }
   return FLOW_NEXT;
}

/* What runs together: a vertex, a fragment, or the four of a quad. */
static void
interpret(const nir_shader *nir, struct fs_interp_io *io, unsigned count)
{
   nir_function_impl *impl = nir_shader_get_entrypoint((nir_shader *)nir);
   struct interpreter in[4];

   for (unsigned i = 0; i < count; i++) {
      in[i] = (struct interpreter){
         .io = &io[i],
         .values = rzalloc_array_size(NULL, sizeof(nir_const_value[NIR_MAX_VEC_COMPONENTS]), impl->ssa_alloc),
         .errors = rzalloc_array_size(NULL, sizeof(float[NIR_MAX_VEC_COMPONENTS]), impl->ssa_alloc),
         .quad = count == 4 ? in : NULL,
         .runs = true,
      };
   }
   run_list(in, count, &impl->body);
   for (unsigned i = 0; i < count; i++) {
      ralloc_free(in[i].values);
      ralloc_free(in[i].errors);
   }
}

void
fs_interpret(const nir_shader *nir, struct fs_interp_io *io)
{
   interpret(nir, io, 1);
}

void
fs_interpret_quad(const nir_shader *nir, struct fs_interp_io io[4])
{
   interpret(nir, io, 4);
}
