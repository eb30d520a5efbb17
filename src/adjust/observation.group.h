// SPDX-License-Identifier: BSD-3-Clause
// An observation of every lane: its error, its cost and its block of derivatives.

// Error, cost and derivatives of an observation.
typedef struct observation_lane {
  real G[6];                      // derivative [2][3] of the px by the point
  real intrinsics[2 * FREE + 1];  // [2][FREE], by the adjusted parameters of the camera
  real offset[3];                 // point - centre
  real r[2];                      // error, px
  real cost, slope;               // slope: rho'
  mask is_there, is_seen;
} observation_lane;

// Losses and lenses of a problem, the same for all lanes (ADJUST_SCENE).
typedef struct scene_terms {
  index kinds, used, columns, loss;
  real inverse_scale2;
} scene_terms;

// Sets the error and the cost of an observation. image, J: intermediate results and the derivative
// of the px by the point in camera coordinates, for observation_linearise.
lane_fn void observation_error(const scene_terms* scene, const pose_lane* pose,
                               const camera_lane* camera, const real* X, const real* px,
                               observation_lane* o, lens_image* image, real* J) {
  real in_camera[3], rho[2];
  lane_unroll for (index k = 0; k < 3; ++k) o->offset[k] = X[k] - pose->centre[k];
  lane_unroll for (index k = 0; k < 3; ++k) {
    in_camera[k] = pose->R[3 * k] * o->offset[0] + pose->R[3 * k + 1] * o->offset[1] +
                   pose->R[3 * k + 2] * o->offset[2];
  }
  camera_project(camera, scene->kinds, scene->used, in_camera, image, J);
  o->r[0] = camera->fx * image->x + camera->cx - px[0];
  o->r[1] = camera->fy * image->y + camera->cy - px[1];
  loss_terms(scene->loss, (o->r[0] * o->r[0] + o->r[1] * o->r[1]) * scene->inverse_scale2, rho);
  o->cost = lane(0.5) * rho[0] / scene->inverse_scale2;
  o->slope = rho[1];
  // Rows past the end of a lane have NaN coordinates.
  o->is_there = px[0] == px[0];
  o->is_seen = image->is_seen;
}

// Sets the derivatives of an observation, weighted; slots [FREE]: COLUMN_... of the parameters.
lane_fn void observation_linearise(const scene_terms* scene, const pose_lane* pose,
                                   const camera_lane* camera, const real* slots,
                                   const lens_image* image, const real* J, observation_lane* o) {
  mask counts = o->is_there & o->is_seen;
  lane_unroll for (index k = 0; k < 3; ++k) {
    o->G[k] = J[0] * pose->R[k] + J[1] * pose->R[3 + k] + J[2] * pose->R[6 + k];
    o->G[3 + k] = J[3] * pose->R[k] + J[4] * pose->R[3 + k] + J[5] * pose->R[6 + k];
  }
  lane_unroll for (index k = 0; k < 2 * FREE; ++k) o->intrinsics[k] = lane(0);
  for (index column = 0; column < COLUMN_NONE; ++column) {
    if ((scene->columns >> column & 1) == 0) continue;
    real by_parameter[2];
    camera_column(camera, scene->kinds, image, column, by_parameter);
    lane_unroll for (index k = 0; k < FREE; ++k) {
      mask is_mine = slots[k] == lane(column);
      o->intrinsics[k] = select(is_mine, by_parameter[0], o->intrinsics[k]);
      o->intrinsics[FREE + k] = select(is_mine, by_parameter[1], o->intrinsics[FREE + k]);
    }
  }
  // The gradient is slope * J'r; the weighted error has the same product with weighted derivatives.
  lane_unroll for (index k = 0; k < 2; ++k) o->r[k] = select(counts, o->r[k], lane(0));
  lane_unroll for (index k = 0; k < 6; ++k) o->G[k] = select(counts, o->G[k], lane(0));
  lane_unroll for (index k = 0; k < 2 * FREE; ++k) {
    o->intrinsics[k] = select(counts, o->intrinsics[k], lane(0));
  }
  o->cost = select(counts, o->cost, lane(0));
  o->slope = select(counts, o->slope, lane(0));
}

lane_fn void observation_weigh(observation_lane* o) {
  const real weight = sqrt(o->slope);
  lane_unroll for (index k = 0; k < 6; ++k) o->G[k] = weight * o->G[k];
  lane_unroll for (index k = 0; k < 2 * FREE; ++k) o->intrinsics[k] = weight * o->intrinsics[k];
}

// out[0] to out[5]: derivative of the px `row` by rotation and centre, of a block.
lane_fn void pose_derivative(const real* G, const real* offset, index row, real* out) {
  const real* g = G + 3 * row;
  out[0] = offset[1] * g[2] - offset[2] * g[1];
  out[1] = offset[2] * g[0] - offset[0] * g[2];
  out[2] = offset[0] * g[1] - offset[1] * g[0];
  out[3] = -g[0], out[4] = -g[1], out[5] = -g[2];
}
