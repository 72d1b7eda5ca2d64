/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * What the files of the A4xx simulator share.
 */

#ifndef A4XX_INTERNAL_H
#define A4XX_INTERNAL_H

#include <stdatomic.h>

#include "a4xx.h"
#include "a4xx_diag.h"
#include "a4xx_tess.h"
#include "ir3.h"
#include "ir3_wave.h"

#define A4XX_MIN(a, b) ((a) < (b) ? (a) : (b))
#define A4XX_MAX(a, b) ((a) > (b) ? (a) : (b))
#define A4XX_COUNT(array) (sizeof(array) / sizeof((array)[0]))

#define A4XX_NUM_REGS 0x4000u
/* Registers of the pipeline exist twice. */
#define A4XX_CONTEXT_0 0x2000u
#define A4XX_CONTEXT_1 0x2400u
#define A4XX_CONTEXT_END 0x2800u

#define A4XX_NUM_SAMPLERS 16u /* of a stage */
#define A4XX_NUM_TEXTURES 128u
#define A4XX_NUM_BUFFERS 64u
#define A4XX_LOCAL_WORDS 8192 /* 32 KiB */
#define A4XX_GMEM_BYTES 0x180000u
#define A4XX_MAX_PATCH 32 /* vertices */

/* Registers that are modelled; a4xx.xml has their fields. */
enum a4xx_reg {
   RBBM_PERFCTR_CP_0_LO = 0x009c,
   RBBM_PERFCTR_CP_0_HI = 0x009d,
   CP_ME_NRT_ADDR = 0x020c,
   CP_ME_NRT_DATA = 0x020d,
   CP_PERFCTR_CP_SEL_0 = 0x0500,
   PC_TESSFACTOR_ADDR = 0x0d08,
   GRAS_CL_CLIP_CNTL = 0x2000,
   GRAS_CL_VPORT_XOFFSET_0 = 0x2008,
   GRAS_SU_POINT_MINMAX = 0x2070,
   GRAS_SU_POINT_SIZE = 0x2071,
   GRAS_SU_POLY_OFFSET_SCALE = 0x2074,
   GRAS_DEPTH_CONTROL = 0x2077,
   GRAS_SU_MODE_CONTROL = 0x2078,
   GRAS_SC_CONTROL = 0x207b,
   GRAS_SC_SCREEN_SCISSOR_TL = 0x207c,
   GRAS_SC_SCREEN_SCISSOR_BR = 0x207d,
   GRAS_SC_WINDOW_SCISSOR_BR = 0x209c,
   GRAS_SC_WINDOW_SCISSOR_TL = 0x209d,
   RB_MODE_CONTROL = 0x20a0,
   RB_RENDER_CONTROL = 0x20a1,
   RB_MRT_CONTROL = 0x20a4, /* five registers for each target */
   RB_BLEND_RED = 0x20f0,
   RB_ALPHA_CONTROL = 0x20f8,
   RB_SAMPLE_COUNT_CONTROL = 0x20fa,
   RB_RENDER_COMPONENTS = 0x20fb,
   RB_COPY_CONTROL = 0x20fc,
   RB_COPY_DEST_BASE = 0x20fd,
   RB_COPY_DEST_PITCH = 0x20fe,
   RB_COPY_DEST_INFO = 0x20ff,
   RB_DEPTH_CONTROL = 0x2101,
   RB_DEPTH_INFO = 0x2103,
   RB_DEPTH_PITCH = 0x2104,
   RB_STENCIL_CONTROL = 0x2106,
   RB_STENCIL_INFO = 0x2108,
   RB_STENCIL_PITCH = 0x2109,
   RB_STENCILREFMASK = 0x210b,
   RB_BIN_OFFSET = 0x210d,
   RB_VPORT_Z_CLAMP = 0x2120,
   VPC_VARYING_INTERP = 0x2142,
   VPC_VARYING_PS_REPL = 0x214a,
   PC_PRIM_VTX_CNTL = 0x21c4,
   PC_RESTART_INDEX = 0x21c6,
   UNKNOWN_21E6 = 0x21e6,
   PC_HS_PARAM = 0x21e7,
   VFD_CONTROL_0 = 0x2200,
   VFD_CONTROL_1 = 0x2201,
   VFD_CONTROL_2 = 0x2202,
   VFD_CONTROL_3 = 0x2203,
   VFD_CONTROL_4 = 0x2204,
   VFD_INDEX_OFFSET = 0x2208,
   UNKNOWN_2209 = 0x2209, /* first instance */
   VFD_FETCH = 0x220a,
   VFD_DECODE = 0x228a,
   SP_VS_CTRL_REG0 = 0x22c4,
   SP_VS_PARAM_REG = 0x22c6,
   SP_VS_OUT = 0x22c7,
   SP_VS_VPC_DST = 0x22d8,
   SP_VS_OBJ_OFFSET_REG = 0x22e0,
   SP_VS_OBJ_START = 0x22e1,
   SP_VS_LENGTH_REG = 0x22e5,
   SP_FS_CTRL_REG0 = 0x22e8,
   SP_FS_OBJ_START = 0x22eb,
   SP_FS_LENGTH_REG = 0x22ef,
   SP_FS_OUTPUT_REG = 0x22f0,
   SP_FS_MRT = 0x22f1,
   SP_CS_CTRL_REG0 = 0x2300,
   SP_CS_OBJ_START = 0x2302,
   SP_CS_LENGTH_REG = 0x2306,
   SP_HS_CTRL_REG1 = 0x230c, /* by its place; nameless in a4xx.xml */
   SP_HS_OBJ_OFFSET_REG = 0x230d,
   SP_HS_OBJ_START = 0x230e,
   SP_HS_PVT_MEM_PARAM = 0x230f,
   SP_HS_LENGTH_REG = 0x2312,
   SP_DS_CTRL_REG0 = 0x2318, /* as above */
   SP_DS_PARAM_REG = 0x231a,
   SP_DS_OUT = 0x231b,
   SP_DS_VPC_DST = 0x232c,
   SP_DS_OBJ_OFFSET_REG = 0x2334,
   SP_DS_OBJ_START = 0x2335,
   SP_DS_LENGTH_REG = 0x2339,
   TPL1_TP_VS_BORDER_COLOR_BASE_ADDR = 0x2384,
   TPL1_TP_HS_BORDER_COLOR_BASE_ADDR = 0x2387,
   TPL1_TP_DS_BORDER_COLOR_BASE_ADDR = 0x238a,
   TPL1_TP_GS_BORDER_COLOR_BASE_ADDR = 0x238d,
   TPL1_TP_FS_BORDER_COLOR_BASE_ADDR = 0x23a1,
   TPL1_TP_CS_BORDER_COLOR_BASE_ADDR = 0x23a4,
   HLSQ_CONTROL_1_REG = 0x23c1,
   HLSQ_CONTROL_2_REG = 0x23c2,
   HLSQ_CONTROL_3_REG = 0x23c3,
   HLSQ_VS_CONTROL_REG = 0x23c5,
   HLSQ_FS_CONTROL_REG = 0x23c6,
   HLSQ_HS_CONTROL_REG = 0x23c7,
   HLSQ_DS_CONTROL_REG = 0x23c8,
   HLSQ_GS_CONTROL_REG = 0x23c9,
   HLSQ_CS_CONTROL_REG = 0x23ca,
   HLSQ_CL_NDRANGE_0 = 0x23cd,
   HLSQ_CL_CONTROL_0 = 0x23d4,
   HLSQ_CL_KERNEL_CONST = 0x23d6,
};

/* In the order of CP_LOAD_STATE4's blocks: textures from 0 on, programs and
 * constants from 8 on. */
enum a4xx_stage {
   STAGE_VS,
   STAGE_HS,
   STAGE_DS,
   STAGE_GS,
   STAGE_FS,
   STAGE_CS,
   NUM_STAGES
};

/* Initiator of a draw. */
#define DRAW_PRIMITIVE(word) ((word)&0x3f)
#define DRAW_PATCHES 0x20u /* and vertices - 1 */
#define DRAW_SOURCE(word) ((word) >> 6 & 3)
#define DRAW_VISIBILITY(word) ((word) >> 8 & 3)
#define DRAW_INDEX_SIZE(word) ((word) >> 10 & 3)
#define DRAW_TESS_MODE(word) ((word) >> 20 & 31)

enum { DRAW_SOURCE_DMA = 0, DRAW_SOURCE_AUTO = 2 };

/* PC_PRIM_VTX_CNTL */
#define PROVOKING_LAST (1u << 25)

/* PC_HS_PARAM */
#define HS_VERTICES_OUT(word) ((word)&0x3f)
#define HS_SPACING(word) ((word) >> 21 & 3)
#define HS_CW (1u << 23) /* isolines: connected */
#define HS_CONNECTED (1u << 24)

/* A4XX_SSBO_0: address, bytes of a row, a layer and a texel; constants for
 * programs.  A4XX_SSBO_1: format and sizes. */
struct a4xx_buffer {
   uint32_t place[4], size[2];
};

struct sim_address_map;
struct sim_threads;

struct a4xx {
   struct a4xx_options options;
   struct sim_address_map *map;
   struct sim_threads *threads;
   struct shader *shaders; /* one for each thread */
   unsigned num_shaders;
   uint32_t regs[A4XX_NUM_REGS];
   uint32_t written[A4XX_NUM_REGS / 32]; /* bits */
   /* On the chip: constants, and 64 units of 16 instructions. */
   uint32_t consts[IR3_CONSTS];
   struct ir3_instr store[IR3_STORE];
   /* Constants of the texture unit. */
   uint32_t samplers[NUM_STAGES][A4XX_NUM_SAMPLERS][2];
   uint32_t textures[NUM_STAGES][A4XX_NUM_TEXTURES][8];
   uint8_t gmem[A4XX_GMEM_BYTES];
   struct a4xx_buffer buffers[2][A4XX_NUM_BUFFERS]; /* of draws, of compute */
   struct a4xx_stats stats;
   bool broken;     /* the stream that runs */
   unsigned depth;  /* of lists in it */
   uint64_t budget; /* dwords that it may still take */
   atomic_uint reported[2];
};

void
a4xx_diag(struct a4xx *chip, enum a4xx_diag_number number, const char *format,
          ...) __attribute__((format(printf, 3, 4)));

/* NULL: not all of it is memory. */
uint8_t *
a4xx_memory(const struct a4xx *chip, uint32_t address, uint64_t size);

static inline uint32_t
a4xx_reg(const struct a4xx *chip, unsigned offset)
{
   return chip->regs[offset];
}

/* --- programs --- */

struct program {
   const struct ir3_instr *instrs;
   unsigned count;
   const uint32_t *consts;
   unsigned num_consts;   /* components */
   struct ir3_instr *own; /* decoded from memory, else NULL */
};

/* Where a stage's program and constants are.  False with a diagnostic: there
 * is none. */
bool
a4xx_get_program(struct a4xx *chip, enum a4xx_stage stage,
                 struct program *program);
void
a4xx_put_program(struct program *program);
/* sim_threads_run() for a program's waves.  One that stores to buffers or
 * images, or has atomics, has its items in their order, in one thread. */
void
a4xx_run_items(struct a4xx *chip, const struct program *program,
               unsigned count,
               void (*fn)(void *data, unsigned item, unsigned thread),
               void *data);
/* Of HLSQ_xS_CONTROL_REG. */
void
a4xx_const_range(const struct a4xx *chip, enum a4xx_stage stage,
                 unsigned *first, unsigned *count);
/* Where its program begins on the chip, in units of 16 instructions. */
unsigned
a4xx_store_unit(const struct a4xx *chip, enum a4xx_stage stage);
const char *
a4xx_stage_name(enum a4xx_stage stage);

/* Waves of one thread. */
struct shader {
   struct ir3_wave wave;
   uint32_t local[A4XX_LOCAL_WORDS];
   struct ir3_writer local_writers[A4XX_LOCAL_WORDS];
   uint32_t *private;
   struct ir3_writer *private_writers;
   unsigned private_words;
};

/* --- vertices --- */

#define A4XX_MAX_VERTICES (1u << 22) /* of a draw */

struct draw {
   uint32_t initiator, instances, count;
   uint32_t first_instance, index_offset;
   uint32_t index_address, index_bytes; /* without: auto index */
   bool restart;
   uint32_t restart_index;
   /* Vertices without those of a restart, and where primitives begin anew. */
   uint32_t *indices;
   bool *cuts; /* a restart before this one */
   unsigned num_indices;
   /* Places of the vertices that run, and which of them is each place's. */
   uint32_t *runs, *run_of;
   unsigned num_runs;
};

/* Reads all indices; false: out of memory, or not in memory. */
bool
vfd_read_indices(struct a4xx *chip, struct draw *draw);
/* Which vertices run, of a draw without patches; false: out of memory. */
bool
vfd_find_runs(const struct a4xx *chip, struct draw *draw);
/* Attributes and system values of a lane's vertex, the draw's n-th. */
bool
vfd_fetch(struct a4xx *chip, struct ir3_wave *wave, unsigned lane,
          const struct draw *draw, unsigned n, uint32_t instance);

/* Position, point size and varyings of a lane; param_reg: SP_VS_PARAM_REG or
 * SP_DS_PARAM_REG. */
void
draw_read_outputs(const struct a4xx *chip, const struct ir3_wave *wave,
                  unsigned lane, unsigned param_reg,
                  struct a4xx_vertex *vertex);
/* The position in the window. */
void
draw_transform(const struct a4xx *chip, struct a4xx_vertex *vertex);
/* Components of all varyings. */
unsigned
draw_num_outputs(const struct a4xx *chip, unsigned param_reg);
void
draw_run(struct a4xx *chip, struct draw *draw);
/* Does anybody look at the vertices of the next draw? */
bool
draw_has_use(const struct a4xx *chip);
/* Counts the vertices, hands them on and draws their primitives. */
void
draw_finish(struct a4xx *chip, struct a4xx_capture *capture);

/* Sets a thread's wave up for a stage: nothing is written.  footprint: as in
 * SP_VS_CTRL_REG0.  False: out of memory. */
bool
shader_begin(struct a4xx *chip, struct shader *shader,
             const struct program *program, enum a4xx_stage stage,
             uint32_t footprint);
/* What runs next in a wave. */
void
ir3_wave_set_program(struct ir3_wave *wave, const struct program *program,
                     enum a4xx_stage stage);
/* Another program in the same wave. */
void
shader_continue(struct shader *shader, const struct program *program,
                enum a4xx_stage stage);

/* Groups of invocations, by three dimensions. */
void
compute_run(struct a4xx *chip, const uint32_t num_groups[3],
            const uint32_t size[3]);

/* A draw of patches. */
void
patches_draw(struct a4xx *chip, struct draw *draw);

#endif
