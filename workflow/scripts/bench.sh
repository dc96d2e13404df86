#!/bin/sh
# The benchmark's main job: noop, gold and trap runs of every task whose fixture can be had, graded and listed.
# Tasks tagged large are left out, unless the first argument is "full".
set -eu
cd "$(dirname "$0")/../.."

COPPERBENCH_KICAD_CLI=$(workflow/scripts/find_kicad.sh)
export COPPERBENCH_KICAD_CLI

python -m compileall -q copperbench snakemake_logger_plugin_copperbench # what changed since it was installed

copperbench fixture get --all || true # what cannot be had is listed here and skipped by the campaign

large=false
if [ "${1:-}" = full ]; then
    large=true
    demos=$(workflow/scripts/find_demos.sh)
    copperbench fixture get jetson-agx-thor-baseboard ${demos:+--from "$demos"}
else
    echo "tasks tagged large are left out: make bench-full takes them in"
fi

# In-process runs of this checkout's own campaign whose task, fixture or solution changed are moved aside and made
# anew; they cost nothing. Campaigns that came with the checkout stay as they were published.
own=$(sed -n 's/^date: "\(.*\)"/\1/p' config/campaign.local.yaml 2>/dev/null || true)
if [ -n "$own" ] && [ -d "results/$own" ]; then copperbench redo --stale --yes "results/$own"; else own=; fi

# A changed suite, or a kicad-cli gained, asks for new grades of the evidence that is there.
state=$(cat config/suite.lock && "${COPPERBENCH_KICAD_CLI:-true}" version)
force=
if [ -n "$own" ] && [ "$state" != "$(cat build/bench.state 2>/dev/null)" ]; then force="--forcerun score"; fi
# shellcheck disable=SC2086
snakemake leaderboard $force --config large=$large
mkdir -p build
printf '%s\n' "$state" > build/bench.state

date=$(sed -n 's/^date: "\(.*\)"/\1/p' config/campaign.local.yaml)
copperbench discriminate --campaign "$date"
echo "leaderboard: $PWD/LEADERBOARD.md"
