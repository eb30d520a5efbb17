// SPDX-License-Identifier: BSD-3-Clause
// A file that appears on the disk under its name completely or not at all, even if
// processes are killed.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "io/file_descriptor.hpp"

namespace bifocal::colmap {

// Suffix of files in writing. Files of killed processes remain.
inline constexpr std::string_view kPartEnd = ".part";

// Throws TryAgain with the file name if writing fails.
class DurableFile {
 public:
  explicit DurableFile(std::filesystem::path file);
  ~DurableFile();  // deletes the file unless it was committed
  DurableFile(const DurableFile&) = delete;
  DurableFile& operator=(const DurableFile&) = delete;

  void write(std::string_view bytes);
  // Flushes the bytes, renames the file, and flushes the folder that holds the name.
  void commit();

 private:
  [[noreturn]] void fail(int error) const;
  void flush();

  std::filesystem::path file_, part_;
  std::string waiting_;
  io::FileDescriptor out_;
};

void write_durable(const std::filesystem::path& file, std::string_view bytes);

}  // namespace bifocal::colmap
