/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Construction of the vertex IR: programs, blocks, operations, cells, value
 * nodes.
 */

#include <stdarg.h>
#include <string.h>

#include "util/hash_table.h"
#include "util/ralloc.h"
#include "util/u_math.h"
#include "vpe_isa.h"
#include "vs_ir.h"

const struct vs_opcode_info vs_opcode_infos[VS_NUM_OPCODES] = {
#define X(name, num_srcs, kind, vector, scalar)                      \
   [VS_OP_##name] = { #name,                                         \
                      num_srcs,                                      \
                      VS_KIND_##kind,                                \
                      (VPE_VECTOR_##vector ? VS_UNIT_VECTOR : 0) |   \
                         (VPE_SCALAR_##scalar ? VS_UNIT_SCALAR : 0), \
                      VPE_VECTOR_##vector,                           \
                      VPE_SCALAR_##scalar },
   VS_OPCODES(X)
#undef X
};

DERIVE_HASH_TABLE(tegra20_value)

struct vs_program *
vs_program_create(void *mem_ctx, const struct tegra20_vs_key *key)
{
   struct vs_program *prog = rzalloc(mem_ctx, struct vs_program);

   prog->key = key;
   prog->chip = &tegra20_chips[TEGRA20_CHIP_TEGRA20];
   prog->psiz_export = -1;
   util_dynarray_init(&prog->values, prog);
   util_dynarray_init(&prog->blocks, prog);
   util_dynarray_init(&prog->arrays, prog);
   prog->value_hash = tegra20_value_table_create(prog);
   return prog;
}

struct vs_block *
vs_block_create(struct vs_program *prog)
{
   struct vs_block *block = rzalloc(prog, struct vs_block);

   block->index = vs_num_blocks(prog);
   block->succ[0] = block->succ[1] = VS_NO_BLOCK;
   util_dynarray_init(&block->ops, block);
   util_dynarray_init(&block->insts, block);
   util_dynarray_append(&prog->blocks, struct vs_block *, block);
   return block;
}

struct vs_op *
vs_op_create(struct vs_program *prog, enum vs_opcode opcode, unsigned lanes)
{
   struct vs_op *op = rzalloc(prog, struct vs_op);

   op->opcode = opcode;
   op->lanes = lanes;
   op->cond = VS_COND_TRUE;
   op->export = VS_NONE;
   op->addr = VS_NONE;
   op->target = VS_NO_BLOCK;
   memset(op->pred, VS_NONE, sizeof(op->pred));
   memset(op->set_cr, VS_NONE, sizeof(op->set_cr));
   memset(op->set_addr, VS_NONE, sizeof(op->set_addr));
   memset(op->dst, 0xff, sizeof(op->dst));
   return op;
}

void
vs_block_append(struct vs_block *block, struct vs_op *op)
{
   util_dynarray_append(&block->ops, struct vs_op *, op);
}

void
vs_block_insert(struct vs_block *block, unsigned position, struct vs_op *op)
{
   util_dynarray_append(&block->ops, struct vs_op *, op);
   struct vs_op **ops = util_dynarray_begin(&block->ops);
   memmove(&ops[position + 1], &ops[position],
           (vs_num_ops(block) - 1 - position) * sizeof(*ops));
   ops[position] = op;
}

uint16_t
vs_new_cell(struct vs_program *prog)
{
   if (prog->num_cells >= VS_MAX_CELLS) {
      vs_fail(
         prog,
         "vertex program too long: it needs more than %u intermediate values",
         VS_MAX_CELLS);
      return 0;
   }
   return prog->num_cells++;
}

static uint16_t
add_value(struct vs_program *prog, const struct tegra20_value *value)
{
   struct hash_entry *entry =
      _mesa_hash_table_search(prog->value_hash, value);
   if (entry)
      return (uintptr_t)entry->data;

   const unsigned index =
      util_dynarray_num_elements(&prog->values, struct tegra20_value);
   if (index >= TEGRA20_NO_VALUE) {
      vs_fail(prog, "vertex program needs more than %u constant values",
              TEGRA20_NO_VALUE);
      return 0;
   }
   util_dynarray_append(&prog->values, struct tegra20_value, *value);
   _mesa_hash_table_insert(prog->value_hash,
                           ralloc_memdup(prog, value, sizeof(*value)),
                           (void *)(uintptr_t)index);
   return index;
}

uint16_t
vs_value_imm(struct vs_program *prog, float imm)
{
   struct tegra20_value value = { .op = TEGRA20_VALUE_IMM, .arg = fui(imm) };
   return add_value(prog, &value);
}

uint16_t
vs_value_uniform(struct vs_program *prog, unsigned word)
{
   struct tegra20_value value = { .op = TEGRA20_VALUE_UNIFORM, .arg = word };
   return add_value(prog, &value);
}

uint16_t
vs_value_alu(struct vs_program *prog, nir_op op, unsigned num_src,
             const uint16_t *src)
{
   struct tegra20_value value;

   memset(&value, 0, sizeof(value));
   value.op = TEGRA20_VALUE_ALU;
   value.num_src = num_src;
   value.arg = op;
   memcpy(value.src, src, num_src * sizeof(src[0]));
   return add_value(prog, &value);
}

const struct tegra20_value *
vs_get_value(const struct vs_program *prog, uint16_t value)
{
   return util_dynarray_element(&prog->values, struct tegra20_value, value);
}

bool
vs_src_equal(const struct vs_src *a, const struct vs_src *b, unsigned lanes)
{
   return a->file == b->file && a->neg == b->neg && a->abs == b->abs &&
          a->relative == b->relative && a->base == b->base &&
          a->offset == b->offset &&
          memcmp(a->c, b->c, lanes * sizeof(a->c[0])) == 0;
}

void
vs_fail(struct vs_program *prog, const char *format, ...)
{
   va_list args;

   if (prog->error)
      return;
   va_start(args, format);
   prog->error = ralloc_vasprintf(prog, format, args);
   va_end(args);
}

struct vs_cell_uses *
vs_count_uses(const struct vs_program *prog)
{
   struct vs_cell_uses *uses =
      rzalloc_array((void *)prog, struct vs_cell_uses, prog->num_cells + 1);

   vs_foreach_block (prog, block) {
      vs_foreach_op (block, op) {
         for (unsigned i = 0; i < op->lanes; i++) {
            if (op->dst[i] != VS_NO_CELL) {
               uses[op->dst[i]].defs++;
               uses[op->dst[i]].def = op;
            }
         }
         for (unsigned s = 0; s < vs_info(op)->num_srcs; s++) {
            for (unsigned i = 0;
                 op->src[s].file == VS_FILE_TEMP && i < vs_src_lanes(op); i++)
               uses[op->src[s].c[i]].uses++;
         }
      }
   }
   return uses;
}
