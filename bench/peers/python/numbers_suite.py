"""Batched small linear algebra compared with NumPy (LAPACK) and torch (on a GPU: cuSOLVER), with resident arrays."""

import numpy as np

import estimators
import interleaved

CASES = [("svd", 3, 20000), ("svd", 9, 5000), ("svd", 16, 1500), ("eig", 4, 10000), ("eig", 10, 3000), ("eig", 20, 600)]
ON_GPU = 20  # factor of the number of matrices


def _calls(kind, A):
    """Returns a call on NumPy's array or on torch's tensor on any device; it returns when its work is done."""
    from bifocal import linalg

    own = linalg.svd if kind == "svd" else linalg.real_eigenpairs
    if isinstance(A, np.ndarray):
        peer = np.linalg.svd if kind == "svd" else np.linalg.eig
        return {"Bifocal": lambda _: own(A), "NumPy": lambda _: peer(A)}
    import torch

    def torchs(_):
        found = torch.linalg.svd(A, full_matrices=False) if kind == "svd" else torch.linalg.eig(A)
        if A.is_cuda:
            torch.cuda.synchronize()
        return found

    return {"Bifocal": lambda _: own(A), "torch": torchs}


def _cases(with_torch):
    """Yields (device, calls, matrices, kind, n): host arrays, and arrays in a CUDA device's memory if Bifocal and torch have one."""
    import bifocal

    rng = np.random.default_rng(1)
    for kind, n, count in CASES:
        A = rng.normal(size=(count, n, n))
        calls = _calls(kind, A)
        if with_torch:
            import torch

            torch.set_num_threads(1)
            calls["torch"] = _calls(kind, torch.from_numpy(A))["torch"]
        yield "cpu", calls, count, kind, n
    if with_torch and torch.cuda.is_available() and any(d["id"].startswith("cuda") for d in bifocal.devices()):
        # `bifocal-bench eig` measures eigenpairs: torch solves such matrices one by one.
        for kind, n, count in (case for case in CASES if case[0] == "svd"):
            A = torch.randn(ON_GPU * count, n, n, dtype=torch.float64, device="cuda")
            yield "cuda:0", _calls(kind, A), ON_GPU * count, kind, n


def _overhead(repeats):
    """Measures us per call without work: Python's overhead over the C++ of one pair, and per pair of a batch."""
    import bifocal

    x = np.zeros((2, 2))
    many = np.zeros((20000, 4)), np.arange(10001) * 2
    calls = {
        "overhead/one-pair": (lambda _: [bifocal.estimate_homography(x, x) for _ in range(1000)], 1000),
        "overhead/batch10000": (lambda _: bifocal.estimate_batch("homography", *many), 10000),
    }
    for case, (call, count) in calls.items():
        taken = interleaved.measure({"Bifocal": call}, [None], repeats, per=count)["Bifocal"]
        yield interleaved.record(case, "Bifocal", bifocal.__version__, "us/pair", taken, None, {"calls": count})


def records(arguments):
    repeats = max(5, arguments.rounds)
    yield from _overhead(repeats)
    for device, calls, count, kind, n in _cases("kornia" in arguments.projects):
        for call in calls.values():  # loads and compiles once
            call(None)
        taken = interleaved.measure(calls, [None], repeats, arguments.budget, per=count)
        for name, own in taken.items():
            case = f"{kind}/{n}x{n}/f64" + ("" if device == "cpu" else "/cuda")
            more = {} if device == "cpu" else {"device": device, "threads": None}
            yield interleaved.record(case, name, estimators.version(name), "us/matrix", own, taken["Bifocal"], {"matrices": count}, **more)
