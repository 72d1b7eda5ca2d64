/*
 * SPDX-License-Identifier: MIT
 *
 * Strict mode: what can be said about a draw before it runs.
 */

#include "vertex.h"

void
gr3d_check_draw(struct gr3d *gr3d)
{
   (void)gr3d;
}
