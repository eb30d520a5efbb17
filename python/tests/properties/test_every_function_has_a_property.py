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
        "collect", "colmap", "dense", "detect", "devices", "draw_epipolar_lines", "draw_matches", "estimate_pair", "intrinsics_from_exif", "linalg", "list_photographs", "map_database",
        "match", "match_guided", "match_video", "missing_devices", "problem_info", "read_calibration", "read_correspondences", "read_disparity", "read_image", "read_pairs",
        "read_pfm", "read_rectification", "report", "retrieval_pairs", "threads", "turbo_picture", "write_image", "write_pfm", "write_ply",
    },
    "cv": {"BFMatcher", "drawKeypoints", "drawMatches", "fisheye", "SIFT_create", "StereoBM_create", "StereoSGBM_create"},
    "poselib": {"BundleOptions", "RansacOptions"},
    "linalg": set(),
}
DATA = {"cv": {"DMatch", "KeyPoint", "SIFT", "StereoBM", "StereoSGBM", "UsacParams"}, "poselib": {"CameraPose", "ImagePair"}}


def public_functions():
    for module in (bifocal, bifocal.linalg, bifocal.cv, bifocal.poselib):
        prefix = module.__name__.rpartition(".")[2]
        for name in module.__all__:
            if isinstance(getattr(module, name), types.FunctionType) and name not in OTHERS[prefix] | DATA.get(prefix, set()):
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
