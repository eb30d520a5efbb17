"""Runs the shards of a plan on Dask workers of one or many machines::

    bifocal plan database.db --out shards
    python -m bifocal.cluster shards --workers 4 --merge
    python -m bifocal.cluster shards --scheduler tcp://manager:8786 --device cuda --merge

Needs ``pip install distributed`` and the program ``bifocal`` on every machine, and a folder that all machines share. All results are stored in
that folder: after any process was killed, the same command resumes. docs/collections.md has more.
"""

from __future__ import annotations

import argparse
import atexit
import importlib
import json
import os
import pathlib
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

__all__ = ["Report", "Settings", "Stopped", "run"]

DONE, POISONED, TRY_AGAIN = 0, 65, 75
WINDOW = 256
"""Number of shards submitted to the scheduler at a time; a million would overload it."""


@dataclass(frozen=True)
class Settings:
    """Settings of the workers for ``bifocal run-shard``.

    Attributes:
        folder: Folder of the plan, shared by all machines.
        program: Name of the program bifocal on the workers.
        devices: Devices that are assigned to the workers of this machine in rotation.
        threads: Threads of each worker; 0 uses all cores.
        database: Name of the database on the workers; '' takes the name in the plan.
    """

    folder: str
    program: str = "bifocal"
    devices: tuple[str, ...] = ("auto",)
    threads: int = 0
    database: str = ""


@dataclass
class Report:
    """Progress and result of `run`.

    Attributes:
        shards: Number of shards.
        done: Number of finished shards.
        computed: Number of finished shards that this call computed.
        poisoned: Shards with damaged input, with the reason.
        given_up: Shards that failed repeatedly, with the last reason.
    """

    shards: int
    done: int = 0
    computed: int = 0
    poisoned: dict[int, str] = field(default_factory=dict)
    given_up: dict[int, str] = field(default_factory=dict)


class Stopped(RuntimeError):
    """Error that every shard would meet.

    Args:
        message: Message of the program.
        code: Exit code of the program.
    """

    def __init__(self, message: str, code: int) -> None:
        super().__init__(message)
        self.code = code


class _Server:
    """Process ``bifocal run-shard --serve``, whose device stays open from one shard to the next."""

    def __init__(self, settings: Settings, device: str) -> None:
        more = ["--database", settings.database] if settings.database else []
        self.process = subprocess.Popen(
            [settings.program, "run-shard", settings.folder, "--serve", "--device", device, "--threads", str(settings.threads), *more],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
            errors="backslashreplace",
        )

    def run(self, shard: int) -> dict[str, Any]:
        assert self.process.stdin and self.process.stdout and self.process.stderr
        try:
            self.process.stdin.write(f"{shard}\n")
            self.process.stdin.flush()
            line = self.process.stdout.readline()
        except BrokenPipeError:
            line = ""
        if line.endswith("\n"):
            answer: dict[str, Any] = json.loads(line)
            return answer
        reason = self.process.stderr.read().strip()
        code = self.process.wait()
        if code < 0:  # ended by a signal, for example of the out-of-memory killer or of a user
            return {"shard": shard, "code": TRY_AGAIN, "reason": f"ended by signal {-code}", "was_done": False}
        return {"shard": shard, "code": code, "reason": reason, "was_done": False}

    def end(self) -> None:
        self.process.kill()
        self.process.wait()


_servers: dict[Settings, _Server] = {}  # servers of this worker process
_lock = threading.Lock()


def _end_servers() -> None:
    for server in _servers.values():
        server.end()


atexit.register(_end_servers)


def _device(settings: Settings) -> str:
    name = importlib.import_module("distributed").get_worker().name
    return settings.devices[name % len(settings.devices) if isinstance(name, int) else 0]


def _run_on_worker(settings: Settings, shard: int) -> dict[str, Any]:
    with _lock:
        server = _servers.get(settings)
        if server is None or server.process.poll() is not None:
            try:
                server = _servers[settings] = _Server(settings, _device(settings))
            except OSError as error:
                return {"shard": shard, "code": 3, "reason": f"{settings.program}: {error.strerror}", "was_done": False}
        answer = server.run(shard)
        if answer["code"] == TRY_AGAIN:  # the server has ended or is about to end
            _servers.pop(settings).end()
        return answer


def _shards_of(folder: str) -> int:
    file = pathlib.Path(folder, "plan.json")
    try:
        return int(json.loads(file.read_text("utf-8", "surrogateescape"))["shards"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise Stopped(f"{_printable(file)}: is no plan: {error}", 3) from error


def _printable(file: pathlib.Path) -> str:
    """Returns the name with bytes that are not UTF-8 as \\xe9."""
    return os.fsencode(file).decode("utf-8", "backslashreplace")


def _count(report: Report, answer: dict[str, Any], again: Callable[[int], bool]) -> None:
    shard, code, reason = int(answer["shard"]), int(answer["code"]), str(answer["reason"])
    if code == DONE:
        report.done += 1
        report.computed += not answer["was_done"]
    elif code == POISONED:
        report.poisoned[shard] = reason
    elif code != TRY_AGAIN:
        raise Stopped(reason, code)
    elif not again(shard):
        report.given_up[shard] = reason


def run(
    client: Any,
    settings: Settings,
    *,
    retries: int = 3,
    progress: Callable[[Report], None] | None = None,
    shards: Iterable[int] | None = None,
) -> Report:
    """Runs the shards of a plan on the workers of a ``distributed.Client``.

    A shard that asks for another try, or whose worker was lost, is tried again after the waiting shards.

    Args:
        client: Client of Dask's distributed.
        settings: Settings of the workers.
        retries: Largest number of further tries of a shard.
        progress: Called with the Report after each shard.
        shards: Numbers of the shards; by default all shards of the plan.

    Returns:
        Report with the counts and the failed shards.

    Raises:
        Stopped: If every shard would fail.
    """
    distributed = importlib.import_module("distributed")
    folder = os.path.abspath(os.fsdecode(settings.folder))
    database = settings.database and os.path.abspath(os.fsdecode(settings.database))
    settings = Settings(folder, settings.program, settings.devices, settings.threads, database)
    waiting = deque(range(_shards_of(folder)) if shards is None else shards)
    report = Report(len(waiting))
    tries: dict[int, int] = {}
    of_future: dict[str, int] = {}
    running = distributed.as_completed()

    def again(shard: int) -> bool:
        tries[shard] = tries.get(shard, 0) + 1
        if tries[shard] <= retries:
            waiting.append(shard)
        return tries[shard] <= retries

    def submit_some() -> None:
        while waiting and len(of_future) < WINDOW:
            shard = waiting.popleft()
            future = client.submit(_run_on_worker, settings, shard, pure=False)
            of_future[future.key] = shard
            running.add(future)

    submit_some()
    try:
        for future in running:
            shard = of_future.pop(future.key)
            error = future.exception()
            if error is None:
                answer = future.result()
            elif isinstance(error, distributed.scheduler.KilledWorker):
                answer = {"shard": shard, "code": TRY_AGAIN, "reason": "its workers were killed", "was_done": False}
            else:
                raise error
            # Dask computes the results of a lost worker again as long as a future refers to them.
            future.release()
            _count(report, answer, again)
            submit_some()
            if progress:
                progress(report)
    finally:
        running.clear()
    return report


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bifocal.cluster", description="Runs the shards of a plan on Dask workers.")
    parser.add_argument("folder", metavar="DIR", help="folder of bifocal plan, which all machines share")
    where = parser.add_mutually_exclusive_group(required=True)
    where.add_argument("--workers", type=int, metavar="N", help="processes on this machine")
    where.add_argument("--scheduler", metavar="ADDRESS", help="of a Dask scheduler whose workers do it")
    parser.add_argument("--device", default="auto", help="of each worker; with --workers a list as cuda:0,cuda:1 that they take in turn")
    parser.add_argument("--threads", type=int, default=0, metavar="N", help="of each worker, 0: all cores")
    parser.add_argument("--database", default="", metavar="FILE", help="where the database is on the workers; else as planned")
    parser.add_argument("--program", default=os.environ.get("BIFOCAL_PROGRAM", "bifocal"), help="the program bifocal on the workers")
    parser.add_argument("--retries", type=int, default=3, metavar="N", help="of a shard that fails for a cause that may pass")
    parser.add_argument("--merge", action="store_true", help="write the results into the database at the end")
    chosen = parser.parse_args()
    if chosen.workers is not None and chosen.workers < 1:
        parser.error(f"--workers {chosen.workers}: must be at least 1")
    if chosen.retries < 0:
        parser.error(f"--retries {chosen.retries}: must be at least 0")
    return chosen


def _show(report: Report) -> None:
    failed = len(report.poisoned) + len(report.given_up)
    print(f"{report.done} of {report.shards} shards done{f', {failed} failed' if failed else ''}", file=sys.stderr)


def _work(chosen: argparse.Namespace, settings: Settings) -> Report:
    try:
        distributed = importlib.import_module("distributed")
    except ImportError as error:
        raise Stopped("Dask's distributed is not installed: pip install distributed", 3) from error
    _shards_of(chosen.folder)  # raises Stopped before workers are started in vain
    if chosen.scheduler:
        with distributed.Client(chosen.scheduler) as client:
            return run(client, settings, retries=chosen.retries, progress=_show)
    with (
        distributed.LocalCluster(
            n_workers=chosen.workers, threads_per_worker=1, processes=True, memory_limit=0, dashboard_address=None, host="127.0.0.1"
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        return run(client, settings, retries=chosen.retries, progress=_show)


def main() -> int:
    """Runs the command line and returns its exit code."""
    chosen = _arguments()
    settings = Settings(chosen.folder, chosen.program, tuple(chosen.device.split(",")), chosen.threads, chosen.database)
    try:
        report = _work(chosen, settings)
    except Stopped as error:
        print(error, file=sys.stderr)
        return error.code
    for shard, reason in sorted(report.poisoned.items()):
        print(f"shard {shard}: its input is damaged: {reason}", file=sys.stderr)
    for shard, reason in sorted(report.given_up.items()):
        print(f"shard {shard}: given up: {reason}", file=sys.stderr)
    if report.poisoned or report.given_up:
        return POISONED if report.poisoned else TRY_AGAIN
    if chosen.merge:
        into = ["--into", chosen.database] if chosen.database else []
        return subprocess.run([chosen.program, "merge", chosen.folder, *into]).returncode
    return 0


if __name__ == "__main__":
    # Workers import functions by the name of their module, and __main__ is a different module there.
    from bifocal.cluster import main as main_by_name

    sys.exit(main_by_name())
