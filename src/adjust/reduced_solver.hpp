// SPDX-License-Identifier: BSD-3-Clause
// Solvers of the reduced system: the Schur complement of poses and cameras.
#pragma once

#include <limits>
#include <memory>
#include <vector>

#include "adjust/terms.hpp"

namespace bifocal::adjustment {

struct ReducedStep {
  std::vector<double> step;      // of all unknowns
  std::vector<double> residual;  // right-hand side minus matrix times step; empty: 0
  int iterations = 0;
  bool is_solved = false;  // false if the matrix is not positive definite
};

class ReducedSolver {
 public:
  virtual ~ReducedSolver() = default;
  // Damping of the first step.
  [[nodiscard]] virtual double first_lambda() const { return 1e-4; }
  // Solves (S + lambda D) x = E C^-1 g_points - g. The terms' points are damped by lambda.
  // damping: lambda D.
  [[nodiscard]] virtual ReducedStep solve(Terms& terms, const Linearisation& linearisation,
                                          double lambda, const std::vector<double>& damping) = 0;
};

// The right-hand side. Of the damped terms.
[[nodiscard]] std::vector<double> reduced_right_side(Terms& terms,
                                                     const Linearisation& linearisation);

[[nodiscard]] std::unique_ptr<ReducedSolver> make_iterative_solver(const Unknowns& unknowns,
                                                                   const AdjustOptions& options);
[[nodiscard]] std::unique_ptr<ReducedSolver> make_dense_solver(const Arrangement& arrangement,
                                                               const Unknowns& unknowns);

// Limits of a factorisation.
struct SparseLimits {
  double entries = 0;
  double operations = std::numeric_limits<double>::infinity();
};
// Returns nullptr if the factorisation exceeds the limits.
[[nodiscard]] std::unique_ptr<ReducedSolver> make_sparse_solver(const Arrangement& arrangement,
                                                                const Unknowns& unknowns,
                                                                const SparseLimits& limits);

// Makes the solver of the options and sets is_dense and is_sparse of `result`. The direct solvers
// need terms on the CPU.
[[nodiscard]] std::unique_ptr<ReducedSolver> make_solver(const Device& device,
                                                         const Arrangement& arrangement,
                                                         const Unknowns& unknowns,
                                                         const AdjustOptions& options,
                                                         AdjustResult& result);

}  // namespace bifocal::adjustment
