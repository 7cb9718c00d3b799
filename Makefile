# One verb each, the same for people and for CI.
PYTHON ?= python3
VENV := .venv
RUN := $(VENV)/bin/python
STACK ?= b200-lustre
FOLDER ?= .sandbox
PULUMI := $(shell command -v pulumi 2>/dev/null || echo .tools/bin/pulumi)

.DEFAULT_GOAL := help
.PHONY: help setup demo test test-stacks inventory check format bench lock clean

help: ## Show the verbs
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 14

setup: $(VENV)/.ready $(PULUMI) ## Install everything: virtual environment, dependencies, Pulumi CLI

$(VENV)/.ready: requirements-dev.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo "error: $(PYTHON) is too old; nearest: make PYTHON=python3.11 (3.11 or newer)"; exit 1; }
	@echo "setup 1/2: Python packages into $(VENV) (about 1 minute)"
	@$(PYTHON) -m venv $(VENV)
	@$(RUN) -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-dev.txt
	@touch $@

.tools/bin/pulumi: tools/pulumi/go.mod tools/pulumi/go.sum
	@sh tools/pulumi/build.sh $(CURDIR)/.tools/bin

demo: setup ## Bring b200-lustre up on the sandbox and show it
	@$(RUN) -m sandbox demo --stack $(STACK) --folder $(FOLDER)

test: setup ## Run every default test
	@$(RUN) -m pytest -n auto

test-stacks: setup ## Run the thorough tests of every stack
	@$(RUN) -m pytest -n auto -m thorough

inventory: setup ## Write again what every stack is made of (tests/stacks/inventory)
	@$(RUN) -m tests.stacks.inventory

check: setup ## Format, lint, types, and the tree's own rules
	@$(VENV)/bin/ruff format --check .
	@$(VENV)/bin/ruff check .
	@$(VENV)/bin/basedpyright --level error
	@$(RUN) -m tools.check

format: setup ## Format and fix what can be fixed
	@$(VENV)/bin/ruff format .
	@$(VENV)/bin/ruff check --fix .

bench: setup ## Measure: a table, and .bench/results.json
	@$(RUN) -m bench

lock: setup ## Pin pyproject.toml's dependencies again, with hashes
	@$(VENV)/bin/uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-emit-index-url \
		--custom-compile-command "make lock" pyproject.toml -o requirements.txt
	@$(VENV)/bin/uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-emit-index-url \
		--custom-compile-command "make lock" --extra sandbox --extra dev pyproject.toml -o requirements-dev.txt

clean: ## Remove what was built here, the sandbox included
	rm -rf $(VENV) .tools .sandbox .bench
