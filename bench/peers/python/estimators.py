"""Bifocal and its peers behind one face: f(x1, x2) -> (model, R, t, inliers), or None without a model.

`px` is the Sampson distance that a right match may have, or None for each project's own default. Projects whose threshold is a distance in one
image (OpenCV's F and H, PoseLib's H, pycolmap's H) get sqrt(2) times as much, which is the same between images of one scale. `matched` also
means a confidence of 0.999 and at most 100,000 samples for all. Everything runs on one thread, and in each project's own Python call.
"""

import importlib.metadata

import numpy as np

from scenes import CX, CY, HEIGHT, K, WIDTH, F

ONE_IMAGE = float(np.sqrt(2))
CONFIDENCE, MOST_SAMPLES = 0.999, 100000
NOTHING = np.eye(3), np.zeros(3)
PACKAGES = {"PoseLib": "poselib", "pycolmap": "pycolmap", "OpenCV": "opencv-python-headless", "kornia": "kornia"}


def bifocal(problem, px):
    import bifocal

    options = bifocal.RobustOptions() if px is None else bifocal.RobustOptions(threshold=px, confidence=CONFIDENCE, max_iterations=MOST_SAMPLES)
    cameras = {"camera1": K} if problem == "essential" else {}

    def run(x1, x2):
        found = bifocal.estimate(problem, x1, x2, options=options, **cameras)
        if not found.ok:
            return None
        return (found.model, *((found.R, found.t) if problem == "essential" else NOTHING), found.inliers)

    return run


def poselib(problem, px):
    import poselib

    camera = {"model": "PINHOLE", "width": int(WIDTH), "height": int(HEIGHT), "params": [F, F, CX, CY]}
    options = {}
    if px is not None:
        options = {"max_epipolar_error": px, "max_reproj_error": px * ONE_IMAGE, "success_prob": CONFIDENCE, "max_iterations": MOST_SAMPLES}

    def run(x1, x2):
        if problem == "essential":
            pose, info = poselib.estimate_relative_pose(x1, x2, camera, camera, options, {})
            return np.eye(3), np.array(pose.R), np.array(pose.t), np.array(info["inliers"])
        call = poselib.estimate_fundamental if problem == "fundamental" else poselib.estimate_homography
        model, info = call(x1, x2, options, {})
        return np.array(model), *NOTHING, np.array(info["inliers"])

    return run


def pycolmap(problem, px):
    import pycolmap

    camera = pycolmap.Camera(model="PINHOLE", width=int(WIDTH), height=int(HEIGHT), params=[F, F, CX, CY])
    options = pycolmap.RANSACOptions()
    options.random_seed = 0
    if px is not None:
        options.max_error = px * ONE_IMAGE if problem == "homography" else px
        options.confidence, options.max_num_trials = CONFIDENCE, MOST_SAMPLES

    def run(x1, x2):
        if problem == "essential":
            found = pycolmap.estimate_essential_matrix(x1, x2, camera, camera, options)
            if found is None:
                return None
            pose = found["cam2_from_cam1"]
            return found["E"], pose.rotation.matrix(), pose.translation, found["inlier_mask"]
        call = pycolmap.estimate_fundamental_matrix if problem == "fundamental" else pycolmap.estimate_homography_matrix
        found = call(x1, x2, options)
        return found and (found["F" if problem == "fundamental" else "H"], *NOTHING, found["inlier_mask"])

    return run


def opencv(method_name):
    def estimator(problem, px):
        import cv2

        cv2.setNumThreads(1)
        method = getattr(cv2, method_name)
        if px is None:
            more = {"essential": {}, "fundamental": {}, "homography": {}}[problem]
        elif problem == "essential":
            more = {"prob": CONFIDENCE, "threshold": px, "maxIters": MOST_SAMPLES}
        else:
            more = {"ransacReprojThreshold": px * ONE_IMAGE, "confidence": CONFIDENCE, "maxIters": MOST_SAMPLES}

        def run(x1, x2):
            if problem == "essential":
                E, mask = cv2.findEssentialMat(x1, x2, K, method=method, **more)
                if E is None or E.shape != (3, 3):
                    return None
                _, R, t, _ = cv2.recoverPose(E, x1, x2, K, mask=mask.copy())
                return E, R, t[:, 0], mask[:, 0] > 0
            if problem == "fundamental":
                # Its keyword form takes no maxIters without every argument before it.
                given = (method, *(more[k] for k in ("ransacReprojThreshold", "confidence", "maxIters"))) if more else (method,)
                model, mask = cv2.findFundamentalMat(x1, x2, *given)
            else:
                model, mask = cv2.findHomography(x1, x2, method, **more)
            return None if model is None else (model, *NOTHING, mask[:, 0] > 0)

        return run

    return estimator


def kornia(problem, px):
    """On the CPU by torch, one thread. Its batch stays `auto` and its 10 batches of samples become as many as the confidence asks for."""
    import torch
    from kornia.geometry import epipolar
    from kornia.geometry.ransac import RANSAC

    torch.set_num_threads(1)
    more = {}
    unit = 1 / F if problem == "essential" else 1.0
    if px is not None:
        limit = px * ONE_IMAGE if problem == "homography" else px * unit
        more = {"inl_th": limit, "confidence": CONFIDENCE, "max_samples": MOST_SAMPLES}
    elif problem == "essential":
        more = {"inl_th": 2.0 * unit}  # its default is meant in px
    ransac = RANSAC(model_type=problem, seed=0, **more)
    matrix = torch.from_numpy(K)[None]

    def run(x1, x2):
        with torch.no_grad():
            a, b = (torch.from_numpy((np.asarray(x) - ((CX, CY) if problem == "essential" else (0, 0))) * unit) for x in (x1, x2))
            model, inliers = ransac(a, b)
            if int(inliers.sum()) == 0:
                return None
            if problem != "essential":
                return model.numpy(), *NOTHING, inliers.numpy()
            R, t, *_ = epipolar.motion_from_essential_choose_solution(
                model[None], matrix, matrix, torch.from_numpy(x1)[None], torch.from_numpy(x2)[None], inliers[None]
            )
            return model.numpy(), R[0].numpy(), t[0, :, 0].numpy(), inliers.numpy()

    return run


ALL = {
    "Bifocal": bifocal,
    "PoseLib": poselib,
    "pycolmap": pycolmap,
    "OpenCV RANSAC": opencv("RANSAC"),
    "OpenCV USAC_MAGSAC": opencv("USAC_MAGSAC"),
    "kornia": kornia,
}


def version(name):
    if name == "Bifocal":  # may come by PYTHONPATH
        import bifocal

        return bifocal.__version__
    return importlib.metadata.version(PACKAGES[name.split()[0]])
