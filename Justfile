# SPDX-License-Identifier: BSD-3-Clause
# One-liners onto CMake targets (harness/targets.cmake); Makefile has the same list.

SECONDS := env_var_or_default("SECONDS", "60")
ENGINE := env_var_or_default("ENGINE", "all")
CORPUS := env_var_or_default("CORPUS", "corpus")
MODULE := env_var_or_default("MODULE", "")

# bash counts up a variable called SECONDS, so it travels under another name.
export ZSANITY_SECONDS := SECONDS
export ZSANITY_ENGINE := ENGINE
export ZSANITY_CORPUS := CORPUS
export ZSANITY_MODULE := MODULE

configure := "cmake --preset release --log-level=WARNING >build/configure.log"
build := configure + " && cmake --build --preset release --target"

help:
	@sed -n 's/^| `make \(.*\)` | \(.*\) |$/make \1: \2/p' README.md

setup:
	@.ci/setup

fuzz: setup
	@{{build}} fuzz

test: setup
	@{{build}} check

prove: setup
	@{{build}} prove

clean:
	@rm -rf build
