/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Prints the counts of occlusion queries over generated scenes: overlapping rectangles and points with depth test,
 * stencil test, scissor, alpha test, masks and programs that discard, several draws in a query and several queries over
 * the same buffers; then over single draws that cover pixels up to 1,500 times.  same_output.py runs it on the simulated
 * chip and on softpipe.
 *
 * No centre of a pixel lies on an edge, where softpipe rounds, and a draw has one depth, because depth buffers of 16 and of
 * 24 bits decide differently where surfaces cross.
 */

#include "opengl.h"

#define WIDTH 128
#define HEIGHT 64
#define SCENES 150

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
choose_state(GLuint program)
{
   enable(GL_DEPTH_TEST, random_below(3) > 0);
   glDepthFunc(GL_NEVER + 1 + random_below(7));
   glDepthMask(random_below(2));
   enable(GL_STENCIL_TEST, random_below(3) == 0);
   glStencilFunc(GL_NEVER + 1 + random_below(7), random_below(4), 3);
   glStencilOp(GL_KEEP, GL_INVERT, GL_INCR);
   enable(GL_SCISSOR_TEST, random_below(4) == 0);
   glScissor(random_below(WIDTH), random_below(HEIGHT), random_below(WIDTH), random_below(HEIGHT));
   const bool alpha = random_below(3) == 0;
   enable(GL_ALPHA_TEST, alpha);
   glAlphaFunc(GL_GREATER, 0.45f);
   glUseProgram(!alpha && random_below(3) == 0 ? program : 0);
   glColorMask(random_below(2), GL_TRUE, random_below(2), GL_TRUE);
   enable(GL_CULL_FACE, random_below(3) == 0);
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

/* One draw that covers pixels more often than a pixel of the driver's surface can count, each mode another way. */
static const struct {
   GLenum mode;
   unsigned copies;   /* of the rectangle */
   bool depth, kills; /* draws that take several passes */
} overdraws[] = {
   {GL_QUADS, 63, false, false},        {GL_QUADS, 64, false, false},  {GL_QUADS, 127, false, false},
   {GL_QUADS, 128, false, false},       {GL_QUADS, 1500, true, false}, {GL_TRIANGLES, 300, false, false},
   {GL_TRIANGLE_STRIP, 300, false, false}, {GL_TRIANGLE_FAN, 200, true, false}, {GL_POINTS, 400, false, false},
   {GL_QUADS, 200, false, true},        {GL_QUADS, 130, true, true},   {GL_LINE_LOOP, 150, false, false},
};

static void
draw_copies(GLenum mode, unsigned copies)
{
   static const float corners[4][2] = {{13, 9}, {60, 9}, {60, 40}, {13, 40}};
   static const unsigned char strip[] = {0, 1, 3, 2}, triangles[] = {0, 1, 2, 2, 3, 0}, loop[] = {0, 1, 2, 3};
   const unsigned char *order = mode == GL_TRIANGLE_STRIP ? strip : mode == GL_TRIANGLES ? triangles : loop;
   const unsigned count = mode == GL_TRIANGLES ? 6 : mode == GL_POINTS ? 1 : 4;

   glPointSize(9);
   glBegin(mode);
   for (unsigned i = 0; i < copies; i++) {
      for (unsigned v = 0; v < count; v++) {
         const float *corner = corners[order[v]];
         glVertex2f(corner[0] + 0.4f, corner[1] + 0.4f);
      }
   }
   glEnd();
}

static void
count_overdraw(GLuint query, GLuint program)
{
   for (unsigned i = 0; i < COUNT(overdraws); i++) {
      GLuint count;

      glClearDepth(1.0);
      glDisable(GL_STENCIL_TEST);
      glDisable(GL_SCISSOR_TEST);
      glDisable(GL_ALPHA_TEST);
      glDisable(GL_CULL_FACE);
      glDepthMask(GL_TRUE);
      glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
      enable(GL_DEPTH_TEST, overdraws[i].depth);
      glDepthFunc(GL_LEQUAL);
      glUseProgram(overdraws[i].kills ? program : 0);
      glBeginQuery(GL_SAMPLES_PASSED, query);
      draw_copies(overdraws[i].mode, overdraws[i].copies);
      glEndQuery(GL_SAMPLES_PASSED);
      glGetQueryObjectuiv(query, GL_QUERY_RESULT, &count);
      printf("overdraw %u: %u\n", i, count);
   }
}

int
main(void)
{
   GLuint queries[3];

   open_target(WIDTH, HEIGHT, true);
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
            choose_state(program);
            draw_something();
         }
         glEndQuery(GL_SAMPLES_PASSED);
      }
      for (unsigned q = 0; q < 3; q++)
         glGetQueryObjectuiv(queries[q], GL_QUERY_RESULT, &counts[q]);
      CHECK(glGetError() == GL_NO_ERROR);
      printf("%u %u %u\n", counts[0], counts[1], counts[2]);
   }
   count_overdraw(queries[0], program);
   CHECK(glGetError() == GL_NO_ERROR);
   return 0;
}
