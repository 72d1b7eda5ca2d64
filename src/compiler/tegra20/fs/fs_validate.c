/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * The rules of fragment-pipeline.md 10.1, checked on final machine words.
 * The validator does not depend on the scheduler; it follows a program as the
 * chip would run it and reports the first violation.
 *
 * It is as strict as the simulator's strict mode: its diagnostics 501 to 523
 * (docs/simulator.md) are errors here, and so is a mismatch of the words and
 * their description by the compiler (inputs, uniforms, units, the last
 * store).
 */

#include "fs.h"
#include "fs_alu_isa.h"
#include "fs_dw_isa.h"
#include "fs_mfu_isa.h"
#include "fs_pseq_isa.h"
#include "fs_tex_isa.h"

enum { OPERAND_C, OPERAND_B, OPERAND_A };

struct validation {
   const struct tegra20_fs *fs;
   const struct tegra20_chip_info *chip;
   void *mem_ctx;
   char *error;
   unsigned exec;
   bool defined[16][2];  /* halves of the row registers that hold something */
   uint8_t prepared[16]; /* first step of a two-step function (enum fs_sfu)
                            that the register holds, or 0 */
   uint16_t cond_defined; /* condition registers that hold something */
   uint32_t written;      /* row registers, written by the packet before */
   uint16_t cond_written; /* condition registers, same */
   bool packet_before;    /* in this EXEC */
   bool consts_before;    /* and its unit 3 held constants */
   bool kills;
   unsigned last_store; /* EXEC, counted from 1 */
   uint16_t stored;     /* surfaces */
};

static void
complain(struct validation *v, const char *format, ...)
{
   if (v->error)
      return;
   va_list args;
   va_start(args, format);
   char *text = ralloc_vasprintf(v->mem_ctx, format, args);
   va_end(args);
   v->error = ralloc_asprintf(v->mem_ctx, "EXEC %u: %s", v->exec, text);
}

static unsigned
row_base(const struct validation *v)
{
   return 4 * (v->exec % v->fs->rows);
}

static void
define(struct validation *v, unsigned reg)
{
   v->defined[reg][0] = v->defined[reg][1] = true;
   v->prepared[reg] = FS_SFU_NONE;
}

static void
need(struct validation *v, unsigned reg, unsigned half, const char *who)
{
   if (!v->defined[reg][half])
      complain(v, "%s reads r%u, which holds nothing", who, reg);
   if (v->prepared[reg])
      complain(
         v, "%s reads r%u, which holds the first step of a function of two",
         who, reg);
}

static void
need_full(struct validation *v, unsigned reg, const char *who)
{
   need(v, reg, 0, who);
   need(v, reg, 1, who);
}

/* --- MFU --- */

static void
check_function(struct validation *v, const struct fs_mfu_inst *inst,
               bool first)
{
   static const uint8_t first_step[] = {
      [FS_SFU_EX2] = FS_SFU_PRE_EX2,
      [FS_SFU_SIN] = FS_SFU_PRE_SIN,
      [FS_SFU_COS] = FS_SFU_PRE_COS,
      [FS_SFU_PRE_COS] = 0,
   };
   if (inst->sfu_op > FS_MFU_SFU_PRE_COS || inst->sfu_reg > 4 ||
       inst->unknown28) {
      complain(v, "an MFU field holds an unknown value");
      return;
   }
   if (!inst->sfu_op)
      return;
   if (inst->sfu_reg == 4) {
      if (!first)
         complain(v,
                  "r4 is read by an MFU instruction that is not the first");
      return;
   }
   const unsigned reg = row_base(v) + inst->sfu_reg;
   if (first_step[inst->sfu_op]) {
      if (v->prepared[reg] != first_step[inst->sfu_op])
         complain(
            v,
            "the second step of a function of two on r%u without its first",
            reg);
      v->prepared[reg] = FS_SFU_NONE;
   }
   need_full(v, reg, "a special function");
   define(v, reg);
   if (inst->sfu_op >= FS_MFU_SFU_PRE_EX2)
      v->prepared[reg] = inst->sfu_op;
}

static void
check_product(struct validation *v, const struct fs_mfu_inst *inst,
              unsigned i)
{
   const uint8_t src[2] = { inst->mul_src0[i], inst->mul_src1[i] };

   if (inst->mul_dst[i] == FS_MFU_MUL_DST_NONE ||
       inst->mul_dst[i] == FS_MFU_MUL_DST_WEIGHT)
      return;
   if (inst->mul_dst[i] < FS_MFU_MUL_DST_R0)
      complain(v, "MFU multiplier destination %u is not known",
               inst->mul_dst[i]);
   for (unsigned s = 0; s < 2; s++) {
      if (src[s] < 4) {
         need_full(v, row_base(v) + src[s], "an MFU multiplier");
         if (inst->sfu_op && inst->sfu_reg == src[s])
            complain(v, "an MFU multiplier reads the register that the "
                        "special function writes");
         if (inst->mul_dst[!i] == FS_MFU_MUL_DST_R0 + src[s])
            complain(v, "an MFU multiplier reads the register that the other "
                        "one writes");
      } else if (src[s] < FS_MFU_MUL_SRC_SFU || src[s] > FS_MFU_MUL_SRC_ONE) {
         complain(v, "MFU multiplier source %u is not known", src[s]);
      } else if (src[s] == FS_MFU_MUL_SRC_SFU && !inst->sfu_op) {
         complain(v, "an MFU multiplier uses the result of a special "
                     "function, and there is none");
      }
   }
   if (inst->mul_dst[0] == inst->mul_dst[1])
      complain(v, "both MFU multipliers write the same register");
   if (inst->sfu_op && inst->mul_dst[i] == FS_MFU_MUL_DST_R0 + inst->sfu_reg)
      complain(v, "an MFU multiplier and the special function write the same "
                  "register");
}

static bool
has_weights(const struct fs_mfu_inst *inst)
{
   return inst->sfu_op == FS_MFU_SFU_RCP && inst->sfu_reg == 4 &&
          inst->mul_dst[0] == FS_MFU_MUL_DST_WEIGHT &&
          inst->mul_dst[1] == FS_MFU_MUL_DST_WEIGHT &&
          inst->mul_src0[0] == FS_MFU_MUL_SRC_SFU &&
          inst->mul_src0[1] == FS_MFU_MUL_SRC_SFU &&
          inst->mul_src1[0] == FS_MFU_MUL_SRC_BARY0 &&
          inst->mul_src1[1] == FS_MFU_MUL_SRC_BARY1;
}

/* Formats that the linker delivers there: bit 0 fx10 low, bit 1 fx10 high,
 * bit 2 fp20. */
static unsigned
linked_types(const struct tegra20_fs *fs, unsigned row, unsigned column)
{
   unsigned types = 0;

   for (unsigned i = 0; i < fs->num_inputs; i++) {
      if (fs->inputs[i].row == row && fs->inputs[i].column == column &&
          fs->inputs[i].type)
         types |= 1u << (fs->inputs[i].type - 1);
   }
   return types;
}

static void
check_interpolation(struct validation *v, const struct fs_mfu_inst *inst)
{
   for (unsigned c = 0; c < 4; c++) {
      if (inst->var_sat[c] || inst->var_op[c] > FS_MFU_VAR_FX10)
         complain(v, "an interpolation of a kind that was never run");
      if (inst->var_op[c] == FS_MFU_VAR_NONE)
         continue;
      if (!has_weights(inst))
         complain(v, "interpolation without the set-up of its weights");
      const unsigned types = linked_types(v->fs, inst->var_row[c], c);
      if (types == 0)
         complain(
            v, "TRAM row %u column %u is interpolated, and no input fills it",
            inst->var_row[c], c);
      else if ((types == 4) != (inst->var_op[c] == FS_MFU_VAR_FP20))
         complain(v,
                  "TRAM row %u column %u is interpolated in another format "
                  "than the linker's",
                  inst->var_row[c], c);
   }
}

static void
check_mfu(struct validation *v, const uint32_t *words, bool first)
{
   struct fs_mfu_inst inst;

   fs_mfu_unpack(words, &inst);
   check_interpolation(v, &inst);
   for (unsigned i = 0; i < 2; i++)
      check_product(v, &inst, i);
   check_function(v, &inst, first);
   for (unsigned i = 0; i < 2; i++) {
      if (inst.mul_dst[i] >= FS_MFU_MUL_DST_R0)
         define(v, row_base(v) + inst.mul_dst[i] - FS_MFU_MUL_DST_R0);
   }
   for (unsigned c = 0; c < 4; c++) {
      if (inst.var_op[c])
         define(v, row_base(v) + c);
   }
}

/* --- lookup, fetch, store --- */

static void
check_front_end(struct validation *v)
{
   const struct tegra20_fs *fs = v->fs;
   const unsigned base = row_base(v), mfu_count = fs->mfu_sched[v->exec] & 3,
                  mfu_first = fs->mfu_sched[v->exec] >> 2;
   struct fs_pseq_inst pseq;
   struct fs_tex_inst tex;

   fs_pseq_unpack(&fs->pseq[v->exec], &pseq);
   if (fs->pseq[v->exec]) {
      if ((fs->pseq[v->exec] & ~(0xfu << 16)) != 0x0080000a ||
          pseq.surface == 0 || pseq.surface == 2)
         complain(v, "sequencer word 0x%08x is not the known fetch",
                  fs->pseq[v->exec]);
      if (base != 0)
         complain(v, "a fetch outside row 0");
      if (v->stored & (1u << pseq.surface))
         complain(v, "a fetch from surface %u after its store", pseq.surface);
      define(v, 2);
      define(v, 3);
   }
   if (fs->mfu_sched[v->exec] >> 8)
      complain(v, "an MFU schedule word has unknown bits");
   if (mfu_first + mfu_count > fs->num_mfu)
      complain(v, "the MFU schedule points behind the pool");
   for (unsigned i = 0; i < mfu_count && !v->error; i++)
      check_mfu(v, fs->mfu[mfu_first + i], i == 0);

   fs_tex_unpack(&fs->tex[v->exec], &tex);
   if (fs->tex[v->exec]) {
      const unsigned first = 2 * tex.coord_r2;
      if (!tex.enable || tex.unknown6 || tex.unknown11 || tex.unknown13)
         complain(v, "a lookup word has unknown bits");
      if (!(fs->samplers_used >> tex.sampler & 1))
         complain(v, "texture unit %u is used without being named",
                  tex.sampler);
      need_full(v, base + first, "a lookup");
      need_full(v, base + first + 1, "a lookup");
      if (tex.bias)
         need_full(v, base + (first + 3) % 4, "a lookup");
      define(v, base + 2 * tex.result_r2);
      define(v, base + 2 * tex.result_r2 + 1);
   }
}

static void
check_store(struct validation *v)
{
   struct fs_dw_inst dw;

   fs_dw_unpack(&v->fs->dw[v->exec], &dw);
   if (!v->fs->dw[v->exec])
      return;
   v->last_store = v->exec + 1;
   if (!dw.enable || !dw.fx10 || dw.unknown1 || dw.unknown6 || dw.unknown11 ||
       dw.unknown16 || dw.unknown18)
      complain(v, "a store word has unknown bits");
   if (row_base(v) != 0)
      complain(v, "a store outside row 0");
   if (dw.stencil) {
      if (dw.surface != 2)
         complain(v, "the stencil surface is number 2");
      return;
   }
   if (dw.surface == 0 || dw.surface == 2)
      complain(v, "a colour store to the depth or stencil surface");
   v->stored |= 1u << dw.surface;
   need_full(v, 2 * dw.source_r2, "a store");
   need_full(v, 2 * dw.source_r2 + 1, "a store");
}

/* --- ALU --- */

struct packet_reads {
   uint32_t rows;
   uint32_t uniforms;
   uint8_t cond_regs;
};

/* An operand as a unit reads it: A, B, C, or D with the register of B or C.
 */
struct operand {
   unsigned reg, half;
   bool fx10;
};

static bool
is_embedded(unsigned reg)
{
   return reg >= FS_REG_CONST0 && reg < FS_REG_ZERO_ONE;
}

static void
check_row_operand(struct validation *v, const struct operand *o)
{
   if (o->reg >= 4 * v->fs->rows)
      complain(v, "r%u does not exist with %u rows", o->reg, v->fs->rows);
   else if (v->written & (1u << o->reg))
      complain(v, "r%u is read in the packet after its write", o->reg);
   else if (o->fx10)
      need(v, o->reg, o->half, "the ALU");
   else
      need_full(v, o->reg, "the ALU");
}

static void
check_alu_operand(struct validation *v, const struct operand *o)
{
   const unsigned unit = o->reg - FS_REG_ALU0;

   if (!v->packet_before)
      complain(v, "alu%u is read in the first packet of an EXEC", unit);
   if (v->consts_before && unit == 3)
      complain(v,
               "alu3 is read behind a packet whose unit 3 holds constants");
   if (o->fx10)
      complain(v, "alu%u is read as fx10", unit);
}

static void
check_uniform_operand(struct validation *v, const struct operand *o)
{
   const unsigned index = o->reg - FS_REG_UNIFORM0;
   const struct tegra20_fs_const *uniform = &v->fs->uniforms[index];

   if (uniform->format == TEGRA20_FS_NONE ||
       (o->fx10 && uniform->value[o->half] == TEGRA20_NO_VALUE))
      complain(v, "u%u is read, and has no value", index);
   else if (o->fx10 != (uniform->format == TEGRA20_FS_FX10))
      complain(v, "u%u is read in another format than it is written", index);
}

static void
check_cond_operand(struct validation *v, const struct operand *o)
{
   const unsigned index = 2 * (o->reg - FS_REG_COND0) + o->half;

   if (!o->fx10)
      complain(v, "condition registers are read as fp20");
   if (v->cond_written >> index & 1)
      complain(v,
               "a condition register is read in the packet after its write");
   if (!(v->cond_defined >> index & 1))
      complain(v, "condition register c%u is read, which holds nothing",
               index);
}

static void
check_operand(struct validation *v, const struct operand *o,
              struct packet_reads *reads)
{
   if (o->half && !o->fx10)
      complain(v, "an fp20 operand selects a half");
   if (o->reg < 16) {
      check_row_operand(v, o);
      reads->rows |= 1u << o->reg;
   } else if (o->reg < FS_REG_ALU0) {
      complain(v, "a global register is used");
   } else if (o->reg < FS_REG_CONST0) {
      check_alu_operand(v, o);
   } else if (o->reg >= FS_REG_UNIFORM0 && o->reg < FS_REG_COND0) {
      check_uniform_operand(v, o);
      reads->uniforms |= 1u << (o->reg - FS_REG_UNIFORM0);
   } else if (o->reg >= FS_REG_COND0 && o->reg < FS_REG_COND0 + 8) {
      check_cond_operand(v, o);
      reads->cond_regs |= 1u << (o->reg - FS_REG_COND0);
   } else if (o->reg > FS_REG_ZERO_ONE && o->reg != FS_REG_POSX &&
              o->reg != FS_REG_POSY && o->reg != FS_REG_FACE) {
      complain(v, "ALU register %u is not known", o->reg);
   }
}

static void
check_operands(struct validation *v, const struct fs_alu_inst *inst,
               uint32_t low_word, struct packet_reads *reads)
{
   for (unsigned i = 0; i < 3; i++)
      check_operand(
         v, &(struct operand){ inst->reg[i], inst->half[i], inst->fx10[i] },
         reads);
   if (inst->d_enable)
      check_operand(
         v,
         &(struct operand){ inst->reg[inst->d_of_c ? OPERAND_C : OPERAND_B],
                            inst->d_half, inst->d_fx10 },
         reads);
   else if (low_word & 0x3f)
      complain(v, "the bits of operand D must be 0 when it is disabled");
}

static bool
uses_consts(const struct fs_alu_inst *inst)
{
   return is_embedded(inst->reg[0]) || is_embedded(inst->reg[1]) ||
          is_embedded(inst->reg[2]);
}

/* 0 of register 31; an embedded constant or a uniform that happens to be 0 is
 * a value like others */
static bool
is_literal_zero(const struct fs_alu_inst *inst, unsigned operand)
{
   return inst->reg[operand] == FS_REG_ZERO_ONE && inst->fx10[operand] &&
          !inst->half[operand] && !inst->sub1[operand];
}

/* Operands that say nothing must not name k0..k2, which take unit 3 away
 * (fragment-pipeline.md 10.1, rule 6). */
static void
check_unused(struct validation *v, const struct fs_alu_inst *inst,
             bool result_read)
{
   const bool product = inst->op != FS_ALU_CSEL;
   bool unused[3] = {
      [OPERAND_A] = product && is_literal_zero(inst, OPERAND_B),
      [OPERAND_B] = product && is_literal_zero(inst, OPERAND_A),
      [OPERAND_C] = inst->recv,
   };
   for (unsigned i = 0; i < 3; i++) {
      unused[i] |=
         inst->dest == FS_REG_ZERO_ONE && !result_read && !inst->send;
      if (unused[i] && is_embedded(inst->reg[i]))
         complain(v, "an operand without meaning names a constant register");
   }
}

static void
check_writes(struct validation *v, const struct fs_alu_inst *inst,
             uint32_t *halves, uint32_t *regs, uint16_t *conds)
{
   if (inst->no_add && inst->write_low == inst->write_high)
      complain(v, "a unit without addition writes no half or both");
   v->kills |= inst->dest == FS_REG_KILL;
   if (inst->dest < 16) {
      const unsigned mask = inst->no_add ? 3
                                         : (inst->write_low ? 1 : 0) |
                                              (inst->write_high ? 2 : 0);
      if (inst->dest >= 4 * v->fs->rows)
         complain(v, "r%u does not exist with %u rows", inst->dest,
                  v->fs->rows);
      if (*halves & (mask << (2 * inst->dest)))
         complain(v, "two units write the same half of r%u", inst->dest);
      *halves |= mask << (2 * inst->dest);
      if (mask)
         *regs |= 1u << inst->dest;
   } else if (inst->dest >= FS_REG_COND0 && inst->dest < FS_REG_COND0 + 8) {
      const uint16_t cond =
         1u << (2 * (inst->dest - FS_REG_COND0) + inst->write_high);
      if (*conds & cond)
         complain(v, "two units write the same condition register");
      *conds |= cond;
   } else if (inst->dest != FS_REG_ZERO_ONE && inst->dest != FS_REG_KILL) {
      complain(v, "a unit writes register %u", inst->dest);
   }
}

static void
check_chain(struct validation *v, const struct fs_alu_inst *unit, bool consts)
{
   for (unsigned i = 1; i < 4; i++) {
      if (unit[i].recv || (i == 3 && unit[i].send))
         complain(v,
                  "unit %u uses the accumulation chain in a way that was "
                  "never seen",
                  i);
      if (unit[i].send && !unit[0].recv)
         complain(v, "unit %u sends and nobody receives", i);
   }
   if (unit[0].send)
      complain(v, "unit 0 sends, which has no effect");
   if (unit[0].recv && consts)
      complain(v,
               "the accumulation chain needs the unit that holds constants");
}

/* Units of a packet; false: unit 3 is none but holds constants. */
static bool
unpack_packet(const uint32_t *words, struct fs_alu_inst unit[4])
{
   for (unsigned i = 0; i < 4; i++)
      fs_alu_unpack(&words[2 * i], &unit[i]);
   if (!uses_consts(&unit[0]) && !uses_consts(&unit[1]) &&
       !uses_consts(&unit[2]))
      return true;
   unit[3] = (struct fs_alu_inst){ 0 };
   return false;
}

/* Mask of the results of the packet before that a packet reads. */
static unsigned
results_read(const uint32_t *words)
{
   struct fs_alu_inst unit[4];
   unsigned mask = 0;

   for (unsigned i = unpack_packet(words, unit) ? 4 : 3; i-- > 0;) {
      for (unsigned operand = 0; operand < 3; operand++) {
         const unsigned reg = unit[i].reg[operand];
         if (reg >= FS_REG_ALU0 && reg < FS_REG_CONST0)
            mask |= 1u << (reg - FS_REG_ALU0);
      }
   }
   return mask;
}

/* next: the following packet of the EXEC, or NULL */
static void
check_packet(struct validation *v, const uint32_t *words,
             const uint32_t *next)
{
   struct fs_alu_inst unit[4];
   struct packet_reads reads = { 0 };
   uint32_t halves = 0, regs = 0;
   uint16_t conds = 0;
   const bool consts = !unpack_packet(words, unit);
   const unsigned read_later = next ? results_read(next) : 0;

   if (uses_consts(&unit[3]))
      complain(
         v,
         "unit 3 names a constant register, which only units 0 to 2 can do");
   for (unsigned i = 0; i < (consts ? 3 : 4); i++) {
      check_operands(v, &unit[i], words[2 * i + 1], &reads);
      check_unused(v, &unit[i], read_later >> i & 1);
   }
   check_chain(v, unit, consts);
   if (util_bitcount(reads.rows) > FS_MAX_PACKET_ROW_REGS ||
       util_bitcount(reads.uniforms) > FS_MAX_PACKET_UNIFORMS ||
       util_bitcount(reads.cond_regs) > 2)
      complain(v, "a packet reads more registers than any public program");
   for (unsigned i = 0; i < (consts ? 3 : 4); i++)
      check_writes(v, &unit[i], &halves, &regs, &conds);

   for (unsigned i = 0; i < 32; i++) {
      if (halves & (1u << i)) {
         v->defined[i / 2][i & 1] = true;
         v->prepared[i / 2] = FS_SFU_NONE;
      }
   }
   v->written = regs;
   v->cond_written = conds;
   v->cond_defined |= conds;
   v->packet_before = true;
   v->consts_before = consts;
}

/* --- programs --- */

static void
check_batch(struct validation *v, unsigned first)
{
   const struct tegra20_fs *fs = v->fs;

   for (unsigned row = 0; row < fs->rows && !v->error; row++) {
      v->exec = first + row;
      check_front_end(v);
   }
   v->written = 0;
   v->cond_written = 0;
   for (unsigned row = 0; row < fs->rows && !v->error; row++) {
      v->exec = first + row;
      const uint32_t sched = fs->alu_sched[v->exec];
      const unsigned count = tegra20_sched_count(&v->chip->alu_sched, sched),
                     start = tegra20_sched_first(&v->chip->alu_sched, sched);
      if (!tegra20_sched_known(&v->chip->alu_sched, sched))
         complain(v, "an ALU schedule word has unknown bits");
      if (count > v->chip->fs_exec_packets)
         complain(v, "an EXEC of %u packets", count);
      if (start + count > fs->num_alu)
         complain(v, "the ALU schedule points behind the pool");
      v->packet_before = v->consts_before = false;
      for (unsigned i = 0; i < count && !v->error; i++)
         check_packet(v, fs->alu[start + i],
                      i + 1 < count ? fs->alu[start + i + 1] : NULL);
      if (row > 0 && count > 0 && fs->dw[first])
         complain(v, "packets behind a store in the same batch");
   }
   v->exec = first;
   for (unsigned row = 0; row < fs->rows && !v->error; row++) {
      v->exec = first + row;
      check_store(v);
   }
}

char *
fs_validate(void *mem_ctx, const struct tegra20_fs *fs)
{
   struct validation v = { .fs = fs,
                           .chip = &tegra20_chips[fs->chip],
                           .mem_ctx = mem_ctx };

   if (fs->rows < 1 || fs->rows > FS_MAX_ROWS || fs->num_execs < 1 ||
       fs->num_execs > TEGRA20_FS_MAX_EXECS || fs->num_execs % fs->rows ||
       fs->num_mfu > TEGRA20_FS_MAX_MFU || fs->num_alu > v.chip->fs_alu)
      return ralloc_asprintf(
         mem_ctx, "%u EXECs of %u rows, %u MFU instructions, %u packets",
         fs->num_execs, fs->rows, fs->num_mfu, fs->num_alu);
   for (unsigned first = 0; first < fs->num_execs && !v.error;
        first += fs->rows)
      check_batch(&v, first);
   v.exec = fs->num_execs - 1;
   if (fs->last_store_exec != MAX2(v.last_store, 1))
      complain(&v, "the last store is in EXEC %u, not %u, counted from 1",
               v.last_store, fs->last_store_exec);
   if (fs->kills != v.kills)
      complain(&v, "the program %s, and says the opposite",
               v.kills ? "kills" : "does not kill");
   return v.error;
}
