/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * From the conclusion to a profile that the driver reads.
 */

#include "calibrate.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "about.h"
#include "tegra20/tegra20_hw.h"

#define SYSTEM_PROFILE "/etc/tegra20/hardware-profile"

/* Makes the directories that a path names. */
static bool
make_directories(char *path)
{
   for (char *slash = strchr(path + 1, '/'); slash;
        slash = strchr(slash + 1, '/')) {
      *slash = 0;
      bool ok = !mkdir(path, 0755) || errno == EEXIST;
      *slash = '/';
      if (!ok)
         return false;
   }
   return true;
}

bool
calibration_begin(struct calibration *c, const char *path)
{
   char user[sizeof(c->profile)];

   if (!path && getuid() == 0)
      path = SYSTEM_PROFILE;
   if (!path && tegra20_hw_user_path(user, sizeof(user)))
      path = user;
   if (!path || strlen(path) >= sizeof(c->profile)) {
      fprintf(stderr, "tegra20-hwtest: there is no home directory for the "
                      "profile: name a file with --profile\n");
      return false;
   }
   strcpy(c->profile, path);
   snprintf(c->notes, sizeof(c->notes), "%s.notes", path);
   snprintf(c->report, sizeof(c->report), "%s.html", path);
   FILE *notes = make_directories(c->profile) ? fopen(c->notes, "ae") : NULL;
   if (!notes) {
      fprintf(stderr,
              "tegra20-hwtest: cannot write %s: %s; --profile names another "
              "place\n",
              c->notes, strerror(errno));
      return false;
   }
   fclose(notes);
   return true;
}

/* --- notes --- */

static void
calibration_note(const struct calibration *c, const char *what,
                 const char *name)
{
   FILE *notes = fopen(c->notes, "ae");

   if (!notes)
      return;
   fprintf(notes, "%s %s\n", what, name);
   fflush(notes);
   fsync(fileno(notes));
   fclose(notes);
}

/* Has the last note about an experiment been that it was tried? */
bool
calibration_was_fatal(const struct calibration *c, const char *name)
{
   char what[16], about[64];
   bool fatal = false;
   FILE *notes = fopen(c->notes, "re");

   while (notes && fscanf(notes, "%15s %63s", what, about) == 2)
      if (!strcmp(about, name))
         fatal = !strcmp(what, "trying");
   if (notes)
      fclose(notes);
   return fatal;
}

void
calibration_forget(const struct calibration *c)
{
   char fresh[sizeof(c->notes) + 8], what[16], about[64];
   FILE *notes = fopen(c->notes, "re");

   snprintf(fresh, sizeof(fresh), "%s.new", c->notes);
   FILE *out = notes ? fopen(fresh, "we") : NULL;
   while (out && fscanf(notes, "%15s %63s", what, about) == 2)
      if (!strcmp(what, "trying") && calibration_was_fatal(c, about))
         fprintf(out, "trying %s\n", about);
   if (out && !fclose(out))
      rename(fresh, c->notes);
   if (notes)
      fclose(notes);
}

/* --- interruption --- */

static int notes_fd = -1;
static char stopped_note[80];

/* Nothing hung: the experiment that runs is tried again the next time. */
static void
on_interrupt(int number)
{
   const ssize_t written =
      write(notes_fd, stopped_note, strlen(stopped_note));

   (void)written;
   _exit(128 + number);
}

void
calibration_trying(struct calibration *c, const char *name)
{
   calibration_note(c, "trying", name);
   snprintf(stopped_note, sizeof(stopped_note), "stopped %s\n", name);
   if (notes_fd >= 0)
      return;
   notes_fd = open(c->notes, O_WRONLY | O_APPEND | O_CLOEXEC);
   signal(SIGINT, on_interrupt);
   signal(SIGTERM, on_interrupt);
}

void
calibration_done(struct calibration *c, const char *name)
{
   calibration_note(c, "done", name);
   snprintf(stopped_note, sizeof(stopped_note), "stopped -\n");
}

/* --- results --- */

/* What a run says about a row. */
enum verdict {
   UNKNOWN,          /* nothing was run: the safe value stays */
   NOT_CONTRADICTED, /* many runs of what is a matter of timing */
   PROVED,           /* its experiments leave what the value says */
};

/* Experiments of A48 are those of A48.1, A48.2, ... */
static bool
is_of_row(const struct experiment *e, const struct tegra20_hw_row *row)
{
   const size_t length = strcspn(row->id, ".");

   return strlen(e->id) == length && !memcmp(e->id, row->id, length);
}

static enum verdict
judge(const struct tegra20_hw_row *row, const struct finding *findings,
      unsigned count, unsigned soaked)
{
   unsigned ran = 0;

   if (!strcmp(row->name, "draws-in-job"))
      return soaked ? NOT_CONTRADICTED : UNKNOWN;
   for (unsigned i = 0; i < count; i++) {
      const struct finding *f = &findings[i];

      if (!is_of_row(f->experiment, row))
         continue;
      if ((f->outcome != OUTCOME_OK && f->outcome != OUTCOME_HANG) ||
          (f->device && !f->explained))
         return UNKNOWN;
      ran++;
   }
   return ran ? PROVED : UNKNOWN;
}

/* Begins with the preset and takes over what was found about each row of
 * which something is known; says so in the file. */
static void
switch_on(struct tegra20_hw *hw, const struct tegra20_hw *found,
          const struct finding *findings, unsigned count, unsigned soaked,
          char *remarks, size_t size)
{
   static const char *const texts[] = { "not known, safe", "not contradicted",
                                        "proved" };
   size_t at = 0;

   tegra20_hw_make_safe(hw);
   *remarks = 0;
   for (unsigned i = 0; i < TEGRA20_HW_NUM_ROWS && at < size; i++) {
      const struct tegra20_hw_row *row = &tegra20_hw_rows[i];
      /* what explains another row's experiments is known, too */
      const enum verdict verdict =
         found->value[i] ? PROVED : judge(row, findings, count, soaked);

      if (verdict != UNKNOWN)
         hw->value[i] = found->value[i];
      at += snprintf(remarks + at, size - at, "# %s %s=%s: %s\n", row->id,
                     row->name, row->values[hw->value[i]], texts[verdict]);
   }
}

/* Of choices each of which explains everything the first is as good as any.
 */
static bool
set_rows(struct tegra20_hw *hw, const struct model *model,
         const struct conclusion *conclusion)
{
   unsigned count = conclusion->single ? 1 : conclusion->count;

   for (unsigned i = 0; i < count; i++) {
      char text[128], error[TEGRA20_HW_ERROR];
      struct alternative a =
         model_alternative(model, conclusion->alternatives[i]);

      snprintf(text, sizeof(text), "%s=%s", a.id, a.value);
      if (!tegra20_hw_parse(hw, text, error)) {
         fprintf(stderr, "tegra20-hwtest: %s\n", error);
         return false;
      }
   }
   return true;
}

static void
print_rows(const struct tegra20_hw *hw)
{
   for (unsigned i = 0; i < TEGRA20_HW_NUM_ROWS; i++) {
      const struct tegra20_hw_row *row = &tegra20_hw_rows[i];

      if (hw->value[i])
         printf("  %-6s %s=%s\n         the driver: %s; cost: %s\n", row->id,
                row->name, row->values[hw->value[i]], row->fit, row->cost);
   }
}

bool
calibration_write(const struct calibration *c, const char *device,
                  struct model *model, const struct finding *findings,
                  unsigned count, const struct conclusion *conclusion,
                  unsigned soaked)
{
   static char remarks[12000];
   char text[TEGRA20_HW_MAX_TEXT];
   struct tegra20_hw hw, found = { 0 };

   if (!set_rows(&found, model, conclusion))
      return false;
   switch_on(&hw, &found, findings, count, soaked, remarks, sizeof(remarks));
   tegra20_hw_format(&hw, text, sizeof(text));
   FILE *report = fopen(c->report, "we");
   if (!report || !tegra20_hw_write(&hw, remarks, c->profile)) {
      fprintf(stderr, "tegra20-hwtest: cannot write %s: %s\n",
              report ? c->profile : c->report, strerror(errno));
      if (report)
         fclose(report);
      return false;
   }
   report_html(report, device, model, findings, count, conclusion, text);
   bool failed = ferror(report);
   failed |= fclose(report) != 0;
   calibration_forget(c);
   printf("\nThe profile is \"%s\".\n", text);
   print_rows(&hw);
   printf("\nWritten: %s, which the driver reads from now on,\n"
          "and %s, which shows what was drawn.  Please send it to: %s\n",
          c->profile, c->report, about_reports);
   if (conclusion->unexplained)
      printf("%u experiments are not explained: the profile is the best that "
             "is known.\n",
             conclusion->unexplained);
   return !failed;
}
