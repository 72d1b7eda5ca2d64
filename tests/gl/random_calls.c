/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * random_calls: random calls of OpenGL ES 2 in several threads, for the sanitizers (tests/fuzz/calls.py).
 *
 *   random_calls [--seed N] [--seconds N] [--threads N] [--longest MS]
 *
 * Every second context shares its objects with the one before.  A slot of an object may be empty, or be emptied by another
 * thread while a draw uses what was in it.  What OpenGL leaves to the application is in order: who changes an object that
 * others share is alone.  Programs are linked, and where they are not shared linked anew, among them such as take several
 * passes.  Memory may end (tegra20-run --memory).
 *
 * Nothing is compared: the program must live, and no call may wait longer than MS (default 0: as long as it likes).  What
 * counts is time of the clock in which the thread neither works nor could for lack of a free CPU.
 */

#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#include "opengl_es.h"

#define MAX_THREADS 8
#define SLOTS 8
#define SIZE 64 /* the most of textures */
#define TARGET 16 /* of targets: a draw's picture is the simulator's work, which a call may wait for */
#define VERTICES 300
#define ATTRIBUTES 3

enum kind { TEXTURE, CUBE, BUFFER, INDICES, PROGRAM, RENDERBUFFER, KINDS };

/* What contexts share. */
struct share {
   atomic_uint names[KINDS][SLOTS];
   unsigned threads;
   pthread_rwlock_t contents;
};

static struct thread {
   pthread_t thread;
   EGLContext context;
   GLuint framebuffers[2];
   struct share *share;
   uint64_t random;
   int schedstat;
   unsigned long calls;
   double longest, longest_wait;
   const char *longest_name, *longest_wait_name;
} threads[MAX_THREADS];

static struct share shares[MAX_THREADS];
static EGLDisplay display;
static unsigned seed = 1, seconds = 10, num_threads = 3, longest_ms;
static uint8_t bytes[SIZE * SIZE * 4];
static const float positions[VERTICES * 4] = {-1, -1, 0, 1, 3, -1, 0, 1, -1, 3, 0, 1};

/* --- chance --- */

static unsigned
below(struct thread *t, unsigned n)
{
   t->random = t->random * 6364136223846793005 + 1442695040888963407;
   return (t->random >> 33) % n;
}

#define ONE_OF(t, ...) (((const unsigned[]){__VA_ARGS__})[below(t, COUNT(((const unsigned[]){__VA_ARGS__})))])

static float
number(struct thread *t)
{
   return (int)below(t, 401) / 100.0f - 2;
}

static unsigned
some_size(struct thread *t)
{
   return ONE_OF(t, 1, 2, 3, 7, 16, 31, 32, SIZE);
}

/* May be 0, or have been deleted. */
static GLuint
some(struct thread *t, enum kind kind)
{
   return t->share->names[kind][below(t, SLOTS)];
}

/* --- calls that change objects --- */

static void
texel_format(struct thread *t, GLenum *format, GLenum *type)
{
   static const GLenum formats[][2] = {
      {GL_RGBA, GL_UNSIGNED_BYTE}, {GL_RGB, GL_UNSIGNED_BYTE}, {GL_ALPHA, GL_UNSIGNED_BYTE},
      {GL_LUMINANCE, GL_UNSIGNED_BYTE}, {GL_LUMINANCE_ALPHA, GL_UNSIGNED_BYTE}, {GL_RGB, GL_UNSIGNED_SHORT_5_6_5},
      {GL_RGBA, GL_UNSIGNED_SHORT_4_4_4_4}, {GL_RGBA, GL_UNSIGNED_SHORT_5_5_5_1},
   };
   const unsigned i = below(t, COUNT(formats));

   *format = formats[i][0];
   *type = formats[i][1];
}

static GLenum
bind_texture(struct thread *t)
{
   const bool cube = below(t, 4) == 0;

   glActiveTexture(GL_TEXTURE0 + below(t, 4));
   glBindTexture(cube ? GL_TEXTURE_CUBE_MAP : GL_TEXTURE_2D, some(t, cube ? CUBE : TEXTURE));
   return cube ? GL_TEXTURE_CUBE_MAP_POSITIVE_X + below(t, 6) : GL_TEXTURE_2D;
}

static void
tex_image(struct thread *t)
{
   const GLenum target = bind_texture(t);
   const unsigned width = some_size(t), height = target == GL_TEXTURE_2D ? some_size(t) : width;
   GLenum format, type;

   texel_format(t, &format, &type);
   glTexImage2D(target, below(t, 4) ? 0 : below(t, 7), format, width, height, 0, format, type, below(t, 3) ? bytes : NULL);
}

static void
tex_sub_image(struct thread *t)
{
   const GLenum target = bind_texture(t);
   GLenum format, type;

   texel_format(t, &format, &type);
   glTexSubImage2D(target, below(t, 2), below(t, 16), below(t, 16), some_size(t), some_size(t), format, type, bytes);
}

static void
copy_tex_image(struct thread *t)
{
   const GLenum target = bind_texture(t), format = ONE_OF(t, GL_RGBA, GL_RGB, GL_ALPHA, GL_LUMINANCE);
   const unsigned size = some_size(t);

   if (below(t, 2))
      glCopyTexImage2D(target, 0, format, below(t, 32), below(t, 32), size, size, 0);
   else
      glCopyTexSubImage2D(target, 0, below(t, 16), below(t, 16), below(t, 32), below(t, 32), size, size);
}

/* Of a new texture: where levels of the right size are there from before, Mesa may abort (docs/buffers-and-faults.md). */
static void
generate_mipmap(struct thread *t)
{
   const bool cube = below(t, 4) == 0;
   const GLenum target = cube ? GL_TEXTURE_CUBE_MAP : GL_TEXTURE_2D;
   const unsigned size = some_size(t);
   GLenum format, type;

   texel_format(t, &format, &type);
   GLuint name = empty_texture(target);
   for (unsigned i = 0; i < (cube ? 6 : 1); i++)
      glTexImage2D(cube ? GL_TEXTURE_CUBE_MAP_POSITIVE_X + i : target, 0, format, size, cube ? size : some_size(t), 0, format,
                   type, bytes);
   glGenerateMipmap(target);
   name = atomic_exchange(&t->share->names[cube ? CUBE : TEXTURE][below(t, SLOTS)], name);
   glDeleteTextures(1, &name);
}

static void
tex_parameter(struct thread *t)
{
   const GLenum target = bind_texture(t) == GL_TEXTURE_2D ? GL_TEXTURE_2D : GL_TEXTURE_CUBE_MAP;

   glTexParameteri(target, ONE_OF(t, GL_TEXTURE_WRAP_S, GL_TEXTURE_WRAP_T),
                   ONE_OF(t, GL_REPEAT, GL_CLAMP_TO_EDGE, GL_MIRRORED_REPEAT));
   glTexParameteri(target, GL_TEXTURE_MIN_FILTER,
                   ONE_OF(t, GL_NEAREST, GL_LINEAR, GL_NEAREST_MIPMAP_NEAREST, GL_LINEAR_MIPMAP_LINEAR));
   glTexParameteri(target, GL_TEXTURE_MAG_FILTER, ONE_OF(t, GL_NEAREST, GL_LINEAR));
}

static void
buffer_data(struct thread *t)
{
   const bool indices = below(t, 3) == 0;
   const GLenum target = indices ? GL_ELEMENT_ARRAY_BUFFER : GL_ARRAY_BUFFER;

   glBindBuffer(target, some(t, indices ? INDICES : BUFFER));
   if (below(t, 2))
      glBufferData(target, ONE_OF(t, 1, 40, 1000, 5000, sizeof(bytes)), below(t, 3) ? bytes : NULL,
                   ONE_OF(t, GL_STATIC_DRAW, GL_DYNAMIC_DRAW, GL_STREAM_DRAW));
   else
      glBufferSubData(target, below(t, 500), below(t, 500), bytes);
}

static void
renderbuffer_storage(struct thread *t)
{
   glBindRenderbuffer(GL_RENDERBUFFER, some(t, RENDERBUFFER));
   glRenderbufferStorage(GL_RENDERBUFFER, ONE_OF(t, GL_RGBA4, GL_RGB565, GL_RGBA8_OES, GL_DEPTH_COMPONENT16, GL_STENCIL_INDEX8,
                                                 GL_DEPTH24_STENCIL8_OES), some_size(t), some_size(t));
}

/* Of a draw's programs some take several passes, some a search. */
static void
fragment_source(struct thread *t, char *text, size_t size)
{
   static const char *const endings[] = {
      "", "   if (c.x > 0.7) discard;\n", "   c = fract(c * 3.0);\n", "   c = vec4(lessThan(c, vec4(0.5)));\n",
   };
   const unsigned kind = below(t, 8), terms = 1 + below(t, kind == 0 ? 24 : 6);

   snprintf(text, size,
            "precision mediump float;\n"
            "uniform sampler2D s[3]; uniform samplerCube q; uniform vec4 u[8]; varying vec4 v, w;\n"
            "void main() {\n"
            "   vec4 c = u[%u] + %u.0 * v;\n"
            "   for (int i = 0; i < %u; i++)\n"
            "      c += %s * u[i - i / 8 * 8] + w * %s;\n"
            "%s   gl_FragColor = c;\n"
            "}\n",
            below(t, 8), below(t, 1000), terms,
            (const char *[]){"texture2D(s[0], v.xy + c.zw)", "sin(v * float(i))", "texture2D(s[1], w.xy * float(i))",
                             "textureCube(q, c.xyz)", "pow(abs(v), w)"}[below(t, 5)],
            (const char *[]){"dot(c, w)", "inversesqrt(c.x)", "texture2D(s[2], c.xy)", "exp2(c)", "v.x"}[below(t, 5)],
            endings[below(t, COUNT(endings))]);
}

/* A shared program becomes another one: where a context that uses it draws after another one linked it, Mesa looks for the
 * uniforms of the old code among the new ones (docs/buffers-and-faults.md). */
static GLuint
program_to_link(struct thread *t)
{
   if (t->share->threads == 1)
      return some(t, PROGRAM);
   const GLuint name = glCreateProgram();
   glDeleteProgram(atomic_exchange(&t->share->names[PROGRAM][below(t, SLOTS)], name));
   return name;
}

static void
link_program(struct thread *t)
{
   static const char *const vertex_sources[] = {
      "attribute vec4 a, b; varying vec4 v, w; uniform mat4 m;\n"
      "void main() { gl_Position = a; v = a * 0.5 + 0.5; w = m * b; }\n",
      "attribute vec4 a, b; varying vec4 v, w; uniform vec4 k[20];\n"
      "void main() { gl_Position = a + b * 0.1; gl_PointSize = 3.0; v = k[int(b.x) - int(b.x) / 20 * 20]; w = a; }\n",
   };
   const GLuint name = program_to_link(t);
   char text[2000];
   GLuint old[4];
   GLsizei count = 0;

   if (below(t, 3) && glIsProgram(name)) {
      glGetAttachedShaders(name, COUNT(old), &count, old);
      while (count)
         glDetachShader(name, old[--count]);
      fragment_source(t, text, sizeof(text));
      attach_shader(name, GL_VERTEX_SHADER, vertex_sources[below(t, COUNT(vertex_sources))]);
      attach_shader(name, GL_FRAGMENT_SHADER, text);
   }
   glBindAttribLocation(name, 0, "a");
   glLinkProgram(name);
}

static void
uniforms(struct thread *t)
{
   const GLint location = below(t, 30);
   const float values[16] = {number(t), number(t), number(t), number(t), 1, 1, 1, 1};

   if (below(t, 3))
      glUniform4fv(location, 1 + below(t, 4), values);
   else if (below(t, 2))
      glUniformMatrix4fv(location, 1, GL_FALSE, values);
   else
      glUniform1i(location, below(t, 4));
}

/* --- calls that others need not know of --- */

static GLuint
create(enum kind kind)
{
   GLuint name = 0;

   if (kind == PROGRAM)
      name = glCreateProgram();
   else if (kind == TEXTURE || kind == CUBE)
      glGenTextures(1, &name);
   else if (kind == RENDERBUFFER)
      glGenRenderbuffers(1, &name);
   else
      glGenBuffers(1, &name);
   return name;
}

static void
delete(enum kind kind, GLuint name)
{
   if (kind == PROGRAM)
      glDeleteProgram(name);
   else if (kind == TEXTURE || kind == CUBE)
      glDeleteTextures(1, &name);
   else if (kind == RENDERBUFFER)
      glDeleteRenderbuffers(1, &name);
   else
      glDeleteBuffers(1, &name);
}

static void
make_object(struct thread *t)
{
   const enum kind kind = below(t, KINDS);
   atomic_uint *slot = &t->share->names[kind][below(t, SLOTS)];
   unsigned empty = 0;
   const GLuint name = create(kind);

   if (!atomic_compare_exchange_strong(slot, &empty, name))
      delete(kind, name);
}

/* Attributes of a buffer that this context deletes would be pointers then. */
static void
forget_buffers(void)
{
   glBindBuffer(GL_ARRAY_BUFFER, 0);
   for (unsigned i = 0; i < ATTRIBUTES; i++)
      glVertexAttribPointer(i, 4, GL_FLOAT, GL_FALSE, 0, positions);
}

static void
delete_object(struct thread *t)
{
   const enum kind kind = below(t, KINDS);

   if (kind == BUFFER || kind == INDICES) /* a name may have been both */
      forget_buffers();
   delete(kind, atomic_exchange(&t->share->names[kind][below(t, SLOTS)], 0));
}

/* Renderbuffers of each context are others: Mesa has one surface of each, which one context takes from another that draws to
 * it (docs/buffers-and-faults.md). */
static void
attach_target(struct thread *t)
{
   const GLenum points[] = {GL_COLOR_ATTACHMENT0, GL_DEPTH_ATTACHMENT, GL_STENCIL_ATTACHMENT};
   const GLenum point = points[below(t, 3)];

   glBindFramebuffer(GL_FRAMEBUFFER, t->framebuffers[below(t, 2)]);
   if (below(t, 2))
      glFramebufferRenderbuffer(GL_FRAMEBUFFER, point, GL_RENDERBUFFER, some(t, RENDERBUFFER));
   else
      glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, some(t, TEXTURE), 0);
   glCheckFramebufferStatus(GL_FRAMEBUFFER);
}

static void
whole_target(struct thread *t)
{
   const GLuint buffer = target_buffer(GL_RGBA8_OES, TARGET, TARGET), framebuffer = t->framebuffers[below(t, 2)];

   glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
   glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, buffer);
   glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_RENDERBUFFER, 0);
   glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_STENCIL_ATTACHMENT, GL_RENDERBUFFER, 0);
   glBindFramebuffer(GL_FRAMEBUFFER, 0);
   glDeleteRenderbuffers(1, &buffer); /* it lives as long as it is attached to another framebuffer than the bound one */
   glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
   glViewport(0, 0, TARGET, TARGET);
}

static void
capabilities(struct thread *t)
{
   const GLenum capability = ONE_OF(t, GL_BLEND, GL_DEPTH_TEST, GL_STENCIL_TEST, GL_SCISSOR_TEST, GL_CULL_FACE,
                                    GL_POLYGON_OFFSET_FILL, GL_DITHER, GL_SAMPLE_COVERAGE);

   if (below(t, 2))
      glEnable(capability);
   else
      glDisable(capability);
}

static void
state(struct thread *t)
{
   glBlendFuncSeparate(ONE_OF(t, GL_ONE, GL_SRC_ALPHA, GL_DST_COLOR), ONE_OF(t, GL_ZERO, GL_ONE, GL_ONE_MINUS_SRC_ALPHA),
                       GL_ONE, ONE_OF(t, GL_ZERO, GL_DST_ALPHA));
   glBlendEquation(ONE_OF(t, GL_FUNC_ADD, GL_FUNC_SUBTRACT, GL_FUNC_REVERSE_SUBTRACT));
   glColorMask(below(t, 4), below(t, 4), below(t, 4), below(t, 4));
   glScissor(below(t, TARGET), below(t, TARGET), below(t, TARGET), below(t, TARGET));
   glViewport((int)below(t, TARGET) - TARGET / 2, 0, below(t, 2 * TARGET), TARGET);
   glDepthFunc(GL_NEVER + below(t, 8));
   glStencilFunc(GL_NEVER + below(t, 8), below(t, 256), below(t, 256));
   glStencilOp(ONE_OF(t, GL_KEEP, GL_ZERO, GL_INCR_WRAP), GL_REPLACE, ONE_OF(t, GL_INVERT, GL_DECR));
}

static void
attributes(struct thread *t)
{
   const GLuint index = below(t, ATTRIBUTES), buffer = below(t, 3) ? some(t, BUFFER) : 0;

   glBindBuffer(GL_ARRAY_BUFFER, buffer);
   if (below(t, 2) || index == 0) {
      glVertexAttribPointer(index, 1 + below(t, 4), ONE_OF(t, GL_FLOAT, GL_FLOAT, GL_SHORT, GL_UNSIGNED_BYTE), below(t, 2),
                            buffer ? below(t, 20) : 0, buffer ? (void *)(uintptr_t)below(t, 64) : (void *)positions);
      glEnableVertexAttribArray(index);
   } else {
      glDisableVertexAttribArray(index);
      glVertexAttrib4f(index, number(t), number(t), number(t), number(t));
   }
}

static void
use_program(struct thread *t)
{
   glUseProgram(some(t, PROGRAM));
   bind_texture(t);
}

/* Mesa takes a buffer without memory for an array of the client's, at NULL (docs/buffers-and-faults.md). */
static void
replace_empty_buffers(void)
{
   for (unsigned i = 0; i < ATTRIBUTES; i++) {
      GLint buffer, size = 0;
      glGetVertexAttribiv(i, GL_VERTEX_ATTRIB_ARRAY_BUFFER_BINDING, &buffer);
      if (!buffer)
         continue;
      glBindBuffer(GL_ARRAY_BUFFER, buffer);
      glGetBufferParameteriv(GL_ARRAY_BUFFER, GL_BUFFER_SIZE, &size);
      glBindBuffer(GL_ARRAY_BUFFER, 0);
      if (size == 0)
         glVertexAttribPointer(i, 4, GL_FLOAT, GL_FALSE, 0, positions);
   }
}

static void
draw_arrays(struct thread *t)
{
   replace_empty_buffers();
   glDrawArrays(ONE_OF(t, GL_TRIANGLES, GL_TRIANGLES, GL_TRIANGLE_STRIP, GL_LINES, GL_POINTS, GL_LINE_LOOP),
                below(t, 4) ? 0 : below(t, 10), below(t, 8) ? 3 : below(t, VERTICES - 10));
}

/* Indices beyond the end of their buffer are in tests/gl/bounds.c: Mesa reads them where vertices are in client memory. */
static void
draw_elements(struct thread *t)
{
   static const uint8_t indices[VERTICES] = {0, 1, 2, 2, 1, 0};
   const GLuint buffer = below(t, 2) ? some(t, INDICES) : 0;
   GLint size = 0;

   replace_empty_buffers();
   glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, buffer);
   if (buffer)
      glGetBufferParameteriv(GL_ELEMENT_ARRAY_BUFFER, GL_BUFFER_SIZE, &size);
   if (size >= 100)
      glDrawElements(GL_TRIANGLES, below(t, 20), GL_UNSIGNED_BYTE, (void *)(uintptr_t)below(t, 16));
   if (!buffer)
      glDrawElements(GL_TRIANGLES, below(t, VERTICES), GL_UNSIGNED_BYTE, indices);
}

static void
clear(struct thread *t)
{
   glClearColor(number(t), number(t), number(t), number(t));
   glClear((below(t, 2) ? GL_COLOR_BUFFER_BIT : 0) | (below(t, 2) ? GL_DEPTH_BUFFER_BIT : 0) |
           (below(t, 2) ? GL_STENCIL_BUFFER_BIT : 0));
}

static void
read_pixels(struct thread *t)
{
   uint8_t pixels[SIZE * SIZE * 4];

   glReadPixels(below(t, TARGET), below(t, TARGET), 1 + below(t, SIZE), 1 + below(t, SIZE), GL_RGBA, GL_UNSIGNED_BYTE, pixels);
}

static void
finish(struct thread *t)
{
   if (below(t, 4) == 0)
      glFinish();
   else
      glFlush();
   glGetError();
}

/* Another context, for as long as a few calls take, if there is memory for it; it may be the last that has some objects. */
static void
other_context(struct thread *t)
{
   static const EGLint attributes[] = {EGL_CONTEXT_CLIENT_VERSION, 2, EGL_NONE};
   const EGLContext other = eglCreateContext(display, EGL_NO_CONFIG_KHR, below(t, 2) ? t->context : EGL_NO_CONTEXT, attributes);

   if (other == EGL_NO_CONTEXT)
      return;
   make_current(display, other);
   glUseProgram(some(t, PROGRAM));
   bind_texture(t);
   make_current(display, t->context);
   eglDestroyContext(display, other);
}

static const struct call {
   const char *name;
   void (*call)(struct thread *);
   unsigned weight;
   bool changes; /* contents of what is shared */
} calls[] = {
   {"texture image", tex_image, 8, true}, {"part of an image", tex_sub_image, 8, true},
   {"copy to an image", copy_tex_image, 4, true}, {"mipmaps", generate_mipmap, 3, true},
   {"parameters", tex_parameter, 4, true}, {"buffer data", buffer_data, 8, true},
   {"renderbuffer storage", renderbuffer_storage, 3, true}, {"program", link_program, 5, true},
   {"uniforms", uniforms, 10, true}, {"new object", make_object, 30}, {"deletion", delete_object, 6},
   {"attachment", attach_target, 1}, {"target", whole_target, 5}, {"capability", capabilities, 4},
   {"state", state, 4}, {"attribute", attributes, 8}, {"use of a program", use_program, 10},
   {"draw of arrays", draw_arrays, 25}, {"draw of elements", draw_elements, 12}, {"clear", clear, 6},
   {"pixels", read_pixels, 2}, {"finish", finish, 4},
};

/* --- threads --- */

static double
clock_seconds(clockid_t clock)
{
   struct timespec t;

   clock_gettime(clock, &t);
   return t.tv_sec + t.tv_nsec * 1e-9;
}

/* Seconds that the thread had the CPU, or had none to run on. */
static double
busy_seconds(const struct thread *t)
{
   char text[100] = "";
   unsigned long long ran = 0, waited = 0;

   if (pread(t->schedstat, text, sizeof(text) - 1, 0) > 0)
      sscanf(text, "%llu %llu", &ran, &waited);
   return (ran + waited) * 1e-9;
}

static void
make_call(struct thread *t, const char *name, void (*call)(struct thread *))
{
   const double busy = busy_seconds(t), start = clock_seconds(CLOCK_MONOTONIC);

   call(t);
   const double took = clock_seconds(CLOCK_MONOTONIC) - start, waited = took - (busy_seconds(t) - busy);
   if (took > t->longest) {
      t->longest = took;
      t->longest_name = name;
   }
   if (waited > t->longest_wait) {
      t->longest_wait = waited;
      t->longest_wait_name = name;
   }
   t->calls++;
}

static const struct call *
some_call(struct thread *t)
{
   unsigned sum = 0;

   for (unsigned i = 0; i < COUNT(calls); i++)
      sum += calls[i].weight;
   unsigned chosen = below(t, sum), i = 0;
   while (chosen >= calls[i].weight)
      chosen -= calls[i++].weight;
   return &calls[i];
}

static void *
run(void *data)
{
   struct thread *t = data;
   const double end = clock_seconds(CLOCK_MONOTONIC) + seconds;

   t->schedstat = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
   CHECK(t->schedstat >= 0);
   CHECK(eglBindAPI(EGL_OPENGL_ES_API));
   make_current(display, t->context);
   glGenFramebuffers(2, t->framebuffers);
   whole_target(t);
   while (clock_seconds(CLOCK_MONOTONIC) < end) {
      const struct call *c = some_call(t);
      if (c->changes)
         pthread_rwlock_wrlock(&t->share->contents);
      else
         pthread_rwlock_rdlock(&t->share->contents);
      make_call(t, c->name, c->call);
      if (t->calls % 1000 == 0)
         make_call(t, "another context", other_context);
      pthread_rwlock_unlock(&t->share->contents);
   }
   make_current(display, EGL_NO_CONTEXT);
   close(t->schedstat);
   return NULL;
}

int
main(int argc, char **argv)
{
   const struct option_of_test options[] = {
      {"seed", &seed}, {"seconds", &seconds}, {"threads", &num_threads}, {"longest", &longest_ms},
   };
   unsigned long sum = 0;
   bool ok = true;

   parse_options(argc, argv, options, COUNT(options));
   CHECK(num_threads >= 1 && num_threads <= MAX_THREADS);
   for (unsigned i = 0; i < sizeof(bytes); i++)
      bytes[i] = i * 7 % 251;
   display = open_display();
   for (unsigned i = 0; i < num_threads; i++) {
      struct thread *t = &threads[i], *other = &threads[i - i % 2];
      t->share = &shares[other - threads];
      t->share->threads++;
      t->random = (uint64_t)seed * MAX_THREADS + i;
      if (t == other)
         pthread_rwlock_init(&t->share->contents, NULL);
      t->context = new_context(display, t == other ? EGL_NO_CONTEXT : other->context);
   }
   for (unsigned i = 0; i < num_threads; i++)
      CHECK(pthread_create(&threads[i].thread, NULL, run, &threads[i]) == 0);
   for (unsigned i = 0; i < num_threads; i++) {
      const struct thread *t = &threads[i];
      pthread_join(t->thread, NULL);
      sum += t->calls;
      printf("thread %u: longest call %.3f s (%s), longest wait %.3f s (%s)\n", i, t->longest, t->longest_name,
             t->longest_wait, t->longest_wait_name);
      ok = ok && (!longest_ms || t->longest_wait * 1000 <= longest_ms);
   }
   printf("seed %u: %lu calls\n", seed, sum);
   /* Contexts stay: where one that drew last with a deleted program ends after the one that made its code, Mesa uses the latter
    * (docs/buffers-and-faults.md). */
   return ok ? 0 : 1;
}
