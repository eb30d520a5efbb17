// SPDX-License-Identifier: BSD-3-Clause
// OpenCL sources in this build, by name. cmake/BifocalEmbed.cmake generates each from the lane
// vocabulary and the lane files of a list.
#pragma once

#include <string>
#include <string_view>

namespace bifocal::runtime {

struct OpenClSource {
  std::string_view name, source;
};

// Throws Error(device) if no source has this name.
[[nodiscard]] std::string_view opencl_source(std::string_view name);

// Adds a source, or replaces an existing source with the same name, for tests. `source` must live
// until the process ends.
void add_opencl_source(const OpenClSource& source);

}  // namespace bifocal::runtime
