/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * What cases about framebuffers and textures have in common: a target to show results in, programs and small scenes.
 */

#ifndef TESTS_GL_ES2_SCENE_H
#define TESTS_GL_ES2_SCENE_H

#include "grid.h"

#define SCENE_SIZE 64

/* Between scene_begin() and scene_end(); SCENE_SIZE in both directions, with depth and stencil. */
extern struct grid_target scene_target;
void scene_begin(void);
void scene_end(void);
/* Binds the target and its viewport again. */
void scene_show(void);

/* A rectangle of a colour to which a fifth of its coordinates is added. */
void scene_flat(float x0, float y0, float x1, float y1, float z, float r, float g, float b, float a);
/* The whole texture on a rectangle; the coordinate 0..1 of a cube's face. */
void scene_textured(GLuint texture, float x0, float y0, float x1, float y1);
void scene_cube_face(GLuint texture, unsigned face);
/* Clears and draws with blending and masks, with the depth and stencil tests as far as asked for. */
void scene_draw(bool depth, bool stencil);

/* A texture of all levels or one, and of all faces, without pixels; bound to where. */
GLuint scene_texture(GLenum where, GLenum format, GLenum type, unsigned width, unsigned height, bool mips);
/* A framebuffer with one image of colour, a texture or, where type is 0, a renderbuffer; bound, with its viewport. */
struct scene_image {
   GLuint framebuffer, texture, buffer;
};
struct scene_image scene_image_create(GLenum format, GLenum type, unsigned width, unsigned height);
/* The target is bound again. */
void scene_image_destroy(const struct scene_image *image);
/* A renderbuffer that is attached to the bound framebuffer. */
GLuint scene_renderbuffer(GLenum format, GLenum attachment, unsigned width, unsigned height);
/*
 * Between lookup_begin() and lookup_end() (textures.c): the bound texture over a target of SCENE_SIZE in both directions, with a
 * bias; of a cube the face, seen as far as the extent, where 1 is all of it.
 */
void lookup_begin(void);
void lookup_end(void);
void lookup_2d(float s0, float t0, float s1, float t1, float bias);
void lookup_face(unsigned face, float extent, float bias);

/* Tests, blending, masks, culling and scissor at random (fragops.c). */
void scene_random_state(void);
void scene_reset_state(void);
bool scene_extension(const char *name);

#endif
