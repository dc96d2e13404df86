#!/bin/sh
# Print the path of a kicad-cli 10.0.x: COPPERBENCH_KICAD_CLI, else the one on PATH, else one that is installed
# now into a private folder. Prints nothing, and says why on stderr, where there is none to be had.
set -u
want=10.0.
scripts=$(dirname "$0")

suits() { case $("$1" version 2>/dev/null) in "$want"*) return 0 ;; *) return 1 ;; esac; }

if [ -n "${COPPERBENCH_KICAD_CLI:-}" ]; then echo "$COPPERBENCH_KICAD_CLI"; exit 0; fi
found=$(command -v kicad-cli || true)
if [ -n "$found" ] && suits "$found"; then echo "$found"; exit 0; fi
if [ "$(id -u)" = 0 ]; then wrapper=/usr/local/bin/kicad-cli; else wrapper=$HOME/.local/bin/kicad-cli; fi
if [ -x "$wrapper" ] && suits "$wrapper"; then echo "$wrapper"; exit 0; fi

echo "kicad-cli $want* is not here: installing it (200 MB, about half a minute)" >&2
if said=$(sh "$scripts/install_kicad.sh"); then
    echo "$said" | sed -n 's/^kicad-cli .*: \(\/.*\)$/\1/p' | tail -n 1
else
    echo "find_kicad: no kicad-cli $want*: assertions that need ERC or DRC stay unevaluable; see docs/operating.md" >&2
fi
