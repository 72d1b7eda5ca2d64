/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * tegra20-differential [--gl] DIR OUT NAME...: renders the generated programs DIR/NAME.vert, DIR/NAME.frag (generate.py) with
 * fixed pseudo-random inputs and writes one record per program to OUT: a line "NAME STATUS", then, when STATUS is "ok",
 * SIZE * SIZE RGBA bytes.  Run once on each implementation; run.py compares.
 *
 * Fragment programs see varyings that change linearly over the target; vertex programs run once per cell of a grid,
 * with other attributes in each, and their result is the cell's colour.  So do structured fragment programs, whose inputs
 * have to be exact.  Programs named "piglit-..." (piglit_programs.py), "...-heavy-..." and "...-large-..." have any uniforms
 * and textures; uniforms of integers and truth values have those of DIR/NAME.uniforms, where there are some (lines "NAME
 * VALUE...").
 * --gl takes OpenGL 2.1 instead of OpenGL ES 2.0.
 */

#include <EGL/egl.h>
#include <GLES2/gl2.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "egl_context.h"
#include "gl_calls.h"
#include "inputs.h"

#define MAX_CELLS 16
#define NUM_UNIFORMS 6

static GLuint
build(const char *dir, const char *name, char *log, size_t log_size)
{
   GLuint program = glCreateProgram();
   static const GLenum types[2] = { GL_VERTEX_SHADER, GL_FRAGMENT_SHADER };
   static const char *const suffixes[2] = { "vert", "frag" };
   GLint ok = 0;
   for (unsigned i = 0; i < 2; i++) {
      char *text = read_source(dir, name, suffixes[i]);
      GLuint shader = glCreateShader(types[i]);
      glShaderSource(shader, 1, (const char *const *)&text, NULL);
      glCompileShader(shader);
      glGetShaderiv(shader, GL_COMPILE_STATUS, &ok);
      if (!ok) {
         glGetShaderInfoLog(shader, log_size, NULL, log);
         if (!*log)
            snprintf(log, log_size, "does not compile");
         glDeleteShader(shader);
         glDeleteProgram(program);
         free(text);
         return 0;
      }
      glAttachShader(program, shader);
      glDeleteShader(shader);
      free(text);
   }
   glBindAttribLocation(program, 0, "position");
   glLinkProgram(program);
   glGetProgramiv(program, GL_LINK_STATUS, &ok);
   if (!ok) {
      glGetProgramInfoLog(program, log_size, NULL, log);
      glDeleteProgram(program);
      return 0;
   }
   return program;
}

static void
set_uniforms(GLuint program)
{
   for (unsigned i = 0; i < NUM_UNIFORMS; i++) {
      char name[8];
      snprintf(name, sizeof(name), "u%u", i);
      const float v[4] = { random_value(), random_value(), random_value(), random_value() };
      glUniform4fv(glGetUniformLocation(program, name), 1, v);
   }
   float array[8][4];
   for (unsigned i = 0; i < 32; i++)
      array[i / 4][i % 4] = random_value();
   glUniform4fv(glGetUniformLocation(program, "ua"), 8, array[0]);
   for (unsigned i = 0; i < 3; i++) {
      char name[8];
      snprintf(name, sizeof(name), "n%u", i);
      glUniform1i(glGetUniformLocation(program, name), (int)(8 * (random_value() + 1)) % 7);
   }
   glUniform1i(glGetUniformLocation(program, "b0"), random_value() > 0);
}

static void
bind_textures(void)
{
   static unsigned char texels[TEXTURE_SIZE][TEXTURE_SIZE][4];
   GLuint texture;

   for (unsigned y = 0; y < TEXTURE_SIZE; y++) {
      for (unsigned x = 0; x < TEXTURE_SIZE; x++)
         texture_texel(x, y, texels[y][x]);
   }
   glGenTextures(1, &texture);
   for (unsigned unit = 0; unit < 8; unit++) {
      glActiveTexture(GL_TEXTURE0 + unit);
      glBindTexture(GL_TEXTURE_2D, texture);
   }
   glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, TEXTURE_SIZE, TEXTURE_SIZE, 0, GL_RGBA, GL_UNSIGNED_BYTE, texels);
   set_filters(GL_TEXTURE_2D, GL_LINEAR, GL_LINEAR);

   glGenTextures(1, &texture);
   for (unsigned unit = 0; unit < 8; unit++) {
      glActiveTexture(GL_TEXTURE0 + unit);
      glBindTexture(GL_TEXTURE_CUBE_MAP, texture);
   }
   for (unsigned face = 0; face < 6; face++) {
      unsigned char texel[4];
      cube_texel(face, texel);
      glTexImage2D(GL_TEXTURE_CUBE_MAP_POSITIVE_X + face, 0, GL_RGBA, 1, 1, 0, GL_RGBA, GL_UNSIGNED_BYTE, texel);
   }
   set_filters(GL_TEXTURE_CUBE_MAP, GL_NEAREST, GL_NEAREST);
   glActiveTexture(GL_TEXTURE0);
}

/* Components of a uniform of a floating-point type, and of one of the matrices their columns; 0: another type. */
static unsigned
float_components(GLenum type, unsigned *columns)
{
   static const uint8_t shapes[6][2] = { { 2, 3 }, { 2, 4 }, { 3, 2 }, { 3, 4 }, { 4, 2 }, { 4, 3 } };
   const unsigned shape = type - 0x8b65; /* from GL_FLOAT_MAT2x3 on, of OpenGL 2.1 */

   *columns = shape < 6 ? shapes[shape][0] : 1;
   if (shape < 6)
      return shapes[shape][1];
   switch (type) {
   case GL_FLOAT: return 1;
   case GL_FLOAT_VEC2: return 2;
   case GL_FLOAT_VEC3: return 3;
   case GL_FLOAT_VEC4: return 4;
   case GL_FLOAT_MAT2: *columns = 2; return 2;
   case GL_FLOAT_MAT3: *columns = 3; return 3;
   case GL_FLOAT_MAT4: *columns = 4; return 4;
   default: return 0;
   }
}

static void
set_float_uniform(GLint location, GLint count, unsigned components, unsigned columns)
{
   float v[1024];

   random_floats(v, 1024);
   count = count * components * columns > 1024 ? 1 : count;
   switch (components * 8 + columns) {
   case 8 + 1: glUniform1fv(location, count, v); break;
   case 16 + 1: glUniform2fv(location, count, v); break;
   case 24 + 1: glUniform3fv(location, count, v); break;
   case 32 + 1: glUniform4fv(location, count, v); break;
   case 16 + 2: glUniformMatrix2fv(location, count, GL_FALSE, v); break;
   case 24 + 3: glUniformMatrix3fv(location, count, GL_FALSE, v); break;
   case 32 + 4: glUniformMatrix4fv(location, count, GL_FALSE, v); break;
   default: {
      char name[32];
      snprintf(name, sizeof(name), "glUniformMatrix%ux%ufv", columns, components);
      ((PFNGLUNIFORMMATRIX4FVPROC)eglGetProcAddress(name))(location, count, GL_FALSE, v);
   }
   }
}

/* A uniform's value depends on its name, because drivers differ in which uniforms they find inactive. */
static void
set_any_uniforms(GLuint program, const char *given)
{
   const uint32_t before = random_state;
   GLint count = 0, unit = 0;

   glGetProgramiv(program, GL_ACTIVE_UNIFORMS, &count);
   for (GLint i = 0; i < count; i++) {
      char name[256];
      GLint size;
      GLenum type;
      unsigned columns;
      glGetActiveUniform(program, i, sizeof(name), NULL, &size, &type, name);
      const GLint location = glGetUniformLocation(program, name);
      const unsigned components = float_components(type, &columns);
      random_uniform(before, name);
      if (location < 0)
         continue;
      if (components) {
         set_float_uniform(location, size, components, columns);
      } else if (type == GL_SAMPLER_2D || type == GL_SAMPLER_CUBE) {
         glUniform1i(location, unit++ % 8);
      } else {
         GLint v[4 * 16];
         random_ints(v, 4 * 16);
         given_values(given, name, v, 4 * 16);
         size = size > 16 ? 16 : size;
         switch (type) {
         case GL_INT: case GL_BOOL: glUniform1iv(location, size, v); break;
         case GL_INT_VEC2: case GL_BOOL_VEC2: glUniform2iv(location, size, v); break;
         case GL_INT_VEC3: case GL_BOOL_VEC3: glUniform3iv(location, size, v); break;
         case GL_INT_VEC4: case GL_BOOL_VEC4: glUniform4iv(location, size, v); break;
         default: break;
         }
      }
   }
   random_state = before;
}

/* cells: columns and rows of the grid, 0 for one square with a gradient */
static void
draw(GLuint program, unsigned cells)
{
   static struct vertex vertices[MAX_CELLS * MAX_CELLS * 6];
   unsigned count = 0;
   if (cells) {
      for (unsigned i = 0; i < cells * cells; i++) {
         float x = (i % cells) * 2.0f / cells - 1, y = (i / cells) * 2.0f / cells - 1;
         count += fill_cell(&vertices[count], x, y, x + 2.0f / cells, y + 2.0f / cells, true);
      }
   } else {
      count = fill_cell(vertices, -1, -1, 1, 1, false);
   }
   for (unsigned i = 0; i < 5; i++) {
      static const char *const names[5] = { "position", "a0", "a1", "a2", "ai" };
      GLint location = glGetAttribLocation(program, names[i]);
      const float *base = i == 0 ? vertices->position : i == 4 ? &vertices->index : vertices->inputs[i - 1];
      if (location < 0)
         continue;
      glEnableVertexAttribArray(location);
      glVertexAttribPointer(location, i == 4 ? 1 : 4, GL_FLOAT, GL_FALSE, sizeof(struct vertex), base);
   }
   clear_color(0, 0, 0, 0);
   glDrawArrays(GL_TRIANGLES, 0, count);
   for (unsigned i = 0; i < 8; i++)
      glDisableVertexAttribArray(i);
}

int
main(int argc, char **argv)
{
   const bool gl = argc > 1 && !strcmp(argv[1], "--gl");
   argv += gl;
   argc -= gl;
   if (argc < 4) {
      fprintf(stderr, "Usage: tegra20-differential [--gl] DIR OUT NAME...\n");
      return 2;
   }
   FILE *out = fopen(argv[2], "wb");
   if (!out || !test_context_create(!gl)) {
      fprintf(stderr, "tegra20-differential: %s\n", out ? "no context" : "cannot write the output file");
      return 1;
   }
   test_target_create(SIZE, SIZE);
   bind_textures();
   static unsigned char pixels[SIZE * SIZE * 4];
   for (int i = 3; i < argc; i++) {
      char log[1024] = "";
      GLuint program = build(argv[1], argv[i], log, sizeof(log));
      if (!program) {
         log[strcspn(log, "\n")] = 0;
         fprintf(out, "%s %s\n", argv[i], *log ? log : "does not link");
         continue;
      }
      random_program(argv[i]);
      glUseProgram(program);
      char *given = read_source(argv[1], argv[i], "uniforms");
      if (!strncmp(argv[i], "piglit", 6) || strstr(argv[i], "-heavy") || strstr(argv[i], "-large"))
         set_any_uniforms(program, given);
      else
         set_uniforms(program);
      free(given);
      /* softpipe takes its time for loops */
      draw(program, strstr(argv[i], "structured") || strstr(argv[i], "piglit-vertex") ? MAX_CELLS / 2 :
                    !strncmp(argv[i], "vertex", 6) ? MAX_CELLS : 0);
      glReadPixels(0, 0, SIZE, SIZE, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
      fprintf(out, "%s ok\n", argv[i]);
      fwrite(pixels, 1, sizeof(pixels), out);
      glDeleteProgram(program);
   }
   fclose(out);
   return 0;
}
