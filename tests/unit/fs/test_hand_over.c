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

#include "unit.h"
#include "compiler/nir/nir_builder.h"
#include "fs_run.h"
#include "tegra20_compiler.h"

#define SIZE 1024

/* Colour buffer 0 is stored, 1 is loaded. */
static struct tegra20_fs_key
hand_over_key(void)
{
   struct tegra20_fs_key key = {.nr_cbufs = 2, .clamp_color = true};

   for (unsigned i = 0; i < 2; i++)
      key.rt[i] = (struct tegra20_fs_rt_key){
         .bound = true, .has_alpha = true, .colormask = 0xf, .order = TEGRA20_RT_FP20, .surface = tegra20_rt_slot(i),
      };
   return key;
}

static nir_def *
load(nir_builder *b)
{
   return nir_load_output(b, 1, 32, nir_imm_float(b, 0), .base = 1, .range = 1, .dest_type = nir_type_float32,
                          .io_semantics.location = FRAG_RESULT_DATA1, .io_semantics.num_slots = 1,
                          .io_semantics.fb_fetch_output = true);
}

static void
store(nir_builder *b, nir_def *value)
{
   nir_store_output(b, value, nir_imm_float(b, 0), .base = 0, .range = 1, .write_mask = 1, .src_type = nir_type_float32,
                    .io_semantics.location = FRAG_RESULT_DATA0, .io_semantics.num_slots = 1);
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
   struct fs_run r = {.size = size, .uniforms = words, .num_uniforms = 4, .params = params};

   r.pixels[tegra20_rt_slot(0)] = to;
   r.pixels[tegra20_rt_slot(1)] = from;
   for (unsigned i = 0; i < 4; i++)
      memcpy(&words[i], &value, sizeof(value));
   fs_run(fs, &r);
   assert_int_equal(r.diagnostic, 0);
}

/* The pixel of a value, from the manual's description of a register: first the seven high bits of both halves, then what is
 * left. */
static void
pixel_of_bits(uint32_t bits, uint8_t pixel[4])
{
   for (unsigned half = 0; half < 2; half++) {
      const unsigned n = ((half ? bits : bits >> 10) & 0x3ff) ^ 0x200;

      pixel[half] = 127 - n / 8;
      pixel[2 + half] = 248 + n % 8 - 1; /* the byte of a number from 128 on, 2.3 */
   }
}

static void
test_all_patterns(unsigned avoid)
{
   nir_builder b = nir_builder_init_simple_shader(MESA_SHADER_FRAGMENT, tegra20_nir_options(MESA_SHADER_FRAGMENT), "all");
   uint8_t *from = malloc(4 * SIZE * SIZE), *to = calloc(SIZE * SIZE, 4);

   store(&b, load(&b));
   for (uint32_t bits = 0; bits < SIZE * SIZE; bits++)
      pixel_of_bits(bits, from + 4 * bits);
   run(compile(&b, avoid), SIZE, from, to, 0);
   assert_memory_equal(from, to, 4 * SIZE * SIZE);
   free(from);
   free(to);
   ralloc_free(b.shader);
}

TEST(patterns)
{
   test_all_patterns(0);
   test_all_patterns(TEGRA20_AVOID_D | TEGRA20_AVOID_SCALE | TEGRA20_AVOID_X2);
}

/* What is stored of a number is its bits, and what is loaded is the number again. */
TEST(numbers)
{
   static const float numbers[] = {0, 1, -1, 2, 0.5, 255, 256, 1.0 / 3, -0.1, 3.1415927, 65504, 1e-9, -4e9, 8191, 1.9998779};

   for (unsigned stored = 0; stored < 2; stored++) {
      nir_builder b = nir_builder_init_simple_shader(MESA_SHADER_FRAGMENT, tegra20_nir_options(MESA_SHADER_FRAGMENT), "num");
      /* 1 times the uniform, which is not known when the program is compiled; or 0, when the value loaded is the uniform's */
      store(&b, (stored ? nir_fmul : nir_fsub)(&b, load(&b), uniform(&b)));
      struct tegra20_fs *fs = compile(&b, 0);
      for (unsigned i = 0; i < ARRAY_SIZE(numbers); i++) {
         const uint32_t bits = tegra20_float_to_fp20(numbers[i]);
         uint8_t from[4], to[4] = {0}, expected[4];
         pixel_of_bits(stored ? tegra20_float_to_fp20(1) : bits, from);
         pixel_of_bits(stored ? bits : 0, expected);
         run(fs, 1, from, to, numbers[i]);
         assert_memory_equal(to, expected, 4);
      }
      ralloc_free(b.shader);
   }
}
