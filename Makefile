# SPDX-License-Identifier: BSD-3-Clause
# CMake targets (harness/targets.cmake) do the work; Justfile has the same list. What fuzzes and what proves
# runs from here, so that its exit status and its one line of error aren't wrapped in the build tool's.

SECONDS ?= 60
ENGINE ?= all
CORPUS ?= corpus
MODULE ?=
ONLY ?=
MUTANTS ?=
QUICK ?=
LINUX ?=
PAGE ?=
CHAIN ?=
COMPACTION ?=
LOCKS ?=
SANITIZE ?=
VARIANTS ?=

# bash counts up a variable called SECONDS, so it travels under another name.
export ZSANITY_SECONDS = $(SECONDS)
export ZSANITY_ENGINE = $(ENGINE)
export ZSANITY_CORPUS = $(CORPUS)
export ZSANITY_ONLY = $(ONLY)
export ZSANITY_MUTANTS = $(MUTANTS)
export ZSANITY_QUICK = $(QUICK)

configure = cmake --preset release --log-level=WARNING >build/configure.log
build = $(configure) && cmake --build --preset release --target

.PHONY: help setup fuzz test prove bench kernel clean

help:
	@sed -n 's/^| `make \(.*\)` | \(.*\) |$$/make \1: \2/p' README.md

setup:
	@.ci/setup

fuzz: setup
	@fuzz/run.py --check-options && $(build) fuzzers && fuzz/run.py

test: setup
	@$(build) check

prove: setup
	@proofs/prove $(MODULE)

bench: setup
	@harness/bench/run --check-options && $(build) bench && harness/kernel/build && harness/bench/run

kernel: setup
	@harness/kernel/build LINUX="$(LINUX)" PAGE="$(PAGE)" CHAIN="$(CHAIN)" COMPACTION="$(COMPACTION)" LOCKS="$(LOCKS)" SANITIZE="$(SANITIZE)" VARIANTS="$(VARIANTS)"

clean:
	@rm -rf build
