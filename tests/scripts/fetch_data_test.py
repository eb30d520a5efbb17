#!/usr/bin/env python3
"""scripts/fetch-data keeps, fetches and refuses files of a local server."""

import functools
import hashlib
import http.server
import pathlib
import subprocess
import sys
import tempfile
import threading
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
RIGHT, OTHER = b"12 34 1\n", b"99 99 9\n"  # of one size


class Quiet(http.server.SimpleHTTPRequestHandler):
    requests = []

    def do_GET(self):
        if not self.path.endswith("short.txt"):
            return super().do_GET()
        self.send_response(200)
        self.send_header("Content-Length", "100")
        self.end_headers()
        self.wfile.write(b"12 34")

    def log_message(self, *_):
        self.requests.append(self.path)


class FetchData(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        self.served = self.root / "served"
        (self.served / "small").mkdir(parents=True)
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=self.served))
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        self.addCleanup(lambda: (server.shutdown(), thread.join(), server.server_close()))
        self.address = f"http://127.0.0.1:{server.server_port}"
        Quiet.requests.clear()
        row = f"same {len(RIGHT)} {hashlib.sha256(RIGHT).hexdigest()} points/a.txt a.txt\n"
        (self.root / "sets.txt").write_text(f"# comment\nown private never published\n\nset small\naddress {self.address}/small\nlicence free\n{row}")
        self.file = self.root / "data/points/a.txt"

    def fetch(self, *arguments):
        command = [sys.executable, ROOT / "scripts/fetch-data", "--sets", self.root / "sets.txt", self.root / "data", *arguments]
        return subprocess.run(command, capture_output=True, text=True, timeout=60)

    def serve(self, data):
        (self.served / "small/a.txt").write_bytes(data)

    def keep(self, data):
        self.file.parent.mkdir(parents=True)
        self.file.write_bytes(data)

    def test_an_answer_that_breaks_off_fails_alone(self):
        self.serve(RIGHT)
        with open(self.root / "sets.txt", "a") as sets:
            sets.write(f"same 100 - points/short.txt short.txt\nsame {len(RIGHT)} {hashlib.sha256(RIGHT).hexdigest()} points/b.txt a.txt\n")
        run = self.fetch()
        self.assertEqual(run.returncode, 1, run.stderr)
        self.assertIn("3 files: 2 fetched, 0 kept, 1 failed", run.stdout)
        self.assertIn("short.txt", run.stderr)
        self.assertNotIn("Traceback", run.stderr)

    def test_a_file_with_the_right_checksum_is_stored(self):
        self.serve(RIGHT)
        for arguments in ((), ("small",), ("--from", self.address)):
            run = self.fetch(*arguments)
            self.assertEqual((run.returncode, run.stderr), (0, ""))
            self.assertIn("small: free\n    1 files: 1 fetched, 0 kept, 0 failed\n", run.stdout)
            self.assertEqual([f.name for f in self.file.parent.iterdir()], ["a.txt"])
            self.assertEqual(self.file.read_bytes(), RIGHT)
            self.file.unlink()

    def test_a_file_with_another_checksum_is_refused(self):
        for data in (OTHER, RIGHT[:-1]):
            self.serve(data)
            run = self.fetch()
            self.assertEqual(run.returncode, 1)
            self.assertIn("points/a.txt: the server's file has", run.stderr)
            self.assertIn("0 fetched, 0 kept, 1 failed", run.stdout)
            self.assertFalse(self.file.exists())

    def test_a_missing_file_is_named(self):
        run = self.fetch()
        self.assertEqual(run.returncode, 1)
        self.assertIn("points/a.txt: HTTP Error 404", run.stderr)
        self.assertFalse(self.file.parent.exists())

    def test_an_existing_file_with_the_right_checksum_is_kept(self):
        self.keep(RIGHT)
        run = self.fetch()
        self.assertEqual(run.returncode, 0)
        self.assertIn("0 fetched, 1 kept, 0 failed", run.stdout)
        self.assertEqual(Quiet.requests, [])

    def test_an_existing_file_with_another_checksum_is_replaced(self):
        self.keep(OTHER)
        self.serve(RIGHT)
        self.assertEqual(self.fetch().returncode, 0)
        self.assertEqual(self.file.read_bytes(), RIGHT)

    def test_an_existing_file_is_replaced_by_no_other_file(self):
        self.keep(OTHER)
        self.serve(OTHER + OTHER)
        run = self.fetch()
        self.assertEqual(run.returncode, 1)
        self.assertIn("the existing file differs too and is kept", run.stderr)
        self.assertEqual(self.file.read_bytes(), OTHER)

    def test_sets_that_are_unknown_or_not_public_are_refused(self):
        for name, message in (("private", "private: cannot be fetched; never published"), ("none", "none: no such set")):
            run = self.fetch(name)
            self.assertEqual(run.returncode, 2)
            self.assertIn(message, run.stderr)

    def test_the_list_of_the_project_is_complete(self):
        run = subprocess.run([ROOT / "scripts/fetch-data", "--list"], capture_output=True, text=True, timeout=60)
        self.assertEqual(run.returncode, 0)
        for line in ("oxford-affine: 29 files", "sceaux: 11 files", "field_cases: cannot be fetched", "hard_pairs: cannot be fetched"):
            self.assertIn(line, run.stdout)


if __name__ == "__main__":
    unittest.main()
