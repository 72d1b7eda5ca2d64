/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Capabilities that the driver reports to the state tracker, apart from
 * formats: limits and features of the screen and of the two shader stages.
 * None of it depends on a device, so the offline compiler asks the same
 * questions.
 */

#ifndef TEGRA20_CAPS_H
#define TEGRA20_CAPS_H

struct pipe_screen;

/* Fills screen->caps and sets get_shader_param, get_compute_param and
 * get_compiler_options. */
void
tegra20_screen_init_caps(struct pipe_screen *screen);

/* Largest side of a texture or render target, texels (assumption A67). */
#define TEGRA20_MAX_TEXTURE_SIZE 2048
#define TEGRA20_MAX_TEXTURE_LEVELS 12

/* Texture image units of OpenGL: those of the chip. */
#define TEGRA20_MAX_IMAGE_UNITS 16

/* The chip has no limit of its own, since packets hold constants.  This is
 * the vertex stage's limit, which desktop programs ask for. */
#define TEGRA20_MAX_FRAGMENT_UNIFORM_VECTORS 256

/* Buffers of the state tracker's uploader and immediate mode: 64 KiB with
 * their padding (TEGRA20_STREAM_BYTES). */
#define TEGRA20_STREAM_SIZE (60 * 1024)

#endif
