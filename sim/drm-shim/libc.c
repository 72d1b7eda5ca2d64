/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * The simulated device as programs find it: libc functions that take a path
 * or a file descriptor are interposed and answer for the paths in the table
 * below, and for no others.
 *
 *   /dev/dri/card0, /dev/dri/renderD128
 *      character devices 226:0 and 226:128; the rest of /dev/dri is hidden
 *   /sys/dev/char/226:{0,128}/...
 *      what libdrm and Mesa read of the device (kernel-interface.md 11)
 *
 * An open node is a memfd with a name of its own, so that a process that
 * receives one over a socket knows what it is.
 *
 * Mesa's drm-shim does the same for a render node alone; compositors also
 * need the card node, the listing of device/drm, descriptors that were copied
 * by dup2() or sent, and dma-buf and sync file ioctls
 * (kernel-interface.md 10.5).
 */

/* Both names of each function are defined here, so neither may be an alias
 * made by the headers. */
#undef _FILE_OFFSET_BITS
#undef _TIME_BITS
#undef __USE_FILE_OFFSET64 /* of a header that comes first, plugin/once.h */
#undef _FORTIFY_SOURCE
#ifndef _LARGEFILE64_SOURCE
#define _LARGEFILE64_SOURCE
#endif

/* A program that passes NULL gets EFAULT from the kernel, not a crash from
 * here. */
#pragma GCC optimize("no-delete-null-pointer-checks")
#pragma GCC diagnostic ignored "-Wnonnull-compare"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/close_range.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "util/u_atomic.h"

#include "shim.h"

#define EXPORT __attribute__((visibility("default")))

/* On a CPU of 32 bits, programs with times of 64 call functions of their own,
 * which glibc's headers declare for them alone: all of Debian 13's armhf. */
#if defined(__GLIBC__) && __TIMESIZE == 32
#define TIME64(X) X
struct time64 {
   int64_t tv_sec;
   int32_t tv_nsec, unused;
};
struct stat_time64 {
#define __struct_timespec struct time64
#include <bits/struct_stat_time64_helper.h>
};
int
__fcntl_time64(int fd, int command, ...);
int
__ioctl_time64(int fd, unsigned long request, ...);
int
__stat64_time64(const char *path, struct stat_time64 *st);
int
__lstat64_time64(const char *path, struct stat_time64 *st);
int
__fstat64_time64(int fd, struct stat_time64 *st);
int
__fstatat64_time64(int dir, const char *path, struct stat_time64 *st,
                   int flags);
#else
#define TIME64(X)
#endif

/* --- the paths --- */

#define DRM_MAJOR 226
#define CARD_NAME "card0"
#define RENDER_NAME "renderD128"
#define DEVICE_PATH "/sys/devices/soc0/50000000.host1x/drm"

/* What the kernel emits for this device (kernel-interface.md 10.2). */
static char device_uevent[160]; /* read before the device is opened */
static char soc_id[8];
static pthread_once_t described = PTHREAD_ONCE_INIT;

static void
describe_device(void)
{
   const struct tegra20_chip_info *chip = shim_options_chip();

   snprintf(device_uevent, sizeof(device_uevent),
            "DRIVER=drm\nOF_NAME=host1x\nOF_FULLNAME=/host1x@50000000\n"
            "OF_COMPATIBLE_0=%s\nOF_COMPATIBLE_N=1\nMODALIAS=host1x:drm\n",
            chip ? chip->compatible : "nvidia,tegra124-host1x");
   /* As the version of GR3D, on the chips that have one: 0x20. */
   snprintf(soc_id, sizeof(soc_id), "%u\n", chip ? chip->version : 0x40);
}

enum node_type { NODE_CARD, NODE_RENDER, NODE_FILE, NODE_LINK, NODE_DIR };

static const struct node {
   const char *path;
   enum node_type type;
   const char *text; /* contents of a file, target of a link, blank-separated
                        entries of a directory */
} nodes[] = {
   { "/dev/dri/" CARD_NAME, NODE_CARD, NULL },
   { "/dev/dri/" RENDER_NAME, NODE_RENDER, NULL },
   { "/dev/dri", NODE_DIR, CARD_NAME " " RENDER_NAME },
#define DRM_MINOR(number, name)                                       \
   { "/sys/dev/char/226:" number "/device", NODE_LINK, DEVICE_PATH }, \
      { "/sys/dev/char/226:" number "/device/drm", NODE_DIR,          \
        CARD_NAME " " RENDER_NAME },                                  \
      { "/sys/dev/char/226:" number "/device/subsystem", NODE_LINK,   \
        "../../../../bus/host1x" },                                   \
      { "/sys/dev/char/226:" number "/device/uevent", NODE_FILE,      \
        device_uevent },                                              \
   {                                                                  \
      "/sys/dev/char/226:" number "/uevent", NODE_FILE,               \
         "MAJOR=226\nMINOR=" number "\nDEVNAME=dri/" name             \
         "\nDEVTYPE=drm_minor\n"                                      \
   }
   DRM_MINOR("0", CARD_NAME),
   DRM_MINOR("128", RENDER_NAME),
   { DEVICE_PATH, NODE_DIR, "drm subsystem uevent" },
   { DEVICE_PATH "/uevent", NODE_FILE, device_uevent },
   /* libdrm's tegra part and other drivers ask which chip this is. */
   { "/sys/devices/soc0/soc_id", NODE_FILE, soc_id },
   { "/sys/devices/soc0/family", NODE_FILE, "Tegra\n" },
   { DEVICE_PATH "/subsystem", NODE_LINK, "../../../../bus/host1x" },
};
static char memory_info[256]; /* as of the last look */
static const struct node meminfo = { "/proc/meminfo", NODE_FILE,
                                     memory_info };

static bool
starts_with(const char *text, const char *start)
{
   return !strncmp(text, start, strlen(start));
}

/* The node of a path ("/sys/dev" begins "/sys/devices", too), or NULL;
 * *hidden: the path is a real device that programs shall not see. */
static const struct node *
find_node(const char *path, bool *hidden)
{
   *hidden = false;
   if (path && strcmp(path, meminfo.path) == 0 &&
       shim_describe_memory(memory_info, sizeof(memory_info)))
      return &meminfo;
   if (!path || path[0] != '/' ||
       (!starts_with(path, "/dev/dri") && !starts_with(path, "/sys/dev")))
      return NULL;
   size_t length = strlen(path);
   while (length > 1 && path[length - 1] == '/')
      length--;
   for (unsigned i = 0; i < ARRAY_SIZE(nodes); i++) {
      if (strlen(nodes[i].path) == length &&
          !strncmp(nodes[i].path, path, length)) {
         if (nodes[i].text == device_uevent || nodes[i].text == soc_id)
            pthread_once(&described, describe_device);
         return &nodes[i];
      }
   }
   *hidden = starts_with(path, "/dev/dri/") ||
             starts_with(path, "/sys/dev/char/226:");
   return NULL;
}

/* Sets *node; returns true when the caller must fail with ENOENT. */
static bool
is_hidden(const char *path, const struct node **node)
{
   bool hidden;
   *node = find_node(path, &hidden);
   if (hidden)
      errno = ENOENT;
   return hidden;
}

/* --- the real functions --- */

/* clang-format off */
#define REAL_FUNCTIONS(X) \
   X(faccessat) X(close) X(close_range) X(closedir) X(dup) X(dlclose) \
   X(dup2) X(dup3) X(fcntl) X(fopen) X(fopen64) X(fstat) X(fstat64) \
   X(fstatat) X(fstatat64) X(ioctl) X(lstat) X(lstat64) X(mmap) \
   X(mmap64) X(openat) X(opendir) X(readdir) X(readdir64) \
   X(readlinkat) X(realpath) X(stat) X(stat64) X(statx) \
   TIME64(X(__ioctl_time64) X(__stat64_time64) X(__lstat64_time64)) \
   TIME64(X(__fstat64_time64) X(__fstatat64_time64))
/* clang-format on */

#define DECLARE(name) static __typeof__(&name) real_##name;
REAL_FUNCTIONS(DECLARE)

static int resolved;

static void
resolve(void)
{
#define RESOLVE(name) \
   real_##name = (__typeof__(&name))dlsym(RTLD_NEXT, #name);
   REAL_FUNCTIONS(RESOLVE)
   p_atomic_set(&resolved, 1);
}

/* The first call comes before other threads exist: from the constructor or
 * from an earlier library's. */
__attribute__((constructor)) static void
init(void)
{
   if (!p_atomic_read(&resolved))
      resolve();
}

__attribute__((constructor)) static void
start(void)
{
   shim_report_start();
}

__attribute__((destructor)) static void
fini(void)
{
   shim_report_libraries();
}

/* Some programs let go of libEGL before they end, others are ended by a
 * signal: this is early enough for those, see do_open(). */
EXPORT int
dlclose(void *handle)
{
   if (!p_atomic_read(&resolved))
      resolve();
   shim_report_libraries();
   return real_dlclose(handle);
}

/* --- opening --- */

static int
open_text(const char *text, int flags)
{
   int fd =
      memfd_create("tegra20-sysfs", flags & O_CLOEXEC ? MFD_CLOEXEC : 0);
   if (fd >= 0 &&
       (write(fd, text, strlen(text)) < 0 || lseek(fd, 0, SEEK_SET) < 0)) {
      real_close(fd);
      return -1;
   }
   return fd;
}

static int
open_node(const struct node *node, int flags)
{
   switch (node->type) {
   case NODE_FILE:
      if ((flags & O_ACCMODE) == O_RDONLY)
         return open_text(node->text, flags);
      errno = EACCES;
      return -1;
   case NODE_CARD:
   case NODE_RENDER: {
      bool primary = node->type == NODE_CARD;
      int fd = memfd_create(primary ? SHIM_CARD_MEMFD : SHIM_RENDER_MEMFD,
                            flags & O_CLOEXEC ? MFD_CLOEXEC : 0);
      if (fd >= 0 && !shim_file_open(fd, primary)) {
         real_close(fd);
         errno = fd < SHIM_MAX_FDS ? ENOMEM : EMFILE;
         return -1;
      }
      int error = fd >= 0 ? -shim_fault("OPEN") : 0;
      if (error) {
         shim_file_close(fd);
         real_close(fd);
         errno = error;
         return -1;
      }
      return fd;
   }
   case NODE_LINK:
   case NODE_DIR:
      break;
   }
   errno = flags & O_DIRECTORY ? EACCES : EISDIR;
   return -1;
}

static int
do_open(int dir, const char *path, int flags, mode_t mode)
{
   const struct node *node;
   init();
   /* The configuration of every driver of Mesa, read with its screen. */
   if (path && strstr(path, "drirc"))
      shim_report_libraries();
   if (is_hidden(path, &node))
      return -1;
   return node ? open_node(node, flags) : real_openat(dir, path, flags, mode);
}

#define MODE_ARGUMENT(flags, args) \
   ((flags) & (O_CREAT | __O_TMPFILE) ? va_arg(args, mode_t) : 0)

/* The last two are what _FORTIFY_SOURCE makes of calls without a mode. */
#define DEFINE_OPEN(suffix, large)                                        \
   EXPORT int open##suffix(const char *path, int flags, ...)              \
   {                                                                      \
      va_list args;                                                       \
      va_start(args, flags);                                              \
      mode_t mode = MODE_ARGUMENT(flags, args);                           \
      va_end(args);                                                       \
      return do_open(AT_FDCWD, path, flags | (large), mode);              \
   }                                                                      \
   EXPORT int openat##suffix(int dir, const char *path, int flags, ...)   \
   {                                                                      \
      va_list args;                                                       \
      va_start(args, flags);                                              \
      mode_t mode = MODE_ARGUMENT(flags, args);                           \
      va_end(args);                                                       \
      return do_open(dir, path, flags | (large), mode);                   \
   }                                                                      \
   EXPORT int __open##suffix##_2(const char *path, int flags);            \
   EXPORT int __open##suffix##_2(const char *path, int flags)             \
   {                                                                      \
      return do_open(AT_FDCWD, path, flags | (large), 0);                 \
   }                                                                      \
   EXPORT int __openat##suffix##_2(int dir, const char *path, int flags); \
   EXPORT int __openat##suffix##_2(int dir, const char *path, int flags)  \
   {                                                                      \
      return do_open(dir, path, flags | (large), 0);                      \
   }

DEFINE_OPEN(, 0)
DEFINE_OPEN(64, O_LARGEFILE)

static FILE *
fopen_node(const struct node *node, const char *mode)
{
   if (mode[0] != 'r' || strchr(mode, '+')) {
      errno = EACCES;
      return NULL;
   }
   int fd = open_node(node, O_RDONLY | O_CLOEXEC);
   FILE *file = fd < 0 ? NULL : fdopen(fd, mode);
   if (fd >= 0 && !file) {
      int error = errno;
      close(fd);
      errno = error;
   }
   return file;
}

#define DEFINE_FOPEN(name)                                            \
   EXPORT FILE *name(const char *path, const char *mode)              \
   {                                                                  \
      const struct node *node;                                        \
      init();                                                         \
      if (is_hidden(path, &node))                                     \
         return NULL;                                                 \
      return node ? fopen_node(node, mode) : real_##name(path, mode); \
   }

DEFINE_FOPEN(fopen)
DEFINE_FOPEN(fopen64)

/* --- descriptors --- */

EXPORT int
close(int fd)
{
   init();
   shim_file_close(fd);
   return real_close(fd);
}

EXPORT int
close_range(unsigned first, unsigned last, int flags)
{
   init();
   if (!(flags & CLOSE_RANGE_CLOEXEC)) {
      for (unsigned fd = first; fd <= last && fd < SHIM_MAX_FDS; fd++)
         shim_file_close(fd);
   }
   return real_close_range(first, last, flags);
}

EXPORT void
closefrom(int first)
{
   close_range(first < 0 ? 0 : first, UINT_MAX, 0);
}

EXPORT int
dup(int fd)
{
   init();
   int copy = real_dup(fd);
   shim_file_dup(fd, copy);
   return copy;
}

EXPORT int
dup2(int fd, int to)
{
   init();
   int copy = real_dup2(fd, to);
   if (copy >= 0 && fd != to) {
      shim_file_close(to);
      shim_file_dup(fd, copy);
   }
   return copy;
}

EXPORT int
dup3(int fd, int to, int flags)
{
   init();
   int copy = real_dup3(fd, to, flags);
   if (copy >= 0) {
      shim_file_close(to);
      shim_file_dup(fd, copy);
   }
   return copy;
}

#define DEFINE_FCNTL(name)                                  \
   EXPORT int name(int fd, int command, ...)                \
   {                                                        \
      va_list args;                                         \
      va_start(args, command);                              \
      void *argument = va_arg(args, void *);                \
      va_end(args);                                         \
      init();                                               \
      int ret = real_fcntl(fd, command, argument);          \
      if (command == F_DUPFD || command == F_DUPFD_CLOEXEC) \
         shim_file_dup(fd, ret);                            \
      return ret;                                           \
   }

DEFINE_FCNTL(fcntl)
DEFINE_FCNTL(fcntl64)
TIME64(DEFINE_FCNTL(__fcntl_time64))

#define DEFINE_IOCTL(name)                              \
   EXPORT int name(int fd, unsigned long request, ...)  \
   {                                                    \
      va_list args;                                     \
      va_start(args, request);                          \
      void *argument = va_arg(args, void *);            \
      va_end(args);                                     \
      init();                                           \
      int result;                                       \
      return shim_ioctl(fd, request, argument, &result) \
                ? result                                \
                : real_##name(fd, request, argument);   \
   }

DEFINE_IOCTL(ioctl)
TIME64(DEFINE_IOCTL(__ioctl_time64))

#define DEFINE_MMAP(name, offset_type)                                  \
   EXPORT void *name(void *address, size_t length, int protection,      \
                     int flags, int fd, offset_type offset)             \
   {                                                                    \
      init();                                                           \
      return shim_file_get(fd)                                          \
                ? shim_mmap(address, length, protection, flags, offset) \
                : real_##name(address, length, protection, flags, fd,   \
                              offset);                                  \
   }

DEFINE_MMAP(mmap, off_t)
DEFINE_MMAP(mmap64, off64_t)

void *
shim_real_mmap(void *address, size_t length, int protection, int flags,
               int fd)
{
   return real_mmap(address, length, protection, flags, fd, 0);
}

/* --- status --- */

#define FILL_STAT(st, what, length)               \
   do {                                           \
      enum node_type type_ = (what);              \
      memset(st, 0, sizeof(*(st)));               \
      (st)->st_nlink = 1;                         \
      (st)->st_blksize = 4096;                    \
      (st)->st_ino = 1000 + type_;                \
      (st)->st_size = (length);                   \
      switch (type_) {                            \
      case NODE_CARD:                             \
         (st)->st_mode = S_IFCHR | 0666;          \
         (st)->st_rdev = makedev(DRM_MAJOR, 0);   \
         break;                                   \
      case NODE_RENDER:                           \
         (st)->st_mode = S_IFCHR | 0666;          \
         (st)->st_rdev = makedev(DRM_MAJOR, 128); \
         break;                                   \
      case NODE_FILE:                             \
         (st)->st_mode = S_IFREG | 0444;          \
         break;                                   \
      case NODE_LINK:                             \
         (st)->st_mode = S_IFLNK | 0777;          \
         break;                                   \
      case NODE_DIR:                              \
         (st)->st_mode = S_IFDIR | 0755;          \
         break;                                   \
      }                                           \
   } while (0)

/* All links of the table lead to directories. */
static enum node_type
followed(const struct node *node)
{
   return node->type == NODE_LINK ? NODE_DIR : node->type;
}

#define DEFINE_STAT(name, st_type, type_of_node)                        \
   EXPORT int name(const char *path, struct st_type *st)                \
   {                                                                    \
      const struct node *node;                                          \
      init();                                                           \
      if (is_hidden(path, &node))                                       \
         return -1;                                                     \
      if (!node)                                                        \
         return real_##name(path, st);                                  \
      FILL_STAT(st, type_of_node, node->text ? strlen(node->text) : 0); \
      return 0;                                                         \
   }

DEFINE_STAT(stat, stat, followed(node))
DEFINE_STAT(stat64, stat64, followed(node))
DEFINE_STAT(lstat, stat, node->type)
DEFINE_STAT(lstat64, stat64, node->type)
TIME64(DEFINE_STAT(__stat64_time64, stat_time64, followed(node)))
TIME64(DEFINE_STAT(__lstat64_time64, stat_time64, node->type))

/* A descriptor that was received looks like a file without a name at first.
 */
#define DEFINE_FSTAT(name, st_type)                              \
   EXPORT int name(int fd, struct st_type *st)                   \
   {                                                             \
      init();                                                    \
      struct shim_file *file = shim_file_get(fd);                \
      if (!file) {                                               \
         int ret = real_##name(fd, st);                          \
         if (ret || !S_ISREG(st->st_mode) || st->st_nlink ||     \
             !(file = shim_file_adopt(fd)))                      \
            return ret;                                          \
      }                                                          \
      FILL_STAT(st, file->primary ? NODE_CARD : NODE_RENDER, 0); \
      return 0;                                                  \
   }

DEFINE_FSTAT(fstat, stat)
DEFINE_FSTAT(fstat64, stat64)
TIME64(DEFINE_FSTAT(__fstat64_time64, stat_time64))

#define DEFINE_FSTATAT(name, st_type, follow, no_follow, of_fd)              \
   EXPORT int name(int dir, const char *path, struct st_type *st, int flags) \
   {                                                                         \
      init();                                                                \
      if (path && path[0] == '/')                                            \
         return flags & AT_SYMLINK_NOFOLLOW ? no_follow(path, st)            \
                                            : follow(path, st);              \
      if (path && !path[0] && flags & AT_EMPTY_PATH && shim_file_get(dir))   \
         return of_fd(dir, st);                                              \
      return real_##name(dir, path, st, flags);                              \
   }

DEFINE_FSTATAT(fstatat, stat, stat, lstat, fstat)
DEFINE_FSTATAT(fstatat64, stat64, stat64, lstat64, fstat64)
TIME64(DEFINE_FSTATAT(__fstatat64_time64, stat_time64, __stat64_time64,
                      __lstat64_time64, __fstat64_time64))

EXPORT int
statx(int dir, const char *path, int flags, unsigned mask, struct statx *stx)
{
   const struct node *node;
   init();
   if (is_hidden(path, &node))
      return -1;
   struct shim_file *file =
      path && !path[0] && flags & AT_EMPTY_PATH ? shim_file_get(dir) : NULL;
   if (!node && !file)
      return real_statx(dir, path, flags, mask, stx);
   struct stat64 st;
   if (file)
      FILL_STAT(&st, file->primary ? NODE_CARD : NODE_RENDER, 0);
   else
      FILL_STAT(&st,
                flags & AT_SYMLINK_NOFOLLOW ? node->type : followed(node), 0);
   memset(stx, 0, sizeof(*stx));
   stx->stx_mask = STATX_BASIC_STATS;
   stx->stx_blksize = st.st_blksize;
   stx->stx_nlink = 1;
   stx->stx_mode = st.st_mode;
   stx->stx_ino = st.st_ino;
   stx->stx_rdev_major = major(st.st_rdev);
   stx->stx_rdev_minor = minor(st.st_rdev);
   return 0;
}

static int
access_node(const struct node *node, int mode)
{
   if (mode & X_OK && node->type != NODE_DIR && node->type != NODE_LINK) {
      errno = EACCES;
      return -1;
   }
   return 0;
}

EXPORT int
faccessat(int dir, const char *path, int mode, int flags)
{
   const struct node *node;
   init();
   if (is_hidden(path, &node))
      return -1;
   return node ? access_node(node, mode)
               : real_faccessat(dir, path, mode, flags);
}

EXPORT int
access(const char *path, int mode)
{
   return faccessat(AT_FDCWD, path, mode, 0);
}

/* --- links --- */

static ssize_t
read_link_node(const struct node *node, char *buffer, size_t size)
{
   if (node->type != NODE_LINK) {
      errno = EINVAL;
      return -1;
   }
   size_t length = MIN2(strlen(node->text), size);
   memcpy(buffer, node->text, length);
   return length;
}

EXPORT ssize_t
readlinkat(int dir, const char *path, char *buffer, size_t size)
{
   const struct node *node;
   init();
   if (is_hidden(path, &node))
      return -1;
   return node ? read_link_node(node, buffer, size)
               : real_readlinkat(dir, path, buffer, size);
}

EXPORT ssize_t
readlink(const char *path, char *buffer, size_t size)
{
   return readlinkat(AT_FDCWD, path, buffer, size);
}

EXPORT ssize_t
__readlink_chk(const char *path, char *buffer, size_t size,
               size_t buffer_size);
EXPORT char *
__realpath_chk(const char *path, char *resolved_path, size_t size);

EXPORT ssize_t
__readlink_chk(const char *path, char *buffer, size_t size,
               size_t buffer_size)
{
   if (size > buffer_size)
      abort();
   return readlink(path, buffer, size);
}

EXPORT char *
realpath(const char *path, char *resolved_path)
{
   const struct node *node;
   init();
   if (is_hidden(path, &node))
      return NULL;
   if (!node)
      return real_realpath(path, resolved_path);
   const char *text = node->path;
   if (node->type == NODE_LINK)
      text =
         strstr(node->text, "bus/host1x") ? "/sys/bus/host1x" : node->text;
   return resolved_path ? strcpy(resolved_path, text) : strdup(text);
}

EXPORT char *
__realpath_chk(const char *path, char *resolved_path, size_t size)
{
   if (size < PATH_MAX)
      abort();
   return realpath(path, resolved_path);
}

/* --- directories --- */

/* A directory stream of ours; programs know it as DIR. */
struct fake_dir {
   struct list_head link;
   const struct node *node;
   const char *next;
   unsigned index;
   struct dirent entry;
   struct dirent64 entry64;
};

static pthread_mutex_t dir_lock = PTHREAD_MUTEX_INITIALIZER;
static struct list_head fake_dirs = { &fake_dirs, &fake_dirs };

static struct fake_dir *
find_dir(DIR *dir)
{
   struct fake_dir *found = NULL;
   pthread_mutex_lock(&dir_lock);
   list_for_each_entry (struct fake_dir, fake, &fake_dirs, link) {
      if ((DIR *)fake == dir)
         found = fake;
   }
   pthread_mutex_unlock(&dir_lock);
   return found;
}

EXPORT DIR *
opendir(const char *path)
{
   const struct node *node;
   init();
   if (is_hidden(path, &node))
      return NULL;
   if (!node)
      return real_opendir(path);
   if (followed(node) != NODE_DIR) {
      errno = ENOTDIR;
      return NULL;
   }
   struct fake_dir *fake = calloc(1, sizeof(*fake));
   if (!fake)
      return NULL;
   fake->node = node;
   fake->next = node->type == NODE_DIR ? node->text : "";
   pthread_mutex_lock(&dir_lock);
   list_add(&fake->link, &fake_dirs);
   pthread_mutex_unlock(&dir_lock);
   return (DIR *)fake;
}

/* The next name, or false at the end. */
static bool
next_entry(struct fake_dir *fake, char *name, size_t size)
{
   size_t length = strcspn(fake->next, " ");
   if (length == 0)
      return false;
   snprintf(name, size, "%.*s", (int)length, fake->next);
   fake->next += length + (fake->next[length] == ' ');
   fake->index++;
   return true;
}

#define DEFINE_READDIR(name, type, member)                        \
   EXPORT struct type *name(DIR *dir)                             \
   {                                                              \
      init();                                                     \
      struct fake_dir *fake = find_dir(dir);                      \
      if (!fake)                                                  \
         return real_##name(dir);                                 \
      if (!next_entry(fake, fake->member.d_name,                  \
                      sizeof(fake->member.d_name)))               \
         return NULL;                                             \
      fake->member.d_ino = fake->index;                           \
      fake->member.d_type =                                       \
         starts_with(fake->node->path, "/dev") ? DT_CHR : DT_DIR; \
      fake->member.d_reclen = sizeof(fake->member);               \
      return &fake->member;                                       \
   }

DEFINE_READDIR(readdir, dirent, entry)
DEFINE_READDIR(readdir64, dirent64, entry64)

EXPORT int
closedir(DIR *dir)
{
   init();
   struct fake_dir *fake = find_dir(dir);
   if (!fake)
      return real_closedir(dir);
   pthread_mutex_lock(&dir_lock);
   list_del(&fake->link);
   pthread_mutex_unlock(&dir_lock);
   free(fake);
   return 0;
}
