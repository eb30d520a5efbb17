// SPDX-License-Identifier: BSD-3-Clause
// The words of one lane that lane/cpp_begin.h and lane/cuda_begin.h share. Included inside the
// class body.
using real = Real;
using mask = typename bifocal::lane::traits<Real>::mask;
using index = int;
using offset = std::ptrdiff_t;                                   // of an element in a large array
using lane_int = typename bifocal::lane::traits<Real>::integer;  // a whole number per lane
using scalar = typename bifocal::lane::traits<Real>::element;    // result of a group-wide sum
using lane_ops = bifocal::lane::ops<Real>;
using wide = typename bifocal::lane::traits<Real>::wide;  // a lane in double precision
using wide_ops_ = bifocal::lane::ops<wide>;
using bits8 = std::uint8_t;
using bits16 = std::uint16_t;
using bits32 = std::uint32_t;
// Types of kernel arguments (lane/kernel_words.h).
using kernel_int = int;
using kernel_float = float;
using kernel_double = double;
using kernel_real = Real;
using kernel_scalar = scalar;
using kernel_offset = offset;
using kernel_bits8 = bits8;
using kernel_bits16 = bits16;
using kernel_bits32 = bits32;

// Returns the high half of a product.
lane_fn bits32 bits_mul_high(bits32 a, bits32 b) {
  return static_cast<bits32>(static_cast<std::uint64_t>(a) * b >> 32);
}
lane_fn index bits_count(bits32 v) {
#ifdef __CUDA_ARCH__
  return __popc(v);
#else
  return __builtin_popcount(v);
#endif
}
lane_fn bits32 float_bits(float v) { return __builtin_bit_cast(bits32, v); }
lane_fn float bits_float(bits32 v) { return __builtin_bit_cast(float, v); }
lane_fn_apart scalar scalar_log(scalar v) { return std::log(v); }

lane_fn real lane(double v) { return lane_ops::set(v); }
lane_fn real select(mask m, real a, real b) { return lane_ops::select(m, a, b); }
lane_fn bool any(mask m) { return lane_ops::any(m); }
lane_fn bool all(mask m) { return lane_ops::all(m); }
lane_fn real sqrt(real v) { return lane_ops::sqrt(v); }
lane_fn real fabs(real v) { return lane_ops::fabs(v); }
lane_fn real fmin(real a, real b) { return lane_ops::fmin(a, b); }
lane_fn real fmax(real a, real b) { return lane_ops::fmax(a, b); }
lane_fn real copysign(real a, real b) { return lane_ops::copysign(a, b); }
// These accept normal numbers (sqrt_normal: also zero) and are accurate to about an ulp. On some
// devices they are cheaper than / and sqrt.
lane_fn real reciprocal(real v) { return lane_ops::reciprocal(v); }
lane_fn real sqrt_normal(real v) { return lane_ops::sqrt_normal(v); }
// Conversions between a lane and a lane in double precision, and the functions that the latter has
// besides + - *.
lane_fn auto widen(real v) { return lane_ops::widen(v); }
lane_fn real narrow(wide v) { return lane_ops::narrow(v); }
lane_fn wide wide_of(index k) { return wide_ops_::set(k); }
lane_fn wide wide_fabs(wide v) { return wide_ops_::fabs(v); }
lane_fn wide wide_fmax(wide a, wide b) { return wide_ops_::fmax(a, b); }
lane_fn wide wide_reciprocal(wide v) { return wide_ops_::reciprocal(v); }
lane_fn lane_int lane_int_of(index k) { return lane_ops::integer(k); }
lane_fn lane_int select_int(mask m, lane_int a, lane_int b) {
  return lane_ops::select_integer(m, a, b);
}
// Reductions over the lanes of a register; on a GPU a thread's own value.
lane_fn index lanes_min(lane_int k) { return lane_ops::lowest(k); }
lane_fn index lanes_max(lane_int k) { return lane_ops::highest(k); }
lane_fn scalar lanes_sum(real v) { return lane_ops::sum(v); }
// Returns 1 / sqrt(v), accurate to about an ulp, for normal numbers v > 0. Uses an estimate and
// Newton steps instead of division and square root on targets where this is cheaper.
lane_fn real rsqrt(real v) { return lane_ops::rsqrt(v); }
// Returns the power of two p with 1 <= p v < 2, for v > 0 below half of the largest number. For
// zero and very small numbers it returns the largest such power.
lane_fn real reciprocal_power(real v) { return lane_ops::reciprocal_power(v); }
// Functions of plain numbers that are equal for the whole group.
lane_fn scalar sqrt(scalar v) requires(!std::is_same_v<scalar, real>) { return std::sqrt(v); }
lane_fn scalar fabs(scalar v) requires(!std::is_same_v<scalar, real>) { return std::fabs(v); }
lane_fn scalar reciprocal(scalar v) requires(!std::is_same_v<scalar, real>) { return 1 / v; }
lane_fn scalar rsqrt(scalar v) requires(!std::is_same_v<scalar, real>) { return 1 / std::sqrt(v); }
// Returns the distance from 1 to the next number in the precision of the lane.
lane_fn real lane_epsilon() {
  return lane(sizeof(scalar) == 4 ? 1.1920929e-7 : 2.220446049250313e-16);
}
lane_fn real lane_nan() { return lane(__builtin_nan("")); }
// About sqrt(smallest normal number / epsilon): smaller numbers lose digits when squared.
lane_fn real lane_tiny() { return lane(sizeof(scalar) == 4 ? 3e-16 : 1e-146); }
// Returns the largest power of two not above v >= 0, clamped so that its reciprocal is a
// normal number.
lane_fn real power_of_two(real v) { return lane_ops::power_of_two(v); }
// Numbers between scalar_tiny and scalar_huge have squares and products without
// over- and underflow.
lane_fn scalar scalar_tiny() { return static_cast<scalar>(sizeof(scalar) == 4 ? 1e-17 : 1e-140); }
lane_fn scalar scalar_huge() { return static_cast<scalar>(sizeof(scalar) == 4 ? 1e17 : 1e140); }
