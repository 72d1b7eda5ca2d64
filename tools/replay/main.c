/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * tegra20-replay: executes a recording again on the simulator and compares
 * what comes out.
 */

#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "about.h"
#include "parse.h"
#include "replay.h"
#include "sim.h"
#include "threads.h"

static const char usage[] =
   "usage: tegra20-replay [OPTION...] FILE\n"
   "\n"
   "Executes a recording (tegra20-run --record, TEGRA20_DEBUG=record=FILE on "
   "a device) on the simulated chip and\n"
   "compares the memory after each job with what was recorded.\n"
   "\n"
   "  --png PREFIX   write each surface that was drawn to, as it was last: "
   "PREFIX-N-WxH-FORMAT.png\n"
   "  --dump         print the decoded streams on stdout; jobs are executed "
   "all the same, see --no-run\n"
   "  --jobs A[-B]   limit --dump to these jobs (counted from 0)\n"
   "  --draws DIR    execute draw by draw, with a picture of what each "
   "changed: DIR/index.html\n"
   "  --last-draw N  stop behind this draw (counted from 0)\n"
   "  --pixel X,Y    print which draws changed this pixel, and to what\n"
   "  --compare OTHER  print the draws of FILE that differ from OTHER's: "
   "picture, programs, registers\n"
   "  --no-run       execute nothing\n"
   "  --strict       report undefined and suspicious uses of the chip; "
   "status 3 when there were any\n"
   "  --chip CHIP    execute it on tegra20, tegra30 or tegra114 instead of "
   "the chip that it was recorded on\n"
   "  --threads N    threads of the simulator, 0 (default) = one per core\n"
   "  --switch A=V   choose another behaviour for a hardware assumption "
   "(docs/hardware-assumptions.md), as A57=16\n"
   "  --version      print version, commit and where reports go\n"
   "  --help         this text\n"
   "\n"
   "Exit status: 0 the same memory (--compare: and draws); 1 a difference; 2 "
   "wrong arguments or a damaged file;\n"
   "3 see --strict.\n";

enum { STATUS_SAME, STATUS_DIFFERENT, STATUS_BAD, STATUS_STRICT };

struct replay {
   struct sim *sim;
   struct videocore *videocore; /* instead */
   const struct tegra20_chip_info *chip;
   struct dump *dump;
   struct targets *targets;
   struct draws *draws; /* or NULL: whole jobs */
   bool dumps, writes_png;
   unsigned first_dumped, last_dumped;
   bool run, strict, from_device;
   bool hung; /* the last job */
   struct replay_buffer *buffers;
   unsigned num_buffers, max_buffers;
   unsigned num_jobs, num_different, num_hangs, num_diags;
   uint64_t bytes_different; /* from a device */
   char error[256];
};

static void
on_diag(void *data, const struct sim_diag *diag)
{
   struct replay *replay = data;
   replay->num_diags++;
   fprintf(stderr, "tegra20-sim: job %u: [%u] %s\n", replay->num_jobs,
           diag->number, diag->text);
}

static void
on_videocore_diag(void *data, unsigned number, const char *text)
{
   on_diag(data, &(struct sim_diag){ .number = number, .text = text });
}

static bool
fail(struct replay *replay, const char *text)
{
   snprintf(replay->error, sizeof(replay->error), "%s", text);
   return false;
}

static struct replay_buffer *
find(struct replay *replay, uint32_t id)
{
   for (unsigned i = 0; i < replay->num_buffers; i++) {
      if (replay->buffers[i].id == id)
         return &replay->buffers[i];
   }
   return NULL;
}

/* --- records --- */

static bool
add_buffer(struct replay *replay, const struct recording_record *record)
{
   for (unsigned i = 0; i < replay->num_buffers; i++) {
      const struct replay_buffer *other = &replay->buffers[i];
      if (other->id == record->id ||
          (record->address < other->address + (uint64_t)other->size &&
           other->address < record->address + (uint64_t)record->size))
         return fail(replay, "two buffers share an address or a number");
   }
   if (replay->num_buffers == replay->max_buffers) {
      unsigned max = replay->max_buffers ? 2 * replay->max_buffers : 64;
      struct replay_buffer *bigger =
         realloc(replay->buffers, max * sizeof(*bigger));
      if (!bigger)
         return fail(replay, "out of memory");
      replay->buffers = bigger;
      replay->max_buffers = max;
   }
   uint8_t *memory = aligned_alloc(4096, record->size);
   if (!memory)
      return fail(replay, "out of memory");
   memset(memory, 0, record->size);
   replay->buffers[replay->num_buffers++] =
      (struct replay_buffer){ record->id, record->address, record->size,
                              memory };
   return true;
}

static bool
free_buffer(struct replay *replay, const struct recording_record *record)
{
   struct replay_buffer *buffer = find(replay, record->id);
   if (!buffer)
      return fail(replay, "an unknown buffer is freed");
   if (replay->targets)
      targets_free_buffer(replay->targets, buffer);
   else if (replay->writes_png)
      videocore_free_buffer(replay->videocore, buffer);
   free(buffer->memory);
   *buffer = replay->buffers[--replay->num_buffers];
   return true;
}

static bool
set_memory(struct replay *replay, const struct recording_record *record)
{
   struct replay_buffer *buffer = find(replay, record->id);
   if (!buffer || record->offset > buffer->size ||
       record->length > buffer->size - record->offset)
      return fail(replay, "memory record outside its buffer");
   uint8_t *memory = buffer->memory + record->offset;
   if (record->type == RECORDING_EXPECT) {
      for (uint32_t i = 0; i < record->length; i++)
         replay->bytes_different += memory[i] != record->data[i];
   }
   memcpy(memory, record->data, record->length);
   return true;
}

static bool
is_dumped(const struct replay *replay)
{
   return replay->dumps && replay->num_jobs >= replay->first_dumped &&
          replay->num_jobs <= replay->last_dumped;
}

static bool
run_tegra(struct replay *replay, const struct recording_record *record,
          const struct replay_buffer *const *buffers)
{
   struct sim_range *ranges =
      calloc(record->num_buffers + 1, sizeof(*ranges));
   struct sim_cmd *cmds = calloc(record->num_cmds + 1, sizeof(*cmds));
   bool ok = ranges && cmds;
   if (!ok)
      fail(replay, "out of memory");
   for (unsigned i = 0; i < record->num_buffers && ok; i++)
      ranges[i] = (struct sim_range){ buffers[i]->address, buffers[i]->size,
                                      buffers[i]->memory };
   const uint32_t *words = record->words;
   for (unsigned i = 0; i < record->num_cmds && ok; i++) {
      if (record->cmds[i].is_wait) {
         cmds[i] = (struct sim_cmd){ .type = SIM_CMD_WAIT,
                                     .wait = { record->cmds[i].syncpt,
                                               record->cmds[i].threshold } };
      } else {
         cmds[i] =
            (struct sim_cmd){ .type = SIM_CMD_GATHER,
                              .gather = { words, record->cmds[i].count } };
         words += record->cmds[i].count;
      }
   }
   if (ok && is_dumped(replay))
      dump_job(replay->dump, replay->num_jobs, record, buffers);
   if (ok && replay->targets)
      targets_job(replay->targets, record);
   if (ok && replay->run) {
      struct sim_job job = { record->class_id, ranges, record->num_buffers,
                             cmds, record->num_cmds };
      if (!replay->draws)
         replay->hung = sim_execute(replay->sim, &job) != SIM_OK;
      else if (!draws_job(replay->draws, replay->sim, replay->num_jobs,
                          record, &job, buffers, &replay->hung))
         ok = fail(replay, "out of memory");
      if (replay->from_device && record->syncpt < SIM_NUM_SYNCPTS)
         sim_syncpt_set(replay->sim, record->syncpt, record->end_value);
   }
   free(cmds);
   free(ranges);
   return ok;
}

static bool
run_videocore(struct replay *replay, const struct recording_record *record,
              const struct replay_buffer *const *buffers)
{
   if (record->class_id != RECORDING_CLASS_V3D)
      return fail(replay, "a job of another chip");
   if (is_dumped(replay))
      videocore_dump(stdout, replay->num_jobs, record, buffers);
   if (replay->writes_png)
      videocore_note_targets(replay->videocore, record, buffers);
   if (replay->run &&
       !videocore_run(replay->videocore, record, buffers, &replay->hung))
      return fail(replay, "a job that cannot be executed");
   return true;
}

static bool
run_job(struct replay *replay, const struct recording_record *record)
{
   const struct replay_buffer **buffers =
      calloc(record->num_buffers + 1, sizeof(*buffers));
   bool ok = buffers || fail(replay, "out of memory");
   for (unsigned i = 0; i < record->num_buffers && ok; i++) {
      buffers[i] = find(replay, record->buffers[i]);
      if (!buffers[i])
         ok = fail(replay, "a job uses an unknown buffer");
   }
   replay->hung = false;
   ok = ok && (replay->videocore ? run_videocore : run_tegra)(replay, record,
                                                              buffers);
   if (replay->hung) {
      replay->num_hangs++;
      fprintf(stderr, "tegra20-replay: job %u: the engine hangs\n",
              replay->num_jobs);
   }
   free(buffers);
   return ok;
}

static bool
compare(struct replay *replay, const struct recording_record *record)
{
   if (replay->run) {
      bool same = record->ok == !replay->hung;
      if (!same)
         fprintf(stderr, "tegra20-replay: job %u: %s when it was recorded\n",
                 replay->num_jobs, record->ok ? "did not hang" : "hung");
      for (unsigned i = 0; i < record->num_buffers; i++) {
         const struct replay_buffer *buffer =
            find(replay, record->buffers[i]);
         if (!buffer)
            return fail(replay, "a result names an unknown buffer");
         if (recording_hash(buffer->memory, buffer->size) !=
             record->hashes[i]) {
            same = false;
            fprintf(stderr, "tegra20-replay: job %u: buffer %u differs\n",
                    replay->num_jobs, buffer->id);
         }
      }
      /* What a device made of the job has taken the place of our result
       * (set_memory), after it was compared. */
      if (!same || replay->bytes_different) {
         replay->num_different++;
         if (replay->bytes_different)
            fprintf(stderr,
                    "tegra20-replay: job %u: %llu bytes differ from the "
                    "device's\n",
                    replay->num_jobs,
                    (unsigned long long)replay->bytes_different);
      }
      replay->bytes_different = 0;
   }
   replay->num_jobs++;
   return true;
}

static bool
play(struct replay *replay, const struct recording_record *record)
{
   switch (record->type) {
   case RECORDING_BUFFER:
      return add_buffer(replay, record);
   case RECORDING_FREE:
      return free_buffer(replay, record);
   case RECORDING_MEMORY:
   case RECORDING_EXPECT:
      return set_memory(replay, record);
   case RECORDING_SYNCPT:
      if (record->syncpt >= SIM_NUM_SYNCPTS)
         return fail(replay, "a sync point out of range");
      if (replay->sim)
         sim_syncpt_set(replay->sim, record->syncpt, record->value);
      return true;
   case RECORDING_JOB:
      return run_job(replay, record);
   case RECORDING_RESULT:
      return compare(replay, record);
   }
   return true;
}

/* --- command line --- */

/* Before a recording is opened: is it a switch with one of its values? */
static bool
check_switch(const char *text)
{
   const struct sim_switch_info *info;

   if (*text && !sim_set_switches(NULL, text))
      return true;
   fprintf(stderr,
           "tegra20-replay: unknown switch or value \"%s\"; known are:\n",
           text);
   for (unsigned i = 0; (info = sim_switch_describe(i)); i++) {
      fprintf(stderr, "  %s (%s):", info->id, info->topic);
      for (unsigned k = 0; k < info->num_values; k++)
         fprintf(stderr, " %s", info->values[k]);
      fputc('\n', stderr);
   }
   return false;
}

/* NULL after a message.  *chip: the one that the recording is of, NULL:
 * VideoCore IV. */
static struct recording *
open_recording(struct replay *replay, const char *path,
               const struct tegra20_chip_info **chip)
{
   struct recording *recording =
      recording_open(path, replay->error, sizeof(replay->error));
   if (!recording) {
      fprintf(stderr, "tegra20-replay: %s\n", replay->error);
      return NULL;
   }
   const unsigned id = (recording_flags(recording) & RECORDING_CHIP_MASK) >>
                       RECORDING_CHIP_SHIFT;
   if (id == RECORDING_VIDEOCORE) {
      *chip = NULL;
      return recording;
   }
   if (id >= TEGRA20_NUM_CHIPS) {
      fprintf(stderr, "tegra20-replay: %s is of chip %u, which is unknown\n",
              path, id);
      recording_close(recording);
      return NULL;
   }
   *chip = &tegra20_chips[id];
   return recording;
}

/* And what its jobs' texts and pictures need. */
static bool
create_chip(struct replay *replay, const struct sim_options *options,
            const char *png)
{
   if (!replay->chip) {
      const struct videocore_options videocore = {
         .strict = options->strict,
         .threads = options->threads,
         .prefix = png,
         .diag = on_videocore_diag,
         .data = replay,
      };
      replay->videocore = videocore_create(&videocore);
      return replay->videocore;
   }
   replay->sim = sim_create(options);
   replay->dump = replay->dumps ? dump_create(stdout, replay->chip) : NULL;
   replay->targets = png ? targets_create(png) : NULL;
   return replay->sim && !replay->dump == !replay->dumps &&
          !replay->targets == !png;
}

static int
replay_file(struct replay *replay, struct recording *recording,
            const char *path, const char *png)
{
   replay->from_device = recording_flags(recording) & RECORDING_FROM_DEVICE;
   if (*recording_writer(recording))
      fprintf(stderr, "tegra20-replay: %s was recorded by version %s\n", path,
              recording_writer(recording));
   struct recording_record record;
   int got = 0;
   bool ok = true;
   while (ok && !(replay->draws && draws_stopped(replay->draws)) &&
          (got = recording_read(recording, &record, replay->error,
                                sizeof(replay->error))) > 0)
      ok = play(replay, &record);
   recording_close(recording);
   bool damaged = !ok || got < 0;
   if (damaged)
      fprintf(stderr, "tegra20-replay: %s: after job %u: %s\n", path,
              replay->num_jobs, replay->error);

   /* What could be read is worth a look even if the end is missing. */
   int written = !png ? 0
                 : replay->videocore
                    ? videocore_finish(replay->videocore, replay->buffers,
                                       replay->num_buffers)
                    : targets_finish(replay->targets, replay->buffers,
                                     replay->num_buffers);
   fprintf(stderr, "tegra20-replay: %s, %u jobs, %u different, %u hung",
           replay->chip ? replay->chip->name : "vc4", replay->num_jobs,
           replay->num_different, replay->num_hangs);
   if (replay->strict)
      fprintf(stderr, ", %u diagnostics", replay->num_diags);
   if (png && written >= 0)
      fprintf(stderr, ", %d pictures", written);
   fputc('\n', stderr);
   if (replay->dumps && !damaged &&
       replay->first_dumped >= replay->num_jobs) {
      fprintf(stderr, "tegra20-replay: there is no job %u to print\n",
              replay->first_dumped);
      return STATUS_BAD;
   }
   if (damaged || written < 0)
      return STATUS_BAD;
   return replay->num_different                 ? STATUS_DIFFERENT
          : replay->strict && replay->num_diags ? STATUS_STRICT
                                                : STATUS_SAME;
}

/* Of the command line. */
struct settings {
   const char *png, *compare;
   const struct tegra20_chip_info *chip; /* NULL: the recording's */
   const char *switches[64];
   unsigned num_switches, threads;
   bool dump, no_run, strict, by_draw;
   unsigned first_dumped, last_dumped;
   struct draws_options draws;
};

static bool
complain(const char *option, const char *wanted, const char *text)
{
   fprintf(stderr, "tegra20-replay: %s wants %s, not \"%s\"\n", option,
           wanted, text);
   return false;
}

static bool
parse_number(const char *option, const char *text, unsigned most,
             unsigned *number)
{
   char wanted[64];

   snprintf(wanted, sizeof(wanted), "a number up to %u", most);
   return sim_parse_number(text, most, number) ||
          complain(option, most == UINT32_MAX ? "a number" : wanted, text);
}

static bool
parse_jobs(struct settings *settings, const char *text)
{
   const int n =
      sscanf(text, "%u-%u", &settings->first_dumped, &settings->last_dumped);
   if (n == 1)
      settings->last_dumped = settings->first_dumped;
   return n >= 1 || complain("--jobs", "a number or a range", text);
}

static bool
parse_chip(struct settings *settings, const char *text)
{
   settings->chip = tegra20_chip_by_name(text);
   if (!settings->chip)
      fprintf(stderr,
              "tegra20-replay: unknown chip \"%s\" (tegra20, tegra30, "
              "tegra114)\n",
              text);
   return settings->chip;
}

enum {
   PNG = 256,
   CHIP,
   DUMP,
   DRAWS,
   LAST_DRAW,
   PIXEL,
   COMPARE,
   JOBS,
   NO_RUN,
   STRICT,
   THREADS,
   SWITCH,
   VERSION,
   HELP
};

/* An option but --version and --help; false after a message. */
static bool
parse_option(struct settings *settings, int option, const char *text)
{
   settings->by_draw |= option == DRAWS || option == LAST_DRAW ||
                        option == PIXEL || option == COMPARE;
   switch (option) {
   case PNG:
      settings->png = text;
      return true;
   case CHIP:
      return parse_chip(settings, text);
   case DUMP:
      settings->dump = true;
      return true;
   case DRAWS:
      settings->draws.directory = text;
      return true;
   case LAST_DRAW:
      return parse_number("--last-draw", text, UINT32_MAX,
                          &settings->draws.last);
   case PIXEL:
      settings->draws.pixel = true;
      return sscanf(text, "%u,%u", &settings->draws.x, &settings->draws.y) ==
                2 ||
             complain("--pixel", "X,Y", text);
   case COMPARE:
      settings->compare = text;
      return true;
   case JOBS:
      return parse_jobs(settings, text);
   case NO_RUN:
      settings->no_run = true;
      return true;
   case STRICT:
      settings->strict = true;
      return true;
   case THREADS: /* 0 is "one per core" */
      return parse_number("--threads", text, SIM_MAX_THREADS,
                          &settings->threads);
   case SWITCH:
      if (!check_switch(text))
         return false;
      if (settings->num_switches <
          sizeof(settings->switches) / sizeof(settings->switches[0]))
         settings->switches[settings->num_switches++] = text;
      return true;
   default:
      fprintf(stderr, "Try 'tegra20-replay --help'.\n");
      return false;
   }
}

/* Whether the options make sense for this recording's chip. */
static bool
check_settings(const struct settings *settings,
               const struct tegra20_chip_info *chip)
{
   if (settings->chip && !chip)
      fprintf(stderr, "tegra20-replay: VideoCore IV's jobs run on no other "
                      "chip\n");
   else if (settings->by_draw && (!chip || settings->no_run))
      fprintf(stderr, "tegra20-replay: draw by draw go executed jobs of "
                      "Tegra20, Tegra30 and Tegra114 only\n");
   else
      return true;
   return false;
}

/* A whole recording; trace: to note its draws in, or NULL. */
static int
replay_path(const struct settings *settings, const char *path,
            struct trace *trace)
{
   struct replay replay = {
      .run = !settings->no_run,
      .dumps = settings->dump,
      .writes_png = settings->png,
      .strict = settings->strict,
      .first_dumped = settings->first_dumped,
      .last_dumped = settings->last_dumped,
   };
   struct recording *recording = open_recording(&replay, path, &replay.chip);
   if (!recording || !check_settings(settings, replay.chip)) {
      recording_close(recording);
      return STATUS_BAD;
   }
   if (settings->chip)
      replay.chip = settings->chip;
   const struct sim_options options = {
      .diag = on_diag,
      .diag_data = &replay,
      .strict = settings->strict,
      .threads = settings->threads,
      .chip = replay.chip,
   };
   int status = STATUS_BAD;
   struct draws_options draws = settings->draws;
   draws.trace = trace;
   if (!create_chip(&replay, &options, settings->png))
      fprintf(stderr, "tegra20-replay: out of memory\n");
   else if (!settings->by_draw || (replay.draws = draws_create(&draws))) {
      for (unsigned i = 0; i < settings->num_switches && replay.sim; i++)
         sim_set_switches(replay.sim, settings->switches[i]);
      status = replay_file(&replay, recording, path, settings->png);
   } else
      recording_close(recording);

   for (unsigned i = 0; i < replay.num_buffers; i++)
      free(replay.buffers[i].memory);
   free(replay.buffers);
   if (!draws_destroy(replay.draws)) {
      fprintf(stderr, "tegra20-replay: cannot write the page of the draws\n");
      status = STATUS_BAD;
   }
   dump_destroy(replay.dump);
   targets_destroy(replay.targets);
   sim_destroy(replay.sim);
   videocore_destroy(replay.videocore);
   return status;
}

/* The reference first, without what is printed and written of the other. */
static int
compare_recordings(const struct settings *settings, const char *path)
{
   struct settings silent = *settings;
   silent.dump = silent.draws.pixel = false;
   silent.png = silent.draws.directory = NULL;
   struct trace *reference = trace_create(NULL);
   struct trace *trace = trace_create(reference);
   int status = STATUS_BAD;
   if (!reference || !trace)
      fprintf(stderr, "tegra20-replay: out of memory\n");
   else
      status = replay_path(&silent, settings->compare, reference);
   if (status != STATUS_BAD)
      status = replay_path(settings, path, trace);
   if (status != STATUS_BAD && !trace_finish(trace))
      status = STATUS_DIFFERENT;
   trace_destroy(trace);
   trace_destroy(reference);
   return status;
}

int
main(int argc, char **argv)
{
   static const struct option options[] = {
      { "png", required_argument, NULL, PNG },
      { "chip", required_argument, NULL, CHIP },
      { "dump", no_argument, NULL, DUMP },
      { "draws", required_argument, NULL, DRAWS },
      { "last-draw", required_argument, NULL, LAST_DRAW },
      { "pixel", required_argument, NULL, PIXEL },
      { "compare", required_argument, NULL, COMPARE },
      { "jobs", required_argument, NULL, JOBS },
      { "no-run", no_argument, NULL, NO_RUN },
      { "strict", no_argument, NULL, STRICT },
      { "threads", required_argument, NULL, THREADS },
      { "switch", required_argument, NULL, SWITCH },
      { "version", no_argument, NULL, VERSION },
      { "help", no_argument, NULL, HELP },
      { NULL, 0, NULL, 0 },
   };
   struct settings settings = { .last_dumped = UINT32_MAX,
                                .draws.last = UINT32_MAX };
   int option;
   while ((option = getopt_long(argc, argv, "h", options, NULL)) != -1) {
      if (option == VERSION) {
         about_print_version("tegra20-replay");
         return 0;
      }
      if (option == HELP || option == 'h') {
         fputs(usage, stdout);
         return 0;
      }
      if (!parse_option(&settings, option, optarg))
         return STATUS_BAD;
   }
   if (optind + 1 != argc) {
      fprintf(stderr, "tegra20-replay: one file is expected\nTry "
                      "'tegra20-replay --help'.\n");
      return STATUS_BAD;
   }
   int status = settings.compare ? compare_recordings(&settings, argv[optind])
                                 : replay_path(&settings, argv[optind], NULL);
   if (fflush(stdout) || ferror(stdout)) {
      fprintf(stderr, "tegra20-replay: cannot write the output\n");
      status = STATUS_BAD;
   }
   return status;
}
