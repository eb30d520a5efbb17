"""Measuring several projects in turn on the same data, and the record of what one of them did.

On each item one project runs after the other (A B C), from the first item to the last, and then all of it again: what else the machine does
meets all of them alike.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field

import numpy as np

SLOW_S = 0.2  # what takes longer is measured once an item
CLOCK = "wall"  # or "process"


@dataclass
class Timings:
    """What one project took: milliseconds of each round of each item, and what it found in the first round."""

    ms: list = field(default_factory=list)
    found: list = field(default_factory=list)
    wall: float = 0.0  # seconds of all calls, and of all processors meanwhile
    busy: float = 0.0

    def of_items(self):
        """ms of each item: the median of its rounds."""
        return np.array([float(np.median(rounds)) for rounds in self.ms])

    def rounds(self):
        return max((len(r) for r in self.ms), default=0)

    def of_rounds(self):
        """ms of each round: the median over the items that were measured in every one."""
        count = self.rounds()
        full = [r for r in self.ms if len(r) == count]
        return np.median(np.array(full), axis=0) if full else np.array([])


def measure(runs, items, rounds, budget_s=np.inf, per=1.0, most=None):
    """{name: Timings} of runs {name: f(item)}. Who has spent `budget_s` does not see what is left: further rounds, or items in the
    first. most[name]: of the items. per: milliseconds become those of
    a part, where an item holds as many. The clock is CLOCK: of the wall, or of the process, which on a busy machine counts less of the others."""
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
    """The sum of what several steps took: each a list, an item each, of the milliseconds of its rounds."""
    total = []
    for item in zip(*parts):
        count = min(map(len, item))
        total.append([sum(rounds[k] for rounds in item) for k in range(count)])
    return total


def record(case, name, version, unit, timings, own, settings, **figures):
    """One project in one case. `own`: Bifocal's Timings, `ratio` how many times its time on the items that both saw."""
    scale = {"us": 1e3, "ms": 1.0}[unit.split("/")[0]]
    items = timings.of_items() * scale
    value = float(np.median(items))
    rounds = timings.of_rounds() * scale
    out = {
        "suite": "peers",
        "case": case,
        "device": "cpu",
        "name": name,
        "version": version,
        "unit": unit,
        "value": value,
        "mad": float(np.median(np.abs(items - value))),
        "low": float(rounds.min()),
        "high": float(rounds.max()),
        "runs": len(items),
        "rounds": timings.rounds(),
        "threads": 1,
        "busy_cores": round(timings.busy / timings.wall, 2) if timings.wall else None,  # more than 1: it used more threads than it was given
        "settings": settings,
    }
    if own is not None and own is not timings:
        both = min(len(own.ms), len(timings.ms))
        out["ratio"] = float(np.median(timings.of_items()[:both]) / np.median(own.of_items()[:both]))
    return out | figures
