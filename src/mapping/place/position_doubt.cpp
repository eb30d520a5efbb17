// SPDX-License-Identifier: BSD-3-Clause
// The doubt that positions contradict a model.
#include <fmt/format.h>

#include "mapping/doubts.hpp"
#include "mapping/place/position_fit.hpp"

namespace bifocal::mapping {
namespace {

// Medians of distances in standard deviations.
constexpr double kMedianHorizontal = 1.1774, kMedianVertical = 0.6745;

std::string text_of(const PositionFit& fit) {
  if (fit.is_tilted_alone && fit.tilt > 90 * kRadPerDeg)
    return "the positions of the images turn the model upside down";
  if (fit.is_tilted_alone)
    return fmt::format(
        "the vertical of the positions differs by {:.0f} degrees from the gravity of the images",
        fit.tilt / kRadPerDeg);
  std::string text = fmt::format(
      "the positions of the images contradict the model, at best by {:.1f} m horizontally and "
      "{:.1f} m in height (medians), where {:.1f} and {:.1f} m are expected",
      kMedianHorizontal * fit.horizontal, kMedianVertical * fit.vertical,
      kMedianHorizontal * fit.stated_horizontal, kMedianVertical * fit.stated_vertical);
  if (fit.outliers() > 0)
    text += fmt::format("; {} of {} are farther than that", fit.outliers(), fit.views.size());
  if (fit.tilt > 1 * kRadPerDeg)
    text += fmt::format("; the vertical differs by {:.0f} degrees", fit.tilt / kRadPerDeg);
  return text;
}

}  // namespace

void doubt_positions(const DoubtInput& in, std::vector<ModelDoubt>& doubts) {
  const ViewGraph& graph = *in.scene.graph;
  if (in.options.positions == MapPositions::ignore || graph.positions.empty()) return;
  // The frame is that of control points.
  if (in.model.georeference && in.model.georeference->control_points > 0) return;
  const std::optional<PositionFit> fit = fit_positions(in.scene, graph.positions, in.options.seed);
  if (!fit || fit->agrees) return;
  ModelDoubt doubt{DoubtKind::positions, fit->ratio, 1, {}, {}, text_of(*fit)};
  if (const auto exchanged = exchanged_positions(graph)) {
    const auto other = fit_positions(in.scene, *exchanged, in.options.seed);
    if (other && other->agrees)
      doubt.text += "; positions agree if latitude and longitude are exchanged";
  }
  doubt.text += in.model.georeference && in.model.georeference->is_adjusted
                    ? "; they acted in the adjustment (--positions use)"
                    : "; they did not act in the adjustment";
  doubts.push_back(std::move(doubt));
}

}  // namespace bifocal::mapping
