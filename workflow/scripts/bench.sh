#!/bin/sh
# The benchmark's main job: noop, gold and trap runs of every task whose fixture can be had, graded and listed.
set -eu
cd "$(dirname "$0")/../.."

COPPERBENCH_KICAD_CLI=$(workflow/scripts/find_kicad.sh)
export COPPERBENCH_KICAD_CLI

copperbench fixture get --all || true # what cannot be had is listed here and skipped by the campaign

# In-process runs whose task, fixture or solution changed are moved aside and made anew; they cost nothing.
if [ -d results ]; then copperbench redo --stale --yes results; fi

# A changed suite, or a kicad-cli gained, asks for new grades of the evidence that is there.
state=$(cat config/suite.lock && "${COPPERBENCH_KICAD_CLI:-true}" version)
force=
if [ "$state" != "$(cat build/bench.state 2>/dev/null)" ]; then force="--forcerun score"; fi
# shellcheck disable=SC2086
snakemake leaderboard $force
mkdir -p build
printf '%s\n' "$state" > build/bench.state

date=$(sed -n 's/^date: "\(.*\)"/\1/p' config/campaign.local.yaml)
copperbench discriminate --campaign "$date"
echo "leaderboard: $PWD/LEADERBOARD.md"
