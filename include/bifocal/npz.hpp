// SPDX-License-Identifier: BSD-3-Clause
// Named arrays in one file, as numpy.savez, savez_compressed and load have them: a ZIP archive of
// NPY members.
//
// Read are NPY 1.0, 2.0 and 3.0 with bool, int32, int64, float32, float64 of any shape and single
// unicode strings, little endian; members that are stored or deflated, with ZIP64 sizes and data
// descriptors. Everything else throws Error(input) that names the file, the array and what is wrong
// with it: damaged or truncated data (every checksum is verified), other types, big endian, names
// that occur twice, members that overlap, shapes that the bytes don't fill. Memory is taken for
// what a member's packed bytes can unpack to (1032 times as many) and its shape needs, and for no
// array above the limit.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace bifocal {

inline constexpr std::int64_t kMaxNpzBytes = std::int64_t{1} << 33;       // of a file
inline constexpr std::int64_t kMaxNpzArrayBytes = std::int64_t{1} << 33;  // of an array, unpacked

struct NpyArray {
  std::vector<std::int64_t> shape;  // empty: a single value
  // The numbers are in C order (the last index runs fastest), whatever the order in the file.
  // uint8_t: bool, 0 or 1. string: one unicode string as UTF-8, with an empty shape.
  std::variant<std::vector<double>, std::vector<float>, std::vector<std::int64_t>,
               std::vector<std::int32_t>, std::vector<std::uint8_t>, std::string>
      values;
};
// Returns "float64 [20, 2000, 2]" and the like, for messages.
[[nodiscard]] std::string describe(const NpyArray& array);

// A file whose directory has been read and checked; arrays are unpacked when asked for. Members
// that are not named *.npy are passed over.
class NpzFile {
 public:
  explicit NpzFile(const std::filesystem::path& file);
  // Reads the bytes of a file; `name` stands in messages.
  NpzFile(std::string bytes, std::string name, std::int64_t max_array_bytes = kMaxNpzArrayBytes);
  ~NpzFile();
  NpzFile(NpzFile&&) noexcept;
  NpzFile& operator=(NpzFile&&) noexcept;

  [[nodiscard]] const std::vector<std::string>& names() const;  // without ".npy", as in the file
  [[nodiscard]] bool contains(std::string_view array) const;
  // Throws Error(input) when there is no such array.
  [[nodiscard]] NpyArray read(std::string_view array) const;

 private:
  struct State;
  std::unique_ptr<const State> state_;
};

// Writes arrays as stored members, the same bytes for the same arrays. Throws Error(usage) when a
// shape and its values disagree, a name is empty or occurs twice, a string is no UTF-8, or the file
// would reach 4 GiB.
struct NamedArray {
  std::string name;
  NpyArray array;
};
void write_npz(const std::filesystem::path& file, std::span<const NamedArray> arrays);
// Returns the bytes of such a file.
[[nodiscard]] std::string encode_npz(std::span<const NamedArray> arrays);

}  // namespace bifocal
