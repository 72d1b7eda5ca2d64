/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 */

#include "scene.h"

struct grid_target scene_target;
static GLuint flat_program, texture_program, cube_program;

void
scene_begin(void)
{
   const char *vs = "attribute vec4 position;\nattribute vec2 a0;\nvarying highp vec2 t;\n"
                    "void main() { gl_Position = position; t = a0; }";
   grid_target_create(&scene_target, SCENE_SIZE, SCENE_SIZE, true);
   flat_program = grid_program(vs, "precision mediump float;\nvarying highp vec2 t;\nuniform vec4 color;\n"
                               "void main() { gl_FragColor = color + vec4(t, 0.0, 0.0) * 0.2; }");
   texture_program = grid_program(vs, "precision mediump float;\nvarying highp vec2 t;\nuniform sampler2D s;\n"
                                  "void main() { gl_FragColor = texture2D(s, t); }");
   cube_program = grid_program(vs, "precision mediump float;\nvarying highp vec2 t;\nuniform samplerCube s;\nuniform mat3 m;\n"
                               "void main() { gl_FragColor = textureCube(s, m * vec3(t * 2.0 - 1.0, 1.0)); }");
}

void
scene_end(void)
{
   glDeleteProgram(flat_program);
   glDeleteProgram(texture_program);
   glDeleteProgram(cube_program);
   grid_target_destroy(&scene_target);
}

void
scene_flat(float x0, float y0, float x1, float y1, float z, float r, float g, float b, float a)
{
   glUseProgram(flat_program);
   glUniform4f(glGetUniformLocation(flat_program, "color"), r, g, b, a);
   grid_quad(x0, y0, x1, y1, z, 0, 0, 1, 1);
}

void
scene_textured(GLuint texture, float x0, float y0, float x1, float y1)
{
   glUseProgram(texture_program);
   glBindTexture(GL_TEXTURE_2D, texture);
   grid_quad(x0, y0, x1, y1, 0, GRID_OFF_EDGES, GRID_OFF_EDGES, 1 + GRID_OFF_EDGES, 1 + GRID_OFF_EDGES);
}

GLuint
scene_texture(GLenum where, GLenum format, GLenum type, unsigned width, unsigned height, bool mips)
{
   const GLuint texture = grid_texture(where, mips ? GL_LINEAR_MIPMAP_NEAREST : GL_NEAREST, GL_NEAREST, GL_CLAMP_TO_EDGE,
                                       GL_CLAMP_TO_EDGE);
   for (unsigned face = 0; face < (where == GL_TEXTURE_2D ? 1 : 6); face++) {
      for (unsigned level = 0; level == 0 || (mips && MAX2(width, height) >> level); level++)
         glTexImage2D(where == GL_TEXTURE_2D ? where : GL_TEXTURE_CUBE_MAP_POSITIVE_X + face, level, format,
                      MAX2(width >> level, 1), MAX2(height >> level, 1), 0, format, type, NULL);
   }
   return texture;
}

/* A scene that uses depth and stencil where they are. */
void
scene_draw(bool depth, bool stencil)
{
   clear_all(0.1f, 0.2f, 0.3f, 0.4f, 0.8f, 3);
   if (depth)
      glEnable(GL_DEPTH_TEST);
   scene_flat(-0.83f, -0.71f, 0.42f, 0.33f, 0.1f, 0.8f, 0.3f, 0, 1);
   scene_flat(-0.23f, -0.31f, 0.83f, 0.83f, 0.3f, 0.1f, 0.6f, 0.3f, 0.5f);
   glDisable(GL_DEPTH_TEST);
   if (stencil) {
      glEnable(GL_STENCIL_TEST);
      glStencilFunc(GL_EQUAL, 3, 0xff);
      glStencilOp(GL_KEEP, GL_KEEP, GL_INCR);
      scene_flat(-0.51f, -0.93f, 0.11f, 0.93f, 0, 0.7f, 0.1f, 0.7f, 0.2f);
      scene_flat(-0.91f, -0.13f, 0.91f, 0.17f, 0, 0.1f, 0.8f, 0.9f, 0.7f);
      glStencilOp(GL_KEEP, GL_KEEP, GL_KEEP);
      glDisable(GL_STENCIL_TEST);
   }
   blend_with(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
   scene_flat(-0.71f, 0.51f, 0.93f, 0.9f, 0, 0.9f, 0.9f, 0.2f, 0.5f);
   glDisable(GL_BLEND);
   glColorMask(GL_TRUE, GL_FALSE, GL_FALSE, GL_TRUE);
   scene_flat(0.51f, -0.97f, 0.93f, 0.31f, 0, 0.5f, 0.9f, 0.2f, 0.9f);
   glColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);
}

struct scene_image
scene_image_create(GLenum format, GLenum type, unsigned width, unsigned height)
{
   struct scene_image image = { 0 };

   image.framebuffer = new_framebuffer();
   if (type) {
      image.texture = scene_texture(GL_TEXTURE_2D, format, type, width, height, false);
      glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, image.texture, 0);
   } else {
      image.buffer = scene_renderbuffer(format, GL_COLOR_ATTACHMENT0, width, height);
   }
   glViewport(0, 0, width, height);
   return image;
}

void
scene_image_destroy(const struct scene_image *image)
{
   scene_show();
   glDeleteFramebuffers(1, &image->framebuffer);
   glDeleteTextures(1, &image->texture);
   glDeleteRenderbuffers(1, &image->buffer);
}

GLuint
scene_renderbuffer(GLenum format, GLenum where, unsigned width, unsigned height)
{
   const GLuint rb = target_buffer(format, width, height);
   glFramebufferRenderbuffer(GL_FRAMEBUFFER, where, GL_RENDERBUFFER, rb);
   return rb;
}

void
scene_cube_face(GLuint texture, unsigned face)
{
   static const float m[6][9] = {
      { 0, 0, 1, 0, 1, 0, 1, 0, 0 },  { 0, 0, 1, 0, 1, 0, -1, 0, 0 }, { 1, 0, 0, 0, 0, 1, 0, 1, 0 },
      { 1, 0, 0, 0, 0, 1, 0, -1, 0 }, { 1, 0, 0, 0, 1, 0, 0, 0, 1 },  { 1, 0, 0, 0, 1, 0, 0, 0, -1 },
   };
   glUseProgram(cube_program);
   glUniformMatrix3fv(glGetUniformLocation(cube_program, "m"), 1, GL_FALSE, m[face]);
   glBindTexture(GL_TEXTURE_CUBE_MAP, texture);
   grid_quad(-1, -1, 1, 1, 0, 0.02f, 0.02f, 0.98f, 0.98f);
}

void
scene_show(void)
{
   glBindFramebuffer(GL_FRAMEBUFFER, scene_target.framebuffer);
   glViewport(0, 0, SCENE_SIZE, SCENE_SIZE);
}

bool
scene_extension(const char *name)
{
   const char *all = (const char *)glGetString(GL_EXTENSIONS);
   size_t length = strlen(name);
   for (const char *at = all; (at = strstr(at, name)); at += length) {
      if ((at == all || at[-1] == ' ') && (at[length] == ' ' || !at[length]))
         return true;
   }
   return false;
}

void
scene_reset_state(void)
{
   static const GLenum switches[] = { GL_DEPTH_TEST, GL_STENCIL_TEST, GL_BLEND, GL_SCISSOR_TEST, GL_CULL_FACE };
   for (unsigned i = 0; i < ARRAY_SIZE(switches); i++)
      glDisable(switches[i]);
   glColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);
   glDepthMask(GL_TRUE);
   glStencilMask(0xff);
   glDepthFunc(GL_LESS);
   glStencilOp(GL_KEEP, GL_KEEP, GL_KEEP);
   glBlendEquation(GL_FUNC_ADD);
   glCullFace(GL_BACK);
   glFrontFace(GL_CCW);
}
