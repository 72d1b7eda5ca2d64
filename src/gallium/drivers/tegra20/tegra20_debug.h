/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * TEGRA20_DEBUG=help,... : flags of the driver.
 */

#ifndef TEGRA20_DEBUG_H
#define TEGRA20_DEBUG_H

#include <stdint.h>

/* The bits below are those of enum tegra20_compiler_debug. */
enum tegra20_debug_flag {
   TEGRA20_DBG_SHADERDB = 1 << 12,
   TEGRA20_DBG_FLUSH = 1 << 13,
   TEGRA20_DBG_SYNC = 1 << 14,
   TEGRA20_DBG_NO2D = 1 << 15,
   TEGRA20_DBG_FULLSTATE = 1 << 16,
   TEGRA20_DBG_MSGS = 1 << 17,
   TEGRA20_DBG_EARLYZ = 1 << 18,
   TEGRA20_DBG_REFUSE = 1 << 19,
   TEGRA20_DBG_BEST = 1 << 20,
};

extern uint32_t tegra20_debug;

#define DBG(flag) (tegra20_debug & TEGRA20_DBG_##flag)

/* Reads the environment once. */
void
tegra20_debug_init(void);

/* One line on stderr, with the driver's name in front. */
void
tegra20_msg(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* The same once per call site and process. */
#define tegra20_msg_once(...)      \
   do {                            \
      static bool said;            \
      if (!said) {                 \
         said = true;              \
         tegra20_msg(__VA_ARGS__); \
      }                            \
   } while (0)

#endif
