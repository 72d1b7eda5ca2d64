/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Expressions that move from a fragment program to the vertex program: which, within which limits, and that both programs
 * are valid afterwards.
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "compiler/nir/nir_builder.h"

#include "tegra20_compiler.h"
#include "tegra20_hoist.h"

/* A vertex and a fragment program with the varying v, and what an expression may be made of. */
struct programs {
   nir_builder vb, fb;
   nir_def *v;          /* vec2, smooth */
   nir_def *flat;       /* vec2 */
   nir_def *color;      /* gl_Color: may be flat or have two sides */
   nir_def *alone;      /* vec2 that the vertex program does not write */
   nir_def *scale;      /* uniform vec2 */
   nir_def *matrix[3];  /* columns of a uniform mat3 */
   nir_def *number;     /* uniform ivec2 */
   nir_def *truth;      /* uniform bvec2 */
};

static nir_def *
varying(struct programs *p, const char *name, unsigned location, enum glsl_interp_mode mode, bool written)
{
   nir_variable *in = nir_variable_create(p->fb.shader, nir_var_shader_in, glsl_vec_type(2), name);
   in->data.location = (int)location;
   in->data.interpolation = mode;
   if (written) {
      nir_variable *out = nir_variable_create(p->vb.shader, nir_var_shader_out, glsl_vec_type(2), name);
      out->data.location = (int)location;
      nir_variable *a = nir_variable_create(p->vb.shader, nir_var_shader_in, glsl_vec_type(2), "attribute");
      nir_store_var(&p->vb, out, nir_fmul_imm(&p->vb, nir_load_var(&p->vb, a), 2.0f), 3);
   }
   return nir_load_var(&p->fb, in);
}

static void
build(struct programs *p)
{
   p->vb = nir_builder_init_simple_shader(MESA_SHADER_VERTEX, tegra20_nir_options(MESA_SHADER_VERTEX), "hoist");
   p->fb = nir_builder_init_simple_shader(MESA_SHADER_FRAGMENT, tegra20_nir_options(MESA_SHADER_FRAGMENT), "hoist");
   p->v = varying(p, "v", -1, INTERP_MODE_NONE, true);
   p->flat = varying(p, "f", -1, INTERP_MODE_FLAT, true);
   p->color = varying(p, "gl_Color", VARYING_SLOT_COL0, INTERP_MODE_NONE, true);
   p->alone = varying(p, "w", -1, INTERP_MODE_NONE, false);
   p->scale = nir_load_var(&p->fb, nir_variable_create(p->fb.shader, nir_var_uniform, glsl_vec_type(2), "scale"));
   p->number = nir_load_var(&p->fb, nir_variable_create(p->fb.shader, nir_var_uniform, glsl_ivec2_type(), "number"));
   p->truth = nir_load_var(&p->fb, nir_variable_create(p->fb.shader, nir_var_uniform, glsl_bvec2_type(), "truth"));
   nir_variable *matrix = nir_variable_create(p->fb.shader, nir_var_uniform, glsl_matrix_type(GLSL_TYPE_FLOAT, 3, 3), "matrix");
   for (unsigned c = 0; c < 3; c++)
      p->matrix[c] = nir_load_deref(&p->fb, nir_build_deref_array_imm(&p->fb, nir_build_deref_var(&p->fb, matrix), c));
}

/* As coordinates of a lookup, whose red is the colour. */
static void
look_up(struct programs *p, nir_def *coordinates)
{
   nir_tex_instr *tex = nir_tex_instr_create(p->fb.shader, 1);
   tex->op = nir_texop_tex;
   tex->sampler_dim = coordinates->num_components == 3 ? GLSL_SAMPLER_DIM_CUBE : GLSL_SAMPLER_DIM_2D;
   tex->coord_components = coordinates->num_components;
   tex->dest_type = nir_type_float32;
   tex->src[0] = nir_tex_src_for_ssa(nir_tex_src_coord, coordinates);
   nir_def_init(&tex->instr, &tex->def, 4, 32);
   nir_builder_instr_insert(&p->fb, &tex->instr);
   nir_variable *out = nir_variable_create(p->fb.shader, nir_var_shader_out, glsl_vec4_type(), "color");
   out->data.location = FRAG_RESULT_COLOR;
   nir_store_var(&p->fb, out, &tex->def, 0xf);
}

#define B (&p->fb)
static nir_def *plain(struct programs *p) { return p->v; }
static nir_def *scaled(struct programs *p) { return nir_fmul(B, p->v, p->scale); }
static nir_def *sum(struct programs *p) { return nir_fadd(B, p->v, p->scale); }
static nir_def *imm(struct programs *p) { return nir_fadd_imm(B, nir_fneg(B, p->v), 0.25f); }
static nir_def *fma3(struct programs *p) { return nir_ffma(B, p->v, p->scale, p->v); }
static nir_def *mixed(struct programs *p) { return nir_flrp(B, p->v, p->scale, nir_fmul(B, p->scale, p->scale)); }
static nir_def *weight(struct programs *p) { return nir_flrp(B, p->scale, nir_imm_vec2(B, 1, 2), p->v); }
static nir_def *divided(struct programs *p) { return nir_fmul(B, p->v, nir_frcp(B, p->scale)); }
static nir_def *dot(struct programs *p) { return nir_vec2(B, nir_fdot(B, p->v, p->scale), nir_channel(B, p->v, 0)); }
static nir_def *by_function(struct programs *p) { return nir_fmul(B, p->v, nir_fsin(B, nir_fsqrt(B, p->scale))); }
static nir_def *by_integer(struct programs *p) { return nir_fmul(B, p->v, nir_i2f32(B, p->number)); }
static nir_def *by_truth(struct programs *p) { return nir_fadd(B, p->v, nir_b2f32(B, p->truth)); }
static nir_def *selected(struct programs *p) { return nir_bcsel(B, p->truth, p->v, p->scale); }
static nir_def *compared(struct programs *p) { return nir_bcsel(B, nir_flt(B, p->scale, nir_fsqrt(B, p->scale)), p->v, p->scale); }
static nir_def *by_other(struct programs *p) { return nir_bcsel(B, nir_flt(B, p->v, p->scale), p->v, p->scale); }
static nir_def *square(struct programs *p) { return nir_fmul(B, p->v, p->v); }
static nir_def *by_varying(struct programs *p) { return nir_fmul(B, p->scale, nir_frcp(B, p->v)); }
static nir_def *absolute(struct programs *p) { return nir_fabs(B, p->v); }
static nir_def *below(struct programs *p) { return nir_fabs(B, nir_fmul(B, p->v, p->scale)); }
static nir_def *flat(struct programs *p) { return nir_fmul(B, p->flat, p->scale); }
static nir_def *color(struct programs *p) { return nir_fmul(B, p->color, p->scale); }
static nir_def *alone(struct programs *p) { return nir_fmul(B, p->alone, p->scale); }
static nir_def *lerp_of_both(struct programs *p) { return nir_flrp(B, p->v, p->scale, p->v); }
static nir_def *uniform(struct programs *p) { return nir_fmul(B, p->scale, p->scale); }

static nir_def *
transformed(struct programs *p)
{
   nir_def *x = nir_fmul(B, p->matrix[0], nir_channel(B, p->v, 0)), *y = nir_fmul(B, p->matrix[1], nir_channel(B, p->v, 1));
   return nir_fadd(B, nir_fadd(B, x, y), p->matrix[2]);
}

/* So many sums of a sum with itself that nobody could count the paths through them. */
static nir_def *
doubled(struct programs *p)
{
   nir_def *value = p->v;

   for (unsigned i = 0; i < 60; i++)
      value = nir_fadd(B, value, value);
   return value;
}

/* What the vertex program writes is the same for all vertices. */
static nir_def *
of_constant(struct programs *p)
{
   nir_def *input = varying(p, "c", -1, INTERP_MODE_NONE, false);
   nir_variable *out = nir_variable_create(p->vb.shader, nir_var_shader_out, glsl_vec_type(2), "c");

   nir_store_var(&p->vb, out, nir_imm_vec2(&p->vb, 1, 2), 3);
   return nir_fmul(B, input, p->scale);
}
#undef B

static const struct tegra20_hoist_limits wide = {0, 192, 992, 12};

static const struct hoist_case {
   const char *name;
   nir_def *(*expression)(struct programs *p);
   unsigned roots;
   struct tegra20_hoist_limits limits;
} cases[] = {
   /* what is affine */
   {"varying times uniform", scaled, 2, wide},
   {"varying plus uniform", sum, 2, wide},
   {"negated, plus a constant", imm, 2, wide},
   {"fused", fma3, 2, wide},
   {"matrix", transformed, 3, wide},
   {"mix of a varying and a uniform", mixed, 2, wide},
   {"mix of uniforms by a varying", weight, 2, wide},
   {"divided by a uniform", divided, 2, wide},
   {"dot product; its neighbour is a varying", dot, 1, wide},
   {"below something else", below, 2, wide},
   {"60 doublings", doubled, 2, wide},
   {"times a function of uniforms", by_function, 2, wide},
   {"times an integer", by_integer, 2, wide},
   {"plus a truth value", by_truth, 2, wide},
   {"selected by a uniform", selected, 2, wide},
   {"selected by a comparison of uniforms", compared, 2, wide},
   /* what is not */
   {"varying", plain, 0, wide},
   {"square", square, 0, wide},
   {"selected by a varying", by_other, 0, wide},
   {"divided by a varying", by_varying, 0, wide},
   {"absolute value", absolute, 0, wide},
   {"flat", flat, 0, wide},
   {"colour", color, 0, wide},
   {"not written by the vertex program", alone, 0, wide},
   {"mix by the varying that is mixed", lerp_of_both, 0, wide},
   {"uniform", uniform, 0, wide},
   {"varying that is a constant", of_constant, 0, wide},
   /* limits: the vertex program has four outputs' worth of operations and varyings of its own */
   {"small program", transformed, 0, {200, 192, 992, 12}},
   {"no room for operations", transformed, 0, {0, 10, 992, 12}},
   {"no room for uniforms", transformed, 0, {0, 192, 8, 12}},
   {"room for the product, the CPU computes the function", by_function, 2, {0, 8, 992, 12}},
   {"no room for the product", by_function, 0, {0, 7, 992, 12}},
   {"room for the matrix", transformed, 3, {0, 192, 12, 12}},
   {"no room for varyings", transformed, 0, {0, 192, 992, 4}},
   {"room for one varying", transformed, 3, {0, 192, 992, 5}},
};

static bool
reads(const nir_shader *shader, nir_op op)
{
   nir_foreach_block(block, nir_shader_get_entrypoint((nir_shader *)shader)) {
      nir_foreach_instr(instr, block) {
         if (instr->type == nir_instr_type_alu && nir_instr_as_alu(instr)->op == op)
            return true;
      }
   }
   return false;
}

static void
test_case(void **state)
{
   const struct hoist_case *c = *state;
   struct programs p;

   build(&p);
   look_up(&p, c->expression(&p));
   assert_int_equal(tegra20_hoist(p.vb.shader, p.fb.shader, &c->limits), c->roots);
   nir_validate_shader(p.vb.shader, "after hoisting");
   nir_validate_shader(p.fb.shader, "after hoisting");

   bool progress;
   do {
      progress = false;
      NIR_PASS(progress, p.fb.shader, nir_copy_prop);
      NIR_PASS(progress, p.fb.shader, nir_opt_dce);
   } while (progress);
   /* nothing is left of an expression that is on the other side */
   if (c->roots) {
      assert_false(reads(p.fb.shader, nir_op_fadd) || reads(p.fb.shader, nir_op_fmul) || reads(p.fb.shader, nir_op_ffma));
      unsigned components = 0;
      nir_foreach_shader_in_variable(var, p.fb.shader)
         components += strncmp(var->name, "tegra20 hoisted", 15) ? 0 : glsl_get_components(var->type);
      assert_int_equal(components, c->roots);
      /* sums stay sums: only the mix of two values is made of a difference */
      assert_int_equal(reads(p.vb.shader, nir_op_fsub), c->expression == mixed || c->expression == weight);
   }
   ralloc_free(p.vb.shader);
   ralloc_free(p.fb.shader);
}

int
main(void)
{
   struct CMUnitTest tests[ARRAY_SIZE(cases)];

   for (unsigned i = 0; i < ARRAY_SIZE(cases); i++)
      tests[i] = (struct CMUnitTest){.name = cases[i].name, .test_func = test_case, .initial_state = (void *)&cases[i]};
   glsl_type_singleton_init_or_ref();
   const int failed = cmocka_run_group_tests(tests, NULL, NULL);
   glsl_type_singleton_decref();
   return failed;
}
