/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Unit tests with cmocka that say their name once: a definition registers itself, and main() of unit.c runs what a program's
 * one file has, in its order.
 */

#ifndef UNIT_H
#define UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

enum unit_hook {
   UNIT_BEFORE_ALL,
   UNIT_OUTER_SETUP,
   UNIT_SETUP,
   UNIT_TEARDOWN,
   UNIT_OUTER_TEARDOWN,
   UNIT_AFTER_ALL,
   UNIT_NUM_HOOKS,
};

void unit_set_hook(enum unit_hook hook, void (*function)(void));
void unit_add(const char *name, CMUnitTestFunction function, const void *data, unsigned line);

#define UNIT_HOOK(hook)                                                                                                \
   static void unit_hook_##hook(void);                                                                                 \
   __attribute__((constructor)) static void unit_set_##hook(void)                                                      \
   {                                                                                                                   \
      unit_set_hook(hook, unit_hook_##hook);                                                                           \
   }                                                                                                                   \
   static void unit_hook_##hook(void)

/* What runs around each test, around that what a file does which several programs share, and around all tests: SETUP { ... } */
#define SETUP UNIT_HOOK(UNIT_SETUP)
#define TEARDOWN UNIT_HOOK(UNIT_TEARDOWN)
#define OUTER_SETUP UNIT_HOOK(UNIT_OUTER_SETUP)
#define OUTER_TEARDOWN UNIT_HOOK(UNIT_OUTER_TEARDOWN)
#define BEFORE_ALL UNIT_HOOK(UNIT_BEFORE_ALL)
#define AFTER_ALL UNIT_HOOK(UNIT_AFTER_ALL)

/* A test: TEST(name) { ... } */
#define TEST(name)                                                                                                     \
   static void test_##name(void **state);                                                                              \
   __attribute__((constructor)) static void unit_add_##name(void)                                                      \
   {                                                                                                                   \
      unit_add(#name, test_##name, NULL, __LINE__);                                                                    \
   }                                                                                                                   \
   static void test_##name(void **state)

/* A test for each row of a table, called as its member `name`, or another one, says, or an expression; "c" points to the row. */
#define TEST_ROWS(test, table) TEST_ROWS_CALLED(test, table, name)
#define TEST_ROWS_CALLED(test, table, member) TEST_ROWS_BY(test, table, c->member)
#define TEST_ROWS_BY(test, table, its_name)                                                                            \
   static void test_##test(const __typeof__((table)[0]) *c);                                                           \
   static void unit_run_##test(void **state)                                                                           \
   {                                                                                                                   \
      test_##test(*state);                                                                                             \
   }                                                                                                                   \
   __attribute__((constructor)) static void unit_add_##test(void)                                                      \
   {                                                                                                                   \
      for (const __typeof__((table)[0]) *c = (table); c < (table) + COUNT(table); c++)                                 \
         unit_add(its_name, unit_run_##test, c, __LINE__);                                                             \
   }                                                                                                                   \
   static void test_##test(const __typeof__((table)[0]) *c)

#endif
