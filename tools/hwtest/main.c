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

#include "about.h"
#include "calibrate.h"
#include "parse.h"
#include "report.h"

static const char usage[] =
   "usage: tegra20-hwtest [OPTION...]\n"
   "\n"
   "Runs an experiment for each row of docs/hardware-assumptions.md that a "
   "program can decide, and the public test\n"
   "programs, on the chip, and compares with the simulator.  Where the chip "
   "is different the report says which other\n"
   "choice explains it.\n"
   "\n"
   "  --device NODE    the device node (default: /dev/dri/renderD128)\n"
   "  --only LIST      only these rows or experiments, separated by commas: "
   "A57,sine\n"
   "  --no-vectors     leave out the public test programs\n"
   "  --risky          also what makes the chip hang for ten seconds when it "
   "behaves as assumed\n"
   "  --timeout S      seconds that a job may take (default: 15)\n"
   "  --calibrate      write what was found to a profile that the driver "
   "reads, and a report with pictures next to it;\n"
   "                   what hangs the machine is left out when the command "
   "is given again\n"
   "  --profile FILE   write the profile there (default: "
   "/etc/tegra20/hardware-profile for root, otherwise\n"
   "                   ~/.config/tegra20/hardware-profile)\n"
   "  --soak N         with --calibrate: how often overlapping draws are "
   "compared in both orders before draws need\n"
   "                   not wait for each other (default: 1000; 0: they "
   "wait)\n"
   "  --chip-of LIST   instead of a device a simulated chip with these "
   "switches, as A57=16,A26=radius\n"
   "  --chip CHIP      which one: tegra20 (default), tegra30, tegra114; a "
   "device says it itself\n"
   "  --json FILE      the results for programs\n"
   "  --report FILE    write the report there instead of to the standard "
   "output\n"
   "  --verbose        list every experiment\n"
   "  --list           print the experiments and what cannot be decided, and "
   "do nothing else\n"
   "  --version        print version, commit and where reports go\n"
   "  --help           this text\n"
   "\n"
   "Exit status: 0 as assumed; 1 different; 2 wrong usage; 3 some "
   "experiments could not be run; 4 no such chip.\n";

enum {
   STATUS_SAME,
   STATUS_DIFFERENT,
   STATUS_USAGE,
   STATUS_INCOMPLETE,
   STATUS_NO_DEVICE
};

struct options {
   const char *node, *only, *json, *report, *profile, *chip_of;
   const struct tegra20_chip_info *chip; /* with chip_of */
   unsigned timeout, soak;
   bool vectors, risky, verbose, list, calibrate;
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
   /* Programs that have run on a chip come first. */
   const struct experiment_table tables[] = {
      vector_experiments(), vertex_experiments,  raster_experiments,
      fragment_experiments, texture_experiments, gr2d_experiments,
      vernier_experiments
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

/* False when the experiment is wrong in itself.  chip: another model instead
 * of the device, or NULL. */
static bool
run_experiment(const struct options *o, struct model *model,
               struct model *chip, const struct experiment *e,
               struct finding *f)
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
   if (chip)
      model_run(chip, &t, &device);
   else
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

/* How often the soak tests left what the chip's own model says: o->soak
 * times, or 0 when they once did not.  Draws wait for each other then. */
static unsigned
soak(const struct options *o, struct model *model, struct model *chip,
     const struct conclusion *conclusion, struct calibration *c)
{
   unsigned done = 0;
   bool same = true;

   conclusion_set(model, conclusion, true);
   for (; same && done < o->soak; done++) {
      for (unsigned k = 0; same && k < 2; k++) {
         struct finding f;

         calibration_trying(c, soak_tests[k].name);
         same = run_experiment(o, model, chip, &soak_tests[k], &f) &&
                f.outcome == OUTCOME_OK &&
                (!f.device || finding_fits(model, &f));
         calibration_done(c, soak_tests[k].name, false);
         free(f.device);
      }
   }
   conclusion_set(model, conclusion, false);
   if (!same)
      printf("\nDraws of one job that overlap differ from draws that wait "
             "(run %u of %u): they wait.\n",
             done, o->soak);
   return same ? done : 0;
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
   const struct tegra20_chip_info *info = tegra20_chip_or_default(o->chip);
   struct model *chip = o->chip_of ? model_create_as(info, o->chip_of) : NULL;
   if (o->chip_of && !chip) {
      fprintf(stderr,
              "tegra20-hwtest: --chip-of: unknown row or value in \"%s\"\n",
              o->chip_of);
      return STATUS_USAGE;
   }
   if (chip)
      snprintf(device, sizeof(device), "simulated %s, %s", info->name,
               o->chip_of);
   else if (!device_describe(o->node, device, sizeof(device), &info)) {
      fprintf(stderr,
              "tegra20-hwtest: no chip at %s; \"tegra20-run -- "
              "tegra20-hwtest\" asks the simulated one\n",
              o->node);
      return STATUS_NO_DEVICE;
   }
   test_set_chip(info);
   struct calibration calibration;
   if (o->calibrate && !calibration_begin(&calibration, o->profile))
      return STATUS_USAGE;
   struct model *model = model_create(info);
   struct finding *findings = calloc(n, sizeof(*findings));
   if (!model || !findings) {
      fprintf(stderr, "tegra20-hwtest: out of memory\n");
      return STATUS_INCOMPLETE;
   }
   if (o->calibrate)
      calibration_name_run(&calibration, device);
   bool complete = true;
   unsigned kept = 0; /* of a run that was interrupted */
   for (unsigned i = 0; i < n; i++) {
      if (o->verbose)
         fprintf(stderr, "[%u/%u] %s\n", i + 1, n, selected[i]->name);
      const char *name = selected[i]->name;
      if (o->calibrate && calibration_was_fatal(&calibration, name)) {
         fprintf(stderr,
                 "tegra20-hwtest: %s is left out: the last time it "
                 "did not come back\n",
                 name);
         findings[i] = (struct finding){ .experiment = selected[i],
                                         .outcome = OUTCOME_LOST };
         continue;
      }
      if (o->calibrate && calibration_was_same(&calibration, device, name)) {
         findings[i] = (struct finding){ .experiment = selected[i] };
         kept++;
         continue;
      }
      if (o->calibrate)
         calibration_trying(&calibration, name);
      complete &= run_experiment(o, model, chip, selected[i], &findings[i]);
      if (o->calibrate)
         calibration_done(&calibration, name,
                          findings[i].outcome == OUTCOME_OK &&
                             !findings[i].device);
      complete &= findings[i].outcome == OUTCOME_OK ||
                  findings[i].outcome == OUTCOME_HANG;
   }
   if (kept)
      printf("Going on: %u experiments came out as assumed before.\n", kept);
   struct conclusion conclusion, none = { .count = 0 };
   conclude(model, findings, n, &conclusion);
   /* Unknown weights can hide the rest, and the rest change the weights. */
   for (unsigned i = 0; i < 3; i++)
      if (vernier_set_weights(model, findings, n, i ? &conclusion : &none))
         conclude(model, findings, n, &conclusion);
   bool different = false;
   for (unsigned i = 0; i < n; i++)
      different |= findings[i].device != NULL;
   bool written = write_report(o->report, device, model, findings, n,
                               &conclusion, o->verbose, false);
   if (o->json)
      written &= write_report(o->json, device, model, findings, n,
                              &conclusion, o->verbose, true);
   if (o->calibrate)
      written &= calibration_write(
         &calibration, device, model, findings, n, &conclusion,
         soak(o, model, chip, &conclusion, &calibration));
   for (unsigned i = 0; i < n; i++)
      free(findings[i].device);
   free(findings);
   model_destroy(model);
   model_destroy(chip);
   return !complete || !written ? STATUS_INCOMPLETE
          : different           ? STATUS_DIFFERENT
                                : STATUS_SAME;
}

/* The argument of an option; false after a message. */
static bool
get_number(const char *option, const char *what, unsigned least,
           unsigned most, unsigned *number)
{
   if (sim_parse_number(optarg, most, number) && *number >= least)
      return true;
   fprintf(stderr,
           "tegra20-hwtest: --%s wants %s from %u to %u, not \"%s\"\n",
           option, what, least, most, optarg);
   return false;
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
      LIST,
      CALIBRATE,
      PROFILE,
      SOAK,
      CHIP_OF,
      CHIP,
      VERSION
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
      { "calibrate", no_argument, NULL, CALIBRATE },
      { "chip-of", required_argument, NULL, CHIP_OF },
      { "chip", required_argument, NULL, CHIP },
      { "profile", required_argument, NULL, PROFILE },
      { "soak", required_argument, NULL, SOAK },
      { "version", no_argument, NULL, VERSION },
      { "help", no_argument, NULL, 'h' },
      { NULL, 0, NULL, 0 },
   };
   struct options o = { .node = "/dev/dri/renderD128",
                        .timeout = 15,
                        .soak = 1000,
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
      case TIMEOUT:
         if (!get_number("timeout", "seconds", 1, 3600, &o.timeout))
            return STATUS_USAGE;
         break;
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
      case CALIBRATE:
         o.calibrate = true;
         break;
      case CHIP:
         o.chip = tegra20_chip_by_name(optarg);
         if (!o.chip) {
            fprintf(stderr,
                    "tegra20-hwtest: unknown chip \"%s\" (tegra20, tegra30, "
                    "tegra114)\n",
                    optarg);
            return STATUS_USAGE;
         }
         break;
      case CHIP_OF:
         o.chip_of = optarg;
         break;
      case SOAK:
         if (!get_number("soak", "a number", 0, 1000000, &o.soak))
            return STATUS_USAGE;
         break;
      case PROFILE:
         o.profile = optarg;
         break;
      case VERSION:
         about_print_version("tegra20-hwtest");
         return STATUS_SAME;
      case 'h':
         fputs(usage, stdout);
         return STATUS_SAME;
      default:
         fprintf(stderr, "Try 'tegra20-hwtest --help'.\n");
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
