/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Random fragment programs that are drawn in parts or in rounds, in random state: loops without bound, derivatives, lookups,
 * discards in any place, gl_FragDepth, the pixel that is there, one or two targets of odd sizes, RGB565, scissors, viewports,
 * masks, blending, stencil of both faces, depth, culling, counts of samples; triangles that cover each other, strips, fans,
 * lines, points and sprites.  Prints a line per picture; near_pictures.py compares with softpipe.
 *
 * Nothing hangs on a rounding: whatever decides about a pixel is a whole number, edges keep away from the centres of pixels,
 * the depths of two primitives are far apart, and what programs and blending do makes no difference larger.  So stencil and
 * counts, which are in the name of a line, are the same.  softpipe cannot fetch the pixel; there the program draws each
 * primitive by itself and looks it up in a copy.  It takes sprites for back faces, and lines have the face of the last
 * triangle there: only triangles ask for it.
 *
 * Usage: test_fragment_states [FIRST COUNT]   with them each scene's programs and state go to stderr
 */

#include "opengl.h"

#define SCENES     40
#define LARGEST    45 /* pixels, of a side */
#define TEXELS     16
#define PRIMITIVES 6 /* of a draw */
#define DRAWS      3
#define SLOTS      (2 * (PRIMITIVES * DRAWS)) /* depths */
#define VERTICES   (3 * PRIMITIVES)
#define MIN(a, b)    ((a) < (b) ? (a) : (b))

struct vertex {
   int x, y; /* of the viewport, in sixteenths of a pixel */
   float position[4], color[4], at[2];
};

static struct {
   unsigned number, width, height;
   bool es, narrow, two, has_depth;
   GLuint colors[2], depth_stencil, texture, before;
   unsigned slots[SLOTS], next_slot;
   int viewport[4];
} scene;

static struct {
   GLuint name;
   bool fetches, writes_depth;
} program;

static struct vertex vertices[VERTICES];
static char source[8192];

static bool
has_faces(GLenum mode)
{
   return mode != GL_POINTS && mode != GL_LINES;
}

/* --- programs --- */

static void __attribute__((format(printf, 1, 2)))
add(const char *format, ...)
{
   const size_t length = strlen(source);
   va_list args;

   va_start(args, format);
   vsnprintf(source + length, sizeof(source) - length, format, args);
   va_end(args);
   CHECK(strlen(source) < sizeof(source) - 1);
}

/* Is true for one in m pixels. */
static void
add_condition(void)
{
   const unsigned x = 1 + random_below(5), y = random_below(6), m = 2 + random_below(5);

   add("mod(cell.x * %u.0 + cell.y * %u.0, %u.0) < 0.5", x, y, m);
}

static void
add_loop(void)
{
   const unsigned x = random_below(4), y = 1 + random_below(3), m = 2 + random_below(11);

   add("   n = mod(cell.x * %u.0 + cell.y * %u.0, %u.0);\n", x, y, m);
   if (one_in(2)) {
      add("   while (n > 0.5) { n -= 1.0; c = turn(c).yzwx;%s }\n", one_in(3) ? " if (n > 7.5) c = c.yxzw;" : "");
   } else {
      add("   for (int i = 0; i < 40; i++) { if (float(i) >= n) break; c = turn(c);");
      if (one_in(4)) {
         add(" if (float(i) > 3.5 && ");
         add_condition();
         add(") %s;", one_in(2) ? "discard" : "break");
      }
      add(" }\n");
   }
}

static void
add_statement(GLenum mode)
{
   switch (random_below(mode == GL_POINTS ? 11 : 10)) {
   case 0:
   case 1:
   case 2:
      add("   for (int i = 0; i < %u; i++) c = turn(c);\n", 3 + random_below(9));
      break;
   case 3:
   case 4:
      add_loop();
      break;
   case 5:
      add("   c = ");
      add_condition();
      add(" ? c.wzyx : vec4(1.0) - c;\n");
      break;
   case 6:
      add("   c = mix(c, texture2D(t, %s), 0.5);\n", one_in(2) ? "at" : "(cell + 0.5) / 64.0");
      break;
   case 7:
      add("   c.%c += 0.1 ", "xyzw"[random_below(4)]);
      add("* dFd%c", "xy"[random_below(2)]);
      add("(mod(cell.x * %u.0 + cell.y * 3.0, 7.0));\n", 1 + random_below(6));
      break;
   case 8:
      add("   if (");
      add_condition();
      add(") discard;\n");
      break;
   case 9:
      add("   c = %s ? c : c.yzwx;\n", has_faces(mode) ? "gl_FrontFacing" : "at.x > 2.0");
      break;
   default:
      add("   c = dot(floor(gl_PointCoord * 2.0), vec2(1.0, 3.0)) > 0.5 ? c : c.yxwz;\n");
      break;
   }
}

static const char vertex_source[] = "attribute vec4 position, color; attribute vec2 place;\n"
                                    "varying vec4 value; varying vec2 at; uniform float size;\n"
                                    "void main() { gl_Position = position; value = color; at = place; gl_PointSize = size; }\n";

static bool
can_fetch(void)
{
   return strstr((const char *)glGetString(GL_EXTENSIONS), "GL_EXT_shader_framebuffer_fetch");
}

/* Of what is there only half is kept, so that differences die out. */
static void
add_fetch(void)
{
   if (can_fetch())
      add("   c = mix(c, gl_LastFragData[0], 0.5);\n");
   else
      add("   c = mix(c, texture2D(before, (cell + 0.5) / size_of_target), 0.5);\n");
}

static void
make_random_program(GLenum mode, bool fetches)
{
   const unsigned statements = 2 + random_below(4), fetch = fetches ? random_below(statements) : statements;

   program.fetches = fetches;
   program.writes_depth = scene.has_depth && !scene.es && one_in(4);
   source[0] = '\0';
   if (scene.es) {
      add("#extension GL_OES_standard_derivatives : enable\n");
      if (can_fetch())
         add("#extension GL_EXT_shader_framebuffer_fetch : enable\n");
      add("precision highp float;\n");
   } else {
      add("#version 120\n");
   }
   add("varying vec4 value; varying vec2 at;\n"
       "uniform sampler2D t, before; uniform vec2 size_of_target; uniform float slot;\n"
       "vec4 turn(vec4 v) {\n"
       "   v -= 0.5;\n"
       "   return vec4(0.8 * v.xy - 0.6 * v.zw, 0.6 * v.xy + 0.8 * v.zw) + 0.5;\n"
       "}\n"
       "void main() {\n"
       "   vec2 cell = floor(gl_FragCoord.xy);\n"
       "   vec4 c = value;\n"
       "   float n;\n");
   for (unsigned i = 0; i < statements; i++) {
      add_statement(mode);
      if (i == fetch)
         add_fetch();
   }
   if (scene.two)
      add("   gl_FragData[0] = c;\n   gl_FragData[1] = c.wzyx * 0.5 + 0.25;\n");
   else
      add("   gl_FragColor = c;\n");
   if (program.writes_depth)
      add("   gl_FragDepth = slot + mod(cell.x, 4.0) / %u.0;\n", SLOTS * 16);
   add("}\n");
   note("%s", source);
   program.name = make_program(vertex_source, source, "position color place");
   glUseProgram(program.name);
   glUniform1i(glGetUniformLocation(program.name, "before"), 1);
   glUniform2f(glGetUniformLocation(program.name, "size_of_target"), scene.width, scene.height);
}

/* --- targets --- */

static GLuint
make_texture(GLenum format, GLenum type, unsigned width, unsigned height, GLenum filter, const void *pixels)
{
   const GLuint name = nearest_texture(GL_TEXTURE_2D);

   set_filters(GL_TEXTURE_2D, filter, filter);
   glTexImage2D(GL_TEXTURE_2D, 0, format, width, height, 0, format, type, pixels);
   return name;
}

/* Colours that change slowly, for places between texels. */
static void
make_colors(void)
{
   static GLubyte texels[TEXELS][TEXELS][4];

   for (unsigned y = 0; y < TEXELS; y++) {
      for (unsigned x = 0; x < TEXELS; x++) {
         const GLubyte texel[4] = {40 + 10 * x, 200 - 9 * y, 60 + 5 * (x + y), 250 - 7 * x};
         memcpy(texels[y][x], texel, 4);
      }
   }
   scene.texture = make_texture(GL_RGBA, GL_UNSIGNED_BYTE, TEXELS, TEXELS, GL_LINEAR, texels);
}

static void
make_targets(void)
{
   static const GLenum attachments[2] = {GL_COLOR_ATTACHMENT0, GL_COLOR_ATTACHMENT1};

   new_framebuffer();
   for (unsigned i = 0; i < 1u + scene.two; i++) {
      scene.colors[i] = make_texture(scene.narrow ? GL_RGB : GL_RGBA, scene.narrow ? GL_UNSIGNED_SHORT_5_6_5 : GL_UNSIGNED_BYTE,
                                     scene.width, scene.height, GL_NEAREST, NULL);
      glFramebufferTexture2D(GL_FRAMEBUFFER, attachments[i], GL_TEXTURE_2D, scene.colors[i], 0);
   }
   if (scene.has_depth) {
      const GLuint buffer = target_buffer(GL_DEPTH24_STENCIL8, scene.width, scene.height);
      glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_RENDERBUFFER, buffer);
      glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_STENCIL_ATTACHMENT, GL_RENDERBUFFER, buffer);
   }
   if (scene.two)
      glDrawBuffers(2, attachments);
   CHECK(glCheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE);
   make_colors();
   scene.before = make_texture(GL_RGBA, GL_UNSIGNED_BYTE, 1, 1, GL_NEAREST, NULL);
}

/* --- state --- */

/* Below size / parts; 0 where that is none. */
static unsigned
below_part(unsigned size, unsigned parts)
{
   return random_below(size < parts ? 1 : size / parts);
}

static void
set_where(void)
{
   const bool part = one_in(3), scissor = one_in(3);
   int *v = scene.viewport;

   v[0] = part ? below_part(scene.width, 2) : 0;
   v[1] = part ? below_part(scene.height, 2) : 0;
   v[2] = scene.width - v[0] - (part ? below_part(scene.width, 4) : 0);
   v[3] = scene.height - v[1] - (part ? below_part(scene.height, 4) : 0);
   glViewport(v[0], v[1], v[2], v[3]);
   note(" viewport %d,%d %dx%d", v[0], v[1], v[2], v[3]);
   enable(GL_SCISSOR_TEST, scissor);
   if (scissor) {
      const unsigned x = random_below(scene.width), y = random_below(scene.height);
      const unsigned width = 1 + random_below(scene.width), height = 1 + random_below(scene.height);
      glScissor(x, y, width, height);
      note(" scissor %u,%u %ux%u", x, y, width, height);
   }
}

static void
set_blending(void)
{
   static const GLenum equations[] = {GL_FUNC_ADD, GL_FUNC_ADD, GL_FUNC_SUBTRACT, GL_FUNC_REVERSE_SUBTRACT, GL_MIN, GL_MAX};
   static const GLenum of_source[] = {
      GL_ONE, GL_ZERO, GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA, GL_CONSTANT_COLOR, GL_ONE_MINUS_CONSTANT_ALPHA,
   };
   static const GLenum of_target[] = {
      GL_ONE, GL_ZERO, GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA, GL_SRC_COLOR, GL_ONE_MINUS_SRC_COLOR, GL_CONSTANT_COLOR,
   };
   const bool on = one_in(2);
   const unsigned mask = one_in(3) ? random_below(16) : 15;

   enable(GL_BLEND, on);
   if (on) {
      const GLenum rgb = PICK(equations), alpha = PICK(equations), s = PICK(of_source), d = PICK(of_target),
                   as = PICK(of_source), ad = PICK(of_target);
      glBlendEquationSeparate(rgb, alpha);
      glBlendFuncSeparate(s, d, as, ad);
      glBlendColor(0.7f, 0.3f, 0.9f, 0.6f);
      note(" blend 0x%x 0x%x 0x%x, 0x%x 0x%x 0x%x", rgb, s, d, alpha, as, ad);
   }
   glColorMask(mask & 1, mask >> 1 & 1, mask >> 2 & 1, mask >> 3 & 1);
   note(" mask %u", mask);
}

static void
set_face_stencil(GLenum face)
{
   static const GLenum operations[] = {GL_KEEP, GL_ZERO, GL_REPLACE, GL_INCR, GL_DECR, GL_INVERT, GL_INCR_WRAP, GL_DECR_WRAP};
   const GLenum function = one_in(2) ? GL_ALWAYS : GL_NEVER + random_below(8);
   const GLint reference = random_below(16);
   const GLuint mask = one_in(3) ? random_below(16) : 15, writes = one_in(3) ? random_below(256) : 255;
   const GLenum fail = PICK(operations), zfail = PICK(operations), pass = PICK(operations);

   glStencilFuncSeparate(face, function, reference, mask);
   glStencilMaskSeparate(face, writes);
   glStencilOpSeparate(face, fail, zfail, pass);
   note(" stencil 0x%x: 0x%x %d %u writes %u 0x%x 0x%x 0x%x", face, function, reference, mask, writes, fail, zfail, pass);
}

static void
set_tests(GLenum mode)
{
   static const GLenum functions[] = {GL_LESS, GL_LEQUAL, GL_GREATER, GL_GEQUAL, GL_NOTEQUAL, GL_ALWAYS};
   const bool depth = one_in(2), writes = !one_in(3), stencil = one_in(2);
   const GLenum function = PICK(functions);

   enable(GL_DEPTH_TEST, depth);
   glDepthFunc(function);
   glDepthMask(writes);
   enable(GL_STENCIL_TEST, stencil);
   if (depth)
      note(" depth 0x%x%s", function, writes ? " writes" : "");
   if (stencil && (!has_faces(mode) || one_in(2))) {
      set_face_stencil(GL_FRONT_AND_BACK);
   } else if (stencil) {
      set_face_stencil(GL_FRONT);
      set_face_stencil(GL_BACK);
   }
}

static void
set_culling(void)
{
   const bool cull = one_in(4);
   const GLenum face = one_in(2) ? GL_FRONT : GL_BACK, front = one_in(2) ? GL_CW : GL_CCW;

   enable(GL_CULL_FACE, cull);
   glCullFace(face);
   glFrontFace(front);
   note(" front 0x%x", front);
   if (cull)
      note(" culls 0x%x", face);
}

/* --- vertices --- */

/* Does the line through two vertices hit no centre of a pixel? */
static bool
misses_centers(const struct vertex *a, const struct vertex *b)
{
   const int dx = b->x - a->x, dy = b->y - a->y;

   for (int x = -16 * LARGEST + 8; x < 32 * LARGEST && dx; x += 16) {
      if (((a->y - 8) * dx + dy * (x - a->x)) % (16 * dx) == 0)
         return false;
   }
   return true;
}

static void
choose_triangles(unsigned count)
{
   for (unsigned i = 0; i < count;) {
      bool good = true;

      vertices[i].x = 2 * (int)random_below(8 * (scene.viewport[2] + 16)) + 1 - 128;
      vertices[i].y = 2 * (int)random_below(8 * (scene.viewport[3] + 16)) + 1 - 128;
      for (unsigned k = 0; k < i; k++)
         good = good && misses_centers(&vertices[k], &vertices[i]);
      i += good;
   }
}

/* From left to right, or around: triangles of one depth do not cover each other. */
static void
choose_strip(bool fan, unsigned count)
{
   static const int around[8][2] = {{7, 0}, {5, 5}, {0, 7}, {-5, 5}, {-7, 0}, {-5, -5}, {0, -7}, {5, -5}};

   for (unsigned i = 0; i < count;) {
      bool good = true;

      vertices[i].x = fan ? around[i % 8][0] * 3 * 16 + scene.viewport[2] * 8 : (int)(i * scene.viewport[2] * 16 / count);
      vertices[i].y = fan ? around[i % 8][1] * 3 * 16 + scene.viewport[3] * 8 : (int)(i % 2 * scene.viewport[3] * 10);
      vertices[i].x = (vertices[i].x + (int)random_below(24)) | 1;
      vertices[i].y = (vertices[i].y + (int)random_below(24)) | 1;
      for (unsigned k = 0; k < i; k++)
         good = good && misses_centers(&vertices[k], &vertices[i]);
      i += good;
   }
}

/* Level, upright or at 45 degrees, from centre to centre, inside of the viewport: clipped ones end somewhere else. */
static void
choose_lines(unsigned count)
{
   static const int directions[4][2] = {{1, 0}, {0, 1}, {1, 1}, {1, -1}};

   for (unsigned i = 0; i < count; i += 2) {
      const int *direction = PICK(directions);
      const unsigned side = MIN(scene.viewport[2], scene.viewport[3]), length = 1 + random_below(side - 1);
      const unsigned x = random_below(scene.viewport[2] - direction[0] * length),
                     low = direction[1] < 0 ? length : 0, high = direction[1] > 0 ? length : 0,
                     y = low + random_below(scene.viewport[3] - low - high);
      const unsigned from = one_in(2);
      struct vertex *a = &vertices[i + from], *b = &vertices[i + 1 - from];

      a->x = 16 * x + 8;
      a->y = 16 * y + 8;
      b->x = a->x + 16 * direction[0] * (int)length;
      b->y = a->y + 16 * direction[1] * (int)length;
   }
}

/* Edges are three sixteenths from those of a pixel: softpipe's points are off by some. */
static void
choose_points(unsigned count, unsigned size)
{
   for (unsigned i = 0; i < count; i++) {
      vertices[i].x = 16 * random_below(scene.viewport[2]) + 8 * size + (one_in(2) ? 3 : 13);
      vertices[i].y = 16 * random_below(scene.viewport[3]) + 8 * size + (one_in(2) ? 3 : 13);
   }
}

/* A depth that is used for nothing else. */
static float
take_slot(void)
{
   return (scene.slots[scene.next_slot++ % SLOTS] + 0.5f) / SLOTS;
}

static void
fill_vertices(unsigned count, unsigned per_slot, bool perspective)
{
   float slot = 0;

   for (unsigned i = 0; i < count; i++) {
      struct vertex *v = &vertices[i];
      const float w = perspective ? between(0.7f, 1.5f) : 1;

      if (i % per_slot == 0)
         slot = take_slot();
      v->position[0] = w * (v->x / (8.0f * scene.viewport[2]) - 1);
      v->position[1] = w * (v->y / (8.0f * scene.viewport[3]) - 1);
      v->position[2] = w * (2 * slot - 1 + (per_slot > 1 && per_slot < count ? between(-0.6f, 0.6f) / SLOTS : 0));
      v->position[3] = w;
      for (unsigned c = 0; c < 4; c++)
         v->color[c] = between(0.1f, 0.9f);
      v->at[0] = between(0, 1);
      v->at[1] = between(0, 1);
   }
}

/* --- draws --- */

/* What the program cannot fetch. */
static void
copy_before(void)
{
   glActiveTexture(GL_TEXTURE1);
   glBindTexture(GL_TEXTURE_2D, scene.before);
   glCopyTexImage2D(GL_TEXTURE_2D, 0, scene.narrow ? GL_RGB : GL_RGBA, 0, 0, scene.width, scene.height, 0);
   glActiveTexture(GL_TEXTURE0);
}

static void
draw_vertices(GLenum mode, unsigned count)
{
   const unsigned size = mode == GL_POINTS ? 1 : mode == GL_LINES ? 2 : 3;

   glActiveTexture(GL_TEXTURE0);
   glBindTexture(GL_TEXTURE_2D, scene.texture);
   glVertexAttribPointer(0, 4, GL_FLOAT, GL_FALSE, sizeof(struct vertex), vertices[0].position);
   glVertexAttribPointer(1, 4, GL_FLOAT, GL_FALSE, sizeof(struct vertex), vertices[0].color);
   glVertexAttribPointer(2, 2, GL_FLOAT, GL_FALSE, sizeof(struct vertex), vertices[0].at);
   for (unsigned i = 0; i < 3; i++)
      glEnableVertexAttribArray(i);
   if (!program.fetches || can_fetch()) {
      glDrawArrays(mode, 0, count);
      return;
   }
   for (unsigned i = 0; i < count; i += size) {
      copy_before();
      glDrawArrays(mode, i, size);
   }
}

/* Returns how many samples passed. */
static GLuint
draw_something(void)
{
   static const GLenum modes[] = {GL_TRIANGLES, GL_TRIANGLES, GL_TRIANGLES, GL_POINTS, GL_POINTS, GL_LINES,
                                  GL_TRIANGLE_STRIP, GL_TRIANGLE_FAN};
   const GLenum mode = modes[random_below(scene.es ? 6 : 8)]; /* lists, where they may be drawn one by one */
   const unsigned primitives = 1 + random_below(PRIMITIVES), point = 1 + random_below(12);
   const unsigned count = mode == GL_POINTS ? primitives : mode == GL_LINES ? 2 * primitives : mode == GL_TRIANGLES ?
                          3 * primitives : 4 + random_below(4);
   const unsigned per_slot = mode == GL_TRIANGLES ? 3 : mode == GL_POINTS ? 1 : mode == GL_LINES ? 2 : count;
   GLuint query, passed = 0;

   make_random_program(mode, scene.es);
   set_where();
   set_blending();
   if (scene.has_depth)
      set_tests(mode);
   set_culling();
   if (mode == GL_TRIANGLES)
      choose_triangles(count);
   else if (mode == GL_POINTS)
      choose_points(count, point);
   else if (mode == GL_LINES)
      choose_lines(count);
   else
      choose_strip(mode == GL_TRIANGLE_FAN, count);
   fill_vertices(count, per_slot, (mode == GL_TRIANGLES || mode == GL_TRIANGLE_STRIP) && one_in(2));
   glUniform1f(glGetUniformLocation(program.name, "slot"), take_slot());
   glUniform1f(glGetUniformLocation(program.name, "size"), point);
   if (!scene.es) {
      glPointSize(point);
      enable(GL_POINT_SPRITE, mode == GL_POINTS);
      glGenQueries(1, &query);
      glBeginQuery(GL_SAMPLES_PASSED, query);
   }
   note(" mode 0x%x of %u, points %u\n", mode, count, point);
   for (unsigned i = 0; i < count; i++)
      note(" vertex %d,%d w %g\n", vertices[i].x, vertices[i].y, vertices[i].position[3]);
   draw_vertices(mode, count);
   if (!scene.es) {
      glEndQuery(GL_SAMPLES_PASSED);
      glGetQueryObjectuiv(query, GL_QUERY_RESULT, &passed);
      glDeleteQueries(1, &query);
   }
   glDeleteProgram(program.name);
   return passed;
}

/* --- pictures --- */

static unsigned
hash_of_stencil(void)
{
   static GLubyte stencil[LARGEST * LARGEST];
   const unsigned count = scene.width * scene.height;
   unsigned hash = 0;

   if (!scene.has_depth || scene.es)
      return 0;
   glReadPixels(0, 0, scene.width, scene.height, GL_STENCIL_INDEX, GL_UNSIGNED_BYTE, stencil);
   for (unsigned i = 0; i < count; i++)
      hash = hash * 31 + stencil[i];
   return hash;
}

static void
print_pixels(const char *what, unsigned step, GLuint passed, GLenum format, unsigned components, unsigned divisor)
{
   static GLubyte pixels[LARGEST * LARGEST * 4];

   glReadPixels(0, 0, scene.width, scene.height, format, GL_UNSIGNED_BYTE, pixels);
   printf("%u.%u-%s-%u-%08x ", scene.number, step, what, passed, hash_of_stencil());
   for (unsigned i = 0; i < scene.width * scene.height * components; i++)
      pixels[i] /= divisor;
   print_bytes(pixels, scene.width * scene.height * components);
}

static void
print_pictures(unsigned step, GLuint passed)
{
   glPixelStorei(GL_PACK_ALIGNMENT, 1);
   /* five bits differ by a step of 8, and two of them with blending */
   print_pixels("first", step, passed, GL_RGBA, 4, scene.narrow ? 4 : 1);
   if (scene.two) {
      glReadBuffer(GL_COLOR_ATTACHMENT1);
      print_pixels("second", step, passed, GL_RGBA, 4, scene.narrow ? 4 : 1);
      glReadBuffer(GL_COLOR_ATTACHMENT0);
   }
   if (scene.has_depth && !scene.es)
      print_pixels("depth", step, passed, GL_DEPTH_COMPONENT, 1, 1);
}

/* --- scenes --- */

static void
choose_scene(unsigned number)
{
   random_state = number * 2654435761u + 11;
   scene.number = number;
   scene.width = 3 + random_below(LARGEST - 2);
   scene.height = 3 + random_below(LARGEST - 2);
   scene.es = one_in(4);
   scene.narrow = one_in(4);
   scene.two = !scene.es && one_in(4);
   scene.has_depth = !one_in(3);
   scene.next_slot = 0;
   for (unsigned i = 0; i < SLOTS; i++) {
      const unsigned other = random_below(i + 1);
      scene.slots[i] = scene.slots[other];
      scene.slots[other] = i;
   }
   note("scene %u: %ux%u%s%s%s%s\n", number, scene.width, scene.height, scene.es ? " fetching" : "",
        scene.narrow ? " narrow" : "", scene.two ? " two" : "", scene.has_depth ? " depth" : "");
}

static void
play_scene(EGLDisplay display, unsigned number)
{
   choose_scene(number);
   make_current(display, scene.es ? create_context(display, EGL_OPENGL_ES_API, EGL_NO_CONTEXT, NULL)
                                  : new_context(display, EGL_NO_CONTEXT));
   make_targets();
   if (!scene.es)
      glEnable(GL_VERTEX_PROGRAM_POINT_SIZE);
   glClearColor(0.2f, 0.4f, 0.6f, 0.8f);
   glClearDepthf(0.5f);
   glClearStencil(random_below(4));
   glClear(GL_COLOR_BUFFER_BIT | (scene.has_depth ? GL_DEPTH_BUFFER_BIT | GL_STENCIL_BUFFER_BIT : 0));
   for (unsigned draws = 1 + random_below(DRAWS), i = 0; i < draws; i++) {
      note("draw %u:\n", i);
      print_pictures(i, draw_something());
   }
}

int
main(int argc, char **argv)
{
   return play_scenes(argc, argv, SCENES, play_scene);
}
