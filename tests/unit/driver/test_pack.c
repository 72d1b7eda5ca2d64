/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Register words, against values of the manuals.
 */

#include "unit.h"
#include "tegra20_pack.h"
#include "util/macros.h"

/* 0x343: bits 17:16 cull (1 CCW, 2 CW), bit 15 FRONT_CW, which is set whenever something is culled */
TEST(cull_face)
{
   static const struct {
      unsigned front_ccw, cull;
      uint32_t word;
   } rows[] = {
      {0, PIPE_FACE_NONE, 0x00000},
      {1, PIPE_FACE_NONE, 0x08000},
      {0, PIPE_FACE_FRONT, 0x18000},
      {0, PIPE_FACE_BACK, 0x28000},
      {1, PIPE_FACE_FRONT, 0x28000},
      {1, PIPE_FACE_BACK, 0x18000},
      {0, PIPE_FACE_FRONT_AND_BACK, 0x38000},
   };

   for (unsigned i = 0; i < ARRAY_SIZE(rows); i++) {
      const struct pipe_rasterizer_state rast = {.front_ccw = rows[i].front_ccw, .cull_face = rows[i].cull};
      assert_int_equal(tegra20_pack_cull_face(&rast), rows[i].word);
   }
}

TEST(depth_test)
{
   struct pipe_depth_stencil_alpha_state zsa = {.depth_writemask = 1, .depth_func = PIPE_FUNC_LEQUAL};

   assert_int_equal(tegra20_pack_depth_test(&zsa), 0); /* no writes without the test */
   zsa.depth_enabled = 1;
   assert_int_equal(tegra20_pack_depth_test(&zsa) | 0x200, 0x338); /* gr3d-registers.md 4.3 */
   zsa.depth_writemask = 0;
   assert_int_equal(tegra20_pack_depth_test(&zsa) | 0x200, 0x238);
}

TEST(stencil)
{
   struct pipe_stencil_state s = {.writemask = 0xff, .valuemask = 0xff, .func = PIPE_FUNC_ALWAYS};

   s.fail_op = s.zfail_op = s.zpass_op = PIPE_STENCIL_OP_KEEP;
   assert_int_equal(tegra20_pack_stencil_test(&s), 0x7ff);  /* reset value of 0x400 */
   assert_int_equal(tegra20_pack_stencil_ops(&s), 0x1fe49); /* the vendor's value, gr3d-registers.md 3.13 */
   s.func = PIPE_FUNC_EQUAL;
   assert_int_equal(tegra20_pack_stencil_test(&s), 0x2ff);
   s.fail_op = PIPE_STENCIL_OP_ZERO;
   s.zfail_op = PIPE_STENCIL_OP_INVERT;
   s.zpass_op = PIPE_STENCIL_OP_DECR_WRAP;
   s.writemask = 0x0f;
   assert_int_equal(tegra20_pack_stencil_ops(&s), 0 | 5 << 3 | 7 << 6 | 0x0f << 9);
}

/* The table of gr3d-registers.md 3.10. */
TEST(alu_buffer_size)
{
   assert_int_equal(tegra20_pack_alu_buffer_size(1), 0x4a000000);
   assert_int_equal(tegra20_pack_alu_buffer_size(2), 0x25000001);
   assert_int_equal(tegra20_pack_alu_buffer_size(3), 0x18000002);
   assert_int_equal(tegra20_pack_alu_buffer_size(4), 0x12000003);
}

TEST(guardband)
{
   assert_true(tegra20_guardband(16, 16) == 246.9375f); /* captured for a 32 x 32 surface */
   assert_true(tegra20_guardband(16, -16) == 246.9375f);
   assert_true(tegra20_guardband(4000, 16) == 1.0f);
   assert_true(tegra20_guardband(0, 0) == 1.0f);
}

/* The examples of fragment-pipeline.md 3.4: k0 = 0.5, k1 = -2.0, k2 = 3.25, then two fx10 values each. */
TEST(patch_packet)
{
   uint32_t packet[8] = {0};

   tegra20_patch_packet(packet, 0, 0x3c000);
   tegra20_patch_packet(packet, 1, 0xc0000);
   tegra20_patch_packet(packet, 2, 0x41400);
   assert_int_equal(packet[6], 0x003c0000);
   assert_int_equal(packet[7], 0x41400c00);
   tegra20_patch_packet(packet, 0, 0x080 | 0x380 << 10);
   tegra20_patch_packet(packet, 1, 0x100 | 0x040 << 10);
   tegra20_patch_packet(packet, 2, 0x200 | 0x180 << 10);
   assert_int_equal(packet[6], 0x00e00800);
   assert_int_equal(packet[7], 0x60200101);
}
