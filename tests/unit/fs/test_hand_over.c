/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Values in surfaces (TEGRA20_RT_FP20), one by one and in groups: nothing is lost.
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

/* Colour buffers 0 on are stored, those behind them are loaded: so many each. */
static struct tegra20_fs_key
hand_over_key(unsigned count)
{
   struct tegra20_fs_key key = {.nr_cbufs = 2 * count, .clamp_color = true};

   for (unsigned i = 0; i < 2 * count; i++)
      key.rt[i] = (struct tegra20_fs_rt_key){
         .bound = true, .has_alpha = true, .colormask = 0xf, .order = TEGRA20_RT_FP20, .surface = tegra20_rt_slot(i),
         .group = count == 1 ? 0 : tegra20_group(i / count, i % count),
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
   nir_store_output(b, value, nir_imm_float(b, 0), .base = cbuf, .range = 1, .write_mask = 1, .src_type = nir_type_float32,
                    .io_semantics.location = FRAG_RESULT_DATA0 + cbuf, .io_semantics.num_slots = 1);
}

static nir_def *
uniform(nir_builder *b)
{
   return nir_load_uniform(b, 1, 32, nir_imm_float(b, 0), .base = 0, .range = 1);
}

static struct tegra20_fs *
compile(nir_builder *b, unsigned count, unsigned avoid)
{
   const struct tegra20_fs_key key = hand_over_key(count);
   const struct tegra20_compiler_options options = {.avoid = avoid};
   struct tegra20_fs *fs = NULL;
   char *error = NULL;

   if (!tegra20_compile_fs(b->shader, b->shader, &key, &options, &fs, &error))
      fail_msg("%s", error);
   return fs;
}

static void
run(const struct tegra20_fs *fs, unsigned count, unsigned size, uint8_t *from[], uint8_t *to[], float value)
{
   uint32_t words[4];
   float params[TEGRA20_PARAM_COUNT] = {0};
   struct fs_run r = {.size = size, .uniforms = words, .num_uniforms = 4, .params = params};

   for (unsigned i = 0; i < count; i++) {
      r.pixels[tegra20_rt_slot(i)] = to[i];
      r.pixels[tegra20_rt_slot(count + i)] = from[i];
   }
   for (unsigned i = 0; i < 4; i++)
      memcpy(&words[i], &value, sizeof(value));
   fs_run(fs, &r);
   assert_int_equal(r.diagnostic, 0);
}

/* The pixels of values, from the manual's description of a register: first the seven high bits of both halves of each, then
 * what is left. */
static void
pixels_of_bits(const uint32_t *bits, unsigned count, uint8_t (*pixel)[4])
{
   uint8_t *byte = pixel[0];

   for (unsigned half = 0; half < 2; half++) {
      for (unsigned i = 0; i < count; i++) {
         const unsigned n = ((half ? bits[i] : bits[i] >> 10) & 0x3ff) ^ 0x200;
         const unsigned rest = 248 + n % 8;

         byte[half * count + i] = 127 - n / 8;
         byte[(2 + half) * count + i] = rest - 1; /* the byte of a number from 128 on, 2.3 */
      }
   }
}

/* All patterns in each value of a group, and other ones in the others of it. */
static void
test_all_patterns(unsigned count, unsigned avoid)
{
   nir_builder b = nir_builder_init_simple_shader(MESA_SHADER_FRAGMENT, tegra20_nir_options(MESA_SHADER_FRAGMENT), "all");
   uint8_t *from[4], *to[4];

   for (unsigned i = 0; i < count; i++) {
      store(&b, i, load(&b, count + i));
      from[i] = malloc(4 * SIZE * SIZE);
      to[i] = calloc(SIZE * SIZE, 4);
   }
   for (uint32_t bits = 0; bits < SIZE * SIZE; bits++) {
      const uint32_t values[4] = {bits, bits ^ 0xfffff, (bits * 5 + 3) & 0xfffff, (bits * 77777 + 1) & 0xfffff};
      uint8_t pixels[4][4];

      pixels_of_bits(values, count, pixels);
      for (unsigned i = 0; i < count; i++)
         memcpy(from[i] + 4 * bits, pixels[i], 4);
   }
   run(compile(&b, count, avoid), count, SIZE, from, to, 0);
   for (unsigned i = 0; i < count; i++) {
      assert_memory_equal(from[i], to[i], 4 * SIZE * SIZE);
      free(from[i]);
      free(to[i]);
   }
   ralloc_free(b.shader);
}

TEST(patterns)
{
   for (unsigned count = 1; count <= 4; count++) {
      test_all_patterns(count, 0);
      test_all_patterns(count, TEGRA20_AVOID_D | TEGRA20_AVOID_SCALE | TEGRA20_AVOID_X2);
   }
}

/* What is stored of a number is its bits, and what is loaded is the number again. */
TEST(numbers)
{
   static const float numbers[] = {0, 1, -1, 2, 0.5, 255, 256, 1.0 / 3, -0.1, 3.1415927, 65504, 1e-9, -4e9, 8191, 1.9998779};

   for (unsigned stored = 0; stored < 2; stored++) {
      nir_builder b = nir_builder_init_simple_shader(MESA_SHADER_FRAGMENT, tegra20_nir_options(MESA_SHADER_FRAGMENT), "num");
      /* 1 times the uniform, which is not known when the program is compiled; or 0, when the value loaded is the uniform's */
      store(&b, 0, (stored ? nir_fmul : nir_fsub)(&b, load(&b, 1), uniform(&b)));
      struct tegra20_fs *fs = compile(&b, 1, 0);
      for (unsigned i = 0; i < ARRAY_SIZE(numbers); i++) {
         const uint32_t bits = tegra20_float_to_fp20(numbers[i]), one = tegra20_float_to_fp20(1), none = 0;
         uint8_t from[1][4], to[1][4] = {{0}}, expected[1][4];
         pixels_of_bits(stored ? &one : &bits, 1, from);
         pixels_of_bits(stored ? &bits : &none, 1, expected);
         run(fs, 1, 1, (uint8_t *[]){from[0]}, (uint8_t *[]){to[0]}, numbers[i]);
         assert_memory_equal(to, expected, 4);
      }
      ralloc_free(b.shader);
   }
}
