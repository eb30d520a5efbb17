// SPDX-License-Identifier: BSD-3-Clause
// Absolute pose from three scene points: d_i x_i = R X_i + t with unit bearings x_i and distances
// d_i > 0. The laws of cosines d_i^2 + d_j^2 - 2 d_i d_j (x_i.x_j) = |X_i - X_j|^2 leave two conics
// in the ratios of the distances. A singular member of their pencil, from one root of a cubic, is a
// pair of lines, and each line intersects a conic in two points (M. Persson, K. Nordberg, Lambda
// Twist, ECCV 2018; Y. Ding, J. Yang, V. Larsson, C. Olsson, K. Astrom, Revisiting the P3P problem,
// CVPR 2023; for the lines J. Richter-Gebert, Perspectives on Projective Geometry, 2011, 11.1). The
// distances are then refined by Newton steps.
// Solutions: 0 to 4. None for collinear scene points or NaN. Unstable if the camera is near the
// cylinder through the circumcircle of the scene points ("danger cylinder"), where two solutions
// merge: on the cylinder, both are accurate to the square root of the precision only. Any unit of
// length.

// Returns the relative size below which a discriminant is a rounding error: two solutions that
// merge would otherwise be lost by its sign.
lane_fn real p3p_rounding(void) { return lane(256) * lane_epsilon(); }

// Computes the two lines l, m of a singular conic C ~ l m' + m l' (symmetric). Returns 1 in lanes
// where they are real, else 0.
lane_fn real conic_lines(const real* C, real* l, real* m) {
  real dual[9], p[3], G[9];
  mat3_cofactors(C, dual);  // -(l x m)(l x m)'
  mask second = dual[4] < dual[0];
  real lowest = fmin(dual[0], dual[4]);
  mask third = dual[8] < lowest;
  lowest = fmin(lowest, dual[8]);
  real inverse = select(lowest < lane(0), lane(1) / sqrt(-lowest), lane(0));
  for (index i = 0; i < 3; ++i) {
    p[i] = inverse * select(third, dual[6 + i], select(second, dual[3 + i], dual[i]));
  }
  // C + [p]x = 2 l m' or 2 m l'
  for (index i = 0; i < 9; ++i) G[i] = C[i];
  G[1] -= p[2];
  G[2] += p[1];
  G[3] += p[2];
  G[5] -= p[0];
  G[6] -= p[1];
  G[7] += p[0];
  real row = lane(-1), column = lane(-1);
  for (index k = 0; k < 3; ++k) {
    real length2 = G[3 * k] * G[3 * k] + G[3 * k + 1] * G[3 * k + 1] + G[3 * k + 2] * G[3 * k + 2];
    mask better = length2 > row;
    row = fmax(row, length2);
    for (index i = 0; i < 3; ++i) l[i] = select(better, G[3 * k + i], k == 0 ? G[i] : l[i]);
    length2 = G[k] * G[k] + G[3 + k] * G[3 + k] + G[6 + k] * G[6 + k];
    better = length2 > column;
    column = fmax(column, length2);
    for (index i = 0; i < 3; ++i) m[i] = select(better, G[3 * i + k], k == 0 ? G[3 * i] : m[i]);
  }
  return select(lowest < p3p_rounding() * mat3_dot(C, C), lane(1), lane(0));
}

// Computes the two intersections d [2][3] of the line l with the conic D. Returns 1 in lanes where
// they are real, else 0.
lane_fn real line_conic_points(const real* l, const real* D, real* d) {
  // Two orthonormal points u, v of the line (T. Duff et al., Building an orthonormal basis,
  // revisited, JCGT 6(1), 2017).
  real inverse = lane(1) / sqrt(vec3_dot(l, l));
  real nx = inverse * l[0], ny = inverse * l[1], nz = inverse * l[2];
  real sign = copysign(lane(1), nz);
  real a = lane(-1) / (sign + nz);
  real b = nx * ny * a;
  real u[3] = {lane(1) + sign * nx * nx * a, sign * b, -sign * nx};
  real v[3] = {b, sign + ny * ny * a, -ny};
  real Du[3], Dv[3];
  mat3_apply(D, u, Du);
  mat3_apply(D, v, Dv);
  // uu s^2 + 2 uv s t + vv t^2 = 0
  real uu = vec3_dot(u, Du), uv = vec3_dot(u, Dv), vv = vec3_dot(v, Dv);
  real discriminant = uv * uv - uu * vv;
  real q = -uv - copysign(sqrt(fmax(discriminant, lane(0))), uv);
  for (index i = 0; i < 3; ++i) {
    d[i] = q * u[i] + uu * v[i];
    d[3 + i] = vv * u[i] + q * v[i];
  }
  real least = -p3p_rounding() * (uv * uv + fabs(uu * vv));
  return select(discriminant >= least, lane(1), lane(0));
}

// Makes one Newton step on the three laws of cosines for the distances d [3]. b: x0.x1, x0.x2,
// x1.x2; a: the squared sides.
lane_fn void p3p_refine(const real* a, const real* b, real* d) {
  real f01 = d[0] * d[0] + d[1] * d[1] - lane(2) * b[0] * d[0] * d[1] - a[0];
  real f02 = d[0] * d[0] + d[2] * d[2] - lane(2) * b[1] * d[0] * d[2] - a[1];
  real f12 = d[1] * d[1] + d[2] * d[2] - lane(2) * b[2] * d[1] * d[2] - a[2];
  // Half of the Jacobian: [p q 0; r 0 s; 0 t w]
  real p = d[0] - b[0] * d[1], q = d[1] - b[0] * d[0];
  real r = d[0] - b[1] * d[2], s = d[2] - b[1] * d[0];
  real t = d[1] - b[2] * d[2], w = d[2] - b[2] * d[1];
  real inverse = lane(-0.5) / (p * s * t + q * r * w);
  real step0 = inverse * (s * t * f01 + q * w * f02 - q * s * f12);
  real step1 = inverse * (r * w * f01 - p * w * f02 + p * s * f12);
  real step2 = inverse * (p * t * f02 - r * t * f01 + q * r * f12);
  // At a double solution the Jacobian is singular, and no step is made.
  mask regular = fabs(inverse) * (fabs(f01) + fabs(f02) + fabs(f12)) < lane(1);
  d[0] += select(regular, step0, lane(0));
  d[1] += select(regular, step1, lane(0));
  d[2] += select(regular, step2, lane(0));
}

// Computes the positive distances d [4][3] of the solutions, in the first slots. a, b as in
// p3p_refine. Returns the number of solutions.
lane_fn real p3p_distances(const real* a, const real* b, real* d) {
  // D1 and D2: the laws of cosines of sides 01 and 02, with the right-hand side eliminated by the
  // law of side 12.
  real D1[9] = {a[2],        -a[2] * b[0], lane(0),     -a[2] * b[0], a[2] - a[0],
                a[0] * b[2], lane(0),      a[0] * b[2], -a[0]};
  real D2[9] = {a[2],        lane(0),      -a[2] * b[1], lane(0),    -a[1],
                a[1] * b[2], -a[2] * b[1], a[1] * b[2],  a[2] - a[1]};
  real cofactors1[9], cofactors2[9], pencil[9], lines[6];
  mat3_cofactors(D1, cofactors1);
  mat3_cofactors(D2, cofactors2);
  real c0 = vec3_dot(D1, cofactors1), c1 = mat3_dot(cofactors1, D2);
  real c2 = mat3_dot(cofactors2, D1), c3 = vec3_dot(D2, cofactors2);
  // The pencil's cubic has only its two middle terms if D1 and D2 are singular themselves, for
  // example with equal sides and angles.
  real middle = fmax(fabs(c1), fabs(c2));
  mask is_cubic = fmax(fabs(c0), fabs(c3)) > p3p_rounding() * middle, linear = !is_cubic;
  // D1 + s D2, or s D1 + D2 if it has the larger leading coefficient.
  mask swap = (linear & (fabs(c1) > fabs(c2))) | (is_cubic & (fabs(c0) > fabs(c3)));
  real inverse = lane(1) / select(swap, c0, c3);
  real s = cubic_lone_root(inverse * select(swap, c1, c2), inverse * select(swap, c2, c1),
                           inverse * select(swap, c3, c0));
  s = select(linear, -select(swap, c2 / c1, c1 / c2), s);
  real s1 = select(swap, s, lane(1)), s2 = select(swap, lane(1), s);
  for (index i = 0; i < 9; ++i) pencil[i] = s1 * D1[i] + s2 * D2[i];
  real real_lines = conic_lines(pencil, lines, lines + 3);
  // Intersect the lines with the conic that has the smaller part in the singular member.
  mask use_first = fabs(s2) > fabs(s1);
  for (index i = 0; i < 9; ++i) pencil[i] = select(use_first, D1[i], D2[i]);

  real count = lane(0);
  for (index i = 0; i < 12; ++i) d[i] = lane(0);
  for (index k = 0; k < 2; ++k) {
    real points[6];
    real met = line_conic_points(lines + 3 * k, pencil, points) * real_lines;
    for (index c = 0; c < 2; ++c) {
      const real* e = points + 3 * c;
      mask valid = (met > lane(0)) & (e[0] * e[1] > lane(0)) & (e[0] * e[2] > lane(0));
      // The scale satisfies the sum of the three laws.
      real sum =
          lane(2) * (vec3_dot(e, e) - b[0] * e[0] * e[1] - b[1] * e[0] * e[2] - b[2] * e[1] * e[2]);
      real scale = copysign(sqrt((a[0] + a[1] + a[2]) / sum), e[0]);
      for (index slot = 0; slot <= 2 * k + c; ++slot) {
        mask here = valid & (count == lane(slot));
        for (index i = 0; i < 3; ++i) d[3 * slot + i] = select(here, scale * e[i], d[3 * slot + i]);
      }
      count += select(valid, lane(1), lane(0));
    }
  }
  return count;
}

// x: [3][3] unit bearings; X: [3][3] scene points. poses: [4][12], R (row-major) and t; unused
// slots are NaN.
lane_fn real p3p(const real* x, const real* X, real* poses) {
  real side01[3], side02[3], side12[3], normal[3], inverse[9], d[12];
  for (index i = 0; i < 3; ++i) {
    side01[i] = X[i] - X[3 + i];
    side02[i] = X[i] - X[6 + i];
    side12[i] = X[3 + i] - X[6 + i];
  }
  vec3_cross(side01, side02, normal);
  real area2 = vec3_dot(normal, normal);
  real a[3] = {vec3_dot(side01, side01), vec3_dot(side02, side02), vec3_dot(side12, side12)};
  real b[3] = {vec3_dot(x, x + 3), vec3_dot(x, x + 6), vec3_dot(x + 3, x + 6)};
  real largest = fmax(a[0], fmax(a[1], a[2]));
  mask valid = area2 > lane(1e2) * lane_epsilon() * lane_epsilon() * largest * largest;
  // The inverse of [side01 side02 normal]; its rows times the sides in the camera frame give R.
  // Lengths are in units of the longest side.
  real extent = sqrt(largest), unit2 = lane(1) / largest;
  for (index i = 0; i < 3; ++i) a[i] = a[i] * unit2;
  vec3_cross(side02, normal, inverse);
  vec3_cross(normal, side01, inverse + 3);
  for (index i = 0; i < 3; ++i) inverse[6 + i] = normal[i];
  mat3_scale(inverse, lane(1) / area2);

  real count = select(valid, p3p_distances(a, b, d), lane(0));
  for (index s = 0; s < 4; ++s) {
    valid = count > lane(s);
    real* R = poses + 12 * s;
    real* t = R + 9;
    for (index i = 0; i < 12; ++i) R[i] = lane_nan();
    if (any(valid)) {
      real Y[9], seen01[3], seen02[3], seen_normal[3];
      p3p_refine(a, b, d + 3 * s);
      for (index i = 0; i < 9; ++i) Y[i] = x[i] * (extent * d[3 * s + i / 3]);
      for (index i = 0; i < 3; ++i) {
        seen01[i] = Y[i] - Y[3 + i];
        seen02[i] = Y[i] - Y[6 + i];
      }
      vec3_cross(seen01, seen02, seen_normal);
      for (index i = 0; i < 3; ++i) {
        real* row = R + 3 * i;
        for (index j = 0; j < 3; ++j) {
          real v =
              seen01[i] * inverse[j] + seen02[i] * inverse[3 + j] + seen_normal[i] * inverse[6 + j];
          row[j] = select(valid, v, row[j]);
        }
        t[i] = select(valid, Y[i] - vec3_dot(row, X), t[i]);
      }
    }
  }
  return count;
}
