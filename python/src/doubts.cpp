// SPDX-License-Identifier: BSD-3-Clause
// Binds the tests of an Estimate, or a BatchEstimate, for repeated structure and mirrored matches.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <bifocal/two_view.hpp>

#include "batch/batch_input.hpp"
#include "pair_input.hpp"
#include "results.hpp"

namespace bifocal::python {
namespace {

// Calls action(points, input) for the matches and arguments that an estimate was made from.
template <class Action>
void with_matches(const PairEstimate& found, const GivenPair& given, nb::handle options,
                  const std::optional<std::string>& device, const Action& action) {
  const ProblemInfo problem = problem_info(found.kind);
  if (!problem.is_two_view || problem.takes_depths)
    value_error(
        fmt::format("found: {}, must be a model of matches without depths", to_string(found.kind)));
  Arguments a = arguments_of(given.camera1, given.camera2, options, problem);
  a.weights = doubles_of(given.weights, "weights");
  a.qualities = qualities_of(given.qualities);
  a.device = device_for(device, nullptr, "");
  auto points = points_of<PointPair>(given.left, given.right);
  const Unlocked unlocked;
  with_input(problem, points, a,
             [&](Queue& queue, const EstimateInput& input) { action(queue, points.span, input); });
}

nb::tuple find_repetition_of(nb::handle self, const GivenPair& given, nb::handle options,
                             const std::optional<std::string>& device) {
  const PairEstimate& found = complete_estimate(self);
  Repetition r;
  with_matches(found, given, options, device,
               [&](Queue& queue, const auto& points, const EstimateInput& input) {
                 r = find_repetition(queue, found.kind, points, found.result, input);
               });
  return nb::make_tuple(r.is_doubted, r.reason, r.rival_inliers, r.rival_ratio);
}
// Returns is_doubted, reason, rival_inliers and rival_ratio of each pair.
nb::list find_repetition_in(nb::handle self, const GivenBatch& given, nb::handle options,
                            const std::optional<std::string>& device) {
  const Batch& found = nb::cast<const Batch&>(self);
  const ProblemInfo problem = problem_info(found.kind);
  if (!problem.is_two_view || problem.takes_depths)
    value_error(
        fmt::format("found: {}, must be a model of matches without depths", name_of(found.kind)));
  const BatchArguments g = batch_arguments(found.kind, given, options, device, &found.offsets);
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

std::string mirror_doubt_of(nb::handle self, const GivenPair& given, nb::handle options,
                            const std::optional<std::string>& device) {
  const PairEstimate& found = complete_estimate(self);
  std::string doubt;
  with_matches(found, given, options, device,
               [&](Queue& queue, const auto& points, const EstimateInput& input) {
                 doubt = mirror_doubt(queue, found.kind, points, input, found.result);
               });
  return doubt;
}

// Binds a test of an Estimate and the arguments that it was made from.
template <class Test>
void bind_test(nb::module_& m, const char* name, const Test& test, const char* signature) {
  m.def(
      name,
      [test](nb::handle found, nb::handle left, nb::handle right, nb::handle camera1,
             nb::handle camera2, nb::handle weights, nb::handle qualities, nb::handle options,
             const std::optional<std::string>& device) {
        return test(found,
                    GivenPair{.left = left,
                              .right = right,
                              .depths = {},
                              .camera1 = camera1,
                              .camera2 = camera2,
                              .weights = weights,
                              .qualities = qualities},
                    options, device);
      },
      nb::arg("found"), nb::arg("left").none(), nb::arg("right").none(), nb::arg("camera1").none(),
      nb::arg("camera2").none(), nb::arg("weights").none(), nb::arg("qualities").none(),
      nb::arg("options").none(), nb::arg("device").none(), nb::sig(signature));
}

}  // namespace

void bind_doubts(nb::module_& m) {
  bind_test(m, "find_repetition", &find_repetition_of,
            "def find_repetition(found: Estimate, left: object, right: object, camera1: object, "
            "camera2: object, weights: object, qualities: object, options: object, "
            "device: str | None) -> tuple[bool, str, int, float]");
  bind_test(m, "mirror_doubt", &mirror_doubt_of,
            "def mirror_doubt(found: Estimate, left: object, right: object, camera1: object, "
            "camera2: object, weights: object, qualities: object, options: object, "
            "device: str | None) -> str");
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
