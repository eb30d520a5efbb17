"""Priors of bundle adjustment."""

import numpy as np
import pytest
from test_adjust import disturbed, make_scene

import bifocal
from bifocal import priors

I3 = np.eye(3)
EXACT = {"device": "cpu", "options": bifocal.AdjustOptions(function_tolerance=1e-12, deviation_px=0.5, covariance=True)}


def centres_of(R, t):
    return -np.einsum("kji,kj->ki", R, t)


def truth_and_start(noise=0.02):
    truth = make_scene()
    measured = centres_of(*truth[1:3]) + np.random.default_rng(3).normal(0, noise, (6, 3))
    return truth, disturbed(*truth), priors.PositionPriors(np.arange(6), measured, noise**2 * I3)


def test_positions_place_a_scene():
    truth, start, positions = truth_and_start()
    found = bifocal.adjust(*start, priors=[positions], **EXACT)
    errors = centres_of(found.R, found.t) - centres_of(*truth[1:3])
    assert found.is_converged and found.freedom == {"position": 0, "rotation": 0, "scale": 0}
    assert np.abs(errors).max() < 0.04
    deviations = np.sqrt(found.pose_covariances[:, range(3, 6), range(3, 6)])
    assert (np.abs(errors) < 4 * deviations).all() and deviations.max() < 0.02
    residuals = found.prior_residuals["positions"]
    assert residuals.shape == (6,) and 0.1 < np.sqrt((residuals**2).mean() / 3) < 2
    # The cost of priors is 0.5^2 px^2 times half the square of each residual.
    assert np.isclose(found.prior_cost, 0.25 * (residuals**2).sum() / 2)
    assert np.isclose(found.final_cost - found.prior_cost, (found.errors**2).sum() / 2)
    assert found.redundancy == 2 * 360 + 18 - 36 - 2 - 180
    without = bifocal.adjust(*start, **EXACT)
    assert without.prior_cost == 0 and without.freedom["scale"] == 1 and without.prior_residuals["positions"].size == 0


def test_every_kind_is_taken():
    truth, start, positions = truth_and_start()
    camera, R, t, X = truth[:4]
    down = R @ [0, 0, -1]
    heights = centres_of(R, t)[:, 2] - 40
    kinds = [
        positions,
        priors.DirectionPriors(np.arange(6), [0, 0, -2], down, 0.01),
        priors.OrientationPriors([1, 2], R[1:3], [0.01, 0.02, 0.03], loss="huber", loss_scale=2),
        priors.PointPriors([5, 9, 30], X[[5, 9, 30]], [1e-4 * I3] * 3),
        priors.HeightPriors(np.arange(6), heights, 0.01, loss="cauchy"),
        priors.ParameterPriors([0], [0], [camera.params[0]], 2),
    ]
    found = bifocal.adjust(*start, priors=kinds, **EXACT)
    sizes = {"positions": 6, "directions": 6, "orientations": 2, "points": 3, "heights": 6, "parameters": 1}
    assert {name: len(r) for name, r in found.prior_residuals.items()} == sizes
    assert all(np.abs(r).max() < 4 for r in found.prior_residuals.values())
    assert abs(found.height_level - 40) < 0.05
    assert abs(found.cameras[0].params[0] - 800) < 8
    assert np.abs(found.points[[5, 9, 30]] - X[[5, 9, 30]]).max() < 0.04
    again = bifocal.adjust(*start, priors=tuple(kinds), **EXACT)
    assert (again.points == found.points).all() and (again.R == found.R).all()


@pytest.mark.parametrize(
    "prior, error, text",
    [
        (priors.PositionPriors([6], [[0, 0, 0]], I3), ValueError, r"priors: PositionPriors.images: \[0\] is 6, must be 0 to 5"),
        (priors.PositionPriors([1], [[0, 0]], I3), ValueError, r"PositionPriors.centres: shape \(1, 2\)"),
        (priors.PositionPriors([1], [[0, 0, np.nan]], I3), ValueError, r"positions\[0\].centre\[2\] = nan"),
        (priors.PositionPriors([1], [[0, 0, 0]], 0 * I3), ValueError, r"positions\[0\].covariance\[0\] = 0"),
        (priors.HeightPriors([0, 1], [3, 4], -1), ValueError, r"heights\[0\].deviation = -1"),
        (priors.HeightPriors([0, 1], [3, 4], 1, up=[0, 0]), ValueError, r"HeightPriors.up: shape \(2,\)"),
        (priors.PointPriors([0.5], [[3, 4, 5]], I3), TypeError, "PointPriors.points"),
        (priors.ParameterPriors([0], [9], [3], 1), ValueError, r"parameters\[0\].param = 9"),
        (priors.DirectionPriors([0], [0, 0, 0], [0, 0, 1], 1), ValueError, r"directions\[0\].world has length 0"),
        (priors.OrientationPriors([0], [2 * I3], [1, 1, 1]), ValueError, r"orientations\[0\].R"),
        (priors.PositionPriors([1], [[0, 0, 0]], I3, loss="tukey"), ValueError, "loss of positions is 'tukey'"),
        (priors.PositionPriors([1], [[0, 0, 0]], I3, loss="huber", loss_scale=0), ValueError, "position_loss.scale = 0"),
        ([1, 2], TypeError, r"priors\[0\]"),
    ],
)
def test_wrong_priors_are_refused(prior, error, text):
    _, start, _ = truth_and_start()
    with pytest.raises(error, match=text):
        bifocal.adjust(*start, priors=[prior])


def test_a_kind_is_given_once():
    _, start, positions = truth_and_start()
    with pytest.raises(ValueError, match="priors: two objects are PositionPriors"):
        bifocal.adjust(*start, priors=[positions, positions])
