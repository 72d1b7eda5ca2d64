/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Shared by the files that make plans (tegra20_multipass.c), test fragments
 * (tegra20_fragment_tests.c) and draw plans (tegra20_plan_draw.c).
 */

#ifndef TEGRA20_MULTIPASS_H
#define TEGRA20_MULTIPASS_H

#include "tegra20_pass.h"

/* Scratch images. */
enum tegra20_scratch_use {
   TEGRA20_IMAGE_SOURCE,
   TEGRA20_IMAGE_COVERAGE,
   TEGRA20_IMAGE_DEPTH,
   TEGRA20_IMAGE_VALUES, /* and the following ones */
};

/* Does the application's depth test do anything? */
bool
tegra20_has_depth(const struct tegra20_context *ctx);

/* Does the application's stencil test do anything? */
bool
tegra20_has_stencil(const struct tegra20_context *ctx);

/* TEGRA20_ACTION_TEST_STENCIL: leaves marks where the application's stencil
 * test passes, all with the first number.  False when memory is missing, as
 * with the functions below. */
bool
tegra20_test_stencil(struct tegra20_context *ctx,
                     const struct tegra20_pass *pass);

/* TEGRA20_ACTION_TEST_FRAGMENTS: tests the fragments of the depth image,
 * writes depth and stencil, and marks those that pass. */
bool
tegra20_test_fragments(struct tegra20_context *ctx,
                       const struct tegra20_pass *pass);

/* TEGRA20_ACTION_TEST_CAPTURED: makes both tests with the captured depth at
 * the marks of both faces, writes depth and stencil, and leaves the first
 * number where they pass. */
bool
tegra20_test_captured(struct tegra20_context *ctx,
                      const struct tegra20_pass *pass);

/* Does a pixel of the draw area have the flag? */
bool
tegra20_any_active(struct tegra20_context *ctx,
                   const struct pipe_surface *flags, bool *active);

#endif
