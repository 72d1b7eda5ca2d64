/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Off screen, where the driver turns faces over: which face is culled, which one gl_FrontFacing says is left, and whose
 * stencil operation it gets, for both windings; also of programs that write depth or discard, and of lines.  Meson runs it
 * on chips that read the culling field and measure windings in the other way, too.
 */

#include "opengl.h"

#define SIZE 32

static const char vertex_source[] = "void main() { gl_Position = gl_Vertex; }";

static const char *const fragment_sources[] = {
   "void main() { gl_FragColor = gl_FrontFacing ? vec4(1, 0, 0, 1) : vec4(0, 1, 0, 1); }",
   "void main() { gl_FragColor = gl_FrontFacing ? vec4(1, 0, 0, 1) : vec4(0, 1, 0, 1); gl_FragDepth = 0.25; }",
   "void main() { if (gl_FragCoord.x < 0.0) discard; gl_FragColor = gl_FrontFacing ? vec4(1, 0, 0, 1) : vec4(0, 1, 0, 1); }",
   "void main() { gl_FragColor = vec4(1, 1, 0, 1); gl_FragDepth = 0.25; }",
};
#define NUM_PROGRAMS (COUNT(fragment_sources))

static void
clear(void)
{
   clear_all(0, 0, 1, 1, 1, 3);
}

static void
check(unsigned program, bool drawn, bool front)
{
   const bool asks = program != 3;
   unsigned char color[4], stencil;
   glReadPixels(SIZE / 2, SIZE / 2, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, color);
   glReadPixels(SIZE / 2, SIZE / 2, 1, 1, GL_STENCIL_INDEX, GL_UNSIGNED_BYTE, &stencil);
   CHECK(color[0] == (drawn && (front || !asks) ? 255 : 0));
   CHECK(color[1] == (drawn && (!front || !asks) ? 255 : 0));
   CHECK(color[2] == (drawn ? 0 : 255));
   CHECK(stencil == (!drawn ? 3 : front ? 0x50 : 4));
}

/* Nothing is culled, front or back; before, beside the pixel that is looked at, the other two of these: nothing may stay. */
static void
draw_triangle(bool clockwise, unsigned cull)
{
   clear();
   glEnable(GL_SCISSOR_TEST);
   for (unsigned n = 1; n <= 3; n++) {
      glScissor(n == 3 ? SIZE / 2 : 0, 0, SIZE / 2, SIZE);
      enable(GL_CULL_FACE, (cull + n) % 3);
      glCullFace((cull + n) % 3 == 1 ? GL_FRONT : GL_BACK);
      glBegin(GL_TRIANGLES);
      glVertex2f(-1, -1);
      glVertex2f(clockwise ? -1 : 3, clockwise ? 3 : -1);
      glVertex2f(clockwise ? 3 : -1, clockwise ? -1 : 3);
      glEnd();
   }
   glDisable(GL_SCISSOR_TEST);
}

static void
draw_line(void)
{
   clear();
   glLineWidth(3);
   glBegin(GL_LINES);
   glVertex2f(-1, 0);
   glVertex2f(1, 0);
   glEnd();
}

int
main(void)
{
   open_target(SIZE, SIZE, true);
   glEnable(GL_DEPTH_TEST);
   glEnable(GL_STENCIL_TEST);
   glStencilFuncSeparate(GL_FRONT, GL_ALWAYS, 0x50, 0xff);
   glStencilFuncSeparate(GL_BACK, GL_ALWAYS, 0x60, 0xff);
   glStencilOpSeparate(GL_FRONT, GL_KEEP, GL_KEEP, GL_REPLACE);
   glStencilOpSeparate(GL_BACK, GL_KEEP, GL_KEEP, GL_INCR);
   for (unsigned p = 0; p < NUM_PROGRAMS; p++) {
      glUseProgram(make_program(vertex_source, fragment_sources[p], NULL));
      for (unsigned i = 0; i < 24; i++) {
         const unsigned cull = i % 3;
         const bool clockwise = i / 3 % 2, clockwise_is_front = i / 6 % 2;
         const bool front = clockwise == clockwise_is_front;
         glFrontFace(clockwise_is_front ? GL_CW : GL_CCW);
         draw_triangle(clockwise, cull);
         check(p, cull == 0 || front == (cull == 2), front);
         if (i >= 12) {
            draw_line();
            check(p, true, true);
         }
      }
   }
   return 0;
}
