# SPDX-License-Identifier: BSD-3-Clause
"""theorems.md: does each clause that a theorem rests on exist, and is it proved?"""
import re

import gates
import wp

TABLE = "proofs/theorems.md"
CLAUSE = re.compile(r"(core/(\w+)\.[ch]) (\w+)((?: \w+)+)|(proofs/(\w+)\.acsl) lemma((?: \w+)+)")


def rows(text):
    """Line number and cells of each row of the tables, their heads left out."""
    table = [(number, line) for number, line in enumerate(text.splitlines(), 1) if line.startswith("|")]
    rules = {number for number, line in table if re.fullmatch(r"[|\s:-]+", line)}
    for number, line in table:
        if number not in rules and number + 1 not in rules:
            yield number, [cell.strip() for cell in line.strip().strip("|").split("|")]


def contract(text, function):
    """The contract right before a function's head, or nothing."""
    for found in gates.CONTRACT.finditer(text):
        head = gates.FUNCTION.match(text, found.end())
        if head and head[2] == function and not found[1].lstrip().startswith(("ghost", "loop")):
            return found[1]
    return ""


def exists(path, text, function, name):
    """A sentence if a file hasn't this clause of a function, or this lemma."""
    if function == wp.LEMMAS:
        there = re.search(rf"^lemma {name}\b", text, re.MULTILINE)
        return None if there else f"{path} has no lemma {name}"
    clauses = contract(text, function)
    if not clauses:
        return f"{path} has no contract of {function}"
    return None if re.search(rf"\bensures {name}:", clauses) else f"{path}: {function} has no ensures {name}"


def is_open(record, function):
    """A sentence if something that a clause of the function rests on isn't proved in a module's record."""
    if not record["finished"]:
        return f"{record['module']} isn't proved: Frama-C didn't end by itself"
    for name in (function, wp.LEMMAS):  # an open goal of either can be what the clause's proof used
        counts = record["functions"].get(name)
        if counts and counts["proved"] < counts["goals"]:
            return f"{name} of {record['module']} has {counts['goals'] - counts['proved']} open goals"
    return None if record["functions"].get(function) else f"nothing of {function} is proved"


def clause_wrong(clause, records, root):
    """What is wrong with one clause: `core/FILE FUNCTION CLAUSE...` or `proofs/FILE.acsl lemma NAME...`."""
    path, module = (clause[1], clause[2]) if clause[1] else (clause[5], clause[6])
    function, names = (clause[3], clause[4]) if clause[1] else (wp.LEMMAS, clause[7])
    if not (root / path).exists() or module not in gates.modules(root):
        yield f"{path} is of no proved module"
        return
    text = (root / path).read_text()
    yield from filter(None, (exists(path, text, function, name) for name in names.split()))
    if module in records:  # else it wasn't asked in this run
        wrong = is_open(records[module], function)
        yield from [wrong] if wrong else []


def row_wrong(cells, records, root):
    """What is wrong with a row: | theorem | `clause`, ... | `function`, ... |"""
    if len(cells) != 3 or not all(cells):
        yield "a row is | theorem | `clause`, ... | `function`, ... |"
        return
    clauses = [CLAUSE.fullmatch(clause) for clause in re.findall(r"`([^`]*)`", cells[1])]
    if not clauses or None in clauses or re.sub(r"`[^`]*`|[\s,]", "", cells[1]):
        yield "a clause is `core/NAME.h FUNCTION CLAUSE ...` or `proofs/NAME.acsl lemma NAME ...`"
        return
    for clause in clauses:
        yield from clause_wrong(clause, records, root)
    told, named = set(re.findall(r"`(\w+)`", cells[2])), {clause[3] for clause in clauses if clause[3]}
    for function in sorted(named - told):
        yield f"the last column doesn't name {function}"
    for function in sorted(told - named):
        yield f"no clause of {function} is named"


def check(records, root=wp.ROOT):
    """A sentence for everything that is wrong with the table, after this run's records."""
    by_module = {record["module"]: record for record in records}
    text = (root / TABLE).read_text()
    found = list(rows(text))
    if not found:
        yield f"{TABLE} has no theorem"
    for number, cells in found:
        for wrong in row_wrong(cells, by_module, root):
            yield f"{TABLE}:{number}: {wrong}"
