# SPDX-License-Identifier: BSD-3-Clause
# CMake targets (harness/targets.cmake) do the work; Makefile has the same list and tells more.

SECONDS := env_var_or_default("SECONDS", "60")
ENGINE := env_var_or_default("ENGINE", "all")
CORPUS := env_var_or_default("CORPUS", "corpus")
MODULE := env_var_or_default("MODULE", "")
ONLY := env_var_or_default("ONLY", "")
MUTANTS := env_var_or_default("MUTANTS", "")
QUICK := env_var_or_default("QUICK", "")
LINUX := env_var_or_default("LINUX", "")
PAGE := env_var_or_default("PAGE", "")
CHAIN := env_var_or_default("CHAIN", "")
COMPACTION := env_var_or_default("COMPACTION", "")
LOCKS := env_var_or_default("LOCKS", "")
SANITIZE := env_var_or_default("SANITIZE", "")
VARIANTS := env_var_or_default("VARIANTS", "")

# bash counts up a variable called SECONDS, so it travels under another name.
export ZSANITY_SECONDS := SECONDS
export ZSANITY_ENGINE := ENGINE
export ZSANITY_CORPUS := CORPUS
export ZSANITY_ONLY := ONLY
export ZSANITY_MUTANTS := MUTANTS
export ZSANITY_QUICK := QUICK

configure := "cmake --preset release --log-level=WARNING >build/configure.log"
build := configure + " && cmake --build --preset release --target"

help:
	@sed -n 's/^| `make \(.*\)` | \(.*\) |$/make \1: \2/p' README.md

setup:
	@.ci/setup

fuzz: setup
	@fuzz/run.py --check-options && {{build}} fuzzers && fuzz/run.py

test: setup
	@{{build}} check

prove: setup
	@proofs/prove {{MODULE}}

bench: setup
	@harness/bench/run --check-options && {{build}} bench && harness/kernel/build && harness/bench/run

kernel: setup
	@harness/kernel/build LINUX="{{LINUX}}" PAGE="{{PAGE}}" CHAIN="{{CHAIN}}" COMPACTION="{{COMPACTION}}" LOCKS="{{LOCKS}}" SANITIZE="{{SANITIZE}}" VARIANTS="{{VARIANTS}}"

clean:
	@rm -rf build
