# Copyright 2026 The Tegra20 driver authors
# SPDX-License-Identifier: MIT
"""What of a kernel's log is a warning that the tests did not expect."""

import re

# Lines of a log that a healthy kernel prints although they are warnings.
HARMLESS = re.compile(r'epollctl add err|does not have kernel memory protection|panel-simple panel: |Expected bpc|'
                      r'Lock dependency validator: |\.\.\. [A-Z_]+: +\d+$|memory used (by lock|for stack)|'
                      r'per task-struct memory|'
                      # the host had other things to do
                      r'hrtimer: interrupt took \d+ ns')
# Linux's own, with DMA_API_DEBUG: tegra-drm maps a buffer for each channel and each job that uses it, and host1x does not say
# that its engines take buffers above 64 KiB (docs/vm.md).
DMA_DEBUG = re.compile(r'DMA-API: (.*: cacheline tracking EEXIST|exceeded \d+ overlapping mappings of cacheline|'
                       r'tegra-gr[23]d \w+\.gr[23]d: mapping sg segment longer than device claims to support)')
# What the kernel prints behind the end of such a trace: where the buffer was mapped first.
FIRST_MAPPED = re.compile(r'<4>.*(DMA-API|Mapped at|\] +[a-z_0-9.]+\+0x)')


def without_dma_debug(lines):
    """Leaves out the traces, from "cut here" to "end trace", that say what is known of how buffers are mapped."""
    kept, at = [], 0
    while at < len(lines):
        end = at
        if '[ cut here ]' in lines[at]:
            end = next((i for i in range(at + 1, len(lines)) if re.search(r'\[ (end trace|cut here)', lines[i])), at)
        trace = lines[at:end + 1]
        if 'end trace' in lines[end] and any(DMA_DEBUG.search(line) for line in trace):
            at = end + 1
            while at < len(lines) and FIRST_MAPPED.match(lines[at]):
                at += 1
        else:
            kept.append(lines[at])
            at += 1
    return kept


def unexpected(log, allowed='$^', debug=False):
    """The warnings and errors of a log, apart from those that match "allowed"; with debug those of a kernel that checks DMA."""
    lines = log.split('\n')
    return [line for line in (without_dma_debug(lines) if debug else lines)
            if re.match(r'<[0-4]>', line) and not HARMLESS.search(line) and not re.search(allowed, line)]
