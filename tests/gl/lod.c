/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Lookups with a level of detail or gradients of their own, one line per lookup.  The levels of the textures have one colour
 * each, so the colour of a pixel tells the level.  The level that each lookup wants changes from pixel to pixel, and the
 * coordinates are constant, linear or jump, which must not matter.
 *
 * Usage: test_lod [LOOKUP]
 */

#include "opengl.h"

#define SIZE 32
#define LEVELS 6 /* of 32 x 32 */
#define STEP 40  /* between the colours of two levels */
#define FACE 30  /* between those of two faces, in green */
#define BY_POSITION -1
#define TOLERANCE 4

/* Coordinates and what is looked up: l is the level that is wanted, -1..6 */
static const struct lookup {
   const char *name, *glsl;
   GLenum target;
   GLint filter;
   int face;           /* that is met, see face_of() */
   unsigned base, max; /* GL_TEXTURE_BASE_LEVEL, and GL_TEXTURE_MAX_LOD from there on, or 0 */
} lookups[] = {
   {"constant", "texture2DLod(t, vec2(0.3, 0.6), l)", GL_TEXTURE_2D, GL_NEAREST_MIPMAP_NEAREST},
   {"linear", "texture2DLod(t, p, l)", GL_TEXTURE_2D, GL_NEAREST_MIPMAP_NEAREST},
   {"steep", "texture2DLod(t, p * 37.0, l)", GL_TEXTURE_2D, GL_NEAREST_MIPMAP_NEAREST},
   {"jumps", "texture2DLod(t, fract(p * 13.7), l)", GL_TEXTURE_2D, GL_NEAREST_MIPMAP_NEAREST},
   {"trilinear", "texture2DLod(t, p, l)", GL_TEXTURE_2D, GL_LINEAR_MIPMAP_LINEAR},
   {"trilinear constant", "texture2DLod(t, vec2(0.5), l)", GL_TEXTURE_2D, GL_LINEAR_MIPMAP_LINEAR},
   {"projected", "texture2DProjLod(t, vec3(p * 3.0, 3.0), l)", GL_TEXTURE_2D, GL_NEAREST_MIPMAP_NEAREST},
   {"gradient", "texture2DGradARB(t, p, vec2(exp2(l) / 32.0, 0.0), vec2(0.001))", GL_TEXTURE_2D, GL_LINEAR_MIPMAP_LINEAR},
   {"gradient in y", "texture2DGradARB(t, p, vec2(0.0), vec2(0.0, -exp2(l) / 32.0))", GL_TEXTURE_2D, GL_LINEAR_MIPMAP_LINEAR},
   {"cube", "textureCubeLod(c, vec3(p * 2.0 - 1.0, 0.8), l)", GL_TEXTURE_CUBE_MAP, GL_NEAREST_MIPMAP_NEAREST, BY_POSITION},
   {"cube linear", "textureCubeLod(c, vec3(p * 2.0 - 1.0, 0.8), l)", GL_TEXTURE_CUBE_MAP, GL_LINEAR_MIPMAP_NEAREST, BY_POSITION},
   {"cube trilinear", "textureCubeLod(c, vec3(p * 2.0 - 1.0, 0.8), l)", GL_TEXTURE_CUBE_MAP, GL_LINEAR_MIPMAP_LINEAR,
    BY_POSITION},
   {"cube constant", "textureCubeLod(c, vec3(0.2, 0.1, -0.8), l)", GL_TEXTURE_CUBE_MAP, GL_NEAREST_MIPMAP_NEAREST, 5},
   {"cube gradient", "textureCubeGradARB(c, vec3(0.0, 1.0, 0.0), vec3(exp2(l) / 16.0, 0.0, 0.0), vec3(0.0))",
    GL_TEXTURE_CUBE_MAP, GL_NEAREST_MIPMAP_NEAREST, 2},
   {"cube gradient linear", "textureCubeGradARB(c, vec3(0.1, 0.2, 1.0), vec3(0.0), vec3(0.0, exp2(l) / 16.0, 0.0))",
    GL_TEXTURE_CUBE_MAP, GL_LINEAR_MIPMAP_LINEAR, 4},
   {"one dimension", "texture1DLod(d, p.x, l)", GL_TEXTURE_1D, GL_LINEAR_MIPMAP_LINEAR},
   {"branch", "p.x > 0.3 ? texture2DLod(t, p, l) : texture2DLod(t, p.yx, l)", GL_TEXTURE_2D, GL_NEAREST_MIPMAP_NEAREST},
   {"difference", "texture2DLod(t, p + 0.0 * dFdx(p * p), l)", GL_TEXTURE_2D, GL_NEAREST_MIPMAP_NEAREST},
   {"some levels", "texture2DLod(t, p, l)", GL_TEXTURE_2D, GL_NEAREST_MIPMAP_NEAREST, .base = 2, .max = 1},
   {"some levels, trilinear", "texture2DLod(t, p, l)", GL_TEXTURE_2D, GL_LINEAR_MIPMAP_LINEAR, .base = 2, .max = 2},
   {"some faces' levels", "textureCubeLod(c, vec3(p * 2.0 - 1.0, 0.8), l)", GL_TEXTURE_CUBE_MAP, GL_NEAREST_MIPMAP_NEAREST,
    BY_POSITION, .base = 1, .max = 2},
   {"dependent", "texture2DLod(t, texture2DLod(t, p, 5.0).xy, l)", GL_TEXTURE_2D, GL_NEAREST_MIPMAP_NEAREST},
};

static unsigned char pixels[SIZE * SIZE][4];

/* Level l has the colour 20 + STEP * l. */
static void
fill(GLenum image, unsigned face)
{
   for (unsigned level = 0; level < LEVELS; level++) {
      const unsigned size = 32u >> level;
      unsigned char texels[32 * 32][4];

      for (unsigned i = 0; i < 32 * 32; i++) {
         texels[i][0] = 20 + STEP * level;
         texels[i][1] = FACE * face;
         texels[i][2] = texels[i][3] = 255;
      }
      if (image == GL_TEXTURE_1D)
         glTexImage1D(image, level, GL_RGBA, size, 0, GL_RGBA, GL_UNSIGNED_BYTE, texels);
      else
         glTexImage2D(image, level, GL_RGBA, size, size, 0, GL_RGBA, GL_UNSIGNED_BYTE, texels);
   }
}

static void
make_textures(void)
{
   static const GLenum targets[] = {GL_TEXTURE_2D, GL_TEXTURE_CUBE_MAP, GL_TEXTURE_1D};
   GLuint textures[3];

   glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
   glGenTextures(3, textures);
   for (unsigned i = 0; i < 3; i++) {
      glActiveTexture(GL_TEXTURE0 + i);
      glBindTexture(targets[i], textures[i]);
      glTexParameteri(targets[i], GL_TEXTURE_WRAP_S, GL_REPEAT);
      for (unsigned face = 0; face < 6 && i == 1; face++)
         fill(GL_TEXTURE_CUBE_MAP_POSITIVE_X + face, face);
      if (i != 1)
         fill(targets[i], 0);
   }
}

static void
draw(const struct lookup *l)
{
   const GLuint program = square_program(text_of(
      "#extension GL_ARB_shader_texture_lod : require\n"
      "varying vec2 p; uniform sampler2D t; uniform samplerCube c; uniform sampler1D d;\n"
      "void main() { float l = (gl_FragCoord.x + gl_FragCoord.y * 0.3) * 0.17 - 1.0; gl_FragColor = %s; }\n",
      l->glsl));
   glUseProgram(program);
   glUniform1i(glGetUniformLocation(program, "c"), 1);
   glUniform1i(glGetUniformLocation(program, "d"), 2);
   glActiveTexture(l->target == GL_TEXTURE_2D ? GL_TEXTURE0 : l->target == GL_TEXTURE_CUBE_MAP ? GL_TEXTURE1 : GL_TEXTURE2);
   glTexParameteri(l->target, GL_TEXTURE_MIN_FILTER, l->filter);
   glTexParameteri(l->target, GL_TEXTURE_BASE_LEVEL, l->base);
   glTexParameterf(l->target, GL_TEXTURE_MAX_LOD, l->max ? l->max : 1000);
   draw_square();
   glReadPixels(0, 0, SIZE, SIZE, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
   CHECK(glGetError() == GL_NO_ERROR);
   glDeleteProgram(program);
}

/* Near a half of the nearest level either is right. */
static bool
is_right(const struct lookup *l, double level, int is)
{
   const bool trilinear = l->filter == GL_LINEAR_MIPMAP_LINEAR;
   const double last = l->max ? l->max : LEVELS - 1 - l->base, clamped = l->base + fmin(fmax(level, 0), last);

   if (trilinear)
      return fabs(is - (20 + STEP * clamped)) <= TOLERANCE;
   return abs(is - (20 + STEP * (int)floor(clamped + 0.45))) <= 1 || abs(is - (20 + STEP * (int)floor(clamped + 0.55))) <= 1;
}

/* Of (2 x - 1, 2 y - 1, 0.8): GL's number of the face, as far as that is not a constant. */
static int
face_of(const struct lookup *l, unsigned x, unsigned y)
{
   const double s = (2 * x + 1.0) / SIZE - 1, t = (2 * y + 1.0) / SIZE - 1;

   if (l->face != BY_POSITION)
      return l->face;
   if (fabs(s) < 0.8 && fabs(t) < 0.8)
      return 4;
   return fabs(s) > fabs(t) ? s < 0 : 2 + (t < 0);
}

/* On the edge of two faces, either is right. */
static bool
is_face(const struct lookup *l, unsigned x, unsigned y, int is)
{
   return abs(is - FACE * face_of(l, x, y)) <= 1 || (l->face == BY_POSITION && (x == y || x + y == SIZE - 1));
}

static bool
check(const struct lookup *l)
{
   unsigned wrong = 0;

   for (unsigned y = 0; y < SIZE; y++) {
      for (unsigned x = 0; x < SIZE; x++) {
         const double level = (x + 0.5 + (y + 0.5) * 0.3) * 0.17 - 1;
         const int is = pixels[y * SIZE + x][0];

         const unsigned char green = pixels[y * SIZE + x][1];

         if ((!is_right(l, level, is) || !is_face(l, x, y, green)) && !wrong++)
            printf("[%s] pixel %u,%u: level %.3f, wanted %.3f; face %.3f, wanted %d\n", l->name, x, y, (is - 20.0) / STEP, level,
                   (double)green / FACE, face_of(l, x, y));
      }
   }
   if (wrong)
      printf("[%s] %u pixels are wrong\n", l->name, wrong);
   return !wrong;
}

int
main(int argc, char **argv)
{
   unsigned failures = 0;

   open_target(SIZE, SIZE, false);
   make_textures();
   for (unsigned i = 0; i < COUNT(lookups); i++) {
      if (argc == 2 && strcmp(argv[1], lookups[i].name))
         continue;
      draw(&lookups[i]);
      failures += !check(&lookups[i]);
   }
   return failures != 0;
}
