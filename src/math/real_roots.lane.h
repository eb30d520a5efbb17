// SPDX-License-Identifier: BSD-3-Clause
// Real roots of a polynomial in [-1, 1], all lanes together. The roots of each derivative separate
// those of the one before it, so that a ladder of derivatives, from the quadratic up, brackets
// every root: d brackets at degree d, all worked on at once. A bracket without a change of sign
// leaves some point of itself, which is a harmless further separator: no branches, no lists.

// Value at x of the polynomial c[0] + c[1] x + ... + c[degree] x^degree.
lane_fn real polynomial_value(const real* c, index degree, real x) {
  real v = c[degree];
  for (index i = degree - 1; i >= 0; --i) v = v * x + c[i];
  return v;
}

// The point in (0, 1) where the cubic with values 0 and 1 and zero slopes at both ends is about s
// in [0, 1].
lane_fn real smoothstep_inverse(real s) {
  mask upper = s > lane(0.5);
  real r = select(upper, lane(1) - s, s);
  // r = t^2 (3 - 2 t), from t = sqrt(r / 3).
  real root = sqrt(r * lane(1.0 / 3.0));
  real t = root * (lane(1) + root * (lane(1.0 / 3.0) + root * lane(0.3)));
  return select(upper, lane(1) - t, t);
}

// Newton steps on the polynomial c of `degree` with derivative d in each of the brackets
// ends[i]..ends[i + 1], i < degree, bisecting where Newton leaves the bracket, until no step is
// longer than `tolerance`; at most `bound` rounds. values: of c at the ends. x: the points reached;
// an end of the bracket where the ends' signs agree.
lane_fn void bracket_refine(const real* c, const real* d, index degree, const real* ends,
                            const real* values, real tolerance, index bound, real* x) {
  real low[10], high[10], sign[10];
  for (index i = 0; i < degree; ++i) {
    mask crossing = values[i] * values[i + 1] <= lane(0);
    sign[i] = values[i];
    low[i] = ends[i];
    high[i] = select(crossing, ends[i + 1], ends[i]);
    real share = select(crossing, values[i] / (values[i] - values[i + 1]), lane(0));
    x[i] = low[i] + (high[i] - low[i]) * smoothstep_inverse(share);
  }
  mask active = tolerance > lane(0);
  for (index k = 0; k < bound && any(active); ++k) {
    real longest = lane(0);
    for (index i = 0; i < degree; ++i) {
      real f = polynomial_value(c, degree, x[i]);
      real slope = polynomial_value(d, degree - 1, x[i]);
      mask left = f * sign[i] > lane(0);
      low[i] = select(left, x[i], low[i]);
      high[i] = select(left, high[i], x[i]);
      real next = x[i] - f / slope;
      mask inside = (next >= low[i]) & (next <= high[i]);
      next = select(inside, next, lane(0.5) * (low[i] + high[i]));
      next = select(active, next, x[i]);  // a lane that is done does not depend on its neighbours
      longest = fmax(longest, fabs(next - x[i]));
      x[i] = next;
    }
    active = active & (longest > tolerance);
  }
}

// c: 11 coefficients, lowest first. x: 10 candidates, in order; found[i]: 1 where x[i] is a root,
// else 0.
lane_fn void unit_roots_10(const real* c, real* x, real* found) {
  // Row d: the derivative of degree d, d + 1 coefficients.
  real ladder[11 * 11];
  for (index i = 0; i < 11; ++i) ladder[110 + i] = c[i];
  for (index d = 9; d >= 1; --d) {
    for (index i = 0; i <= d; ++i) ladder[11 * d + i] = ladder[11 * (d + 1) + i + 1] * lane(i + 1);
  }
  real ends[12], values[12], next[10];
  real count = quadratic_roots(ladder[23] / ladder[24], ladder[22] / ladder[24], next);
  for (index i = 0; i < 2; ++i) {
    next[i] = select(count > lane(0), next[i], lane(0));
    ends[i + 1] = fmax(lane(-1), fmin(lane(1), next[i]));
  }
  ends[0] = lane(-1);
  ends[3] = lane(1);
  for (index d = 3; d <= 10; ++d) {
    for (index i = 0; i <= d; ++i) values[i] = polynomial_value(ladder + 11 * d, d, ends[i]);
    bracket_refine(ladder + 11 * d, ladder + 11 * (d - 1), d, ends, values,
                   d < 10 ? lane(1e-4) : lane(4) * lane_epsilon(), 60, next);
    if (d == 10) break;
    for (index i = 0; i < d; ++i) ends[i + 1] = next[i];
    ends[d + 1] = lane(1);
  }
  for (index i = 0; i < 10; ++i) {
    x[i] = next[i];
    found[i] = select((values[i] < lane(0)) & (values[i + 1] >= lane(0)), lane(1), lane(0)) +
               select((values[i] >= lane(0)) & (values[i + 1] < lane(0)), lane(1), lane(0));
  }
}

// All real roots of a polynomial of degree 10, those beyond [-1, 1] as the reciprocals of the roots
// of the reversed polynomial. Returns their number; they fill roots[10] from the front: first those
// in [-1, 1] in order, then the others.
lane_fn real real_roots_10(const real* c, real* roots) {
  real x[10], found[10], reversed[11];
  real count = lane(0);
  for (index i = 0; i < 10; ++i) roots[i] = lane(0);
  unit_roots_10(c, x, found);
  for (index i = 0; i < 10; ++i) {
    for (index s = 0; s <= i; ++s)
      roots[s] = select((found[i] > lane(0)) & (count == lane(s)), x[i], roots[s]);
    count += found[i];
  }
  for (index i = 0; i < 11; ++i) reversed[i] = c[10 - i];
  unit_roots_10(reversed, x, found);
  for (index i = 0; i < 10; ++i) {
    real z = lane(1) / x[i];
    for (index s = 0; s < 10; ++s)
      roots[s] = select((found[i] > lane(0)) & (count == lane(s)), z, roots[s]);
    count += found[i];
  }
  return count;
}
