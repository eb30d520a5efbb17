// SPDX-License-Identifier: BSD-3-Clause
// Pictures of depth with their scales, as HTML.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "jobs/depth_files.hpp"

namespace bifocal::jobs {

inline constexpr std::string_view kLegendStyle = R"(
.legend { height: .7rem; margin-top: .3rem; }
.values { display: flex; justify-content: space-between; font-size: .8rem; color: #57606a; }
)";

// An embedded picture. type: jpeg or png. attributes: of the element, escaped.
[[nodiscard]] std::string picture_element(std::string_view type, std::string_view bytes,
                                          std::string_view attributes);
// content: HTML.
[[nodiscard]] std::string figure(const std::string& content, std::string_view caption);
// A colour bar of turbo from `first` to `last` (0 to 1) with values below it, evenly spaced.
[[nodiscard]] std::string colour_legend(double first, double last,
                                        const std::array<std::string, 5>& values);
// The depths of depth_picture's colours, which are even in inverse depth. unit: behind the last.
[[nodiscard]] std::string depth_legend(const DepthMap& map, std::string_view unit);

}  // namespace bifocal::jobs
