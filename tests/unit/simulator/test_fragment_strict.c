/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Strict mode of the back half: a correct draw reports nothing; each entry changes one thing and names the number that
 * must appear.
 */

#include "unit.h"
#include "fragment_harness.h"
#include "tegra20/gr3d_regs.h"

/* Two EXECs: varying colour; EXEC 1 reads it back. */
static const struct fragment_vector base_program = {
   .name = "base", .rows = 1, .num_execs = 2,
   .mfu_sched = {1, 0}, .num_mfu = 1, .mfu = {{0x104e51ba, 0x00408102}},
   .alu_sched = {1, 5}, .num_alu = 2,
   .alu = {{0x0001c0c0, 0x3f41f200, 0x0001a080, 0x3f41f200, 0x00014000, 0x3f41f200, 0x00012040, 0x3f41f200},
           {0x000fe7e8, 0x3e41f200, 0x000fe7e8, 0x3e41f200, 0x000fe7e8, 0x3e41f200, 0x000fe7e8, 0x3e41f200}},
   .dw = {0, 0x00028005},
};

struct change {
   enum { ALU, MFU, PSEQ, TEX, DW, ALU_SCHED, MFU_SCHED, COMPLEMENT, REG, UNWRITTEN, ROWS, FLAT } where;
   unsigned index, word;
   uint32_t value;
};

struct strict_case {
   const char *name;
   unsigned number;
   struct change change[6];
   unsigned count;
};

#define CASE(name, number, ...) \
   {name, SIM_DIAG_##number, {__VA_ARGS__}, sizeof((struct change[]){__VA_ARGS__}) / sizeof(struct change)}

/* A0 of packet 1, the second EXEC's */
#define A0(high, low) {ALU, 1, 0, high}, {ALU, 1, 1, low}
#define A1(high, low) {ALU, 1, 2, high}, {ALU, 1, 3, low}
#define UNIT0 GR3D_TEXTURE_DESC1(0)

static const struct strict_case cases[] = {
   CASE("schedule beyond the upload", FP_SCHEDULE, {ALU_SCHED, 1, 0, 9}),
   CASE("unknown sequencer bits", FP_UNKNOWN_BITS, {PSEQ, 1, 0, 0x1081000a}),
   CASE("unknown texture bits", FP_UNKNOWN_BITS, {TEX, 1, 0, 0x00002400}),
   CASE("unknown store bits", FP_UNKNOWN_BITS, {DW, 1, 0, 0x00028007}),
   CASE("complement word", FP_UNKNOWN_BITS, {COMPLEMENT, 0, 0, 1}),
   CASE("EXECs not a multiple of N", FP_BATCH, {ROWS, 0, 0, 3}),
   CASE("reads r4 with one row", FP_ROW_RANGE, A0(0x000fe100, 0x3f41f200)),
   CASE("writes r7 with one row", FP_ROW_RANGE, A0(0x0003e000, 0x3f41f200)),
   CASE("reads a register one packet after its write", FP_DELAY, {ALU_SCHED, 0, 0, 2}, A0(0x000fe0c0, 0x3f41f200)),
   CASE("the same with alu0 and in the next EXEC is fine", NONE, A0(0x000fe0c0, 0x3f41f200)),
   CASE("alu0 in the first packet", FP_ALU_FIRST, A0(0x00002600, 0x3f41f200)),
   CASE("alu3 behind constants", FP_ALU_CONSTANT, {ALU_SCHED, 1, 0, 6}, A0(0x000fe700, 0x3f41f200),
        {ALU, 2, 0, 0x000126c0}, {ALU, 2, 1, 0x3f41f200}),
   CASE("k0 in an unused operand", FP_UNUSED_CONSTANT, A0(0x000fe700, 0x3e41f200)),
   CASE("k0 in a unit without result", FP_UNUSED_CONSTANT, A0(0x000fe000, 0x3f41c000)),
   CASE("k0 times literal 0", FP_UNUSED_CONSTANT, A0(0x00006700, 0x3e41f200)),
   CASE("k0 times k1, which are 0", NONE, A0(0x00006700, 0x3a01f200), {ALU, 1, 6, 0}, {ALU, 1, 7, 0}),
   CASE("two units write r0.l", FP_SAME_HALF, A0(0x00002080, 0x3f41f200), A1(0x00002080, 0x3f41f200)),
   CASE("one unit writes c0", NONE, A0(0x00200088, 0x3f41f200)),
   CASE("two units write c0", FP_SAME_HALF, A0(0x00200088, 0x3f41f200), A1(0x00200088, 0x3f41f200)),
   CASE("D bits while disabled", FP_D_BITS, A0(0x00002080, 0x3f41f210)),
   CASE("writes g0", FP_GLOBAL, A0(0x00086040, 0x3f41f200)),
   CASE("reads g7", FP_GLOBAL, A0(0x000065c0, 0x3f41f200)),
   CASE("reads coverage", FP_REGISTER, A0(0x00006000 | 74 << 6, 0x3f41f200)),
   CASE("writes a uniform", FP_REGISTER, A0(32 << 15 | 0x6000, 0x3f41f200)),
   CASE("condition register not written", FP_READ_COND, A0(0x00007008, 0x3f41f200)),
   CASE("uniform not written", FP_READ_UNIFORM, {UNWRITTEN, GR3D_FP_CONST(3), 0, 0}, A0(0x00006000 | 35 << 6, 0x3f41f200)),
   CASE("uniform written", NONE, A0(0x00006000 | 35 << 6, 0x3f41f200)),
   CASE("row not written", FP_READ_ROW, {MFU, 0, 1, 0x00008102}),
   CASE("store of a row not written", FP_READ_ROW, {ALU_SCHED, 0, 0, 0}, {MFU, 0, 1, 0x00008102}),
   CASE("TRAM column not linked", FP_TRAM, {REG, GR3D_LINKER_INSTRUCTION(0) + 1, 0, 0x0000dc}),
   CASE("TRAM linked as fx10", FP_TRAM_TYPE, {REG, GR3D_LINKER_INSTRUCTION(0) + 1, 0, 0x0000fed4}),
   CASE("interpolation without rcp", FP_NO_RCP, {MFU, 0, 0, 0x004e51ba}),
   CASE("unknown special function", FP_MFU, {MFU_SCHED, 1, 0, 5}, {MFU, 1, 0, 0x03000000}),
   CASE("z through the MFU", FP_MFU, {MFU_SCHED, 1, 0, 5}, {MFU, 1, 0, 0x104e51ba}, {MFU, 1, 1, 0x00200000}),
   CASE("multiplier source 5", FP_MFU, {MFU_SCHED, 1, 0, 5}, {MFU, 1, 0, 0x00000450}),
   CASE("cos without pre_cos", FP_TWO_STEP, {MFU_SCHED, 1, 0, 5}, {MFU, 1, 0, 0x05c00000}),
   CASE("first step read by the ALU", FP_TWO_STEP, {MFU_SCHED, 1, 0, 5}, {MFU, 1, 0, 0x02c00000}, A0(0x00006000, 0x3f41f200)),
   CASE("A1 receives", FP_ACCUMULATE, A1(0x100fe080, 0x3f41f200)),
   CASE("A3 sends", FP_ACCUMULATE, A0(0x100fe080, 0x3f41f200), {ALU, 1, 6, 0x200fe080}, {ALU, 1, 7, 0x3f41f200}),
   CASE("A0 receives, A1 sends, A2 works on its own", FP_ACCUMULATE, A0(0x100fe080, 0x3f41f200), A1(0x200fe080, 0x3f41f200)),
   CASE("A0 receives, A1 and A2 send", NONE, A0(0x100fe080, 0x3f41f200), A1(0x200fe080, 0x3f41f200),
        {ALU, 1, 4, 0x200fe7e8}, {ALU, 1, 5, 0x3e41f200}),
   CASE("A0 receives from constants", FP_ACCUMULATE, A0(0x100fe080, 0x3801f200)),
   CASE("0x546 names another EXEC", FP_SETUP, {REG, GR3D_FP_PSEQ_DW_CFG, 0, 0x40}),
   CASE("0x501 at its start-up value", FP_SETUP, {REG, GR3D_PSEQ_CFG, 0, 7}),
   CASE("store in row 1", FP_ROW_USE, {ROWS, 0, 0, 2}),

   CASE("texture without descriptor", TEX_DESCRIPTOR, {TEX, 1, 0, 0x400}, {REG, UNIT0, 0, 0}, {REG, UNIT0 + 1, 0, 0}),
   CASE("good texture", NONE, {TEX, 1, 0, 0x400}),
   CASE("texture unit not written", REG_UNWRITTEN, {TEX, 1, 0, 0x400}, {UNWRITTEN, GR3D_TEXTURE_POINTER(0), 0, 0}),
   CASE("unknown texture format", TEX_FORMAT, {TEX, 1, 0, 0x400}, {REG, UNIT0, 0, 0x1f00}),
   CASE("DXT1 without the compressed bit", TEX_FORMAT, {TEX, 1, 0, 0x400}, {REG, UNIT0, 0, 0x1600}),
   CASE("depth texture", TEX_FORMAT, {TEX, 1, 0, 0x400}, {REG, UNIT0, 0, 0x0b00}),
   CASE("clamp and mirror", TEX_WRAP, {TEX, 1, 0, 0x400}, {REG, UNIT0, 0, 0x0d05}),
   CASE("NPOT with mipmaps", TEX_NPOT, {TEX, 1, 0, 0x400}, {REG, UNIT0, 0, 0x0d03}, {REG, UNIT0 + 1, 0, 0x00500540}),
   CASE("NPOT with repeat", TEX_NPOT, {TEX, 1, 0, 0x400}, {REG, UNIT0, 0, 0x0d00}, {REG, UNIT0 + 1, 0, 0x005005c0}),
   CASE("good NPOT, linear filter", NONE, {TEX, 1, 0, 0x400}, {REG, UNIT0, 0, 0x30000d03},
        {REG, UNIT0 + 1, 0, 0x005005c0}),
   CASE("NPOT, 0 wide", TEX_SIZE, {TEX, 1, 0, 0x400}, {REG, UNIT0, 0, 0x0d03}, {REG, UNIT0 + 1, 0, 0x000005c0}),
   CASE("NPOT, 0 high", TEX_SIZE, {TEX, 1, 0, 0x400}, {REG, UNIT0, 0, 0x0d03}, {REG, UNIT0 + 1, 0, 0x005000c0}),
   CASE("MAX_LOD beyond the last level", TEX_SIZE, {TEX, 1, 0, 0x400}, {REG, UNIT0 + 1, 0, 0x22004000}),
   CASE("4096 wide", TEX_SIZE, {TEX, 1, 0, 0x400}, {REG, UNIT0 + 1, 0, 0xc2000080}),
   CASE("texture address", TEX_ALIGNMENT, {TEX, 1, 0, 0x400}, {REG, GR3D_TEXTURE_POINTER(0), 0, 0x10008008}),
   CASE("samples its own target", TEX_FEEDBACK, {TEX, 1, 0, 0x400}, {REG, GR3D_TEXTURE_POINTER(0), 0, 0x10000000}),

   CASE("no cache invalidate", FDC_INVALIDATE, {REG, GR3D_FDC_CONTROL, 0, 0xe00}),
   CASE("store to a surface not enabled", SURFACE_NOT_ENABLED, {REG, GR3D_RT_ENABLE, 0, 0}),
   CASE("store to surface 0", SURFACE_SLOT, {DW, 1, 0, 0x00028001}, {REG, GR3D_RT_ENABLE, 0, 1}),
   CASE("colour to a depth format", SURFACE_FORMAT, {REG, GR3D_RT_PARAMS(1), 0, 0x0004002c}),
   CASE("unknown surface format", SURFACE_FORMAT, {REG, GR3D_RT_PARAMS(1), 0, 0x00040000}),
   CASE("surface pitch", SURFACE_PITCH, {REG, GR3D_RT_PARAMS(1), 0, 0x00040834}),
   CASE("unknown surface bits", SURFACE_BITS, {REG, GR3D_RT_PARAMS(1), 0, 0x08040034}),
   CASE("surface not written", REG_UNWRITTEN, {UNWRITTEN, GR3D_RT_PTR(1), 0, 0}),
   CASE("fetch from 565", SURFACE_FETCH, {PSEQ, 1, 0, 0x00810008}, {REG, GR3D_RT_PARAMS(1), 0, 0x00040018}),
   CASE("good fetch", NONE, {PSEQ, 1, 0, 0x00810008}),
   CASE("two surfaces at one address", SURFACE_OVERLAP, {PSEQ, 1, 0, 0x00830008}, {REG, GR3D_RT_ENABLE, 0, 10},
        {REG, GR3D_RT_PARAMS(3), 0, 0x04040034}, {REG, GR3D_RT_PTR(3), 0, 0x10000000}),
   CASE("scissor beyond 3839", SURFACE_SIZE, {REG, GR3D_SCISSOR_HORIZ, 0, 4096}),
   CASE("good depth test", NONE, {REG, GR3D_DEPTH_TEST_PARAMS, 0, 0x318}, {REG, GR3D_RT_ENABLE, 0, 0x10003}),
   CASE("depth test without surface", DEPTH_SURFACE, {REG, GR3D_DEPTH_TEST_PARAMS, 0, 0x318}),
   CASE("nonlinear depth", DEPTH_SURFACE, {REG, GR3D_DEPTH_TEST_PARAMS, 0, 0x318}, {REG, GR3D_RT_ENABLE, 0, 0x10003},
        {REG, GR3D_RT_PARAMS(0), 0, 0x04020030}),
   CASE("reversed depth range", DEPTH_RANGE, {REG, GR3D_DEPTH_RANGE_NEAR, 0, 0xfffff},
        {REG, GR3D_DEPTH_RANGE_FAR, 0, 0}),
   CASE("good stencil test", NONE, {REG, GR3D_STENCIL_PARAMS, 0, 0x68}, {REG, GR3D_RT_ENABLE, 0, 6}),
   CASE("linear stencil", STENCIL_SURFACE, {REG, GR3D_STENCIL_PARAMS, 0, 0x68}, {REG, GR3D_RT_ENABLE, 0, 6},
        {REG, GR3D_RT_PARAMS(2), 0, 0x0001000c}),
   CASE("killing program with early stencil write", STENCIL_LATE, {REG, GR3D_STENCIL_PARAMS, 0, 0x68},
        {REG, GR3D_RT_ENABLE, 0, 6}, A0(0xc0266080, 0x3f41f200)),
   CASE("neither early nor late stencil write", STENCIL_LATE, {REG, GR3D_STENCIL_PARAMS, 0, 0x28},
        {REG, GR3D_RT_ENABLE, 0, 6}),
};

static void
base_state(struct harness *h)
{
   uint32_t *r = h->gr3d->regs.value;
   r[GR3D_RT_ENABLE] = 2;
   r[GR3D_RT_PARAMS(0)] = 0x0402002c;
   r[GR3D_RT_PARAMS(1)] = 0x04040034;
   r[GR3D_RT_PARAMS(2)] = 0x0401000c;
   r[GR3D_RT_PTR(0)] = 0x10010000;
   r[GR3D_RT_PTR(1)] = 0x10000000;
   r[GR3D_RT_PTR(2)] = 0x10020000;
   r[GR3D_FDC_CONTROL] = 0xe01;
   r[GR3D_FP_PSEQ_DW_CFG] = 2 << 6;
   r[GR3D_PSEQ_CFG] = 0x223212cf;
   r[GR3D_DEPTH_TEST_PARAMS] = 0x200;
   r[GR3D_STENCIL_PARAMS] = 0x48;
   r[GR3D_LATE_TEST] = 0x48;
   r[GR3D_LINKER_INSTRUCTION(0)] = 8;
   r[GR3D_LINKER_INSTRUCTION(0) + 1] = 0xfedc;
   r[UNIT0] = 0x0d00;
   r[UNIT0 + 1] = 0x22000080;
   r[GR3D_TEXTURE_POINTER(0)] = 0x10030000;
}

static void
apply(struct harness *h, struct fragment_vector *v, const struct change *c)
{
   switch (c->where) {
   case ALU: v->alu[c->index][c->word] = c->value; break;
   case MFU:
      v->mfu[c->index][c->word] = c->value;
      v->num_mfu = c->index >= v->num_mfu ? c->index + 1 : v->num_mfu;
      break;
   case PSEQ: v->pseq[c->index] = c->value; break;
   case TEX: v->tex[c->index] = c->value; break;
   case DW: v->dw[c->index] = c->value; break;
   case ALU_SCHED: v->alu_sched[c->index] = c->value; break;
   case MFU_SCHED: v->mfu_sched[c->index] = c->value; break;
   case COMPLEMENT: v->alu_complement[c->index] = c->value; break;
   case REG: h->gr3d->regs.value[c->index] = c->value; break;
   case UNWRITTEN: h->gr3d->regs.written[c->index] = 0; break;
   case ROWS: v->rows = c->value; break;
   default: break;
   }
}

TEST_ROWS(strict, cases)
{
   struct harness *h = harness_create_strict(16, 16);
   base_state(h);
   struct fragment_vector v = base_program;
   for (unsigned i = 0; i < c->count; i++) {
      if (c->change[i].where != REG && c->change[i].where != UNWRITTEN)
         apply(h, &v, &c->change[i]);
   }
   harness_program(h, &v);
   h->gr3d->regs.value[GR3D_ALU_BUFFER_SIZE] = 299 / (4 * v.rows) << 24 | (v.rows - 1);
   for (unsigned i = 0; i < c->count; i++) {
      if (c->change[i].where == REG || c->change[i].where == UNWRITTEN)
         apply(h, &v, &c->change[i]);
   }
   harness_draw(h);
   if (c->number) {
      if (!harness_reported(h, c->number))
         fail_msg("%s: %s not reported (%u reports, first %s)", c->name, sim_diag_name(c->number), h->num_diags,
                  h->num_diags ? sim_diag_name(h->diags[0]) : "none");
   } else if (h->num_diags) {
      fail_msg("%s: unexpected %s", c->name, sim_diag_name(h->diags[0]));
   }
}

/* A77: the second draw samples what the first one stored. */
TEST(stale_texture)
{
   for (unsigned variant = 0; variant < 3; variant++) {
      struct harness *h = harness_create_strict(16, 16);
      base_state(h);
      harness_program(h, &base_program);
      h->gr3d->regs.value[GR3D_ALU_BUFFER_SIZE] = 0x4a000000;
      harness_draw(h);
      struct fragment_vector v = base_program;
      v.tex[1] = 0x400;
      harness_program(h, &v);
      h->gr3d->regs.value[GR3D_ALU_BUFFER_SIZE] = 0x4a000000;
      static const unsigned regs[] = {GR3D_RT_PTR(1), GR3D_TEXTURE_POINTER(0), UNIT0, UNIT0 + 1};
      static const uint32_t values[] = {0x10040000, 0x10000000, 0x0d00, 0x22000080};
      for (unsigned i = 0; i < (variant == 1 ? 1 : 4); i++)
         gr3d_write(h->gr3d, regs[i], values[i]);
      if (variant == 1)
         h->gr3d->regs.value[GR3D_TEXTURE_POINTER(0)] = 0x10000000;
      if (variant)
         gr3d_write(h->gr3d, GR3D_FDC_CONTROL, 0xe01);
      harness_draw(h);
      assert_int_equal(harness_reported(h, SIM_DIAG_TEX_STALE), variant < 2);
   }
}

/* A49 the other way: g0 and g7 are registers of the fragment, and no row register is taken for written. */
TEST(global_registers)
{
   struct harness *h = harness_create_strict(16, 16);
   assert_true(sim_set_switch(h->sim, "A49", "private"));
   base_state(h);
   struct fragment_vector v = base_program;
   v.alu[1][0] = 0x00086040; /* g0 = r1 * 1 + 0 */
   v.alu[1][2] = 0x000be040; /* g7 */
   v.alu[1][1] = v.alu[1][3] = 0x3f41f200;
   harness_program(h, &v);
   h->gr3d->regs.value[GR3D_ALU_BUFFER_SIZE] = 0x4a000000;
   harness_draw(h);
   assert_true(harness_reported(h, SIM_DIAG_FP_GLOBAL) || !h->num_diags);
   assert_false(harness_reported(h, SIM_DIAG_FP_SAME_HALF));
}

/* The engine stands still when the count and the tables disagree. */
TEST(count_mismatch)
{
   struct harness *h = harness_create(16, 16);
   base_state(h);
   harness_program(h, &base_program);
   h->gr3d->prog.dw_count = 1;
   harness_draw(h);
   assert_true(h->sim->hang);
   assert_true(harness_reported(h, SIM_DIAG_FP_COUNT));
}
