/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Numbers of the diagnostics of V3D, after those of the other chip
 * (sim_diag.h) and of the shim.  A number never changes its meaning;
 * docs/videocore.md describes each.
 */

#ifndef V3D_DIAG_H
#define V3D_DIAG_H

/* X(number, NAME): below 970 errors, which are always reported; from 970 on
 * uses that are undefined or suspicious, in strict mode only. */
#define V3D_DIAG_LIST(X)                                                     \
   X(950, CL_PACKET)     /* unknown packet, or one of the other thread */    \
   X(951, CL_RANGE)      /* a list runs out of memory that is mapped */      \
   X(952, CL_STATE)      /* a packet before those that it depends on */      \
   X(953, CL_VALUE)      /* a field with an undefined value */               \
   X(954, BIN_MEMORY)    /* no memory left for tile lists */                 \
   X(955, SHADER_RECORD) /* record or attribute outside of memory */         \
   X(956, QPU_RANGE)     /* program or uniforms outside of memory */         \
   X(957, QPU_ENDLESS)   /* a program that does not end */                   \
   X(958, QPU_INSTR)     /* an undefined operation or signal */              \
   X(959, TMU_RANGE)     /* a texture or look-up outside of memory */        \
   X(960, TLB_RANGE)     /* a load or store outside of memory */             \
   X(961, DMA_RANGE)     /* VPM DMA outside of memory */                     \
   X(970, QPU_READ_AFTER_WRITE) /* A or B read right after its write */      \
   X(971, QPU_R4_EARLY)   /* r4 read before a function unit wrote it */      \
   X(972, QPU_END)        /* forbidden in or after a program's end */        \
   X(973, QPU_VARYINGS)   /* not all, or too many varyings were read */      \
   X(974, QPU_TMU_FIFO)   /* results without requests, too many requests */  \
   X(975, QPU_VPM_COUNT)  /* reads that no set-up asked for, or too few */   \
   X(976, QPU_STAGE)      /* a register that this kind of program has not */ \
   X(977, QPU_SCOREBOARD) /* tile buffer in the first two instructions */    \
   X(978, TMU_CONFIG)     /* reserved format, filter or parameter */         \
   X(979, QPU_BRANCH_SLOT) /* branch or switch in a delay slot */            \
   X(980, QPU_PACK)        /* packing where there is none */                 \
   X(981, QPU_MUTEX)       /* released without being held, or never */       \
   X(982, QPU_LOST)        /* read after a thread switch without a write */  \
   X(983, QPU_SWITCH)      /* a thread switch where none may be */           \
   X(984, QPU_HALF)        /* a register of the other thread */              \
   X(985, QPU_SHARED)      /* threads would see each other at a switch */

enum v3d_diag_number {
#define V3D_DIAG_ENUM(number, name) V3D_DIAG_##name = number,
   V3D_DIAG_LIST(V3D_DIAG_ENUM)
#undef V3D_DIAG_ENUM
};

#endif
