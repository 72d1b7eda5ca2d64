/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * A current OpenGL context without a window: EGL surfaceless, with a framebuffer object to draw to.
 */

#ifndef TEST_EGL_CONTEXT_H
#define TEST_EGL_CONTEXT_H

#include <stdbool.h>

/* Makes an OpenGL ES 2.0 (es) or OpenGL 2.1 context current.  False after a message on stderr. */
bool test_context_create(bool es);
/* Makes another OpenGL ES 2.0 context current, with a surface that has 8 bits of each colour, depth and stencil. */
bool test_surface_create(unsigned width, unsigned height);
void test_context_destroy(void);
/* Binds a width x height RGBA8 target with a 16-bit depth buffer.  Functions are looked up for both APIs alike. */
void test_target_create(unsigned width, unsigned height);
/* A program of two shaders with the attribute "position" at location 0; 0 after a message on stderr. */
unsigned test_program_create(const char *vertex, const char *fragment);
/* CPU time of this process in seconds, all threads. */
double test_cpu_time(void);

#endif
