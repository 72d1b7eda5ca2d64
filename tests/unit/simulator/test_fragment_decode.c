/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Every entry of "encodings" in tests/vectors/fragment-vectors.json: the decoded program is written out in the notation
 * of the vectors and compared with their text.
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "fragment_harness.h"
#include "tegra20/gr3d_regs.h"

#pragma GCC diagnostic ignored "-Wunused-const-variable"
#include "fragment_vectors.h"

struct text {
   char s[512];
   size_t n;
};

static void __attribute__((format(printf, 2, 3)))
add(struct text *t, const char *format, ...)
{
   va_list args;
   va_start(args, format);
   int n = vsnprintf(t->s + t->n, sizeof(t->s) - t->n, format, args);
   va_end(args);
   t->n += n > 0 ? (size_t)n : 0;
   assert_true(t->n < sizeof(t->s));
}

static void
add_register(struct text *t, const struct sim_fs_operand *o)
{
   const char *half = o->fx10 ? o->high ? ".h" : ".l" : "";
   unsigned r = o->reg;
   if (r < 16)
      add(t, "r%u%s", r, half);
   else if (r < 24)
      add(t, "g%u%s", r - 16, half);
   else if (r < 28)
      add(t, "alu%u%s", r - 24, half);
   else if (r < 31)
      add(t, "k%u%s", r - 28, half);
   else if (r == 31)
      add(t, "%s", o->fx10 ? o->high ? "1" : "0" : "k31");
   else if (r < 64)
      add(t, "u%u%s", r - 32, half);
   else if (r < 72)
      add(t, "c%u", 2 * (r - 64) + o->high);
   else
      add(t, "%s%s", r == 72 ? "posx" : r == 73 ? "posy" : r == 75 ? "face" : "?", half);
}

static void
add_operand(struct text *t, const struct sim_fs_operand *o)
{
   if (o->negate)
      add(t, "-");
   if (o->minus_one)
      add(t, "(");
   if (o->times_two)
      add(t, "2*");
   if (o->absolute)
      add(t, "|");
   add_register(t, o);
   if (o->absolute)
      add(t, "|");
   if (o->minus_one)
      add(t, "-1)");
}

static void
add_dest(struct text *t, const struct sim_fs_unit *u)
{
   switch (u->dest) {
   case SIM_FS_DEST_LOW: add(t, "r%u.l", u->dest_index); break;
   case SIM_FS_DEST_HIGH: add(t, "r%u.h", u->dest_index); break;
   case SIM_FS_DEST_FULL: add(t, "r%u", u->dest_index); break;
   case SIM_FS_DEST_PAIR: add(t, "r%u.%c", u->dest_index, u->pair_swap ? 'h' : 'l'); break;
   case SIM_FS_DEST_COND: add(t, "c%u", u->dest_index); break;
   case SIM_FS_DEST_KILL: add(t, "kill"); break;
   default:
      if (u->dest_index >= 16 && u->dest_index < 24)
         add(t, "g%u", u->dest_index - 16);
      else
         add(t, "void");
   }
   add(t, " = ");
}

/* C or C*D, or the accumulator. */
static void
add_second(struct text *t, const struct sim_fs_unit *u)
{
   if (u->recv)
      add(t, "acc");
   else
      add_operand(t, &u->c);
   if (u->has_d) {
      add(t, "*");
      add_operand(t, &u->d);
   }
}

static void
add_product(struct text *t, const struct sim_fs_unit *u)
{
   add_operand(t, &u->a);
   add(t, "*");
   add_operand(t, &u->b);
}

static void
add_unit(struct text *t, const struct sim_fs_unit *u)
{
   add_dest(t, u);
   if (u->cond)
      add(t, "test[%s](", u->cond == SIM_FS_COND_EQ ? "==0" : u->cond == SIM_FS_COND_GT ? ">0" : ">=0");
   if (u->saturate)
      add(t, "sat(");
   if (u->scale)
      add(t, "{");
   if (u->op == SIM_FS_CSEL) {
      add(t, "(");
      add_operand(t, &u->a);
      add(t, " < 0) ? ");
      add_operand(t, &u->b);
      add(t, " : ");
      add_second(t, u);
   } else if (u->op == SIM_FS_MAD && !u->no_addition) {
      add_product(t, u);
      add(t, " + ");
      add_second(t, u);
   } else {
      add(t, "%s(", u->no_addition ? "pair" : u->op == SIM_FS_MIN ? "min" : "max");
      add_product(t, u);
      add(t, ", ");
      add_second(t, u);
      add(t, ")");
   }
   if (u->scale)
      add(t, "} %s", u->scale == 1 ? "x2" : u->scale == 2 ? "x4" : "/2");
   if (u->saturate)
      add(t, ")");
   if (u->cond)
      add(t, ")");
   if (u->send)
      add(t, "  [send]");
}

static const char *
mul_source(unsigned source)
{
   static const char *const names[16] = {"r0", "r1", "r2", "r3", "?", "?", "?", "?", "?", "?", "sfu", "b0", "b1", "1"};
   return names[source] ? names[source] : "?";
}

static void
separate(struct text *t)
{
   if (t->n)
      add(t, "; ");
}

static void
add_mfu(struct text *t, const struct sim_fs_mfu *m)
{
   static const char *const functions[16] = {"",    "rcp", "rsq", "lg2",     "ex2",     "sqrt",
                                             "sin", "cos", "frc", "pre_ex2", "pre_sin", "pre_cos"};
   if (m->sfu)
      add(t, "sfu = %s(r%u)", functions[m->sfu], m->sfu_reg);
   for (unsigned i = 0; i < 2; i++) {
      if (!m->mul[i].dest)
         continue;
      separate(t);
      if (m->mul[i].dest == 1)
         add(t, "bary.w%u", i);
      else
         add(t, "r%u", m->mul[i].dest - 4);
      add(t, " = %s*%s", mul_source(m->mul[i].src0), mul_source(m->mul[i].src1));
   }
   for (unsigned c = 0; c < 4; c++) {
      if (m->var[c].op) {
         separate(t);
         if (m->var[c].op == 1)
            add(t, "r%u = interp20(tram%u.%c)", c, m->var[c].row, "xyzw"[c]);
         else
            add(t, "r%u.l,r%u.h = interp10x2(tram%u.%c)", c, c, m->var[c].row, "xyzw"[c]);
      } else if (m->var[c].saturate) {
         separate(t);
         add(t, "r%u: op0+sat", c);
      }
   }
}

static const struct sim_fs_program *
decode(struct harness *h, const struct fragment_vector *v)
{
   harness_program(h, v);
   harness_draw(h);
   return h->gr3d->fragment->program;
}

static void
encoding(void **state)
{
   const struct encoding_vector *e = *state;
   struct fragment_vector v = {.rows = 4, .num_execs = 4, .num_mfu = 1, .num_alu = 1};
   struct harness *h = harness_create(2, 2);
   struct text t = {.n = 0};
   const struct sim_fs_program *p;
   if (!strncmp(e->unit, "ALU", 3)) {
      static const uint32_t nop[2] = {0x000fe7e8, 0x3e41f200};
      bool packet = !strcmp(e->unit, "ALU packet with embedded constants");
      v.alu_sched[0] = 1;
      for (unsigned i = 0; i < 8; i++)
         v.alu[0][i] = packet || i < 2 ? e->words[i] : nop[i & 1];
      /* acc: only A0 can receive; the sender is decoded the same way anywhere */
      p = decode(h, &v);
      for (unsigned u = 0; u < (packet ? 3 : 1); u++) {
         if (packet)
            add(&t, "%sA%u: ", u ? " | " : "", u);
         add_unit(&t, &p->alu[0].unit[u]);
      }
      if (packet) {
         for (unsigned i = 0; i < p->num_constants; i++) {
            bool known = p->constant[i].raw == 256 << 10;
            for (unsigned k = 0; k < 3; k++)
               known |= p->constant[i].raw == e->constants[k];
            assert_true(known);
         }
      }
   } else if (!strcmp(e->unit, "MFU")) {
      v.mfu_sched[0] = 1;
      v.mfu[0][0] = e->words[0];
      v.mfu[0][1] = e->words[1];
      p = decode(h, &v);
      add_mfu(&t, &p->mfu[0]);
   } else if (!strcmp(e->unit, "TEX")) {
      v.tex[0] = e->words[0];
      p = decode(h, &v);
      const struct sim_fs_exec *x = &p->exec[0];
      assert_true(x->tex);
      add(&t, "sample tex%u", x->tex_unit);
      if (x->tex_bias)
         add(&t, " with LOD bias in r%u", (x->tex_src + 3) & 3);
      add(&t, ", coords r%u,r%u, result r%u,r%u", x->tex_src, x->tex_src + 1, x->tex_dst, x->tex_dst + 1);
   } else if (!strcmp(e->unit, "DW")) {
      v.dw[0] = e->words[0];
      p = decode(h, &v);
      const struct sim_fs_exec *x = &p->exec[0];
      if (x->store_stencil)
         add(&t, "store stencil to surface %u", x->store_surface);
      else if (x->store)
         add(&t, "store r%u,r%u to surface %u", x->store_reg, x->store_reg + 1, x->store_surface);
   } else if (!strcmp(e->unit, "PSEQ")) {
      v.pseq[0] = e->words[0];
      p = decode(h, &v);
      const struct sim_fs_exec *x = &p->exec[0];
      assert_true(x->fetch);
      add(&t, "load the fragment's pixel of surface %u into r%u.l,r%u.h,r%u.l,r%u.h (fx10)", x->fetch_surface,
          x->fetch_reg, x->fetch_reg, x->fetch_reg + 1, x->fetch_reg + 1);
   } else {
      assert_string_equal(e->unit, "schedule");
      v.mfu_sched[0] = v.alu_sched[0] = e->words[0];
      for (unsigned i = 0; i < 64; i++) {
         v.alu[i][0] = v.alu[i][2] = v.alu[i][4] = v.alu[i][6] = 0x000fe7e8;
         v.alu[i][1] = v.alu[i][3] = v.alu[i][5] = v.alu[i][7] = 0x3e41f200;
      }
      p = decode(h, &v);
      assert_int_equal(p->exec[0].num_mfu, p->exec[0].num_alu);
      assert_int_equal(p->exec[0].mfu[0], p->exec[0].alu_first);
      add(&t, "count %u, address %u", p->exec[0].num_mfu, p->exec[0].mfu[0]);
   }
   assert_string_equal(t.s, e->decoded);
   harness_destroy(h);
}

int
main(void)
{
   enum { N = sizeof(encoding_vectors) / sizeof(encoding_vectors[0]) };
   static struct CMUnitTest tests[N];
   for (unsigned i = 0; i < N; i++)
      tests[i] = (struct CMUnitTest){
         .name = encoding_vectors[i].decoded, .test_func = encoding, .initial_state = (void *)&encoding_vectors[i]};
   return _cmocka_run_group_tests("fragment decode", tests, N, NULL, NULL);
}
