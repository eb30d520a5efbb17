// SPDX-License-Identifier: BSD-3-Clause
// Kernels whose lanes are points.

// A row's block: number m at [m SLICE].
#define row_block(row, item) ((offset)(row) * (BLOCK_SIZE(FREE) * SLICE) + (item) % SLICE)

group_fn void block_store(global_ptr block* B, const observation_lane* o) {
  lane_unroll for (index k = 0; k < 6; ++k) lane_put(B, k * SLICE, o->G[k]);
  lane_unroll for (index k = 0; k < 2 * FREE; ++k) {
    lane_put(B, (6 + k) * SLICE, o->intrinsics[k]);
  }
}
group_fn void block_load(global_const block* B, real* G, real* intrinsics) {
  lane_unroll for (index k = 0; k < 6; ++k) G[k] = group_load(B, k * SLICE);
  lane_unroll for (index k = 0; k < 2 * FREE; ++k) {
    intrinsics[k] = group_load(B, (6 + k) * SLICE);
  }
}
group_fn void slots_load(global_const scalar* cameras, lane_int camera, real* slots) {
  lane_int at = camera * lane_int_of(CAMERA_SIZE);
  lane_unroll for (index k = 0; k < FREE; ++k) slots[k] =
      lane_gather(cameras + CAMERA_SLOTS + k, at);
}
group_fn scene_terms scene_of(index kinds, index used, index columns, index loss,
                              scalar loss_scale) {
  scene_terms scene;
  scene.kinds = kinds, scene.used = used, scene.columns = columns, scene.loss = loss;
  scene.inverse_scale2 = lane(1 / (loss_scale * loss_scale));
  return scene;
}

map_kernel(linearise_points, item, ADJUST_LINEARISE_POINTS) {
  const scene_terms scene = scene_of(kinds, used, columns, loss, loss_scale);
  real X[3], C[6], g[3], cost = lane(0);
  point_load(points, group_index(item), X);
  lane_unroll for (index k = 0; k < 6; ++k) C[k] = lane(0);
  lane_unroll for (index k = 0; k < 3; ++k) g[k] = lane(0);
  for_rows(row, item) {
    observation_lane o;
    lens_image image;
    real J[6], slots[FREE + 1], at[2];
    const lane_int view = lane_load_int(other, row_at(row, item));
    const lane_int camera = lane_gather_int(image_cameras, view);
    const pose_lane pose = pose_load(poses, view);
    const camera_lane lens = camera_load(cameras, camera, used);
    slots_load(cameras, camera, slots);
    at[0] = group_load(px, row_at(row, item)), at[1] = group_load(py, row_at(row, item));
    observation_error(&scene, &pose, &lens, X, at, &o, &image, J);
    observation_linearise(&scene, &pose, &lens, slots, &image, J, &o);
    cost += o.cost;
    lane_unroll for (index k = 0; k < 3; ++k) {
      g[k] += o.slope * (o.G[k] * o.r[0] + o.G[3 + k] * o.r[1]);
    }
    observation_weigh(&o);
    for (index k = 0, i = 0; i < 3; ++i) {
      for (index j = i; j < 3; ++j, ++k) C[k] += o.G[i] * o.G[j] + o.G[3 + i] * o.G[3 + j];
    }
    block_store((global_ptr block*)blocks + row_block(row, item), &o);
  }
  const real free = group_load(is_free, item);
  lane_unroll for (index k = 0; k < 6; ++k) lane_put(normal, k * lanes + item, C[k]);
  lane_unroll for (index k = 0; k < 3; ++k) lane_put(normal, (6 + k) * lanes + item, free * g[k]);
  lane_put(costs, item, cost);
  lane_put(steepest, item, free * fmax(fabs(g[0]), fmax(fabs(g[1]), fabs(g[2]))));
}

// Inverse of C + lambda diag(C) by its Cholesky factorisation.
lane_fn void damped_inverse(const real* C, real lambda, real* out) {
  const real more = lane(1) + lambda;
  const real xx = fmax(more * C[0], lane(LEAST_DIAGONAL));
  const real a = lane(1) / sqrt(xx), yx = C[1] * a, zx = C[2] * a;
  const real yy = fmax(more * C[3], lane(LEAST_DIAGONAL));
  const real b = lane(1) / sqrt(fmax(yy - yx * yx, lane(LEAST_PIVOT) * yy));
  const real zy = (C[4] - yx * zx) * b;
  const real zz = fmax(more * C[5], lane(LEAST_DIAGONAL));
  const real c = lane(1) / sqrt(fmax(zz - zx * zx - zy * zy, lane(LEAST_PIVOT) * zz));
  // The inverse of the factor: [a; p b; q r c].
  const real p = -yx * a * b, r = -zy * b * c, q = -(zx * a + zy * p) * c;
  out[0] = a * a + p * p + q * q;
  out[1] = p * b + q * r;
  out[2] = q * c;
  out[3] = b * b + r * r;
  out[4] = r * c;
  out[5] = c * c;
}

map_kernel(invert_points, item, ADJUST_INVERT_POINTS) {
  real C[6], inverse[6];
  lane_unroll for (index k = 0; k < 6; ++k) C[k] = group_load(normal, k * lanes + item);
  damped_inverse(C, lane(lambda), inverse);
  const real free = group_load(is_free, item);
  lane_unroll for (index k = 0; k < 6; ++k) {
    group_store_far(inverses + k, item, INVERSE_SIZE, free * inverse[k], lanes);
  }
}

// Numbers of a vector of unknowns that belong to an image with its camera.
group_fn void step_load(global_const scalar* vector, index images, lane_int view, lane_int camera,
                        real* step) {
  const lane_int pose = view * lane_int_of(6);
  const lane_int free = lane_int_of(6 * images) + camera * lane_int_of(FREE);
  lane_unroll for (index k = 0; k < 6; ++k) step[k] = lane_gather(vector + k, pose);
  lane_unroll for (index k = 0; k < FREE; ++k) step[6 + k] = lane_gather(vector + k, free);
}

// px of the step of an observation's view.
lane_fn void view_motion(const real* G, const real* intrinsics, const real* offset,
                         const real* vector, real* out) {
  for (index row = 0; row < 2; ++row) {
    real by_pose[6], sum = lane(0);
    pose_derivative(G, offset, row, by_pose);
    lane_unroll for (index k = 0; k < 6; ++k) sum += by_pose[k] * vector[k];
    lane_unroll for (index k = 0; k < FREE; ++k) sum += intrinsics[row * FREE + k] * vector[6 + k];
    out[row] = sum;
  }
}

group_fn void symmetric_load(global_const scalar* inverses, lane_int point, real* C) {
  lane_int at = point * lane_int_of(INVERSE_SIZE);
  lane_unroll for (index k = 0; k < 6; ++k) C[k] = lane_gather(inverses + k, at);
}
lane_fn void symmetric_mul(const real* C, const real* u, real* out) {
  out[0] = C[0] * u[0] + C[1] * u[1] + C[2] * u[2];
  out[1] = C[1] * u[0] + C[3] * u[1] + C[4] * u[2];
  out[2] = C[2] * u[0] + C[4] * u[1] + C[5] * u[2];
}

map_kernel(schur_points, item, ADJUST_SCHUR_POINTS) {
  real X[3], u[3], C[6], out[3];
  point_load(points, group_index(item), X);
  lane_unroll for (index k = 0; k < 3; ++k) {
    u[k] = lane(gradient_part) * group_load(normal, (6 + k) * lanes + item);
  }
  if (has_vector != 0) {
    for_rows(row, item) {
      real G[6], intrinsics[2 * FREE + 1], shift[3], step[VIEW_SIZE(FREE)], y[2];
      const lane_int view = lane_load_int(other, row_at(row, item));
      const lane_int pose = view * lane_int_of(POSE_SIZE);
      block_load((global_const block*)blocks + row_block(row, item), G, intrinsics);
      lane_unroll for (index k = 0; k < 3; ++k) {
        shift[k] = X[k] - lane_gather(poses + POSE_CENTRE + k, pose);
      }
      step_load(vector, images, view, lane_gather_int(image_cameras, view), step);
      view_motion(G, intrinsics, shift, step, y);
      lane_unroll for (index k = 0; k < 3; ++k) u[k] += G[k] * y[0] + G[3 + k] * y[1];
    }
  }
  symmetric_load(inverses, group_index(item), C);
  symmetric_mul(C, u, out);
  lane_unroll for (index k = 0; k < 3; ++k) {
    group_store_far(solved + k, item, POINT_SIZE, out[k], lanes);
  }
}

map_kernel(try_points, item, ADJUST_TRY_POINTS) {
  const scene_terms scene = scene_of(kinds, used, columns, loss, loss_scale);
  real X[3], v[3], trial[3], part = lane(1), cost = lane(0);
  point_load(points, group_index(item), X);
  point_load(solved, group_index(item), v);
  mask is_active = part == part;
  for (index attempt = 0; attempt < 3 && any(is_active); ++attempt) {
    mask is_seen = part == part;
    real sum = lane(0);
    lane_unroll for (index k = 0; k < 3; ++k) trial[k] = X[k] - part * v[k];
    for_rows(row, item) {
      observation_lane o;
      lens_image image;
      real J[6], at[2];
      const lane_int view = lane_load_int(other, row_at(row, item));
      const pose_lane pose = pose_load(poses, view);
      const camera_lane lens = camera_load(cameras, lane_gather_int(image_cameras, view), used);
      at[0] = group_load(px, row_at(row, item)), at[1] = group_load(py, row_at(row, item));
      observation_error(&scene, &pose, &lens, trial, at, &o, &image, J);
      is_seen = is_seen & (o.is_seen | !o.is_there);
      sum += select(o.is_there, o.cost, lane(0));
    }
    cost = select(is_active, sum, cost);
    is_active = is_active & !is_seen;
    // A quarter of the step, then none.
    part = select(is_active, lane(attempt == 0 ? 0.25 : 0), part);
  }
  cost = select(is_active, lane_nan(), cost);
  real decrease = lane(0), step = lane(0), length = lane(0);
  lane_unroll for (index k = 0; k < 3; ++k) {
    const index diagonal = k == 0 ? 0 : 2 * k + 1;
    const real damping =
        lane(lambda) * fmax(group_load(normal, diagonal * lanes + item), lane(LEAST_DIAGONAL));
    decrease += lane(0.5) * v[k] * (group_load(normal, (6 + k) * lanes + item) + damping * v[k]);
    step += v[k] * v[k];
    length += X[k] * X[k];
    group_store_far(moved + k, item, POINT_SIZE, X[k] - part * v[k], lanes);
  }
  lane_put(costs, item, cost), lane_put(decreases, item, decrease);
  lane_put(step_lengths, item, step), lane_put(point_lengths, item, length);
}
