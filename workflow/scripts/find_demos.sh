#!/bin/sh
# Print the folder of KiCad's demo projects: KICAD_DEMOS, else a private folder where they are installed now.
# Prints nothing, and says why on stderr, where they cannot be had.
set -u
scripts=$(dirname "$0")

if [ -d "${KICAD_DEMOS:-}" ]; then echo "$KICAD_DEMOS"; exit 0; fi
if [ "$(id -u)" = 0 ]; then prefix=/opt/kicad-demos; else prefix=$HOME/.local/opt/kicad-demos; fi
demos=$prefix/usr/share/kicad/demos
if [ ! -f "$prefix/.complete" ]; then
    echo "KiCad's demo projects are not here: installing them (270 MB, about half a minute)" >&2
    # A kicad-cli of its own prefix: the one in use stays what it is.
    KICAD_EXTRA=kicad-demos sh "$scripts/install_kicad.sh" "$prefix" "$prefix.cli" >&2 || exit 0
fi
if [ -d "$demos" ]; then echo "$demos"; else echo "find_demos: $demos is not there" >&2; fi
