/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Instructions as text: what the adder does; what the multiplier does; the
 * signal.  The assembler of tools/videocore reads the same form.
 */

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "v3d_internal.h"

static const char *const add_names[32] = {
   "nop",  "fadd", "fsub", "fmin", "fmax", "fminabs", "fmaxabs", "ftoi",
   "itof", NULL,   NULL,   NULL,   "add",  "sub",     "shr",     "asr",
   "ror",  "shl",  "min",  "max",  "and",  "or",      "xor",     "not",
   "clz",  NULL,   NULL,   NULL,   NULL,   NULL,      "v8adds",  "v8subs",
};

static const char *const mul_names[8] = {
   "nop", "fmul", "mul24", "v8muld", "v8min", "v8max", "v8adds", "v8subs",
};

static const char *const cond_names[8] = {
   ".never", "", ".zs", ".zc", ".ns", ".nc", ".cs", ".cc",
};

static const char *const signal_names[16] = {
   "break",      NULL,      "thrsw",  "thrend",     "wait_sb",   "sb_unlock",
   "last_thrsw", "load_cv", "load_c", "load_c_end", "load_tmu0", "load_tmu1",
   "load_am",    NULL,      NULL,     NULL,
};

static const char *const unpack_names[8] = {
   "", ".16a", ".16b", ".8dr", ".8a", ".8b", ".8c", ".8d",
};

static const char *const pack_names[16] = {
   "",     ".16a",  ".16b",  ".8888",  ".8a",  ".8b",  ".8c",  ".8d",
   ".sat", ".16as", ".16bs", ".8888s", ".8as", ".8bs", ".8cs", ".8ds",
};

static const char *const branch_names[16] = {
   ".allz", ".allnz", ".anyz", ".anynz", ".alln", ".allnn", ".anyn", ".anynn",
   ".allc", ".allnc", ".anyc", ".anync", ".12",   ".13",    ".14",   "",
};

struct text {
   char *at;
   unsigned left;
};

static __attribute__((format(printf, 2, 3))) void
put(struct text *t, const char *format, ...)
{
   va_list args;
   va_start(args, format);
   int n = vsnprintf(t->at, t->left, format, args);
   va_end(args);
   if (n < 0)
      return;
   unsigned used = V3D_MIN((unsigned)n, t->left ? t->left - 1 : 0);
   t->at += used;
   t->left -= used;
}

static void
put_write(struct text *t, unsigned address, bool file_b)
{
   static const char *const names[2][32] = {
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
   if (address < 32)
      put(t, "r%c%u", file_b ? 'b' : 'a', address);
   else
      put(t, "%s", names[file_b][address - 32]);
}

static void
put_read(struct text *t, unsigned address, bool file_b)
{
   static const struct {
      uint8_t address;
      const char *names[2];
   } special[] = {
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
   for (unsigned i = 0; i < V3D_COUNT(special); i++) {
      if (special[i].address == address) {
         put(t, "%s", special[i].names[file_b]);
         return;
      }
   }
   put(t, address < 32 ? "r%c%u" : "r%c%u?", file_b ? 'b' : 'a', address);
}

static void
put_source(struct text *t, const struct qpu_instr *in, unsigned mux)
{
   bool unpacked = in->unpack && mux == (in->pm ? QPU_MUX_R4 : QPU_MUX_A);
   if (mux < QPU_MUX_A) {
      put(t, "r%u", mux);
   } else if (mux == QPU_MUX_A) {
      put_read(t, in->raddr_a, false);
   } else if (!in->small) {
      put_read(t, in->raddr_b, true);
   } else if (in->rotate) {
      put(t, "-");
   } else if (in->raddr_b < 32) {
      put(t, "%d", (int)in->immediate);
   } else {
      float value;
      memcpy(&value, &in->immediate, 4);
      put(t, "%.9gf", value);
   }
   if (unpacked)
      put(t, "%s", unpack_names[in->unpack]);
}

static void
put_op(struct text *t, const struct qpu_instr *in, bool mul)
{
   unsigned op = mul ? in->mul : in->add;
   const char *name = mul ? mul_names[op] : add_names[op];
   unsigned cond = mul ? in->cond_mul : in->cond_add;
   if (!op) {
      put(t, "nop");
      return;
   }
   if (name)
      put(t, "%s", name);
   else
      put(t, "op%u", op);
   bool file_b = mul ? !in->ws : in->ws;
   bool flags = in->sf && (mul ? !(in->add && in->cond_add) : in->cond_add);
   put(t, "%s%s ", cond_names[cond], flags ? ".sf" : "");
   put_write(t, mul ? in->waddr_mul : in->waddr_add, file_b);
   if (in->pack && (in->pm ? mul : !file_b))
      put(t, "%s%s", pack_names[in->pack], in->pm ? "c" : "");
   put(t, ", ");
   put_source(t, in, mul ? in->mul_a : in->add_a);
   put(t, ", ");
   put_source(t, in, mul ? in->mul_b : in->add_b);
   if (mul && in->rotate == 16)
      put(t, " >> r5");
   else if (mul && in->rotate)
      put(t, " >> %u", in->rotate);
}

static void
put_immediate(struct text *t, const struct qpu_instr *in)
{
   static const char *const modes[8] = {
      "ldi", "ldis", "ldi?2", "ldiu", "sema", "sema?5", "sema?6", "sema?7"
   };
   put(t, "%s%s%s ", modes[in->imm_mode], cond_names[in->cond_add],
       in->sf ? ".sf" : "");
   put_write(t, in->waddr_add, in->ws);
   put(t, "%s%s, ", in->pack ? pack_names[in->pack] : "",
       in->pack && in->pm ? "c" : "");
   if (in->waddr_mul != QPU_W_NOP && in->cond_mul) {
      put_write(t, in->waddr_mul, !in->ws);
      put(t, "%s, ", cond_names[in->cond_mul]);
   }
   put(t, "0x%08x", in->immediate);
}

void
qpu_disassemble(uint64_t word, char *text, unsigned size)
{
   struct text t = { text, size };
   struct qpu_instr in;
   qpu_decode_instr(word, &in);
   if (size)
      text[0] = 0;
   switch (in.kind) {
   case QPU_BRANCH:
      put(&t, "%s%s ", in.branch_relative ? "brr" : "bra",
          branch_names[in.branch_cond]);
      put_write(&t, in.waddr_add, in.ws);
      put(&t, ", ");
      put_write(&t, in.waddr_mul, !in.ws);
      if (in.branch_uses_reg)
         put(&t, ", ra%u", in.branch_reg);
      put(&t, ", %d", (int)in.immediate);
      return;
   case QPU_IMMEDIATE:
   case QPU_SEMAPHORE:
      put_immediate(&t, &in);
      return;
   default:
      put_op(&t, &in, false);
      put(&t, "; ");
      put_op(&t, &in, true);
      if (signal_names[in.signal])
         put(&t, "; %s", signal_names[in.signal]);
   }
}
