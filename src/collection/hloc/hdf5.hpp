// SPDX-License-Identifier: BSD-3-Clause
// HDF5 files, as far as hloc's need it. The library itself is seen by hdf5.cpp alone. Nothing but
// the file itself is read: links to other files, numbers stored in them and virtual data sets,
// which are made of them, are refused. Memory is taken for numbers that the file has: a claim of
// more than its bytes can hold is refused.
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
  // Of every data set: its path, 'db/1.jpg/keypoints'.
  virtual void visit(const std::function<void(const std::string& path)>& take) const = 0;
  // A data set of floats of 2, 4 or 8 bytes, or of whole numbers of 1 to 8, as it lies there, at
  // most 2^26 of them; shape is its own. False where there is none of this path.
  [[nodiscard]] virtual bool read(const std::string& path, std::vector<float>& values,
                                  std::vector<std::int64_t>& shape) const = 0;
  [[nodiscard]] virtual bool read(const std::string& path, std::vector<std::int64_t>& values,
                                  std::vector<std::int64_t>& shape) const = 0;
  // Is there such a data set, and are its numbers whole ones of 8 bits without a sign?
  [[nodiscard]] virtual bool holds_bytes(const std::string& path) const = 0;
};

// For reading. A build without HDF5 does not define it (runtime/built_parts.h).
[[nodiscard]] std::unique_ptr<Reader> open(const std::filesystem::path& path);

// Replaces open() by the function that `opener` returns, in every build. The Python package sets
// it, because its wheel contains no HDF5 library. Not to be called while files are read.
using Opener = std::function<std::unique_ptr<Reader>(const std::filesystem::path&)>;
[[nodiscard]] Opener& opener();

}  // namespace bifocal::hdf5
