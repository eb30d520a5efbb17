// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>

#include "io/reject.hpp"

namespace bifocal::io {

// Throws Error(input) where there is no regular file. Every reader of a file asks this before it
// opens one: a device may have no end or act when it is opened, a pipe may let its reader wait.
void require_regular(const std::filesystem::path& file);

}  // namespace bifocal::io
