/*
 * SPDX-License-Identifier: MIT
 *
 * The rules of fragment-pipeline.md 10.1, checked on final machine words.  The validator knows nothing of how the words
 * were made; it follows a program as the chip would run it and complains about the first thing that is not known to work.
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
   void *mem_ctx;
   char *error;
   unsigned exec;
   bool defined[16][2];     /* halves of the row registers that hold something */
   uint32_t written;        /* row registers, written by the packet before */
   uint16_t cond_written;   /* condition registers, same */
   bool packet_before;      /* in this EXEC */
   bool stores;
   unsigned total_mfu, total_alu;
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
}

static void
need(struct validation *v, unsigned reg, unsigned half, const char *who)
{
   if (!v->defined[reg][half])
      complain(v, "%s reads r%u, which holds nothing", who, reg);
}

static void
need_full(struct validation *v, unsigned reg, const char *who)
{
   need(v, reg, 0, who);
   need(v, reg, 1, who);
}

/* --- MFU ------------------------------------------------------------------------------------------------------------- */

static void
check_product(struct validation *v, const struct fs_mfu_inst *inst, unsigned i)
{
   const uint8_t src[2] = {inst->mul_src0[i], inst->mul_src1[i]};

   if (inst->mul_dst[i] == FS_MFU_MUL_DST_NONE || inst->mul_dst[i] == FS_MFU_MUL_DST_WEIGHT)
      return;
   if (inst->mul_dst[i] < FS_MFU_MUL_DST_R0)
      complain(v, "MFU multiplier destination %u is not known", inst->mul_dst[i]);
   for (unsigned s = 0; s < 2; s++) {
      if (src[s] < 4) {
         need_full(v, row_base(v) + src[s], "an MFU multiplier");
         if (inst->sfu_op && inst->sfu_reg == src[s])
            complain(v, "an MFU multiplier reads the register that the special function writes");
         if (inst->mul_dst[!i] == FS_MFU_MUL_DST_R0 + src[s])
            complain(v, "an MFU multiplier reads the register that the other one writes");
      } else if (src[s] < FS_MFU_MUL_SRC_SFU || src[s] > FS_MFU_MUL_SRC_ONE) {
         complain(v, "MFU multiplier source %u is not known", src[s]);
      }
   }
   if (inst->sfu_op && inst->mul_dst[i] == FS_MFU_MUL_DST_R0 + inst->sfu_reg)
      complain(v, "an MFU multiplier and the special function write the same register");
}

static bool
has_weights(const struct fs_mfu_inst *inst)
{
   return inst->sfu_op == FS_MFU_SFU_RCP && inst->sfu_reg == 4 && inst->mul_dst[0] == FS_MFU_MUL_DST_WEIGHT &&
          inst->mul_dst[1] == FS_MFU_MUL_DST_WEIGHT && inst->mul_src0[0] == FS_MFU_MUL_SRC_SFU &&
          inst->mul_src0[1] == FS_MFU_MUL_SRC_SFU && inst->mul_src1[0] == FS_MFU_MUL_SRC_BARY0 &&
          inst->mul_src1[1] == FS_MFU_MUL_SRC_BARY1;
}

static void
check_mfu(struct validation *v, const uint32_t *words, bool first)
{
   struct fs_mfu_inst inst;
   bool interpolates = false;

   fs_mfu_unpack(words, &inst);
   for (unsigned c = 0; c < 4; c++)
      interpolates |= inst.var_op[c] != FS_MFU_VAR_NONE;
   if (interpolates && !has_weights(&inst))
      complain(v, "interpolation without the set-up of its weights");
   if (inst.sfu_op > FS_MFU_SFU_PRE_COS || inst.sfu_reg > 4 || inst.unknown28)
      complain(v, "an MFU field holds an unknown value");
   if (inst.sfu_op && inst.sfu_reg == 4 && !first)
      complain(v, "r4 is read by an MFU instruction that is not the first");
   if (inst.sfu_op && inst.sfu_reg < 4)
      need_full(v, row_base(v) + inst.sfu_reg, "a special function");
   for (unsigned i = 0; i < 2; i++)
      check_product(v, &inst, i);
   for (unsigned i = 0; i < 2; i++) {
      if (inst.mul_dst[i] >= FS_MFU_MUL_DST_R0)
         define(v, row_base(v) + inst.mul_dst[i] - FS_MFU_MUL_DST_R0);
   }
   for (unsigned c = 0; c < 4; c++) {
      if (inst.var_op[c])
         define(v, row_base(v) + c);
   }
}

/* --- lookup, fetch, store -------------------------------------------------------------------------------------------- */

static void
check_front_end(struct validation *v)
{
   const struct tegra20_fs *fs = v->fs;
   const unsigned base = row_base(v), mfu_count = fs->mfu_sched[v->exec] & 3, mfu_first = fs->mfu_sched[v->exec] >> 2;
   struct fs_pseq_inst pseq;
   struct fs_tex_inst tex;

   fs_pseq_unpack(&fs->pseq[v->exec], &pseq);
   if (fs->pseq[v->exec]) {
      if ((fs->pseq[v->exec] & ~(0xfu << 16)) != 0x0080000a || pseq.surface == 0 || pseq.surface == 2)
         complain(v, "sequencer word 0x%08x is not the known fetch", fs->pseq[v->exec]);
      if (base != 0)
         complain(v, "a fetch outside row 0");
      define(v, 2);
      define(v, 3);
   }
   if (mfu_first + mfu_count > fs->num_mfu)
      complain(v, "the MFU schedule points behind the pool");
   for (unsigned i = 0; i < mfu_count && !v->error; i++)
      check_mfu(v, fs->mfu[mfu_first + i], i == 0);

   fs_tex_unpack(&fs->tex[v->exec], &tex);
   if (fs->tex[v->exec]) {
      const unsigned first = 2 * tex.coord_r2;
      if (!tex.enable || tex.unknown6 || tex.unknown11 || tex.unknown13)
         complain(v, "a lookup word has unknown bits");
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
   if (!dw.enable || !dw.fx10 || dw.unknown1 || dw.unknown6 || dw.unknown11 || dw.unknown16 || dw.unknown18)
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
   need_full(v, 2 * dw.source_r2, "a store");
   need_full(v, 2 * dw.source_r2 + 1, "a store");
}

/* --- ALU ------------------------------------------------------------------------------------------------------------- */

struct packet_reads {
   uint32_t rows;
   uint32_t uniforms;
   uint8_t cond_regs;
};

static void
check_operand(struct validation *v, const struct fs_alu_inst *inst, unsigned operand, struct packet_reads *reads)
{
   const unsigned reg = inst->reg[operand], half = inst->half[operand];

   if (half && !inst->fx10[operand])
      complain(v, "an fp20 operand selects a half");
   if (reg < 16) {
      if (reg >= 4 * v->fs->rows)
         complain(v, "r%u does not exist with %u rows", reg, v->fs->rows);
      else if (v->written & (1u << reg))
         complain(v, "r%u is read in the packet after its write", reg);
      else if (inst->fx10[operand])
         need(v, reg, half, "the ALU");
      else
         need_full(v, reg, "the ALU");
      reads->rows |= 1u << reg;
   } else if (reg < FS_REG_ALU0) {
      complain(v, "a global register is used");
   } else if (reg < FS_REG_CONST0) {
      if (!v->packet_before)
         complain(v, "alu%u is read in the first packet of an EXEC", reg - FS_REG_ALU0);
      if (inst->fx10[operand])
         complain(v, "alu%u is read as fx10", reg - FS_REG_ALU0);
   } else if (reg >= FS_REG_UNIFORM0 && reg < FS_REG_COND0) {
      reads->uniforms |= 1u << (reg - FS_REG_UNIFORM0);
   } else if (reg >= FS_REG_COND0 && reg < FS_REG_COND0 + 8) {
      if (v->cond_written & (1u << (reg - FS_REG_COND0)))
         complain(v, "a condition register is read in the packet after its write");
      reads->cond_regs |= 1u << (reg - FS_REG_COND0);
   } else if (reg > FS_REG_ZERO_ONE && reg != FS_REG_POSX && reg != FS_REG_POSY && reg != FS_REG_FACE) {
      complain(v, "ALU register %u is not known", reg);
   }
}

static bool
uses_consts(const struct fs_alu_inst *inst)
{
   for (unsigned i = 0; i < 3; i++) {
      if (inst->reg[i] >= FS_REG_CONST0 && inst->reg[i] < FS_REG_ZERO_ONE)
         return true;
   }
   return false;
}

static void
check_writes(struct validation *v, const struct fs_alu_inst *inst, uint32_t *halves, uint32_t *regs, uint16_t *conds)
{
   if (inst->dest < 16) {
      const unsigned mask = (inst->write_low ? 1 : 0) | (inst->write_high ? 2 : 0);
      if (inst->dest >= 4 * v->fs->rows)
         complain(v, "r%u does not exist with %u rows", inst->dest, v->fs->rows);
      if (*halves & (mask << (2 * inst->dest)))
         complain(v, "two units write the same half of r%u", inst->dest);
      *halves |= mask << (2 * inst->dest);
      if (mask)
         *regs |= 1u << inst->dest;
   } else if (inst->dest >= FS_REG_COND0 && inst->dest < FS_REG_COND0 + 8) {
      *conds |= 1u << (inst->dest - FS_REG_COND0);
   } else if (inst->dest != FS_REG_ZERO_ONE && inst->dest != FS_REG_KILL) {
      complain(v, "a unit writes register %u", inst->dest);
   }
}

static void
check_chain(struct validation *v, const struct fs_alu_inst *unit, bool consts)
{
   const bool whole = unit[1].send || unit[2].send;

   for (unsigned i = 1; i < 4; i++) {
      if (unit[i].recv || (i == 3 && unit[i].send))
         complain(v, "unit %u uses the accumulation chain in a way that was never seen", i);
      if (unit[i].send && !unit[0].recv)
         complain(v, "unit %u sends and nobody receives", i);
   }
   if (unit[0].send || (whole && !(unit[1].send && unit[2].send)))
      complain(v, "the accumulation chain is incomplete");
   if (unit[0].recv && consts)
      complain(v, "the accumulation chain needs the unit that holds constants");
}

static void
check_packet(struct validation *v, const uint32_t *words)
{
   struct fs_alu_inst unit[4];
   struct packet_reads reads = {0};
   uint32_t halves = 0, regs = 0;
   uint16_t conds = 0;
   bool consts = false;

   for (unsigned i = 0; i < 4; i++)
      fs_alu_unpack(&words[2 * i], &unit[i]);
   for (unsigned i = 0; i < 3; i++)
      consts |= uses_consts(&unit[i]);
   if (consts)
      unit[3] = (struct fs_alu_inst){0}; /* the words are numbers, not an instruction */
   else if (uses_consts(&unit[3]))
      complain(v, "unit 3 names a constant register, which only units 0 to 2 can do");

   for (unsigned i = 0; i < (consts ? 3 : 4); i++) {
      for (unsigned operand = 0; operand < 3; operand++)
         check_operand(v, &unit[i], operand, &reads);
      if (!unit[i].d_enable && (words[2 * i + 1] & 0x3f))
         complain(v, "the bits of operand D must be 0 when it is disabled");
   }
   check_chain(v, unit, consts);
   if (util_bitcount(reads.rows) > FS_MAX_PACKET_ROW_REGS || util_bitcount(reads.uniforms) > FS_MAX_PACKET_UNIFORMS ||
       util_bitcount(reads.cond_regs) > 2)
      complain(v, "a packet reads more registers than any public program");
   for (unsigned i = 0; i < (consts ? 3 : 4); i++)
      check_writes(v, &unit[i], &halves, &regs, &conds);

   for (unsigned i = 0; i < 32; i++) {
      if (halves & (1u << i))
         v->defined[i / 2][i & 1] = true;
   }
   v->written = regs;
   v->cond_written = conds;
   v->packet_before = true;
}

/* --- programs -------------------------------------------------------------------------------------------------------- */

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
      const unsigned count = fs->alu_sched[v->exec] & 3, start = fs->alu_sched[v->exec] >> 2;
      if (start + count > fs->num_alu)
         complain(v, "the ALU schedule points behind the pool");
      v->packet_before = false;
      for (unsigned i = 0; i < count && !v->error; i++)
         check_packet(v, fs->alu[start + i]);
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
   struct validation v = {.fs = fs, .mem_ctx = mem_ctx};

   if (fs->rows < 1 || fs->rows > FS_MAX_ROWS || fs->num_execs < 1 || fs->num_execs > TEGRA20_FS_MAX_EXECS ||
       fs->num_execs % fs->rows || fs->num_mfu > TEGRA20_FS_MAX_MFU || fs->num_alu > TEGRA20_FS_MAX_ALU)
      return ralloc_asprintf(mem_ctx, "%u EXECs of %u rows, %u MFU instructions, %u packets", fs->num_execs, fs->rows,
                             fs->num_mfu, fs->num_alu);
   for (unsigned first = 0; first < fs->num_execs && !v.error; first += fs->rows)
      check_batch(&v, first);
   return v.error;
}
