"""Defaults of Python are those of the program."""

import inspect
import re
import subprocess
import sys

import pytest

import bifocal
from bifocal import colmap

# The command whose job each function does.
COMMANDS = {
    bifocal.collect: "collect",
    bifocal.map_database: "map",
    bifocal.adjust: "adjust",
    bifocal.dense: "dense",
    colmap.verify: "verify",
    colmap.verify_matches: "verify",
    colmap.geometric_verification: "verify",
    colmap.write_pairs: "verify",
    colmap.bundle_adjustment: "adjust",
    bifocal.estimate_pair: "pair",
    bifocal.estimate: "estimate",
    bifocal.estimate_relative_pose: "estimate",
    bifocal.stereo: "stereo",
}


def default_of_command(command):
    shown = subprocess.run([sys.executable, "-m", "bifocal", command, "--help"], capture_output=True, text=True, check=True, timeout=60).stdout
    return re.search(r"^ *--device \w+=(\w+)", shown, re.M)[1]


@pytest.mark.parametrize("function, command", COMMANDS.items(), ids=lambda value: getattr(value, "__name__", value))
def test_device_is_that_of_the_command(function, command):
    default = inspect.signature(function).parameters["device"].default
    assert (default or "cpu") == default_of_command(command)  # None: the memory of the arrays decides, for host memory the CPU


def test_a_device_of_none_is_the_default(tmp_path):
    with colmap.Database(tmp_path / "a.db", "x"):
        pass
    with pytest.raises(ValueError, match="device 'none'|'none'"):
        colmap.verify(tmp_path / "a.db", device="none")
    assert colmap.verify(tmp_path / "a.db", device=None).pairs == colmap.verify(tmp_path / "a.db").pairs == 0
