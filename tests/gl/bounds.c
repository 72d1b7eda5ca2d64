/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Generated draws that reach for memory that is not theirs: indices and vertices behind the end of their buffers, odd
 * offsets and strides, lies about index ranges, negative base vertices, uniform and temporary arrays indexed far outside,
 * viewports, scissors, copies and blits larger than the surfaces, texture coordinates and positions of any bit pattern.  The
 * context has robust access (EGL_EXT_create_context_robustness).
 *
 *   bounds [--cases N] [--first N] [--seed N] [--verbose]
 *
 * What GL says about the pictures is little; what this test is about is that no engine leaves the buffers of its job, so
 * it is to be run by "tegra20-run --strict", whose memory check ends with a status.  Many buffers are made to fill their
 * pages but for the padding, so that the check sees every byte behind them.  Every 50 cases, and at the end, a plain draw
 * must still give the right picture.
 */

#include "opengl.h"

#define ATTRIBS 4
#define UNIFORMS 12
#define CHECK_SIZE 16

/* --- random numbers: a case depends on the seed and its own number only ---------------------------------------------- */

static uint64_t case_state;

static void
start_case(unsigned seed, unsigned number)
{
   case_state = ((uint64_t)seed << 32 | number) * 0x9e3779b97f4a7c15ull + 1;
}

static uint32_t
random_bits(void)
{
   case_state ^= case_state << 13;
   case_state ^= case_state >> 7;
   case_state ^= case_state << 17;
   return case_state >> 16;
}

/* 0 .. n - 1 */
static uint32_t
below(uint32_t n)
{
   return random_bits() % n;
}

static bool
chance(unsigned percent)
{
   return below(100) < percent;
}

#define SOME(array) (array)[below(sizeof(array) / sizeof((array)[0]))]

/* Anything from harmless to absurd. */
static int
random_int(void)
{
   static const int odd[] = {0, 1, -1, 7, 255, 256, 4095, 4096, 65535, 65536, 1 << 20, -4096, -65536, 0x7fffffff, -0x7fffffff};
   return chance(40) ? SOME(odd) : chance(50) ? (int)below(300) : (int)(random_bits() % 20000) - 10000;
}

/* For rectangles that Mesa clips in 32 bits, where larger numbers overflow. */
static int
random_coordinate(void)
{
   return random_int() % (1 << 24);
}

static float
random_float(void)
{
   static const float odd[] = {0, -1, 1, 1e10f, -1e10f, 3e38f, 65536, -70000, 1e-30f, 2048.5f};
   union {
      uint32_t u;
      float f;
   } any = {random_bits() ^ random_bits() << 16};
   if (chance(10))
      return any.f; /* also infinities and NaNs */
   return chance(25) ? SOME(odd) : (int)below(4001) / 1000.0f - 2.0f;
}

/* --- programs -------------------------------------------------------------------------------------------------------- */

static const struct {
   const char *vertex, *fragment;
} sources[] = {
   /* plain attributes */
   {"attribute vec4 a0, a1, a2, a3; varying vec4 v;"
    "void main() { gl_Position = a0; v = a1 + a2 * a3; gl_PointSize = a1.x; }",
    "varying vec4 v; void main() { gl_FragColor = v; }"},
   /* uniform array indexed in the vertex program, by what the buffer says */
   {"attribute vec4 a0, a1; uniform vec4 u[12]; varying vec4 v;"
    "void main() { gl_Position = a0 * 0.5 + u[int(a1.x)]; v = u[int(a1.y * 100.0)]; gl_PointSize = 5.0; }",
    "varying vec4 v; void main() { gl_FragColor = v; }"},
   /* in the fragment program */
   {"attribute vec4 a0, a1; varying vec4 v; void main() { gl_Position = a0; v = a1; gl_PointSize = a1.w; }",
    "varying vec4 v; uniform vec4 u[12]; void main() { gl_FragColor = u[int(v.x * 20.0)] + u[int(v.y)]; }"},
   /* temporary and varying arrays, by uniforms */
   {"attribute vec4 a0, a1; uniform vec4 u[12]; uniform float i; varying vec4 v[3];"
    "void main() { vec4 t[4]; t[0] = a0; t[1] = a1; t[2] = u[0]; t[3] = u[1]; t[int(i)] = a1;"
    " gl_Position = a0; v[0] = t[int(i * 3.0)]; v[1] = a1; v[2] = t[int(a1.x)]; }",
    "varying vec4 v[3]; uniform float i; void main() { gl_FragColor = v[int(i)] + v[int(v[1].x)]; }"},
   /* textures with any coordinates */
   {"attribute vec4 a0, a1; varying vec4 v; void main() { gl_Position = a0; v = a1; }",
    "varying vec4 v; uniform sampler2D t; uniform float i;"
    "void main() { gl_FragColor = texture2D(t, v.xy * i) + texture2DProj(t, v.xyz) + texture2D(t, v.zw, i); }"},
};
#define NUM_PROGRAMS (COUNT(sources))

static GLuint programs[NUM_PROGRAMS + 1]; /* the last one draws the check */

static void
make_programs(void)
{
   for (unsigned i = 0; i < NUM_PROGRAMS; i++)
      programs[i] = make_program(sources[i].vertex, sources[i].fragment, "a0 a1 a2 a3");
   programs[NUM_PROGRAMS] = make_program("attribute vec4 a0; void main() { gl_Position = a0; }",
                                         "void main() { gl_FragColor = vec4(0.0, 1.0, 0.0, 1.0); }", "a0");
}

/* --- objects of one case --------------------------------------------------------------------------------------------- */

struct objects {
   GLuint buffers[ATTRIBS + 1]; /* the last one holds indices */
   unsigned sizes[ATTRIBS + 1];
   GLuint texture, target, depth, framebuffer;
   GLuint source, source_framebuffer; /* of blits: the same one would be undefined */
   unsigned width, height, source_width, source_height; /* of the target and the source */
};

/* What fills its pages up to the padding of 64 bytes, what is tiny, and other sizes. */
static unsigned
buffer_size(void)
{
   static const unsigned pages[] = {1, 2, 3, 4, 5, 6, 8, 16};
   return chance(60) ? SOME(pages) * 4096 - 64 : chance(50) ? 1 + below(64) : 1 + below(20000);
}

static void
fill_buffer(uint8_t *data, unsigned size, bool indices)
{
   for (unsigned i = 0; i + 4 <= size; i += 4) {
      float f = random_float();
      uint32_t bits = indices && chance(90) ? below(400) | below(400) << 16 : random_bits() ^ random_bits() << 16;
      if (indices)
         memcpy(data + i, &bits, 4);
      else
         memcpy(data + i, &f, 4);
   }
}

static void
make_buffers(struct objects *o)
{
   static uint8_t data[65536];
   glGenBuffers(ATTRIBS + 1, o->buffers);
   for (unsigned i = 0; i <= ATTRIBS; i++) {
      o->sizes[i] = buffer_size();
      fill_buffer(data, o->sizes[i], i == ATTRIBS);
      glBindBuffer(GL_ARRAY_BUFFER, o->buffers[i]);
      glBufferData(GL_ARRAY_BUFFER, o->sizes[i], data, chance(50) ? GL_STATIC_DRAW : GL_STREAM_DRAW);
   }
}

static void
make_texture(struct objects *o)
{
   static const GLenum wraps[] = {GL_REPEAT, GL_CLAMP_TO_EDGE, GL_MIRRORED_REPEAT, GL_CLAMP_TO_BORDER};
   static const GLenum filters[] = {GL_NEAREST, GL_LINEAR, GL_LINEAR_MIPMAP_LINEAR, GL_NEAREST_MIPMAP_NEAREST};
   static const GLenum formats[] = {GL_RGBA8, GL_RGB5, GL_LUMINANCE8, GL_ALPHA8};
   static const unsigned sizes[] = {1, 2, 3, 7, 8, 16, 17, 32, 33, 64, 100};
   static uint8_t data[100 * 100 * 4];
   unsigned width = SOME(sizes), height = SOME(sizes);
   GLenum filter = SOME(filters);
   o->texture = empty_texture(GL_TEXTURE_2D);
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, filter);
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, SOME(wraps));
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, SOME(wraps));
   bool mipmap = filter == GL_LINEAR_MIPMAP_LINEAR || filter == GL_NEAREST_MIPMAP_NEAREST;
   glTexParameteri(GL_TEXTURE_2D, GL_GENERATE_MIPMAP, mipmap);
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_BASE_LEVEL, chance(90) ? 0 : below(3));
   glTexImage2D(GL_TEXTURE_2D, 0, SOME(formats), width, height, 0, GL_RGBA, GL_UNSIGNED_BYTE, data);
}

static void
make_source(struct objects *o)
{
   o->source_width = 1 + below(130);
   o->source_height = 1 + below(130);
   o->source = target_buffer(GL_RGBA8, o->source_width, o->source_height);
   o->source_framebuffer = new_framebuffer();
   glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, o->source);
   CHECK(glCheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE);
}

static void
make_framebuffer(struct objects *o)
{
   static const GLenum formats[] = {GL_RGBA8, GL_RGB5, GL_RGB8};
   o->width = 1 + below(130);
   o->height = 1 + below(130);
   o->target = empty_texture(GL_TEXTURE_2D);
   glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
   glTexImage2D(GL_TEXTURE_2D, 0, SOME(formats), o->width, o->height, 0, GL_RGBA, GL_UNSIGNED_BYTE, NULL);
   o->framebuffer = texture_framebuffer(GL_TEXTURE_2D, o->target, 0);
   o->depth = 0;
   if (chance(50)) {
      /* Sometimes of another size than the colours. */
      const unsigned width = chance(70) ? o->width : 1 + below(130), height = chance(70) ? o->height : 1 + below(130);
      o->depth = target_buffer(GL_DEPTH24_STENCIL8, width, height);
      glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_STENCIL_ATTACHMENT, GL_RENDERBUFFER, o->depth);
   }
   if (glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE)
      glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_STENCIL_ATTACHMENT, GL_RENDERBUFFER, 0);
   CHECK(glCheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE);
   glBindTexture(GL_TEXTURE_2D, o->texture);
}

static void
delete_objects(struct objects *o)
{
   glDeleteBuffers(ATTRIBS + 1, o->buffers);
   glDeleteTextures(1, &o->texture);
   glDeleteTextures(1, &o->target);
   if (o->depth)
      glDeleteRenderbuffers(1, &o->depth);
   glDeleteFramebuffers(1, &o->framebuffer);
   glDeleteRenderbuffers(1, &o->source);
   glDeleteFramebuffers(1, &o->source_framebuffer);
}

/* --- state ----------------------------------------------------------------------------------------------------------- */

static void
random_attributes(const struct objects *o)
{
   static const GLenum types[] = {GL_FLOAT, GL_FLOAT, GL_BYTE, GL_UNSIGNED_BYTE,
                                  GL_SHORT, GL_UNSIGNED_SHORT, GL_INT, GL_DOUBLE};
   static const unsigned strides[] = {0, 1, 2, 3, 4, 8, 12, 16, 20, 31, 32, 64, 100, 255, 256, 512, 1000, 2047, 2048};
   for (unsigned i = 0; i < ATTRIBS; i++) {
      unsigned buffer = below(ATTRIBS), size = o->sizes[buffer];
      /* Inside, at the end, or far behind. */
      uint32_t offset = chance(60)   ? below(size) & ~3u
                        : chance(50) ? size - below(size < 64 ? size : 64)
                                     : random_int() & 0x7fffffff;
      if (i > 0 && chance(15)) {
         glDisableVertexAttribArray(i);
         glVertexAttrib4f(i, random_float(), random_float(), random_float(), random_float());
         continue;
      }
      glBindBuffer(GL_ARRAY_BUFFER, o->buffers[buffer]);
      glVertexAttribPointer(i, 1 + below(4), i == 0 && chance(70) ? GL_FLOAT : SOME(types), chance(50),
                            chance(80) ? SOME(strides) : below(2049), (void *)(uintptr_t)offset);
      glEnableVertexAttribArray(i);
   }
}

static void
random_uniforms(GLuint program)
{
   float u[UNIFORMS * 4];
   for (unsigned i = 0; i < UNIFORMS * 4; i++)
      u[i] = random_float();
   glUniform4fv(glGetUniformLocation(program, "u"), UNIFORMS, u);
   glUniform1f(glGetUniformLocation(program, "i"), chance(50) ? random_float() : random_int());
}

static void
random_state_of_rasterizer(const struct objects *o)
{
   static const GLenum polygon_modes[] = {GL_FILL, GL_FILL, GL_FILL, GL_LINE, GL_POINT};
   if (chance(50))
      glViewport(random_int(), random_int(), abs(random_int()), abs(random_int()));
   else
      glViewport(0, 0, o->width, o->height);
   enable(GL_SCISSOR_TEST, chance(50));
   glScissor(random_int(), random_int(), abs(random_int()), abs(random_int()));
   glPolygonMode(GL_FRONT_AND_BACK, SOME(polygon_modes));
   glLineWidth(chance(70) ? 1 : 1 + below(100));
   glPointSize(chance(70) ? 1 : 1 + below(2000));
   enable(GL_VERTEX_PROGRAM_POINT_SIZE, chance(50));
   enable(GL_POINT_SPRITE, chance(20));
   enable(GL_DEPTH_TEST, chance(40));
   enable(GL_STENCIL_TEST, chance(20));
   enable(GL_BLEND, chance(30));
   enable(GL_CULL_FACE, chance(10));
   glDepthRange(random_float(), random_float());
}

/* --- actions --------------------------------------------------------------------------------------------------------- */

/* The same indices twice: first vertices that exist, then any.  What a driver knows of a buffer ends with its contents. */
static void
draw_exchanged(GLenum mode, unsigned count, GLenum type, unsigned index_size, uint32_t offset, uint32_t buffer_size)
{
   static uint8_t indices[16 * 1024];
   const uint32_t wanted = count * index_size, size = wanted < sizeof(indices) ? wanted : sizeof(indices);
   if (offset > buffer_size || size > buffer_size - offset)
      return;
   for (unsigned any = 0; any < 2; any++) {
      for (uint32_t i = 0; i < size; i++)
         indices[i] = any ? random_bits() : 0;
      glBufferSubData(GL_ELEMENT_ARRAY_BUFFER, offset, size, indices);
      glDrawElements(mode, size / index_size, type, (void *)(uintptr_t)offset);
   }
}

static void
random_draw(const struct objects *o)
{
   static const GLenum modes[] = {GL_POINTS, GL_LINES, GL_LINE_LOOP, GL_LINE_STRIP, GL_TRIANGLES, GL_TRIANGLE_STRIP,
                                  GL_TRIANGLE_FAN, GL_QUADS, GL_QUAD_STRIP, GL_POLYGON, GL_TRIANGLES, GL_TRIANGLE_STRIP};
   static const GLenum types[] = {GL_UNSIGNED_BYTE, GL_UNSIGNED_SHORT, GL_UNSIGNED_INT};
   GLenum mode = SOME(modes), type = SOME(types);
   unsigned count = chance(80) ? below(60) : chance(80) ? below(1000) : below(9000);
   uint32_t offset = chance(70) ? below(o->sizes[ATTRIBS]) : random_int() & 0x7fffffff;
   unsigned index_size = type == GL_UNSIGNED_INT ? 4 : type == GL_UNSIGNED_SHORT ? 2 : 1;
   const void *indices = (void *)(uintptr_t)(offset / index_size * index_size);
   glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, o->buffers[ATTRIBS]);
   switch (below(6)) {
   case 0:
      glDrawArrays(mode, chance(60) ? below(300) : abs(random_int()), count);
      break;
   case 1:
      glDrawElements(mode, count, type, indices);
      break;
   case 2: { /* usually a lie */
      unsigned start = below(20);
      glDrawRangeElements(mode, start, start + below(20), count, type, indices);
      break;
   }
   case 3:
      glDrawElementsBaseVertex(mode, count, type, (void *)indices, chance(50) ? (int)below(600) - 300 : random_int());
      break;
   case 4: { /* indices that GL copies */
      uint16_t list[60];
      for (unsigned i = 0; i < 60; i++)
         list[i] = chance(90) ? below(100) : random_bits();
      glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, 0);
      glDrawElements(mode, count % 61, GL_UNSIGNED_SHORT, list);
      break;
   }
   case 5:
      draw_exchanged(mode, count, type, index_size, offset / index_size * index_size, o->sizes[ATTRIBS]);
      break;
   }
}

static void
random_copy(const struct objects *o)
{
   static uint8_t pixels[256 * 256 * 4];
   int more, less;
   switch (below(5)) {
   case 0:
      glBindTexture(GL_TEXTURE_2D, o->texture);
      glCopyTexSubImage2D(GL_TEXTURE_2D, 0, below(16), below(16), random_coordinate(), random_coordinate(), below(100),
                          below(100));
      break;
   case 1:
      glCopyTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA, random_coordinate(), random_coordinate(), 1 + below(100), 1 + below(100), 0);
      break;
   case 2:
      /* Slightly larger than the surfaces on all sides: many other cases meet assertions in Mesa's clipping. */
      glDisable(GL_SCISSOR_TEST);
      if (o->depth || o->width < 16 || o->height < 16 || o->source_width < 16 || o->source_height < 16)
         break;
      more = below(4);
      less = below(4);
      glBindFramebuffer(GL_READ_FRAMEBUFFER, o->source_framebuffer);
      glBlitFramebuffer(-more, -more, o->source_width + more, o->source_height + more, -less, -less, o->width + less,
                        o->height + less, GL_COLOR_BUFFER_BIT, chance(50) ? GL_LINEAR : GL_NEAREST);
      glBindFramebuffer(GL_FRAMEBUFFER, o->framebuffer);
      break;
   case 3:
      glReadPixels(random_coordinate(), random_coordinate(), below(256), below(256), GL_RGBA, GL_UNSIGNED_BYTE, pixels);
      break;
   case 4:
      glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT | GL_STENCIL_BUFFER_BIT);
      break;
   }
}

static void
run_case(void)
{
   struct objects o;
   make_buffers(&o);
   make_texture(&o);
   make_source(&o);
   make_framebuffer(&o);
   for (unsigned draws = 1 + below(3); draws; draws--) {
      GLuint program = programs[below(NUM_PROGRAMS)];
      glUseProgram(program);
      random_attributes(&o);
      random_uniforms(program);
      random_state_of_rasterizer(&o);
      random_draw(&o);
      if (chance(30))
         random_copy(&o);
   }
   delete_objects(&o);
   glFlush();
   /* Some of it is an error, but memory was there. */
   GLenum error;
   while ((error = glGetError()) != GL_NO_ERROR)
      CHECK(error == GL_INVALID_VALUE || error == GL_INVALID_OPERATION);
}

/* --- is everything still well? --------------------------------------------------------------------------------------- */

static void
check_picture(void)
{
   static const GLenum tests[] = {GL_SCISSOR_TEST, GL_DEPTH_TEST, GL_STENCIL_TEST, GL_BLEND, GL_CULL_FACE};
   uint8_t pixels[CHECK_SIZE * CHECK_SIZE][4];
   glPushAttrib(GL_ALL_ATTRIB_BITS);
   const GLuint framebuffer = make_target(CHECK_SIZE, CHECK_SIZE, false);
   glUseProgram(programs[NUM_PROGRAMS]);
   for (unsigned i = 1; i < ATTRIBS; i++)
      glDisableVertexAttribArray(i);
   glDepthRange(0, 1);
   glPolygonMode(GL_FRONT_AND_BACK, GL_FILL);
   for (unsigned i = 0; i < COUNT(tests); i++)
      glDisable(tests[i]);
   draw_square();
   glReadPixels(0, 0, CHECK_SIZE, CHECK_SIZE, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
   for (unsigned i = 0; i < CHECK_SIZE * CHECK_SIZE; i++)
      CHECK(pixels[i][0] == 0 && pixels[i][1] == 255 && pixels[i][2] == 0 && pixels[i][3] == 255);
   CHECK(glGetError() == GL_NO_ERROR);
   glDeleteFramebuffers(1, &framebuffer);
   glPopAttrib();
}

int
main(int argc, char **argv)
{
   unsigned cases = 1500, first = 0, seed = 1;
   const struct option_of_test options[] = {
      {"cases", &cases}, {"first", &first}, {"seed", &seed}, {"verbose", .flag = &verbose},
   };

   static const EGLint robust[] = {EGL_CONTEXT_OPENGL_ROBUST_ACCESS_EXT, EGL_TRUE, EGL_NONE};

   parse_options(argc, argv, options, COUNT(options));
   const EGLDisplay display = open_display();
   make_current(display, create_context(display, TEST_API, EGL_NO_CONTEXT, robust));
   printf("renderer: %s\n", glGetString(GL_RENDERER));
   make_programs();
   for (unsigned n = first; n < first + cases; n++) {
      note("case %u\n", n);
      start_case(seed, n);
      run_case();
      if (verbose)
         glFinish();
      if (n % 50 == 49)
         check_picture();
   }
   check_picture();
   printf("%u cases\n", cases);
   eglTerminate(display);
   return cases ? 0 : 1; /* what ran nothing has shown nothing */
}
