/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * NIR options of the chip, and the lowering of a shader that both back ends
 * share.
 *
 * Neither processor has integers, booleans or bit operations: integers become
 * floats of the same value, booleans 0.0 and 1.0.  GLSL 1.20 and GLSL ES 1.00
 * were made for such machines, so nothing is lost but the exactness of
 * integer division, which a rule restores (nir/tegra20_nir_algebraic.py).
 */

#include "compiler/glsl_types.h"
#include "compiler/nir/nir_builder.h"
#include "nir/fs_flatten.h"
#include "nir/fs_loops.h"
#include "nir/fs_lower_loops.h"
#include "nir/tegra20_amplified.h"
#include "nir/tegra20_derive.h"
#include "tegra20_compiler.h"
#include "tegra20_mesa.h"
#include "tegra20_nir.h"

/*
 * No unsigned minima and maxima: Mesa would join "a == 0 && b == 0" by one,
 * and as floats negative numbers are not the largest ones.
 */
#define COMMON_OPTIONS                                                 \
   .no_integers = true, .lower_fdiv = true, .lower_fround_even = true, \
   .lower_fceil = true, .lower_fdph = true, .lower_ldexp = true,       \
   .lower_bitops = true, .lower_isign = true, .lower_mul_high = true,  \
   .lower_uadd_carry = true, .lower_usub_borrow = true,                \
   .lower_insert_byte = true, .lower_insert_word = true,               \
   .lower_extract_byte = true, .lower_extract_word = true,             \
   .lower_umin = true, .lower_umax = true,                             \
   .force_indirect_unrolling_sampler = true

/*
 * Floor, fraction, sign, compare, min and max are single vector operations
 * (vertex-pipeline.md 4).  Real loops cost three instructions an iteration
 * and there is room for 256: unrolled ones must stay well below that (the
 * limit is 26 NIR instructions for each iteration allowed).
 */
static const nir_shader_compiler_options vs_options = {
   COMMON_OPTIONS,
   .lower_flrp32 = true,
   .max_unroll_iterations = 16,
   .fuse_ffma32 = true,
   .lower_all_io_to_temps = true,
   .support_indirect_inputs = BITFIELD_BIT(MESA_SHADER_VERTEX),
   .force_indirect_unrolling = nir_var_shader_out | nir_var_function_temp,
};

/* The fragment ALU multiplies, adds, and takes minima; everything else is
 * built from those (fragment-pipeline.md 3). */
static const nir_shader_compiler_options fs_options = {
   COMMON_OPTIONS,
   .max_unroll_iterations = 16, /* choose_unrolling() knows more */
   .fuse_ffma32 = true,
   .lower_fpow = true,
   .lower_fdot = true,
   .lower_vector_cmp = true,
   .lower_all_io_to_temps = true,
   .force_indirect_unrolling = nir_var_all,
};

/* Loops of a known length that are unrolled.  Others take a pass for each
 * iteration (fs_lower_loops.h), as do longer ones, whose copies would fill
 * many programs.  Work is counted as by Mesa's unroller. */
#define MAX_UNROLLED_ITERATIONS 64
#define MAX_UNROLLED_COST (26 * 32)

/* Loops over arrays of uniforms: as many elements as there are vectors, and
 * as much work as that many iterations may have. */
#define MAX_INDEXING_ITERATIONS 256
#define MAX_INDEXING_COST (26 * MAX_INDEXING_ITERATIONS)

const nir_shader_compiler_options *
tegra20_nir_options(gl_shader_stage stage)
{
   return stage == MESA_SHADER_FRAGMENT ? &fs_options : &vs_options;
}

static int
count_vec4_slots(const struct glsl_type *type, bool bindless)
{
   return glsl_count_vec4_slots(type, false, bindless);
}

static bool
is_power_of_two(nir_alu_instr *alu, unsigned src)
{
   const nir_const_value *value = nir_src_as_const_value(alu->src[src].src);
   int exponent;

   for (unsigned c = 0; value && c < alu->def.num_components; c++) {
      if (fabsf(frexpf(value[alu->src[src].swizzle[c]].f32, &exponent)) !=
          0.5f)
         return false;
   }
   return value;
}

/*
 * x - y * floor(x / y).  Where x is a multiple of y the quotient may be
 * rounded to just below a whole number, and the result would be y instead of
 * 0.
 */
static bool
lower_modulo(nir_builder *b, nir_alu_instr *alu, void *data)
{
   if (alu->op != nir_op_fmod)
      return false;

   b->cursor = nir_before_instr(&alu->instr);
   nir_def *x = nir_ssa_for_alu_src(b, alu, 0);
   nir_def *y = nir_ssa_for_alu_src(b, alu, 1);
   nir_def *result =
      nir_fsub(b, x, nir_fmul(b, y, nir_ffloor(b, nir_fdiv(b, x, y))));

   if (!is_power_of_two(alu, 1)) {
      nir_def *whole =
         nir_b2f32(b, nir_fge(b, nir_fabs(b, result), nir_fabs(b, y)));
      result = nir_fsub(b, result, nir_fmul(b, y, whole));
   }
   nir_def_replace(&alu->def, result);
   return true;
}

/* Whether the body of the loop reads a uniform whose place is computed. */
static bool
indexes_uniforms(nir_loop *loop)
{
   nir_foreach_block_in_cf_node (block, &loop->cf_node) {
      nir_foreach_instr (instr, block) {
         if (instr->type != nir_instr_type_intrinsic)
            continue;
         nir_intrinsic_instr *intr = nir_instr_as_intrinsic(instr);
         if (intr->intrinsic == nir_intrinsic_load_uniform &&
             !nir_src_is_const(intr->src[0]))
            return true;
      }
   }
   return false;
}

static bool
may_unroll(nir_loop *loop)
{
   const nir_loop_info *info = loop->info;
   const unsigned iterations = info->max_trip_count,
                  cost = info->instr_cost * iterations;

   if (iterations == 0 || fs_contains_loop(&loop->body))
      return false;
   if (iterations <= MAX_UNROLLED_ITERATIONS &&
       (info->force_unroll ||
        (info->exact_trip_count_known && cost <= MAX_UNROLLED_COST)))
      return true;
   return iterations <= MAX_INDEXING_ITERATIONS &&
          cost <= MAX_INDEXING_COST && indexes_uniforms(loop);
}

/*
 * Mesa's linker unrolls up to max_unroll_iterations.  Longer loops are worth
 * it where all fragments run all iterations; and fragment programs have no
 * indirect addressing: the element that a loop's counter selects is known in
 * unrolled copies of the body only.
 */
static void
choose_unrolling(nir_function_impl *impl)
{
   nir_metadata_require(impl, nir_metadata_loop_analysis, nir_var_all, true);
   nir_foreach_block (block, impl) {
      nir_cf_node *node = nir_cf_node_next(&block->cf_node);
      if (!node || node->type != nir_cf_node_loop)
         continue;
      nir_loop *loop = nir_cf_node_as_loop(node);
      if (may_unroll(loop))
         loop->control = nir_loop_control_unroll;
   }
}

/* NIR_LOOP_PASS() knows passes by their address, as functions of one type. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wcast-function-type"
#pragma GCC diagnostic ignored "-Wstrict-prototypes"

void
tegra20_optimize_nir(nir_shader *nir)
{
   nir_function_impl *impl = nir_shader_get_entrypoint(nir);
   /* passes with nothing left to do since they were last run */
   struct set *skip = _mesa_pointer_set_create(NULL);
   bool progress;

   do {
      progress = false;
      NIR_LOOP_PASS_NOT_IDEMPOTENT(progress, skip, nir, nir_opt_loop);
      NIR_LOOP_PASS(progress, skip, nir, nir_copy_prop);
      NIR_LOOP_PASS(progress, skip, nir, nir_opt_remove_phis);
      NIR_LOOP_PASS(progress, skip, nir, nir_opt_dce);
      NIR_LOOP_PASS_NOT_IDEMPOTENT(progress, skip, nir, nir_opt_if, 0);
      NIR_LOOP_PASS(progress, skip, nir, nir_opt_dead_cf);
      NIR_LOOP_PASS(progress, skip, nir, nir_opt_cse);
      NIR_LOOP_PASS(progress, skip, nir, nir_opt_peephole_select, 8, true,
                    true);
      NIR_LOOP_PASS_NOT_IDEMPOTENT(progress, skip, nir, nir_opt_algebraic);
      NIR_LOOP_PASS(progress, skip, nir, nir_opt_constant_folding);
      NIR_LOOP_PASS(progress, skip, nir, nir_opt_undef);
      if (nir->info.stage == MESA_SHADER_FRAGMENT && fs_has_loops(nir))
         choose_unrolling(impl);
      NIR_LOOP_PASS_NOT_IDEMPOTENT(progress, skip, nir, nir_opt_loop_unroll);
   } while (progress);
   _mesa_set_destroy(skip, NULL);

   if (nir->options->lower_flrp32)
      NIR_PASS(_, nir, nir_lower_flrp, 32, false);

   do {
      progress = false;
      NIR_PASS(progress, nir, nir_opt_algebraic_late);
      NIR_PASS(progress, nir, tegra20_same_code);
      if (progress) {
         NIR_PASS(_, nir, nir_opt_constant_folding);
         NIR_PASS(_, nir, nir_copy_prop);
         NIR_PASS(_, nir, nir_opt_dce);
         NIR_PASS(_, nir, nir_opt_cse);
      }
   } while (progress);
}

#pragma GCC diagnostic pop

/*
 * Constant offsets go into the base, so that afterwards offset sources are
 * dynamic or zero, and their type (integer before nir_lower_int_to_float,
 * float after it) does not matter.
 */
static bool
fold_uniform_offset(nir_builder *b, nir_intrinsic_instr *intr, void *data)
{
   if (intr->intrinsic != nir_intrinsic_load_uniform ||
       !nir_src_is_const(intr->src[0]))
      return false;

   const unsigned offset = nir_src_as_uint(intr->src[0]);
   const unsigned range = nir_intrinsic_range(intr);
   if (offset == 0 || offset >= range)
      return false;

   b->cursor = nir_before_instr(&intr->instr);
   nir_intrinsic_set_base(intr, nir_intrinsic_base(intr) + offset);
   nir_intrinsic_set_range(intr, range - offset);
   nir_src_rewrite(&intr->src[0], nir_imm_int(b, 0));
   return true;
}

static bool
is_binary(nir_scalar value)
{
   return nir_scalar_is_alu(value) &&
          nir_op_infos[nir_scalar_alu_op(value)].num_inputs == 2;
}

/* Which source of a sum or product is a constant: 2 when none is. */
static unsigned
constant_source(nir_scalar value)
{
   unsigned s = 0;

   while (s < 2 && !nir_scalar_is_const(nir_scalar_chase_alu_src(value, s)))
      s++;
   return s;
}

/* offset = index * stride + first.  False when it is no such product. */
static bool
split_offset(nir_scalar offset, nir_scalar *index, unsigned *stride,
             unsigned *first)
{
   *first = 0;
   if (is_binary(offset) && nir_scalar_alu_op(offset) == nir_op_iadd) {
      const unsigned s = constant_source(offset);
      if (s == 2)
         return false;
      *first = nir_scalar_as_uint(nir_scalar_chase_alu_src(offset, s));
      offset = nir_scalar_chase_alu_src(offset, !s);
   }
   if (!is_binary(offset))
      return false;
   const nir_op op = nir_scalar_alu_op(offset);
   const unsigned s = constant_source(offset);
   if (s == 2 || (op != nir_op_imul && (op != nir_op_ishl || s == 0)))
      return false;
   const unsigned n = nir_scalar_as_uint(nir_scalar_chase_alu_src(offset, s));
   *stride = op == nir_op_imul ? n : 1u << (n & 31);
   *index = nir_scalar_chase_alu_src(offset, !s);
   return *stride > 0;
}

/* Elements low..high - 1 of an array of uniforms. */
static nir_def *
select_uniform(nir_builder *b, nir_intrinsic_instr *load, nir_def *index,
               unsigned first, unsigned stride, unsigned low, unsigned high)
{
   if (high - low == 1)
      return nir_load_uniform(
         b, load->def.num_components, load->def.bit_size, nir_imm_int(b, 0),
         .base = nir_intrinsic_base(load) + first + low * stride, .range = 1,
         .dest_type = nir_intrinsic_dest_type(load));
   const unsigned middle = (low + high) / 2;
   nir_def *lower =
      select_uniform(b, load, index, first, stride, low, middle);
   nir_def *upper =
      select_uniform(b, load, index, first, stride, middle, high);
   return nir_bcsel(b, nir_ilt_imm(b, index, middle), lower, upper);
}

/* Lowers reads with computed indices to selections among all elements. */
static bool
lower_indexing(nir_builder *b, nir_intrinsic_instr *intr, void *data)
{
   if (intr->intrinsic != nir_intrinsic_load_uniform ||
       nir_src_is_const(intr->src[0]))
      return false;

   const unsigned range = MAX2(nir_intrinsic_range(intr), 1);
   nir_scalar index = nir_get_scalar(intr->src[0].ssa, 0);
   unsigned first = 0, stride = 1;

   if (!split_offset(index, &index, &stride, &first) || first >= range) {
      index = nir_get_scalar(intr->src[0].ssa, 0);
      first = 0;
      stride = 1;
   }
   b->cursor = nir_before_instr(&intr->instr);
   nir_def_replace(
      &intr->def,
      select_uniform(b, intr, nir_channel(b, index.def, index.comp), first,
                     stride, 0, DIV_ROUND_UP(range - first, stride)));
   return true;
}

static void
lower_variables(nir_shader *nir)
{
   NIR_PASS(_, nir, nir_lower_global_vars_to_local);
   NIR_PASS(_, nir, nir_split_var_copies);
   NIR_PASS(_, nir, nir_lower_var_copies);
   NIR_PASS(_, nir, nir_lower_vars_to_ssa);
   NIR_PASS(_, nir, nir_lower_indirect_derefs,
            nir_var_function_temp | nir_var_shader_out, UINT32_MAX);
   NIR_PASS(_, nir, nir_lower_vars_to_ssa);
   NIR_PASS(_, nir, nir_remove_dead_variables,
            nir_var_function_temp | nir_var_shader_temp, NULL);

   if (!nir->info.io_lowered) {
      const nir_lower_io_options io_options =
         nir->info.stage == MESA_SHADER_FRAGMENT
            ? nir_lower_io_use_interpolated_input_intrinsics
            : 0;

      NIR_PASS(_, nir, nir_lower_io, nir_var_shader_in | nir_var_shader_out,
               count_vec4_slots, io_options);
      nir->info.io_lowered = true;
   }
   NIR_PASS(_, nir, nir_lower_io, nir_var_uniform, count_vec4_slots, 0);
   NIR_PASS(_, nir, nir_opt_constant_folding);
   NIR_PASS(_, nir, nir_io_add_const_offset_to_base,
            nir_var_shader_in | nir_var_shader_out);
   NIR_PASS(_, nir, nir_lower_system_values);
}

/* The engine needs a position; that of a program without one is undefined. */
static void
write_position(nir_shader *nir)
{
   if (nir->info.stage != MESA_SHADER_VERTEX)
      return;
   nir_function_impl *impl = nir_shader_get_entrypoint(nir);
   nir_shader_gather_info(nir, impl);
   if ((nir->info.outputs_written & VARYING_BIT_POS) ||
       nir_find_variable_with_location(nir, nir_var_shader_out,
                                       VARYING_SLOT_POS))
      return;

   const unsigned slot = nir->num_outputs++;
   nir_builder b = nir_builder_at(nir_after_impl(impl));
   nir_def *value = nir_imm_vec4(&b, 0, 0, 0, 1);
   if (nir->info.io_lowered) {
      nir_store_output(&b, value, nir_imm_int(&b, 0), .base = slot,
                       .write_mask = 0xf, .src_type = nir_type_float32,
                       .io_semantics.location = VARYING_SLOT_POS,
                       .io_semantics.num_slots = 1);
   } else {
      nir_variable *position = nir_variable_create(
         nir, nir_var_shader_out, glsl_vec4_type(), "gl_Position");
      position->data.location = VARYING_SLOT_POS;
      position->data.driver_location = slot;
      nir_store_var(&b, position, value, 0xf);
   }
   nir_metadata_preserve(impl, nir_metadata_control_flow);
}

/*
 * In OpenGL 2.1 a texture and its sampler are one unit.  The second lookup of
 * pixel maps (nir_lower_drawpixels() of Mesa 25.0) has the sampler's number
 * only.
 */
static bool
unite_sampler(nir_builder *b, nir_instr *instr, void *data)
{
   if (instr->type != nir_instr_type_tex)
      return false;

   nir_tex_instr *tex = nir_instr_as_tex(instr);
   if (tex->texture_index == tex->sampler_index)
      return false;
   tex->texture_index = tex->sampler_index;
   return true;
}

static bool
replace_instance(nir_builder *b, nir_intrinsic_instr *intr, void *data)
{
   if (intr->intrinsic != nir_intrinsic_load_instance_id)
      return false;
   b->cursor = nir_before_instr(&intr->instr);
   nir_def_replace(&intr->def,
                   nir_load_uniform(b, 1, 32, nir_imm_int(b, 0),
                                    .base = b->shader->num_uniforms,
                                    .range = 1, .dest_type = nir_type_int32));
   return true;
}

bool
tegra20_nir_instance(nir_shader *nir)
{
   bool reads = false;

   NIR_PASS(reads, nir, nir_shader_intrinsics_pass, replace_instance,
            nir_metadata_control_flow, NULL);
   BITSET_CLEAR(nir->info.system_values_read, SYSTEM_VALUE_INSTANCE_ID);
   nir->num_uniforms += reads;
   return reads;
}

void
tegra20_finalize_nir(nir_shader *nir)
{
   write_position(nir);
   /* before variables that copies of a loop index by constants are selected
    * from by conditionals */
   if (nir->info.stage == MESA_SHADER_FRAGMENT && fs_has_loops(nir))
      tegra20_optimize_nir(nir);
   lower_variables(nir);
   NIR_PASS(_, nir, nir_shader_instructions_pass, unite_sampler,
            nir_metadata_all, NULL);
   NIR_PASS(_, nir, nir_shader_alu_pass, lower_modulo,
            nir_metadata_control_flow, NULL);
   NIR_PASS(_, nir, tegra20_reduce_periods);
   tegra20_optimize_nir(nir);
   nir_shader_gather_info(nir, nir_shader_get_entrypoint(nir));
}

void
tegra20_simplify_signs(nir_shader *nir)
{
   NIR_PASS(_, nir, tegra20_move_signs);
   NIR_PASS(_, nir, nir_opt_algebraic);
   NIR_PASS(_, nir, nir_opt_dce);
}

/* Floats only, but for booleans. */
static void
lower_integers(nir_shader *nir)
{
   NIR_PASS(_, nir, nir_shader_intrinsics_pass, fold_uniform_offset,
            nir_metadata_control_flow, NULL);
   NIR_PASS(_, nir, tegra20_lower_integer_division,
            nir->info.stage == MESA_SHADER_FRAGMENT);
   NIR_PASS(_, nir, nir_opt_algebraic_late);
   NIR_PASS(_, nir, nir_opt_constant_folding);
   NIR_PASS(_, nir, nir_copy_prop);
   NIR_PASS(_, nir, nir_opt_dce);
   NIR_PASS(_, nir, nir_lower_int_to_float);
   NIR_PASS(_, nir, nir_copy_prop);
}

static void
compare_unrounded(nir_shader *nir)
{
   bool progress;

   do {
      progress = false;
      NIR_PASS(progress, nir, tegra20_compare_unrounded);
      NIR_PASS(_, nir, nir_opt_constant_folding);
   } while (progress);
}

bool
tegra20_finish_nir(nir_shader *nir)
{
   bool has_loops = false;

   if (nir->info.stage == MESA_SHADER_FRAGMENT) {
      bool indexed = false;
      NIR_PASS(indexed, nir, nir_shader_intrinsics_pass, lower_indexing,
               nir_metadata_control_flow, NULL);
      if (indexed)
         tegra20_optimize_nir(nir);
      has_loops = fs_has_loops(nir);
      if (has_loops) {
         lower_integers(nir);
         NIR_PASS(_, nir, fs_lower_loops);
         tegra20_optimize_nir(nir);
         fs_drop_carried(nir);
      }
      NIR_PASS(_, nir, fs_flatten);
      tegra20_optimize_nir(nir);
      if (has_loops)
         fs_drop_carried(nir);
   }

   /* not twice: the bits of a float would be taken for an integer where only
    * a uniform's declaration tells the type */
   if (!has_loops)
      lower_integers(nir);
   if (nir->info.stage == MESA_SHADER_FRAGMENT)
      compare_unrounded(nir);
   NIR_PASS(_, nir, nir_lower_bool_to_float, true);
   NIR_PASS(_, nir, nir_copy_prop);
   NIR_PASS(_, nir, nir_opt_constant_folding);
   NIR_PASS(_, nir, nir_opt_cse);
   NIR_PASS(_, nir, nir_opt_dce);
   tegra20_differentiate(nir);
   if (nir->info.stage == MESA_SHADER_FRAGMENT) {
      struct tegra20_gain(*gains)[4] = tegra20_new_gains(nir);
      tegra20_mark_amplified(nir, gains);
      ralloc_free(gains);
   }
   nir_shader_gather_info(nir, nir_shader_get_entrypoint(nir));
   return has_loops;
}

void
tegra20_preprocess_nir(nir_shader *nir)
{
   tegra20_finalize_nir(nir);
   tegra20_finish_nir(nir);
}
