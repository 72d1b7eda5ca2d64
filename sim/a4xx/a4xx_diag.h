/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Numbers of the diagnostics about Adreno A4xx, beside those of Tegra20
 * (sim_diag.h) and VideoCore IV (v3d_diag.h).  A number never changes its
 * meaning; docs/adreno.md describes each.
 *
 * Up to 914: the command stream or a program cannot go on, or asks for what
 * is not modelled.  From 915 on: strict mode.
 */

#ifndef A4XX_DIAG_H
#define A4XX_DIAG_H

/* X(number, NAME) */
#define A4XX_DIAG_LIST(X)                                                    \
   X(901, PM4_PACKET)    /* a packet of an unknown type or opcode */         \
   X(902, PM4_MEMORY)    /* a list, or what it names, is no memory */        \
   X(903, PM4_LENGTH)    /* too short, nested too deep, or endless */        \
   X(904, DRAW_VALUE)    /* an initiator that nothing describes */           \
   X(905, PROGRAM)       /* a program that is not there */                   \
   X(906, INSTRUCTION)   /* not of this generation, or not modelled */       \
   X(907, FLOW)          /* leaves the program, or never ends */             \
   X(908, MEMORY_RANGE)  /* global, local or private memory is left */       \
   X(909, VERTEX_RANGE)  /* an attribute or an index is no memory */         \
   X(910, TESS_BUFFER)   /* factors of a patch are no memory */              \
   X(911, TESS_MODE)     /* does not fit the primitive type */               \
   X(912, HS_PARAM)      /* no vertices of a patch, or too many */           \
   X(913, TARGET)        /* a target is no memory, or of no format */        \
   X(914, TEXTURE)       /* of no format that is known, or no memory */      \
   X(915, REGISTER)      /* written, though nothing names it */              \
   X(916, CONTEXT)       /* the second context written by hand */            \
   X(917, UNWRITTEN)     /* a draw with a register that nobody wrote */      \
   X(918, LATE_VALUE)    /* used before its (ss) or (sy) */                  \
   X(919, READ_NOTHING)  /* a register or memory that nobody wrote */        \
   X(920, OTHERS_OUTPUT) /* a store to another invocation's outputs */       \
   X(921, NO_BARRIER)    /* another lane's store read without (ss) */        \
   X(922, CHAIN)         /* chsh without chmask, or with nothing to go to */ \
   X(923, NO_FACTORS)    /* a control program that wrote no factors */       \
   X(925, TESS_PARAM)    /* PC_HS_PARAM does not fit the mode */             \
   X(926, FOOTPRINT)     /* uses more registers than its program's set-up */ \
   X(927, VISIBILITY)    /* patches drawn by visibility stream */            \
   X(928, UNKNOWN_VALUE) /* not the value that everybody writes */           \
   X(929, CONST_RANGE)   /* beyond the stage's constants */                  \
   X(930, BYPASS)        /* what only GMEM has, drawing to memory */         \
   X(935, GATHER)        /* gather4 of what it is said to get wrong */

enum a4xx_diag_number {
#define A4XX_DIAG_ENUM(number, name) A4XX_DIAG_##name = number,
   A4XX_DIAG_LIST(A4XX_DIAG_ENUM)
#undef A4XX_DIAG_ENUM
};

#define A4XX_DIAG_STRICT 915

#endif
