/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * What the kernel's platform code (sim/vm/kernel) and the process with the
 * engines (sim/vm/server) tell each other.
 *
 * The kernel runs as a process of the host (User-Mode Linux).  Its memory is
 * a file that the other process maps, too: a device address is an offset in
 * it.  One page of that memory is struct vm_shared.  Messages are packets of
 * a socket, each a struct vm_msg; a packet of any content in the other
 * direction is an interrupt: something in vm_shared has changed.
 */

#ifndef VM_PROTOCOL_H
#define VM_PROTOCOL_H

#ifdef __KERNEL__
#include <linux/types.h>
#else
#include <stdint.h>
#endif

#define VM_PROTOCOL_VERSION 4

#define VM_NUM_SYNCPTS 32
#define VM_NUM_CHANNELS 8

/* Bits of vm_shared.usable: the engine has its clock, its power domain and no
 * reset. */
#define VM_ENGINE_GR2D (1u << 0)
#define VM_ENGINE_GR3D (1u << 1)

/* Both sides change syncpt and interrupt with atomic operations; of the rest
 * the one named writes. */
struct vm_shared {
   uint32_t syncpt[VM_NUM_SYNCPTS];
   uint32_t threshold[VM_NUM_SYNCPTS]; /* kernel */
   uint32_t enabled;                   /* kernel: bit per sync point */
   uint32_t interrupt; /* 1: a packet is on its way to the kernel */
   uint32_t answered;  /* server: seq of the last message it has finished */
   uint32_t usable;    /* kernel: VM_ENGINE_... */
   uint32_t get[VM_NUM_CHANNELS];      /* server: DMAGET, bytes */
   uint32_t class_id[VM_NUM_CHANNELS]; /* server: what the channel executes */
   uint32_t keeps_frames; /* server: the kernel waits for VM_MSG_DISPLAY */
};

enum vm_msg_type {
   VM_MSG_HELLO,    /* a: version, b: offset of vm_shared; memory's fd with it
                     */
   VM_MSG_KICK,     /* channel: execute up to b (DMAPUT; bit 0: the ring is
                       full, so the job may be incomplete); a: DMASTART */
   VM_MSG_SET_GET,  /* channel: continue at a (DMAGET); answered */
   VM_MSG_STOP,     /* a: mask of channels that stand still, once the job
                       that they are in has ended or cannot; answered */
   VM_MSG_TEARDOWN, /* channel: forget all that was kicked; answered */
   VM_MSG_ENGINES,  /* vm_shared.usable has changed, a: before; answered */
   VM_MSG_SYNCPTS,  /* the CPU or a display has raised sync points */
   VM_MSG_INTERRUPT, /* send an interrupt */
   VM_MSG_SHOOT,   /* a path follows: write what the screen shows; answered */
   VM_MSG_DISPLAY, /* a struct vm_display follows: a frame begins; answered
                    */
};

struct vm_msg {
   uint32_t type;
   uint32_t seq;
   uint32_t channel;
   uint32_t a, b;
};

#define VM_MAX_PATH 256

#define VM_NUM_WINDOWS 3

/* Registers of one window of the display controller, as they are active. */
struct vm_window {
   uint32_t options, byte_swap, color_depth, position, size;
   uint32_t prescaled_size, h_initial_dda, v_initial_dda, dda_increment;
   uint32_t line_stride, address_mode;
   uint32_t blend_nokey, blend_1win, blend_2win_x, blend_2win_y,
      blend_3win_xy;
   uint32_t start[3]; /* addresses: Y or RGB, U, V */
   uint32_t h_offset, v_offset;
   uint32_t csc[8]; /* YOF, KYRGB, KUR, KVR, KUG, KVG, KUB, KVB */
};

struct vm_display {
   uint32_t frame;  /* vertical blanks since the start */
   uint32_t head;   /* 0, 1 */
   uint32_t on;     /* 0: the controller is stopped */
   uint32_t active; /* width in 12:0, height in 28:16 */
   uint32_t border; /* colour around the windows: blue, green, red from bit 16
                       down */
   struct vm_window windows[VM_NUM_WINDOWS];
};

#endif
