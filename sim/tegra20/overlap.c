/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * What is under way.  The simulator finishes an operation before it decodes
 * the next word; the chip does not, and a stream that must not meet its own
 * past raises a sync point with OP_DONE and waits for it
 * (kernel-interface.md 3, kernel-review.md 6 and 7).  Here an operation that
 * nothing waited for can still go wrong afterwards:
 *
 *   GR3D   What is written behind a draw may reach it.  Such a draw is drawn
 *          a second time, with some of its registers and tables as they are
 *          now: that is the part of it which was still in the pipe.  It
 *          happens to the last draw of a job when the next one on the engine
 *          has another sync point (A99), and to every draw when the chip is
 *          one whose draws must not meet (switch A98).
 *   GR2D   An operation that writes what an earlier one reads overtakes it:
 *          the earlier one is done again.  Reads see memory as it was before
 *          the operations that are under way (adversary.c).
 *   both   A job whose last increment does not stand for OP_DONE ends before
 *          its stores: memory is as it was.
 *
 * Which registers are reached is a matter of the seed.
 */

#include "overlap.h"

#include <stdlib.h>
#include <string.h>

#include "gr2d.h"
#include "sim_internal.h"
#include "tegra20/gr3d_regs.h"
#include "vertex.h"

#define MAX_OPERATIONS 64

/* Values of switch A98. */
enum { DRAWS_FOLLOW, DRAWS_WAIT, DRAWS_ALONE, UPLOADS_WAIT };

/* All that a draw depends on besides memory. */
struct draw_state {
   struct gr3d_regs regs;
   struct gr3d_programs prog;
   uint32_t flat_mask[GR3D_TRAM_ROWS], tram_written[GR3D_TRAM_ROWS];
};

struct operation_2d {
   uint32_t class_id, offset;
   uint32_t regs[0x80];
   uint8_t written[0x80];
   struct gr2d_extents extents;
};

struct sim_overlap {
   struct sim *sim;
   /* The last draw that may be under way. */
   bool drawing;
   bool foreign; /* it belongs to the job before this one */
   bool reached; /* something was written behind it */
   struct draw_state draw;
   uint8_t wrote[GR3D_NUM_REGS];
   struct sim_range *ranges; /* the memory of its job */
   unsigned num_ranges, max_ranges;
   uint32_t count; /* of draws */
   /* The operations of GR2D that may be. */
   struct operation_2d operations[MAX_OPERATIONS];
   unsigned num_operations;
   bool asked; /* an increment behind all of them stands for OP_DONE */
   uint32_t asked_syncpt, asked_value; /* ...of this, to this */
   struct draw_state saved;
};

struct sim_overlap *
sim_overlap_create(struct sim *sim)
{
   struct sim_overlap *o = calloc(1, sizeof(*o));
   if (o) {
      o->sim = sim;
      o->asked = true;
   }
   return o;
}

void
sim_overlap_destroy(struct sim_overlap *o)
{
   if (!o)
      return;
   free(o->ranges);
   free(o);
}

/* --- GR3D --- */

static void
save(const struct gr3d *gr3d, struct draw_state *state)
{
   state->regs = gr3d->regs;
   state->prog = gr3d->prog;
   memcpy(state->flat_mask, gr3d->flat_mask, sizeof(state->flat_mask));
   memcpy(state->tram_written, gr3d->tram_written,
          sizeof(state->tram_written));
}

static void
restore(struct gr3d *gr3d, const struct draw_state *state)
{
   gr3d->regs = state->regs;
   gr3d->prog = state->prog;
   memcpy(gr3d->flat_mask, state->flat_mask, sizeof(state->flat_mask));
   memcpy(gr3d->tram_written, state->tram_written,
          sizeof(state->tram_written));
}

/* Does the write reach the draw, three times of four? */
static bool
reaches(const struct sim_overlap *o, uint32_t offset)
{
   uint64_t what = (uint64_t)o->count << 12 | offset;
   uint64_t h = (what ^ (uint64_t)o->sim->options.adversary << 40) *
                0x9e3779b97f4a7c15ull;
   return o->wrote[offset] && (h >> 60 & 3) != 0;
}

/* The state of the draw with what has been written since. */
static void
mix(struct sim_overlap *o, struct gr3d *gr3d, const struct draw_state *now)
{
   const bool pipelined =
      !o->foreign && sim_switch(o->sim, 98) == UPLOADS_WAIT;
   restore(gr3d, &o->draw);
   for (uint32_t i = 0; i < GR3D_NUM_REGS && !pipelined; i++)
      if (reaches(o, i) && i != GR3D_DRAW_PRIMITIVES)
         gr3d->regs.value[i] = now->regs.value[i];
   if (reaches(o, GR3D_VP_UPLOAD_INST))
      memcpy(gr3d->prog.vp, now->prog.vp, sizeof(gr3d->prog.vp));
   if (reaches(o, GR3D_VP_UPLOAD_CONST))
      memcpy(gr3d->prog.vp_const, now->prog.vp_const,
             sizeof(gr3d->prog.vp_const));
   if (o->wrote[GR3D_FP_UPLOAD_ALU_INST]) {
      memcpy(gr3d->prog.alu, now->prog.alu, sizeof(gr3d->prog.alu));
      memcpy(gr3d->prog.alu_sched, now->prog.alu_sched,
             sizeof(gr3d->prog.alu_sched));
   }
   /* What is decoded is kept by these. */
   const uint32_t other = 0x40000000u + o->count;
   gr3d->prog.vp_serial += other;
   gr3d->prog.vp_const_serial += other;
   gr3d->prog.fp_serial += other;
}

/* What comes out of it is no matter of diagnostics or statistics, and ends no
 * job. */
static void
draw_again(struct sim_overlap *o)
{
   struct sim *sim = o->sim;
   struct gr3d *gr3d = &sim->gr3d;
   const struct sim_memory memory = sim->memory;
   const struct sim_options options = sim->options;
   const struct sim_stats stats = sim->stats;
   const bool hang = sim->hang, changed = gr3d->vertex->changed;
   const long long clocks = atomic_load(&gr3d->clocks_left);
   save(gr3d, &o->saved);
   mix(o, gr3d, &o->saved);
   sim->memory.ranges = o->ranges;
   sim->memory.num_ranges = o->num_ranges;
   sim->options.strict = false;
   gr3d_run_draw(gr3d);
   sim->memory = memory;
   sim->options = options;
   sim->stats = stats;
   sim->hang = hang;
   gr3d->vertex->changed = changed;
   atomic_store(&gr3d->clocks_left, clocks);
   restore(gr3d, &o->saved);
}

/* The draw under way ends: what was written behind it has come too early,
 * unless draws follow each other. */
static void
end_draw(struct sim_overlap *o)
{
   if (o->drawing && o->reached &&
       (o->foreign || sim_switch(o->sim, 98) != DRAWS_FOLLOW))
      draw_again(o);
   o->drawing = false;
}

void
sim_overlap_before_draw(struct sim_overlap *o)
{
   if (o)
      end_draw(o);
}

static bool
copy_ranges(struct sim_overlap *o, const struct sim_memory *memory)
{
   if (memory->num_ranges > o->max_ranges) {
      struct sim_range *grown =
         realloc(o->ranges, memory->num_ranges * sizeof(*grown));
      if (!grown)
         return false;
      o->ranges = grown;
      o->max_ranges = memory->num_ranges;
   }
   memcpy(o->ranges, memory->ranges, memory->num_ranges * sizeof(*o->ranges));
   o->num_ranges = memory->num_ranges;
   return true;
}

void
sim_overlap_after_draw(struct sim_overlap *o)
{
   if (!o)
      return;
   o->asked = false;
   o->drawing = !o->sim->hang && copy_ranges(o, &o->sim->memory);
   o->foreign = o->reached = false;
   o->count++;
   save(&o->sim->gr3d, &o->draw);
   memset(o->wrote, 0, sizeof(o->wrote));
}

void
sim_overlap_wrote(struct sim_overlap *o, uint32_t offset)
{
   if (!o || !o->drawing)
      return;
   o->wrote[offset] = 1;
   o->reached = true;
}

/* --- GR2D --- */

void
sim_overlap_before_operation(struct sim_overlap *o)
{
   struct gr2d_extents extents;
   if (!o || !gr2d_get_extents(&o->sim->gr2d, &extents))
      return;
   const struct sim_range *range =
      sim_memory_find(o->sim, (uint32_t)extents.dst_low);
   if (range)
      sim_adversary_stores(o->sim->adversary, range, range->base);
}

static void
do_again(struct sim_overlap *o, const struct operation_2d *op)
{
   struct gr2d *gr2d = &o->sim->gr2d;
   const struct sim_options options = o->sim->options;
   const struct sim_stats stats = o->sim->stats;
   struct operation_2d now;
   memcpy(now.regs, gr2d->regs, sizeof(now.regs));
   memcpy(now.written, gr2d->written, sizeof(now.written));
   memcpy(gr2d->regs, op->regs, sizeof(now.regs));
   memcpy(gr2d->written, op->written, sizeof(now.written));
   o->sim->options.strict = false;
   gr2d_run(gr2d, op->class_id, op->offset);
   o->sim->options = options;
   o->sim->stats = stats;
   memcpy(gr2d->regs, now.regs, sizeof(now.regs));
   memcpy(gr2d->written, now.written, sizeof(now.written));
}

void
sim_overlap_after_operation(struct sim_overlap *o, uint32_t class_id,
                            uint32_t offset)
{
   struct gr2d_extents extents;
   if (!o)
      return;
   o->asked = false;
   if (gr2d_get_extents(&o->sim->gr2d, &extents)) {
      for (unsigned i = 0; i < o->num_operations; i++) {
         const struct gr2d_extents *before = &o->operations[i].extents;
         if (before->src_low < extents.dst_high &&
             extents.dst_low < before->src_high)
            do_again(o, &o->operations[i]);
      }
      if (o->num_operations < MAX_OPERATIONS) {
         struct operation_2d *op = &o->operations[o->num_operations++];
         op->class_id = class_id;
         op->offset = offset;
         op->extents = extents;
         memcpy(op->regs, o->sim->gr2d.regs, sizeof(op->regs));
         memcpy(op->written, o->sim->gr2d.written, sizeof(op->written));
      }
   }
   sim_adversary_stored(o->sim->adversary);
}

/* --- the stream --- */

void
sim_overlap_asked(struct sim_overlap *o, uint32_t syncpt, uint32_t value)
{
   if (!o)
      return;
   o->asked = true;
   o->asked_syncpt = syncpt;
   o->asked_value = value;
}

static bool
hears_waits(const struct sim_overlap *o)
{
   return !(o->sim->options.deaf & SIM_DEAF_WAIT);
}

void
sim_overlap_waited(struct sim_overlap *o, uint32_t syncpt, uint32_t threshold)
{
   if (!o || !o->asked || !hears_waits(o) || syncpt != o->asked_syncpt ||
       (threshold - o->asked_value) & 0x800000)
      return;
   sim_adversary_waited(o->sim->adversary);
   o->num_operations = 0;
   if (sim_switch(o->sim, 98) != DRAWS_ALONE || o->foreign)
      o->drawing = false;
}

void
sim_overlap_job_end(struct sim_overlap *o, bool overlaps)
{
   if (!o)
      return;
   if (o->drawing && o->foreign)
      end_draw(o);
   if (overlaps) {
      o->foreign = true;
      o->reached = false;
      return;
   }
   if (!o->asked && hears_waits(o))
      sim_adversary_lose(o->sim->adversary);
   else
      sim_adversary_waited(o->sim->adversary);
   o->asked = true;
   o->drawing = false;
   o->num_operations = 0;
}
