/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * PNG files of 8-bit RGBA pixels.
 */

#ifndef TEST_IMAGE_H
#define TEST_IMAGE_H

#include <stdbool.h>

/* flip: the first row of pixels is the bottom one, as glReadPixels delivers it.  False after a message on stderr. */
bool image_write(const char *path, unsigned width, unsigned height, const unsigned char *rgba, bool flip);
/* Returns malloc'ed pixels, first row on top, or NULL after a message on stderr. */
unsigned char *image_read(const char *path, unsigned *width, unsigned *height);

#endif
