/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Random fragment programs against a reference: one fragment at a time, straight from the words, in the order that
 * fragment-pipeline.md 12 gives.  It shares the reading of the manual with the simulator, and its decoding of fp20 and
 * fx10 numbers (numbers.h), which "simulator numbers" tests with values worked out by hand.
 */

#include "unit.h"
#include "exact.h"
#include "fragment_harness.h"

#define SIZE 24
#define MAX_EXECS 8

static uint32_t seed;

static uint32_t
rnd(uint32_t n)
{
   seed = seed * 1664525u + 1013904223u;
   return (seed >> 8) % n;
}

/* Texel, destination and position dependent values of a pixel. */
static int32_t
pixel_value(int x, int y, unsigned which, unsigned component)
{
   uint32_t h = (uint32_t)(x * 131 + y * 7919) * 2654435761u + which * 40503u + component * 977u;
   return (int32_t)((h >> 9) % 300) - 20;
}

/* --- the reference ------------------------------------------------------------------------------------------------ */

struct write {
   unsigned reg, mask;
   bool pair;
   uint32_t raw;
   bool nonzero;
};

struct fragment {
   uint32_t r[16];
   bool c[16];
   bool killed;
   exact alu[4];
   struct write pending[4];
   unsigned num_pending;
};

struct stored {
   bool done, live;
   uint32_t raw[2];
};

static void
commit(struct fragment *f, unsigned rows)
{
   for (unsigned i = 0; i < f->num_pending; i++) {
      const struct write *w = &f->pending[i];
      if (w->reg < 4 * rows && w->reg < 16) {
         if (w->mask == 3 || w->pair)
            f->r[w->reg] = w->raw;
         else if (w->mask)
            f->r[w->reg] = sim_fx10_insert(f->r[w->reg], w->mask == 2, (int32_t)w->raw);
      } else if (w->reg >= 64 && w->reg < 72) {
         f->c[2 * (w->reg - 64) + (w->mask >> 1)] = w->nonzero;
      }
   }
   f->num_pending = 0;
}

static exact
modified(exact v, bool absolute, bool twice, bool minus, bool negate)
{
   if (absolute && v < 0)
      v = -v;
   if (twice)
      v = v * 2;
   if (minus)
      v = v - 1;
   return negate ? -v : v;
}

static exact
operand(const struct fragment *f, const uint32_t *u, const uint32_t k[3], unsigned field, bool modifiers)
{
   unsigned reg = field >> 6;
   bool fx10 = field >> 3 & 1, high = field >> 5 & 1;
   exact v;
   if (reg >= 24 && reg < 28) {
      v = f->alu[reg - 24];
   } else if (reg >= 64 && reg < 72) {
      v = f->c[2 * (reg - 64) + high];
   } else {
      uint32_t raw = reg < 16 ? f->r[reg] : reg < 31 ? k[reg - 28] : reg == 31 ? 256u << 10 : u[reg - 32];
      v = fx10 ? (exact)sim_fx10_half(raw, high) / 256 : (exact)sim_fp20_to_float(raw);
   }
   return modifiers ? modified(v, field >> 2 & 1, field & 1, field >> 4 & 1, field >> 1 & 1) : v;
}

static exact
to_fp20(exact v)
{
   return (exact)sim_fp20_to_float(exact_fp20(v));
}

struct result {
   exact value, second; /* second: C*D of a unit with addition disable */
};

static struct result
evaluate(const struct fragment *f, const uint32_t *u, const uint32_t k[3], uint32_t high, uint32_t low, bool recv, exact acc)
{
   unsigned fa = high & 0x1fff, fb = low >> 19, fc = low >> 6 & 0x1fff, fd = low & 0x3f;
   exact a = operand(f, u, k, fa, true), b = operand(f, u, k, fb, true), c, d = 1;
   if (recv)
      c = modified(acc, fc >> 2 & 1, fc & 1, fc >> 4 & 1, fc >> 1 & 1);
   else
      c = operand(f, u, k, fc, true);
   if (fd >> 2 & 1) {
      unsigned source = ((fd >> 5 ? fc : fb) & 0x1fc0) | (fd & 1 ? 8 : 0) | (fd >> 4 & 1 ? 32 : 0);
      d = modified(operand(f, u, k, source, false), fd >> 1 & 1, false, fd >> 3 & 1, false);
   }
   exact ab = a * b, cd = c * d;
   struct result r = {0, 0};
   switch (high >> 30) {
   case 0: r.value = high >> 27 & 1 ? ab : exact_add(ab, cd); break;
   case 1: r.value = ab < cd ? ab : cd; break;
   case 2: r.value = ab > cd ? ab : cd; break;
   default: r.value = a < 0 ? b : cd;
   }
   r.second = cd;
   exact *v[2] = {&r.value, &r.second};
   for (unsigned i = 0; i < 2; i++) {
      unsigned scale = high >> 25 & 3, cond = high >> 22 & 3;
      *v[i] = scale == 1 ? *v[i] * 2 : scale == 2 ? *v[i] * 4 : scale == 3 ? *v[i] / 2 : *v[i];
      if (high >> 24 & 1)
         *v[i] = *v[i] < 0 ? 0 : *v[i] > 1 ? 1 : *v[i];
      if (cond)
         *v[i] = cond == 1 ? *v[i] == 0 : cond == 2 ? *v[i] > 0 : *v[i] >= 0;
   }
   return r;
}

static void
run_packet(struct fragment *f, const uint32_t *u, const uint32_t *words, unsigned rows)
{
   uint32_t k[3] = {0};
   bool constants = false;
   for (unsigned i = 0; i < 3; i++) {
      unsigned regs[3] = {words[2 * i] >> 6 & 0x7f, words[2 * i + 1] >> 25, words[2 * i + 1] >> 12 & 0x7f};
      for (unsigned o = 0; o < 3; o++)
         constants |= regs[o] >= 28 && regs[o] <= 30;
   }
   if (constants) {
      uint64_t v = (uint64_t)words[7] << 32 | words[6];
      for (unsigned i = 0; i < 3; i++)
         k[i] = v >> (4 + 20 * i) & 0xfffff;
   }
   exact value[4] = {0};
   struct write writes[4] = {{.reg = 31}, {.reg = 31}, {.reg = 31}, {.reg = 31}};
   /* A0 last: it is the only one that receives here. */
   for (unsigned step = 1; step <= 4; step++) {
      unsigned unit = step & 3;
      if (constants && unit == 3)
         continue;
      uint32_t high = words[2 * unit], low = words[2 * unit + 1];
      bool recv = high >> 28 & 1;
      exact acc = exact_add(value[3], words[2] >> 29 & 1 || !harness_part_sums ? value[1] : 0);
      acc = exact_add(acc, words[4] >> 29 & 1 || !harness_part_sums ? value[2] : 0);
      struct result r = evaluate(f, u, k, high, low, recv, acc);
      value[unit] = r.value;
      unsigned reg = high >> 15 & 0x7f, mask = high >> 13 & 3;
      struct write w = {reg, mask, false, 0, r.value != 0};
      if ((high >> 27 & 1) && high >> 30 == 0 && (mask == 1 || mask == 2)) {
         w.pair = true;
         uint32_t x = exact_fx10(r.value), y = exact_fx10(r.second);
         w.raw = mask == 2 ? y | x << 10 : x | y << 10;
      } else {
         w.raw = mask == 3 ? exact_fp20(r.value) : exact_fx10(r.value);
      }
      if (reg == 76)
         f->killed |= r.value != 0; /* whatever the mask */
      else
         writes[unit] = w;
   }
   /* Two writers of one half: nobody knows; the higher unit wins here as in the simulator. */
   commit(f, rows);
   memcpy(f->pending, writes, sizeof(writes));
   f->num_pending = 4;
   for (unsigned i = 0; i < 4; i++)
      f->alu[i] = to_fp20(value[i]);
}

static void
reference(const struct fragment_vector *v, const uint32_t *u, int x, int y, struct stored stored[MAX_EXECS])
{
   struct fragment f = {{0}};
   unsigned n = v->rows;
   for (unsigned first = 0; first < v->num_execs; first += n) {
      for (unsigned e = first; e < first + n; e++) {
         uint32_t *row = f.r + 4 * (e - first);
         if (v->pseq[e]) {
            unsigned dst = v->pseq[e] >> 1 & 1 ? 2 : 0;
            for (unsigned i = 0; i < 2; i++)
               row[dst + i] = sim_fx10_pair(pixel_value(x, y, 1, 2 * i), pixel_value(x, y, 1, 2 * i + 1));
         }
         if (v->tex[e]) {
            unsigned dst = v->tex[e] >> 5 & 1 ? 2 : 0;
            for (unsigned i = 0; i < 2; i++)
               row[dst + i] = sim_fx10_pair(pixel_value(x, y, 2, 2 * i), pixel_value(x, y, 2, 2 * i + 1));
         }
      }
      for (unsigned e = first; e < first + n; e++) {
         for (unsigned i = 0; i < (v->alu_sched[e] & 3); i++)
            run_packet(&f, u, v->alu[(v->alu_sched[e] >> 2) + i], n);
      }
      commit(&f, n);
      for (unsigned e = first; e < first + n; e++) {
         if (v->dw[e]) {
            unsigned src = v->dw[e] >> 15 & 1 ? 2 : 0;
            stored[e] = (struct stored){true, !f.killed, {f.r[4 * (e - first) + src], f.r[4 * (e - first) + src + 1]}};
         }
      }
   }
}

/* --- random programs ---------------------------------------------------------------------------------------------- */

static uint32_t
random_operand(unsigned rows, bool first, bool constants)
{
   unsigned reg;
   switch (rnd(8)) {
   case 0: reg = 31; break;
   case 1: reg = 32 + rnd(6); break;
   case 2: reg = first ? rnd(4 * rows) : 24 + rnd(4); break;
   case 3: reg = constants ? 28 + rnd(3) : 31; break;
   case 4: reg = rnd(4) ? rnd(4 * rows) : 64 + rnd(2); break;
   default: reg = rnd(4 * rows);
   }
   uint32_t o = reg << 6;
   if ((reg >= 64 || rnd(3)) && !(reg >= 24 && reg < 28))
      o |= 8 | (rnd(2) ? 32 : 0);
   if (rnd(3) == 0)
      o |= rnd(32) & 0x17;
   return o;
}

static void
random_packet(uint32_t *words, unsigned rows, bool first)
{
   bool constants = rnd(4) == 0, accumulate = !constants && rnd(4) == 0;
   for (unsigned unit = 0; unit < (constants ? 3 : 4); unit++) {
      uint32_t op = rnd(3) ? 0 : rnd(4), dest = rnd(5) ? rnd(4 * rows) : rnd(3) ? 31 : rnd(4) ? 64 + rnd(2) : 76;
      uint32_t mask = rnd(4), d = rnd(4) ? 0 : 4 | (rnd(64) & 0x3b);
      uint32_t a = random_operand(rows, first, constants), b = random_operand(rows, first, constants);
      uint32_t c = random_operand(rows, first, constants);
      if (dest == 76 && rnd(4))
         op = 0, a = b = 31 << 6 | 8;
      /* Reading condition registers or results as fp20 through D is no case of the manual. */
      unsigned source = (d >> 5 ? c : b) >> 6;
      if (source >= 64 || (source >= 24 && source < 28))
         d = 0;
      words[2 * unit] = op << 30 | (rnd(8) ? 0 : rnd(4)) << 25 | (rnd(3) ? 0 : 1u) << 24 | (rnd(6) ? 0 : rnd(4)) << 22 |
                        dest << 15 | mask << 13 | a;
      words[2 * unit + 1] = b << 19 | c << 6 | d;
      if (op == 0 && rnd(12) == 0 && !accumulate)
         words[2 * unit] |= 1u << 27;
      if (accumulate)
         words[2 * unit] |= unit == 0 ? 1u << 28 : unit < 3 && rnd(4) ? 1u << 29 : 0;
   }
   if (constants) {
      /* At least one operand names a constant. */
      words[0] = (words[0] & ~0x1fc0u) | (28 + rnd(3)) << 6;
      words[6] = rnd(1 << 24) << 8 | rnd(256);
      words[7] = rnd(1 << 24) << 8 | rnd(256);
   }
}

static void
random_program(struct fragment_vector *v)
{
   *v = (struct fragment_vector){.rows = 1 + rnd(4), .num_mfu = 1};
   v->num_execs = v->rows * (1 + rnd(MAX_EXECS / v->rows));
   for (unsigned e = 0; e < v->num_execs; e++) {
      unsigned count = rnd(4);
      v->alu_sched[e] = count | v->num_alu << 2;
      for (unsigned i = 0; i < count; i++)
         random_packet(v->alu[v->num_alu++], v->rows, i == 0);
      if (rnd(3) == 0)
         v->pseq[e] = rnd(2) ? 0x0081000a : 0x00810008;
      if (rnd(3) == 0)
         v->tex[e] = 0x400 | rnd(2) << 5;
      if (rnd(3) == 0 || e + v->rows >= v->num_execs)
         v->dw[e] = 0x20005 | rnd(2) << 15;
   }
   v->num_alu = v->num_alu ? v->num_alu : 1;
}

struct comparison {
   const struct fragment_vector *v;
   uint32_t u[32];
   unsigned number;
   unsigned *live, *dead; /* compared so far */
   unsigned next[SIZE][SIZE]; /* first EXEC whose store has not been seen */
};

static void
texel(void *data, int x, int y, unsigned unit, int32_t c[4])
{
   for (unsigned i = 0; i < 4; i++)
      c[i] = pixel_value(x, y, 2, i);
}

static void
fetch(void *data, int x, int y, int32_t c[4])
{
   for (unsigned i = 0; i < 4; i++)
      c[i] = pixel_value(x, y, 1, i);
}

static void
store(void *data, int x, int y, bool live, const int32_t c[4])
{
   struct comparison *cmp = data;
   struct stored stored[MAX_EXECS] = {{0}};
   reference(cmp->v, cmp->u, x, y, stored);
   unsigned e = cmp->next[y][x];
   while (e < cmp->v->num_execs && !stored[e].done)
      e++;
   assert_in_range(e, 0, cmp->v->num_execs - 1);
   cmp->next[y][x] = e + 1;
   ++*(live ? cmp->live : cmp->dead);
   uint32_t raw[2] = {sim_fx10_pair(c[0], c[1]), sim_fx10_pair(c[2], c[3])};
   if (live != stored[e].live || (live && (raw[0] != stored[e].raw[0] || raw[1] != stored[e].raw[1])))
      fail_msg("program %u, EXEC %u, pixel (%d, %d): %s 0x%05x 0x%05x, reference %s 0x%05x 0x%05x", cmp->number, e, x, y,
               live ? "live" : "killed", raw[0], raw[1], stored[e].live ? "live" : "killed", stored[e].raw[0], stored[e].raw[1]);
}

/* Every second program has units that work on their own beside a sum (A95). */
static void
run_programs(bool part_sums, unsigned *live, unsigned *dead)
{
   harness_part_sums = part_sums;
   struct harness *h = harness_create(SIZE, SIZE);
   h->texel = texel;
   h->fetch = fetch;
   h->store = store;
   for (unsigned i = part_sums; i < 3000; i += 2) {
      struct fragment_vector v;
      struct comparison cmp = {.v = &v, .number = i, .live = live, .dead = dead};
      seed = i * 7 + 1;
      random_program(&v);
      harness_program(h, &v);
      for (unsigned k = 0; k < 6; k++) {
         cmp.u[k] = rnd(2) ? sim_fx10_pair((int32_t)rnd(600) - 300, (int32_t)rnd(600) - 300)
                           : (26 + rnd(9)) << 13 | rnd(8192) | rnd(2) << 19;
         harness_uniform(h, k, cmp.u[k]);
      }
      h->data = &cmp;
      /* A few pixels in strips of their own: full, partial, and more than one block. */
      h->gr3d->regs.value[0x350] = (i & 7) << 16 | ((i & 7) + 1 + rnd(i % 16 ? 2 : 16));
      h->gr3d->regs.value[0x351] = (i >> 3 & 7) << 16 | ((i >> 3 & 7) + 1 + rnd(2));
      harness_draw(h);
   }
   harness_part_sums = false;
}

TEST(random_programs)
{
   unsigned live = 0, dead = 0;

   run_programs(false, &live, &dead);
   run_programs(true, &live, &dead);
   assert_in_range(live, 10000, ~0u);
   assert_in_range(dead, 100, ~0u);
}
