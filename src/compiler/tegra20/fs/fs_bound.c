/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * The lower bound on cycles.
 *
 * Every operation gets a head and a tail: cycles that go by before it and
 * after it in any schedule, because of the paths that lead to it and from it.
 * Operations whose heads are at least h and whose tails are at least t all
 * lie between cycle h and t cycles before the end, so that a schedule has h
 * cycles, those that a unit needs for these operations, and t cycles.  The
 * largest of these sums over all h, t and units is the bound.
 *
 * The cycle of an operation.  An EXEC is an interval of cycles as long as the
 * larger of its numbers of MFU instructions and packets.  Its packets are
 * laid on the cycles of the interval from the first on, and so are its MFU
 * instructions; a lookup lies on the first.  Then packets of a program lie on
 * cycles of their own, and so do MFU instructions and lookups.
 *
 * A schedule with more than one row obeys more rules, so its bound is higher:
 * a batch takes a cycle per row, and only the first EXEC of the last batch,
 * which stores, has packets (assumption A93).
 */

#include "fs.h"

/*
 * A path through the program, from its start or from its end.  Between an ALU
 * operation and an MFU operation or lookup that needs its result lies the end
 * of an EXEC, as between a lookup and an MFU operation or lookup that reads
 * it; so a path costs, summed over its EXECs, the larger of the numbers of
 * steps that it makes there.
 */
struct path {
   unsigned done; /* cycles of completed EXECs */
   unsigned mfu, packets;
   bool tex;   /* a lookup alone takes an EXEC of one cycle */
   bool front; /* a step in the MFU or a lookup */
};

static unsigned
path_cost(struct path path)
{
   return path.done + MAX3(path.mfu, path.packets, path.tex);
}

static bool
is_front(const struct fs_node *node)
{
   return node->op == FS_OP_SFU || node->op == FS_OP_MUL ||
          node->op == FS_OP_WCLIP || node->op == FS_OP_TEX;
}

/* The EXEC is complete, and with it a batch of that many rows. */
static struct path
end_exec(struct path path, unsigned rows)
{
   return (struct path){ .done = MAX2(path_cost(path), path.done + rows) };
}

static struct path
add_front(struct path path, const struct fs_node *node)
{
   path.front = true;
   /* products share the instruction of the function before them, lookups take
    * none */
   path.mfu += node->op == FS_OP_SFU || node->op == FS_OP_WCLIP;
   path.tex |= node->op == FS_OP_TEX;
   return path;
}

/* The path from the start, one operation longer. */
static struct path
extend_forwards(struct path path, const struct fs_node *node, unsigned rows)
{
   if (fs_op_is_alu(node->op)) {
      path.packets++;
   } else if (is_front(node)) {
      if (path.packets > 0 || (path.tex && rows == 1))
         path = end_exec(path, rows);
      path = add_front(path, node);
   }
   return path;
}

/* The path from the end, one operation longer. */
static struct path
extend_backwards(struct path path, const struct fs_node *node, unsigned rows)
{
   if (fs_op_is_alu(node->op)) {
      if (path.front)
         path = end_exec(path, rows);
      path.packets++;
   } else if (is_front(node)) {
      if (node->op == FS_OP_TEX && path.front && rows == 1)
         path = end_exec(path, rows);
      path = add_front(path, node);
   }
   return path;
}

/* Cycles of a path beside the one of its last operation. */
static unsigned
path_without(struct path path, const struct fs_node *node)
{
   if (fs_op_is_alu(node->op))
      return path.done + path.packets - 1;
   if (node->op == FS_OP_SFU || node->op == FS_OP_MUL)
      return path.done + MAX2(path.mfu, 1) - 1;
   /* on the first cycle of the EXEC, an interpolation beside the instructions
    * that follow */
   return path.done +
          MAX3(path.mfu + (node->op == FS_OP_INTERP), path.packets, 1) - 1;
}

/* An operation as the bound sees it. */
struct span {
   struct path before, after; /* the longest paths to it and from it */
   uint16_t head, tail;
   bool used;  /* by an operation that was seen */
   bool joins; /* it can be in the packet of its addend, as a sum */
};

/* Units of the packet that no other operation can have. */
static unsigned
units_taken(const struct fs_program *p, const struct fs_node *node)
{
   return node->op == FS_OP_ACC && !p->part_sums ? 4 : fs_op_units(node);
}

/* Per node: is it an addition to a product, or to another such addition, that
 * nothing else reads, so that all can be a sum in one packet
 * (sched_group_join())? */
static void
fs_find_joins(const struct fs_program *p, bool *joins)
{
   uint16_t *uses = ralloc_array((void *)p, uint16_t, MAX2(p->num_nodes, 1));
   uint8_t *products = rzalloc_array(uses, uint8_t, MAX2(p->num_nodes, 1));

   memset(joins, 0, p->num_nodes * sizeof(*joins));
   fs_count_uses(p, uses);
   for (unsigned v = 0; p->part_sums && v < p->num_nodes; v++) {
      const struct fs_node *node = &p->nodes[v];
      const struct fs_src addend = node->src[2];

      if (node->op != FS_OP_MAD || node->d != FS_D_ONE)
         continue;
      if (addend.kind == FS_SRC_ZERO) {
         products[v] = 1;
      } else if (addend.kind == FS_SRC_NODE && uses[addend.index] == 1) {
         const unsigned before = products[addend.index];
         joins[v] = before >= 1 && before <= 3;
         products[v] = joins[v] ? before + 1 : 0;
      }
   }
   ralloc_free(uses);
}

static void
find_sums(const struct fs_program *p, struct span *spans)
{
   bool *joins = ralloc_array((void *)p, bool, MAX2(p->num_nodes, 1));

   fs_find_joins(p, joins);
   for (unsigned v = 0; v < p->num_nodes; v++)
      spans[v].joins = joins[v];
   ralloc_free(joins);
}

static bool
in_packet_of(const struct fs_program *p, const struct span *spans, unsigned v,
             unsigned s)
{
   return (spans[v].joins && s == 2) ||
          (p->nodes[v].op == FS_OP_LOW && s == FS_HIGH_HALF);
}

/* Cycles before the last operation of a path from the start.  A lookup lies
 * on the first cycle of the EXEC whose MFU instructions find its
 * coordinates. */
static unsigned
head_of(struct path path, const struct fs_node *node)
{
   return node->op == FS_OP_TEX ? path.done : path_without(path, node);
}

static void
find_heads(const struct fs_program *p, unsigned rows, struct span *spans)
{
   find_sums(p, spans);
   for (unsigned v = 0; v < p->num_nodes; v++) {
      const struct fs_node *node = &p->nodes[v];
      struct path best = { 0 };
      unsigned head = 0;

      /* an interpolation is an instruction of its own, before those that use
       * its result */
      best.mfu = node->op == FS_OP_INTERP;
      for (unsigned s = 0; s < node->num_srcs; s++) {
         if (node->src[s].kind != FS_SRC_NODE)
            continue;
         const struct path to = spans[node->src[s].index].before;
         const struct path path = in_packet_of(p, spans, v, s)
                                     ? to
                                     : extend_forwards(to, node, rows);
         if (path_cost(path) > path_cost(best))
            best = path;
         head = MAX2(head, head_of(path, node));
      }
      if (node->num_srcs == 0 || path_cost(best) == 0)
         best = extend_forwards(best, node, rows);
      spans[v].before = best;
      spans[v].head = node->op == FS_OP_INTERP ? 0 : head;
   }
}

static void
find_tails(const struct fs_program *p, unsigned rows, struct span *spans)
{
   for (int v = p->num_nodes - 1; v >= 0; v--) {
      const struct fs_node *node = &p->nodes[v];

      if (!spans[v].used)
         spans[v].after = extend_backwards((struct path){ 0 }, node, rows);
      for (unsigned s = 0; s < node->num_srcs; s++) {
         if (node->src[s].kind != FS_SRC_NODE)
            continue;
         struct span *src = &spans[node->src[s].index];
         const struct fs_node *src_node = &p->nodes[node->src[s].index];
         const struct path from = spans[v].after;
         const struct path path = in_packet_of(p, spans, v, s)
                                     ? from
                                     : extend_backwards(from, src_node, rows);
         if (!src->used || path_cost(path) > path_cost(src->after))
            src->after = path;
         src->used = true;
         src->tail = MAX2(src->tail, path_without(path, src_node));
      }
   }
}

void
fs_measure_heads(const struct fs_program *p, unsigned rows, uint16_t *heads)
{
   struct span *spans =
      rzalloc_array((void *)p, struct span, MAX2(p->num_nodes, 1));

   find_heads(p, rows, spans);
   for (unsigned v = 0; v < p->num_nodes; v++)
      heads[v] = spans[v].head;
   ralloc_free(spans);
}

/* A constant that has no register stands in a packet, and takes its fourth
 * unit. */
static bool
embeds_constant(const struct fs_program *p, const struct fs_node *node)
{
   for (unsigned s = 0; s < node->num_srcs; s++) {
      if (node->src[s].kind == FS_SRC_VALUE &&
          !p->const_places[node->src[s].index].reg)
         return true;
   }
   return false;
}

/*
 * The resources that operations take, and their number per cycle.  A constant
 * that has no register takes a third of the packet's fourth unit.  A packet
 * reads a limited number of uniforms: one that several operations read is
 * divided between as many of them as a packet has units.
 */
enum resource {
   UNITS,
   UNIFORMS,
   SUMS, /* one in a packet */
   LOOKUPS,
   FUNCTIONS, /* MFU instructions; an interpolation has a whole one for four
                 columns */
   PRODUCTS,  /* the same, two in each */
   NUM_RESOURCES,
};
static const unsigned capacity[NUM_RESOURCES] = {
   [UNITS] = 4 * 3, [UNIFORMS] = 12 * FS_MAX_PACKET_UNIFORMS,
   [SUMS] = 1,      [LOOKUPS] = 1,
   [FUNCTIONS] = 4, [PRODUCTS] = 4,
};

/* The uniform register of an operand that no operand before it reads, or 0.
 */
static unsigned
uniform_read(const struct fs_program *p, const struct fs_node *node,
             unsigned s)
{
   if (node->src[s].kind != FS_SRC_VALUE)
      return 0;
   const unsigned reg = p->const_places[node->src[s].index].reg;
   for (unsigned before = 0; before < s; before++) {
      if (node->src[before].kind == FS_SRC_VALUE &&
          p->const_places[node->src[before].index].reg == reg)
         return 0;
   }
   return reg;
}

#define MAX_REGS 64

static void
count_readers(const struct fs_program *p, uint16_t readers[MAX_REGS])
{
   for (unsigned v = 0; v < p->num_nodes; v++) {
      const struct fs_node *node = &p->nodes[v];
      for (unsigned s = 0; fs_op_is_alu(node->op) && s < node->num_srcs; s++)
         readers[uniform_read(p, node, s)]++;
   }
}

static void
measure_node(const struct fs_program *p, const struct fs_node *node,
             const uint16_t readers[MAX_REGS], unsigned needs[NUM_RESOURCES])
{
   memset(needs, 0, NUM_RESOURCES * sizeof(*needs));
   needs[LOOKUPS] = node->op == FS_OP_TEX;
   needs[FUNCTIONS] = node->op == FS_OP_SFU ? 4 : node->op == FS_OP_INTERP;
   needs[PRODUCTS] = node->op == FS_OP_MUL ? 2 : node->op == FS_OP_INTERP;
   if (!fs_op_is_alu(node->op))
      return;
   needs[UNITS] = 3 * units_taken(p, node) +
                  (node->op != FS_OP_ACC && embeds_constant(p, node));
   needs[SUMS] = node->op == FS_OP_ACC;
   for (unsigned s = 0; s < node->num_srcs; s++) {
      const unsigned reg = uniform_read(p, node, s);
      if (reg)
         needs[UNIFORMS] += 12 / MIN2(readers[reg], 4);
   }
}

/* Resources of the operations with at least that head and tail, for each pair
 * of both. */
struct table {
   unsigned heads, tails;
   unsigned *needs; /* [head][tail][resource] */
};

static unsigned *
table_cell(const struct table *table, unsigned head, unsigned tail)
{
   return &table->needs[(head * table->tails + tail) * NUM_RESOURCES];
}

static struct table
make_table(const struct fs_program *p, const struct span *spans)
{
   struct table table = { 1, 1 };
   uint16_t readers[MAX_REGS] = { 0 };

   for (unsigned v = 0; v < p->num_nodes; v++) {
      table.heads = MAX2(table.heads, spans[v].head + 1);
      table.tails = MAX2(table.tails, spans[v].tail + 1);
   }
   table.needs = rzalloc_array((void *)p, unsigned,
                               table.heads *table.tails *NUM_RESOURCES);
   count_readers(p, readers);
   for (unsigned v = 0; v < p->num_nodes; v++) {
      unsigned needs[NUM_RESOURCES];
      unsigned *cell = table_cell(&table, spans[v].head, spans[v].tail);
      measure_node(p, &p->nodes[v], readers, needs);
      for (unsigned r = 0; r < NUM_RESOURCES; r++)
         cell[r] += needs[r];
   }
   return table;
}

/* Lower bound on cycles for operations with that head and tail. */
static unsigned
longest_span(const struct fs_program *p, unsigned rows)
{
   struct span *spans =
      rzalloc_array((void *)p, struct span, MAX2(p->num_nodes, 1));
   unsigned longest = 0;

   find_heads(p, rows, spans);
   find_tails(p, rows, spans);
   const struct table table = make_table(p, spans);
   for (int h = table.heads - 1; h >= 0; h--) {
      unsigned sum[NUM_RESOURCES] = { 0 }; /* of this head */
      for (int t = table.tails - 1; t >= 0; t--) {
         unsigned *cell = table_cell(&table, h, t);
         for (unsigned r = 0; r < NUM_RESOURCES; r++) {
            sum[r] += cell[r];
            cell[r] = sum[r];
            if (h + 1 < (int)table.heads)
               cell[r] += table_cell(&table, h + 1, t)[r];
            if (cell[r] == 0)
               continue;
            const unsigned empty = r == UNITS ? rows - 1 : 0;
            longest = MAX2(longest, h + DIV_ROUND_UP(cell[r], capacity[r]) +
                                       t + empty);
         }
      }
   }
   for (unsigned v = 0; v < p->num_nodes; v++)
      longest = MAX2(longest, path_cost(spans[v].before));
   ralloc_free(table.needs);
   ralloc_free(spans);
   return longest;
}

/* ALU packets: at most three operations in each one with constants, one sum.
 */
unsigned
fs_least_packets(const struct fs_program *p)
{
   unsigned units = 0, sums = 0, embedding = 0;

   for (unsigned v = 0; v < p->num_nodes; v++) {
      const struct fs_node *node = &p->nodes[v];

      if (!fs_op_is_alu(node->op))
         continue;
      units += units_taken(p, node);
      if (node->op == FS_OP_ACC)
         sums++;
      else
         embedding += embeds_constant(p, node);
   }
   return MAX2(sums, DIV_ROUND_UP(units + DIV_ROUND_UP(embedding, 3), 4));
}

/*
 * Cycles that no schedule can do without: lookups, stores and fetches take an
 * EXEC each; operations take units; special functions take MFU instructions;
 * and the longest path has to be gone.
 */
unsigned
fs_lower_bound(const struct fs_program *p, unsigned rows)
{
   unsigned tex = 0, fetches = 0, stores = 0, sfu = 0, products = 0,
            columns = 0;

   for (unsigned v = 0; v < p->num_nodes; v++) {
      const enum fs_op op = p->nodes[v].op;

      tex += op == FS_OP_TEX;
      fetches += op == FS_OP_FETCH;
      stores += op == FS_OP_STENCIL || op == FS_OP_STORE;
      sfu += op == FS_OP_SFU;
      products += op == FS_OP_MUL;
      columns += op == FS_OP_INTERP;
   }
   const unsigned mfu = MAX2(sfu, DIV_ROUND_UP(products, 2));
   /* an EXEC interpolates four columns, in its first MFU instruction */
   const unsigned interpolations = DIV_ROUND_UP(columns, 4);
   return MAX3(MAX3(1, fs_least_packets(p), mfu + interpolations),
               MAX3(tex, fetches, stores), longest_span(p, rows));
}
