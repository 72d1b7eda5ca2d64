/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * The TegraDRM kernel interface in user space, on top of the simulator.
 *
 *   libc.c      the device as programs find it: paths, file descriptors
 *   core.c      open files, ioctl dispatch, versions and capabilities
 *   card.c      what only the card node has
 *   memory.c    buffers, dma-bufs
 *   syncobj.c   fences, sync objects, sync files
 *   channel.c   channels, mappings, sync points, submission
 *   grate.c     the interface of the grate project's kernel
 *   firewall.c  what the kernel lets through to the engines
 *   exec.c      the queue and the simulator
 *   chip_*.c    one simulator for several processes
 *   faults.c    fault injection
 *   walk.c      fault injection into copies of the process
 *   record.c    recordings
 *   report.c    counters shared with tegra20-run
 *   options.c   environment variables
 *   videocore*.c  the kernel's driver for another chip
 *   adreno.c    the kernel's driver for a third
 *
 * Handlers return 0, a positive number or a negative errno, as in the kernel,
 * and are called under shim.lock.
 */

#ifndef TEGRA20_SHIM_H
#define TEGRA20_SHIM_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "drm-uapi/drm.h"
#include "drm-uapi/tegra_drm.h"
#include "util/list.h"
#include "util/macros.h"

#include "sim.h"
#include "tegra20/tegra20_chip.h"

#define SHIM_PAGE_SIZE 4096u
#define SHIM_MAX_FDS 65536
#define SHIM_PUSH_BUFFER_SLOTS 510 /* of a channel, that can be used */

enum { SHIM_GR2D, SHIM_GR3D, SHIM_NUM_ENGINES };

/* A buffer: a memfd, mapped once for the simulator and any number of times by
 * the program. */
struct shim_mem {
   int refcount;
   uint32_t size; /* whole pages */
   uint32_t address;
   uint64_t place; /* in the pool of contiguous memory */
   uint8_t *cpu;
   int fd;
   uint64_t inode; /* identity of the memfd, for imports */
   uint32_t flags; /* DRM_TEGRA_GEM_CREATE_BOTTOM_UP */
   uint32_t name;  /* of GEM_FLINK, 0 = none */
   bool shared;    /* as a dma-buf */
   /* With videocore.c: a program, checked; with adreno.c too: seen by the
    * chip. */
   struct shim_vc4_shader *shader;
   bool on_chip;
   /* On the grate kernel: who uses it; see grate.c. */
   struct shim_fence *writer, *readers[SHIM_NUM_ENGINES];
   struct list_head link;
};

/* A moment: signalled for good once a job has ended, or an imported sync
 * file. */
struct shim_fence {
   int refcount;
   bool signalled;
   bool cancelled; /* its job was, which the grate kernel tells */
   int event_fd; /* becomes readable when signalled; -1 while nobody asked for
                    one */
   uint32_t number; /* of a job on a chip that is shared, or 0 */
};

/* Numbers that user space sees: the lowest free one from 1 on. */
struct shim_ids {
   void **objects; /* [id - 1] */
   unsigned size;
};

struct shim_context {
   int engine;
   uint32_t class_id;
   struct shim_ids mappings; /* struct shim_mem */
};

struct shim_syncobj {
   struct shim_fence *fence; /* NULL: nothing submitted yet */
};

/* An open file description of a node. */
struct shim_file {
   int refcount;             /* descriptors; atomic */
   bool primary;             /* the card node */
   struct shim_ids handles;  /* struct shim_mem */
   struct shim_ids contexts; /* struct shim_context */
   struct shim_ids syncobjs; /* struct shim_syncobj */
   struct shim_ids fbs;      /* struct shim_mem: framebuffers, never shown */
   uint32_t syncpts;         /* mask of sync points owned */
   struct shim_ids grate_channels; /* that are open: any pointer */
};

struct shim_syncpt {
   struct shim_file *owner; /* NULL: free, or reserved */
   bool reserved;
   struct shim_client *client; /* of a shared chip: as owner */
   bool locked;                /* a job on it timed out */
   uint32_t max;               /* value after the last job submitted */
   unsigned jobs;              /* in the queue */
};

struct shim_job {
   struct list_head link;
   int engine;
   uint32_t class_id;
   uint32_t *words;
   unsigned num_words;
   struct sim_cmd *cmds;
   unsigned num_cmds;
   struct shim_mem **mems; /* referenced, each once */
   unsigned num_mems;
   uint32_t syncpt, increments, end_value;
   struct shim_fence *fence;
   struct shim_fence **deps; /* what the grate kernel lets it wait for */
   unsigned num_deps;
   int64_t submit_time;
   uint64_t time_clocks; /* what the chip had done when it was submitted */
   uint32_t latency; /* from then to its end, thousand clocks of the chip */
   uint32_t number;  /* of the process' jobs */
   bool overlaps;    /* as in struct sim_job */
   bool ok;          /* the engine came to its end */
   bool goes_on;   /* after a time-out the sync point is raised, not locked */
   unsigned slots; /* of the push buffer, see shim_job_fits() */
   /* On the chip that is shared: whose it is, and whether it never ends. */
   struct shim_client *client;
   bool hangs;
};

struct shim_options {
   unsigned adversary, deaf;             /* of sim_options */
   const struct tegra20_chip_info *chip; /* NULL = no GR3D (Tegra124) */
   /* Other chips altogether; adreno: 420 or 430, 0 = none. */
   bool videocore;
   unsigned adreno;
   bool staging;  /* CONFIG_DRM_TEGRA_STAGING */
   bool old;      /* Linux before 5.16, by its version */
   bool grate;    /* the grate project's kernel */
   bool one_chip; /* shared with other processes */
   bool noop, strict, proven;
   unsigned threads;
   uint64_t memory_limit; /* bytes */
   uint64_t cma; /* of them contiguous memory, beyond which a kernel without
                    an IOMMU takes other pages; 0: all, and there it ends */
   int async_ms; /* execute jobs up to this late; -1 = at once */
   uint64_t job_clocks;  /* after which a job hangs, 0: as on mainline */
   unsigned timeout_ms;  /* until a job that hangs is given up */
   const char *switches; /* of the simulator, or NULL */
   bool trace;
};

struct shim {
   pthread_mutex_t lock;
   pthread_cond_t progress; /* a sync point advanced or a fence signalled */
   struct shim_options options;
   struct shim_syncpt syncpts[SIM_NUM_SYNCPTS];
   struct list_head mems;
   uint64_t memory_used;
   struct sim *sim;       /* created with the first job */
   struct sim *inherited; /* of the process that forked: without its threads
                             it can be neither used nor freed */
   uint32_t *values;      /* sync points as of the last finished job */
   pid_t pid;             /* of the process that the tables belong to */
};

extern struct shim shim;

/* libc.c */
#define SHIM_CARD_MEMFD "tegra20-drm-card"
#define SHIM_RENDER_MEMFD "tegra20-drm-render"
#define SHIM_BUFFER_MEMFD "tegra20-dmabuf" /* memory.c */
void *
shim_real_mmap(void *address, size_t length, int protection, int flags,
               int fd);

/* core.c */
void
shim_serve_init(void); /* in the process of a shared chip */
/* Descriptors: those that are not of a node are ignored. */
bool
shim_file_open(int fd, bool primary);
void
shim_file_close(int fd);
void
shim_file_dup(int fd, int copy);
struct shim_file *
shim_file_get(int fd); /* NULL: not one of ours */
struct shim_file *
shim_file_adopt(int fd); /* also one that another process sent */
/* False when the call is none for the simulated kernel; *result else: -1 with
 * errno, or as the kernel. */
bool
shim_ioctl(int fd, unsigned long request, void *arg, int *result);
/* As "DRM_IOCTL_GEM_CLOSE"; NULL: the kernel has no such call. */
const char *
shim_ioctl_name(uint8_t nr);
void *
shim_mmap(void *address, size_t length, int protection, int flags,
          uint64_t offset);
/* Does the link in /proc of a descriptor begin with text? */
bool
shim_fd_is(int fd, const char *text);
int64_t
shim_now(void); /* CLOCK_MONOTONIC, ns */
/* Copies from the caller's address space: 0 or -EFAULT. */
int
shim_copy_in(void *to, uint64_t from, size_t size);
int
shim_copy_out(uint64_t to, const void *from, size_t size);
int
shim_ids_add(struct shim_ids *ids, void *object); /* the new id, or -ENOMEM */
void *
shim_ids_get(const struct shim_ids *ids, uint32_t id);
void *
shim_ids_remove(struct shim_ids *ids, uint32_t id);

/* memory.c */
void
shim_memory_init(void);
/* /proc/meminfo, where the kernel has contiguous memory and other pages;
 * false: that of the machine. */
bool
shim_describe_memory(char *text, size_t size);
void
shim_mem_ref(struct shim_mem *mem);
void
shim_mem_unref(struct shim_mem *mem);
int
shim_gem_create(struct shim_file *file, void *arg);
int
shim_gem_mmap(struct shim_file *file, void *arg);
int
shim_gem_close(struct shim_file *file, void *arg);
int
shim_prime_handle_to_fd(struct shim_file *file, void *arg);
int
shim_prime_fd_to_handle(struct shim_file *file, void *arg);
struct shim_mem *
shim_mem_at_offset(uint64_t offset);
struct shim_mem *
shim_mem_import(int fd); /* a reference, or NULL */
/* DRM_TEGRA_GEM_TILING_MODE_* and its parameter. */
void
shim_mem_set_tiling(struct shim_mem *mem, uint32_t mode, uint32_t value);
void
shim_mem_get_tiling(const struct shim_mem *mem, uint32_t *mode,
                    uint32_t *value);
bool
shim_is_dma_buf(int fd);
int
shim_dma_buf_ioctl(int fd, unsigned long request, void *arg);

/* syncobj.c */
struct shim_fence *
shim_fence_create(void); /* unsignalled, NULL when out of memory */
struct shim_fence *
shim_fence_ref(struct shim_fence *fence);
void
shim_fence_unref(struct shim_fence *fence);
void
shim_fence_signal(struct shim_fence *fence);
/* Waits until an absolute time; 0 or -ETIME.  Releases shim.lock meanwhile.
 */
int
shim_fence_wait(struct shim_fence *fence, int64_t deadline);
void
shim_syncobj_destroy(struct shim_syncobj *syncobj);
void
shim_syncobj_set_signalled(struct shim_syncobj *syncobj);
int
shim_syncobj_create(struct shim_file *file, void *arg);
int
shim_syncobj_destroy_ioctl(struct shim_file *file, void *arg);
int
shim_syncobj_handle_to_fd(struct shim_file *file, void *arg);
int
shim_syncobj_fd_to_handle(struct shim_file *file, void *arg);
int
shim_syncobj_wait(struct shim_file *file, void *arg);
int
shim_syncobj_reset(struct shim_file *file, void *arg);
int
shim_syncobj_signal(struct shim_file *file, void *arg);

/* A sync file of what is done already, or a negative errno. */
int
shim_sync_file_signalled(void);
int
shim_sync_file_ioctl(int fd, unsigned long request, void *arg);
bool
shim_is_sync_file(int fd);

/* card.c */
int
shim_flink(struct shim_file *file, void *arg);
int
shim_gem_open(struct shim_file *file, void *arg);
int
shim_create_dumb(struct shim_file *file, void *arg);
int
shim_map_dumb(struct shim_file *file, void *arg);
int
shim_destroy_dumb(struct shim_file *file, void *arg);
int
shim_add_fb(struct shim_file *file, void *arg);
int
shim_remove_fb(struct shim_file *file, void *arg);
int
shim_get_resources(struct shim_file *file, void *arg);
int
shim_get_plane_resources(struct shim_file *file, void *arg);
int
shim_set_client_cap(struct shim_file *file, void *arg);
int
shim_nothing(struct shim_file *file, void *arg);

/* channel.c */
void
shim_syncpts_init(void);
int
shim_syncpt_find_free(void); /* or -EBUSY */
void
shim_channel_file_close(struct shim_file *file);
int
shim_channel_open(struct shim_file *file, void *arg);
int
shim_channel_close(struct shim_file *file, void *arg);
int
shim_channel_map(struct shim_file *file, void *arg);
int
shim_channel_unmap(struct shim_file *file, void *arg);
int
shim_channel_submit(struct shim_file *file, void *arg);
int
shim_gem_set_tiling(struct shim_file *file, void *arg);
int
shim_gem_get_tiling(struct shim_file *file, void *arg);
int
shim_gem_set_flags(struct shim_file *file, void *arg);
int
shim_gem_get_flags(struct shim_file *file, void *arg);
int
shim_syncpoint_allocate(struct shim_file *file, void *arg);
int
shim_syncpoint_free(struct shim_file *file, void *arg);
int
shim_syncpoint_wait(struct shim_file *file, void *arg);

/* Adds a buffer to the job's list, once; there is room. */
void
shim_job_add_mem(struct shim_job *job, struct shim_mem *mem);
/* Fits it into an empty push buffer?  Reports it if not; build_job() then
 * refuses what no kernel would come back from. */
bool
shim_job_fits(struct shim_job *job);
/* The last step of a submission: takes the job, returns the sync point's
 * value after it. */
uint32_t
shim_job_submit(struct shim_job *job, uint32_t syncpt, uint32_t increments);
/* Sleeps until a sync point reaches a threshold or an absolute time: 0 or
 * -EAGAIN. */
int
shim_syncpt_sleep(uint32_t id, uint32_t threshold, int64_t deadline);

/*
 * firewall.c: checks a gather.  *class_id is the class selected where it
 * begins and is updated.  mems: the buffers listed in the job.  0 or -EINVAL;
 * *reason then says why.
 */
int
shim_firewall(int engine, uint32_t *class_id, const uint32_t *words,
              unsigned count, struct shim_mem *const *mems, unsigned num_mems,
              const char **reason);

/* Does the register take an address? */
bool
shim_is_address(uint32_t class_id, uint32_t reg);

/* grate.c */
int
shim_grate_version(struct shim_file *file, void *arg);
int
shim_grate_open_channel(struct shim_file *file, void *arg);
int
shim_grate_close_channel(struct shim_file *file, void *arg);
int
shim_grate_refused(struct shim_file *file, void *arg);
int
shim_grate_submit(struct shim_file *file, void *arg);

/* adreno.c */
void
shim_msm_forget(struct shim_mem *mem);
int
shim_msm_get_param(struct shim_file *file, void *arg);
int
shim_msm_gem_new(struct shim_file *file, void *arg);
int
shim_msm_gem_info(struct shim_file *file, void *arg);
int
shim_msm_cpu_prep(struct shim_file *file, void *arg);
int
shim_msm_cpu_fini(struct shim_file *file, void *arg);
int
shim_msm_submit(struct shim_file *file, void *arg);
int
shim_msm_wait_fence(struct shim_file *file, void *arg);
int
shim_msm_madvise(struct shim_file *file, void *arg);
int
shim_msm_queue_new(struct shim_file *file, void *arg);
int
shim_msm_queue_close(struct shim_file *file, void *arg);
int
shim_msm_queue_query(struct shim_file *file, void *arg);

/* videocore.c */
void
shim_vc4_forget(struct shim_mem *mem);
int
shim_vc4_submit_cl(struct shim_file *file, void *arg);
int
shim_vc4_wait_seqno(struct shim_file *file, void *arg);
int
shim_vc4_wait_bo(struct shim_file *file, void *arg);
int
shim_vc4_create_bo(struct shim_file *file, void *arg);
int
shim_vc4_mmap_bo(struct shim_file *file, void *arg);
int
shim_vc4_create_shader_bo(struct shim_file *file, void *arg);
int
shim_vc4_get_hang_state(struct shim_file *file, void *arg);
int
shim_vc4_get_param(struct shim_file *file, void *arg);
int
shim_vc4_set_tiling(struct shim_file *file, void *arg);
int
shim_vc4_get_tiling(struct shim_file *file, void *arg);
int
shim_vc4_label_bo(struct shim_file *file, void *arg);
int
shim_vc4_madvise(struct shim_file *file, void *arg);
int
shim_vc4_perfmon_create(struct shim_file *file, void *arg);
int
shim_vc4_perfmon_destroy(struct shim_file *file, void *arg);
int
shim_vc4_perfmon_get_values(struct shim_file *file, void *arg);

/* exec.c */
void
shim_syncpt_raise(unsigned id, uint32_t value); /* by the CPU */
void
shim_job_free(struct shim_job *job);
void
shim_job_queue(struct shim_job *job); /* takes the job */
uint32_t
shim_syncpt_value(unsigned id);
void
shim_exec_init(void);
/* A fence has a sync file now, so that its job is due sooner. */
void
shim_fence_exported(void);
/* Around every sleep in the kernel: queued jobs are executed now, those that
 * are needed, if the chip is one that keeps the driver to its word. */
struct shim_need {
   struct list_head link;
   bool syncpt; /* or a fence */
   uint32_t id, threshold;
   struct shim_fence *fence; /* NULL, and no sync point: everything */
   uint32_t number;          /* with a shared chip */
};
void
shim_wait_begin(struct shim_need *need);
void
shim_wait_end(struct shim_need *need);
/* Executes everything that is queued; not under shim.lock. */
void
shim_drain(void);

/* chip_client.c: what exec.c does, on a chip that is shared (chip.h).
 * Addresses are 0 and sync points a negative errno when there is none left.
 */
void
shim_chip_init(void);
void
shim_chip_fork(void); /* in the child */
bool
shim_chip_is_gone(void);
uint32_t
shim_chip_add_buffer(int fd, uint32_t size);
void
shim_chip_remove_buffer(uint32_t address);
int
shim_chip_allocate_syncpt(bool from_zero);
void
shim_chip_free_syncpt(uint32_t id);
void
shim_chip_raise(unsigned id, uint32_t value);
void
shim_chip_drain(void);
void
shim_chip_export(struct shim_fence *fence); /* that has an eventfd now */
void
shim_chip_need(struct shim_need *need);
void
shim_chip_need_no_more(const struct shim_need *need);
uint32_t
shim_chip_submit(struct shim_job *job); /* the sync point's value after it */

/* chip_server.c: in the process that has the chip. */
void
shim_serve_begin(const struct shim_job *job);
bool
shim_serve_diag(unsigned number, const char *text);
bool
shim_serve_stats(const struct sim_stats *delta);
void
shim_serve_progress(void);
void
shim_serve_finished(const struct shim_job *job, bool locked);

/* faults.c */
void
shim_faults_init(void);
int
shim_fault(const char *name); /* 0, or the negative errno that this call shall
                                 return */
bool
shim_fault_hang(void); /* shall this job never end? */

/* walk.c */
void
shim_walk_init(void);
int
shim_walk(const char
             *name); /* at each ioctl, as shim_fault(); not under shim.lock */
bool
shim_walk_hangs(void); /* as shim_fault_hang() */
bool
shim_walk_forks(
   void); /* while forking: the child will be a copy of this process */

/* report.c.  Diagnostics of the shim itself, above the simulator's numbers
 * (docs/drm-shim.md). */
enum {
   SHIM_DIAG_TOO_FEW_INCREMENTS = 901,
   SHIM_DIAG_TOO_MANY_INCREMENTS = 902,
   SHIM_DIAG_REFUSED = 903,
   SHIM_DIAG_PUSH_BUFFER = 904,
   SHIM_DIAG_EARLY_END = 905,
};
void
shim_report_init(void);
/* When a library was loaded or is about to go: a process with Mesa's drivers
 * has opened a display. */
void
shim_report_start(void);
void
shim_report_libraries(void);
void
shim_report_at_exit(void);
void
shim_report_end(void); /* this process counts no more */
void
shim_report_serve(void); /* ... never, but what it draws */
void
shim_report_diag(unsigned number, const char *text);
void
shim_report_stats(const struct sim_stats *delta);
void
shim_report_ioctl(void);
void
shim_report_channel(void);
void
shim_report_wait(void);
void
shim_report_job(void);
/* By plugin/dri_target.c: the program shows what it has drawn, or waits for
 * it.  Without a job since the last time it is the same frame. */
void
shim_report_frame(void);
void
shim_report_memory(uint64_t bytes); /* in use now */
/* Of a job, from submission to end, thousand clocks of the chip. */
void
shim_report_latency(uint64_t clocks);

/* record.c: around the execution of a job, and when a buffer dies. */
void
shim_record_begin(const struct shim_job *job);
void
shim_record_end(const struct shim_job *job, bool ok);
/* key: the buffer's, a struct shim_mem. */
void
shim_record_forget(const void *key);
/* For jobs that are no struct shim_job: whether to describe them, and both
 * times. */
struct recorder_job;
bool
shim_record_wanted(void);
void
shim_record(const struct recorder_job *job, bool end, bool ok);
void
shim_record_fork(void);

/* options.c */
/* What the environment says; NULL: a chip without GR3D. */
const struct tegra20_chip_info *
shim_options_chip(void);
void
shim_options_init(struct shim_options *options);
/* The number that a variable has; otherwise: without one, or after a message
 * when it is none or over most. */
unsigned
shim_options_number(const char *name, unsigned most, unsigned otherwise);

#endif
