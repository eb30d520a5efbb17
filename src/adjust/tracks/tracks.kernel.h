// SPDX-License-Identifier: BSD-3-Clause
// Kernels whose lanes are tracks (filter, triangulate) or chunks (count), and reorder.

// A line of sight in the world's axes.
typedef struct sight_lane {
  real centre[3], ray[3];
  real focal_length;  // px
  mask is_there;
} sight_lane;

lane_fn real lane_dot(const real* a, const real* b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

// Returns the direction from the centre of an image to the point, a unit vector.
group_fn void direction_load(global_const scalar* poses, lane_int view, const real* X, real* out) {
  const lane_int pose = view * lane_int_of(POSE_SIZE);
  lane_unroll for (index k = 0; k < 3; ++k) {
    out[k] = X[k] - lane_gather(poses + POSE_CENTRE + k, pose);
  }
  const real scale = lane(1) / sqrt(lane_dot(out, out));
  lane_unroll for (index k = 0; k < 3; ++k) out[k] = scale * out[k];
}

// Returns whether two used rays of the point meet at an angle whose cosine is at most most_cosine.
group_fn mask track_has_angle(global_const scalar* poses, global_const int* rows,
                              global_const int* other, global_const scalar* px, index item,
                              const real* X, scalar most_cosine) {
  mask found = lane(0) > lane(0);
  for_rows(first, item) {
    real a[3];
    const real x = group_load(px, row_at(first, item));
    const mask is_first = x == x;
    direction_load(poses, lane_load_int(other, row_at(first, item)), X, a);
    for (index second = first + 1; second < rows[item / SLICE + 1]; ++second) {
      real b[3];
      const real y = group_load(px, row_at(second, item));
      if (all(found | !is_first)) break;
      direction_load(poses, lane_load_int(other, row_at(second, item)), X, b);
      found = found | (is_first & (y == y) & (lane_dot(a, b) <= lane(most_cosine)));
    }
  }
  return found;
}

// Keeps the used observations and the point, or drops them.
group_fn void track_store(global_const int* rows, global_ptr scalar* px, global_ptr scalar* py,
                          global_ptr scalar* points, index lanes, index item, mask is_kept,
                          const real* X) {
  for_rows(row, item) {
    const index at = row_at(row, item);
    lane_put(px, at, select(is_kept, group_load(px, at), lane_nan()));
    lane_put(py, at, select(is_kept, group_load(py, at), lane_nan()));
  }
  lane_unroll for (index k = 0; k < 3; ++k) {
    group_store_far(points + k, item, POINT_SIZE, select(is_kept, X[k], lane(0)), lanes);
  }
}

map_kernel(filter, item, TRACKS_FILTER) {
  real X[3], count = lane(0);
  point_load(points, group_index(item), X);
  for_rows(row, item) {
    lens_image image;
    real in_camera[3], offset[3], J[6];
    const index at = row_at(row, item);
    const lane_int view = lane_load_int(other, at);
    const pose_lane pose = pose_load(poses, view);
    const camera_lane camera = camera_load(cameras, lane_gather_int(image_cameras, view), used);
    const real x = group_load(px, at), y = group_load(py, at);
    lane_unroll for (index k = 0; k < 3; ++k) offset[k] = X[k] - pose.centre[k];
    lane_unroll for (index k = 0; k < 3; ++k) in_camera[k] = lane_dot(pose.R + 3 * k, offset);
    camera_project(&camera, kinds, used, in_camera, &image, J);
    const real dx = camera.fx * image.x + camera.cx - x, dy = camera.fy * image.y + camera.cy - y;
    const mask is_kept = image.is_seen & (dx * dx + dy * dy <= lane(max_error * max_error));
    lane_put(px, at, select(is_kept, x, lane_nan()));
    lane_put(py, at, select(is_kept, y, lane_nan()));
    count += select(is_kept, lane(1), lane(0));
  }
  const mask is_point =
      (count >= lane(2)) & track_has_angle(poses, rows, other, px, item, X, most_cosine);
  track_store(rows, px, py, points, lanes, item, is_point, X);
}

// The sights of a lane's track.
typedef struct track_sights {
  global_const scalar* poses;
  global_const int* rows;
  global_const int* other;
  global_ptr scalar* rays;
  global_const scalar* focal_lengths;
  index places, item;
} track_sights;

group_fn sight_lane sight_load(const track_sights* track, index row) {
  sight_lane s;
  const index at = row_at(row, track->item);
  const lane_int view = lane_load_int(track->other, at), pose = view * lane_int_of(POSE_SIZE);
  lane_unroll for (index k = 0; k < 3; ++k) {
    s.centre[k] = lane_gather(track->poses + POSE_CENTRE + k, pose);
    s.ray[k] = group_load(track->rays, k * track->places + at);
  }
  s.focal_length = lane_gather(track->focal_lengths, view);
  s.is_there = s.ray[0] == s.ray[0];
  return s;
}

// Returns whether the point is within the error of the sight; sets its squared error, px^2.
lane_fn mask sight_agrees(const sight_lane* s, const real* X, real max_square, real* square) {
  real d[3], c[3];
  lane_unroll for (index k = 0; k < 3; ++k) d[k] = X[k] - s->centre[k];
  const real along = lane_dot(d, s->ray);
  c[0] = d[1] * s->ray[2] - d[2] * s->ray[1];
  c[1] = d[2] * s->ray[0] - d[0] * s->ray[2];
  c[2] = d[0] * s->ray[1] - d[1] * s->ray[0];
  const real f = s->focal_length / along;
  *square = f * f * lane_dot(c, c);
  return s->is_there & (along > lane(0)) & (*square <= max_square);
}

// The point in the middle of the shortest connection of two lines.
lane_fn void sights_midpoint(const sight_lane* a, const sight_lane* b, real* X) {
  real baseline[3];
  lane_unroll for (index k = 0; k < 3; ++k) baseline[k] = b->centre[k] - a->centre[k];
  const real cosine = lane_dot(a->ray, b->ray), sine2 = lane(1) - cosine * cosine;
  const real to_a = lane_dot(baseline, a->ray), to_b = lane_dot(baseline, b->ray);
  const real depth_a = (to_a - cosine * to_b) / sine2, depth_b = (cosine * to_a - to_b) / sine2;
  lane_unroll for (index k = 0; k < 3; ++k) {
    X[k] =
        lane(0.5) * ((a->centre[k] + depth_a * a->ray[k]) + (b->centre[k] + depth_b * b->ray[k]));
  }
}

// Turns the rays from the axes of their cameras to those of the world.
group_fn void sights_rotate(const track_sights* track) {
  global_const int* rows = track->rows;
  for_rows(row, track->item) {
    real in_camera[3];
    const index at = row_at(row, track->item);
    const pose_lane pose = pose_load(track->poses, lane_load_int(track->other, at));
    lane_unroll for (index k = 0; k < 3; ++k) {
      in_camera[k] = group_load(track->rays, k * track->places + at);
    }
    lane_unroll for (index k = 0; k < 3; ++k) {
      lane_put(
          track->rays, k * track->places + at,
          pose.R[k] * in_camera[0] + pose.R[3 + k] * in_camera[1] + pose.R[6 + k] * in_camera[2]);
    }
  }
}

// Support of a point: its sights, then the sum of their squared errors.
typedef struct track_support {
  real count, squares;
} track_support;

group_fn track_support sights_support(const track_sights* track, const real* X, real max_square) {
  track_support out;
  global_const int* rows = track->rows;
  out.count = lane(0), out.squares = lane(0);
  for_rows(row, track->item) {
    real square;
    const sight_lane s = sight_load(track, row);
    const mask agrees = sight_agrees(&s, X, max_square, &square);
    out.count += select(agrees, lane(1), lane(0));
    out.squares += select(agrees, square, lane(0));
  }
  return out;
}

// Sets X to the point of a pair of sights with the most support. Pairs come from the farthest
// places on, at most MOST_PAIRS.
group_fn track_support sights_best(const track_sights* track, real max_square, real most_cosine,
                                   real* X) {
  track_support best;
  global_const int* rows = track->rows;
  const index begin = rows[track->item / SLICE], end = rows[track->item / SLICE + 1];
  real pairs = lane(0);
  best.count = lane(0), best.squares = lane(0);
  lane_unroll for (index k = 0; k < 3; ++k) X[k] = lane(0);
  for (index step = end - begin - 1; step >= 1 && any(pairs < lane(MOST_PAIRS)); --step) {
    for (index first = begin; first + step < end; ++first) {
      real trial[3];
      const sight_lane a = sight_load(track, first), b = sight_load(track, first + step);
      const mask is_pair = a.is_there & b.is_there & (lane_dot(a.ray, b.ray) <= most_cosine) &
                           (pairs < lane(MOST_PAIRS));
      if (!any(is_pair)) continue;
      pairs += select(is_pair, lane(1), lane(0));
      sights_midpoint(&a, &b, trial);
      const track_support found = sights_support(track, trial, max_square);
      const mask is_better = is_pair & (found.count >= lane(2)) &
                             ((found.count > best.count) |
                              ((found.count == best.count) & (found.squares < best.squares)));
      lane_unroll for (index k = 0; k < 3; ++k) X[k] = select(is_better, trial[k], X[k]);
      best.count = select(is_better, found.count, best.count);
      best.squares = select(is_better, found.squares, best.squares);
    }
  }
  return best;
}

// Solves A x = b of a symmetric A (xx xy xz yy yz zz).
lane_fn void symmetric_solve(const real* A, const real* b, real* x) {
  const real xx = A[3] * A[5] - A[4] * A[4], xy = A[2] * A[4] - A[1] * A[5];
  const real xz = A[1] * A[4] - A[2] * A[3], yy = A[0] * A[5] - A[2] * A[2];
  const real yz = A[1] * A[2] - A[0] * A[4], zz = A[0] * A[3] - A[1] * A[1];
  const real scale = lane(1) / (A[0] * xx + A[1] * xy + A[2] * xz);
  x[0] = scale * (xx * b[0] + xy * b[1] + xz * b[2]);
  x[1] = scale * (xy * b[0] + yy * b[1] + yz * b[2]);
  x[2] = scale * (xz * b[0] + yz * b[1] + zz * b[2]);
}

// A step of least squares on the distances from the sights that agree, weighted by inverse depths.
group_fn void sights_refine(const track_sights* track, real max_square, real* X) {
  global_const int* rows = track->rows;
  real A[6], b[3], next[3];
  lane_unroll for (index k = 0; k < 6; ++k) A[k] = lane(0);
  lane_unroll for (index k = 0; k < 3; ++k) b[k] = lane(0);
  for_rows(row, track->item) {
    real d[3], square;
    const sight_lane s = sight_load(track, row);
    const mask agrees = sight_agrees(&s, X, max_square, &square);
    lane_unroll for (index k = 0; k < 3; ++k) d[k] = X[k] - s.centre[k];
    const real weight = s.focal_length * s.focal_length / lane_dot(d, d);
    const real along = lane_dot(s.ray, s.centre);
    for (index k = 0, i = 0; i < 3; ++i) {
      b[i] += select(agrees, weight * (s.centre[i] - along * s.ray[i]), lane(0));
      for (index j = i; j < 3; ++j, ++k) {
        const real entry = lane(i == j ? 1 : 0) - s.ray[i] * s.ray[j];
        A[k] += select(agrees, weight * entry, lane(0));
      }
    }
  }
  symmetric_solve(A, b, next);
  const real total = next[0] + next[1] + next[2];
  const mask is_finite = total - total == lane(0);
  lane_unroll for (index k = 0; k < 3; ++k) X[k] = select(is_finite, next[k], X[k]);
}

map_kernel(triangulate, item, TRACKS_TRIANGULATE) {
  track_sights track;
  track.poses = poses, track.rows = rows, track.other = other, track.rays = rays;
  track.focal_lengths = focal_lengths, track.places = places, track.item = item;
  const real max_square = lane(max_error * max_error);
  real X[3], count = lane(0);
  sights_rotate(&track);
  const track_support best = sights_best(&track, max_square, lane(most_cosine), X);
  for (index round = 0; round < REFINEMENTS; ++round) sights_refine(&track, max_square, X);
  for_rows(row, item) {
    real square;
    const index at = row_at(row, item);
    const sight_lane s = sight_load(&track, row);
    const mask agrees = sight_agrees(&s, X, max_square, &square) & (best.count >= lane(2));
    lane_put(px, at, select(agrees, group_load(given_x, at), lane_nan()));
    lane_put(py, at, select(agrees, group_load(given_y, at), lane_nan()));
    count += select(agrees, lane(1), lane(0));
  }
  const mask is_point =
      (count >= lane(2)) & track_has_angle(poses, rows, other, px, item, X, most_cosine);
  track_store(rows, px, py, points, lanes, item, is_point, X);
}

map_kernel(count, item, TRACKS_COUNT) {
  real sum = lane(0);
  for_rows(row, item) {
    const real x = group_load(px, row_at(row, item));
    sum += select(x == x, lane(1), lane(0));
  }
  lane_put(counts, item, sum);
}

map_kernel(reorder, item, TRACKS_REORDER) {
  px[item] = from[item] < 0 ? lane_nan() : from_x[from[item]];
  py[item] = from[item] < 0 ? lane_nan() : from_y[from[item]];
}
