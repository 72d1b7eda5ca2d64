/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * The reference file is a list of records: name, newline, status and size ("picture W H", "refused", "checked"),
 * newline, pixels.  It is read into memory and searched in order: both runs produce the same cases in the same order, so
 * a search starts behind the last record found.
 */

#include <stdarg.h>
#include <stdio.h>
#include <sys/stat.h>

#include "egl_context.h"
#include "grid.h"
#include "image.h"

#define SURFACE_SIZE 128

static struct {
   FILE *write;
   char *reference;
   size_t reference_size, reference_at;
   const char *only, *pictures;
   char *names; /* of --names, each line as "\nname\n", or NULL */
   bool list, surface;
   unsigned passed, failed, skipped;
   char name[256];
   uint32_t random;
} grid;

/* --- selecting and judging ------------------------------------------------------------------------------------------ */

bool
grid_begin(const char *format, ...)
{
   va_list args;
   va_start(args, format);
   vsnprintf(grid.name, sizeof(grid.name), format, args);
   va_end(args);
   if (grid.only && !strstr(grid.name, grid.only))
      return false;
   char line[300];
   snprintf(line, sizeof(line), "\n%s\n", grid.name);
   if (grid.names && !strstr(grid.names, line))
      return false;
   if (grid.list) {
      printf("%s\n", grid.name);
      return false;
   }
   grid.random = 2166136261u;
   for (const char *c = grid.name; *c; c++)
      grid.random = (grid.random ^ (uint8_t)*c) * 16777619u;
   while (glGetError() != GL_NO_ERROR)
      ;
   return true;
}

static void
pass(void)
{
   grid.passed++;
}

static void
fail(const char *reason)
{
   printf("FAIL: %s: %s\n", grid.name, reason);
   fflush(stdout);
   grid.failed++;
}

static void
skip(const char *reason)
{
   printf("SKIP: %s: %s\n", grid.name, reason);
   fflush(stdout);
   grid.skipped++;
}

static bool
gl_error(void)
{
   GLenum error = glGetError();
   if (error == GL_NO_ERROR)
      return false;
   char text[40];
   snprintf(text, sizeof(text), "GL error 0x%x", error);
   fail(text);
   return true;
}

/* The status line of the current case in the reference, or NULL; *pixels behind it. */
static const char *
find_reference(const uint8_t **pixels)
{
   char wanted[300];
   int length = snprintf(wanted, sizeof(wanted), "\n@%s\n", grid.name);
   for (unsigned pass = 0; pass < 2; pass++) {
      size_t start = pass ? 0 : grid.reference_at;
      char *found = grid.reference ? memmem(grid.reference + start, grid.reference_size - start, wanted, length) : NULL;
      if (found) {
         char *status = found + length;
         char *end = memchr(status, '\n', grid.reference + grid.reference_size - status);
         *pixels = (uint8_t *)end + 1;
         grid.reference_at = status - grid.reference;
         return status;
      }
   }
   return NULL;
}

static void
write_record(const char *status, const uint8_t *pixels, size_t size)
{
   if (!grid.write)
      return;
   fprintf(grid.write, "\n@%s\n%s\n", grid.name, status);
   if (size)
      fwrite(pixels, 1, size, grid.write);
}

static void
save_picture(const char *suffix, const uint8_t *rgba, unsigned width, unsigned height)
{
   char path[600], name[256];
   if (!grid.pictures)
      return;
   snprintf(name, sizeof(name), "%s", grid.name);
   for (char *c = name; *c; c++) {
      if (strchr("/ ()<>*&|", *c))
         *c = '_';
   }
   snprintf(path, sizeof(path), "%s/%s.%s.png", grid.pictures, name, suffix);
   uint8_t *opaque = malloc(width * height * 4);
   memcpy(opaque, rgba, width * height * 4);
   for (unsigned i = 0; i < width * height; i++)
      opaque[i * 4 + 3] = 255;
   image_write(path, width, height, opaque, true);
   free(opaque);
}

static unsigned
channel_difference(const uint8_t *a, const uint8_t *b, unsigned width, unsigned height, unsigned x, unsigned y,
   unsigned c,
                   bool neighbours)
{
   int value = a[(y * width + x) * 4 + c];
   int low = b[(y * width + x) * 4 + c], high = low;
   for (int dy = -1; neighbours && dy <= 1; dy++) {
      for (int dx = -1; dx <= 1; dx++) {
         int nx = x + dx, ny = y + dy;
         if (nx < 0 || ny < 0 || nx >= (int)width || ny >= (int)height)
            continue;
         int n = b[(ny * width + nx) * 4 + c];
         low = MIN2(low, n);
         high = MAX2(high, n);
      }
   }
   return value < low ? low - value : value > high ? value - high : 0;
}

static void
judge_picture(const uint8_t *rgba, const uint8_t *reference, unsigned width, unsigned height,
   struct grid_tolerance tolerance)
{
   unsigned bad = 0, worst = 0, worst_at = 0;
   for (unsigned i = 0; i < width * height; i++) {
      unsigned difference = 0;
      for (unsigned c = 0; c < (tolerance.any_alpha ? 3 : 4); c++)
         difference = MAX2(difference, channel_difference(rgba, reference, width, height, i % width, i / width, c,
                                                          tolerance.neighbours));
      bad += difference > tolerance.channel;
      if (difference > worst) {
         worst = difference;
         worst_at = i;
      }
   }
   if (bad <= tolerance.pixels) {
      pass();
      return;
   }
   char text[200];
   const uint8_t *a = &rgba[worst_at * 4], *b = &reference[worst_at * 4];
   snprintf(text, sizeof(text), "%u of %u pixels differ, worst %u at (%u, %u): %u %u %u %u, expected %u %u %u %u", bad,
            width * height, worst, worst_at % width, worst_at / width, a[0], a[1], a[2], a[3], b[0], b[1], b[2], b[3]);
   fail(text);
   save_picture("got", rgba, width, height);
   save_picture("expected", reference, width, height);
}

void
grid_compare(const uint8_t *rgba, unsigned width, unsigned height, struct grid_tolerance tolerance)
{
   char status[60];
   snprintf(status, sizeof(status), "picture %u %u", width, height);
   if (gl_error())
      return;
   write_record(status, rgba, width * height * 4);
   if (!grid.reference) {
      save_picture("got", rgba, width, height);
      pass();
      return;
   }
   const uint8_t *reference;
   const char *expected = find_reference(&reference);
   if (!expected)
      skip("not in the reference");
   else if (strncmp(expected, status, strlen(status)))
      skip("the reference has no such picture");
   else
      judge_picture(rgba, reference, width, height, tolerance);
}

void
grid_pixels(int x, int y, unsigned width, unsigned height, struct grid_tolerance tolerance)
{
   uint8_t *rgba = malloc(width * height * 4);
   glReadPixels(x, y, width, height, GL_RGBA, GL_UNSIGNED_BYTE, rgba);
   grid_compare(rgba, width, height, tolerance);
   free(rgba);
}

void
grid_check(bool ok, const char *format, ...)
{
   char text[400];
   va_list args;
   va_start(args, format);
   vsnprintf(text, sizeof(text), format, args);
   va_end(args);
   write_record("checked", NULL, 0);
   if (!ok)
      fail(text);
   else if (!gl_error())
      pass();
}

void
grid_refused(bool optional, const char *reason)
{
   char text[200];
   snprintf(text, sizeof(text), "%s", reason);
   text[strcspn(text, "\n")] = 0;
   const uint8_t *pixels;
   const char *expected = find_reference(&pixels);
   write_record("refused", NULL, 0);
   if (optional || (expected && !strncmp(expected, "refused", 7)))
      skip(text);
   else
      fail(text);
}

/* --- helpers of the cases ------------------------------------------------------------------------------------------- */

uint32_t
grid_random(void)
{
   grid.random = grid.random * 1664525u + 1013904223u;
   uint32_t x = grid.random;
   x ^= x >> 16;
   return x * 2654435761u >> 3;
}

unsigned
grid_random_below(unsigned n)
{
   return (grid_random() >> 4) % n;
}

float
grid_random_float(float low, float high)
{
   return low + (high - low) * (grid_random_below(65536) / 65535.0f);
}

static GLuint
compile(GLenum type, const char *source, const char **log)
{
   static char text[2000];
   GLuint shader = glCreateShader(type);
   GLint ok = 0;
   glShaderSource(shader, 1, &source, NULL);
   glCompileShader(shader);
   glGetShaderiv(shader, GL_COMPILE_STATUS, &ok);
   if (ok)
      return shader;
   glGetShaderInfoLog(shader, sizeof(text), NULL, text);
   if (getenv("GRID_SOURCES"))
      fprintf(stderr, "%s\n%s\n", text, source);
   glDeleteShader(shader);
   *log = text;
   return 0;
}

GLuint
grid_program(const char *vertex, const char *fragment, const char **log)
{
   static char text[2000];
   static const char *const names[] = { "position", "a0", "a1", "a2", "a3" };
   if (getenv("GRID_SOURCES"))
      fprintf(stderr, "---- %s\n%s----\n%s\n", grid.name, vertex, fragment);
   GLuint vs = compile(GL_VERTEX_SHADER, vertex, log);
   GLuint fs = vs ? compile(GL_FRAGMENT_SHADER, fragment, log) : 0;
   if (!fs) {
      glDeleteShader(vs);
      return 0;
   }
   GLuint program = glCreateProgram();
   GLint ok = 0;
   glAttachShader(program, vs);
   glAttachShader(program, fs);
   for (unsigned i = 0; i < ARRAY_SIZE(names); i++)
      glBindAttribLocation(program, i, names[i]);
   glLinkProgram(program);
   glDeleteShader(vs);
   glDeleteShader(fs);
   glGetProgramiv(program, GL_LINK_STATUS, &ok);
   if (ok)
      return program;
   glGetProgramInfoLog(program, sizeof(text), NULL, text);
   glDeleteProgram(program);
   *log = text;
   return 0;
}

void
grid_target_create(struct grid_target *target, unsigned width, unsigned height, bool depth_stencil)
{
   *target = (struct grid_target){ .width = width, .height = height };
   if (grid.surface && width <= SURFACE_SIZE && height <= SURFACE_SIZE) {
      glBindFramebuffer(GL_FRAMEBUFFER, 0);
      glViewport(0, 0, width, height);
      return;
   }
   glGenTextures(1, &target->color);
   glBindTexture(GL_TEXTURE_2D, target->color);
   glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, width, height, 0, GL_RGBA, GL_UNSIGNED_BYTE, NULL);
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
   glBindTexture(GL_TEXTURE_2D, 0);
   glGenFramebuffers(1, &target->framebuffer);
   glBindFramebuffer(GL_FRAMEBUFFER, target->framebuffer);
   glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, target->color, 0);
   if (depth_stencil) {
      glGenRenderbuffers(1, &target->depth);
      glBindRenderbuffer(GL_RENDERBUFFER, target->depth);
      glRenderbufferStorage(GL_RENDERBUFFER, GL_DEPTH24_STENCIL8_OES, width, height);
      glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_RENDERBUFFER, target->depth);
      glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_STENCIL_ATTACHMENT, GL_RENDERBUFFER, target->depth);
      glBindRenderbuffer(GL_RENDERBUFFER, 0);
   }
   glViewport(0, 0, width, height);
   if (glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE)
      fprintf(stderr, "the framebuffer is not complete\n");
}

void
grid_target_destroy(struct grid_target *target)
{
   glBindFramebuffer(GL_FRAMEBUFFER, 0);
   glDeleteFramebuffers(1, &target->framebuffer);
   glDeleteTextures(1, &target->color);
   glDeleteRenderbuffers(1, &target->depth);
}

void
grid_quad(float x0, float y0, float x1, float y1, float z, float s0, float t0, float s1, float t1)
{
   const float position[4][4] = { { x0, y0, z, 1 }, { x1, y0, z, 1 }, { x0, y1, z, 1 }, { x1, y1, z, 1 } };
   const float coordinates[4][2] = { { s0, t0 }, { s1, t0 }, { s0, t1 }, { s1, t1 } };
   glBindBuffer(GL_ARRAY_BUFFER, 0);
   glVertexAttribPointer(0, 4, GL_FLOAT, GL_FALSE, 0, position);
   glEnableVertexAttribArray(0);
   glVertexAttribPointer(1, 2, GL_FLOAT, GL_FALSE, 0, coordinates);
   glEnableVertexAttribArray(1);
   glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
   glDisableVertexAttribArray(1);
}

/* --- command line --------------------------------------------------------------------------------------------------- */

/* The file behind a newline, ended with a NUL; *size counts both. */
static char *
read_file(const char *path, size_t *size)
{
   struct stat st;
   FILE *f = fopen(path, "rb");
   if (!f || fstat(fileno(f), &st)) {
      perror(path);
      exit(2);
   }
   char *text = malloc(st.st_size + 2);
   text[0] = '\n';
   *size = 2 + fread(text + 1, 1, st.st_size, f);
   text[*size - 1] = 0;
   fclose(f);
   return text;
}

static bool
parse(int argc, char **argv, int *first)
{
   size_t size;
   int i = 1;
   for (; i < argc && argv[i][0] == '-'; i++) {
      const char *value = i + 1 < argc ? argv[i + 1] : NULL;
      if (!strcmp(argv[i], "--list")) {
         grid.list = true;
         continue;
      }
      if (!strcmp(argv[i], "--surface")) {
         grid.surface = true;
         continue;
      }
      if (!value)
         return false;
      i++;
      if (!strcmp(argv[i - 1], "--write"))
         grid.write = fopen(value, "wb");
      else if (!strcmp(argv[i - 1], "--compare"))
         grid.reference = read_file(value, &grid.reference_size);
      else if (!strcmp(argv[i - 1], "--names"))
         grid.names = read_file(value, &size);
      else if (!strcmp(argv[i - 1], "--only"))
         grid.only = value;
      else if (!strcmp(argv[i - 1], "--pictures"))
         grid.pictures = value;
      else
         return false;
   }
   *first = i;
   return true;
}

int
grid_main(int argc, char **argv, const struct grid_family *families, unsigned count)
{
   int first;
   if (!parse(argc, argv, &first)) {
      fprintf(stderr, "usage: %s [--write FILE | --compare FILE] [--only TEXT] [--names FILE] [--list] [--pictures "
         "DIR] "
              "[FAMILY ...]\n",
              argv[0]);
      return 2;
   }
   if (!test_context_create(true) || (grid.surface && !test_surface_create(SURFACE_SIZE, SURFACE_SIZE)))
      return 1;
   for (unsigned f = 0; f < count; f++) {
      bool wanted = first == argc;
      for (int i = first; i < argc; i++)
         wanted |= !strcmp(argv[i], families[f].name);
      if (wanted)
         families[f].run();
   }
   test_context_destroy();
   if (grid.write)
      fclose(grid.write);
   free(grid.reference);
   free(grid.names);
   if (!grid.list)
      printf("%u passed, %u failed, %u skipped\n", grid.passed, grid.failed, grid.skipped);
   return grid.failed != 0;
}
