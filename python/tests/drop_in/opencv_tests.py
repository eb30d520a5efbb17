#!/usr/bin/env python3
"""opencv_tests.py CHECKOUT: runs OpenCV's own Python tests that call functions of bifocal.cv, unchanged and with functions of bifocal.cv
instead of cv2. CHECKOUT: of github.com/opencv/opencv, or its source package from PyPI. Fails if a test fails that passes with OpenCV."""

import pathlib
import re
import sys
import types
import unittest

import cv2

import bifocal.cv

FUNCTIONS = [name for name in bifocal.cv.__all__ if isinstance(getattr(bifocal.cv, name), (types.FunctionType, type)) and hasattr(cv2, name)]


def files(checkout):
    called = re.compile("|".join(rf"\.{name}\b" for name in FUNCTIONS))
    return sorted(f for f in (checkout / "modules").glob("**/test_*.py") if called.search(f.read_text(errors="replace")))


def results(file):
    """Returns the name and the outcome of each test of a file."""
    name = f"opencv_{file.stem}"
    module = types.ModuleType(name)
    module.__file__ = str(file)
    sys.modules[name] = module
    exec(compile(file.read_text(), str(file), "exec"), module.__dict__)
    suite = unittest.defaultTestLoader.loadTestsFromModule(module)
    result = unittest.TestResult()
    names = [test.id().split(".")[-1] for group in suite for test in group]
    suite.run(result)
    bad = {test.id().split(".")[-1]: text.strip().splitlines()[-1] for test, text in [*result.failures, *result.errors]}
    skipped = {test.id().split(".")[-1]: f"skipped: {why}" for test, why in result.skipped}
    return {name: bad.get(name) or skipped.get(name) or "passes" for name in names}


def main():
    if len(sys.argv) != 2 or not (pathlib.Path(sys.argv[1]) / "modules").is_dir():
        sys.exit(__doc__)
    checkout = pathlib.Path(sys.argv[1]).resolve()
    sys.path.insert(0, str(checkout / "modules/python/test"))
    from tests_common import NewOpenCVTests

    NewOpenCVTests.repoPath = str(checkout)
    own = {name: getattr(cv2, name) for name in FUNCTIONS}
    failed = ran = 0
    for file in files(checkout):
        ends = []
        for functions in (own, {name: getattr(bifocal.cv, name) for name in FUNCTIONS}):
            for name, function in functions.items():
                setattr(cv2, name, function)
            cv2.setRNGSeed(10)
            ends.append(results(file))
        for name, end in ends[0].items():
            print(f"{file.relative_to(checkout)}, {name}: OpenCV {end}; Bifocal {ends[1][name]}")
            ran += 1
            failed += end == "passes" and ends[1][name] != "passes"
    print(f"{ran} tests, {failed} of them pass with OpenCV's functions alone")
    return failed or not ran


if __name__ == "__main__":
    sys.exit(main())
