"""Every public function refuses values of a wrong kind by TypeError or ValueError with the argument's name, and converts none silently."""

import copy
import inspect
import re

import numpy as np
import pytest
from valid_calls import NOT_CALLED, public_functions
from valid_calls import CALLS as OWN
from valid_module_calls import MODULES

import bifocal
from bifocal import colmap, cv, linalg, poselib
from bifocal._arguments import kinds_of

CALLS = {**OWN, **MODULES}
# Phrases of the interpreter, NumPy and the binding library, which name no argument.
FORBIDDEN = re.compile(
    "bad_cast|incompatible function|truth value|unpack|invalid literal|has no attribute|not subscriptable|not iterable|unsupported operand|"
    "must be real number, not|could not convert|has no len|not supported between|inhomogeneous|only integer|cannot be interpreted|a value of a wrong kind|out of bounds|has no shape"
)
WRONG = {
    "None": None,
    "text": "text",
    "bytes": b"text",
    "fraction": 0.5,
    "negative": -1,
    "huge": 10**30,
    "nan": float("nan"),
    "flag": True,
    "complex": 1j,
    "object": object(),
    "dictionary": {"a": 1},
    "mixed list": [1, None],
    "ragged list": [[1, 2], [3]],
    "words": ["a", "b"],
    "objects": np.array([1, None], object),
    "4 dimensions": np.zeros((2, 3, 4, 5)),
    "complex array": np.ones((3, 3), complex),
    "flags": np.array([True, False]),
    "masked": np.ma.masked_array(np.zeros((4, 2)), np.eye(4, 2, dtype=bool)),
}


def vars_of(thing):
    """Returns the methods of a class."""
    return [getattr(member, "__func__", member) for member in vars(thing).values()] if inspect.isclass(thing) else []


def arguments_of(call, valid):
    """Returns the arguments to try, and the arguments that may be None, of the signature or of the valid call."""
    try:
        parameters = inspect.signature(call).parameters
    except ValueError:
        return list(valid), set(valid)
    names = [n for n, p in parameters.items() if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)]
    return names or list(valid), {n for n in names if parameters[n].default is None}


def is_named(error, argument, others, value):
    """True if a message names the argument; another one if they do not fit each other; or the file."""
    text = str(error)
    if re.search(rf"\b{argument.removesuffix('s')}s?\b", text):
        return True
    if isinstance(error, ValueError):
        return any(re.search(rf"\b{other}\b", text) for other in (*others, "points"))
    words = value if isinstance(value, list) else [value]
    return isinstance(error, OSError) and any(str(w.decode() if isinstance(w, bytes) else w) in text for w in words)


def fault_of(call, valid, argument, others, value):
    """Returns the fault of the refusal of a value; None if the refusal is right or the value is taken."""
    try:
        result = call(**{**valid, argument: value})
        if inspect.isgenerator(result):
            list(result)
        return None
    except (ValueError, TypeError, OSError) as error:
        if FORBIDDEN.search(str(error)) or not is_named(error, argument, others, value):
            return f"{type(error).__name__}: {error}"
        return None
    except Exception as error:
        is_other = isinstance(error, RuntimeError) and (argument == "device" or "not in this build" in str(error))
        return None if is_other else f"{type(error).__name__}: {error}"


def test_every_annotation_of_an_argument_is_known():
    own = bifocal.solvers, bifocal.pairs, bifocal.doubts, bifocal.depth, bifocal.two_view, bifocal.results
    modules = bifocal, *own, colmap, linalg, cv, cv.fisheye, poselib
    members = [member for module in modules for name in module.__all__ for member in (getattr(module, name), *vars_of(getattr(module, name)))]
    checked = [member for member in members if hasattr(member, "is_checked")]
    assert len(checked) > 180 and all(isinstance(kinds_of(member.__wrapped__), list) for member in checked)


def test_every_public_function_is_tried():
    missing = set(public_functions()) - set(CALLS) - set(NOT_CALLED)
    assert not missing, sorted(missing)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", sorted(CALLS))
def test_wrong_arguments_are_named(name, tmp_path_factory, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    call, valid = CALLS[name](tmp_path_factory)
    arguments, optional = arguments_of(call, valid)
    faults = []
    for argument in arguments:
        for label, value in WRONG.items():
            if value is None and argument in optional:
                continue
            if fault := fault_of(call, valid, argument, arguments, copy.copy(value)):  # arguments for results are written to
                faults.append(f"{argument} = {label}: {' '.join(fault.split())[:200]}")
    assert not faults, f"{len(faults)} faults\n" + "\n".join(faults)
