/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * An interpreter of NIR vertex shaders after tegra20_preprocess_nir(): what the compiled program has to compute.
 */

#ifndef NIR_INTERP_H
#define NIR_INTERP_H

#include "compiler/nir/nir.h"

struct nir_interp_io {
   const float (*attribs)[4];
   const uint32_t *uniforms;
   unsigned num_uniform_words;
   float outputs[VARYING_SLOT_MAX][4];
   const char *error;
   bool out_of_range; /* some array was read outside: results are undefined */
};

void nir_interpret(nir_shader *nir, struct nir_interp_io *io);

#endif
