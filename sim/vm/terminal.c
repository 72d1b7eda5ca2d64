/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * To be preloaded to Weston: the machine has no virtual terminals, and Weston
 * takes over one.  Their ioctls succeed.
 */

#include <dlfcn.h>
#include <stdarg.h>
#include <sys/ioctl.h>

#define FIRST_KEYBOARD 0x4b00 /* KD..., in linux/kd.h */
#define FIRST_TERMINAL 0x5600 /* VT_..., in linux/vt.h */

int
ioctl(int fd, unsigned long request, ...)
{
   static int (*next)(int, unsigned long, ...);
   va_list args;

   va_start(args, request);
   void *arg = va_arg(args, void *);
   va_end(args);
   if ((request & ~0xfful) == FIRST_KEYBOARD ||
       (request & ~0xfful) == FIRST_TERMINAL)
      return 0;
   if (!next)
      next = (int (*)(int, unsigned long, ...))dlsym(RTLD_NEXT, "ioctl");
   return next(fd, request, arg);
}
