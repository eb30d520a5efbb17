# Usual jobs with pycolmap. bench/peers/lines-of-code counts and runs them.

# --- homography of two photographs
import pycolmap

names = ["plane1.png", "plane2.png"]
pycolmap.extract_features("pair.db", ".", names)
pycolmap.match_exhaustive("pair.db")
database = pycolmap.Database.open("pair.db")
id1, id2 = (database.read_image_with_name(name).image_id for name in names)
matches = database.read_matches(id1, id2)
x1 = database.read_keypoints(id1)[matches[:, 0], :2]
x2 = database.read_keypoints(id2)[matches[:, 1], :2]
H = pycolmap.estimate_homography_matrix(x1, x2)["H"]

# --- fundamental matrix of two photographs
import pycolmap

names = ["left.jpg", "right.jpg"]
pycolmap.extract_features("pair.db", ".", names)
pycolmap.match_exhaustive("pair.db")
database = pycolmap.Database.open("pair.db")
id1, id2 = (database.read_image_with_name(name).image_id for name in names)
matches = database.read_matches(id1, id2)
x1 = database.read_keypoints(id1)[matches[:, 0], :2]
x2 = database.read_keypoints(id2)[matches[:, 1], :2]
F = pycolmap.estimate_fundamental_matrix(x1, x2)["F"]

# --- pose of two photographs
import pycolmap

params = ",".join(map(str, (K[0, 0], K[1, 1], K[0, 2], K[1, 2])))
reader = pycolmap.ImageReaderOptions(camera_model="PINHOLE", camera_params=params)
names = ["left.jpg", "right.jpg"]
pycolmap.extract_features("pair.db", ".", names, pycolmap.CameraMode.SINGLE, reader)
options = pycolmap.TwoViewGeometryOptions(compute_relative_pose=True)
pycolmap.match_exhaustive("pair.db", verification_options=options)
database = pycolmap.Database.open("pair.db")
id1, id2 = (database.read_image_with_name(name).image_id for name in names)
pair = database.read_two_view_geometry(id1, id2)
R, t = pair.cam2_from_cam1.rotation.matrix(), pair.cam2_from_cam1.translation

# --- pose from matches
import pycolmap

camera = pycolmap.Camera(model="PINHOLE", width=width, height=height, params=(K[0, 0], K[1, 1], K[0, 2], K[1, 2]))
found = pycolmap.estimate_essential_matrix(x1, x2, camera, camera)
R, t = found["cam2_from_cam1"].rotation.matrix(), found["cam2_from_cam1"].translation
inliers = found["inlier_mask"]

# --- folder to database
import pycolmap

pycolmap.extract_features("photographs.db", "photographs")
pycolmap.match_exhaustive("photographs.db")

# --- database to model
import os
import pycolmap

os.makedirs("sparse", exist_ok=True)
pycolmap.incremental_mapping("photographs.db", "photographs", "sparse")

# --- bundle adjustment of a model
import os
import pycolmap

model = pycolmap.Reconstruction("sparse/0")
pycolmap.bundle_adjustment(model)
os.makedirs("adjusted", exist_ok=True)
model.write("adjusted")

# --- 1,000 pairs in a batch
import pycolmap

found = [pycolmap.estimate_fundamental_matrix(m[:, :2], m[:, 2:]) for m in matches]
models = [pair["F"] for pair in found]
inliers = [pair["inlier_mask"] for pair in found]

# --- dense cloud of a model (needs CUDA)
import pycolmap

pycolmap.undistort_images("dense", "sparse/0", "photographs")
pycolmap.patch_match_stereo("dense")
pycolmap.stereo_fusion("dense/fused.ply", "dense", output_type="PLY")
