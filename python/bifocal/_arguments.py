"""Checks of arguments by the annotations of a function: a wrong one raises TypeError or ValueError with its name and value.

Numbers, flags, names, files, options, classes, callables and sequences are checked here. The functions themselves check arrays and cameras.
"""

from __future__ import annotations

import ast
import builtins
import functools
import inspect
import os
import sys
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple, Protocol, runtime_checkable

from ._numbers import host_array, is_flag, is_number, number, shown, whole

# Annotations of arguments that functions check themselves.
UNCHECKED = {"Any", "object", "NDArray", "Array"}
_PACKAGE = "bifocal"
_PATH = "str, bytes or os.PathLike"


@runtime_checkable
class CancellationToken(Protocol):
    """Object of pycolmap that ends a call."""

    def is_cancelled(self) -> bool: ...


class Kind(NamedTuple):
    """A kind of argument.

    Attributes:
        text: Description for messages.
        takes: True for a value of this kind.
        convert: Returns the value as the function wants it; ValueError with the name if it is out of range.
    """

    text: str
    takes: Callable[[Any], bool]
    convert: Callable[[Any, str], Any]


def _same(value: Any, _: str) -> Any:
    return value


_KINDS = {
    "None": Kind("None", lambda v: v is None, _same),
    "bool": Kind("True or False", is_flag, lambda v, _: builtins.bool(v)),
    "int": Kind("a whole number", is_number, whole),
    "float": Kind("a number", is_number, number),
    "Flag": Kind("True or False", lambda v: is_flag(v) or (is_number(v) and v in (0, 1)), lambda v, _: builtins.bool(v)),  # of OpenCV
    "str": Kind("str", lambda v: isinstance(v, str), _same),
    "bytes": Kind("bytes", lambda v: isinstance(v, bytes), _same),
    "Path": Kind(_PATH, lambda v: isinstance(v, (str, bytes, os.PathLike)), _same),
    "PathLike": Kind(_PATH, lambda v: isinstance(v, (str, bytes, os.PathLike)), _same),
    # The extension checks type and shape of these, so that arrays are not copied here.
    "ArrayLike": Kind("an array of numbers", lambda v: v is not None, _same),
    "CameraLike": Kind("a bifocal.Camera, a LensCamera, a 3 x 3 matrix or (fx, fy, cx, cy)", lambda v: v is not None, _same),
    "FeaturesLike": Kind("Features or descriptors", lambda v: v is not None, _same),
    "Given": Kind("an array of numbers", lambda v: v is not None, host_array),  # of functions in Python
    "Callable": Kind("a function", callable, _same),
    "Mapping": Kind("a dictionary", lambda v: isinstance(v, Mapping), _same),
    "UsacParams": Kind("UsacParams", lambda v: type(v).__name__ == "UsacParams", _same),  # of bifocal.cv or of cv2
}


def _is_sequence(value: Any) -> bool:
    if isinstance(value, (str, bytes, bytearray, Mapping)):
        return False
    return hasattr(value, "__iter__") or hasattr(value, "__getitem__")


def _sequence(item: Kind | None) -> Kind:
    """Returns the kind of sequences. If any object can be an item, they are returned as given, so that arrays and iterators stay whole."""
    if item is not None and item.takes(object()):
        item = None

    def convert(value: Any, name: str) -> Any:
        return value if item is None else [_converted(one, f"{name}[{k}]", item) for k, one in enumerate(_items(value, name))]

    return Kind("a sequence" if item is None else f"a sequence, of {item.text} each", _is_sequence, convert)


def _items(value: Any, name: str) -> list[Any]:
    try:
        return list(value)
    except TypeError:  # an array without dimensions
        raise TypeError(f"{name}: {shown(value)}, must be a sequence") from None


def _tuple(items: list[Kind | None], made: Callable[..., Any] | None = None, least: int | None = None) -> Kind:
    """Returns the kind of tuples, or of what is made of at least so many of their items. They may be given as lists and arrays."""
    first = items[0]
    words = {"a whole number": "whole numbers", "str": "names"}
    word = "arrays" if first is None or first.takes(object()) else words.get(first.text, "numbers")
    text = f"{len(items)} {word}"

    def convert(value: Any, name: str) -> Any:
        given = _items(value, name)
        if not (len(items) if least is None else least) <= len(given) <= len(items):
            raise ValueError(f"{name}: {len(given)} {word}, must be {text}")
        converted = [one if item is None else _converted(one, f"{name}[{k}]", item) for k, (one, item) in enumerate(zip(given, items))]
        return tuple(converted) if made is None else made(*converted)

    return Kind(text, _is_sequence, convert)


def _literal(words: list[Any]) -> Kind:
    return Kind("one of " + ", ".join(map(repr, words)), lambda v: isinstance(v, str) and v in words, _same)


def _union(kinds: list[Kind]) -> Kind:
    kinds = sorted(kinds, key=lambda kind: kind.takes(object()))  # arrays, which take any object, last
    texts = list(dict.fromkeys(text for kind in kinds for text in kind.text.split(" or ")))
    text = texts[0] if len(texts) == 1 else f"{', '.join(texts[:-1])} or {texts[-1]}"

    def convert(value: Any, name: str) -> Any:
        return next(kind for kind in kinds if kind.takes(value)).convert(value, name)

    return Kind(text, lambda v: any(kind.takes(v) for kind in kinds), convert)


def _converted(value: Any, name: str, kind: Kind) -> Any:
    if kind.takes(value):
        return kind.convert(value, name)
    is_word = isinstance(value, str) and "one of" in kind.text
    raise (ValueError if is_word else TypeError)(f"{name}: {shown(value)}, must be {kind.text}")


def _alternatives(node: ast.expr) -> list[ast.expr]:
    if isinstance(node, ast.BinOp):
        return [*_alternatives(node.left), *_alternatives(node.right)]
    if isinstance(node, ast.Subscript) and _last_name(node.value) in ("Union", "Optional"):
        parts = list(node.slice.elts) if isinstance(node.slice, ast.Tuple) else [node.slice, ast.Constant(None)]
        return [alternative for part in parts for alternative in _alternatives(part)]
    return [node]


def _last_name(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def _found(name: str, space: Mapping[str, Any]) -> Any:
    """Returns the object of a name in an annotation: of the module, of the package or of the extension."""
    package = sys.modules[_PACKAGE]
    for place in (space, vars(package), vars(package.results), vars(sys.modules[f"{_PACKAGE}._core"])):
        if name in place:
            return place[name]
    raise NameError(f"annotation {name}: unknown")


def _named(name: str, space: Mapping[str, Any]) -> Kind | None:
    if name in UNCHECKED:
        return None
    if name in _KINDS:
        return _KINDS[name]
    thing = _found(name, space)
    if isinstance(thing, type) and hasattr(thing, "_fields"):  # a NamedTuple, for which a tuple of its length is taken
        return _tuple([None] * len(thing._fields), thing, len(thing._fields) - len(getattr(thing, "_field_defaults", ())))
    if isinstance(thing, type):
        return Kind(thing.__name__, lambda v: isinstance(v, thing), _same)
    return _kind(ast.parse(str(thing).replace("typing.", ""), mode="eval").body, space)


def _kind(node: ast.expr, space: Mapping[str, Any]) -> Kind | None:
    """Returns the kind of an annotation, None if values of any kind are taken."""
    alternatives = _alternatives(node)
    if len(alternatives) > 1:
        kinds = [_kind(alternative, space) for alternative in alternatives]
        known = [kind for kind in kinds if kind is not None]
        return _union(known) if len(known) == len(kinds) else None
    node = alternatives[0]
    if isinstance(node, ast.Constant):
        return _KINDS["None"] if node.value is None else _kind(ast.parse(str(node.value), mode="eval").body, space)
    if not isinstance(node, ast.Subscript):
        return _named(_last_name(node), space)
    outer = _last_name(node.value)
    parts = list(node.slice.elts) if isinstance(node.slice, ast.Tuple) else [node.slice]
    if outer == "Literal":
        return _literal([ast.literal_eval(part) for part in parts])
    if outer in ("Sequence", "Iterable", "Collection", "list"):
        return _sequence(_kind(parts[0], space))
    if outer == "tuple":
        return _tuple([_kind(part, space) for part in parts])
    return _named(outer, space)


def _parameters(function: Callable[..., Any]) -> tuple[list[tuple[str, str]], Mapping[str, Any]]:
    """Returns names and annotations of the arguments of a function of Python or of the extension, and the names that its annotations use."""
    signatures = getattr(function, "__nb_signature__", None)
    if signatures is not None:
        head = ast.parse(f"{signatures[0][0]}: ...").body[0]
        assert isinstance(head, ast.FunctionDef)
        return [(a.arg, ast.unparse(a.annotation) if a.annotation else "Any") for a in (*head.args.args, *head.args.kwonlyargs)], {}
    signature = inspect.signature(function)
    space = getattr(inspect.unwrap(function), "__globals__", {})
    named = [p for p in signature.parameters.values() if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)]
    return [(p.name, p.annotation if isinstance(p.annotation, str) else "Any") for p in named], space


def kinds_of(function: Callable[..., Any]) -> list[tuple[int, str, Kind]]:
    """Returns place, name and kind of each argument that is checked."""
    names, space = _parameters(function)
    kinds = ((k, name, _kind(ast.parse(text, mode="eval").body, space)) for k, (name, text) in enumerate(names))
    return [(k, name, kind) for k, name, kind in kinds if kind is not None]


def _out_of_range(values: list[Any], others: dict[str, Any], kinds: list[tuple[int, str, Kind]]) -> Exception:
    """Returns the error for an integer that the extension does not take, because it is negative or too large."""
    given = {name: values[k] if k < len(values) else others.get(name) for k, name, _ in kinds}
    whole_numbers = {name: value for name, value in given.items() if isinstance(value, int) and not isinstance(value, bool)}
    for name, value in whole_numbers.items():
        if not 0 <= value < 2**31:
            return ValueError(f"{name} = {value}, must be 0 to {2**31 - 1}")
    return TypeError(f"{', '.join(given)}: a value of a wrong kind")


def checked(function: Callable[..., Any]) -> Callable[..., Any]:
    """Returns a function that checks the arguments of another one by its annotations."""
    kinds: list[tuple[int, str, Kind]] | None = None

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        nonlocal kinds
        if kinds is None:
            kinds = kinds_of(function)
        values = list(args)
        for place, name, kind in kinds:
            if place < len(values):
                values[place] = _converted(values[place], name, kind)
            elif name in kwargs:
                kwargs[name] = _converted(kwargs[name], name, kind)
        try:
            return function(*values, **kwargs)
        except TypeError as error:
            if "incompatible function arguments" not in str(error):
                raise
            raise _out_of_range(values, kwargs, kinds) from None

    call.is_checked = True  # type: ignore[attr-defined]
    return call


def _check_class(cls: type) -> None:
    own = hasattr(cls, "__dataclass_fields__") or issubclass(cls, tuple)
    for name, member in list(vars(cls).items()):
        plain = member.__func__ if isinstance(member, (classmethod, staticmethod)) else member
        is_public = not name.startswith("_") or name in ("__init__", "__call__")
        is_function = inspect.isfunction(plain) or (hasattr(plain, "__nb_signature__") and name != "__init__")
        if not is_public or not is_function or hasattr(plain, "is_checked") or (own and name == "__init__"):
            continue
        made: Any = checked(plain)
        setattr(cls, name, type(member)(made) if isinstance(member, (classmethod, staticmethod)) else made)


def check_public(names: Iterable[str], space: dict[str, Any]) -> None:
    """Replaces the public functions of a module, and the public methods of its classes, by functions that check their arguments.

    A function is replaced in its own module, too, where pickle looks for it. dir() of a public module lists its public names.

    Args:
        names: Names of the public functions and classes.
        space: Names of the module.
    """
    for name in names:
        thing = space.get(name)
        if inspect.isclass(thing) and thing.__module__.startswith(f"{_PACKAGE}.") and not issubclass(thing, BaseException):
            _check_class(thing)
        elif inspect.isfunction(thing) and not hasattr(thing, "is_checked"):
            space[name] = checked(thing)
            home = sys.modules[thing.__module__]
            if getattr(home, name, None) is thing:
                setattr(home, name, space[name])
    if not space["__name__"].rpartition(".")[2].startswith("_") and "." in space["__name__"]:
        shown = sorted({*names, *(name for name in space if name.startswith("__"))})
        space["__dir__"] = lambda: shown
