/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 */

#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GLES2/gl2.h>
#include <stdio.h>
#include <time.h>

#include "egl_context.h"
#include "gl_calls.h"

static EGLDisplay display;

bool
test_context_create(bool es)
{
   display = eglGetPlatformDisplay(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, NULL);
   const EGLint config_attribs[] = { EGL_SURFACE_TYPE, EGL_PBUFFER_BIT, EGL_RENDERABLE_TYPE,
                                     es ? EGL_OPENGL_ES2_BIT : EGL_OPENGL_BIT, EGL_NONE };
   const EGLint es_attribs[] = { EGL_CONTEXT_CLIENT_VERSION, 2, EGL_NONE };
   const EGLint gl_attribs[] = { EGL_NONE };
   EGLConfig config;
   EGLint count = 0;
   if (!eglInitialize(display, NULL, NULL) || !eglBindAPI(es ? EGL_OPENGL_ES_API : EGL_OPENGL_API) ||
       !eglChooseConfig(display, config_attribs, &config, 1, &count) || count == 0) {
      fprintf(stderr, "no EGL configuration (0x%x)\n", eglGetError());
      return false;
   }
   EGLContext context = eglCreateContext(display, config, EGL_NO_CONTEXT, es ? es_attribs : gl_attribs);
   if (context == EGL_NO_CONTEXT || !eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context)) {
      fprintf(stderr, "no context (0x%x)\n", eglGetError());
      return false;
   }
   return true;
}

bool
test_surface_create(unsigned width, unsigned height)
{
   const EGLint config_attribs[] = { EGL_SURFACE_TYPE, EGL_PBUFFER_BIT, EGL_RENDERABLE_TYPE, EGL_OPENGL_ES2_BIT,
                                     EGL_RED_SIZE, 8, EGL_GREEN_SIZE, 8, EGL_BLUE_SIZE, 8, EGL_ALPHA_SIZE, 8,
                                     EGL_DEPTH_SIZE, 16, EGL_STENCIL_SIZE, 8, EGL_NONE };
   const EGLint context_attribs[] = { EGL_CONTEXT_CLIENT_VERSION, 2, EGL_NONE };
   const EGLint surface_attribs[] = { EGL_WIDTH, width, EGL_HEIGHT, height, EGL_NONE };
   EGLConfig config;
   EGLint count = 0;
   if (!eglChooseConfig(display, config_attribs, &config, 1, &count) || count == 0) {
      fprintf(stderr, "no EGL configuration with depth and stencil (0x%x)\n", eglGetError());
      return false;
   }
   EGLContext context = eglCreateContext(display, config, EGL_NO_CONTEXT, context_attribs);
   EGLSurface surface = eglCreatePbufferSurface(display, config, surface_attribs);
   if (!eglMakeCurrent(display, surface, surface, context)) {
      fprintf(stderr, "no surface (0x%x)\n", eglGetError());
      return false;
   }
   return true;
}

void
test_context_destroy(void)
{
   eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
   eglTerminate(display);
}

void
test_target_create(unsigned width, unsigned height)
{
   const GLuint color = empty_texture(GL_TEXTURE_2D);
   glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, width, height, 0, GL_RGBA, GL_UNSIGNED_BYTE, NULL);
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
   glBindTexture(GL_TEXTURE_2D, 0);
   const GLuint depth = target_buffer(GL_DEPTH_COMPONENT16, width, height);
   new_framebuffer();
   glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, color, 0);
   glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_RENDERBUFFER, depth);
   glViewport(0, 0, width, height);
   if (glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE)
      fprintf(stderr, "the framebuffer is not complete\n");
}

unsigned
test_program_create(const char *vertex, const char *fragment)
{
   const char *const sources[2] = { vertex, fragment };
   const GLuint program = glCreateProgram();
   char log[2048] = "";
   GLint ok;
   for (unsigned i = 0; i < 2; i++) {
      GLuint shader = glCreateShader(i ? GL_FRAGMENT_SHADER : GL_VERTEX_SHADER);
      glShaderSource(shader, 1, &sources[i], NULL);
      glCompileShader(shader);
      glGetShaderiv(shader, GL_COMPILE_STATUS, &ok);
      if (!ok)
         glGetShaderInfoLog(shader, sizeof(log), NULL, log);
      glAttachShader(program, shader);
      glDeleteShader(shader);
   }
   glBindAttribLocation(program, 0, "position");
   glLinkProgram(program);
   glGetProgramiv(program, GL_LINK_STATUS, &ok);
   if (ok)
      return program;
   if (!*log)
      glGetProgramInfoLog(program, sizeof(log), NULL, log);
   fprintf(stderr, "a program does not compile or link:\n%s\n", log);
   return 0;
}

double
test_cpu_time(void)
{
   struct timespec ts;
   clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
   return ts.tv_sec + ts.tv_nsec * 1e-9;
}
