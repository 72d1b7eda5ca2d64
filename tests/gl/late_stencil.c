/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * The stencil and depth buffer behind programs that discard, in OpenGL ES 2.0: every operation for every outcome of the
 * tests, with depth test, blending, masks, both faces, fragments that discard by their position and by the pixel before
 * them.  The state of every pixel is compared with the rules of OpenGL ES 2.0, 4.1.
 */

#include "opengl_es.h"

#define SIZE 16
#define CELL 4

static const float source[4] = {0.8f, 0.2f, 0.4f, 0.6f};

struct pixel {
   float color[4];
   float depth;
   uint8_t stencil;
};

/* --- programs: discard, by a condition that GLSL and C share ---------------------------------------------------------- */

static bool never(unsigned x, float red) { return false; }
static bool odd_columns(unsigned x, float red) { return x % 2 == 1; }
static bool red_pixels(unsigned x, float red) { return red > 0.45f; }
static bool either(unsigned x, float red) { return x % 2 == 1 || red > 0.45f; }

static const struct {
   const char *test;
   bool (*discards)(unsigned x, float red);
} programs[] = {
   {"false", never},
   {"mod(floor(gl_FragCoord.x), 2.0) > 0.5", odd_columns},
   {"gl_LastFragData[0].r > 0.45", red_pixels},
   {"mod(floor(gl_FragCoord.x), 2.0) > 0.5 || gl_LastFragData[0].r > 0.45", either},
};

/* --- state ----------------------------------------------------------------------------------------------------------- */

static const GLenum operations[] = {GL_KEEP, GL_ZERO, GL_REPLACE, GL_INCR, GL_DECR, GL_INVERT, GL_INCR_WRAP, GL_DECR_WRAP};
static const GLenum functions[] = {GL_ALWAYS, GL_NEVER, GL_EQUAL, GL_NOTEQUAL, GL_LESS, GL_GEQUAL};

struct state {
   unsigned program;
   GLenum func, fail, depth_fail, pass, other; /* of the other face, when its stencil test fails */
   uint8_t ref, mask, write_mask;
   bool depth_test, blend, masked, back;
};

static bool
stencil_passes(const struct state *s, uint8_t stored)
{
   const unsigned ref = s->ref & s->mask, value = stored & s->mask;

   switch (s->func) {
   case GL_NEVER: return false;
   case GL_EQUAL: return ref == value;
   case GL_NOTEQUAL: return ref != value;
   case GL_LESS: return ref < value;
   case GL_GEQUAL: return ref >= value;
   default: return true;
   }
}

static uint8_t
operated(const struct state *s, GLenum operation, uint8_t stored)
{
   uint8_t value = stored;

   switch (operation) {
   case GL_ZERO: value = 0; break;
   case GL_REPLACE: value = s->ref; break;
   case GL_INCR: value += stored != 255; break;
   case GL_DECR: value -= stored != 0; break;
   case GL_INVERT: value = ~stored; break;
   case GL_INCR_WRAP: value++; break;
   case GL_DECR_WRAP: value--; break;
   default: break;
   }
   return (value & s->write_mask) | (stored & ~s->write_mask);
}

/* What a fragment of depth 0.5 makes of a pixel. */
static void
expect(const struct state *s, unsigned x, struct pixel *p)
{
   if (programs[s->program].discards(x, p->color[0]))
      return;
   const bool passes = stencil_passes(s, p->stencil), near = !s->depth_test || 0.5f < p->depth;
   p->stencil = operated(s, !passes ? s->fail : near ? s->pass : s->depth_fail, p->stencil);
   if (!passes || !near)
      return;
   if (s->depth_test)
      p->depth = 0.5f;
   for (unsigned c = 0; c < 4; c++) {
      if (!s->masked || c == 1)
         p->color[c] = s->blend ? source[c] * source[3] + p->color[c] * (1 - source[3]) : source[c];
   }
}

/* --- drawing --------------------------------------------------------------------------------------------------------- */

static void
quad(float depth, bool back)
{
   const float z = 2 * depth - 1;
   const float front_face[] = {-1, -1, z, 3, -1, z, -1, 3, z}, back_face[] = {-1, -1, z, -1, 3, z, 3, -1, z};

   glVertexAttribPointer(0, 3, GL_FLOAT, GL_FALSE, 0, back ? back_face : front_face);
   glDrawArrays(GL_TRIANGLES, 0, 3);
}

/* Cells of all combinations: red or not, near or far, four values of the stencil buffer. */
static void
initial(unsigned x, unsigned y, struct pixel *p)
{
   static const uint8_t stencils[] = {0, 1, 0x5a, 255};
   const unsigned cx = x / CELL, cy = y / CELL;

   *p = (struct pixel){{cx / 2, cy / 3.0f, 0.6f, cx % 2 ? 0.2f : 0.8f}, cx % 2 ? 0.3f : 0.9f, stencils[cy]};
}

static void
clear_cells(void)
{
   struct pixel p;

   glColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);
   glDepthMask(GL_TRUE);
   glStencilMask(0xff);
   glEnable(GL_SCISSOR_TEST);
   for (unsigned y = 0; y < SIZE; y += CELL) {
      for (unsigned x = 0; x < SIZE; x += CELL) {
         initial(x, y, &p);
         glScissor(x, y, CELL, CELL);
         clear_all(p.color[0], p.color[1], p.color[2], p.color[3], p.depth, p.stencil);
      }
   }
   glDisable(GL_SCISSOR_TEST);
}

static void
apply(const struct state *s)
{
   const GLenum face = s->back ? GL_BACK : GL_FRONT, other = s->back ? GL_FRONT : GL_BACK;
   const GLboolean all = !s->masked;

   glEnable(GL_STENCIL_TEST);
   glStencilFuncSeparate(face, s->func, s->ref, s->mask);
   glStencilOpSeparate(face, s->fail, s->depth_fail, s->pass);
   glStencilMaskSeparate(face, s->write_mask);
   glStencilFuncSeparate(other, GL_NEVER, 0, 0xff);
   glStencilOpSeparate(other, s->other, GL_KEEP, s->other);
   glStencilMaskSeparate(other, 0xff);
   (s->depth_test ? glEnable : glDisable)(GL_DEPTH_TEST);
   (s->blend ? glEnable : glDisable)(GL_BLEND);
   glColorMask(all, GL_TRUE, all, all);
}

static void
read_bytes(unsigned char bytes[SIZE * SIZE][4])
{
   glReadPixels(0, 0, SIZE, SIZE, GL_RGBA, GL_UNSIGNED_BYTE, bytes);
}

/* Colours; then the stencil buffer bit by bit, and whether the depth is above 0.7, by drawing white where it is so. */
static void
read_state(GLuint white, struct pixel pixels[SIZE * SIZE])
{
   unsigned char bytes[SIZE * SIZE][4];

   read_bytes(bytes);
   for (unsigned i = 0; i < SIZE * SIZE; i++) {
      pixels[i] = (struct pixel){{0}};
      for (unsigned c = 0; c < 4; c++)
         pixels[i].color[c] = bytes[i][c] / 255.0f;
   }
   glUseProgram(white);
   glDisable(GL_BLEND);
   glColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);
   glClearColor(0, 0, 0, 0);
   glDepthMask(GL_FALSE);
   glStencilOp(GL_KEEP, GL_KEEP, GL_KEEP);
   for (unsigned bit = 0; bit <= 8; bit++) {
      glClear(GL_COLOR_BUFFER_BIT);
      (bit < 8 ? glEnable : glDisable)(GL_STENCIL_TEST);
      (bit < 8 ? glDisable : glEnable)(GL_DEPTH_TEST);
      glStencilFunc(GL_EQUAL, 0xff, 1u << bit & 0xff);
      quad(0.7f, false);
      read_bytes(bytes);
      for (unsigned i = 0; i < SIZE * SIZE; i++) {
         if (bit < 8)
            pixels[i].stencil |= (bytes[i][0] != 0) << bit;
         else
            pixels[i].depth = bytes[i][0] != 0;
      }
   }
}

static unsigned
check(const struct state *s, const GLuint *names, GLuint white)
{
   static struct pixel got[SIZE * SIZE];

   clear_cells();
   apply(s);
   glUseProgram(names[s->program]);
   quad(0.5f, s->back);
   read_state(white, got);
   for (unsigned i = 0; i < SIZE * SIZE; i++) {
      struct pixel p;
      float error = 0;
      initial(i % SIZE, i / SIZE, &p);
      expect(s, i % SIZE, &p);
      for (unsigned c = 0; c < 4; c++)
         error = fmaxf(error, fabsf(p.color[c] - got[i].color[c]) * 255);
      if (error <= 2.5f && p.stencil == got[i].stencil && (p.depth > 0.7f) == (got[i].depth != 0))
         continue;
      printf("discard if %s; stencil 0x%x ref 0x%x mask 0x%x/0x%x ops 0x%x 0x%x 0x%x%s%s%s%s: pixel %u,%u: stencil 0x%x, "
             "not 0x%x; depth %s, should be %g; colour off by %.1f\n", programs[s->program].test, s->func, s->ref, s->mask,
             s->write_mask, s->fail, s->depth_fail, s->pass, s->depth_test ? ", depth test" : "", s->blend ? ", blend" : "",
             s->masked ? ", colour mask" : "", s->back ? ", back" : "", i % SIZE, i / SIZE, got[i].stencil, p.stencil,
             got[i].depth ? "above 0.7" : "below", p.depth, error);
      return 1;
   }
   return 0;
}

/* All operations with each program; functions, masks and the rest of the state change along with them. */
static unsigned
check_states(const GLuint *names, GLuint white)
{
   unsigned wrong = 0, n = 0;

   for (unsigned program = 0; program < COUNT(programs); program++) {
      for (unsigned func = 0; func < COUNT(functions); func++) {
         for (unsigned op = 0; op < COUNT(operations); op++, n++) {
            const struct state s = {
               .program = program,
               .func = functions[func],
               .fail = operations[(op + func) % 8],
               .depth_fail = operations[(op + 3) % 8],
               .pass = operations[op],
               .other = n / 8 % 2 ? GL_KEEP : GL_INVERT,
               .ref = n % 3 ? 1 : 0x5a,
               .mask = n % 5 ? 0xff : 0x0f,
               .write_mask = n % 7 ? 0xff : 0x3c,
               .depth_test = n % 2,
               .blend = n / 2 % 2,
               .masked = n % 11 == 0,
               .back = n % 4 == 3,
            };
            wrong += check(&s, names, white);
         }
      }
   }
   return wrong;
}

static GLuint
build(const char *test, const float color[4])
{
   const GLuint program = make_program("attribute vec4 p; void main() { gl_Position = p; }", text_of(
      "#extension GL_EXT_shader_framebuffer_fetch : require\nprecision highp float;\nuniform vec4 c;\n"
      "void main() { if (%s) discard; gl_FragColor = c; }\n", test), "p");
   glUseProgram(program);
   glUniform4fv(glGetUniformLocation(program, "c"), 1, color);
   return program;
}

/* GL_NV_read_stencil */
static void
read_stencil(void)
{
   uint8_t values[SIZE * SIZE] = {0};

   glStencilMask(0xff);
   glDisable(GL_SCISSOR_TEST);
   glClearStencil(37);
   glClear(GL_STENCIL_BUFFER_BIT);
   glReadPixels(0, 0, SIZE, SIZE, 0x1901 /* GL_STENCIL_INDEX */, GL_UNSIGNED_BYTE, values);
   CHECK(glGetError() == GL_NO_ERROR && values[0] == 37 && values[SIZE * SIZE - 1] == 37);
   glTexImage2D(GL_TEXTURE_2D, 0, 0x1901, 4, 4, 0, 0x1901, GL_UNSIGNED_BYTE, NULL);
   CHECK(glGetError() != GL_NO_ERROR);
}

int
main(void)
{
   static const float white[4] = {1, 1, 1, 1};
   GLuint names[COUNT(programs)];

   open_target(SIZE, SIZE, true);
   glDisable(GL_DITHER);
   glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
   glEnableVertexAttribArray(0);
   for (unsigned i = 0; i < COUNT(programs); i++)
      names[i] = build(programs[i].test, source);
   const unsigned wrong = check_states(names, build("false", white));
   CHECK(glGetError() == GL_NO_ERROR);
   read_stencil();
   if (wrong)
      printf("%u wrong\n", wrong);
   return wrong != 0;
}
