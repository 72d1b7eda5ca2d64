/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Texels of the formats that util/format does not have, for C and C++.
 */

#ifndef A4XX_TEX_FORMAT_H
#define A4XX_TEX_FORMAT_H

#include <stdint.h>

#include "util/format/u_formats.h"

/* Texel (x, y) of the block at src: four floats, or integers. */
typedef void (*tex_fetch_function)(void *color, const uint8_t *src,
                                   unsigned x, unsigned y);

tex_fetch_function
tex_etc2_function(enum pipe_format format);
tex_fetch_function
tex_astc_function(enum pipe_format format);

#endif
