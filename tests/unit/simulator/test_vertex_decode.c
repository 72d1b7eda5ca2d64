/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Every instruction and linker word of the public vectors decodes as listed there.
 */

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <string.h>

#include <cmocka.h>

#include "capture.h"
#include "job.h"
#include "numbers.h"
#include "tegra20/gr3d_regs.h"
#include "vertex.h"
#include "vs_words.h"

struct decoded_operand {
   unsigned type, index;
   uint8_t swizzle[4];
   bool negate, absolute;
};

struct decoded_insn {
   const char *name;
   uint32_t words[4];
   unsigned vector_op, scalar_op, vector_mask, scalar_mask, vector_dest, scalar_dest, export_index, export_vector;
   struct decoded_operand a, b, c;
   unsigned attrib, constant, attrib_relative, const_relative, export_relative, address_select, address_zero;
   unsigned condition;
   uint8_t condition_swizzle[4];
   unsigned predicated, condition_write, condition_reg, saturate, target, end;
};

struct decoded_link {
   uint32_t words[2];
   unsigned z_mode, rank, row;
   struct {
      unsigned type, column, flat;
   } component[4];
};

#define WITH_DECODED
#include "vertex_vectors.h"

static void
expect_operand(const struct vpe_operand *got, const struct decoded_operand *want)
{
   assert_int_equal(got->type, want->type);
   assert_int_equal(got->index, want->index);
   assert_memory_equal(got->swizzle, want->swizzle, 4);
   assert_int_equal(got->negate, want->negate);
   assert_int_equal(got->absolute, want->absolute);
}

static unsigned
register_or_none(unsigned field, unsigned limit)
{
   return field < limit ? field : VPE_NONE;
}

static void
instructions(void **state)
{
   for (unsigned i = 0; i < sizeof(decoded_insns) / sizeof(decoded_insns[0]); i++) {
      const struct decoded_insn *want = &decoded_insns[i];
      struct vpe_insn got;
      vpe_decode(&got, want->words, true);
      assert_int_equal(got.vector_op, want->vector_op);
      assert_int_equal(got.scalar_op, want->scalar_op);
      assert_int_equal(got.vector_mask, want->vector_mask);
      assert_int_equal(got.scalar_mask, want->scalar_mask);
      assert_int_equal(got.vector_dest, register_or_none(want->vector_dest, 32));
      assert_int_equal(got.scalar_dest, register_or_none(want->scalar_dest, 32));
      assert_int_equal(got.export_index, register_or_none(want->export_index, 16));
      assert_int_equal(got.export_vector, want->export_vector);
      expect_operand(&got.a, &want->a);
      expect_operand(&got.b, &want->b);
      expect_operand(&got.c, &want->c);
      assert_int_equal(got.attrib, want->attrib);
      assert_int_equal(got.constant, want->constant);
      assert_int_equal(got.attrib_relative, want->attrib_relative);
      assert_int_equal(got.const_relative, want->const_relative);
      assert_int_equal(got.export_relative, want->export_relative);
      assert_int_equal(got.address_select, want->address_select);
      assert_int_equal(got.address_zero, want->address_zero);
      assert_int_equal(got.condition, want->condition);
      assert_memory_equal(got.condition_swizzle, want->condition_swizzle, 4);
      assert_int_equal(got.predicated, want->predicated);
      assert_int_equal(got.condition_write, want->condition_write);
      assert_int_equal(got.condition_reg, want->condition_reg);
      assert_int_equal(got.saturate, want->saturate);
      assert_int_equal(got.target, want->target);
      assert_int_equal(got.end, want->end);
      assert_null(got.abort);
   }
}

/* Component c of export e, exact as fp20 and as fx10. */
static float
export_value(unsigned e, unsigned c)
{
   return (float)(4 * e + c + 1) / 64.0f;
}

/* A program that writes all exports from constants: where each component ends up. */
static void
linker_words(void **state)
{
   uint32_t program[16][4];
   for (unsigned e = 0; e < 16; e++)
      vs_pack(program[e], &(struct vs_fields){
                             .vop = VPE_V_MOV,
                             .vmask = "xyzw",
                             .a = { 3 },
                             .constant = e,
                             .export_on = 1,
                             .export_index = e,
                             .export_vector = 1,
                             .end = e == 15,
                          });
   for (unsigned i = 0; i < sizeof(decoded_links) / sizeof(decoded_links[0]); i++) {
      const struct decoded_link *link = &decoded_links[i];
      struct job *job = job_create(false);
      job_frame(job);
      job_write(job, GR3D_VP_ATTRIB_IN_OUT_SELECT, 0xffff);
      for (unsigned e = 0; e < 16; e++)
         job_vertex_constant_f(job, e, export_value(e, 0), export_value(e, 1), export_value(e, 2), export_value(e, 3));
      job_vertex_program(job, program, 16);
      job_write(job, GR3D_LINKER_INSTRUCTION(0), link->words[0]);
      job_write(job, GR3D_LINKER_INSTRUCTION(0) + 1, link->words[1]);
      capture_clear();
      job_draw(job, GR3D_PRIMITIVE_TYPE_POINTS, GR3D_INDEX_MODE_NONE, 0, 1);
      assert_int_equal(job_run(job), SIM_OK);
      assert_int_equal(capture_count, 1);
      uint32_t written = 0, flat = 0;
      for (unsigned c = 0; c < 4; c++) {
         unsigned type = link->component[c].type, column = link->component[c].column;
         float value = export_value(link->rank, c == 0 && link->z_mode ? 2 : c);
         uint32_t tram = capture[0].v[0].tram[link->row][column];
         uint32_t place = type == 1 ? 0x01 : type == 2 ? 0x10 : type == 3 ? 0x11 : 0;
         if (type == 3)
            assert_true(sim_fp20_to_float(tram) == value);
         else if (type)
            assert_true(sim_fx10_to_float(sim_fx10_half(tram, type - 1)) == value);
         written |= place << column;
         flat |= link->component[c].flat ? place << column : 0;
      }
      assert_int_equal(job->sim->gr3d.tram_written[link->row], written);
      assert_int_equal(job->sim->gr3d.flat_mask[link->row], flat);
      job_destroy(job);
   }
}

int
main(void)
{
   const struct CMUnitTest tests[] = { cmocka_unit_test(instructions), cmocka_unit_test(linker_words) };
   return cmocka_run_group_tests_name("vertex_decode", tests, NULL, NULL);
}
