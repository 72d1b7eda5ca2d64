/*
 * SPDX-License-Identifier: MIT
 *
 * Numbers of the simulator's diagnostics.  A number never changes its meaning; docs/simulator.md describes each.
 *
 * 1xx host1x, 2xx register state, 3xx vertex fetch and vertex programs, 4xx linker, set-up and raster, 5xx fragment
 * programs, 6xx textures, 7xx memory and surfaces, 8xx GR2D.
 */

#ifndef SIM_DIAG_H
#define SIM_DIAG_H

/* X(number, NAME) */
#define SIM_DIAG_LIST(X)                                                                                               \
   X(101, HOST1X_OPCODE)          /* unknown or unusable opcode */                                                     \
   X(102, HOST1X_TRUNCATED)       /* data words beyond the end of the gather */                                        \
   X(103, HOST1X_CLASS)           /* class that is not on this channel, or unknown */                                  \
   X(104, HOST1X_SYNCPT)          /* sync point or wait base number out of range, unknown condition */                 \
   X(105, HOST1X_WAIT)            /* a wait that nothing in the job can satisfy: hang */                               \
   X(106, HOST1X_METHOD)          /* method of class 0x01 that is unknown or ignored */                                \
   X(107, HOST1X_NO_INCREMENT)    /* the job raised no sync point */                                                   \
   X(201, REG_UNKNOWN)            /* write to a register that no manual lists */                                       \
   X(202, REG_OTHER_CHIP)         /* write to a register of Tegra30 or Tegra114 */                                     \
   X(203, REG_UNWRITTEN)          /* a draw uses a register that the job has not written */                            \
   X(204, REG_INIT)               /* initialisation register missing or with a value nobody uses */                    \
   X(205, REG_VALUE)              /* field with an undocumented value */                                               \
   X(206, UPLOAD_RANGE)           /* upload pointer beyond the end of its memory */                                    \
   X(207, UPLOAD_PARTIAL)         /* program entry uploaded in part only */                                            \
   X(301, DRAW_PARAMS)            /* FIRST not zero, offset with indices */                                            \
   X(302, DRAW_INDEX_MODE)        /* index mode 3 */                                                                   \
   X(303, DRAW_PRIMITIVE)         /* primitive type 7 */                                                               \
   X(304, VERTEX_CACHE)           /* cache not invalidated after a change */                                           \
   X(305, ATTRIB_ALIGNMENT)       /* pointer or stride not a multiple of 4 */                                          \
   X(306, ATTRIB_FORMAT)          /* type 15, 0 or more than 4 components */                                           \
   X(307, ATTRIB_RANGE)           /* vertex or index fetch outside the job's memory */                                 \
   X(308, ATTRIB_PREFETCH)        /* less than 64 bytes behind the last element (A05) */                               \
   X(320, VP_NOT_UPLOADED)        /* executes an instruction that was not uploaded: hang */                            \
   X(321, VP_NO_END)              /* runs past instruction 255: hang */                                                \
   X(322, VP_ABORT)               /* register number that aborts the program: hang */                                  \
   X(323, VP_STACK)               /* stack overflow, underflow or wrong kind of entry: hang */                         \
   X(324, VP_LIMIT)               /* more than 65536 instructions: hang */                                             \
   X(330, VP_OPCODE)              /* opcode of unknown or disputed meaning */                                          \
   X(331, VP_SAME_TEMP)           /* both halves write one temp (A14) */                                               \
   X(332, VP_ARL_DEST)            /* address write with an odd destination: no effect */                               \
   X(333, VP_BRANCH_FORM)         /* branch outside the two safe forms (A13) */                                        \
   X(334, VP_BRANCH_OVERLAY)      /* branch target overlays an rC that the vector half reads */                        \
   X(335, VP_READ_TEMP)           /* reads a temp component that was not written */                                    \
   X(336, VP_READ_CONST)          /* reads a constant that the job did not upload */                                   \
   X(337, VP_READ_ATTRIB)         /* reads an attribute that 0x120 does not enable */                                  \
   X(338, VP_READ_ADDRESS)        /* uses an A0 component that was not written */                                      \
   X(339, VP_READ_CONDITION)      /* tests a condition register component that was not written */                      \
   X(340, VP_RANGE)               /* constant, attribute or export number out of range (A17) */                        \
   X(341, VP_OPERAND_TYPE)        /* reads an operand of type 0 */                                                     \
   X(342, VP_EXPORT_SOURCE)       /* exports a half that has no result */                                              \
   X(343, VP_STACK_PAIR)          /* two stack operations in one instruction */                                        \
   X(344, VP_END_BRANCH)          /* end bit together with a branch, call or return */                                 \
   X(345, VP_FIELD)               /* bit 127 or bit 120 set, condition set without write enable */                     \
   X(347, VP_NO_POSITION)         /* export 0 not written */                                                           \
   X(401, LINKER_SOURCE)          /* source rank that 0x120 does not supply */                                         \
   X(402, LINKER_ROW)             /* TRAM row above 15 */                                                              \
   X(403, LINKER_OVERLAP)         /* two components stored in one place */                                             \
   X(404, LINKER_FIELD)           /* z mode, across bits or unknown bits (A27, A40) */                                 \
   X(405, LINKER_TRAM_SETUP)      /* 0xe21 does not match the linker's rows */                                         \
   X(406, LINKER_UNWRITTEN)       /* linker instruction that the job has not written */                                \
   X(410, VIEWPORT_RANGE)         /* window coordinates beyond the rasteriser's range */                               \
   X(411, GUARD_BAND)             /* guard band below 1 or not finite */                                               \
   X(412, POSITION_NOT_FINITE)    /* infinite or NaN position: primitive dropped */                                    \
   X(413, POINT_LINE_PARAMS)      /* 0x346, 0x34c other than the proven values (A27) */                                \
   X(501, FP_COUNT)               /* EXEC count of 0x520 and the uploaded tables disagree: hang */                      \
   X(701, MEMORY_RANGE)           /* access outside the job's memory */                                                \
   X(801, G2_OPERATION)           /* operation or mode that no manual documents */                                     \
   X(802, G2_UNWRITTEN)           /* uses a register that the job has not written */                                   \
   X(803, G2_PITCH)               /* pitch that the engine is known not to handle */                                   \
   X(804, G2_OVERLAP)             /* overlapping copy in the wrong direction */                                        \
   X(805, G2_ALIGNMENT)           /* base address or size alignment */                                                 \
   X(806, G2_EMPTY)               /* zero width or height */                                                           \
   X(807, G2_CLASS)               /* trigger, class and CMDSEL do not belong together */                               \
   X(808, G2_FORMAT)              /* stretch-blit format that is unknown or unproven */                                \
   X(809, G2_SCALE)               /* step out of range */

enum sim_diag_number {
   SIM_DIAG_NONE = 0,
#define X(number, name) SIM_DIAG_##name = number,
   SIM_DIAG_LIST(X)
#undef X
};

/* "VP_ABORT", or "UNKNOWN" for a number that does not exist. */
const char *sim_diag_name(unsigned number);

#endif
