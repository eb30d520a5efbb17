// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <bifocal/jobs.hpp>

#include <span>

#include "jobs/report/page.hpp"

namespace bifocal::jobs {

// Input of the matches section. `points` are in px of the two images; `model` and `kind` belong to
// them.
struct MatchesSection {
  ImageView<const std::uint8_t> image1, image2;
  std::span<const PointPair> points;
  const EstimateResult& model;
  ModelKind kind;
  const Cameras& cameras;  // both known if `kind` is an essential matrix
};

// Adds both images with the matches as lines coloured by residual, switches for inliers, outliers
// and lines, the epipolar line or the predicted point of the match under the pointer, and a
// histogram of the residuals. Draws at most 2,000 matches. Adds the scripts that pages of a pair
// share (canvas.js), so it comes before the other sections with scripts.
void add_matches_section(Page& page, const MatchesSection& in);

}  // namespace bifocal::jobs
