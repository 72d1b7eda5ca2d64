/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * A schedule to machine words (fragment-pipeline.md 1.4, 3, 4, 5, 6, 7), and
 * varyings to TRAM.
 */

#include <stdlib.h>

#include "tegra20/tegra20_hw.h"

#include "fs.h"
#include "fs_alu_isa.h"
#include "fs_dw_isa.h"
#include "fs_mfu_isa.h"
#include "fs_pseq_isa.h"
#include "fs_tex_isa.h"

enum { OPERAND_C, OPERAND_B, OPERAND_A };

#define TRAM_FX10_LOW 1
#define TRAM_FX10_HIGH 2
#define TRAM_FP20 3

struct cell {
   bool used, flat;
   uint8_t format; /* enum fs_format */
   uint8_t slot[2], comp[2];
};

struct emission {
   const struct fs_program *p;
   const struct fs_schedule *schedule;
   struct tegra20_fs *out;
   struct cell tram[TEGRA20_MAX_TRAM_ROWS][4];
   bool share_rows; /* there are more groups of cells than rows */
   unsigned num_consts;
   char *error;
   void *mem_ctx;
};

static void
fail(struct emission *e, const char *format, ...)
{
   if (e->error)
      return;
   va_list args;
   va_start(args, format);
   e->error = ralloc_vasprintf(e->mem_ctx, format, args);
   va_end(args);
}

/* --- TRAM --- */

static struct cell
cell_of(const struct fs_node *node)
{
   struct cell cell = { .used = true,
                        .flat = node->flat,
                        .format = node->format };

   for (unsigned half = 0; half < (node->format == FS_FX10 ? 2 : 1); half++) {
      cell.slot[half] = node->slot[half];
      cell.comp[half] = node->comp[half];
   }
   return cell;
}

static void
add_input(struct emission *e, const struct cell *cell, unsigned half,
          unsigned row, unsigned column)
{
   static const uint8_t fx10_types[] = { TRAM_FX10_LOW, TRAM_FX10_HIGH };

   if (cell->slot[half] == FS_NO_SLOT)
      return;
   e->out->inputs[e->out->num_inputs++] = (struct tegra20_fs_input){
      .slot = cell->slot[half],
      .component = cell->comp[half],
      .row = row,
      .column = column,
      .type = cell->format == FS_FP20 ? TRAM_FP20 : fx10_types[half],
      .flat = cell->flat,
   };
}

static bool
same_cell(const struct cell *a, const struct cell *b)
{
   return memcmp(a, b, sizeof(*a)) == 0;
}

/*
 * Cells that can share a row and a linker instruction, which moves components
 * of one varying into one row, each component to one place
 * (vertex-pipeline.md 12.1).
 */
struct group {
   struct cell cell[4]; /* per column */
   unsigned components; /* of the varying */
};

static unsigned
group_size(const struct group *g)
{
   return g->cell[0].used + g->cell[1].used + g->cell[2].used +
          g->cell[3].used;
}

static unsigned
components_of(const struct cell *cell)
{
   return 1u << cell->comp[0] |
          (cell->format == FS_FX10 && cell->slot[1] == cell->slot[0]
              ? 1u << cell->comp[1]
              : 0);
}

static unsigned
group_slot(const struct group *g)
{
   unsigned c = 0;
   while (!g->cell[c].used)
      c++;
   return g->cell[c].slot[0];
}

static unsigned
add_to_groups(struct group *groups, unsigned count,
              const struct fs_node *node, unsigned column)
{
   const struct cell cell = cell_of(node);
   unsigned i;

   for (i = 0; i < count; i++) {
      if (same_cell(&groups[i].cell[column], &cell))
         return count;
   }
   for (i = 0; i < count; i++) {
      if (group_slot(&groups[i]) == cell.slot[0] &&
          !groups[i].cell[column].used &&
          !(groups[i].components & components_of(&cell)))
         break;
   }
   if (i == count)
      groups[count++] = (struct group){ 0 };
   groups[i].cell[column] = cell;
   groups[i].components |= components_of(&cell);
   return count;
}

static int
compare_groups(const void *a, const void *b)
{
   const struct group *x = a, *y = b;
   const unsigned x_size = group_size(x), y_size = group_size(y);

   if (x_size != y_size)
      return (int)y_size - (int)x_size;
   return memcmp(x, y, sizeof(*x));
}

/*
 * The fullest row that has room for the columns, or -1.  Groups have rows of
 * their own as long as there are enough: two linker instructions that fill
 * one row were never seen (assumption A41).
 */
static int
row_for(const struct emission *e, const struct group *g)
{
   int best = -1;
   unsigned best_used = 0;

   for (unsigned r = 0; r < TEGRA20_MAX_TRAM_ROWS; r++) {
      unsigned used = 0;
      bool fits = true;
      for (unsigned c = 0; c < 4; c++) {
         used += e->tram[r][c].used;
         fits &= !e->tram[r][c].used || !g->cell[c].used;
      }
      fits &= !used || (e->share_rows && !TEGRA20_HW_IS(LINKER_ROWS, LAST));
      if (fits && (best < 0 || used > best_used)) {
         best = r;
         best_used = used;
      }
   }
   return best;
}

static void
place_group(struct emission *e, const struct group *g)
{
   const int row = row_for(e, g);

   if (row < 0 && group_size(g) == 1) {
      fail(e, "the varyings need more than %u TRAM rows",
           TEGRA20_MAX_TRAM_ROWS);
      return;
   }
   for (unsigned c = 0; c < 4; c++) {
      if (!g->cell[c].used)
         continue;
      if (row < 0) {
         struct group single = { 0 };
         single.cell[c] = g->cell[c];
         place_group(e, &single);
         continue;
      }
      e->tram[row][c] = g->cell[c];
      for (unsigned half = 0; half < (g->cell[c].format == FS_FX10 ? 2 : 1);
           half++)
         add_input(e, &g->cell[c], half, row, c);
      e->out->num_tram_rows = MAX2(e->out->num_tram_rows, (unsigned)row + 1);
   }
}

/* Rows for everything that is interpolated.  There are 16 rows and 32 linker
 * instructions. */
static void
assign_tram(struct emission *e)
{
   const struct fs_schedule *schedule = e->schedule;
   struct group *groups =
      rzalloc_array(e->mem_ctx, struct group, TEGRA20_FS_MAX_MFU * 4);
   unsigned count = 0;

   for (unsigned i = 0; i < schedule->num_execs; i++) {
      for (unsigned m = 0; m < schedule->execs[i].num_mfu; m++) {
         const uint16_t *interp = schedule->execs[i].mfu[m].interp;
         for (unsigned c = 0; c < 4; c++) {
            if (interp[c] != FS_NO_NODE)
               count = add_to_groups(groups, count,
                                     &schedule->nodes[interp[c]], c);
         }
      }
   }
   qsort(groups, count, sizeof(*groups), compare_groups);
   e->share_rows = count > TEGRA20_MAX_TRAM_ROWS;
   for (unsigned i = 0; i < count && !e->error; i++)
      place_group(e, &groups[i]);
   ralloc_free(groups);
}

/* The row in which column holds what the node interpolates. */
static unsigned
tram_row(const struct emission *e, const struct fs_node *node,
         unsigned column)
{
   const struct cell wanted = cell_of(node);
   unsigned row = 0;

   while (row < TEGRA20_MAX_TRAM_ROWS - 1 &&
          !same_cell(&e->tram[row][column], &wanted))
      row++;
   return row;
}

/* --- MFU --- */

static void
emit_mfu(struct emission *e, const struct fs_mfu *mfu)
{
   struct fs_mfu_inst inst = { 0 };
   struct tegra20_fs *out = e->out;

   inst.sfu_op = mfu->sfu;
   inst.sfu_reg = mfu->sfu_reg;
   for (unsigned i = 0; i < 2; i++) {
      inst.mul_dst[i] = mfu->mul_dst[i];
      inst.mul_src0[i] = mfu->mul_src[i][0];
      inst.mul_src1[i] = mfu->mul_src[i][1];
   }
   for (unsigned c = 0; c < 4; c++) {
      if (mfu->interp[c] == FS_NO_NODE)
         continue;
      const struct fs_node *node = &e->schedule->nodes[mfu->interp[c]];
      inst.var_op[c] =
         node->format == FS_FX10 ? FS_MFU_VAR_FX10 : FS_MFU_VAR_FP20;
      inst.var_row[c] = tram_row(e, node, c);
   }
   fs_mfu_pack(&inst, out->mfu[out->num_mfu++]);
}

/* --- ALU --- */

static bool
operand_is_fx10(const struct emission *e, struct fs_src src, unsigned reg)
{
   if (reg >= FS_REG_ALU0 && reg < FS_REG_CONST0)
      return false;
   switch ((enum fs_src_kind)src.kind) {
   case FS_SRC_NODE:
      return e->schedule->nodes[src.index].format == FS_FX10;
   case FS_SRC_VALUE:
      return e->p->const_places[src.index].format == FS_FX10;
   case FS_SRC_REG:
      return false;
   default:
      return true; /* register 31 */
   }
}

static void
emit_operand(const struct emission *e, struct fs_alu_inst *inst,
             unsigned operand, const struct fs_slot *slot, unsigned i,
             struct fs_src src)
{
   inst->reg[operand] = slot->reg[i];
   inst->half[operand] = slot->half[i];
   inst->fx10[operand] = operand_is_fx10(e, src, slot->reg[i]);
   inst->abs[operand] = !!(src.mods & FS_MOD_ABS);
   inst->x2[operand] = !!(src.mods & FS_MOD_X2);
   inst->sub1[operand] = !!(src.mods & FS_MOD_SUB1);
   inst->neg[operand] = !!(src.mods & FS_MOD_NEG);
}

/* Values in alu0..3 cannot be read as another format. */
static void
check_bits(struct emission *e, const struct fs_node *node,
           const struct fs_slot *slot, unsigned i, struct fs_src src)
{
   if (src.kind == FS_SRC_NODE && slot->reg[i] >= FS_REG_ALU0 &&
       slot->reg[i] < FS_REG_CONST0 &&
       (node->op == FS_OP_RAW || e->schedule->nodes[src.index].rounds ||
        e->schedule->nodes[src.index].op == FS_OP_LOW))
      fail(e, "internal error of the fragment compiler: bits of alu%u",
           slot->reg[i] - FS_REG_ALU0);
}

static void
emit_slot(struct emission *e, const struct fs_slot *slot, bool in_sum,
          uint32_t *words)
{
   struct fs_alu_inst inst = { .dest = FS_REG_ZERO_ONE };

   if (slot->node == FS_NO_NODE) {
      /* 1 * 0 + 0 to nowhere, the form of the public programs; in a sum it is
       * sent, so that the chain is complete as it is there */
      words[0] = 0x000fe7e8 | (in_sum ? 1u << 29 : 0);
      words[1] = 0x3e41f200;
      return;
   }
   const struct fs_node *node = &e->schedule->nodes[slot->node];
   struct fs_src src[3] = { fs_zero(), fs_zero(), fs_zero() };

   if (node->op == FS_OP_ACC) {
      memcpy(src, &node->src[2 * slot->term], 2 * sizeof(src[0]));
   } else {
      memcpy(src, node->src, sizeof(src));
      if (slot->joined)
         src[2] = fs_zero();
      if (slot->negate)
         src[0] = fs_neg(src[0]);
   }
   for (unsigned i = 0; i < 3; i++) {
      emit_operand(e, &inst, OPERAND_A - i, slot, i, src[i]);
      check_bits(e, node, slot, i, src[i]);
   }

   inst.op = node->op <= FS_OP_CSEL ? node->op : FS_ALU_MAD;
   if (node->op == FS_OP_RAW) {
      inst.fx10[OPERAND_A - node->raw] = true;
      inst.half[OPERAND_A - node->raw] = node->part;
   }
   inst.send = slot->send;
   inst.recv = slot->recv;
   if (slot->term == 0) {
      inst.sat = node->sat;
      inst.scale = node->scale;
      inst.cond = node->cond;
      if (node->kill) {
         inst.dest = FS_REG_KILL;
         inst.write_low = inst.write_high = true;
      } else if (slot->dest.reg != FS_NOWHERE) {
         inst.dest = slot->dest.reg;
         inst.write_low = slot->dest.half != FS_HIGH;
         inst.write_high = slot->dest.half != FS_LOW && node->op != FS_OP_LOW;
      }
   }
   if (node->d != FS_D_ONE) {
      const unsigned operand = node->d == FS_D_B ? OPERAND_B : OPERAND_C;
      inst.d_enable = true;
      inst.d_of_c = node->d == FS_D_C;
      inst.d_half = inst.half[operand];
      inst.d_fx10 = inst.fx10[operand];
      inst.d_abs = !!(node->d_mods & FS_MOD_ABS);
      inst.d_sub1 = !!(node->d_mods & FS_MOD_SUB1);
   }
   fs_alu_pack(&inst, words);
}

/* The 20 bits of an embedded constant if they are known now. */
static bool
const_bits(const struct emission *e, const struct tegra20_fs_const *c,
           uint32_t *bits)
{
   *bits = 0;
   for (unsigned half = 0; half < 2; half++) {
      float f;
      if (c->value[half] == TEGRA20_NO_VALUE)
         continue;
      if (!fs_imm_value(
             e->p, (struct fs_src){ FS_SRC_VALUE, 0, c->value[half] }, &f))
         return false;
      *bits |= c->format == TEGRA20_FS_FX10
                  ? tegra20_float_to_fx10(f) << (10 * half)
                  : tegra20_float_to_fp20(f);
   }
   return true;
}

static void
emit_consts(struct emission *e, const struct fs_packet *packet,
            unsigned index)
{
   uint64_t v = 0;

   for (unsigned k = 0; k < packet->num_consts; k++) {
      uint32_t bits;
      if (!const_bits(e, &packet->consts[k], &bits)) {
         struct tegra20_fs *out = e->out;
         out->patches = reralloc(out, out->patches, struct tegra20_fs_patch,
                                 out->num_patches + 1);
         out->patches[out->num_patches++] = (struct tegra20_fs_patch){
            .packet = index, .slot = k, .value = packet->consts[k]
         };
         bits = 0;
      }
      v |= (uint64_t)bits << (4 + 20 * k);
      e->num_consts++;
   }
   /* the pair is the other way round than an instruction
    * (fragment-pipeline.md 3.1) */
   e->out->alu[index][6] = v;
   e->out->alu[index][7] = v >> 32;
}

static void
emit_packet(struct emission *e, const struct fs_packet *packet)
{
   struct tegra20_fs *out = e->out;

   if (out->num_alu == e->p->chip->fs_alu) {
      fail(e, "the fragment program needs more than %u ALU packets",
           e->p->chip->fs_alu);
      return;
   }
   for (unsigned unit = 0; unit < 4; unit++) {
      const bool in_sum = packet->slot[0].recv && (unit == 1 || unit == 2);
      emit_slot(e, &packet->slot[unit], in_sum,
                &out->alu[out->num_alu][2 * unit]);
      out->stats.alu_slots += packet->slot[unit].node != FS_NO_NODE;
   }
   if (packet->num_consts)
      emit_consts(e, packet, out->num_alu);
   out->num_alu++;
}

/* --- EXECs --- */

static void
emit_words(struct emission *e, const struct fs_exec *exec, unsigned index)
{
   struct tegra20_fs *out = e->out;
   const struct fs_node *nodes = e->schedule->nodes;

   if (exec->fetch != FS_NO_NODE) {
      const struct fs_pseq_inst pseq = { .dest_r2 = true,
                                         .fx10 = true,
                                         .enable = true,
                                         .surface =
                                            nodes[exec->fetch].surface };
      fs_pseq_pack(&pseq, &out->pseq[index]);
   }
   if (exec->tex != FS_NO_NODE) {
      const struct fs_tex_inst tex = {
         .sampler = nodes[exec->tex].sampler,
         .coord_r2 = exec->tex_coord,
         .result_r2 = exec->tex_result,
         .enable = true,
         .bias = nodes[exec->tex].bias,
      };
      fs_tex_pack(&tex, &out->tex[index]);
      out->stats.tex++;
   }
   if (exec->store != FS_NO_NODE) {
      const struct fs_dw_inst dw = { .enable = true,
                                     .fx10 = true,
                                     .surface = nodes[exec->store].surface,
                                     .source_r2 = exec->store_source };
      fs_dw_pack(&dw, &out->dw[index]);
      out->last_store_exec = index + 1;
   } else if (exec->stencil != FS_NO_NODE) {
      const struct fs_dw_inst dw = {
         .enable = true, .fx10 = true, .surface = 2, .stencil = true
      };
      fs_dw_pack(&dw, &out->dw[index]);
      out->last_store_exec = index + 1;
   }
}

static void
emit_mfu_pool(struct emission *e)
{
   const struct fs_schedule *schedule = e->schedule;
   struct fs_mfu_pool pool;

   if (!fs_fill_mfu_pool(schedule, &pool)) {
      fail(e, "the fragment program needs more than %u MFU instructions",
           TEGRA20_FS_MAX_MFU);
      return;
   }
   for (unsigned i = 0; i < pool.count; i++)
      emit_mfu(e, &schedule->execs[pool.exec[i]].mfu[pool.inst[i]]);
   for (unsigned i = 0; i < schedule->num_execs; i++) {
      if (schedule->execs[i].num_mfu)
         e->out->mfu_sched[i] =
            pool.first[i] << 2 | schedule->execs[i].num_mfu;
   }
}

static void
emit_exec(struct emission *e, const struct fs_exec *exec, unsigned index)
{
   struct tegra20_fs *out = e->out;

   out->alu_sched[index] = tegra20_sched_pack(
      &e->p->chip->alu_sched, out->num_alu, exec->num_packets);
   for (unsigned i = 0; i < exec->num_packets; i++)
      emit_packet(e, &exec->packet[i]);
   emit_words(e, exec, index);
}

bool
fs_emit(const struct fs_program *p, const struct fs_schedule *schedule,
        void *mem_ctx, struct tegra20_fs *out, char **error)
{
   struct emission e = {
      .p = p, .schedule = schedule, .out = out, .mem_ctx = mem_ctx
   };

   out->chip = p->chip->id;
   out->num_execs = schedule->num_execs;
   out->rows = schedule->rows;
   out->last_store_exec = 1;
   assign_tram(&e);
   emit_mfu_pool(&e);
   for (unsigned i = 0; i < schedule->num_execs && !e.error; i++)
      emit_exec(&e, &schedule->execs[i], i);
   memcpy(out->uniforms, p->uniforms,
          p->num_uniforms * sizeof(out->uniforms[0]));
   out->samplers_used = p->samplers_used;
   memcpy(out->ramps, p->ramps, sizeof(out->ramps));
   out->rts_stored = p->rts_stored;
   out->rts_fetched = p->rts_fetched;
   out->kills = p->kills;

   out->stats.execs = out->num_execs;
   out->stats.cycles = schedule->cycles;
   out->stats.alu_packets = out->num_alu;
   out->stats.mfu = out->num_mfu;
   out->stats.rows = out->rows;
   out->stats.uniforms = p->num_uniforms;
   out->stats.consts = e.num_consts;
   *error = e.error;
   return !e.error;
}
