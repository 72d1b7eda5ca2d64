/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Scheduling and register allocation of the fragment pipeline, in one pass,
 * backwards from the stores.
 *
 * Why backwards.  All placement rules of the chip are rules about uses: a
 * lookup reads r0,r1 or r2,r3 of the row of its EXEC, a store r0,r1 or r2,r3
 * of row 0, a special function works in place.  Backwards, a value meets its
 * last use first and is given a register that this use can read; when its
 * producer is reached, the register is free again.  Interpolation and fetches
 * end up as late in the program as possible, which keeps lives short.
 *
 * A batch is N EXECs, one per row (fragment-pipeline.md 1.3).  It is filled
 * in this order: store; packets of the EXEC of row N-1 down to those of row
 * 0; then for each row lookup and MFU instructions; then the fetch.  In a
 * batch with a store only row 0 has packets: whether a store sees the packets
 * of later EXECs of its batch is not known.
 */

#include "fs_sched.h"

#define MANY_VARYINGS 20 /* components */

/* Lower bound on the cycles of the remaining operations.  All of them come
 * before the batches that are filled. */
static unsigned
cycles_left(const struct sched *sc)
{
   return MAX2(DIV_ROUND_UP(sc->s.units_left, 4),
               sc->s.nodes_left > 0 ? sc->rows : 0);
}

/* --- EXECs and batches --- */

static void
list_nodes_left(struct sched *sc)
{
   sc->num_left = 0;
   sc->first_copy = sc->s.num_nodes;
   for (unsigned v = 0; v < sc->s.num_nodes; v++) {
      const unsigned op = sc->nodes[v].op;
      if (!sc->values[v].scheduled && op != FS_OP_INTERP &&
          op != FS_OP_PART && op != FS_OP_FETCH)
         sc->left[sc->num_left++] = v;
   }
}

/*
 * Fills an EXEC from its last packet to its first.  complete_group() has made
 * sure that there are registers for the operands which are still open then.
 */
static void
fill_exec(struct sched *sc, struct fs_exec *exec, unsigned max_packets,
          unsigned most_packets)
{
   if (sc->s.later.packet)
      sc->s.later.same_exec = false;
   while (exec->num_packets < most_packets) {
      if (exec->num_packets >= max_packets && sched_front_end_ready(sc))
         break;
      if (!sched_place_packet(sc, exec, NULL, 0))
         break;
   }
   ASSERTED const bool settled = sched_settle_later(sc, NULL);
   assert(settled);
}

/* Pass-through parents decide which pair a store can read. */
static bool
store_parents_at(struct sched *sc, const struct fs_node *store, unsigned pair)
{
   for (unsigned c = 0; c < 4; c++) {
      const unsigned v = store->src[c].index;
      if (sc->nodes[v].op != FS_OP_PART)
         continue;
      const unsigned parent = sc->nodes[v].src[0].index,
                     reg = 2 * pair + c / 2;
      const unsigned first =
         sc->nodes[parent].op == FS_OP_INTERP ? reg : 2 * pair;
      if (sc->nodes[parent].op == FS_OP_FETCH && pair == 0)
         return false;
      if (!sched_place_parent(sc, parent, first))
         return false;
      if (sc->s.owner[reg][c & 1] != NONE && sc->s.owner[reg][c & 1] != v)
         return false;
      sched_set_owner(sc, reg, c & 1, v);
   }
   return true;
}

static bool
place_store(struct sched *sc, unsigned v, unsigned pair)
{
   const struct fs_node *store = &sc->nodes[v];

   if (!store_parents_at(sc, store, pair))
      return false;
   for (unsigned c = 0; c < 4; c++) {
      const unsigned src = store->src[c].index;
      if (sc->nodes[src].op != FS_OP_PART &&
          !sched_allocate_at(sc, src, 2 * pair + c / 2,
                             c & 1 ? FS_HIGH : FS_LOW))
         return false;
   }
   for (unsigned c = 0; c < 4; c++)
      sched_use(sc, store->src[c].index);
   sched_done(sc, v);
   sc->s.effects_left--;
   return true;
}

static bool
schedule_effect(struct sched *sc, struct fs_exec *exec)
{
   for (int v = sc->program_nodes - 1; v >= 0; v--) {
      if (sc->values[v].scheduled)
         continue;
      if (sc->nodes[v].op == FS_OP_STENCIL) {
         exec->stencil = v;
         sched_done(sc, v);
         sc->s.effects_left--;
         return true;
      }
      if (sc->nodes[v].op != FS_OP_STORE)
         continue;
      /* the values of several stores would be alive at once */
      if (sc->position[v] < sched_first_position(sc))
         return false;
      const unsigned first = sc->has_fetch ? 0 : 1;
      sched_save(sc);
      for (unsigned i = 0; i < 2; i++) {
         if (place_store(sc, v, first ^ i)) {
            exec->store = v;
            exec->store_source = first ^ i;
            sched_drop(sc);
            return true;
         }
         sched_restore(sc);
      }
      sched_drop(sc);
      return false;
   }
   return false;
}

/* Without its instructions and packets, which are written when there are
 * some.
 */
static void
clear_exec(struct fs_exec *exec)
{
   exec->num_mfu = exec->num_packets = 0;
   exec->tex = exec->fetch = exec->store = exec->stencil = NONE;
   exec->tex_coord = exec->tex_result = exec->store_source = 0;
}

static unsigned
exec_cost(const struct fs_exec *exec)
{
   return MAX3(1, exec->num_mfu, exec->num_packets);
}

static bool
anything_alive(const struct sched *sc)
{
   return sc->s.taken[0] || sc->s.taken[1] || sc->s.awaited;
}

static const char *
too_many_packets(const struct fs_program *p)
{
   return ralloc_asprintf((void *)p,
                          "the fragment program needs more than %u ALU "
                          "packets",
                          p->chip->fs_alu);
}

/* Is an operation ready that only waits for the write delay: the packet
 * after it, in the next EXEC, reads its result? */
static bool
waits_for_delay(const struct sched *sc)
{
   for (unsigned l = 0; sc->s.later.packet && l < sched_count_left(sc); l++) {
      const unsigned v = sched_node_left(sc, l);
      const struct node_state *value = &sc->values[v];
      if (fs_op_is_alu(sc->nodes[v].op) && !value->scheduled &&
          value->uses_left == 0 && sched_read_by_later(sc, v))
         return true;
   }
   return false;
}

/* A packet that does nothing: the packets before it and after it see each
 * other's registers. */
static void
place_empty_packet(struct sched *sc, struct fs_exec *exec)
{
   struct fs_packet *packet = &exec->packet[exec->num_packets++];

   *packet = (struct fs_packet){ 0 };
   for (unsigned unit = 0; unit < 4; unit++)
      packet->slot[unit] =
         (struct fs_slot){ .node = NONE, .dest = { FS_NOWHERE, 0 } };
   sc->s.later = (struct later_packet){ 0 };
   sc->s.packets++;
}

/* Where the next operations wait for the write delay, an empty packet takes a
 * cycle, but the remaining EXECs of a batch may take more. */
static void
fill_behind_gap(struct sched *sc, struct fs_exec *exec, unsigned max_packets,
                unsigned most_packets)
{
   const unsigned packets = exec->num_packets;
   const struct later_packet later = sc->s.later;

   if (!sc->options->gaps || sc->rows == 1 || packets + 1 >= most_packets ||
       !waits_for_delay(sc))
      return;
   place_empty_packet(sc, exec);
   fill_exec(sc, exec, max_packets, most_packets);
   if (exec->num_packets == packets + 1) {
      exec->num_packets = packets;
      sc->s.packets--;
      sc->s.later = later;
   }
}

#define MAX_BATCH_PACKETS (FS_MAX_ROWS * FS_MAX_EXEC_PACKETS)

/* A packet that reads alu0..3 belongs to the EXEC of the one before it. */
static bool
reads_alu(const struct fs_packet *packet)
{
   for (unsigned unit = 0; unit < 4; unit++) {
      const struct fs_slot *slot = &packet->slot[unit];
      for (unsigned i = 0; slot->node != NONE && i < 3; i++) {
         if (slot->reg[i] >= FS_REG_ALU0 && slot->reg[i] < FS_REG_CONST0)
            return true;
      }
   }
   return false;
}

/*
 * Divides the packets of a batch anew between its EXECs, so that they take as
 * few cycles as possible: all EXECs see all registers, and an EXEC costs a
 * cycle even if it does nothing.  cost[i][k]: of the EXECs from i on, in the
 * order of the list, when they get the packets from k on.
 */
static void
divide_packets(struct sched *sc, struct fs_exec *execs)
{
   const unsigned max = sc->p->chip->fs_exec_packets;
   struct fs_packet list[MAX_BATCH_PACKETS];
   uint8_t cost[FS_MAX_ROWS + 1][MAX_BATCH_PACKETS + 1],
      share[FS_MAX_ROWS][MAX_BATCH_PACKETS + 1];
   bool together[MAX_BATCH_PACKETS + 1];
   unsigned count = 0;

   together[0] = false;
   for (unsigned i = 0; i < sc->rows; i++) {
      for (unsigned k = 0; k < execs[i].num_packets; k++) {
         list[count] = execs[i].packet[k];
         together[++count] = reads_alu(&execs[i].packet[k]);
      }
   }
   memset(cost, UINT8_MAX, sizeof(cost));
   cost[sc->rows][count] = 0;
   for (int i = sc->rows - 1; i >= 0; i--) {
      for (unsigned k = 0; k <= count; k++) {
         for (unsigned n = 0; n <= MIN2(max, count - k); n++) {
            const unsigned c =
               MAX3(1, n, execs[i].num_mfu) + cost[i + 1][k + n];
            if (c < cost[i][k] && !together[k + n]) {
               cost[i][k] = c;
               share[i][k] = n;
            }
         }
      }
   }
   for (unsigned i = 0, k = 0; i < sc->rows; k += execs[i++].num_packets) {
      execs[i].num_packets = share[i][k];
      memcpy(execs[i].packet, &list[k], share[i][k] * sizeof(*list));
   }
}

static bool
fill_batch(struct sched *sc, bool *progress)
{
   struct fs_exec *execs = &sc->execs[sc->num_execs]; /* execs[N - 1 - row] */

   *progress = false;
   list_nodes_left(sc);
   if (sc->num_execs + sc->rows > TEGRA20_FS_MAX_EXECS) {
      sc->reason = "more than 64 EXECs are needed";
      return false;
   }
   for (unsigned i = 0; i < sc->rows; i++)
      clear_exec(&execs[i]);
   sc->work += sc->rows;

   struct fs_exec *row0 = &execs[sc->rows - 1];
   sc->s.later = (struct later_packet){ 0 };
   const bool effect = schedule_effect(sc, row0);
   struct fs_exec *separated = NULL; /* has an empty packet only */
   *progress |= effect;
   for (int row = sc->rows - 1; row >= 0; row--) {
      if (effect && row > 0)
         continue;
      struct fs_exec *exec = &execs[sc->rows - 1 - row];
      const unsigned cap = row > 0 && sc->options->keep_packets_apart
                              ? 1
                              : sc->options->max_packets;
      const unsigned most = effect && sc->options->store_packets
                               ? sc->options->store_packets
                               : sc->p->chip->fs_exec_packets;
      fill_exec(sc, exec, cap, most);
      fill_behind_gap(sc, exec, cap, most);
      *progress |= exec->num_packets > 0;
      if (exec->num_packets > 0)
         separated = NULL;
      if (exec->num_packets > 0)
         continue;
      if (separated) {
         separated->num_packets = 0;
         sc->s.packets--;
      }
      /* an operation without a place here has none in the EXECs before it
       * either, unless it waited for the write delay */
      if (separated || row == 0 || effect ||
          sc->options->keep_packets_apart || !waits_for_delay(sc))
         break;
      place_empty_packet(sc, exec);
      separated = exec;
   }
   for (unsigned row = 0; row < sc->rows; row++)
      sched_front_end(sc, &execs[sc->rows - 1 - row], row, progress);
   if (!*progress)
      return true;
   if (!effect && sc->rows > 1)
      divide_packets(sc, execs);
   sc->num_execs += sc->rows;
   for (unsigned i = 0; i < sc->rows; i++)
      sc->cycles += exec_cost(&execs[i]);
   sc->bound = sc->cycles + cycles_left(sc);
   if (sc->s.packets + DIV_ROUND_UP(sc->s.units_left, 4) >
       sc->p->chip->fs_alu) {
      sc->reason = too_many_packets(sc->p);
      return false;
   }
   return sc->bound < sc->options->limit;
}

bool
sched_is_complete(const struct sched *sc)
{
   return sc->s.nodes_left == 0 && !anything_alive(sc);
}

/*
 * When nothing near can be placed, perhaps something further away can; when
 * nothing at all can, values are computed anew instead of kept.
 */
bool
sched_fill_batch(struct sched *sc)
{
   for (;;) {
      bool progress;

      sc->window = sc->options->window;
      if (!fill_batch(sc, &progress))
         return false;
      while (!progress && sc->window > 0) {
         sc->window = sc->window < sc->program_nodes / 2 ? 2 * sc->window : 0;
         if (!fill_batch(sc, &progress))
            return false;
      }
      if (progress)
         return true;
      if (!sched_make_again(sc)) {
         sc->reason = "the values that are alive at one time do not fit into "
                      "the registers";
         return false;
      }
   }
}

static bool
fill_batches(struct sched *sc)
{
   while (!sched_is_complete(sc)) {
      if (!sched_fill_batch(sc))
         return false;
   }
   return true;
}

/* --- preparation and result --- */

static void
count_users(struct sched *sc)
{
   const unsigned count = sc->program_nodes;
   struct node_state *values = sc->start_values;
   unsigned total = 0;

   sc->user_start = rzalloc_array(sc, uint16_t, count + 2);
   for (unsigned v = 0; v < count; v++) {
      for (unsigned s = 0; s < sc->nodes[v].num_srcs; s++) {
         if (sc->nodes[v].src[s].kind == FS_SRC_NODE) {
            values[sc->nodes[v].src[s].index].uses_left++;
            total++;
         }
      }
   }
   sc->users = ralloc_array(sc, uint16_t, MAX2(total, 1));
   for (unsigned v = 0; v < count; v++)
      sc->user_start[v + 1] = sc->user_start[v] + values[v].uses_left;

   uint16_t *fill = ralloc_array(sc, uint16_t, MAX2(count, 1));
   memcpy(fill, sc->user_start, count * sizeof(*fill));
   for (unsigned v = 0; v < count; v++) {
      for (unsigned s = 0; s < sc->nodes[v].num_srcs; s++) {
         if (sc->nodes[v].src[s].kind == FS_SRC_NODE)
            sc->users[fill[sc->nodes[v].src[s].index]++] = v;
      }
   }
   ralloc_free(fill);
}

/* Steps from the start of the program to the operation, for priorities. */
static void
measure_depth(struct sched *sc)
{
   for (unsigned v = 0; v < sc->program_nodes; v++) {
      const struct fs_node *node = &sc->nodes[v];
      unsigned depth = 0;
      BITSET_WORD *ancestors = sc->ancestors[v];

      for (unsigned s = 0; s < node->num_srcs; s++) {
         if (node->src[s].kind != FS_SRC_NODE)
            continue;
         const unsigned u = node->src[s].index;
         const bool new_exec = fs_op_is_alu(sc->nodes[u].op) &&
                               !fs_op_is_alu(node->op) &&
                               node->op != FS_OP_STORE;
         depth = MAX2(depth, sc->depth[u] + (new_exec ? 2u : 0));
         for (unsigned w = 0;
              w < BITSET_WORDS(sc->program_nodes + SCHED_SPARE_NODES); w++)
            ancestors[w] |= sc->ancestors[u][w];
         BITSET_SET(ancestors, u);
      }
      sc->depth[v] =
         depth + (node->op != FS_OP_PART && node->op != FS_OP_INTERP);
   }
}

void
fs_prepare_schedules(struct fs_program *p)
{
   struct sched *sc = rzalloc(p, struct sched);
   const unsigned space = p->num_nodes + SCHED_SPARE_NODES;

   p->sched = sc;
   sc->p = p;
   sc->space = space;
   sc->program_nodes = sc->start.num_nodes = p->num_nodes;
   sc->nodes = ralloc_array(sc, struct fs_node, space);
   if (p->num_nodes)
      memcpy(sc->nodes, p->nodes, p->num_nodes * sizeof(*sc->nodes));
   sc->values = ralloc_array(sc, struct node_state, space);
   sc->start_values = rzalloc_array(sc, struct node_state, space);
   for (unsigned i = 0; i < SCHED_SNAPSHOTS; i++) {
      sc->snapshot[i].values = ralloc_array(sc, struct node_state, space);
      sc->candidates[i] = ralloc_array(sc, struct candidate, space);
   }
   sc->depth = rzalloc_array(sc, uint16_t, space);
   sc->left = ralloc_array(sc, uint16_t, space);
   sc->front = ralloc_array(sc, uint16_t, space);
   sc->position = rzalloc_array(sc, uint16_t, space);
   for (unsigned v = 0; v < p->num_nodes; v++)
      sc->position[v] = v + 1;
   sc->tram_columns = rzalloc_array(sc, uint8_t, space);
   sc->ancestors = ralloc_array(sc, BITSET_WORD *, space);
   BITSET_WORD *words =
      rzalloc_array(sc, BITSET_WORD, space * BITSET_WORDS(space));
   for (unsigned v = 0; v < space; v++)
      sc->ancestors[v] = words + v * BITSET_WORDS(space);
   /* large, and filled EXEC by EXEC: not cleared */
   sc->execs =
      ralloc_array(sc, struct fs_exec, TEGRA20_FS_MAX_EXECS + FS_MAX_ROWS);

   count_users(sc);
   measure_depth(sc);
   for (unsigned v = 0; v < space; v++)
      sc->start_values[v].reg = FS_NOWHERE;
   for (unsigned reg = 0; reg < MAX_ROW_REGS; reg++)
      sc->start.owner[reg][0] = sc->start.owner[reg][1] =
         sc->start.multi[reg] = NONE;
   unsigned interpolated = 0;
   for (unsigned v = 0; v < p->num_nodes; v++) {
      const unsigned op = p->nodes[v].op;
      interpolated += op == FS_OP_INTERP;
      sc->start.effects_left += op == FS_OP_STORE || op == FS_OP_STENCIL;
      sc->start.nodes_left += op != FS_OP_INTERP;
      sc->start.units_left += fs_op_units(&p->nodes[v]);
      sc->has_fetch |= op == FS_OP_FETCH;
      if (op == FS_OP_TEX || op == FS_OP_SFU || op == FS_OP_MUL ||
          op == FS_OP_WCLIP || op == FS_OP_FETCH)
         sc->front[sc->num_front++] = v;
   }
   sc->many_varyings = interpolated > MANY_VARYINGS;
}

static void
reverse_exec(const struct fs_exec *in, struct fs_exec *out)
{
   out->num_mfu = in->num_mfu;
   out->num_packets = in->num_packets;
   out->tex = in->tex;
   out->fetch = in->fetch;
   out->store = in->store;
   out->stencil = in->stencil;
   out->tex_coord = in->tex_coord;
   out->tex_result = in->tex_result;
   out->store_source = in->store_source;
   for (unsigned i = 0; i < in->num_mfu; i++)
      out->mfu[i] = in->mfu[in->num_mfu - 1 - i];
   for (unsigned i = 0; i < in->num_packets; i++)
      out->packet[i] = in->packet[in->num_packets - 1 - i];
}

/* false when the program does not fit into the instruction tables */
bool
sched_deliver(struct sched *sc, struct fs_schedule *out)
{
   out->rows = sc->rows;
   out->num_execs = sc->num_execs;
   out->cycles = out->num_mfu = out->num_packets = 0;
   out->num_nodes = sc->s.num_nodes;
   out->nodes = sc->nodes;
   for (unsigned i = 0; i < sc->num_execs; i++) {
      reverse_exec(&sc->execs[sc->num_execs - 1 - i], &out->execs[i]);
      out->cycles += exec_cost(&out->execs[i]);
      out->num_mfu += out->execs[i].num_mfu;
      out->num_packets += out->execs[i].num_packets;
   }
   for (unsigned column = 0; column < 4; column++) {
      if (sc->column_cells[column] > TEGRA20_MAX_TRAM_ROWS) {
         sc->reason = "the varyings need more than 16 TRAM rows";
         return false;
      }
   }
   if (out->num_packets > sc->p->chip->fs_alu) {
      sc->reason = too_many_packets(sc->p);
      return false;
   }
   struct fs_mfu_pool pool;
   if (!fs_fill_mfu_pool(out, &pool)) {
      sc->reason = "the fragment program needs more than 64 MFU instructions";
      return false;
   }
   return true;
}

struct sched *
sched_begin(const struct fs_program *p,
            const struct fs_sched_options *options, struct fs_schedule *out)
{
   struct sched *sc = p->sched;

   sc->options = options;
   sc->out = out;
   sc->reason = NULL;
   out->heuristic = options->name;
   out->num_packets = 0;
   sc->rows = options->rows;
   sc->num_regs = 4 * options->rows;
   sc->window = options->window;
   sc->s = sc->start;
   memcpy(sc->values, sc->start_values, sc->space * sizeof(*sc->values));
   memset(sc->tram_columns, 0, sc->space);
   memset(sc->column_cells, 0, sizeof(sc->column_cells));
   sc->num_snapshots = sc->num_execs = 0;
   sc->cycles = sc->work = sc->bound = 0;
   return sc;
}

bool
fs_schedule(const struct fs_program *p,
            const struct fs_sched_options *options, struct fs_schedule *out,
            const char **reason)
{
   struct sched *sc = sched_begin(p, options, out);
   bool ok;

   ok = fill_batches(sc);
   if (ok && sc->num_execs == 0) {
      /* a program that does nothing has an EXEC all the same */
      sc->num_execs = sc->rows;
      for (unsigned i = 0; i < sc->rows; i++)
         clear_exec(&sc->execs[i]);
   }
   ok = ok && sched_deliver(sc, out);
   out->work = sc->work;
   out->nodes_left = sc->s.nodes_left;
   if (!ok)
      *reason = sc->reason;
   return ok;
}

void
fs_keep_schedule(struct fs_schedule *schedule, void *mem_ctx)
{
   schedule->nodes =
      ralloc_memdup(mem_ctx, schedule->nodes,
                    schedule->num_nodes * sizeof(*schedule->nodes));
}
