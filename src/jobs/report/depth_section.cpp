// SPDX-License-Identifier: BSD-3-Clause
#include "jobs/report/depth_section.hpp"

#include <fmt/format.h>
#include <bifocal/draw.hpp>
#include <bifocal/io.hpp>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "jobs/json.hpp"
#include "jobs/depth_files.hpp"
#include "jobs/report/depth_figures.hpp"
#include "jobs/report/pair_figures.hpp"
#include "jobs/report_texts.hpp"

namespace bifocal::jobs {
namespace {

using GreyView = ImageView<const std::uint8_t>;

constexpr std::size_t kMostCloudPoints = 40000;  // points of the cloud on the page

constexpr std::string_view kDepthStyle = R"(
.beside { display: flex; flex-wrap: wrap; gap: .6rem; }
.beside figure { flex: 1 1 300px; margin: .4rem 0; min-width: 0; }
.beside figure img { width: 100%; }
.over { position: relative; max-width: 800px; line-height: 0; }
.over img { width: 100%; height: auto; border: 1px solid #d8dee4; box-sizing: border-box; }
.over #warped { position: absolute; left: 0; top: 0; }
#slider { width: 100%; max-width: 800px; }
)";

std::string photograph(GreyView picture, std::string_view attributes) {
  return picture_element("jpeg", encode_jpeg(picture, 85), attributes);
}

Json camera_json(GreyView picture, const Intrinsics& k) {
  return {{"width", picture.width},
          {"height", picture.height},
          {"fx", k.fx},
          {"fy", k.fy},
          {"cx", k.cx},
          {"cy", k.cy}};
}

// Draws the relative deviation of each depth, from blue (accurate) to red (a quarter).
ImageU8 certainty_picture(const DepthMap& map) {
  // Colours are on a logarithmic scale: 0.1 % and less, 0.5, 2.5, 12, 25 %.
  return painted(map, [](double z, double deviation) {
    return 0.05 + 0.9 * std::log(deviation / z / 0.001) / std::log(250.0);
  });
}

// Evenly selected points of the cloud, and the cameras.
Json cloud_json(GreyView image1, GreyView image2, const DensePair& dense) {
  std::vector<float> points;
  std::vector<std::uint8_t> colours;
  const std::size_t count = dense.cloud.size(), kept = std::min(count, kMostCloudPoints);
  for (std::size_t i = 0; i < kept; ++i) {
    const CloudPoint& p = dense.cloud[i * count / kept];
    points.insert(points.end(), {p.x, p.y, p.z});
    colours.insert(colours.end(), {p.r, p.g, p.b});
  }
  return {{"points", base64_of(points)},
          {"colours", base64_of(colours)},
          {"R", dense.cam2_from_cam1.R},
          {"t", dense.cam2_from_cam1.t},
          {"cameras", {camera_json(image1, dense.camera1), camera_json(image2, dense.camera2)}}};
}

}  // namespace

ImageU8 seen_from_first(GreyView image2, const DensePair& dense, int width, int height,
                        double step) {
  constexpr std::uint8_t kGrey = 40;
  const auto& [R, t] = dense.cam2_from_cam1;
  const Intrinsics &k1 = dense.camera1, &k2 = dense.camera2;
  const ImageU8 rgb = to_rgb(image2);
  ImageU8 out(width, height, 3, kGrey);
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      const int px = std::min(int((x + 0.5) * step), dense.depth.depth.width - 1),
                py = std::min(int((y + 0.5) * step), dense.depth.depth.height - 1);
      const double z = dense.depth.depth.at(px, py);
      if (!std::isfinite(z)) continue;
      const double X = (px - k1.cx) / k1.fx * z, Y = (py - k1.cy) / k1.fy * z;
      const double w = R[6] * X + R[7] * Y + R[8] * z + t[2];
      const double u = k2.fx * (R[0] * X + R[1] * Y + R[2] * z + t[0]) / w + k2.cx,
                   v = k2.fy * (R[3] * X + R[4] * Y + R[5] * z + t[1]) / w + k2.cy;
      if (!(u > -0.5 && v > -0.5 && u < rgb.width - 0.5 && v < rgb.height - 0.5)) continue;
      std::copy_n(rgb.row(int(v + 0.5)) + 3 * int(u + 0.5), 3, &out.at(x, y));
    }
  }
  return out;
}

void add_depth_section(Page& page, GreyView image1, GreyView image2, const DensePair& dense) {
  double scale = 1;
  const ImageU8 first = shrunken(image1, &scale), second = shrunken(image2);
  const ImageU8 warped = seen_from_first(image2, dense, first.width, first.height, 1 / scale);
  page.markup(
      fmt::format("<style>{}{}</style>\n<div class=\"beside\">\n", kDepthStyle, kLegendStyle));
  page.markup(figure(photograph(first, "id=\"photo-0\" alt=\"The first photograph\""),
                     "The first photograph."));
  page.markup(figure(
      picture_element("png", encode_png(shrunken(depth_picture(dense.depth))),
                      "alt=\"Depth of its pixels\"") +
          depth_legend(dense.depth, " baselines"),
      "Depth of its pixels, in baselines; black is unknown, or has a deviation above a quarter of "
      "the depth."));
  page.markup(figure(
      picture_element("png", encode_png(shrunken(certainty_picture(dense.depth))),
                      "alt=\"Deviation of the depth\"") +
          colour_legend(0.05, 0.95, {"0.1 %", "0.4 %", "1.6 %", "6.3 %", "25 %"}),
      fmt::format("Standard deviation of the depth{}, in per cent of the depth.",
                  dense.has_deviation ? ""
                                      : " by 0.5 px of disparity alone, because the cameras are "
                                        "uncertain")));
  page.markup("</div>\n<div class=\"over\">");
  page.markup(photograph(first, "alt=\"The first photograph\""));
  page.markup(photograph(warped, "id=\"warped\" alt=\"The second photograph from its position\""));
  page.markup(
      "</div>\n<input type=\"range\" id=\"slider\" min=\"0\" max=\"100\" value=\"50\" "
      "aria-label=\"From the second photograph to the first\">\n<p class=\"note\">Left of the "
      "slider is the first photograph, right of it the second photograph, warped to the view of "
      "the first camera by the depth. If the depth is correct, objects do not move with the "
      "slider. Grey: unknown.</p>\n");
  page.markup(photograph(second, "id=\"photo-1\" alt=\"The second photograph\" hidden"));
  page.markup(
      fmt::format("<div><canvas id=\"cloud\" aria-label=\"Cloud and cameras\"></canvas></div>\n<p "
                  "class=\"note\">{} of the cloud's {} points, without points beyond five times "
                  "the median depth; the first camera is blue, the second red. Drag: rotate; with "
                  "shift or the right button: move. Wheel: zoom. Two fingers: move and zoom. "
                  "Double click: initial view.</p>\n<script type=\"application/json\" "
                  "id=\"data\">{}</script>\n<script>'use strict';\n{}</script>\n",
                  std::min(dense.cloud.size(), kMostCloudPoints), dense.cloud.size(),
                  cloud_json(image1, image2, dense).dump(), kPairScriptText));
}

}  // namespace bifocal::jobs
