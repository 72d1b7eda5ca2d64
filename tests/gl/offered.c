/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * What is offered works, in OpenGL ES 2.0: a context with robust access (EGL_EXT_create_context_robustness), whose draws read
 * nothing outside of their buffers (tests/gl/bounds.c has more of them), and glCopyTexImage2D from a framebuffer with samples
 * (EXT_multisampled_render_to_texture, 5).
 */

#include "opengl_es.h"

#define SIZE 16

static bool
is_filled_with(const uint8_t color[4])
{
   uint8_t pixels[SIZE * SIZE * 4];

   glReadPixels(0, 0, SIZE, SIZE, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
   for (unsigned i = 0; i < SIZE * SIZE; i++) {
      if (memcmp(pixels + 4 * i, color, 4))
         return false;
   }
   return true;
}

/* Attributes beyond the end of a buffer are 0 (or any value inside of the buffer, which holds 0). */
static void
draw_beyond_the_end(void)
{
   static const char *const attributes[] = {"at", "color", NULL};
   static const GLfloat corners[] = {-1, -1, 3, -1, -1, 3}, black[4] = {0};
   GLuint buffer;

   glUseProgram(make_program("attribute vec2 at; attribute vec4 color; varying vec4 c;\n"
                             "void main() { gl_Position = vec4(at, 0.0, 1.0); c = color; }\n",
                             "precision mediump float; varying vec4 c; void main() { gl_FragColor = vec4(c.rgb, 1.0); }\n",
                             attributes));
   glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, corners);
   glGenBuffers(1, &buffer);
   glBindBuffer(GL_ARRAY_BUFFER, buffer);
   glBufferData(GL_ARRAY_BUFFER, sizeof(black), black, GL_STATIC_DRAW);
   glVertexAttribPointer(1, 4, GL_FLOAT, GL_FALSE, 0, NULL);
   glBindBuffer(GL_ARRAY_BUFFER, 0);
   glEnableVertexAttribArray(0);
   glEnableVertexAttribArray(1);
   glClearColor(1, 0, 0, 1);
   glClear(GL_COLOR_BUFFER_BIT);
   glDrawArrays(GL_TRIANGLES, 0, 3);
   CHECK(is_filled_with((const uint8_t[]){0, 0, 0, 255}));
}

static GLuint
make_texture(void)
{
   const GLuint texture = filtered_texture(GL_TEXTURE_2D, GL_NEAREST);

   glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, SIZE, SIZE, 0, GL_RGBA, GL_UNSIGNED_BYTE, NULL);
   return texture;
}

static void
copy_samples(void)
{
   PFNGLFRAMEBUFFERTEXTURE2DMULTISAMPLEEXTPROC attach =
      (PFNGLFRAMEBUFFERTEXTURE2DMULTISAMPLEEXTPROC)eglGetProcAddress("glFramebufferTexture2DMultisampleEXT");

   new_framebuffer();
   attach(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, make_texture(), 0, 4);
   CHECK(glCheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE);
   glClearColor(0, 1, 0, 1);
   glClear(GL_COLOR_BUFFER_BIT);
   const GLuint copy = make_texture();
   glCopyTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, 0, 0, SIZE, SIZE, 0);
   CHECK(glGetError() == GL_NO_ERROR);
   texture_framebuffer(GL_TEXTURE_2D, copy, 0);
   CHECK(is_filled_with((const uint8_t[]){0, 255, 0, 255}));
}

int
main(void)
{
   static const EGLint robust[] = {EGL_CONTEXT_CLIENT_VERSION, 2, EGL_CONTEXT_OPENGL_ROBUST_ACCESS_EXT, EGL_TRUE, EGL_NONE};
   const EGLDisplay display = open_display();

   make_current(display, create_context(display, EGL_OPENGL_ES_API, EGL_NO_CONTEXT, robust));
   make_target(SIZE, SIZE, false);
   draw_beyond_the_end();
   copy_samples();
   CHECK(glGetError() == GL_NO_ERROR);
   return 0;
}
