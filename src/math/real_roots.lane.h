// SPDX-License-Identifier: BSD-3-Clause
// Real roots of a polynomial of degree 10, for all lanes together: counted at fixed places by
// Sturm's theorem, separated by bisection, refined by Newton's method.
//   D. Nister, An efficient solution to the five-point relative pose problem, PAMI 26(6), 2004
//   (Sturm's sequence by its quotients).
// A place z = x / y is given by t, -1 <= t <= 1, with x = 1.5 t and y = 1 - t^2 - 3/8 x. Equal
// steps of t are about equal angles, over which five-point samples distribute their roots. The last
// term of y breaks two symmetries: without it, t = 1 would be infinity, and z -> -z would be t ->
// -t. Samples of a camera that moved along its image rows, and other regular samples, have a root
// at infinity or only even powers, for which Sturm's sequence ends early.

// Computes the quotients of Sturm's sequence of p, degree 10, as a polynomial in x / (y + 3/8 x):
// f[0] ~ p, f[1] ~ p', f[k] = (a x + b) f[k + 1] - c f[k + 2]. chain [30]: a, b, c of k = 0 to 8,
// then f[9] (constant, slope) and f[10]. They are computed in double precision, but stored as
// `real`: in float the quotients miscount the roots of 1 to 2 % of five-point samples, in double
// 0.1 %. OpenCL devices without cl_khr_fp64 compute in the precision of `real`.
lane_fn void sturm_chain_10(const real* p, real* chain) {
  wide u[11], v[11], largest;
  for (index i = 0; i < 11; ++i) u[i] = widen(p[i]);
  const wide shear = widen(lane(0.375));
  lane_unroll for (index k = 10; k > 0; --k) {
    for (index i = 0; i < k; ++i) u[i + 1] = u[i + 1] - shear * u[i];
  }
  for (index i = 0; i < 10; ++i) v[i] = u[i + 1] * wide_of(i + 1);
  v[10] = wide_of(0);
  lane_unroll for (index k = 0; k < 9; ++k) {
    // u, of degree n + 1, and v, of degree n, become v and the negative remainder of u divided
    // by v.
    const index n = 9 - k;
    wide inverse = wide_reciprocal(v[n]);
    wide a = u[n + 1] * inverse, b = (u[n] - a * v[n - 1]) * inverse;
    u[0] = b * v[0] - u[0];
    largest = wide_fabs(u[0]);
    for (index i = 1; i < n; ++i) {
      u[i] = a * v[i - 1] + b * v[i] - u[i];
      largest = wide_fmax(largest, wide_fabs(u[i]));
    }
    real c = narrow(largest);
    wide scale = widen(reciprocal(c));
    for (index i = 0; i < n; ++i) {
      wide remainder = u[i] * scale;
      u[i] = v[i];
      v[i] = remainder;
    }
    u[n] = v[n];
    chain[3 * k] = narrow(a);
    chain[3 * k + 1] = narrow(b);
    chain[3 * k + 2] = c;
  }
  chain[27] = narrow(u[0]);
  chain[28] = narrow(u[1]);
  chain[29] = narrow(v[0]);
}

// Counts the sign changes of the sequence at 4 places. The number of roots between two places is
// the number of changes at the lower place minus the number at the upper place. Four places at a
// time keep the multipliers busy.
lane_fn void sturm_changes_4(const real* chain, const real* t, real* changes) {
  real x[4], y[4], f[4], after[4], sign[4];
  lane_unroll for (index i = 0; i < 4; ++i) {
    x[i] = lane(1.5) * t[i];
    y[i] = lane(1) - t[i] * t[i];
    after[i] = chain[29];
    f[i] = chain[28] * x[i] + chain[27] * y[i];
    sign[i] = copysign(lane(1), f[i]);
    changes[i] = lane(5) - copysign(lane(0.5), chain[29]) * sign[i];
  }
  lane_unroll for (index k = 8; k >= 0; --k) {
    lane_unroll for (index i = 0; i < 4; ++i) {
      real before = (chain[3 * k] * x[i] + chain[3 * k + 1] * y[i]) * f[i] -
                    chain[3 * k + 2] * (y[i] * y[i]) * after[i];
      real own = copysign(lane(1), before);
      changes[i] -= lane(0.5) * own * sign[i];
      sign[i] = own;
      after[i] = f[i];
      f[i] = before;
    }
  }
}

// Computes values and slopes at x[i] of the polynomials c[i] [11] of degree 10, i < 4.
lane_fn void polynomials_4(const real* c, const real* x, real* f, real* slope) {
  lane_unroll for (index i = 0; i < 4; ++i) {
    f[i] = c[11 * i + 10];
    slope[i] = f[i];
  }
  lane_unroll for (index k = 9; k > 0; --k) {
    lane_unroll for (index i = 0; i < 4; ++i) {
      f[i] = f[i] * x[i] + c[11 * i + k];
      slope[i] = slope[i] * x[i] + f[i];
    }
  }
  lane_unroll for (index i = 0; i < 4; ++i) f[i] = f[i] * x[i] + c[11 * i];
}

// Separates roots number first to first + 3, in ascending order of t, from the remaining roots.
// Computes brackets low[i] <= t < high[i] and the number of roots held[i] in each: 0 for a missing
// root, more than 1 if 12 bisections could not separate roots. chain [31]: see
// sturm_chain_10(), then the number of sign changes at t = 1. below [8]: numbers of roots below
// t = -3/4, -2/4, ..., 4/4, the last of which counts all roots.
lane_fn void roots_part_4(const real* chain, const real* below, index first, real* low, real* high,
                          real* held) {
  real until[4], since[4], middle[4], changes[4];  // numbers of roots below the ends of the bracket
  lane_unroll for (index i = 0; i < 4; ++i) {
    low[i] = lane(-1);
    since[i] = lane(0);
    until[i] = below[7];
    lane_unroll for (index j = 6; j >= 0; --j) until[i] =
        select(below[j] > lane(first + i), below[j], until[i]);
    lane_unroll for (index j = 0; j < 7; ++j) {
      mask passed = below[j] <= lane(first + i);
      low[i] = select(passed, lane(0.25 * (j - 3)), low[i]);
      since[i] = select(passed, below[j], since[i]);
    }
    high[i] = low[i] + lane(0.25);
    held[i] = select(below[7] > lane(first + i), until[i] - since[i], lane(0));
  }
  real most = fmax(fmax(held[0], held[1]), fmax(held[2], held[3]));
  for (index step = 0; step < 12 && any(most > lane(1)); ++step) {
    lane_unroll for (index i = 0; i < 4; ++i) middle[i] = lane(0.5) * (low[i] + high[i]);
    sturm_changes_4(chain, middle, changes);
    most = lane(0);
    lane_unroll for (index i = 0; i < 4; ++i) {
      // Below infinity the number of changes is 10 minus the number above: each degree is one less
      // than the previous.
      real count = lane(10) - chain[30] - changes[i];
      mask halve = held[i] > lane(1), passed = count <= lane(first + i);
      low[i] = select(halve & passed, middle[i], low[i]);
      since[i] = select(halve & passed, count, since[i]);
      high[i] = select(halve & !passed, middle[i], high[i]);
      until[i] = select(halve & !passed, count, until[i]);
      held[i] = select(halve, until[i] - since[i], held[i]);
      most = fmax(most, held[i]);
    }
  }
}

// Computes z = x / y of a place.
lane_fn void root_place(real t, real* x, real* y) {
  *x = lane(1.5) * t;
  *y = lane(1) - t * t - lane(0.375) * *x;
}

// Refines the roots in 4 brackets by Newton's method on z, or on 1 / z if |z| > 1, with bisection
// if a step leaves the bracket. held: numbers of roots in the brackets. is_root: whether `root`
// holds a root, which is false for an empty bracket.
lane_fn void roots_refine_4(const real* c, const real* low, const real* high, const real* held,
                            real* root, mask* is_root) {
  real own[44], x[4], f[4], slope[4], f_low[4], z_low[4], z_high[4], step[4];
  mask beyond[4];
  lane_unroll for (index i = 0; i < 4; ++i) {
    real x0, y0, x1, y1;
    root_place(lane(0.5) * (low[i] + high[i]), &x0, &y0);
    beyond[i] = fabs(x0) > fabs(y0);
    lane_unroll for (index k = 0; k < 11; ++k) {
      own[11 * i + k] = select(beyond[i], c[10 - k], c[k]);
    }
    root_place(low[i], &x0, &y0);
    root_place(high[i], &x1, &y1);
    z_low[i] = select(beyond[i], y0, x0) / select(beyond[i], x0, y0);
    z_high[i] = select(beyond[i], y1, x1) / select(beyond[i], x1, y1);
    x[i] = lane(0.5) * (z_low[i] + z_high[i]);
  }
  polynomials_4(own, z_high, f, slope);
  polynomials_4(own, z_low, f_low, slope);
  const real tolerance = lane(1e-2) * sqrt(lane_epsilon());  // the last step squares the error
  real longest = lane(0);
  lane_unroll for (index i = 0; i < 4; ++i) {
    // Newton's method needs a sign change. Without it, two inseparable roots become the middle of
    // their bracket, and a single root does not exist but was miscounted due to rounding.
    mask crossed = f_low[i] * f[i] <= lane(0);
    is_root[i] = (held[i] > lane(1)) | ((held[i] > lane(0)) & crossed);
    mask moves = is_root[i] & crossed;
    z_low[i] = select(moves, z_low[i], x[i]);
    z_high[i] = select(moves, z_high[i], x[i]);
    longest = select(moves, lane(1), longest);
  }
  for (index k = 0; k < 60 && any(longest > tolerance); ++k) {
    mask active = longest > tolerance;  // a converged lane waits, whatever its neighbours do
    polynomials_4(own, x, f, slope);
    longest = lane(0);
    lane_unroll for (index i = 0; i < 4; ++i) {
      mask same = f[i] * f_low[i] > lane(0);
      z_low[i] = select(same, x[i], z_low[i]);
      z_high[i] = select(same, z_high[i], x[i]);
      real next = x[i] - f[i] / slope[i];
      mask inside = (next - z_low[i]) * (next - z_high[i]) <= lane(0);
      next = select(inside, next, lane(0.5) * (z_low[i] + z_high[i]));
      step[i] = select(active, next - x[i], lane(0));
      x[i] += step[i];
      longest = fmax(longest, fabs(step[i]));
    }
  }
  lane_unroll for (index i = 0; i < 4; ++i) root[i] = select(beyond[i], lane(1) / x[i], x[i]);
}

// Computes all real roots of c[0] + c[1] x + ... + c[10] x^10 and returns their number. roots [10]
// receives the roots in order of t: ascending from -8/3, then the roots below -8/3, also ascending;
// unused slots are 0. If c[10] = 0, the root at infinity is infinite or a very large number. Two
// roots whose angles differ by less than 1e-4 may become two equal numbers or be lost by rounding.
lane_fn real real_roots_10(const real* c, real* roots) {
  real chain[31], t[4], below[8], low[4], high[4], held[4], root[4], count = lane(0);
  mask is_root[4];
  sturm_chain_10(c, chain);
  for (index j = 0; j < 8; j += 4) {
    for (index i = 0; i < 4; ++i) t[i] = lane(0.25 * (j + i - 3));
    sturm_changes_4(chain, t, below + j);
  }
  chain[30] = below[7];
  for (index j = 0; j < 8; ++j) below[j] = lane(10) - chain[30] - below[j];
  for (index i = 0; i < 10; ++i) roots[i] = lane(0);
  for (index first = 0; first < 10 && any(below[7] > lane(first)); first += 4) {
    roots_part_4(chain, below, first, low, high, held);
    roots_refine_4(c, low, high, held, root, is_root);
    for (index i = 0; i < 4 && first + i < 10; ++i) {
      for (index s = 0; s <= first + i; ++s)
        roots[s] = select(is_root[i] & (count == lane(s)), root[i], roots[s]);
      count += select(is_root[i], lane(1), lane(0));
    }
  }
  return count;
}
