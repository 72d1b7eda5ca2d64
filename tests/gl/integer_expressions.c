/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Integers, computed by random programs in both stages and by this program.  The chip has floats only: what Mesa's compiler
 * turns into shifts, masks or unsigned comparisons has to come out as the integers of GLSL do.
 *
 * A program declares values one after the other, each from an expression of those before, changes some of them in
 * conditionals and adds up one in a loop.  Expressions are trees; they are written as GLSL and computed here for each pixel,
 * which has its own a and b.  What a condition leaves out is not computed here and may divide by zero or overflow there.  A
 * program in which something else does so, or leaves the numbers that a fragment program can divide, is not drawn.
 *
 * Numbers of any size that a fragment program can hold are divided by constants.
 *
 * Usage: test_integer_expressions [SEED [COUNT]]
 */

#include <setjmp.h>

#include "opengl.h"

#define SIZE   16 /* pixels in a row, and rows; a and b are -8 to 7 */
#define LARGE  2000 /* quotients of variables are right below 2048 */
#define OFFSET 7500
#define VALUES 5
#define NODES  200
#define LENGTH 20000 /* bytes of a program's text */
#define DIVIDENDS 6000

#define TEXT_OF(x)   #x
#define TEXT(x)      TEXT_OF(x)

enum kind {
   LEAF, CONSTANT, PLUS, MINUS, NEGATED, TIMES, DIVIDED, SELECTED, FROM_BOOL, FROM_FLOAT, ELEMENT, INTEGERS,
   LESS = INTEGERS, LESS_OR_EQUAL, GREATER, GREATER_OR_EQUAL, EQUAL, UNEQUAL, NOT, AND, OR, XOR, TO_BOOL, ALL_EQUAL, ANY_LESS,
   KINDS,
};

/* How each is written: A, B and C are operands, of which some are bools. */
static const struct {
   const char *text;
   unsigned operands;
   bool bools[3];
} kinds[KINDS] = {
   [PLUS] = { "(A + B)", 2 },
   [MINUS] = { "(A - B)", 2 },
   [NEGATED] = { "(-A)", 1 },
   [TIMES] = { "(A * B)", 2 },
   [DIVIDED] = { "(A / B)", 2 },
   [SELECTED] = { "(A ? B : C)", 3, { true } },
   [FROM_BOOL] = { "int(A)", 1, { true } },
   [FROM_FLOAT] = { "int(float(A))", 1 },
   [ELEMENT] = { "ivec3(A, B, C).zxy[1]", 3 },
   [LESS] = { "(A < B)", 2 },
   [LESS_OR_EQUAL] = { "(A <= B)", 2 },
   [GREATER] = { "(A > B)", 2 },
   [GREATER_OR_EQUAL] = { "(A >= B)", 2 },
   [EQUAL] = { "(A == B)", 2 },
   [UNEQUAL] = { "(A != B)", 2 },
   [NOT] = { "(!A)", 1, { true } },
   [AND] = { "(A && B)", 2, { true, true } },
   [OR] = { "(A || B)", 2, { true, true } },
   [XOR] = { "(A ^^ B)", 2, { true, true } },
   [TO_BOOL] = { "bool(A)", 1 },
   [ALL_EQUAL] = { "(ivec2(A, B) == ivec2(B, C))", 3 },
   [ANY_LESS] = { "any(lessThan(ivec3(A, B, C), ivec3(B, C, A)))", 3 },
};

/* What leaves have: the pixel's, the uniforms', a loop's counter, and the values declared so far. */
static const char *const names[] = { "a", "b", "c", "d", "i", "v0", "v1", "v2", "v3", "v4" };
enum { A, B, C, D, I, V };

struct node {
   enum kind kind;
   int value; /* of a constant, or of a leaf the index of its name */
   const struct node *operands[3];
};

static struct node nodes[NODES];
static unsigned num_nodes;

/* Leaves may be the counter; values: so many are declared. */
static const struct node *
make_node(unsigned depth, bool is_bool, bool counter, unsigned values)
{
   CHECK(num_nodes < NODES);
   struct node *node = &nodes[num_nodes++];

   if (is_bool) {
      node->kind = INTEGERS + random_below(KINDS - INTEGERS);
      if (depth < 2 && kinds[node->kind].bools[0])
         node->kind = LESS + random_below(UNEQUAL - LESS + 1);
   } else if (depth == 0) {
      node->kind = random_below(4) ? LEAF : CONSTANT;
   } else {
      node->kind = PLUS + random_below(INTEGERS - PLUS);
   }
   if (node->kind == CONSTANT) {
      node->value = (int)random_below(15) - 6;
   } else if (node->kind == LEAF) {
      const unsigned which = random_below(4 + counter + values);
      node->value = which < 4 + counter ? which : which - counter - 4 + V;
   }
   for (unsigned i = 0; i < kinds[node->kind].operands; i++)
      node->operands[i] = make_node(depth ? depth - 1 : 0, kinds[node->kind].bools[i], counter, values);
   return node;
}

static void
write_node(FILE *file, const struct node *node)
{
   if (node->kind == CONSTANT) {
      fprintf(file, node->value < 0 ? "(%d)" : "%d", node->value);
   } else if (node->kind == LEAF) {
      fputs(names[node->value], file);
   } else {
      for (const char *c = kinds[node->kind].text; *c; c++) {
         if (*c >= 'A' && *c <= 'C')
            write_node(file, node->operands[*c - 'A']);
         else
            fputc(*c, file);
      }
   }
}

/* --- the same in C --- */

static jmp_buf not_defined;

static int compute(const struct node *node, const int *leaves);

/* Of an operand. */
static int
of(const struct node *node, unsigned operand, const int *leaves)
{
   return compute(node->operands[operand], leaves);
}

static bool
compute_bool(const struct node *node, const int *l)
{
   switch (node->kind) {
   case LESS:
      return of(node, 0, l) < of(node, 1, l);
   case LESS_OR_EQUAL:
      return of(node, 0, l) <= of(node, 1, l);
   case GREATER:
      return of(node, 0, l) > of(node, 1, l);
   case GREATER_OR_EQUAL:
      return of(node, 0, l) >= of(node, 1, l);
   case EQUAL:
      return of(node, 0, l) == of(node, 1, l);
   case UNEQUAL:
      return of(node, 0, l) != of(node, 1, l);
   case NOT:
      return !of(node, 0, l);
   case AND:
      return of(node, 0, l) && of(node, 1, l);
   case OR:
      return of(node, 0, l) || of(node, 1, l);
   case XOR:
      return of(node, 0, l) != of(node, 1, l);
   case TO_BOOL:
      return of(node, 0, l);
   case ALL_EQUAL:
      return (of(node, 0, l) == of(node, 1, l)) & (of(node, 1, l) == of(node, 2, l));
   default:
      return (of(node, 0, l) < of(node, 1, l)) | (of(node, 1, l) < of(node, 2, l)) | (of(node, 2, l) < of(node, 0, l));
   }
}

static int
divide(int a, int b)
{
   if (b == 0)
      longjmp(not_defined, 1);
   return a / b;
}

static int
compute_int(const struct node *node, const int *l)
{
   switch (node->kind) {
   case LEAF:
      return l[node->value];
   case CONSTANT:
      return node->value;
   case PLUS:
      return of(node, 0, l) + of(node, 1, l);
   case MINUS:
      return of(node, 0, l) - of(node, 1, l);
   case NEGATED:
      return -of(node, 0, l);
   case TIMES:
      return of(node, 0, l) * of(node, 1, l);
   case DIVIDED:
      return divide(of(node, 0, l), of(node, 1, l));
   case SELECTED:
      return of(node, 0, l) ? of(node, 1, l) : of(node, 2, l);
   default: /* FROM_BOOL, FROM_FLOAT, ELEMENT */
      return of(node, 0, l);
   }
}

static int
compute(const struct node *node, const int *leaves)
{
   const int value = node->kind >= INTEGERS ? compute_bool(node, leaves) : compute_int(node, leaves);

   if (value > LARGE || value < -LARGE)
      longjmp(not_defined, 1);
   return value;
}

/* --- programs --- */

struct program {
   const struct node *values[VALUES], *condition, *changed, *added, *counted;
   unsigned turns;
};

static struct program
make(void)
{
   struct program p;

   num_nodes = 0;
   for (unsigned i = 0; i < VALUES; i++)
      p.values[i] = make_node(1 + random_below(3), false, false, i);
   p.condition = make_node(2, true, false, VALUES);
   p.changed = make_node(2, false, false, VALUES);
   p.turns = 1 + random_below(5);
   p.counted = make_node(1, true, true, VALUES);
   p.added = make_node(1, false, true, VALUES);
   return p;
}

static int
result(const struct program *p, int a, int b, int c, int d)
{
   int leaves[V + VALUES] = { a, b, c, d };

   for (unsigned i = 0; i < VALUES; i++)
      leaves[V + i] = compute(p->values[i], leaves);
   if (compute(p->condition, leaves))
      leaves[V] = compute(p->changed, leaves);
   for (leaves[I] = 0; leaves[I] < (int)p->turns; leaves[I]++) {
      if (compute(p->counted, leaves))
         leaves[V + 1] += compute(p->added, leaves);
      if (leaves[V + 1] > LARGE || leaves[V + 1] < -LARGE)
         longjmp(not_defined, 1);
   }
   return leaves[V] + leaves[V + 1] - leaves[V + VALUES - 1];
}

/* False where a pixel's is not defined. */
static bool
results(const struct program *p, int c, int d, int *out)
{
   if (setjmp(not_defined))
      return false;
   for (int i = 0; i < SIZE * SIZE; i++)
      out[i] = result(p, i % SIZE - SIZE / 2, i / SIZE - SIZE / 2, c, d);
   return true;
}

/* Statements that leave the result in the int "sum". */
static void
write_body(const struct program *p, char *body)
{
   FILE *file = fmemopen(body, LENGTH, "w");

   for (unsigned i = 0; i < VALUES; i++) {
      fprintf(file, "   int v%u = ", i);
      write_node(file, p->values[i]);
      fputs(";\n", file);
   }
   fputs("   if (", file);
   write_node(file, p->condition);
   fputs(")\n      v0 = ", file);
   write_node(file, p->changed);
   fprintf(file, ";\n   for (int i = 0; i < %u; i++) {\n      if (", p->turns);
   write_node(file, p->counted);
   fputs(")\n         v1 += ", file);
   write_node(file, p->added);
   fprintf(file, ";\n   }\n   int sum = v0 + v1 - v%u;\n", VALUES - 1);
   fclose(file);
}

/* A program that draws the sum in two bytes. */
static GLuint
program_for(const char *body, bool vertex)
{
   static const char to_bytes[] = "   sum += " TEXT(OFFSET) ";\n   int high = sum / 256;\n"
                                  "   bytes = vec2(float(sum - high * 256), float(high)) / 255.0;\n";

   return make_program(text_of(
      "uniform int c, d;\nattribute vec2 pixel;\nvarying vec2 bytes, ab;\nvoid main() {\n"
      "   gl_Position = vec4((pixel + 0.5) / 8.0, 0.0, 1.0);\n   ab = pixel;\n   bytes = vec2(0.0);\n"
      "   int a = int(pixel.x), b = int(pixel.y);\n%s%s}\n", vertex ? body : "", vertex ? to_bytes : ""), text_of(
      "uniform int c, d;\nvarying vec2 bytes, ab;\nvoid main() {\n   vec2 bytes = bytes;\n"
      "   int a = int(floor(ab.x + 0.5)), b = int(floor(ab.y + 0.5));\n%s%s   gl_FragColor = vec4(bytes, 0.0, 1.0);\n}\n",
      vertex ? "" : body, vertex ? "" : to_bytes), "pixel");
}

/* A point per pixel. */
static void
draw(void)
{
   static GLfloat pixels[SIZE * SIZE][2];

   for (int i = 0; i < SIZE * SIZE; i++) {
      pixels[i][0] = i % SIZE - SIZE / 2;
      pixels[i][1] = i / SIZE - SIZE / 2;
   }
   use_floats(0, 2, pixels);
   glDrawArrays(GL_POINTS, 0, SIZE * SIZE);
}

/* Draws with the program and the uniforms; returns how many pixels are wrong. */
static unsigned
check(GLuint program, int c, int d, const int *expected, const char *body, bool vertex)
{
   GLubyte pixels[SIZE * SIZE][4];
   unsigned wrong = 0;

   glUseProgram(program);
   glUniform1i(glGetUniformLocation(program, "c"), c);
   glUniform1i(glGetUniformLocation(program, "d"), d);
   draw();
   glReadPixels(0, 0, SIZE, SIZE, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
   for (int i = 0; i < SIZE * SIZE; i++) {
      const int value = pixels[i][0] + pixels[i][1] * 256 - OFFSET;
      if (value != expected[i] && !wrong++) {
         fprintf(stderr, "%s program, a = %d, b = %d, c = %d, d = %d: %d instead of %d\n%s", vertex ? "vertex" : "fragment",
                 i % SIZE - SIZE / 2, i / SIZE - SIZE / 2, c, d, value, expected[i], body);
      }
   }
   return wrong;
}

/* Returns how many of some random programs are wrong. */
static unsigned
check_random(unsigned count)
{
   static char body[LENGTH];
   unsigned wrong = 0;

   for (unsigned i = 0; i < count;) {
      int expected[SIZE * SIZE];
      const struct program p = make();
      const int c = (int)random_below(9) - 4, d = (int)random_below(200) - 100;
      if (!results(&p, c, d, expected))
         continue;
      write_body(&p, body);
      for (unsigned vertex = 0; vertex < 2; vertex++) {
         const GLuint program = program_for(body, vertex);
         wrong += check(program, c, d, expected, body, vertex) != 0;
         glDeleteProgram(program);
      }
      i++;
   }
   return wrong;
}

/* Returns how many divisors are wrong. */
static unsigned
check_divisors(bool vertex)
{
   static const int divisors[] = { 1, -1, 2, 3, -3, 5, 7, 10, -16, 17, 49, 60, 100, 255, 256, 1000, -4095 };
   unsigned wrong = 0;

   for (unsigned i = 0; i < COUNT(divisors); i++) {
      char body[100];
      unsigned wrong_pixels = 0;
      snprintf(body, sizeof(body), "   int sum = (c + 16 * b + a) / (%d);\n", divisors[i]);
      const GLuint program = program_for(body, vertex);
      for (int c = -DIVIDENDS; c <= DIVIDENDS && !wrong_pixels; c += SIZE * SIZE) {
         int expected[SIZE * SIZE];
         for (int pixel = 0; pixel < SIZE * SIZE; pixel++)
            expected[pixel] = (c + pixel - (SIZE + 1) * SIZE / 2) / divisors[i];
         wrong_pixels = check(program, c, 0, expected, body, vertex);
      }
      glDeleteProgram(program);
      wrong += wrong_pixels != 0;
   }
   return wrong;
}

int
main(int argc, char **argv)
{
   random_state = argc > 1 ? atoi(argv[1]) : 1;
   open_target(SIZE, SIZE, false);
   const unsigned wrong = check_random(argc > 2 ? atoi(argv[2]) : 60);
   const unsigned wrong_divisors = check_divisors(false) + check_divisors(true);
   CHECK(glGetError() == GL_NO_ERROR);
   printf("%u programs and %u divisors wrong\n", wrong, wrong_divisors);
   return wrong || wrong_divisors;
}
