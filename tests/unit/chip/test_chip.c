/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * The table of chips against the words of the manuals, written out by hand.
 */

#include "unit.h"
#include "tegra20/tegra20_chip.h"
#include "tegra20/register_info.h"

#define T20 (&tegra20_chips[TEGRA20_CHIP_TEGRA20])
#define T30 (&tegra20_chips[TEGRA20_CHIP_TEGRA30])
#define T114 (&tegra20_chips[TEGRA20_CHIP_TEGRA114])

TEST(names)
{
   assert_ptr_equal(tegra20_chip_by_version(0x20), T20);
   assert_ptr_equal(tegra20_chip_by_version(0x30), T30);
   assert_ptr_equal(tegra20_chip_by_version(0x35), T114);
   assert_null(tegra20_chip_by_version(0x40));
   assert_null(tegra20_chip_by_version(0));
   assert_ptr_equal(tegra20_chip_by_name("tegra30"), T30);
   assert_null(tegra20_chip_by_name("tegra124"));
   assert_ptr_equal(tegra20_chip_or_default(NULL), T20);
   assert_string_equal(T20->renderer, "Tegra 2 (tegra20)");
   assert_string_equal(T30->renderer, "Tegra 3 (tegra30)");
   assert_string_equal(T114->renderer, "Tegra 4 (tegra114)");
   for (unsigned i = 0; i < TEGRA20_NUM_CHIPS; i++)
      assert_int_equal(tegra20_chips[i].id, i);
}

/* gr3d-registers.md 0x801, A.6, 5.2; fragment-pipeline.md appendix A */
static const struct {
   enum tegra20_chip chip;
   unsigned first, count;
   uint32_t word;
} schedules[] = {
   {TEGRA20_CHIP_TEGRA20, 0, 0, 0x00000000},      {TEGRA20_CHIP_TEGRA20, 0, 1, 0x00000001},
   {TEGRA20_CHIP_TEGRA20, 5, 3, 0x00000017},      {TEGRA20_CHIP_TEGRA20, 63, 1, 0x000000fd},
   {TEGRA20_CHIP_TEGRA30, 1, 2, 0x00000006},      {TEGRA20_CHIP_TEGRA30, 63, 1, 0x000000fd},
   {TEGRA20_CHIP_TEGRA114, 0, 0, 0xe0000000},     {TEGRA20_CHIP_TEGRA114, 0, 1, 0xe0000100},
   {TEGRA20_CHIP_TEGRA114, 5, 3, 0xe0050300},     {TEGRA20_CHIP_TEGRA114, 127, 1, 0xe07f0100},
   {TEGRA20_CHIP_TEGRA114, 64, 8, 0xe0400800},    {TEGRA20_CHIP_TEGRA114, 0, 128, 0xe0008000},
   {TEGRA20_CHIP_TEGRA114, 255, 255, 0xe0ffff00},
};

TEST(schedules)
{
   for (unsigned i = 0; i < COUNT(schedules); i++) {
      const struct tegra20_sched_layout *layout = &tegra20_chips[schedules[i].chip].alu_sched;
      const uint32_t word = schedules[i].word;
      assert_int_equal(tegra20_sched_pack(layout, schedules[i].first, schedules[i].count), word);
      assert_int_equal(tegra20_sched_first(layout, word), schedules[i].first);
      assert_int_equal(tegra20_sched_count(layout, word), schedules[i].count);
      assert_true(tegra20_sched_known(layout, word));
   }
   /* words of one chip are strange to the other, whatever they say */
   assert_false(tegra20_sched_known(&T114->alu_sched, 0x00000000));
   assert_false(tegra20_sched_known(&T114->alu_sched, 0x00000017));
   assert_false(tegra20_sched_known(&T114->alu_sched, 0xe0000101));
   assert_false(tegra20_sched_known(&T20->alu_sched, 0xe0000000));
   assert_false(tegra20_sched_known(&T20->alu_sched, 0xe0050300));
   assert_false(tegra20_sched_known(&T30->alu_sched, 0x00000100));
}

TEST(sizes)
{
   /* 64 instructions of 8 words; 1024 words on Tegra114 */
   assert_int_equal(T20->fs_alu, 64);
   assert_int_equal(T30->fs_alu, 64);
   assert_int_equal(8 * T114->fs_alu, 1024);
   /* 1024 words of constants; 1120 on Tegra114 */
   assert_int_equal(4 * T20->vs_consts, 1024);
   assert_int_equal(4 * T30->vs_consts, 1024);
   assert_int_equal(4 * T114->vs_consts, 1120);
   assert_int_equal(T20->depth_max, 0xfffff);
   assert_int_equal(T30->depth_max, 0xfffff);
   assert_int_equal(T114->depth_max, 0xffffff);
   assert_int_equal(T20->engines, 1);
   assert_int_equal(T30->engines, 2);
   assert_int_equal(T114->engines, 1);
   assert_int_equal(T114->pixel_pipes, 4);
   assert_true(T20->packed_alu_sched && T30->packed_alu_sched && !T114->packed_alu_sched);
   assert_int_equal(T20->quirks, 0);
   for (unsigned i = 0; i < TEGRA20_NUM_CHIPS; i++) {
      assert_true(tegra20_chips[i].fs_alu <= TEGRA20_CHIP_MAX_FS_ALU);
      assert_true(tegra20_chips[i].vs_consts <= TEGRA20_CHIP_MAX_VS_CONSTS);
      assert_true(tegra20_chips[i].engines <= TEGRA20_CHIP_MAX_ENGINES);
   }
}

/* "e44=0 c00-c03=0 ..." */
static const char *
list_text(const struct tegra20_chip_reg *list, unsigned count)
{
   static char text[1024];
   size_t used = 0;

   text[0] = '\0';
   for (unsigned i = 0; i < count; i++) {
      used += snprintf(text + used, sizeof(text) - used, "%s%x", i ? " " : "", list[i].reg);
      if (list[i].count > 1)
         used += snprintf(text + used, sizeof(text) - used, "-%x", list[i].reg + list[i].count - 1);
      used += snprintf(text + used, sizeof(text) - used, "=%x", list[i].value);
   }
   return text;
}

/* gr3d-registers.md 5.1, 5.2, 2.3 */
TEST(lists)
{
   assert_string_equal(list_text(T20->init, T20->num_init), "");
   assert_string_equal(list_text(T20->before_draw, T20->num_before_draw), "");
   assert_string_equal(list_text(T30->init, T30->num_init), "907-90b=0 b00=3 750-75f=0 b01=0 b04=0 b06-b12=0 b14=0 e40=0 e41=0");
   assert_string_equal(list_text(T30->before_draw, T30->num_before_draw), "b00=1 e41=1 b00=2 e41=3 b00=3");
   assert_string_equal(list_text(T30->after_dw_cfg, T30->num_after_dw_cfg), "");
   assert_string_equal(list_text(T114->init, T114->num_init),
                       "e44=0 807=0 c00-c03=0 c30-c33=0 c40-c43=0 c50-c53=0 e70-e7f=0 e80=f00 e84-e87=0 770-79f=0 7e0=1 "
                       "7e1=0 41a=a00 416=140 "
                       "907-90b=0 b00=3 750-75f=0 b01=0 b04=0 b06-b12=0 b14=0 e40=0 e41=0");
   assert_string_equal(list_text(T114->before_draw, T114->num_before_draw), "b00=1 e41=1 b00=2 e41=3 b00=3");
   assert_string_equal(list_text(T114->after_dw_cfg, T114->num_after_dw_cfg), "547=c0000000 548=0");
}

static const struct register_info *
find_register(unsigned offset)
{
   for (const struct register_info *info = gr3d_registers; info->name; info++) {
      for (unsigned i = 0; i < info->count; i++) {
         if (info->offset + i * info->stride == offset)
            return info;
      }
   }
   return NULL;
}

/* What a chip is told to initialise exists there, and is something that Tegra20 does not have (or 0xe40). */
TEST(registers_exist)
{
   for (unsigned c = 0; c < TEGRA20_NUM_CHIPS; c++) {
      const struct tegra20_chip_info *chip = &tegra20_chips[c];
      for (unsigned i = 0; i < chip->num_init; i++) {
         for (unsigned n = 0; n < chip->init[i].count; n++) {
            const struct register_info *info = find_register(chip->init[i].reg + n);
            assert_non_null(info);
            assert_true(tegra20_chip_has_group(chip, info->chip));
            assert_true(info->chip[0] || info->offset == 0xe40);
         }
      }
   }
   assert_true(tegra20_chip_has_group(T20, ""));
   assert_false(tegra20_chip_has_group(T20, "T30"));
   assert_false(tegra20_chip_has_group(T30, "T114"));
   assert_true(tegra20_chip_has_group(T114, "T30") && tegra20_chip_has_group(T114, ""));
}
