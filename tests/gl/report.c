/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * What an API reports: versions, limits and extensions, sorted, one per line; or the driver's debug messages while a
 * program of two shaders is linked and while it is drawn.  ci/tests.py compares the former with tests/gl/reported.txt
 * and the table of docs/tegra20.rst, the latter with the format of shader-db.
 *
 *   report gles1 | gles2 | gl | messages
 */

#include "opengl.h"

#ifndef GL_MAX_VERTEX_UNIFORM_VECTORS
#define GL_MAX_VERTEX_UNIFORM_VECTORS 0x8DFB
#define GL_MAX_VARYING_VECTORS 0x8DFC
#define GL_MAX_FRAGMENT_UNIFORM_VECTORS 0x8DFD
#endif

enum { GLES1 = 1, GLES2 = 2, GL = 4 };

static const struct {
   unsigned apis;
   GLenum name;
   const char *text;
   unsigned count;
} limits[] = {
#define LIMIT(apis, name, count) {apis, name, #name, count}
   LIMIT(GLES1 | GLES2 | GL, GL_MAX_TEXTURE_SIZE, 1),
   LIMIT(GLES1 | GLES2 | GL, GL_MAX_VIEWPORT_DIMS, 2),
   LIMIT(GLES1 | GLES2 | GL, GL_SUBPIXEL_BITS, 1),
   LIMIT(GLES1 | GLES2 | GL, GL_ALIASED_LINE_WIDTH_RANGE, 2),
   LIMIT(GLES1 | GLES2 | GL, GL_ALIASED_POINT_SIZE_RANGE, 2),
   LIMIT(GLES2 | GL, GL_MAX_CUBE_MAP_TEXTURE_SIZE, 1),
   LIMIT(GLES2 | GL, GL_MAX_RENDERBUFFER_SIZE, 1),
   LIMIT(GLES2 | GL, GL_MAX_VERTEX_ATTRIBS, 1),
   LIMIT(GLES2, GL_MAX_VERTEX_UNIFORM_VECTORS, 1),
   LIMIT(GLES2, GL_MAX_FRAGMENT_UNIFORM_VECTORS, 1),
   LIMIT(GLES2, GL_MAX_VARYING_VECTORS, 1),
   LIMIT(GLES2 | GL, GL_MAX_TEXTURE_IMAGE_UNITS, 1),
   LIMIT(GLES2 | GL, GL_MAX_VERTEX_TEXTURE_IMAGE_UNITS, 1),
   LIMIT(GLES2 | GL, GL_MAX_COMBINED_TEXTURE_IMAGE_UNITS, 1),
   LIMIT(GL, GL_MAX_3D_TEXTURE_SIZE, 1),
   LIMIT(GL, GL_MAX_VERTEX_UNIFORM_COMPONENTS, 1),
   LIMIT(GL, GL_MAX_FRAGMENT_UNIFORM_COMPONENTS, 1),
   LIMIT(GL, GL_MAX_VARYING_FLOATS, 1),
   LIMIT(GLES2 | GL, GL_MAX_DRAW_BUFFERS, 1),
   LIMIT(GLES2 | GL, GL_MAX_COLOR_ATTACHMENTS, 1),
   LIMIT(GLES1 | GL, GL_MAX_TEXTURE_UNITS, 1),
   LIMIT(GLES1 | GL, GL_MAX_LIGHTS, 1),
   LIMIT(GLES1 | GL, GL_MAX_CLIP_PLANES, 1),
   LIMIT(GLES1 | GL, GL_MAX_MODELVIEW_STACK_DEPTH, 1),
#undef LIMIT
};

static int
compare_words(const void *a, const void *b)
{
   return strcmp(*(char *const *)a, *(char *const *)b);
}

static void
print_extensions(const char *list)
{
   char *copy = strdup(list), *words[1024];
   unsigned count = 0;
   for (char *word = strtok(copy, " "); word && count < 1024; word = strtok(NULL, " "))
      words[count++] = word;
   qsort(words, count, sizeof(words[0]), compare_words);
   for (unsigned i = 0; i < count; i++)
      printf("%s\n", words[i]);
   free(copy);
}

static void
print_limits(unsigned api)
{
   for (unsigned i = 0; i < COUNT(limits); i++) {
      GLint values[2] = {-1, -1};
      if (!(limits[i].apis & api))
         continue;
      glGetIntegerv(limits[i].name, values);
      CHECK(glGetError() == GL_NO_ERROR);
      printf("%s %d", limits[i].text, values[0]);
      printf(limits[i].count == 2 ? " %d\n" : "\n", values[1]);
   }
}

/* What the public shader-db runner takes: it asks for messages of this kind alone and prints them behind a name. */
static void APIENTRY
print_message(GLenum source, GLenum type, GLuint id, GLenum severity, GLsizei length, const GLchar *text, const void *data)
{
   CHECK(source == GL_DEBUG_SOURCE_SHADER_COMPILER && type == GL_DEBUG_TYPE_OTHER && severity == GL_DEBUG_SEVERITY_NOTIFICATION);
   printf("%s: %.*s\n", *(const char *const *)data, (int)length, text);
}

static void
print_messages(void)
{
   GLuint program = glCreateProgram();
   glEnable(GL_DEBUG_OUTPUT);
   glEnable(GL_DEBUG_OUTPUT_SYNCHRONOUS);
   const char *name = "linked";
   glDebugMessageControl(GL_DONT_CARE, GL_DONT_CARE, GL_DONT_CARE, 0, NULL, GL_FALSE);
   glDebugMessageControl(GL_DEBUG_SOURCE_SHADER_COMPILER, GL_DEBUG_TYPE_OTHER, GL_DEBUG_SEVERITY_NOTIFICATION, 0, NULL, GL_TRUE);
   glDebugMessageCallback(print_message, &name);
   attach_shader(program, GL_VERTEX_SHADER, "attribute vec4 p; void main() { gl_Position = p * p; }");
   attach_shader(program, GL_FRAGMENT_SHADER, "uniform vec4 c; void main() { gl_FragColor = c * c; }");
   glBindAttribLocation(program, 0, "p");
   glLinkProgram(program); /* the runner goes no further: it never draws */
   name = "drawn";
   glUseProgram(program);
   const GLuint texture = empty_texture(GL_TEXTURE_2D);
   glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, 16, 16, 0, GL_RGBA, GL_UNSIGNED_BYTE, NULL);
   texture_framebuffer(GL_TEXTURE_2D, texture, 0);
   static const float triangle[] = {-1, -1, 1, -1, 0, 1};
   use_floats(0, 2, triangle);
   glDrawArrays(GL_TRIANGLES, 0, 3);
   glFinish();
   CHECK(glGetError() == GL_NO_ERROR);
}

static EGLContext
create(EGLDisplay display, unsigned api, bool debug)
{
   const EGLint config_attributes[] = {
      EGL_SURFACE_TYPE, EGL_PBUFFER_BIT, EGL_RENDERABLE_TYPE,
      api == GLES1 ? EGL_OPENGL_ES_BIT : api == GLES2 ? EGL_OPENGL_ES2_BIT : EGL_OPENGL_BIT, EGL_NONE,
   };
   const EGLint es[] = {EGL_CONTEXT_CLIENT_VERSION, api == GLES1 ? 1 : 2, EGL_NONE};
   const EGLint gl[] = {debug ? EGL_CONTEXT_FLAGS_KHR : EGL_NONE, EGL_CONTEXT_OPENGL_DEBUG_BIT_KHR, EGL_NONE};
   EGLConfig config;
   EGLint count;
   CHECK(eglBindAPI(api == GL ? EGL_OPENGL_API : EGL_OPENGL_ES_API));
   CHECK(eglChooseConfig(display, config_attributes, &config, 1, &count) && count == 1);
   EGLContext context = eglCreateContext(display, config, EGL_NO_CONTEXT, api == GL ? gl : es);
   CHECK(context != EGL_NO_CONTEXT);
   return context;
}

int
main(int argc, char **argv)
{
   const char *what = argc == 2 ? argv[1] : "";
   bool messages = !strcmp(what, "messages");
   unsigned api = !strcmp(what, "gles1") ? GLES1 : !strcmp(what, "gles2") ? GLES2 : messages || !strcmp(what, "gl") ? GL : 0;
   if (!api) {
      fprintf(stderr, "Usage: report gles1 | gles2 | gl | messages\n");
      return 2;
   }
   EGLDisplay display = open_display();
   EGLContext context = create(display, api, messages);
   make_current(display, context);
   if (messages) {
      print_messages();
   } else {
      printf("version: %s\n", glGetString(GL_VERSION));
      printf("renderer: %s\n", glGetString(GL_RENDERER));
      if (api != GLES1)
         printf("language: %s\n", glGetString(GL_SHADING_LANGUAGE_VERSION));
      print_limits(api);
      print_extensions((const char *)glGetString(GL_EXTENSIONS));
   }
   eglDestroyContext(display, context);
   eglTerminate(display);
   return 0;
}
