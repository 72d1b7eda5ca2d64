/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Shared by the files that cut a program: tegra20_cut.c (where),
 * tegra20_cut_graph.c (the operations and their order), tegra20_cut_part.c (a
 * part's shader) and tegra20_cut_surfaces.c.
 */

#ifndef TEGRA20_CUT_INTERNAL_H
#define TEGRA20_CUT_INTERNAL_H

#include "tegra20_cut.h"

#include "compiler/nir/nir.h"
#include "fs/fs_rounds.h"
#include "util/ralloc.h"
#include "util/u_math.h"

/* Slots of the ALU: rather computed again than handed on, when too many
 * values are alive otherwise. */
#define CUT_DEAR 64

/* An instruction of the program. */
struct cut_op {
   nir_instr *instr;
   nir_def *def;  /* NULL: an effect */
   unsigned cost; /* slots of the ALU */
   unsigned cone; /* that it and all it is computed from take, counted
                     as often as they are used */
   bool again;    /* computed again wherever it is needed */
   bool through;  /* a vector or a sign: as good as its operands */
   bool varies;   /* with the pixel */
   bool lost;     /* an output without a target */
   bool derived;  /* the operand of a derivative: always handed on */
   bool carried;  /* depends on values that loops carry */
   bool visited;
   unsigned stage;                 /* derivatives that come before it */
   unsigned segment, last_segment; /* that it is in, and the last one that
                                      needs it */
   unsigned position;    /* in the order, of those that are values */
   unsigned last_use[4]; /* per component: position of the last operation that
                            needs it, 0 = none */
   unsigned last_lookup[4];        /* the same for operations on the way to
                                      coordinates of lookups */
   unsigned first_need, last_need; /* positions, of what is computed again */
};

struct cut {
   void *mem_ctx;
   const nir_shader *nir;
   const struct tegra20_fs_key *key;
   struct tegra20_compiler_options options;
   struct tegra20_parts *parts;
   struct cut_op *ops; /* per instruction, in the order of the shader */
   unsigned num_ops;
   unsigned *op_of_def; /* per index of a definition */
   unsigned *order;     /* ops by position, from 1 on */
   unsigned num_positions;
   unsigned num_stages;
   unsigned *stage_start; /* position of the first operation of each stage of
                             each segment */
   unsigned *work;        /* per position: slots of what lies before it */
   unsigned *twice;       /* per position: slots of what is computed before it
                             and again behind it, when the program is cut
                             there */
   unsigned num_segments, segment; /* the latter: that is being cut */
   unsigned border[2 * FS_MAX_ROUND_LOOPS]; /* positions behind segments */
   unsigned num_carried;
   unsigned cheap;    /* slots: rather computed again than handed on */
   unsigned failures; /* compilations that found nothing */
   unsigned patience; /* that many, then they are cut short */
   unsigned trials, long_trials; /* compilations that are left, and those of
                                    them that may search long */
   char *error;                  /* of the part that did not fit last */
};

/* A component of a result, or an operation that stores a carried value. */
struct cut_value {
   unsigned op, component;
};

/* What a part is to compute, from what is made before "lo". */
struct cut_job {
   unsigned lo;
   const struct cut_value *values;
   unsigned count;
   bool last;    /* all effects of the last segment instead */
   bool shadows; /* carried values are stored in shadows */
   bool commits; /* copies the carried values from there, and nothing else */
   bool kills;   /* pixels whose loop has ended are left alone */
   unsigned iterations; /* of a loop whose carried values are all stored; 0:
                           one */
};

/* The end of the order: what effects need is alive there. */
static inline unsigned
cut_end(const struct cut *cut)
{
   return cut->num_positions + 1;
}

static inline bool
cut_is_last_segment(const struct cut *cut, unsigned segment)
{
   return segment == cut->num_segments - 1;
}

static inline bool
cut_is_loop(unsigned segment)
{
   return segment & 1;
}

/* What effects of a segment need is alive at its end. */
static inline unsigned
cut_end_of_segment(const struct cut *cut, unsigned segment)
{
   return cut_is_last_segment(cut, segment) ? cut_end(cut)
                                            : cut->border[segment];
}

static inline unsigned
cut_begin_of_segment(const struct cut *cut, unsigned segment)
{
   return segment == 0 ? 1 : cut->border[segment - 1] + 1;
}

/* Values have numbers: those that are handed on (tegra20_cut_part.c), then
 * the carried ones, then their shadows. */

/* Carried value k, and its shadow. */
static inline unsigned
cut_carried_number(const struct cut *cut, unsigned k)
{
   return 4 * (cut->num_ops + 2) + k;
}

static inline unsigned
cut_shadow_number(const struct cut *cut, unsigned k)
{
   return cut_carried_number(cut, cut->num_carried + k);
}

static inline bool
cut_is_carried_number(const struct cut *cut, unsigned number)
{
   return number >= cut_carried_number(cut, 0);
}

/* Says whether a loop goes on. */
static inline bool
cut_is_flag(const struct cut *cut, unsigned number)
{
   return cut_is_carried_number(cut, number) &&
          (number - cut_carried_number(cut, 0)) % cut->num_carried <
             cut->num_segments / 2;
}

/* --- tegra20_cut_graph.c --- */

/* False when the shader has more than one block, which a finished one has
 * not. */
bool
cut_read_program(struct cut *cut);
/* What operations cost, and which of them are computed again: cut->cheap. */
void
cut_measure(struct cut *cut);
/* Puts the operations into an order: depth first, or that of the shader. */
void
cut_order_operations(struct cut *cut, bool depth_first);
/* The load or store of a value that a loop carries, or NULL. */
const nir_intrinsic_instr *
cut_as_carried(const struct cut_op *op);
bool
cut_is_effect(const struct cut_op *op);

/* --- tegra20_cut_part.c --- */

/* The part for a job.  False when it has to load more than there are colour
 * buffers for. */
bool
cut_build_part(const struct cut *cut, const struct cut_job *job,
               struct tegra20_part *part);
/* Its key; last: it is the program's last part. */
void
cut_part_key(const struct tegra20_part *part, bool last,
             const struct tegra20_fs_key *whole, struct tegra20_fs_key *key);

/* --- tegra20_cut_surfaces.c --- */

/* A surface is free again behind the last part that reads it.  False when
 * there are not enough. */
bool
cut_assign_surfaces(struct cut *cut);

#endif
