// SPDX-License-Identifier: BSD-3-Clause
// OpenCL texts that this build holds, by name: written by cmake/BifocalEmbed.cmake, each the lane
// vocabulary and a list's lane files.
#pragma once

#include <string>
#include <string_view>

namespace bifocal::runtime {

struct OpenClText {
  std::string_view name, text;
};

// Throws Error(device) when there is no text of that name.
[[nodiscard]] std::string_view opencl_text(std::string_view name);

// Adds a text, or replaces the one of that name (tests do). `text` lives as long as the process.
void add_opencl_text(const OpenClText& text);

}  // namespace bifocal::runtime
