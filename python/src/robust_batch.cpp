// SPDX-License-Identifier: BSD-3-Clause
// Binds the robust estimation of many pairs in one call, and the test of its models for repeated
// structure.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>

#include <bifocal/repetition.hpp>
#include <chrono>
#include <cmath>

#include "devices.hpp"
#include "estimate.hpp"
#include "points.hpp"
#include "results.hpp"

namespace bifocal::python {
namespace {

std::vector<std::int64_t> offsets_of(nb::handle object, std::int64_t points) {
  const AnyArray a = array_of(object, "offsets");
  need_shape(a, "offsets", {-1});
  need_host(a, "offsets");
  const nb::dlpack::dtype d = a.dtype();
  const bool is_whole = d.code == std::uint8_t(nb::dlpack::dtype_code::Int) ||
                        d.code == std::uint8_t(nb::dlpack::dtype_code::UInt);
  if (!is_whole) type_error(fmt::format("offsets: dtype {}, must be whole numbers", dtype_text(a)));
  std::vector<std::int64_t> offsets(a.shape(0));
  nb::ndarray<const std::int64_t> whole;
  if (!nb::try_cast(object, whole, true) &&
      !nb::try_cast(nb::module_::import_("numpy").attr("asarray")(object, "int64"), whole, true))
    type_error(fmt::format("offsets: dtype {}, can't be read as int64", dtype_text(a)));
  for (std::size_t k = 0; k < offsets.size(); ++k)
    offsets[k] = whole.data()[std::int64_t(k) * whole.stride(0)];
  if (offsets.empty()) value_error("offsets: shape (0,), must have one number more than pairs");
  if (offsets.back() > points)
    value_error(fmt::format("offsets: end at {}, but there are {} points", offsets.back(), points));
  return offsets;
}

struct Given {
  ModelKind kind;
  ProblemInfo problem;
  Column points, weights, qualities;
  std::vector<std::int64_t> offsets;
  std::vector<Intrinsics> cameras1, cameras2;
  RobustOptions options;
  std::string device;
};

// Returns the single camera of all pairs, or the cameras of the pairs [first, last).
std::span<const Intrinsics> some(const std::vector<Intrinsics>& cameras, std::size_t first,
                                 std::size_t last) {
  if (cameras.size() <= 1) return cameras;
  return std::span(cameras).subspan(first, last - first);
}

// Returns the input for the pairs [first, last).
BatchInput input_of(const Given& g, std::size_t first, std::size_t last) {
  return {.offsets = std::span(g.offsets).subspan(first, last - first + 1),
          .cameras1 = some(g.cameras1, first, last),
          .cameras2 = some(g.cameras2, first, last),
          .weights = g.weights.memory,
          .qualities = g.qualities.memory,
          .options = g.options};
}

BatchEstimate run(Queue& queue, const Given& g, std::size_t first, std::size_t last) {
  const auto typed = [&]<class Point>(const Point*) -> Memory<const Point> {
    const auto* at = reinterpret_cast<const Point*>(g.points.memory.pointer());
    if (g.points.memory.is_on_device()) return Memory<const Point>::on_device(at);
    return at;
  };
  const BatchInput input = input_of(g, first, last);
  if (g.problem.takes_depths)
    return estimate_batch(queue, g.kind, typed(static_cast<const DepthPair*>(nullptr)), input);
  if (g.problem.is_two_view)
    return estimate_batch(queue, g.kind, typed(static_cast<const PointPair*>(nullptr)), input);
  return estimate_batch(queue, g.kind, typed(static_cast<const ScenePoint*>(nullptr)), input);
}

// Pairs are independent, so the batch is split into parts of about a tenth of a second, between
// which Ctrl-C is handled. The split costs no measurable time.
BatchEstimate run_in_parts(const Given& g) {
  const std::size_t pairs = g.offsets.size() - 1;
  BatchEstimate all;
  std::size_t part = g.device == "cpu" ? 64 : 8192;
  for (std::size_t first = 0; first < pairs || first == 0;) {
    const std::size_t last = std::min(pairs, first + part);
    BatchEstimate one;
    const auto begin = std::chrono::steady_clock::now();
    {
      const Unlocked unlocked;
      QueueLease lease(g.device);
      one = run(lease.queue(), g, first, last);
    }
    if (last == pairs && first == 0) return one;
    all.pairs.insert(all.pairs.end(), one.pairs.begin(), one.pairs.end());
    all.inliers.insert(all.inliers.end(), one.inliers.begin(), one.inliers.end());
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    const double wanted = double(last - first) * 0.08 / std::max(took.count(), 1e-6);
    part = std::size_t(std::clamp(wanted, double(part) / 2, double(part) * 4));
    part = std::max<std::size_t>(part, 1);
    first = last;
  }
  return all;
}

void check_pairs(const Given& g) {
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
void undistort(Given& g, const std::vector<AnyCamera>& cameras, std::size_t column) {
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

// Arrays and cameras of a batch as given in Python; an absent argument is None.
struct GivenBatch {
  nb::handle points, offsets, cameras1, cameras2, weights, qualities;
};

// Reads the arguments of a batch. offsets: null, or those of an earlier call.
Given given_of(ModelKind kind, const GivenBatch& given, nb::handle options,
               const std::optional<std::string>& device,
               const std::vector<std::int64_t>* known_offsets = nullptr) {
  const auto& [points, offsets, cameras1, cameras2, weights, qualities] = given;
  Given g{kind, {}, {}, {}, {}, {}, {}, {}, options_of<RobustOptions>(options), {}};
  g.problem = problem_info(g.kind);
  if (points.is_none()) type_error("points: None, must be an array of numbers");
  g.points = column_of(points, "points", columns_of(g.problem));
  g.weights = column_of(weights, "weights", 1);
  g.qualities = column_of(qualities, "qualities", 1);
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
    given1 = any_cameras_of(cameras1, g.problem.is_two_view ? "cameras1" : "cameras");
  else if (!cameras1.is_none())
    type_error("cameras: given, but this kind of model takes none");
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

Batch estimate_many(const std::string& kind, const GivenBatch& given, nb::handle options,
                    const std::optional<std::string>& device, nb::handle frame) {
  Given g = given_of(kind_of(kind), given, options, device);
  Batch b{g.kind, g.problem.has_pose, {}, {}};
  if (!frame.is_none()) b.frame = nb::borrow(frame);
  await_frame(frame);
  b.result = run_in_parts(g);
  b.offsets = std::move(g.offsets);
  return b;
}

const Batch& of(nb::handle self) { return nb::cast<const Batch&>(self); }

// Returns is_doubted, reason, rival_inliers and rival_ratio of each pair.
nb::list find_repetition_in(nb::handle self, const GivenBatch& given, nb::handle options,
                            const std::optional<std::string>& device) {
  const Batch& found = of(self);
  const ProblemInfo problem = problem_info(found.kind);
  if (!problem.is_two_view || problem.takes_depths)
    value_error(
        fmt::format("found: {}, must be a model of matches without depths", name_of(found.kind)));
  const Given g = given_of(found.kind, given, options, device, &found.offsets);
  std::vector<Repetition> results;
  {
    const Unlocked unlocked;
    QueueLease lease(g.device);
    results = find_repetition_batch(lease.queue(), g.kind,
                                    reinterpret_cast<const PointPair*>(g.points.memory.pointer()),
                                    input_of(g, 0, g.offsets.size() - 1), found.result);
  }
  nb::list rows;
  for (const Repetition& r : results)
    rows.append(nb::make_tuple(r.is_doubted, r.reason, r.rival_inliers, r.rival_ratio));
  return rows;
}

// Returns a member of all estimates as a strided array.
template <class T>
nb::object field(nb::handle self, const T* first, std::initializer_list<std::size_t> more = {},
                 std::initializer_list<std::int64_t> strides = {}) {
  static_assert(sizeof(Estimate) % sizeof(T) == 0);
  std::size_t shape[3] = {of(self).result.pairs.size(), 0, 0};
  std::int64_t steps[3] = {std::int64_t(sizeof(Estimate) / sizeof(T)), 0, 0};
  std::copy(more.begin(), more.end(), shape + 1);
  std::copy(strides.begin(), strides.end(), steps + 1);
  return framed(of(self).frame, nb::cast(nb::ndarray<nb::numpy, T>(
                                    const_cast<T*>(first), more.size() + 1, shape, self, steps)));
}
const Estimate& front(nb::handle self) {
  static const Estimate none;
  const Batch& b = of(self);
  return b.result.pairs.empty() ? none : b.result.pairs.front();
}

template <class Get>
void column(nb::class_<Batch>& c, const char* name, Get get, const char* sig, const char* doc) {
  c.def_prop_ro(
      name, [get](nb::handle self) { return field(self, get(front(self))); }, nb::sig(sig), doc);
}

nb::object ok(nb::handle self) {
  std::vector<std::uint8_t> flags;
  for (const Estimate& p : of(self).result.pairs) flags.push_back(p.outcome == Outcome::ok);
  return framed(of(self).frame, flags_array(flags));
}
nb::object inliers(nb::handle self) {
  const auto& flags = of(self).result.inliers;
  return framed(of(self).frame,
                view(self, reinterpret_cast<const bool*>(flags.data()), {flags.size()}));
}
nb::list reasons(nb::handle self) {
  nb::list names;
  for (const Estimate& p : of(self).result.pairs) names.append(to_string(p.outcome));
  return names;
}

// Columns of every kind.
void bind_columns(nb::class_<Batch>& c) {
#define INTS(name) "def " name "(self) -> numpy.typing.NDArray[numpy.int32]"
#define DOUBLES(name) "def " name "(self) -> numpy.typing.NDArray[numpy.float64]"
  column(
      c, "num_inliers", [](const Estimate& p) { return &p.inlier_count; }, INTS("num_inliers"),
      "Number of inliers of each pair, shape (P,).");
  column(
      c, "iterations", [](const Estimate& p) { return &p.iterations; }, INTS("iterations"),
      "Number of minimal samples drawn for each pair, shape (P,).");
  column(
      c, "rms", [](const Estimate& p) { return &p.rms; }, DOUBLES("rms"),
      "Root mean square error of the inliers in px, shape (P,).");
  column(
      c, "noise", [](const Estimate& p) { return &p.noise; }, DOUBLES("noise"),
      "Estimated noise of the coordinates in px, shape (P,).");
  column(
      c, "score", [](const Estimate& p) { return &p.score; }, DOUBLES("score"),
      "MSAC score of each pair, shape (P,).");
  column(
      c, "significance", [](const Estimate& p) { return &p.significance; }, DOUBLES("significance"),
      "log10 of the number of models as well supported that are expected from wrong matches, shape "
      "(P,).");
#undef INTS
#undef DOUBLES
}

// Columns of the models; not every kind has all columns.
void bind_models(nb::class_<Batch>& c) {
#define DOUBLES(name) "def " name "(self) -> numpy.typing.NDArray[numpy.float64]"
  const auto of_kinds = [&](const char* name, bool ProblemInfo::*is_estimated, auto get,
                            const char* doc) {
    c.def_prop_ro(
        name,
        [is_estimated, get](nb::handle s) -> nb::object {
          if (!(problem_info(of(s).kind).*is_estimated)) return nb::none();
          return field(s, get(front(s)));
        },
        doc);
  };
  of_kinds(
      "focal_length", &ProblemInfo::estimates_focal_length,
      [](const Estimate& p) { return &p.focal_length; },
      "Estimated focal lengths in px, shape (P,); None for kinds that do not estimate them.");
  of_kinds(
      "focal_deviation", &ProblemInfo::estimates_focal_length,
      [](const Estimate& p) { return &p.focal_deviation; },
      "Standard deviations of focal_length in px, shape (P,), infinity if the matches do not "
      "determine it; None for kinds without focal_length.");
  of_kinds(
      "distortion", &ProblemInfo::estimates_distortion,
      [](const Estimate& p) { return &p.distortion; },
      "Coefficients k of the division model, shape (P,); None for kinds other than "
      "'radial_fundamental'.");
  of_kinds(
      "distortion_deviation", &ProblemInfo::estimates_distortion,
      [](const Estimate& p) { return &p.distortion_deviation; },
      "Standard deviations of distortion, shape (P,), infinity if the matches do not determine it; "
      "None for kinds without distortion.");
  c.def_prop_ro(
      "models",
      [](nb::handle s) {
        return field(s, front(s).model.data(), {3, 3}, {3, 1});
      },
      nb::sig(DOUBLES("models")),
      "Matrices H, F (px) or E (normalised points) of norm 1, or rotations, shape (P, 3, 3).");
  c.def_prop_ro(
      "R",
      [](nb::handle s) -> nb::object {
        if (!of(s).has_pose) return nb::none();
        return field(s, front(s).pose.R.data(), {3, 3}, {3, 1});
      },
      nb::sig(DOUBLES("R") " | None"), "Rotations, shape (P, 3, 3); None if the kind has no pose.");
  c.def_prop_ro(
      "t",
      [](nb::handle s) -> nb::object {
        if (!of(s).has_pose) return nb::none();
        return field(s, front(s).pose.t.data(), {3}, {1});
      },
      nb::sig(DOUBLES("t") " | None"), "Translations, shape (P, 3); None if the kind has no pose.");
#undef DOUBLES
}

}  // namespace

void bind_robust_batch(nb::module_& m) {
  nb::class_<Batch> c(
      m, "BatchEstimate",
      "Results of a robust estimator for P pairs, with one array for each property.");
  c.def(
      "__getstate__",
      [](const Batch& b) {
        return nb::make_tuple(name_of(b.kind), bytes_of(b.result.pairs), bytes_of(b.result.inliers),
                              bytes_of(b.offsets));
      },
      nb::sig("def __getstate__(self) -> tuple[str, bytes, bytes, bytes]"));
  c.def("__setstate__",
        [](Batch& b, const std::tuple<std::string, nb::bytes, nb::bytes, nb::bytes>& state) {
          const auto& [kind, pairs, inliers, offsets] = state;
          const ModelKind k = kind_of(kind);
          new (&b) Batch{k,
                         problem_info(k).has_pose,
                         {vector_of<Estimate>(pairs), vector_of<std::uint8_t>(inliers)},
                         vector_of<std::int64_t>(offsets)};
        });
  c.def("__len__", [](const Batch& b) { return b.result.pairs.size(); });
  c.def_prop_ro(
      "kind", [](const Batch& b) { return name_of(b.kind); }, "Kind of the models.");
  c.def_prop_ro("ok", &ok, nb::sig("def ok(self) -> numpy.typing.NDArray[numpy.bool_]"),
                "True for each pair with a model, shape (P,).");
  c.def_prop_ro("reasons", &reasons, nb::sig("def reasons(self) -> list[str]"),
                "'ok', or the cause without a model, for each pair (Estimate.reason).");
  c.def_prop_ro("inliers", &inliers,
                nb::sig("def inliers(self) -> numpy.typing.NDArray[numpy.bool_]"),
                "Inlier flag of each correspondence, shape (offsets[P] - offsets[0],).");
  c.def_prop_ro(
      "offsets", [](nb::handle s) { return view(s, of(s).offsets.data(), {of(s).offsets.size()}); },
      nb::sig("def offsets(self) -> numpy.typing.NDArray[numpy.int64]"),
      "Shape (P + 1,): pair k has the points offsets[k] to offsets[k + 1] - 1.");
  bind_columns(c);
  bind_models(c);
  m.def(
      "estimate_batch",
      [](const std::string& kind, nb::handle points, nb::handle offsets, nb::handle cameras1,
         nb::handle cameras2, nb::handle weights, nb::handle qualities, nb::handle options,
         const std::optional<std::string>& device, nb::handle frame) {
        return estimate_many(kind,
                             {.points = points,
                              .offsets = offsets,
                              .cameras1 = cameras1,
                              .cameras2 = cameras2,
                              .weights = weights,
                              .qualities = qualities},
                             options, device, frame);
      },
      nb::arg("kind"), nb::arg("points").none(), nb::arg("offsets").none(),
      nb::arg("cameras1").none(), nb::arg("cameras2").none(), nb::arg("weights").none(),
      nb::arg("qualities").none(), nb::arg("options").none(), nb::arg("device").none(),
      nb::arg("frame").none() = nb::none(),
      "Estimates models of many pairs (bifocal.estimate_batch).");
  m.def(
      "find_repetition_batch",
      [](nb::handle found, nb::handle points, nb::handle cameras1, nb::handle cameras2,
         nb::handle weights, nb::handle qualities, nb::handle options,
         const std::optional<std::string>& device) {
        return find_repetition_in(found,
                                  {.points = points,
                                   .offsets = {},
                                   .cameras1 = cameras1,
                                   .cameras2 = cameras2,
                                   .weights = weights,
                                   .qualities = qualities},
                                  options, device);
      },
      nb::arg("found"), nb::arg("points").none(), nb::arg("cameras1").none(),
      nb::arg("cameras2").none(), nb::arg("weights").none(), nb::arg("qualities").none(),
      nb::arg("options").none(), nb::arg("device").none(),
      nb::sig("def find_repetition_batch(found: BatchEstimate, points: object, cameras1: object, "
              "cameras2: object, weights: object, qualities: object, options: object, "
              "device: str | None) -> list[tuple[bool, str, int, float]]"));
}

}  // namespace bifocal::python
