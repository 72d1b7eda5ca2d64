/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Beam search for a schedule.
 *
 * An attempt of fs_search.c follows one heuristic from the stores to the
 * start of the program, and the next attempt begins anew.  Here several
 * partial schedules are kept side by side.  A step takes one of them and
 * fills the batch before it, once with each heuristic.
 *
 * Partial schedules are sorted into lists by the cycles that they take.  In a
 * list those stay that seem to have the fewest cycles to go, by an estimate:
 * operations that have h cycles before them in any schedule come at least h
 * cycles after the start (fs_measure_heads()); all operations with such a
 * head, or a larger one, take units of packets that are filled about as well
 * as schedules of applications' programs fill them; and live values cost a
 * little, because they are in the way.  Where the same operations are left
 * and the same values are alive, one partial schedule is enough.
 *
 * The lists are emptied in the order of their cycles, so a complete schedule
 * ends the search, except for partial schedules that can still be shorter.
 */

#include "fs_sched.h"

#define MAX_WIDTH 6

/* The estimate, in 64ths of a cycle.  Batches with stores have few packets:
 * the rest of a program with several of them may fill its packets better than
 * the estimate says. */
#define CYCLE 64
#define UNIT_COST 20 /* 3.2 units of the ALU in a cycle */
#define HALF_COST 4  /* of a live half of a register */
#define MAX_HEADS 512
#define DOUBT 16
#define DOUBT_OF_STORES 6

/* The state of the scheduler behind a batch, which is the first one of a
 * partial schedule. */
struct partial {
   const struct partial *later; /* without that batch */
   struct sched_state s;
   unsigned cycles, num_execs, column_cells[4];
   uint32_t hash;
   int score;
   struct node_state *values;
   uint8_t *tram_columns;
   /* copies that the scheduler has added */
   struct fs_node *copies;
   uint16_t *depth, *position;
   BITSET_WORD *ancestors;
   struct fs_exec execs[FS_MAX_ROWS];
};

struct list {
   unsigned count;
   struct partial *best[MAX_WIDTH]; /* best first */
};

struct beam {
   struct sched *sc;
   struct fs_schedule *out;
   struct fs_sched_options options[FS_NUM_HEURISTICS];
   struct list *lists; /* by cycles */
   uint16_t *heads;
   unsigned width, limit;
   int doubt; /* the estimate may be too high by that part of it */
};

/* --- states --- */

static unsigned
ancestors_size(const struct sched *sc, unsigned count)
{
   return count * BITSET_WORDS(sc->program_nodes + SCHED_SPARE_NODES) *
          sizeof(BITSET_WORD);
}

static struct partial *
new_partial(struct beam *b)
{
   struct sched *sc = b->sc;
   struct partial *x = ralloc(b, struct partial);

   x->values = ralloc_array(x, struct node_state, sc->space);
   x->tram_columns = ralloc_array(x, uint8_t, sc->space);
   x->copies = ralloc_array(x, struct fs_node, SCHED_SPARE_NODES);
   x->depth = ralloc_array(x, uint16_t, SCHED_SPARE_NODES);
   x->position = ralloc_array(x, uint16_t, SCHED_SPARE_NODES);
   x->ancestors = ralloc_size(x, ancestors_size(sc, SCHED_SPARE_NODES));
   return x;
}

static void
store_state(const struct sched *sc, struct partial *x)
{
   const unsigned first = sc->program_nodes, copies = sc->s.num_nodes - first;

   x->s = sc->s;
   x->cycles = sc->cycles;
   x->num_execs = sc->num_execs;
   memcpy(x->column_cells, sc->column_cells, sizeof(x->column_cells));
   memcpy(x->values, sc->values, sc->s.num_nodes * sizeof(*x->values));
   memcpy(x->tram_columns, sc->tram_columns, sc->s.num_nodes);
   memcpy(x->copies, sc->nodes + first, copies * sizeof(*x->copies));
   memcpy(x->depth, sc->depth + first, copies * sizeof(*x->depth));
   memcpy(x->position, sc->position + first, copies * sizeof(*x->position));
   memcpy(x->ancestors, sc->ancestors[first], ancestors_size(sc, copies));
   if (sc->num_execs > 0)
      memcpy(x->execs, sc->execs + sc->num_execs - sc->rows,
             sc->rows * sizeof(*x->execs));
}

static void
load_state(struct sched *sc, const struct partial *x)
{
   const unsigned first = sc->program_nodes, copies = x->s.num_nodes - first;
   const unsigned space = sc->program_nodes + SCHED_SPARE_NODES;

   sc->s = x->s;
   sc->cycles = x->cycles;
   sc->num_execs = x->num_execs;
   memcpy(sc->column_cells, x->column_cells, sizeof(x->column_cells));
   memcpy(sc->values, x->values, x->s.num_nodes * sizeof(*x->values));
   for (unsigned v = x->s.num_nodes; v < space; v++)
      sc->values[v] = (struct node_state){ .reg = FS_NOWHERE };
   memset(sc->tram_columns, 0, space);
   memcpy(sc->tram_columns, x->tram_columns, x->s.num_nodes);
   memcpy(sc->nodes + first, x->copies, copies * sizeof(*x->copies));
   memcpy(sc->depth + first, x->depth, copies * sizeof(*x->depth));
   memcpy(sc->position + first, x->position, copies * sizeof(*x->position));
   memcpy(sc->ancestors[first], x->ancestors, ancestors_size(sc, copies));
}

/* Hashes the remaining operations and the live values; registers do not
 * count. */
static uint32_t
hash_of(const struct sched *sc)
{
   uint32_t h = 2166136261u;

   for (unsigned v = 0; v < sc->s.num_nodes; v++)
      h = (h ^ (sc->values[v].scheduled + 2 * sched_is_live(sc, v))) *
          16777619u;
   return h;
}

/* --- how far it is to the start of the program --- */

static int
live_halves(const struct sched *sc)
{
   return util_bitcount(sc->s.taken[0]) + util_bitcount(sc->s.taken[1]);
}

/* Lower bound on the cycles of the remaining operations; *about: an estimate,
 * in 64ths. */
static unsigned
cycles_to_go(const struct beam *b, int *about)
{
   const struct sched *sc = b->sc;
   uint16_t units[MAX_HEADS] = { 0 };
   unsigned least = 0, sum = 0, tex = 0, top = 0;

   *about = 0;
   for (unsigned v = 0; v < sc->program_nodes; v++) {
      const struct fs_node *node = &sc->nodes[v];
      if (sc->values[v].scheduled || node->op == FS_OP_INTERP ||
          node->op == FS_OP_PART)
         continue;
      tex += node->op == FS_OP_TEX;
      least = MAX2(least, b->heads[v] + 1u);
      const unsigned head = MIN2(b->heads[v], MAX_HEADS - 1);
      units[head] += fs_op_units(node);
      top = MAX2(top, head);
   }
   for (int head = top; head >= 0; head--) {
      if (units[head] == 0)
         continue;
      sum += units[head];
      least = MAX2(least, head + DIV_ROUND_UP(sum, 4));
      *about = MAX2(*about, CYCLE * head + UNIT_COST * (int)sum);
   }
   least = MAX3(least, tex, sc->rows);
   /* a batch with a store has packets in one EXEC only */
   *about = MAX2(*about, CYCLE * (int)least) + UNIT_COST * (int)sum / 8 +
            CYCLE * (int)((sc->rows - 1) * sc->s.effects_left) +
            HALF_COST * live_halves(sc);
   return least;
}

/* --- the search --- */

/* A place in the list for a partial schedule, or NULL when all of the others
 * are better. */
static struct partial *
make_room(struct beam *b, struct list *list, uint32_t hash, int score)
{
   struct partial *x;
   unsigned i = 0;

   while (i < list->count && list->best[i]->hash != hash)
      i++;
   if (i == b->width)
      i--;
   if (i < list->count) {
      x = list->best[i];
      if (x->score <= score)
         return NULL;
   } else {
      x = new_partial(b);
      list->count++;
   }
   for (; i > 0 && list->best[i - 1]->score > score; i--)
      list->best[i] = list->best[i - 1];
   return list->best[i] = x;
}

/* Collects the EXECs of a complete schedule, whose first batch has just been
 * filled. */
static bool
deliver(struct beam *b, const struct partial *from)
{
   struct sched *sc = b->sc;

   for (const struct partial *x = from; x && x->num_execs > 0; x = x->later)
      memcpy(sc->execs + x->num_execs - sc->rows, x->execs,
             sc->rows * sizeof(*x->execs));
   if (!sched_deliver(sc, b->out))
      return false;
   fs_keep_schedule(b->out, b->out);
   b->out->heuristic = "beam";
   b->limit = sc->cycles;
   return true;
}

/* The batch before a partial schedule, in one way; true when the program is
 * complete by it. */
static bool
fill_batch(struct beam *b, const struct partial *from,
           struct fs_sched_options *options)
{
   struct sched *sc = b->sc;
   int about;

   load_state(sc, from);
   options->limit = b->limit;
   options->seed += options->seed ? FS_NUM_HEURISTICS : 0;
   sc->options = options;
   if (!sched_fill_batch(sc))
      return false;
   if (sched_is_complete(sc))
      return sc->cycles < b->limit && deliver(b, from);
   const unsigned least = cycles_to_go(b, &about);
   if (sc->cycles + least >= b->limit ||
       CYCLE * (int)sc->cycles + about - about / b->doubt >=
          CYCLE * (int)b->limit)
      return false;
   const uint32_t hash = hash_of(sc);
   struct partial *x = make_room(b, &b->lists[sc->cycles], hash, about);
   if (x) {
      store_state(sc, x);
      x->later = from;
      x->hash = hash;
      x->score = about;
   }
   return false;
}

/* The number of heuristics to fill the batch before a partial schedule. */
static unsigned
heuristics_before(const struct beam *b, const struct partial *later)
{
   return later->s.effects_left > 0 && b->sc->start.effects_left > 1
             ? FS_NUM_HEURISTICS
             : FS_NUM_HEURISTICS - FS_NUM_STORE_HEURISTICS;
}

static struct beam *
begin(const struct fs_program *p, unsigned rows, unsigned width,
      unsigned limit, const int16_t *bias, struct fs_schedule *out)
{
   struct beam *b = rzalloc(out, struct beam);

   b->out = out;
   b->width = MIN2(width, MAX_WIDTH);
   b->limit = limit;
   b->doubt = p->sched->start.effects_left > 1 ? DOUBT_OF_STORES : DOUBT;
   memcpy(b->options, fs_heuristics, sizeof(fs_heuristics));
   for (unsigned i = 0; i < FS_NUM_HEURISTICS; i++) {
      b->options[i].rows = rows;
      b->options[i].bias = bias;
      b->options[i].seed = i < FS_NUM_PLAIN_HEURISTICS ? 0 : i;
   }
   b->sc = sched_begin(p, &b->options[0], out);
   b->lists = rzalloc_array(b, struct list, limit + 1);
   b->heads = ralloc_array(b, uint16_t, MAX2(p->num_nodes, 1));
   fs_measure_heads(p, rows, b->heads);

   struct partial *nothing = new_partial(b);
   store_state(b->sc, nothing);
   nothing->later = NULL;
   b->lists[0] = (struct list){ .count = 1, .best = { nothing } };
   return b;
}

struct fs_schedule *
fs_beam_schedule(const struct fs_program *p, unsigned rows, unsigned width,
                 unsigned limit, const int16_t *bias, int budget,
                 void *mem_ctx, unsigned *work)
{
   struct fs_schedule *out = rzalloc(mem_ctx, struct fs_schedule);
   struct beam *b = begin(p, rows, width, limit, bias, out);
   bool found = false;

   for (unsigned cycles = 0; cycles < b->limit; cycles++) {
      const struct list *list = &b->lists[cycles];
      for (unsigned i = 0; i < list->count; i++) {
         const struct partial *from = list->best[i];
         const unsigned num = heuristics_before(b, from);
         for (unsigned h = 0; h < num && (int)b->sc->work < budget; h++)
            found |= fill_batch(b, from, &b->options[h]);
      }
   }
   *work = b->sc->work;
   ralloc_free(b);
   if (!found) {
      ralloc_free(out);
      return NULL;
   }
   return out;
}
