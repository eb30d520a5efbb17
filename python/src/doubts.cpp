// SPDX-License-Identifier: BSD-3-Clause
// Binds the tests of an Estimate for repeated structure and mirrored matches.
#include <nanobind/stl/optional.h>

#include <bifocal/repetition.hpp>

#include "pair_input.hpp"

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
  a.qualities = doubles_of(given.qualities, "qualities");
  a.device = device_for(device, nullptr, "");
  auto points = points_of<PointPair>(given.left, given.right);
  const Unlocked unlocked;
  with_input(problem, points, a, [&](const EstimateInput& input) { action(points.span, input); });
}

nb::tuple find_repetition_of(nb::handle self, const GivenPair& given, nb::handle options,
                             const std::optional<std::string>& device) {
  const PairEstimate& found = complete_estimate(self);
  Repetition r;
  with_matches(found, given, options, device, [&](const auto& points, const EstimateInput& input) {
    r = find_repetition(found.kind, points, found.result, input);
  });
  return nb::make_tuple(r.is_doubted, r.reason, r.rival_inliers, r.rival_ratio);
}
std::string mirror_doubt_of(nb::handle self, const GivenPair& given, nb::handle options,
                            const std::optional<std::string>& device) {
  const PairEstimate& found = complete_estimate(self);
  std::string doubt;
  with_matches(found, given, options, device, [&](const auto& points, const EstimateInput& input) {
    doubt = mirror_doubt(found.kind, points, input, found.result);
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
}

}  // namespace bifocal::python
