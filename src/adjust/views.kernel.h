// SPDX-License-Identifier: BSD-3-Clause
// Kernels whose lanes are chunks of the observations of an image, and sums of their results.

map_kernel(linearise_views, item, ADJUST_LINEARISE_VIEWS) {
  const scene_terms scene = scene_of(kinds, used, columns, loss, loss_scale);
  real g[VIEW_SIZE(FREE)], diagonal[VIEW_SIZE(FREE)], slots[FREE + 1];
  const lane_int view = lane_load_int(chunk_images, item);
  const lane_int camera = lane_gather_int(image_cameras, view);
  const pose_lane pose = pose_load(poses, view);
  const camera_lane lens = camera_load(cameras, camera, used);
  slots_load(cameras, camera, slots);
  lane_unroll for (index k = 0; k < VIEW_SIZE(FREE); ++k) g[k] = lane(0), diagonal[k] = lane(0);
  for_rows(row, item) {
    observation_lane o;
    lens_image image;
    real J[6], X[3], at[2], by_pose[6];
    point_load(points, lane_load_int(other, row_at(row, item)), X);
    at[0] = group_load(px, row_at(row, item)), at[1] = group_load(py, row_at(row, item));
    observation_error(&scene, &pose, &lens, X, at, &o, &image, J);
    observation_linearise(&scene, &pose, &lens, slots, &image, J, &o);
    for (index i = 0; i < 2; ++i) {
      const real r = o.slope * o.r[i];
      pose_derivative(o.G, o.offset, i, by_pose);
      lane_unroll for (index k = 0; k < 6; ++k) g[k] += r * by_pose[k];
      lane_unroll for (index k = 0; k < FREE; ++k) g[6 + k] += r * o.intrinsics[i * FREE + k];
    }
    observation_weigh(&o);
    for (index i = 0; i < 2; ++i) {
      pose_derivative(o.G, o.offset, i, by_pose);
      lane_unroll for (index k = 0; k < 6; ++k) diagonal[k] += by_pose[k] * by_pose[k];
      lane_unroll for (index k = 0; k < FREE; ++k) {
        diagonal[6 + k] += o.intrinsics[i * FREE + k] * o.intrinsics[i * FREE + k];
      }
    }
    block_store((global_ptr block*)blocks + row_block(row, item), &o);
  }
  lane_unroll for (index k = 0; k < VIEW_SIZE(FREE); ++k) {
    lane_put(sums, k * lanes + item, g[k]);
    lane_put(sums, (VIEW_SIZE(FREE) + k) * lanes + item, diagonal[k]);
  }
}

map_kernel(schur_views, item, ADJUST_SCHUR_VIEWS) {
  real centre[3], step[VIEW_SIZE(FREE)], sum[VIEW_SIZE(FREE)];
  const lane_int view = lane_load_int(chunk_images, item);
  const lane_int pose = view * lane_int_of(POSE_SIZE);
  lane_unroll for (index k = 0; k < 3; ++k) centre[k] = lane_gather(poses + POSE_CENTRE + k, pose);
  lane_unroll for (index k = 0; k < VIEW_SIZE(FREE); ++k) step[k] = lane(0), sum[k] = lane(0);
  if (has_vector != 0) {
    step_load(vector, images, view, lane_gather_int(image_cameras, view), step);
  }
  for_rows(row, item) {
    real G[6], intrinsics[2 * FREE + 1], shift[3], X[3], v[3], y[2];
    const lane_int point = lane_load_int(other, row_at(row, item));
    block_load((global_const block*)blocks + row_block(row, item), G, intrinsics);
    point_load(points, point, X);
    point_load(solved, point, v);
    lane_unroll for (index k = 0; k < 3; ++k) shift[k] = X[k] - centre[k];
    view_motion(G, intrinsics, shift, step, y);
    // With h = G'y, the products with the derivatives by rotation and centre are shift x h and -h.
    real h[3];
    y[0] -= G[0] * v[0] + G[1] * v[1] + G[2] * v[2];
    y[1] -= G[3] * v[0] + G[4] * v[1] + G[5] * v[2];
    lane_unroll for (index k = 0; k < 3; ++k) h[k] = G[k] * y[0] + G[3 + k] * y[1];
    sum[0] += shift[1] * h[2] - shift[2] * h[1];
    sum[1] += shift[2] * h[0] - shift[0] * h[2];
    sum[2] += shift[0] * h[1] - shift[1] * h[0];
    lane_unroll for (index k = 0; k < 3; ++k) sum[3 + k] -= h[k];
    lane_unroll for (index k = 0; k < FREE; ++k) {
      sum[6 + k] += intrinsics[k] * y[0] + intrinsics[FREE + k] * y[1];
    }
  }
  lane_unroll for (index k = 0; k < VIEW_SIZE(FREE); ++k) lane_put(sums, k * lanes + item, sum[k]);
}

map_kernel(schur_diagonal, item, ADJUST_SCHUR_DIAGONAL) {
  real centre[3], sum[TRIANGLE(VIEW_SIZE(FREE))];
  const lane_int pose = lane_load_int(chunk_images, item) * lane_int_of(POSE_SIZE);
  lane_unroll for (index k = 0; k < 3; ++k) centre[k] = lane_gather(poses + POSE_CENTRE + k, pose);
  lane_unroll for (index k = 0; k < TRIANGLE(VIEW_SIZE(FREE)); ++k) sum[k] = lane(0);
  for_rows(row, item) {
    real G[6], intrinsics[2 * FREE + 1], shift[3], X[3], C[6], c0[3], c1[3];
    real j0[VIEW_SIZE(FREE)], j1[VIEW_SIZE(FREE)];
    const lane_int point = lane_load_int(other, row_at(row, item));
    block_load((global_const block*)blocks + row_block(row, item), G, intrinsics);
    point_load(points, point, X);
    symmetric_load(inverses, point, C);
    lane_unroll for (index k = 0; k < 3; ++k) shift[k] = X[k] - centre[k];
    pose_derivative(G, shift, 0, j0);
    pose_derivative(G, shift, 1, j1);
    lane_unroll for (index k = 0; k < FREE; ++k) {
      j0[6 + k] = intrinsics[k], j1[6 + k] = intrinsics[FREE + k];
    }
    // J' (I - G C^-1 G') J.
    symmetric_mul(C, G, c0);
    symmetric_mul(C, G + 3, c1);
    const real xx = lane(1) - (G[0] * c0[0] + G[1] * c0[1] + G[2] * c0[2]);
    const real xy = -(G[0] * c1[0] + G[1] * c1[1] + G[2] * c1[2]);
    const real yy = lane(1) - (G[3] * c1[0] + G[4] * c1[1] + G[5] * c1[2]);
    lane_unroll for (index i = 0; i < VIEW_SIZE(FREE); ++i) {
      const real a = xx * j0[i] + xy * j1[i], b = xy * j0[i] + yy * j1[i];
      lane_unroll for (index j = 0; j <= i; ++j) {
        sum[i * (i + 1) / 2 + j] += a * j0[j] + b * j1[j];
      }
    }
  }
  lane_unroll for (index k = 0; k < TRIANGLE(VIEW_SIZE(FREE)); ++k) {
    lane_put(sums, k * lanes + item, sum[k]);
  }
}
#undef row_block
