# SPDX-License-Identifier: BSD-3-Clause
"""What must hold besides the goals, so that nothing is proved by saying less."""
import json
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parent.parent
EXPECTED = ROOT / "proofs" / "expected.json"
UNPROVED = re.compile(r"\b(axiom\w*|admit)\b")
MOST_TRUSTED = 5
COUNTED = {"goals": "goals", "smoke": "smoke tests"}

# A contract's clauses that a caller can rely on, then a function's head, ghost parameters included, and
# how it goes on. Heads begin a line and nothing else does that ends in a parenthesis: clang-format sees to it.
HEAD = (r"^(?!typedef\b|return\b|else\b)([A-Za-z_][\w \t*]*?[ *])(\w+)(\([^;{}()]*(?:\([^()]*\)[^;{}()]*)*\))\s*"
        r"(?:/\*@ ghost \([^()]*\) \*/\s*)?([;{])")
FUNCTION = re.compile(HEAD, re.MULTILINE)
CONTRACT = re.compile(r"/\*@((?:(?!\*/).)*?\b(?:ensures|assigns)\b(?:(?!\*/).)*)\*/\s*", re.DOTALL)


def without_comments(text):
    return re.sub(r"/\*.*?\*/|//[^\n]*", lambda found: "\n" * found[0].count("\n"), text, flags=re.DOTALL)


def defined(text):
    """Functions with a body."""
    return [head[2] for head in FUNCTION.finditer(without_comments(text)) if head[4] == "{"]


def contracted(text):
    """Functions with a contract right before them, ghost functions included."""
    found = []
    for contract in CONTRACT.finditer(text):
        if not contract[1].lstrip().startswith(("ghost", "loop")):
            head = FUNCTION.match(text, contract.end())
            found += [head[2]] if head else []
    return found


def modules(root=ROOT):
    """The proved modules: those with logic in proofs/NAME.acsl and code in core/NAME.c."""
    logic = (path.stem for path in (root / "proofs").glob("*.acsl"))
    return sorted(name for name in logic if (root / "core" / f"{name}.c").exists())


def sources(module, root=ROOT):
    """Path -> text of what a module is made of."""
    paths = (f"core/{module}.h", f"core/{module}.c", f"proofs/{module}.acsl")
    return {path: (root / path).read_text() for path in paths if (root / path).exists()}


def trusted(root=ROOT):
    """Functions whose contract is believed, item by item: the table in SOUNDNESS.md."""
    text = (root / "proofs" / "SOUNDNESS.md").read_text()
    rows = re.findall(r"^\| (`\w+`(?:, `\w+`)*) \| \S.*\|$", text, re.MULTILINE)
    return [re.findall(r"\w+", row) for row in rows]


def elsewhere(module, included, root=ROOT):
    """Functions that a module includes (path -> text) and that another's proof is about."""
    own, believed = sources(module, root), {name for item in trusted(root) for name in item}
    others = (text for path, text in included.items() if str(path.relative_to(root)) not in own)
    return sorted({name for text in others for name in defined(text)} - believed)


def unproved_facts(files):
    """Axioms and admitted facts; WP would use them without a word."""
    for path, text in files.items():
        for number, line in enumerate(text.splitlines(), 1):
            found = UNPROVED.search(line)
            if found:
                yield f"{path}:{number}: {found[0]}: facts must be proved, not stated"


def module_scope(files, functions):
    """Every function of a module has a contract and a body, and WP has seen it."""
    code = [text for path, text in files.items() if not path.endswith(".acsl")]
    bodies = {name for text in code for name in defined(text)}
    promises = {name for text in code for name in contracted(text)}
    for name in sorted(bodies - promises):
        yield f"{name} has no contract"
    for name in sorted(promises - bodies):
        yield f"{name} has a contract but no body: nothing proves it"
    for name in sorted((bodies & promises) - functions.keys()):
        yield f"{name} has a contract, but no goal of it was seen"


def scope(root=ROOT):
    """Every contract in core/ is proved, or trusted with a reason; no more is trusted."""
    proved = {f"core/{name}.{kind}" for name in modules(root) for kind in "ch"}
    items, elsewhere = trusted(root), set()
    believed = {function for item in items for function in item}
    if len(items) > MOST_TRUSTED:
        yield f"proofs/SOUNDNESS.md: {len(items)} items are trusted, {MOST_TRUSTED} at most may be"
    for path in sorted((root / "core").glob("*.[ch]")):
        name = str(path.relative_to(root))
        if name in proved:
            continue
        for function in contracted(path.read_text()):
            elsewhere.add(function)
            if function not in believed:
                yield (f"{name}: {function} has a contract, but {path.stem} isn't a proved module "
                       "and SOUNDNESS.md's table of trusted functions doesn't have it")
    for function in sorted(believed - elsewhere):
        yield f"proofs/SOUNDNESS.md: {function} is trusted, but is no contract outside the proofs"


def load_expected(path=EXPECTED):
    return json.loads(path.read_text())


def forgotten(expected, root=ROOT):
    """Modules that were proved once."""
    for name in sorted(expected.keys() - set(modules(root))):
        yield f"{name} is in proofs/expected.json, but proofs/{name}.acsl or core/{name}.c is gone"


def below_floor(functions, floor):
    """What is less than expected.json says, function by function."""
    for name in sorted(functions.keys() | floor.keys()):
        if name not in floor:
            yield f"{name} isn't in proofs/expected.json: enter it with --write-expected"
        elif name not in functions:
            yield f"{name} is in proofs/expected.json, but nothing of it is proved"
        else:
            for what, words in COUNTED.items():
                if functions[name][what] < floor[name][what]:
                    yield (f"{name} has {functions[name][what]} {words}, fewer than the "
                           f"{floor[name][what]} of proofs/expected.json: something is no longer "
                           "proved; if that is meant, lower it with --write-expected")


def above_floor(functions, floor):
    """True if expected.json lags behind: what was added could be lost again unseen."""
    return any(functions[name][what] > floor[name][what]
               for name in functions.keys() & floor.keys() for what in COUNTED)


def floor_of(functions):
    return {name: {what: counts[what] for what in COUNTED} for name, counts in functions.items()}


def entry_lines(module, functions):
    """A line a function, as the file has them."""
    return [f'    "{name}": {json.dumps(functions[name])}' for name in sorted(functions)]


def write_expected(expected, path=EXPECTED):
    modules_ = (f'  "{module}": {{\n' + ",\n".join(entry_lines(module, expected[module])) + "\n  }"
                for module in sorted(expected))
    path.write_text("{\n" + ",\n".join(modules_) + "\n}\n")


def differences(module, old, new):
    """The change to a module's floor as the lines of a diff."""
    before, after = entry_lines(module, old), entry_lines(module, new)
    lines = [f"- {module}{line[3:]}" for line in before if line not in after]
    return lines + [f"+ {module}{line[3:]}" for line in after if line not in before]
