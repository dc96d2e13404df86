# The README's commands. Everything they need is installed by the project's own scripts.
export PATH := $(CURDIR)/.venv/bin:$(PATH)
SCRIPTS := workflow/scripts

.PHONY: bench bench-full test test-all test-rest lint bench-speed paper real-model campaign lock

bench: .venv/.run
	$(SCRIPTS)/bench.sh

# The tasks tagged large too, on the board of KiCad's demos: half an hour, and 2 GB of memory for a grade.
bench-full: .venv/.run
	$(SCRIPTS)/bench.sh full

test: .venv/.dev lint
	COPPERBENCH_KICAD_CLI="$$($(SCRIPTS)/find_kicad.sh)" pytest -n 2 --dist loadgroup -m "not corpus and not slow and not browser and not cluster" tests

test-all: test test-rest

test-rest: .venv/.dev
	$(SCRIPTS)/install_browser.sh
	$(SCRIPTS)/install_bwrap.sh
	$(SCRIPTS)/install_tex.sh
	$(SCRIPTS)/install_slurm.sh
	COPPERBENCH_KICAD_CLI="$$($(SCRIPTS)/find_kicad.sh)" KICAD_DEMOS="$$($(SCRIPTS)/find_demos.sh)" \
		COPPERBENCH_INSPECT_PYTHON="$$($(SCRIPTS)/install_inspect.sh)" \
		pytest -n 2 -m "corpus or slow or browser or cluster" tests

lint: .venv/.dev
	ruff check .
	ruff format --check .
	mypy
	lint-imports
	snakefmt --check Snakefile workflow
	codespell
	copperbench validate

# Every promise about speed, beside its peers, into docs/performance.md. For a quiet machine: half an hour.
bench-speed: .venv/.dev
	COPPERBENCH_KICAD_CLI="$$($(SCRIPTS)/find_kicad.sh)" python tests/bench/bench_speed.py "$$($(SCRIPTS)/find_demos.sh)"

.venv/.run: requirements.lock pyproject.toml
	$(SCRIPTS)/make_venv.sh requirements.lock .venv/.run

.venv/.dev: requirements-dev.lock pyproject.toml
	$(SCRIPTS)/make_venv.sh requirements-dev.lock .venv/.dev
	touch .venv/.run

# The PDF of the paper from the campaign that config/config.yaml names (paper_snapshot).
paper: .venv/.dev
	$(SCRIPTS)/install_tex.sh
	snakemake paper_pdf

# Half an hour: builds a small model's server and runs one task with it.
real-model: .venv/.dev
	$(SCRIPTS)/real_model.sh

# The small campaign that is published with the project, made of HEAD in a clean clone; half an hour.
campaign: .venv/.dev
	$(SCRIPTS)/publish_campaign.sh

# The locks are made from pyproject.toml; no registry address is written into them.
COMPILE := pip-compile --quiet --generate-hashes --no-emit-index-url --no-emit-find-links --no-emit-options \
	--strip-extras --allow-unsafe --no-header --extra build
lock: .venv/.dev
	$(COMPILE) --extra dev --output-file requirements-dev.lock pyproject.toml
	$(COMPILE) --constraint requirements-dev.lock --output-file requirements.lock pyproject.toml
