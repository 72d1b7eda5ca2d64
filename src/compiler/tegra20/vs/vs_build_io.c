/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Uniforms, attributes, exports and the address register in the vertex IR
 * builder.
 */

#include "vs_build.h"

/* Offsets beyond this are not worth the registers around the array. */
#define MAX_PAD 16
#define MAX_PADDED_ARRAY 224

/*
 * The component of A0 that holds an index, clamped so that no read leaves the
 * array.  Indices are whole numbers, for which ARR forgives a little error,
 * or any numbers that ARL rounds down.
 */
static uint8_t
get_address(struct builder *b, const struct vs_ref *index, int min, int max,
            enum vs_opcode opcode)
{
   util_dynarray_foreach (&b->addresses, struct address, known) {
      if (known->comp != VS_NONE && known->min == min && known->max == max &&
          known->opcode == opcode &&
          memcmp(&known->index, index, sizeof(*index)) == 0)
         return known->comp;
   }

   struct vs_ref ref = *index;
   struct vs_ref low_limit = vsb_ref_const(vs_value_imm(b->prog, min));
   struct vs_ref high_limit = vsb_ref_const(vs_value_imm(b->prog, max));
   uint16_t cells[2];
   vsb_new_cells(b, 2, cells);

   struct vs_op *low = vsb_emit(b, VS_OP_MAX, 1);
   low->src[0] = vsb_src_from_refs(&ref, 1);
   low->src[1] = vsb_src_from_refs(&low_limit, 1);
   vsb_set_dst(b, low, &cells[0]);

   struct vs_op *high = vsb_emit(b, VS_OP_MIN, 1);
   high->src[0] = (struct vs_src){ .file = VS_FILE_TEMP, .c = { cells[0] } };
   high->src[1] = vsb_src_from_refs(&high_limit, 1);
   vsb_set_dst(b, high, &cells[1]);

   const uint8_t comp = b->next_addr;
   b->next_addr = (b->next_addr + 1) % 4;
   struct vs_op *load = vsb_emit(b, opcode, 1);
   load->src[0] = (struct vs_src){ .file = VS_FILE_TEMP, .c = { cells[1] } };
   load->set_addr[0] = comp;

   util_dynarray_foreach (&b->addresses, struct address, known) {
      if (known->comp == comp)
         known->comp = VS_NONE;
   }
   util_dynarray_append(&b->addresses, struct address,
                        ((struct address){ .index = *index,
                                           .min = min,
                                           .max = max,
                                           .opcode = opcode,
                                           .comp = comp }));
   return comp;
}

/* x + constant, or floor(x); anything else is an index as a whole. */
static struct index
split_index(const nir_src *src)
{
   struct index index = { .def = src->ssa, .opcode = VS_OP_ARR };
   const nir_alu_instr *alu =
      src->ssa->parent_instr->type == nir_instr_type_alu
         ? nir_instr_as_alu(src->ssa->parent_instr)
         : NULL;

   if (alu && alu->op == nir_op_ffloor) {
      index.def = alu->src[0].src.ssa;
      index.comp = alu->src[0].swizzle[0];
      index.opcode = VS_OP_ARL;
   }
   for (unsigned i = 0; alu && alu->op == nir_op_fadd && i < 2; i++) {
      if (!nir_src_is_const(alu->src[i].src))
         continue;
      const float offset =
         nir_src_comp_as_float(alu->src[i].src, alu->src[i].swizzle[0]);
      if (offset >= 0.0f && offset <= MAX_PAD && offset == floorf(offset)) {
         index.def = alu->src[1 - i].src.ssa;
         index.comp = alu->src[1 - i].swizzle[0];
         index.offset = offset;
      }
   }
   return index;
}

static struct index_use *
find_index_use(struct builder *b, const struct index *index, unsigned slot,
               unsigned size)
{
   util_dynarray_foreach (&b->index_uses, struct index_use, use) {
      if (use->def == index->def && use->comp == index->comp &&
          use->slot == slot && use->size == size)
         return use;
   }
   return NULL;
}

/* Notes by which offsets each array is read, before any code is made. */
void
vsb_collect_index_uses(struct builder *b, nir_function_impl *impl)
{
   nir_foreach_block (block, impl) {
      nir_foreach_instr (instr, block) {
         if (instr->type != nir_instr_type_intrinsic)
            continue;
         const nir_intrinsic_instr *intr = nir_instr_as_intrinsic(instr);
         if (intr->intrinsic != nir_intrinsic_load_uniform ||
             nir_src_is_const(intr->src[0]))
            continue;
         const unsigned slot = nir_intrinsic_base(intr),
                        size = nir_intrinsic_range(intr);
         const struct index index = split_index(&intr->src[0]);
         struct index_use *use = find_index_use(b, &index, slot, size);
         if (!use) {
            util_dynarray_append(&b->index_uses, struct index_use,
                                 ((struct index_use){ .def = index.def,
                                                      .comp = index.comp,
                                                      .slot = slot,
                                                      .size = size }));
            use = util_dynarray_top_ptr(&b->index_uses, struct index_use);
         }
         use->max_offset = MAX2(use->max_offset, index.offset);
      }
   }
}

/* Relative reads go to cells at once: the address register has only four
 * components. */
static void
build_relative_load(struct builder *b, const nir_intrinsic_instr *intr,
                    struct vs_src src, uint8_t addr)
{
   struct vs_op *op = vsb_emit(b, VS_OP_MOV, intr->def.num_components);

   op->src[0] = src;
   op->addr = addr;
   vsb_set_results(b, &intr->def, op);
}

static unsigned
get_array(struct builder *b, unsigned slot, unsigned size, unsigned pad)
{
   util_dynarray_foreach (&b->prog->arrays, struct vs_array, array) {
      if (array->slot == slot && array->size == size) {
         array->pad = MAX2(array->pad, pad);
         return array - (struct vs_array *)b->prog->arrays.data;
      }
   }
   util_dynarray_append(
      &b->prog->arrays, struct vs_array,
      ((struct vs_array){ .slot = slot, .size = size, .pad = pad }));
   return util_dynarray_num_elements(&b->prog->arrays, struct vs_array) - 1;
}

static void
build_load_element(struct builder *b, const nir_intrinsic_instr *intr,
                   unsigned slot, unsigned size)
{
   struct index index = split_index(&intr->src[0]);
   struct vs_ref ref = vsb_get_ref(b, index.def, index.comp);
   unsigned pad = find_index_use(b, &index, slot, size)->max_offset;

   /* the parts of the index may have changed since it was computed, and there
    * may be no room around the array */
   if (ref.variable || size + 2 * pad > MAX_PADDED_ARRAY ||
       (index.opcode == VS_OP_ARL && pad)) {
      index = (struct index){ .def = intr->src[0].ssa, .opcode = VS_OP_ARR };
      ref = vsb_get_ref(b, index.def, 0);
      pad = 0;
   }
   struct vs_src src = {
      .file = VS_FILE_CONST,
      .relative = true,
      .base = get_array(b, slot, size, pad),
      .offset = index.offset,
      .c = { 0, 1, 2, 3 },
   };
   build_relative_load(
      b, intr, src, get_address(b, &ref, -(int)pad, size - 1, index.opcode));
}

static void
build_load_uniform(struct builder *b, const nir_intrinsic_instr *intr)
{
   const unsigned base = nir_intrinsic_base(intr);
   const unsigned range = nir_intrinsic_range(intr);

   if (nir_src_is_const(intr->src[0])) {
      for (unsigned i = 0; i < intr->def.num_components; i++)
         vsb_def_refs(b, &intr->def)[i] =
            vsb_ref_const(vs_value_uniform(b->prog, 4 * base + i));
      return;
   }
   if (range == 0 || range > b->prog->chip->vs_consts) {
      vs_fail(b->prog,
              "a uniform array with dynamic index needs %u constant "
              "registers, the chip has %u",
              range, b->prog->chip->vs_consts);
      return;
   }
   build_load_element(b, intr, base, range);
}

static void
build_load_input(struct builder *b, const nir_intrinsic_instr *intr)
{
   const unsigned base = nir_intrinsic_base(intr);
   const unsigned comp = nir_intrinsic_component(intr);
   const unsigned slots = nir_intrinsic_io_semantics(intr).num_slots;

   if (base + slots > TEGRA20_MAX_ATTRIBS) {
      vs_fail(b->prog, "vertex program needs attribute %u, the chip has %u",
              base + slots - 1, TEGRA20_MAX_ATTRIBS);
      return;
   }

   if (nir_src_is_const(intr->src[0])) {
      b->prog->attribs_read |= 1 << base;
      for (unsigned i = 0; i < intr->def.num_components; i++)
         vsb_def_refs(b, &intr->def)[i] = (struct vs_ref){
            .file = VS_FILE_ATTR, .base = base, .c = comp + i
         };
      return;
   }

   struct vs_ref index = vsb_get_ref(b, intr->src[0].ssa, 0);
   struct vs_src src = { .file = VS_FILE_ATTR,
                         .relative = true,
                         .base = base };
   for (unsigned i = 0; i < 4; i++)
      src.c[i] = MIN2(comp + i, 3);
   b->prog->attribs_read |= BITFIELD_RANGE(base, slots);
   build_relative_load(b, intr, src,
                       get_address(b, &index, 0, slots - 1, VS_OP_ARR));
}

bool
vsb_is_ignored_output(unsigned slot)
{
   /* No hardware uses them: polygon modes are drawn without edge flags, clip
    * planes come as clip distances. */
   return slot == VARYING_SLOT_EDGE || slot == VARYING_SLOT_CLIP_VERTEX;
}

static void
build_store_output(struct builder *b, const nir_intrinsic_instr *intr)
{
   const unsigned slot = nir_intrinsic_io_semantics(intr).location;
   const unsigned first = nir_intrinsic_component(intr);
   const bool color = slot == VARYING_SLOT_COL0 ||
                      slot == VARYING_SLOT_COL1 ||
                      slot == VARYING_SLOT_BFC0 || slot == VARYING_SLOT_BFC1;
   struct vs_op like = { .cond = VS_COND_TRUE,
                         .export = b->export_of_slot[slot] };
   struct vs_ref refs[4];
   unsigned count = 0;

   if (vsb_is_ignored_output(slot))
      return;
   u_foreach_bit (c, nir_intrinsic_write_mask(intr)) {
      like.pred[count] = VS_NONE;
      like.export_comp[count] = first + c;
      b->prog->export_components[like.export] |= 1 << (first + c);
      refs[count++] = vsb_get_ref(b, intr->src[0].ssa, c);
   }
   like.saturate = color && b->prog->key->clamp_color;
   vsb_harmonize_constants(b, refs, count);
   vsb_emit_moves(b, refs, count, NULL, &like);
}

void
vsb_build_intrinsic(struct builder *b, const nir_intrinsic_instr *intr)
{
   switch (intr->intrinsic) {
   case nir_intrinsic_load_uniform:
      build_load_uniform(b, intr);
      break;
   case nir_intrinsic_load_input:
      build_load_input(b, intr);
      break;
   case nir_intrinsic_store_output:
      build_store_output(b, intr);
      break;
   case nir_intrinsic_decl_reg: {
      uint16_t cells[4];
      vsb_new_cells(b, nir_intrinsic_num_components(intr), cells);
      for (unsigned i = 0; i < nir_intrinsic_num_components(intr); i++)
         vsb_def_refs(b, &intr->def)[i] = (struct vs_ref){
            .file = VS_FILE_TEMP, .variable = true, .c = cells[i]
         };
      break;
   }
   case nir_intrinsic_load_reg:
      memcpy(vsb_def_refs(b, &intr->def), vsb_def_refs(b, intr->src[0].ssa),
             4 * sizeof(struct vs_ref));
      break;
   case nir_intrinsic_store_reg: {
      struct vs_ref refs[4];
      uint16_t cells[4];
      unsigned count = 0;
      u_foreach_bit (c, nir_intrinsic_write_mask(intr)) {
         refs[count] = vsb_get_ref(b, intr->src[0].ssa, c);
         cells[count++] = vsb_def_refs(b, intr->src[1].ssa)[c].c;
      }
      vsb_harmonize_constants(b, refs, count);
      for (unsigned i = 0; i < count; i++)
         vsb_forget_cell(b, cells[i]);
      vsb_emit_moves(b, refs, count, cells, NULL);
      break;
   }
   default:
      vs_fail(b->prog, "the vertex engine cannot do \"%s\"",
              nir_intrinsic_infos[intr->intrinsic].name);
      break;
   }
}
