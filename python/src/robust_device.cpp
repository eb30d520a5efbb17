// SPDX-License-Identifier: BSD-3-Clause
// Robust estimation of one pair with points in the memory of a CUDA device.
#include <cmath>

#include "devices.hpp"
#include "estimate.hpp"

namespace bifocal::python {
namespace {

void need_numbers(const AnyArray& array, const char* name) {
  const auto code = array.dtype().code;
  if (code != std::uint8_t(nb::dlpack::dtype_code::Float) &&
      code != std::uint8_t(nb::dlpack::dtype_code::Int) &&
      code != std::uint8_t(nb::dlpack::dtype_code::UInt))
    type_error(fmt::format("{}: dtype {}, must be float32, float64 or whole numbers", name,
                           dtype_text(array)));
}

void check_points(const DevicePoints& p, const ProblemInfo& problem) {
  const int columns = columns_of(problem);
  if (!p.right.is_valid()) {
    need_shape(p.left, "points", {-1, columns});
    need_numbers(p.left, "points");
    return;
  }
  const char *left = problem.is_two_view ? "x1" : "x", *right = problem.is_two_view ? "x2" : "X";
  need_shape(p.left, left, {-1, 2});
  need_numbers(p.left, left);
  const auto check_other = [&](const AnyArray& other, const char* name, int numbers) {
    need_shape(other, name, {-1, numbers});
    need_numbers(other, name);
    need_same_memory(other, name, p.left, left);
    if (p.left.shape(0) != other.shape(0))
      value_error(
          fmt::format("{}: {} points, but {} has {}", name, other.shape(0), left, p.left.shape(0)));
  };
  check_other(p.right, right, columns - 2 - depths_of(problem));
  if (p.depths.is_valid()) check_other(p.depths, "depths", depths_of(problem));
}

void need_length(const Column& column, const char* name, std::size_t points) {
  if (!column.memory.is_null() && std::size_t(column.rows) != points)
    value_error(fmt::format("{}: {} numbers for {} points", name, column.rows, points));
}

}  // namespace

Column column_of(nb::handle object, const char* name, int columns) {
  Column c;
  if (object.is_none()) return c;
  c.array = array_of(object, name);
  if (columns > 1)
    need_shape(c.array, name, {-1, columns});
  else
    need_shape(c.array, name, {-1});
  c.rows = std::int64_t(c.array.shape(0));
  Numbers n{c.array, true};
  if (on_cuda(c.array)) {
    const nb::dlpack::dtype d = c.array.dtype();
    if (d.code != std::uint8_t(nb::dlpack::dtype_code::Float) || d.bits != 64 || !n.is_dense())
      type_error(fmt::format("{}: {}{}, must be contiguous float64 on a CUDA device", name,
                             dtype_text(c.array), n.is_dense() ? "" : " with gaps"));
    c.memory = Memory<const double>::on_device(static_cast<const double*>(c.array.data()));
    return c;
  }
  n = host_numbers(c.array, object, name);
  c.array = n.array;
  if (n.is_double && n.is_dense()) {
    c.memory = static_cast<const double*>(n.array.data());
    return c;
  }
  c.copy.resize(std::size_t(c.rows) * std::size_t(columns));
  for (std::size_t i = 0; i < std::size_t(c.rows); ++i)
    for (std::size_t j = 0; j < std::size_t(columns); ++j)
      c.copy[i * std::size_t(columns) + j] = columns > 1 ? n.at(i, j) : n.at(i);
  c.memory = c.copy.data();
  return c;
}

PairEstimate estimate_there(ModelKind kind, const DevicePoints& points,
                            const std::vector<AnyCamera>& cameras, nb::handle weights,
                            nb::handle qualities, const RobustOptions& options,
                            const std::optional<std::string>& device, nb::handle frame) {
  const ProblemInfo problem = problem_info(kind);
  check_points(points, problem);
  const std::string where = device_for(device, &points.left, problem.is_two_view ? "x1" : "x");
  const std::size_t n = points.left.shape(0);
  const RobustOptions own = one_pair_options(kind, n, options);
  const Column w = column_of(weights, "weights", 1), q = column_of(qualities, "qualities", 1);
  need_length(w, "weights", n);
  need_length(q, "qualities", n);
  PairEstimate e{kind, problem.has_pose, {}, problem.triangulates};
  e.frame = nb::borrow(frame);
  e.cameras = pinholes_of(cameras, "camera",
                          "give points on a CUDA device undistorted (bifocal.undistort_points) and "
                          "a pinhole (bifocal.pinhole_of)");
  e.rows = frame.attr("join")(points.left_object, points.right_object);
  if (points.depths.is_valid()) e.rows = frame.attr("join")(e.rows, points.depths_object);
  const AnyArray rows = array_of(e.rows, "points");
  const std::int64_t offsets[] = {0, std::int64_t(n)};
  await_frame(frame);
  {
    const Unlocked unlocked;
    QueueLease lease(where);
    // An empty array has no address.
    const auto batch = [&]<class Point>(const Point*) {
      const auto at = n > 0 ? Memory<const Point>::on_device(static_cast<const Point*>(rows.data()))
                            : Memory<const Point>();
      const std::span<const Intrinsics> cameras = e.cameras;
      return estimate_batch(lease.queue(), kind, at,
                            {.offsets = offsets,
                             .cameras1 = cameras.first(cameras.empty() ? 0 : 1),
                             .cameras2 = cameras.subspan(cameras.size() > 1 ? 1 : 0),
                             .weights = w.memory,
                             .qualities = q.memory,
                             .options = own});
    };
    e.result = {single_result(problem.takes_depths ? batch(static_cast<const DepthPair*>(nullptr))
                              : problem.is_two_view
                                  ? batch(static_cast<const PointPair*>(nullptr))
                                  : batch(static_cast<const ScenePoint*>(nullptr)))};
  }
  return e;
}

void complete(PairEstimate& e) {
  if (!e.rows.is_valid()) return;
  const nb::object host = e.frame.attr("to_host")(e.rows);
  const ProblemInfo problem = problem_info(e.kind);
  const int columns = columns_of(problem);
  const Numbers numbers = numbers_of(host, "points", {-1, columns});
  for (std::size_t i = 0; i < numbers.rows(); ++i)
    for (std::size_t c = 0; c < std::size_t(columns - depths_of(problem)); ++c)
      if (!std::isfinite(numbers.at(i, c))) {
        e.result.not_finite.push_back(int(i));
        break;
      }
  if (e.is_relative) {
    std::vector<PointPair> pairs;
    for (std::size_t i = 0; i < numbers.rows(); ++i)
      pairs.push_back({numbers.at(i, 0), numbers.at(i, 1), numbers.at(i, 2), numbers.at(i, 3)});
    e.result = with_scene_points(e.kind, std::move(e.result), pairs, e.cameras);
  }
  e.rows.reset();
}

}  // namespace bifocal::python
