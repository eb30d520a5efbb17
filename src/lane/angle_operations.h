// SPDX-License-Identifier: BSD-3-Clause
// Functions of angles, in C++, CUDA and OpenCL C. Included after lane/cpp_begin.h,
// lane/cuda_begin.h or lane/opencl_begin.h.
//   lane_tan(v) lane_atan(v)
//   lane_hypot(a, b)   square root of a^2 + b^2, of scalars without overflow
#ifdef __OPENCL_VERSION__
#define lane_tan(v) tan(v)
#define lane_atan(v) atan(v)
#define lane_hypot(a, b) hypot(a, b)
#else
lane_fn real lane_tan(real v) {
  if constexpr (std::is_arithmetic_v<real>) {
    return std::tan(v);
  } else {
    scalar values[bifocal::lane::traits<real>::width];
    lane_ops::store(v, values);
    for (scalar& value : values) value = std::tan(value);
    return lane_ops::load(values);
  }
}

// The arctangent of registers: a rational approximation on [0, 0.66] after reduction.
//   S. Moshier, Methods and programs for mathematical functions (Cephes), 1989.
lane_fn real atan_of_register_(real v) {
  real x = fabs(v);
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
  return copysign(offset_part + (r + r * z * p / q), v);
}
lane_fn real lane_atan(real v) {
  if constexpr (std::is_arithmetic_v<real>) {
    return std::atan(v);
  } else {
    return atan_of_register_(v);
  }
}

lane_fn real lane_hypot(real a, real b) {
  if constexpr (std::is_arithmetic_v<real>) {
    return std::hypot(a, b);
  } else {
    return sqrt(a * a + b * b);
  }
}
#endif
