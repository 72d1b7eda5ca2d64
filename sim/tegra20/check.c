/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Strict mode: what can be said about register writes, about a draw before it
 * runs, and about a vertex instruction on its own.  What depends on values is
 * reported where it happens (vfetch.c, vpe.c, setup.c).
 */

#include <math.h>

#include "numbers.h"
#include "tegra20/gr3d_regs.h"
#include "vertex.h"

#define REPORT(gr3d, diag, reg, pos, ...) \
   sim_report((gr3d)->sim, SIM_DIAG_##diag, reg, pos, __VA_ARGS__)

static uint32_t
reg(const struct gr3d *gr3d, uint32_t offset)
{
   return gr3d->regs.value[offset];
}

/* --- register writes --- */

/* Registers that each of two engines has for itself (gr3d-registers.md 5.1),
 * and the one that draws. */
static bool
is_per_engine(uint32_t offset)
{
   static const uint16_t registers[] = { 0x123, 0x413, 0x90b, 0xb00,
                                         0xb01, 0xe04, 0xe2a, 0xe41 };
   for (unsigned i = 0; i < sizeof(registers) / sizeof(registers[0]); i++) {
      if (registers[i] == offset)
         return true;
   }
   return false;
}

static void
check_chip_write(struct gr3d *gr3d, uint32_t offset)
{
   const unsigned all = (1u << gr3d->chip->engines) - 1;

   if (gr3d_write_mask(gr3d) != all && !is_per_engine(offset))
      REPORT(gr3d, ENGINE_SELECT, offset, -1,
             "register 0x%03x is written while 0x%03x selects %u: the "
             "engines get different state",
             offset, GR3D_GSHIM_WRITE_MASK, gr3d_write_mask(gr3d));
   if ((gr3d->chip->quirks & TEGRA20_QUIRK_411_ONCE) && offset == 0x411 &&
       gr3d->written_411)
      REPORT(gr3d, REG_CHIP, offset, -1,
             "register 0x411 is written again: %s wants it left alone after "
             "its first zero",
             gr3d->chip->name);
}

void
gr3d_check_write(struct gr3d *gr3d, uint32_t offset, uint32_t value)
{
   /* All public drivers zero them on Tegra20, too (assumption A107). */
   const bool is_zeroed =
      offset >= GR3D_UNK_750(0) && offset <= GR3D_UNK_750(15) && value == 0;
   if (gr3d->reg_kind[offset] == GR3D_REG_UNKNOWN)
      REPORT(gr3d, REG_UNKNOWN, offset, -1,
             "write to register 0x%03x, which no manual lists", offset);
   else if (gr3d->reg_kind[offset] == GR3D_REG_OTHER_CHIP && !is_zeroed)
      REPORT(gr3d, REG_OTHER_CHIP, offset, -1,
             "write to register 0x%03x, which %s does not have", offset,
             gr3d->chip->name);
   check_chip_write(gr3d, offset);
   bool attribute =
      offset >= GR3D_ATTRIB_PTR(0) && offset <= GR3D_VP_ATTRIB_IN_OUT_SELECT;
   if (attribute || offset == GR3D_VP_UPLOAD_INST ||
       offset == GR3D_VP_UPLOAD_CONST)
      gr3d->vertex->changed = true;
}

/* --- initialisation --- */

/*
 * Registers that every known driver initialises (assumption A78,
 * gr3d-registers.md 2.3), with the value where all agree on one.
 */
static const struct init_range {
   uint16_t first, last;
   bool has_value;
   uint32_t value;
} init_ranges[] = {
   { 0x00d, 0x015, true, 0 },      { 0x124, 0x124, true, 7 },
   { 0x125, 0x126, true, 0 },      { 0x200, 0x200, true, 0x11 },
   { 0x201, 0x201, true, 0xffff }, { 0x202, 0x202, true, 0x00ff0000 },
   { 0x203, 0x204, true, 0 },      { 0x209, 0x20a, true, 0 },
   { 0x20b, 0x20b, true, 3 },      { 0x34e, 0x34e, false, 0 },
   { 0x34f, 0x34f, true, 0 },      { 0x35b, 0x35b, false, 0 },
   { 0x363, 0x364, true, 0 },      { 0x406, 0x406, true, 1 },
   { 0x407, 0x409, true, 0 },      { 0x40a, 0x40a, true, 0x1fff1fff },
   { 0x40b, 0x40b, true, 0 },      { 0x40c, 0x40c, true, 6 },
   { 0x40d, 0x40d, true, 0 },      { 0x40e, 0x40e, false, 0 },
   { 0x410, 0x413, true, 0 },      { 0x501, 0x501, false, 0 },
   { 0x502, 0x503, true, 0 },      { 0x521, 0x53f, true, 0 },
   { 0x542, 0x545, true, 0 },      { 0x60e, 0x60e, true, 0 },
   { 0x702, 0x702, true, 0 },      { 0x740, 0x740, false, 0 },
   { 0x741, 0x742, true, 0 },      { 0x902, 0x902, false, 0 },
   { 0xa00, 0xa00, false, 0 },     { 0xa01, 0xa01, true, 0 },
   { 0xa02, 0xa04, true, 0x1ff },  { 0xa05, 0xa05, true, 0x30 },
   { 0xa06, 0xa06, true, 0x20 },   { 0xa07, 0xa07, false, 0 },
   { 0xa08, 0xa08, true, 0x100 },  { 0xa09, 0xa09, true, 0x0f0f0f0f },
   { 0xa0a, 0xa0c, true, 0 },      { 0xe25, 0xe25, true, 0 },
   { 0xe26, 0xe26, false, 0 },
};

static bool
is_in(const struct tegra20_chip_reg *list, unsigned count, unsigned reg)
{
   for (unsigned i = 0; i < count; i++) {
      if (list[i].reg == reg)
         return true;
   }
   return false;
}

/* What the chip has beyond Tegra20 (gr3d-registers.md 5). */
static void
check_chip_list(struct gr3d *gr3d, const struct tegra20_chip_reg *list,
                unsigned count)
{
   const struct tegra20_chip_info *chip = gr3d->chip;

   for (unsigned i = 0; i < count; i++) {
      for (uint32_t n = 0; n < list[i].count; n++) {
         const uint32_t offset = list[i].reg + n;
         if (!gr3d->regs.written[offset])
            REPORT(gr3d, REG_INIT, offset, -1,
                   "the job does not initialise register 0x%03x, as every "
                   "known driver does on %s",
                   offset, chip->name);
         else if (reg(gr3d, offset) != list[i].value &&
                  !is_in(chip->before_draw, chip->num_before_draw, offset))
            REPORT(gr3d, REG_INIT, offset, -1,
                   "register 0x%03x is 0x%x; every known driver writes 0x%x",
                   offset, reg(gr3d, offset), list[i].value);
      }
   }
}

static void
check_engines(struct gr3d *gr3d)
{
   const unsigned all = (1u << gr3d->chip->engines) - 1;

   if (gr3d->chip->engines == 1)
      return;
   for (unsigned e = 0; e < gr3d->chip->engines; e++) {
      if (!(gr3d->engines_told >> e & 1))
         REPORT(gr3d, ENGINE_SELECT, GR3D_UNK_E41, (int)e,
                "engine %u was not told by 0x%03x and 0x%03x which lines "
                "this draw has for it",
                e, GR3D_GSHIM_WRITE_MASK, GR3D_UNK_E41);
      else if (gr3d->engine[e].identity != 2 * e + 1)
         REPORT(gr3d, ENGINE_SELECT, GR3D_UNK_E41, (int)e,
                "0x%03x of engine %u is %u, every known driver writes %u",
                GR3D_UNK_E41, e, gr3d->engine[e].identity, 2 * e + 1);
   }
   if (gr3d_write_mask(gr3d) != all)
      REPORT(gr3d, ENGINE_SELECT, GR3D_GSHIM_WRITE_MASK, -1,
             "a draw that only the engines of mask %u get",
             gr3d_write_mask(gr3d));
}

static void
check_chip(struct gr3d *gr3d)
{
   const struct tegra20_chip_info *chip = gr3d->chip;

   check_chip_list(gr3d, chip->init, chip->num_init);
   check_chip_list(gr3d, chip->after_dw_cfg, chip->num_after_dw_cfg);
   check_engines(gr3d);
   if ((chip->quirks & TEGRA20_QUIRK_DEPTH_TEST_COPY) &&
       reg(gr3d, GR3D_DEPTH_TEST_PARAMS_COPY) !=
          reg(gr3d, GR3D_DEPTH_TEST_PARAMS))
      REPORT(gr3d, REG_CHIP, GR3D_DEPTH_TEST_PARAMS_COPY, -1,
             "0xe45 is 0x%x, 0x403 is 0x%x: %s wants the same in both",
             reg(gr3d, GR3D_DEPTH_TEST_PARAMS_COPY),
             reg(gr3d, GR3D_DEPTH_TEST_PARAMS), chip->name);
   if ((chip->quirks & TEGRA20_QUIRK_FDC_STAYS) &&
       (reg(gr3d, GR3D_FDC_CONTROL) & 1))
      REPORT(gr3d, REG_CHIP, GR3D_FDC_CONTROL, -1,
             "bit 0 of 0xa00 is still set: on %s it does not clear itself",
             chip->name);
}

static void
check_init(struct gr3d *gr3d)
{
   for (unsigned i = 0; i < sizeof(init_ranges) / sizeof(init_ranges[0]);
        i++) {
      const struct init_range *range = &init_ranges[i];
      for (uint32_t offset = range->first; offset <= range->last; offset++) {
         if (!gr3d->regs.written[offset])
            REPORT(gr3d, REG_INIT, offset, -1,
                   "the job does not initialise register 0x%03x, as every "
                   "known driver does",
                   offset);
         else if (range->has_value && reg(gr3d, offset) != range->value)
            REPORT(gr3d, REG_INIT, offset, -1,
                   "register 0x%03x is 0x%x; every known driver writes 0x%x",
                   offset, reg(gr3d, offset), range->value);
      }
   }
   if (gr3d->regs.written[GR3D_PSEQ_CFG] &&
       (reg(gr3d, GR3D_PSEQ_CFG) & 0xf) != 0xf)
      REPORT(gr3d, REG_INIT, GR3D_PSEQ_CFG, -1,
             "PSEQ_CFG is 0x%x: bits 3:0 are 0xf whenever a program runs",
             reg(gr3d, GR3D_PSEQ_CFG));
}

/* --- state of a draw --- */

static void
need(struct gr3d *gr3d, uint32_t first, uint32_t last, const char *what)
{
   for (uint32_t offset = first; offset <= last; offset++)
      if (!gr3d->regs.written[offset])
         REPORT(
            gr3d, REG_UNWRITTEN, offset, -1,
            "a draw uses register 0x%03x (%s), which the job has not written",
            offset, what);
}

static unsigned
primitive_type(const struct gr3d *gr3d)
{
   return reg(gr3d, GR3D_DRAW_PARAMS) >>
             GR3D_DRAW_PARAMS_PRIMITIVE_TYPE__SHIFT &
          7;
}

static unsigned
index_mode(const struct gr3d *gr3d)
{
   return reg(gr3d, GR3D_DRAW_PARAMS) >> GR3D_DRAW_PARAMS_INDEX_MODE__SHIFT &
          3;
}

static void
check_written(struct gr3d *gr3d)
{
   need(gr3d, GR3D_VP_ATTRIB_IN_OUT_SELECT, GR3D_VP_ATTRIB_IN_OUT_SELECT,
        "attribute and export masks");
   need(gr3d, GR3D_DRAW_PARAMS, GR3D_DRAW_PARAMS, "draw parameters");
   need(gr3d, GR3D_CULL_FACE_LINKER_SETUP, GR3D_CULL_FACE_LINKER_SETUP,
        "culling and linker");
   need(gr3d, GR3D_VIEWPORT_X_BIAS, GR3D_GUARDBAND_DEPTH,
        "viewport and guard band");
   need(gr3d, GR3D_TRAM_SETUP, GR3D_TRAM_SETUP, "TRAM set-up");
   if (index_mode(gr3d))
      need(gr3d, GR3D_INDEX_PTR, GR3D_INDEX_PTR, "index pointer");
   uint32_t enabled = reg(gr3d, GR3D_VP_ATTRIB_IN_OUT_SELECT) >> 16;
   for (unsigned i = 0; i < GR3D_NUM_ATTRIBS; i++)
      if (enabled >> i & 1)
         need(gr3d, GR3D_ATTRIB_PTR(i), GR3D_ATTRIB_MODE(i), "attribute");
}

static void
check_draw_parameters(struct gr3d *gr3d)
{
   uint32_t params = reg(gr3d, GR3D_DRAW_PARAMS),
            draw = reg(gr3d, GR3D_DRAW_PRIMITIVES);
   if (params & GR3D_DRAW_PARAMS_FIRST__MASK)
      REPORT(gr3d, DRAW_PARAMS, GR3D_DRAW_PARAMS, -1,
             "FIRST is %u: only 0 has a known meaning (A08)",
             params & GR3D_DRAW_PARAMS_FIRST__MASK);
   if (index_mode(gr3d) && draw & GR3D_DRAW_PRIMITIVES_OFFSET__MASK)
      REPORT(gr3d, DRAW_PARAMS, GR3D_DRAW_PRIMITIVES, -1,
             "OFFSET is %u in an indexed draw: it is not an index bias (A08)",
             draw & GR3D_DRAW_PRIMITIVES_OFFSET__MASK);
   if (index_mode(gr3d) == GR3D_INDEX_MODE_UINT16 &&
       reg(gr3d, GR3D_INDEX_PTR) & 1)
      REPORT(gr3d, ATTRIB_ALIGNMENT, GR3D_INDEX_PTR, -1,
             "16-bit indices at the odd address 0x%08x",
             reg(gr3d, GR3D_INDEX_PTR));
   if (gr3d->draw_number == 0 &&
       !(params & GR3D_DRAW_PARAMS_VTX_MEM_CACHE_INVALIDATE__MASK))
      REPORT(gr3d, VERTEX_CACHE, GR3D_DRAW_PARAMS, 30,
             "the first draw of a job does not invalidate the vertex memory "
             "cache (bit 30, A09)");
   if (gr3d->vertex->changed &&
       !(params & GR3D_DRAW_PARAMS_VTX_GPU_CACHE_INVALIDATE__MASK))
      REPORT(gr3d, VERTEX_CACHE, GR3D_DRAW_PARAMS, 31,
             "attributes, vertex program or constants changed, but processed "
             "vertices are not invalidated (bit 31, A09)");
   gr3d->vertex->changed = false;
}

static void
check_attributes(struct gr3d *gr3d)
{
   uint32_t enabled = reg(gr3d, GR3D_VP_ATTRIB_IN_OUT_SELECT) >> 16;
   for (unsigned i = 0; i < GR3D_NUM_ATTRIBS; i++) {
      if (!(enabled >> i & 1))
         continue;
      uint32_t address = reg(gr3d, GR3D_ATTRIB_PTR(i)),
               stride = reg(gr3d, GR3D_ATTRIB_MODE(i)) >> 8;
      if (address % 4 || stride % 4)
         REPORT(gr3d, ATTRIB_ALIGNMENT, GR3D_ATTRIB_PTR(i), -1,
                "attribute %u: address 0x%08x, stride %u: only multiples of "
                "4 are proven (A04)",
                i, address, stride);
   }
}

static void
check_program_upload(struct gr3d *gr3d)
{
   for (unsigned i = 0; i < VPE_NUM_INSNS; i++)
      if (gr3d->prog.vp_written[i] != 0 && gr3d->prog.vp_written[i] != 0xf)
         REPORT(gr3d, UPLOAD_PARTIAL, GR3D_VP_UPLOAD_INST, i,
                "vertex instruction %u was uploaded in part only", i);
   if (!(gr3d->vertex->program.exports_written & 1))
      REPORT(gr3d, VP_NO_POSITION, SIM_NO_REG, -1,
             "the vertex program does not write export 0, the position");
   if (!(reg(gr3d, GR3D_VP_ATTRIB_IN_OUT_SELECT) & 1))
      REPORT(gr3d, VP_NO_POSITION, GR3D_VP_ATTRIB_IN_OUT_SELECT, -1,
             "0x120 does not pass export 0, the position, on");
}

static void
check_linker(struct gr3d *gr3d)
{
   const struct gr3d_setup *setup = &gr3d->vertex->setup;
   uint32_t cull = reg(gr3d, GR3D_CULL_FACE_LINKER_SETUP);
   unsigned count =
      (cull >> GR3D_CULL_FACE_LINKER_SETUP_LINKER_INST_COUNT__SHIFT & 31) + 1;
   if (cull >> 18 != 0x2e38 || cull & 0x7c1f)
      REPORT(gr3d, REG_VALUE, GR3D_CULL_FACE_LINKER_SETUP, -1,
             "0x343 is 0x%08x: bits 31:18 are 0x2e38 in all streams, "
             "14:10 and 4:0 are 0",
             cull);
   for (unsigned i = 0; i < count; i++) {
      uint32_t low_reg = GR3D_LINKER_INSTRUCTION(i);
      if (!gr3d->regs.written[low_reg] || !gr3d->regs.written[low_reg + 1]) {
         REPORT(gr3d, LINKER_UNWRITTEN, low_reg, i,
                "linker instruction %u is executed, but the job has not "
                "written it",
                i);
         continue;
      }
      uint32_t low = reg(gr3d, low_reg), high = reg(gr3d, low_reg + 1);
      if (low & 1)
         REPORT(gr3d, LINKER_FIELD, low_reg, i,
                "linker instruction %u uses z mode, whose result is unknown "
                "(A40)",
                i);
      if (low & 0xffff8186 || high & 0xfff00000)
         REPORT(gr3d, LINKER_FIELD, low_reg, i,
                "linker instruction %u: 0x%08x 0x%08x has across or unknown "
                "bits set (A27)",
                i, low, high);
   }
   unsigned rows = setup->rows_written
                      ? 32 - (unsigned)__builtin_clz(setup->rows_written)
                      : 1;
   uint32_t want = rows << 8 | 64 / rows;
   if (reg(gr3d, GR3D_TRAM_SETUP) != want)
      REPORT(gr3d, LINKER_TRAM_SETUP, GR3D_TRAM_SETUP, -1,
             "TRAM_SETUP is 0x%04x, but the linker uses %u rows: 0x%04x",
             reg(gr3d, GR3D_TRAM_SETUP), rows, want);
}

static void
check_setup(struct gr3d *gr3d)
{
   for (unsigned i = 0; i < 3; i++) {
      double guard = gr3d->vertex->setup.guard[i];
      if (!(guard >= 1.0) || !isfinite(guard))
         REPORT(gr3d, GUARD_BAND, GR3D_GUARDBAND_WIDTH + i, -1,
                "guard band %g: 1 or more was ever used", guard);
   }
   unsigned type = primitive_type(gr3d);
   if (type == GR3D_PRIMITIVE_TYPE_POINTS) {
      need(gr3d, GR3D_POINT_PARAMS, GR3D_POINT_SIZE, "points");
      if (reg(gr3d, GR3D_POINT_PARAMS) != 0x1401)
         REPORT(gr3d, POINT_LINE_PARAMS, GR3D_POINT_PARAMS, -1,
                "POINT_PARAMS is 0x%x, only 0x1401 was ever drawn with (A27)",
                reg(gr3d, GR3D_POINT_PARAMS));
   }
   if (type >= GR3D_PRIMITIVE_TYPE_LINES &&
       type <= GR3D_PRIMITIVE_TYPE_LINE_STRIP) {
      need(gr3d, GR3D_LINE_PARAMS, GR3D_HALF_LINE_WIDTH, "lines");
      if (reg(gr3d, GR3D_LINE_PARAMS) != 2)
         REPORT(gr3d, POINT_LINE_PARAMS, GR3D_LINE_PARAMS, -1,
                "LINE_PARAMS is 0x%x, only 2 was ever drawn with (A27)",
                reg(gr3d, GR3D_LINE_PARAMS));
   }
}

void
gr3d_check_draw(struct gr3d *gr3d)
{
   check_init(gr3d);
   check_chip(gr3d);
   check_written(gr3d);
   check_draw_parameters(gr3d);
   check_attributes(gr3d);
   check_program_upload(gr3d);
   check_linker(gr3d);
   check_setup(gr3d);
}

/* --- vertex instructions --- */

static bool
is_flow(unsigned scalar_op)
{
   return scalar_op == VPE_S_BRA || scalar_op == VPE_S_CAL ||
          scalar_op == VPE_S_RET;
}

static bool
known_vector_op(unsigned op)
{
   return op <= VPE_V_POPA && op != VPE_V_TXL && op != VPE_V_DPH &&
          op != VPE_V_DST;
}

static bool
known_scalar_op(unsigned op)
{
   return op <= VPE_S_LIT || is_flow(op) ||
          (op >= VPE_S_LG2 && op <= VPE_S_COS) || op == VPE_S_PUSHA ||
          op == VPE_S_POPA;
}

/* Two stack operations in one instruction, other than the same PUSHA or POPA
 * twice. */
static bool
bad_stack_pair(const struct vpe_insn *insn)
{
   bool vector_push = insn->vector_op == VPE_V_PUSHA,
        vector_pop = insn->vector_op == VPE_V_POPA;
   bool scalar_push = insn->scalar_op == VPE_S_PUSHA,
        scalar_pop = insn->scalar_op == VPE_S_POPA;
   bool scalar_call =
      insn->scalar_op == VPE_S_CAL || insn->scalar_op == VPE_S_RET;
   if (vector_push)
      return scalar_pop || scalar_call;
   return vector_pop && (scalar_push || scalar_call);
}

static void
check_branch(struct sim *sim, const struct vpe_insn *insn, unsigned pos)
{
   const uint8_t *s = insn->condition_swizzle;
   bool replicated = s[0] == s[1] && s[1] == s[2] && s[2] == s[3];
   if (insn->predicated ? !replicated && insn->condition != 7
                        : insn->condition != 7)
      sim_report(sim, SIM_DIAG_VP_BRANCH_FORM, SIM_NO_REG, pos,
                 "branch is neither TR with cc = 0 nor a condition with cc = "
                 "1 and a replicated swizzle (A13)");
   if (insn->scalar_op != VPE_S_RET && insn->c.need)
      sim_report(
         sim, SIM_DIAG_VP_BRANCH_OVERLAY, SIM_NO_REG, pos,
         "the branch target overlays the swizzle of rC, which is read");
   if (insn->end)
      sim_report(sim, SIM_DIAG_VP_END_BRANCH, SIM_NO_REG, pos,
                 "end bit together with a branch, call or return");
}

void
vpe_check_insn(struct sim *sim, const struct vpe_insn *insn, unsigned pos)
{
   if (!known_vector_op(insn->vector_op))
      sim_report(sim, SIM_DIAG_VP_OPCODE, SIM_NO_REG, pos,
                 "vector opcode %u is unknown or disputed", insn->vector_op);
   if (!known_scalar_op(insn->scalar_op))
      sim_report(sim, SIM_DIAG_VP_OPCODE, SIM_NO_REG, pos,
                 "scalar opcode %u is unknown", insn->scalar_op);
   if (insn->has_vector_result && insn->has_scalar_result &&
       insn->vector_mask && insn->scalar_mask &&
       insn->vector_dest != VPE_NONE &&
       insn->vector_dest == insn->scalar_dest)
      sim_report(sim, SIM_DIAG_VP_SAME_TEMP, SIM_NO_REG, pos,
                 "both halves write r%u (A14)", insn->vector_dest);
   if (insn->export_index != VPE_NONE &&
       !(insn->export_vector ? insn->has_vector_result
                             : insn->has_scalar_result))
      sim_report(sim, SIM_DIAG_VP_EXPORT_SOURCE, SIM_NO_REG, pos,
                 "export %u is fed by a half without a result",
                 insn->export_index);
   if (bad_stack_pair(insn))
      sim_report(sim, SIM_DIAG_VP_STACK_PAIR, SIM_NO_REG, pos,
                 "two stack operations in one instruction");
   if (is_flow(insn->scalar_op))
      check_branch(sim, insn, pos);
   bool cs = insn->raw[0] >> 14 & 1, cwr = insn->raw[0] >> 29 & 1;
   if (insn->raw[0] >> 31 || insn->address_zero || cs != cwr)
      sim_report(sim, SIM_DIAG_VP_FIELD, SIM_NO_REG, pos,
                 "bit 127 or 120 is set, or only one of cs and cwr");
}
