/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Values in surfaces (TEGRA20_RT_FP20): nothing is lost.
 *
 * A program that loads a value and stores it again is run for all 2^20 pixels that a value can have.  What it stores is
 * what it has loaded: so different pixels are different registers, there are as many registers as pixels, and storing is
 * the inverse of loading.  That the pixels are those of the value, and not some others, is tested with values that
 * arithmetic makes.
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "compiler/nir/nir_builder.h"
#include "fs_run.h"
#include "tegra20_compiler.h"

#define SIZE 1024

static struct tegra20_fs_key
hand_over_key(void)
{
   struct tegra20_fs_key key = {.nr_cbufs = 2, .clamp_color = true};

   for (unsigned i = 0; i < 2; i++)
      key.rt[i] = (struct tegra20_fs_rt_key){
         .bound = true, .has_alpha = true, .colormask = 0xf, .order = TEGRA20_RT_FP20, .surface = i ? 3 : 1,
      };
   return key;
}

static nir_def *
load(nir_builder *b, unsigned cbuf)
{
   return nir_load_output(b, 1, 32, nir_imm_float(b, 0), .base = cbuf, .range = 1, .dest_type = nir_type_float32,
                          .io_semantics.location = FRAG_RESULT_DATA0 + cbuf, .io_semantics.num_slots = 1,
                          .io_semantics.fb_fetch_output = true);
}

static void
store(nir_builder *b, unsigned cbuf, nir_def *value)
{
   nir_store_output(b, value, nir_imm_float(b, 0), .base = cbuf, .range = 1, .write_mask = 1,
                    .src_type = nir_type_float32, .io_semantics.location = FRAG_RESULT_DATA0 + cbuf,
                    .io_semantics.num_slots = 1);
}

static nir_def *
uniform(nir_builder *b)
{
   return nir_load_uniform(b, 1, 32, nir_imm_float(b, 0), .base = 0, .range = 1);
}

static struct tegra20_fs *
compile(nir_builder *b, unsigned avoid)
{
   const struct tegra20_fs_key key = hand_over_key();
   const struct tegra20_compiler_options options = {.avoid = avoid};
   struct tegra20_fs *fs = NULL;
   char *error = NULL;

   if (!tegra20_compile_fs(b->shader, b->shader, &key, &options, &fs, &error))
      fail_msg("%s", error);
   return fs;
}

static void
run(const struct tegra20_fs *fs, unsigned size, uint8_t *from, uint8_t *to, float value)
{
   uint32_t words[4];
   float params[TEGRA20_PARAM_COUNT] = {0};
   struct fs_run r = {.size = size, .pixels = {[1] = to, [3] = from}, .uniforms = words, .num_uniforms = 4, .params = params};

   for (unsigned i = 0; i < 4; i++)
      memcpy(&words[i], &value, sizeof(value));
   fs_run(fs, &r);
   assert_int_equal(r.diagnostic, 0);
}

/* The pixel of a value, from the manual's description of a register. */
static void
pixel_of_bits(uint32_t bits, uint8_t pixel[4])
{
   for (unsigned half = 0; half < 2; half++) {
      const unsigned n = ((half ? bits : bits >> 10) & 0x3ff) ^ 0x200;
      const unsigned rest = 248 + n % 8;

      pixel[2 * half] = 127 - n / 8;
      pixel[2 * half + 1] = rest - 1; /* the byte of a number from 128 on, 2.3 */
   }
}

static void
test_all_patterns(const unsigned avoid)
{
   nir_builder b = nir_builder_init_simple_shader(MESA_SHADER_FRAGMENT, tegra20_nir_options(MESA_SHADER_FRAGMENT), "all");
   uint8_t *from = malloc(4 * SIZE * SIZE), *to = calloc(SIZE * SIZE, 4);

   store(&b, 0, load(&b, 1));
   for (uint32_t bits = 0; bits < SIZE * SIZE; bits++)
      pixel_of_bits(bits, from + 4 * bits);
   run(compile(&b, avoid), SIZE, from, to, 0);
   assert_memory_equal(from, to, 4 * SIZE * SIZE);
   free(from);
   free(to);
   ralloc_free(b.shader);
}

static void
test_patterns(void **state)
{
   test_all_patterns(0);
   test_all_patterns(TEGRA20_AVOID_D | TEGRA20_AVOID_SCALE | TEGRA20_AVOID_X2);
}

/* Without operations that write both halves of a register the value is computed: what is below 2^-30 becomes zero. */
static void
test_computed(void **state)
{
   nir_builder b = nir_builder_init_simple_shader(MESA_SHADER_FRAGMENT, tegra20_nir_options(MESA_SHADER_FRAGMENT), "all");
   uint8_t *from = malloc(4 * SIZE * SIZE), *to = calloc(SIZE * SIZE, 4);

   store(&b, 0, load(&b, 1));
   for (uint32_t bits = 0; bits < SIZE * SIZE; bits++)
      pixel_of_bits(bits, from + 4 * bits);
   run(compile(&b, TEGRA20_AVOID_NO_ADD), SIZE, from, to, 0);
   for (uint32_t bits = 0; bits < SIZE * SIZE; bits++) {
      uint8_t zero[2][4];

      pixel_of_bits(0, zero[0]);
      pixel_of_bits(0x80000, zero[1]);
      if (bits & 0x7e000)
         assert_memory_equal(from + 4 * bits, to + 4 * bits, 4);
      else
         assert_true(memcmp(to + 4 * bits, zero[0], 4) == 0 || memcmp(to + 4 * bits, zero[1], 4) == 0);
   }
   free(from);
   free(to);
   ralloc_free(b.shader);
}

/* What is stored of a number is its bits, and what is loaded is the number again. */
static const float numbers[] = {0, 1, -1, 2, 0.5, 255, 256, 1.0 / 3, -0.1, 3.1415927, 65504, 1e-9, -4e9, 8191, 1.9998779};

static void
test_numbers(void **state)
{
   nir_builder b = nir_builder_init_simple_shader(MESA_SHADER_FRAGMENT, tegra20_nir_options(MESA_SHADER_FRAGMENT), "num");

   /* the second is 0 when the value loaded is that of the uniform */
   store(&b, 0, nir_fsub(&b, load(&b, 1), uniform(&b)));
   struct tegra20_fs *fs = compile(&b, 0);
   for (unsigned i = 0; i < ARRAY_SIZE(numbers); i++) {
      uint8_t from[4], to[4] = {0}, zero[4];
      pixel_of_bits(tegra20_float_to_fp20(numbers[i]), from);
      pixel_of_bits(0, zero);
      run(fs, 1, from, to, numbers[i]);
      assert_memory_equal(to, zero, 4);
   }
   ralloc_free(b.shader);
}

static void
test_stored_numbers(void **state)
{
   nir_builder b = nir_builder_init_simple_shader(MESA_SHADER_FRAGMENT, tegra20_nir_options(MESA_SHADER_FRAGMENT), "num");

   /* x * 1 of a value that is not known when the program is compiled */
   store(&b, 0, nir_fmul(&b, load(&b, 1), uniform(&b)));
   struct tegra20_fs *fs = compile(&b, 0);
   for (unsigned i = 0; i < ARRAY_SIZE(numbers); i++) {
      uint8_t from[4], to[4] = {0}, expected[4];
      pixel_of_bits(tegra20_float_to_fp20(1), from);
      pixel_of_bits(tegra20_float_to_fp20(numbers[i]), expected);
      run(fs, 1, from, to, numbers[i]);
      assert_memory_equal(to, expected, 4);
   }
   ralloc_free(b.shader);
}

int
main(void)
{
   const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_patterns),
      cmocka_unit_test(test_computed),
      cmocka_unit_test(test_numbers),
      cmocka_unit_test(test_stored_numbers),
   };
   return cmocka_run_group_tests_name("values in surfaces", tests, NULL, NULL);
}
