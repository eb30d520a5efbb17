// SPDX-License-Identifier: BSD-3-Clause
// The last fit ends when the score rises by less than this part; until the scale of the noise has
// settled a model nearby suffices.
lane_fn scalar polish_tolerance(index is_settled) {
  return is_settled ? (scalar)1e-6 : (scalar)1e-4;
}
