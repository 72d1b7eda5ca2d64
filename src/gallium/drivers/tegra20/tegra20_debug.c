/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 */

#include "tegra20_debug.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "util/u_call_once.h"
#include "util/u_debug.h"

#include "tegra20_compiler.h"

uint32_t tegra20_debug;

static const struct debug_named_value debug_options[] = {
   { "shaderdb", TEGRA20_DBG_SHADERDB,
     "Print statistics of each compiled program" },
   { "nir", TEGRA20_COMPILER_PRINT_NIR,
     "Print programs as NIR before compilation" },
   { "ir", TEGRA20_COMPILER_PRINT_IR,
     "Print the compiler's representation after each pass" },
   { "disasm", TEGRA20_COMPILER_DISASM,
     "Print the machine words of programs" },
   { "validate", TEGRA20_COMPILER_VALIDATE,
     "Check compiled programs in release builds too, and every stream before "
     "submission" },
   { "best", TEGRA20_DBG_BEST,
     "Compile fragment programs to the best code at once, not when they are "
     "drawn often" },
   { "nosched", TEGRA20_COMPILER_NO_SCHED, "One operation per instruction" },
   { "nopasses", TEGRA20_COMPILER_NO_PASSES,
     "Programs without the compilers' optional passes" },
   { "flush", TEGRA20_DBG_FLUSH, "Submit a job after every draw" },
   { "sync", TEGRA20_DBG_SYNC,
     "Wait for every job, and for better code of programs" },
   { "no2d", TEGRA20_DBG_NO2D,
     "Clear and copy with the CPU instead of the 2D engine" },
   { "fullstate", TEGRA20_DBG_FULLSTATE,
     "Send the complete state with every draw" },
   { "msgs", TEGRA20_DBG_MSGS, "Say what is slow or unsupported" },
   { "earlyz", TEGRA20_DBG_EARLYZ,
     "Write depth also for fragments that the program discards (one pass "
     "instead of two)" },
   { "refuse", TEGRA20_DBG_REFUSE,
     "Refuse programs that do not fit the chip instead of drawing in grey" },
   { "nowait", 0, "Jobs do not wait for the engine before they begin" },
   { "nofinish", 0,
     "Buffers of windows leave the process before they are finished" },
   { "norest", 0, "Submit at once after a job that the kernel cancelled" },
   { "record=FILE", 0,
     "Record every job with its memory for tegra20-replay" },
   DEBUG_NAMED_VALUE_END
};

DEBUG_GET_ONCE_FLAGS_OPTION(tegra20_debug_flags, "TEGRA20_DEBUG",
                            debug_options, 0)

/* Mesa ignores words that it does not know, and knows two only alone. */
static void
check_flags(void)
{
   const char *text = debug_get_option("TEGRA20_DEBUG", "");

   if (!strcmp(text, "all") || !strcmp(text, "help"))
      return;
   while (*text) {
      const size_t length = strcspn(text, ", ");
      bool known = !length || !strncmp(text, "record=", 7);
      for (const struct debug_named_value *flag = debug_options;
           flag->name && !known; flag++)
         known = strlen(flag->name) == length &&
                 !strncmp(text, flag->name, length);
      if (!known)
         tegra20_msg("TEGRA20_DEBUG: there is no flag \"%.*s\" (help lists "
                     "them)",
                     (int)length, text);
      text += length + !!text[length];
   }
}

static void
init_once(void)
{
   check_flags();
   tegra20_debug = debug_get_option_tegra20_debug_flags();
}

void
tegra20_debug_init(void)
{
   static util_once_flag once = UTIL_ONCE_FLAG_INIT;
   util_call_once(&once, init_once);
}

void
tegra20_msg(const char *fmt, ...)
{
   va_list args;

   va_start(args, fmt);
   fputs("tegra20: ", stderr);
   vfprintf(stderr, fmt, args);
   fputc('\n', stderr);
   va_end(args);
}
