// SPDX-License-Identifier: BSD-3-Clause
// A pair of n points is given up after this many samples without a model that scores more than
// chance. Measured with 20 % of inliers (docs/robust.md) for models that need a sample without
// outliers.
lane_fn real hypotheses_before_giving_up(real n) { return lane(3000) + lane(8e5) / n; }
