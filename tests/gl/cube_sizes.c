/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Linear filters of cube maps of every small size, in OpenGL ES 2.0: each face fills the picture, and each pixel is compared
 * with the rule for two-dimensional images (OpenGL ES 2.0, 3.7.5 and 3.7.7), which reads no other face.  Mesa's software
 * renderers read the neighbours, as later versions want it, so the expected values are computed here.
 *
 * The faces hold gradients; the smaller levels of a mipmapped cube are black and must not be seen where the picture is larger
 * than the face.
 */

#include "opengl_es.h"

#define LARGEST 400
/* Weights of the filter have 6 bits, coordinates 14 (device-observations.md). */
#define TOLERANCE 3

static const unsigned sizes[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 13, 15, 16, 17, 19, 23, 31, 32, 33, 47, 63, 64, 400};
static const unsigned extents[] = {28, 64, 400}; /* of the picture */

/* Directions of the corners of a face: s and t of 0 or 1 (OpenGL ES 2.0, table 3.21). */
static void
direction(unsigned face, unsigned s, unsigned t, GLfloat out[3])
{
   const GLfloat u = s ? 1 : -1, v = t ? 1 : -1;
   const GLfloat directions[6][3] = {{1, -v, -u}, {-1, -v, u}, {u, 1, v}, {u, -1, -v}, {u, -v, 1}, {-u, -v, -1}};

   memcpy(out, directions[face], sizeof(directions[face]));
}

/* A gradient along s, one along t and one along both, each with a direction that depends on the face. */
static uint8_t
texel(unsigned face, unsigned size, unsigned x, unsigned y, unsigned c)
{
   const float s = (x + 0.5f) / size, t = (y + 0.5f) / size;
   const float way[4] = {s, t, (s + t) / 2, (1 - s + t) / 2};

   return lroundf(255 * ((face >> c % 3) & 1 ? 0.05f + 0.9f * way[c] : 0.95f - 0.9f * way[c]));
}

static float
filtered(unsigned face, unsigned size, float s, float t, unsigned c)
{
   const float u = s * size - 0.5f, v = t * size - 0.5f;
   float sum = 0;

   for (unsigned i = 0; i < 4; i++) {
      const float x = floorf(u) + (i & 1), y = floorf(v) + (i >> 1);
      const float weight = (1 - fabsf(u - x)) * (1 - fabsf(v - y));
      sum += weight * texel(face, size, fmaxf(0, fminf(x, size - 1)), fmaxf(0, fminf(y, size - 1)), c);
   }
   return sum;
}

static void
make_cube(unsigned size, bool mipmapped)
{
   uint8_t *pixels = malloc(size * size * 4);
   GLuint cube;

   glGenTextures(1, &cube);
   glBindTexture(GL_TEXTURE_CUBE_MAP, cube);
   for (unsigned face = 0; face < 6; face++) {
      for (unsigned i = 0; i < size * size * 4; i++)
         pixels[i] = texel(face, size, i / 4 % size, i / 4 / size, i % 4);
      glTexImage2D(GL_TEXTURE_CUBE_MAP_POSITIVE_X + face, 0, GL_RGBA, size, size, 0, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
      memset(pixels, 0, size * size * 4);
      for (unsigned level = 1; mipmapped && size >> level; level++)
         glTexImage2D(GL_TEXTURE_CUBE_MAP_POSITIVE_X + face, level, GL_RGBA, size >> level, size >> level, 0, GL_RGBA,
                      GL_UNSIGNED_BYTE, pixels);
   }
   free(pixels);
   glTexParameteri(GL_TEXTURE_CUBE_MAP, GL_TEXTURE_MIN_FILTER, mipmapped ? GL_LINEAR_MIPMAP_LINEAR : GL_LINEAR);
   glTexParameteri(GL_TEXTURE_CUBE_MAP, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
   glTexParameteri(GL_TEXTURE_CUBE_MAP, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
   glTexParameteri(GL_TEXTURE_CUBE_MAP, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
}

static void
draw_face(unsigned face)
{
   GLfloat corners[4][3];

   for (unsigned i = 0; i < 4; i++)
      direction(face, i & 1, i >> 1, corners[i]);
   glVertexAttribPointer(1, 3, GL_FLOAT, GL_FALSE, 0, corners);
   draw_square();
}

static unsigned
check_face(unsigned size, unsigned extent, bool mipmapped, unsigned face)
{
   static uint8_t pixels[LARGEST * LARGEST * 4];
   unsigned wrong = 0;

   draw_face(face);
   glReadPixels(0, 0, extent, extent, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
   for (unsigned i = 0; i < extent * extent * 4; i++) {
      const unsigned x = i / 4 % extent, y = i / 4 / extent;
      const float expected = filtered(face, size, (x + 0.5f) / extent, (y + 0.5f) / extent, i % 4);
      if (fabsf(pixels[i] - expected) > TOLERANCE && !wrong++)
         fprintf(stderr, "%ux%u%s, face %u, picture of %u: channel %u of pixel %u, %u is %u, expected %.1f\n", size, size,
                 mipmapped ? " with levels" : "", face, extent, i % 4, x, y, pixels[i], expected);
   }
   return wrong;
}

int
main(void)
{
   static const char vertex[] = "attribute vec2 at; attribute vec3 corner; varying vec3 d;\n"
                                "void main() { gl_Position = vec4(at, 0.0, 1.0); d = corner; }\n";
   static const char fragment[] = "precision mediump float; varying vec3 d; uniform samplerCube cube;\n"
                                  "void main() { gl_FragColor = textureCube(cube, d); }\n";
   static const char *const attributes[] = {"at", "corner", NULL};
   unsigned wrong = 0;

   open_target(LARGEST, LARGEST, false);
   glUseProgram(make_program(vertex, fragment, attributes));
   glEnableVertexAttribArray(1);
   for (unsigned i = 0; i < COUNT(sizes) * COUNT(extents) * 2; i++) {
      const unsigned size = sizes[i / 2 / COUNT(extents)], extent = extents[i / 2 % COUNT(extents)];
      const bool mipmapped = i % 2;

      if (size > extent || (size <= 64) != (extent <= 64))
         continue;
      make_cube(size, mipmapped);
      glViewport(0, 0, extent, extent);
      for (unsigned face = 0; face < 6; face++)
         wrong += check_face(size, extent, mipmapped, face);
   }
   CHECK(glGetError() == GL_NO_ERROR);
   fprintf(stderr, "%u channels are wrong\n", wrong);
   return wrong != 0;
}
