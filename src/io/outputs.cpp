// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>
#include <bifocal/error.hpp>
#include <bifocal/io.hpp>

#include "io/reject.hpp"

namespace bifocal {
namespace fs = std::filesystem;

bool is_taken(const fs::path& path) {
  std::error_code none;
  switch (fs::symlink_status(path, none).type()) {
    case fs::file_type::regular:
      return fs::file_size(path, none) > 0;
    case fs::file_type::symlink:
      // A link to a device counts as the device.
      return !fs::exists(path, none) || fs::is_directory(path, none) ||
             (fs::is_regular_file(path, none) && fs::file_size(path, none) > 0);
    case fs::file_type::directory:
      return true;
    default:
      return false;
  }
}

void require_free(const fs::path& path, bool overwrite, std::string_view what) {
  if (overwrite || !is_taken(path)) return;
  throw Error(ErrorCode::usage,
              fmt::format("{}: {}; choose another name or overwrite it", path.string(), what));
}

void require_no_input(const fs::path& path, std::span<const fs::path> inputs) {
  std::error_code none;
  for (const fs::path& input : inputs)
    if (!input.empty() && fs::equivalent(path, input, none))
      throw Error(ErrorCode::usage,
                  fmt::format("{}: would replace the input {}", path.string(), input.string()));
}

void require_file_place(const fs::path& path) {
  std::error_code none;
  if (fs::is_directory(path, none)) io::reject(path.string(), "is a folder, not a file");
  for (fs::path p = path.parent_path(); !p.empty(); p = p.parent_path()) {
    if (fs::exists(p, none) && !fs::is_directory(p, none))
      io::reject(p.string(), "is a file, not a folder");
    if (p == p.root_path()) break;
  }
}

}  // namespace bifocal
