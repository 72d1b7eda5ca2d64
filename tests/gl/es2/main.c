/*
 * SPDX-License-Identifier: MIT
 */

#include "families.h"

int
main(int argc, char **argv)
{
   const struct grid_family families[] = {
      family_operators, family_swizzles, family_conversions, family_builtins,
      family_loops, family_control, family_discard, family_indexing,
   };
   return grid_main(argc, argv, families, ARRAY_SIZE(families));
}
