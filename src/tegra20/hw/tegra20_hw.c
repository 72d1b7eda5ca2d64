/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Reading hardware profiles (tegra20-hwtest writes them).
 */

#include "tegra20/tegra20_hw.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

#define SYSTEM_PATH "/etc/tegra20/hardware-profile"
/* A whole file; longer ones are no profiles. */
#define MAX_FILE 16384

struct tegra20_hw tegra20_hw;

/* --- text --- */

static bool
equals(const char *word, const char *text, size_t length)
{
   return strlen(word) == length && !memcmp(word, text, length);
}

/* One "NAME=VALUE" of length bytes. */
static bool
set(struct tegra20_hw *hw, const char *text, size_t length, char *error)
{
   const char *equal = memchr(text, '=', length);
   size_t name = equal ? (size_t)(equal - text) : length;

   for (unsigned i = 0; i < TEGRA20_HW_NUM_ROWS; i++) {
      const struct tegra20_hw_row *row = &tegra20_hw_rows[i];
      if (!equals(row->name, text, name) && !equals(row->id, text, name))
         continue;
      for (unsigned v = 0; equal && v < row->num_values; v++) {
         if (equals(row->values[v], equal + 1, length - name - 1)) {
            hw->value[i] = v;
            return true;
         }
      }
      int at = snprintf(error, TEGRA20_HW_ERROR, "\"%.*s\": %s takes one of",
                        (int)(length < 64 ? length : 64), text, row->name);
      for (unsigned v = 0; v < row->num_values && at < TEGRA20_HW_ERROR; v++)
         at += snprintf(error + at, TEGRA20_HW_ERROR - at, " %s",
                        row->values[v]);
      return false;
   }
   snprintf(error, TEGRA20_HW_ERROR,
            "\"%.*s\": no such behaviour; TEGRA20_HW=help lists them",
            (int)(length < 64 ? length : 64), text);
   return false;
}

void
tegra20_hw_make_safe(struct tegra20_hw *hw)
{
   for (unsigned i = 0; i < TEGRA20_HW_NUM_ROWS; i++)
      hw->value[i] = tegra20_hw_rows[i].safe;
}

bool
tegra20_hw_parse(struct tegra20_hw *hw, const char *text,
                 char error[TEGRA20_HW_ERROR])
{
   struct tegra20_hw result = *hw;

   while (*text) {
      size_t length = strcspn(text, ",");
      if (equals("safe", text, length))
         tegra20_hw_make_safe(&result);
      else if (length && !set(&result, text, length, error))
         return false;
      text += length + (text[length] == ',');
   }
   *hw = result;
   return true;
}

/* --- files --- */

/* Takes the next line from *text; NULL at the end and when the line has no
 * end. */
static char *
next_line(char **text)
{
   char *line = *text, *end = strchr(line, '\n');

   if (!end)
      return NULL;
   *end = 0;
   *text = end + 1;
   return line;
}

static bool
parse_file(struct tegra20_hw *hw, char *text, uint32_t version, char *error)
{
   unsigned lines = 0, announced;
   char *line, chip[32];

   snprintf(chip, sizeof(chip), TEGRA20_HW_CHIP, version);
   for (; (line = next_line(&text)); lines++) {
      if (lines == 0 && strcmp(line, TEGRA20_HW_MAGIC)) {
         snprintf(error, TEGRA20_HW_ERROR, "the first line is not \"%s\"",
                  TEGRA20_HW_MAGIC);
         return false;
      }
      if (lines == 1 && strcmp(line, chip)) {
         snprintf(error, TEGRA20_HW_ERROR, "not of this chip (\"%s\")", chip);
         return false;
      }
      if (lines < 2 || *line == '#' || !strncmp(line, "kernel ", 7))
         continue;
      if (sscanf(line, "end %u", &announced) == 1) {
         if (announced == lines && !*text)
            return true;
         break;
      }
      if (!set(hw, line, strlen(line), error))
         return false;
   }
   snprintf(error, TEGRA20_HW_ERROR,
            "cut off or changed: the last line must "
            "be \"end\" and the number of lines "
            "before it");
   return false;
}

bool
tegra20_hw_read(struct tegra20_hw *hw, const char *path, uint32_t version,
                char error[TEGRA20_HW_ERROR])
{
   struct tegra20_hw result = *hw;
   char *text;
   FILE *file = fopen(path, "re");

   if (!file) {
      snprintf(error, TEGRA20_HW_ERROR, "%s", strerror(errno));
      return false;
   }
   text = malloc(MAX_FILE + 1);
   size_t length = text ? fread(text, 1, MAX_FILE + 1, file) : 0;
   fclose(file);
   bool ok = false;
   if (length > MAX_FILE || !length || memchr(text, 0, length)) {
      snprintf(error, TEGRA20_HW_ERROR, "empty, too long or not a text");
   } else {
      text[length] = 0;
      ok = parse_file(&result, text, version, error);
   }
   free(text);
   if (ok)
      *hw = result;
   errno = EINVAL;
   return ok;
}

bool
tegra20_hw_user_path(char *path, size_t size)
{
   const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
   int n;

   if (config && *config == '/')
      n = snprintf(path, size, "%s/tegra20/hardware-profile", config);
   else if (home && *home == '/')
      n = snprintf(path, size, "%s/.config/tegra20/hardware-profile", home);
   else
      return false;
   return n > 0 && (size_t)n < size;
}

/* --- start --- */

static void
print_help(void)
{
   fprintf(stderr, "TEGRA20_HW=NAME=VALUE,...  (docs/hardware-profile.md)\n");
   for (unsigned i = 0; i < TEGRA20_HW_NUM_ROWS; i++) {
      const struct tegra20_hw_row *row = &tegra20_hw_rows[i];
      fprintf(stderr, "  %-6s %-22s", row->id, row->name);
      for (unsigned v = 0; v < row->num_values; v++)
         fprintf(stderr, "%c%s%s", v ? '|' : ' ', row->values[v],
                 v == tegra20_hw.value[i] ? "*" : "");
      fprintf(stderr,
              "\n           %s\n           another value: %s; cost: "
              "%s\n",
              row->topic, row->fit, row->cost);
   }
}

static void
read_file(struct tegra20_hw *hw, const char *path, uint32_t version)
{
   char error[TEGRA20_HW_ERROR];

   if (!tegra20_hw_read(hw, path, version, error) && errno != ENOENT)
      fprintf(stderr,
              "tegra20: %s is ignored: %s; tegra20-hwtest --calibrate writes "
              "it anew\n",
              path, error);
}

static void
read_all(uint32_t version)
{
   /* a program with the rights of another user does not obey this one */
   const bool trusted = !getauxval(AT_SECURE);
   const char *text = trusted ? getenv("TEGRA20_HW") : NULL;
   char path[4096], error[TEGRA20_HW_ERROR];
   struct tegra20_hw hw = { 0 };
   bool help = text && !strcmp(text, "help");
   bool plain =
      text && !strncmp(text, "default", 7) && (!text[7] || text[7] == ',');
   bool safe =
      text && !strncmp(text, "safe", 4) && (!text[4] || text[4] == ',');

   if (!plain && !safe) {
      read_file(&hw, SYSTEM_PATH, version);
      if (trusted && tegra20_hw_user_path(path, sizeof(path)))
         read_file(&hw, path, version);
   }
   if (text && !help && !tegra20_hw_parse(&hw, text + (plain ? 7 : 0), error))
      fprintf(stderr, "tegra20: TEGRA20_HW is ignored: %s\n", error);
   tegra20_hw = hw;
   if (help)
      print_help();
}

void
tegra20_hw_init(uint32_t version)
{
   static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
   static bool done;

   pthread_mutex_lock(&mutex);
   if (!done)
      read_all(version);
   done = true;
   pthread_mutex_unlock(&mutex);
}
