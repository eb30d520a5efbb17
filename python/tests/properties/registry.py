"""Properties of the public numerical functions on inputs that are not ideal, each with its reference and its number of cases.

A property is a function of a random generator that asserts it. It runs once per case, and its test fails if more than `allowed` cases fail.
`python python/tests/properties/registry.py` prints the table of docs/develop/properties.md.
"""

from __future__ import annotations

import importlib
import pathlib
import sys
import zlib
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import pytest

FOLDER = pathlib.Path(__file__).parent


class Property(NamedTuple):
    """A property of functions.

    Attributes:
        functions: Names as in `bifocal.NAME`, or `pairs.NAME` for a module of the package.
        text: The property, in a sentence.
        reference: Source of the expected results.
        cases: Number of random cases.
        allowed: Number of cases that may fail.
    """

    functions: tuple[str, ...]
    text: str
    reference: str
    cases: int
    allowed: int


PROPERTIES: list[Property] = []


def holds(*functions: str, reference: str, cases: int, allowed: int = 0) -> Callable[[Callable[[np.random.Generator], None]], Callable[[], None]]:
    """Makes a test of a property. The docstring of the property is its row in the table."""

    def wrap(body: Callable[[np.random.Generator], None]) -> Callable[[], None]:
        assert body.__doc__, f"{body.__name__} has no docstring"
        PROPERTIES.append(Property(functions, body.__doc__.strip(), reference, cases, allowed))

        def test() -> None:
            failures = []
            for case in range(cases):
                try:
                    body(np.random.default_rng([zlib.crc32(body.__name__.encode()), case]))
                except RuntimeError as e:
                    if "is not in this build" not in str(e):
                        raise
                    pytest.skip(str(e))
                except AssertionError as e:
                    failures.append(f"case {case}: {str(e) or 'no message'}"[:300])
            print(f"{body.__name__}: {len(failures)} of {cases} cases fail")
            assert len(failures) <= allowed, "\n".join([f"{len(failures)} of {cases} cases fail, {allowed} may", *failures[:5]])

        test.__name__, test.__doc__ = body.__name__, body.__doc__
        return test

    return wrap


def all_properties() -> list[Property]:
    """Imports every file of properties of this folder and returns their properties."""
    sys.path[:0] = [str(FOLDER), str(FOLDER.parent)]
    for file in sorted(FOLDER.glob("test_*.py")):
        importlib.import_module(file.stem)
    return PROPERTIES


def table() -> str:
    """Returns the properties as a Markdown table."""
    rows = ["| functions | property | reference | cases | may fail |", "|---|---|---|---|---|"]
    for p in sorted(all_properties()):
        rows.append(f"| {', '.join(f'`{name}`' for name in p.functions)} | {p.text} | {p.reference} | {p.cases} | {p.allowed} |")
    return "\n".join(rows) + "\n"


def random_rotation(rng: np.random.Generator, largest_deg: float = 180.0) -> np.ndarray:
    """Returns a rotation about a random axis by up to `largest_deg`."""
    axis = rng.normal(size=3)
    angle = np.radians(rng.uniform(0, largest_deg))
    return rotation_of(axis / np.linalg.norm(axis) * angle)


def rotation_of(w: np.ndarray) -> np.ndarray:
    """Returns exp([w]x) (Rodrigues)."""
    angle = np.linalg.norm(w)
    if angle == 0:
        return np.eye(3)
    S = cross_matrix(w / angle)
    return np.eye(3) + np.sin(angle) * S + (1 - np.cos(angle)) * S @ S


def cross_matrix(a: np.ndarray) -> np.ndarray:
    return np.array([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]])


def off_rotation(R: np.ndarray) -> float:
    """Returns the largest entry of R R' - I, or 1 if the determinant is not positive."""
    return float(np.abs(R @ R.T - np.eye(3)).max()) if np.linalg.det(R) > 0 else 1.0


def projected(points: np.ndarray, K: np.ndarray) -> np.ndarray:
    q = points @ K.T
    return q[:, :2] / q[:, 2:]


def intrinsics(rng: np.random.Generator) -> np.ndarray:
    """Returns a camera matrix with unequal focal lengths, from a wide-angle to a tele lens, and an off-centre principal point."""
    f = np.exp(rng.uniform(np.log(300), np.log(9000)))
    return np.array([[f, 0, 640 + rng.uniform(-150, 150)], [0, f * rng.uniform(0.7, 1.4), 480 + rng.uniform(-150, 150)], [0, 0, 1]])


class TwoViews:
    """Scene points before two different cameras: x1, x2 in px, R, t with any length, X in the frame of camera 1."""

    def __init__(self, rng: np.random.Generator, n: int = 60, noise: float = 0.0, plane: bool = False, largest_deg: float = 25.0) -> None:
        while True:
            self.K1, self.K2 = intrinsics(rng), intrinsics(rng)
            if not 1 / 3 < self.K1[0, 0] / self.K2[0, 0] < 3:
                continue
            self.R = random_rotation(rng, largest_deg)
            scale = np.exp(rng.uniform(-7, 7))  # metres, millimetres or kilometres
            self.t = rng.normal(size=3)
            self.t *= scale * rng.uniform(0.2, 2) / np.linalg.norm(self.t)
            rays = np.c_[rng.uniform([0, 0], [1280, 960], (n, 2)), np.ones(n)] @ np.linalg.inv(self.K1).T
            self.normal = np.array([*rng.uniform(-0.4, 0.4, 2), 1.0])
            self.distance = 6.0 * scale
            depth = self.distance / (rays @ self.normal) if plane else rng.uniform(3, 12, n) * scale
            self.X = rays * depth[:, None]
            Y = self.X @ self.R.T + self.t
            if (Y[:, 2] > 0.2 * scale).all() and (self.X[:, 2] > 0).all():
                break
        self.clean1, self.clean2 = projected(self.X, self.K1), projected(Y, self.K2)
        self.x1 = self.clean1 + noise * rng.normal(size=(n, 2))
        self.x2 = self.clean2 + noise * rng.normal(size=(n, 2))
        self.E = cross_matrix(self.t / np.linalg.norm(self.t)) @ self.R
        self.F = np.linalg.inv(self.K2).T @ self.E @ np.linalg.inv(self.K1)
        self.H = self.K2 @ (self.R + np.outer(self.t, self.normal) / self.distance) @ np.linalg.inv(self.K1)


if __name__ == "__main__":
    sys.path[:0] = [str(FOLDER)]
    print(importlib.import_module("registry").table(), end="")
