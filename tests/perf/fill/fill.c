/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * perf-fill ROW: 512x512 quads with one of five fragment programs, opaque or blended.  Lines: the renderer; millions of pixels
 * per second of CPU time, that of all threads.
 */

#include <GLES2/gl2.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "egl_context.h"
#include "gl_calls.h"

#define SIZE 512
#define TEXELS 256
#define SECONDS 0.3

static const char vs[] = "attribute vec4 position;\n"
                         "varying mediump vec4 color;\n"
                         "varying mediump vec2 st;\n"
                         "varying mediump vec3 direction;\n"
                         "void main() {\n"
                         "   gl_Position = position;\n"
                         "   st = position.xy * 0.5 + 0.5;\n"
                         "   color = vec4(st, 1.0 - st.x, 0.5 + 0.25 * st.y);\n"
                         "   direction = vec3(position.xy * 0.5, 1.0);\n"
                         "}\n";
static const char head[] = "precision mediump float;\n"
                           "uniform vec4 constant;\n"
                           "uniform vec3 light, middle;\n"
                           "uniform sampler2D texture;\n"
                           "varying vec4 color;\n"
                           "varying vec2 st;\n"
                           "varying vec3 direction;\n";
static const char *const codes[][2] = {
   { "solid", "gl_FragColor = constant;" },
   { "varying", "gl_FragColor = color;" },
   { "texture", "gl_FragColor = texture2D(texture, st);" },
   { "texture*varying", "gl_FragColor = texture2D(texture, st) * color;" },
   { "lighting", "vec3 n = normalize(direction);\n"
                 "float diffuse = max(dot(n, light), 0.0), specular = pow(max(dot(n, middle), 0.0), 16.0);\n"
                 "gl_FragColor = vec4(color.rgb * (0.2 + 0.8 * diffuse) + vec3(specular), color.a);" },
};

static void
setup(const char *row)
{
   static const float quad[8] = { -1, -1, 1, -1, -1, 1, 1, 1 };
   static uint8_t texels[TEXELS * TEXELS * 4];
   GLuint program = 0;
   test_target_create(SIZE, SIZE);
   for (unsigned i = 0; i < sizeof(texels); i++)
      texels[i] = i * 2654435761u >> 24;
   empty_texture(GL_TEXTURE_2D);
   set_filters(GL_TEXTURE_2D, GL_LINEAR, GL_LINEAR);
   glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, TEXELS, TEXELS, 0, GL_RGBA, GL_UNSIGNED_BYTE, texels);
   use_floats(0, 2, quad);
   if (strchr(row, '+'))
      blend_with(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
   for (unsigned i = 0; i < sizeof(codes) / sizeof(codes[0]); i++) {
      if (!strncmp(row, codes[i][0], strcspn(row, "+")) && !codes[i][0][strcspn(row, "+")])
         program = test_program_create(vs, text_of("%svoid main() {\n%s\n}\n", head, codes[i][1]));
   }
   glUseProgram(program);
   glUniform4f(glGetUniformLocation(program, "constant"), 0.2f, 0.4f, 0.6f, 0.5f);
   glUniform3f(glGetUniformLocation(program, "light"), 0.577f, 0.577f, 0.577f);
   glUniform3f(glGetUniformLocation(program, "middle"), 0.3f, 0.3f, 0.9f);
}

int
main(int argc, char **argv)
{
   double start = 0, end = 0;
   unsigned quads = 0;
   if (argc != 2 || !test_context_create(true))
      return 1;
   setup(argv[1]);
   for (unsigned turn = 0; turn <= 1 || end - start < SECONDS; turn++) {
      uint32_t pixel;
      for (unsigned i = 0; i < 4; i++)
         glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
      glReadPixels(0, 0, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, &pixel); /* waits on every implementation */
      end = test_cpu_time();
      if (!turn)
         start = end;
      else
         quads += 4;
   }
   printf("%s\n%.2f\n", glGetString(GL_RENDERER), (double)quads * SIZE * SIZE / (end - start) * 1e-6);
   return glGetError() != GL_NO_ERROR;
}
