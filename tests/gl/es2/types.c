/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Matrices, structures, built-in variables, texture functions, varyings, algorithms.
 */

#include <stdio.h>

#include "families.h"
#include "shader_case.h"

/* --- matrices ------------------------------------------------------------------------------------------------------- */

static const char *const swizzle_of[] = { "", ".x", ".xy", ".xyz", "" };

/* A vec4 from a vec of n components r. */
static const char *const widen[] = { "", "", "vec4(r, 0.5, 1.0)", "vec4(r, 1.0)", "r" };

static const struct {
   const char *name, *expression; /* $ is the size; a and b are matrices, v and w vectors, f a float */
   bool vector, scalar;           /* kind of result; else a matrix */
} matrix_ops[] = {
   { "add_mat", "a + b" },
   { "sub_mat", "a - b" },
   { "mul_mat", "a * b" },
   { "div_mat", "a / (b + 3.0)" },
   { "add_float", "a + f" },
   { "sub_float", "a - f" },
   { "mul_float", "a * f" },
   { "div_float", "a / (f + 1.5)" },
   { "float_add", "f + a" },
   { "float_sub", "f - a" },
   { "float_mul", "f * a" },
   { "float_div", "f / (a + 3.0)" },
   { "mul_vec", "a * v", true },
   { "vec_mul", "v * a", true },
   { "mul_mul_vec", "a * b * v", true },
   { "comp_mult", "matrixCompMult(a, b)" },
   { "negate", "-a" },
   { "diagonal", "mat$(f) * a" },
   { "post_increment", "(a++ + a) * 0.5" },
   { "pre_decrement", "(--a + a) * 0.5" },
   { "columns", "(a[0] + a[1] * b[0].x) * 0.5", true },
   { "equal", "(a == b ? 1.0 : a != b ? 0.25 : 0.75)", false, true },
};

static const struct {
   const char *name, *a;
} matrix_sources[] = {
   { "uniform", "u_mat$" },
   { "dynamic", "MAT$(in0, in1)" },
   { "const", "CONST$" },
};

static const char matrix_declarations[] =
   "const mat2 CONST2 = mat2(0.1, -0.2, 0.6, 0.7);\n"
   "const mat3 CONST3 = mat3(0.1, -0.2, 0.6, 0.7, 0.5, 0.3, -0.4, 0.9, 0.2);\n"
   "const mat4 CONST4 = mat4(0.1, -0.2, 0.6, 0.7, 0.5, 0.3, -0.4, 0.9, 0.2, 0.8, -0.7, 0.4, 0.25, -0.6, 0.35, 0.15);\n"
   "mat2 MAT2(vec4 p, vec4 q) { return mat2(p.xy, q.zw); }\n"
   "mat3 MAT3(vec4 p, vec4 q) { return mat3(p.xyz, q.xyz, p.wzy); }\n"
   "mat4 MAT4(vec4 p, vec4 q) { return mat4(p, q, p.wzyx, q.yxwz); }\n";

static void
expand(char *out, const char *in, unsigned size)
{
   for (; *in; in++)
      *out++ = *in == '$' ? '0' + size : *in;
   *out = 0;
}

static void
run_matrices(void)
{
   char name[80], body[1500], expression[200], a[60];
   shader_begin();
   for (unsigned size = 2; size <= 4; size++) {
      for (unsigned op = 0; op < ARRAY_SIZE(matrix_ops); op++) {
         for (unsigned s = 0; s < ARRAY_SIZE(matrix_sources); s++) {
            expand(expression, matrix_ops[op].expression, size);
            expand(a, matrix_sources[s].a, size);
            snprintf(name, sizeof(name), "%s_mat%u_%s", matrix_ops[op].name, size, matrix_sources[s].name);
            int n = snprintf(body, sizeof(body),
                             "   mat%u a = %s;\n   mat%u b = MAT%u(in1.yzwx, in0.zwxy);\n   vec%u v = in0%s;\n   "
                             "float f = in1.x;\n",
                             size, a, size, size, size, swizzle_of[size]);
            if (matrix_ops[op].scalar)
               snprintf(body + n, sizeof(body) - n, "   float q = %s;\n   res = vec4(q);", expression);
            else if (matrix_ops[op].vector)
               snprintf(body + n, sizeof(body) - n, "   vec%u r = %s;\n   res = %s * 0.2 + 0.4;", size, expression,
                  widen[size]);
            else
               snprintf(body + n, sizeof(body) - n, "   mat%u m = %s;\n   vec%u r = m[0] + m[1] * 0.5%s%s;\n   res = "
                  "%s * 0.15 + 0.4;",
                        size, expression, size, size > 2 ? " - m[2] * 0.7" : "", size > 3 ? " + m[3] * 0.3" : "",
                           widen[size]);
            for (unsigned p = 0; p < 3; p++)
               shader_run("matrix", &(struct shader_case){ name, matrix_declarations, body,
                  SHADER_SMOOTH * !matrix_ops[op].scalar }, p);
         }
      }
   }
   static const struct shader_case more[] = {
      { "construct_larger", NULL, "   mat2 m = mat2(in0); mat2 k = mat2(in1.x); res = vec4(m[0] * 0.5 + k[1] * 0.3 + "
         "0.3, m[1]);" },
      { "construct_mixed", NULL, "   mat3 m = mat3(in0, in1, in0.x); res = vec4(m[0] * 0.3 + m[1] * 0.2 + m[2] * 0.2 "
         "+ 0.3, 1.0);" },
      { "construct_ints", NULL, "   mat2 m = mat2(1, int(in0.x * 4.0), true, in0.y); res = vec4(m[0], m[1]) * 0.25;" },
      { "assign_column", NULL, "   mat4 m = u_mat4; m[2] = in0; m[1].yz = in1.xy; m[3][0] = 0.5; res = (m[0] + m[1] + "
         "m[2] + m[3]) * 0.25 + 0.25;" },
      { "compound", NULL, "   mat3 m = u_mat3; m *= mat3(in0.xyz, in1.xyz, in0.zyx); m += u_mat3; m *= 0.5; m -= 0.1; "
         "vec3 v = in0.xyz; v *= m; res = vec4(v * 0.3 + 0.4, 1.0);" },
      { "array_of_matrices", NULL, "   mat2 m[2]; m[0] = mat2(in0); m[1] = u_mat2 * m[0]; mat2 k = m[0] * m[1]; res = "
         "vec4(k[0], k[1]) * 0.3 + 0.4;" },
      { "in_function", "mat4 f(mat4 m, float x) { m[1] *= x; return m * m; }",
         "   mat4 m = f(u_mat4, in0.x); res = m * in0 * 0.2 + 0.5;", SHADER_SMOOTH },
   };
   shader_run_table("matrix", more, ARRAY_SIZE(more));
   shader_end();
}

/* --- structures ----------------------------------------------------------------------------------------------------- */

#define STRUCT "struct T { mediump vec3 a; mediump float b; };\nstruct S { int i; T t[2]; vec2 c; mat2 m; };\n"
#define FILL                                                                                                           \
   "   S s; s.i = 3; s.t[0].a = in0.xyz; s.t[0].b = in0.w; s.t[1] = T(in0.zyx, 0.25); s.c = in0.yx;\n"               \
   "   s.m = mat2(in0);\n"

static const struct shader_case structs[] = {
   { "basic", "struct S { float a; vec3 b; int c; };", "   S s = S(in0.x, in0.yzw, 2); s.b.x = 0.5 * float(s.c) * "
      "in0.x; res = vec4(s.a, s.b);" },
   { "nested", STRUCT, FILL "   res = vec4(s.t[0].a, s.t[1].b) * 0.5 + vec4(s.c, s.m[1]) * 0.5;" },
   { "copy", STRUCT, FILL "   S k = s; s.t[0].a = vec3(0.0); k.t[1].a.y = 0.75; res = vec4(k.t[0].a.x, k.t[1].a.yz, "
      "s.t[0].a.x);" },
   { "parameter", STRUCT "float f(S s) { s.c *= 0.5; return s.t[1].a.x + s.c.y; }",
      FILL "   res = vec4(f(s) * 0.5, s.c, 1.0);" },
   { "inout", STRUCT "void f(inout S s, out T t) { s.c = s.c.yx * 0.5; t = s.t[0]; t.b = 0.5; }",
      FILL "   f(s, s.t[1]); res = vec4(s.c, s.t[1].b, s.t[1].a.z);" },
   { "return", STRUCT "T f(float x) { return T(vec3(x), x * x); }", "   T t = f(in0.x); res = vec4(t.a, t.b);" },
   { "equal", "struct S { vec2 a; int b; };", "   S s = S(floor(in0.xy * 3.0), 1), t = S(floor(in0.zw * 3.0), 1); res "
      "= vec4(s == t, s != t, s == S(vec2(1.0), 1), 1.0);" },
   { "equal_nested", "struct T { ivec2 x; }; struct S { float a; T t; bool b; };",
     "   S s = S(floor(in0.x * 2.0), T(ivec2(in0.yz * 2.0)), true), t = S(1.0, T(ivec2(1, 0)), ub_true); res = vec4(s "
     "== t, s != t, s.t == t.t, 1.0);" },
   { "conditional", STRUCT, FILL "   T t = in0.x > 0.5 ? s.t[0] : s.t[1]; res = vec4(t.a, t.b);" },
   { "conditional_assign", STRUCT, FILL "   if (in0.y > 0.3) s.t[0] = s.t[1]; res = vec4(s.t[0].a, s.t[0].b);" },
   { "loop", STRUCT, FILL "   for (int i = 0; i < 2; i++) res += vec4(s.t[i].a, s.t[i].b) * 0.5;" },
   { "loop_assign", STRUCT, FILL "   for (int i = 0; i < 2; i++) { s.t[i].a *= 0.5; s.t[i].b = float(i) * 0.4; } res "
      "= vec4(s.t[0].a, s.t[1].b) + vec4(s.t[1].a, 0.0) * 0.5;" },
   { "dynamic_loop", STRUCT, FILL "   for (int i = 0; i < ui_two; i++) res += vec4(s.t[i].a, s.t[i].b) * 0.5;",
      SHADER_OPTIONAL },
   { "dynamic_index", STRUCT, FILL "   res = vec4(s.t[ui_one].a, s.t[ui_zero].b);", SHADER_OPTIONAL },
   { "dynamic_write", STRUCT, FILL "   s.t[ui_one].a = in0.www; res = vec4(s.t[1].a, s.t[0].b);", SHADER_OPTIONAL },
   { "array_of_structs", STRUCT, "   T t[3]; t[0] = T(in0.xyz, 0.1); t[1] = T(in0.yzw, 0.2); t[2] = t[0]; t[2].b += "
      "t[1].b; res = vec4(t[2].a + t[1].a, t[2].b) * 0.5;" },
   { "uniform", "struct U { vec4 v; float f[2]; }; uniform U u_s;", "   res = (u_s.v + u_s.f[1]) * 0.5 + in0;" },
};

/* --- built-in variables,
   textures ----------------------------------------------------------------------------------- */

static const struct shader_case variables[] = {
   { "frag_coord_xy", NULL, "   res = vec4(gl_FragCoord.xy / 32.0, 0.0, 1.0);", SHADER_FRAGMENT | SHADER_SMOOTH },
   { "frag_coord_zw", NULL, "   res = vec4(gl_FragCoord.zw, 0.0, 1.0) * 0.9;", SHADER_FRAGMENT | SHADER_SMOOTH },
   { "frag_coord_mod", NULL, "   res = vec4(mod(gl_FragCoord.xy, 3.0) / 3.0, floor(gl_FragCoord.x) == 5.0, 1.0);",
      SHADER_FRAGMENT | SHADER_SMOOTH },
   { "front_facing", NULL, "   res = gl_FrontFacing ? in0 : vec4(0.0);", SHADER_FRAGMENT },
   { "depth_range", NULL, "   res = vec4(gl_DepthRange.near, gl_DepthRange.far, gl_DepthRange.diff, 1.0) * 0.5 + in0 "
      "* 0.25;" },
   { "constants", NULL,
     "   res = vec4(gl_MaxVertexAttribs >= 8, gl_MaxVertexUniformVectors >= 128, gl_MaxVaryingVectors >= 8, "
     "gl_MaxVertexTextureImageUnits >= 0)\n"
     "      * vec4(gl_MaxCombinedTextureImageUnits >= 8, gl_MaxTextureImageUnits >= 8, gl_MaxFragmentUniformVectors "
     ">= 16, gl_MaxDrawBuffers >= 1) * in0;" },
   { "frag_data", NULL, "   res = in0; gl_FragData[0] = res.wzyx; return;", 0x100 | SHADER_FRAGMENT },
   { "read_back_color", NULL, "   gl_FragColor = in0; gl_FragColor.xy *= 0.5; res = gl_FragColor.yxzw;",
      SHADER_FRAGMENT },
   { "read_back_position", NULL, "   vec4 p = gl_Position; res = p * 0.5 + 0.5;", SHADER_VERTEX },
   { "point_size", NULL, "   gl_PointSize = 2.0; res = vec4(gl_PointSize * 0.25) + in0 * 0.5;", SHADER_VERTEX },
   { "texture2D", NULL, "   res = texture2D(tex2d, in0.xy);", SHADER_FRAGMENT | SHADER_SMOOTH },
   { "texture2D_dependent", NULL, "   res = texture2D(tex2d, texture2D(tex2d, in0.xy).yx * 0.8);", SHADER_FRAGMENT },
   { "texture2D_bias", NULL, "   res = texture2D(tex2d, in0.xy, 2.0);", SHADER_FRAGMENT },
   { "texture2D_bias_dynamic", NULL, "   res = texture2D(tex2d, in0.xy, in0.x * 3.0);", SHADER_FRAGMENT },
   { "texture2DProj3", NULL, "   res = texture2DProj(tex2d, vec3(in0.xy, in3.x + 0.5));", SHADER_FRAGMENT },
   { "texture2DProj4", NULL, "   res = texture2DProj(tex2d, vec4(in0.xy, 0.0, in3.x + 0.5));", SHADER_FRAGMENT },
   { "texture2DProj3_bias", NULL, "   res = texture2DProj(tex2d, vec3(in0.xy, in3.x + 0.5), 1.0);", SHADER_FRAGMENT },
   { "texture2DProj4_bias", NULL, "   res = texture2DProj(tex2d, vec4(in0.xy, 0.0, in3.x + 0.5), 1.0);",
      SHADER_FRAGMENT },
   { "textureCube", NULL, "   res = textureCube(texcube, in1.xyz);", SHADER_FRAGMENT },
   { "textureCube_bias", NULL, "   res = textureCube(texcube, in1.xyz, 0.5);", SHADER_FRAGMENT },
   { "texture_in_function", "vec4 f(sampler2D s, vec2 c) { return texture2D(s, c); }", "   res = f(tex2d, in0.yx);",
      SHADER_FRAGMENT },
   { "texture_in_branch", NULL, "   res = in0.x > 0.5 ? texture2D(tex2d, in0.xy) : in0;", SHADER_FRAGMENT },
   { "texture_array_const", "uniform sampler2D arr[2];", "   res = texture2D(arr[1], in0.xy) * 0.5 + "
      "texture2D(arr[0], in0.yx) * 0.5;", SHADER_FRAGMENT },
   { "texture_array_loop", "uniform sampler2D arr[2];", "   for (int i = 0; i < 2; i++) res += texture2D(arr[i], "
      "in0.xy) * 0.5;", SHADER_FRAGMENT },
   { "texture_many", NULL, "   for (int i = 0; i < 6; i++) res += texture2D(tex2d, in0.xy + vec2(float(i) * 0.05)) * "
      "0.16;", SHADER_FRAGMENT },
};

/* --- algorithms ----------------------------------------------------------------------------------------------------- */

static const struct shader_case algorithms[] = {
   { "hsl_to_rgb",
     "float h2(float a, float b, float h) { h = fract(h + 1.0); if (6.0 * h < 1.0) return a + (b - a) * 6.0 * h; if "
     "(2.0 * h < 1.0) return b;\n"
     "   if (3.0 * h < 2.0) return a + (b - a) * (2.0 / 3.0 - h) * 6.0; return a; }\n"
     "vec3 f(vec3 c) { float q = c.z < 0.5 ? c.z * (1.0 + c.y) : c.y + c.z - c.y * c.z; float p = 2.0 * c.z - q;\n"
     "   return vec3(h2(p, q, c.x + 1.0 / 3.0), h2(p, q, c.x), h2(p, q, c.x - 1.0 / 3.0)); }",
     "   res = vec4(f(in0.xyz), 1.0);" },
   { "rgb_to_hsl",
     "vec3 f(vec3 c) { float a = min(c.x, min(c.y, c.z)), b = max(c.x, max(c.y, c.z)), d = b - a, l = (a + b) / 2.0, "
     "s = 0.0, h = 0.0;\n"
     "   if (d > 0.0) { s = l < 0.5 ? d / (a + b) : d / (2.0 - a - b);\n"
     "      if (b == c.x) h = (c.y - c.z) / d; else if (b == c.y) h = 2.0 + (c.z - c.x) / d; else h = 4.0 + (c.x - "
     "c.y) / d; }\n"
     "   return vec3(fract(h / 6.0), s, l); }",
     "   res = vec4(f(in0.xyz), 1.0);" },
   { "image_to_grayscale", NULL, "   res = vec4(vec3(dot(in0.rgb, vec3(0.3, 0.59, 0.11))), 1.0);" },
   { "phong",
     "vec3 lit(vec3 n, vec3 l, vec3 v) { float d = max(dot(n, l), 0.0); float s = pow(max(dot(reflect(-l, n), v), "
     "0.0), 8.0); return vec3(0.1) + d * vec3(0.5, 0.4, 0.3) + s * 0.3; }",
     "   res = vec4(lit(normalize(in1.xyz + 0.01), normalize(vec3(0.3, 0.5, 0.8)), normalize(vec3(0.1, 0.2, 1.0))), "
     "1.0);" },
   { "mandelbrot", NULL,
     "   vec2 z = vec2(0.0); float n = 0.0; for (int i = 0; i < 6; i++) { if (dot(z, z) < 4.0) { z = vec2(z.x * z.x - "
     "z.y * z.y, 2.0 * z.x * z.y) + in2.xy * 0.7; n += 1.0; } } res = vec4(n / 6.0, clamp(z * 0.25 + 0.5, 0.0, 1.0), "
     "1.0);" },
   { "sort", NULL, "   vec4 v = in0; v.xy = v.x > v.y ? v.yx : v.xy; v.zw = v.z > v.w ? v.wz : v.zw; v.xz = v.x > v.z "
      "? v.zx : v.xz; v.yw = v.y > v.w ? v.wy : v.yw; v.yz = v.y > v.z ? v.zy : v.yz; res = v;" },
   { "polynomial", NULL, "   vec4 x = in1; res = ((((x * 0.1 + 0.2) * x - 0.3) * x + 0.4) * x - 0.1) * x * 0.5 + "
      "0.5;" },
};

static void
run_structs(void)
{
   shader_begin();
   shader_run_table("struct", structs, ARRAY_SIZE(structs));
   for (unsigned i = 0; i < ARRAY_SIZE(variables); i++) {
      if (!(variables[i].flags & 0x100))
         shader_run("variable", &variables[i], MEDIUMP);
   }
   for (unsigned p = 0; p < 3; p++) {
      for (unsigned i = 0; i < ARRAY_SIZE(algorithms); i++)
         shader_run("algorithm", &algorithms[i], p);
   }
   shader_end();
}

/* --- varyings ------------------------------------------------------------------------------------------------------- */

static void
run_varyings(void)
{
   static const char *const types[] = { "float", "vec2", "vec3", "vec4", "mat2", "mat3", "mat4" };
   static const char *const value[] = { "a0.x", "a0.xy", "a0.xyz", "a0", "mat2(a0)", "mat3(a0.xyz, a1.xyz, a2.xyz)",
      "mat4(a0, a1, a2, a3)" };
   static const char *const show[] = { "vec4(v)", "vec4(v, v)", "vec4(v, 1.0)", "v", "vec4(v[0], v[1])",
      "vec4(v[0] + v[1] * 0.5 + v[2] * 0.25, 1.0)",
                                       "v[0] + v[1] * 0.5 + v[2] * 0.2 + v[3] * 0.1" };
   char vs[3000], fs[3000];
   const char *log = NULL;
   shader_begin();
   for (unsigned t = 0; t < ARRAY_SIZE(types); t++) {
      for (unsigned p = 0; p < 3; p++) {
         for (unsigned array = 0; array < 2; array++) {
            if (!grid_begin("varying/%s_%s%s", shader_precision_name[p], types[t], array ? "_array" : ""))
               continue;
            snprintf(vs, sizeof(vs), "attribute highp vec4 position, a0, a1, a2, a3;\nvarying %s %s w%s;\n"
                     "void main() { gl_Position = position; %s %s; }\n", shader_precision_name[p], types[t],
                     array ? "[2]" : "",
                     array ? "w[0] = w[1] =" : "w =", value[t]);
            snprintf(fs, sizeof(fs), "precision mediump float;\nvarying %s %s w%s;\nvoid main() { %s v = %s; "
               "gl_FragColor = %s; }\n",
                     shader_precision_name[p], types[t], array ? "[2]" : "", types[t],
                        array ? "w[0] * 0.5 + w[1] * 0.5" : "w", show[t]);
            GLuint program = grid_program(vs, fs, &log);
            shader_draw(program, log, SHADER_FRAGMENT | SHADER_SMOOTH, 5);
         }
      }
   }
   GLint max = 8;
   glGetIntegerv(GL_MAX_VARYING_VECTORS, &max);
   for (int count = 1; count <= 12; count++) {
      for (unsigned kind = 0; kind < 4; kind++) {
         if (!grid_begin("varying/count_%u_%u", count, kind))
            continue;
         const char *type = types[3 - kind % 4];
         int n = snprintf(vs, sizeof(vs), "attribute highp vec4 position, a0, a1, a2, a3;\n");
         int m = snprintf(fs, sizeof(fs), "precision mediump float;\n");
         for (int i = 0; i < count; i++) {
            n += snprintf(vs + n, sizeof(vs) - n, "varying mediump %s w%u;\n", type, i);
            m += snprintf(fs + m, sizeof(fs) - m, "varying mediump %s w%u;\n", type, i);
         }
         n += snprintf(vs + n, sizeof(vs) - n, "void main() { gl_Position = position;\n");
         m += snprintf(fs + m, sizeof(fs) - m, "void main() { %s v = %s(0.0);\n", type, type);
         for (int i = 0; i < count; i++) {
            n += snprintf(vs + n, sizeof(vs) - n, "   w%u = a%u%s;\n", i, i & 3, swizzle_of[(4 - kind) & 3]);
            m += snprintf(fs + m, sizeof(fs) - m, "   v += w%u * %g;\n", i, 0.3 / (i + 1));
         }
         snprintf(vs + n, sizeof(vs) - n, "}\n");
         snprintf(fs + m, sizeof(fs) - m, "   gl_FragColor = %s;\n}\n", show[3 - kind]);
         GLuint program = grid_program(vs, fs, &log);
         shader_draw(program, log, SHADER_FRAGMENT | SHADER_SMOOTH, 5);
      }
   }
   static const struct {
      const char *name, *vs, *fs;
   } pairs[] = {
      { "unused_in_fragment", "varying vec4 w, u; void main() { gl_Position = position; w = a0; u = a1; }",
         "varying vec4 w; void main() { gl_FragColor = w; }" },
      { "precision_differs", "varying highp vec4 w; void main() { gl_Position = position; w = a0; }",
         "varying lowp vec4 w; void main() { gl_FragColor = w; }" },
      { "dynamic_index", "varying vec4 w[3]; void main() { gl_Position = position; for (int i = 0; i < 3; i++) w[i] = "
         "a0 * float(i) * 0.3; }",
        "varying vec4 w[3]; void main() { gl_FragColor = vec4(0.0); for (int i = 0; i < 3; i++) gl_FragColor += w[i] "
        "* 0.5; }" },
      { "dynamic_write", "uniform int ui_one; varying vec4 w[3]; void main() { gl_Position = position; w[0] = w[1] = "
         "w[2] = a0; w[ui_one] = a1; }",
        "varying vec4 w[3]; void main() { gl_FragColor = w[0] * 0.3 + w[1] * 0.3 + w[2] * 0.3; }" },
      { "read_in_vertex", "varying vec4 w; void main() { gl_Position = position; w = a0; w.xy += w.yx * 0.5; w *= "
         "0.5; }", "varying vec4 w; void main() { gl_FragColor = w; }" },
      { "invariant", "invariant gl_Position; invariant varying vec4 w; void main() { gl_Position = position; w = a0; "
         "}", "invariant varying vec4 w; void main() { gl_FragColor = w; }" },
      { "perspective", "varying vec4 w; void main() { gl_Position = vec4(position.xyz, 1.0) * (1.5 + position.x * 0.7 "
         "+ position.y * 0.4); w = a0; }", "varying vec4 w; void main() { gl_FragColor = w; }" },
      { "perspective_array", "varying vec2 w[4]; void main() { gl_Position = vec4(position.xyz, 1.0) * (1.5 + "
         "position.x * 0.7 + position.y * 0.4); w[0] = a0.xy; w[1] = a1.xy; w[2] = a2.zw; w[3] = a3.xw; }",
        "varying vec2 w[4]; void main() { gl_FragColor = vec4(w[0] + w[1] * 0.2, w[2] * 0.2 + w[3] * 0.3); }" },
      { "frag_coord_w", "varying vec4 w; void main() { gl_Position = vec4(position.xyz, 1.0) * (1.5 + position.x * "
         "0.7 + position.y * 0.4); w = a0; }",
        "varying vec4 w; void main() { gl_FragColor = vec4(gl_FragCoord.w, gl_FragCoord.z, w.xy) * 0.7; }" },
   };
   for (unsigned i = 0; i < ARRAY_SIZE(pairs); i++) {
      if (!grid_begin("varying/%s", pairs[i].name))
         continue;
      snprintf(vs, sizeof(vs), "precision mediump float;\nattribute highp vec4 position, a0, a1, a2, a3;\n%s\n",
         pairs[i].vs);
      snprintf(fs, sizeof(fs), "precision mediump float;\n%s\n", pairs[i].fs);
      GLuint program = grid_program(vs, fs, &log);
      shader_draw(program, log, SHADER_FRAGMENT | SHADER_SMOOTH, 5);
   }
   shader_end();
}

const struct grid_family family_matrices = { "matrices", run_matrices };
const struct grid_family family_structs = { "structs", run_structs };
const struct grid_family family_varyings = { "varyings", run_varyings };
