# shellcheck shell=bash disable=SC2034
# Copyright 2026 The Tegra20 driver authors
# SPDX-License-Identifier: MIT
#
# Sourced by ci/setup and ci/chroot, which define die(): which Debian this is and where it gets its packages from.
# Sets SUITE, NEXT (the release after it, when its source packages are wanted) and BACKPORTS.

. /etc/os-release 2>/dev/null || die "no /etc/os-release: only Debian 12 and 13 are supported"
if [ "${ID:-}" != debian ]; then
   die "this is '${PRETTY_NAME:-unknown}', not Debian. ${NOT_DEBIAN:-}"
fi
case ${VERSION_ID:-} in
12) SUITE=bookworm; NEXT=trixie; BACKPORTS=bookworm-backports ;;
13) SUITE=trixie; NEXT=; BACKPORTS= ;;
'') SUITE=; NEXT=trixie; BACKPORTS= ;; # testing or unstable, by the name in the machine's own entry
*) die "Debian '$VERSION_ID' is not supported: 12 (with backports) and 13 have Mesa 25.0" ;;
esac

# Where apt's files are; tests have their own.
: "${APT_DIR:=/etc/apt}"

# The files whose names match, and an empty one, so that there is always one to read.
apt_files() { find "$APT_DIR" -maxdepth 2 -name "$1" ! -name "tegra20-driver.*" 2>/dev/null | LC_ALL=C sort; echo /dev/null; }

# Prints "URI KEYRING" of the machine's own entry for $SUITE main, from either form of apt's source files.  In awk: a
# minimal system has no Python yet.
own_entry() {
   local found
   # FNR == 1: a file need not end with an empty line
   found=$(awk -v suite="$SUITE" '
      FNR == 1 { flush() }
      function flush() { if (deb && right && uri != "" && !done) { print uri, key; done = 1 } uri = key = ""; deb = right = 0 }
      /^[ \t]*$/ { flush(); next }
      /^Types:/ { deb = / deb( |$)/ }
      /^URIs:/ { uri = $2 }
      /^Suites:/ { for (i = 2; i <= NF; i++) if ($i == suite) right = 1 }
      /^Signed-By:/ { key = $2 }
      END { flush() }' $(apt_files '*.sources'))
   if [ -z "$found" ]; then
      found=$(awk -v suite="$SUITE" '
         $1 == "deb" {
            key = ""; i = 2
            if ($2 ~ /^\[/) {
               while (i <= NF) { if (match($i, /signed-by=[^] ]*/)) key = substr($i, RSTART + 10, RLENGTH - 10); if ($(i++) ~ /\]$/) break }
            }
            if ($(i + 1) == suite) { print $i, key; exit }
         }' $(apt_files '*.list'))
   fi
   echo "$found"
}

if [ -z "$SUITE" ]; then
   for SUITE in "${VERSION_CODENAME:-testing}" testing sid unstable; do
      [ -z "$(own_entry)" ] || break
   done
fi
