/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Draws that take several passes (tegra20_pass.h): programs that write gl_FragDepth, and programs that discard and write
 * depth, with and without the stencil test, over primitives of all kinds that overlap within one draw.  Prints how many
 * pixels have which colour; same_output.py runs it on the simulated chip and on softpipe.
 *
 * Then programs of growing length, with and without blending: what fits alone is blended, if need be in a pass of its own.
 */

#define GL_GLEXT_PROTOTYPES
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <GL/gl.h>
#include <GL/glext.h>

#include "program.h"
#include "target.h"

#define SIZE 64
#define COLORS 8
#define SCENES 120
#define FIRST_STEPS 56 /* programs of about 64 packets */
#define MAX_STEPS 66

static unsigned state = 1;

static unsigned
random_below(unsigned n)
{
   state = state * 1664525 + 1013904223;
   return (state >> 8) % n;
}

/* Vertices of a draw, in sixteenths of a pixel. */
static int vertices[16][2];

/* Does the line through two vertices hit no centre of a pixel?  Which side such a pixel belongs to is not the same
 * everywhere. */
static bool
misses_centers(const int *a, const int *b)
{
   const int dx = b[0] - a[0], dy = b[1] - a[1];

   for (int x = 8; x < 16 * SIZE && dx; x += 16) {
      if (((a[1] - 8) * dx + dy * (x - a[0])) % (16 * dx) == 0)
         return false;
   }
   return true;
}

/* Odd sixteenths: horizontal and vertical lines miss the centres. */
static void
choose_vertices(unsigned count)
{
   for (unsigned i = 0; i < count;) {
      bool good = true;

      for (unsigned c = 0; c < 2; c++)
         vertices[i][c] = 2 * random_below(8 * SIZE) + 1;
      for (unsigned k = 0; k < i; k++)
         good = good && misses_centers(vertices[k], vertices[i]);
      i += good;
   }
}

static const char depth_source[] = "void main() {\n"
                                   "   gl_FragColor = gl_Color;\n"
                                   "   gl_FragDepth = gl_Color.a;\n"
                                   "}\n";
static const char discard_source[] = "void main() {\n"
                                     "   if (mod(floor(gl_FragCoord.x) + floor(gl_FragCoord.y), 3.0) < 0.5)\n"
                                     "      discard;\n"
                                     "   gl_FragColor = gl_Color;\n"
                                     "}\n";

/* The colour's number is in red, green and blue, a depth in alpha. */
static void
vertex(float x, float y, unsigned color)
{
   glColor4f(color & 1, color >> 1 & 1, color >> 2 & 1, (1 + color * 5 % 8) / 16.0f);
   glVertex3f(x, y, color * 3 % 8 / 8.0f);
}

static void
draw_something(void)
{
   static const GLenum modes[] = {GL_TRIANGLES, GL_TRIANGLE_STRIP, GL_TRIANGLE_FAN, GL_QUADS, GL_QUAD_STRIP, GL_POINTS};
   const GLenum mode = modes[random_below(6)];
   const unsigned count = 4 + random_below(12);

   choose_vertices(count);
   glBegin(mode);
   for (unsigned i = 0; i < count; i++) {
      /* one number after the other: compilers evaluate arguments in orders of their own */
      const unsigned color = random_below(COLORS);
      if (mode == GL_POINTS) {
         const float y = 8.5f + random_below(SIZE - 16), x = 8.5f + random_below(SIZE - 16);
         vertex(x, y, color);
      } else {
         vertex(vertices[i][0] / 16.0f, vertices[i][1] / 16.0f, color);
      }
   }
   glEnd();
}

static void
set(GLenum capability, bool on)
{
   (on ? glEnable : glDisable)(capability);
}

static void
print_colors(unsigned scene)
{
   static unsigned char pixels[SIZE][SIZE][4];
   unsigned counts[COLORS + 1] = {0};

   glReadPixels(0, 0, SIZE, SIZE, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
   for (unsigned y = 0; y < SIZE; y++) {
      for (unsigned x = 0; x < SIZE; x++) {
         const unsigned char *p = pixels[y][x];
         counts[p[0] == 51 ? COLORS : (p[0] != 0) + 2 * (p[1] != 0) + 4 * (p[2] != 0)]++;
      }
   }
   printf("%u:", scene);
   for (unsigned i = 0; i <= COLORS; i++)
      printf(" %u", counts[i]);
   printf("\n");
}

static void
draw_scenes(GLuint depth, GLuint discards)
{
   glShadeModel(GL_FLAT);
   glEnable(GL_DEPTH_TEST);
   glPointSize(5);
   for (unsigned scene = 0; scene < SCENES; scene++) {
      glClearColor(0.2f, 0.2f, 0.2f, 0.2f);
      glClearStencil(random_below(3));
      glDepthMask(GL_TRUE);
      glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT | GL_STENCIL_BUFFER_BIT);
      for (unsigned draws = 1 + random_below(3); draws > 0; draws--) {
         glUseProgram(random_below(2) ? depth : discards);
         glDepthFunc(random_below(3) ? GL_LESS : GL_GEQUAL);
         glDepthMask(random_below(4) > 0);
         set(GL_STENCIL_TEST, random_below(3) == 0);
         const GLint reference = random_below(4);
         glStencilFunc(GL_NEVER + 1 + random_below(7), reference, 3);
         glStencilOp(GL_KEEP, GL_INVERT, GL_INCR);
         set(GL_CULL_FACE, random_below(2));
         glCullFace(random_below(2) ? GL_FRONT : GL_BACK);
         draw_something();
      }
      print_colors(scene);
   }
   glDisable(GL_STENCIL_TEST);
   glDisable(GL_DEPTH_TEST);
   glDisable(GL_CULL_FACE);
}

static GLuint
long_program(unsigned steps)
{
   static char source[MAX_STEPS * 80 + 256];
   char *text = source;

   text += sprintf(text, "uniform vec4 u;\n"
                         "void main() {\n"
                         "   vec4 t = gl_Color;\n");
   for (unsigned i = 0; i < steps; i++)
      text += sprintf(text, "   t = t * t.yzwx + u.%c%c%c%c;\n", "xyzw"[i & 3], "xyzw"[i / 3 & 3], "xyzw"[i / 5 & 3],
                      "xyzw"[i / 7 & 3]);
   sprintf(text, "   gl_FragColor = vec4(clamp(t.xyz, 0.0, 0.375), 0.5);\n}\n");
   return make_program(NULL, source, NULL);
}

static void
draw_pixel(GLuint program, float background, unsigned char pixel[4])
{
   glClearColor(background, background, background, background);
   glClear(GL_COLOR_BUFFER_BIT);
   glUseProgram(program);
   glUniform4f(glGetUniformLocation(program, "u"), 0.1f, -0.05f, 0.07f, 0.02f);
   glColor4f(0.25f, 0.5f, 0.75f, 1);
   glRectf(0, 0, SIZE, SIZE);
   glReadPixels(SIZE / 2, SIZE / 2, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, pixel);
}

/* Returns how many differ from what they draw alone, plus the background. */
static unsigned
blend_long_programs(void)
{
   unsigned wrong = 0;

   for (unsigned steps = FIRST_STEPS; steps <= MAX_STEPS; steps++) {
      const GLuint program = long_program(steps);
      unsigned char alone[4], blended[4];

      glDisable(GL_BLEND);
      draw_pixel(program, 0, alone);
      if (alone[0] > 100)
         break; /* it does not fit: grey */
      glEnable(GL_BLEND);
      glBlendFuncSeparate(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA, GL_ONE, GL_ZERO);
      draw_pixel(program, 0.4f, blended);
      for (unsigned c = 0; c < 3; c++) {
         const int difference = blended[c] - (alone[c] + 102) / 2;
         if (difference < -2 || difference > 2) {
            fprintf(stderr, "%u steps: component %u is %u alone and %u blended with 102\n", steps, c, alone[c], blended[c]);
            wrong++;
         }
      }
      glDeleteProgram(program);
   }
   glDisable(GL_BLEND);
   return wrong;
}

int
main(void)
{
   EGLDisplay display = open_display();
   EGLContext context = create_context(display, EGL_OPENGL_API, EGL_NO_CONTEXT, NULL);

   make_current(display, context);
   make_target(SIZE, SIZE, true);
   glOrtho(0, SIZE, 0, SIZE, 0, -1);
   draw_scenes(make_program(NULL, depth_source, NULL), make_program(NULL, discard_source, NULL));
   printf("%u wrong\n", blend_long_programs());
   CHECK(glGetError() == GL_NO_ERROR);
   return 0;
}
