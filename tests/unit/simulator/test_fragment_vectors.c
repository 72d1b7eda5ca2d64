/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * tests/vectors/fragment-vectors.json against the model: roundings, expected pixels of all programs, and the
 * Porter-Duff programs on random inputs.
 */

#include <math.h>

#include "unit.h"
#include "fragment_harness.h"

#include "fragment_vectors.h"

/* The words of the public programs.  Tegra30 takes them as they are; on Tegra114 the schedule has another layout. */
static void
load_program(struct harness *h, const struct fragment_vector *v)
{
   static struct fragment_vector repacked;
   const struct tegra20_sched_layout *from = &tegra20_chips[TEGRA20_CHIP_TEGRA20].alu_sched, *to = &h->gr3d->chip->alu_sched;

   repacked = *v;
   for (unsigned e = 0; e < v->num_execs; e++)
      repacked.alu_sched[e] = tegra20_sched_pack(to, tegra20_sched_first(from, v->alu_sched[e]),
                                                 tegra20_sched_count(from, v->alu_sched[e]));
   if (h->gr3d->chip->id == TEGRA20_CHIP_TEGRA30)
      assert_memory_equal(repacked.alu_sched, v->alu_sched, v->num_execs * sizeof(uint32_t));
   harness_program(h, &repacked);
}

static void
roundings(void **state)
{
   for (unsigned i = 0; i < COUNT(write_rounding); i++)
      assert_int_equal(sim_fx10_from_double(write_rounding[i].value), write_rounding[i].code);
   for (unsigned i = 0; i < COUNT(fx10_to_unorm8_store); i++)
      assert_int_equal(sim_fx10_to_unorm8(fx10_to_unorm8_store[i].fx10), fx10_to_unorm8_store[i].byte);
   for (unsigned i = 0; i < COUNT(unorm8_to_fx10_load); i++)
      assert_int_equal(sim_fx10_from_unorm8((uint8_t)unorm8_to_fx10_load[i].byte), unorm8_to_fx10_load[i].fx10);
}

/* --- expected pixels ---------------------------------------------------------------------------------------------- */

struct result {
   const struct expected_case *c;
   bool stored;
   uint32_t word;
};

static void
case_texel(void *data, int x, int y, unsigned unit, int32_t c[4])
{
   const struct result *r = data;
   /* Sampler 11 of the colour key program is the only one besides 0 and 1. */
   for (unsigned i = 0; i < 4; i++)
      c[i] = unit == 1 ? r->c->texel1[i] : r->c->texel0[i];
}

static void
case_fetch(void *data, int x, int y, int32_t c[4])
{
   const struct result *r = data;
   for (unsigned i = 0; i < 4; i++)
      c[i] = r->c->dst[i];
}

static void
case_store(void *data, int x, int y, bool live, const int32_t c[4])
{
   struct result *r = data;
   if (x || y)
      return;
   r->stored = live;
   r->word = 0;
   for (unsigned i = 0; i < 4; i++)
      r->word |= (uint32_t)sim_fx10_to_unorm8(c[i]) << (8 * i);
}

static void
expected_pixels(void **state)
{
   const struct fragment_vector *v = *state;
   for (const struct expected_case *c = v->cases; c->kind != END; c++) {
      struct harness *h = harness_create(2, 2);
      struct result r = {.c = c};
      h->data = &r;
      h->texel = case_texel;
      h->fetch = case_fetch;
      h->store = case_store;
      load_program(h, v);
      for (unsigned i = 0; i < 32; i++)
         harness_uniform(h, i, c->uniforms[i]);
      for (unsigned i = 0; i < 4; i++) {
         harness_tram(h, 0, i, sim_fp20_from_double(c->interpolated[i]));
         harness_tram(h, 1, i, sim_fp20_from_double(c->interpolated[i]));
      }
      if (v->linker_rows == 2) {
         /* texture_times_fx10_varying_src_over: colour in row 0, coordinates in row 1 */
         harness_tram(h, 0, 0, sim_fx10_pair(c->colour[0], c->colour[1]));
         harness_tram(h, 0, 1, sim_fx10_pair(c->colour[2], c->colour[3]));
      }
      harness_draw(h);
      if (r.stored == c->killed || (c->has_word && !c->killed && r.word != c->word))
         fail_msg("%s case %d: expected %s 0x%08x, got %s 0x%08x", v->name, (int)(c - v->cases),
                  c->killed ? "killed" : "stored", c->word, r.stored ? "stored" : "killed", r.word);
      struct sim_stats stats;
      sim_get_stats(h->sim, &stats);
      assert_int_equal(h->gr3d->fragment->program->clocks, v->clocks);
      assert_int_equal(h->gr3d->fragment->program->kills, v->discards);
   }
}

/* --- Porter-Duff -------------------------------------------------------------------------------------------------- */

#define PD_SIZE 16 /* pixels per side and draw; every pixel has its own texels and destination */
#define PD_DRAWS 120

/* fragment-pipeline.md 0.3: within 1.3 fx10 steps for 300 random inputs.  Here the bound holds for 30,000. */
#define PD_TOLERANCE 1.3

/* What is special about a program. */
struct pd_special {
   const char *name;
   double tolerance; /* 0: PD_TOLERANCE */
   bool component_alpha; /* the mask's components are alphas though no uniform says so */
   bool destination_in;  /* DST with a mask is "destination in mask" */
   bool clipped_kill;    /* see clipped_kill() */
   unsigned clipped_unit;
};

static const struct pd_special pd_specials[] = {
   /* Unlike its relatives it writes both 1 - sa * m and its product with d to fx10 halves: at most d / 2 from the first rounding,
    * 1/2 from the second and 1/2 from the last, and 2^-14 of the fp20 product. */
   {"pd_atop_solid_src", .tolerance = 1.5 + 256 * 0x1p-14},
   {"pd_dst_solid_mask", .destination_in = true},
   {"pd_over_solid_black_src_pad_mask_dst_opaque", .component_alpha = true},
   {"pd_over_solid_black_src_clipped_mask_dst_opaque", .component_alpha = true, .clipped_kill = true, .clipped_unit = 1},
   {"pd_over_solid_black_src_clipped_aaaa_mask_dst_opaque", .clipped_kill = true, .clipped_unit = 1},
   {"pd_over_opaque_clipped_src_solid_mask", .clipped_kill = true},
};

static struct pd_special
special_of(const char *name)
{
   for (unsigned i = 0; i < COUNT(pd_specials); i++) {
      if (!strcmp(pd_specials[i].name, name))
         return pd_specials[i];
   }
   return (struct pd_special){name};
}

struct pd {
   const struct fragment_vector *v;
   struct pd_special special;
   double source[4], mask[4]; /* of solid variants */
   bool solid_source, solid_mask, no_mask, opaque_source;
   bool mask_has_alpha, component_alpha, source_has_alpha, dst_has_alpha;
   bool force_opaque_dst;
   int32_t texel[2][PD_SIZE * PD_SIZE][4], dst[PD_SIZE * PD_SIZE][4];
   unsigned compared, killed, wrong_kills; /* inputs */
   double worst;                           /* steps */
};

static uint32_t
next_random(uint32_t *seed)
{
   *seed = *seed * 1664525u + 1013904223u;
   return *seed >> 8;
}

/* A premultiplied colour: components at most alpha. */
static void
random_colour(uint32_t *seed, int32_t c[4])
{
   c[3] = (int32_t)(next_random(seed) % 257);
   if (next_random(seed) % 8 == 0)
      c[3] = next_random(seed) & 1 ? 256 : 0;
   for (unsigned i = 0; i < 3; i++)
      c[i] = c[3] ? (int32_t)(next_random(seed) % (unsigned)(c[3] + 1)) : 0;
}

static void
pd_texel(void *data, int x, int y, unsigned unit, int32_t c[4])
{
   struct pd *pd = data;
   memcpy(c, pd->texel[unit & 1][(y & (PD_SIZE - 1)) * PD_SIZE + (x & (PD_SIZE - 1))], 4 * sizeof(*c));
}

static void
pd_fetch(void *data, int x, int y, int32_t c[4])
{
   struct pd *pd = data;
   memcpy(c, pd->dst[(y & (PD_SIZE - 1)) * PD_SIZE + (x & (PD_SIZE - 1))], 4 * sizeof(*c));
}

static double
factor_value(const char *text, double sa, double da)
{
   if (!strcmp(text, "0"))
      return 0;
   if (!strcmp(text, "1"))
      return 1;
   if (!strcmp(text, "da"))
      return da;
   if (!strcmp(text, "sa"))
      return sa;
   if (!strcmp(text, "1-da"))
      return 1 - da;
   if (!strcmp(text, "1-sa"))
      return 1 - sa;
   /* min(1,(1-da)/sa) */
   return sa > 0 ? fmin(1, (1 - da) / sa) : 1;
}

/*
 * Three clipped OVER programs test r0 and r1 against 0 and 1 as if they were still coordinates, but the lookup has
 * overwritten them with two fx10 each (fragment-pipeline.md 10.3 item 1).  Read as fp20 a pair of components 0..256 is a
 * positive number; it is above 1 = 0x3e000 when the upper component is above 248 = 0xf8, or is 248 with anything below it.
 * Such fragments are killed, the manual says 0.97 or more (248 / 256 = 0.969), and no others.
 */
static bool
clipped_kill(const int32_t texel[4])
{
   return (texel[1] << 10 | texel[0]) > 0x3e000 || (texel[3] << 10 | texel[2]) > 0x3e000;
}

static void
pd_store(void *data, int x, int y, bool live, const int32_t c[4])
{
   struct pd *pd = data;
   int at = y * PD_SIZE + x;
   double source[4], mask[4];
   const int32_t *dst = pd->dst[at];
   for (unsigned i = 0; i < 4; i++) {
      source[i] = pd->solid_source ? pd->source[i] : pd->texel[0][at][i] / 256.0;
      mask[i] = pd->solid_mask ? pd->mask[i] : pd->texel[1][at][i] / 256.0;
   }
   if (!pd->solid_source && !pd->source_has_alpha)
      source[3] = 1;
   double da = pd->dst_has_alpha ? dst[3] / 256.0 : 1;
   if (!pd->solid_mask && !pd->mask_has_alpha)
      mask[3] = 1;
   if (pd->no_mask)
      mask[0] = mask[1] = mask[2] = mask[3] = 1;
   else if (!pd->solid_mask && !pd->component_alpha)
      mask[0] = mask[1] = mask[2] = mask[3];
   /* pd_out kills when the destination alpha is 0 (fragment-pipeline.md 10.4). */
   pd->killed += !live;
   if (!live && da == 0 && !strcmp(pd->v->fa, "1-da") && !strcmp(pd->v->fb, "0"))
      return;
   if (pd->special.clipped_kill) {
      pd->wrong_kills += live == clipped_kill(pd->texel[pd->special.clipped_unit][at]);
      if (!live)
         return;
   }
   for (unsigned i = 0; i < 4; i++) {
      double s = source[i] * mask[i], sa = source[3] * mask[i], d = i == 3 ? da : dst[i] / 256.0;
      double fa = factor_value(pd->v->fa, sa, da), fb = factor_value(pd->v->fb, sa, da);
      if (pd->special.destination_in)
         fb = mask[i];
      double wanted = fmin(1, fa * s + fb * d) * 256;
      /* A killed fragment keeps the destination. */
      double got = live ? c[i] : dst[i];
      if (i == 3 && !pd->dst_has_alpha)
         continue;
      pd->worst = fmax(pd->worst, fabs(got - wanted));
   }
   pd->compared++;
}

static bool
has_half(const struct fragment_vector *v, unsigned reg, unsigned half)
{
   return v->uniform_halves >> (2 * reg + half) & 1;
}

static void
porter_duff(void **state)
{
   const struct fragment_vector *v = *state;
   struct pd *pd = calloc(1, sizeof(*pd));
   pd->v = v;
   pd->special = special_of(v->name);
   uint32_t seed = 1;
   struct harness *h = harness_create(PD_SIZE, PD_SIZE);
   h->data = pd;
   h->texel = pd_texel;
   h->fetch = pd_fetch;
   h->store = pd_store;
   load_program(h, v);
   for (unsigned i = 0; i < 4; i++)
      harness_tram(h, 0, i, sim_fp20_from_double(0.3 + 0.1 * i));
   pd->no_mask = strstr(v->name, "empty_mask");
   pd->solid_source = strstr(v->name, "solid_src") || strstr(v->name, "solid_mask_src") || strstr(v->name, "solid_black");
   pd->solid_mask = strstr(v->name, "solid_mask") != NULL;
   for (unsigned draw = 0; draw < PD_DRAWS; draw++) {
      int32_t source[4], mask[4];
      random_colour(&seed, source);
      random_colour(&seed, mask);
      for (unsigned i = 0; i < 4; i++) {
         pd->source[i] = strstr(v->name, "solid_black") ? i == 3 : source[i] / 256.0;
         pd->mask[i] = mask[i] / 256.0;
      }
      uint32_t flags = next_random(&seed);
      pd->source_has_alpha = !has_half(v, 5, 0) || (flags & 1);
      if (strstr(v->name, "over_opaque"))
         pd->source_has_alpha = false;
      pd->component_alpha = has_half(v, 6, 0) ? flags >> 1 & 1 : pd->special.component_alpha;
      pd->mask_has_alpha = has_half(v, 6, 1) ? flags >> 2 & 1 : 1;
      pd->dst_has_alpha = has_half(v, 8, 0) ? flags >> 3 & 1 : !strstr(v->name, "dst_opaque");
      uint32_t u[9] = {sim_fx10_pair(source[0], source[1]), sim_fx10_pair(source[2], source[3]),
                       sim_fx10_pair(mask[0], mask[1]), sim_fx10_pair(mask[2], mask[3])};
      u[5] = pd->source_has_alpha ? 256 : 0;
      u[6] = (pd->component_alpha ? 256 : 0) | (pd->mask_has_alpha ? 256 << 10 : 0);
      u[8] = pd->dst_has_alpha ? 256 : 0;
      if (!strcmp(v->name, "pd_src_clipped_src_solid_mask")) {
         /* u5.l: 0 when source and destination have alpha, -1 when the destination has none. */
         pd->source_has_alpha = true;
         pd->dst_has_alpha = flags >> 3 & 1;
         u[5] = pd->dst_has_alpha ? 0 : 0x300;
      }
      for (unsigned i = 0; i < 9; i++)
         harness_uniform(h, i, u[i]);
      for (unsigned i = 0; i < PD_SIZE * PD_SIZE; i++) {
         random_colour(&seed, pd->texel[0][i]);
         random_colour(&seed, pd->texel[1][i]);
         random_colour(&seed, pd->dst[i]);
      }
      harness_draw(h);
   }
   struct pd r = *pd;
   free(pd);
   assert_true(r.compared >= 10000);
   assert_int_equal(r.wrong_kills, 0);
   if (r.special.clipped_kill)
      assert_in_range(r.killed, 1, r.compared);
   if (r.worst > (r.special.tolerance ? r.special.tolerance : PD_TOLERANCE))
      fail_msg("%s: off by %.3f fx10 steps", v->name, r.worst);
}

int
main(void)
{
   static struct CMUnitTest tests[1 + 2 * COUNT(fragment_vectors)];
   unsigned n = 0;
   tests[n++] = (struct CMUnitTest){.name = "roundings", .test_func = roundings};
   for (unsigned i = 0; i < COUNT(fragment_vectors); i++)
      tests[n++] = (struct CMUnitTest){
         .name = fragment_vectors[i].name, .test_func = expected_pixels, .initial_state = (void *)&fragment_vectors[i]};
   for (unsigned i = 0; i < COUNT(fragment_vectors); i++) {
      if (fragment_vectors[i].fa[0])
         tests[n++] = (struct CMUnitTest){
            .name = fragment_vectors[i].name, .test_func = porter_duff, .initial_state = (void *)&fragment_vectors[i]};
   }
   int failed = 0;
   for (unsigned chip = 0; chip < TEGRA20_NUM_CHIPS; chip++) {
      harness_chip = &tegra20_chips[chip];
      failed += _cmocka_run_group_tests(harness_chip->name, tests, n, NULL, NULL);
   }
   return failed;
}
