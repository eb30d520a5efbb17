// SPDX-License-Identifier: BSD-3-Clause
// Covariances by the inverse of the dense Schur complement, without the directions of the gauge.
#include "adjust/covariance.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <variant>

#include "adjust/envelope.hpp"
#include "adjust/dense_system.hpp"
#include "adjust/terms.hpp"
#include "runtime/integers.hpp"
#include "runtime/parallel.hpp"

namespace bifocal::adjustment {
namespace {

// A pivot, relative to the diagonal of J'J, that rounding may leave of an undetermined parameter.
// Of four points that determine no FULL_OPENCV camera it left 1.5e-13. The least pivot of such a
// camera in 8 images of 200 points is 8e-11, of a chain of 1,000 images 3e-6.
constexpr double kUndeterminedPivot = 1e-12;

// The inverse of the reduced system, by unknowns, times the variance of an observation.
struct Inverse {
  const DenseSystem& system;
  std::vector<double> numbers;
  double variance;  // of an observation, px^2

  [[nodiscard]] double of(std::size_t a, std::size_t b) const {
    const int row = system.place(a), column = system.place(b);
    if (row < 0 || column < 0) return 0;
    return variance * numbers[at(row) * at(system.size()) + at(column)];
  }
};

// Three neighbouring rows of the system. In the basis, whose rows have length 1, the first of them,
// or all, are those of directions that the gauge fixes.
struct Pin {
  std::size_t row;
  Mat3 basis = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  std::size_t count = 3;  // 1 or 3
};

// Rotation whose first row is a direction.
Mat3 basis_of(const Vec3& direction) {
  const auto least = static_cast<std::size_t>(
      std::ranges::min_element(direction, {}, [](double v) { return std::abs(v); }) -
      direction.begin());
  Vec3 axis = {0, 0, 0};
  axis[least] = 1;
  const Vec3 y = unit(cross(direction, axis)), z = cross(direction, y);
  return {direction[0], direction[1], direction[2], y[0], y[1], y[2], z[0], z[1], z[2]};
}

std::vector<Pin> pins_of(const Gauge& gauge, const Unknowns& unknowns, const DenseSystem& system) {
  std::vector<Pin> pins;
  const auto row = [&](int image, std::size_t k) { return at(system.place(6 * at(image) + k)); };
  for (const PartGauge& part : gauge.parts) {
    if (part.rotations == 3) pins.push_back({row(part.first, 0)});
    if (part.rotations == 1) pins.push_back({row(part.first, 0), basis_of(part.axis), 1});
    if (part.has_position) pins.push_back({row(part.first, 3)});
    if (part.second < 0) continue;
    const Vec3& c = unknowns.start().poses[at(part.second)].centre;
    const Vec3& from = part.origin;
    pins.push_back(
        {row(part.second, 3), basis_of(unit({c[0] - from[0], c[1] - from[1], c[2] - from[2]})), 1});
  }
  return pins;
}

// Rotates three rows and columns of a symmetric matrix.
void rotate(std::vector<double>& matrix, std::size_t n, std::size_t row, const Mat3& Q) {
  for (const bool is_row : {true, false})
    for (std::size_t i = 0; i < n; ++i) {
      double* const first = is_row ? &matrix[row * n + i] : &matrix[i * n + row];
      const std::size_t stride = is_row ? n : 1;
      const Vec3 moved = times(Q, Vec3{first[0], first[stride], first[2 * stride]});
      for (std::size_t k = 0; k < 3; ++k) first[k * stride] = moved[k];
    }
}

// Sets the rows and columns of the directions that the gauge fixes to zero, but for the diagonal.
void clear(std::vector<double>& matrix, std::size_t n, const Pin& pin, double diagonal) {
  for (std::size_t row = pin.row; row < pin.row + pin.count; ++row) {
    for (std::size_t i = 0; i < n; ++i) matrix[row * n + i] = matrix[i * n + row] = 0;
    matrix[row * (n + 1)] = diagonal;
  }
}

// Returns the inverse in the gauge of the pins, or the row that is not determined.
std::variant<std::vector<double>, std::size_t> inverse_in_gauge(std::vector<double> matrix,
                                                                const std::vector<Pin>& pins,
                                                                std::vector<double> diagonal) {
  const std::size_t n = diagonal.size();
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = i + 1; j < n; ++j) matrix[i * n + j] = matrix[j * n + i];
  for (double& d : diagonal) d *= kUndeterminedPivot;
  for (const Pin& pin : pins) {
    rotate(matrix, n, pin.row, pin.basis);
    clear(matrix, n, pin, 1);
    const auto first = diagonal.begin() + static_cast<std::ptrdiff_t>(pin.row);
    const double largest = *std::max_element(first, first + 3);
    std::fill_n(first, 3, largest);
    std::fill_n(first, pin.count, 0.0);
  }
  const Envelope envelope = Envelope::dense(n);
  if (const std::size_t rows = factorised_rows(matrix, envelope, diagonal); rows < n) return rows;
  std::vector<double> inverse = inverse_of_factorised(matrix, envelope);
  for (const Pin& pin : pins) {
    clear(inverse, n, pin, 0);
    rotate(inverse, n, pin.row, transposed(pin.basis));
  }
  return inverse;
}

// Rotation in the axes of the camera, then the centre in world units; the solver's rotation is in
// the axes of the world.
std::array<double, 36> pose_covariance(const Inverse& inverse, const Unknowns& unknowns,
                                       int image) {
  const Mat3& R = unknowns.start().poses[at(image)].R;
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

// C^-1 + C^-1 E' S^-1 E C^-1 of a point, in world units.
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
    for (std::size_t k = 0; k < 9; ++k) out[k] = unit * unit * (out[k] + inverse_.variance * C[k]);
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
                           const Gauge& gauge) {
  const auto free_points = std::ranges::count(arrangement.is_free, 1.0);
  return 2 * static_cast<std::int64_t>(arrangement.observations) -
         static_cast<std::int64_t>(unknowns.active_count()) - 3 * free_points +
         gauge.freedom().total();
}

// Names the image or the camera that a row of the system belongs to. The level of heights belongs
// to the last image.
void set_undetermined(std::size_t row, const Unknowns& unknowns, const DenseSystem& system,
                      AdjustResult& result) {
  std::size_t unknown = 0;
  while (unknown < unknowns.size() && system.place(unknown) != static_cast<int>(row)) ++unknown;
  if (unknown == unknowns.size()) unknown = unknowns.camera_start(0) - 1;
  const std::size_t poses = unknowns.camera_start(0);
  if (unknown < poses)
    result.undetermined_image = static_cast<int>(unknown / 6);
  else
    result.undetermined_camera = static_cast<int>((unknown - poses) / at(unknowns.free()));
}

}  // namespace

void set_covariances(const AdjustProblem& problem, const Arrangement& arrangement, Gauge gauge,
                     const Views& start, const AdjustOptions& options, AdjustResult& result) {
  const Unknowns unknowns(problem, arrangement.used_images);
  Queue cpu;
  AdjustOptions exact = options;
  exact.float_blocks = false, exact.max_memory = 0;
  DeviceObservations observations(cpu, arrangement, problem.points, unknowns.frame());
  const Priors priors(problem, arrangement, unknowns, options.deviation_px);
  Terms terms(cpu, observations, unknowns, exact, priors);
  const Linearisation linearisation = terms.linearise(unknowns.start());
  terms.damp(0);
  const DenseSystem system(arrangement, unknowns);
  const Gauge now = gauge_of(problem, arrangement, unknowns);
  for (std::size_t p = 0; p < gauge.parts.size(); ++p) {
    PartGauge& part = gauge.parts[p];
    part.origin = now.parts[p].origin;
    if (part.rotations == 1)
      part.axis = part.axis_of_step(rotation_in(start, part.first),
                                    rotation_in(unknowns.start(), part.first));
  }
  result.redundancy = redundancy_of(arrangement, unknowns, gauge) + priors.rows();
  auto found =
      inverse_in_gauge(system.assemble(terms, std::vector<double>(unknowns.size(), 0.0)),
                       pins_of(gauge, unknowns, system), system.reduced(linearisation.diagonal));
  if (const auto* const row = std::get_if<std::size_t>(&found))
    return set_undetermined(*row, unknowns, system, result);
  const Inverse inverse{system, std::get<std::vector<double>>(std::move(found)), priors.weight()};
  for (int i = 0; i < unknowns.images(); ++i)
    result.pose_covariances.push_back(pose_covariance(inverse, unknowns, i));
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
