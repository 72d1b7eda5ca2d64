/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Prints the counts of occlusion queries over generated scenes: overlapping rectangles and points with depth test, stencil
 * test, scissor, alpha test, masks and programs that discard, several draws in a query and several queries over the same
 * buffers.  same_output.py runs it on the simulated chip and on softpipe.
 *
 * No centre of a pixel lies on an edge, where softpipe rounds, and a draw has one depth, because depth buffers of 16 and of
 * 24 bits decide differently where surfaces cross.
 */

#define GL_GLEXT_PROTOTYPES
#include <GL/gl.h>
#include <GL/glext.h>
#include <stdbool.h>
#include <stdint.h>

#include "program.h"
#include "target.h"

#define WIDTH 128
#define HEIGHT 64
#define SCENES 150

static uint32_t state = 1;

static unsigned
random_below(unsigned n)
{
   state = state * 1664525 + 1013904223;
   return (state >> 8) % n;
}

/* Odd sixteenths: no centre of a pixel lies on an edge. */
static float
edge(unsigned size)
{
   return (2 * random_below(8 * size) + 1) / 16.0f;
}

static void
draw_rectangle(float z)
{
   static const GLenum modes[] = {GL_TRIANGLE_STRIP, GL_QUADS, GL_TRIANGLE_FAN, GL_POLYGON};
   const unsigned mode = random_below(4), turn = random_below(4);
   const float x[2] = {edge(WIDTH), edge(WIDTH)}, y[2] = {edge(HEIGHT), edge(HEIGHT)};
   static const unsigned char order[2][4] = {{0, 1, 2, 3}, {0, 1, 3, 2}};

   glColor4f(1, 1, 1, random_below(9) / 8.0f);
   glBegin(modes[mode]);
   for (unsigned i = 0; i < 4; i++) {
      const unsigned corner = order[mode > 0][(i + (mode > 0 ? turn : 0)) & 3];
      glVertex3f(x[corner & 1], y[corner >> 1], z);
   }
   glEnd();
}

static void
draw_points(float z)
{
   glPointSize(1 + 2 * random_below(4));
   glBegin(GL_POINTS);
   for (unsigned i = random_below(20); i > 0; i--) {
      glColor4f(1, 1, 1, random_below(9) / 8.0f);
      glVertex3f(4.5f + random_below(WIDTH - 8), 4.5f + random_below(HEIGHT - 8), z);
   }
   glEnd();
}

static void
draw_something(void)
{
   const float z = random_below(16) / 16.0f;

   if (random_below(4) == 0)
      draw_points(z);
   for (unsigned i = random_below(4); i > 0; i--)
      draw_rectangle(z);
}

static void
set(GLenum capability, bool on)
{
   (on ? glEnable : glDisable)(capability);
}

static void
random_state(GLuint program)
{
   set(GL_DEPTH_TEST, random_below(3) > 0);
   glDepthFunc(GL_NEVER + 1 + random_below(7));
   glDepthMask(random_below(2));
   set(GL_STENCIL_TEST, random_below(3) == 0);
   glStencilFunc(GL_NEVER + 1 + random_below(7), random_below(4), 3);
   glStencilOp(GL_KEEP, GL_INVERT, GL_INCR);
   set(GL_SCISSOR_TEST, random_below(4) == 0);
   glScissor(random_below(WIDTH), random_below(HEIGHT), random_below(WIDTH), random_below(HEIGHT));
   const bool alpha = random_below(3) == 0;
   set(GL_ALPHA_TEST, alpha);
   glAlphaFunc(GL_GREATER, 0.45f);
   glUseProgram(!alpha && random_below(3) == 0 ? program : 0);
   glColorMask(random_below(2), GL_TRUE, random_below(2), GL_TRUE);
   set(GL_CULL_FACE, random_below(3) == 0);
}

static GLuint
discarding_program(void)
{
   static const char source[] = "void main() {\n"
                                "   if (mod(floor(gl_FragCoord.x) + floor(gl_FragCoord.y), 2.0) < 0.5)\n"
                                "      discard;\n"
                                "   gl_FragColor = vec4(1.0);\n"
                                "}\n";
   return make_program(NULL, source, NULL);
}

int
main(void)
{
   EGLDisplay display = open_display();
   EGLContext context = create_context(display, EGL_OPENGL_API, EGL_NO_CONTEXT, NULL);
   GLuint queries[3];

   make_current(display, context);
   make_target(WIDTH, HEIGHT, true);
   glOrtho(0, WIDTH, 0, HEIGHT, 0, -1);
   const GLuint program = discarding_program();
   glGenQueries(3, queries);
   for (unsigned scene = 0; scene < SCENES; scene++) {
      GLuint counts[3];

      glDisable(GL_SCISSOR_TEST);
      glDepthMask(GL_TRUE);
      glClearDepth(random_below(3) ? 1.0 : 0.5);
      glClearStencil(random_below(4));
      glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT | GL_STENCIL_BUFFER_BIT);
      for (unsigned q = 0; q < 3; q++) {
         glBeginQuery(GL_SAMPLES_PASSED, queries[q]);
         for (unsigned draws = random_below(4); draws > 0; draws--) {
            random_state(program);
            draw_something();
         }
         glEndQuery(GL_SAMPLES_PASSED);
      }
      for (unsigned q = 0; q < 3; q++)
         glGetQueryObjectuiv(queries[q], GL_QUERY_RESULT, &counts[q]);
      CHECK(glGetError() == GL_NO_ERROR);
      printf("%u %u %u\n", counts[0], counts[1], counts[2]);
   }
   return 0;
}
