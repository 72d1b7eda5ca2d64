/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * What came out of the experiments, and what it says about the assumptions.
 */

#ifndef HWTEST_REPORT_H
#define HWTEST_REPORT_H

#include <stdio.h>

#include "hwtest.h"

struct finding {
   const struct experiment *experiment;
   enum outcome outcome;
   unsigned bytes; /* that differ from the simulator's result with the default
                      assumptions */
   struct result *device;                /* kept where it differs */
   uint32_t first_offset, expected, got; /* the first word that differs */
   bool explained;                       /* by the alternatives found */
};

#define MAX_EXPLANATIONS 64

struct conclusion {
   unsigned alternatives[MAX_EXPLANATIONS]; /* indices of the model's */
   unsigned count;
   bool single;          /* alternatives are choices, each of which explains
                            everything; otherwise they hold together */
   unsigned unexplained; /* experiments */
};

/* How many of the alternatives hold together: of choices the first is as good
 * as any. */
static inline unsigned
conclusion_taken(const struct conclusion *conclusion)
{
   return conclusion->single && conclusion->count ? 1 : conclusion->count;
}

/* Sets these alternatives, or the defaults of their switches. */
void
conclusion_set(struct model *model, const struct conclusion *conclusion,
               bool on);

/* vernier.c: gives the model weights with which it leaves what the verniers
 * among the findings left, as far as it can, while the conclusion holds.
 * False: the verniers are explained. */
bool
vernier_set_weights(struct model *model, const struct finding *findings,
                    unsigned count, const struct conclusion *conclusion);

/* What a calibration knows about the rows of the profile. */
struct remarks {
   char text[12000]; /* a line for each, for the profile */
   unsigned proved, fitting, assumed;
};

/* Does the model, as it is set, leave what the device left?  What did not run
 * fits everything. */
bool
finding_fits(struct model *model, const struct finding *f);

/* Looks for the alternatives that explain all findings, those that are as
 * assumed included. */
void
conclude(struct model *model, struct finding *findings, unsigned count,
         struct conclusion *conclusion);

/* What differs, with pictures of what was drawn, of what was expected and of
 * the difference, and all results: one file that a person can read and send.
 * profile: the text of the profile. */
void
report_html(FILE *out, const char *device, struct model *model,
            const struct finding *findings, unsigned count,
            const struct conclusion *conclusion, const char *profile,
            const struct remarks *remarks);

/* The weights that were fitted, if any. */
void
report_weights(FILE *out, const struct model *model);
void
report_text(FILE *out, const char *device, const struct model *model,
            const struct finding *findings, unsigned count,
            const struct conclusion *conclusion, bool verbose);
void
report_json(FILE *out, const char *device, const struct model *model,
            const struct finding *findings, unsigned count,
            const struct conclusion *conclusion);

#endif
