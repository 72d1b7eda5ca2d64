/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * tegra20-hwtest --calibrate: what a run leaves behind.
 */

#ifndef HWTEST_CALIBRATE_H
#define HWTEST_CALIBRATE_H

#include "report.h"

/* Where things are: the profile, and next to it the notes and the report. */
struct calibration {
   char profile[3900], notes[4096], report[4096];
};

/* path: the profile; NULL: the system's for root, otherwise the user's. Makes
 * the directory.  False after a message. */
bool
calibration_begin(struct calibration *c, const char *path);

/*
 * Notes: an experiment is noted, on disk, before it is tried and after it has
 * come back or was interrupted (SIGINT, SIGTERM).  One that was tried and
 * never came back (the machine hung or was switched off) is not tried again.
 * One that came out as assumed is not run again when the calibration goes on
 * with the same version on the same device.
 */
bool
calibration_was_fatal(const struct calibration *c, const char *name);
bool
calibration_was_same(const struct calibration *c, const char *device,
                     const char *name);
/* What follows is of this device. */
void
calibration_name_run(const struct calibration *c, const char *device);
void
calibration_trying(struct calibration *c, const char *name);
/* same: as assumed. */
void
calibration_done(struct calibration *c, const char *name, bool same);
/* Forgets what came back; what did not is remembered. */
void
calibration_forget(const struct calibration *c);

/*
 * Writes profile and report, and says on the standard output what to do.  The
 * profile begins as the preset "safe"; a row is switched to what was found
 * about it when its experiments were run and are explained, which proves it
 * when they rule the row's other values out, and draws follow each other when
 * the soak test was run so many times without a difference (0: it was not).
 * False after a message.
 */
bool
calibration_write(const struct calibration *c, const char *device,
                  struct model *model, const struct finding *findings,
                  unsigned count, const struct conclusion *conclusion,
                  unsigned soaked);

#endif
