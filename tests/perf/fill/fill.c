/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Fill rate of whatever EGL's surfaceless platform gives: 512x512 quads of five kinds, opaque and blended.
 *
 *   tegra20-fill [--seconds S] [--size N] [--cpu] [KIND]
 *   tegra20-fill --list
 *
 * One line per kind (or for one of them): name, millions of pixels per second; with --cpu per second of all threads' CPU
 * time, which other load on the machine disturbs less.  fill.py runs it on a software renderer and on the simulated
 * chip and compares.
 */

#include <GLES2/gl2.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "egl_context.h"

static const char vertex_shader[] =
   "attribute vec4 position;\n"
   "attribute vec4 colour;\n"
   "attribute vec3 normal;\n"
   "varying mediump vec4 v_colour;\n"
   "varying mediump vec2 v_uv;\n"
   "varying mediump vec3 v_normal;\n"
   "void main() {\n"
   "   gl_Position = position;\n"
   "   v_colour = colour;\n"
   "   v_uv = position.xy * 0.5 + 0.5;\n"
   "   v_normal = normal;\n"
   "}\n";

#define HEAD                                                                                                           \
   "precision mediump float;\n"                                                                                        \
   "uniform vec4 u_colour;\n"                                                                                          \
   "uniform sampler2D u_texture;\n"                                                                                    \
   "varying vec4 v_colour;\n"                                                                                          \
   "varying vec2 v_uv;\n"                                                                                              \
   "varying vec3 v_normal;\n"

static const struct kind {
   const char *name, *shader;
} kinds[] = {
   {"solid", HEAD "void main() { gl_FragColor = u_colour; }\n"},
   {"varying", HEAD "void main() { gl_FragColor = v_colour; }\n"},
   {"texture", HEAD "void main() { gl_FragColor = texture2D(u_texture, v_uv); }\n"},
   {"texture*varying", HEAD "void main() { gl_FragColor = texture2D(u_texture, v_uv) * v_colour; }\n"},
   {"lighting", HEAD
    "uniform vec3 u_light;\n"
    "uniform vec3 u_half;\n"
    "void main() {\n"
    "   vec3 n = normalize(v_normal);\n"
    "   float diffuse = max(dot(n, u_light), 0.0);\n"
    "   float specular = pow(max(dot(n, u_half), 0.0), 16.0);\n"
    "   gl_FragColor = vec4(v_colour.rgb * (0.2 + 0.8 * diffuse) + vec3(specular), v_colour.a);\n"
    "}\n"},
};
#define NUM_KINDS (sizeof(kinds) / sizeof(kinds[0]))

static clockid_t used_clock = CLOCK_MONOTONIC;

static double
now(void)
{
   struct timespec t;
   clock_gettime(used_clock, &t);
   return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void
fail(const char *what)
{
   fprintf(stderr, "tegra20-fill: %s\n", what);
   exit(1);
}

static GLuint
compile(GLenum stage, const char *text)
{
   GLuint shader = glCreateShader(stage);
   GLint ok = 0;
   glShaderSource(shader, 1, &text, NULL);
   glCompileShader(shader);
   glGetShaderiv(shader, GL_COMPILE_STATUS, &ok);
   if (!ok) {
      char log[1024];
      glGetShaderInfoLog(shader, sizeof(log), NULL, log);
      fail(log);
   }
   return shader;
}

static GLuint
link_program(const char *fragment)
{
   GLuint program = glCreateProgram();
   GLint ok = 0;
   glAttachShader(program, compile(GL_VERTEX_SHADER, vertex_shader));
   glAttachShader(program, compile(GL_FRAGMENT_SHADER, fragment));
   glBindAttribLocation(program, 0, "position");
   glBindAttribLocation(program, 1, "colour");
   glBindAttribLocation(program, 2, "normal");
   glLinkProgram(program);
   glGetProgramiv(program, GL_LINK_STATUS, &ok);
   if (!ok)
      fail("program does not link");
   glUseProgram(program);
   glUniform4f(glGetUniformLocation(program, "u_colour"), 0.2f, 0.4f, 0.6f, 0.5f);
   glUniform1i(glGetUniformLocation(program, "u_texture"), 0);
   glUniform3f(glGetUniformLocation(program, "u_light"), 0.577f, 0.577f, 0.577f);
   glUniform3f(glGetUniformLocation(program, "u_half"), 0.3f, 0.3f, 0.9f);
   return program;
}

static void
create_scene(GLsizei size)
{
   test_target_create((unsigned)size, (unsigned)size);
   static uint8_t pixels[256 * 256 * 4];
   for (unsigned i = 0; i < sizeof(pixels); i++)
      pixels[i] = (uint8_t)(i * 2654435761u >> 24);
   GLuint texture, buffer;
   glGenTextures(1, &texture);
   glBindTexture(GL_TEXTURE_2D, texture);
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
   glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, 256, 256, 0, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
   static const GLfloat vertices[4][11] = {
      {-1, -1, 0, 1, 1, 0, 0, 0.5f, -0.5f, -0.5f, 1},
      {1, -1, 0, 1, 0, 1, 0, 0.5f, 0.5f, -0.5f, 1},
      {-1, 1, 0, 1, 0, 0, 1, 0.5f, -0.5f, 0.5f, 1},
      {1, 1, 0, 1, 1, 1, 1, 0.5f, 0.5f, 0.5f, 1},
   };
   glGenBuffers(1, &buffer);
   glBindBuffer(GL_ARRAY_BUFFER, buffer);
   glBufferData(GL_ARRAY_BUFFER, sizeof(vertices), vertices, GL_STATIC_DRAW);
   glVertexAttribPointer(0, 4, GL_FLOAT, GL_FALSE, 44, NULL);
   glVertexAttribPointer(1, 4, GL_FLOAT, GL_FALSE, 44, (void *)16);
   glVertexAttribPointer(2, 3, GL_FLOAT, GL_FALSE, 44, (void *)32);
   for (unsigned i = 0; i < 3; i++)
      glEnableVertexAttribArray(i);
}

static void
finish(void)
{
   /* Reading back waits on every implementation. */
   uint32_t pixel;
   glReadPixels(0, 0, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, &pixel);
}

static void
kind_name(char name[64], unsigned kind, bool blend)
{
   snprintf(name, 64, "%s%s", kinds[kind].name, blend ? "+blend" : "");
}

static int
list_kinds(void)
{
   char name[64];
   for (unsigned k = 0; k < 2 * NUM_KINDS; k++) {
      kind_name(name, k % NUM_KINDS, k / NUM_KINDS);
      puts(name);
   }
   return 0;
}

static double
measure(GLsizei size, double seconds)
{
   glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
   finish();
   unsigned quads = 0, batch = 4;
   double start = now(), elapsed;
   do {
      for (unsigned i = 0; i < batch; i++)
         glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
      finish();
      quads += batch;
      elapsed = now() - start;
   } while (elapsed < seconds);
   return (double)quads * size * size / elapsed * 1e-6;
}

int
main(int argc, char **argv)
{
   double seconds = 0.5;
   GLsizei size = 512;
   const char *only = NULL;
   for (int i = 1; i < argc; i++) {
      if (!strcmp(argv[i], "--seconds") && i + 1 < argc)
         seconds = atof(argv[++i]);
      else if (!strcmp(argv[i], "--size") && i + 1 < argc)
         size = atoi(argv[++i]);
      else if (!strcmp(argv[i], "--cpu"))
         used_clock = CLOCK_PROCESS_CPUTIME_ID;
      else if (!strcmp(argv[i], "--list"))
         return list_kinds();
      else if (argv[i][0] != '-')
         only = argv[i];
      else
         fail("usage: tegra20-fill [--seconds S] [--size N] [--cpu] [KIND]");
   }
   if (size < 1 || size > 2048)
      fail("--size takes 1..2048");
   if (!test_context_create(true))
      return 1;
   printf("renderer %s\n", (const char *)glGetString(GL_RENDERER));
   create_scene(size);
   for (unsigned blend = 0; blend < 2; blend++) {
      for (unsigned k = 0; k < NUM_KINDS; k++) {
         char name[64];
         kind_name(name, k, blend);
         if (only && strcmp(only, name))
            continue;
         GLuint program = link_program(kinds[k].shader);
         if (blend)
            glEnable(GL_BLEND);
         glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
         printf("%s %.2f\n", name, measure(size, seconds));
         fflush(stdout);
         glDeleteProgram(program);
      }
   }
   return glGetError() == GL_NO_ERROR ? 0 : 1;
}
