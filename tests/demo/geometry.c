/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "geometry.h"
#include "gl_calls.h"

static struct mesh
upload(const float *vertices, unsigned num_vertices, const GLushort *indices, unsigned num_indices)
{
   struct mesh mesh = { .count = num_indices };
   mesh.vertices = filled_buffer(GL_ARRAY_BUFFER, num_vertices * VERTEX_FLOATS * sizeof(float), vertices, GL_STATIC_DRAW);
   mesh.indices = filled_buffer(GL_ELEMENT_ARRAY_BUFFER, num_indices * sizeof(GLushort), indices, GL_STATIC_DRAW);
   return mesh;
}

static void
put_vertex(float *v, const float *position, const float *normal, float s, float t)
{
   memcpy(v, position, 3 * sizeof(float));
   memcpy(v + 3, normal, 3 * sizeof(float));
   v[6] = s;
   v[7] = t;
}

struct mesh
mesh_cube(void)
{
   float vertices[24 * VERTEX_FLOATS];
   GLushort indices[36];
   for (unsigned face = 0; face < 6; face++) {
      unsigned axis = face / 2, u = (axis + 1) % 3, v = (axis + 2) % 3;
      float sign = face & 1 ? -1.0f : 1.0f;
      for (unsigned corner = 0; corner < 4; corner++) {
         float p[3], n[3] = { 0 };
         float a = corner & 1 ? 1.0f : -1.0f, b = corner & 2 ? 1.0f : -1.0f;
         p[axis] = sign;
         p[u] = a * sign;
         p[v] = b;
         n[axis] = sign;
         put_vertex(&vertices[(face * 4 + corner) * VERTEX_FLOATS], p, n, a * 0.5f + 0.5f, b * 0.5f + 0.5f);
      }
      static const GLushort quad[6] = { 0, 1, 2, 2, 1, 3 };
      for (unsigned i = 0; i < 6; i++)
         indices[face * 6 + i] = face * 4 + quad[i];
   }
   return upload(vertices, 24, indices, 36);
}

/* Two triangles; the corners are -1 and 1 along two axes, and texture coordinates have that scale and offset. */
static struct mesh
square(unsigned up, float size, float scale, float offset, const float *normal, const GLushort *indices)
{
   float vertices[4 * VERTEX_FLOATS];
   for (unsigned corner = 0; corner < 4; corner++) {
      float a = corner & 1 ? 1.0f : -1.0f, b = corner & 2 ? 1.0f : -1.0f, p[3] = { a * size };
      p[up] = b * size;
      put_vertex(&vertices[corner * VERTEX_FLOATS], p, normal, a * scale + offset, b * scale + offset);
   }
   return upload(vertices, 4, indices, 6);
}

struct mesh
mesh_ground(float half_size, float repeats)
{
   static const GLushort indices[6] = { 0, 2, 1, 1, 2, 3 };
   static const float up[3] = { 0, 1, 0 };
   return square(2, half_size, repeats, 0, up, indices);
}

struct mesh
mesh_quad(void)
{
   static const GLushort indices[6] = { 0, 1, 2, 2, 1, 3 };
   static const float front[3] = { 0, 0, 1 };
   return square(1, 1, 0.5f, 0.5f, front, indices);
}

struct mesh
mesh_torus(float radius, float tube, unsigned rings, unsigned sides)
{
   unsigned num_vertices = (rings + 1) * (sides + 1), num_indices = rings * sides * 6;
   float *vertices = malloc(num_vertices * VERTEX_FLOATS * sizeof(float));
   GLushort *indices = malloc(num_indices * sizeof(GLushort)), *out = indices;
   for (unsigned r = 0; r <= rings; r++) {
      float a = 2 * (float)M_PI * r / rings;
      for (unsigned s = 0; s <= sides; s++) {
         float b = 2 * (float)M_PI * s / sides;
         float n[3] = { cosf(b) * cosf(a), sinf(b), cosf(b) * sinf(a) };
         float p[3] = { (radius + tube * cosf(b)) * cosf(a), tube * sinf(b), (radius + tube * cosf(b)) * sinf(a) };
         put_vertex(&vertices[(r * (sides + 1) + s) * VERTEX_FLOATS], p, n, 8.0f * r / rings, 2.0f * s / sides);
      }
   }
   for (unsigned r = 0; r < rings; r++) {
      for (unsigned s = 0; s < sides; s++) {
         GLushort i = r * (sides + 1) + s, j = i + sides + 1;
         const GLushort quad[6] = { i, i + 1, j, j, i + 1, j + 1 };
         memcpy(out, quad, sizeof(quad));
         out += 6;
      }
   }
   struct mesh mesh = upload(vertices, num_vertices, indices, num_indices);
   free(vertices);
   free(indices);
   return mesh;
}

static void
attrib(GLint location, GLint size, unsigned offset)
{
   if (location < 0)
      return;
   glEnableVertexAttribArray(location);
   glVertexAttribPointer(location, size, GL_FLOAT, GL_FALSE, VERTEX_FLOATS * sizeof(float),
                         (const void *)(uintptr_t)(offset * sizeof(float)));
}

void
mesh_draw(const struct mesh *mesh, GLint position, GLint normal, GLint texcoord)
{
   glBindBuffer(GL_ARRAY_BUFFER, mesh->vertices);
   glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, mesh->indices);
   attrib(position, 3, 0);
   attrib(normal, 3, 3);
   attrib(texcoord, 2, 6);
   glDrawElements(GL_TRIANGLES, mesh->count, GL_UNSIGNED_SHORT, NULL);
   const GLint used[3] = { position, normal, texcoord };
   for (unsigned i = 0; i < 3; i++) {
      if (used[i] >= 0)
         glDisableVertexAttribArray(used[i]);
   }
}

static unsigned char
to_byte(float value)
{
   return value < 0 ? 0 : value > 1 ? 255 : (unsigned char)(value * 255 + 0.5f);
}

static GLuint
upload_texture(unsigned width, unsigned height, const unsigned char *texels)
{
   const GLuint texture = empty_texture(GL_TEXTURE_2D);
   glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, width, height, 0, GL_RGBA, GL_UNSIGNED_BYTE, texels);
   return texture;
}

GLuint
texture_tiles(unsigned size)
{
   unsigned char *texels = malloc(size * size * 4), *p = texels;
   for (unsigned y = 0; y < size; y++) {
      for (unsigned x = 0; x < size; x++, p += 4) {
         float s = (float)x / size, t = (float)y / size;
         float wave = 0.5f + 0.5f * sinf(s * 4 * (float)M_PI) * sinf(t * 4 * (float)M_PI);
         p[0] = to_byte(0.45f + 0.2f * wave);
         p[1] = to_byte(0.50f + 0.2f * wave);
         p[2] = to_byte(0.40f + 0.1f * s);
         p[3] = 255;
      }
   }
   GLuint texture = upload_texture(size, size, texels);
   free(texels);
   glGenerateMipmap(GL_TEXTURE_2D);
   set_filters(GL_TEXTURE_2D, GL_LINEAR_MIPMAP_LINEAR, GL_LINEAR);
   return texture;
}

GLuint
texture_crate(unsigned width, unsigned height)
{
   unsigned char *texels = malloc(width * height * 4), *p = texels;
   for (unsigned y = 0; y < height; y++) {
      for (unsigned x = 0; x < width; x++, p += 4) {
         float s = (float)x / (width - 1), t = (float)y / (height - 1);
         float frame = fmaxf(fabsf(s - 0.5f), fabsf(t - 0.5f)) * 2; /* 0 centre .. 1 border */
         float rim = 1 / (1 + expf((0.8f - frame) * 30));
         float grain = 0.06f * sinf(t * 40 + 3 * sinf(s * 9));
         p[0] = to_byte(0.75f - 0.35f * rim + grain);
         p[1] = to_byte(0.55f - 0.30f * rim + grain);
         p[2] = to_byte(0.30f - 0.15f * rim + grain);
         p[3] = 255;
      }
   }
   GLuint texture = upload_texture(width, height, texels);
   free(texels);
   set_filters(GL_TEXTURE_2D, GL_LINEAR, GL_LINEAR);
   set_wraps(GL_TEXTURE_2D, GL_CLAMP_TO_EDGE, GL_CLAMP_TO_EDGE);
   return texture;
}

void
mat_identity(float *m)
{
   memset(m, 0, 16 * sizeof(float));
   m[0] = m[5] = m[10] = m[15] = 1;
}

void
mat_mul(float *out, const float *a, const float *b)
{
   for (unsigned c = 0; c < 4; c++) {
      for (unsigned r = 0; r < 4; r++) {
         float sum = 0;
         for (unsigned k = 0; k < 4; k++)
            sum += a[k * 4 + r] * b[c * 4 + k];
         out[c * 4 + r] = sum;
      }
   }
}

static void
append(float *m, const float *b)
{
   float out[16];
   mat_mul(out, m, b);
   memcpy(m, out, sizeof(out));
}

void
mat_translate(float *m, float x, float y, float z)
{
   append(m, (float[16]){ 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, x, y, z, 1 });
}

void
mat_scale(float *m, float x, float y, float z)
{
   append(m, (float[16]){ x, 0, 0, 0, 0, y, 0, 0, 0, 0, z, 0, 0, 0, 0, 1 });
}

void
mat_rotate(float *m, float radians, float x, float y, float z)
{
   float length = sqrtf(x * x + y * y + z * z), c = cosf(radians), s = sinf(radians), r[16];
   x /= length;
   y /= length;
   z /= length;
   mat_identity(r);
   r[0] = x * x * (1 - c) + c;
   r[1] = y * x * (1 - c) + z * s;
   r[2] = z * x * (1 - c) - y * s;
   r[4] = x * y * (1 - c) - z * s;
   r[5] = y * y * (1 - c) + c;
   r[6] = z * y * (1 - c) + x * s;
   r[8] = x * z * (1 - c) + y * s;
   r[9] = y * z * (1 - c) - x * s;
   r[10] = z * z * (1 - c) + c;
   append(m, r);
}

void
mat_perspective(float *m, float fovy, float aspect, float near_z, float far_z)
{
   float f = 1 / tanf(fovy / 2);
   memset(m, 0, 16 * sizeof(float));
   m[0] = f / aspect;
   m[5] = f;
   m[10] = (far_z + near_z) / (near_z - far_z);
   m[11] = -1;
   m[14] = 2 * far_z * near_z / (near_z - far_z);
}
