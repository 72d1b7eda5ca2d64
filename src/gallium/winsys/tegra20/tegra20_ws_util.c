/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Messages, ioctls and times.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#include "util/os_time.h"

#include "tegra20_ws_internal.h"

void
ws_message(const char *format, ...)
{
   char text[512];
   va_list args;
   va_start(args, format);
   vsnprintf(text, sizeof(text), format, args);
   va_end(args);
   fprintf(stderr, "tegra20: %s\n", text);
}

int
ws_ioctl(int fd, unsigned long request, void *arg)
{
   int ret;
   do {
      ret = ioctl(fd, request, arg);
   } while (ret == -1 && errno == EINTR);
   return ret == -1 ? -errno : 0;
}

bool
ws_debug_flag(const char *name)
{
   const size_t length = strlen(name);
   const char *flags = getenv("TEGRA20_DEBUG");
   while (flags && *flags) {
      const size_t word = strcspn(flags, ", ");
      if (word == length && !strncmp(flags, name, length))
         return true;
      flags += word + (flags[word] != 0);
   }
   return false;
}

/*
 * A device that was unplugged or whose kernel driver was unbound answers
 * ENODEV, a closed descriptor EBADF.  Not for calls that take an object of
 * the application, nor for those that open channels: they have other reasons.
 */
bool
ws_device_gone(int ret)
{
   if (ret != -ENODEV && ret != -EBADF)
      return false;
   if (ret == -ENODEV)
      ws_message_once("the graphics device is gone (removed, or its kernel "
                      "driver was unbound): rendering is lost; start the "
                      "program again when it is back");
   else
      ws_message_once(
         "the file descriptor of the graphics device was closed, which is a "
         "bug of the program: rendering is lost");
   return true;
}

int64_t
ws_deadline(uint64_t timeout_ns)
{
   int64_t now = os_time_get_nano();
   if (timeout_ns == 0)
      return 0;
   return timeout_ns > (uint64_t)(INT64_MAX - now)
             ? INT64_MAX
             : now + (int64_t)timeout_ns;
}
