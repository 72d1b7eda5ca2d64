/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * EGL: surfaces of many sizes, switching between contexts and surfaces.
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
   end();
}

const struct grid_family family_surfaces = { "surfaces", run_surfaces };
