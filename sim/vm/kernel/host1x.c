/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Registers of host1x, as far as Linux's driver uses them
 * (kernel-interface.md 3): DMA of the channels, sync points with thresholds
 * and their interrupt, stop and tear-down.  What the channels execute is the
 * other process's business.
 */

#include <linux/bitops.h>
#include <linux/device.h>
#include <linux/init.h>
#include <linux/ioport.h>
#include <linux/kernel.h>
#include <linux/logic_iomem.h>
#include <linux/of.h>
#include <linux/platform_device.h>
#include <linux/spinlock.h>

#include "dev.h" /* the driver's */
#include "tegra20.h"

#define HOST1X_BASE 0x50000000
#define HOST1X_SIZE 0x24000

/* Byte offsets.  Channels of 16 KiB begin the area; the sync block is the end
 * of the first. */
#define CHANNEL_SIZE 0x4000
#define CHANNEL_FIFOSTAT 0x00
#define CHANNEL_DMASTART 0x14
#define CHANNEL_DMAPUT 0x18
#define CHANNEL_DMAGET 0x1c
#define CHANNEL_DMAEND 0x20
#define CHANNEL_DMACTRL 0x24
#define SYNC_BASE 0x3000
#define SYNC_SIZE 0x1000
#define SYNC_THRESH_INT_STATUS 0x040
#define SYNC_THRESH_INT_DISABLE 0x060
#define SYNC_THRESH_INT_ENABLE_CPU0 0x068
#define SYNC_CMDPROC_STOP 0x0ac
#define SYNC_CH_TEARDOWN 0x0b0
#define SYNC_SYNCPT 0x400
#define SYNC_INT_THRESH 0x500
#define SYNC_CPU_INCR 0x700
#define SYNC_CBREAD 0x720
#define SYNC_CBSTAT 0x758

#define FIFOSTAT_EMPTY BIT(10)
#define DMACTRL_STOP BIT(0)
#define DMACTRL_GETRST BIT(1)
#define DMACTRL_INITGET BIT(2)

struct channel {
   u32 start, put, end, ctrl;
   u32 kicked; /* the last DMAPUT that the other process knows */
};

static DEFINE_SPINLOCK(lock);
static struct channel channels[VM_NUM_CHANNELS];
static u32 status;                /* SYNC_THRESH_INT_STATUS */
static u32 others[SYNC_SIZE / 4]; /* registers that only keep their value */

/* --- sync points --- */

static bool
is_reached(unsigned int id)
{
   u32 value = __atomic_load_n(&t20_shared->syncpt[id], __ATOMIC_SEQ_CST);
   return (s32)(value - t20_shared->threshold[id]) >= 0;
}

/* Called under the lock.  Returns whether a bit of the status is new; it
 * stays set until the driver clears it. */
static bool
check_thresholds(void)
{
   unsigned long enabled = t20_shared->enabled;
   u32 before = status;
   unsigned int id;
   for_each_set_bit(id, &enabled, VM_NUM_SYNCPTS)
   {
      if (is_reached(id))
         status |= BIT(id);
   }
   return status & ~before;
}

static void
update_interrupt(void)
{
   unsigned long flags;
   u32 pending;
   spin_lock_irqsave(&lock, flags);
   check_thresholds();
   pending = status;
   spin_unlock_irqrestore(&lock, flags);
   if (pending)
      t20_irq_raise(T20_IRQ_HOST1X_SYNCPT);
}

void
t20_host1x_interrupt(void)
{
   __atomic_store_n(&t20_shared->interrupt, 0, __ATOMIC_SEQ_CST);
   update_interrupt();
}

void
t20_syncpt_raise(unsigned int id)
{
   if (id >= VM_NUM_SYNCPTS)
      return;
   __atomic_fetch_add(&t20_shared->syncpt[id], 1, __ATOMIC_SEQ_CST);
   t20_send(VM_MSG_SYNCPTS, 0, 0, 0);
   update_interrupt();
}

/* --- channels --- */

static u32
channel_read(unsigned int index, u32 offset)
{
   const struct channel *channel = &channels[index];
   switch (offset) {
   case CHANNEL_FIFOSTAT:
      return FIFOSTAT_EMPTY;
   case CHANNEL_DMASTART:
      return channel->start;
   case CHANNEL_DMAPUT:
      return channel->put;
   case CHANNEL_DMAGET:
      return READ_ONCE(t20_shared->get[index]);
   case CHANNEL_DMAEND:
      return channel->end;
   case CHANNEL_DMACTRL:
      return channel->ctrl;
   default:
      return 0;
   }
}

/* No slot is left in the driver's ring.  No register says so, but the other
 * process has to know that a job may be incomplete. */
static bool
ring_is_full(unsigned int index)
{
   struct device *dev =
      bus_find_device_by_name(&platform_bus_type, NULL, "50000000.host1x");
   const struct host1x *host1x = dev ? dev_get_drvdata(dev) : NULL;
   const struct push_buffer *ring =
      host1x ? &host1x->channel_list.channels[index].cdma.push_buffer : NULL;
   put_device(dev);
   return ring && ring->pos == ring->fence;
}

/* The DMA goes as far as DMAPUT says, unless it is stopped. */
static void
kick(unsigned int index)
{
   struct channel *channel = &channels[index];
   if ((channel->ctrl & DMACTRL_STOP) || channel->put == channel->kicked)
      return;
   channel->kicked = channel->put;
   t20_send(VM_MSG_KICK, index, channel->start,
            channel->put | ring_is_full(index));
}

static void
channel_write(unsigned int index, u32 offset, u32 value)
{
   struct channel *channel = &channels[index];
   switch (offset) {
   case CHANNEL_DMASTART:
      channel->start = value;
      break;
   case CHANNEL_DMAPUT:
      channel->put = value;
      kick(index);
      break;
   case CHANNEL_DMAEND:
      channel->end = value;
      break;
   case CHANNEL_DMACTRL:
      channel->ctrl = value;
      if (value & DMACTRL_GETRST) {
         channel->kicked = value & DMACTRL_INITGET ? channel->put : 0;
         t20_call(VM_MSG_SET_GET, index, channel->kicked, 0);
      }
      kick(index);
      break;
   }
}

/* --- sync block --- */

static u32
sync_read(u32 offset)
{
   u32 index = (offset & 0x7f) / 4;
   switch (offset) {
   case SYNC_THRESH_INT_STATUS:
      return status;
   case SYNC_THRESH_INT_ENABLE_CPU0:
      return t20_shared->enabled;
   case SYNC_SYNCPT ... SYNC_SYNCPT + 4 * VM_NUM_SYNCPTS - 1:
      return __atomic_load_n(&t20_shared->syncpt[index], __ATOMIC_SEQ_CST);
   case SYNC_INT_THRESH ... SYNC_INT_THRESH + 4 * VM_NUM_SYNCPTS - 1:
      return t20_shared->threshold[index];
   case SYNC_CBSTAT ... SYNC_CBSTAT + 4 * VM_NUM_CHANNELS - 1:
      index = (offset - SYNC_CBSTAT) / 4;
      return READ_ONCE(t20_shared->class_id[index]) << 16;
   default:
      return others[offset / 4];
   }
}

static void
tear_down(u32 mask)
{
   unsigned int i;
   for (i = 0; i < VM_NUM_CHANNELS; i++) {
      if (mask & BIT(i))
         t20_call(VM_MSG_TEARDOWN, i, 0, 0);
   }
}

static void
cpu_increments(unsigned long mask)
{
   unsigned int id;
   for_each_set_bit(id, &mask, VM_NUM_SYNCPTS)
      __atomic_fetch_add(&t20_shared->syncpt[id], 1, __ATOMIC_SEQ_CST);
   t20_send(VM_MSG_SYNCPTS, 0, 0, 0);
}

static void
sync_write(u32 offset, u32 value)
{
   u32 index = (offset & 0x7f) / 4;
   switch (offset) {
   case SYNC_THRESH_INT_STATUS:
      status &= ~value;
      break;
   case SYNC_THRESH_INT_DISABLE:
      __atomic_fetch_and(&t20_shared->enabled, ~value, __ATOMIC_SEQ_CST);
      break;
   case SYNC_THRESH_INT_ENABLE_CPU0:
      __atomic_fetch_or(&t20_shared->enabled, value, __ATOMIC_SEQ_CST);
      break;
   case SYNC_CMDPROC_STOP:
      others[offset / 4] = value;
      t20_call(VM_MSG_STOP, 0, value, 0);
      break;
   case SYNC_CH_TEARDOWN:
      tear_down(value);
      break;
   case SYNC_SYNCPT ... SYNC_SYNCPT + 4 * VM_NUM_SYNCPTS - 1:
      __atomic_store_n(&t20_shared->syncpt[index], value, __ATOMIC_SEQ_CST);
      t20_send(VM_MSG_SYNCPTS, 0, 0, 0);
      break;
   case SYNC_INT_THRESH ... SYNC_INT_THRESH + 4 * VM_NUM_SYNCPTS - 1:
      __atomic_store_n(&t20_shared->threshold[index], value,
                       __ATOMIC_SEQ_CST);
      break;
   case SYNC_CPU_INCR:
      cpu_increments(value);
      break;
   default:
      others[offset / 4] = value;
   }
}

/* --- the area --- */

static bool
is_sync(u32 offset)
{
   return offset >= SYNC_BASE && offset < SYNC_BASE + SYNC_SIZE;
}

static unsigned long
area_read(void *data, unsigned int offset, int size)
{
   unsigned long flags;
   u32 value = 0;
   WARN_ONCE(!t20_clock_running(T20_CLK_HOST1X),
             "host1x is read at 0x%x without its clock\n", offset);
   spin_lock_irqsave(&lock, flags);
   if (is_sync(offset))
      value = sync_read(offset - SYNC_BASE);
   else if (offset / CHANNEL_SIZE < VM_NUM_CHANNELS)
      value = channel_read(offset / CHANNEL_SIZE, offset % CHANNEL_SIZE);
   spin_unlock_irqrestore(&lock, flags);
   return value;
}

static void
area_write(void *data, unsigned int offset, int size, unsigned long value)
{
   unsigned long flags;
   bool raise;
   WARN_ONCE(!t20_clock_running(T20_CLK_HOST1X),
             "host1x is written at 0x%x without its clock\n", offset);
   spin_lock_irqsave(&lock, flags);
   if (is_sync(offset))
      sync_write(offset - SYNC_BASE, value);
   else if (offset / CHANNEL_SIZE < VM_NUM_CHANNELS)
      channel_write(offset / CHANNEL_SIZE, offset % CHANNEL_SIZE, value);
   raise = check_thresholds();
   spin_unlock_irqrestore(&lock, flags);
   /* Through the socket's interrupt: the writer may hold any lock. */
   if (raise &&
       !__atomic_exchange_n(&t20_shared->interrupt, 1, __ATOMIC_SEQ_CST))
      t20_send(VM_MSG_INTERRUPT, 0, 0, 0);
}

static const struct logic_iomem_ops area_ops = {
   .read = area_read,
   .write = area_write,
};

static long
area_map(unsigned long offset, size_t size,
         const struct logic_iomem_ops **ops, void **data)
{
   *ops = &area_ops;
   return offset;
}

static const struct logic_iomem_region_ops region_ops = { .map = area_map };

static struct resource resource =
   DEFINE_RES_MEM_NAMED(HOST1X_BASE, HOST1X_SIZE, "tegra20-host1x");

static int __init
t20_host1x_init(void)
{
   return t20_shared ? logic_iomem_add_region(&resource, &region_ops) : 0;
}
arch_initcall_sync(t20_host1x_init);
