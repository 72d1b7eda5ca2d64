/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Shared by the files that cut a program: tegra20_cut.c (which parts),
 * tegra20_cut_graph.c (the operations and their order), tegra20_cut_plan.c
 * (estimates), tegra20_cut_part.c (a part's shader) and
 * tegra20_cut_surfaces.c.
 */

#ifndef TEGRA20_CUT_INTERNAL_H
#define TEGRA20_CUT_INTERNAL_H

#include "tegra20_cut.h"

#include "compiler/nir/nir.h"
#include "nir/fs_lower_loops.h"
#include "nir/tegra20_amplified.h"
#include "util/ralloc.h"
#include "util/u_dynarray.h"

/* Slots of the ALU: rather rematerialised than spilled, when too many values
 * are alive otherwise. */
#define CUT_DEAR 64

/* Values that one part stores, as a rule. */
#define CUT_MAX_STORES 4
/* Cycles of a plan in which a part has more values than surfaces. */
#define CUT_TOO_MUCH 100000

/* An instruction of the program. */
struct cut_op {
   nir_instr *instr;
   nir_def *def;   /* NULL: an effect */
   unsigned cost;  /* slots of the ALU */
   unsigned cone;  /* that it and all it is computed from take, counted
                     as often as they are used */
   bool again;     /* rematerialised wherever it is needed */
   bool through;   /* a vector or a sign: as good as its operands */
   bool varies;    /* with the pixel */
   bool derived;   /* the operand of a derivative: always spilled */
   bool carried;   /* depends on values that loops carry */
   unsigned stage; /* derivatives that come before it */
   unsigned segment, last_segment; /* that it is in, and the last one that
                                      needs it */
   unsigned position;              /* in the order; 0: not a value */
   unsigned last_use[4]; /* per component: position of the last operation that
                            needs it, 0 = none */
   unsigned noted;       /* as rematerialised by this position; 0: by none */
   unsigned last_lookup[4]; /* the same for operations on the way to
                               coordinates of lookups */
};

/* The operation at a position needs a component of a result, or component 0
 * of a rematerialised one. */
struct cut_use {
   unsigned value; /* 4 * op + component */
   unsigned position;
};

/* The same for the plan, which looks at it time and again. */
struct cut_need {
   unsigned value;
   unsigned made; /* the position that computes it; CUT_AGAIN: all do */
   unsigned cost; /* of a rematerialised operand */
};

#define CUT_AGAIN UINT_MAX
#define CUT_NO_OP UINT_MAX

/* The best cut of the operations behind a position: its first place, the
 * cycles of all, and the slots of the first part, by estimate. */
struct cut_choice {
   unsigned hi, cycles, slots;
};

struct cut {
   void *mem_ctx;
   const nir_shader *nir;
   const nir_shader *frame; /* the same without operations */
   const struct tegra20_fs_key *key;
   struct tegra20_compiler_options options;
   struct tegra20_parts *parts;
   struct cut_op *ops; /* per instruction, in the order of the shader */
   unsigned num_ops;
   unsigned *op_of_def;             /* per index of a definition */
   struct tegra20_gain (*gains)[4]; /* the same, and component */
   unsigned *order; /* ops by position, from 1 on; CUT_NO_OP before
                                 the first and behind the last one */
   unsigned num_positions;
   unsigned num_stages;
   unsigned *stage_start; /* position of the first operation of each stage of
                             each segment */
   unsigned *work;        /* per position: slots of the operations before
                             it */
   bool *far_lookup;      /* per position: does a value alive there lead to
                             coordinates of a lookup behind it? */
   struct util_dynarray uses; /* struct cut_use */
   struct cut_need *needs;    /* the same by position: cut_sort_uses() */
   unsigned *first_need;
   unsigned *alive; /* per position: values that a cut there spills */
   unsigned *ways, *first_way; /* positions of the operands of one, as needs
                                  and first_need */
   struct cut_choice *choices; /* per position: cut_plan_range() */
   unsigned *path;             /* scratch, per position: tegra20_cut_plan.c */
   unsigned limit; /* slots that parts have room for, by the last ones */
   unsigned num_segments, segment; /* the latter: that is being cut */
   unsigned *barrier;              /* per segment: the position behind it */
   unsigned num_carried;
   unsigned *num_changed;  /* per segment: carried values it stores */
   unsigned num_targets;   /* that are bound */
   unsigned num_units;     /* of textures, that the program leaves unused */
   unsigned cheap;         /* slots: rather rematerialised than spilled */
   unsigned planned_limit; /* with which choices were found */
   unsigned estimate;      /* cycles of an order */
   unsigned
      fill; /* packets of the largest of the parts that were added last */
   bool too_many;        /* parts, in the last attempt */
   unsigned trials;      /* compilations that are left */
   unsigned best_trials; /* with the best effort */
   char *error;          /* of the part that did not fit last */
};

/* A component of a result, or an operation that stores a carried value. */
struct cut_value {
   unsigned op, component;
};

/* Values that a part is to compute, from those made before "lo". */
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

/* The end of the order: operands of effects are alive there. */
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

/* Operands of a segment's effects are alive at its end. */
static inline unsigned
cut_end_of_segment(const struct cut *cut, unsigned segment)
{
   return cut_is_last_segment(cut, segment) ? cut_end(cut)
                                            : cut->barrier[segment];
}

static inline unsigned
cut_begin_of_segment(const struct cut *cut, unsigned segment)
{
   return segment == 0 ? 1 : cut->barrier[segment - 1] + 1;
}

/* Values have numbers: the spilled ones (tegra20_cut_part.c), then the
 * carried ones, then their shadows. */

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
/* Costs of operations, and the choice of rematerialised ones: cut->cheap. */
void
cut_measure(struct cut *cut);
/* Puts the operations into the order of the shader, by stages. */
void
cut_order_operations(struct cut *cut);
bool
cut_is_effect(const struct cut_op *op);

/* --- tegra20_cut_part.c --- */

/* The part for a job.  False when it has to load more than there are colour
 * buffers for, or (part->nir is NULL) the order is wrong. */
bool
cut_build_part(const struct cut *cut, const struct cut_job *job,
               struct tegra20_part *part);
/* Per operation: it is an effect or a value of a part, or an operand of these
 * that is not loaded.  For the caller to free. */
bool *
cut_find_needed(const struct cut *cut, const struct cut_job *job);
/* Its key; last: it is the program's last part. */
void
cut_part_key(const struct tegra20_part *part, bool last,
             const struct tegra20_fs_key *whole, struct tegra20_fs_key *key);

/* --- tegra20_cut_plan.c --- */

/* The load or store of a value that a loop carries, or NULL. */
const nir_intrinsic_instr *
cut_as_carried(const struct cut_op *op);
void
cut_note_use(struct cut *cut, unsigned op, unsigned component,
             unsigned position);
void
cut_sort_uses(struct cut *cut);
/* Values that each part of a range stores, of so many. */
unsigned
cut_stores_of_part(unsigned stores);
/* Slots of a part, by estimate. */
unsigned
cut_slots(struct cut *cut, unsigned lo, unsigned end);
/*
 * Finds the best way to cut the range lo..end, all of it in one stage, with
 * parts of up to "limit" slots: cut->choices for lo, and for where one leads
 * to.  Looks at one place in each step of so many slots; 0: at all.  Returns
 * the cycles that it takes.
 */
unsigned
cut_plan_range(struct cut *cut, unsigned lo, unsigned end, unsigned limit,
               unsigned step);

/* --- tegra20_cut_groups.c --- */

/* Groups values that the same parts load, where that saves cycles. */
void
cut_group_values(struct cut *cut);

/* --- tegra20_cut_surfaces.c --- */

/* A surface is free again behind the last part that reads it.  False when
 * there are not enough. */
bool
cut_assign_surfaces(struct cut *cut);

#endif
