# Two commands: `make demo` and `make test`. Both set up what they need: Python 3.11+, make and git are enough.
PYTHON ?= python3
UV := .tools/bin/uv
BIN := .venv/bin
UV_VERSION := 0.13.8
export UV_PROJECT_ENVIRONMENT := $(CURDIR)/.venv
export UV_NO_PROGRESS := 1
# where a machine forbids bytecode, each of a thousand test processes would compile the packages again
export PYTHONDONTWRITEBYTECODE :=

.DEFAULT_GOAL := help
.PHONY: help setup demo dev test browser test-faults test-kills test-pipeline test-slim test-trainers test-deploy docs test-docs check lock clean

help: ## list the commands
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/'

$(UV):
	$(PYTHON) -m venv .tools
	.tools/bin/python -m pip install --quiet --disable-pip-version-check uv==$(UV_VERSION)

.venv/.ready: uv.lock pyproject.toml | $(UV)
	$(UV) sync --locked --quiet --compile-bytecode --python $(PYTHON) --extra pipeline
	@touch $@

setup: .venv/.ready ## install everything into .venv

# the demo's sessions are never mixed with one's own logs
DEMO_HOME ?= $(CURDIR)/.ultron

demo: setup ## real sessions through the whole path, offline, in a store of its own; prints what came out
	@ULTRON_OFFLINE=1 ULTRON_HOME="$(DEMO_HOME)" $(BIN)/python -m ultron_pipelines.demo

dev: setup ## the Dagster UI on the demo's data
	ULTRON_HOME="$(DEMO_HOME)" $(BIN)/ultron dev

check: setup ## style, types, import contracts, and whether Dagster loads the definitions
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache
	$(BIN)/dg check defs

test: check ## every check and every test
	$(BIN)/python -m pytest -n 2 --dist loadgroup

.venv/.browser: .venv/.ready
	$(UV) sync --locked --quiet --compile-bytecode --python $(PYTHON) --extra pipeline --group browser
	@touch $@

browser: .venv/.browser ## the pages of `ultron serve` in a real Chromium, which is found or installed
	$(BIN)/python -m tests.browser.chromium
	ULTRON_BROWSER=1 $(BIN)/python -m pytest tests/browser

test-faults: setup ## kills at chosen moments, two ingests at once, a full disk, 3,000 requests with odd words
	ULTRON_FAULTS=1 $(BIN)/python -m pytest tests/faults tests/attack/test_outside_words_fuzz.py --ignore tests/faults/test_kills.py

test-kills: setup ## 20 kills while 300 files go through `ultron dev`; wants a quiet machine and a quarter of an hour
	ULTRON_FAULTS=1 $(BIN)/python -m pytest tests/faults/test_kills.py

# built from this source, as an index would give it
test-slim: setup ## the core alone in an environment of its own: size, ingest in one folder, search in another
	UV_PROJECT_ENVIRONMENT=$(CURDIR)/.tools/slim $(UV) sync --locked --quiet --no-dev --no-editable \
		--reinstall-package ultron-memory --python $(PYTHON)
	.tools/slim/bin/python tests/slim/core_alone.py examples/sessions

test-pipeline: setup ## 500 files through the core (at most 250 ms of CPU each) and under `ultron dev` (as many runs and events as allowed)
	$(BIN)/python benchmarks/pipeline.py --files 500 --most-cpu-ms 250
	$(BIN)/python benchmarks/load/drop.py --files 500 --batch 100 --path dagster --idle 0

TRAINERS := .tools/trainers
$(TRAINERS)/.ready: tests/trainers/requirements.txt tests/trainers/requirements-alone.txt pyproject.toml
	$(PYTHON) -m venv $(TRAINERS)
	$(TRAINERS)/bin/python -m pip install --quiet --disable-pip-version-check -r tests/trainers/requirements.txt
	$(TRAINERS)/bin/python -m pip install --quiet --disable-pip-version-check --no-deps \
		-r tests/trainers/requirements-alone.txt
	$(TRAINERS)/bin/python -m pip install --quiet --disable-pip-version-check --editable .
	@touch $@

test-trainers: setup $(TRAINERS)/.ready ## the exported set in running readers and trainers, in an environment of their own
	rm -rf .tools/sample
	$(BIN)/python -m tests.trainers.sample .tools/sample
	ULTRON_SAMPLE=$(CURDIR)/.tools/sample HF_HUB_OFFLINE=1 $(TRAINERS)/bin/python -m pytest -c /dev/null --rootdir . \
		--confcutdir tests/trainers -p no:cacheprovider tests/trainers

DEPLOY := .tools/deploy
$(DEPLOY)/.ready: uv.lock pyproject.toml | $(UV)
	UV_PROJECT_ENVIRONMENT=$(CURDIR)/$(DEPLOY) $(UV) sync --locked --quiet --python $(PYTHON) --all-extras \
		--no-extra train --group deploy
	@touch $@

test-deploy: $(DEPLOY)/.ready ## buckets, Celery with Redis, compose file, manifests, in an environment of their own
	$(DEPLOY)/bin/python -m pytest tests/deploy

DOCS := .tools/docs
$(DOCS)/.ready: uv.lock pyproject.toml | $(UV)
	UV_PROJECT_ENVIRONMENT=$(CURDIR)/$(DOCS) $(UV) sync --locked --quiet --python $(PYTHON) --only-group docs
	@touch $@

docs: $(DOCS)/.ready ## docs/ as a site, in site/; a dead link is an error
	NO_MKDOCS_2_WARNING=1 $(DOCS)/bin/mkdocs build --strict --quiet

test-docs: setup ## every command of README and tutorial, as written
	ULTRON_DOCS=1 $(BIN)/python -m pytest tests/pages

lock: | $(UV) ## resolve the dependencies again
	$(UV) lock --upgrade

clean: ## remove environment and demo data
	rm -rf .venv .tools .ultron site
