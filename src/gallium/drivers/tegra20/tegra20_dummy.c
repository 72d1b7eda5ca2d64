/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Programs in place of those that do not fit the chip.  Many applications
 * compile programs that they use rarely or never, and end when one is
 * refused: an X server with glamor does at its start.
 */

#include "tegra20_dummy.h"

#include "compiler/nir/nir_builder.h"

static void
store_zero(nir_builder *b, nir_deref_instr *deref)
{
   const struct glsl_type *type = deref->type;

   if (glsl_type_is_vector_or_scalar(type)) {
      nir_store_deref(b, deref,
                      nir_imm_zero(b, glsl_get_vector_elements(type),
                                   glsl_get_bit_size(type)),
                      BITFIELD_MASK(glsl_get_vector_elements(type)));
      return;
   }
   for (unsigned i = 0; i < glsl_get_length(type); i++) {
      store_zero(b, glsl_type_is_struct_or_ifc(type)
                       ? nir_build_deref_struct(b, deref, i)
                       : nir_build_deref_array_imm(b, deref, i));
   }
}

static void
store_varyings(nir_builder *b, const nir_shader *original)
{
   nir_foreach_shader_out_variable (var, original) {
      nir_variable *copy = nir_variable_clone(var, b->shader);
      nir_shader_add_variable(b->shader, copy);
      if (var->data.location == VARYING_SLOT_POS)
         nir_store_var(b, copy, nir_imm_vec4(b, 0, 0, 0, 1), 0xf);
      else
         store_zero(b, nir_build_deref_var(b, copy));
   }
   b->shader->num_outputs = original->num_outputs;
}

static void
store_grey(nir_builder *b)
{
   nir_variable *color = nir_variable_create(b->shader, nir_var_shader_out,
                                             glsl_vec4_type(), "dummy color");
   color->data.location = FRAG_RESULT_COLOR;
   nir_store_var(b, color, nir_imm_vec4(b, 0.5, 0.5, 0.5, 1), 0xf);
   b->shader->num_outputs = 1;
}

nir_shader *
tegra20_nir_dummy(const nir_shader *original)
{
   nir_builder b = nir_builder_init_simple_shader(original->info.stage,
                                                  original->options, "dummy");

   if (original->info.stage == MESA_SHADER_VERTEX)
      store_varyings(&b, original);
   else
      store_grey(&b);
   nir_shader_gather_info(b.shader, b.impl);
   return b.shader;
}
