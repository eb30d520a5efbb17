"""Batched small linear algebra beside NumPy (LAPACK), one thread."""

import numpy as np

import estimators
import turns

CASES = [("svd", 3, 20000), ("svd", 9, 5000), ("svd", 16, 1500), ("eig", 4, 10000), ("eig", 10, 3000), ("eig", 20, 600)]


def _calls(kind, A):
    from bifocal import linalg

    if kind == "svd":
        return {"Bifocal": lambda: linalg.svd(A), "NumPy": lambda: np.linalg.svd(A)}
    return {"Bifocal": lambda: linalg.real_eigenpairs(A), "NumPy": lambda: np.linalg.eig(A)}


def _overhead(repeats):
    """us a call that finds nothing to do: what Python adds to the C++ of one pair, and to a pair of a batch."""
    import bifocal

    x = np.zeros((2, 2))
    many = np.zeros((20000, 4)), np.arange(10001) * 2
    calls = {
        "overhead/one-pair": (lambda _: [bifocal.estimate_homography(x, x) for _ in range(1000)], 1000),
        "overhead/batch10000": (lambda _: bifocal.estimate_batch("homography", *many), 10000),
    }
    for case, (call, count) in calls.items():
        taken = turns.in_turn({"Bifocal": call}, [None], repeats, per=count)["Bifocal"]
        yield turns.record(case, "Bifocal", bifocal.__version__, "us/pair", taken, None, {"calls": count})


def records(arguments):
    repeats = max(5, arguments.rounds)
    yield from _overhead(repeats)
    for kind, n, count in CASES:
        A = np.random.default_rng(1).normal(size=(count, n, n))
        calls = {name: lambda _, call=call: call() for name, call in _calls(kind, A).items()}
        taken = turns.in_turn(calls, [None], repeats, per=count)
        for name, own in taken.items():
            settings = {"matrices": count}
            yield turns.record(f"{kind}/{n}x{n}/f64", name, estimators.version(name), "us/matrix", own, taken["Bifocal"], settings)
