/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * The 2D engine; and the rows of docs/hardware-assumptions.md that no job can
 * decide.
 */

#include "hwtest.h"
#include "tegra20/gr2d_regs.h"
#include "tegra20/host1x_stream.h"

/* Pixels have 8, 16 or 32 bits in every experiment; all bytes of memory are
 * compared, those beside a rectangle as well. */
struct operation {
   unsigned cpp;    /* bytes per pixel */
   unsigned type;   /* fast rotate: FR_TYPE */
   unsigned step;   /* stretch blit: source pixels in 1/4096 */
   unsigned format; /* stretch blit: SBFORMAT of both sides */
   bool tiled;
};

#define OP(...)              \
   &(const struct operation) \
   {                         \
      __VA_ARGS__            \
   }

#define SB_RGB565 8
#define SB_RGBA8888 14
#define PITCH 256u

static void
numbered(struct test *t, uint32_t offset, unsigned pixels)
{
   for (unsigned i = 0; i < pixels; i++)
      *test_memory32(t, offset + 4 * i) =
         0xff000000 | (i & 63) << 2 | (i >> 6 & 63) << 10 | (i & 0xff) << 16;
}

static void
start_operation(struct test *t, unsigned trigger, unsigned second,
                unsigned main, const struct operation *op)
{
   test_reg(t, GR2D_G2TRIGGER, trigger);
   test_reg(t, GR2D_CMDSEL, trigger == GR2D_DSTSIZE);
   test_reg(t, GR2D_CONTROLSECOND, second);
   test_reg(t, GR2D_CONTROLMAIN, main | GR2D_CONTROLMAIN_DSTCD(op->cpp >> 1));
   test_reg(t, GR2D_ROPFADE, 0xcc);
   test_reg(t, GR2D_TILEMODE,
            GR2D_TILEMODE_DESTINATION_20(op->tiled) |
               GR2D_TILEMODE_SOURCE(op->tiled));
   test_reg(t, GR2D_DSTST, PITCH);
   test_reg(t, GR2D_SRCST, PITCH);
}

/* Rectangles of 1 to 17 columns that begin at each residue of the four bytes
 * of SRCFGC, a different byte in each. */
static void
fills(struct test *t, const void *data)
{
   const struct operation *op = data;

   test_2d(t);
   start_operation(t, GR2D_DSTPS, 0,
                   GR2D_CONTROLMAIN_SRCSLD(1) | GR2D_CONTROLMAIN_TURBOFILL(1),
                   op);
   test_addr(t, GR2D_DSTBA, AT_TARGET, true);
   test_reg(t, GR2D_SRCFGC, 0x84635221);
   for (unsigned i = 0; i < 9; i++) {
      test_reg(t, GR2D_DSTSIZE, 3 << 16 | (2 * i + 1));
      test_reg(t, GR2D_DSTPS, (4 * i + 1) << 16 | (3 * i + 1));
   }
}

static void
copy(struct test *t, uint32_t from, uint32_t to, unsigned size,
     unsigned from_at, unsigned to_at)
{
   test_addr(t, GR2D_DSTBA, to, true);
   test_addr(t, GR2D_SRCBA, from, false);
   test_reg(t, GR2D_DSTSIZE, size);
   test_reg(t, GR2D_SRCPS, from_at);
   test_reg(t, GR2D_DSTPS, to_at);
}

static void
copy_chain(struct test *t, const void *data)
{
   test_2d(t);
   numbered(t, AT_TEXTURE, 64 * 64);
   start_operation(t, GR2D_DSTPS, 0, GR2D_CONTROLMAIN_SRCCD(1), data);
   copy(t, AT_TEXTURE, AT_TARGET, 16 << 16 | 16, 0, 0);
   for (unsigned i = 0; i < 8; i++)
      copy(t, AT_TARGET + 0x8000 * (i & 1), AT_TARGET + 0x8000 * (~i & 1),
           16 << 16 | 16, 0, 0);
}

/* From one odd column to another, and then onto itself in each direction. */
static void
copies(struct test *t, const void *data)
{
   const struct operation *op = data;
   const unsigned w = 13, h = 9;

   test_2d(t);
   numbered(t, AT_TEXTURE, 64 * 64);
   start_operation(t, GR2D_DSTPS, 0, GR2D_CONTROLMAIN_SRCCD(1), op);
   for (unsigned i = 0; i < 4; i++)
      copy(t, AT_TEXTURE, AT_TARGET, h << 16 | w, (i + 1) << 16 | (2 * i + 1),
           16 * i << 16 | (5 * i + 3));
   for (unsigned i = 0; i < 4; i++) {
      const bool x_down = i & 1, y_down = i >> 1;
      const unsigned x = 5 * i + 3 + (x_down ? w - 1 : 0),
                     y = 16 * i + (y_down ? h - 1 : 1);
      test_reg(
         t, GR2D_CONTROLMAIN,
         GR2D_CONTROLMAIN_SRCCD(1) | GR2D_CONTROLMAIN_DSTCD(op->cpp >> 1) |
            GR2D_CONTROLMAIN_XDIR(x_down) | GR2D_CONTROLMAIN_YDIR(y_down));
      copy(t, AT_TARGET, AT_TARGET, h << 16 | w, y << 16 | x,
           (y_down ? y + 2 : y - 1) << 16 | (x_down ? x + 1 : x - 1));
   }
}

/* 16x16 pixels to what the sizes say, guard lines around. */
static void
stretch(struct test *t, const void *data)
{
   const struct operation *op = data;
   const uint32_t to = AT_TARGET + 8 * PITCH + 32;

   test_2d(t);
   numbered(t, AT_TEXTURE, 64 * 64);
   test_word(t, host1x_setcl(0, HOST1X_CLASS_GR2D_SB, 0));
   start_operation(t, GR2D_DSTSIZE, 0, 3u << 27, op);
   for (unsigned reg = GR2D_VDDA; reg <= GR2D_CSCTHIRD; reg++)
      test_reg(t, reg, 0);
   test_reg(t, GR2D_VDDA, op->step);
   test_reg(t, GR2D_HDDA, op->step);
   test_reg(t, GR2D_CSCFIRST, 0x80 << 12 | 0x80);
   test_reg(t, GR2D_CSCSECOND, 0x80u << 24);
   test_reg(t, GR2D_SBFORMAT, op->format << 8 | op->format);
   test_reg(t, GR2D_CONTROLSB, op->step == 4096 ? 7 << 20 : 1 << 18);
   test_addr(t, GR2D_SRCBA_SB_SURFBASE, AT_TEXTURE, false);
   test_addr(t, GR2D_DSTBA_SB_SURFBASE, to, true);
   test_addr(t, GR2D_DSTBA, to, true);
   test_addr(t, GR2D_SRCBA, AT_TEXTURE, false);
   test_reg(t, GR2D_SRCSIZE, 15 << 16 | 15);
   test_reg(t, GR2D_DSTSIZE, 19 << 16 | 19);
}

/* 64 bytes by twice as many pixels: both are multiples of 16 bytes. */
static void
rotate(struct test *t, const void *data)
{
   const struct operation *op = data;
   const unsigned width = 64 / op->cpp;

   test_2d(t);
   numbered(t, AT_TEXTURE, 64 * 64);
   start_operation(t, GR2D_SRCSIZE, op->type << 26 | 1 << 24,
                   1 << 20 | 1u << 29, op);
   test_addr(t, GR2D_DSTBA, AT_TARGET, true);
   test_addr(t, GR2D_SRCBA, AT_TEXTURE, false);
   test_reg(t, GR2D_SRCSIZE, (2 * width - 1) << 16 | (width - 1));
}

#define ROTATIONS(name, what, number)                               \
   { "A81", name, "fast rotate, " what, rotate,                     \
     OP(.cpp = 4, .type = number) },                                \
      { "A81", name "-16", "fast rotate of 16 bits, " what, rotate, \
        OP(.cpp = 2, .type = number) },                             \
   {                                                                \
      "A81", name "-8", "fast rotate of 8 bits, " what, rotate,     \
         OP(.cpp = 1, .type = number)                               \
   }

static const struct experiment table[] = {
   { "A71", "stretch-sizes", "a stretch blit with step 1 inside guard lines",
     stretch, OP(.cpp = 4, .step = 4096, .format = SB_RGBA8888) },
   { "A71", "stretch-sizes-16", "the same of 16 bits", stretch,
     OP(.cpp = 2, .step = 4096, .format = SB_RGB565) },
   { "A72", "stretch-double", "a stretch blit with step 1/2", stretch,
     OP(.cpp = 4, .step = 2048, .format = SB_RGBA8888) },
   { "A72", "stretch-two-thirds", "a stretch blit with step 3/2", stretch,
     OP(.cpp = 4, .step = 6144, .format = SB_RGBA8888) },
   { "A72", "stretch-double-16", "a stretch blit of 16 bits with step 1/2",
     stretch, OP(.cpp = 2, .step = 2048, .format = SB_RGB565) },
   { "A73", "copy-chain", "copies that depend on each other", copy_chain,
     OP(.cpp = 4) },
   { "A73", "copy-chain-16", "the same of 16 bits", copy_chain,
     OP(.cpp = 2) },
   { "A73", "copy-chain-8", "the same of 8 bits", copy_chain, OP(.cpp = 1) },
   { "A73", "copies-32", "copies at odd columns, onto themselves too", copies,
     OP(.cpp = 4) },
   { "A73", "copies-16", "the same of 16 bits", copies, OP(.cpp = 2) },
   { "A73", "copies-8", "the same of 8 bits", copies, OP(.cpp = 1) },
   { "A73", "copies-tiled-32", "the same in tiles", copies,
     OP(.cpp = 4, .tiled = true) },
   { "A73", "copies-tiled-16", "the same in tiles of 16 bits", copies,
     OP(.cpp = 2, .tiled = true) },
   { "A73", "copies-tiled-8", "the same in tiles of 8 bits", copies,
     OP(.cpp = 1, .tiled = true) },
   ROTATIONS("flip-x", "FLIP_X", 0),
   ROTATIONS("flip-y", "FLIP_Y", 1),
   ROTATIONS("transpose-lr", "TRANS_LR", 2),
   ROTATIONS("transpose-rl", "TRANS_RL", 3),
   ROTATIONS("rotate-90", "ROT_90", 4),
   ROTATIONS("rotate-180", "ROT_180", 5),
   ROTATIONS("rotate-270", "ROT_270", 6),
   { "A129", "fills-32", "fills at odd columns with four different bytes",
     fills, OP(.cpp = 4) },
   { "A129", "fills-16", "the same of 16 bits", fills, OP(.cpp = 2) },
   { "A129", "fills-8", "the same of 8 bits", fills, OP(.cpp = 1) },
   { "A129", "fills-tiled-16", "the same in tiles of 16 bits", fills,
     OP(.cpp = 2, .tiled = true) },
   { "A129", "fills-tiled-8", "the same in tiles of 8 bits", fills,
     OP(.cpp = 1, .tiled = true) },
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
   { "A136", "changes the time that a job takes, not what it leaves in "
             "memory" },
   { "A137",
     "a read behind a texture leaves no trace in memory; the kernel's "
     "log has the fault" },
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
