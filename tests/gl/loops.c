/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Loops whose length depends on the pixel, 0 to 319 iterations.  Each body is compiled twice, as GLSL and as C: the pixel at x, y
 * has n = x + 32 y and makes a number s of it, which has to be the same, as it is in integers.  What a vertex program can have is
 * computed there, too, for a point per pixel.  One more loop never ends.  No program may take long to link.
 *
 * Usage: test_loops [NAME]
 */

#include <time.h>

#include "opengl.h"

#define WIDTH 32
#define HEIGHT 10

/* What a pixel has: x, y, n and the result. */
struct pixel {
   int x, y, n;
   float s;
   bool discarded;
};

static const unsigned char table[64] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3};

static float
look(float i)
{
   return table[(int)i & 15];
}

/* Two components of a texel, at a coordinate of the texture. */
#define LOOK2(AT, A, B) const float A = look(16 * AT), B = (15 - look(16 * AT)) / 255;

/* What GLSL's functions are called in C. */
#define mod(x, y)  fmodf(x, y)
#define min(x, y)  fminf(x, y)
#define max(x, y)  fmaxf(x, y)
#define floor(x)   floorf(x)
#define KILL       { p->discarded = true; return s; }
#define FLOAT(x)   ((float)(x))
enum { seven = 7 }; /* a uniform */

/* A function of both languages. */
#define BOTH(NAME, ...)                                                             \
   static float c_##NAME(struct pixel *p, int x, int y, int n)                      \
   {                                                                                \
      float s = 0.0;                                                                \
      (void)p, (void)x, (void)y, (void)n;                                           \
      __VA_ARGS__                                                                   \
      return s;                                                                     \
   }                                                                                \
   static const char glsl_##NAME[] = #__VA_ARGS__;

BOTH(for_loop, for (int i = 0; i < n; i++) s += 1.0;)
BOTH(down, for (int i = n; i > 0; i--) s += 1.0;)
BOTH(while_loop, int k = 0; while (k < n) { k++; s = mod(s + 7.0, 251.0); })
BOTH(do_while, int k = 0; do { k++; s += 2.0; } while (k < n);)
BOTH(float_counter, for (float f = 0.0; f < FLOAT(n); f += 1.0) s = mod(s * 2.0 + 1.0, 61.0);)
BOTH(endless_break, int k = 0; for (;;) { if (k >= n) break; k++; s += 1.0; })
BOTH(break_middle, for (int i = 0; i < 400; i++) { s += 1.0; if (i >= n) break; s += 2.0; })
BOTH(continue_loop, for (int i = 0; i < n; i++) { if (mod(FLOAT(i), 3.0) < 0.5) continue; s += 1.0; })
BOTH(both_jumps, for (int i = 0; i < 500; i++) { if (mod(FLOAT(i), 5.0) > 3.5) continue; if (i > n) break;
     if (mod(FLOAT(i), 7.0) < 0.5) { s += 3.0; continue; } s += 1.0; })
BOTH(nested, for (int i = 0; i < x; i++) for (int j = 0; j < y; j++) s += 1.0;)
BOTH(triangle, for (int i = 0; i < x; i++) { for (int j = 0; j < i; j++) s += 1.0; s += 2.0; })
BOTH(three, for (int i = 0; i < y; i++) for (int j = 0; j < i; j++) { for (int k = 0; k < x; k++) s += 1.0;
     s = mod(s, 509.0); })
BOTH(two_inner, for (int i = 0; i < y; i++) { for (int j = 0; j < x; j++) s += 1.0; s = mod(s, 97.0);
     for (int j = 0; j < i; j++) s += 3.0; s += 1.0; })
BOTH(nested_jumps, for (int i = 0; i < x; i++) { if (mod(FLOAT(i), 4.0) < 0.5) continue;
     for (int j = 0; j < 40; j++) { if (j > y) break; if (mod(FLOAT(i + j), 3.0) < 0.5) continue; s += 1.0; }
     if (s > 90.0) break; s += 1.0; })
BOTH(inner_in_branch, for (int i = 0; i < y; i++) { if (mod(FLOAT(i), 2.0) < 0.5) { for (int j = 0; j < x; j++) s += 1.0; }
     else { s += 5.0; for (int j = 0; j < i; j++) { s += 2.0; if (s > 200.0) break; } if (s > 220.0) break; } })
BOTH(in_branch, if (x < 16) { s = 7.0; for (int i = 0; i < n; i++) s += 1.0; s += 2.0; } else { s = 3.0;
     for (int i = 0; i < y; i++) s += 4.0; })
BOTH(in_deep_branch, if (x > 4) { if (y > 2) { for (int i = 0; i < x; i++) s += 1.0; s += 10.0; } else s = 2.0;
     for (int i = 0; i < y; i++) s += 3.0; })
BOTH(two_loops, for (int i = 0; i < n; i++) s += 1.0; float t = s * 2.0; for (int i = 0; i < x; i++) t -= 1.0;
     s = t + 40.0;)
BOTH(chain, int k = n; for (int i = 0; i < x; i++) k += 2; for (int i = 0; i < y; i++) { k -= 1; s += FLOAT(k);
     s = mod(s, 127.0); } s += FLOAT(k);)
BOTH(collatz, float v = FLOAT(mod(FLOAT(n), 27.0)) + 1.0; while (v > 1.5) { float h = floor(v / 2.0);
     if (v - 2.0 * h > 0.5) v = 3.0 * v + 1.0; else v = h; s += 1.0; })
BOTH(gcd, float a = FLOAT(n) + 1.0; float b = FLOAT(x) * 3.0 + 1.0; while (b > 0.5) { float t = mod(a, b); a = b; b = t; } s = a;)
BOTH(discard_in, for (int i = 0; i < n; i++) { s += 1.0; if (s > 150.0) KILL })
BOTH(discard_endless, for (;;) { s += 1.0; if (s > FLOAT(x)) { if (y > 4) KILL break; } })
BOTH(lookup, for (int i = 0; i < n; i++) s = mod(s + look(mod(FLOAT(i + x), 16.0)), 239.0);)
BOTH(dependent, float a = FLOAT(x); for (int i = 0; i < n; i++) { a = mod(look(mod(a, 16.0)) + a, 64.0); } s = a;)
/* A lookup between two loops, of which one component is needed behind the second one only, and not much is made of it. */
BOTH(lookup_between, float at = FLOAT(x) / 16.0 + 0.03125; for (int i = 0; i < y; i++) at = at + 0.0625; LOOK2(at, a, b)
     for (int i = 0; i < x; i++) { s += a; at = at + 0.0625; } s = floor(s + b * 255.0 + at * 16.0);)
BOTH(six_values, float a = 1.0; float b = 2.0; float c = 3.0; float d = 4.0; float e = 5.0; float f = 6.0;
     for (int i = 0; i < n; i++) { float t = a; a = b; b = c; c = d; d = e; e = f; f = mod(t + a * 2.0 + c, 61.0); }
     s = a + b + c + d + e + f;)
BOTH(many_values, float a0 = 1.0; float a1 = 2.0; float a2 = 3.0; float a3 = 4.0; float a4 = 5.0; float a5 = 6.0;
     float a6 = 7.0; float a7 = 8.0; float b0 = 1.0; float b1 = 2.0; float b2 = 3.0; float b3 = 4.0; float b4 = 5.0;
     float b5 = 6.0; float b6 = 7.0; float b7 = 8.0;
     for (int i = 0; i < n; i++) { float t = a0; a0 = a1; a1 = a2; a2 = a3; a3 = a4; a4 = a5; a5 = a6; a6 = a7;
     a7 = mod(b0 + t, 31.0); b0 = b1; b1 = b2; b2 = b3; b3 = b4; b4 = b5; b5 = b6; b6 = b7; b7 = mod(a3 + t, 29.0); }
     s = a0 + a1 * 2.0 + a4 + a7 * 3.0 + b0 + b3 * 2.0 + b7;)
#define TURN a = mod(a * 3.0 + b, 61.0); b = mod(b + c * 2.0, 59.0); c = mod(c + a, 53.0);
#define TURNS TURN TURN TURN TURN TURN TURN
BOTH(large_body, float a = 1.0; float b = FLOAT(x); float c = 3.0; for (int i = 0; i < n; i++) { TURNS TURNS } s = a + b + c;)
BOTH(large_around, float a = FLOAT(x); float b = FLOAT(y); float c = 3.0; TURNS TURNS for (int i = 0; i < n; i++)
     { a = mod(a + b + 1.0, 61.0); } TURNS TURNS s = a + b + c;)
BOTH(uniform_before, int k = x > 7 ? seven : 3; for (int i = 0; i < n; i++) k++; s = FLOAT(k);)
BOTH(long_constant, for (int i = 0; i < 300; i++) { s = mod(s + FLOAT(x) + 1.0, 251.0); if (s > 248.0) s = FLOAT(y); })
/* Ends that are constants: to copy the bodies so often would take long. */
BOTH(bounded_long, for (int i = 0; i < 380; i++) { if (i >= n) break; s = mod(s * 3.0 + FLOAT(i), 251.0); })
BOTH(bounded_body, float a = 1.0; float b = FLOAT(x); float c = 3.0; for (int i = 0; i < 96; i++) { if (i >= x) break;
     TURN TURN } s = a + b + c;)
/* The same in loops in loops, which pixels leave early: Mesa unrolls each of them, but not what they are together. */
BOTH(bounded_nested, for (int i = 0; i < 40; i++) { if (i > x) break; for (int j = 0; j < 40; j++) { if (j > y) break;
     s = mod(s * 3.0 + FLOAT(i + j), 251.0); } })
BOTH(bounded_three, for (int i = 0; i < 12; i++) { if (i > x) break; for (int j = 0; j < 9; j++) { if (j > y) break;
     for (int k = 0; k < 8; k++) { if (k + j > y) break; s = mod(s * 3.0 + FLOAT(i + j + k), 251.0); } } })
BOTH(bounded_branches, if (x > 9) { for (int i = 0; i < 90; i++) { if (i > n) break; s = mod(s + FLOAT(i), 251.0); }
     } else { for (int i = 0; i < 90; i++) { if (i > x + y) break; if (x > 4) { for (int j = 0; j < 50; j++) {
     if (j > x) break; s = mod(s * 3.0 + FLOAT(j), 241.0); } } s += 1.0; } })
/* Lengths that are known, and so much in an iteration that copies would take many programs. */
#define ABC float a = 1.0; float b = FLOAT(x); float c = FLOAT(y);
BOTH(counted, ABC for (int i = 0; i < 40; i++) { TURN a = mod(a + FLOAT(i), 61.0); } s = a + b + c;)
BOTH(counted_prime, ABC for (int i = 0; i < 43; i++) { TURN a = mod(a + FLOAT(i), 61.0); } s = a + b + c;)
BOTH(counted_down, ABC for (float f = 52.0; f > 0.5; f -= 1.0) { TURN a = mod(a + f, 61.0); } s = a + b + c;)
BOTH(counted_steps, ABC for (int i = 3; i < 200; i += 4) { TURN a = mod(a + FLOAT(i), 61.0); } s = a + b + c;)
BOTH(counted_long, ABC for (int i = 0; i < 300; i++) { TURN a = mod(a + FLOAT(i), 61.0); } s = a + b + c;)
BOTH(counted_after, ABC int k = 2; for (; k < 47; k++) { TURN } s = a + b + c + FLOAT(k);)
BOTH(counted_middle, ABC for (int i = 0; ; i++) { a = mod(a + 5.0, 61.0); if (i >= 37) { b += 3.0; break; } TURN } s = a + b + c;)
BOTH(counted_compare, ABC for (int i = 0; i < 44; i++) { TURN if (i < 20) a = mod(a + 7.0, 61.0); else if (i > x) b = 5.0; }
     s = a + b + c;)
BOTH(counted_lookup, ABC for (int i = 0; i < 41; i++) { TURN a = mod(a + look(mod(FLOAT(i + x), 16.0)), 61.0); } s = a + b + c;)
BOTH(counted_inner, ABC for (int i = 0; i < 30; i++) { for (int k = 0; k < 3; k++) { TURN } a = mod(a + FLOAT(i), 61.0); }
     s = a + b + c;)
BOTH(counted_two, ABC for (int i = 0; i < 41; i++) { TURN } b = mod(b + FLOAT(n), 59.0); for (int i = 0; i < 38; i++) { TURN
     a = mod(a + FLOAT(i), 61.0); } s = a + b + c;)
BOTH(counted_and_not, ABC for (int i = 0; i < 41; i++) { TURN } for (int i = 0; i < n; i++) { a = mod(a + b + 1.0, 61.0); }
     for (int i = 0; i < 45; i++) { TURN } s = a + b + c;)
BOTH(counted_end, ABC for (int i = 0; i < 50; i++) { if (i > n) break; TURN } s = a + b + c;)
BOTH(counted_end_after, ABC int k = 0; for (; k < 50; k++) { if (k * 3 > n) break; TURN } s = a + b + c + FLOAT(k);)
BOTH(counted_end_both, ABC for (int i = 0; ; i++) { TURN if (i > 40 || b > 57.5) break; a = mod(a + FLOAT(i), 61.0); }
     s = a + b + c;)
BOTH(counted_continue, ABC for (int i = 0; i < 50; i++) { if (mod(FLOAT(i + x), 3.0) < 0.5) continue; TURN } s = a + b + c;)
BOTH(counted_in_branch, ABC if (x > 7) { b = 9.0; for (int i = 0; i < 40; i++) { TURN } b += 2.0; } else { c = 8.0;
     for (int i = 0; i < 45; i++) { TURN if (a > 58.5) break; } c += 1.0; } s = a + b + c;)
/* Copies, with more conditions than a program can load. */
BOTH(many_discards, ABC for (int i = 0; i < 26; i++) { TURN if (a + b > 117.5) KILL } c = mod(c + 1.0, 53.0);
     for (int i = 0; i < 26; i++) { TURN if (a + b > 117.5) KILL } s = a + b + c;)
BOTH(counted_discard, ABC for (int i = 0; i < 41; i++) { TURN if (a + b > 115.5) KILL } s = a + b + c;)
BOTH(counted_end_discard, ABC for (int i = 0; i < 41; i++) { if (i > n) break; TURN if (a + b > 115.5) KILL } s = a + b + c;)

#undef floor
#undef mod
#undef min
#undef max

#define CASE(NAME) {#NAME, c_##NAME, glsl_##NAME}
static const struct {
   const char *name;
   float (*compute)(struct pixel *p, int x, int y, int n);
   const char *glsl;
} cases[] = {
   CASE(for_loop), CASE(down), CASE(while_loop), CASE(do_while), CASE(float_counter), CASE(endless_break), CASE(break_middle),
   CASE(continue_loop), CASE(both_jumps), CASE(nested), CASE(triangle), CASE(three), CASE(two_inner), CASE(nested_jumps),
   CASE(inner_in_branch), CASE(in_branch), CASE(in_deep_branch), CASE(two_loops), CASE(chain), CASE(collatz), CASE(gcd),
   CASE(discard_in), CASE(discard_endless), CASE(lookup), CASE(dependent), CASE(lookup_between), CASE(six_values),
   CASE(many_values), CASE(large_body), CASE(large_around), CASE(long_constant), CASE(uniform_before),
   CASE(bounded_long), CASE(bounded_body), CASE(bounded_nested), CASE(bounded_three), CASE(bounded_branches),
   CASE(counted), CASE(counted_prime), CASE(counted_down), CASE(counted_steps), CASE(counted_long), CASE(counted_after),
   CASE(counted_middle), CASE(counted_compare), CASE(counted_lookup), CASE(counted_inner), CASE(counted_two),
   CASE(counted_and_not), CASE(counted_end), CASE(counted_end_after), CASE(counted_end_both), CASE(counted_continue),
   CASE(counted_in_branch), CASE(many_discards), CASE(counted_discard), CASE(counted_end_discard),
};

/* A program that computes s in the stage that has the body: the fragment stage, or the vertex stage. */
static GLuint
make_case(const char *body, bool vertex)
{
   static const char macros[] = "#define FLOAT float\n"
                                "#define TURN a = mod(a * 3.0 + b, 61.0); b = mod(b + c * 2.0, 59.0); c = mod(c + a, 53.0);\n"
                                "#define TURNS TURN TURN TURN TURN TURN TURN\n"
                                "#define ABC float a = 1.0; float b = FLOAT(x); float c = FLOAT(y);\n";
   static const char plain_fragment[] = "varying float result;\n"
                                        "void main() {\n"
                                        "   float s = floor(result + 0.5), high = floor(s / 64.0);\n"
                                        "   gl_FragColor = vec4(high / 51.0, (s - 64.0 * high) / 85.0, 0.2, 1.0);\n"
                                        "}\n";

   if (vertex) {
      return make_program(text_of(
         "%s"
         "varying float result;\nuniform int seven;\n"
         "float compute(int x, int y, int n) { float s = 0.0; %s\nreturn s; }\n"
         "void main() {\n"
         "   result = compute(int(gl_Vertex.x), int(gl_Vertex.y), int(gl_Vertex.x + 32.0 * gl_Vertex.y));\n"
         "   gl_Position = vec4((gl_Vertex.x + 0.5) / 16.0 - 1.0, (gl_Vertex.y + 0.5) / 5.0 - 1.0, 0.0, 1.0);\n"
         "}\n",
         macros, body), plain_fragment, NULL);
   }
   return make_program(NULL, text_of(
      "%s"
      "#define KILL discard;\n"
      "uniform sampler2D t;\nuniform int seven;\n"
      "#define LOOK2(AT, A, B) vec4 q = texture2D(t, vec2(AT, 0.5)); float A = floor(q.x * 255.0 + 0.5), B = q.w;\n"
      "float look(float i) { return floor(texture2D(t, vec2((i + 0.5) / 16.0, 0.5)).x * 255.0 + 0.5); }\n"
      "float result(int x, int y, int n) { float s = 0.0; %s\nreturn s; }\n"
      "void main() {\n"
      "   vec2 at = floor(gl_FragCoord.xy);\n"
      "   float s = result(int(at.x), int(at.y), int(at.x + 32.0 * at.y));\n"
      "   float high = floor(s / 64.0);\n"
      "   gl_FragColor = vec4(high / 51.0, (s - 64.0 * high) / 85.0, 0.2, 1.0);\n"
      "}\n",
      macros, body), NULL);
}

static bool
check(const char *name, float (*compute)(struct pixel *, int, int, int))
{
   static unsigned char color[HEIGHT][WIDTH][4];
   unsigned wrong = 0;

   glReadPixels(0, 0, WIDTH, HEIGHT, GL_RGBA, GL_UNSIGNED_BYTE, color);
   for (int y = 0; y < HEIGHT; y++) {
      for (int x = 0; x < WIDTH; x++) {
         struct pixel p = {0};
         const int expected = compute(&p, x, y, x + WIDTH * y);
         const int drawn = color[y][x][0] / 5 * 64 + color[y][x][1] / 3, blue = p.discarded ? 255 : 51;
         if (color[y][x][2] == blue && (p.discarded || drawn == expected))
            continue;
         if (!wrong++)
            printf("[%s] pixel %d,%d: %d, not %d, blue %d, not %d\n", name, x, y, drawn, expected, color[y][x][2], blue);
      }
   }
   if (wrong)
      printf("[%s] %u pixels are wrong\n", name, wrong);
   return !wrong && glGetError() == GL_NO_ERROR;
}

static void
make_table(void)
{
   unsigned char texels[16][2];

   for (unsigned i = 0; i < 16; i++) {
      texels[i][0] = table[i];
      texels[i][1] = 15 - table[i];
   }
   filtered_texture(GL_TEXTURE_2D, GL_NEAREST);
   glTexImage2D(GL_TEXTURE_2D, 0, GL_LUMINANCE_ALPHA, 16, 1, 0, GL_LUMINANCE_ALPHA, GL_UNSIGNED_BYTE, texels);
}

static void
draw_points(void)
{
   static GLfloat vertices[WIDTH * HEIGHT][2];

   for (unsigned i = 0; i < WIDTH * HEIGHT; i++) {
      vertices[i][0] = i % WIDTH;
      vertices[i][1] = i / WIDTH;
   }
   glVertexPointer(2, GL_FLOAT, 0, vertices);
   glEnableClientState(GL_VERTEX_ARRAY);
   glDrawArrays(GL_POINTS, 0, WIDTH * HEIGHT);
   glDisableClientState(GL_VERTEX_ARRAY);
}

/* No lookups and discards, and no more than 256 instructions. */
static bool
fits_vertices(const char *body)
{
   return !strstr(body, "look(") && !strstr(body, "LOOK2(") && !strstr(body, "KILL") && body != glsl_large_around;
}

/*
 * Seconds of CPU for a program.  They take 0.05 to 0.3, bounded_three 2 because of its many parts; what is unrolled in
 * vain took 8 to 47.  A CPU that Meson has emulated takes up to 60 times as long (packaging/debian/rules); that of a virtual
 * machine counts what its host does meanwhile, too (TESTS_SLOWER, tests/vm/run.py).
 */
static double
link_limit(void)
{
   const char *slower = getenv("TESTS_SLOWER");

   return 5 * (getenv("MESON_EXE_WRAPPER") ? 60 : slower ? atof(slower) : 1);
}

static bool
run_case(const char *name, float (*compute)(struct pixel *, int, int, int), const char *body, bool vertex)
{
   clear_color(0, 0, 1, 1);
   const clock_t before = clock();
   const GLuint program = make_case(body, vertex);
   const double seconds = (double)(clock() - before) / CLOCKS_PER_SEC;
   glUseProgram(program);
   glUniform1i(glGetUniformLocation(program, "seven"), seven);
   if (vertex)
      draw_points();
   else
      glRectf(-1, -1, 1, 1);
   if (seconds > link_limit())
      printf("[%s] %.1f s to link\n", name, seconds);
   if (check(name, compute) && seconds <= link_limit())
      return true;
   printf("[%s] in the %s program\n", name, vertex ? "vertex" : "fragment");
   return false;
}

/* A loop that never ends is left at last, and what is drawn afterwards is right. */
static bool
run_endless(void)
{
   unsigned char color[4];

   scissor_to(3, 3, 1, 1);
   glUseProgram(make_case("for (;;) { s = mod(s + FLOAT(x) + 1.0, 32.0); if (s > 40.0) break; }", false));
   glRectf(-1, -1, 1, 1);
   glUseProgram(0);
   glColor4f(0, 1, 0, 1);
   glRectf(-1, -1, 1, 1);
   glReadPixels(3, 3, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, color);
   glDisable(GL_SCISSOR_TEST);
   if (color[1] == 255)
      return true;
   printf("[endless] nothing is drawn after it\n");
   return false;
}

int
main(int argc, char **argv)
{
   unsigned failures = 0;

   open_target(WIDTH, HEIGHT, false);
   make_table();
   for (unsigned i = 0; i < COUNT(cases); i++) {
      if (argc == 2 && strcmp(argv[1], cases[i].name))
         continue;
      failures += !run_case(cases[i].name, cases[i].compute, cases[i].glsl, false);
      if (fits_vertices(cases[i].glsl))
         failures += !run_case(cases[i].name, cases[i].compute, cases[i].glsl, true);
   }
   if (argc < 2 || !strcmp(argv[1], "endless"))
      failures += !run_endless();
   return failures != 0;
}
