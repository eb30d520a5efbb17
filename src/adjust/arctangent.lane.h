// SPDX-License-Identifier: BSD-3-Clause
// The arctangent and its quotient atan(r) / r, to the precision of double.

// atan(x), x >= 0: rational approximation on [0, 0.66] after reduction.
//   S. Moshier, Methods and programs for mathematical functions (Cephes), 1989.
lane_fn real arctangent(real x) {
  mask far = x > lane(2.414213562373095), middle = x > lane(0.66);
  real offset_part =
      select(far, lane(1.5707963267948966), select(middle, lane(0.7853981633974483), lane(0)));
  real above = select(far, lane(-1), select(middle, x - lane(1), x));
  real below = select(far, x, select(middle, x + lane(1), lane(1)));
  real r = above / below, z = r * r;
  real p = lane(-8.750608600031904122785e-1);
  p = p * z + lane(-1.615753718733365076637e1);
  p = p * z + lane(-7.500855792314704667340e1);
  p = p * z + lane(-1.228866684490136173410e2);
  p = p * z + lane(-6.485021904942025371773e1);
  real q = z + lane(2.485846490142306297962e1);
  q = q * z + lane(1.650270098316988542046e2);
  q = q * z + lane(4.328810604912902668951e2);
  q = q * z + lane(4.853903996359136964868e2);
  q = q * z + lane(1.945506571482613964425e2);
  return offset_part + (r + r * z * p / q);
}

// out: atan(r) / r and its derivative by q = r^2, for q >= 0.
lane_fn void arctangent_ratio(real q, real* out) {
  real r = sqrt(q);
  real value = arctangent(r) / r;
  real slope = (lane(1) / (lane(1) + q) - value) / (lane(2) * q);
  // Series for small q: 1 - q / 3 + q^2 / 5 - ...
  real near_value = lane(0), near_slope = lane(0);
  for (index k = 9; k >= 0; --k) {
    near_slope = -(near_value + q * near_slope);
    near_value = lane(1.0 / (2 * k + 1)) - q * near_value;
  }
  mask near = q < lane(0.01);
  out[0] = select(near, near_value, value);
  out[1] = select(near, near_slope, slope);
}
