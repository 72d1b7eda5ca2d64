/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Numbers of the simulator's diagnostics.  A number never changes its
 * meaning; docs/simulator.md describes each.
 *
 * 1xx host1x, 2xx register state, 3xx vertex fetch and vertex programs, 4xx
 * linker, set-up and raster, 5xx fragment programs, 6xx textures, 7xx memory
 * and surfaces, 8xx GR2D.
 */

#ifndef SIM_DIAG_H
#define SIM_DIAG_H

#include <stdbool.h>

/* X(number, NAME) */
#define SIM_DIAG_LIST(X)                                                     \
   X(101, HOST1X_OPCODE)    /* unknown or unusable opcode */                 \
   X(102, HOST1X_TRUNCATED) /* data words beyond the end of the gather */    \
   X(103, HOST1X_CLASS)  /* class that is not on this channel, or unknown */ \
   X(104, HOST1X_SYNCPT) /* sync point or base out of range, or condition */ \
   X(105, HOST1X_WAIT)   /* a wait that the job cannot satisfy: hang */      \
   X(106, HOST1X_METHOD) /* unknown or ignored method of class 0x01 */       \
   X(107, HOST1X_NO_INCREMENT) /* the job raised no sync point */            \
   X(201, REG_UNKNOWN)     /* write to a register that no manual lists */    \
   X(202, REG_OTHER_CHIP)  /* write to a register of other chips only */     \
   X(203, REG_UNWRITTEN)   /* a draw uses a register that is unwritten */    \
   X(204, REG_INIT)        /* initialisation register missing or unusual */  \
   X(205, REG_VALUE)       /* field with an undocumented value */            \
   X(206, UPLOAD_RANGE)    /* upload pointer beyond the end of its memory */ \
   X(207, UPLOAD_PARTIAL)  /* program entry uploaded in part only */         \
   X(208, ENGINE_SELECT)   /* access that some of the engines do not get */  \
   X(209, REG_CHIP)        /* register with the value of another chip */     \
   X(301, DRAW_PARAMS)     /* FIRST not zero, offset with indices */         \
   X(302, DRAW_INDEX_MODE) /* index mode 3 */                                \
   X(303, DRAW_PRIMITIVE)  /* primitive type 7 */                            \
   X(304, VERTEX_CACHE)    /* cache not invalidated after a change */        \
   X(305, ATTRIB_ALIGNMENT) /* pointer or stride not a multiple of 4 */      \
   X(306, ATTRIB_FORMAT)    /* type 15, 0 or more than 4 components */       \
   X(307, ATTRIB_RANGE) /* vertex or index fetch outside the job's memory */ \
   X(308, ATTRIB_PREFETCH) /* under 64 bytes after the last element (A05) */ \
   X(320, VP_NOT_UPLOADED) /* executes an instruction not uploaded: hang */  \
   X(321, VP_NO_END)       /* runs past instruction 255: hang */             \
   X(322, VP_ABORT)     /* register number that aborts the program: hang */  \
   X(323, VP_STACK)     /* overflow, underflow or wrong entry: hang */       \
   X(324, VP_LIMIT)     /* more than 65536 instructions: hang */             \
   X(330, VP_OPCODE)    /* opcode of unknown or disputed meaning */          \
   X(331, VP_SAME_TEMP) /* both halves write one temp (A14) */               \
   X(332, VP_ARL_DEST)  /* address write with odd destination: no effect */  \
   X(333, VP_BRANCH_FORM)    /* branch outside the two safe forms (A13) */   \
   X(334, VP_BRANCH_OVERLAY) /* branch target overlays an rC that is read */ \
   X(335, VP_READ_TEMP)   /* reads a temp component that was not written */  \
   X(336, VP_READ_CONST)  /* reads a constant that the job did not upload */ \
   X(337, VP_READ_ATTRIB) /* reads an attribute that 0x120 disables */       \
   X(338, VP_READ_ADDRESS)   /* uses an A0 component that was not written */ \
   X(339, VP_READ_CONDITION) /* tests an unwritten condition component */    \
   X(340, VP_RANGE) /* constant, attribute or export out of range (A17) */   \
   X(341, VP_OPERAND_TYPE)  /* reads an operand of type 0 */                 \
   X(342, VP_EXPORT_SOURCE) /* exports a half that has no result */          \
   X(343, VP_STACK_PAIR)    /* two stack operations in one instruction */    \
   X(344, VP_END_BRANCH)    /* end bit with a branch, call or return */      \
   X(345, VP_FIELD)       /* bit 127 or 120, or condition without enable */  \
   X(347, VP_NO_POSITION) /* export 0 not written */                         \
   X(401, LINKER_SOURCE)  /* source rank that 0x120 does not supply */       \
   X(402, LINKER_ROW)     /* TRAM row above 15 */                            \
   X(403, LINKER_OVERLAP) /* two components stored in one place */           \
   X(404, LINKER_FIELD) /* z mode, across bits or unknown bits (A27, A40) */ \
   X(405, LINKER_TRAM_SETUP)   /* 0xe21 does not match the linker's rows */  \
   X(406, LINKER_UNWRITTEN)    /* linker instruction that is unwritten */    \
   X(410, VIEWPORT_RANGE)      /* window coordinates beyond the range */     \
   X(411, GUARD_BAND)          /* guard band below 1 or not finite */        \
   X(412, POSITION_NOT_FINITE) /* infinite or NaN position: dropped */       \
   X(413, POINT_LINE_PARAMS)   /* unproven values of 0x346, 0x34c (A27) */   \
   X(501, FP_COUNT) /* EXEC count of 0x520 is not that of tables: hang */    \
   X(502, FP_BATCH) /* EXEC count is not a multiple of the rows */           \
   X(503, FP_ROW_RANGE)       /* row register at or above 4N */              \
   X(504, FP_DELAY)           /* row or condition register read too early */ \
   X(505, FP_ALU_FIRST)       /* alu0..3 in the first packet of an EXEC */   \
   X(506, FP_ALU_CONSTANT)    /* alu3 behind a packet with constants */      \
   X(507, FP_UNUSED_CONSTANT) /* unused operand names k0..k2 */              \
   X(508, FP_SAME_HALF) /* two units write one half or condition register */ \
   X(509, FP_D_BITS)    /* modifier bits of a disabled operand D */          \
   X(510, FP_GLOBAL)    /* global register (A49) */                          \
   X(511, FP_REGISTER)  /* register of unknown meaning */                    \
   X(512, FP_READ_ROW)  /* reads a row half that was not written */          \
   X(513, FP_READ_COND) /* reads an unwritten condition register */          \
   X(514, FP_READ_UNIFORM) /* reads an unwritten uniform */                  \
   X(515, FP_TRAM)         /* interpolates an unlinked TRAM component */     \
   X(516, FP_TRAM_TYPE)    /* interpolated as another format than linked */  \
   X(517, FP_NO_RCP)       /* interpolation without its set-up */            \
   X(518, FP_MFU)          /* MFU field of unknown meaning */                \
   X(519, FP_TWO_STEP)     /* steps of a two-step function do not match */   \
   X(520, FP_UNKNOWN_BITS) /* unknown bits in a table word */                \
   X(521, FP_ACCUMULATE)   /* send and receive bits that were never run */   \
   X(522, FP_SCHEDULE)     /* schedule names an instruction not uploaded */  \
   X(523, FP_ROW_USE)      /* fetch or store outside row 0 */                \
   X(524, FP_SETUP)        /* 0x501, 0x546, 0xe20 do not fit the program */  \
   X(525, FP_TIME) /* the job takes longer than the kernel waits: hang */    \
   X(526, FP_OTHER_CHIP)  /* schedule word of another chip */                \
   X(601, TEX_DESCRIPTOR) /* empty descriptor or unknown bits */             \
   X(602, TEX_FORMAT)     /* unknown format, or wrong compressed bit */      \
   X(603, TEX_WRAP)       /* clamp and mirror together */                    \
   X(604, TEX_NPOT)       /* mipmaps or wrap that need a power of two */     \
   X(605, TEX_SIZE) /* size 0 or too large, MAX_LOD beyond the last level */ \
   X(606, TEX_ALIGNMENT) /* address not a multiple of 16 */                  \
   X(607, TEX_FEEDBACK)  /* samples a surface that the draw writes */        \
   X(608, TEX_STALE) /* samples what the job rendered, stale cache (A77) */  \
   X(701, MEMORY_RANGE)   /* access outside the job's memory */              \
   X(711, FDC_INVALIDATE) /* no invalidate before the first draw (A76) */    \
   X(712, SURFACE_NOT_ENABLED) /* access that 0x903 does not enable */       \
   X(713, SURFACE_FORMAT)      /* unknown or unsuitable format */            \
   X(714, SURFACE_PITCH)       /* pitch or address alignment */              \
   X(715, SURFACE_BITS)        /* unknown bits of a surface descriptor */    \
   X(716, SURFACE_SLOT)  /* colour access to the depth or stencil surface */ \
   X(717, SURFACE_FETCH) /* destination fetch from a 16-bit format (A69) */  \
   X(718, SURFACE_OVERLAP) /* two surfaces at one address */                 \
   X(719, SURFACE_SIZE)    /* scissor beyond the largest target (A67) */     \
   X(720, DEPTH_SURFACE)   /* depth test without a usable depth surface */   \
   X(721, DEPTH_RANGE)     /* reversed depth range registers (A20) */        \
   X(722, STENCIL_SURFACE) /* missing, linear or of another format */        \
   X(723, STENCIL_LATE)    /* early and late write do not fit the program */ \
   X(801, G2_OPERATION)    /* operation or mode that no manual documents */  \
   X(802, G2_UNWRITTEN) /* uses a register that the job has not written */   \
   X(803, G2_PITCH)     /* pitch that the engine is known not to handle */   \
   X(804, G2_OVERLAP)   /* overlapping copy in the wrong direction */        \
   X(805, G2_ALIGNMENT) /* base address or size alignment */                 \
   X(806, G2_EMPTY)     /* zero width or height */                           \
   X(807, G2_CLASS)  /* trigger, class and CMDSEL do not belong together */  \
   X(808, G2_FORMAT) /* stretch-blit format that is unknown or unproven */   \
   X(809, G2_SCALE)  /* step out of range */                                 \
   X(810, G2_SIZE)   /* larger than any surface, or out of memory */         \
   X(811, G2_UNPROVEN) /* mode that is approximated, or was never seen */

enum sim_diag_number {
   SIM_DIAG_NONE = 0,
#define X(number, name) SIM_DIAG_##name = number,
   SIM_DIAG_LIST(X)
#undef X
};

/* Programs that ran on a chip as their authors wanted do this, too: it is a
 * matter of taste there, which this driver keeps away from
 * (docs/simulator.md, "Notes"). */
bool
sim_diag_is_note(unsigned number);

/* "VP_ABORT", or "UNKNOWN" for a number that does not exist. */
const char *
sim_diag_name(unsigned number);

#endif
