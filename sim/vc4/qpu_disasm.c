/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Instructions as text: what the adder does; what the multiplier does; the
 * signal.  The assembler (qpu_asm.c) reads the same form.
 */

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "qpu_names.h"
#include "v3d_internal.h"

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
   if (address < 32)
      put(t, "r%c%u", file_b ? 'b' : 'a', address);
   else
      put(t, "%s", qpu_write_names[file_b][address - 32]);
}

static void
put_read(struct text *t, unsigned address, bool file_b)
{
   for (unsigned i = 0; i < V3D_COUNT(qpu_read_names); i++) {
      if (qpu_read_names[i].address == address) {
         put(t, "%s", qpu_read_names[i].names[file_b]);
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
      put(t, "%s", qpu_unpack_names[in->unpack]);
}

static void
put_op(struct text *t, const struct qpu_instr *in, bool mul)
{
   unsigned op = mul ? in->mul : in->add;
   const char *name = mul ? qpu_mul_names[op] : qpu_add_names[op];
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
   put(t, "%s%s ", qpu_cond_names[cond], flags ? ".sf" : "");
   put_write(t, mul ? in->waddr_mul : in->waddr_add, file_b);
   if (in->pack && (in->pm ? mul : !file_b))
      put(t, "%s%s", qpu_pack_names[in->pack], in->pm ? "c" : "");
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
   put(t, "%s%s%s ", qpu_immediate_names[in->imm_mode],
       qpu_cond_names[in->cond_add], in->sf ? ".sf" : "");
   put_write(t, in->waddr_add, in->ws);
   put(t, "%s%s, ", in->pack ? qpu_pack_names[in->pack] : "",
       in->pack && in->pm ? "c" : "");
   if (in->waddr_mul != QPU_W_NOP && in->cond_mul) {
      put_write(t, in->waddr_mul, !in->ws);
      put(t, "%s, ", qpu_cond_names[in->cond_mul]);
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
          qpu_branch_names[in.branch_cond]);
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
      if (qpu_signal_names[in.signal])
         put(&t, "; %s", qpu_signal_names[in.signal]);
   }
}
