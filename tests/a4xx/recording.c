/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * a4xx-recording FILE: executes the command streams of a recording (Mesa's .rd format, unpacked) on the simulated chip and
 * prints the registers that were written until each draw: "draw N", then "NAME VALUE".  Diagnostics go to stderr.
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "a4xx.h"

/* Sections of the format. */
enum { GPU_ADDRESS = 3, STREAM_ADDRESS = 6, BUFFER_CONTENTS = 12 };

#define PAGE 4096u
#define NUM_REGS 0x4000u

static struct a4xx *chip;

static void
print_registers(void *data, unsigned number)
{
   printf("draw %u\n", number);
   for (unsigned reg = 0; reg < NUM_REGS; reg++) {
      const char *name = a4xx_register_name(reg);
      if (name && a4xx_register(chip, reg))
         printf("%s %08x\n", name, a4xx_register(chip, reg));
   }
}

/* Buffers stay until another one comes at their address. */
static void
map_buffer(uint32_t address, const uint8_t *contents, uint32_t size)
{
   const uint32_t whole = (size + PAGE - 1) / PAGE * PAGE;
   uint8_t *cpu = calloc(1, whole);
   if (!cpu)
      abort();
   memcpy(cpu, contents, size);
   a4xx_unmap(chip, address);
   if (!a4xx_map(chip, address, whole, cpu)) {
      fprintf(stderr, "a4xx-recording: buffer at 0x%08x overlaps another\n", address);
      free(cpu);
   }
}

static uint32_t
word(const uint8_t *data, unsigned i)
{
   uint32_t value;
   memcpy(&value, data + i * 4, 4);
   return value;
}

/* False: it ends in the middle of a section. */
static bool
run(const uint8_t *data, size_t size)
{
   uint32_t address = 0;
   for (size_t at = 0; at + 8 <= size;) {
      const uint32_t type = word(data + at, 0), length = word(data + at, 1);
      const uint8_t *body = data + at + 8;
      at += 8;
      /* A mark between recordings that were put together. */
      if (type == ~0u && length == ~0u)
         continue;
      if (length > size - at)
         return false;
      at += length;
      if (type == GPU_ADDRESS && length >= 8)
         address = word(body, 0);
      else if (type == BUFFER_CONTENTS && length)
         map_buffer(address, body, length);
      else if (type == STREAM_ADDRESS && length >= 8 && !a4xx_submit(chip, word(body, 0), word(body, 1)))
         printf("broken\n");
   }
   return true;
}

int
main(int argc, char **argv)
{
   const struct a4xx_options options = {
      .strict = true, .threads = 1, .profile = A4XX_PROFILE_DEFAULT, .draw = print_registers,
   };
   FILE *file = argc == 2 ? fopen(argv[1], "rb") : NULL;
   if (!file) {
      fprintf(stderr, "usage: a4xx-recording FILE\n");
      return 2;
   }
   size_t size = 0, room = 0;
   uint8_t *data = NULL;
   do {
      room = room ? room * 2 : 1 << 20;
      data = realloc(data, room);
      if (!data)
         abort();
      size += fread(data + size, 1, room - size, file);
   } while (size == room);
   fclose(file);
   chip = a4xx_create(&options);
   bool good = chip && run(data, size);
   a4xx_destroy(chip);
   free(data);
   return !good;
}
