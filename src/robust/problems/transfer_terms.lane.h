// SPDX-License-Identifier: BSD-3-Clause
// Terms of a point in the normal equations of a map between two images (math/transfer.lane.h).

enum { TRANSFER_TERMS = 14 };

// Computes the terms of transfer_linearise at point p [4]. Returns the squared error.
lane_fn real transfer_terms(const real* H, const real* p, real* terms) {
  return transfer_linearise(H, p[0], p[1], p[2], p[3], terms);
}

// Adds w times a point's terms to the packed lower triangle N [45] and the half gradient g [9].
lane_fn void transfer_accumulate(real* terms, real w, real* N, real* g) {
  real *l = terms, *a = terms + 2, *p = terms + 5, *q = terms + 8, *r = terms + 11;
  real aq[3], ar[3];
  for (index k = 0; k < 3; ++k) {
    p[k] = masked(w, p[k]);
    q[k] = masked(w, q[k]);
    r[k] = masked(w, r[k]);
    a[k] = masked(w, w * a[k]);
  }
  l[0] = masked(w, w * l[0]);
  l[1] = masked(w, w * l[1]);
  for (index k = 0; k < 3; ++k) {
    aq[k] = a[0] * q[k] + a[1] * r[k];
    ar[k] = a[1] * q[k] + a[2] * r[k];
    g[k] -= l[0] * p[k];
    g[3 + k] -= l[1] * p[k];
    g[6 + k] += l[0] * q[k] + l[1] * r[k];
  }
  // B' A B, with the rows (-p, 0, q) and (0, -p, r) of B.
  packed_add(N, 0, 0, a[0], p, p);
  packed_add(N, 3, 0, a[1], p, p);
  packed_add(N, 3, 3, a[2], p, p);
  packed_add(N, 6, 0, lane(-1), aq, p);
  packed_add(N, 6, 3, lane(-1), ar, p);
  packed_add(N, 6, 6, lane(1), q, aq);
  packed_add(N, 6, 6, lane(1), r, ar);
}
