/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 */

#include "inlined_size.h"

#include "util/hash_table.h"

static uint64_t
add_saturated(uint64_t a, uint64_t b)
{
   return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

/* sizes: nir_function -> its size; 0 while it is being counted, so that
 * recursion, which the linker refuses, ends. */
static uint64_t
function_size(const nir_function *function, struct hash_table_u64 *sizes)
{
   const uint64_t key = (uintptr_t)function;
   uint64_t *known = _mesa_hash_table_u64_search(sizes, key);
   uint64_t size = 0;

   if (known)
      return *known;
   known = rzalloc(sizes, uint64_t);
   _mesa_hash_table_u64_insert(sizes, key, known);
   if (!function->impl)
      return 0;
   nir_foreach_block (block, function->impl) {
      nir_foreach_instr (instr, block) {
         size = add_saturated(size, 1);
         if (instr->type == nir_instr_type_call)
            size = add_saturated(
               size, function_size(nir_instr_as_call(instr)->callee, sizes));
      }
   }
   *known = size;
   return size;
}

uint64_t
inlined_size(const nir_shader *nir)
{
   struct hash_table_u64 *sizes = _mesa_hash_table_u64_create(NULL);
   uint64_t size = 0;

   nir_foreach_function (function, nir) {
      if (function->is_entrypoint)
         size = function_size(function, sizes);
   }
   _mesa_hash_table_u64_destroy(sizes);
   return size;
}
