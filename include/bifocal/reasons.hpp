// SPDX-License-Identifier: BSD-3-Clause
// Sentences for the codes that results and JSON files use as reasons.
#pragma once

#include <string_view>

namespace bifocal {

struct ReasonText {
  std::string_view code, text;
};
inline constexpr ReasonText kReasonTexts[] = {
    // Outcome
    {"too_few_points", "there are fewer matches than a model needs"},
    {"no_model", "no model has more inliers than chance gives"},
    {"not_significant", "the best model has no more inliers than chance may give"},
    {"degenerate_sample", "the points coincide, lie on a line, or do not determine the model"},
    {"rotation_only", "the camera only rotated, so no translation is determined"},
    // RectifyOutcome
    {"epipole_near_image",
     "an epipole is in or near an image (motion along the viewing direction)"},
    {"too_wide", "the views differ too much"},
    {"no_common_rows", "the images have no rows in common"},
    {"no_geometry", "the fundamental matrix is not of rank 2"},
    {"no_orientation", "the matches contradict each other about their side of the epipole"},
    // LeftOutReason
    {"camera", "its camera model is not supported, or a parameter is invalid"},
    {"no_pair", "it has no verified pair with a relative pose"},
    {"small_component", "it is connected with too few images for a model"},
    {"contradictory", "all of its pairs contradict other pairs"},
    {"few_points", "too few of its features are points of a model"},
};

// Returns the sentence of a code, without a full stop; the code itself if it is not in the table.
[[nodiscard]] constexpr std::string_view reason_text(std::string_view code) {
  for (const ReasonText& reason : kReasonTexts)
    if (reason.code == code) return reason.text;
  return code;
}

}  // namespace bifocal
