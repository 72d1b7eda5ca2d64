/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * tegra20-vm-server: the engines and the screen behind a kernel that runs in
 * User-Mode Linux.  tegra20-vm(1) starts it with the socket as a file
 * descriptor; it ends when the kernel does.
 */

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "server.h"
#include "screen.h"

static const char usage[] =
   "usage: tegra20-vm-server --socket FD [OPTION...]\n"
   "\n"
   "The engines and the screen of a simulated Tegra20; started by "
   "tegra20-vm.\n"
   "\n"
   "  --socket FD      where the kernel's messages come from\n"
   "  --strict         report undefined and suspicious uses of the chip\n"
   "  --stats          print what was drawn, at the end\n"
   "  --threads N      threads of each engine, 0 (default) = one per core\n"
   "  --switch A=V,... other behaviour for hardware assumptions\n"
   "  --adversary SEED caches keep what is not invalidated, stores are late\n"
   "  --screen FILE    write the screen as PNG at the end, and at SIGUSR1\n"
   "  --frames DIR     write each frame that differs from the one before\n"
   "  --log            a line for each job\n"
   "  --help           this text\n";

/* Exit status when strict mode found something. */
#define STATUS_STRICT 3

void
vm_diag(struct vm_server *server, unsigned number, const char *text)
{
   if (number >= VM_NUM_DIAGS)
      return;
   struct vm_report *report = &server->report;
   pthread_mutex_lock(&report->lock);
   if (!report->diags[number].count++)
      snprintf(report->diags[number].text, VM_DIAG_TEXT, "%s", text);
   pthread_mutex_unlock(&report->lock);
   fprintf(stderr, "tegra20-sim: [%u] %s\n", number, text);
}

static void
on_diag(void *data, const struct sim_diag *diag)
{
   vm_diag(data, diag->number, diag->text);
}

/* --- the socket --- */

static bool
map_memory(struct vm_server *server, const struct vm_msg *msg, int fd)
{
   struct stat st;
   if (msg->a != VM_PROTOCOL_VERSION) {
      fprintf(stderr,
              "tegra20-vm: the kernel speaks version %u of the protocol, not "
              "%u: build it again (ci/vm-kernel)\n",
              msg->a, VM_PROTOCOL_VERSION);
      return false;
   }
   if (fd < 0 || fstat(fd, &st) ||
       (uint64_t)st.st_size < msg->b + sizeof(*server->shared)) {
      fprintf(stderr, "tegra20-vm: the kernel sent no file of its memory\n");
      return false;
   }
   server->memory_size = st.st_size < 0x100000000 ? st.st_size : 0xfffff000;
   server->memory = mmap(NULL, server->memory_size, PROT_READ | PROT_WRITE,
                         MAP_SHARED, fd, 0);
   if (server->memory == MAP_FAILED) {
      fprintf(stderr, "tegra20-vm: cannot map the kernel's memory: %s\n",
              strerror(errno));
      return false;
   }
   server->shared = (struct vm_shared *)(server->memory + msg->b);
   server->shared->keeps_frames = screen_keeps_frames();
   return true;
}

/* Returns the size of the packet, 0 at the end. */
static ssize_t
receive(struct vm_server *server, void *packet, size_t size, int *fd)
{
   union {
      char buffer[CMSG_SPACE(sizeof(int))];
      struct cmsghdr align;
   } control;
   struct iovec iov = { .iov_base = packet, .iov_len = size };
   struct msghdr header = {
      .msg_iov = &iov,
      .msg_iovlen = 1,
      .msg_control = control.buffer,
      .msg_controllen = sizeof(control.buffer),
   };
   ssize_t n;
   *fd = -1;
   while ((n = recvmsg(server->socket, &header, MSG_CMSG_CLOEXEC)) < 0 &&
          errno == EINTR)
      screen_poll();
   struct cmsghdr *cmsg = n > 0 ? CMSG_FIRSTHDR(&header) : NULL;
   if (cmsg && cmsg->cmsg_type == SCM_RIGHTS)
      memcpy(fd, CMSG_DATA(cmsg), sizeof(*fd));
   return n > 0 ? n : 0;
}

/* Returns false when the process is to end. */
static bool
handle(struct vm_server *server, const struct vm_msg *msg, size_t size,
       int fd)
{
   bool ok = true;
   if (!server->shared && msg->type != VM_MSG_HELLO)
      return false;
   switch (msg->type) {
   case VM_MSG_HELLO:
      ok = map_memory(server, msg, fd);
      break;
   case VM_MSG_KICK:
      vm_channel_kick(server, msg);
      break;
   case VM_MSG_SET_GET:
      vm_channel_set_get(server, msg);
      break;
   case VM_MSG_STOP:
      vm_channel_stop(server, msg);
      break;
   case VM_MSG_TEARDOWN:
      vm_channel_teardown(server, msg);
      break;
   case VM_MSG_ENGINES:
      vm_channel_engines(server, msg);
      break;
   case VM_MSG_SYNCPTS:
      vm_channel_wake(server);
      break;
   case VM_MSG_INTERRUPT:
      vm_interrupt(server);
      break;
   case VM_MSG_SHOOT:
      if (size == sizeof(*msg) + VM_MAX_PATH)
         screen_shoot((const char *)(msg + 1));
      break;
   case VM_MSG_DISPLAY:
      if (size == sizeof(*msg) + sizeof(struct vm_display))
         screen_frame(server->memory, server->memory_size,
                      (const struct vm_display *)(msg + 1));
      break;
   default:
      fprintf(stderr, "tegra20-vm: message %u is unknown\n", msg->type);
   }
   if (ok)
      __atomic_store_n(&server->shared->answered, msg->seq, __ATOMIC_SEQ_CST);
   return ok;
}

static void
serve(struct vm_server *server)
{
   struct {
      struct vm_msg msg;
      union {
         struct vm_display display;
         char path[VM_MAX_PATH];
      };
   } packet;
   ssize_t n;
   int fd;
   while ((n = receive(server, &packet, sizeof(packet), &fd)) >=
          (ssize_t)sizeof(packet.msg)) {
      bool ok = handle(server, &packet.msg, n, fd);
      if (fd >= 0)
         close(fd);
      if (!ok)
         break;
   }
}

/* --- the end --- */

static void
print_stats(const struct vm_report *report)
{
   const struct sim_stats *s = &report->stats;
   fprintf(stderr,
           "tegra20-vm: %" PRIu64 " jobs, %" PRIu64 " words, %" PRIu64
           " draws, %" PRIu64 " fills, %" PRIu64 " blits, %" PRIu64
           " hangs\n",
           s->jobs, s->words, s->draws, s->fills, s->blits, report->hangs);
   fprintf(stderr,
           "tegra20-vm: %" PRIu64 " vertices, %" PRIu64
           " primitives, %" PRIu64 " fragments, %" PRIu64
           " texture look-ups\n",
           s->vertices, s->primitives, s->fragments, s->texture_lookups);
   fprintf(stderr,
           "tegra20-vm: %" PRIu64 " vertex clocks, %" PRIu64
           " fragment clocks, at most %" PRIu64 " in a job\n",
           s->vertex_clocks, s->fragment_clocks, report->longest);
}

static unsigned
print_diags(const struct vm_report *report)
{
   unsigned total = 0;
   for (unsigned i = 0; i < VM_NUM_DIAGS; i++) {
      if (!report->diags[i].count)
         continue;
      total += report->diags[i].count;
      fprintf(stderr, "tegra20-vm: strict: %8u x [%u] %s\n",
              report->diags[i].count, i, report->diags[i].text);
   }
   fprintf(stderr, "tegra20-vm: strict: %u diagnostics\n", total);
   return total;
}

static int
parse_options(struct vm_server *server, int argc, char **argv, bool *stats)
{
   enum {
      OPT_SOCKET,
      OPT_STRICT,
      OPT_STATS,
      OPT_THREADS,
      OPT_SWITCH,
      OPT_ADVERSARY,
      OPT_SCREEN,
      OPT_FRAMES,
      OPT_LOG,
      OPT_HELP
   };
   static const struct option options[] = {
      { "socket", required_argument, NULL, OPT_SOCKET },
      { "strict", no_argument, NULL, OPT_STRICT },
      { "stats", no_argument, NULL, OPT_STATS },
      { "threads", required_argument, NULL, OPT_THREADS },
      { "switch", required_argument, NULL, OPT_SWITCH },
      { "adversary", required_argument, NULL, OPT_ADVERSARY },
      { "screen", required_argument, NULL, OPT_SCREEN },
      { "frames", required_argument, NULL, OPT_FRAMES },
      { "log", no_argument, NULL, OPT_LOG },
      { "help", no_argument, NULL, OPT_HELP },
      { NULL },
   };
   for (int c; (c = getopt_long(argc, argv, "h", options, NULL)) != -1;) {
      switch (c) {
      case OPT_SOCKET:
         server->socket = atoi(optarg);
         break;
      case OPT_STRICT:
         server->options.strict = true;
         break;
      case OPT_STATS:
         *stats = true;
         break;
      case OPT_THREADS:
         server->options.threads = atoi(optarg);
         break;
      case OPT_SWITCH:
         server->switches = optarg;
         break;
      case OPT_ADVERSARY:
         server->options.adversary = strtoul(optarg, NULL, 0);
         break;
      case OPT_SCREEN:
         screen_set_file(optarg);
         break;
      case OPT_FRAMES:
         screen_set_directory(optarg);
         break;
      case OPT_LOG:
         server->log_jobs = 1;
         break;
      case OPT_HELP:
      case 'h':
         fputs(usage, stdout);
         return 0;
      default:
         fputs(usage, stderr);
         return 2;
      }
   }
   return -1;
}

int
main(int argc, char **argv)
{
   static struct vm_server server = {
      .socket = -1,
      .lock = PTHREAD_MUTEX_INITIALIZER,
      .progress = PTHREAD_COND_INITIALIZER,
      .settled = PTHREAD_COND_INITIALIZER,
      .report.lock = PTHREAD_MUTEX_INITIALIZER,
   };
   bool stats = false;
   int status = parse_options(&server, argc, argv, &stats);
   if (status >= 0)
      return status;
   if (server.socket < 0) {
      fputs(usage, stderr);
      return 2;
   }
   server.options.diag = on_diag;
   server.options.diag_data = &server;
   signal(SIGINT, SIG_IGN); /* the terminal's is for the command */
   signal(SIGPIPE, SIG_IGN);
   screen_init();
   serve(&server);
   screen_finish();
   vm_channels_finish(&server);
   if (stats)
      print_stats(&server.report);
   return server.options.strict && print_diags(&server.report) ? STATUS_STRICT
                                                               : 0;
}
