"""A camera that only turned, with a focal length that is a little off: no translation is claimed."""

import pathlib

import numpy as np
import pytest

import bifocal

FILE = pathlib.Path(__file__).resolve().parents[3] / "shared/data/field_cases/turned_camera.txt"


@pytest.mark.parametrize("focal_length", [900, 950, 1000, 1050, 1100])
def test_a_turn_is_no_translation(focal_length):
    if not FILE.is_file():
        pytest.skip("no field cases beside the checkout")
    rows = np.loadtxt(FILE)
    found = bifocal.estimate_relative_pose(rows[:, :2], rows[:, 2:4], [focal_length, focal_length, 640, 480])
    assert found.reason == "rotation_only" and np.array_equal(found.t, np.zeros(3))
