/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 */

#include "a4xx_stream.h"

#include "unit.h"

uint8_t *memory;
struct a4xx *chip;
struct a4xx_profile profile;
unsigned diags[64];
struct patch_draw patch_draw;
struct captured captured;

static uint32_t end; /* of the stream */

static void
count_diag(void *data, unsigned number, const char *text)
{
   fprintf(stderr, "[%u] %s\n", number, text);
   diags[number - 900]++;
}

static void
keep_capture(void *data, const struct a4xx_capture *capture)
{
   captured.draws++;
   captured.corners = capture->primitive;
   captured.num_outputs = capture->num_outputs;
   captured.num_vertices = A4XX_MIN(capture->num_vertices, A4XX_COUNT(captured.vertices));
   captured.num_indices = A4XX_MIN(capture->num_indices, A4XX_COUNT(captured.indices));
   if (captured.num_vertices)
      memcpy(captured.vertices, capture->vertices, captured.num_vertices * sizeof(captured.vertices[0]));
   if (captured.num_indices)
      memcpy(captured.indices, capture->indices, captured.num_indices * sizeof(captured.indices[0]));
}

void
restart(void)
{
   const struct a4xx_options options = {
      .threads = 2,
      .strict = true,
      .profile = profile,
      .diag = count_diag,
      .capture = keep_capture,
   };
   a4xx_destroy(chip);
   chip = a4xx_create(&options);
   if (!chip || !a4xx_map(chip, BASE, SIZE, memory))
      abort();
   forget_diags();
}

/* The vertex program stores an attribute, r0.w, to local memory; the hull
 * program gives invocation i that of vertex min(i, in - 1), writes it to the
 * parameters, and as invocation 0 the tess factors; the domain program hands
 * on where it is in the domain, gl_PrimitiveID, the patch's number, and the
 * first and last parameter.
 *
 * c0: bytes of a patch and of a vertex in local memory, of a patch's
 * parameters; vertices in c1: parameters, in - 1, bytes to the last
 * parameter; c2: stride and address of factors; c3, c4: levels */
static const uint64_t usual_vs[] = {
   OP2(IR3_AND_B, R(1, 0), R(0, 0), I(31)),
   OP2(IR3_SHR_B, R(1, 1), R(0, 0), I(5)),
   OP2(IR3_AND_B, R(1, 1), R(1, 1), I(31)),
   OP2(IR3_MUL_U24, R(1, 1), R(1, 1), C(0, 1)),
   OP3(IR3_MAD_U24, R(1, 0), C(0, 0), R(1, 0), R(1, 1)),
   STORE(IR3_STLW, R(1, 0), 0, R(0, 3), 1),
   CHMASK,
   CHSH,
};

static const uint64_t usual_hs[] = {
   /* r1.x invocation, r1.y the patch in local memory */
   OP2(IR3_SHR_B, R(1, 0), R(0, 0), I(10)) | SS | SY,
   OP2(IR3_AND_B, R(1, 0), R(1, 0), I(31)),
   OP2(IR3_AND_B, R(1, 1), R(0, 0), I(31)),
   OP2(IR3_MUL_U24, R(1, 1), R(1, 1), C(0, 0)),
   OP2(IR3_MIN_U, R(1, 2), R(1, 0), C(1, 1)),
   OP2(IR3_MUL_U24, R(1, 2), R(1, 2), C(0, 1)),
   OP2(IR3_ADD_U, R(1, 2), R(1, 2), R(1, 1)),
   LOAD(IR3_LDLW, R(2, 0), R(1, 2), 0, 1),
   OP2(IR3_MUL_U24, R(1, 3), R(0, 2), C(0, 2)),
   OP2(IR3_ADD_U, R(1, 3), R(1, 3), C(1, 0)),
   OP2(IR3_SHL_B, R(2, 1), R(1, 0), I(2)),
   OP2(IR3_ADD_U, R(1, 3), R(1, 3), R(2, 1)),
   NOP | SS,
   STORE(IR3_STG, R(1, 3), 0, R(2, 0), 1),
   CMP(IR3_CMPS_U, IR3_EQ, PX, R(1, 0), I(0)),
   BR_NOT(11), /* to the end */
   OP3(IR3_MAD_U24, R(2, 2), C(2, 0), R(0, 2), C(2, 1)),
   MOV_C(R(3, 0), R(3, 0)),
   MOV_C(R(3, 1), R(3, 1)),
   MOV_C(R(3, 2), R(3, 2)),
   MOV_C(R(3, 3), R(3, 3)),
   MOV_C(R(4, 0), R(4, 0)),
   MOV_C(R(4, 1), R(4, 1)),
   STORE(IR3_STG, R(2, 2), 0, R(0, 1), 1),
   STORE(IR3_STG, R(2, 2), 4, R(3, 0), 2),
   STORE(IR3_STG, R(2, 2), 12, R(3, 2), 4), /* size: by mode */
   END,
};

static const uint64_t usual_ds[] = {
   OP2(IR3_MUL_U24, R(1, 1), R(0, 2), C(0, 2)),
   OP2(IR3_ADD_U, R(1, 1), R(1, 1), C(1, 0)),
   OP2(IR3_ADD_U, R(1, 2), R(1, 1), C(1, 2)),
   MOV(R(4, 0), R(0, 3)),
   MOV(R(4, 1), R(1, 0)),
   MOV(R(4, 2), R(0, 1)),
   MOV(R(4, 3), R(0, 2)),
   LOAD(IR3_LDG, R(5, 0), R(1, 1), 0, 1),
   LOAD(IR3_LDG, R(5, 1), R(1, 2), 0, 1),
   NOP | SY,
   END,
};

OUTER_SETUP
{
   profile = (struct a4xx_profile)A4XX_PROFILE_DEFAULT;
   memory = aligned_alloc(4096, SIZE);
   memset(memory, 0, SIZE);
   restart();
   memset(&captured, 0, sizeof(captured));
   patch_draw = (struct patch_draw){
      .mode = TESS_MODE_TRIANGLES,
      .in = 3,
      .out = 3,
      .patches = 2,
      .instances = 1,
      .param = HS_CONNECTED,
      .levels = { 1, 1, 1, 1, 1, 1 },
      .tess_x = R(0, 3),
      .tess_y = R(1, 0),
      .position = R(4, 0),
      .varying = R(5, 0),
      .vs_footprint = 8 << 10,
      .ds_footprint = 8 << 10,
   };
   memcpy(patch_draw.vs, usual_vs, sizeof(usual_vs));
   memcpy(patch_draw.hs, usual_hs, sizeof(usual_hs));
   memcpy(patch_draw.ds, usual_ds, sizeof(usual_ds));
   for (unsigned i = 0; i < 1024; i++) {
      float value = i + 0.5f;
      memcpy(memory + VERTICES + i * 4, &value, 4);
   }
}

OUTER_TEARDOWN
{
   a4xx_destroy(chip);
   chip = NULL;
   free(memory);
}

void
forget_diags(void)
{
   memset(diags, 0, sizeof(diags));
}

unsigned
count_diags(void)
{
   unsigned count = 0;
   for (unsigned i = 0; i < A4XX_COUNT(diags); i++)
      count += diags[i];
   return count;
}

uint32_t
word_at(uint32_t offset)
{
   uint32_t word;
   memcpy(&word, memory + offset, 4);
   return word;
}

float
float_at(uint32_t offset)
{
   float value;
   memcpy(&value, memory + offset, 4);
   return value;
}

/* --- the stream --- */

void
begin(void)
{
   end = STREAM;
}

void
put(uint32_t word)
{
   memcpy(memory + end, &word, 4);
   end += 4;
}

void
put_words(const uint32_t *words, unsigned count)
{
   for (unsigned i = 0; i < count; i++)
      put(words[i]);
}

void
put_reg(unsigned offset, uint32_t value)
{
   put(offset);
   put(value);
}

void
put_state(unsigned block, unsigned type, unsigned units, uint32_t offset)
{
   put(3u << 30 | 1 << 16 | 0x30 << 8);
   put(2u << 16 | block << 18 | units << 22);
   put((BASE + offset) | type);
}

bool
submit(void)
{
   return a4xx_submit(chip, BASE + STREAM, end / 4);
}

/* --- a draw of patches --- */

static void
put_program(unsigned stage, const uint64_t *words, unsigned control)
{
   const uint32_t offset = PROGRAMS + stage * 0x1000;
   /* 5 units of 16 instructions each, 8 of 4 constants. */
   memcpy(memory + offset, words, 80 * 8);
   put_reg(control, 8 | stage * 8 << 8 | 1 << 16 | stage * 5 << 17 | 5u << 24);
   put_state(8 + stage, 0, 5, offset);
}

static void
put_constants(void)
{
   static const uint8_t strides[3] = { 28, 20, 12 };
   const struct patch_draw *d = &patch_draw;
   uint32_t words[20] = {
      128,
      4,
      d->out * 4,
      d->in,
      BASE + PARAMETERS,
      d->in - 1,
      (d->out - 1) * 4,
      0,
      d->mode - TESS_MODE_QUADS < 3 ? strides[d->mode - TESS_MODE_QUADS] : 20,
      BASE + FACTORS,
   };
   memcpy(words + 12, d->levels, 24);
   memcpy(memory + PROGRAMS + 0x8000, words, sizeof(words));
   for (unsigned stage = 0; stage < 3; stage++)
      put_state(8 + stage, 1, 5, PROGRAMS + 0x8000);
}

/* Of the usual hull program: how many levels the mode has behind the first
 * two. */
static void
fit_levels(void)
{
   static const uint8_t rest[3] = { 4, 2, 0 };
   const unsigned kind = patch_draw.mode - TESS_MODE_QUADS;
   if (patch_draw.hs[24] == usual_hs[24] && kind < 3)
      patch_draw.hs[25] = rest[kind] ? STORE(IR3_STG, R(2, 2), 12, R(3, 2), rest[kind]) : NOP;
}

bool
draw_patches(void)
{
   const struct patch_draw *d = &patch_draw;
   fit_levels();
   begin();
   put_program(0, d->vs, HLSQ_VS_CONTROL_REG);
   put_program(1, d->hs, HLSQ_HS_CONTROL_REG);
   put_program(2, d->ds, HLSQ_DS_CONTROL_REG);
   put_constants();
   put_reg(UNKNOWN_21E6, 1);
   put_reg(PC_HS_PARAM, d->param | d->out);
   put_reg(PC_TESSFACTOR_ADDR, BASE + FACTORS);
   put_reg(VFD_CONTROL_0, 1u << 26 | 1 << 20 | 1);
   put_reg(VFD_CONTROL_1, 0xfcfc0000);
   put_reg(VFD_CONTROL_3, d->tess_y << 24 | d->tess_x << 16 | 0xfc00);
   put_reg(VFD_FETCH, 4 << 7 | 3);
   put_reg(VFD_FETCH + 1, BASE + VERTICES);
   put_reg(VFD_FETCH + 2, 4096);
   put_reg(VFD_FETCH + 3, 1);
   put_reg(VFD_DECODE, 1 | 0x1 << 6 | R(0, 3) << 12);
   put_reg(SP_VS_CTRL_REG0, d->vs_footprint);
   put_reg(SP_HS_CTRL_REG1, 0x00010000);
   put_reg(SP_HS_PVT_MEM_PARAM, 1);
   put_reg(SP_DS_CTRL_REG0, d->ds_footprint);
   put_reg(SP_DS_PARAM_REG, 1u << 20 | 0xfc00 | d->position);
   put_reg(SP_DS_OUT, 3 << 9 | d->varying);
   put_reg(SP_DS_VPC_DST, 8);
   put(3u << 30 | 2 << 16 | 0x38 << 8);
   put(d->initiator | d->mode << 20 | DRAW_SOURCE_AUTO << 6 | DRAW_PATCHES | (d->in - 1));
   put(d->instances);
   put(d->patches * d->in);
   return submit();
}

void
set_levels(float level)
{
   for (unsigned i = 0; i < 6; i++)
      patch_draw.levels[i] = level;
}

void
draw_quietly(void)
{
   assert_true(draw_patches());
   assert_int_equal(count_diags(), 0);
}

void
draw_badly(unsigned number)
{
   forget_diags();
   assert_true(draw_patches());
   assert_int_equal(diags[number - 900], 1);
}
