/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Failures that users saw with earlier drivers of this chip (device-observations.md, last row), a test each:
 *
 *   seen_before CASE
 *
 * Missing dma-buf export is tested by two_processes.c, lost jobs that never recover by reset.c.
 */

#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <fcntl.h>
#include <unistd.h>

#include <GLES2/gl2.h>
#include <GLES2/gl2ext.h>
#include <gbm.h>

#include "program.h"

#define SIZE 64

static const char plain_vs[] = "attribute vec4 position;\n"
                               "attribute vec4 color;\n"
                               "varying vec4 c;\n"
                               "void main() { gl_Position = position; c = color; }\n";
static const char plain_fs[] = "#ifdef GL_ES\n"
                               "precision mediump float;\n"
                               "#endif\n"
                               "varying vec4 c;\n"
                               "void main() { gl_FragColor = c; }\n";

static GLuint
use(const char *vs, const char *fs)
{
   static const char *const attributes[] = {"position", "color", NULL};
   GLuint program = make_program(vs, fs, attributes);
   glUseProgram(program);
   return program;
}

/* An RGBA8 texture as target, with depth and stencil when wanted. */
static void
make_target(bool depth_stencil)
{
   GLuint texture, framebuffer, renderbuffer;

   glGenTextures(1, &texture);
   glBindTexture(GL_TEXTURE_2D, texture);
   glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, SIZE, SIZE, 0, GL_RGBA, GL_UNSIGNED_BYTE, NULL);
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
   glGenFramebuffers(1, &framebuffer);
   glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
   glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, texture, 0);
   if (depth_stencil) {
      glGenRenderbuffers(1, &renderbuffer);
      glBindRenderbuffer(GL_RENDERBUFFER, renderbuffer);
      glRenderbufferStorage(GL_RENDERBUFFER, GL_DEPTH24_STENCIL8_OES, SIZE, SIZE);
      glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_RENDERBUFFER, renderbuffer);
      glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_STENCIL_ATTACHMENT, GL_RENDERBUFFER, renderbuffer);
   }
   CHECK(glCheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE);
   glViewport(0, 0, SIZE, SIZE);
}

static void
draw_quad(float x0, float y0, float x1, float y1)
{
   const float corners[4][2] = {{x0, y0}, {x1, y0}, {x0, y1}, {x1, y1}};

   glBindBuffer(GL_ARRAY_BUFFER, 0);
   glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, corners);
   glEnableVertexAttribArray(0);
   glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
}

static void
check_pixel(unsigned x, unsigned y, unsigned r, unsigned g, unsigned b, unsigned a)
{
   const unsigned wanted[4] = {r, g, b, a};
   unsigned char pixel[4];

   glReadPixels(x, y, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, pixel);
   CHECK(glGetError() == GL_NO_ERROR);
   for (unsigned c = 0; c < 4; c++) {
      if (abs((int)pixel[c] - (int)wanted[c]) > 2) {
         fprintf(stderr, "pixel %u %u: %u %u %u %u, not %u %u %u %u\n", x, y, pixel[0], pixel[1], pixel[2], pixel[3], r, g,
                 b, a);
         exit(1);
      }
   }
}

/* The first draw of a context that never mentions the scissor: its registers have to be written all the same. */
static void
test_scissor(void)
{
   make_target(false);
   use(plain_vs, plain_fs);
   glVertexAttrib4f(1, 1, 0, 0, 1);
   draw_quad(-1, -1, 1, 1);
   check_pixel(0, 0, 255, 0, 0, 255);
   check_pixel(SIZE - 1, SIZE - 1, 255, 0, 0, 255);

   glEnable(GL_SCISSOR_TEST);
   glScissor(8, 8, 8, 8);
   glVertexAttrib4f(1, 0, 1, 0, 1);
   draw_quad(-1, -1, 1, 1);
   glScissor(0, 0, 0, 0);
   glVertexAttrib4f(1, 0, 0, 1, 1);
   draw_quad(-1, -1, 1, 1);
   glDisable(GL_SCISSOR_TEST);
   check_pixel(7, 8, 255, 0, 0, 255);
   check_pixel(8, 8, 0, 255, 0, 255);
   check_pixel(15, 15, 0, 255, 0, 255);
   check_pixel(16, 15, 255, 0, 0, 255);
   draw_quad(-1, -1, 1, 1);
   check_pixel(0, 0, 0, 0, 255, 255);
}

struct vertex {
   float x, y;
   uint8_t color[4];
};

static unsigned
tone(unsigned cell)
{
   return cell * 37 & 0xff;
}

static void
check_cells(void)
{
   static uint8_t pixels[SIZE * SIZE][4];

   glReadPixels(0, 0, SIZE, SIZE, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
   CHECK(glGetError() == GL_NO_ERROR);
   for (unsigned i = 0; i < SIZE * SIZE; i++) {
      if (abs(pixels[i][0] - (int)tone(i)) > 2 || pixels[i][1] != 255) {
         fprintf(stderr, "cell %u: %u, not %u\n", i, pixels[i][0], tone(i));
         exit(1);
      }
   }
   glClear(GL_COLOR_BUFFER_BIT);
}

/* 24576 vertices in one call, 6 for each pixel: far more than the engine takes in one go. */
static void
test_many_vertices(void)
{
   static const uint8_t corner[6] = {0, 1, 2, 2, 1, 3};
   static struct vertex vertices[SIZE * SIZE * 6], shared[SIZE * SIZE * 4];
   static uint16_t indices[SIZE * SIZE * 6];
   GLuint buffer;

   for (unsigned i = 0; i < SIZE * SIZE; i++) {
      for (unsigned c = 0; c < 4; c++) {
         const unsigned x = i % SIZE + (c & 1), y = i / SIZE + (c >> 1);
         shared[4 * i + c] = (struct vertex){2.0f * x / SIZE - 1, 2.0f * y / SIZE - 1, {tone(i), 255, 0, 255}};
      }
      for (unsigned k = 0; k < 6; k++) {
         vertices[6 * i + k] = shared[4 * i + corner[k]];
         indices[6 * i + k] = 4 * i + corner[k];
      }
   }
   make_target(false);
   use(plain_vs, plain_fs);
   glEnable(GL_CULL_FACE); /* pieces keep their winding */
   glEnableVertexAttribArray(0);
   glEnableVertexAttribArray(1);
   glGenBuffers(1, &buffer);
   for (unsigned pass = 0; pass < 2; pass++) {
      if (pass)
         glBindBuffer(GL_ARRAY_BUFFER, buffer);
      glBufferData(GL_ARRAY_BUFFER, pass ? sizeof(shared) : 0, shared, GL_STATIC_DRAW);
      const uint8_t *base = pass ? NULL : (uint8_t *)vertices;
      glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, sizeof(struct vertex), base);
      glVertexAttribPointer(1, 4, GL_UNSIGNED_BYTE, GL_TRUE, sizeof(struct vertex), base + 8);
      if (pass)
         glDrawElements(GL_TRIANGLES, SIZE * SIZE * 6, GL_UNSIGNED_SHORT, indices);
      else
         glDrawArrays(GL_TRIANGLES, 0, SIZE * SIZE * 6);
      while (glGetError() != GL_NO_ERROR) {
      }
      check_cells();
   }
}

/* The hooks for these two were missing, and the state tracker calls them. */
static void
test_blend_color_stencil_ref(void)
{
   make_target(true);
   use(plain_vs, plain_fs);
   glClear(GL_COLOR_BUFFER_BIT | GL_STENCIL_BUFFER_BIT);

   glEnable(GL_BLEND);
   glBlendFunc(GL_CONSTANT_COLOR, GL_ONE_MINUS_CONSTANT_ALPHA);
   glBlendColor(0.2f, 0.4f, 0.6f, 0.8f);
   glVertexAttrib4f(1, 1, 1, 1, 1);
   draw_quad(-1, -1, 1, 1);
   check_pixel(5, 5, 51, 102, 153, 204);
   glDisable(GL_BLEND);

   glEnable(GL_STENCIL_TEST);
   glStencilOp(GL_KEEP, GL_KEEP, GL_REPLACE);
   glStencilFunc(GL_ALWAYS, 7, 0xff);
   draw_quad(-1, -1, 0, 1);
   glStencilFunc(GL_EQUAL, 7, 0xff);
   glVertexAttrib4f(1, 0, 1, 0, 1);
   draw_quad(-1, -1, 1, 1);
   glStencilFunc(GL_EQUAL, 0, 0xff);
   glVertexAttrib4f(1, 0, 0, 1, 1);
   draw_quad(-1, -1, 1, 1);
   check_pixel(SIZE / 2 - 1, 9, 0, 255, 0, 255);
   check_pixel(SIZE / 2, 9, 0, 0, 255, 255);
}

/* Constants written in the program, in both stages, beside uniforms and with other programs in between. */
static void
test_immediates(void)
{
   static const char vs[] = "attribute vec4 position;\n"
                            "uniform vec2 shift;\n"
                            "varying vec4 c;\n"
                            "void main() {\n"
                            "   gl_Position = vec4(position.xy * 0.25 + shift + vec2(-0.5, 0.125), 0.0, 1.0);\n"
                            "   c = vec4(0.2, 0.4, 0.6, 0.8);\n"
                            "}\n";
   static const char fs[] = "precision mediump float;\n"
                            "varying vec4 c;\n"
                            "uniform vec4 weight;\n"
                            "void main() { gl_FragColor = c.wzyx * vec4(0.5, 0.25, 1.0, 0.75) + weight * 0.125; }\n";

   make_target(false);
   glClear(GL_COLOR_BUFFER_BIT);
   GLuint plain = use(plain_vs, plain_fs), program = use(vs, fs);
   glUniform2f(glGetUniformLocation(program, "shift"), 0.5f, -0.125f);
   glUniform4f(glGetUniformLocation(program, "weight"), 0.8f, 0.8f, 0.8f, 0.8f);
   for (unsigned i = 0; i < 3; i++) {
      glUseProgram(plain);
      glVertexAttrib4f(1, 1, 0, 0, 1);
      draw_quad(-1, -1, 1, 1);
      glUseProgram(program);
      draw_quad(-1, -1, 1, 1);
      check_pixel(SIZE / 2, SIZE / 2, 128, 64, 128, 64);
      check_pixel(SIZE * 3 / 8, SIZE * 3 / 8, 128, 64, 128, 64);
      check_pixel(SIZE * 3 / 8 - 1, SIZE / 2, 255, 0, 0, 255);
      check_pixel(SIZE * 5 / 8, SIZE / 2, 255, 0, 0, 255);
   }
}

/* A format or a combination that the driver does not know is an error of GL, and the context goes on. */
static void
test_unknown_formats(void)
{
   static const GLenum formats[] = {
      0, 1, GL_RGB, GL_RGBA, GL_ALPHA, GL_LUMINANCE, GL_LUMINANCE_ALPHA, GL_BGRA_EXT, GL_DEPTH_COMPONENT,
      GL_DEPTH_STENCIL_OES, GL_DEPTH_COMPONENT16, GL_DEPTH24_STENCIL8_OES, GL_STENCIL_INDEX8, GL_RGB565, GL_RGBA4, GL_RGB5_A1,
      0x8229 /* R8 */, 0x822b /* RG8 */, 0x822e /* R32F */, 0x8814 /* RGBA32F */, 0x881a /* RGBA16F */, 0x8c3a /* R11G11B10F */,
      0x8c3d /* RGB9_E5 */, 0x8c43 /* SRGB8_ALPHA8 */, 0x8d7c /* RGBA8UI */, 0x8f97 /* RGBA8_SNORM */, 0x805b /* RGBA16 */,
      0x8059 /* RGB10_A2 */, 0x83f0 /* DXT1 */, 0x8d64 /* ETC1 */, 0x9274 /* ETC2 */, 0x93b0 /* ASTC */, 0x8c00 /* PVRTC */,
      0x8cac /* DEPTH32F */, 0xffffffff,
   };
   static const GLenum types[] = {
      0, GL_BYTE, GL_UNSIGNED_BYTE, GL_SHORT, GL_UNSIGNED_SHORT, GL_INT, GL_UNSIGNED_INT, GL_FLOAT, 0x140b /* HALF_FLOAT */,
      GL_HALF_FLOAT_OES, GL_UNSIGNED_SHORT_5_6_5, GL_UNSIGNED_SHORT_4_4_4_4, GL_UNSIGNED_SHORT_5_5_5_1,
      0x8368 /* UNSIGNED_INT_2_10_10_10_REV */, GL_UNSIGNED_INT_24_8_OES, 0xffff,
   };
   static uint8_t data[64 * 64 * 16];
   const unsigned count = sizeof(formats) / sizeof(formats[0]);
   GLuint texture, renderbuffer, framebuffer;

   make_target(true);
   glGenTextures(1, &texture);
   glGenRenderbuffers(1, &renderbuffer);
   glGenFramebuffers(1, &framebuffer);
   for (unsigned f = 0; f < count; f++) {
      for (unsigned t = 0; t < sizeof(types) / sizeof(types[0]); t++) {
         glBindTexture(GL_TEXTURE_2D, texture);
         glTexImage2D(GL_TEXTURE_2D, 0, formats[f], 20, 12, 0, formats[f], types[t], data);
         glTexSubImage2D(GL_TEXTURE_2D, 0, 4, 4, 8, 8, formats[(f + 1) % count], types[t], data);
         glReadPixels(0, 0, 8, 8, formats[f], types[t], data);
      }
      glCompressedTexImage2D(GL_TEXTURE_2D, 0, formats[f], 16, 16, 0, 256, data);
      glCopyTexImage2D(GL_TEXTURE_2D, 0, formats[f], 0, 0, 16, 16, 0);
      glBindRenderbuffer(GL_RENDERBUFFER, renderbuffer);
      glRenderbufferStorage(GL_RENDERBUFFER, formats[f], 16, 16);
      while (glGetError() != GL_NO_ERROR) {
      }
   }
   make_target(false);
   test_scissor();
}

/* A config with depth and stencil, which toolkits insist on, and one that works. */
static void
test_stencil_config(EGLDisplay display)
{
   static const EGLint surface_size[] = {EGL_WIDTH, SIZE, EGL_HEIGHT, SIZE, EGL_NONE};
   static const EGLint version_2[] = {EGL_CONTEXT_CLIENT_VERSION, 2, EGL_NONE};
   EGLConfig config;
   EGLint count, bits;

   for (unsigned i = 0; i < 4; i++) {
      const EGLint wanted[] = {
         EGL_SURFACE_TYPE, EGL_PBUFFER_BIT, EGL_RENDERABLE_TYPE, i & 1 ? EGL_OPENGL_BIT : EGL_OPENGL_ES2_BIT,
         EGL_RED_SIZE, 8, EGL_GREEN_SIZE, 8, EGL_BLUE_SIZE, 8, EGL_ALPHA_SIZE, 8,
         EGL_DEPTH_SIZE, i & 2 ? 24 : 16, EGL_STENCIL_SIZE, 8, EGL_NONE,
      };
      CHECK(eglChooseConfig(display, wanted, &config, 1, &count) && count == 1);
      CHECK(eglGetConfigAttrib(display, config, EGL_STENCIL_SIZE, &bits) && bits == 8);
      eglBindAPI(i & 1 ? EGL_OPENGL_API : EGL_OPENGL_ES_API);
      EGLContext context = eglCreateContext(display, config, EGL_NO_CONTEXT, i & 1 ? NULL : version_2);
      EGLSurface surface = eglCreatePbufferSurface(display, config, surface_size);
      CHECK(context != EGL_NO_CONTEXT && surface != EGL_NO_SURFACE);
      CHECK(eglMakeCurrent(display, surface, surface, context));
      glGetIntegerv(GL_STENCIL_BITS, &bits);
      CHECK(bits == 8);

      use(plain_vs, plain_fs);
      glViewport(0, 0, SIZE, SIZE);
      glClearStencil(1);
      glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT | GL_STENCIL_BUFFER_BIT);
      glEnable(GL_STENCIL_TEST);
      glEnable(GL_DEPTH_TEST);
      glStencilOp(GL_KEEP, GL_KEEP, GL_INCR);
      glStencilFunc(GL_EQUAL, 1, 0xff);
      glVertexAttrib4f(1, 0, 1, 0, 1);
      draw_quad(-1, -1, 0, 1);
      glVertexAttrib4f(1, 1, 0, 0, 1);
      draw_quad(-1, -1, 1, 1);
      check_pixel(3, 3, 0, 255, 0, 255);
      check_pixel(SIZE - 3, 3, 255, 0, 0, 255);
      eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
      eglDestroySurface(display, surface);
      eglDestroyContext(display, context);
   }
}

static uint32_t
first_pixel(struct gbm_bo *bo)
{
   uint32_t stride, pixel;
   void *map_data = NULL;
   void *map = gbm_bo_map(bo, 0, 0, 1, 1, GBM_BO_TRANSFER_READ, &stride, &map_data);

   CHECK(map);
   memcpy(&pixel, map, sizeof(pixel));
   gbm_bo_unmap(bo, map_data);
   return pixel & 0xffffff;
}

/* What is on the screen stays as it is while the next frame is drawn: a window has more than one buffer. */
static void
test_window(void)
{
   static const EGLint wanted[] = {EGL_SURFACE_TYPE, EGL_WINDOW_BIT, EGL_RENDERABLE_TYPE, EGL_OPENGL_ES2_BIT,
                                   EGL_RED_SIZE, 8, EGL_GREEN_SIZE, 8, EGL_BLUE_SIZE, 8, EGL_NONE};
   static const EGLint version_2[] = {EGL_CONTEXT_CLIENT_VERSION, 2, EGL_NONE};
   const int fd = open("/dev/dri/renderD128", O_RDWR | O_CLOEXEC);
   struct gbm_device *gbm = gbm_create_device(fd);
   struct gbm_surface *window;
   EGLConfig configs[64];
   EGLint count, format = 0;
   unsigned i;

   CHECK(fd >= 0 && gbm);
   EGLDisplay display = eglGetPlatformDisplay(EGL_PLATFORM_GBM_KHR, gbm, NULL);
   CHECK(display != EGL_NO_DISPLAY && eglInitialize(display, NULL, NULL));
   eglBindAPI(EGL_OPENGL_ES_API);
   CHECK(eglChooseConfig(display, wanted, configs, 64, &count) && count > 0);
   for (i = 0; i < (unsigned)count && format != GBM_FORMAT_XRGB8888; i++)
      CHECK(eglGetConfigAttrib(display, configs[i], EGL_NATIVE_VISUAL_ID, &format));
   CHECK(format == GBM_FORMAT_XRGB8888);
   window = gbm_surface_create(gbm, SIZE, SIZE, format, GBM_BO_USE_RENDERING);
   CHECK(window);
   EGLSurface surface = eglCreatePlatformWindowSurface(display, configs[i - 1], window, NULL);
   EGLContext context = eglCreateContext(display, configs[i - 1], EGL_NO_CONTEXT, version_2);
   CHECK(surface != EGL_NO_SURFACE && context != EGL_NO_CONTEXT && eglMakeCurrent(display, surface, surface, context));

   struct gbm_bo *shown = NULL;
   for (unsigned frame = 1; frame < 8; frame++) {
      glClearColor(frame * 32 / 255.0f, 0, 0, 1);
      glClear(GL_COLOR_BUFFER_BIT);
      glFinish();
      if (shown)
         CHECK(first_pixel(shown) == (frame - 1) * 32 << 16);
      CHECK(eglSwapBuffers(display, surface));
      struct gbm_bo *next = gbm_surface_lock_front_buffer(window);
      CHECK(next && next != shown);
      CHECK(first_pixel(next) == frame * 32 << 16);
      if (shown)
         gbm_surface_release_buffer(window, shown);
      shown = next;
   }
   gbm_surface_release_buffer(window, shown);
   eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
   eglDestroyContext(display, context);
   eglDestroySurface(display, surface);
   gbm_surface_destroy(window);
   eglTerminate(display);
   gbm_device_destroy(gbm);
   close(fd);
}

static const struct {
   const char *name;
   void (*run)(void);
} cases[] = {
   {"scissor", test_scissor},
   {"many-vertices", test_many_vertices},
   {"blend-color-stencil-ref", test_blend_color_stencil_ref},
   {"immediates", test_immediates},
   {"unknown-formats", test_unknown_formats},
};

int
main(int argc, char **argv)
{
   const char *name = argc > 1 ? argv[1] : "";

   if (strcmp(name, "window") == 0) {
      test_window();
      return 0;
   }
   EGLDisplay display = open_display();
   if (strcmp(name, "stencil-config") == 0) {
      test_stencil_config(display);
      return 0;
   }
   for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
      if (strcmp(name, cases[i].name) == 0) {
         make_current(display, create_context(display, EGL_OPENGL_ES_API, EGL_NO_CONTEXT, NULL));
         cases[i].run();
         return 0;
      }
   }
   fprintf(stderr, "no case \"%s\"\n", name);
   return 1;
}
