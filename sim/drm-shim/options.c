/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Environment variables of the shim; docs/drm-shim.md describes them.
 */

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "parse.h"
#include "shim.h"
#include "threads.h"

/* With an adversary jobs are executed when something waits for them, and at
 * the latest so much later. */
#define ADVERSARY_ASYNC_MS 1000
/* 300 ms at 300 MHz (A101).  The simulator knows mainline's 10 s. */
#define GRATE_JOB_CLOCKS 90000000

static bool
is_set(const char *name)
{
   const char *text = getenv(name);
   return text && *text && strcmp(text, "0");
}

unsigned
shim_options_number(const char *name, unsigned most, unsigned otherwise)
{
   const char *text = getenv(name);
   unsigned value = otherwise;
   if (text && *text && !sim_parse_number(text, most, &value))
      fprintf(stderr,
              "tegra20-shim: %s=\"%s\" is not a number up to %u, ignored\n",
              name, text, most);
   return value;
}

static bool
get_bool(const char *name)
{
   return shim_options_number(name, 1, 0);
}

const struct tegra20_chip_info *
shim_options_chip(void)
{
   const char *text = getenv("TEGRA20_SHIM_CHIP");
   const struct tegra20_chip_info *chip =
      text && *text ? tegra20_chip_by_name(text) : NULL;

   if (chip || (text && (!strcmp(text, "tegra124") || !strcmp(text, "vc4") ||
                         !strcmp(text, "a420") || !strcmp(text, "a430"))))
      return chip;
   if (text && *text)
      fprintf(stderr,
              "tegra20-shim: TEGRA20_SHIM_CHIP=\"%s\" is unknown, taking "
              "tegra20\n",
              text);
   return &tegra20_chips[TEGRA20_CHIP_TEGRA20];
}

void
shim_options_init(struct shim_options *options)
{
   options->chip = shim_options_chip();
   const char *chip = getenv("TEGRA20_SHIM_CHIP");
   options->videocore = chip && !strcmp(chip, "vc4");
   options->adreno = chip && !strcmp(chip, "a420")   ? 420
                     : chip && !strcmp(chip, "a430") ? 430
                                                     : 0;
   options->staging = !get_bool("TEGRA20_SHIM_NO_STAGING");
   options->old = get_bool("TEGRA20_SHIM_OLD");
   options->grate = get_bool("TEGRA20_SHIM_GRATE");
   options->noop = get_bool("TEGRA20_SHIM_NOOP");
   const char *strict = getenv("TEGRA20_SHIM_STRICT");
   options->proven = strict && !strcmp(strict, "proven");
   options->strict = options->proven || get_bool("TEGRA20_SHIM_STRICT");
   options->adversary =
      shim_options_number("TEGRA20_SHIM_ADVERSARY", UINT_MAX, 0);
   options->deaf = shim_options_number("TEGRA20_SHIM_DEAF", UINT_MAX, 0);
   options->threads =
      shim_options_number("TEGRA20_SHIM_THREADS", SIM_MAX_THREADS, 0);
   options->async_ms =
      (int)shim_options_number("TEGRA20_SHIM_ASYNC", INT_MAX,
                               options->adversary ? ADVERSARY_ASYNC_MS : -1);
   options->one_chip = is_set("TEGRA20_SHIM_ONE_CHIP") &&
                       !is_set("TEGRA20_SHIM_WALK") && !options->videocore &&
                       !options->adreno;
   options->timeout_ms =
      shim_options_number("TEGRA20_SHIM_TIMEOUT", UINT_MAX, 0);
   options->job_clocks = shim_options_number(
      "TEGRA20_SHIM_CLOCKS", UINT_MAX, options->grate ? GRATE_JOB_CLOCKS : 0);
   options->switches = getenv("TEGRA20_SHIM_SWITCH");
   options->trace = get_bool("TEGRA20_SHIM_TRACE");
   options->memory_limit =
      (uint64_t)shim_options_number("TEGRA20_SHIM_MEMORY", INT_MAX, 1008)
      << 20;
   options->cma =
      (uint64_t)shim_options_number("TEGRA20_SHIM_CMA", INT_MAX, 0) << 20;
}
