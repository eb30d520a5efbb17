// SPDX-License-Identifier: BSD-3-Clause
#include "mapping/place/robust_similarity.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "adjust/rotation.hpp"
#include "math/median.hpp"

namespace bifocal::mapping {
namespace {

constexpr std::size_t kUnknowns = 7;      // rotation, logarithm of the scale, position
constexpr std::size_t kAllTriplets = 18;  // points up to which all triplets are tried
constexpr int kTriplets = 1000;
constexpr std::size_t kMostScored = 1000;  // points whose median decides
constexpr int kIterations = 30;
constexpr double kCauchy = 3;     // standard deviations
constexpr double kNarrow = 0.02;  // of a triplet: its height relative to its longest side
constexpr double kMostStep = 1;   // rad, and of the logarithm of the scale

using Normal = std::array<std::array<double, kUnknowns>, kUnknowns>;
using Unknown = std::array<double, kUnknowns>;

// Cholesky factor of a symmetric matrix; false if it is not positive definite.
bool factorise(Normal& A) {
  for (std::size_t j = 0; j < kUnknowns; ++j)
    for (std::size_t i = j; i < kUnknowns; ++i) {
      double value = A[i][j];
      for (std::size_t k = 0; k < j; ++k) value -= A[i][k] * A[j][k];
      if (i == j && !(value > 1e-12 * A[j][j])) return false;
      A[i][j] = i == j ? std::sqrt(value) : value / A[j][j];
    }
  return true;
}

Unknown solve(const Normal& factor, Unknown b) {
  for (std::size_t i = 0; i < kUnknowns; ++i) {
    for (std::size_t k = 0; k < i; ++k) b[i] -= factor[i][k] * b[k];
    b[i] /= factor[i][i];
  }
  for (std::size_t i = kUnknowns; i-- > 0;) {
    for (std::size_t k = i + 1; k < kUnknowns; ++k) b[i] -= factor[k][i] * b[k];
    b[i] /= factor[i][i];
  }
  return b;
}

Vec3 mean_of(std::span<const Placed> placed, Vec3 Placed::*part) {
  Vec3 mean{};
  for (const Placed& p : placed)
    mean = sum(mean, scaled(p.*part, 1 / static_cast<double>(placed.size())));
  return mean;
}

// The normal equations about the mean point, with weights.
struct Step {
  Normal normal{};
  Unknown gradient{};
};
Step step_of(std::span<const Placed> placed, const Similarity& s, const Vec3& mean) {
  Step step;
  for (const Placed& p : placed) {
    const double weight = 1 / (1 + error_of(s, p) / (kCauchy * kCauchy));
    const Vec3 arm = scaled(times(s.R, difference(p.from, mean)), s.scale);
    const Vec3 error = difference(p.to, moved(s, p.from));
    const Mat3 turn = cross_matrix(arm);  // w x arm = -[arm]x w
    for (std::size_t axis = 0; axis < 3; ++axis) {
      Unknown row{};
      for (std::size_t k = 0; k < 3; ++k) row[k] = -turn[3 * axis + k];
      row[3] = arm[axis];
      row[4 + axis] = 1;
      const double w = weight / (p.deviations[axis] * p.deviations[axis]);
      for (std::size_t i = 0; i < kUnknowns; ++i) {
        step.gradient[i] += w * row[i] * error[axis];
        for (std::size_t j = 0; j < kUnknowns; ++j) step.normal[i][j] += w * row[i] * row[j];
      }
    }
  }
  return step;
}

// Whether three points are far enough from a line.
bool is_wide(const std::array<Vec3, 3>& p) {
  const Vec3 a = difference(p[1], p[0]), b = difference(p[2], p[0]), c = difference(p[2], p[1]);
  const double longest = std::max({norm(a), norm(b), norm(c)});
  return norm(cross(a, b)) > kNarrow * longest * longest;
}

double median_error(std::span<const Placed> placed, const Similarity& s) {
  std::vector<double> errors;
  const std::size_t step = (placed.size() + kMostScored - 1) / kMostScored;
  for (std::size_t i = 0; i < placed.size(); i += step) errors.push_back(error_of(s, placed[i]));
  return upper_median(errors);
}

// Calls try_one(a, b, c) for triplets of n places.
template <class Try>
void each_triplet(std::size_t n, std::uint64_t seed, const Try& try_one) {
  if (n <= kAllTriplets) {
    for (std::size_t a = 0; a < n; ++a)
      for (std::size_t b = a + 1; b < n; ++b)
        for (std::size_t c = b + 1; c < n; ++c) try_one(a, b, c);
    return;
  }
  std::mt19937_64 random(seed);
  for (int i = 0; i < kTriplets; ++i) {
    const std::size_t a = random() % n, b = random() % n, c = random() % n;
    if (a != b && b != c && a != c) try_one(a, b, c);
  }
}

}  // namespace

double error_of(const Similarity& similarity, const Placed& placed) {
  Vec3 d = difference(placed.to, moved(similarity, placed.from));
  for (std::size_t k = 0; k < 3; ++k) d[k] /= placed.deviations[k];
  return dot(d, d);
}

std::optional<RobustSimilarity> robust_similarity(std::span<const Placed> placed,
                                                  std::uint64_t seed) {
  std::optional<Similarity> best;
  double least = std::numeric_limits<double>::infinity();
  each_triplet(placed.size(), seed, [&](std::size_t a, std::size_t b, std::size_t c) {
    const std::array<Vec3, 3> from = {placed[a].from, placed[b].from, placed[c].from},
                              to = {placed[a].to, placed[b].to, placed[c].to};
    if (!is_wide(from) || !is_wide(to)) return;
    const std::optional<Similarity> found = similarity_of(from, to, std::array<double, 3>{1, 1, 1});
    if (!found) return;
    const double error = median_error(placed, *found);
    if (error < least) least = error, best = found;
  });
  if (!best) return {};
  RobustSimilarity out{*best, {}};
  const Vec3 mean = mean_of(placed, &Placed::from);
  Similarity& s = out.similarity;
  for (int i = 0; i < kIterations; ++i) {
    Step step = step_of(placed, s, mean);
    if (!factorise(step.normal)) return {};
    Unknown x = solve(step.normal, step.gradient);
    if (!std::ranges::all_of(x, [](double v) { return std::isfinite(v); })) return {};
    const double largest = std::max({norm({x[0], x[1], x[2]}), std::abs(x[3]), kMostStep});
    for (std::size_t k = 0; k < 4; ++k) x[k] *= kMostStep / largest;
    const Vec3 at = sum(moved(s, mean), {x[4], x[5], x[6]});
    s.R = nearest_rotation(times(adjustment::rotation_of({x[0], x[1], x[2]}), s.R));
    s.scale *= std::exp(x[3]);
    s.t = difference(at, scaled(times(s.R, mean), s.scale));
  }
  Step step = step_of(placed, s, mean);
  if (!factorise(step.normal)) return {};
  Unknown deviations{};
  for (std::size_t i = 0; i < kUnknowns; ++i) {
    Unknown one{};
    one[i] = 1;
    deviations[i] = std::sqrt(solve(step.normal, one)[i]);
  }
  out.deviations = {{deviations[4], deviations[5], deviations[6]},
                    {deviations[0], deviations[1], deviations[2]},
                    deviations[3]};
  return out;
}

}  // namespace bifocal::mapping
