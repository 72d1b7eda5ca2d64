/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * From results to statements.  One other value of one switch that gives the
 * device's memory in every experiment is the answer.  Where there is none,
 * values of several switches are collected that hold together: always the one
 * that explains most of what is not explained yet, two at once where one does
 * not help, and at the end what contradicts the experiments that came out as
 * assumed is exchanged.
 */

#include "report.h"

#include <stdlib.h>
#include <string.h>

/* --- one experiment --- */

/* The default model, which nobody sets, says what came out where the finding
 * is as assumed. */
bool
finding_fits(struct model *model, const struct finding *f)
{
   static struct test t;
   static struct result expected;
   static struct model *plain;

   if (!f->device && f->outcome != OUTCOME_OK && f->outcome != OUTCOME_HANG)
      return true; /* did not run: says nothing */
   test_3d(&t);
   f->experiment->build(&t, f->experiment->data);
   if (f->device)
      return model_explains(model, &t, f->device);
   if (!plain)
      plain = model_create(test_chip());
   if (!plain)
      return false;
   if (model_weights(model)->range)
      model_set_weights(plain, model_weights(model));
   model_run(plain, &t, &expected);
   return model_explains(model, &t, &expected);
}

static bool
explains_all(struct model *model, const struct finding *findings,
             unsigned count)
{
   /* Those that differ first: few alternatives pass them. */
   for (unsigned pass = 0; pass < 2; pass++)
      for (unsigned i = 0; i < count; i++)
         if ((findings[i].device != NULL) == (pass == 0) &&
             !finding_fits(model, &findings[i]))
            return false;
   return true;
}

/* --- several switches --- */

#define MAX_CHOSEN 16

struct search {
   struct model *model;
   const struct finding *findings;
   unsigned count;
   unsigned *candidates, num_candidates; /* alternatives worth trying */
   unsigned chosen[MAX_CHOSEN], num_chosen;
};

static bool
same_row(const struct search *s, unsigned a, unsigned b)
{
   return !strcmp(model_alternative(s->model, a).id,
                  model_alternative(s->model, b).id);
}

static void
add(struct search *s, unsigned alternative)
{
   for (unsigned i = 0; i < s->num_chosen; i++) {
      if (same_row(s, s->chosen[i], alternative)) {
         s->chosen[i] = alternative;
         model_set(s->model, alternative, true);
         return;
      }
   }
   if (s->num_chosen == MAX_CHOSEN)
      return;
   s->chosen[s->num_chosen++] = alternative;
   model_set(s->model, alternative, true);
}

static void
set_chosen(struct search *s, const unsigned *chosen, unsigned num)
{
   for (unsigned i = 0; i < s->num_chosen; i++)
      model_set(s->model, s->chosen[i], false);
   s->num_chosen = 0;
   for (unsigned i = 0; i < num; i++)
      add(s, chosen[i]);
}

/* How many findings that differ (or that do not) the model explains. */
static unsigned
score(const struct search *s, bool different)
{
   unsigned n = 0;
   for (unsigned i = 0; i < s->count; i++)
      if ((s->findings[i].device != NULL) == different)
         n += finding_fits(s->model, &s->findings[i]);
   return n;
}

/* An alternative can matter when it alone changes what the model makes of an
 * experiment that differs.  Those of rows whose own experiment differs come
 * first. */
static void
find_candidates(struct search *s)
{
   unsigned alternatives = model_num_alternatives(s->model);
   for (unsigned pass = 0; pass < 2; pass++) {
      for (unsigned a = 0; a < alternatives; a++) {
         bool own = false, matters = false;
         struct finding as_assumed;
         for (unsigned i = 0; i < s->count; i++) {
            if (!s->findings[i].device)
               continue;
            own |= !strcmp(model_alternative(s->model, a).id,
                           s->findings[i].experiment->id);
         }
         if (own != (pass == 0))
            continue;
         model_set(s->model, a, true);
         for (unsigned i = 0; i < s->count && !matters; i++) {
            as_assumed = s->findings[i];
            as_assumed.device = NULL;
            as_assumed.outcome = OUTCOME_OK;
            matters =
               s->findings[i].device && !finding_fits(s->model, &as_assumed);
         }
         model_set(s->model, a, false);
         if (matters)
            s->candidates[s->num_candidates++] = a;
      }
   }
}

/* Adds what raises the score most; second: together with another one.  False
 * when nothing does. */
static bool
improve(struct search *s, unsigned *reached, bool two)
{
   unsigned before[MAX_CHOSEN], num_before = s->num_chosen;
   unsigned best[2] = { 0, 0 }, best_score = *reached;

   memcpy(before, s->chosen, sizeof(before));
   for (unsigned i = 0; i < s->num_candidates; i++) {
      for (unsigned j = two ? i + 1 : i;
           j < (two ? s->num_candidates : i + 1); j++) {
         add(s, s->candidates[i]);
         add(s, s->candidates[j]);
         unsigned now = score(s, true);
         if (now > best_score) {
            best_score = now;
            best[0] = s->candidates[i];
            best[1] = s->candidates[j];
         }
         set_chosen(s, before, num_before);
      }
   }
   if (best_score == *reached)
      return false;
   *reached = best_score;
   add(s, best[0]);
   add(s, best[1]);
   return true;
}

/* Leaves out what is not needed. */
static void
prune(struct search *s, unsigned reached)
{
   for (unsigned i = 0; i < s->num_chosen; i++) {
      unsigned before[MAX_CHOSEN], num = s->num_chosen, left = 0;
      unsigned without[MAX_CHOSEN];

      memcpy(before, s->chosen, sizeof(before));
      for (unsigned k = 0; k < num; k++)
         if (k != i)
            without[left++] = before[k];
      set_chosen(s, without, left);
      if (score(s, true) == reached)
         i--;
      else
         set_chosen(s, before, num);
   }
}

/* Exchanges one choice for another one that explains as much and contradicts
 * less of what is as assumed. */
static bool
exchange(struct search *s, unsigned reached, unsigned *quiet)
{
   unsigned before[MAX_CHOSEN], num = s->num_chosen;

   memcpy(before, s->chosen, sizeof(before));
   for (unsigned i = 0; i < num; i++) {
      for (unsigned c = 0; c < s->num_candidates; c++) {
         unsigned other[MAX_CHOSEN];
         if (s->candidates[c] == before[i])
            continue;
         memcpy(other, before, sizeof(other));
         other[i] = s->candidates[c];
         set_chosen(s, other, num);
         if (score(s, true) >= reached && score(s, false) > *quiet) {
            *quiet = score(s, false);
            return true;
         }
         set_chosen(s, before, num);
      }
   }
   return false;
}

/* One difference can undo another one: adds a value of the row whose
 * experiment is as assumed and contradicted, when that contradicts less. */
static bool
complete(struct search *s, unsigned reached, unsigned *quiet)
{
   unsigned before[MAX_CHOSEN], num = s->num_chosen;

   memcpy(before, s->chosen, sizeof(before));
   for (unsigned i = 0; i < s->count && num < MAX_CHOSEN; i++) {
      const struct finding *f = &s->findings[i];

      if (f->device || finding_fits(s->model, f))
         continue;
      for (unsigned a = 0; a < model_num_alternatives(s->model); a++) {
         if (strcmp(model_alternative(s->model, a).id, f->experiment->id))
            continue;
         add(s, a);
         if (score(s, true) >= reached && score(s, false) > *quiet) {
            *quiet = score(s, false);
            return true;
         }
         set_chosen(s, before, num);
      }
   }
   return false;
}

static void
search_together(struct search *s)
{
   unsigned different = 0, same = 0, reached, quiet;

   for (unsigned i = 0; i < s->count; i++) {
      different += s->findings[i].device != NULL;
      same += s->findings[i].device == NULL;
   }
   find_candidates(s);
   reached = score(s, true);
   while (reached < different && s->num_chosen + 2 <= MAX_CHOSEN &&
          (improve(s, &reached, false) || improve(s, &reached, true)))
      ;
   prune(s, reached);
   quiet = score(s, false);
   while (quiet < same &&
          (exchange(s, reached, &quiet) || complete(s, reached, &quiet)))
      ;
}

/* --- entry --- */

void
conclusion_set(struct model *model, const struct conclusion *conclusion,
               bool on)
{
   for (unsigned i = 0; i < conclusion_taken(conclusion); i++)
      model_set(model, conclusion->alternatives[i], on);
}

static void
explain_singly(struct model *model, const struct finding *findings,
               unsigned count, struct conclusion *conclusion)
{
   for (unsigned a = 0; a < model_num_alternatives(model); a++) {
      model_set(model, a, true);
      if (conclusion->count < MAX_EXPLANATIONS &&
          explains_all(model, findings, count))
         conclusion->alternatives[conclusion->count++] = a;
      model_set(model, a, false);
   }
   conclusion->single = conclusion->count > 0;
}

void
conclude(struct model *model, struct finding *findings, unsigned count,
         struct conclusion *conclusion)
{
   struct search s = { .model = model, .findings = findings, .count = count };
   unsigned different = 0;

   *conclusion = (struct conclusion){ 0 };
   for (unsigned i = 0; i < count; i++)
      different += findings[i].device != NULL;
   if (!different)
      return;
   const bool nothing = explains_all(model, findings, count);
   if (!nothing)
      explain_singly(model, findings, count, conclusion);
   for (unsigned i = 0; i < count; i++)
      findings[i].explained =
         findings[i].device && (nothing || conclusion->single);
   if (nothing || conclusion->single)
      return;
   s.candidates =
      calloc(model_num_alternatives(model), sizeof(*s.candidates));
   if (!s.candidates)
      return;
   search_together(&s);
   for (unsigned i = 0; i < s.num_chosen; i++)
      conclusion->alternatives[conclusion->count++] = s.chosen[i];
   for (unsigned i = 0; i < count; i++) {
      findings[i].explained =
         findings[i].device && finding_fits(model, &findings[i]);
      conclusion->unexplained += findings[i].device && !findings[i].explained;
   }
   set_chosen(&s, NULL, 0);
   free(s.candidates);
}
