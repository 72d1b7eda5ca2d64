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
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "about.h"
#include "profile_writer.h"
#include "tegra20_version.h"
#include "util/hash_table.h"

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

/* A word for the tool and the device: results of others say nothing. */
static void
name_run(const char *device, char name[64])
{
   snprintf(name, 64, "%08x%08x", _mesa_hash_string(tegra20_version),
            _mesa_hash_string(device));
}

void
calibration_name_run(const struct calibration *c, const char *device)
{
   char name[64];

   name_run(device, name);
   calibration_note(c, "run", name);
}

bool
calibration_was_same(const struct calibration *c, const char *device,
                     const char *name)
{
   char what[16], about[64], run[64];
   bool ours = false, same = false;
   FILE *notes = fopen(c->notes, "re");

   name_run(device, run);
   while (notes && fscanf(notes, "%15s %63s", what, about) == 2) {
      if (!strcmp(what, "run"))
         ours = !strcmp(about, run);
      else if (!strcmp(about, name) && strcmp(what, "stopped"))
         same = ours && !strcmp(what, "same");
   }
   if (notes)
      fclose(notes);
   return same;
}

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
calibration_done(struct calibration *c, const char *name, bool same)
{
   calibration_note(c, same ? "same" : "done", name);
   snprintf(stopped_note, sizeof(stopped_note), "stopped -\n");
}

/* --- results --- */

/* What a run says about a row. */
enum verdict {
   UNKNOWN,          /* the preset's value stays */
   NOT_CONTRADICTED, /* other values would leave the same */
   PROVED,           /* its own experiments leave no other value */
};

/* Experiments of A48 are those of A48.1, A48.2, ... */
static bool
is_of_row(const struct experiment *e, const struct tegra20_hw_row *row)
{
   const size_t length = strcspn(row->id, ".");

   return strlen(e->id) == length && !memcmp(e->id, row->id, length);
}

/* The row's experiments against the model as it is set. */
static bool
fits_own(struct model *model, const struct tegra20_hw_row *row,
         const struct finding *findings, unsigned count)
{
   for (unsigned i = 0; i < count; i++) {
      if (is_of_row(findings[i].experiment, row) &&
          !finding_fits(model, &findings[i]))
         return false;
   }
   return true;
}

/* The model is set to the value that was found.  Does another one of the row
 * leave the same in its experiments? */
static bool
another_fits(struct model *model, const struct tegra20_hw_row *row,
             unsigned found, const struct finding *findings, unsigned count)
{
   bool fits = false;
   unsigned back = 0, first = 0;

   for (unsigned i = 0; i < model_num_alternatives(model); i++) {
      const struct alternative a = model_alternative(model, i);

      if (strcmp(a.id, row->id))
         continue;
      first = first ? first : i + 1;
      if (found && !strcmp(a.value, row->values[found])) {
         back = i + 1;
         continue;
      }
      model_set(model, i, true);
      fits |= fits_own(model, row, findings, count);
   }
   if (!first)
      return false;
   model_set(model, first - 1, false); /* the default */
   if (back) {
      fits |= fits_own(model, row, findings, count);
      model_set(model, back - 1, true);
   }
   return fits;
}

/* Alternatives each of which explains everything alone: none is proved. */
static bool
is_one_of_many(const struct model *model, const struct conclusion *conclusion,
               const struct tegra20_hw_row *row)
{
   bool named = false;

   for (unsigned i = 0; i < conclusion->count; i++)
      named |= !strcmp(
         model_alternative(model, conclusion->alternatives[i]).id, row->id);
   return named && conclusion->single && conclusion->count > 1;
}

static enum verdict
judge(struct model *model, const struct conclusion *conclusion,
      const struct tegra20_hw_row *row, unsigned found,
      const struct finding *findings, unsigned count)
{
   unsigned ran = 0;

   for (unsigned i = 0; i < count; i++) {
      const struct finding *f = &findings[i];

      if (!is_of_row(f->experiment, row))
         continue;
      if ((f->outcome != OUTCOME_OK && f->outcome != OUTCOME_HANG) ||
          (f->device && !f->explained))
         return found ? NOT_CONTRADICTED : UNKNOWN;
      ran++;
   }
   if (!ran)
      return found ? NOT_CONTRADICTED : UNKNOWN;
   return is_one_of_many(model, conclusion, row) ||
                another_fits(model, row, found, findings, count)
             ? NOT_CONTRADICTED
             : PROVED;
}

/* Begins with the preset and takes over what was found about each row of
 * which something is known; says so in the file. */
static void
switch_on(struct tegra20_hw *hw, const struct tegra20_hw *found,
          struct model *model, const struct finding *findings, unsigned count,
          const struct conclusion *conclusion, unsigned soaked,
          struct remarks *remarks)
{
   size_t at = 0;

   tegra20_hw_make_safe(hw);
   conclusion_set(model, conclusion, true);
   *remarks = (struct remarks){ 0 };
   for (unsigned i = 0; i < TEGRA20_HW_NUM_ROWS && at < sizeof(remarks->text);
        i++) {
      const struct tegra20_hw_row *row = &tegra20_hw_rows[i];
      const bool soak = !strcmp(row->name, "draws-in-job");
      const enum verdict verdict =
         soak
            ? (soaked ? NOT_CONTRADICTED : UNKNOWN)
            : judge(model, conclusion, row, found->value[i], findings, count);

      if (verdict != UNKNOWN)
         hw->value[i] = found->value[i];
      remarks->proved += verdict == PROVED;
      remarks->fitting += verdict == NOT_CONTRADICTED;
      remarks->assumed += verdict == UNKNOWN;
      at += snprintf(remarks->text + at, sizeof(remarks->text) - at,
                     "# %s %s=%s: %s\n", row->id, row->name,
                     row->values[hw->value[i]],
                     verdict == PROVED             ? "proved"
                     : verdict == NOT_CONTRADICTED ? "not contradicted"
                     : hw->value[i]                ? "not known, safe"
                                                   : "assumed");
   }
   conclusion_set(model, conclusion, false);
}

static bool
set_rows(struct tegra20_hw *hw, const struct model *model,
         const struct conclusion *conclusion)
{
   for (unsigned i = 0; i < conclusion_taken(conclusion); i++) {
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
   static struct remarks remarks;
   char text[TEGRA20_HW_MAX_TEXT];
   struct tegra20_hw hw, found = { 0 };

   if (!set_rows(&found, model, conclusion))
      return false;
   switch_on(&hw, &found, model, findings, count, conclusion, soaked,
             &remarks);
   tegra20_hw_format(&hw, text, sizeof(text));
   FILE *report = fopen(c->report, "we");
   if (!report || !tegra20_hw_write(&hw, test_chip()->version, remarks.text,
                                    c->profile)) {
      fprintf(stderr, "tegra20-hwtest: cannot write %s: %s\n",
              report ? c->profile : c->report, strerror(errno));
      if (report)
         fclose(report);
      return false;
   }
   report_html(report, device, model, findings, count, conclusion, text,
               &remarks);
   bool failed = ferror(report);
   failed |= fclose(report) != 0;
   calibration_forget(c);
   printf("\nThe profile is \"%s\".\n", text);
   print_rows(&hw);
   printf("\nOf %u rows %u are proved, %u not contradicted, %u not known.\n",
          TEGRA20_HW_NUM_ROWS, remarks.proved, remarks.fitting,
          remarks.assumed);
   printf("\nWritten: %s, which the driver reads from now on,\n"
          "and %s, which shows what was drawn.  Please send it to: %s\n",
          c->profile, c->report, about_reports);
   if (conclusion->unexplained)
      printf("%u experiments are not explained: the profile is the best that "
             "is known.\n",
             conclusion->unexplained);
   return !failed;
}
