/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Runs a fragment program over one block (fragment-pipeline.md 1.1, 1.3, 12):
 * batch by batch; in a batch first fetch, MFU and lookup of every row, then
 * the packets of every row in EXEC order, then the stores.
 *
 * A register written by a packet becomes visible to the packet after the next
 * (3.5).  Writes that the next packet of the batch does not read are
 * committed at once: nobody can tell the difference.
 */

#include <stddef.h>

#include "fragment.h"

/* Does what a program leaves undefined have values that it cannot want? */
static bool
poisons(const struct sim_fs_worker *worker)
{
   const struct sim_options *options = &worker->fs->sim->options;
   return options->strict && !options->proven;
}

static void
prepare(struct sim_fs_worker *worker, const struct sim_fs_program *program)
{
   struct sim_fs_block *block = &worker->block;
   unsigned n = block->n;
   /* Assumption A45: rows hold garbage.  Outside strict mode it is zero. */
   for (unsigned r = 0; program->undefined >> r; r++) {
      if (!(program->undefined >> r & 1))
         continue;
      if (poisons(worker))
         memcpy(block->raw[r], block->raw[SIM_FS_RAW_POISON],
                n * sizeof(uint32_t));
      else
         memset(block->raw[r], 0, n * sizeof(uint32_t));
   }
   if (program->conditions)
      memset(block->cond, 0, sizeof(block->cond));
   if (program->uses_face) {
      /* Assumption A50. */
      uint32_t back =
         sim_switch(worker->fs->sim, 50) ? 0 : SIM_FP20_ONE | 0x80000u;
      uint32_t face = block->prim->front ? SIM_FP20_ONE : back;
      for (unsigned i = 0; i < n; i++)
         block->raw[SIM_FS_RAW_FACE][i] = face;
   }
   for (unsigned g = 0; g < 8 && program->uses_globals; g++)
      memcpy(block->raw[SIM_FS_RAW_GLOBAL + g], block->raw[0],
             n * sizeof(uint32_t));
   if (program->uses_position) {
      const float origin = worker->fs->switches.plain_position
                              ? 0.0f
                              : 8192.0f; /* assumption A51 */
      for (unsigned i = 0; i < n; i++) {
         unsigned s = i / SIM_FS_STRIP_LANES;
         block->raw[SIM_FS_RAW_POSX][i] =
            sim_fp20_from_float(origin + (float)(block->x[s] + (int)(i & 7)));
         block->raw[SIM_FS_RAW_POSY][i] = sim_fp20_from_float(
            origin + (float)(block->y[s] + (int)(i >> 3 & 1)));
      }
   }
   block->weights_ready = false;
   if (program->interpolates && !program->plain_weights) {
      sim_fs_barycentric(worker);
      /* A program without the set-up of 4.3 finds no weights: not those of
       * another block, whatever thread had it. */
      memset(block->w0, 0, n * sizeof(*block->w0));
      memset(block->w1, 0, n * sizeof(*block->w1));
   }
}

/* The part of an EXEC in front of the ALU. */
static void
run_front(struct sim_fs_worker *worker, const struct sim_fs_program *program,
          unsigned e)
{
   struct sim_fs_block *block = &worker->block;
   const struct sim_fs_exec *exec = &program->exec[e];
   unsigned row_index = e % program->rows;
   uint32_t(*row)[SIM_FS_LANES] = block->raw + 4 * row_index;
   if (e < program->rows && (program->inherit_rows >> row_index & 1) &&
       !poisons(worker))
      memcpy(row, row - 4, 4 * sizeof(*row));
   if (exec->fetch)
      sim_fs_surface_load(worker, exec->fetch_surface, row[exec->fetch_reg],
                          row[exec->fetch_reg + 1]);
   for (unsigned i = 0; i < exec->num_mfu; i++)
      sim_fs_mfu(worker, &program->mfu[exec->mfu[i]], row);
}

/*
 * alu0..3 in the first packet of an EXEC hold what the unit left for another
 * fragment (3.5 rule 2).  Outside strict mode that fragment is taken to be
 * alike: the last packet of the EXEC is evaluated for this one (assumption
 * A83).
 */
static void
stale_results(struct sim_fs_worker *worker,
              const struct sim_fs_program *program,
              const struct sim_fs_exec *exec)
{
   struct sim_fs_block *block = &worker->block;
   memset(block->alu[2], 0, sizeof(block->alu[2]));
   if (poisons(worker)) {
      for (unsigned u = 0; u < 4; u++) {
         for (unsigned i = 0; i < block->n; i++)
            block->alu[2][u][i] =
               sim_fp20_to_float(block->raw[SIM_FS_RAW_POISON][i]);
      }
      block->alu_in = block->alu[2];
      return;
   }
   block->alu_in = block->alu[2];
   if (worker->fs->switches.stale_zero)
      return;
   sim_fs_alu_packet(
      worker,
      &program->alu[sim_fs_packet_index(program, exec, exec->num_alu - 1)],
      3);
   block->alu_in = block->alu[3];
}

struct pending {
   const struct sim_fs_packet *packet;
   unsigned slot;
};

static void
run_alu(struct sim_fs_worker *worker, const struct sim_fs_program *program,
        const struct sim_fs_exec *exec, struct pending *pending)
{
   struct sim_fs_block *block = &worker->block;
   if (program->alu_in_first_packet && exec->num_alu)
      stale_results(worker, program, exec);
   for (unsigned i = 0; i < exec->num_alu; i++) {
      const unsigned index = sim_fs_packet_index(program, exec, i);
      const struct sim_fs_packet *packet = &program->alu[index];
      unsigned slot = pending->slot ^ 1;
      sim_fs_alu_packet(worker, packet, slot);
      block->alu_in = block->alu[slot];
      if (pending->packet)
         sim_fs_alu_commit(worker, pending->packet, pending->slot);
      pending->slot = slot;
      pending->packet = NULL;
      if ((program->hazard[index / 64] >> index % 64 & 1) &&
          !worker->fs->switches.no_delay)
         pending->packet = packet;
      else
         sim_fs_alu_commit(worker, packet, slot);
   }
}

static void
run_store(struct sim_fs_worker *worker, const struct sim_fs_program *program,
          unsigned e, uint32_t *stored)
{
   struct sim_fs_block *block = &worker->block;
   const struct sim_fs_exec *exec = &program->exec[e];
   uint32_t(*row)[SIM_FS_LANES] = block->raw + 4 * (e % program->rows);
   if (exec->store && worker->fs->switches.one_store &&
       *stored >> exec->store_surface & 1)
      return;
   *stored |= (uint32_t)exec->store << exec->store_surface;
   if (exec->store)
      sim_fs_surface_store(worker, exec->store_surface, row[exec->store_reg],
                           row[exec->store_reg + 1]);
   else if (exec->store_stencil)
      sim_fs_late_stencil(worker);
}

static bool
any_live(const struct sim_fs_block *block)
{
   uint32_t any = 0;
   for (unsigned i = 0; i < block->n; i++)
      any |= block->live[i];
   return any;
}

/* Everything but what the rasteriser has put there (sim_options.scramble). */
static void
scramble(struct sim_fs_block *block, uint8_t byte)
{
   memset(block->raw, byte, SIM_FS_RAW_POISON * sizeof(block->raw[0]));
   memset(block->live, byte,
          sizeof(*block) - offsetof(struct sim_fs_block, live));
}

/* Those in lines of tiles that the second of two engines draws. */
static unsigned
odd_fragments(const struct sim_fs_block *block)
{
   unsigned fragments = 0;

   for (unsigned strip = 0; strip < block->num_strips; strip++) {
      for (unsigned i = 0; i < SIM_FS_STRIP_LANES; i++)
         fragments += block->y[strip] >> 4 & 1 &
                      block->live[strip * SIM_FS_STRIP_LANES + i];
   }
   return fragments;
}

/* A136: bytes that the depth and stencil tests of so many fragments move:
 * each reads, and what passes may write. */
static unsigned
depth_bytes(const struct sim_fs_depth_stencil *ds, unsigned tested,
            unsigned passed)
{
   return 2 * (ds->depth_test * tested +
               (ds->depth_test && ds->depth_write) * passed) +
          ds->stencil_test * (tested + passed);
}

void
sim_fs_shade(struct sim_fs_worker *worker)
{
   const struct sim_fs_program *program = worker->fs->program;
   struct sim_fs_block *block = &worker->block;
   if (worker->fs->sim->options.scramble)
      scramble(block, worker->fs->sim->options.scramble);
   if (program->kills || program->stores_stencil)
      memset(block->killed, 0, block->n * sizeof(*block->killed));
   unsigned fragments;
   if (!sim_fs_early_tests(worker, &fragments)) {
      worker->stats.rejected_strips += block->num_strips;
      worker->stats.depth_bytes += depth_bytes(
         &worker->fs->ds, block->num_strips * SIM_FS_STRIP_LANES, 0);
      return;
   }
   worker->stats.fragments += fragments;
   worker->stats.clocks += (uint64_t)fragments * program->clocks;
   worker->stats.pixel_bytes += (uint64_t)fragments * worker->fs->pixel_bytes;
   worker->stats.depth_bytes +=
      depth_bytes(&worker->fs->ds, fragments, fragments);
   if (worker->fs->gr3d->chip->engines > 1)
      worker->stats.odd_clocks +=
         (uint64_t)odd_fragments(block) * program->clocks;

   prepare(worker, program);
   block->alu_in = block->alu[2];
   struct pending pending = { NULL, 0 };
   uint32_t stored = 0; /* bit per surface */
   for (unsigned first = 0; first < program->num_execs;
        first += program->rows) {
      unsigned end = first + program->rows < program->num_execs
                        ? first + program->rows
                        : program->num_execs;
      for (unsigned e = first; e < end; e++) {
         run_front(worker, program, e);
         const struct sim_fs_exec *exec = &program->exec[e];
         if (exec->tex) {
            sim_fs_texture_sample(worker, exec,
                                  block->raw + 4 * (e % program->rows));
            worker->stats.lookups += fragments;
         }
      }
      for (unsigned e = first; e < end; e++)
         run_alu(worker, program, &program->exec[e], &pending);
      if (pending.packet)
         sim_fs_alu_commit(worker, pending.packet, pending.slot);
      pending.packet = NULL;
      if (program->kills && !program->stores_stencil && !any_live(block))
         return;
      for (unsigned e = first; e < end; e++)
         run_store(worker, program, e, &stored);
   }
   if (worker->fs->ds.late_depth)
      sim_fs_late_depth(worker);
}
