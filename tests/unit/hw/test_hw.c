/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * The hardware profile: table, text, files.
 */

#include <errno.h>
#include <unistd.h>

#include "unit.h"
#include "profile_writer.h"

static char path[256];

/* Every value of every row is reached by name and by id, alone and behind another one, and written the same way. */
TEST(every_value)
{
   for (unsigned i = 0; i < TEGRA20_HW_NUM_ROWS; i++) {
      const struct tegra20_hw_row *row = &tegra20_hw_rows[i];

      assert_true(row->num_values >= 2 && row->topic[0] && row->fit[0] && row->cost[0]);
      for (unsigned v = 0; v < row->num_values; v++) {
         struct tegra20_hw hw = { 0 }, again = { 0 };
         char text[256], written[TEGRA20_HW_MAX_TEXT], error[TEGRA20_HW_ERROR];

         snprintf(text, sizeof(text), "%s=%s", row->name, row->values[v]);
         assert_true(tegra20_hw_parse(&hw, text, error));
         assert_int_equal(hw.value[i], v);
         tegra20_hw_format(&hw, written, sizeof(written));
         assert_string_equal(written, v ? text : "");
         snprintf(text, sizeof(text), "A57=16,%s=%s", row->id, row->values[v]);
         assert_true(tegra20_hw_parse(&again, text, error));
         assert_int_equal(again.value[i], v);
      }
   }
}

static const struct {
   const char *text, *error; /* NULL: accepted */
   const char *result;
} parses[] = {
   { "", NULL, "" },
   { "npot-pitch=16", NULL, "npot-pitch=16" },
   { "A57=16", NULL, "npot-pitch=16" },
   { "A57=16,A57=64", NULL, "" },
   { "A57=16,point-size=radius,", NULL, "point-size=radius,npot-pitch=16" },
   { ",,A57=16", NULL, "npot-pitch=16" },
   { "A57", "npot-pitch takes one of 64 16", NULL },
   { "A57=", "npot-pitch takes one of 64 16", NULL },
   { "A57=17", "npot-pitch takes one of 64 16", NULL },
   { "A57=16 ", "npot-pitch takes one of 64 16", NULL },
   { "A5=16", "no such behaviour", NULL },
   { "npot-pitc=16", "no such behaviour", NULL },
   { "A26=radius,A57=1", "takes one of", NULL },
   { "A48=avoided", "takes one of", NULL },
   { "A48.1=avoided", NULL, "min-max=avoided" },
};

TEST_ROWS_CALLED(parse, parses, text)
{
   struct tegra20_hw hw = { 0 };
   char error[TEGRA20_HW_ERROR] = "", text[TEGRA20_HW_MAX_TEXT];
   bool ok = tegra20_hw_parse(&hw, c->text, error);

   tegra20_hw_format(&hw, text, sizeof(text));
   assert_int_equal(ok, c->error == NULL);
   assert_string_equal(text, ok ? c->result : "");
   if (!ok)
      assert_non_null(strstr(error, c->error));
}

/* A text that is longer than the error's room. */
TEST(long_text)
{
   struct tegra20_hw hw = { 0 };
   char error[TEGRA20_HW_ERROR], text[1000];

   memset(text, 'x', sizeof(text) - 1);
   text[sizeof(text) - 1] = 0;
   assert_false(tegra20_hw_parse(&hw, text, error));
   assert_true(strspn(error + 1, "x") == 64 && error[65] == '"');
   memcpy(text, "A59=", 4);
   assert_false(tegra20_hw_parse(&hw, text, error));
   assert_true(strlen(error) < sizeof(error) && strspn(error + 5, "x") == 60);
}

static void
write_text(const char *text)
{
   FILE *file = fopen(path, "w");

   assert_non_null(file);
   fputs(text, file);
   fclose(file);
}

#define HEAD "tegra20-hw 1\nchip 0x20\nkernel 6.1\n"

static const struct {
   const char *text, *error;
} profiles[] = {
   { HEAD "end 3\n", NULL },
   { HEAD "A57=16\nend 4\n", NULL },
   { HEAD "# found\nnpot-pitch=16\nend 5\n", NULL },
   { "", "not a text" },
   { HEAD, "cut off" },
   { HEAD "npot-pitch=16\n", "cut off" },
   { HEAD "npot-pitch=16\nend 3\n", "cut off" },
   { HEAD "npot-pitch=16\nend 4", "cut off" },
   { HEAD "npot-pitch=16\nend 4\nA26=radius\n", "cut off" },
   { HEAD "npot-pitch=1\nend 4\n", "takes one of" },
   { HEAD "pitch=16\nend 4\n", "no such behaviour" },
   { "tegra20-hw 2\nchip 0x20\nkernel 6.1\nend 3\n", "first line" },
   { "tegra20-hw 1\nchip 0x30\nkernel 6.1\nend 3\n", "not of this chip" },
};

TEST_ROWS_CALLED(files, profiles, text)
{
   struct tegra20_hw hw = { 0 };
   char error[TEGRA20_HW_ERROR] = "";

   write_text(c->text);
   bool ok = tegra20_hw_read(&hw, path, 0x20, error);
   assert_int_equal(ok, c->error == NULL);
   assert_int_equal(hw.value[TEGRA20_HW_NPOT_PITCH], ok && strstr(c->text, "16\n") != NULL);
   if (!ok)
      assert_non_null(strstr(error, c->error));
}

/* Every row has its safe value, what comes behind the word wins. */
TEST(safe)
{
   struct tegra20_hw hw = { 0 };
   char error[TEGRA20_HW_ERROR];

   assert_true(tegra20_hw_parse(&hw, "npot-pitch=16,safe,A56=fragment", error));
   for (unsigned i = 0; i < TEGRA20_HW_NUM_ROWS; i++)
      assert_int_equal(hw.value[i], i == TEGRA20_HW_FETCH_ORDER ? 0 : tegra20_hw_rows[i].safe);
   assert_int_equal(hw.value[TEGRA20_HW_DRAWS_IN_JOB], TEGRA20_HW_DRAWS_IN_JOB_ALONE);
}

/* What is written is read again, and every way of cutting it off is noticed. */
TEST(write)
{
   struct tegra20_hw hw = { 0 }, read;
   char error[TEGRA20_HW_ERROR], text[4096];

   for (unsigned i = 0; i < TEGRA20_HW_NUM_ROWS; i += 3)
      hw.value[i] = tegra20_hw_rows[i].num_values - 1;
   assert_true(tegra20_hw_write(&hw, 0x30, "# a remark\n# another\n", path));
   memset(&read, 0, sizeof(read));
   assert_false(tegra20_hw_read(&read, path, 0x20, error));
   assert_true(tegra20_hw_read(&read, path, 0x30, error));
   assert_memory_equal(&read, &hw, sizeof(hw));

   FILE *file = fopen(path, "r");
   size_t length = fread(text, 1, sizeof(text), file);
   fclose(file);
   assert_true(length < sizeof(text));
   for (size_t cut = 0; cut < length; cut++) {
      assert_int_equal(truncate(path, 0), 0);
      file = fopen(path, "w");
      fwrite(text, 1, cut, file);
      fclose(file);
      assert_false(tegra20_hw_read(&read, path, 0x30, error));
   }
   unlink(path);
   assert_false(tegra20_hw_read(&read, path, 0x30, error));
   assert_int_equal(errno, ENOENT);
   assert_false(tegra20_hw_write(&hw, 0x30, "", "/nowhere/profile"));
   assert_int_equal(errno, ENOENT);
}

BEFORE_ALL
{
   const char *directory = getenv("TMPDIR");

   snprintf(path, sizeof(path), "%s/tegra20-test-hw-%d", directory ? directory : "/tmp", (int)getpid());
}

AFTER_ALL
{
   unlink(path);
}
