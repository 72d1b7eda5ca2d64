/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * Clocks, resets and power domains of the engines.  All clocks accept any
 * rate.  What counts is whether an engine can work: a job for one without
 * clock, in reset or without power stands still, and an engine that was in
 * one of these states has forgotten its faults.
 */

#include <linux/bitops.h>
#include <linux/clk-provider.h>
#include <linux/clkdev.h>
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/of.h>
#include <linux/pm_domain.h>
#include <linux/reset-controller.h>
#include <linux/spinlock.h>

#include "tegra20.h"

#define NUM_CLOCKS 32
#define NUM_RESETS 96
#define NUM_DOMAINS 2

/* The memory controller's reset lines behind the modules' own. */
#define RESET_MC_GR2D 65
#define RESET_MC_GR3D 66

struct clock {
   struct clk_hw hw;
   unsigned int id;
   unsigned long rate;
};

static DEFINE_SPINLOCK(lock);
static struct clock clocks[NUM_CLOCKS];
static u32 running; /* bit per clock */
static DECLARE_BITMAP(in_reset, NUM_RESETS);
static DECLARE_BITMAP(powered, NUM_DOMAINS);

static struct clock pll_p = { .rate = 216000000 };
static struct clock pll_d = { .rate = 27000000 };

bool
t20_clock_running(unsigned int id)
{
   return running & BIT(id);
}

unsigned long
t20_clock_rate(unsigned int id)
{
   return clocks[id].rate;
}

static bool
is_usable(unsigned int clock, unsigned int mc_reset, unsigned int domain)
{
   return (running & BIT(clock)) && !test_bit(clock, in_reset) &&
          !test_bit(mc_reset, in_reset) && test_bit(domain, powered);
}

/* Called under the lock. */
static void
update_engines(void)
{
   u32 usable = 0, before;
   if (!t20_shared)
      return;
   if (is_usable(T20_CLK_GR2D, RESET_MC_GR2D, 0))
      usable |= VM_ENGINE_GR2D;
   if (is_usable(T20_CLK_GR3D, RESET_MC_GR3D, 1))
      usable |= VM_ENGINE_GR3D;
   before =
      __atomic_exchange_n(&t20_shared->usable, usable, __ATOMIC_SEQ_CST);
   if (before != usable)
      t20_call(VM_MSG_ENGINES, 0, before, 0);
}

/* --- clocks --- */

static struct clock *
to_clock(struct clk_hw *hw)
{
   return container_of(hw, struct clock, hw);
}

static void
set_running(struct clk_hw *hw, bool on)
{
   unsigned long flags;
   spin_lock_irqsave(&lock, flags);
   if (on)
      running |= BIT(to_clock(hw)->id);
   else
      running &= ~BIT(to_clock(hw)->id);
   update_engines();
   spin_unlock_irqrestore(&lock, flags);
}

static int
clock_enable(struct clk_hw *hw)
{
   set_running(hw, true);
   return 0;
}

static void
clock_disable(struct clk_hw *hw)
{
   set_running(hw, false);
}

static int
clock_is_enabled(struct clk_hw *hw)
{
   return t20_clock_running(to_clock(hw)->id);
}

static unsigned long
clock_recalc_rate(struct clk_hw *hw, unsigned long parent_rate)
{
   return to_clock(hw)->rate;
}

static int
clock_determine_rate(struct clk_hw *hw, struct clk_rate_request *request)
{
   return 0;
}

static int
clock_set_rate(struct clk_hw *hw, unsigned long rate,
               unsigned long parent_rate)
{
   to_clock(hw)->rate = rate;
   return 0;
}

static int
clock_set_parent(struct clk_hw *hw, u8 index)
{
   return 0;
}

static u8
clock_get_parent(struct clk_hw *hw)
{
   return 0;
}

static const struct clk_ops pll_ops = {
   .recalc_rate = clock_recalc_rate,
   .determine_rate = clock_determine_rate,
   .set_rate = clock_set_rate,
};

static const struct clk_ops gate_ops = {
   .enable = clock_enable,
   .disable = clock_disable,
   .is_enabled = clock_is_enabled,
   .recalc_rate = clock_recalc_rate,
   .determine_rate = clock_determine_rate,
   .set_rate = clock_set_rate,
   .set_parent = clock_set_parent,
   .get_parent = clock_get_parent,
};

static const char *const parents[] = { "pll_p" };

static struct clk_hw *
register_clock(struct clock *clock, const char *name, bool gate)
{
   const struct clk_init_data init = {
      .name = name,
      .ops = gate ? &gate_ops : &pll_ops,
      .parent_names = parents,
      .num_parents = gate ? 1 : 0,
   };
   int err;
   clock->hw.init = &init;
   err = clk_hw_register(NULL, &clock->hw);
   return err ? ERR_PTR(err) : &clock->hw;
}

/* The cell is the number of the gate, or 121 for pll_p. */
static struct clk_hw *
get_clock(struct of_phandle_args *args, void *data)
{
   unsigned int id = args->args[0];
   if (id == 121)
      return &pll_p.hw;
   return id < NUM_CLOCKS && clocks[id].rate ? &clocks[id].hw
                                             : ERR_PTR(-EINVAL);
}

static void __init
init_clocks(struct device_node *node)
{
   static const struct {
      unsigned int id;
      const char *name;
      unsigned long rate;
   } gates[] = {
      { T20_CLK_GR2D, "gr2d", 300000000 },
      { T20_CLK_GR3D, "gr3d", 300000000 },
      { T20_CLK_DISP1, "disp1", 216000000 },
      { T20_CLK_DISP2, "disp2", 216000000 },
      { T20_CLK_HOST1X, "host1x", 166000000 },
   };
   unsigned int i;
   register_clock(&pll_p, "pll_p", false);
   if (!IS_ERR(register_clock(&pll_d, "pll_d_out0", false)))
      clk_hw_register_clkdev(&pll_d.hw, "pll_d_out0", NULL);
   for (i = 0; i < ARRAY_SIZE(gates); i++) {
      struct clock *clock = &clocks[gates[i].id];
      clock->id = gates[i].id;
      clock->rate = gates[i].rate;
      if (IS_ERR(register_clock(clock, gates[i].name, true)))
         pr_err("tegra20: clock %s is refused\n", gates[i].name);
   }
   of_clk_add_hw_provider(node, get_clock, NULL);
}

/* --- resets --- */

static int
reset_change(unsigned long id, bool asserted)
{
   unsigned long flags;
   spin_lock_irqsave(&lock, flags);
   __assign_bit(id, in_reset, asserted);
   update_engines();
   spin_unlock_irqrestore(&lock, flags);
   return 0;
}

static int
reset_assert(struct reset_controller_dev *controller, unsigned long id)
{
   return reset_change(id, true);
}

static int
reset_deassert(struct reset_controller_dev *controller, unsigned long id)
{
   return reset_change(id, false);
}

static int
reset_pulse(struct reset_controller_dev *controller, unsigned long id)
{
   reset_change(id, true);
   return reset_change(id, false);
}

static int
reset_status(struct reset_controller_dev *controller, unsigned long id)
{
   return test_bit(id, in_reset);
}

static const struct reset_control_ops reset_ops = {
   .assert = reset_assert,
   .deassert = reset_deassert,
   .reset = reset_pulse,
   .status = reset_status,
};

static struct reset_controller_dev resets = {
   .ops = &reset_ops,
   .nr_resets = NUM_RESETS,
};

static void __init
init_resets(struct device_node *node)
{
   bitmap_fill(in_reset, NUM_RESETS);
   resets.of_node = node;
   if (reset_controller_register(&resets))
      pr_err("tegra20: the resets are refused\n");
}

/* --- power domains --- */

static struct generic_pm_domain domains[NUM_DOMAINS];

static int
domain_change(struct generic_pm_domain *domain, bool on)
{
   unsigned long flags;
   spin_lock_irqsave(&lock, flags);
   __assign_bit(domain - domains, powered, on);
   update_engines();
   spin_unlock_irqrestore(&lock, flags);
   return 0;
}

static int
domain_on(struct generic_pm_domain *domain)
{
   return domain_change(domain, true);
}

static int
domain_off(struct generic_pm_domain *domain)
{
   return domain_change(domain, false);
}

static struct generic_pm_domain *domain_list[NUM_DOMAINS];
static struct genpd_onecell_data domain_data = {
   .domains = domain_list,
   .num_domains = NUM_DOMAINS,
};

static int __init
t20_domains_init(void)
{
   static const char *const names[NUM_DOMAINS] = { "heg", "3d" };
   struct device_node *node;
   unsigned int i;
   node = of_find_compatible_node(NULL, NULL, "uml,tegra20-pmc");
   if (!node)
      return 0;
   for (i = 0; i < NUM_DOMAINS; i++) {
      domains[i].name = names[i];
      domains[i].power_on = domain_on;
      domains[i].power_off = domain_off;
      pm_genpd_init(&domains[i], NULL, true);
      domain_list[i] = &domains[i];
   }
   return of_genpd_add_provider_onecell(node, &domain_data);
}
subsys_initcall(t20_domains_init);

static int __init
t20_clocks_init(void)
{
   struct device_node *node;
   node = of_find_compatible_node(NULL, NULL, "uml,tegra20-car");
   if (!node)
      return 0;
   init_clocks(node);
   init_resets(node);
   fwnode_dev_initialized(of_fwnode_handle(node), true);
   return 0;
}
arch_initcall(t20_clocks_init);
