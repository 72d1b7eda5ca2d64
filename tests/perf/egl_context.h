/*
 * SPDX-License-Identifier: MIT
 *
 * A current OpenGL context without a window: EGL surfaceless, with a framebuffer object to draw to.
 */

#ifndef EGL_CONTEXT_H
#define EGL_CONTEXT_H

#include <stdbool.h>

/* Makes an OpenGL ES 2.0 (es) or OpenGL 2.1 context current.  False after a message on stderr. */
bool perf_context_create(bool es);
/* Binds a width x height RGBA8 target with a 16-bit depth buffer.  Functions are looked up for both APIs alike. */
void perf_target_create(unsigned width, unsigned height);
/* CPU time of this process in seconds, all threads. */
double perf_cpu_time(void);

#endif
