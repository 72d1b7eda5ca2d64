/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Gives every unit but the ALU operands that it can read: plain values in the
 * right format, each stored half a value of its own.  The ALU reads anything;
 * the others get copies where the program has another form.
 */

#include "fs.h"

struct rewrite {
   struct fs_program *p;
   struct fs_node *old;
   unsigned old_count;
   uint16_t *map;
   uint16_t *uses; /* per old node */
   bool *stored;   /* per new node: already the source of a store */
   bool *kept; /* per old node: a fetch whose pixel has to wait elsewhere, see
                  find_kept_pixels() */
   bool *
      kept_copy; /* per new node: component of such a pixel, where it waits */
};

static struct fs_src
copy(struct rewrite *r, struct fs_src src, enum fs_format format, bool sat)
{
   const struct fs_src result = fs_mov(r->p, src);
   struct fs_node *node = &r->p->nodes[result.index];

   node->format = format;
   node->sat = sat;
   return result;
}

/* A plain fp20 value in a register. */
static struct fs_src
legal_fp20(struct rewrite *r, struct fs_src src)
{
   if (src.kind == FS_SRC_NODE && src.mods == 0 &&
       r->p->nodes[src.index].format == FS_FP20)
      return src;
   return copy(r, src, FS_FP20, false);
}

/* The same for FS_OP_RAW, whose modifiers are those of a half of it. */
static struct fs_src
legal_bits(struct rewrite *r, struct fs_src src)
{
   struct fs_src value = src;

   value.mods = 0;
   value = legal_fp20(r, value);
   value.mods = src.mods;
   return value;
}

static struct fs_src
clone_of(struct rewrite *r, struct fs_src src)
{
   unsigned index;
   const struct fs_node clone = r->p->nodes[src.index];

   fs_add_node(r->p, clone.op, &index);
   r->p->nodes[index] = clone;
   return fs_node_src(index);
}

/* One operation on constants and interpolated values, which are made anew for
 * nothing. */
static bool
easily_computed(const struct fs_program *p, struct fs_src src)
{
   const struct fs_node *node = &p->nodes[src.index];

   if (!fs_op_is_alu(node->op) || node->op == FS_OP_ACC)
      return false;
   for (unsigned s = 0; s < node->num_srcs; s++) {
      if (node->src[s].kind == FS_SRC_NODE &&
          p->nodes[node->src[s].index].op != FS_OP_INTERP)
         return false;
   }
   return true;
}

static struct fs_src
coordinate(struct rewrite *r, struct fs_src old)
{
   const struct fs_src src = legal_fp20(r, fs_mapped(r->map, old));

   if (r->uses[old.index] < 2 || !easily_computed(r->p, src) ||
       !fs_choice(r->p, FS_CHOICE_SHARED, old.index) ||
       --r->uses[old.index] == 0)
      return src;
   return clone_of(r, src);
}

static const struct fs_node *
part_parent(const struct fs_program *p, struct fs_src src)
{
   if (src.kind != FS_SRC_NODE || src.mods ||
       p->nodes[src.index].op != FS_OP_PART)
      return NULL;
   return &p->nodes[p->nodes[src.index].src[0].index];
}

/* Does the program load values of an earlier part? */
static bool
loads_values(const struct fs_program *p)
{
   u_foreach_bit (rt, p->rts_fetched) {
      if (fs_holds_value(&p->key->rt[rt]))
         return true;
   }
   return false;
}

/* May component c be stored as the unit delivered it?  claimed: parent of
 * each of the two registers of the pair. */
static bool
passes_through(const struct fs_program *p, struct fs_src src, unsigned c,
               int claimed[2])
{
   const struct fs_node *parent = part_parent(p, src);
   /* values that depend on a loaded value, which is delivered to the same
    * pair of registers, cannot wait beside a pixel */
   if (!parent || (parent->op == FS_OP_FETCH && loads_values(p)))
      return false;

   const int index = p->nodes[src.index].src[0].index;
   const unsigned part = p->nodes[src.index].part;

   if (parent->op == FS_OP_INTERP) {
      if (part != (c & 1) ||
          (claimed[c / 2] >= 0 && claimed[c / 2] != index) ||
          claimed[!(c / 2)] == index)
         return false;
      claimed[c / 2] = index;
      return true;
   }
   if (part != c || (claimed[0] >= 0 && claimed[0] != index) ||
       (claimed[1] >= 0 && claimed[1] != index))
      return false;
   claimed[0] = claimed[1] = index;
   return true;
}

/* Lookups and fetches before interpolations: they fix both registers of the
 * pair. */
static unsigned
choose_pass_through(const struct fs_program *p, const struct fs_node *store)
{
   int claimed[2] = { -1, -1 };
   unsigned mask = 0;

   for (unsigned pass = 0; pass < 2; pass++) {
      for (unsigned c = 0; c < 4; c++) {
         const struct fs_node *parent = part_parent(p, store->src[c]);
         if (parent && (parent->op == FS_OP_INTERP) == (pass == 1) &&
             passes_through(p, store->src[c], c, claimed))
            mask |= 1u << c;
      }
   }
   return mask;
}

static void
legalize_store(struct rewrite *r, struct fs_node *store)
{
   struct fs_program *p = r->p;
   const unsigned pass_through = choose_pass_through(p, store);

   for (unsigned c = 0; c < 4; c++) {
      const struct fs_src src = store->src[c];
      if (pass_through & (1u << c))
         continue;
      const bool is_alu =
         src.kind == FS_SRC_NODE && fs_op_is_alu(p->nodes[src.index].op);
      if (!is_alu || src.mods || p->nodes[src.index].format != FS_FX10 ||
          r->kept_copy[src.index]) {
         /* a store clamps to 0..1, so that the copy may, and a value beyond
          * the range of fx10 must not wrap */
         store->src[c] = copy(r, src, FS_FX10, true);
      } else if (r->stored[src.index] &&
                 p->nodes[src.index].op == FS_OP_ACC) {
         store->src[c] =
            copy(r, src, FS_FX10, false); /* a sum takes all units */
      } else if (r->stored[src.index]) {
         /* one operation more, but no step later than the first */
         store->src[c] = clone_of(r, src);
      }
      r->stored[store->src[c].index] = true;
   }
}

/*
 * Fetches deliver into one pair of registers, and all that a program needs of
 * a target has to be fetched before the target is stored.  So when several
 * are fetched, and one of them for the sake of another's store or for a kill,
 * which comes before all stores, its pixel has to wait elsewhere.
 */
static void
find_kept_pixels(struct rewrite *r)
{
   uint16_t *reaches = rzalloc_array(
      r->p, uint16_t,
      MAX2(r->old_count, 1)); /* targets whose stores depend on the node */

   for (unsigned i = r->old_count; i-- > 0;) {
      const struct fs_node *node = &r->old[i];
      const unsigned mask = node->op == FS_OP_STORE ? 1u << node->rt
                            : node->kill            ? 0xffff
                                                    : reaches[i];
      for (unsigned s = 0; s < node->num_srcs; s++) {
         if (node->src[s].kind == FS_SRC_NODE)
            reaches[node->src[s].index] |= mask;
      }
      /* the value in the pixel is elsewhere anyway */
      r->kept[i] = node->op == FS_OP_FETCH && (mask & ~(1u << node->rt)) &&
                   !fs_holds_value(&r->p->key->rt[node->rt]) &&
                   util_bitcount(r->p->rts_fetched) > 1;
   }
   ralloc_free(reaches);
}

static void
rewrite_node(struct rewrite *r, unsigned i)
{
   struct fs_program *p = r->p;
   struct fs_node node = r->old[i];
   unsigned index;

   for (unsigned s = 0; s < node.num_srcs; s++)
      node.src[s] = fs_mapped(r->map, node.src[s]);

   switch ((enum fs_op)node.op) {
   case FS_OP_STORE:
      legalize_store(r, &node);
      break;
   case FS_OP_TEX:
      for (unsigned s = 0; s < node.num_srcs; s++) {
         if (node.src[s].kind != FS_SRC_NONE)
            node.src[s] = coordinate(r, r->old[i].src[s]);
      }
      break;
   case FS_OP_RAW:
      node.src[node.raw] = legal_bits(r, node.src[node.raw]);
      break;
   case FS_OP_SFU:
   case FS_OP_MUL:
      for (unsigned s = 0; s < node.num_srcs; s++) {
         if (node.src[s].kind != FS_SRC_NONE)
            node.src[s] = legal_fp20(r, node.src[s]);
      }
      break;
   default:
      break;
   }
   fs_add_node(p, node.op, &index);
   p->nodes[index] = node;
   r->map[i] = index;
   if (node.op == FS_OP_PART && r->kept[r->old[i].src[0].index]) {
      r->map[i] = copy(r, fs_node_src(index), FS_FX10, false).index;
      r->kept_copy[r->map[i]] = true;
   }
}

void
fs_legalize(struct fs_program *p)
{
   struct rewrite r = {
      .p = p,
      .old = p->nodes,
      .old_count = p->num_nodes,
      .map = ralloc_array(p, uint16_t, MAX2(p->num_nodes, 1)),
      .uses = ralloc_array(p, uint16_t, MAX2(p->num_nodes, 1)),
      .stored = rzalloc_array(p, bool, FS_MAX_NODES),
      .kept = rzalloc_array(p, bool, MAX2(p->num_nodes, 1)),
      .kept_copy = rzalloc_array(p, bool, FS_MAX_NODES),
   };

   fs_count_uses(p, r.uses);
   find_kept_pixels(&r);

   p->nodes = NULL;
   p->num_nodes = p->capacity = 0;
   for (unsigned i = 0; i < r.old_count; i++)
      rewrite_node(&r, i);
   ralloc_free(r.old);
   ralloc_free(r.map);
   ralloc_free(r.uses);
   ralloc_free(r.stored);
   ralloc_free(r.kept);
   ralloc_free(r.kept_copy);
   fs_dead_code(p);
   p->is_legal = true;
}
