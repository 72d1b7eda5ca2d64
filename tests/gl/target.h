/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * What the GL tests draw to.  Include it after the header of the API.
 */

#ifndef TESTS_GL_TARGET_H
#define TESTS_GL_TARGET_H

#include <stdbool.h>

#include "egl.h"

#define TARGET_COLOR         0x8058 /* GL_RGBA8, in OpenGL ES GL_RGBA8_OES */
#define TARGET_DEPTH_STENCIL 0x88F0 /* GL_DEPTH24_STENCIL8, in OpenGL ES GL_DEPTH24_STENCIL8_OES */

static inline GLuint
target_buffer(GLenum format, unsigned width, unsigned height)
{
   GLuint buffer;

   glGenRenderbuffers(1, &buffer);
   glBindRenderbuffer(GL_RENDERBUFFER, buffer);
   glRenderbufferStorage(GL_RENDERBUFFER, format, width, height);
   return buffer;
}

/* Binds a new framebuffer object of so many pixels, and sets the viewport. */
static inline void
make_target_with(GLenum color, unsigned width, unsigned height, bool depth_stencil)
{
   GLuint framebuffer;

   glGenFramebuffers(1, &framebuffer);
   glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
   glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, target_buffer(color, width, height));
   if (depth_stencil) {
      const GLuint buffer = target_buffer(TARGET_DEPTH_STENCIL, width, height);
      glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_RENDERBUFFER, buffer);
      glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_STENCIL_ATTACHMENT, GL_RENDERBUFFER, buffer);
   }
   CHECK(glCheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE);
   glViewport(0, 0, width, height);
}

/* The same with RGBA of 8 bits. */
static inline void
make_target(unsigned width, unsigned height, bool depth_stencil)
{
   make_target_with(TARGET_COLOR, width, height, depth_stencil);
}

/* A context for OpenGL that draws to such a target. */
static inline EGLDisplay
open_target(unsigned width, unsigned height, bool depth_stencil)
{
   EGLDisplay display = open_display();

   make_current(display, create_context(display, EGL_OPENGL_API, EGL_NO_CONTEXT, NULL));
   make_target(width, height, depth_stencil);
   return display;
}

#endif
