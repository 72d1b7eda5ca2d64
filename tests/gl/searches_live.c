/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Nothing waits for the thread that looks for better code (tegra20_improve.h), however much it has to do.
 *
 * MANY programs are drawn often enough that each gets a search, and the thread gets stuck in the first one: a handler of a
 * signal that was sent to it does not return.  Then programs are linked anew and deleted, contexts go, the process forks, and
 * ends in each of its ways.  Whoever waits for the thread waits for ever, however fast the machine is; each process has
 * some time (searches.c).  Then the same with a thread that works: when nobody wants what it looks for, it uses hardly any
 * more time of the CPU.
 */

#define _GNU_SOURCE
#include <dirent.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>

#include "opengl_es.h"

#define MANY 200
#define JOBS 24 /* with each program: more than TEGRA20_DRAFT_CYCLES */
#define MOST_MS_MORE 100 /* of CPU time, once nothing is wanted */
#define STUCK_SIGNAL SIGSEGV /* the thread blocks all others */

static EGLDisplay display;
static EGLContext context, other;

static EGLContext
make_context(EGLContext share)
{
   const EGLContext c = new_context(display, share);

   make_current(display, c);
   make_target(2048, 2048, false); /* for the driver a draw may cover it: many cycles */
   return c;
}

/* Whose best code takes long to find.  No two are the same. */
static GLuint
make_slow_program(unsigned salt, unsigned terms)
{
   return make_program("attribute vec4 p; varying vec4 a; void main() { gl_Position = p * vec4(1, 1, 1, 128); a = p; }", text_of(
      "precision mediump float; uniform vec4 u[4]; varying vec4 a;\n"
      "void main() { vec3 s = vec3(%u.0), n = a.xyz;\n"
      "   for (int i = 0; i < %u; i++) {\n"
      "      vec3 l = u[i / 4].xyz - n * float(i); float d = max(dot(n, l), 0.0);\n"
      "      s += u[3].wxy * d * inversesqrt(dot(l, l) + 0.5); }\n"
      "   gl_FragColor = vec4(s, 1.0); }",
      salt, terms), "p");
}

static void
draw(GLuint program)
{
   glUseProgram(program);
   for (unsigned i = 0; i < JOBS; i++) {
      draw_square();
      glFinish();
   }
   CHECK(glGetError() == GL_NO_ERROR);
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
   display = open_display();
   other = make_context(EGL_NO_CONTEXT);
   context = make_context(other);
   programs[0] = make_slow_program(0, 12);
   draw(programs[0]);
   pid_t thread;
   while (!(thread = find_thread()))
      pause_ms(1);
   if (stuck)
      stop_thread(thread);
   for (unsigned i = 1; i < MANY; i++)
      draw(programs[i] = make_slow_program(i, 2 + i % 5));
}

static void
use_programs(void)
{
   for (unsigned i = 0; i < MANY / 2; i++)
      glDeleteProgram(programs[i]);
   for (unsigned i = MANY / 2; i < MANY * 3 / 4; i++) {
      glLinkProgram(programs[i]);
      draw(programs[i]);
   }
   fork_and_draw();
}

static void
end_contexts(void)
{
   make_current(display, EGL_NO_CONTEXT);
   CHECK(eglDestroyContext(display, context) && eglDestroyContext(display, other));
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

/* How: exit, quick_exit, contexts, terminate, unload, idle; the first three do not return. */
void live_and_end(const char *how);

void
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
   CHECK(eglTerminate(display));
}
