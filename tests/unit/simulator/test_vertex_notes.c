/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * The public note "Vertex Shader ISA" row by row: words are packed from the note's table of bits alone, by the names that its
 * fields have there, and each row and each sentence about behaviour is a case.  Where this project reads the chip otherwise a
 * case says why, and with what switch the note's reading holds.
 *
 * A program is a list of instructions, each a list of "field=value"; fields that are not named have their neutral value.
 * Before it, r0 = (1.5, -2, 0.25, 4), r1 = (2, 3, -1, 0.5), r2 = (10, 20, 30, 40); attributes are a0 = (1, 2, 3, 4),
 * a1 = (5, 6, 7, 8), a2 = (9, 10, 11, 12), constants c[n] = (n, n, n, n) from 3 to 254, c[255] = 0. What counts is export 1,
 * which holds a0 before the program.
 */

#include <math.h>

#include "unit.h"
#include "capture.h"
#include "job.h"
#include "notes.h"
#include "tegra20/gr3d_regs.h"
#include "vertex.h"

/* The note's tables of opcodes. */
static const char *const vector_names[32] = {
   "NOP", "MOV", "MUL", "ADD", "MAD", "DP3", "DPH", "DP4", "DST", "MIN", "MAX", "SLT", "SGE", "ARL",
   "FRC", "FLR", "SEQ", "SFL", "SGT", "SLE", "SNE", "STR", "SSG", "ARR", "MVA", "TXL", "PSH", "POP",
};
static const char *const scalar_names[32] = {
   "NOP", "MOV", "RCP", "RCC", "RSQ", "EXP", "LOG", "LIT", "BRA", "BRI", "CLA", "CLI", "RET", "LG2",
   "EX2", "SIN", "COS", "17",  "18",  "PUSHA", "POPA",
};

/* The note's table of bits; V and S are its vector and scalar opcode. */
static const struct notes_field fields[] = {
   {"dummy", 127, 1, 0}, {"export vector write enable", 126, 1, 1},
   {"condition flags write enable", 125, 1, 0}, {"export relative addressing enable", 124, 1, 0},
   {"attribute relative addressing enable", 123, 1, 0}, {"saturate result", 122, 1, 0},
   {"condition register index", 121, 1, 0}, {"bit 120", 120, 1, 0},
   {"rC absolute value", 119, 1, 0}, {"rB absolute value", 118, 1, 0},
   {"rA absolute value", 117, 1, 0}, {"vector destination register", 111, 6, 63},
   {"condition set", 110, 1, 0}, {"condition check", 109, 1, 0},
   {"greater than 0", 108, 1, 1}, {"equal to 0", 107, 1, 1},
   {"less than 0", 106, 1, 1}, {"predicate swizzle", 98, 8, 0x1b},
   {"address register select", 96, 2, 0}, {"S", 91, 5, 0, scalar_names},
   {"V", 86, 5, 0, vector_names}, {"constant fetch index", 76, 10, 0},
   {"attribute fetch index", 72, 4, 0}, {"rA negate", 71, 1, 0},
   {"rA swizzle", 63, 8, 0x1b}, {"rA register", 57, 6, 0},
   {"rA type", 55, 2, 1}, {"rB negate", 54, 1, 0},
   {"rB swizzle", 46, 8, 0x1b}, {"rB register", 40, 6, 1},
   {"rB type", 38, 2, 1}, {"rC negate", 37, 1, 0},
   {"rC swizzle", 29, 8, 0x1b}, {"rC register", 23, 6, 2},
   {"rC type", 21, 2, 1}, {"scalar mask", 17, 4, 0xf},
   {"vector mask", 13, 4, 0xf}, {"scalar destination register", 7, 6, 63},
   {"export write index", 2, 5, 1}, {"constant relative addressing enable", 1, 1, 0},
   {"end of program", 0, 1, 0}, {NULL},
};

#define LOAD(n) "V=MOV;rA type=3;constant fetch index=" #n ";vector destination register=" #n ";export write index=31/"
/* instructions 0 to 3 of every program */
#define BEFORE LOAD(0) LOAD(1) LOAD(2) "V=MOV;rA type=2/"
#define QUIET ";export write index=31"
#define CHECK_ONLY(bit) ";condition check=1;greater than 0=0;equal to 0=0;less than 0=0;" bit "=1"
#define SET_FLAGS "V=MOV;condition set=1;condition flags write enable=1" QUIET "/"
#define SCALAR ";export vector write enable=0"
#define EVEN ";vector destination register=2" QUIET "/" /* an odd one, as 63, leaves A0 */
#define ADDRESS "V=ARL" EVEN                           /* A0 = (1, -2, 0, 4) */
#define INDEXED "V=MOV;rA type=3;constant relative addressing enable=1;constant fetch index=6"

struct row {
   const char *note, *program;
   float want[4];
   bool aborts;
   /* Where this project reads the chip otherwise: why, and what switch, if any, gives the note's reading. */
   const char *otherwise, *id, *value;
   float note_wants[4];
};

#define R0 {1.5f, -2, 0.25f, 4}
#define R1 {2, 3, -1, 0.5f}
#define R2 {10, 20, 30, 40}
#define A0 {1, 2, 3, 4}
#define ALL(v) {v, v, v, v}

static const struct row bits[] = {
   {"127 dummy / unused", "V=MOV;dummy=1", R0},
   {"126 export vector write enable", "V=MOV;S=MOV;export vector write enable=0", R2},
   {"125 condition flags write enable", "V=MOV;condition set=1" QUIET "/V=MOV" CHECK_ONLY("equal to 0"), R0},
   {"124 export relative addressing enable", ADDRESS "V=MOV;export relative addressing enable=1;export write index=0", R0},
   {"123 attribute relative addressing enable", ADDRESS "V=MOV;rA type=2;attribute relative addressing enable=1", {5, 6, 7, 8}},
   {"122 saturate result", "V=MOV;saturate result=1", {1, 0, 0.25f, 1}},
   {"121 condition register index",
    "V=MOV;condition set=1;condition flags write enable=1;condition register index=1" QUIET "/V=MOV" CHECK_ONLY("equal to 0"),
    R0},
   {"120: A0 = 0", ADDRESS INDEXED ";bit 120=1", ALL(6)},
   {"119 rC absolute value", "V=ADD;rC register=0;rC absolute value=1", {3, 0, 0.5f, 8}},
   {"118 rB absolute value", "V=MUL;rB absolute value=1", {3, -6, 0.25f, 2}},
   {"117 rA absolute value", "V=MOV;rA absolute value=1", {1.5f, 2, 0.25f, 4}},
   {"111..116 vector destination register", "V=MOV;vector destination register=5" QUIET "/V=MOV;rA register=5", R0},
   {"110 condition set", "V=MOV;condition flags write enable=1" QUIET "/V=MOV" CHECK_ONLY("equal to 0"), R0},
   {"109 condition check", SET_FLAGS "V=MOV;greater than 0=0;equal to 0=0;less than 0=0", R0},
   {"108 predicate - greater than 0", SET_FLAGS "V=MOV" CHECK_ONLY("greater than 0"), {1.5f, 2, 0.25f, 4}},
   {"107 predicate - equal to 0", SET_FLAGS "V=MOV" CHECK_ONLY("equal to 0"), A0},
   {"106 predicate - less than 0", SET_FLAGS "V=MOV" CHECK_ONLY("less than 0"), {1, -2, 3, 4}},
   {"98..105 predicate swizzle", SET_FLAGS "V=MOV" CHECK_ONLY("less than 0") ";predicate swizzle=0x55", R0},
   {"96..97 address register select", ADDRESS INDEXED ";address register select=3", ALL(10)},
   {"91..95 scalar opcode", "S=MOV" SCALAR, R2},
   {"86..90 vector opcode", "V=MOV", R0},
   {"76..85 constant fetch index", "V=MOV;rA type=3;constant fetch index=9", ALL(9)},
   {"72..75 attribute fetch index", "V=MOV;rA type=2;attribute fetch index=2", {9, 10, 11, 12}},
   {"71 rA negate", "V=MOV;rA negate=1", {-1.5f, 2, -0.25f, -4}},
   {"63..70 rA swizzle", "V=MOV;rA swizzle=0xe4", {4, 0.25f, -2, 1.5f}},
   {"57..62 rA register", "V=MOV;rA register=1", R1},
   {"55..56 rA type", "V=MOV;rA type=2", A0},
   {"54 rB negate", "V=MUL;rB negate=1", {-3, 6, 0.25f, -2}},
   {"46..53 rB swizzle", "V=MUL;rB swizzle=0", {3, -4, 0.5f, 8}},
   {"40..45 rB register", "V=MUL;rB register=0", {2.25f, 4, 0.0625f, 16}},
   {"38..39 rB type", "V=MUL;rB type=2", {1.5f, -4, 0.75f, 16}},
   {"37 rC negate", "V=ADD;rC negate=1", {-8.5f, -22, -29.75f, -36}},
   {"29..36 rC swizzle", "V=ADD;rC swizzle=0", {11.5f, 8, 10.25f, 14}},
   {"29..36 IADDR", "S=BRI;rC swizzle=6" QUIET "/V=MOV/V=NOP" QUIET, A0},
   {"23..28 rC register", "V=ADD;rC register=0", {3, -4, 0.5f, 8}},
   {"21..22 rC type", "V=ADD;rC type=2", {2.5f, 0, 3.25f, 8}},
   {"17..20 scalar op write-mask", "S=MOV;scalar mask=5" SCALAR, {1, 20, 3, 40}},
   {"13..16 vector op write-mask", "V=MOV;vector mask=10", {1.5f, 2, 0.25f, 4}},
   {"7..12 scalar destination register", "S=MOV;scalar destination register=5" SCALAR QUIET "/V=MOV;rA register=5", R2},
   {"2..6 export write index", "V=MOV;export write index=2", A0},
   {"1 constant relative addressing enable", ADDRESS INDEXED, ALL(7)},
   {"0 end of program", "V=MOV;end of program=1/V=MOV;rA register=1", R0},
};

static const struct row vector_opcodes[] = {
   {"0 NOP", "V=NOP", A0},
   {"1 MOV: rD = rA", "V=MOV", R0},
   {"2 MUL: rD = rA * rB", "V=MUL", {3, -6, -0.25f, 2}},
   {"3 ADD: rD = rA + rC", "V=ADD", {11.5f, 18, 30.25f, 44}},
   {"4 MAD: rD = rA * rB + rC", "V=MAD", {13, 14, 29.75f, 42}},
   {"5 DP3: rD = dot(rA.xyz, rB.xyz)", "V=DP3", ALL(-3.25f)},
   {"6 DPH: rD = dot(rA, vec4(rB.xyz, 1.0))", "V=DPH", ALL(-2.75f),
    .otherwise = "the family's DPH adds rB.w, and no public program has it (A15)", .id = "A15", .value = "newer",
    .note_wants = ALL(0.75f)},
   {"7 DP4: rD = dot(rA, rB)", "V=DP4", ALL(-1.25f)},
   {"8 DST: rD = vec4(1.0, rA.y * rB.y, rB.z, rA.w)", "V=DST", {1, -6, 0.25f, 0.5f},
    .otherwise = "the family's DST takes rA.z and rB.w, and no public program has it (A15)", .id = "A15", .value = "newer",
    .note_wants = {1, -6, -1, 4}},
   {"9 MIN", "V=MIN", {1.5f, -2, -1, 0.5f}},
   {"10 MAX", "V=MAX", {2, 3, 0.25f, 4}},
   {"11 SLT: rD = lessThan(rA, rB)", "V=SLT", {1, 1, 0, 0}},
   {"12 SGE: rD = greaterThanEqual(rA, rB)", "V=SGE", {0, 0, 1, 1}},
   {"13 ARL: A0 = floor(rA)", ADDRESS INDEXED, ALL(7)},
   {"14 FRC: rD = fract(rA)", "V=FRC", {0.5f, 0, 0.25f, 0}},
   {"15 FLR: rD = floor(rA)", "V=FLR", {1, -2, 0, 4}},
   {"16 SEQ: rD = equal(rA, rB)", "V=SEQ;rB swizzle=0x1b;rB register=0;rB absolute value=1", {1, 0, 1, 1}},
   {"17 SFL: false", "V=SFL", ALL(0)},
   {"18 SGT: rD = greaterThan(rA, rB)", "V=SGT", {0, 0, 1, 1}},
   {"19 SLE: rD = lessThanEqual(rA, rB)", "V=SLE", {1, 1, 0, 0}},
   {"20 SNE: rD = notEqual(rA, rB)", "V=SNE;rB register=0;rB absolute value=1", {0, 1, 0, 0}},
   {"21 STR: true", "V=STR", ALL(1)},
   {"22 SSG: rD = sign(rA)", "V=SSG", {1, -1, 1, 1}},
   {"23 ARR: A0 = round(rA)", "V=ARR" EVEN INDEXED, ALL(8)},
   {"24 MVA: A0.x = A0.z = A0.x + A0.z", ADDRESS "V=MVA" EVEN INDEXED ";address register select=2", ALL(7)},
   {"24 MVA: A0.y = A0.w = A0.y + A0.w", ADDRESS "V=MVA" EVEN INDEXED ";address register select=1", ALL(8)},
   {"26 PSH: push(A0); 27 POP: A0 = pop()", ADDRESS "V=PSH" QUIET "/V=ARL;rA register=1" EVEN "V=POP" EVEN INDEXED, ALL(7)},
};

static const struct row scalar_opcodes[] = {
   {"0 NOP", "S=NOP" SCALAR, A0},
   {"1 MOV: rD = rC", "S=MOV" SCALAR, R2},
   {"2 RCP: rD = 1.0 / rC", "S=RCP" SCALAR, ALL(0.1f)},
   {"3 RCC: clamp(1.0 / abs(rC), 2^-64, 2^64) * sign(rC)", "S=RCC;rC negate=1" SCALAR, ALL(-0.1f)},
   {"3 RCC of 0: 2^64 * sign(0)", "S=RCC;rC type=3;constant fetch index=255" SCALAR, ALL(0x1p64f),
    .otherwise = "the note has 0; the family's RCC keeps the sign of 0 apart, and no public program has it"},
   {"4 RSQ: rD = 1.0 / sqrt(rC)", "S=RSQ;rC register=0;rC swizzle=0xff" SCALAR, ALL(0.5f)},
   {"5 EXP", "S=EXP;rC register=0" SCALAR, {2, 0.5f, 2.8284271f, 1}},
   {"6 LOG", "S=LOG;rC register=0;rC negate=1" SCALAR, {0, 1.5f, 0.5849625f, 1}},
   {"7 LIT", "S=LIT;rC register=1" SCALAR, {1, 2, 1.7320508f, 1}},
   {"9 BRI: jump(IADDR)", "S=BRI;rC swizzle=6" QUIET "/V=MOV/V=NOP" QUIET, A0},
   {"11 CLI: push(IP); jump(IADDR)",
    "S=CLI;rC swizzle=6" QUIET "/V=MOV;end of program=1/V=MOV;rA register=1;vector destination register=0" QUIET "/S=RET" QUIET
    "/V=NOP" QUIET,
    R1},
   {"12 RET: jump(pop())", "S=CLI;rC swizzle=6" QUIET "/V=MOV;end of program=1/S=RET" QUIET "/V=MOV;rA register=1", R0},
   {"13 LG2: rD = log2(rC)", "S=LG2;rC register=0;rC swizzle=0xff" SCALAR, ALL(2)},
   {"14 EX2: rD = exp2(rC)", "S=EX2;rC register=0" SCALAR, ALL(2.8284271f)},
   {"15 SIN: rD = sin(rC)", "S=SIN;rC register=0" SCALAR, ALL(0.9974950f)},
   {"16 COS: rD = cos(rC)", "S=COS;rC register=0" SCALAR, ALL(0.0707372f)},
   {"19 PUSHA: push(A0); 20 POPA: A0 = pop()",
    ADDRESS "S=PUSHA" QUIET "/V=ARL;rA register=1" EVEN "S=POPA" QUIET "/" INDEXED, ALL(7)},
};

static const struct row selects[] = {
   {"swizzle 6..7: select x-component", "V=MOV;rA swizzle=0xdb", {4, -2, 0.25f, 4}},
   {"swizzle 4..5: select y-component", "V=MOV;rA swizzle=0x3b", {1.5f, 4, 0.25f, 4}},
   {"swizzle 2..3: select z-component", "V=MOV;rA swizzle=0x1f", {1.5f, -2, 4, 4}},
   {"swizzle 0..1: select w-component", "V=MOV;rA swizzle=0x18", {1.5f, -2, 0.25f, 1.5f}},
   {"0: source x-component", "V=MOV;rA swizzle=0x00", ALL(1.5f)},
   {"1: source y-component", "V=MOV;rA swizzle=0x55", ALL(-2)},
   {"2: source z-component", "V=MOV;rA swizzle=0xaa", ALL(0.25f)},
   {"3: source w-component", "V=MOV;rA swizzle=0xff", ALL(4)},
   {"mask 3: write x-component", "V=MOV;vector mask=8", {1.5f, 2, 3, 4}},
   {"mask 2: write y-component", "V=MOV;vector mask=4", {1, -2, 3, 4}},
   {"mask 1: write z-component", "V=MOV;vector mask=2", {1, 2, 0.25f, 4}},
   {"mask 0: write w-component", "V=MOV;vector mask=1;rA register=1", {1, 2, 3, 0.5f}},
   {"type 0: invalid/attribute", "V=MOV;rA type=0", A0},
   {"type 1: temporary", "V=MOV;rA type=1", R0},
   {"type 2: attribute", "V=MOV;rA type=2;attribute fetch index=1", {5, 6, 7, 8}},
   {"type 3: constant", "V=MOV;rA type=3;constant fetch index=5", ALL(5)},
   {"address register select 0: A0.x", ADDRESS INDEXED ";address register select=0", ALL(7)},
   {"address register select 1: A0.y", ADDRESS INDEXED ";address register select=1", ALL(4)},
   {"address register select 2: A0.z", ADDRESS INDEXED ";address register select=2", ALL(6)},
   {"address register select 3: A0.w", ADDRESS INDEXED ";address register select=3", ALL(10)},
};

#define PUSHES4 "S=PUSHA" QUIET "/S=PUSHA" QUIET "/S=PUSHA" QUIET "/S=PUSHA" QUIET "/"

static const struct row sentences[] = {
   {"condition registers are \"equal to 0\" on start", "V=MOV" CHECK_ONLY("equal to 0"), R0},
   {"altered to less, equal, greater by component",
    "V=SGT;condition set=1;condition flags write enable=1" QUIET "/V=MOV" CHECK_ONLY("equal to 0"), {1.5f, -2, 3, 4}},
   {"only components of the op write-mask",
    "V=MOV;vector mask=8;condition set=1;condition flags write enable=1" QUIET "/V=MOV" CHECK_ONLY("equal to 0"),
    {1, -2, 0.25f, 4}},
   {"result of a vector operation takes precedence (condition)",
    "V=SFL;S=MOV;condition set=1;condition flags write enable=1" QUIET "/V=MOV" CHECK_ONLY("equal to 0"), R0},
   {"executed when \"condition check\" and predicate bits say so", SET_FLAGS "V=MOV;rA register=1" CHECK_ONLY("less than 0"),
    {1, 3, 3, 4}},
   {"with no predicate bit nothing is updated", "V=MOV;condition check=1;greater than 0=0;equal to 0=0;less than 0=0", A0},
   {"true is 1.0, false is 0.0", "V=SLT", {1, 1, 0, 0}},
   {"rD is that of both: the vector result takes precedence",
    "V=MOV;S=MOV;vector destination register=5;scalar destination register=5" QUIET "/V=MOV;rA register=5", R0},
   {"the first component of the swizzled rC is the source", "S=RCP;rC register=0;rC swizzle=0xdb" SCALAR, ALL(0.25f)},
   {"the scalar result is repeated, taking the write mask into account", "S=RCP;scalar mask=10" SCALAR, {0.1f, 2, 0.1f, 4}},
   {"scalar's MOV acts as vector's MOV", "S=MOV;rC swizzle=0xe4" SCALAR, {40, 30, 20, 10}},
   {"rA in 32..63 aborts", "V=MOV;rA register=32", .aborts = true},
   {"rA 63 aborts, though it is not used", "V=NOP;rA register=63;rA type=3", .aborts = true},
   {"rB in 32..63 aborts", "V=MUL;rB register=32", .aborts = true},
   {"rB 63 aborts, though it is not used", "V=MOV;rB register=63", .aborts = true},
   {"rC in 32..63 aborts", "S=MOV;rC register=32", .aborts = true},
   {"rC 63 aborts, though it is not used", "V=MOV;rC register=63", .aborts = true},
   {"vector rD 32 aborts", "V=MOV;vector destination register=32", .aborts = true},
   {"vector rD 62 aborts", "V=MOV;vector destination register=62", .aborts = true},
   {"scalar rD 32 aborts", "V=MOV;scalar destination register=32", .aborts = true},
   {"scalar rD 62 aborts", "V=MOV;scalar destination register=62", .aborts = true},
   {"export register number 16 aborts", "V=MOV;export write index=16", .aborts = true},
   {"export register number 30 aborts", "V=NOP;export write index=30", .aborts = true},
   {"stack underflow aborts", "S=RET" QUIET, .aborts = true},
   {"stack underflow of POPA aborts", "S=POPA" QUIET, .aborts = true},
   {"stack of 8 holds 8", PUSHES4 PUSHES4 "V=MOV", R0},
   {"stack overflow aborts", PUSHES4 PUSHES4 "S=PUSHA" QUIET, .aborts = true},
   {"the stack is shared by PUSHA and CAL", PUSHES4 PUSHES4 "S=CLI;rC swizzle=13" QUIET "/V=MOV", .aborts = true},
   {"rD 63 is a dummy for what is exported only", "V=MOV;vector destination register=63", R0},
   {"rD 0..31 and the export are written both", "V=MOV;rA register=1;vector destination register=0/V=MOV", R1},
   {"export 31 is disabled", "V=MOV;export write index=31", A0},
   {"instructions alter the components of their masks", "V=MOV;vector mask=8/V=MOV;rA register=1;vector mask=1",
    {1.5f, 2, 3, 0.5f}},
   {"export write index = A0.c + export write index",
    ADDRESS "V=MOV;export relative addressing enable=1;address register select=1;export write index=3", R0},
   {"each component of rA is that of A0", ADDRESS INDEXED ";address register select=1", ALL(4)},
   {"ARL: the write mask enables components", "V=ARL;vector mask=1" EVEN INDEXED, ALL(6)},
   {"ARL: the destination register is not affected", "V=ARL;rA register=1;vector destination register=0" QUIET "/V=MOV", R0},
   {"ARL: an odd rD leaves A0", "V=ARL;vector destination register=1" QUIET "/" INDEXED, ALL(6)},
   {"ARL: an even rD updates A0", "V=ARL;vector destination register=2" QUIET "/" INDEXED, ALL(7)},
   {"identical push of both halves is one", ADDRESS "V=PSH;S=PUSHA" QUIET "/S=POPA" QUIET "/S=POPA" QUIET, .aborts = true},
   {"push and pop in one instruction are nothing", ADDRESS "V=PSH;S=POPA" QUIET "/" INDEXED, ALL(7)},
   {"constant > 1023 is 0", "V=ARL;rA type=3;constant fetch index=250" EVEN INDEXED ";constant fetch index=1000", ALL(0)},
   {"constant < 0 is constant 1", ADDRESS INDEXED ";address register select=1;constant fetch index=0", R1},
   {"fetched constant index = A0.c + constant fetch index", ADDRESS INDEXED ";constant fetch index=20", ALL(21)},
   {"fetched attribute index = A0.c + attribute fetch index",
    ADDRESS "V=MOV;rA type=2;attribute relative addressing enable=1;attribute fetch index=1", {9, 10, 11, 12}},
   {"branches need predicate bits", "S=BRI;rC swizzle=6;condition check=1;greater than 0=0;equal to 0=0;less than 0=0" QUIET
    "/V=MOV/V=NOP" QUIET, R0},
   {"branches are taken when the test is positive", "S=BRI;rC swizzle=6" CHECK_ONLY("equal to 0") QUIET "/V=MOV/V=NOP" QUIET,
    A0},
   {"branches are not taken otherwise", "S=BRI;rC swizzle=6" CHECK_ONLY("less than 0") QUIET "/V=MOV/V=NOP" QUIET, R0},
   {"calls need the predicate, too", "S=CLI;rC swizzle=6" CHECK_ONLY("less than 0") QUIET "/V=MOV;end of program=1/V=NOP" QUIET,
    R0},
   {"\"saturate result\" clamps the scalar result", "S=MOV;saturate result=1" SCALAR, ALL(1)},
};

static struct job *
frame(void)
{
   static const float attributes[3][4] = {{1, 2, 3, 4}, {5, 6, 7, 8}, {9, 10, 11, 12}};
   static const float registers[3][4] = {R0, R1, R2};
   struct job *job = job_create(false);

   job_poke(job, JOB_VERTICES, attributes, sizeof(attributes));
   job_frame(job);
   job_write(job, GR3D_VP_ATTRIB_IN_OUT_SELECT, 0x00070003);
   for (unsigned i = 0; i < 3; i++) {
      const float *r = registers[i];

      job_attrib(job, i, JOB_VERTICES + 16 * i, 0x104d);
      job_vertex_constant_f(job, i, r[0], r[1], r[2], r[3]);
   }
   for (unsigned i = 3; i < 255; i++)
      job_vertex_constant_f(job, i, i, i, i, i);
   job_vertex_constant_f(job, 255, 0, 0, 0, 0);
   return job;
}

/* The status, and export 1. */
static enum sim_status
run(const struct row *row, bool as_noted, float got[4])
{
   static char text[4096];
   uint32_t words[64][4];
   unsigned count = 0;
   char *state = NULL;
   struct job *job = frame();

   if (as_noted)
      assert_true(sim_set_switch(job->sim, row->id, row->value));
   snprintf(text, sizeof(text), BEFORE "%s", row->program);
   for (char *one = strtok_r(text, "/", &state); one; one = strtok_r(NULL, "/", &state))
      notes_pack(fields, one, words[count++], 4);
   words[count - 1][3] |= 1; /* the end */
   capture_clear();
   job_vertex_program(job, words, count);
   job_draw(job, GR3D_PRIMITIVE_TYPE_POINTS, GR3D_INDEX_MODE_NONE, 0, 1);
   const enum sim_status status = job_run(job);
   memcpy(got, job->sim->gr3d.vertex->exports[0].v[1], 16);
   return status;
}

static void
check(const struct row *row)
{
   if (row->otherwise)
      print_message("read otherwise: %s: %s\n", row->note, row->otherwise);
   for (unsigned as_noted = 0; as_noted < (row->id ? 2 : 1); as_noted++) {
      const float *want = as_noted ? row->note_wants : row->want;
      float got[4];
      const enum sim_status status = run(row, as_noted, got);
      bool ok = (status != SIM_OK) == row->aborts;

      for (unsigned i = 0; i < 4 && !row->aborts; i++)
         ok &= fabsf(got[i] - want[i]) <= 1e-5f * fmaxf(1, fabsf(want[i]));
      if (!ok)
         fail_msg("%s: status %d, (%g, %g, %g, %g) instead of (%g, %g, %g, %g)", as_noted ? "as noted" : "here", status, got[0],
                  got[1], got[2], got[3], want[0], want[1], want[2], want[3]);
   }
}

#define TABLE_TEST(table)               \
   TEST_ROWS_CALLED(table, table, note) \
   {                                    \
      check(c);                         \
   }

TABLE_TEST(bits)
TABLE_TEST(vector_opcodes)
TABLE_TEST(scalar_opcodes)
TABLE_TEST(selects)
TABLE_TEST(sentences)
