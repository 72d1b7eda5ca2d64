/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * State that adds constants to a program after it was first used: clip planes, texture matrices, fog, sizes and attenuation of
 * points, the reference of the alpha test, generated coordinates, lights.  A scene draws, changes one or two of these, draws
 * again, and so on, with fixed functions, GLSL with and without gl_ClipVertex, and an assembly program; each draw has a cell of
 * the target, which is read once at the end or after every draw.  Prints a line per scene, its pixels; near_pictures.py runs it
 * on the simulated chip and on softpipe.  Point sprites are not among it: with them softpipe looks up 0 in later polygons, where
 * llvmpipe draws what the chip draws.
 *
 * Usage: test_late_states [FIRST COUNT]   with them each scene's state goes to stderr
 */

#include "opengl.h"

#define CELLS  4 /* in a row, and rows */
#define CELL   16
#define SIZE   (CELLS * CELL)
#define SCENES 60

/* --- programs --- */

enum { FIXED, CLIP_VERTEX, POSITION, ASSEMBLY, PROGRAMS };

static const char *const sources[PROGRAMS] = {
   [CLIP_VERTEX] = "void main() { gl_Position = ftransform(); gl_ClipVertex = gl_ModelViewMatrix * gl_Vertex;\n"
                   "   gl_FrontColor = gl_Color; gl_FogFragCoord = abs(gl_Vertex.z);\n"
                   "   gl_TexCoord[0] = gl_TextureMatrix[0] * gl_MultiTexCoord0; }\n",
   [POSITION] = "void main() { gl_Position = ftransform(); gl_FrontColor = gl_Color; gl_FogFragCoord = abs(gl_Vertex.x);\n"
                "   gl_TexCoord[0] = gl_TextureMatrix[0] * gl_MultiTexCoord0; }\n",
   [ASSEMBLY] = "!!ARBvp1.0\nOPTION ARB_position_invariant;\nMOV result.color, vertex.color;\n"
                "MOV result.texcoord[0], vertex.texcoord[0];\nMOV result.fogcoord.x, vertex.position.x;\nEND\n",
};

static GLuint programs[PROGRAMS];

static void
make_programs(void)
{
   programs[CLIP_VERTEX] = make_program(sources[CLIP_VERTEX], NULL, NULL);
   programs[POSITION] = make_program(sources[POSITION], NULL, NULL);
   glGenProgramsARB(1, &programs[ASSEMBLY]);
   glBindProgramARB(GL_VERTEX_PROGRAM_ARB, programs[ASSEMBLY]);
   glProgramStringARB(GL_VERTEX_PROGRAM_ARB, GL_PROGRAM_FORMAT_ASCII_ARB, strlen(sources[ASSEMBLY]), sources[ASSEMBLY]);
}

static void
use_program(unsigned which)
{
   glUseProgram(which == CLIP_VERTEX || which == POSITION ? programs[which] : 0);
   (which == ASSEMBLY ? glEnable : glDisable)(GL_VERTEX_PROGRAM_ARB);
   note(" program %u", which);
}

/* --- state --- */

static void
switch_state(GLenum state)
{
   (one_in(3) ? glDisable : glEnable)(state);
}

static void
set_plane(void)
{
   const unsigned plane = random_below(6);
   /* edges where no pixel's middle lies */
   const GLdouble angle = random_below(4), offset = between(-0.5f, 0.5f) + 0.013;
   const GLdouble equation[4] = {angle == 0 ? 1 : angle == 1 ? -1 : 0, angle == 2 ? 1 : angle == 3 ? -1 : 0, 0, offset};

   note(" plane %u", plane);
   glClipPlane(GL_CLIP_PLANE0 + plane, equation);
   switch_state(GL_CLIP_PLANE0 + plane);
}

static void
set_texture_matrix(void)
{
   note(" texture matrix");
   glMatrixMode(GL_TEXTURE);
   glLoadIdentity();
   if (!one_in(4)) {
      glTranslatef(between(-1, 1), between(-1, 1), 0);
      glScalef(between(0.5f, 2), between(0.5f, 2), 1);
   }
   glMatrixMode(GL_MODELVIEW);
   switch_state(GL_TEXTURE_2D);
}

static void
set_fog(void)
{
   static const GLenum modes[] = {GL_LINEAR, GL_EXP, GL_EXP2};
   const GLfloat color[4] = {between(0, 1), between(0, 1), between(0, 1), 1};

   note(" fog");
   glFogi(GL_FOG_MODE, modes[random_below(3)]);
   glFogf(GL_FOG_DENSITY, between(0.1f, 1));
   glFogf(GL_FOG_START, between(0, 0.5f));
   glFogf(GL_FOG_END, between(0.6f, 2));
   glFogfv(GL_FOG_COLOR, color);
   switch_state(GL_FOG);
}

static void
set_alpha_test(void)
{
   static const GLenum functions[] = {GL_LESS, GL_GREATER, GL_GEQUAL, GL_NOTEQUAL};

   const GLenum function = functions[random_below(4)];
   const float reference = between(0.2f, 0.8f);

   note(" alpha test %x %g", function, reference);
   glAlphaFunc(function, reference);
   switch_state(GL_ALPHA_TEST);
}

static void
set_points(void)
{
   /* sizes are 1 or 2 times as large, whole numbers */
   const GLfloat attenuation[3] = {one_in(2) ? 1 : 0.25f, 0, 0};

   note(" points");
   glPointSize(1 + 2 * random_below(4));
   glPointParameterfv(GL_POINT_DISTANCE_ATTENUATION, attenuation);
}

static void
set_texgen(void)
{
   const GLfloat plane[4] = {between(-1, 1), between(-1, 1), 0, between(-1, 1)};

   note(" texgen");
   glTexGeni(GL_S, GL_TEXTURE_GEN_MODE, GL_OBJECT_LINEAR);
   glTexGenfv(GL_S, GL_OBJECT_PLANE, plane);
   switch_state(GL_TEXTURE_GEN_S);
}

static void
set_light(void)
{
   const GLfloat ambient[4] = {between(0, 1), between(0, 1), between(0, 1), 1};

   note(" light");
   glLightModelfv(GL_LIGHT_MODEL_AMBIENT, ambient);
   switch_state(GL_LIGHTING);
}

static void
set_matrix(void)
{
   note(" matrix");
   glLoadIdentity();
   glTranslatef(between(-0.3f, 0.3f), between(-0.3f, 0.3f), 0);
}

static void (*const changes[])(void) = {set_plane,  set_plane,  set_texture_matrix, set_fog,   set_alpha_test,
                                        set_points, set_texgen, set_light,          set_matrix};

/* --- scenes --- */

static void
make_texture(void)
{
   GLubyte texels[16 * 16 * 4];

   for (unsigned i = 0; i < sizeof(texels); i++)
      texels[i] = 128 + 100 * ((i / 4 % 16 < 8) ^ (i / 64 < 8)) * (i % 4 != 1);
   glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, 16, 16, 0, GL_RGBA, GL_UNSIGNED_BYTE, texels);
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
}

static void
draw(void)
{
   const bool points = one_in(5);

   glBegin(points ? GL_POINTS : GL_TRIANGLE_STRIP);
   for (unsigned i = 0; i < 4; i++) {
      const float x = i & 1 ? 0.81f : -0.79f, y = i & 2 ? 0.83f : -0.77f;
      glColor4f(between(0, 1), between(0, 1), between(0, 1), between(0.3f, 1));
      glTexCoord2f(x, y);
      glVertex3f(points ? x / 2 : x, points ? y / 2 : y, -0.5f);
   }
   glEnd();
}

static void
draw_scene(unsigned number)
{
   GLubyte pixel[4];

   const bool reads = one_in(3), same_program = one_in(2);
   note("scene %u:", number);
   glClearColor(0.2f, 0.3f, 0.4f, 1);
   glClear(GL_COLOR_BUFFER_BIT);
   make_programs();
   make_texture();
   use_program(random_below(PROGRAMS));
   for (unsigned i = 0; i < CELLS * CELLS; i++) {
      glViewport(i % CELLS * CELL, i / CELLS * CELL, CELL, CELL);
      if (!same_program && one_in(3))
         use_program(random_below(PROGRAMS));
      draw();
      if (reads)
         glReadPixels(0, 0, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, pixel);
      for (unsigned k = 0; k <= random_below(2); k++)
         changes[random_below(COUNT(changes))]();
   }
   note("\n");
}

int
main(int argc, char **argv)
{
   return print_scenes(argc, argv, SCENES, SIZE, draw_scene);
}
