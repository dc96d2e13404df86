#!/bin/sh
# Create or refresh .venv from a hashed lock: make_venv.sh LOCK STAMP
# PYTHON names the interpreter (3.11 or later) where the first one found is not wanted.
set -eu
lock=$1 stamp=$2

if [ ! -x .venv/bin/python ]; then
    for python in ${PYTHON:-python3 python3.13 python3.12 python3.11}; do
        if "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then found=$python; break; fi
    done
    [ -n "${found:-}" ] || { echo "make_venv: no Python 3.11 or later found: install one or set PYTHON" >&2; exit 1; }
    "$found" -m venv .venv
fi
echo "installing $lock into .venv"
.venv/bin/python -m pip install -qq --disable-pip-version-check --require-hashes -r "$lock"
.venv/bin/python -m pip install -qq --disable-pip-version-check --no-build-isolation --no-deps --editable .
# Also where PYTHONDONTWRITEBYTECODE is set: compiling itself takes a verb longer than starting.
.venv/bin/python -m compileall -q copperbench snakemake_logger_plugin_copperbench
touch "$stamp"
