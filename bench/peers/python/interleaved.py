"""Measures several projects alternately on the same data, and makes the record of a project.

On each item one project runs after another (A B C), from the first item to the last, and then the sequence repeats, so that other load of the machine
affects all projects alike.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field

import numpy as np

SLOW_S = 0.2  # calls longer than this are measured once per item
CLOCK = "wall"  # or "process"


@dataclass
class Timings:
    """Times of one project: milliseconds of each round of each item, and its results of the first round."""

    ms: list = field(default_factory=list)
    found: list = field(default_factory=list)
    wall: float = 0.0  # seconds of all calls, and CPU seconds of all processors meanwhile
    busy: float = 0.0

    def of_items(self):
        """Returns ms of each item: the median of its rounds."""
        return np.array([float(np.median(rounds)) for rounds in self.ms])

    def rounds(self):
        return max((len(r) for r in self.ms), default=0)

    def of_rounds(self):
        """Returns ms of each round that has all items: the median over the items."""
        full = min(map(len, self.ms), default=0)
        return np.median(np.array([r[:full] for r in self.ms]), axis=0) if full else np.array([])


def measure(runs, items, rounds, budget_s=np.inf, per=1.0, most=None):
    """Returns {name: Timings} of runs {name: f(item)}. A project that has spent `budget_s` skips the remaining work: further rounds, or items in the
    first. most[name]: the largest number of items. per: number of parts in an item, if milliseconds are per part. The clock is CLOCK: wall time, or
    CPU time of the process, which on a busy machine includes less of other work."""
    timings = {name: Timings() for name in runs}
    spent = dict.fromkeys(runs, 0.0)
    for round_number in range(rounds):
        for k, item in enumerate(items):
            for name, own in timings.items():
                if spent[name] >= budget_s or (most is not None and k >= most[name]):
                    continue
                if round_number > 0 and (k >= len(own.ms) or own.ms[k][-1] * per > 1e3 * SLOW_S):
                    continue
                busy, begin = time.process_time(), time.perf_counter()
                found = runs[name](item)
                wall, busy = time.perf_counter() - begin, time.process_time() - busy
                took = busy if CLOCK == "process" else wall
                own.wall += wall
                own.busy += busy
                spent[name] += took
                if round_number == 0:
                    own.ms.append([])
                    own.found.append(found)
                own.ms[k].append(1e3 * took / per)
    return timings


def together(*parts):
    """Returns the sums of the times of several steps. Each step is a list with an item each of the milliseconds of its rounds."""
    total = []
    for item in zip(*parts):
        count = min(map(len, item))
        total.append([sum(rounds[k] for rounds in item) for k in range(count)])
    return total


def record(case, name, version, unit, timings, own, settings, **figures):
    """Returns the record of one project in one case. `value`: the median over the rounds that have all items, with the least and largest of these
    rounds; with fewer than two such rounds, the median over the items, without a spread. `own`: Bifocal's Timings, `ratio` the time relative to
    Bifocal's on the items that both finished."""
    scale = {"us": 1e3, "ms": 1.0}[unit.split("/")[0]]
    items = timings.of_items() * scale
    # Later rounds may have only the items that fitted into the budget: their medians are of other data.
    rounds = timings.of_rounds() * scale
    has_spread = len(rounds) > 1
    value = float(np.median(rounds if has_spread else items))
    out = {
        "suite": "peers",
        "case": case,
        "device": "cpu",
        "name": name,
        "version": version,
        "unit": unit,
        "value": value,
        "mad": float(np.median(np.abs(items - value))),
        "low": float(rounds.min()) if has_spread else None,
        "high": float(rounds.max()) if has_spread else None,
        "runs": len(items),
        "rounds": timings.rounds(),
        "threads": 1,
        "busy_cores": round(timings.busy / timings.wall, 2) if timings.wall else None,  # above 1: it used more threads than allowed
        "settings": settings,
    }
    if own is not None and own is not timings:
        both = min(len(own.ms), len(timings.ms))
        out["ratio"] = float(np.median(timings.of_items()[:both]) / np.median(own.of_items()[:both]))
    return out | figures
