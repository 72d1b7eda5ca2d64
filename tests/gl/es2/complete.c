/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Which framebuffers are complete: every kind of image at every attachment point, sizes, missing and deleted images.  What is
 * complete is rendered to, with faces, levels and depth textures as attachments.
 */

#include <stdio.h>

#include "families.h"
#include "scene.h"

enum { COLOR = 1, DEPTH = 2, STENCIL = 4 };
static const GLenum points[] = { GL_COLOR_ATTACHMENT0, GL_DEPTH_ATTACHMENT, GL_STENCIL_ATTACHMENT };
static const char *const point_names[] = { "color", "depth", "stencil" };

/* What can be attached.  Textures have a type. */
static const struct image {
   const char *name, *extension;
   GLenum internal, format, type;
   unsigned good; /* at these points */
} images[] = {
   { "rgba4_buffer", NULL, GL_RGBA4, 0, 0, COLOR },
   { "rgb5_a1_buffer", NULL, GL_RGB5_A1, 0, 0, COLOR },
   { "rgb565_buffer", NULL, GL_RGB565, 0, 0, COLOR },
   { "rgb8_buffer", "GL_OES_rgb8_rgba8", GL_RGB8_OES, 0, 0, COLOR },
   { "rgba8_buffer", "GL_OES_rgb8_rgba8", GL_RGBA8_OES, 0, 0, COLOR },
   { "depth16_buffer", NULL, GL_DEPTH_COMPONENT16, 0, 0, DEPTH },
   { "depth24_buffer", "GL_OES_depth24", GL_DEPTH_COMPONENT24_OES, 0, 0, DEPTH },
   { "depth32_buffer", "GL_OES_depth32", GL_DEPTH_COMPONENT32_OES, 0, 0, DEPTH },
   { "stencil1_buffer", "GL_OES_stencil1", GL_STENCIL_INDEX1_OES, 0, 0, STENCIL },
   { "stencil4_buffer", "GL_OES_stencil4", GL_STENCIL_INDEX4_OES, 0, 0, STENCIL },
   { "stencil8_buffer", NULL, GL_STENCIL_INDEX8, 0, 0, STENCIL },
   { "depth24_stencil8_buffer", "GL_OES_packed_depth_stencil", GL_DEPTH24_STENCIL8_OES, 0, 0, DEPTH | STENCIL },
   { "rgba8", NULL, GL_RGBA, GL_RGBA, GL_UNSIGNED_BYTE, COLOR },
   { "rgba4", NULL, GL_RGBA, GL_RGBA, GL_UNSIGNED_SHORT_4_4_4_4, COLOR },
   { "rgb5_a1", NULL, GL_RGBA, GL_RGBA, GL_UNSIGNED_SHORT_5_5_5_1, COLOR },
   { "rgb8", NULL, GL_RGB, GL_RGB, GL_UNSIGNED_BYTE, COLOR },
   { "rgb565", NULL, GL_RGB, GL_RGB, GL_UNSIGNED_SHORT_5_6_5, COLOR },
   { "bgra8", "GL_EXT_texture_format_BGRA8888", GL_BGRA_EXT, GL_BGRA_EXT, GL_UNSIGNED_BYTE, COLOR },
   { "alpha", NULL, GL_ALPHA, GL_ALPHA, GL_UNSIGNED_BYTE, 0 },
   { "luminance", NULL, GL_LUMINANCE, GL_LUMINANCE, GL_UNSIGNED_BYTE, 0 },
   { "luminance_alpha", NULL, GL_LUMINANCE_ALPHA, GL_LUMINANCE_ALPHA, GL_UNSIGNED_BYTE, 0 },
   { "sized_rgba8", "GL_OES_required_internalformat", GL_RGBA8_OES, GL_RGBA, GL_UNSIGNED_BYTE, COLOR },
   { "sized_rgb8", "GL_OES_required_internalformat", GL_RGB8_OES, GL_RGB, GL_UNSIGNED_BYTE, COLOR },
   { "sized_rgba4", "GL_OES_required_internalformat", GL_RGBA4, GL_RGBA, GL_UNSIGNED_SHORT_4_4_4_4, COLOR },
   { "sized_rgb5_a1", "GL_OES_required_internalformat", GL_RGB5_A1, GL_RGBA, GL_UNSIGNED_SHORT_5_5_5_1, COLOR },
   { "sized_rgb565", "GL_OES_required_internalformat", GL_RGB565, GL_RGB, GL_UNSIGNED_SHORT_5_6_5, COLOR },
   { "r8_buffer", "GL_EXT_texture_rg", GL_R8_EXT, 0, 0, COLOR },
   { "rg8_buffer", "GL_EXT_texture_rg", GL_RG8_EXT, 0, 0, COLOR },
   { "red", "GL_EXT_texture_rg", GL_RED_EXT, GL_RED_EXT, GL_UNSIGNED_BYTE, COLOR },
   { "red_green", "GL_EXT_texture_rg", GL_RG_EXT, GL_RG_EXT, GL_UNSIGNED_BYTE, COLOR },
   { "depth_short", "GL_OES_depth_texture", GL_DEPTH_COMPONENT, GL_DEPTH_COMPONENT, GL_UNSIGNED_SHORT, DEPTH },
   { "depth_int", "GL_OES_depth_texture", GL_DEPTH_COMPONENT, GL_DEPTH_COMPONENT, GL_UNSIGNED_INT, DEPTH },
   { "depth_stencil", "GL_OES_packed_depth_stencil", GL_DEPTH_STENCIL_OES, GL_DEPTH_STENCIL_OES,
     GL_UNSIGNED_INT_24_8_OES, DEPTH | STENCIL },
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
   glGenTextures(1, &a.texture);
   glBindTexture(a.where, a.texture);
   glTexParameteri(a.where, GL_TEXTURE_MIN_FILTER, level ? GL_NEAREST_MIPMAP_NEAREST : GL_NEAREST);
   glTexParameteri(a.where, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
   glTexParameteri(a.where, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
   glTexParameteri(a.where, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
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

/* --- one image ------------------------------------------------------------------------------------------------------ */

#define ALL_COLORS 7

/* Bits of the colours that can be read: red, green, blue. */
static unsigned
colors_of(const struct image *image)
{
   switch (image->internal) {
   case GL_RED_EXT:
   case GL_R8_EXT:
      return 1;
   case GL_RG_EXT:
   case GL_RG8_EXT:
      return 3;
   default:
      return ALL_COLORS;
   }
}

/* Draws and reads where there is something to read. */
static bool
works(unsigned color, bool depth, bool stencil, unsigned width, unsigned height)
{
   uint8_t rgba[4] = { 0 };
   glViewport(0, 0, width, height);
   glClearColor(1, 0, 0, 1);
   glClearDepthf(0.5f);
   glClearStencil(5);
   glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT | GL_STENCIL_BUFFER_BIT);
   glEnable(GL_DEPTH_TEST);
   glEnable(GL_STENCIL_TEST);
   glStencilFunc(GL_EQUAL, 5, 0xff);
   glStencilOp(GL_KEEP, GL_KEEP, GL_KEEP);
   scene_flat(-1, -1, 1, 1, -0.5f, 0, 1, 0, 1); /* passes in every case */
   scene_flat(-1, -1, 1, 1, 0.5f, 1, 0, 1, 1);  /* only without depth */
   glStencilFunc(GL_EQUAL, 4, 0xff);
   scene_flat(-1, -1, 1, 1, -0.7f, 0, 0, 1, 1); /* only without stencil */
   glDisable(GL_STENCIL_TEST);
   glDisable(GL_DEPTH_TEST);
   if (!color)
      return true;
   glReadPixels(width / 2, height / 2, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, rgba);
   unsigned seen = (rgba[0] > 128) | (rgba[1] > 128) << 1 | (rgba[2] > 128) << 2;
   return seen == ((!stencil ? 4 : !depth ? 5 : 2) & color);
}

static void
run_one_image(const struct image *image)
{
   for (unsigned p = 0; p < 3; p++) {
      for (unsigned kind = 0; kind < 4; kind++) { /* alone; of size 0; deleted while bound; with a colour image */
         static const char *const kinds[] = { "alone", "empty", "deleted", "with_color" };
         if ((kind == 3 && p == 0) || !grid_begin("complete/%s_%s_%s", image->name, point_names[p], kinds[kind]))
            continue;
         if (image->extension && !scene_extension(image->extension)) {
            grid_refused(true, "no extension");
            continue;
         }
         GLuint fbo = new_framebuffer();
         unsigned size = kind == 1 ? 0 : 20;
         struct attached a = attach(image, points[p], size, size, 0, 0), with = { 0 };
         if (kind == 3)
            with = attach(&images[3], GL_COLOR_ATTACHMENT0, 20, 20, 0, 0);
         if (kind == 2)
            release(&a);
         bool good = image->good >> p & 1;
         GLenum status = glCheckFramebufferStatus(GL_FRAMEBUFFER);
         GLenum expected = kind == 2 ? GL_FRAMEBUFFER_INCOMPLETE_MISSING_ATTACHMENT
                           : good && kind != 1 ? GL_FRAMEBUFFER_COMPLETE : GL_FRAMEBUFFER_INCOMPLETE_ATTACHMENT;
         bool drawn = true;
         if (status == GL_FRAMEBUFFER_COMPLETE) {
            drawn = works(p == 0 ? colors_of(image) : kind == 3 ? ALL_COLORS : 0, p == 1, p == 2, 20, 20);
         } else { /* nothing happens but an error */
            glClear(GL_COLOR_BUFFER_BIT);
            drawn = glGetError() == GL_INVALID_FRAMEBUFFER_OPERATION;
            scene_flat(-1, -1, 1, 1, 0, 1, 1, 1, 1);
            drawn &= glGetError() == GL_INVALID_FRAMEBUFFER_OPERATION;
         }
         grid_check(status == expected && drawn, "status 0x%x, expected 0x%x%s", status, expected,
                    drawn ? "" : "; drawing is wrong");
         scene_show();
         glDeleteFramebuffers(1, &fbo);
         release(&a);
         release(&with);
      }
   }
}

/* --- several images ------------------------------------------------------------------------------------------------- */

static void
run_sizes(void)
{
   static const struct {
      const char *name;
      unsigned sizes[3][2]; /* of colour, depth, stencil */
      GLenum status;
   } cases[] = {
      { "same", { { 20, 30 }, { 20, 30 }, { 20, 30 } }, GL_FRAMEBUFFER_COMPLETE },
      { "wider_depth", { { 20, 30 }, { 21, 30 }, { 20, 30 } }, GL_FRAMEBUFFER_INCOMPLETE_DIMENSIONS },
      { "higher_stencil", { { 20, 30 }, { 20, 30 }, { 20, 64 } }, GL_FRAMEBUFFER_INCOMPLETE_DIMENSIONS },
      { "smaller_depth", { { 64, 64 }, { 32, 32 }, { 0 } }, GL_FRAMEBUFFER_INCOMPLETE_DIMENSIONS },
      { "nothing", { { 0 }, { 0 }, { 0 } }, GL_FRAMEBUFFER_INCOMPLETE_MISSING_ATTACHMENT },
      { "depth_only", { { 0 }, { 16, 16 }, { 0 } }, GL_FRAMEBUFFER_COMPLETE },
      { "stencil_only", { { 0 }, { 0 }, { 17, 16 } }, GL_FRAMEBUFFER_COMPLETE },
      { "no_color", { { 0 }, { 31, 16 }, { 31, 16 } }, GL_FRAMEBUFFER_COMPLETE },
      { "no_color_distinct", { { 0 }, { 31, 16 }, { 16, 16 } }, GL_FRAMEBUFFER_INCOMPLETE_DIMENSIONS },
   };
   for (unsigned i = 0; i < ARRAY_SIZE(cases); i++) {
      for (unsigned textures = 0; textures < 2; textures++) {
         static const char *const names[2][3] = { { "rgb565_buffer", "depth16_buffer", "stencil8_buffer" },
                                                  { "rgba8", "depth_short", "stencil8_buffer" } };
         if (!grid_begin("complete/sizes_%s%s", cases[i].name, textures ? "_textures" : ""))
            continue;
         GLuint fbo = new_framebuffer();
         struct attached a[3] = { 0 };
         for (unsigned k = 0; k < 3; k++) {
            if (cases[i].sizes[k][0])
               a[k] = attach(image_named(names[textures][k]), points[k], cases[i].sizes[k][0], cases[i].sizes[k][1], 0,
                             0);
         }
         GLenum status = glCheckFramebufferStatus(GL_FRAMEBUFFER);
         bool drawn = status != GL_FRAMEBUFFER_COMPLETE ||
                      works(a[0].texture || a[0].buffer ? ALL_COLORS : 0, a[1].texture || a[1].buffer, a[2].buffer, 10, 10);
         /* depth and stencil in separate images need not be supported together, nor different sizes be refused */
         bool ok = status == cases[i].status || (cases[i].sizes[1][0] && cases[i].sizes[2][0] &&
                                                 status == GL_FRAMEBUFFER_UNSUPPORTED);
         grid_check(ok && drawn, "status 0x%x, expected 0x%x%s", status, cases[i].status, drawn ? "" : "; drawn wrong");
         scene_show();
         glDeleteFramebuffers(1, &fbo);
         for (unsigned k = 0; k < 3; k++)
            release(&a[k]);
      }
   }
}

static void
run_complete(void)
{
   scene_begin();
   for (unsigned i = 0; i < ARRAY_SIZE(images); i++)
      run_one_image(&images[i]);
   run_sizes();
   scene_end();
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

const struct grid_family family_complete = { "complete", run_complete };
const struct grid_family family_attachments = { "attachments", run_attachments };
