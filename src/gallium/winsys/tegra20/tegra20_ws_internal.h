/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Shared by the files of the winsys:
 *
 *   tegra20_ws_device.c    open, probe, one winsys per open file description
 *   tegra20_ws_bo.c        buffers: cache, mappings, handles, sharing, waits
 *   tegra20_ws_fence.c     sync points and fences
 *   tegra20_ws_reset.c     waits for an engine after a cancelled job
 *   tegra20_ws_job.c       streams, relocations, submission
 *   tegra20_ws_record.c    TEGRA20_DEBUG=record=FILE
 *   tegra20_ws_validate.c  TEGRA20_DEBUG=validate
 *   tegra20_ws_util.c      messages, ioctls and times
 *   tegra20_ws_mainline.c  ioctls of mainline (kernel-interface.md 2)
 *   tegra20_ws_grate.c     those of the grate kernel, which postmarketOS uses
 *                          (kernel-interface-grate.md)
 *
 * Locks, outermost first: submit_lock (order of submissions), bo_lock (handle
 * table, cache, life and death of buffers), fence_lock (fences of buffers,
 * state of sync points).  No ioctl that can sleep is issued under fence_lock.
 */

#ifndef TEGRA20_WS_INTERNAL_H
#define TEGRA20_WS_INTERNAL_H

#include <stdarg.h>
#include <stdio.h>

#include "tegra20_winsys.h"

#include "drm-uapi/tegra_drm.h"
#include "util/hash_table.h"
#include "util/list.h"
#include "util/macros.h"
#include "util/simple_mtx.h"
#include "util/u_atomic.h"

/* Limits of one submission (kernel-interface.md 2.7). */
#define TEGRA20_MAX_RELOCS 682
#define TEGRA20_MAX_CMDS 682
#define TEGRA20_MAX_GATHER_WORDS 16383
/* The kernel copies a stream into contiguous memory, which is scarce: one job
 * is at most 1 MiB. */
#define TEGRA20_MAX_JOB_WORDS (256 * 1024)

/*
 * Slots of the channel's push buffer (kernel-review.md 1).  It has 510, and a
 * job that needs more never comes back from the kernel, with the channel
 * locked for everybody.  A gather takes one, a wait two; the kernel's own
 * part is a wait for the sync point, the selection of the class (one each)
 * and, for sync points with a wait base, its setting.
 */
#define TEGRA20_PUSH_BUFFER_SLOTS 510
#define TEGRA20_SLOTS_OF_KERNEL 3
#define TEGRA20_SLOTS_OF_GATHER 1
#define TEGRA20_SLOTS_OF_WAIT 2
/* Limits of one job: two fit at a time, so that the engine does not run
 * dry. */
#define TEGRA20_MAX_SLOTS 250
static_assert(2 * TEGRA20_MAX_SLOTS <= TEGRA20_PUSH_BUFFER_SLOTS,
              "kernel-review.md 1");
static_assert(TEGRA20_MAX_SLOTS <= TEGRA20_MAX_CMDS,
              "each command takes a slot");

/*
 * Limits of an engine's queue before submissions wait: a push buffer, in
 * which a job takes its slots, and at least one per 2,048 words.  Bounds the
 * memory of a program that never waits by itself, and that of the kernel's
 * copies (4 MiB per engine).  The kernel would wait for slots, too, but with
 * the channel locked, and nothing could interrupt it.
 */
#define TEGRA20_QUEUE_SLOTS TEGRA20_PUSH_BUFFER_SLOTS
#define TEGRA20_WORDS_PER_SLOT 2048

#define TEGRA20_CACHE_BUCKETS 64

/* Users of a shared sync point that take turns, as far back as is remembered.
 */
#define TEGRA20_MAX_RUNS 16
/* Jobs that the grate kernel cancelled, as far back as is remembered. */
#define TEGRA20_MAX_CANCELLED 8

/* A sync point of this process.  Kept until the winsys dies, since fences
 * name it. */
struct ws_syncpt {
   struct list_head link;
   enum tegra20_engine engine;
   uint32_t id;
   unsigned users; /* jobs that increment it (submit_lock) */
   /*
    * Submitters of ranges of values, oldest first; successive submissions of
    * one user are one run.  Written under submit_lock and fence_lock, read
    * under one of them.
    */
   struct ws_run {
      struct tegra20_job *job; /* compared, never followed */
      uint32_t start, value;
   } runs[TEGRA20_MAX_RUNS];
   unsigned num_runs;
   struct tegra20_job *culprit;     /* submitter of the cancelled job, NULL if
                                       unknown (fence_lock); compared, never
                                       dereferenced */
   struct tegra20_fence *waits_for; /* the last wait in a stream
                                       (submit_lock) */
   bool lost; /* the kernel locked it after a time-out: nothing on it will
                 ever signal */
   int64_t probe_time; /* of the last look whether it is locked, ns
                          (submit_lock) */
   bool value_known;
   uint32_t known_value; /* the highest value that was read (fence_lock) */
   uint32_t cancelled[TEGRA20_MAX_CANCELLED]; /* values from which cancelled
                                                 jobs should have raised it:
                                                 the last ones */
   unsigned num_cancelled;                    /* (fence_lock) */
};

struct tegra20_fence {
   int refcount;
   struct tegra20_winsys *ws;
   /* A value of a sync point... */
   struct ws_syncpt *syncpt;
   uint32_t value;
   uint64_t seq;        /* number of the submission on its engine */
   int64_t submit_time; /* ns */
   bool signalled;
   bool lost; /* the kernel cancelled the job and went on */
   /* ...or an imported sync_file */
   int fd;
};

struct tegra20_bo {
   int refcount;
   struct tegra20_winsys *ws;
   uint32_t handle;
   uint32_t size;
   bool lost;   /* a job that should have written it was lost (fence_lock) */
   bool shared; /* in the handle table: others may know it (bo_lock) */
   bool set_aside; /* of tegra20_winsys.aside (bo_lock) */
   void *map;
   uint32_t mapping[TEGRA20_NUM_ENGINES]; /* of CHANNEL_MAP, 0 = none yet */
   /* The latest accesses of each engine; an engine executes in order, so the
    * last one is enough (fence_lock). */
   struct {
      struct tegra20_fence *read, *write;
   } last[TEGRA20_NUM_ENGINES];
   /* Of all jobs that have or had it in their lists the latest one's number,
    * and where: number << 16 | index (p_atomic). */
   uint64_t job_hint[TEGRA20_NUM_ENGINES];
   struct list_head cache_link;
   int64_t cache_time;      /* ns */
   uint32_t record_address; /* in the recording, 0 = not in it */
};

/* Arguments of one submission; see ws_kernel.submit. */
enum ws_cmd_type { WS_CMD_GATHER, WS_CMD_WAIT, WS_CMD_WAIT_RELATIVE };

struct ws_cmd {
   enum ws_cmd_type type;
   uint32_t words; /* GATHER */
   uint32_t syncpt,
      value; /* WAIT; value alone for WAIT_RELATIVE: increments of this job */
};

struct ws_reloc {
   struct tegra20_bo *bo;
   uint32_t word; /* index in the stream */
   uint32_t offset;
};

struct ws_use {
   struct tegra20_bo *bo;
   unsigned access; /* TEGRA20_READ | TEGRA20_WRITE */
};

struct ws_submission {
   enum tegra20_engine engine;
   const struct ws_use *uses; /* the buffers of relocs, each once */
   unsigned num_uses;
   const uint32_t *words;
   uint32_t num_words;
   const struct ws_reloc *relocs;
   unsigned num_relocs;
   const struct ws_cmd *cmds;
   unsigned num_cmds;
   uint32_t syncpt, increments;
   uint32_t syncobj; /* receives the fence, 0 = none */
   uint32_t value;   /* out: the sync point's value after the job */
};

/* A kernel interface.  All return 0 or a negative errno and repeat
 * interrupted calls. */
/* A101: GR3D and GR2D run at 300 MHz, as Linux sets them up.  A quarter of a
 * time-out: the last draw of a job may take as long again, and any draw twice
 * the estimate of the model. */
#define TEGRA20_BOUND_CYCLES(timeout_ms) ((timeout_ms)*300000ull / 4)

struct ws_kernel {
   const char *name;
   bool locks_syncpts; /* a time-out shows as EPERM of later submissions */
   bool orders_jobs;   /* by their buffers, also across processes, and one
                          after the other on an engine: no other waits are
                          needed */
   uint32_t gem_flags; /* of GEM_CREATE, always */
   unsigned max_bos;   /* different ones in a job of several draws */
   unsigned max_job_words;         /* of such a job */
   unsigned max_jobs;              /* in an engine's queue, 0 = any number */
   struct tegra20_job_bound bound; /* the driver's use of the time-out */
   int (*channel_open)(struct tegra20_winsys *ws, enum tegra20_engine engine);
   void (*channel_close)(struct tegra20_winsys *ws,
                         enum tegra20_engine engine);
   /* set bo->mapping; NULL: buffers need none */
   int (*bo_attach)(struct tegra20_bo *bo, enum tegra20_engine engine);
   void (*bo_detach)(struct tegra20_bo *bo, enum tegra20_engine engine);
   int (*syncpt_alloc)(struct tegra20_winsys *ws, enum tegra20_engine engine,
                       uint32_t *id);
   void (*syncpt_free)(struct tegra20_winsys *ws, uint32_t id);
   /* deadline_ns: CLOCK_MONOTONIC, 0 = poll.  -EAGAIN when the time is over.
    * *value: the value read, if *known. */
   int (*syncpt_wait)(struct tegra20_winsys *ws, uint32_t id,
                      uint32_t threshold, int64_t deadline_ns,
                      uint32_t *value);
   /* A sync_file of a value; -ENOENT when it is reached.  NULL: there is
    * another way, see tegra20_fence_export_fd(). */
   int (*fence_export)(struct tegra20_winsys *ws, uint32_t id,
                       uint32_t value);
   int (*submit)(struct tegra20_winsys *ws, struct ws_submission *submission);
};

extern const struct ws_kernel ws_kernel_mainline, ws_kernel_grate;

struct tegra20_winsys {
   int refcount;
   int fd;
   /* Version of GR3D; 0: the kernel does not say, or there is none. */
   unsigned chip;
   const struct tegra20_chip_info *chip_info;
   const struct ws_kernel *kernel;
   struct list_head link; /* of all winsyses */
   uint64_t context[TEGRA20_NUM_ENGINES];
   struct ws_grate *grate; /* of tegra20_ws_grate.c, or NULL */

   simple_mtx_t submit_lock;
   struct list_head syncpts; /* struct ws_syncpt */
   uint64_t seq[TEGRA20_NUM_ENGINES];
   struct tegra20_fence *last_fence[TEGRA20_NUM_ENGINES]; /* fence_lock */
   /* The jobs submitted last, in a ring; NULL: free (fence_lock). */
   struct ws_queue {
      struct {
         struct ws_syncpt *syncpt;
         uint32_t value;
         uint64_t cycles; /* of the job, in its last slot; 0 in others */
      } slots[TEGRA20_QUEUE_SLOTS];
      unsigned next;
      uint64_t cycles; /* of all slots */
   } queue[TEGRA20_NUM_ENGINES];

   simple_mtx_t bo_lock;
   struct hash_table *handles; /* handle -> struct tegra20_bo, shared ones */
   struct list_head cache[TEGRA20_CACHE_BUCKETS];
   int64_t cache_checked;            /* when old ones were looked for, ns */
   struct list_head aside;           /* unused buffers for streams */
   unsigned num_aside, wanted_aside; /* those in use included */
   unsigned used_aside;              /* p_atomic */
   int64_t budget; /* bytes that may be allocated before free memory is
                      measured again (p_atomic) */
   bool has_little_memory; /* as last measured (p_atomic) */

   simple_mtx_t fence_lock;

   uint64_t last_job; /* number of the job begun last (p_atomic) */

   struct tegra20_winsys_stats stats; /* p_atomic */

   struct tegra20_job_bound bound; /* the kernel's, or TEGRA20_JOB_CLOCKS */
   bool validate;
   bool wait_for_engine; /* jobs begin so, see begin_stream() */
   bool finish_shared;   /* see tegra20_job_finish_shared() */
   bool waits_for_reset; /* see tegra20_ws_reset.c */
   /* When a job was lost, ns; 0: no reset wait (p_atomic). */
   int64_t reset_wait_start[TEGRA20_NUM_ENGINES];
   struct ws_record *record; /* NULL: not recording */
   simple_mtx_t record_lock;
};

/* tegra20_ws_util.c: an error is reported once per place in the code. */
void
ws_message(const char *format, ...) PRINTFLIKE(1, 2);
#define ws_message_once(...)        \
   do {                             \
      static int said;              \
      if (!p_atomic_xchg(&said, 1)) \
         ws_message(__VA_ARGS__);   \
   } while (0)

/* Like drmIoctl, for one call: repeats on EINTR only.  Returns 0 or a
 * negative errno. */
int
ws_ioctl(int fd, unsigned long request, void *arg);

/* Is this word in the list of TEGRA20_DEBUG? */
bool
ws_debug_flag(const char *name);

/* Do all calls fail from now on?  Says so once. */
bool
ws_device_gone(int ret);

int64_t
ws_deadline(uint64_t timeout_ns); /* relative, ~0 = forever, to absolute
                                     CLOCK_MONOTONIC */

/* tegra20_ws_bo.c */
void
ws_cache_init(struct tegra20_winsys *ws);
void
ws_cache_empty(struct tegra20_winsys *ws);

/*
 * Does this text of /proc/self/fdinfo say that a dma-buf was made by
 * something that gives memory in pieces?  The name of the exporter, or NULL.
 */
const char *
ws_scattered_exporter(const char *fdinfo);

/* tegra20_ws_budget.c: may the kernel be asked for so many bytes? */
bool
ws_budget_allows(struct tegra20_winsys *ws, uint32_t size);

/* Remaining budget by this text of /proc/meminfo, bytes. */
int64_t
ws_budget_of(const char *meminfo);

/* tegra20_ws_fence.c */
struct tegra20_fence *
ws_fence_create(struct tegra20_winsys *ws, struct ws_syncpt *syncpt,
                uint32_t value, uint64_t seq);
void
ws_fence_set(struct tegra20_fence **slot, struct tegra20_fence *fence);
bool
ws_fence_poll(
   struct tegra20_fence *fence); /* NULL: nothing to wait for, true */
bool
ws_fence_lost(const struct tegra20_fence *fence);
struct ws_syncpt *
ws_syncpt_acquire(struct tegra20_winsys *ws, enum tegra20_engine engine);
/* A job object leaves the sync point, for another one or because it dies. */
void
ws_syncpt_release(struct tegra20_winsys *ws, struct ws_syncpt *syncpt,
                  struct tegra20_job *job);
/* A job was submitted on the sync point.  Under submit_lock. */
void
ws_syncpt_note_run(struct tegra20_winsys *ws, struct ws_syncpt *syncpt,
                   struct tegra20_job *job,
                   const struct ws_submission *submission);
/* Is the job the one that was cancelled?  Tells it once. */
/* job, which may be NULL, was cancelled */
void
ws_job_note_overrun(struct tegra20_job *job);
bool
ws_syncpt_take_culprit(struct tegra20_winsys *ws, struct ws_syncpt *syncpt,
                       const struct tegra20_job *job);
void
ws_syncpt_lost(struct tegra20_winsys *ws, struct ws_syncpt *syncpt);
/* Was it lost because it waited for another one that was lost?  Under
 * submit_lock. */
bool
ws_syncpt_is_victim(struct tegra20_winsys *ws, struct ws_syncpt *syncpt);
void
ws_syncpts_destroy(struct tegra20_winsys *ws);

/* The kernel cancelled the job that should have raised the sync point from
 * this value. */
void
ws_syncpt_cancelled(struct tegra20_winsys *ws, uint32_t id, uint32_t stuck);

/* tegra20_ws_reset.c: an engine has lost a job; and before a submission,
 * which may wait for seconds: not under a lock. */
void
ws_reset_begin(struct tegra20_winsys *ws, enum tegra20_engine engine);
void
ws_reset_wait(struct tegra20_winsys *ws, enum tegra20_engine engine);

extern const uint32_t ws_engine_class[TEGRA20_NUM_ENGINES]; /* of host1x */

/* tegra20_ws_job.c: an empty job that increments a sync point; *syncobj may
 * be 0.  -EPERM: the sync point is locked. */
int
ws_submit_marker(struct tegra20_winsys *ws, struct ws_syncpt *syncpt,
                 uint32_t syncobj, uint32_t *value);

/* tegra20_ws_record.c: around a submission, under submit_lock, and when a
 * buffer dies. */
struct ws_record *
ws_record_create(const struct tegra20_chip_info *chip);
void
ws_record_destroy(struct ws_record *record);
void
ws_record_before(struct tegra20_winsys *ws,
                 const struct ws_submission *submission);
void
ws_record_after(struct tegra20_winsys *ws,
                const struct ws_submission *submission, bool submitted);
void
ws_record_forget(struct ws_record *record, struct tegra20_bo *bo);

/* tegra20_ws_validate.c: 0, or -EINVAL after a message.  Relocations must be
 * in stream order. */
bool
ws_validate_enabled(void);
int
ws_validate(const struct ws_submission *submission);

/* tegra20_ws_fence.c: waits for everything that was submitted.  False if
 * something is still running. */
bool
ws_wait_all(struct tegra20_winsys *ws, uint64_t timeout_ns);

#endif
