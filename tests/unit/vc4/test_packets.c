/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Packets of VideoCore IV's control lists, a line each: their sizes, which thread takes them, and what they do.
 */

#include "unit.h"
#include "vc4_memory.h"

#define LIST 0x1000
#define SUB_LIST 0x2000
#define FRAME 0x10000
#define OTHER 0x20000

enum { BIN, RENDER };

/* Bytes of a number; bytes as an array and its size. */
#define WORD(n) (uint8_t)(n), (uint8_t)((n) >> 8), (uint8_t)((n) >> 16), (uint8_t)((n) >> 24)
#define BYTES(...) (const uint8_t[]){ __VA_ARGS__ }, sizeof((const uint8_t[]){ __VA_ARGS__ })

/* Runs bytes as a list; whether it came to its end without a diagnostic. */
static bool
run(unsigned thread, const uint8_t *list, uint32_t size)
{
   forget_diags();
   memcpy(memory + LIST, list, size);
   v3d_write(v3d, thread == BIN ? V3D_CT0CA : V3D_CT1CA, BASE + LIST);
   v3d_write(v3d, thread == BIN ? V3D_CT0EA : V3D_CT1EA, BASE + LIST + size);
   return !count_diags() && v3d_read(v3d, thread == BIN ? V3D_CT0CA : V3D_CT1CA) == BASE + LIST + size;
}

/* --- which there are --- */

#define B 1
#define R 2

static const struct {
   const char *name;
   uint8_t number, size, threads;
} packets[] = {
   { "halt", 0, 1, B | R }, { "nop", 1, 1, B | R }, { "flush", 4, 1, B },
   { "flush all", 5, 1, B }, { "start tile binning", 6, 1, B }, { "increment semaphore", 7, 1, B | R },
   { "wait on semaphore", 8, 1, B | R }, { "branch", 16, 5, B | R }, { "branch to sub-list", 17, 5, B | R },
   { "return from sub-list", 18, 1, B | R }, { "store resolved", 24, 1, R },
   { "store resolved, end of frame", 25, 1, R }, { "store full resolution", 26, 5, R },
   { "load full resolution", 27, 5, R }, { "store general", 28, 7, R }, { "load general", 29, 7, R },
   { "indexed primitives", 32, 14, B }, { "array primitives", 33, 10, B }, { "compressed primitive", 48, 2, R },
   { "clipped primitive", 49, 5, R }, { "primitive list format", 56, 2, B | R }, { "GL shader state", 64, 5, B | R },
   { "NV shader state", 65, 5, B | R }, { "VG shader state", 66, 5, B | R }, { "configuration bits", 96, 4, B | R },
   { "flat shade flags", 97, 5, B | R }, { "point size", 98, 5, B | R }, { "line width", 99, 5, B | R },
   { "RHT X boundary", 100, 3, B | R }, { "depth offset", 101, 5, B | R }, { "clip window", 102, 9, B | R },
   { "viewport offset", 103, 5, B | R }, { "Z clipping", 104, 9, B | R }, { "clipper XY scaling", 105, 9, B },
   { "clipper Z scaling", 106, 9, B }, { "tile binning mode", 112, 16, B }, { "tile rendering mode", 113, 11, R },
   { "clear colours", 114, 14, R }, { "tile coordinates", 115, 3, R },
};

/* A number that no line has is refused by both threads, others by the thread that does not have them. */
TEST(numbers)
{
   for (unsigned number = 0; number < 256; number++) {
      unsigned size = 0, threads = 0;
      for (unsigned i = 0; i < COUNT(packets); i++) {
         if (packets[i].number == number) {
            size = packets[i].size;
            threads = packets[i].threads;
         }
      }
      assert_int_equal(cl_packet_size(number), size);
      for (unsigned thread = 0; thread < 2; thread++) {
         if (number >= 16 && number <= 18)
            continue;
         run(thread, (const uint8_t[16]){ number }, size ? size : 1);
         if (!!diags[0] == (threads >> thread & 1))
            fail_msg("packet %u, thread %u", number, thread);
      }
   }
}

/* A packet that ends outside of memory is not run. */
TEST(ends_of_memory)
{
   for (unsigned i = 0; i < COUNT(packets); i++) {
      if (packets[i].size == 1)
         continue;
      const unsigned thread = packets[i].threads & B ? BIN : RENDER;
      forget_diags();
      memory[SIZE - packets[i].size + 1] = packets[i].number;
      v3d_write(v3d, thread == BIN ? V3D_CT0CA : V3D_CT1CA, BASE + SIZE - packets[i].size + 1);
      v3d_write(v3d, thread == BIN ? V3D_CT0EA : V3D_CT1EA, BASE + SIZE + 1);
      if (!diags[V3D_DIAG_CL_RANGE - 950])
         fail_msg("%s", packets[i].name);
      memset(memory + SIZE - 16, 0, 16);
   }
}

/* --- state --- */

TEST(state)
{
   struct cl_state s = { 0 };
   static const uint8_t list[][9] = {
      { 96, 0x07, 0xb0, 0x03 },
      { 97, 0x44, 0x33, 0x22, 0x11 },
      { 98, 0, 0, 0x20, 0x41 },
      { 99, 0, 0, 0, 0x40 },
      { 101, 0x80, 0x3f, 0x00, 0x40 },
      { 102, 1, 0, 2, 0, 0x40, 1, 0xf0, 0 },
      { 103, 0x10, 0x00, 0xf0, 0xff },
      { 64, 0x29, 0x10, 0x10, 0 },
   };
   for (unsigned i = 0; i < COUNT(list); i++)
      assert_true(cl_apply_state(&s, list[i]));
   assert_int_equal(s.config, 0x03b007);
   assert_int_equal(s.flat, 0x11223344);
   assert_true(s.point_size == 10 && s.line_width == 2);
   assert_int_equal(s.depth_factor, 0x3f80);
   assert_int_equal(s.depth_units, 0x4000);
   assert_true(s.clip_left == 1 && s.clip_bottom == 2 && s.clip_width == 320 && s.clip_height == 240);
   assert_true(s.viewport_x == 16 && s.viewport_y == -16);
   assert_true(s.shader_packet == 64 && s.shader == 0x00101029);
   static const uint8_t nv[5] = { 65, 0x10 };
   assert_true(cl_apply_state(&s, nv));
   assert_true(s.shader_packet == 65 && s.shader == 0x10);
   static const uint8_t others[] = { 0, 1, 16, 24, 32, 33, 56, 100, 104, 105, 106, 112, 113, 114, 115 };
   for (unsigned i = 0; i < COUNT(others); i++)
      assert_false(cl_apply_state(&s, &others[i]));
}

/* --- going through lists --- */

static void
put_bytes(uint32_t offset, const uint8_t *bytes, unsigned size)
{
   memcpy(memory + offset, bytes, size);
}

TEST(flow)
{
   /* halt: what follows is not looked at */
   put_bytes(LIST, BYTES(1, 0, 255, 255));
   for (unsigned thread = 0; thread < 8; thread += 4) {
      v3d_write(v3d, V3D_CT0CA + thread, BASE + LIST);
      v3d_write(v3d, V3D_CT0EA + thread, BASE + LIST + 4);
      assert_int_equal(v3d_read(v3d, V3D_CT0CA + thread), BASE + LIST + 2);
      assert_int_equal(diags[0], 0);
   }
   /* branch over garbage */
   for (unsigned thread = BIN; thread <= RENDER; thread++)
      assert_true(run(thread, BYTES(16, WORD(BASE + LIST + 7), 255, 255, 1)));
   /* a sub-list that calls another, and goes on behind the calls */
   put_bytes(SUB_LIST, BYTES(1, 17, WORD(BASE + SUB_LIST + 16), 18));
   memory[SUB_LIST + 16] = 18;
   assert_true(run(BIN, BYTES(17, WORD(BASE + SUB_LIST), 1)));
   /* three deep, and a return of nothing */
   put_bytes(SUB_LIST, BYTES(1, 17, WORD(BASE + SUB_LIST), 18));
   assert_false(run(BIN, BYTES(17, WORD(BASE + SUB_LIST), 1)));
   assert_int_equal(diags[V3D_DIAG_CL_STATE - 950], 1);
   assert_false(run(BIN, BYTES(18)));
   assert_int_equal(diags[V3D_DIAG_CL_STATE - 950], 1);
   assert_true(v3d_read(v3d, V3D_CT0CS) & V3D_CTCS_ERROR);
   /* semaphores, marker, boundaries: nothing */
   assert_true(run(RENDER, BYTES(7, 8, 1, 56, 0x12, 100, 1, 0, 104, 0, 0, 0, 0, 0, 0, 0, 0)));
}

/* --- binning --- */

TEST(binning)
{
   /* Lists must be configured and started. */
   assert_false(run(BIN, BYTES(33, 4, 3, 0, 0, 0, 0, 0, 0, 0)));
   assert_int_equal(diags[V3D_DIAG_CL_STATE - 950], 1);
   assert_false(run(BIN, BYTES(6, 4))); /* a flush */
   assert_int_equal(diags[V3D_DIAG_CL_STATE - 950], 1);
   uint8_t list[] = { 112, WORD(BASE + OTHER), WORD(0x1000), WORD(BASE + OTHER + 0x4000), 2, 1, 4, 6, 4 };
   uint32_t flushes = v3d_read(v3d, V3D_BFC);
   v3d_write(v3d, V3D_INTCTL, ~0u);
   assert_true(run(BIN, list, sizeof(list)));
   assert_int_equal(v3d_read(v3d, V3D_BFC), flushes + 1);
   assert_true(v3d_read(v3d, V3D_INTCTL) & V3D_INT_FLDONE);
   list[sizeof(list) - 1] = 5;
   assert_true(run(BIN, list, sizeof(list)));
   assert_int_equal(v3d_read(v3d, V3D_BFC), flushes + 2);
}

/* --- tiles --- */

/* Clears a frame of one tile of 64x64, goes through the list, and returns what is at the beginning of the frame. */
static bool
run_tile(const uint8_t *list, unsigned size)
{
   uint8_t all[128] = {
      114, WORD(0x11223344), WORD(0x11223344), WORD(0x123456), 0x77, 113, WORD(BASE + FRAME), 64, 0, 64, 0,
      1 << 2, /* 32 bits, raster */
   };
   memcpy(all + 25, list, size);
   return run(RENDER, all, 25 + size);
}

TEST(stores)
{
   assert_true(run_tile(BYTES(115, 0, 0, 24)));
   assert_int_equal(word_at(FRAME), 0x11223344);
   assert_int_equal(word_at(FRAME + 63 * 256 + 252), 0x11223344);
   assert_int_equal(word_at(FRAME + 64 * 256), 0);

   memset(memory + FRAME, 0, 0x4000);
   uint32_t frames = v3d_read(v3d, V3D_RFC);
   assert_true(run_tile(BYTES(115, 0, 0, 25)));
   assert_int_equal(word_at(FRAME), 0x11223344);
   assert_int_equal(v3d_read(v3d, V3D_RFC), frames + 1);
   assert_true(v3d_read(v3d, V3D_INTCTL) & V3D_INT_FRDONE);

   /* Colour alone in full resolution; depth and stencil in the general way. */
   assert_true(run_tile(BYTES(115, 0, 0, 26, WORD((BASE + OTHER) | 2))));
   assert_int_equal(word_at(OTHER + 0x3ffc), 0x11223344);
   assert_true(run_tile(BYTES(115, 0, 0, 28, 2, 0, WORD(BASE + OTHER))));
   assert_int_equal(word_at(OTHER), 0x12345677);
   /* Outside of memory. */
   assert_false(run_tile(BYTES(115, 0, 0, 28, 2, 0, WORD(BASE + SIZE - 64))));
   assert_int_equal(diags[V3D_DIAG_TLB_RANGE - 950], 1);
}

TEST(loads)
{
   for (uint32_t i = 0; i < 0x4000; i += 4)
      put_bytes(OTHER + i, BYTES(WORD(i)));
   /* The general load happens at the tile's coordinates. */
   assert_true(run_tile(BYTES(29, 1, 0, WORD(BASE + OTHER), 115, 0, 0, 24)));
   assert_memory_equal(memory + FRAME, memory + OTHER, 0x4000);
   /* Full resolution: quads, of which each has its four pixels. */
   assert_true(run_tile(BYTES(27, WORD((BASE + OTHER) | 2), 115, 0, 0, 24)));
   assert_int_equal(word_at(FRAME + 4), 4);
   assert_int_equal(word_at(FRAME + 256), 8);
   assert_int_equal(word_at(FRAME + 8), 16);
}
