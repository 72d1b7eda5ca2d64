/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * The mesh has 9 x 9 vertices whose inputs are ramps with a little deterministic noise, so that rounded and compared
 * values seldom meet a border exactly.  In vertex programs the result is a varying: both drivers interpolate the same
 * values.  In fragment programs discontinuities may move by a pixel, for which the comparison takes neighbours.
 */

#include "shader_case.h"

#define SIZE  32
#define CELLS 8
#define SIDE  (CELLS + 1)

const char *const shader_precision_name[3] = { "lowp", "mediump", "highp" };

static struct {
   struct grid_target target;
   GLuint vertices, indices, texture, cube;
} s;

static float
noise(unsigned i)
{
   i = (i + 17) * 2654435761u;
   i ^= i >> 15;
   i *= 2246822519u;
   return ((i >> 8) & 0xffff) / 65536.0f;
}

static void
create_mesh(void)
{
   static float v[SIDE * SIDE][20];
   static GLushort index[CELLS * CELLS * 6];
   for (unsigned i = 0; i < SIDE * SIDE; i++) {
      float x = i % SIDE / (float)CELLS, y = i / SIDE / (float)CELLS;
      float ramp[4] = { x, y, 1 - x, (x + 1 - y) / 2 };
      float position[4] = { x * 2 - 1, y * 2 - 1, 0, 1 };
      for (unsigned c = 0; c < 4; c++) {
         float a = ramp[c] * 0.96f + noise(i * 4 + c) * 0.04f;
         v[i][c] = position[c];
         v[i][4 + c] = a;
         v[i][8 + c] = ramp[(c + 1) & 3] * 1.93f - 0.97f + noise(i * 4 + c + 1000) * 0.04f;
         v[i][12 + c] = ramp[(c + 2) & 3] * 3.95f - 1.99f + noise(i * 4 + c + 2000) * 0.04f;
         v[i][16 + c] = 0.26f + ramp[(c + 3) & 3] * 1.7f + noise(i * 4 + c + 3000) * 0.04f;
      }
   }
   for (unsigned i = 0; i < CELLS * CELLS; i++) {
      unsigned a = i / CELLS * SIDE + i % CELLS;
      GLushort corners[6] = { a, a + 1, a + SIDE, a + SIDE, a + 1, a + SIDE + 1 };
      memcpy(&index[i * 6], corners, sizeof(corners));
   }
   s.vertices = filled_buffer(GL_ARRAY_BUFFER, sizeof(v), v, GL_STATIC_DRAW);
   s.indices = filled_buffer(GL_ELEMENT_ARRAY_BUFFER, sizeof(index), index, GL_STATIC_DRAW);
   for (unsigned a = 0; a < 5; a++) {
      glVertexAttribPointer(a, 4, GL_FLOAT, GL_FALSE, sizeof(v[0]), (void *)(uintptr_t)(a * 16));
      glEnableVertexAttribArray(a);
   }
}

static void
fill_texels(uint8_t *texels, unsigned size, unsigned seed)
{
   for (unsigned i = 0; i < size * size; i++) {
      float x = (i % size + 0.5f) / size, y = (i / size + 0.5f) / size;
      texels[i * 4 + 0] = 255 * x;
      texels[i * 4 + 1] = 255 * y;
      texels[i * 4 + 2] = (seed * 40 + (unsigned)(255 * (x + y) / 2)) & 255;
      texels[i * 4 + 3] = 255 * (1 - x * y);
   }
}

static void
create_textures(void)
{
   static uint8_t texels[64 * 64 * 4];
   glGenTextures(1, &s.texture);
   glActiveTexture(GL_TEXTURE0);
   glBindTexture(GL_TEXTURE_2D, s.texture);
   fill_texels(texels, 64, 0);
   glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, 64, 64, 0, GL_RGBA, GL_UNSIGNED_BYTE, texels);
   glGenerateMipmap(GL_TEXTURE_2D);
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR_MIPMAP_NEAREST);
   set_wraps(GL_TEXTURE_2D, GL_CLAMP_TO_EDGE, GL_CLAMP_TO_EDGE);
   glGenTextures(1, &s.cube);
   glActiveTexture(GL_TEXTURE1);
   glBindTexture(GL_TEXTURE_CUBE_MAP, s.cube);
   for (unsigned face = 0; face < 6; face++) {
      fill_texels(texels, 32, face);
      glTexImage2D(GL_TEXTURE_CUBE_MAP_POSITIVE_X + face, 0, GL_RGBA, 32, 32, 0, GL_RGBA, GL_UNSIGNED_BYTE, texels);
   }
   glTexParameteri(GL_TEXTURE_CUBE_MAP, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
   set_wraps(GL_TEXTURE_CUBE_MAP, GL_CLAMP_TO_EDGE, GL_CLAMP_TO_EDGE);
   glActiveTexture(GL_TEXTURE0);
}

void
shader_begin(void)
{
   grid_target_create(&s.target, SIZE, SIZE, true);
   create_mesh();
   create_textures();
}

void
shader_end(void)
{
   for (unsigned a = 0; a < 5; a++)
      glDisableVertexAttribArray(a);
   glBindBuffer(GL_ARRAY_BUFFER, 0);
   glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, 0);
   glDeleteBuffers(1, &s.vertices);
   glDeleteBuffers(1, &s.indices);
   glDeleteTextures(1, &s.texture);
   glDeleteTextures(1, &s.cube);
   grid_target_destroy(&s.target);
}

void
shader_set_uniforms(GLuint program)
{
   static const char *const ints[] = { "ui_zero", "ui_one", "ui_two", "ui_three", "ui_four", "ui_five" };
   static const float values[16] = { 0.5f, -0.25f, 0.75f, 0.1f, 0.9f, 0.3f, -0.6f, 0.2f,
                                     -0.4f, 0.8f, 0.35f, -0.7f, 0.15f, 0.65f, -0.1f, 1.0f };
   static const float mat3[9] = { 0.5f, -0.25f, 0.75f, 0.9f, 0.3f, -0.6f, -0.4f, 0.8f, 0.35f };
   static const float mat2[4] = { 0.5f, -0.25f, 0.9f, 0.3f };
   static const float floats[4] = { 0.125f, 0.5f, 0.75f, 1.0f };
   for (unsigned i = 0; i < ARRAY_SIZE(ints); i++)
      glUniform1i(glGetUniformLocation(program, ints[i]), i);
   glUniform1i(glGetUniformLocation(program, "ub_true"), 1);
   glUniform1i(glGetUniformLocation(program, "ub_false"), 0);
   glUniform1f(glGetUniformLocation(program, "uf_zero"), 0);
   glUniform1f(glGetUniformLocation(program, "uf_one"), 1);
   glUniform1f(glGetUniformLocation(program, "uf_half"), 0.5f);
   glUniform1f(glGetUniformLocation(program, "uf_third"), 1 / 3.0f);
   glUniform1f(glGetUniformLocation(program, "uf_fourth"), 0.25f);
   glUniform4f(glGetUniformLocation(program, "u_vec"), 0.2f, 0.4f, 0.6f, 0.8f);
   glUniform4fv(glGetUniformLocation(program, "u_array"), 4, values);
   glUniform1fv(glGetUniformLocation(program, "u_floats"), 4, floats);
   glUniformMatrix2fv(glGetUniformLocation(program, "u_mat2"), 1, GL_FALSE, mat2);
   glUniformMatrix3fv(glGetUniformLocation(program, "u_mat3"), 1, GL_FALSE, mat3);
   glUniformMatrix4fv(glGetUniformLocation(program, "u_mat4"), 1, GL_FALSE, values);
   glUniform4i(glGetUniformLocation(program, "u_ivec"), 3, -2, 7, 1);
   glUniform4i(glGetUniformLocation(program, "u_bvec"), 1, 0, 1, 1);
   glUniform1i(glGetUniformLocation(program, "tex2d"), 0);
   glUniform1i(glGetUniformLocation(program, "texcube"), 1);
}

void
shader_draw(GLuint program, unsigned flags, unsigned channel)
{
   if (!program) {
      grid_refused((flags & SHADER_OPTIONAL) && ((flags & SHADER_FRAGMENT) || (flags & SHADER_HALVES)), grid_log);
      return;
   }
   glUseProgram(program);
   shader_set_uniforms(program);
   GLboolean mask[4];
   glGetBooleanv(GL_COLOR_WRITEMASK, mask);
   glColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);
   glClearColor(0.25f, 0.25f, 0.25f, 0.25f);
   glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
   glColorMask(mask[0], mask[1], mask[2], mask[3]);
   glDrawElements(GL_TRIANGLES, CELLS * CELLS * 6, GL_UNSIGNED_SHORT, NULL);
   bool exact = (flags & SHADER_VERTEX) || (flags & SHADER_SMOOTH);
   grid_pixels(0, 0, SIZE, SIZE, (struct grid_tolerance){ channel, exact ? 0 : SIZE * SIZE / 50, !exact });
   glUseProgram(0);
   glDeleteProgram(program);
}

static void
run_vertex(const struct shader_case *c, const char *precision)
{
   GLuint program = grid_program(text_of(
      "precision %s float;\nprecision %s int;\n"
      "attribute vec4 position, a0, a1, a2, a3;\nvarying mediump vec4 result;\n" SHADER_UNIFORMS
      "#define in0 a0\n#define in1 a1\n#define in2 a2\n#define in3 a3\n%s\n"
      "void main()\n{\n   gl_Position = position;\n   vec4 res = vec4(0.0);\n%s\n   result = res;\n}\n",
      precision, precision, c->declarations ? c->declarations : "", c->body),
      "precision mediump float;\nvarying mediump vec4 result;\nvoid main()\n{\n   gl_FragColor = result;\n}\n");
   shader_draw(program, (c->flags & ~SHADER_BOTH) | SHADER_VERTEX, 3);
}

static void
run_fragment(const struct shader_case *c, const char *precision)
{
   GLuint program = grid_program(text_of(
      "attribute highp vec4 position, a0, a1, a2, a3;\nvarying %s vec4 v0, v1, v2, v3;\n"
      "void main()\n{\n   gl_Position = position;\n   v0 = a0;\n   v1 = a1;\n   v2 = a2;\n   v3 = a3;\n}\n",
      precision), text_of(
      "precision %s float;\nprecision %s int;\nvarying vec4 v0, v1, v2, v3;\n" SHADER_UNIFORMS
      "#define in0 v0\n#define in1 v1\n#define in2 v2\n#define in3 v3\n%s\n"
      "void main()\n{\n   vec4 res = vec4(0.0);\n%s\n   gl_FragColor = res;\n}\n",
      precision, precision, c->declarations ? c->declarations : "", c->body));
   shader_draw(program, (c->flags & ~SHADER_BOTH) | SHADER_FRAGMENT, !strcmp(precision, "lowp") ? 12 : 6);
}

void
shader_run(const char *group, const struct shader_case *c, enum shader_precision precision)
{
   unsigned stages = c->flags & SHADER_BOTH ? c->flags & SHADER_BOTH : SHADER_BOTH;
   const char *p = shader_precision_name[precision];
   if ((stages & SHADER_VERTEX) && grid_begin("%s/%s_%s_vertex", group, c->name, p))
      run_vertex(c, p);
   if ((stages & SHADER_FRAGMENT) && grid_begin("%s/%s_%s_fragment", group, c->name, p))
      run_fragment(c, p);
}

void
shader_run_table(const char *group, const struct shader_case *cases, unsigned count)
{
   for (unsigned i = 0; i < count; i++)
      shader_run(group, &cases[i], MEDIUMP);
}
