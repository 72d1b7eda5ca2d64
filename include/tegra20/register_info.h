/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Tables that describe registers, generated from the .yaml files beside this
 * header.  Tools that print streams use them: replay --dump, strict
 * diagnostics, the driver's own debug output.
 */

#ifndef TEGRA20_REGISTER_INFO_H
#define TEGRA20_REGISTER_INFO_H

#include <stddef.h>
#include <stdint.h>

enum register_kind {
   REGISTER_UINT,
   REGISTER_BOOL,
   REGISTER_FIXED,
   REGISTER_FLOAT,
   REGISTER_ENUM,
   REGISTER_RELOC,
};

struct register_enum_value {
   uint32_t value;
   const char *name; /* NULL ends the list */
};

struct register_field {
   const char *name; /* NULL ends the list */
   uint8_t msb, lsb;
   enum register_kind kind;
   const struct register_enum_value
      *values; /* NULL unless kind is REGISTER_ENUM */
};

struct register_info {
   const char *name; /* NULL ends the table */
   uint16_t offset;  /* of element 0, in words inside the class */
   uint16_t count;   /* elements; > 1 for arrays */
   uint16_t stride;  /* words from one element to the next */
   enum register_kind kind;
   char confidence;  /* T, W, G, I or U as in gr3d-registers.md 0 */
   const char *chip; /* "" = Tegra20, else the first chip that has it */
   const struct register_field
      *fields; /* NULL if the register has no named fields */
};

/* Each ends with an entry whose name is NULL. */
extern const struct register_info gr3d_registers[];
extern const struct register_info gr2d_registers[];
extern const struct register_info host1x_registers[];

#endif
