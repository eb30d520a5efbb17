// SPDX-License-Identifier: BSD-3-Clause
// The bodies of the fuzzers. A body returns if the bytes were refused with Error(input) or read
// into a valid object; any other outcome (another exception, a broken promise, a sanitizer's
// report) ends the program.
#pragma once

#include <cstdlib>
#include <string_view>

#include <bifocal/error.hpp>

#include <bifocal/io.hpp>

#include "io/decode.hpp"
#include "io/exif.hpp"
#include "io/npy.hpp"
#include "io/parse.hpp"

namespace bifocal::fuzz {

inline constexpr std::int64_t kMaxPixels = 1 << 16;  // bounds time and memory of one input

inline void require(bool promise) {
  if (!promise) std::abort();
}

template <class Body>
void expect_sound(const Body& body) {
  try {
    body();
  } catch (const Error& error) {
    require(error.code() == ErrorCode::input);
  }
}

template <class T>
void check_picture(const Image<T>& image) {
  require(image.width > 0 && image.height > 0 && image.channels >= 1 && image.channels <= 4);
  require(std::int64_t{image.width} * image.height <= kMaxPixels);
  require(image.pixels.size() ==
          std::size_t(image.width) * std::size_t(image.height * image.channels));
}

inline void image(std::string_view bytes) {
  expect_sound([&] { check_picture(io::decode_8(bytes, "fuzz", kMaxPixels)); });
  expect_sound([&] { check_picture(io::decode_16(bytes, "fuzz", kMaxPixels)); });
  expect_sound([&] { check_picture(io::decode_samples(bytes, "fuzz", kMaxPixels)); });
}

inline void pfm(std::string_view bytes) {
  expect_sound([&] { check_picture(io::decode_pfm(bytes, "fuzz", kMaxPixels)); });
}

inline void text(std::string_view bytes) {
  expect_sound([&] {
    const Correspondences rows = io::parse_correspondences(bytes, "fuzz");
    require(!rows.points.empty());
    require(rows.weights.empty() || rows.weights.size() == rows.points.size());
  });
  expect_sound([&] { require(!io::parse_scene_points(bytes, "fuzz").empty()); });
  expect_sound([&] {
    const Calibration calibration = io::parse_calibration(bytes, "fuzz");
    require(calibration.camera1.intrinsics.valid() && calibration.camera2.intrinsics.valid());
  });
  expect_sound([&] {
    const Calibration pair = io::parse_pair_calibration(bytes, "fuzz");
    require(pair.camera1.intrinsics.valid() && pair.camera2.height >= 0);
    require((pair.camera2.height > 0) == (pair.camera2.width > 0));
  });
  try {
    require(parse_intrinsics(bytes).valid());
  } catch (const Error& error) {
    require(error.code() == ErrorCode::usage);
  }
}

// Reads the bytes as a JPEG, and as the EXIF block of a JPEG.
inline void exif(std::string_view bytes) {
  if (const auto camera = exif_intrinsics(bytes)) require(camera->valid());
  const int orientation = io::parse_exif(bytes).orientation;
  require(orientation >= 1 && orientation <= 8);
}

// Requires that the values fill the shape, bools are 0 or 1, and a written array is read
// back unchanged.
inline void check_array(const NpyArray& array) {
  if (const auto* bools = std::get_if<std::vector<std::uint8_t>>(&array.values)) {
    for (const std::uint8_t value : *bools) require(value <= 1);
  }
  const std::string bytes = encode_npz(std::vector<NamedArray>{{"x", array}});
  const NpyArray again = NpzFile(bytes, "fuzz").read("x");
  require(again.shape == array.shape && again.values.index() == array.values.index());
  require(encode_npz(std::vector<NamedArray>{{"x", again}}) == bytes);
}

// Reads the bytes as an archive, and as an NPY file inside an archive, because a checksum stops
// most damage to archives.
inline void npz(std::string_view bytes) {
  constexpr std::int64_t kMaxArrayBytes = 1 << 20;
  expect_sound([&] {
    const NpzFile file(std::string(bytes), "fuzz", kMaxArrayBytes);
    for (const std::string& name : file.names()) {
      expect_sound([&] { check_array(file.read(name)); });
    }
  });
  const auto crc = crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size());
  const io::ZipMember member{"x.npy", bytes, false, std::uint32_t(crc), bytes.size()};
  expect_sound([&] {
    io::ZipStream stream(member, "fuzz");
    check_array(io::read_npy(stream, "fuzz"));
  });
}

}  // namespace bifocal::fuzz
