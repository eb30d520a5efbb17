#!/usr/bin/env python3
"""scripts/timing/skipped-tests counts the tests without data in the files of ctest and pytest."""

import pathlib
import subprocess
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "scripts/timing/skipped-tests"
NO_DATA = "Skipped\nno test data at \"/data/graf\""


def case(name, skipped="", output=""):
    return f'<testcase name="{name}" status="run">{skipped}<system-out>{output}</system-out></testcase>'


def by_ctest(name, output):
    return case(name, '<skipped message="SKIP_REGULAR_EXPRESSION_MATCHED"/>', output)


def by_pytest(name, message):
    return case(name, f'<skipped type="pytest.skip" message="{message}">file.py:1</skipped>')


class SkippedTests(unittest.TestCase):
    def printed(self, ctest, **python):
        with tempfile.TemporaryDirectory() as folder:
            junit = pathlib.Path(folder) / "python/tests/junit"
            junit.mkdir(parents=True)
            for name, rows in python.items():
                (junit / f"{name}.xml").write_text(f"<testsuites><testsuite>{rows}</testsuite></testsuites>")
            (pathlib.Path(folder) / "tests.xml").write_text(f"<testsuite>{ctest}</testsuite>")
            return subprocess.run([SCRIPT, f"{folder}/tests.xml"], capture_output=True, text=True, check=True).stdout

    def test_tests_and_cases_are_counted(self):
        ctest = by_ctest("features: A", NO_DATA) + by_ctest("features: B", NO_DATA) + by_ctest("lane: C", "no CUDA device") + case("python: pair")
        pair = by_pytest("a", "no test data at &quot;/data/a&quot;") + by_pytest("b", "no OpenCL device") + case("c")
        line = self.printed(ctest, pair=pair)
        self.assertTrue(line.startswith("skipped without test data: 2 tests and 1 test cases in Python files (scripts/fetch-data "), line)
        self.assertEqual(line.count("\n"), 1)

    def test_files_of_tests_that_did_not_run_are_left_out(self):
        self.assertEqual(self.printed(case("python: pair"), units=by_pytest("a", "no test data at x")), "skipped without test data: none\n")

    def test_output_that_names_data_is_no_skipped_test(self):
        self.assertEqual(self.printed(case("cli: A", output=NO_DATA)), "skipped without test data: none\n")


if __name__ == "__main__":
    unittest.main()
