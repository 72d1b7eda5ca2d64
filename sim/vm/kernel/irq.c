/*
 * Copyright 2026 The Tegra20 driver authors
 * SPDX-License-Identifier: MIT
 *
 * An interrupt controller.  Its interrupts are edges that the models of the
 * devices raise by calling; what stays pending they keep themselves.
 */

#include <linux/hardirq.h>
#include <linux/init.h>
#include <linux/irq.h>
#include <linux/irqdomain.h>
#include <linux/of.h>
#include <asm/irq.h>

#include "tegra20.h"

#define FIRST_HWIRQ 32
#define NUM_HWIRQS 64

static struct irq_domain *domain;

static void
no_operation(struct irq_data *data)
{
}

static struct irq_chip chip = {
   .name = "tegra20",
   .irq_ack = no_operation,
   .irq_mask = no_operation,
   .irq_unmask = no_operation,
};

static int
map(struct irq_domain *d, unsigned int virq, irq_hw_number_t hw)
{
   irq_set_chip_and_handler(virq, &chip, handle_level_irq);
   return 0;
}

static const struct irq_domain_ops domain_ops = {
   .map = map,
   .xlate = irq_domain_xlate_onecell,
};

void
t20_irq_raise(unsigned int number)
{
   bool nested = in_hardirq();
   unsigned long flags;
   if (!domain)
      return;
   local_irq_save(flags);
   if (!nested)
      irq_enter();
   generic_handle_domain_irq(domain, number);
   if (!nested)
      irq_exit();
   local_irq_restore(flags);
}

static int __init
t20_irq_init(void)
{
   struct device_node *node;
   node = of_find_compatible_node(NULL, NULL, "uml,tegra20-ictlr");
   if (!node)
      return 0;
   domain = irq_domain_add_legacy(node, NUM_HWIRQS, UM_LAST_SIGNAL_IRQ,
                                  FIRST_HWIRQ, &domain_ops, NULL);
   /* It has no platform device that could keep its consumers waiting. */
   of_node_set_flag(node, OF_POPULATED);
   fwnode_dev_initialized(of_fwnode_handle(node), true);
   return domain ? 0 : -ENOMEM;
}
arch_initcall(t20_irq_init);
