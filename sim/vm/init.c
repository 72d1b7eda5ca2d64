/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * The first process inside of tegra20-vm: prepares the file system, runs the
 * command as an ordinary user, leaves its exit status and the kernel's log
 * with the host, powers off.
 *
 * The environment variable TEGRA20_VM (from the kernel's command line) is a
 * directory of the host: its file "setup" has a line for each instruction,
 * "command" and "environment" are strings that end with zero bytes, "seed" is
 * for random numbers.
 */

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <linux/capability.h>
#include <linux/random.h>
#include <linux/reboot.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/klog.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/reboot.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#define HOST "/run/host" /* where TEGRA20_VM is seen */
/* As the shell has it. */
#define STATUS_CANNOT_RUN 126
#define STATUS_NOT_FOUND 127

struct setup {
   uid_t uid;
   gid_t gid;
   bool privileged;  /* files of others may be written all the same */
   bool interactive; /* the command gets a terminal */
   char directory[PATH_MAX], input[PATH_MAX];
};

static FILE *log_file;

static void
complain(const char *what, const char *name)
{
   fprintf(log_file ? log_file : stderr, "tegra20-vm: %s %s: %s\n", what,
           name, strerror(errno));
}

static void
make_directories(const char *path)
{
   char part[PATH_MAX];
   for (const char *p = path; (p = strchr(p + 1, '/'));) {
      snprintf(part, sizeof(part), "%.*s", (int)(p - path), path);
      mkdir(part, 0755);
   }
   mkdir(path, 0755);
}

static bool
attach(const char *type, const char *target, unsigned long flags,
       const char *options)
{
   if (!mount("none", target, type, flags, options))
      return true;
   complain("cannot mount", target);
   return false;
}

static void
attach_system(void)
{
   attach("proc", "/proc", 0, NULL);
   attach("sysfs", "/sys", 0, NULL);
   attach("debugfs", "/sys/kernel/debug", 0, "mode=755");
   mkdir("/dev/pts", 0755);
   mkdir("/dev/shm", 0755);
   attach("devpts", "/dev/pts", 0, "mode=620,ptmxmode=666");
   static const char *const scratch[] = { "/dev/shm", "/run", "/tmp",
                                          "/var/tmp" };
   for (unsigned i = 0; i < sizeof(scratch) / sizeof(*scratch); i++)
      attach("tmpfs", scratch[i], 0, "mode=1777");
   if (symlink("/proc/self/fd", "/dev/fd") ||
       symlink("/proc/self/fd/0", "/dev/stdin") ||
       symlink("/proc/self/fd/1", "/dev/stdout") ||
       symlink("/proc/self/fd/2", "/dev/stderr"))
      complain("cannot make", "/dev/fd");
   static const char *const nodes[] = { "/dev/dri/card0",
                                        "/dev/dri/renderD128", "/dev/ptmx" };
   for (unsigned i = 0; i < sizeof(nodes) / sizeof(*nodes); i++)
      chmod(nodes[i], 0666);
}

/* One line of the file "setup". */
static void
obey(struct setup *setup, const char *line)
{
   char path[PATH_MAX];
   unsigned a, b;
   if (sscanf(line, "user %u %u", &a, &b) == 2) {
      setup->uid = a;
      setup->gid = b;
   } else if (!strcmp(line, "privileged")) {
      setup->privileged = true;
   } else if (!strcmp(line, "terminal")) {
      setup->interactive = true;
   } else if (sscanf(line, "directory %4095[^\n]", path) == 1) {
      strcpy(setup->directory, path);
   } else if (sscanf(line, "input %4095[^\n]", path) == 1) {
      strcpy(setup->input, path);
   } else if (sscanf(line, "write %4095[^\n]", path) == 1) {
      make_directories(path);
      attach("hostfs", path, 0, path);
   } else if (sscanf(line, "read %4095[^\n]", path) == 1) {
      make_directories(path);
      attach("hostfs", path, MS_RDONLY, path);
   }
}

static void
read_setup(struct setup *setup)
{
   char line[PATH_MAX + 64];
   FILE *file = fopen(HOST "/setup", "r");
   while (file && fgets(line, sizeof(line), file)) {
      line[strcspn(line, "\n")] = 0;
      obey(setup, line);
   }
   if (file)
      fclose(file);
}

/* Returns the strings of a file as a list that ends with NULL. */
static char **
read_strings(const char *path)
{
   struct stat st;
   int fd = open(path, O_RDONLY);
   if (fd < 0 || fstat(fd, &st)) {
      complain("cannot open", path);
      return NULL;
   }
   char *text = calloc(1, st.st_size + 1);
   char **list = calloc(st.st_size + 1, sizeof(*list)), **end = list;
   if (!text || !list || read(fd, text, st.st_size) != st.st_size)
      return NULL;
   close(fd);
   for (char *p = text; p < text + st.st_size; p += strlen(p) + 1)
      *end++ = p;
   return list;
}

/* Nothing in the machine is random: without the host's bytes getrandom()
 * waits for ever. */
static void
seed_random_numbers(void)
{
   struct {
      struct rand_pool_info info;
      char bytes[64];
   } seed;
   int from = open(HOST "/seed", O_RDONLY), to = open("/dev/random", O_RDWR);
   seed.info.entropy_count = 8 * sizeof(seed.bytes);
   seed.info.buf_size = sizeof(seed.bytes);
   if (read(from, seed.bytes, sizeof(seed.bytes)) != sizeof(seed.bytes) ||
       ioctl(to, RNDADDENTROPY, &seed))
      complain("cannot seed", "/dev/random");
   close(from);
   close(to);
}

/* --- the command --- */

static int
open_terminal(const char *path, bool raw)
{
   struct termios mode;
   int fd = open(path, O_RDWR | O_NOCTTY);
   if (fd >= 0 && raw && !tcgetattr(fd, &mode)) {
      cfmakeraw(&mode);
      tcsetattr(fd, TCSANOW, &mode);
   }
   return fd;
}

static void
set_streams(const struct setup *setup)
{
   if (setup->interactive) {
      int fd = open_terminal("/dev/tty1", false);
      setsid();
      ioctl(fd, TIOCSCTTY, 1);
      dup2(fd, 0);
      dup2(fd, 1);
      dup2(fd, 2);
      return;
   }
   int in = open(*setup->input ? setup->input : "/dev/null", O_RDONLY);
   int out = open_terminal("/dev/tty1", true);
   int err = open_terminal("/dev/tty2", true);
   setsid();
   dup2(in, 0);
   dup2(out, 1);
   dup2(err, 2);
}

/* The file system is the host's with the rights of who started it; when that
 * is root, the command may write where root may. */
static void
keep_file_rights(void)
{
   static const unsigned kept[] = { CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH,
                                    CAP_FOWNER };
   struct __user_cap_header_struct header = {
      .version = _LINUX_CAPABILITY_VERSION_3
   };
   struct __user_cap_data_struct data[2] = { { 0 } };
   for (unsigned i = 0; i < sizeof(kept) / sizeof(*kept); i++) {
      data[0].effective |= 1u << kept[i];
      data[0].permitted |= 1u << kept[i];
      data[0].inheritable |= 1u << kept[i];
   }
   syscall(SYS_capset, &header, data);
   for (unsigned i = 0; i < sizeof(kept) / sizeof(*kept); i++)
      prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, kept[i], 0, 0);
}

static void
become_user(const struct setup *setup)
{
   char path[64];
   snprintf(path, sizeof(path), "/run/user/%u", setup->uid);
   make_directories(path);
   chmod(path, 0700);
   if (chown(path, setup->uid, setup->gid))
      complain("cannot give away", path);
   setenv("XDG_RUNTIME_DIR", path, 1);
   if (setup->privileged)
      prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0);
   if (setgroups(0, NULL) || setgid(setup->gid) || setuid(setup->uid))
      complain("cannot become", "the user");
   if (setup->privileged)
      keep_file_rights();
}

static int
run_command(const struct setup *setup, char **command, char **environment)
{
   set_streams(setup);
   clearenv();
   for (; environment && *environment; environment++)
      putenv(*environment);
   become_user(setup);
   if (chdir(setup->directory))
      fprintf(stderr, "tegra20-vm: cannot enter %s: %s\n", setup->directory,
              strerror(errno));
   execvp(command[0], command);
   int error = errno;
   fprintf(stderr, "tegra20-vm: cannot run %s: %s\n", command[0],
           strerror(error));
   return error == ENOENT ? STATUS_NOT_FOUND : STATUS_CANNOT_RUN;
}

/* Waits for the child, and on the way for orphans; returns its status as a
 * shell has it. */
static int
wait_for(pid_t child)
{
   int status;
   pid_t pid;
   while ((pid = wait(&status)) != child) {
      if (pid < 0 && errno == ECHILD)
         return STATUS_CANNOT_RUN;
   }
   return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* What the command left running gets two seconds to end. */
static void
end_others(void)
{
   kill(-1, SIGTERM);
   for (int i = 0; i < 200; i++) {
      pid_t pid = waitpid(-1, NULL, WNOHANG);
      if (pid < 0)
         return;
      if (pid == 0)
         usleep(10000);
   }
   kill(-1, SIGKILL);
   usleep(100000);
}

static void
report(int status)
{
   static char text[1 << 19];
   FILE *file = fopen(HOST "/status", "w");
   if (file) {
      fprintf(file, "%d\n", status);
      fclose(file);
   }
   int n = klogctl(3, text, sizeof(text)); /* SYSLOG_ACTION_READ_ALL */
   file = fopen(HOST "/dmesg", "w");
   if (file) {
      fwrite(text, 1, n > 0 ? n : 0, file);
      fclose(file);
   }
}

static void
drain_terminals(void)
{
   for (int i = 1; i <= 2; i++) {
      char path[16];
      snprintf(path, sizeof(path), "/dev/tty%d", i);
      int fd = open(path, O_WRONLY | O_NOCTTY);
      tcdrain(fd);
      close(fd);
   }
}

int
main(void)
{
   struct setup setup = { .directory = "/" };
   const char *host = getenv("TEGRA20_VM");
   attach_system();
   make_directories(HOST);
   if (host && attach("hostfs", HOST, 0, host)) {
      log_file = fopen(HOST "/complaints", "w");
      if (log_file)
         setlinebuf(log_file);
      read_setup(&setup);
      seed_random_numbers();
      char **command = read_strings(HOST "/command");
      char **environment = read_strings(HOST "/environment");
      pid_t child = command ? fork() : -1;
      if (child == 0)
         _exit(run_command(&setup, command, environment));
      int status = child < 0 ? STATUS_CANNOT_RUN : wait_for(child);
      drain_terminals();
      end_others();
      report(status);
   }
   sync();
   reboot(LINUX_REBOOT_CMD_POWER_OFF);
   return 1;
}
