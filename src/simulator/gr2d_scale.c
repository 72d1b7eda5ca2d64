/*
 * SPDX-License-Identifier: MIT
 *
 * GR2D: stretch blit and fast rotate (surfaces-and-textures.md 9.3, 9.4, 9.7).
 */

#include "gr2d.h"
#include "tegra20/gr2d_regs.h"

void
gr2d_stretch_blit(struct gr2d *gr2d)
{
   sim_report(gr2d->sim, SIM_DIAG_G2_OPERATION, GR2D_CMDSEL, -1, "stretch blits are not simulated yet");
}

void
gr2d_fast_rotate(struct gr2d *gr2d)
{
   sim_report(gr2d->sim, SIM_DIAG_G2_OPERATION, GR2D_CONTROLSECOND, -1, "fast rotate is not simulated yet");
}
