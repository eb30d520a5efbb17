"""File names as str, bytes and os.PathLike, also names that are not UTF-8. A file that cannot be opened raises OSError with errno and filename."""

import errno
import os
import pathlib
import re
import shutil

import numpy as np
import pytest
from data_folder import needs_data
from scenes import Scene
from test_images import texture

import bifocal
from bifocal import cluster, colmap
from bifocal._numbers import shown

LATIN1 = b"caf\xe9 \xff.png"


def names_of(file):
    """Forms of a file name that functions accept."""
    return [os.fsdecode(file), os.fsencode(file), pathlib.Path(os.fsdecode(file)), type("Named", (), {"__fspath__": lambda self: os.fsencode(file)})()]


@pytest.mark.parametrize("name", [b"plain.png", LATIN1, "日本 é.png".encode()])
def test_pictures_of_any_name(tmp_path, name):
    picture = texture(24, 32)
    file = os.path.join(os.fsencode(tmp_path), name)
    for given in names_of(file):
        bifocal.write_image(given, picture)
        assert os.path.exists(file) and np.array_equal(bifocal.read_image(given), picture)
        os.remove(file)


def test_a_page_replaces_no_other_file(tmp_path):
    scene = Scene(right=1.0)
    points, rows = {name: x + 600 for name, x in (("a.jpg", scene.x1), ("b.jpg", scene.x2))}, np.c_[[np.arange(len(scene.x1))] * 2].T
    colmap.write_pairs(tmp_path / "a.db", points, {("a.jpg", "b.jpg"): rows}, dict.fromkeys(points, (2480, 2160)))
    page, photograph = tmp_path / "a.html", tmp_path / "a.png"
    bifocal.write_image(photograph, texture(8, 8))
    before = photograph.read_bytes()
    for _ in range(2):  # an earlier page is replaced
        bifocal.report(tmp_path / "a.db", page)
    (tmp_path / "mine.html").write_text("<!DOCTYPE html><title>mine</title>")
    for other in (photograph, tmp_path / "mine.html"):
        with pytest.raises(ValueError, match=f"{other.name}: exists already, and is no page of this database"):
            bifocal.report(tmp_path / "a.db", other)
    assert photograph.read_bytes() == before
    bifocal.report(tmp_path / "a.db", photograph, overwrite=True)


@pytest.mark.parametrize("name", [b"none.png", LATIN1])
def test_what_is_not_there(tmp_path, name):
    file = os.path.join(os.fsencode(tmp_path), b"no\xe9where", name)
    bifocal.write_image(tmp_path / "photograph.png", texture(40, 60))
    for given in names_of(file):
        for call in (
            bifocal.read_image,
            lambda f: bifocal.write_image(f, texture(8, 8)),
            colmap.verify,
            lambda f: colmap.verify_matches(f, f),
            lambda f: bifocal.collect(f, tmp_path / "a.db"),
            bifocal.list_photographs,
            lambda f: bifocal.collect(tmp_path, tmp_path / "a.db", options=bifocal.CollectOptions(given=bifocal.GivenFeatures(source=f))),
            lambda f: bifocal.collect(tmp_path, tmp_path / "a.db", options=bifocal.CollectOptions(pairs="file", pairs_file=f)),
            lambda f: bifocal.report(f, tmp_path / "a.html"),
            lambda f: colmap.map_database(f, tmp_path / "models"),
            colmap.read_model,
            lambda f: bifocal.dense(f, tmp_path, tmp_path / "dense"),
        ):
            with pytest.raises(FileNotFoundError) as refused:
                call(given)
            e = refused.value
            assert e.errno == errno.ENOENT and os.fsencode(e.filename) == file and str(e).encode()  # printable
    for call in (bifocal.read_image, lambda f: bifocal.write_image(f, texture(8, 8)), colmap.verify):
        with pytest.raises(IsADirectoryError) as refused:
            call(tmp_path)
        assert refused.value.filename == os.fspath(tmp_path)
    ordinary = tmp_path / "file"
    ordinary.write_bytes(b"")
    for call in (bifocal.read_image, lambda f: bifocal.write_image(f, texture(8, 8))):
        with pytest.raises(NotADirectoryError):
            call(ordinary / "picture.png")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_what_may_not_be_read(tmp_path):
    file = tmp_path / "closed.png"
    bifocal.write_image(file, texture(8, 8))
    file.chmod(0)
    with pytest.raises(PermissionError) as refused:
        bifocal.read_image(file)
    assert refused.value.errno == errno.EACCES and refused.value.filename == os.fspath(file)


def test_what_is_in_a_file_is_told_by_a_message_that_can_be_printed(tmp_path):
    file = os.path.join(os.fsencode(tmp_path), LATIN1)
    with open(file, "wb") as f:
        f.write(b"no picture")
    for call in (bifocal.read_image, colmap.verify):
        for given in names_of(file):
            with pytest.raises(OSError, match=r"caf\\xe9 \\xff\.png") as refused:
                call(given)
            assert type(refused.value) is OSError and str(refused.value).encode()


@pytest.mark.parametrize("name", [None, 3, 2.5, [], ["a.png"], object()], ids=repr)
def test_no_names(name):
    calls = {"file": [bifocal.read_image, lambda f: bifocal.write_image(f, texture(8, 8))], "database": [colmap.verify]}
    for argument, functions in calls.items():
        for call in functions:
            with pytest.raises(TypeError, match=f"^{argument}: {re.escape(shown(name))}, must be str, bytes or os.PathLike"):
                call(name)


@pytest.mark.parametrize("name", ["", b"", "a\0b.png", b"a\0b.png", "\ud800.png"], ids=ascii)
def test_names_that_no_file_has(name):
    for call in (bifocal.read_image, lambda f: bifocal.write_image(f, texture(8, 8)), colmap.verify):
        with pytest.raises(ValueError, match="^(file|database): ") as refused:
            call(name)
        assert str(refused.value).encode()


def test_databases_of_any_name_and_names_in_them(tmp_path):
    database = needs_data("field_cases/latin1_name.db")
    file = os.path.join(os.fsencode(tmp_path), b"d\xe9.db")
    shutil.copy(database, file)
    for given in names_of(file):
        done = colmap.verify(given, overwrite=True)
        assert done.done == done.pairs == 1
    pairs = os.path.join(os.fsencode(tmp_path), b"p\xe9.txt")
    with open(pairs, "wb") as f:
        f.write(b"none\xe9.jpg other.jpg\n")
    with pytest.raises(OSError, match=r"none\\xe9\.jpg") as refused:
        colmap.verify(file, pairs=pairs)
    assert str(refused.value).encode()
    with pytest.raises(FileNotFoundError) as refused:
        colmap.verify(file, pairs=pairs + b".none")
    assert refused.value.filename == pairs + b".none"


def test_folders_of_a_cluster(tmp_path):
    folder = os.fsdecode(os.path.join(os.fsencode(tmp_path), b"p\xe9"))
    os.mkdir(folder)
    with pytest.raises(cluster.Stopped, match=r"p\\xe9/plan\.json: is no plan") as refused:
        cluster._shards_of(folder)
    assert str(refused.value).encode()
    pathlib.Path(folder, "plan.json").write_bytes(b'{"folder": "p\xe9", "shards": 3}')
    assert cluster._shards_of(folder) == 3
