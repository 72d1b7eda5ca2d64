/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Results and statements as text and as JSON.
 */

#include "report.h"

#include <string.h>

#include "about.h"
#include "tegra20_version.h"

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

void
report_weights(FILE *out, const struct model *model)
{
   const struct weights *w = model_weights(model);
   if (w->range)
      fprintf(out,
              "No value of A43 is the chip's: its weights are too large by "
              "%.3f %+.3f, give or take %.3f, in 2^-14;\n"
              "all results are compared within that.\n",
              w->error / 1024.0, w->offset / 1024.0, w->range / 1024.0);
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
   report_weights(out, model);
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
   if (c->unexplained)
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
           "tegra20-hwtest %s: %s\n\nExperiments (rows of "
           "docs/hardware-assumptions.md):\n",
           tegra20_version, device);
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
   if (different)
      fprintf(out, "Please send this report to: %s\n", about_reports);
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
   fprintf(out, "{\n \"version\": ");
   json_string(out, tegra20_version);
   fprintf(out, ",\n \"device\": ");
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
