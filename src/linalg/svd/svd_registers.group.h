// SPDX-License-Identifier: BSD-3-Clause
// Singular values of small matrices on a GPU: one matrix per thread, entirely in registers. Needs
// SVD_SIZE, the constant n.

// Reads a matrix into the columns a [n][n], scaled; rows beyond the matrix are zero. Returns its
// scale, a power of two. If it contains a NaN or an infinity, the scale is NaN and a is zero.
group_fn real svd_read(const svd_input* in, real* a) {
  real largest = lane(0);
  mask finite = largest <= largest;
  lane_unroll for (index r = 0; r < SVD_SIZE; ++r) {
    lane_unroll for (index c = 0; c < SVD_SIZE; ++c) {
      real v = r < in->rows ? in->A[(r * SVD_SIZE + c) * in->step] : lane(0);
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

// Makes the neighbouring columns x, y (columns p and p + 1 of a, and of v) orthogonal and
// exchanges them.
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

// Orthogonalises the columns of a: a <- a J, v <- v J. Rounds rotate pairs of neighbouring columns
// and exchange them, so that after n rounds every pair has met once. Returns whether max_sweeps
// were too few.
group_fn mask svd_orthogonalise(real* a, real* v, index max_sweeps) {
  real norm[SVD_SIZE], scale[SVD_SIZE];
  lane_unroll for (index c = 0; c < SVD_SIZE; ++c) scale[c] = lane(1);
  // An iteration has two rounds; a sweep has (n + 1) / 2 iterations.
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

// Memory of the group with n n private numbers for a member: number e at numbers[e step].
typedef struct {
  local_ptr real* numbers;
  index step;
} svd_own;

// The part of an output that svd_write writes: `rows` rows of `cols` columns, element e at
// to[e step].
typedef struct {
  global_ptr real* to;
  offset step;
  index rows, cols;
} svd_written;

// Writes the columns of a [n][n], each times its factor, at its rank. The columns pass
// through memory of the group, because registers cannot be indexed by a number that differs
// between members.
group_fn void svd_write(const real* a, const real* factor, const index* rank, const svd_own* own,
                        const svd_written* out) {
  lane_unroll for (index c = 0; c < SVD_SIZE; ++c) {
    local_ptr real* column = own->numbers + rank[c] * own->step;
    lane_unroll for (index r = 0; r < SVD_SIZE; ++r) column[r * SVD_SIZE * own->step] =
        a[c * SVD_SIZE + r] * factor[c];
  }
  lane_unroll for (index r = 0; r < SVD_SIZE; ++r) {
    lane_unroll for (index c = 0; c < SVD_SIZE; ++c) if (r < out->rows && c < out->cols)
        out->to[(r * out->cols + c) * out->step] = own->numbers[(r * SVD_SIZE + c) * own->step];
  }
}

// Decomposes a matrix of SVD_SIZE columns. Returns a LinalgStatus.
group_fn index svd_registers(const svd_input* in, const svd_output* out, index max_sweeps,
                             const svd_own* own) {
  real a[SVD_SIZE * SVD_SIZE], v[SVD_SIZE * SVD_SIZE];
  real power = svd_read(in, a);
  lane_unroll for (index e = 0; e < SVD_SIZE * SVD_SIZE; ++e) v[e] =
      lane(e / SVD_SIZE == e % SVD_SIZE ? 1 : 0);
  mask failed = svd_orthogonalise(a, v, max_sweeps);

  // |a| = sigma |v|; both have the same unknown scale.
  real sigma[SVD_SIZE], of_u[SVD_SIZE], of_v[SVD_SIZE];
  index rank[SVD_SIZE];
  index nonzero = 0;
  real per_power = lane(1) / power, per_ceiling = lane(1) / svd_ceiling();
  real poison = power - power;  // NaN if not finite
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
  index columns = in->rows < SVD_SIZE ? in->rows : SVD_SIZE;
  lane_unroll for (index c = 0; c < SVD_SIZE; ++c) own->numbers[rank[c] * own->step] =
      select(rank[c] < columns, sigma[c] * per_ceiling * per_power, lane(0)) + poison;
  lane_unroll for (index c = 0; c < SVD_SIZE; ++c) out->S[c * out->step] =
      own->numbers[c * own->step];
  const svd_written V = {out->V, out->step, SVD_SIZE, SVD_SIZE};
  svd_write(v, of_v, rank, own, &V);
  if (out->U) {
    const svd_written U = {out->U, out->step, in->rows, columns};
    svd_write(a, of_u, rank, own, &U);
    if (nonzero < columns && poison == lane(0))
      svd_complete(out->U, out->step, in->rows, columns, nonzero);
  }
  return poison == lane(0) ? (failed ? 1 : 0) : 2;
}
