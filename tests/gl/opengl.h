/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Tests of OpenGL 2.1.
 */

#ifndef TESTS_GL_OPENGL_H
#define TESTS_GL_OPENGL_H

#define GL_GLEXT_PROTOTYPES
#include <GL/gl.h>
#include <GL/glext.h>

#define TEST_API EGL_OPENGL_API

#include "harness.h"

#endif
