// SPDX-License-Identifier: BSD-3-Clause
#include "report/matches_section.hpp"

#include <fmt/format.h>
#include <bifocal/geometry.hpp>
#include <bifocal/io.hpp>
#include <bifocal/two_view.hpp>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "report/pair_figures.hpp"
#include "report_texts.hpp"

namespace bifocal::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostMatches = 2000;

constexpr std::string_view kMatchesStyle = R"(
#matches, #residuals, #cloud { display: block; border: 1px solid #d8dee4; touch-action: none; }
.switches { margin: .4rem 0; display: flex; flex-wrap: wrap; gap: .2rem 1.2rem; align-items: center; font-size: .92rem; }
.scale { display: inline-block; width: 9rem; height: .8rem; vertical-align: middle; border: 1px solid #d8dee4; }
.note { color: #57606a; font-size: .9rem; margin: .3rem 0; }
)";

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

Json matches_json(const MatchesSection& in, double scale1, double scale2) {
  const std::vector<double> errors = residuals_of(in);
  std::vector<float> points, residual;
  std::vector<std::uint8_t> inliers;
  for (const std::size_t i : shown_matches(in.points.size())) {
    const PointPair& p = in.points[i];
    for (const double v : {p.x1, p.y1, p.x2, p.y2}) points.push_back(static_cast<float>(v));
    residual.push_back(errors.empty() ? 0.0f : static_cast<float>(errors[i]));
    inliers.push_back(in.model.ok() ? in.model.inliers[i] : 0);
  }
  Json json = {{"count", in.points.size()},
               {"points", base64_of(points)},
               {"residuals", base64_of(residual)},
               {"inliers", base64_of(inliers)},
               {"scales", {scale1, scale2}}};
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
  double scale1 = 1, scale2 = 1;
  const ImageU8 first = shrunken(in.image1, &scale1), second = shrunken(in.image2, &scale2);
  page.heading("Matches");
  page.markup(
      fmt::format("<style>{}</style>\n<div><canvas id=\"matches\" aria-label=\"Matches "
                  "between both photographs\"></canvas></div>\n",
                  kMatchesStyle));
  page.markup(hidden_photograph(first, 0) + hidden_photograph(second, 1));
  page.markup(
      "\n<div class=\"switches\"><label><input type=\"checkbox\" id=\"show-inliers\" checked> "
      "inliers</label><label><input type=\"checkbox\" id=\"show-outliers\"> outliers (grey)"
      "</label><label><input type=\"checkbox\" id=\"show-lines\" checked> lines</label>"
      "<span>residual: 0 <canvas class=\"scale\" id=\"residual-scale\"></canvas> <span "
      "id=\"residual-most\"></span></span></div>\n"
      "<p class=\"note\" id=\"match-text\">Point at a match to see its residual and its "
      "counterpart.</p>\n"
      "<noscript><p>Scripts draw the matches and are switched off here. matches.png next to this "
      "page shows them.</p></noscript>\n");
  if (in.model.ok())
    page.markup(
        "<div><canvas id=\"residuals\" aria-label=\"Histogram of residuals\"></canvas></div>\n"
        "<p class=\"note\">Number of matches by residual: inliers in colour, outliers grey. The "
        "last bin contains all larger residuals.</p>\n");
  page.markup(
      fmt::format("<script type=\"application/json\" id=\"match-data\">{}</script>\n"
                  "<script>'use strict';\n{}</script>\n<script>'use strict';\n{}</script>\n",
                  matches_json(in, scale1, scale2).dump(), kCanvasScriptText, kMatchesScriptText));
}

}  // namespace bifocal::cli
