/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Contexts without a surface, for programs that draw to their own targets.
 */

#ifndef A4XX_CONTEXT_H
#define A4XX_CONTEXT_H

#include <stdio.h>
#include <stdlib.h>

#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GLES3/gl31.h>

/* Makes a context of OpenGL or OpenGL ES (api) 3.minor current; where there is none, ends the program with status 77. */
static inline void
create_context(EGLenum api, int minor)
{
   const EGLint attributes[] = { EGL_CONTEXT_MAJOR_VERSION, 3, EGL_CONTEXT_MINOR_VERSION, minor, EGL_NONE };
   PFNEGLGETPLATFORMDISPLAYEXTPROC get_display =
      (PFNEGLGETPLATFORMDISPLAYEXTPROC)eglGetProcAddress("eglGetPlatformDisplayEXT");
   EGLDisplay display = get_display(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, NULL);
   eglInitialize(display, NULL, NULL);
   eglBindAPI(api);
   EGLContext context = eglCreateContext(display, EGL_NO_CONFIG_KHR, EGL_NO_CONTEXT, attributes);
   if (!context || !eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context)) {
      fprintf(stderr, "there is no OpenGL%s 3.%d\n", api == EGL_OPENGL_ES_API ? " ES" : "", minor);
      exit(77);
   }
}

/* Binds a framebuffer with a colour target of size x size pixels. */
static inline void
create_color_target(GLsizei size)
{
   GLuint framebuffer, target;
   glGenFramebuffers(1, &framebuffer);
   glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
   glGenRenderbuffers(1, &target);
   glBindRenderbuffer(GL_RENDERBUFFER, target);
   glRenderbufferStorage(GL_RENDERBUFFER, GL_RGBA8, size, size);
   glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, target);
   glViewport(0, 0, size, size);
}

#endif
