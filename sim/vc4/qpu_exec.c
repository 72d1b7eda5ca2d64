/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * The interpreter.  An instruction reads its operands, runs both ALUs, sets
 * flags, writes, and then gives its signal.  Every result can be read by the
 * next instruction here; on the chip some cannot, which strict mode reports
 * (qpu_check.c).  The two threads of a QPU run one after the other: all that
 * one sees of the other is that accumulators and flags are not its own any
 * more two instructions after a switch, and have other values here as well
 * (flags only where they are not the same in all lanes).
 */

#include "qpu_alu.h"

#define MAX_EXECUTED (1u << 20)

void
qpu_init(struct qpu *q, struct v3d *v3d, enum qpu_stage stage)
{
   memset(q, 0, sizeof(*q));
   q->v3d = v3d;
   q->stage = stage;
   for (unsigned i = 0; i < QPU_LANES; i++)
      q->element[i] = i;
}

static void
set_uniforms(struct qpu *q, uint32_t address)
{
   uint32_t size;
   q->uniform_address = address;
   const uint8_t *cpu = v3d_memory_rest(q->v3d, address & ~3u, &size);
   q->uniforms = (const uint32_t *)cpu;
   q->uniforms_end = q->uniforms + size / 4;
}

uint32_t
qpu_next_uniform(struct qpu *q)
{
   if (q->uniforms >= q->uniforms_end) {
      v3d_diag(q->v3d, V3D_DIAG_QPU_RANGE,
               "a program at 0x%08x reads uniforms that are not in memory",
               q->program ? q->program->address : 0);
      q->failed = true;
      return 0;
   }
   q->uniform_address += 4;
   return *q->uniforms++;
}

static void
wrong_stage(struct qpu *q, bool write, unsigned address)
{
   v3d_diag(q->v3d, V3D_DIAG_QPU_STAGE,
            "a %s program %s register %u, which it does not have",
            q->stage == QPU_FRAGMENT ? "fragment"
            : q->stage == QPU_USER   ? "user"
                                     : "vertex",
            write ? "writes" : "reads", address);
}

/* The constant reaches r5 after the instruction. */
static void
read_varying(struct qpu *q, qpu_u *value)
{
   q->has_constant = true;
   if (q->next_varying >= q->num_varyings) {
      v3d_diag(q->v3d, V3D_DIAG_QPU_VARYINGS,
               "a program reads more than its %u varyings", q->num_varyings);
      *value = (qpu_u){ 0 };
      q->constant = 0;
      return;
   }
   *value = q->varying_v[q->next_varying];
   memcpy(&q->constant, &q->varying_c[q->next_varying], 4);
   q->next_varying++;
}

static void
read_vpm(struct qpu *q, qpu_u *value)
{
   if (!q->vpm) {
      wrong_stage(q, false, QPU_R_VPM);
      *value = (qpu_u){ 0 };
   } else if (!vpm_read(q->vpm, value)) {
      v3d_diag(q->v3d, V3D_DIAG_QPU_VPM_COUNT,
               "a program reads from the VPM without a set-up");
   }
}

/* Addresses from 32 on.  Both files see the same one where its effect is to
 * take something from a queue. */
static QPU_CLONES void
read_special(struct qpu *q, unsigned address, bool file_b, qpu_u *value)
{
   switch (address) {
   case QPU_R_UNIFORM:
      *value = splat(qpu_next_uniform(q));
      break;
   case QPU_R_VARYING:
      read_varying(q, value);
      break;
   case QPU_R_ELEMENT:
      *value = file_b ? q->number : q->element;
      break;
   case QPU_R_X:
      *value = file_b ? q->y : q->x;
      break;
   case QPU_R_MS_FLAGS:
      *value = file_b ? q->reverse : q->ms_flags;
      break;
   case QPU_R_VPM:
      read_vpm(q, value);
      break;
   case QPU_R_VPM_BUSY: /* transfers are done at once */
   case QPU_R_VPM_WAIT:
      *value = (qpu_u){ 0 };
      break;
   case QPU_R_MUTEX:
      q->mutex = true;
      *value = (qpu_u){ 0 };
      break;
   default:
      v3d_diag(q->v3d, V3D_DIAG_QPU_INSTR,
               "a program reads register %u, which does not exist", address);
      *value = (qpu_u){ 0 };
   }
}

/* Function units give fewer bits than a product has: boards fail piglit's
 * tests of exp2 and log2, whose results Mesa takes as they are, and pass
 * those of quotients and roots, which it improves (docs/videocore.md). */
#define SFU_BITS 12

QPU_INLINE qpu_u
round_sfu(qpu_u value)
{
   const unsigned drop = 23 - SFU_BITS;
   qpu_u finite = (qpu_u)((value & 0x7f800000) != 0x7f800000);
   qpu_u rounded = (value + (1u << (drop - 1))) & ~((1u << drop) - 1);
   qpu_u nan = (qpu_u)((value & ~FLOAT_SIGN) > 0x7f800000);
   return blend(finite, rounded, value & ~(nan & FLOAT_SIGN));
}

static QPU_CLONES void
run_sfu(struct qpu *q, unsigned address, const qpu_u *value)
{
   qpu_f in = (qpu_f)*value, out;
   for (unsigned i = 0; i < QPU_LANES; i++) {
      switch (address) {
      case QPU_W_RECIP:
         out[i] = 1.0f / in[i];
         break;
      case QPU_W_RSQRT:
         out[i] = 1.0f / sqrtf(in[i]);
         break;
      case QPU_W_EXP:
         out[i] = exp2f(in[i]);
         break;
      default:
         out[i] = log2f(in[i]);
      }
   }
   q->r[4] = round_sfu((qpu_u)out);
   q->sfu_wait = 3;
}

static void
write_vpm(struct qpu *q, unsigned address, bool file_b, const qpu_u *value,
          const qpu_u *mask)
{
   if (!q->vpm) {
      wrong_stage(q, true, address);
   } else if (address == QPU_W_VPM) {
      vpm_write(q->vpm, value, mask);
   } else if (address == QPU_W_VPM_SETUP) {
      vpm_write_setup(q->vpm, (*value)[0], file_b);
   } else if (q->stage != QPU_USER) {
      wrong_stage(q, true, address);
   } else if (!vpm_dma(q->v3d, q->vpm, (*value)[0], file_b)) {
      q->failed = true;
   }
}

static QPU_CLONES void
write_r5(struct qpu *q, bool file_b, const qpu_u *value, const qpu_u *mask)
{
   qpu_u out;
   for (unsigned i = 0; i < QPU_LANES; i++)
      out[i] = (*value)[file_b ? 0 : i & ~3u];
   q->r[5] = blend(*mask, out, q->r[5]);
}

static void
write_tlb(struct qpu *q, unsigned address, const qpu_u *value,
          const qpu_u *mask)
{
   if (!q->tlb) {
      wrong_stage(q, true, address);
      return;
   }
   q->locked |= address != QPU_W_STENCIL;
   if (q->ip < 2 && address != QPU_W_STENCIL)
      v3d_diag(q->v3d, V3D_DIAG_QPU_SCOREBOARD,
               "tile buffer access in one of the first two instructions");
   switch (address) {
   case QPU_W_STENCIL:
      tlb_write_stencil(q->tlb, (*value)[0]);
      break;
   case QPU_W_TLB_Z:
      tlb_write_z(q->tlb, value, mask);
      break;
   case QPU_W_TLB_COLOR_MS:
      tlb_write_color(q->tlb, value, mask, true);
      break;
   case QPU_W_TLB_COLOR:
      tlb_write_color(q->tlb, value, mask, false);
      break;
   }
}

static QPU_CLONES void
write_special(struct qpu *q, unsigned address, bool file_b,
              const qpu_u *value, const qpu_u *mask)
{
   switch (address) {
   case QPU_W_TMU_NOSWAP:
      q->tmu_swap_off = (*value)[0] & 1;
      break;
   case QPU_W_R5:
      write_r5(q, file_b, value, mask);
      break;
   case QPU_W_INTERRUPT:
      q->v3d->regs[V3D_SCRATCH / 4] = (*value)[0];
      break;
   case QPU_W_UNIFORMS:
      set_uniforms(q, (*value)[0] + (file_b ? q->uniform_address : 0));
      break;
   case QPU_W_X:
      *(file_b ? &q->y : &q->x) = blend(*mask, *value, file_b ? q->y : q->x);
      break;
   case QPU_W_MS_FLAGS:
      if (file_b) {
         q->reverse = blend(*mask, *value, q->reverse);
      } else {
         q->ms_flags = blend(*mask, *value, q->ms_flags);
         if (q->tlb)
            tlb_set_cover(q->tlb, value, mask);
      }
      break;
   case QPU_W_STENCIL:
   case QPU_W_TLB_Z:
   case QPU_W_TLB_COLOR_MS:
   case QPU_W_TLB_COLOR:
      write_tlb(q, address, value, mask);
      break;
   case QPU_W_VPM:
   case QPU_W_VPM_SETUP:
   case QPU_W_VPM_ADDRESS:
      write_vpm(q, address, file_b, value, mask);
      break;
   case QPU_W_MUTEX:
      if (!q->mutex)
         v3d_diag(q->v3d, V3D_DIAG_QPU_MUTEX,
                  "the mutex is released without being held");
      q->mutex = false;
      break;
   case QPU_W_RECIP:
   case QPU_W_RSQRT:
   case QPU_W_EXP:
   case QPU_W_LOG:
      run_sfu(q, address, value);
      break;
   case QPU_W_TLB_ALPHA_MASK: /* for the VG pipeline's mask only */
      break;
   default:
      tmu_write(q, (address - QPU_W_TMU0_S) / 4, address & 3, value);
   }
}

/* Of the flags; conditions of each come in pairs. */
QPU_INLINE qpu_u
condition(const struct qpu *q, unsigned cond)
{
   if (cond < QPU_COND_ZS)
      return splat(cond == QPU_COND_ALWAYS ? ~0u : 0);
   qpu_u flag = (&q->z)[cond / 2 - 1];
   return cond & 1 ? ~flag : flag;
}

/* One of the two results on its way to a register. */
struct qpu_out {
   qpu_u value;
   const qpu_u *overflow; /* see qpu_pack_a() */
   bool is_mul, is_float;
};

static QPU_CLONES void
pack(const struct qpu *q, const struct qpu_instr *in, struct qpu_out *out,
     unsigned address, bool file_b)
{
   const qpu_u *old = address < 32 ? file_b ? &q->b[address] : &q->a[address]
                      : address < 36        ? &q->r[address - 32]
                      : address == QPU_W_R5 ? &q->r[5]
                                            : NULL;
   const qpu_u zero = { 0 };
   if (in->pm) {
      if (out->is_mul)
         out->value = qpu_pack_color(out->value, in->pack, old ? *old : zero);
   } else if (!file_b && address < 32) {
      out->value =
         qpu_pack_a(out->value, in->pack, out->is_float, *old, out->overflow);
   }
}

QPU_INLINE void
write_back(struct qpu *q, const struct qpu_instr *in, struct qpu_out *out,
           unsigned address, bool file_b, unsigned cond)
{
   if (cond == QPU_COND_NEVER || address == QPU_W_NOP)
      return;
   if (in->pack)
      pack(q, in, out, address, file_b);
   if (address < 36) {
      qpu_u *to = address < 32 ? file_b ? &q->b[address] : &q->a[address]
                               : &q->r[address - 32];
      *to = cond == QPU_COND_ALWAYS
               ? out->value
               : blend(condition(q, cond), out->value, *to);
      return;
   }
   qpu_u mask = condition(q, cond);
   write_special(q, address, file_b, &out->value, &mask);
}

/* In the lanes that the operation writes: Mesa's loops rely on it. */
QPU_INLINE void
set_flags(struct qpu *q, qpu_u value, qpu_u carry, unsigned cond)
{
   qpu_u z = (qpu_u)(value == 0), n = (qpu_u)((qpu_i)value < 0);
   if (cond != QPU_COND_ALWAYS) {
      qpu_u mask = condition(q, cond);
      z = blend(mask, z, q->z);
      n = blend(mask, n, q->n);
      carry = blend(mask, carry, q->c);
   }
   q->z = z;
   q->n = n;
   q->c = carry;
}

/* Of the multiplier's operands: accumulators turn through all lanes, others
 * within quads. */
static __attribute__((noinline)) void
rotate(const struct qpu *q, qpu_u *value, unsigned amount, unsigned mux)
{
   unsigned n = (amount == 16 ? q->r[5][0] : amount) & 15;
   const qpu_u from = *value;
   for (unsigned i = 0; i < QPU_LANES; i++)
      (*value)[i] = from[mux < 4 ? (i - n) & 15 : (i & ~3u) | ((i - n) & 3)];
}

/* What an addition or subtraction that overflows would saturate to. */
QPU_INLINE qpu_u
find_overflow(unsigned op, qpu_u a, qpu_u b, qpu_u result)
{
   if (op != QPU_ADD_ADD && op != QPU_ADD_SUB)
      return (qpu_u){ 0 };
   qpu_u signs = op == QPU_ADD_ADD ? ~(a ^ b) : a ^ b;
   qpu_u over = (qpu_u)((qpu_i)(signs & (a ^ result)) >> 31);
   return over & blend((qpu_u)((qpu_i)a >> 31), splat(0x80000000u),
                       splat(0x7fffffffu));
}

static QPU_CLONES void
read_operands(struct qpu *q, const struct qpu_instr *in)
{
   if (in->reads_a)
      read_special(q, in->raddr_a, false, &q->read_a);
   if (in->reads_b) {
      bool shared =
         in->reads_a && in->raddr_a == in->raddr_b &&
         (in->raddr_b == QPU_R_UNIFORM || in->raddr_b == QPU_R_VARYING ||
          in->raddr_b == QPU_R_VPM);
      if (shared)
         q->read_b = q->read_a;
      else
         read_special(q, in->raddr_b, true, &q->read_b);
   }
   if (in->small)
      q->read_b = splat(in->immediate);
   if (in->unpack) {
      qpu_u from = in->pm             ? q->r[4]
                   : in->raddr_a < 32 ? q->a[in->raddr_a]
                                      : q->read_a;
      q->unpacked = qpu_unpack(from, in->unpack, in->unpack_float);
   }
}

QPU_INLINE void
execute_alu(struct qpu *q, const struct qpu_instr *in)
{
   const qpu_u *vectors = (const qpu_u *)q;
   if (in->reads_a | in->reads_b | in->small | in->unpack)
      read_operands(q, in);

   qpu_u carry = { 0 };
   struct qpu_out sum, product;
   qpu_u overflow;
   if (in->add) {
      qpu_u a = vectors[in->source[0]], b = vectors[in->source[1]];
      sum.value = run_add(in->add, a, b);
      if (in->sf)
         carry = find_carry(in->add, a, b, sum.value);
      sum.is_float =
         (in->add >= QPU_ADD_FADD && in->add <= QPU_ADD_FMAXABS) ||
         in->add == QPU_ADD_ITOF;
      sum.is_mul = false;
      sum.overflow = NULL;
      if (in->pack == 8 && !in->pm) {
         overflow = find_overflow(in->add, a, b, sum.value);
         sum.overflow = &overflow;
      }
   }
   if (in->mul) {
      qpu_u a = vectors[in->source[2]], b = vectors[in->source[3]];
      if (in->rotate) {
         rotate(q, &a, in->rotate, in->mul_a);
         rotate(q, &b, in->rotate, in->mul_b);
      }
      product.value = run_mul(in->mul, a, b);
      product.is_float = in->mul == QPU_MUL_FMUL;
      product.is_mul = true;
      product.overflow = NULL;
   }

   if (q->has_constant) {
      q->r[5] = splat(q->constant);
      q->has_constant = false;
   }
   /* Conditions look at the flags as they were before. */
   bool flags_of_add = in->add && in->cond_add;
   qpu_u for_flags = flags_of_add ? sum.value
                     : in->mul    ? product.value
                                  : (qpu_u){ 0 };
   if (in->add)
      write_back(q, in, &sum, in->waddr_add, in->ws, in->cond_add);
   if (in->mul)
      write_back(q, in, &product, in->waddr_mul, !in->ws, in->cond_mul);
   if (in->sf && (flags_of_add || in->mul))
      set_flags(q, for_flags, flags_of_add ? carry : (qpu_u){ 0 },
                flags_of_add ? in->cond_add : in->cond_mul);
}

static QPU_CLONES void
execute_immediate(struct qpu *q, const struct qpu_instr *in)
{
   struct qpu_out out = { .value = splat(in->immediate) };
   if (in->imm_mode == 1 || in->imm_mode == 3) {
      for (unsigned i = 0; i < QPU_LANES; i++) {
         uint32_t high = in->immediate >> (16 + i) & 1;
         uint32_t low = in->immediate >> i & 1;
         out.value[i] = in->imm_mode == 1 ? low - 2 * high : low + 2 * high;
      }
   }
   struct qpu_out copy = out;
   qpu_u flags = out.value;
   write_back(q, in, &out, in->waddr_add, in->ws, in->cond_add);
   copy.is_mul = true;
   write_back(q, in, &copy, in->waddr_mul, !in->ws, in->cond_mul);
   if (in->sf)
      set_flags(q, flags, (qpu_u){ 0 },
                in->cond_add ? in->cond_add : in->cond_mul);
}

QPU_INLINE bool
any_lane(qpu_u mask)
{
   for (unsigned i = 0; i < QPU_LANES; i++) {
      if (mask[i])
         return true;
   }
   return false;
}

static QPU_CLONES bool
branch_taken(const struct qpu *q, unsigned cond)
{
   if (cond == QPU_BRANCH_ALWAYS)
      return true;
   qpu_u flag = cond / 4 == 0 ? q->z : cond / 4 == 1 ? q->n : q->c;
   switch (cond & 3) {
   case 0:
      return !any_lane(~flag);
   case 1:
      return !any_lane(flag);
   case 2:
      return any_lane(flag);
   default:
      return any_lane(~flag);
   }
}

/* Bytes from the program's start; the delay slots come first. */
static QPU_CLONES uint32_t
branch_target(struct qpu *q, const struct qpu_instr *in)
{
   uint32_t next = q->program->address + (q->ip + 4) * 8;
   uint32_t target = in->immediate;
   if (in->branch_uses_reg)
      target += q->a[in->branch_reg][0];
   if (in->branch_relative)
      target += next;
   struct qpu_out link = { .value = splat(next) };
   write_back(q, in, &link, in->waddr_add, in->ws, QPU_COND_ALWAYS);
   write_back(q, in, &link, in->waddr_mul, !in->ws, QPU_COND_ALWAYS);
   return target - q->program->address;
}

static void
give_signal(struct qpu *q, const struct qpu_instr *in)
{
   switch (in->signal) {
   case QPU_SIG_LOAD_TMU0:
   case QPU_SIG_LOAD_TMU1:
      tmu_read(q, in->signal - QPU_SIG_LOAD_TMU0, &q->r[4]);
      break;
   case QPU_SIG_LOAD_COLOR:
   case QPU_SIG_LOAD_COLOR_END:
      q->locked = in->signal == QPU_SIG_LOAD_COLOR;
      if (q->tlb)
         tlb_load_color(q->tlb, &q->r[4]);
      else
         wrong_stage(q, false, QPU_W_TLB_COLOR);
      break;
   case QPU_SIG_LOAD_COVERAGE:
   case QPU_SIG_LOAD_ALPHA_MASK:
      q->r[4] = ~(qpu_u){ 0 }; /* without the VG pipeline all is covered */
      break;
   case QPU_SIG_WAIT_SCOREBOARD:
      q->locked = true;
      break;
   case QPU_SIG_UNLOCK_SCOREBOARD:
      q->locked = false;
      break;
   case QPU_SIG_LAST_SWITCH:
      q->last_switched = true;
      break;
   case QPU_SIG_BREAK:
      v3d_diag(q->v3d, V3D_DIAG_QPU_INSTR, "a break point is executed");
      break;
   default:
      break;
   }
}

QPU_INLINE void
execute(struct qpu *q, const struct qpu_instr *in)
{
   if (v3d_is_strict(q->v3d))
      qpu_check(q, in);
   if (in->kind == QPU_ALU)
      execute_alu(q, in);
   else if (in->kind == QPU_IMMEDIATE)
      execute_immediate(q, in);
   if (in->signal != QPU_SIG_NONE)
      give_signal(q, in);
}

QPU_CLONES void
qpu_step(struct qpu *q, uint64_t word)
{
   struct qpu_instr in;
   qpu_decode_instr(word, &in);
   execute(q, &in);
}

/* A flag after the other thread.  One that is the same in all lanes mostly
 * comes of uniforms: then the other thread, which runs the same program, has
 * set the same.  Boards pass tests that need it (docs/videocore.md). */
QPU_INLINE qpu_u
flag_after_switch(qpu_u flag)
{
   for (unsigned lane = 1; lane < QPU_LANES; lane++) {
      if (flag[lane] != flag[0])
         return splat(0);
   }
   return flag;
}

/* To the other thread and back, which has used them. */
static QPU_CLONES void
switch_threads(struct qpu *q)
{
   for (unsigned i = 0; i < 6; i++)
      q->r[i] = splat(0xfeedc0de);
   q->z = flag_after_switch(q->z);
   q->n = flag_after_switch(q->n);
   q->c = flag_after_switch(q->c);
   q->lost = 0x3f | QPU_LOST_FLAGS;
   q->sfu_wait = 0;
   for (unsigned i = 0; q->tmu && i < 2; i++)
      q->tmu[i].fresh = 0;
}

QPU_CLONES bool
qpu_run(struct qpu *q, const struct qpu_program *program, uint32_t uniforms)
{
   const struct qpu_instr *instrs = program->instrs;
   uint32_t target = 0, branch_in = 0; /* instructions until it happens */
   unsigned end_in = 0, switch_in = 0, count = 0;

   q->program = program;
   q->ip = 0;
   q->last_a = q->last_b = -1;
   q->has_constant = false;
   q->sfu_wait = 0;
   q->lost = 0;
   q->locked = q->last_switched = false;
   set_uniforms(q, uniforms);
   unsigned old_mode = sim_float_flush_cut();
   for (;;) {
      if (q->ip >= program->count) {
         v3d_diag(q->v3d, V3D_DIAG_QPU_RANGE,
                  "the program at 0x%08x runs out of its memory",
                  program->address);
         q->failed = true;
         break;
      }
      const struct qpu_instr *in = &instrs[q->ip];
      if (in->kind == QPU_BRANCH) {
         if (branch_in)
            v3d_diag(q->v3d, V3D_DIAG_QPU_BRANCH_SLOT,
                     "a branch in the delay slots of another");
         if (v3d_is_strict(q->v3d))
            qpu_check_branch(q, in);
         bool taken = branch_taken(q, in->branch_cond);
         uint32_t to = branch_target(q, in);
         if (taken) {
            target = to;
            branch_in = 4;
         }
      } else {
         execute(q, in);
      }
      count++;
      if ((in->signal == QPU_SIG_END ||
           in->signal == QPU_SIG_LOAD_COLOR_END) &&
          !end_in)
         end_in = 3;
      if (end_in && --end_in == 0)
         break;
      if (in->signal == QPU_SIG_SWITCH || in->signal == QPU_SIG_LAST_SWITCH)
         switch_in = 3;
      if (switch_in && --switch_in == 0) {
         if (v3d_is_strict(q->v3d))
            qpu_check_switched(q);
         switch_threads(q);
      }
      q->ip++;
      if (branch_in && --branch_in == 0) {
         if (target % 8 || target / 8 >= program->count) {
            v3d_diag(q->v3d, V3D_DIAG_QPU_RANGE,
                     "the program at 0x%08x branches out of itself",
                     program->address);
            q->failed = true;
            break;
         }
         q->ip = target / 8;
      }
      if (count >= MAX_EXECUTED || q->failed) {
         if (!q->failed)
            v3d_diag(q->v3d, V3D_DIAG_QPU_ENDLESS,
                     "the program at 0x%08x does not end", program->address);
         q->failed = true;
         break;
      }
   }
   sim_float_restore(old_mode);
   q->executed += count;
   if (v3d_is_strict(q->v3d) && !q->failed)
      qpu_check_end(q);
   return !q->failed;
}
