/*
 * SPDX-License-Identifier: MIT
 *
 * Numbers of the simulator's diagnostics.  A number never changes its meaning; docs/simulator.md describes each.
 */

#ifndef SIM_DIAG_H
#define SIM_DIAG_H

enum sim_diag_number {
   SIM_DIAG_NONE = 0,
   /* 1xx host1x, 2xx register state, 3xx vertex, 4xx set-up and raster, 5xx fragment programs, 6xx textures,
    * 7xx surfaces and memory, 8xx GR2D */
};

const char *sim_diag_name(unsigned number);

#endif
