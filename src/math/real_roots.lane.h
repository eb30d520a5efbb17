// SPDX-License-Identifier: BSD-3-Clause
// Real roots of a polynomial in [-1, 1], all lanes together. The roots of each derivative separate
// those of the one before it, so that a ladder of derivatives, from the quadratic up, brackets
// every root. Brackets are worked on five at a time, which keeps the multipliers busy; each lane
// keeps its own list of roots, so a further five are only touched when some lane needs them.

// Value at x of the polynomial c[0] + c[1] x + ... + c[degree] x^degree.
lane_fn real polynomial_value(const real* c, index degree, real x) {
  real v = c[degree];
  for (index i = degree - 1; i >= 0; --i) v = v * x + c[i];
  return v;
}

// Does a continuous function with these values at two ends change its sign between them? Zero
// counts as positive.
lane_fn mask sign_change(real a, real b) {
  return ((a < lane(0)) & (b >= lane(0))) | ((a >= lane(0)) & (b < lane(0)));
}

// Values of c and of its derivative d at 5 points: five at a time keeps the multipliers busy and
// everything in registers.
lane_fn void polynomial_pair_5(const real* c, const real* d, index degree, const real* x, real* f,
                               real* slope) {
  real f0 = c[degree], f1 = f0, f2 = f0, f3 = f0, f4 = f0;
  real s0 = d[degree - 1], s1 = s0, s2 = s0, s3 = s0, s4 = s0;
  for (index k = degree - 1; k > 0; --k) {
    real a = c[k], b = d[k - 1];
    f0 = f0 * x[0] + a;
    f1 = f1 * x[1] + a;
    f2 = f2 * x[2] + a;
    f3 = f3 * x[3] + a;
    f4 = f4 * x[4] + a;
    s0 = s0 * x[0] + b;
    s1 = s1 * x[1] + b;
    s2 = s2 * x[2] + b;
    s3 = s3 * x[3] + b;
    s4 = s4 * x[4] + b;
  }
  f[0] = f0 * x[0] + c[0];
  f[1] = f1 * x[1] + c[0];
  f[2] = f2 * x[2] + c[0];
  f[3] = f3 * x[3] + c[0];
  f[4] = f4 * x[4] + c[0];
  slope[0] = s0;
  slope[1] = s1;
  slope[2] = s2;
  slope[3] = s3;
  slope[4] = s4;
}

// Values of c at 5 points.
lane_fn void polynomial_values_5(const real* c, index degree, const real* x, real* f) {
  real f0 = c[degree], f1 = f0, f2 = f0, f3 = f0, f4 = f0;
  for (index k = degree - 1; k >= 0; --k) {
    real a = c[k];
    f0 = f0 * x[0] + a;
    f1 = f1 * x[1] + a;
    f2 = f2 * x[2] + a;
    f3 = f3 * x[3] + a;
    f4 = f4 * x[4] + a;
  }
  f[0] = f0;
  f[1] = f1;
  f[2] = f2;
  f[3] = f3;
  f[4] = f4;
}

// Roots of the polynomial c of `degree` with derivative d in the brackets ends[i]..ends[i + 1], i <
// 5, at whose ends it has the given values: a few halvings, then Newton steps, halving again where
// they leave the bracket, until no step is longer than `tolerance`; at most 60 rounds. Brackets
// without a change of sign shrink to their lower end. A lane that is done waits unchanged, so that
// its result does not depend on its neighbours.
lane_fn void brackets_refine_5(const real* c, const real* d, index degree, const real* ends,
                               const real* values, real tolerance, real* x) {
  real low[5], high[5], f[5], slope[5];
  for (index i = 0; i < 5; ++i) {
    low[i] = ends[i];
    high[i] = select(sign_change(values[i], values[i + 1]), ends[i + 1], ends[i]);
    x[i] = lane(0.5) * (low[i] + high[i]);
  }
  // A halving costs half of a Newton step, which wanders in a wide bracket between two extrema (4
  // and 6 measured best).
  for (index k = 0; k < (degree < 10 ? 4 : 6); ++k) {
    polynomial_values_5(c, degree, x, f);
    for (index i = 0; i < 5; ++i) {
      mask left = f[i] * values[i] > lane(0);
      low[i] = select(left, x[i], low[i]);
      high[i] = select(left, high[i], x[i]);
      x[i] = lane(0.5) * (low[i] + high[i]);
    }
  }
  mask active = tolerance > lane(0);
  for (index k = 0; k < 60 && any(active); ++k) {
    real longest = lane(0);
    polynomial_pair_5(c, d, degree, x, f, slope);
    for (index i = 0; i < 5; ++i) {
      mask left = f[i] * values[i] > lane(0);
      low[i] = select(left, x[i], low[i]);
      high[i] = select(left, high[i], x[i]);
      real next = x[i] - f[i] / slope[i];
      mask inside = (next >= low[i]) & (next <= high[i]);
      next = select(inside, next, lane(0.5) * (low[i] + high[i]));
      next = select(active, next, x[i]);
      longest = fmax(longest, fabs(next - x[i]));
      x[i] = next;
    }
    active = active & (longest > tolerance);
  }
}

// c: 11 coefficients, lowest first. x: [10], the roots in order from the front. Returns their
// number.
lane_fn real unit_roots_10(const real* c, real* x) {
  // Row d: the derivative of degree d, d + 1 coefficients.
  real ladder[11 * 11];
  for (index i = 0; i < 11; ++i) ladder[110 + i] = c[i];
  for (index d = 9; d >= 1; --d) {
    for (index i = 0; i <= d; ++i) ladder[11 * d + i] = ladder[11 * (d + 1) + i + 1] * lane(i + 1);
  }
  // ends: -1, the roots of the derivative, 1, 1, ...
  real ends[16], values[16], reached[5];
  real count = quadratic_roots(ladder[23] / ladder[24], ladder[22] / ladder[24], x);
  for (index i = 0; i < 16; ++i) ends[i] = lane(1);
  ends[0] = lane(-1);
  for (index i = 0; i < 2; ++i) {
    ends[i + 1] = select(count > lane(0), fmax(lane(-1), fmin(lane(1), x[i])), lane(1));
  }
  for (index d = 3; d <= 10; ++d) {
    const real* p = ladder + 11 * d;
    real separators = count;
    count = lane(0);
    for (index i = 0; i < 10; ++i) x[i] = lane(1);
    values[0] = polynomial_value(p, d, ends[0]);
    for (index b = 0; b < 10 && any(separators >= lane(b)); b += 5) {
      polynomial_values_5(p, d, ends + b + 1, values + b + 1);
      // Newton's last step squares the error.
      real tolerance = d < 10 ? lane(1e-3) : lane(1e-2) * sqrt(lane_epsilon());
      brackets_refine_5(p, p - 11, d, ends + b, values + b, tolerance, reached);
      for (index i = 0; i < 5; ++i) {
        mask crossing = sign_change(values[b + i], values[b + i + 1]);
        for (index s = 0; s <= b + i; ++s) {
          x[s] = select(crossing & (count == lane(s)), reached[i], x[s]);
        }
        count += select(crossing, lane(1), lane(0));
      }
    }
    for (index i = 0; i < 10; ++i) ends[i + 1] = x[i];
  }
  return count;
}

// All real roots of a polynomial of degree 10, those beyond [-1, 1] as the reciprocals of the roots
// of the reversed polynomial. Returns their number; they fill roots[10] from the front: first those
// in [-1, 1] in order, then the others.
lane_fn real real_roots_10(const real* c, real* roots) {
  real beyond[10], reversed[11];
  for (index i = 0; i < 11; ++i) reversed[i] = c[10 - i];
  real count = unit_roots_10(c, roots);
  real more = unit_roots_10(reversed, beyond);
  for (index i = 0; i < 10 && any(more > lane(i)); ++i) {
    mask valid = more > lane(i);
    real z = lane(1) / beyond[i];
    for (index s = i; s < 10; ++s) roots[s] = select(valid & (count == lane(s)), z, roots[s]);
    count += select(valid, lane(1), lane(0));
  }
  return fmin(count, lane(10));
}
