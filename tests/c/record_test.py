#!/usr/bin/env python3
"""record_test.py LIBRARY COMPILER: scripts/check-c-interface accepts this interface and its library, and refuses changes without a new version."""
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
HEADER = (ROOT / "include/bifocal.h").read_text()
LIBRARY, COMPILER = sys.argv[1:3]


def check(*arguments):
    return subprocess.run([ROOT / "scripts/check-c-interface", *arguments], capture_output=True, text=True)


class Record(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def checked(self, *changes, write=False):
        """Checks a header with replaced text against a copy of the record."""
        text = HEADER
        for before, after in changes:
            self.assertIn(before, text)
            text = text.replace(before, after)
        header, record = self.folder / "bifocal.h", self.folder / "interface.txt"
        header.write_text(text)
        record.write_text((ROOT / "c/interface.txt").read_text())
        return check("--header", header, "--record", record, *["--write"] * write)

    def test_the_interface_and_the_library_are_as_recorded(self):
        run = check("--library", LIBRARY)
        self.assertEqual(run.returncode, 0, run.stdout)

    def test_the_manual_lists_every_function(self):
        manual = (ROOT / "docs/c.md").read_text()
        functions = set(re.findall(r"^function .*?\b(bf_\w+)\(", (ROOT / "c/interface.txt").read_text(), re.M))
        table = set(re.findall(r"`(bf_\w+)`", re.search(r"^## Functions\n(.*?)^## ", manual, re.S | re.M)[1]))
        self.assertGreater(len(functions), 40)
        self.assertEqual(functions, table)

    def test_a_compiler_gives_the_recorded_offsets(self):
        source = check("--assertions").stdout
        self.assertGreater(source.count("CHECK("), 100)
        for language in (["-x", "c", "-std=c99", "-Wpedantic"], ["-x", "c++", "-std=c++11"]):
            for text, is_good in ((source, True), (source.replace("stride) == 16", "stride) == 24"), False)):
                run = subprocess.run([COMPILER, *language, "-Wall", "-Wextra", "-Werror", f"-I{ROOT}/include", "-fsyntax-only", "-"], input=text, text=True,
                                     capture_output=True)
                self.assertEqual(run.returncode == 0, is_good, run.stderr)

    def test_changes_without_a_new_version_are_refused(self):
        for before, after, message in (
            ("int bf_set_threads(int threads)", "int bf_set_threads(int64_t threads)", "function int bf_set_threads(int): was removed or changed"),
            ("BF_API void bf_model_free(bf_model* model);", "", "function void bf_model_free(bf_model*): was removed"),
            ("int32_t is_gpu;", "int64_t is_gpu;", "struct bf_device_info 44 int32_t is_gpu: was removed or changed"),
            ("  const char* range;", "  const char* other;\n  const char* range;", "was inserted"),
            ("BF_INPUT = 3", "BF_INPUT = 33", "constant BF_INPUT 3: was removed or changed"),
            ("  int32_t place; ", "  int32_t place;\n  int64_t more; ", "size bf_array 40: was removed or changed"),
        ):
            run = self.checked((before, after))
            self.assertEqual(run.returncode, 1, after)
            self.assertIn(message, run.stdout)
            self.assertIn("BF_INTERFACE_MAJOR must be 2", run.stdout)
            self.assertEqual(self.checked((before, after), write=True).returncode, 1)
            self.assertEqual(self.checked((before, after), ("MAJOR 1", "MAJOR 2"), write=True).returncode, 0)

    def test_additions_need_a_minor_version(self):
        for change in (("BF_API void bf_model_free", "BF_API int bf_new(void);\nBF_API void bf_model_free"), ("int32_t is_gpu;", "int32_t is_gpu;\n  int64_t more;")):
            run = self.checked(change)
            self.assertEqual(run.returncode, 1)
            self.assertIn("BF_INTERFACE_MINOR must be 1", run.stdout)
            newer = self.checked(change, ("MINOR 0", "MINOR 1"))
            self.assertIn("is out of date", newer.stdout)
            self.assertEqual(self.checked(change, ("MINOR 0", "MINOR 1"), write=True).returncode, 0)

    def test_a_library_without_a_function_or_with_another_is_refused(self):
        text = HEADER.replace("bf_model_free", "bf_model_gone")
        (self.folder / "bifocal.h").write_text(text)
        run = check("--header", self.folder / "bifocal.h", "--record", self.folder / "new.txt", "--write", "--library", LIBRARY)
        self.assertIn("lacks bf_model_gone@@BIFOCAL_C_1", run.stdout)
        self.assertIn("exports bf_model_free@@BIFOCAL_C_1, which is not in the header", run.stdout)


unittest.main(argv=sys.argv[:1])
