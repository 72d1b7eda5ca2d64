/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * How the simulated device looks to programs: paths, libdrm's queries, copies of descriptors, descriptors in other
 * processes, dma-bufs and sync files.
 */

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/dma-buf.h>
#include <linux/sync_file.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>
#include <xf86drm.h>
#include <drm_fourcc.h>
#include <xf86drmMode.h>

#include "unit.h"
#include "drm-uapi/tegra_drm.h"

#define RENDER "/dev/dri/renderD128"
#define CARD "/dev/dri/card0"

ssize_t
__readlink_chk(const char *path, char *buffer, size_t size, size_t buffer_size);
char *
__realpath_chk(const char *path, char *resolved_path, size_t size);

static bool
is_tegra(int fd)
{
   drmVersionPtr version = drmGetVersion(fd);
   bool ok = version && !strcmp(version->name, "tegra") && version->version_major == 1;
   drmFreeVersion(version);
   return ok;
}

/* What statx() and fstatat() say. */
static void
assert_status(int dir, const char *path, int flags, mode_t type, dev_t rdev)
{
   struct statx stx;
   struct stat st;

   memset(&stx, 0xff, sizeof(stx));
   assert_int_equal(statx(dir, path, flags, STATX_BASIC_STATS, &stx), 0);
   assert_int_equal(fstatat(dir, path, &st, flags), 0);
   assert_int_equal(stx.stx_mode & S_IFMT, type);
   assert_int_equal(makedev(stx.stx_rdev_major, stx.stx_rdev_minor), rdev);
   assert_true(st.st_mode == stx.stx_mode && st.st_rdev == rdev && st.st_ino == stx.stx_ino && st.st_nlink == stx.stx_nlink);
}

TEST(stat)
{
   const struct {
      const char *path;
      mode_t type, link_type;
      dev_t rdev;
   } cases[] = {
      {CARD, S_IFCHR, S_IFCHR, makedev(226, 0)},
      {RENDER, S_IFCHR, S_IFCHR, makedev(226, 128)},
      {"/dev/dri", S_IFDIR, S_IFDIR, 0},
      {"/dev/dri/", S_IFDIR, S_IFDIR, 0},
      {"/sys/dev/char/226:128/device/drm", S_IFDIR, S_IFDIR, 0},
      {"/sys/dev/char/226:0/device/uevent", S_IFREG, S_IFREG, 0},
      {"/sys/dev/char/226:128/device/subsystem", S_IFDIR, S_IFLNK, 0},
      {"/sys/devices/soc0/soc_id", S_IFREG, S_IFREG, 0},
   };
   for (unsigned i = 0; i < COUNT(cases); i++) {
      struct stat st;
      assert_int_equal(stat(cases[i].path, &st), 0);
      assert_int_equal(st.st_mode & S_IFMT, cases[i].type);
      assert_int_equal(st.st_rdev, cases[i].rdev);
      assert_int_equal(lstat(cases[i].path, &st), 0);
      assert_int_equal(st.st_mode & S_IFMT, cases[i].link_type);
      assert_int_equal(fstatat(AT_FDCWD, cases[i].path, &st, 0), 0);
      assert_int_equal(st.st_mode & S_IFMT, cases[i].type);
      assert_int_equal(access(cases[i].path, R_OK), 0);
      assert_status(AT_FDCWD, cases[i].path, 0, cases[i].type, cases[i].rdev);
      assert_status(AT_FDCWD, cases[i].path, AT_SYMLINK_NOFOLLOW, cases[i].link_type, cases[i].rdev);
   }
   const int fd = open(CARD, O_RDWR), null = open("/dev/null", O_RDWR);
   assert_status(fd, "", AT_EMPTY_PATH, S_IFCHR, makedev(226, 0));
   assert_status(null, "", AT_EMPTY_PATH, S_IFCHR, makedev(1, 3));
   close(fd);
   close(null);
   char link[64] = "", checked[64] = ""; /* as programs that are compiled with _FORTIFY_SOURCE call it */
   assert_in_range(readlink("/sys/dev/char/226:128/device/subsystem", link, 64), 1, 64);
   assert_int_equal(__readlink_chk("/sys/dev/char/226:128/device/subsystem", checked, 64, 64), strlen(link));
   assert_string_equal(checked, link);
   struct stat st;
   assert_int_equal(stat("/dev/dri/card1", &st), -1);
   assert_int_equal(errno, ENOENT);
   assert_int_equal(open("/dev/dri/renderD129", O_RDWR), -1);
   assert_int_equal(errno, ENOENT);
   assert_int_equal(stat("/dev/null", &st), 0);
   assert_int_equal(st.st_rdev, makedev(1, 3));
}

#define FAILS(call, error)                                                                                             \
   do {                                                                                                                \
      errno = 0;                                                                                                       \
      assert_true((intptr_t)(call) == -1 || !(call));                                                                  \
      assert_int_equal(errno, error);                                                                                  \
   } while (0)

TEST(refused)
{
   FAILS(open("/dev/dri", O_RDONLY), EISDIR);
   FAILS(open("/dev/dri", O_RDONLY | O_DIRECTORY), EACCES);
   FAILS(open("/sys/devices/soc0/soc_id", O_RDWR), EACCES);
   FAILS(fopen("/sys/devices/soc0/soc_id", "w"), EACCES);
   FAILS(fopen("/sys/devices/soc0/soc_id", "r+"), EACCES);
   FAILS(fopen("/dev/dri/card1", "r"), ENOENT);
   FAILS(opendir(RENDER), ENOTDIR);
   FAILS(opendir("/sys/dev/char/226:1"), ENOENT);
   FAILS(readlink("/dev/dri", (char[8]){0}, 8), EINVAL);
   FAILS(realpath("/dev/dri/card1", NULL), ENOENT);
   FAILS(statx(AT_FDCWD, "/dev/dri/card1", 0, STATX_BASIC_STATS, (struct statx[1]){}), ENOENT);
   if (access(RENDER, X_OK) != -1 || access("/dev/dri", X_OK) || access("/sys/dev/char/226:0/device/subsystem", X_OK))
      fail_msg("only directories are to be entered");
}

TEST(contents)
{
   char text[64] = "";
   FILE *file = fopen("/sys/devices/soc0/soc_id", "r");
   assert_non_null(fgets(text, sizeof(text), file));
   assert_int_equal(strtoul(text, NULL, 0), 32);
   fclose(file);
   file = fopen("/dev/null", "r");
   assert_int_equal(fgetc(file), EOF);
   fclose(file);
}

TEST(real_paths)
{
   const struct {
      const char *path, *real;
   } cases[] = {
      {RENDER, RENDER},
      {"/dev/dri/", "/dev/dri"},
      {"/sys/dev/char/226:128/device/subsystem", "/sys/bus/host1x"},
      {"/proc/self/../version", "/proc/version"},
   };
   for (unsigned i = 0; i < COUNT(cases); i++) {
      char buffer[PATH_MAX], checked[PATH_MAX], *found = realpath(cases[i].path, NULL);
      assert_string_equal(found, cases[i].real);
      free(found);
      assert_ptr_equal(realpath(cases[i].path, buffer), buffer);
      assert_string_equal(buffer, cases[i].real);
      assert_ptr_equal(__realpath_chk(cases[i].path, checked, sizeof(checked)), checked);
      assert_string_equal(checked, cases[i].real);
   }
}

TEST(listing)
{
   DIR *dir = opendir("/dev/dri");
   assert_non_null(dir);
   unsigned found = 0, count = 0;
   for (struct dirent *entry; (entry = readdir(dir)); count++) {
      assert_int_equal(entry->d_type, DT_CHR);
      found |= !strcmp(entry->d_name, "card0") ? 1 : 0;
      found |= !strcmp(entry->d_name, "renderD128") ? 2 : 0;
   }
   assert_int_equal(closedir(dir), 0);
   assert_int_equal(found, 3);
   assert_int_equal(count, 2);
   /* Other directories are not touched. */
   dir = opendir("/");
   assert_non_null(dir);
   assert_non_null(readdir(dir));
   closedir(dir);
}

TEST(libdrm)
{
   int fd = open(RENDER, O_RDWR | O_CLOEXEC);
   assert_true(is_tegra(fd));
   drmDevicePtr device;
   assert_int_equal(drmGetDevice2(fd, 0, &device), 0);
   assert_int_equal(device->bustype, DRM_BUS_HOST1X);
   assert_int_equal(device->available_nodes, 1 << DRM_NODE_PRIMARY | 1 << DRM_NODE_RENDER);
   assert_string_equal(device->nodes[DRM_NODE_RENDER], RENDER);
   assert_string_equal(device->nodes[DRM_NODE_PRIMARY], CARD);
   assert_string_equal(device->businfo.host1x->fullname, "/host1x@50000000");
   assert_string_equal(device->deviceinfo.host1x->compatible[0], "nvidia,tegra20-host1x");
   drmFreeDevice(&device);
   char *name = drmGetRenderDeviceNameFromFd(fd);
   assert_string_equal(name, RENDER);
   free(name);
   name = drmGetDeviceNameFromFd2(fd);
   assert_non_null(name);
   free(name);
   drmDevicePtr devices[8];
   assert_int_equal(drmGetDevices2(0, devices, 8), 1);
   drmFreeDevices(devices, 1);
   close(fd);
}

TEST(copies)
{
   int fd = open(RENDER, O_RDWR), null = open("/dev/null", O_RDWR);
   struct drm_tegra_gem_create create = {.size = 4096};
   assert_int_equal(ioctl(fd, DRM_IOCTL_TEGRA_GEM_CREATE, &create), 0);
   int copies[] = {dup(fd), fcntl(fd, F_DUPFD_CLOEXEC, 0), dup2(fd, null), dup3(fd, 100, O_CLOEXEC)};
   close(fd);
   for (unsigned i = 0; i < 4; i++) {
      /* Copies share their handles. */
      struct drm_tegra_gem_mmap map = {.handle = create.handle};
      assert_true(copies[i] >= 0);
      assert_int_equal(ioctl(copies[i], DRM_IOCTL_TEGRA_GEM_MMAP, &map), 0);
      assert_int_equal(close(copies[i]), 0);
   }
   struct drm_version version = {0};
   assert_int_equal(ioctl(copies[0], DRM_IOCTL_VERSION, &version), -1);
   assert_int_equal(errno, EBADF);
   /* A number that is used again for something else. */
   fd = open(RENDER, O_RDWR);
   null = open("/dev/null", O_RDWR);
   dup2(null, fd);
   assert_int_equal(ioctl(fd, DRM_IOCTL_VERSION, &version), -1);
   assert_int_equal(errno, ENOTTY);
   close(fd);
   close(null);
}

TEST(received)
{
   int sockets[2];
   assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, sockets), 0);
   char byte = 0, control[CMSG_SPACE(sizeof(int))] = {0};
   struct iovec iov = {&byte, 1};
   struct msghdr msg = {.msg_iov = &iov, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof(control)};
   pid_t child = fork();
   if (child == 0) {
      int fd = open(CARD, O_RDWR);
      struct cmsghdr *cmsg = CMSG_FIRSTHDR(&msg);
      cmsg->cmsg_level = SOL_SOCKET;
      cmsg->cmsg_type = SCM_RIGHTS;
      cmsg->cmsg_len = CMSG_LEN(sizeof(int));
      memcpy(CMSG_DATA(cmsg), &fd, sizeof(fd));
      _exit(sendmsg(sockets[0], &msg, 0) != 1);
   }
   assert_int_equal(recvmsg(sockets[1], &msg, 0), 1);
   int fd;
   memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&msg)), sizeof(fd));
   struct stat st;
   assert_int_equal(fstat(fd, &st), 0);
   assert_int_equal(st.st_rdev, makedev(226, 0));
   assert_true(is_tegra(fd));
   close(fd);
   int status;
   assert_int_equal(waitpid(child, &status, 0), child);
   assert_int_equal(status, 0);
}

TEST(card)
{
   int fd = open(CARD, O_RDWR | O_CLOEXEC);
   assert_true(is_tegra(fd));
   drmModeResPtr resources = drmModeGetResources(fd);
   assert_non_null(resources);
   assert_int_equal(resources->count_connectors, 0);
   drmModeFreeResources(resources);

   struct drm_mode_create_dumb dumb = {.width = 33, .height = 5, .bpp = 32};
   assert_int_equal(ioctl(fd, DRM_IOCTL_MODE_CREATE_DUMB, &dumb), 0);
   assert_int_equal(dumb.pitch, 136);
   struct drm_mode_map_dumb map = {.handle = dumb.handle};
   assert_int_equal(ioctl(fd, DRM_IOCTL_MODE_MAP_DUMB, &map), 0);
   void *memory = mmap(NULL, dumb.size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, map.offset);
   assert_ptr_not_equal(memory, MAP_FAILED);
   munmap(memory, dumb.size);

   struct drm_gem_flink flink = {.handle = dumb.handle};
   assert_int_equal(ioctl(fd, DRM_IOCTL_GEM_FLINK, &flink), 0);
   struct drm_gem_open open_args = {.name = flink.name};
   assert_int_equal(ioctl(fd, DRM_IOCTL_GEM_OPEN, &open_args), 0);
   assert_int_equal(open_args.size, 4096);
   struct drm_mode_destroy_dumb destroy = {.handle = dumb.handle};
   /* A framebuffer, though there is no display; not beyond the buffer. */
   struct drm_mode_fb_cmd2 fb = {.width = dumb.width, .height = dumb.height, .pixel_format = DRM_FORMAT_XRGB8888,
                                 .handles = {dumb.handle}, .pitches = {dumb.pitch}};
   assert_int_equal(ioctl(fd, DRM_IOCTL_MODE_ADDFB2, &fb), 0);
   assert_int_equal(ioctl(fd, DRM_IOCTL_MODE_RMFB, &fb.fb_id), 0);
   assert_int_equal(ioctl(fd, DRM_IOCTL_MODE_RMFB, &fb.fb_id), -1);
   fb.height = 4096;
   assert_int_equal(ioctl(fd, DRM_IOCTL_MODE_ADDFB2, &fb), -1);
   assert_int_equal(ioctl(fd, DRM_IOCTL_MODE_DESTROY_DUMB, &destroy), 0);

   int render = open(RENDER, O_RDWR);
   assert_int_equal(ioctl(render, DRM_IOCTL_MODE_CREATE_DUMB, &dumb), -1);
   assert_int_equal(errno, EACCES);
   close(render);
   close(fd);
}

TEST(dma_buf)
{
   int fd = open(RENDER, O_RDWR | O_CLOEXEC), dmabuf;
   struct drm_tegra_gem_create create = {.size = 8192};
   assert_int_equal(ioctl(fd, DRM_IOCTL_TEGRA_GEM_CREATE, &create), 0);
   assert_int_equal(drmPrimeHandleToFD(fd, create.handle, DRM_CLOEXEC | DRM_RDWR, &dmabuf), 0);
   struct dma_buf_sync sync = {.flags = DMA_BUF_SYNC_START | DMA_BUF_SYNC_RW};
   assert_int_equal(ioctl(dmabuf, DMA_BUF_IOCTL_SYNC, &sync), 0);
   sync.flags = 0x100;
   assert_int_equal(ioctl(dmabuf, DMA_BUF_IOCTL_SYNC, &sync), -1);
   assert_int_equal(errno, EINVAL);
   uint32_t *map = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, dmabuf, 0);
   assert_ptr_not_equal(map, MAP_FAILED);
   munmap(map, 8192);
   close(dmabuf);
   close(fd);
}

static bool
readable(int fd, int timeout)
{
   struct pollfd pfd = {.fd = fd, .events = POLLIN};
   return poll(&pfd, 1, timeout) > 0;
}

TEST(sync_file_merge)
{
   int a = eventfd(0, 0), b = eventfd(0, 0);
   struct sync_merge_data merge = {.name = "both", .fd2 = b};
   assert_int_equal(ioctl(a, SYNC_IOC_MERGE, &merge), 0);
   struct sync_file_info info = {0};
   assert_int_equal(ioctl(merge.fence, SYNC_IOC_FILE_INFO, &info), 0);
   assert_int_equal(info.status, 0);
   eventfd_write(a, 1);
   assert_false(readable(merge.fence, 20));
   eventfd_write(b, 1);
   assert_true(readable(merge.fence, 1000));
   struct sync_fence_info fence = {0};
   info.sync_fence_info = (uintptr_t)&fence;
   assert_int_equal(ioctl(merge.fence, SYNC_IOC_FILE_INFO, &info), 0);
   assert_int_equal(info.status, 1);
   assert_int_equal(info.num_fences, 1);
   assert_int_equal(fence.status, 1);
   assert_true(fence.timestamp_ns > 0);
   info.pad = 1;
   FAILS(ioctl(merge.fence, SYNC_IOC_FILE_INFO, &info), EINVAL);
   close(merge.fence);
   merge.fd2 = 0;
   assert_int_equal(ioctl(a, SYNC_IOC_MERGE, &merge), -1);
   assert_int_equal(errno, ENOENT);
   close(a);
   close(b);
}
