#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Tests of the property_test command: wrong use, and what it tells of a sequence that fails.
# usage: cli_test.sh PROPERTY_TEST ZSANITY, from the top folder.
set -u

program=$(realpath "$1")
zsanity=$(realpath "$2")
# Standard error has a line of the pattern, or is empty and the pattern says so.
told() { grep -qE "$1" <<< "$(cat err)"; }
. "$(dirname "$(realpath "$0")")/../expect.sh"

# In a second of processor time nobody tries a million sequences: the one under way is told.
hurried() { (ulimit -S -t 1; "$program" --seed 7 --sequences 1000000 sequences); }

expect 2 "^property_test: unknown option '--frob'; try --help$" "$program" --frob
expect 2 "^property_test: a value is wanted by '--seed'; try --help$" "$program" --seed
expect 2 "^property_test: a number is wanted, not '-1'; try --help$" "$program" --seed -1
expect 2 "^property_test: a number is wanted, not '0'; try --help$" "$program" --sequences 0
expect 2 "^property_test: no suite is called 'frob'; try --help$" "$program" sequences frob
expect 2 "^property_test: no corpus/traces here; run it from the top folder$" "$program" --sequences 1 pages
expect 0 "^$" "$program" --seed 7 --sequences 3 sequences relations
grep -q "^sequences: .*: right, 3 cases, seed 7$" out || { echo "three cases aren't told"; failed=1; }
expect 1 "^property_test: sequences failed at seed 7, case [0-9]+: CPU time limit exceeded" hurried
grep -q "^pool page " err || { echo "the pool isn't told"; failed=1; }
again=$(sed -n "s|^again: \(.*property_test .*\)|\1|p" err)
expect 0 "^$" $again
expect 0 "^$" "$zsanity" replay --full-every 1 build/findings/property-sequences-7-*.trace

[ $failed = 0 ] && echo "cli_test: right"
exit $failed
