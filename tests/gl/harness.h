/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * What the GL tests have in common: contexts without a window, targets, textures, programs, random numbers, cases.  Include
 * opengl.h or opengl_es.h, which say which API the test is about.
 */

#ifndef TESTS_GL_HARNESS_H
#define TESTS_GL_HARNESS_H

#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <EGL/egl.h>
#include <EGL/eglext.h>

#include "../common/gl_calls.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

#define CHECK(condition)                                                                                               \
   do {                                                                                                                \
      if (!(condition)) {                                                                                              \
         fprintf(stderr, "%s:%d: %s failed\n", __FILE__, __LINE__, #condition);                                        \
         exit(1);                                                                                                      \
      }                                                                                                                \
   } while (0)

/* Says what is wrong, and ends the test. */
static inline void __attribute__((format(printf, 1, 2), noreturn))
fail(const char *format, ...)
{
   va_list args;

   va_start(args, format);
   vfprintf(stderr, format, args);
   va_end(args);
   exit(1);
}

/* --- contexts --- */

static inline EGLDisplay
open_display(void)
{
   EGLDisplay display = eglGetPlatformDisplay(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, NULL);
   CHECK(display != EGL_NO_DISPLAY);
   CHECK(eglInitialize(display, NULL, NULL));
   return display;
}

/* api: EGL_OPENGL_API or EGL_OPENGL_ES_API; attributes may be NULL. */
static inline EGLContext
create_context(EGLDisplay display, EGLenum api, EGLContext share, const EGLint *attributes)
{
   const EGLint config_attributes[] = {
      EGL_SURFACE_TYPE, EGL_PBUFFER_BIT,
      EGL_RENDERABLE_TYPE, api == EGL_OPENGL_API ? EGL_OPENGL_BIT : EGL_OPENGL_ES2_BIT,
      EGL_NONE,
   };
   static const EGLint version_2[] = {EGL_CONTEXT_CLIENT_VERSION, 2, EGL_NONE};
   EGLConfig config;
   EGLint count;
   CHECK(eglBindAPI(api));
   CHECK(eglChooseConfig(display, config_attributes, &config, 1, &count) && count == 1);
   if (!attributes && api == EGL_OPENGL_ES_API)
      attributes = version_2;
   EGLContext context = eglCreateContext(display, config, share, attributes);
   CHECK(context != EGL_NO_CONTEXT);
   return context;
}

static inline EGLContext
new_context(EGLDisplay display, EGLContext share)
{
   return create_context(display, TEST_API, share, NULL);
}

static inline void
make_current(EGLDisplay display, EGLContext context)
{
   CHECK(eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context));
}

/* A display with a context that is current. */
static inline EGLDisplay
open_context(void)
{
   EGLDisplay display = open_display();

   make_current(display, new_context(display, EGL_NO_CONTEXT));
   return display;
}

/* --- targets and textures --- */

#define TARGET_COLOR         0x8058 /* GL_RGBA8, in OpenGL ES GL_RGBA8_OES */
#define TARGET_DEPTH_STENCIL 0x88F0 /* GL_DEPTH24_STENCIL8, in OpenGL ES GL_DEPTH24_STENCIL8_OES */

/* A new framebuffer object, bound, that draws to an image of a texture. */
static inline GLuint
texture_framebuffer(GLenum image, GLuint texture, unsigned level)
{
   const GLuint framebuffer = new_framebuffer();

   glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, image, texture, level);
   CHECK(glCheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE);
   return framebuffer;
}

/* A new framebuffer object of so many pixels, bound, and its viewport. */
static inline GLuint
make_target_with(GLenum color, unsigned width, unsigned height, bool depth_stencil)
{
   const GLuint framebuffer = new_framebuffer();

   glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, target_buffer(color, width, height));
   if (depth_stencil) {
      const GLuint buffer = target_buffer(TARGET_DEPTH_STENCIL, width, height);
      glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_RENDERBUFFER, buffer);
      glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_STENCIL_ATTACHMENT, GL_RENDERBUFFER, buffer);
   }
   CHECK(glCheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE);
   glViewport(0, 0, width, height);
   return framebuffer;
}

/* The same with RGBA of 8 bits. */
static inline GLuint
make_target(unsigned width, unsigned height, bool depth_stencil)
{
   return make_target_with(TARGET_COLOR, width, height, depth_stencil);
}

/* A context that draws to such a target. */
static inline EGLDisplay
open_target(unsigned width, unsigned height, bool depth_stencil)
{
   EGLDisplay display = open_context();

   make_target(width, height, depth_stencil);
   return display;
}

/* A new texture, bound to the target, without images, with one filter for all. */
static inline GLuint
filtered_texture(GLenum target, GLenum filter)
{
   const GLuint texture = empty_texture(target);

   set_filters(target, filter, filter);
   return texture;
}

/* Not filtered, clamped to its edges. */
static inline GLuint
nearest_texture(GLenum target)
{
   const GLuint texture = filtered_texture(target, GL_NEAREST);

   set_wraps(target, GL_CLAMP_TO_EDGE, GL_CLAMP_TO_EDGE);
   return texture;
}

static inline void
enable(GLenum capability, bool on)
{
   (on ? glEnable : glDisable)(capability);
}

/* --- programs --- */

static inline void
attach_shader(GLuint program, GLenum type, const char *source)
{
   GLuint shader = glCreateShader(type);
   GLint ok;
   glShaderSource(shader, 1, &source, NULL);
   glCompileShader(shader);
   glGetShaderiv(shader, GL_COMPILE_STATUS, &ok);
   CHECK(ok);
   glAttachShader(program, shader);
   glDeleteShader(shader);
}

/*
 * A linked program; the test ends when it does not compile or link.  The source of a stage may be NULL where the API has a
 * fixed function for it; attributes: names for the locations 0, 1, ..., with a blank between two of them, or NULL.
 */
static inline GLuint
make_program(const char *vertex, const char *fragment, const char *attributes)
{
   GLuint program = glCreateProgram();
   GLint ok;
   if (vertex)
      attach_shader(program, GL_VERTEX_SHADER, vertex);
   if (fragment)
      attach_shader(program, GL_FRAGMENT_SHADER, fragment);
   for (GLuint i = 0; attributes && *attributes; i++) {
      char name[32];
      int length;
      sscanf(attributes, "%31s%n", name, &length);
      glBindAttribLocation(program, i, name);
      attributes += length;
   }
   glLinkProgram(program);
   glGetProgramiv(program, GL_LINK_STATUS, &ok);
   CHECK(ok);
   return program;
}

/* A program for draw_square(): p is where a pixel lies in the target, 0 to 1. */
static inline GLuint
square_program(const char *fragment)
{
   return make_program("attribute vec2 at; varying vec2 p;\n"
                       "void main() { gl_Position = vec4(at, 0.0, 1.0); p = at * 0.5 + 0.5; }\n", fragment, "at");
}

/* The whole target. */
static inline void
draw_square(void)
{
   static const GLfloat at[] = {-1, -1, 1, -1, -1, 1, 1, 1};

   glBindBuffer(GL_ARRAY_BUFFER, 0);
   use_floats(0, 2, at);
   glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
}

/* --- numbers that look random and are the same in every run --- */

static uint32_t random_state __attribute__((unused)) = 1;

/* 0 to n - 1 */
static inline unsigned
random_below(unsigned n)
{
   random_state = random_state * 1664525 + 1013904223;
   return (random_state >> 8) % n;
}

#define PICK(array) ((array)[random_below(COUNT(array))])

static inline bool
one_in(unsigned n)
{
   return random_below(n) == 0;
}

/* In steps of a thousandth of the range. */
static inline float
between(float low, float high)
{
   return low + (high - low) * random_below(1001) / 1000.0f;
}

/* --- command line --- */

/* --NAME N, --NAME TEXT or --NAME, by which of the three is not NULL. */
struct option_of_test {
   const char *name;
   unsigned *number;
   const char **text;
   bool *flag;
};

static inline void
parse_options(int argc, char **argv, const struct option_of_test *options, unsigned count)
{
   for (int i = 1; i < argc; i++) {
      unsigned o = 0;
      while (o < count && (strncmp(argv[i], "--", 2) || strcmp(argv[i] + 2, options[o].name)))
         o++;
      if (o == count || (!options[o].flag && i + 1 == argc)) {
         fprintf(stderr, "%s: \"%s\" is no option, or has no value\n", argv[0], argv[i]);
         exit(2);
      }
      if (options[o].flag)
         *options[o].flag = true;
      else if (options[o].text)
         *options[o].text = argv[++i];
      else
         *options[o].number = strtoul(argv[++i], NULL, 0);
   }
}

/* --- cases --- */

static bool verbose __attribute__((unused));

/* What a random case tells of itself, on stderr, when it is asked to. */
static inline void __attribute__((format(printf, 1, 2)))
note(const char *format, ...)
{
   va_list args;

   va_start(args, format);
   if (verbose)
      vfprintf(stderr, format, args);
   va_end(args);
}

/* Is a case one of those that the command line names, or names it none? */
static inline bool
is_chosen(const char *name, int argc, char **argv)
{
   bool chosen = argc < 2;

   for (int i = 1; i < argc; i++)
      chosen |= !strcmp(argv[i], name);
   return chosen;
}

/*
 * Runs the first "count" random cases, or those of the arguments FIRST COUNT, which tell what they do then; each begins with
 * random numbers of its own and returns how much of it is wrong.  main's result.
 */
static inline int
run_numbered(int argc, char **argv, unsigned count, unsigned (*run)(unsigned number))
{
   const unsigned first = argc > 2 ? atoi(argv[1]) : 1;
   unsigned wrong = 0;

   verbose = argc > 2;
   count = argc > 2 ? atoi(argv[2]) : count;
   for (unsigned number = first; number < first + count; number++) {
      random_state = number * 2654435761u + 1;
      wrong += run(number) > 0;
   }
   CHECK(glGetError() == GL_NO_ERROR);
   fprintf(stderr, "%u cases, %u of them wrong\n", count, wrong);
   return wrong || !count;
}

/* A line for near_pictures.py. */
static inline void
print_bytes(const GLubyte *bytes, unsigned count)
{
   for (unsigned i = 0; i < count; i++)
      printf("%02x", bytes[i]);
   printf("\n");
}

/* Scenes with numbers as those of run_numbered(): each makes a context current, which is not needed any more then. */
static inline int
play_scenes(int argc, char **argv, unsigned count, void (*play)(EGLDisplay display, unsigned number))
{
   const EGLDisplay display = open_display();
   const unsigned first = argc > 2 ? atoi(argv[1]) : 1;

   verbose = argc > 2;
   count = argc > 2 ? atoi(argv[2]) : count;
   for (unsigned number = first; number < first + count; number++) {
      play(display, number);
      CHECK(glGetError() == GL_NO_ERROR);
      const EGLContext context = eglGetCurrentContext();
      make_current(display, EGL_NO_CONTEXT);
      eglDestroyContext(display, context);
   }
   return 0;
}

#endif
