// SPDX-License-Identifier: BSD-3-Clause
#include "mapping/positioning_system.hpp"

#include <algorithm>
#include <cmath>

#include "mapping/conjugate_gradients.hpp"
#include "runtime/parallel.hpp"

namespace bifocal::mapping {
namespace {

constexpr double kHuber = 0.1;  // residual at which the loss becomes linear
constexpr double kLeastScale = 1e-5;
constexpr double kLeastDiagonal = 1e-6;  // of the scaled damping
constexpr int kMaxGradients = 300;
constexpr double kGradientTolerance = 0.01;
constexpr std::size_t kPointBlock = 256;  // points of a thread at a time

Vec3 residual_of(const PositioningState& state, const PositioningRay& ray, std::size_t point,
                 std::size_t number) {
  const Vec3 d = difference(state.points[point], state.centres[ray.centre]);
  return difference(ray.v, scaled(d, state.scales[number]));
}

double huber(double r) { return r <= kHuber ? 0.5 * r * r : kHuber * (r - 0.5 * kHuber); }

// Normal equations of a ray in the difference X - c, after its scale was eliminated.
struct RayTerm {
  Symmetric3 M{};   // matrix
  Vec3 b{};         // right-hand side
  Vec3 to_scale{};  // step of the scale = scale_step - to_scale . step of X - c
  double scale_step = 0;
};

RayTerm term_of(const Vec3& v, const Vec3& d, double s, double damping) {
  const Vec3 r = difference(v, scaled(d, s));
  const double length = norm(r), w = length <= kHuber ? 1 : kHuber / length;
  const double dd = dot(d, d);
  const double H = w * dd + damping * std::max(w * dd, kLeastDiagonal);
  RayTerm term;
  term.M = isotropic_plus_outer(w * s * s, -w * s * w * s / H, d);
  const double along = w * dot(d, r);
  term.b = difference(scaled(r, w * s), scaled(d, w * s * along / H));
  // The mixed second derivative also has the term -w r, which Gauss-Newton leaves out.
  term.to_scale = scaled(d, w * s / H);
  term.scale_step = along / H;
  return term;
}

void damp(Symmetric3& m, double damping) {
  for (const std::size_t i : {0U, 3U, 5U}) m[i] += damping * std::max(m[i], kLeastDiagonal);
}

// The system of one step. Point blocks are inverted; products with the reduced matrix of the
// centres go through them.
class System {
 public:
  System(const PositioningProblem& problem, const PositioningState& state, double damping)
      : problem_(problem), terms_(problem.rays.size()), flows_(problem.rays.size()) {
    set_rays_of_centres();
    const std::size_t points = problem.offsets.size() - 1;
    inverses_.resize(points), right_.resize(points);
    each_point([&](std::size_t k) {
      Symmetric3 A{};
      for (std::size_t i = problem.offsets[k]; i < problem.offsets[k + 1]; ++i) {
        const PositioningRay& ray = problem.rays[i];
        terms_[i] = term_of(ray.v, difference(state.points[k], state.centres[ray.centre]),
                            state.scales[i], damping);
        add_to(A, terms_[i].M);
        right_[k] = sum(right_[k], terms_[i].b);
      }
      damp(A, damping);
      inverses_[k] = inverse(A);
    });
    set_centre_blocks(damping);
  }

  [[nodiscard]] PositioningState stepped(const PositioningState& state) {
    const std::vector<Vec3> centre_steps =
        conjugate_gradients([&](const std::vector<Vec3>& x) { return multiplied(x); },
                            [&](const std::vector<Vec3>& x) { return preconditioned(x); },
                            reduced_right(), kMaxGradients, kGradientTolerance);
    PositioningState next = state;
    for (std::size_t i = 0; i < next.centres.size(); ++i)
      next.centres[i] = sum(next.centres[i], centre_steps[i]);
    each_point([&](std::size_t k) {
      Vec3 b = right_[k];
      for (std::size_t i = problem_.offsets[k]; i < problem_.offsets[k + 1]; ++i)
        b = sum(b, times(terms_[i].M, centre_steps[problem_.rays[i].centre]));
      const Vec3 step = times(inverses_[k], b);
      next.points[k] = sum(next.points[k], step);
      for (std::size_t i = problem_.offsets[k]; i < problem_.offsets[k + 1]; ++i) {
        const Vec3 d = difference(step, centre_steps[problem_.rays[i].centre]);
        const double s = state.scales[i] + terms_[i].scale_step - dot(terms_[i].to_scale, d);
        next.scales[i] = std::max(s, kLeastScale);
      }
    });
    return next;
  }

 private:
  template <class Body>
  void each_point(const Body& body) const {
    runtime::parallel_each(problem_.offsets.size() - 1, body, kPointBlock);
  }

  void set_rays_of_centres() {
    centre_offsets_.assign(problem_.centre_count + 1, 0);
    for (const PositioningRay& ray : problem_.rays) ++centre_offsets_[ray.centre + 1];
    for (std::size_t i = 0; i < problem_.centre_count; ++i)
      centre_offsets_[i + 1] += centre_offsets_[i];
    centre_rays_.resize(problem_.rays.size());
    std::vector<std::size_t> next(centre_offsets_.begin(), centre_offsets_.end() - 1);
    for (std::size_t i = 0; i < problem_.rays.size(); ++i)
      centre_rays_[next[problem_.rays[i].centre]++] = i;
  }

  void set_centre_blocks(double damping) {
    std::vector<Symmetric3> coupled(problem_.rays.size());
    each_point([&](std::size_t k) {
      for (std::size_t i = problem_.offsets[k]; i < problem_.offsets[k + 1]; ++i)
        coupled[i] = sandwich(terms_[i].M, inverses_[k]);
    });
    blocks_.resize(problem_.centre_count), block_inverses_.resize(problem_.centre_count);
    runtime::parallel_each(problem_.centre_count, [&](std::size_t c) {
      Symmetric3 B{};
      for (std::size_t n = centre_offsets_[c]; n < centre_offsets_[c + 1]; ++n)
        add_to(B, terms_[centre_rays_[n]].M);
      damp(B, damping);
      blocks_[c] = B;
      for (std::size_t n = centre_offsets_[c]; n < centre_offsets_[c + 1]; ++n)
        for (std::size_t i = 0; i < 6; ++i) B[i] -= coupled[centre_rays_[n]][i];
      block_inverses_[c] = inverse(B);
    });
  }

  // M A M.
  static Symmetric3 sandwich(const Symmetric3& M, const Symmetric3& A) {
    const Vec3 columns[] = {times(M, times(A, Vec3{M[0], M[1], M[2]})),
                            times(M, times(A, Vec3{M[1], M[3], M[4]})),
                            times(M, times(A, Vec3{M[2], M[4], M[5]}))};
    return {columns[0][0], columns[0][1], columns[0][2],
            columns[1][1], columns[1][2], columns[2][2]};
  }

  // Sum of `flows_` over the rays of a centre.
  [[nodiscard]] Vec3 gathered(std::size_t c) const {
    Vec3 total{};
    for (std::size_t n = centre_offsets_[c]; n < centre_offsets_[c + 1]; ++n)
      total = sum(total, flows_[centre_rays_[n]]);
    return total;
  }

  [[nodiscard]] std::vector<Vec3> reduced_right() {
    each_point([&](std::size_t k) {
      const Vec3 y = times(inverses_[k], right_[k]);
      for (std::size_t i = problem_.offsets[k]; i < problem_.offsets[k + 1]; ++i)
        flows_[i] = difference(times(terms_[i].M, y), terms_[i].b);
    });
    std::vector<Vec3> out(problem_.centre_count);
    runtime::parallel_each(out.size(), [&](std::size_t c) { out[c] = gathered(c); });
    return out;
  }

  [[nodiscard]] std::vector<Vec3> multiplied(const std::vector<Vec3>& x) {
    each_point([&](std::size_t k) {
      Vec3 y{};
      for (std::size_t i = problem_.offsets[k]; i < problem_.offsets[k + 1]; ++i)
        y = sum(y, times(terms_[i].M, x[problem_.rays[i].centre]));
      y = times(inverses_[k], y);
      for (std::size_t i = problem_.offsets[k]; i < problem_.offsets[k + 1]; ++i)
        flows_[i] = times(terms_[i].M, y);
    });
    std::vector<Vec3> out(x.size());
    runtime::parallel_each(out.size(), [&](std::size_t c) {
      out[c] = difference(times(blocks_[c], x[c]), gathered(c));
    });
    return out;
  }

  [[nodiscard]] std::vector<Vec3> preconditioned(const std::vector<Vec3>& x) const {
    std::vector<Vec3> out(x.size());
    for (std::size_t c = 0; c < x.size(); ++c) out[c] = times(block_inverses_[c], x[c]);
    return out;
  }

  const PositioningProblem& problem_;
  std::vector<RayTerm> terms_;
  std::vector<Vec3> flows_;  // scratch, one a ray
  std::vector<std::size_t> centre_offsets_, centre_rays_;
  std::vector<Symmetric3> inverses_, blocks_, block_inverses_;
  std::vector<Vec3> right_;
};

}  // namespace

double positioning_cost(const PositioningProblem& problem, const PositioningState& state) {
  std::vector<double> costs(problem.offsets.size() - 1);
  runtime::parallel_each(
      costs.size(),
      [&](std::size_t k) {
        for (std::size_t i = problem.offsets[k]; i < problem.offsets[k + 1]; ++i)
          costs[k] += huber(norm(residual_of(state, problem.rays[i], k, i)));
      },
      kPointBlock);
  double total = 0;
  for (const double cost : costs) total += cost;
  return total;
}

void set_best_scales(const PositioningProblem& problem, PositioningState& state) {
  runtime::parallel_each(
      problem.offsets.size() - 1,
      [&](std::size_t k) {
        for (std::size_t i = problem.offsets[k]; i < problem.offsets[k + 1]; ++i) {
          const PositioningRay& ray = problem.rays[i];
          const Vec3 d = difference(state.points[k], state.centres[ray.centre]);
          const double squared = dot(d, d);
          if (squared > 0) state.scales[i] = std::max(dot(ray.v, d) / squared, kLeastScale);
        }
      },
      kPointBlock);
}

PositioningState positioning_step(const PositioningProblem& problem, const PositioningState& state,
                                  double damping) {
  return System(problem, state, damping).stepped(state);
}

}  // namespace bifocal::mapping
