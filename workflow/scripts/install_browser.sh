#!/bin/sh
# Make sure that chromium and chromedriver are here, for the tests that open the site's pages in a browser. Installs
# Debian's packages where it may (root and apt-get); otherwise says what to do and lets those tests be skipped.
set -u
if command -v chromium > /dev/null && command -v chromedriver > /dev/null; then exit 0; fi
if [ "$(id -u)" = 0 ] && command -v apt-get > /dev/null; then
    export DEBIAN_FRONTEND=noninteractive
    echo "chromium is not here: installing Debian's (120 MB)" >&2
    apt-get install -qq -y --no-install-recommends chromium chromium-driver > /dev/null ||
        { apt-get -qq update && apt-get install -qq -y --no-install-recommends chromium chromium-driver > /dev/null; }
fi
if command -v chromium > /dev/null && command -v chromedriver > /dev/null; then exit 0; fi
echo "install_browser.sh: no chromium and chromedriver: tests marked 'browser' are skipped; install the packages 'chromium' and 'chromium-driver'" >&2
