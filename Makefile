# One verb each, the same for people and for CI.
PYTHON ?= python3
VENV := .venv
RUN := $(VENV)/bin/python
WORKLOADS := .venv-workloads
FIT := .venv-fit
SCAN := .venv-scan
TORCH := .venv-torch
LOWEST := .venv-lowest
# The first that is new enough for the jaxlib of requirements/fit.txt.
FIT_PYTHON ?= $(shell for it in $(PYTHON) python3.12 python3.13 python3.14; do $$it -c 'import sys; sys.exit(sys.version_info < (3, 12))' 2>/dev/null && echo $$it && break; done)
FOLDER ?= .sandbox
# A test of a stack waits for its engine, or its control plane, half of the time.
WAITING_TESTS = $(shell $(RUN) -c 'import os; print(max(2, os.cpu_count() * 3 // 2))')
# What was tried is what runs: an own pulumi stands in for the one that is built here where it is of the same version,
# and never in a workflow, whose machine has it from others.
PINNED := $(shell sed -n 's|.*github.com/pulumi/pulumi/pkg/v3 \(v[^ ]*\).*|\1|p' tools/pulumi/go.mod)
PULUMI := .tools/bin/pulumi
ifndef CI
PULUMI := $(shell [ "$$(pulumi version 2>/dev/null)" = "$(PINNED)" ] && command -v pulumi || echo .tools/bin/pulumi)
endif

.DEFAULT_GOAL := help
.PHONY: help setup wheel stack-tools kube-tools fit-tools demo test coverage test-all touched test-stacks test-kube test-workloads test-launchers test-trainings ready-stacks ready-kube ready-launchers ready-trainings ready-scan scan inventory check check-types check-others format bench roles kms-grants plugins prices given-back changes snapshots lock clean

help: ## Show the verbs
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 14

setup: $(VENV)/.ready $(PULUMI) ## Install everything: virtual environment, dependencies, Pulumi CLI

# The files pin everything: pip has nothing to resolve. pip 23.2 takes a newer version for a package that somebody wants
# with an extra, and then misses its hash (pypa/pip #12345).
$(VENV)/.ready: requirements/dev.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo "error: $(PYTHON) is too old; nearest: make PYTHON=python3.11 (3.11 or newer)"; exit 1; }
	@echo "setup 1/2: Python packages into $(VENV) (about half a minute)"
	@$(PYTHON) -m venv $(VENV)
	@$(RUN) -m pip install --quiet --disable-pip-version-check --no-compile --require-hashes --no-deps \
		-r requirements/dev.txt
	@$(VENV)/bin/uv pip install --quiet --offline --no-deps --no-build-isolation --python $(RUN) --editable .
	@touch $@

$(WORKLOADS)/.ready: requirements/workloads.txt requirements/options.txt
	@echo "setup: Ray and JAX into $(WORKLOADS) (about 1 minute, 1.4 GB)"
	@$(PYTHON) -m venv $(WORKLOADS)
	@$(WORKLOADS)/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes --no-deps \
		-r requirements/workloads.txt
	@rm -rf $(WORKLOADS)/options
	@$(WORKLOADS)/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes \
		--no-deps --ignore-requires-python --target $(WORKLOADS)/options -r requirements/options.txt
	@touch $@

$(FIT)/.ready: requirements/fit.txt requirements/maxtext.txt
	@echo "setup: MaxText, JAX and libtpu into $(FIT) (about 2 minutes, 1.4 GB)"
	@test -n "$(FIT_PYTHON)" \
		|| { echo "error: jaxlib needs Python 3.12 or newer; nearest: make fit-tools FIT_PYTHON=PATH"; exit 1; }
	@$(FIT_PYTHON) -m venv $(FIT)
	@$(FIT)/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes --no-deps \
		-r requirements/fit.txt
	@$(FIT)/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes \
		--no-deps -r requirements/maxtext.txt
	@touch $@

$(TORCH)/.ready: requirements/torch.txt
	@echo "setup: PyTorch into $(TORCH) (about 4 minutes, 7 GB)"
	@$(PYTHON) -m venv $(TORCH)
	@$(TORCH)/bin/python -m pip install --quiet --disable-pip-version-check --no-compile --require-hashes --no-deps \
		-r requirements/torch.txt
	@touch $@

$(LOWEST)/.ready: requirements/lowest.txt
	@echo "setup: the lowest versions that the library works with into $(LOWEST)"
	@$(PYTHON) -m venv $(LOWEST)
	@$(LOWEST)/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes --no-deps \
		-r requirements/lowest.txt
	@touch $@

$(SCAN)/.ready: requirements/scan.txt
	@echo "setup: checkov into $(SCAN) (about 1 minute, 300 MB)"
	@$(PYTHON) -m venv $(SCAN)
	@$(SCAN)/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes --no-deps \
		-r requirements/scan.txt
	@touch $@

.tools/bin/pulumi: tools/pulumi/go.mod tools/pulumi/go.sum
	@sh tools/pulumi/build.sh $(CURDIR)/.tools/bin

.tools/bin/pulumi-language-python: tools/pulumi-python/go.mod tools/pulumi-python/go.sum
	@sh tools/pulumi-python/build.sh $(CURDIR)/.tools/bin

.tools/kube/.ready: $(wildcard tools/kube/*/go.*)
	@sh tools/kube/build.sh $(CURDIR)/.tools/kube/bin $(CURDIR)/.tools/kube/manifests
	@touch $@

.tools/bin/actionlint: tools/actionlint/go.mod tools/actionlint/go.sum
	@cd tools/actionlint && GOBIN=$(CURDIR)/.tools/bin go install tool
	@touch $@

.tools/bin/gcsfuse: tools/gcsfuse/go.mod tools/gcsfuse/go.sum
	@sh tools/gcsfuse/build.sh $(CURDIR)/.tools/bin

.tools/bin/netpolicy: tools/netpol/go.mod tools/netpol/go.sum
	@sh tools/netpol/build.sh $(CURDIR)/.tools/bin

kube-tools: .tools/kube/.ready ## Build what `--kube real` runs: etcd, Kubernetes, Kueue, KubeRay, JobSet, kwok

stack-tools: .tools/bin/pulumi .tools/bin/pulumi-language-python ## Build what a real stack needs beside the sandbox: Pulumi's CLI and its host for Python

fit-tools: setup $(FIT)/.ready ## Install what `aistack fit` compiles with: MaxText, JAX and libtpu, on a CPU

demo: setup ## Show a wrong config, an up, a change that loses data, machines that are out of stock, and why a job failed
	@$(VENV)/bin/aistack sandbox demo --folder $(FOLDER)

wheel: $(VENV)/.ready ## Build the wheels into dist/: the program's and the library's
	@rm -rf dist
	@for it in . components; do $(VENV)/bin/uv build --quiet --offline --no-build-isolation --python $(RUN) --wheel --out-dir dist $$it || exit; done

test: setup ## Run every default test
	@$(RUN) -m pytest -n auto --durations=10

# The longer tiers take another sample for each commit.
test-stacks test-kube: export SAMPLE_OF := $(shell git rev-parse HEAD)

# What a tier needs is built apart from it: `touched` counts the minutes of tests alone.
ready-stacks: setup .tools/bin/netpolicy $(LOWEST)/.ready
ready-kube: setup kube-tools
ready-launchers: setup $(WORKLOADS)/.ready $(TORCH)/.ready $(if $(ALL_COMBINATIONS),$(FIT)/.ready) .tools/bin/gcsfuse
ready-trainings: setup $(WORKLOADS)/.ready .tools/bin/gcsfuse
ready-scan: setup $(SCAN)/.ready

test-stacks: ready-stacks ## Run the thorough tests of every stack; TESTS= picks files, here and below
	@$(RUN) -m pytest -n $(WAITING_TESTS) -m thorough $(TESTS)

coverage: setup ## Run every default test, and fail where a line of catalog, configs, rules or plans is not run
	@$(RUN) -m pytest -n auto --cov --cov-report=term

test-kube: ready-kube ## Run every stack on a real Kubernetes control plane
	@$(RUN) -m pytest -n $(WAITING_TESTS) --dist loadfile --no-loadscope-reorder -m kube $(or $(TESTS),tests/kube)

test-workloads: ## Run what the clusters run: Ray, JAX, PyTorch and a bucket's mount on this machine
	@$(MAKE) --no-print-directory --keep-going test-launchers test-trainings

test-launchers: ready-launchers
	@$(RUN) -m pytest -o addopts="--strict-markers -ra" $(or $(TESTS),tests/workloads/launchers tests/workloads/mounts tests/workloads/fits)

test-trainings: ready-trainings
	@$(WORKLOADS)/bin/python -m pytest $(or $(TESTS),tests/workloads/trainings)

test-all: setup ## Run every tier, the next one also after a failure; ALL_COMBINATIONS=1 runs whole what they take a sample of
	@$(RUN) -m tools.tiers check test coverage scan test-stacks test-workloads test-kube

touched: setup ## Run what the difference to main touches of the longer tiers, in 15 minutes at most; SINCE= another commit, MINUTES=, LIST=1 runs nothing
	@$(RUN) -m tools.touched $(if $(SINCE),--since $(SINCE)) $(if $(MINUTES),--minutes $(MINUTES)) $(if $(LIST),--list)

scan: ready-scan ## Look through the manifests of every preset with checkov
	@$(RUN) -m pytest -o addopts="--strict-markers -ra" $(or $(TESTS),tests/scans)

inventory: setup ## Write again what tests compare: tests/goldens, tests/stacks/inventory, a review's example, docs/node-room.md, docs/hardened.md, docs/pins.md, verbs of docs/aistack.md, docs/components.md, schema/
	@$(RUN) -m stacks schema
	@$(RUN) -m tests.unit.goldens
	@$(RUN) -m tests.unit.golden_effects
	@$(RUN) -m tests.stacks.inventory
	@$(RUN) -m tests.review.example
	@$(RUN) -m tools.node_room_page
	@$(RUN) -m tools.hardened
	@$(RUN) -m tools.pins
	@$(RUN) -m tools.verbs
	@$(RUN) -m tools.components_page

# The types take as long as all else, on one core.
check: setup .tools/bin/actionlint ## Format, lint, types, workflows, what attackers look for, and the tree's own rules
	@$(MAKE) --no-print-directory -j2 check-types check-others

check-types:
	@$(VENV)/bin/basedpyright --level error

check-others:
	@$(VENV)/bin/ruff format --check .
	@$(VENV)/bin/ruff check .
	@.tools/bin/actionlint -shellcheck= -pyflakes=
	@$(VENV)/bin/zizmor --offline --quiet --no-progress --config .github/zizmor.yml .github
	@$(VENV)/bin/bandit --quiet --configfile pyproject.toml --recursive .
	@$(RUN) -m tools.check

format: setup ## Format and fix what can be fixed
	@$(VENV)/bin/ruff format .
	@$(VENV)/bin/ruff check --fix .

bench: setup ## Time the verbs, as ratios: a table, and .bench/results.json
	@$(RUN) -m tools.bench

roles: setup ## Print the roles that the caller of STACK= needs, as commands; FOR=preview, drift, up or destroy; NAMES=1; without STACK= the table of docs/roles.md
	@$(RUN) -m tools.roles $(STACK) $(if $(FOR),--for $(FOR)) $(if $(NAMES),--names)

kms-grants: setup ## Print the commands that let Google's services use the key of STACK=, in PROJECT=
	@$(RUN) -m tools.kms_grants $(STACK) $(if $(PROJECT),--project $(PROJECT))

plugins: setup ## Install the provider plugins by their checksums; READ=1 prints those of the releases
	@$(RUN) -m tools.plugins $(if $(READ),--read)

prices: setup ## Write the largest book of prices from FILE=pricing.yml of COMMIT=
	@$(RUN) -m tools.prices $(FILE) $(COMMIT)

given-back: setup ## Hold the table of what Google gives back against a clone of the provider, PROVIDER=
	@$(RUN) -m tools.given_back $(PROVIDER)

changes: setup ## Try every change of every field on the sandbox, half an hour, and write what docs/change-a-running-stack.md says of them; KEEP= a folder for what was tried
	@$(RUN) -m tests.stacks.changes_page $(KEEP)

snapshots: setup kube-tools ## Write the snapshots that `aistack why --snapshot` knows by name, from jobs on a real control plane
	@$(RUN) -m tests.kube.snapshots

lock: setup ## Pin pyproject.toml's dependencies again, with hashes
	@$(VENV)/bin/uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-emit-index-url \
		--custom-compile-command "make lock" pyproject.toml -o requirements.txt
	@$(VENV)/bin/uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-emit-index-url \
		--custom-compile-command "make lock" --extra aistack --extra sandbox --extra dev pyproject.toml -o requirements/dev.txt
	@$(VENV)/bin/uv pip compile -q --universal --python-version 3.11 --resolution lowest-direct --generate-hashes \
		--no-emit-index-url --custom-compile-command "make lock" components/pyproject.toml -o requirements/lowest.txt
	@$(VENV)/bin/uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-emit-index-url \
		--custom-compile-command "make lock" --group workloads -o requirements/workloads.txt
	@$(VENV)/bin/uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-emit-index-url \
		--custom-compile-command "make lock" --group torch -o requirements/torch.txt
	@$(VENV)/bin/uv pip compile -q --no-deps --python-version 3.12 --generate-hashes --no-emit-index-url \
		--custom-compile-command "make lock" --group options -o requirements/options.txt
	@$(VENV)/bin/uv pip compile -q --universal --python-version 3.12 --generate-hashes --no-emit-index-url \
		--custom-compile-command "make lock" --group fit -o requirements/fit.txt
	@$(VENV)/bin/uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-emit-index-url \
		--custom-compile-command "make lock" --group scan -o requirements/scan.txt
	@$(VENV)/bin/uv pip compile -q --no-deps --python-version 3.12 --generate-hashes --no-emit-index-url \
		--custom-compile-command "make lock" --group maxtext -o requirements/maxtext.txt

clean: ## Remove what was built here, the sandbox included
	@if [ -e .sandbox ] && [ -e $(VENV)/.ready ]; then $(RUN) -m sandbox reset; fi
	rm -rf $(VENV) $(WORKLOADS) $(FIT) $(SCAN) $(TORCH) $(LOWEST) .tools .sandbox .bench dist
