/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Preloaded in front of Mesa's etnaviv noop shim: only core 0 exists.  The shim answers for every core number, and the
 * etnaviv winsys of Mesa 25.0 counts cores until one is missing, so it would never come to an end.
 */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdarg.h>

#include "drm-uapi/drm.h"
#include "drm-uapi/etnaviv_drm.h"

int ioctl(int fd, unsigned long request, ...);

int
ioctl(int fd, unsigned long request, ...)
{
   static int (*next)(int, unsigned long, ...);
   va_list args;
   va_start(args, request);
   void *arg = va_arg(args, void *);
   va_end(args);
   if (!next)
      next = (int (*)(int, unsigned long, ...))dlsym(RTLD_NEXT, "ioctl");
   if (request == DRM_IOCTL_ETNAVIV_GET_PARAM && ((struct drm_etnaviv_param *)arg)->pipe > 0) {
      errno = ENXIO;
      return -1;
   }
   return next(fd, request, arg);
}
