// SPDX-License-Identifier: BSD-3-Clause
// Vectors of 3 and 3x3 matrices, row-major. Outputs must not overlap inputs.

lane_fn real vec3_dot(const real* a, const real* b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

lane_fn void vec3_cross(const real* a, const real* b, real* out) {
  out[0] = a[1] * b[2] - a[2] * b[1];
  out[1] = a[2] * b[0] - a[0] * b[2];
  out[2] = a[0] * b[1] - a[1] * b[0];
}

// out = A v
lane_fn void mat3_apply(const real* A, const real* v, real* out) {
  for (index i = 0; i < 3; ++i) out[i] = vec3_dot(A + 3 * i, v);
}

// out = A B
lane_fn void mat3_mul(const real* A, const real* B, real* out) {
  for (index i = 0; i < 3; ++i) {
    for (index j = 0; j < 3; ++j) {
      out[3 * i + j] = A[3 * i] * B[j] + A[3 * i + 1] * B[3 + j] + A[3 * i + 2] * B[6 + j];
    }
  }
}

// Cofactors: out = det(A) A^-T; row i is the cross product of the two rows after row i (cyclic).
lane_fn void mat3_cofactors(const real* A, real* out) {
  vec3_cross(A + 3, A + 6, out);
  vec3_cross(A + 6, A, out + 3);
  vec3_cross(A, A + 3, out + 6);
}

lane_fn real mat3_determinant(const real* A) {
  real c[3];
  vec3_cross(A + 3, A + 6, c);
  return vec3_dot(A, c);
}

// Sum of the products of corresponding elements, trace(A' B).
lane_fn real mat3_dot(const real* A, const real* B) {
  return vec3_dot(A, B) + vec3_dot(A + 3, B + 3) + vec3_dot(A + 6, B + 6);
}

// Multiplies A by s.
lane_fn void mat3_scale(real* A, real s) {
  for (index i = 0; i < 9; ++i) A[i] = A[i] * s;
}

// Scales A to Frobenius norm 1.
lane_fn void mat3_normalise(real* A) { mat3_scale(A, lane(1) / sqrt(mat3_dot(A, A))); }

// Computes a rotation by about the vector w, using Cayley's map. It is orthogonal for every w and
// exact to second order: the angle a about w satisfies |w| = 2 tan(a / 2).
lane_fn void rotation_cayley(const real* w, real* R) {
  real x = w[0] * lane(0.5), y = w[1] * lane(0.5), z = w[2] * lane(0.5);
  real k = lane(2) / (lane(1) + x * x + y * y + z * z);
  R[0] = lane(1) - k * (y * y + z * z);
  R[1] = k * (x * y - z);
  R[2] = k * (x * z + y);
  R[3] = k * (x * y + z);
  R[4] = lane(1) - k * (x * x + z * z);
  R[5] = k * (y * z - x);
  R[6] = k * (x * z - y);
  R[7] = k * (y * z + x);
  R[8] = lane(1) - k * (x * x + y * y);
}
