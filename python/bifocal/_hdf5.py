"""Reads the HDF5 files of hloc by h5py, with the checks of src/collection/hloc/hdf5.cpp."""

from __future__ import annotations

import os
import threading
from typing import Any

import numpy as np

from . import _core

h5py: Any = None
try:
    import h5py  # type: ignore[import-untyped,import-not-found,no-redef,unused-ignore]
except ImportError:
    pass

MOST_VALUES = 2**26  # largest number of values in a data set
DEFLATED = 1032  # most bytes that one byte of deflate expands to
DEEPEST = 32  # deepest nesting of groups
BYTES_OF_LINK = 8  # least number of bytes that a link takes in the file


def open_file(name: str) -> File | None:
    """Opens an HDF5 file by h5py. The extension calls it for every file of the functions and commands that read hloc's files.

    Args:
        name: Name of the file.

    Returns:
        The open file; None if h5py is not installed and the extension has its own reader.

    Raises:
        OSError: If the file cannot be read, or h5py is not installed and the extension has no reader.
    """
    if h5py is not None:
        return File(name)
    if _core.reads_hdf5:
        return None
    raise OSError(f"{name}: HDF5 files need the Python package h5py: pip install h5py")


class File:
    """Open HDF5 file. All methods raise OSError with a message that names the file and the data set."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.lock = threading.Lock()
        if not os.path.exists(name):
            raise OSError(f"{name}: can't be read: there is no such file")
        if not os.path.isfile(name):
            raise OSError(f"{name}: is no regular file")
        self.bytes = os.path.getsize(name)
        try:
            self.file = h5py.File(name, "r")
        except OSError as error:
            raise OSError(f"{name}: is no HDF5 file, or damaged, or open for writing elsewhere") from error

    def close(self) -> None:
        """Closes the file."""
        self.file.close()

    def paths(self) -> list[str]:
        """Returns the path of every data set and group, without following links to other files."""
        found: list[str] = []
        most = self.bytes // BYTES_OF_LINK

        def visit(group: Any, prefix: str) -> None:
            for key in group:
                path = prefix + key
                if isinstance(group.get(key, getlink=True), h5py.ExternalLink):
                    self._refuse(path, "leads to another file: such links are not followed")
                if path.count("/") > DEEPEST or len(found) >= most:
                    self._refuse(path, "groups within themselves")
                found.append(path)
                if group.get(key, getclass=True) is h5py.Group:
                    visit(group[key], path + "/")

        with self.lock:
            self._guarded("", lambda: visit(self.file, ""))
        return found

    def floats(self, path: str) -> np.ndarray | None:
        """Returns a data set as float32; None if the path does not exist."""
        return self._read(path, "fiu", np.float32)

    def integers(self, path: str) -> np.ndarray | None:
        """Returns a data set as int64; None if the path does not exist."""
        return self._read(path, "iu", np.int64)

    def holds_bytes(self, path: str) -> bool:
        """Returns True if a data set of uint8 exists at the path."""
        with self.lock:
            data = self._data_set(path)
            return data is not None and data.dtype == np.uint8

    def _refuse(self, path: str, why: str) -> Any:
        raise OSError(f"{self.name}: {path}: {why}")

    def _guarded(self, path: str, work: Any) -> Any:
        try:
            return work()
        except OSError as error:
            if str(error).startswith(self.name):
                raise
            raise OSError(f"{self.name}: {path}: can't be read: the file is damaged") from error
        except (RuntimeError, KeyError, ValueError, TypeError) as error:
            raise OSError(f"{self.name}: {path}: can't be read: the file is damaged") from error

    def _data_set(self, path: str) -> Any:
        parts = path.split("/")
        for i in range(1, len(parts) + 1):
            part = "/".join(parts[:i])
            link = self._guarded(path, lambda part=part: self.file.get(part, getlink=True) if part in self.file else None)
            if isinstance(link, h5py.ExternalLink):
                self._refuse(path, "leads to another file: such links are not followed")
            if link is None:
                return None
        data = self._guarded(path, lambda: self.file[path])
        if not isinstance(data, h5py.Dataset):
            return None
        if data.is_virtual:
            self._refuse(path, "is a virtual data set, which refers to other data: it is not read")
        if data.external:
            self._refuse(path, "its numbers lie in another file, which is not read")
        return data

    def _read(self, path: str, kinds: str, dtype: Any) -> np.ndarray | None:
        with self.lock:
            data = self._data_set(path)
            if data is None:
                return None
            if data.dtype.kind not in kinds or data.dtype.itemsize > 8:
                self._refuse(path, f"is no array of {'numbers' if 'f' in kinds else 'whole numbers'} of at most 8 bytes")
            if data.shape is None or len(data.shape) > 2:
                self._refuse(path, f"has {-1 if data.shape is None else len(data.shape)} dimensions")
            count = int(np.prod(data.shape, dtype=object))
            if count > MOST_VALUES or any(side > MOST_VALUES for side in data.shape):
                self._refuse(path, f"{' x '.join(map(str, data.shape))} numbers, more than the {MOST_VALUES} allowed")
            if count == 0:
                return np.zeros(data.shape, dtype)
            self._check_stored(path, data, count)
            values: np.ndarray = self._guarded(path, lambda: np.ascontiguousarray(data[()], dtype=dtype))
            return values

    def _check_stored(self, path: str, data: Any, count: int) -> None:
        """Refuses a data set that claims more numbers than the bytes of the file can hold."""
        size = data.dtype.itemsize
        needed, holds = count * size, min(data.id.get_storage_size(), self.bytes)
        if data.chunks:
            filters = data.id.get_create_plist()
            harmless = (h5py.h5z.FILTER_SHUFFLE, h5py.h5z.FILTER_FLETCHER32)
            compressed = sum(filters.get_filter(i)[0] not in harmless for i in range(filters.get_nfilters()))
            if compressed > 1:
                self._refuse(path, f"is compressed {compressed} times over: it is not read")
            holds *= DEFLATED if compressed else 1
            needed = max(needed, int(np.prod(data.chunks, dtype=object)) * size)
        if needed > holds:
            self._refuse(path, f"takes {needed} bytes, more than the {holds} that can be in the file")
