"""Names of the minimal solvers and of the kinds of models, in the order of the C++ enumerations.

scripts/python-options writes this file from include/bifocal/solvers.def and problems.def.
"""

from __future__ import annotations

from typing import Literal

__all__ = ["MinimalSolver", "ModelKind"]

MinimalSolver = Literal[
    "homography_4pt",
    "fundamental_7pt",
    "fundamental_8pt",
    "essential_5pt",
    "p3p",
    "essential_5pt_action",
    "homography_svd",
    "essential_upright_3pt",
    "relative_pose_6pt_shared_focal",
    "fundamental_9pt_shared_radial",
    "p35p_focal",
    "relative_pose_3pt_monodepth_shared_focal",
]

ModelKind = Literal[
    "homography",
    "fundamental",
    "essential",
    "absolute_pose",
    "similarity",
    "affine",
    "upright_essential",
    "shared_focal",
    "radial_fundamental",
    "camera_pose_focal",
    "monodepth_shared_focal",
]
