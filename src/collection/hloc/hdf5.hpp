// SPDX-License-Identifier: BSD-3-Clause
// HDF5 files, as far as hloc's need it.
#pragma once

#include <hdf5.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

namespace bifocal::hdf5 {

// The library is not made for threads, and prints what fails on stderr unless told not to: all
// calls are made while one of these lives.
class Session {
 public:
  Session();
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

 private:
  std::unique_lock<std::mutex> lock_;
  H5E_auto2_t print_ = nullptr;
  void* data_ = nullptr;
};

class File {
 public:
  explicit File(const std::filesystem::path& path);
  ~File();
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  [[nodiscard]] const std::string& name() const { return name_; }
  // Of every data set: its path, 'db/1.jpg/keypoints'.
  void visit(const std::function<void(const std::string& path)>& take) const;
  // A data set of floats of 2, 4 or 8 bytes, or of whole numbers, as it lies there; shape is its
  // own. False where there is none of this path.
  [[nodiscard]] bool read(const std::string& path, std::vector<float>& values,
                          std::vector<std::int64_t>& shape) const;
  [[nodiscard]] bool read(const std::string& path, std::vector<std::int64_t>& values,
                          std::vector<std::int64_t>& shape) const;
  // Is there such a data set, and are its numbers whole ones of 8 bits without a sign?
  [[nodiscard]] bool holds_bytes(const std::string& path) const;

 private:
  std::string name_;
  hid_t file_ = -1;
};

}  // namespace bifocal::hdf5
