// SPDX-License-Identifier: BSD-3-Clause
// Real roots of quadratics and cubics, without trigonometry. Fastest when the coefficients are
// about unit size.

// Roots x0 <= x1 of x^2 + b x + c, by the form that does not cancel. Returns 2 or 0 (complex roots
// or NaN).
lane_fn real quadratic_roots(real b, real c, real* roots) {
  real h = b * lane(-0.5);
  real discriminant = h * h - c;
  real larger = h + copysign(sqrt(fmax(discriminant, lane(0))), h);
  real smaller = select(fabs(larger) > lane(0), c / larger, lane(0));
  roots[0] = fmin(larger, smaller);
  roots[1] = fmax(larger, smaller);
  return select(discriminant >= lane(0), lane(2), lane(0));
}

// The real root of x^3 + a x^2 + b x + c that lies alone on its side of the inflection point:
// simple unless the root is triple. Newton's method from beyond it, where it converges
// monotonically after at most one overshoot (cf. U. Deiters, R. Macias-Salinas, Ind. Eng. Chem.
// Res. 53, 2014). At most 60 iterations, about 6 as a rule.
lane_fn real cubic_lone_root(real a, real b, real c) {
  // y = x - inflection obeys y^3 - q y + p = 0.
  real inflection = a * lane(-1.0 / 3.0);
  real q = a * a * lane(1.0 / 3.0) - b;
  real p = c + inflection * (b + inflection * (a + inflection));
  // |y| <= 2 sqrt(q / 3) when three roots are real; |y| <= sqrt(q) + cbrt|p| <= sqrt(q) + (|p| + 2)
  // / 3 always; and, when q < 0, |p / q|.
  real magnitude = fabs(p);
  real inner = lane(2) * sqrt(fmax(q, lane(0)) * lane(1.0 / 3.0));
  real outer = sqrt(fmax(q, lane(0))) + (magnitude + lane(2)) * lane(1.0 / 3.0);
  outer = select(q * outer < -magnitude, magnitude / -q, outer);
  real y = select(inner * (inner * inner - q) >= magnitude, inner, outer);
  // By symmetry the root is -sign(p) times the positive root of y^3 - q y - |p|.
  mask active = fabs(y) > lane(0);
  for (index i = 0; i < 60 && any(active); ++i) {
    real y2 = y * y;
    real step = (y * (y2 - q) - magnitude) / (lane(3) * y2 - q);
    step = select(active, step, lane(0));
    y -= step;
    active = active & (fabs(step) > lane(4) * lane_epsilon() * fabs(y));
  }
  return inflection - copysign(y, p);
}

// Real roots of x^3 + a x^2 + b x + c: the lone root first, then the other two in order when they
// are real. Returns 1 or 3.
lane_fn real cubic_roots(real a, real b, real c, real* roots) {
  real r = cubic_lone_root(a, b, c);
  real a1 = a + r;
  real count = quadratic_roots(a1, b + r * a1, roots + 1);
  for (index i = 1; i < 3; ++i) {
    real x = roots[i];
    real slope = b + x * (lane(2) * a + lane(3) * x);
    real step = (c + x * (b + x * (a + x))) / slope;
    // One Newton step mends what the division by (x - r) lost; not at a double root, where it would
    // jump.
    roots[i] = select(fabs(step) <= lane(1e-3) * fabs(x - r), x - step, x);
  }
  roots[0] = r;
  return lane(1) + count;
}
