// SPDX-License-Identifier: BSD-3-Clause
#include "jobs/report/matches_section.hpp"

#include <fmt/format.h>
#include <bifocal/geometry.hpp>
#include <bifocal/io.hpp>
#include <bifocal/two_view.hpp>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "jobs/report/pair_figures.hpp"
#include "jobs/report_texts.hpp"

namespace bifocal::jobs {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostMatches = 2000;

// Residuals in px of all matches; empty without a model.
std::vector<double> residuals_of(const MatchesSection& in) {
  if (!in.model.ok()) return {};
  std::vector<Intrinsics> cameras;
  if (in.kind == ModelKind::essential) cameras = {*in.cameras.camera1, *in.cameras.camera2};
  // The points of a pair with estimated distortion are undistorted already.
  const ModelKind kind =
      in.kind == ModelKind::radial_fundamental ? ModelKind::fundamental : in.kind;
  return residuals(kind, in.model.model, in.points, cameras);
}

// Indices of at most kMostMatches matches, evenly chosen in their order.
std::vector<std::size_t> shown_matches(std::size_t count) {
  const std::size_t kept = std::min(count, kMostMatches);
  std::vector<std::size_t> shown(kept);
  for (std::size_t i = 0; i < kept; ++i) shown[i] = i * count / kept;
  return shown;
}

Json matches_json(const MatchesSection& in) {
  const std::vector<double> errors = residuals_of(in);
  std::vector<float> points, residual;
  std::vector<std::uint8_t> inliers;
  for (const std::size_t i : shown_matches(in.points.size())) {
    const PointPair& p = in.points[i];
    for (const double v : {p.x1, p.y1, p.x2, p.y2}) points.push_back(static_cast<float>(v));
    if (!errors.empty()) residual.push_back(static_cast<float>(errors[i]));
    inliers.push_back(in.model.ok() ? in.model.inliers[i] : 0);
  }
  Json json = {
      {"count", in.points.size()},
      {"points", base64_of(points)},
      {"inliers", base64_of(inliers)},
      {"sizes", {{in.image1.width, in.image1.height}, {in.image2.width, in.image2.height}}}};
  if (!errors.empty()) json["residuals"] = base64_of(residual);
  if (!in.model.ok()) return json;
  if (in.kind == ModelKind::homography)
    json["H"] = in.model.model;
  else if (in.kind == ModelKind::essential)
    json["F"] =
        fundamental_from_essential(in.model.model, *in.cameras.camera1, *in.cameras.camera2);
  else
    json["F"] = in.model.model;
  return json;
}

std::string hidden_photograph(const ImageU8& picture, int side) {
  return fmt::format(
      "<img src=\"data:image/jpeg;base64,{}\" id=\"match-photo-{}\" alt=\"\" hidden>",
      base64(encode_jpeg(picture, 85)), side);
}

}  // namespace

void add_matches_section(Page& page, const MatchesSection& in) {
  page.heading("Matches");
  page.markup(fmt::format("<style>{}</style>\n{}", kMatchesStyleText, kMatchesMarkup));
  page.markup(hidden_photograph(shrunken(in.image1), 0) +
              hidden_photograph(shrunken(in.image2), 1));
  page.markup(
      "\n<noscript><p>Scripts draw the matches and are switched off here. matches.txt next to this "
      "page lists them; bifocal pair --all-files draws them.</p></noscript>\n");
  page.markup(fmt::format(
      "<script type=\"application/json\" id=\"match-data\">{}</script>\n"
      "<script>'use strict';\n{}</script>\n<script>'use strict';\n{}\n{}</script>\n",
      matches_json(in).dump(), kCanvasScriptText, kMatchesScriptText, kPairMatchesScriptText));
}

}  // namespace bifocal::jobs
