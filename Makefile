# make demo: set everything up and run the main job. make test: set everything up and run the tests.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
TOPIC ?= partybuilding

.PHONY: setup demo crawl test lint type bench wheel clean
.DEFAULT_GOAL := setup

setup:
	@VENV=$(VENV) $(PYTHON) bootstrap.py setup

demo: setup
	@$(BIN)/python demo/run.py

# make crawl TOPIC=partybuilding ARGS="-a pages=1000"
crawl: setup
	$(BIN)/scrapy crawl topical -a topic=$(TOPIC) $(ARGS)

test: setup
	$(BIN)/python -m pytest $(ARGS)

lint: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports

type: setup
	$(BIN)/mypy

bench: setup
	$(BIN)/python benchmarks/crawl.py $(ARGS)
	$(BIN)/python benchmarks/memory.py
	$(BIN)/python benchmarks/frontier.py --entries 100000

wheel: setup
	$(BIN)/python -m pip wheel --quiet --no-deps --wheel-dir dist .

clean:
	rm -rf build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
