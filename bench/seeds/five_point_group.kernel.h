// SPDX-License-Identifier: BSD-3-Clause
// The five-point solver with one warp per sample, for a number of samples that does not fill a GPU.
// The equations are those of essential_5pt_action.lane.h. Each of 20 threads builds one column of
// the ten cubics and eliminates it in registers; the warp finds the eigenvalues of the action
// matrix; each of 10 threads then computes the eigenvector and the E of one eigenvalue.

// The parts of the group's memory, SOLVER_WORK numbers.
typedef struct {
  local_ptr scalar* N;       // null space [4][9]
  local_ptr scalar* pivots;  // two columns of 10
  local_ptr scalar* H;       // action matrix, rows 11 apart
  local_ptr scalar* kept;    // its Hessenberg form with the reflectors [10][10]
  local_ptr scalar *re, *im, *beta;
} solver_memory;

group_fn solver_memory solver_memory_of(local_ptr scalar* work) {
  solver_memory m;
  m.N = work;
  m.pivots = m.N + 36;
  m.H = m.pivots + 20;
  m.kept = m.H + 110;
  m.re = m.kept + 100;
  m.im = m.re + 10;
  m.beta = m.im + 10;
  return m;
}

// Computes the coefficients m [10] of one monomial in the nine equations E E' E = trace(E E') E / 2
// and in det E = 0, for E = x N0 + y N1 + z N2 + N3. They are sums over all orders of the
// monomial's three factors: of P Q' R - trace(P Q') R / 2, and of the determinant with rows of P,
// Q and R. Columns are in the order of essential_action_order.
group_fn void constraint_column(local_ptr const scalar* N, index column, real* m) {
  // The factors of each monomial: two bits each, 0 to 3 for x, y, z and 1.
  const index monomials[20] = {0,  21, 16, 20, 32, 37, 36, 40, 41, 42,
                               48, 53, 52, 56, 60, 57, 61, 58, 62, 63};
  const index factors = monomials[column];
  const index a = factors & 3, b = factors >> 2 & 3, c = factors >> 4;
  for (index i = 0; i < 10; ++i) m[i] = lane(0);
  for (index k = 0; k < 3; ++k) {  // the last factor of the product
    local_ptr const scalar* P = N + 9 * (k == 0 ? b : a);
    local_ptr const scalar* Q = N + 9 * (k == 2 ? b : c);
    local_ptr const scalar* R = N + 9 * (k == 0 ? a : k == 1 ? b : c);
    real S[9];  // P Q' + Q P'
    lane_unroll for (index i = 0; i < 3; ++i) {
      lane_unroll for (index j = i; j < 3; ++j) {
        real sum = lane(0);
        lane_unroll for (index e = 0; e < 3; ++e) {
          sum += P[3 * i + e] * Q[3 * j + e] + Q[3 * i + e] * P[3 * j + e];
        }
        S[3 * i + j] = sum;
        S[3 * j + i] = sum;
      }
    }
    real half_trace = lane(0.5) * (S[0] + S[4] + S[8]);
    S[0] -= half_trace;
    S[4] -= half_trace;
    S[8] -= half_trace;
    lane_unroll for (index e = 0; e < 9; ++e) {
      local_ptr const scalar* r = R + e % 3;
      const real* s = S + e / 3 * 3;
      m[e] += s[0] * r[0] + s[1] * r[3] + s[2] * r[6];
    }
    lane_unroll for (index e = 0; e < 3; ++e) {
      const index f = (e + 1) % 3, g = (e + 2) % 3;
      m[9] += R[e] * (P[3 + f] * Q[6 + g] - P[3 + g] * Q[6 + f] + Q[3 + f] * P[6 + g] -
                      Q[3 + g] * P[6 + f]);
    }
  }
  // Equal factors were counted in every order.
  const index equal = (a == b) + (b == c);
  const real share = equal == 2 ? lane(1.0 / 6) : equal == 1 ? lane(0.5) : lane(1);
  for (index i = 0; i < 10; ++i) m[i] *= share;
}

// Eliminates the first ten columns of the cubics with partial pivoting. The thread has column
// `column` in m [10]; rows 4 to 9 become the rows of xxz, yyz, xyz, xzz, yzz and zzz.
group_fn void eliminate_columns(local_ptr scalar* pivots, index column, real* m) {
  lane_unroll for (index k = 0; k < 10; ++k) {
    local_ptr scalar* p = pivots + 10 * (k % 2);  // the other column may still be read
    if (column == k) {
      lane_unroll for (index i = 0; i < 10; ++i) p[i] = m[i];
    }
    group_barrier();
    index row = k;
    real largest = fabs(p[k]), own = m[k], chosen = own;
    lane_unroll for (index i = k + 1; i < 10; ++i) {
      row = fabs(p[i]) > largest ? i : row;
      largest = fmax(largest, fabs(p[i]));
    }
    const real head = p[k];
    lane_unroll for (index i = k + 1; i < 10; ++i) {
      chosen = i == row ? m[i] : chosen;
      m[i] = i == row ? own : m[i];
    }
    chosen *= lane(1) / p[row];
    m[k] = chosen;
    lane_unroll for (index i = 0; i < 10; ++i) {
      if (i > k || (i > 3 && i < k)) m[i] -= (i == row ? head : p[i]) * chosen;
    }
  }
}

// Writes column `column` of the action matrix from column 10 + `column` of the eliminated cubics.
group_fn void write_action_column(local_ptr scalar* H, index column, const real* m) {
  lane_unroll for (index i = 0; i < 4; ++i) H[11 * i + column] = -m[4 + i];
  H[44 + column] = column == 3 ? lane(1) : lane(0);  // z x = xz
  H[55 + column] = -m[8];
  H[66 + column] = column == 5 ? lane(1) : lane(0);  // z y = yz
  H[77 + column] = -m[9];
  H[88 + column] = column == 7 ? lane(1) : lane(0);  // z z = zz
  H[99 + column] = column == 8 ? lane(1) : lane(0);  // z 1 = z
}

// Builds the action matrix of sample g in H. Returns whether the sample is independent and the
// matrix finite, for the whole group.
group_fn bool group_action_matrix(GROUP_PARAM global_const scalar* samples, index g, index trials,
                                  const solver_memory* memory) {
  real sine = lane(1), m[10];
  const index member = (index)group_member(), column = member < 20 ? member : 19;
  if (group_leads()) {
    real equations[45], N[36];
    for (index k = 0; k < 5; ++k) {
      global_const scalar* sample = samples + (offset)k * trials + g;
      epipolar_equation(sample[0], sample[(offset)5 * trials], sample[(offset)10 * trials],
                        sample[(offset)15 * trials], equations + 9 * k);
    }
    sine = null_space(equations, 5, 9, N);
    for (index e = 0; e < 36; ++e) memory->N[e] = N[e];
  }
  group_barrier();
  constraint_column(memory->N, column, m);
  eliminate_columns(memory->pivots, column, m);
  bool usable = sine > lane(1e2) * lane_epsilon();
  lane_unroll for (index i = 4; i < 10; ++i) usable = usable && fabs(m[i]) < scalar_huge();
  if (member >= 10 && member < 20) write_action_column(memory->H, member - 10, m);
  group_barrier();
  return !group_any(!usable);
}

// Finds the eigenvalues of the action matrix and keeps its Hessenberg form. Returns the norm of the
// latter, or 0 if the iteration did not converge.
group_fn scalar group_action_values(GROUP_PARAM const solver_memory* memory) {
  local_ptr scalar* H = memory->H;
  group_hessenberg(GROUP_ARG H, 10, 11, memory->beta);
  real share = lane(0);
  group_for_each(e, 100) {
    const index i = e / 10, j = e % 10;
    const scalar h = H[11 * i + j];
    memory->kept[e] = h;
    if (j + 1 < i) {
      H[11 * i + j] = (scalar)0;  // a part of a reflector
    } else {
      share += h * h;
    }
  }
  const scalar norm = sqrt(group_sum(share));
  group_barrier();
  const index state = group_francis_values(GROUP_ARG H, 10, 11, 30, memory->re, memory->im);
  group_barrier();
  return state == 0 ? norm : (scalar)0;
}

// Computes E [9] of eigenvalue e, if it is real. Returns the slot of the solution: real eigenvalues
// have the first slots.
group_fn index essential_at_value(const solver_memory* memory, scalar norm, index e, real* E) {
  real A[100], K[163], N[36], vector[10];  // K: of real_eigenpairs.lane.h
  for (index i = 0; i < 9; ++i) E[i] = lane_nan();
  index count = 0;
  for (index i = 0; i <= e; ++i) {
    if (memory->im[i] == (scalar)0) K[eigen_list(10, 2) + count++] = memory->re[i];
  }
  if (memory->im[e] != (scalar)0) return 10 - (e + 1 - count);
  for (index i = 0; i < 100; ++i) K[i] = memory->kept[i];
  for (index k = 0; k < 8; ++k) K[eigen_list(10, 0) + k] = memory->beta[k];
  K[eigen_list(10, 6)] = norm;
  for (index i = 0; i + 1 < count; ++i) eigenvalue_apart(K, 10, i, norm * lane_epsilon());
  real_eigenvector(A, K, 10, 0, count - 1, vector);
  for (index i = 0; i < 36; ++i) N[i] = memory->N[i];
  essential_at_eigenvector(N, vector, E);
  return count - 1;
}

group_kernel(solve_by_group, g, SOLVE_BY_GROUP) {
  const solver_memory memory = solver_memory_of(work);
  group_scratch_in(memory.beta + 10);
  scalar norm = (scalar)0;
  if (group_action_matrix(GROUP_ARG samples, g, trials, &memory))
    norm = group_action_values(GROUP_ARG & memory);
  const index member = (index)group_member();
  if (member < 10) {
    real found[9];
    index slot = member;
    for (index k = 0; k < 9; ++k) found[k] = lane_nan();
    if (norm > (scalar)0) slot = essential_at_value(&memory, norm, member, found);
    for (index k = 0; k < 9; ++k) E[(offset)(9 * slot + k) * trials + g] = found[k];
  }
}
