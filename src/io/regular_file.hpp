// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <span>

#include "io/reject.hpp"

namespace bifocal::io {

// Throws Error(input) if the path is no regular file. All readers call it before they open a file:
// a device may be endless or act on opening, and a pipe may block its reader.
void require_regular(const std::filesystem::path& file);

// Reads a regular file that has exactly bytes.size() bytes, in parts on all threads. Throws
// Error(input) if it can't be read or has another size.
void read_all(const std::filesystem::path& file, std::span<char> bytes);

}  // namespace bifocal::io
