/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * The programs of the notes about the chip, from their words, at register level: a program for the CPU's queue that writes
 * what a coordinate shader would, the first triangle, the same with vertex and coordinate shaders, a texture.
 */

#include "unit.h"
#include "../../common/packets.h"
#include "vc4_memory.h"

#define WIDTH 640
#define HEIGHT 480
#define COLUMNS 10
#define ROWS 8
#define TILE_LISTS 0x20000
#define TILE_STATE 0x60000
#define FRAME 0x200000
#define CLEAR_COLOR 0xff00ffff

/* What the tests below change. */
struct frame {
   uint16_t clip[4], viewport_x, viewport_y;
   uint8_t depth_func, config; /* config: lowest byte */
   uint8_t mode;
   bool indexed;
   uint16_t depth_units; /* upper half of a float */
   uint32_t clear_depth, flat;
   float point_size, line_width, z_scale, z_offset;
};

static const struct frame usual = {
   .clip = { 0, 0, WIDTH, HEIGHT }, .depth_func = 7, /* always */ .config = 3, /* both sides */ .mode = 4,
   .point_size = 1, .line_width = 1,
};
static struct frame frame;
static float vertex_z;
static unsigned first_row, shift_x, shift_y; /* of what is seen of the triangle, and of all of it */

SETUP
{
   frame = usual;
   vertex_z = 1;
   first_row = shift_x = shift_y = 0;
}

/* --- lists and records --- */

static uint32_t end; /* of what was written, in memory */

static void
put(const char *sizes, ...)
{
   va_list args;
   va_start(args, sizes);
   end = put_packet(memory + end, sizes, args) - memory;
   va_end(args);
}

/* Returns the address of what comes next. */
static uint32_t
begin(uint32_t offset)
{
   end = offset;
   return BASE + offset;
}

static uint32_t
put_program(uint32_t offset, const uint64_t *words, unsigned count)
{
   memcpy(memory + offset, words, count * 8);
   return BASE + offset;
}

/* --- what a coordinate shader writes --- */

static const uint64_t coordinate_test[] = {
   0x100009e7009e7000, 0x1002002715827df7, 0x1002006715827df7, 0x100200a715827df7, 0xe0021c6717bc1ac2, 0xe0020c2700000000, 0xe0020c273f800000, 0x10020c2715027df7,
   0x10020c2715067df7, 0x10020c27150a7df7, 0xd20208270e004dc0, 0xd40208670e004dc0, 0x10022827080001f7, 0x10022867080003f7, 0xe00208a73b4d1ed9, 0xe00208e73b88d181,
   0x100079e020000dc2, 0x100079e120000dcb, 0xd0020827020201c0, 0xd0020867020203c0, 0xe0021c6717bc1ac0, 0x10020c27159e7000, 0x10020c27159e7249, 0xe0021c6783904000,
   0xd0021ca715800df7, 0x500009e7009e7000, 0x300009e7009e7000, 0x100009e7009e7000, 0x100009e7009e7000,
};

TEST(coordinate_shader)
{
   static const uint32_t expected[7] = {
      0xbf665c24, 0x3f5edd42, 0, 0x3f800000, 0x1c000200, 0x3f800000, 0x3f800000,
   };
   uint32_t code = put_program(0x1000, coordinate_test, COUNT(coordinate_test));
   uint32_t uniforms = begin(0x2000);
   put("22ff4", 32 * 16, 448 * 16, 1.0, 1.0, BASE + 0x3000);
   v3d_write(v3d, V3D_SRQUA, uniforms);
   v3d_write(v3d, V3D_SRQUL, 4);
   v3d_write(v3d, V3D_SRQPC, code);
   assert_int_equal(v3d_read(v3d, V3D_SRQCS) >> 16 & 0xff, 1);
   for (unsigned row = 0; row < 7; row++) {
      for (unsigned lane = 0; lane < 16; lane++)
         assert_int_equal(word_at(0x3000 + (row * 16 + lane) * 4), expected[row]);
   }
   assert_int_equal(count_diags(), 0);
}

/* --- a frame of 640x480 --- */

/* shader_packet: 64 or 65, with the record's address. */
static void
draw(unsigned shader_packet, uint32_t record)
{
   uint32_t bin = begin(0x10000);
   put("1444111", 112, BASE + TILE_LISTS, 0x20000, BASE + TILE_STATE, COLUMNS, ROWS, 4 /* initialise the state array */);
   put("11", 6, 7);
   put("12222", 102, frame.clip[0], frame.clip[1], frame.clip[2], frame.clip[3]);
   put("1111", 96, frame.config, frame.depth_func << 4, 2);
   put("141f1f", 97, frame.flat, 98, frame.point_size, 99, frame.line_width);
   put("122", 101, 0, frame.depth_units);
   put("122", 103, frame.viewport_x, frame.viewport_y);
   put("1ff", 105, 320.0 * 16, 240.0 * 16);
   put("1ff", 106, frame.z_scale, frame.z_offset);
   put("14", shader_packet, record);
   if (frame.indexed)
      put("11444", 32, frame.mode, 3, BASE + 0x7000, 2);
   else
      put("1144", 33, frame.mode, 3, 0);
   put("1", 4);
   uint32_t bin_end = BASE + end;

   uint32_t render = begin(0x11000);
   put("1", 8);
   put("14441", 114, CLEAR_COLOR, CLEAR_COLOR, frame.clear_depth, 0);
   put("14222", 113, BASE + FRAME, WIDTH, HEIGHT, 1 << 2 /* RGBA8888, raster */);
   put("111", 115, 0, 0);
   put("124", 28, 0, 0);
   for (unsigned y = 0; y < ROWS; y++) {
      for (unsigned x = 0; x < COLUMNS; x++) {
         const bool last = x == COLUMNS - 1 && y == ROWS - 1;
         put("111141", 115, x, y, 17, BASE + TILE_LISTS + (y * COLUMNS + x) * 32, last ? 25 : 24);
      }
   }
   uint32_t render_end = BASE + end;

   v3d_write(v3d, V3D_BFC, 1);
   v3d_write(v3d, V3D_RFC, 1);
   v3d_write(v3d, V3D_CT0CA, bin);
   v3d_write(v3d, V3D_CT0EA, bin_end);
   assert_int_equal(v3d_read(v3d, V3D_BFC), 1);
   v3d_write(v3d, V3D_CT1CA, render);
   v3d_write(v3d, V3D_CT1EA, render_end);
   assert_int_equal(v3d_read(v3d, V3D_RFC), 1);
   assert_int_equal(v3d_read(v3d, V3D_CT0CS) | v3d_read(v3d, V3D_CT0CS + 4), 0);
   assert_int_equal(v3d_read(v3d, V3D_INTCTL) & 3, 3);
}

static uint32_t
pixel(unsigned x, unsigned y)
{
   return word_at(FRAME + (y * WIDTH + x) * 4);
}

/* The triangle (320, 32), (32, 448), (608, 448), by its edges: a pixel's centre is inside when it is on or right of the
 * left one, and left of the right one. */
static bool
inside(int x, int y)
{
   double cx = x + 0.5, cy = y + 0.5;
   return cy > 32 && cy < 448 && (cx - 320) * 416 >= -(cy - 32) * 288 && (cx - 320) * 416 < (cy - 32) * 288;
}

static void
check_pixel(unsigned x, unsigned y, uint32_t expected)
{
   if (pixel(x, y) != expected)
      fail_msg("pixel (%u, %u) is 0x%08x, not 0x%08x", x, y, pixel(x, y), expected);
}

static bool
in_window(unsigned x, unsigned y)
{
   const unsigned right = frame.clip[0] + frame.clip[2], top = frame.clip[1] + frame.clip[3];
   return !frame.clip[2] || !frame.clip[3] || (x >= frame.clip[0] && x < right && y >= frame.clip[1] && y < top);
}

static void
check_triangle(uint32_t color)
{
   for (unsigned y = 0; y < HEIGHT; y++) {
      for (unsigned x = 0; x < WIDTH; x++) {
         const bool seen = in_window(x, y) && y >= first_row && inside(x - shift_x, y - shift_y);
         check_pixel(x, y, seen ? color : CLEAR_COLOR);
      }
   }
   assert_int_equal(count_diags(), 0);
}

static const uint64_t fill_color[] = {
   0x100009e7009e7000, 0xe0020ba7ffffffff, 0x500009e7009e7000, 0x300009e7009e7000, 0x100009e7009e7000, 0x100009e7009e7000,
};

/* The notes write the colour in the program's second instruction, where strict mode would have the third. */
static const uint64_t fill_color_later[] = {
   0x100009e7009e7000, 0x100009e7009e7000, 0xe0020ba7ffffffff, 0x500009e7009e7000, 0x300009e7009e7000, 0x100009e7009e7000, 0x100009e7009e7000,
};

static uint32_t
nv_record(uint32_t code, uint32_t uniforms, unsigned varyings, uint32_t vertices)
{
   uint32_t record = begin(0x4000);
   put("1111444", 1, 12 + varyings * 4, 0, varyings, code, uniforms, vertices);
   return record;
}

static const uint16_t corners[3][2] = { { 320, 32 }, { 32, 448 }, { 608, 448 } };

static uint32_t
put_vertices(uint32_t offset, unsigned varyings, const float (*values)[3])
{
   uint32_t address = begin(offset);
   for (unsigned i = 0; i < 3; i++) {
      put("22ff", corners[i][0] * 16, corners[i][1] * 16, vertex_z, 1.0);
      for (unsigned v = 0; v < varyings; v++)
         put("f", values[i][v]);
   }
   return address;
}

/* The triangle in window coordinates with a fragment program. */
static void
draw_with(const uint64_t *program, unsigned count, unsigned varyings, const float (*values)[3])
{
   const uint32_t code = put_program(0x1000, program, count), vertices = put_vertices(0x5000, varyings, values);
   draw(65, nv_record(code, 0, varyings, vertices));
}
#define DRAW(program) draw_with(program, COUNT(program), 0, NULL)

TEST(first_triangle)
{
   DRAW(fill_color);
   assert_int_equal(count_diags(), 1); /* see above */
   forget_diags();
   check_triangle(0xffffffff);
}

/* Boards draw with an empty clip window as without one. */
TEST(empty_clip_window)
{
   static const unsigned sizes[][2] = { { 0, 0 }, { WIDTH, 0 }, { 0, HEIGHT } };
   for (unsigned i = 0; i < COUNT(sizes); i++) {
      memset(memory + FRAME, 0, WIDTH * HEIGHT * 4);
      frame.clip[2] = sizes[i][0];
      frame.clip[3] = sizes[i][1];
      DRAW(fill_color_later);
      check_triangle(0xffffffff);
   }
}

/* The depth of the pixel, then a colour. */
static const uint64_t fill_depth[] = {
   0x100009e7009e7000, 0x100009e7009e7000, 0x10020b27159cffc0, 0xe0020ba7ffffffff, 0x500009e7009e7000, 0x300009e7009e7000, 0x100009e7009e7000, 0x100009e7009e7000,
};

/* Depths have 2^24 steps, of which 1 takes the last: what equals a cleared depth, and what is less by one. */
TEST(depth_scale)
{
   static const struct {
      float z;
      uint32_t clear;
      bool equal;
   } cases[] = {
      { 0.75f, 0xc00000, true },        { 0.75f, 0xbfffff, false },      { 0.25f, 0x400000, true }, { 0, 0, true },
      { 1, 0xffffff, true },            { 0x1p-24f, 1, true },           { 0x1.8p-24f, 1, true },   { 0x1p-25f, 0, true },
      { 0x1.fffffep-1f, 0xffffff, true }, { 0x1.fffffcp-1f, 0xfffffe, true },
   };
   for (unsigned i = 0; i < COUNT(cases); i++) {
      vertex_z = cases[i].z;
      frame.clear_depth = cases[i].clear;
      frame.depth_func = 2; /* equal */
      DRAW(fill_depth);
      if (pixel(320, 300) != (cases[i].equal ? 0xffffffff : CLEAR_COLOR))
         fail_msg("z %a against 0x%06x: 0x%08x", cases[i].z, cases[i].clear, pixel(320, 300));
   }
   assert_int_equal(count_diags(), 0);
}

/* --- what packets of state do --- */

/* Reads varyings (two of a point, one of a line), then a colour. */
#define READ_VARYING 0x100049e0203e303e
static const uint64_t fill_line[] = {
   0x100009e7009e7000, READ_VARYING, 0xe0020ba7ffffffff, 0x500009e7009e7000, 0x300009e7009e7000, 0x100009e7009e7000, 0x100009e7009e7000,
};
static const uint64_t fill_point[] = {
   READ_VARYING, READ_VARYING, 0xe0020ba7ffffffff, 0x500009e7009e7000, 0x300009e7009e7000, 0x100009e7009e7000, 0x100009e7009e7000,
};
/* The value of a varying, by its bits. */
static const uint64_t fill_varying[] = {
   0x100009e7009e7000, READ_VARYING, 0x10020827019e7140, 0x10020ba7159e7000, 0x500009e7009e7000, 0x300009e7009e7000, 0x100009e7009e7000, 0x100009e7009e7000,
};

TEST(clip_window)
{
   memcpy(frame.clip, (uint16_t[4]){ 200, 150, 150, 250 }, sizeof(frame.clip));
   DRAW(fill_color_later);
   check_triangle(0xffffffff);
}

TEST(viewport)
{
   shift_x = 20;
   shift_y = 10;
   frame.viewport_x = shift_x * 16;
   frame.viewport_y = shift_y * 16;
   DRAW(fill_color_later);
   check_triangle(0xffffffff);
}

/* Flat: that of the last vertex everywhere; otherwise none of the corners' in the middle. */
TEST(flat)
{
   static const float values[3][3] = { { 1 }, { 2 }, { 3 } };
   frame.flat = 1;
   draw_with(fill_varying, COUNT(fill_varying), 1, values);
   check_triangle(0x40400000);
   frame.flat = 2;
   draw_with(fill_varying, COUNT(fill_varying), 1, values);
   float value;
   uint32_t word = pixel(320, 309);
   memcpy(&value, &word, 4);
   assert_true(value > 1.9f && value < 2.1f);
   assert_int_equal(count_diags(), 0);
}

TEST(points_and_lines)
{
   frame.mode = 0;
   frame.point_size = 10;
   DRAW(fill_point);
   for (unsigned i = 0; i < 3; i++) {
      for (int y = -8; y < 8; y++) {
         for (int x = -8; x < 8; x++)
            assert_int_equal(pixel(corners[i][0] + x, corners[i][1] + y),
                             x >= -5 && x < 5 && y >= -5 && y < 5 ? 0xffffffff : CLEAR_COLOR);
      }
   }
   v3d_write(v3d, V3D_SLCACTL, ~0u);
   frame.mode = 1;
   frame.line_width = 8;
   DRAW(fill_line);
   /* From (320, 32) to (32, 448): at the centre of row 240 its own is 175.65. */
   for (unsigned x = 160; x < 200; x++)
      assert_int_equal(pixel(x, 240), x >= 172 && x < 180 ? 0xffffffff : CLEAR_COLOR);
   assert_int_equal(count_diags(), 0);
}

/* 16 units above 0.5. */
TEST(depth_offset)
{
   for (unsigned i = 0; i < 2; i++) {
      vertex_z = 0.5f;
      frame.depth_func = 2;
      frame.depth_units = 0x4180; /* 16 */
      frame.config = i ? 3 | 8 : 3;
      frame.clear_depth = i ? 0x800010 : 0x800000;
      DRAW(fill_depth);
      check_triangle(0xffffffff);
   }
}

TEST(indices)
{
   static const uint8_t indices[3] = { 2, 0, 1 };
   memcpy(memory + 0x7000, indices, sizeof(indices));
   frame.indexed = true;
   DRAW(fill_color_later);
   check_triangle(0xffffffff);
}

/* The first corner lies before the near plane: the upper half is cut off.  Places and depths of the new corners are made with
 * the scales of the binning list. */
TEST(clipping)
{
   uint32_t code = put_program(0x1000, fill_depth, COUNT(fill_depth));
   uint32_t vertices = begin(0x5000);
   for (unsigned i = 0; i < 3; i++)
      put("ffff22ff", corners[i][0] / 320.0f, corners[i][1] / 240.0f, i ? 1.0 : -3.0, 1.0, corners[i][0] * 16, corners[i][1] * 16, 0.0, 1.0);
   uint32_t record = begin(0x4000);
   put("1111444", 1 | 8, 28, 0, 0, code, 0, vertices);
   frame.depth_func = 2;
   frame.clear_depth = 0x800000;
   frame.z_offset = 0.5f;
   draw(65, record);
   first_row = 240;
   check_triangle(0xffffffff);
}

/* --- vertex and coordinate shaders --- */

static const uint64_t vertex_shader[] = {
   0x100009e7009e7000, 0xe0020c671a341ac0, 0x100009e7009e7000, 0x100009e7009e7000, 0x100009e7009e7000, 0x1002002715c27df7, 0x1002006715c27df7, 0x100200a715c27df7,
   0xe0021c6717bc1ac0, 0x10020c2715027df7, 0x10020c2715067df7, 0x10020c27150a7df7, 0x500009e7009e7000, 0x300009e7009e7000, 0x100009e7009e7000, 0x100009e7009e7000,
};

static const uint64_t coordinate_shader[] = {
   0x100009e7009e7000, 0xe0020c671a741ac0, 0x100009e7009e7000, 0x100009e7009e7000, 0x100009e7009e7000, 0x1002002715c27df7, 0x1002006715c27df7, 0x100200a715c27df7,
   0x100200e715c27df7, 0x1002012715c27df7, 0x1002016715c27df7, 0x100201a715c27df7, 0xe0021c6717bc1ac0, 0x10020c2715027df7, 0x10020c2715067df7, 0x10020c27150a7df7,
   0x10020c27150e7df7, 0x10020c2715127df7, 0x10020c2715167df7, 0x10020c27151a7df7, 0x500009e7009e7000, 0x300009e7009e7000, 0x100009e7009e7000, 0x100009e7009e7000,
};

TEST(gl_triangle)
{
   static const float clip[3][2] = {
      { 0.00156494522f, -0.86638830897f }, { -0.89984350547f, 0.87056367432f }, { 0.90297339593f, 0.87056367432f },
   };
   uint32_t fragment = put_program(0x1000, fill_color_later, COUNT(fill_color_later));
   uint32_t vertex = put_program(0x1200, vertex_shader, COUNT(vertex_shader));
   uint32_t coordinate = put_program(0x1400, coordinate_shader, COUNT(coordinate_shader));
   uint32_t vertices = put_vertices(0x5000, 0, NULL);
   uint32_t places = begin(0x6000);
   for (unsigned i = 0; i < 3; i++)
      put("ffff22ff", clip[i][0], clip[i][1], 1.0, 1.0, corners[i][0] * 16, corners[i][1] * 16, 1.0, 1.0);
   uint32_t record = begin(0x4000);
   put("2114421144211444111141111", 4 | 1, 0, 0, fragment, 0, 0, 1, 12, vertex, 0, 0, 2, 28, coordinate, 0, vertices, 11, 12, 0, 0, places, 27, 28, 0, 0);
   draw(64, record | 2);
   check_triangle(0xffffffff);
}

/* --- varyings and textures --- */

/* S and T, a look-up, and its result to the tile buffer. */
static const uint64_t textured[] = {
   0x110059e0203e3df7, 0x11024821213e3177, 0x11020e67013e3377, 0x10020e27159e7000, 0xa00009e7009e7000, 0x10020ba7159e7924, 0x500009e7009e7000, 0x300009e7009e7000,
   0x100009e7009e7000, 0x100009e7009e7000,
};

/* A texture of 4x4, one micro-tile; S and T are so that a texel is 160x120 pixels. */
TEST(texture)
{
   static const float coordinates[3][3] = {
      { 320 / 640.0f, 32 / 480.0f }, { 32 / 640.0f, 448 / 480.0f }, { 608 / 640.0f, 448 / 480.0f },
   };
   uint32_t code = put_program(0x1000, textured, COUNT(textured));
   begin(0x8000);
   for (unsigned i = 0; i < 16; i++)
      put("4", 0xff000000 | i * 0x0f0701);
   uint32_t uniforms = begin(0x2000);
   put("44", BASE + 0x8000, 4 << 20 | 4 << 8 | 1 << 7 | 1 << 4 | 1 << 2 | 1);
   draw(65, nv_record(code, uniforms, 2, put_vertices(0x5000, 2, coordinates)));
   for (unsigned y = 0; y < HEIGHT; y += 3) {
      for (unsigned x = 0; x < WIDTH; x += 3)
         check_pixel(x, y, inside(x, y) ? 0xff000000 | (y / 120 * 4 + x / 160) * 0x0f0701 : CLEAR_COLOR);
   }
   assert_int_equal(count_diags(), 0);
}

TEST(ident)
{
   uint32_t ident0 = v3d_read(v3d, V3D_IDENT0);
   assert_memory_equal(&ident0, "V3D", 3);
   assert_int_equal(ident0 >> 24, 2);
   assert_int_equal(v3d_read(v3d, V3D_IDENT1) & 15, 1);
}
