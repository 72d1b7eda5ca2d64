/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * EXT_shader_framebuffer_fetch against formulas, in OpenGL ES 2.0: programs that read the pixel before the fragment, with
 * blending, colour masks, discard, targets of several formats, several targets, and primitives that cover each other in
 * one draw.
 */

#include "opengl_es.h"

#define SIZE 16
#define CELL 4 /* pixels of one colour in the pattern below */
#define TARGETS 3

static const float source[4] = {0.75f, 0.25f, 0.5f, 0.6f}; /* the uniform c */

/* --- formulas: false where the fragment is discarded ----------------------------------------------------------------- */

#define FORMULA(NAME, VALUE, STAYS)                                                                                    \
   static bool NAME(const float d[4], float out[4])                                                                    \
   {                                                                                                                   \
      for (unsigned i = 0; i < 4; i++)                                                                                 \
         out[i] = VALUE;                                                                                               \
      return STAYS;                                                                                                    \
   }

FORMULA(ignored, source[i], true)
FORMULA(rotated, d[(i + 1) % 4], true)
FORMULA(inverted, 1 - d[i], true)
FORMULA(mixed, d[i] + (source[i] - d[i]) * 0.25f, true)
FORMULA(selected, d[1] > 0.45f ? source[i] : d[i] * 0.5f, true)
FORMULA(killed, source[i] * d[0], d[2] >= 0.45f)
FORMULA(squared, fminf(d[i] * d[i] + 0.1f, 1), true)

static const struct {
   const char *body;
   bool (*formula)(const float d[4], float out[4]);
   float slope; /* by which an error of the pixel before is multiplied at most */
} programs[] = {
   {"gl_FragColor = c;", ignored, 0},
   {"gl_FragColor = gl_LastFragData[0].gbar;", rotated, 1},
   {"gl_FragColor = vec4(1.0) - gl_LastFragData[0];", inverted, 1},
   {"gl_FragColor = mix(gl_LastFragData[0], c, 0.25);", mixed, 1},
   {"gl_FragColor = gl_LastFragData[0].g > 0.45 ? c : gl_LastFragData[0] * 0.5;", selected, 1},
   {"if (gl_LastFragData[0].b < 0.45) discard; gl_FragColor = c * gl_LastFragData[0].r;", killed, 1},
   {"vec4 d = gl_LastFragData[0]; gl_FragColor = d * d + 0.1;", squared, 2},
};

#define BLEND(NAME, VALUE)                                                                                             \
   static void blend_##NAME(const float s[4], const float d[4], float out[4])                                          \
   {                                                                                                                   \
      for (unsigned i = 0; i < 4; i++)                                                                                 \
         out[i] = VALUE;                                                                                               \
   }

BLEND(none, s[i])
BLEND(alpha, s[i] * s[3] + d[i] * (1 - s[3]))
BLEND(add, s[i] + d[i])
BLEND(multiply, s[i] * d[i])
BLEND(subtract, d[i] - s[i] * d[3])

static const struct {
   const char *name;
   bool enabled;
   GLenum equation, src, dst;
   void (*formula)(const float s[4], const float d[4], float out[4]);
} blends[] = {
   {"none", false, GL_FUNC_ADD, GL_ONE, GL_ZERO, blend_none},
   {"alpha", true, GL_FUNC_ADD, GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA, blend_alpha},
   {"add", true, GL_FUNC_ADD, GL_ONE, GL_ONE, blend_add},
   {"multiply", true, GL_FUNC_ADD, GL_DST_COLOR, GL_ZERO, blend_multiply},
   {"subtract", true, GL_FUNC_REVERSE_SUBTRACT, GL_DST_ALPHA, GL_ONE, blend_subtract},
};

static const struct {
   const char *name;
   GLenum format; /* of a renderbuffer, or a texture's with texture_type */
   GLenum texture_type;
   unsigned bits[4];
} formats[] = {
   {"RGBA8", GL_RGBA8_OES, 0, {8, 8, 8, 8}},
   {"RGB8", GL_RGB8_OES, 0, {8, 8, 8, 0}},
   {"RGB565", GL_RGB565, 0, {5, 6, 5, 0}},
   {"RGBA4", GL_RGBA4, 0, {4, 4, 4, 4}},
   {"RGB5_A1", GL_RGB5_A1, 0, {5, 5, 5, 1}},
   {"BGRA8 texture", GL_BGRA_EXT, GL_UNSIGNED_BYTE, {8, 8, 8, 8}},
   {"RGB texture", GL_RGB, GL_UNSIGNED_BYTE, {8, 8, 8, 0}},
   {"RGBA texture", GL_RGBA, GL_UNSIGNED_BYTE, {8, 8, 8, 8}},
};

/* --- drawing --------------------------------------------------------------------------------------------------------- */

static GLuint
build(const char *body, bool several)
{
   const GLuint program = square_program(text_of(
      "#extension GL_EXT_shader_framebuffer_fetch : require\n%sprecision mediump float;\nuniform vec4 c;\n"
      "void main() { %s }\n", several ? "#extension GL_EXT_draw_buffers : require\n" : "", body));
   glUseProgram(program);
   glUniform4fv(glGetUniformLocation(program, "c"), 1, source);
   return program;
}

static void
attach(unsigned i, unsigned format)
{
   const GLenum point = GL_COLOR_ATTACHMENT0 + i;

   if (formats[format].texture_type) {
      const GLuint name = empty_texture(GL_TEXTURE_2D);
      glTexImage2D(GL_TEXTURE_2D, 0, formats[format].format, SIZE, SIZE, 0, formats[format].format,
                   formats[format].texture_type, NULL);
      glFramebufferTexture2D(GL_FRAMEBUFFER, point, GL_TEXTURE_2D, name, 0);
      return;
   }
   glFramebufferRenderbuffer(GL_FRAMEBUFFER, point, GL_RENDERBUFFER, target_buffer(formats[format].format, SIZE, SIZE));
}

/* A pattern that differs in all components; salt: another one. */
static void
clear_cells(unsigned salt)
{
   glEnable(GL_SCISSOR_TEST);
   glColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);
   for (unsigned i = 0; i < (SIZE / CELL) * (SIZE / CELL); i++) {
      const unsigned x = i % (SIZE / CELL), y = i / (SIZE / CELL);
      glScissor(x * CELL, y * CELL, CELL, CELL);
      clear_color(((i + salt) % 4) / 3.0f, x / 3.0f, y / 3.0f, ((i * 3 + salt) % 5) / 4.0f);
   }
   glDisable(GL_SCISSOR_TEST);
}

static void
read_pixels(float pixels[SIZE * SIZE][4])
{
   unsigned char bytes[SIZE * SIZE][4];

   glReadPixels(0, 0, SIZE, SIZE, GL_RGBA, GL_UNSIGNED_BYTE, bytes);
   for (unsigned i = 0; i < SIZE * SIZE; i++) {
      for (unsigned c = 0; c < 4; c++)
         pixels[i][c] = bytes[i][c] / 255.0f;
   }
}

/* Triangles that cover everything, one after the other in one draw. */
static void
draw(unsigned layers)
{
   static const float triangles[] = {-1, -1, 3, -1, -1, 3, -1, -1, 3, -1, -1, 3};

   glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, triangles);
   glDrawArrays(GL_TRIANGLES, 0, 3 * layers);
}

static float
clamped(float x)
{
   return fminf(fmaxf(x, 0), 1);
}

/* What one layer makes of a pixel. */
static void
expect(unsigned program, unsigned blend, unsigned mask, unsigned format, float pixel[4])
{
   float color[4], result[4];

   if (!programs[program].formula(pixel, color))
      return;
   for (unsigned c = 0; c < 4; c++)
      color[c] = clamped(color[c]);
   blends[blend].formula(color, pixel, result);
   for (unsigned c = 0; c < 4; c++) {
      if ((mask >> c & 1) && formats[format].bits[c])
         pixel[c] = clamped(result[c]);
   }
}

static unsigned
compare(const char *what, unsigned format, float tolerance, float got[][4], float expected[][4])
{
   for (unsigned i = 0; i < SIZE * SIZE; i++) {
      for (unsigned c = 0; c < 4; c++) {
         const unsigned bits = formats[format].bits[c];
         const float wanted = bits ? expected[i][c] : 1;
         /* fewer than 8 bits: how a value between two steps is rounded is not known */
         const float step = bits && bits < 8 ? 1.0f / ((1u << bits) - 1) : 0;
         if (fabsf(got[i][c] - wanted) <= tolerance / 255 + step)
            continue;
         printf("%s: pixel %u,%u component %u is %.1f, the formula says %.1f\n", what, i % SIZE, i / SIZE, c,
                got[i][c] * 255, wanted * 255);
         return 1;
      }
   }
   return 0;
}

static unsigned
check(unsigned program, unsigned blend, unsigned mask, unsigned format, unsigned layers)
{
   float expected[SIZE * SIZE][4], got[SIZE * SIZE][4];
   char what[256];

   clear_cells(program + blend);
   read_pixels(expected);
   enable(GL_BLEND, blends[blend].enabled);
   glBlendEquation(blends[blend].equation);
   glBlendFunc(blends[blend].src, blends[blend].dst);
   glColorMask(mask & 1, mask >> 1 & 1, mask >> 2 & 1, mask >> 3);
   draw(layers);
   read_pixels(got);
   for (unsigned i = 0; i < SIZE * SIZE; i++) {
      for (unsigned l = 0; l < layers; l++)
         expect(program, blend, mask, format, expected[i]);
   }
   snprintf(what, sizeof(what), "%s, %s, blend %s, mask 0x%x, %u layers", formats[format].name, programs[program].body,
            blends[blend].name, mask, layers);
   /* source, pixel and result are rounded to 1/256; a second layer multiplies what the first one made */
   return compare(what, format, 2.5f * (layers == 1 ? 1 : 1 + 2 * fmaxf(programs[program].slope, 1)), got, expected);
}

static unsigned
check_formats(void)
{
   static const uint8_t masks[] = {0xf, 0x5, 0x8};
   unsigned wrong = 0;

   for (unsigned program = 0; program < COUNT(programs); program++) {
      const GLuint name = build(programs[program].body, false);
      for (unsigned format = 0; format < COUNT(formats); format++) {
         const GLuint framebuffer = new_framebuffer();
         attach(0, format);
         CHECK(glCheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE);
         glViewport(0, 0, SIZE, SIZE);
         for (unsigned blend = 0; blend < COUNT(blends); blend++) {
            for (unsigned m = 0; m < sizeof(masks); m++)
               wrong += check(program, blend, masks[m], format, 1);
         }
         /* the second layer sees what the first one has stored; selections could tip over by a rounding */
         if (formats[format].bits[0] == 8 && programs[program].formula != selected && programs[program].formula != killed) {
            wrong += check(program, 0, 0xf, format, 2);
            wrong += check(program, 1, 0xf, format, 2);
         }
         glDeleteFramebuffers(1, &framebuffer);
      }
      glDeleteProgram(name);
   }
   return wrong;
}

/* --- several targets ------------------------------------------------------------------------------------------------- */

#define SEVERAL                                                                                                        \
   "gl_FragData[0] = gl_LastFragData[1]; gl_FragData[1] = gl_LastFragData[0] * c;"                                     \
   "gl_FragData[2] = clamp(gl_LastFragData[2] + gl_LastFragData[0].a * 0.5, 0.0, 1.0);"

static void
several(float d[TARGETS][4], float out[TARGETS][4])
{
   for (unsigned c = 0; c < 4; c++) {
      out[0][c] = d[1][c];
      out[1][c] = d[0][c] * source[c];
      out[2][c] = clamped(d[2][c] + d[0][3] * 0.5f);
   }
}

static void
use_target(unsigned i)
{
   const GLenum buffers[TARGETS] = {i == 0 ? GL_COLOR_ATTACHMENT0_EXT : GL_NONE, i == 1 ? GL_COLOR_ATTACHMENT1_EXT : GL_NONE,
                                    i == 2 ? GL_COLOR_ATTACHMENT2_EXT : GL_NONE};
   static const GLenum all[TARGETS] = {GL_COLOR_ATTACHMENT0_EXT, GL_COLOR_ATTACHMENT1_EXT, GL_COLOR_ATTACHMENT2_EXT};
   PFNGLDRAWBUFFERSEXTPROC draw_buffers = (PFNGLDRAWBUFFERSEXTPROC)eglGetProcAddress("glDrawBuffersEXT");

   draw_buffers(TARGETS, i < TARGETS ? buffers : all);
}

/* The attachment as the only one of another framebuffer, since OpenGL ES 2.0 reads attachment 0 only. */
static void
read_target(GLuint texture, float pixels[SIZE * SIZE][4])
{
   GLint before;

   glGetIntegerv(GL_FRAMEBUFFER_BINDING, &before);
   const GLuint framebuffer = texture_framebuffer(GL_TEXTURE_2D, texture, 0);
   read_pixels(pixels);
   glBindFramebuffer(GL_FRAMEBUFFER, before);
   glDeleteFramebuffers(1, &framebuffer);
}

static unsigned
check_several(bool discards)
{
   static const unsigned target_formats[TARGETS] = {7, 5, 6};
   static float before[TARGETS][SIZE * SIZE][4], got[SIZE * SIZE][4], expected[SIZE * SIZE][4];
   const GLuint program = build(discards ? "if (gl_LastFragData[2].g < 0.45) discard;" SEVERAL : SEVERAL, true);
   GLuint textures[TARGETS];
   unsigned wrong = 0;

   new_framebuffer();
   for (unsigned i = 0; i < TARGETS; i++) {
      GLint name;
      attach(i, target_formats[i]);
      glGetIntegerv(GL_TEXTURE_BINDING_2D, &name);
      textures[i] = name;
   }
   CHECK(glCheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE);
   for (unsigned blend = 0; blend < COUNT(blends); blend++) {
      for (unsigned i = 0; i < TARGETS; i++) {
         use_target(i);
         clear_cells(blend + 3 * i);
         read_target(textures[i], before[i]);
      }
      use_target(TARGETS);
      (blends[blend].enabled ? glEnable : glDisable)(GL_BLEND);
      glBlendEquation(blends[blend].equation);
      glBlendFunc(blends[blend].src, blends[blend].dst);
      draw(1);
      for (unsigned i = 0; i < TARGETS; i++) {
         char what[64];
         for (unsigned k = 0; k < SIZE * SIZE; k++) {
            float d[TARGETS][4], s[TARGETS][4];
            for (unsigned t = 0; t < TARGETS; t++)
               memcpy(d[t], before[t][k], sizeof(d[t]));
            several(d, s);
            blends[blend].formula(s[i], d[i], expected[k]);
            for (unsigned c = 0; c < 4; c++)
               expected[k][c] = discards && d[2][1] < 0.45f ? d[i][c] : clamped(expected[k][c]);
         }
         read_target(textures[i], got);
         snprintf(what, sizeof(what), "target %u of %u, blend %s%s", i, TARGETS, blends[blend].name, discards ? ", discard" : "");
         wrong += compare(what, target_formats[i], 2.5f, got, expected);
      }
   }
   glDeleteProgram(program);
   return wrong;
}

int
main(void)
{
   open_context();
   CHECK(strstr((const char *)glGetString(GL_EXTENSIONS), "GL_EXT_shader_framebuffer_fetch"));
   glDisable(GL_DITHER);
   glEnableVertexAttribArray(0);
   const unsigned wrong = check_formats() + check_several(false) + check_several(true);
   CHECK(glGetError() == GL_NO_ERROR);
   if (wrong)
      printf("%u wrong\n", wrong);
   return wrong != 0;
}
