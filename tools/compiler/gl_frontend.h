/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * The real GL front end (Mesa's GLSL compiler, linker and state tracker) on a
 * screen without a device: it hands over exactly the NIR that the driver sees
 * for the same program.
 */

#ifndef GL_FRONTEND_H
#define GL_FRONTEND_H

#include <stdbool.h>

#include "compiler/nir/nir.h"

#include "shader_test.h"

struct gl_frontend;

/*
 * Called for each shader that the state tracker would give to the driver, in
 * its final form.  Returns NULL, or the reason (malloc'ed) for which linking
 * is to fail.
 */
typedef char *(*gl_frontend_shader_fn)(void *data, nir_shader *nir);

/* es selects an OpenGL ES 2.0 context, else OpenGL 2.1 (compatibility).  NULL
 * with a message on stderr. */
struct gl_frontend *
gl_frontend_create(bool es, gl_frontend_shader_fn fn, void *data);
void
gl_frontend_destroy(struct gl_frontend *fe);

/* Compiles and links one program.  On failure *log (malloc'ed) is the front
 * end's info log. */
bool
gl_frontend_link(struct gl_frontend *fe, const struct shader_test *test,
                 char **log);

#endif
