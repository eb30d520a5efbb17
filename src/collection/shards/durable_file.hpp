// SPDX-License-Identifier: BSD-3-Clause
// A file that is on the disk whole under its name, or not at all, whatever is killed meanwhile.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "io/descriptor.hpp"

namespace bifocal::colmap {

// The end of the names under which files are written; those of killed processes stay.
inline constexpr std::string_view kPartEnd = ".part";

// Throws TryAgain that names the file where it can't be written.
class DurableFile {
 public:
  explicit DurableFile(std::filesystem::path file);
  ~DurableFile();  // takes the file away unless it was committed
  DurableFile(const DurableFile&) = delete;
  DurableFile& operator=(const DurableFile&) = delete;

  void write(std::string_view bytes);
  // Bytes first, then the name, then the folder that holds the name.
  void commit();

 private:
  [[noreturn]] void fail(int error) const;
  void flush();

  std::filesystem::path file_, part_;
  std::string waiting_;
  io::Descriptor out_;
};

void write_durable(const std::filesystem::path& file, std::string_view bytes);

}  // namespace bifocal::colmap
