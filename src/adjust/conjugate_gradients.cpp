// SPDX-License-Identifier: BSD-3-Clause
// The iterative solver: preconditioned conjugate gradients on the implicit Schur complement.
// Vectors and decisions stay on the device (gradients.kernel.h).
#include <algorithm>
#include <array>
#include <utility>

#include "adjust/block_diagonal.hpp"
#include "adjust/layout.hpp"
#include "adjust/reduced_solver.hpp"
#include "runtime/cancel.hpp"
#include "runtime/integers.hpp"
#include "runtime/uploaded.hpp"

namespace bifocal::adjustment {
namespace {

using runtime::uploaded;

constexpr int kSeriesTerms = 4;
// Damping that makes the inverses of the points' blocks vanish.
constexpr double kNoPoints = 1e200;
// Iterations between two looks at the state; those after the end change nothing.
constexpr int kIterationsOfLook = 8;

using Vector = std::vector<double>;

// The system (S + lambda D) x = right_side on a device.
class DeviceSystem {
 public:
  DeviceSystem(Terms& terms, const BlockDiagonal::Inverse& inverse, const Vector& damping,
               const Vector& right_side, const AdjustOptions& options)
      : terms_(terms),
        queue_(terms.queue()),
        options_(options),
        size_(static_cast<int>(right_side.size())),
        runs_((size_ + DOT_RUN - 1) / DOT_RUN),
        rows_(uploaded(queue_, inverse.rows)),
        members_(uploaded(queue_, inverse.members)),
        damping_(uploaded(queue_, damping)),
        residual_(uploaded(queue_, right_side)),
        step_(uploaded(queue_, Vector(right_side.size(), 0.0))),
        direction_(uploaded(queue_, Vector(right_side.size(), 0.0))),
        state_(uploaded(queue_, Vector(CG_SIZE, 0.0))),
        dots_(queue_.device(), at(runs_)) {
    for (Buffer<double>* vector : {&preconditioned_, &product_, &rest_})
      *vector = Buffer<double>(queue_.device(), right_side.size());
  }

  ReducedStep solve() {
    const bool is_host = queue_.device().info().kind == DeviceKind::cpu;
    std::array<double, CG_SIZE> state{};
    for (int i = 1; i <= options_.max_cg_iterations && state[CG_IS_DONE] == 0; ++i) {
      iterate();
      if (!is_host && i % kIterationsOfLook != 0 && i < options_.max_cg_iterations) continue;
      check_cancelled();
      state_.download(queue_, state);
      queue_.wait();
    }
    ReducedStep out{.step = Vector(at(size_)), .residual = Vector(at(size_))};
    out.iterations = static_cast<int>(state[CG_ITERATIONS]);
    step_.download(queue_, out.step);
    residual_.download(queue_, out.residual);
    queue_.wait();
    return out;
  }

 private:
  void iterate() {
    const runtime::Launch all{.count = size_}, one{.count = 1};
    precondition();
    dot(residual_, preconditioned_);
    launch().cg_ratio(queue_, one, {.dots = dots_, .runs = runs_, .state = state_});
    launch().cg_direction(
        queue_, all, {.state = state_, .preconditioned = preconditioned_, .direction = direction_});
    terms_.multiply(direction_, damping_, product_);
    dot(direction_, product_);
    launch().cg_step(
        queue_, one,
        {.dots = dots_, .runs = runs_, .tolerance = options_.cg_tolerance, .state = state_});
    launch().cg_advance(queue_, all,
                        {.state = state_,
                         .direction = direction_,
                         .product = product_,
                         .step = step_,
                         .residual = residual_});
  }

  void precondition() {
    solve_blocks(residual_, false);
    if (options_.preconditioner == AdjustPreconditioner::schur_jacobi) return;
    for (int k = 0; k < kSeriesTerms; ++k) {
      terms_.multiply(preconditioned_, damping_, product_);
      launch().subtract(queue_, {.count = size_},
                        {.a = residual_, .b = product_, .difference = rest_});
      solve_blocks(rest_, true);
    }
  }
  void solve_blocks(const Buffer<double>& vector, bool is_added) {
    launch().precondition(queue_, {.count = size_},
                          {.rows = rows_,
                           .members = members_,
                           .vector = vector,
                           .has_solution = is_added ? 1 : 0,
                           .solution = preconditioned_});
  }
  void dot(const Buffer<double>& a, const Buffer<double>& b) {
    launch().dot_runs(queue_, {.count = runs_}, {.a = a, .b = b, .size = size_, .dots = dots_});
  }
  [[nodiscard]] const kernels::adjust::launch<double>& launch() const { return terms_.launch(); }

  Terms& terms_;
  Queue& queue_;
  const AdjustOptions& options_;
  int size_, runs_;
  Buffer<double> rows_;
  Buffer<int> members_;
  Buffer<double> damping_, residual_, step_, direction_, state_, dots_;
  Buffer<double> preconditioned_, product_, rest_;
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
    const Vector right_side = reduced_right_side(terms, linearisation);
    ReducedStep out = DeviceSystem(terms, blocks.inverse(), damping, right_side, options_).solve();
    out.is_solved =
        out.iterations > 0 || std::ranges::all_of(right_side, [](double v) { return v == 0; });
    return out;
  }

 private:
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
