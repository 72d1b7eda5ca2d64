/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * tegra20-compiler: GLSL to Tegra20 machine words without a GPU or a GL
 * context of the system.
 */

#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "pipe/p_defines.h"
#include "util/ralloc.h"

#include "about.h"
#include "multipass/tegra20_cut.h"
#include "gl_frontend.h"
#include "html.h"
#include "shader_test.h"
#include "tegra20/tegra20_hw.h"
#include "tegra20_compiler.h"
#include "tegra20_profile.h"
#include "workers.h"

static const char usage[] =
   "Usage: tegra20-compiler [OPTION]... FILE...\n"
   "Compile GLSL (.vert, .frag, piglit .shader_test) to Tegra20 machine "
   "words.\n"
   "\n"
   "      --stats        print a line of statistics per shader (the "
   "default), and a lower bound: no schedule\n"
   "                     of the same operations is shorter\n"
   "      --no-bounds    --stats without lower bounds\n"
   "      --disasm       print the machine programs as text\n"
   "      --nir          print the NIR that the back ends get\n"
   "      --ir           print the back ends' own code after each pass\n"
   "      --nosched      one operation per instruction, to see what the "
   "schedulers gain\n"
   "      --draft        what programs are drawn with until they are drawn "
   "often\n"
   "      --parts        fragment programs that do not fit compile in parts\n"
   "      --chip CHIP    compile for tegra20 (the default), tegra30 or "
   "tegra114\n"
   "      --html FILE    write a picture of the fragment programs' "
   "schedules\n"
   "      --link         treat all FILEs as one program (a .vert and a "
   ".frag)\n"
   "  -j, --jobs N       processes (default: one per core)\n"
   "  -q, --quiet        print only failures and the totals\n"
   "  --version          print version, commit and where reports go\n"
   "  -h, --help         this text\n"
   "\n"
   "A file that needs more than GLSL 1.20 or GLSL ES 1.00 is skipped.  The "
   "exit status is 0 when every other program\n"
   "compiled, 1 when one did not, 2 for wrong usage.\n";

#define MAX_JOBS 256

struct options {
   bool stats, bounds, disasm, link, parts, quiet;
   struct tegra20_compiler_options compiler;
   const char *html;
   unsigned jobs;
   unsigned num_files;
   char **files;
};

enum outcome { COMPILED, SKIPPED, FAILED, NUM_OUTCOMES };

/* How far programs are from their lower bounds. */
struct ratios {
   unsigned count;
   double log_sum, worst;
   char worst_line[256];
};

struct totals {
   unsigned counts[NUM_OUTCOMES];
   unsigned crashed;
   struct ratios vs, fs;
};

struct run {
   const struct options *options;
   struct totals totals;
   bool progress;
   int write_error; /* errno of the standard output */
};

/* One program on its way through the back ends. */
struct program {
   const struct options *options;
   void *mem_ctx;
   const char *path;
   struct tegra20_vs *vs;
   struct tegra20_fs *fs;
   char *error;
};

static struct program *program;

/* The state that the driver assumes before it knows better: RGBA targets, no
 * blending, native texture wraps. */
static void
default_fs_key(struct tegra20_fs_key *key, const nir_shader *nir)
{
   const unsigned written = nir->info.outputs_written >> FRAG_RESULT_DATA0 &
                            BITFIELD_MASK(TEGRA20_MAX_CBUFS);

   memset(key, 0, sizeof(*key));
   key->nr_cbufs = MAX2(util_last_bit(written), 1);
   for (unsigned i = 0; i < key->nr_cbufs; i++) {
      key->rt[i].bound = true;
      key->rt[i].order = TEGRA20_RT_RGBA;
      key->rt[i].has_alpha = true;
      key->rt[i].colormask = 0xf;
      key->rt[i].surface = i ? 2 + i : 1; /* 2 is the stencil surface */
   }
   key->clamp_color = true;
   key->num_tex = TEGRA20_MAX_SAMPLERS;
   for (unsigned i = 0; i < TEGRA20_MAX_SAMPLERS; i++) {
      key->tex[i].target = GLSL_SAMPLER_DIM_2D;
      for (unsigned c = 0; c < 4; c++)
         key->tex[i].swizzle[c] = PIPE_SWIZZLE_X + c;
   }
   nir_foreach_function_impl (impl, nir) {
      nir_foreach_block (block, impl) {
         nir_foreach_instr (instr, block) {
            if (instr->type != nir_instr_type_tex)
               continue;
            const nir_tex_instr *tex = nir_instr_as_tex(instr);
            if (tex->texture_index < TEGRA20_MAX_SAMPLERS) {
               key->tex[tex->texture_index].target = tex->sampler_dim;
               key->tex[tex->texture_index].compare = tex->is_shadow;
               key->tex[tex->texture_index].compare_func =
                  COMPARE_FUNC_LEQUAL;
            }
         }
      }
   }
}

static void
print_bound(const char *stage, unsigned length, unsigned bound,
            const char *unit)
{
   if (program->options->bounds && bound)
      printf("%s - %s bound: %u of %u %s\n", program->path, stage, bound,
             length, unit);
}

static char *
compile_vertex(nir_shader *nir)
{
   struct tegra20_vs_key key = { 0 };
   char *error = NULL;
   if (!tegra20_compile_vs(program->mem_ctx, nir, &key,
                           &program->options->compiler, &program->vs, &error))
      return error;
   if (program->options->stats)
      printf("%s - VS shader: %s\n", program->path,
             tegra20_vs_stats_string(program->mem_ctx, &program->vs->stats));
   print_bound("VS", program->vs->stats.insts, program->vs->stats.lower_bound,
               "inst");
   return NULL;
}

/* The cycles of a part; 0 with *error. */
static unsigned
compile_part(const struct tegra20_parts *parts, unsigned i,
             const struct tegra20_fs_key *whole, char **error)
{
   const struct tegra20_part *part = &parts->part[i];
   struct tegra20_compiler_options options = program->options->compiler;
   struct tegra20_fs_key key;
   struct tegra20_fs *fs = part->program;

   options.is_part = true;
   tegra20_part_key(parts, i, whole, &key);
   if ((!fs || options.effort == TEGRA20_EFFORT_BEST) &&
       !tegra20_compile_fs(program->mem_ctx, part->nir, &key, &options, &fs,
                           error))
      return 0;
   return fs->stats.cycles;
}

static char *
compile_in_parts(const nir_shader *nir, const struct tegra20_fs_key *key)
{
   char *error = NULL;
   const struct tegra20_parts *parts = tegra20_cut_fs(
      program->mem_ctx, nir, key, &program->options->compiler, &error);
   unsigned cycles = 0;

   for (unsigned i = 0; parts && i < parts->count && !error; i++)
      cycles += compile_part(parts, i, key, &error);
   if (error)
      return error;
   if (program->options->stats)
      printf("%s - FS parts: %u parts, %u cycles, %u values, %u surfaces\n",
             program->path, parts->count, cycles, parts->num_values,
             parts->num_surfaces);
   return NULL;
}

/* in_parts: where it does not fit */
static char *
compile_fragment(nir_shader *nir, bool in_parts)
{
   struct tegra20_fs_key key;
   char *error = NULL;
   default_fs_key(&key, nir);
   if (!tegra20_compile_fs(program->mem_ctx, nir, &key,
                           &program->options->compiler, &program->fs, &error))
      return in_parts ? compile_in_parts(nir, &key) : error;
   if (program->options->stats)
      printf("%s - FS shader: %s\n", program->path,
             tegra20_fs_stats_string(program->mem_ctx, &program->fs->stats));
   print_bound("FS", program->fs->stats.cycles,
               program->fs->stats.lower_bound, "cycles");
   if (program->options->html)
      html_add(program->options->html, program->path, program->fs);
   return NULL;
}

/* Compiles a finalized shader with values that stand for those of the
 * uniforms that decide its control flow. */
static char *
compile_with(const nir_shader *finalized,
             const struct tegra20_control_uniforms *control)
{
   nir_shader *nir = nir_shader_clone(program->mem_ctx, finalized);

   if (control->count)
      tegra20_inline_uniforms(nir, control, control->samples);
   const bool has_loops = tegra20_finish_nir(nir);
   return nir->info.stage == MESA_SHADER_VERTEX
             ? compile_vertex(nir)
             : compile_fragment(nir, has_loops || program->options->parts);
}

static char *
take_shader(void *data, nir_shader *nir)
{
   if (!program)
      return NULL; /* the state tracker's own shaders, made when the context
                      starts */
   struct tegra20_control_uniforms control;

   tegra20_nir_instance(nir);
   tegra20_finalize_nir(nir);
   tegra20_find_loop_uniforms(nir, &control);
   char *error = compile_with(nir, &control);
   if (error && tegra20_find_branch_uniforms(nir, &control))
      error = compile_with(nir, &control);
   return error ? strdup(error) : NULL;
}

static void
print_log(const char *path, const char *log)
{
   fprintf(stderr, "%s: does not compile:\n", path);
   while (log && *log) {
      size_t length = strcspn(log, "\n");
      if (length)
         fprintf(stderr, "   %.*s\n", (int)length, log);
      log += length + (log[length] == '\n');
   }
}

/* Front ends are costly to start: one per API and process. */
static struct gl_frontend *
get_frontend(bool es)
{
   static struct gl_frontend *frontend;
   static bool frontend_es;
   if (frontend && frontend_es != es) {
      gl_frontend_destroy(frontend);
      frontend = NULL;
   }
   if (!frontend) {
      frontend = gl_frontend_create(es, take_shader, NULL);
      frontend_es = es;
   }
   return frontend;
}

static enum outcome
compile_program(const struct options *options, const struct shader_test *test)
{
   if (test->unsupported) {
      if (!options->quiet)
         printf("%s - skipped: %s\n", test->path, test->unsupported);
      return SKIPPED;
   }
   if (test->num_sources == 0) {
      if (!options->quiet)
         printf("%s - skipped: contains no GLSL\n", test->path);
      return SKIPPED;
   }
   struct gl_frontend *fe = get_frontend(test->es);
   if (!fe)
      return FAILED;
   struct program p = { .options = options,
                        .mem_ctx = ralloc_context(NULL),
                        .path = test->path };
   char *log = NULL;
   program = &p;
   bool ok = gl_frontend_link(fe, test, &log);
   program = NULL;
   if (ok && p.vs && p.fs) {
      struct tegra20_link link;
      char *error = NULL;
      ok = tegra20_link_programs(p.mem_ctx, p.vs, p.fs, &link, &error);
      if (!ok)
         log = strdup(error);
   }
   if (!ok)
      print_log(test->path, log);
   free(log);
   ralloc_free(p.mem_ctx);
   return ok ? COMPILED : FAILED;
}

static int
compile_item(void *data, unsigned item)
{
   const struct run *run = data;
   const struct options *options = run->options;
   struct shader_test test;
   char *error = NULL;
   bool ok = shader_test_read(&test, options->files[item], &error);
   for (unsigned i = 1; ok && options->link && i < options->num_files; i++)
      ok = shader_test_add(&test, options->files[i], &error);
   if (!ok) {
      fprintf(stderr, "%s\n", error);
      free(error);
      return FAILED;
   }
   enum outcome outcome = compile_program(options, &test);
   shader_test_free(&test);
   return outcome;
}

static void
show_progress(const struct run *run, unsigned done)
{
   unsigned total = run->options->num_files, width = 40;
   unsigned filled = total ? done * width / total : width;
   fprintf(stderr, "\r[%.*s%*s] %u/%u", filled,
           "########################################", width - filled, "",
           done, total);
   if (done == total)
      fprintf(stderr, "\n");
}

/* Reads the lines of print_bound() back from what a worker printed. */
static void
add_ratios(struct ratios *ratios, const char *out, const char *marker)
{
   for (const char *found = strstr(out, marker); found;
        found = strstr(found + 1, marker)) {
      unsigned bound, length;
      if (sscanf(found + strlen(marker), "%u of %u", &bound, &length) != 2)
         continue;
      double ratio = (double)length / bound;
      ratios->count++;
      ratios->log_sum += log(ratio);
      if (ratio > ratios->worst) {
         const char *line = found;
         while (line > out && line[-1] != '\n')
            line--;
         ratios->worst = ratio;
         snprintf(ratios->worst_line, sizeof(ratios->worst_line), "%.*s",
                  (int)(found - line), line);
      }
   }
}

static void
print_ratios(const struct ratios *ratios, const char *stage, const char *unit)
{
   if (ratios->count)
      fprintf(stderr,
              "%s: %u with a lower bound, %s over it: geometric mean %.3f, "
              "at most %.3f (%s)\n",
              stage, ratios->count, unit,
              exp(ratios->log_sum / ratios->count), ratios->worst,
              ratios->worst_line);
}

static void
item_done(void *data, unsigned item, const struct worker_result *result)
{
   struct run *run = data;
   if (run->progress && (*result->out || *result->err || result->status < 0))
      fprintf(stderr, "\r%60s\r", "");
   if ((fputs(result->out, stdout) < 0 || fflush(stdout)) &&
       !run->write_error)
      run->write_error = errno;
   add_ratios(&run->totals.vs, result->out, " - VS bound: ");
   add_ratios(&run->totals.fs, result->out, " - FS bound: ");
   fputs(result->err, stderr);
   if (result->status < 0) {
      fprintf(stderr, "%s: the compiler crashed (%s)\n",
              run->options->files[item], strsignal(-result->status));
      run->totals.crashed++;
   } else {
      run->totals.counts[result->status]++;
   }
   if (run->progress)
      show_progress(run, item + 1);
}

static int
parse_options(struct options *options, int argc, char **argv)
{
   enum {
      STATS = 256,
      NO_BOUNDS,
      CHIP,
      DISASM,
      HTML,
      LINK,
      NIR,
      IR,
      NOSCHED,
      DRAFT,
      PARTS,
      VERSION
   };
   static const struct option longs[] = {
      { "stats", no_argument, NULL, STATS },
      { "no-bounds", no_argument, NULL, NO_BOUNDS },
      { "chip", required_argument, NULL, CHIP },
      { "disasm", no_argument, NULL, DISASM },
      { "html", required_argument, NULL, HTML },
      { "link", no_argument, NULL, LINK },
      { "nir", no_argument, NULL, NIR },
      { "ir", no_argument, NULL, IR },
      { "jobs", required_argument, NULL, 'j' },
      { "quiet", no_argument, NULL, 'q' },
      { "nosched", no_argument, NULL, NOSCHED },
      { "draft", no_argument, NULL, DRAFT },
      { "parts", no_argument, NULL, PARTS },
      { "version", no_argument, NULL, VERSION },
      { "help", no_argument, NULL, 'h' },
      { 0 },
   };
   int c;
   char *end;
   bool stats = false, bounds = true;
   while ((c = getopt_long(argc, argv, "j:qh", longs, NULL)) != -1) {
      switch (c) {
      case STATS:
         stats = true;
         break;
      case NO_BOUNDS:
         bounds = false;
         break;
      case CHIP:
         options->compiler.chip = tegra20_chip_by_name(optarg);
         if (!options->compiler.chip) {
            fprintf(stderr,
                    "tegra20-compiler: unknown chip \"%s\" (tegra20, "
                    "tegra30, tegra114)\n",
                    optarg);
            return 2;
         }
         break;
      case DISASM:
         options->disasm = true;
         options->compiler.debug |= TEGRA20_COMPILER_DISASM;
         options->compiler.disasm = stdout;
         break;
      case HTML:
         options->html = optarg;
         break;
      case LINK:
         options->link = true;
         break;
      case NIR:
         options->compiler.debug |= TEGRA20_COMPILER_PRINT_NIR;
         break;
      case IR:
         options->compiler.debug |= TEGRA20_COMPILER_PRINT_IR;
         break;
      case NOSCHED:
         options->compiler.debug |= TEGRA20_COMPILER_NO_SCHED;
         break;
      case DRAFT:
         options->compiler.effort = TEGRA20_EFFORT_DRAFT;
         break;
      case PARTS:
         options->parts = true;
         break;
      case 'j':
         options->jobs = strtoul(optarg, &end, 10);
         if (!*optarg || *end || options->jobs > MAX_JOBS) {
            fprintf(stderr,
                    "tegra20-compiler: --jobs wants a number up to %d, not "
                    "\"%s\"\n",
                    MAX_JOBS, optarg);
            return 2;
         }
         break;
      case 'q':
         options->quiet = true;
         break;
      case VERSION:
         about_print_version("tegra20-compiler");
         exit(0);
      case 'h':
         fputs(usage, stdout);
         exit(0);
      default:
         fprintf(stderr, "Try 'tegra20-compiler --help'.\n");
         return 2;
      }
   }
   options->stats = stats || (!options->quiet && !options->disasm);
   options->bounds = options->stats && bounds;
   options->files = argv + optind;
   options->num_files = argc - optind;
   if (options->num_files == 0) {
      fprintf(stderr, "tegra20-compiler: no files given\nTry "
                      "'tegra20-compiler --help'.\n");
      return 2;
   }
   return 0;
}

int
main(int argc, char **argv)
{
   struct options options = { 0 };
   int status = parse_options(&options, argc, argv);
   if (status)
      return status;
   tegra20_hw_init(tegra20_chip_or_default(options.compiler.chip)->version);
   tegra20_profile_encodings(&options.compiler);
   signal(SIGPIPE, SIG_IGN);
   struct run run = { .options = &options,
                      .progress = options.num_files > 20 && isatty(2) };
   unsigned items = options.link ? 1 : options.num_files;
   if (options.html && !html_begin(options.html))
      return 1;
   if (!run_workers(items, options.jobs, compile_item, item_done, &run))
      return 1;
   if (options.html)
      html_end(options.html);
   const struct totals *t = &run.totals;
   if (items > 1 || options.quiet)
      fprintf(stderr, "%u compiled, %u failed, %u crashed, %u skipped\n",
              t->counts[COMPILED], t->counts[FAILED], t->crashed,
              t->counts[SKIPPED]);
   if (items > 1) {
      print_ratios(&t->vs, "VS", "instructions");
      print_ratios(&t->fs, "FS", "cycles");
   }
   /* A reader that has seen enough ("| head") is no error. */
   if (run.write_error && run.write_error != EPIPE) {
      fprintf(stderr, "tegra20-compiler: cannot write the output: %s\n",
              strerror(run.write_error));
      return 1;
   }
   return t->counts[FAILED] || t->crashed ? 1 : 0;
}
