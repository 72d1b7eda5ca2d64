/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Vertex fetch, vertex programs, linker.
 */

#include <string.h>

#include "hwtest.h"
#include "tegra20/gr3d_regs.h"

#define WHOLE 0, 0, TEST_SIZE, TEST_SIZE, 0
#define STRIP GR3D_PRIMITIVE_TYPE_TRIANGLE_STRIP
#define END7 "EXEC_END(export[7]=vector) "

/* --- fetch --- */

static void
missing_components(struct test *t, const void *data)
{
   test_quad(t, WHOLE, 0.25f, 0.5f, 0.75f, 0.5f);
   for (unsigned i = 0; i < 4; i++)
      memcpy(t->memory + AT_FREE + 8 * i, t->memory + AT_COLOURS, 8);
   t->num_words -= 4; /* the draw comes last */
   test_addr(t, GR3D_ATTRIB_PTR(1), AT_FREE, false);
   test_reg(t, GR3D_ATTRIB_MODE(1),
            GR3D_ATTRIB_TYPE_FLOAT32 | 2 << 4 | 8 << 8);
   test_draw(t, STRIP, 0, 4);
}

static void
stride_zero(struct test *t, const void *data)
{
   test_quad(t, WHOLE, 0.25f, 0.5f, 0.75f, 0.5f);
   t->num_words -= 4;
   memset(t->memory + AT_COLOURS + 16, 0, 48);
   test_reg(t, GR3D_ATTRIB_MODE(1),
            GR3D_ATTRIB_TYPE_FLOAT32 | 4 << 4 | 0 << 8);
   test_draw(t, STRIP, 0, 4);
}

/* data: type; 16 quads with components that run through the range. */
static void
attribute_type(struct test *t, const void *data)
{
   unsigned type = *(const unsigned *)data;
   static const uint8_t sizes[16] = { 1, 1, 1, 1, 2, 2, 2, 2,
                                      4, 4, 4, 4, 4, 4, 2, 0 };
   unsigned size = sizes[type];
   test_vertex_program(t, VP_POSITION END7
                       "MULv r63.xyzw, a[1].xyzw, c[0].xyzw;");
   bool plain =
      type == GR3D_ATTRIB_TYPE_UBYTE || type == GR3D_ATTRIB_TYPE_SBYTE;
   float scale =
      plain ? 1 / 256.0f
      : type == GR3D_ATTRIB_TYPE_USHORT || type == GR3D_ATTRIB_TYPE_SSHORT
         ? 1 / 65536.0f
      : type == GR3D_ATTRIB_TYPE_UINT || type == GR3D_ATTRIB_TYPE_SINT
         ? 0x1p-32f
         : 1;
   test_vertex_constant(t, 0, scale, scale, scale, scale);
   test_reg(t, GR3D_ATTRIB_MODE(1), type | 4 << 4 | 4 * size << 8);
   for (unsigned q = 0; q < 16; q++) {
      unsigned first = t->num_vertices;
      test_quad(t, 4 * q, 0, 4 * q + 4, TEST_SIZE, 0, 0, 0, 0, 0);
      for (unsigned v = first; v < first + 4; v++) {
         for (unsigned c = 0; c < 4 * size; c++)
            t->memory[AT_COLOURS + 4 * size * v + c] =
               (uint8_t)(q * 17 + (c / size) * 5 -
                         (c % size == size - 1 ? 0 : 1));
      }
   }
}

/* data: alignment of the second attribute in bytes. */
static void
attribute_alignment(struct test *t, const void *data)
{
   unsigned offset = *(const unsigned *)data;
   test_quad(t, WHOLE, 0, 0, 0, 0);
   t->num_words -= 4;
   for (unsigned i = 0; i < 64; i++)
      t->memory[AT_FREE + i] = (uint8_t)(i * 37);
   test_addr(t, GR3D_ATTRIB_PTR(1), AT_FREE + offset, false);
   test_reg(t, GR3D_ATTRIB_MODE(1),
            GR3D_ATTRIB_TYPE_UBYTE_NORM | 4 << 4 | 4 << 8);
   test_draw(t, STRIP, 0, 4);
}

static void
index_mode_3(struct test *t, const void *data)
{
   static const uint32_t indices[4] = { 4, 5, 6, 7 };
   test_quad(t, 0, 0, 16, 16, 0, 1, 0, 0, 1);
   memcpy(t->memory + AT_INDICES, indices, sizeof(indices));
   test_quad(t, WHOLE, 0, 1, 0, 1);
   t->num_words -= 4;
   test_addr(t, GR3D_INDEX_PTR, AT_INDICES, false);
   test_reg(t, GR3D_DRAW_PARAMS, 0xc8000000 | 3 << 28 | STRIP << 24);
   test_reg(t, GR3D_DRAW_PRIMITIVES, 3 << 20);
}

/* data: number of vertices of a strip of thin triangles. */
static void
long_draw(struct test *t, const void *data)
{
   unsigned count = *(const unsigned *)data;
   for (unsigned i = 0; i < count; i++)
      test_vertex(t, (float)(i / 2) * TEST_SIZE / 2048, i & 1 ? TEST_SIZE : 0,
                  0, (i & 255) / 255.0f, 0.5f, 0, 1);
   test_draw(t, STRIP, 0, count);
}

/* data: FIRST << 8 | OFFSET */
static void
first_and_offset(struct test *t, const void *data)
{
   unsigned value = *(const unsigned *)data;
   for (unsigned k = 0; k < 3; k++) {
      float c = 0.25f * (k + 1);
      test_vertex(t, 20 * k, 0, 0, c, 1 - c, 0, 1);
      test_vertex(t, 20 * k + 20, 0, 0, c, 1 - c, 0, 1);
      test_vertex(t, 20 * k, 64, 0, c, 1 - c, 0, 1);
   }
   test_reg(t, GR3D_DRAW_PARAMS,
            0xc8000000 | GR3D_PRIMITIVE_TYPE_TRIANGLES << 24 | value >> 8);
   test_reg(t, GR3D_DRAW_PRIMITIVES, 2 << 20 | (value & 255));
}

static void
vertex_cache(struct test *t, const void *data)
{
   static const uint16_t indices[4] = { 0, 1, 2, 3 };
   test_vertex_program(t, VP_POSITION END7 "MOVv r63.xyzw, c[0].xyzw;");
   test_vertex_constant(t, 0, 1, 0, 0, 1);
   test_quad(t, WHOLE, 0, 0, 0, 0);
   memcpy(t->memory + AT_INDICES, indices, sizeof(indices));
   test_addr(t, GR3D_INDEX_PTR, AT_INDICES, false);
   test_reg(t, GR3D_DRAW_PARAMS, 0xe8000000 | STRIP << 24);
   test_reg(t, GR3D_DRAW_PRIMITIVES, 3 << 20);
   test_vertex_constant(t, 0, 0, 1, 0, 1);
   test_reg(t, GR3D_DRAW_PARAMS, 0x68000000 | STRIP << 24);
   test_reg(t, GR3D_DRAW_PRIMITIVES, 3 << 20);
}

/* --- programs: data is the text behind VP_POSITION; constants 0..7 and 259
 * are set --- */

static void
program(struct test *t, const void *data)
{
   static const float constants[8][4] = {
      { 0.25f, 0.5f, 0.75f, 1 },
      { 2, 3, 0.125f, 0.0625f },
      { 0x1p-100f, 0x1p-30f, 0x1p127f, 1 },
      { 1.000244140625f, -1.00048828125f, 16777216,
        0 }, /* 1 + 2^-12, -(1 + 2^-11), 2^24 */
      { -2, 2, 0, 1.5707963f },
      { 100, 0.5f, 1.5f, 2.5f },
      { 1, 0, 0, 1 },
      { 0, 0, 1, 1 },
   };
   char text[2048] = VP_POSITION;
   strncat(text, data, sizeof(text) - strlen(text) - 1);
   test_vertex_program(t, text);
   for (unsigned i = 0; i < 8; i++)
      test_vertex_constant(t, i, constants[i][0], constants[i][1],
                           constants[i][2], constants[i][3]);
   test_quad(t, WHOLE, 0.125f, 0.375f, 0.625f, 0.875f);
}

static void
upload_pointer(struct test *t, const void *data)
{
   test_vertex_constant(t, 0, 1, 0, 0, 1);
   test_vertex_constant(t, 1, 0, 0, 1, 1);
   test_vertex_program(t, VP_POSITION END7 "MOVv r63.xyzw, c[0].xyzw;");
   test_vertex_program_at(t, 4, END7 "MOVv r63.xyzw, c[1].xyzw;");
   test_quad(t, WHOLE, 0, 0, 0, 0);
}

/* One function for 4096 arguments: points of one pixel; data: the instruction
 * that makes r1.x of a[1].x. */
static void
function_sweep(struct test *t, const void *data)
{
   char text[512] = VP_POSITION;
   strcat(text, data);
   /* The fraction of 64 times the result shows its last bits. */
   strcat(text, "EXEC MULv r2.xyzw, r1.xxxx, c[0].xyzw; "
                "EXEC_END(export[7]=vector) FRCv r63.xyzw, r2.xyzw;");
   test_vertex_program(t, text);
   test_vertex_constant(t, 0, 1, 256, 65536, 0x1p20f);
   for (unsigned i = 0; i < 4096; i++) {
      float x = (float)(i % 64) + 0.5f, y = (float)(i / 64) + 0.5f;
      test_vertex(t, x, y, 0, 0.015625f * (float)(i + 1), 0, 0, 1);
   }
   test_draw(t, GR3D_PRIMITIVE_TYPE_POINTS, 0, 4096);
}

/* --- linker --- */

static void
shared_row(struct test *t, const void *data)
{
   test_reg(t, GR3D_VP_ATTRIB_IN_OUT_SELECT,
            0x00030181); /* exports 0, 7, 8 */
   test_vertex_program(
      t, VP_POSITION "EXEC(export[7]=vector) MOVv r63.xyzw, a[1].xyzw;"
                     "EXEC_END(export[8]=vector) MOVv r63.xyzw, a[1].wzyx;");
   test_linker(t, 0, 0x08, 0x00dc, 1); /* x, y to columns x, y */
   test_linker(t, 1, 0x10, 0x00fe, 1); /* the other's x, y to columns z, w */
   test_quad(t, WHOLE, 0.125f, 0.375f, 0.625f, 0.875f);
}

static void
depth_as_varying(struct test *t, const void *data)
{
   test_linker(t, 0, 0x00000001, 0x0000000f,
               1); /* position, z mode, x to column w */
   test_fragment_program(t, "rows 1; exec; mfu rcp r4, mul0 w = sfu*b0, mul1 "
                            "w = sfu*b1 !var_sat.w=1;"
                            "alu r2.l = r3.l*1 + 0 | r2.h = r3.h*1 + 0 | "
                            "r3.l = 1*1 + 0 | r3.h = 1*1 + 0;"
                            "store surface1, r2;");
   test_ramp(t, WHOLE, 0);
}

#define PROGRAM(ident, title, text, code) \
   {                                      \
      ident, title, text, program, code   \
   }
#define UNSIGNED(v)  \
   &(const unsigned) \
   {                 \
      v              \
   }

static const struct experiment table[] = {
   { "A01", "missing-components", "an attribute of two components",
     missing_components },
   { "A02", "stride-0", "a colour attribute of stride 0", stride_zero },
   { "A03", "signed-bytes", "signed normalised bytes", attribute_type,
     UNSIGNED(GR3D_ATTRIB_TYPE_SBYTE_NORM) },
   { "A03", "signed-shorts", "signed normalised shorts", attribute_type,
     UNSIGNED(GR3D_ATTRIB_TYPE_SSHORT_NORM) },
   { "A03", "signed-ints", "signed normalised integers", attribute_type,
     UNSIGNED(GR3D_ATTRIB_TYPE_SINT_NORM) },
   { "A03", "unsigned-bytes", "unsigned normalised bytes", attribute_type,
     UNSIGNED(GR3D_ATTRIB_TYPE_UBYTE_NORM) },
   { "A03", "plain-bytes", "bytes as integers", attribute_type,
     UNSIGNED(GR3D_ATTRIB_TYPE_SBYTE) },
   { "A03", "fixed", "16.16 fixed point", attribute_type,
     UNSIGNED(GR3D_ATTRIB_TYPE_FIXED16) },
   { "A04", "alignment-1", "an attribute at an address of 4n + 1",
     attribute_alignment, UNSIGNED(1) },
   { "A04", "alignment-2", "an attribute at an address of 4n + 2",
     attribute_alignment, UNSIGNED(2) },
   { "A06", "index-mode-3", "a draw with index mode 3", index_mode_3 },
   { "A07", "strip-2047", "a strip of 2047 vertices", long_draw,
     UNSIGNED(2047) },
   { "A07", "strip-4095", "a strip of 4095 vertices", long_draw,
     UNSIGNED(4095) },
   { "A07", "strip-4096", "a strip of 4096 vertices", long_draw,
     UNSIGNED(4096) },
   { "A08", "first-3", "FIRST = 3, OFFSET = 0", first_and_offset,
     UNSIGNED(3 << 8) },
   { "A08", "first-3-offset-3", "FIRST = 3, OFFSET = 3", first_and_offset,
     UNSIGNED(3 << 8 | 3) },
   { "A09", "vertex-cache", "a constant changes, bit 31 of the draw is clear",
     vertex_cache },
   PROGRAM("A10", "denormals", "2^-100 * 2^-30 * 2^127",
           "EXEC MULv r1.x***, c[2].xxxx, c[2].yyyy; " END7
           "MULv r63.xyzw, r1.xxxx, c[2].zzzz;"),
   PROGRAM("A10", "mad-cancels", "a MAD whose terms cancel",
           "EXEC MADv r1.x***, c[3].xxxx, c[3].xxxx, c[3].yyyy; " END7
           "MULv r63.xyzw, r1.xxxx, c[3].zzzz;"),
   PROGRAM("A11", "sine-90", "SIN of pi/2",
           "EXEC_END(export[7]=scalar) SINs r63.xyzw, c[4].wwww;"),
   { "A11", "sine", "SIN, 4096 arguments", function_sweep,
     "EXEC SINs r1.x***, a[1].xxxx;" },
   { "A11", "exponential", "EX2, 4096 arguments", function_sweep,
     "EXEC EX2s r1.x***, a[1].xxxx;" },
   { "A11", "logarithm", "LG2, 4096 arguments", function_sweep,
     "EXEC LG2s r1.x***, a[1].xxxx;" },
   { "A11", "root", "RSQ, 4096 arguments", function_sweep,
     "EXEC RSQs r1.x***, a[1].xxxx;" },
   PROGRAM("A12", "saturated-condition", "a condition from a saturated -2",
           "EXEC(saturate cs cwr cr=0) MOVv r1.x***, c[4].xxxx; "
           "EXEC(export[7]=vector) MOVv r63.xyzw, c[6].xyzw;"
           "EXEC_END(export[7]=vector cc eq p.xxxx cr=0) MOVv r63.xyzw, "
           "c[7].xyzw;"),
   PROGRAM("A13", "branch-unchecked",
           "BRA eq with the check bit clear behind \"greater\"",
           "EXEC(cs cwr cr=0) MOVv r1.x***, c[4].yyyy; EXEC(eq p.xxxx cr=0) "
           "BRAs 5; EXEC(export[7]=vector) MOVv "
           "r63.xyzw, c[6].xyzw; EXEC_END; EXEC_END(export[7]=vector) MOVv "
           "r63.xyzw, c[7].xyzw;"),
   PROGRAM("A15", "dph", "DPH with different w",
           "EXEC MOVv r2.xyzw, c[1].xyzw; " END7
           "DPHv r63.xyzw, c[0].xyzw, r2.xyzw;"),
   PROGRAM("A15", "dst", "DST with different z and w",
           "EXEC MOVv r2.xyzw, c[1].xyzw; " END7
           "DSTv r63.xyzw, c[0].xyzw, r2.xyzw;"),
   PROGRAM("A16", "unwritten-temp",
           "a temp that was not written, compared with 0",
           "EXEC_END(export[7]=vector) SEQv r63.xyzw, r5.xyzw, c[4].zzzz;"),
   PROGRAM("A17", "constant-256", "constant 256",
           "EXEC_END(export[7]=vector) MOVv r63.xyzw, c[256].xyzw;"),
   PROGRAM("A17", "arr-ties", "ARR of 0.5, 1.5, 2.5 as an index",
           "EXEC ARRv A0.xyzw, c[5].yzwy; EXEC_END(export[7]=vector) MOVv "
           "r63.xyzw, c[A0.y + 0].xyzw;"),
   { "A18", "endless", "an endless vertex program", program,
     "EXEC BRAs 1; " END7 "MOVv r63.xyzw, c[0].xyzw;", true },
   { "A19", "upload-pointer", "an upload to 0x205 = 4", upload_pointer },
   { "A40", "z-mode", "depth through the linker's z mode", depth_as_varying },
   { "A41", "shared-row", "two exports in one TRAM row", shared_row },
   PROGRAM("A91", "both-halves", "MUL writes what the scalar half reads",
           "EXEC MOVv r1.xyzw, c[0].xyzw; EXEC(export[7]=scalar) MULv "
           "r1.xyzw, c[0].xyzw, c[0].yyyy MOVs r63.xyzw, "
           "r1.xyzw; EXEC_END;"),
};

const struct experiment_table vertex_experiments = {
   table, sizeof(table) / sizeof(table[0])
};
