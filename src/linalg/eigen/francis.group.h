// SPDX-License-Identifier: BSD-3-Clause
// Eigenvalues of an upper Hessenberg matrix by the double-shift QR iteration, computed by a group
// (J. Francis, The QR transformation, 1961; Golub, Van Loan, 7.5). Only values are computed, so
// only the active window is updated. Every member of the group computes the reflectors; each
// updates its own columns, then its own rows.

// Returns the largest l in [1, hi] whose subdiagonal H(l, l - 1) is negligible; 0 if none is.
group_fn index group_francis_split(GROUP_PARAM local_ptr scalar* H, index ld, index hi,
                                   scalar norm) {
  lane_int split = lane_int_of(0);
  group_for_range(l, 1, hi + 1) {
    real s =
        fabs(group_load_strided(H - ld - 1, l, ld + 1)) + fabs(group_load_strided(H, l, ld + 1));
    s = select(s > lane(0), s, group_same(norm));
    mask negligible = fabs(group_load_strided(H - 1, l, ld + 1)) <= lane_epsilon() * s;
    split = select_int(negligible & group_within(l, hi + 1), group_index(l), split);
  }
  return group_max_int(split);
}

// Two shifts of a sweep, with sum x + y and product x y - w.
typedef struct {
  scalar x, y, w;
} shift_pair;

// Computes the first column (p, q, r) of (H - a)(H - b) from row m down, times H(m + 1, m), for
// shifts a, b.
group_fn void group_francis_column(local_ptr scalar* H, index ld, index m, const shift_pair* shifts,
                                   scalar* p, scalar* q, scalar* r) {
  local_ptr scalar* h = H + m * ld + m;
  scalar z = h[0], below = h[ld], u = shifts->x - z, v = shifts->y - z;
  *p = u * v - shifts->w + h[1] * below;
  *q = (h[ld + 1] - z - u - v) * below;
  *r = h[2 * ld + 1] * below;
}

// Returns the largest m in [lo, hi - 2] at which the sweep may start: the two subdiagonals above
// are small.
group_fn index group_francis_start(GROUP_PARAM local_ptr scalar* H, index ld, index lo, index hi,
                                   const shift_pair* shifts) {
  lane_int start = lane_int_of(lo);
  group_for_range(m, lo + 1, hi - 1) {
    real z = group_load_strided(H, m, ld + 1);
    real below = group_load_strided(H + ld, m, ld + 1);
    real next = group_load_strided(H + ld + 1, m, ld + 1);
    real u = group_same(shifts->x) - z, v = group_same(shifts->y) - z;
    real p = u * v - group_same(shifts->w) + group_load_strided(H + 1, m, ld + 1) * below;
    real q = (next - z - u - v) * below;
    real r = group_load_strided(H + 2 * ld + 1, m, ld + 1) * below;
    real above = group_load_strided(H - ld - 1, m, ld + 1);
    real small = fabs(group_load_strided(H - 1, m, ld + 1)) * (fabs(q) + fabs(r));
    real large = fabs(p) * (fabs(above) + fabs(z) + fabs(next));
    mask here = (small <= lane_epsilon() * large) & group_within(m, hi - 1);
    start = select_int(here, group_index(m), start);
  }
  return group_max_int(start);
}

// Applies one bulge step to the window [lo, hi]: the reflector of (p, q, r) on rows and columns k,
// k + 1, k + 2, or on the first two if k + 2 > hi.
group_fn void group_francis_reflect(GROUP_PARAM local_ptr scalar* H, index ld, index lo, index hi,
                                    index k, scalar t, scalar vq, scalar vr) {
  real X = group_same(t), Y = group_same(t * vq), Z = group_same(t * vr);
  real Q = group_same(vq), R = group_same(vr);
  bool three = k + 2 <= hi;
  local_ptr scalar* row = H + k * ld;
  group_for_range(j, k, hi + 1) {
    real a = group_load(row, j), b = group_load(row + ld, j);
    if (three) {
      real c = group_load(row + 2 * ld, j);
      real s = a + Q * b + R * c;
      group_store(row, j, a - s * X, hi + 1);
      group_store(row + ld, j, b - s * Y, hi + 1);
      group_store(row + 2 * ld, j, c - s * Z, hi + 1);
    } else {
      real s = a + Q * b;
      group_store(row, j, a - s * X, hi + 1);
      group_store(row + ld, j, b - s * Y, hi + 1);
    }
  }
  group_barrier();
  index end = k + 4 <= hi + 1 ? k + 4 : hi + 1;
  local_ptr scalar* column = H + k;
  group_for_range(i, lo, end) {
    real a = group_load_strided(column, i, ld), b = group_load_strided(column + 1, i, ld);
    if (three) {
      real c = group_load_strided(column + 2, i, ld);
      real s = X * a + Y * b + Z * c;
      group_store_strided(column, i, ld, a - s, end);
      group_store_strided(column + 1, i, ld, b - s * Q, end);
      group_store_strided(column + 2, i, ld, c - s * R, end);
    } else {
      real s = X * a + Y * b;
      group_store_strided(column, i, ld, a - s, end);
      group_store_strided(column + 1, i, ld, b - s * Q, end);
    }
  }
  group_barrier();
}

// Runs one double-shift sweep over [lo, hi], starting at row m.
group_fn void group_francis_sweep(GROUP_PARAM local_ptr scalar* H, index ld, index lo, index hi,
                                  index m, const shift_pair* shifts) {
  scalar p, q, r;
  group_francis_column(H, ld, m, shifts, &p, &q, &r);
  for (index k = m; k < hi; ++k) {
    if (k > m) {
      p = H[k * ld + k - 1];
      q = H[(k + 1) * ld + k - 1];
      r = k + 2 <= hi ? H[(k + 2) * ld + k - 1] : (scalar)0;
    }
    scalar s = fabs(p) + fabs(q) + fabs(r);
    group_barrier();
    if (!(s > (scalar)0)) continue;
    if (s < scalar_tiny() || s > scalar_huge()) {  // avoids over- and underflow of the squares
      scalar f = (scalar)1 / s;
      p *= f;
      q *= f;
      r *= f;
    } else {
      s = (scalar)1;
    }
    scalar square = p * p + q * q + r * r;
    scalar inverse = rsqrt(square);
    scalar norm = p > (scalar)0 ? -square * inverse : square * inverse;
    scalar head = p - norm;
    scalar f = reciprocal(head);
    scalar t = (scalar)1 + fabs(p) * inverse;
    if (group_leads()) {
      if (k > m) {
        H[k * ld + k - 1] = norm * s;
        H[(k + 1) * ld + k - 1] = (scalar)0;
        if (k + 2 <= hi) H[(k + 2) * ld + k - 1] = (scalar)0;
      } else if (m > lo) {
        H[k * ld + k - 1] = -H[k * ld + k - 1];
      }
    }
    group_francis_reflect(GROUP_ARG H, ld, lo, hi, k, t, q * f, r * f);
  }
}

// Writes the eigenvalues of the last 2x2 block, which ends at hi, into slots hi - 1, hi.
group_fn void group_francis_pair(local_ptr scalar* H, index ld, index hi, local_ptr scalar* re,
                                 local_ptr scalar* im) {
  scalar x = H[hi * ld + hi], y = H[(hi - 1) * ld + hi - 1];
  scalar w = H[hi * ld + hi - 1] * H[(hi - 1) * ld + hi];
  scalar p = (y - x) / (scalar)2, square = p * p + w, root = sqrt(fabs(square));
  if (square >= (scalar)0) {
    scalar z = p + (p > (scalar)0 ? root : -root);
    re[hi - 1] = x + z;
    re[hi] = z != (scalar)0 ? x - w / z : x + z;
    im[hi - 1] = im[hi] = (scalar)0;
  } else {
    re[hi - 1] = re[hi] = x + p;
    im[hi - 1] = root;
    im[hi] = -root;
  }
}

// Returns the shifts of a sweep over [lo, hi]: the eigenvalues of the last 2x2 block. sweeps:
// number of sweeps since the last eigenvalue was found.
group_fn shift_pair group_francis_shifts(local_ptr const scalar* H, index ld, index lo, index hi,
                                         index sweeps) {
  scalar x = H[hi * ld + hi], y = H[(hi - 1) * ld + hi - 1];
  scalar w = H[hi * ld + hi - 1] * H[(hi - 1) * ld + hi];
  scalar middle = (scalar)0.5 * (y - x), square = middle * middle + w;
  if (square >= (scalar)0) {  // real shifts: twice the value closer to the last element
    scalar root = sqrt(square);
    scalar z = middle + (middle > (scalar)0 ? root : -root);
    x = y = z != (scalar)0 ? x - w / z : x;
    w = (scalar)0;
  }
  if (sweeps % 10 == 0) {  // exceptional shifts break cycles: from the end, from the front
    bool front = sweeps % 20 == 0;
    scalar s = front ? fabs(H[(lo + 1) * ld + lo]) + fabs(H[(lo + 2) * ld + lo + 1])
                     : fabs(H[hi * ld + hi - 1]) + fabs(H[(hi - 1) * ld + hi - 2]);
    x = y = (scalar)0.75 * s + (front ? H[lo * ld + lo] : H[hi * ld + hi]);
    w = (scalar)-0.4375 * s * s;
  }
  shift_pair shifts;
  shifts.x = x;
  shifts.y = y;
  shifts.w = w;
  return shifts;
}

// Computes all eigenvalues re + i im of the n x n Hessenberg matrix H, which is destroyed.
// Entries below the subdiagonal must be zero. Returns 0, or 1 if more than max_sweeps max(n, 10)
// sweeps were needed.
group_fn index group_francis_values(GROUP_PARAM local_ptr scalar* H, index n, index ld,
                                    index max_sweeps, local_ptr scalar* re, local_ptr scalar* im) {
  real share = lane(0);
  for (index i = 0; i < n; ++i) {
    group_for_range(j, 0, n) {
      share += select(group_within(j, n), fabs(group_load(H + i * ld, j)), lane(0));
    }
  }
  scalar norm = group_sum(share);
  index hi = n - 1, sweeps = 0, total = 0, most = max_sweeps * (n > 10 ? n : 10);
  while (hi >= 0) {
    index lo = group_francis_split(GROUP_ARG H, ld, hi, norm);
    group_barrier();
    if (lo >= hi - 1) {
      if (group_leads()) {
        if (lo == hi) {
          re[hi] = H[hi * ld + hi];
          im[hi] = (scalar)0;
        } else {
          group_francis_pair(H, ld, hi, re, im);
        }
      }
      hi = lo - 1;
      sweeps = 0;
      continue;
    }
    if (++total > most) return 1;
    ++sweeps;
    const shift_pair shifts = group_francis_shifts(H, ld, lo, hi, sweeps);
    index m = group_francis_start(GROUP_ARG H, ld, lo, hi, &shifts);
    if (lo > 0) {
      group_barrier();
      if (group_leads()) H[lo * ld + lo - 1] = (scalar)0;
      group_barrier();
    }
    group_francis_sweep(GROUP_ARG H, ld, lo, hi, m, &shifts);
  }
  return 0;
}
