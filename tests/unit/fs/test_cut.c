/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Programs in parts, one line per program: GLSL, state, and the most parts, values handed on and (of some) clocks that it
 * may take.  All of them are more than the chip runs at once.  The parts are run one after the other on the simulator in strict mode, with
 * surfaces between them, and the result is compared with what the NIR of the whole program computes.
 */

#include "unit.h"
#include "fs_check.h"
#include "link_body.h"
#include "pipe/p_defines.h"
#include "util/blend.h"
#include "util/blob.h"
#include "util/ralloc.h"

static const char prelude[] =
   "varying vec4 v; varying vec3 n; varying vec2 uv; varying float f;\n"
   "uniform vec4 u, w; uniform float a, b; uniform sampler2D t0, t1, t2; uniform mat4 m;\n"
   /* steps that take some operations, and forget nothing of their argument: a sum, and a rotation */
   "float s1(float x, float y) { return x + 0.01 * (sin(3.0 * x + y) + cos(2.0 * y - x)); }\n"
   "vec4 s4(vec4 x, vec4 y) { return vec4(0.8 * x.xy - 0.6 * x.zw, 0.6 * x.xy + 0.8 * x.zw).zxwy + 0.01 * sqrt(abs(y * y.wxyz) + 0.1); }\n"
   "#define OUT gl_FragColor\n#define L(N) for (int i = 0; i < N; i++)\n";

static const struct cut_case {
   const char *body, *state;
   unsigned parts, values;
   float tolerance; /* steps of 1/256; 0: 3 */
   unsigned clocks; /* of the best code of all parts; 0: not asked */
} cases[] = {
   /* a chain of one value */
   {"float x = v.x; L(40) x = s1(x, v.y); OUT = vec4(x);", "", 6, 5, 3, 342},
   {"float x = v.x; L(40) x = s1(x, v.y); L(40) x = s1(x, v.y); OUT = vec4(x, 1.0 - x, x * x, 1.0);", "", 11, 10},
   /* four values alive everywhere */
   {"vec4 x = v; L(24) x = s4(x, v.wxyz); OUT = x;", "", 2, 4},
   {"vec4 x = v; L(28) x = s4(x, v.wxyz); OUT = x;", "", 2, 4},
   /* each step a packet: the batches with stores have few */
   {"vec4 x = v; L(34) x = x.yzwx * x + u; L(34) x = x.yzwx * x + u; OUT = x;", "", 2, 4, 3, 98},
   /* four, three and two values */
   {"vec4 x = v; L(64) x = x.yzwx * x + u; L(64) x = x.wxyz * x + w; OUT = x;", "", 3, 8, 3, 187},
   {"vec3 x = v.xyz; L(45) x = x.yzx * x + u.xyz; L(45) x = x.yzx * x + u.xyz; OUT = vec4(x, 1.0);", "", 3, 6, 3, 110},
   {"vec2 x = v.xy; L(45) x = x.yx * x + u.xy; L(45) x = x.yx * x + u.xy; OUT = vec4(x, x);", "", 3, 6, 3, 94},
   /* eight: more than a part stores */
   {"vec4 x = v, y = v.wzyx; L(10) { x = s4(x, y); y = s4(y, x.zwxy); } OUT = x * y;", "", 3, 8},
   /* sums of independent terms: one value is enough */
   {"float x = 0.0; L(40) x += s1(v.x + float(i) * 0.1, v.y) * 0.02; OUT = vec4(x);", "", 4, 3},
   /* more registers than there are, in the middle of the program */
   {"vec4 p[6]; for (int i = 0; i < 6; i++) p[i] = sqrt(abs(v * float(i + 1) + u)); vec4 x = vec4(0.0); "
    "for (int i = 0; i < 6; i++) for (int j = 0; j < 6; j++) x += p[i].wxyz * p[j] * 0.02; OUT = x;", "", 4, 7},
   /* a sum of lookups whose coordinates and factors are computed: what both sides of a cut would compute counts */
   {"vec4 s = vec4(0.0); for (int j = 0; j < 2; j++) for (int i = 28 * j; i < 28 * j + 28; i++) s += "
    "texture2D(t0, uv * (a + 0.1 * float(i / 8)) + u.zw * float(i)) * (w + float(i)); OUT = s * 0.001;",
    "", 3, 8, 6},
   /* lookups at varyings are done again */
   {"vec4 c = texture2D(t0, uv), d = texture2D(t1, uv); vec4 x = v; L(24) x = s4(x, c); OUT = x * c + d * 0.5;", "", 3, 8},
   /* lookups at coordinates of the program */
   {"vec4 x = v; L(12) x = s4(x, v.wxyz); vec4 c = texture2D(t0, x.xy); L(10) c = s4(c, x); OUT = c;", "", 2, 4, 6},
   /* discard in every part */
   {"float x = v.x; L(20) x = s1(x, v.y); if (x < 0.5) discard; L(20) x = s1(x, v.z); if (x > 0.7) discard; "
    "L(20) x = s1(x, v.w); if (x < 0.3) discard; OUT = vec4(x);", "", 8, 11},
   {"float x = v.x; L(40) x = s1(x, v.y); if (x < 0.6) discard; OUT = v;", "", 6, 5},
   /* state: the last part has it */
   {"vec4 x = v; L(24) x = s4(x, v.wxyz); OUT = x;", "over", 2, 4},
   {"vec4 x = v; L(24) x = s4(x, v.wxyz); OUT = x;", "mask", 2, 4},
   {"vec4 x = v; L(24) x = s4(x, v.wxyz); OUT = x;", "bgra", 2, 4},
   /* what the program knows of its pixel */
   {"float x = gl_FragCoord.z; L(40) x = s1(x, v.y); OUT = vec4(x + gl_FragCoord.x * 0.1);", "", 6, 5},
   {"float x = gl_FrontFacing ? v.x : v.y; L(40) x = s1(x, v.y); OUT = gl_FrontFacing ? vec4(x) : v;", "", 6, 5},
   /* uniforms */
   {"vec4 x = v; L(24) x = s4(x, u * a + w); OUT = m * x * 0.2;", "", 2, 4},
   /* values that do not depend on the pixel and conditions */
   {"float x = v.x; L(30) x = x > 0.6 ? s1(x, v.y) : s1(v.z, x); OUT = vec4(x);", "", 6, 5, 3, 429},
};

static const struct cut_case *current;
static unsigned checked;

/* What a cache on disk gives back; the same parts again, and none when a number in it points at nothing. */
static const struct tegra20_parts *
through_bytes(const nir_shader *nir, const struct tegra20_parts *parts)
{
   struct blob blob, again;
   struct blob_reader reader;

   blob_init(&blob);
   blob_init(&again);
   tegra20_parts_serialize(&blob, parts);
   blob_reader_init(&reader, blob.data, blob.size);
   const struct tegra20_parts *got = tegra20_parts_deserialize((void *)nir, nir->options, &reader);
   assert_non_null(got);
   tegra20_parts_serialize(&again, got);
   assert_int_equal(blob.size, again.size);
   assert_memory_equal(blob.data, again.data, blob.size);
   for (unsigned word = 0; word < 3; word++) { /* parts, loops, surfaces */
      uint32_t was;

      memcpy(&was, blob.data + 4 * word, sizeof(was));
      memcpy(blob.data + 4 * word, &(uint32_t){word == 2 ? 0 : 1000}, sizeof(was));
      blob_reader_init(&reader, blob.data, blob.size);
      assert_null(tegra20_parts_deserialize((void *)nir, nir->options, &reader));
      memcpy(blob.data + 4 * word, &was, sizeof(was));
   }
   blob_finish(&blob);
   blob_finish(&again);
   return got;
}

static void
make_key(const char *state, struct tegra20_fs_key *key)
{
   fs_check_default_key(key);
   if (strstr(state, "over")) {
      key->rt[0].blend_enable = true;
      key->rt[0].rgb_func = key->rt[0].alpha_func = PIPE_BLEND_ADD;
      key->rt[0].rgb_src = key->rt[0].alpha_src = PIPE_BLENDFACTOR_ONE;
      key->rt[0].rgb_dst = key->rt[0].alpha_dst = PIPE_BLENDFACTOR_INV_SRC_ALPHA;
   }
   if (strstr(state, "mask"))
      key->rt[0].colormask = 0x5;
   if (strstr(state, "bgra"))
      key->rt[0].order = TEGRA20_RT_BGRA;
}

static unsigned
clocks_of(const struct tegra20_parts *parts, const struct tegra20_fs_key *whole)
{
   unsigned clocks = 0;

   for (unsigned i = 0; i < parts->count; i++) {
      const struct tegra20_compiler_options best = {.is_part = true}, draft = {.is_part = true, .effort = TEGRA20_EFFORT_DRAFT};
      struct tegra20_fs_key key;
      struct tegra20_fs *fs, *first;
      char *error = NULL;

      tegra20_part_key(parts, i, whole, &key);
      if (!tegra20_compile_fs((void *)parts, parts->part[i].nir, &key, &best, &fs, &error))
         fail_msg("part %u: %s", i, error);
      if (tegra20_compile_fs((void *)parts, parts->part[i].nir, &key, &draft, &first, &error) &&
          fs->stats.cycles > first->stats.cycles)
         fail_msg("part %u: the best code takes longer than the draft", i);
      clocks += fs->stats.cycles;
   }
   return clocks;
}

static char *
take_shader(void *data, nir_shader *nir)
{
   struct tegra20_fs_key key;
   struct fs_check_result result;
   struct tegra20_fs *fs;
   char *error = NULL;
   const struct cut_case *c = current;

   if (!c || nir->info.stage != MESA_SHADER_FRAGMENT)
      return NULL;
   current = NULL;
   nir_shader *clone = nir_shader_clone(NULL, nir);
   tegra20_preprocess_nir(clone);
   make_key(c->state, &key);
   if (tegra20_compile_fs(clone, clone, &key, &(struct tegra20_compiler_options){.effort = TEGRA20_EFFORT_DRAFT}, &fs, &error))
      fail_msg("%s [%s]: fits as it is, in %u clocks", c->body, c->state, fs->stats.cycles);
   const struct tegra20_parts *found = tegra20_cut_fs(clone, clone, &key, NULL, &error);
   if (!found)
      fail_msg("%s [%s]: %s", c->body, c->state, error);
   const struct tegra20_parts *parts = through_bytes(clone, found);
   const struct tegra20_compiler_options draft = {.effort = TEGRA20_EFFORT_DRAFT};
   if (!fs_check_parts(clone, parts, &key, &draft, 16, 7, c->tolerance ? c->tolerance : 3, &result, &error))
      fail_msg("%s [%s]: %s", c->body, c->state, error);
   if (result.error || result.diagnostic || result.mismatches)
      fail_msg("%s [%s]: %u of %u runs differ (%s), strict %u, %s", c->body, c->state, result.mismatches, result.runs,
               result.message, result.diagnostic, result.error ? result.error : "");
   if (getenv("FS_TEST_VERBOSE"))
      printf("%u parts, %u values, %u surfaces\n", parts->count, parts->num_values, parts->num_surfaces);
   if (parts->count > c->parts || parts->num_values > c->values)
      fail_msg("%s [%s]: %u parts and %u values, expected at most %u and %u", c->body, c->state, parts->count, parts->num_values, c->parts, c->values);
   const unsigned clocks = c->clocks ? clocks_of(parts, &key) : 0;
   if (clocks > c->clocks)
      fail_msg("%s [%s]: %u clocks, expected at most %u", c->body, c->state, clocks, c->clocks);
   checked++;
   ralloc_free(clone);
   return NULL;
}

static void
test_program(void **state)
{
   struct gl_frontend *frontend = gl_frontend_create(false, take_shader, NULL);

   current = *state;
   checked = 0;
   link_body(frontend, 120, prelude, current->body);
   gl_frontend_destroy(frontend);
   assert_int_equal(checked, 1);
}

/* test_cut K N: every Nth case from the Kth on, from 1. */
int
main(int argc, char **argv)
{
   struct CMUnitTest tests[ARRAY_SIZE(cases)];
   unsigned count = 0;

   for (unsigned i = argc > 2 ? atoi(argv[1]) - 1 : 0; i < ARRAY_SIZE(cases); i += argc > 2 ? atoi(argv[2]) : 1)
      tests[count++] = (struct CMUnitTest){.name = cases[i].body, .test_func = test_program, .initial_state = (void *)&cases[i]};
   return _cmocka_run_group_tests("programs in parts", tests, count, NULL, NULL);
}
