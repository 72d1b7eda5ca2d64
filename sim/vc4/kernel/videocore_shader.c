/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * The chip has no MMU: programs may reach memory only through look-ups whose
 * bounds are known.  Linux reads each program once and notes which uniforms
 * configure look-ups, which it then relocates and checks with every job.  The
 * rules are those of its vc4_validate_shaders.c.
 */

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "qpu.h"
#include "videocore.h"

#define NONE ~0u
#define NUM_LIVE (32 + 32 + 4) /* files A and B, r0 to r3 */

struct reader {
   const uint64_t *words;
   unsigned count, ip;
   struct shim_vc4_shader *shader;
   bool *targets; /* of branches */
   struct vc4_sample sample[2];
   unsigned written[2];
   /* Of registers: the uniform that bounds them from above, whether 0 bounds
    * them from below, the constant in them. */
   uint32_t min_offset[NUM_LIVE];
   bool max_zero[NUM_LIVE];
   uint32_t immediate[NUM_LIVE];
   bool needs_reset; /* uniforms are nowhere before their address is set */
   bool loop_needs_reset;
   bool upper_half; /* registers that the other thread has */
};

int
shim_vc4_refuse(const char *format, ...)
{
   char text[160];
   va_list args;
   if (!shim.options.trace && !shim.options.strict)
      return -EINVAL;
   va_start(args, format);
   vsnprintf(text, sizeof(text), format, args);
   va_end(args);
   shim_report_diag(SHIM_DIAG_REFUSED, text);
   return -EINVAL;
}

static bool
refuse(const struct reader *r, const char *why)
{
   shim_vc4_refuse("instruction %u of a program: %s", r->ip, why);
   return false;
}

static uint32_t
live_of_write(unsigned address, bool file_b)
{
   if (address < 32)
      return address + (file_b ? 32 : 0);
   return address < QPU_W_R0 + 4 ? 64 + address - QPU_W_R0 : NONE;
}

/* The register of the adder's first operand. */
static uint32_t
live_of_operand(const struct qpu_instr *in)
{
   if (in->add_a == QPU_MUX_A)
      return in->raddr_a < 32 ? in->raddr_a : NONE;
   if (in->add_a == QPU_MUX_B)
      return in->small || in->raddr_b >= 32 ? NONE : 32 + in->raddr_b;
   return in->add_a < 4 ? 64 + in->add_a : NONE;
}

static bool
second_is_uniform(const struct qpu_instr *in)
{
   return (in->add_b == QPU_MUX_A && in->raddr_a == QPU_R_UNIFORM) ||
          (in->add_b == QPU_MUX_B && !in->small &&
           in->raddr_b == QPU_R_UNIFORM);
}

static bool
reads_uniform(const struct qpu_instr *in)
{
   return in->kind == QPU_ALU &&
          (in->raddr_a == QPU_R_UNIFORM ||
           (in->raddr_b == QPU_R_UNIFORM && !in->small));
}

static void
forget(struct reader *r, unsigned from)
{
   for (unsigned i = from; i < NUM_LIVE; i++) {
      r->min_offset[i] = NONE;
      r->max_zero[i] = false;
      r->immediate[i] = NONE;
   }
}

static void
forget_sample(struct reader *r, unsigned unit)
{
   memset(&r->sample[unit], 0, sizeof(r->sample[unit]));
   for (unsigned i = 0; i < 4; i++)
      r->sample[unit].offsets[i] = NONE;
}

static bool
add_reset(struct reader *r)
{
   struct shim_vc4_shader *s = r->shader;
   uint32_t *resets =
      realloc(s->resets, (s->num_resets + 1) * sizeof(*resets));
   if (!resets)
      return false;
   s->resets = resets;
   resets[s->num_resets++] = s->uniforms_size / 4;
   return true;
}

static bool
add_sample(struct reader *r, unsigned unit)
{
   struct shim_vc4_shader *s = r->shader;
   struct vc4_sample *samples =
      realloc(s->samples, (s->num_samples + 1) * sizeof(*samples));
   if (!samples)
      return false;
   s->samples = samples;
   samples[s->num_samples++] = r->sample[unit];
   r->written[unit] = 0;
   forget_sample(r, unit);
   return true;
}

/* S alone: base + offset, the offset bounded by a uniform. */
static bool
check_direct(struct reader *r, const struct qpu_instr *in, bool mul,
             unsigned unit)
{
   if (in->small || mul || in->add != QPU_ADD_ADD)
      return refuse(r, "a direct look-up is no addition");
   uint32_t live = live_of_operand(in);
   if (live == NONE || r->min_offset[live] == NONE)
      return refuse(r, "a direct look-up is not bounded");
   if (!second_is_uniform(in))
      return refuse(r, "a direct look-up without a base");
   r->sample[unit].offsets[1] = r->min_offset[live];
   r->sample[unit].direct = true;
   return true;
}

static bool
check_tmu(struct reader *r, const struct qpu_instr *in, unsigned address,
          bool mul)
{
   const unsigned unit = (address - QPU_W_TMU0_S) / 4;
   const bool submit = (address & 3) == 0;
   const bool direct = submit && r->written[unit] == 0;
   struct shim_vc4_shader *s = r->shader;
   if (direct) {
      if (!check_direct(r, in, mul, unit))
         return false;
   } else if (reads_uniform(in)) {
      return refuse(r, "a uniform beside a texture parameter");
   }
   if (r->written[unit] >= 4)
      return refuse(r, "more than four texture parameters");
   r->sample[unit].offsets[r->written[unit]++] = s->uniforms_size;
   if (!direct) {
      if (r->needs_reset)
         return refuse(r, "texture parameters from nowhere");
      s->uniforms_size += 4;
   }
   return !submit || add_sample(r, unit);
}

static bool
check_uniform_address(struct reader *r, const struct qpu_instr *in, bool mul)
{
   uint32_t live = live_of_operand(in);
   if (in->signal != QPU_SIG_NONE || mul || in->add != QPU_ADD_ADD ||
       in->cond_add != QPU_COND_ALWAYS || (in->pack && !in->pm))
      return refuse(r, "the uniforms' address is no plain addition");
   /* It continues with the uniform behind the address. */
   if (live == NONE || r->immediate[live] != r->shader->uniforms_size + 4 ||
       !second_is_uniform(in))
      return refuse(r, "the uniforms' address is another");
   r->needs_reset = r->loop_needs_reset = false;
   return add_reset(r);
}

static bool
check_write(struct reader *r, const struct qpu_instr *in, bool mul)
{
   const unsigned address = mul ? in->waddr_mul : in->waddr_add;
   const unsigned cond = mul ? in->cond_mul : in->cond_add;
   const bool file_b = mul != in->ws;
   uint32_t live = live_of_write(address, file_b);
   if (live != NONE) {
      bool constant =
         in->kind == QPU_IMMEDIATE && !in->pack && cond == QPU_COND_ALWAYS;
      r->immediate[live] = constant ? in->immediate : NONE;
      r->upper_half |= live < 64 && (live & 16);
   }
   switch (address) {
   case QPU_W_UNIFORMS:
      if (file_b)
         return refuse(r, "a relative address of uniforms");
      return check_uniform_address(r, in, mul);
   case QPU_W_INTERRUPT:
   case QPU_W_TMU_NOSWAP:
   case QPU_W_TLB_ALPHA_MASK:
   case QPU_W_MUTEX:
   case QPU_W_VPM_ADDRESS:
      return refuse(r, "a register that user space may not write");
   default:
      return address < QPU_W_TMU0_S || check_tmu(r, in, address, mul);
   }
}

/* max(x, 0), then min(that, uniform), make an offset that is bounded. */
static void
track_bounds(struct reader *r, const struct qpu_instr *in)
{
   uint32_t first = live_of_operand(in);
   bool from_zero = first != NONE && r->max_zero[first];
   uint32_t add = live_of_write(in->waddr_add, in->ws);
   uint32_t mul = live_of_write(in->waddr_mul, !in->ws);
   if (mul != NONE) {
      r->max_zero[mul] = false;
      r->min_offset[mul] = NONE;
   }
   if (add == NONE)
      return;
   r->max_zero[add] = false;
   r->min_offset[add] = NONE;
   if (in->kind != QPU_ALU || in->cond_add != QPU_COND_ALWAYS)
      return;
   if (in->add == QPU_ADD_MAX) {
      r->max_zero[add] = in->small && in->raddr_b == 0 &&
                         (in->add_a == QPU_MUX_B || in->add_b == QPU_MUX_B);
   } else if (in->add == QPU_ADD_MIN && from_zero && second_is_uniform(in)) {
      r->min_offset[add] = r->shader->uniforms_size;
   }
}

static bool
is_tmu(unsigned address)
{
   return address >= QPU_W_TMU0_S;
}

static bool
check_alu(struct reader *r, const struct qpu_instr *in)
{
   if (is_tmu(in->waddr_add) && is_tmu(in->waddr_mul))
      return refuse(r, "two texture parameters at once");
   if (!check_write(r, in, false) || !check_write(r, in, true))
      return false;
   track_bounds(r, in);
   if (reads_uniform(in)) {
      r->shader->uniforms_size += 4;
      if (r->needs_reset)
         return refuse(r, "a uniform from nowhere");
   }
   if (in->kind == QPU_ALU)
      r->upper_half |= (in->raddr_a >= 16 && in->raddr_a < 32) ||
                       (in->raddr_b >= 16 && in->raddr_b < 32 && !in->small);
   return true;
}

/* Branches stay inside, and not in each other's delay slots; marks where they
 * go.  Cuts count at the program's end. */
static bool
find_targets(struct reader *r)
{
   int last = -4;
   unsigned furthest = 0;
   for (r->ip = 0; r->ip < r->count; r->ip++) {
      struct qpu_instr in;
      qpu_decode_instr(r->words[r->ip], &in);
      if (in.signal == QPU_SIG_END) {
         r->count = MIN2(r->count, r->ip + 3);
         continue;
      }
      if (in.kind != QPU_BRANCH)
         continue;
      if ((int)r->ip - last < 4)
         return refuse(r, "a branch in delay slots");
      last = r->ip;
      if (in.branch_uses_reg || !in.branch_relative || in.immediate % 8)
         return refuse(r, "a branch that is not relative");
      unsigned after = r->ip + 4;
      unsigned target = after + ((int32_t)in.immediate >> 3);
      if (target >= r->count || after >= r->count)
         return refuse(r, "a branch to the outside");
      r->targets[target] = r->targets[after] = true;
      furthest = MAX2(furthest, after);
   }
   return r->count >= 3 && furthest <= r->count - 3;
}

static bool
enter_block(struct reader *r)
{
   if (!r->targets[r->ip])
      return true;
   if (r->written[0] || r->written[1])
      return refuse(r, "a branch into texture parameters");
   forget(r, 0);
   forget_sample(r, 0);
   forget_sample(r, 1);
   r->needs_reset = true;
   return true;
}

static bool
check_instr(struct reader *r, const struct qpu_instr *in, int *last_switch)
{
   const int since = (int)r->ip - *last_switch;
   switch (in->signal) {
   case QPU_SIG_SWITCH:
   case QPU_SIG_LAST_SWITCH:
      r->shader->threaded = true;
      if (since < 3)
         return refuse(r, "a thread switch too soon");
      *last_switch = r->ip;
      return check_alu(r, in);
   case QPU_SIG_NONE:
   case QPU_SIG_WAIT_SCOREBOARD:
   case QPU_SIG_UNLOCK_SCOREBOARD:
   case QPU_SIG_LOAD_COLOR:
   case QPU_SIG_LOAD_TMU0:
   case QPU_SIG_LOAD_TMU1:
   case QPU_SIG_END:
   case QPU_SIG_SMALL_IMMEDIATE:
   case QPU_SIG_LOAD_IMMEDIATE:
      return check_alu(r, in);
   case QPU_SIG_BRANCH:
      if ((int32_t)in->immediate < 0)
         r->loop_needs_reset = true;
      if (in->waddr_add != QPU_W_NOP || in->waddr_mul != QPU_W_NOP)
         return refuse(r, "a branch with a link");
      return since >= 3 || refuse(r, "a branch after a thread switch");
   default:
      return refuse(r, "a signal that user space may not give");
   }
}

static bool
read_program(struct reader *r)
{
   int last_switch = -3;
   bool ended = false;
   if (!find_targets(r))
      return false;
   forget(r, 0);
   forget_sample(r, 0);
   forget_sample(r, 1);
   for (r->ip = 0; r->ip < r->count; r->ip++) {
      struct qpu_instr in;
      qpu_decode_instr(r->words[r->ip], &in);
      if (!enter_block(r))
         return false;
      if ((int)r->ip == last_switch + 3)
         forget(r, 64);
      if (!check_instr(r, &in, &last_switch))
         return false;
      ended |= in.signal == QPU_SIG_END;
   }
   if (!ended)
      return refuse(r, "no end");
   if (r->shader->threaded && r->upper_half)
      return refuse(r, "registers of the other thread");
   if (r->loop_needs_reset) {
      if (!add_reset(r))
         return false;
      r->shader->uniforms_size += 4;
   }
   r->shader->uniforms_src_size =
      r->shader->uniforms_size + 4 * r->shader->num_samples;
   return true;
}

struct shim_vc4_shader *
shim_vc4_validate_shader(const uint64_t *words, unsigned count)
{
   struct reader r = { .words = words, .count = count };
   r.shader = calloc(1, sizeof(*r.shader));
   r.targets = calloc(count + 1, sizeof(*r.targets));
   bool good = r.shader && r.targets && read_program(&r);
   free(r.targets);
   if (good)
      return r.shader;
   shim_vc4_shader_free(r.shader);
   return NULL;
}

void
shim_vc4_shader_free(struct shim_vc4_shader *shader)
{
   if (!shader)
      return;
   free(shader->samples);
   free(shader->resets);
   free(shader);
}
