// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

namespace bifocal::test {

// Returns the path of a file of the test data folder: $BIFOCAL_DATA, else the CMake option.
inline std::filesystem::path data(const std::string& name) {
  const char* folder = std::getenv("BIFOCAL_DATA");
  return std::filesystem::path(folder && *folder ? folder : BIFOCAL_TEST_DATA) / name;
}

// First line of a test that needs the data; skips the test if the folder is missing.
// scripts/timing/skipped-tests counts the message.
#define BIFOCAL_NEEDS_DATA(name)                                     \
  if (!std::filesystem::exists(bifocal::test::data(name))) {         \
    GTEST_SKIP() << "no test data at " << bifocal::test::data(name); \
  }

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
