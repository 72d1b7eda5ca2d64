/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Compressed textures: ETC1 and DXT of all sizes, as 2D and cube textures, with mipmaps, filters and wrap modes, and their
 * sub-images.
 */

#include <stdio.h>

#include "families.h"
#include "scene.h"

#define SIZE 64

static const struct {
   const char *name, *extension;
   GLenum format;
   unsigned block; /* bytes of 4 x 4 texels */
   bool sub_images;
} formats[] = {
   { "etc1", "GL_OES_compressed_ETC1_RGB8_texture", GL_ETC1_RGB8_OES, 8, true },
   { "dxt1_rgb", "GL_EXT_texture_compression_dxt1", GL_COMPRESSED_RGB_S3TC_DXT1_EXT, 8, true },
   { "dxt1_rgba", "GL_EXT_texture_compression_dxt1", GL_COMPRESSED_RGBA_S3TC_DXT1_EXT, 8, true },
   { "dxt3", "GL_EXT_texture_compression_s3tc", 0x83f2, 16, true },
   { "dxt5", "GL_EXT_texture_compression_s3tc", 0x83f3, 16, true },
   { "astc4x4", "GL_KHR_texture_compression_astc_ldr", 0x93b0, 16, false },
};

static unsigned
blocks_size(unsigned f, unsigned width, unsigned height)
{
   return (width + 3) / 4 * ((height + 3) / 4) * formats[f].block;
}

static uint8_t *
random_blocks(unsigned f, unsigned size)
{
   uint8_t *data = malloc(size + 16);
   for (unsigned i = 0; i < size; i++)
      data[i] = grid_random() >> 5;
   for (unsigned i = 0; i < size && formats[f].format == GL_ETC1_RGB8_OES; i += 8) {
      /* differential blocks whose second colour overflows are not ETC1 */
      for (unsigned c = 0; c < 3 && data[i + 3] & 2; c++) {
         int base = data[i + c] >> 3, d = (data[i + c] & 7) ^ 4;
         if (base + d - 4 < 0 || base + d - 4 > 31)
            data[i + c] &= 0xf8;
      }
   }
   if (formats[f].format == 0x93b0) { /* void-extent blocks: one colour each */
      static const uint8_t head[8] = { 0xfc, 0xfd, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff };
      for (unsigned i = 0; i < size; i += 16)
         memcpy(&data[i], head, 8);
   }
   return data;
}

static void
upload(GLenum where, unsigned level, unsigned f, unsigned width, unsigned height)
{
   unsigned size = blocks_size(f, width, height);
   uint8_t *data = random_blocks(f, size);
   glCompressedTexImage2D(where, level, formats[f].format, width, height, 0, size, data);
   free(data);
}

static bool
begin_case(unsigned f, const char *rest)
{
   const char *extensions = (const char *)glGetString(GL_EXTENSIONS);
   if (!grid_begin("compressed/%s_%s", formats[f].name, rest))
      return false;
   if (strstr(extensions, formats[f].extension))
      return true;
   grid_refused(true, "no such extension");
   return false;
}

static void
run_2d(unsigned f)
{
   static const unsigned sizes[][2] = { { 4, 4 }, { 8, 4 }, { 16, 16 }, { 64, 32 }, { 128, 128 }, { 1, 1 }, { 2, 2 }, { 2, 8 },
                                        { 51, 65 }, { 13, 7 }, { 20, 36 }, { 100, 3 }, { 257, 5 }, { 512, 256 } };
   static const GLenum wraps[] = { GL_CLAMP_TO_EDGE, GL_REPEAT, GL_MIRRORED_REPEAT };
   char name[60];
   for (unsigned s = 0; s < ARRAY_SIZE(sizes); s++) {
      unsigned w = sizes[s][0], h = sizes[s][1];
      bool pot = !(w & (w - 1)) && !(h & (h - 1));
      for (unsigned kind = 0; kind < 6; kind++) {
         bool linear = kind & 1;
         snprintf(name, sizeof(name), "%ux%u_%u_%s", w, h, kind / 2, linear ? "linear" : "nearest");
         if (!pot && kind > 1 && !strstr((const char *)glGetString(GL_EXTENSIONS), "OES_texture_npot"))
            continue;
         if (!begin_case(f, name))
            continue;
         GLenum filter = linear ? GL_LINEAR : GL_NEAREST;
         GLuint texture = grid_texture(GL_TEXTURE_2D, filter, filter, wraps[kind / 2], wraps[kind / 2]);
         upload(GL_TEXTURE_2D, 0, f, w, h);
         /* texels of large textures are random: a part of them, enlarged */
         float scale = MAX2(w, h) > 64 ? 64.0f / MAX2(w, h) : 1;
         lookup_2d(-0.213f * scale, -0.137f * scale, 1.331f * scale, 1.477f * scale, 0);
         grid_pixels(0, 0, SIZE, SIZE, (struct grid_tolerance){ linear ? 12 : 3, 3 * SIZE, false });
         glDeleteTextures(1, &texture);
      }
      if (!pot)
         continue;
      for (unsigned kind = 0; kind < 3; kind++) {
         snprintf(name, sizeof(name), "%ux%u_mip_%u", w, h, kind);
         if (!begin_case(f, name))
            continue;
         GLuint texture = grid_texture(GL_TEXTURE_2D, GL_NEAREST_MIPMAP_NEAREST, GL_NEAREST, wraps[kind], wraps[kind]);
         for (unsigned level = 0; level == 0 || MAX2(w, h) >> level; level++)
            upload(GL_TEXTURE_2D, level, f, MAX2(w >> level, 1), MAX2(h >> level, 1));
         float scale = 1.3f * (1 << kind);
         lookup_2d(-0.1f * scale, 0, scale, scale, 0);
         grid_pixels(0, 0, SIZE, SIZE, (struct grid_tolerance){ 3, 5 * SIZE, false });
         glDeleteTextures(1, &texture);
      }
   }
}

static void
run_cube(unsigned f)
{
   static const unsigned sizes[] = { 4, 16, 64, 20, 37 };
   char name[60];
   for (unsigned s = 0; s < ARRAY_SIZE(sizes); s++) {
      for (unsigned mips = 0; mips < (s < 3 ? 2 : 1); mips++) {
         for (unsigned face = 0; face < 6; face += 2 - (s & 1)) {
            snprintf(name, sizeof(name), "cube_%u%s_%u", sizes[s], mips ? "_mip" : "", face);
            if (!begin_case(f, name))
               continue;
            GLuint texture = grid_texture(GL_TEXTURE_CUBE_MAP, mips ? GL_NEAREST_MIPMAP_NEAREST : GL_NEAREST, GL_NEAREST,
                                         GL_CLAMP_TO_EDGE, GL_CLAMP_TO_EDGE);
            for (unsigned i = 0; i < 6; i++) {
               for (unsigned level = 0; level == 0 || (mips && sizes[s] >> level); level++)
                  upload(GL_TEXTURE_CUBE_MAP_POSITIVE_X + i, level, f, MAX2(sizes[s] >> level, 1), MAX2(sizes[s] >> level, 1));
            }
            lookup_face(face, 0.97f, 0);
            grid_pixels(0, 0, SIZE, SIZE, (struct grid_tolerance){ 3, 3 * SIZE, false });
            glDeleteTextures(1, &texture);
         }
      }
   }
}

static void
run_sub_images(unsigned f)
{
   static const unsigned boxes[][4] = {
      { 0, 0, 64, 64 }, { 4, 8, 16, 4 }, { 32, 0, 32, 64 }, { 60, 60, 4, 4 }, { 0, 12, 64, 4 },
   };
   char name[60];
   for (unsigned b = 0; b < ARRAY_SIZE(boxes); b++) {
      for (unsigned level = 0; level < 2; level++) {
         snprintf(name, sizeof(name), "sub_%u_%u", b, level);
         if (!begin_case(f, name))
            continue;
         const GLenum filter = level ? GL_NEAREST_MIPMAP_NEAREST : GL_NEAREST;
         GLuint texture = grid_texture(GL_TEXTURE_2D, filter, GL_NEAREST, GL_CLAMP_TO_EDGE, GL_CLAMP_TO_EDGE);
         unsigned size = level ? 128 : 64;
         for (unsigned l = 0; l == 0 || (level && size >> l); l++)
            upload(GL_TEXTURE_2D, l, f, size >> l, size >> l);
         if (b & 1)
            lookup_2d(0, 0, 1, 1, 0); /* in use */
         unsigned bytes = blocks_size(f, boxes[b][2], boxes[b][3]);
         uint8_t *data = random_blocks(f, bytes);
         glCompressedTexSubImage2D(GL_TEXTURE_2D, level, boxes[b][0], boxes[b][1], boxes[b][2], boxes[b][3],
                                   formats[f].format, bytes, data);
         free(data);
         lookup_2d(0, 0, 1, 1, 0);
         grid_pixels(0, 0, SIZE, SIZE, (struct grid_tolerance){ 3, SIZE, false });
         glDeleteTextures(1, &texture);
      }
   }
}

static void
run_compressed(void)
{
   lookup_begin();
   for (unsigned f = 0; f < ARRAY_SIZE(formats); f++) {
      run_2d(f);
      run_cube(f);
      if (formats[f].sub_images)
         run_sub_images(f);
   }
   lookup_end();
}

const struct grid_family family_compressed = { "compressed", run_compressed };
