/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * From results to statements.  One other value of one switch that gives the
 * device's memory in every experiment is the answer.  Where there is none,
 * alternatives are collected one by one: for each experiment that is not
 * explained yet one that explains it together with those found before, its
 * own assumption's first.
 */

#include "report.h"

#include <stdlib.h>
#include <string.h>

static void
build(struct test *t, const struct experiment *experiment)
{
   test_3d(t);
   experiment->build(t, experiment->data);
}

/* The model, as it is set, against one finding. */
static bool
agrees(struct model *model, struct test *t, const struct finding *f)
{
   static struct result expected, got;
   unsigned bytes;
   build(t, f->experiment);
   if (f->device)
      return model_explains(model, t, f->device, &bytes);
   if (f->outcome != OUTCOME_OK && f->outcome != OUTCOME_HANG)
      return true; /* did not run: says nothing */
   /* As assumed: the device's result is that of the default model, which the
    * caller cannot set meanwhile. */
   model_run(model, t, &got);
   struct model *plain = NULL;
   static struct model *reference;
   if (!reference)
      reference = model_create();
   plain = reference;
   if (!plain)
      return false;
   model_run(plain, t, &expected);
   return results_differ(&expected, &got) == 0;
}

static bool
explains_all(struct model *model, struct test *t,
             const struct finding *findings, unsigned count)
{
   /* Those that differ first: few alternatives pass them. */
   for (unsigned pass = 0; pass < 2; pass++)
      for (unsigned i = 0; i < count; i++)
         if ((findings[i].device != NULL) == (pass == 0) &&
             !agrees(model, t, &findings[i]))
            return false;
   return true;
}

static bool
own(const struct model *model, unsigned alternative, const struct finding *f)
{
   return !strcmp(model_alternative(model, alternative).id,
                  f->experiment->id);
}

/* An alternative that explains the finding together with those that are set;
 * its number is count when there is none. */
static unsigned
find_explanation(struct model *model, struct test *t, const struct finding *f)
{
   unsigned count = model_num_alternatives(model);
   for (unsigned pass = 0; pass < 2; pass++) {
      for (unsigned a = 0; a < count; a++) {
         if (own(model, a, f) != (pass == 0))
            continue;
         model_set(model, a, true);
         if (agrees(model, t, f))
            return a;
         model_set(model, a, false);
      }
   }
   return count;
}

void
conclude(struct model *model, struct finding *findings, unsigned count,
         struct conclusion *conclusion)
{
   static struct test t;
   unsigned different = 0, alternatives = model_num_alternatives(model);
   *conclusion = (struct conclusion){ 0 };
   for (unsigned i = 0; i < count; i++)
      different += findings[i].device != NULL;
   if (!different)
      return;
   for (unsigned a = 0; a < alternatives; a++) {
      model_set(model, a, true);
      if (conclusion->count < MAX_EXPLANATIONS &&
          explains_all(model, &t, findings, count))
         conclusion->alternatives[conclusion->count++] = a;
      model_set(model, a, false);
   }
   conclusion->single = conclusion->count > 0;
   for (unsigned i = 0; i < count && conclusion->single; i++)
      findings[i].explained = findings[i].device != NULL;
   if (conclusion->single)
      return;
   for (unsigned i = 0; i < count; i++) {
      if (!findings[i].device || agrees(model, &t, &findings[i]))
         continue;
      unsigned a = find_explanation(model, &t, &findings[i]);
      if (a < alternatives && conclusion->count < MAX_EXPLANATIONS)
         conclusion->alternatives[conclusion->count++] = a;
   }
   for (unsigned i = 0; i < count; i++) {
      findings[i].explained =
         findings[i].device && agrees(model, &t, &findings[i]);
      conclusion->unexplained += findings[i].device && !findings[i].explained;
   }
   for (unsigned k = 0; k < conclusion->count; k++)
      model_set(model, conclusion->alternatives[k], false);
}

/* --- text --- */

static const char *
outcome_text(const struct finding *f)
{
   switch (f->outcome) {
   case OUTCOME_OK:
      return f->device ? "DIFFERENT" : "as assumed";
   case OUTCOME_HANG:
      return f->device ? "HANGS" : "hangs, as assumed";
   case OUTCOME_REFUSED:
      return "REFUSED";
   case OUTCOME_LOST:
      return "LOST";
   default:
      return "NO DEVICE";
   }
}

static void
print_finding(FILE *out, const struct finding *f)
{
   const struct experiment *e = f->experiment;
   fprintf(out, "  %-6s %-34s %-18s %s\n", e->id, e->name, outcome_text(f),
           e->what);
   if (f->device && f->outcome == OUTCOME_OK)
      fprintf(out,
              "         %u bytes differ, the first at 0x%05x: 0x%08x instead "
              "of 0x%08x%s\n",
              f->bytes, f->first_offset, f->got, f->expected,
              f->explained ? "" : " (not explained)");
}

static void
print_conclusion(FILE *out, const struct model *model,
                 const struct conclusion *c, unsigned different,
                 unsigned failed, unsigned count)
{
   if (failed == count) {
      fprintf(out, "No experiment could be run.\n");
      return;
   }
   if (!different) {
      fprintf(
         out,
         "The chip behaves as docs/hardware-assumptions.md assumes in %s.\n",
         failed ? "those experiments that could be run" : "all experiments");
      return;
   }
   if (c->single && c->count > 1)
      fprintf(out, "Each of these alone explains all results:\n");
   else if (c->count)
      fprintf(out, "This explains %s:\n",
              c->unexplained ? "a part of the differences" : "all results");
   for (unsigned i = 0; i < c->count; i++) {
      struct alternative a = model_alternative(model, c->alternatives[i]);
      fprintf(out, "  %s: assumed \"%s\", the chip is \"%s\"\n", a.id,
              a.assumed, a.value);
   }
   if (c->unexplained || !c->count)
      fprintf(out,
              "%u experiments differ in a way that no known alternative "
              "explains.\n",
              c->unexplained);
}

void
report_text(FILE *out, const char *device, const struct model *model,
            const struct finding *findings, unsigned count,
            const struct conclusion *conclusion, bool verbose)
{
   unsigned different = 0, as_assumed = 0, failed = 0;
   fprintf(out,
           "tegra20-hwtest: %s\n\nExperiments (rows of "
           "docs/hardware-assumptions.md):\n",
           device);
   for (unsigned i = 0; i < count; i++) {
      const struct finding *f = &findings[i];
      bool ran = f->outcome == OUTCOME_OK || f->outcome == OUTCOME_HANG;
      different += f->device != NULL;
      failed += !ran;
      as_assumed += ran && !f->device;
      if (verbose || !ran || f->device || strcmp(f->experiment->id, "vector"))
         print_finding(out, f);
   }
   fprintf(out, "\nNot decidable by a program:\n");
   for (unsigned i = 0; i < num_undecided_rows; i++)
      fprintf(out, "  %-6s %s\n", undecided_rows[i].id,
              undecided_rows[i].reason);
   fprintf(out, "\n");
   print_conclusion(out, model, conclusion, different, failed, count);
   fprintf(out,
           "\n%u experiments: %u as assumed, %u different, %u not run to the "
           "end\n",
           count, as_assumed, different, failed);
}

/* --- JSON --- */

static void
json_string(FILE *out, const char *text)
{
   fputc('"', out);
   for (; *text; text++) {
      if (*text == '"' || *text == '\\')
         fputc('\\', out);
      fputc(*text, out);
   }
   fputc('"', out);
}

void
report_json(FILE *out, const char *device, const struct model *model,
            const struct finding *findings, unsigned count,
            const struct conclusion *conclusion)
{
   fprintf(out, "{\n \"device\": ");
   json_string(out, device);
   fprintf(out, ",\n \"experiments\": [");
   for (unsigned i = 0; i < count; i++) {
      const struct finding *f = &findings[i];
      fprintf(out, "%s\n  {\"id\": \"%s\", \"name\": ", i ? "," : "",
              f->experiment->id);
      json_string(out, f->experiment->name);
      fprintf(out, ", \"outcome\": \"%s\", \"bytes\": %u, \"explained\": %s}",
              outcome_text(f), f->bytes, f->explained ? "true" : "false");
   }
   fprintf(out, "\n ],\n \"%s\": [",
           conclusion->single ? "any of" : "together");
   for (unsigned i = 0; i < conclusion->count; i++) {
      struct alternative a =
         model_alternative(model, conclusion->alternatives[i]);
      fprintf(out,
              "%s\n  {\"id\": \"%s\", \"assumed\": \"%s\", \"chip\": \"%s\"}",
              i ? "," : "", a.id, a.assumed, a.value);
   }
   fprintf(out, "\n ],\n \"unexplained\": %u\n}\n", conclusion->unexplained);
}
