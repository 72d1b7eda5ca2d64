/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * When names of objects begin and end to exist, and what becomes of an object that is deleted while it is bound, attached or in
 * use.
 */

#include <stdio.h>

#include "families.h"
#include "scene.h"

static void
bind_buffer(GLuint name)
{
   glBindBuffer(GL_ARRAY_BUFFER, name);
}

static void
bind_elements(GLuint name)
{
   glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, name);
}

static void
bind_texture(GLuint name)
{
   glBindTexture(GL_TEXTURE_2D, name);
}

static void
bind_cube(GLuint name)
{
   glBindTexture(GL_TEXTURE_CUBE_MAP, name);
}

static void
bind_renderbuffer(GLuint name)
{
   glBindRenderbuffer(GL_RENDERBUFFER, name);
}

static void
bind_framebuffer(GLuint name)
{
   glBindFramebuffer(GL_FRAMEBUFFER, name);
}

static void
generate(GLsizei n, GLuint *names, unsigned kind)
{
   (kind < 2 ? glGenBuffers : kind < 4 ? glGenTextures : kind == 4 ? glGenRenderbuffers : glGenFramebuffers)(n, names);
}

static void
delete(GLsizei n, const GLuint *names, unsigned kind)
{
   (kind < 2 ? glDeleteBuffers : kind < 4 ? glDeleteTextures : kind == 4 ? glDeleteRenderbuffers
                                                                         : glDeleteFramebuffers)(n, names);
}

static bool
exists(GLuint name, unsigned kind)
{
   return (kind < 2 ? glIsBuffer : kind < 4 ? glIsTexture : kind == 4 ? glIsRenderbuffer : glIsFramebuffer)(name);
}

static void
run_names(void)
{
   static const struct {
      const char *name;
      void (*bind)(GLuint);
      GLenum binding;
   } kinds[] = { { "buffer", bind_buffer, GL_ARRAY_BUFFER_BINDING },
                 { "elements", bind_elements, GL_ELEMENT_ARRAY_BUFFER_BINDING },
                 { "texture", bind_texture, GL_TEXTURE_BINDING_2D }, { "cube", bind_cube, GL_TEXTURE_BINDING_CUBE_MAP },
                 { "renderbuffer", bind_renderbuffer, GL_RENDERBUFFER_BINDING },
                 { "framebuffer", bind_framebuffer, GL_FRAMEBUFFER_BINDING } };
   for (unsigned k = 0; k < ARRAY_SIZE(kinds); k++) {
      GLuint names[3];
      GLint bound = -1;
      if (grid_begin("lifetime/%s_generated", kinds[k].name)) {
         generate(3, names, k);
         bool fresh = names[0] && names[1] && names[0] != names[1] && !exists(names[0], k);
         kinds[k].bind(names[1]);
         bool made = exists(names[1], k) && !exists(names[0], k) && !exists(0, k);
         kinds[k].bind(0);
         bool stays = exists(names[1], k);
         delete(3, names, k);
         grid_check(fresh && made && stays && !exists(names[1], k), "fresh %d, made %d, stays %d", fresh, made, stays);
      }
      if (grid_begin("lifetime/%s_deleted_while_bound", kinds[k].name)) {
         generate(1, names, k);
         kinds[k].bind(names[0]);
         delete(1, names, k);
         glGetIntegerv(kinds[k].binding, &bound);
         grid_check(bound == 0 && !exists(names[0], k), "bound %d", bound);
      }
      if (grid_begin("lifetime/%s_own_name", kinds[k].name)) { /* names need not be generated, and may come back */
         GLuint own = 4711;
         bool ok = true;
         for (unsigned i = 0; i < 3; i++) {
            kinds[k].bind(own);
            glGetIntegerv(kinds[k].binding, &bound);
            ok &= bound == 4711 && exists(own, k);
            delete(1, &own, k);
            ok &= !exists(own, k);
         }
         delete(1, &own, k); /* silently ignored */
         grid_check(ok && glGetError() == GL_NO_ERROR, "bound %d", bound);
      }
      kinds[k].bind(0);
   }
   scene_show();
}

/* A shader lives as long as a program has it; a program as long as it is in use. */
static void
run_programs(void)
{
   static const char *const vs = "attribute vec4 position;\nvoid main() { gl_Position = position; }";
   static const char *const fs = "precision mediump float;\nuniform vec4 c;\nvoid main() { gl_FragColor = c; }";
   for (unsigned i = 0; i < 8; i++) {
      if (!grid_begin("lifetime/program_%u", i))
         continue;
      GLuint shaders[2] = { glCreateShader(GL_VERTEX_SHADER), glCreateShader(GL_FRAGMENT_SHADER) }, program = glCreateProgram();
      bool ok = glIsShader(shaders[0]) && glIsProgram(program) && !glIsProgram(shaders[0]) && !glIsShader(program);
      glShaderSource(shaders[0], 1, &vs, NULL);
      glShaderSource(shaders[1], 1, &fs, NULL);
      for (unsigned s = 0; s < 2; s++) {
         glCompileShader(shaders[s]);
         glAttachShader(program, shaders[s]);
         if (i & 1)
            glDeleteShader(shaders[s]); /* when the program has no use for it any more */
         GLint status = -1;
         glGetShaderiv(shaders[s], GL_DELETE_STATUS, &status);
         ok &= status == (int)(i & 1) && glIsShader(shaders[s]);
      }
      glBindAttribLocation(program, 0, "position");
      glLinkProgram(program);
      glUseProgram(program);
      if (i & 2)
         glDeleteProgram(program);
      GLint status = -1;
      glGetProgramiv(program, GL_DELETE_STATUS, &status);
      ok &= status == (int)(i >> 1 & 1) && glIsProgram(program);
      if (i & 4) { /* goes on to work without its shaders */
         glDetachShader(program, shaders[0]);
         glDetachShader(program, shaders[1]);
         ok &= glIsShader(shaders[0]) == !(i & 1);
      }
      glUniform4f(glGetUniformLocation(program, "c"), 0, 1, 0, 1);
      glClearColor(1, 0, 0, 1);
      glClear(GL_COLOR_BUFFER_BIT);
      grid_quad(-1, -1, 1, 1, 0, 0, 0, 1, 1);
      uint8_t rgba[4];
      glReadPixels(9, 9, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, rgba);
      ok &= rgba[1] == 255 && !rgba[0];
      glUseProgram(0);
      ok &= glIsProgram(program) == !(i & 2);
      if (!(i & 2))
         glDeleteProgram(program);
      ok &= !glIsProgram(program) && glIsShader(shaders[1]) == !(i & 1);
      if (!(i & 1)) {
         glDeleteShader(shaders[0]);
         glDeleteShader(shaders[1]);
      }
      grid_check(ok && !glIsShader(shaders[0]), "an object lives too long or not long enough");
   }
}

/* Deleted while attached to a framebuffer that is not bound, or drawn from: the image goes on to exist there. */
static void
run_attached(void)
{
   for (unsigned i = 0; i < 8; i++) {
      if (!grid_begin("lifetime/attached_%u", i))
         continue;
      bool texture = i & 1, bound = i & 2, reuse = i & 4;
      GLuint fbo, name, again = 0;
      glGenFramebuffers(1, &fbo);
      glBindFramebuffer(GL_FRAMEBUFFER, fbo);
      if (texture) {
         name = scene_texture(GL_TEXTURE_2D, GL_RGBA, GL_UNSIGNED_BYTE, 32, 32, false);
         glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, name, 0);
      } else {
         name = scene_renderbuffer(GL_RGBA8_OES, GL_COLOR_ATTACHMENT0, 32, 32);
      }
      glViewport(0, 0, 32, 32);
      glClearColor(0, 0, 1, 1);
      glClear(GL_COLOR_BUFFER_BIT);
      if (!bound)
         scene_show();
      texture ? glDeleteTextures(1, &name) : glDeleteRenderbuffers(1, &name);
      if (reuse) { /* the name stands for another image */
         again = scene_texture(GL_TEXTURE_2D, GL_RGB, GL_UNSIGNED_BYTE, 8, 8, false);
         glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, 1, 1, GL_RGB, GL_UNSIGNED_BYTE, "abc");
      }
      glBindFramebuffer(GL_FRAMEBUFFER, fbo);
      GLenum status = glCheckFramebufferStatus(GL_FRAMEBUFFER);
      bool drawn = true;
      if (status == GL_FRAMEBUFFER_COMPLETE) {
         glViewport(0, 0, 32, 32);
         scene_flat(0, -1, 1, 1, 0, 1, 0, 0, 1);
         uint8_t rgba[2][4];
         glReadPixels(4, 4, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, rgba[0]);
         glReadPixels(28, 4, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, rgba[1]);
         drawn = rgba[0][2] == 255 && !rgba[0][0] && rgba[1][0] == 255;
      }
      scene_show();
      GLenum expected = bound ? GL_FRAMEBUFFER_INCOMPLETE_MISSING_ATTACHMENT : GL_FRAMEBUFFER_COMPLETE;
      grid_check(status == expected && drawn, "status 0x%x, drawn %d", status, drawn);
      glDeleteFramebuffers(1, &fbo);
      glDeleteTextures(1, &again);
   }
}

static void
run_lifetime(void)
{
   scene_begin();
   run_names();
   run_programs();
   run_attached();
   scene_end();
}

const struct grid_family family_lifetime = { "lifetime", run_lifetime };
