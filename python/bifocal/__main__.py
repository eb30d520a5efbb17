"""Program ``bifocal`` of the wheel: ``bifocal COMMAND ...`` or ``python -m bifocal COMMAND ...``."""

import sys

from . import _core


def main() -> int:
    """Runs the command line in `sys.argv` and returns its exit code."""
    return _core.run_program(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
