// SPDX-License-Identifier: BSD-3-Clause
// Covariances by the inverse of the dense Schur complement, with the gauge fixed by stiff springs.
#include "adjust/covariance.hpp"

#include <algorithm>
#include <cmath>

#include "adjust/cholesky.hpp"
#include "adjust/dense_system.hpp"
#include "adjust/gauge.hpp"
#include "adjust/terms.hpp"
#include "runtime/integers.hpp"
#include "runtime/parallel.hpp"

namespace bifocal::adjustment {
namespace {

// Stiffness of a fixed number, relative to the largest diagonal entry of its pose.
constexpr double kStiff = 1e8;

// The inverse of the reduced system, by unknowns.
struct Inverse {
  const DenseSystem& system;
  std::vector<double> numbers;

  [[nodiscard]] double of(std::size_t a, std::size_t b) const {
    const int row = system.place(a), column = system.place(b);
    return row < 0 || column < 0 ? 0 : numbers[at(row) * at(system.size()) + at(column)];
  }
};

Vec3 centre_of(const Unknowns& unknowns, int image) {
  const double* const c = &unknowns.start().poses[at(image) * POSE_SIZE + POSE_CENTRE];
  return {c[0], c[1], c[2]};
}

// Fixes pose `first` and the distance of the centre of `second` from it.
void fix_gauge(const PartGauge& gauge, const Unknowns& unknowns, const DenseSystem& system,
               std::vector<double>& matrix) {
  const std::size_t n = at(system.size());
  for (std::size_t k = 0; k < 6; ++k) {
    const int row = system.place(6 * at(gauge.first) + k);
    if (row >= 0) matrix[at(row) * (n + 1)] *= kStiff;
  }
  if (gauge.second < 0) return;
  const Vec3 a = centre_of(unknowns, gauge.first), b = centre_of(unknowns, gauge.second);
  const Vec3 direction = unit({b[0] - a[0], b[1] - a[1], b[2] - a[2]});
  const int row = system.place(6 * at(gauge.second) + 3);
  if (row < 0) return;
  double largest = 0;
  for (std::size_t k = 0; k < 3; ++k) largest = std::max(largest, matrix[(at(row) + k) * (n + 1)]);
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j <= i; ++j)
      matrix[(at(row) + i) * n + at(row) + j] += kStiff * largest * direction[i] * direction[j];
}

// Rotation in the axes of the camera, then the centre; the solver's rotation is in the axes of the
// world.
std::array<double, 36> pose_covariance(const Inverse& inverse, const Unknowns& unknowns,
                                       int image) {
  const double* const R = &unknowns.start().poses[at(image) * POSE_SIZE];
  const auto to_camera = [&](std::size_t i, std::size_t k) {
    if (i < 3) return k < 3 ? R[3 * i + k] : 0.0;
    return i == k ? 1 / unknowns.frame().scale : 0.0;
  };
  std::array<double, 36> out{};
  for (std::size_t i = 0; i < 6; ++i)
    for (std::size_t j = 0; j < 6; ++j)
      for (std::size_t k = 0; k < 6; ++k)
        for (std::size_t l = 0; l < 6; ++l)
          out[6 * i + j] +=
              to_camera(i, k) * to_camera(j, l) * inverse.of(6 * at(image) + k, 6 * at(image) + l);
  return out;
}

std::vector<double> camera_covariance(const Inverse& inverse, const Unknowns& unknowns,
                                      int camera) {
  const std::size_t n = unknowns.start().params[at(camera)].size();
  const std::vector<int>& adjusted = unknowns.adjusted_params(camera);
  const std::size_t first = unknowns.camera_start(camera);
  std::vector<double> out(n * n, 0.0);
  for (std::size_t i = 0; i < adjusted.size(); ++i)
    for (std::size_t j = 0; j < adjusted.size(); ++j)
      out[at(adjusted[i]) * n + at(adjusted[j])] = inverse.of(first + i, first + j);
  return out;
}

// C^-1 + C^-1 E' S^-1 E C^-1 of a point.
class PointCovariance {
 public:
  PointCovariance(const Inverse& inverse, const Terms& terms, const Arrangement& arrangement,
                  const Unknowns& unknowns)
      : inverse_(inverse),
        terms_(terms),
        rows_(arrangement.by_point),
        unknowns_(unknowns),
        cross_(inverse.system.cross_terms(terms)) {}

  [[nodiscard]] std::array<double, 9> of(std::size_t lane) const {
    const double* const c = terms_.inverses() + lane * INVERSE_SIZE;
    const Mat3 C = {c[0], c[1], c[2], c[1], c[3], c[4], c[2], c[4], c[5]};
    const auto view = at(unknowns_.view_size());
    Mat3 middle{};
    std::vector<std::size_t> places;
    for (int row = rows_.rows[lane / SLICE]; row < rows_.rows[lane / SLICE + 1]; ++row) {
      const std::size_t place = at(row) * SLICE + lane % SLICE;
      if (rows_.px[place] == rows_.px[place]) places.push_back(place);
    }
    for (const std::size_t a : places)
      for (const std::size_t b : places)
        for (std::size_t i = 0; i < view; ++i)
          for (std::size_t j = 0; j < view; ++j) {
            const double sigma = inverse_.of(unknown(a, i), unknown(b, j));
            for (std::size_t k = 0; k < 9; ++k)
              middle[k] += cross_[a * 3 * view + k / 3 * view + i] * sigma *
                           cross_[b * 3 * view + k % 3 * view + j];
          }
    Mat3 out = times(C, times(middle, C));
    const double unit = 1 / unknowns_.frame().scale;
    for (std::size_t k = 0; k < 9; ++k) out[k] = unit * unit * (out[k] + C[k]);
    return out;
  }

 private:
  [[nodiscard]] std::size_t unknown(std::size_t place, std::size_t k) const {
    const int image = rows_.other[place];
    if (k < 6) return 6 * at(image) + k;
    return unknowns_.camera_start(unknowns_.image_cameras()[at(image)]) + k - 6;
  }

  const Inverse& inverse_;
  const Terms& terms_;
  const Rows& rows_;
  const Unknowns& unknowns_;
  std::vector<double> cross_;
};

std::int64_t redundancy_of(const Arrangement& arrangement, const Unknowns& unknowns,
                           const std::vector<PartGauge>& gauges) {
  const auto free_points = std::ranges::count(arrangement.is_free, 1.0);
  std::int64_t gauge = 0;
  for (const PartGauge& part : gauges)
    if (!part.is_fixed) gauge += part.second < 0 ? 6 : 7;
  return 2 * static_cast<std::int64_t>(arrangement.observations) -
         static_cast<std::int64_t>(unknowns.active_count()) - 3 * free_points + gauge;
}

}  // namespace

void set_covariances(const AdjustProblem& problem, const Arrangement& arrangement,
                     const AdjustOptions& options, AdjustResult& result) {
  const Unknowns unknowns(problem, arrangement.used_images);
  Queue cpu;
  AdjustOptions exact = options;
  exact.float_blocks = false, exact.max_memory = 0;
  Terms terms(cpu, problem, arrangement, unknowns, exact);
  (void)terms.linearise(unknowns.start());
  terms.damp(0);
  const DenseSystem system(arrangement, unknowns);
  std::vector<double> matrix = system.assemble(terms, std::vector<double>(unknowns.size(), 0.0));
  const std::vector<PartGauge> gauges = part_gauges(problem, arrangement, unknowns);
  for (const PartGauge& gauge : gauges)
    if (!gauge.is_fixed) fix_gauge(gauge, unknowns, system, matrix);
  result.redundancy = redundancy_of(arrangement, unknowns, gauges);
  if (!factorise(matrix, system.size())) return;
  const Inverse inverse{system, inverse_of_factorised(matrix, system.size())};
  for (int i = 0; i < unknowns.images(); ++i)
    result.pose_covariances.push_back(pose_covariance(inverse, unknowns, i));
  for (const PartGauge& gauge : gauges)
    if (!gauge.is_fixed) result.pose_covariances[at(gauge.first)] = {};
  for (int c = 0; c < unknowns.cameras(); ++c)
    result.camera_covariances.push_back(camera_covariance(inverse, unknowns, c));
  result.point_covariances.resize(problem.points.size());
  const PointCovariance of_point(inverse, terms, arrangement, unknowns);
  runtime::parallel_each(
      arrangement.lane_point.size(),
      [&](std::size_t lane) {
        if (arrangement.is_free[lane] != 0)
          result.point_covariances[at(arrangement.lane_point[lane])] = of_point.of(lane);
      },
      16);
}

}  // namespace bifocal::adjustment
