/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Proofs that no schedule of a fragment program is shorter.
 *
 * "There is a schedule with that many rows and clocks" is written down as
 * clauses, and a SAT solver (CaDiCaL) looks for one.  Where it finds that
 * there is none, so many clocks do not do.  The clauses say less than the
 * rules of the chip: what is wrong by them is wrong by the rules, too, while
 * a solution of theirs need not be a schedule.  So every schedule has to be a
 * solution; the tool checks that with each one that the compiler finds.
 *
 * Time.  A packet, or none, is on each clock.  A batch, one EXEC per row,
 * begins on some of the clocks, and what its EXECs do before their packets is
 * said of that clock: first fetch and interpolation, then special functions
 * and products, then lookups (fragment-pipeline.md 1.1, 1.3).  These stages
 * are the levels at which it is said which values the registers hold; a level
 * before them says what the packets so far have left.
 *
 *   level of a batch     made there                       read there by
 *   BEFORE               results of packets before        stores before
 *   INTERPOLATED         varyings, the fetched pixel      functions, products
 *   MULTIPLIED           functions, products              lookups
 *   LOOKED_UP            texels                           packets
 *
 * On the other clocks the levels are the same.  A value is held at a level if
 * it was at the level before or is made there; nothing says that it has to be
 * held, but what reads it does.  At each level the values that are held fit
 * the registers of the rows: 8 halves each.
 *
 * A packet reads registers that were written two packets before or earlier,
 * or in the batches before, and from alu0..3 what the packet before it in the
 * same EXEC has computed (3.5).
 *
 * What packets and multipliers do may be done any number of times, as the
 * scheduler does that; lookups, special functions and fetches happen once.
 *
 * What is not said: that units of the MFU work in a certain register or row,
 * that halves of registers lie side by side, the order of fetches and stores.
 */

#include <assert.h>
#include <ccadical.h>
#include <stdlib.h>

#include "fs/fs.h"
#include "fs/fs_schedule.h"

#include "fs_refute.h"

#define MOST_NODES 64
#define MOST_CONFLICTS 4000 /* of the solver; a second or so */

#define HALVES_OF_ROW 8
#define HALVES_OF_FOUR 4 /* a texel, a pixel */
#define PACKET_UNITS 4
#define PACKET_CONSTANTS 6 /* halves */
#define COLUMNS 4

enum level {
   BEFORE,
   INTERPOLATED,
   MULTIPLIED,
   LOOKED_UP,
   NUM_LEVELS,
};

/* Variables of the solver are numbers from 1 on; 0 stands for what is always
 * false. */
struct model {
   const struct fs_program *p;
   unsigned rows, clocks;
   CCaDiCaL *solver;
   int num_vars;
   int *executed; /* [node][clock]: what is not the result of another node */
   int *held;     /* [node][clock][level] */
   int *from_register, *from_alu; /* [node][clock]: a packet may read it */
   int *batch;                    /* [clock]: the first one of a batch, */
   int *exec;                     /* of an EXEC */
   int *row;                      /* [clock][row]: of the EXEC */
   int *used;                     /* there is a packet that does something */
   int *over;   /* a store of this batch is over: no packets (A93) */
   bool *joins; /* the operation and the one that it adds to can be a sum */
   int *list;   /* to be counted */
   unsigned num_listed;
};

/* --- clauses --- */

static int
new_var(struct model *m)
{
   return ++m->num_vars;
}

static void
add_clause(struct model *m, unsigned count, const int *literals)
{
   for (unsigned i = 0; i < count; i++) {
      if (literals[i] != 0)
         ccadical_add(m->solver, literals[i]);
   }
   ccadical_add(m->solver, 0);
}

/* One of the literals is true. */
#define ONE_OF(m, ...) \
   add_clause(m, ARRAY_SIZE(((int[]){ __VA_ARGS__ })), (int[]){ __VA_ARGS__ })
/* If the first is true, so is one of the others. */
#define IMPLIES(m, a, ...) ONE_OF(m, -(a), __VA_ARGS__)
#define NEVER(m, a) ONE_OF(m, -(a))

static void
put(struct model *m, int literal, unsigned times)
{
   for (unsigned i = 0; literal != 0 && i < times; i++)
      m->list[m->num_listed++] = literal;
}

/* One of the list is true. */
static void
one_of_list(struct model *m)
{
   add_clause(m, m->num_listed, m->list);
   m->num_listed = 0;
}

/*
 * Counts those of the list that are true, up to a limit: a variable i of the
 * counts is true if more than i are.  counts: NULL if more than the limit is
 * not allowed.
 */
static void
count_list(struct model *m, unsigned limit, int *counts)
{
   int *before = calloc(2 * limit, sizeof(*before)), *now = before + limit;
   int *const memory = before;

   for (unsigned i = 0;
        i < m->num_listed && (counts || m->num_listed > limit); i++) {
      const int literal = m->list[i];
      if (!counts && before[limit - 1] != 0)
         IMPLIES(m, literal, -before[limit - 1]);
      for (unsigned k = 0; k < MIN2(limit, i + 1); k++) {
         now[k] = new_var(m);
         if (before[k] != 0)
            IMPLIES(m, before[k], now[k]);
         if (k == 0)
            IMPLIES(m, literal, now[k]);
         else
            IMPLIES(m, literal, -before[k - 1], now[k]);
      }
      int *const counted = now;
      now = before;
      before = counted;
   }
   if (counts)
      memcpy(counts, before, limit * sizeof(*counts));
   free(memory);
   m->num_listed = 0;
}

static void
at_most(struct model *m, unsigned limit)
{
   count_list(m, limit, NULL);
}

/* --- nodes --- */

static bool
is_mfu(const struct fs_node *node)
{
   return node->op == FS_OP_SFU || node->op == FS_OP_MUL ||
          node->op == FS_OP_WCLIP;
}

static bool
is_effect(const struct fs_node *node)
{
   return node->op == FS_OP_STORE || node->op == FS_OP_STENCIL;
}

/* Of fx10 interpolations, lookups and fetches the parts are the values. */
static bool
is_value(const struct fs_node *node)
{
   return (fs_op_is_alu(node->op) && !node->kill) || is_mfu(node) ||
          node->op == FS_OP_PART ||
          (node->op == FS_OP_INTERP && node->format == FS_FP20);
}

static unsigned
halves_of(const struct fs_node *node)
{
   return node->format == FS_FX10 ? 1 : 2;
}

/* The node that is executed where value v is made. */
static unsigned
maker_of(const struct model *m, unsigned v)
{
   const struct fs_node *node = &m->p->nodes[v];

   return node->op == FS_OP_PART ? node->src[0].index : v;
}

/* The level where nodes of the kind deliver; NUM_LEVELS: packets. */
static enum level
level_of(const struct fs_node *maker)
{
   return maker->op == FS_OP_TEX      ? LOOKED_UP
          : is_mfu(maker)             ? MULTIPLIED
          : maker->op == FS_OP_INTERP ? INTERPOLATED
          : maker->op == FS_OP_FETCH  ? INTERPOLATED
                                      : NUM_LEVELS;
}

static unsigned
cell(const struct model *m, unsigned v, unsigned clock)
{
   return v * (m->clocks + 1) + clock;
}

static int
executed(const struct model *m, unsigned v, unsigned clock)
{
   return m->executed[cell(m, v, clock)];
}

static int
held(const struct model *m, unsigned v, unsigned clock, enum level level)
{
   return m->held[cell(m, v, clock) * NUM_LEVELS + level];
}

static void
put_all(struct model *m, unsigned clock, uint32_t ops)
{
   for (unsigned v = 0; v < m->p->num_nodes; v++) {
      if (ops >> m->p->nodes[v].op & 1)
         put(m, executed(m, v, clock), 1);
   }
}

static int *
new_vars(struct model *m, unsigned count)
{
   int *vars = malloc(MAX2(count, 1) * sizeof(*vars));

   for (unsigned i = 0; i < count; i++)
      vars[i] = new_var(m);
   return vars;
}

/* The clock behind the last one has only the level BEFORE. */
static void
make_variables(struct model *m)
{
   const struct fs_program *p = m->p;
   const unsigned clocks = m->clocks + 1, cells = p->num_nodes * clocks;

   m->executed = new_vars(m, cells);
   m->held = new_vars(m, cells * NUM_LEVELS);
   m->from_register = new_vars(m, cells);
   m->from_alu = new_vars(m, cells);
   m->batch = new_vars(m, clocks);
   m->exec = new_vars(m, clocks);
   m->row = new_vars(m, clocks * m->rows);
   m->used = new_vars(m, clocks);
   m->over = new_vars(m, clocks);
   m->joins = calloc(MAX2(p->num_nodes, 1), sizeof(*m->joins));
   m->list = calloc(HALVES_OF_FOUR * (p->num_nodes + 1) + 2 * clocks +
                       2 * FS_MAX_ROWS * 2 + p->values.count * 2 + 64,
                    sizeof(*m->list));
}

/* --- clocks, EXECs and batches --- */

static int
row_at(const struct model *m, unsigned clock, unsigned row)
{
   return m->row[clock * m->rows + row];
}

/* The EXECs of a batch are those of its rows, one after the other. */
static void
order_rows(struct model *m, unsigned clock)
{
   const unsigned last = m->rows - 1;

   IMPLIES(m, m->batch[clock], m->exec[clock]);
   IMPLIES(m, m->batch[clock], row_at(m, clock, 0));
   for (unsigned row = 0; row < m->rows; row++) {
      for (unsigned other = 0; other < row; other++)
         IMPLIES(m, row_at(m, clock, row), -row_at(m, clock, other));
   }
   if (clock == 0) {
      ONE_OF(m, m->batch[0]);
      return;
   }
   IMPLIES(m, m->batch[clock], row_at(m, clock - 1, last));
   for (unsigned row = 0; row < m->rows; row++) {
      const int before = row_at(m, clock - 1, row);
      IMPLIES(m, before, m->exec[clock], row_at(m, clock, row));
      IMPLIES(m, before, -m->exec[clock], m->batch[clock],
              row < last ? row_at(m, clock, row + 1) : 0);
   }
}

/* Not more packets in an EXEC than there can be. */
static void
limit_packets(struct model *m, unsigned clock)
{
   const unsigned most = m->p->chip->fs_exec_packets;

   if (clock + most >= m->clocks)
      return;
   put(m, -m->used[clock], 1);
   for (unsigned i = 1; i <= most; i++) {
      put(m, -m->used[clock + i], 1);
      put(m, m->exec[clock + i], 1);
   }
   one_of_list(m);
}

static void
order_time(struct model *m)
{
   for (unsigned clock = 0; clock < m->clocks; clock++) {
      order_rows(m, clock);
      limit_packets(m, clock);
      IMPLIES(m, m->over[clock], -m->used[clock]);
      if (clock + 1 < m->clocks)
         IMPLIES(m, m->over[clock], m->batch[clock + 1], m->over[clock + 1]);
   }
   ONE_OF(m, row_at(m, m->clocks - 1, m->rows - 1));
}

/* --- values --- */

/* Where a value comes from that is held. */
static void
keep_value(struct model *m, unsigned v, unsigned clock)
{
   const unsigned maker = maker_of(m, v);
   const enum level made = level_of(&m->p->nodes[maker]);
   const int now = executed(m, maker, clock);

   if (clock == 0)
      NEVER(m, held(m, v, 0, BEFORE));
   for (unsigned level = INTERPOLATED; level < NUM_LEVELS; level++)
      IMPLIES(m, held(m, v, clock, level), held(m, v, clock, level - 1),
              level == made ? now : 0);
   IMPLIES(m, held(m, v, clock + 1, BEFORE), held(m, v, clock, LOOKED_UP),
           made == NUM_LEVELS ? now : 0);
}

/* From where a packet may read it. */
static void
let_packets_read(struct model *m, unsigned v, unsigned clock)
{
   const struct fs_node *node = &m->p->nodes[v];
   const int reg = m->from_register[cell(m, v, clock)],
             alu = m->from_alu[cell(m, v, clock)];

   IMPLIES(m, reg, held(m, v, clock, LOOKED_UP));
   if (clock > 0)
      IMPLIES(m, reg, m->batch[clock], held(m, v, clock - 1, LOOKED_UP));
   if (clock == 0 || !fs_op_is_alu(node->op) || node->op == FS_OP_LOW ||
       node->rounds) {
      NEVER(m, alu);
      return;
   }
   IMPLIES(m, alu, executed(m, v, clock - 1));
   IMPLIES(m, alu, -m->exec[clock]);
}

/* --- operations --- */

static void
find_operand(struct model *m, unsigned v, unsigned s, unsigned clock)
{
   const struct fs_node *node = &m->p->nodes[v];
   const unsigned u = node->src[s].index;
   const int now = executed(m, v, clock);

   if (is_effect(node) || (node->op == FS_OP_LOW && s == FS_HIGH_HALF)) {
      IMPLIES(m, now, held(m, u, clock + 1, BEFORE));
   } else if (fs_op_is_alu(node->op)) {
      IMPLIES(m, now, m->from_register[cell(m, u, clock)],
              node->op == FS_OP_RAW ? 0 : m->from_alu[cell(m, u, clock)],
              m->joins[v] && s == 2 ? executed(m, u, clock) : 0);
   } else if (is_mfu(node)) {
      IMPLIES(m, now, held(m, u, clock, INTERPOLATED),
              is_mfu(&m->p->nodes[u]) ? executed(m, u, clock) : 0);
   } else if (node->op == FS_OP_TEX) {
      IMPLIES(m, now, held(m, u, clock, MULTIPLIED));
   }
}

/* An effect belongs to an EXEC of row 0, after its packets. */
static void
place_effect(struct model *m, unsigned v, unsigned clock)
{
   const int now = executed(m, v, clock);

   IMPLIES(m, now, row_at(m, clock, 0));
   if (clock + 1 == m->clocks)
      return;
   IMPLIES(m, now, m->exec[clock + 1]);
   IMPLIES(m, now, m->batch[clock + 1], m->over[clock + 1]);
}

static void
place_node(struct model *m, unsigned v, unsigned clock)
{
   const struct fs_node *node = &m->p->nodes[v];

   if (node->op == FS_OP_PART)
      return;
   for (unsigned s = 0; s < node->num_srcs; s++) {
      if (node->src[s].kind == FS_SRC_NODE)
         find_operand(m, v, s, clock);
   }
   if (is_effect(node))
      place_effect(m, v, clock);
   else
      IMPLIES(m, executed(m, v, clock),
              fs_op_is_alu(node->op) ? m->used[clock] : m->batch[clock]);
}

/* What nothing reads is there for what it does. */
static void
place_once(struct model *m, unsigned v, unsigned uses)
{
   const unsigned op = m->p->nodes[v].op;

   if (op == FS_OP_PART)
      return;
   for (unsigned clock = 0; uses == 0 && clock < m->clocks; clock++)
      put(m, executed(m, v, clock), 1);
   if (uses == 0)
      one_of_list(m);
   if (op != FS_OP_TEX && op != FS_OP_SFU && op != FS_OP_FETCH &&
       !is_effect(&m->p->nodes[v]))
      return;
   for (unsigned clock = 0; clock < m->clocks; clock++)
      put(m, executed(m, v, clock), 1);
   at_most(m, 1);
}

/* --- what there is of everything --- */

/* Registers that a lookup, a fetch or an interpolation writes at the level,
 * in halves; what it delivers there is not counted for itself. */
static unsigned
halves_written(const struct fs_node *node, enum level level)
{
   if (level_of(node) != level || is_value(node))
      return 0;
   return node->op == FS_OP_INTERP ? 2 : HALVES_OF_FOUR;
}

static void
limit_registers(struct model *m, unsigned clock, enum level level)
{
   for (unsigned v = 0; v < m->p->num_nodes; v++) {
      const struct fs_node *node = &m->p->nodes[v];
      const unsigned maker = maker_of(m, v);
      const bool may_write = clock < m->clocks;
      int here = is_value(node) ? held(m, v, clock, level) : 0;

      if (may_write && maker != v &&
          halves_written(&m->p->nodes[maker], level)) {
         const int from_before = new_var(m);
         IMPLIES(m, here, executed(m, maker, clock), from_before);
         here = from_before;
      }
      put(m, here, halves_of(node));
      if (may_write && halves_written(node, level))
         put(m, executed(m, v, clock), halves_written(node, level));
   }
   at_most(m, HALVES_OF_ROW * m->rows);
}

/* Uniforms and embedded constants that an operation of the packet reads. */
static void
note_values(struct model *m, unsigned v, unsigned clock, int *uniforms,
            int *constants, int embeds)
{
   const struct fs_program *p = m->p;
   const struct fs_node *node = &p->nodes[v];
   const int now = executed(m, v, clock);

   for (unsigned s = 0; s < node->num_srcs; s++) {
      if (node->src[s].kind != FS_SRC_VALUE)
         continue;
      const unsigned value = node->src[s].index,
                     reg = p->const_places[value].reg;
      int *read = reg ? &uniforms[reg] : &constants[value];
      if (*read == 0)
         *read = new_var(m);
      IMPLIES(m, now, *read);
      if (!reg && node->op != FS_OP_ACC)
         IMPLIES(m, now, embeds);
   }
}

/* Embedded constants take the fourth unit. */
static void
limit_units(struct model *m, unsigned clock)
{
   const struct fs_program *p = m->p;
   const int embeds = new_var(m);
   int uniforms[FS_REG_COND0] = { 0 },
       *constants = calloc(p->values.count + 1, sizeof(*constants));

   for (unsigned v = 0; v < p->num_nodes; v++) {
      if (fs_op_is_alu(p->nodes[v].op))
         note_values(m, v, clock, uniforms, constants, embeds);
   }
   for (unsigned reg = 0; reg < FS_REG_COND0; reg++)
      put(m, uniforms[reg], 1);
   at_most(m, FS_MAX_PACKET_UNIFORMS);
   for (unsigned i = 0; i < p->values.count; i++)
      put(m, constants[i], p->const_places[i].format == FS_FX10 ? 1 : 2);
   at_most(m, PACKET_CONSTANTS);
   for (unsigned v = 0; v < p->num_nodes; v++) {
      const struct fs_node *node = &p->nodes[v];
      put(m, executed(m, v, clock),
          node->op == FS_OP_ACC && !p->part_sums ? PACKET_UNITS
                                                 : fs_op_units(node));
   }
   put(m, embeds, 1);
   at_most(m, PACKET_UNITS);
   free(constants);
}

static void
limit_ports(struct model *m, unsigned clock)
{
   for (unsigned v = 0; v < m->p->num_nodes; v++) {
      if (is_value(&m->p->nodes[v]))
         put(m, m->from_register[cell(m, v, clock)],
             halves_of(&m->p->nodes[v]));
   }
   at_most(m, 2 * FS_MAX_PACKET_ROW_REGS);
}

/* Of the list there are so many in an MFU instruction, and an instruction
 * takes a clock of the batch. */
static void
limit_instructions(struct model *m, unsigned clock, unsigned per_instruction)
{
   const unsigned most = MIN2(FS_MAX_EXEC_MFU * m->rows, m->clocks - clock),
                  limit = most * per_instruction + 1;
   int counts[2 * FS_MAX_EXEC_MFU * FS_MAX_ROWS + 1];

   count_list(m, limit, counts);
   for (unsigned i = 0; i < limit && counts[i] != 0; i++) {
      const unsigned instructions = i / per_instruction + 1;
      if (instructions > most)
         NEVER(m, counts[i]);
      for (unsigned k = 1; k < instructions && k < most; k++)
         IMPLIES(m, counts[i], -m->batch[clock + k]);
   }
}

/* The MFU has a function and two products in an instruction, or four columns
 * in one that has neither. */
static void
limit_mfu(struct model *m, unsigned clock)
{
   const unsigned limit = COLUMNS * m->rows;
   int columns[COLUMNS * FS_MAX_ROWS];

   put_all(m, clock, 1u << FS_OP_INTERP);
   count_list(m, limit, columns);
   put_all(m, clock, 1u << FS_OP_SFU | 1u << FS_OP_WCLIP);
   for (unsigned i = 0; i < limit; i += COLUMNS)
      put(m, columns[i], 1);
   limit_instructions(m, clock, 1);
   put_all(m, clock, 1u << FS_OP_MUL);
   for (unsigned i = 0; i < limit; i += COLUMNS)
      put(m, columns[i], 2);
   limit_instructions(m, clock, 2);
}

static void
limit_others(struct model *m, unsigned clock)
{
   put_all(m, clock, 1u << FS_OP_TEX);
   at_most(m, m->rows);
   put_all(m, clock, 1u << FS_OP_FETCH);
   at_most(m, 1);
   put_all(m, clock, 1u << FS_OP_STORE | 1u << FS_OP_STENCIL);
   at_most(m, 1);
}

/* --- all of it --- */

static void
write_clock(struct model *m, unsigned clock)
{
   for (unsigned v = 0; v < m->p->num_nodes; v++) {
      if (is_value(&m->p->nodes[v])) {
         keep_value(m, v, clock);
         let_packets_read(m, v, clock);
      }
      place_node(m, v, clock);
   }
   for (unsigned level = BEFORE; level < NUM_LEVELS; level++)
      limit_registers(m, clock, level);
   limit_units(m, clock);
   limit_ports(m, clock);
   limit_mfu(m, clock);
   limit_others(m, clock);
}

static void
write_model(struct model *m)
{
   uint16_t *uses = calloc(MAX2(m->p->num_nodes, 1), sizeof(*uses));

   fs_count_uses(m->p, uses);
   fs_find_joins(m->p, m->joins);
   order_time(m);
   for (unsigned clock = 0; clock < m->clocks; clock++)
      write_clock(m, clock);
   limit_registers(m, m->clocks, BEFORE);
   for (unsigned v = 0; v < m->p->num_nodes; v++)
      place_once(m, v, uses[v]);
   free(uses);
}

bool
fs_refute(const struct fs_program *p, unsigned rows, unsigned clocks)
{
   struct model m = { .p = p, .rows = rows, .clocks = clocks };

   assert(rows >= 1 && rows <= FS_MAX_ROWS && clocks >= 1);
   if (p->num_nodes > MOST_NODES)
      return false;
   m.solver = ccadical_init();
   ccadical_set_option(m.solver, "quiet", 1);
   make_variables(&m);
   write_model(&m);
   ccadical_limit(m.solver, "conflicts", MOST_CONFLICTS);
   const int answer = ccadical_solve(m.solver);
   ccadical_release(m.solver);
   free(m.executed);
   free(m.held);
   free(m.from_register);
   free(m.from_alu);
   free(m.batch);
   free(m.exec);
   free(m.row);
   free(m.used);
   free(m.over);
   free(m.joins);
   free(m.list);
   return answer == 20; /* as in SAT competitions: there is no solution */
}
