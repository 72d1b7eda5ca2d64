/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Programs that do not fit the chip link, and something is drawn with them: grey by a fragment program, nothing by a vertex
 * program.  With "refused" (and TEGRA20_DEBUG=refuse in the environment) they do not link.
 */

#include "opengl.h"

#define SIZE 16
#define LONG 3000 /* operations, each on the result of the one before */
#define FIRST_STEPS 56 /* programs of about 64 packets */
#define MAX_STEPS   66
#define ALIVE 600 /* values at one time, more than there are surfaces for */

static const char simple_vertex[] = "varying vec4 v;\n"
                                    "varying mat2 m;\n"
                                    "void main() { gl_Position = gl_Vertex; v = gl_Vertex; m = mat2(1.0); }\n";
static const char simple_fragment[] = "varying vec4 v;\n"
                                      "varying mat2 m;\n"
                                      "void main() { gl_FragColor = vec4(v.zw * 0.25 + m[1] * 0.25, 1.0, 1.0); }\n";
static char long_vertex[LONG * 40 + 256], long_fragment[512];

static char *
write_operations(char *text)
{
   for (unsigned i = 0; i < LONG; i++)
      text += sprintf(text, "   t = t * t.yzwx + vec4(0.%04u);\n", i + 1);
   return text;
}

static void
write_sources(void)
{
   char *text = long_fragment;
   sprintf(text,
           "varying mat2 m;\n"
           "varying vec4 v;\n"
           "void main() {\n"
           "   float f[%u], s = v.x + m[0].x;\n"
           "   for (int i = 0; i < %u; i++) { s = s * s * 0.7 + v.y; f[i] = s; }\n"
           "   for (int i = %u; i >= 0; i--) s = s * f[i] + v.z;\n"
           "   gl_FragColor = vec4(s);\n"
           "}\n",
           ALIVE, ALIVE, ALIVE - 1);
   text = long_vertex;
   text += sprintf(text, "varying vec4 v;\n"
                         "varying mat2 m;\n"
                         "void main() {\n"
                         "   vec4 t = gl_Vertex;\n"
                         "   gl_Position = gl_Vertex;\n");
   sprintf(write_operations(text), "   gl_Position += t; v = t; m = mat2(t);\n}\n");
}

static GLuint
link_program(const char *vertex, const char *fragment, bool *ok)
{
   const GLuint program = glCreateProgram();
   GLint status;
   attach_shader(program, GL_VERTEX_SHADER, vertex);
   attach_shader(program, GL_FRAGMENT_SHADER, fragment);
   glLinkProgram(program);
   glGetProgramiv(program, GL_LINK_STATUS, &status);
   *ok = status;
   return program;
}

/* The left half of the target is drawn to; returns one pixel of it, and expects the other half to be black. */
static unsigned
draw(GLuint program)
{
   static unsigned char pixels[SIZE][SIZE][4];
   clear_color(0.0f, 0.0f, 0.0f, 0.0f);
   glUseProgram(program);
   glRectf(-1.0f, -1.0f, 0.0f, 1.0f);
   glReadPixels(0, 0, SIZE, SIZE, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
   CHECK(glGetError() == GL_NO_ERROR);
   for (unsigned y = 0; y < SIZE; y++) {
      for (unsigned x = 0; x < SIZE; x++)
         CHECK(!memcmp(pixels[y][x], x < SIZE / 2 ? pixels[0][0] : (unsigned char[4]){0}, 4));
   }
   return pixels[0][0][0] | pixels[0][0][1] << 8 | pixels[0][0][2] << 16 | (unsigned)pixels[0][0][3] << 24;
}

static bool
is_grey(unsigned pixel)
{
   const unsigned red = pixel & 255;
   return red >= 126 && red <= 129 && pixel == (red * 0x010101u | 0xff000000u);
}

/* One of growing length; with blending it may not fit any more. */
static GLuint
growing_program(unsigned steps)
{
   static char source[MAX_STEPS * 80 + 256];
   char *text = source + sprintf(source, "uniform vec4 u;\nvoid main() {\n   vec4 t = gl_Color;\n");

   for (unsigned i = 0; i < steps; i++)
      text += sprintf(text, "   t = t * t.yzwx + u.%c%c%c%c;\n", "xyzw"[i & 3], "xyzw"[i / 3 & 3], "xyzw"[i / 5 & 3],
                      "xyzw"[i / 7 & 3]);
   sprintf(text, "   gl_FragColor = vec4(clamp(t.xyz, 0.0, 0.375), 0.5);\n}\n");
   return make_program(NULL, source, NULL);
}

/* What fits alone is blended, if need be in a pass of its own. */
static void
check_blending(void)
{
   glColor4f(0.25f, 0.5f, 0.75f, 1);
   glBlendFuncSeparate(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA, GL_ONE, GL_ZERO);
   for (unsigned steps = FIRST_STEPS; steps <= MAX_STEPS; steps++) {
      const GLuint program = growing_program(steps);
      unsigned char pixels[2][4];

      glUseProgram(program);
      glUniform4f(glGetUniformLocation(program, "u"), 0.1f, -0.05f, 0.07f, 0.02f);
      for (unsigned blended = 0; blended < 2; blended++) {
         const float background = blended ? 0.4f : 0;
         clear_color(background, background, background, background);
         enable(GL_BLEND, blended);
         glRectf(-1, -1, 1, 1);
         glReadPixels(SIZE / 2, SIZE / 2, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, pixels[blended]);
      }
      for (unsigned c = 0; c < 3; c++)
         CHECK(abs(pixels[1][c] - (pixels[0][c] + 102) / 2) <= 2);
      glDeleteProgram(program);
   }
   glDisable(GL_BLEND);
}

int
main(int argc, char **argv)
{
   const bool refused = argc == 2 && !strcmp(argv[1], "refused");
   bool ok;

   write_sources();
   open_target(SIZE, SIZE, false);

   GLuint program = link_program(simple_vertex, long_fragment, &ok);
   CHECK(ok == !refused);
   if (ok) {
      CHECK(is_grey(draw(program)));
      blend_with(GL_ZERO, GL_ZERO);
      CHECK(draw(program) == 0);
      glDisable(GL_BLEND);
   }
   program = link_program(long_vertex, simple_fragment, &ok);
   CHECK(ok == !refused);
   if (ok)
      CHECK(draw(program) == 0);
   /* what fits is drawn as it is */
   program = link_program(simple_vertex, simple_fragment, &ok);
   CHECK(ok && !is_grey(draw(program)));
   if (!refused)
      check_blending();
   return 0;
}
