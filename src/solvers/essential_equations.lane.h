// SPDX-License-Identifier: BSD-3-Clause
// The equations of essential matrices, det E = 0 and 2 E E' E - trace(E E') E = 0, on the null
// space of five epipolar equations. With E = x N0 + y N1 + z N2 + N3 they are ten cubics in x,
// y, z (H. Stewenius, C. Engels, D. Nister, Recent developments on direct relative orientation,
// ISPRS J. 60(4), 2006).

// Computes an orthonormal basis N [4][9] of the null space of five epipolar equations A [5][9],
// which are overwritten; see null_space. It is rotated by a fixed matrix. In a basis that follows
// the axes, zeros of a symmetric E move a solution to infinity: with a roll of 90 degrees and t =
// (1, 0, 0), N2 and N3 would be orthogonal to E. The matrix is the best of 40 for random poses.
lane_fn real essential_null_space(real* A, real* N) {
  const real rotation[16] = {
      lane(-0.24137094289670483),  lane(0.95373562834848402),  lane(0.15660954581350961),
      lane(-0.087188699405165312), lane(0.16292053185063182),  lane(-0.11524831424713945),
      lane(0.97878538831121531),   lane(0.046410020396067918), lane(0.95606583857757543),
      lane(0.26350794007307193),   lane(-0.12835574678577788), lane(0.0051458809225765892),
      lane(-0.033690956228944718), lane(0.08757706777668052),  lane(-0.031263653906974616),
      lane(0.9950968599148543)};
  for (index i = 0; i < 4; ++i) {
    for (index j = 0; j < 9; ++j) N[9 * i + j] = j < 5 ? lane(0) : rotation[4 * i + j - 5];
  }
  return null_space_of_rows(A, 5, 9, N);
}

// Computes the ten cubics on the null space N [4][9]: M [10][20].
lane_fn void essential_constraints(const real* N, real* M) {
  real e[36], gram[60], half_trace[10];
  for (index i = 0; i < 9; ++i) {
    for (index k = 0; k < 4; ++k) e[4 * i + k] = N[9 * k + i];
  }
  for (index i = 0; i < 60; ++i) gram[i] = lane(0);
  for (index i = 0; i < 200; ++i) M[i] = lane(0);
  // E E' - trace(E E') / 2, symmetric: 00 01 02 11 12 22
  for (index k = 0; k < 3; ++k) {
    linear_product_add(e + 4 * k, e + 4 * k, gram);
    linear_product_add(e + 4 * k, e + 12 + 4 * k, gram + 10);
    linear_product_add(e + 4 * k, e + 24 + 4 * k, gram + 20);
    linear_product_add(e + 12 + 4 * k, e + 12 + 4 * k, gram + 30);
    linear_product_add(e + 12 + 4 * k, e + 24 + 4 * k, gram + 40);
    linear_product_add(e + 24 + 4 * k, e + 24 + 4 * k, gram + 50);
  }
  for (index i = 0; i < 10; ++i) {
    half_trace[i] = lane(0.5) * (gram[i] + gram[30 + i] + gram[50 + i]);
    gram[i] -= half_trace[i];
    gram[30 + i] -= half_trace[i];
    gram[50 + i] -= half_trace[i];
  }
  for (index j = 0; j < 3; ++j) {
    const real* e0 = e + 4 * j;
    const real* e1 = e + 12 + 4 * j;
    const real* e2 = e + 24 + 4 * j;
    real* m = M + 60 * j;
    quadratic_product_add(gram, e0, m);
    quadratic_product_add(gram + 10, e1, m);
    quadratic_product_add(gram + 20, e2, m);
    quadratic_product_add(gram + 10, e0, m + 20);
    quadratic_product_add(gram + 30, e1, m + 20);
    quadratic_product_add(gram + 40, e2, m + 20);
    quadratic_product_add(gram + 20, e0, m + 40);
    quadratic_product_add(gram + 40, e1, m + 40);
    quadratic_product_add(gram + 50, e2, m + 40);
  }
  // det E, expanded along the first row
  for (index j = 0; j < 3; ++j) {
    const index j1 = (j + 1) % 3, j2 = (j + 2) % 3;
    real minor[10], negative[4];
    for (index i = 0; i < 10; ++i) minor[i] = lane(0);
    for (index i = 0; i < 4; ++i) negative[i] = -e[12 + 4 * j2 + i];
    linear_product_add(e + 12 + 4 * j1, e + 24 + 4 * j2, minor);
    linear_product_add(negative, e + 24 + 4 * j1, minor);
    quadratic_product_add(minor, e + 4 * j, M + 180);
  }
}

// Eliminates the first ten columns of M [10][20] by row operations with partial pivoting. Rows 4
// to 9 become the rows of xxz, xx, yyz, yy, xyz, xy, with the identity in front. The rows above
// remain triangular.
lane_fn void essential_eliminate(real* M) {
  for (index k = 0; k < 10; ++k) {
    real head = M[21 * k], largest = fabs(head), factor[10];
    mask is_pivot[10];
    lane_for_fixed(i, k + 1, 1, 10) {
      factor[i] = M[20 * i + k];
      if (i > k) largest = fmax(largest, fabs(factor[i]));
    }
    // Exchange row k with the first row that has the largest element.
    mask searching = !(fabs(head) >= largest);
    real pivot = head;
    lane_for_fixed(i, k + 1, 1, 10) {
      is_pivot[i] = searching & (fabs(factor[i]) >= largest);
      if (i <= k) is_pivot[i] = searching & !searching;
      searching = searching & !is_pivot[i];
      pivot = select(is_pivot[i], factor[i], pivot);
      factor[i] = select(is_pivot[i], head, factor[i]);
    }
    real inverse = lane(1) / pivot;
    for (index j = k + 1; j < 20; ++j) {
      real own = M[20 * k + j], chosen = own;
      lane_for_fixed(i, k + 1, 1, 10) chosen = select(is_pivot[i], M[20 * i + j], chosen);
      chosen = chosen * inverse;
      lane_for_fixed(i, k + 1, 1, 10) {
        if (i > k) M[20 * i + j] = select(is_pivot[i], own, M[20 * i + j]) - factor[i] * chosen;
      }
      M[20 * k + j] = chosen;
    }
  }
  for (index k = 9; k > 4; --k) {
    for (index i = 4; i < k; ++i) {
      real factor = M[20 * i + k];
      for (index j = 10; j < 20; ++j) M[20 * i + j] -= factor * M[20 * k + j];
    }
  }
}
