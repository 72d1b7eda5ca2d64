/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * A walk over all failing ioctls of a program in one run
 * (TEGRA20_SHIM_WALK=DIRECTORY; TEGRA20_SHIM_WALK_FIRST=N: from the Nth on;
 * TEGRA20_SHIM_WALK_TURN=N: each with one of the errors in turn, beginning
 * with the Nth; so N from 0 to 4 are all).
 *
 * At each ioctl, and each mmap() of the device, the process forks once per
 * error: in the child this call fails with it, and the child runs to its end;
 * the parent waits for that and goes on undisturbed.  So what comes before
 * the failure is not executed again for each of the errors.  At each
 * submission there is one child more, whose job never ends (in turn 0).
 *
 * A child is a copy of its parent except for two things.  The memory of
 * buffers is shared between processes: it gets buffers of its own with the
 * same contents at the same addresses.  And libraries that look for a new
 * process number to detect a fork would behave otherwise (libglvnd then
 * forgets the current context): it sees the number of its parent. The
 * simulator is copied with the rest.
 *
 * A child's output goes to DIRECTORY/NAME-NUMBER-ERROR, behind what the
 * program had written before if its standard output is a file that can be
 * read.  The file DIRECTORY/log has a line "NAME NUMBER ERROR STATUS" for
 * each child; STATUS is what it ended with, negative for a signal, or "hangs"
 * when it had to be killed after a minute. TEGRA20_SHIM_FAIL=*:NUMBER:ERROR
 * is the same failure in a process of its own, for mappings
 * MMAP:NUMBER:ERROR; for jobs that never end (ERROR is HANG) it is
 * TEGRA20_SHIM_HANG=NUMBER.
 *
 * Only for programs of one process and one thread: a child has no other
 * threads, and what these were about to do would never be done.  Where there
 * are others, the log says "threads" and nothing is forked.  Mesa has none
 * when its cache of programs is off (MESA_SHADER_CACHE_DISABLE=true) and the
 * driver looks for the best code at once (TEGRA20_DEBUG=best).
 */

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/pidfd.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "shim.h"

#define CHILD_MS 60000

static const char *directory; /* NULL: no walk, or this is a child of it */
static int log_fd;
static unsigned first_ioctl, num_ioctls, num_mmaps, num_jobs;
static int turn; /* -1: all errors */
static bool forking;
static bool hang_next;   /* in a child */
static pid_t parent_pid; /* in a child, else 0 */

static const int errors[] = { ENOMEM, EINTR, EIO, EPERM, EINVAL };

void
shim_walk_init(void)
{
   const char *text = getenv("TEGRA20_SHIM_WALK");
   if (!text || !*text)
      return;
   char path[PATH_MAX];
   snprintf(path, sizeof(path), "%s/log", text);
   /* Not another process of a program that is walked already. */
   log_fd =
      open(path, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0666);
   if (log_fd < 0)
      fprintf(stderr, "tegra20-shim: cannot write %s: %s\n", path,
              strerror(errno));
   else
      directory = text;
   first_ioctl = shim_options_number("TEGRA20_SHIM_WALK_FIRST", UINT_MAX, 1);
   turn = (int)shim_options_number("TEGRA20_SHIM_WALK_TURN",
                                   ARRAY_SIZE(errors) - 1, -1);
   shim.options.threads = 1;
}

bool
shim_walk_forks(void)
{
   return forking;
}

static unsigned
count_threads(void)
{
   unsigned n = 0;
   DIR *dir = opendir("/proc/self/task");
   if (!dir)
      return 0;
   for (struct dirent *entry = readdir(dir); entry; entry = readdir(dir))
      n += entry->d_name[0] != '.';
   closedir(dir);
   return n;
}

__attribute__((visibility("default"))) pid_t
getpid(void)
{
   return parent_pid ? parent_pid : (pid_t)syscall(SYS_getpid);
}

/* --- the child --- */

static void
give_up(const char *what)
{
   fprintf(stderr, "tegra20-shim: TEGRA20_SHIM_WALK: %s: %s\n", what,
           strerror(errno));
   _exit(125);
}

/* A file in memory with the contents of another one. */
static int
copy_file(const struct shim_mem *mem)
{
   struct stat st;
   int fd = memfd_create(SHIM_BUFFER_MEMFD, MFD_CLOEXEC);
   if (fd < 0 || fstat(mem->fd, &st) || ftruncate(fd, mem->size) ||
       fchmod(fd, st.st_mode & 0777))
      give_up("cannot copy a buffer");
   /* Pages that were never written stay so. */
   off_t start = 0;
   while ((start = lseek(mem->fd, start, SEEK_DATA)) >= 0) {
      off_t end = lseek(mem->fd, start, SEEK_HOLE);
      if (pwrite(fd, mem->cpu + start, end - start, start) != end - start)
         give_up("cannot copy a buffer");
      start = end;
   }
   return fd;
}

/* Puts the copy wherever the program has mapped the original. */
static void
replace_mappings(FILE *maps, const struct shim_mem *mem, int copy)
{
   char line[PATH_MAX + 128], access[8];
   unsigned long start, end, offset, inode;
   rewind(maps);
   while (fgets(line, sizeof(line), maps)) {
      if (sscanf(line, "%lx-%lx %7s %lx %*x:%*x %lu", &start, &end, access,
                 &offset, &inode) != 5 ||
          inode != mem->inode || !strstr(line, SHIM_BUFFER_MEMFD))
         continue;
      int protection = (access[0] == 'r' ? PROT_READ : 0) |
                       (access[1] == 'w' ? PROT_WRITE : 0);
      if (mmap((void *)start, end - start, protection, MAP_SHARED | MAP_FIXED,
               copy, offset) == MAP_FAILED)
         give_up("cannot map the copy of a buffer");
   }
}

/* ...and behind each of its descriptors, the shim's own and those of
 * dma-bufs. */
static void
replace_descriptors(const struct shim_mem *mem, int copy)
{
   DIR *dir = opendir("/proc/self/fd");
   if (!dir)
      give_up("cannot list descriptors");
   for (struct dirent *entry = readdir(dir); entry; entry = readdir(dir)) {
      struct stat st;
      int fd = atoi(entry->d_name);
      if (entry->d_name[0] == '.' || fstat(fd, &st) ||
          st.st_ino != mem->inode || !shim_is_dma_buf(fd))
         continue;
      int flags = fcntl(fd, F_GETFD);
      if (dup3(copy, fd, flags & FD_CLOEXEC ? O_CLOEXEC : 0) < 0)
         give_up("cannot replace a descriptor");
   }
   closedir(dir);
}

static void
own_buffers(void)
{
   struct stat st;
   FILE *maps = fopen("/proc/self/maps", "re");
   if (!maps)
      give_up("cannot read /proc/self/maps");
   list_for_each_entry (struct shim_mem, mem, &shim.mems, link) {
      int copy = copy_file(mem);
      replace_mappings(maps, mem, copy);
      replace_descriptors(mem, copy);
      if (fstat(copy, &st))
         give_up("cannot copy a buffer");
      mem->inode = st.st_ino;
      close(copy);
   }
   fclose(maps);
}

static void
write_earlier_output(int fd)
{
   char text[4096];
   struct stat st;
   if (fstat(fd, &st) || !S_ISREG(st.st_mode))
      return;
   off_t position = 0;
   for (ssize_t n; (n = pread(fd, text, sizeof(text), position)) > 0;
        position += n) {
      if (write(STDOUT_FILENO, text, n) != n)
         give_up("cannot copy the output");
   }
}

static void
become_child(pid_t parent, const char *name, unsigned number,
             const char *error)
{
   char path[PATH_MAX];
   snprintf(path, sizeof(path), "%s/%s-%u-%s", directory, name, number,
            error);
   int output = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
   int earlier = dup(STDOUT_FILENO);
   if (output < 0 || dup2(output, STDOUT_FILENO) < 0 ||
       dup2(output, STDERR_FILENO) < 0)
      give_up(path);
   close(output);
   close(log_fd);
   write_earlier_output(earlier);
   close(earlier);
   directory = NULL;
   parent_pid = shim.pid = parent;
   shim_report_end();
   own_buffers();
}

/* --- the parent --- */

static void
note(const char *name, unsigned number, const char *error, const char *result)
{
   char line[128];
   int length = snprintf(line, sizeof(line), "%s %u %s %s\n", name, number,
                         error, result);
   if (write(log_fd, line, length) != length)
      fprintf(stderr, "tegra20-shim: cannot write the log of the walk: %s\n",
              strerror(errno));
}

/* What became of it. */
static void
await_child(pid_t pid, char result[16])
{
   int status, ready = 1;
   struct pollfd pfd = { .fd = pidfd_open(pid, 0), .events = POLLIN };
   int64_t end = shim_now() + CHILD_MS * 1000000ll;
   while (pfd.fd >= 0 &&
          (ready = poll(&pfd, 1,
                        (int)MAX2((end - shim_now()) / 1000000, 0))) < 0 &&
          errno == EINTR)
      ;
   if (ready <= 0)
      kill(pid, SIGKILL);
   while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
      ;
   if (pfd.fd >= 0)
      close(pfd.fd);
   if (ready <= 0)
      strcpy(result, "hangs");
   else
      snprintf(result, 16, "%d",
               WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status));
}

/* True in the child. */
static bool
step(const char *name, unsigned number, const char *error)
{
   char result[16] = "no-fork";
   forking = true;
   pid_t parent = getpid(), pid = fork();
   forking = false;
   if (pid == 0) {
      become_child(parent, name, number, error);
      return true;
   }
   if (pid > 0)
      await_child(pid, result);
   note(name, number, error, result);
   return false;
}

int
shim_walk(const char *name)
{
   if (!directory)
      return 0;
   bool is_mmap = !strcmp(name, "MMAP"),
        is_job = !strcmp(name, "CHANNEL_SUBMIT") || !strcmp(name, "SUBMIT");
   unsigned number = is_mmap ? ++num_mmaps : ++num_ioctls;
   num_jobs += is_job;
   if (num_ioctls < first_ioctl)
      return 0;
   if (count_threads() != 1) {
      note(name, number, "-", "threads");
      return 0;
   }
   for (unsigned i = 0; i < ARRAY_SIZE(errors); i++) {
      if ((turn < 0 || (number + turn) % ARRAY_SIZE(errors) == i) &&
          step(name, number, strerrorname_np(errors[i])))
         return -errors[i];
   }
   if (is_job && turn <= 0 && step(name, num_jobs, "HANG"))
      hang_next = true;
   return 0;
}

bool
shim_walk_hangs(void)
{
   bool hangs = hang_next;
   hang_next = false;
   return hangs;
}
