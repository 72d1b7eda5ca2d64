/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * The command stream: every opcode, sync points, waits, classes (gr3d-registers.md 1).  GR2D fills of one pixel show
 * which registers were written.
 */

#include "unit.h"
#include "job.h"
#include "sim_internal.h"
#include "tegra20/gr3d_regs.h"
#include "tegra20/host1x_stream.h"

static uint32_t
gr3d_register(const struct job *job, uint32_t offset)
{
   return job->sim->gr3d.regs.value[offset];
}

#define MAX_WORDS 16

struct stream_case {
   const char *name;
   uint32_t words[MAX_WORDS];
   unsigned count;
   struct {
      uint32_t reg, value;
   } want[4]; /* GR3D registers; reg 0 ends */
   unsigned diag;
};

static const struct stream_case stream_cases[] = {
   { "INCR", { 0x1e000003, 11, 12, 13 }, 4, { { 0xe00, 11 }, { 0xe01, 12 }, { 0xe02, 13 } } },
   { "INCR of nothing", { 0x1e000000, 0x4e010005 }, 2, { { 0xe00, SIM_POISON }, { 0xe01, 5 } } },
   { "NONINCR", { 0x2e000003, 11, 12, 13 }, 4, { { 0xe00, 13 }, { 0xe01, SIM_POISON } } },
   { "MASK", { 0x3e008005, 11, 12, 13 }, 4, { { 0xe00, 11 }, { 0xe01, SIM_POISON }, { 0xe02, 12 }, { 0xe0f, 13 } } },
   { "IMM", { 0x4e00beef }, 1, { { 0xe00, 0xbeef } } },
   { "SETCL with data", { 0x0e001805, 11, 12 }, 3, { { 0xe00, 11 }, { 0xe01, SIM_POISON }, { 0xe02, 12 } } },
   { "SETCL with data at both ends", { 0x0e001821, 11, 12, 0x4e010007 }, 4, { { 0xe00, 11 }, { 0xe05, 12 }, { 0xe01, 7 } } },
   { "class switch and back", { 0x00001440, 0x4e00000b, 0x00001800, 0x4e01000c }, 4, { { 0xe00, SIM_POISON },
     { 0xe01, 12 } } },
   { "unknown class", { 0x00000040 | 0x99 << 6, 0x4e00000b }, 2, { { 0xe00, SIM_POISON } }, SIM_DIAG_HOST1X_CLASS },
   { "unknown method of class 0x01", { 0x00000040, 0x407f0001 }, 2, { { 0 } }, SIM_DIAG_HOST1X_METHOD },
   { "NOP word", { 0x20000000, 0x4e010005 }, 2, { { 0xe01, 5 } } },
   { "opcodes 7..13 and 15 are skipped",
     { 0x70000000, 0x80000000, 0x90000000, 0xa0000000, 0xb0000000, 0xc0000000, 0xd0000000, 0xf0000000, 0x4e010005 }, 9,
     { { 0xe01, 5 } } },
   { "EXTEND", { 0xe0000001, 0xe1000001, 0x4e010005 }, 3, { { 0xe01, 5 } } },
   { "RESTART ends the gather", { 0x50000000, 0x4e010005 }, 2, { { 0xe01, SIM_POISON } } },
   { "data beyond the end", { 0x1e000005, 11, 12 }, 3, { { 0xe00, 11 }, { 0xe01, 12 }, { 0xe02, SIM_POISON } },
     SIM_DIAG_HOST1X_TRUNCATED },
   { "offsets wrap at 12 bits", { 0x1fff0002, 11, 0x105 }, 3, { { 0xfff, 11 } } },
};

TEST_ROWS(streams, stream_cases)
{
   struct job *job = job_create(true);
   for (unsigned w = 0; w < c->count; w++)
      job_word(job, c->words[w]);
   assert_int_equal(job_run(job), SIM_OK);
   for (unsigned k = 0; k < 4 && c->want[k].reg; k++)
      if (gr3d_register(job, c->want[k].reg) != c->want[k].value)
         fail_msg("%s: register 0x%03x is 0x%x", c->name, c->want[k].reg, gr3d_register(job, c->want[k].reg));
   assert_true(!c->diag || job_reported(job, c->diag));
}

/* GATHER fetches opcodes, or with "insert" data words, from the job's memory. */
TEST(gather)
{
   static const uint32_t opcodes[] = { 0x4e000001, 0x4e010002 }, data[] = { 7, 8, 9 };
   static const uint32_t inner[] = { 0x60000001, JOB_MEMORY_BASE + JOB_FREE, 0x4e050003 };
   struct job *job = job_create(true);
   job_poke(job, JOB_FREE, opcodes, sizeof(opcodes));
   job_poke(job, JOB_FREE + 64, data, sizeof(data));
   job_poke(job, JOB_FREE + 128, inner, sizeof(inner));
   job_word(job, 0x60000002);
   job_word(job, JOB_MEMORY_BASE + JOB_FREE);
   job_word(job, 0x6e02c002); /* insert, incrementing: 0xe02, 0xe03 */
   job_word(job, JOB_MEMORY_BASE + JOB_FREE + 64);
   job_word(job, 0x6e048003); /* insert, not incrementing */
   job_word(job, JOB_MEMORY_BASE + JOB_FREE + 64);
   job_word(job, 0x60000003); /* a gather that gathers */
   job_word(job, JOB_MEMORY_BASE + JOB_FREE + 128);
   assert_int_equal(job_run(job), SIM_OK);
   assert_int_equal(gr3d_register(job, 0xe00), 1);
   assert_int_equal(gr3d_register(job, 0xe01), 2);
   assert_int_equal(gr3d_register(job, 0xe02), 7);
   assert_int_equal(gr3d_register(job, 0xe03), 8);
   assert_int_equal(gr3d_register(job, 0xe04), 9);
   assert_int_equal(gr3d_register(job, 0xe05), 3);
   assert_true(job_reported(job, SIM_DIAG_HOST1X_OPCODE));
   job_clear(job);
   job_word(job, 0x60003fff);
   job_word(job, JOB_MEMORY_BASE + JOB_MEMORY_SIZE - 4);
   assert_int_equal(job_run(job), SIM_OK);
   assert_true(job_reported(job, SIM_DIAG_MEMORY_RANGE));
}

TEST(sync_points)
{
   struct job *job = job_create(true);
   sim_syncpt_set(job->sim, 5, 0xffffffff);
   job_word(job, host1x_imm(0, 0x105));
   job_write(job, 0, 0x203);
   job_class(job, HOST1X_CLASS_GR2D);
   job_word(job, host1x_imm(0, 0x105));
   assert_int_equal(job_run(job), SIM_OK);
   assert_int_equal(sim_syncpt_read(job->sim, 5), 1);
   assert_int_equal(sim_syncpt_read(job->sim, 3), 1);
   assert_int_equal(sim_syncpt_read(job->sim, 99), 0);
   assert_int_equal(job->num_diags, 0);
   job_clear(job);
   job_word(job, host1x_imm(0, 0x120)); /* sync point 32 */
   assert_int_equal(job_run(job), SIM_OK);
   assert_true(job_reported(job, SIM_DIAG_HOST1X_SYNCPT));
   assert_true(job_reported(job, SIM_DIAG_HOST1X_NO_INCREMENT));
}

/* Waits of class 0x01: absolute, relative to a base, for the next increment. */
static const struct {
   const char *name;
   uint32_t words[MAX_WORDS];
   unsigned count;
   bool hang;
} wait_cases[] = {
   { "reached", { 0x00080041, 0x02000001 }, 2, false },
   { "equal after an increment", { 0x40000102, 0x00080041, 0x02000002, }, 3, false },
   { "not reached", { 0x00080041, 0x02000002 }, 2, true },
   { "24 bits: far behind counts as reached", { 0x00080041, 0x02fffff0 }, 2, false },
   { "unknown sync point", { 0x00080041, 0x28000000 }, 2, true },
   /* base 3 = 1, wait for base + 0; base += 1; wait for base + 0 = 2 */
   { "wait base", { 0x00000040, 0x200b0001, 0x03000001, 0x20090001, 0x02030000 }, 5, false },
   { "wait base not reached", { 0x00000040, 0x200b0001, 0x03000001, 0x200c0001, 0x03000001, 0x20090001, 0x02030000 }, 7, true },
   { "next increment", { 0x00000040, 0x200a0001, 0x02000000 }, 3, true },
   { "delay", { 0x00000040, 0x20100001, 0x0000ffff }, 3, false },
   { "indirect access is ignored", { 0x00000040, 0x202d0001, 0 }, 3, false },
};

TEST_ROWS(waits, wait_cases)
{
   struct job *job = job_create(false);
   sim_syncpt_set(job->sim, 2, 1);
   for (unsigned w = 0; w < c->count; w++)
      job_word(job, c->words[w]);
   assert_int_equal(job_run(job), c->hang ? SIM_HANG : SIM_OK);
   assert_int_equal(job->num_diags > 0, c->hang);
}

/* The wait commands of a submission; the class carries over from gather to gather. */
TEST(commands)
{
   struct job *job = job_create(false);
   static const uint32_t first[] = { 0x00001440, 0x40000104 }, second[] = { 0x4e000007, 0x00001800, 0x4e010007 };
   struct sim_cmd cmds[] = {
      { .type = SIM_CMD_GATHER, .gather = { first, 2 } },      { .type = SIM_CMD_WAIT, .wait = { 4, 1 } },
      { .type = SIM_CMD_GATHER, .gather = { second, 3 } },     { .type = SIM_CMD_WAIT, .wait = { 4, 2 } },
      { .type = SIM_CMD_GATHER, .gather = { second + 1, 2 } },
   };
   struct sim_job sim_job = { .class_id = 0x60, .cmds = cmds, .num_cmds = 3 };
   assert_int_equal(sim_execute(job->sim, &sim_job), SIM_OK);
   assert_int_equal(gr3d_register(job, 0xe00), SIM_POISON);
   assert_int_equal(gr3d_register(job, 0xe01), 7);
   sim_syncpt_set(job->sim, 4, 0);
   sim_job.num_cmds = 5;
   assert_int_equal(sim_execute(job->sim, &sim_job), SIM_HANG);
   assert_true(job_reported(job, SIM_DIAG_HOST1X_WAIT));
}

/* Upload ports: pointers, packed ports, the common reset, ends of the memories. */
TEST(upload_ports)
{
   struct job *job = job_create(true);
   const struct gr3d_programs *prog = &job->sim->gr3d.prog;
   job_write(job, GR3D_FP_UPLOAD_INST_ID_COMMON, 0);
   job_port(job, GR3D_FP_PSEQ_UPLOAD_INST, (const uint32_t[2]){ 1, 2 }, 2);
   job_port(job, GR3D_FP_UPLOAD_TEX_INST, (const uint32_t[1]){ 3 }, 1);
   job_port(job, GR3D_FP_UPLOAD_DW_INST, (const uint32_t[1]){ 4 }, 1);
   job_port(job, GR3D_FP_UPLOAD_ALU_INST_COMPLEMENT, (const uint32_t[1]){ 5 }, 1);
   job_port(job, GR3D_FP_UPLOAD_MFU_SCHED_4X, (const uint32_t[1]){ 0x44332211 }, 1);
   job_port(job, GR3D_FP_UPLOAD_MFU_SCHED, (const uint32_t[1]){ 0x55 }, 1);
   job_port(job, GR3D_FP_UPLOAD_ALU_SCHED, (const uint32_t[1]){ 0x66 }, 1);
   job_port(job, GR3D_FP_UPLOAD_ALU_SCHED_4X, (const uint32_t[1]){ 0xddccbbaa }, 1);
   job_write(job, GR3D_FP_UPLOAD_MFU_INST_ID, 2);
   job_port(job, GR3D_FP_UPLOAD_MFU_INST, (const uint32_t[2]){ 7, 8 }, 2);
   job_write(job, GR3D_FP_UPLOAD_ALU_INST_ID, 511);
   job_port(job, GR3D_FP_UPLOAD_ALU_INST, (const uint32_t[2]){ 9, 10 }, 2);
   job_write(job, GR3D_VP_UPLOAD_INST_ID, 1023);
   job_port(job, GR3D_VP_UPLOAD_INST, (const uint32_t[2]){ 11, 12 }, 2);
   job_write(job, GR3D_VP_UPLOAD_CONST_ID, 5);
   job_port(job, GR3D_VP_UPLOAD_CONST, (const uint32_t[2]){ 13, 14 }, 2);
   job_word(job, host1x_imm(0, 0x101));
   assert_int_equal(job_run(job), SIM_OK);
   assert_int_equal(prog->pseq[0], 1);
   assert_int_equal(prog->pseq[1], 2);
   assert_int_equal(prog->pseq_count, 2);
   assert_int_equal(prog->tex[0], 3);
   assert_int_equal(prog->dw[0], 4);
   assert_int_equal(prog->alu_complement[0], 5);
   for (unsigned i = 0; i < 5; i++)
      assert_int_equal(prog->mfu_sched[i], 0x11 * (i + 1));
   assert_int_equal(prog->mfu_sched_count, 5);
   assert_int_equal(prog->alu_sched[0], 0x66);
   for (unsigned i = 0; i < 4; i++)
      assert_int_equal(prog->alu_sched[1 + i], 0xaa + 0x11 * i);
   assert_int_equal(prog->mfu[1][0], 7);
   assert_int_equal(prog->mfu[1][1], 8);
   assert_int_equal(prog->alu[63][7], 9);
   assert_int_equal(prog->vp[255][3], 11);
   assert_int_equal(prog->vp_written[255], 8);
   assert_int_equal(prog->vp_const[1][1], 13);
   assert_int_equal(prog->vp_const[1][2], 14);
   assert_int_equal(prog->vp_const_written[1], 6);
   /* the second words of ALU and vertex program were beyond the end */
   assert_int_equal(job->num_diags, 2);
   assert_int_equal(job->diags[0], SIM_DIAG_UPLOAD_RANGE);
   assert_int_equal(job->diags[1], SIM_DIAG_UPLOAD_RANGE);
}

/* A19, A75 and A80 the other way. */
TEST(upload_switches)
{
   struct job *job = job_create(false);
   assert_true(sim_set_switch(job->sim, "A19", "instructions"));
   assert_true(sim_set_switch(job->sim, "A75", "zero"));
   assert_true(sim_set_switch(job->sim, "A80", "high"));
   job_write(job, GR3D_VP_UPLOAD_INST_ID, 3);
   job_port(job, GR3D_VP_UPLOAD_INST, (const uint32_t[2]){ 11, 12 }, 2);
   job_write(job, GR3D_FP_UPLOAD_ALU_SCHED_ID, 0);
   job_port(job, GR3D_FP_UPLOAD_ALU_SCHED_4X, (const uint32_t[1]){ 0xddccbbaa }, 1);
   assert_int_equal(job_run(job), SIM_OK);
   assert_int_equal(job->sim->gr3d.prog.vp[3][0], 11);
   assert_int_equal(job->sim->gr3d.prog.vp[3][1], 12);
   assert_int_equal(job->sim->gr3d.prog.alu_sched[0], 0xdd);
   assert_int_equal(job->sim->gr3d.prog.alu_sched[3], 0xaa);
   assert_int_equal(gr3d_register(job, 0xe00), 0);
}

TEST(poison_between_jobs)
{
   struct job *job = job_create(false);
   job_write(job, 0xe00, 5);
   assert_int_equal(job_run(job), SIM_OK);
   assert_int_equal(gr3d_register(job, 0xe00), 5);
   job_clear(job);
   assert_int_equal(job_run(job), SIM_OK);
   assert_int_equal(gr3d_register(job, 0xe00), SIM_POISON);
   assert_int_equal(job->sim->gr3d.regs.written[0xe00], 0);
}

TEST(noop)
{
   struct sim_options options = { .noop = true };
   struct sim *sim = sim_create(&options);
   static const uint32_t words[] = { 0x11230001, 0x00500000, 0x40000101 };
   struct sim_cmd cmd = { .type = SIM_CMD_GATHER, .gather = { words, 3 } };
   struct sim_job job = { .class_id = 0x60, .cmds = &cmd, .num_cmds = 1 };
   assert_int_equal(sim_execute(sim, &job), SIM_OK);
   struct sim_stats stats;
   sim_get_stats(sim, &stats);
   assert_int_equal(stats.draws, 1);
   assert_int_equal(stats.vertices, 0);
   assert_int_equal(stats.words, 3);
   assert_int_equal(stats.jobs, 1);
   assert_int_equal(sim_syncpt_read(sim, 1), 1);
   sim_destroy(sim);
   sim_destroy(NULL);
}
