# Usual jobs with Bifocal. bench/peers/lines-of-code counts and runs them.

# --- homography of two photographs
import bifocal

pair = bifocal.estimate_pair("plane1.png", "plane2.png", options=bifocal.PairOptions(kind="homography", dense=False))
H = pair.model

# --- fundamental matrix of two photographs
import bifocal

pair = bifocal.estimate_pair("left.jpg", "right.jpg", options=bifocal.PairOptions(kind="fundamental", dense=False))
F = pair.model

# --- pose of two photographs
import bifocal

pair = bifocal.estimate_pair("left.jpg", "right.jpg", K, options=bifocal.PairOptions(dense=False))
R, t = pair.R, pair.t

# --- pose from matches
import bifocal

pose = bifocal.estimate_relative_pose(x1, x2, K)
R, t, inliers = pose.R, pose.t, pose.inliers

# --- rectified pair and disparity
import bifocal

pair = bifocal.estimate_pair("left.jpg", "right.jpg", K)
disparity = pair.disparity

# --- folder to database
import bifocal

bifocal.collect("photographs", "photographs.db")

# --- database to model
import bifocal

bifocal.map_database("photographs.db", "sparse", "photographs")

# --- bundle adjustment of a model
from bifocal import colmap

colmap.bundle_adjustment("sparse/0", "adjusted")

# --- 1,000 pairs in a batch
import bifocal
import numpy as np

offsets = np.cumsum([0] + [len(m) for m in matches])
found = bifocal.estimate_batch("fundamental", np.concatenate(matches), offsets)
models, inliers = found.models, np.split(found.inliers, offsets[1:-1])

# --- dense cloud of a model
import bifocal

bifocal.dense("sparse/0", "photographs", "dense")
