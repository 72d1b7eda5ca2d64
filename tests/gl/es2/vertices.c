/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Vertex arrays and draws: types, strides, offsets, buffers, client memory, modes, index types, many vertices; default
 * attributes; uniforms of all types.
 */

#include <math.h>
#include <stdio.h>

#include "families.h"

#define SIZE 64

static struct grid_target target;
static GLuint program, buffers[2];

static const struct {
   const char *name;
   GLenum type;
   unsigned bytes;
   float low, high; /* useful values */
} types[] = {
   { "byte", GL_BYTE, 1, -128, 127 },           { "ubyte", GL_UNSIGNED_BYTE, 1, 0, 255 },
   { "short", GL_SHORT, 2, -32768, 32767 },     { "ushort", GL_UNSIGNED_SHORT, 2, 0, 65535 },
   { "fixed", GL_FIXED, 4, -2, 2 },             { "float", GL_FLOAT, 4, -2, 2 },
};

static const struct grid_tolerance close_colors = { 3, SIZE, false };

static void
begin(void)
{
   grid_target_create(&target, SIZE, SIZE, false);
   /* position from attribute 0, scaled; colour from attribute 1 */
   program = grid_program("attribute highp vec4 position, a0;\nvarying mediump vec4 c;\nuniform highp vec4 scale, offset;\n"
                          "uniform highp vec4 color_scale, color_offset;\n"
                          "void main() { gl_Position = vec4(position.xy * scale.xy + offset.xy, 0.0, 1.0);\n"
                          "   c = a0 * color_scale + color_offset; gl_PointSize = 3.0; }",
                          "precision mediump float;\nvarying mediump vec4 c;\nvoid main() { gl_FragColor = c; }");
   glUseProgram(program);
   glGenBuffers(2, buffers);
   glClearColor(0.1f, 0.1f, 0.1f, 0.1f);
}

static void
end(void)
{
   for (unsigned a = 0; a < 16; a++)
      glDisableVertexAttribArray(a);
   glBindBuffer(GL_ARRAY_BUFFER, 0);
   glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, 0);
   glDeleteBuffers(2, buffers);
   glDeleteProgram(program);
   grid_target_destroy(&target);
}

static void
set_scales(float x, float y, float dx, float dy, float c, float dc)
{
   glUniform4f(glGetUniformLocation(program, "scale"), x, y, 1, 1);
   glUniform4f(glGetUniformLocation(program, "offset"), dx, dy, 0, 0);
   glUniform4f(glGetUniformLocation(program, "color_scale"), c, c, c, c);
   glUniform4f(glGetUniformLocation(program, "color_offset"), dc, dc, dc, dc);
}

static void
store(uint8_t *at, GLenum type, float value)
{
   int32_t i = (int32_t)lroundf(value);
   switch (type) {
   case GL_BYTE:
   case GL_UNSIGNED_BYTE:
      *at = i;
      break;
   case GL_SHORT:
   case GL_UNSIGNED_SHORT:
      memcpy(at, &i, 2);
      break;
   case GL_FIXED:
      i = lroundf(value * 65536);
      memcpy(at, &i, 4);
      break;
   default:
      memcpy(at, &value, 4);
   }
}

/* The positions of 16 x 16 cells as triangles: two floats each. */
static unsigned
make_positions(float *p, unsigned cells)
{
   unsigned n = 0;
   for (unsigned i = 0; i < cells * cells; i++) {
      static const uint8_t corner[6][2] = { { 0, 0 }, { 1, 0 }, { 0, 1 }, { 0, 1 }, { 1, 0 }, { 1, 1 } };
      for (unsigned k = 0; k < 6; k++, n++) {
         p[n * 2] = (i % cells + corner[k][0]) * 2.0f / cells - 1;
         p[n * 2 + 1] = (i / cells + corner[k][1]) * 2.0f / cells - 1;
      }
   }
   return n;
}

/* --- one attribute -------------------------------------------------------------------------------------------------- */

static void
draw_attribute(unsigned type, bool normalized, unsigned components, unsigned stride, unsigned offset, unsigned storage)
{
   static float positions[8 * 8 * 6 * 2];
   unsigned count = make_positions(positions, 8);
   unsigned element = types[type].bytes * components, step = stride ? stride : element;
   uint8_t *data = calloc(1, offset + step * count + 64);
   for (unsigned i = 0; i < count; i++) {
      for (unsigned c = 0; c < components; c++) {
         float v = ((i / 6 * (c + 3) * 37 + c * 11) % 64) / 63.0f;
         store(data + offset + i * step + c * types[type].bytes, types[type].type,
               types[type].low + v * (types[type].high - types[type].low));
      }
   }
   float c = normalized ? 0.5f : 0.5f / types[type].high;
   if (types[type].type == GL_FIXED || types[type].type == GL_FLOAT)
      c = 0.25f;
   set_scales(1, 1, 0, 0, c, 0.5f);
   glBindBuffer(GL_ARRAY_BUFFER, 0);
   use_floats(0, 2, positions);
   const uint8_t *base = data;
   if (storage) {
      static const GLenum usages[] = { GL_STATIC_DRAW, GL_DYNAMIC_DRAW, GL_STREAM_DRAW };
      glBindBuffer(GL_ARRAY_BUFFER, buffers[0]);
      glBufferData(GL_ARRAY_BUFFER, offset + step * count + 3, data, usages[storage - 1]);
      base = NULL;
   }
   glVertexAttribPointer(1, components, types[type].type, normalized, stride, base + offset);
   glEnableVertexAttribArray(1);
   glClear(GL_COLOR_BUFFER_BIT);
   glDrawArrays(GL_TRIANGLES, 0, count);
   glBindBuffer(GL_ARRAY_BUFFER, 0);
   grid_pixels(0, 0, SIZE, SIZE, close_colors);
   free(data);
}

static void
run_attributes(void)
{
   static const char *const storages[] = { "user", "static", "dynamic", "stream" };
   begin();
   for (unsigned t = 0; t < ARRAY_SIZE(types); t++) {
      for (unsigned n = 0; n < 2; n++) {
         for (unsigned c = 1; c <= 4; c++) {
            for (unsigned storage = 0; storage < 4; storage++) {
               static const unsigned strides[] = { 0, 16, 17, 18, 32, 1000 };
               static const unsigned offsets[] = { 0, 1, 2, 4, 16, 17 };
               for (unsigned s = 0; s < ARRAY_SIZE(strides); s++) {
                  unsigned o = storage > 1 ? (s + storage + c) % ARRAY_SIZE(offsets) : 0;
                  for (; o < ARRAY_SIZE(offsets); o += storage > 1 ? 100 : 1) {
                     if (storage == 1 && (o + s + c) % 3)
                        continue;
                     if (storage == 0 && (o + s + c) % 4)
                        continue;
                     if (grid_begin("attribute/%s_%s%u_stride%u_offset%u_%s", types[t].name, n ? "norm" : "", c,
                                    strides[s], offsets[o], storages[storage]))
                        draw_attribute(t, n, c, strides[s], offsets[o], storage);
                  }
               }
            }
         }
      }
   }
   end();
}

/* --- draws ---------------------------------------------------------------------------------------------------------- */

static const struct {
   const char *name;
   GLenum mode;
} modes[] = {
   { "points", GL_POINTS }, { "lines", GL_LINES }, { "line_strip", GL_LINE_STRIP }, { "line_loop", GL_LINE_LOOP },
   { "triangles", GL_TRIANGLES }, { "triangle_strip", GL_TRIANGLE_STRIP }, { "triangle_fan", GL_TRIANGLE_FAN },
};

struct vertex {
   float x, y;
   uint8_t color[4];
};

static void
make_vertices(struct vertex *v, unsigned count)
{
   for (unsigned i = 0; i < count; i++) {
      /* on a grid of 1/16 pixel, so that few edges meet a pixel's centre */
      v[i].x = (grid_random_below(60 * 2) + 4.375f) / SIZE - 1;
      v[i].y = (grid_random_below(60 * 2) + 4.875f) / SIZE - 1;
      for (unsigned c = 0; c < 4; c++)
         v[i].color[c] = grid_random_below(256);
   }
}

static void
bind_vertices(const struct vertex *base)
{
   glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, sizeof(struct vertex), (const uint8_t *)base);
   glVertexAttribPointer(1, 4, GL_UNSIGNED_BYTE, GL_TRUE, sizeof(struct vertex), (const uint8_t *)base + 8);
   glEnableVertexAttribArray(0);
   glEnableVertexAttribArray(1);
}

/* The vertices of the points, lines or triangles that a draw consists of, one primitive after the other. */
static unsigned
decompose(GLenum mode, const struct vertex *v, const uint32_t *index, unsigned count, struct vertex *out)
{
   unsigned n = 0;
   switch (mode) {
   case GL_POINTS:
      for (unsigned i = 0; i < count; i++)
         out[n++] = v[index[i]];
      break;
   case GL_LINES:
   case GL_LINE_STRIP:
   case GL_LINE_LOOP:
      for (unsigned i = 0; i + 1 < count; i += mode == GL_LINES ? 2 : 1) {
         out[n++] = v[index[i]];
         out[n++] = v[index[i + 1]];
      }
      if (mode == GL_LINE_LOOP && count > 1) {
         out[n++] = v[index[count - 1]];
         out[n++] = v[index[0]];
      }
      break;
   default:
      for (unsigned i = 0; i + 2 < count; i += mode == GL_TRIANGLES ? 3 : 1) {
         const bool odd = mode == GL_TRIANGLE_STRIP && i & 1;
         out[n++] = v[index[mode == GL_TRIANGLE_FAN ? 0 : odd ? i + 1 : i]];
         out[n++] = v[index[odd ? i : i + 1]];
         out[n++] = v[index[i + 2]];
      }
   }
   return n;
}

/* What was drawn has to be the same as each of its primitives alone, in small draws of the simplest kind: from client
 * memory, without indices.  A missing primitive, or one of other vertices, cannot pass; how primitives are rasterised is
 * the matter of other families. */
static void
check_decomposed(GLenum mode, const struct vertex *v, const uint32_t *index, unsigned count)
{
   static uint8_t got[SIZE * SIZE * 4], expected[SIZE * SIZE * 4];
   const GLenum simple = mode == GL_POINTS ? GL_POINTS :
      mode == GL_LINES || mode == GL_LINE_STRIP || mode == GL_LINE_LOOP ? GL_LINES : GL_TRIANGLES;
   struct vertex *alone = malloc((3 * count + 3) * sizeof(*alone));
   unsigned covered = 0, wrong = 0, last = 0;

   glReadPixels(0, 0, SIZE, SIZE, GL_RGBA, GL_UNSIGNED_BYTE, got);
   const unsigned n = decompose(mode, v, index, count, alone);
   glBindBuffer(GL_ARRAY_BUFFER, 0);
   glClear(GL_COLOR_BUFFER_BIT);
   for (unsigned first = 0; first < n; first += 600) {
      bind_vertices(alone + first);
      glDrawArrays(simple, 0, MIN2(n - first, 600));
   }
   glReadPixels(0, 0, SIZE, SIZE, GL_RGBA, GL_UNSIGNED_BYTE, expected);
   free(alone);
   for (unsigned i = 0; i < SIZE * SIZE; i++) {
      int difference = 0;
      for (unsigned c = 0; c < 4; c++)
         difference = MAX2(difference, abs(got[i * 4 + c] - expected[i * 4 + c]));
      covered += memcmp(&expected[i * 4], (uint8_t[]){ 26, 26, 26, 26 }, 4) != 0;
      if (difference > 1) { /* the order of a triangle's vertices may change the last bit */
         wrong++;
         last = i;
      }
   }
   const bool drawn = n == 0 ? covered == 0 : covered > 0 || count < 20;
   grid_check(!wrong && drawn, "%u pixels are not as drawn one by one, the last (%u, %u); %u covered by %u vertices", wrong,
              last % SIZE, last / SIZE, covered, n);
}

static void
run_draws(void)
{
   static struct vertex v[3000];
   static uint32_t drawn[100];
   static uint8_t indices[3000 * 4];
   static const char *const kinds[] = { "arrays", "ubyte", "ushort", "uint" };
   static const GLenum index_types[] = { 0, GL_UNSIGNED_BYTE, GL_UNSIGNED_SHORT, GL_UNSIGNED_INT };
   begin();
   set_scales(1, 1, 0, 0, 1, 0);
   for (unsigned m = 0; m < ARRAY_SIZE(modes); m++) {
      for (unsigned kind = 0; kind < 4; kind++) {
         for (unsigned storage = 0; storage < 4; storage++) {
            static const unsigned counts[] = { 1, 2, 3, 5, 7, 20, 61 };
            for (unsigned c = 0; c < ARRAY_SIZE(counts); c++) {
               if (!grid_begin("draw/%s_%s_%s_%s_%u", modes[m].name, kinds[kind], storage & 1 ? "vbo" : "user",
                               storage & 2 ? "ibo" : "list", counts[c]))
                  continue;
               make_vertices(v, 300);
               unsigned first = c % 3 * 7, bytes = kind == 3 ? 4 : kind;
               for (unsigned i = 0; i < 200; i++) {
                  unsigned index = grid_random_below(c & 1 ? 30 : 250) + (c & 1 ? 200 : 0);
                  memcpy(indices + i * bytes, &index, bytes);
                  if (i >= first && i < first + counts[c])
                     drawn[i - first] = kind ? index : i;
               }
               glBindBuffer(GL_ARRAY_BUFFER, storage & 1 ? buffers[0] : 0);
               if (storage & 1)
                  glBufferData(GL_ARRAY_BUFFER, sizeof(v[0]) * 300, v, GL_STATIC_DRAW);
               bind_vertices(storage & 1 ? NULL : v);
               glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, storage & 2 ? buffers[1] : 0);
               if (storage & 2)
                  glBufferData(GL_ELEMENT_ARRAY_BUFFER, 200 * 4, indices, GL_STATIC_DRAW);
               glClear(GL_COLOR_BUFFER_BIT);
               if (kind == 0)
                  glDrawArrays(modes[m].mode, first, counts[c]);
               else
                  glDrawElements(modes[m].mode, counts[c], index_types[kind], (storage & 2 ? NULL : indices) + first * bytes);
               glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, 0);
               check_decomposed(modes[m].mode, v, drawn, counts[c]);
            }
         }
      }
   }
   end();
}

/* Long draws, cut by the driver: small triangles whose number shows in the picture. */
static void
run_long_draws(void)
{
   static const unsigned counts[] = { 4095, 4096, 4097, 4098, 8191, 8192, 10001, 20000, 65535, 65536, 70001 };
   begin();
   set_scales(1, 1, 0, 0, 1, 0);
   struct vertex *v = malloc(70001 * sizeof(*v));
   uint32_t *indices = malloc(70001 * 4), *order = malloc(70001 * 4);
   for (unsigned i = 0; i < 70001; i++)
      order[i] = i;
   for (unsigned m = 0; m < ARRAY_SIZE(modes); m++) {
      for (unsigned c = 0; c < ARRAY_SIZE(counts); c++) {
         for (unsigned kind = 0; kind < 3; kind++) {
            static const char *const kinds[] = { "arrays", "ushort", "uint" };
            if ((kind == 1 && counts[c] > 65535) || (kind == 2 && c % 3) ||
                !grid_begin("long/%s_%s_%u", modes[m].name, kinds[kind], counts[c]))
               continue;
            /* all at the left edge but the last few, which cover the picture */
            for (unsigned i = 0; i < counts[c]; i++) {
               bool last = i + 9 >= counts[c];
               unsigned k = i % 97;
               v[i] = (struct vertex){ last ? (i * 7 % 13) / 6.5f - 0.97f : -1 + k / 400.0f,
                                       last ? (i * 5 % 11) / 5.5f - 0.98f : k / 50.0f - 1,
                                       { i * 29, 255 - k, i >> 8, 255 } };
               if (kind == 1)
                  ((uint16_t *)indices)[i] = i;
               else
                  indices[i] = i;
            }
            glBindBuffer(GL_ARRAY_BUFFER, kind ? buffers[0] : 0);
            if (kind)
               glBufferData(GL_ARRAY_BUFFER, sizeof(v[0]) * counts[c], v, GL_STATIC_DRAW);
            bind_vertices(kind ? NULL : v);
            glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, 0);
            glClear(GL_COLOR_BUFFER_BIT);
            if (kind == 0)
               glDrawArrays(modes[m].mode, 0, counts[c]);
            else
               glDrawElements(modes[m].mode, counts[c], kind == 1 ? GL_UNSIGNED_SHORT : GL_UNSIGNED_INT, indices);
            check_decomposed(modes[m].mode, v, order, counts[c]);
         }
      }
   }
   free(v);
   free(indices);
   free(order);
   end();
}

/* --- several attributes, default values ----------------------------------------------------------------------------- */

static void
run_attribute_mix(void)
{
   begin();
   for (unsigned count = 1; count <= 16; count++) {
      for (unsigned kind = 0; kind < 4; kind++) {
         if (!grid_begin("attributes/%u_%u", count, kind))
            continue;
         char vs[3000];
         int n = snprintf(vs, sizeof(vs), "varying mediump vec4 c;\n");
         for (unsigned a = 0; a < count; a++)
            n += snprintf(vs + n, sizeof(vs) - n, "attribute highp vec%u x%u;\n", a ? 2 + (a + kind) % 3 : 2, a);
         n += snprintf(vs + n, sizeof(vs) - n, "void main() {\n   gl_Position = vec4(x0 + vec2(0.011, 0.003), 0.0, 1.0);\n"
                       "   c = vec4(0.1);\n");
         for (unsigned a = 1; a < count; a++)
            n += snprintf(vs + n, sizeof(vs) - n, "   c.%c%c += x%u.xy * 0.11 * float(%u);\n", "xyzw"[a & 3],
               "yzwx"[a & 3], a, 1 + a % 3);
         snprintf(vs + n, sizeof(vs) - n, "}\n");
         GLuint p = grid_case_program(vs, "precision mediump float;\nvarying mediump vec4 c;\nvoid main() { gl_FragColor = c; }");
         if (!p)
            continue;
         static float positions[8 * 8 * 6 * 2], values[16][8 * 8 * 6 * 4];
         static uint8_t bytes[8 * 8 * 6 * 4];
         unsigned vertices = make_positions(positions, 8);
         for (unsigned i = 0; i < vertices * 4; i++)
            bytes[i] = grid_random_below(256);
         glBindBuffer(GL_ARRAY_BUFFER, 0);
         glVertexAttribPointer(glGetAttribLocation(p, "x0"), 2, GL_FLOAT, GL_FALSE, 0, positions);
         glEnableVertexAttribArray(glGetAttribLocation(p, "x0"));
         for (unsigned a = 1; a < count; a++) {
            char name[8];
            snprintf(name, sizeof(name), "x%u", a);
            int location = glGetAttribLocation(p, name);
            unsigned how = (a + kind) % 5;
            glDisableVertexAttribArray(location);
            if (how == 0) {
               glVertexAttrib2f(location, grid_random_float(0, 1), grid_random_float(0, 1));
            } else if (how == 1) {
               const GLfloat v[] = { grid_random_float(0, 1), grid_random_float(0, 1), 0.5f, 0.25f };
               glVertexAttrib4fv(location, v);
            } else {
               for (unsigned i = 0; i < vertices * 2; i++)
                  values[a][i] = grid_random_float(0, 1);
               if (how == 2)
                  glVertexAttribPointer(location, 2, GL_UNSIGNED_BYTE, GL_TRUE, 4, bytes);
               else
                  glVertexAttribPointer(location, 2, GL_FLOAT, GL_FALSE, 0, values[a]);
               glEnableVertexAttribArray(location);
            }
         }
         glClear(GL_COLOR_BUFFER_BIT);
         glDrawArrays(GL_TRIANGLES, 0, vertices);
         grid_pixels(0, 0, SIZE, SIZE, close_colors);
         for (unsigned a = 0; a < 16; a++)
            glDisableVertexAttribArray(a);
         glUseProgram(program);
         glDeleteProgram(p);
      }
   }
   end();
}

const struct grid_family family_attributes = { "attributes", run_attributes };
const struct grid_family family_draws = { "draws", run_draws };
const struct grid_family family_long_draws = { "long_draws", run_long_draws };
const struct grid_family family_attribute_mix = { "attribute_mix", run_attribute_mix };
