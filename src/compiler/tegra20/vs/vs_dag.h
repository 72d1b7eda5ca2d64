/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Dependences between the operations of one block, and the state that the
 * schedulers share.
 */

#ifndef TEGRA20_VS_DAG_H
#define TEGRA20_VS_DAG_H

#include "util/bitset.h"
#include "vs_ir.h"

/*
 * Every result is usable by the next instruction (vertex-pipeline.md 10). For
 * condition registers that is assumption A12; 2 is proven.
 */
#define VS_LATENCY 1
#define VS_CR_LATENCY 1

struct vs_edge {
   uint16_t to;
   uint8_t latency;
};

struct vs_node {
   struct vs_op *op;
   struct util_dynarray succs; /* struct vs_edge */
   struct util_dynarray preds; /* struct vs_edge, "to" is the predecessor */
   unsigned height; /* instructions from this one to the end of the longest
                       chain, itself included */
   unsigned depth;  /* earliest instruction */
};

struct vs_dag {
   struct vs_program *prog;
   unsigned count;
   struct vs_node *nodes;
   unsigned words;     /* of a bitset over nodes */
   BITSET_WORD *pairs; /* count x words: bit s of row v when v (vector) and s
                          (scalar) may share an instruction */
   unsigned critical_path; /* instructions */
};

/* vs_dag.c; freed with mem_ctx */
struct vs_dag *
vs_dag_create(void *mem_ctx, struct vs_program *prog, struct vs_block *block);
/* Fills dag->pairs; cells must be grouped. */
void
vs_dag_find_pairs(struct vs_dag *dag);
/* count x words bits: row i has the nodes that must come in a later
 * instruction than i. */
BITSET_WORD *
vs_dag_reachability(const struct vs_dag *dag, void *mem_ctx);

static inline bool
vs_dag_can_pair(const struct vs_dag *dag, unsigned vector, unsigned scalar)
{
   return BITSET_TEST(&dag->pairs[vector * dag->words], scalar);
}

static inline unsigned
vs_node_units(const struct vs_dag *dag, unsigned node)
{
   const struct vs_op *op = dag->nodes[node].op;
   /* condition registers take the vector result */
   return vs_sets_cr(op) ? VS_UNIT_VECTOR : vs_info(op)->units;
}

/* A schedule: node numbers of both halves of each instruction, or -1. */
struct vs_slot {
   int vector, scalar;
};

struct vs_schedule {
   unsigned length;
   struct vs_slot *slots; /* room for one per node */
};

/* vs_bound.c: instructions that no schedule of the block can undercut. */
unsigned
vs_lower_bound(const struct vs_dag *dag);

#endif
