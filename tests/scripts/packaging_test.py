#!/usr/bin/env python3
"""Scripts of packaging: licences in a wheel, the description for the package index, the stages of a release."""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
INFO = "bifocal_geometry-1.0.dist-info"
THIRD = f"{INFO}/licenses/third-party"
TEXT = "License text. " * 20


def run(script, *arguments):
    return subprocess.run([sys.executable, ROOT / "scripts/packaging" / script, *arguments], capture_output=True, text=True)


def wheel(folder, libraries, index, texts):
    file = pathlib.Path(folder) / "bifocal_geometry-1.0-py3-none-any.whl"
    with zipfile.ZipFile(file, "w") as out:
        for library in libraries:
            out.writestr(f"bifocal_geometry.libs/{library}", b"elf")
        out.writestr(f"{INFO}/METADATA", "Metadata-Version: 2.4\nName: bifocal-geometry\n\ntext")
        if index is not None:
            out.writestr(f"{THIRD}/index.json", json.dumps(index))
        for name, text in texts.items():
            out.writestr(f"{THIRD}/{name}", text)
    return file


class Licences(unittest.TestCase):
    def check(self, libraries, index, texts):
        with tempfile.TemporaryDirectory() as folder:
            ran = run("licences", "check", wheel(folder, libraries, index, texts))
            return ran.returncode, ran.stdout + ran.stderr

    def test_of_every_library_are_needed(self):
        entry = {"package": "libexif", "version": "1", "licences": [], "contains": ["libexif-0123abcd.so.12"], "text": "libexif.txt"}
        self.assertEqual(self.check(["libexif-0123abcd.so.12"], [entry], {"libexif.txt": TEXT})[0], 0)
        code, out = self.check(["libexif-0123abcd.so.12", "libtbb-0123abcd.so.12"], [entry], {"libexif.txt": TEXT})
        self.assertEqual((code, "libtbb-0123abcd.so.12: no licence" in out), (1, True), out)
        code, out = self.check(["libexif-0123abcd.so.12"], [entry], {})
        self.assertEqual((code, "libexif.txt: missing or empty" in out), (1, True), out)
        code, out = self.check([], [entry], {"libexif.txt": TEXT})
        self.assertEqual((code, "is not in the wheel" in out), (1, True), out)
        code, out = self.check([], None, {})
        self.assertEqual((code, "has no licenses/third-party/index.json" in out), (1, True), out)

    def test_include_the_common_texts(self):
        entry = {"package": "libexif", "version": "1", "licences": [], "contains": ["headers"], "text": "libexif.txt"}
        text = TEXT + "see /usr/share/common-licenses/GPL-2."
        if not pathlib.Path("/usr/share/common-licenses/GPL-2").exists():
            self.skipTest("no Debian")
        self.assertIn("refers to GPL-2", self.check([], [entry], {"libexif.txt": text})[1])
        self.assertEqual(self.check([], [entry], {"libexif.txt": text, "common/GPL-2.txt": TEXT})[0], 0)

    def test_of_no_wheel_are_refused(self):
        self.assertIn("is no file", run("licences", "check", "/nonexistent.whl").stderr)


class Description(unittest.TestCase):
    def test_is_that_of_the_readme(self):
        ran = run("description", "--check")
        self.assertEqual(ran.returncode, 0, ran.stderr)


class Release(unittest.TestCase):
    def test_has_stages_and_an_owner(self):
        listed = subprocess.run([ROOT / "scripts/release", "--list"], capture_output=True, text=True).stdout.split()
        self.assertEqual(listed, ["sdist", "wheel", "from-sdist", "debian", "aarch64", "cuda", "upload"])
        owner = (ROOT / "scripts/packaging/owner").read_text()
        for name in ("address:", "author:", "maintainer:"):
            self.assertIn(f"\n{name}", owner)


if __name__ == "__main__":
    unittest.main()
