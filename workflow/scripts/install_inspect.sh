#!/bin/sh
# Print the Python of an environment of its own that has inspect-ai, for the test that reads our logs with it: the
# package brings some eighty others, which have no place among the project's. Prints nothing, and says why, where it
# cannot be installed.
set -u
lock=requirements-inspect.lock folder=.venv/inspect
if ! cmp -s "$lock" "$folder/installed"; then
    echo "inspect-ai is not here: installing it into $folder (330 MB)" >&2
    if ! { .venv/bin/python -m venv "$folder" &&
        "$folder/bin/python" -m pip install -qq --disable-pip-version-check --require-hashes -r "$lock" >&2 &&
        cp "$lock" "$folder/installed"; }; then
        echo "install_inspect.sh: no inspect-ai: the test that reads our logs with it is skipped" >&2
        exit 0
    fi
fi
echo "$PWD/$folder/bin/python"
