/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * What a test with random scenes tells of a scene, on stderr, when it is asked to.
 */

#ifndef TESTS_GL_NOTES_H
#define TESTS_GL_NOTES_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

static bool verbose;

static inline void __attribute__((format(printf, 1, 2)))
note(const char *format, ...)
{
   va_list args;

   va_start(args, format);
   if (verbose)
      vfprintf(stderr, format, args);
   va_end(args);
}

#endif
