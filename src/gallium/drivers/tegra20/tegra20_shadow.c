/*
 * SPDX-License-Identifier: MIT
 */

#include "tegra20_shadow.h"

#include "tegra20_resource.h"

void
tegra20_shadow_destroy(struct tegra20_resource *res)
{
}
