/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * fp20 and fx10 over all patterns, against definitions written another way.
 */

#include <math.h>

#include "unit.h"
#include "fragment.h"

/* value = (-1)^s * 2^(e - 31) * (1 + f / 8192), zero when all but the sign is zero */
static double
fp20_definition(uint32_t raw)
{
   if (!(raw & 0x7ffff))
      return 0;
   double v = ldexp(1 + (raw & 0x1fff) / 8192.0, (int)(raw >> 13 & 63) - 31);
   return raw >> 19 ? -v : v;
}

TEST(fp20_every_pattern)
{
   for (uint32_t raw = 0; raw < 1u << 20; raw++) {
      double v = fp20_definition(raw);
      uint32_t code = raw & 0x7ffff ? raw : 0;
      if (sim_fp20_to_float(raw) != v || sim_fp20_from_float((float)v) != code || sim_fp20_from_double(v) != code ||
          sim_fp20_round(v) != v || sim_fp20_pack((float)v) != code)
         fail_msg("pattern 0x%05x", raw);
   }
}

/* Between two neighbours: nearest, ties to the even code. */
TEST(fp20_rounding)
{
   for (uint32_t raw = 1; raw < SIM_FP20_MAX; raw++) {
      double low = fp20_definition(raw), high = fp20_definition(raw + 1), middle = (low + high) / 2;
      uint32_t even = raw & 1 ? raw + 1 : raw;
      if (sim_fp20_from_double(middle) != even || sim_fp20_from_double(nextafter(middle, 0)) != raw ||
          sim_fp20_from_double(nextafter(middle, INFINITY)) != raw + 1 || sim_fp20_from_float((float)middle) != even ||
          sim_fp20_from_double(-middle) != (even | 0x80000) || sim_fp20_round(middle) != fp20_definition(even))
         fail_msg("between 0x%05x and its successor", raw);
   }
}

TEST(fp20_limits)
{
   static const struct {
      double value;
      uint32_t code;
   } cases[] = {
      {0x1p-31, 0},          {0x1.0008p-31, 1},     {0x1p-32, 0},           {-0x1p-40, 0},
      {0x1p32, 0x7e000},     {6e9, 0x7ecb4},        {0x1.fff8p32, 0x7ffff}, {0x1p33, 0x7ffff},
      {-0x1p40, 0xfffff},    {INFINITY, 0x7ffff},   {-INFINITY, 0xfffff},   {NAN, 0},
      {1e300, 0x7ffff},      {-0.0, 0},             {1, 0x3e000},           {-4, 0xc2000},
   };
   for (unsigned i = 0; i < COUNT(cases); i++) {
      assert_int_equal(sim_fp20_from_double(cases[i].value), cases[i].code);
      assert_int_equal(sim_fp20_from_float((float)cases[i].value), cases[i].code);
   }
}

TEST(fx10_every_value)
{
   for (int v = -512; v < 512; v++) {
      double value = v / 256.0;
      uint32_t raw = (uint32_t)v & 0x3ff;
      assert_int_equal(sim_fx10_half(raw | 0xffc00, 0), v);
      assert_int_equal(sim_fx10_half(raw << 10 | 0x3ff, 1), v);
      assert_true(sim_fx10_to_float(v) == value);
      assert_int_equal(sim_fx10_from_double(value), v);
      assert_int_equal(sim_fx10_round(value), v);
      /* Halves go up. */
      int up = v == 511 ? 511 : v + 1;
      assert_int_equal(sim_fx10_from_double(value + 1 / 512.0), up);
      assert_int_equal(sim_fx10_from_float((float)(value + 1 / 512.0)), up);
      assert_int_equal(sim_fx10_round(value + 1 / 512.0), up);
      assert_int_equal(sim_fx10_from_double(value + 1 / 512.0 - 1e-9), v);
      assert_int_equal(sim_fx10_round(value + 1 / 512.0 - 1e-9), v);
      assert_int_equal(sim_fx10_half(sim_fx10_insert(0xa5a5a, 1, v), 1), v);
      assert_int_equal(sim_fx10_insert(0xa5a5a, 1, v) & 0x3ff, 0x25a);
      assert_int_equal(sim_fx10_insert(0xa5a5a, 0, v) >> 10, 0xa5a5a >> 10);
   }
   assert_int_equal(sim_fx10_from_double(2), 511);
   assert_int_equal(sim_fx10_from_double(1e9), 511);
   assert_int_equal(sim_fx10_from_double(-2.1), -512);
   assert_int_equal(sim_fx10_from_double(-1e9), -512);
   assert_int_equal(sim_fx10_from_double(NAN), 0);
   assert_int_equal(sim_fx10_round(1e9), 511);
   assert_int_equal(sim_fx10_round(-1e9), -512);
   /* A float whose sum with a half would round up. */
   assert_int_equal(sim_fx10_from_float(0x1.fffffep-10f), 0);
}

TEST(bytes)
{
   for (int v = -512; v < 512; v++) {
      int clamped = v < 0 ? 0 : v > 256 ? 256 : v;
      /* v * 255 / 256 to nearest, exact halves down */
      int expected = (int)ceil(clamped * 255 / 256.0 - 0.5);
      assert_int_equal(sim_fx10_to_unorm8(v), expected);
      assert_int_equal(sim_fx10_to_unorm(v, 8), expected);
   }
   for (int b = 0; b < 256; b++) {
      assert_int_equal(sim_fx10_from_unorm8((uint8_t)b), (int)floor(b * 256 / 255.0 + 0.5));
      assert_int_equal(sim_fx10_from_unorm((uint32_t)b, 8), sim_fx10_from_unorm8((uint8_t)b));
      assert_int_equal(sim_fx10_to_unorm8(sim_fx10_from_unorm8((uint8_t)b)), b);
   }
   for (unsigned bits = 1; bits <= 6; bits++) {
      for (uint32_t c = 0; c < 1u << bits; c++)
         assert_int_equal(sim_fx10_to_unorm(sim_fx10_from_unorm(c, bits), bits), c);
   }
   /* By hand: 5 bits, 16/31 = 132.13/256; 6 bits, 32/63 = 130.03/256. */
   assert_int_equal(sim_fx10_from_unorm(16, 5), 132);
   assert_int_equal(sim_fx10_from_unorm(32, 6), 130);
   assert_int_equal(sim_fx10_from_unorm(7, 4), 119);
   assert_int_equal(sim_fx10_to_unorm(128, 5), 15); /* 15.5: ties down */
   assert_int_equal(sim_fx10_to_unorm(128, 1), 0);
   assert_int_equal(sim_fx10_to_unorm(129, 1), 1);
}
