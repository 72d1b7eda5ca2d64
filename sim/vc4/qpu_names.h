/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * The words of the QPU's language, for assembler and disassembler.
 */

#ifndef QPU_NAMES_H
#define QPU_NAMES_H

#include "qpu.h"

static const char *const qpu_add_names[32] = {
   "nop",  "fadd", "fsub", "fmin", "fmax", "fminabs", "fmaxabs", "ftoi",
   "itof", NULL,   NULL,   NULL,   "add",  "sub",     "shr",     "asr",
   "ror",  "shl",  "min",  "max",  "and",  "or",      "xor",     "not",
   "clz",  NULL,   NULL,   NULL,   NULL,   NULL,      "v8adds",  "v8subs",
};

static const char *const qpu_mul_names[8] = {
   "nop", "fmul", "mul24", "v8muld", "v8min", "v8max", "v8adds", "v8subs",
};

static const char *const qpu_cond_names[8] = {
   ".never", "", ".zs", ".zc", ".ns", ".nc", ".cs", ".cc",
};

static const char *const qpu_signal_names[16] = {
   "break",      NULL,      "thrsw",  "thrend",     "wait_sb",   "sb_unlock",
   "last_thrsw", "load_cv", "load_c", "load_c_end", "load_tmu0", "load_tmu1",
   "load_am",    NULL,      NULL,     NULL,
};

static const char *const qpu_unpack_names[8] = {
   "", ".16a", ".16b", ".8dr", ".8a", ".8b", ".8c", ".8d",
};

static const char *const qpu_pack_names[16] = {
   "",     ".16a",  ".16b",  ".8888",  ".8a",  ".8b",  ".8c",  ".8d",
   ".sat", ".16as", ".16bs", ".8888s", ".8as", ".8bs", ".8cs", ".8ds",
};

static const char *const qpu_branch_names[16] = {
   ".allz", ".allnz", ".anyz", ".anynz", ".alln", ".allnn", ".anyn", ".anynn",
   ".allc", ".allnc", ".anyc", ".anync", ".12",   ".13",    ".14",   "",
};

static const char *const qpu_immediate_names[8] = {
   "ldi", "ldis", "ldi?2", "ldiu", "sema", "sema?5", "sema?6", "sema?7",
};

/* From address 32 on, in files A and B. */
static const char *const qpu_write_names[2][32] = {
   { "r0",       "r1",    "r2",        "r3",      "tmu_noswap", "r5quad",
     "host_int", "-",     "unif_addr", "x_coord", "ms_flags",   "stencil",
     "tlbz",     "tlbm",  "tlbc",      "tlbam",   "vpm",        "vr_setup",
     "vr_addr",  "mutex", "recip",     "rsqrt",   "exp",        "log",
     "t0s",      "t0t",   "t0r",       "t0b",     "t1s",        "t1t",
     "t1r",      "t1b" },
   { "r0",       "r1",         "r2",
     "r3",       "tmu_noswap", "r5rep",
     "host_int", "-",          "unif_addr_rel",
     "y_coord",  "rev_flag",   "stencil",
     "tlbz",     "tlbm",       "tlbc",
     "tlbam",    "vpm",        "vw_setup",
     "vw_addr",  "mutex",      "recip",
     "rsqrt",    "exp",        "log",
     "t0s",      "t0t",        "t0r",
     "t0b",      "t1s",        "t1t",
     "t1r",      "t1b" },
};

static const struct {
   uint8_t address;
   const char *names[2];
} qpu_read_names[] = {
   { QPU_R_UNIFORM, { "unif", "unif" } },
   { QPU_R_VARYING, { "vary", "vary" } },
   { QPU_R_ELEMENT, { "elem_num", "qpu_num" } },
   { QPU_R_NOP, { "-", "-" } },
   { QPU_R_X, { "x_coord", "y_coord" } },
   { QPU_R_MS_FLAGS, { "ms_flags", "rev_flag" } },
   { QPU_R_VPM, { "vpm", "vpm" } },
   { QPU_R_VPM_BUSY, { "vr_busy", "vw_busy" } },
   { QPU_R_VPM_WAIT, { "vr_wait", "vw_wait" } },
   { QPU_R_MUTEX, { "mutex", "mutex" } },
};

#endif
