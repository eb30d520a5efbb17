// SPDX-License-Identifier: BSD-3-Clause
// Weights and qualities of matches as whole numbers, so that all devices give the same result.

// Returns a weight relative to the largest, in whole steps of 2^-24, at least one. Sums of such
// steps are exact in double, in any order.
lane_fn double weight_steps(double weight, double largest) {
  const double steps = (double)(offset)(weight / largest * 16777216.0 + 0.5);
  return steps > 1 ? steps : 1;
}

// Returns a key that orders qualities as floats: a greater key for a greater quality, 0 for NaN.
lane_fn bits32 quality_key(double quality) {
  if (!(quality == quality)) return 0;
  const bits32 bits = float_bits((float)quality + 0.0f);  // -0 is 0
  return bits >> 31 ? ~bits : bits | 0x80000000u;
}
