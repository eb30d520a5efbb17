// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "support/paths.hpp"

namespace bifocal::test {

// Returns the path of a file or folder of the test data, whether it exists or not. The folder of
// the data is $BIFOCAL_DATA, else the CMake option.
inline std::filesystem::path data_path(const std::string& name) {
  const char* folder = std::getenv("BIFOCAL_DATA");
  return std::filesystem::path(folder && *folder ? folder : kDataFolder) / name;
}

// Returns the path of a file or folder of the test data. If it is missing, the test is skipped and
// left here by GoogleTest's exception. scripts/timing/skipped-tests counts the message.
inline std::filesystem::path data(const std::string& name) {
  std::filesystem::path path = data_path(name);
  if (std::filesystem::exists(path)) return path;
  const std::string message = "no test data at \"" + path.string() + '"';
  constexpr auto kSkip = testing::TestPartResult::kSkip;
  GTEST_MESSAGE_AT_(__FILE__, __LINE__, message.c_str(), kSkip);
  throw testing::AssertionException({kSkip, __FILE__, __LINE__, message.c_str()});
}

// First line of a test whose first use of the data is late.
#define BIFOCAL_NEEDS_DATA(name) static_cast<void>(::bifocal::test::data(name));

// A fresh folder that is removed with the object.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "bifocal-test-XXXXXX").string();
    if (!mkdtemp(name.data())) throw std::runtime_error("mkdtemp failed: " + name);
    path_ = name;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

}  // namespace bifocal::test
