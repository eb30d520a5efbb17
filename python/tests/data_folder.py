"""The folder of test data (scripts/fetch-data), and the long forms of tests (tests/support/long_tests.hpp, tests/long_tests.txt)."""

import os
import pathlib

import pytest

# As in tests/support/data.hpp. ctest sets BIFOCAL_TEST_DATA to the folder of its CMake option.
DATA = pathlib.Path(
    os.environ.get("BIFOCAL_DATA") or os.environ.get("BIFOCAL_TEST_DATA") or pathlib.Path(__file__).resolve().parents[3] / "shared/data"
)


def needs_data(name):
    """Returns the path of a file or folder of the test data; skips the test if it is missing."""
    path = DATA / name
    if not path.exists():
        pytest.skip(f'no test data at "{path}"')  # scripts/timing/skipped-tests counts this message
    return path


IS_LONG = bool(os.environ.get("BIFOCAL_LONG_TESTS"))
long_only = pytest.mark.skipif(not IS_LONG, reason="part of the long form of this file")
