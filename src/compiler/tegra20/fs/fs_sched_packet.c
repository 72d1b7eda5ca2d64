/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * The scheduler fills a packet: which operations can be in it, in what order
 * they are tried, and where their operands are read from.
 *
 * alu0..3 are treated as registers that live for one packet: a value whose
 * users are all in packet k+1 and whose operation fits into packet k of the
 * same EXEC needs no register.  So the places of a packet's operands stay
 * open ("pending") until the packet before it is filled; operands that it
 * does not produce get a register then.  A packet may even read more values
 * than there are registers, as long as the packet before it can be filled
 * with the surplus; if that fails, the packet is taken back and another one
 * tried.
 *
 * Write delay: packet k+1 reads results of packet k only through alu0..3, and
 * no register that k writes, not even its other half, is read by k+1
 * (fragment-pipeline.md 3.5, assumption A44).
 */

#include "tegra20/tegra20_hw.h"

#include "fs_sched.h"

/* --- candidates --- */

static bool
is_pending(const struct sched *sc, unsigned v)
{
   for (unsigned i = 0; i < sc->s.later.num_pending; i++) {
      if (sc->s.later.pending[i] == v)
         return true;
   }
   return false;
}

bool
sched_read_by_later(const struct sched *sc, unsigned v)
{
   if (!sc->s.later.packet)
      return false;
   for (unsigned slot = 0; slot < 4; slot++) {
      for (unsigned i = 0; i < 3; i++) {
         if (sc->s.later.src_node[slot][i] == v)
            return true;
      }
   }
   return false;
}

/* All of its users are scheduled, but for copies that can be in the same
 * packet. */
static bool
is_used(const struct sched *sc, unsigned v)
{
   return !sc->values[v].scheduled &&
          sc->values[v].uses_left == sc->values[v].copies;
}

static bool
is_candidate(const struct sched *sc, unsigned v)
{
   if (!is_used(sc, v))
      return false;
   const struct fs_node *node = &sc->nodes[v];
   if (!fs_op_is_alu(node->op))
      return false;
   if (node->kill && sc->s.effects_left > 0)
      return false;
   /* across EXECs of a batch neither alu0..3 nor the register can be read by
    * the next packet */
   return !sc->s.later.packet || sc->s.later.same_exec ||
          !sched_read_by_later(sc, v);
}

static int
size_of(const struct fs_node *node)
{
   return sched_full_register(node) ? 2 : 1;
}

/* Register halves that become live when v is scheduled, less those that
 * become free. */
static int
pressure_of(const struct sched *sc, unsigned v)
{
   const struct fs_node *node = &sc->nodes[v];
   int delta = sched_is_live(sc, v) || is_pending(sc, v) ? -size_of(node) : 0;

   for (unsigned s = 0; s < node->num_srcs; s++) {
      if (node->src[s].kind != FS_SRC_NODE ||
          sched_is_live(sc, node->src[s].index))
         continue;
      const struct fs_node *src = &sc->nodes[node->src[s].index];
      if (src->op == FS_OP_PART)
         delta += sc->values[src->src[0].index].reg == FS_NOWHERE ? 4 : 0;
      else
         delta += size_of(src);
   }
   return delta;
}

static int
compare_candidates(const void *a, const void *b)
{
   const struct candidate *x = a, *y = b;
   return x->score != y->score ? (x->score < y->score ? 1 : -1)
                               : (int)x->node - (int)y->node;
}

#define FEW_CANDIDATES 24

/* Best first. */
static void
sort_candidates(struct candidate *list, unsigned count)
{
   if (count > FEW_CANDIDATES) {
      qsort(list, count, sizeof(*list), compare_candidates);
      return;
   }
   for (unsigned i = 1; i < count; i++) {
      const struct candidate c = list[i];
      unsigned k = i;
      for (; k > 0 && compare_candidates(&list[k - 1], &c) > 0; k--)
         list[k] = list[k - 1];
      list[k] = c;
   }
}

/* The position of the last operation that is not scheduled. */
static unsigned
last_position(const struct sched *sc)
{
   unsigned last = 0;

   for (unsigned i = 0; i < sc->num_left; i++) {
      if (!sc->values[sc->left[i]].scheduled)
         last = MAX2(last, sc->position[sc->left[i]]);
   }
   return last;
}

unsigned
sched_first_position(const struct sched *sc)
{
   return sc->window ? MAX2(last_position(sc), sc->window) - sc->window : 0;
}

static int
score_of(const struct sched *sc, unsigned v)
{
   const int bias =
      sc->options->bias && v < sc->program_nodes ? sc->options->bias[v] : 0;

   return bias + sc->options->depth * sc->depth[v] -
          (int)sc->options->pressure * pressure_of(sc, v) +
          sc->options->recency * sc->values[v].last_user +
          sc->options->order * sc->position[v] + sched_noise(sc, v, 24);
}

static unsigned
collect_candidates(struct sched *sc, struct candidate *out,
                   const uint16_t *must, unsigned num_must)
{
   unsigned count = 0;
   const unsigned first = sched_first_position(sc);

   for (unsigned l = 0; l < sched_count_left(sc); l++) {
      const unsigned v = sched_node_left(sc, l);
      /* asked of all operations all the time */
      if (!is_used(sc, v) || !is_candidate(sc, v))
         continue;
      if (sc->position[v] < first && !is_pending(sc, v))
         continue;
      int score = score_of(sc, v);
      /* an operation twice is as many units as the operation and a copy, but
       * no packet between them */
      if (sc->values[v].is_copy && is_used(sc, sc->nodes[v].src[0].index))
         score = score_of(sc, sc->nodes[v].src[0].index) - 1;
      for (unsigned i = 0; i < num_must; i++)
         score += must[i] == v ? 1 << 20 : 0;
      out[count++] = (struct candidate){ v, score };
   }
   sort_candidates(out, count);
   return count;
}

/* --- filling a packet --- */

/* A45: on a chip whose alu0..3 hold results before they are scaled, saturated
 * or compared, such results can be read from registers only. */
static bool
alu_holds_other(const struct sched *sc, unsigned v)
{
   const struct fs_node *node = &sc->nodes[v];

   return TEGRA20_HW_IS(ALU_RESULT, RAW) &&
          (node->scale || node->sat || node->cond);
}

/* The reader needs the bits of a register, which alu0..3 do not have: it
 * splits them (FS_OP_RAW), or they were joined (FS_OP_LOW) or rounded. */
static bool
reads_bits(const struct sched *sc, const struct fs_slot *reader, unsigned v)
{
   return sc->nodes[v].op == FS_OP_LOW || sc->nodes[v].rounds ||
          sc->nodes[reader->node].op == FS_OP_RAW;
}

/* Most constrained first: fetches and lookups, whole registers, halves. */
static unsigned
placement_class(const struct sched *sc, unsigned v)
{
   const struct fs_node *node = &sc->nodes[v];

   if (node->op == FS_OP_PART) {
      const unsigned parent = sc->nodes[node->src[0].index].op;
      return parent == FS_OP_FETCH ? 0 : parent == FS_OP_TEX ? 1 : 2;
   }
   return sched_full_register(node) ? 3 : 4;
}

/* Can the packet filled last read all row registers that are decided?
 * without: values that do not count. */
static bool
has_ports(const struct sched *sc, const uint16_t *without,
          unsigned num_without)
{
   uint32_t regs = 0;

   if (sc->s.later.num_sources <= FS_MAX_PACKET_ROW_REGS)
      return true;
   for (unsigned slot = 0; slot < 4; slot++) {
      for (unsigned i = 0; i < 3; i++) {
         const unsigned v = sc->s.later.src_node[slot][i];
         bool counts = v != NONE;
         for (unsigned w = 0; counts && w < num_without; w++)
            counts = without[w] != v;
         const struct fs_place place =
            counts ? sched_place(sc, v) : (struct fs_place){ FS_NOWHERE, 0 };
         if (place.reg != FS_NOWHERE)
            regs |= 1u << place.reg;
      }
   }
   return util_bitcount(regs) <= FS_MAX_PACKET_ROW_REGS;
}

/*
 * Closes the operands of the later packet: results of this group are read
 * from alu0..3, the others from registers.  With no group (end of the EXEC)
 * everything is read from registers.  Whole registers are taken before
 * halves, as find_surplus() does: in another order they might not fit.
 */
bool
sched_settle_later(struct sched *sc, const struct sched_group *g)
{
   struct later_packet *later = &sc->s.later;
   unsigned written = 0;

   if (!later->packet)
      return true;
   for (unsigned i = 0; g && i < g->count; i++) {
      if (sc->values[g->node[i]].reg != FS_NOWHERE)
         written |= 1u << sc->values[g->node[i]].reg;
   }
   for (unsigned class = 3; class < 5; class ++) {
      for (unsigned i = 0; i < later->num_pending; i++) {
         const unsigned v = later->pending[i];
         const bool from_alu = g && later->same_exec && sched_in_group(g, v);
         if (placement_class(sc, v) == class && !from_alu &&
             !sched_allocate(sc, v, written))
            return false;
      }
   }
   later->num_pending = 0;
   for (unsigned slot = 0; slot < 4; slot++) {
      for (unsigned i = 0; i < 3; i++) {
         const unsigned v = later->src_node[slot][i];
         if (v == NONE)
            continue;
         struct fs_slot *s = &later->packet->slot[slot];
         if (g && later->same_exec && sched_in_group(g, v)) {
            if (alu_holds_other(sc, v) || reads_bits(sc, s, v))
               return false;
            s->reg[i] = FS_REG_ALU0 + sched_group_unit(g, v);
            s->half[i] = 0;
            continue;
         }
         const struct fs_place place = sched_place(sc, v);
         if (written & (1u << place.reg))
            return false; /* write delay */
         s->reg[i] = place.reg;
         s->half[i] = place.half == FS_HIGH;
      }
   }
   /* find_surplus() counted those of a trial, which did not know this group's
    * results */
   const bool reads_group = g && later->same_exec;
   return has_ports(sc, reads_group ? g->node : NULL,
                    reads_group ? g->count : 0);
}

static void
fill_operand(const struct sched *sc, const struct sched_group *g,
             struct fs_slot *slot, unsigned i, struct fs_src src,
             uint16_t *open)
{
   unsigned k, half;

   *open = NONE;
   slot->half[i] = 0;
   switch ((enum fs_src_kind)src.kind) {
   case FS_SRC_NODE:
      *open = src.index;
      break;
   case FS_SRC_VALUE: {
      const struct fs_const_place *where = &sc->p->const_places[src.index];
      slot->reg[i] = where->reg;
      slot->half[i] = where->half;
      if (!where->reg && sched_find_const(g->consts, g->num_consts, src.index,
                                          where->format, &k, &half)) {
         slot->reg[i] = FS_REG_CONST0 + k;
         slot->half[i] = half;
      }
      break;
   }
   case FS_SRC_ONE:
      slot->reg[i] = FS_REG_ZERO_ONE;
      slot->half[i] = 1;
      break;
   case FS_SRC_REG:
      slot->reg[i] = src.index;
      break;
   default:
      slot->reg[i] = FS_REG_ZERO_ONE;
      break;
   }
}

static void
fill_slot(struct sched *sc, const struct sched_group *g,
          struct fs_packet *packet, unsigned unit, unsigned v, unsigned term)
{
   const struct fs_node *node = &sc->nodes[v];
   struct fs_slot *slot = &packet->slot[unit];
   struct fs_src src[3] = { fs_zero(), fs_zero(), fs_zero() };

   *slot =
      (struct fs_slot){ .node = v, .term = term, .dest = { FS_NOWHERE, 0 } };
   if (node->op == FS_OP_ACC) {
      src[0] = node->src[2 * term];
      src[1] = node->src[2 * term + 1];
      slot->recv = unit == 0;
      slot->send = unit == 1 || unit == 2;
   } else {
      memcpy(src, node->src, sizeof(src));
   }
   if (term == 0 && !node->kill)
      slot->dest = sched_place(sc, v);
   for (unsigned i = 0; i < 3; i++)
      fill_operand(sc, g, slot, i, src[i], &sc->s.later.src_node[unit][i]);
}

/* The first operation of a packet receives the next ones. */
static void
join_slot(struct sched *sc, const struct sched_group *g,
          struct fs_packet *packet, unsigned i)
{
   const unsigned unit = sched_unit(g, i);
   struct fs_slot *slot = &packet->slot[unit];

   slot->joined = true;
   slot->recv = i == 0;
   slot->send = unit == 1 || unit == 2;
   slot->negate = g->negated & (1u << i);
   slot->reg[2] = FS_REG_ZERO_ONE;
   slot->half[2] = 0;
   sc->s.later.src_node[unit][2] = NONE;
}

static void
fill_slots(struct sched *sc, const struct sched_group *g,
           struct fs_packet *packet)
{
   for (unsigned unit = 0; unit < 4; unit++) {
      packet->slot[unit] =
         (struct fs_slot){ .node = NONE, .dest = { FS_NOWHERE, 0 } };
      for (unsigned i = 0; i < 3; i++)
         sc->s.later.src_node[unit][i] = NONE;
   }
   packet->num_consts = g->num_consts;
   memcpy(packet->consts, g->consts, sizeof(packet->consts));
   for (unsigned i = 0; i < g->count; i++) {
      const unsigned v = g->node[i];
      const struct fs_node *node = &sc->nodes[v];
      if (g->twins & (1u << i)) {
         fill_slot(sc, g, packet, sched_unit(g, i), node->src[0].index, 0);
         packet->slot[sched_unit(g, i)].dest = sched_place(sc, v);
         continue;
      }
      if (node->op != FS_OP_ACC)
         fill_slot(sc, g, packet, sched_unit(g, i), v, 0);
      if (g->num_joined && i <= g->num_joined)
         join_slot(sc, g, packet, i);
      for (unsigned t = 0; node->op == FS_OP_ACC && t < g->sum; t++)
         fill_slot(sc, g, packet, fs_sum_unit(node, t), v, t);
   }
   sc->s.later.num_sources = 0;
   for (unsigned unit = 0; unit < 4; unit++) {
      for (unsigned i = 0; i < 3; i++)
         sc->s.later.num_sources += sc->s.later.src_node[unit][i] != NONE;
   }
}

static void
note_pending(struct sched *sc, unsigned v)
{
   if (!is_pending(sc, v))
      sc->s.later.pending[sc->s.later.num_pending++] = v;
}

#define MAX_GROUP_SOURCES 16

static bool
place_sources(struct sched *sc, const struct sched_group *g)
{
   uint16_t list[5][MAX_GROUP_SOURCES]; /* by class */
   unsigned count[5] = { 0 };

   for (unsigned i = 0; i < g->count; i++) {
      const struct fs_node *node = &sc->nodes[g->node[i]];
      if (g->twins & (1u << i))
         continue;
      for (unsigned s = 0; s < node->num_srcs; s++) {
         const unsigned v = node->src[s].index;
         if (node->src[s].kind != FS_SRC_NODE || sched_is_live(sc, v) ||
             (s == 2 && i < g->num_joined) ||
             (node->op == FS_OP_LOW && s == FS_HIGH_HALF))
            continue;
         const unsigned class = placement_class(sc, v);
         assert(count[class] < MAX_GROUP_SOURCES);
         list[class][count[class]++] = v;
      }
   }
   for (unsigned class = 0; class < 5; class ++) {
      for (unsigned i = 0; i < count[class]; i++) {
         const unsigned v = list[class][i];
         if (sched_is_live(sc, v))
            continue; /* twice in the list, or a part beside another */
         if (fs_op_is_alu(sc->nodes[v].op))
            note_pending(sc, v);
         else if (!sched_allocate(sc, v, 0))
            return false;
      }
   }
   return true;
}

/*
 * Which pending values have no room in the registers or no port to be read
 * from there: they must come from the packet before.  The registers are left
 * as they were.
 */
static unsigned
find_surplus(struct sched *sc, uint16_t *surplus)
{
   unsigned count = 0;

   /* no need to try when there is a port for each operand, and a register
    * that nothing is in for each value */
   if (sc->s.later.num_pending == 0 ||
       (sc->s.later.num_sources <= FS_MAX_PACKET_ROW_REGS &&
        sc->s.later.num_pending <= util_bitcount(sched_free_registers(sc))))
      return 0;
   sched_save(sc);
   const struct later_packet later = sc->s.later;
   for (unsigned class = 3; class < 5; class ++) {
      for (unsigned i = 0; i < later.num_pending; i++) {
         const unsigned v = later.pending[i];
         if (placement_class(sc, v) == class && !sched_allocate(sc, v, 0))
            surplus[count++] = v;
      }
   }
   for (unsigned i = 0; i < later.num_pending; i++) {
      if (has_ports(sc, surplus, count))
         break;
      if (sc->values[later.pending[i]].reg != FS_NOWHERE)
         surplus[count++] = later.pending[i];
   }
   sched_restore(sc);
   sched_drop(sc);
   return count;
}

/* Schedules the group as the packet before the later one; false when
 * registers or ports do not suffice. */
static bool
commit_group(struct sched *sc, struct fs_exec *exec,
             const struct sched_group *g)
{
   struct fs_packet *packet = &exec->packet[exec->num_packets];

   if (!sched_settle_later(sc, g))
      return false;
   sc->s.later.packet = packet;
   sc->s.later.same_exec = true;
   for (unsigned i = 0; i < g->count; i++) {
      if (sc->nodes[g->node[i]].op == FS_OP_LOW)
         sched_place_high_half(sc, g->node[i]);
   }
   fill_slots(sc, g, packet);
   u_foreach_bit (i, g->twins)
      sched_use(sc, sc->nodes[g->node[i]].src[0].index);
   for (unsigned i = 0; i < g->count; i++) {
      sched_free_value(sc, g->node[i]);
      sched_done(sc, g->node[i]);
   }
   if (!place_sources(sc, g))
      return false;
   for (unsigned i = 0; i < g->count; i++) {
      const struct fs_node *node = &sc->nodes[g->node[i]];
      if (g->twins & (1u << i))
         continue;
      for (unsigned s = 0; s < node->num_srcs; s++) {
         if (node->src[s].kind == FS_SRC_NODE)
            sched_use(sc, node->src[s].index);
      }
   }
   exec->num_packets++;
   sc->s.packets++;
   return has_ports(sc, NULL, 0);
}

/* After a commit: are the pending values all right, or can the packet before
 * be made to deliver the surplus? */
static bool
complete_group(struct sched *sc, struct fs_exec *exec)
{
   uint16_t surplus[12];
   const unsigned count = find_surplus(sc, surplus);

   if (count == 0)
      return true;
   if (count > 4 || exec->num_packets >= sc->p->chip->fs_exec_packets ||
       sc->num_snapshots + 3 > SCHED_SNAPSHOTS)
      return false;
   for (unsigned i = 0; i < count; i++) {
      if (!is_candidate(sc, surplus[i]))
         return false;
   }
   return sched_place_packet(sc, exec, surplus, count);
}

static bool
try_group(struct sched *sc, struct fs_exec *exec, const struct sched_group *g)
{
   const unsigned packets = exec->num_packets;

   sc->work++;
   if (commit_group(sc, exec, g) && complete_group(sc, exec))
      return true;
   sched_restore(sc);
   exec->num_packets = packets;
   return false;
}

static bool
contains_all(const struct sched_group *g, const uint16_t *must,
             unsigned num_must)
{
   for (unsigned i = 0; i < num_must; i++) {
      if (!sched_in_group(g, must[i]))
         return false;
   }
   return true;
}

/*
 * A packet of as many operations as possible: where the best ones do not go
 * together, one of them is left out for the next ones.  sched_place_packet()
 * tries packets of fewer operations afterwards.
 */
static bool
place_dense(struct sched *sc, struct fs_exec *exec,
            const struct candidate *candidates, unsigned count,
            const uint16_t *must, unsigned num_must)
{
   for (unsigned size = 4; size >= 3; size--) {
      struct sched_group previous = { 0 };
      for (unsigned without = 0; without <= MIN2(count, 7); without++) {
         struct sched_group g = { 0 };
         /* first with all of them, then without the first, the second... */
         for (unsigned i = 0; i < count && g.count < size; i++) {
            struct sched_group next = g;
            /* embedded constants take the fourth unit: they stay together */
            if (i + 1 != without &&
                sched_group_add(sc, &next, candidates[i].node) &&
                (size < 4 || next.num_consts == 0))
               g = next;
         }
         if (g.count < size || !contains_all(&g, must, num_must) ||
             memcmp(g.node, previous.node, sizeof(g.node)) == 0)
            continue;
         previous = g;
         if (try_group(sc, exec, &g))
            return true;
      }
   }
   return false;
}

/* The best packet that can be placed: as many candidates as fit, in the order
 * of their scores. */
bool
sched_place_packet(struct sched *sc, struct fs_exec *exec,
                   const uint16_t *must, unsigned num_must)
{
   struct candidate *candidates = sc->candidates[sc->num_snapshots];
   const unsigned count = collect_candidates(sc, candidates, must, num_must);
   bool placed = false;

   sched_save(sc);
   if (sc->options->dense)
      placed = place_dense(sc, exec, candidates, count, must, num_must);
   for (unsigned first = 0; first < MIN2(count, 8) && !placed; first++) {
      if (num_must && first > 0)
         break;
      unsigned previous = 5;
      for (unsigned limit = 4; limit >= 1 && !placed; limit--) {
         struct sched_group g = { 0 };
         for (unsigned i = first; i < count && g.count < limit && g.units < 4;
              i++) {
            const unsigned v = candidates[i].node;
            if (g.count + sched_group_size(sc, v) <= limit)
               sched_group_add(sc, &g, v);
         }
         if (g.count == 0 || g.count == previous ||
             !contains_all(&g, must, num_must))
            continue;
         previous = g.count;
         struct sched_group joined = g;
         if (sched_group_join(sc, &joined))
            placed = try_group(sc, exec, &joined);
         if (!placed)
            placed = try_group(sc, exec, &g);
      }
   }
   sched_drop(sc);
   return placed;
}
