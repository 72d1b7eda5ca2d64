/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * The units before the ALU, backwards in time: lookup, then MFU instructions,
 * then (in row 0) the fetch.
 *
 * An MFU instruction is either an interpolation of up to four columns, which
 * needs the special function unit and both multipliers for the weights, or
 * one special function in place and up to two products.  r4 is only known to
 * be readable in the first MFU instruction of an EXEC
 * (fragment-pipeline.md 4.3): so there is one interpolation per EXEC, and it
 * is first.
 */

#include "fs_sched.h"

#define MFU_SRC_SFU 10
#define MFU_SRC_BARY0 11
#define MFU_SRC_ONE 13
#define MFU_DST_WEIGHT 1
#define MFU_DST_R0 4

static bool
ready(const struct sched *sc, unsigned v)
{
   return !sc->values[v].scheduled && sc->values[v].uses_left == 0;
}

/* A lookup or MFU operation whose result has been placed and whose users are
 * all scheduled. */
bool
sched_front_end_ready(const struct sched *sc)
{
   for (unsigned i = 0; i < sc->num_front; i++) {
      const unsigned v = sc->front[i];
      if (ready(sc, v) && sc->values[v].reg != FS_NOWHERE &&
          sc->nodes[v].op != FS_OP_FETCH)
         return true;
   }
   return false;
}

/* --- lookup --- */

static bool
place_coordinates(struct sched *sc, const struct fs_node *tex, unsigned row,
                  unsigned select)
{
   for (unsigned s = 0; s < 4; s++) {
      if (tex->src[s].kind == FS_SRC_NONE)
         continue;
      const unsigned reg = 4 * row + (2 * select + s) % 4;
      if (!sched_allocate_at(sc, tex->src[s].index, reg, FS_FULL))
         return false;
   }
   for (unsigned s = 0; s < 4; s++) {
      if (tex->src[s].kind != FS_SRC_NONE)
         sched_use(sc, tex->src[s].index);
   }
   return true;
}

/* The operation of these with the longest path to the start; -1: none. */
static int
find_deepest(const struct sched *sc, const unsigned *list, unsigned count)
{
   int best = -1;

   for (unsigned i = 0; i < count; i++) {
      if (best < 0 || sc->depth[list[i]] > sc->depth[best])
         best = list[i];
   }
   return best;
}

static bool
schedule_tex(struct sched *sc, struct fs_exec *exec, unsigned row)
{
   unsigned list[2 * FS_MAX_ROWS], count = 0;

   for (unsigned i = 0; i < sc->num_front && count < ARRAY_SIZE(list); i++) {
      const unsigned v = sc->front[i];
      if (ready(sc, v) && sc->nodes[v].op == FS_OP_TEX &&
          sc->values[v].reg / 4 == row && sched_parent_alone(sc, v))
         list[count++] = v;
   }
   const int best = find_deepest(sc, list, count);
   if (best < 0)
      return false;

   const struct fs_node *tex = &sc->nodes[best];
   const unsigned result = (sc->values[best].reg / 2) & 1;

   sched_save(sc);
   const unsigned nodes_before = sc->s.num_nodes;
   for (unsigned attempt = 0; attempt < 4; attempt++) {
      const unsigned select = result ^ (attempt & 1);
      sched_free_parent(sc, best);
      /* a placement without copies first */
      if (place_coordinates(sc, tex, row, select) &&
          (attempt >= 2 || sc->s.num_nodes == nodes_before)) {
         sched_done(sc, best);
         exec->tex = best;
         exec->tex_coord = select;
         exec->tex_result = result;
         sched_drop(sc);
         return true;
      }
      sched_restore(sc);
   }
   sched_drop(sc);
   return false;
}

/* --- MFU --- */

static bool
interp_in_register(const struct sched *sc, unsigned reg)
{
   const unsigned parent = sc->s.multi[reg], v = sc->s.owner[reg][0];

   if (parent != NONE)
      return sc->nodes[parent].op == FS_OP_INTERP;
   return v != NONE && sched_is_interp(&sc->nodes[v]);
}

static bool
interp_needed(const struct sched *sc, unsigned row)
{
   for (unsigned reg = 4 * row; reg < 4 * row + 4; reg++) {
      if (interp_in_register(sc, reg))
         return true;
   }
   return false;
}

static struct fs_mfu
empty_mfu(void)
{
   return (struct fs_mfu){
      .interp = { NONE, NONE, NONE, NONE },
      .sfu_node = NONE,
      .mul_node = { NONE, NONE },
   };
}

/* Another instance of an interpolated value may live in another row. */
static void
forget_interp(struct sched *sc, unsigned v)
{
   sc->values[v].reg = FS_NOWHERE;
   for (unsigned reg = 0; reg < sc->num_regs; reg++) {
      if (sc->s.owner[reg][0] == v) {
         sc->values[v].reg = reg;
         sc->values[v].half = FS_FULL;
      }
   }
}

static void
note_column(struct sched *sc, unsigned v, unsigned column)
{
   if (sc->tram_columns[v] & (1u << column))
      return;
   sc->tram_columns[v] |= 1u << column;
   sc->column_cells[column]++;
}

static void
schedule_interp(struct sched *sc, struct fs_exec *exec, unsigned row)
{
   struct fs_mfu mfu = empty_mfu();

   mfu.sfu = FS_SFU_RCP;
   mfu.sfu_reg = 4;
   for (unsigned i = 0; i < 2; i++) {
      mfu.mul_dst[i] = MFU_DST_WEIGHT;
      mfu.mul_src[i][0] = MFU_SRC_SFU;
      mfu.mul_src[i][1] = MFU_SRC_BARY0 + i;
   }
   for (unsigned column = 0; column < 4; column++) {
      const unsigned reg = 4 * row + column;
      if (!interp_in_register(sc, reg))
         continue;
      if (sc->s.multi[reg] != NONE) {
         const unsigned parent = sc->s.multi[reg];
         if (!sched_parent_alone(sc, parent))
            continue; /* the other half is still in use by a value that is
                         born later */
         mfu.interp[column] = parent;
         note_column(sc, parent, column);
         sched_free_parent(sc, parent);
      } else {
         const unsigned v = sc->s.owner[reg][0];
         mfu.interp[column] = v;
         note_column(sc, v, column);
         sched_set_owner(sc, reg, 0, NONE);
         sched_set_owner(sc, reg, 1, NONE);
         forget_interp(sc, v);
      }
   }
   exec->mfu[exec->num_mfu++] = mfu;
}

static bool
interpolates_anything(const struct fs_mfu *mfu)
{
   for (unsigned c = 0; c < 4; c++) {
      if (mfu->interp[c] != NONE)
         return true;
   }
   return false;
}

static bool
placed_in_row(const struct sched *sc, unsigned v, unsigned row)
{
   return ready(sc, v) && sc->values[v].reg != FS_NOWHERE &&
          sc->values[v].reg / 4 == row;
}

/* All uses of the function that are still open are products of this
 * instruction. */
static bool
only_for(const struct sched *sc, unsigned sfu, const unsigned *products,
         unsigned count)
{
   unsigned uses = 0;

   for (unsigned i = 0; i < count; i++) {
      for (unsigned s = 0; s < 2; s++)
         uses += sc->nodes[products[i]].src[s].index == sfu;
   }
   return !sc->values[sfu].scheduled && sc->nodes[sfu].op == FS_OP_SFU &&
          sc->values[sfu].uses_left == uses;
}

/* Products that can share an instruction: the function they have in common,
 * if any, is executed with them. */
static unsigned
choose_products(const struct sched *sc, unsigned row, unsigned products[2],
                unsigned *sfu)
{
   unsigned candidates[8], num = 0;

   *sfu = NONE;
   for (unsigned i = 0; i < sc->num_front && num < 8; i++) {
      const unsigned v = sc->front[i];
      if (placed_in_row(sc, v, row) && sc->nodes[v].op == FS_OP_MUL)
         candidates[num++] = v;
   }
   for (unsigned i = 0; i < num; i++) {
      for (unsigned j = i; j < num; j++) {
         const unsigned pair[2] = { candidates[i], candidates[j] };
         const unsigned count = i == j ? 1 : 2;
         for (unsigned s = 0; s < 2; s++) {
            const unsigned f = sc->nodes[pair[0]].src[s].index;
            if (only_for(sc, f, pair, count)) {
               products[0] = pair[0];
               products[1] = pair[1];
               *sfu = f;
               return count;
            }
         }
      }
   }
   for (unsigned i = 0; i < MIN2(num, 2); i++)
      products[i] = candidates[i];
   return MIN2(num, 2);
}

static bool
place_product_sources(struct sched *sc, struct fs_mfu *mfu,
                      const unsigned *products, unsigned count, unsigned sfu,
                      unsigned sfu_reg, unsigned row)
{
   unsigned dst_reg[2];

   for (unsigned i = 0; i < count; i++) {
      dst_reg[i] = sc->values[products[i]].reg;
      mfu->mul_dst[i] = MFU_DST_R0 + dst_reg[i] % 4;
      mfu->mul_node[i] = products[i];
      sched_free_value(sc, products[i]);
      sched_done(sc, products[i]);
   }
   for (unsigned i = 0; i < count; i++) {
      /* neither the function's register nor the other multiplier's result */
      unsigned avoid = sfu != NONE ? 1u << sfu_reg : 0;
      if (count == 2)
         avoid |= 1u << dst_reg[!i];
      for (unsigned s = 0; s < 2; s++) {
         const unsigned v = sc->nodes[products[i]].src[s].index;
         unsigned reg;
         if (v == sfu) {
            mfu->mul_src[i][s] = MFU_SRC_SFU;
            sched_use(sc, v);
            continue;
         }
         if (!sched_allocate_in_row(sc, v, row, avoid, &reg))
            return false;
         mfu->mul_src[i][s] = reg % 4;
         sched_use(sc, v);
      }
   }
   return true;
}

/* The argument of a function lives in the register of the result. */
static bool
place_argument(struct sched *sc, struct fs_mfu *mfu, unsigned sfu,
               unsigned reg)
{
   const unsigned arg = sc->nodes[sfu].src[0].index;

   mfu->sfu = sc->nodes[sfu].sfu;
   mfu->sfu_reg = reg % 4;
   mfu->sfu_node = sfu;
   sched_free_value(sc, sfu);
   sched_done(sc, sfu);
   if (!sched_allocate_at(sc, arg, reg, FS_FULL))
      return false;
   sched_use(sc, arg);
   return true;
}

static bool
schedule_products(struct sched *sc, struct fs_exec *exec, unsigned row)
{
   unsigned products[2], sfu, sfu_reg = 0;
   const unsigned count = choose_products(sc, row, products, &sfu);
   struct fs_mfu mfu = empty_mfu();

   if (count == 0)
      return false;
   sched_save(sc);
   if (sfu != NONE) {
      /* room for the argument, which the result overwrites */
      unsigned avoid = 0;
      for (unsigned i = 0; i < count; i++)
         avoid |= 1u << sc->values[products[i]].reg;
      if (!sched_allocate_in_row(sc, sfu, row, avoid, &sfu_reg))
         goto fail;
   }
   if (!place_product_sources(sc, &mfu, products, count, sfu, sfu_reg, row))
      goto fail;
   if (sfu != NONE && !place_argument(sc, &mfu, sfu, sfu_reg))
      goto fail;
   if (interp_needed(sc, row) && exec->num_mfu + 2 > FS_MAX_EXEC_MFU)
      goto fail;
   exec->mfu[exec->num_mfu++] = mfu;
   sched_drop(sc);
   return true;

fail:
   sched_restore(sc);
   sched_drop(sc);
   return false;
}

static bool
schedule_sfu(struct sched *sc, struct fs_exec *exec, unsigned row)
{
   unsigned list[4], count = 0;

   for (unsigned i = 0; i < sc->num_front && count < ARRAY_SIZE(list); i++) {
      const unsigned v = sc->front[i];
      if (placed_in_row(sc, v, row) && sc->nodes[v].op == FS_OP_SFU)
         list[count++] = v;
   }
   const int best = find_deepest(sc, list, count);
   if (best < 0)
      return false;

   struct fs_mfu mfu = empty_mfu();
   sched_save(sc);
   if (!place_argument(sc, &mfu, best, sc->values[best].reg) ||
       (interp_needed(sc, row) && exec->num_mfu + 2 > FS_MAX_EXEC_MFU)) {
      sched_restore(sc);
      sched_drop(sc);
      return false;
   }
   exec->mfu[exec->num_mfu++] = mfu;
   sched_drop(sc);
   return true;
}

/* w_clip = rcp(r4) * 1, in the first MFU instruction of an EXEC, which
 * therefore cannot interpolate. */
static bool
schedule_wclip(struct sched *sc, struct fs_exec *exec, unsigned row)
{
   for (unsigned i = 0; i < sc->num_front; i++) {
      const unsigned v = sc->front[i];
      if (!placed_in_row(sc, v, row) || sc->nodes[v].op != FS_OP_WCLIP)
         continue;
      struct fs_mfu mfu = empty_mfu();
      mfu.sfu = FS_SFU_RCP;
      mfu.sfu_reg = 4;
      mfu.mul_dst[0] = MFU_DST_R0 + sc->values[v].reg % 4;
      mfu.mul_src[0][0] = MFU_SRC_SFU;
      mfu.mul_src[0][1] = MFU_SRC_ONE;
      mfu.mul_node[0] = v;
      exec->mfu[exec->num_mfu++] = mfu;
      sched_free_value(sc, v);
      sched_done(sc, v);
      return true;
   }
   return false;
}

/* A fetch is known to deliver the pixel before this fragment's own store only
 * where it comes first (7.2). */
static bool
store_comes_later(const struct sched *sc, unsigned rt)
{
   for (unsigned v = 0; v < sc->program_nodes; v++) {
      if (sc->nodes[v].op == FS_OP_STORE && sc->nodes[v].rt == rt &&
          !sc->values[v].scheduled)
         return false;
   }
   return true;
}

static bool
schedule_fetch(struct sched *sc, struct fs_exec *exec)
{
   for (unsigned i = 0; i < sc->num_front; i++) {
      const unsigned v = sc->front[i];
      if (!ready(sc, v) || sc->nodes[v].op != FS_OP_FETCH ||
          sc->values[v].reg == FS_NOWHERE || !sched_parent_alone(sc, v) ||
          !store_comes_later(sc, sc->nodes[v].rt))
         continue;
      sched_free_parent(sc, v);
      sched_done(sc, v);
      exec->fetch = v;
      return true;
   }
   return false;
}

void
sched_front_end(struct sched *sc, struct fs_exec *exec, unsigned row,
                bool *progress)
{
   *progress |= schedule_tex(sc, exec, row);
   while (exec->num_mfu < FS_MAX_EXEC_MFU &&
          (schedule_products(sc, exec, row) || schedule_sfu(sc, exec, row)))
      *progress = true;
   if (exec->num_mfu < FS_MAX_EXEC_MFU && interp_needed(sc, row)) {
      schedule_interp(sc, exec, row);
      if (interpolates_anything(&exec->mfu[exec->num_mfu - 1]))
         *progress = true;
      else
         exec->num_mfu--;
   } else if (exec->num_mfu < FS_MAX_EXEC_MFU) {
      *progress |= schedule_wclip(sc, exec, row);
   }
   if (row == 0)
      *progress |= schedule_fetch(sc, exec);
}
