/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * A page that tegra20-run shares with every process of the command it runs:
 * the diagnostics and the counters of all of them, safe against processes
 * that die in any way.  The file's name is in TEGRA20_SHIM_REPORT.
 */

#ifndef TEGRA20_SHIM_REPORT_H
#define TEGRA20_SHIM_REPORT_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define SHIM_REPORT_MAGIC 0x54323052u /* "T20R" */
#define SHIM_REPORT_NUMBERS 1000
#define SHIM_REPORT_TEXT 240

struct shim_report_diag {
   uint32_t count;    /* atomic */
   uint32_t has_text; /* atomic: the first to set it writes the text */
   char text[SHIM_REPORT_TEXT];
};

struct shim_report {
   uint32_t magic;
   uint32_t loaded;        /* processes with the shim */
   uint32_t processes;     /* that used the device */
   uint32_t channels;      /* of a Tegra20 that were opened */
   uint32_t frames;        /* drawn by the chip, see shim_report_frame() */
   uint64_t ioctls, waits; /* waits: those that had to sleep */
   uint64_t peak_memory; /* bytes of buffers, of the process that had most */
   /* Of the job that had most, thousand clocks of the chip from its
    * submission to its end. */
   uint64_t latency;
   uint64_t stats[32]; /* struct sim_stats, in its order */
   /* Where the plug-in is; written before the command starts. */
   char plugin_dir[4096];
   uint32_t has_library; /* atomic, as has_text */
   /* Of the first process that made a screen of one of Mesa's drivers: its
    * name, and the library that they came from. */
   char program[64], library[4096];
   struct shim_report_diag diags[SHIM_REPORT_NUMBERS];
};

/* Whether a library is the plug-in. */
static inline bool
shim_report_is_plugin(const struct shim_report *report, const char *library)
{
   const size_t length = strlen(report->plugin_dir);
   return !strncmp(library, report->plugin_dir, length) &&
          library[length] == '/';
}

#endif
