# SPDX-License-Identifier: BSD-3-Clause
"""Mutants: mistakes put into a proved function, each of which must lose a goal. mutants/README.md tells more."""
import dataclasses
import functools
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import time

import gates
import wp

LEAST = 3  # a function
OUTCOMES = ("refuted", "unknown", "time-out", "survived", "equivalent")
COMPILE = ("gcc", "-std=c11", "-O1", "-g", "-w", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")
TEST_SECONDS = 60  # whole tests take few; a mutant that hangs isn't refuted by that


class Wrong(ValueError):
    """A file that isn't right: exit status 2."""


@dataclasses.dataclass
class Mutant:
    module: str
    function: str
    name: str
    place: str  # file:line
    old: list = dataclasses.field(default_factory=list)
    new: list = dataclasses.field(default_factory=list)
    reason: str = ""  # why it is equivalent


def parse(module, function, text, path):
    """The mutants of a file."""
    found = []
    for number, line in enumerate(text.splitlines(), 1):
        place = f"{path}:{number}"
        head = re.fullmatch(r"@ (\w+)", line)
        if head:
            found.append(Mutant(module, function, head[1], place))
        elif line.strip() and not line.startswith("#"):
            if not found:
                raise Wrong(f"{place}: a mutant begins with '@ NAME'")
            take(found[-1], line, place)
    names = [mutant.name for mutant in found]
    for mutant in found:
        if not mutant.old:
            raise Wrong(f"{mutant.place}: {mutant.name} has no old text: add a '-' line")
        if names.count(mutant.name) > 1:
            raise Wrong(f"{mutant.place}: {mutant.name} is there twice: rename one")
    return found


def take(mutant, line, place):
    """A line of a mutant behind its name."""
    equivalent = re.fullmatch(r"equivalent: *(\S.*)", line)
    if equivalent:
        mutant.reason = equivalent[1]
    elif line[0] == "-" and not mutant.new:
        mutant.old.append(line[1:])
    elif line[0] == "+":
        mutant.new.append(line[1:])
    else:
        raise Wrong(f"{place}: neither '@ NAME', 'equivalent: REASON', '-OLD', then '+NEW', nor '# COMMENT'")


def proved_functions(module, root):
    """Function -> the source that has its body."""
    return {name: path for path, text in gates.sources(module, root).items() if not path.endswith(".acsl")
            for name in gates.defined(text)}


def load(modules, only, root):
    """The mutants of the modules' functions, or of one function; each applies, and there are enough."""
    found, functions = [], [(module, name) for module in modules for name in sorted(proved_functions(module, root))]
    if only:
        functions = [pair for pair in functions if pair[1] == only]
        if not functions:
            raise Wrong(f"no function {only} is proved in {', '.join(modules)}")
    for module, function in functions:
        path = root / "proofs" / "mutants" / module / function
        text = path.read_text() if path.exists() else ""
        mutants = parse(module, function, text, path.relative_to(root))
        for mutant in mutants:
            apply(mutant, root)
        count = sum(not mutant.reason for mutant in mutants)
        if count < LEAST:
            raise Wrong(f"proofs/mutants/{module}/{function} has {count} mutants that aren't equivalent: "
                        f"write {LEAST}")
        found += mutants
    for path in (root / "proofs" / "mutants").glob("*/*"):
        module, function = path.parts[-2:]
        if module in modules and function not in proved_functions(module, root):
            raise Wrong(f"{path.relative_to(root)}: {module} has no proved function {function}")
    return found


def apply(mutant, root):
    """The source's path and its text with the mistake."""
    path = proved_functions(mutant.module, root)[mutant.function]
    text = (root / path).read_text()
    head = next(at for at in gates.FUNCTION.finditer(text) if at[2] == mutant.function and at[4] == "{")
    end = text.index("\n}", head.end())
    body, old = text[head.end():end], "\n".join(mutant.old)
    if body.count(old) != 1:
        raise Wrong(f"{mutant.place}: {mutant.name}: its old text is {body.count(old)} times in the body of "
                    f"{mutant.function}, {path}; it must be there once")
    changed = body.replace(old, "\n".join(mutant.new))
    if gates.without_comments(changed) == gates.without_comments(body):
        raise Wrong(f"{mutant.place}: {mutant.name} changes no code")
    return path, text[:head.end()] + changed + text[end:]


def test_of(module):
    """The unit test that may refute a module's mutants."""
    own = wp.ROOT / "core" / f"{module}_test.c"
    return own if own.exists() else wp.ROOT / "core" / "pool_test.c"


def digest(mutant, tools, timeout):
    """A name for all that a result depends on."""
    parts = [tools, repr((wp.FLAGS, wp.PROVERS, COMPILE, TEST_SECONDS, timeout)), mutant.function,
             repr((mutant.old, mutant.new))]
    read = wp.included(wp.ROOT / "core" / f"{mutant.module}.c", {})
    for path, text in sorted(wp.included(test_of(mutant.module), read).items()):
        parts += [path.name, text]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def copy(tree):
    """What is compiled and proved."""
    shutil.copytree(wp.ROOT / "core", tree / "core")
    (tree / "proofs").mkdir()
    for path in (wp.ROOT / "proofs").glob("*.acsl"):
        shutil.copy(path, tree / "proofs")


def fails_test(module, tree, place):
    """Compiles a tree's core with the module's test. Does the test see a mistake?"""
    sources = sorted(path for path in (tree / "core").glob("*.c") if not path.stem.endswith("_test"))
    program = tree / "unit_test"
    made = subprocess.run([*COMPILE, *sources, tree / "core" / test_of(module).name, "-o", program, "-lcmocka"],
                          capture_output=True, text=True)
    if made.returncode:
        error = next((line for line in made.stderr.splitlines() if "error" in line), made.stderr.strip())
        raise Wrong(f"{place}: doesn't compile: {error}")
    try:
        return subprocess.run([program], cwd=wp.ROOT, capture_output=True, timeout=TEST_SECONDS).returncode != 0
    except subprocess.TimeoutExpired:
        return False


class UntilLost:
    """Ends a run of frama-c at the first open goal."""

    @staticmethod
    def tell(log):
        return lost_goal(wp.read(log)) is not None


def lost_goal(messages):
    """The first open goal and what each prover said of it, or nothing."""
    lost = re.search(r"\[Failed\] Goal (\w+)\n((?:  .*\n)+)", messages)
    return lost and (lost[1], lost[2])


def outcome(mutant, status, messages, refuted):
    """What became of a mutant, and the goal that it lost."""
    lost = lost_goal(messages)
    if not lost:
        counts = re.search(r"Proved goals: +(\d+) / (\d+)", messages)
        if status or not counts or counts[1] != counts[2] or counts[1] == "0":
            raise Wrong(f"{mutant.place}: {mutant.name}: {wp.crash(status, messages)}")
        return "survived", ""
    if refuted:
        return "refuted", lost[0]
    # Z3's "Failed Unknown error" is a time-out.
    return ("unknown" if re.search(r": Unknown\b", lost[1]) else "time-out"), lost[0]


def prove(mutant, tree, env, timeout):
    """Asks the provers about the function in a tree. Returns frama-c's exit status and messages."""
    log = tree / "log"
    arguments = ["frama-c", *wp.FLAGS, "-wp-fct", mutant.function, "-wp-prover", ",".join(wp.PROVERS),
                 "-wp-par", "1", "-wp-cache", "none", "-wp-timeout", str(timeout), f"core/{mutant.module}.c"]
    status = wp.run(arguments, log, {**env, "PWD": str(tree)}, UntilLost, tree)
    return status, wp.read(log)


def judge(mutant, env, timeout):
    """One mutant's result."""
    start = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="mutant-") as folder:
        tree = pathlib.Path(folder)
        copy(tree)
        path, text = apply(mutant, wp.ROOT)
        (tree / path).write_text(text)
        refuted = fails_test(mutant.module, tree, f"{mutant.place}: {mutant.name}")
        status, messages = prove(mutant, tree, env, timeout)
    name, goal = outcome(mutant, status, messages, refuted)
    return {"module": mutant.module, "function": mutant.function, "mutant": mutant.name, "outcome": name,
            "goal": goal, "test_failed": refuted, "seconds": round(time.monotonic() - start, 1)}


def check_tests(modules):
    """A test that fails on what isn't mutated would refute everything."""
    for module in modules:
        with tempfile.TemporaryDirectory(prefix="mutant-") as folder:
            tree = pathlib.Path(folder)
            copy(tree)
            if fails_test(module, tree, module):
                raise Wrong(f"core/{test_of(module).name} fails without any mutant: mend that first")


class Progress:
    """Tells after each mutant how far it is and how long the rest may take."""

    def __init__(self, total):
        self.total, self.done, self.start = total, 0, time.monotonic()

    def tell(self, result):
        self.done += 1
        rest = (self.total - self.done) * (time.monotonic() - self.start) / self.done
        wp.say(f"{result['module']} {result['function']} {result['mutant']}: {result['outcome']} after "
               f"{result['seconds']} s; {self.done} of {self.total}, about {rest:.0f} s to go")


def kept(mutant, result):
    """A result as this run reports it: the mark doesn't change what the provers are asked."""
    marked = mutant.reason and not result["test_failed"]
    return {**result, "outcome": "equivalent" if marked else result["outcome"],
            "place": mutant.place, "reason": mutant.reason}


def run_all(mutants, env, tools, options):
    """The results of all; those that are there already aren't asked again."""
    folder = wp.BUILD / "mutants"
    folder.mkdir(parents=True, exist_ok=True)
    files = [folder / f"{digest(mutant, tools, options.timeout)}.json" for mutant in mutants]
    missing = [(mutant, file) for mutant, file in zip(mutants, files) if not file.exists()]
    wp.say(f"{len(mutants)} mutants, {len(mutants) - len(missing)} of them judged before")
    check_tests(sorted({mutant.module for mutant, _ in missing}))
    progress = Progress(len(missing))

    def one(mutant, file):
        result = judge(mutant, env, options.timeout)
        part = file.with_suffix(".part")
        part.write_text(json.dumps(result) + "\n")
        os.replace(part, file)  # a run that is killed leaves no half result
        progress.tell(result)

    wp.side_by_side([functools.partial(one, *pair) for pair in missing], options.jobs)
    return [kept(mutant, json.loads(file.read_text())) for mutant, file in zip(mutants, files)]


def failed(result):
    """It lived without being marked, or is marked though a test shows that it isn't equivalent."""
    return result["outcome"] == "survived" or bool(result["reason"] and result["test_failed"])


def show(results):
    row = "{:<12}{:<22}{:<24}{:<12}{:>9}".format
    print(row("module", "function", "mutant", "outcome", "seconds"))
    for result in results:
        print(row(*(result[key] for key in ("module", "function", "mutant", "outcome", "seconds"))))
    for result in filter(failed, results):
        why = ("is marked as equivalent, but the unit test fails on it" if result["reason"]
               else "survived: strengthen the contract, or mark it with 'equivalent: REASON'")
        print(f"FAILED {result['place']}: {result['function']} {result['mutant']} {why}")
    counts = [f"{sum(of['outcome'] == name for of in results)} {name}" for name in OUTCOMES]
    print(f"{len(results)} mutants: {', '.join(counts)}")


def main(options):
    """All of it. Returns the exit status."""
    mutants = load(options.modules, options.only, wp.ROOT)
    wp.BUILD.mkdir(parents=True, exist_ok=True)
    env, tools = wp.environment()
    results = run_all(mutants, env, tools, options)
    ok = not any(map(failed, results))
    wp.write_report("mutants.json", {"ok": ok, "mutants": results})
    show(results)
    return 0 if ok else 1
