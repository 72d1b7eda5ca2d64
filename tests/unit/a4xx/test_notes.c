/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * The notes "A4xx Tessellation Shaders", sentence by sentence: N1 to N27 are
 * the rows of docs/adreno.md.
 */

#include <math.h>

#include "unit.h"
#include "a4xx_stream.h"

static float
vertex(unsigned n)
{
   return float_at(VERTICES + n * 4);
}

static float
parameter(unsigned patch, unsigned vertex_out)
{
   return float_at(PARAMETERS + (patch * patch_draw.out + vertex_out) * 4);
}

/* Up to 32 vertices of a patch, an invocation for each that comes out; how
 * many come in may be another number. */
TEST(n1_vertices)
{
   static const uint8_t cases[][2] = { { 1, 1 }, { 3, 3 }, { 16, 32 }, { 5, 2 }, { 32, 7 }, { 1, 32 } };
   for (unsigned i = 0; i < COUNT(cases); i++) {
      const unsigned in = cases[i][0], out = cases[i][1];
      patch_draw.in = in;
      patch_draw.out = out;
      draw_quietly();
      for (unsigned patch = 0; patch < 2; patch++) {
         for (unsigned v = 0; v < out; v++)
            assert_true(parameter(patch, v) == vertex(patch * in + A4XX_MIN(v, in - 1)));
      }
   }
}

/* An invocation may write no outputs but its own. */
TEST(n2_own_outputs)
{
   static const uint64_t hs[] = {
      OP2(IR3_SHR_B, R(1, 0), R(0, 0), I(10)) | SS,
      MOV_I(R(1, 1), 8),
      STORE(IR3_STP, R(1, 1), 0, R(1, 0), 1),
      END,
   };
   memcpy(patch_draw.hs, hs, sizeof(hs));
   draw_badly(A4XX_DIAG_OTHERS_OUTPUT);
   /* The same value is one output that all have written: a patch's. */
   patch_draw.hs[0] = MOV_I(R(1, 0), 7);
   forget_diags();
   assert_true(draw_patches());
   assert_int_equal(GIVEN(OTHERS_OUTPUT), 0);
}

/* TESS_MODE: 0xc quads, 0xd triangles, 0xe isolines. */
TEST(n3_modes)
{
   static const struct {
      unsigned mode, points, corners, indices;
      uint32_t param;
   } cases[] = {
      { 0xc, 4, 3, 6, HS_CONNECTED },
      { 0xd, 3, 3, 3, HS_CONNECTED },
      { 0xe, 2, 2, 2, HS_CW },
   };
   patch_draw.patches = 1;
   for (unsigned i = 0; i < COUNT(cases); i++) {
      patch_draw.mode = cases[i].mode;
      patch_draw.param = cases[i].param;
      draw_quietly();
      assert_int_equal(captured.num_vertices, cases[i].points);
      assert_int_equal(captured.corners, cases[i].corners);
      assert_int_equal(captured.num_indices, cases[i].indices);
   }
   patch_draw.mode = 0x10;
   captured.draws = 0;
   draw_badly(A4XX_DIAG_TESS_MODE);
   patch_draw.mode = 0;
   draw_badly(A4XX_DIAG_TESS_MODE);
   assert_int_equal(captured.draws, 0);
}

/* PRIM_TYPE: 0x20 and the vertices of a patch - 1. */
TEST(n4_primitive_type)
{
   static const uint8_t sizes[] = { 1, 2, 3, 16, 31, 32 };
   for (unsigned i = 0; i < COUNT(sizes); i++) {
      struct a4xx_stats before, after;
      patch_draw.in = sizes[i];
      patch_draw.patches = 3;
      a4xx_get_stats(chip, &before);
      draw_quietly();
      a4xx_get_stats(chip, &after);
      assert_int_equal(after.patches - before.patches, 3);
      for (unsigned patch = 0; patch < 3; patch++)
         assert_true(parameter(patch, 0) == vertex(patch * sizes[i]));
   }
}

/* Twice the area of the primitives, with the sign of their winding. */
static float
winding(void)
{
   float area = 0;
   for (unsigned i = 0; i < captured.num_indices; i += 3) {
      const float *a = captured.vertices[captured.indices[i]].position;
      const float *b = captured.vertices[captured.indices[i + 1]].position;
      const float *c = captured.vertices[captured.indices[i + 2]].position;
      area += (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
   }
   return area;
}

/* Points of a quad's edge u = 0, of which there is one more than segments. */
static unsigned
edge_points(void)
{
   unsigned count = 0;
   for (unsigned i = 0; i < captured.num_vertices; i++)
      count += captured.vertices[i].position[0] == 0;
   return count;
}

/* PC_HS_PARAM: VERTICES_OUT is the number itself, SPACING 0 equal, 2 odd, 3
 * even; CW; CONNECTED. */
TEST(n5_parameters)
{
   static const uint8_t spacings[][2] = { { 0, 3 + 1 }, { 2, 3 + 1 }, { 3, 4 + 1 } };
   patch_draw.mode = TESS_MODE_QUADS;
   patch_draw.patches = 1;
   patch_draw.out = 32;
   set_levels(2.5f);
   for (unsigned i = 0; i < COUNT(spacings); i++) {
      patch_draw.param = HS_CONNECTED | spacings[i][0] << 21;
      draw_quietly();
      assert_int_equal(edge_points(), spacings[i][1]);
      assert_true(winding() > 1.99f);
   }
   patch_draw.param |= HS_CW;
   draw_quietly();
   assert_true(winding() < -1.99f);
   patch_draw.param &= ~HS_CONNECTED;
   draw_quietly();
   assert_int_equal(captured.corners, 1);
   assert_int_equal(captured.num_indices, captured.num_vertices);
   patch_draw.out = 33;
   draw_badly(A4XX_DIAG_HS_PARAM);
   patch_draw.out = 0;
   draw_badly(A4XX_DIAG_HS_PARAM);
   patch_draw.out = 3;
   patch_draw.param = HS_CONNECTED | 1 << 21;
   draw_badly(A4XX_DIAG_TESS_PARAM);
}

/* Of isolines CW says whether they are connected. */
TEST(n6_isolines)
{
   patch_draw.mode = TESS_MODE_ISOLINES;
   patch_draw.patches = 1;
   patch_draw.param = HS_CW;
   draw_quietly();
   assert_int_equal(captured.corners, 2);
   patch_draw.param = 0;
   draw_quietly();
   assert_int_equal(captured.corners, 1);
   patch_draw.param = HS_CONNECTED;
   assert_true(draw_patches());
   assert_int_equal(captured.corners, 1);
   assert_int_equal(GIVEN(TESS_PARAM), 1);
}

/* Groups of 28, 20 and 12 bytes: primitive, outer levels, inner levels. */
TEST(n7_factors)
{
   static const struct {
      unsigned mode, dwords;
      uint32_t param;
   } cases[] = { { 0xc, 7, HS_CONNECTED }, { 0xd, 5, HS_CONNECTED }, { 0xe, 3, HS_CW } };
   for (unsigned i = 0; i < COUNT(cases); i++) {
      patch_draw.mode = cases[i].mode;
      patch_draw.param = cases[i].param;
      for (unsigned level = 0; level < 6; level++)
         patch_draw.levels[level] = level + 1;
      memset(memory + FACTORS, 0, 4096);
      draw_quietly();
      for (unsigned patch = 0; patch < 2; patch++) {
         const uint32_t group = FACTORS + patch * cases[i].dwords * 4;
         assert_int_equal(word_at(group), patch);
         for (unsigned level = 0; level < cases[i].dwords - 1; level++)
            assert_true(float_at(group + 4 + level * 4) == level + 1);
      }
      assert_int_equal(word_at(FACTORS + 2 * cases[i].dwords * 4), 0);
   }
   /* Levels in this order: the edge u = 0 of a quad is the first outer one.
    */
   patch_draw.mode = TESS_MODE_QUADS;
   patch_draw.param = HS_CONNECTED;
   for (unsigned level = 0; level < 6; level++)
      patch_draw.levels[level] = level ? 1 : 5;
   patch_draw.patches = 1;
   draw_quietly();
   assert_int_equal(edge_points(), 5 + 1);
}

/* The primitive in a group is what a domain program gets as gl_PrimitiveID.
 */
TEST(n8_primitive)
{
   const uint64_t store = STORE(IR3_STG, R(2, 2), 0, R(0, 1), 1);
   assert_true(patch_draw.hs[23] == store);
   patch_draw.hs[22] = OP2(IR3_ADD_U, R(4, 2), R(0, 1), I(100));
   patch_draw.hs[23] = STORE(IR3_STG, R(2, 2), 0, R(4, 2), 1);
   patch_draw.hs[21] = MOV_C(R(4, 0), R(4, 0));
   draw_quietly();
   for (unsigned i = 0; i < 6; i++) {
      uint32_t id;
      memcpy(&id, &captured.vertices[i].position[2], 4);
      assert_int_equal(id, 100 + i / 3);
   }
}

/* Writes a register of invocation i of patch r0.z to the parameters. */
static void
write_register(uint64_t move)
{
   patch_draw.hs[12] = move | SS;
}

/* r0.x: bits 0-4 the patch of the wave, 5-9 the vertex, 10-14 the invocation.
 */
TEST(n9_header)
{
   profile.patches_a_wave = 0;
   restart();
   write_register(MOV(R(2, 0), R(0, 0)));
   patch_draw.in = 4;
   patch_draw.out = 5;
   patch_draw.patches = 9;
   draw_quietly();
   for (unsigned patch = 0; patch < 9; patch++) {
      for (unsigned v = 0; v < 5; v++) {
         uint32_t header = word_at(PARAMETERS + (patch * 5 + v) * 4);
         /* Six patches of five lanes share a wave. */
         assert_int_equal(header & 31, patch % 6);
         assert_int_equal(header >> 5 & 31, v);
         assert_int_equal(header >> 10 & 31, v);
      }
   }
}

/* r0.y is gl_PrimitiveID, r0.z the number of the patch in the buffer. */
TEST(n10_numbers)
{
   profile.subdraw = 4;
   restart();
   patch_draw.patches = 6;
   draw_quietly();
   for (unsigned i = 0; i < 18; i++) {
      uint32_t ids[2];
      memcpy(ids, &captured.vertices[i].position[2], 8);
      assert_int_equal(ids[0], i / 3);
      assert_int_equal(ids[1], i / 3 % 4);
   }
   write_register(MOV(R(2, 0), R(0, 1)));
   draw_quietly();
   assert_int_equal(word_at(PARAMETERS), 4);
   assert_int_equal(word_at(PARAMETERS + 2 * 12), 2);
}

/* They are in these registers, whatever VFD_CONTROL_2 to 4 say. */
TEST(n11_fixed_registers)
{
   write_register(MOV(R(2, 0), R(0, 2)));
   draw_quietly();
   assert_int_equal(a4xx_register(chip, VFD_CONTROL_3) >> 8 & 0xff, IR3_INVALID_REG);
   assert_int_equal(word_at(PARAMETERS), 0);
   assert_int_equal(word_at(PARAMETERS + 12), 1);
   begin();
   put_reg(VFD_CONTROL_2, R(3, 0));
   put_reg(VFD_CONTROL_4, R(3, 0));
   assert_true(submit());
   memset(memory + PARAMETERS, 0xff, 64);
   draw_badly(A4XX_DIAG_UNKNOWN_VALUE);
   assert_int_equal(word_at(PARAMETERS), 0);
   assert_int_equal(word_at(PARAMETERS + 12), 1);
}

/* Inputs come by ldlw, from where the vertex program put them: patches of a
 * wave one behind the other. */
TEST(n12_inputs)
{
   profile.patches_a_wave = 0;
   restart();
   patch_draw.patches = 9;
   draw_quietly();
   for (unsigned patch = 0; patch < 9; patch++) {
      for (unsigned v = 0; v < 3; v++)
         assert_true(parameter(patch, v) == vertex(patch * 3 + v));
   }
   /* What nobody has stored. */
   patch_draw.hs[7] = LOAD(IR3_LDLW, R(2, 0), R(1, 2), 64, 1);
   draw_badly(A4XX_DIAG_READ_NOTHING);
}

/* gl_PatchVerticesIn is a constant of the driver's. */
TEST(n13_patch_vertices)
{
   write_register(MOV_C(R(2, 0), R(0, 3)));
   patch_draw.in = 7;
   draw_quietly();
   assert_int_equal(word_at(PARAMETERS), 7);
}

/* A hull program has no outputs in registers: without stores there are no
 * factors, and strict mode says so. */
TEST(n14_no_outputs)
{
   patch_draw.hs[0] = END;
   memset(memory + FACTORS, 0, 64);
   draw_badly(A4XX_DIAG_NO_FACTORS);
   assert_int_equal(captured.num_vertices, 0);
   assert_int_equal(count_diags(), 1);
}

/* Outputs go to private memory; after an (ss) invocation 0 writes all of them
 * to global memory. */
static const uint64_t staged_hs[] = {
   OP2(IR3_SHR_B, R(1, 0), R(0, 0), I(10)) | SS | SY,
   OP2(IR3_ADD_U, R(2, 0), R(1, 0), I(40)),
   OP2(IR3_SHL_B, R(1, 1), R(1, 0), I(2)),
   STORE(IR3_STP, R(1, 1), 0, R(2, 0), 1),
   NOP | SS,
   CMP(IR3_CMPS_U, IR3_EQ, PX, R(1, 0), I(0)),
   BR_NOT(11),
   MOV_I(R(1, 1), 0),
   LOAD(IR3_LDP, R(3, 0), R(1, 1), 0, 3),
   OP2(IR3_MUL_U24, R(1, 3), R(0, 2), C(0, 2)),
   OP2(IR3_ADD_U, R(1, 3), R(1, 3), C(1, 0)),
   NOP | SY,
   STORE(IR3_STG, R(1, 3), 0, R(3, 0), 3),
   OP3(IR3_MAD_U24, R(2, 2), C(2, 0), R(0, 2), C(2, 1)),
   MOV_C(R(3, 0), R(3, 0)) | 3ull << 40, /* (rpt3) of one constant */
   STORE(IR3_STG, R(2, 2), 0, R(0, 1), 1),
   STORE(IR3_STG, R(2, 2), 4, R(3, 0), 4),
   END,
};

static void
use_staged(void)
{
   memset(patch_draw.hs, 0, sizeof(patch_draw.hs));
   memcpy(patch_draw.hs, staged_hs, sizeof(staged_hs));
   memset(memory + PARAMETERS, 0, 64);
}

TEST(n15_staging)
{
   use_staged();
   draw_quietly();
   for (unsigned i = 0; i < 6; i++)
      assert_int_equal(word_at(PARAMETERS + i * 4), 40 + i % 3);
   /* If each lane had its own (U1), those of the others would be missing. */
   profile.private_scope = A4XX_PRIVATE_LANE;
   restart();
   memset(memory + PARAMETERS, 0, 64);
   assert_true(draw_patches());
   assert_int_equal(word_at(PARAMETERS), 40);
   assert_int_not_equal(word_at(PARAMETERS + 4), 41);
}

/* The instruction of the notes: mad.u24 r1.w, c14.x, r0.z, c9.x. */
TEST(n16_factor_address)
{
   const uint64_t word = 0x6201000710241038;
   char text[64];
   ir3_disassemble(word, text, sizeof(text));
   assert_string_equal(text, "mad.u24 r1.w, c14.x, r0.z, c9.x");
   struct ir3_instr instr;
   assert_true(ir3_decode(word, &instr));
   static uint32_t consts[IR3_CONSTS];
   struct ir3_wave *wave = aligned_alloc(128, (sizeof(*wave) + 127) & ~127ul);
   ir3_wave_reset(wave, chip);
   consts[R(14, 0)] = 20;
   consts[R(9, 0)] = 0xc0000000;
   wave->consts = consts;
   wave->num_consts = IR3_CONSTS;
   wave->mask = (ir3_u){} - 1;
   for (unsigned lane = 0; lane < IR3_LANES; lane++)
      wave->full[R(0, 2)][lane] = lane;
   ir3_alu(wave, &instr, 0);
   for (unsigned lane = 0; lane < IR3_LANES; lane++)
      assert_int_equal(wave->full[R(1, 3)][lane], 0xc0000000 + 20 * lane);
   free(wave);
}

/* The stride differs by mode: a program for triangles does not do for quads.
 */
TEST(n17_stride)
{
   patch_draw.mode = TESS_MODE_QUADS;
   draw_quietly();
   patch_draw.hs[16] = OP3(IR3_MAD_U24, R(2, 2), C(2, 3), R(0, 2), C(2, 1)); /* c2.w: 0 */
   draw_badly(A4XX_DIAG_NO_FACTORS);
}

/* How many patches the buffer takes at a time changes nothing (U2), nor does
 * how many share a wave (U7), or whether numbers go on with the next instance
 * (U8). */
TEST(n18_buffer)
{
   static const uint8_t sizes[] = { 1, 7, 16, 64 };
   static struct captured first;
   patch_draw.patches = 20;
   patch_draw.instances = 2;
   set_levels(3);
   /* The patch's number itself would differ. */
   patch_draw.ds[6] = MOV(R(4, 3), R(0, 1));
   draw_quietly();
   first = captured;
   for (unsigned i = 0; i < COUNT(sizes) * 4; i++) {
      profile.subdraw = sizes[i / 4];
      profile.patches_a_wave = i & 1;
      profile.restart_instances = i & 2;
      restart();
      draw_quietly();
      assert_int_equal(captured.num_vertices, first.num_vertices);
      assert_memory_equal(captured.vertices, first.vertices, first.num_vertices * sizeof(first.vertices[0]));
      assert_memory_equal(captured.indices, first.indices, first.num_indices * sizeof(first.indices[0]));
   }
   assert_true(first.num_vertices > 400);
}

/* A barrier is an (ss). */
TEST(n19_barrier)
{
   use_staged();
   draw_quietly();
   patch_draw.hs[4] = NOP;
   draw_badly(A4XX_DIAG_NO_BARRIER);
}

/* The packet that the notes print with another chip's names: SS_INDIRECT_STM
 * (6) and SB_VERT_SHADER (4) in bits 16-18 and 19-21 are indirect and block 9
 * in bits 16-17 and 18-21. */
TEST(n20_load_hull)
{
   const uint32_t word = 6u << 16 | 4u << 19 | 5u << 22;
   assert_int_equal(word, 2u << 16 | 9u << 18 | 5u << 22);
   begin();
   put_reg(HLSQ_HS_CONTROL_REG, 5u << 17 | 5u << 24);
   for (unsigned i = 0; i < 80; i++) {
      uint64_t mov = MOV_I(R(2, 0), i);
      memcpy(memory + PROGRAMS + i * 8, &mov, 8);
   }
   PUT(3u << 30 | 1 << 16 | 0x30 << 8, word, BASE + PROGRAMS);
   assert_true(submit());
   for (unsigned i = 0; i < 80; i++)
      assert_int_equal(chip->store[5 * 16 + i].src[0].immediate, i);
   assert_int_equal(chip->store[5 * 16 + 80].op, 0);
}

/* A domain program finds gl_PrimitiveID in r0.y and the patch's number in
 * r0.z; r0.x is nothing. */
TEST(n21_domain_inputs)
{
   patch_draw.patches = 3;
   draw_quietly();
   for (unsigned i = 0; i < 9; i++) {
      uint32_t ids[2];
      memcpy(ids, &captured.vertices[i].position[2], 8);
      assert_int_equal(ids[0], i / 3);
      assert_int_equal(ids[1], i / 3);
   }
   patch_draw.ds[3] = MOV(R(4, 0), R(0, 0));
   draw_badly(A4XX_DIAG_READ_NOTHING);
}

/* gl_TessCoord's x and y come where VFD_CONTROL_3 says. */
TEST(n22_coordinates)
{
   patch_draw.tess_x = R(3, 1);
   patch_draw.tess_y = R(2, 3);
   patch_draw.ds[3] = MOV(R(4, 0), R(3, 1));
   patch_draw.ds[4] = MOV(R(4, 1), R(2, 3));
   patch_draw.patches = 1;
   set_levels(4);
   draw_quietly();
   assert_true(captured.num_vertices > 12);
   for (unsigned i = 0; i < captured.num_vertices; i++) {
      const float *p = captured.vertices[i].position;
      /* Barycentric: the third is 1 - x - y. */
      assert_true(p[0] >= 0 && p[1] >= 0 && p[0] + p[1] <= 1);
   }
}

static void
check_parameters(unsigned location, unsigned in)
{
   for (unsigned i = 0; i < captured.num_vertices; i++) {
      float values[2];
      memcpy(values, captured.vertices[i].outputs + location, 8);
      assert_true(values[0] == vertex(i / 3 * in));
      assert_true(values[1] == vertex(i / 3 * in + in - 1));
   }
}

/* It reads parameters by ldg, from where the patch's number says. */
TEST(n23_parameters)
{
   patch_draw.in = patch_draw.out = 6;
   patch_draw.patches = 4;
   draw_quietly();
   assert_int_equal(captured.num_vertices, 12);
   check_parameters(0, 6);
}

/* SP_DS_PARAM_REG and SP_DS_OUT say where its results are. */
TEST(n24_outputs)
{
   patch_draw.position = R(6, 0);
   patch_draw.varying = R(5, 1);
   for (unsigned i = 3; i < 7; i++)
      patch_draw.ds[i] += 2 * 4ull << 32;
   patch_draw.ds[7] = LOAD(IR3_LDG, R(5, 1), R(1, 1), 0, 1);
   patch_draw.ds[8] = LOAD(IR3_LDG, R(5, 2), R(1, 2), 0, 1);
   draw_quietly();
   check_parameters(0, 3);
   for (unsigned i = 0; i < 6; i++)
      assert_true(captured.vertices[i].position[0] + captured.vertices[i].position[1] <= 1);
   assert_int_equal(captured.num_outputs, 2);
}

/* The packet of the domain program: SS_INVALID_ALL_IC (2) and SB_GEOM_SHADER
 * (5) are indirect and block 10. */
TEST(n25_load_domain)
{
   const uint32_t word = 2u << 16 | 5u << 19 | 1u << 22;
   const uint64_t mov = MOV_I(R(2, 0), 123);
   assert_int_equal(word, 2u << 16 | 10u << 18 | 1u << 22);
   begin();
   put_reg(HLSQ_DS_CONTROL_REG, 9u << 17 | 1u << 24);
   memcpy(memory + PROGRAMS, &mov, 8);
   PUT(3u << 30 | 1 << 16 | 0x30 << 8, word, BASE + PROGRAMS);
   assert_true(submit());
   assert_int_equal(chip->store[9 * 16].src[0].immediate, 123);
}

/* 0x230c, 0x2318, 0x2319 and 0x2340 are control registers, by their places in
 * blocks that repeat. */
TEST(n26_registers)
{
   static const uint16_t vs[] = { SP_VS_PARAM_REG, SP_VS_OUT, SP_VS_VPC_DST, SP_VS_OBJ_OFFSET_REG, SP_VS_LENGTH_REG };
   static const uint16_t ds[] = { SP_DS_PARAM_REG, SP_DS_OUT, SP_DS_VPC_DST, SP_DS_OBJ_OFFSET_REG, SP_DS_LENGTH_REG };
   static const struct {
      uint16_t offset;
      const char *name;
   } names[] = {
      { 0x230c, "SP_HS_CTRL_REG1" }, { 0x2318, "SP_DS_CTRL_REG0" },      { 0x2319, "SP_DS_CTRL_REG1" },
      { 0x2340, "SP_GS_CTRL_REG1" }, { 0x21e7, "PC_HS_PARAM" },          { 0x25e7, "PC_HS_PARAM" },
      { 0x2342, "SP_GS_OUT[0]" },    { 0x220b, "VFD_FETCH[0].INSTR_1" },
   };
   for (unsigned i = 0; i < COUNT(vs); i++)
      assert_int_equal(ds[i] - vs[i], SP_DS_CTRL_REG0 - SP_VS_CTRL_REG0);
   for (unsigned i = 0; i < COUNT(names); i++)
      assert_string_equal(a4xx_register_name(names[i].offset), names[i].name);
   assert_null(a4xx_register_name(0x2313));
   /* The hull program runs in the vertex program's registers, the domain
    * program has its own. */
   patch_draw.vs_footprint = 4 << 10;
   draw_badly(A4XX_DIAG_FOOTPRINT);
   patch_draw.vs_footprint = 8 << 10;
   patch_draw.ds_footprint = 5 << 10;
   draw_badly(A4XX_DIAG_FOOTPRINT);
}

/* Patches go to a tessellator, which takes those out that have an outer level
 * of nothing. */
TEST(n27_tessellator)
{
   patch_draw.patches = 1;
   for (unsigned i = 0; i < 3; i++) {
      const float bad[] = { 0, -1, NAN };
      for (unsigned level = 0; level < 3; level++) {
         set_levels(2);
         patch_draw.levels[level] = bad[i];
         draw_quietly();
         assert_int_equal(captured.num_vertices, 0);
      }
   }
   /* Six triangles with level 2: three edges of two around the middle. */
   set_levels(2);
   draw_quietly();
   assert_int_equal(captured.num_vertices, 7);
   assert_int_equal(captured.num_indices, 6 * 3);
   assert_true(fabsf(winding() - 1) < 1e-6f);
}
