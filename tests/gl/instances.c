/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Instanced draws (GL_ARB_instanced_arrays, GL_ARB_draw_instanced): each instance fills a cell of its own with a colour of its
 * own.  Attributes have random divisors and formats, some of which the engine does not fetch; polygons as lines go through
 * Mesa's draw module.  The colour of a cell is computed here: instance n has element n / divisor.
 *
 * Usage: test_instances [FIRST COUNT]
 */

#include "opengl.h"

#define CASES 200
#define CELLS 8 /* a side */
#define SIDE  4 /* pixels of a cell */
#define SIZE  (CELLS * SIDE)

enum { CORNER, CELL, COLOR, PARTS };

/* The cell is an attribute, or follows from the number of the instance. */
static const char vertex_source[] = "#extension GL_ARB_draw_instanced : require\n"
                                    "attribute vec2 corner, cell; attribute vec4 color; uniform bool counts; varying vec4 v;\n"
                                    "void main() {\n"
                                    "   float n = float(gl_InstanceIDARB);\n"
                                    "   vec2 at = counts ? vec2(mod(n, 8.0), floor(n / 8.0)) : cell;\n"
                                    "   v = color;\n"
                                    "   gl_Position = vec4((at * 4.0 + corner) / 16.0 - 1.0, 0.0, 1.0);\n"
                                    "}\n";
static const char fragment_source[] = "varying vec4 v;\nvoid main() { gl_FragColor = v; }\n";

/* Through centres of pixels, so that lines meet them. */
static const float corners[4][2] = {{0.5f, 0.5f}, {3.5f, 0.5f}, {0.5f, 3.5f}, {3.5f, 3.5f}};
static const uint8_t order[] = {0, 1, 2, 3};

static GLuint buffers[PARTS];
static GLint uniform_counts;
static uint8_t colors[CELLS * CELLS][4], cells[CELLS * CELLS][2];
static float float_cells[CELLS * CELLS][2];

static void
set_buffer(GLuint buffer, const void *data, size_t size)
{
   glBindBuffer(GL_ARRAY_BUFFER, buffer);
   glBufferData(GL_ARRAY_BUFFER, size, data, GL_STREAM_DRAW);
}

static void
set_cells(GLuint buffer)
{
   const bool floats = one_in(2);

   for (unsigned i = 0; i < CELLS * CELLS; i++) {
      cells[i][0] = float_cells[i][0] = i % CELLS;
      cells[i][1] = float_cells[i][1] = i / CELLS;
   }
   set_buffer(buffer, floats ? (void *)float_cells : cells, floats ? sizeof(float_cells) : sizeof(cells));
   glVertexAttribPointer(CELL, 2, floats ? GL_FLOAT : GL_UNSIGNED_BYTE, GL_FALSE, 0, NULL);
   glVertexAttribDivisorARB(CELL, 1);
}

/* Returns the divisor. */
static unsigned
set_colors(GLuint buffer)
{
   const unsigned divisor = 1 + random_below(5);

   for (unsigned i = 0; i < sizeof(colors); i++)
      colors[i / 4][i % 4] = random_below(256);
   set_buffer(buffer, colors, sizeof(colors));
   glVertexAttribPointer(COLOR, 4, GL_UNSIGNED_BYTE, GL_TRUE, 0, NULL);
   glVertexAttribDivisorARB(COLOR, divisor);
   return divisor;
}

static void
draw(unsigned instances, bool lines)
{
   glPolygonMode(GL_FRONT_AND_BACK, lines ? GL_LINE : GL_FILL);
   if (one_in(2))
      glDrawArraysInstancedARB(GL_TRIANGLE_STRIP, 0, 4, instances);
   else
      glDrawElementsInstancedARB(GL_TRIANGLE_STRIP, 4, GL_UNSIGNED_BYTE, order, instances);
}

/* Number of cells with another colour. */
static unsigned
count_wrong(unsigned instances, unsigned divisor, bool lines)
{
   static uint8_t pixels[SIZE][SIZE][4];
   static const uint8_t none[4];
   unsigned wrong = 0;

   glReadPixels(0, 0, SIZE, SIZE, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
   for (unsigned i = 0; i < CELLS * CELLS; i++) {
      const uint8_t *is = pixels[i / CELLS * SIDE + !lines][i % CELLS * SIDE + 2];
      const uint8_t *should = i < instances ? colors[i / divisor] : none;

      wrong += memcmp(is, should, 4) != 0;
   }
   return wrong;
}

static unsigned
run(unsigned number)
{
   const unsigned instances = random_below(CELLS * CELLS + 1);
   const bool lines = one_in(4), counts = one_in(2);

   glUniform1i(uniform_counts, counts);
   set_cells(buffers[CELL]);
   const unsigned divisor = set_colors(buffers[COLOR]);
   glClear(GL_COLOR_BUFFER_BIT);
   draw(instances, lines);
   const unsigned wrong = count_wrong(instances, divisor, lines);
   if (wrong)
      printf("case %u: %u of %u instances, divisor %u%s%s\n", number, wrong, instances, divisor, lines ? ", lines" : "",
             counts ? ", counted" : "");
   return wrong;
}

/* An ordinary draw after an instanced one, with the same attributes. */
static bool
run_without(void)
{
   uint8_t pixel[4];

   glBindBuffer(GL_ARRAY_BUFFER, buffers[COLOR]);
   glVertexAttribDivisorARB(COLOR, 0);
   glVertexAttribDivisorARB(CELL, 0);
   memset(cells, 0, sizeof(cells));
   memset(colors, 99, sizeof(colors));
   set_buffer(buffers[COLOR], colors, sizeof(colors));
   set_buffer(buffers[CELL], cells, sizeof(cells));
   glVertexAttribPointer(CELL, 2, GL_UNSIGNED_BYTE, GL_FALSE, 0, NULL);
   glPolygonMode(GL_FRONT_AND_BACK, GL_FILL);
   glClear(GL_COLOR_BUFFER_BIT);
   glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
   glReadPixels(2, 1, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, pixel);
   return pixel[0] == 99;
}

int
main(int argc, char **argv)
{
   open_target(SIZE, SIZE, false);
   CHECK(strstr((const char *)glGetString(GL_EXTENSIONS), "GL_ARB_instanced_arrays"));
   const GLuint program = make_program(vertex_source, fragment_source, "corner cell color");
   glUseProgram(program);
   uniform_counts = glGetUniformLocation(program, "counts");
   glGenBuffers(PARTS, buffers);
   set_buffer(buffers[CORNER], corners, sizeof(corners));
   glVertexAttribPointer(CORNER, 2, GL_FLOAT, GL_FALSE, 0, NULL);
   for (unsigned i = 0; i < PARTS; i++)
      glEnableVertexAttribArray(i);
   const int status = run_numbered(argc, argv, CASES, run);
   CHECK(run_without());
   return status;
}
