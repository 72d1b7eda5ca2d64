/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Register words written by hand from the manual, against what the generated macros make of the same values.  Driver
 * and simulator share those macros: a wrong bit or code there is wrong on both sides, and no picture shows it.  The
 * formats, primitive types and comparison functions are here one by one, because exchanging two of them changes no
 * picture either.
 */

#include "unit.h"
#include "tegra20/gr2d_regs.h"
#include "tegra20/gr3d_regs.h"
#include "tegra20/host1x_regs.h"
#include "tegra20/host1x_stream.h"

#define RT(format) GR3D_RT_PARAMS_FORMAT(GR3D_PIXEL_FORMAT_##format)
#define TEX(format) GR3D_TEXTURE_DESC1_FORMAT(GR3D_PIXEL_FORMAT_##format)
#define DRAW(type) GR3D_DRAW_PARAMS_PRIMITIVE_TYPE(GR3D_PRIMITIVE_TYPE_##type)
#define DEPTH(func) GR3D_DEPTH_TEST_PARAMS_FUNC(GR3D_COMPARE_FUNC_##func)
#define STENCIL(func) GR3D_STENCIL_FRONT1_FUNC(GR3D_COMPARE_FUNC_##func)
#define ATTRIBUTE(type) GR3D_ATTRIB_MODE_TYPE(GR3D_ATTRIB_TYPE_##type)

TEST(words)
{
   const struct {
      const char *name;
      uint32_t made, by_hand;
   } words[] = {
      /* gr3d-registers.md: 0xe10, format in bits 6:2, pitch 24:8, tiled 26 */
      { "target A8", RT(A8), 1 << 2 },
      { "target L8", RT(L8), 2 << 2 },
      { "target S8", RT(S8), 3 << 2 },
      { "target LA88", RT(LA88), 4 << 2 },
      { "target RGB565", RT(RGB565), 6 << 2 },
      { "target RGBA5551", RT(RGBA5551), 9 << 2 },
      { "target RGBA4444", RT(RGBA4444), 10 << 2 },
      { "target D16", RT(D16_LINEAR) | GR3D_RT_PARAMS_TILED(1) | GR3D_RT_PARAMS_UNK_27(1), 0x0c00002c /* the vendor's word */ },
      { "target RGBA8888", RT(RGBA8888), 13 << 2 },
      { "target BGRA8888", RT(BGRA8888), 14 << 2 },
      { "target of pitch 256", RT(RGBA8888) | GR3D_RT_PARAMS_PITCH(256), 0x00010034 },
      { "target with dither", GR3D_RT_PARAMS_DITHER_ENABLE(1), 1 },
      /* 0x720, format in bits 12:8 */
      { "texture A8", TEX(A8), 1 << 8 },
      { "texture L8", TEX(L8), 2 << 8 },
      { "texture LA88", TEX(LA88), 4 << 8 },
      { "texture RGB565", TEX(RGB565), 6 << 8 },
      { "texture RGBA5551", TEX(RGBA5551), 9 << 8 },
      { "texture RGBA4444", TEX(RGBA4444), 10 << 8 },
      { "texture RGBA8888", TEX(RGBA8888), 13 << 8 },
      { "texture BGRA8888", TEX(BGRA8888), 14 << 8 },
      { "texture DXT1", TEX(DXT1), 22 << 8 },
      { "texture DXT3", TEX(DXT3), 24 << 8 },
      { "texture DXT5", TEX(DXT5), 25 << 8 },
      { "texture ETC1", TEX(ETC1), 26 << 8 },
      { "clamp t", GR3D_TEXTURE_DESC1_WRAP_T_CLAMP_TO_EDGE(1), 1 },
      { "clamp s", GR3D_TEXTURE_DESC1_WRAP_S_CLAMP_TO_EDGE(1), 2 },
      { "mirror t", GR3D_TEXTURE_DESC1_WRAP_T_MIRRORED_REPEAT(1), 4 },
      { "mirror s", GR3D_TEXTURE_DESC1_WRAP_S_MIRRORED_REPEAT(1), 8 },
      { "linear between levels", GR3D_TEXTURE_DESC1_MINFILTER_LINEAR_BETWEEN(1), 0x08000000 },
      { "linear within levels", GR3D_TEXTURE_DESC1_MINFILTER_LINEAR_WITHIN(1), 0x10000000 },
      { "magnification linear", GR3D_TEXTURE_DESC1_MAGFILTER_LINEAR(1), 0x20000000 },
      { "256 x 64 by logarithm", GR3D_TEXTURE_DESC2_WIDTH_LOG2(8) | GR3D_TEXTURE_DESC2_HEIGHT_LOG2(6), 0x86000000 },
      { "57 x 35", GR3D_TEXTURE_DESC2_NOT_POW2_DIMENSIONS(1) | GR3D_TEXTURE_DESC2_WIDTH(57) | GR3D_TEXTURE_DESC2_HEIGHT(35), 0x03902340 },
      { "no levels", GR3D_TEXTURE_DESC2_MIPMAP_DISABLE(1), 0x80 },
      { "levels up to 5", GR3D_TEXTURE_DESC2_MAX_LOD(5), 0x5000 },
      /* 0x122 and 0x123 */
      { "points", DRAW(POINTS), 0 },
      { "lines", DRAW(LINES), 0x01000000 },
      { "line loop", DRAW(LINE_LOOP), 0x02000000 },
      { "line strip", DRAW(LINE_STRIP), 0x03000000 },
      { "triangles", DRAW(TRIANGLES), 0x04000000 },
      { "triangle strip", DRAW(TRIANGLE_STRIP), 0x05000000 },
      { "triangle fan", DRAW(TRIANGLE_FAN), 0x06000000 },
      { "last vertex provokes", GR3D_DRAW_PARAMS_PROVOKING_VERTEX(GR3D_PROVOKING_VERTEX_LAST), 0x08000000 },
      { "no indices", GR3D_DRAW_PARAMS_INDEX_MODE(GR3D_INDEX_MODE_NONE), 0 },
      { "8-bit indices", GR3D_DRAW_PARAMS_INDEX_MODE(GR3D_INDEX_MODE_UINT8), 0x10000000 },
      { "16-bit indices", GR3D_DRAW_PARAMS_INDEX_MODE(GR3D_INDEX_MODE_UINT16), 0x20000000 },
      { "draw 3 from 5", GR3D_DRAW_PRIMITIVES_OFFSET(5) | GR3D_DRAW_PRIMITIVES_INDEX_COUNT(2), 0x00200005 },
      /* 0x101 */
      { "attribute of 4 floats, 16 bytes apart", ATTRIBUTE(FLOAT32) | GR3D_ATTRIB_MODE_SIZE(4) | GR3D_ATTRIB_MODE_STRIDE(16), 0x104d },
      { "attribute ubyte", ATTRIBUTE(UBYTE), 0 },
      { "attribute ubyte, normalised", ATTRIBUTE(UBYTE_NORM), 1 },
      { "attribute sbyte", ATTRIBUTE(SBYTE), 2 },
      { "attribute sbyte, normalised", ATTRIBUTE(SBYTE_NORM), 3 },
      { "attribute ushort", ATTRIBUTE(USHORT), 4 },
      { "attribute ushort, normalised", ATTRIBUTE(USHORT_NORM), 5 },
      { "attribute sshort", ATTRIBUTE(SSHORT), 6 },
      { "attribute sshort, normalised", ATTRIBUTE(SSHORT_NORM), 7 },
      { "attribute fixed", ATTRIBUTE(FIXED16), 12 },
      { "attribute half", ATTRIBUTE(FLOAT16), 14 },
      { "attributes 0 and 3, exports 0 and 1", GR3D_VP_ATTRIB_IN_OUT_SELECT_IN(9) | GR3D_VP_ATTRIB_IN_OUT_SELECT_OUT(3), 0x00090003 },
      /* 0x403 and 0x400 */
      { "depth never", DEPTH(NEVER), 0 }, { "depth less", DEPTH(LESS), 0x10 }, { "depth equal", DEPTH(EQUAL), 0x20 },
      { "depth lequal", DEPTH(LEQUAL), 0x30 }, { "depth greater", DEPTH(GREATER), 0x40 },
      { "depth notequal", DEPTH(NOTEQUAL), 0x50 }, { "depth gequal", DEPTH(GEQUAL), 0x60 },
      { "depth always", DEPTH(ALWAYS), 0x70 },
      { "depth test and write", GR3D_DEPTH_TEST_PARAMS_DEPTH_TEST(1) | GR3D_DEPTH_TEST_PARAMS_DEPTH_WRITE(1), 0x108 },
      { "stencil less, mask 0x5a", STENCIL(LESS) | GR3D_STENCIL_FRONT1_MASK(0x5a), 0x15a },
      { "stencil on", GR3D_STENCIL_PARAMS_STENCIL_TEST(1), 0x20 },
      /* 0x343, 0x300, 0x350, 0xe20, 0xe21 */
      { "cull CCW", GR3D_CULL_FACE_LINKER_SETUP_CULL_FACE(GR3D_CULL_FACE_CCW), 0x10000 },
      { "cull CW", GR3D_CULL_FACE_LINKER_SETUP_CULL_FACE(GR3D_CULL_FACE_CW), 0x20000 },
      { "cull both", GR3D_CULL_FACE_LINKER_SETUP_CULL_FACE(GR3D_CULL_FACE_BOTH), 0x30000 },
      { "front is clockwise", GR3D_CULL_FACE_LINKER_SETUP_FRONT_CW(1), 0x8000 },
      { "3 linker instructions", GR3D_CULL_FACE_LINKER_SETUP_LINKER_INST_COUNT(2), 0x40 },
      { "export 2 to row 5", GR3D_LINKER_INSTRUCTION_EXPORT_INDEX(2) | GR3D_LINKER_INSTRUCTION_TRAM_ROW(5), 0xa10 },
      { "scissor 3 to 40", GR3D_SCISSOR_HORIZ_MIN(3) | GR3D_SCISSOR_HORIZ_MAX(40), 0x00030028 },
      { "TRAM of one row", GR3D_TRAM_SETUP_USED_TRAM_ROWS_NB(1) | GR3D_TRAM_SETUP_DIV64(64), 0x140 /* the vendor's word */ },
      { "ALU buffer", GR3D_ALU_BUFFER_SIZE_SIZEx4(0x58), 0x58000000 /* the vendor's word */ },
      /* operations of stencil and cull values are numbers of their own: gr3d-formats.csv */
      { "stencil zero", GR3D_STENCIL_OP_ZERO, 0 }, { "stencil keep", GR3D_STENCIL_OP_KEEP, 1 },
      { "stencil replace", GR3D_STENCIL_OP_REPLACE, 2 }, { "stencil incr", GR3D_STENCIL_OP_INCR, 3 },
      { "stencil decr", GR3D_STENCIL_OP_DECR, 4 }, { "stencil invert", GR3D_STENCIL_OP_INVERT, 5 },
      { "stencil incr wrap", GR3D_STENCIL_OP_INCR_WRAP, 6 }, { "stencil decr wrap", GR3D_STENCIL_OP_DECR_WRAP, 7 },
      { "TRAM low half", GR3D_TRAM_DST_TYPE_FX10_LOW, 1 }, { "TRAM high half", GR3D_TRAM_DST_TYPE_FX10_HIGH, 2 },
      { "TRAM fp20", GR3D_TRAM_DST_TYPE_FP20, 3 },
      /* addresses: gr3d-registers.md 3 */
      { "ATTRIB_PTR 2", GR3D_ATTRIB_PTR(2), 0x104 }, { "ATTRIB_MODE 2", GR3D_ATTRIB_MODE(2), 0x105 },
      { "DRAW_PRIMITIVES", GR3D_DRAW_PRIMITIVES, 0x123 }, { "RT_PTR 1", GR3D_RT_PTR(1), 0xe01 },
      { "RT_PARAMS 1", GR3D_RT_PARAMS(1), 0xe11 }, { "TEXTURE_POINTER 3", GR3D_TEXTURE_POINTER(3), 0x713 },
      { "TEXTURE_DESC1 3", GR3D_TEXTURE_DESC1(3), 0x726 }, { "TEXTURE_DESC2 3", GR3D_TEXTURE_DESC2(3), 0x727 },
      { "INDEX_PTR", GR3D_INDEX_PTR, 0x121 }, { "DEPTH_TEST_PARAMS", GR3D_DEPTH_TEST_PARAMS, 0x403 },
      { "GR2D G2TRIGGER", GR2D_G2TRIGGER, 0x09 }, { "GR2D DSTSIZE", GR2D_DSTSIZE, 0x38 },
      { "class 3D", HOST1X_CLASS_GR3D, 0x60 }, { "class 2D", HOST1X_CLASS_GR2D, 0x51 },
   };
   unsigned wrong = 0;

   for (unsigned i = 0; i < COUNT(words); i++) {
      if (words[i].made == words[i].by_hand)
         continue;
      fprintf(stderr, "%s: 0x%08x, by hand 0x%08x\n", words[i].name, words[i].made, words[i].by_hand);
      wrong++;
   }
   assert_int_equal(wrong, 0);
}
