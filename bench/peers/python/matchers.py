"""Dense matchers of Bifocal and OpenCV behind one interface.

Each class makes, for a mode and a size, f(left, right) -> (disparities in the project's format, filled disparities or None), a function that converts
the former to px with NaN (not timed), and its settings. `matched`: equal filters, a cross-check of 1 px, uniqueness 5 per cent, regions under 100 px
removed, and for StereoSGBM the penalties that OpenCV's manual recommends; `default`: each project's defaults. In both modes OpenCV's matchers get
images padded on the left by the number of disparities, as its users do, because they leave as many columns of the left image unknown.
"""

from __future__ import annotations

import numpy as np

UNIQUENESS, SPECKLE_PX, SPECKLE_RANGE = 5, 100, 2


def _bifocal(options, said):
    def make(mode, shape, disparities):
        import bifocal

        given, settings = options(mode, disparities)
        matcher = bifocal.StereoMatcher(shape[1], shape[0], given)
        own = given.filter
        settings |= {"cross_check_px": own.cross_check, "uniqueness": own.uniqueness, "speckle_px": own.speckle_size, "median": own.median}
        settings |= {"fill": own.fill} | said
        return lambda left, right: matcher(left, right), lambda m: (np.asarray(m.raw, float), np.asarray(m.filled, float)), settings

    return make


def _sgm(paths):
    def options(mode, disparities):
        import bifocal

        filters = bifocal.DisparityFilter(cross_check=1.0, uniqueness=UNIQUENESS, speckle_size=SPECKLE_PX, speckle_range=SPECKLE_RANGE)
        given = bifocal.SgmOptions(disparities=disparities, paths=paths, **({"filter": filters} if mode == "matched" else {}))
        return given, {"cost": f"{given.census} census", "P1": given.P1, "P2": given.P2}

    return _bifocal(options, {"paths": paths})


def _ssd(mode, disparities):
    import bifocal

    filters = bifocal.DisparityFilter(cross_check=1.0, median=0, speckle_size=SPECKLE_PX, speckle_range=SPECKLE_RANGE)
    given = bifocal.SsdOptions(disparities=disparities, **({"filter": filters} if mode == "matched" else {}))
    return given, {"cost": "SSD", "window": given.window}


def _px(found):
    """Converts the sixteenths of StereoBM and StereoSGBM; values below 0 are unknown."""
    return np.where(found >= 0, found / 16.0, np.nan), None


def _padded(matcher, disparities):
    """Returns f(left, right) -> disparities of a matcher of OpenCV on images padded on the left, without the padding; and the setting."""
    import cv2

    def compute(left, right):
        left, right = (cv2.copyMakeBorder(image, 0, 0, disparities, 0, cv2.BORDER_REPLICATE) for image in (left, right))
        return matcher.compute(left, right)[:, disparities:]

    return compute, {"padding": "left"}


def _sgbm(name, paths):
    def make(mode, shape, disparities):
        import cv2

        cv2.setNumThreads(1)
        given = {"numDisparities": disparities, "mode": getattr(cv2, f"STEREO_SGBM_{name}")}
        if mode == "matched":
            block = 5
            given |= {"blockSize": block, "P1": 8 * block**2, "P2": 32 * block**2, "disp12MaxDiff": 1, "preFilterCap": 63}
            given |= {"uniquenessRatio": UNIQUENESS, "speckleWindowSize": SPECKLE_PX, "speckleRange": SPECKLE_RANGE}
        compute, padding = _padded(cv2.StereoSGBM_create(minDisparity=0, **given), disparities)
        settings = {"cost": "Birchfield and Tomasi's", "paths": paths, "fill": "none"} | padding
        return compute, _px, settings | {k: v for k, v in given.items() if k[0] not in "nm"}

    return make


def _bm(mode, shape, disparities):
    import cv2

    cv2.setNumThreads(1)
    matcher = cv2.StereoBM_create(numDisparities=disparities, blockSize=15 if mode == "matched" else 21)
    if mode == "matched":
        matcher.setDisp12MaxDiff(1)
        matcher.setUniquenessRatio(UNIQUENESS)
        matcher.setSpeckleWindowSize(SPECKLE_PX)
        matcher.setSpeckleRange(SPECKLE_RANGE)
    settings = {"cost": "SAD", "blockSize": matcher.getBlockSize(), "disp12MaxDiff": matcher.getDisp12MaxDiff(), "fill": "none"}
    compute, padding = _padded(matcher, disparities)
    return compute, _px, settings | padding | {"uniquenessRatio": matcher.getUniquenessRatio(), "speckleWindowSize": matcher.getSpeckleWindowSize()}


ALL = {
    "Bifocal SGM, 8 paths": _sgm(8),
    "Bifocal SGM, 4 paths": _sgm(4),
    "Bifocal SSD": _bifocal(_ssd, {}),
    "OpenCV SGBM, HH": _sgbm("MODE_HH", 8),
    "OpenCV SGBM": _sgbm("MODE_SGBM", 5),
    "OpenCV SGBM, HH4": _sgbm("MODE_HH4", 4),
    "OpenCV SGBM, 3WAY": _sgbm("MODE_SGBM_3WAY", 3),
    "OpenCV BM": _bm,
}
