/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * The calls of the grate project's kernel (postmarketOS) that mainline's
 * header does not have: kernel-interface-grate.md 1, 2, 4.  Its other calls
 * have the numbers and structures of mainline's legacy interface.
 */

#ifndef TEGRA20_GRATE_KERNEL_H
#define TEGRA20_GRATE_KERNEL_H

#include <stdint.h>
#include <sys/ioctl.h>

/* The DRM driver's major version: from 99991 on it is this kernel, from 99997
 * on all of what is used here works. */
#define GRATE_KERNEL_FIRST_MAJOR 99991
#define GRATE_KERNEL_MIN_MAJOR 99997

/* GEM_CREATE: the kernel needs no mapping of its own. */
#define GRATE_GEM_DONT_KMAP (1u << 5)

enum { GRATE_PIPE_2D = 1u << 0, GRATE_PIPE_3D = 1u << 1 };

/* Constants of a machine; soc 0 is Tegra20. */
struct grate_version {
   uint32_t soc;
   uint32_t uapi;
};

#define GRATE_BO_WRITE (1u << 0)          /* the job writes the buffer */
#define GRATE_BO_EXPLICIT_FENCE (1u << 1) /* does not wait for its fences */
#define GRATE_MAX_BOS 64

struct grate_bo {
   uint32_t handle;
   uint32_t flags;
};

/* A job: the stream lies in user memory, and a word for an address register
 * is an index into the table of buffers (bits 5:0) and an offset in bytes
 * (bits 31:6). */
struct grate_submit {
   uint64_t pipes;     /* GRATE_PIPE_* */
   uint64_t cmdstream; /* pointer to words */
   uint64_t bos;       /* pointer to struct grate_bo */
   uint32_t num_words;
   uint32_t num_bos;
   uint32_t flags;    /* 0 */
   uint32_t in_fence; /* sync objects, 0 = none */
   uint32_t out_fence;
   uint32_t uapi; /* 0 */
};

#define GRATE_OFFSET_SHIFT 6
#define GRATE_MAX_OFFSET (1u << 26)

/* In the stream: a wait for the increments of the job before it.  The word
 * behind it has the number of increments, 0 = all so far. */
#define GRATE_WAIT_OPCODE 0x00080041u

#define GRATE_IOCTL_SUBMIT _IOWR('d', 0x4f, struct grate_submit)
#define GRATE_IOCTL_VERSION _IOWR('d', 0x50, struct grate_version)

_Static_assert(sizeof(struct grate_version) == 8,
               "kernel-interface-grate.md 2");
_Static_assert(sizeof(struct grate_bo) == 8, "kernel-interface-grate.md 4.1");
_Static_assert(sizeof(struct grate_submit) == 48,
               "kernel-interface-grate.md 2");
_Static_assert(GRATE_IOCTL_SUBMIT == 0xc030644f,
               "kernel-interface-grate.md 2");
_Static_assert(GRATE_IOCTL_VERSION == 0xc0086450,
               "kernel-interface-grate.md 2");

#endif
