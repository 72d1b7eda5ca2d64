/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * tegra20-gles1 OUT.png: a picture with what OpenGL ES 1.1 has and OpenGL ES 2.0 has not: lights, materials, matrix
 * stacks, fog, alpha test, texture environments with two units, combiners, a clip plane, point sprites.
 */

#include <stdio.h>

#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GLES/gl.h>
#include <GLES/glext.h>

#include "image.h"

#define WIDTH 256
#define HEIGHT 192

static const GLfloat cube_positions[] = {
   -1, -1, 1,  1, -1, 1,  -1, 1, 1,   1, 1, 1,   /* front */
   1, -1, 1,   1, -1, -1, 1, 1, 1,    1, 1, -1,  /* right */
   -1, 1, 1,   1, 1, 1,   -1, 1, -1,  1, 1, -1,  /* top */
};
static const GLfloat cube_normals[] = {
   0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1, 0,
};
static const GLfloat cube_coords[] = {
   0, 0, 1, 0, 0, 1, 1, 1, 0, 0, 1, 0, 0, 1, 1, 1, 0, 0, 1, 0, 0, 1, 1, 1,
};
static const GLubyte cube_indices[] = {0, 1, 2, 2, 1, 3, 4, 5, 6, 6, 5, 7, 8, 9, 10, 10, 9, 11};

static bool
make_context(void)
{
   static const EGLint config_attributes[] = {EGL_SURFACE_TYPE, EGL_PBUFFER_BIT, EGL_RENDERABLE_TYPE, EGL_OPENGL_ES_BIT,
                                              EGL_RED_SIZE, 8, EGL_DEPTH_SIZE, 16, EGL_NONE};
   static const EGLint surface_attributes[] = {EGL_WIDTH, WIDTH, EGL_HEIGHT, HEIGHT, EGL_NONE};
   EGLDisplay display = eglGetPlatformDisplay(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, NULL);
   EGLConfig config;
   EGLint count;

   if (!eglInitialize(display, NULL, NULL) || !eglBindAPI(EGL_OPENGL_ES_API) ||
       !eglChooseConfig(display, config_attributes, &config, 1, &count) || count < 1)
      return false;
   EGLContext context = eglCreateContext(display, config, EGL_NO_CONTEXT, NULL);
   EGLSurface surface = eglCreatePbufferSurface(display, config, surface_attributes);
   return eglMakeCurrent(display, surface, surface, context);
}

/* 32 x 32 texels: a checkerboard of two colours, or a disc whose alpha is 1 inside */
static GLuint
make_texture(unsigned even, unsigned odd, bool disc)
{
   static GLubyte texels[32 * 32][4];
   GLuint texture;

   for (int y = 0; y < 32; y++) {
      for (int x = 0; x < 32; x++) {
         unsigned color = (x / 8 + y / 8) & 1 ? odd : even;
         int dx = 2 * x - 31, dy = 2 * y - 31;
         for (unsigned c = 0; c < 3; c++)
            texels[y * 32 + x][c] = color >> (16 - 8 * c);
         texels[y * 32 + x][3] = !disc || dx * dx + dy * dy < 900 ? 255 : 0;
      }
   }
   glGenTextures(1, &texture);
   glBindTexture(GL_TEXTURE_2D, texture);
   glTexParameteri(GL_TEXTURE_2D, GL_GENERATE_MIPMAP, GL_TRUE);
   glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, 32, 32, 0, GL_RGBA, GL_UNSIGNED_BYTE, texels);
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR_MIPMAP_NEAREST);
   return texture;
}

static void
draw_cube(void)
{
   glVertexPointer(3, GL_FLOAT, 0, cube_positions);
   glNormalPointer(GL_FLOAT, 0, cube_normals);
   glEnableClientState(GL_NORMAL_ARRAY);
   glDrawElements(GL_TRIANGLES, sizeof(cube_indices), GL_UNSIGNED_BYTE, cube_indices);
   glDisableClientState(GL_NORMAL_ARRAY);
}

static void
set_light(GLenum light, float x, float y, float z, float w, float r, float g, float b)
{
   const GLfloat position[] = {x, y, z, w}, color[] = {r, g, b, 1};
   glLightfv(light, GL_POSITION, position);
   glLightfv(light, GL_DIFFUSE, color);
   glLightfv(light, GL_SPECULAR, color);
   glEnable(light);
}

/* lit, textured, in fog */
static void
draw_lit(GLuint texture)
{
   static const GLfloat white[] = {1, 1, 1, 1};

   glEnable(GL_LIGHTING);
   glEnable(GL_NORMALIZE);
   set_light(GL_LIGHT0, 1, 2, 3, 0, 0.8f, 0.8f, 0.7f);
   set_light(GL_LIGHT1, -4, 1, -3, 1, 0.2f, 0.2f, 0.9f);
   glLightf(GL_LIGHT1, GL_LINEAR_ATTENUATION, 0.1f);
   glMaterialfv(GL_FRONT_AND_BACK, GL_SPECULAR, white);
   glMaterialf(GL_FRONT_AND_BACK, GL_SHININESS, 20);
   glLightModelf(GL_LIGHT_MODEL_TWO_SIDE, GL_TRUE);
   glEnable(GL_TEXTURE_2D);
   glBindTexture(GL_TEXTURE_2D, texture);
   glTexCoordPointer(2, GL_FLOAT, 0, cube_coords);
   glEnableClientState(GL_TEXTURE_COORD_ARRAY);
   for (int i = 0; i < 4; i++) {
      glPushMatrix();
      glTranslatef(-2.4f + 1.7f * i, -0.6f, -7.0f - 3.0f * i);
      glRotatef(30 + 25 * i, 0, -1, 0.1f);
      glScalef(0.8f, 0.8f, 0.8f);
      draw_cube();
      glPopMatrix();
   }
   glDisable(GL_LIGHTING);
}

/* two units, the second with a combiner; alpha test; a clip plane */
static void
draw_combined(GLuint first, GLuint second)
{
   static const GLfloat quad[] = {-1, -1, 1, -1, -1, 1, 1, 1}, coords[] = {0, 0, 2, 0, 0, 2, 2, 2};
   static const GLfloat plane[] = {-1, -1, 0, 1.2f}, constant[] = {0.9f, 0.6f, 0.3f, 0.5f};

   glDisable(GL_FOG);
   glPushMatrix();
   glTranslatef(-1.4f, 1.2f, -5);
   glClipPlanef(GL_CLIP_PLANE0, plane);
   glEnable(GL_CLIP_PLANE0);
   glEnable(GL_ALPHA_TEST);
   glAlphaFunc(GL_GREATER, 0.5f);
   glVertexPointer(2, GL_FLOAT, 0, quad);
   glTexCoordPointer(2, GL_FLOAT, 0, coords);
   glBindTexture(GL_TEXTURE_2D, first);
   glTexEnvi(GL_TEXTURE_ENV, GL_TEXTURE_ENV_MODE, GL_REPLACE);
   glActiveTexture(GL_TEXTURE1);
   glClientActiveTexture(GL_TEXTURE1);
   glEnable(GL_TEXTURE_2D);
   glBindTexture(GL_TEXTURE_2D, second);
   glTexCoordPointer(2, GL_FLOAT, 0, coords);
   glEnableClientState(GL_TEXTURE_COORD_ARRAY);
   glTexEnvi(GL_TEXTURE_ENV, GL_TEXTURE_ENV_MODE, GL_COMBINE);
   glTexEnvi(GL_TEXTURE_ENV, GL_COMBINE_RGB, GL_INTERPOLATE);
   glTexEnvi(GL_TEXTURE_ENV, GL_SRC2_RGB, GL_CONSTANT);
   glTexEnvi(GL_TEXTURE_ENV, GL_COMBINE_ALPHA, GL_REPLACE);
   glTexEnvi(GL_TEXTURE_ENV, GL_SRC0_ALPHA, GL_PREVIOUS);
   glTexEnvfv(GL_TEXTURE_ENV, GL_TEXTURE_ENV_COLOR, constant);
   glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
   glDisable(GL_TEXTURE_2D);
   glDisableClientState(GL_TEXTURE_COORD_ARRAY);
   glActiveTexture(GL_TEXTURE0);
   glClientActiveTexture(GL_TEXTURE0);
   glDisable(GL_CLIP_PLANE0);
   glDisable(GL_ALPHA_TEST);
   glPopMatrix();
}

/* point sprites, attenuated by distance, blended */
static void
draw_points(GLuint texture)
{
   static const GLfloat positions[] = {0.8f, 0.7f, -4, 1.4f, 0.9f, -5, 2.2f, 1.2f, -7, 3.5f, 1.8f, -10};
   static const GLubyte colors[] = {255, 80, 80, 200, 80, 255, 80, 200, 80, 80, 255, 200, 255, 255, 80, 200};
   static const GLfloat attenuation[] = {0, 0.0f, 0.03f};

   glBindTexture(GL_TEXTURE_2D, texture);
   glTexEnvi(GL_TEXTURE_ENV, GL_TEXTURE_ENV_MODE, GL_MODULATE);
   glTexEnvi(GL_POINT_SPRITE_OES, GL_COORD_REPLACE_OES, GL_TRUE);
   glEnable(GL_POINT_SPRITE_OES);
   glPointSize(24);
   glPointParameterfv(GL_POINT_DISTANCE_ATTENUATION, attenuation);
   glEnable(GL_BLEND);
   glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
   glVertexPointer(3, GL_FLOAT, 0, positions);
   glColorPointer(4, GL_UNSIGNED_BYTE, 0, colors);
   glEnableClientState(GL_COLOR_ARRAY);
   glDisableClientState(GL_TEXTURE_COORD_ARRAY);
   glDrawArrays(GL_POINTS, 0, 4);
}

int
main(int argc, char **argv)
{
   static GLubyte pixels[WIDTH * HEIGHT * 4];
   static const GLfloat fog[] = {0.3f, 0.4f, 0.5f, 1};

   if (argc != 2 || !make_context()) {
      fprintf(stderr, argc != 2 ? "Usage: tegra20-gles1 OUT.png\n" : "no OpenGL ES 1 context\n");
      return 2;
   }
   printf("%s, %s\n", (const char *)glGetString(GL_RENDERER), (const char *)glGetString(GL_VERSION));
   GLuint checks = make_texture(0xffffff, 0xc04020, false), disc = make_texture(0x40c040, 0xf0f0a0, true);

   glClearColor(fog[0], fog[1], fog[2], fog[3]);
   glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
   glEnable(GL_DEPTH_TEST);
   glMatrixMode(GL_PROJECTION);
   glFrustumf(-0.5f, 0.5f, -0.375f, 0.375f, 1, 40);
   glMatrixMode(GL_MODELVIEW);
   glEnableClientState(GL_VERTEX_ARRAY);
   glEnable(GL_FOG);
   glFogf(GL_FOG_MODE, GL_EXP2);
   glFogf(GL_FOG_DENSITY, 0.06f);
   glFogfv(GL_FOG_COLOR, fog);

   draw_lit(checks);
   draw_combined(disc, checks);
   draw_points(disc);

   glReadPixels(0, 0, WIDTH, HEIGHT, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
   if (glGetError() != GL_NO_ERROR) {
      fprintf(stderr, "OpenGL ES error\n");
      return 1;
   }
   return image_write(argv[1], WIDTH, HEIGHT, pixels, true) ? 0 : 1;
}
