/*
 * SPDX-License-Identifier: MIT
 */

#include "sim_internal.h"
