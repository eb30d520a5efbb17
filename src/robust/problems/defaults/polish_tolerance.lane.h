// SPDX-License-Identifier: BSD-3-Clause
// Relative increase of the score below which the last fit ends. It is larger until the scale of the
// noise has settled, because an approximate model suffices until then.
lane_fn scalar polish_tolerance(index is_settled) {
  return is_settled ? (scalar)1e-6 : (scalar)1e-4;
}
