/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * The 2D engine; and the rows of docs/hardware-assumptions.md that no job can
 * decide.
 */

#include <stddef.h>

#include "hwtest.h"
#include "tegra20/gr2d_regs.h"
#include "tegra20/host1x_stream.h"

#define UNSIGNED(v)  \
   &(const unsigned) \
   {                 \
      v              \
   }

static void
numbered(struct test *t, uint32_t offset, unsigned pixels)
{
   for (unsigned i = 0; i < pixels; i++)
      *test_memory32(t, offset + 4 * i) =
         0xff000000 | (i & 63) << 2 | (i >> 6 & 63) << 10 | (i & 0xff) << 16;
}

static void
start_copy(struct test *t, unsigned trigger, unsigned second, unsigned main)
{
   test_reg(t, GR2D_G2TRIGGER, trigger);
   test_reg(t, GR2D_CMDSEL, trigger == 0x38);
   test_reg(t, GR2D_CONTROLSECOND, second);
   test_reg(t, GR2D_CONTROLMAIN, main | 2 << 16);
   test_reg(t, GR2D_ROPFADE, 0xcc);
   test_reg(t, GR2D_TILEMODE, 0);
   test_reg(t, GR2D_DSTST, 256);
   test_reg(t, GR2D_SRCST, 256);
}

static void
copy(struct test *t, uint32_t from, uint32_t to, unsigned x, unsigned y)
{
   test_addr(t, GR2D_DSTBA, to, true);
   test_addr(t, GR2D_SRCBA, from, false);
   test_reg(t, GR2D_DSTSIZE, 16 << 16 | 16);
   test_reg(t, GR2D_SRCPS, 0);
   test_reg(t, GR2D_DSTPS, y << 16 | x);
}

static void
copy_chain(struct test *t, const void *data)
{
   test_2d(t);
   numbered(t, AT_TEXTURE, 64 * 64);
   start_copy(t, 0x3a, 0, 1 << 20);
   copy(t, AT_TEXTURE, AT_TARGET, 0, 0);
   for (unsigned i = 0; i < 8; i++)
      copy(t, AT_TARGET + 0x8000 * (i & 1), AT_TARGET + 0x8000 * (~i & 1), 0,
           0);
}

/* data: step in 1/4096; 16x16 pixels to what the sizes say, guard lines
 * around. */
static void
stretch(struct test *t, const void *data)
{
   unsigned step = *(const unsigned *)data;
   test_2d(t);
   numbered(t, AT_TEXTURE, 64 * 64);
   test_word(t, host1x_setcl(0, HOST1X_CLASS_GR2D_SB, 0));
   start_copy(t, 0x38, 0, 3u << 27);
   for (unsigned reg = GR2D_VDDA; reg <= GR2D_CSCTHIRD; reg++)
      test_reg(t, reg, 0);
   test_reg(t, GR2D_VDDA, step);
   test_reg(t, GR2D_HDDA, step);
   test_reg(t, GR2D_CSCFIRST, 0x80 << 12 | 0x80);
   test_reg(t, GR2D_CSCSECOND, 0x80u << 24);
   test_reg(t, GR2D_SBFORMAT, 14 << 8 | 14);
   test_reg(t, GR2D_CONTROLSB, step == 4096 ? 7 << 20 : 1 << 18);
   test_addr(t, GR2D_SRCBA_SB_SURFBASE, AT_TEXTURE, false);
   test_addr(t, GR2D_DSTBA_SB_SURFBASE, AT_TARGET + 8 * 256 + 32, true);
   test_addr(t, GR2D_DSTBA, AT_TARGET + 8 * 256 + 32, true);
   test_addr(t, GR2D_SRCBA, AT_TEXTURE, false);
   test_reg(t, GR2D_SRCSIZE, 15 << 16 | 15);
   test_reg(t, GR2D_DSTSIZE, 19 << 16 | 19);
}

/* data: orientation */
static void
rotate(struct test *t, const void *data)
{
   test_2d(t);
   numbered(t, AT_TEXTURE, 64 * 64);
   start_copy(t, 0x37, *(const unsigned *)data << 26 | 1 << 24,
              1 << 20 | 1u << 29);
   test_addr(t, GR2D_DSTBA, AT_TARGET, true);
   test_addr(t, GR2D_SRCBA, AT_TEXTURE, false);
   test_reg(t, GR2D_SRCSIZE, 31 << 16 | 15);
}

static const struct experiment table[] = {
   { "A71", "stretch-sizes", "a stretch blit with step 1 inside guard lines",
     stretch, UNSIGNED(4096) },
   { "A72", "stretch-double", "a stretch blit with step 1/2", stretch,
     UNSIGNED(2048) },
   { "A72", "stretch-two-thirds", "a stretch blit with step 3/2", stretch,
     UNSIGNED(6144) },
   { "A73", "copy-chain", "copies that depend on each other", copy_chain },
   { "A81", "flip-x", "fast rotate, FLIP_X", rotate, UNSIGNED(0) },
   { "A81", "flip-y", "fast rotate, FLIP_Y", rotate, UNSIGNED(1) },
   { "A81", "transpose-lr", "fast rotate, TRANS_LR", rotate, UNSIGNED(2) },
   { "A81", "transpose-rl", "fast rotate, TRANS_RL", rotate, UNSIGNED(3) },
   { "A81", "rotate-90", "fast rotate, ROT_90", rotate, UNSIGNED(4) },
   { "A81", "rotate-180", "fast rotate, ROT_180", rotate, UNSIGNED(5) },
   { "A81", "rotate-270", "fast rotate, ROT_270", rotate, UNSIGNED(6) },
};

const struct experiment_table gr2d_experiments = {
   table, sizeof(table) / sizeof(table[0])
};

const struct undecided undecided_rows[] = {
   { "A05", "reading behind a buffer leaves no trace in memory" },
   { "A27",
     "the fields are not known: which bits to try is an open question" },
   { "A31", "a rule for the driver, nothing about the chip" },
   { "A32", "a rule for the driver, nothing about the chip" },
   { "A52", "a rule for the driver, nothing about the chip" },
   { "A74",
     "the order of two channels is a matter of timing: no run proves it" },
   { "A76", "takes two engines at once; what a stale cache holds is a matter "
            "of chance" },
   { "A78",
     "leaving out initialisation can hang the chip until it is reset" },
   { "A79",
     "changes the time that a job takes, not what it leaves in memory" },
   { "A101", "the clocks of the device, not a behaviour of its engines" },
   { "A102", "changes the time that a job takes, not what it leaves in "
             "memory" },
   { "A108", "see A20, whose experiments draw through both planes with "
             "either guard band" },
   { "A104", "of Tegra114 alone: see the row" },
   { "A105", "without the writes the picture tells: see the row" },
   { "A106", "of Tegra114 alone: see the row" },
   { "A125", "of Tegra114 alone: see the row" },
   { "A126", "see the public program \"mfu\", which runs on every chip" },
   { "A127", "of Tegra114 alone: see A20 and A33, which run there" },
   { "A128", "of Tegra114 alone: a register without a known effect" },
   { "A98", "a matter of timing: no run proves that draws never meet" },
   { "A99", "a matter of timing: no run proves that jobs never meet" },
   { "A119", "hangs the engine for every program, ten seconds and more: by "
             "hand, with tests/vm/jobs.c" },
   { "A94", "see A87, whose experiment runs the same instruction" },
};
const unsigned num_undecided_rows =
   sizeof(undecided_rows) / sizeof(undecided_rows[0]);
