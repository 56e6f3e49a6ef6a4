# One command each. `make demo` and `make test` set up everything they need.
VENV ?= .venv
PY := $(VENV)/bin/python
READY := $(VENV)/.ready
SEED ?= 1
MINUTES ?= 10
TIMES ?= 1
N ?= $(if $(QUICK),2000,100000)
PAIRS ?= $(if $(QUICK),50000,1000000)
WORLDS ?= $(if $(QUICK),2000,200000)
TRACES ?= $(if $(QUICK),100,2000)
FRAMES ?= $(if $(QUICK),5000,100000)
COVERED := core judge papers conformance golden properties attack
export SPARK_LOCAL_IP ?= 127.0.0.1
export PYTHONPATH := src:.

.PHONY: help setup check format lint types test coverage test-slow test-logs test-browser test-wheel demo bench fuzz faults soak docs docs-check lock clean

help:            ## this list
	@grep -E '^[a-z-]+: .*##|^[a-z-]+:  *##' Makefile | sed -E 's/:[^#]*## ?/\t/' | expand -t 16

setup: $(READY)  ## create the virtual environment (with uv when it is there, with pip when not)

$(READY): requirements.lock pyproject.toml tools/setup
	@tools/setup $(VENV)
	@touch $(READY)

check: format lint types docs-check test  ## formatting, linting, strict types, documents up to date, layering and tests

format: setup    ## fail where `ruff format` would change something (`make format FIX=1` changes it)
	$(PY) -m ruff format $(if $(FIX),,--check) .

lint: setup      ## the linter
	$(PY) -m ruff check $(if $(FIX),--fix) .

types: setup     ## strict types
	$(PY) -m mypy

test: setup      ## the tests, in minutes, in three processes
	$(PY) -m pytest -m "not slow and not logs and not browser" -n 3 --dist loadscope --no-loadscope-reorder

coverage: setup  ## branch coverage of core and judge by their own tests; fails below what pyproject.toml says
	$(PY) -m coverage run -m pytest -m "not slow and not logs and not browser" $(addprefix tests/,$(COVERED))
	$(PY) -m coverage report

test-slow: setup  ## the tests that are long by nature: faults, other Spark masters, large random searches
	$(PY) -m pytest -m slow -n 3 --dist worksteal

test-logs: setup  ## the tests on real logs, which are in the folder LOGS (tests/README.md lists them)
	$(if $(LOGS),,$(error name the folder of the logs: make test-logs LOGS=FOLDER))
	$(PY) -m pytest -m logs --logs=$(LOGS) tests

test-browser: setup  ## the report in headless Chromium
	browser=$$(tools/browser) && $(PY) -m pytest -m browser --browser="$$browser" tests/browser

test-wheel: setup  ## build the wheel, install it in empty environments, and use it there
	$(PY) -m tools.test_wheel

demo: setup      ## the main job, on data it makes itself
	$(PY) -m antecede demo

bench: setup     ## every measurement, each beside its peer or limit
	$(PY) -m bench

# N executions of the algorithms, PAIRS of messages compared by local clocks, WORLDS of roaming hosts, TRACES checked on
# Spark, FRAMES that lie to a station. Some hours in full; every failure prints the command that plays it again. N and
# WORLDS go round all variants; with EACH=100000, every variant has so many executions or worlds of its own.
fuzz: setup      ## random executions of everything against the judge, from seed SEED (QUICK=1: minutes)
	$(PY) -m tests.fuzz $(if $(EACH),--each $(EACH),--executions $(N)) --seed $(SEED)
	$(PY) -m tests.fuzz_locality --pairs $(PAIRS) --seed $(SEED)
	$(PY) -m tests.fuzz_mobile $(if $(EACH),--each $(EACH),--worlds $(WORLDS)) --seed $(SEED)
	$(PY) -m tests.fuzz_check --traces $(TRACES) --seed $(SEED)
	$(PY) -m tests.runtime.fuzz_frames --frames $(FRAMES) --seed $(SEED)

faults: setup    ## kills, pauses, cuts, full disks and clocks that jump, TIMES times with seeds from SEED on
	$(PY) -m tests.faults --times $(TIMES) --seed $(SEED)

soak: setup      ## processes under random faults for MINUTES; says at the end whether all held, and memory and stores stayed flat
	$(PY) -m tests.faults.soak --minutes $(MINUTES)

docs: setup      ## generate the pages that are made by running the code
	$(PY) -m tools.docs

docs-check: setup
	$(PY) -m tools.docs --check

lock:            ## resolve the dependencies anew (needs uv)
	uv pip compile pyproject.toml --extra app --group dev --universal --generate-hashes \
	  --no-header --no-annotate --no-emit-index-url --no-emit-find-links --python-version 3.11 -o requirements.lock

clean:           ## remove the environment and what the tools left
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis build dist
