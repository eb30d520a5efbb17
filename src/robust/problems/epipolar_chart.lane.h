// SPDX-License-Identifier: BSD-3-Clause
// Minimal parameters of a fundamental (7) or essential (5) matrix: F = U diag(s0, s1, 0) V' with U,
// V orthogonal and s0^2 + s1^2 = 1; s0 = s1 for E. Small steps rotate U by a, V by b and (s0, s1)
// by an angle. Rotating U and V about their third axes by opposite angles does not change E.
//   A. Bartoli, P. Sturm, Nonlinear estimation of the fundamental matrix with minimal parameters,
//   PAMI 26(3), 2004.
// A chart is an array [20]: U [9] and V [9], row-major with the singular vectors as columns, then
// s0 and s1.

// Computes the null vector of A (rank 2): the longest cross product of two rows.
lane_fn void rank2_direction(const real* A, real* n) {
  real c[9];
  mat3_cofactors(A, c);
  real best = vec3_dot(c, c);
  for (index i = 0; i < 3; ++i) n[i] = c[i];
  for (index k = 1; k < 3; ++k) {
    real length = vec3_dot(c + 3 * k, c + 3 * k);
    mask longer = length > best;
    best = select(longer, length, best);
    for (index i = 0; i < 3; ++i) n[i] = select(longer, c[3 * k + i], n[i]);
  }
}

// Computes the null vector of A (rank 2), of unit length.
lane_fn void rank2_null(const real* A, real* n) {
  rank2_direction(A, n);
  real scale = lane(1) / sqrt(vec3_dot(n, n));
  for (index i = 0; i < 3; ++i) n[i] = n[i] * scale;
}

// Computes unit vectors p and q that form an orthonormal frame with the unit vector n.
lane_fn void frame_complete(const real* n, real* p, real* q) {
  real s = copysign(lane(1), n[2]);
  real a = -lane(1) / (s + n[2]);
  real b = n[0] * n[1] * a;
  p[0] = lane(1) + s * n[0] * n[0] * a;
  p[1] = s * b;
  p[2] = -s * n[0];
  q[0] = b;
  q[1] = s + n[1] * n[1] * a;
  q[2] = -n[1];
}

// Computes the chart at F. The smallest singular value of F is dropped and should be about 0.
lane_fn void epipolar_chart(const real* F, real* chart) {
  real T[9], u[9], v[9], Fv[6];
  for (index i = 0; i < 3; ++i) {
    for (index j = 0; j < 3; ++j) T[3 * i + j] = F[3 * j + i];
  }
  rank2_null(F, v + 6);
  rank2_null(T, u + 6);
  frame_complete(v + 6, v, v + 3);
  // Rotate the frame of V until F v0 and F v1 are orthogonal (one-sided Jacobi), the longer
  // one first.
  mat3_apply(F, v, Fv);
  mat3_apply(F, v + 3, Fv + 3);
  real difference = vec3_dot(Fv, Fv) - vec3_dot(Fv + 3, Fv + 3);
  real product = lane(2) * vec3_dot(Fv, Fv + 3);
  real radius = sqrt(difference * difference + product * product);
  // (c, s): cosine and sine of half the angle of (difference, product).
  real large = sqrt(lane(0.5) * (radius + fabs(difference)));
  real small = lane(0.5) * fabs(product) / large;
  mask is_rotated = large > lane(0);
  mask ahead = difference >= lane(0);
  real c = select(is_rotated, select(ahead, large, small), lane(1));
  real s = select(is_rotated, copysign(select(ahead, small, large), product), lane(0));
  real norm = lane(1) / sqrt(c * c + s * s);
  for (index i = 0; i < 3; ++i) {
    real v0 = v[i], v1 = v[3 + i];
    v[i] = (c * v0 + s * v1) * norm;
    v[3 + i] = (c * v1 - s * v0) * norm;
  }
  mat3_apply(F, v, Fv);
  real s0 = sqrt(vec3_dot(Fv, Fv));
  for (index i = 0; i < 3; ++i) u[i] = Fv[i] / s0;
  vec3_cross(u + 6, u, u + 3);
  mat3_apply(F, v + 3, Fv);
  real s1 = vec3_dot(u + 3, Fv);
  real scale = lane(1) / sqrt(s0 * s0 + s1 * s1);
  for (index i = 0; i < 3; ++i) {
    for (index j = 0; j < 3; ++j) {
      chart[3 * i + j] = u[3 * j + i];
      chart[9 + 3 * i + j] = v[3 * j + i];
    }
  }
  chart[18] = s0 * scale;
  chart[19] = s1 * scale;
}

// Computes the chart at E = [t]x R: the chart of F with equal singular values.
lane_fn void essential_chart(const real* E, real* chart) {
  epipolar_chart(E, chart);
  chart[18] = lane(0.70710678118654752);
  chart[19] = copysign(lane(0.70710678118654752), chart[19]);
}

// Computes F [9] from a chart.
lane_fn void epipolar_matrix(const real* chart, real* F) {
  const real* U = chart;
  const real* V = chart + 9;
  for (index i = 0; i < 3; ++i) {
    for (index j = 0; j < 3; ++j) {
      F[3 * i + j] = chart[18] * U[3 * i] * V[3 * j] + chart[19] * U[3 * i + 1] * V[3 * j + 1];
    }
  }
}

// Computes D [9][dof], the derivatives of F with respect to the rotations about the axes 0, 1, 2 of
// U and 0, 1 of V; for dof = 7 also about axis 2 of V and the angle of (s0, s1).
lane_fn void epipolar_tangent(const real* chart, index dof, real* D) {
  const real* U = chart;
  const real* V = chart + 9;
  real s0 = chart[18], s1 = chart[19];
  for (index i = 0; i < 3; ++i) {
    for (index j = 0; j < 3; ++j) {
      real u0 = U[3 * i], u1 = U[3 * i + 1], u2 = U[3 * i + 2];
      real v0 = V[3 * j], v1 = V[3 * j + 1], v2 = V[3 * j + 2];
      real* d = D + dof * (3 * i + j);
      d[0] = s1 * u2 * v1;
      d[1] = -s0 * u2 * v0;
      d[2] = s0 * u1 * v0 - s1 * u0 * v1;
      d[3] = s1 * u1 * v2;
      d[4] = -s0 * u0 * v2;
      if (dof == 7) {
        d[5] = s0 * u0 * v1 - s1 * u1 * v0;
        d[6] = s0 * u1 * v1 - s1 * u0 * v0;
      }
    }
  }
}

// Moves a chart by delta [dof], the parameters of epipolar_tangent.
lane_fn void epipolar_move(real* chart, index dof, const real* delta) {
  real w[3], R[9], rotated[9];
  rotation_cayley(delta, R);
  mat3_mul(chart, R, rotated);
  for (index i = 0; i < 9; ++i) chart[i] = rotated[i];
  w[0] = delta[3];
  w[1] = delta[4];
  w[2] = lane(0);
  if (dof == 7) w[2] = delta[5];
  rotation_cayley(w, R);
  mat3_mul(chart + 9, R, rotated);
  for (index i = 0; i < 9; ++i) chart[9 + i] = rotated[i];
  if (dof == 7) {
    real s0 = chart[18] - delta[6] * chart[19], s1 = chart[19] + delta[6] * chart[18];
    real scale = lane(1) / sqrt(s0 * s0 + s1 * s1);
    chart[18] = s0 * scale;
    chart[19] = s1 * scale;
  }
}
