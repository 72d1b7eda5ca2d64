/*
 * SPDX-License-Identifier: MIT
 *
 * One switch for each choice of docs/hardware-assumptions.md that the simulator makes: what the manuals do not settle
 * can be tried the other way.  The first value is the default.
 */

#include <stdio.h>
#include <string.h>

#include "sim_internal.h"

#define VALUES(...)                                                                                                    \
   .values = (const char *const[]){ __VA_ARGS__ },                                                                     \
   .num_values = sizeof((const char *const[]){ __VA_ARGS__ }) / sizeof(char *)

/* In the order of the ids; "A<n>" is sim->switches[n]. */
static const struct sim_switch_info switches[] = {
   { "A01", "components missing from an attribute", VALUES("0001", "zero") },
   { "A03", "signed normalised attributes: c / (2^(b-1) - 1) or (2c + 1) / (2^b - 1)", VALUES("symmetric", "es2") },
   { "A06", "index mode 3 draws nothing, or reads 32-bit indices", VALUES("none", "uint32") },
   { "A08", "FIRST of 0x122 is ignored, or added to the first vertex of draws without indices",
     VALUES("ignored", "added") },
   { "A10", "denormals in vertex programs", VALUES("flushed", "kept") },
   { "A11", "SIN and COS of vertex programs take radians, or turns", VALUES("radians", "turns") },
   { "A12", "vertex condition registers see the saturated result, or the one before", VALUES("saturated", "raw") },
   { "A13", "branch without condition check: compares with the CR, or with the initial state \"equal\"",
     VALUES("compare", "initial") },
   { "A15", "DPH and DST: reading of the family, or of the newer table", VALUES("family", "newer") },
   { "A16", "temps at the start of a vertex", VALUES("zero", "poison") },
   { "A17", "vertex constants 256..1023 read zero, or modulo 256", VALUES("zero", "wrap") },
   { "A19", "0x205 counts words, or instructions", VALUES("words", "instructions") },
   { "A22", "window x, y in 1/16 pixel: rounded to the nearest, or cut", VALUES("nearest", "cut") },
   { "A71", "sizes of stretch blits are extents minus one, or extents", VALUES("minus-one", "extent") },
   { "A72", "samples of stretch blits: source = start + i * step, or centre to centre", VALUES("corner", "centre") },
   { "A75", "GR3D at the start of a job: a poison pattern, or zero", VALUES("poison", "zero") },
   { "A80", "packed schedule ports: first entry in the low byte, or in the high one", VALUES("low", "high") },
   { "A81", "fast rotate: TRANS_LR exchanges x and y, or TRANS_RL does", VALUES("lr", "rl") },
   { "A20", "fragments outside 0x404..0x405 are dropped, or kept", VALUES("dropped", "kept") },
   { "A23", "owner of a centre on a horizontal edge: the triangle below it, or the one above",
     VALUES("top-left", "bottom-left") },
   { "A26", "0x347 is the diameter of a point, or half of it", VALUES("diameter", "radius") },
   { "A28", "0x344 in window depth, or in steps of 2^-16", VALUES("window", "steps") },
   { "A34", "depth comparison with 16 bits, or 20", VALUES("16", "20") },
   { "A35", "depth of discarded fragments: written, or not", VALUES("written", "dropped") },
   { "A37", "stencil write mask in bits 16:9, or none", VALUES("16:9", "none") },
   { "A44", "fragment registers are visible two packets after their write, or one", VALUES("two", "one") },
   { "A46", "fx10 overflow clamps, or wraps", VALUES("clamp", "wrap") },
   { "A50", "face register of back faces: -1, or 0", VALUES("minus-one", "zero") },
   { "A57", "row pitch of textures that are not a power of two: multiple of 64, or 16", VALUES("64", "16") },
   { "A59", "no descriptor bit makes a cube map, or one of DESC1 does",
     VALUES("none", "bit5", "bit6", "bit7", "bit13", "bit30", "bit31") },
   { "A61", "5551 and 4444: alpha at the bottom, or at the top", VALUES("bottom", "top") },
   { "A64", "level of detail from the largest difference, or from the length", VALUES("largest", "length") },
   { "A66", "format 0x0e exchanges components 0 and 2, or is 0x0d", VALUES("exchanges", "same") },
   { "A70", "the dither bit has no effect, or 0xe26 is a 2x2 pattern of thresholds", VALUES("ignored", "pattern") },
   { "A82", "filtered texels are rounded to the nearest fx10, or cut", VALUES("nearest", "cut") },
};

#define NUM_SWITCHES (sizeof(switches) / sizeof(switches[0]))

const struct sim_switch_info *
sim_switch_describe(unsigned index)
{
   return index < NUM_SWITCHES ? &switches[index] : NULL;
}

bool
sim_set_switch(struct sim *sim, const char *id, const char *value)
{
   for (unsigned i = 0; i < NUM_SWITCHES; i++) {
      unsigned number;
      if (strcmp(switches[i].id, id) || sscanf(id, "A%u", &number) != 1 || number >= sizeof(sim->switches))
         continue;
      for (unsigned v = 0; v < switches[i].num_values; v++) {
         if (!strcmp(switches[i].values[v], value)) {
            sim->switches[number] = v;
            return true;
         }
      }
   }
   return false;
}
