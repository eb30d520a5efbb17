"""The tests here share scenes.py with those of the folder above."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
