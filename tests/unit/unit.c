/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 */

#include "unit.h"

static struct CMUnitTest *tests;
static unsigned *lines;
static unsigned num_tests;
static void (*hooks[UNIT_NUM_HOOKS])(void);

void
unit_set_hook(enum unit_hook hook, void (*function)(void))
{
   hooks[hook] = function;
}

static int
run_hooks(enum unit_hook first, enum unit_hook last)
{
   for (unsigned i = first; i <= last; i++) {
      if (hooks[i])
         hooks[i]();
   }
   return 0;
}

static int
before_all(void **state)
{
   return run_hooks(UNIT_BEFORE_ALL, UNIT_BEFORE_ALL);
}

static int
before_each(void **state)
{
   return run_hooks(UNIT_OUTER_SETUP, UNIT_SETUP);
}

static int
after_each(void **state)
{
   return run_hooks(UNIT_TEARDOWN, UNIT_OUTER_TEARDOWN);
}

static int
after_all(void **state)
{
   return run_hooks(UNIT_AFTER_ALL, UNIT_AFTER_ALL);
}

/* Constructors run in no particular order: tests are sorted by their lines. */
void
unit_add(const char *name, CMUnitTestFunction function, const void *data, unsigned line)
{
   tests = realloc(tests, (num_tests + 1) * sizeof(*tests));
   lines = realloc(lines, (num_tests + 1) * sizeof(*lines));
   if (!tests || !lines)
      abort();
   unsigned place = num_tests++;
   for (; place && lines[place - 1] > line; place--) {
      tests[place] = tests[place - 1];
      lines[place] = lines[place - 1];
   }
   tests[place] = (struct CMUnitTest){ name, function, before_each, after_each, (void *)data };
   lines[place] = line;
}

int
main(int argc, char **argv)
{
   const char *slash = strrchr(argv[0], '/');
   return _cmocka_run_group_tests(slash ? slash + 1 : argv[0], tests, num_tests, before_all, after_all);
}
