/*
 * SPDX-License-Identifier: MIT
 *
 * Vertex and linker instructions as assembly text; fragment words field by field, with the names of the descriptions of the
 * instruction sets (src/compiler/tegra20/isa): those fields that differ from zero.
 */

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "fs_alu_isa.h"
#include "fs_dw_isa.h"
#include "fs_mfu_isa.h"
#include "fs_pseq_isa.h"
#include "fs_tex_isa.h"
#include "isa_text.h"

#include "program_text.h"

/* Fields whose values have names. */
struct named_field {
   const char *name;
   const char *const *values;
   unsigned num_values;
};

#define NAMES(field, table) {field, table, sizeof(table) / sizeof(table[0])}

static const struct named_field alu_names[] = {
   NAMES("op", fs_alu_op_names),
   NAMES("cond", fs_alu_cond_names),
   NAMES("scale", fs_alu_scale_names),
   {NULL, NULL, 0},
};

static const struct named_field mfu_names[] = {
   NAMES("var_op", fs_mfu_var_op_names),   NAMES("mul_src0", fs_mfu_mul_src_names),
   NAMES("mul_src1", fs_mfu_mul_src_names), NAMES("mul_dst", fs_mfu_mul_dst_names),
   NAMES("sfu_op", fs_mfu_sfu_op_names),   {NULL, NULL, 0},
};

static const struct named_field no_names[] = {{NULL, NULL, 0}};

static const struct program_port ports[] = {
   {0x206, 0x205, 4, "vertex instruction"},
   {0x208, 0x207, 4, "vertex constant"},
   {0x541, 0x540, 1, "sequencer"},
   {0x601, 0x600, 1, "MFU schedule"},
   {0x604, 0x603, 2, "MFU instruction"},
   {0x701, 0x700, 1, "texture instruction"},
   {0x801, 0x800, 1, "ALU schedule"},
   {0x804, 0x803, 8, "ALU packet"},
   {0x806, 0x805, 1, "ALU complement"},
   {0x901, 0x900, 1, "data write"},
};

const struct program_port *
program_port(uint32_t reg)
{
   for (unsigned i = 0; i < sizeof(ports) / sizeof(ports[0]); i++) {
      if (ports[i].port == reg)
         return &ports[i];
   }
   return NULL;
}

/* --- text ---------------------------------------------------------------------------------------------------------- */

struct text {
   char *text;
   size_t size, used;
};

static void add(struct text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void
add(struct text *t, const char *format, ...)
{
   va_list args;
   va_start(args, format);
   if (t->used < t->size) {
      int n = vsnprintf(t->text + t->used, t->size - t->used, format, args);
      t->used += n > 0 ? n : 0;
   }
   va_end(args);
}

static void
add_value(struct text *t, const struct named_field *names, const char *field, uint32_t value)
{
   for (; names->name; names++) {
      if (!strcmp(names->name, field) && value < names->num_values && names->values[value]) {
         add(t, "=%s", names->values[value]);
         return;
      }
   }
   add(t, "=%u", value);
}

static void
add_fields(struct text *t, const struct isa_field *fields, unsigned num_fields, const struct named_field *names,
           const uint32_t *words, unsigned num_words)
{
   const char *blank = "";
   for (unsigned i = num_fields; i-- > 0;) {
      for (unsigned j = 0; j < fields[i].count; j++) {
         uint32_t value = isa_get(words, num_words, ISA_HIGH_FIRST, fields[i].low + j * fields[i].stride, fields[i].size);
         if (!value)
            continue;
         add(t, "%s%s", blank, fields[i].name);
         if (fields[i].count > 1)
            add(t, "[%u]", j);
         if (fields[i].size > 1)
            add_value(t, names, fields[i].name, value);
         blank = " ";
      }
   }
   if (!*blank)
      add(t, "nothing");
}

/* Four units, or three and embedded constants (fragment-pipeline.md 3.1): the words do not say which. */
static void
add_alu_packet(struct text *t, const uint32_t *words)
{
   for (unsigned unit = 0; unit < 4; unit++) {
      add(t, "%salu%u {", unit ? " " : "", unit);
      add_fields(t, fs_alu_fields, FS_ALU_NUM_FIELDS, alu_names, words + 2 * unit, 2);
      add(t, "}");
   }
}

static void
add_constant(struct text *t, const uint32_t *words)
{
   for (unsigned i = 0; i < 4; i++) {
      float f;
      memcpy(&f, &words[i], sizeof(f));
      add(t, "%s%.9g", i ? " " : "", f);
   }
}

void
program_text(const struct program_port *port, const uint32_t *words, char *text, size_t size)
{
   struct text t = {text, size, 0};
   text[0] = 0;
   switch (port->port) {
   case 0x206:
      vpe_print_inst(words, text, size);
      break;
   case 0x208:
      add_constant(&t, words);
      break;
   case 0x541:
      add_fields(&t, fs_pseq_fields, FS_PSEQ_NUM_FIELDS, no_names, words, 1);
      break;
   case 0x601:
   case 0x801:
      add(&t, "%u from %u", words[0] & 3, words[0] >> 2 & 0x3f);
      break;
   case 0x604:
      add_fields(&t, fs_mfu_fields, FS_MFU_NUM_FIELDS, mfu_names, words, 2);
      break;
   case 0x701:
      add_fields(&t, fs_tex_fields, FS_TEX_NUM_FIELDS, no_names, words, 1);
      break;
   case 0x804:
      add_alu_packet(&t, words);
      break;
   case 0x901:
      add_fields(&t, fs_dw_fields, FS_DW_NUM_FIELDS, no_names, words, 1);
      break;
   default:
      add(&t, words[0] ? "unknown" : "nothing");
      break;
   }
}

void
program_linker_text(const uint32_t words[2], char *text, size_t size)
{
   linker_print_inst(words, text, size);
}
