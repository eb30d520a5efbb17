// SPDX-License-Identifier: BSD-3-Clause
// Reads the parts of HDF5 that hloc's files use. Only hdf5.cpp includes the HDF5 library. Data must
// lie in the file itself: links to other files, external storage and virtual data sets are
// rejected. A data set that claims more values than the file's bytes can hold is rejected before
// memory is allocated.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace bifocal::hdf5 {

// An open file.
class Reader {
 public:
  virtual ~Reader() = default;

  [[nodiscard]] virtual const std::string& name() const = 0;
  // Calls `take` with the path of every data set, such as 'db/1.jpg/keypoints'.
  virtual void visit(const std::function<void(const std::string& path)>& take) const = 0;
  // Reads a data set of at most 2^26 numbers: floats of 2, 4 or 8 bytes, or integers of 1 to 8
  // bytes. Values keep their order, shape is set to the data set's. Returns false if the path
  // does not exist.
  [[nodiscard]] virtual bool read(const std::string& path, std::vector<float>& values,
                                  std::vector<std::int64_t>& shape) const = 0;
  [[nodiscard]] virtual bool read(const std::string& path, std::vector<std::int64_t>& values,
                                  std::vector<std::int64_t>& shape) const = 0;
  // Returns whether the data set exists and holds unsigned 8-bit integers.
  [[nodiscard]] virtual bool holds_bytes(const std::string& path) const = 0;
};

// Opens a file for reading. A build without HDF5 does not define it (runtime/built_parts.h).
[[nodiscard]] std::unique_ptr<Reader> open(const std::filesystem::path& path);

// Function that is called before open() in every build; if it returns null, open() reads the file.
// The Python package sets it, because its wheel contains no HDF5 library. Must not be replaced
// while files are read.
using Opener = std::function<std::unique_ptr<Reader>(const std::filesystem::path&)>;
[[nodiscard]] Opener& opener();

}  // namespace bifocal::hdf5
