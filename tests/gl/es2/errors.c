/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * What calls refuse, and what state is at first and after it was set.  Mesa's front end answers most of it; the formats and
 * limits behind the answers are the driver's.
 */

#include <math.h>
#include <stdio.h>

#include "families.h"
#include "scene.h"

/* --- errors ---------------------------------------------------------------------------------------------------------- */

static GLuint program, shader, texture, cube, framebuffer, buffer;
static GLint max_attribs, max_size, max_cube, max_units, max_buffer;
static uint8_t data[64 * 64 * 4];

#define ENUM  GL_INVALID_ENUM
#define VALUE GL_INVALID_VALUE
#define OP    GL_INVALID_OPERATION
#define FBO   GL_INVALID_FRAMEBUFFER_OPERATION
#define NONE  GL_NO_ERROR

#define CALLS(E)                                                                                                         \
   E(VALUE, glBindAttribLocation(program, max_attribs, "x")) E(OP, glBindAttribLocation(program, 0, "gl_x"))             \
   E(VALUE, glBindAttribLocation(program + 100, 0, "x")) E(OP, glBindAttribLocation(shader, 0, "x"))                     \
   E(OP, glAttachShader(shader, shader)) E(VALUE, glAttachShader(program, 9999))                                         \
   E(OP, glDetachShader(program, shader)) E(VALUE, glCompileShader(9999)) E(OP, glCompileShader(program))                \
   E(ENUM, glCreateShader(GL_TEXTURE_2D)) E(VALUE, glDeleteProgram(9999)) E(OP, glDeleteProgram(shader))                 \
   E(OP, glDeleteShader(program)) E(NONE, glDeleteShader(0)) E(VALUE, glLinkProgram(9999))                               \
   E(OP, glLinkProgram(shader)) E(VALUE, glUseProgram(9999)) E(OP, glUseProgram(shader))                                 \
   E(VALUE, glValidateProgram(9999)) E(VALUE, glShaderSource(shader, -1, NULL, NULL)) E(OP, glUseProgram(program))       \
   E(ENUM, glGetProgramiv(program, GL_COMPILE_STATUS, &value)) E(ENUM, glGetShaderiv(shader, GL_LINK_STATUS, &value))    \
   E(VALUE, glGetProgramInfoLog(program, -1, NULL, NULL)) E(VALUE, glGetShaderInfoLog(shader, -1, NULL, NULL))           \
   E(VALUE, glGetShaderSource(shader, -1, NULL, NULL)) E(VALUE, glGetAttachedShaders(program, -1, NULL, NULL))           \
   E(VALUE, glGetActiveAttrib(program, 99, 9, NULL, &value, &type, name)) E(OP, glGetAttribLocation(program, "x"))       \
   E(VALUE, glGetActiveUniform(program, 99, 9, NULL, &value, &type, name)) E(OP, glGetUniformLocation(program, "x"))     \
   E(OP, glGetUniformfv(program, 0, &number)) E(OP, glUniform1f(0, 1)) E(OP, glUniform4fv(3, 1, numbers))                \
   E(ENUM, glGetShaderPrecisionFormat(GL_FLOAT, GL_LOW_FLOAT, &value, &value))                                           \
   E(ENUM, glGetShaderPrecisionFormat(GL_VERTEX_SHADER, GL_FLOAT, &value, &value))                                       \
   E(VALUE, glEnableVertexAttribArray(max_attribs)) E(VALUE, glVertexAttrib1f(max_attribs, 1))                           \
   E(VALUE, glVertexAttribPointer(max_attribs, 1, GL_FLOAT, 0, 0, NULL))                                                 \
   E(VALUE, glVertexAttribPointer(0, 5, GL_FLOAT, 0, 0, NULL))                                                           \
   E(VALUE, glVertexAttribPointer(0, 1, GL_FLOAT, 0, -1, NULL))                                                          \
   E(ENUM, glVertexAttribPointer(0, 1, 0x140a, 0, 0, NULL)) E(VALUE, glGetVertexAttribiv(max_attribs, 0x8622, &value))   \
   E(ENUM, glGetVertexAttribiv(0, GL_FLOAT, &value)) E(ENUM, glGetVertexAttribPointerv(0, GL_FLOAT, &pointer))           \
   E(ENUM, glBindBuffer(GL_TEXTURE_2D, 0)) E(ENUM, glBufferData(GL_FLOAT, 4, NULL, GL_STATIC_DRAW))                      \
   E(ENUM, glBufferData(GL_ARRAY_BUFFER, 4, NULL, GL_FLOAT))                                                             \
   E(VALUE, glBufferData(GL_ARRAY_BUFFER, -1, NULL, GL_STATIC_DRAW))                                                     \
   E(VALUE, glBufferSubData(GL_ARRAY_BUFFER, 60, 8, data)) E(VALUE, glBufferSubData(GL_ARRAY_BUFFER, -1, 8, data))       \
   E(OP, glBufferSubData(GL_ELEMENT_ARRAY_BUFFER, 0, 8, data)) E(VALUE, glDeleteBuffers(-1, NULL))                       \
   E(ENUM, glGetBufferParameteriv(GL_ARRAY_BUFFER, GL_FLOAT, &value)) E(VALUE, glGenTextures(-1, NULL))                  \
   E(OP, glGetBufferParameteriv(GL_ELEMENT_ARRAY_BUFFER, GL_BUFFER_SIZE, &value)) E(VALUE, glGenBuffers(-1, NULL))       \
   E(ENUM, glActiveTexture(GL_TEXTURE0 + max_units)) E(ENUM, glActiveTexture(5)) E(ENUM, glBindTexture(GL_FLOAT, 0))     \
   E(OP, glBindTexture(GL_TEXTURE_2D, cube)) E(OP, glBindTexture(GL_TEXTURE_CUBE_MAP, texture))                          \
   E(ENUM, glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_REPEAT))                                             \
   E(ENUM, glTexParameteri(GL_FLOAT, 0x2801, 0x2600))                                                                    \
   E(ENUM, glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_LINEAR_MIPMAP_LINEAR))                               \
   E(ENUM, glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_LINEAR))                                                 \
   E(ENUM, glGetTexParameteriv(GL_TEXTURE_2D, GL_FLOAT, &value))                                                         \
   E(ENUM, glTexImage2D(GL_FLOAT, 0, GL_RGBA, 1, 1, 0, GL_RGBA, GL_UNSIGNED_BYTE, data))                                 \
   E(VALUE, glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, 1, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, data))                           \
   E(VALUE, glTexImage2D(GL_TEXTURE_2D, -1, GL_RGBA, 1, 1, 0, GL_RGBA, GL_UNSIGNED_BYTE, data))                          \
   E(VALUE, glTexImage2D(GL_TEXTURE_2D, 20, GL_RGBA, 1, 1, 0, GL_RGBA, GL_UNSIGNED_BYTE, data))                          \
   E(VALUE, glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, max_size + 1, 1, 0, GL_RGBA, GL_UNSIGNED_BYTE, NULL))                \
   E(VALUE, glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, 1, -1, 0, GL_RGBA, GL_UNSIGNED_BYTE, NULL))                          \
   E(VALUE, glTexImage2D(GL_TEXTURE_CUBE_MAP_POSITIVE_X, 0, GL_RGBA, max_cube + 1, max_cube + 1, 0, GL_RGBA, 0x1401, NULL))\
   E(VALUE, glTexImage2D(GL_TEXTURE_CUBE_MAP_POSITIVE_X, 0, GL_RGBA, 4, 8, 0, GL_RGBA, GL_UNSIGNED_BYTE, NULL))          \
   E(OP, glTexImage2D(GL_TEXTURE_2D, 0, GL_RGB, 1, 1, 0, GL_RGBA, GL_UNSIGNED_BYTE, data))                               \
   E(OP, glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, 1, 1, 0, GL_RGBA, GL_UNSIGNED_SHORT_5_6_5, data))                       \
   E(OP, glTexImage2D(GL_TEXTURE_2D, 0, GL_RGB, 1, 1, 0, GL_RGB, GL_UNSIGNED_SHORT_4_4_4_4, data))                       \
   E(VALUE, glTexSubImage2D(GL_TEXTURE_2D, 0, 5, 0, 4, 1, GL_RGBA, GL_UNSIGNED_BYTE, data))                              \
   E(VALUE, glTexSubImage2D(GL_TEXTURE_2D, 0, -1, 0, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, data))                             \
   E(OP, glTexSubImage2D(GL_TEXTURE_2D, 2, 0, 0, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, data))                                 \
   E(VALUE, glCopyTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, 0, 0, max_size + 1, 1, 0))                                       \
   E(VALUE, glCopyTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, 0, 0, 4, 4, 1))                                                  \
   E(VALUE, glCopyTexSubImage2D(GL_TEXTURE_2D, 0, 7, 7, 0, 0, 2, 2))                                                     \
   E(VALUE, glCompressedTexImage2D(GL_TEXTURE_2D, 0, GL_ETC1_RGB8_OES, 8, 8, 0, 31, data))                               \
   E(ENUM, glCompressedTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, 8, 8, 0, 32, data)) E(ENUM, glGenerateMipmap(GL_FLOAT))     \
   E(ENUM, glPixelStorei(GL_FLOAT, 1)) E(VALUE, glPixelStorei(GL_PACK_ALIGNMENT, 3))                                     \
   E(ENUM, glBindFramebuffer(GL_FLOAT, 0)) E(ENUM, glBindRenderbuffer(GL_FLOAT, 0))                                      \
   E(ENUM, glHint(GL_FLOAT, GL_NICEST)) E(ENUM, glRenderbufferStorage(GL_RENDERBUFFER, GL_RGBA, 4, 4))                   \
   E(VALUE, glRenderbufferStorage(GL_RENDERBUFFER, GL_RGBA4, -1, 4))                                                     \
   E(VALUE, glRenderbufferStorage(GL_RENDERBUFFER, GL_RGBA4, max_buffer + 1, 4))                                         \
   E(ENUM, glRenderbufferStorage(GL_FLOAT, GL_RGBA4, 4, 4))                                                              \
   E(ENUM, glFramebufferTexture2D(GL_FRAMEBUFFER, GL_FLOAT, GL_TEXTURE_2D, texture, 0))                                  \
   E(OP, glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_CUBE_MAP_POSITIVE_X, texture, 0))       \
   E(VALUE, glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, texture, 30))                    \
   E(OP, glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, 9999, 0))                           \
   E(OP, glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, 9999))                         \
   E(ENUM, glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_FLOAT, 0))                                 \
   E(ENUM, glCheckFramebufferStatus(GL_FLOAT))                                                                           \
   E(ENUM, glGetFramebufferAttachmentParameteriv(GL_FLOAT, 0x8ce0, 0x8cd0, &value))                                      \
   E(ENUM, glGetFramebufferAttachmentParameteriv(GL_FRAMEBUFFER, GL_FLOAT, 0x8cd0, &value))                              \
   E(ENUM, glGetRenderbufferParameteriv(GL_RENDERBUFFER, GL_FLOAT, &value)) E(ENUM, glBlendEquation(GL_ONE))             \
   E(ENUM, glBlendFunc(GL_FUNC_ADD, GL_ONE)) E(ENUM, glBlendFunc(GL_ONE, GL_FLOAT))                                      \
   E(ENUM, glBlendEquationSeparate(GL_FUNC_ADD, GL_ZERO)) E(ENUM, glCullFace(GL_CCW)) E(ENUM, glFrontFace(GL_BACK))      \
   E(ENUM, glDepthFunc(GL_FLOAT)) E(ENUM, glStencilFunc(GL_FLOAT, 0, 0))                                                 \
   E(ENUM, glStencilFuncSeparate(GL_CW, GL_LESS, 0, 0)) E(ENUM, glStencilOp(GL_FLOAT, GL_KEEP, GL_KEEP))                 \
   E(ENUM, glStencilMaskSeparate(GL_CW, 1)) E(ENUM, glEnable(GL_FLOAT)) E(ENUM, glIsEnabled(GL_FLOAT))                   \
   E(VALUE, glLineWidth(0)) E(VALUE, glViewport(0, 0, -1, 1)) E(VALUE, glScissor(0, 0, 1, -1))                           \
   E(VALUE, glClear(0x80000000)) E(ENUM, glGetString(GL_FLOAT)) E(ENUM, glGetIntegerv(GL_RGBA, &value))                  \
   E(VALUE, glReadPixels(0, 0, -1, 1, GL_RGBA, GL_UNSIGNED_BYTE, data)) E(ENUM, glDrawArrays(GL_FLOAT, 0, 3))            \
   E(VALUE, glDrawArrays(GL_TRIANGLES, 0, -1)) E(ENUM, glDrawElements(GL_TRIANGLES, 3, GL_FLOAT, data))                  \
   E(VALUE, glDrawElements(GL_TRIANGLES, -1, GL_UNSIGNED_BYTE, data))                                                    \
   E(ENUM, glDrawElements(GL_FLOAT, 3, GL_UNSIGNED_BYTE, data))

static void
prepare(void)
{
   program = glCreateProgram();
   shader = glCreateShader(GL_VERTEX_SHADER);
   texture = scene_texture(GL_TEXTURE_2D, GL_RGBA, GL_UNSIGNED_BYTE, 8, 8, false);
   cube = scene_texture(GL_TEXTURE_CUBE_MAP, GL_RGBA, GL_UNSIGNED_BYTE, 8, 8, false);
   glGenFramebuffers(1, &framebuffer);
   glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
   glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, texture, 0);
   GLuint renderbuffer;
   glGenRenderbuffers(1, &renderbuffer);
   glBindRenderbuffer(GL_RENDERBUFFER, renderbuffer);
   glGenBuffers(1, &buffer);
   glBindBuffer(GL_ARRAY_BUFFER, buffer);
   glBufferData(GL_ARRAY_BUFFER, 64, data, GL_STATIC_DRAW);
   glGetIntegerv(GL_MAX_VERTEX_ATTRIBS, &max_attribs);
   glGetIntegerv(GL_MAX_TEXTURE_SIZE, &max_size);
   glGetIntegerv(GL_MAX_CUBE_MAP_TEXTURE_SIZE, &max_cube);
   glGetIntegerv(GL_MAX_COMBINED_TEXTURE_IMAGE_UNITS, &max_units);
   glGetIntegerv(GL_MAX_RENDERBUFFER_SIZE, &max_buffer);
   glUseProgram(0);
}

static void
run_errors(void)
{
   GLint value;
   GLenum type;
   GLchar name[10];
   GLfloat number, numbers[4] = { 0 };
   void *pointer;
   scene_begin();
   prepare();
#define CHECK(expected, call)                                                                                               \
   if (grid_begin("errors/%s", #call)) {                                                                                    \
      call;                                                                                                                 \
      GLenum error = glGetError();                                                                                          \
      grid_check(error == expected, "error 0x%x, expected 0x%x", error, expected);                                          \
   }
   CALLS(CHECK)
   /* an incomplete framebuffer */
   GLuint incomplete;
   glGenFramebuffers(1, &incomplete);
   glBindFramebuffer(GL_FRAMEBUFFER, incomplete);
   CHECK(FBO, glReadPixels(0, 0, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, data))
   CHECK(FBO, glCopyTexImage2D(GL_TEXTURE_2D, 0, GL_RGB, 0, 0, 4, 4, 0))
   CHECK(FBO, glCopyTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, 0, 0, 4, 4))
   CHECK(FBO, glDrawArrays(GL_TRIANGLES, 0, 3))
   CHECK(FBO, glDrawElements(GL_TRIANGLES, 3, GL_UNSIGNED_BYTE, data))
   scene_show();
   glBindBuffer(GL_ARRAY_BUFFER, 0);
   glBindRenderbuffer(GL_RENDERBUFFER, 0);
   glDeleteFramebuffers(1, &incomplete);
   glDeleteFramebuffers(1, &framebuffer);
   glDeleteTextures(1, &texture);
   glDeleteTextures(1, &cube);
   glDeleteBuffers(1, &buffer);
   glDeleteProgram(program);
   glDeleteShader(shader);
   scene_end();
}

/* --- what state reads as ------------------------------------------------------------------------------------------------ */

static const struct {
   const char *name;
   GLenum query;
   GLfloat at_first[4], set[4];
   unsigned count;
   bool color; /* as integers: 0..1 scaled to the whole range */
} states[] = {
   { "line_width", GL_LINE_WIDTH, { 1 }, { 3.5f }, 1, false },
   { "blend_color", GL_BLEND_COLOR, { 0 }, { 0.25f, 0.5f, 1, 0 }, 4, true },
   { "clear_color", GL_COLOR_CLEAR_VALUE, { 0 }, { 1, 0, 0.5f, 0.75f }, 4, true },
   { "clear_depth", GL_DEPTH_CLEAR_VALUE, { 1 }, { 0.5f }, 1, true },
   { "clear_stencil", GL_STENCIL_CLEAR_VALUE, { 0 }, { 77 }, 1, false },
   { "depth_range", GL_DEPTH_RANGE, { 0, 1 }, { 0.25f, 0.5f }, 2, true },
   { "offset_factor", GL_POLYGON_OFFSET_FACTOR, { 0 }, { -2 }, 1, false },
   { "offset_units", GL_POLYGON_OFFSET_UNITS, { 0 }, { 3 }, 1, false },
   { "coverage", GL_SAMPLE_COVERAGE_VALUE, { 1 }, { 0.25f }, 1, false },
   { "viewport", GL_VIEWPORT, { 0, 0, SCENE_SIZE, SCENE_SIZE }, { 3, 4, 50, 60 }, 4, false },
   { "scissor", GL_SCISSOR_BOX, { 0 }, { 1, 2, 30, 40 }, 4, false },
   { "color_mask", GL_COLOR_WRITEMASK, { 1, 1, 1, 1 }, { 0, 1, 0, 1 }, 4, false },
   { "depth_mask", GL_DEPTH_WRITEMASK, { 1 }, { 0 }, 1, false },
   { "depth_func", GL_DEPTH_FUNC, { GL_LESS }, { GL_GEQUAL }, 1, false },
   { "cull_face", GL_CULL_FACE_MODE, { GL_BACK }, { GL_FRONT }, 1, false },
   { "front_face", GL_FRONT_FACE, { GL_CCW }, { GL_CW }, 1, false },
   { "pack", GL_PACK_ALIGNMENT, { 4 }, { 8 }, 1, false },
   { "unpack", GL_UNPACK_ALIGNMENT, { 4 }, { 2 }, 1, false },
};

static void
set_states(const GLfloat v[ARRAY_SIZE(states)][4])
{
   glLineWidth(v[0][0]);
   glBlendColor(v[1][0], v[1][1], v[1][2], v[1][3]);
   glClearColor(v[2][0], v[2][1], v[2][2], v[2][3]);
   glClearDepthf(v[3][0]);
   glClearStencil(v[4][0]);
   glDepthRangef(v[5][0], v[5][1]);
   glPolygonOffset(v[6][0], v[7][0]);
   glSampleCoverage(v[8][0], GL_FALSE);
   glViewport(v[9][0], v[9][1], v[9][2], v[9][3]);
   glScissor(v[10][0], v[10][1], v[10][2], v[10][3]);
   glColorMask(v[11][0], v[11][1], v[11][2], v[11][3]);
   glDepthMask(v[12][0]);
   glDepthFunc(v[13][0]);
   glCullFace(v[14][0]);
   glFrontFace(v[15][0]);
   glPixelStorei(GL_PACK_ALIGNMENT, v[16][0]);
   glPixelStorei(GL_UNPACK_ALIGNMENT, v[17][0]);
}

static void
run_states(void)
{
   scene_begin();
   GLfloat values[2][ARRAY_SIZE(states)][4];
   for (unsigned i = 0; i < ARRAY_SIZE(states); i++) {
      memcpy(values[0][i], states[i].at_first, 16);
      memcpy(values[1][i], states[i].set, 16);
   }
   for (unsigned set = 0; set < 2; set++) {
      set_states(values[set]);
      for (unsigned i = 0; i < ARRAY_SIZE(states); i++) {
         if (!grid_begin("state/%s_%s", states[i].name, set ? "set" : "reset"))
            continue;
         GLfloat f[4] = { 0 };
         GLint n[4] = { 0 };
         GLboolean b[4] = { 0 };
         glGetFloatv(states[i].query, f);
         glGetIntegerv(states[i].query, n);
         glGetBooleanv(states[i].query, b);
         bool ok = true;
         for (unsigned k = 0; k < states[i].count; k++) {
            double e = values[set][i][k], whole = states[i].color ? e * 2147483647.0 : e;
            ok &= f[k] == (float)e && fabs(n[k] - whole) <= (states[i].color ? 300 : 0.5) && b[k] == (e != 0);
         }
         grid_check(ok, "%g %g %g %g, %d %d %d %d", f[0], f[1], f[2], f[3], n[0], n[1], n[2], n[3]);
      }
   }
   set_states(values[0]);
   scene_end();
}

const struct grid_family family_errors = { "errors", run_errors };
const struct grid_family family_states = { "states", run_states };
