# Usual jobs with kornia. bench/peers/lines-of-code counts and runs them.

# --- homography of two photographs
import kornia.feature as KF
from kornia.geometry import RANSAC
from kornia.io import ImageLoadType, load_image

image1 = load_image("plane1.png", ImageLoadType.GRAY32)[None]
image2 = load_image("plane2.png", ImageLoadType.GRAY32)[None]
sift = KF.SIFTFeature(4000)
frames1, _, descriptors1 = sift(image1)
frames2, _, descriptors2 = sift(image2)
_, pairs = KF.match_smnn(descriptors1[0], descriptors2[0], 0.9)
x1 = KF.get_laf_center(frames1)[0, pairs[:, 0]]
x2 = KF.get_laf_center(frames2)[0, pairs[:, 1]]
H, inliers = RANSAC("homography", inl_th=3.0)(x1, x2)

# --- fundamental matrix of two photographs
import kornia.feature as KF
from kornia.geometry import RANSAC
from kornia.io import ImageLoadType, load_image

image1 = load_image("left.jpg", ImageLoadType.GRAY32)[None]
image2 = load_image("right.jpg", ImageLoadType.GRAY32)[None]
sift = KF.SIFTFeature(4000)
frames1, _, descriptors1 = sift(image1)
frames2, _, descriptors2 = sift(image2)
_, pairs = KF.match_smnn(descriptors1[0], descriptors2[0], 0.9)
x1 = KF.get_laf_center(frames1)[0, pairs[:, 0]]
x2 = KF.get_laf_center(frames2)[0, pairs[:, 1]]
F, inliers = RANSAC("fundamental", inl_th=1.0)(x1, x2)

# --- pose of two photographs
import kornia.feature as KF
import torch
from kornia.geometry import RANSAC, epipolar
from kornia.io import ImageLoadType, load_image

image1 = load_image("left.jpg", ImageLoadType.GRAY32)[None]
image2 = load_image("right.jpg", ImageLoadType.GRAY32)[None]
sift = KF.SIFTFeature(4000)
frames1, _, descriptors1 = sift(image1)
frames2, _, descriptors2 = sift(image2)
_, pairs = KF.match_smnn(descriptors1[0], descriptors2[0], 0.9)
x1 = KF.get_laf_center(frames1)[0, pairs[:, 0]]
x2 = KF.get_laf_center(frames2)[0, pairs[:, 1]]
F, inliers = RANSAC("fundamental", inl_th=1.0)(x1, x2)
k = torch.as_tensor(K, dtype=x1.dtype)
E = epipolar.essential_from_fundamental(F, k, k)
R, t, X, count = epipolar.motion_from_essential_choose_solution(E, k, k, x1, x2, inliers)

# --- pose from matches
import torch
from kornia.geometry import RANSAC, epipolar

k, y1, y2 = (torch.as_tensor(a) for a in (K, x1, x2))
F, inliers = RANSAC("fundamental", inl_th=1.0)(y1, y2)
E = epipolar.essential_from_fundamental(F, k, k)
R, t, X, count = epipolar.motion_from_essential_choose_solution(E, k, k, y1, y2, inliers)

# --- 1,000 pairs in a batch
import torch
from kornia.geometry import RANSAC

ransac = RANSAC("fundamental", inl_th=1.0)
found = [ransac(m[:, :2], m[:, 2:]) for m in map(torch.as_tensor, matches)]
models, inliers = zip(*found)
