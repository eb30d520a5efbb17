// SPDX-License-Identifier: BSD-3-Clause
// Reads poses, cameras, points and rows (arrays.h).

// The rows of a lane's slice.
#define for_rows(row, item) \
  for (index row = rows[(item) / SLICE]; row < rows[(item) / SLICE + 1]; ++row)
// A row's place in `other`, px and py.
#define row_at(row, item) ((row)*SLICE + (item) % SLICE)

// Pose of an image.
typedef struct pose_lane {
  real R[9], centre[3];
} pose_lane;

group_fn pose_lane pose_load(global_const scalar* poses, lane_int image) {
  pose_lane pose;
  lane_int at = image * lane_int_of(POSE_SIZE);
  lane_unroll for (index k = 0; k < 9; ++k) pose.R[k] = lane_gather(poses + k, at);
  lane_unroll for (index k = 0; k < 3; ++k) {
    pose.centre[k] = lane_gather(poses + POSE_CENTRE + k, at);
  }
  return pose;
}

group_fn camera_lane camera_load(global_const scalar* cameras, lane_int camera, index used) {
  camera_lane c;
  lane_int at = camera * lane_int_of(CAMERA_SIZE);
  c.fx = lane_gather(cameras + CAMERA_FX, at);
  c.fy = lane_gather(cameras + CAMERA_FY, at);
  c.cx = lane_gather(cameras + CAMERA_CX, at);
  c.cy = lane_gather(cameras + CAMERA_CY, at);
  c.kind = lane_gather(cameras + CAMERA_KIND, at);
  lane_unroll for (index k = 0; k < LENS_SIZE; ++k) {
    c.k[k] = lane(0);
    if ((used >> k & 1) != 0) c.k[k] = lane_gather(cameras + CAMERA_LENS + k, at);
  }
  return c;
}

group_fn void point_load(global_const scalar* points, lane_int point, real* X) {
  lane_int at = point * lane_int_of(POINT_SIZE);
  lane_unroll for (index k = 0; k < 3; ++k) X[k] = lane_gather(points + k, at);
}
