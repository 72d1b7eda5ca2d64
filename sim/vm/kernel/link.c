/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * The way to the process with the engines: a socket that the kernel was
 * started with (parameter tegra20.fd=N), and a page of its own memory.
 */

#include <linux/debugfs.h>
#include <linux/fs.h>
#include <linux/gfp.h>
#include <linux/init.h>
#include <linux/interrupt.h>
#include <linux/kernel.h>
#include <linux/processor.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <asm/page.h>
#include <irq_kern.h>
#include <mem_user.h>
#include <os.h>

#include "tegra20.h"

/* How long the other process may take to stop a channel; it ends a job
 * first. */
#define CALL_TIMEOUT_NS (1200ll * 1000 * 1000 * 1000)

extern unsigned long long physmem_size;

struct vm_shared *t20_shared;

static int link_fd = -1;
static atomic_t last_seq;

static int __init
set_fd(char *text)
{
   return !kstrtoint(text, 0, &link_fd);
}
__setup("tegra20.fd=", set_fd);

static void
give_up(int error)
{
   if (link_fd < 0)
      return;
   pr_err("tegra20: the process with the engines is gone (%d)\n", error);
   link_fd = -1;
}

static void
send_packet(const void *packet, int size)
{
   int n;
   if (link_fd < 0)
      return;
   /* Full only for the moment that the other side needs to read. */
   do {
      n = os_write_file(link_fd, packet, size);
   } while (n == -EAGAIN || n == -EINTR);
   if (n != size)
      give_up(n);
}

static u32
send_msg(u32 type, u32 channel, u32 a, u32 b)
{
   struct vm_msg msg = {
      .type = type,
      .seq = atomic_inc_return(&last_seq),
      .channel = channel,
      .a = a,
      .b = b,
   };
   send_packet(&msg, sizeof(msg));
   return msg.seq;
}

void
t20_send(u32 type, u32 channel, u32 a, u32 b)
{
   send_msg(type, channel, a, b);
}

static void
wait_for_answer(u32 type, u32 seq)
{
   long long end = os_nsecs() + CALL_TIMEOUT_NS;
   while (link_fd >= 0 &&
          (s32)(smp_load_acquire(&t20_shared->answered) - seq) < 0) {
      if (os_nsecs() > end) {
         pr_err("tegra20: no answer to message %u\n", type);
         return;
      }
      cpu_relax();
   }
}

void
t20_call(u32 type, u32 channel, u32 a, u32 b)
{
   wait_for_answer(type, send_msg(type, channel, a, b));
}

void
t20_send_display(const struct vm_display *display)
{
   struct {
      struct vm_msg msg;
      struct vm_display display;
   } packet = {
      .msg.type = VM_MSG_DISPLAY,
      .msg.seq = atomic_inc_return(&last_seq),
      .display = *display,
   };
   send_packet(&packet, sizeof(packet));
   /* Who keeps each frame reads it before the next one can be drawn. */
   if (READ_ONCE(t20_shared->keeps_frames))
      wait_for_answer(VM_MSG_DISPLAY, packet.msg.seq);
}

/* debugfs: tegra20-screen.  Whoever writes a path gets a picture of the
 * screen in that file of the host. */
static ssize_t
shoot(struct file *file, const char __user *text, size_t size, loff_t *offset)
{
   struct {
      struct vm_msg msg;
      char path[VM_MAX_PATH];
   } packet = {
      .msg.type = VM_MSG_SHOOT,
      .msg.seq = atomic_inc_return(&last_seq),
   };
   if (size >= VM_MAX_PATH)
      return -ENAMETOOLONG;
   if (copy_from_user(packet.path, text, size))
      return -EFAULT;
   strim(packet.path);
   send_packet(&packet, sizeof(packet));
   wait_for_answer(VM_MSG_SHOOT, packet.msg.seq);
   return size;
}

static const struct file_operations shoot_fops = {
   .write = shoot,
};

static irqreturn_t
receive(int irq, void *data)
{
   char packet[16];
   int n;
   if (link_fd < 0)
      return IRQ_HANDLED;
   while ((n = os_read_file(link_fd, packet, sizeof(packet))) > 0)
      ;
   if (n != -EAGAIN && n != -EINTR) {
      give_up(n);
      deactivate_fd(*(int *)data, irq);
      return IRQ_HANDLED;
   }
   t20_host1x_interrupt();
   return IRQ_HANDLED;
}

/* Before the drivers, which find a chip that works. */
static int __init
t20_link_init(void)
{
   static int fd;
   struct vm_msg hello = {
      .type = VM_MSG_HELLO,
      .a = VM_PROTOCOL_VERSION,
   };
   unsigned long long offset;
   int memory = phys_mapping(0, &offset), err;
   BUILD_BUG_ON(sizeof(struct vm_shared) > PAGE_SIZE);
   if (link_fd < 0)
      return 0;
   t20_shared = (struct vm_shared *)get_zeroed_page(GFP_KERNEL);
   if (!t20_shared)
      return -ENOMEM;
   hello.b = __pa(t20_shared);
   err = os_sendmsg_fds(link_fd, &hello, sizeof(hello), &memory, 1);
   if (err != sizeof(hello)) {
      give_up(err);
      return -EIO;
   }
   fd = link_fd;
   os_set_fd_block(link_fd, 0);
   err = um_request_irq(UM_IRQ_ALLOC, link_fd, IRQ_READ, receive, 0,
                        "tegra20-engines", &fd);
   if (err < 0)
      give_up(err);
   return 0;
}
arch_initcall(t20_link_init);

static int __init
t20_debugfs_init(void)
{
   if (t20_shared)
      debugfs_create_file("tegra20-screen", 0222, NULL, NULL, &shoot_fops);
   return 0;
}
late_initcall(t20_debugfs_init);
