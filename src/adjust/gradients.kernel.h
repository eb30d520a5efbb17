// SPDX-License-Identifier: BSD-3-Clause
// Conjugate gradients on vectors of unknowns (adjust.kernels), in plain numbers.

map_kernel(sum_parts, item, ADJUST_SUM_PARTS) {
  const index part = item / AT_CAMERA(FREE), k = item % AT_CAMERA(FREE);
  scalar sum = 0;
  for (index i = part_first[part]; i < part_first[part + 1]; ++i) {
    sum += totals[part_images[i] * VIEW_SIZE(FREE) + 6 + k];
  }
  sums[item] = sum;
}

map_kernel(damped_product, item, ADJUST_DAMPED_PRODUCT) {
  const index number = item - 6 * images;
  scalar sum = 0;
  if (number < 0) {
    sum = totals[item / 6 * VIEW_SIZE(FREE) + item % 6];
  } else {
    const index camera = number / AT_CAMERA(FREE), k = number % AT_CAMERA(FREE);
    for (index part = first_part[camera]; part < first_part[camera + 1]; ++part) {
      sum += sums[part * FREE + k];
    }
  }
  product[item] = is_active[item] != 0 ? sum + damping[item] * vector[item] : 0;
}

map_kernel(precondition, item, ADJUST_PRECONDITION) {
  scalar sum = has_solution != 0 ? solution[item] : 0;
  for (index k = 0; k < VIEW_SIZE(FREE); ++k) {
    const offset at = (offset)item * VIEW_SIZE(FREE) + k;
    sum += rows[at] * vector[members[at]];
  }
  solution[item] = sum;
}

map_kernel(subtract, item, ADJUST_SUBTRACT) { difference[item] = a[item] - b[item]; }

map_kernel(dot_runs, item, ADJUST_DOT_RUNS) {
  const index from = item * DOT_RUN;
  scalar sides[SIDES];
  lane_unroll for (index s = 0; s < SIDES; ++s) sides[s] = 0;
  for (index i = from; i < from + DOT_RUN; i += SIDES) {
    lane_unroll for (index s = 0; s < SIDES; ++s) {
      sides[s] += i + s < size ? a[i + s] * b[i + s] : 0;
    }
  }
  dots[item] = sum_of_sides(sides);
}

group_fn scalar sum_of_runs(global_const scalar* dots, index runs) {
  scalar sides[4 * SIDES];
  lane_unroll for (index s = 0; s < 4 * SIDES; ++s) sides[s] = 0;
  for (index i = 0; i < runs; i += 4 * SIDES) {
    lane_unroll for (index s = 0; s < 4 * SIDES; ++s) sides[s] += i + s < runs ? dots[i + s] : 0;
  }
  return (sum_of_sides(sides) + sum_of_sides(sides + SIDES)) +
         (sum_of_sides(sides + 2 * SIDES) + sum_of_sides(sides + 3 * SIDES));
}

map_kernel(cg_ratio, item, ADJUST_CG_RATIO) {
  (void)item;
  if (state[CG_IS_DONE] != 0) return;
  const scalar square = sum_of_runs(dots, runs);
  if (!(square > 0 && square - square == 0)) {
    state[CG_IS_DONE] = 1;
    return;
  }
  state[CG_BETA] = state[CG_ITERATIONS] > 0 ? square / state[CG_SQUARE] : 0;
  state[CG_SQUARE] = square;
}

map_kernel(cg_direction, item, ADJUST_CG_DIRECTION) {
  if (state[CG_IS_DONE] != 0) return;
  direction[item] = preconditioned[item] + state[CG_BETA] * direction[item];
}

// Ends when the quadratic model decreases little, relative to the mean decrease of an iteration.
//   S. Nash, A. Sofer, Assessing a search direction within a truncated-Newton method, Operations
//   Research Letters 9(4), 1990.
map_kernel(cg_step, item, ADJUST_CG_STEP) {
  (void)item;
  state[CG_ALPHA] = 0;
  if (state[CG_IS_DONE] != 0) return;
  const scalar curvature = sum_of_runs(dots, runs);
  if (!(curvature > 0 && curvature - curvature == 0)) {
    state[CG_IS_DONE] = 1;
    return;
  }
  state[CG_ALPHA] = state[CG_SQUARE] / curvature;
  state[CG_ITERATIONS] += 1;
  const scalar decrease = (scalar)0.5 * state[CG_ALPHA] * state[CG_SQUARE];
  state[CG_DECREASE] += decrease;
  if (state[CG_ITERATIONS] * decrease < tolerance * state[CG_DECREASE]) state[CG_IS_DONE] = 1;
}

map_kernel(cg_advance, item, ADJUST_CG_ADVANCE) {
  if (state[CG_ALPHA] == 0) return;
  step[item] += state[CG_ALPHA] * direction[item];
  residual[item] -= state[CG_ALPHA] * product[item];
}
