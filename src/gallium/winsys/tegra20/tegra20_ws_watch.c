/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Did the legacy kernel cancel a job?
 *
 * It raises the sync point in place of a job that times out
 * (kernel-interface.md 3), so nothing tells such a job from one that ran,
 * except the time: it stood at the head of its queue for 10 s.  Each job
 * raises the sync point once, so the time that the sync point stands at a
 * value is the time of the job that raises it further.
 *
 * The sync point is looked at in each submission and poll, and ten times a
 * second while somebody waits.  What that says about the time of a job is a
 * range: it is at least the time between the first and the last look that
 * found the value, at most that between the last look before these and the
 * first one after them.  A job that may have been cancelled, and was seen to
 * take half of the time-out, was cancelled: with somebody waiting only one
 * that takes between 9.9 and 10 s is misjudged.  When nobody looks while it
 * stands there, it passes for one that ran.
 */

#include "tegra20_ws_internal.h"

/* The kernel's time-out, less two ticks of its clock, ns. */
#define TIMEOUT 9980000000ll

bool
ws_watch_see(struct ws_watch *watch, uint32_t value, int64_t start,
             int64_t end, uint32_t *stuck)
{
   if (watch->known && value == watch->value) {
      watch->last = MAX2(watch->last, start);
      return false;
   }
   if (watch->known && (int32_t)(value - watch->value) < 0)
      return false; /* another thread's look was later */
   *stuck = watch->value;
   bool cancelled = watch->known && end - watch->before >= TIMEOUT &&
                    watch->last - watch->first >= TIMEOUT / 2;
   watch->before = watch->known ? watch->last : start;
   watch->known = true;
   watch->value = value;
   watch->first = end;
   watch->last = start;
   return cancelled;
}

void
ws_watch_submit(struct ws_watch *watch, uint32_t value, int64_t time)
{
   /* The engine had nothing to do: that the sync point stood still until now
    * says nothing. */
   if (watch->known && watch->value == value)
      watch->before = watch->first = watch->last = time;
}
