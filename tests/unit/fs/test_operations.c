/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Every NIR operation that the fragment back end takes, a line each, whether or not a front end of today produces it: the
 * operation is compiled for operands that are not known, and its words are run and compared with Mesa's own evaluation of
 * the operation.  Then expressions that decide whether a rule of the optimizer is right, and the builder's folding.
 */

#include "unit.h"
#include "compiler/nir/nir_builder.h"
#include "fs/fs.h"
#include "tegra20_nir.h"
#include "fs_check.h"

#define RUNS 64
#define TOLERANCE 1.6f /* the store's half step, and an fp20 result in front of it */

/* The number n of an input in lo..hi. */
static nir_def *
operand(nir_builder *b, unsigned n, float lo, float hi, unsigned components)
{
   nir_def *x = nir_load_input(b, components, 32, nir_imm_float(b, 0), .base = n, .dest_type = nir_type_float32,
                               .io_semantics.location = VARYING_SLOT_VAR0 + n, .io_semantics.num_slots = 1);
   return nir_fadd_imm(b, nir_fmul_imm(b, x, hi - lo), lo);
}

static nir_builder
begin(void)
{
   return nir_builder_init_simple_shader(MESA_SHADER_FRAGMENT, tegra20_nir_options(MESA_SHADER_FRAGMENT), "operations");
}

static void
store(nir_builder *b, nir_def *value)
{
   nir_store_output(b, nir_replicate(b, value, 4), nir_imm_float(b, 0), .base = 0, .range = 1, .write_mask = 0xf,
                    .src_type = nir_type_float32, .io_semantics.location = FRAG_RESULT_DATA0, .io_semantics.num_slots = 1);
}

static void
check(nir_builder *b, const char *name)
{
   struct tegra20_fs_key key;
   struct fs_check_result result;
   struct tegra20_fs *fs = NULL;
   char *error = NULL;

   nir_index_ssa_defs(nir_shader_get_entrypoint(b->shader));
   fs_check_default_key(&key);
   if (!tegra20_compile_fs(b->shader, b->shader, &key, NULL, &fs, &error))
      fail_msg("%s: %s", name, error);
   fs_check(b->shader, fs, &key, RUNS, 1, TOLERANCE, &result);
   if (result.error || result.diagnostic || result.mismatches || result.runs != RUNS)
      fail_msg("%s: %s, diagnostic %u, %u of %u differ: %s", name, result.error ? result.error : "", result.diagnostic, result.mismatches, result.runs, result.message);
   ralloc_free(b->shader);
}

/* --- operations --- */

struct operation {
   nir_op op;
   float lo[3], hi[3]; /* of the operands */
   float scale, bias;  /* the result times that plus that lies in 0..1 */
};

#define ANY {-1.9f, -1.9f, -1.9f}, {1.9f, 1.9f, 1.9f}
#define SIGNS {-0.5f, -1.9f, -1.9f}, {0.5f, 1.9f, 1.9f}
#define POSITIVE {0.25f, 0.25f, 0.25f}, {1.75f, 1.75f, 1.75f}

static const struct operation operations[] = {
   {nir_op_mov, ANY, 0.25f, 0.5f}, {nir_op_fneg, ANY, 0.25f, 0.5f},
   {nir_op_fabs, ANY, 0.5f, 0}, {nir_op_fsat, ANY, 1, 0},
   {nir_op_fadd, ANY, 0.125f, 0.5f}, {nir_op_fsub, ANY, 0.125f, 0.5f},
   {nir_op_fmul, ANY, 0.125f, 0.5f}, {nir_op_ffma, ANY, 0.08f, 0.5f},
   {nir_op_flrp, ANY, 0.07f, 0.5f}, {nir_op_fmin, ANY, 0.25f, 0.5f},
   {nir_op_fmax, ANY, 0.25f, 0.5f}, {nir_op_frcp, POSITIVE, 0.25f, 0},
   {nir_op_fdiv, POSITIVE, 0.125f, 0}, {nir_op_frsq, POSITIVE, 0.5f, 0},
   {nir_op_fsqrt, POSITIVE, 0.5f, 0}, {nir_op_flog2, POSITIVE, 0.25f, 0.5f},
   {nir_op_fexp2, ANY, 0.25f, 0}, {nir_op_fpow, POSITIVE, 0.25f, 0},
   {nir_op_fsin, {-6, 0, 0}, {6, 0, 0}, 0.5f, 0.5f}, {nir_op_fcos, {-6, 0, 0}, {6, 0, 0}, 0.5f, 0.5f},
   {nir_op_ffract, {0.01f, 0, 0}, {0.99f, 0, 0}, 1, 0}, {nir_op_ffloor, {-2.99f, 0, 0}, {2.99f, 0, 0}, 0.125f, 0.5f},
   {nir_op_fceil, {-2.99f, 0, 0}, {2.99f, 0, 0}, 0.125f, 0.5f},
   {nir_op_ftrunc, {-2.99f, 0, 0}, {2.99f, 0, 0}, 0.125f, 0.5f},
   {nir_op_fround_even, {-2.49f, 0, 0}, {2.49f, 0, 0}, 0.125f, 0.5f},
   {nir_op_fsign, {-0.5f, 0, 0}, {0.5f, 0, 0}, 0.25f, 0.5f}, /* 0 is among the values */
   {nir_op_slt, {0, 0, 0}, {1, 1, 0}, 1, 0}, {nir_op_sge, {0, 0, 0}, {1, 1, 0}, 1, 0},
   {nir_op_seq, {0, 0, 0}, {1, 1, 0}, 1, 0}, {nir_op_sne, {0, 0, 0}, {1, 1, 0}, 1, 0},
   {nir_op_fcsel, SIGNS, 0.25f, 0.5f}, {nir_op_fcsel_gt, SIGNS, 0.25f, 0.5f},
   {nir_op_fcsel_ge, SIGNS, 0.25f, 0.5f}, {nir_op_fsum2, ANY, 0.125f, 0.5f},
   {nir_op_fsum3, ANY, 0.08f, 0.5f}, {nir_op_fsum4, ANY, 0.06f, 0.5f},
};

TEST_ROWS_BY(operations, operations, nir_op_infos[c->op].name)
{
   const nir_op_info *info = &nir_op_infos[c->op];
   nir_builder b = begin();
   nir_def *src[4] = {NULL};

   for (unsigned i = 0; i < info->num_inputs; i++)
      src[i] = operand(&b, i, c->lo[i], c->hi[i], MAX2(info->input_sizes[i], 1));
   nir_def *result = nir_build_alu_src_arr(&b, c->op, src);
   store(&b, nir_fadd_imm(&b, nir_fmul_imm(&b, result, c->scale), c->bias));
   check(&b, info->name);
}

/* --- expressions --- */

/* The product is below 0: its saturation does something, though both factors are at most 1 in magnitude. */
static nir_def *
negative_product(nir_builder *b)
{
   nir_def *x = nir_fsat(b, operand(b, 0, -1, 2, 1));
   return nir_fadd_imm(b, nir_fsat(b, nir_fmul_imm(b, x, -0.5)), 0.25);
}

/* t is outside 0..1: what reads it as operand D must not take its magnitude. */
static nir_def *
lerp_outside(nir_builder *b)
{
   nir_def *x = nir_flrp(b, operand(b, 0, 0, 1, 1), operand(b, 1, 0, 1, 1), operand(b, 2, -3, 3, 1));
   return nir_fadd_imm(b, nir_fmul_imm(b, x, 0.125), 0.5);
}

/* A square's factors are one register, of which one is read as a magnitude. */
static nir_def *
square_of_magnitude(nir_builder *b)
{
   nir_def *x = operand(b, 0, -1, 1, 1);
   return nir_fadd_imm(b, nir_fmul_imm(b, nir_fmul(b, nir_fabs(b, x), x), 0.5), 0.5);
}

static const struct {
   const char *name;
   nir_def *(*expression)(nir_builder *b);
} expressions[] = {
   {"sat(sat(x) * -0.5)", negative_product},
   {"mix with t outside 0..1", lerp_outside},
   {"abs(x) * x", square_of_magnitude},
};

TEST_ROWS(expressions, expressions)
{
   nir_builder b = begin();
   store(&b, c->expression(&b));
   check(&b, c->name);
}

/* --- building --- */

static struct fs_program *
new_program(void)
{
   static struct tegra20_fs_key key;
   static const struct fs_lowering chains = {.flipped = 1u << FS_CHOICE_SUM};
   struct fs_program *p = rzalloc(NULL, struct fs_program);

   fs_check_default_key(&key);
   p->key = &key;
   p->lowering = &chains;
   p->chip = tegra20_chip_or_default(NULL);
   return p;
}

static struct fs_src
varying(struct fs_program *p, unsigned comp)
{
   return fs_interp(p, VARYING_SLOT_VAR0, comp, false, false);
}

TEST(select_by_constant)
{
   static const struct {
      float test;
      bool first;
   } cases[] = {{-1, true}, {-0.25f, true}, {0, false}, {0.25f, false}, {1, false}};
   struct fs_program *p = new_program();
   const struct fs_src x = varying(p, 0), y = varying(p, 1);

   for (unsigned i = 0; i < ARRAY_SIZE(cases); i++) {
      const struct fs_src s = fs_select_negative(p, fs_imm(p, cases[i].test), x, y);
      assert_true(fs_src_equal(s, cases[i].first ? x : y));
   }
   ralloc_free(p);
}

/* Modifiers of a uniform, folded into an expression that the CPU computes: the uniform is 0.75. */
TEST(folded_modifiers)
{
   static const struct {
      unsigned mods;
      float value;
   } cases[] = {
      {0, 0.75f}, {FS_MOD_X2, 1.5f}, {FS_MOD_SUB1, -0.25f}, {FS_MOD_NEG, -0.75f}, {FS_MOD_ABS, 0.75f},
      {FS_MOD_X2 | FS_MOD_SUB1, 0.5f}, {FS_MOD_X2 | FS_MOD_SUB1 | FS_MOD_NEG, -0.5f},
   };
   const float number = 0.75f;
   uint32_t words[4] = {0};

   memcpy(words, &number, sizeof(number));
   for (unsigned i = 0; i < ARRAY_SIZE(cases); i++) {
      struct fs_program *p = new_program();
      const struct fs_src u = {FS_SRC_VALUE, cases[i].mods, fs_value(p, TEGRA20_VALUE_UNIFORM, 0, 0, NULL)};
      const struct fs_src sum = fs_fold(p, nir_op_fadd, 2, (struct fs_src[]){u, fs_imm(p, 0.125f)});
      float params[TEGRA20_PARAM_COUNT] = {0}, results[64];
      assert_int_equal(sum.kind, FS_SRC_VALUE);
      assert_int_equal(sum.mods, 0);
      tegra20_values_eval(&p->values, words, 4, params, results);
      assert_true(results[sum.index] == cases[i].value + 0.125f);
      ralloc_free(p);
   }
}

/* What reads a copy reads its source, with the modifiers of both. */
TEST(copies)
{
   static const struct {
      unsigned inner, outer, expected;
      bool forwarded;
   } cases[] = {
      {0, 0, 0, true},
      {FS_MOD_NEG, 0, FS_MOD_NEG, true},
      {0, FS_MOD_NEG, FS_MOD_NEG, true},
      {FS_MOD_NEG, FS_MOD_NEG, 0, true},
      {FS_MOD_ABS, FS_MOD_NEG, FS_MOD_ABS | FS_MOD_NEG, true},
      {0, FS_MOD_ABS, FS_MOD_ABS, true},
      {0, FS_MOD_SUB1, FS_MOD_SUB1, true},
      /* a magnitude of a negation, twice a magnitude less one: not in this order */
      {FS_MOD_NEG, FS_MOD_ABS, FS_MOD_ABS, false},
      {FS_MOD_ABS | FS_MOD_SUB1, FS_MOD_X2, FS_MOD_X2, false},
   };

   for (unsigned i = 0; i < ARRAY_SIZE(cases); i++) {
      struct fs_program *p = new_program();
      struct fs_src x = varying(p, 0);
      x.mods = cases[i].inner;
      struct fs_src copy = fs_mov(p, x);
      copy.mods = cases[i].outer;
      /* the product is kept by the store */
      const struct fs_src product = fs_build_alu(p, FS_OP_MAD, copy, varying(p, 1), fs_zero());
      struct fs_outputs outputs = {.written = {true}};
      for (unsigned c = 0; c < 4; c++)
         outputs.color[0][c] = product;
      fs_epilogue(p, &outputs);
      fs_run_passes(p, "products");

      const struct fs_node *reader = NULL;
      for (unsigned n = 0; n < p->num_nodes; n++) {
         if (p->nodes[n].op == FS_OP_MAD && !fs_is_one(p->nodes[n].src[1]))
            reader = &p->nodes[n];
      }
      assert_non_null(reader);
      const struct fs_src src = reader->src[0];
      const bool forwarded = p->nodes[src.index].op == FS_OP_INTERP;
      if (src.mods != cases[i].expected || forwarded != cases[i].forwarded)
         fail_msg("modifiers %x of a copy of modifiers %x: %x of the %s", cases[i].outer, cases[i].inner, src.mods, forwarded ? "source" : "copy");
      ralloc_free(p);
   }
}

/* Rules for integers that become floats (nir/tegra20_nir_algebraic.py): the reciprocal of 41 is a little too small. */
TEST(integer_division)
{
   static const struct {
      nir_op op;
      int a, b, result;
   } cases[] = {
      {nir_op_idiv, 6, 3, 2},    {nir_op_idiv, 7, 3, 2},   {nir_op_idiv, -7, 3, -2}, {nir_op_idiv, 41, 41, 1},
      {nir_op_udiv, 82, 41, 2},  {nir_op_udiv, 81, 41, 1}, {nir_op_irem, 7, 3, 1},   {nir_op_irem, -7, 3, -1},
      {nir_op_irem, 7, -3, 1},   {nir_op_umod, 82, 41, 0}, {nir_op_umod, 81, 41, 40}, {nir_op_imod, 7, 3, 1},
      {nir_op_imod, -7, 3, 2},   {nir_op_imod, 7, -3, -2}, {nir_op_imod, -7, -3, -1}, {nir_op_imod, -6, 3, 0},
   };

   for (unsigned i = 0; i < 2 * ARRAY_SIZE(cases); i++) {
      const gl_shader_stage stage = i & 1 ? MESA_SHADER_FRAGMENT : MESA_SHADER_VERTEX;
      nir_builder b = nir_builder_init_simple_shader(stage, tegra20_nir_options(stage), "division");
      nir_def *result = nir_build_alu2(&b, cases[i / 2].op, nir_imm_int(&b, cases[i / 2].a), nir_imm_int(&b, cases[i / 2].b));
      nir_store_output(&b, result, nir_imm_int(&b, 0), .src_type = nir_type_int32);
      nir_intrinsic_instr *store = nir_instr_as_intrinsic(nir_block_last_instr(nir_start_block(b.impl)));

      assert_true(tegra20_lower_integer_division(b.shader, stage == MESA_SHADER_FRAGMENT));
      nir_opt_constant_folding(b.shader);
      assert_true(nir_src_is_const(store->src[0]));
      if (nir_src_as_int(store->src[0]) != cases[i / 2].result)
         fail_msg("%s %i, %i: %i", nir_op_infos[cases[i / 2].op].name, cases[i / 2].a, cases[i / 2].b, (int)nir_src_as_int(store->src[0]));
      ralloc_free(b.shader);
   }
}

BEFORE_ALL
{
   glsl_type_singleton_init_or_ref();
}
