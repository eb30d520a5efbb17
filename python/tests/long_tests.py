"""Long forms of tests (tests/support/long_tests.hpp, tests/long_tests.txt): BIFOCAL_LONG_TESTS in the environment runs them."""

import os

import pytest

IS_LONG = bool(os.environ.get("BIFOCAL_LONG_TESTS"))
long_only = pytest.mark.skipif(not IS_LONG, reason="part of the long form of this file")
