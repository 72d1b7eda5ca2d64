/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 */

#ifndef TEGRA20_SCREEN_H
#define TEGRA20_SCREEN_H

#include "pipe/p_screen.h"
#include "util/list.h"
#include "util/simple_mtx.h"
#include "util/slab.h"

#include "tegra20_compiler.h"

struct tegra20_winsys;

struct tegra20_screen {
   struct pipe_screen base;
   struct tegra20_winsys *ws;
   const struct tegra20_chip_info *chip;
   int fd; /* ours; the key under which the screen is found again */
   struct slab_parent_pool transfer_pool;

   /* Counts (atomically) how often resources got other memory, those that are
    * textures in the upper half: bound state must be sent again. */
   uint64_t storage_generation;
   unsigned refused; /* buffers that there was no memory for (p_atomic) */
   unsigned refused_streams; /* those for a draw of the state tracker, which
                                then does not come (p_atomic) */

   simple_mtx_t copies_mutex; /* the copies of all textures
                                 (tegra20_sampler_copy.h), and the contexts */
   struct list_head contexts;

   struct tegra20_compiler_options compiler; /* of all its programs */

   uint64_t next_id;    /* source of numbers that are never used again */
   unsigned next_batch; /* see struct tegra20_context */
};

static inline struct tegra20_screen *
tegra20_screen(struct pipe_screen *screen)
{
   return (struct tegra20_screen *)screen;
}

void
tegra20_fence_screen_init(struct tegra20_screen *screen);
void
tegra20_query_screen_init(struct tegra20_screen *screen);

#endif
