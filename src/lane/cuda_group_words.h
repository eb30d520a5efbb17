// SPDX-License-Identifier: BSD-3-Clause
// More words for group code that only GPUs run; included after lane/cuda_begin.h, inside the class
// body. lane/cuda_group_end.h closes it.
#define lane_keep_loop _Pragma("unroll 1")

// Estimates, of 20 bits at least: without range checks.
group_fn float fast_reciprocal(float v) {
  float r;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(v));
  return r;
}
group_fn float fast_rsqrt(float v) {
  float r;
  asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(v));
  return r;
}
group_fn float fast_sqrt(float v) {
  float r;
  asm("sqrt.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(v));
  return r;
}
group_fn double fast_reciprocal(double v) {
  double r;
  asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(r) : "d"(v));
  return r;
}
group_fn double fast_rsqrt(double v) {
  double r;
  asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(r) : "d"(v));
  return r;
}
group_fn double fast_sqrt(double v) { return v * fast_rsqrt(v); }
// To the last digits.
group_fn float full_rsqrt(float v) {
  const float r = fast_rsqrt(v);
  return r * (1.5f - 0.5f * v * r * r);
}
group_fn double full_rsqrt(double v) {
  double r = fast_rsqrt(v);
  r = r * (1.5 - 0.5 * v * r * r);
  return r * (1.5 - 0.5 * v * r * r);
}
// The power of two p with 1 <= p v < 2.
group_fn float power_reciprocal(float v) {
  return __int_as_float(0x7f000000 - (__float_as_int(v) & 0x7f800000));
}
group_fn double power_reciprocal(double v) {
  return __longlong_as_double(0x7fe0000000000000 - (__double_as_longlong(v) & 0x7ff0000000000000));
}
group_fn real lane_largest() {
  return static_cast<real>(sizeof(scalar) == 4 ? 3.4028234663852886e38 : 1.7976931348623157e308);
}
group_fn real lane_smallest() {
  return static_cast<real>(sizeof(scalar) == 4 ? 1.1754943508222875e-38 : 2.2250738585072014e-308);
}

// A number of another member of the group: of member `from`, or the one whose index differs in the
// bits of `bits`.
group_fn real group_shuffle(real v, index from) { return __shfl_sync(0xffffffffu, v, from); }
group_fn real group_shuffle_xor(real v, index bits) {
  return __shfl_xor_sync(0xffffffffu, v, bits);
}

// Two numbers read at once.
using local_pair = std::conditional_t<sizeof(scalar) == 4, float2, double2>;
