// SPDX-License-Identifier: BSD-3-Clause
#include "jobs/report/depth_figures.hpp"

#include <fmt/format.h>

#include "jobs/report/page.hpp"

namespace bifocal::jobs {

std::string picture_element(std::string_view type, std::string_view bytes,
                            std::string_view attributes) {
  return fmt::format("<img src=\"data:image/{};base64,{}\" {}>", type, base64(bytes), attributes);
}

std::string figure(const std::string& content, std::string_view caption) {
  return fmt::format("<figure>{}<figcaption>{}</figcaption></figure>\n", content, caption);
}

std::string colour_legend(double first, double last, const std::array<std::string, 5>& values) {
  std::string stops, labels;
  for (int k = 0; k <= 16; ++k) {
    const Colour c = turbo_colour(first + (last - first) * k / 16);
    stops += fmt::format(", rgb({} {} {})", c.r, c.g, c.b);
  }
  for (const std::string& value : values) labels += fmt::format("<span>{}</span>", value);
  return fmt::format(
      "<div class=\"legend\" style=\"background: linear-gradient(to right{})\"></div>"
      "<div class=\"values\">{}</div>",
      stops, labels);
}

std::string depth_legend(const DepthMap& map, std::string_view unit) {
  const DepthSummary s = summary_of(map);
  std::array<std::string, 5> values;
  for (int k = 0; k < 5; ++k)
    values[static_cast<std::size_t>(k)] =
        fmt::format("{:.3g}", 1 / (1 / s.far + (1 / s.near - 1 / s.far) * (4 - k) / 4));
  values[4] += unit;
  return colour_legend(0.96, 0.04, values);
}

}  // namespace bifocal::jobs
