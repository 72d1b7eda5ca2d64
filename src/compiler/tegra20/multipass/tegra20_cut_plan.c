/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * The plan of the cuts: estimates of the costs of parts, and the cuts of a
 * range of the order that cost least by these estimates.
 *
 * A part is a range lo..hi of the order.  Its work is that of the operations
 * in the range and of those rematerialised in it; it loads each value made
 * before lo that something in the range needs, and stores those made in the
 * range that something behind it needs.  For one lo all of that are sums over
 * hi, and the next lo, one operation earlier, changes few of their terms:
 * where the values that this operation reads are read first, and where its
 * results are stored.  The best way from lo to the end of the range follows
 * from the best ways from the positions behind it.  A cut costs the sum of
 * its parts: cycles for the operations, and for those that have to wait for
 * row 0.
 */

#include "tegra20_cut_internal.h"

/* In slots of the ALU. */
#define LOAD 4
#define STORE 5            /* four, and its constants */
#define SLOTS_OF_CYCLE 2   /* packets are hardly ever full */
#define SLOTS_OF_PATH_X2 7 /* twice as many go with one that has to wait */
#define LOAD_PATH 2        /* operations that wait for each other */
#define STORE_PATH 3
#define CROWD 8192       /* slots, squared, that are worth a cycle */
#define ROWS 2           /* cycles of a fetch, and of a store */
#define PART 6           /* cycles that a part costs for being one */
#define MANY_PARTS 3     /* of one range: if there is another way ... */
#define FAR_TOO_MANY 200 /* cycles, for each that there are more */
#define FAR_LOOKUP 20    /* cycles: how bad it is to cut coordinates off */
#define LOOKED_UP 3      /* of a value for which no colour buffer is left */

/* --- uses by position --- */

static unsigned
value_id(unsigned op, unsigned component)
{
   return 4 * op + component;
}

static const struct cut_op *
op_of_value(const struct cut *cut, unsigned value)
{
   return &cut->ops[value / 4];
}

const nir_intrinsic_instr *
cut_as_carried(const struct cut_op *op)
{
   if (op->instr->type != nir_instr_type_intrinsic)
      return NULL;
   const nir_intrinsic_instr *intr = nir_instr_as_intrinsic(op->instr);
   return fs_is_carried(intr) ? intr : NULL;
}

void
cut_note_use(struct cut *cut, unsigned op, unsigned component,
             unsigned position)
{
   const struct cut_use use = { value_id(op, component), position };
   const struct cut_use *uses = cut->uses.data;
   unsigned i = util_dynarray_num_elements(&cut->uses, struct cut_use);

   /* once for each operation */
   assert(position >= 1 && position <= cut_end(cut));
   for (; i > 0 && uses[i - 1].position == position; i--) {
      if (uses[i - 1].value == use.value)
         return;
   }
   util_dynarray_append(&cut->uses, struct cut_use, use);
}

static struct cut_need
need_of(const struct cut *cut, const struct cut_use *use)
{
   const struct cut_op *op = op_of_value(cut, use->value);
   const bool again = op->again && !cut_as_carried(op);

   return (struct cut_need){ .value = use->value,
                             .made = again ? CUT_AGAIN : op->position,
                             .cost = op->cost };
}

static void
count_alive(struct cut *cut)
{
   unsigned *alive = cut->alive; /* at first: more than at the last one */

   memset(alive, 0, (cut_end(cut) + 2) * sizeof(*alive));
   for (unsigned p = 1; p <= cut->num_positions; p++) {
      const struct cut_op *op = &cut->ops[cut->order[p]];

      for (unsigned c = 0; c < 4; c++) {
         if (op->last_use[c] <= p)
            continue;
         alive[p + 1]++;
         alive[op->last_use[c] + 1]--;
      }
   }
   for (unsigned p = 1; p <= cut_end(cut); p++)
      alive[p] += alive[p - 1];
}

/* Where the values that each position uses are made. */
static void
find_ways(struct cut *cut)
{
   const unsigned needs = cut->first_need[cut_end(cut) + 1];
   unsigned count = 0;

   ralloc_free(cut->ways);
   cut->ways = ralloc_array(cut, unsigned, MAX2(needs, 1));
   for (unsigned p = 1; p <= cut_end(cut); p++) {
      const unsigned first = count;

      cut->first_way[p] = first;
      for (unsigned u = cut->first_need[p]; u < cut->first_need[p + 1]; u++) {
         const unsigned made = cut->needs[u].made;

         /* components of one result follow each other */
         if (made && made != CUT_AGAIN &&
             (count == first || cut->ways[count - 1] != made))
            cut->ways[count++] = made;
      }
   }
   cut->first_way[cut_end(cut) + 1] = count;
}

/* cut->needs[cut->first_need[p]] to [cut->first_need[p + 1] - 1] are the
 * values that position p uses. */
void
cut_sort_uses(struct cut *cut)
{
   const unsigned count =
      util_dynarray_num_elements(&cut->uses, struct cut_use);
   unsigned *first = cut->first_need;

   memset(first, 0, (cut_end(cut) + 2) * sizeof(*first));
   util_dynarray_foreach (&cut->uses, struct cut_use, use)
      first[use->position + 1]++;
   for (unsigned p = 1; p <= cut_end(cut) + 1; p++)
      first[p] += first[p - 1];
   ralloc_free(cut->needs);
   cut->needs = ralloc_array(cut, struct cut_need, MAX2(count, 1));
   unsigned *next = ralloc_array(cut, unsigned, cut_end(cut) + 1);
   memcpy(next, first, (cut_end(cut) + 1) * sizeof(*next));
   util_dynarray_foreach (&cut->uses, struct cut_use, use)
      cut->needs[next[use->position]++] = need_of(cut, use);
   ralloc_free(next);
   count_alive(cut);
   find_ways(cut);
}

/* --- estimates --- */

/* Needs of a part that begins at lo, as hi moves on. */
struct sweep {
   const struct cut *cut;
   unsigned lo, hi;
   unsigned loads, stores;
   unsigned again; /* slots of rematerialised operations */
   unsigned path;  /* slots of operations that wait for each other */
};

/* Parts that the values of a range are divided between. */
static unsigned
parts_for(unsigned stores)
{
   return MAX2(DIV_ROUND_UP(stores, CUT_MAX_STORES), 1);
}

unsigned
cut_stores_of_part(unsigned stores)
{
   const unsigned parts = parts_for(stores);

   return parts == 1 ? stores : DIV_ROUND_UP(stores, parts);
}

/* The share of each of several parts in a resource of the range: some is left
 * to the others. */
static unsigned
share_of(unsigned all, unsigned parts)
{
   return parts == 1 ? all : all * (parts + 1) / (2 * parts);
}

static unsigned
work_of(const struct sweep *s)
{
   return s->cut->work[s->hi] - s->cut->work[s->lo] + s->again +
          LOAD * s->loads;
}

static unsigned
slots_of(const struct sweep *s)
{
   const struct cut *cut = s->cut;
   const unsigned path =
      s->path + (s->loads ? LOAD_PATH : 0) + (s->stores ? STORE_PATH : 0);
   unsigned slots = share_of(work_of(s), parts_for(s->stores)) +
                    STORE * cut_stores_of_part(s->stores);

   if (s->hi == cut_end_of_segment(cut, cut->segment))
      slots += STORE * cut->num_changed[cut->segment];
   return MAX2(slots, path * SLOTS_OF_PATH_X2 / 2);
}

/* No part of a longer range takes less, if no range is more parts. */
static unsigned
least_slots(const struct sweep *s, unsigned most_parts)
{
   return MAX2(share_of(work_of(s), most_parts),
               s->path * SLOTS_OF_PATH_X2 / 2);
}

/* Parts of the same size are best: a large one has no packets to spare for
 * write delays. */
static unsigned
cycles_of(const struct sweep *s, unsigned slots)
{
   const unsigned parts = parts_for(s->stores);
   const unsigned loads = share_of(s->loads, parts),
                  surfaces = loads + cut_stores_of_part(s->stores);
   unsigned cycles = parts * (slots / SLOTS_OF_CYCLE + slots * slots / CROWD +
                              PART + ROWS * loads) +
                     ROWS * s->stores;

   if (parts > MANY_PARTS)
      cycles += FAR_TOO_MANY * (parts - MANY_PARTS);
   const unsigned most = TEGRA20_MAX_CBUFS -
                         (s->hi == cut_end(s->cut) ? s->cut->num_targets : 0);
   if (surfaces > most)
      cycles += LOOKED_UP * (surfaces - most);
   if (surfaces > most + s->cut->num_units)
      cycles += CUT_TOO_MUCH * (surfaces - most - s->cut->num_units);
   if (s->cut->far_lookup[s->hi])
      cycles += FAR_LOOKUP;
   return cycles;
}

/* --- the plan --- */

#define NO_WAY (UINT_MAX / 2)

/* How a sweep changes from the place before. */
struct change {
   int loads, stores, again;
};

/*
 * Sweeps from one position after the other, from the last to the first, over
 * the places where a range may end.  The first place is the start of it all.
 * The end of a segment sees the operands of its effects, too, which are
 * behind its operations.
 */
struct plan {
   struct cut *cut;
   unsigned *places, num_places;
   unsigned most_parts; /* of a range: its values are alive at a place */
   unsigned seen;       /* by the last place: the position behind that */
   unsigned *behind; /* per position: the first place that is there or behind
                        it */
   struct change *changes; /* per place, and those that no place sees */
   unsigned *next_use;     /* per value, as far as that is seen; or 0 */
};

static struct plan *
new_plan(struct cut *cut, unsigned lo, unsigned end)
{
   struct plan *plan = rzalloc(cut, struct plan);

   plan->cut = cut;
   plan->seen = end == cut_end_of_segment(cut, cut->segment) ? end + 1 : end;
   plan->places = ralloc_array(plan, unsigned, end - lo + 2);
   plan->places[plan->num_places++] = lo;
   plan->next_use = rzalloc_array(plan, unsigned, 4 * cut->num_ops);
   return plan;
}

static void
add_place(struct plan *plan, unsigned p)
{
   plan->places[plan->num_places++] = p;
   plan->most_parts = MAX2(plan->most_parts, parts_for(plan->cut->alive[p]));
}

static struct change *
change_behind(const struct plan *plan, unsigned p)
{
   const unsigned place =
      p < plan->seen ? plan->behind[p + 1] : plan->num_places;

   return &plan->changes[place];
}

/* Counts the operands of position p, which is their first use. */
static void
add_uses(struct plan *plan, unsigned p)
{
   const struct cut *cut = plan->cut;

   for (unsigned u = cut->first_need[p]; u < cut->first_need[p + 1]; u++) {
      const struct cut_need *need = &cut->needs[u];
      unsigned *next = &plan->next_use[need->value];

      if (need->made == CUT_AGAIN) {
         if (*next)
            change_behind(plan, *next)->again -= need->cost;
         change_behind(plan, p)->again += need->cost;
      } else {
         if (*next)
            change_behind(plan, *next)->loads--;
         change_behind(plan, p)->loads++;
      }
      *next = p;
   }
}

/* Counts the results of position p: sweeps from there do not load them, but
 * store them up to their last use. */
static void
add_results(struct plan *plan, unsigned p)
{
   const struct cut_op *op = &plan->cut->ops[plan->cut->order[p]];

   for (unsigned c = 0; c < 4; c++) {
      const unsigned next = plan->next_use[value_id(plan->cut->order[p], c)];

      if (next)
         change_behind(plan, next)->loads--;
      if (op->last_use[c] > p) {
         change_behind(plan, p)->stores++;
         change_behind(plan, op->last_use[c])->stores--;
      }
   }
}

/* Of each step of that many slots, 0: of each operation, the place where
 * fewest values are alive. */
static void
add_places(struct plan *plan, unsigned lo, unsigned end, unsigned step)
{
   const struct cut *cut = plan->cut;
   unsigned best = lo + 1;

   for (unsigned p = lo + 2; p <= end; p++) {
      if (!step || cut->work[p] / step != cut->work[best] / step) {
         add_place(plan, best);
         best = p;
      } else if (cut->alive[p] <= cut->alive[best]) {
         best = p;
      }
   }
   if (best < end)
      add_place(plan, best);
   add_place(plan, end);
}

/* The last place is added, the sweeps may begin. */
static void
finish_places(struct plan *plan)
{
   const unsigned first = plan->places[0],
                  last = plan->places[plan->num_places - 1];

   plan->changes = rzalloc_array(plan, struct change, plan->num_places + 1);
   plan->behind = ralloc_array(plan, unsigned, plan->seen + 1);
   for (unsigned p = first, place = 1; p <= plan->seen; p++) {
      place += place < plan->num_places - 1 && p > plan->places[place];
      plan->behind[p] = place;
   }
   if (plan->seen > last)
      add_uses(plan, last);
}

/* Sweeps begin at a place now, and not at the next one. */
static void
begin_at(struct plan *plan, unsigned place)
{
   for (unsigned p = plan->places[place + 1]; p-- > plan->places[place];) {
      add_uses(plan, p);
      add_results(plan, p);
   }
}

static void
advance(struct sweep *s, const struct plan *plan, unsigned place)
{
   struct cut *cut = plan->cut;
   const struct change *change = &plan->changes[place];

   s->loads += change->loads;
   s->stores += change->stores;
   s->again += change->again;
   for (; s->hi < plan->places[place]; s->hi++) {
      const unsigned p = s->hi;
      unsigned path = 0;

      for (unsigned w = cut->first_way[p]; w < cut->first_way[p + 1]; w++) {
         if (cut->ways[w] >= s->lo)
            path = MAX2(path, cut->path[cut->ways[w]]);
      }
      cut->path[p] = path + cut->work[p + 1] - cut->work[p];
      s->path = MAX2(s->path, cut->path[p]);
   }
}

/* The best place behind another one: parts of more slots than "limit" do not
 * fit, unless they cannot be cut. */
static void
find_best_behind(const struct plan *plan, unsigned first, unsigned limit)
{
   struct cut *cut = plan->cut;
   const unsigned lo = plan->places[first];
   struct sweep s = { cut, lo, lo };
   struct cut_choice best = { .cycles = NO_WAY };

   for (unsigned i = first + 1; i < plan->num_places; i++) {
      if (best.hi && least_slots(&s, plan->most_parts) > limit)
         break;
      advance(&s, plan, i);
      const unsigned n = slots_of(&s);
      if (best.hi && n > limit)
         continue;
      const bool is_end = i == plan->num_places - 1;
      const unsigned total =
         cycles_of(&s, n) + (is_end ? 0 : cut->choices[s.hi].cycles);
      if (!best.hi || total <= best.cycles)
         best = (struct cut_choice){ s.hi, total, n };
   }
   cut->choices[lo] = best;
}

/* The cost of a part that is not cut. */
static struct sweep
sweep_over(struct cut *cut, unsigned lo, unsigned end)
{
   struct plan *plan = new_plan(cut, lo, end);
   struct sweep s = { cut, lo, lo };

   add_place(plan, end);
   finish_places(plan);
   begin_at(plan, 0);
   advance(&s, plan, 1);
   ralloc_free(plan);
   return s;
}

unsigned
cut_slots(struct cut *cut, unsigned lo, unsigned end)
{
   const struct sweep s = sweep_over(cut, lo, end);

   return slots_of(&s);
}

unsigned
cut_plan_range(struct cut *cut, unsigned lo, unsigned end, unsigned limit,
               unsigned step)
{
   if (lo == end) {
      const struct sweep s = sweep_over(cut, lo, end);

      return cycles_of(&s, slots_of(&s));
   }
   struct plan *plan = new_plan(cut, lo, end);
   add_places(plan, lo, end, step);
   finish_places(plan);
   for (unsigned i = plan->num_places - 1; i-- > 0;) {
      begin_at(plan, i);
      find_best_behind(plan, i, limit);
   }
   ralloc_free(plan);
   return cut->choices[lo].cycles;
}
