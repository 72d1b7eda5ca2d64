/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 */

#include "about.h"

#include <stdio.h>

#include "tegra20_version.h"

const char about_reports[] = REPORTS;

void
about_print_version(const char *program)
{
   printf("%s %s\nSend reports to: %s\n", program, tegra20_version,
          about_reports);
}
