"""Batched small linear algebra beside NumPy (LAPACK), one thread."""

import time

import numpy as np

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
        "overhead/one-pair": (lambda: [bifocal.estimate_homography(x, x) for _ in range(1000)], 1000),
        "overhead/batch10000": (lambda: bifocal.estimate_batch("homography", *many), 10000),
    }
    for case, (call, count) in calls.items():
        times = []
        for _ in range(repeats):
            begin = time.perf_counter()
            call()
            times.append((time.perf_counter() - begin) / count * 1e6)
        middle = float(np.median(times))
        yield {
            "suite": "peers",
            "case": case,
            "device": "cpu",
            "name": "Bifocal",
            "version": bifocal.__version__,
            "unit": "us/pair",
            "value": middle,
            "mad": float(np.median(np.abs(np.array(times) - middle))),
            "runs": repeats,
        }


def records(arguments):
    import bifocal

    yield from _overhead(max(5, arguments.rounds))
    for kind, n, count in CASES:
        A = np.random.default_rng(1).normal(size=(count, n, n))
        calls = _calls(kind, A)
        times = {name: [] for name in calls}
        for _ in range(max(5, arguments.rounds)):
            for name, call in calls.items():
                begin = time.perf_counter()
                call()
                times[name].append((time.perf_counter() - begin) / count * 1e6)
        middle = {name: float(np.median(t)) for name, t in times.items()}
        for name, t in times.items():
            record = {
                "suite": "peers",
                "case": f"{kind}/{n}x{n}/f64",
                "device": "cpu",
                "name": name,
                "version": bifocal.__version__ if name == "Bifocal" else np.__version__,
                "unit": "us/matrix",
                "value": middle[name],
                "mad": float(np.median(np.abs(np.array(t) - middle[name]))),
                "runs": len(t),
            }
            if name != "Bifocal":
                record["ratio"] = middle[name] / middle["Bifocal"]
            yield record
