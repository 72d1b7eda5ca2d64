/* Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * In front of every source where glibc declares call_once() in <stdlib.h>, as
 * C23 has it: Mesa 25.0 has functions of its own with these names.
 */
#ifndef __ASSEMBLER__
#include <stdlib.h>
#undef ONCE_FLAG_INIT
#define once_flag mesa_once_flag
#define call_once mesa_call_once
#endif
