# SPDX-License-Identifier: BSD-3-Clause
# What the tests of commands share, which source this: a folder to work in, and commands run and judged.
# They define told TEXT: is what the file `err` holds what was wanted?

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 2

# expect STATUS STDERR COMMAND...: runs it; standard output is left in the file `out`.
failed=0
expect()
{
	local status=$1 text=$2 got
	shift 2
	"$@" > out 2> err
	got=$?
	if [ $got != "$status" ] || ! told "$text"; then
		printf '%s\n  status %s, wanted %s\n  stderr: %s\n  wanted: %s\n' "$*" $got "$status" "$(cat err)" "$text"
		failed=1
	fi
}
