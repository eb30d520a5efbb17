// SPDX-License-Identifier: BSD-3-Clause
// Binds the robust estimation of many pairs in one call.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>

#include <chrono>
#include <cmath>
#include <limits>

#include "batch_input.hpp"
#include "../devices.hpp"
#include "../points.hpp"
#include "../results.hpp"

namespace bifocal::python {
namespace {

BatchEstimate run(Queue& queue, const BatchArguments& g, std::size_t first, std::size_t last) {
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
BatchEstimate run_in_parts(const BatchArguments& g) {
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

Batch estimate_many(const std::string& kind, const GivenBatch& given, nb::handle options,
                    const std::optional<std::string>& device, nb::handle frame) {
  BatchArguments g = batch_arguments(kind_of(kind), given, options, device);
  Batch b{g.kind, g.problem.has_pose, {}, {}};
  if (!frame.is_none()) b.frame = nb::borrow(frame);
  await_frame(frame);
  b.result = run_in_parts(g);
  b.offsets = std::move(g.offsets);
  return b;
}

const Batch& of(nb::handle self) { return nb::cast<const Batch&>(self); }

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
      c, "num_inliers", [](const Estimate& p) { return &p.num_inliers; }, INTS("num_inliers"),
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
  // `value` returns no value where the property of a single estimate is None.
  const auto of_kinds = [&](const char* name, bool ProblemInfo::*is_estimated, auto value,
                            const char* doc) {
    c.def_prop_ro(
        name,
        [is_estimated, value](nb::handle s) -> nb::object {
          const Batch& b = of(s);
          if (!(problem_info(b.kind).*is_estimated)) return nb::none();
          std::vector<double> values;
          for (const Estimate& p : b.result.pairs)
            values.push_back(value(p).value_or(std::numeric_limits<double>::quiet_NaN()));
          return framed(b.frame, copy_of(values, {values.size()}));
        },
        doc);
  };
  of_kinds("focal_length", &ProblemInfo::estimates_focal_length, &known_focal_length,
           "Estimated focal lengths in px, shape (P,), NaN without a model; None for kinds that do "
           "not estimate them.");
  of_kinds("focal_deviation", &ProblemInfo::estimates_focal_length, &known_focal_deviation,
           "Standard deviations of focal_length in px, shape (P,), NaN if the matches do not "
           "determine it; None for kinds without focal_length.");
  of_kinds("distortion", &ProblemInfo::estimates_distortion, &known_distortion,
           "Coefficients k of the division model, shape (P,), NaN without a model; None for kinds "
           "other than 'radial_fundamental'.");
  of_kinds("distortion_deviation", &ProblemInfo::estimates_distortion, &known_distortion_deviation,
           "Standard deviations of distortion, shape (P,), NaN if the matches do not determine it; "
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
}

}  // namespace bifocal::python
