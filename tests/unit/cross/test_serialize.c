/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Programs as bytes: what was written is read again, what is broken is refused (tests/fuzz/fuzz_files.c: or harmless).
 */

#include "unit.h"
#include "compiler/nir/nir_builder.h"
#include "util/blob.h"
#include "util/ralloc.h"

#include "tegra20_compiler.h"

static nir_def *
load(nir_builder *b, nir_variable_mode mode, unsigned location, unsigned slot, const char *name)
{
   nir_variable *var = nir_variable_create(b->shader, mode, glsl_vec4_type(), name);
   var->data.location = location;
   var->data.driver_location = slot;
   return nir_load_var(b, var);
}

static void
store(nir_builder *b, unsigned location, unsigned slot, nir_def *value)
{
   nir_variable *var = nir_variable_create(b->shader, nir_var_shader_out, glsl_vec4_type(), "out");
   var->data.location = location;
   var->data.driver_location = slot;
   nir_store_var(b, var, value, 0xf);
}

static nir_def *
uniform(nir_builder *b)
{
   return nir_load_uniform(b, 4, 32, nir_imm_int(b, 0), .range = 1, .dest_type = nir_type_float32);
}

static nir_shader *
build(gl_shader_stage stage)
{
   nir_builder b = nir_builder_init_simple_shader(stage, tegra20_nir_options(stage), "serialize");

   if (stage == MESA_SHADER_VERTEX) {
      store(&b, VARYING_SLOT_POS, 0, load(&b, nir_var_shader_in, VERT_ATTRIB_GENERIC0, 0, "position"));
      store(&b, VARYING_SLOT_VAR0, 1, nir_fmul(&b, load(&b, nir_var_shader_in, VERT_ATTRIB_GENERIC1, 1, "a"), uniform(&b)));
   } else {
      nir_def *v = load(&b, nir_var_shader_in, VARYING_SLOT_VAR0, 0, "v");
      store(&b, FRAG_RESULT_DATA0, 0, nir_fadd(&b, nir_fmul(&b, v, nir_fmul(&b, uniform(&b), uniform(&b))),
                                               nir_imm_vec4(&b, 0.1f, 0.2f, 0.3f, 0.4f)));
   }
   b.shader->num_uniforms = 1;
   tegra20_preprocess_nir(b.shader);
   return b.shader;
}

/* A program of either stage, and its bytes. */
static void
compile(void *mem_ctx, gl_shader_stage stage, struct blob *blob)
{
   nir_shader *nir = build(stage);
   char *error = NULL;

   blob_init(blob);
   if (stage == MESA_SHADER_VERTEX) {
      const struct tegra20_vs_key key = {0};
      struct tegra20_vs *vs;
      assert_true(tegra20_compile_vs(mem_ctx, nir, &key, NULL, &vs, &error));
      assert_true(vs->num_insts && vs->values.count);
      tegra20_vs_serialize(blob, vs);
   } else {
      struct tegra20_fs_key key = {.nr_cbufs = 1, .clamp_color = true};
      key.rt[0] = (struct tegra20_fs_rt_key){.bound = true, .has_alpha = true, .colormask = 0xf, .surface = 1};
      struct tegra20_fs *fs;
      assert_true(tegra20_compile_fs(mem_ctx, nir, &key, NULL, &fs, &error));
      assert_true(fs->num_execs && fs->values.count);
      tegra20_fs_serialize(blob, fs);
   }
   ralloc_free(nir);
}

/* Reads bytes, uses what came out, and writes it again; false when they were refused. */
static bool
read_back(void *mem_ctx, gl_shader_stage stage, const void *data, size_t size, struct blob *again)
{
   static const uint32_t words[4];
   static const float params[TEGRA20_PARAM_COUNT];
   const struct tegra20_values *values;
   struct blob_reader reader;
   void *program;

   blob_reader_init(&reader, data, size);
   blob_init(again);
   if (stage == MESA_SHADER_VERTEX) {
      struct tegra20_vs *vs = program = tegra20_vs_deserialize(mem_ctx, &reader);
      if (!vs)
         return false;
      values = &vs->values;
      tegra20_vs_serialize(again, vs);
   } else {
      struct tegra20_fs *fs = program = tegra20_fs_deserialize(mem_ctx, &reader);
      if (!fs)
         return false;
      values = &fs->values;
      tegra20_fs_serialize(again, fs);
   }
   float *results = ralloc_array(program, float, values->count + 1);
   tegra20_values_eval(values, words, 4, params, results);
   ralloc_free(program);
   return true;
}

TEST(round_trip)
{
   for (unsigned stage = MESA_SHADER_VERTEX; stage <= MESA_SHADER_FRAGMENT; stage += MESA_SHADER_FRAGMENT) {
      void *mem_ctx = ralloc_context(NULL);
      struct blob blob, again;

      compile(mem_ctx, stage, &blob);
      assert_true(read_back(mem_ctx, stage, blob.data, blob.size, &again));
      assert_int_equal(again.size, blob.size);
      assert_memory_equal(again.data, blob.data, blob.size);
      blob_finish(&again);
      blob_finish(&blob);
      ralloc_free(mem_ctx);
   }
}

/* Any number of bytes but the right one is refused. */
TEST(wrong_size)
{
   for (unsigned stage = MESA_SHADER_VERTEX; stage <= MESA_SHADER_FRAGMENT; stage += MESA_SHADER_FRAGMENT) {
      void *mem_ctx = ralloc_context(NULL);
      struct blob blob, again;

      compile(mem_ctx, stage, &blob);
      const size_t size = blob.size;
      for (size_t part = 0; part < size; part++) {
         uint8_t *copy = ralloc_size(mem_ctx, MAX2(part, 1)); /* of this size, so that reading beyond it shows */
         memcpy(copy, blob.data, part);
         assert_false(read_back(mem_ctx, stage, copy, part, &again));
         blob_finish(&again);
         ralloc_free(copy);
      }
      blob_write_uint32(&blob, 0);
      assert_false(read_back(mem_ctx, stage, blob.data, blob.size, &again));
      blob_finish(&again);
      blob_finish(&blob);
      ralloc_free(mem_ctx);
   }
}

/* Values that do not exist, by the first number that is none. */
TEST(missing_values)
{
   for (unsigned stage = MESA_SHADER_VERTEX; stage <= MESA_SHADER_FRAGMENT; stage += MESA_SHADER_FRAGMENT) {
      for (unsigned beyond = 0; beyond < 3; beyond++) {
         void *mem_ctx = ralloc_context(NULL);
         struct blob blob, broken, again;
         struct blob_reader reader;

         compile(mem_ctx, stage, &blob);
         blob_reader_init(&reader, blob.data, blob.size);
         blob_init(&broken);
         if (stage == MESA_SHADER_VERTEX) {
            struct tegra20_vs *vs = tegra20_vs_deserialize(mem_ctx, &reader);
            assert_true(vs->num_consts > 0);
            vs->consts[0][0] = vs->values.count - 1 + beyond;
            tegra20_vs_serialize(&broken, vs);
         } else {
            struct tegra20_fs *fs = tegra20_fs_deserialize(mem_ctx, &reader);
            fs->uniforms[0].value[0] = fs->values.count - 1 + (beyond == 1);
            if (beyond == 2) /* as the first operand of the product */
               fs->values.nodes[fs->values.count - 1].src[0] = fs->values.count - 1;
            tegra20_fs_serialize(&broken, fs);
         }
         assert_int_equal(read_back(mem_ctx, stage, broken.data, broken.size, &again), !beyond);
         blob_finish(&again);
         blob_finish(&broken);
         blob_finish(&blob);
         ralloc_free(mem_ctx);
      }
   }
}

/* The last number that is right, and the first that is not, of each that says how large something is. */
TEST(numbers)
{
   static const struct tegra20_vs *vs;
   static const struct tegra20_fs *fs;
   const struct {
      gl_shader_stage stage;
      size_t at, size;
      int right, wrong;
   } numbers[] = {
#define VS(field, right, wrong) {MESA_SHADER_VERTEX, offsetof(struct tegra20_vs, field), sizeof(vs->field), right, wrong}
#define FS(field, right, wrong) {MESA_SHADER_FRAGMENT, offsetof(struct tegra20_fs, field), sizeof(fs->field), right, wrong}
      VS(num_consts, TEGRA20_VS_MAX_CONSTS, TEGRA20_VS_MAX_CONSTS + 1), VS(psiz_export, -1, -2),
      VS(psiz_export, TEGRA20_MAX_EXPORTS - 1, TEGRA20_MAX_EXPORTS), FS(chip, TEGRA20_NUM_CHIPS - 1, TEGRA20_NUM_CHIPS),
      FS(num_execs, TEGRA20_FS_MAX_EXECS, TEGRA20_FS_MAX_EXECS + 1), FS(num_mfu, TEGRA20_FS_MAX_MFU, TEGRA20_FS_MAX_MFU + 1),
      FS(num_alu, tegra20_chips[0].fs_alu, tegra20_chips[0].fs_alu + 1), FS(rows, 1, 0), FS(rows, 4, 5),
      FS(num_inputs, COUNT(fs->inputs), COUNT(fs->inputs) + 1), FS(inputs[0].component, 3, 4), FS(inputs[0].column, 3, 4),
      FS(num_tram_rows, TEGRA20_MAX_TRAM_ROWS, TEGRA20_MAX_TRAM_ROWS + 1), FS(inputs[0].type, 3, 4),
      FS(inputs[0].row, TEGRA20_MAX_TRAM_ROWS - 1, TEGRA20_MAX_TRAM_ROWS),
      FS(inputs[0].slot, VARYING_SLOT_MAX - 1, VARYING_SLOT_MAX),
   };

   for (unsigned i = 0; i < 2 * COUNT(numbers); i++) {
      void *mem_ctx = ralloc_context(NULL);
      struct blob blob, again;

      compile(mem_ctx, numbers[i / 2].stage, &blob);
      memcpy(blob.data + numbers[i / 2].at, i % 2 ? &numbers[i / 2].wrong : &numbers[i / 2].right, numbers[i / 2].size);
      if (read_back(mem_ctx, numbers[i / 2].stage, blob.data, blob.size, &again) != !(i % 2))
         fail_msg("number %u: %i", i / 2, i % 2 ? numbers[i / 2].wrong : numbers[i / 2].right);
      blob_finish(&again);
      blob_finish(&blob);
      ralloc_free(mem_ctx);
   }
}

BEFORE_ALL
{
   glsl_type_singleton_init_or_ref();
}
