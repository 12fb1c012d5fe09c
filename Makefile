# make demo: set everything up and run the main job. make test: set everything up and run the tests.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
TOPIC ?= partybuilding

.PHONY: setup demo crawl test test-all lint type floors experiments bench torture fuzz mutate docs architecture wheel installed egg clean
.DEFAULT_GOAL := setup
# What is not kept compiled is compiled by each of the hundred processes that a test run starts.
unexport PYTHONDONTWRITEBYTECODE

setup:
	@VENV=$(VENV) $(PYTHON) bootstrap.py setup

demo:
	@VENV=$(VENV) $(PYTHON) bootstrap.py demo

# make crawl TOPIC=partybuilding ARGS="-a pages=1000"
crawl: setup
	$(BIN)/scrapy crawl topical -a topic=$(TOPIC) $(ARGS)

test: setup
	$(BIN)/python -m pytest $(ARGS)

# Also the tests of experiments, benchmarks, demo, deployment and browsers, slow ones, and twice as many examples of each
# property: before a release.
test-all: setup
	$(BIN)/python -m pytest --all tests topical_crawler experiments $(ARGS)

lint: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports
	$(BIN)/python tests/tools/prose.py

type: setup
	$(BIN)/mypy

# The strategies on the bundled webs, against the figures that must not fall (demo/floors.toml, demo/bookshop-floors.toml).
FLOORS := build/floors
floors: setup
	@rm -rf $(FLOORS)
	$(BIN)/python -m experiments crawl partybuilding --web demo/demo-web.warc.gz --labels demo/labels.tsv --seeds demo/seeds.txt \
		--budget 150 --floors demo/floors.toml --out $(FLOORS)/sites -s TOPICAL_RESOURCES=0
	$(BIN)/python -m experiments crawl data-mining-books --web demo/bookshop.warc.gz --labels demo/bookshop-labels.tsv \
		--seeds demo/bookshop-seeds.txt --strategy odp2evsm,category_vsm,keyword_vsm,semantic,breadth_first --budget 400 \
		--floors demo/bookshop-floors.toml --out $(FLOORS)/bookshop -s TOPICAL_RESOURCES=0

# The experiments that the bundled webs serve, in two minutes; docs/experiments.md has those on webs of your own.
EXPERIMENTS := build/experiments
experiments: setup
	$(BIN)/python -m experiments papers zhang --out $(EXPERIMENTS) -s TOPICAL_RESOURCES=0
	$(BIN)/python -m experiments threshold partybuilding --web demo/demo-web.warc.gz --labels demo/labels.tsv \
		--seeds demo/seeds.txt --seconds 60,150 --thresholds 0.1,0.2,0.3,0.5,0.8 --out $(EXPERIMENTS) -s TOPICAL_RESOURCES=0
	$(BIN)/python -m experiments crawl partybuilding --web demo/demo-web.warc.gz --labels demo/labels.tsv \
		--seeds demo/seeds.txt --budget 150 --out $(EXPERIMENTS) -s TOPICAL_RESOURCES=0

bench: setup
	$(BIN)/python benchmarks/performance.py $(ARGS)
	$(BIN)/python benchmarks/memory.py
	$(BIN)/python benchmarks/strategies.py
	$(BIN)/python benchmarks/frontier.py --entries 100000 --backend memory sqlite redis
	$(BIN)/python benchmarks/frontier.py --entries 1000000 --backend sqlite redis
	$(BIN)/python benchmarks/loop.py

# A thousand kills, stops, full disks and lost servers (an hour and more). Mutated pages (two hours), and 20,000 requests to the
# workbench by its own schema, none of which may be answered by 500. Neither needs a network.
torture: setup
	$(BIN)/python benchmarks/torture.py $(ARGS)
	$(BIN)/python benchmarks/cluster.py --hosts 3000 --pages 7 --kill-workers 4 --moves 2 --failovers 2

fuzz: setup
	$(BIN)/python -m pytest -n 0 tests/workbench/test_workbench_server.py -k error_of_the_server --examples 20000
	$(BIN)/python benchmarks/fuzz.py $(ARGS)

# Whether a test notices each change of a formula (5 minutes).
mutate: setup
	$(BIN)/python benchmarks/mutants.py $(ARGS)

# The documentation as a site, in build/site; a link that leads nowhere ends it.
docs: setup
	@$(BIN)/mkdocs build --quiet --strict

# The picture of docs/architecture.md.
architecture: setup
	@$(BIN)/python docs/draw_architecture.py

wheel: setup
	$(BIN)/python -m pip wheel --quiet --no-deps --wheel-dir dist .

# The wheel as a user has it: in an empty environment, run from a folder outside the checkout.
installed: wheel
	@$(BIN)/python tests/tools/installed.py \
		dist/topical_crawler-$$($(BIN)/python -c "import topical_crawler; print(topical_crawler.__version__)")-py3-none-any.whl

# The egg that scrapyd runs: code, lexicon and scripts. scrapyd-deploy makes it and uploads it in one step.
egg: setup
	@mkdir -p dist
	$(BIN)/scrapyd-deploy --build-egg dist/topical_crawler-$$($(BIN)/python setup.py --version).egg

clean:
	rm -rf build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
