/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * searches: nothing waits for the thread that looks for better code (tegra20_improve.h), however much it has to do.
 *
 * MANY programs are drawn often enough that each gets a search, and the thread gets stuck in the first one: a handler of a
 * signal that was sent to it does not return.  Then programs are linked anew and deleted, contexts go, the process forks, and
 * ends in each of its ways.  Whoever waits for the thread waits for ever, however fast the machine is; each process has
 * SECONDS.  Then the same with a thread that works: when nobody wants what it looks for, it uses hardly any more time of
 * the CPU.
 *
 * The libraries are loaded here, so that they can be unloaded.
 */

#define _GNU_SOURCE
#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GLES2/gl2.h>
#include <dirent.h>
#include <dlfcn.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#define CHECK(condition)                                                                                               \
   do {                                                                                                                \
      if (!(condition)) {                                                                                              \
         fprintf(stderr, "%s:%d: %s failed\n", __FILE__, __LINE__, #condition);                                        \
         _exit(1);                                                                                                     \
      }                                                                                                                \
   } while (0)

#define MANY 200
#define JOBS 4 /* with each program */
#define SECONDS 100
#define MOST_MS_MORE 100 /* of CPU time, once nothing is wanted */
#define STUCK_SIGNAL SIGSEGV /* the thread blocks all others */

#define FUNCTIONS(F)                                                                                                   \
   F(PFNEGLGETPLATFORMDISPLAYPROC, eglGetPlatformDisplay)                                                              \
   F(PFNEGLINITIALIZEPROC, eglInitialize)                                                                              \
   F(PFNEGLBINDAPIPROC, eglBindAPI)                                                                                    \
   F(PFNEGLCHOOSECONFIGPROC, eglChooseConfig)                                                                          \
   F(PFNEGLCREATECONTEXTPROC, eglCreateContext)                                                                        \
   F(PFNEGLDESTROYCONTEXTPROC, eglDestroyContext)                                                                      \
   F(PFNEGLMAKECURRENTPROC, eglMakeCurrent)                                                                            \
   F(PFNEGLTERMINATEPROC, eglTerminate)                                                                                \
   F(PFNGLGENFRAMEBUFFERSPROC, glGenFramebuffers)                                                                      \
   F(PFNGLBINDFRAMEBUFFERPROC, glBindFramebuffer)                                                                      \
   F(PFNGLGENRENDERBUFFERSPROC, glGenRenderbuffers)                                                                    \
   F(PFNGLBINDRENDERBUFFERPROC, glBindRenderbuffer)                                                                    \
   F(PFNGLRENDERBUFFERSTORAGEPROC, glRenderbufferStorage)                                                              \
   F(PFNGLFRAMEBUFFERRENDERBUFFERPROC, glFramebufferRenderbuffer)                                                      \
   F(PFNGLCREATESHADERPROC, glCreateShader)                                                                            \
   F(PFNGLSHADERSOURCEPROC, glShaderSource)                                                                            \
   F(PFNGLCOMPILESHADERPROC, glCompileShader)                                                                          \
   F(PFNGLDELETESHADERPROC, glDeleteShader)                                                                            \
   F(PFNGLCREATEPROGRAMPROC, glCreateProgram)                                                                          \
   F(PFNGLATTACHSHADERPROC, glAttachShader)                                                                            \
   F(PFNGLLINKPROGRAMPROC, glLinkProgram)                                                                              \
   F(PFNGLGETPROGRAMIVPROC, glGetProgramiv)                                                                            \
   F(PFNGLUSEPROGRAMPROC, glUseProgram)                                                                                \
   F(PFNGLDELETEPROGRAMPROC, glDeleteProgram)                                                                          \
   F(PFNGLVERTEXATTRIBPOINTERPROC, glVertexAttribPointer)                                                              \
   F(PFNGLENABLEVERTEXATTRIBARRAYPROC, glEnableVertexAttribArray)                                                      \
   F(PFNGLVIEWPORTPROC, glViewport)                                                                                    \
   F(PFNGLDRAWARRAYSPROC, glDrawArrays)                                                                                \
   F(PFNGLFINISHPROC, glFinish)                                                                                        \
   F(PFNGLGETERRORPROC, glGetError)

#define DECLARE(type, name) type name;
static struct {
   FUNCTIONS(DECLARE)
} gl;

static void *library;
static EGLDisplay display;
static EGLConfig config;
static EGLContext context, other;

static void
load(void)
{
   library = dlopen("libEGL.so.1", RTLD_NOW);
   CHECK(library);
   PFNEGLGETPROCADDRESSPROC get = (PFNEGLGETPROCADDRESSPROC)dlsym(library, "eglGetProcAddress");
#define LOAD(type, name) CHECK((gl.name = (type)get(#name)));
   FUNCTIONS(LOAD)
}

static EGLContext
make_context(EGLContext share)
{
   static const EGLint version[] = {EGL_CONTEXT_CLIENT_VERSION, 2, EGL_NONE};
   const EGLContext c = gl.eglCreateContext(display, config, share, version);
   GLuint framebuffer, buffer;

   CHECK(gl.eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, c));
   gl.glGenFramebuffers(1, &framebuffer);
   gl.glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
   gl.glGenRenderbuffers(1, &buffer);
   gl.glBindRenderbuffer(GL_RENDERBUFFER, buffer);
   gl.glRenderbufferStorage(GL_RENDERBUFFER, GL_RGB565, 16, 16);
   gl.glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, buffer);
   gl.glViewport(0, 0, 16, 16);
   gl.glEnableVertexAttribArray(0);
   return c;
}

static void
open_contexts(void)
{
   static const EGLint attributes[] = {EGL_RENDERABLE_TYPE, EGL_OPENGL_ES2_BIT, EGL_SURFACE_TYPE, EGL_PBUFFER_BIT, EGL_NONE};
   EGLint count;

   display = gl.eglGetPlatformDisplay(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, NULL);
   CHECK(gl.eglInitialize(display, NULL, NULL) && gl.eglBindAPI(EGL_OPENGL_ES_API));
   CHECK(gl.eglChooseConfig(display, attributes, &config, 1, &count) && count == 1);
   other = make_context(EGL_NO_CONTEXT);
   context = make_context(other);
}

static void
attach(GLuint program, GLenum type, const char *text)
{
   const GLuint shader = gl.glCreateShader(type);

   gl.glShaderSource(shader, 1, &text, NULL);
   gl.glCompileShader(shader);
   gl.glAttachShader(program, shader);
   gl.glDeleteShader(shader);
}

/* Whose best code takes long to find.  No two are the same. */
static GLuint
make_program(unsigned salt, unsigned terms)
{
   const GLuint program = gl.glCreateProgram();
   char text[1000];
   GLint ok;

   snprintf(text, sizeof(text),
            "precision mediump float; uniform vec4 u[4]; varying vec4 a;\n"
            "void main() { vec3 s = vec3(%u.0), n = a.xyz;\n"
            "   for (int i = 0; i < %u; i++) {\n"
            "      vec3 l = u[i / 4].xyz - n * float(i); float d = max(dot(n, l), 0.0);\n"
            "      s += u[3].wxy * d * inversesqrt(dot(l, l) + 0.5); }\n"
            "   gl_FragColor = vec4(s, 1.0); }",
            salt, terms);
   attach(program, GL_VERTEX_SHADER, "attribute vec4 p; varying vec4 a; void main() { gl_Position = p; a = p; }");
   attach(program, GL_FRAGMENT_SHADER, text);
   gl.glLinkProgram(program);
   gl.glGetProgramiv(program, GL_LINK_STATUS, &ok);
   CHECK(ok);
   return program;
}

static void
draw(GLuint program)
{
   static const float corners[] = {-1, -1, 3, -1, -1, 3};

   gl.glUseProgram(program);
   gl.glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, corners);
   for (unsigned i = 0; i < JOBS; i++) {
      gl.glDrawArrays(GL_TRIANGLES, 0, 3);
      gl.glFinish();
   }
   CHECK(gl.glGetError() == GL_NO_ERROR);
}

/* --- the thread --- */

/* Its number, or 0. */
static pid_t
find_thread(void)
{
   DIR *tasks = opendir("/proc/self/task");
   pid_t found = 0;

   for (struct dirent *e; !found && (e = readdir(tasks));) {
      char path[300], name[32] = "";
      snprintf(path, sizeof(path), "/proc/self/task/%s/comm", e->d_name);
      FILE *file = fopen(path, "r");
      if (file && fgets(name, sizeof(name), file) && strncmp(name, "tegra20:best", 12) == 0)
         found = atoi(e->d_name);
      if (file)
         fclose(file);
   }
   closedir(tasks);
   return found;
}

static void
pause_ms(unsigned ms)
{
   nanosleep(&(struct timespec){.tv_nsec = ms * 1000000}, NULL);
}

static atomic_bool is_stuck;
static uintptr_t libc_start, libc_end;

static void
find_libc(void)
{
   FILE *file = fopen("/proc/self/maps", "r");
   char line[600];
   uintptr_t start, end;

   while (fgets(line, sizeof(line), file)) {
      if (!strstr(line, "/libc.so") || sscanf(line, "%" SCNxPTR "-%" SCNxPTR, &start, &end) != 2)
         continue;
      libc_start = libc_start ? libc_start : start;
      libc_end = end;
   }
   fclose(file);
   CHECK(libc_start);
}

static uintptr_t
interrupted_at(const ucontext_t *context)
{
#if defined(__x86_64__)
   return context->uc_mcontext.gregs[REG_RIP];
#elif defined(__aarch64__)
   return context->uc_mcontext.pc;
#elif defined(__arm__)
   return context->uc_mcontext.arm_pc;
#else
#error "where is the program counter?"
#endif
}

/* But not in malloc(), for whose locks fork() waits. */
static void
get_stuck(int number, siginfo_t *info, void *context)
{
   const uintptr_t at = interrupted_at(context);

   if (at >= libc_start && at < libc_end)
      return;
   is_stuck = true;
   for (;;)
      pause();
}

static void
stop_thread(pid_t thread)
{
   const struct sigaction action = {.sa_sigaction = get_stuck, .sa_flags = SA_SIGINFO};

   find_libc();
   sigaction(STUCK_SIGNAL, &action, NULL);
   while (!is_stuck) {
      CHECK(syscall(SYS_tgkill, getpid(), thread, STUCK_SIGNAL) == 0);
      pause_ms(1);
   }
}

/* CPU time of all threads but this one, ms. */
static long
others_ms(void)
{
   struct timespec all, own;

   clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &all);
   clock_gettime(CLOCK_THREAD_CPUTIME_ID, &own);
   return (all.tv_sec - own.tv_sec) * 1000 + (all.tv_nsec - own.tv_nsec) / 1000000;
}

/* --- what is done meanwhile, and the ends of a process --- */

static GLuint programs[MANY];

static void
fork_and_draw(void)
{
   const pid_t child = fork();
   int status;

   if (child == 0) {
      draw(programs[MANY - 1]);
      exit(0);
   }
   CHECK(waitpid(child, &status, 0) == child && status == 0);
}

static void
begin(bool stuck)
{
   load();
   open_contexts();
   programs[0] = make_program(0, 12);
   draw(programs[0]);
   pid_t thread;
   while (!(thread = find_thread()))
      pause_ms(1);
   if (stuck)
      stop_thread(thread);
   for (unsigned i = 1; i < MANY; i++)
      draw(programs[i] = make_program(i, 2 + i % 5));
}

static void
use_programs(void)
{
   for (unsigned i = 0; i < MANY / 2; i++)
      gl.glDeleteProgram(programs[i]);
   for (unsigned i = MANY / 2; i < MANY * 3 / 4; i++) {
      gl.glLinkProgram(programs[i]);
      draw(programs[i]);
   }
   fork_and_draw();
}

static void
end_contexts(void)
{
   CHECK(gl.eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT));
   CHECK(gl.eglDestroyContext(display, context) && gl.eglDestroyContext(display, other));
}

static void
expect_idle_thread(void)
{
   const long before = others_ms();

   while (find_thread())
      pause_ms(1);
   const long more = others_ms() - before;
   printf("%ld ms more\n", more);
   CHECK(more <= MOST_MS_MORE);
}

static void
live_and_end(const char *how)
{
   const bool idle = strcmp(how, "idle") == 0;

   begin(!idle);
   use_programs();
   if (strcmp(how, "exit") == 0)
      exit(0);
   if (strcmp(how, "quick_exit") == 0)
      quick_exit(0);
   end_contexts();
   if (idle)
      expect_idle_thread();
   if (strcmp(how, "contexts") == 0)
      exit(0);
   CHECK(gl.eglTerminate(display));
   if (strcmp(how, "unload") == 0)
      CHECK(dlclose(library) == 0);
}

int
main(void)
{
   static const char *const ends[] = {"exit", "quick_exit", "contexts", "terminate", "unload", "idle"};

   for (unsigned i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
      const pid_t child = fork();
      int status;
      if (child == 0) {
         alarm(SECONDS);
         live_and_end(ends[i]);
         return 0;
      }
      CHECK(waitpid(child, &status, 0) == child);
      if (status) {
         fprintf(stderr, "%s: %s\n", ends[i], WIFSIGNALED(status) ? strsignal(WTERMSIG(status)) : "failed");
         return 1;
      }
   }
   return 0;
}
