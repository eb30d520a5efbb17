"""Docstrings of public functions and classes name every argument, field and result (Google style). The sources are read without a build."""

import ast
import inspect
import pathlib
import re

import pytest

PACKAGE = pathlib.Path(__file__).parents[1] / "bifocal"
MODULES = ["depth", "doubts", "pairs", "results", "solvers", "two_view"]
FACADES = ["__init__.py", "cluster.py", "colmap.py", "cv.py", "linalg.py", "poselib.py", "_cv/fisheye.py", "learned/__init__.py", *(f"{module}.py" for module in MODULES)]
# A docstring that begins so needs its neighbours to be understood.
INCOMPLETE = re.compile(r"(The same|That of|What|Those|Of|Where)\b")


def exported():
    """Returns the names in __all__ of the modules that users import."""
    names = set()
    for facade in FACADES:
        for node in ast.parse((PACKAGE / facade).read_text()).body:
            if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "__all__":
                names |= set(ast.literal_eval(node.value))
    return names


def is_named(name, doc):
    return re.search(rf"^\s+(\*?\w+, )*{re.escape(name)}(, \w+)*:", doc, re.M) is not None


def faults_of_text(doc, arguments, has_result):
    """Returns the faults of a docstring: missing, incomplete, or without an argument or the result."""
    if not doc:
        return ["no docstring"]
    faults = ["begins with a reference to other text"] if INCOMPLETE.match(doc) else []
    faults += [f"argument {name} is missing" for name in arguments if not is_named(name, doc)]
    # A function without arguments may name its result in the first sentence.
    if has_result and arguments and not re.search(r"^\s*(Returns|Yields):$", doc, re.M):
        faults.append("Returns is missing")
    return faults


def is_public(node):
    return not node.name.startswith("_") or node.name in ("__call__",)


def faults_of_function(node):
    decorators = {ast.unparse(decorator).split("(")[0] for decorator in node.decorator_list}
    if any(decorator.endswith(".setter") for decorator in decorators):
        return []
    a = node.args
    arguments = [arg.arg for arg in (*a.posonlyargs, *a.args, *a.kwonlyargs) if arg.arg not in ("self", "cls")]
    arguments += [arg.arg for arg in (a.vararg, a.kwarg) if arg]
    returns = ast.unparse(node.returns) if node.returns else "None"
    return faults_of_text(ast.get_docstring(node), arguments, returns != "None" and "property" not in decorators)


def faults_of_class(node):
    doc = ast.get_docstring(node) or ""
    fields = [f.target.id for f in node.body if isinstance(f, ast.AnnAssign) and "ClassVar" not in ast.unparse(f.annotation)]
    faults = faults_of_text(doc, fields, False)
    for method in node.body:
        if isinstance(method, ast.FunctionDef) and method.name == "__init__":
            arguments = [arg.arg for arg in (*method.args.args[1:], *method.args.kwonlyargs)]
            both = doc + "\n" + (ast.get_docstring(method) or "")
            faults += [f"argument {name} of the constructor is missing" for name in arguments if not is_named(name, both)]
        elif isinstance(method, ast.FunctionDef) and is_public(method):
            faults += [f"{method.name}: {fault}" for fault in faults_of_function(method)]
    return faults


@pytest.mark.parametrize("file", sorted(str(f.relative_to(PACKAGE)) for f in PACKAGE.rglob("*.py")))
def test_docstrings_of_python_are_complete(file):
    tree, names, faults = ast.parse((PACKAGE / file).read_text()), exported(), []
    if not ast.get_docstring(tree):
        faults.append("no docstring")
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and node.name in names:
            faults += [f"{node.name}: {fault}" for fault in faults_of_function(node)]
        if isinstance(node, ast.ClassDef) and node.name in names:
            faults += [f"{node.name}: {fault}" for fault in faults_of_class(node)]
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and INCOMPLETE.match(ast.get_docstring(node) or ""):
            faults.append(f"{node.name}: begins with a reference to other text")
    assert not faults, f"python/bifocal/{file}: " + "; ".join(faults)


def text_and_arguments(name, member):
    """Splits the docstring of a function of the extension into its text and the arguments of its signature."""
    signature, _, text = (member.__doc__ or "").partition("\n\n")
    if not signature.startswith(f"{name}("):
        return signature, []
    head = ast.parse(f"def {signature.splitlines()[0]}: ...").body[0]
    return text, [arg.arg for arg in head.args.args if arg.arg != "self"]


def test_docstrings_of_the_extension_are_complete():
    bifocal = pytest.importorskip("bifocal")
    faults, classes = [], 0
    public = {name: getattr(module, name) for module in (bifocal, *(getattr(bifocal, m) for m in MODULES)) for name in module.__all__}
    for name, thing in public.items():
        if getattr(thing, "__module__", "") != "bifocal._core":
            continue
        members = {name: thing}
        if inspect.isclass(thing):
            classes += 1
            faults += [f"{name}: {fault}" for fault in faults_of_text(thing.__doc__, [], False)]
            members = {member: value for member, value in vars(thing).items() if not member.startswith("_")}
        for member, value in members.items():
            if isinstance(value, property) or not callable(value):
                faults += [f"{name}.{member}: {fault}" for fault in faults_of_text(value.__doc__, [], False)]
                continue
            text, arguments = text_and_arguments(member, value)
            faults += [f"{name}.{member}: {fault}" for fault in faults_of_text(text, arguments, False)]
    assert not faults, "; ".join(faults)
    assert classes >= 8
