/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Dependences of the operations of a block.
 *
 * Besides cells there are resources that cannot be renamed: condition
 * register components, components of A0, export components.  Each has a last
 * writer and the readers since; reads wait for the writer, writes for both.
 * Within an instruction reads come before writes, but nothing known proves it
 * across the halves, so even a write after a read goes to a later
 * instruction.
 */

#include "util/ralloc.h"
#include "util/u_math.h"
#include "vs_dag.h"

#define NUM_EXPORT_CELLS (TEGRA20_MAX_EXPORTS * 4)

struct resource {
   int writer;
   struct util_dynarray readers; /* uint16_t */
};

struct resources {
   struct resource cr[VS_NUM_CR_CELLS], address[4], exports[NUM_EXPORT_CELLS];
   struct resource *cells;
};

static void
add_edge(struct vs_dag *dag, unsigned from, unsigned to, unsigned latency)
{
   if (from == to)
      return;
   util_dynarray_foreach (&dag->nodes[from].succs, struct vs_edge, edge) {
      if (edge->to == to) {
         edge->latency = MAX2(edge->latency, latency);
         util_dynarray_foreach (&dag->nodes[to].preds, struct vs_edge, back) {
            if (back->to == from)
               back->latency = edge->latency;
         }
         return;
      }
   }
   util_dynarray_append(&dag->nodes[from].succs, struct vs_edge,
                        ((struct vs_edge){ .to = to, .latency = latency }));
   util_dynarray_append(&dag->nodes[to].preds, struct vs_edge,
                        ((struct vs_edge){ .to = from, .latency = latency }));
}

static void
init_resource(void *mem_ctx, struct resource *resource)
{
   resource->writer = -1;
   util_dynarray_init(&resource->readers, mem_ctx);
}

static void
read_resource(struct vs_dag *dag, struct resource *resource, unsigned node,
              unsigned latency)
{
   if (resource->writer >= 0)
      add_edge(dag, resource->writer, node, latency);
   util_dynarray_append(&resource->readers, uint16_t, node);
}

/* keep: the write is partial, other components may survive */
static void
write_resource(struct vs_dag *dag, struct resource *resource, unsigned node)
{
   if (resource->writer >= 0)
      add_edge(dag, resource->writer, node, VS_LATENCY);
   util_dynarray_foreach (&resource->readers, uint16_t, reader)
      add_edge(dag, *reader, node, VS_LATENCY);
   util_dynarray_clear(&resource->readers);
   resource->writer = node;
}

static void
add_reads(struct vs_dag *dag, struct resources *res, unsigned node)
{
   const struct vs_op *op = dag->nodes[node].op;

   for (unsigned s = 0; s < vs_info(op)->num_srcs; s++) {
      for (unsigned i = 0;
           op->src[s].file == VS_FILE_TEMP && i < vs_src_lanes(op); i++)
         read_resource(dag, &res->cells[op->src[s].c[i]], node, VS_LATENCY);
   }
   if (op->addr != VS_NONE)
      read_resource(dag, &res->address[op->addr], node, VS_LATENCY);
   for (unsigned i = 0; vs_is_predicated(op) && i < MAX2(op->lanes, 1); i++)
      read_resource(dag, &res->cr[op->pred[i]], node, VS_CR_LATENCY);
}

static void
add_writes(struct vs_dag *dag, struct resources *res, unsigned node)
{
   const struct vs_op *op = dag->nodes[node].op;

   for (unsigned i = 0; i < op->lanes; i++) {
      if (op->dst[i] != VS_NO_CELL)
         write_resource(dag, &res->cells[op->dst[i]], node);
      if (op->set_cr[i] != VS_NONE)
         write_resource(dag, &res->cr[op->set_cr[i]], node);
      if (vs_sets_addr(op))
         write_resource(dag, &res->address[op->set_addr[i]], node);
      if (op->export != VS_NONE)
         write_resource(
            dag, &res->exports[op->export * 4 + op->export_comp[i]], node);
   }
}

static void
compute_heights(struct vs_dag *dag)
{
   for (unsigned i = dag->count; i-- > 0;) {
      struct vs_node *node = &dag->nodes[i];
      node->height = 1;
      util_dynarray_foreach (&node->succs, struct vs_edge, edge)
         node->height =
            MAX2(node->height, dag->nodes[edge->to].height + edge->latency);
      dag->critical_path = MAX2(dag->critical_path, node->height);
   }
   for (unsigned i = 0; i < dag->count; i++) {
      struct vs_node *node = &dag->nodes[i];
      util_dynarray_foreach (&node->preds, struct vs_edge, edge)
         node->depth =
            MAX2(node->depth, dag->nodes[edge->to].depth + edge->latency);
   }
}

void
vs_dag_find_pairs(struct vs_dag *dag)
{
   dag->pairs = rzalloc_array(dag, BITSET_WORD, dag->count * dag->words + 1);
   for (unsigned v = 0; v < dag->count; v++) {
      for (unsigned s = 0; s < dag->count; s++) {
         if (v != s && (vs_node_units(dag, v) & VS_UNIT_VECTOR) &&
             (vs_node_units(dag, s) & VS_UNIT_SCALAR) &&
             vs_can_pair(dag->prog, dag->nodes[v].op, dag->nodes[s].op))
            BITSET_SET(&dag->pairs[v * dag->words], s);
      }
   }
}

struct vs_dag *
vs_dag_create(void *mem_ctx, struct vs_program *prog, struct vs_block *block)
{
   struct vs_dag *dag = rzalloc(mem_ctx, struct vs_dag);
   struct resources *res = rzalloc(dag, struct resources);

   dag->prog = prog;
   dag->count = vs_num_ops(block);
   dag->words = BITSET_WORDS(MAX2(dag->count, 1));
   dag->nodes = rzalloc_array(dag, struct vs_node, dag->count + 1);
   res->cells = rzalloc_array(res, struct resource, prog->num_cells + 1);
   for (unsigned i = 0; i < prog->num_cells; i++)
      init_resource(res, &res->cells[i]);
   for (unsigned i = 0; i < VS_NUM_CR_CELLS; i++)
      init_resource(res, &res->cr[i]);
   for (unsigned i = 0; i < 4; i++)
      init_resource(res, &res->address[i]);
   for (unsigned i = 0; i < NUM_EXPORT_CELLS; i++)
      init_resource(res, &res->exports[i]);

   for (unsigned i = 0; i < dag->count; i++) {
      dag->nodes[i].op = vs_get_op(block, i);
      util_dynarray_init(&dag->nodes[i].succs, dag);
      util_dynarray_init(&dag->nodes[i].preds, dag);
   }
   for (unsigned i = 0; i < dag->count; i++) {
      add_reads(dag, res, i);
      add_writes(dag, res, i);
      /* a branch is in the last instruction, perhaps together with a vector
       * operation */
      for (unsigned j = 0; dag->nodes[i].op->opcode == VS_OP_BRA && j < i;
           j++)
         add_edge(dag, j, i, 0);
   }
   ralloc_free(res);
   compute_heights(dag);
   return dag;
}

BITSET_WORD *
vs_dag_reachability(const struct vs_dag *dag, void *mem_ctx)
{
   BITSET_WORD *reaches =
      rzalloc_array(mem_ctx, BITSET_WORD, dag->count * dag->words + 1);

   for (unsigned i = dag->count; i-- > 0;) {
      util_dynarray_foreach (&dag->nodes[i].succs, struct vs_edge, edge) {
         if (edge->latency == 0)
            continue;
         BITSET_SET(&reaches[i * dag->words], edge->to);
         for (unsigned w = 0; w < dag->words; w++)
            reaches[i * dag->words + w] |= reaches[edge->to * dag->words + w];
      }
   }
   return reaches;
}
