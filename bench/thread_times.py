"""python3 bench/thread_times.py COMMAND ARGUMENTS...: runs a command and prints to stderr the CPU seconds of each of its threads.

In `bifocal verify` the first thread writes rows, "log" writes the log into the database, "read" reads matches, and "decide" prepares pieces and waits
for the device. Threads started by TBB have the name of the thread that started them. The time of one of the first three per pair is a lower bound for
the time of the whole run. Threads are sampled every 20 ms, so their last moments are missed.
"""

import os
import subprocess
import sys
import time

TICKS = os.sysconf("SC_CLK_TCK")


def times_of(process):
    """Returns {thread: (name, user, system)} in seconds."""
    out = {}
    try:
        threads = os.listdir(f"/proc/{process}/task")
    except OSError:
        return out
    for thread in threads:
        try:
            with open(f"/proc/{process}/task/{thread}/stat") as f:
                text = f.read()
        except OSError:
            continue
        name, rest = text[text.index("(") + 1 : text.rindex(")")], text[text.rindex(")") + 2 :].split()
        out[int(thread)] = (name, int(rest[11]) / TICKS, int(rest[12]) / TICKS)
    return out


def main():
    if len(sys.argv) < 2:
        raise SystemExit(__doc__)
    begin, times = time.monotonic(), {}
    process = subprocess.Popen(sys.argv[1:])
    while process.poll() is None:
        times.update(times_of(process.pid))
        time.sleep(0.02)
    print(f"{time.monotonic() - begin:.2f} s", file=sys.stderr)
    for thread, (name, user, system) in sorted(times.items(), key=lambda t: -sum(t[1][1:])):
        if user + system > 0:
            first = " (the first)" if thread == process.pid else ""
            print(f"{user + system:8.2f} s, {system:.2f} of it in the system: {name}{first}", file=sys.stderr)
    raise SystemExit(process.returncode)


if __name__ == "__main__":
    main()
