/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Cube maps of all sizes in OpenGL ES 2.0, with levels and without, minified and magnified, on one face or across edges and
 * corners of the cube, with all filters, from random directions.  Red tells the face, green the level, blue is a gradient along
 * s of the level, and alpha one along t.
 *
 * The expected values are computed here in double precision: the face by table 3.21, the level of detail from the largest
 * difference between pixels of the quad (3.7.7; assumption A64), and the filter by the rules for two-dimensional images, which
 * read no other face.  Software renderers read the neighbours, as later versions want it.  What the chip computes may be off
 * by what its numbers cannot hold: coordinates have 14 significant bits, weights of two levels 6.
 *
 * Usage: test_cube_levels [FIRST COUNT]
 */

#include "opengl_es.h"

#define CASES     300
#define SIZE      32 /* of the picture */
#define LARGEST   400
#define TOLERANCE 5
/* Of a level of detail: the weights, and what they are rounded to. */
#define LOD_STEP (1 / 64.0 + 1 / 85.0)
/* Of a coordinate from -1 to 1, twice.  Those of the atlas are coarser by half.  Where sizes are no powers of two, a level
 * fills a part of its cell, and the product with that part is rounded, too: half as much again. */
#define COORDINATE_STEP 0x1p-13

static const unsigned sizes[] = {1,  2,  3,  4,  5,  6,  7,  8,  9,  11,  13,  15,  16,
                                 17, 19, 23, 31, 32, 33, 47, 63, 64, 100, 128, 200, LARGEST};
static const GLenum minify[] = {GL_LINEAR, GL_LINEAR_MIPMAP_NEAREST, GL_LINEAR_MIPMAP_LINEAR, GL_NEAREST_MIPMAP_NEAREST,
                                GL_NEAREST_MIPMAP_LINEAR};

static GLuint program;

struct cube_case {
   unsigned number, size, last;
   GLenum min, mag;
   float bias;
   float origin[3], dx[3], dy[3]; /* direction in the middle of the picture, and what half of it adds */
};

/* A range of values. */
struct range {
   double low, high;
};

static struct range
join(struct range a, struct range b)
{
   return (struct range){fmin(a.low, b.low), fmax(a.high, b.high)};
}

/* --- the textures --- */

static double
gradient(unsigned size, int x)
{
   return 20 + 210 * (x + 0.5) / size;
}

static void
make_cube(const struct cube_case *c)
{
   static uint8_t pixels[LARGEST * LARGEST * 4];

   for (unsigned face = 0; face < 6; face++) {
      for (unsigned level = 0; level <= c->last; level++) {
         const unsigned width = c->size >> level;
         for (unsigned i = 0; i < width * width; i++) {
            const uint8_t texel[4] = {20 + 40 * face, 10 + 30 * level, lround(gradient(width, i % width)),
                                      lround(gradient(width, i / width))};
            memcpy(pixels + 4 * i, texel, sizeof(texel));
         }
         glTexImage2D(GL_TEXTURE_CUBE_MAP_POSITIVE_X + face, level, GL_RGBA, width, width, 0, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
      }
   }
   set_wraps(GL_TEXTURE_CUBE_MAP, GL_CLAMP_TO_EDGE, GL_CLAMP_TO_EDGE);
}

/* --- the reference --- */

/* The direction at a pixel. */
static void
direction_at(const struct cube_case *c, unsigned x, unsigned y, double out[3])
{
   const double across = (x + 0.5) * 2 / SIZE - 1, up = (y + 0.5) * 2 / SIZE - 1;

   for (unsigned i = 0; i < 3; i++)
      out[i] = c->origin[i] + across * c->dx[i] + up * c->dy[i];
}

/* Of coordinates on the face that a direction of this length along the axis meets.  Directions come as sums, whose terms are
 * rounded: what is left of large ones, close to the middle of the cube, is less exact. */
static double
coordinate_step(const struct cube_case *c, double length)
{
   double terms = 0;

   for (unsigned i = 0; i < 3; i++)
      terms = fmax(terms, fabs(c->origin[i]) + fabs(c->dx[i]) + fabs(c->dy[i]));
   return COORDINATE_STEP * fmax(1, terms / (2 * length));
}

/* The face, and s and t on it, 0 to 1, and by how much it may be off; -1 where it may be another face. */
static int
face_of(const struct cube_case *c, const double d[3], double place[2], double *step)
{
   unsigned axis = 0;

   for (unsigned i = 1; i < 3; i++)
      axis = fabs(d[i]) > fabs(d[axis]) ? i : axis;
   const double m = fabs(d[axis]);
   *step = 2 * coordinate_step(c, m);
   for (unsigned i = 0; i < 3; i++) {
      if (i != axis && fabs(d[i]) / m > 1 - 2 * *step)
         return -1;
   }
   const double along[3] = {d[0] < 0 ? d[2] : -d[2], d[0], d[2] < 0 ? -d[0] : d[0]};
   place[0] = (along[axis] / m + 1) / 2;
   place[1] = ((axis != 1 ? -d[1] : d[1] < 0 ? -d[2] : d[2]) / m + 1) / 2;
   return 2 * axis + (d[axis] < 0);
}

/* Of a pixel of a face: the other pixels of the quad lie in the plane of that face.  False where one of them is behind the
 * viewer. */
static bool
level_of_detail(const struct cube_case *c, unsigned x, unsigned y, unsigned face, struct range *lod)
{
   const unsigned axis = face / 2;
   double d[4][3], difference = 0, rounding = COORDINATE_STEP;

   for (unsigned i = 0; i < 4; i++) {
      direction_at(c, (x & ~1u) + (i & 1), (y & ~1u) + (i >> 1), d[i]);
      const double m = d[i][axis] * (face & 1 ? -1 : 1);
      if (m < 0.05)
         return false;
      for (unsigned k = 0; k < 3; k++) {
         d[i][k] /= m;
         rounding = fmax(rounding, fabs(d[i][k]) * 2 * COORDINATE_STEP);
      }
   }
   for (unsigned i = 0; i < 3; i++) {
      difference = fmax(difference, fmax(fabs(d[1][i] - d[0][i]), fabs(d[3][i] - d[2][i])));
      difference = fmax(difference, fmax(fabs(d[2][i] - d[0][i]), fabs(d[3][i] - d[1][i])));
   }
   const double low = fmax(difference - rounding, 1e-9), high = difference + rounding;
   *lod = (struct range){log2(low * c->size / 2) + c->bias - LOD_STEP, log2(high * c->size / 2) + c->bias + LOD_STEP};
   return true;
}

static double
texel(unsigned size, double x)
{
   return gradient(size, fmax(0, fmin(size - 1, x)));
}

/* Blue or alpha of a level, at s or t. */
static struct range
filtered(const struct cube_case *c, unsigned level, bool linear, double s, double step)
{
   const unsigned size = c->size >> level;
   const bool is_part = c->size & (c->size - 1) && c->min != GL_LINEAR;
   const double rounding = step * (is_part ? 1.5 * (1 << (int)ceil(log2(c->size)) >> level) : size);
   struct range result = {INFINITY, -INFINITY};

   for (int i = -1; i <= 1; i++) {
      const double u = s * size + i * rounding - (linear ? 0.5 : 0), x = floor(u);
      const double value = linear ? texel(size, x) * (x + 1 - u) + texel(size, x + 1) * (u - x) : texel(size, x);
      result = join(result, (struct range){value, value});
   }
   return result;
}

/* Green, blue and alpha of a level of detail. */
static void
sample(const struct cube_case *c, double lod, const double place[2], double step, struct range out[3])
{
   const bool mixed = c->min == GL_NEAREST_MIPMAP_LINEAR || c->min == GL_LINEAR_MIPMAP_LINEAR;
   const bool linear = lod <= 0 ? c->mag == GL_LINEAR : c->min != GL_NEAREST_MIPMAP_NEAREST && c->min != GL_NEAREST_MIPMAP_LINEAR;
   const double limited = fmax(0, fmin(lod, c->last));
   const unsigned level = mixed ? floor(limited) : floor(limited + 0.5);
   const double weight = mixed ? limited - level : 0;

   out[0].low = out[0].high = 10 + 30 * (level + weight);
   for (unsigned i = 0; i < 2; i++) {
      const struct range first = filtered(c, level, linear, place[i], step),
                         next = filtered(c, level + (weight > 0), linear, place[i], step);
      out[1 + i].low = first.low * (1 - weight) + next.low * weight;
      out[1 + i].high = first.high * (1 - weight) + next.high * weight;
   }
}

/* All that the range of levels of detail may lead to. */
static void
expect(const struct cube_case *c, struct range lod, const double place[2], double step, struct range out[3])
{
   out[0] = out[1] = out[2] = (struct range){INFINITY, -INFINITY};
   for (unsigned i = 0; i <= 16; i++) {
      struct range one[3];
      sample(c, lod.low + (lod.high - lod.low) * i / 16, place, step, one);
      for (unsigned k = 0; k < 3; k++)
         out[k] = join(out[k], one[k]);
   }
}

/* --- cases --- */

static void
choose(unsigned number, struct cube_case *c)
{
   c->number = number;
   c->size = sizes[random_below(COUNT(sizes))];
   c->min = minify[random_below(COUNT(minify))];
   c->mag = one_in(2) ? GL_NEAREST : GL_LINEAR;
   c->last = c->min == GL_LINEAR ? 0 : log2(c->size);
   c->bias = one_in(3) ? between(-2, 4) : 0;
   const bool one_face = one_in(2);
   const unsigned axis = random_below(3);
   const float sign = one_in(2) ? 1 : -1, extent = between(0.02f, one_face ? 1.0f : 2.0f);
   for (unsigned i = 0; i < 3; i++) {
      c->origin[i] = one_face && i == axis ? sign : between(-1, 1) * (one_face ? 1 - extent : 1);
      c->dx[i] = one_face && i == axis ? 0 : between(-extent, extent);
      c->dy[i] = one_face && i == axis ? 0 : between(-extent, extent);
   }
}

static void
draw(const struct cube_case *c)
{
   GLfloat corners[4][3];

   make_cube(c);
   set_filters(GL_TEXTURE_CUBE_MAP, c->min, c->mag);
   for (unsigned i = 0; i < 4; i++) {
      for (unsigned k = 0; k < 3; k++)
         corners[i][k] = c->origin[k] + (i & 1 ? 1 : -1) * c->dx[k] + (i & 2 ? 1 : -1) * c->dy[k];
   }
   glUniform1f(glGetUniformLocation(program, "bias"), c->bias);
   glVertexAttribPointer(1, 3, GL_FLOAT, GL_FALSE, 0, corners);
   draw_square();
}

static bool
is_outside(unsigned value, struct range range)
{
   return value < range.low - TOLERANCE || value > range.high + TOLERANCE;
}

static unsigned
check(const struct cube_case *c)
{
   uint8_t pixels[SIZE * SIZE * 4];
   unsigned wrong = 0;

   glReadPixels(0, 0, SIZE, SIZE, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
   for (unsigned i = 0; i < SIZE * SIZE; i++) {
      const uint8_t *is = pixels + 4 * i;
      struct range expected[3], lod;
      double d[3], place[2], step;
      bool right = true;

      direction_at(c, i % SIZE, i / SIZE, d);
      const int face = face_of(c, d, place, &step);
      if (face < 0 || !level_of_detail(c, i % SIZE, i / SIZE, face, &lod))
         continue;
      expect(c, lod, place, step, expected);
      for (unsigned k = 0; k < 3; k++)
         right = right && !is_outside(is[1 + k], expected[k]);
      if (abs(is[0] - (20 + 40 * face)) <= TOLERANCE && right)
         continue;
      if (!wrong++)
         fprintf(stderr,
                 "case %u, %ux%u, filters %x and %x, bias %g: pixel %u, %u is %u %u %u %u, expected %u %.0f..%.0f %.0f..%.0f "
                 "%.0f..%.0f (lod %.3f..%.3f)\n",
                 c->number, c->size, c->size, c->min, c->mag, c->bias, i % SIZE, i / SIZE, is[0], is[1], is[2], is[3],
                 20 + 40 * face, expected[0].low, expected[0].high, expected[1].low, expected[1].high, expected[2].low,
                 expected[2].high, lod.low, lod.high);
   }
   return wrong;
}

static unsigned
run_case(unsigned number)
{
   struct cube_case c;

   choose(number, &c);
   const GLuint cube = empty_texture(GL_TEXTURE_CUBE_MAP);
   draw(&c);
   glDeleteTextures(1, &cube);
   return check(&c);
}

int
main(int argc, char **argv)
{
   static const char vertex[] = "attribute vec2 at; attribute vec3 corner; varying vec3 d;\n"
                                "void main() { gl_Position = vec4(at, 0.0, 1.0); d = corner; }\n";
   static const char fragment[] = "precision mediump float; varying vec3 d; uniform samplerCube cube; uniform float bias;\n"
                                  "void main() { gl_FragColor = textureCube(cube, d, bias); }\n";

   open_target(SIZE, SIZE, false);
   program = make_program(vertex, fragment, "at corner");
   glUseProgram(program);
   glEnableVertexAttribArray(1);
   return run_numbered(argc, argv, CASES, run_case);
}
