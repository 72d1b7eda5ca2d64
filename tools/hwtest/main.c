/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * tegra20-hwtest: finds out how a Tegra20 behaves where no manual says it.
 */

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "report.h"

static const char usage[] =
   "usage: tegra20-hwtest [OPTION...]\n"
   "\n"
   "Runs an experiment for each row of docs/hardware-assumptions.md that a "
   "program can decide, and the public test\n"
   "programs, on the chip, and compares with the simulator.  Where the chip "
   "is different the report says which other\n"
   "choice explains it.  Attach the report to a bug.\n"
   "\n"
   "  --device NODE    the device node (default: /dev/dri/renderD128)\n"
   "  --only LIST      only these rows or experiments, separated by commas: "
   "A57,sine\n"
   "  --no-vectors     leave out the public test programs\n"
   "  --risky          also what makes the chip hang for ten seconds when it "
   "behaves as assumed\n"
   "  --timeout S      seconds that a job may take (default: 15)\n"
   "  --json FILE      the results for programs\n"
   "  --report FILE    write the report there instead of to the standard "
   "output\n"
   "  --verbose        list every experiment\n"
   "  --list           print the experiments and what cannot be decided, and "
   "do nothing else\n"
   "  --help           this text\n"
   "\n"
   "Exit status: 0 as assumed; 1 different; 2 wrong usage; 3 some "
   "experiments could not be run; 4 no Tegra20.\n";

enum {
   STATUS_SAME,
   STATUS_DIFFERENT,
   STATUS_USAGE,
   STATUS_INCOMPLETE,
   STATUS_NO_DEVICE
};

struct options {
   const char *node, *only, *json, *report;
   unsigned timeout;
   bool vectors, risky, verbose, list;
};

static bool
in_list(const char *list, const char *word)
{
   size_t length = strlen(word);
   for (const char *p = list; p;
        p = strchr(p, ',') ? strchr(p, ',') + 1 : NULL)
      if (!strncmp(p, word, length) && (p[length] == ',' || !p[length]))
         return true;
   return false;
}

static unsigned
select_experiments(const struct options *o,
                   const struct experiment **selected)
{
   const struct experiment_table tables[] = {
      vertex_experiments,  raster_experiments, fragment_experiments,
      texture_experiments, gr2d_experiments,   vector_experiments()
   };
   unsigned n = 0;
   /* What can hang the chip comes last. */
   for (unsigned risky = 0; risky < 2; risky++) {
      for (unsigned k = 0; k < sizeof(tables) / sizeof(tables[0]); k++) {
         for (unsigned i = 0; i < tables[k].count; i++) {
            const struct experiment *e = &tables[k].experiments[i];
            bool named = o->only && (in_list(o->only, e->id) ||
                                     in_list(o->only, e->name));
            if (e->risky != risky || (o->only && !named) ||
                (risky && !o->risky && !named && !o->list) ||
                (!o->vectors && !strcmp(e->id, "vector")))
               continue;
            selected[n++] = e;
         }
      }
   }
   return n;
}

static void
note_difference(struct finding *f, const struct result *expected,
                const struct result *device)
{
   f->bytes = results_differ(expected, device);
   if (!f->bytes)
      return;
   f->device = malloc(sizeof(*f->device));
   if (f->device)
      memcpy(f->device, device, sizeof(*device));
   for (uint32_t i = 0; i < TEST_MEMORY; i += 4) {
      if (memcmp(expected->memory + i, device->memory + i, 4)) {
         f->first_offset = i;
         memcpy(&f->expected, expected->memory + i, 4);
         memcpy(&f->got, device->memory + i, 4);
         return;
      }
   }
}

/* False when the experiment is wrong in itself. */
static bool
run_experiment(const struct options *o, struct model *model,
               const struct experiment *e, struct finding *f)
{
   static struct test t;
   static struct result expected, device;
   test_3d(&t);
   e->build(&t, e->data);
   *f = (struct finding){ .experiment = e };
   if (t.broken) {
      fprintf(stderr, "tegra20-hwtest: %s: internal error\n", e->name);
      return false;
   }
   model_run(model, &t, &expected);
   device_run(o->node, &t, o->timeout, &device);
   f->outcome = device.outcome;
   if (device.outcome == OUTCOME_OK || device.outcome == OUTCOME_HANG)
      note_difference(f, &expected, &device);
   return true;
}

static void
list_experiments(const struct options *o)
{
   static const struct experiment *selected[2048];
   unsigned n = select_experiments(o, selected);
   for (unsigned i = 0; i < n; i++)
      printf("%-6s %-34s %s%s\n", selected[i]->id, selected[i]->name,
             selected[i]->what, selected[i]->risky ? " (--risky)" : "");
   printf("\nNot decidable by a program:\n");
   for (unsigned i = 0; i < num_undecided_rows; i++)
      printf("%-6s %s\n", undecided_rows[i].id, undecided_rows[i].reason);
}

static bool
write_report(const char *path, const char *device, const struct model *model,
             const struct finding *findings, unsigned count,
             const struct conclusion *conclusion, bool verbose, bool json)
{
   FILE *out = path ? fopen(path, "w") : stdout;
   if (!out) {
      fprintf(stderr, "tegra20-hwtest: cannot write %s: %s\n", path,
              strerror(errno));
      return false;
   }
   if (json)
      report_json(out, device, model, findings, count, conclusion);
   else
      report_text(out, device, model, findings, count, conclusion, verbose);
   bool failed = fflush(out) || ferror(out);
   if (path)
      failed |= fclose(out) != 0;
   if (failed)
      fprintf(stderr, "tegra20-hwtest: cannot write the report\n");
   return !failed;
}

static int
run_all(const struct options *o)
{
   static const struct experiment *selected[2048];
   char device[512];
   unsigned n = select_experiments(o, selected);
   if (!n) {
      fprintf(stderr,
              "tegra20-hwtest: no experiment is called \"%s\"; --list prints "
              "them\n",
              o->only);
      return STATUS_USAGE;
   }
   if (!device_describe(o->node, device, sizeof(device)))
      return STATUS_NO_DEVICE;
   struct model *model = model_create();
   struct finding *findings = calloc(n, sizeof(*findings));
   if (!model || !findings) {
      fprintf(stderr, "tegra20-hwtest: out of memory\n");
      return STATUS_INCOMPLETE;
   }
   bool complete = true;
   for (unsigned i = 0; i < n; i++) {
      if (o->verbose)
         fprintf(stderr, "[%u/%u] %s\n", i + 1, n, selected[i]->name);
      complete &= run_experiment(o, model, selected[i], &findings[i]);
      complete &= findings[i].outcome == OUTCOME_OK ||
                  findings[i].outcome == OUTCOME_HANG;
   }
   struct conclusion conclusion;
   conclude(model, findings, n, &conclusion);
   bool different = false;
   for (unsigned i = 0; i < n; i++)
      different |= findings[i].device != NULL;
   bool written = write_report(o->report, device, model, findings, n,
                               &conclusion, o->verbose, false);
   if (o->json)
      written &= write_report(o->json, device, model, findings, n,
                              &conclusion, o->verbose, true);
   for (unsigned i = 0; i < n; i++)
      free(findings[i].device);
   free(findings);
   model_destroy(model);
   return !complete || !written ? STATUS_INCOMPLETE
          : different           ? STATUS_DIFFERENT
                                : STATUS_SAME;
}

int
main(int argc, char **argv)
{
   enum {
      DEVICE = 256,
      ONLY,
      NO_VECTORS,
      RISKY,
      TIMEOUT,
      JSON,
      REPORT,
      VERBOSE,
      LIST
   };
   static const struct option options[] = {
      { "device", required_argument, NULL, DEVICE },
      { "only", required_argument, NULL, ONLY },
      { "no-vectors", no_argument, NULL, NO_VECTORS },
      { "risky", no_argument, NULL, RISKY },
      { "timeout", required_argument, NULL, TIMEOUT },
      { "json", required_argument, NULL, JSON },
      { "report", required_argument, NULL, REPORT },
      { "verbose", no_argument, NULL, VERBOSE },
      { "list", no_argument, NULL, LIST },
      { "help", no_argument, NULL, 'h' },
      { NULL, 0, NULL, 0 },
   };
   struct options o = { .node = "/dev/dri/renderD128",
                        .timeout = 15,
                        .vectors = true };
   int option;
   while ((option = getopt_long(argc, argv, "h", options, NULL)) != -1) {
      switch (option) {
      case DEVICE:
         o.node = optarg;
         break;
      case ONLY:
         o.only = optarg;
         break;
      case NO_VECTORS:
         o.vectors = false;
         break;
      case RISKY:
         o.risky = true;
         break;
      case TIMEOUT: {
         char *end;
         unsigned long seconds = strtoul(optarg, &end, 10);
         if (*end || seconds < 1 || seconds > 3600) {
            fprintf(stderr,
                    "tegra20-hwtest: --timeout wants seconds from 1 to 3600, "
                    "not \"%s\"\n",
                    optarg);
            return STATUS_USAGE;
         }
         o.timeout = (unsigned)seconds;
         break;
      }
      case JSON:
         o.json = optarg;
         break;
      case REPORT:
         o.report = optarg;
         break;
      case VERBOSE:
         o.verbose = true;
         break;
      case LIST:
         o.list = true;
         break;
      case 'h':
         fputs(usage, stdout);
         return STATUS_SAME;
      default:
         fputs(usage, stderr);
         return STATUS_USAGE;
      }
   }
   if (optind != argc) {
      fputs(usage, stderr);
      return STATUS_USAGE;
   }
   if (o.list) {
      list_experiments(&o);
      return STATUS_SAME;
   }
   return run_all(&o);
}
