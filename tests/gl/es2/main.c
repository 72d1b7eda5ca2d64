/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 */

#include "families.h"

int
main(int argc, char **argv)
{
#define FAMILY(NAME) family_##NAME,
   const struct grid_family families[] = { FAMILIES(FAMILY) };
   return grid_main(argc, argv, families, ARRAY_SIZE(families));
}
