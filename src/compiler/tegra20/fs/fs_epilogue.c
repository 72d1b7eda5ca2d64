/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Fixed functions that other hardware has behind the program: blending,
 * colour mask, logic operation, component order, stores, late stencil.
 * Everything is ordinary nodes, scheduled together with the program.
 *
 * The pixel before this fragment is fetched only when a result depends on it.
 * The forms are those that cost one operation per component: source-over as
 * (sa - 1) * (-d) + s, interpolation by alpha with operand D.
 */

#include "fs.h"
#include "util/blend.h"

/* Position in memory; components that the target lacks get an unread
 * position. */
static unsigned
memory_component(const struct tegra20_fs_rt_key *rt, unsigned component)
{
   switch (rt->order) {
   case TEGRA20_RT_BGRA:
      return component != 3 ? 2 - component : component;
   case TEGRA20_RT_R:
      return 3 - component;
   default:
      return component;
   }
}

/* Mask of the colour components that the target has. */
static unsigned
target_components(const struct tegra20_fs_rt_key *rt)
{
   switch (rt->order) {
   case TEGRA20_RT_R:
      return 0x1;
   case TEGRA20_RT_RG:
      return 0x3;
   default:
      return rt->has_alpha ? 0xf : 0x7;
   }
}

static unsigned
fetch_node(struct fs_program *p, unsigned rt)
{
   for (unsigned i = 0; i < p->num_nodes; i++) {
      if (p->nodes[i].op == FS_OP_FETCH && p->nodes[i].rt == rt)
         return i;
   }
   unsigned index;
   struct fs_node *node = fs_add_node(p, FS_OP_FETCH, &index);
   node->rt = rt;
   node->surface = p->key->rt[rt].surface;
   p->rts_fetched |= 1u << rt;
   return index;
}

/* The targets of the values that are stored and loaded with the one of this
 * target, in their order; returns how many there are. */
static unsigned
find_group(const struct tegra20_fs_key *key, unsigned rt,
           unsigned member[TEGRA20_GROUP_SIZE])
{
   const int number = tegra20_number_of_group(key->rt[rt].group);
   unsigned count = 1;

   for (unsigned i = 0; i < TEGRA20_GROUP_SIZE; i++)
      member[i] = rt;
   for (unsigned i = 0; i < key->nr_cbufs && number >= 0; i++) {
      const unsigned place = tegra20_place_in_group(key->rt[i].group);

      if (tegra20_number_of_group(key->rt[i].group) == number) {
         member[place] = i;
         count = MAX2(count, place + 1);
      }
   }
   return count;
}

static struct fs_src
fetch_value(struct fs_program *p, unsigned rt)
{
   unsigned fetch[TEGRA20_GROUP_SIZE];
   const unsigned count = find_group(p->key, rt, fetch),
                  place = tegra20_place_in_group(p->key->rt[rt].group);

   for (unsigned i = 0; i < count; i++)
      fetch[i] = fetch_node(p, fetch[i]);
   return fs_load_value(p, fetch, count, place);
}

struct fs_src
fs_fetch_component(struct fs_program *p, unsigned rt, unsigned component)
{
   const struct tegra20_fs_rt_key *key = &p->key->rt[rt];

   if (rt >= p->key->nr_cbufs || !key->bound)
      return component == 3 ? fs_one() : fs_zero(); /* undefined */
   if (fs_holds_value(key))
      return fetch_value(p, rt);
   if (!(target_components(key) & (1u << component)))
      return component == 3 ? fs_one() : fs_zero();
   return fs_part(p, fetch_node(p, rt), memory_component(key, component));
}

/* --- blending --- */

/* A blend factor is f or 1 - f. */
struct factor {
   struct fs_src f;
   bool inverted;
};

static struct factor
blend_factor(struct fs_program *p, unsigned rt, unsigned factor,
             const struct fs_src src[4], unsigned c)
{
   struct factor result = { .inverted =
                               util_blendfactor_is_inverted(factor) };

   switch (util_blendfactor_without_invert(factor)) {
   case PIPE_BLENDFACTOR_ONE:
      result.f = fs_one();
      break;
   case PIPE_BLENDFACTOR_SRC_COLOR:
      result.f = src[c];
      break;
   case PIPE_BLENDFACTOR_SRC_ALPHA:
      result.f = src[3];
      break;
   case PIPE_BLENDFACTOR_DST_ALPHA:
      result.f = fs_fetch_component(p, rt, 3);
      break;
   case PIPE_BLENDFACTOR_DST_COLOR:
      result.f = fs_fetch_component(p, rt, c);
      break;
   case PIPE_BLENDFACTOR_SRC_ALPHA_SATURATE:
      result.f =
         c == 3 ? fs_one()
                : fs_min(p, src[3], fs_not(p, fs_fetch_component(p, rt, 3)));
      break;
   case PIPE_BLENDFACTOR_CONST_COLOR:
      result.f = fs_param(p, TEGRA20_PARAM_BLEND_COLOR + c);
      break;
   case PIPE_BLENDFACTOR_CONST_ALPHA:
      result.f = fs_param(p, TEGRA20_PARAM_BLEND_COLOR + 3);
      break;
   default:
      fs_error(p, "blending with two source colours is not supported");
      result.f = fs_one();
      break;
   }
   return result;
}

/* x * factor + y */
static struct fs_src
weighted(struct fs_program *p, struct fs_src x, struct factor factor,
         struct fs_src y)
{
   if (!factor.inverted)
      return fs_mad(p, x, factor.f, y);
   if (fs_is_one(factor.f))
      return y;
   if (fs_is_zero(factor.f))
      return fs_add(p, x, y);
   return fs_mad(p, fs_not(p, factor.f), x, y);
}

static bool
same_factor(struct factor a, struct factor b)
{
   return fs_src_equal(a.f, b.f);
}

static struct fs_src
blend_component(struct fs_program *p, unsigned rt, const struct fs_src src[4],
                unsigned c)
{
   const struct tegra20_fs_rt_key *key = &p->key->rt[rt];
   const unsigned func = c == 3 ? key->alpha_func : key->rgb_func;
   const unsigned src_factor = c == 3 ? key->alpha_src : key->rgb_src;
   const unsigned dst_factor = c == 3 ? key->alpha_dst : key->rgb_dst;

   if (func == PIPE_BLEND_MIN || func == PIPE_BLEND_MAX) {
      const struct fs_src dst = fs_fetch_component(p, rt, c);
      return func == PIPE_BLEND_MIN ? fs_min(p, src[c], dst)
                                    : fs_max(p, src[c], dst);
   }

   const struct factor sf = blend_factor(p, rt, src_factor, src, c);
   if (dst_factor == PIPE_BLENDFACTOR_ZERO)
      return func == PIPE_BLEND_REVERSE_SUBTRACT
                ? fs_zero()
                : weighted(p, src[c], sf, fs_zero());

   const struct factor df = blend_factor(p, rt, dst_factor, src, c);
   const struct fs_src dst = fs_fetch_component(p, rt, c);

   if (func == PIPE_BLEND_ADD && same_factor(sf, df) &&
       sf.inverted != df.inverted)
      return sf.inverted ? fs_lerp(p, src[c], dst, sf.f)
                         : fs_lerp(p, dst, src[c], sf.f);

   const struct fs_src s =
      func == PIPE_BLEND_REVERSE_SUBTRACT ? fs_neg(src[c]) : src[c];
   const struct fs_src d = func == PIPE_BLEND_SUBTRACT ? fs_neg(dst) : dst;

   /* the product whose factor is 1 is not needed: it becomes the addend of
    * the other */
   if (fs_is_one(sf.f) && !sf.inverted)
      return weighted(p, d, df, s);
   if (fs_is_one(df.f) && !df.inverted)
      return weighted(p, s, sf, d);
   return weighted(p, d, df, weighted(p, s, sf, fs_zero()));
}

/* --- logic operations --- */

/*
 * Bitwise operations need the bits of the bytes.  A byte is kept as a
 * fraction whose highest bit is worth one half: 2x - 1, which is an operand
 * modifier, is not negative when the bit is set, so that a selection takes it
 * away and doubles the rest, and a minimum with a condition is the AND of two
 * bits.  One sum over the bits is enough, that of AND, because the other
 * operations are sums of it and of the whole bytes: s + d - (s & d) is s | d,
 * and so on.
 */
struct byte {
   struct fs_src value; /* in units of 1/256 */
   struct fs_src rest; /* remainder below the bits taken so far, as a fraction
                          of 1 */
};

/*
 * The byte that a store of v makes: v - (v >= 1/2), in units of 1/256
 * (fragment-pipeline.md 2.3).  A computed v may lie between two bytes and a
 * store rounds it: a little less than half a step more, so that a multiple of
 * 1/256 stays what it is if it is kept in a register of 10 bits.
 */
static struct byte
byte_of(struct fs_program *p, struct fs_src v)
{
   const bool exact =
      v.kind == FS_SRC_NODE && !v.mods && p->nodes[v.index].op == FS_OP_PART;
   const struct fs_src upper_half =
      fs_greater_equal(p, v, fs_imm(p, 0.5f + 1.0f / 512));
   const struct fs_src value =
      fs_mad(p, upper_half, fs_imm(p, -1.0f / 256), v);

   return (struct byte){ value,
                         exact ? value
                               : fs_add(p, value, fs_imm(p, 7.0f / 4096)) };
}

static struct fs_src
above_half(struct fs_program *p, struct fs_src rest)
{
   return fs_add(p, fs_add(p, rest, rest), fs_neg(fs_one()));
}

static struct fs_src
next_bit(struct fs_program *p, struct fs_src rest)
{
   const struct fs_src low = above_half(p, rest);
   return fs_sat(p, fs_select_negative(p, low, fs_add(p, rest, rest), low));
}

/*
 * The operation is a sum: *start, from the bytes, plus the result times the
 * AND of both.  Beginning with the former keeps the bytes from being alive
 * until the end.
 */
static float
byte_sum(struct fs_program *p, unsigned func, struct fs_src s,
         struct fs_src d, struct fs_src *start)
{
   const struct fs_src all = fs_imm(p, 255.0f / 256);

   switch (func) {
   case PIPE_LOGICOP_AND:
      *start = fs_zero();
      return 1;
   case PIPE_LOGICOP_NAND:
      *start = all;
      return -1;
   case PIPE_LOGICOP_AND_REVERSE:
      *start = s;
      return -1;
   case PIPE_LOGICOP_AND_INVERTED:
      *start = d;
      return -1;
   case PIPE_LOGICOP_OR_REVERSE:
      *start = fs_add(p, all, fs_neg(d));
      return 1;
   case PIPE_LOGICOP_OR_INVERTED:
      *start = fs_add(p, all, fs_neg(s));
      return 1;
   case PIPE_LOGICOP_XOR:
      *start = fs_add(p, s, d);
      return -2;
   case PIPE_LOGICOP_EQUIV:
      *start = fs_add(p, all, fs_neg(fs_add(p, s, d)));
      return 2;
   case PIPE_LOGICOP_NOR:
      *start = fs_add(p, all, fs_neg(fs_add(p, s, d)));
      return 1;
   default:
      *start = fs_add(p, s, d);
      return -1; /* OR */
   }
}

static struct fs_src
logic_component(struct fs_program *p, unsigned rt, struct fs_src src,
                unsigned c)
{
   const unsigned func = p->key->logicop_func;

   switch (func) {
   case PIPE_LOGICOP_CLEAR:
      return fs_zero();
   case PIPE_LOGICOP_SET:
      return fs_one();
   case PIPE_LOGICOP_COPY:
      return src;
   case PIPE_LOGICOP_COPY_INVERTED:
      return fs_not(p, src);
   case PIPE_LOGICOP_NOOP:
      return fs_fetch_component(p, rt, c);
   case PIPE_LOGICOP_INVERT:
      return fs_not(p, fs_fetch_component(p, rt, c));
   default:
      break;
   }
   struct byte s = byte_of(p, src),
               d = byte_of(p, fs_fetch_component(p, rt, c));
   struct fs_src sum;
   const float factor = byte_sum(p, func, s.value, d.value, &sum);

   for (float weight = 0.5f; weight >= 1.0f / 256; weight /= 2) {
      const struct fs_src smaller =
         fs_min(p, above_half(p, s.rest), above_half(p, d.rest));
      sum = fs_mad(p, fs_greater_equal(p, smaller, fs_zero()),
                   fs_imm(p, factor * weight), sum);
      s.rest = next_bit(p, s.rest);
      d.rest = next_bit(p, d.rest);
   }
   /* back from bytes to the value that is stored as this byte */
   return fs_mad(p, fs_greater_equal(p, sum, fs_imm(p, 0.5f)),
                 fs_imm(p, 1.0f / 256), sum);
}

/* --- stores --- */

static bool
uses_destination(const struct tegra20_fs_key *key,
                 const struct tegra20_fs_rt_key *rt)
{
   return key->logicop_enable || rt->blend_enable;
}

/* A component that the target lacks is never read: any free value does. */
static struct fs_src
unread_component(const struct fs_program *p, struct fs_src value)
{
   const bool free = value.kind == FS_SRC_NODE && value.mods == 0 &&
                     p->nodes[value.index].op == FS_OP_PART;
   return free ? value : fs_one();
}

static void
store_pixel(struct fs_program *p, unsigned rt, const struct fs_src memory[4])
{
   unsigned index;
   struct fs_node *node = fs_add_node(p, FS_OP_STORE, &index);

   node->rt = rt;
   node->surface = p->key->rt[rt].surface;
   node->num_srcs = 4;
   memcpy(node->src, memory, sizeof(node->src[0]) * 4);
   p->rts_stored |= 1u << rt;
}

/* Stores the group of a target together with its first value. */
static void
store_values(struct fs_program *p, unsigned rt,
             const struct fs_outputs *outputs)
{
   struct fs_src value[TEGRA20_GROUP_SIZE], pixel[TEGRA20_GROUP_SIZE][4];
   unsigned member[TEGRA20_GROUP_SIZE];
   const unsigned count = find_group(p->key, rt, member);

   if (member[0] != rt)
      return;
   for (unsigned i = 0; i < count; i++)
      value[i] = outputs->color[member[i]][0];
   fs_store_values(p, value, count, pixel);
   for (unsigned i = 0; i < count; i++)
      store_pixel(p, member[i], pixel[i]);
}

static void
store_target(struct fs_program *p, unsigned rt, const struct fs_src color[4])
{
   const struct tegra20_fs_key *key = p->key;
   const struct tegra20_fs_rt_key *rt_key = &key->rt[rt];
   const unsigned all = target_components(rt_key);
   const unsigned mask = rt_key->colormask & all;
   const bool combine = uses_destination(key, rt_key);
   struct fs_src src[4], out[4], memory[4];

   if (mask == 0)
      return;
   for (unsigned c = 0; c < 4; c++)
      src[c] = combine && key->clamp_color ? fs_sat(p, color[c]) : color[c];

   for (unsigned c = 0; c < 4; c++) {
      if (!(all & (1u << c)))
         out[c] = unread_component(p, color[c]);
      else if (!(mask & (1u << c)))
         out[c] = fs_fetch_component(p, rt, c);
      else if (!combine)
         out[c] = src[c];
      else if (key->logicop_enable &&
               !rt_key->blend_enable) /* occlusion counters are added all the
                                         same */
         out[c] = logic_component(p, rt, src[c], c);
      else
         out[c] = blend_component(p, rt, src, c);
   }

   for (unsigned c = 0; c < 4; c++)
      memory[memory_component(rt_key, c)] = out[c];
   store_pixel(p, rt, memory);
}

void
fs_epilogue(struct fs_program *p, const struct fs_outputs *outputs)
{
   for (unsigned rt = 0; rt < p->key->nr_cbufs; rt++) {
      if (!p->key->rt[rt].bound || !outputs->written[rt])
         continue;
      if (fs_holds_value(&p->key->rt[rt]))
         store_values(p, rt, outputs);
      else
         store_target(p, rt, outputs->color[rt]);
   }
   if (p->key->late_stencil && p->kills) {
      unsigned index;
      fs_add_node(p, FS_OP_STENCIL, &index);
   }
}
