/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * EXT_multisampled_render_to_texture: four samples for a texture that has one.  Resolved when somebody looks, and what was
 * there before is drawn on; with depth, of several sizes and formats, blended, sampled in between, copied, and with depth
 * textures.
 */

#include "opengl_es.h"

static const char vertex[] = "attribute vec4 position;\n"
                             "varying vec2 place;\n"
                             "void main() { gl_Position = position; place = position.xy * 0.5 + 0.5; }\n";
static const char fill[] = "precision mediump float;\n"
                           "uniform vec4 color;\n"
                           "void main() { gl_FragColor = color; }\n";
static const char texture[] = "precision mediump float;\n"
                              "uniform sampler2D image;\n"
                              "varying vec2 place;\n"
                              "void main() { gl_FragColor = texture2D(image, place); }\n";

static PFNGLFRAMEBUFFERTEXTURE2DMULTISAMPLEEXTPROC attach;
static PFNGLRENDERBUFFERSTORAGEMULTISAMPLEEXTPROC storage;
static GLint color;

/* Pixels of a target of so many. */
static void
rect(unsigned size, float x0, float x1, float z)
{
   const float l = x0 / size * 2 - 1, r = x1 / size * 2 - 1;
   const float vertices[] = {l, -1, z, r, -1, z, l, 1, z, r, 1, z};

   glVertexAttribPointer(0, 3, GL_FLOAT, GL_FALSE, 0, vertices);
   glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
}

static void
check_pixel(const char *what, unsigned x, unsigned y, unsigned red, unsigned green, unsigned tolerance)
{
   unsigned char pixel[4];

   glReadPixels(x, y, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, pixel);
   CHECK(glGetError() == GL_NO_ERROR);
   if (abs((int)pixel[0] - (int)red) > (int)tolerance || abs((int)pixel[1] - (int)green) > (int)tolerance)
      fail("%s: pixel %u, %u is %u %u, not %u %u\n", what, x, y, pixel[0], pixel[1], red, green);
}

static GLuint
make_texture(unsigned size, GLenum format, GLenum type)
{
   const GLuint name = nearest_texture(GL_TEXTURE_2D);

   glTexImage2D(GL_TEXTURE_2D, 0, format, size, size, 0, format, type, NULL);
   return name;
}

static void
draw(unsigned size, GLenum format, GLenum type, bool depth_texture, GLuint fill_program, GLuint texture_program)
{
   const unsigned tolerance = type == GL_UNSIGNED_SHORT_5_6_5 ? 9 : 2;
   const bool four = size <= 1024;
   const GLuint name = make_texture(size, format, type);
   const GLuint framebuffer = new_framebuffer();
   GLuint depth, other;

   attach(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, name, 0, 4);
   if (depth_texture) {
      depth = make_texture(size, GL_DEPTH_COMPONENT, GL_UNSIGNED_SHORT);
      attach(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_TEXTURE_2D, depth, 0, 4);
   } else {
      glGenRenderbuffers(1, &depth);
      glBindRenderbuffer(GL_RENDERBUFFER, depth);
      storage(GL_RENDERBUFFER, 4, GL_DEPTH_COMPONENT16, size, size);
      glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_RENDERBUFFER, depth);
   }
   CHECK(glCheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE);
   glViewport(0, 0, size, size);
   glUseProgram(fill_program);
   glClearColor(0, 0, 0, 1);
   glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
   glEnable(GL_DEPTH_TEST);
   glUniform4f(color, 1, 0, 0, 1);
   rect(size, 0, 3.4f, 0);
   glUniform4f(color, 0, 1, 0, 1);
   rect(size, 0, 5.4f, 0.5f); /* behind the first */
   glDisable(GL_DEPTH_TEST);
   check_pixel("inside", 2, 2, 255, 0, tolerance);
   check_pixel("edge between two", 3, 2, four ? 127 : 0, four ? 127 : 255, tolerance);
   check_pixel("second", 4, 2, 0, 255, tolerance);
   check_pixel("edge", 5, 2, 0, four ? 127 : 0, tolerance);
   check_pixel("outside", 6, 2, 0, 0, tolerance);

   /* on what was read, blended */
   blend_with(GL_ONE, GL_ONE);
   glUniform4f(color, 0.25f, 0, 0, 0);
   rect(size, 4, 6.4f, 0);
   glDisable(GL_BLEND);

   /* sampled with the samples still there */
   glBindFramebuffer(GL_FRAMEBUFFER, 0);
   new_framebuffer();
   other = make_texture(size, GL_RGBA, GL_UNSIGNED_BYTE);
   glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, other, 0);
   glUseProgram(texture_program);
   glBindTexture(GL_TEXTURE_2D, name);
   rect(size, 0, size, 0);
   check_pixel("blended", 4, 2, 64, 255, tolerance);
   check_pixel("blended edge", 6, 2, four ? 32 : 0, 0, tolerance);
   check_pixel("edge between two, sampled", 3, 2, four ? 127 : 0, four ? 127 : 255, tolerance);

   glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
   glBindTexture(GL_TEXTURE_2D, other);
   glCopyTexImage2D(GL_TEXTURE_2D, 0, GL_RGB, 0, 0, size, size, 0);
   texture_framebuffer(GL_TEXTURE_2D, other, 0);
   check_pixel("blended, copied", 4, 2, 64, 255, tolerance);
   glDeleteTextures(1, &name);
   glDeleteTextures(1, &other);
}

int
main(void)
{
   EGLDisplay display = open_display();
   EGLContext context = new_context(display, EGL_NO_CONTEXT);

   make_current(display, context);
   CHECK(strstr((const char *)glGetString(GL_EXTENSIONS), "GL_EXT_multisampled_render_to_texture "));
   attach = (PFNGLFRAMEBUFFERTEXTURE2DMULTISAMPLEEXTPROC)eglGetProcAddress("glFramebufferTexture2DMultisampleEXT");
   storage = (PFNGLRENDERBUFFERSTORAGEMULTISAMPLEEXTPROC)eglGetProcAddress("glRenderbufferStorageMultisampleEXT");
   CHECK(attach && storage);
   const GLuint fill_program = make_program(vertex, fill, "position");
   const GLuint texture_program = make_program(vertex, texture, "position");
   color = glGetUniformLocation(fill_program, "color");
   glEnableVertexAttribArray(0);

   draw(64, GL_RGBA, GL_UNSIGNED_BYTE, false, fill_program, texture_program);
   draw(37, GL_RGBA, GL_UNSIGNED_BYTE, false, fill_program, texture_program);
   draw(8, GL_RGBA, GL_UNSIGNED_BYTE, false, fill_program, texture_program);
   draw(64, GL_RGB, GL_UNSIGNED_SHORT_5_6_5, false, fill_program, texture_program);
   draw(64, GL_RGBA, GL_UNSIGNED_BYTE, true, fill_program, texture_program);
   draw(1100, GL_RGBA, GL_UNSIGNED_BYTE, false, fill_program, texture_program);
   return 0;
}
