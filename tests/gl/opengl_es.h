/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Tests of OpenGL ES 2.0.
 */

#ifndef TESTS_GL_OPENGL_ES_H
#define TESTS_GL_OPENGL_ES_H

#define GL_GLEXT_PROTOTYPES
#include <GLES2/gl2.h>
#include <GLES2/gl2ext.h>

#define TEST_API EGL_OPENGL_ES_API

#include "harness.h"

#endif
