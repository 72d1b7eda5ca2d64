/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Copies from framebuffers of all formats to textures of all formats, reading of what lies outside, mipmaps of all formats
 * and sizes.
 */

#include "families.h"
#include "scene.h"

#define SIZE SCENE_SIZE

/* What is copied from, and the base formats it may be copied to. */
static const struct {
   const char *name;
   GLenum format, type; /* type 0: a renderbuffer */
   bool alpha;
   unsigned step;
} sources[] = {
   { "rgba8", GL_RGBA, GL_UNSIGNED_BYTE, true, 3 },
   { "rgb8", GL_RGB, GL_UNSIGNED_BYTE, false, 3 },
   { "rgb565", GL_RGB, GL_UNSIGNED_SHORT_5_6_5, false, 12 },
   { "rgba4", GL_RGBA, GL_UNSIGNED_SHORT_4_4_4_4, true, 24 },
   { "rgb5_a1", GL_RGBA, GL_UNSIGNED_SHORT_5_5_5_1, true, 12 },
   { "rgba4_buffer", GL_RGBA4, 0, true, 24 },
   { "rgb5_a1_buffer", GL_RGB5_A1, 0, true, 12 },
   { "rgb565_buffer", GL_RGB565, 0, false, 12 },
};
static const struct {
   const char *name;
   GLenum format;
   bool alpha;
} targets[] = {
   { "rgba", GL_RGBA, true },
   { "rgb", GL_RGB, false },
   { "alpha", GL_ALPHA, true },
   { "luminance", GL_LUMINANCE, false },
   { "luminance_alpha", GL_LUMINANCE_ALPHA, true },
   { "red", GL_RED_EXT, false },
   { "red_green", GL_RG_EXT, false },
};
static const char *const ways[] = { "image", "subimage", "outside", "subimage_outside", "level", "face", "again" };

/* A framebuffer with a scene in it. */
static struct scene_image
make_source(unsigned s, unsigned width, unsigned height)
{
   const struct scene_image image = scene_image_create(sources[s].format, sources[s].type, width, height);
   scene_draw(false, false);
   /* alpha that one bit holds */
   scissor_to(0, 0, width, height / 3);
   clear_color(0.2f, 0.6f, 0.9f, 0);
   glDisable(GL_SCISSOR_TEST);
   return image;
}

/* Copies; parts that lie outside the framebuffer are undefined and overwritten or not shown. */
static GLuint
copy(unsigned way, GLenum format, bool *cube, unsigned *size)
{
   *cube = way == 5;
   *size = way == 4 ? 16 : way == 2 ? 30 : way == 6 ? 37 : 48;
   GLenum where = *cube ? GL_TEXTURE_CUBE_MAP : GL_TEXTURE_2D;
   GLuint texture = scene_texture(where, format, GL_UNSIGNED_BYTE, way == 4 ? 32 : *size, way == 4 ? 32 : *size, way == 4);
   switch (way) {
   case 0:
      glCopyTexImage2D(where, 0, format, 3, 7, 48, 48, 0);
      break;
   case 1: {
      uint8_t data[48 * 48 * 4];
      for (unsigned i = 0; i < sizeof(data); i++)
         data[i] = grid_random();
      glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
      glTexSubImage2D(where, 0, 0, 0, 48, 48, format, GL_UNSIGNED_BYTE, data);
      glCopyTexSubImage2D(where, 0, 5, 11, 9, 2, 33, 29);
      glCopyTexSubImage2D(where, 0, 40, 0, 0, 50, 8, 5);
      glCopyTexSubImage2D(where, 0, 47, 47, 63, 63, 1, 1);
      break;
   }
   case 2: /* the lower left of a larger image: what is outside is then written */
      glCopyTexImage2D(where, 0, format, -18, -18, 30, 30, 0);
      glCopyTexSubImage2D(where, 0, 0, 0, 5, 6, 18, 30);
      glCopyTexSubImage2D(where, 0, 18, 0, 20, 6, 12, 18);
      break;
   case 3:
      glCopyTexImage2D(where, 0, format, 0, 0, 48, 48, 0);
      glCopyTexSubImage2D(where, 0, 10, 10, 50, 40, 30, 30);
      glCopyTexSubImage2D(where, 0, 0, 0, -20, -9, 30, 20);
      glCopyTexSubImage2D(where, 0, 0, 0, 100, 100, 20, 20); /* wholly outside */
      break;
   case 4:
      glCopyTexImage2D(where, 0, format, 0, 0, 32, 32, 0);
      glCopyTexImage2D(where, 1, format, 20, 30, 16, 16, 0);
      glCopyTexSubImage2D(where, 1, 3, 4, 5, 0, 7, 9);
      break;
   case 5:
      for (unsigned f = 0; f < 6; f++) {
         glCopyTexImage2D(GL_TEXTURE_CUBE_MAP_POSITIVE_X + f, 0, format, f * 3, 16 - f * 2, 48, 48, 0);
         glCopyTexSubImage2D(GL_TEXTURE_CUBE_MAP_POSITIVE_X + f, 0, f * 4, 7, 2, 40, 20, 13);
      }
      break;
   default: /* of another size before */
      glCopyTexImage2D(where, 0, format, 0, 0, 61, 20, 0);
      glCopyTexImage2D(where, 0, format, 8, 9, 37, 37, 0);
   }
   return texture;
}

static void
run_copies(void)
{
   scene_begin();
   for (unsigned s = 0; s < ARRAY_SIZE(sources); s++) {
      for (unsigned t = 0; t < ARRAY_SIZE(targets); t++) {
         for (unsigned way = 0; way < ARRAY_SIZE(ways); way++) {
            if (!grid_begin("copies/%s_%s_%s", sources[s].name, targets[t].name, ways[way]))
               continue;
            const struct scene_image source = make_source(s, SIZE, SIZE);
            bool cube;
            unsigned size;
            while (glGetError())
               ;
            GLuint copied = copy(way, targets[t].format, &cube, &size);
            GLenum error = glGetError();
            if (targets[t].alpha && !sources[s].alpha) {
               /* Mesa only refuses new images */
               grid_check(error == GL_INVALID_OPERATION || way == 1, "error 0x%x for alpha that does not exist", error);
            } else if (error) {
               grid_check(false, "error 0x%x", error);
            } else {
               scene_show();
               clear_color(0, 0, 0, 0);
               glViewport(0, 0, size, size);
               if (cube)
                  scene_cube_face(copied, t % 6);
               else
                  scene_textured(copied, -1, -1, 1, 1);
               /* one bit of alpha may be more */
               bool one_bit = strstr(sources[s].name, "5_a1");
               grid_pixels(0, 0, SIZE, SIZE, (struct grid_tolerance){ sources[s].step, SIZE, false, one_bit });
            }
            glDeleteTextures(1, &copied);
            scene_image_destroy(&source);
         }
      }
   }
   scene_end();
}

/* --- mipmaps -------------------------------------------------------------------------------------------------------- */

static const struct {
   const char *name;
   GLenum format, type;
   unsigned bytes, step;
} uploads[] = {
   { "rgba8", GL_RGBA, GL_UNSIGNED_BYTE, 4, 4 },          { "rgb8", GL_RGB, GL_UNSIGNED_BYTE, 3, 4 },
   { "rgb565", GL_RGB, GL_UNSIGNED_SHORT_5_6_5, 2, 12 },  { "rgba4", GL_RGBA, GL_UNSIGNED_SHORT_4_4_4_4, 2, 24 },
   { "rgb5_a1", GL_RGBA, GL_UNSIGNED_SHORT_5_5_5_1, 2, 12 }, { "alpha", GL_ALPHA, GL_UNSIGNED_BYTE, 1, 4 },
   { "luminance", GL_LUMINANCE, GL_UNSIGNED_BYTE, 1, 4 }, { "luminance_alpha", GL_LUMINANCE_ALPHA, GL_UNSIGNED_BYTE, 2, 4 },
   { "bgra8", GL_BGRA_EXT, GL_UNSIGNED_BYTE, 4, 4 },
};

/* Smooth pictures: what is averaged is then near the average of any filter.  Alpha of one bit is 1. */
static void
fill(unsigned u, uint8_t *data, unsigned width, unsigned height, unsigned phase)
{
   for (unsigned y = 0; y < height; y++) {
      for (unsigned x = 0; x < width; x++) {
         unsigned r = 255 * x / width, g = 255 * y / height, b = (r + g + phase * 40) % 256 / 2;
         uint8_t *p = data + (y * width + x) * uploads[u].bytes;
         uint16_t packed = uploads[u].type == GL_UNSIGNED_SHORT_5_6_5     ? r >> 3 << 11 | g >> 2 << 5 | b >> 3
                           : uploads[u].type == GL_UNSIGNED_SHORT_4_4_4_4 ? r >> 4 << 12 | g >> 4 << 8 | b >> 4 << 4 | b >> 4
                                                                          : r >> 3 << 11 | g >> 3 << 6 | b >> 3 << 1 | 1;
         const uint8_t bytes[4] = { r, g, b, 255 - r / 2 };
         if (uploads[u].type == GL_UNSIGNED_BYTE)
            memcpy(p, bytes, uploads[u].bytes);
         else
            memcpy(p, &packed, 2);
      }
   }
}

/*
 * Levels of odd sizes are averaged in different ways: some leave out the last row.  By how much that changes a gradient of 255
 * over all rows: each odd level moves the middle of what is averaged by half of its rows.
 */
static unsigned
lost_steps(unsigned size, unsigned level)
{
   unsigned lost = 0;
   for (unsigned l = 0; l < level && size >> l > 1; l++) {
      if (size >> l & 1)
         lost += 1u << l;
   }
   return 255 * lost / (2 * size);
}

static void
run_generate(void)
{
   static const unsigned sizes[][2] = { { 64, 64 }, { 32, 128 }, { 1, 32 }, { 60, 44 }, { 33, 65 }, { 100, 7 } };
   static uint8_t data[128 * 128 * 4];
   scene_begin();
   bool npot = scene_extension("GL_OES_texture_npot");
   for (unsigned u = 0; u < ARRAY_SIZE(uploads); u++) {
      for (unsigned s = 0; s < ARRAY_SIZE(sizes) + 1; s++) { /* the last: a cube */
         for (unsigned level = 1; level < 4; level++) {
            bool cube = s == ARRAY_SIZE(sizes);
            unsigned w = cube ? 32 : sizes[s][0], h = cube ? 32 : sizes[s][1];
            if (!grid_begin("generate/%s_%s%ux%u_%u", uploads[u].name, cube ? "cube_" : "", w, h, level))
               continue;
            if ((s >= 3 && !cube && !npot) || (u == 8 && !scene_extension("GL_EXT_texture_format_BGRA8888"))) {
               grid_refused(true, "no extension");
               continue;
            }
            GLenum where = cube ? GL_TEXTURE_CUBE_MAP : GL_TEXTURE_2D;
            GLuint texture = scene_texture(where, uploads[u].format, uploads[u].type, w, h, false);
            glTexParameteri(where, GL_TEXTURE_MIN_FILTER, GL_NEAREST_MIPMAP_NEAREST);
            glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
            for (unsigned f = 0; f < (cube ? 6 : 1); f++) {
               fill(u, data, w, h, f);
               glTexImage2D(cube ? GL_TEXTURE_CUBE_MAP_POSITIVE_X + f : where, 0, uploads[u].format, w, h, 0,
                            uploads[u].format, uploads[u].type, data);
            }
            glGenerateMipmap(where);
            scene_show();
            clear_color(0, 0, 0, 0);
            glViewport(0, 0, MAX2(w >> level, 1), MAX2(h >> level, 1));
            if (cube)
               scene_cube_face(texture, level);
            else
               scene_textured(texture, -1, -1, 1, 1);
            unsigned lost = MAX2(lost_steps(w, level), lost_steps(h, level));
            /* what is no power of two is sampled from a resampled copy (assumption A58) */
            unsigned step = uploads[u].step + (s < 3 || cube ? 2 : lost + 8);
            grid_pixels(0, 0, SIZE, SIZE, (struct grid_tolerance){ step, 8, false, u == 4 });
            glDeleteTextures(1, &texture);
         }
      }
   }
   scene_end();
}

const struct grid_family family_copies = { "copies", run_copies };
const struct grid_family family_generate = { "generate", run_generate };
