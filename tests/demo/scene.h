/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * The demo scene: lit, textured, depth-tested and blended moving objects, plain OpenGL ES 2.0.
 */

#ifndef DEMO_SCENE_H
#define DEMO_SCENE_H

struct scene;

/* Needs a current ES 2.0 context.  NULL after a message when a shader does not build. */
struct scene *scene_create(void);
void scene_destroy(struct scene *scene);

/* Draws the state at time (seconds) to the current framebuffer. */
void scene_draw(struct scene *scene, unsigned width, unsigned height, float time);

#endif
