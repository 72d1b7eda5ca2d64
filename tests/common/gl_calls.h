/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * What GL programs always call together, in either API: include its header first.  And texts of programs.
 */

#ifndef TESTS_COMMON_GL_CALLS_H
#define TESTS_COMMON_GL_CALLS_H

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* A text with values in it, which lasts until eight more are made. */
static inline const char *__attribute__((format(printf, 1, 2)))
text_of(const char *format, ...)
{
   static __thread char texts[8][1 << 16];
   static __thread unsigned next;
   char *text = texts[next++ % 8];
   va_list args;

   va_start(args, format);
   const int length = vsnprintf(text, sizeof(texts[0]), format, args);
   va_end(args);
   if (length >= (int)sizeof(texts[0]))
      abort();
   return text;
}

/* --- new objects, bound --- */

static inline GLuint
new_framebuffer(void)
{
   GLuint framebuffer;

   glGenFramebuffers(1, &framebuffer);
   glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
   return framebuffer;
}

static inline GLuint
target_buffer(GLenum format, unsigned width, unsigned height)
{
   GLuint buffer;

   glGenRenderbuffers(1, &buffer);
   glBindRenderbuffer(GL_RENDERBUFFER, buffer);
   glRenderbufferStorage(GL_RENDERBUFFER, format, width, height);
   return buffer;
}

static inline GLuint
filled_buffer(GLenum target, GLsizeiptr bytes, const void *data, GLenum usage)
{
   GLuint buffer;

   glGenBuffers(1, &buffer);
   glBindBuffer(target, buffer);
   glBufferData(target, bytes, data, usage);
   return buffer;
}

/* Without images. */
static inline GLuint
empty_texture(GLenum target)
{
   GLuint texture;

   glGenTextures(1, &texture);
   glBindTexture(target, texture);
   return texture;
}

/* --- state --- */

/* Of the bound texture. */
static inline void
set_filters(GLenum target, GLenum min, GLenum mag)
{
   glTexParameteri(target, GL_TEXTURE_MIN_FILTER, min);
   glTexParameteri(target, GL_TEXTURE_MAG_FILTER, mag);
}

static inline void
set_wraps(GLenum target, GLenum s, GLenum t)
{
   glTexParameteri(target, GL_TEXTURE_WRAP_S, s);
   glTexParameteri(target, GL_TEXTURE_WRAP_T, t);
}

/* Floats without gaps, in memory or the bound buffer. */
static inline void
use_floats(GLuint index, GLint components, const void *data)
{
   glVertexAttribPointer(index, components, GL_FLOAT, GL_FALSE, 0, data);
   glEnableVertexAttribArray(index);
}

static inline void
blend_with(GLenum source, GLenum destination)
{
   glEnable(GL_BLEND);
   glBlendFunc(source, destination);
}

static inline void
scissor_to(GLint x, GLint y, GLsizei width, GLsizei height)
{
   glEnable(GL_SCISSOR_TEST);
   glScissor(x, y, width, height);
}

static inline void
clear_color(GLfloat red, GLfloat green, GLfloat blue, GLfloat alpha)
{
   glClearColor(red, green, blue, alpha);
   glClear(GL_COLOR_BUFFER_BIT);
}

static inline void
clear_all(GLfloat red, GLfloat green, GLfloat blue, GLfloat alpha, GLfloat depth, GLint stencil)
{
   glClearColor(red, green, blue, alpha);
   glClearDepthf(depth);
   glClearStencil(stencil);
   glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT | GL_STENCIL_BUFFER_BIT);
}

#endif
