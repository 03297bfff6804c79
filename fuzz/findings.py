# SPDX-License-Identifier: BSD-3-Clause
"""Inputs that fail: what they break, how little of them does, how to see it again."""

import hashlib
import re
import time
from pathlib import Path

from engines import RECORDS, SANITIZERS, TIMEOUT, WORK, run

FINDINGS = Path("build/findings")
ZSANITY = Path("build/release/zsanity")
MINIMISE = 10  # seconds
KINDS = (  # what a failing program prints, and the ID that it gives
    (r"^oracle ([\w.-]+):", "{}"),
    (r"LeakSanitizer: (detected)", "asan:leak"),
    (r"ERROR: AddressSanitizer: ([\w-]+)", "asan:{}"),
    (r"runtime error: (.*)", "ubsan:{}"),
    (r"ERROR: libFuzzer: (timeout)", "timeout"),
    (r"ERROR: libFuzzer: (out-of-memory)", "oom"),
)


def classify(status, output):
    """The oracle's ID or the sanitizer's kind; None if nothing is wrong."""
    if status == 0:
        return None
    for pattern, kind in KINDS:
        found = re.search(pattern, output, re.M)
        if found:
            words = re.sub(r"\b\w*\d\w*\b", "", found[1]) if kind == "ubsan:{}" else found[1]
            return kind.format("-".join(words.split()))
    return "timeout" if status is None else f"crash:status-{status}"


class Finding:
    """An input that fails. origin: where it was found; path: where it is kept."""

    def __init__(self, target, engine, origin, watch):
        self.target, self.engine, self.origin, self.watch = target, engine, origin, watch
        self.data = origin.read_bytes()
        self.id, self.output = self.judge(self.data)
        self.reproduced = self.id is not None
        self.path = None

    def judge(self, data, environment=None):
        """Runs the target on data, in a process of its own."""
        path = WORK / "judged"
        path.write_bytes(data)
        command = [self.engine.binary(self.target), path]
        status, output = run(command, self.watch, TIMEOUT * 2, environment)
        return classify(status, output), output

    def minimise(self):
        """Cuts ever smaller pieces, as long as the ID stays the same and there is time."""
        header, record = RECORDS[self.target]
        deadline = time.monotonic() + MINIMISE
        piece = max(record, (len(self.data) - header) // 2 // record * record)
        while piece >= record and self.reproduced:
            at = len(self.data) - piece
            while at >= header and time.monotonic() < deadline:
                shorter = self.data[:at] + self.data[at + piece:]
                if self.judge(shorter)[0] == self.id:
                    self.data = shorter
                at -= piece
            piece = piece // 2 // record * record

    def keep(self):
        FINDINGS.mkdir(parents=True, exist_ok=True)
        name = re.sub(r"[^\w.-]", "_", self.id or "flaky")[:60]
        digest = hashlib.sha1(self.data).hexdigest()[:8]
        self.path = FINDINGS / f"{self.target}-{name}-{digest}"
        self.path.write_bytes(self.data)
        legible = {name: text.replace("symbolize=0", "symbolize=1")
                   for name, text in SANITIZERS.items()}
        self.output = self.judge(self.data, legible)[1]
        self.path.with_name(self.path.name + ".log").write_text(self.output)

    def command(self):
        """An oracle fires in the release build too, a sanitizer doesn't."""
        by_oracle = self.id is not None and ":" not in self.id
        if self.target == "fuzz_ops" and by_oracle and ZSANITY.exists():
            return f"{ZSANITY} replay {self.path}"
        return f"{self.engine.binary(self.target)} {self.path}"

    def trace(self):
        """The text form, which other targets' inputs don't have."""
        if self.target != "fuzz_ops" or not ZSANITY.exists():
            return ""
        return run([ZSANITY, "replay", "--print", self.path], self.watch, TIMEOUT)[1]

    def tell(self):
        said = re.search(r"^(oracle .*|.*ERROR: \w*Sanitizer.*|.*runtime error: .*)$",
                         self.output, re.M)
        before = self.origin.stat().st_size
        print(f"\nFINDING  {self.id or 'not reproduced: failed once, then not again'}")
        print(f"  by       {self.engine.name} on {self.target}, {before} bytes, "
              f"now {len(self.data)}")
        if said:
            print(f"  says     {said[1]}")
        print(f"  replay   {self.command()}")
        print(f"  log      {self.path}.log")
        for line in self.trace().splitlines():
            print(f"    {line}")

    def row(self):
        return {"id": self.id, "target": self.target, "engine": self.engine.name,
                "file": str(self.path), "bytes": len(self.data), "command": self.command(),
                "reproduced": self.reproduced}


def settle(suspects, watch):
    """Turns failing inputs (target, engine, path) into findings: one for each target and ID."""
    findings, known = [], set()
    for target, engine, path in suspects:
        finding = Finding(target, engine, path, watch)
        if (target, finding.id) in known:
            continue
        known.add((target, finding.id))
        finding.minimise()
        finding.keep()
        finding.tell()
        findings.append(finding)
    return findings
