// SPDX-License-Identifier: BSD-3-Clause
// Number of samples after which a pair of n points is given up if no model has scored more
// than chance. Measured with 20 % of inliers (docs/robust.md) for models that need an
// outlier-free sample.
lane_fn real hypotheses_before_giving_up(real n) { return lane(3000) + lane(8e5) / n; }
