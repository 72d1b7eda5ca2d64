/*
 * SPDX-License-Identifier: MIT
 *
 * Strict mode: what a fragment program and the state around it do that is undefined, hazardous or unproven.
 */

#include "fragment.h"

void
fs_check_draw(struct gr3d_fragment_state *fs, const struct fs_program *program)
{
}
