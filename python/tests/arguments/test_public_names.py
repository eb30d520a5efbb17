"""Public names: few in `bifocal`, the others in modules that have their own docstring, and old names that state the new place."""

import inspect
import subprocess
import sys

import pytest

import bifocal
from bifocal import colmap, cv, learned, poselib

MODULES = bifocal.depth, bifocal.doubts, learned, bifocal.pairs, bifocal.priors, bifocal.results, bifocal.solvers, bifocal.two_view
MOST = 81


def test_the_package_has_few_names():
    shown = subprocess.run([sys.executable, "-c", "import bifocal; print(*dir(bifocal))"], capture_output=True, text=True, check=True, timeout=60).stdout.split()
    public = [name for name in shown if not name.startswith("_")]
    assert len(public) <= MOST and len(bifocal.__all__) <= MOST
    assert set(public) | {"colmap", "map_database"} == set(bifocal.__all__)  # both are loaded on first use


@pytest.mark.parametrize("module", (bifocal, colmap, *MODULES), ids=lambda module: module.__name__)
def test_names_of_a_module_exist_once(module):
    assert module.__doc__ and len(module.__all__) == len(set(module.__all__))
    for name in module.__all__:
        thing = getattr(module, name)
        assert hasattr(thing, "is_checked") or not inspect.isfunction(thing), f"{module.__name__}.{name} does not check its arguments"


@pytest.mark.parametrize("module", (colmap, cv, poselib, *MODULES), ids=lambda module: module.__name__)
def test_completion_of_a_module_lists_its_public_names(module):
    assert [name for name in dir(module) if not name.startswith("_")] == sorted(module.__all__)


@pytest.mark.parametrize(
    "name, place",
    [
        ("solve_minimal", "bifocal.solvers"),
        ("ImageIndex", "bifocal.pairs"),
        ("SequentialOptions", "bifocal.pairs"),
        ("find_repetition", "bifocal.doubts"),
        ("Estimate", "bifocal.results"),
        ("write_ply", "bifocal.depth"),
        ("covariance", "bifocal.two_view"),
        ("TwoViewGeometryOptions", "bifocal.colmap"),
    ],
)
def test_an_old_name_states_its_new_place(name, place):
    with pytest.raises(AttributeError, match=f"^bifocal.{name} is now {place}.{name}$"):
        getattr(bifocal, name)
    assert name in sys.modules[place].__all__


def test_an_unknown_name_is_refused():
    with pytest.raises(AttributeError, match="^module 'bifocal' has no attribute 'esimate'$"):
        bifocal.esimate
