"""Robust estimators of Bifocal and its peers behind one interface.

Each function makes, for a problem and a Setting (None: the project's own defaults), f(x1, x2) -> (model, R, t, inliers) or None without a model, and
the settings in effect, for the record. All estimators run on one thread, in each project's own Python call.
"""

from __future__ import annotations

import importlib.metadata
import inspect
from dataclasses import dataclass

import numpy as np

from synthetic_pairs import CX, CY, HEIGHT, K, WIDTH, F

ONE_IMAGE = float(np.sqrt(2))
NOTHING = np.eye(3), np.zeros(3)
PACKAGES = {"PoseLib": "poselib", "pycolmap": "pycolmap", "fastpose": "fastpose", "kornia": "kornia"}


@dataclass(frozen=True)
class Setting:
    """`least` and `most` bound the number of samples; OpenCV and kornia have no smallest number. `px` is the largest Sampson distance of an inlier. If a threshold is a distance in one image (OpenCV's F and H, the H of PoseLib, pycolmap and
    kornia) it is sqrt(2) times as much, which is equivalent for images of one scale."""

    px: float = 2.5
    confidence: float = 0.999
    least: int = 100
    most: int = 100000

    def one_image(self):
        return self.px * ONE_IMAGE


def stated(threshold, of, confidence, most, least=None):
    """Returns the settings for a record: the threshold in px and its kind of distance. `least` is None for projects without a smallest number of samples."""
    said = {"threshold_px": round(float(threshold), 3), "threshold_of": of, "confidence": float(confidence), "max_samples": most}
    return said if least is None else said | {"min_samples": int(least)}


def bifocal(problem, setting):
    import bifocal

    options = bifocal.RobustOptions()
    if setting is not None:
        options = bifocal.RobustOptions(
            threshold=setting.px, confidence=setting.confidence, min_iterations=setting.least, max_iterations=setting.most
        )
    cameras = {"camera1": K} if problem == "essential" else {}

    def run(x1, x2):
        found = bifocal.estimate(problem, x1, x2, options=options, **cameras)
        if not found.ok:
            return None
        return (found.model, *((found.R, found.t) if problem == "essential" else NOTHING), found.inliers)

    return run, stated(options.threshold, "Sampson", options.confidence, options.max_iterations, options.min_iterations)


def poselib(problem, setting):
    import poselib

    camera = {"model": "PINHOLE", "width": int(WIDTH), "height": int(HEIGHT), "params": [F, F, CX, CY]}
    plane = problem == "homography"
    # Its defaults (PoseLib 2.0: RansacOptions in robust/types.h).
    options, said = {}, (12.0 if plane else 1.0, 0.9999, 100000, 1000)
    if setting is not None:
        threshold = setting.one_image() if plane else setting.px
        options = {"max_epipolar_error": setting.px, "max_reproj_error": setting.one_image()}
        options |= {"success_prob": setting.confidence, "min_iterations": setting.least, "max_iterations": setting.most}
        said = threshold, setting.confidence, setting.most, setting.least

    def run(x1, x2):
        if problem == "essential":
            pose, info = poselib.estimate_relative_pose(x1, x2, camera, camera, options, {})
            return np.eye(3), np.array(pose.R), np.array(pose.t), np.array(info["inliers"])
        call = poselib.estimate_homography if plane else poselib.estimate_fundamental
        model, info = call(x1, x2, options, {})
        return np.array(model), *NOTHING, np.array(info["inliers"])

    return run, stated(said[0], "one image" if plane else "Sampson", *said[1:])


def pycolmap(problem, setting):
    import pycolmap

    camera = pycolmap.Camera(model="PINHOLE", width=int(WIDTH), height=int(HEIGHT), params=[F, F, CX, CY])
    options = pycolmap.RANSACOptions()
    options.random_seed = 0
    options.num_threads = 1
    plane = problem == "homography"
    if setting is not None:
        options.threshold = setting.one_image() if plane else setting.px
        options.confidence, options.min_num_trials, options.max_num_trials = setting.confidence, setting.least, setting.most

    def run(x1, x2):
        if problem == "essential":
            found = pycolmap.estimate_essential_matrix(x1, x2, camera, camera, options)
            if found is None:
                return None
            pose = found["cam2_from_cam1"]
            return found["E"], pose.rotation.matrix(), pose.translation, found["inlier_mask"]
        call = pycolmap.estimate_homography_matrix if plane else pycolmap.estimate_fundamental_matrix
        found = call(x1, x2, options)
        return found and (found["H" if plane else "F"], *NOTHING, found["inlier_mask"])

    return run, stated(options.threshold, "one image" if plane else "Sampson", options.confidence, options.max_num_trials, options.min_num_trials)


# Defaults (threshold, confidence, samples) of OpenCV's functions: the signatures of its manual.
OPENCV_DEFAULTS = {"essential": (1.0, 0.999, 1000), "fundamental": (3.0, 0.99, 1000), "homography": (3.0, 0.995, 2000)}


def opencv(method_name):
    def estimator(problem, setting):
        import cv2

        cv2.setNumThreads(1)
        method = getattr(cv2, method_name)
        of = "Sampson" if problem == "essential" else "one image"
        said = OPENCV_DEFAULTS[problem]
        if setting is not None:
            said = setting.px if problem == "essential" else setting.one_image(), setting.confidence, setting.most

        def run(x1, x2):
            if problem == "essential":
                more = {} if setting is None else dict(zip(("threshold", "prob", "maxIters"), said))
                E, mask = cv2.findEssentialMat(x1, x2, K, method=method, **more)
                if E is None or E.shape != (3, 3):
                    return None
                _, R, t, _ = cv2.recoverPose(E, x1, x2, K, mask=mask.copy())
                return E, R, t[:, 0], mask[:, 0] > 0
            if problem == "fundamental":
                # The keyword form takes no maxIters without all arguments before it.
                model, mask = cv2.findFundamentalMat(x1, x2, method, *(() if setting is None else said))
            else:
                more = {} if setting is None else dict(zip(("ransacReprojThreshold", "confidence", "maxIters"), said))
                model, mask = cv2.findHomography(x1, x2, method, **more)
            return None if model is None else (model, *NOTHING, mask[:, 0] > 0)

        return run, stated(said[0], of, *said[1:])

    return estimator


def fastpose(problem, setting, device="cpu"):
    """Runs by numba on one thread, or on a GPU. Its default always draws 1,000 samples, which corresponds to a confidence of 1."""
    from fastpose import estimators

    plane = problem == "homography"
    calls = {"essential": "estimate_relative_pose", "fundamental": "estimate_fundamental", "homography": "estimate_homography"}
    call = getattr(estimators, calls[problem])
    more = {"camera1": K, "camera2": K, "threshold": 1.0} if problem == "essential" else {}  # its default is meant for normalized points
    defaults = inspect.signature(call).parameters
    said = more.get("threshold", defaults["threshold"].default), 1.0, defaults["iterations"].default, defaults["min_iterations"].default
    if setting is not None:
        said = setting.one_image() if plane else setting.px, setting.confidence, setting.most, setting.least
        more |= dict(zip(("threshold", "success_prob", "iterations", "min_iterations"), said))

    def run(x1, x2):
        model, info = call(x1, x2, device=device, **more)
        if info["num_inliers"] == 0:
            return None
        inliers = np.asarray(info["inliers"], bool)
        if problem == "essential":
            return np.eye(3), model["R"], model["t"], inliers
        return model["H" if plane else "F"], *NOTHING, inliers

    return run, stated(said[0], "one image" if plane else "Sampson", *said[1:])


def kornia(problem, setting, device="cpu"):
    """Runs by torch, on the CPU with one thread. Its batch stays `auto`; its 10 batches of samples become the number required by the confidence."""
    import torch
    from kornia.geometry import epipolar
    from kornia.geometry.ransac import RANSAC

    torch.set_num_threads(1)
    more = {}
    unit = 1 / F if problem == "essential" else 1.0
    plane = problem == "homography"
    if setting is not None:
        limit = setting.one_image() if plane else setting.px * unit
        more = {"inl_th": limit, "confidence": setting.confidence, "max_samples": setting.most}
    elif problem == "essential":
        more = {"inl_th": 2.0 * unit}  # its default is meant in px
    ransac = RANSAC(model_type=problem, seed=0, **more)
    matrix = torch.from_numpy(K)[None].to(device)

    def run(x1, x2):
        with torch.no_grad():
            x1, x2 = (torch.from_numpy(np.asarray(x)).to(device) for x in (x1, x2))
            centre = torch.tensor((CX, CY) if problem == "essential" else (0.0, 0.0), dtype=x1.dtype, device=device)
            a, b = ((x - centre) * unit for x in (x1, x2))
            model, inliers = ransac(a, b)
            if int(inliers.sum()) == 0:
                return None
            if problem != "essential":
                return model.cpu().numpy(), *NOTHING, inliers.cpu().numpy()
            R, t, *_ = epipolar.motion_from_essential_choose_solution(
                model[None], matrix, matrix, x1[None], x2[None], inliers[None]
            )
            return tuple(found.cpu().numpy() for found in (model, R[0], t[0, :, 0], inliers))

    # By default it draws `max_iter` batches, whose size it chooses.
    most = ransac.max_samples if ransac.max_samples is not None else f"{ransac.max_iter} batches"
    return run, stated(ransac.inl_th / unit, "one image" if plane else "Sampson", ransac.confidence, most)


ALL = {
    "Bifocal": bifocal,
    "PoseLib": poselib,
    "pycolmap": pycolmap,
    "OpenCV RANSAC": opencv("RANSAC"),
    "OpenCV USAC_MAGSAC": opencv("USAC_MAGSAC"),
    "fastpose": fastpose,
    "kornia": kornia,
}


def version(name):
    """Returns the version of the project whose name is the first word."""
    project = name.split()[0]
    if project == "Bifocal":  # may be on PYTHONPATH
        import bifocal

        return bifocal.__version__
    if project == "OpenCV":  # has packages of several names
        import cv2

        return cv2.__version__
    if project == "NumPy":
        return np.__version__
    if project == "torch":
        import torch

        return torch.__version__
    return importlib.metadata.version(PACKAGES[project])


def installed(names):
    """Returns the names whose project can be imported, and the missing names with the reason."""
    present, missing = [], {}
    for name in names:
        try:
            version(name)
            present.append(name)
        except Exception as error:
            missing[name] = str(error)
    return present, missing
