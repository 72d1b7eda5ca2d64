/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Shaders that must compile and shaders that must not: preprocessor, scopes, qualifiers, reserved words, constant expressions,
 * types; and pairs of shaders that must or must not link.  What compiles is drawn where its text sets "ok".
 */

#include <stdio.h>

#include "families.h"
#include "scene.h"

struct text {
   bool good;
   const char *name, *global, *body;
};

/* In the body "ok" is a bool that becomes true when all is well. */
static const struct text texts[] = {
   { true, "define_value", "#define A 3\n#define B (A + 2)", "ok = B == 5;" },
   { true, "define_function", "#define ADD(a, b) ((a) + (b))", "ok = ADD(1, ADD(2, 3)) == 6;" },
   { true, "define_empty", "#define NOTHING", "ok = NOTHING true NOTHING;" },
   { true, "define_no_recursion", "int f(int x) { return x; }\n#define f(x) f(x + 1)", "ok = f(1) == 2;" },
   { true, "undef", "#define A 1\n#undef A\n#define A 2", "ok = A == 2;" },
   { true, "line_macros", "#line 20 3", "ok = __FILE__ == 3 && __VERSION__ == 100 && GL_ES == 1;" },
   { true, "if_arithmetic",
     "#if (1 + 2 * 3 == 7) && (7 / 2 == 3) && (7 % 4 == 3) && (1 << 3 == 8) && (~0 == -1)\n#define R true\n"
     "#else\n#define R false\n#endif", "ok = R;" },
   { true, "if_bits", "#if (6 & 3) == 2 && (6 | 3) == 7 && (6 ^ 3) == 5 && !0 && 0x10 == 16 && 010 == 8\n#define R true\n#else\n"
     "#define R false\n#endif", "ok = R;" },
   { true, "if_nested",
     "#ifdef GL_ES\n# if 0\n#  error not here\n# elif 1\n#  define R true\n# else\n#  error nor here\n# endif\n"
     "#endif", "ok = R;" },
   { true, "if_defined", "#define A\n#if defined A && defined(GL_ES) && !defined(B)\n#define R true\n#endif", "ok = R;" },
   { true, "pragma", "#pragma optimize(off)\n#pragma debug(on)\n#pragma unknown thing", "ok = true;" },
   { true, "comments", "/* one // two */ // three /* four\n#define A /* inside */ 4", "ok = A == 4; /**/ // end" },
   { false, "error_directive", "#error stop", "ok = true;" },
   { false, "unknown_directive", "#something", "ok = true;" },
   { false, "if_without_endif", "#if 1", "ok = true;" },
   { false, "else_twice", "#if 1\n#else\n#else\n#endif", "ok = true;" },
   { false, "elif_after_else", "#if 0\n#else\n#elif 1\n#endif", "ok = true;" },
   { false, "endif_alone", "#endif", "ok = true;" },
   { false, "redefined", "#define A 1\n#define A 2", "ok = true;" },
   { false, "define_gl_name", "#define GL_thing 1", "ok = true;" },
   { false, "undef_builtin", "#undef GL_ES", "ok = true;" },
   { false, "too_few_arguments", "#define F(a, b) a + b", "ok = F(1) == 1;" },
   { false, "undefined_in_if", "#if NOT_DEFINED == 1\n#endif", "ok = true;" },
   { false, "version_300", "#version 300 es", "ok = true;" },
   { false, "extension_missing", "#extension GL_NOT_an_extension : require", "ok = true;" },
   { true, "scope_inner", "", "float a = 1.0; { float a = 2.0; ok = a == 2.0; } ok = ok && a == 1.0;" },
   { true, "scope_for", "", "int i = 5; for (int i = 0; i < 2; i++) { } ok = i == 5;" },
   { true, "scope_global", "float a = 1.0;", "float b = a; float a = 2.0; ok = b == 1.0 && a == 2.0;" },
   { true, "scope_parameter", "float f(float a) { a += 1.0; return a; }\nfloat a = 3.0;", "ok = f(1.0) == 2.0 && a == 3.0;" },
   { true, "scope_struct", "struct S { float a; };", "struct S { int b; }; S s; s.b = 3; ok = s.b == 3;" },
   { true, "scope_hides_function", "float f(float x) { return x; }", "float f = 2.0; ok = f == 2.0;" },
   { true, "scope_own_initializer", "const float a = 4.0;", "float a = a; ok = a == 4.0;" },
   { false, "scope_after_block", "", "{ float a = 1.0; } ok = a == 1.0;" },
   { false, "scope_after_for", "", "for (int i = 0; i < 2; i++) { } ok = i == 2;" },
   { false, "scope_redeclared", "", "float a = 1.0; int a = 2; ok = true;" },
   { false, "scope_use_before", "", "ok = a == 1.0; float a = 1.0;" },
   { false, "function_before", "float g() { return h(); }\nfloat h() { return 1.0; }", "ok = true;" },
   { false, "function_twice", "float g() { return 1.0; }\nfloat g() { return 2.0; }", "ok = true;" },
   { false, "function_in_function", "", "float g() { return 1.0; } ok = true;" },
   { false, "function_recursive", "float g(float x) { return x > 1.0 ? g(x - 1.0) : x; }", "ok = g(2.0) == 1.0;" },
   { true, "function_overloads", "int g(int x) { return 1; }\nint g(float x) { return 2; }\nint g(vec2 x) { return 3; }",
     "ok = g(1) == 1 && g(1.0) == 2 && g(vec2(1.0)) == 3;" },
   { true, "function_out", "void g(out float a, inout float b, in float c) { a = c; b += c; c = 0.0; }",
     "float a, b = 1.0, c = 2.0; g(a, b, c); ok = a == 2.0 && b == 3.0 && c == 2.0;" },
   { true, "function_out_swizzle", "void g(out vec2 a) { a = vec2(1.0, 2.0); }",
     "vec4 v = vec4(0.0); g(v.wx); ok = v == vec4(2.0, 0.0, 0.0, 1.0);" },
   { false, "function_out_constant", "void g(out float a) { a = 1.0; }", "g(1.0); ok = true;" },
   { false, "function_no_match", "float g(float x) { return x; }", "ok = g(1) == 1.0;" },
   { false, "function_no_return_type", "g(float x) { return x; }", "ok = true;" },
   { false, "function_return_value", "void g() { return 1.0; }", "ok = true;" },
   { true, "constant_expressions", "const int N = 2 * 3 - 4;\nconst float F = sin(0.0) + max(1.0, 2.0);\nfloat a[N];",
     "a[1] = F; ok = a[1] == 2.0 && N == 2;" },
   { true, "constant_struct", "struct S { int a; vec2 b; };\nconst S s = S(3, vec2(1.0, 2.0));\nfloat a[s.a];",
     "a[2] = s.b.y; ok = a[2] == 2.0;" },
   { true, "constant_index", "const vec4 v = vec4(1.0, 2.0, 3.0, 4.0);\nfloat a[int(v[2])];", "a[2] = 1.0; ok = a[2] == 1.0;" },
   { false, "constant_from_variable", "float v;\nconst float c = v;", "ok = true;" },
   { false, "constant_assigned", "const float c = 1.0;", "c = 2.0; ok = true;" },
   { false, "constant_without_value", "const float c;", "ok = true;" },
   { false, "array_negative", "float a[-1];", "ok = true;" },
   { false, "array_zero", "float a[0];", "ok = true;" },
   { false, "array_unsized", "float a[];", "ok = a[1] == 0.0;" },
   { false, "array_beyond", "", "float a[3]; a[3] = 1.0; ok = true;" },
   { false, "array_assigned", "", "float a[2], b[2]; a = b; ok = true;" },
   { false, "array_variable_size", "uniform int n;\nfloat a[n];", "ok = true;" },
   { false, "array_of_arrays", "", "float a[2][3]; ok = true;" },
   { false, "array_initializer", "", "float a[2] = float[2](1.0, 2.0); ok = true;" },
   { false, "implicit_int_to_float", "", "float a = 1; ok = true;" },
   { false, "implicit_float_to_int", "", "int a = 1.0; ok = true;" },
   { false, "implicit_operands", "", "ok = 1.0 + 2 == 3.0;" },
   { false, "implicit_bool", "", "if (1) ok = true;" },
   { false, "modulo", "", "int a = 5 % 3; ok = true;" },
   { false, "bit_and", "", "int a = 5 & 3; ok = true;" },
   { false, "shift", "", "int a = 1 << 3; ok = true;" },
   { false, "switch", "", "switch (1) { case 1: ok = true; }" },
   { false, "goto", "", "goto end; end: ok = true;" },
   { false, "unsigned_suffix", "", "int a = 1u; ok = true;" },
   { false, "string", "", "float a = \"x\"; ok = true;" },
   { true, "numbers", "", "ok = 0x1F == 31 && 017 == 15 && 1e2 == 100.0 && .5 == 0.5 && 1. == 1.0 && 1E-1 < 0.2;" },
   { true, "selectors",
     "", "vec4 v = vec4(1.0, 2.0, 3.0, 4.0); ok = v.xyzw.wzyx == v.abgr && v.rgba.stp == v.stp && v.stpq == v;" },
   { false, "selectors_mixed", "", "vec4 v; ok = v.xg == vec2(0.0);" },
   { false, "selectors_beyond", "", "vec2 v; ok = v.z == 0.0;" },
   { false, "selectors_written_twice", "", "vec4 v; v.xx = vec2(1.0); ok = true;" },
   { false, "selectors_of_scalar", "", "float v = 1.0; ok = v.x == 1.0;" },
   { false, "constructor_too_few", "", "vec3 v = vec3(1.0, 2.0); ok = true;" },
   { false, "constructor_too_many", "", "vec2 v = vec2(1.0, 2.0, 3.0); ok = true;" },
   { false, "constructor_matrix_of_matrix", "", "mat2 a = mat2(1.0); mat3 m = mat3(a, 1.0); ok = true;" },
   { true, "struct_compare", "struct S { float a; ivec2 b; };",
     "S s = S(1.0, ivec2(2, 3)), t = s; ok = s == t; t.b.y = 4; ok = ok && s != t;" },
   { false, "struct_anonymous_member", "struct S { struct { float a; }; };", "ok = true;" },
   { false, "struct_nested_definition", "struct S { struct T { float a; } t; };", "ok = true;" },
   { false, "struct_wrong_constructor", "struct S { float a; };", "S s = S(1); ok = true;" },
   { false, "struct_unknown_member", "struct S { float a; };", "S s; s.b = 1.0; ok = true;" },
   { false, "sampler_local", "", "sampler2D s; ok = true;" },
   { false, "sampler_not_uniform", "sampler2D s;", "ok = true;" },
   { false, "uniform_written", "uniform float u;", "u = 1.0; ok = true;" },
   { false, "uniform_initialized", "uniform float u = 1.0;", "ok = true;" },
   { false, "uniform_local", "", "uniform float u; ok = true;" },
   { false, "varying_integer", "varying int v;", "ok = true;" },
   { false, "varying_struct", "struct S { float a; };\nvarying S v;", "ok = true;" },
   { false, "order_precision_first", "mediump uniform float u;", "ok = true;" },
   { false, "order_twice", "uniform uniform float u;", "ok = true;" },
   { true, "precision_everywhere",
     "precision lowp float;\nuniform highp float a; varying mediump vec2 v;\nlowp float f(highp float x) "
     "{ return x; }", "mediump float m = f(1.0); precision highp int; ok = m == 1.0;" },
   { false, "precision_of_vector", "precision mediump vec2;", "ok = true;" },
   { false, "precision_of_bool", "mediump bool b;", "ok = true;" },
   { true, "operators",
     "", "int a = 7; a -= 2; a *= 3; a /= 4; ok = a == 3 && a++ == 3 "
     "&& ++a == 5 && a-- == 5 && (a, 2) == 2 && (true ^^ false);" },
   { true, "ternary", "", "float a = 1.0 > 2.0 ? 3.0 : 4.0 > 5.0 ? 6.0 : 7.0; ok = a == 7.0;" },
   { false, "ternary_types", "", "float a = true ? 1.0 : 2; ok = true;" },
   { false, "compare_vectors", "", "ok = vec2(1.0) < vec2(2.0);" },
   { false, "not_of_vector", "", "ok = all(!bvec2(true));" },
   { false, "not_an_lvalue", "", "float a, b; (a + b) = 1.0; ok = true;" },
   { false, "missing_semicolon", "", "float a = 1.0 ok = true;" },
   { false, "missing_brace", "", "if (true) { ok = true;" },
   { false, "break_outside", "", "break; ok = true;" },
   { false, "continue_outside", "", "continue; ok = true;" },
   { false, "name_gl", "float gl_thing;", "ok = true;" },
   { false, "name_double_underscore_struct", "struct gl_S { float a; };", "ok = true;" },
   { true, "statements", "", "int n = 0; for (;;) { if (n > 3) break; n++; } ok = n == 4; ; { } if (ok) ; else ok = false;" },
};

static const char *const reserved[] = {
   "attribute", "asm", "class", "union", "enum", "typedef", "template", "this", "packed", "goto", "switch", "default", "inline",
   "noinline", "volatile", "public", "static", "extern", "external", "interface", "flat", "long", "short", "double", "half",
   "fixed", "unsigned", "superp", "input", "output", "hvec2", "hvec4", "dvec3", "fvec2", "sampler1D", "sampler3DRect",
   "sampler2DRect", "sampler1DShadow", "sampler2DShadow", "sizeof", "cast", "namespace", "using", "invariant", "discard",
   "precision", "highp", "struct", "void", "while", "mat2", "bvec3", "samplerCube", "true",
};

static GLuint
compile(GLenum stage, const char *source)
{
   GLuint shader = glCreateShader(stage);
   GLint ok;
   glShaderSource(shader, 1, &source, NULL);
   glCompileShader(shader);
   glGetShaderiv(shader, GL_COMPILE_STATUS, &ok);
   if (ok)
      return shader;
   glDeleteShader(shader);
   return 0;
}

static GLuint
link_pair(const char *vertex, const char *fragment)
{
   GLuint vs = compile(GL_VERTEX_SHADER, vertex), fs = compile(GL_FRAGMENT_SHADER, fragment), program = glCreateProgram();
   GLint ok = 0;
   if (vs && fs) {
      glAttachShader(program, vs);
      glAttachShader(program, fs);
      glBindAttribLocation(program, 0, "position");
      glLinkProgram(program);
      glGetProgramiv(program, GL_LINK_STATUS, &ok);
   }
   glDeleteShader(vs);
   glDeleteShader(fs);
   if (ok)
      return program;
   glDeleteProgram(program);
   return 0;
}

static bool
draws_green(GLuint program)
{
   uint8_t rgba[4];
   glUseProgram(program);
   glClearColor(0, 0, 1, 1);
   glClear(GL_COLOR_BUFFER_BIT);
   grid_quad(-1, -1, 1, 1, 0, 0, 0, 1, 1);
   glReadPixels(20, 20, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, rgba);
   return rgba[1] == 255 && !rgba[0] && !rgba[2];
}

static void
run_texts(void)
{
   static const char *const plain_vs = "attribute vec4 position;\nvoid main() { gl_Position = position; }";
   static const char *const plain_fs = "precision mediump float;\nvarying float r;\n"
                                       "void main() { gl_FragColor = vec4(1.0 - r, r, 0.0, 1.0); }";
   for (unsigned i = 0; i < ARRAY_SIZE(texts); i++) {
      for (unsigned vertex = 0; vertex < 2; vertex++) {
         if (!grid_begin("language/%s_%s", texts[i].name, vertex ? "vertex" : "fragment"))
            continue;
         char source[2000];
         snprintf(source, sizeof(source), vertex ? "%s\nattribute vec4 position;\nvarying mediump float r;\n"
                  "void main() {\n   bool ok = false;\n   %s\n   r = ok ? 1.0 : 0.0; gl_Position = position;\n}\n"
                  : "precision mediump float;\n%s\nvoid main() {\n   bool ok = false;\n   %s\n"
                  "   gl_FragColor = ok ? vec4(0.0, 1.0, 0.0, 1.0) : vec4(1.0, 0.0, 0.0, 1.0);\n}\n",
                  texts[i].global, texts[i].body);
         GLuint program = vertex ? link_pair(source, plain_fs) : link_pair(plain_vs, source);
         bool green = program && draws_green(program);
         grid_check((program != 0) == texts[i].good && green == texts[i].good, program ? "compiles, green: %d" : "is refused",
                    green);
         glDeleteProgram(program);
      }
   }
   for (unsigned i = 0; i < ARRAY_SIZE(reserved); i++) {
      if (!grid_begin("language/reserved_%s", reserved[i]))
         continue;
      char source[200];
      snprintf(source, sizeof(source), "precision mediump float;\nvoid main() { float %s = 1.0; gl_FragColor = vec4(%s); }",
               reserved[i], reserved[i]);
      GLuint shader = compile(GL_FRAGMENT_SHADER, source);
      grid_check(!shader, "compiles");
      glDeleteShader(shader);
   }
}

/* --- linking ------------------------------------------------------------------------------------------------------------ */

static const struct {
   bool good;
   const char *name, *vertex, *fragment; /* declarations */
   const char *set, *get;                /* statement, and a value that must be 1 */
} pairs[] = {
   { true, "varying", "varying float v;", "varying float v;", "v = 1.0;", "v" },
   { true, "varying_precisions", "varying highp vec2 v;", "varying lowp vec2 v;", "v = vec2(1.0);", "v.y" },
   { true, "varying_unread", "varying vec4 v; varying vec2 w;", "varying vec4 v;", "v = vec4(1.0); w = v.xy;", "v.w" },
   { true, "varying_array", "varying vec2 v[3];", "varying vec2 v[3];", "v[0] = v[1] = v[2] = vec2(1.0);", "v[1].y * v[2].x" },
   { true, "varying_unused_in_fragment", "", "varying float v;", "", "1.0" },
   { true, "invariant_both", "invariant varying float v;", "invariant varying float v;", "v = 1.0;", "v" },
   { true, "uniform_both", "uniform mediump vec4 u; varying float v;", "uniform mediump vec4 u; varying float v;",
     "v = 1.0 + u.x;", "v + u.y" },
   { true, "struct_both", "struct S { mediump float a; }; uniform S s; varying float v;",
     "struct S { mediump float a; }; uniform S s; varying float v;", "v = 1.0 + s.a;", "v + s.a" },
   { false, "varying_missing", "", "varying float v;", "", "v" },
   { false, "varying_types", "varying vec2 v;", "varying vec3 v;", "v = vec2(1.0);", "v.x" },
   { false, "varying_array_sizes", "varying float v[2];", "varying float v[3];", "v[0] = v[1] = 1.0;", "v[0]" },
   { false, "invariant_differs", "varying float v;", "invariant varying float v;", "v = 1.0;", "v" },
   { false, "uniform_types", "uniform mediump vec4 u; varying float v;", "uniform mediump vec3 u; varying float v;", "v = u.x;",
     "u.x + v" },
   { false, "uniform_precisions", "uniform highp vec4 u; varying float v;", "uniform mediump vec4 u; varying float v;",
     "v = u.x;", "u.x + v" },
   { false, "struct_members", "struct S { mediump float a; }; uniform S s; varying float v;",
     "struct S { mediump float b; }; uniform S s; varying float v;", "v = s.a;", "v + s.b" },
   { false, "too_many_varyings", "varying vec4 v[100];", "varying vec4 v[100];",
     "for (int i = 0; i < 100; i++) v[i] = vec4(1.0);", "v[0].x + v[50].y + v[99].z" },
};

static void
run_language(void)
{
   scene_begin();
   run_texts();
   for (unsigned i = 0; i < ARRAY_SIZE(pairs); i++) {
      if (!grid_begin("language/link_%s", pairs[i].name))
         continue;
      char vs[1000], fs[1000];
      snprintf(vs, sizeof(vs), "precision mediump float;\nattribute vec4 position;\n%s\nvoid main() { gl_Position = "
     "position; %s }",
               pairs[i].vertex, pairs[i].set);
      snprintf(fs, sizeof(fs), "precision mediump float;\n%s\nvoid main() { gl_FragColor = vec4(0.0, %s, 0.0, 1.0); }",
               pairs[i].fragment, pairs[i].get);
      GLuint program = link_pair(vs, fs);
      bool green = program && draws_green(program);
      grid_check((program != 0) == pairs[i].good && green == pairs[i].good, program ? "links, green: %d" : "is refused", green);
      glDeleteProgram(program);
   }
   scene_end();
}

const struct grid_family family_language = { "language", run_language };
