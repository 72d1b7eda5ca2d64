/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Input files of the offline compiler: GLSL files (.vert, .frag) and piglit's
 * .shader_test files.
 */

#ifndef SHADER_TEST_H
#define SHADER_TEST_H

#include <stdbool.h>

enum source_stage {
   SOURCE_VERTEX,
   SOURCE_FRAGMENT,
   SOURCE_NUM_STAGES,
};

struct shader_source {
   enum source_stage stage;
   char *text;
};

struct shader_test {
   const char *path;
   bool es;               /* GLSL ES (1.00) instead of GLSL */
   unsigned glsl_version; /* 100 * major + minor * 10 of [require], 110 when
                             absent */
   bool has_require;      /* [require] names a GLSL version */
   char *unsupported;     /* why this driver's class cannot run it (stage,
                             extension, version), or NULL */
   bool fixed_vertex;     /* no vertex shader in the file: fixed function or
                             passthrough feeds the fragment shader */
   unsigned num_sources;
   struct shader_source sources[32];
};

/*
 * Reads one file, or two (a .vert and a .frag that belong together are given
 * as one program by the caller calling shader_test_add()).  Returns false and
 * sets *error (malloc'ed, "file:line: reason") when it cannot be read.
 */
bool
shader_test_read(struct shader_test *test, const char *path, char **error);
bool
shader_test_add(struct shader_test *test, const char *path, char **error);
void
shader_test_free(struct shader_test *test);

#endif
