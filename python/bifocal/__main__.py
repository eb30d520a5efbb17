"""Program ``bifocal`` of the wheel: ``bifocal COMMAND ...`` or ``python -m bifocal COMMAND ...``."""

import sys

from . import _core


def main() -> int:
    """Runs the command line in `sys.argv` and returns its exit code. HDF5 files are read by h5py if it is installed."""
    try:
        from ._hdf5 import File

        _core.read_hdf5_by(File)
    except ImportError:
        pass  # the library then uses its own reader or reports that it has none
    return _core.run_program(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
