/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Several colour buffers at once: gl_FragColor for all, gl_FragData for each, blending and masks of each, an occlusion
 * query (which draws to a buffer of its own), and a colour buffer without attachment.
 */

#include "opengl.h"

#define SIZE 16
#define TARGETS 4

static const char all[] = "void main() { gl_FragColor = vec4(1.0, 0.0, 0.2, 0.4); }\n";
static const char each[] = "void main() {\n"
                           "   gl_FragData[0] = vec4(0.2, 0.4, 0.6, 1.0);\n"
                           "   gl_FragData[1] = vec4(0.4, 0.6, 0.2, 0.4);\n"
                           "   gl_FragData[2] = vec4(0.6, 0.2, 0.4, 0.2);\n"
                           "   gl_FragData[3] = vec4(1.0, 0.0, 1.0, 0.0);\n"
                           "}\n";

static void
use(const char *source)
{
   GLuint program = make_program(NULL, source, NULL);
   glUseProgram(program);
   glDeleteProgram(program);
}

static void
make_targets(unsigned without)
{
   static const GLenum buffers[TARGETS] = {GL_COLOR_ATTACHMENT0, GL_COLOR_ATTACHMENT1, GL_COLOR_ATTACHMENT2,
                                           GL_COLOR_ATTACHMENT3};
   new_framebuffer();
   for (unsigned i = 0; i < TARGETS; i++) {
      if (i == without)
         continue;
      const GLuint texture = empty_texture(GL_TEXTURE_2D);
      /* both orders of components, with and without alpha */
      glTexImage2D(GL_TEXTURE_2D, 0, i & 1 ? GL_RGB : GL_RGBA, SIZE, SIZE, 0, i & 2 ? GL_BGRA : GL_RGBA, GL_UNSIGNED_BYTE, NULL);
      glFramebufferTexture2D(GL_FRAMEBUFFER, buffers[i], GL_TEXTURE_2D, texture, 0);
   }
   CHECK(glCheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE);
   glDrawBuffers(TARGETS, buffers);
   glViewport(0, 0, SIZE, SIZE);
   clear_color(0.2f, 0.4f, 0.6f, 0.8f);
}

static void
draw(void)
{
   glRectf(-1.0f, -1.0f, 0.0f, 1.0f); /* left half */
}

/* Pixel x of target i, in fifths of 255 */
static void
check(unsigned i, unsigned x, unsigned r, unsigned g, unsigned b, unsigned a)
{
   const unsigned wanted[4] = {r, g, b, i & 1 ? 5 : a};
   unsigned char pixel[4];
   glReadBuffer(GL_COLOR_ATTACHMENT0 + i);
   glReadPixels(x, 3, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, pixel);
   CHECK(glGetError() == GL_NO_ERROR);
   for (unsigned c = 0; c < 4; c++) {
      if (abs((int)pixel[c] - (int)wanted[c] * 51) > 2)
         fail("target %u pixel %u: %u %u %u %u, not %u %u %u %u fifths\n", i, x, pixel[0], pixel[1], pixel[2], pixel[3],
              wanted[0], wanted[1], wanted[2], wanted[3]);
   }
}

int
main(void)
{
   open_context();
   GLuint query, samples;
   GLint count;

   glGetIntegerv(GL_MAX_DRAW_BUFFERS, &count);
   CHECK(count >= TARGETS);

   make_targets(TARGETS);
   use(each);
   draw();
   check(0, 1, 1, 2, 3, 5);
   check(1, 1, 2, 3, 1, 2);
   check(2, 1, 3, 1, 2, 1);
   check(3, 1, 5, 0, 5, 0);
   for (unsigned i = 0; i < TARGETS; i++)
      check(i, SIZE - 2, 1, 2, 3, 4);

   glGenQueries(1, &query);
   use(all);
   glBeginQuery(GL_SAMPLES_PASSED, query);
   draw();
   draw();
   glEndQuery(GL_SAMPLES_PASSED);
   glGetQueryObjectuiv(query, GL_QUERY_RESULT, &samples);
   CHECK(samples == SIZE * SIZE);
   for (unsigned i = 0; i < TARGETS; i++)
      check(i, 1, 5, 0, 1, 2);

   /* blending and masks of each target */
   make_targets(TARGETS);
   glBlendFunc(GL_ONE, GL_ONE);
   glEnablei(GL_BLEND, 1);
   glEnablei(GL_BLEND, 2);
   glColorMaski(2, GL_TRUE, GL_FALSE, GL_FALSE, GL_TRUE);
   glColorMaski(3, GL_FALSE, GL_FALSE, GL_TRUE, GL_TRUE);
   use(each);
   draw();
   check(0, 1, 1, 2, 3, 5);
   check(1, 1, 3, 5, 4, 5);
   check(2, 1, 4, 2, 3, 5);
   check(3, 1, 1, 2, 5, 0);
   glDisable(GL_BLEND);
   glColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);

   for (unsigned without = 0; without < TARGETS; without++) {
      make_targets(without);
      use(all);
      draw();
      for (unsigned i = 0; i < TARGETS; i++) {
         if (i != without)
            check(i, 1, 5, 0, 1, 2);
      }
   }
   return 0;
}
