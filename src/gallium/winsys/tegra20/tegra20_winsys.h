/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * The driver's view of the kernel: buffers, jobs and fences of the TegraDRM
 * interface (kernel-interface.md).  Only the files of this folder issue
 * ioctls; the driver cannot tell which kernel interface (or which simulation
 * of one) is behind this header.
 *
 * Errors: functions that can fail return a negative errno or NULL after one
 * message on stderr that names the cause. All functions are safe to call from
 * several threads, except that one job belongs to one thread at a time.
 */

#ifndef TEGRA20_WINSYS_H
#define TEGRA20_WINSYS_H

#include <stdbool.h>
#include <stdint.h>

#include "tegra20/tegra20_chip.h"

struct tegra20_winsys;
struct tegra20_bo;
struct tegra20_job;
struct tegra20_fence;

enum tegra20_engine {
   TEGRA20_ENGINE_3D, /* class 0x60 */
   TEGRA20_ENGINE_2D, /* classes 0x51, 0x52 */
   TEGRA20_NUM_ENGINES,
};

/* --- device --- */

/*
 * Opens the device behind fd (duplicated).  One winsys per open file
 * description: a second call for the same device file returns the same object
 * with one more reference.  NULL, after one line on stderr, when the device
 * has none of the chips or the kernel lacks the interface; the message names
 * the cause and the remedy.
 */
struct tegra20_winsys *
tegra20_winsys_create(int fd);
void
tegra20_winsys_unref(struct tegra20_winsys *ws);

/* By the engine version that CHANNEL_OPEN reported.  Never NULL. */
const struct tegra20_chip_info *
tegra20_winsys_chip(const struct tegra20_winsys *ws);

/* Which interface the kernel has: "mainline" or "grate". */
const char *
tegra20_winsys_kernel(const struct tegra20_winsys *ws);

/*
 * Budget of a job before it is submitted, in cycles of the engine (A101).
 * The kernel cancels a job that takes too long (10 s, or 300 ms on the grate
 * kernel); costs are only estimated, so this is at most a third of that.
 * Other programs wait for it, so two of them are at most TEGRA20_FAIR_CYCLES.
 */
struct tegra20_job_bound {
   uint64_t cycles;
   /* Where a job may be so short that guesses which are too high would cost
    * more than they save: so many draws to a target are expected to cover all
    * of it, all further ones together as much with each doubling of their
    * number.  0: all draws are. */
   unsigned full_draws;
};
const struct tegra20_job_bound *
tegra20_winsys_job_bound(const struct tegra20_winsys *ws);

struct tegra20_winsys_stats {
   uint64_t jobs, words, bytes_allocated, bytes_cached;
};
void
tegra20_winsys_get_stats(const struct tegra20_winsys *ws,
                         struct tegra20_winsys_stats *stats);

/* --- buffers --- */

enum tegra20_bo_flags {
   TEGRA20_BO_SHARED =
      1
      << 0, /* will be exported or scanned out: never from or to the cache */
   TEGRA20_BO_ZERO = 1 << 1,   /* contents must be zero */
   TEGRA20_BO_TILED = 1 << 2,  /* with TEGRA20_BO_SHARED: the kernel notes it,
                                  see tegra20_bo_tiled() */
   TEGRA20_BO_STREAM = 1 << 3, /* of TEGRA20_STREAM_BYTES: when memory is used
                                  up, from the reserved ones */
};

#define TEGRA20_STREAM_BYTES (64 * 1024)

/*
 * size in bytes, > 0; rounded up to pages.  Tries the cache, then the kernel,
 * then again after emptying the cache.  The buffer can be mapped and used in
 * jobs without further errors.
 */
struct tegra20_bo *
tegra20_bo_create(struct tegra20_winsys *ws, uint32_t size, unsigned flags);
/*
 * Reserves so many more buffers for streams; false: there is no memory for
 * them.  Gives so many back.  Data that the CPU writes for a draw must have a
 * place even when others use up the memory.
 */
bool
tegra20_set_aside(struct tegra20_winsys *ws, unsigned count);
void
tegra20_give_back(struct tegra20_winsys *ws, unsigned count);

struct tegra20_bo *
tegra20_bo_ref(struct tegra20_bo *bo);
void
tegra20_bo_unref(struct tegra20_bo *bo); /* NULL is allowed */
uint32_t
tegra20_bo_size(const struct tegra20_bo *bo);

/* CPU pointer to the whole buffer, valid until the buffer dies; no implicit
 * wait.  Never NULL. */
void *
tegra20_bo_map(struct tegra20_bo *bo);

enum tegra20_access {
   TEGRA20_READ = 1,
   TEGRA20_WRITE = 2,
};

/*
 * Waits until the CPU may access the buffer: for reading until engine writes
 * are done, for writing until all engine accesses are done.  Knows submitted
 * jobs only: the caller flushes its own first.  timeout_ns relative, ~0 =
 * forever. 0, -ETIMEDOUT, or -EIO (once) when a job that should have written
 * it was lost: timed out, or refused by the kernel.
 */
int
tegra20_bo_wait(struct tegra20_bo *bo, enum tegra20_access access,
                uint64_t timeout_ns);
bool
tegra20_bo_busy(struct tegra20_bo *bo, enum tegra20_access access);

/* Marks its contents as lost, as if by a job that should have written it: the
 * caller failed to draw there. */
void
tegra20_bo_mark_undefined(struct tegra20_bo *bo);

/*
 * Is the buffer tiled for the kernel?  For imports that come without a format
 * modifier; the attribute is a hint of the exporter (kernel-interface.md 2.1,
 * 5).
 */
bool
tegra20_bo_tiled(struct tegra20_bo *bo);

/* dma-buf file descriptors (owned by the caller) and KMS handles. */
int
tegra20_bo_export_fd(struct tegra20_bo *bo);
uint32_t
tegra20_bo_handle(struct tegra20_bo *bo);
struct tegra20_bo *
tegra20_bo_import_fd(struct tegra20_winsys *ws, int fd);
struct tegra20_bo *
tegra20_bo_import_handle(struct tegra20_winsys *ws, uint32_t handle,
                         uint32_t size);

/* --- jobs --- */

/*
 * A growing command stream for one engine.  It starts with the selection of
 * the engine's class.  Packets never straddle gathers: announce each packet
 * group with tegra20_job_begin().
 */
struct tegra20_job *
tegra20_job_create(struct tegra20_winsys *ws, enum tegra20_engine engine);
void
tegra20_job_destroy(
   struct tegra20_job *job); /* drops commands that were not submitted */

/*
 * Room for a group of packets (whole packets only): at most words words (<=
 * 16000) and relocs relocations.  Returns the write pointer, or NULL when the
 * group does not fit the job any more (kernel limits) or memory ran out:
 * submit and start again with full state.  tegra20_job_end() takes the
 * pointer behind the last word written.  It returns true when the job should
 * be submitted: it is long, or streams are in buffers that were set aside,
 * which jobs keep.
 */
uint32_t *
tegra20_job_begin(struct tegra20_job *job, unsigned words, unsigned relocs);
bool
tegra20_job_end(struct tegra20_job *job, uint32_t *end);

/*
 * Inside begin/end: makes *where an address word for bo + offset and notes
 * the access.  The same buffer may be used any number of times; calls are in
 * ascending order of where.
 */
void
tegra20_job_reloc(struct tegra20_job *job, uint32_t *where,
                  struct tegra20_bo *bo, uint32_t offset,
                  unsigned access /* TEGRA20_READ | TEGRA20_WRITE */);

/* Increments the job's sync point on OP_DONE and waits for it: the next
 * commands see memory written by earlier ones. */
bool
tegra20_job_barrier(struct tegra20_job *job);

/* Is bo used by commands of this job (with the given access)? */
bool
tegra20_job_uses(const struct tegra20_job *job, const struct tegra20_bo *bo,
                 unsigned access);
bool
tegra20_job_empty(const struct tegra20_job *job);
unsigned
tegra20_job_words(const struct tegra20_job *job);

/* Cycles that the engine is expected to take for the commands so far.  A
 * process has at most TEGRA20_FAIR_CYCLES in an engine's queue, half a second
 * (A101), beside a single job: all others wait for them. */
void
tegra20_job_expect(struct tegra20_job *job, uint64_t cycles);
#define TEGRA20_FAIR_CYCLES 150000000

/*
 * Submits the commands so far (nothing when empty) and empties the job.
 * Orders it behind jobs of the other engine that use the same buffers.  On
 * success *fence (may be NULL) gets a new reference: the returned fence
 * covers this job, or the last one submitted when this was empty.  When
 * earlier jobs were lost (time-out, locked sync point), this one is submitted
 * on a new sync point and tegra20_job_reset_status() tells.  Negative errno:
 * the commands are dropped, and waits for buffers that they should have
 * written return -EIO.
 */
int
tegra20_job_submit(struct tegra20_job *job, struct tegra20_fence **fence);

/*
 * Before a shared buffer (a dma-buf, a window's buffer) leaves the process:
 * waits for the jobs of this object that used shared buffers.  The kernel
 * attaches no fences to them (kernel-review.md 4), so another process would
 * show, read or overwrite a buffer too early.  Returns at once on kernels
 * that attach fences.
 */
void
tegra20_job_finish_shared(struct tegra20_job *job);

/* The next submit waits for this sync_file first
 * (EGL_ANDROID_native_fence_sync); the fd stays the caller's. */
int
tegra20_job_wait_fd(struct tegra20_job *job, int fd);

/* Not NO_RESET once after a job of this object (guilty) or of another
 * (innocent) was lost, or the device (unknown). */
enum tegra20_reset {
   TEGRA20_NO_RESET,
   TEGRA20_RESET_GUILTY,
   TEGRA20_RESET_INNOCENT,
   TEGRA20_RESET_UNKNOWN
};
enum tegra20_reset
tegra20_job_reset_status(struct tegra20_job *job);

/* Has the kernel cancelled a job of this object since the last call? */
bool
tegra20_job_overran(struct tegra20_job *job);

/* --- fences --- */

struct tegra20_fence *
tegra20_fence_ref(struct tegra20_fence *fence);
void
tegra20_fence_unref(struct tegra20_fence *fence); /* NULL is allowed */
/* timeout_ns relative, 0 = poll, ~0 = forever.  True when signalled (or lost:
 * nothing will follow). */
bool
tegra20_fence_wait(struct tegra20_fence *fence, uint64_t timeout_ns);
int
tegra20_fence_export_fd(
   struct tegra20_fence *fence); /* sync_file, or negative errno */
struct tegra20_fence *
tegra20_fence_import_fd(struct tegra20_winsys *ws, int fd);

#endif
