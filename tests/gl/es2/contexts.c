/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * EGL: every configuration, surfaces of many sizes, switching between contexts and surfaces, objects that contexts share, and
 * what happens to objects that are deleted while something uses them.
 */

#include <EGL/egl.h>
#include <stdio.h>

#include "families.h"
#include "scene.h"

static EGLDisplay display;
static EGLContext main_context;
static EGLSurface main_surface;

static void
begin(void)
{
   display = eglGetCurrentDisplay();
   main_context = eglGetCurrentContext();
   main_surface = eglGetCurrentSurface(EGL_DRAW);
   scene_begin();
}

static void
back(void)
{
   eglMakeCurrent(display, main_surface, main_surface, main_context);
   scene_show();
}

static void
end(void)
{
   back();
   scene_end();
}

static EGLConfig
choose(unsigned depth, unsigned stencil)
{
   const EGLint attribs[] = { EGL_SURFACE_TYPE, EGL_PBUFFER_BIT, EGL_RENDERABLE_TYPE, EGL_OPENGL_ES2_BIT, EGL_RED_SIZE, 8,
                              EGL_GREEN_SIZE, 8, EGL_BLUE_SIZE, 8, EGL_ALPHA_SIZE, 8, EGL_DEPTH_SIZE, depth,
                              EGL_STENCIL_SIZE, stencil, EGL_NONE };
   EGLConfig config = NULL;
   EGLint count;
   eglChooseConfig(display, attribs, &config, 1, &count);
   return config;
}

static EGLContext
new_context(EGLConfig config, EGLContext share)
{
   const EGLint attribs[] = { EGL_CONTEXT_CLIENT_VERSION, 2, EGL_NONE };
   return eglCreateContext(display, config, share, attribs);
}

static EGLSurface
new_surface(EGLConfig config, unsigned width, unsigned height)
{
   const EGLint attribs[] = { EGL_WIDTH, width, EGL_HEIGHT, height, EGL_NONE };
   return eglCreatePbufferSurface(display, config, attribs);
}

/* Clears without a program; a corner has another colour. */
static void
paint(unsigned width, unsigned height, float r, float g, float b, float a)
{
   glDisable(GL_SCISSOR_TEST);
   glClearColor(r, g, b, a);
   glClear(GL_COLOR_BUFFER_BIT);
   glEnable(GL_SCISSOR_TEST);
   glScissor(width / 2, height / 2, width, height);
   glClearColor(b, r, g, a);
   glClear(GL_COLOR_BUFFER_BIT);
   glDisable(GL_SCISSOR_TEST);
}

/* --- configurations ------------------------------------------------------------------------------------------------- */

/* The same scene on a surface as in a framebuffer object of the same bits. */
static void
run_configs(void)
{
   EGLConfig configs[200];
   EGLint count = 0;
   begin();
   eglGetConfigs(display, configs, ARRAY_SIZE(configs), &count);
   for (int i = 0; i < count; i++) {
      EGLint types, kinds, bits[6], seen[6], samples;
      static const EGLint attributes[6] = { EGL_RED_SIZE, EGL_GREEN_SIZE, EGL_BLUE_SIZE, EGL_ALPHA_SIZE, EGL_DEPTH_SIZE,
                                            EGL_STENCIL_SIZE };
      static const GLenum queries[6] = { GL_RED_BITS, GL_GREEN_BITS, GL_BLUE_BITS, GL_ALPHA_BITS, GL_DEPTH_BITS,
                                         GL_STENCIL_BITS };
      eglGetConfigAttrib(display, configs[i], EGL_RENDERABLE_TYPE, &types);
      eglGetConfigAttrib(display, configs[i], EGL_SURFACE_TYPE, &kinds);
      eglGetConfigAttrib(display, configs[i], EGL_SAMPLES, &samples);
      for (unsigned k = 0; k < 6; k++)
         eglGetConfigAttrib(display, configs[i], attributes[k], &bits[k]);
      if (!(types & EGL_OPENGL_ES2_BIT) || !(kinds & EGL_PBUFFER_BIT) ||
          !grid_begin("configs/%d%d%d%d_%d_%d_%d", bits[0], bits[1], bits[2], bits[3], bits[4], bits[5], i))
         continue;
      EGLContext context = new_context(configs[i], EGL_NO_CONTEXT);
      EGLSurface surface = new_surface(configs[i], 57, 43);
      bool current = eglMakeCurrent(display, surface, surface, context);
      bool bits_ok = true, right = true;
      for (unsigned k = 0; k < 6; k++) {
         glGetIntegerv(queries[k], &seen[k]);
         bits_ok &= seen[k] == bits[k];
      }
      GLint sample_buffers = -1;
      glGetIntegerv(GL_SAMPLE_BUFFERS, &sample_buffers);
      bits_ok &= sample_buffers == (samples > 1);
      /* coverage and alpha to coverage do nothing without samples */
      if (!sample_buffers) {
         glEnable(GL_SAMPLE_COVERAGE);
         glSampleCoverage(0, GL_FALSE);
         glEnable(GL_SAMPLE_ALPHA_TO_COVERAGE);
      }
      const char *log = NULL;
      GLuint program = grid_program("attribute vec4 position;\nvoid main() { gl_Position = position; }",
                                    "precision mediump float;\nuniform vec4 c;\nvoid main() { gl_FragColor = c; }", &log);
      glUseProgram(program);
      glClearColor(1, 0, 0, 0);
      glClearDepthf(0.5f);
      glClearStencil(7);
      glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT | GL_STENCIL_BUFFER_BIT);
      glUniform4f(glGetUniformLocation(program, "c"), 0, 1, 0, 0);
      glEnable(GL_DEPTH_TEST);
      grid_quad(-1, -1, 0, 1, 0.5f, 0, 0, 1, 1); /* behind */
      glDisable(GL_DEPTH_TEST);
      glEnable(GL_STENCIL_TEST);
      glStencilFunc(GL_NOTEQUAL, 7, 0xff);
      glUniform4f(glGetUniformLocation(program, "c"), 0, 0, 1, 0);
      grid_quad(0, -1, 1, 1, 0, 0, 0, 1, 1);
      glDisable(GL_STENCIL_TEST);
      uint8_t left[4], other[4];
      glReadPixels(10, 10, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, left);
      glReadPixels(50, 40, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, other);
      right = left[bits[4] ? 0 : 1] == 255 && other[bits[5] ? 0 : 2] == 255 && (bits[3] ? left[3] == 0 : left[3] == 255);
      grid_check(current && bits_ok && right, "current %d, bits %d %d %d %d %d %d samples %d; pixels %u %u %u %u, %u %u %u %u",
                 current, seen[0], seen[1], seen[2], seen[3], seen[4], seen[5], sample_buffers, left[0], left[1], left[2],
                 left[3], other[0], other[1], other[2], other[3]);
      back();
      eglDestroySurface(display, surface);
      eglDestroyContext(display, context);
   }
   end();
}

/* --- surfaces and contexts ------------------------------------------------------------------------------------------- */

static bool
painted(unsigned width, unsigned height, unsigned r, unsigned g, unsigned b)
{
   uint8_t p[2][4];
   glReadPixels(0, 0, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, p[0]);
   glReadPixels(width - 1, height - 1, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, p[1]);
   bool low = width == 1 && height == 1; /* all corner */
   return (low || (p[0][0] == r && p[0][1] == g && p[0][2] == b)) && p[1][0] == b && p[1][1] == r && p[1][2] == g;
}

static void
run_surfaces(void)
{
   static const unsigned sizes[][2] = { { 1, 1 }, { 1, 64 }, { 100, 1 }, { 33, 65 }, { 2048, 3 }, { 5, 2048 }, { 1023, 767 },
                                        { 2048, 2048 } };
   begin();
   EGLConfig config = choose(24, 8);
   for (unsigned s = 0; s < ARRAY_SIZE(sizes); s++) {
      if (!grid_begin("surfaces/size_%ux%u", sizes[s][0], sizes[s][1]))
         continue;
      unsigned w = sizes[s][0], h = sizes[s][1];
      EGLSurface surface = new_surface(config, w, h);
      EGLContext context = new_context(config, main_context);
      bool current = eglMakeCurrent(display, surface, surface, context);
      GLint viewport[4], box[4];
      glGetIntegerv(GL_VIEWPORT, viewport);
      glGetIntegerv(GL_SCISSOR_BOX, box);
      bool first = viewport[2] == (int)w && viewport[3] == (int)h && box[2] == (int)w && box[3] == (int)h;
      paint(w, h, 1, 0, 0, 1);
      bool cleared = painted(w, h, 255, 0, 0);
      scene_flat(-1, -1, 1, 1, 0, 0, 0, 1, 1);
      uint8_t p[4];
      glReadPixels(w - 1, h - 1, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, p);
      grid_check(current && first && cleared && p[2] == 255 && p[0] < 60,
                 "current %d, viewport %d %d, cleared %d, drawn %u %u %u", current, viewport[2], viewport[3], cleared, p[0], p[1],
                 p[2]);
      back();
      eglDestroySurface(display, surface);
      eglDestroyContext(display, context);
   }
   /* contexts and surfaces in all combinations; each context keeps its state and each surface its pixels */
   for (unsigned i = 0; i < 12; i++) {
      if (!grid_begin("surfaces/switching_%u", i))
         continue;
      EGLSurface surfaces[3];
      EGLContext contexts[3];
      unsigned colors[3] = { 0 };
      bool ok = true;
      for (unsigned k = 0; k < 3; k++) {
         surfaces[k] = new_surface(config, 20 + 17 * k, 30 + 40 * k);
         contexts[k] = new_context(config, k && i & 1 ? contexts[0] : EGL_NO_CONTEXT);
         ok &= eglMakeCurrent(display, surfaces[k], surfaces[k], contexts[k]);
         paint(20 + 17 * k, 30 + 40 * k, 0, 0, 0, 1);
         glLineWidth(k + 2);
      }
      for (unsigned k = 0; k < 12; k++) {
         unsigned s = grid_random_below(3), c = grid_random_below(3);
         GLfloat width;
         ok &= eglMakeCurrent(display, surfaces[s], surfaces[s], contexts[c]);
         glGetFloatv(GL_LINE_WIDTH, &width);
         ok &= width == c + 2;
         ok &= painted(20 + 17 * s, 30 + 40 * s, colors[s] & 1 ? 255 : 0, colors[s] & 2 ? 255 : 0, colors[s] & 4 ? 255 : 0);
         colors[s] = grid_random_below(8);
         paint(20 + 17 * s, 30 + 40 * s, colors[s] & 1, colors[s] >> 1 & 1, colors[s] >> 2, 1);
         if (grid_random_below(4) == 0)
            ok &= eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
         if (grid_random_below(4) == 0)
            eglSwapBuffers(display, surfaces[s]);
      }
      grid_check(ok, "a surface lost its pixels or a context its state");
      back();
      for (unsigned k = 0; k < 3; k++) {
         eglDestroySurface(display, surfaces[k]);
         eglDestroyContext(display, contexts[k]);
      }
   }
   /* reading from another surface than is drawn to */
   if (grid_begin("surfaces/read")) {
      EGLSurface a = new_surface(config, 40, 40), b = new_surface(config, 40, 40);
      EGLContext context = new_context(config, EGL_NO_CONTEXT);
      eglMakeCurrent(display, a, a, context);
      paint(40, 40, 1, 0, 0, 1);
      eglMakeCurrent(display, b, a, context);
      paint(40, 40, 0, 1, 0, 1);
      bool read = painted(40, 40, 255, 0, 0);
      eglMakeCurrent(display, a, b, context);
      bool other = painted(40, 40, 0, 255, 0);
      grid_check(read && other, "pixels of the wrong surface: %d %d", read, other);
      back();
      eglDestroySurface(display, a);
      eglDestroySurface(display, b);
      eglDestroyContext(display, context);
   }
   /* destroyed while current: lives on until it is no more */
   if (grid_begin("surfaces/destroyed")) {
      EGLSurface surface = new_surface(config, 40, 40);
      EGLContext context = new_context(config, EGL_NO_CONTEXT);
      eglMakeCurrent(display, surface, surface, context);
      eglDestroySurface(display, surface);
      eglDestroyContext(display, context);
      paint(40, 40, 0, 1, 1, 1);
      bool alive = painted(40, 40, 0, 255, 255);
      back();
      bool gone = !eglMakeCurrent(display, surface, surface, main_context) && eglGetError() != EGL_SUCCESS;
      grid_check(alive && gone, "alive %d, gone %d", alive, gone);
      back();
   }
   end();
}

/* --- sharing -------------------------------------------------------------------------------------------------------- */

static const char *const shared_names[] = { "texture", "texture_deleted", "texture_attached", "renderbuffer", "buffer",
                                            "buffer_deleted", "program", "program_deleted", "shader", "subimage",
                                            "texture_respecified", "drawn_by_both" };

/* One context changes an object of the other. */
static void
share(unsigned kind, EGLContext other)
{
   static const uint8_t red[4] = { 255, 0, 0, 255 }, green[4] = { 0, 255, 0, 255 };
   static const float small[8] = { -1, -1, 0, -1, -1, 0, 0, 0 }, large[8] = { -1, -1, 1, -1, -1, 1, 1, 1 };
   GLuint object, fbo, program;
   const char *log = NULL;
   const char *vs = "attribute vec4 position;\nattribute vec2 a0;\nvarying highp vec2 t;\n"
                    "void main() { gl_Position = position; t = a0; }";
   glClearColor(0, 0, 0, 0);
   glClear(GL_COLOR_BUFFER_BIT);
   switch (kind) {
   case 0:
   case 1:
   case 9:
   case 10:
      object = scene_texture(GL_TEXTURE_2D, GL_RGBA, GL_UNSIGNED_BYTE, 1, 1, false);
      glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, red);
      if (kind != 9)
         scene_textured(object, -1, -1, 0, 0);
      glFinish();
      eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, other);
      glBindTexture(GL_TEXTURE_2D, object);
      if (kind == 10)
         glTexImage2D(GL_TEXTURE_2D, 0, GL_RGB, 1, 1, 0, GL_RGB, GL_UNSIGNED_BYTE, green);
      else
         glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, green);
      if (kind == 1)
         glDeleteTextures(1, &object); /* still bound in the first */
      glFinish();
      back();
      glBindTexture(GL_TEXTURE_2D, kind == 1 ? 0 : object);
      if (kind != 1)
         scene_textured(object, -1, 0, 1, 1);
      glDeleteTextures(1, &object);
      break;
   case 2:
   case 11: /* rendered to in the other context */
      object = scene_texture(GL_TEXTURE_2D, GL_RGBA, GL_UNSIGNED_BYTE, 16, 16, false);
      eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, other);
      glGenFramebuffers(1, &fbo);
      glBindFramebuffer(GL_FRAMEBUFFER, fbo);
      glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, object, 0);
      paint(16, 16, 0, 1, 0, 1);
      glFinish();
      back();
      scene_textured(object, -1, -1, 1, 0);
      if (kind == 2)
         glDeleteTextures(1, &object); /* attached in the other, where it goes on to exist */
      glFinish();
      eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, other);
      if (kind == 2)
         paint(16, 16, 1, 0, 0, 1);
      else
         paint(16, 16, 0, 0, 1, 1);
      glDeleteFramebuffers(1, &fbo);
      glFinish();
      back();
      if (kind == 11)
         scene_textured(object, -1, 0, 1, 1);
      glDeleteTextures(1, &object);
      break;
   case 3:
      eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, other);
      glGenFramebuffers(1, &fbo);
      glBindFramebuffer(GL_FRAMEBUFFER, fbo);
      object = scene_renderbuffer(GL_RGBA4, GL_COLOR_ATTACHMENT0, 20, 20);
      paint(20, 20, 1, 1, 0, 1);
      glDeleteFramebuffers(1, &fbo);
      glFinish();
      back();
      glGenFramebuffers(1, &fbo);
      glBindFramebuffer(GL_FRAMEBUFFER, fbo);
      glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, object);
      program = scene_texture(GL_TEXTURE_2D, GL_RGB, GL_UNSIGNED_BYTE, 1, 1, false);
      glCopyTexImage2D(GL_TEXTURE_2D, 0, GL_RGB, 0, 0, 20, 20, 0);
      scene_show();
      scene_textured(program, -1, -1, 1, 1);
      glDeleteFramebuffers(1, &fbo);
      glDeleteTextures(1, &program);
      glDeleteRenderbuffers(1, &object);
      break;
   case 4:
   case 5:
      glGenBuffers(1, &object);
      glBindBuffer(GL_ARRAY_BUFFER, object);
      glBufferData(GL_ARRAY_BUFFER, sizeof(small), small, GL_STATIC_DRAW);
      glFinish();
      eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, other);
      glBindBuffer(GL_ARRAY_BUFFER, object);
      glBufferSubData(GL_ARRAY_BUFFER, 0, sizeof(large), large);
      if (kind == 5)
         glDeleteBuffers(1, &object); /* bound in the first: can still be used there */
      glFinish();
      back();
      scene_flat(0.5f, 0.5f, 0.6f, 0.6f, 0, 1, 0, 1, 1); /* its program stays; it unbinds the buffer */
      if (kind == 4) {
         glBindBuffer(GL_ARRAY_BUFFER, object);
         glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, NULL);
         glDisableVertexAttribArray(1);
         glVertexAttrib4f(1, 0, 0, 0, 1);
         glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
         glBindBuffer(GL_ARRAY_BUFFER, 0);
      }
      glDeleteBuffers(1, &object);
      break;
   case 6:
   case 7:
      eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, other);
      program = grid_program(vs, "precision mediump float;\nuniform vec4 c;\nvarying highp vec2 t;\n"
                             "void main() { gl_FragColor = c + t.xyxy * 0.2; }", &log);
      glUseProgram(program);
      glUniform4f(glGetUniformLocation(program, "c"), 0.3f, 0.6f, 0, 1);
      glFinish();
      back();
      glUseProgram(program);
      grid_quad(-1, -1, 1, 0, 0, 0, 0, 1, 1);
      glFinish();
      eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, other);
      glUniform4f(glGetUniformLocation(program, "c"), 0, 0, 0.7f, 1);
      glUseProgram(0);
      if (kind == 7)
         glDeleteProgram(program); /* in use in the first */
      glFinish();
      back();
      glUseProgram(program);
      grid_quad(-1, 0, 1, 1, 0, 0, 0, 1, 1);
      glUseProgram(0);
      if (kind == 6)
         glDeleteProgram(program);
      break;
   default: { /* a shader that the other context compiled */
      eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, other);
      const char *fs = "precision mediump float;\nvarying highp vec2 t;\nvoid main() { gl_FragColor = vec4(t, 0.5, 1.0); }";
      GLuint shader = glCreateShader(GL_FRAGMENT_SHADER);
      glShaderSource(shader, 1, &fs, NULL);
      glCompileShader(shader);
      glFinish();
      back();
      program = glCreateProgram();
      GLuint vertex = glCreateShader(GL_VERTEX_SHADER);
      glShaderSource(vertex, 1, &vs, NULL);
      glCompileShader(vertex);
      glAttachShader(program, vertex);
      glAttachShader(program, shader);
      glBindAttribLocation(program, 0, "position");
      glBindAttribLocation(program, 1, "a0");
      glDeleteShader(shader);
      glDeleteShader(vertex);
      glLinkProgram(program);
      glUseProgram(program);
      grid_quad(-1, -1, 1, 1, 0, 0, 0, 1, 1);
      glDeleteProgram(program);
      glUseProgram(0);
   }
   }
}

static void
run_sharing(void)
{
   begin();
   EGLConfig config = choose(24, 8);
   for (unsigned kind = 0; kind < ARRAY_SIZE(shared_names); kind++) {
      for (unsigned twice = 0; twice < 2; twice++) { /* with a context that is as old, or with a new one that then goes */
         if (!grid_begin("sharing/%s%s", shared_names[kind], twice ? "_twice" : ""))
            continue;
         EGLContext other = new_context(config, main_context);
         share(kind, other);
         if (twice)
            share(kind, other);
         /* Mesa keeps the last program until the next draw, and with it a pointer to each context that has drawn with it */
         scene_flat(0.9f, 0.9f, 1, 1, 0, 1, 1, 1, 1);
         eglDestroyContext(display, other);
         grid_pixels(0, 0, SCENE_SIZE, SCENE_SIZE, (struct grid_tolerance){ 3, SCENE_SIZE, false, false });
      }
   }
   end();
}

const struct grid_family family_configs = { "configs", run_configs };
const struct grid_family family_surfaces = { "surfaces", run_surfaces };
const struct grid_family family_sharing = { "sharing", run_sharing };
