/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Strict mode: what a fragment program does that is undefined, hazardous or
 * unproven.  surface_check.c does the same for the state around it.
 *
 * Positions in diagnostics are EXEC numbers.
 */

#include "fragment.h"
#include "tegra20/gr3d_regs.h"

struct check {
   struct gr3d_fragment_state *fs;
   const struct sim_fs_program *program;
   uint8_t row[16];      /* halves written so far: bit 0 low, bit 1 high */
   uint16_t cond;        /* condition registers written so far */
   uint8_t prepared[16]; /* first step of a two-step function that the
                            register holds */
   uint8_t linked[GR3D_TRAM_ROWS][4]; /* what the linker stores: bit 0 fx10
                                         low, bit 1 fx10 high, bit 2 fp20 */
   int exec;
};

#define REPORT(c, number, reg, ...) \
   sim_report((c)->fs->sim, SIM_DIAG_##number, reg, (c)->exec, __VA_ARGS__)

/* --- words --- */

/* A word that another chip would understand is of that chip, not of unknown
 * meaning. */
static void
check_alu_schedule(struct check *c, uint32_t word)
{
   const struct tegra20_chip_info *chip = c->fs->gr3d->chip;
   const unsigned packets = c->program->exec[c->exec].num_alu;

   if (!tegra20_sched_known(&chip->alu_sched, word)) {
      for (unsigned i = 0; i < TEGRA20_NUM_CHIPS; i++) {
         if (tegra20_sched_known(&tegra20_chips[i].alu_sched, word)) {
            REPORT(c, FP_OTHER_CHIP, 0x801,
                   "ALU schedule word 0x%08x is one of %s, this is %s", word,
                   tegra20_chips[i].name, chip->name);
            return;
         }
      }
      REPORT(c, FP_UNKNOWN_BITS, 0x801,
             "ALU schedule word 0x%08x has unknown bits", word);
   } else if (packets > chip->fs_exec_packets) {
      REPORT(c, FP_SCHEDULE, 0x801,
             "an EXEC of %u packets: up to %u are expected to work (A104)",
             packets, chip->fs_exec_packets);
   }
}

static void
check_words(struct check *c)
{
   const struct gr3d_programs *prog = &c->fs->gr3d->prog;
   unsigned e = (unsigned)c->exec;
   if (prog->pseq[e] & ~0x008f000au ||
       ((prog->pseq[e] >> 3 ^ prog->pseq[e] >> 23) & 1) ||
       (prog->pseq[e] && !(prog->pseq[e] >> 23 & 1)))
      REPORT(c, FP_UNKNOWN_BITS, 0x541,
             "sequencer word 0x%08x: only 0 and 0x0081000a are proven",
             prog->pseq[e]);
   if (prog->tex[e] & ~0x143fu || (prog->tex[e] && !(prog->tex[e] >> 10 & 1)))
      REPORT(c, FP_UNKNOWN_BITS, 0x701,
             "texture word 0x%08x has unknown bits", prog->tex[e]);
   if (prog->dw[e] & ~0x0002843du ||
       (prog->dw[e] && (!(prog->dw[e] & 1) || !(prog->dw[e] >> 17 & 1))))
      REPORT(c, FP_UNKNOWN_BITS, 0x901,
             "data-write word 0x%08x has unknown bits", prog->dw[e]);
   if (prog->mfu_sched[e] >> 8)
      REPORT(c, FP_UNKNOWN_BITS, 0x601,
             "MFU schedule word 0x%08x has unknown bits", prog->mfu_sched[e]);
   check_alu_schedule(c, prog->alu_sched[e]);
   if (prog->alu_complement[e])
      REPORT(c, FP_UNKNOWN_BITS, 0x806, "complement word 0x%08x is not 0",
             prog->alu_complement[e]);
   unsigned mfu_end =
      (prog->mfu_sched[e] >> 2 & 63) + (prog->mfu_sched[e] & 3);
   const unsigned packets = c->program->exec[e].num_alu,
                  alu_end = c->program->exec[e].alu_first + packets;
   if ((prog->mfu_sched[e] & 3) && 2 * mfu_end > prog->mfu_words)
      REPORT(c, FP_SCHEDULE, 0x604,
             "runs MFU instruction %u, but only %u were uploaded",
             mfu_end - 1, prog->mfu_words / 2);
   if (packets && 8 * alu_end > prog->alu_words)
      REPORT(c, FP_SCHEDULE, 0x804,
             "runs ALU packet %u, but only %u were uploaded", alu_end - 1,
             prog->alu_words / 8);
}

/* --- MFU --- */

static const char *
half_name(unsigned halves)
{
   return halves == 3 ? "" : halves == 1 ? ".l" : ".h";
}

static void
read_row(struct check *c, unsigned reg, unsigned halves, const char *unit)
{
   if (halves & ~c->row[reg])
      REPORT(c, FP_READ_ROW, SIM_NO_REG,
             "%s reads r%u%s, which the program has not written", unit, reg,
             half_name(halves & ~c->row[reg]));
   if (c->prepared[reg])
      REPORT(
         c, FP_TWO_STEP, SIM_NO_REG,
         "%s reads r%u, which holds the first step of a two-step function",
         unit, reg);
}

static void
write_row(struct check *c, unsigned reg, unsigned halves)
{
   c->row[reg] |= halves;
   c->prepared[reg] = 0;
}

static void
check_sfu(struct check *c, const struct sim_fs_mfu *mfu, unsigned base)
{
   if (mfu->sfu > SIM_FS_SFU_PRE_COS) {
      REPORT(c, FP_MFU, 0x604, "special function %u is unknown", mfu->sfu);
      return;
   }
   if (mfu->sfu_reg > 4) {
      REPORT(c, FP_MFU, 0x604,
             "special function of register %u: only 0..4 are known",
             mfu->sfu_reg);
      return;
   }
   if (mfu->sfu_reg == 4)
      return;
   unsigned reg = base + mfu->sfu_reg;
   static const uint8_t first_step[16] = {
      [SIM_FS_SFU_EX2] = SIM_FS_SFU_PRE_EX2,
      [SIM_FS_SFU_SIN] = SIM_FS_SFU_PRE_SIN,
      [SIM_FS_SFU_COS] = SIM_FS_SFU_PRE_COS
   };
   if (first_step[mfu->sfu]) {
      if (c->prepared[reg] != first_step[mfu->sfu])
         REPORT(c, FP_TWO_STEP, 0x604,
                "second step of a two-step function on r%u without its first "
                "step",
                reg);
      c->prepared[reg] = 0;
   }
   read_row(c, reg, 3, "MFU");
   write_row(c, reg, 3);
   if (mfu->sfu >= SIM_FS_SFU_PRE_EX2)
      c->prepared[reg] = mfu->sfu;
}

static void
check_multipliers(struct check *c, const struct sim_fs_mfu *mfu,
                  unsigned base)
{
   for (unsigned m = 0; m < 2; m++) {
      unsigned dest = mfu->mul[m].dest;
      if (!dest)
         continue;
      if (dest == 2 || dest == 3)
         REPORT(c, FP_MFU, 0x604, "multiplier destination %u is unknown",
                dest);
      for (unsigned s = 0; s < 2; s++) {
         unsigned source = s ? mfu->mul[m].src1 : mfu->mul[m].src0;
         if (source < 4)
            read_row(c, base + source, 3, "MFU");
         else if (source < 10 || source > 13)
            REPORT(c, FP_MFU, 0x604, "multiplier source %u is unknown",
                   source);
         else if (source == 10 && !mfu->sfu)
            REPORT(c, FP_MFU, 0x604,
                   "multiplier uses a special function result, but there is "
                   "none");
      }
   }
   for (unsigned m = 0; m < 2; m++) {
      if (mfu->mul[m].dest >= 4)
         write_row(c, base + mfu->mul[m].dest - 4, 3);
   }
   if (mfu->mul[0].dest >= 4 && mfu->mul[0].dest == mfu->mul[1].dest)
      REPORT(c, FP_SAME_HALF, 0x604, "both multipliers write r%u",
             base + mfu->mul[0].dest - 4);
}

static void
check_interpolation(struct check *c, const struct sim_fs_mfu *mfu,
                    unsigned base)
{
   bool setup = mfu->sfu == SIM_FS_SFU_RCP && mfu->sfu_reg == 4 &&
                mfu->mul[0].dest == 1 && mfu->mul[1].dest == 1;
   if (mfu->interpolates && !setup)
      REPORT(c, FP_NO_RCP, 0x604,
             "interpolation without rcp r4 and both weights in the same "
             "instruction");
   for (unsigned i = 0; i < 4; i++) {
      unsigned op = mfu->var[i].op;
      if (!op && !mfu->var[i].saturate)
         continue;
      if (op == 3 || (op == 0 && i != 3))
         REPORT(c, FP_MFU, 0x604,
                "interpolation field of component %u is unknown", i);
      else if (op == 0)
         REPORT(c, FP_MFU, 0x604,
                "fragment z through the MFU is unproven (assumption A40)");
      else if (mfu->var[i].saturate)
         REPORT(c, FP_MFU, 0x604, "saturated interpolation is unproven");
      if (op == 1 || op == 2) {
         unsigned linked = c->linked[mfu->var[i].row][i];
         if (!linked)
            REPORT(c, FP_TRAM, 0x604,
                   "interpolates TRAM row %u column %u, which the linker "
                   "does not fill",
                   mfu->var[i].row, i);
         else if (op == 1 ? linked != 4 : linked & 4)
            REPORT(c, FP_TRAM_TYPE, 0x604,
                   "TRAM row %u column %u: linked as %s, interpolated as %s",
                   mfu->var[i].row, i, linked & 4 ? "fp20" : "fx10",
                   op == 1 ? "fp20" : "fx10");
      }
      write_row(c, base + i, 3);
   }
}

/* --- ALU --- */

static void
read_operand(struct check *c, const struct sim_fs_operand *o, bool first,
             bool after_constants)
{
   unsigned halves = o->fx10 ? o->high ? 2 : 1 : 3;
   if (o->reg < 16) {
      if (o->index != o->reg)
         REPORT(c, FP_ROW_RANGE, 0x804,
                "ALU reads r%u, but there are only %u rows", o->reg,
                c->program->rows);
      else
         read_row(c, o->reg, halves, "ALU");
   } else if (o->kind == SIM_FS_OPERAND_ALU) {
      if (first)
         REPORT(c, FP_ALU_FIRST, 0x804,
                "reads alu%u in the first packet of an EXEC", o->index);
      else if (after_constants && o->index == 3)
         REPORT(c, FP_ALU_CONSTANT, 0x804,
                "reads alu3 behind a packet whose A3 holds constants");
   } else if (o->reg < 24) {
      REPORT(c, FP_GLOBAL, 0x804,
             "reads global register g%u (assumption A49)", o->reg - 16);
   } else if (o->kind == SIM_FS_OPERAND_COND ||
              o->kind == SIM_FS_OPERAND_COND_RAW) {
      if (!o->fx10)
         REPORT(c, FP_REGISTER, 0x804, "reads condition registers as fp20");
      unsigned mask = o->fx10 ? 1u << o->index : 3u << o->index;
      if (mask & ~c->cond)
         REPORT(
            c, FP_READ_COND, 0x804,
            "reads condition register c%u, which the program has not written",
            o->index);
   } else if (o->reg == 74 || o->reg > 75) {
      REPORT(c, FP_REGISTER, 0x804,
             "reads register %u, whose meaning is unknown", o->reg);
   }
}

/* Operands whose value can reach the result. */
static unsigned
live_operands(const struct sim_fs_unit *u)
{
   unsigned live = 0xf;
   if (!u->has_d)
      live &= ~8u;
   if (u->recv)
      live &= ~4u;
   if (u->op != SIM_FS_CSEL) {
      if (u->a.is_zero)
         live &= ~2u;
      if (u->b.is_zero)
         live &= ~1u;
   }
   if (u->has_d && u->c.is_zero)
      live &= ~8u;
   return live;
}

static bool
is_literal_zero(const struct sim_fs_operand *o)
{
   return o->reg == 31 && o->is_zero;
}

/*
 * Operands that the form of the instruction leaves unused.  The factor 0 says
 * so in register 31 only: an embedded constant is a value like that of a
 * uniform, and may be 0 in one draw and not in the next.
 */
static unsigned
unused_operands(const struct sim_fs_unit *u)
{
   unsigned unused = u->recv ? 4 : 0;
   if (u->op != SIM_FS_CSEL)
      unused |=
         (is_literal_zero(&u->a) ? 2 : 0) | (is_literal_zero(&u->b) ? 1 : 0);
   if (u->dest == SIM_FS_DEST_NONE && !u->need_alu && !u->send)
      unused = 7;
   return unused;
}

static void
check_fields(struct check *c, const struct sim_fs_packet *packet, unsigned u,
             const uint32_t *words)
{
   const struct sim_fs_unit *unit = &packet->unit[u];
   if (!unit->has_d && (words[2 * u + 1] & 0x3f))
      REPORT(c, FP_D_BITS, 0x804,
             "A%u: operand D is disabled, but its modifier bits are 0x%02x",
             u, words[2 * u + 1] & 0x3f);
   unsigned dest = words[2 * u] >> 15 & 0x7f, mask = words[2 * u] >> 13 & 3;
   if (dest < 16 && dest >= 4 * c->program->rows && mask)
      REPORT(c, FP_ROW_RANGE, 0x804,
             "A%u writes r%u, but there are only %u rows", u, dest,
             c->program->rows);
   else if (dest >= 16 && dest < 24 && mask)
      REPORT(c, FP_GLOBAL, 0x804,
             "A%u writes global register g%u (assumption A49)", u, dest - 16);
   else if (mask && dest > 23 && dest != 31 && !(dest >= 64 && dest <= 71) &&
            dest != 76)
      REPORT(c, FP_REGISTER, 0x804,
             "A%u writes register %u, which is read only or unknown", u,
             dest);
   if (unit->no_addition && mask != 1 && mask != 2)
      REPORT(c, FP_REGISTER, 0x804,
             "A%u: addition disabled with write mask %u", u, mask);
   bool names = false;
   const struct sim_fs_operand *o[3] = { &unit->a, &unit->b, &unit->c };
   unsigned unused = unused_operands(unit);
   for (unsigned i = 0; i < 3; i++)
      names |= o[i]->reg >= 28 && o[i]->reg <= 30 && (unused >> i & 1);
   if (names && packet->has_constants)
      REPORT(
         c, FP_UNUSED_CONSTANT, 0x804,
         "A%u: an unused operand names k0..k2 and turns A3 into constants",
         u);
}

static void
check_accumulation(struct check *c, const struct sim_fs_packet *packet)
{
   unsigned recv = 0, send = 0;
   for (unsigned u = 0; u < 4; u++) {
      recv |= packet->unit[u].recv << u;
      send |= packet->unit[u].send << u;
   }
   if (!recv && !send)
      return;
   if (packet->has_constants && (recv & 1))
      REPORT(c, FP_ACCUMULATE, 0x804,
             "A0 receives from A3, which holds constants");
   else if (recv != 1 ||
            (c->program->switches & SIM_FS_DECODE_PART_SUMS ? send & ~6
                                                            : send != 6))
      REPORT(c, FP_ACCUMULATE, 0x804,
             "receive bits 0x%x, send bits 0x%x: only A0 receiving with A1 "
             "and A2 sending was ever run (A95)",
             recv, send);
}

struct writes {
   uint8_t row[16];
   uint16_t cond;
   bool kill;
};

static void
collect_writes(struct check *c, const struct sim_fs_packet *packet,
               struct writes *w)
{
   *w = (struct writes){ { 0 } };
   for (unsigned u = 0; u < 4; u++) {
      const struct sim_fs_unit *unit = &packet->unit[u];
      unsigned halves = unit->dest == SIM_FS_DEST_LOW    ? 1
                        : unit->dest == SIM_FS_DEST_HIGH ? 2
                                                         : 3;
      if (unit->dest >= SIM_FS_DEST_LOW && unit->dest <= SIM_FS_DEST_PAIR &&
          unit->dest_index < 16) {
         if (w->row[unit->dest_index] & halves)
            REPORT(c, FP_SAME_HALF, 0x804, "two units write r%u%s",
                   unit->dest_index,
                   half_name(w->row[unit->dest_index] & halves));
         w->row[unit->dest_index] |= halves;
      } else if (unit->dest == SIM_FS_DEST_COND) {
         if (w->cond >> unit->dest_index & 1)
            REPORT(c, FP_SAME_HALF, 0x804,
                   "two units write condition register c%u",
                   unit->dest_index);
         w->cond |= 1u << unit->dest_index;
      }
   }
}

static void
check_delay(struct check *c, const struct sim_fs_operand *o,
            const struct writes *before)
{
   if (o->kind == SIM_FS_OPERAND_ROW && o->index < 16 &&
       before->row[o->index])
      REPORT(c, FP_DELAY, 0x804,
             "reads r%u one packet after its write: use alu0..3", o->index);
   else if ((o->kind == SIM_FS_OPERAND_COND ||
             o->kind == SIM_FS_OPERAND_COND_RAW) &&
            (before->cond & (o->fx10 ? 1u : 3u) << o->index))
      REPORT(c, FP_DELAY, 0x804,
             "reads condition register c%u one packet after its write",
             o->index);
}

static void
check_packet(struct check *c, unsigned index, bool first,
             const struct sim_fs_packet *previous, struct writes *before)
{
   const struct sim_fs_packet *packet = &c->program->alu[index];
   const uint32_t *words = c->fs->gr3d->prog.alu[index];
   for (unsigned u = 0; u < (packet->has_constants ? 3 : 4); u++) {
      const struct sim_fs_unit *unit = &packet->unit[u];
      const struct sim_fs_operand *o[4] = { &unit->a, &unit->b, &unit->c,
                                            &unit->d };
      unsigned live = live_operands(unit);
      for (unsigned i = 0; i < 4; i++) {
         if (!(live >> i & 1))
            continue;
         read_operand(c, o[i], first, previous && previous->has_constants);
         check_delay(c, o[i], before);
      }
      check_fields(c, packet, u, words);
   }
   check_accumulation(c, packet);
   struct writes w;
   collect_writes(c, packet, &w);
   for (unsigned r = 0; r < 16; r++) {
      if (w.row[r])
         write_row(c, r, w.row[r]);
   }
   c->cond |= w.cond;
   *before = w;
}

/* --- the program --- */

static void
check_front(struct check *c, const struct sim_fs_exec *exec)
{
   unsigned base = 4 * ((unsigned)c->exec % c->program->rows);
   if (exec->fetch) {
      if (base)
         REPORT(
            c, FP_ROW_USE, 0x541,
            "destination fetch in an EXEC of row %u: only row 0 was ever run",
            base / 4);
      write_row(c, base + exec->fetch_reg, 3);
      write_row(c, base + exec->fetch_reg + 1, 3);
   }
   for (unsigned i = 0; i < exec->num_mfu; i++) {
      const struct sim_fs_mfu *mfu = &c->program->mfu[exec->mfu[i]];
      if (c->fs->gr3d->prog.mfu[exec->mfu[i]][1] >> 28)
         REPORT(c, FP_MFU, 0x604,
                "bits 31..28 of an MFU instruction are not 0");
      if (mfu->sfu)
         check_sfu(c, mfu, base);
      check_multipliers(c, mfu, base);
      check_interpolation(c, mfu, base);
   }
   if (exec->tex) {
      read_row(c, base + exec->tex_src, 3, "TEX");
      read_row(c, base + exec->tex_src + 1, 3, "TEX");
      if (exec->tex_bias)
         read_row(c, base + ((exec->tex_src + 3) & 3), 3, "TEX");
      write_row(c, base + exec->tex_dst, 3);
      write_row(c, base + exec->tex_dst + 1, 3);
   }
}

static void
check_store(struct check *c, const struct sim_fs_exec *exec)
{
   unsigned base = 4 * ((unsigned)c->exec % c->program->rows);
   if (!exec->store)
      return;
   if (base)
      REPORT(c, FP_ROW_USE, 0x901,
             "store in an EXEC of row %u: only row 0 was ever run", base / 4);
   read_row(c, base + exec->store_reg, 3, "DW");
   read_row(c, base + exec->store_reg + 1, 3, "DW");
}

static void
read_linker(struct check *c)
{
   const struct gr3d_regs *regs = &c->fs->gr3d->regs;
   unsigned count = (regs->value[GR3D_CULL_FACE_LINKER_SETUP] >> 5 & 31) + 1;
   for (unsigned i = 0; i < count; i++) {
      uint32_t low = regs->value[GR3D_LINKER_INSTRUCTION(i)],
               high = regs->value[GR3D_LINKER_INSTRUCTION(i) + 1];
      unsigned row = low >> 9 & 63;
      for (unsigned k = 0; row < GR3D_TRAM_ROWS && k < 4; k++) {
         unsigned type = high >> (4 * k + 2) & 3;
         if (type)
            c->linked[row][high >> (4 * k) & 3] |= type == 3 ? 4 : type;
      }
   }
}

void
sim_fs_check_program(struct gr3d_fragment_state *fs,
                     const struct sim_fs_program *program)
{
   struct check c = { .fs = fs, .program = program, .exec = -1 };
   unsigned n = program->rows;
   if (program->num_execs % n)
      REPORT(&c, FP_BATCH, GR3D_FP_PSEQ_ENGINE_INST,
             "%u EXECs are not a multiple of the %u rows", program->num_execs,
             n);
   read_linker(&c);
   struct writes before = { { 0 } };
   for (unsigned first = 0; first < program->num_execs; first += n) {
      unsigned end =
         first + n < program->num_execs ? first + n : program->num_execs;
      for (unsigned e = first; e < end; e++) {
         c.exec = (int)e;
         check_words(&c);
         check_front(&c, &program->exec[e]);
      }
      before = (struct writes){ { 0 } };
      for (unsigned e = first; e < end; e++) {
         const struct sim_fs_exec *exec = &program->exec[e];
         c.exec = (int)e;
         for (unsigned i = 0; i < exec->num_alu; i++)
            check_packet(
               &c, sim_fs_packet_index(program, exec, i), i == 0,
               i ? &program->alu[sim_fs_packet_index(program, exec, i - 1)]
                 : NULL,
               &before);
      }
      for (unsigned e = first; e < end; e++) {
         c.exec = (int)e;
         check_store(&c, &program->exec[e]);
      }
   }
   c.exec = -1;
   const struct gr3d_regs *regs = &fs->gr3d->regs;
   for (unsigned i = 0; i < 32; i++) {
      if ((program->uniforms_read >> i & 1) &&
          !regs->written[GR3D_FP_CONST(i)])
         REPORT(&c, FP_READ_UNIFORM, GR3D_FP_CONST(i),
                "reads uniform u%u, which the job has not written", i);
   }
   unsigned last_store = 0;
   for (unsigned e = 0; e < program->num_execs; e++) {
      if (program->exec[e].store || program->exec[e].store_stencil)
         last_store = e + 1;
   }
   unsigned dw = regs->value[GR3D_FP_PSEQ_DW_CFG] >> 6;
   if (last_store && dw != last_store)
      REPORT(
         &c, FP_SETUP, GR3D_FP_PSEQ_DW_CFG,
         "0x546 names EXEC %u, the last store is in EXEC %u (counted from 1)",
         dw, last_store);
   uint32_t size = regs->value[GR3D_ALU_BUFFER_SIZE];
   if (size != (299 / (4 * n) << 24 | (n - 1)) &&
       !(n == 1 && size == 0x58000000))
      REPORT(&c, FP_SETUP, GR3D_ALU_BUFFER_SIZE,
             "0xe20 = 0x%08x, expected 0x%08x for %u rows", size,
             299 / (4 * n) << 24 | (n - 1), n);
   if (regs->value[GR3D_PSEQ_CFG] != 0x223212cf && program->num_execs > 1)
      REPORT(&c, FP_SETUP, GR3D_PSEQ_CFG,
             "0x501 = 0x%08x: programs of several EXECs need 0x223212cf",
             regs->value[GR3D_PSEQ_CFG]);
}
