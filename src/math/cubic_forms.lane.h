// SPDX-License-Identifier: BSD-3-Clause
// Polynomials in x, y, z, given by the coefficients of
//   linear (4):     x y z 1
//   quadratic (10): xx xy yy xz yz zz x y z 1
//   cubic (20):     xxx yyy xxy xyy xxz xx yyz yy xyz xy | xzz xz x yzz yz y zzz zz z 1
// The cubic order is from D. Nister's five-point elimination (PAMI 26(6), 2004): after the first
// ten, only powers of z times x, y or 1 remain.

// out += a b
lane_fn void linear_product_add(const real* a, const real* b, real* out) {
  out[0] += a[0] * b[0];
  out[1] += a[0] * b[1] + a[1] * b[0];
  out[2] += a[1] * b[1];
  out[3] += a[0] * b[2] + a[2] * b[0];
  out[4] += a[1] * b[2] + a[2] * b[1];
  out[5] += a[2] * b[2];
  out[6] += a[0] * b[3] + a[3] * b[0];
  out[7] += a[1] * b[3] + a[3] * b[1];
  out[8] += a[2] * b[3] + a[3] * b[2];
  out[9] += a[3] * b[3];
}

// out += q a: a quadratic times a linear polynomial.
lane_fn void quadratic_product_add(const real* q, const real* a, real* out) {
  out[0] += q[0] * a[0];
  out[1] += q[2] * a[1];
  out[2] += q[0] * a[1] + q[1] * a[0];
  out[3] += q[1] * a[1] + q[2] * a[0];
  out[4] += q[0] * a[2] + q[3] * a[0];
  out[5] += q[0] * a[3] + q[6] * a[0];
  out[6] += q[2] * a[2] + q[4] * a[1];
  out[7] += q[2] * a[3] + q[7] * a[1];
  out[8] += q[1] * a[2] + q[3] * a[1] + q[4] * a[0];
  out[9] += q[1] * a[3] + q[6] * a[1] + q[7] * a[0];
  out[10] += q[3] * a[2] + q[5] * a[0];
  out[11] += q[3] * a[3] + q[6] * a[2] + q[8] * a[0];
  out[12] += q[6] * a[3] + q[9] * a[0];
  out[13] += q[4] * a[2] + q[5] * a[1];
  out[14] += q[4] * a[3] + q[7] * a[2] + q[8] * a[1];
  out[15] += q[7] * a[3] + q[9] * a[1];
  out[16] += q[5] * a[2];
  out[17] += q[5] * a[3] + q[8] * a[2];
  out[18] += q[8] * a[3] + q[9] * a[2];
  out[19] += q[9] * a[3];
}
