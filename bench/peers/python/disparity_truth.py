"""Rectified pairs with known disparities, and the score of a disparity map.

Scored are pixels with known truth that both cameras see: by the set's own mask, or if the truths of both views agree within 1 px; all known pixels if
the set has neither (fountain23, aloe). Disparities: x_left - x_right in px, NaN if unknown.
"""

import pathlib
from dataclasses import dataclass

import numpy as np

import oxford


@dataclass
class Scene:
    name: str
    left: np.ndarray
    right: np.ndarray
    truth: np.ndarray  # NaN for pixels that are not scored
    disparities: int  # searched range, 0 to this, a multiple of 16
    held_out: bool  # no default of stereo matching was chosen on it


def _middlebury3(name, folder=None, right="im1.png"):
    return name, f"middlebury_2014_q/{folder or name}", "im0.png", right, "disp0GT.pfm", 1, 80, {"mask": "mask0nocc.png"}


# name, folder, left, right, truth, its scale, disparities, source of the pixels seen by both cameras
SCENES = [
    ("tsukuba", "middlebury_2001/tsukuba", "imL.png", "imR.png", "truedisp.pgm", 16, 16, {"mask": "nonocc.png"}),
    ("venus", "middlebury_2001/venus", "im2.ppm", "im6.ppm", "disp2.pgm", 8, 32, {"right": "disp6.pgm"}),
    ("cones", "middlebury_2003/cones", "im2.png", "im6.png", "disp2.png", 4, 64, {"right": "disp6.png"}),
    ("teddy", "middlebury_2003/teddy", "im2.png", "im6.png", "disp2.png", 4, 64, {"right": "disp6.png"}),
    _middlebury3("Motorcycle"),
    _middlebury3("Adirondack"),
    _middlebury3("Piano"),
    _middlebury3("Playtable"),
    _middlebury3("MotorcycleE", "Motorcycle", "../MotorcycleE/im1.png"),
    ("fountain23", "fountain23_rectified", "fountain23-imL.png", "fountain23-imR.png", "fountain23-truedispL.png", 1, 128, {}),
    ("aloe", "opencv_samples", "aloeL.jpg", "aloeR.jpg", "aloeGT.png", 1, 224, {}),
]
HELD_OUT = {"fountain23", "aloe"}


def read_pfm(file):
    kind, size, scale, rest = pathlib.Path(file).read_bytes().split(b"\n", 3)
    if kind.strip() != b"Pf":
        raise ValueError(f"{file}: not a PFM of one channel")
    width, height = map(int, size.split())
    values = np.frombuffer(rest, "<f4" if float(scale) < 0 else ">f4", width * height)
    return np.flipud(values.reshape(height, width)).astype(np.float64)


def _picture(file):
    import bifocal

    picture = bifocal.read_image(str(file))
    return picture if picture.ndim == 2 else picture[..., 0]


def read_truth(file, scale):
    """Reads a map in px, NaN if unknown: infinite in a PFM, 0 in an image."""
    if file.suffix == ".pfm":
        truth = read_pfm(file)
        return np.where(np.isfinite(truth), truth, np.nan)
    stored = _picture(file).astype(np.float64)
    return np.where(stored > 0, stored / scale, np.nan)


def seen_by_both(truth, right):
    """Returns whether the truth of the right view, at the place given by the left view, differs by at most 1 px."""
    y, x = np.mgrid[: truth.shape[0], : truth.shape[1]]
    known = np.isfinite(truth)
    matched_x = np.where(known, np.rint(x - np.where(known, truth, 0)), -1).astype(int)
    inside = (matched_x >= 0) & (matched_x < truth.shape[1])
    other = np.where(inside, right[y, np.clip(matched_x, 0, truth.shape[1] - 1)], np.nan)
    return inside & (np.abs(other - truth) <= 1)


def read(folder):
    scenes = []
    for name, place, left, right, truth, scale, disparities, seen in SCENES:
        home = folder / place
        if not (home / truth).exists() or not (home / right).exists():
            continue
        known = read_truth(home / truth, scale)
        if "mask" in seen:
            known = np.where(_picture(home / seen["mask"]) == 255, known, np.nan)
        if "right" in seen:
            known = np.where(seen_by_both(known, read_truth(home / seen["right"], scale)), known, np.nan)
        scenes.append(Scene(name, oxford.grey(home / left), oxford.grey(home / right), known, disparities, name in HELD_OUT))
    return scenes


def filled(disparity):
    """Fills unknown pixels with the smaller of the nearest known values left and right in their row, as KITTI's benchmark does; empty rows get the
    row above."""
    known = np.isfinite(disparity)
    height, width = disparity.shape
    columns = np.arange(width)
    before = np.maximum.accumulate(np.where(known, columns, -1), axis=1)
    after = np.minimum.accumulate(np.where(known, columns, width)[:, ::-1], axis=1)[:, ::-1]
    rows = np.arange(height)[:, None]
    left = np.where(before >= 0, disparity[rows, np.maximum(before, 0)], np.inf)
    right = np.where(after < width, disparity[rows, np.minimum(after, width - 1)], np.inf)
    out = np.where(known, disparity, np.minimum(left, right))
    for y in range(height):
        if not np.isfinite(out[y, 0]):
            out[y] = out[y - 1] if y and np.isfinite(out[y - 1, 0]) else 0.0
    return out


def score(disparity, truth):
    """Returns per cent of the scored pixels: known pixels, and among them the pixels with an error above 1 and 2 px, with their mean error in px;
    `bad2_all` counts unknown pixels as bad."""
    judged = np.isfinite(truth)
    has = judged & np.isfinite(disparity)
    error = np.abs(disparity[has] - truth[has])
    all_of, known = int(judged.sum()), max(1, len(error))
    return {
        "density": 100 * len(error) / all_of,
        "bad1": 100 * int((error > 1).sum()) / known,
        "bad2": 100 * int((error > 2).sum()) / known,
        "avgerr": float(error.mean()) if len(error) else float("nan"),
        "bad2_all": 100 * (int((error > 2).sum()) + all_of - len(error)) / all_of,
    }
