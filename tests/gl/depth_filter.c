/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Linear filters of depth textures, of power-of-two and other sizes, one and two dimensions, against the formula of OpenGL
 * 2.1 (3.8.8).  The program shows the 16 bits of the depth in two colours.
 */

#include "opengl.h"

#define SIZE 64
/* of the depth: coordinates and results have 14 significant bits, texels are up to 1/11 apart */
#define TOLERANCE (1 / 5000.0)

static uint16_t texels[16][16];
static unsigned wrong;

static double
texel(int x, int y, int width, int height, bool repeat)
{
   if (repeat) {
      x = (x + width) % width;
      y = (y + height) % height;
   }
   x = x < 0 ? 0 : x >= width ? width - 1 : x;
   y = y < 0 ? 0 : y >= height ? height - 1 : y;
   return texels[y][x] / 65535.0;
}

static double
filtered(double s, double t, int width, int height, bool repeat)
{
   const double u = s * width - 0.5, v = height > 1 ? t * height - 0.5 : 0;
   const int x = floor(u), y = floor(v);
   const double a = u - x, b = v - y;
   return (1 - b) * ((1 - a) * texel(x, y, width, height, repeat) + a * texel(x + 1, y, width, height, repeat)) +
          b * ((1 - a) * texel(x, y + 1, width, height, repeat) + a * texel(x + 1, y + 1, width, height, repeat));
}

/* A slope with bumps, so that high bytes change between neighbours and low bytes jump. */
static void
make_texels(int width, int height)
{
   for (int y = 0; y < height; y++) {
      for (int x = 0; x < width; x++)
         texels[y][x] = 20000 + 1300 * x + 900 * y + (x * 37 + y * 59) % 4000;
   }
}

static void
check(int width, int height, bool repeat)
{
   static unsigned char pixels[SIZE][SIZE][4];
   const GLenum target = height > 1 ? GL_TEXTURE_2D : GL_TEXTURE_1D;
   const GLenum wrap = repeat ? GL_REPEAT : GL_CLAMP_TO_EDGE;
   const double scale = repeat ? 2 : 1.2, start = repeat ? -0.5 : -0.1;
   double worst = 0;

   make_texels(width, height);
   const GLuint texture = filtered_texture(target, GL_LINEAR);
   glPixelStorei(GL_UNPACK_ALIGNMENT, 2);
   glPixelStorei(GL_UNPACK_ROW_LENGTH, 16);
   if (height > 1)
      glTexImage2D(target, 0, GL_DEPTH_COMPONENT16, width, height, 0, GL_DEPTH_COMPONENT, GL_UNSIGNED_SHORT, texels);
   else
      glTexImage1D(target, 0, GL_DEPTH_COMPONENT16, width, 0, GL_DEPTH_COMPONENT, GL_UNSIGNED_SHORT, texels);
   set_wraps(target, wrap, wrap);

   static const char vertex[] = "uniform vec2 map; varying vec2 at;\n"
                                "void main() { gl_Position = gl_Vertex; at = (gl_Vertex.xy * 0.5 + 0.5) * map.x + map.y; }\n";
   static const char fragment[2][256] = { /* two units, of which the first one is never shown */
      "uniform sampler1D o, t; varying vec2 at;\n"
      "void main() { float z = (at.x > 9.0 ? texture1D(o, at.x) : texture1D(t, at.x)).r * 255.0;\n"
      "gl_FragColor = vec4(floor(z) / 255.0, fract(z), 0.0, 1.0); }\n",
      "uniform sampler2D o, t; varying vec2 at;\n"
      "void main() { float z = (at.x > 9.0 ? texture2D(o, at) : texture2D(t, at)).r * 255.0;\n"
      "gl_FragColor = vec4(floor(z) / 255.0, fract(z), 0.0, 1.0); }\n",
   };
   const GLuint program = make_program(vertex, fragment[height > 1], NULL);
   glUseProgram(program);
   glUniform2f(glGetUniformLocation(program, "map"), scale, start);
   glRectf(-1, -1, 1, 1);
   glReadPixels(0, 0, SIZE, SIZE, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
   for (int y = 0; y < SIZE; y++) {
      for (int x = 0; x < SIZE; x++) {
         const double s = (x + 0.5) / SIZE * scale + start, t = (y + 0.5) / SIZE * scale + start;
         const double got = (pixels[y][x][0] + pixels[y][x][1] / 255.0) / 255.0;
         worst = fmax(worst, fabs(got - filtered(s, t, width, height, repeat)));
      }
   }
   /* coordinates are off by 2^-14 of what they span (A43); the first texel and the last, which repeating makes neighbours, are up
    * to 1 apart */
   const double off = scale * (width > height ? width : height) / 16384 * (repeat ? 1 : 1 / 11.0);
   printf("%d x %d, %s: worst error 1/%.0f\n", width, height, repeat ? "repeated" : "clamped", 1 / worst);
   wrong += worst > TOLERANCE + off;
   glDeleteProgram(program);
   glDeleteTextures(1, &texture);
   CHECK(glGetError() == GL_NO_ERROR);
}

int
main(void)
{
   open_target(SIZE, SIZE, false);
   check(16, 16, false);
   check(16, 8, true);
   check(11, 13, false);
   check(16, 1, false);
   check(16, 1, true);
   return wrong != 0;
}
