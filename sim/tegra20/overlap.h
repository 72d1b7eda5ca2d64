/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Operations of the engines that are under way while the stream goes on
 * (sim_options.adversary).  NULL stands for a chip that finishes each at
 * once, everywhere.
 */

#ifndef SIM_OVERLAP_H
#define SIM_OVERLAP_H

#include <stdbool.h>
#include <stdint.h>

struct sim;
struct sim_overlap;

struct sim_overlap *
sim_overlap_create(struct sim *sim);
void
sim_overlap_destroy(struct sim_overlap *o);

/* Around a draw. */
void
sim_overlap_before_draw(struct sim_overlap *o);
void
sim_overlap_after_draw(struct sim_overlap *o);
/* A register of GR3D was written. */
void
sim_overlap_wrote(struct sim_overlap *o, uint32_t offset);

/* Around an operation of GR2D, which this register write starts. */
void
sim_overlap_before_operation(struct sim_overlap *o);
void
sim_overlap_after_operation(struct sim_overlap *o, uint32_t class_id,
                            uint32_t offset);

/* The stream raises a sync point to this value when all operations are over.
 */
void
sim_overlap_asked(struct sim_overlap *o, uint32_t syncpt, uint32_t value);
/* The stream waits until a sync point has this value. */
void
sim_overlap_waited(struct sim_overlap *o, uint32_t syncpt,
                   uint32_t threshold);
void
sim_overlap_job_end(struct sim_overlap *o, bool overlaps);

#endif
