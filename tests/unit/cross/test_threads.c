/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * The compiler has no state of its own: what one thread compiles does not depend on the options that another thread
 * uses at the same time.  ci/sanitize thread runs this with ThreadSanitizer.
 */

#include <pthread.h>

#include "unit.h"
#include "compiler/nir/nir_builder.h"
#include "util/blob.h"
#include "util/hash_table.h"
#include "util/ralloc.h"

#include "tegra20_compiler.h"

#define THREADS 2
#define ROUNDS 2

static nir_variable *
variable(nir_builder *b, nir_variable_mode mode, unsigned location)
{
   nir_variable *var = nir_variable_create(b->shader, mode, glsl_vec4_type(), "v");
   var->data.location = location;
   return var;
}

/* vec4 sum = v; for (float i = 0.0; i < 12.0; i += 1.0) sum = max(sum * v + v, v); gl_FragData[0] = sum; */
static nir_shader *
build_loop(void)
{
   nir_builder b = nir_builder_init_simple_shader(MESA_SHADER_FRAGMENT, tegra20_nir_options(MESA_SHADER_FRAGMENT), "loop");
   nir_variable *in = variable(&b, nir_var_shader_in, VARYING_SLOT_VAR0);
   nir_variable *out = variable(&b, nir_var_shader_out, FRAG_RESULT_DATA0);
   nir_variable *sum = nir_local_variable_create(b.impl, glsl_vec4_type(), "sum");
   nir_variable *i = nir_local_variable_create(b.impl, glsl_float_type(), "i");

   nir_def *v = nir_load_var(&b, in);
   nir_store_var(&b, sum, v, 0xf);
   nir_store_var(&b, i, nir_imm_float(&b, 0), 1);
   nir_loop *loop = nir_push_loop(&b);
   nir_break_if(&b, nir_fge_imm(&b, nir_load_var(&b, i), 12.0));
   nir_store_var(&b, sum, nir_fmax(&b, nir_fadd(&b, nir_fmul(&b, nir_load_var(&b, sum), v), v), v), 0xf);
   nir_store_var(&b, i, nir_fadd_imm(&b, nir_load_var(&b, i), 1.0), 1);
   nir_pop_loop(&b, loop);
   nir_store_var(&b, out, nir_load_var(&b, sum), 0xf);
   return b.shader;
}

struct thread {
   pthread_t thread;
   const struct tegra20_compiler_options *options;
   uint32_t hash; /* of the program of all rounds, 0 when they differ or do not compile */
};

static uint32_t
compile(const struct tegra20_compiler_options *options)
{
   struct tegra20_fs_key key = {.nr_cbufs = 1, .clamp_color = true};
   nir_shader *nir = build_loop();
   uint32_t hash = 0;

   key.rt[0] = (struct tegra20_fs_rt_key){.bound = true, .has_alpha = true, .colormask = 0xf, .surface = 1};
   tegra20_finalize_nir(nir);
   tegra20_finish_nir(nir);
   struct tegra20_fs *fs;
   char *error = NULL;
   if (tegra20_compile_fs(nir, nir, &key, options, &fs, &error)) {
      struct blob blob;
      blob_init(&blob);
      tegra20_fs_serialize(&blob, fs);
      hash = _mesa_hash_data(blob.data, blob.size);
      blob_finish(&blob);
   }
   ralloc_free(nir);
   return hash;
}

static void *
run(void *data)
{
   struct thread *thread = data;

   thread->hash = compile(thread->options);
   for (unsigned i = 1; i < ROUNDS; i++) {
      if (compile(thread->options) != thread->hash)
         thread->hash = 0;
   }
   return NULL;
}

TEST(options_of_threads)
{
   static const struct tegra20_compiler_options options[2] = {
      {.avoid = 0},
      {.avoid = ~0u},
   };
   const uint32_t alone[2] = {compile(&options[0]), compile(&options[1])};
   struct thread threads[THREADS];

   assert_true(alone[0] && alone[1] && alone[0] != alone[1]);
   for (unsigned i = 0; i < THREADS; i++) {
      threads[i].options = &options[i % 2];
      assert_int_equal(pthread_create(&threads[i].thread, NULL, run, &threads[i]), 0);
   }
   for (unsigned i = 0; i < THREADS; i++) {
      pthread_join(threads[i].thread, NULL);
      assert_int_equal(threads[i].hash, alone[i % 2]);
   }
}

BEFORE_ALL
{
   glsl_type_singleton_init_or_ref();
}
