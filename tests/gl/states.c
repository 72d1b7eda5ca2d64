/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Prints a hash of the picture for many combinations of the state of OpenGL 2.1 that the chip does not have and the driver
 * makes up for.  same_output.py runs it on the simulated chip and on softpipe.
 *
 * Colours are 0 or 1 and no centre of a pixel lies on an edge, so that the pictures have to be equal; lines are horizontal
 * and vertical, because rules for others leave room.
 */

#include "opengl.h"

#define SIZE 96

static const char *group;

/* In which direction the edges of polygons are drawn, and so which of their ends is not, is open: only their length counts. */
static void
print_picture(unsigned number, bool edges)
{
   static unsigned char pixels[SIZE * SIZE * 4];
   uint32_t hash = 2166136261u;
   unsigned drawn = 0;

   glReadPixels(0, 0, SIZE, SIZE, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
   for (unsigned i = 0; i < SIZE * SIZE; i++) {
      unsigned bits = 0;
      for (unsigned c = 0; c < 3; c++)
         bits = bits << 1 | pixels[i * 4 + c] >> 7;
      drawn += bits != 0;
      hash = (hash ^ bits) * 16777619;
   }
   printf("%s %u: %u pixels, %08x\n", group, number, drawn, edges ? 0 : hash);
   CHECK(glGetError() == GL_NO_ERROR);
}

static void
print_hash(unsigned number)
{
   print_picture(number, false);
}

static void
begin(const char *name)
{
   glPushAttrib(GL_ALL_ATTRIB_BITS);
   group = name;
   random_state = 1;
}

/* A case: its picture. */
static void
end(unsigned number)
{
   print_picture(number, false);
   glPopAttrib();
}

static void
clear(void)
{
   glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT | GL_STENCIL_BUFFER_BIT);
}

static void
random_color(void)
{
   const unsigned color = 1 + random_below(7);
   glColor3f(color & 1, color >> 1 & 1, color >> 2);
}

/* Odd sixteenths: no centre of a pixel lies on an edge. */
static float
edge(void)
{
   return (2 * random_below(8 * SIZE) + 1) / 16.0f;
}

static float
center(void)
{
   return random_below(SIZE) + 0.5f;
}

/* Rectangles in one of the ways to draw them, facing us or not; filled, or else with corners for lines and points. */
static void
rectangle(unsigned way, bool front, bool filled, float z)
{
   static const GLenum modes[] = {GL_TRIANGLES, GL_TRIANGLE_STRIP, GL_TRIANGLE_FAN, GL_QUADS, GL_QUAD_STRIP, GL_POLYGON};
   static const unsigned char strip[4] = {0, 1, 2, 3}, around[4] = {0, 1, 3, 2}, list[6] = {0, 1, 2, 2, 1, 3};
   const GLenum mode = modes[way % 6];
   const bool strips = mode == GL_TRIANGLE_STRIP || mode == GL_QUAD_STRIP;
   const unsigned char *order = mode == GL_TRIANGLES ? list : strips ? strip : around;
   float x[2], y[2];

   for (unsigned i = 0; i < 2; i++) {
      x[i] = filled ? edge() : center();
      y[i] = filled ? edge() : center();
   }
   /* a triangle strip (x0, y0), (x1, y0), (x0, y1) faces us when both grow, and so do the others */
   if ((x[0] < x[1]) != (y[0] < y[1]) ? front : !front) {
      const float other = x[0];
      x[0] = x[1];
      x[1] = other;
   }
   random_color();
   glBegin(mode);
   for (unsigned v = 0; v < (mode == GL_TRIANGLES ? 6 : 4); v++) {
      glEdgeFlag(random_below(2));
      glVertex3f(x[order[v] & 1], y[order[v] >> 1], z);
   }
   glEnd();
}

static void
rectangles(unsigned count, float z)
{
   for (unsigned i = 0; i < count; i++)
      rectangle(i, random_below(2), true, z);
}

/* Horizontal and vertical lines from pixel centre to pixel centre. */
static void
lines(unsigned count)
{
   for (unsigned i = 0; i < count; i++) {
      static const GLenum modes[] = {GL_LINES, GL_LINE_STRIP, GL_LINE_LOOP};
      const float x[2] = {center(), center()}, y[2] = {center(), center()};

      random_color();
      glBegin(modes[i % 3]);
      for (unsigned v = 0; v < 4; v++)
         glVertex2f(x[(v ^ v >> 1) & 1], y[v >> 1]);
      glEnd();
   }
}

/* --- cases --------------------------------------------------------------------------------------------------------- */

static void
polygon_modes(void)
{
   static const GLenum modes[] = {GL_FILL, GL_LINE, GL_POINT};
   static const GLenum faces[] = {GL_NONE, GL_FRONT, GL_BACK};

   for (unsigned i = 0; i < 54; i++) {
      begin("polygon mode");
      glPolygonMode(GL_FRONT, modes[i % 3]);
      glPolygonMode(GL_BACK, modes[i / 3 % 3]);
      glFrontFace(i / 27 ? GL_CW : GL_CCW);
      if (faces[i / 9 % 3]) {
         glEnable(GL_CULL_FACE);
         glCullFace(faces[i / 9 % 3]);
      }
      clear();
      for (unsigned n = 0; n < 12; n++)
         rectangle(n, n / 6, modes[(n / 6) ^ (i / 27) ? i % 3 : i / 3 % 3] == GL_FILL, 0);
      print_picture(i, i % 3 == 1 || i / 3 % 3 == 1);
      glPopAttrib();
   }
}

static void
stipples(void)
{
   GLubyte pattern[128];

   for (unsigned i = 0; i < 8; i++) {
      begin("polygon stipple");
      random_state = i + 1;
      for (unsigned b = 0; b < 128; b++)
         pattern[b] = random_below(256);
      glPolygonStipple(pattern);
      glEnable(GL_POLYGON_STIPPLE);
      clear();
      rectangles(6, 0);
      lines(3);
      end(i);
   }
   for (unsigned i = 0; i < 12; i++) {
      begin("line stipple");
      random_state = i + 1;
      glLineStipple(1 + i % 4, random_below(65536));
      glEnable(GL_LINE_STIPPLE);
      if (i >= 6)
         glPolygonMode(GL_FRONT_AND_BACK, GL_LINE);
      clear();
      if (i < 6)
         lines(3);
      else
         glRectf(10.5f, 12.5f, 70.5f, 61.5f);
      end(i);
   }
}

static void
wide(void)
{
   for (unsigned i = 0; i < 8; i++) {
      begin("wide lines");
      random_state = i + 1;
      glLineWidth(1 + 2 * i);
      clear();
      lines(3);
      end(i);
   }
}

/* A colour per vertex.  Quads may or may not follow the convention, and where their diagonal lies is open. */
static void
provoking_vertex(void)
{
   static const GLenum modes[] = {GL_TRIANGLES, GL_TRIANGLE_STRIP, GL_TRIANGLE_FAN, GL_LINES, GL_LINE_STRIP, GL_LINE_LOOP};

   for (unsigned i = 0; i < 24; i++) {
      const bool filled = i / 2 % 6 < 3;

      begin("provoking vertex");
      random_state = i / 2 + 1;
      glProvokingVertex(i & 1 ? GL_FIRST_VERTEX_CONVENTION : GL_LAST_VERTEX_CONVENTION);
      clear();
      glBegin(modes[i / 2 % 6]);
      for (unsigned v = 0; v < 6; v++) {
         static const float place[6][2] = {{5, 7}, {41, 9}, {22, 30}, {71, 40}, {40, 66}, {12, 71}};
         static const float square[6][2] = {{5, 7}, {41, 7}, {41, 40}, {71, 40}, {71, 71}, {5, 71}};
         random_color();
         if (filled)
            glVertex2f(place[v][0] + 7 / 16.0f, place[v][1] + 3 / 16.0f);
         else
            glVertex2f(square[v][0] + 0.5f, square[v][1] + 0.5f);
      }
      glEnd();
      end(i);
      glProvokingVertex(GL_LAST_VERTEX_CONVENTION);
   }
}

static void
fragment_operations(void)
{
   for (unsigned i = 0; i < 16; i++) {
      begin("logic operation");
      glEnable(GL_COLOR_LOGIC_OP);
      glLogicOp(GL_CLEAR + i);
      clear();
      rectangles(8, 0);
      end(i);
   }
   for (unsigned i = 0; i < 8; i++) {
      begin("polygon offset");
      glEnable(GL_DEPTH_TEST);
      glEnable(i & 1 ? GL_POLYGON_OFFSET_FILL : GL_POLYGON_OFFSET_LINE);
      glPolygonMode(GL_FRONT_AND_BACK, i & 4 ? GL_LINE : GL_FILL);
      glPolygonOffset(0, i & 2 ? 600 : -600);
      clear();
      for (unsigned n = 0; n < 6; n++)
         rectangle(n, n & 1, !(i & 4), 0);
      glDisable(GL_POLYGON_OFFSET_FILL);
      glDisable(GL_POLYGON_OFFSET_LINE);
      for (unsigned n = 0; n < 6; n++)
         rectangle(n, n & 1, !(i & 4), 0);
      print_picture(i, i & 4);
      glPopAttrib();
   }
}

static void
restart(void)
{
   static const GLenum modes[] = {GL_POINTS, GL_LINES, GL_LINE_LOOP, GL_LINE_STRIP, GL_TRIANGLES, GL_TRIANGLE_STRIP,
                                  GL_TRIANGLE_FAN, GL_QUADS, GL_QUAD_STRIP, GL_POLYGON};
   GLfloat positions[64][2], colors[64][3];
   GLubyte bytes[200];
   GLushort shorts[200];
   GLuint ints[200];

   begin("primitive restart");
   glEnableClientState(GL_VERTEX_ARRAY);
   glEnableClientState(GL_COLOR_ARRAY);
   glVertexPointer(2, GL_FLOAT, 0, positions);
   glColorPointer(3, GL_FLOAT, 0, colors);
   glEnableClientState(GL_PRIMITIVE_RESTART_NV);
   glPrimitiveRestartIndexNV(200);
   for (unsigned i = 0; i < 30; i++) {
      const bool around = i % 10 == 2 || i % 10 == 6 || i % 10 == 7 || i % 10 == 9, in_line = i % 10 == 1 || i % 10 == 3;
      unsigned count = 0;

      for (unsigned n = 0; n < 64; n++) { /* a grid, so that vertices make right angles */
         positions[n][0] = n % 8 * 11 + (i % 10 < 4 ? 4.5f : 4 + 9 / 16.0f);
         positions[n][1] = n / 8 * 11 + (i % 10 < 4 ? 4.5f : 4 + 11 / 16.0f);
         for (unsigned c = 0; c < 3; c++)
            colors[n][c] = (n + 1) >> c & 1;
      }
      for (unsigned cell = 0; cell < 6; cell++) {
         static const unsigned char corners[2][4] = {{0, 1, 8, 9}, {0, 1, 9, 8}};
         for (unsigned v = 0; v < 4; v++)
            ints[count++] = cell % 3 * 2 + cell / 3 * 24 + (in_line ? v % 2 : corners[around][v]);
         if (cell != 2)
            ints[count++] = 200;
         if (cell == 4)
            ints[count++] = 200;
      }
      for (unsigned n = 0; n < count; n++)
         bytes[n] = shorts[n] = ints[n];
      clear();
      glDrawElements(modes[i % 10], count, i / 10 == 0 ? GL_UNSIGNED_BYTE : i / 10 == 1 ? GL_UNSIGNED_SHORT : GL_UNSIGNED_INT,
                     i / 10 == 0 ? (void *)bytes : i / 10 == 1 ? (void *)shorts : (void *)ints);
      print_hash(i);
   }
   glDisableClientState(GL_PRIMITIVE_RESTART_NV);
   glDisableClientState(GL_VERTEX_ARRAY);
   glDisableClientState(GL_COLOR_ARRAY);
   glPopAttrib();
}

/* --- changes between draws ------------------------------------------------------------------------------------------- */

#define NUM_TEXTURES 4
#define NUM_PROGRAMS 3

static GLuint textures[NUM_TEXTURES], programs[NUM_PROGRAMS], targets[2];

static void
new_texture(unsigned n)
{
   static const GLenum formats[] = {GL_RGBA, GL_RGB, GL_LUMINANCE_ALPHA, GL_ALPHA};
   unsigned char texels[2 * 2 * 4];

   for (unsigned i = 0; i < sizeof(texels); i++)
      texels[i] = random_below(2) ? 255 : 0;
   glDeleteTextures(1, &textures[n]);
   textures[n] = filtered_texture(GL_TEXTURE_2D, GL_NEAREST);
   glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
   glTexImage2D(GL_TEXTURE_2D, 0, formats[random_below(4)], 2, 2, 0, formats[random_below(4)], GL_UNSIGNED_BYTE, texels);
}

/* Programs of the same kinds follow each other, in the memory of those that are deleted. */
static void
new_program(unsigned n)
{
   static const char vertex[] = "void main() { gl_Position = ftransform(); gl_FrontColor = gl_Color; }";
   static const char *const fragments[] = {
      "uniform vec4 color; void main() { gl_FragColor = abs(gl_Color - color); }",
      "uniform vec4 color; void main() { if (gl_Color.r > 0.5) discard; gl_FragColor = color; }",
      "uniform sampler2D t; uniform vec4 color; void main() { gl_FragColor = texture2D(t, color.xy) * gl_Color; }",
   };

   glDeleteProgram(programs[n]);
   programs[n] = make_program(vertex, fragments[random_below(3)], NULL);
   glUseProgram(programs[n]);
}

static GLenum
factor(void)
{
   static const GLenum factors[] = {GL_ONE, GL_ZERO, GL_SRC_COLOR, GL_ONE_MINUS_SRC_ALPHA, GL_DST_COLOR, GL_DST_ALPHA,
                                    GL_ONE_MINUS_DST_COLOR, GL_CONSTANT_COLOR};
   /* blending that replaces, or adds, is the most usual, and two draws in three have one factor of it */
   return random_below(3) ? factors[random_below(2)] : factors[random_below(8)];
}

static GLenum
equation(void)
{
   static const GLenum equations[] = {GL_FUNC_ADD, GL_FUNC_SUBTRACT, GL_FUNC_REVERSE_SUBTRACT, GL_MIN, GL_MAX};
   return equations[random_below(2) ? 0 : random_below(5)];
}

static void
change_pixels(void)
{
   switch (random_below(6)) {
   case 0: enable(GL_BLEND, random_below(3)); break;
   case 1: glBlendFunc(factor(), factor()); break;
   case 2: glBlendFuncSeparate(factor(), factor(), factor(), factor()); break;
   case 3: glBlendEquationSeparate(equation(), equation()); break;
   case 4: glBlendColor(random_below(2), random_below(2), random_below(2), random_below(2)); break;
   default: glColorMask(random_below(4), random_below(4), random_below(4), random_below(4)); break;
   }
}

static void
change_tests(void)
{
   static const GLenum operations[] = {GL_KEEP, GL_ZERO, GL_REPLACE, GL_INVERT};

   switch (random_below(6)) {
   case 0: enable(GL_ALPHA_TEST, random_below(2)); break;
   case 1: glAlphaFunc(random_below(2) ? GL_LESS : GL_GEQUAL, 0.5f); break;
   case 2: enable(GL_STENCIL_TEST, random_below(2)); break;
   case 3: glStencilFunc(random_below(2) ? GL_EQUAL : GL_GEQUAL, random_below(4), 3); break;
   case 4: glStencilOp(operations[random_below(4)], GL_KEEP, operations[random_below(4)]); break;
   default: enable(GL_COLOR_LOGIC_OP, !random_below(4)); break;
   }
}

static void
change_programs(void)
{
   GLint program;

   switch (random_below(4)) {
   case 0: glUseProgram(0); break;
   case 1: new_program(random_below(NUM_PROGRAMS)); break;
   default: glUseProgram(programs[random_below(NUM_PROGRAMS)]); break;
   }
   glGetIntegerv(GL_CURRENT_PROGRAM, &program);
   if (program)
      glUniform4f(glGetUniformLocation(program, "color"), random_below(2), random_below(2), random_below(2), random_below(2));
}

static void
change_textures(void)
{
   static const GLenum modes[] = {GL_MODULATE, GL_REPLACE, GL_ADD};

   switch (random_below(5)) {
   case 0: new_texture(random_below(NUM_TEXTURES)); break;
   case 1: enable(GL_TEXTURE_2D, random_below(2)); break;
   case 2: glTexEnvi(GL_TEXTURE_ENV, GL_TEXTURE_ENV_MODE, modes[random_below(3)]); break;
   case 3: glBindFramebuffer(GL_FRAMEBUFFER, targets[random_below(2)]); break;
   default: glBindTexture(GL_TEXTURE_2D, textures[random_below(NUM_TEXTURES)]); break;
   }
   glTexCoord2f(random_below(2) / 2.0f + 0.25f, random_below(2) / 2.0f + 0.25f);
}

static void
change_areas(void)
{
   static const GLenum functions[] = {GL_LESS, GL_LEQUAL, GL_GREATER, GL_NOTEQUAL, GL_ALWAYS};

   switch (random_below(7)) {
   case 0: enable(GL_SCISSOR_TEST, random_below(2)); break;
   case 1: glScissor(random_below(40), random_below(40), random_below(SIZE), random_below(SIZE)); break;
   case 2: glViewport(random_below(40), random_below(40), SIZE, SIZE); break;
   case 3: enable(GL_DEPTH_TEST, random_below(3)); break;
   case 4: glDepthMask(random_below(3)); break;
   default: glDepthFunc(functions[random_below(5)]); break;
   }
}

/* What the driver remembers of earlier draws has to be forgotten when it is not true any more, and only then. */
static void
changes(void)
{
   static void (*const change[])(void) = {change_programs, change_pixels, change_programs, change_tests, change_textures};
   static void (*const light[])(void) = {change_pixels, change_tests, change_areas, change_areas, change_areas};

   for (unsigned i = 0; i < 200; i++) {
      begin("changes");
      random_state = i + 1;
      glLogicOp(i & 4 ? GL_COPY : GL_XOR);
      for (unsigned n = 0; n < NUM_TEXTURES; n++)
         new_texture(n);
      for (unsigned n = 0; n < NUM_PROGRAMS; n++)
         new_program(n);
      glUseProgram(0);
      for (unsigned n = 0; n < 2; n++) {
         glBindFramebuffer(GL_FRAMEBUFFER, targets[n]);
         clear();
      }
      glStencilFunc(GL_GEQUAL, 1, 3);
      glStencilOp(GL_KEEP, GL_KEEP, GL_INVERT);
      enable(GL_STENCIL_TEST, i & 2);
      for (unsigned n = 0; n < 30; n++) {
         /* of programs and blending alone, or of all; or of what leaves programs alone */
         (i < 100 ? change[random_below(i & 1 ? 2 : 5)] : light[random_below(5)])();
         rectangle(i < 100 ? n : n / 10, true, true, i < 100 ? 0 : random_below(3) * 0.5f - 0.5f);
      }
      glUseProgram(0);
      for (unsigned n = 0; n < 2; n++) {
         glBindFramebuffer(GL_FRAMEBUFFER, targets[n]);
         print_hash(i * 2 + n);
      }
      glPopAttrib();
   }
   glDeleteTextures(NUM_TEXTURES, textures);
   for (unsigned n = 0; n < NUM_PROGRAMS; n++)
      glDeleteProgram(programs[n]);
}

int
main(void)
{
   open_target(SIZE, SIZE, true);
   glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, target_buffer(GL_RGB8, SIZE, SIZE));
   glGetIntegerv(GL_FRAMEBUFFER_BINDING, (GLint *)&targets[0]);
   targets[1] = make_target(SIZE, SIZE, true);
   glMatrixMode(GL_PROJECTION);
   glOrtho(0, SIZE, 0, SIZE, -1, 1);
   glMatrixMode(GL_MODELVIEW);
   glShadeModel(GL_FLAT);

   polygon_modes();
   stipples();
   wide();
   provoking_vertex();
   fragment_operations();
   restart();
   changes();
   return 0;
}
