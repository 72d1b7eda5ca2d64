/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * A fuzzer of the simulator: random and mutated command streams and programs.  Each job must end, in a completed job or
 * a hang with a diagnostic, without touching memory outside the job's buffers.
 *
 *   fuzz_sim [--seconds N] [--jobs N] [--seed S] [--first I] [--compare]
 *   fuzz_sim [--seconds N] [--jobs N] [--seed S] --recording FILE [--variants N]
 *
 * --compare runs each job twice, with one thread and with two, and with different rubbish in the working memory: what
 * is in the job's memory must be the same afterwards.
 *
 * --recording takes the jobs of a recording, each of them with N (default 20) sets of changes.
 *
 * The words of job I of seed S are always the same: a failure prints both, and --seed S --first I --jobs 1 repeats it.
 * What is in memory depends on the jobs before it: start a few thousand earlier if one job alone does not fail. Buffers
 * end (or begin) at inaccessible pages, so the plain build finds writes out of bounds; -Db_sanitize=address,undefined
 * finds the rest.
 */

#include <getopt.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "fuzz.h"
#include "sim_diag.h"

/* A job that takes longer is a failure.  Sanitizers are slow, and a busy machine is no reason to fail. */
#define JOB_CPU_SECONDS 60
#define JOB_WALL_SECONDS 900 /* for threads that wait for each other */
/* A thousandth of what a job of the kernel may take. */
#define JOB_CLOCKS 3000000

static struct fuzz fuzz;

static void
on_signal(int number)
{
   char text[160];
   bool timeout = number == SIGALRM || number == SIGPROF;
   int n = snprintf(text, sizeof(text), "\nfuzz_sim: signal %d (%s) in job %" PRIu64 " of seed %" PRIu64 "\n", number,
                    timeout ? "job takes too long" : "crash", fuzz.job, fuzz.o.seed);
   if (write(2, text, (size_t)n) < 0)
      _exit(3);
   if (timeout)
      _exit(2);
   signal(number, SIG_DFL);
   raise(number);
}

/* The sanitizers call these, when they are there. */
const char *
__asan_default_options(void);
const char *
__ubsan_default_options(void);

const char *
__asan_default_options(void)
{
   return "abort_on_error=1:detect_leaks=1:handle_segv=0:handle_abort=0";
}

const char *
__ubsan_default_options(void)
{
   return "halt_on_error=1:abort_on_error=1:print_stacktrace=1";
}

static void
on_diag(void *data, const struct sim_diag *diag)
{
   struct fuzz *f = data;
   if (!diag->text || !diag->text[0] || !strcmp(sim_diag_name(diag->number), "UNKNOWN"))
      abort();
   f->diags++;
}

static struct sim *
create_sim(unsigned variant, bool compare)
{
   struct sim_options options = {
      .strict = variant & 1,
      .threads = 1 + (variant >> 1 & 1),
      .job_clocks = JOB_CLOCKS,
      .scramble = compare ? variant >> 1 & 1 ? 0x55 : 0xff : 0,
      .diag = on_diag,
      .diag_data = &fuzz,
   };
   struct sim *sim = sim_create(&options);
   if (!sim)
      exit(1);
   return sim;
}

static double
now(void)
{
   struct timespec t;
   clock_gettime(CLOCK_MONOTONIC, &t);
   return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

bool
fuzz_goes_on(const struct fuzz *f)
{
   return f->done < f->o.jobs && now() - f->start < f->o.seconds;
}

void
fuzz_reset_switches(struct fuzz *f)
{
   const struct sim_switch_info *info;
   for (unsigned k = 0; (info = sim_switch_describe(k)); k++)
      for (unsigned i = 0; i < NUM_SIMS; i++)
         sim_set_switch(f->sims[i], info->id, info->values[0]);
}

void
fuzz_random_switch(struct fuzz *f, struct sim *const pair[2])
{
   unsigned count = 0;
   while (sim_switch_describe(count))
      count++;
   const struct sim_switch_info *info = sim_switch_describe(below(count));
   const char *value = info->values[below(info->num_values)];
   for (unsigned i = 0; i < (f->o.compare ? 2 : 1); i++)
      sim_set_switch(pair[i], info->id, value);
}

static void
time_limit(unsigned cpu_seconds, unsigned wall_seconds)
{
   struct itimerval timer = { .it_value = { .tv_sec = cpu_seconds } };
   setitimer(ITIMER_PROF, &timer, NULL);
   alarm(wall_seconds);
}

/* The same job on two simulators must leave the same memory: the number of threads changes nothing. */
static enum sim_status
run_compared(struct sim_job *job, struct sim *const pair[2], const struct sim_range *twin)
{
   const struct sim_range *ours = job->ranges;
   for (unsigned i = 0; i < job->num_ranges; i++)
      memcpy(twin[i].cpu, ours[i].cpu, ours[i].size);
   enum sim_status status = sim_execute(pair[0], job);
   job->ranges = twin;
   if (sim_execute(pair[1], job) != status) {
      fprintf(stderr, "fuzz_sim: the job ends differently with another number of threads\n");
      abort();
   }
   for (unsigned i = 0; i < job->num_ranges; i++) {
      if (memcmp(twin[i].cpu, ours[i].cpu, ours[i].size)) {
         fprintf(stderr, "fuzz_sim: memory at 0x%08x differs with another number of threads\n", ours[i].base);
         abort();
      }
   }
   return status;
}

void
fuzz_run(struct fuzz *f, struct sim_job *job, struct sim *const pair[2], const struct sim_range *twin)
{
   time_limit(JOB_CPU_SECONDS, JOB_WALL_SECONDS);
   f->hangs += (f->o.compare ? run_compared(job, pair, twin) : sim_execute(pair[0], job)) == SIM_HANG;
   time_limit(0, 0);
   f->done++;
}

/* The words as a job, cut in two by a wait now and then. */
static void
run_generated(struct fuzz *f, struct sim *const pair[2], const struct sim_range *twin)
{
   unsigned cut = chance(10) ? below(num_words + 1) : num_words;
   struct sim_cmd cmds[3] = {
      { .type = SIM_CMD_GATHER, .gather = { words, cut } },
      { .type = SIM_CMD_WAIT, .wait = { chance(95) ? 1 : below(40), chance(80) ? sim_syncpt_read(pair[0], 1) : rnd() } },
      { .type = SIM_CMD_GATHER, .gather = { words + cut, num_words - cut } },
   };
   struct sim_job job = {
      .class_id = chance(90) ? 0x60 : 0x51,
      .ranges = ranges,
      .num_ranges = chance(95) ? NUM_RANGES : below(NUM_RANGES + 1),
      .cmds = cmds,
      .num_cmds = cut < num_words ? 3 : 1,
   };
   fuzz_run(f, &job, pair, twin);
}

static void
generated_jobs(struct fuzz *f)
{
   static struct sim_range twin[NUM_RANGES];
   create_memory(ranges);
   create_memory(twin);
   for (f->job = f->o.first; fuzz_goes_on(f); f->job++) {
      if (f->job % 4096 == 0 || f->done == 0) {
         rng_start(f->o.seed, f->job + (1ull << 63));
         vertex_memory();
      }
      if (f->job % 256 == 0)
         fuzz_reset_switches(f);
      rng_start(f->o.seed, f->job);
      unsigned strict = below(2);
      struct sim *pair[2] = { f->sims[strict], f->sims[strict + 2] };
      if (!f->o.compare)
         pair[0] = f->sims[below(NUM_SIMS)];
      if (chance(2))
         fuzz_random_switch(f, pair);
      generate();
      run_generated(f, pair, twin);
   }
}

static bool
read_options(struct options *o, int argc, char **argv)
{
   static const struct option options[] = {
      { "seconds", 1, NULL, 't' }, { "seed", 1, NULL, 's' },    { "first", 1, NULL, 'f' },     { "jobs", 1, NULL, 'j' },
      { "compare", 0, NULL, 'c' }, { "recording", 1, NULL, 'r' }, { "variants", 1, NULL, 'v' }, { 0 },
   };
   *o = (struct options){ .seconds = 60, .seed = 1, .jobs = UINT64_MAX, .variants = 20 };
   for (int c; (c = getopt_long(argc, argv, "", options, NULL)) != -1;) {
      switch (c) {
      case 't': o->seconds = atof(optarg); break;
      case 's': o->seed = strtoull(optarg, NULL, 0); break;
      case 'f': o->first = strtoull(optarg, NULL, 0); break;
      case 'j': o->jobs = strtoull(optarg, NULL, 0); break;
      case 'c': o->compare = true; break;
      case 'r': o->recording = optarg; break;
      case 'v': o->variants = strtoul(optarg, NULL, 0); break;
      default: return false;
      }
   }
   return optind == argc && !(o->recording && (o->compare || o->first));
}

static void
print_totals(const struct fuzz *f)
{
   struct sim_stats stats, sum = { 0 };
   for (unsigned i = 0; i < NUM_SIMS; i++) {
      sim_get_stats(f->sims[i], &stats);
      sum.draws += stats.draws;
      sum.fragments += stats.fragments;
      sum.fills += stats.fills;
      sum.blits += stats.blits;
      sum.vertices += stats.vertices;
   }
   printf("fuzz_sim: seed %" PRIu64 ": %" PRIu64 " jobs, %" PRIu64 " hangs, %" PRIu64 " draws, %" PRIu64
          " vertices, %" PRIu64 " fragments, %" PRIu64 " fills, %" PRIu64 " blits, %" PRIu64 " diagnostics\n",
          f->o.seed, f->done, f->hangs, sum.draws, sum.vertices, sum.fragments, sum.fills, sum.blits, f->diags);
}

int
main(int argc, char **argv)
{
   if (!read_options(&fuzz.o, argc, argv)) {
      fprintf(stderr, "usage: %s [--seconds N] [--jobs N] [--seed S] "
                      "[--first I] [--compare] | --recording FILE [--variants N]\n", argv[0]);
      return 1;
   }
   static const int signals[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGALRM, SIGPROF };
   for (unsigned i = 0; i < COUNT(signals); i++)
      signal(signals[i], on_signal);
   for (unsigned i = 0; i < NUM_SIMS; i++)
      fuzz.sims[i] = create_sim(i, fuzz.o.compare);
   fuzz.start = now();
   bool ok = true;
   if (fuzz.o.recording)
      ok = fuzz_recording(&fuzz);
   else
      generated_jobs(&fuzz);
   print_totals(&fuzz);
   for (unsigned i = 0; i < NUM_SIMS; i++)
      sim_destroy(fuzz.sims[i]);
   if (!fuzz.done)
      fprintf(stderr, "fuzz_sim: no job ran\n");
   return ok && fuzz.done ? 0 : 1;
}
