/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Better code for fragment programs that are drawn again and again.
 *
 * A good schedule takes long to find: up to some tenths of a second for a
 * large program, and more on the CPU that the chip comes with.  So a program
 * begins as a draft (TEGRA20_EFFORT_DRAFT), which is made in a fraction of
 * the time.  When it has cost the engine TEGRA20_DRAFT_CYCLES, a thread of the
 * screen looks for the best code, and the first flush after that exchanges the
 * two.  Both compute the same but for the last bit: values that a packet reads
 * from the packet before it are not rounded to a register
 * (fragment-pipeline.md 2.4), and the choice of these depends on the schedule.
 * The best code is kept on disk (tegra20_cache.h), so the next process begins
 * with it.
 *
 * A program that does not fit at once is drawn in parts, whose first drafts
 * are the schedules found while cutting.  When all of them together have cost
 * as much, the thread looks for a schedule of the whole, for as long as it
 * takes; with less accuracy only, it stays in parts.  Each part gets its best
 * code as other programs do.
 *
 * The thread begins with the program that has cost the engine most cycles,
 * and all searches of a process together get TEGRA20_SEARCH_SECONDS.  Nothing
 * that the application calls waits for it.
 *
 * With TEGRA20_DEBUG=sync the flush looks for the code itself, so that it is
 * always the same one that exchanges.
 *
 * TEGRA20_DEBUG=best and shaderdb disable drafts.  Listening to messages does
 * not: X servers listen to errors, and their users would wait seconds for a
 * gradient.
 */

#ifndef TEGRA20_IMPROVE_H
#define TEGRA20_IMPROVE_H

struct tegra20_context;
struct tegra20_fs_variant;

/* So many cycles of drafts, as tegra20_cost.h estimates them, are some 3 s of
 * the engine; best code saves about a tenth.  A search takes tenths of a second
 * on a desktop and seconds on the chip, so it is for programs that draw a good
 * part of a hundred frames: 800 x 600 pixels of 20 cycles are 10 million. */
#define TEGRA20_DRAFT_CYCLES 1000000000

/* CPU time for the searches of a process, on the CPU that it runs on: on the
 * Cortex-A9 of the chip a large program may take 10 s. */
#define TEGRA20_SEARCH_SECONDS 60

/* A draft will be drawn with another area or after another program: may begin
 * the search for its best code. */
void
tegra20_improve_note_draft(struct tegra20_context *ctx,
                           struct tegra20_fs_variant *variant);

/* Takes over the results.  No pass of a plan may be in use. */
void
tegra20_improve_finish(struct tegra20_context *ctx);

#endif
