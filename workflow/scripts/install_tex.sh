#!/bin/sh
# Make sure that latexmk and pdflatex are here, for the paper. Installs Debian's packages where it may (root and
# apt-get); otherwise says what to do, and what needs them is skipped.
set -u
if command -v latexmk > /dev/null && command -v pdflatex > /dev/null; then exit 0; fi
packages="latexmk texlive-latex-recommended texlive-fonts-recommended lmodern"
if [ "$(id -u)" = 0 ] && command -v apt-get > /dev/null; then
    export DEBIAN_FRONTEND=noninteractive
    echo "latexmk is not here: installing Debian's (300 MB)" >&2
    # shellcheck disable=SC2086
    apt-get install -qq -y --no-install-recommends $packages > /dev/null ||
        { apt-get -qq update && apt-get install -qq -y --no-install-recommends $packages > /dev/null; }
fi
if command -v latexmk > /dev/null && command -v pdflatex > /dev/null; then exit 0; fi
echo "install_tex.sh: no latexmk and pdflatex: the paper's PDF is not built; install the packages $packages" >&2
