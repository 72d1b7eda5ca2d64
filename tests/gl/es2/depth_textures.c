/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Depth and depth-stencil textures: rendered to, with and without colour, shared between framebuffers, sampled, uploaded.
 */

#include "families.h"
#include "scene.h"

#define SIZE SCENE_SIZE

static const struct {
   const char *name;
   GLenum format, type;
   bool stencil;
} formats[] = {
   { "depth16", GL_DEPTH_COMPONENT, GL_UNSIGNED_SHORT, false },
   { "depth32", GL_DEPTH_COMPONENT, GL_UNSIGNED_INT, false },
   { "depth24_stencil8", GL_DEPTH_STENCIL_OES, GL_UNSIGNED_INT_24_8_OES, true },
};

static const struct {
   const char *name;
   GLenum format, type; /* format 0: none; type 0: a renderbuffer */
} colors[] = {
   { "none", 0, 0 },
   { "rgba8", GL_RGBA, GL_UNSIGNED_BYTE },
   { "rgb565", GL_RGB565, 0 },
   { "rgba4", GL_RGBA4, 0 },
   { "rgb5_a1_texture", GL_RGBA, GL_UNSIGNED_SHORT_5_5_5_1 },
};

static const unsigned sizes[][2] = { { 64, 64 }, { 57, 43 }, { 16, 128 } };

static GLuint
make_texture(unsigned f, unsigned width, unsigned height, const void *data)
{
   GLuint texture = grid_texture(GL_TEXTURE_2D, GL_NEAREST, GL_NEAREST, GL_CLAMP_TO_EDGE, GL_CLAMP_TO_EDGE);

   glTexImage2D(GL_TEXTURE_2D, 0, formats[f].format, width, height, 0, formats[f].format, formats[f].type, data);
   return texture;
}

/* A framebuffer of a depth texture and a colour buffer of its own; *color is the latter's name. */
static GLuint
make_framebuffer(unsigned f, GLuint depth, unsigned c, unsigned width, unsigned height, GLuint *color)
{
   const GLuint framebuffer = new_framebuffer();
   glFramebufferTexture2D(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_TEXTURE_2D, depth, 0);
   if (formats[f].stencil)
      glFramebufferTexture2D(GL_FRAMEBUFFER, GL_STENCIL_ATTACHMENT, GL_TEXTURE_2D, depth, 0);
   *color = 0;
   if (colors[c].type) {
      *color = scene_texture(GL_TEXTURE_2D, colors[c].format, colors[c].type, width, height, false);
      glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, *color, 0);
   } else if (colors[c].format) {
      *color = scene_renderbuffer(colors[c].format, GL_COLOR_ATTACHMENT0, width, height);
   }
   glViewport(0, 0, width, height);
   return framebuffer;
}

static void
delete_framebuffer(GLuint framebuffer, unsigned c, GLuint color)
{
   scene_show();
   glDeleteFramebuffers(1, &framebuffer);
   if (colors[c].type)
      glDeleteTextures(1, &color);
   else if (color)
      glDeleteRenderbuffers(1, &color);
}

static void
draw_scene(bool stencil)
{
   clear_all(0.1f, 0.2f, 0.3f, 1, 0.8f, 3);
   glEnable(GL_DEPTH_TEST);
   scene_flat(-0.83f, -0.71f, 0.42f, 0.33f, 0.1f, 0.8f, 0.3f, 0, 1);
   scene_flat(-0.23f, -0.31f, 0.83f, 0.83f, 0.3f, 0.1f, 0.6f, 0.3f, 1);
   if (stencil) {
      glEnable(GL_STENCIL_TEST);
      glStencilFunc(GL_EQUAL, 3, 0xff);
      glStencilOp(GL_KEEP, GL_INCR, GL_INVERT);
      scene_flat(-0.51f, -0.93f, 0.11f, 0.93f, 0.2f, 0.7f, 0.1f, 0.7f, 1);
      scene_flat(-0.91f, -0.13f, 0.91f, 0.17f, 0.05f, 0.1f, 0.8f, 0.9f, 1);
      glDisable(GL_STENCIL_TEST);
   }
   scissor_to(3, 5, 7, 30);
   glClearDepthf(0.25f);
   glClear(GL_DEPTH_BUFFER_BIT);
   glDisable(GL_SCISSOR_TEST);
   glDisable(GL_DEPTH_TEST);
   glClearDepthf(1);
}

static void
show(GLuint texture)
{
   scene_show();
   scene_textured(texture, -1, -1, 1, 1);
}

static bool
supported(void)
{
   if (strstr((const char *)glGetString(GL_EXTENSIONS), "GL_OES_depth_texture"))
      return true;
   grid_refused(true, "no depth textures");
   return false;
}

/* What the case shows: the colour buffer, the depth texture, or depth after it was used by a second framebuffer. */
static void
run_rendered(unsigned f, unsigned c, unsigned s, unsigned shown)
{
   GLuint color, depth = make_texture(f, sizes[s][0], sizes[s][1], NULL);
   GLuint framebuffer = make_framebuffer(f, depth, c, sizes[s][0], sizes[s][1], &color);
   GLenum status = glCheckFramebufferStatus(GL_FRAMEBUFFER);
   if (status != GL_FRAMEBUFFER_COMPLETE) {
      grid_refused(status == GL_FRAMEBUFFER_UNSUPPORTED, "not complete");
   } else {
      draw_scene(formats[f].stencil);
      if (shown == 2) {
         GLuint second_color, second = make_framebuffer(f, depth, 1, sizes[s][0], sizes[s][1], &second_color);
         glEnable(GL_DEPTH_TEST);
         scene_flat(-0.6f, -0.9f, 0.7f, 0.5f, 0.25f, 1, 1, 1, 1);
         glDisable(GL_DEPTH_TEST);
         delete_framebuffer(second, 1, second_color);
      }
      if (shown) {
         show(depth);
         grid_pixels(0, 0, SIZE, SIZE, (struct grid_tolerance){ 2, 2 * SIZE, false });
      } else {
         grid_pixels(0, 0, sizes[s][0], sizes[s][1], (struct grid_tolerance){ c < 2 ? 1 : 10, sizes[s][0], false });
      }
   }
   delete_framebuffer(framebuffer, c, color);
   glDeleteTextures(1, &depth);
}

static void
run_uploaded(unsigned f, unsigned s, bool sub_image)
{
   unsigned width = sizes[s][0], height = sizes[s][1], bytes = formats[f].type == GL_UNSIGNED_SHORT ? 2 : 4;
   uint8_t *data = malloc(width * height * bytes);
   for (unsigned i = 0; i < width * height * bytes; i++)
      data[i] = grid_random() >> 6;
   glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
   GLuint texture = make_texture(f, width, height, data);
   if (sub_image) {
      show(texture);
      for (unsigned i = 0; i < width * height * bytes; i++)
         data[i] ^= 0xa5;
      glTexSubImage2D(GL_TEXTURE_2D, 0, 3, 7, 11, 21, formats[f].format, formats[f].type, data);
   }
   glPixelStorei(GL_UNPACK_ALIGNMENT, 4);
   free(data);
   glClear(GL_COLOR_BUFFER_BIT);
   show(texture);
   grid_pixels(0, 0, SIZE, SIZE, (struct grid_tolerance){ 2, 3 * SIZE, false });
   glDeleteTextures(1, &texture);
}

static void
run_depth_textures(void)
{
   static const char *const shown[] = { "color", "depth", "second" };
   scene_begin();
   for (unsigned f = 0; f < ARRAY_SIZE(formats); f++) {
      for (unsigned s = 0; s < ARRAY_SIZE(sizes); s++) {
         for (unsigned c = 0; c < ARRAY_SIZE(colors); c++) {
            for (unsigned k = c == 0; k < ARRAY_SIZE(shown); k++) {
               if (grid_begin("depth_texture/%s_%s_%ux%u_%s", formats[f].name, colors[c].name, sizes[s][0], sizes[s][1],
                              shown[k]) && supported())
                  run_rendered(f, c, s, k);
            }
         }
         for (unsigned sub = 0; sub < 2; sub++) {
            if (grid_begin("depth_texture/%s_%s_%ux%u", formats[f].name, sub ? "sub_image" : "upload", sizes[s][0],
                           sizes[s][1]) && supported())
               run_uploaded(f, s, sub);
         }
      }
   }
   scene_end();
}

const struct grid_family family_depth_textures = { "depth_textures", run_depth_textures };
