/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 */

#include "profile_writer.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

size_t
tegra20_hw_format(const struct tegra20_hw *hw, char *text, size_t size)
{
   size_t at = 0;

   if (size)
      *text = 0;
   for (unsigned i = 0; i < TEGRA20_HW_NUM_ROWS; i++) {
      const struct tegra20_hw_row *row = &tegra20_hw_rows[i];
      if (!hw->value[i])
         continue;
      at += snprintf(at < size ? text + at : NULL, at < size ? size - at : 0,
                     "%s%s=%s", at ? "," : "", row->name,
                     row->values[hw->value[i]]);
   }
   return at;
}

bool
tegra20_hw_write(const struct tegra20_hw *hw, uint32_t version,
                 const char *remarks, const char *path)
{
   struct utsname kernel;
   char temporary[4096];
   unsigned lines = 3;

   if (uname(&kernel))
      return false;
   if ((size_t)snprintf(temporary, sizeof(temporary), "%s.new", path) >=
       sizeof(temporary)) {
      errno = ENAMETOOLONG;
      return false;
   }
   FILE *file = fopen(temporary, "we");
   if (!file)
      return false;
   fprintf(file, TEGRA20_HW_MAGIC "\n" TEGRA20_HW_CHIP "\nkernel %s\n%s",
           version, kernel.release, remarks);
   for (const char *p = remarks; (p = strchr(p, '\n')); p++)
      lines++;
   for (unsigned i = 0; i < TEGRA20_HW_NUM_ROWS; i++) {
      if (!hw->value[i])
         continue;
      fprintf(file, "%s=%s\n", tegra20_hw_rows[i].name,
              tegra20_hw_rows[i].values[hw->value[i]]);
      lines++;
   }
   fprintf(file, "end %u\n", lines);
   bool failed = fflush(file) || fsync(fileno(file));
   failed |= fclose(file) != 0;
   if (failed || rename(temporary, path)) {
      int error = errno;
      unlink(temporary);
      errno = error;
      return false;
   }
   return true;
}
