/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Operators, swizzles, conversions and built-in functions: every kind times types times precisions times stages.
 */

#include <stdio.h>

#include "families.h"
#include "shader_case.h"

static const char *const float_types[] = { "float", "vec2", "vec3", "vec4" };
static const char *const int_types[] = { "int", "ivec2", "ivec3", "ivec4" };
static const char *const bool_types[] = { "bool", "bvec2", "bvec3", "bvec4" };
static const char *const swizzle_of[] = { ".x", ".xy", ".xyz", "" };
/* makes a vec4 of a value of n + 1 components called r */
static const char *const widen[] = { "vec4(vec3(r), 1.0)", "vec4(r, 0.5, 1.0)", "vec4(r, 1.0)", "vec4(r)" };

/* --- operators ------------------------------------------------------------------------------------------------------ */

static void
run_expression(const char *group, const char *name, unsigned n, const char *types, const char *expression,
               const char *scale, unsigned flags, enum shader_precision precision)
{
   char body[1200];
   snprintf(body, sizeof(body), "   %s r = %s(%s);\n   res = %s%s;", types, types, expression, widen[n], scale);
   shader_run(group, &(struct shader_case){ name, NULL, body, flags }, precision);
}

static void
float_binary(void)
{
   static const struct {
      const char *name, *op, *second;
   } ops[] = { { "add", "+", "in1" }, { "sub", "-", "in1" }, { "mul", "*", "in1" }, { "div", "/", "in3" } };
   char name[60], e[200];
   for (unsigned p = 0; p < 3; p++) {
      for (unsigned o = 0; o < ARRAY_SIZE(ops); o++) {
         for (unsigned n = 0; n < 4; n++) {
            snprintf(name, sizeof(name), "%s_%s", ops[o].name, float_types[n]);
            snprintf(e, sizeof(e), "in0%s %s %s%s", swizzle_of[n], ops[o].op, ops[o].second, swizzle_of[n]);
            run_expression("operator/float", name, n, float_types[n], e, " * 0.25 + 0.5", 0, p);
            if (!n)
               continue;
            snprintf(name, sizeof(name), "%s_%s_float", ops[o].name, float_types[n]);
            snprintf(e, sizeof(e), "in0%s %s %s.w", swizzle_of[n], ops[o].op, ops[o].second);
            run_expression("operator/float", name, n, float_types[n], e, " * 0.25 + 0.5", 0, p);
            snprintf(name, sizeof(name), "%s_float_%s", ops[o].name, float_types[n]);
            snprintf(e, sizeof(e), "in0.w %s %s%s", ops[o].op, ops[o].second, swizzle_of[n]);
            run_expression("operator/float", name, n, float_types[n], e, " * 0.25 + 0.5", 0, p);
         }
      }
   }
}

/* Integers come from floor(): the values are small, as ES 2.0 guarantees little for mediump. */
static void
int_binary(void)
{
   static const char *const ops[] = { "+", "-", "*", "/" };
   static const char *const names[] = { "add", "sub", "mul", "div" };
   char name[60], body[700];
   for (unsigned p = 0; p < 3; p++) {
      for (unsigned o = 0; o < 4; o++) {
         for (unsigned n = 0; n < 4; n++) {
            const char *t = int_types[n];
            snprintf(body, sizeof(body),
                     "   %s a = %s(in0%s * 20.0 - 9.5);\n   %s b = %s(in3%s * 5.0);\n   if (%d == 3) b += 1;\n"
                     "   %s q = a %s b;\n   %s r = %s(q);\n   res = %s * (%s) + 0.5;",
                     t, t, swizzle_of[n], t, t, swizzle_of[n], o, t, ops[o], float_types[n], float_types[n], widen[n],
                     o == 2 ? "1.0 / 256.0" : "1.0 / 50.0");
            snprintf(name, sizeof(name), "%s_%s", names[o], t);
            shader_run("operator/int", &(struct shader_case){ name, NULL, body, 0 }, p);
         }
      }
   }
}

static const struct shader_case unary[] = {
   { "minus_float", NULL, "   res = vec4(-in1.x, -in1.yz, 1.0) * 0.5 + 0.5;" },
   { "minus_vec4", NULL, "   res = -in1 * 0.5 + 0.5;" },
   { "plus_vec4", NULL, "   res = +in0;" },
   { "minus_int", NULL, "   int a = int(in1.x * 8.0); res = vec4(float(-a) / 16.0 + 0.5);" },
   { "minus_ivec3", NULL, "   ivec3 a = ivec3(in1.xyz * 8.0); res = vec4(vec3(-a) / 16.0 + 0.5, 1.0);" },
   { "not", NULL, "   bool b = in1.x > 0.0; res = vec4(!b ? 1.0 : 0.25);" },
   { "not_bvec4", NULL, "   res = vec4(not(greaterThan(in1, vec4(0.0))));" },
   { "pre_increment_vec3", NULL, "   vec3 a = in1.xyz; res.xyz = ++a * 0.25; res.w = a.x * 0.25;" },
   { "pre_decrement_vec3", NULL, "   vec3 a = in1.xyz; res.xyz = --a * 0.25 + 0.5; res.w = a.x * 0.25 + 0.5;" },
   { "post_increment_vec3", NULL, "   vec3 a = in1.xyz; res.xyz = a++ * 0.25 + 0.5; res.w = a.x * 0.25;" },
   { "post_decrement_vec3", NULL, "   vec3 a = in1.xyz; res.xyz = a-- * 0.25 + 0.5; res.w = a.x * 0.25 + 0.5;" },
   { "pre_increment_int", NULL, "   int a = int(in1.x * 8.0); int b = ++a; res = vec4(a, b, a, b) / 16.0 + 0.5;" },
   { "post_increment_ivec2", NULL,
     "   ivec2 a = ivec2(in1.xy * 8.0); ivec2 b = a++; res = vec4(a, b) / 16.0 + 0.5;" },
   { "post_decrement_ivec2", NULL,
     "   ivec2 a = ivec2(in1.xy * 8.0); ivec2 b = a--; res = vec4(a, b) / 16.0 + 0.5;" },
   { "increment_mat2", NULL, "   mat2 m = mat2(in1); m++; mat2 k = --m; res = vec4(m[0], k[1]) * 0.5 + 0.5;" },
};

static const struct shader_case assignment[] = {
   { "add_assign", NULL, "   vec4 a = in0; a += in1; res = a * 0.25 + 0.5;" },
   { "sub_assign", NULL, "   vec4 a = in0; a -= in1.w; res = a * 0.25 + 0.5;" },
   { "mul_assign", NULL, "   vec4 a = in0; vec4 b = (a *= in1); res = b * 0.5 + a * 0.25 + 0.5;" },
   { "div_assign", NULL, "   vec4 a = in0; a /= in3; res = a * 0.25;" },
   { "int_assign", NULL,
     "   ivec4 a = ivec4(in0 * 10.0); ivec4 b = ivec4(in3 * 4.0) + 1; a *= 3; a /= b; a -= 2; a += b;\n"
     "   res = vec4(a) / 40.0 + 0.5;" },
   { "swizzle_assign", NULL, "   vec4 a = in0; a.zx = in1.xy; a.wy += vec2(0.25); res = a * 0.5 + 0.5;" },
   { "component_assign", NULL, "   vec4 a = in0; a[2] = in1[0]; a.x *= a.w; a.w = a.z; res = a * 0.5 + 0.5;" },
   { "sequence", NULL, "   float a = in0.x; res = (a += 0.25, a *= 0.5, vec4(a, in0.yzw));" },
   { "sequence_calls", "float f(inout float v) { v += 0.125; return v; }",
     "   float a = in0.x * 0.5; float b = (f(a), f(a), a * 0.75); res = vec4(a, b, f(b), 1.0);" },
   { "order", NULL, "   float a = in0.x * 0.25; float b = a++ + a; res = vec4(a * 0.5, b * 0.5, 0.0, 1.0);" },
};

static const struct shader_case comparison[] = {
   { "less_float", NULL, "   res = vec4(in0.x < in0.y, in0.x <= in0.z, in0.y > in0.z, in0.w >= in0.x);" },
   { "equal_float", NULL, "   float a = floor(in0.x * 4.0), b = floor(in0.y * 4.0); res = vec4(a == b, a != b, b == "
      "1.0, 1.0);" },
   { "equal_int", NULL,
     "   int a = int(in0.x * 4.0), b = int(in0.y * 4.0); res = vec4(a == b, a != b, b == 1, a < b);" },
   { "less_int", NULL,
     "   int a = int(in1.x * 4.0), b = int(in1.y * 4.0); res = vec4(a < b, a <= b, a > b, a >= b);" },
   { "equal_vec", NULL,
     "   vec3 a = floor(in0.xyz * 2.0), b = floor(in0.yzw * 2.0); res = vec4(a == b, a != b, a.xy == b.xy, 1.0);" },
   { "equal_ivec", NULL,
     "   ivec2 a = ivec2(in0.xy * 3.0), b = ivec2(in0.yx * 3.0); res = vec4(a == b, a != b, a == ivec2(1), 1.0);" },
   { "equal_bvec", NULL,
     "   bvec2 a = greaterThan(in0.xy, vec2(0.5)), b = lessThan(in0.zw, vec2(0.5));\n"
     "   res = vec4(a == b, a != b, a == bvec2(true, false), 1.0);" },
   { "equal_bool", NULL, "   bool a = in0.x > 0.5, b = in0.y > 0.5; res = vec4(a == b, a != b, a == ub_true, b);" },
   { "and_or_xor", NULL, "   bool a = in0.x > 0.5, b = in0.y > 0.5; res = vec4(a && b, a || b, a ^^ b, 1.0);" },
   { "and_short", "float n = 0.0; bool f() { n += 0.5; return true; }",
     "   bool a = in0.x > 0.5 && f(); bool b = in0.y > 0.5 || f(); res = vec4(a, b, n, 1.0);" },
   { "select_float", NULL, "   res = vec4(in0.x > 0.5 ? in0.y : in0.z, in0.y < 0.25 ? 1.0 : in0.x, 0.0, 1.0);" },
   { "select_vec", NULL, "   res = in0.x > in0.y ? in0.wzyx : (in0.z > 0.7 ? in1 * 0.5 + 0.5 : vec4(0.25));" },
   { "select_int", NULL, "   int a = in0.x > 0.5 ? 3 : int(in0.y * 8.0); res = vec4(float(a) / 8.0);" },
   { "select_bvec", NULL, "   bvec2 a = in0.x > 0.5 ? bvec2(true, false) : greaterThan(in0.yz, vec2(0.5)); res = "
      "vec4(a, a);" },
   { "select_uniform", NULL, "   res = ub_true ? in0 : in1; res *= ub_false ? 0.0 : 1.0;" },
   { "select_side", NULL, "   float a = 0.25; float b = in0.x > 0.5 ? (a = in0.y) : a * 2.0; res = vec4(a, b, 0.0, "
      "1.0);" },
};

static void
run_operators(void)
{
   shader_begin();
   float_binary();
   int_binary();
   for (unsigned p = 0; p < 3; p++) {
      for (unsigned i = 0; i < ARRAY_SIZE(unary); i++)
         shader_run("operator/unary", &unary[i], p);
      for (unsigned i = 0; i < ARRAY_SIZE(comparison); i++)
         shader_run("operator/compare", &comparison[i], p);
   }
   shader_run_table("operator/assign", assignment, ARRAY_SIZE(assignment));
   shader_end();
}

/* --- swizzles ------------------------------------------------------------------------------------------------------- */

static void
run_swizzles(void)
{
   char name[40], body[300], swizzle[5];
   static const char letters[3][5] = { "xyzw", "rgba", "stpq" };
   shader_begin();
   for (unsigned from = 2; from <= 4; from++) {
      for (unsigned to = 1; to <= 4; to++) {
         unsigned total = 1;
         for (unsigned i = 0; i < to; i++)
            total *= from;
         for (unsigned code = 0; code < total; code++) {
            if (to == 4 && code % 5 != from)
               continue;
            unsigned rest = code;
            for (unsigned i = 0; i < to; i++, rest /= from)
               swizzle[i] = letters[code % 3][rest % from];
            swizzle[to] = 0;
            snprintf(name, sizeof(name), "%s_%s", float_types[from - 1], swizzle);
            snprintf(body, sizeof(body), "   vec%d v = in0%s; %s r = v.%s; res = %s;", from, swizzle_of[from - 1],
                     float_types[to - 1], swizzle, widen[to - 1]);
            shader_run("swizzle/read", &(struct shader_case){ name, NULL, body, SHADER_SMOOTH }, code % 3);
         }
      }
   }
   for (unsigned mask = 0; mask < 256; mask += 3) {
      unsigned count = 2 + mask % 3, used = 0, n = 0, rest = mask * 2654435761u >> 8;
      for (; n < count; rest = rest * 5 + 3) {
         unsigned c = rest >> 3 & 3;
         if (!(used & 1 << c)) {
            used |= 1 << c;
            swizzle[n++] = "xyzw"[c];
         }
      }
      swizzle[count] = 0;
      snprintf(name, sizeof(name), "%s_%u", swizzle, mask);
      snprintf(body, sizeof(body), "   vec4 v = in1.%s; v.%s = in0%s * 0.5; v.%s *= 1.5; res = v;",
               mask & 1 ? "wxyz" : "yyxz", swizzle, swizzle_of[count - 1], swizzle);
      shader_run("swizzle/write", &(struct shader_case){ name, NULL, body, 0 }, mask % 3);
   }
   shader_end();
}

/* --- conversions and constructors ----------------------------------------------------------------------------------- */

static void
run_conversions(void)
{
   static const char *const *const kinds[3] = { float_types, int_types, bool_types };
   static const char *const source[3] = { "in1 * 6.0", "ivec4(in1 * 6.0)", "greaterThan(in1, vec4(0.1))" };
   char name[60], body[600];
   shader_begin();
   for (unsigned from = 0; from < 3; from++) {
      for (unsigned to = 0; to < 3; to++) {
         for (unsigned n = 0; n < 4; n++) {
            for (unsigned m = 0; m < 4; m++) {
               if (m < n && m != 0)
                  continue;
               snprintf(name, sizeof(name), "%s_to_%s", kinds[from][m], kinds[to][n]);
               snprintf(body, sizeof(body), "   %s s = %s(%s);\n   %s d = %s(s);\n   %s r = %s(d);\n   res = %s / "
                  "16.0 + 0.5;",
                        kinds[from][m], kinds[from][m], source[from], kinds[to][n], kinds[to][n], float_types[n],
                        float_types[n], widen[n]);
               shader_run("conversion", &(struct shader_case){ name, NULL, body, 0 }, 1 + (n + m) % 2);
            }
         }
         snprintf(name, sizeof(name), "combine_%s_%s", kinds[from][1], kinds[to][0]);
         snprintf(body, sizeof(body),
                  "   %s a = %s(%s);\n   %s b = %s(%s);\n   vec4 v = vec4(b, a, 2);\n   ivec4 i = ivec4(a, true, b);\n"
                  "   bvec3 t = bvec3(b, a);\n   res = (v + vec4(i) + vec4(t, 1.0)) / 32.0 + 0.5;",
                  kinds[from][1], kinds[from][1], source[from], kinds[to][0], kinds[to][0], source[to]);
         shader_run("conversion", &(struct shader_case){ name, NULL, body, 0 }, MEDIUMP);
      }
   }
   shader_end();
}

/* --- built-in functions --------------------------------------------------------------------------------------------- */

static const struct {
   const char *name, *expression; /* # stands for the swizzle of the type, @ for the type */
   const char *scale;
   unsigned flags, first; /* smallest type */
} builtins[] = {
   { "radians", "radians(in1# * 60.0)", " * 0.5 + 0.5" },
   { "degrees", "degrees(in1#)", " / 150.0 + 0.5" },
   { "sin", "sin(in2# * 2.0)", " * 0.5 + 0.5" },
   { "sin_wide", "sin(in2# * 5.0)", " * 0.5 + 0.5" },
   { "cos", "cos(in2# * 2.0)", " * 0.5 + 0.5" },
   { "cos_wide", "cos(in2# * 5.0)", " * 0.5 + 0.5" },
   { "tan", "tan(in1# * 1.2)", " * 0.2 + 0.5" },
   { "asin", "asin(in1#)", " * 0.3 + 0.5" },
   { "acos", "acos(in1#)", " * 0.3" },
   { "atan", "atan(in2# * 3.0)", " * 0.3 + 0.5" },
   { "atan2", "atan(in1#, in3#)", " * 0.3 + 0.5" },
   { "atan2_wide", "atan(in1#, in2# + 0.01)", " * 0.15 + 0.5" },
   { "pow", "pow(in3#, in2#)", " * 0.06" },
   { "exp", "exp(in2#)", " * 0.13" },
   { "log", "log(in3#)", " * 0.4 + 0.6" },
   { "exp2", "exp2(in2#)", " * 0.25" },
   { "log2", "log2(in3#)", " * 0.3 + 0.6" },
   { "sqrt", "sqrt(in3#)", " * 0.7" },
   { "inversesqrt", "inversesqrt(in3#)", " * 0.5" },
   { "abs", "abs(in2#)", " * 0.5" },
   { "sign", "sign(in1#)", " * 0.4 + 0.5" },
   { "floor", "floor(in2# * 2.0)", " * 0.12 + 0.5" },
   { "ceil", "ceil(in2# * 2.0)", " * 0.12 + 0.5" },
   { "fract", "fract(in2#)", "" },
   { "mod", "mod(in2# * 2.0, in3#)", " * 0.5" },
   { "mod_float", "mod(in2# * 2.0, 0.7)", "" },
   { "min", "min(in0#, in3#)", "" },
   { "min_float", "min(in1#, 0.3)", " * 0.5 + 0.5" },
   { "max", "max(in1#, in0#)", "" },
   { "max_float", "max(in1#, -0.3)", " * 0.5 + 0.5" },
   { "clamp", "clamp(in2#, in1# * 0.5 - 0.6, in0#)", " * 0.4 + 0.5" },
   { "clamp_float", "clamp(in2#, -0.5, 0.7)", " * 0.5 + 0.5" },
   { "mix", "mix(in0#, in1#, in3# * 0.5)", " * 0.5 + 0.5" },
   { "mix_float", "mix(in0#, in2#, 0.3)", " * 0.5 + 0.5" },
   { "step", "step(in0#, in1#)", "" },
   { "step_float", "step(0.4, in0#)", "" },
   { "smoothstep", "smoothstep(in1# - 1.0, in3#, in2#)", "" },
   { "smoothstep_float", "smoothstep(-0.3, 0.6, in1#)", "" },
   { "normalize", "normalize(in3#)", "" },
   { "faceforward", "faceforward(in0#, in1#, in2#)", " * 0.5 + 0.5" },
   { "reflect", "reflect(in0#, normalize(in3#))", " * 0.3 + 0.5" },
   { "refract", "refract(normalize(in3#), -normalize(in3# + 0.2), 0.8)", " * 0.5 + 0.5" },
   { "refract_total", "refract(normalize(in1# + 0.05), normalize(in2# + 0.03), 1.6)", " * 0.25 + 0.5" },
};

static const struct shader_case builtin_scalars[] = {
   { "length", NULL, "   res = vec4(length(in2.x), length(in2.xy), length(in2.xyz), length(in2)) * 0.3;" },
   { "distance", NULL,
     "   res = vec4(distance(in2.x, in1.x), distance(in2.xy, in0.xy), distance(in2.xyz, in1.xyz), distance(in2, in0)) "
     "* 0.3;" },
   { "dot", NULL,
     "   res = vec4(dot(in2.x, in1.x), dot(in2.xy, in0.xy), dot(in2.xyz, in1.xyz), dot(in2, in0)) * 0.1 + 0.5;" },
   { "cross", NULL, "   res = vec4(cross(in1.xyz, in0.xyz) * 0.5 + 0.5, 1.0);" },
   { "lessThan", NULL, "   res = vec4(lessThan(in0, in1));" },
   { "lessThanEqual", NULL, "   res = vec4(lessThanEqual(in0.xyz, in1.xyz), 1.0);" },
   { "greaterThan", NULL, "   res = vec4(greaterThan(in0.xy, in1.xy), greaterThan(in0.zw, in2.xy));" },
   { "greaterThanEqual", NULL, "   res = vec4(greaterThanEqual(in0, in1));" },
   { "equal", NULL, "   res = vec4(equal(floor(in0 * 2.0), floor(in3)));" },
   { "notEqual", NULL, "   res = vec4(notEqual(floor(in0 * 2.0), floor(in3)));" },
   { "int_lessThan", NULL, "   res = vec4(lessThan(ivec4(in0 * 5.0), ivec4(in3 * 3.0)));" },
   { "int_greaterThanEqual", NULL, "   res = vec4(greaterThanEqual(ivec4(in0 * 5.0), ivec4(in3 * 3.0)));" },
   { "int_equal", NULL, "   res = vec4(equal(ivec4(in0 * 5.0), ivec4(in3 * 3.0)));" },
   { "bool_equal", NULL, "   res = vec4(equal(greaterThan(in0, vec4(0.5)), lessThan(in1, vec4(0.2))));" },
   { "bool_notEqual", NULL, "   res = vec4(notEqual(greaterThan(in0, vec4(0.5)), lessThan(in1, vec4(0.2))));" },
   { "any_all", NULL,
     "   bvec4 b = greaterThan(in1, vec4(0.1)); res = vec4(any(b), all(b.xy), any(b.yzw), all(not(b.zw)));" },
   { "matrixCompMult", NULL,
     "   mat3 m = matrixCompMult(mat3(in0.xyz, in1.xyz, in2.xyz), u_mat3);\n   res = vec4(m[0] + m[1] * m[2], 1.0) * "
     "0.5 + 0.5;" },
   { "matrixCompMult4", NULL,
     "   mat4 m = matrixCompMult(mat4(in0, in1, in2, in3), u_mat4);\n   res = (m[0] + m[1] * m[2] + m[3]) * 0.25 + "
     "0.5;" },
};

static void
run_builtins(void)
{
   shader_begin();
   for (unsigned b = 0; b < ARRAY_SIZE(builtins); b++) {
      for (unsigned n = 0; n < 4; n++) {
         char name[60], expression[300];
         unsigned at = 0;
         for (const char *c = builtins[b].expression; *c; c++)
            at += snprintf(expression + at, sizeof(expression) - at, "%.*s", *c == '#' ? 4 : 1,
               *c == '#' ? swizzle_of[n] : c);
         snprintf(name, sizeof(name), "%s_%s", builtins[b].name, float_types[n]);
         for (unsigned p = 0; p < 3; p++)
            run_expression("builtin", name, n, float_types[n], expression, builtins[b].scale, 0, p);
      }
   }
   for (unsigned p = 0; p < 3; p++) {
      for (unsigned i = 0; i < ARRAY_SIZE(builtin_scalars); i++)
         shader_run("builtin", &builtin_scalars[i], p);
   }
   shader_end();
}

const struct grid_family family_operators = { "operators", run_operators };
const struct grid_family family_swizzles = { "swizzles", run_swizzles };
const struct grid_family family_conversions = { "conversions", run_conversions };
const struct grid_family family_builtins = { "builtins", run_builtins };
