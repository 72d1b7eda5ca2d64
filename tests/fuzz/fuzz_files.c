/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * A fuzzer of what is read from files: recordings, hardware profiles, and compiled programs of the cache on disk.
 *
 *   fuzz_files RECORDING [--mutations N] [--seed S]
 *
 * Each mutation changes some bytes of one of them (the recording given, a profile of all rows, a vertex and a fragment program
 * of an application's size), reads it, and uses what came out: all is refused or harmless, which the sanitizers see.
 */

#include <getopt.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "gl_frontend.h"
#include "recording_reader.h"
#include "profile_writer.h"
#include "tegra20_compiler.h"
#include "util/blob.h"
#include "util/macros.h"
#include "util/ralloc.h"

#define MAX_RECORDS 4096
#define MAX_CHANGES 8
#define HEADER 80 /* of a recording, with who wrote it */

/* What is changed; places: where numbers are that decide about others. */
struct input {
   const char *name;
   uint8_t *data;
   size_t size;
   size_t places[MAX_RECORDS];
   unsigned num_places;
   bool (*use)(const uint8_t *data, size_t size);
   unsigned accepted;
};

/* --- changes --- */

static uint64_t random_state;

static size_t
below(size_t n)
{
   random_state = random_state * 6364136223846793005 + 1442695040888963407;
   return n ? (random_state >> 33) % n : 0;
}

static size_t
some_place(const struct input *input, size_t size)
{
   size_t place = below(size);

   if (input->num_places && below(2))
      place = input->places[below(input->num_places)] + below(12) * 4;
   return MIN2(place, size - 1);
}

static void
change(const struct input *input, uint8_t *data, size_t *size)
{
   static const uint32_t numbers[] = {0, 1, 0xff, 0x7fff, 0xffff, 0x10000, 0x7fffffff, 0x80000000, 0xfffffffc, 0xffffffff};
   const size_t at = some_place(input, *size), length = 1 + below(MIN2(64, *size - at)), to = below(*size - length + 1);

   switch (below(6)) {
   case 0:
      data[at] ^= 1 << below(8);
      break;
   case 1:
      data[at] = below(256);
      break;
   case 2:
      memcpy(data + at, &numbers[below(ARRAY_SIZE(numbers))], MIN2(4, *size - at));
      break;
   case 3: /* copies a piece */
      memmove(data + to, data + at, length);
      break;
   case 4: /* cuts a piece out */
      memmove(data + at, data + at + length, *size - at - length);
      *size = MAX2(*size - length, 1);
      break;
   default:
      if (below(4) == 0) /* the end is missing */
         *size = at + 1;
   }
}

/* Memory of just this size, so that reading beyond it shows. */
static uint8_t *
changed_copy(const struct input *input, size_t *size)
{
   uint8_t *copy = malloc(input->size);

   *size = input->size;
   memcpy(copy, input->data, input->size);
   for (size_t n = 1 + below(MAX_CHANGES); n; n--)
      change(input, copy, size);
   return realloc(copy, *size);
}

/* --- files --- */

static char path[64];
static int file;

static void
write_file(const uint8_t *data, size_t size)
{
   if (ftruncate(file, 0) || pwrite(file, data, size, 0) != (ssize_t)size)
      abort();
}

static uint64_t sum; /* of everything that was read */

static void
add(const void *data, size_t size)
{
   if (size)
      sum += recording_hash(data, size) + ((const uint8_t *)data)[size - 1];
}

static bool
use_recording(const uint8_t *data, size_t size)
{
   struct recording_record r;
   char error[256];
   int got = -1;

   write_file(data, size);
   struct recording *recording = recording_open(path, error, sizeof(error));
   while (recording && (got = recording_read(recording, &r, error, sizeof(error))) > 0) {
      add(r.data, r.length);
      add(r.words, r.num_words * sizeof(*r.words));
      add(r.cmds, r.num_cmds * sizeof(*r.cmds));
      add(r.buffers, r.num_buffers * sizeof(*r.buffers));
      add(r.hashes, r.hashes ? r.num_buffers * sizeof(*r.hashes) : 0);
   }
   recording_close(recording);
   return got == 0;
}

static bool
use_profile(const uint8_t *data, size_t size)
{
   char error[TEGRA20_HW_ERROR], text[TEGRA20_HW_MAX_TEXT];
   struct tegra20_hw hw = {0};

   write_file(data, size);
   const bool ok = tegra20_hw_read(&hw, path, 0x20, error);
   for (unsigned i = 0; i < TEGRA20_HW_NUM_ROWS; i++) {
      if (hw.value[i] >= tegra20_hw_rows[i].num_values)
         abort();
   }
   tegra20_hw_format(&hw, text, sizeof(text));
   return ok;
}

/* --- programs --- */

static void
evaluate(void *program, const struct tegra20_values *values)
{
   static const uint32_t words[64];
   static const float params[TEGRA20_PARAM_COUNT];
   float *results = ralloc_array(program, float, values->count + 1);

   tegra20_values_eval(values, words, ARRAY_SIZE(words), params, results);
   ralloc_free(program);
}

static bool
use_vertex_program(const uint8_t *data, size_t size)
{
   struct blob_reader reader;

   blob_reader_init(&reader, data, size);
   struct tegra20_vs *vs = tegra20_vs_deserialize(NULL, &reader);
   if (vs)
      evaluate(vs, &vs->values);
   return vs;
}

static bool
use_fragment_program(const uint8_t *data, size_t size)
{
   struct blob_reader reader;

   blob_reader_init(&reader, data, size);
   struct tegra20_fs *fs = tegra20_fs_deserialize(NULL, &reader);
   if (fs)
      evaluate(fs, &fs->values);
   return fs;
}

/* --- what is changed --- */

enum { RECORDING, PROFILE, VERTEX, FRAGMENT, NUM_INPUTS };

static struct input inputs[NUM_INPUTS] = {
   [RECORDING] = {"recording", .use = use_recording},
   [PROFILE] = {"profile", .use = use_profile},
   [VERTEX] = {"vertex program", .use = use_vertex_program},
   [FRAGMENT] = {"fragment program", .use = use_fragment_program},
};

static bool
read_whole(struct input *input, const char *name)
{
   FILE *f = fopen(name, "rb");

   if (!f)
      return false;
   fseek(f, 0, SEEK_END);
   input->size = ftell(f);
   rewind(f);
   input->data = malloc(input->size + 1);
   const bool ok = fread(input->data, 1, input->size, f) == input->size;
   fclose(f);
   return ok;
}

static void
find_records(struct input *input)
{
   for (size_t at = HEADER; at + 8 <= input->size && input->num_places < MAX_RECORDS;) {
      uint32_t length;
      memcpy(&length, input->data + at + 4, sizeof(length));
      input->places[input->num_places++] = at;
      at += 8 + (size_t)length;
   }
}

static bool
make_profile(struct input *input)
{
   char name[] = "/tmp/fuzz_files-XXXXXX";
   struct tegra20_hw hw;

   close(mkstemp(name));
   for (unsigned i = 0; i < TEGRA20_HW_NUM_ROWS; i++)
      hw.value[i] = tegra20_hw_rows[i].num_values - 1;
   const bool ok = tegra20_hw_write(&hw, 0x20, "# a remark\n", name) && read_whole(input, name);
   unlink(name);
   return ok;
}

static char *
take_shader(void *data, nir_shader *from)
{
   struct input *input = &inputs[from->info.stage == MESA_SHADER_VERTEX ? VERTEX : FRAGMENT];
   nir_shader *nir = nir_shader_clone(NULL, from);
   struct tegra20_fs_key fs_key = {.nr_cbufs = 1, .clamp_color = true};
   const struct tegra20_vs_key vs_key = {0};
   struct tegra20_vs *vs;
   struct tegra20_fs *fs;
   struct blob blob;
   char *error;

   fs_key.rt[0] = (struct tegra20_fs_rt_key){.bound = true, .has_alpha = true, .colormask = 0xf, .surface = 1};
   tegra20_preprocess_nir(nir);
   blob_init(&blob);
   if (input == &inputs[VERTEX] && tegra20_compile_vs(nir, nir, &vs_key, NULL, &vs, &error))
      tegra20_vs_serialize(&blob, vs);
   else if (input == &inputs[FRAGMENT] && tegra20_compile_fs(nir, nir, &fs_key, NULL, &fs, &error))
      tegra20_fs_serialize(&blob, fs);
   free(input->data);
   blob_finish_get_buffer(&blob, (void **)&input->data, &input->size);
   ralloc_free(nir);
   return NULL;
}

static bool
make_programs(void)
{
   static char vertex[] = "attribute vec4 p; attribute vec3 normal; uniform mat4 m, w; uniform vec4 light[4];\n"
                          "varying vec4 color; varying vec2 uv;\n"
                          "void main() { gl_Position = m * p; vec3 n = normalize(mat3(w) * normal); vec3 s = vec3(0.1);\n"
                          "for (int i = 0; i < 4; i++) { vec3 l = light[i].xyz - (w * p).xyz;\n"
                          "s += light[i].w * max(dot(n, normalize(l)), 0.0) / (1.0 + dot(l, l)); }\n"
                          "color = vec4(s, 1.0); uv = p.xy * 0.5 + 0.5; }";
   static char fragment[] = "precision mediump float; uniform sampler2D a, b; uniform vec4 fog, tint, k; uniform float t;\n"
                            "varying vec4 color; varying vec2 uv;\n"
                            "void main() { vec4 c = texture2D(a, uv + sin(uv.yx * t) * k.xy) * color * (tint + fog * 2.0);\n"
                            "c.rgb += pow(texture2D(b, uv * k.zw).rgb, vec3(2.2)) * (tint.a / (1.0 + k.x));\n"
                            "if (c.a < fog.a * t) discard; gl_FragColor = mix(c, fog, clamp(uv.x * k.y, 0.0, 1.0)); }";
   struct shader_test program = {
      .path = "fuzz", .es = true, .glsl_version = 100, .num_sources = 2,
      .sources = {{SOURCE_VERTEX, vertex}, {SOURCE_FRAGMENT, fragment}},
   };
   char *log = NULL;
   struct gl_frontend *frontend = gl_frontend_create(true, take_shader, NULL);
   const bool ok = frontend && gl_frontend_link(frontend, &program, &log);

   if (frontend)
      gl_frontend_destroy(frontend);
   free(log);
   return ok && inputs[VERTEX].size && inputs[FRAGMENT].size;
}

int
main(int argc, char **argv)
{
   static const struct option options[] = {
      {"mutations", required_argument, NULL, 'm'}, {"seed", required_argument, NULL, 's'}, {0}};
   unsigned long mutations = 1000, seed = 1;

   for (int c; (c = getopt_long(argc, argv, "", options, NULL)) != -1;) {
      if (c == '?')
         return 2;
      *(c == 'm' ? &mutations : &seed) = strtoul(optarg, NULL, 0);
   }
   file = memfd_create("changed", 0);
   snprintf(path, sizeof(path), "/proc/self/fd/%d", file);
   if (optind + 1 != argc || !read_whole(&inputs[RECORDING], argv[optind]) || !make_profile(&inputs[PROFILE]) ||
       !make_programs()) {
      fprintf(stderr, "usage: fuzz_files RECORDING [--mutations N] [--seed S]\n");
      return 2;
   }
   find_records(&inputs[RECORDING]);
   for (unsigned i = 0; i < NUM_INPUTS; i++) {
      if (!inputs[i].use(inputs[i].data, inputs[i].size)) {
         fprintf(stderr, "fuzz_files: the %s is refused as it is\n", inputs[i].name);
         return 1;
      }
   }
   for (unsigned long m = 0; m < mutations; m++) {
      struct input *input = &inputs[m % NUM_INPUTS];
      random_state = (seed << 32) + m;
      size_t size;
      uint8_t *data = changed_copy(input, &size);
      input->accepted += input->use(data, size);
      free(data);
   }
   printf("fuzz_files: %lu mutations (seed %lu)", mutations, seed);
   for (unsigned i = 0; i < NUM_INPUTS; i++)
      printf(", %s of %zu bytes: %u accepted", inputs[i].name, inputs[i].size, inputs[i].accepted);
   printf("; sum %llx\n", (unsigned long long)sum);
   return 0;
}
