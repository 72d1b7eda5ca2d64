/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Format tables.
 */

#include "unit.h"
#include "tegra20/gr3d_regs.h"
#include "tegra20_compiler.h"
#include "tegra20_format.h"

#define MODE(type, size) (GR3D_ATTRIB_TYPE_##type | (size) << 4)

TEST(vertex_formats)
{
   static const struct {
      enum pipe_format format;
      int mode;
   } rows[] = {
      {PIPE_FORMAT_R32G32B32A32_FLOAT, MODE(FLOAT32, 4)}, /* 0x4d, vertex-pipeline.md 13.1 */
      {PIPE_FORMAT_R32_FLOAT, MODE(FLOAT32, 1)},
      {PIPE_FORMAT_R16G16_FLOAT, MODE(FLOAT16, 2)},
      {PIPE_FORMAT_R32G32B32_FIXED, MODE(FIXED16, 3)},
      {PIPE_FORMAT_R8G8B8A8_UNORM, MODE(UBYTE_NORM, 4)},
      {PIPE_FORMAT_R8G8B8A8_USCALED, MODE(UBYTE, 4)},
      {PIPE_FORMAT_R8G8B8A8_SNORM, MODE(SBYTE_NORM, 4)},
      {PIPE_FORMAT_R8_SSCALED, MODE(SBYTE, 1)},
      {PIPE_FORMAT_R16G16B16_SNORM, MODE(SSHORT_NORM, 3)},
      {PIPE_FORMAT_R16_USCALED, MODE(USHORT, 1)},
      {PIPE_FORMAT_R32G32_UNORM, MODE(UINT_NORM, 2)},
      {PIPE_FORMAT_R32_SSCALED, MODE(SINT, 1)},
      {PIPE_FORMAT_B8G8R8A8_UNORM, -1}, /* no swizzle */
      {PIPE_FORMAT_R64_FLOAT, -1},
      {PIPE_FORMAT_R32_UINT, -1},
      {PIPE_FORMAT_R10G10B10A2_UNORM, -1},
   };

   for (unsigned i = 0; i < ARRAY_SIZE(rows); i++)
      assert_int_equal(tegra20_vertex_format(rows[i].format), rows[i].mode);
}

TEST(texel_formats)
{
   const struct tegra20_format *f = tegra20_format_info(PIPE_FORMAT_B8G8R8X8_UNORM);

   assert_non_null(f);
   assert_int_equal(f->hw, GR3D_PIXEL_FORMAT_RGBA8888);
   assert_int_equal(f->rt_order, TEGRA20_RT_BGRA);
   assert_int_equal(f->swizzle[0], PIPE_SWIZZLE_Z);
   assert_int_equal(f->swizzle[3], PIPE_SWIZZLE_1);
   assert_false(f->has_alpha);
   f = tegra20_format_info(PIPE_FORMAT_R8_UNORM);
   assert_int_equal(f->hw, GR3D_PIXEL_FORMAT_A8);
   assert_int_equal(f->rt_order, TEGRA20_RT_R);
   assert_true(f->target && !f->has_alpha);
   f = tegra20_format_info(PIPE_FORMAT_R8G8_UNORM);
   assert_int_equal(f->hw, GR3D_PIXEL_FORMAT_RGBA8888);
   assert_int_equal(f->swizzle[1], PIPE_SWIZZLE_Y);
   assert_int_equal(f->swizzle[2], PIPE_SWIZZLE_0);
   assert_int_equal(tegra20_format_stored_cpp(tegra20_format_storage(PIPE_FORMAT_R8G8_UNORM)), 4);
   assert_int_equal(tegra20_format_storage(PIPE_FORMAT_R8_UNORM), PIPE_FORMAT_R8_UNORM);
   assert_null(tegra20_format_info(PIPE_FORMAT_R16G16B16A16_FLOAT));
   assert_null(tegra20_format_info(PIPE_FORMAT_Z16_UNORM));
}

TEST(depth_formats)
{
   assert_true(tegra20_format_is_zs(PIPE_FORMAT_Z24_UNORM_S8_UINT));
   assert_false(tegra20_format_is_zs(PIPE_FORMAT_Z32_FLOAT));
   assert_int_equal(tegra20_format_stored_cpp(PIPE_FORMAT_Z24_UNORM_S8_UINT), 2);
   assert_int_equal(tegra20_format_stored_cpp(PIPE_FORMAT_S8_UINT), 1);
}
