# SPDX-License-Identifier: BSD-3-Clause
"""Jobs side by side, and how far they are on stderr once it takes more than a few seconds."""

import os
import sys
import time
from concurrent.futures import ThreadPoolExecutor

FIRST = 5  # seconds before anything is said
EVERY = 10  # seconds between lines that aren't rewritten


class Progress:
    """Counts jobs done; a line that is rewritten on a terminal, else one every ten seconds."""

    def __init__(self, what):
        self.what, self.start, self.shown, self.drawn = what, time.monotonic(), 0.0, False

    def __call__(self, done, jobs):
        now = time.monotonic()
        spent = now - self.start
        terminal = sys.stderr.isatty()
        if spent < FIRST or (not terminal and now - self.shown < EVERY):
            return
        left = spent * (jobs - done) / done
        text = f"{self.what}: {100 * done // jobs} %, {left:.0f} s left"
        print(f"\r{text}\033[K" if terminal else text, end="" if terminal else "\n",
              file=sys.stderr, flush=True)
        self.shown, self.drawn = now, terminal

    def end(self):
        if self.drawn:
            print("\r\033[K", end="", file=sys.stderr, flush=True)


def in_parallel(function, jobs, what):
    """function of each job, in the jobs' order, as many at once as there are cores."""
    progress, results = Progress(what), []
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        try:
            for result in pool.map(function, jobs):
                results.append(result)
                progress(len(results), len(jobs))
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise
        finally:
            progress.end()
    return results
