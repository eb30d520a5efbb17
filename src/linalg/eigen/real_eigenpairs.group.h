// SPDX-License-Identifier: BSD-3-Clause
// Real eigenvalues and their right eigenvectors of one unsymmetric matrix, by a group: see
// bifocal/linalg.hpp (real_eigenpairs).

// The parts of the group's memory: EIGEN_GROUP_USED(n) numbers.
typedef struct {
  local_ptr scalar* H;  // [n][n | 1]
  local_ptr scalar *re, *im;
  local_ptr scalar* beta;   // of the reflectors of the Hessenberg form
  local_ptr scalar* scale;  // row factors of the balancing
  local_ptr scalar* x;      // an eigenvector
} eigen_memory;

group_fn eigen_memory group_eigen_memory(local_ptr scalar* work, index n) {
  eigen_memory m;
  m.H = work;
  m.re = work + n * (n | 1);
  m.im = m.re + n;
  m.beta = m.im + n;
  m.scale = m.beta + n;
  m.x = m.scale + n;
  return m;
}

// Computes the eigenvalues re and im of the matrix in H, which is finite with elements up to
// `largest`. Also computes the data for the eigenvectors: the Hessenberg form and the reflectors in
// `kept`, beta and scale. H is destroyed. Returns the status.
group_fn index group_eigenvalues(GROUP_PARAM const eigen_memory* memory, index n, scalar largest,
                                 bool balance, index max_sweeps, global_ptr scalar* kept) {
  local_ptr scalar* H = memory->H;
  local_ptr scalar* scale = memory->scale;
  index ld = n | 1;
  if (balance) {
    group_balance(GROUP_ARG H, n, ld, scale);
    group_balance_undo(GROUP_ARG H, n, ld, largest, scale);
  } else {
    group_for_range(i, 0, n) group_store(scale, i, lane(1), n);
    group_barrier();
  }
  group_hessenberg(GROUP_ARG H, n, ld, memory->beta);
  global_ptr scalar* reflectors = kept + n * n;
  for (index i = 0; i < n; ++i) {
    group_for_range(j, 0, n) {
      real h = group_load(H + i * ld, j);
      group_store(kept + i * n, j, h, n);
      group_store(reflectors + i * n, j, group_load_strided(H + i, j, ld), n);
    }
  }
  group_barrier();
  for (index i = 2; i < n; ++i) {
    group_for_range(j, 0, i - 1) group_store(H + i * ld, j, lane(0), i - 1);
  }
  group_barrier();
  return group_francis_values(GROUP_ARG H, n, ld, max_sweeps, memory->re, memory->im);
}

// Returns the largest absolute element of the Hessenberg form in `kept`, its norm for tests
// of size.
group_fn scalar group_kept_norm(GROUP_PARAM global_ptr const scalar* kept, index n) {
  real largest = lane(0);
  for (index i = 0; i < n; ++i) {
    group_for_range(j, i > 0 ? i - 1 : 0, n) {
      real h = select(group_within(j, n), fabs(group_load(kept + i * n, j)), lane(0));
      largest = fmax(largest, h);
    }
  }
  return group_max(largest);
}

// Returns the eigenvalue in slot i, moved away from equal eigenvalues in later slots, which were
// found before. Equal eigenvalues would get the same vector.
group_fn scalar group_separate(local_ptr const scalar* re, local_ptr const scalar* im, index n,
                               index i, scalar tiny) {
  scalar value = re[i];
  for (index j = n - 1; j > i; --j) {
    if (im[j] == (scalar)0 && fabs(re[j] - value) < tiny) value += tiny;
  }
  return value;
}

// Returns |A v - lambda v| / |A| for a unit vector v; A is in global memory.
group_fn scalar group_residual(GROUP_PARAM global_ptr const scalar* A, offset element, index n,
                               local_ptr const scalar* v, scalar lambda, scalar scale) {
  real error = lane(0), size = lane(0);
  group_for_range(i, 0, n) {
    real sum = lane(0), row = lane(0);
    for (index j = 0; j < n; ++j) {
      real a = group_load_far(A + j * element, i, n * element) * group_same(scale);
      sum += a * group_same(v[j]);
      row += a * a;
    }
    sum -= group_same(lambda) * group_load(v, i);
    error += select(group_within(i, n), sum * sum, lane(0));
    size += select(group_within(i, n), row, lane(0));
  }
  scalar square = group_sum(size), miss = group_sum(error);
  return square > (scalar)0 ? sqrt(miss / square) : sqrt(miss);
}

// Returns a power of two that scales `largest` so that its square is representable.
group_fn scalar group_power_scale(scalar largest) {
  scalar scale = (scalar)1;
  if (largest > scalar_huge() || (largest < scalar_tiny() && largest > (scalar)0)) {
    while (largest * scale > (scalar)2) scale *= (scalar)0.5;
    while (largest * scale < (scalar)1) scale *= (scalar)2;
  }
  return scale;
}

// Loads the n x n matrix at `a` into H, whose rows are ld apart, times a power of two with which
// the square of its largest element is representable. Returns this factor, or 0 if an element is
// not finite; `most` receives the largest element before scaling.
group_fn scalar group_load_scaled(GROUP_PARAM global_ptr const scalar* a, offset element, index n,
                                  local_ptr scalar* H, index ld, scalar* most) {
  real largest = lane(0);
  mask finite = lane(0) <= lane(0);
  for (index i = 0; i < n; ++i) {
    group_for_range(j, 0, n) {
      real v = group_load_far(a + i * n * element, j, element);
      group_store(H + i * ld, j, v, n);
      finite = finite & ((v - v <= lane(0)) | !group_within(j, n));
      largest = fmax(largest, select(group_within(j, n), fabs(v), lane(0)));
    }
  }
  bool usable = !group_any(!finite);
  *most = group_max(largest);
  scalar factor = usable ? group_power_scale(*most) : (scalar)1;
  group_barrier();
  if (factor != (scalar)1) {
    for (index i = 0; i < n; ++i) {
      group_for_range(j, 0, n) {
        group_store(H + i * ld, j, group_load(H + i * ld, j) * group_same(factor), n);
      }
    }
    group_barrier();
  }
  return usable ? factor : (scalar)0;
}

// Writes n parts of eigenvalues times `unscale` to global memory; NaN if they are not known.
group_fn void group_write_parts(GROUP_PARAM local_ptr const scalar* parts, index n, bool known,
                                scalar unscale, global_ptr scalar* to, offset element) {
  group_for_range(i, 0, n) {
    real v = known ? group_load(parts, i) * group_same(unscale) : lane_nan();
    group_store_far(to, i, element, v, n);
  }
}

// Fills the results of a matrix from index `found` on with NaN; vectors may be null.
group_fn void group_fill_unused(GROUP_PARAM index found, index n, global_ptr scalar* values,
                                global_ptr scalar* vectors, offset element) {
  group_for_range(i, found, n) group_store_far(values, i, element, lane_nan(), n);
  if (vectors == 0) return;
  for (index j = 0; j < n; ++j) {
    group_for_range(i, found, n) {
      group_store_far(vectors + j * n * element, i, element, lane_nan(), n);
    }
  }
}

// Solves matrix b of the batch (eigen.kernels). work: EIGEN_GROUP_USED(n) numbers of the group's
// memory; kept: EIGEN_GROUP_KEPT(n) numbers of global memory.
group_fn void group_real_eigenpairs(GROUP_PARAM offset b KERNEL_PARAMETERS(EIGEN_BATCH), index n,
                                    bool balance, index max_sweeps, local_ptr scalar* work,
                                    global_ptr scalar* kept) {
  index ld = n | 1;
  const eigen_memory memory = group_eigen_memory(work, n);
  local_ptr scalar *H = memory.H, *re = memory.re, *im = memory.im, *x = memory.x;
  global_ptr const scalar* a = A + b * matrix;
  scalar most, factor = group_load_scaled(GROUP_ARG a, element, n, H, ld, &most);
  index state = 2, found = 0;
  if (factor > (scalar)0)
    state = group_eigenvalues(GROUP_ARG & memory, n, most * factor, balance, max_sweeps, kept);
  group_barrier();
  scalar unscale = (scalar)1 / factor, worst = (scalar)0;
  values += b * values_matrix;
  if (state == 0) {
    scalar norm = group_kept_norm(GROUP_ARG kept, n);
    if (!(norm > (scalar)0)) norm = (scalar)1;
    scalar tiny = group_first(lane_epsilon()) * norm;
    for (index i = n - 1; i >= 0; --i) {
      if (im[i] != (scalar)0) continue;
      if (group_leads()) values[found * out_element] = re[i] * unscale;
      if (vectors != 0 || residuals != 0) {
        scalar lambda = group_separate(re, im, n, i, tiny);
        group_inverse_iteration(GROUP_ARG H, n, ld, kept, lambda, norm, x);
        group_back_transform(GROUP_ARG kept + n * n, memory.beta, memory.scale, n, x);
        group_normalise(GROUP_ARG x, n);
        if (vectors != 0) {
          group_for_range(j, 0, n) {
            group_store_far(vectors + b * vectors_matrix + found * out_element, j, n * out_element,
                            group_load(x, j), n);
          }
        }
        if (residuals != 0)
          worst = fmax(worst, group_residual(GROUP_ARG a, element, n, x, re[i], factor));
      }
      ++found;
    }
  }
  scalar nan = group_first(lane_nan());
  group_fill_unused(GROUP_ARG found, n, values, vectors != 0 ? vectors + b * vectors_matrix : 0,
                    out_element);
  if (real_parts != 0)
    group_write_parts(GROUP_ARG re, n, state == 0, unscale, real_parts + b * values_matrix,
                      out_element);
  if (imaginary_parts != 0)
    group_write_parts(GROUP_ARG im, n, state == 0, unscale, imaginary_parts + b * values_matrix,
                      out_element);
  if (group_leads()) {
    counts[b] = found;
    if (status != 0) status[b] = state;
    if (residuals != 0) residuals[b] = state == 0 ? worst : nan;
  }
  group_barrier();
}
