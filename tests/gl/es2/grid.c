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

/* What a picture must not be taken for: the reference with a mistake of which a test has to be sure. */
enum disturbance {
   SHIFTED_LEFT, SHIFTED_RIGHT, SHIFTED_DOWN, SHIFTED_UP, NOTHING_DRAWN, DARKER, EXCHANGED, ONE_COLOR,
   /* Of a part of the picture, where it is more than is tolerated: a column that is one of elsewhere, the next smaller level of a
    * texture, a quarter that is another one, as of another face. */
   ONE_COLUMN, ANOTHER_LEVEL, ANOTHER_FACE, NUM_DISTURBANCES
};
static const char *const disturbance_names[NUM_DISTURBANCES] = {
   "shifted-left", "shifted-right", "shifted-down", "shifted-up", "nothing-drawn", "darker", "exchanged", "one-colour",
   "one-column-wrong", "of-another-level", "of-another-face",
};

static struct {
   FILE *write;
   char *reference;
   size_t reference_size, reference_at;
   const char *only, *pictures;
   char *names, *except; /* of --names and --except, each line as "\nname\n", or NULL */
   bool list, surface, margins, audit, quiet;
   bool disturb; /* judge own pictures with mistakes */
   unsigned passed, failed, skipped;
   unsigned rejected[NUM_DISTURBANCES], accepted[NUM_DISTURBANCES], same[NUM_DISTURBANCES]; /* of --disturb */
   unsigned unchanged[NUM_DISTURBANCES]; /* pictures that a disturbance does not change */
   struct tolerance_use {
      struct grid_tolerance tolerance;
      char family[40];
      unsigned cases;
   } uses[500];
   unsigned num_uses;
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
   if ((grid.names && !strstr(grid.names, line)) || (grid.except && strstr(grid.except, line)))
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
   grid.failed++;
   if (grid.quiet)
      return;
   printf("FAIL: %s: %s\n", grid.name, reason);
   fflush(stdout);
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
   fflush(grid.write); /* what is there when a reference ends early is whole */
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
                   unsigned c, bool neighbours)
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

static unsigned
pixel_difference(const uint8_t *a, const uint8_t *b, unsigned width, unsigned height, unsigned pixel,
                 struct grid_tolerance tolerance)
{
   unsigned difference = 0;
   for (unsigned c = 0; c < (tolerance.any_alpha ? 3 : 4); c++)
      difference = MAX2(difference, channel_difference(a, b, width, height, pixel % width, pixel / width, c,
                                                       tolerance.neighbours));
   return difference;
}

/* A part of the reference from elsewhere, where that is more than is tolerated. */
static void
disturb_part(enum disturbance kind, const uint8_t *in, uint8_t *out, unsigned width, unsigned height,
             struct grid_tolerance tolerance)
{
   for (unsigned i = 0; i < width * height * 4; i++) {
      const unsigned c = i & 3, x = i / 4 % width, y = i / 4 / width;
      const unsigned next_x = MIN2(x | 1, width - 1), next_y = MIN2(y | 1, height - 1);
      if (kind == ONE_COLUMN)
         out[i] = in[(y * width + (x == width / 3 ? (x + width / 4) % width : x)) * 4 + c];
      else if (kind == ANOTHER_FACE)
         out[i] = in[((x >= width / 2 && y >= height / 2 ? y - height / 2 : y) * width + x) * 4 + c];
      else
         out[i] = (in[((y & ~1u) * width + (x & ~1u)) * 4 + c] + in[((y & ~1u) * width + next_x) * 4 + c] +
                   in[(next_y * width + (x & ~1u)) * 4 + c] + in[(next_y * width + next_x) * 4 + c] + 2) / 4;
   }
   unsigned shown = 0;
   for (unsigned i = 0; i < width * height; i++) {
      if (pixel_difference(out, in, width, height, i, tolerance) <= tolerance.channel)
         memcpy(&out[i * 4], &in[i * 4], 4);
      else
         shown++;
   }
   if (shown <= tolerance.pixels)
      memcpy(out, in, width * height * 4);
}

/* The reference with a mistake.  "Nothing drawn" is the current clear colour, where that is what the case began with. */
static void
disturb(enum disturbance kind, const uint8_t *in, uint8_t *out, unsigned width, unsigned height, struct grid_tolerance tolerance)
{
   static const int8_t shifts[4][2] = { { 1, 0 }, { -1, 0 }, { 0, 1 }, { 0, -1 } };
   unsigned mean[4] = { 0 };
   GLfloat clear[4];

   if (kind >= ONE_COLUMN) {
      disturb_part(kind, in, out, width, height, tolerance);
      return;
   }
   glGetFloatv(GL_COLOR_CLEAR_VALUE, clear);
   for (unsigned i = 0; i < width * height * 4; i++)
      mean[i & 3] += in[i];
   for (unsigned i = 0; i < width * height * 4; i++) {
      const unsigned c = i & 3, x = i / 4 % width, y = i / 4 / width;
      if (kind <= SHIFTED_UP)
         out[i] = in[((y + height + shifts[kind][1]) % height * width + (x + width + shifts[kind][0]) % width) * 4 + c];
      else if (kind == NOTHING_DRAWN)
         out[i] = MIN2(MAX2(clear[c], 0), 1) * 255 + 0.5f;
      else if (kind == DARKER)
         out[i] = in[i] * 9 / 10;
      else if (kind == EXCHANGED)
         out[i] = in[c < 3 ? i - c + 2 - c : i];
      else
         out[i] = (mean[c] + width * height / 2) / (width * height);
   }
}

/* How far a picture lies on the way from the reference to its disturbed version: about 0 for one that differs by rounding,
 * 1 for the disturbed one.  It is the part of the difference that the disturbance explains: rounding averages out, so a
 * shift is seen also where it changes each pixel by less than rounding does.  -1: the disturbance changes no
 * channel by more than "unseen", so that it cannot be told from rounding. */
static double
way(const uint8_t *rgba, const uint8_t *reference, const uint8_t *wrong, unsigned width, unsigned height, bool any_alpha,
    unsigned unseen)
{
   int64_t along = 0, length = 0;
   int largest = 0;
   for (unsigned i = 0; i < width * height * 4; i++) {
      if (any_alpha && (i & 3) == 3)
         continue;
      const int step = wrong[i] - reference[i];
      along += step * (rgba[i] - reference[i]);
      length += step * step;
      largest = MAX2(largest, abs(step));
   }
   return largest > (int)unseen ? (double)along / length : -1;
}

/* The last bit.  Where nothing but the background was read, it is the clear colour as the target's format holds it. */
static unsigned
unseen_step(enum disturbance kind, struct grid_tolerance tolerance)
{
   return kind == NOTHING_DRAWN ? MAX2(tolerance.channel, 1) : 1;
}

/* Whether the picture is no disturbed reference: less than three quarters of the way to each of them.  Half way is where
 * the rounding of ties can lead: a picture of small contrast whose values lie between two bytes. */
static bool
undisturbed(const uint8_t *rgba, const uint8_t *reference, unsigned width, unsigned height,
            struct grid_tolerance tolerance, char *text, size_t size)
{
   uint8_t *wrong = malloc(width * height * 4);
   double farthest = -1;
   enum disturbance nearest = 0;
   for (enum disturbance kind = 0; kind < NUM_DISTURBANCES; kind++) {
      disturb(kind, reference, wrong, width, height, tolerance);
      const unsigned unseen = unseen_step(kind, tolerance);
      const double here = way(rgba, reference, wrong, width, height, tolerance.any_alpha, unseen);
      grid.unchanged[kind] += way(wrong, reference, wrong, width, height, tolerance.any_alpha, unseen) < 0;
      if (here > farthest) {
         farthest = here;
         nearest = kind;
      }
   }
   free(wrong);
   if (grid.margins && farthest > -1)
      printf("MARGIN: %s: %.3f %s\n", grid.name, farthest, disturbance_names[nearest]);
   snprintf(text, size, "lies at %.2f on the way to the reference that is %s", farthest, disturbance_names[nearest]);
   return farthest < 0.75;
}

static void
judge_picture(const uint8_t *rgba, const uint8_t *reference, unsigned width, unsigned height, struct grid_tolerance tolerance)
{
   unsigned bad = 0, worst = 0, worst_at = 0;
   for (unsigned i = 0; i < width * height; i++) {
      const unsigned difference = pixel_difference(rgba, reference, width, height, i, tolerance);
      bad += difference > tolerance.channel;
      if (difference > worst) {
         worst = difference;
         worst_at = i;
      }
   }
   char text[200];
   if (!undisturbed(rgba, reference, width, height, tolerance, text, sizeof(text))) {
      fail(text);
   } else if (bad > tolerance.pixels) {
      const uint8_t *a = &rgba[worst_at * 4], *b = &reference[worst_at * 4];
      snprintf(text, sizeof(text), "%u of %u pixels differ, worst %u at (%u, %u): %u %u %u %u, expected %u %u %u %u", bad,
               width * height, worst, worst_at % width, worst_at / width, a[0], a[1], a[2], a[3], b[0], b[1], b[2], b[3]);
      fail(text);
   } else {
      pass();
      return;
   }
   if (!grid.quiet) {
      save_picture("got", rgba, width, height);
      save_picture("expected", reference, width, height);
   }
}

/* As judge_picture, of a picture with each of the mistakes: what a case would say of it. */
static void
judge_disturbed(const uint8_t *rgba, unsigned width, unsigned height, struct grid_tolerance tolerance)
{
   uint8_t *wrong = malloc(width * height * 4);
   const unsigned passed = grid.passed, failed = grid.failed;
   grid.quiet = true;
   for (enum disturbance kind = 0; kind < NUM_DISTURBANCES; kind++) {
      disturb(kind, rgba, wrong, width, height, tolerance);
      if (way(wrong, rgba, wrong, width, height, tolerance.any_alpha, unseen_step(kind, tolerance)) < 0) {
         grid.same[kind]++;
         continue;
      }
      judge_picture(wrong, rgba, width, height, tolerance);
      if (grid.passed > passed) {
         grid.accepted[kind]++;
         printf("%s accepts the picture %s\n", grid.name, disturbance_names[kind]);
      } else {
         grid.rejected[kind]++;
      }
      grid.passed = passed;
      grid.failed = failed;
   }
   grid.quiet = false;
   free(wrong);
   pass();
}

static void
note_tolerance(struct grid_tolerance tolerance)
{
   const int length = strcspn(grid.name, "/");
   for (unsigned i = 0; i < ARRAY_SIZE(grid.uses); i++) {
      struct tolerance_use *use = &grid.uses[i];
      if (i == grid.num_uses) {
         grid.num_uses++;
         use->tolerance = tolerance;
         snprintf(use->family, sizeof(use->family), "%.*s", length, grid.name);
      } else if (memcmp(&use->tolerance, &tolerance, sizeof(tolerance)) || strncmp(use->family, grid.name, length) ||
                 use->family[length]) {
         continue;
      }
      use->cases++;
      return;
   }
}

void
grid_compare(const uint8_t *rgba, unsigned width, unsigned height, struct grid_tolerance tolerance)
{
   char status[60];
   snprintf(status, sizeof(status), "picture %u %u", width, height);
   if (gl_error())
      return;
   write_record(status, rgba, width * height * 4);
   note_tolerance(tolerance);
   if (grid.disturb) {
      judge_disturbed(rgba, width, height, tolerance);
      return;
   }
   if (!grid.reference) {
      save_picture("got", rgba, width, height);
      pass();
      return;
   }
   const uint8_t *reference;
   const char *expected = find_reference(&reference);
   if (!expected)
      fail("the reference has no such case");
   else if (strncmp(expected, status, strlen(status)))
      fail("the reference has no such picture");
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

char grid_log[2000];

static GLuint
compile(GLenum type, const char *source)
{
   GLuint shader = glCreateShader(type);
   GLint ok = 0;
   glShaderSource(shader, 1, &source, NULL);
   glCompileShader(shader);
   glGetShaderiv(shader, GL_COMPILE_STATUS, &ok);
   if (ok)
      return shader;
   glGetShaderInfoLog(shader, sizeof(grid_log), NULL, grid_log);
   if (getenv("GRID_SOURCES"))
      fprintf(stderr, "%s\n%s\n", grid_log, source);
   glDeleteShader(shader);
   return 0;
}

GLuint
grid_program(const char *vertex, const char *fragment)
{
   static const char *const names[] = { "position", "a0", "a1", "a2", "a3" };
   if (getenv("GRID_SOURCES"))
      fprintf(stderr, "---- %s\n%s----\n%s\n", grid.name, vertex, fragment);
   GLuint vs = compile(GL_VERTEX_SHADER, vertex);
   GLuint fs = vs ? compile(GL_FRAGMENT_SHADER, fragment) : 0;
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
   glGetProgramInfoLog(program, sizeof(grid_log), NULL, grid_log);
   glDeleteProgram(program);
   return 0;
}

GLuint
grid_case_program(const char *vertex, const char *fragment)
{
   const GLuint program = grid_program(vertex, fragment);
   if (program)
      glUseProgram(program);
   else
      grid_refused(false, grid_log);
   return program;
}

GLuint
grid_texture(GLenum where, GLenum min, GLenum mag, GLenum wrap_s, GLenum wrap_t)
{
   const GLuint texture = empty_texture(where);
   set_filters(where, min, mag);
   set_wraps(where, wrap_s, wrap_t);
   return texture;
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
   target->color = empty_texture(GL_TEXTURE_2D);
   glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, width, height, 0, GL_RGBA, GL_UNSIGNED_BYTE, NULL);
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
   glBindTexture(GL_TEXTURE_2D, 0);
   target->framebuffer = new_framebuffer();
   glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, target->color, 0);
   if (depth_stencil) {
      target->depth = target_buffer(GL_DEPTH24_STENCIL8_OES, width, height);
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
   use_floats(0, 4, position);
   use_floats(1, 2, coordinates);
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
   const struct {
      const char *name;
      bool *flag;
      FILE **written;
      char **file;
      size_t *size; /* of the file */
      const char **text;
   } options[] = {
      { "--list", &grid.list }, { "--surface", &grid.surface }, { "--disturb", &grid.disturb },
      { "--margins", &grid.margins }, { "--audit", &grid.audit }, { "--write", .written = &grid.write },
      { "--compare", .file = &grid.reference, .size = &grid.reference_size },
      { "--names", .file = &grid.names, .size = &(size_t){ 0 } },
      { "--except", .file = &grid.except, .size = &(size_t){ 0 } },
      { "--only", .text = &grid.only }, { "--pictures", .text = &grid.pictures },
   };
   int i = 1;
   for (; i < argc && argv[i][0] == '-'; i++) {
      unsigned o = 0;
      while (o < ARRAY_SIZE(options) && strcmp(argv[i], options[o].name))
         o++;
      if (o == ARRAY_SIZE(options) || (!options[o].flag && i + 1 == argc))
         return false;
      if (options[o].flag)
         *options[o].flag = true;
      else if (options[o].written)
         *options[o].written = fopen(argv[++i], "wb");
      else if (options[o].file)
         *options[o].file = read_file(argv[++i], options[o].size);
      else
         *options[o].text = argv[++i];
   }
   *first = i;
   return true;
}

/* What is tolerated, and how many pictures each disturbance leaves as they are. */
static void
print_audit(void)
{
   for (unsigned i = 0; i < grid.num_uses; i++) {
      const struct tolerance_use *use = &grid.uses[i];
      printf("TOLERANCE: %s: %u cases: %u of 255, %u pixels may differ by more%s%s\n", use->family, use->cases,
             use->tolerance.channel, use->tolerance.pixels, use->tolerance.neighbours ? ", neighbours" : "",
             use->tolerance.any_alpha ? ", any alpha" : "");
   }
   for (unsigned i = 0; i < NUM_DISTURBANCES; i++)
      printf("UNCHANGED: %u pictures are the same when %s\n", grid.unchanged[i], disturbance_names[i]);
}

int
grid_main(int argc, char **argv, const struct grid_family *families, unsigned count)
{
   int first;
   if (!parse(argc, argv, &first)) {
      fprintf(stderr,
              "usage: %s [--write FILE | --compare FILE] [--only TEXT] [--names FILE] [--except FILE] [--list] [--pictures DIR] "
              "[--surface] [--disturb] [--margins] [--audit] [FAMILY ...]\n",
              argv[0]);
      return 2;
   }
   for (unsigned f = 0; f < count; f++) {
      bool wanted = first == argc;
      for (int i = first; i < argc; i++)
         wanted |= !strcmp(argv[i], families[f].name);
      if (!wanted)
         continue;
      /* a context for each family: none depends on the state that another left */
      if (!test_context_create(true) || (grid.surface && !test_surface_create(SURFACE_SIZE, SURFACE_SIZE)))
         return 1;
      if (grid.reference)
         fprintf(stderr, "renderer: %s\n", (const char *)glGetString(GL_RENDERER));
      families[f].run();
      test_context_destroy();
   }
   if (grid.write)
      fclose(grid.write);
   free(grid.reference);
   free(grid.names);
   free(grid.except);
   if (grid.audit)
      print_audit();
   for (unsigned i = 0; i < NUM_DISTURBANCES && grid.disturb; i++)
      printf("%s: %u rejected, %u accepted, %u show no difference\n", disturbance_names[i], grid.rejected[i],
             grid.accepted[i], grid.same[i]);
   if (!grid.list)
      printf("%u passed, %u failed, %u skipped\n", grid.passed, grid.failed, grid.skipped);
   return grid.failed != 0;
}
