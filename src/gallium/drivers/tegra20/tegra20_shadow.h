/*
 * SPDX-License-Identifier: MIT
 *
 * Copies of textures in a layout that the texture unit can sample, for resources that it cannot sample directly.
 */

#ifndef TEGRA20_SHADOW_H
#define TEGRA20_SHADOW_H

struct tegra20_resource;

void tegra20_shadow_destroy(struct tegra20_resource *res);

#endif
