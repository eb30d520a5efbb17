// SPDX-License-Identifier: BSD-3-Clause
// The iterative solver: preconditioned conjugate gradients on the implicit Schur complement.
#include <array>
#include <cmath>
#include <span>

#include "adjust/block_diagonal.hpp"
#include "adjust/reduced_solver.hpp"

namespace bifocal::adjustment {
namespace {

constexpr int kSeriesTerms = 4;
// Damping that makes the inverses of the points' blocks vanish.
constexpr double kNoPoints = 1e200;

using Vector = std::vector<double>;

// Eight sums at once, in a fixed order.
double dot_of(std::span<const double> a, std::span<const double> b) {
  std::array<double, 8> sums{};
  const std::size_t whole = a.size() / 8 * 8;
  for (std::size_t i = 0; i < whole; i += 8)
    for (std::size_t k = 0; k < 8; ++k) sums[k] += a[i + k] * b[i + k];
  for (std::size_t i = whole; i < a.size(); ++i) sums[i - whole] += a[i] * b[i];
  return ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
}

void add(Vector& to, double factor, const Vector& from) {
  for (std::size_t i = 0; i < to.size(); ++i) to[i] += factor * from[i];
}

// The matrix S + lambda D.
class DampedSchur {
 public:
  DampedSchur(Terms& terms, const Vector& damping) : terms_(terms), damping_(damping) {}
  [[nodiscard]] Vector times(const Vector& x) const {
    Vector y = terms_.product(x);
    for (std::size_t i = 0; i < x.size(); ++i) y[i] += damping_[i] * x[i];
    return y;
  }

 private:
  Terms& terms_;
  const Vector& damping_;
};

class IterativeSolver final : public ReducedSolver {
 public:
  IterativeSolver(const Unknowns& unknowns, const AdjustOptions& options)
      : unknowns_(unknowns), options_(options) {}

  ReducedStep solve(Terms& terms, const Linearisation& linearisation, double lambda,
                    const Vector& damping) override {
    const bool is_series = options_.preconditioner == AdjustPreconditioner::power_series;
    if (is_series) terms.damp(kNoPoints);
    if (is_series) blocks_ = terms.diagonal_blocks();
    if (is_series) terms.damp(lambda);
    if (!is_series) blocks_ = terms.diagonal_blocks();
    const BlockDiagonal blocks(unknowns_, blocks_, damping);
    const DampedSchur matrix(terms, damping);
    return iterate(matrix, blocks, reduced_right_side(terms, linearisation));
  }

 private:
  [[nodiscard]] Vector preconditioned(const DampedSchur& matrix, const BlockDiagonal& blocks,
                                      const Vector& r) const {
    Vector z = blocks.solve(r);
    if (options_.preconditioner == AdjustPreconditioner::schur_jacobi) return z;
    for (int k = 0; k < kSeriesTerms; ++k) {
      Vector rest = r;
      add(rest, -1, matrix.times(z));
      add(z, 1, blocks.solve(rest));
    }
    return z;
  }

  // Ends when the quadratic model decreases little, relative to the mean decrease of an
  // iteration.
  //   S. Nash, A. Sofer, Assessing a search direction within a truncated-Newton method, Operations
  //   Research Letters 9(4), 1990.
  [[nodiscard]] ReducedStep iterate(const DampedSchur& matrix, const BlockDiagonal& blocks,
                                    const Vector& right_side) const {
    ReducedStep out{.step = Vector(right_side.size(), 0.0), .residual = right_side};
    Vector p;
    double rz = 0, model = 0;
    out.is_solved = true;
    while (out.iterations < options_.max_cg_iterations) {
      const Vector z = preconditioned(matrix, blocks, out.residual);
      const double next = dot_of(out.residual, z);
      if (!(next > 0) || !std::isfinite(next)) break;
      if (p.empty()) {
        p = z;
      } else {
        for (std::size_t i = 0; i < p.size(); ++i) p[i] = z[i] + next / rz * p[i];
      }
      rz = next;
      const Vector q = matrix.times(p);
      const double curvature = dot_of(p, q);
      if (!(curvature > 0) || !std::isfinite(curvature)) break;
      const double alpha = rz / curvature;
      add(out.step, alpha, p);
      add(out.residual, -alpha, q);
      ++out.iterations;
      const double decrease = 0.5 * alpha * rz;
      model += decrease;
      if (out.iterations * decrease < options_.cg_tolerance * model) break;
    }
    out.is_solved = out.iterations > 0 || dot_of(right_side, right_side) == 0;
    return out;
  }

  const Unknowns& unknowns_;
  AdjustOptions options_;
  Vector blocks_;
};

}  // namespace

std::vector<double> reduced_right_side(Terms& terms, const Linearisation& linearisation) {
  Vector right_side = terms.points_gradient();
  for (std::size_t i = 0; i < right_side.size(); ++i) right_side[i] -= linearisation.gradient[i];
  return right_side;
}

std::unique_ptr<ReducedSolver> make_iterative_solver(const Unknowns& unknowns,
                                                     const AdjustOptions& options) {
  return std::make_unique<IterativeSolver>(unknowns, options);
}

}  // namespace bifocal::adjustment
