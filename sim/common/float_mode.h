/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Arithmetic of chips that know no denormals.
 */

#ifndef SIM_FLOAT_MODE_H
#define SIM_FLOAT_MODE_H

#ifdef __SSE2__
#include <xmmintrin.h>
/* The units know no denormals: the mode of this thread, and back. */
static inline unsigned
sim_float_flush(void)
{
   unsigned old = _mm_getcsr();
   _mm_setcsr(old | 0x8040);
   return old;
}
/* The same, and rounding towards zero. */
static inline unsigned
sim_float_flush_cut(void)
{
   unsigned old = _mm_getcsr();
   _mm_setcsr(old | 0xe040);
   return old;
}
static inline void
sim_float_restore(unsigned old)
{
   _mm_setcsr(old);
}
#elif defined(__arm__) && defined(__VFP_FP__)
static inline unsigned
sim_float_flush(void)
{
   unsigned old = __builtin_arm_get_fpscr();
   __builtin_arm_set_fpscr(old | 1 << 24);
   return old;
}
static inline unsigned
sim_float_flush_cut(void)
{
   unsigned old = __builtin_arm_get_fpscr();
   __builtin_arm_set_fpscr(old | 1 << 24 | 3 << 22);
   return old;
}
static inline void
sim_float_restore(unsigned old)
{
   __builtin_arm_set_fpscr(old);
}
#else
#include <fenv.h>
static inline unsigned
sim_float_flush(void)
{
   return fegetround();
}
static inline unsigned
sim_float_flush_cut(void)
{
   int old = fegetround();
   fesetround(FE_TOWARDZERO);
   return old;
}
static inline void
sim_float_restore(unsigned old)
{
   fesetround(old);
}
#endif

#endif
