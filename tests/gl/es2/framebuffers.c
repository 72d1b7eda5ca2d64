/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Framebuffer objects: formats, cube faces, levels, shared attachments, changes between draws, completeness, reading.
 */

#include "families.h"
#include "scene.h"

#define SIZE SCENE_SIZE

static const struct {
   const char *name;
   GLenum format, type; /* of textures; type 0: a renderbuffer of that format */
   unsigned step;       /* largest error of a channel */
} colors[] = {
   { "rgba8_texture", GL_RGBA, GL_UNSIGNED_BYTE, 3 },          { "rgb8_texture", GL_RGB, GL_UNSIGNED_BYTE, 3 },
   { "rgb565_texture", GL_RGB, GL_UNSIGNED_SHORT_5_6_5, 12 },
   { "rgba4444_texture", GL_RGBA, GL_UNSIGNED_SHORT_4_4_4_4, 24 },
   { "rgba5551_texture", GL_RGBA, GL_UNSIGNED_SHORT_5_5_5_1, 12 }, { "rgba4_buffer", GL_RGBA4, 0, 24 },
   { "rgb5_a1_buffer", GL_RGB5_A1, 0, 12 },                    { "rgb565_buffer", GL_RGB565, 0, 12 },
   { "rgba8_buffer", GL_RGBA8_OES, 0, 3 },                     { "rgb8_buffer", GL_RGB8_OES, 0, 3 },
   { "r8_texture", GL_RED_EXT, GL_UNSIGNED_BYTE, 3 },          { "rg8_texture", GL_RG_EXT, GL_UNSIGNED_BYTE, 3 },
   { "r8_buffer", GL_R8_EXT, 0, 3 },                           { "rg8_buffer", GL_RG8_EXT, 0, 3 },
};

static const struct {
   const char *name;
   GLenum depth, stencil;
} depths[] = {
   { "none", 0, 0 },
   { "depth16", GL_DEPTH_COMPONENT16, 0 },
   { "stencil8", 0, GL_STENCIL_INDEX8 },
   { "depth24", GL_DEPTH_COMPONENT24_OES, 0 },
   { "depth24_stencil8", GL_DEPTH24_STENCIL8_OES, GL_DEPTH24_STENCIL8_OES },
   { "depth16_stencil8", GL_DEPTH_COMPONENT16, GL_STENCIL_INDEX8 },
};

static struct grid_tolerance
tolerance_of(unsigned c, unsigned pixels, bool neighbours)
{
   bool one_bit = colors[c].type == GL_UNSIGNED_SHORT_5_5_5_1 || colors[c].format == GL_RGB5_A1;
   return (struct grid_tolerance){ colors[c].step, pixels, neighbours, one_bit };
}

static void
run_fbo_formats(void)
{
   static const unsigned sizes[][2] = { { 64, 64 }, { 57, 43 }, { 1, 1 }, { 128, 17 }, { 8, 8 } };
   scene_begin();
   for (unsigned c = 0; c < ARRAY_SIZE(colors); c++) {
      for (unsigned d = 0; d < ARRAY_SIZE(depths); d++) {
         for (unsigned s = 0; s < ARRAY_SIZE(sizes); s++) {
            if (!grid_begin("fbo/%s_%s_%ux%u", colors[c].name, depths[d].name, sizes[s][0], sizes[s][1]))
               continue;
            unsigned w = sizes[s][0], h = sizes[s][1];
            GLuint rb[2] = { 0 };
            const struct scene_image image = scene_image_create(colors[c].format, colors[c].type, w, h);
            if (depths[d].depth)
               rb[0] = scene_renderbuffer(depths[d].depth, GL_DEPTH_ATTACHMENT, w, h);
            if (depths[d].stencil == GL_DEPTH24_STENCIL8_OES)
               glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_STENCIL_ATTACHMENT, GL_RENDERBUFFER, rb[0]);
            else if (depths[d].stencil)
               rb[1] = scene_renderbuffer(depths[d].stencil, GL_STENCIL_ATTACHMENT, w, h);
            GLenum status = glCheckFramebufferStatus(GL_FRAMEBUFFER);
            if (status != GL_FRAMEBUFFER_COMPLETE) {
               grid_refused(status == GL_FRAMEBUFFER_UNSUPPORTED, "not complete");
            } else {
               scene_draw(depths[d].depth, depths[d].stencil);
               if (image.texture) { /* drawn and sampled */
                  scene_show();
                  scene_textured(image.texture, -1, -1, 1, 1);
                  grid_pixels(0, 0, SIZE, SIZE, tolerance_of(c, 2 * SIZE, false));
               } else {
                  grid_pixels(0, 0, w, h, tolerance_of(c, w, false));
               }
            }
            scene_image_destroy(&image);
            glDeleteRenderbuffers(2, rb);
         }
      }
   }
   scene_end();
}

/* --- cube faces, levels, reuse ------------------------------------------------------------------------------------- */

static void
run_fbo_textures(void)
{
   scene_begin();
   for (unsigned c = 0; c < 5; c++) {
      for (unsigned face = 0; face < 6; face++) {
         for (unsigned size = 16; size <= 64; size = size == 16 ? 29 : size == 29 ? 64 : 65) {
            if (!grid_begin("fbo_cube/%s_%u_%u", colors[c].name, face, size))
               continue;
            const GLuint cube = scene_texture(GL_TEXTURE_CUBE_MAP, colors[c].format, colors[c].type, size, size, false);
            const GLuint fbo = new_framebuffer();
            glViewport(0, 0, size, size);
            for (unsigned f = 0; f < 6; f++) {
               glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_CUBE_MAP_POSITIVE_X + f, cube, 0);
               clear_color(f & 1, f >> 1 & 1, f >> 2 & 1, 1);
               scene_flat(-0.5f, -0.9f, 0.3f, 0.13f * f, 0, 0.1f * f, 0.8f - 0.1f * f, 0.3f, 0.5f);
            }
            scene_show();
            scene_cube_face(cube, face);
            grid_pixels(0, 0, SIZE, SIZE, tolerance_of(c, 3 * SIZE, false));
            glDeleteFramebuffers(1, &fbo);
            glDeleteTextures(1, &cube);
         }
      }
   }
   for (unsigned kind = 0; kind < 12; kind++) {
      if (!grid_begin("fbo_levels/generate_%u", kind))
         continue;
      /* render to level 0, generate, render again, sample smaller levels */
      unsigned w = kind & 1 ? 128 : 64, h = kind & 2 ? 32 : 64;
      const GLuint texture = scene_texture(GL_TEXTURE_2D, colors[kind % 5].format, colors[kind % 5].type, w, h, true);
      const GLuint fbo = new_framebuffer();
      glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, texture, 0);
      glViewport(0, 0, w, h);
      scene_draw(false, false);
      glBindTexture(GL_TEXTURE_2D, texture);
      glGenerateMipmap(GL_TEXTURE_2D);
      if (kind >= 8)
         scene_flat(-0.3f, -0.3f, 0.6f, 0.3f, 0, 1, 0, 0, 1);
      if (kind >= 10)
         glGenerateMipmap(GL_TEXTURE_2D);
      scene_show();
      glClear(GL_COLOR_BUFFER_BIT);
      scene_textured(texture, -1, -1, 0, 0);
      scene_textured(texture, 0, 0, 0.5f, 0.5f);
      scene_textured(texture, 0.5f, 0.5f, 0.75f, 0.75f);
      scene_textured(texture, -1, 0, 0, 1);
      grid_pixels(0, 0, SIZE, SIZE, tolerance_of(kind % 5, 3 * SIZE, true));
      glDeleteFramebuffers(1, &fbo);
      glDeleteTextures(1, &texture);
   }
   for (unsigned level = 0; level < 7; level++) {
      if (!grid_begin("fbo_levels/render_%u", level))
         continue;
      const GLuint texture = scene_texture(GL_TEXTURE_2D, GL_RGBA, GL_UNSIGNED_BYTE, 64, 64, true);
      const GLuint fbo = new_framebuffer();
      for (unsigned l = 0; l < 7; l++) {
         glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, texture, l);
         if (glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE)
            continue;
         glViewport(0, 0, 64 >> l, 64 >> l);
         clear_color(l & 1, l >> 1 & 1, l >> 2 & 1, 1);
         scene_flat(-0.9f, -0.9f, 0.13f, 0.13f, 0, 0.3f, 0.1f * l, 0.7f, 1);
      }
      glBindFramebuffer(GL_FRAMEBUFFER, scene_target.framebuffer);
      glViewport(0, 0, 64 >> level, 64 >> level);
      glClear(GL_COLOR_BUFFER_BIT);
      scene_textured(texture, -1, -1, 1, 1);
      grid_pixels(0, 0, SIZE, SIZE, (struct grid_tolerance){ 4, 40, true });
      glViewport(0, 0, SIZE, SIZE);
      glDeleteFramebuffers(1, &fbo);
      glDeleteTextures(1, &texture);
   }
   scene_end();
}

/* --- blending with what a format lacks ------------------------------------------------------------------------------- */

/* Without alpha in the buffer its value is 1; a clear and a mask leave it so. */
static void
run_fbo_blend(void)
{
   static const GLenum factors[] = { GL_DST_ALPHA, GL_ONE_MINUS_DST_ALPHA, GL_SRC_ALPHA_SATURATE, GL_DST_COLOR,
                                     GL_ONE_MINUS_DST_COLOR, GL_ONE, GL_CONSTANT_ALPHA };
   static const GLenum equations[] = { GL_FUNC_ADD, GL_FUNC_SUBTRACT, GL_FUNC_REVERSE_SUBTRACT };
   scene_begin();
   for (unsigned c = 0; c < ARRAY_SIZE(colors); c++) {
      for (unsigned f = 0; f < ARRAY_SIZE(factors); f++) {
         for (unsigned e = 0; e < ARRAY_SIZE(equations); e++) {
            if (!grid_begin("fbo_blend/%s_%u_%u", colors[c].name, f, e))
               continue;
            const struct scene_image image = scene_image_create(colors[c].format, colors[c].type, SIZE, SIZE);
            if (glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE) {
               grid_refused(true, "not complete");
            } else {
               /* values that all formats hold: alpha of one bit is not rounded either way */
               clear_color(1, 0.2f, 0.4f, 0);
               scene_flat(-0.5f, -0.9f, 0.5f, 0.9f, 0, 0.6f, 0.4f, 0, 1);
               scene_flat(0, -0.9f, 0.5f, 0.9f, 0, 0.6f, 0.4f, 0, 0);
               glEnable(GL_BLEND);
               glBlendColor(0.3f, 0.6f, 0.9f, 0.5f);
               glBlendEquation(equations[e]);
               glBlendFunc(factors[f], factors[(f + e + 1) % ARRAY_SIZE(factors)] == GL_SRC_ALPHA_SATURATE
                                          ? GL_ONE_MINUS_DST_ALPHA : factors[(f + e + 1) % ARRAY_SIZE(factors)]);
               scene_flat(-0.9f, -0.5f, 0.9f, 0.5f, 0, 0.2f, 0.4f, 0.6f, 1);
               glColorMask(GL_TRUE, GL_TRUE, GL_FALSE, GL_TRUE);
               scene_flat(-0.8f, 0, 0.8f, 0.8f, 0, 0.4f, 0.2f, 0.8f, 0);
               glColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);
               glDisable(GL_BLEND);
               glBlendEquation(GL_FUNC_ADD);
               struct grid_tolerance tolerance = tolerance_of(c, SIZE, false);
               tolerance.channel = MAX2(tolerance.channel * 2, 4);
               grid_pixels(0, 0, SIZE, SIZE, tolerance);
            }
            scene_image_destroy(&image);
         }
      }
   }
   scene_end();
}

/* --- reading -------------------------------------------------------------------------------------------------------- */

static void
run_read_pixels(void)
{
   scene_begin();
   for (unsigned c = 0; c < ARRAY_SIZE(colors); c++) {
      for (unsigned alignment = 1; alignment <= 8; alignment *= 2) {
         for (unsigned box = 0; box < 5; box++) {
            static const int boxes[5][4] = { { 0, 0, 64, 64 }, { 5, 9, 33, 17 }, { 63, 63, 1, 1 }, { -3, -5, 20,
               20 }, { 50, 40, 31, 31 } };
            for (unsigned native = 0; native < 2; native++) {
               if (!grid_begin("read_pixels/%s_%u_%u%s", colors[c].name, alignment, box, native ? "_native" : ""))
                  continue;
               const struct scene_image image = scene_image_create(colors[c].format, colors[c].type, SIZE, SIZE);
               scene_draw(false, false);
               GLint format = GL_RGBA, type = GL_UNSIGNED_BYTE;
               if (native) {
                  glGetIntegerv(GL_IMPLEMENTATION_COLOR_READ_FORMAT, &format);
                  glGetIntegerv(GL_IMPLEMENTATION_COLOR_READ_TYPE, &type);
               }
               glPixelStorei(GL_PACK_ALIGNMENT, alignment);
               static uint8_t data[SIZE * SIZE * 4 + 64 * SIZE];
               memset(data, 77, sizeof(data));
               glReadPixels(boxes[box][0], boxes[box][1], boxes[box][2], boxes[box][3], format, type, data);
               glPixelStorei(GL_PACK_ALIGNMENT, 4);
               if (native) {
                  GLenum error = glGetError();
                  grid_check(error == 0 && (format != GL_RGBA || data[0] != 77 || box == 3),
                     "format 0x%x type 0x%x error 0x%x", format, type, error);
               } else {
                  grid_compare(data, boxes[box][2], boxes[box][3], tolerance_of(c, 64, false));
               }
               scene_image_destroy(&image);
            }
         }
      }
   }
   scene_end();
}

const struct grid_family family_fbo_formats = { "fbo_formats", run_fbo_formats };
const struct grid_family family_fbo_textures = { "fbo_textures", run_fbo_textures };
const struct grid_family family_fbo_blend = { "fbo_blend", run_fbo_blend };
const struct grid_family family_read_pixels = { "read_pixels", run_read_pixels };
