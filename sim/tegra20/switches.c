/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * One switch for each choice of docs/hardware-assumptions.md that the
 * simulator makes: what the manuals do not settle can be tried the other way.
 * The first value is the default.
 */

#include <stdio.h>
#include <string.h>

#include "sim_internal.h"

#define VALUES(...)                                \
   .values = (const char *const[]){ __VA_ARGS__ }, \
   .num_values =                                   \
      sizeof((const char *const[]){ __VA_ARGS__ }) / sizeof(char *)

/* In the order of the ids; "A<n>" is sim->switches[n]. */
static const struct sim_switch_info switches[] = {
   { "A01", "components missing from an attribute", VALUES("0001", "zero") },
   { "A03",
     "signed normalised attributes: c / (2^(b-1) - 1) or (2c + 1) / (2^b - "
     "1)",
     VALUES("symmetric", "es2") },
   { "A06", "index mode 3 draws nothing, or reads 32-bit indices",
     VALUES("none", "uint32") },
   { "A08",
     "FIRST of 0x122 is ignored, or added to the first vertex of draws "
     "without indices",
     VALUES("ignored", "added") },
   { "A10", "denormals in vertex programs, rounding of MAD",
     VALUES("flushed", "kept", "fused") },
   { "A11", "SIN and COS of vertex programs take radians, or turns",
     VALUES("radians", "turns") },
   { "A12",
     "vertex condition registers see the saturated result, or the one before",
     VALUES("saturated", "raw") },
   { "A13",
     "branch without condition check: compares with the CR, or with the "
     "initial state \"equal\"",
     VALUES("compare", "initial") },
   { "A15", "DPH and DST: reading of the family, or of the newer table",
     VALUES("family", "newer") },
   { "A16", "temps at the start of a vertex", VALUES("zero", "poison") },
   { "A17", "vertex constants 256..1023 read zero, or modulo 256",
     VALUES("zero", "wrap") },
   { "A18", "aborted and endless vertex programs hang the engine, or end",
     VALUES("hang", "end") },
   { "A19", "0x205 counts words, or instructions",
     VALUES("words", "instructions") },
   { "A20", "fragments outside 0x404..0x405 are dropped, or kept, or clamped",
     VALUES("dropped", "kept", "clamped") },
   { "A21", "a triangle that reaches behind the eye is cut, or dropped",
     VALUES("clipped", "dropped") },
   { "A22", "window x, y in 1/16 pixel: rounded to the nearest, or cut",
     VALUES("nearest", "cut") },
   { "A23",
     "owner of a centre on a horizontal edge: the triangle below it, or the "
     "one above",
     VALUES("top-left", "bottom-left") },
   { "A24", "the last end point of a line is not drawn, or is",
     VALUES("open", "closed") },
   { "A25",
     "points: a square around the vertex, or GL's rule for aliased points",
     VALUES("square", "aliased") },
   { "A26", "0x347 is the diameter of a point, or half of it",
     VALUES("diameter", "radius") },
   { "A28", "0x344 in window depth, or in steps of 2^-16",
     VALUES("window", "steps") },
   { "A29", "winding is measured in the window, or before the viewport",
     VALUES("window", "viewport") },
   { "A30", "bit 27 of 0x122 selects the last vertex, or the first one",
     VALUES("last", "first") },
   { "A33", "depth is cut to 20 bits, or rounded", VALUES("cut", "nearest") },
   { "A34", "depth comparison with 16 bits, or 20", VALUES("16", "20") },
   { "A35", "depth of discarded fragments: written, or not",
     VALUES("written", "dropped") },
   { "A36",
     "late stencil writes act on fragments that failed a test too, or not",
     VALUES("all", "passed") },
   { "A37", "stencil write mask in bits 16:9, or none",
     VALUES("16:9", "none") },
   { "A41", "linker instructions share a TRAM row, or the last one owns it",
     VALUES("shared", "last") },
   { "A42", "interpolated values are rounded to the nearest, or cut",
     VALUES("nearest", "cut") },
   { "A43", "barycentric weights keep their precision, or have that of fp20",
     VALUES("exact", "fp20") },
   { "A44",
     "fragment registers are visible two packets after their write, or one",
     VALUES("two", "one") },
   { "A45",
     "alu0..3 hold the final result, or the one before scale, saturate and "
     "condition",
     VALUES("final", "raw") },
   { "A46", "fx10 overflow clamps, or wraps", VALUES("clamp", "wrap") },
   { "A47", "fp20 results of the ALU are rounded to the nearest, or cut",
     VALUES("nearest", "cut") },
   { "A48", "operands: times two comes before minus one, or behind it",
     VALUES("times-minus", "minus-times") },
   { "A49", "global registers hold nothing, or belong to the fragment",
     VALUES("garbage", "private") },
   { "A50", "face register of back faces: -1, or 0",
     VALUES("minus-one", "zero") },
   { "A51", "posx and posy count from 8192, or from 0", VALUES("8192", "0") },
   { "A54", "two-step functions take any argument, or -pi..pi and -31..32",
     VALUES("any", "limited") },
   { "A55",
     "several stores of a fragment happen in order, or only the first one",
     VALUES("all", "first") },
   { "A56",
     "a fetch sees earlier fragments of its draw, or the pixel from before "
     "it",
     VALUES("fragment", "draw") },
   { "A57",
     "row pitch of textures that are not a power of two: multiple of 64, or "
     "16",
     VALUES("64", "16") },
   { "A58",
     "textures that are not a power of two filter, or take the nearest texel",
     VALUES("bilinear", "nearest") },
   { "A59", "no descriptor bit makes a cube map, or one of DESC1 does",
     VALUES("none", "bit5", "bit6", "bit7", "bit13", "bit30", "bit31") },
   { "A60",
     "A8 and L8 textures: absent components are constants, or the value",
     VALUES("constant", "replicated") },
   { "A61", "5551 and 4444: alpha at the bottom, or at the top",
     VALUES("bottom", "top") },
   { "A62", "5-, 6- and 4-bit channels are rounded on store, or cut",
     VALUES("nearest", "cut") },
   { "A63", "filter weights are cut to 6 bits, or rounded",
     VALUES("cut", "nearest") },
   { "A64", "level of detail from the largest difference, or from the length",
     VALUES("largest", "length") },
   { "A65", "pitch of compressed levels: multiple of 16, or whole blocks",
     VALUES("16", "block") },
   { "A66", "format 0x0e exchanges components 0 and 2, or is 0x0d",
     VALUES("exchanges", "same") },
   { "A69", "fetches from 16-bit targets work, or give 0",
     VALUES("works", "zero") },
   { "A70",
     "the dither bit has no effect, or 0xe26 is a 2x2 pattern of thresholds",
     VALUES("ignored", "pattern") },
   { "A71", "sizes of stretch blits are extents minus one, or extents",
     VALUES("minus-one", "extent") },
   { "A72",
     "samples of stretch blits: source = start + i * step, or centre to "
     "centre",
     VALUES("corner", "centre") },
   { "A75", "GR3D at the start of a job: a poison pattern, or zero",
     VALUES("poison", "zero") },
   { "A79",
     "clocks of an EXEC: the larger number of MFU instructions and packets, "
     "or both",
     VALUES("largest", "sum") },
   { "A80",
     "packed schedule ports: first entry in the low byte, or in the high one",
     VALUES("low", "high") },
   { "A81", "fast rotate: TRANS_LR exchanges x and y, or TRANS_RL does",
     VALUES("lr", "rl") },
   { "A82", "filtered texels are rounded to the nearest fx10, or cut",
     VALUES("nearest", "cut") },
   { "A83",
     "alu0..3 in the first packet: as left by a similar fragment, or 0",
     VALUES("similar", "zero") },
   { "A84", "alu0..3 read as fx10: the value, or half of the bits",
     VALUES("value", "bits") },
   { "A85", "rsq, sqrt, lg2 of negative numbers use the magnitude, or give 0",
     VALUES("magnitude", "zero") },
   { "A86",
     "first steps of two-step functions leave a value of their own, or the "
     "argument",
     VALUES("own", "argument") },
   { "A87",
     "MFU multipliers see what the special function has written, or the old "
     "register",
     VALUES("new", "old") },
   { "A88",
     "depth outside 0x404..0x405 is judged before the polygon offset, or "
     "behind it",
     VALUES("before", "behind") },
   { "A89", "send without receive has no effect, or adds",
     VALUES("none", "adds") },
   { "A90", "a surface that 0x903 does not enable is not used, or works",
     VALUES("ignored", "works") },
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
      if (strcmp(switches[i].id, id) || sscanf(id, "A%u", &number) != 1 ||
          number >= sizeof(sim->switches))
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
