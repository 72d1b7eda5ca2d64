/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * One line per program: GLSL, state, and the most clocks that the compiled program may take.  Each program is compiled by
 * the real front end, checked by the validator, run on the simulator in strict mode with random inputs, and compared with
 * what its NIR computes.
 *
 * State is a list of words: "over" premultiplied source-over, "alpha" conventional blending, "add", "mul" (modulate), "sub",
 * "rsub", "min", "max", "dsta" (factors of destination alpha), "const" (blend colour), "sat" (alpha saturate), "bgra",
 * "r_only", "rg_only" (components of the target), "noalpha", "mask=N" (colour mask), "logic=N", "border0" and "border1" (clamping to the border colour in units 0 and 1),
 * "column" (the slices of the 3D texture lie below each other, and it is repeated in all directions; else in three columns).
 */

#include "unit.h"
#include "fs_check.h"
#include "fs_run.h"
#include "fragment_vectors.h"
#include "link_body.h"
#include "pipe/p_defines.h"
#include "util/blend.h"
#include "util/ralloc.h"

static const char prelude[] =
   "varying vec4 v; varying vec3 n; varying vec2 uv; varying float f;\n"
   "uniform vec4 u, w; uniform float a, b; uniform sampler2D t0, t1, t2; uniform mat4 m; uniform vec4 many[60]; uniform sampler3D t3;\n";

struct program_case {
   const char *body, *state;
   unsigned clocks;
   float tolerance; /* steps of 1/256; 0: 1.5 */
   bool packets;    /* more than 64, which Tegra114 has room for */
   unsigned clocks_of_part_sums, clocks_of_draft; /* 0: not asked */
};

/* Three packets each. */
#define MIX "x = (x + y.yzwx) * 0.5; y = y * 0.5 + x.zwxy * 0.25;"
#define MIX10 MIX MIX MIX MIX MIX MIX MIX MIX MIX MIX

/* Eight packets, one after the other, with 32 constants. */
#define STEP(i) "x = x.yzwx * x + many[" #i "];"
#define STEPS STEP(0) STEP(1) STEP(2) STEP(3) STEP(4) STEP(5) STEP(6) STEP(7)

#define SQUARE "c = vec2(c.x * c.x - c.y * c.y, c.x * c.y) + uv;"
#define C gl_Color
#define OUT "gl_FragColor = "
#define TEX0 "texture2D(t0, uv)"

static const struct program_case cases[] = {
   {"vec4 x = v, y = u;" MIX10 MIX10 MIX10 OUT "x + y;", "", 120, 4, true},
   /* moves */
   {OUT "vec4(0.0, 0.0, 1.0, 0.0);", "", 1},
   {OUT "vec4(0.1, 0.2, 0.3, 0.4);", "", 1},
   {OUT "v;", "", 1},
   {OUT "gl_Color;", "", 1},
   {OUT "gl_Color.bgra;", "", 1},
   {OUT "gl_Color.aaaa;", "", 1},
   {OUT "u;", "", 1},
   {OUT "vec4(uv, u.xy);", "", 1},
   {OUT "vec4(f);", "", 1},
   {OUT "v.wzyx;", "", 1},
   {OUT "v;", "bgra", 1},
   {OUT "v;", "noalpha", 1},
   {OUT "vec4(n, 1.0);", "noalpha", 1},
   /* arithmetic */
   {OUT "v + u;", "", 1},
   {OUT "v - u;", "", 1},
   {OUT "v * u;", "", 1},
   {OUT "v * a;", "", 1},
   {OUT "v * v;", "", 1},
   {OUT "v * 0.5;", "", 1},
   {OUT "v * 2.0;", "", 1},
   {OUT "v * 2.0 - 1.0;", "", 1},
   {OUT "v * 4.0;", "", 1},
   {OUT "1.0 - v;", "", 1},
   {OUT "-v + 1.0;", "", 1},
   {OUT "(1.0 - v) * a;", "", 1},
   {OUT "v * a + b;", "", 1},
   {OUT "v * f;", "", 2},
   {OUT "v * u + w;", "", 2},
   {OUT "abs(v - 0.5);", "", 2},
   {OUT "clamp(v * 1.5, 0.0, 1.0);", "", 1},
   {OUT "clamp(v, 0.25, 0.75);", "", 2},
   {OUT "min(v, u);", "", 1},
   {OUT "max(v, u);", "", 1},
   {OUT "max(v - 0.5, 0.0);", "", 2},
   {OUT "min(v, 0.5) + max(v, 0.5);", "", 4},
   {OUT "mix(v, u, a);", "", 1},
   {OUT "mix(v, u, f);", "", 2},
   {OUT "mix(u, w, v);", "", 2},
   {OUT "vec4(dot(v, u));", "", 2},
   {OUT "vec4(dot(n, u.xyz));", "", 2},
   {OUT "vec4(dot(uv, u.xy));", "", 2},
   {OUT "vec4(dot(v, u) * 0.25, n);", "", 3},
   {OUT "m * v * 0.25;", "", 7},
   {OUT "vec4(length(n));", "", 4, 2},
   {OUT "vec4(normalize(n + 0.1), 1.0);", "", 5, 2},
   {OUT "vec4(cross(n, u.xyz), 1.0);", "", 3},
   /* differences of products become sums while packets are filled, where parts of sums are used */
   {"vec3 c = cross(n, v.xyz); " OUT "vec4(c.x * c.y - c.z * v.w);", "", 6, .clocks_of_part_sums = 4},
   {"vec2 c = v.xy;" SQUARE SQUARE OUT "vec4(c, v.zw);", "", 6, .clocks_of_part_sums = 5},
   {OUT "vec4(reflect(n, u.xyz) * 0.25, 1.0);", "", 6},
   {OUT "vec4(distance(n, u.xyz) * 0.5);", "", 6, 2},
   {OUT "vec4(smoothstep(0.2, 0.8, f));", "", 4, 2},
   {OUT "vec4(step(0.5, f));", "", 2},
   {OUT "vec4(mod(f * 4.0, 1.0));", "", 3, 3},
   {OUT "vec4(floor(f * 4.0) * 0.25);", "", 4},
   {OUT "vec4(ceil(f * 4.0) * 0.25);", "", 4},
   {OUT "vec4(fract(f * 3.0));", "", 3, 3},
   {OUT "vec4(sign(f - 0.5) * 0.5 + 0.5);", "", 4},
   {OUT "vec4(sign(dot(v, u) - 1.0) * dot(v, v) * 0.25);", "", 7},
   /* special functions */
   {OUT "vec4(1.0 / (f + 1.0));", "", 3},
   {OUT "vec4(inversesqrt(f + 1.0));", "", 3},
   {OUT "vec4(sqrt(f));", "", 3, 2},
   {OUT "vec4(exp2(-f));", "", 4},
   {OUT "vec4(log2(f + 1.0));", "", 3},
   {OUT "vec4(pow(f, 3.0));", "", 5, 2},
   {OUT "vec4(pow(f, a + 1.0));", "", 6, 2},
   {OUT "vec4(sin(f));", "", 6, 2},
   {OUT "vec4(cos(f));", "", 6, 2},
   {OUT "vec4(exp(-f));", "", 4},
   {OUT "vec4(sin(f * 3.0), cos(f), 1.0 / (f + 2.0), 1.0);", "", 9, 3},
   {OUT "v / (v.w + 1.0);", "", 4},
   {OUT "vec4(atan(f));", "", 16, 2},
   {OUT "vec4(asin(f * 0.9) * 0.5);", "", 14, 4},
   /* textures */
   /* taps in a row share coordinates: what is multiplied by 0 or 1 is not computed */
   {"vec4 c = vec4(0.0); for (int i = -1; i <= 1; i++) for (int j = -1; j <= 1; j++) c += texture2D(t0, uv + a * vec2(i, j)); " OUT
    "c / 9.0;", "", 17},
   /* the constants of the steps get the registers, those of the last line are embedded */
   {"vec4 x = v;" STEPS STEPS STEPS OUT "x * 0.3 + 0.07;", "", 26, 300},
   /* a packet that does nothing, so that two EXECs less are needed */
   {"vec2 q = vec2(uv.x, uv.y + b * ((uv.x > 0.5 ? 1.0 : -1.0) * (a > 0.5 ? -1.0 : 1.0))); " OUT
    "all(lessThan(vec2(0.0), q)) && all(lessThan(q, vec2(1.0))) ? texture2D(t0, q) : texture2D(t1, uv);", "", 10},
   {OUT TEX0 ";", "", 1},
   {OUT TEX0 ".bgra;", "", 1},
   {OUT TEX0 ";", "bgra", 1},
   {OUT TEX0 ".bgra;", "bgra", 1},
   {OUT TEX0 ";", "noalpha", 1},
   {OUT TEX0 " * u;", "", 1},
   {OUT TEX0 " * a;", "", 1},
   {OUT TEX0 " * gl_Color;", "", 1},
   {OUT TEX0 " + gl_Color;", "", 1},
   {OUT TEX0 " * v;", "", 2},
   {OUT "mix(gl_Color, " TEX0 ", 0.25);", "", 1},
   {OUT "vec4(mix(gl_Color.rgb, " TEX0 ".rgb, " TEX0 ".a), gl_Color.a);", "", 1},
   {OUT "vec4(" TEX0 ".rgb, 1.0);", "", 1},
   {OUT "vec4(" TEX0 ".aaa, 1.0);", "", 1},
   {OUT "vec4(1.0) - " TEX0 ";", "", 1},
   {OUT TEX0 " * 2.0 - 1.0;", "", 1},
   {OUT TEX0 " * texture2D(t1, uv);", "", 2},
   {OUT TEX0 " * texture2D(t1, uv) * gl_Color;", "", 3},
   {OUT TEX0 " * texture2D(t1, uv) * texture2D(t2, uv);", "", 3},
   {OUT "texture2D(t0, uv * 2.0);", "", 2},
   {OUT "texture2D(t0, uv * u.xy + u.zw);", "", 2},
   {OUT "texture2D(t0, v.xy + v.zw);", "", 2},
   /* coordinates from texels are n / 255 (tegra20_amplified.c) */
   {OUT "texture2D(t0, texture2D(t1, uv).xy);", "", 4, 3},
   {OUT "texture2D(t0, uv + texture2D(t1, uv).xy * 0.1);", "", 3, 3},
   {OUT "texture2DProj(t0, v.xyw + vec3(0.0, 0.0, 1.0));", "", 4, 3},
   {OUT "texture2DProj(t0, vec3(v.xy, v.w));", "", 2, 40},
   {OUT "texture2D(t0, uv, 1.0);", "", 2},
   {OUT "texture2D(t0, uv, f);", "", 1},
   {OUT "texture2D(t0, fract(uv));", "", 3, 4},
   {OUT "texture2D(t0, vec2(0.5, 0.25));", "", 2},
   {OUT "vec4(dot(" TEX0 ".rgb, vec3(0.3, 0.6, 0.1)));", "", 2, 2},
   {OUT "vec4(dot(" TEX0 ".rgb * 2.0 - 1.0, n));", "", 3, 2},
   /* selection and discard */
   {OUT "f > 0.5 ? v : u;", "", 3},
   {OUT "f >= 0.5 ? v : u;", "", 3},
   {OUT "f == 0.5 ? v : u;", "", 3},
   {OUT "f != 0.5 ? v : u;", "", 3},
   {OUT "(f > 0.25 && f < 0.75) ? v : u;", "", 4},
   {OUT "(f < 0.25 || f > 0.75) ? v : u;", "", 4},
   {OUT "f < 0.0 ? v : u;", "", 3},
   {"if (f > 0.5) " OUT "v; else " OUT "u;", "", 3},
   {"vec4 c = " TEX0 "; if (c.a < 0.5) discard; " OUT "c;", "", 1},
   {"vec4 c = " TEX0 "; if (c.a < a) discard; " OUT "c;", "", 1},
   {"if (f > 0.5) discard; " OUT "v;", "", 2},
   {"if (f > 0.25) { if (f < 0.75) discard; } " OUT "v;", "", 4},
   {"if (v.x > 0.5 || v.y > 0.5) discard; " OUT "v;", "", 3},
   {OUT "gl_FrontFacing ? v : u;", "", 2},
   {"int i = int(a * 4.0); " OUT "many[i];", "", 1},
   {OUT "many[3 * int(f * 3.0) + 2] * f;", "", 60}, /* one of every third: 36 with all encodings */
   {"float s = 0.0; for (int i = 0; i < 4; i++) s += v[i] * u[i]; " OUT "vec4(s);", "", 2},
   {"vec4 s = vec4(0.0); for (int i = 0; i < 3; i++) s += many[i] * f; " OUT "s * 0.3;", "", 4},
   {"vec4 c = v; if (a > 0.5) { c = u; if (b > 0.5) c = w; } " OUT "c;", "", 3},
   {OUT "vec4(f - f >= 1e-15 ? 0.25 : 0.75);", "", 4},
   {"float z = floor(f * 0.5); " OUT "vec4(z >= 1e-15 ? 0.25 : 0.75, z < 1e-15 ? 0.25 : 0.75, z > -1e-15 ? 0.5 : 1.0, z <= -1e-15 ? 0.5 : 1.0);", "", 5},
   /* constants: registers, literals, embedded */
   /* few values at a time: the shortest draft has one row */
   {"vec4 x = v;" STEPS STEPS OUT "x;", "", 16, 8, .clocks_of_draft = 16},
   {"vec4 s = v; for (int i = 0; i < 8; i++) s = s * many[i]; " OUT "s;", "", 10},
   {"vec4 s = v; for (int i = 0; i < 12; i++) s = s * many[i] + 0.01; " OUT "s;", "", 24},
   {"vec4 s = v; for (int i = 0; i < 20; i++) s = s * 0.5 + many[i] * 0.5; " OUT "s;", "", 26, 3},
   /* in loops */
   {"vec4 s = vec4(0.0); for (int i = 0; i < 60; i++) s += many[i] * 0.01; " OUT "s * v;", "", 1},
   {"vec4 s = v; for (int i = 0; i < 32; i++) s = s * 0.5 + many[i] * 0.5; " OUT "s;", "", 42, 3},
   {"vec2 s = v.xy; for (int i = 0; i < 32; i++) s = s * many[i].xy + many[i].zw * 0.1; " OUT "vec4(s, s) * 0.5;", "", 64, 3},
   {"vec4 s = v; for (int i = 0; i < 30; i++) s = max(s, many[2 * i] * many[2 * i + 1]); " OUT "s;", "", 62},
   {OUT "v * vec4(0.3, 0.7, 0.11, 0.13);", "", 1},
   {OUT "vec4(u.x * u.y + sqrt(w.z));", "", 1},
   {OUT "vec4(sin(a) + pow(b, 2.0)) * v;", "", 1},
   {OUT "v * (u / (w + 1.0));", "", 1},
   /* blending */
   {OUT TEX0 ";", "over", 1},
   {OUT TEX0 ";", "alpha", 1},
   {OUT TEX0 ";", "add", 1},
   {OUT TEX0 ";", "mul", 1},
   {OUT TEX0 ";", "sub", 1},
   {OUT TEX0 ";", "rsub", 1},
   {OUT TEX0 ";", "min", 1},
   {OUT TEX0 ";", "max", 1},
   {OUT TEX0 ";", "dsta", 1},
   {OUT TEX0 ";", "const", 1},
   {OUT TEX0 ";", "sat", 2},
   {OUT TEX0 ";", "over bgra", 1},
   {OUT TEX0 ";", "over noalpha", 1},
   {OUT TEX0 ";", "dsta noalpha", 1},
   {OUT TEX0 ";", "r_only", 1},
   {OUT "v.gbra * u;", "r_only", 1},
   {OUT TEX0 ";", "over r_only", 1},
   {OUT TEX0 ";", "dsta r_only", 1},
   {OUT TEX0 ";", "mask=6 r_only", 1},
   {OUT TEX0 ";", "rg_only", 1},
   {OUT TEX0 ".garb;", "over rg_only", 1},
   {OUT TEX0 ";", "mask=2 rg_only", 1},
   {OUT TEX0 ";", "const mask=5 rg_only", 1},
   {OUT TEX0 ";", "alpha mask=7", 1},
   {OUT TEX0 ";", "mask=1", 1},
   {OUT TEX0 ";", "mask=7", 1},
   {OUT TEX0 ";", "mask=8 bgra", 1},
   {OUT TEX0 ";", "mask=5 bgra", 1},
   {OUT TEX0 " * gl_Color;", "over", 3},
   {OUT TEX0 " * gl_Color;", "alpha", 3},
   {OUT TEX0 " * u;", "over", 2},
   {OUT "gl_Color;", "over", 1},
   {OUT "gl_Color;", "alpha", 1},
   {OUT "gl_Color;", "add", 1},
   {OUT "v;", "over", 3},
   {OUT "v;", "alpha", 3},
   {OUT "u;", "over", 2},
   {OUT "vec4(v.rgb, 0.5);", "alpha", 3},
   {OUT "vec4(2.0 * v.rgb, v.a);", "add", 2},
   {OUT "vec4(v.rgb - 0.5, v.a);", "max", 3},
   {"if (f > 0.5) discard; " OUT "gl_Color;", "over", 2},
   /* logic operations: numbers of pipe_logicop */
   {OUT TEX0 ";", "logic=0", 1},
   {OUT TEX0 ";", "logic=3", 1},
   {OUT TEX0 ";", "logic=5", 1},
   {OUT TEX0 ";", "logic=10", 1},
   {OUT TEX0 ";", "logic=12", 1},
   {OUT TEX0 ";", "logic=15", 1},
   {OUT TEX0 ";", "logic=1", 60},
   {OUT TEX0 ";", "logic=2", 60},
   {OUT TEX0 ";", "logic=4", 60},
   {OUT TEX0 ";", "logic=6", 60},
   {OUT TEX0 ";", "logic=7", 60},
   {OUT TEX0 ";", "logic=8", 60},
   {OUT TEX0 ";", "logic=9", 60},
   {OUT TEX0 ";", "logic=11", 60},
   {OUT TEX0 ";", "logic=13", 60},
   {OUT TEX0 ";", "logic=14", 60},
   {OUT TEX0 ";", "logic=6 mask=1", 40},
   {OUT TEX0 ";", "logic=14 mask=2 bgra", 40},
   {OUT TEX0 " * u;", "logic=6 bgra noalpha", 60, 300},
   {OUT TEX0 " * u;", "logic=7 bgra noalpha", 60, 300},
   {OUT TEX0 " * u;", "logic=1 bgra", 60, 300},
   {OUT TEX0 " * u;", "logic=14 bgra", 60, 300},
   {OUT TEX0 " * u;", "logic=1 bgra noalpha", 60, 300},
   {OUT TEX0 " * u;", "logic=2 bgra noalpha", 60, 300},
   {OUT TEX0 " * u;", "logic=4 bgra noalpha", 60, 300},
   {OUT TEX0 " * u;", "logic=8 bgra noalpha", 60, 300},
   {OUT TEX0 " * u;", "logic=9 bgra noalpha", 60, 300},
   {OUT TEX0 " * u;", "logic=14 bgra noalpha", 60, 300},
   {OUT TEX0 " * u;", "logic=2 bgra", 60, 300},
   {OUT TEX0 " * u;", "logic=4 bgra", 60, 300},
   {OUT TEX0 " * u;", "logic=8 bgra", 60, 300},
   {OUT TEX0 " * u;", "logic=9 bgra", 60, 300},
   {"if (f > 0.5) discard; " OUT TEX0 " * gl_Color;", "logic=14", 60},
   /* small programs at their bound, or nearly */
   {OUT "sign(v) * 0.5 + 0.5;", "", 4},
   {OUT "fract(v * 1.5);", "", 6, 3},
   {OUT "sqrt(abs(v));", "", 6, 3},
   {OUT "inversesqrt(abs(v) + 0.05) * 0.2;", "", 6, 3},
   {OUT "log2(abs(v) + 0.01) * 0.1 + 1.0;", "", 6, 3},
   {OUT "log(abs(v) + 0.01) * 0.2 + 1.0;", "", 6, 3},
   {OUT "exp(v) * 0.3;", "", 9, 3},
   {OUT "vec4(tan(f));", "", 7, 300},
   {OUT "vec4(distance(v, gl_Color)) * 0.25;", "", 5, 3},
   {OUT "vec4(mod(gl_FragCoord.x, 2.0) >= 1.0 ? vec4(0.0, 1.0, 0.0, 1.0) : vec4(1.0, 0.0, 1.0, 0.0));", "", 5},
   {"vec2 p = floor(gl_FragCoord.xy / 8.0); " OUT "vec4(mod(p.x + p.y, 2.0));", "", 8},
   {OUT "mat4(v, gl_Color, n, 1.0, uv, f, 0.5) * u;", "", 5, 3},
   /* slices of 3D textures: the nearest one, coordinates that depend on lookups, as many as the driver reports for them */
   {OUT "texture3D(t3, v.xyz);", "", 10, 2},
   {OUT "texture3D(t3, v.xyz);", "column", 7, 2},
   {OUT "texture3D(t3, v.xyz * 3.0 - 1.0);", "", 11, 2},
   {OUT "texture3D(t3, v.xyz * 3.0 - 1.0);", "column", 6, 2},
   {OUT "texture3D(t3, texture3D(t3, v.xyz).zxy);", "", 25, 300},
   {"vec4 r = v; for (int i = 0; i < 9; i++) r = texture3D(t3, r.xyz); " OUT "r;", "column", 62, 300},
   /* more constants than registers: as many as 32 registers and three in each of 64 packets hold */
   {"vec4 s = v; for (int i = 0; i < 50; i++) s = max(s, many[i]); " OUT "s;", "", 64},
   {"vec4 s = v; for (int i = 0; i < 20; i += 2) s = s * many[i] + many[i + 1]; " OUT "s * 0.1;", "", 18, 3},
   {"vec4 s = v; for (int i = 0; i < 54; i += 2) s = s * many[i] + many[i + 1]; " OUT "s * 0.1;", "", 63, 3},
   /* larger programs */
   {"vec3 d = normalize(n + 0.1); float k = max(dot(d, u.xyz), 0.0); " OUT "vec4(w.rgb * k + u.rgb * pow(k, 8.0) * 0.5, 1.0) * " TEX0 ";", "", 16, 3},
   {"vec3 d = normalize(n + 0.1); float k = max(dot(d, normalize(v.xyz + 0.1)), 0.0); " OUT TEX0 " * k + gl_Color * 0.25;", "over", 24, 3},
   /* each a clock less by hill climbing (fs_climb.c) */
   {"vec3 c[5]; for (int i = 0; i < 5; i++) c[i] = texture2D(t0, uv * (1.0 + many[i].x * f)).rgb;"
    "vec3 x = abs(c[0] - c[3]) + abs(c[1] - c[2]), y = abs(c[0] - c[4]) + abs(c[2] - c[3]);"
    OUT "vec4(length(x + y) * c[4] + c[0] * length(x), 1.0);", "", 21, 4},
   {"vec3 d = normalize(n + 0.1), e = normalize(v.xyz + 0.1), s = vec3(0.0); for (int i = 0; i < 4; i++) {"
    "vec3 h = normalize(e + many[i].xyz); s += many[i + 4].rgb * pow(max(dot(h, d), 0.0), 4.0) + max(dot(d, many[i].xyz), 0.0) * u.rgb; }"
    OUT "vec4(s, 1.0) * texture2D(t0, uv) + texture2D(t1, e.xy);", "", 39, 4},
   /* for which the beam alone finds room (fs_beam.c) */
   {"vec4 s = vec4(0.0); for (int i = 0; i < 34; i++) s += many[i].z * texture2D(t0, uv + many[i].xy) * 0.1; " OUT "s;", "", 67, 4},
   {"vec4 s = vec4(0.0); for (int i = 0; i < 9; i++) s += texture2D(t0, uv + vec2(mod(float(i), 3.0), floor(float(i) / 3.0)) * 0.02) * 0.111; " OUT "s;", "", 17, 4},

   /* signs of odd functions are selections; constants come together; sums need the fourth unit themselves */
   {OUT "vec4(sign(f) * 0.5 + 0.5);", "", 3},
   {OUT "acos(v * 0.9) * 0.25;", "", 13, 4},
   {OUT "((v * 0.5 + 0.25) * 0.5 + u) * a;", "", 1},
   {OUT "(0.75 - (v + u)) * 0.5 + w;", "", 2},
   {"vec4 s = vec4(0.0); for (int i = 0; i < 9; i++) s += v * many[i] * 0.1; " OUT "s + dot(v, many[9] * 0.1);", "", 14},

   /* scalars are multiplied first, common factors after the sum */
   {OUT "v * f * n.x + v.wzyx * uv.y;", "", 5},
   {OUT "vec4(dot(n, v.xyz * inversesqrt(f + 2.0)));", "", 5},
   {OUT "u * f * n.x + w * f * n.x;", "", 3},

   /* comparisons of rounded numbers: positive and negative limits, both sides, offsets */
   {OUT "vec4(int(v.x * 4.0) < 2 ? 0.5 : 0.25, int(v.y * 4.0) < -1 ? 0.5 : 0.25, int(v.z * 4.0) >= 1 ? 0.5 : 0.25, 1.0);", "", 3},
   {OUT "vec4(2 < int(v.x * 4.0) ? 0.5 : 0.25, -2 < int(v.y * 4.0) ? 0.5 : 0.25, 0 >= int(v.z * 4.0) ? 0.5 : 0.25, 1.0);", "", 3},
   {OUT "vec4(floor(v.x * 4.0) < -1.0 ? 0.5 : 0.25, 1.0 < floor(v.y * 4.0) ? 0.5 : 0.25, -1.0 >= floor(v.z * 4.0) ? 0.5 : 0.25, 1.0);", "", 3},
   {OUT "vec4(int(v.x * 4.0) + 2 < 2 ? 0.5 : 0.25, int(v.y * 4.0) - 3 >= -4 ? 0.5 : 0.25, many[int(v.z * 2.0 + 2.0)].x, 1.0);", "", 60},

   /* more special functions than there are entries in the table of the MFU; angles that are not reduced */
   {"vec4 x = v; for (int i = 0; i < 8; i++) x = sin(x); " OUT "x * 0.5 + 0.5;", "", 98, 3},
   {"vec4 x = v; for (int i = 0; i < 6; i++) x = sin(x) + cos(x); " OUT "x * 0.25 + 0.5;", "", 130, 6},
};

/*
 * The hand-written compositing programs of the public vectors (fragment-pipeline.md 8.3) as GLSL and blend state: source
 * texture or colour, mask texture or colour; those that emulate a border (by u7.h and u8.h) also with GL's clamping to it.
 * The compiled program may take as many clocks as the hand-written one.
 */
#define SOLID "clamp(u, 0.0, 1.0)"
#define MASK " * texture2D(t1, v.xy).a;"
#define ALPHA " * clamp(w.a, 0.0, 1.0);"
#define CLIPPED "if (uv.x < 0.0 || uv.x > 1.0 || uv.y < 0.0 || uv.y > 1.0) discard; "

static const struct {
   const char *name, *body, *state, *border; /* NULL: only as it is */
} porter_duff[] = {
   {"pd_add", OUT TEX0 MASK, "add"},
   {"pd_add_solid_mask_alpha_src_dst", OUT TEX0 ALPHA, "add"},
   {"pd_add_solid_mask_src", OUT SOLID ALPHA, "add"},
   {"pd_atop", OUT TEX0 MASK, "atop"},
   {"pd_atop_reverse", OUT TEX0 MASK, "atop_reverse", "border0 border1"},
   {"pd_atop_reverse_solid_mask_src", OUT SOLID ALPHA, "atop_reverse"},
   {"pd_atop_reverse_solid_src", OUT SOLID MASK, "atop_reverse", "border1"},
   {"pd_atop_solid_mask", OUT TEX0 ALPHA, "atop"},
   {"pd_atop_solid_mask_src", OUT SOLID ALPHA, "atop"},
   {"pd_atop_solid_src", OUT SOLID MASK, "atop"},
   {"pd_dst_solid_mask", OUT TEX0 ALPHA, "mask=0"},
   {"pd_in", OUT TEX0 MASK, "in", "border0 border1"},
   {"pd_in_reverse_solid_mask", OUT TEX0 ALPHA, "in_reverse", "border0"},
   {"pd_in_reverse_solid_mask_src", OUT SOLID ALPHA, "in_reverse"},
   {"pd_in_solid_mask", OUT TEX0 ALPHA, "in", "border0"},
   {"pd_in_solid_mask_src", OUT SOLID ALPHA, "in"},
   {"pd_out", OUT TEX0 MASK, "out", "border0 border1"},
   {"pd_out_reverse", OUT TEX0 MASK, "out_reverse", "border0 border1"},
   {"pd_out_reverse_solid_mask_src", OUT SOLID ALPHA, "out_reverse"},
   {"pd_out_reverse_solid_src", OUT SOLID MASK, "out_reverse", "border1"},
   {"pd_out_solid_mask_src", OUT SOLID ALPHA, "out"},
   {"pd_out_solid_src", OUT SOLID MASK, "out", "border1"},
   {"pd_over", OUT TEX0 MASK, "over"},
   {"pd_over_alpha_clipped_src_solid_mask", CLIPPED OUT TEX0 ALPHA, "over"},
   {"pd_over_alpha_normal_src_empty_mask_dst_opaque", OUT "texture2D(t0, fract(uv));", "over noalpha"},
   {"pd_over_alpha_normal_src_solid_mask", OUT "texture2D(t0, fract(uv))" ALPHA, "over"},
   {"pd_over_alpha_pad_src_empty_mask_dst_opaque", OUT TEX0 ";", "over noalpha"},
   {"pd_over_alpha_pad_src_solid_mask", OUT TEX0 ALPHA, "over"},
   {"pd_over_opaque_clipped_src_solid_mask", CLIPPED OUT "vec4(texture2D(t0, uv).rgb, 1.0)" ALPHA, "over"},
   {"pd_over_opaque_pad_src_solid_mask", OUT "vec4(texture2D(t0, uv).rgb, 1.0)" ALPHA, "over"},
   {"pd_over_reverse", OUT TEX0 MASK, "over_reverse", "border0 border1"},
   {"pd_over_reverse_solid_mask_src", OUT SOLID ALPHA, "over_reverse"},
   {"pd_over_reverse_solid_src", OUT SOLID MASK, "over_reverse", "border1"},
   {"pd_over_solid_black_src_clipped_aaaa_mask_dst_opaque", CLIPPED OUT "vec4(0.0, 0.0, 0.0, texture2D(t0, uv).a);", "over noalpha"},
   {"pd_over_solid_black_src_clipped_mask_dst_opaque", CLIPPED OUT "vec4(0.0, 0.0, 0.0, texture2D(t0, uv).a);", "over noalpha"},
   {"pd_over_solid_black_src_pad_mask_dst_opaque", OUT "vec4(0.0, 0.0, 0.0, texture2D(t0, uv).a);", "over noalpha"},
   {"pd_over_solid_mask_src", OUT SOLID ALPHA, "over"},
   {"pd_over_solid_src", OUT SOLID MASK, "over", "border1"},
   {"pd_over_solid_src_empty_mask_dst_alpha", OUT SOLID ";", "over"},
   {"pd_over_solid_src_empty_mask_dst_opaque", OUT SOLID ";", "over noalpha"},
   {"pd_saturate", OUT TEX0 MASK, "saturate", "border0 border1"},
   {"pd_saturate_solid_mask", OUT TEX0 ALPHA, "saturate", "border0"},
   {"pd_src", OUT TEX0 MASK, "", "border0 border1"},
   {"pd_src_clipped_src_solid_mask", CLIPPED OUT TEX0 ALPHA, ""},
   {"pd_src_solid_mask_src", OUT SOLID ALPHA, ""},
   {"pd_src_solid_src", OUT SOLID MASK, ""},
   {"pd_xor", OUT TEX0 MASK, "xor", "border0 border1"},
   {"pd_xor_solid_mask", OUT TEX0 ALPHA, "xor", "border0"},
   {"pd_xor_solid_src", OUT SOLID MASK, "xor", "border1"},
};

/* Expressions that are the same take as many clocks; "y" is a varying, "s" a texel. */
static const char *const same[] = {
   "pow(v, vec4(2.0)) = v * v",
   "pow(v, vec4(3.0)) = v * v * v",
   "pow(v, vec4(4.0)) = (v * v) * (v * v)",
   "pow(v, vec4(0.5)) = sqrt(v)",
   "pow(v, vec4(-1.0)) = 1.0 / v = exp2(-log2(v))",
   "pow(v, vec4(-0.5)) = 1.0 / sqrt(v) = inversesqrt(v)",
   "pow(v, vec4(1.5)) = v * sqrt(v)",
   "pow(v, vec4(1.0)) = exp2(log2(v)) = exp(log(v)) = degrees(radians(v)) = 1.0 - (1.0 - v) = v",
   "pow(vec4(2.0), v) = exp2(v)",
   "exp(v) = exp2(v * 1.44269504)",
   "exp(v) * exp(y) = exp(v + y)",
   "exp2(v) * exp2(y) = exp2(v + y)",
   "log(v) = log2(v) * 0.693147181",
   "v / y = v * (1.0 / y)",
   "v / u = v * (1.0 / u)",
   "v / 2.0 = v * 0.5",
   "v * inversesqrt(y) = v / sqrt(y)",
   "v / length(u) = v * inversesqrt(dot(u, u))",
   "mod(v, 1.0) = fract(v) = v - floor(v)",
   "mod(v, 2.0) = fract(v * 0.5) * 2.0",
   "mod(v, 4.0) / 4.0 = fract(v / 4.0)",
   "v - fract(v) = floor(v)",
   "-floor(-v) = ceil(v)",
   "smoothstep(0.0, 1.0, v) = clamp(v, 0.0, 1.0) * clamp(v, 0.0, 1.0) * (3.0 - 2.0 * clamp(v, 0.0, 1.0))",
   "smoothstep(0.25, 0.75, v) = smoothstep(0.0, 1.0, v * 2.0 - 0.5)",
   "max(v * y.x * y.y, s * y.x * y.z) = max(v * (y.x * y.y), s * (y.x * y.z))",
   "smoothstep(0.0, 2.0, v) = smoothstep(0.0, 1.0, v * 0.5)",
   "mix(v, y, 0.5) = (v + y) * 0.5",
   "mix(v, y, u.x) = v + (y - v) * u.x = v * (1.0 - u.x) + y * u.x",
   "mix(v, y, 0.0) = mix(y, v, 1.0) = v",
   "mix(v, y, s.x) = v * (1.0 - s.x) + y * s.x",
   "mix(s, v, s.a) = s + (v - s) * s.a",
   "clamp(v, 0.0, 1.0) = min(max(v, 0.0), 1.0) = max(min(v, 1.0), 0.0)",
   "max(v, y) = -min(-v, -y)",
   "min(v, 1.0) = -max(-v, -1.0)",
   "abs(v) = max(v, -v) = abs(-v)",
   "abs(-v * 2.0) = abs(v) * 2.0",
   "-(v - y) = y - v",
   "v + (-y) = v - y",
   "v + v = v * 2.0",
   "v * -1.0 = -v",
   "1.0 - v = -(v - 1.0)",
   "v * 2.0 + y * 2.0 = (v + y) * 2.0",
   "v * u + y * u = (v + y) * u",
   "v * 2.0 - 1.0 = (v - 0.5) * 2.0",
   "s * 2.0 - 1.0 = (s - 0.5) * 2.0",
   "(v + 0.5) * 4.0 = v * 4.0 + 2.0",
   "(v + 3.0) / 8.0 = v / 8.0 + 0.375",
   "v * u * w = v * (u * w)",
   "v + u + w = v + (u + w)",
   "(v - u) / (w - u) = (v - u) * (1.0 / (w - u))",
   "s - s * v = s * (1.0 - v)",
   "s * v * 2.0 = s * (v * 2.0)",
   "vec4(length(v.xyz)) = vec4(sqrt(dot(v.xyz, v.xyz)))",
   "vec4(distance(v.xyz, n)) = vec4(length(v.xyz - n))",
   "vec4(normalize(v.xyz), 1.0) = vec4(v.xyz * inversesqrt(dot(v.xyz, v.xyz)), 1.0) = vec4(v.xyz / length(v.xyz), 1.0)",
   "vec4(reflect(v.xyz, normalize(n)), 1.0) = vec4(v.xyz - 2.0 * dot(normalize(n), v.xyz) * normalize(n), 1.0)",
   "vec4(cross(v.xyz, n), 0.0) = vec4(v.yzx * n.zxy - v.zxy * n.yzx, 0.0)",
   "m * (m * v) = (m * m) * v",
   "vec4(dot(v.xyz, vec3(0.0, 1.0, 0.0))) = vec4(v.y)",
   "vec4(dot(v.xyz, n)) = vec4(v.x * n.x + v.y * n.y + v.z * n.z)",
   "step(y, v) = vec4(greaterThanEqual(v, y))",
   "step(0.5, v) = 1.0 - vec4(lessThan(v, vec4(0.5)))",
   "step(f, v.x) * u = v.x >= f ? u : vec4(0.0)",
   "v.x > 0.5 ? y : s = mix(y, s, float(v.x <= 0.5))",
   "v.x > 0.0 ? vec4(v.x) : vec4(0.0) = vec4(max(v.x, 0.0))",
   "v.x > f ? u : w = v.x <= f ? w : u",
   "sign(v) = vec4(greaterThan(v, vec4(0.0))) - vec4(lessThan(v, vec4(0.0)))",
   "sin(v) = cos(v - 1.57079633)",
   "cos(-v) = cos(v)",
   "sin(-v) = -sin(v)",
   "faceforward(v, u, y) = dot(y, u) < 0.0 ? v : -v",
   "vec4(all(lessThan(v, y))) = vec4(v.x < n.x && v.y < n.y && v.z < n.z && v.w < f)",
};

static struct {
   const struct program_case *current;
   unsigned compiled, clocks;
} test;

static unsigned
number_of(const char *state, const char *name, unsigned fallback)
{
   const char *at = strstr(state, name);
   return at ? strtoul(at + strlen(name), NULL, 10) : fallback;
}

static void
set_blend(struct tegra20_fs_rt_key *rt, unsigned func, unsigned src, unsigned dst)
{
   rt->blend_enable = true;
   rt->rgb_func = rt->alpha_func = func;
   rt->rgb_src = rt->alpha_src = src;
   rt->rgb_dst = rt->alpha_dst = dst;
}

static void
parse_state(const char *state, struct tegra20_fs_key *key)
{
   static const struct {
      const char *name;
      uint8_t func, src, dst;
   } blends[] = {
      {"over", PIPE_BLEND_ADD, PIPE_BLENDFACTOR_ONE, PIPE_BLENDFACTOR_INV_SRC_ALPHA},
      {"alpha", PIPE_BLEND_ADD, PIPE_BLENDFACTOR_SRC_ALPHA, PIPE_BLENDFACTOR_INV_SRC_ALPHA},
      {"add", PIPE_BLEND_ADD, PIPE_BLENDFACTOR_ONE, PIPE_BLENDFACTOR_ONE},
      {"mul", PIPE_BLEND_ADD, PIPE_BLENDFACTOR_DST_COLOR, PIPE_BLENDFACTOR_ZERO},
      {"sub", PIPE_BLEND_SUBTRACT, PIPE_BLENDFACTOR_ONE, PIPE_BLENDFACTOR_ONE},
      {"rsub", PIPE_BLEND_REVERSE_SUBTRACT, PIPE_BLENDFACTOR_ONE, PIPE_BLENDFACTOR_ONE},
      {"min", PIPE_BLEND_MIN, PIPE_BLENDFACTOR_ONE, PIPE_BLENDFACTOR_ONE},
      {"max", PIPE_BLEND_MAX, PIPE_BLENDFACTOR_ONE, PIPE_BLENDFACTOR_ONE},
      {"dsta", PIPE_BLEND_ADD, PIPE_BLENDFACTOR_DST_ALPHA, PIPE_BLENDFACTOR_INV_DST_ALPHA},
      {"const", PIPE_BLEND_ADD, PIPE_BLENDFACTOR_CONST_COLOR, PIPE_BLENDFACTOR_INV_CONST_COLOR},
      {"in", PIPE_BLEND_ADD, PIPE_BLENDFACTOR_DST_ALPHA, PIPE_BLENDFACTOR_ZERO},
      {"in_reverse", PIPE_BLEND_ADD, PIPE_BLENDFACTOR_ZERO, PIPE_BLENDFACTOR_SRC_ALPHA},
      {"out", PIPE_BLEND_ADD, PIPE_BLENDFACTOR_INV_DST_ALPHA, PIPE_BLENDFACTOR_ZERO},
      {"out_reverse", PIPE_BLEND_ADD, PIPE_BLENDFACTOR_ZERO, PIPE_BLENDFACTOR_INV_SRC_ALPHA},
      {"over_reverse", PIPE_BLEND_ADD, PIPE_BLENDFACTOR_INV_DST_ALPHA, PIPE_BLENDFACTOR_ONE},
      {"atop", PIPE_BLEND_ADD, PIPE_BLENDFACTOR_DST_ALPHA, PIPE_BLENDFACTOR_INV_SRC_ALPHA},
      {"atop_reverse", PIPE_BLEND_ADD, PIPE_BLENDFACTOR_INV_DST_ALPHA, PIPE_BLENDFACTOR_SRC_ALPHA},
      {"xor", PIPE_BLEND_ADD, PIPE_BLENDFACTOR_INV_DST_ALPHA, PIPE_BLENDFACTOR_INV_SRC_ALPHA},
      {"saturate", PIPE_BLEND_ADD, PIPE_BLENDFACTOR_SRC_ALPHA_SATURATE, PIPE_BLENDFACTOR_ONE},
      {"sat", PIPE_BLEND_ADD, PIPE_BLENDFACTOR_SRC_ALPHA_SATURATE, PIPE_BLENDFACTOR_ONE},
   };
   struct tegra20_fs_rt_key *rt = &key->rt[0];

   fs_check_default_key(key);
   for (unsigned i = 0; i < ARRAY_SIZE(blends); i++) {
      const size_t length = strlen(blends[i].name);
      if (strncmp(state, blends[i].name, length) == 0 && (state[length] == 0 || state[length] == ' '))
         set_blend(rt, blends[i].func, blends[i].src, blends[i].dst);
   }
   rt->order = strstr(state, "bgra")     ? TEGRA20_RT_BGRA
               : strstr(state, "r_only")  ? TEGRA20_RT_R
               : strstr(state, "rg_only") ? TEGRA20_RT_RG
                                          : TEGRA20_RT_RGBA;
   rt->has_alpha = !strstr(state, "noalpha") && !strstr(state, "only");
   rt->colormask = number_of(state, "mask=", 0xf);
   for (unsigned unit = 0; unit < 2; unit++) {
      if (strstr(state, unit ? "border1" : "border0"))
         key->tex[unit].wrap_s = key->tex[unit].wrap_t = TEGRA20_WRAP_BORDER;
   }
   if (strstr(state, "column")) {
      key->tex[0].one_column = true;
      key->tex[0].wrap_s = key->tex[0].wrap_t = key->tex[0].wrap_r = TEGRA20_WRAP_REPEAT;
   }
   key->logicop_enable = strstr(state, "logic=") != NULL;
   key->logicop_func = number_of(state, "logic=", 0);
}

/* Compiles and runs a program with some options; NULL: it does not fit, as it need not. */
static const struct tegra20_fs *
check_with(const char *how, const nir_shader *nir, const struct tegra20_fs_key *key, const struct program_case *c,
           const struct tegra20_compiler_options *options, unsigned runs)
{
   struct fs_check_result result;
   struct tegra20_fs *fs;
   char *error = NULL;

   if (!tegra20_compile_fs((void *)nir, nir, key, options, &fs, &error)) {
      if (options->avoid && c->clocks > 50 && !strstr(error, "internal"))
         return NULL;
      fail_msg("%s [%s]%s: %s", c->body, c->state, how, error);
   }
   fs_run_part_sums = options->part_sums;
   fs_check(nir, fs, key, runs, 7, c->tolerance ? c->tolerance : 1.5f, &result);
   fs_run_part_sums = false;
   if (result.error || result.diagnostic || result.mismatches)
      fail_msg("%s [%s]%s: %u of %u runs differ (%s), strict %u, %s", c->body, c->state, how, result.mismatches, result.runs,
               result.message, result.diagnostic, result.error ? result.error : "");
   return fs;
}

/* Tegra114 has other schedule words and longer EXECs: another search, which may end at another schedule. */
static void
check_on_tegra114(const nir_shader *nir, const struct tegra20_fs_key *key, const struct program_case *c)
{
   const struct tegra20_compiler_options options = {.chip = &tegra20_chips[TEGRA20_CHIP_TEGRA114]};
   const struct tegra20_fs *fs = check_with(" on Tegra114", nir, key, c, &options, 8);

   if (fs->stats.cycles > c->clocks + c->clocks / 8)
      fail_msg("%s [%s] on Tegra114: %u clocks, expected at most %u", c->body, c->state, fs->stats.cycles, c->clocks);
   if (c->packets && (fs->num_alu <= 64 || fs->num_alu > 128))
      fail_msg("%s on Tegra114: %u packets", c->body, fs->num_alu);
}

static void
check_on_tegra20(const nir_shader *nir, const struct tegra20_fs_key *key, const struct program_case *c)
{
   const struct tegra20_compiler_options usual = {
      .debug = getenv("FS_TEST_VERBOSE") ? TEGRA20_COMPILER_PRINT_IR | TEGRA20_COMPILER_DISASM : 0,
   };
   const struct tegra20_fs *fs = check_with("", nir, key, c, &usual, 16);

   test.clocks = fs->stats.cycles;
   if (fs->stats.cycles > c->clocks || fs->stats.cycles < fs->stats.lower_bound)
      fail_msg("%s [%s]: %u clocks, expected at most %u, at least %u", c->body, c->state, fs->stats.cycles, c->clocks, fs->stats.lower_bound);
   const struct tegra20_compiler_options draft = {.effort = TEGRA20_EFFORT_DRAFT};
   if (c->clocks_of_draft && (fs = check_with(" drafts", nir, key, c, &draft, 8))->stats.cycles > c->clocks_of_draft)
      fail_msg("%s [%s]: %u clocks of a draft, expected at most %u", c->body, c->state, fs->stats.cycles, c->clocks_of_draft);
   /* without the encodings that no public program has run (A48); the longest programs do not fit then */
   check_with(" without unproven encodings", nir, key, c, &(struct tegra20_compiler_options){.avoid = ~0u}, 8);
   /* on a chip whose units that a sum leaves work on their own (A95) */
   fs = check_with(" with parts of sums", nir, key, c, &(struct tegra20_compiler_options){.part_sums = true}, 8);
   if (c->clocks_of_part_sums && fs->stats.cycles != c->clocks_of_part_sums)
      fail_msg("%s [%s] with parts of sums: %u clocks, expected %u", c->body, c->state, fs->stats.cycles, c->clocks_of_part_sums);
}

static char *
take_shader(void *data, nir_shader *nir)
{
   struct tegra20_fs_key key;
   struct tegra20_fs *fs;
   char *error = NULL;
   const struct program_case *c = test.current;

   if (!c || nir->info.stage != MESA_SHADER_FRAGMENT)
      return NULL;
   nir_shader *clone = nir_shader_clone(NULL, nir);
   tegra20_finalize_nir(clone);
   parse_state(c->state, &key);
   test.compiled++;
   tegra20_finish_nir(clone);
   if (!c->packets)
      check_on_tegra20(clone, &key, c);
   else if (tegra20_compile_fs(clone, clone, &key, NULL, &fs, &error) || !strstr(error, "ALU packets"))
      fail_msg("%s: %s", c->body, error ? error : "fits Tegra20");
   check_on_tegra114(clone, &key, c);
   ralloc_free(clone);
   return NULL;
}

static void
test_program(void **state)
{
   static struct gl_frontend *frontend;

   test.current = *state;
   test.compiled = 0;
   if (!frontend)
      frontend = gl_frontend_create(false, take_shader, NULL);
   link_body(frontend, 110, prelude, test.current->body);
   assert_int_not_equal(test.compiled, 0);
   test.current = NULL;
}

static void
test_same(void **state)
{
   char row[512], body[300], *rest = strcpy(row, *state);
   struct program_case c = {.body = body, .state = "", .clocks = 60, .tolerance = 300};
   void *program = &c;
   unsigned clocks = 0;

   while (rest) {
      char *next = strstr(rest, " = ");
      if (next)
         *next = 0;
      snprintf(body, sizeof(body), "vec4 y = vec4(n, f), s = texture2D(t0, uv); gl_FragColor = %s;", rest);
      test_program(&program);
      if (clocks && clocks != test.clocks)
         fail_msg("%s: %u clocks, %u before: %s", rest, test.clocks, clocks, (const char *)*state);
      clocks = test.clocks;
      rest = next ? next + 3 : NULL;
   }
}

static unsigned
clocks_of_vector(const char *name)
{
   for (unsigned i = 0; i < ARRAY_SIZE(fragment_vectors); i++) {
      if (strcmp(fragment_vectors[i].name, name) == 0)
         return fragment_vectors[i].clocks;
   }
   return 0;
}

__attribute__((constructor)) static void
collect_cases(void)
{
   static struct program_case compositing[2 * ARRAY_SIZE(porter_duff)];
   unsigned n = 0;

   for (unsigned i = 0; i < COUNT(cases); i++)
      unit_add(cases[i].body, test_program, &cases[i], __LINE__);
   for (unsigned i = 0; i < ARRAY_SIZE(same); i++)
      unit_add(same[i], test_same, same[i], __LINE__);
   for (unsigned i = 0; i < 2 * ARRAY_SIZE(porter_duff); i++) {
      const char *state = porter_duff[i / 2].state, *border = porter_duff[i / 2].border;
      if (i % 2 && !border)
         continue;
      compositing[n] = (struct program_case){
         .body = porter_duff[i / 2].body,
         .state = ralloc_asprintf(NULL, "%s %s", state, i % 2 ? border : ""),
         .clocks = clocks_of_vector(porter_duff[i / 2].name),
         .tolerance = 4, /* fract() of a coordinate is sensitive */
      };
      unit_add(porter_duff[i / 2].name, test_program, &compositing[n++], __LINE__);
   }
}
