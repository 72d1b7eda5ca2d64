/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * One piece of GLSL in either stage.  The piece sees four inputs and sets "res", whose useful range is 0..1:
 *
 *   in0  vec4, 0..1      in1  vec4, -1..1     in2  vec4, -2..2     in3  vec4, 0.25..2
 *
 * and the uniforms of SHADER_UNIFORMS below.
 */

#ifndef TESTS_GL_ES2_SHADER_CASE_H
#define TESTS_GL_ES2_SHADER_CASE_H

#include "grid.h"

enum shader_flags {
   SHADER_VERTEX = 1,
   SHADER_FRAGMENT = 2,
   SHADER_BOTH = 3,
   SHADER_OPTIONAL = 4, /* GLSL ES 1.00 appendix A allows an implementation to refuse it, in fragment programs */
   SHADER_SMOOTH = 8,   /* no discontinuities: every pixel counts */
   SHADER_HALVES = 16,  /* the optional rule holds for both stages */
};

struct shader_case {
   const char *name;
   const char *declarations; /* or NULL */
   const char *body;
   unsigned flags; /* enum shader_flags; 0 is SHADER_BOTH */
};

enum shader_precision { LOWP, MEDIUMP, HIGHP };
extern const char *const shader_precision_name[3];

/* Sets up mesh, target and textures.  Call before any case of a family. */
void shader_begin(void);
void shader_end(void);
/* Runs one case named GROUP/NAME_vertex and _fragment. */
void shader_run(const char *group, const struct shader_case *c, enum shader_precision precision);
void shader_run_table(const char *group, const struct shader_case *cases, unsigned count);
/* Draws the mesh with a complete program and compares.  No program: refused with grid_log. */
void shader_draw(GLuint program, unsigned flags, unsigned channel);

#define SHADER_UNIFORMS                                                                                                \
   "uniform int ui_zero, ui_one, ui_two, ui_three, ui_four, ui_five;\n"                                               \
   "uniform bool ub_true, ub_false;\n"                                                                                \
   "uniform float uf_zero, uf_one, uf_half, uf_third, uf_fourth;\n"                                                    \
   "uniform vec4 u_vec;\n"                                                                                             \
   "uniform vec4 u_array[4];\n"                                                                                        \
   "uniform float u_floats[4];\n"                                                                                      \
   "uniform mat2 u_mat2;\nuniform mat3 u_mat3;\nuniform mat4 u_mat4;\n"                                               \
   "uniform ivec4 u_ivec;\nuniform bvec4 u_bvec;\n"                                                                    \
   "uniform sampler2D tex2d;\nuniform samplerCube texcube;\n"

void shader_set_uniforms(GLuint program);

#endif
