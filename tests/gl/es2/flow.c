/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Control flow: loops of all forms and bounds, conditionals, functions, return, discard, indexing.
 */

#include <stdio.h>

#include "families.h"
#include "shader_case.h"

/* --- loops ---------------------------------------------------------------------------------------------------------- */

enum form { FOR, WHILE, DO_WHILE };
enum bound { CONSTANT, UNIFORM, DYNAMIC };

static const char *const form_names[] = { "for", "while", "do_while" };
static const char *const bound_names[] = { "constant", "uniform", "dynamic" };

/* A loop over "i" of n iterations around a body. */
static const char *
loop_text(enum form form, enum bound bound, const char *i, unsigned n, const char *body)
{
   static const char *const words[] = { "zero", "one", "two", "three", "four", "five" };
   const char *limit = bound == CONSTANT  ? text_of("%u", n)
                       : bound == UNIFORM ? text_of("ui_%s", words[n])
                                          : text_of("(ui_%s + zero)", words[n]);
   if (form == FOR)
      return text_of("   for (int %s = 0; %s < %s; %s++) {\n%s\n   }\n", i, i, limit, i, body);
   if (form == WHILE)
      return text_of("   int %s = 0;\n   while (%s < %s) {\n%s\n   %s++;\n   }\n", i, i, limit, body, i);
   return text_of("   int %s = 0;\n   do {\n%s\n   %s++;\n   } while (%s < %s);\n", i, body, i, i, limit);
}

static const struct {
   const char *name, *declarations, *before, *body;
   unsigned iterations;
   bool own_counter; /* the body may "continue": for loops only */
} loop_bodies[] = {
   { "basic", NULL, "", "   r += in0.yzwx * 0.2;", 4 },
   { "rotate", NULL, "r = in0;", "   r = r.yzwx;", 3 },
   { "single", NULL, "", "   r += in0;", 1 },
   { "conditional_break", NULL, "", "   if (r.x > 0.4) break;\n   r += in0 * 0.25;", 4 },
   { "break_on_count", NULL, "", "   if (i == 2) break;\n   r += in0 * 0.25;", 4 },
   { "unconditional_break", NULL, "", "   r += in0;\n   break;", 4 },
   { "conditional_continue", NULL, "", "   if (i == 1) continue;\n   r += in0 * 0.25;", 4, true },
   { "unconditional_continue", NULL, "", "   r += in0 * 0.25;\n   continue;", 4, true },
   { "data_continue", NULL, "", "   if (r.y > in0.x) continue;\n   r += in0 * 0.3;", 4, true },
   { "double_continue", NULL, "", "   if (i == 2) continue;\n   r += in0 * 0.25;\n   if (r.x > 0.5) continue;\n   r += 0.05;",
     4, true },
   { "conditional_body", NULL, "", "   if (i == 2) r += in0; else r += in1 * 0.1;", 4 },
   { "call_return", "vec4 f(vec4 v) { return v.yzwx * 0.9; }", "r = in0;", "   r = f(r);", 3 },
   { "call_inout", "void f(inout vec4 v) { v = v.yzwx * 0.9; }", "r = in0;", "   f(r);", 3 },
   { "call_early_return", "float f(float v) { if (v > 0.5) return v * 0.5; return v + 0.1; }", "r = in0;",
     "   r.x = f(r.x); r.y = f(r.y);", 4 },
   { "index_counter", NULL, "", "   r += u_array[i] * in0;", 4 },
   { "float_counter", NULL, "float n = 0.0;", "   r += in0 * n * 0.1; n += 1.0;", 5 },
   { "vector_counter", NULL, "ivec4 n = ivec4(0, 1, 2, 3);", "   r += in0 * float(n[0]) * 0.1; n += ivec4(1, 2, 3, 4);", 4 },
   { "mixed", NULL, "", "   if (i == 0) continue;\n   if (i == 3) break;\n   r += in0 * 0.3;", 5, true },
   { "nested_conditional_break", NULL, "", "   if (in0.x > 0.3) { if (i == 2) break; r += in0 * 0.3; }\n   r += 0.05;", 4 },
   { "nested_conditional_jumps", NULL, "",
     "   if (in0.x > 0.3) { if (i == 3) break; r += in0 * 0.3; } else if (r.y > 0.6) break;\n"
     "   r += 0.05;\n   if (r.z > 0.7) { r.z -= 0.5; continue; }\n   r.w += 0.1;", 5, true },
   { "tricky", NULL, "r = in0.wzyx; vec4 t = in0;",
     "   vec4 o = r; r = t.yzwx * 0.5; t = o + 0.1;\n   if (i == 1) t = r;", 4 },
   { "return_from", NULL, "", "   r += in0 * 0.2;\n   if (r.x > 0.5) { res = r; RETURN; }", 4 },
   { "nested", NULL, "", "   for (int j = 0; j < 3; j++) r += in0 * 0.05 * float(j);", 4 },
   { "nested_break", NULL, "", "   for (int j = 0; j < 3; j++) { if (j > i) break; r += in0 * 0.1; }", 3 },
   { "nested_uniform", NULL, "", "   for (int j = 0; j < ui_two; j++) r += in0 * 0.1;", 3 },
   { "nested_triangle", NULL, "", "   for (int j = i; j < 4; j++) r += in0 * 0.05;", 4 },
   { "sequence", NULL, "", "   r += in0 * 0.1;\n   for (int j = 0; j < 2; j++) r = r.yzwx;\n"
     "   for (int k = 0; k < 3; k++) r += 0.02;", 3 },
};

static void
run_loops(void)
{
   char body[3000];
   shader_begin();
   for (unsigned form = FOR; form <= DO_WHILE; form++) {
      for (unsigned bound = CONSTANT; bound <= DYNAMIC; bound++) {
         for (unsigned b = 0; b < ARRAY_SIZE(loop_bodies); b++) {
            if (loop_bodies[b].own_counter && form != FOR)
               continue;
            const char *loop = loop_text(form, bound, "i", loop_bodies[b].iterations, loop_bodies[b].body);
            const char *name = text_of("%s_%s_%s", form_names[form], bound_names[bound], loop_bodies[b].name);
            const bool optional = form != FOR || bound != CONSTANT || !strcmp(loop_bodies[b].name, "nested_uniform") ||
                                  !strcmp(loop_bodies[b].name, "nested_triangle");
            const unsigned flags = SHADER_BOTH | (optional ? SHADER_OPTIONAL : 0);
            snprintf(body, sizeof(body), "   vec4 r = vec4(0.0);\n   int zero = int(floor(in0.x * 0.5));\n   %s\n%s   res = r;",
                     loop_bodies[b].before, loop);
            char *returns = strstr(body, "RETURN");
            if (!returns) {
               shader_run("loop", &(struct shader_case){ name, loop_bodies[b].declarations, body, flags }, MEDIUMP);
               continue;
            }
            /* The result is written behind main's body: leave the loop through a function. */
            char declarations[3200];
            memcpy(returns, "return", 6);
            snprintf(declarations, sizeof(declarations), "void f(vec4 i0, vec4 i1, inout vec4 res)\n{\n#define in0 i0\n%s\n}\n",
                     body);
            char *undef = strstr(declarations, "#define in0 i0");
            memcpy(undef, "vec4 in9 = i0;", 14);
            for (char *c = declarations; (c = strstr(c, "in0"));)
               c[2] = '9';
            shader_run("loop", &(struct shader_case){ name, declarations, "   f(in0, in1, res);", flags }, MEDIUMP);
         }
      }
   }
   static const struct shader_case more[] = {
      { "iterations_101", NULL, "   res = in0;\n   for (int i = 0; i < 101; i++) res = res.yzwx;" },
      { "iterations_101_add", NULL, "   for (int i = 0; i < 101; i++) res += in0 * 0.01;" },
      { "infinite_break", NULL, "   int n = 0; for (;;) { res += in0 * 0.25; n++; if (n == 3) break; }", SHADER_OPTIONAL },
      { "while_true", NULL, "   int n = 0; while (true) { if (n >= 4) break; res += in0 * 0.2; n++; }", SHADER_OPTIONAL },
      { "do_once", NULL, "   do { res = in0; } while (false);", SHADER_OPTIONAL },
      { "declared_condition", NULL, "   int n = 0; while (bool go = n < 3) { res += in0 * 0.3; n++; }", SHADER_OPTIONAL },
      { "count_down", NULL, "   for (int i = 4; i > 0; i--) res += in0 * 0.2;" },
      { "step_two", NULL, "   for (int i = 0; i < 8; i += 2) res += in0 * 0.05 * float(i);" },
      { "float_loop", NULL, "   for (float f = 0.0; f < 1.0; f += 0.25) res += in0 * f;" },
      { "not_equal", NULL, "   for (int i = 0; i != 3; i++) res += in0 * 0.3;" },
      { "empty", NULL, "   for (int i = 0; i < 100; i++) ;   res = in0;" },
      { "empty_never", NULL, "   res = in0; for (int i = 3; i < 3; i++) res = vec4(0.0);" },
      { "discarding_result", NULL, "   vec4 t = in0; for (int i = 0; i < 5; i++) t += in1; res = in0;" },
   };
   shader_run_table("loop", more, ARRAY_SIZE(more));
   shader_end();
}

/* --- conditionals, functions, return -------------------------------------------------------------------------------- */

static const struct shader_case conditionals[] = {
   { "if", NULL, "   res = in0; if (in0.x > 0.5) res = in0.wzyx;" },
   { "if_else", NULL, "   if (in0.x > 0.5) res = in0; else res = in0.yxwz * 0.5;" },
   { "if_uniform", NULL, "   if (ub_true) res = in0; else res = in0.yxwz * 0.5; if (ub_false) res = vec4(0.0);" },
   { "if_int_uniform", NULL, "   if (ui_three > 2) res = in0; else res = in0.yxwz * 0.5;" },
   { "nested", NULL,
     "   if (in0.x > 0.5) { if (in0.y > 0.3) res = in0; else { res.x = 1.0; if (in0.z > 0.2) res.y = in0.z; } }\n"
     "   else if (in0.y > 0.7) res = vec4(0.5); else res = in3 * 0.5;" },
   { "deep", NULL,
     "   if (in0.x > 0.1) if (in0.y > 0.1) if (in0.z > 0.1) if (in0.w > 0.1) if (in1.x > 0.1) if (in1.y > -0.5)\n"
     "   if (in1.z > -0.7) if (in1.w > -0.8) res = in0;" },
   { "chain", NULL,
     "   if (in0.x < 0.2) res = vec4(0.1); else if (in0.x < 0.4) res = in0; else if (in0.x < 0.6) res = in0.yzwx;\n"
     "   else if (in0.x < 0.8) res = in3 * 0.5; else res = vec4(0.9);" },
   { "complex_condition", NULL,
     "   if ((in0.x > 0.5 && in0.y < 0.7) || !(in0.z < 0.6) ^^ in1.x > 0.2) res = in0; else res = in1 * 0.5 + 0.5;" },
   { "in_function", "float f(float v) { float r = 0.1; if (v > 0.5) { r = v; } return r; }",
     "   res = vec4(f(in0.x), f(in0.y), f(in0.z), 1.0);" },
   { "swap", NULL, "   vec2 v = in0.xy; if (v.x > v.y) { float t = v.x; v.x = v.y; v.y = t; } res = vec4(v, v);" },
   { "side_effect", NULL, "   float a = 0.0; if ((a = in0.x) > 0.5) a *= 0.5; res = vec4(a, in0.yzw);" },
};

static const struct shader_case functions[] = {
   { "void", "float g; void f() { g = 0.5; }", "   f(); res = vec4(g) * in0;" },
   { "in", "vec4 f(in vec4 a, const in float b) { a *= b; return a; }", "   vec4 k = in0; res = f(k, 0.5) + k * 0.25;" },
   { "out", "void f(out vec4 a, float b) { a = vec4(b); a.y = 0.25; }", "   f(res, in0.x);" },
   { "inout", "void f(inout vec4 a) { a = a.wzyx * 0.5; }", "   res = in0; f(res); f(res.wzyx);" },
   { "inout_swizzle", "void f(inout vec2 a, out float b) { b = a.x; a *= 0.5; }", "   res = in0; f(res.zx, res.w);" },
   { "inout_element", "void f(inout float a) { a += 0.25; }",
     "   vec4 t[2]; t[0] = in0 * 0.5; t[1] = in0.wzyx; f(t[0][1]); f(t[1].z); res = t[0] + t[1] * 0.5;" },
   { "same_twice", "void f(in vec4 a, inout vec4 b) { b = b * 0.5 + a.yzwx * 0.5; }", "   res = in0; f(res, res);" },
   { "overload", "float f(float a) { return a; } float f(vec2 a) { return a.y; } float f(int a) { return float(a) * 0.1; }\n"
     "float f(float a, float b) { return a * b; }", "   res = vec4(f(in0.x), f(in0.xy), f(3), f(in0.x, in0.z));" },
   { "array_parameter", "float f(float a[3]) { a[1] += 0.1; return a[0] + a[1] * a[2]; }",
     "   float t[3]; t[0] = in0.x * 0.5; t[1] = in0.y * 0.5; t[2] = 0.5; res = vec4(f(t), t[1], 0.0, 1.0);" },
   { "array_out", "void f(out vec2 a[2], inout int n[2]) { a[0] = in0.xy; a[1] = vec2(float(n[1]) * 0.1); n[0] = 5; }",
     "   vec2 t[2]; int n[2]; n[0] = 1; n[1] = 2; f(t, n); res = vec4(t[0], t[1].x, float(n[0]) * 0.1);" },
   { "prototype", "float f(float); float g(float a) { return f(a) * 0.5; } float f(float a) { return a + 0.25; }",
     "   res = vec4(g(in0.x), g(in0.y), f(0.1), 1.0);" },
   { "nested_calls", "float f(float a) { return a * 0.5; } float g(float a) { return f(a) + f(a * 0.5); } float "
      "h(float a) { return g(f(a)) + f(g(a)); }",
     "   res = vec4(h(in0.x), g(h(in0.y)), f(in0.z), 1.0);" },
   { "argument_order",
     "float n = 0.0; float f() { n += 0.25; return n; } float g(float a, float b) { return a - b * 0.5 + 0.25; }",
     "   res = vec4(g(f(), 0.5), n * in0.x, f(), 1.0);" },
   { "hidden_names", "float a = 0.25; float f(float a) { { float a = 0.5; a += 0.1; } return a; }",
     "   float b = a; float a = 0.75; { float a = in0.x; b += a * 0.5; } res = vec4(a, b, f(in0.y), 1.0);" },
   { "return_struct",
     "struct S { vec2 a; float b, c; }; S f(float x) { S s; s.a = vec2(x); s.b = 0.25; s.c = x * 0.5; return s; }",
     "   S s = f(in0.x); res = vec4(s.a.x, s.b, s.c, f(in0.y).a.y);" },
   { "return_middle", "vec4 f() { if (in0.x > 0.5) return in0; return in0.wzyx; }", "   res = f();" },
   { "return_chain", "float f(float v) { if (v < 0.2) return 0.1; if (v < 0.4) return v; if (v < 0.6) { return 1.0 - "
      "v; } else { if (v < 0.8) return 0.9; } return v * v; }",
     "   res = vec4(f(in0.x), f(in0.y), f(in0.z), f(in0.w));" },
   { "return_in_loop", "vec4 f() { vec4 r = in0; for (int i = 0; i < 4; i++) { r *= 0.8; if (r.x < 0.3) return "
      "r.wzyx; } return r; }", "   res = f();" },
   { "return_in_nested_loop", "float f(float v) { for (int i = 0; i < 3; i++) for (int j = 0; j < 2; j++) { v += "
      "0.07; if (v > 0.9) return v - 0.5; } return v; }",
     "   res = vec4(f(in0.x), f(in0.y), f(in0.z), 1.0);" },
   { "dynamic_branch_return", "vec4 f(bool b) { if (b) { return in0; } else { return vec4(0.25); } }",
     "   res = f(in0.y > in0.x);" },
   { "uniform_argument", "float f(vec4 a[4]) { return a[1].x + a[2].y; }", "   res = vec4(f(u_array) * 0.5, in0.xyz);" },
   { "const_array_like", "const vec4 c0 = vec4(0.1, 0.2, 0.3, 0.4); const float c1 = c0.y * 2.0 + 0.1;",
     "   res = c0 + c1 * in0 * 0.5;" },
};

static void
run_control(void)
{
   shader_begin();
   shader_run_table("conditional", conditionals, ARRAY_SIZE(conditionals));
   shader_run_table("function", functions, ARRAY_SIZE(functions));
   shader_end();
}

/* --- return from main and discard ----------------------------------------------------------------------------------- */

static const struct shader_case discards[] = {
   { "main_return_always", NULL, "   gl_FragColor = in0; return;", SHADER_FRAGMENT },
   { "main_return_dynamic", NULL, "   gl_FragColor = in0; if (in0.x > 0.5) return;\n   res = in0.wzyx;", SHADER_FRAGMENT },
   { "main_return_uniform", NULL, "   gl_FragColor = in0; if (ub_true) return;\n   res = in0.wzyx;", SHADER_FRAGMENT },
   { "main_return_loop", NULL,
     "   for (int i = 0; i < 4; i++) { res += in0 * 0.25; gl_FragColor = res; if (res.x > 0.4) return; }", SHADER_FRAGMENT },
   { "always", NULL, "   res = in0; discard;", SHADER_FRAGMENT },
   { "never", NULL, "   res = in0; if (false) discard;", SHADER_FRAGMENT },
   { "uniform", NULL, "   res = in0; if (ub_true) discard;", SHADER_FRAGMENT },
   { "uniform_false", NULL, "   res = in0; if (ub_false) discard;", SHADER_FRAGMENT },
   { "uniform_int", NULL, "   res = in0; if (ui_one > 0) discard;", SHADER_FRAGMENT },
   { "dynamic", NULL, "   res = in0; if (in1.x + in1.y > 0.0) discard;", SHADER_FRAGMENT },
   { "texture", NULL, "   res = in0; if (texture2D(tex2d, in0.xy).x < 0.6) discard;", SHADER_FRAGMENT },
   { "function_always", "void f() { discard; }", "   res = in0; f();", SHADER_FRAGMENT },
   { "function_dynamic", "void f(vec4 a) { if (a.x > 0.3) discard; }", "   res = in0; f(in1);", SHADER_FRAGMENT },
   { "function_static_loop", "void f() { for (int i = 0; i < 2; i++) { if (i > 0) discard; } }", "   res = in0; f();",
     SHADER_FRAGMENT },
   { "static_loop_dynamic", NULL,
     "   res = in0; for (int i = 0; i < 3; i++) { if (in1.x + float(i) * 0.2 > 0.8) discard; res *= 0.9; }", SHADER_FRAGMENT },
   { "nested", NULL, "   res = in0; if (in0.x > 0.5) { if (in0.y > 0.5) discard; res = in0.wzyx; } else { if (in0.z > "
      "0.8) discard; }", SHADER_FRAGMENT },
   { "uniform_loop", NULL, "   res = in0; for (int i = 0; i < ui_two; i++) { if (in1.x + float(i) * 0.2 > 0.8) discard; }",
     SHADER_FRAGMENT | SHADER_OPTIONAL },
   { "dynamic_loop", NULL, "   res = in0; for (int i = 0; i < int(in0.x * 4.0); i++) { if (in1.x > 0.8) discard; }",
     SHADER_FRAGMENT | SHADER_OPTIONAL },
};

static const char *const discard_states[] = { "plain", "blend", "mask", "depth" };

static void
run_discard(void)
{
   shader_begin();
   for (unsigned state = 0; state < ARRAY_SIZE(discard_states); state++) {
      char group[40];
      snprintf(group, sizeof(group), "discard/%s", discard_states[state]);
      if (state == 1) {
         blend_with(GL_ONE, GL_ONE_MINUS_SRC_ALPHA);
      } else if (state == 2) {
         glColorMask(GL_TRUE, GL_FALSE, GL_TRUE, GL_FALSE);
      } else if (state == 3) {
         glEnable(GL_DEPTH_TEST);
         glDepthFunc(GL_LEQUAL);
         glClear(GL_DEPTH_BUFFER_BIT);
      }
      shader_run_table(group, discards, ARRAY_SIZE(discards));
      glDisable(GL_BLEND);
      glDisable(GL_DEPTH_TEST);
      glColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);
   }
   shader_end();
}

/* --- indexing ------------------------------------------------------------------------------------------------------- */

static const struct {
   const char *name, *write; /* writes the array t of a type T */
   unsigned optional;        /* appendix A: not required in fragment programs */
} index_writes[] = {
   { "static", "   t[0] = T(in0); t[1] = T(in0.yzwx); t[2] = T(in0.zwxy) * 0.5; t[3] = T(in0.wxyz);", 0 },
   { "const_loop", "   for (int i = 0; i < 4; i++) t[i] = T(in0) * (float(i) * 0.3);", 0 },
   { "loop", "   for (int i = 0; i < ui_four; i++) t[i] = T(in0) * (float(i) * 0.3);", 1 },
   { "dynamic", "   t[0] = t[1] = t[2] = t[3] = T(0.0); t[ui_zero] = T(in0); t[ui_one] = T(in0.yzwx); t[ui_two] = "
      "T(in0.zwxy); t[ui_three] = T(in0.wxyz);", 1 },
   { "varying_index", "   t[0] = t[1] = t[2] = t[3] = T(0.25); t[int(in0.x * 3.9)] = T(in0);", 1 },
};

static const struct {
   const char *name, *read;
   unsigned optional;
} index_reads[] = {
   { "static", "   T r = t[0] * 0.4 + t[1] * 0.1 + t[2] * 0.2 + t[3] * 0.3;", 0 },
   { "const_loop", "   T r = T(0.0); for (int i = 0; i < 4; i++) r += t[i] * (float(i + 1) * 0.1);", 0 },
   { "loop", "   T r = T(0.0); for (int i = 0; i < ui_four; i++) r += t[i] * (float(i + 1) * 0.1);", 1 },
   { "dynamic", "   T r = t[ui_one] * 0.5 + t[ui_three] * 0.5;", 1 },
   { "varying_index", "   T r = t[int(in0.y * 3.9)];", 1 },
};

static void
run_text(const char *group, const char *name, const char *body, unsigned flags)
{
   shader_run(group, &(struct shader_case){ name, NULL, body, flags }, MEDIUMP);
}

static void
run_array_indexing(void)
{
   static const char *const types[] = { "float", "vec2", "vec3", "vec4" };
   static const char *const widen[] = { "vec4(vec3(r), 1.0)", "vec4(r, 0.5, 1.0)", "vec4(r, 1.0)", "vec4(r)" };
   for (unsigned n = 0; n < 4; n++) {
      for (unsigned w = 0; w < ARRAY_SIZE(index_writes); w++) {
         for (unsigned r = 0; r < ARRAY_SIZE(index_reads); r++) {
            run_text("indexing", text_of("tmp_%s_%s_write_%s_read", types[n], index_writes[w].name, index_reads[r].name),
                     text_of("#define T %s\n   T t[4];\n%s\n%s\n   res = %s;", types[n], index_writes[w].write,
                     index_reads[r].read, widen[n]), index_writes[w].optional || index_reads[r].optional ? SHADER_OPTIONAL : 0);
         }
      }
   }
   for (unsigned r = 0; r < ARRAY_SIZE(index_reads); r++) {
      const char *read = index_reads[r].read;
      const unsigned flags = r >= 2 ? SHADER_OPTIONAL : 0;
      run_text("indexing", text_of("uniform_vec4_%s_read", index_reads[r].name),
               text_of("#define T vec4\n#define t u_array\n%s\n   res = r * 0.5 + in0 * 0.5;", read), flags);
      run_text("indexing", text_of("uniform_float_%s_read", index_reads[r].name),
               text_of("#define T float\n#define t u_floats\n%s\n   res = r * 0.5 + in0 * 0.5;", read), flags);
   }
}

/* Arrays written by the vertex program and read by the fragment program. */
static void
run_varying_indexing(void)
{
   static const char *const types[] = { "float", "vec2", "vec3", "vec4" };
   static const char *const from[] = { "a0.x", "a0.xy", "a0.xyz", "a0" };
   static const char *const widen[] = { "vec4(vec3(r), 1.0)", "vec4(r, 0.5, 1.0)", "vec4(r, 1.0)", "vec4(r)" };
   static const struct {
      const char *name, *text;
   } writes[] = {
      { "static", "   v[0] = x; v[1] = x * 0.5; v[2] = x * 0.25; v[3] = x * 0.125;" },
      { "static_loop", "   for (int i = 0; i < 4; i++) v[i] = x * (0.2 * float(i + 1));" },
      { "dynamic", "   v[ui_zero] = x; v[ui_one] = x * 0.5; v[ui_two] = x * 0.25; v[ui_three] = x * 0.125;" },
      { "dynamic_loop", "   for (int i = 0; i < ui_four; i++) v[i] = x * (0.2 * float(i + 1));" },
   }, reads[] = {
      { "static", "   T r = v[0] * 0.4 + v[1] * 0.1 + v[2] * 0.2 + v[3] * 0.3;" },
      { "static_loop", "   T r = T(0.0); for (int i = 0; i < 4; i++) r += v[i] * (float(i + 1) * 0.1);" },
      { "dynamic", "   T r = v[ui_zero] * 0.4 + v[ui_one] * 0.1 + v[ui_two] * 0.2 + v[ui_three] * 0.3;" },
      { "dynamic_loop", "   T r = T(0.0); for (int i = 0; i < ui_four; i++) r += v[i] * (float(i + 1) * 0.1);" },
   };
   for (unsigned n = 0; n < 4; n++) {
      for (unsigned w = 0; w < ARRAY_SIZE(writes); w++) {
         for (unsigned r = 0; r < ARRAY_SIZE(reads); r++) {
            if (!grid_begin("indexing/varying_%s_%s_write_%s_read", types[n], writes[w].name, reads[r].name))
               continue;
            GLuint program = grid_program(text_of(
               "precision mediump float;\nattribute highp vec4 position, a0, a1, a2, a3;\n"
               "uniform mediump int ui_zero, ui_one, ui_two, ui_three, ui_four;\nvarying %s v[4];\n"
               "void main()\n{\n   gl_Position = position;\n   %s x = %s;\n%s\n}\n",
               types[n], types[n], from[n], writes[w].text), text_of(
               "precision mediump float;\n#define T %s\nvarying T v[4];\n"
               "uniform mediump int ui_zero, ui_one, ui_two, ui_three, ui_four;\n"
               "void main()\n{\n%s\n   gl_FragColor = %s;\n}\n", types[n], reads[r].text, widen[n]));
            shader_draw(program, SHADER_FRAGMENT | SHADER_SMOOTH | (r >= 2 ? SHADER_OPTIONAL : 0), 5);
         }
      }
   }
}

/* v[i] of vectors and matrices, read and written */
static void
run_subscripts(void)
{
   static const char *const indices[] = { "1", "ui_one", "int(in0.x * 1.9)", "i" };
   static const char *const names[] = { "static", "uniform", "dynamic", "loop" };
   static const char *const swizzle_of[] = { "", ".x", ".xy", ".xyz", "" };
   for (unsigned size = 2; size <= 4; size++) {
      for (unsigned i = 0; i < 4; i++) {
         const char *loop = i == 3 ? "   for (int i = 0; i < 2; i++) " : "   ";
         unsigned flags = i == 1 || i == 2 ? SHADER_OPTIONAL : 0;
         run_text("subscript", text_of("vec%d_%s_read", size, names[i]),
                  text_of("   vec%d v = in0%s; float r = 0.0;\n%sr += v[%s];\n   res = vec4(r * 0.5, in0.yzw);", size,
                          swizzle_of[size], loop, indices[i]), flags);
         run_text("subscript", text_of("vec%d_%s_write", size, names[i]),
                  text_of("   vec%d v = in0%s;\n%sv[%s] = in0.w * 0.5;\n   res = vec4(v.x, v.y, v[%d], 1.0);", size,
                          swizzle_of[size], loop, indices[i], size - 1), flags);
         run_text("subscript", text_of("uniform_mat%d_%s_column", size, names[i]),
                  text_of("   vec%d r = vec%d(0.0);\n%sr += u_mat%d[%s];\n   res = vec4(r.x, r.y, r[%d], 1.0) * in0;", size,
                          size, loop, size, indices[i], size - 1), flags);
         run_text("subscript", text_of("tmp_mat%d_%s_write", size, names[i]),
                  text_of("   mat%d m = mat%d(0.5);\n%sm[%s] = in0%s;\n   vec%d r = m[0] + m[1] * 0.5;\n"
                          "   res = vec4(r.x, r.y, r[%d], 1.0) * 0.5;", size, size, loop, indices[i], swizzle_of[size],
                          size, size - 1), flags);
         run_text("subscript", text_of("tmp_mat%d_%s_element", size, names[i]),
                  text_of("   mat%d m = mat%d(0.25);\n%s{ m[%s][1] = in0.y; m[0][%s] += 0.25; }\n"
                          "   vec%d r = m[0] + m[1];\n   res = vec4(r.x, r.y, r[%d], 1.0) * 0.5;", size, size, loop,
                          indices[i], indices[i], size, size - 1), flags);
      }
   }
}

static void
run_indexing(void)
{
   shader_begin();
   run_array_indexing();
   run_varying_indexing();
   run_subscripts();
   shader_end();
}

const struct grid_family family_loops = { "loops", run_loops };
const struct grid_family family_control = { "control", run_control };
const struct grid_family family_discard = { "discard", run_discard };
const struct grid_family family_indexing = { "indexing", run_indexing };
