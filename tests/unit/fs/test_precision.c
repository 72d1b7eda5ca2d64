/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * The precision pass: one line per program, with the number of ALU operations whose results it puts into fx10 and into
 * fp20 halves and registers, and of interpolated values that become fx10.  Operations that write nothing but a flag count
 * as fx10, because 0 and 1 are exact there.
 */

#include "unit.h"
#include "fs/fs.h"
#include "fs_check.h"
#include "link_body.h"

static const char prelude[] =
   "varying vec4 v; varying vec2 uv; varying float f; uniform vec4 u; uniform sampler2D t0, t1;\n"
   "#define T0 texture2D(t0, uv)\n#define T1 texture2D(t1, uv)\n#define C gl_Color\n#define OUT gl_FragColor\n";

static const struct {
   const char *body;
   unsigned fx10, fp20, interpolated;
} cases[] = {
   /* what is stored is rounded by the store in any case */
   {"OUT = v;", 0, 0, 0}, /* the copy to fx10 is made when operands are legalized */
   {"OUT = v * u;", 4, 0, 0},
   {"OUT = T0 * u;", 4, 0, 0},
   /* colours are clamped to 0..1 before: stored as they come */
   {"OUT = C;", 0, 0, 4},
   {"OUT = T0 * C;", 4, 0, 4},
   /* one rounded value before the last one is within the budget of an 8-bit step */
   {"OUT = T0 * C * T1;", 8, 0, 4},
   /* an unbounded varying may exceed the range of fx10 */
   {"vec4 x = v * v; OUT = x * T0;", 4, 4, 0},
   {"vec4 x = clamp(v, 0.0, 1.0); OUT = x * T0;", 8, 0, 0},
   /* amplified errors are not, nor those of n / 256 as the unit delivers it: n / 255 takes a saturated fx10 operation
    * and, in fp20, one that adds a 255th (tegra20_amplified.c) */
   {"vec4 x = T0 * C; OUT = x * 16.0 - 8.0;", 8, 4, 0},
   {"OUT = C * 8.0;", 4, 0, 0},
   {"OUT = C * 2.0;", 0, 0, 4}, /* twice the value is an operand modifier of the copy for the store */
   {"OUT = mix(T0, T1, C.a);", 4, 0, 1}, /* moves by the difference of the texels */
   /* four colours of half a step each: two in each component are within the budget of colours */
   {"OUT = C + C.brga + C.gbra + C.aaaa;", 4, 7, 2},
   /* x^8 is three products: x^8 is stored, and twice half a step of x^4 is the whole budget */
   {"vec4 x = T0 * T1; OUT = pow(x, vec4(8.0));", 8, 8, 0},
   /* selections of texels are exact */
   {"OUT = u.x > 0.5 ? T0 : T1;", 4, 0, 0},
   {"OUT = f > 0.5 ? T0 : T1;", 5, 0, 0},
   {"OUT = f > 0.5 ? vec4(1.0) : T0;", 5, 0, 0},
   /* operands of comparisons stay exact: a product is not rounded, and a texel is n / 255 */
   {"OUT = T0.x > f ? T0 : T1;", 6, 1, 0},
   {"OUT = T0.x * f > 0.25 ? T0 : T1;", 6, 1, 0},
   {"OUT = T0.x * T1.x > 0.25 ? T0 : T1;", 7, 2, 0},
   {"float x = T0.x * T1.x; OUT = x > 0.25 && x < 0.5 ? T0 : T1;", 9, 3, 0},
   {"OUT = T0.x + T1.x > u.x ? T0 : T1;", 7, 2, 0},
   /* mixtures of texels are none, compared with each other or the ends of 0..1; but packed, or for equality */
   {"OUT = T0.x + T1.x > T0.y + T1.y ? T0 : T1;", 5, 1, 0},
   {"OUT = T0.x + T1.x > 1.0 ? T0 : T1;", 4, 1, 0},
   {"OUT = T0.x + T1.x * 0.05 > 1.0 ? T0 : T1;", 7, 2, 0},
   {"OUT = max(T0.x, T1.x) > T0.y + T1.y ? T0 : T1;", 7, 3, 0},
   {"OUT = T0.x == T1.x ? T0 : T1;", 7, 2, 0},
   /* sums and differences of texels are exact, and their sign; equality in the form of a magnitude is equality */
   {"vec4 d = T0 - T1; OUT = d.x > 0.0 ? T0 : abs(d);", 8, 0, 0}, /* the selection tests the sign itself */
   {"vec4 d = T0 - T1; OUT = abs(d.x) > 0.0 ? T0 : d;", 10, 3, 0},
   /* an address is exact, whatever is its factor */
   {"OUT = texture2D(t0, v.xy + T1.xy * f);", 2, 4, 0},
   {"OUT = texture2D(t0, v.xy + T1.xy * u.x);", 2, 2, 0},
   /* texture coordinates, which are n / 255, too, and arguments of functions are fp20 */
   {"OUT = texture2D(t0, T1.xy);", 2, 2, 0},
   {"OUT = texture2D(t0, uv * 2.0);", 0, 2, 0},
   {"OUT = vec4(sqrt(T0.x));", 0, 0, 0},
   {"OUT = vec4(1.0 / (T0.x + 1.0));", 0, 1, 0},
};

static unsigned current;

static char *
take_shader(void *data, nir_shader *nir)
{
   static const struct fs_lowering usual;
   struct tegra20_fs_key key;
   struct fs_outputs outputs = {0};
   unsigned count[2] = {0}, interpolated = 0;

   if (nir->info.stage != MESA_SHADER_FRAGMENT || current >= ARRAY_SIZE(cases))
      return NULL;
   nir_shader *clone = nir_shader_clone(NULL, nir);
   struct fs_program *p = rzalloc(clone, struct fs_program);
   tegra20_preprocess_nir(clone);
   fs_check_default_key(&key);
   p->key = &key;
   p->lowering = &usual;
   assert_true(fs_from_nir(p, clone, &outputs));
   fs_epilogue(p, &outputs);
   fs_run_passes(p, "formats");
   for (unsigned i = 0; i < p->num_nodes; i++) {
      const struct fs_node *node = &p->nodes[i];
      if (fs_op_is_alu(node->op))
         count[node->format]++;
      else if (node->op == FS_OP_PART)
         interpolated += p->nodes[node->src[0].index].op == FS_OP_INTERP;
   }
   if (count[FS_FX10] != cases[current].fx10 || count[FS_FP20] != cases[current].fp20 ||
       interpolated != cases[current].interpolated)
      print_error("%s: %u fx10, %u fp20, %u interpolated; expected %u, %u, %u\n", cases[current].body, count[FS_FX10],
                  count[FS_FP20], interpolated, cases[current].fx10, cases[current].fp20, cases[current].interpolated);
   *(unsigned *)data += count[FS_FX10] == cases[current].fx10 && count[FS_FP20] == cases[current].fp20 &&
                        interpolated == cases[current].interpolated;
   current = ARRAY_SIZE(cases);
   ralloc_free(clone);
   return NULL;
}

TEST(formats)
{
   unsigned right = 0;
   struct gl_frontend *frontend = gl_frontend_create(false, take_shader, &right);

   current = ARRAY_SIZE(cases);
   for (unsigned i = 0; i < ARRAY_SIZE(cases); i++) {
      current = i;
      link_body(frontend, 110, prelude, cases[i].body);
   }
   gl_frontend_destroy(frontend);
   assert_int_equal(right, ARRAY_SIZE(cases));
}
