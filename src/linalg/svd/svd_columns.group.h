// SPDX-License-Identifier: BSD-3-Clause
// Singular values of matrices of up to 32 columns on a GPU, by the same rotations as
// svd_registers.group.h. A team of threads computes a matrix; a group has several teams, which
// run in lockstep.
//
// A team consists of SVD_BLOCKS blocks of SVD_ROWS members. A member holds a tile of the columns
// and of V in registers: every SVD_ROWS-th row of SVD_TILE_COLUMNS neighbouring columns. The
// columns are in places 0 .. places - 1. Even rounds make the pairs of places (0, 1), (2, 3), ...
// orthogonal and exchange them; odd rounds do so for (1, 2), (3, 4), ... After `places` rounds
// every pair has met once and the order is reversed. No other data moves between members, except
// for the pairs of odd rounds that belong to two blocks. The products of pairs are summed over the
// rows such that each member ends with the sum of one pair. It computes the rotation and stores it
// in the team's shared memory. The lengths and scales of a pair's columns move with the columns
// from member to member.
//
// Constants: SVD_PLACES, at least n and at most 32, a multiple of 2 SVD_BLOCKS; SVD_ROWS and
// SVD_BLOCKS, powers of two. group_width is a multiple of their product. SVD_PAIRS is at
// most SVD_ROWS.
#define SVD_TILE_COLUMNS (SVD_PLACES / SVD_BLOCKS)
#define SVD_TILE_PAIRS (SVD_TILE_COLUMNS / 2)
// Pairs that a member sums up: a power of two.
#define SVD_PAIRS \
  (SVD_TILE_PAIRS > 8 ? 16 : SVD_TILE_PAIRS > 4 ? 8 : SVD_TILE_PAIRS > 2 ? 4 : SVD_TILE_PAIRS)
#define SVD_TILE_ROWS ((SVD_PLACES + SVD_ROWS - 1) / SVD_ROWS)
#define SVD_TILE (SVD_TILE_COLUMNS * SVD_TILE_ROWS)
#define SVD_TEAM (SVD_ROWS * SVD_BLOCKS)

// The position of a member in its team, and the members with which its pair exchanges columns.
typedef struct {
  index row, block;     // its first row, its block
  index pair;           // its pair of the block; none if >= SVD_TILE_PAIRS
  index slot;           // its pair of the team
  index before, after;  // members of the group with the previous and the next pair (cyclic); for
                        // tiles, same row of the adjacent block
  index tile_before, tile_after;
  mask first_block, last_block, last_slot;
  index n;  // columns; the rest of SVD_PLACES is zero
  real tolerance2;
  local_ptr real* shared;  // 6 SVD_PLACES numbers for the team
} svd_place;

group_fn svd_place svd_find_place(local_ptr real* shared, index n) {
  svd_place p;
  index member = (index)group_member(), in_team = member % SVD_TEAM, team = member / SVD_TEAM;
  p.row = in_team % SVD_ROWS;
  p.block = in_team / SVD_ROWS;
  p.pair = p.row % SVD_PAIRS;
  p.slot = p.block * SVD_TILE_PAIRS + p.pair;
  index first = team * SVD_TEAM, block_before = (p.block + SVD_BLOCKS - 1) % SVD_BLOCKS,
        block_after = (p.block + 1) % SVD_BLOCKS, duplicate = p.row - p.pair;
  mask is_first = p.pair == 0, is_last = p.pair == SVD_TILE_PAIRS - 1;
  p.before =
      first + duplicate +
      (is_first ? block_before * SVD_ROWS + SVD_TILE_PAIRS - 1 : p.block * SVD_ROWS + p.pair - 1);
  p.after =
      first + duplicate + (is_last ? block_after * SVD_ROWS : p.block * SVD_ROWS + p.pair + 1);
  if (p.pair >= SVD_TILE_PAIRS) p.before = p.after = member;
  p.tile_before = first + block_before * SVD_ROWS + p.row;
  p.tile_after = first + block_after * SVD_ROWS + p.row;
  p.first_block = p.block == 0;
  p.last_block = p.block == SVD_BLOCKS - 1;
  p.last_slot = p.last_block & is_last;
  p.n = n;
  p.tolerance2 = svd_tolerance2(n);
  p.shared = shared + team * 6 * SVD_PLACES;
  return p;
}

// Returns the largest of the team's numbers.
group_fn real svd_team_max(GROUP_PARAM real v) {
  lane_unroll for (index o = 1; o < SVD_TEAM; o *= 2) v = fmax(v, group_shuffle_xor(v, o));
  return v;
}

// Sums the numbers of each pair over the rows, where part[k] belongs to pair k of the block.
// Returns to each member the sum of its own pair. Changes part.
group_fn real svd_pair_sum(GROUP_PARAM const svd_place* p, real* part) {
  lane_unroll for (index o = SVD_PAIRS / 2; o > 0; o /= 2) {
    mask upper = (p->row & o) != 0;
    lane_unroll for (index k = 0; k < o; ++k) {
      real send = select(upper, part[k], part[k + o]);
      part[k] = select(upper, part[k + o], part[k]) + group_shuffle_xor(send, o);
    }
  }
  lane_unroll for (index o = SVD_PAIRS; o < SVD_ROWS; o *= 2) part[0] +=
      group_shuffle_xor(part[0], o);
  return part[0];
}

// Computes the squared lengths of the columns in the tile, for the two places of the member's pair.
group_fn void svd_pair_norms(GROUP_PARAM const svd_place* p, const real* a, real* even, real* odd) {
  real part[2][SVD_PAIRS];
  lane_unroll for (index c = 0; c < 2 * SVD_PAIRS; ++c) {
    real sum = lane(0);
    if (c < SVD_TILE_COLUMNS) {
      lane_unroll for (index r = 0; r < SVD_TILE_ROWS; ++r) sum +=
          a[c * SVD_TILE_ROWS + r] * a[c * SVD_TILE_ROWS + r];
    }
    part[c % 2][c / 2] = sum;
  }
  *even = svd_pair_sum(GROUP_ARG p, part[0]);
  *odd = svd_pair_sum(GROUP_ARG p, part[1]);
}

// Rotates and exchanges the numbers x, y of two columns.
#define SVD_EXCHANGE(x, y, tx, ty) \
  {                                \
    real old_ = (x);               \
    (x) = (y) + (ty)*old_;         \
    (y) = old_ - (tx) * (y);       \
  }

group_fn real svd_tile_dot(const real* x, const real* y) {
  real sum = x[0] * y[0];
  lane_unroll for (index r = 1; r < SVD_TILE_ROWS; ++r) sum += x[r] * y[r];
  return sum;
}

// Computes the rotation of the member's pair and stores it for the team. `parity` is 0 in even
// rounds and 1 in odd rounds.
group_fn mask svd_pair_rotation(const svd_place* p, svd_columns* c, real dot, mask wanted,
                                index parity) {
  real tp, tq;
  mask parallel = svd_rotation(c, dot, wanted, p->tolerance2, &tp, &tq);
  if (p->row < SVD_TILE_PAIRS) {
    local_pair both;
    both.x = tp;
    both.y = tq;
    ((local_ptr local_pair*)p->shared)[parity * (SVD_PLACES / 2) + p->slot] = both;
  }
  return parallel;
}

// Rotates the numbers of the tile's pairs from column `first` on.
group_fn void svd_tile_rotate(const svd_place* p, real* a, real* v, index pairs, index first,
                              index parity) {
  const local_ptr local_pair* t = (const local_ptr local_pair*)p->shared +
                                  parity * (SVD_PLACES / 2) + p->block * SVD_TILE_PAIRS;
  lane_unroll for (index k = 0; k < pairs; ++k) {
    local_pair both = t[k];
    index x = (first + 2 * k) * SVD_TILE_ROWS, y = x + SVD_TILE_ROWS;
    lane_unroll for (index r = 0; r < SVD_TILE_ROWS; ++r) {
      SVD_EXCHANGE(a[x + r], a[y + r], both.x, both.y)
      SVD_EXCHANGE(v[x + r], v[y + r], both.x, both.y)
    }
  }
}

// Rotates the last column of the tile and the first column of the next block, `beyond`.
group_fn void svd_tile_rotate_across(GROUP_PARAM const svd_place* p, real* a, real* beyond,
                                     local_pair both) {
  lane_unroll for (index r = 0; r < SVD_TILE_ROWS; ++r) {
    const index y = (SVD_TILE_COLUMNS - 1) * SVD_TILE_ROWS + r;
    real old = a[y], back;
    a[y] = select(p->last_block, old, beyond[r] + both.y * old);
    back = group_shuffle(old - both.x * beyond[r], p->tile_before);
    a[r] = select(p->first_block, a[r], back);
  }
}

group_fn mask svd_even_round(GROUP_PARAM const svd_place* p, real* a, real* v, svd_columns* c,
                             mask wanted) {
  real part[SVD_PAIRS];
  lane_unroll for (index k = 0; k < SVD_PAIRS; ++k) part[k] =
      k < SVD_TILE_PAIRS ? svd_tile_dot(a + 2 * k * SVD_TILE_ROWS, a + (2 * k + 1) * SVD_TILE_ROWS)
                         : lane(0);
  real dot = svd_pair_sum(GROUP_ARG p, part);
  mask parallel = svd_pair_rotation(p, c, dot, wanted, 0);
  group_barrier();
  svd_tile_rotate(p, a, v, SVD_TILE_PAIRS, 0, 0);
  // The right column of a pair moves to the previous pair.
  c->norm_q = group_shuffle(c->norm_q, p->after);
  c->scale_q = group_shuffle(c->scale_q, p->after);
  return parallel;
}

// Here norm_p, scale_p belong to the first column of the pair, which the even round has moved to
// the second place.
group_fn mask svd_odd_round(GROUP_PARAM const svd_place* p, real* a, real* v, svd_columns* c,
                            mask wanted) {
  real part[SVD_PAIRS], beyond[SVD_TILE_ROWS];
  lane_unroll for (index k = 0; k < SVD_PAIRS; ++k) part[k] =
      k < SVD_TILE_PAIRS - 1
          ? svd_tile_dot(a + (2 * k + 1) * SVD_TILE_ROWS, a + (2 * k + 2) * SVD_TILE_ROWS)
          : lane(0);
  if (SVD_BLOCKS > 1) {
    lane_unroll for (index r = 0; r < SVD_TILE_ROWS; ++r) beyond[r] =
        group_shuffle(a[r], p->tile_after);
    part[SVD_TILE_PAIRS - 1] = svd_tile_dot(a + (SVD_TILE_COLUMNS - 1) * SVD_TILE_ROWS, beyond);
  }
  real dot = svd_pair_sum(GROUP_ARG p, part);
  mask parallel = svd_pair_rotation(p, c, dot, wanted & !p->last_slot, 1);
  group_barrier();
  svd_tile_rotate(p, a, v, SVD_TILE_PAIRS - 1, 1, 1);
  if (SVD_BLOCKS > 1) {
    local_pair both = ((const local_ptr local_pair*)
                           p->shared)[SVD_PLACES / 2 + (p->block + 1) * SVD_TILE_PAIRS - 1];
    svd_tile_rotate_across(GROUP_ARG p, a, beyond, both);
    lane_unroll for (index r = 0; r < SVD_TILE_ROWS; ++r) beyond[r] =
        group_shuffle(v[r], p->tile_after);
    svd_tile_rotate_across(GROUP_ARG p, v, beyond, both);
  }
  // The left column moves to the next pair; the columns at places 0 and places - 1 stay.
  real norm = c->norm_p, scale = c->scale_p;
  c->norm_p = group_shuffle(select(p->last_slot, c->norm_q, norm), p->before);
  c->scale_p = group_shuffle(select(p->last_slot, c->scale_q, scale), p->before);
  c->norm_q = select(p->last_slot, norm, c->norm_q);
  c->scale_q = select(p->last_slot, scale, c->scale_q);
  return parallel;
}

// Orthogonalises the columns: a <- a J, v <- v J. A converged matrix is unchanged except for the
// order of its columns, so that its result does not depend on its neighbours. *sweeps: number of
// reversals of the order. Returns whether max_sweeps were too few.
group_fn mask svd_team_orthogonalise(GROUP_PARAM const svd_place* p, real* a, real* v,
                                     index max_sweeps, index* sweeps) {
  svd_columns c;
  c.scale_p = c.scale_q = lane(1);
  mask active = 0 < max_sweeps;
  index sweep = 0;
  for (; sweep < max_sweeps && group_any(active); ++sweep) {
    svd_pair_norms(GROUP_ARG p, a, &c.norm_p, &c.norm_q);
    c.norm_p *= c.scale_p * c.scale_p;
    c.norm_q *= c.scale_q * c.scale_q;
    c.norm_p = svd_length2(c.norm_p);
    c.norm_q = svd_length2(c.norm_q);
    mask parallel = 0 > max_sweeps, wanted = active & (p->pair < SVD_TILE_PAIRS);
    lane_keep_loop for (index round = 0; round < SVD_PLACES / 2; ++round) {
      parallel = parallel | svd_even_round(GROUP_ARG p, a, v, &c, wanted);
      parallel = parallel | svd_odd_round(GROUP_ARG p, a, v, &c, wanted);
    }
    active = svd_team_max(GROUP_ARG parallel ? lane(1) : lane(0)) > lane(0);
  }
  *sweeps = sweep;
  return active;
}

// Reads the member's tile, scaled. Returns the scale, NaN if the matrix is not finite. Rows beyond
// the matrix are zero.
group_fn real svd_tile_read(GROUP_PARAM const svd_place* p, const svd_input* in, real* a) {
  real largest = lane(0);
  mask finite = in->rows >= 0;
  lane_unroll for (index r = 0; r < SVD_TILE_ROWS; ++r) {
    lane_unroll for (index k = 0; k < SVD_TILE_COLUMNS; ++k) {
      index row = p->row + r * SVD_ROWS, column = p->block * SVD_TILE_COLUMNS + k;
      real v = row < in->rows && column < p->n ? in->A[(row * p->n + column) * in->step] : lane(0);
      a[k * SVD_TILE_ROWS + r] = v;
      finite = finite & (fabs(v) <= lane_largest());
      largest = fmax(largest, fabs(v));
    }
  }
  largest = svd_team_max(GROUP_ARG select(finite, largest, lane(2) * lane_largest()));
  finite = largest <= lane_largest();
  real power = reciprocal_power(fmax(select(finite, largest, lane(1)), lane_smallest()));
  lane_unroll for (index e = 0; e < SVD_TILE; ++e) a[e] =
      select(finite, a[e], lane(0)) * power * svd_ceiling();
  return select(finite, power, lane_nan());
}

// Writes the member's tile, each column times its factor, at its rank.
group_fn void svd_tile_write(const svd_place* p, const real* a, const local_ptr real* factor,
                             const local_ptr real* rank, global_ptr real* to, offset step,
                             index rows, index cols) {
  lane_unroll for (index k = 0; k < SVD_TILE_COLUMNS; ++k) {
    index place = p->block * SVD_TILE_COLUMNS + k, column = (index)rank[place];
    real f = factor[place];
    lane_unroll for (index r = 0; r < SVD_TILE_ROWS; ++r) {
      index row = p->row + r * SVD_ROWS;
      if (row < rows && column < cols)
        to[(row * cols + column) * step] = a[k * SVD_TILE_ROWS + r] * f;
    }
  }
}

// Data of the columns in the team's memory, after the rotations: SVD_PLACES numbers each.
typedef struct {
  local_ptr real* sigma;        // singular values; negative in places without a column
  local_ptr real *of_u, *of_v;  // factors that make the columns of U and V unit vectors
  local_ptr real* rank;
} svd_team_columns;

group_fn svd_team_columns svd_find_columns(const svd_place* p) {
  svd_team_columns c;
  c.sigma = p->shared + 2 * SVD_PLACES;
  c.of_u = c.sigma + SVD_PLACES;
  c.of_v = c.of_u + SVD_PLACES;
  c.rank = c.of_v + SVD_PLACES;
  return c;
}

// Ranks the member's two columns by their singular values, the largest first, and writes the values
// times `unit` if `store`. columns: largest number of nonzero singular values for this matrix size;
// reversed: the order of the columns; poison: NaN if the matrix is not finite, else 0. Returns the
// number of nonzero values of the team.
group_fn index svd_rank_values(const svd_place* p, const svd_team_columns* c, index columns,
                               mask reversed, real unit, real poison, const svd_output* out,
                               mask store) {
  local_ptr const real* sigma = c->sigma;
  index nonzero = 0;
  index at = 2 * p->slot, before[2] = {0, 0};
  real even = sigma[at], odd = sigma[at + 1];
  for (index k = 0; k < SVD_PLACES; ++k) {
    real s = sigma[k];
    before[0] += s > even || (s == even && (reversed ? k > at : k < at)) ? 1 : 0;
    before[1] += s > odd || (s == odd && (reversed ? k > at + 1 : k < at + 1)) ? 1 : 0;
    nonzero += s > lane(0) ? 1 : 0;
  }
  c->rank[at] = lane(before[0]);
  c->rank[at + 1] = lane(before[1]);
  real per_ceiling = lane(1) / svd_ceiling();
  even = select(before[0] < columns, even * per_ceiling * unit, lane(0)) + poison;
  odd = select(before[1] < columns, odd * per_ceiling * unit, lane(0)) + poison;
  if (store && before[0] < p->n) out->S[before[0] * out->step] = even;
  if (store && before[1] < p->n) out->S[before[1] * out->step] = odd;
  return nonzero;
}

// Decomposes a matrix by a team, which writes its results if `store`. Returns a LinalgStatus.
group_fn index svd_team(GROUP_PARAM const svd_input* in, const svd_output* out, index max_sweeps,
                        local_ptr real* shared, mask store) {
  svd_place place = svd_find_place(shared, in->n);
  const svd_place* p = &place;
  real a[SVD_TILE], v[SVD_TILE];
  real power = svd_tile_read(GROUP_ARG p, in, a);
  lane_unroll for (index r = 0; r < SVD_TILE_ROWS; ++r) {
    lane_unroll for (index k = 0; k < SVD_TILE_COLUMNS; ++k) v[k * SVD_TILE_ROWS + r] =
        lane(p->row + r * SVD_ROWS == p->block * SVD_TILE_COLUMNS + k ? 1 : 0);
  }
  index sweeps;
  mask failed = svd_team_orthogonalise(GROUP_ARG p, a, v, max_sweeps, &sweeps);

  // |a| = sigma |v|; both have the same unknown scale. Places beyond n hold zero columns, which
  // rank after the columns of the matrix.
  real length2[2], length2_v[2];
  svd_pair_norms(GROUP_ARG p, a, &length2[0], &length2[1]);
  svd_pair_norms(GROUP_ARG p, v, &length2_v[0], &length2_v[1]);
  const svd_team_columns c = svd_find_columns(p);
  real poison = power - power;  // NaN if not finite
  index rows = in->rows, n = in->n, columns = rows < n ? rows : n;
  mask reversed = sweeps % 2 != 0;
  group_barrier();
  if (p->row < SVD_TILE_PAIRS) {
    lane_unroll for (index k = 0; k < 2; ++k) {
      index at = 2 * p->slot + k, column = reversed ? SVD_PLACES - 1 - at : at;
      real inverse_v = rsqrt(fmax(length2_v[k], lane_smallest()));
      mask some = length2[k] * inverse_v * inverse_v > svd_floor();
      real inverse = select(some, rsqrt(fmax(length2[k], lane_smallest())), lane(0));
      c.sigma[at] = column < n ? length2[k] * inverse * inverse_v : lane(-1);
      c.of_u[at] = inverse + poison;
      c.of_v[at] = inverse_v + poison;
    }
  }
  group_barrier();
  index nonzero = 0;
  if (p->row < SVD_TILE_PAIRS)
    nonzero = svd_rank_values(p, &c, columns, reversed, lane(1) / power, poison, out, store);
  group_barrier();
  if (store) {
    svd_tile_write(p, v, c.of_v, c.rank, out->V, out->step, n, n);
    if (out->U) svd_tile_write(p, a, c.of_u, c.rank, out->U, out->step, rows, columns);
  }
  group_barrier();
  if (store && out->U && p->row + p->block == 0 && nonzero < columns && poison == lane(0))
    svd_complete(out->U, out->step, rows, columns, nonzero);
  return poison == lane(0) ? (failed ? 1 : 0) : 2;
}
