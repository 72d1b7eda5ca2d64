/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Registers of the scheduler.  Time runs backwards: a value comes to life at
 * its last use, when it is given a place, and dies at its producer, when the
 * place becomes free.
 *
 * A lookup, a fetch or an fx10 interpolation (a "parent" of parts) writes
 * whole registers.  Parts that are not alive yet leave their halves to ALU
 * values that the parent does not depend on: the parent waits until those are
 * made (that is, it comes before them in the program), so its write does not
 * clobber them.
 */

#include "fs_sched.h"

void
sched_save(struct sched *sc)
{
   assert(sc->num_snapshots < SCHED_SNAPSHOTS);
   struct snapshot *snapshot = &sc->snapshot[sc->num_snapshots++];
   snapshot->state = sc->s;
   memcpy(snapshot->values, sc->values,
          sc->s.num_nodes * sizeof(*sc->values));
}

void
sched_restore(struct sched *sc)
{
   const struct snapshot *snapshot = &sc->snapshot[sc->num_snapshots - 1];
   sc->s = snapshot->state;
   memcpy(sc->values, snapshot->values,
          sc->s.num_nodes * sizeof(*sc->values));
}

void
sched_drop(struct sched *sc)
{
   sc->num_snapshots--;
}

bool
sched_depends(const struct sched *sc, unsigned node, unsigned on)
{
   return BITSET_TEST(sc->ancestors[node], on);
}

/* Deterministic: the same seed gives the same program. */
unsigned
sched_noise(const struct sched *sc, unsigned x, unsigned range)
{
   if (sc->options->seed == 0)
      return 0;
   uint32_t h = (x + 1) * 2654435761u ^ (sc->options->seed * 40503u + 12345u);
   h ^= h >> 15;
   h *= 2246822519u;
   h ^= h >> 13;
   return h % range;
}

void
sched_use(struct sched *sc, unsigned v)
{
   assert(sc->values[v].uses_left > 0);
   sc->values[v].last_user = sc->s.packets;
   if (--sc->values[v].uses_left == 0 && sc->nodes[v].op == FS_OP_PART) {
      sc->values[v].scheduled = true;
      sc->s.nodes_left--;
      sched_use(sc, sc->nodes[v].src[0].index);
   }
}

void
sched_done(struct sched *sc, unsigned v)
{
   assert(!sc->values[v].scheduled);
   sc->values[v].scheduled = true;
   if (sc->values[v].is_copy)
      sc->values[sc->nodes[v].src[0].index].copies--;
   sc->s.nodes_left--;
   sc->s.units_left -= fs_op_units(&sc->nodes[v]);
}

/* --- free places --- */

/* Is there a use of the part, still to come, that needs v to be alive as
 * well?  Then they cannot share the half. */
static bool
part_wanted_after(const struct sched *sc, unsigned parent, unsigned part,
                  unsigned v)
{
   for (unsigned i = sc->user_start[parent]; i < sc->user_start[parent + 1];
        i++) {
      const unsigned child = sc->users[i];
      if (sc->nodes[child].part != part)
         continue;
      for (unsigned u = sc->user_start[child]; u < sc->user_start[child + 1];
           u++) {
         const unsigned user = sc->users[u];
         if (!sc->values[user].scheduled && user != v &&
             sched_depends(sc, user, v))
            return true;
      }
   }
   return false;
}

/* All fetches deliver into the same pair of registers: values of one fetch
 * cannot wait beside the pixel of another. */
static bool
comes_from_another_fetch(const struct sched *sc, unsigned parent, unsigned v)
{
   if (sc->nodes[parent].op != FS_OP_FETCH)
      return false;
   for (unsigned u = 0; u < sc->program_nodes; u++) {
      if (u != parent && sc->nodes[u].op == FS_OP_FETCH &&
          sched_depends(sc, v, u))
         return true;
   }
   return false;
}

static bool
half_free_for(const struct sched *sc, unsigned v, unsigned reg, unsigned half)
{
   if (sc->s.owner[reg][half] != NONE)
      return false;
   const unsigned parent = sc->s.multi[reg];
   if (parent == NONE)
      return true;
   if (v >= sc->program_nodes || !fs_op_is_alu(sc->nodes[v].op) ||
       sched_depends(sc, parent, v) ||
       comes_from_another_fetch(sc, parent, v))
      return false;
   const unsigned part = 2 * (reg - sc->values[parent].reg) + half;
   return !part_wanted_after(sc, parent, part, v);
}

static bool
full_free(const struct sched *sc, unsigned reg)
{
   return sched_free_registers(sc) >> reg & 1;
}

static unsigned
parent_size(const struct fs_node *parent)
{
   return parent->op == FS_OP_INTERP ? 1 : 2;
}

static bool
parent_fits(const struct sched *sc, unsigned parent, unsigned reg)
{
   for (unsigned r = 0; r < parent_size(&sc->nodes[parent]); r++) {
      if (sc->s.multi[reg + r] != NONE)
         return false;
      for (unsigned half = 0; half < 2; half++) {
         const unsigned w = sc->s.owner[reg + r][half];
         if (w == NONE)
            continue;
         if (w >= sc->program_nodes || !fs_op_is_alu(sc->nodes[w].op) ||
             sc->nodes[w].format != FS_FX10 || sched_depends(sc, parent, w) ||
             part_wanted_after(sc, parent, 2 * r + half, w) ||
             comes_from_another_fetch(sc, parent, w))
            return false;
      }
   }
   return true;
}

bool
sched_place_parent(struct sched *sc, unsigned parent, unsigned reg)
{
   if (sc->values[parent].reg != FS_NOWHERE)
      return sc->values[parent].reg == reg;
   if (!parent_fits(sc, parent, reg))
      return false;
   sc->values[parent].reg = reg;
   for (unsigned r = 0; r < parent_size(&sc->nodes[parent]); r++)
      sched_set_multi(sc, reg + r, parent);
   return true;
}

static void
own(struct sched *sc, unsigned v, unsigned reg, enum fs_half half)
{
   sc->values[v].reg = reg;
   sc->values[v].half = half;
   if (half != FS_HIGH)
      sched_set_owner(sc, reg, 0, v);
   if (half != FS_LOW)
      sched_set_owner(sc, reg, 1, v);
}

void
sched_free_value(struct sched *sc, unsigned v)
{
   const unsigned reg = sc->values[v].reg;

   assert(!sched_is_interp(&sc->nodes[v])); /* which have several places */
   for (unsigned half = 0; reg != FS_NOWHERE && half < 2; half++) {
      if (sc->s.owner[reg][half] == v)
         sched_set_owner(sc, reg, half, NONE);
   }
   sc->values[v].reg = FS_NOWHERE;
}

void
sched_place_high_half(struct sched *sc, unsigned v)
{
   const unsigned high = sc->nodes[v].src[FS_HIGH_HALF].index;

   assert(sc->values[high].reg == FS_NOWHERE &&
          sc->values[v].half == FS_FULL);
   own(sc, high, sc->values[v].reg, FS_HIGH);
}

/* No other value lives in the registers that the parent writes. */
bool
sched_parent_alone(const struct sched *sc, unsigned parent)
{
   for (unsigned r = 0; r < parent_size(&sc->nodes[parent]); r++) {
      for (unsigned half = 0; half < 2; half++) {
         const unsigned w = sc->s.owner[sc->values[parent].reg + r][half];
         if (w != NONE && !(sc->nodes[w].op == FS_OP_PART &&
                            sc->nodes[w].src[0].index == parent))
            return false;
      }
   }
   return true;
}

void
sched_free_parent(struct sched *sc, unsigned parent)
{
   const unsigned reg = sc->values[parent].reg;

   for (unsigned r = 0; r < parent_size(&sc->nodes[parent]); r++) {
      sched_set_multi(sc, reg + r, NONE);
      sched_set_owner(sc, reg + r, 0, NONE);
      sched_set_owner(sc, reg + r, 1, NONE);
   }
   sc->values[parent].reg = FS_NOWHERE;
}

/* --- choosing places --- */

static bool
pair_of_fetch(const struct sched *sc, unsigned reg)
{
   return sc->has_fetch && (reg == 2 || reg == 3);
}

/* Values in the registers of a row that are made by operations of a mask. */
static unsigned
row_load(const struct sched *sc, unsigned row, uint32_t ops)
{
   const unsigned regs = 0xf << (4 * row);
   unsigned load = 0;

   u_foreach_bit (reg, sc->s.taken[0] & regs)
      load += ops >> sc->nodes[sc->s.owner[reg][0]].op & 1;
   u_foreach_bit (reg, sc->s.awaited & regs)
      load += ops >> sc->nodes[sc->s.multi[reg]].op & 1;
   return load;
}

static bool
row_has_interp(const struct sched *sc, unsigned row)
{
   return row_load(sc, row, 1u << FS_OP_INTERP) > 0;
}

/* TRAM columns have a cell per row: a value is taken from the same column
 * again where possible, and full ones are avoided. */
static int
column_score(const struct sched *sc, unsigned v, unsigned column)
{
   /* with many varyings, components that stay in their columns need few
    * linker instructions */
   const struct fs_node *node = &sc->nodes[v];
   const int home =
      sc->many_varyings && node->format == FS_FP20 && node->comp[0] == column
         ? 96
         : 0;

   if (sc->tram_columns[v] & (1u << column))
      return 4 + home;
   return home + (sc->column_cells[column] < TEGRA20_MAX_TRAM_ROWS
                     ? -(int)sc->column_cells[column] / 4
                     : -200);
}

/* How good a place is; fragments of free space are used up first, whole pairs
 * are kept for lookups. */
static int
place_score(const struct sched *sc, unsigned v, unsigned reg)
{
   const struct fs_node *node = &sc->nodes[v];
   const unsigned free = sched_free_registers(sc);
   const bool partner_free = free >> (reg ^ 1) & 1,
              sibling_used = !(free >> reg & 1);
   int score = (partner_free ? 0 : 8) + (pair_of_fetch(sc, reg) ? -32 : 0) +
               (sibling_used ? 64 : 0);

   switch ((enum fs_op)node->op) {
   case FS_OP_INTERP:
      score += (row_has_interp(sc, reg / 4) ? 16 : 0) +
               column_score(sc, v, reg % 4);
      break;
   case FS_OP_TEX:
      score -= 16 * row_load(sc, reg / 4, 1u << FS_OP_TEX);
      break;
   case FS_OP_SFU:
   case FS_OP_MUL:
   case FS_OP_WCLIP:
      score -= 12 * row_load(sc, reg / 4, 1u << FS_OP_SFU | 1u << FS_OP_MUL);
      break;
   default:
      /* rows of their own keep the registers of the front end free */
      score += sc->rows > 1 ? 2 * (reg / 4) : 0;
      if (sc->rows > 1 && reg < 4 && sc->s.effects_left > 0)
         score -= 128; /* another store needs them */
      break;
   }
   return score + sched_noise(sc, reg * 31 + node->op, 24);
}

static bool
allocate_parent(struct sched *sc, unsigned parent, unsigned avoid)
{
   const struct fs_node *node = &sc->nodes[parent];
   const unsigned size = parent_size(node);
   int best = -1, best_score = 0;

   if (sc->values[parent].reg != FS_NOWHERE)
      return true;
   if (node->op == FS_OP_FETCH)
      return !(avoid & 0xc) && sched_place_parent(sc, parent, 2);
   for (unsigned reg = 0; reg < sc->num_regs; reg += size) {
      if (!parent_fits(sc, parent, reg) ||
          (avoid & (BITFIELD_MASK(size) << reg)))
         continue;
      const int score = place_score(sc, parent, reg);
      if (best < 0 || score > best_score) {
         best = reg;
         best_score = score;
      }
   }
   return best >= 0 && sched_place_parent(sc, parent, best);
}

static bool
allocate_part(struct sched *sc, unsigned v, unsigned avoid)
{
   if (!allocate_parent(sc, sc->nodes[v].src[0].index, avoid))
      return false;
   const struct fs_place place = sched_place(sc, v);
   const unsigned owner = sc->s.owner[place.reg][place.half];
   if (owner != NONE && owner != v)
      return false; /* a value that is born later is still there */
   sched_set_owner(sc, place.reg, place.half, v);
   return true;
}

/* Can the store read the pair, with its present contents?  A value computed
 * from one of its values may be in that one's place. */
static bool
pair_suits_store(const struct sched *sc, const struct fs_node *store,
                 unsigned pair, unsigned v)
{
   for (unsigned c = 0; c < 4; c++) {
      const unsigned reg = 2 * pair + c / 2, src = store->src[c].index,
                     owner = sc->s.owner[reg][c & 1];

      if (sc->s.multi[reg] != NONE)
         return false;
      if (owner == src)
         continue;
      if (owner != NONE && (src == v || owner >= sc->program_nodes ||
                            !sched_depends(sc, owner, src)))
         return false;
      if (src != v && sc->values[src].reg != FS_NOWHERE)
         return false;
   }
   return true;
}

/*
 * The half register in which a store that comes before this point will read
 * the value: a copy less than when it is somewhere else.  FS_NOWHERE when
 * there is none.
 */
static struct fs_place
place_for_store(const struct sched *sc, unsigned v, unsigned avoid)
{
   for (unsigned i = sc->user_start[v]; i < sc->user_start[v + 1]; i++) {
      const struct fs_node *store = &sc->nodes[sc->users[i]];

      if (store->op != FS_OP_STORE || sc->values[sc->users[i]].scheduled)
         continue;
      for (unsigned pair = 0; pair < 2; pair++) {
         unsigned c = 0;

         while (store->src[c].index != v)
            c++;
         if (!(avoid >> (2 * pair + c / 2) & 1) &&
             pair_suits_store(sc, store, pair, v))
            return (struct fs_place){ .reg = 2 * pair + c / 2,
                                      .half = c & 1 };
      }
   }
   return (struct fs_place){ .reg = FS_NOWHERE };
}

bool
sched_allocate(struct sched *sc, unsigned v, unsigned avoid)
{
   const struct fs_node *node = &sc->nodes[v];
   int best = -1, best_score = 0;

   if (node->op == FS_OP_PART)
      return allocate_part(sc, v, avoid);

   const bool full = sched_full_register(node);
   if (!full && v < sc->program_nodes && sc->s.effects_left > 0) {
      const struct fs_place place = place_for_store(sc, v, avoid);
      if (place.reg != FS_NOWHERE) {
         own(sc, v, place.reg, place.half);
         return true;
      }
   }
   const unsigned regs =
      full ? sched_free_registers(sc)
           : BITFIELD_MASK(sc->num_regs) & ~(sc->s.taken[0] & sc->s.taken[1]);
   u_foreach_bit (reg, regs & ~avoid) {
      /* the score is that of the register */
      const unsigned half = full || half_free_for(sc, v, reg, 0) ? 0 : 1;
      if (half == 1 && !half_free_for(sc, v, reg, 1))
         continue;
      const int score = place_score(sc, v, reg);
      if (best < 0 || score > best_score) {
         best = 2 * reg + half;
         best_score = score;
      }
   }
   if (best < 0)
      return false;
   own(sc, v, best / 2, full ? FS_FULL : best & 1);
   return true;
}

/* Node "copy" has become one more to be scheduled. */
static void
add_node(struct sched *sc, unsigned copy)
{
   sc->s.num_nodes++;
   sc->s.nodes_left++;
   sc->s.units_left++;
   for (unsigned s = 0; s < sc->nodes[copy].num_srcs; s++) {
      if (sc->nodes[copy].src[s].kind == FS_SRC_NODE)
         sc->values[sc->nodes[copy].src[s].index].uses_left++;
   }
}

/* A copy of v, made by the ALU before this point. */
static unsigned
add_copy(struct sched *sc, unsigned v)
{
   const unsigned copy = sc->s.num_nodes;
   const bool is_copy =
      v < sc->program_nodes && sc->nodes[v].op != FS_OP_LOW &&
      fs_op_units(&sc->nodes[v]) == 1 && !sc->values[v].scheduled;

   if (copy >= sc->program_nodes + SCHED_SPARE_NODES)
      return NONE;
   sc->nodes[copy] = (struct fs_node){
      .op = FS_OP_MAD,
      .format = sc->nodes[v].format,
      .num_srcs = 3,
      .src = { fs_node_src(v), fs_one(), fs_zero() },
   };
   sc->values[copy] =
      (struct node_state){ .reg = FS_NOWHERE, .is_copy = is_copy };
   sc->values[v].copies += is_copy;
   sc->depth[copy] = sc->depth[v] + 1;
   sc->position[copy] = FS_MAX_NODES; /* as soon as possible */
   memcpy(sc->ancestors[copy], sc->ancestors[v],
          BITSET_WORDS(sc->program_nodes + SCHED_SPARE_NODES) *
             sizeof(BITSET_WORD));
   BITSET_SET(sc->ancestors[copy], v);
   add_node(sc, copy);
   return copy;
}

/* One operation on constants and on values that take no register of their own
 * now: interpolated ones and live ones. */
static bool
easily_made_again(const struct sched *sc, unsigned v)
{
   const struct fs_node *node = &sc->nodes[v];

   if (!fs_op_is_alu(node->op) || node->op == FS_OP_ACC ||
       node->op == FS_OP_LOW || node->kill || sc->values[v].scheduled ||
       sc->values[v].uses_left == 0 || sc->values[v].reg == FS_NOWHERE)
      return false;
   for (unsigned s = 0; s < node->num_srcs; s++) {
      if (node->src[s].kind != FS_SRC_NODE)
         continue;
      const unsigned u = node->src[s].index;
      if (!sched_is_interp(&sc->nodes[u]) &&
          !(sched_is_live(sc, u) && sc->values[u].uses_left > 1))
         return false;
   }
   return true;
}

/* The place of the last operation that still needs the value, in the order of
 * the program. */
static unsigned
next_use(const struct sched *sc, unsigned v)
{
   unsigned next = 0;

   for (unsigned i = sc->user_start[v];
        v < sc->program_nodes && i < sc->user_start[v + 1]; i++) {
      if (!sc->values[sc->users[i]].scheduled)
         next = MAX2(next, sc->position[sc->users[i]]);
   }
   return next;
}

/*
 * Splits a live range: scheduled users read a copy of the operation that is
 * executed next, users still to come (before that) the value itself, which
 * gives up its register.  The value that is needed again last is chosen.
 */
bool
sched_make_again(struct sched *sc)
{
   int best = -1;

   if (sc->s.num_nodes >= sc->program_nodes + SCHED_SPARE_NODES)
      return false;
   for (unsigned v = 0; v < sc->program_nodes; v++) {
      if (easily_made_again(sc, v) &&
          (best < 0 || next_use(sc, v) < next_use(sc, best)))
         best = v;
   }
   if (best < 0)
      return false;

   const unsigned copy = sc->s.num_nodes;
   const struct node_state place = sc->values[best];
   sc->nodes[copy] = sc->nodes[best];
   sc->depth[copy] = sc->depth[best];
   sc->position[copy] = FS_MAX_NODES;
   memcpy(sc->ancestors[copy], sc->ancestors[best],
          BITSET_WORDS(sc->program_nodes + SCHED_SPARE_NODES) *
             sizeof(BITSET_WORD));
   add_node(sc, copy);
   sched_free_value(sc, best);
   sc->values[copy] =
      (struct node_state){ .reg = FS_NOWHERE, .last_user = place.last_user };
   own(sc, copy, place.reg, place.half);
   return true;
}

bool
sched_allocate_at(struct sched *sc, unsigned v, unsigned reg,
                  enum fs_half half)
{
   const struct fs_node *node = &sc->nodes[v];
   const uint16_t *owner = sc->s.owner[reg];

   if (sched_is_interp(node)) {
      if (owner[0] == v && owner[1] == v)
         return true;
      if (!full_free(sc, reg))
         return false;
      sched_set_owner(sc, reg, 0, v);
      sched_set_owner(sc, reg, 1, v);
      if (sc->values[v].reg == FS_NOWHERE)
         own(sc, v, reg, FS_FULL);
      return true;
   }
   if (node->op != FS_OP_PART && sc->values[v].reg == reg &&
       sc->values[v].half == half)
      return true;
   if (half == FS_FULL ? !full_free(sc, reg) : owner[half] != NONE)
      return false;
   if (node->op == FS_OP_PART || sc->values[v].reg != FS_NOWHERE) {
      v = add_copy(sc, v);
      if (v == NONE)
         return false;
   }
   if (half != FS_FULL && sc->s.multi[reg] != NONE &&
       !half_free_for(sc, v, reg, half))
      return false;
   own(sc, v, reg, half);
   return true;
}

bool
sched_allocate_in_row(struct sched *sc, unsigned v, unsigned row,
                      unsigned avoid, unsigned *reg)
{
   /* where it is, if that is in the row */
   for (unsigned r = 4 * row; r < 4 * row + 4; r++) {
      if (sc->s.owner[r][0] == v && sc->s.owner[r][1] == v &&
          !(avoid & (1u << r))) {
         *reg = r;
         return true;
      }
   }
   int best = -1, best_score = 0;
   for (unsigned r = 4 * row; r < 4 * row + 4; r++) {
      if ((avoid & (1u << r)) || !full_free(sc, r))
         continue;
      const int score = place_score(sc, v, r);
      if (best < 0 || score > best_score) {
         best = r;
         best_score = score;
      }
   }
   if (best < 0)
      return false;
   *reg = best;
   return sched_allocate_at(sc, v, best, FS_FULL);
}
