/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * tegra20-run: runs a program on the simulated chip.
 *
 * It prepares the environment: the plug-in's directory in front of the
 * library path, the shim preloaded, the options as variables of the shim
 * (docs/drm-shim.md).  It stays as the parent and looks at the end at what
 * all processes of the command left in a shared file: what a report is made
 * of (--strict, --stats), and whether one of them reached the chip.
 */

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "about.h"
#include "a4xx.h"
#include "chip_process.h"
#include "desktop.h"
#include "parse.h"
#include "report.h"
#include "sim.h"
#include "sim_diag.h"
#include "threads.h"

#define SHIM_NAME "libtegra20_drm_shim.so"
/* Exit status when the command itself succeeded, but strict mode found
 * something. */
#define STATUS_STRICT 3
/* ... when it succeeded, but something else than the chip has drawn. */
#define STATUS_OTHER_RENDERER 4
/* As the shell has it. */
#define STATUS_USAGE 2
#define STATUS_CANNOT_RUN 126
#define STATUS_NOT_FOUND 127

static const char usage[] =
   "usage: tegra20-run [OPTION...] [--] COMMAND [ARGUMENT...]\n"
   "\n"
   "Runs a GL program on the simulated Tegra20: its libEGL, libGL and libgbm "
   "load the driver, which finds a simulated\n"
   "device, /dev/dri/renderD128.  Works for all processes that the command "
   "starts.\n"
   "\n"
   "  --chip NAME      the chip to simulate: tegra20 (default), tegra30, "
   "tegra114; tegra124 has no such engine, and\n"
   "                   the driver declines it; vc4: VideoCore IV with Mesa's "
   "own driver for it (docs/videocore.md);\n"
   "                   a420, a430: Adreno with Mesa's driver and patches to "
   "it (docs/adreno.md)\n"
   "  --noop           check and execute no jobs (for measurements of the "
   "CPU side)\n"
   "  --strict[=proven]  report undefined and suspicious uses of the chip; "
   "status 3 when there were any; proven: those\n"
   "                   that programs of others are known to run with are "
   "notes\n"
   "  --record FILE    save the submitted jobs with the memory they use "
   "(further processes: FILE.PID)\n"
   "  --stats          print what was drawn, the bytes that were moved, and "
   "about how long the engines would take\n"
   "  --desktop        the command in a desktop that the chip draws, in a "
   "window of the session (Weston)\n"
   "  --screenshot FILE[@SECONDS]  a picture of the window as PNG: the last "
   "one, or that after so many seconds\n"
   "  --threads N      threads of the simulator, 0 (default) = one per core\n"
   "  --memory MIB     size of the graphics memory\n"
   "  --async MS       execute jobs up to MS milliseconds late, or when "
   "something waits for them\n"
   "  --fail SPEC      fail ioctls: NAME:NTH:ERRNO[,...], see "
   "docs/drm-shim.md\n"
   "  --switch A=V     choose another behaviour for a hardware assumption, "
   "as A57=16; may be repeated\n"
   "  --adversary[=SEED]  caches keep what is not invalidated, stores and "
   "jobs are late: finds missing waits; with\n"
   "                   --one-chip\n"
   "  --one-chip[=FILE]  one chip for all processes of the command, in a "
   "process of its own;\n"
   "                   FILE: and of other commands with the same file\n"
   "  --own-chip       a chip for each process (default without "
   "--adversary)\n"
   "  --grate          offer the interface of the grate kernel "
   "(postmarketOS)\n"
   "  --trace          print every ioctl\n"
   "  --version        print version, commit and where reports go\n"
   "  --help           this text\n"
   "\n"
   "The exit status is the command's, or 128 + the signal that ended it; of "
   "a command that succeeded, 3 (see --strict),\n"
   "or 4 when it used GL, but no process of it reached the chip.\n";

enum strict { STRICT_OFF, STRICT_ON, STRICT_PROVEN };

/* Two paths, each with room for a directory and the longest of our names. */
struct libraries {
   char shim[PATH_MAX + sizeof(PRIVATE_LIBDIR) + sizeof(SHIM_NAME) + 8];
   char plugin_dir[PATH_MAX + sizeof(PRIVATE_LIBDIR) + 8];
};

/* plugin: its directory's name.  In a build directory the shim lies in the
 * first directory upwards from this program that has one, and the plug-in
 * below it; an installed program finds both in PRIVATE_LIBDIR of the same
 * prefix. */
static bool
find_libraries(struct libraries *libraries, const char *plugin)
{
   char dir[PATH_MAX], *slash;
   ssize_t n = readlink("/proc/self/exe", dir, sizeof(dir) - 1);
   if (n < 0)
      return false;
   for (dir[n] = 0; (slash = strrchr(dir, '/'));) {
      *slash = 0;
      snprintf(libraries->shim, sizeof(libraries->shim), "%s/" SHIM_NAME,
               dir);
      snprintf(libraries->plugin_dir, sizeof(libraries->plugin_dir), "%s/%s",
               dir, plugin);
      if (!access(libraries->shim, R_OK))
         return true;
      snprintf(libraries->plugin_dir, sizeof(libraries->plugin_dir),
               "%s/" PRIVATE_LIBDIR, dir);
      snprintf(libraries->shim, sizeof(libraries->shim),
               "%s/" PRIVATE_LIBDIR "/" SHIM_NAME, dir);
      if (!access(libraries->shim, R_OK))
         return true;
   }
   return false;
}

/* The folder with the plug-in of a chip's driver; NULL: no such chip. */
static const char *
plugin_for(const char *chip)
{
   static const struct {
      const char *chip, *plugin;
   } chips[] = {
      { "tegra20", "lib" },   { "tegra30", "lib" }, { "tegra114", "lib" },
      { "tegra124", "lib" },  { "vc4", "lib-vc4" }, { "a420", "lib-a4xx" },
      { "a430", "lib-a4xx" },
   };
   for (unsigned i = 0; i < sizeof(chips) / sizeof(chips[0]); i++) {
      if (!strcmp(chip, chips[i].chip))
         return chips[i].plugin;
   }
   return NULL;
}

/* Sets a variable to a list that begins with first and goes on with what it
 * held. */
static void
prepend(const char *name, const char *first)
{
   const char *rest = getenv(name);
   char *list;
   if (asprintf(&list, "%s%s%s", first, rest && *rest ? ":" : "",
                rest ? rest : "") < 0)
      abort();
   setenv(name, list, 1);
   free(list);
}

/* Says what is wrong with a number that an option is given. */
static bool
set_number(const char *option, const char *name, const char *text,
           unsigned max)
{
   unsigned value;
   if (!sim_parse_number(text, max, &value)) {
      fprintf(stderr,
              "tegra20-run: --%s wants a number up to %u, not \"%s\"\n",
              option, max, text);
      return false;
   }
   setenv(name, text, 1);
   return true;
}

/* A list of faults, but for the names of ioctls, which the shim knows. */
static bool
check_faults(const char *text)
{
   struct sim_fault fault;
   for (const char *end, *item = text; item; item = *end ? end + 1 : NULL) {
      end = sim_parse_fault(item, &fault);
      if (!end) {
         fprintf(stderr,
                 "tegra20-run: --fail wants NAME:NTH:ERRNO[,...], not \"%s\" "
                 "(docs/drm-shim.md)\n",
                 item);
         return false;
      }
   }
   return true;
}

/* The file must be new: every process of the command may append to what it
 * finds. */
static bool
clear_recording(const char *path)
{
   struct stat info;
   if (!stat(path, &info) && !S_ISREG(info.st_mode)) {
      fprintf(stderr, "tegra20-run: --record wants a file, %s is none\n",
              path);
      return false;
   }
   FILE *file = fopen(path, "wb");
   if (!file || fclose(file) || unlink(path)) {
      fprintf(stderr, "tegra20-run: cannot write %s: %s\n", path,
              strerror(errno));
      return false;
   }
   return true;
}

static void
set_absolute(const char *name, const char *path)
{
   char *text, cwd[PATH_MAX];
   if (path[0] == '/' || !getcwd(cwd, sizeof(cwd)))
      text = strdup(path);
   else if (asprintf(&text, "%s/%s", cwd, path) < 0)
      text = NULL;
   if (!text)
      abort();
   setenv(name, text, 1);
   free(text);
}

/* Adds to the shim's list, if a simulator knows the assumption and the
 * value. */
static bool
add_switch(const char *text)
{
   char id[16], value[32];
   int used = 0;
   struct a4xx_profile profile = A4XX_PROFILE_DEFAULT;
   sscanf(text, "%15[^=,]=%31[^,]%n", id, value, &used);
   if (used && !text[used] &&
       (sim_set_switch(NULL, id, value) ||
        a4xx_set_switch(&profile, id, value))) {
      const char *before = getenv("TEGRA20_SHIM_SWITCH");
      char *list;
      if (asprintf(&list, "%s%s%s", before ? before : "",
                   before && *before ? "," : "", text) < 0)
         abort();
      setenv("TEGRA20_SHIM_SWITCH", list, 1);
      free(list);
      return true;
   }
   fprintf(stderr,
           "tegra20-run: unknown assumption or value \"%s\" "
           "(docs/hardware-assumptions.md, docs/adreno.md)\n",
           text);
   return false;
}

/* --- report --- */

#define DIRECTORY_LENGTH (PATH_MAX + 64)
static char directory[PATH_MAX], report_path[DIRECTORY_LENGTH],
   chip_path[DIRECTORY_LENGTH], shim_link[DIRECTORY_LENGTH],
   plugin_link[DIRECTORY_LENGTH];

/* What ends an entry of LD_PRELOAD or LD_LIBRARY_PATH; neither has an
 * escape. */
static bool
has_separator(const char *path)
{
   return path[strcspn(path, " \t\n:;")] != 0;
}

#define DIRECTORY_PREFIX "tegra20-run-"
#define STALE_SECONDS 60 /* no run takes so long to lock its directory */

/* Removes the directory, which fd is, and what is in it, if the run that made
 * it was killed: others hold a lock. */
static void
remove_stale(int parent, const char *name, int fd)
{
   struct stat st;
   if (fstat(fd, &st) || st.st_uid != geteuid() ||
       time(NULL) - st.st_mtime < STALE_SECONDS ||
       flock(fd, LOCK_EX | LOCK_NB))
      return;
   DIR *entries = fdopendir(dup(fd));
   for (struct dirent *e; entries && (e = readdir(entries));) {
      if (e->d_name[0] != '.')
         unlinkat(fd, e->d_name, 0);
   }
   if (entries)
      closedir(entries);
   unlinkat(parent, name, AT_REMOVEDIR);
}

static void
remove_stale_directories(const char *tmp)
{
   DIR *entries = opendir(tmp);
   for (struct dirent *e; entries && (e = readdir(entries));) {
      if (strncmp(e->d_name, DIRECTORY_PREFIX, strlen(DIRECTORY_PREFIX)))
         continue;
      int fd = openat(dirfd(entries), e->d_name,
                      O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
      if (fd < 0)
         continue;
      remove_stale(dirfd(entries), e->d_name, fd);
      close(fd);
   }
   if (entries)
      closedir(entries);
}

/* Until this process ends. */
static bool
lock_directory(const char *path)
{
   int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
   return fd >= 0 && !flock(fd, LOCK_SH);
}

/* A directory for what lives as long as the command. */
static bool
create_directory(void)
{
   const char *tmp = getenv("TMPDIR");
   if (!tmp || !*tmp || has_separator(tmp))
      tmp = "/tmp";
   remove_stale_directories(tmp);
   snprintf(directory, sizeof(directory), "%s/" DIRECTORY_PREFIX "XXXXXX",
            tmp);
   /* open to those as whom the command may run programs */
   if (mkdtemp(directory) && !chmod(directory, 0711) &&
       lock_directory(directory)) {
      snprintf(report_path, sizeof(report_path), "%s/report", directory);
      snprintf(chip_path, sizeof(chip_path), "%s/chip", directory);
      return true;
   }
   fprintf(stderr, "tegra20-run: cannot create %s: %s\n", directory,
           strerror(errno));
   return false;
}

static void
remove_directory(void)
{
   unlink(report_path);
   unlink(chip_path);
   unlink(shim_link);
   unlink(plugin_link);
   rmdir(directory);
}

/* Returns path, or the name of a link to it that a list of libraries can
 * hold. */
static const char *
in_list(const char *path, const char *name, char link[DIRECTORY_LENGTH])
{
   if (!has_separator(path))
      return path;
   snprintf(link, DIRECTORY_LENGTH, "%s/%s", directory, name);
   if (!symlink(path, link))
      return link;
   fprintf(stderr, "tegra20-run: cannot create %s: %s\n", link,
           strerror(errno));
   link[0] = 0;
   return NULL;
}

static struct shim_report *
create_report(const char *plugin_dir)
{
   int fd = open(report_path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
   if (fd < 0 || fchmod(fd, 0666) ||
       ftruncate(fd, sizeof(struct shim_report))) {
      fprintf(stderr, "tegra20-run: cannot create %s: %s\n", report_path,
              strerror(errno));
      return NULL;
   }
   struct shim_report *report =
      mmap(NULL, sizeof(*report), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
   close(fd);
   if (report == MAP_FAILED)
      return NULL;
   report->magic = SHIM_REPORT_MAGIC;
   snprintf(report->plugin_dir, sizeof(report->plugin_dir), "%s", plugin_dir);
   setenv("TEGRA20_SHIM_REPORT", report_path, 1);
   return report;
}

/* What the chip would have taken, at 300 MHz (A101) and by the model of
 * memory (A136).  Measured chips take up to 2.3 times as long as clocks
 * alone say, and no chip has been compared with the sum. */
static void
print_time(const struct sim_stats *s, const struct shim_report *report)
{
   const double clocks_per_ms = 300000, all = s->time_clocks;

   if (!s->jobs || !s->time_clocks)
      return;
   fprintf(stderr,
           "tegra20-run: about %.2f ms on the engines at 300 MHz, perhaps "
           "half or twice of it: %.3f ms a job",
           all / clocks_per_ms, all / clocks_per_ms / s->jobs);
   if (report->frames)
      fprintf(stderr, ", %.3f ms a frame (%u frames)",
              all / clocks_per_ms / report->frames, report->frames);
   fprintf(stderr, "; %.0f %% of it bound by memory, the rest by clocks\n",
           100 * s->memory_clocks / all);
   fprintf(stderr,
           "tegra20-run: at most %.1f ms on the engines from a job's "
           "submission to its end\n",
           report->latency * 1000 / clocks_per_ms);
}

static void
print_stats(const struct shim_report *report)
{
   struct sim_stats s;
   memcpy(&s, report->stats, sizeof(s));
   fprintf(stderr,
           "tegra20-run: %u processes, %" PRIu64 " ioctls, %" PRIu64
           " jobs, %" PRIu64 " words, %" PRIu64 " draws, %" PRIu64
           " fills, %" PRIu64 " blits\n",
           report->processes, report->ioctls, s.jobs, s.words, s.draws,
           s.fills, s.blits);
   fprintf(stderr,
           "tegra20-run: %" PRIu64 " vertices, %" PRIu64
           " primitives, %" PRIu64 " fragments, %" PRIu64
           " texture look-ups\n",
           s.vertices, s.primitives, s.fragments, s.texture_lookups);
   fprintf(stderr,
           "tegra20-run: %" PRIu64 " vertex clocks, %" PRIu64
           " fragment clocks\n",
           s.vertex_clocks, s.fragment_clocks);
   fprintf(stderr,
           "tegra20-run: %" PRIu64 " KiB of texels, %" PRIu64
           " of pixels, %" PRIu64 " of depth, %" PRIu64
           " of vertices, %" PRIu64 " by GR2D\n",
           s.texture_bytes / 1024, s.pixel_bytes / 1024, s.depth_bytes / 1024,
           s.vertex_bytes / 1024, s.gr2d_bytes / 1024);
   print_time(&s, report);
   fprintf(stderr,
           "tegra20-run: at most %" PRIu64
           " KiB of buffers in a process, %" PRIu64 " waits\n",
           report->peak_memory / 1024, report->waits);
}

/* Returns the number of diagnostics; proven: without the notes. */
static unsigned long
print_diags(const struct shim_report *report, bool proven)
{
   unsigned long total = 0;
   for (unsigned i = 0; i < SHIM_REPORT_NUMBERS; i++) {
      const struct shim_report_diag *diag = &report->diags[i];
      if (!diag->count)
         continue;
      const bool note = proven && sim_diag_is_note(i);
      if (!note)
         total += diag->count;
      fprintf(stderr, "tegra20-run: strict: %8u x %s[%u] %s\n", diag->count,
              note ? "note " : "", i, diag->text);
   }
   fprintf(stderr, "tegra20-run: strict: %lu diagnostics\n", total);
   return total;
}

/* Whether the chip was reached if something was to be drawn; says why not. */
static bool
check_reached(const struct shim_report *report, const char *command)
{
   if (report->channels)
      return true;
   if (!report->loaded) {
      fprintf(stderr,
              "tegra20-run: %s ran without the simulated chip: the "
              "environment reaches neither programs with file capabilities "
              "or a setuid bit nor those without shared libraries\n",
              command);
      return false;
   }
   if (!report->has_library)
      return true;
   fprintf(stderr, "tegra20-run: not the chip, but another renderer drew: ");
   if (!shim_report_is_plugin(report, report->library))
      fprintf(stderr,
              "%s has loaded %s, for which this driver was not built\n",
              report->program, report->library);
   else
      fprintf(stderr,
              "in %s the driver has declined the device (and said why), or "
              "software was asked for (LIBGL_ALWAYS_SOFTWARE)\n",
              report->program);
   return false;
}

/* For programs that ask for a context or a screen that the chip does not
 * have: they say no more than that they failed. */
static void
print_limits(const struct shim_report *report, const char *command)
{
   struct sim_stats s;
   memcpy(&s, report->stats, sizeof(s));
   if (report->processes && !s.draws && !s.fills && !s.blits)
      fprintf(stderr,
              "tegra20-run: %s failed before it drew.  The chip has OpenGL "
              "2.1, OpenGL ES 2.0 and 1.1; a program that asks for more may "
              "start with MESA_GL_VERSION_OVERRIDE=3.3 or "
              "MESA_GLES_VERSION_OVERRIDE=3.0.  A screen is in "
              "tegra20-vm.\n",
              command);
}

/* --- running --- */

static pid_t child;

static void
forward_signal(int number)
{
   kill(child, number);
}

static int
exec_command(char **argv)
{
   execvp(argv[0], argv);
   int error = errno;
   fprintf(stderr, "tegra20-run: cannot run %s: %s\n", argv[0],
           strerror(error));
   return error == ENOENT ? STATUS_NOT_FOUND : STATUS_CANNOT_RUN;
}

/* As the dynamic linker gets them. */
struct search_path {
   const char *plugin_dir, *shim;
};

static int
run_and_report(char **argv, struct shim_report *report,
               struct search_path path, enum strict strict, bool stats)
{
   const pid_t parent = getpid();
   child = fork();
   if (child < 0) {
      fprintf(stderr, "tegra20-run: cannot fork: %s\n", strerror(errno));
      return STATUS_CANNOT_RUN;
   }
   if (child == 0) {
      /* A command that nobody waits for any more is not left behind. */
      prctl(PR_SET_PDEATHSIG, SIGTERM);
      if (getppid() != parent)
         _exit(STATUS_CANNOT_RUN);
      prepend("LD_LIBRARY_PATH", path.plugin_dir);
      char backend[PATH_MAX];
      snprintf(backend, sizeof(backend), "%s/dri_gbm.so", path.plugin_dir);
      if (!access(backend, R_OK)) /* of a private Mesa */
         prepend("GBM_BACKENDS_PATH", path.plugin_dir);
      prepend("LD_PRELOAD", path.shim);
      _exit(exec_command(argv));
   }

   static const int forwarded[] = { SIGTERM, SIGHUP, SIGUSR1, SIGUSR2 };
   for (unsigned i = 0; i < sizeof(forwarded) / sizeof(forwarded[0]); i++)
      signal(forwarded[i], forward_signal);
   signal(SIGINT, SIG_IGN); /* the terminal sends it to the command too */
   signal(SIGQUIT, SIG_IGN);

   int status;
   while (waitpid(child, &status, 0) < 0 && errno == EINTR)
      ;
   int code =
      WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
   chip_process_end();
   if (stats)
      print_stats(report);
   if (strict && print_diags(report, strict == STRICT_PROVEN) && code == 0)
      code = STATUS_STRICT;
   if (WIFEXITED(status) && code != 0)
      print_limits(report, argv[0]);
   if (!check_reached(report, argv[0]) && code == 0)
      code = STATUS_OTHER_RENDERER;
   return code;
}

int
main(int argc, char **argv)
{
   enum {
      CHIP = 256,
      NOOP,
      STRICT,
      RECORD,
      STATS,
      DESKTOP,
      SCREENSHOT,
      THREADS,
      MEMORY,
      ASYNC,
      FAIL,
      GRATE,
      TRACE,
      SWITCH,
      ADVERSARY,
      ONE_CHIP,
      OWN_CHIP,
      VERSION,
      HELP
   };
   static const struct option options[] = {
      { "chip", required_argument, NULL, CHIP },
      { "noop", no_argument, NULL, NOOP },
      { "strict", optional_argument, NULL, STRICT },
      { "record", required_argument, NULL, RECORD },
      { "stats", no_argument, NULL, STATS },
      { "desktop", no_argument, NULL, DESKTOP },
      { "screenshot", required_argument, NULL, SCREENSHOT },
      { "threads", required_argument, NULL, THREADS },
      { "memory", required_argument, NULL, MEMORY },
      { "async", required_argument, NULL, ASYNC },
      { "fail", required_argument, NULL, FAIL },
      { "grate", no_argument, NULL, GRATE },
      { "trace", no_argument, NULL, TRACE },
      { "switch", required_argument, NULL, SWITCH },
      { "adversary", optional_argument, NULL, ADVERSARY },
      { "one-chip", optional_argument, NULL, ONE_CHIP },
      { "own-chip", no_argument, NULL, OWN_CHIP },
      { "version", no_argument, NULL, VERSION },
      { "help", no_argument, NULL, HELP },
      { NULL, 0, NULL, 0 },
   };
   enum strict strict = STRICT_OFF;
   bool stats = false, one_chip = false, own_chip = false, desktop = false;
   /* An unknown chip of the environment is the shim's to refuse. */
   const char *chip = getenv("TEGRA20_SHIM_CHIP");
   const char *plugin = chip ? plugin_for(chip) : NULL;
   int option;
   if (!plugin)
      plugin = "lib";
   while ((option = getopt_long(argc, argv, "+h", options, NULL)) != -1) {
      switch (option) {
      case CHIP:
         plugin = plugin_for(optarg);
         if (!plugin) {
            fprintf(stderr,
                    "tegra20-run: unknown chip \"%s\" (tegra20, tegra30, "
                    "tegra114, tegra124, vc4, a420, a430)\n",
                    optarg);
            return STATUS_USAGE;
         }
         setenv("TEGRA20_SHIM_CHIP", optarg, 1);
         break;
      case NOOP:
         setenv("TEGRA20_SHIM_NOOP", "1", 1);
         break;
      case STRICT:
         if (optarg && strcmp(optarg, "proven")) {
            fprintf(stderr,
                    "tegra20-run: --strict=%s: only \"proven\" is "
                    "known\n",
                    optarg);
            return STATUS_USAGE;
         }
         strict = optarg ? STRICT_PROVEN : STRICT_ON;
         setenv("TEGRA20_SHIM_STRICT", optarg ? optarg : "1", 1);
         break;
      case RECORD:
         if (!clear_recording(optarg))
            return STATUS_CANNOT_RUN;
         set_absolute("TEGRA20_SHIM_RECORD", optarg);
         break;
      case STATS:
         stats = true;
         break;
      case DESKTOP:
         desktop = one_chip = true;
         break;
      case SCREENSHOT:
         set_absolute("TEGRA20_SCREENSHOT", optarg);
         break;
      case THREADS:
         if (!set_number("threads", "TEGRA20_SHIM_THREADS", optarg,
                         SIM_MAX_THREADS))
            return STATUS_USAGE;
         break;
      case MEMORY:
         if (!set_number("memory", "TEGRA20_SHIM_MEMORY", optarg, INT_MAX))
            return STATUS_USAGE;
         break;
      case ASYNC:
         if (!set_number("async", "TEGRA20_SHIM_ASYNC", optarg, INT_MAX))
            return STATUS_USAGE;
         break;
      case FAIL:
         if (!check_faults(optarg))
            return STATUS_USAGE;
         setenv("TEGRA20_SHIM_FAIL", optarg, 1);
         break;
      case GRATE:
         setenv("TEGRA20_SHIM_GRATE", "1", 1);
         break;
      case TRACE:
         setenv("TEGRA20_SHIM_TRACE", "1", 1);
         break;
      case ADVERSARY:
         if (!set_number("adversary", "TEGRA20_SHIM_ADVERSARY",
                         optarg ? optarg : "1", INT_MAX))
            return STATUS_USAGE;
         one_chip |= !optarg || strtoul(optarg, NULL, 10);
         break;
      case ONE_CHIP:
         one_chip = true;
         if (optarg)
            set_absolute("TEGRA20_SHIM_ONE_CHIP", optarg);
         break;
      case OWN_CHIP:
         own_chip = true;
         break;
      case SWITCH:
         if (!add_switch(optarg))
            return STATUS_USAGE;
         break;
      case VERSION:
         about_print_version("tegra20-run");
         return 0;
      case HELP:
      case 'h':
         fputs(usage, stdout);
         return 0;
      default:
         fprintf(stderr, "Try 'tegra20-run --help'.\n");
         return STATUS_USAGE;
      }
   }
   if (optind == argc) {
      fprintf(stderr, "tegra20-run: no command given\nTry 'tegra20-run "
                      "--help'.\n");
      return STATUS_USAGE;
   }

   struct libraries libraries;
   if (!find_libraries(&libraries, plugin)) {
      fprintf(stderr, "tegra20-run: neither a build directory nor an "
                      "installation around this program has " SHIM_NAME
                      ": build it (ci/setup) or install it again\n");
      return STATUS_CANNOT_RUN;
   }
   if (access(libraries.plugin_dir, R_OK)) {
      fprintf(stderr,
              "tegra20-run: %s, Mesa with a driver for this chip, was not "
              "built (docs/videocore.md, docs/adreno.md)\n",
              libraries.plugin_dir);
      return STATUS_CANNOT_RUN;
   }
   if (!create_directory())
      return STATUS_CANNOT_RUN;
   const char *shim = in_list(libraries.shim, SHIM_NAME, shim_link);
   const char *plugin_dir = in_list(libraries.plugin_dir, "lib", plugin_link);
   struct shim_report *report = plugin_dir ? create_report(plugin_dir) : NULL;
   int code = STATUS_CANNOT_RUN;
   if (own_chip)
      unsetenv("TEGRA20_SHIM_ONE_CHIP");
   const char *shared = getenv("TEGRA20_SHIM_ONE_CHIP");
   const bool named = shared && *shared;
   if (one_chip && !own_chip && !strcmp(plugin, "lib") && shim && report &&
       !chip_process_start(shim, named ? shared : chip_path,
                           named ? 0666 : 0600))
      report = NULL;
   char **command =
      desktop ? desktop_command(argv + optind, argc - optind, directory)
              : argv + optind;
   if (shim && report && command)
      code = run_and_report(command, report,
                            (struct search_path){ plugin_dir, shim }, strict,
                            stats);
   remove_directory();
   return code;
}
