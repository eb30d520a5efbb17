"""Behaviour of the package in a process: import, threads, fork, memory, Ctrl-C."""

import os
import pickle
import resource
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
from data_folder import IS_LONG
from scenes import K, Scene

import bifocal

S = Scene()
BATCH = np.tile(S.rows, (64, 1)), np.arange(65) * 600
FEW = S.rows, np.array([0, 250, 600])


def run(code, **more):
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120, **more)


def test_import_is_quick_and_light(tmp_path):
    """The import takes less processor time than the import of NumPy, which the caller imports and the package does not."""
    loaded = run("import bifocal, sys; print(*({'numpy', 'bifocal.colmap'} & set(sys.modules)))")
    assert (loaded.returncode, loaded.stdout.strip(), loaded.stderr) == (0, "", "")
    cached = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"} | {"PYTHONPYCACHEPREFIX": str(tmp_path)}
    times = {"pass": [], "import numpy": [], "import bifocal": []}
    for _ in range(6):
        for code, got in times.items():
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            assert run(code, env=cached).returncode == 0
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            got.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    empty, numpy, bifocal_too = map(min, times.values())
    print(f"import bifocal: {1e3 * (bifocal_too - empty):.0f} ms; import numpy: {1e3 * (numpy - empty):.0f} ms")
    assert bifocal_too < numpy


def test_version_is_that_of_the_project():
    here = os.path.join(os.path.dirname(__file__), "..", "..", "CMakeLists.txt")
    assert f"VERSION {bifocal.__version__} " in open(here).read()


def test_threads_of_python_get_the_same():
    expected = bifocal.estimate_relative_pose(S.x1, S.x2, K).model
    several = bifocal.estimate_batch("fundamental", *FEW).models
    wrong = []

    def work():
        for _ in range(20):
            if not np.array_equal(bifocal.estimate_relative_pose(S.x1, S.x2, K).model, expected):
                wrong.append(1)
            if not np.array_equal(bifocal.estimate_batch("fundamental", *FEW).models, several):
                wrong.append(2)

    all_threads = [threading.Thread(target=work) for _ in range(6)]
    [t.start() for t in all_threads]
    [t.join() for t in all_threads]
    assert not wrong


def test_lock_of_the_interpreter_is_given_up():
    """Another thread continues to count during a long call."""
    ticks, stop = [0], threading.Event()

    def tick():
        while not stop.is_set():
            ticks[0] += 1
            time.sleep(0.001)

    side = threading.Thread(target=tick)
    side.start()
    rng = np.random.default_rng(0)
    left = rng.integers(0, 255, (800, 1200), dtype=np.uint8)
    begin, before = time.perf_counter(), ticks[0]
    bifocal.stereo(left, left)
    took, counted = time.perf_counter() - begin, ticks[0] - before
    stop.set()
    side.join()
    print(f"{counted} ticks in {1e3 * took:.0f} ms")
    assert counted > 20 * took  # one or two if the call kept the lock


def test_limit_of_threads_changes_nothing():
    expected = bifocal.estimate_batch("fundamental", *BATCH)
    with bifocal.threads(1):
        alone = bifocal.estimate_batch("fundamental", *BATCH)
    assert np.array_equal(alone.models, expected.models)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_child_of_a_fork_computes():
    expected = bifocal.estimate_batch("fundamental", *BATCH).models  # the parent process has started its threads
    for _ in range(5):
        child = os.fork()
        if child == 0:
            same = np.array_equal(bifocal.estimate_batch("fundamental", *BATCH).models, expected)
            os._exit(0 if same else 1)
        deadline = time.time() + 30
        while True:
            done, status = os.waitpid(child, os.WNOHANG)
            if done:
                break
            if time.time() > deadline:
                os.kill(child, signal.SIGKILL)
                os.waitpid(child, 0)
                pytest.fail("the child hangs")
            time.sleep(0.01)
        assert os.waitstatus_to_exitcode(status) == 0


def everything(found):
    names = [n for n in dir(found) if not n.startswith("_")]
    return {n: np.array(v).tolist() if (v := getattr(found, n)) is not None else None for n in names}


def test_results_go_to_other_processes():
    s = Scene(n=80)
    s.x1[3] = np.nan
    results = [
        bifocal.estimate_relative_pose(s.x1, s.x2, K),
        bifocal.estimate_homography(s.x1[:3], s.x2[:3]),
        bifocal.estimate_batch("essential", *FEW, cameras1=K),
        bifocal.estimate_batch("homography", np.zeros((0, 4)), [0]),
    ]
    for found in results:
        again = pickle.loads(pickle.dumps(found))
        ours, theirs = everything(found), everything(again)
        assert ours.keys() == theirs.keys() and len(ours) > 8
        for name, value in ours.items():
            assert np.array_equal(value, theirs[name], equal_nan=value is not None and np.array(value).dtype.kind == "f"), name
    kind, *rest = results[0].__getstate__()
    with pytest.raises(ValueError, match="pickle is of another version"):
        bifocal.results.Estimate.__new__(bifocal.results.Estimate).__setstate__((kind, b"123", *rest[1:]))


def resident_kb():
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmRSS"))


class Foreign:
    """Array with DLPack as its only interface."""

    def __init__(self, array):
        self._array = array

    def __dlpack__(self, **more):
        return self._array.__dlpack__()

    def __dlpack_device__(self):
        return 1, 0


# BIFOCAL_MILLION=1 makes a million calls of each case, which takes minutes; the default suits a test.
CALLS = 1_000_000 if os.environ.get("BIFOCAL_MILLION") else 4000
SQUARES = np.kron(np.random.default_rng(0).integers(0, 255, (4, 4), dtype=np.uint8), np.ones((8, 8), np.uint8))
TURNED = bifocal.Remapper.from_maps(*np.meshgrid(np.arange(31.5, 0, -1), np.arange(32.0)), (32, 32))
LEAKS = {
    "one pair": lambda few: bifocal.estimate_relative_pose(few.x1, few.x2, K),
    "lists and a camera": lambda few: bifocal.estimate_homography(few.x1[:4].tolist(), few.x2[:4].tolist()).inliers,
    "DLPack": lambda few: bifocal.estimate_homography(Foreign(few.x1), Foreign(few.x2)).model,
    "batch": lambda few: bifocal.estimate_batch("homography", few.rows, [0, 20, 40]).models,
    "refused": lambda few: refused(few),
    "pickled": lambda few: pickle.loads(pickle.dumps(FOUND)),
    "svd": lambda few: bifocal.linalg.svd(np.ones((30, 3, 3))),
    "match": lambda few: bifocal.match(np.zeros((9, 128), np.uint8), np.zeros((9, 128), np.uint8)).indices,
    "detect": lambda few: bifocal.detect(SQUARES, bifocal.SiftOptions(max_features=20)).xy,
    "remap": lambda few: TURNED(SQUARES),
}
FOUND = bifocal.estimate_homography(S.x1[:40], S.x2[:40])


def refused(few):
    try:
        bifocal.estimate_homography(few.x1, few.x2[:3])
    except ValueError:
        return
    raise AssertionError("not refused")


# Of the cases that the short form leaves out, each shares its conversion of arguments with one that it has.
SHORT = "one pair", "DLPack", "batch", "refused", "detect"


@pytest.mark.parametrize("name", LEAKS if IS_LONG else SHORT)
@pytest.mark.skipif(not os.path.exists("/proc/self/status"), reason="no /proc")
def test_calls_keep_no_memory(name):
    few = Scene(n=40)
    call = LEAKS[name]
    for _ in range(500):
        call(few)
    before = resident_kb()
    for _ in range(CALLS):
        call(few)
    grown = resident_kb() - before
    print(f"{name}: {grown} kB after {CALLS} calls")
    # A leak of 400 bytes a call would be 1600 kB after 4000 calls, a leak of two bytes 2000 kB after a million calls.
    assert grown < 1500


INTERRUPTED = """
import numpy as np, bifocal, signal, time
signal.signal(signal.SIGINT, signal.default_int_handler)  # shells ignore the signal in background jobs, and Python then does so too
rng = np.random.default_rng(0)
rows = rng.uniform(0, 1000, (2000 * 4000, 4))
print('ready', flush=True)
try:
    begin = time.monotonic()
    while time.monotonic() - begin < 20:  # one batch may end before the signal comes
        bifocal.estimate_batch('fundamental', rows, np.arange(4001) * 2000)
    print('done')
except KeyboardInterrupt:
    print('interrupted')
"""


def test_ctrl_c_ends_a_batch():
    process = subprocess.Popen([sys.executable, "-c", INTERRUPTED], stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "ready\n"
    time.sleep(0.4)
    begin = time.perf_counter()
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=60)
    print(f"answered after {1e3 * (time.perf_counter() - begin):.0f} ms")
    assert out == "interrupted\n" and process.returncode == 0 and time.perf_counter() - begin < 2
