/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Meshes, textures and matrices of the demo scene.
 */

#ifndef DEMO_GEOMETRY_H
#define DEMO_GEOMETRY_H

#include <GLES2/gl2.h>

/* Interleaved: position xyz, normal xyz, texture coordinate st; all float32. */
#define VERTEX_FLOATS 8

struct mesh {
   GLuint vertices, indices;
   GLsizei count; /* indices, 16 bits each, triangles */
};

struct mesh mesh_cube(void);
struct mesh mesh_ground(float half_size, float repeats);
struct mesh mesh_quad(void); /* -1..1 in x and y, facing +z */
struct mesh mesh_torus(float radius, float tube, unsigned rings, unsigned sides);
void mesh_draw(const struct mesh *mesh, GLint position, GLint normal, GLint texcoord);

GLuint texture_tiles(unsigned size);                        /* power of two, mipmapped, repeating */
GLuint texture_crate(unsigned width, unsigned height);      /* any size, clamped, linear */

/* Column-major 4x4 matrices, as GL takes them. */
void mat_identity(float *m);
void mat_mul(float *out, const float *a, const float *b); /* out may not alias */
void mat_translate(float *m, float x, float y, float z);  /* m = m * T */
void mat_rotate(float *m, float radians, float x, float y, float z);
void mat_scale(float *m, float x, float y, float z);
void mat_perspective(float *m, float fovy, float aspect, float near_z, float far_z);

#endif
