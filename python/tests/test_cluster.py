"""Shards on Dask workers: all are done after any process is killed, and give the bytes of ``bifocal verify``."""

import itertools
import os
import pathlib
import shutil
import signal
import subprocess
import sys

import pytest
from colmap_database import scene, write_database
from data_folder import long_only

from bifocal import cluster

distributed = pytest.importorskip("distributed", reason="Dask's distributed is not installed: scripts/python-environment")
PROGRAM = os.environ.get("BIFOCAL_PROGRAM") or shutil.which("bifocal")
if not PROGRAM:
    pytest.skip("no program bifocal: BIFOCAL_PROGRAM names it", allow_module_level=True)


def bifocal(*arguments, code=0):
    done = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True)
    assert done.returncode == code, done.stderr
    return done


@pytest.fixture
def planned(tmp_path):
    """Makes all.db, verified in one run, and part.db, an unverified copy with a plan of 22 shards."""
    views, matches = scene(views=30, points=200)
    part = tmp_path / "part.db"
    write_database(part, views, matches)
    shutil.copy(part, tmp_path / "all.db")
    bifocal("verify", tmp_path / "all.db")
    bifocal("plan", part, "--out", tmp_path / "plan", "--pairs-per-shard", 20)
    return tmp_path


@pytest.fixture
def client():
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, memory_limit=0) as local,
        distributed.Client(local) as one,
    ):
        yield one


def settings(folder):
    return cluster.Settings(str(folder / "plan"), PROGRAM, threads=1)


def expect_bytes_of_verify(folder):
    bifocal("merge", folder / "plan")
    assert (folder / "all.db").read_bytes() == (folder / "part.db").read_bytes()


@long_only
def test_all_shards_are_done_though_workers_are_killed(planned, client):
    killed = []

    def kill_one(report):
        if report.done in (3, 12) and len(killed) <= report.done // 10:
            killed.append(next(iter(client.run(os.getpid).values())))
            os.kill(killed[-1], signal.SIGKILL)

    report = cluster.run(client, settings(planned), progress=kill_one)
    assert len(killed) == 2
    assert (report.shards, report.done, report.poisoned, report.given_up) == (22, 22, {}, {})
    again = cluster.run(client, settings(planned))
    assert (again.done, again.computed) == (22, 0)
    expect_bytes_of_verify(planned)


def test_programs_that_are_killed_are_started_again(planned, client):
    """The program of a worker is killed, not the worker."""

    def children(dask_worker):
        return [s.process.pid for s in cluster._servers.values()]

    killed = []

    def kill_program(report):
        if report.done == 4 and not killed:
            killed.extend(itertools.chain.from_iterable(client.run(children).values()))
            for pid in killed:
                os.kill(pid, signal.SIGKILL)

    report = cluster.run(client, settings(planned), progress=kill_program)
    assert killed
    assert report.done == 22
    expect_bytes_of_verify(planned)


@long_only
def test_pairs_of_odd_rows_poison_no_shard(planned, client):
    """A match names a missing keypoint: the pair is left out, and its shard is done."""
    import sqlite3

    with sqlite3.connect(planned / "part.db") as db:
        (pair,) = db.execute("SELECT pair_id FROM matches ORDER BY pair_id LIMIT 1 OFFSET 50").fetchone()
        db.execute("UPDATE matches SET data = zeroblob(length(data) - 8) || x'FFFFFF7F00000000' WHERE pair_id = ?", (pair,))
    report = cluster.run(client, settings(planned))
    assert (report.done, report.poisoned) == (22, {})


def test_faults_of_the_whole_run_stop_it(planned, client):
    with pytest.raises(cluster.Stopped, match="no such device|cuda:99") as stopped:
        cluster.run(client, cluster.Settings(str(planned / "plan"), PROGRAM, ("cuda:99",)))
    assert stopped.value.code == 4
    with pytest.raises(cluster.Stopped, match="/no/program"):
        cluster.run(client, cluster.Settings(str(planned / "plan"), "/no/program"))
    with pytest.raises(cluster.Stopped, match="is no plan"):
        cluster.run(client, cluster.Settings(str(planned / "nothing"), PROGRAM))


def test_command(planned):
    def command(*arguments):
        words = [sys.executable, "-m", "bifocal.cluster", *map(str, arguments), "--program", PROGRAM]
        return subprocess.run(words, capture_output=True, text=True, timeout=240)

    done = command(planned / "plan", "--workers", 2, "--threads", 1, "--merge")
    assert done.returncode == 0, done.stderr
    assert "22 of 22 shards done" in done.stderr
    assert (planned / "all.db").read_bytes() == (planned / "part.db").read_bytes()
    assert command(planned / "nothing", "--workers", 1).returncode == 3
    assert command(planned / "plan", "--workers", 0).returncode == 2
    assert command(planned / "plan").returncode == 2


def test_the_library_is_not_loaded_with_dask():
    """Dask takes seconds to import, so that `import bifocal` must not import it."""
    code = "import bifocal, sys; assert 'distributed' not in sys.modules and 'bifocal.cluster' not in sys.modules"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0
    assert pathlib.Path(cluster.__file__).exists()
