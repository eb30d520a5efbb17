// SPDX-License-Identifier: BSD-3-Clause
// Real roots of a polynomial of degree 15, for all lanes together. Values and slopes on a fixed
// grid determine the brackets. A cell has a bracket if the value changes its sign. It may have two
// roots if the two tangents of the cell meet beyond zero, or not much before it; then the extremum
// between them decides. Three roots in one cell are taken for one root.

enum { ROOT_CELLS = 64 };  // in [-1, 1]

// Computes values and slopes of c [16] at x [4].
lane_fn void values_15(const real* c, const real* x, real* f, real* slope) {
  real f0 = c[15], f1 = f0, f2 = f0, f3 = f0, s0 = f0, s1 = f0, s2 = f0, s3 = f0;
  for (index k = 14; k > 0; --k) {
    real a = c[k];
    f0 = f0 * x[0] + a;
    f1 = f1 * x[1] + a;
    f2 = f2 * x[2] + a;
    f3 = f3 * x[3] + a;
    s0 = s0 * x[0] + f0;
    s1 = s1 * x[1] + f1;
    s2 = s2 * x[2] + f2;
    s3 = s3 * x[3] + f3;
  }
  f[0] = f0 * x[0] + c[0];
  f[1] = f1 * x[1] + c[0];
  f[2] = f2 * x[2] + c[0];
  f[3] = f3 * x[3] + c[0];
  slope[0] = s0;
  slope[1] = s1;
  slope[2] = s2;
  slope[3] = s3;
}

// Returns whether a and b have different signs; zero counts as positive.
lane_fn mask values_part(real a, real b) {
  return ((a < lane(0)) & (b >= lane(0))) | ((a >= lane(0)) & (b < lane(0)));
}

// Appends [a, b] to the *count brackets low, high [15] in the lanes of m.
lane_fn void bracket_put(real a, real b, mask m, real* low, real* high, real* count) {
  for (index s = 0; s < 15; ++s) {
    mask here = m & (*count == lane(s));
    low[s] = select(here, a, low[s]);
    high[s] = select(here, b, high[s]);
  }
  *count = fmin(*count + select(m, lane(1), lane(0)), lane(15));
}

// Returns the extremum of c [16] nearest to zero in a cell [a, b] with slopes of opposite signs at
// its ends, sa at a: ten bisections by the slope.
lane_fn real dip_of(const real* c, real a, real b, real sa) {
  for (index k = 0; k < 10; ++k) {
    real m = lane(0.5) * (a + b), f = c[15], s = f;
    for (index i = 14; i > 0; --i) {
      f = f * m + c[i];
      s = s * m + f;
    }
    mask left = s * sa > lane(0);
    a = select(left, m, a);
    b = select(left, b, m);
  }
  return lane(0.5) * (a + b);
}

// Computes the brackets of the roots of c [16] in [-1, 1), in ascending order: low, high [15].
// Returns their number.
lane_fn real root_brackets_15(const real* c, real* low, real* high) {
  const real width = lane(2) / lane(ROOT_CELLS);
  real x[4], f[4], slope[4], count = lane(0);
  real before = lane(0), slope_before = lane(0);
  for (index s = 0; s < 15; ++s) low[s] = high[s] = lane(0);
  for (index i = 0; i <= ROOT_CELLS; i += 4) {
    for (index k = 0; k < 4; ++k) x[k] = lane(-1) + width * lane(i + k);
    values_15(c, x, f, slope);
    for (index k = 0; k < 4 && i + k <= ROOT_CELLS; ++k) {
      if (i + k > 0) {
        real from = x[k] - width;
        mask parted = values_part(before, f[k]);
        mask down = (before * slope_before < lane(0)) & (f[k] * slope[k] > lane(0)) & !parted;
        real a = fabs(slope_before), b = fabs(slope[k]);
        mask near = a * fabs(f[k]) + b * fabs(before) < lane(2) * a * b * width;
        if (any(down & near)) {
          real at = dip_of(c, from, x[k], slope_before), value = c[15];
          for (index j = 14; j >= 0; --j) value = value * at + c[j];
          mask two = down & near & values_part(before, value);
          bracket_put(from, at, two, low, high, &count);
          bracket_put(at, x[k], two, low, high, &count);
        }
        if (any(parted)) bracket_put(from, x[k], parted, low, high, &count);
      }
      before = f[k];
      slope_before = slope[k];
    }
  }
  return count;
}

// Computes the root of c [16] in each of the brackets [low, high], 4 at a time, by at most 40
// Newton steps, with bisection if a step leaves the bracket.
lane_fn void brackets_refine_15(const real* c, real* low, real* high, real* x) {
  const real tolerance = lane(1e-2) * sqrt(lane_epsilon());  // the last step squares the error
  real f[4], slope[4], first[4];
  values_15(c, low, first, slope);
  for (index i = 0; i < 4; ++i) x[i] = lane(0.5) * (low[i] + high[i]);
  mask active = tolerance > lane(0);
  for (index k = 0; k < 40 && any(active); ++k) {
    real longest = lane(0);
    values_15(c, x, f, slope);
    for (index i = 0; i < 4; ++i) {
      mask left = !values_part(f[i], first[i]);
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

// Computes all real roots of c[0] + c[1] x + ... + c[15] x^15 in the first slots of roots [15]:
// first the roots in [-1, 1] in ascending order, then the remaining roots, as reciprocals of the
// roots of the reversed polynomial. Returns their number.
lane_fn real real_roots_15(const real* c, real* roots) {
  real reversed[16], low[16], high[16], x[4], total = lane(0);
  for (index i = 0; i < 15; ++i) roots[i] = lane(0);
  for (index i = 0; i < 16; ++i) reversed[i] = c[15 - i];
  low[15] = high[15] = lane(0);
  for (index part = 0; part < 2; ++part) {
    const real* own = part ? reversed : c;
    real count = root_brackets_15(own, low, high);
    for (index b = 0; b < 15 && any(count > lane(b)); b += 4) {
      brackets_refine_15(own, low + b, high + b, x);
      for (index i = 0; i < 4 && b + i < 15; ++i) {
        mask is_root = count > lane(b + i);
        real z = part ? lane(1) / x[i] : x[i];
        for (index s = 0; s < 15; ++s) roots[s] = select(is_root & (total == lane(s)), z, roots[s]);
        total = fmin(total + select(is_root, lane(1), lane(0)), lane(15));
      }
    }
  }
  return total;
}
