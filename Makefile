# pgkb: every target works from a bare checkout. `make help` lists them.
.DEFAULT_GOAL := help
.PHONY: help demo test check bench peers up down diff snapshot clean

# the newest Python from 3.11 on that is on PATH; override with make PYTHON=...
PYTHON ?= $(firstword $(foreach name,python3.11 python3.12 python3.13 python3,$(shell command -v $(name) 2>/dev/null)))
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
# inlined into callers whose path is pinned, which a pin of their own would prevent
INLINED := $(addprefix db/functions/,search/bm25_impact.sql search/freshness.sql \
	search/idf.sql search/term_frequency.sql terms/quote_lexeme.sql)

help:  ## list the targets
	@grep -hE '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed 's/:[^#]*## /\t/' | expand -t 12

$(READY): pyproject.toml
	@test -n "$(PYTHON)" || { echo "make: no Python found. Install Python 3.11 or newer, or set PYTHON=" >&2; exit 2; }
	@"$(PYTHON)" -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo "make: $(PYTHON) is older than 3.11. Set PYTHON= to a newer one" >&2; exit 2; }
	@test -x $(BIN)/python || "$(PYTHON)" -m venv $(VENV)
	@echo "installing pinned packages into $(VENV) ..."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $(READY)

demo: $(READY)  ## server, deploy, sample corpus, questions answered with citations
	@$(BIN)/pgkb demo

test: $(READY)  ## the whole test suite, on a real PostgreSQL
	@$(BIN)/python -m pytest --numprocesses 2 --dist loadfile

check: $(READY)  ## rooms, frozen migrations, lint, types, SQL checks
	@$(BIN)/python -m db check --static
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy app cli db ingest providers bench tests
	@$(BIN)/squawk --config .squawk.toml db/migrations/*.sql
	@$(BIN)/sqlfluff lint --disable-progress-bar db/migrations db/grants.sql
	@$(BIN)/pgspot --ignore PS002 --ignore-lang plpython3u --summary-only \
		$(filter-out $(INLINED),$(wildcard db/functions/*/*.sql)) db/triggers/*/*.sql
	@$(BIN)/pgspot --ignore PS001 --ignore PS002 --ignore PS005 --summary-only $(INLINED)

bench: $(READY)  ## latency and recall as ratios, measured in one run
	@$(BIN)/python -m bench

peers: $(READY)  ## install what `make bench` compares with (430 MB, an environment of their own)
	@test -x build/peers/bin/python || "$(PYTHON)" -m venv build/peers
	@build/peers/bin/python -m pip install --quiet --disable-pip-version-check \
		--requirement bench/peers/requirements.txt

up: $(READY)  ## start the database server and deploy
	@$(BIN)/pgkb up

down: $(READY)  ## stop what make up started
	@$(BIN)/pgkb down

diff: $(READY)  ## how the database differs from the files (exit 2 when it does)
	@$(BIN)/python -m db diff

snapshot: $(READY)  ## rewrite db/schema.sql and freeze new migrations
	@$(BIN)/python -m db snapshot

clean:  ## remove the environment and built files, not the data
	@rm -rf $(VENV) build
