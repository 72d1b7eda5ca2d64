/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Framebuffers of colours, depth and stencil of every kind, with faces, levels and depth textures as attachments.
 */

#include <stdio.h>

#include "families.h"
#include "scene.h"

/* What can be attached.  Textures have a type. */
static const struct image {
   const char *name;
   GLenum internal, format, type;
} images[] = {
   { "rgb565_buffer", GL_RGB565, 0, 0 },
   { "rgba8_buffer", GL_RGBA8_OES, 0, 0 },
   { "depth16_buffer", GL_DEPTH_COMPONENT16, 0, 0 },
   { "stencil8_buffer", GL_STENCIL_INDEX8, 0, 0 },
   { "depth24_stencil8_buffer", GL_DEPTH24_STENCIL8_OES, 0, 0 },
   { "rgba8", GL_RGBA, GL_RGBA, GL_UNSIGNED_BYTE },
   { "rgba4", GL_RGBA, GL_RGBA, GL_UNSIGNED_SHORT_4_4_4_4 },
   { "rgb5_a1", GL_RGBA, GL_RGBA, GL_UNSIGNED_SHORT_5_5_5_1 },
   { "rgb8", GL_RGB, GL_RGB, GL_UNSIGNED_BYTE },
   { "rgb565", GL_RGB, GL_RGB, GL_UNSIGNED_SHORT_5_6_5 },
   { "bgra8", GL_BGRA_EXT, GL_BGRA_EXT, GL_UNSIGNED_BYTE },
   { "sized_rgba8", GL_RGBA8_OES, GL_RGBA, GL_UNSIGNED_BYTE },
   { "sized_rgb565", GL_RGB565, GL_RGB, GL_UNSIGNED_SHORT_5_6_5 },
   { "r8_buffer", GL_R8_EXT, 0, 0 },
   { "red", GL_RED_EXT, GL_RED_EXT, GL_UNSIGNED_BYTE },
   { "red_green", GL_RG_EXT, GL_RG_EXT, GL_UNSIGNED_BYTE },
   { "depth_short", GL_DEPTH_COMPONENT, GL_DEPTH_COMPONENT, GL_UNSIGNED_SHORT },
   { "depth_int", GL_DEPTH_COMPONENT, GL_DEPTH_COMPONENT, GL_UNSIGNED_INT },
   { "depth_stencil", GL_DEPTH_STENCIL_OES, GL_DEPTH_STENCIL_OES, GL_UNSIGNED_INT_24_8_OES },
};

static const struct image *
image_named(const char *name)
{
   for (unsigned i = 0; i < ARRAY_SIZE(images); i++) {
      if (!strcmp(images[i].name, name))
         return &images[i];
   }
   abort();
}

struct attached {
   GLuint texture, buffer;
   GLenum where;
};

/* Makes an image and attaches it.  face: 0 for a two-dimensional texture, else that face of a cube, from 1. */
static struct attached
attach(const struct image *image, GLenum point, unsigned width, unsigned height, unsigned face, unsigned level)
{
   struct attached a = { .where = face ? GL_TEXTURE_CUBE_MAP : GL_TEXTURE_2D };
   if (!image->type) {
      a.buffer = scene_renderbuffer(image->internal, point, width, height);
      return a;
   }
   a.texture = grid_texture(a.where, level ? GL_NEAREST_MIPMAP_NEAREST : GL_NEAREST, GL_NEAREST, GL_CLAMP_TO_EDGE,
                            GL_CLAMP_TO_EDGE);
   unsigned w = width << level, h = height << level;
   for (unsigned f = 0; f < (face ? 6 : 1); f++) {
      for (unsigned l = 0; l == 0 || (level && MAX2(w, h) >> l); l++)
         glTexImage2D(face ? GL_TEXTURE_CUBE_MAP_POSITIVE_X + f : GL_TEXTURE_2D, l, image->internal, MAX2(w >> l, l > 0),
                      MAX2(h >> l, l > 0), 0, image->format, image->type, NULL);
   }
   GLenum from = face ? GL_TEXTURE_CUBE_MAP_POSITIVE_X + face - 1 : GL_TEXTURE_2D;
   glFramebufferTexture2D(GL_FRAMEBUFFER, point, from, a.texture, level);
   return a;
}

static void
release(struct attached *a)
{
   glDeleteTextures(1, &a->texture);
   glDeleteRenderbuffers(1, &a->buffer);
}

static GLuint
new_framebuffer(void)
{
   GLuint fbo;
   glGenFramebuffers(1, &fbo);
   glBindFramebuffer(GL_FRAMEBUFFER, fbo);
   return fbo;
}

/* --- pictures ------------------------------------------------------------------------------------------------------- */

static const struct {
   const char *name, *image;
   unsigned width, height, face, level, step;
} colors[] = {
   { "face_1", "rgba8", 20, 20, 2, 0, 3 },         { "face_5", "rgb565", 48, 48, 6, 0, 12 },
   { "face_level", "rgba8", 16, 16, 4, 2, 3 },     { "face_5551", "rgb5_a1", 31, 31, 3, 0, 12 },
   { "level_1", "rgba8", 32, 16, 0, 1, 3 },        { "level_2_rgb", "rgb8", 12, 20, 0, 2, 3 },
   { "level_3_565", "rgb565", 4, 8, 0, 3, 12 },    { "level_1_odd", "rgba8", 29, 45, 0, 1, 3 },
   { "level_4444", "rgba4", 64, 8, 0, 1, 24 },     { "bgra8", "bgra8", 57, 43, 0, 0, 3 },
   { "sized_rgba8", "sized_rgba8", 33, 2, 0, 0, 3 }, { "sized_565", "sized_rgb565", 7, 63, 0, 0, 12 },
   { "narrow", "rgba8", 1, 64, 0, 0, 3 },          { "wide_buffer", "rgba8_buffer", 64, 1, 0, 0, 3 },
   { "large", "rgba8", 310, 200, 0, 0, 3 },        { "large_buffer", "rgb565_buffer", 257, 129, 0, 0, 12 },
   { "face_red", "red", 24, 24, 4, 0, 3 },         { "level_red", "red", 16, 8, 0, 2, 3 },
   { "red_buffer", "r8_buffer", 131, 67, 0, 0, 3 }, { "level_red_green", "red_green", 40, 12, 0, 1, 3 },
};
static const struct {
   const char *name, *depth, *stencil; /* the same image twice when it is both */
} others[] = {
   { "none", NULL, NULL },
   { "depth16", "depth16_buffer", NULL },
   { "depth24_stencil8", "depth24_stencil8_buffer", "depth24_stencil8_buffer" },
   { "depth24_stencil8_only_stencil", NULL, "depth24_stencil8_buffer" },
   { "depth24_stencil8_only_depth", "depth24_stencil8_buffer", NULL },
   { "stencil8", NULL, "stencil8_buffer" },
   { "depth_short", "depth_short", NULL },
   { "depth_int", "depth_int", NULL },
   { "depth_stencil_texture", "depth_stencil", "depth_stencil" },
   { "depth_texture_stencil", "depth_short", "stencil8_buffer" },
};

static void
attach_others(unsigned o, unsigned width, unsigned height, struct attached a[2])
{
   if (others[o].depth)
      a[0] = attach(image_named(others[o].depth), GL_DEPTH_ATTACHMENT, width, height, 0, 0);
   if (others[o].stencil && others[o].depth && !strcmp(others[o].stencil, others[o].depth)) {
      if (a[0].texture)
         glFramebufferTexture2D(GL_FRAMEBUFFER, GL_STENCIL_ATTACHMENT, GL_TEXTURE_2D, a[0].texture, 0);
      else
         glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_STENCIL_ATTACHMENT, GL_RENDERBUFFER, a[0].buffer);
   } else if (others[o].stencil) {
      a[1] = attach(image_named(others[o].stencil), GL_STENCIL_ATTACHMENT, width, height, 0, 0);
   }
}

/* Rendered before the other images are taken away, swapped or cleared on their own. */
static void
run_attachments(void)
{
   scene_begin();
   for (unsigned c = 0; c < ARRAY_SIZE(colors); c++) {
      for (unsigned o = 0; o < ARRAY_SIZE(others); o++) {
         if (!grid_begin("attachments/%s_%s", colors[c].name, others[o].name))
            continue;
         unsigned w = colors[c].width, h = colors[c].height;
         GLuint fbo = new_framebuffer();
         struct attached color = attach(image_named(colors[c].image), GL_COLOR_ATTACHMENT0, w, h, colors[c].face,
                                        colors[c].level);
         struct attached a[2] = { 0 };
         attach_others(o, w, h, a);
         if (glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE) {
            grid_refused(true, "not complete");
         } else {
            glViewport(0, 0, w, h);
            scene_draw(others[o].depth, others[o].stencil);
            if (others[o].depth) { /* what was stored, without the colour */
               glColorMask(GL_FALSE, GL_FALSE, GL_FALSE, GL_FALSE);
               glEnable(GL_DEPTH_TEST);
               scene_flat(-0.6f, -1, 0, 1, -0.3f, 1, 1, 1, 1);
               glColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);
               scene_flat(-1, -0.3f, 1, 0, -0.1f, 0.1f, 0.5f, 0.9f, 1);
               glDisable(GL_DEPTH_TEST);
            }
            if (others[o].stencil) {
               glEnable(GL_SCISSOR_TEST);
               glScissor(w / 3, 0, w / 2, h);
               glStencilMask(0x0c);
               glClearStencil(0x0e);
               glClear(GL_STENCIL_BUFFER_BIT);
               glStencilMask(0xff);
               glDisable(GL_SCISSOR_TEST);
               glEnable(GL_STENCIL_TEST);
               glStencilFunc(GL_LEQUAL, 0x0c, 0xff);
               scene_flat(-1, 0.2f, 1, 0.5f, 0, 0.1f, 0.8f, 0.3f, 1);
               glDisable(GL_STENCIL_TEST);
            }
            struct grid_tolerance tolerance = { colors[c].step, w + h, false, !strcmp(colors[c].image, "rgb5_a1") };
            grid_pixels(0, 0, w, h, tolerance);
         }
         scene_show();
         glDeleteFramebuffers(1, &fbo);
         release(&color);
         release(&a[0]);
         release(&a[1]);
      }
   }
   scene_end();
}

const struct grid_family family_attachments = { "attachments", run_attachments };
