/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Chains of selections are turned round where the program will be drawn in parts (fs_exits.c): how long they must be, and
 * which operations count for the size of the program.
 */

#include "unit.h"
#include "compiler/nir/nir_builder.h"
#include "fs/fs_flatten.h"

#include "tegra20_compiler.h"

static const struct exits_case {
   const char *name;
   unsigned length;           /* of the chain */
   unsigned varying, uniform; /* operations that each of its values takes */
   bool turned;
} cases[] = {
   {"large", 8, 80, 0, true},
   {"large, a short chain", 6, 120, 0, false},
   {"small", 8, 4, 0, false},
   {"small, but for what the CPU computes", 8, 4, 80, false},
   {"large, and the CPU computes something", 8, 80, 80, true},
};

/* A chain of operations: the CPU's where the value is uniform. */
static nir_def *
compute(nir_builder *b, nir_def *value, unsigned operations)
{
   for (unsigned i = 0; i < operations; i++)
      value = nir_fadd(b, nir_fabs(b, value), value);
   return value;
}

TEST_ROWS(exits, cases)
{
   nir_builder b = nir_builder_init_simple_shader(MESA_SHADER_FRAGMENT, tegra20_nir_options(MESA_SHADER_FRAGMENT), "exits");
   nir_def *input = nir_load_input(&b, 1, 32, nir_imm_int(&b, 0)), *result = input;

   for (unsigned i = 0; i < c->length; i++) {
      nir_def *uniform = nir_load_uniform(&b, 1, 32, nir_imm_int(&b, 0), .base = i, .range = 1);
      nir_def *known = compute(&b, uniform, c->uniform / 2);
      nir_def *value = compute(&b, nir_fmul(&b, input, known), c->varying / 2);

      result = nir_bcsel(&b, nir_flt(&b, input, known), value, result);
   }
   nir_store_output(&b, result, nir_imm_int(&b, 0));
   assert_int_equal(fs_turn_exits(b.shader), c->turned);
   nir_validate_shader(b.shader, "after turning chains round");
   ralloc_free(b.shader);
}

BEFORE_ALL
{
   glsl_type_singleton_init_or_ref();
}
