/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Random sequences over textures with all their levels and faces: rendering to one, sampling others, uploads, copies,
 * generation, other formats and filters in between.  Rectangles begin 5/16 of a pixel beside a pixel's border, and are as many
 * powers of two smaller than the texture in both directions, so that no texel or level is at the edge of being chosen.
 */

#include <stdio.h>

#include "families.h"
#include "scene.h"

enum { FLAT, POT, CUBE, WIDE, TEXTURES };

static const struct {
   unsigned width, height, levels, faces;
} shapes[TEXTURES] = { [FLAT] = { 37, 21, 1, 1 }, [POT] = { 32, 32, 6, 1 },
                     [CUBE] = { 16, 16, 5, 6 }, [WIDE] = { 64, 16, 7, 1 } };

static const struct {
   GLenum format, type;
} formats[] = { { GL_RGBA, GL_UNSIGNED_BYTE }, { GL_RGB, GL_UNSIGNED_SHORT_5_6_5 }, { GL_RGB, GL_UNSIGNED_BYTE },
                { GL_RGBA, GL_UNSIGNED_SHORT_4_4_4_4 } };

static struct {
   GLuint textures[TEXTURES], fbo;
   unsigned format[TEXTURES];
   int attached; /* texture, or -1 */
   unsigned width, height; /* of the attached level */
} c;

static GLenum
where_of(unsigned t)
{
   return t == CUBE ? GL_TEXTURE_CUBE_MAP : GL_TEXTURE_2D;
}

static GLenum
face_of(unsigned t, unsigned face)
{
   return t == CUBE ? GL_TEXTURE_CUBE_MAP_POSITIVE_X + face : GL_TEXTURE_2D;
}

static unsigned
level_width(unsigned t, unsigned level)
{
   return MAX2(shapes[t].width >> level, 1);
}

static unsigned
level_height(unsigned t, unsigned level)
{
   return MAX2(shapes[t].height >> level, 1);
}

/* Blocks of a colour, so that averages of levels stay apart from each other. */
static const uint8_t *
pixels(void)
{
   static uint8_t data[64 * 64 * 4];
   unsigned seed = grid_random();
   for (unsigned i = 0; i < sizeof(data); i++)
      data[i] = (i >> 4 & 7) * 32 + (seed >> (i & 3) * 8);
   return data;
}

static void
set_filters(unsigned t)
{
   static const GLenum min[] = { GL_NEAREST, GL_LINEAR, GL_NEAREST_MIPMAP_NEAREST, GL_LINEAR_MIPMAP_NEAREST,
                                 GL_NEAREST_MIPMAP_LINEAR, GL_LINEAR_MIPMAP_LINEAR };
   unsigned m = grid_random_below(t == FLAT ? 2 : 6);
   GLenum wrap = grid_random_below(2) ? GL_CLAMP_TO_EDGE : t == CUBE ? GL_CLAMP_TO_EDGE : GL_REPEAT;
   glBindTexture(where_of(t), c.textures[t]);
   glTexParameteri(where_of(t), GL_TEXTURE_MIN_FILTER, min[m]);
   glTexParameteri(where_of(t), GL_TEXTURE_MAG_FILTER, m & 1 ? GL_LINEAR : GL_NEAREST);
   glTexParameteri(where_of(t), GL_TEXTURE_WRAP_S, wrap);
   glTexParameteri(where_of(t), GL_TEXTURE_WRAP_T, wrap);
}

static void
specify(unsigned t)
{
   c.format[t] = grid_random_below(ARRAY_SIZE(formats));
   glBindTexture(where_of(t), c.textures[t]);
   for (unsigned f = 0; f < shapes[t].faces; f++) {
      for (unsigned l = 0; l < shapes[t].levels; l++)
         glTexImage2D(face_of(t, f), l, formats[c.format[t]].format, level_width(t, l), level_height(t, l), 0,
                      formats[c.format[t]].format, formats[c.format[t]].type, pixels());
   }
}

static void
attach(void)
{
   unsigned t = grid_random_below(TEXTURES), level = grid_random_below(MIN2(shapes[t].levels, 3));
   glBindFramebuffer(GL_FRAMEBUFFER, c.fbo);
   glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, face_of(t, grid_random_below(shapes[t].faces)), c.textures[t],
                          level);
   c.attached = t;
   c.width = level_width(t, level);
   c.height = level_height(t, level);
   glViewport(0, 0, c.width, c.height);
}

/* In pixels of the attached level. */
static float
at_x(float x)
{
   return (x + 5.0f / 16) * 2 / c.width - 1;
}

static float
at_y(float y)
{
   return (y + 5.0f / 16) * 2 / c.height - 1;
}

static void
draw(void)
{
   float x = (int)grid_random_below(MAX2(c.width, 1)) - 4, y = (int)grid_random_below(MAX2(c.height, 1)) - 4;
   unsigned kind = grid_random_below(4), t = grid_random_below(TEXTURES), shift = grid_random_below(3);
   const float color[4] = { grid_random_below(5) / 4.0f, grid_random_below(5) / 4.0f, grid_random_below(5) / 4.0f, 1 };
   if (c.attached < 0 || glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE)
      return;
   if (kind == 0) {
      glEnable(GL_SCISSOR_TEST);
      glScissor(x, y, 1 + shift * 5, 9);
      glClearColor(color[0], color[1], color[2], color[3]);
      glClear(GL_COLOR_BUFFER_BIT);
      glDisable(GL_SCISSOR_TEST);
   } else if (kind == 1) {
      scene_flat(at_x(x), at_y(y), at_x(x + 8), at_y(y + 8 * shift + 1), 0, color[0], color[1], color[2], color[3]);
   } else if ((int)t != c.attached) {
      float w = t == FLAT ? 16 : shapes[t].width >> shift, h = t == FLAT ? 16 : shapes[t].height >> shift;
      float x1 = at_x(x + w), y1 = at_y(y + h);
      if (t != CUBE) {
         scene_textured(c.textures[t], at_x(x), at_y(y), x1, y1);
      } else { /* a face shows the middle 0.96 of itself over the whole viewport, which may be of another shape */
         if (c.width == c.height)
            scene_cube_face(c.textures[t], shift);
      }
   }
}

static void
update(bool copy)
{
   unsigned t = grid_random_below(TEXTURES), level = grid_random_below(shapes[t].levels), f = grid_random_below(shapes[t].faces);
   unsigned w = level_width(t, level), h = level_height(t, level), x = grid_random_below(w), y = grid_random_below(h);
   GLenum format = formats[c.format[t]].format;
   glBindTexture(where_of(t), c.textures[t]);
   glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
   if (!copy)
      glTexSubImage2D(face_of(t, f), level, x, y, w - x, h - y, format, formats[c.format[t]].type, pixels());
   else if (c.attached >= 0 && c.attached != (int)t && format == GL_RGB)
      glCopyTexSubImage2D(face_of(t, f), level, x, y, 0, 0, MIN2(w - x, c.width), MIN2(h - y, c.height));
}

static void
step(void)
{
   unsigned t = grid_random_below(TEXTURES), what = grid_random_below(14);
   switch (what) {
   case 0:
   case 1:
   case 2:
      attach();
      break;
   case 3:
   case 4:
      update(what == 3);
      break;
   case 5:
      /* not of other sizes, which is approximate (A58); nor while attached: softpipe may draw to the old storage then */
      if (t != FLAT && c.attached != (int)t) {
         glBindTexture(where_of(t), c.textures[t]);
         glGenerateMipmap(where_of(t));
      }
      break;
   case 6:
      set_filters(t);
      break;
   case 7:
      specify(t);
      break;
   default:
      draw();
   }
}

/* All levels, in their sizes. */
static void
show(void)
{
   scene_show();
   glClearColor(0, 0, 0, 0);
   glClear(GL_COLOR_BUFFER_BIT);
   unsigned x = 0, y = 0, face = grid_random_below(6);
   for (unsigned t = 0; t < TEXTURES; t++) {
      glBindTexture(where_of(t), c.textures[t]);
      glTexParameteri(where_of(t), GL_TEXTURE_MIN_FILTER, t == FLAT ? GL_NEAREST : GL_NEAREST_MIPMAP_NEAREST);
      glTexParameteri(where_of(t), GL_TEXTURE_MAG_FILTER, GL_NEAREST);
      for (unsigned l = 0; l < MIN2(shapes[t].levels, 4); l++) {
         unsigned w = t == FLAT ? 32 : level_width(t, l), h = level_height(t, l);
         if (x + w > SCENE_SIZE) {
            x = 0;
            y = (y + 11) % 48;
         }
         glViewport(x, y, w, h);
         if (t == CUBE)
            scene_cube_face(c.textures[t], face);
         else
            scene_textured(c.textures[t], -1, -1, 1, 1);
         x += w;
      }
   }
}

static void
run_chains(void)
{
   scene_begin();
   for (unsigned i = 0; i < 200; i++) {
      if (!grid_begin("chains/%u", i))
         continue;
      memset(&c, 0, sizeof(c));
      c.attached = -1;
      glGenFramebuffers(1, &c.fbo);
      glGenTextures(TEXTURES, c.textures);
      for (unsigned t = 0; t < TEXTURES; t++) {
         specify(t);
         set_filters(t);
      }
      for (unsigned k = 0; k < 6 + i % 200 / 4; k++)
         step();
      show();
      grid_pixels(0, 0, SCENE_SIZE, SCENE_SIZE, (struct grid_tolerance){ 28, 40, false, false });
      glDeleteFramebuffers(1, &c.fbo);
      glDeleteTextures(TEXTURES, c.textures);
   }
   scene_end();
}

const struct grid_family family_chains = { "chains", run_chains };
