// SPDX-License-Identifier: BSD-3-Clause
// A file system of a few kilobytes that only this process and its children see.
#pragma once

#include <fmt/format.h>
#include <sched.h>
#include <sys/mount.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string>

#include "support/data.hpp"

namespace bifocal::test {

class SmallDisk {
 public:
  SmallDisk() {
    std::filesystem::create_directory(path());
    // Mounts in a private mount namespace vanish with the process.
    if (unshare(CLONE_NEWNS) != 0 || mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0)
      refused_ = std::strerror(errno);
    else
      resize(1024, 0);
  }
  ~SmallDisk() {
    if (refused_.empty()) (void)umount2(path().c_str(), MNT_DETACH);
  }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;

  // Reason for a missing disk (only root may mount); empty if it exists.
  [[nodiscard]] const std::string& refused() const { return refused_; }
  [[nodiscard]] std::filesystem::path path() const { return folder_ / "disk"; }
  [[nodiscard]] const TemporaryFolder& folder() const { return folder_; }

  void clear(std::int64_t kilobytes) {
    (void)umount2(path().c_str(), MNT_DETACH);
    resize(kilobytes, 0);
  }
  void grow(std::int64_t kilobytes) { resize(kilobytes, MS_REMOUNT); }

 private:
  void resize(std::int64_t kilobytes, unsigned long flags) {
    const std::string size = fmt::format("size={}k", kilobytes);
    if (mount("none", path().c_str(), "tmpfs", flags, size.c_str()) != 0)
      refused_ = std::strerror(errno);
  }

  TemporaryFolder folder_;
  std::string refused_;
};

}  // namespace bifocal::test
