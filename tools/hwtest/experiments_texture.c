/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Textures.
 */

#include "hwtest.h"
#include "tegra20/gr3d_regs.h"

#define WHOLE 0, 0, TEST_SIZE, TEST_SIZE
#define UNSIGNED(v)  \
   &(const unsigned) \
   {                 \
      v              \
   }

/* A colour that tells x and y, with all channels different. */
static uint32_t
texel(unsigned x, unsigned y)
{
   return (x * 11 & 255) | (y * 13 & 255) << 8 | ((x ^ y) * 7 & 255) << 16 |
          0xff000000;
}

/* data: width << 8 | height.  Rows that tell their number, at the pitch of 64
 * and, further on, at that of 16. */
static void
npot_rows(struct test *t, const void *data)
{
   unsigned size = *(const unsigned *)data, width = size >> 8,
            height = size & 255;
   for (unsigned i = 0; i < 0x8000 / 4; i++)
      *test_memory32(t, AT_TEXTURE + 4 * i) = texel(i & 63, i >> 6);
   test_npot_texture(t, AT_TEXTURE, GR3D_PIXEL_FORMAT_RGBA8888, width, height,
                     0);
   test_fragment_program(t, FP_TEXTURE);
   test_ramp(t, WHOLE, 1, 1);
}

/* The same, with 0x750 to 0x75f zeroed: what Tegra30 wants. */
static void
npot_rows_zeroed(struct test *t, const void *data)
{
   for (unsigned i = 0; i < 16; i++)
      test_reg(t, GR3D_UNK_750(i), 0);
   npot_rows(t, data);
}

/* data: bit 7 of DESC2.  A texture of one level and one of three, of which
 * MAX_LOD says how many are there. */
static void
mipmap_bit(struct test *t, const void *data)
{
   const uint32_t bit = *(const unsigned *)data << 7;

   for (unsigned i = 0; i < 64 + 16 + 4; i++)
      *test_memory32(t, AT_TEXTURE + 4 * i) = i < 64   ? texel(i & 7, i >> 3)
                                              : i < 80 ? 0xff00ff00
                                                       : 0xffff0000;
   test_fragment_program(t, FP_TEXTURE);
   for (unsigned levels = 0; levels < 2; levels++) {
      test_reg(t, GR3D_TEXTURE_DESC1(0),
               WRAP_CLAMP | GR3D_PIXEL_FORMAT_RGBA8888 << 8);
      test_reg(t, GR3D_TEXTURE_DESC1(0) + 1,
               3u << 28 | 3 << 24 | levels << 13 | bit);
      test_addr(t, GR3D_TEXTURE_POINTER(0), AT_TEXTURE, false);
      test_ramp(t, 32 * levels, 0, 32 * levels + 32, 32, 1, 1);
      test_ramp(t, 32 * levels, 32, 32 * levels + 4, 36, 1, 1);
   }
}

static void
npot_checkerboard(struct test *t, const void *data)
{
   for (unsigned y = 0; y < 6; y++) {
      for (unsigned x = 0; x < 16; x++) /* 6 texels, padded to either pitch */
         *test_memory32(t, AT_TEXTURE + 64 * y + 4 * x) =
            (x + y) & 1 ? 0xffffffff : 0xff000000;
   }
   test_npot_texture(t, AT_TEXTURE, GR3D_PIXEL_FORMAT_RGBA8888, 16, 6,
                     FILTER_LINEAR);
   test_fragment_program(t, FP_TEXTURE);
   test_ramp(t, WHOLE, 1, 1);
}

/* One bit of DESC1 after the other, six images behind each other, directions
 * to all faces. */
static void
cube_bits(struct test *t, const void *data)
{
   static const uint8_t bits[6] = { 5, 6, 7, 13, 30, 31 };
   for (unsigned face = 0; face < 6; face++) {
      for (unsigned i = 0; i < 16; i++)
         *test_memory32(t, AT_TEXTURE + 64 * face + 4 * i) =
            texel(face * 3 + 1, i);
   }
   test_fragment_program(t, "rows 1; exec; " MFU_SETUP
                            ", r0 = tram0.x, r1 = tram0.y, r2 = tram0.z;"
                            "tex r2 = sample0(r0); store surface1, r2;");
   for (unsigned k = 0; k < 6; k++) {
      test_texture(t, AT_TEXTURE, GR3D_PIXEL_FORMAT_RGBA8888, 2, 2, 1,
                   WRAP_CLAMP | 1u << bits[k]);
      for (unsigned d = 0; d < 6; d++) {
         float s = d & 1 ? -1 : 1, v[3] = { 0.25f, -0.25f, 0.5f };
         v[d / 2] = s;
         test_quad(t, 10 * d, 10 * k, 10 * d + 10, 10 * k + 10, 0, v[0], v[1],
                   v[2], 1);
      }
   }
}

/* data: format; sixteen texels with different bits. */
static void
format_texels(struct test *t, const void *data)
{
   unsigned format = *(const unsigned *)data;
   for (unsigned i = 0; i < 64; i++)
      t->memory[AT_TEXTURE + i] = (uint8_t)(i * 73 + 29);
   test_texture(t, AT_TEXTURE, format, 2, 2, 1, WRAP_CLAMP);
   test_fragment_program(t, FP_TEXTURE);
   test_ramp(t, WHOLE, 1, 1);
}

/* data: descriptor bits.  Two texels of 0 and 255, stretched over 64 pixels,
 * in rows that start a quarter step later. */
static void
filter_weights(struct test *t, const void *data)
{
   for (unsigned y = 0; y < 4; y++) {
      for (unsigned x = 0; x < 4; x++)
         *test_memory32(t, AT_TEXTURE + 16 * y + 4 * x) =
            x & 1 ? 0xff8001ff : 0xff000000;
   }
   test_texture(t, AT_TEXTURE, GR3D_PIXEL_FORMAT_RGBA8888, 2, 2, 1,
                *(const unsigned *)data);
   test_fragment_program(t, FP_TEXTURE);
   for (unsigned y = 0; y < 4; y++) {
      float s = 0.375f + y / 1024.0f;
      unsigned first = test_vertex(t, 0, 16 * y, 0, s, 0.5f, 0, 1);
      test_vertex(t, 64, 16 * y, 0, s + 0.25f, 0.5f, 0, 1);
      test_vertex(t, 0, 16 * y + 16, 0, s, 0.5f, 0, 1);
      test_vertex(t, 64, 16 * y + 16, 0, s + 0.25f, 0.5f, 0, 1);
      test_draw(t, GR3D_PRIMITIVE_TYPE_TRIANGLE_STRIP, first, 4);
   }
}

/* Levels of one colour each. */
static void
coloured_levels(struct test *t, unsigned log_size, unsigned descriptor)
{
   uint32_t at = AT_TEXTURE;
   for (unsigned level = 0; level <= log_size; level++) {
      unsigned size = 1u << (log_size - level),
               pitch = size * 4 < 16 ? 16 : size * 4;
      for (uint32_t i = 0; i < size * pitch; i += 4)
         *test_memory32(t, at + i) =
            0xff000000 | level * 30 << 8 | (255 - level * 30);
      at += size * pitch;
   }
   test_texture(t, AT_TEXTURE, GR3D_PIXEL_FORMAT_RGBA8888, log_size, log_size,
                log_size + 1, descriptor);
   test_fragment_program(t, FP_TEXTURE);
}

/* data: descriptor bits; strips with 1/4 to 11 texels per pixel. */
static void
levels(struct test *t, const void *data)
{
   coloured_levels(t, 7, *(const unsigned *)data);
   for (unsigned i = 0; i < 16; i++) {
      float scale = 0.25f * (1 << i / 3) * (1 + (i % 3) * 0.3f);
      test_ramp(t, 0, 4 * i, 64, 4 * i + 4, scale * 0.5f, scale * 4 / 128);
   }
}

/* The texture turned by 45 degrees: the largest difference and the length
 * disagree. */
static void
turned(struct test *t, const void *data)
{
   coloured_levels(t, 7, FILTER_LINEAR | FILTER_MIP_LINEAR);
   for (unsigned i = 0; i < 4; i++) {
      float s = 0.35f * (i + 1);
      unsigned first = test_vertex(t, 0, 16 * i, 0, 0, 0, 0, 1);
      test_vertex(t, 64, 16 * i, 0, s, s, 0, 1);
      test_vertex(t, 0, 16 * i + 16, 0, -s / 4, s / 4, 0, 1);
      test_vertex(t, 64, 16 * i + 16, 0, s * 3 / 4, s * 5 / 4, 0, 1);
      test_draw(t, GR3D_PRIMITIVE_TYPE_TRIANGLE_STRIP, first, 4);
   }
}

static void
dxt1_levels(struct test *t, const void *data)
{
   for (unsigned i = 0; i < 4096; i += 8) {
      unsigned block = i / 8;
      *test_memory32(t, AT_TEXTURE + i) =
         (block * 0x1863 & 0xffff) | (block * 0x1063 + 0x300) << 16;
      *test_memory32(t, AT_TEXTURE + i + 4) =
         block & 1 ? 0xe4e4e4e4 : 0x1b1b1b1b;
   }
   test_texture(t, AT_TEXTURE, GR3D_PIXEL_FORMAT_DXT1, 5, 5, 6, 16);
   test_fragment_program(t, FP_TEXTURE);
   for (unsigned i = 0; i < 6; i++)
      test_ramp(t, 0, 10 * i, 64, 10 * i + 10, 2 << i, (2 << i) * 10 / 64.0f);
}

/* The first draw renders, a barrier of the caches, the second samples. */
static void
draw_then_sample(struct test *t, const void *data)
{
   test_reg(t, GR3D_FDC_CONTROL, 0xe01);
   test_ramp(t, WHOLE, 1, 1);
   test_reg(t, GR3D_FDC_CONTROL, 0xe01);
   test_texture(t, AT_TARGET, GR3D_PIXEL_FORMAT_RGBA8888, 6, 6, 1,
                WRAP_CLAMP);
   test_target(t, 1, AT_SECOND, GR3D_PIXEL_FORMAT_RGBA8888, 4 * TEST_SIZE);
   test_fragment_program(t, FP_TEXTURE);
   test_ramp(t, WHOLE, 1, 1);
}

static const struct experiment table[] = {
   { "A57", "npot-20x20", "rows of a texture of 20x20", npot_rows,
     UNSIGNED(20 << 8 | 20) },
   { "A57", "npot-50x30", "rows of a texture of 50x30", npot_rows,
     UNSIGNED(50 << 8 | 30) },
   { "A107", "npot-zeroed", "rows of a texture of 20x20, 0x750.. zeroed",
     npot_rows_zeroed, UNSIGNED(20 << 8 | 20) },
   { "A58", "npot-filter",
     "a checkerboard that is not a power of two, magnified",
     npot_checkerboard },
   { "A59", "cube-bits", "unknown bits of DESC1 with three coordinates",
     cube_bits },
   { "A60", "texels-a8", "texels of A8", format_texels,
     UNSIGNED(GR3D_PIXEL_FORMAT_A8) },
   { "A60", "texels-l8", "texels of L8", format_texels,
     UNSIGNED(GR3D_PIXEL_FORMAT_L8) },
   { "A60", "texels-la88", "texels of LA88", format_texels,
     UNSIGNED(GR3D_PIXEL_FORMAT_LA88) },
   { "A60", "texels-565", "texels of 565", format_texels,
     UNSIGNED(GR3D_PIXEL_FORMAT_RGB565) },
   { "A61", "texels-5551", "texels of 5551", format_texels,
     UNSIGNED(GR3D_PIXEL_FORMAT_RGBA5551) },
   { "A61", "texels-4444", "texels of 4444", format_texels,
     UNSIGNED(GR3D_PIXEL_FORMAT_RGBA4444) },
   { "A66", "texels-0e", "texels of format 0x0e", format_texels,
     UNSIGNED(GR3D_PIXEL_FORMAT_BGRA8888) },
   { "A66", "texels-12", "texels of format 0x12", format_texels,
     UNSIGNED(GR3D_PIXEL_FORMAT_RGBA_FP32) },
   { "A39", "texels-d16", "texels of the depth format", format_texels,
     UNSIGNED(GR3D_PIXEL_FORMAT_D16_LINEAR) },
   { "A63", "filter-weights", "positions between two texels", filter_weights,
     UNSIGNED(FILTER_LINEAR) },
   { "A82", "filter-rounding", "the same, clamped", filter_weights,
     UNSIGNED(FILTER_LINEAR | WRAP_CLAMP) },
   { "A133", "mipmap-bit-0", "one level and three, bit 7 of DESC2 clear",
     mipmap_bit, UNSIGNED(0) },
   { "A133", "mipmap-bit-1", "one level and three, bit 7 of DESC2 set",
     mipmap_bit, UNSIGNED(1) },
   { "A63", "mip-weights", "between levels", levels,
     UNSIGNED(FILTER_LINEAR | FILTER_MIP_LINEAR) },
   { "A64", "mip-nearest", "nearest levels", levels, UNSIGNED(0) },
   { "A64", "turned", "a texture turned by 45 degrees", turned },
   { "A65", "dxt1-levels", "levels of a compressed texture", dxt1_levels },
   { "A77", "draw-then-sample", "sampling what the job rendered",
     draw_then_sample },
};

const struct experiment_table texture_experiments = {
   table, sizeof(table) / sizeof(table[0])
};
