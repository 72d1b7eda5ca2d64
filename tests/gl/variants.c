/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Many programs made of one: for blend functions, for values of uniforms that loops depend on, for vertex programs linked
 * with one fragment program.  Pictures against the same arithmetic on the CPU; what was in use lately is not compiled again,
 * and nothing is compiled that no draw wants.
 */

#include "perf_monitor.h"

#define SIZE 8

static const char plain_vertex[] = "void main() { gl_Position = gl_Vertex; }\n";

/* --- the driver's counter of compiled variants --- */

static GLuint monitor;

static uint64_t
compiled(void)
{
   return end_counting(monitor, "shader-variants");
}

/* --- pictures --- */

static void
check_color(const char *what, unsigned number, const float wanted[4])
{
   unsigned char pixel[4];

   glReadPixels(SIZE / 2, SIZE / 2, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, pixel);
   for (unsigned c = 0; c < 4; c++) {
      const float limited = fminf(fmaxf(wanted[c], 0.0f), 1.0f) * 255.0f;
      if (fabsf(pixel[c] - limited) > 2.0f)
         fail("%s %u: component %u is %u, not %.1f\n", what, number, c, pixel[c], limited);
   }
}

/* --- blend functions --- */

static const GLenum factors[] = {GL_ZERO, GL_ONE, GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA, GL_DST_ALPHA, GL_ONE_MINUS_DST_ALPHA,
                                 GL_CONSTANT_COLOR, GL_ONE_MINUS_CONSTANT_COLOR};
#define FACTORS (COUNT(factors))

static const float source[4] = {0.25f, 0.5f, 0.75f, 0.6f}, target[4] = {0.5f, 0.25f, 0.125f, 0.3f},
                   constant[4] = {0.125f, 0.375f, 0.25f, 0.5f};

static float
factor(unsigned i, unsigned c)
{
   const float values[FACTORS] = {0.0f, 1.0f, source[3], 1.0f - source[3], target[3], 1.0f - target[3],
                                  constant[c], 1.0f - constant[c]};

   return values[i];
}

static void
draw_blended(unsigned i)
{
   const unsigned s = i % FACTORS, t = i / FACTORS;
   float wanted[4];

   glClear(GL_COLOR_BUFFER_BIT);
   glBlendFunc(factors[s], factors[t]);
   glRectf(-1.0f, -1.0f, 1.0f, 1.0f);
   for (unsigned c = 0; c < 4; c++)
      wanted[c] = source[c] * factor(s, c) + target[c] * factor(t, c);
   check_color("blend function", i, wanted);
}

static void
blend_functions(void)
{
   const GLuint program = make_program(plain_vertex, "uniform vec4 color;\nvoid main() { gl_FragColor = color; }\n", NULL);

   glUseProgram(program);
   glUniform4fv(glGetUniformLocation(program, "color"), 1, source);
   glClearColor(target[0], target[1], target[2], target[3]);
   glBlendColor(constant[0], constant[1], constant[2], constant[3]);
   glEnable(GL_BLEND);
   for (unsigned round = 0; round < 3; round++) {
      glBeginPerfMonitorAMD(monitor);
      /* other ways round the second time, and in an order of their own the third time */
      for (unsigned i = 0; i < FACTORS * FACTORS; i++)
         draw_blended(round == 0 ? i : round == 1 ? FACTORS * FACTORS - 1 - i : i * 27 % (FACTORS * FACTORS));
      const uint64_t variants = compiled();
      CHECK(round ? variants == 0 : variants > FACTORS * FACTORS / 2);
   }
   glDisable(GL_BLEND);
   glUseProgram(0);
   glDeleteProgram(program);
}

/* --- values of uniforms --- */

#define MOST_TURNS 10
#define KEPT 4 /* values that are always in use */

#define LOOPS "uniform int first, second;\n" \
              "void main() {\n" \
              "   vec2 v = vec2(0.0);\n" \
              "   for (int i = 0; i < first; i++)\n" \
              "      v.x += 1.0 / 16.0;\n" \
              "   for (int i = 0; i < second; i++)\n" \
              "      v.y += 1.0 / 12.0;\n" \
              "   gl_FragColor = vec4(v, 0.0, 1.0);\n"

static GLint turns[2];

static void
draw_turns(unsigned i)
{
   const unsigned first = i % MOST_TURNS, second = i / MOST_TURNS;
   const float wanted[4] = {first / 16.0f, second / 12.0f, 0.0f, 1.0f};

   glUniform1i(turns[0], first);
   glUniform1i(turns[1], second);
   glRectf(-1.0f, -1.0f, 1.0f, 1.0f);
   check_color("value", i, wanted);
}

/* More values than the driver keeps: the oldest go, not those in use. */
static void
loop_counts(void)
{
   const GLuint program = make_program(plain_vertex, LOOPS "}\n", NULL);

   glUseProgram(program);
   turns[0] = glGetUniformLocation(program, "first");
   turns[1] = glGetUniformLocation(program, "second");
   for (unsigned i = 0; i < KEPT; i++)
      draw_turns(i);
   for (unsigned i = KEPT; i < MOST_TURNS * MOST_TURNS; i++) {
      glBeginPerfMonitorAMD(monitor);
      draw_turns(i);
      CHECK(compiled() > 0);
      glBeginPerfMonitorAMD(monitor);
      draw_turns(i % KEPT);
      draw_turns(i);
      CHECK(compiled() == 0);
   }
   glBeginPerfMonitorAMD(monitor);
   draw_turns(KEPT);
   CHECK(compiled() > 0); /* gone, or nothing would ever go */
   glUseProgram(0);
   glDeleteProgram(program);
}

/* A draw needs two programs of one value, and the value before needed one: the limit is reached between the two. */
static void
loop_counts_with_depth(void)
{
   const GLuint program = make_program(plain_vertex, LOOPS "   gl_FragDepth = 0.25 + v.y * 0.5;\n}\n", NULL);
   const float hidden[4] = {0.0f, 0.0f, 0.0f, 0.0f};

   glUseProgram(program);
   turns[0] = glGetUniformLocation(program, "first");
   turns[1] = glGetUniformLocation(program, "second");
   glClearColor(0.0f, 0.0f, 0.0f, 0.0f);
   draw_turns(0);
   glEnable(GL_DEPTH_TEST);
   for (unsigned i = 1; i < MOST_TURNS * MOST_TURNS; i++) {
      const float depth = 0.25f + i / MOST_TURNS / 24.0f;

      glClearDepth(depth + 0.02f);
      glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
      draw_turns(i);
      glClearDepth(depth - 0.02f);
      glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
      glRectf(-1.0f, -1.0f, 1.0f, 1.0f);
      check_color("hidden value", i, hidden);
   }
   glDisable(GL_DEPTH_TEST);
   glUseProgram(0);
   glDeleteProgram(program);
}

/* --- links --- */

#define VERTEX_PROGRAMS 32

static void
draw_linked(const GLuint *programs, unsigned i)
{
   const float wanted[4] = {i / 64.0f, 0.5f, 1.0f - i / 64.0f, 1.0f};

   glUseProgramStages(1, GL_VERTEX_SHADER_BIT, programs[i]);
   glRectf(-1.0f, -1.0f, 1.0f, 1.0f);
   check_color("vertex program", i, wanted);
}

/* One fragment program with many vertex programs, whose outputs are in different places. */
static void
links(void)
{
   const char *fragment = "void main() { gl_FragColor = vec4(gl_TexCoord[5].xy, gl_TexCoord[0].z, 1.0); }\n";
   GLuint programs[VERTEX_PROGRAMS], pipeline;

   glGenProgramPipelines(1, &pipeline);
   glBindProgramPipeline(pipeline);
   glUseProgramStages(1, GL_FRAGMENT_SHADER_BIT, glCreateShaderProgramv(GL_FRAGMENT_SHADER, 1, &fragment));
   for (unsigned i = 0; i < VERTEX_PROGRAMS; i++) {
      char text[1024], *at = text;
      const char *vertex = text;

      at += sprintf(at, "void main() {\n   gl_Position = gl_Vertex;\n");
      for (unsigned bit = 0; bit < 5; bit++) {
         if (i & 1u << bit && bit)
            at += sprintf(at, "   gl_TexCoord[%u] = gl_Vertex * 0.3;\n", bit);
      }
      sprintf(at, "   gl_TexCoord[0] = vec4(0.0, 0.0, 1.0 - %u.0 / 64.0, 0.0);\n"
                  "   gl_TexCoord[5] = vec4(%u.0 / 64.0, 0.5, 0.0, 0.0);\n}\n", i, i);
      programs[i] = glCreateShaderProgramv(GL_VERTEX_SHADER, 1, &vertex);
   }
   for (unsigned i = 0; i < 3 * VERTEX_PROGRAMS; i++)
      draw_linked(programs, i * 11 % VERTEX_PROGRAMS);
   CHECK(glGetError() == GL_NO_ERROR);
}

/* --- what is compiled when a program is linked, and when it is drawn first --- */

struct compilations {
   unsigned link, draw;
};

static struct compilations
count_compilations(const char *fragment)
{
   struct compilations count;

   glBeginPerfMonitorAMD(monitor);
   const GLuint program = make_program(plain_vertex, fragment, NULL);
   count.link = compiled();
   glBeginPerfMonitorAMD(monitor);
   glUseProgram(program);
   glRectf(-1.0f, -1.0f, 1.0f, 1.0f);
   glFinish(); /* so that it is drawn */
   count.draw = compiled();
   glUseProgram(0);
   glDeleteProgram(program);
   return count;
}

static void
first_compilations(void)
{
   static const char *const samplers[] = {"uniform samplerCube t;\nvoid main() { gl_FragColor = textureCube(t, vec3(0.3)); }\n",
                                          "uniform sampler1D t;\nvoid main() { gl_FragColor = texture1D(t, 0.3); }\n"};
   const struct compilations flat = count_compilations("uniform sampler2D t;\n"
                                                       "void main() { gl_FragColor = texture2D(t, vec2(0.3)); }\n");

   CHECK(flat.link == 2 && flat.draw == 0);
   for (unsigned i = 0; i < COUNT(samplers); i++) {
      const struct compilations other = count_compilations(samplers[i]);
      CHECK(other.link == 2 && other.draw == 0);
   }
   /* with which values it is drawn is not known before */
   const struct compilations waiting = count_compilations(LOOPS "}\n");
   CHECK(waiting.link == 1 && waiting.draw == 1);
}

int
main(void)
{
   open_target(SIZE, SIZE, true);

   find_counters();
   monitor = new_monitor();
   blend_functions();
   loop_counts();
   loop_counts_with_depth();
   links();
   first_compilations();
   return 0;
}
