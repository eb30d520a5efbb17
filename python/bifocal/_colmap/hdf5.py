"""Reads HDF5 files of unknown origin by h5py: numbers that lie in the file itself, in one piece and not compressed, as hloc writes them.

h5py 3.16 crashes on damaged files with compressed data sets (docs/develop/notes/formats.md).
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

OLDEST = (3, 16)  # of h5py: its wheels have HDF5 2.0; HDF5 1.10 crashes on damaged files
MOST_VALUES = 2**26  # largest number of values in a data set
DEEPEST = 32  # deepest nesting of groups, and longest chain of links
BYTES_OF_LINK = 8  # least number of bytes that a link takes in the file


class RefusedFile(OSError):
    """A file that cannot be read; the message names the file and the data set."""


def _h5py(name: str) -> Any:
    """Returns the module h5py. It is imported at the first file, because its import is slower than this package's."""
    try:
        import h5py  # type: ignore[import-untyped,import-not-found,unused-ignore]
    except ImportError:
        raise RefusedFile(f"{name}: HDF5 files need the Python package h5py: pip install h5py") from None
    if h5py.version.version_tuple[:2] < OLDEST:
        needed = ".".join(map(str, OLDEST))
        raise RefusedFile(f"{name}: h5py {h5py.__version__} is too old, must be {needed} or later: pip install --upgrade h5py")
    return h5py


class File:
    """Open HDF5 file. Several threads may read it. All methods raise RefusedFile if the file is damaged.

    Args:
        name: Name of the file.

    Raises:
        RefusedFile: If the file is missing or no HDF5 file, or h5py is missing or older than 3.16.
    """

    def __init__(self, name: str) -> None:
        """Opens the file for reading.

        Args:
            name: Name of the file.
        """
        self.name = name
        if not os.path.exists(name):
            raise RefusedFile(f"{name}: can't be read: there is no such file")
        if not os.path.isfile(name):
            raise RefusedFile(f"{name}: is a folder, or no regular file")
        self._h5 = _h5py(name)
        self._bytes = os.path.getsize(name)
        try:
            self._file = self._h5.File(name, "r").id
        except Exception as error:
            raise RefusedFile(f"{name}: is no HDF5 file, or damaged, or open for writing elsewhere") from error

    def refuse(self, path: str, why: str) -> NoReturn:
        """Raises RefusedFile.

        Args:
            path: Path of the data set.
            why: The reason.

        Raises:
            RefusedFile: Always.
        """
        raise RefusedFile(f"{self.name}: {path if path.isprintable() else ascii(path)[1:-1]}: {why}")

    def paths(self) -> list[str]:
        """Returns the paths of all groups, data sets and links within the file, without following links."""
        found: list[str] = []
        most = self._bytes // BYTES_OF_LINK

        def take(name: bytes, info: Any) -> str | None:  # a result ends the visit
            found.append(os.fsdecode(name))
            if info.type == self._h5.h5l.TYPE_EXTERNAL:
                return "leads to another file: such links are not followed"
            return "groups within themselves" if name.count(b"/") > DEEPEST or len(found) > most else None

        with self._guarded("its groups"):
            failure = self._file.links.visit(take, info=True)
        if failure:
            self.refuse(found[-1], failure)
        return found

    def floats(self, path: str) -> NDArray[np.float32] | None:
        """Returns a data set as float32.

        Args:
            path: Path of the data set.

        Returns:
            Array of at most two dimensions; None if the path does not exist.
        """
        return self._read(path, np.float32)

    def integers(self, path: str) -> NDArray[np.int64] | None:
        """Returns a data set as int64.

        Args:
            path: Path of the data set.

        Returns:
            Array of at most two dimensions; None if the path does not exist.
        """
        return self._read(path, np.int64)

    def holds_bytes(self, path: str) -> bool:
        """Returns True if a data set of uint8 exists.

        Args:
            path: Path of the data set.
        """
        with self._guarded(path):
            data = self._data_set(path)
            return data is not None and bool(data.get_type().equal(self._h5.h5t.NATIVE_UINT8))

    @contextmanager
    def _guarded(self, path: str) -> Iterator[None]:
        """Turns h5py's errors, which are of many types, into RefusedFile."""
        try:
            yield
        except RefusedFile:
            raise
        except Exception as error:
            self.refuse(path, f"can't be read: the file is damaged ({type(error).__name__})")

    def _data_set(self, path: str) -> Any:
        """Opens a data set; None if it does not exist. Links within the file are resolved here, because h5py would follow links to other files."""
        h5l, links, found = self._h5.h5l, self._file.links, b""
        parts, followed = os.fsencode(path).split(b"/")[::-1], 0
        while parts:
            part = parts.pop()
            if part in (b"", b"."):
                continue
            if not links.exists(found + part):
                return None
            kind = links.get_info(found + part).type
            if kind == h5l.TYPE_SOFT and followed < DEEPEST:
                followed += 1
                target = links.get_val(found + part)
                found = b"" if target.startswith(b"/") else found
                parts += target.split(b"/")[::-1]
            elif kind == h5l.TYPE_HARD:
                found += part + b"/"
            else:
                self.refuse(path, "leads to another file: such links are not followed" if kind != h5l.TYPE_SOFT else "links in a circle")
        data = self._h5.h5o.open(self._file, found[:-1])
        if not isinstance(data, self._h5.h5d.DatasetID):
            return None
        properties, h5d = data.get_create_plist(), self._h5.h5d
        if properties.get_layout() not in (h5d.CONTIGUOUS, h5d.COMPACT):
            self.refuse(path, "is chunked, compressed or virtual, which hloc's files are not: h5repack -l CONTI -f NONE OLD.h5 NEW.h5")
        if properties.get_layout() == h5d.CONTIGUOUS and properties.get_external_count() > 0:
            self.refuse(path, "its numbers lie in another file, which is not read")
        return data

    def _read(self, path: str, dtype: Any) -> NDArray[Any] | None:
        h5s, h5t = self._h5.h5s, self._h5.h5t
        with self._guarded(path):
            data = self._data_set(path)
            if data is None:
                return None
            stored, space, has_floats = data.get_type(), data.get_space(), dtype is np.float32
            if stored.get_class() not in (h5t.INTEGER, h5t.FLOAT if has_floats else h5t.INTEGER) or stored.get_size() > 8:
                self.refuse(path, f"is no array of {'numbers' if has_floats else 'whole numbers'} of at most 8 bytes")
            if space.get_simple_extent_type() == h5s.NULL:
                self.refuse(path, "has no numbers")
            shape = space.get_simple_extent_dims()
            if len(shape) > 2:
                self.refuse(path, f"has {len(shape)} dimensions, must have 1 or 2")
            count = math.prod(shape)
            if max(shape, default=1) > MOST_VALUES or count > MOST_VALUES:
                self.refuse(path, f"{' x '.join(map(str, shape))} numbers, more than the {MOST_VALUES} allowed")
            if count == 0:
                return np.zeros(shape, dtype)
            needed, holds = count * stored.get_size(), min(data.get_storage_size(), self._bytes)
            if needed > holds:
                self.refuse(path, f"takes {needed} bytes, more than the {holds} that can be in the file")
            values: NDArray[Any] = np.empty(shape, stored.dtype)
            data.read(h5s.ALL, h5s.ALL, values)
            with np.errstate(all="ignore"):  # a number beyond float32 becomes infinite
                return values.astype(dtype, copy=False)
