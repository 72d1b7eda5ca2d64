/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Every NIR operation that the vertex back end takes, a line each, whether or not a front end of today produces it: its
 * words are run and compared with Mesa's own evaluation of the operation.  Then inputs and outputs at their limits.
 */

#include "unit.h"
#include "compiler/nir/nir_builder.h"
#include "tegra20_compiler.h"
#include "vpe_isa.h"
#include "vs_check.h"

#define RUNS 64

static const struct tegra20_vs_key no_key;

static nir_builder
begin(void)
{
   return nir_builder_init_simple_shader(MESA_SHADER_VERTEX, tegra20_nir_options(MESA_SHADER_VERTEX), "operations");
}

static nir_def *
attribute(nir_builder *b, unsigned n, unsigned components)
{
   return nir_load_input(b, components, 32, nir_imm_float(b, 0), .base = n, .dest_type = nir_type_float32,
                         .io_semantics.location = VERT_ATTRIB_GENERIC0 + n, .io_semantics.num_slots = 1);
}

/* From component first on. */
static void
store(nir_builder *b, unsigned slot, unsigned first, nir_def *value)
{
   nir_store_output(b, value, nir_imm_float(b, 0), .base = slot == VARYING_SLOT_POS ? 0 : 1, .range = 1,
                    .component = first, .write_mask = nir_component_mask(value->num_components),
                    .src_type = nir_type_float32, .io_semantics.location = slot, .io_semantics.num_slots = 1);
}

/* Angles are brought to -pi..pi, beyond which nobody knows the functions (A11). */
static bool
reduces_angles(const struct tegra20_vs *vs)
{
   bool reduced = false;

   for (unsigned i = 0; i < vs->num_insts; i++) {
      struct vpe_inst inst;
      vpe_unpack(vs->insts[i], &inst);
      if (inst.scalar_op == VPE_SCALAR_SIN || inst.scalar_op == VPE_SCALAR_COS)
         return reduced;
      reduced |= inst.vector_op == VPE_VECTOR_FRC;
   }
   return true;
}

static void
check(nir_builder *b, const char *name)
{
   struct vs_check_result result;
   struct tegra20_vs *vs = NULL;
   char *error = NULL;

   if (!tegra20_compile_vs(b->shader, b->shader, &no_key, NULL, &vs, &error))
      fail_msg("%s: %s", name, error);
   vs_check(b->shader, vs, RUNS, 1, &result);
   if (result.error || result.mismatches || result.runs != RUNS)
      fail_msg("%s: %u of %u differ: %s", name, result.mismatches, result.runs, result.message);
   if (!reduces_angles(vs))
      fail_msg("%s: of an angle as it is", name);
   ralloc_free(b->shader);
}

static const struct {
   nir_op op;
   bool positive, angle; /* operands of functions that are not defined, or not exact, everywhere */
} operations[] = {
   {nir_op_fadd}, {nir_op_fmul}, {nir_op_ffma}, {nir_op_fmin}, {nir_op_fmax},
   {nir_op_slt}, {nir_op_sge}, {nir_op_seq}, {nir_op_sne},
   {nir_op_fsign}, {nir_op_ffract}, {nir_op_ffloor}, {nir_op_fsat},
   {nir_op_fdot3}, {nir_op_fdot4},
   {nir_op_frcp, .positive = true}, {nir_op_frsq, .positive = true}, {nir_op_fsqrt, .positive = true},
   {nir_op_fexp2}, {nir_op_flog2, .positive = true}, {nir_op_fpow, .positive = true},
   {nir_op_fsin, .angle = true}, {nir_op_fcos, .angle = true},
   {nir_op_fneg}, {nir_op_fabs}, {nir_op_mov}, {nir_op_fcsel},
};

TEST_ROWS_BY(operations, operations, nir_op_infos[c->op].name)
{
   const nir_op_info *info = &nir_op_infos[c->op];
   nir_builder b = begin();
   nir_def *src[4] = {NULL};

   for (unsigned i = 0; i < info->num_inputs; i++) {
      src[i] = attribute(&b, i, MAX2(info->input_sizes[i], 1));
      if (c->positive)
         src[i] = nir_fadd_imm(&b, nir_fabs(&b, src[i]), 0.25);
      if (c->angle)
         src[i] = nir_fmul_imm(&b, src[i], 0.25);
   }
   store(&b, VARYING_SLOT_POS, 0, attribute(&b, 4, 4));
   store(&b, VARYING_SLOT_VAR0, 0, nir_build_alu_src_arr(&b, c->op, src));
   check(&b, info->name);
}

/* The sign of a vector that is a constant in part, in what the CPU computes. */
TEST(negated_constant)
{
   nir_builder b = begin();

   store(&b, VARYING_SLOT_POS, 0, attribute(&b, 0, 4));
   nir_def *uniform = nir_load_uniform(&b, 1, 32, nir_imm_float(&b, 0), .base = 0, .range = 1, .dest_type = nir_type_float32);
   nir_def *negated = nir_fneg(&b, nir_vec2(&b, uniform, nir_imm_float(&b, 0.75f)));
   store(&b, VARYING_SLOT_VAR0, 0, nir_fadd(&b, attribute(&b, 1, 2), nir_fmul(&b, negated, nir_vec2(&b, uniform, uniform))));
   check(&b, "negated constant");
}

/* A store that begins behind x writes from there on. */
TEST(output_components)
{
   for (unsigned first = 0; first < 4; first++) {
      nir_builder b = begin();
      store(&b, VARYING_SLOT_POS, 0, attribute(&b, 0, 4));
      if (first)
         store(&b, VARYING_SLOT_VAR0, 0, attribute(&b, 1, first));
      store(&b, VARYING_SLOT_VAR0, first, nir_fmul(&b, attribute(&b, 2, 4 - first), attribute(&b, 3, 4 - first)));
      check(&b, "components of an output");
   }
}

/* The last attribute is read, the one behind it is refused with its number. */
TEST(attribute_limit)
{
   for (unsigned n = TEGRA20_MAX_ATTRIBS - 1; n <= TEGRA20_MAX_ATTRIBS; n++) {
      struct tegra20_vs *vs = NULL;
      char *error = NULL;
      nir_builder b = begin();
      store(&b, VARYING_SLOT_POS, 0, attribute(&b, n, 4));
      const bool compiled = tegra20_compile_vs(b.shader, b.shader, &no_key, NULL, &vs, &error);
      assert_int_equal(compiled, n < TEGRA20_MAX_ATTRIBS);
      if (!compiled)
         assert_string_equal(error, "vertex program needs attribute 16, the chip has 16");
      ralloc_free(b.shader);
   }
}

BEFORE_ALL
{
   glsl_type_singleton_init_or_ref();
}
