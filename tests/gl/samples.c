/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Surfaces of four samples: where the samples are, what is averaged, coverage by alpha and by masks, depth and stencil of
 * each sample, sizes of points and lines, polygon offset, gl_FragCoord, stipples, occlusion queries, copies, windows, and
 * surfaces that are too large.
 */

#include "opengl.h"

#define SIZE 64

static GLuint multi, single; /* framebuffers */

static void
make_framebuffer(GLuint *framebuffer, unsigned width, unsigned height, unsigned samples, GLenum color, bool zs)
{
   GLuint buffers[2];
   GLint got;

   *framebuffer = new_framebuffer();
   glGenRenderbuffers(2, buffers);
   glBindRenderbuffer(GL_RENDERBUFFER, buffers[0]);
   glRenderbufferStorageMultisample(GL_RENDERBUFFER, samples, color, width, height);
   glGetRenderbufferParameteriv(GL_RENDERBUFFER, GL_RENDERBUFFER_SAMPLES, &got);
   CHECK(got == (samples ? 4 : 0));
   glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, buffers[0]);
   if (zs) {
      glBindRenderbuffer(GL_RENDERBUFFER, buffers[1]);
      glRenderbufferStorageMultisample(GL_RENDERBUFFER, samples, GL_DEPTH24_STENCIL8, width, height);
      glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_STENCIL_ATTACHMENT, GL_RENDERBUFFER, buffers[1]);
   }
   CHECK(glCheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE);
   glViewport(0, 0, width, height);
}

static void
begin(void)
{
   glBindFramebuffer(GL_FRAMEBUFFER, multi);
   clear_all(0, 0, 0, 0, 1, 0);
   glColor4f(1, 1, 1, 1);
}

static void
resolve(GLbitfield what)
{
   glBindFramebuffer(GL_READ_FRAMEBUFFER, multi);
   glBindFramebuffer(GL_DRAW_FRAMEBUFFER, single);
   glBlitFramebuffer(0, 0, SIZE, SIZE, 0, 0, SIZE, SIZE, what, GL_NEAREST);
   CHECK(glGetError() == GL_NO_ERROR);
   glBindFramebuffer(GL_FRAMEBUFFER, single);
}

/* Component c of a pixel of the bound framebuffer is so many quarters. */
static void
check_quarters(const char *what, unsigned x, unsigned y, unsigned c, unsigned quarters)
{
   unsigned char pixel[4];

   glReadPixels(x, y, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, pixel);
   CHECK(glGetError() == GL_NO_ERROR);
   if (abs((int)pixel[c] - (int)(quarters * 255 / 4)) > 2) {
      fail("%s: component %u of pixel %u, %u is %u, not %u quarters\n", what, c, x, y, pixel[c], quarters);
   }
}

/* Pixels. */
static void
rect(float x0, float y0, float x1, float y1)
{
   glRectf(x0 / SIZE * 2 - 1, y0 / SIZE * 2 - 1, x1 / SIZE * 2 - 1, y1 / SIZE * 2 - 1);
}

static void
edges(void)
{
   static const struct {
      float edge;
      unsigned quarters;
   } cases[] = {{10.1f, 0}, {10.4f, 2}, {10.6f, 2}, {10.9f, 4}};

   for (unsigned i = 0; i < COUNT(cases); i++) {
      begin();
      rect(2, 2, cases[i].edge, 20);
      resolve(GL_COLOR_BUFFER_BIT);
      check_quarters("left of the edge", 9, 9, 0, 4);
      check_quarters("vertical edge", 10, 9, 0, cases[i].quarters);
      check_quarters("right of the edge", 11, 9, 0, 0);
      begin();
      rect(2, 2, 20, cases[i].edge);
      resolve(GL_COLOR_BUFFER_BIT);
      check_quarters("horizontal edge", 9, 10, 0, cases[i].quarters);
   }
   begin();
   rect(2, 2, 10.4f, 10.4f);
   resolve(GL_COLOR_BUFFER_BIT);
   check_quarters("corner", 10, 10, 0, 1);

   /* blending and masks act on each sample */
   begin();
   rect(2, 2, 10.4f, 20);
   blend_with(GL_ONE, GL_ONE);
   glColorMask(GL_TRUE, GL_FALSE, GL_TRUE, GL_TRUE);
   glColor4f(0.5f, 0.5f, 0.5f, 0.5f);
   rect(2, 2, 20, 20);
   glDisable(GL_BLEND);
   glColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);
   resolve(GL_COLOR_BUFFER_BIT);
   check_quarters("blended", 10, 9, 0, 3);
   check_quarters("masked", 10, 9, 1, 2);
}

static void
areas(void)
{
   begin();
   scissor_to(7, 9, 3, 5);
   clear_color(1, 0, 0, 0);
   glScissor(20, 20, 2, 2);
   rect(0, 0, SIZE, SIZE);
   glDisable(GL_SCISSOR_TEST);
   glViewport(40, 40, 3, 3);
   rect(0, 0, SIZE, SIZE);
   glViewport(0, 0, SIZE, SIZE);
   resolve(GL_COLOR_BUFFER_BIT);
   check_quarters("scissored clear", 7, 9, 0, 4);
   check_quarters("scissored clear", 9, 13, 0, 4);
   check_quarters("beside the clear", 6, 9, 0, 0);
   check_quarters("beside the clear", 9, 14, 0, 0);
   check_quarters("scissor", 21, 21, 1, 4);
   check_quarters("beside the scissor", 22, 21, 1, 0);
   check_quarters("viewport", 40, 42, 1, 4);
   check_quarters("beside the viewport", 43, 42, 1, 0);
}

static unsigned
quarters_of(unsigned x, unsigned y)
{
   unsigned char pixel[4];

   glReadPixels(x, y, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, pixel);
   return (pixel[0] + 32) / 64;
}

static void
coverage(void)
{
   static const unsigned by_alpha[] = {0, 1, 2, 2, 3, 4}; /* of five */

   for (unsigned i = 0; i < 6; i++) {
      begin();
      glEnable(GL_SAMPLE_ALPHA_TO_COVERAGE);
      glColor4f(1, 1, 1, i / 5.0f);
      rect(2, 2, 20, 20);
      glDisable(GL_SAMPLE_ALPHA_TO_COVERAGE);
      resolve(GL_COLOR_BUFFER_BIT);
      check_quarters("alpha to coverage", 9, 9, 0, by_alpha[i]);
   }
   begin();
   glEnable(GL_SAMPLE_ALPHA_TO_ONE);
   glColor4f(1, 1, 1, 0.25f);
   rect(2, 2, 20, 20);
   glDisable(GL_SAMPLE_ALPHA_TO_ONE);
   resolve(GL_COLOR_BUFFER_BIT);
   check_quarters("alpha to one", 9, 9, 3, 4);

   for (unsigned i = 0; i <= 4; i++) {
      unsigned quarters[3];

      /* a value, its complement, and one on top of the other */
      for (unsigned n = 0; n < 3; n++) {
         begin();
         glEnable(GL_SAMPLE_COVERAGE);
         glSampleCoverage(i / 4.0f, n == 1);
         rect(2, 2, 20, 20);
         if (n == 2) {
            glSampleCoverage(i / 4.0f, GL_TRUE);
            rect(2, 2, 20, 20);
         }
         glDisable(GL_SAMPLE_COVERAGE);
         resolve(GL_COLOR_BUFFER_BIT);
         quarters[n] = quarters_of(9, 9);
      }
      if (quarters[0] != i || quarters[1] != 4 - i || quarters[2] != 4)
         fail("sample coverage %u quarters: %u, inverted %u, both %u\n", i, quarters[0], quarters[1], quarters[2]);
   }
}

static void
depth_and_stencil(void)
{
   begin();
   glEnable(GL_DEPTH_TEST);
   glEnable(GL_STENCIL_TEST);
   glStencilFunc(GL_ALWAYS, 1, 0xff);
   glStencilOp(GL_KEEP, GL_KEEP, GL_REPLACE);
   glColor4f(1, 0, 0, 1);
   rect(2, 2, 10.4f, 20);
   glStencilFunc(GL_EQUAL, 0, 0xff);
   glStencilOp(GL_KEEP, GL_KEEP, GL_KEEP);
   glColor4f(0, 1, 0, 1);
   rect(2, 2, 20, 20);
   glDisable(GL_STENCIL_TEST);
   /* behind everything but what is not drawn to */
   glColor4f(0, 0, 1, 1);
   glDepthFunc(GL_LESS);
   rect(2, 2, 20, 30);
   glDisable(GL_DEPTH_TEST);
   resolve(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT | GL_STENCIL_BUFFER_BIT);
   check_quarters("first", 10, 9, 0, 2);
   check_quarters("where the stencil was 0", 10, 9, 1, 2);
   check_quarters("behind", 10, 9, 2, 0);
   check_quarters("beside", 10, 25, 2, 4);

   float depth;
   unsigned char stencil;
   glReadPixels(5, 9, 1, 1, GL_DEPTH_COMPONENT, GL_FLOAT, &depth);
   glReadPixels(5, 9, 1, 1, GL_STENCIL_INDEX, GL_UNSIGNED_BYTE, &stencil);
   CHECK(fabsf(depth - 0.5f) < 0.001f && stencil == 1);
   glReadPixels(40, 9, 1, 1, GL_DEPTH_COMPONENT, GL_FLOAT, &depth);
   glReadPixels(40, 9, 1, 1, GL_STENCIL_INDEX, GL_UNSIGNED_BYTE, &stencil);
   CHECK(fabsf(depth - 1.0f) < 0.001f && stencil == 0);
}

/* Depth of a slanted quad at one pixel, with an offset of so many slopes. */
static float
slanted_depth(GLuint framebuffer, float factor)
{
   float depth;

   begin();
   glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
   glClear(GL_DEPTH_BUFFER_BIT);
   glEnable(GL_DEPTH_TEST);
   glDepthFunc(GL_ALWAYS);
   glEnable(GL_POLYGON_OFFSET_FILL);
   glPolygonOffset(factor, 0);
   glBegin(GL_TRIANGLE_FAN);
   glVertex3f(-1, -1, -0.8f);
   glVertex3f(1, -1, 0.8f);
   glVertex3f(1, 1, 0.8f);
   glVertex3f(-1, 1, -0.8f);
   glEnd();
   glDisable(GL_POLYGON_OFFSET_FILL);
   glDisable(GL_DEPTH_TEST);
   glDepthFunc(GL_LESS);
   if (framebuffer == multi)
      resolve(GL_DEPTH_BUFFER_BIT);
   glReadPixels(30, 30, 1, 1, GL_DEPTH_COMPONENT, GL_FLOAT, &depth);
   return depth;
}

static void
sizes(void)
{
   const float offset = slanted_depth(multi, 4) - slanted_depth(multi, 0),
               wanted = slanted_depth(single, 4) - slanted_depth(single, 0);

   if (fabsf(offset - wanted) > 3.0f / 65536 || wanted < 0.01f)
      fail("polygon offset %f, with one sample %f\n", offset, wanted);

   for (unsigned expanded = 0; expanded < 2; expanded++) {
      begin();
      glPointSize(5);
      if (expanded)
         glEnable(GL_POINT_SPRITE);
      glBegin(GL_POINTS);
      glVertex2f(20.5f / SIZE * 2 - 1, 20.5f / SIZE * 2 - 1);
      glEnd();
      glDisable(GL_POINT_SPRITE);
      resolve(GL_COLOR_BUFFER_BIT);
      check_quarters("point", 18, 18, 0, 4);
      check_quarters("point", 22, 22, 0, 4);
      check_quarters("beside a point", 17, 20, 0, 0);
      check_quarters("beside a point", 20, 23, 0, 0);
   }

   static const unsigned widths[] = {1, 4};
   for (unsigned i = 0; i < 2; i++) {
      const unsigned half = widths[i] / 2;

      begin();
      glLineWidth(widths[i]);
      glBegin(GL_LINES);
      glVertex2f(-1, (widths[i] & 1 ? 20.5f : 20) / SIZE * 2 - 1);
      glVertex2f(1, (widths[i] & 1 ? 20.5f : 20) / SIZE * 2 - 1);
      glEnd();
      glLineWidth(1);
      resolve(GL_COLOR_BUFFER_BIT);
      check_quarters("line", 20, widths[i] & 1 ? 20 : 20 - half, 0, 4);
      check_quarters("line", 20, widths[i] & 1 ? 20 : 19 + half, 0, 4);
      check_quarters("beside a line", 20, widths[i] & 1 ? 19 : 19 - half, 0, 0);
      check_quarters("beside a line", 20, 21 + half, 0, 0);
   }
}

static void
positions(void)
{
   static const char source[] = "void main() { gl_FragColor = vec4(floor(gl_FragCoord.xy) / 64.0, gl_FragCoord.z, 1.0); }\n";
   static const GLubyte stipple[128] = {[0 ... 127] = 0x55};
   const GLuint program = make_program(NULL, source, NULL);

   begin();
   glUseProgram(program);
   rect(0, 0, SIZE, SIZE);
   glUseProgram(0);
   resolve(GL_COLOR_BUFFER_BIT);
   for (unsigned i = 0; i < SIZE; i += 7) {
      unsigned char pixel[4];
      glReadPixels(i, SIZE - 1 - i, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, pixel);
      if (abs(pixel[0] - (int)(i * 255 / 64)) > 2 || abs(pixel[1] - (int)((SIZE - 1 - i) * 255 / 64)) > 2 ||
          abs(pixel[2] - 127) > 2)
         fail("position of pixel %u: %u %u %u\n", i, pixel[0], pixel[1], pixel[2]);
   }

   begin();
   glEnable(GL_POLYGON_STIPPLE);
   glPolygonStipple(stipple);
   rect(0, 0, SIZE, SIZE);
   glDisable(GL_POLYGON_STIPPLE);
   resolve(GL_COLOR_BUFFER_BIT);
   check_quarters("stipple", 10, 10, 0, 0);
   check_quarters("stipple", 11, 10, 0, 4);
}

static void
queries(void)
{
   GLuint query, samples;

   begin();
   glGenQueries(1, &query);
   glBeginQuery(GL_SAMPLES_PASSED, query);
   rect(2, 2, 10.4f, 4);
   glEndQuery(GL_SAMPLES_PASSED);
   glGetQueryObjectuiv(query, GL_QUERY_RESULT, &samples);
   CHECK(samples == 17 * 4);
}

/* A copy between surfaces of four samples keeps them apart. */
static void
copies(void)
{
   const GLuint first = multi;
   GLuint second;

   make_framebuffer(&second, SIZE, SIZE, 4, GL_RGBA8, true);
   begin();
   rect(2, 2, 10.4f, 20);
   glBindFramebuffer(GL_READ_FRAMEBUFFER, first);
   glBindFramebuffer(GL_DRAW_FRAMEBUFFER, second);
   glBlitFramebuffer(0, 0, SIZE, SIZE, 0, 0, SIZE, SIZE, GL_COLOR_BUFFER_BIT, GL_NEAREST);
   glBindFramebuffer(GL_FRAMEBUFFER, second);
   blend_with(GL_ONE_MINUS_DST_ALPHA, GL_ONE);
   glColor4f(0, 1, 0, 0);
   rect(2, 2, 20, 20);
   glDisable(GL_BLEND);
   multi = second;
   resolve(GL_COLOR_BUFFER_BIT);
   multi = first;
   check_quarters("copied", 10, 9, 0, 2);
   check_quarters("drawn on a copy", 10, 9, 1, 4);
   check_quarters("beside a copy", 12, 9, 1, 4);
}

static void
others(void)
{
   GLuint large, narrow, one;

   /* too large for four samples: one */
   make_framebuffer(&large, 1100, 32, 4, GL_RGBA8, true);
   glClearColor(0, 0, 0, 0);
   glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
   glColor4f(1, 1, 1, 1);
   glRectf(-1, -1, 0, 1);
   make_framebuffer(&one, 1100, 32, 0, GL_RGBA8, false);
   glBindFramebuffer(GL_READ_FRAMEBUFFER, large);
   glBlitFramebuffer(0, 0, 1100, 32, 0, 0, 1100, 32, GL_COLOR_BUFFER_BIT, GL_NEAREST);
   CHECK(glGetError() == GL_NO_ERROR);
   glBindFramebuffer(GL_FRAMEBUFFER, one);
   check_quarters("large", 549, 9, 0, 4);
   check_quarters("large", 551, 9, 0, 0);

   /* 16 bits, blended */
   make_framebuffer(&narrow, SIZE, SIZE, 4, GL_RGB565, false);
   glClear(GL_COLOR_BUFFER_BIT);
   blend_with(GL_ONE, GL_ONE);
   glColor4f(0.5f, 0.5f, 0.5f, 1);
   rect(2, 2, 10.4f, 20);
   rect(2, 2, 10.4f, 20);
   glDisable(GL_BLEND);
   make_framebuffer(&one, SIZE, SIZE, 0, GL_RGB565, false);
   glBindFramebuffer(GL_READ_FRAMEBUFFER, narrow);
   glBlitFramebuffer(0, 0, SIZE, SIZE, 0, 0, SIZE, SIZE, GL_COLOR_BUFFER_BIT, GL_NEAREST);
   glBindFramebuffer(GL_FRAMEBUFFER, one);
   unsigned char pixel[4];
   glReadPixels(10, 9, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, pixel);
   CHECK(abs(pixel[1] - 127) <= 2);
}

static void
window(EGLDisplay display)
{
   static const EGLint attributes[] = {EGL_SURFACE_TYPE, EGL_PBUFFER_BIT, EGL_RENDERABLE_TYPE, EGL_OPENGL_BIT,
                                       EGL_RED_SIZE,     8,               EGL_SAMPLES,         4,
                                       EGL_DEPTH_SIZE,   16,              EGL_NONE};
   static const EGLint size[] = {EGL_WIDTH, SIZE, EGL_HEIGHT, SIZE, EGL_NONE};
   EGLConfig config;
   EGLint count;
   GLint samples;

   CHECK(eglChooseConfig(display, attributes, &config, 1, &count) && count == 1);
   EGLContext context = eglCreateContext(display, config, EGL_NO_CONTEXT, NULL);
   EGLSurface surface = eglCreatePbufferSurface(display, config, size);
   CHECK(context != EGL_NO_CONTEXT && surface != EGL_NO_SURFACE);
   CHECK(eglMakeCurrent(display, surface, surface, context));
   glGetIntegerv(GL_SAMPLES, &samples);
   CHECK(samples == 4);
   glClearColor(0, 0, 0, 0);
   glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
   glEnable(GL_DEPTH_TEST);
   rect(2, 2, 10.4f, 20);
   check_quarters("window", 10, 9, 0, 2);
   check_quarters("window", 9, 9, 0, 4);
   glRasterPos2f(-0.5f, -0.5f);
   glDisable(GL_DEPTH_TEST);
   glCopyPixels(9, 9, 2, 2, GL_COLOR);
   check_quarters("copied pixels", SIZE / 4 + 1, SIZE / 4, 0, 2);
}

int
main(void)
{
   EGLDisplay display = open_context();
   GLint max;

   glGetIntegerv(GL_MAX_SAMPLES, &max);
   CHECK(max == 4);
   make_framebuffer(&multi, SIZE, SIZE, 2, GL_RGBA8, true);
   make_framebuffer(&single, SIZE, SIZE, 0, GL_RGBA8, true);
   edges();
   areas();
   coverage();
   depth_and_stencil();
   sizes();
   positions();
   queries();
   copies();
   others();
   window(display);
   return 0;
}
