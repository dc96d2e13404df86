#!/bin/sh
# Make sure that bubblewrap is here, for the tests of confined agents. Installs Debian's package where it may (root and
# apt-get); otherwise says what to do and lets those tests be skipped.
set -u
if command -v bwrap > /dev/null; then exit 0; fi
if [ "$(id -u)" = 0 ] && command -v apt-get > /dev/null; then
    export DEBIAN_FRONTEND=noninteractive
    echo "bubblewrap is not here: installing Debian's (0.2 MB)" >&2
    apt-get install -qq -y --no-install-recommends bubblewrap > /dev/null ||
        { apt-get -qq update && apt-get install -qq -y --no-install-recommends bubblewrap > /dev/null; }
fi
if command -v bwrap > /dev/null; then exit 0; fi
echo "install_bwrap.sh: no bwrap: the tests of confined agents are skipped; install the package 'bubblewrap'" >&2
