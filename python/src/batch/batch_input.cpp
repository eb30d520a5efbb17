// SPDX-License-Identifier: BSD-3-Clause
#include "batch_input.hpp"

#include <cmath>

#include "../devices.hpp"
#include "../points.hpp"

namespace bifocal::python {
namespace {

std::vector<std::int64_t> offsets_of(nb::handle object, std::int64_t points) {
  const WholeNumbers given = whole_numbers_of(object, "offsets", {-1});
  std::vector<std::int64_t> offsets(given.rows());
  for (std::size_t k = 0; k < offsets.size(); ++k) offsets[k] = given.at(k);
  if (offsets.empty()) value_error("offsets: shape (0,), must have one number more than pairs");
  if (offsets.back() > points)
    value_error(fmt::format("offsets: end at {}, but there are {} points", offsets.back(), points));
  return offsets;
}

// Returns the single camera of all pairs, or the cameras of the pairs [first, last).
std::span<const Intrinsics> some(const std::vector<Intrinsics>& cameras, std::size_t first,
                                 std::size_t last) {
  if (cameras.size() <= 1) return cameras;
  return std::span(cameras).subspan(first, last - first);
}

void check_pairs(const BatchArguments& g) {
  const std::size_t pairs = g.offsets.size() - 1;
  for (const auto& [name, cameras] :
       {std::pair{"cameras1", &g.cameras1}, std::pair{"cameras2", &g.cameras2}}) {
    if (cameras->size() > 1 && cameras->size() != pairs)
      value_error(fmt::format("{}: {} cameras for {} pairs, must be one or one per pair", name,
                              cameras->size(), pairs));
  }
  for (const auto& [name, column] :
       {std::pair{"weights", &g.weights}, std::pair{"qualities", &g.qualities}}) {
    if (column->array.is_valid() && column->rows != g.points.rows)
      value_error(fmt::format("{}: {} numbers for {} points", name, column->rows, g.points.rows));
  }
}

// Undistorts the points of all pairs; `column` is the column of their x.
void undistort(BatchArguments& g, const std::vector<AnyCamera>& cameras, std::size_t column) {
  if (std::none_of(cameras.begin(), cameras.end(), [](const AnyCamera& c) { return c.lens; }))
    return;
  if (g.points.memory.is_on_device())
    (void)pinholes_of(cameras, "cameras",
                      "give points on a CUDA device undistorted (bifocal.undistort_points) and "
                      "pinholes (bifocal.pinhole_of)");
  const auto columns = std::size_t(columns_of(g.problem));
  const auto rows = std::size_t(g.points.rows);
  if (g.points.copy.empty() && rows > 0)
    g.points.copy.assign(g.points.memory.pointer(), g.points.memory.pointer() + rows * columns);
  g.points.memory = g.points.copy.data();
  const Unlocked unlocked;
  for (std::size_t k = 0; k + 1 < g.offsets.size(); ++k) {
    const AnyCamera& camera = cameras[cameras.size() == 1 ? 0 : k];
    if (!camera.lens) continue;
    const auto first = std::size_t(std::max<std::int64_t>(g.offsets[k], 0));
    const auto last = std::size_t(std::max<std::int64_t>(g.offsets[k + 1], 0));
    for (std::size_t i = first; i < last; ++i) {
      if (i % 64 == 0) check_cancelled();
      double* xy = g.points.copy.data() + i * columns + column;
      const Vec2 moved = camera.lens->undistort({xy[0], xy[1]});
      xy[0] = moved[0], xy[1] = moved[1];
    }
  }
}

}  // namespace

BatchInput input_of(const BatchArguments& g, std::size_t first, std::size_t last) {
  return {.offsets = std::span(g.offsets).subspan(first, last - first + 1),
          .cameras1 = some(g.cameras1, first, last),
          .cameras2 = some(g.cameras2, first, last),
          .weights = g.weights.memory,
          .qualities = g.qualities.memory,
          .options = g.options};
}

BatchArguments batch_arguments(ModelKind kind, const GivenBatch& given, nb::handle options,
                               const std::optional<std::string>& device,
                               const std::vector<std::int64_t>* known_offsets) {
  const auto& [points, offsets, cameras1, cameras2, weights, qualities] = given;
  BatchArguments g{kind, {}, {}, {}, {}, {}, {}, {}, options_of<RobustOptions>(options), {}};
  g.problem = problem_info(g.kind);
  if (points.is_none()) type_error("points: None, must be an array of numbers");
  g.points = column_of(points, "points", columns_of(g.problem));
  g.weights = column_of(weights, "weights", 1);
  g.qualities = column_of(qualities, "qualities", 1);
  if (!g.qualities.memory.is_null() && !g.qualities.memory.is_on_device())
    need_no_nan({g.qualities.memory.pointer(), std::size_t(g.qualities.rows)}, "qualities");
  g.offsets = known_offsets ? *known_offsets : offsets_of(offsets, g.points.rows);
  if (g.offsets.back() > g.points.rows)
    value_error(fmt::format("points: {} rows, must be {}", g.points.rows, g.offsets.back()));
  g.device = device_for(device, &g.points.array, "points");
  if (g.device == "cpu")
    for (const auto& [name, column] :
         {std::pair{"weights", &g.weights}, std::pair{"qualities", &g.qualities}})
      if (column->array.is_valid()) need_host(column->array, name);
  std::vector<AnyCamera> given1, given2;
  if (g.problem.cameras > 0)
    given1 = any_cameras_of(cameras1, "cameras1");
  else if (!cameras1.is_none())
    type_error("cameras1, cameras2: given, but this kind of model takes none");
  if (g.problem.cameras < 2 && !cameras2.is_none())
    type_error(fmt::format("cameras2: given, but a pair of this kind of model takes {}",
                           g.problem.cameras == 0 ? "no camera" : "one camera, cameras1"));
  if (g.problem.cameras > 1)
    given2 = cameras2.is_none() ? given1 : any_cameras_of(cameras2, "cameras2");
  for (const AnyCamera& c : given1) g.cameras1.push_back(c.pinhole);
  for (const AnyCamera& c : given2) g.cameras2.push_back(c.pinhole);
  check_pairs(g);
  undistort(g, given1, 0);
  undistort(g, given2, 2);
  if (g.problem.is_two_view && g.problem.cameras == 1) undistort(g, given1, 2);
  return g;
}

}  // namespace bifocal::python
