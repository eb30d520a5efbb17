// SPDX-License-Identifier: BSD-3-Clause
// The rule of all commands and functions for outputs that exist already.
//
// A call replaces a file only with the option `overwrite`, or if the file is the output of an
// earlier call of the same kind on the same inputs. Inputs are never replaced, except a model or a
// database that the call changes. Outputs are checked before any work.
#pragma once

#include <filesystem>
#include <span>
#include <string_view>

namespace bifocal {

// Returns whether something would be lost at this path: a file with content, a folder or a link,
// also a broken one. Devices and pipes are written in place and count as free.
[[nodiscard]] bool is_taken(const std::filesystem::path& path);

// Throws Error(usage) that names the path if `overwrite` is false and is_taken(path). The message
// ends in "overwrite it", which programs replace by their flag.
void require_free(const std::filesystem::path& path, bool overwrite,
                  std::string_view what = "exists already");

// Throws Error(usage) if the path is one of the inputs, also through links. Empty inputs are none.
void require_no_input(const std::filesystem::path& path,
                      std::span<const std::filesystem::path> inputs);

// Throws Error(input) if no file can have this path: it is a folder, or a parent is a file.
void require_file_place(const std::filesystem::path& path);

}  // namespace bifocal
