// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>

#include "io/reject.hpp"

namespace bifocal::io {

// Throws Error(input) if the path is no regular file. All readers call it before they open a file:
// a device may be endless or act on opening, and a pipe may block its reader.
void require_regular(const std::filesystem::path& file);

}  // namespace bifocal::io
