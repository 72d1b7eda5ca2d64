/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Programs that are drawn in parts, one line per state.  Each scene is drawn with a small program and with a large one,
 * which turns its values round by angles that add up to nothing.  Colour, depth and stencil have to be the same, whatever
 * the state: the triangles of a draw cover each other, and in some of the programs every part computes whether to discard.
 *
 * Usage: test_parts [STATE]
 */

#define GL_GLEXT_PROTOTYPES
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <GL/gl.h>
#include <GL/glext.h>

#include "program.h"
#include "target.h"

#define SIZE 32
#define VERTICES 48
#define MANY 16500 /* primitives */
#define TOLERANCE 4

static const char *const cases[] = {
   /* overlapping triangles, each of them over what is there */
   "", "blend", "add", "mask", "mask blend", "logic", "alpha", "alpha blend",
   /* depth and stencil */
   "depth", "depth blend", "depth readonly", "stencil", "depth stencil", "depth stencil blend",
   /* discard, early and late tests */
   "discard", "discard blend", "discard depth", "discard depth blend", "discard stencil", "discard depth stencil",
   "discard depth readonly stencil", "discard mask blend",
   /* geometry */
   "points", "points blend discard", "lines", "lines blend", "lines discard depth", "strip", "strip blend", "fan blend",
   "loop blend", "points many blend", "cull blend", "index blend", "index discard depth stencil", "quad", "quad blend",
   /* where */
   "scissor", "scissor blend discard", "small blend",
   /* more than one target */
   "two", "two blend", "two discard",
};

static const char vertex[] = "varying vec2 where;\n"
                             "void main() { gl_Position = gl_Vertex; gl_FrontColor = gl_Color; gl_BackColor = gl_Color;\n"
                             "where = gl_Vertex.xy; }\n";

static struct {
   GLfloat position[3], color[4];
} vertices[VERTICES];
static GLushort indices[MANY];
static GLuint programs[2][4]; /* small and large; 1: discards, 2: two targets */
static GLuint second;         /* texture of the second target */

struct picture {
   unsigned char color[SIZE * SIZE][4], second[SIZE * SIZE][4], stencil[SIZE * SIZE];
   GLfloat depth[SIZE * SIZE];
};

static GLuint
make_fragment_program(bool large, bool discards, bool two)
{
   char source[2048];

   snprintf(source, sizeof(source),
            "varying vec2 where;\n"
            "vec4 turn(vec4 x) { return vec4(0.8 * x.xy - 0.6 * x.zw, 0.6 * x.xy + 0.8 * x.zw); }\n"
            "vec4 back(vec4 x) { return vec4(0.8 * x.xy + 0.6 * x.zw, 0.8 * x.zw - 0.6 * x.xy); }\n"
            "void main() {\n"
            "   vec4 c = gl_Color, k = vec4(gl_FragCoord.xy / 32.0, 0.3, 0.6);\n"
            "   for (int i = 0; i < %u; i++) { c = turn(c); k = turn(k); }\n"
            "   %s if (k.z > 2.0) discard;\n"
            "   for (int i = 0; i < %u; i++) { c = back(c); k = back(k); }\n"
            "   %s if (mod(floor(k.x * 32.0), 3.0) < 0.5) discard;\n"
            "   %s if (mod(floor(k.y * 32.0), 4.0) < 0.5) discard;\n"
            "   %s\n"
            "}\n",
            large ? 16 : 0, discards ? "" : "//", large ? 16 : 0, discards ? "" : "//", discards ? "" : "//",
            two ? "gl_FragData[0] = c; gl_FragData[1] = c.wzyx * 0.5;" : "gl_FragColor = c;");
   return make_program(vertex, source, NULL);
}

static void
make_scene(void)
{
   srand(5);
   for (unsigned i = 0; i < VERTICES; i++) {
      for (unsigned c = 0; c < 3; c++)
         vertices[i].position[c] = (rand() % 2001) / 1000.0f - 1;
      for (unsigned c = 0; c < 4; c++)
         vertices[i].color[c] = (rand() % 800) / 1000.0f + 0.1f;
   }
   for (unsigned i = 0; i < MANY; i++)
      indices[i] = (i * 7) % VERTICES;
}

static bool
has(const char *state, const char *word)
{
   const char *found = strstr(state, word);
   return found && (found == state || found[-1] == ' ');
}

static void
apply(const char *state)
{
   const bool mask = has(state, "mask");

   glClearColor(0.2f, 0.6f, 0.4f, 0.8f);
   glClearStencil(3);
   glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT | GL_STENCIL_BUFFER_BIT);
   (has(state, "blend") || has(state, "add") ? glEnable : glDisable)(GL_BLEND);
   if (has(state, "add"))
      glBlendFunc(GL_ONE, GL_ONE);
   else
      glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
   glColorMask(1, !mask, 1, !mask);
   (has(state, "logic") ? glEnable : glDisable)(GL_COLOR_LOGIC_OP);
   glLogicOp(GL_COPY_INVERTED);
   (has(state, "alpha") ? glEnable : glDisable)(GL_ALPHA_TEST);
   glAlphaFunc(GL_GREATER, 0.05f);
   (has(state, "depth") ? glEnable : glDisable)(GL_DEPTH_TEST);
   glDepthMask(!has(state, "readonly"));
   (has(state, "stencil") ? glEnable : glDisable)(GL_STENCIL_TEST);
   glStencilFunc(GL_LEQUAL, 2, 0xff);
   glStencilOp(GL_KEEP, GL_DECR, GL_INCR);
   (has(state, "cull") ? glEnable : glDisable)(GL_CULL_FACE);
   (has(state, "scissor") ? glEnable : glDisable)(GL_SCISSOR_TEST);
   glScissor(5, 7, 13, 11);
   if (has(state, "small"))
      glViewport(3, 5, 17, 9);
   glPointSize(9);
   glLineWidth(has(state, "blend") ? 1 : 3);
}

static void
restore(void)
{
   glViewport(0, 0, SIZE, SIZE);
   glDisable(GL_SCISSOR_TEST);
   glDisable(GL_COLOR_LOGIC_OP);
   glColorMask(1, 1, 1, 1);
   glDepthMask(1);
}

static void
draw(const char *state)
{
   const GLenum mode = has(state, "points")  ? GL_POINTS
                       : has(state, "lines") ? GL_LINES
                       : has(state, "loop")  ? GL_LINE_LOOP
                       : has(state, "strip") ? GL_TRIANGLE_STRIP
                       : has(state, "fan")   ? GL_TRIANGLE_FAN
                       : has(state, "quad")  ? GL_QUADS
                                             : GL_TRIANGLES;

   glVertexPointer(3, GL_FLOAT, sizeof(vertices[0]), vertices[0].position);
   glColorPointer(4, GL_FLOAT, sizeof(vertices[0]), vertices[0].color);
   glEnableClientState(GL_VERTEX_ARRAY);
   glEnableClientState(GL_COLOR_ARRAY);
   if (has(state, "index") || has(state, "many"))
      glDrawElements(mode, has(state, "many") ? MANY : VERTICES, GL_UNSIGNED_SHORT, indices);
   else
      glDrawArrays(mode, 0, VERTICES);
}

static void
make_picture(const char *state, bool large, struct picture *p)
{
   static const GLenum both[] = {GL_COLOR_ATTACHMENT0, GL_COLOR_ATTACHMENT1};
   const bool two = has(state, "two");

   memset(p, 0, sizeof(*p));
   glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT1, GL_TEXTURE_2D, two ? second : 0, 0);
   glDrawBuffers(two ? 2 : 1, both);
   CHECK(glCheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE);
   restore();
   apply(state);
   glUseProgram(programs[large][has(state, "discard") | two << 1]);
   draw(state);
   restore();
   glReadBuffer(GL_COLOR_ATTACHMENT0);
   glReadPixels(0, 0, SIZE, SIZE, GL_RGBA, GL_UNSIGNED_BYTE, p->color);
   glReadPixels(0, 0, SIZE, SIZE, GL_DEPTH_COMPONENT, GL_FLOAT, p->depth);
   glReadPixels(0, 0, SIZE, SIZE, GL_STENCIL_INDEX, GL_UNSIGNED_BYTE, p->stencil);
   if (two) {
      glReadBuffer(GL_COLOR_ATTACHMENT1);
      glReadPixels(0, 0, SIZE, SIZE, GL_RGBA, GL_UNSIGNED_BYTE, p->second);
   }
   CHECK(glGetError() == GL_NO_ERROR);
}

static unsigned
difference(const unsigned char *a, const unsigned char *b)
{
   unsigned most = 0;

   for (unsigned c = 0; c < 4; c++) {
      const unsigned d = abs(a[c] - b[c]);
      most = d > most ? d : most;
   }
   return most;
}

static bool
same(const char *state, const struct picture *a, const struct picture *b)
{
   unsigned wrong = 0, drawn = 0, worst = 0;

   for (unsigned i = 0; i < SIZE * SIZE; i++) {
      const unsigned d1 = difference(a->color[i], b->color[i]), d2 = difference(a->second[i], b->second[i]);
      worst = d1 > worst ? d1 : worst;
      worst = d2 > worst ? d2 : worst;
      drawn += memcmp(a->color[i], (unsigned char[]){51, 153, 102, 204}, 4) != 0;
      if (d1 <= TOLERANCE && d2 <= TOLERANCE && a->depth[i] == b->depth[i] && a->stencil[i] == b->stencil[i])
         continue;
      if (!wrong++)
         printf("[%s] pixel %u,%u: colour %u %u %u %u, not %u %u %u %u; depth %f, not %f; stencil %u, not %u\n", state, i % SIZE,
                i / SIZE, b->color[i][0], b->color[i][1], b->color[i][2], b->color[i][3], a->color[i][0], a->color[i][1],
                a->color[i][2], a->color[i][3], b->depth[i], a->depth[i], b->stencil[i], a->stencil[i]);
   }
   if (drawn < 16)
      printf("[%s] only %u pixels are drawn\n", state, drawn);
   if (wrong)
      printf("[%s] %u pixels are wrong, by up to %u\n", state, wrong, worst);
   return !wrong && drawn >= 16;
}

int
main(int argc, char **argv)
{
   static struct picture pictures[2];
   unsigned failures = 0;

   EGLDisplay display = open_target(SIZE, SIZE, true);
   glGenTextures(1, &second);
   glBindTexture(GL_TEXTURE_2D, second);
   glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, SIZE, SIZE, 0, GL_RGBA, GL_UNSIGNED_BYTE, NULL);
   for (unsigned i = 0; i < 8; i++)
      programs[i / 4][i % 4] = make_fragment_program(i / 4, i & 1, i & 2);
   make_scene();
   for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
      if (argc == 2 && strcmp(argv[1], cases[i]))
         continue;
      make_picture(cases[i], false, &pictures[0]);
      make_picture(cases[i], true, &pictures[1]);
      failures += !same(cases[i], &pictures[0], &pictures[1]);
   }
   eglTerminate(display);
   return failures != 0;
}
