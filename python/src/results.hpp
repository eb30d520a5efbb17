// SPDX-License-Identifier: BSD-3-Clause
// Results of several calls.
#pragma once

#include <cstring>
#include <optional>
#include <type_traits>

#include <bifocal/io.hpp>

#include "arrays.hpp"

namespace bifocal::python {

// Convert a vector to the bytes of a pickle and back. Raise ValueError if the number of bytes
// does not fit.
template <class T>
nb::bytes bytes_of(const std::vector<T>& values) {
  static_assert(std::is_trivially_copyable_v<T>);
  return nb::bytes(values.data(), values.size() * sizeof(T));
}
template <class T>
std::vector<T> vector_of(const nb::bytes& bytes) {
  if (bytes.size() % sizeof(T) != 0) value_error("this pickle is of another version of bifocal");
  const T* first = static_cast<const T*>(bytes.data());
  std::vector<T> values(bytes.size() / sizeof(T));
  if (!values.empty()) std::memcpy(values.data(), first, bytes.size());
  return values;
}

// Converts text, which may contain file names with bytes that are not UTF-8, to str.
inline nb::str text_of(const std::string& text) { return nb::str(valid_utf8(text).c_str()); }

// Members of FocalLengths (bifocal/_collection.py).
inline nb::tuple tuple_of(const colmap::FocalLengths& f) {
  return nb::make_tuple(f.cameras, f.with_prior, f.least, f.largest);
}

// Contiguous float32 array [height, width] in host memory.
using FloatRows = nb::ndarray<const float, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

// Returns positions, float32 [N, 3], and colours, uint8 [N, 3].
[[nodiscard]] nb::object cloud_arrays(const std::vector<CloudPoint>& cloud);

struct Batch {
  ModelKind kind = ModelKind::homography;
  bool has_pose = false;
  BatchEstimate result;
  std::vector<std::int64_t> offsets;
  nb::object frame{};  // frames.hpp
};

// Properties of an estimate that one kind or another estimates; nothing without a model, or if the
// matches do not determine them.
[[nodiscard]] std::optional<double> known_focal_length(const Estimate& estimate);
[[nodiscard]] std::optional<double> known_focal_deviation(const Estimate& estimate);
[[nodiscard]] std::optional<double> known_distortion(const Estimate& estimate);
[[nodiscard]] std::optional<double> known_distortion_deviation(const Estimate& estimate);

struct Matches {
  std::vector<Match> rows;
  nb::object frame{};
};
// Matches of pairs and their verified geometry.
struct Verified {
  std::vector<ImagePair> pairs;
  Matches matches;
  std::vector<std::int64_t> offsets = {0};
  Batch estimates;
};
struct FloatMatches {
  std::vector<FloatMatch> rows;
  nb::object frame{};
};

}  // namespace bifocal::python
