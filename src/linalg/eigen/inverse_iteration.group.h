// SPDX-License-Identifier: BSD-3-Clause
// The eigenvector of a real eigenvalue by one solve of inverse iteration on the Hessenberg form,
// by a group (J. Wilkinson, The Algebraic Eigenvalue Problem, 1965; as in LAPACK's dhsein). Only
// one solve is made: with the exact shift, a second solve spoils the residual of nearly
// defective eigenvalues.

// Computes W = U, the LU factor of H - lambda I with exchanges of neighbouring rows; its diagonal
// holds the reciprocals of the pivots. kept: row-major n x n, H in its upper Hessenberg part.
group_fn void group_hessenberg_lu(GROUP_PARAM local_ptr scalar* W, index n, index ld,
                                  global_ptr const scalar* kept, scalar lambda, scalar tiny) {
  for (index i = 0; i < n; ++i) {
    group_for_range(j, i > 0 ? i - 1 : 0, n) {
      real h = group_load(kept + i * n, j);
      group_store(W + i * ld, j, select(group_equals(j, i), h - group_same(lambda), h), n);
    }
  }
  group_barrier();
  for (index k = 0; k < n; ++k) {
    scalar upper = W[k * ld + k], lower = k + 1 < n ? W[(k + 1) * ld + k] : (scalar)0;
    bool exchange = fabs(lower) > fabs(upper);
    scalar pivot = exchange ? lower : upper;
    if (!(fabs(pivot) > tiny)) pivot = tiny;
    scalar inverse = reciprocal(pivot);
    real factor = group_same((exchange ? upper : lower) * inverse);
    group_barrier();
    if (group_leads()) W[k * ld + k] = inverse;
    if (k + 1 < n) {
      group_for_range(j, k + 1, n) {
        real a = group_load(W + k * ld, j), b = group_load(W + (k + 1) * ld, j);
        group_store(W + k * ld, j, exchange ? b : a, n);
        group_store(W + (k + 1) * ld, j, exchange ? a - factor * b : b - factor * a, n);
      }
    }
    group_barrier();
  }
}

// x := U^-1 b, scaled down during the solve if it would overflow. The elements of b are
// +-start, and +-odd_start at index `odd`; their signs are chosen so that x grows, as in
// condition estimators.
group_fn void group_upper_solve(GROUP_PARAM local_ptr scalar* W, index n, index ld, scalar start,
                                index odd, scalar odd_start, local_ptr scalar* x) {
  group_for_range(i, 0, n) group_store(x, i, lane(0), n);
  group_barrier();
  for (index i = n - 1; i >= 0; --i) {
    scalar b = i == odd ? odd_start : start;
    scalar xi = (x[i] + (x[i] < (scalar)0 ? -b : b)) * W[i * ld + i];
    group_barrier();
    if (!(fabs(xi) < scalar_huge())) {
      scalar f = (scalar)1 / scalar_huge();
      group_for_range(j, 0, n) group_store(x, j, group_load(x, j) * group_same(f), n);
      xi *= f;
      start *= f;
      odd_start *= f;
      group_barrier();
    }
    real factor = group_same(xi);
    group_for_range(j, 0, i) {
      group_store(x, j, group_load(x, j) - group_load_strided(W + i, j, ld) * factor, i);
    }
    if (group_leads()) x[i] = xi;
    group_barrier();
  }
}

group_fn scalar group_largest(GROUP_PARAM local_ptr const scalar* x, index n) {
  real largest = lane(0);
  group_for_range(i, 0, n) {
    largest = fmax(largest, select(group_within(i, n), fabs(group_load(x, i)), lane(0)));
  }
  return group_max(largest);
}

group_fn void group_normalise(GROUP_PARAM local_ptr scalar* x, index n) {
  scalar largest = group_largest(GROUP_ARG x, n);
  real down = group_same(largest > (scalar)0 ? (scalar)1 / largest : (scalar)0);
  real share = lane(0);
  group_for_range(i, 0, n) {
    real v = group_load(x, i) * down;
    share += select(group_within(i, n), v * v, lane(0));
  }
  scalar norm = sqrt(group_sum(share));
  real scale = down * group_same(norm > (scalar)0 ? (scalar)1 / norm : (scalar)0);
  group_barrier();
  group_for_range(i, 0, n) group_store(x, i, group_load(x, i) * scale, n);
  group_barrier();
}

// Computes the unit eigenvector x of H for lambda. W: scratch memory of n x ld numbers. norm: norm
// of H. If the solution has not grown, the start vector was nearly orthogonal to the eigenvector,
// and another start vector is tried.
group_fn void group_inverse_iteration(GROUP_PARAM local_ptr scalar* W, index n, index ld,
                                      global_ptr const scalar* kept, scalar lambda, scalar norm,
                                      local_ptr scalar* x) {
  scalar tiny = group_first(lane_epsilon()) * norm;
  group_hessenberg_lu(GROUP_ARG W, n, ld, kept, lambda, tiny);
  // The right-hand side has size tiny, so that a good solution has size about 1.
  scalar root = sqrt((scalar)n);
  group_upper_solve(GROUP_ARG W, n, ld, tiny, -1, tiny, x);
  for (index attempt = 0; attempt < 5 && attempt < n; ++attempt) {
    if (group_largest(GROUP_ARG x, n) * root > (scalar)0.05) break;
    group_barrier();
    group_upper_solve(GROUP_ARG W, n, ld, tiny / (root + (scalar)1), n - 1 - attempt, tiny * root,
                      x);
  }
  group_normalise(GROUP_ARG x, n);
}

// x := diag(scale) Q x for the reflectors stored at reflectors[k n + i], i > k + 1.
group_fn void group_back_transform(GROUP_PARAM global_ptr const scalar* reflectors,
                                   local_ptr const scalar* beta, local_ptr const scalar* scale,
                                   index n, local_ptr scalar* x) {
  for (index k = n - 3; k >= 0; --k) {
    real share = lane(0);
    group_for_range(i, k + 2, n) {
      real v = group_load(reflectors + k * n, i) * group_load(x, i);
      share += select(group_within(i, n), v, lane(0));
    }
    scalar t = (group_sum(share) + x[k + 1]) * beta[k];
    group_barrier();
    real factor = group_same(t);
    group_for_range(i, k + 2, n) {
      group_store(x, i, group_load(x, i) - factor * group_load(reflectors + k * n, i), n);
    }
    if (group_leads()) x[k + 1] -= t;
    group_barrier();
  }
  group_for_range(i, 0, n) group_store(x, i, group_load(x, i) * group_load(scale, i), n);
  group_barrier();
}
