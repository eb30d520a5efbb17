// SPDX-License-Identifier: BSD-3-Clause
// Balancing and Householder reduction to Hessenberg form of one n x n matrix, by a group (B.
// Parlett, C. Reinsch, Balancing a matrix, 1969; G. Golub, C. Van Loan, Matrix Computations, 4th
// ed., 7.4.3, 7.5.7). The matrix is in memory of the group, row i at H + i ld. An odd ld avoids
// bank conflicts between the members of a GPU's group that read columns.

// Scales rows and columns by powers of two until the 1-norms of row i and column i differ by at
// most a factor of two, in at most 16 rounds. scale[i]: factor of unknown i, by which eigenvector
// components must be multiplied.
group_fn void group_balance(GROUP_PARAM local_ptr scalar* H, index n, index ld,
                            local_ptr scalar* scale) {
  group_for_range(i, 0, n) group_store(scale, i, lane(1), n);
  group_barrier();
  for (index round = 0; round < 16; ++round) {
    // Test all rows at once, because most matrices need no scaling.
    mask unequal = lane(1) < lane(0);
    group_for_range(i, 0, n) {
      real row = lane(0), column = lane(0);
      for (index j = 0; j < n; ++j) {
        row += fabs(group_load_strided(H + j, i, ld));
        column += fabs(group_load(H + j * ld, i));
      }
      real diagonal = fabs(group_load_strided(H, i, ld + 1));
      row -= diagonal;
      column -= diagonal;
      real low = fmin(row, column), high = fmax(row, column);
      unequal = unequal | (group_within(i, n) & (low > lane(0)) & (high > lane(2) * low));
    }
    if (!group_any(unequal)) break;
    bool scaled = false;
    for (index k = 0; k < n; ++k) {
      real row_share = lane(0), column_share = lane(0);
      group_for_range(j, 0, n) {
        mask use = group_within(j, n) & !group_equals(j, k);
        row_share += select(use, fabs(group_load(H + k * ld, j)), lane(0));
        column_share += select(use, fabs(group_load_strided(H + k, j, ld)), lane(0));
      }
      scalar row = group_sum(row_share), column = group_sum(column_share);
      scalar factor = (scalar)1, c = column;
      if (row > (scalar)0 && column > (scalar)0) {
        while (c < row / (scalar)2 && factor < (scalar)1e15) {
          factor *= (scalar)2;
          c *= (scalar)4;
        }
        while (c >= row * (scalar)2 && factor > (scalar)1e-15) {
          factor /= (scalar)2;
          c /= (scalar)4;
        }
      }
      if (factor != (scalar)1 &&
          c + row < (scalar)0.95 * factor * (column + row)) {  // (c + r) / f has to shrink
        scaled = true;
        real up = group_same(factor), down = group_same((scalar)1 / factor);
        group_barrier();
        group_for_range(j, 0, n) {
          group_store(H + k * ld, j, group_load(H + k * ld, j) * down, n);
        }
        group_barrier();
        group_for_range(j, 0, n) {
          group_store_strided(H + k, j, ld, group_load_strided(H + k, j, ld) * up, n);
        }
        if (group_leads()) scale[k] *= factor;
        group_barrier();
      }
    }
    if (!scaled) break;
  }
}

// Undoes the balancing if zeros or grading left the factors unbounded and the matrix did not become
// smaller in proportion. The error of an eigenvector grows by up to max scale / min scale when it
// is transformed back. `before`: the largest element before balancing.
group_fn void group_balance_undo(GROUP_PARAM local_ptr scalar* H, index n, index ld, scalar before,
                                 local_ptr scalar* scale) {
  real high = lane(0), low = lane(0), after = lane(0);
  group_for_range(j, 0, n) {
    mask inside = group_within(j, n);
    real s = group_load(scale, j);
    high = fmax(high, select(inside, s, lane(0)));
    low = fmax(low, select(inside, lane(1) / s, lane(0)));
    for (index i = 0; i < n; ++i)
      after = fmax(after, select(inside, fabs(group_load(H + i * ld, j)), lane(0)));
  }
  scalar spread = group_max(high) * group_max(low), largest = group_max(after);
  if (!(spread > (scalar)1) || spread * largest <= (scalar)256 * before) return;
  for (index i = 0; i < n; ++i) {
    group_for_range(j, 0, n) {
      real h = group_load(H + i * ld, j) * group_same(scale[i]) / group_load(scale, j);
      group_store(H + i * ld, j, h, n);
    }
  }
  group_barrier();
  group_for_range(j, 0, n) group_store(scale, j, lane(1), n);
  group_barrier();
}

// Computes H = Q' A Q. Column k stores the reflector I - beta[k] v v' below its subdiagonal: v[k +
// 1] = 1, v[i] = H(i, k) for i > k + 1.
group_fn void group_hessenberg(GROUP_PARAM local_ptr scalar* H, index n, index ld,
                               local_ptr scalar* beta) {
  for (index k = 0; k + 2 < n; ++k) {
    real share = lane(0);
    group_for_range(i, k + 2, n) {
      real x = select(group_within(i, n), group_load_strided(H + k, i, ld), lane(0));
      share += x * x;
    }
    scalar tail = group_sum(share), head = H[(k + 1) * ld + k];
    group_barrier();
    if (!(tail > (scalar)0)) {
      if (group_leads()) beta[k] = (scalar)0;
      continue;
    }
    scalar norm = sqrt(head * head + tail);
    scalar diagonal = head > (scalar)0 ? -norm : norm;
    scalar first = head - diagonal, b = -first / diagonal;
    real inverse = group_same((scalar)1 / first);
    group_for_range(i, k + 2, n) {
      group_store_strided(H + k, i, ld, group_load_strided(H + k, i, ld) * inverse, n);
    }
    if (group_leads()) {
      beta[k] = b;
      H[(k + 1) * ld + k] = diagonal;
    }
    group_barrier();
    real factor = group_same(b);
    group_for_range(j, k + 1, n) {  // from the left: columns
      real t = group_load(H + (k + 1) * ld, j);
      for (index i = k + 2; i < n; ++i) t += group_same(H[i * ld + k]) * group_load(H + i * ld, j);
      t *= factor;
      group_store(H + (k + 1) * ld, j, group_load(H + (k + 1) * ld, j) - t, n);
      for (index i = k + 2; i < n; ++i)
        group_store(H + i * ld, j, group_load(H + i * ld, j) - t * group_same(H[i * ld + k]), n);
    }
    group_barrier();
    group_for_range(i, 0, n) {  // from the right: rows
      real t = group_load_strided(H + k + 1, i, ld);
      for (index j = k + 2; j < n; ++j)
        t += group_load_strided(H + j, i, ld) * group_same(H[j * ld + k]);
      t *= factor;
      group_store_strided(H + k + 1, i, ld, group_load_strided(H + k + 1, i, ld) - t, n);
      for (index j = k + 2; j < n; ++j) {
        real x = group_load_strided(H + j, i, ld) - t * group_same(H[j * ld + k]);
        group_store_strided(H + j, i, ld, x, n);
      }
    }
    group_barrier();
  }
}
