# Every target works on a machine with only Python 3.11+, make and git: the virtual environment is made when
# there is none and reused when there is. PYTHON chooses the interpreter, VENV another folder for it.
PYTHON ?= python3
VENV ?= .venv
BIN = $(VENV)/bin
READY = $(VENV)/.ready
OLDEST = .venv-oldest

.PHONY: stress test quick core pythons oldest check bench scale mutants docs site gallery clean

stress: $(READY)
	$(BIN)/polhode stress

# Everything that must hold: formatter, linter, types, import contracts, generated pages, every claim of every method.
test: check
	$(BIN)/python -m pytest -n 2 -q

# An answer in under a minute: the same checks, and tests that touch every layer.
QUICK = kernels integrators/test_lookup.py physics/test_frozen.py runs/test_turns.py theorems/test_units.py test_docs.py
quick: check
	$(BIN)/python -m pytest -n 2 -q $(QUICK:%=tests/%) -k "not certif and not black_box and not mistake"

# The suite with the other Pythons declared, where they are found.
pythons:
	for v in 3.12 3.13; do if python$$v -c '' 2>/dev/null; then \
		$(MAKE) test PYTHON=python$$v VENV=.venv-$$v || exit 1; else echo "python$$v: not found, left out"; fi; done

# The core of the suite with the lowest versions declared, tests/oldest.txt, in an environment of its own.
CORE = inputs integrators/test_composition.py kernels machine physics runs theorems/test_arithmetics.py theorems/test_bits.py
oldest: $(OLDEST)/.ready
	$(OLDEST)/bin/python -m pytest -q -W default $(CORE:%=tests/%)

# The same with the versions there are; POLHODE_LINK_ONLY=0 make core leaves Numba's private linking alone.
core: $(READY)
	$(BIN)/python -m pytest -n 2 -q $(CORE:%=tests/%)

$(OLDEST)/.ready: pyproject.toml tests/oldest.txt
	test -x $(OLDEST)/bin/python || $(PYTHON) -m venv $(OLDEST)
	$(OLDEST)/bin/python -m pip install --quiet --upgrade pip
	$(OLDEST)/bin/python -m pip install --quiet --constraint tests/oldest.txt --editable . --group test
	touch $@

check: $(READY)
	$(BIN)/ruff format --check src tests benchmarks scripts docs
	$(BIN)/ruff check src tests benchmarks scripts docs
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: $(READY)
	grep -v '^#' benchmarks/requirements.txt | while read -r peer; do \
		$(BIN)/python -m pip install --quiet "$$peer" || echo "$$peer: not installed, left out"; done
	$(BIN)/python benchmarks/bench.py
	$(BIN)/python benchmarks/page.py
	$(BIN)/python benchmarks/scale.py

# What sweeps cost beyond their steps, with ten million bodies, and what follows for a cluster: docs/scale.md, five minutes.
scale: $(READY)
	$(BIN)/python benchmarks/scale.py

mutants: $(READY)
	$(BIN)/python scripts/mutants.py

docs: $(READY)
	$(BIN)/python -m polhode.views.catalogue docs
	$(BIN)/python -m polhode.views.recommend docs
	$(BIN)/python -m polhode.views.audit docs
	$(BIN)/python -c "import polhode; polhode.stress().figure().savefig('docs/stress.png', dpi=80)"

# The documentation as a folder that opens offline, site/index.html; warnings are errors.
site: $(READY)
	$(BIN)/python -m pip install --quiet --group docs
	$(BIN)/python -m sphinx -q -W --keep-going -d docs/_build/doctrees docs site

# Thumbnails of the published figures, from what `polhode reproduce all` has kept.
gallery: $(READY)
	$(BIN)/python scripts/gallery.py

$(READY): pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --editable . --group dev
	touch $(READY)

clean:
	rm -rf $(VENV) .venv-* results .pytest_cache .ruff_cache .mypy_cache .import_linter_cache site jupyter_execute docs/_build docs/made
