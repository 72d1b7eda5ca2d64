/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * The driver's counters, through GL_AMD_performance_monitor.
 */

#ifndef TESTS_GL_PERF_MONITOR_H
#define TESTS_GL_PERF_MONITOR_H

#include "opengl.h"

#define MAX_COUNTERS 32

struct counter {
   char name[64];
   GLuint number;
   uint64_t value;
};

static struct counter counters[MAX_COUNTERS];
static GLint num_counters;
static GLuint group;

static inline void
find_counters(void)
{
   GLuint numbers[MAX_COUNTERS];
   GLint num_groups, active;
   char name[64];
   glGetPerfMonitorGroupsAMD(&num_groups, 1, &group);
   CHECK(num_groups == 1);
   glGetPerfMonitorGroupStringAMD(group, sizeof(name), NULL, name);
   CHECK(strcmp(name, "driver") == 0);
   glGetPerfMonitorCountersAMD(group, &num_counters, &active, MAX_COUNTERS, numbers);
   CHECK(num_counters <= MAX_COUNTERS && active >= num_counters);
   for (int i = 0; i < num_counters; i++) {
      counters[i].number = numbers[i];
      glGetPerfMonitorCounterStringAMD(group, numbers[i], sizeof(counters[i].name), NULL, counters[i].name);
   }
}

static inline struct counter *
find(const char *name)
{
   for (int i = 0; i < num_counters; i++) {
      if (strcmp(counters[i].name, name) == 0)
         return &counters[i];
   }
   fail("no counter %s\n", name);
}

static inline void
read_counters(GLuint monitor)
{
   GLuint data[MAX_COUNTERS * 4];
   GLsizei written = 0;
   glGetPerfMonitorCounterDataAMD(monitor, GL_PERFMON_RESULT_AMD, sizeof(data), data, &written);
   CHECK(glGetError() == GL_NO_ERROR && written == num_counters * 16);
   for (int i = 0; i < num_counters; i++) {
      const GLuint *entry = &data[i * 4];
      CHECK(entry[0] == group);
      for (int c = 0; c < num_counters; c++) {
         if (counters[c].number == entry[1])
            memcpy(&counters[c].value, &entry[2], 8);
      }
   }
}

/* A monitor with all of them. */
static inline GLuint
new_monitor(void)
{
   GLuint monitor;
   glGenPerfMonitorsAMD(1, &monitor);
   for (int i = 0; i < num_counters; i++)
      glSelectPerfMonitorCountersAMD(monitor, GL_TRUE, group, 1, &counters[i].number);
   return monitor;
}

/* Ends a monitor of all counters: what one of them says. */
static inline uint64_t
end_counting(GLuint monitor, const char *name)
{
   glEndPerfMonitorAMD(monitor);
   read_counters(monitor);
   return find(name)->value;
}

#endif
