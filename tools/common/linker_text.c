/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Linker instructions as text (vertex-pipeline.md appendix A):
 *
 *    LINK fp20, fp20, fx10.l(dis), NOP, tram1.xyzw, export2 (z)
 *
 * One storage type per component of the export, then the row with the column
 * that each component goes to, then the number of the export after squeezing.
 */

#include "isa_parse.h"
#include "linker_isa.h"

static const char comps[] = "xyzw";
static const char *const types[4] = { "NOP", "fx10.l", "fx10.h", "fp20" };

void
linker_print_inst(const uint32_t words[2], char *text, size_t size)
{
   struct isa_printer p = { .text = text, .size = size };
   struct isa_parser again = { .pos = text };
   struct linker_inst inst;
   uint32_t said[2];

   linker_unpack(words, &inst);
   isa_text_print(&p, "LINK");
   for (unsigned c = 0; c < 4; c++) {
      isa_text_print(&p, " %s%s%s%s,", types[inst.type[c]],
                     inst.across_width[c] ? "(cw)" : "",
                     inst.across_length[c] ? "(cl)" : "",
                     inst.flat[c] ? "(dis)" : "");
   }
   isa_text_print(&p, " tram%u.%c%c%c%c, export%u%s", inst.row,
                  comps[inst.column[0]], comps[inst.column[1]],
                  comps[inst.column[2]], comps[inst.column[3]], inst.source,
                  inst.z_mode ? " (z)" : "");
   if (linker_parse_inst(&again, said))
      isa_text_print_raw(&p, linker_fields, LINKER_NUM_FIELDS, words, said, 2,
                         ISA_LOW_FIRST);
   isa_text_print(&p, ";");
}

static void
parse_component(struct isa_parser *p, struct linker_inst *inst, unsigned c)
{
   unsigned type = 0;

   while (type < 4 && !isa_accept(p, types[type]))
      type++;
   if (type == 4) {
      isa_error(p, "expected fp20, fx10.l, fx10.h or NOP at \"%.20s\"",
                p->pos);
      return;
   }
   inst->type[c] = type;
   while (isa_accept(p, "(")) {
      if (isa_accept(p, "cw"))
         inst->across_width[c] = true;
      else if (isa_accept(p, "cl"))
         inst->across_length[c] = true;
      else if (isa_accept(p, "dis"))
         inst->flat[c] = true;
      else
         isa_error(p, "expected cw, cl or dis at \"%.20s\"", p->pos);
      isa_expect(p, ")");
   }
   isa_expect(p, ",");
}

static void
parse_columns(struct isa_parser *p, struct linker_inst *inst)
{
   isa_expect(p, ".");
   for (unsigned c = 0; c < 4; c++) {
      unsigned column = 0;
      while (column < 4 && *p->pos != comps[column])
         column++;
      if (column == 4) {
         isa_error(p, "expected four of x, y, z, w at \"%.20s\"", p->pos);
         return;
      }
      inst->column[c] = column;
      p->pos++;
   }
}

bool
linker_parse_inst(struct isa_parser *p, uint32_t words[2])
{
   struct linker_inst inst = linker_inst_init();

   p->error[0] = '\0';
   isa_expect(p, "LINK");
   for (unsigned c = 0; c < 4 && !p->error[0]; c++)
      parse_component(p, &inst, c);
   while (*p->pos == ' ')
      p->pos++;
   if (!p->error[0] && __builtin_strncmp(p->pos, "tram", 4) == 0) {
      p->pos += 4;
      inst.row = isa_number(p, 63);
      parse_columns(p, &inst);
   } else {
      isa_error(p, "expected the TRAM row at \"%.20s\"", p->pos);
   }
   isa_expect(p, ",");
   while (*p->pos == ' ')
      p->pos++;
   if (!p->error[0] && __builtin_strncmp(p->pos, "export", 6) == 0) {
      p->pos += 6;
      inst.source = isa_number(p, 15);
   } else {
      isa_error(p, "expected the export at \"%.20s\"", p->pos);
   }
   if (isa_accept(p, "(")) {
      isa_expect(p, "z");
      isa_expect(p, ")");
      inst.z_mode = true;
   }
   linker_pack(&inst, words);
   isa_parse_raw(p, linker_fields, LINKER_NUM_FIELDS, words, 2,
                 ISA_LOW_FIRST);
   isa_accept(p, ";");
   if (!isa_at_end(p))
      isa_error(p, "unexpected \"%.20s\"", p->pos);
   return p->error[0] == '\0';
}
