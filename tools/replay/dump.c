/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Streams as text: one line per register write with the names of register and
 * fields from the register descriptions, addresses as buffer + offset, and
 * one line per program instruction as its upload completes.
 */

#include <stdlib.h>
#include <string.h>

#include "tegra20/host1x_stream.h"
#include "tegra20/register_info.h"

#include "program_text.h"
#include "replay.h"

#define NUM_REGS 0x1000

/* A register and which element of it an offset is. */
struct reg_ref {
   const struct register_info *info;
   unsigned element;
};

struct dump {
   FILE *out;
   const struct tegra20_chip_info *chip;
   struct reg_ref gr3d[NUM_REGS], gr2d[NUM_REGS], host1x[NUM_REGS];
   const struct recording_record *job;
   const struct replay_buffer *const *buffers; /* of the job */
   unsigned draw;
   uint32_t class_id;
   /* An instruction that is being uploaded through a port. */
   const struct program_port *port;
   unsigned position; /* of the upload pointer, words */
   uint32_t words[8];
   unsigned num_words;
   uint32_t pointers[NUM_REGS]; /* upload pointers by register */
   uint32_t linker[2]; /* the linker instruction that is being written */
};

static void
index_table(struct reg_ref *refs, const struct register_info *table)
{
   for (const struct register_info *info = table; info->name; info++) {
      for (unsigned i = 0; i < (info->count ? info->count : 1); i++) {
         unsigned offset = info->offset + i * info->stride;
         if (offset < NUM_REGS && !refs[offset].info)
            refs[offset] = (struct reg_ref){ info, i };
      }
   }
}

struct dump *
dump_create(FILE *out, const struct tegra20_chip_info *chip)
{
   struct dump *dump = calloc(1, sizeof(*dump));
   if (!dump)
      return NULL;
   dump->out = out;
   dump->chip = chip;
   index_table(dump->gr3d, gr3d_registers);
   index_table(dump->gr2d, gr2d_registers);
   index_table(dump->host1x, host1x_registers);
   return dump;
}

void
dump_destroy(struct dump *dump)
{
   free(dump);
}

/* --- values --- */

static void
print_value(FILE *out, enum register_kind kind,
            const struct register_enum_value *values, uint32_t value)
{
   float f;
   switch (kind) {
   case REGISTER_FLOAT:
      memcpy(&f, &value, sizeof(f));
      fprintf(out, "%.9g", f);
      return;
   case REGISTER_ENUM:
      for (; values && values->name; values++) {
         if (values->value == value) {
            fprintf(out, "%s", values->name);
            return;
         }
      }
      fprintf(out, "%u", value);
      return;
   default:
      fprintf(out, value > 4095 ? "0x%x" : "%u", value);
      return;
   }
}

static void
print_address(struct dump *dump, uint32_t value)
{
   for (unsigned i = 0; i < dump->job->num_buffers; i++) {
      const struct replay_buffer *buffer = dump->buffers[i];
      if (value >= buffer->address &&
          value - buffer->address <= buffer->size) {
         fprintf(dump->out, " buffer %u + 0x%x", buffer->id,
                 value - buffer->address);
         return;
      }
   }
   fprintf(dump->out, " in no buffer of the job");
}

static void
print_fields(struct dump *dump, const struct register_info *info,
             uint32_t value)
{
   if (!info->fields) {
      if (info->kind == REGISTER_RELOC)
         print_address(dump, value);
      else if (info->kind == REGISTER_FLOAT) {
         fputc(' ', dump->out);
         print_value(dump->out, info->kind, NULL, value);
      }
      return;
   }
   uint32_t named = 0;
   for (const struct register_field *field = info->fields; field->name;
        field++) {
      uint32_t mask = (uint32_t)((2ull << (field->msb - field->lsb)) - 1);
      uint32_t part = value >> field->lsb & mask;
      named |= mask << field->lsb;
      /* Unknown fields that hold nothing tell nothing. */
      if (!part && !strncmp(field->name, "UNK", 3))
         continue;
      fprintf(dump->out, " %s=", field->name);
      print_value(dump->out, field->kind, field->values, part);
   }
   if (value & ~named)
      fprintf(dump->out, " other bits=0x%x", value & ~named);
}

/* --- register writes --- */

static const struct reg_ref *
lookup(struct dump *dump, uint32_t class_id, uint32_t offset)
{
   switch (class_id) {
   case CLASS_GR3D:
      return &dump->gr3d[offset & (NUM_REGS - 1)];
   case CLASS_GR2D:
   case CLASS_GR2D_SB:
      return &dump->gr2d[offset & (NUM_REGS - 1)];
   default:
      return &dump->host1x[offset & (NUM_REGS - 1)];
   }
}

/* An instruction that the stream leaves unfinished, with the words that there
 * are. */
static void
flush_port(struct dump *dump)
{
   if (dump->num_words == 0)
      return;
   fprintf(dump->out, "      %s: incomplete:", dump->port->name);
   for (unsigned i = 0; i < dump->num_words; i++)
      fprintf(dump->out, " %08x", dump->words[i]);
   fputc('\n', dump->out);
   dump->num_words = 0;
}

static void
port_word(struct dump *dump, const struct program_port *port, uint32_t value)
{
   if (dump->port != port)
      flush_port(dump);
   dump->port = port;
   dump->words[dump->num_words++] = value;
   uint32_t *pointer = &dump->pointers[port->pointer & (NUM_REGS - 1)];
   (*pointer)++;
   if (dump->num_words < port->num_words)
      return;
   unsigned number = (*pointer - dump->num_words) / port->num_words;
   char text[2048];
   program_text(dump->chip, port, dump->words, text, sizeof(text));
   fprintf(dump->out, "      %s %u:", port->name, number);
   for (unsigned i = 0; i < dump->num_words; i++)
      fprintf(dump->out, " %08x", dump->words[i]);
   fprintf(dump->out, "  %s\n", text);
   dump->num_words = 0;
}

static void
on_write(void *data, uint32_t class_id, uint32_t offset, uint32_t value,
         unsigned index)
{
   struct dump *dump = data;
   const struct program_port *port =
      class_id == CLASS_GR3D ? program_port(offset) : NULL;
   if (port) {
      port_word(dump, port, value);
      return;
   }
   flush_port(dump);
   if (class_id == CLASS_GR3D) {
      dump->pointers[offset & (NUM_REGS - 1)] = value;
      /* One write resets all tables that have an entry per EXEC
       * (gr3d-registers.md 2.2). */
      if (offset == 0xe22)
         dump->pointers[0x540] = dump->pointers[0x600] =
            dump->pointers[0x700] = dump->pointers[0x800] =
               dump->pointers[0x805] = dump->pointers[0x900] = 0;
   }

   const struct reg_ref *ref = lookup(dump, class_id, offset);
   fprintf(dump->out, "      0x%03x ", offset);
   if (!ref->info) {
      fprintf(dump->out, "(no such register) = 0x%08x\n", value);
      return;
   }
   if (ref->info->count > 1)
      fprintf(dump->out, "%s[%u] = 0x%08x", ref->info->name, ref->element,
              value);
   else
      fprintf(dump->out, "%s = 0x%08x", ref->info->name, value);
   print_fields(dump, ref->info, value);
   if (*ref->info->chip)
      fprintf(dump->out, " (%s only)", ref->info->chip);
   fputc('\n', dump->out);
   if (class_id == CLASS_GR3D && offset >= 0x300 && offset < 0x340) {
      dump->linker[offset & 1] = value;
      if (offset & 1) {
         char text[512];
         program_linker_text(dump->linker, text, sizeof(text));
         fprintf(dump->out, "      linker instruction %u: %s\n",
                 (offset - 0x300) / 2, text);
      }
   }
   if (class_id == CLASS_GR3D && offset == 0x123)
      fprintf(dump->out, "      --- draw %u\n", dump->draw++);
}

static void
on_opcode(void *data, uint32_t word, unsigned index)
{
   struct dump *dump = data;
   unsigned offset = word >> 16 & 0xfff;
   flush_port(dump);
   fprintf(dump->out, "    %05u: %08x  ", index, word);
   switch (word >> 28) {
   case HOST1X_OPCODE_SETCL:
      fprintf(dump->out, "SETCL class 0x%x, offset 0x%03x, mask 0x%x\n",
              word >> 6 & 0x3ff, offset, word & 0x3f);
      break;
   case HOST1X_OPCODE_INCR:
      fprintf(dump->out, "INCR 0x%03x, %u words\n", offset, word & 0xffff);
      break;
   case HOST1X_OPCODE_NONINCR:
      fprintf(dump->out, "NONINCR 0x%03x, %u words\n", offset, word & 0xffff);
      break;
   case HOST1X_OPCODE_MASK:
      fprintf(dump->out, "MASK 0x%03x, mask 0x%04x\n", offset, word & 0xffff);
      break;
   case HOST1X_OPCODE_IMM:
      fprintf(dump->out, "IMM 0x%03x, 0x%04x\n", offset, word & 0xffff);
      break;
   default:
      fprintf(dump->out, "opcode %u\n", word >> 28);
      break;
   }
}

void
dump_job(struct dump *dump, unsigned number,
         const struct recording_record *job,
         const struct replay_buffer *const *buffers)
{
   const struct stream_handler handler = { on_opcode, on_write, dump };
   dump->job = job;
   dump->buffers = buffers;
   dump->draw = 0;
   dump->num_words = 0;
   memset(dump->pointers, 0, sizeof(dump->pointers));
   fprintf(
      dump->out,
      "job %u: class 0x%x, %u words, ends at value %u of sync point %u\n",
      number, job->class_id, job->num_words, job->end_value, job->syncpt);
   for (unsigned i = 0; i < job->num_buffers; i++)
      fprintf(dump->out, "  buffer %u: 0x%08x..0x%08x, %u KiB\n",
              buffers[i]->id, buffers[i]->address,
              buffers[i]->address + buffers[i]->size,
              buffers[i]->size / 1024);
   uint32_t class_id = job->class_id;
   const uint32_t *words = job->words;
   for (unsigned i = 0; i < job->num_cmds; i++) {
      const struct recorder_cmd *cmd = &job->cmds[i];
      if (cmd->is_wait) {
         fprintf(dump->out, "  wait until sync point %u >= %u\n", cmd->syncpt,
                 cmd->threshold);
         continue;
      }
      fprintf(dump->out, "  gather of %u words\n", cmd->count);
      if (!stream_walk(words, cmd->count, &class_id, &handler))
         fprintf(dump->out, "    the gather ends inside a packet\n");
      flush_port(dump);
      words += cmd->count;
   }
}
