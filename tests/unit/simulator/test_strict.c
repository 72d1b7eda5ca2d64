/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Strict mode of the front half: a clean job reports nothing, and each fault its number.  Every case is the clean job
 * of gr3d-registers.md 4.3 with one thing wrong.
 */

#include <math.h>

#include "unit.h"
#include "capture.h"
#include "job.h"
#include "tegra20/gr3d_regs.h"
#include "tegra20/host1x_stream.h"
#include "vertex.h"
#include "vs_words.h"

static const struct vs_fields clean_program[] = {
   { COPY(0, 0) },
   { COPY(1, 7), END },
};

/* Everything but the draw. */
static struct job *
clean_job(void)
{
   static const float positions[3][4] = { { 0, 0.5f, 0, 1 }, { -0.5f, -0.5f, 0, 1 }, { 0.5f, -0.5f, 0, 1 } };
   static const float colours[3][4] = { { 1, 0, 0, 1 }, { 0, 1, 0, 1 }, { 0, 0, 1, 1 } };
   static const uint16_t indices[3] = { 0, 1, 2 };
   struct job *job = job_create(true);
   job_poke(job, JOB_VERTICES, positions, sizeof(positions));
   job_poke(job, JOB_VERTICES + 64, colours, sizeof(colours));
   job_poke(job, JOB_INDICES, indices, sizeof(indices));
   job_frame(job);
   job_attrib(job, 0, JOB_VERTICES, 0x104d);
   job_attrib(job, 1, JOB_VERTICES + 64, 0x104d);
   vs_upload(job, clean_program, 2);
   return job;
}

static void
finish(struct job *job, unsigned primitive, unsigned mode)
{
   job_draw(job, primitive, mode, 0, 3);
   job_word(job, host1x_imm(0, 0x101));
}

TEST(clean)
{
   for (unsigned primitive = 0; primitive <= 6; primitive++) {
      for (unsigned mode = 0; mode <= 2; mode += 2) {
         struct job *job = clean_job();
         finish(job, primitive, mode);
         assert_int_equal(job_run(job), SIM_OK);
         if (job->num_diags)
            fail_msg("primitive %u: %s", primitive, job->last_text);
      }
   }
}

/* ---- one register wrong ---- */

struct register_case {
   const char *name;
   uint32_t reg, value;
   unsigned diag;
   unsigned primitive, mode;
};

#define TRIANGLES GR3D_PRIMITIVE_TYPE_TRIANGLES

static const struct register_case register_cases[] = {
   { "0x20b missing its 3", 0x20b, 0, SIM_DIAG_REG_INIT, TRIANGLES, 0 },
   { "0x501 without a program value", 0x501, 7, SIM_DIAG_REG_INIT, TRIANGLES, 0 },
   { "0x124", 0x124, 6, SIM_DIAG_REG_INIT, TRIANGLES, 0 },
   { "unlisted register", 0xfff, 0, SIM_DIAG_REG_UNKNOWN, TRIANGLES, 0 },
   { "Tegra30 register", 0xb00, 3, SIM_DIAG_REG_OTHER_CHIP, TRIANGLES, 0 },
   { "Tegra114 register", 0xe44, 0, SIM_DIAG_REG_OTHER_CHIP, TRIANGLES, 0 },
   { "0x750 zeroed", 0x750, 0, 0, TRIANGLES, 0 },
   { "0x750 with a value", 0x750, 1, SIM_DIAG_REG_OTHER_CHIP, TRIANGLES, 0 },
   { "0xe22 with a value", 0xe22, 1, SIM_DIAG_REG_VALUE, TRIANGLES, 0 },
   { "0x343 constant", 0x343, 0, SIM_DIAG_REG_VALUE, TRIANGLES, 0 },
   { "attribute pointer alignment", 0x100, JOB_MEMORY_BASE + JOB_VERTICES + 2, SIM_DIAG_ATTRIB_ALIGNMENT, TRIANGLES, 0 },
   { "attribute stride alignment", 0x101, 13 | 4 << 4 | 18 << 8, SIM_DIAG_ATTRIB_ALIGNMENT, TRIANGLES, 0 },
   { "attribute type 15", 0x101, 15 | 4 << 4 | 16 << 8, SIM_DIAG_ATTRIB_FORMAT, TRIANGLES, 0 },
   { "attribute of five components", 0x101, 13 | 5 << 4 | 16 << 8, SIM_DIAG_ATTRIB_FORMAT, TRIANGLES, 0 },
   { "attribute outside memory", 0x100, 0x1000, SIM_DIAG_ATTRIB_RANGE, TRIANGLES, 0 },
   { "attribute at the end of its buffer", 0x100, JOB_MEMORY_BASE + JOB_MEMORY_SIZE - 48, SIM_DIAG_ATTRIB_PREFETCH, TRIANGLES,
     0 },
   { "attribute not enabled", 0x120, 0x00010081, SIM_DIAG_VP_READ_ATTRIB, TRIANGLES, 0 },
   { "enabled attribute never set", 0x120, 0x00070081, SIM_DIAG_REG_UNWRITTEN, TRIANGLES, 0 },
   { "position not passed on", 0x120, 0x00030080, SIM_DIAG_VP_NO_POSITION, TRIANGLES, 0 },
   { "linker source without export", 0x120, 0x00030001, SIM_DIAG_LINKER_SOURCE, TRIANGLES, 0 },
   { "linker row 16", 0x300, 0x2008, SIM_DIAG_LINKER_ROW, TRIANGLES, 0 },
   { "linker z mode", 0x300, 0x0009, SIM_DIAG_LINKER_FIELD, TRIANGLES, 0 },
   { "linker across bits", 0x300, 0x40008, SIM_DIAG_LINKER_FIELD, TRIANGLES, 0 },
   { "linker high unknown bits", 0x301, 0x10fecd, SIM_DIAG_LINKER_FIELD, TRIANGLES, 0 },
   { "linker overlap", 0x301, 0xcccc, SIM_DIAG_LINKER_OVERLAP, TRIANGLES, 0 },
   { "linker count", 0x343, 0xb8e00020, SIM_DIAG_LINKER_UNWRITTEN, TRIANGLES, 0 },
   { "TRAM rows", 0xe21, 0x220, SIM_DIAG_LINKER_TRAM_SETUP, TRIANGLES, 0 },
   { "guard band below 1", 0x358, 0x3f000000, SIM_DIAG_GUARD_BAND, TRIANGLES, 0 },
   { "guard band NaN", 0x35a, 0x7fc00000, SIM_DIAG_GUARD_BAND, TRIANGLES, 0 },
   { "viewport too large", 0x355, 0x4e000000, SIM_DIAG_VIEWPORT_RANGE, TRIANGLES, 0 },
   { "line parameters", 0x34c, 0, SIM_DIAG_POINT_LINE_PARAMS, GR3D_PRIMITIVE_TYPE_LINES, 0 },
   { "point parameters", 0x346, 0x105, SIM_DIAG_POINT_LINE_PARAMS, GR3D_PRIMITIVE_TYPE_POINTS, 0 },
   { "index pointer", 0x121, JOB_MEMORY_BASE + 1, SIM_DIAG_NONE, TRIANGLES, 0 },
   { "partial instruction", 0x206, 0, SIM_DIAG_UPLOAD_PARTIAL, TRIANGLES, 0 },
};

TEST_ROWS(registers, register_cases)
{
   struct job *job = clean_job();
   job_write(job, c->reg, c->value);
   finish(job, c->primitive, c->mode);
   assert_int_equal(job_run(job), SIM_OK);
   if (c->diag ? !job_reported(job, c->diag) : job->num_diags)
      fail_msg("%s: %s not as expected (%u reports, last: %s)", c->name, sim_diag_name(c->diag), job->num_diags, job->last_text);
}

/* ---- one register missing ---- */

TEST(missing_registers)
{
   static const struct {
      uint32_t reg;
      unsigned diag;
   } cases[] = {
      { 0x20b, SIM_DIAG_REG_INIT },      { 0x501, SIM_DIAG_REG_INIT },      { 0x124, SIM_DIAG_REG_INIT },
      { 0x545, SIM_DIAG_REG_INIT },      { 0xa09, SIM_DIAG_REG_INIT },      { 0x120, SIM_DIAG_REG_UNWRITTEN },
      { 0x352, SIM_DIAG_REG_UNWRITTEN }, { 0x357, SIM_DIAG_REG_UNWRITTEN }, { 0x359, SIM_DIAG_REG_UNWRITTEN },
      { 0x343, SIM_DIAG_REG_UNWRITTEN }, { 0xe21, SIM_DIAG_REG_UNWRITTEN }, { 0x301, SIM_DIAG_LINKER_UNWRITTEN },
   };
   for (unsigned i = 0; i < COUNT(cases); i++) {
      struct job *job = clean_job();
      job->cut = true;
      job_run(job);
      job->sim->gr3d.regs.written[cases[i].reg] = 0;
      job_clear(job);
      job->cut = false;
      job->continues = true;
      finish(job, TRIANGLES, 0);
      job_run(job);
      if (!job_reported(job, cases[i].diag))
         fail_msg("register 0x%03x missing: not reported", cases[i].reg);
   }
}

/* ---- draw parameters ---- */

static const struct {
   const char *name;
   uint32_t params, draw;
   unsigned diag;
} draw_parameters_cases[] = {
   { "FIRST", 0xcc000003, 0x00200000, SIM_DIAG_DRAW_PARAMS },
   { "OFFSET with indices", 0xec000000, 0x00200003, SIM_DIAG_DRAW_PARAMS },
   { "index mode 3", 0xfc000000, 0x00200000, SIM_DIAG_DRAW_INDEX_MODE },
   { "primitive 7", 0xcf000000, 0x00200000, SIM_DIAG_DRAW_PRIMITIVE },
   { "memory cache not invalidated", 0x8c000000, 0x00200000, SIM_DIAG_VERTEX_CACHE },
   { "vertex cache not invalidated", 0x4c000000, 0x00200000, SIM_DIAG_VERTEX_CACHE },
   { "odd index pointer", 0xec000000, 0x00200000, SIM_DIAG_ATTRIB_ALIGNMENT },
};

TEST_ROWS(draw_parameters, draw_parameters_cases)
{
   struct job *job = clean_job();
   JOB_WRITE(job, { GR3D_INDEX_PTR, JOB_MEMORY_BASE + JOB_INDICES + (c->diag == SIM_DIAG_ATTRIB_ALIGNMENT) },
             { GR3D_DRAW_PARAMS, c->params }, { GR3D_DRAW_PRIMITIVES, c->draw });
   job_word(job, host1x_imm(0, 0x101));
   assert_int_equal(job_run(job), SIM_OK);
   assert_true(job_reported(job, c->diag));
}

/* A second draw may keep the caches unless something changed. */
TEST(vertex_caches)
{
   for (unsigned change = 0; change < 4; change++) {
      struct job *job = clean_job();
      job_draw(job, TRIANGLES, 0, 0, 3);
      if (change == 1)
         job_attrib(job, 1, JOB_VERTICES, 0x104d);
      if (change == 2)
         job_vertex_constant_f(job, 0, 1, 2, 3, 4);
      if (change == 3)
         vs_upload(job, clean_program, 2);
      JOB_WRITE(job, { GR3D_DRAW_PARAMS, 0x0c000000 }, { GR3D_DRAW_PRIMITIVES, 0x00200000 });
      job_word(job, host1x_imm(0, 0x101));
      assert_int_equal(job_run(job), SIM_OK);
      assert_int_equal(job_reported(job, SIM_DIAG_VERTEX_CACHE), change != 0);
   }
}

/* ---- vertex programs ---- */

struct program_case {
   const char *name;
   struct vs_fields program[6];
   unsigned diag; /* NONE: nothing may be reported */
};

#define POSITION { COPY(0, 0) }
#define COLOUR { COPY(1, 7), END }

static const struct program_case program_cases[] = {
   { "read of an unwritten temp", { POSITION, { V(MOV, "x"), .a = { 1, 3 }, VOUT(7), END } }, SIM_DIAG_VP_READ_TEMP },
   { "read of an unwritten component", { POSITION, { V(STR, "xyz"), .vdest = 4 },
     { V(MOV, "w"), .a = { 1, 3 }, VOUT(7), END } }, SIM_DIAG_VP_READ_TEMP },
   { "only the components that are used are read", { POSITION, { V(STR, "x"), .vdest = 4 },
     { V(MOV, "xyzw"), .a = { 1, 3, "x" }, VOUT(7), END } }, SIM_DIAG_NONE },
   { "scalar reads its first component only", { POSITION, { V(STR, "y"), .vdest = 4 },
     { S(RCP, "xyzw"), .c = { 1, 3, "y" }, OUT(7), END } }, SIM_DIAG_NONE },
   { "predicated write leaves lanes unwritten", { POSITION, { V(MOV, "x"), .a = { 2 }, .cs = 1, .cwr = 1 },
     { V(STR, "x"), .vdest = 4, .cc = 1, .condition = 4, .condition_swizzle = "x" },
     { V(MOV, "x"), .a = { 1, 3 }, VOUT(7), END } }, SIM_DIAG_VP_READ_TEMP },
   { "constant not uploaded", { POSITION, { V(MOV, "x"), .a = { 3 }, .constant = 9, VOUT(7), END } }, SIM_DIAG_VP_READ_CONST },
   { "constant 256", { POSITION, { V(MOV, "x"), .a = { 3 }, .constant = 256, VOUT(7), END } }, SIM_DIAG_VP_RANGE },
   { "attribute out of range", { POSITION, { V(ARL, "x"), .vdest = 1, .a = { 2, 0, "w" } },
     { V(MOV, "x"), .a = { 2 }, .attrib = 15, .attrib_relative = 1, VOUT(7), END } }, SIM_DIAG_VP_RANGE },
   { "export out of range", { POSITION, { V(ARL, "x"), .vdest = 1, .a = { 2, 0, "w" } },
     { V(STR, "x"), VOUT(15), .export_relative = 1 }, COLOUR }, SIM_DIAG_VP_RANGE },
   { "address not written", { POSITION, { V(MOV, "xyzw"), .a = { 2 }, .attrib = 1, .attrib_relative = 1, VOUT(7), END } },
     SIM_DIAG_VP_READ_ADDRESS },
   { "ARL to an odd temp", { POSITION, { V(ARL, "x"), .vdest = 2, .a = { 2 } }, COLOUR }, SIM_DIAG_VP_ARL_DEST },
   { "condition not written", { POSITION, { V(STR, "x"), VOUT(7), .cc = 1, .condition = 2 }, COLOUR }, SIM_DIAG_VP_READ_CONDITION },
   { "operand of type 0", { POSITION, { V(MOV, "x"), VOUT(7) }, COLOUR }, SIM_DIAG_VP_OPERAND_TYPE },
   { "both halves write one temp", { POSITION, { V(STR, "x"), .vdest = 4, S(MOV, "y"), .sdest = 4, .c = { 2 } }, COLOUR },
     SIM_DIAG_VP_SAME_TEMP },
   { "both halves name one temp, one writes nothing", { POSITION, { V(STR, "x"), .vdest = 4, .sdest = 4 }, COLOUR },
     SIM_DIAG_NONE },
   { "DPH", { POSITION, { V(DPH, "x"), .vdest = 4, .a = { 2 }, .b = { 2 } }, COLOUR }, SIM_DIAG_VP_OPCODE },
   { "TXL", { POSITION, { V(TXL, "x"), .vdest = 4 }, COLOUR }, SIM_DIAG_VP_OPCODE },
   { "vector opcode 28", { POSITION, { .vop = 28, .vmask = "x", .vdest = 4 }, COLOUR }, SIM_DIAG_VP_OPCODE },
   { "scalar opcode 8", { POSITION, { .sop = 8 }, COLOUR }, SIM_DIAG_VP_OPCODE },
   { "scalar opcode 31", { POSITION, { .sop = 31 }, COLOUR }, SIM_DIAG_VP_OPCODE },
   { "branch TR, cc = 0", { POSITION, { TO(BRA, 2) }, COLOUR }, SIM_DIAG_NONE },
   { "branch EQ, cc = 0", { POSITION, { TO(BRA, 2), .condition = 2 }, COLOUR }, SIM_DIAG_VP_BRANCH_FORM },
   { "branch with cc, swizzle not replicated", { POSITION, { V(MOV, "xyzw"), .a = { 2 }, .cs = 1, .cwr = 1 },
     { TO(BRA, 3), .condition = 2, .cc = 1 }, COLOUR }, SIM_DIAG_VP_BRANCH_FORM },
   { "branch with cc, replicated", { POSITION, { V(MOV, "xyzw"), .a = { 2 }, .cs = 1, .cwr = 1 },
     { TO(BRA, 3), .condition = 2, .cc = 1, .condition_swizzle = "y" }, COLOUR }, SIM_DIAG_NONE },
   { "branch overlays rC", { POSITION, { V(ADD, "x"), .vdest = 4, .a = { 2 }, .c = { 2 }, TO(BRA, 2) }, COLOUR },
     SIM_DIAG_VP_BRANCH_OVERLAY },
   { "end with a branch", { POSITION, { COPY(1, 7), TO(BRA, 0), .end = 1 } }, SIM_DIAG_VP_END_BRANCH },
   { "export of an idle half", { POSITION, { V(STR, "x"), .vdest = 4, OUT(3) }, COLOUR }, SIM_DIAG_VP_EXPORT_SOURCE },
   { "PUSHA with RET", { { TO(CAL, 3) }, POSITION, COLOUR, { .vop = VPE_V_PUSHA, .sop = VPE_S_POPA }, { .sop = VPE_S_RET } },
     SIM_DIAG_VP_STACK_PAIR },
   { "bit 120", { POSITION, { V(STR, "x"), .vdest = 4, .address_zero = 1 }, COLOUR }, SIM_DIAG_VP_FIELD },
   { "cs without cwr", { POSITION, { V(STR, "x"), .cs = 1 }, COLOUR }, SIM_DIAG_VP_FIELD },
   { "no position", { { COPY(1, 7), END } }, SIM_DIAG_VP_NO_POSITION },
   { "faults in code that never runs are nobody's", { POSITION, COLOUR, { .vop = 28, .vmask = "x" } }, SIM_DIAG_NONE },
};

TEST_ROWS(programs, program_cases)
{
   struct job *job = clean_job();
   vs_upload(job, c->program, vs_length(c->program, COUNT(c->program)));
   finish(job, TRIANGLES, 0);
   if (job_run(job) != SIM_OK)
      fail_msg("%s: hangs: %s", c->name, job->last_text);
   if (c->diag ? !job_reported(job, c->diag) : job->num_diags)
      fail_msg("%s: %s not as expected (%u reports, last: %s)", c->name, sim_diag_name(c->diag), job->num_diags, job->last_text);
}

/* Without strict mode nothing is said, unless it hangs. */
TEST(silent_without_strict)
{
   struct job *job = job_create(false);
   job_class(job, 0x60);
   job_write(job, 0xfff, 1);
   assert_int_equal(job_run(job), SIM_OK);
   assert_int_equal(job->num_diags, 0);
   job_write(job, GR3D_DRAW_PRIMITIVES, 0);
   assert_int_equal(job_run(job), SIM_HANG);
   assert_int_equal(job->num_diags, 1);
}

TEST(names)
{
   assert_string_equal(sim_diag_name(SIM_DIAG_VP_ABORT), "VP_ABORT");
   assert_string_equal(sim_diag_name(9999), "UNKNOWN");
}
