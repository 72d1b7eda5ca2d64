/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * The platform below Linux's own drivers for host1x and tegra-drm: what a
 * Tegra20 has around its engines.  These files are compiled into a kernel for
 * User-Mode Linux, as arch/um/drivers/tegra20 (ci/vm-kernel).
 *
 *   irq.c       interrupt controller
 *   clocks.c    clocks, resets, power domains
 *   host1x.c    registers of host1x: channels, sync points
 *   display.c   registers of the display controllers
 *   link.c      the way to the process with the engines
 */

#ifndef TEGRA20_H
#define TEGRA20_H

#include <linux/types.h>

#include "protocol.h"

/* Interrupt numbers as the device tree has them. */
#define T20_IRQ_HOST1X_SYNCPT 65
#define T20_IRQ_DISPLAY(head) (73 + (head))
#define T20_NUM_HEADS 2

/* Bits of the clock and reset registers; the device tree uses them, too. */
#define T20_CLK_GR2D 21
#define T20_CLK_GR3D 24
#define T20_CLK_DISP2 26
#define T20_CLK_DISP1 27
#define T20_CLK_HOST1X 28

/* --- irq.c --- */

/* Runs the handler of an interrupt, from any context. */
void
t20_irq_raise(unsigned int number);

/* --- clocks.c --- */

bool
t20_clock_running(unsigned int id);
/* In Hz, also when the clock stands still. */
unsigned long
t20_clock_rate(unsigned int id);

/* --- host1x.c --- */

/* As a device does: one increment.  Any context. */
void
t20_syncpt_raise(unsigned int id);
/* The other process has raised sync points. */
void
t20_host1x_interrupt(void);

/* --- link.c --- */

/* NULL: there is nobody at the other end, and no chip. */
extern struct vm_shared *t20_shared;

/* Any context.  t20_call() returns when the message was handled. */
void
t20_send(u32 type, u32 channel, u32 a, u32 b);
void
t20_call(u32 type, u32 channel, u32 a, u32 b);
void
t20_send_display(const struct vm_display *display);

#endif
