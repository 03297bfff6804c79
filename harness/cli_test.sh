#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Tests of the zsanity command: exit status and exact text, above all of wrong use.
# usage: cli_test.sh ZSANITY, from the top folder.
set -u

zsanity=$(realpath "$1")
top=$PWD
told() { [ "$(cat err)" = "$1" ]; }
. "$(dirname "$(realpath "$0")")/expect.sh"

# holds WHAT TEST...: a condition.
holds()
{
	local what=$1
	shift
	"$@" || { echo "not so: $what"; failed=1; }
}

full() { "$@" > /dev/full; }
says() { grep -qE "$1" "$2"; }

good=$'zsanity-trace 1\npool preset tiny pages 16 objects 64\nmalloc 0 8\nwrite 0 all 7\nread 0 all\nfree 0\nfree 0\n'
printf %s "$good" > good.trace
wrong="zsanity: no.trace: No such file or directory"

# ---- the command itself
expect 2 "zsanity: a command is wanted; try 'zsanity --help'" "$zsanity"
expect 2 "zsanity: unknown command 'frob'; try 'zsanity --help'" "$zsanity" frob
expect 2 "zsanity: unknown command '--frob'; try 'zsanity --help'" "$zsanity" --frob
expect 0 "" "$zsanity" --help
expect 2 "zsanity: unknown command 'reply'; did you mean replay?" "$zsanity" reply
expect 2 "zsanity: unknown command 'rnu'; did you mean run?" "$zsanity" rnu
expect 2 "zsanity: unknown command '--hlep'; did you mean --help?" "$zsanity" --hlep
expect 2 "zsanity: unknown command 'rpelay'; did you mean replay?" "$zsanity" help rpelay
expect 0 "" "$zsanity" --version
holds "a version" says '^zsanity [0-9]+\.[0-9]+\.[0-9]+$' out
expect 2 "zsanity: stdout: No space left on device" full "$zsanity" --version
closed() { "$@" >&-; }
expect 2 "zsanity: stdout: Bad file descriptor" closed "$zsanity" --help
for command in run replay capture zram stat; do
	expect 0 "" "$zsanity" help $command
	cp out help
	expect 0 "" "$zsanity" $command --help
	holds "$command --help is help $command" cmp out help
	holds "$command --help has examples" says "^  zsanity $command" out
	holds "$command is in the list of commands" [ "$("$zsanity" help | grep -c "^  $command ")" = 1 ]
	expect 2 "zsanity: unknown option '--frob'; try 'zsanity $command --help'" "$zsanity" $command --frob
	expect 2 "zsanity: unknown option '-x'; try 'zsanity $command --help'" "$zsanity" $command -x
	expect 2 "zsanity: stdout: No space left on device" full "$zsanity" $command --help
done

# ---- options, which read the same everywhere
backends='core, malloc, kernel-6.1, kernel-6.12, kernel-6.1-zbud, kernel-6.12-zbud or kernel-tree'
for command in run replay zram stat; do
	expect 2 "zsanity: --backend wants $backends, not 'kernel'; try 'zsanity $command --help'" "$zsanity" $command --backend kernel
	expect 2 "zsanity: --backend wants $backends, not 'cor'; did you mean 'core'?" "$zsanity" $command --backend cor
	expect 2 "zsanity: kernel-6.12-16k isn't built: run make kernel" env ZSANITY_KERNEL=no "$zsanity" $command --backend kernel-6.12-16k
	expect 2 "zsanity: ./no.so: cannot open shared object file: No such file or directory" "$zsanity" $command --backend no.so
	expect 2 "zsanity: option '--backend' wants a value; try 'zsanity $command --help'" "$zsanity" $command --backend
	expect 2 "zsanity: no/report: No such file or directory" "$zsanity" $command --json=no/report
done
expect 2 "zsanity: --backend malloc has no size classes" "$zsanity" stat --table --backend malloc
expect 2 "zsanity: --backend malloc has no zspages to compare with the model's" "$zsanity" run --backend malloc --seed 1
for command in run capture zram stat; do
	expect 2 "zsanity: --geometry wants native, kernel-6.1, kernel-6.12 or tiny, not 'kernel-6.2'; did you mean 'kernel-6.1'?" \
		"$zsanity" $command --geometry kernel-6.2
done
for command in capture zram; do
	expect 2 "zsanity: unknown option '--sed'; did you mean --seed?" "$zsanity" $command --sed 1
	expect 2 "zsanity: --seed wants a number, not '-1'; try 'zsanity $command --help'" "$zsanity" $command --seed -1
	expect 2 "zsanity: --limit wants a size such as 50M, not '0'; try 'zsanity $command --help'" "$zsanity" $command --limit 0
	expect 2 "zsanity: --limit wants a size such as 50M, not '9X'; try 'zsanity $command --help'" "$zsanity" $command --limit 9X
	expect 2 "zsanity: option '--codec' wants a value; try 'zsanity $command --help'" "$zsanity" $command --codec
	expect 2 "zsanity: --codec wants lzo, lz4 or zstd, not ''; try 'zsanity $command --help'" "$zsanity" $command --codec ''
	expect 2 "zsanity: --codec wants lzo, lz4 or zstd, not 'zst'; did you mean 'zstd'?" "$zsanity" $command --codec zst
done
"$zsanity" zram --help > help
holds "no colour in a file" [ "$(grep -c $'\033' help)" = 0 ]
terminal() { script -qec "$*" /dev/null < /dev/null; }
holds "colour on a terminal" [ "$(terminal "$zsanity" zram --help | grep -c $'\033')" = 2 ]
holds "but not with NO_COLOR" [ "$(NO_COLOR=1 terminal "$zsanity" zram --help | grep -c $'\033')" = 0 ]

# ---- run
expect 0 "" "$zsanity" run --seed 1 --ops 500 --geometry native
holds "run tells what it did" says '^seed 1 \(pages of 4096\): [0-9]+ operations in [0-9.]+ s \([0-9]+/s\), ' out
expect 0 "" "$zsanity" run --seed 1 --ops 500 --geometry native --save one.trace
expect 0 "" "$zsanity" run --seed 1 --ops 500 --geometry native --save two.trace
holds "the same seed makes the same trace" cmp one.trace two.trace
expect 0 "" "$zsanity" run --seed 1 --ops 100 --sequences 3 --geometry kernel-6.1
holds "three sequences, one line" says '^3 traces: ' out
expect 0 "" "$zsanity" run --seed 1 --ops 100 --geometry native --json
holds "the report is JSON" python3 -c 'import json; r = json.load(open("out")); assert r["total"]["traces"] == 1 and r["failure"] is None'
"$zsanity" run --ops 1 --geometry native > out 2> err
holds "a fresh seed is told" says '^seed [0-9]+$' err
expect 2 "zsanity: --seed wants a number, not 'x'; try 'zsanity run --help'" "$zsanity" run --seed x
expect 2 "zsanity: --ops wants a number, not '-1'; try 'zsanity run --help'" "$zsanity" run --ops -1
expect 2 "zsanity: --ops wants a number, not '99999999999999999999'; try 'zsanity run --help'" \
	"$zsanity" run --ops 99999999999999999999
expect 2 "zsanity: --sequences wants a number above 0, not '0'; try 'zsanity run --help'" "$zsanity" run --sequences 0
expect 2 "zsanity: --geometry wants native, kernel-6.1, kernel-6.12 or tiny, not 'round'; try 'zsanity run --help'" "$zsanity" run --geometry round
expect 2 "zsanity: option '--seed' wants a value; try 'zsanity run --help'" "$zsanity" run --seed
expect 2 "zsanity: unknown operand 'now'; try 'zsanity run --help'" "$zsanity" run now
expect 2 "zsanity: --save takes one sequence; try 'zsanity run --help'" "$zsanity" run --save x --sequences 2
expect 2 "zsanity: stdout: No space left on device" full "$zsanity" run --seed 1 --ops 10 --geometry native
expect 2 "zsanity: /dev/full: No space left on device" "$zsanity" run --seed 1 --ops 10 --geometry native --save /dev/full

# ---- replay
expect 0 "" "$zsanity" replay good.trace
holds "replay tells what it did" says '^good.trace: 5 operations in .* 1 errors as predicted, ' out
expect 0 "" "$zsanity" replay --full-every 1 --json good.trace
holds "the report is JSON" python3 -c 'import json; r = json.load(open("out"))["results"][0]; assert (r["trace"], r["operations"], r["failures"]) == ("good.trace", 5, 1)'
expect 2 "zsanity: traces are wanted; try 'zsanity replay --help'" "$zsanity" replay
expect 2 "$wrong" "$zsanity" replay no.trace
expect 2 "zsanity: '': No such file or directory" "$zsanity" replay ""
expect 2 "zsanity: /dev/null: neither a regular file nor a folder" "$zsanity" replay /dev/null
: > empty
expect 2 "zsanity: empty: empty" "$zsanity" replay empty
printf %s "$good" | head -c 70 > cut.trace
expect 2 "zsanity: cut.trace: line 4: write wants NAME LEN SEED" "$zsanity" replay cut.trace
printf %s "$good" | head -c -1 > cut.trace
expect 2 "zsanity: cut.trace: line 7: cut short: no newline at the end" "$zsanity" replay cut.trace
{ printf %s "$good"; head -c 3000 /dev/zero; } > corrupt.trace
expect 2 "zsanity: corrupt.trace: line 8: longer than 1000 bytes" "$zsanity" replay corrupt.trace
printf 'zsanity-trace 1\nmalloc 1 \0\n' > corrupt.trace
expect 2 "zsanity: corrupt.trace: line 2: a NUL byte; this is no text" "$zsanity" replay corrupt.trace
head -c 2000000 /dev/zero > garbage
expect 2 "zsanity: garbage: no trace: its first line isn't 'zsanity-trace 1', and it is too large for the byte form" \
	"$zsanity" replay garbage
expect 2 "zsanity: $top/README.md: no trace: its first line isn't 'zsanity-trace 1' (--bytes takes it as the byte form)" \
	"$zsanity" replay "$top/README.md"
truncate -s 3G huge
expect 2 "zsanity: huge: too large for a trace: 3072 MiB, at most 2048" "$zsanity" replay huge
rm -f huge
# Any bytes are the byte form; these have an operation less than they seem to.
printf '\x00\x0f\x00\x3f\x00\x00\x07\x00\x00\x01\x08\x00\x1f\x00\x00\x00\x1f\x00' > bytes
expect 0 "" "$zsanity" replay bytes
holds "two operations" says '^bytes: 2 operations' out
expect 0 "" "$zsanity" replay --print bytes
holds "the text form" says '^malloc 1 8$' out
printf 'zsanity-trace 1\npool page 100\n' > page.trace
expect 2 "zsanity: page.trace: the pool can't be as configured: $("$zsanity" replay page.trace 2>&1 | sed 's/.*configured: //')" \
	"$zsanity" replay page.trace
holds "the complaint names the field" says 'page_size' err
mkdir none some some/.hidden
expect 2 "zsanity: none: no traces in it" "$zsanity" replay none
cp good.trace some/b.trace
cp bytes some/a
echo "not a trace" > some/README.md
echo "not a trace" > some/.notes
expect 0 "" "$zsanity" replay some
holds "a folder in order, with a total" [ "$(cut -d: -f1 out | tr '\n' ' ')" = "some/a some/b.trace 2 traces " ]
expect 2 "$wrong" "$zsanity" replay good.trace no.trace
expect 2 "zsanity: stdout: No space left on device" full "$zsanity" replay good.trace
expect 2 "zsanity: stdout: No space left on device" full "$zsanity" replay --print good.trace
expect 2 "zsanity: --print and --encode take one trace, not 2; try 'zsanity replay --help'" "$zsanity" replay --print some
expect 0 "" "$zsanity" replay --encode good.bytes good.trace
expect 0 "" "$zsanity" replay --print good.bytes
cp out again
expect 0 "" "$zsanity" replay --print good.trace
holds "encoded and printed, it's the same trace" cmp out again
printf 'zsanity-trace 1\npool preset tiny pages 16\nfree 256\n' > unfit.trace
expect 2 "zsanity: unfit.trace: no byte form: a NAME is above 255" "$zsanity" replay --encode x unfit.trace
holds "nothing was written" [ ! -e x ]
expect 2 "zsanity: --full-every wants a number, not 'often'; try 'zsanity replay --help'" "$zsanity" replay --full-every often good.trace

# ---- capture
mkdir -p pages/sub
seq 10000 > pages/b
head -c 8192 /dev/zero > pages/zero
printf x > pages/sub/short
ln -s ../good.trace pages/link
mkfifo pages/pipe
: > pages/none
expect 0 "15 pages, 2 same-filled, 12 compressed to 2299 bytes on average, 1 incompressible, 33 operations" \
	"$zsanity" capture --output one.trace pages
holds "whole, with the usual mode" [ "$(stat -c %a one.trace)" = "$(printf %o $((0666 & ~$(umask))))" ]
"$zsanity" capture --output two.trace pages 2> err
holds "the same pages make the same trace" cmp one.trace two.trace
"$zsanity" capture --seed 2 pages > two.trace 2> err
holds "another seed makes another one" [ "$(cmp one.trace two.trace | wc -l)" = 1 ]
expect 0 "" "$zsanity" replay one.trace
head -c 100000 /dev/urandom > noise
"$zsanity" capture --codec lz4 --limit 40K --output two.trace noise 2> err
holds "noise doesn't compress, the limit holds" says '^10 pages, 0 same-filled, 0 compressed to 0 bytes on average, 10 incompressible' err
"$zsanity" capture --names 2 --compact-every 3 --codec zstd pages > two.trace 2> err
holds "two names only" [ "$(awk '/^malloc/ { print $2 }' two.trace | sort -u | wc -l)" = 2 ]
holds "compactions" grep -q '^compact$' two.trace
expect 0 "" "$zsanity" replay two.trace
expect 2 "$wrong" "$zsanity" capture no.trace
expect 2 "zsanity: nothing to capture: no page could be read" "$zsanity" capture pages/none
expect 2 "zsanity: pages/pipe: neither a regular file nor a folder" "$zsanity" capture pages/pipe
expect 2 "zsanity: files or folders, or a process, are wanted; try 'zsanity capture --help'" "$zsanity" capture
expect 2 "zsanity: files or folders, or a process, are wanted; try 'zsanity capture --help'" "$zsanity" capture --pid 1 pages
expect 2 "zsanity: --codec wants lzo, lz4 or zstd, not 'zip'; try 'zsanity capture --help'" "$zsanity" capture --codec zip pages
expect 2 "zsanity: --limit wants a size such as 50M, not '5X'; try 'zsanity capture --help'" "$zsanity" capture --limit 5X pages
expect 2 "zsanity: --limit wants a size such as 50M, not '99999999999G'; try 'zsanity capture --help'" \
	"$zsanity" capture --limit 99999999999G pages
expect 2 "zsanity: --names wants 1 .. 67108864, not '0'; try 'zsanity capture --help'" "$zsanity" capture --names 0 pages
expect 2 "zsanity: --pid wants a process number, not '0'; try 'zsanity capture --help'" "$zsanity" capture --pid 0
expect 2 "zsanity: process 2147483647: no such process" "$zsanity" capture --pid 2147483647
sleep 60 &
sleeper=$!
"$zsanity" capture --pid $sleeper --output two.trace 2> err
holds "a process's memory is captured" says '^[1-9][0-9]* pages' err
kill $sleeper
expect 0 "" "$zsanity" replay two.trace

# ---- zram
verdict='all [0-9,]+ pages read back right \(seed 1\)$'
for codec in lzo lz4 zstd; do
	expect 0 "" "$zsanity" zram --codec $codec --compact --files pages --files noise
	holds "zram with $codec says that all is right" says "^stored .* in .*; compaction reclaimed .*; $verdict" out
	cp out first
	expect 0 "" "$zsanity" zram --codec $codec --compact pages noise
	holds "the same pages and seed do the same" cmp first out
done
holds "mm_stat has the kernel's columns, and one more" [ "$(sed -n 1p out | tr -s ' ')" = \
	"orig_data_size compr_data_size mem_used_total mem_limit mem_used_max same_pages pages_compacted huge_pages huge_pages_since objs_moved " ]
holds "mm_stat has as many numbers" [ "$(sed -n 2p out | wc -w)" = 10 ]
holds "the classes' heading is the kernel's, and one more" [ "$(sed -n 4p out)" = \
	" class  size       10%       20%       30%       40%       50%       60%       70%       80%       90%       99%      100% obj_allocated   obj_used pages_used pages_per_zspage freeable        0%" ]
holds "119 classes" [ "$(grep -cE '^ +[0-9]+ +[0-9]+( +[0-9]+){17}$' out)" = 119 ]
expect 0 "" "$zsanity" zram --json=report --speed --compact pages noise
holds "text as well" says "$verdict" out
cat > report.py <<'END'
import json
report = json.load(open("report"))
stat, classes, speed = report["mm_stat"], report["classes"], report["speed"]
assert report["failure"] is None and report["pages"] == 40, report
assert stat["orig_data_size"] == 4096 * report["pages_right"] and stat["same_pages"] <= 2
assert stat["mem_used_total"] == 4096 * sum(row["pages_used"] for row in classes) <= stat["mem_used_max"]
assert sum(row["obj_used"] for row in classes) == report["pages_right"] - stat["same_pages"]
assert next(row["obj_used"] for row in classes if row["class"] == 254) == stat["huge_pages"]
for row in classes:
    assert sum(row["zspages"].values()) * row["pages_per_zspage"] == row["pages_used"]
assert speed["write"]["bytes"] == 4096 * report["pages"], speed
assert speed["read"]["bytes"] == stat["orig_data_size"]
assert speed["overall"]["bytes"] == sum(sample["bytes"] for sample in speed["samples"])
END
holds "the report agrees with itself" python3 report.py
expect 0 "" "$zsanity" zram --json pages noise
holds "JSON in place of the text" python3 -c 'import json; r = json.load(open("out")); assert r["speed"] is None and r["mm_stat"]["pages_compacted"] == 0'
for preset in native kernel-6.1 tiny; do
	expect 0 "" "$zsanity" zram --geometry $preset --compact pages noise
	holds "right in geometry $preset" says "$verdict" out
done
expect 0 "" "$zsanity" zram --mem-limit 20K noise
holds "what finds no room is told, and isn't stored" says '^stored 20 KiB in 20 KiB; [1-9][0-9]* pages found no room; all 5 pages' out
expect 0 "" "$zsanity" zram --mem-limit 1 --json noise
holds "a limit is rounded up to a page, as zram's is" python3 -c 'import json; assert json.load(open("out"))["mm_stat"]["mem_limit"] == 4096'
expect 2 "zsanity: files or folders are wanted; try 'zsanity zram --help'" "$zsanity" zram
expect 2 "zsanity: nothing to store: no page could be read" "$zsanity" zram none
expect 2 "zsanity: nothing to store: no page could be read" "$zsanity" zram pages/none
expect 2 "$wrong" "$zsanity" zram --files pages --files no.trace
expect 2 "zsanity: --mem-limit wants a size such as 50M, not '0'; try 'zsanity zram --help'" "$zsanity" zram --mem-limit 0 pages
expect 2 "zsanity: stdout: No space left on device" full "$zsanity" zram pages
expect 2 "zsanity: stdout: No space left on device" full "$zsanity" zram --json pages
expect 2 "zsanity: /dev/full: No space left on device" "$zsanity" zram --json=/dev/full pages
expect 2 "zsanity: stdout: Bad file descriptor" closed "$zsanity" zram pages
expect 2 "zsanity: stdout: Bad file descriptor" closed "$zsanity" zram --json=report pages
holds "a closed stdout's number goes to no file" python3 -c 'import json; json.load(open("report"))'
truncate -s 3G vast
small_memory() { (ulimit -v 2000000; "$@"); }
# A sanitizer needs more than that to begin with.
if small_memory "$zsanity" --version > out 2>&1; then
	expect 2 "zsanity: out of memory: the pages, 3072 MiB, are kept to compare with; try --limit" small_memory "$zsanity" zram vast
fi
rm vast
chmod 0 pages/b
as_nobody() { setpriv --reuid 65534 --clear-groups "$@"; }
if as_nobody "$zsanity" --version > out 2>&1 && [ "$(id -u)" = 0 ]; then
	chmod 755 .
	expect 0 "zsanity: left out pages/b: Permission denied" as_nobody "$zsanity" zram pages
	expect 2 $'zsanity: left out pages/b: Permission denied\nzsanity: nothing to store: no page could be read' \
		as_nobody "$zsanity" zram pages/b
fi
chmod 644 pages/b

# ---- stat
classes() { "$zsanity" stat --table --geometry $1 | tail -n 1; }
holds "native" [ "$(classes native)" = "119 classes, zs_huge_class_size 3633" ]
holds "6.12" [ "$(classes kernel-6.12)" = "119 classes, zs_huge_class_size 3625" ]
holds "6.1" [ "$(classes kernel-6.1)" = "69 classes, zs_huge_class_size 3257" ]
holds "tiny" [ "$(classes tiny)" = "7 classes, zs_huge_class_size 49" ]
expect 0 "" "$zsanity" stat --table --geometry kernel-6.1 --json
cat > table.py <<'END'
import json
report = json.load(open("out"))
rows = report["classes"]
assert len(rows) == report["count"] == 69 and report["huge_class_size"] == 3257
for row in rows:
    assert row["wasted"] == row["pages_per_zspage"] * 4096 - row["objs_per_zspage"] * row["size"] >= 0
    assert row["largest_object"] == row["size"] - (0 if row["huge"] else 8)
    assert row["huge"] == (row["class"] == 254)
END
holds "the table agrees with itself" python3 table.py
expect 0 "" "$zsanity" stat good.trace
holds "stat tells of the pool" says '^0 objects in 0 zspages of 0 pages \(peak 1\)' out
holds "stat prints the classes" [ "$(grep -cE '^ +[0-9]+ +[0-9]+( +[0-9]+){17}$' out)" = 7 ]
printf 'zsanity-trace 1\npool preset tiny pages 16\nmalloc 0 24\nlock 0 0\nfree 0\nmalloc 1 64\n' > held.trace
expect 0 "" "$zsanity" stat --json held.trace
holds "an empty zspage that is locked is in group 0" python3 -c '
import json
result = json.load(open("out"))["results"][0]
assert result["pool"]["objects"] == 1 and result["pool"]["zspages"] == 2
assert sum(row["zspages"]["0%"] for row in result["classes"]) == 1
assert sum(row["zspages"]["100%"] for row in result["classes"]) == 1'
expect 2 "zsanity: traces are wanted; try 'zsanity stat --help'" "$zsanity" stat
expect 2 "zsanity: --table takes no traces; try 'zsanity stat --help'" "$zsanity" stat --table good.trace
expect 2 "zsanity: --geometry goes with --table; a trace has its own; try 'zsanity stat --help'" "$zsanity" stat --geometry tiny good.trace
expect 2 "zsanity: stdout: No space left on device" full "$zsanity" stat --table

# ---- what is written is whole or not at all
files() { find . -maxdepth 1 -name 'out.trace*' | tr '\n' ' '; }
expect 2 "zsanity: stdout: No space left on device" full "$zsanity" capture pages
expect 2 "zsanity: /dev/full: No space left on device" "$zsanity" capture --output /dev/full pages
expect 2 "zsanity: no/out.trace: No such file or directory" "$zsanity" capture --output no/out.trace pages
expect 2 "zsanity: pages: Is a directory" "$zsanity" capture --output pages good.trace
small_files() { (trap '' XFSZ; ulimit -f 1; "$@"); }
expect 2 "zsanity: out.trace: File too large; nothing was written" small_files "$zsanity" capture --output out.trace "$zsanity"
holds "a full disk leaves nothing" [ "$(files)" = "" ]
echo precious > out.trace
expect 2 "zsanity: out.trace: File too large; nothing was written" small_files "$zsanity" capture --output out.trace "$zsanity"
holds "nor takes what was there" [ "$(files)$(cat out.trace)" = "./out.trace precious" ]
rm out.trace
"$zsanity" capture --output out.trace /usr 2> err &
victim=$!
sleep 0.5
kill -KILL $victim
wait $victim 2> /dev/null
holds "a kill leaves nothing" [ "$(files)" = "" ]
for delay in 0.01 0.1 0.2 0.4; do
	timeout -s TERM $delay "$zsanity" capture --limit 8M --output out.trace "$top/build" 2> err
	[ ! -e out.trace ] || expect 0 "" "$zsanity" replay --print out.trace
	rm -f out.trace
	holds "SIGTERM after $delay s leaves nothing by halves" [ "$(files)" = "" ]
done
touch linked
ln -s linked out.trace
"$zsanity" capture --output out.trace pages 2> err
holds "a link stays one" [ -L out.trace ]
holds "and what it names is written" [ -s linked ]

# ---- the corpus: every file has its origin told, and the seeds are what the traces encode to
cd "$top" || exit 2
for trace in corpus/traces/*.trace; do
	seed=corpus/fuzz_ops/$(basename "$trace" .trace)
	if "$zsanity" replay --encode "$work/seed" "$trace" 2> /dev/null; then
		holds "$seed is what $trace encodes to" cmp -s "$work/seed" "$seed"
	fi
done
for file in $(find corpus -type f ! -name README.md); do
	holds "$file is in corpus/README.md" grep -qF "\`${file#corpus/}\`" corpus/README.md
done

[ $failed = 0 ] && echo "cli_test: right"
exit $failed
