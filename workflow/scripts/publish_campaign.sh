#!/bin/sh
# Make the small campaign that is published with the project: first-party tasks, the harness's own runs and simulated
# agents (no model is asked; see scripted_players.py). It is made in a clean clone of HEAD, reproduced there, and then
# put into this checkout, ready to be committed: results/<date>/, LEADERBOARD.md and a line of .gitignore.
#
#   publish_campaign.sh [DATE]    DATE is the campaign's name (default: today, UTC)
#   TASKS, PLAYERS, REPEATS       a smaller one, to try it: names with commas, a number
set -eu
cd "$(dirname "$0")/../.."
here=$PWD

date=${1:-$(date -u +%F)} port=${PORT:-8767}
tasks="do-lower-gate-resistor,do-budget-refusal-bus-pullups,do-flag-alert-pullup"
tasks=${TASKS:-$tasks,do-stiffen-sensor-pullups,do-rename-sensor-enable}
players=${PLAYERS:-scholar,yes-man,refuser,unsteady}

fail() { echo "publish_campaign.sh: $*" >&2; exit 1; }
[ ! -e "results/$date" ] || fail "results/$date is there already: name another date, or move it away"
[ -z "$(git status --porcelain --untracked-files=no)" ] || [ -n "${ALLOW_DIRTY:-}" ] ||
    fail "there are uncommitted changes: commit them, since the campaign is made of HEAD"

work=$(mktemp -d "${TMPDIR:-/tmp}/copperbench-campaign.XXXXXX")
server=
trap '[ -z "$server" ] || kill "$server" 2>/dev/null || true; rm -rf "$work"' EXIT
trap 'exit 1' INT TERM
git clone --quiet --no-hardlinks . "$work/copperbench"
cd "$work/copperbench"
COPPERBENCH_KICAD_CLI=$(workflow/scripts/find_kicad.sh)
PYTHONPATH=$PWD PYTHONDONTWRITEBYTECODE=1
export COPPERBENCH_KICAD_CLI PYTHONPATH PYTHONDONTWRITEBYTECODE
[ -n "$COPPERBENCH_KICAD_CLI" ] || fail "a campaign is not published without KiCad's reports"

echo "models:" > config/models.yaml
for player in $(echo "$players" | tr , ' '); do
    printf '  %s: {id: "compat:%s", provider: scripted, segment: scripted, pinning: strong, harness: reference, endpoint: "http://127.0.0.1:%s/v1"}\n' \
        "$player" "$player" "$port" >> config/models.yaml
done

python workflow/scripts/scripted_players.py "$port" &
server=$!
until python -c "import urllib.request as u; u.urlopen('http://127.0.0.1:$port/', timeout=2)" 2>/dev/null; do
    kill -0 "$server" 2>/dev/null || fail "the players did not start: is port $port in use? PORT names another"
    sleep 1
done

# Not confined: the harness is this checkout's own, and nothing that it runs was written by a model.
set -- --config "date=$date" "suite=[$tasks]" "models=[$players]" "repeats=${REPEATS:-3}" isolation=none
snakemake matrix "$@"
snakemake leaderboard "$@"
cat > "results/$date/README.md" <<TEXT
# The campaign of $date

Made by \`make campaign\` from the commit that precedes it. **No model was asked.** The rows are the benchmark's own
harness runs (noop, the reference solutions, the traps) and simulated agents behind a scripted endpoint
(\`workflow/scripts/scripted_players.py\`), which stand in a table of their own and in no headline. They show that the
way from sandbox to leaderboard works and can be checked by anyone; they say nothing about any model.

\`copperbench reproduce results/$date\` verifies all digests, grades every run again from its sealed evidence and
regenerates the leaderboard: no key, no network and no KiCad needed.
TEXT
COPPERBENCH_KICAD_CLI=/nonexistent copperbench reproduce "results/$date"

mkdir -p "$here/results"
cp -R "results/$date" "$here/results/$date"
cp LEADERBOARD.md "$here/LEADERBOARD.md"
cd "$here"
grep -qx "!/results/$date/" .gitignore || sed -i "s#^/results/\\*\$#&\\n!/results/$date/#" .gitignore
echo "ready to commit ($(du -sh "results/$date" | cut -f1)): git add .gitignore LEADERBOARD.md results/$date"
