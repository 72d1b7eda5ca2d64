/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * The linker, and the values that the CPU computes.
 */

#include <math.h>

#include "unit.h"
#include "util/ralloc.h"
#include "tegra20_compiler.h"

#define POS VARYING_SLOT_POS
#define VAR(n) (VARYING_SLOT_VAR0 + (n))
#define FP20 3

struct export {
   uint8_t slot, components;
};

static const struct {
   const char *name;
   struct export exports[16];
   unsigned num_inputs;
   struct tegra20_fs_input inputs[16];
   uint16_t out_mask;
   unsigned count;
   uint32_t words[4][2];
} links[] = {
   {"nothing", {{POS, 0xf}}, 0, {{0}}, 0x1, 1, {{0, 0}}},
   {"a colour, in order (vertex-pipeline.md 12.10)", {{POS, 0xf}, {VAR(0), 0xf}}, 4, {{VAR(0), 0, 0, 0, FP20},
    {VAR(0), 1, 0, 1, FP20}, {VAR(0), 2, 0, 2, FP20}, {VAR(0), 3, 0, 3, FP20}}, 0x3, 1, {{0x00000008, 0x0000fedc}}},
   {"columns exchanged", {{POS, 0xf}, {VAR(0), 0xf}}, 4, {{VAR(0), 0, 0, 1, FP20}, {VAR(0), 1, 0, 0, FP20},
    {VAR(0), 2, 0, 2, FP20}, {VAR(0), 3, 0, 3, FP20}}, 0x3, 1, {{0x00000008, 0x0000fecd}}},
   {"two of them in row 1, the second export", {{POS, 0xf}, {VAR(0), 0xf}, {VAR(1), 0x3}}, 3, {{VAR(0), 0, 0, 0, FP20},
    {VAR(1), 0, 1, 0, FP20}, {VAR(1), 1, 1, 1, FP20}}, 0x7, 2, {{0x00000008, 0x0000000c}, {0x00000210, 0x000000dc}}},
   {"exports that nobody reads are squeezed out", {{POS, 0xf}, {VAR(0), 0xf}, {VAR(1), 0xf}}, 1,
    {{VAR(1), 0, 0, 0, FP20}}, 0x5, 1, {{0x00000008, 0x0000000c}}},
   {"two fx10 in one column", {{POS, 0xf}, {VAR(0), 0xf}}, 2,
    {{VAR(0), 0, 0, 3, 1}, {VAR(0), 1, 0, 3, 2}}, 0x3, 1, {{0x00000008, 0x000000b7}}},
   {"flat", {{POS, 0xf}, {VAR(0), 0xf}}, 2,
    {{VAR(0), 0, 0, 0, FP20, true}, {VAR(0), 2, 0, 2, FP20, true}}, 0x3, 1, {{0x00000008, 0x00050e0c}}},
   {"clip z from the position", {{POS, 0xf}}, 1, {{POS, 2, 0, 3, FP20}}, 0x1, 1, {{0x00000000, 0x00000f00}}},
   {"one component at two places", {{POS, 0xf}, {VAR(0), 0xf}}, 2,
    {{VAR(0), 0, 0, 0, FP20}, {VAR(0), 0, 0, 1, FP20}}, 0x3, 2, {{0x00000008, 0x0000000c}, {0x00000008, 0x0000000d}}},
   {"two exports in one row", {{POS, 0xf}, {VAR(0), 0x3}, {VAR(1), 0x3}}, 2,
    {{VAR(0), 0, 0, 0, FP20}, {VAR(1), 0, 0, 1, FP20}}, 0x7, 2, {{0x00000008, 0x0000000c}, {0x00000010, 0x0000000d}}},
   {"not written: an export that stays zero", {{POS, 0xf}}, 2,
    {{VAR(3), 0, 0, 0, FP20}, {VAR(3), 1, 0, 1, FP20}}, 0x3, 1, {{0x00000008, 0x000000dc}}},
   {"colours of back faces not written: the second one of front faces", {{POS, 0xf}, {VAR(0), 0xf},
    {VARYING_SLOT_COL0, 0xf}, {VARYING_SLOT_COL1, 0xf}}, 1, {{VARYING_SLOT_BFC1, 0, 0, 0, FP20}}, 0x9, 1,
    {{0x00000008, 0x0000000c}}},
};

static void
set_exports(struct tegra20_vs *vs, const struct export *exports)
{
   for (unsigned e = 0; e < 16 && (e == 0 || exports[e].components); e++) {
      vs->exports_written |= 1 << e;
      vs->export_slot[e] = exports[e].slot;
      vs->export_components[e] = exports[e].components;
   }
}

TEST_ROWS(links, links)
{
   struct tegra20_vs vs = {0};
   struct tegra20_fs fs = {.num_inputs = c->num_inputs};
   struct tegra20_link link;
   char *error = NULL;

   set_exports(&vs, c->exports);
   memcpy(fs.inputs, c->inputs, sizeof(c->inputs));
   for (unsigned n = 0; n < fs.num_inputs; n++)
      fs.num_tram_rows = MAX2(fs.num_tram_rows, fs.inputs[n].row + 1u);
   if (!tegra20_link_programs(NULL, &vs, &fs, &link, &error))
      fail_msg("%s: %s", c->name, error);
   if (link.count != c->count || link.out_mask != c->out_mask)
      fail_msg("%s: %u instructions, mask %04x", c->name, link.count, link.out_mask);
   assert_int_equal(link.tram_rows, MAX2(fs.num_tram_rows, 1));
   for (unsigned n = 0; n < link.count; n++) {
      if (link.words[n][0] != c->words[n][0] || link.words[n][1] != c->words[n][1])
         fail_msg("%s: instruction %u is %08x %08x", c->name, n, link.words[n][0], link.words[n][1]);
   }
}

/* A component at each of 33 places. */
TEST(link_limit)
{
   void *mem_ctx = ralloc_context(NULL);
   struct tegra20_vs vs = {0};
   struct tegra20_fs fs = {.num_inputs = 33, .num_tram_rows = 9};
   struct tegra20_link link;
   char *error = NULL;

   set_exports(&vs, links[1].exports);
   for (unsigned i = 0; i < 33; i++)
      fs.inputs[i] = (struct tegra20_fs_input){VAR(0), 0, i / 4, i % 4, FP20};
   assert_false(tegra20_link_programs(mem_ctx, &vs, &fs, &link, &error));
   assert_string_equal(error, "the varyings need 33 linker instructions, the chip has 32");
   ralloc_free(mem_ctx);
}

static const struct {
   float value;
   uint32_t fp20, fx10;
} formats[] = {
   {0.0f, 0x00000, 0x000},      {-0.0f, 0x00000, 0x000},     {1.0f, 0x3e000, 0x100},
   {-1.0f, 0xbe000, 0x300},     {0.5f, 0x3c000, 0x080},      {2.0f, 0x40000, 0x1ff},
   {-2.0f, 0xc0000, 0x200},     {-3.0f, 0xc1000, 0x200},     {1.5f, 0x3f000, 0x180},
   {0.00390625f, 0x2e000, 1},   {-0.00390625f, 0xae000, 0x3ff},
   {1e20f, 0x7ffff, 0x1ff},     {-1e20f, 0xfffff, 0x200},    {1e-20f, 0x00000, 0x000},
   {INFINITY, 0x7ffff, 0x1ff},  {-INFINITY, 0xfffff, 0x200}, {NAN, 0x00000, 0x000},
   /* nearest even: 13 bits of mantissa */
   {1.0f + 0x1p-13f, 0x3e001, 0x100},
   {1.0f + 0x1p-14f, 0x3e000, 0x100},
   {1.0f + 0x3p-14f, 0x3e002, 0x100},
   {2.0f - 0x1p-23f, 0x40000, 0x1ff}, /* carries into the exponent */
   {0x1p-30f, 0x02000, 0x000},
};

TEST(formats)
{
   for (unsigned i = 0; i < COUNT(formats); i++) {
      if (tegra20_float_to_fp20(formats[i].value) != formats[i].fp20)
         fail_msg("%g is fp20 %05x instead of %05x", formats[i].value, tegra20_float_to_fp20(formats[i].value), formats[i].fp20);
      if (tegra20_float_to_fx10(formats[i].value) != formats[i].fx10)
         fail_msg("%g is fx10 %03x instead of %03x", formats[i].value, tegra20_float_to_fx10(formats[i].value), formats[i].fx10);
   }
}

TEST(values)
{
   struct tegra20_value nodes[] = {
      {.op = TEGRA20_VALUE_IMM, .arg = 0x40400000},                                      /* 3 */
      {.op = TEGRA20_VALUE_UNIFORM, .arg = 1},
      {.op = TEGRA20_VALUE_UNIFORM, .arg = 2},                                           /* behind the end: 0 */
      {.op = TEGRA20_VALUE_PARAM, .arg = TEGRA20_PARAM_ALPHA_REF},
      {.op = TEGRA20_VALUE_ALU, .arg = nir_op_fmul, .num_src = 2, .src = {0, 1}},
      {.op = TEGRA20_VALUE_ALU, .arg = nir_op_ffma, .num_src = 3, .src = {4, 0, 3}},
      {.op = TEGRA20_VALUE_ALU, .arg = nir_op_slt, .num_src = 2, .src = {2, 0}},
   };
   const struct tegra20_values values = {.count = COUNT(nodes), .nodes = nodes};
   const float expected[] = {3.0f, 5.0f, 0.0f, 0.25f, 15.0f, 45.25f, 1.0f};
   const uint32_t uniforms[] = {0, 0x40a00000};
   float params[TEGRA20_PARAM_COUNT] = {[TEGRA20_PARAM_ALPHA_REF] = 0.25f}, results[COUNT(nodes)];

   tegra20_values_eval(&values, uniforms, 2, params, results);
   for (unsigned i = 0; i < COUNT(nodes); i++)
      assert_float_equal(results[i], expected[i], 0.0f);
}
