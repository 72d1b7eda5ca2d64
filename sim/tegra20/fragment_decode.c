/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Fragment program words -> struct sim_fs_program
 * (fragment-pipeline.md 1.4, 3.2, 4.1, 5, 6, 7.1).
 *
 * Decoding resolves what does not change from fragment to fragment: which
 * half of which register an operand reads, which operands are constant during
 * a draw, whether single precision is exact for a unit, which results anybody
 * sees, and in which packets the register write delay of 3.5 makes a
 * difference.  Programs are kept by content; the usual case is that nothing
 * was uploaded since the last draw.
 */

#include <stdlib.h>

#include "fragment.h"
#include "tegra20/gr3d_regs.h"

#define CACHE_PROGRAMS 64

static unsigned
bits(uint32_t word, unsigned high, unsigned low)
{
   return (word >> low) & ((1u << (high - low + 1)) - 1);
}

/* --- constants --- */

double
sim_fs_operand_value(const struct sim_fs_operand *operand, uint32_t raw)
{
   double v = operand->fx10
                 ? sim_fx10_half(raw, operand->high) * (1.0 / 256.0)
                 : sim_fp20_to_float(raw);
   if (operand->absolute && v < 0)
      v = -v;
   if (operand->times_two)
      v *= 2;
   v -= operand->minus_one;
   return operand->negate ? -v : v;
}

static bool
same_modifiers(const struct sim_fs_operand *a, const struct sim_fs_operand *b)
{
   return a->high == b->high && a->fx10 == b->fx10 &&
          a->minus_one == b->minus_one && a->absolute == b->absolute &&
          a->negate == b->negate && a->times_two == b->times_two;
}

static void
set_constant(struct sim_fs_program *p, struct sim_fs_operand *operand,
             bool uniform, unsigned reg, uint32_t raw)
{
   operand->kind = SIM_FS_OPERAND_CONSTANT;
   if (!uniform) {
      double value = sim_fs_operand_value(operand, raw);
      operand->wide = (double)(float)value != value;
      operand->is_zero = value == 0.0;
      operand->is_one = value == 1.0;
   }
   for (unsigned i = 0; i < p->num_constants; i++) {
      const struct sim_fs_constant *c = &p->constant[i];
      if (c->uniform == uniform &&
          (uniform ? c->reg == reg : c->raw == raw) &&
          same_modifiers(&c->operand, operand)) {
         operand->constant = i;
         return;
      }
   }
   operand->constant = p->num_constants;
   p->constant[p->num_constants++] =
      (struct sim_fs_constant){ uniform, reg, raw, *operand };
}

/* --- ALU --- */

/* Finds out what the register of an operand is.  k[] holds the packet's
 * constants. */
static void
resolve_operand(struct sim_fs_program *p, struct sim_fs_operand *operand,
                const uint32_t k[3])
{
   unsigned reg = operand->reg;
   if (operand->minus_one && operand->times_two &&
       p->switches & SIM_FS_DECODE_MINUS_FIRST)
      operand->minus_one = 2;
   /* alu0..3 are fp20 whatever the flag says; quantised ones (assumption A84)
    * are not worth a case. */
   operand->wide =
      operand->minus_one && (!operand->fx10 || (reg >= 24 && reg <= 27));
   if (reg < 16) {
      operand->kind = SIM_FS_OPERAND_ROW;
      operand->index = reg < 4 * p->rows ? reg : SIM_FS_RAW_POISON;
   } else if (reg >= 24 && reg <= 27) {
      operand->kind = SIM_FS_OPERAND_ALU;
      operand->index = reg - 24;
   } else if (reg >= 28 && reg <= 30) {
      set_constant(p, operand, false, 0, k[reg - 28]);
   } else if (reg == 31) {
      set_constant(p, operand, false, 0, sim_fx10_pair(0, SIM_FX10_ONE));
   } else if (reg >= 32 && reg <= 63) {
      p->uniforms_read |= 1u << (reg - 32);
      set_constant(p, operand, true, reg - 32, 0);
   } else if (reg >= 64 && reg <= 71) {
      operand->kind =
         operand->fx10 ? SIM_FS_OPERAND_COND : SIM_FS_OPERAND_COND_RAW;
      operand->index = 2 * (reg - 64) + (operand->fx10 ? operand->high : 0);
      p->conditions = true;
   } else if (reg == 72 || reg == 73) {
      operand->kind = SIM_FS_OPERAND_ROW;
      operand->index = reg == 72 ? SIM_FS_RAW_POSX : SIM_FS_RAW_POSY;
      p->uses_position = true;
   } else if (reg == 75) {
      operand->kind = SIM_FS_OPERAND_ROW;
      operand->index = SIM_FS_RAW_FACE;
      p->uses_face = true;
   } else if (reg <= 23 && p->switches & SIM_FS_DECODE_GLOBALS) {
      operand->kind = SIM_FS_OPERAND_ROW;
      operand->index = SIM_FS_RAW_GLOBAL + (reg - 16);
      p->uses_globals = true;
   } else {
      /* Globals (assumption A49), coverage, kill read back, unknown numbers.
       */
      operand->kind = SIM_FS_OPERAND_ROW;
      operand->index = SIM_FS_RAW_POISON;
   }
}

static struct sim_fs_operand
decode_operand(unsigned field)
{
   return (struct sim_fs_operand){
      .reg = field >> 6,
      .high = field >> 5 & 1,
      .minus_one = field >> 4 & 1,
      .fx10 = field >> 3 & 1,
      .absolute = field >> 2 & 1,
      .negate = field >> 1 & 1,
      .times_two = field & 1,
   };
}

/*
 * Significant bits of an operand: an fp20 has 14, an fx10 at most 9 (-512 is
 * a power of two), and "minus one" makes them 10 or, behind "times two", 11.
 * More than 24, an fp20 minus one, is no single-precision number.
 */
static unsigned
operand_bits(const struct sim_fs_operand *o)
{
   if (o->is_zero || o->is_one)
      return 0;
   if (o->wide)
      return 99;
   bool fx10 = o->kind == SIM_FS_OPERAND_COND ||
               (o->fx10 && o->kind != SIM_FS_OPERAND_COND_RAW);
   if (!fx10)
      return 14;
   return !o->minus_one ? 9 : o->times_two ? 11 : 10;
}

/*
 * Single precision is exact when there is no sum, or a sum of terms on the
 * grid of 1/65536 that two fx10 make; products must leave a bit for the half
 * that fx10 rounding adds.  A condition only needs the sign of a sum, which
 * one rounding keeps.
 */
static enum sim_fs_path
choose_path(const struct sim_fs_unit *u)
{
   unsigned a = operand_bits(&u->a), b = operand_bits(&u->b),
            c = operand_bits(&u->c);
   unsigned d = u->has_d ? operand_bits(&u->d) : 0;
   if (u->recv || u->no_addition)
      return SIM_FS_PATH_GENERAL;
   if (a > 24 || b > 24 || c > 24 || d > 24)
      return u->op == SIM_FS_MAD && !u->scale && !u->cond
                ? SIM_FS_PATH_WIDE
                : SIM_FS_PATH_GENERAL;
   bool grid = a <= 11 && b <= 11 && c <= 11 && d <= 11;
   if (grid)
      return SIM_FS_PATH_FLOAT;
   bool products = a + b <= 23 && c + d <= 23;
   if (u->op == SIM_FS_CSEL)
      return c + d <= 23 ? SIM_FS_PATH_FLOAT : SIM_FS_PATH_GENERAL;
   if (u->op != SIM_FS_MAD)
      return products ? SIM_FS_PATH_FLOAT : SIM_FS_PATH_GENERAL;
   if (products && (u->c.is_zero || u->a.is_zero || u->b.is_zero ||
                    (u->has_d && u->d.is_zero) || u->cond))
      return SIM_FS_PATH_FLOAT;
   return u->scale || u->cond ? SIM_FS_PATH_GENERAL : SIM_FS_PATH_MAD;
}

static void
decode_dest(struct sim_fs_program *p, struct sim_fs_unit *unit, unsigned reg,
            bool high, bool low)
{
   unit->dest = SIM_FS_DEST_NONE;
   unit->dest_index = reg;
   bool global =
      reg >= 16 && reg <= 23 && p->switches & SIM_FS_DECODE_GLOBALS;
   if (global) {
      unit->dest_index = SIM_FS_RAW_GLOBAL + (reg - 16);
      p->uses_globals = true;
   }
   if ((reg < 4 * p->rows && reg < 16) || global) {
      if (unit->no_addition && high != low) {
         unit->dest = SIM_FS_DEST_PAIR;
         unit->pair_swap = high;
      } else if (high && low) {
         unit->dest = SIM_FS_DEST_FULL;
      } else if (high || low) {
         unit->dest = high ? SIM_FS_DEST_HIGH : SIM_FS_DEST_LOW;
      }
   } else if (reg >= 64 && reg <= 71) {
      /* The low write bit does not matter (fragment-pipeline.md 3.9). */
      unit->dest = SIM_FS_DEST_COND;
      unit->dest_index = 2 * (reg - 64) + high;
      p->conditions = true;
   } else if (reg == 76 &&
              (high || low || !(p->switches & SIM_FS_DECODE_KILL_MASK))) {
      unit->dest = SIM_FS_DEST_KILL;
      p->kills = true;
   }
}

static void
decode_unit(struct sim_fs_program *p, struct sim_fs_unit *unit, uint32_t high,
            uint32_t low, const uint32_t k[3])
{
   *unit = (struct sim_fs_unit){
      .op = bits(high, 31, 30),
      .send = high >> 29 & 1,
      .recv = high >> 28 & 1,
      .no_addition = high >> 27 & 1,
      .scale = bits(high, 26, 25),
      .saturate = high >> 24 & 1,
      .cond = bits(high, 23, 22),
      .a = decode_operand(bits(high, 12, 0)),
      .b = decode_operand(bits(low, 31, 19)),
      .c = decode_operand(bits(low, 18, 6)),
   };
   if (unit->op != SIM_FS_MAD)
      unit->no_addition = false;
   decode_dest(p, unit, bits(high, 21, 15), high >> 14 & 1, high >> 13 & 1);

   unsigned d = bits(low, 5, 0);
   unit->has_d = d >> 2 & 1;
   if (unit->has_d) {
      unit->d = (struct sim_fs_operand){
         .reg = d >> 5 & 1 ? unit->c.reg : unit->b.reg,
         .high = d >> 4 & 1,
         .minus_one = d >> 3 & 1,
         .absolute = d >> 1 & 1,
         .fx10 = d & 1,
      };
      resolve_operand(p, &unit->d, k);
   }
   resolve_operand(p, &unit->a, k);
   resolve_operand(p, &unit->b, k);
   resolve_operand(p, &unit->c, k);
   unit->path = choose_path(unit);
   unit->narrow = operand_bits(&unit->a) <= 24 &&
                  operand_bits(&unit->b) <= 24 &&
                  operand_bits(&unit->c) <= 24 &&
                  (!unit->has_d || operand_bits(&unit->d) <= 24);
}

static bool
names_constant(uint32_t high, uint32_t low)
{
   unsigned a = bits(high, 12, 6), b = bits(low, 31, 25),
            c = bits(low, 18, 12);
   return (a >= 28 && a <= 30) || (b >= 28 && b <= 30) ||
          (c >= 28 && c <= 30);
}

/*
 * Who adds whose result (fragment-pipeline.md 3.6): with recv a unit takes
 * its left neighbour's, A0 takes A3's, A1 and A2 can send to A0, A3 to A2.
 * Units are evaluated so that sources come first; a ring of four is cut
 * before A0.
 */
static void
order_units(struct sim_fs_packet *packet)
{
   bool done[4] = { false };
   unsigned n = 0;
   for (unsigned pass = 0; pass < 5 && n < 4; pass++) {
      for (unsigned u = 0; u < 4; u++) {
         if (done[u])
            continue;
         bool ready = !packet->unit[u].recv || done[(u + 3) & 3];
         for (unsigned k = 0; k < 4; k++)
            ready &= done[k] || !(packet->unit[u].adds >> k & 1);
         if (ready || pass == 4) {
            done[u] = true;
            packet->order[n++] = u;
         }
      }
   }
}

/* Who sends to whom; what is sent counts where it is received (A89). */
static void
find_senders(struct sim_fs_packet *packet, unsigned switches)
{
   struct sim_fs_unit *unit = packet->unit;
   const bool adds = switches & SIM_FS_DECODE_SEND_ADDS;
   const bool all = unit[0].recv && !(switches & SIM_FS_DECODE_PART_SUMS);
   if (unit[0].recv || adds)
      unit[0].adds =
         (unit[1].send || all ? 2 : 0) | (unit[2].send || all ? 4 : 0);
   if (unit[2].recv || adds)
      unit[2].adds = unit[3].send ? 8 : 0;
   packet->accumulates |= unit[0].adds || unit[2].adds;
}

static void
decode_packet(struct sim_fs_program *p, unsigned index,
              const uint32_t words[8])
{
   struct sim_fs_packet *packet = &p->alu[index];
   *packet = (struct sim_fs_packet){ .order = { 0, 1, 2, 3 } };
   uint32_t k[3] = { 0, 0, 0 };
   for (unsigned u = 0; u < 3; u++)
      packet->has_constants |= names_constant(words[2 * u], words[2 * u + 1]);
   if (packet->has_constants) {
      uint64_t v = (uint64_t)words[7] << 32 | words[6];
      for (unsigned i = 0; i < 3; i++)
         k[i] = (v >> (4 + 20 * i)) & 0xfffff;
   }
   for (unsigned u = 0; u < (packet->has_constants ? 3 : 4); u++) {
      struct sim_fs_unit *unit = &packet->unit[u];
      decode_unit(p, unit, words[2 * u], words[2 * u + 1], k);
      packet->accumulates |= unit->recv;
   }
   find_senders(packet, p->switches);
   if (packet->accumulates) {
      order_units(packet);
      for (unsigned u = 0; u < 4; u++)
         packet->unit[u].path = SIM_FS_PATH_GENERAL;
   }
}

/* --- dependences between packets --- */

static void
operand_reads(const struct sim_fs_operand *operand, uint32_t *rows,
              uint32_t *conds, unsigned *alus)
{
   switch (operand->kind) {
   case SIM_FS_OPERAND_ROW:
      if (operand->index < 16 || (operand->index >= SIM_FS_RAW_GLOBAL &&
                                  operand->index < SIM_FS_RAW_POISON))
         *rows |= 1u << operand->index;
      break;
   case SIM_FS_OPERAND_COND:
      *conds |= 1u << operand->index;
      break;
   case SIM_FS_OPERAND_COND_RAW:
      *conds |= 3u << operand->index;
      break;
   case SIM_FS_OPERAND_ALU:
      *alus |= 1u << operand->index;
      break;
   default:
      break;
   }
}

void
sim_fs_packet_reads(const struct sim_fs_packet *packet, uint32_t *rows,
                    uint32_t *conds, unsigned *alus)
{
   for (unsigned u = 0; u < 4; u++) {
      const struct sim_fs_unit *unit = &packet->unit[u];
      operand_reads(&unit->a, rows, conds, alus);
      operand_reads(&unit->b, rows, conds, alus);
      if (!unit->recv)
         operand_reads(&unit->c, rows, conds, alus);
      if (unit->has_d)
         operand_reads(&unit->d, rows, conds, alus);
   }
}

static void
packet_writes(const struct sim_fs_packet *packet, uint32_t *rows,
              uint32_t *conds)
{
   for (unsigned u = 0; u < 4; u++) {
      const struct sim_fs_unit *unit = &packet->unit[u];
      if (unit->dest >= SIM_FS_DEST_LOW && unit->dest <= SIM_FS_DEST_PAIR)
         *rows |= 1u << unit->dest_index;
      else if (unit->dest == SIM_FS_DEST_COND)
         *conds |= 1u << unit->dest_index;
   }
}

static bool
has_constant_operands(const struct sim_fs_unit *unit)
{
   return unit->a.kind == SIM_FS_OPERAND_CONSTANT &&
          unit->b.kind == SIM_FS_OPERAND_CONSTANT &&
          unit->c.kind == SIM_FS_OPERAND_CONSTANT &&
          (!unit->has_d || unit->d.kind == SIM_FS_OPERAND_CONSTANT);
}

/* Packets in the order of execution: all EXECs of a batch, then the next
 * batch. */
static void
analyse_packets(struct sim_fs_program *p)
{
   uint32_t late_rows = 0, late_conds = 0; /* written by the packet before */
   int previous = -1;
   for (unsigned e = 0; e < p->num_execs; e++) {
      const struct sim_fs_exec *exec = &p->exec[e];
      if (e % p->rows == 0)
         previous = -1;
      for (unsigned i = 0; i < exec->num_alu; i++) {
         const unsigned index = sim_fs_packet_index(p, exec, i);
         struct sim_fs_packet *packet = &p->alu[index];
         uint32_t rows = 0, conds = 0;
         unsigned alus = 0;
         sim_fs_packet_reads(packet, &rows, &conds, &alus);
         if (previous >= 0 && ((rows & late_rows) || (conds & late_conds)))
            p->hazard[previous / 64] |= 1ull << previous % 64;
         if (i > 0) {
            struct sim_fs_packet *before =
               &p->alu[sim_fs_packet_index(p, exec, i - 1)];
            for (unsigned u = 0; u < 4; u++)
               before->unit[u].need_alu |= alus >> u & 1;
         } else if (alus) {
            p->alu_in_first_packet = true;
            struct sim_fs_packet *last =
               &p->alu[sim_fs_packet_index(p, exec, exec->num_alu - 1)];
            for (unsigned u = 0; u < 4; u++)
               last->unit[u].need_alu |= alus >> u & 1;
         }
         late_rows = late_conds = 0;
         packet_writes(packet, &late_rows, &late_conds);
         previous = (int)index;
      }
   }
   for (unsigned i = 0; i < p->num_packets; i++) {
      struct sim_fs_packet *packet = &p->alu[i];
      for (unsigned u = 0; u < 4; u++) {
         struct sim_fs_unit *unit = &packet->unit[u];
         unit->active = unit->dest != SIM_FS_DEST_NONE || unit->need_alu ||
                        packet->accumulates;
         unit->constant = unit->active && !packet->accumulates &&
                          has_constant_operands(unit);
      }
   }
}

/* --- MFU --- */

static unsigned
add_varying(struct sim_fs_program *p, unsigned row, unsigned column,
            unsigned part)
{
   for (unsigned i = 0; i < p->num_varyings; i++) {
      const struct sim_fs_varying *v = &p->varying[i];
      if (v->row == row && v->column == column && v->part == part)
         return i;
   }
   p->varying[p->num_varyings] = (struct sim_fs_varying){ row, column, part };
   return p->num_varyings++;
}

static void
decode_mfu(struct sim_fs_program *p, unsigned index, uint32_t high,
           uint32_t low)
{
   struct sim_fs_mfu *mfu = &p->mfu[index];
   *mfu = (struct sim_fs_mfu){
      .sfu = bits(high, 25, 22),
      .sfu_reg = bits(high, 31, 26),
      .mul = { { bits(high, 10, 8), bits(high, 3, 0), bits(high, 7, 4) },
               { bits(high, 21, 19), bits(high, 14, 11),
                 bits(high, 18, 15) } },
      .barycentric_setup = high == 0x104e51ba,
   };
   for (unsigned c = 0; c < 4; c++) {
      unsigned field = low >> (7 * c) & 0x7f;
      mfu->var[c].op = field >> 1 & 3;
      mfu->var[c].saturate = field & 1;
      mfu->var[c].row = field >> 3;
      if (mfu->var[c].op == 1) {
         mfu->var[c].varying = add_varying(p, field >> 3, c, 0);
      } else if (mfu->var[c].op == 2) {
         /* The two halves must be neighbours in the table: look for the pair.
          */
         unsigned first = p->num_varyings;
         for (unsigned i = 0; i + 1 < p->num_varyings; i++) {
            const struct sim_fs_varying *v = &p->varying[i];
            if (v->row == field >> 3 && v->column == c && v->part == 1)
               first = i;
         }
         if (first == p->num_varyings) {
            p->varying[p->num_varyings++] =
               (struct sim_fs_varying){ field >> 3, c, 1 };
            p->varying[p->num_varyings++] =
               (struct sim_fs_varying){ field >> 3, c, 2 };
         }
         mfu->var[c].varying = first;
      }
      if (mfu->var[c].op == 1 || mfu->var[c].op == 2)
         mfu->interpolates = true;
      if (c == 3 && mfu->var[c].op == 0 && mfu->var[c].saturate)
         p->uses_z = true;
   }
   bool reads_r4 = mfu->sfu && mfu->sfu_reg == 4;
   for (unsigned i = 0; i < 2; i++) {
      for (unsigned s = 0; s < 2; s++) {
         unsigned src = s ? mfu->mul[i].src1 : mfu->mul[i].src0;
         reads_r4 |= mfu->mul[i].dest && (src == 11 || src == 12);
      }
   }
   p->interpolates |= mfu->interpolates || reads_r4;
}

/* pd_over and pd_atop sample with coordinates that an earlier row's EXEC
 * interpolated (fragment-pipeline.md 1.3). */
static void
find_inherited_rows(struct sim_fs_program *p)
{
   bool mfu_before = false;
   for (unsigned row = 0; row < p->rows && row < p->num_execs; row++) {
      if (p->exec[row].num_mfu)
         mfu_before = true;
      else if (mfu_before)
         p->inherit_rows |= 1u << row;
   }
}

/* --- EXECs --- */

static void
decode_exec(struct sim_fs_program *p, unsigned e,
            const struct tegra20_chip_info *chip,
            const struct gr3d_programs *prog)
{
   struct sim_fs_exec *exec = &p->exec[e];
   uint32_t pseq = prog->pseq[e], tex = prog->tex[e], dw = prog->dw[e];
   /* Bits 3 and 23 are set together in the only word that was ever run. */
   exec->fetch = (pseq >> 3 & 1) && (pseq >> 23 & 1);
   exec->fetch_reg = pseq >> 1 & 1 ? 2 : 0;
   exec->fetch_surface = bits(pseq, 19, 16);
   exec->tex = tex >> 10 & 1;
   exec->tex_bias = tex >> 12 & 1;
   exec->tex_unit = bits(tex, 3, 0);
   exec->tex_src = tex >> 4 & 1 ? 2 : 0;
   exec->tex_dst = tex >> 5 & 1 ? 2 : 0;
   exec->store_stencil = (dw & 1) && (dw >> 10 & 1);
   exec->store = (dw & 1) && !exec->store_stencil;
   exec->store_surface = bits(dw, 5, 2);
   exec->store_reg = dw >> 15 & 1 ? 2 : 0;
   exec->num_mfu = bits(prog->mfu_sched[e], 1, 0);
   exec->num_alu = tegra20_sched_count(&chip->alu_sched, prog->alu_sched[e]);
   exec->alu_first =
      tegra20_sched_first(&chip->alu_sched, prog->alu_sched[e]);
   for (unsigned i = 0; i < 3; i++)
      exec->mfu[i] = (bits(prog->mfu_sched[e], 7, 2) + i) & 63;
   if (exec->fetch)
      p->surfaces_read |= 1u << exec->fetch_surface;
   if (exec->store)
      p->surfaces_written |= 1u << exec->store_surface;
   if (exec->store_stencil)
      p->stores_stencil = true;
   if (exec->tex)
      p->textures |= 1u << exec->tex_unit;
   unsigned clocks =
      exec->num_mfu > exec->num_alu ? exec->num_mfu : exec->num_alu;
   if (p->switches & SIM_FS_DECODE_SUM)
      clocks = exec->num_mfu + exec->num_alu;
   p->clocks += clocks ? clocks : 1;
}

static void
decode(struct sim_fs_program *p, const struct tegra20_chip_info *chip,
       const struct gr3d_programs *prog)
{
   p->num_packets = chip->fs_alu;
   for (unsigned e = 0; e < p->num_execs; e++)
      decode_exec(p, e, chip, prog);
   uint64_t mfu_done = 0, alu_done[2] = { 0 };
   for (unsigned e = 0; e < p->num_execs; e++) {
      const struct sim_fs_exec *exec = &p->exec[e];
      for (unsigned i = 0; i < exec->num_mfu; i++) {
         unsigned m = exec->mfu[i];
         if (!(mfu_done >> m & 1))
            decode_mfu(p, m, prog->mfu[m][0], prog->mfu[m][1]);
         mfu_done |= 1ull << m;
      }
      for (unsigned i = 0; i < exec->num_alu; i++) {
         unsigned a = sim_fs_packet_index(p, exec, i);
         if (!(alu_done[a / 64] >> a % 64 & 1))
            decode_packet(p, a, prog->alu[a]);
         alu_done[a / 64] |= 1ull << a % 64;
      }
   }
   analyse_packets(p);
   find_inherited_rows(p);
   sim_fs_trace(p);
}

/* --- the cache --- */

static unsigned
copy_words(uint32_t *key, unsigned at, const uint32_t *words, unsigned count)
{
   memcpy(key + at, words, count * sizeof(*words));
   return at + count;
}

/* The words that decide what a program does: every table entry of its EXECs
 * and the pools as far as uploaded. */
static unsigned
collect_key(uint32_t *key, const struct tegra20_chip_info *chip,
            const struct gr3d_programs *prog, unsigned num_execs,
            unsigned rows, unsigned switches)
{
   const struct tegra20_sched_layout *layout = &chip->alu_sched;
   unsigned at = 0;
   key[at++] = switches;
   key[at++] = num_execs;
   key[at++] = rows;
   at = copy_words(key, at, prog->pseq, num_execs);
   at = copy_words(key, at, prog->mfu_sched, num_execs);
   at = copy_words(key, at, prog->tex, num_execs);
   at = copy_words(key, at, prog->alu_sched, num_execs);
   at = copy_words(key, at, prog->dw, num_execs);
   uint64_t mfu = 0, alu[2] = { 0 };
   for (unsigned e = 0; e < num_execs; e++) {
      for (unsigned i = 0; i < (prog->mfu_sched[e] & 3); i++)
         mfu |= 1ull << ((bits(prog->mfu_sched[e], 7, 2) + i) & 63);
      const uint32_t sched = prog->alu_sched[e];
      for (unsigned i = 0; i < tegra20_sched_count(layout, sched); i++) {
         unsigned a =
            (tegra20_sched_first(layout, sched) + i) & (chip->fs_alu - 1);
         alu[a / 64] |= 1ull << a % 64;
      }
   }
   for (unsigned i = 0; i < 64; i++) {
      if (mfu >> i & 1)
         at = copy_words(key, at, prog->mfu[i], 2);
   }
   for (unsigned i = 0; i < chip->fs_alu; i++) {
      if (alu[i / 64] >> i % 64 & 1)
         at = copy_words(key, at, prog->alu[i], 8);
   }
   return at;
}

static uint64_t
hash_words(const uint32_t *words, unsigned count)
{
   uint64_t h = 0xcbf29ce484222325ull;
   for (unsigned i = 0; i < count; i++)
      h = (h ^ words[i]) * 0x9e3779b97f4a7c15ull ^ h >> 29;
   return h;
}

static unsigned
decode_switches(const struct sim *sim)
{
   return (sim_switch(sim, 48) ? SIM_FS_DECODE_MINUS_FIRST : 0) |
          (sim_switch(sim, 49) ? SIM_FS_DECODE_GLOBALS : 0) |
          (sim_switch(sim, 79) ? SIM_FS_DECODE_SUM : 0) |
          (sim_switch(sim, 89) ? SIM_FS_DECODE_SEND_ADDS : 0) |
          (sim_switch(sim, 95) ? SIM_FS_DECODE_PART_SUMS : 0) |
          (sim_switch(sim, 131) ? SIM_FS_DECODE_KILL_MASK : 0);
}

static struct sim_fs_program *
cache_insert(struct gr3d_fragment_state *fs)
{
   struct sim_fs_program *p = calloc(1, sizeof(*p));
   if (!p)
      return NULL;
   if (fs->cache_size == CACHE_PROGRAMS) {
      unsigned oldest = 0;
      for (unsigned i = 1; i < fs->cache_size; i++) {
         if (fs->cache_clock - fs->cache[i]->last_use >
             fs->cache_clock - fs->cache[oldest]->last_use)
            oldest = i;
      }
      free(fs->cache[oldest]);
      fs->cache[oldest] = p;
      return p;
   }
   if (!fs->cache) {
      fs->cache = calloc(CACHE_PROGRAMS, sizeof(*fs->cache));
      if (!fs->cache) {
         free(p);
         return NULL;
      }
   }
   fs->cache[fs->cache_size++] = p;
   return p;
}

struct sim_fs_program *
sim_fs_program_get(struct gr3d_fragment_state *fs)
{
   const struct gr3d *gr3d = fs->gr3d;
   unsigned num_execs = gr3d->regs.value[GR3D_FP_PSEQ_ENGINE_INST] & 0x7f;
   unsigned rows = (gr3d->regs.value[GR3D_ALU_BUFFER_SIZE] & 3) + 1;
   if (num_execs > SIM_FS_MAX_EXECS)
      num_execs = SIM_FS_MAX_EXECS;
   fs->cache_clock++;
   if (fs->program && fs->serial == gr3d->prog.fp_serial &&
       fs->program->num_execs == num_execs && fs->program->rows == rows) {
      fs->program->last_use = fs->cache_clock;
      return fs->program;
   }
   fs->serial = gr3d->prog.fp_serial;

   uint32_t key[sizeof(fs->program->key) / sizeof(uint32_t)];
   unsigned switches = decode_switches(fs->sim);
   unsigned key_words =
      collect_key(key, gr3d->chip, &gr3d->prog, num_execs, rows, switches);
   uint64_t hash = hash_words(key, key_words);
   for (unsigned i = 0; i < fs->cache_size; i++) {
      struct sim_fs_program *p = fs->cache[i];
      if (p->hash == hash && p->key_words == key_words &&
          !memcmp(p->key, key, key_words * sizeof(*key))) {
         p->last_use = fs->cache_clock;
         return p;
      }
   }
   struct sim_fs_program *p = cache_insert(fs);
   if (!p)
      return NULL;
   p->hash = hash;
   p->last_use = fs->cache_clock;
   p->key_words = key_words;
   memcpy(p->key, key, key_words * sizeof(*key));
   p->rows = rows;
   p->num_execs = num_execs;
   p->switches = switches;
   decode(p, gr3d->chip, &gr3d->prog);
   return p;
}
