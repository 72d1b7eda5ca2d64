/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Registers of the display controllers.  Three copies of what describes the
 * picture: the CPU writes ASSEMBLY; an update request copies a group to ARM;
 * an activation request lets ARM become ACTIVE when the next frame begins, or
 * at once while the controller is stopped.  A timer makes frames, as often as
 * the pixel clock and the panel's timing say.  The picture itself is made by
 * the other process, from the active registers.
 */

#include <linux/hrtimer.h>
#include <linux/init.h>
#include <linux/ioport.h>
#include <linux/kernel.h>
#include <linux/logic_iomem.h>
#include <linux/math64.h>
#include <linux/spinlock.h>

#include "tegra20.h"

#define DISPLAY_BASE(head) (0x54200000 + 0x40000 * (head))
#define DISPLAY_SIZE 0x40000
#define NUM_REGS 0x1000

/* Word offsets. */
#define CMD_CONT_SYNCPT_VSYNC 0x028
#define CMD_DISPLAY_COMMAND 0x032
#define CMD_INT_STATUS 0x037
#define CMD_INT_MASK 0x038
#define CMD_INT_ENABLE 0x039
#define CMD_STATE_ACCESS 0x040
#define CMD_STATE_CONTROL 0x041
#define CMD_END 0x044
#define DISP_SYNC_WIDTH 0x407
#define DISP_BACK_PORCH 0x408
#define DISP_ACTIVE 0x409
#define DISP_FRONT_PORCH 0x40a
#define DISP_CLOCK_CONTROL 0x42e
#define DISP_BORDER_COLOR 0x435
#define WINDOW_BASE(window) (0xa00 + 0x200 * (window))
#define WINDOW_SIZE 0x200

#define VSYNC_ENABLE BIT(8)
#define DISPLAY_MODE_MASK (3 << 5)
#define INT_FRAME_END BIT(1)
#define INT_VBLANK BIT(2)
#define STATE_READ_ACTIVE BIT(0)
#define STATE_WRITE_ACTIVE BIT(2)
#define STATE_GENERAL BIT(0)
#define STATE_WINDOW(window) BIT(1 + (window))
#define STATE_REQUESTS 0xff
#define STATE_UPDATE_SHIFT 8

struct display {
   unsigned int head;
   spinlock_t lock;
   u32 assembly[NUM_REGS], arm[NUM_REGS], active[NUM_REGS];
   u32 requests; /* activation requests of the next frame */
   u32 frame;
   bool ticking;
   struct hrtimer timer;
};

static struct display displays[T20_NUM_HEADS];

static bool
is_running(const struct display *display)
{
   return display->active[CMD_DISPLAY_COMMAND] & DISPLAY_MODE_MASK;
}

/* --- latching --- */

/* Commands have one copy, but for the one that starts the controller. */
static bool
is_latched(unsigned int reg)
{
   return reg >= CMD_END || reg == CMD_DISPLAY_COMMAND;
}

/* Copies the registers of the groups in mask (STATE_GENERAL,
 * STATE_WINDOW()). */
static void
copy_groups(u32 *to, const u32 *from, u32 mask)
{
   unsigned int window;
   if (mask & STATE_GENERAL) {
      to[CMD_DISPLAY_COMMAND] = from[CMD_DISPLAY_COMMAND];
      memcpy(to + CMD_END, from + CMD_END,
             (WINDOW_BASE(0) - CMD_END) * sizeof(*to));
   }
   for (window = 0; window < VM_NUM_WINDOWS; window++) {
      if (mask & STATE_WINDOW(window))
         memcpy(to + WINDOW_BASE(window), from + WINDOW_BASE(window),
                WINDOW_SIZE * sizeof(*to));
   }
}

static void
activate(struct display *display)
{
   copy_groups(display->active, display->arm, display->requests);
   display->requests = 0;
}

/* --- frames --- */

/* The whole frame with its blanks, from the panel's timing and the pixel
 * clock, which is the controller's clock divided twice. */
static ktime_t
frame_time(const struct display *display)
{
   static const u8 halves[] = {
      2, 3, 4, 6, 8, 12, 16, 18, 24, 32, 36, 48, 26
   };
   const u32 *regs = display->active;
   u32 control = regs[DISP_CLOCK_CONTROL], sum[2] = { 0, 0 }, i;
   u32 pixel = min_t(u32, control >> 8 & 0xf, ARRAY_SIZE(halves) - 1);
   u64 rate = t20_clock_rate(display->head ? T20_CLK_DISP2 : T20_CLK_DISP1);
   for (i = DISP_SYNC_WIDTH; i <= DISP_FRONT_PORCH; i++) {
      sum[0] += regs[i] & 0x1fff;
      sum[1] += regs[i] >> 16 & 0x1fff;
   }
   /* Four times the divisors: both are in halves. */
   rate = rate * 4;
   do_div(rate, ((control & 0xff) + 2) * halves[pixel]);
   if (!rate || !sum[0] || !sum[1])
      return ms_to_ktime(16);
   /* No panel is that fast; a wrong value must not occupy the machine. */
   return ns_to_ktime(
      max_t(u64, div64_u64((u64)sum[0] * sum[1] * NSEC_PER_SEC, rate),
            NSEC_PER_MSEC));
}

static void
describe_window(const u32 *regs, struct vm_window *window)
{
   static const u16 csc_first = 0x111;
   unsigned int i;
   window->options = regs[0x180];
   window->byte_swap = regs[0x181];
   window->color_depth = regs[0x183];
   window->position = regs[0x184];
   window->size = regs[0x185];
   window->prescaled_size = regs[0x186];
   window->h_initial_dda = regs[0x187];
   window->v_initial_dda = regs[0x188];
   window->dda_increment = regs[0x189];
   window->line_stride = regs[0x18a];
   window->address_mode = regs[0x18d];
   window->blend_nokey = regs[0x18f];
   window->blend_1win = regs[0x190];
   window->blend_2win_x = regs[0x191];
   window->blend_2win_y = regs[0x192];
   window->blend_3win_xy = regs[0x193];
   for (i = 0; i < 3; i++)
      window->start[i] = regs[0x1c0 + 2 * i];
   window->h_offset = regs[0x1c6];
   window->v_offset = regs[0x1c8];
   for (i = 0; i < 8; i++)
      window->csc[i] = regs[csc_first + i];
}

static void
show(const struct display *display)
{
   const u32 *regs = display->active;
   struct vm_display state = {
      .frame = display->frame,
      .head = display->head,
      .on = is_running(display),
      .active = regs[DISP_ACTIVE],
      .border = regs[DISP_BORDER_COLOR],
   };
   unsigned int i;
   for (i = 0; i < VM_NUM_WINDOWS; i++)
      describe_window(regs + WINDOW_BASE(i), &state.windows[i]);
   t20_send_display(&state);
}

static enum hrtimer_restart
frame_begins(struct hrtimer *timer)
{
   struct display *display = container_of(timer, struct display, timer);
   u32 syncpt, pending = 0;
   bool running;
   unsigned long flags;
   spin_lock_irqsave(&display->lock, flags);
   activate(display);
   running = is_running(display);
   syncpt = display->assembly[CMD_CONT_SYNCPT_VSYNC];
   if (running) {
      display->frame++;
      display->assembly[CMD_INT_STATUS] |= INT_FRAME_END | INT_VBLANK;
      pending = display->assembly[CMD_INT_STATUS] &
                display->assembly[CMD_INT_MASK] &
                display->assembly[CMD_INT_ENABLE];
      hrtimer_forward_now(timer, frame_time(display));
   }
   display->ticking = running;
   show(display);
   spin_unlock_irqrestore(&display->lock, flags);
   if (running && (syncpt & VSYNC_ENABLE))
      t20_syncpt_raise(syncpt & 0xff);
   if (pending)
      t20_irq_raise(T20_IRQ_DISPLAY(display->head));
   return running ? HRTIMER_RESTART : HRTIMER_NORESTART;
}

/* Called under the lock, after a request for activation. */
static void
request(struct display *display, u32 value)
{
   u32 updates = value >> STATE_UPDATE_SHIFT & STATE_REQUESTS;
   copy_groups(display->arm, display->assembly, updates);
   display->requests |= value & STATE_REQUESTS;
   if (is_running(display))
      return;
   activate(display);
   if (is_running(display) && !display->ticking) {
      display->ticking = true;
      hrtimer_start(&display->timer, frame_time(display), HRTIMER_MODE_REL);
   }
}

/* --- the area --- */

static unsigned long
area_read(void *data, unsigned int offset, int size)
{
   struct display *display = data;
   unsigned int reg = offset / 4 % NUM_REGS;
   unsigned long flags;
   u32 value;
   spin_lock_irqsave(&display->lock, flags);
   if (reg == CMD_STATE_CONTROL)
      value = display->requests;
   else if (is_latched(reg) &&
            (display->assembly[CMD_STATE_ACCESS] & STATE_READ_ACTIVE))
      value = display->active[reg];
   else
      value = display->assembly[reg];
   spin_unlock_irqrestore(&display->lock, flags);
   return value;
}

static void
area_write(void *data, unsigned int offset, int size, unsigned long value)
{
   struct display *display = data;
   unsigned int reg = offset / 4 % NUM_REGS;
   unsigned long flags;
   WARN_ONCE(
      !t20_clock_running(display->head ? T20_CLK_DISP2 : T20_CLK_DISP1),
      "display %u is written at 0x%x without its clock\n", display->head,
      reg);
   spin_lock_irqsave(&display->lock, flags);
   if (reg == CMD_INT_STATUS)
      display->assembly[reg] &= ~value;
   else if (reg == CMD_STATE_CONTROL)
      request(display, value);
   else if (is_latched(reg) &&
            (display->assembly[CMD_STATE_ACCESS] & STATE_WRITE_ACTIVE))
      display->active[reg] = value;
   else
      display->assembly[reg] = value;
   spin_unlock_irqrestore(&display->lock, flags);
}

static const struct logic_iomem_ops area_ops = {
   .read = area_read,
   .write = area_write,
};

static long
map_head(unsigned int head, unsigned long offset,
         const struct logic_iomem_ops **ops, void **data)
{
   *ops = &area_ops;
   *data = &displays[head];
   return offset;
}

static long
map_first(unsigned long offset, size_t size,
          const struct logic_iomem_ops **ops, void **data)
{
   return map_head(0, offset, ops, data);
}

static long
map_second(unsigned long offset, size_t size,
           const struct logic_iomem_ops **ops, void **data)
{
   return map_head(1, offset, ops, data);
}

static const struct logic_iomem_region_ops region_ops[T20_NUM_HEADS] = {
   { .map = map_first },
   { .map = map_second },
};

static struct resource resources[T20_NUM_HEADS] = {
   DEFINE_RES_MEM_NAMED(DISPLAY_BASE(0), DISPLAY_SIZE, "tegra20-dc0"),
   DEFINE_RES_MEM_NAMED(DISPLAY_BASE(1), DISPLAY_SIZE, "tegra20-dc1"),
};

static int __init
t20_display_init(void)
{
   unsigned int i;
   int err = 0;
   if (!t20_shared)
      return 0;
   for (i = 0; i < T20_NUM_HEADS; i++) {
      struct display *display = &displays[i];
      display->head = i;
      spin_lock_init(&display->lock);
      hrtimer_init(&display->timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL);
      display->timer.function = frame_begins;
      err = err ?: logic_iomem_add_region(&resources[i], &region_ops[i]);
   }
   return err;
}
arch_initcall_sync(t20_display_init);
