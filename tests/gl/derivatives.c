/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * dFdx and dFdy, one line per program and per shape.  The value of a pixel is a function of its position, which the C
 * function of the same line computes, so every pixel that is drawn is compared with the difference that the rule of the quad
 * gives: bottom right minus bottom left, and bottom left minus top left of the quad whose corner is even.  Pixels of the quad
 * that the primitive does not cover count, too.
 *
 * Usage: test_derivatives [FUNCTION [SHAPE]]
 */

#include "opengl.h"

#define WIDTH 33 /* half a quad at the edges */
#define HEIGHT 31
#define FACTOR 2.0
#define TOLERANCE 3
#define FAR_TOLERANCE 6 /* of the quotient that the position is then */

struct point {
   double x, y; /* -1..1 */
};

static double linear(struct point p) { return 0.7 * p.x - 0.4 * p.y; }
static double square(struct point p) { return p.x * p.x - p.x * p.y; }
static double wave(struct point p) { return 0.3 * sin(2 * p.x + p.y); }
static double step_x(struct point p) { return p.x + 0.1 * p.y > 0.12 ? 0.2 : 0; }
static double bend(struct point p) { return 0.4 * fabs(p.x - p.y); }
static double column(struct point p) { return 0.03 * (p.x + 1) * WIDTH / 2 * (0.1 * (p.y + 1) * HEIGHT / 2); }
static double texels(struct point p) { return floor(4 * fmod(p.x + 2.02, 1)) / 8 + floor(4 * fmod(p.y + 2.02, 1)) / 16; }

static const struct function {
   const char *name, *glsl;
   double (*f)(struct point);
   double tolerance; /* of a byte; 0: TOLERANCE */
} functions[] = {
   {"linear", "0.7 * p.x - 0.4 * p.y", linear},
   {"square", "p.x * p.x - p.x * p.y", square},
   {"wave", "0.3 * sin(2.0 * p.x + p.y)", wave},
   {"step", "p.x + 0.1 * p.y > 0.12 ? 0.2 : 0.0", step_x},
   {"bend", "0.4 * abs(p.x - p.y)", bend},
   /* differentiated, so it is the gradient at the pixel: half a step away */
   {"column", "0.03 * gl_FragCoord.x * (gl_FragCoord.y * 0.1)", column, 4},
   {"texels", "texture2D(t, p + 0.02).x", texels},
};

/* Positions are of the window, -1..1; w is not 1 where "far" is. */
static const struct shape {
   const char *name;
   GLenum mode;
   bool far;
   unsigned count;
   GLfloat at[12][2];
} shapes[] = {
   {"all", GL_TRIANGLE_STRIP, false, 4, {{-1, -1}, {1, -1}, {-1, 1}, {1, 1}}},
   {"triangle", GL_TRIANGLES, false, 3, {{-0.9, -0.8}, {0.95, -0.3}, {-0.2, 0.9}}},
   {"clockwise", GL_TRIANGLES, false, 3, {{-0.9, -0.8}, {-0.2, 0.9}, {0.95, -0.3}}},
   {"slivers", GL_TRIANGLES, false, 6, {{-0.9, -0.9}, {0.9, 0.8}, {0.95, 0.9}, {-0.8, 0.9}, {0.1, -0.9}, {0.15, -0.93}}},
   {"overlap", GL_TRIANGLES, false, 6, {{-0.9, -0.8}, {0.95, -0.3}, {-0.2, 0.9}, {-0.9, 0.8}, {0.9, 0.9}, {0.1, -0.9}}},
   {"clipped", GL_TRIANGLES, false, 3, {{-1.9, -0.8}, {2.5, -1.3}, {-0.2, 1.9}}},
   {"fan", GL_TRIANGLE_FAN, false, 6, {{0, 0}, {0.9, 0.1}, {0.4, 0.8}, {-0.7, 0.6}, {-0.5, -0.8}, {0.6, -0.7}}},
   {"perspective", GL_TRIANGLE_STRIP, true, 4, {{-1, -1}, {1, -1}, {-1, 1}, {1, 1}}},
   {"perspective triangle", GL_TRIANGLES, true, 3, {{-0.9, -0.8}, {0.95, -0.3}, {-0.2, 0.9}}},
   {"scissor", GL_TRIANGLE_STRIP, false, 4, {{-1, -1}, {1, -1}, {-1, 1}, {1, 1}}},
   {"small", GL_TRIANGLES, false, 6, {{0.1, 0.1}, {0.17, 0.1}, {0.1, 0.17}, {-0.5, 0.3}, {-0.44, 0.3}, {-0.47, 0.36}}},
};

static const char vertex[] = "attribute vec2 at; attribute float w; varying vec3 q;\n"
                             "void main() { gl_Position = vec4(at * w, 0.0, w); q = vec3(at * w, w); }\n";

static GLuint programs[COUNT(functions)];
static unsigned char pixels[WIDTH * HEIGHT][4];

static GLuint
make_function_program(const struct function *f, const char *otherwise)
{
   return make_program(vertex, text_of(
      "varying vec3 q; uniform sampler2D t; uniform bool plain;\n"
      "void main() {\n"
      "   vec2 p = q.xy / q.z;\n"
      "   float f = %s;\n"
      "   gl_FragColor = %svec4(0.5 + %.1f * dFdx(f), 0.5 + %.1f * dFdy(f), %.1f * fwidth(f), 1.0);\n"
      "}\n",
      f->glsl, otherwise, FACTOR, FACTOR, FACTOR), "at w");
}

static void
make_texture(void)
{
   unsigned char texels[4][4];

   for (unsigned i = 0; i < 16; i++)
      texels[i / 4][i % 4] = i % 4 * 32 + i / 4 * 16;
   filtered_texture(GL_TEXTURE_2D, GL_NEAREST);
   glTexImage2D(GL_TEXTURE_2D, 0, GL_LUMINANCE, 4, 4, 0, GL_LUMINANCE, GL_UNSIGNED_BYTE, texels);
}

static void
read_pixels(void)
{
   glReadPixels(0, 0, WIDTH, HEIGHT, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
   CHECK(glGetError() == GL_NO_ERROR);
}

static void
draw_shape(const struct shape *s)
{
   GLfloat w[12];

   for (unsigned i = 0; i < s->count; i++)
      w[i] = s->far ? 1 + i * 0.7f : 1;
   clear_color(0, 0, 0, 0);
   (strcmp(s->name, "scissor") ? glDisable : glEnable)(GL_SCISSOR_TEST);
   glScissor(5, 7, 13, 11);
   use_floats(0, 2, s->at);
   use_floats(1, 1, w);
   glDrawArrays(s->mode, 0, s->count);
   glDisable(GL_SCISSOR_TEST);
}

static void
draw(const struct shape *s)
{
   draw_shape(s);
   read_pixels();
}

static double
value(const struct function *f, unsigned x, unsigned y)
{
   const struct point p = {(x + 0.5) * 2 / WIDTH - 1, (y + 0.5) * 2 / HEIGHT - 1};
   return f->f(p);
}

static double
byte(double colour)
{
   return fmin(fmax(colour, 0), 1) * 255;
}

/* Programs with derivatives take another way through the driver, which culls, too. */
static bool
check_culling(void)
{
   static const GLenum modes[] = {GL_FRONT, GL_BACK, GL_FRONT_AND_BACK};
   unsigned failures = 0;

   for (unsigned i = 0; i < 6; i++) {
      const struct shape *s = &shapes[i < 3 ? 1 : 2]; /* a triangle, and its other side */
      const bool back = i >= 3, culled = modes[i % 3] == GL_FRONT_AND_BACK || (modes[i % 3] == GL_BACK) == back;
      unsigned drawn = 0;

      glEnable(GL_CULL_FACE);
      glCullFace(modes[i % 3]);
      draw(s);
      glDisable(GL_CULL_FACE);
      for (unsigned p = 0; p < WIDTH * HEIGHT; p++)
         drawn += pixels[p][3] != 0;
      if (culled == (drawn > 0)) {
         printf("culling of %s: %u pixels of %s\n", i % 3 == 2 ? "both sides" : i % 3 ? "back faces" : "front faces", drawn,
                s->name);
         failures++;
      }
   }
   return !failures;
}

/* The vertex program runs on the CPU then: that of the program that is bound, wherever the one before it was in memory. */
static bool
check_successors(void)
{
   unsigned failures = 0;

   for (unsigned i = 1; i <= 16; i++) {
      const GLuint program = make_program(text_of(
         "attribute vec2 at; attribute float w; varying float v;\n"
         "void main() { gl_Position = vec4(at * w, 0.0, w); v = w * %u.0 / 255.0; }\n", i * 10),
         "varying float v; void main() { gl_FragColor = vec4(v + fwidth(v)); }\n", "at w");
      glUseProgram(program);
      draw(&shapes[0]);
      glUseProgram(0);
      glDeleteProgram(program);
      if (abs(pixels[0][0] - (int)(i * 10)) > 1) {
         printf("program %u of those that are deleted: %u, not %u\n", i, pixels[0][0], i * 10);
         failures++;
      }
   }
   return !failures;
}

/* A loop behind a derivative, whose rounds are drawn beyond the edges too: what is seen is not. */
static bool
check_loops(void)
{
   const GLuint program = make_program(
      vertex, "varying vec3 q;\n"
              "void main() {\n"
              "   vec2 cell = floor(gl_FragCoord.xy);\n"
              "   float s = dFdy(mod(cell.x * 5.0 + cell.y * 3.0, 7.0)), n = mod(cell.x * 2.0 + cell.y * 3.0, 11.0);\n"
              "   while (n > 0.5) { n -= 1.0; s = abs(s - q.x); }\n"
              "   gl_FragColor = vec4(fract(s), 0.0, 0.0, 1.0);\n"
              "}\n", "at w");
   const GLuint drawing[2] = {programs[0], program};
   unsigned failures = 0;

   for (unsigned j = 1; j < COUNT(shapes); j++) {
      unsigned drawn[2] = {0};

      for (unsigned i = 0; i < 2; i++) {
         glUseProgram(drawing[i]);
         draw(&shapes[j]);
         for (unsigned p = 0; p < WIDTH * HEIGHT; p++)
            drawn[i] += pixels[p][3] != 0;
      }
      if (drawn[0] != drawn[1]) {
         printf("a loop behind a derivative: %u pixels of %s, not %u\n", drawn[1], shapes[j].name, drawn[0]);
         failures++;
      }
   }
   return !failures;
}

/* Is a byte as far from the middle as a derivative says? */
static bool
is_near(unsigned byte_is, double derivative)
{
   return fabs(byte_is - byte(0.5 + derivative)) <= TOLERANCE;
}

/* Pixels beside a point continue what is in it: values change with the coordinate in the point, or not at all. */
static bool
check_points(void)
{
   static const float sizes[] = {1, 2, 3, 5, 8, 13.5f};
   const double left = 18.625, top = 14.5625; /* in sixteenths, as engines round */
   const GLuint program = make_program(
      vertex, "#version 120\nuniform float sprite; varying vec3 q;\n"
              "void main() {\n"
              "   vec2 p = mix(q.xy, gl_PointCoord, sprite);\n"
              "   float f = 0.5 * sin(2.0 * p.x) * p.x + 0.5 * p.x * p.y;\n"
              "   gl_FragColor = vec4(0.5 + dFdx(f), 0.5 + dFdy(f), 0.5, 1.0);\n"
              "}\n", "at w");
   unsigned failures = 0;

   glUseProgram(program);
   for (unsigned i = 0; i < 2 * COUNT(sizes); i++) {
      const struct shape s = {"point", GL_POINTS, false, 1, {{left * 2 / WIDTH - 1, top * 2 / HEIGHT - 1}}};
      const double size = sizes[i / 2];
      unsigned drawn = 0, wrong = 0;

      glPointSize(size);
      (i & 1 ? glEnable : glDisable)(GL_POINT_SPRITE);
      glUniform1f(glGetUniformLocation(program, "sprite"), i & 1);
      draw(&s);
      for (unsigned p = 0; p < WIDTH * HEIGHT; p++) {
         double f[3]; /* bottom left, right of it, above it */

         for (unsigned k = 0; k < 3; k++) {
            const double x = (p % WIDTH & ~1u) + (k == 1) + 0.5, y = (p / WIDTH & ~1u) + (k < 2) + 0.5;
            const double px = i & 1 ? (x - left) / size + 0.5 : 0, py = i & 1 ? 0.5 - (y - top) / size : 0;
            f[k] = 0.5 * sin(2 * px) * px + 0.5 * px * py;
         }
         drawn += pixels[p][3] != 0;
         if (pixels[p][3] && !(is_near(pixels[p][0], f[1] - f[0]) && is_near(pixels[p][1], f[0] - f[2])) && !wrong++)
            printf("point of size %g, sprite %u: pixel %u,%u: %u %u, not %.0f %.0f\n", size, i & 1, p % WIDTH, p / WIDTH,
                   pixels[p][0], pixels[p][1], byte(0.5 + f[1] - f[0]), byte(0.5 + f[0] - f[2]));
      }
      if (drawn < size * size * 0.7 - 1 || wrong) {
         printf("point of size %g, sprite %u: %u of %u pixels are wrong\n", size, i & 1, wrong, drawn);
         failures++;
      }
   }
   return !failures;
}

static bool
check(const struct function *f, const struct shape *s)
{
   const double tolerance = f->tolerance ? f->tolerance : s->far ? FAR_TOLERANCE : TOLERANCE;
   unsigned drawn = 0, wrong = 0;

   for (unsigned y = 0; y < HEIGHT; y++) {
      for (unsigned x = 0; x < WIDTH; x++) {
         const unsigned char *is = pixels[y * WIDTH + x];
         const double bottom = value(f, x & ~1u, y | 1), dx = value(f, x | 1, y | 1) - bottom,
                      dy = bottom - value(f, x & ~1u, y & ~1u);
         const double should[3] = {byte(0.5 + FACTOR * dx), byte(0.5 + FACTOR * dy), byte(FACTOR * (fabs(dx) + fabs(dy)))};

         if (is[3] == 0)
            continue;
         drawn++;
         if (fabs(is[0] - should[0]) <= tolerance && fabs(is[1] - should[1]) <= tolerance &&
             fabs(is[2] - should[2]) <= 2 * tolerance)
            continue;
         if (!wrong++)
            printf("[%s] %s: pixel %u,%u: %u %u %u, not %.0f %.0f %.0f\n", f->name, s->name, x, y, is[0], is[1], is[2],
                   should[0], should[1], should[2]);
      }
   }
   if (wrong || !drawn)
      printf("[%s] %s: %u of %u pixels are wrong\n", f->name, s->name, wrong, drawn);
   return !wrong && drawn;
}

/* When the program is linked nobody knows that a draw will want its derivatives. */
static bool
check_branches(void)
{
   const struct function *f = &functions[1];
   unsigned failures = 0;

   glUseProgram(make_function_program(f, "plain ? vec4(0.25) : "));
   for (unsigned j = 0; j < COUNT(shapes); j++) {
      draw(&shapes[j]);
      failures += !check(f, &shapes[j]);
   }
   return !failures;
}

/* Of pixels, not of the four samples of one. */
static bool
check_samples(void)
{
   const struct function *f = &functions[0];
   GLuint colors;
   GLint window;

   glGetIntegerv(GL_FRAMEBUFFER_BINDING, &window);
   new_framebuffer();
   glGenRenderbuffers(1, &colors);
   glBindRenderbuffer(GL_RENDERBUFFER, colors);
   glRenderbufferStorageMultisample(GL_RENDERBUFFER, 4, GL_RGBA8, WIDTH, HEIGHT);
   glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, colors);
   glUseProgram(programs[0]);
   draw_shape(&shapes[0]);
   glBindFramebuffer(GL_DRAW_FRAMEBUFFER, window);
   glBlitFramebuffer(0, 0, WIDTH, HEIGHT, 0, 0, WIDTH, HEIGHT, GL_COLOR_BUFFER_BIT, GL_NEAREST);
   glBindFramebuffer(GL_FRAMEBUFFER, window);
   read_pixels();
   return check(f, &shapes[0]);
}

int
main(int argc, char **argv)
{
   unsigned failures = 0;

   open_target(WIDTH, HEIGHT, false);
   make_texture();
   for (unsigned i = 0; i < COUNT(functions); i++) {
      if (argc > 1 && strcmp(argv[1], functions[i].name))
         continue;
      programs[i] = make_function_program(&functions[i], "");
      glUseProgram(programs[i]);
      for (unsigned j = 0; j < COUNT(shapes); j++) {
         if (argc > 2 && strcmp(argv[2], shapes[j].name))
            continue;
         draw(&shapes[j]);
         failures += !check(&functions[i], &shapes[j]);
      }
   }
   failures += !check_culling();
   failures += !check_successors();
   failures += !check_points();
   failures += !check_branches();
   if (programs[0]) {
      failures += !check_loops();
      failures += !check_samples();
   }
   return failures != 0;
}
