#!/bin/bash
# Copyright 2026 The Tegra20 driver authors
# SPDX-License-Identifier: MIT
#
# tests/videocore/fuzz.sh [JOBS [SEED]]: builds the V3D simulator and fuzz.c with the address and undefined-behaviour
# sanitizers, and runs JOBS (default 10000) of them.

set -euo pipefail
cd "$(dirname "$0")/../.."
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
${CC:-gcc} -std=gnu11 -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all -fno-math-errno -Wno-psabi \
   -Isim/vc4 -Isim/common -o "$out/fuzz" tests/videocore/fuzz.c sim/vc4/*.c \
   sim/common/*.c -lm -lpthread
"$out/fuzz" --jobs "${1:-10000}" --seed "${2:-1}"
