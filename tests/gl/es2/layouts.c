/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Pixels in the application's memory: reading in every format that is offered, from every kind of framebuffer, and rows that are
 * longer than what is transferred (EXT_unpack_subimage, NV_pack_subimage).
 */

#include <stdio.h>

#include "families.h"
#include "scene.h"

#define SIZE SCENE_SIZE

/* NV_pack_subimage */
#define GL_PACK_ROW_LENGTH_NV  0x0d02
#define GL_PACK_SKIP_ROWS_NV   0x0d03
#define GL_PACK_SKIP_PIXELS_NV 0x0d04

static const struct {
   const char *name;
   GLenum format, type; /* of a texture; type 0: of a renderbuffer */
} targets[] = {
   { "rgba8", GL_RGBA, GL_UNSIGNED_BYTE },           { "rgb8", GL_RGB, GL_UNSIGNED_BYTE },
   { "rgb565", GL_RGB, GL_UNSIGNED_SHORT_5_6_5 },    { "rgba4", GL_RGBA, GL_UNSIGNED_SHORT_4_4_4_4 },
   { "bgra8", GL_BGRA_EXT, GL_UNSIGNED_BYTE },       { "rgb565_buffer", GL_RGB565, 0 },
   { "rgb5_a1_buffer", GL_RGB5_A1, 0 },              { "rgba8_buffer", GL_RGBA8_OES, 0 },
   { "r8", GL_RED_EXT, GL_UNSIGNED_BYTE },           { "rg8", GL_RG_EXT, GL_UNSIGNED_BYTE },
};

static const struct {
   const char *name;
   GLenum format, type;
   unsigned bytes;
   uint8_t shift[4], bits[4]; /* of red, green, blue, alpha in a pixel, as a number */
} formats[] = {
   { "rgba8", GL_RGBA, GL_UNSIGNED_BYTE, 4, { 0, 8, 16, 24 }, { 8, 8, 8, 8 } },
   { "bgra8", GL_BGRA_EXT, GL_UNSIGNED_BYTE, 4, { 16, 8, 0, 24 }, { 8, 8, 8, 8 } },
   { "bgra4_rev", GL_BGRA_EXT, GL_UNSIGNED_SHORT_4_4_4_4_REV_EXT, 2, { 8, 4, 0, 12 }, { 4, 4, 4, 4 } },
   { "bgra1555_rev", GL_BGRA_EXT, GL_UNSIGNED_SHORT_1_5_5_5_REV_EXT, 2, { 10, 5, 0, 15 }, { 5, 5, 5, 1 } },
   { "own", 0, 0, 0, { 0 }, { 0 } }, /* what the implementation prefers */
};

static uint8_t rgba[SIZE * SIZE * 4], memory[(SIZE + 40) * (SIZE + 10) * 4];

static int
find_format(GLenum format, GLenum type)
{
   for (unsigned i = 0; i + 1 < ARRAY_SIZE(formats); i++) {
      if (formats[i].format == format && formats[i].type == type)
         return i;
   }
   return -1;
}

/* Reads again as RGBA bytes what was read in another format. */
static void
check_read(int f, unsigned row_length, unsigned skip_x, unsigned skip_y, unsigned width, unsigned height)
{
   unsigned pitch = ((row_length ? row_length : width) * formats[f].bytes + 3) & ~3, wrong = 0, at = 0;
   for (unsigned y = 0; y < height; y++) {
      for (unsigned x = 0; x < width; x++) {
         uint32_t pixel = 0;
         memcpy(&pixel, memory + (y + skip_y) * pitch + (x + skip_x) * formats[f].bytes, formats[f].bytes);
         for (unsigned c = 0; c < 4; c++) {
            unsigned whole = (1 << formats[f].bits[c]) - 1, value = pixel >> formats[f].shift[c] & whole;
            float error = value / (float)whole - rgba[(y * width + x) * 4 + c] / 255.0f;
            if (error * whole > 0.51f || error * whole < -0.51f) {
               wrong++;
               at = y * width + x;
            }
         }
      }
   }
   grid_check(!wrong, "%u values differ, the last at (%u, %u)", wrong, at % width, at / width);
}

static void
run_reading(void)
{
   for (unsigned t = 0; t < ARRAY_SIZE(targets); t++) {
      for (unsigned i = 0; i < ARRAY_SIZE(formats); i += i == 1 ? 3 : 1) { /* 16 bits: when they are what is preferred */
         for (unsigned rows = 0; rows < 2; rows++) {
            if (!grid_begin("layouts/read_%s_%s%s", targets[t].name, formats[i].name, rows ? "_rows" : ""))
               continue;
            if ((i == 1 && !scene_extension("GL_EXT_read_format_bgra")) || (rows && !scene_extension("GL_NV_pack_subimage"))) {
               grid_refused(true, "no extension");
               continue;
            }
            const struct scene_image image = scene_image_create(targets[t].format, targets[t].type, SIZE, SIZE);
            scene_draw(false, false);
            unsigned w = rows ? 37 : SIZE, h = rows ? 29 : SIZE;
            glReadPixels(3, 5, w - 3, h, GL_RGBA, GL_UNSIGNED_BYTE, rgba);
            GLint format = formats[i].format, type = formats[i].type;
            if (!format) {
               glGetIntegerv(GL_IMPLEMENTATION_COLOR_READ_FORMAT, &format);
               glGetIntegerv(GL_IMPLEMENTATION_COLOR_READ_TYPE, &type);
            }
            if (rows) {
               glPixelStorei(GL_PACK_ROW_LENGTH_NV, 71);
               glPixelStorei(GL_PACK_SKIP_PIXELS_NV, 9);
               glPixelStorei(GL_PACK_SKIP_ROWS_NV, 3);
            }
            glReadPixels(3, 5, w - 3, h, format, type, memory);
            if (rows) {
               glPixelStorei(GL_PACK_ROW_LENGTH_NV, 0);
               glPixelStorei(GL_PACK_SKIP_PIXELS_NV, 0);
               glPixelStorei(GL_PACK_SKIP_ROWS_NV, 0);
            }
            int f = find_format(format, type);
            if (f < 0)
               grid_refused(true, "another format");
            else
               check_read(f, rows ? 71 : 0, rows ? 9 : 0, rows ? 3 : 0, w - 3, MIN2(h, SIZE - 5));
            scene_image_destroy(&image);
         }
      }
   }
}

/* A part of a picture in memory, as a new image or in the place of an old one. */
static void
run_writing(void)
{
   for (unsigned t = 0; t < 5; t++) {
      for (unsigned kind = 0; kind < 6; kind++) { /* sub-image; rows skipped, pixels skipped, both */
         if (!grid_begin("layouts/write_%s_%u", targets[t].name, kind))
            continue;
         if (!scene_extension("GL_EXT_unpack_subimage")) {
            grid_refused(true, "no extension");
            continue;
         }
         for (unsigned i = 0; i < sizeof(memory); i++)
            memory[i] = i / 97 * 13 + i % 7 * 31;
         GLuint texture = scene_texture(GL_TEXTURE_2D, targets[t].format, targets[t].type, 48, 40, false);
         glPixelStorei(GL_UNPACK_ALIGNMENT, kind == 5 ? 8 : 1);
         glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, 48, 40, targets[t].format, targets[t].type, memory);
         glPixelStorei(GL_UNPACK_ROW_LENGTH_EXT, 77);
         glPixelStorei(GL_UNPACK_SKIP_PIXELS_EXT, kind / 2 != 0 ? 11 : 0);
         glPixelStorei(GL_UNPACK_SKIP_ROWS_EXT, kind / 2 != 1 ? 5 : 0);
         if (kind & 1)
            glTexSubImage2D(GL_TEXTURE_2D, 0, 7, 3, 33, 29, targets[t].format, targets[t].type, memory);
         else
            glTexImage2D(GL_TEXTURE_2D, 0, targets[t].format, 48, 40, 0, targets[t].format, targets[t].type, memory);
         glPixelStorei(GL_UNPACK_ROW_LENGTH_EXT, 0);
         glPixelStorei(GL_UNPACK_SKIP_PIXELS_EXT, 0);
         glPixelStorei(GL_UNPACK_SKIP_ROWS_EXT, 0);
         glPixelStorei(GL_UNPACK_ALIGNMENT, 4);
         scene_show();
         glClearColor(0, 0, 0, 0);
         glClear(GL_COLOR_BUFFER_BIT);
         glViewport(0, 0, 48, 40);
         scene_textured(texture, -1, -1, 1, 1);
         grid_pixels(0, 0, SIZE, SIZE, (struct grid_tolerance){ 12, 4, false, false });
         glDeleteTextures(1, &texture);
      }
   }
}

static void
run_layouts(void)
{
   scene_begin();
   run_reading();
   run_writing();
   scene_end();
}

const struct grid_family family_layouts = { "layouts", run_layouts };
