"""Every public function that computes numbers has a property; docs/develop/properties.md lists all properties."""

import pathlib
import types

import bifocal
import bifocal.cv
import bifocal.linalg
import bifocal.poselib
from registry import all_properties, table

# Functions of files, devices, whole images and names, which other tests cover.
OTHERS = {
    "bifocal": {
        "collect", "dense", "detect", "devices", "draw_epipolar_lines", "draw_matches", "estimate_pair", "intrinsics_from_exif", "list_photographs", "map_database", "match",
        "match_guided", "match_video", "missing_devices", "read_calibration", "read_correspondences", "read_image", "read_pair", "read_rectification", "report", "write_image",
    },
    "depth": {"read_disparity", "read_pfm", "turbo_picture", "write_pfm", "write_ply"},
    "pairs": {"read_pairs", "retrieval_pairs"},
    "solvers": {"problem_info"},
    "cv": {"BFMatcher", "drawKeypoints", "drawMatches", "fisheye", "SIFT_create", "StereoBM_create", "StereoSGBM_create"},
    "poselib": {"BundleOptions", "RansacOptions"},
}
DATA = {"cv": {"DMatch", "KeyPoint", "SIFT", "StereoBM", "StereoSGBM", "UsacParams"}, "poselib": {"CameraPose", "ImagePair"}}


MODULES = (bifocal, bifocal.solvers, bifocal.pairs, bifocal.doubts, bifocal.depth, bifocal.two_view, bifocal.linalg, bifocal.cv, bifocal.poselib)


def public_functions():
    seen = set()
    for module in MODULES:
        prefix = module.__name__.rpartition(".")[2]
        for name in module.__all__:
            thing = getattr(module, name)
            if isinstance(thing, types.FunctionType) and thing not in seen and name not in OTHERS.get(prefix, set()) | DATA.get(prefix, set()):
                seen.add(thing)
                yield f"{prefix}.{name}"


def test_every_function_has_a_property():
    covered = {name for p in all_properties() for name in p.functions}
    missing = sorted(set(public_functions()) - covered)
    assert not missing, f"no property of {', '.join(missing)}"
    for name in covered:
        prefix, function = name.split(".")
        assert hasattr(bifocal if prefix == "bifocal" else getattr(bifocal, prefix), function), f"{name} does not exist"


def test_the_manual_lists_every_property():
    page = pathlib.Path(__file__).resolve().parents[3] / "docs/develop/properties.md"
    assert table() in page.read_text(), "python python/tests/properties/registry.py prints the table of today"
