// SPDX-License-Identifier: BSD-3-Clause
// Singular values of small matrices on a GPU, one matrix a thread, all of it in registers. Needs
// SVD_SIZE, the constant n.

// Reads a matrix into columns a [n][n], scaled: element e at A[e step], rows from `rows` on are
// zero. Returns its scale, a power of two; NaN if it holds a NaN or an infinity (a is zero then).
group_fn real svd_read(global_const real* A, offset step, index rows, real* a) {
  real largest = lane(0);
  mask finite = largest <= largest;
  lane_unroll for (index r = 0; r < SVD_SIZE; ++r) {
    lane_unroll for (index c = 0; c < SVD_SIZE; ++c) {
      real v = r < rows ? A[(r * SVD_SIZE + c) * step] : lane(0);
      a[c * SVD_SIZE + r] = v;
      finite = finite & (fabs(v) <= lane_largest());
      largest = fmax(largest, fabs(v));
    }
  }
  real power = reciprocal_power(fmax(select(finite, largest, lane(1)), lane_smallest()));
  lane_unroll for (index e = 0; e < SVD_SIZE * SVD_SIZE; ++e) a[e] =
      select(finite, a[e], lane(0)) * power * svd_ceiling();
  return select(finite, power, lane_nan());
}

group_fn real svd_column_norm(const real* a) {
  real sum = a[0] * a[0];
  lane_unroll for (index r = 1; r < SVD_SIZE; ++r) sum += a[r] * a[r];
  return sum;
}

// Makes neighbours x, y (columns p and p + 1 of a, and of v) orthogonal and exchanges them.
group_fn mask svd_exchange(real* a, real* v, real* norm, real* scale, index p) {
  real *x = a + p * SVD_SIZE, *y = x + SVD_SIZE, *vx = v + p * SVD_SIZE, *vy = vx + SVD_SIZE;
  real dot = x[0] * y[0], tx, ty;
  lane_unroll for (index r = 1; r < SVD_SIZE; ++r) dot += x[r] * y[r];
  svd_columns c;
  c.norm_p = norm[p];
  c.norm_q = norm[p + 1];
  c.scale_p = scale[p];
  c.scale_q = scale[p + 1];
  mask parallel = svd_rotation(&c, dot, lane(0) <= lane(0), svd_tolerance2(SVD_SIZE), &tx, &ty);
  norm[p] = c.norm_q;
  norm[p + 1] = c.norm_p;
  scale[p] = c.scale_q;
  scale[p + 1] = c.scale_p;
  lane_unroll for (index r = 0; r < SVD_SIZE; ++r) {
    real old = x[r], old_v = vx[r];
    x[r] = y[r] + ty * old;
    y[r] = old - tx * y[r];
    vx[r] = vy[r] + ty * old_v;
    vy[r] = old_v - tx * vy[r];
  }
  return parallel;
}

// Orthogonalises the columns of a, a <- a J, v <- v J: rounds of pairs of neighbours, which change
// places, so that after n rounds every pair has met once. Returns whether max_sweeps were too few.
group_fn mask svd_orthogonalise(real* a, real* v, index max_sweeps) {
  real norm[SVD_SIZE], scale[SVD_SIZE];
  lane_unroll for (index c = 0; c < SVD_SIZE; ++c) scale[c] = lane(1);
  // Two rounds at a time; a sweep of (n + 1) / 2 of them.
  index sweep = 0;
  mask active = lane(0) <= lane(0);
  for (; sweep < max_sweeps && any(active); ++sweep) {
    lane_unroll for (index c = 0; c < SVD_SIZE; ++c) {
      real length2 = svd_column_norm(a + c * SVD_SIZE) * (scale[c] * scale[c]);
      norm[c] = svd_length2(length2);
    }
    mask parallel = lane(1) <= lane(0);
    lane_keep_loop for (index round = 0; round < (SVD_SIZE + 1) / 2; ++round) {
      lane_unroll for (index p = 0; p + 1 < SVD_SIZE; p += 2) parallel =
          parallel | svd_exchange(a, v, norm, scale, p);
      lane_unroll for (index p = 1; p + 1 < SVD_SIZE; p += 2) parallel =
          parallel | svd_exchange(a, v, norm, scale, p);
    }
    active = parallel;
  }
  return active;
}

// Writes the columns of a [n][n], each times its factor, at its rank, to the first `rows` rows of
// an array of `cols` columns: through memory of the group, whose members each use their own
// numbers, because a register cannot be picked by a number that differs between them.
group_fn void svd_write(const real* a, const real* factor, const index* rank, local_ptr real* own,
                        index own_step, global_ptr real* to, offset step, index rows, index cols) {
  lane_unroll for (index c = 0; c < SVD_SIZE; ++c) {
    local_ptr real* column = own + rank[c] * own_step;
    lane_unroll for (index r = 0; r < SVD_SIZE; ++r) column[r * SVD_SIZE * own_step] =
        a[c * SVD_SIZE + r] * factor[c];
  }
  lane_unroll for (index r = 0; r < SVD_SIZE; ++r) {
    lane_unroll for (index c = 0; c < SVD_SIZE; ++c) if (r < rows && c < cols)
        to[(r * cols + c) * step] = own[(r * SVD_SIZE + c) * own_step];
  }
}

// The matrix at A (element e at A[e in_step]); results of element e at S, V, U[e step]. U may be
// nullptr. own: n n numbers of this member, own_step apart. Returns a LinalgStatus.
group_fn index svd_registers(global_const real* A, offset in_step, index rows, index max_sweeps,
                             local_ptr real* own, index own_step, global_ptr real* S,
                             global_ptr real* V, global_ptr real* U, offset step) {
  real a[SVD_SIZE * SVD_SIZE], v[SVD_SIZE * SVD_SIZE];
  real power = svd_read(A, in_step, rows, a);
  lane_unroll for (index e = 0; e < SVD_SIZE * SVD_SIZE; ++e) v[e] =
      lane(e / SVD_SIZE == e % SVD_SIZE ? 1 : 0);
  mask failed = svd_orthogonalise(a, v, max_sweeps);

  // |a| = sigma |v|, both of the same unknown scale.
  real sigma[SVD_SIZE], of_u[SVD_SIZE], of_v[SVD_SIZE];
  index rank[SVD_SIZE];
  index nonzero = 0;
  real per_power = lane(1) / power, per_ceiling = lane(1) / svd_ceiling();
  real poison = power - power;  // NaN where not finite
  lane_unroll for (index c = 0; c < SVD_SIZE; ++c) {
    real length2 = svd_column_norm(a + c * SVD_SIZE);
    of_v[c] = rsqrt(svd_column_norm(v + c * SVD_SIZE)) + poison;
    mask some = length2 * of_v[c] * of_v[c] > svd_floor();
    of_u[c] = select(some, rsqrt(length2), lane(0)) + poison;
    sigma[c] = select(some, length2 * of_u[c] * of_v[c], lane(0));
    nonzero += some ? 1 : 0;
    rank[c] = 0;
  }
  lane_unroll for (index c = 0; c < SVD_SIZE; ++c) {
    lane_unroll for (index d = 0; d < c; ++d) {
      index before = sigma[c] > sigma[d] ? 1 : 0;
      rank[d] += before;
      rank[c] += 1 - before;
    }
  }
  index columns = rows < SVD_SIZE ? rows : SVD_SIZE;
  lane_unroll for (index c = 0; c < SVD_SIZE; ++c) own[rank[c] * own_step] =
      select(rank[c] < columns, sigma[c] * per_ceiling * per_power, lane(0)) + poison;
  lane_unroll for (index c = 0; c < SVD_SIZE; ++c) S[c * step] = own[c * own_step];
  svd_write(v, of_v, rank, own, own_step, V, step, SVD_SIZE, SVD_SIZE);
  if (U) {
    svd_write(a, of_u, rank, own, own_step, U, step, rows, columns);
    if (nonzero < columns && poison == lane(0)) svd_complete(U, step, rows, columns, nonzero);
  }
  return poison == lane(0) ? (failed ? 1 : 0) : 2;
}
