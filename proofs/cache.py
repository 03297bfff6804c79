# SPDX-License-Identifier: BSD-3-Clause
"""The committed answers of the provers: one file a module, proofs/cache/NAME.json.

The digest names all that the answers were given to (wp.digest): while it is the same, they hold as a
whole. Else they are asked one by one: WP keeps each in a file whose name is the hash of the goal and
the prover; packed, a line an answer, sorted, so that a rewritten cache differs only in what changed.
"""
import json
import pathlib
import re
import shutil

PACKED = pathlib.Path(__file__).resolve().parent / "cache"
VERDICTS = ("valid", "unknown", "timeout", "failed")
# What a smoke test gets, and all that matters of a prover that found nothing. WP reads neither
# "failed" (Z3's time-out, or one killed late on a busy machine) nor a time-out without a time.
NOTHING = {"verdict": "timeout", "time": 2.0}


def check(entries):
    """Raises ValueError unless these are answers."""
    if not isinstance(entries, dict):
        raise ValueError("not an object")
    for name, entry in entries.items():
        if not re.fullmatch(r"[0-9a-f]{32}", name):
            raise ValueError(f"{name!r} is no hash")
        if not isinstance(entry, dict) or entry.get("verdict") not in VERDICTS:
            raise ValueError(f"{name} has no verdict")
        if not isinstance(entry.get("prover"), str):
            raise ValueError(f"{name} has no prover")


def read_answer(text):
    """An answer as WP writes it: JSON, but for whole seconds, `2.`."""
    return json.loads(re.sub(r"(\d\.)(?=\D)", r"\g<1>0", text))


def load(module):
    """The committed digest and answers, and a sentence if they can't be used."""
    path = PACKED / f"{module}.json"
    try:
        packed = json.loads(path.read_text(encoding="utf-8"))
        if not isinstance(packed, dict) or not isinstance(packed.get("digest"), str):
            raise ValueError("no digest")
        check(packed.get("answers"))
    except FileNotFoundError:
        return "", {}, ""
    except ValueError as error:  # what isn't JSON or UTF-8 is one too
        return "", {}, f"proofs/cache/{module}.json is damaged ({error}) and is left out: restore it"
    return packed["digest"], packed["answers"], ""


def unpack(entries, session):
    """Lays answers out in a session's folder as WP wants them, beside those that are there."""
    folder = session / "wp" / "cache"
    folder.mkdir(parents=True, exist_ok=True)
    for name, entry in entries.items():
        (folder / f"{name}.json").write_text(json.dumps(entry) + "\n")


def fresh(entries, session):
    """The same in a folder that holds nothing else."""
    shutil.rmtree(session, ignore_errors=True)
    unpack(entries, session)


def collect(session):
    """The answers in a session's folder, in words that WP believes."""
    found = {}
    for path in (session / "wp" / "cache").glob("*.json"):
        try:
            entry = {path.stem: read_answer(path.read_text())}
            check(entry)
        except ValueError:  # half written
            continue
        found.update(entry)
    for name, answer in found.items():
        if answer["verdict"] != "valid":
            found[name] = {"prover": answer["prover"], **NOTHING}
    return found


def forget_failures(session):
    """Keeps the proofs only: what a busy machine left open is to be tried again."""
    answers = collect(session)
    fresh({name: of for name, of in answers.items() if of["verdict"] == "valid"}, session)


def pack(module, digest, entries):
    """Writes the file to commit. Says what changed."""
    old = load(module)[1]
    PACKED.mkdir(exist_ok=True)
    lines = (f'"{name}": {json.dumps(entries[name], sort_keys=True)}' for name in sorted(entries))
    text = f'{{"digest": "{digest}", "answers": {{\n' + ",\n".join(lines) + "\n}}\n"
    (PACKED / f"{module}.json").write_text(text)
    new, gone = len(entries.keys() - old.keys()), len(old.keys() - entries.keys())
    return f"proofs/cache/{module}.json: {len(entries)} answers, {new} new, {gone} gone"
