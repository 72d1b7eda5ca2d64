/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Draws that take several passes (tegra20_pass.h): programs that write gl_FragDepth, and programs that discard and write
 * depth, with and without the stencil test, over primitives of all kinds that overlap within one draw.  Prints how many
 * pixels have which colour, and which stencil; same_output.py runs it on the simulated chip and on softpipe.
 *
 * Every random scene has to look the same on both, but for pixels that depend on how depths are rounded: the program follows
 * the depth of each fragment, and leaves out a pixel where two of them are so close that a depth buffer of 16 bits and one of
 * 24 may order them differently.  Quadrangles are convex: the halves of others overlap, and which is first no API says.
 *
 * Usage: test_multipass [FIRST COUNT]   other scenes
 */

#include "opengl.h"

#define SIZE 64
#define COLORS 8
#define POINT 5
#define SCENES 300
#define MAX_FRAGMENTS 64 /* of a pixel in a scene */
#define CLOSE (4.0 / 65536) /* of either fragment, a step for its plane and one for its rounding */

enum source {
   PLANE,    /* interpolated, each in its own way */
   CONSTANT, /* the depth of a point */
   PROGRAM,  /* gl_FragDepth, the same for all fragments of a primitive */
};

struct corner {
   int x, y; /* in sixteenths of a pixel */
   unsigned color;
};

static struct corner vertices[16];

/* Fragments of a pixel, by primitives. */
static struct {
   unsigned count;
   bool undecided;
   struct {
      double depth;
      enum source source;
      unsigned primitive;
   } fragments[MAX_FRAGMENTS];
} followed[SIZE][SIZE];
static unsigned primitives;

static double
z_of(unsigned color)
{
   return color * 3 % 8 / 8.0;
}

/* Never one that z_of() has. */
static double
alpha_of(unsigned color)
{
   return (1 + 2 * (color * 5 % 8)) / 32.0;
}

/* What is constant and comes from the same source is rounded in the same way, so equal depths are equal everywhere. */
static void
follow(unsigned x, unsigned y, double depth, enum source source)
{
   if (x >= SIZE || y >= SIZE)
      return;
   for (unsigned i = 0; i < followed[y][x].count; i++) {
      const bool close = fabs(followed[y][x].fragments[i].depth - depth) < CLOSE;
      const bool equal = source != PLANE && source == followed[y][x].fragments[i].source &&
                         depth == followed[y][x].fragments[i].depth;
      if (close && !equal && followed[y][x].fragments[i].primitive != primitives)
         followed[y][x].undecided = true;
   }
   const unsigned n = followed[y][x].count++;
   CHECK(n < MAX_FRAGMENTS);
   followed[y][x].fragments[n].depth = depth;
   followed[y][x].fragments[n].source = source;
   followed[y][x].fragments[n].primitive = primitives;
}

/* Twice the area, positive when counter-clockwise. */
static int
area(const struct corner *a, const struct corner *b, const struct corner *c)
{
   return (b->x - a->x) * (c->y - a->y) - (b->y - a->y) * (c->x - a->x);
}

/* Is the centre of a pixel inside of a triangle? If so, *z is the depth there. */
static bool
covers(const struct corner *a, const struct corner *b, const struct corner *c, int x, int y, double *z)
{
   const struct corner center = { 16 * x + 8, 16 * y + 8, 0 };
   const int all = area(a, b, c), of_a = area(&center, b, c), of_b = area(a, &center, c), of_c = area(a, b, &center);

   *z = (z_of(a->color) * of_a + z_of(b->color) * of_b + z_of(c->color) * of_c) / all;
   return (of_a > 0) == (all > 0) && (of_b > 0) == (all > 0) && (of_c > 0) == (all > 0);
}

static void
follow_triangle(const struct corner *a, const struct corner *b, const struct corner *c, enum source source, double depth)
{
   double z;

   for (int y = 0; y < SIZE; y++) {
      for (int x = 0; x < SIZE; x++) {
         if (covers(a, b, c, x, y, &z))
            follow(x, y, source == PROGRAM ? depth : z, source);
      }
   }
}

/* Does the line through two vertices hit no centre of a pixel?  Which side such a pixel belongs to is not the same everywhere. */
static bool
misses_centers(const struct corner *a, const struct corner *b)
{
   const int dx = b->x - a->x, dy = b->y - a->y;

   for (int x = 8; x < 16 * SIZE && dx; x += 16) {
      if (((a->y - 8) * dx + dy * (x - a->x)) % (16 * dx) == 0)
         return false;
   }
   return true;
}

static bool
is_convex(const struct corner *a, const struct corner *b, const struct corner *c, const struct corner *d)
{
   const bool left = area(a, b, c) > 0;

   return (area(b, c, d) > 0) == left && (area(c, d, a) > 0) == left && (area(d, a, b) > 0) == left;
}

/* With vertex i the quadrangle is complete, if there is one. */
static bool
may_follow(GLenum mode, unsigned i)
{
   const struct corner *v = &vertices[i];

   if (mode == GL_QUADS && i % 4 == 3)
      return is_convex(v - 3, v - 2, v - 1, v);
   if (mode == GL_QUAD_STRIP && i % 2 && i > 2)
      return is_convex(v - 3, v - 2, v, v - 1);
   return true;
}

/* Odd sixteenths: horizontal and vertical lines miss the centres. */
static void
choose_vertices(GLenum mode, unsigned count)
{
   for (unsigned i = 0; i < count;) {
      bool good = true;

      vertices[i].x = 2 * random_below(8 * SIZE) + 1;
      vertices[i].y = 2 * random_below(8 * SIZE) + 1;
      vertices[i].color = random_below(COLORS);
      for (unsigned k = 0; k < i; k++)
         good = good && misses_centers(&vertices[k], &vertices[i]);
      if (good && !may_follow(mode, i))
         i = i - i % 2; /* the vertex before may leave no place for this one */
      else
         i += good;
   }
}

/* Points stand on the centres of pixels, away from the edges. */
static void
choose_points(unsigned count)
{
   for (unsigned i = 0; i < count; i++) {
      vertices[i].x = 16 * (8 + random_below(SIZE - 16)) + 8;
      vertices[i].y = 16 * (8 + random_below(SIZE - 16)) + 8;
      vertices[i].color = random_below(COLORS);
   }
}

static void
follow_quadrangle(const struct corner *a, const struct corner *b, const struct corner *c, const struct corner *d,
                  enum source source, double depth)
{
   follow_triangle(a, b, c, source, depth);
   follow_triangle(a, c, d, source, depth);
   follow_triangle(a, b, d, source, depth);
   follow_triangle(b, c, d, source, depth);
   primitives++;
}

/* All fragments, whether they are culled, discarded or fail a test or not.  GL_FLAT: the last vertex of a primitive has its
 * colour. */
static void
follow_draw(GLenum mode, unsigned count, bool program)
{
   const enum source source = program ? PROGRAM : mode == GL_POINTS ? CONSTANT : PLANE;

   for (unsigned i = 0; i < count; i++) {
      const struct corner *v = &vertices[i];
      const double depth = program ? alpha_of(v->color) : z_of(v->color);

      if (mode == GL_POINTS) {
         for (int p = 0; p < POINT * POINT; p++)
            follow(v->x / 16 + p % POINT - POINT / 2, v->y / 16 + p / POINT - POINT / 2, depth, source);
         primitives++;
      } else if ((mode == GL_TRIANGLES && i % 3 == 2) || (mode == GL_TRIANGLE_STRIP && i >= 2)) {
         follow_triangle(v - 2, v - 1, v, source, depth);
         primitives++;
      } else if (mode == GL_TRIANGLE_FAN && i >= 2) {
         follow_triangle(vertices, v - 1, v, source, depth);
         primitives++;
      } else if (mode == GL_QUADS && i % 4 == 3) {
         follow_quadrangle(v - 3, v - 2, v - 1, v, source, depth);
      } else if (mode == GL_QUAD_STRIP && i % 2 && i > 2) {
         follow_quadrangle(v - 3, v - 2, v, v - 1, source, depth);
      }
   }
}

static const char depth_source[] = "void main() {\n"
                                   "   gl_FragColor = gl_Color;\n"
                                   "   gl_FragDepth = gl_Color.a;\n"
                                   "}\n";
static const char discard_source[] = "void main() {\n"
                                     "   if (mod(floor(gl_FragCoord.x) + floor(gl_FragCoord.y), 3.0) < 0.5)\n"
                                     "      discard;\n"
                                     "   gl_FragColor = gl_Color;\n"
                                     "}\n";

/* The colour's number is in red, green and blue, a depth in alpha. */
static void
draw_something(bool program)
{
   static const GLenum modes[] = {GL_TRIANGLES, GL_TRIANGLE_STRIP, GL_TRIANGLE_FAN, GL_QUADS, GL_QUAD_STRIP, GL_POINTS};
   const GLenum mode = modes[random_below(6)];
   const unsigned count = 4 + random_below(12);

   if (mode == GL_POINTS)
      choose_points(count);
   else
      choose_vertices(mode, count);
   follow_draw(mode, count, program);
   glBegin(mode);
   for (unsigned i = 0; i < count; i++) {
      const unsigned color = vertices[i].color;
      glColor4f(color & 1, color >> 1 & 1, color >> 2 & 1, alpha_of(color));
      glVertex3f(vertices[i].x / 16.0f, vertices[i].y / 16.0f, z_of(color));
   }
   glEnd();
}

/* How many of the pixels that are decided have which colour, a sum of their stencil, and how many are not. */
static unsigned
print_colors(unsigned scene)
{
   static unsigned char pixels[SIZE][SIZE][4], stencil[SIZE][SIZE];
   unsigned counts[COLORS + 1] = {0}, undecided = 0, sum = 0;

   glReadPixels(0, 0, SIZE, SIZE, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
   glReadPixels(0, 0, SIZE, SIZE, GL_STENCIL_INDEX, GL_UNSIGNED_BYTE, stencil);
   for (unsigned y = 0; y < SIZE; y++) {
      for (unsigned x = 0; x < SIZE; x++) {
         const unsigned char *p = pixels[y][x];
         if (followed[y][x].undecided) {
            undecided++;
            continue;
         }
         counts[p[0] == 51 ? COLORS : (p[0] != 0) + 2 * (p[1] != 0) + 4 * (p[2] != 0)]++;
         sum += (1 + y * SIZE + x) * stencil[y][x];
      }
   }
   printf("%u:", scene);
   for (unsigned i = 0; i <= COLORS; i++)
      printf(" %u", counts[i]);
   printf(", stencil %08x, undecided %u\n", sum, undecided);
   return undecided;
}

/* Returns how many pixels are undecided. */
static unsigned
draw_scene(unsigned scene, GLuint depth, GLuint discards)
{
   random_state = scene * 2654435761u + 1;
   memset(followed, 0, sizeof(followed));
   glClearColor(0.2f, 0.2f, 0.2f, 0.2f);
   glClearStencil(random_below(3));
   glDepthMask(GL_TRUE);
   glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT | GL_STENCIL_BUFFER_BIT);
   for (unsigned draws = 1 + random_below(3); draws > 0; draws--) {
      const bool program = random_below(2);
      glUseProgram(program ? depth : discards);
      glDepthFunc(random_below(3) ? GL_LESS : GL_GEQUAL);
      glDepthMask(random_below(4) > 0);
      enable(GL_STENCIL_TEST, random_below(3) == 0);
      const GLint reference = random_below(4);
      glStencilFunc(GL_NEVER + 1 + random_below(7), reference, 3);
      glStencilOp(GL_KEEP, GL_INVERT, GL_INCR);
      enable(GL_CULL_FACE, random_below(2));
      glCullFace(random_below(2) ? GL_FRONT : GL_BACK);
      draw_something(program);
   }
   return print_colors(scene);
}

static void
draw_scenes(unsigned first, unsigned count)
{
   const GLuint depth = make_program(NULL, depth_source, NULL), discards = make_program(NULL, discard_source, NULL);
   unsigned undecided = 0;

   glShadeModel(GL_FLAT);
   glEnable(GL_DEPTH_TEST);
   glPointSize(POINT);
   for (unsigned scene = first; scene < first + count; scene++)
      undecided += draw_scene(scene, depth, discards);
   CHECK(undecided < count * SIZE * SIZE / 100);
}

int
main(int argc, char **argv)
{
   const unsigned first = argc > 2 ? atoi(argv[1]) : 0, count = argc > 2 ? atoi(argv[2]) : SCENES;

   open_target(SIZE, SIZE, true);
   glOrtho(0, SIZE, 0, SIZE, 0, -1);
   draw_scenes(first, count);
   CHECK(glGetError() == GL_NO_ERROR);
   return 0;
}
