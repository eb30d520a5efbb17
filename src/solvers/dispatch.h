// SPDX-License-Identifier: BSD-3-Clause
// Calls the solver that the constant SOLVER_INDEX selects. Included after the lane files; a C++
// class needs to contain that solver only.
enum {
#define SOLVER(name, data, points, model, most_solutions) INDEX_OF_##name,
#include "bifocal/solvers.def"
};

lane_fn real solve_sample(const real* in, real* out) {
#define SOLVER(name, data, points, model, most_solutions) \
  if_constant(SOLVER_INDEX == INDEX_OF_##name) { return SOLVER_CALL_##data(name, points, in, out); }
#include "bifocal/solvers.def"
  return lane(0);
}
