# SPDX-License-Identifier: BSD-3-Clause
"""The engines, as jobs: one of them on one target for a while; and the processes they are."""

import ctypes
import os
import re
import shutil
import signal
import struct
import subprocess
import time
from pathlib import Path

WORK = Path("build/fuzz")
RECORDS = {  # bytes of an input's header and of a record
    "fuzz_ops": (8, 4),
    "fuzz_api": (8, 8),
    "fuzz_trace": (0, 1),
    "fuzz_geometry": (60, 4),
    "fuzz_kernel": (8, 4),
}
MAX_BYTES = 4096
TIMEOUT = 10  # seconds an execution may take
DISK = 64 << 20  # bytes that must stay free
SANITIZERS = {
    "ASAN_OPTIONS": "abort_on_error=1:symbolize=0:quarantine_size_mb=16:malloc_context_size=4",
    "UBSAN_OPTIONS": "print_stacktrace=1:symbolize=0",
}
AFL = {
    "AFL_CMPLOG_ONLY_NEW": "1",
    "AFL_FAST_CAL": "1",
    "AFL_HANG_TMOUT": str(TIMEOUT * 1000),
    "AFL_I_DONT_CARE_ABOUT_MISSING_CRASHES": "1",
    "AFL_NO_AFFINITY": "1",
    "AFL_NO_CRASH_README": "1",
    "AFL_NO_UI": "1",
    "AFL_SKIP_CPUFREQ": "1",
}


class Wrong(Exception):
    """Used wrongly, or something is missing: one line, exit status 2."""


class Stopped(Exception):
    """A signal has come, or whoever started us is gone."""


# ---- processes -----------------------------------------------------------------------------------


def ancestors():
    """The processes from this one up to make or just; without these, the parent alone."""
    chain, pid = [], os.getppid()
    while pid > 1:
        try:
            name, rest = Path(f"/proc/{pid}/stat").read_text().split("(", 1)[1].rsplit(")", 1)
        except (OSError, IndexError):
            break
        chain.append(pid)
        if name in ("make", "just"):
            return chain
        pid = int(rest.split()[1])
    return chain[:1]


class Watch:
    """Raises Stopped when a signal has come or an ancestor has ended, Wrong when the disk is full.

    A make that is killed tells only its child, and cmake, ninja and sh tell nobody.
    """

    def __init__(self):
        self.chain = ancestors()
        self.signal = None
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, self.note)

    def note(self, number, _frame):
        self.signal = number

    def look(self):
        if self.signal is not None:
            raise Stopped(signal.Signals(self.signal).name)
        if ancestors()[:len(self.chain)] != self.chain:
            raise Stopped("what started it has ended")
        if shutil.disk_usage(WORK).free < DISK:
            raise Wrong(f"disk is full: less than {DISK >> 20} MB left for {WORK}")


def prctl(option, value):
    ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


def die_with_parent():
    """In a child: ends when this program is killed."""
    prctl(1, signal.SIGTERM)  # PR_SET_PDEATHSIG


def adopt_orphans():
    """What a killed engine leaves behind becomes a child of this program, for end_orphans."""
    prctl(36, 1)  # PR_SET_CHILD_SUBREAPER


def end_orphans(jobs):
    """Kills the children that are no job's process. AFL++'s targets stop themselves for ever."""
    known = {job.process.pid for job in jobs if job.process}
    children = Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()
    for child in set(map(int, children)) - known:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


def start(command, log, environment):
    """Starts a command in a session of its own, so that a ^C reaches this program alone."""
    with open(log, "wb") as output:
        return subprocess.Popen([str(word) for word in command], stdin=subprocess.DEVNULL,
                                stdout=output, stderr=output, env={**os.environ, **environment},
                                start_new_session=True, preexec_fn=die_with_parent)


def end(process):
    """Ends a command gently, then surely."""
    for number, patience in ((signal.SIGINT, 5), (signal.SIGTERM, 2), (signal.SIGKILL, 5)):
        if process.poll() is not None:
            return
        process.send_signal(number)
        try:
            process.wait(patience)
        except subprocess.TimeoutExpired:
            pass


def run(command, watch, seconds, environment=None):
    """Runs a command to its end; returns its status (None: too slow) and what it printed."""
    log = WORK / "command.log"
    process = start(command, log, environment or SANITIZERS)
    deadline = time.monotonic() + seconds
    try:
        while process.poll() is None and time.monotonic() < deadline:
            watch.look()
            try:
                process.wait(0.2)
            except subprocess.TimeoutExpired:
                pass
        return process.poll(), log.read_text(errors="replace")
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()


def inputs(folder):
    """The inputs under a folder, in order of name."""
    paths = sorted(Path(folder).rglob("*"))
    return [path for path in paths if path.is_file() and path.name != "README.md"]


def blank(target):
    """The input that everything starts from.

    An empty trace, or zeros, as many records as mutating in place is good for.
    """
    path = WORK / f"{target}-blank"
    header, record = RECORDS[target]
    path.write_bytes(b"zsanity-trace 1\n" if target == "fuzz_trace" else bytes(header + 32 * record))
    return path


def dictionary(target, option):
    """The option that names the target's dictionary, if it has one."""
    path = Path("fuzz") / f"{target}.dict"
    return [f"{option}{path}"] if path.exists() else []


def tail(path, size):
    """The last bytes of a file; none if it isn't there."""
    try:
        with open(path, "rb") as file:
            file.seek(max(0, file.seek(0, os.SEEK_END) - size))
            return file.read()
    except OSError:
        return b""


# ---- jobs ----------------------------------------------------------------------------------------


class Job:
    """What both engines have in common.

    samples: [seconds, executions, operations, edges], once a second.
    """

    def __init__(self, target, seconds, corpus, seed):
        self.target, self.seconds, self.corpus, self.seed = target, seconds, corpus, seed
        self.folder = WORK / self.folder_name / target
        self.log = self.folder / "log"
        self.process, self.began, self.stopped = None, 0.0, False
        self.samples = []
        self.stability, self.edges_total = None, None

    @classmethod
    def binary(cls, target):
        return Path("build") / cls.folder_name / "fuzz" / target

    def begin(self):
        self.folder.mkdir(parents=True)
        self.prepare()
        counters = str((self.folder / "counters").resolve())
        environment = {**SANITIZERS, **self.environment, "ZSANITY_COUNTERS": counters}
        self.process = start(self.command(), self.log, environment)
        self.began = time.monotonic()

    def step(self):
        """Takes a sample when it's time. True while the job should go on."""
        now = time.monotonic() - self.began
        if self.process.poll() is None and now < self.seconds:
            if not self.samples or now - self.samples[-1][0] >= 1:
                self.sample(now)
            return True
        self.stop()
        return False

    def stop(self):
        """Ends the engine. Wrong if it had ended by itself without a finding."""
        if self.process is None or self.stopped:
            return
        self.stopped = True
        now = time.monotonic() - self.began
        ended = self.process.poll()
        end(self.process)
        self.sample(now)
        if ended not in (None, 0) and not self.suspects():
            raise Wrong(f"{self.name} stopped on {self.target}: {self.last_words()} ({self.log})")

    def sample(self, now):
        try:
            counters = struct.unpack("QQ", (self.folder / "counters").read_bytes())
        except (OSError, struct.error):
            counters = (0, 0)
        self.samples.append([round(now, 2), *counters, self.edges()])

    def last(self):
        return self.samples[-1] if self.samples else [0, 0, 0, 0]

    def rate(self, column):
        """Executions (1) or operations (2) a second."""
        return round(self.last()[column] / self.last()[0], 1) if self.last()[0] else 0.0

    def last_words(self):
        text = re.sub(r"\x1b\[[\d;?]*[a-zA-Z]", "", tail(self.log, 8192).decode(errors="replace"))
        lines = [line.strip() for line in text.splitlines() if line.strip()]
        telling = [line for line in lines if re.search(r"ABORT|ERROR|cannot|No space", line)]
        return (telling or lines or ["without a word"])[-1]

    def row(self, findings):
        seconds, executions, operations, edges = self.last()
        return {
            "target": self.target, "engine": self.name, "seed": self.seed, "seconds": seconds,
            "executions": executions, "executions_per_second": self.rate(1),
            "operations": operations, "operations_per_second": self.rate(2),
            "edges": edges, "edges_total": self.edges_total, "stability": self.stability,
            "new_inputs": self.new_inputs(), "findings": findings, "samples": self.samples,
        }


class LibFuzzer(Job):
    name, folder_name = "libFuzzer", "libfuzzer"
    environment = {}

    def prepare(self):
        for name in ("new", "artifacts"):
            (self.folder / name).mkdir()

    def command(self):
        """Long inputs from the start: with -len_control=20 a run from nothing found 5 % less."""
        return [self.binary(self.target), self.folder / "new", *self.corpus, f"-seed={self.seed}",
                f"-max_len={MAX_BYTES}", f"-timeout={TIMEOUT}", "-rss_limit_mb=2048",
                "-len_control=1", "-reload=0", "-print_final_stats=1",
                f"-artifact_prefix={self.folder}/artifacts/", *dictionary(self.target, "-dict=")]

    def edges(self):
        """From the last line that tells; the total is in the first ones."""
        if self.edges_total is None:
            with open(self.log, "rb") as log:
                total = re.search(rb"\((\d+) inline 8-bit counters\)", log.read(4096))
            self.edges_total = int(total[1]) if total else None
        found = re.findall(rb" cov: (\d+) ", tail(self.log, 8192))
        return int(found[-1]) if found else self.last()[3]

    def suspects(self):
        return inputs(self.folder / "artifacts")

    def new_inputs(self):
        return len(inputs(self.folder / "new"))


class AflPlusPlus(Job):
    name, folder_name = "AFL++", "afl"
    environment = {**AFL, "ASAN_OPTIONS": SANITIZERS["ASAN_OPTIONS"] + ":detect_leaks=0"}

    def prepare(self):
        """AFL++ reads one folder, and wants an input in it."""
        seeds = self.folder / "seeds"
        seeds.mkdir()
        shutil.copyfile(blank(self.target), seeds / "blank")
        for folder in self.corpus:
            for path in inputs(folder):
                shutil.copyfile(path, seeds / "-".join(path.relative_to(folder).parts))

    def command(self):
        return ["afl-fuzz", "-i", self.folder / "seeds", "-o", self.folder / "out",
                "-s", self.seed, "-G", MAX_BYTES, "-m", "none", "-t", TIMEOUT * 1000,
                *dictionary(self.target, "-x"), "--", self.binary(self.target)]

    def statistics(self):
        """fuzzer_stats, which is written at the start, each minute and at the end."""
        text = tail(self.folder / "out/default/fuzzer_stats", 1 << 16).decode()
        return dict(re.findall(r"^(\w+) *: (.*)$", text, re.M))

    def edges(self):
        """From fuzzer_stats at the end, until then from plot_data, which isn't often written."""
        statistics = self.statistics()
        if self.stopped and statistics:
            self.stability = float(statistics["stability"].rstrip("%"))
            self.edges_total = int(statistics["total_edges"])
            return int(statistics["edges_found"])
        plotted = re.findall(rb", (\d+)\n", tail(self.folder / "out/default/plot_data", 512))
        return int(plotted[-1]) if plotted else self.last()[3]

    def suspects(self):
        folder = self.folder / "out/default"
        return sorted([*folder.glob("crashes/id*"), *folder.glob("hangs/id*")])

    def new_inputs(self):
        return int(self.statistics().get("corpus_found", 0))
