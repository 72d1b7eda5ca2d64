/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Structures, built-in variables, texture functions, varyings.
 */

#include <stdio.h>

#include "families.h"
#include "shader_case.h"

/* --- structures ----------------------------------------------------------------------------------------------------- */

#define STRUCT "struct T { mediump vec3 a; mediump float b; };\nstruct S { int i; T t[2]; vec2 c; mat2 m; };\n"
#define FILL                                                                                                           \
   "   S s; s.i = 3; s.t[0].a = in0.xyz; s.t[0].b = in0.w; s.t[1] = T(in0.zyx, 0.25); s.c = in0.yx;\n"               \
   "   s.m = mat2(in0);\n"

static const struct shader_case structs[] = {
   { "basic", "struct S { float a; vec3 b; int c; };",
     "   S s = S(in0.x, in0.yzw, 2); s.b.x = 0.5 * float(s.c) * in0.x; res = vec4(s.a, s.b);" },
   { "nested", STRUCT, FILL "   res = vec4(s.t[0].a, s.t[1].b) * 0.5 + vec4(s.c, s.m[1]) * 0.5;" },
   { "copy", STRUCT, FILL
     "   S k = s; s.t[0].a = vec3(0.0); k.t[1].a.y = 0.75; res = vec4(k.t[0].a.x, k.t[1].a.yz, s.t[0].a.x);" },
   { "parameter", STRUCT "float f(S s) { s.c *= 0.5; return s.t[1].a.x + s.c.y; }", FILL
     "   res = vec4(f(s) * 0.5, s.c, 1.0);" },
   { "inout", STRUCT "void f(inout S s, out T t) { s.c = s.c.yx * 0.5; t = s.t[0]; t.b = 0.5; }", FILL
     "   f(s, s.t[1]); res = vec4(s.c, s.t[1].b, s.t[1].a.z);" },
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

/* --- built-in variables, textures ----------------------------------------------------------------------------------- */

static const struct shader_case variables[] = {
   { "frag_coord_zw", NULL, "   res = vec4(gl_FragCoord.zw, 0.0, 1.0) * 0.9;", SHADER_FRAGMENT | SHADER_SMOOTH },
   { "frag_coord_mod", NULL, "   res = vec4(mod(gl_FragCoord.xy, 3.0) / 3.0, floor(gl_FragCoord.x) == 5.0, 1.0);",
     SHADER_FRAGMENT | SHADER_SMOOTH },
   { "depth_range", NULL, "   res = vec4(gl_DepthRange.near, gl_DepthRange.far, gl_DepthRange.diff, 1.0) * 0.5 + in0 * 0.25;" },
   { "constants", NULL,
     "   res = vec4(gl_MaxVertexAttribs >= 8, gl_MaxVertexUniformVectors >= 128, gl_MaxVaryingVectors >= 8, "
     "gl_MaxVertexTextureImageUnits >= 0)\n"
     "      * vec4(gl_MaxCombinedTextureImageUnits >= 8, gl_MaxTextureImageUnits >= 8, gl_MaxFragmentUniformVectors "
     ">= 16, gl_MaxDrawBuffers >= 1) * in0;" },
   { "frag_data", NULL, "   res = in0; gl_FragData[0] = res.wzyx; return;", 0x100 | SHADER_FRAGMENT },
   { "read_back_color", NULL, "   gl_FragColor = in0; gl_FragColor.xy *= 0.5; res = gl_FragColor.yxzw;", SHADER_FRAGMENT },
   { "read_back_position", NULL, "   vec4 p = gl_Position; res = p * 0.5 + 0.5;", SHADER_VERTEX },
   { "point_size", NULL, "   gl_PointSize = 2.0; res = vec4(gl_PointSize * 0.25) + in0 * 0.5;", SHADER_VERTEX },
   { "texture2D", NULL, "   res = texture2D(tex2d, in0.xy);", SHADER_FRAGMENT | SHADER_SMOOTH },
   { "texture2D_dependent", NULL, "   res = texture2D(tex2d, texture2D(tex2d, in0.xy).yx * 0.8);", SHADER_FRAGMENT },
   { "texture2D_bias", NULL, "   res = texture2D(tex2d, in0.xy, 2.0);", SHADER_FRAGMENT },
   { "texture2D_bias_dynamic", NULL, "   res = texture2D(tex2d, in0.xy, in0.x * 3.0);", SHADER_FRAGMENT },
   { "texture2DProj3", NULL, "   res = texture2DProj(tex2d, vec3(in0.xy, in3.x + 0.5));", SHADER_FRAGMENT },
   { "texture2DProj4", NULL, "   res = texture2DProj(tex2d, vec4(in0.xy, 0.0, in3.x + 0.5));", SHADER_FRAGMENT },
   { "texture2DProj3_bias", NULL, "   res = texture2DProj(tex2d, vec3(in0.xy, in3.x + 0.5), 1.0);", SHADER_FRAGMENT },
   { "texture2DProj4_bias", NULL, "   res = texture2DProj(tex2d, vec4(in0.xy, 0.0, in3.x + 0.5), 1.0);", SHADER_FRAGMENT },
   { "textureCube", NULL, "   res = textureCube(texcube, in1.xyz);", SHADER_FRAGMENT },
   { "textureCube_bias", NULL, "   res = textureCube(texcube, in1.xyz, 0.5);", SHADER_FRAGMENT },
   { "texture_in_function", "vec4 f(sampler2D s, vec2 c) { return texture2D(s, c); }", "   res = f(tex2d, in0.yx);",
     SHADER_FRAGMENT },
   { "texture_in_branch", NULL, "   res = in0.x > 0.5 ? texture2D(tex2d, in0.xy) : in0;", SHADER_FRAGMENT },
   { "texture_array_const", "uniform sampler2D arr[2];",
     "   res = texture2D(arr[1], in0.xy) * 0.5 + texture2D(arr[0], in0.yx) * 0.5;", SHADER_FRAGMENT },
   { "texture_array_loop", "uniform sampler2D arr[2];",
     "   for (int i = 0; i < 2; i++) res += texture2D(arr[i], in0.xy) * 0.5;", SHADER_FRAGMENT },
   { "texture_many", NULL, "   for (int i = 0; i < 6; i++) res += texture2D(tex2d, in0.xy + vec2(float(i) * 0.05)) * 0.16;",
     SHADER_FRAGMENT },
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
   shader_end();
}

/* --- varyings ------------------------------------------------------------------------------------------------------- */

static void
run_varyings(void)
{
   static const char *const swizzle_of[] = { "", ".x", ".xy", ".xyz", "" };
   static const char *const types[] = { "float", "vec2", "vec3", "vec4", "mat2", "mat3", "mat4" };
   static const char *const value[] = { "a0.x", "a0.xy", "a0.xyz", "a0", "mat2(a0)", "mat3(a0.xyz, a1.xyz, a2.xyz)",
      "mat4(a0, a1, a2, a3)" };
   static const char *const show[] = { "vec4(v)", "vec4(v, v)", "vec4(v, 1.0)", "v", "vec4(v[0], v[1])",
      "vec4(v[0] + v[1] * 0.5 + v[2] * 0.25, 1.0)",
                                       "v[0] + v[1] * 0.5 + v[2] * 0.2 + v[3] * 0.1" };
   char vs[3000], fs[3000];
   shader_begin();
   for (unsigned t = 0; t < ARRAY_SIZE(types); t++) {
      for (unsigned p = 0; p < 3; p++) {
         for (unsigned array = 0; array < 2; array++) {
            if (!grid_begin("varying/%s_%s%s", shader_precision_name[p], types[t], array ? "_array" : ""))
               continue;
            GLuint program = grid_program(text_of(
               "attribute highp vec4 position, a0, a1, a2, a3;\nvarying %s %s w%s;\n"
               "void main() { gl_Position = position; %s %s; }\n", shader_precision_name[p], types[t], array ? "[2]" : "",
               array ? "w[0] = w[1] =" : "w =", value[t]), text_of(
               "precision mediump float;\nvarying %s %s w%s;\nvoid main() { %s v = %s; gl_FragColor = %s; }\n",
               shader_precision_name[p], types[t], array ? "[2]" : "", types[t],
               array ? "w[0] * 0.5 + w[1] * 0.5" : "w", show[t]));
            shader_draw(program, SHADER_FRAGMENT | SHADER_SMOOTH, 5);
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
         GLuint program = grid_program(vs, fs);
         shader_draw(program, SHADER_FRAGMENT | SHADER_SMOOTH, 5);
      }
   }
   static const struct {
      const char *name, *vs, *fs;
   } pairs[] = {
      { "unused_in_fragment", "varying vec4 w, u; void main() { gl_Position = position; w = a0; u = a1; }",
        "varying vec4 w; void main() { gl_FragColor = w; }" },
      { "precision_differs", "varying highp vec4 w; void main() { gl_Position = position; w = a0; }",
        "varying lowp vec4 w; void main() { gl_FragColor = w; }" },
      { "dynamic_index",
        "varying vec4 w[3]; void main() { gl_Position = position; for (int i = 0; i < 3; i++) w[i] = a0 * float(i) * 0.3; }",
        "varying vec4 w[3]; void main() { gl_FragColor = vec4(0.0); for (int i = 0; i < 3; i++) gl_FragColor += w[i] * 0.5; }" },
      { "dynamic_write",
        "uniform int ui_one; varying vec4 w[3]; void main() { gl_Position = position; w[0] = w[1] = w[2] = a0; w[ui_one] = a1; }",
        "varying vec4 w[3]; void main() { gl_FragColor = w[0] * 0.3 + w[1] * 0.3 + w[2] * 0.3; }" },
      { "read_in_vertex", "varying vec4 w; void main() { gl_Position = position; w = a0; w.xy += w.yx * 0.5; w *= 0.5; }",
        "varying vec4 w; void main() { gl_FragColor = w; }" },
      { "invariant", "invariant gl_Position; invariant varying vec4 w; void main() { gl_Position = position; w = a0; }",
        "invariant varying vec4 w; void main() { gl_FragColor = w; }" },
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
      GLuint program = grid_program(text_of(
         "precision mediump float;\nattribute highp vec4 position, a0, a1, a2, a3;\n%s\n", pairs[i].vs),
         text_of("precision mediump float;\n%s\n", pairs[i].fs));
      shader_draw(program, SHADER_FRAGMENT | SHADER_SMOOTH, 5);
   }
   shader_end();
}

const struct grid_family family_structs = { "structs", run_structs };
const struct grid_family family_varyings = { "varyings", run_varyings };
