// SPDX-License-Identifier: BSD-3-Clause
// Real roots of quadratics and cubics, without trigonometry. Fastest if the coefficients are of
// about unit size.

// Computes the roots x0 <= x1 of x^2 + b x + c, by the formula without cancellation. Returns 2, or
// 0 for complex roots or NaN.
lane_fn real quadratic_roots(real b, real c, real* roots) {
  real h = b * lane(-0.5);
  real discriminant = h * h - c;
  real larger = h + copysign(sqrt(fmax(discriminant, lane(0))), h);
  real smaller = select(fabs(larger) > lane(0), c / larger, lane(0));
  roots[0] = fmin(larger, smaller);
  roots[1] = fmax(larger, smaller);
  return select(discriminant >= lane(0), lane(2), lane(0));
}

// Returns the real root of x^3 + a x^2 + b x + c that is alone on its side of the inflection point;
// it is simple unless the root is triple. Uses Halley's method from beyond the root (E. Halley,
// Phil. Trans. Roy. Soc. 18, 1694; for cubics U. Deiters, R. Macias-Salinas, Ind. Eng. Chem. Res.
// 53, 2014). At most 60 iterations, typically 3.
lane_fn real cubic_lone_root(real a, real b, real c) {
  // y = x - inflection satisfies y^3 - q y + p = 0. By symmetry the root is -sign(p) times the
  // positive root of y^3 - q y - |p|.
  real inflection = a * lane(-1.0 / 3.0);
  real q = a * a * lane(1.0 / 3.0) - b;
  real p = c + inflection * (b + inflection * (a + inflection));
  real magnitude = fabs(p), third = fmax(q, lane(0)) * lane(1.0 / 3.0);
  // Upper bounds: 2 sqrt(q / 3) for three real roots. Otherwise r + max(q, 0) / (3 r) for any r not
  // below cbrt|p|, such as (2 |p|^(1/4) + |p|^(1/2)) / 3: a geometric mean never exceeds the
  // arithmetic mean.
  real inner = lane(2) * sqrt(third);
  real root = sqrt(magnitude);
  real r = lane(1.0 / 3.0) * (lane(2) * sqrt(root) + root);
  real y = select(inner * (inner * inner - q) >= magnitude, inner, r + third / r);
  mask active = fabs(y) > lane(0);
  for (index i = 0; i < 60 && any(active); ++i) {
    real y2 = y * y;
    real value = y * (y2 - q) - magnitude, slope = lane(3) * y2 - q;
    real step = value * slope / (slope * slope - lane(3) * y * value);
    step = select(active, step, lane(0));
    y -= step;
    // The next step is smaller than 2 (step / y)^3 y.
    active = active & (fabs(step * step * step) > lane(0.5) * lane_epsilon() * fabs(y * y2));
  }
  return inflection - copysign(y, p);
}

// Computes the real roots of x^3 + a x^2 + b x + c: the lone root first, then the two remaining
// roots in ascending order if they are real. Returns 1 or 3.
lane_fn real cubic_roots(real a, real b, real c, real* roots) {
  real r = cubic_lone_root(a, b, c);
  real a1 = a + r;
  real count = quadratic_roots(a1, b + r * a1, roots + 1);
  for (index i = 1; i < 3; ++i) {
    real x = roots[i];
    real slope = b + x * (lane(2) * a + lane(3) * x);
    real step = (c + x * (b + x * (a + x))) / slope;
    // One Newton step corrects the error of the division by (x - r). It is omitted at a double
    // root, because it would diverge.
    roots[i] = select(fabs(step) <= lane(1e-3) * fabs(x - r), x - step, x);
  }
  roots[0] = r;
  return lane(1) + count;
}
