// SPDX-License-Identifier: BSD-3-Clause
// Rules of SIFT that all devices share (Lowe, IJCV 2004, sections 3 to 6).

enum {
  SIFT_MOVES = 5,   // steps of a refinement, one sample each
  SIFT_BORDER = 5,  // px at the border of an octave without extrema
  ORIENTATION_BINS = 36,
  // Grid of a description: 20 x 20 samples, a quarter of a bin apart, and a frame for
  // the differences.
  GRID_INNER = 20,
  GRID_SIDE = 22
};

// Returns the direction of (x, y) in [0, full_circle]. Interpolates
// atan(t) / t at Chebyshev nodes in t^2, to within 2e-5 radians.
lane_fn real sift_direction(real x, real y, real full_circle) {
  real ax = fabs(x), ay = fabs(y);
  real t = fmin(ax, ay) * reciprocal(fmax(fmax(ax, ay), lane(1e-30))), z = t * t;
  real p = z * lane(0.023286007733) + lane(-0.090752017925);
  p = z * p + lane(0.184463557509);
  p = z * p + lane(-0.331544619309);
  p = z * p + lane(0.999964798401);
  p = p * t * (full_circle * lane(0.15915494309));
  p = select(ay > ax, full_circle * lane(0.25) - p, p);
  p = select(x < lane(0), full_circle * lane(0.5) - p, p);
  return select(y < lane(0), full_circle - p, p);
}

lane_fn real sift_mixed(real pp, real pm, real mp, real mm) {
  return lane(0.25) * (pp - pm - mp + mm);
}

// Fits a quadratic to the 27 differences D [layer][y][x] around a sample. away: offset (x, y,
// layer) of its stationary point from the sample, not finite if it has none; value: value at this
// point; plane: second derivatives xx, yy, xy.
lane_fn void sift_quadratic(const real* D, real* away, real* value, real* plane) {
  real v = D[13], twice = lane(2) * v;
  real gx = lane(0.5) * (D[14] - D[12]), gy = lane(0.5) * (D[16] - D[10]);
  real gs = lane(0.5) * (D[22] - D[4]);
  real xx = D[14] + D[12] - twice, yy = D[16] + D[10] - twice, ss = D[22] + D[4] - twice;
  real xy = sift_mixed(D[17], D[11], D[15], D[9]), xs = sift_mixed(D[23], D[5], D[21], D[3]);
  real ys = sift_mixed(D[25], D[7], D[19], D[1]);
  real c00 = yy * ss - ys * ys, c01 = ys * xs - xy * ss, c02 = xy * ys - yy * xs;
  real c11 = xx * ss - xs * xs, c12 = xy * xs - xx * ys, c22 = xx * yy - xy * xy;
  real scale = lane(-1) / (xx * c00 + xy * c01 + xs * c02);
  away[0] = (c00 * gx + c01 * gy + c02 * gs) * scale;
  away[1] = (c01 * gx + c11 * gy + c12 * gs) * scale;
  away[2] = (c02 * gx + c12 * gy + c22 * gs) * scale;
  *value = v + lane(0.5) * (gx * away[0] + gy * away[1] + gs * away[2]);
  plane[0] = xx;
  plane[1] = yy;
  plane[2] = xy;
}

// Result of sift_quadratic with named members, for kernels.
typedef struct {
  real x, y, layer, value;
  real plane[3];
} stationary_point;
lane_fn stationary_point sift_stationary_point(const real* D) {
  stationary_point point;
  real away[3];
  sift_quadratic(D, away, &point.value, point.plane);
  point.x = away[0];
  point.y = away[1];
  point.layer = away[2];
  return point;
}

// Returns the largest offset at which a refinement ends. It is more than half a sample, because a
// point halfway between two samples would alternate between them.
lane_fn real sift_max_offset(void) { return lane(0.6); }

lane_fn mask sift_on_edge(const real* plane, real largest_ratio) {
  real trace = plane[0] + plane[1], determinant = plane[0] * plane[1] - plane[2] * plane[2];
  real most = (largest_ratio + lane(1)) * (largest_ratio + lane(1)) * determinant;
  return !(trace * trace * largest_ratio < most);
}

// Returns bin i of the histogram convolved with (1 4 6 4 1) / 16, from bins i - 2 to i + 2.
lane_fn real sift_smoothed(real a, real b, real c, real d, real e) {
  return (a + e + lane(4) * (b + d) + lane(6) * c) / lane(16);
}

// Returns the direction, [0, 360) degrees, of a peak in the given bin: the vertex of the parabola.
lane_fn real sift_peak(real bin, real left, real here, real right) {
  real shift = lane(0.5) * (left - right) / (left - lane(2) * here + right);
  real degrees = (bin + shift) * (lane(360) / lane(ORIENTATION_BINS));
  degrees = select(degrees < lane(0), degrees + lane(360), degrees);
  return select(degrees >= lane(360), degrees - lane(360), degrees);
}

// Returns the smallest height of a further peak, relative to the highest.
lane_fn real sift_peak_ratio(void) { return lane(0.8); }

// Return the window of orientations and the bin width of a description, in sigma. Lowe uses 1.5 and
// 3. The larger values give 4 % more correct matches over the Oxford pairs, at a precision at least
// as high on each pair, and at least as many on the scenes with depth (fountain, Herz-Jesus).
lane_fn real sift_orientation_spread(void) { return lane(2); }
lane_fn real sift_bin_width(void) { return lane(3.6); }

// Domain-size pooling (J. Dong, S. Soatto, Domain-size pooling in local descriptors: DSP-SIFT, CVPR
// 2015): a description is the sum of the descriptions of domains of these sizes, relative to the
// size of the point. Over the Oxford pairs and three collections, more than three domains give 1 %
// more correct matches, and narrower or wider ranges (0.17 to 1.33 or to 3 times) fewer.
enum { SIFT_DOMAINS = 3 };
lane_fn real sift_domain_size(index k) { return lane(0.75) + lane(0.5) * lane(k); }

// Returns the share of sample k (0 to 3) between the centres of two bins in the second bin.
lane_fn real sift_bin_share(index k) { return lane(0.125) + lane(0.25) * lane(k); }

// Return the largest element of a unit descriptor, and the factor by which elements of a normalised
// descriptor are multiplied.
lane_fn real sift_clip(void) { return lane(0.2); }
lane_fn real sift_byte_scale(void) { return lane(512); }

// Returns whether two points are the same extremum, reached from two samples or found in two
// octaves. Positions and sigma are in px, angles in degrees.
lane_fn mask sift_same_point(real x1, real y1, real sigma1, real angle1, real x2, real y2,
                             real sigma2, real angle2) {
  real least = fmin(sigma1, sigma2), near = lane(0.1) * least, rotation = fabs(angle1 - angle2);
  return (fabs(x1 - x2) < near) & (fabs(y1 - y2) < near) &
         (fmax(sigma1, sigma2) < lane(1.1) * least) &
         (fmin(rotation, lane(360) - rotation) < lane(1));
}
