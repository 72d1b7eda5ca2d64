/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Comparisons of depth textures (OpenGL 2.1, 3.8.14): each function, of a reference that is below, between, equal to and
 * beyond the depths, as coordinates and divided by q, one and two dimensions, as luminance, intensity and alpha.
 */

#include "opengl.h"

#define DEPTHS 4

static const GLushort depths[DEPTHS] = {0, 0x4000, 0xa000, 0xffff};
/* Only the ends are numbers that both the texture and the program hold exactly. */
static const float references[] = {-0.5f, 0, 0.125f, 0.5f, 0.75f, 1, 1.5f};
static const GLenum functions[] = {GL_NEVER, GL_LESS, GL_EQUAL, GL_LEQUAL, GL_GREATER, GL_NOTEQUAL, GL_GEQUAL, GL_ALWAYS};
static const GLenum modes[] = {GL_LUMINANCE, GL_INTENSITY, GL_ALPHA};

static const struct lookup {
   const char *name, *call;
   GLenum target;
} lookups[] = {
   {"shadow2D", "shadow2D(t2, vec3(at, 0.5, r))", GL_TEXTURE_2D},
   {"shadow2DProj", "shadow2DProj(t2, vec4(at, 0.5, r, 1.0) * q)", GL_TEXTURE_2D},
   {"shadow1D", "shadow1D(t1, vec3(at, 0.5, r))", GL_TEXTURE_1D},
   {"shadow1DProj", "shadow1DProj(t1, vec4(at, 0.5, r, 1.0) * q)", GL_TEXTURE_1D},
};

static unsigned wrong, compared;

static bool
passes(GLenum function, float r, float depth)
{
   r = r < 0 ? 0 : r > 1 ? 1 : r;
   switch (function) {
   case GL_LESS: return r < depth;
   case GL_EQUAL: return r == depth;
   case GL_LEQUAL: return r <= depth;
   case GL_GREATER: return r > depth;
   case GL_NOTEQUAL: return r != depth;
   case GL_GEQUAL: return r >= depth;
   default: return function == GL_ALWAYS;
   }
}

static GLuint
program_of(const struct lookup *lookup)
{
   static const char vertex[] = "varying float at; void main() { gl_Position = gl_Vertex; at = gl_Vertex.x * 0.5 + 0.5; }\n";

   return make_program(vertex, text_of(
      "uniform sampler1DShadow t1; uniform sampler2DShadow t2; uniform float r, q; varying float at;\n"
      "void main() { gl_FragColor = %s; }\n", lookup->call), NULL);
}

static void
check_row(const struct lookup *lookup, GLenum function, GLenum mode, float r)
{
   GLubyte pixels[DEPTHS][4];

   glClear(GL_COLOR_BUFFER_BIT);
   glRectf(-1, -1, 1, 1);
   glReadPixels(0, 0, DEPTHS, 1, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
   for (unsigned i = 0; i < DEPTHS; i++) {
      const GLubyte result = passes(function, r, depths[i] / 65535.0f) ? 255 : 0;
      const GLubyte rgb = mode == GL_ALPHA ? 0 : result, a = mode == GL_LUMINANCE ? 255 : result;
      const GLubyte *p = pixels[i];
      compared++;
      if (p[0] == rgb && p[1] == rgb && p[2] == rgb && p[3] == a)
         continue;
      if (wrong++ < 10)
         fprintf(stderr, "%s, function %04x, mode %04x: reference %g, depth %g: %u %u %u %u instead of %u %u %u %u\n",
                 lookup->name, function, mode, r, depths[i] / 65535.0, p[0], p[1], p[2], p[3], rgb, rgb, rgb, a);
   }
}

static void
check_lookup(const struct lookup *lookup)
{
   const GLuint program = program_of(lookup), texture = nearest_texture(lookup->target);

   if (lookup->target == GL_TEXTURE_1D)
      glTexImage1D(GL_TEXTURE_1D, 0, GL_DEPTH_COMPONENT16, DEPTHS, 0, GL_DEPTH_COMPONENT, GL_UNSIGNED_SHORT, depths);
   else
      glTexImage2D(GL_TEXTURE_2D, 0, GL_DEPTH_COMPONENT16, DEPTHS, 1, 0, GL_DEPTH_COMPONENT, GL_UNSIGNED_SHORT, depths);
   glTexParameteri(lookup->target, GL_TEXTURE_COMPARE_MODE, GL_COMPARE_R_TO_TEXTURE);
   glUseProgram(program);
   glUniform1f(glGetUniformLocation(program, "q"), 2);
   for (unsigned f = 0; f < COUNT(functions); f++) {
      glTexParameteri(lookup->target, GL_TEXTURE_COMPARE_FUNC, functions[f]);
      for (unsigned m = 0; m < COUNT(modes); m++) {
         glTexParameteri(lookup->target, GL_DEPTH_TEXTURE_MODE, modes[m]);
         for (unsigned r = 0; r < COUNT(references); r++) {
            glUniform1f(glGetUniformLocation(program, "r"), references[r]);
            check_row(lookup, functions[f], modes[m], references[r]);
         }
      }
   }
   glDeleteProgram(program);
   glDeleteTextures(1, &texture);
   CHECK(glGetError() == GL_NO_ERROR);
}

int
main(void)
{
   open_target(DEPTHS, 1, false);
   glClearColor(0.5f, 0.5f, 0.5f, 0.5f);
   for (unsigned l = 0; l < COUNT(lookups); l++)
      check_lookup(&lookups[l]);
   printf("%u of %u pixels differ\n", wrong, compared);
   return wrong != 0;
}
