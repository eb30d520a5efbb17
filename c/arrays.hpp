// SPDX-License-Identifier: BSD-3-Clause
// Arrays of the C interface: views of the memory of handles, and checked inputs.
#pragma once

#include <bifocal/image.hpp>

#include <array>
#include <cstdint>
#include <iterator>
#include <span>
#include <vector>

#include "call.hpp"

namespace bifocal::c {

template <class T>
constexpr std::int32_t type_of() {
  if constexpr (std::same_as<T, std::uint8_t>) return BF_U8;
  if constexpr (std::same_as<T, std::uint16_t>) return BF_U16;
  if constexpr (std::same_as<T, std::int32_t>) return BF_I32;
  if constexpr (std::same_as<T, std::uint32_t>) return BF_U32;
  if constexpr (std::same_as<T, std::int64_t>) return BF_I64;
  if constexpr (std::same_as<T, std::uint64_t>) return BF_U64;
  if constexpr (std::same_as<T, float>) return BF_F32;
  if constexpr (std::same_as<T, double>) return BF_F64;
}

template <class T>
struct NumberOf {
  using type = T;
};
template <class T, std::size_t N>
struct NumberOf<std::array<T, N>> {
  using type = T;
};

// A view of `columns` consecutive numbers of each item of a list; `first` is the member that begins
// with them.
template <class Item, class Member>
bf_array columns_of(const std::vector<Item>& list, Member Item::*first, int columns) {
  const void* const data = list.empty() ? nullptr : &(list.front().*first);
  return {data,
          std::ssize(list),
          sizeof(Item),
          columns,
          1,
          type_of<typename NumberOf<Member>::type>(),
          BF_HOST};
}
// A view of numbers, one in each row.
template <class Number>
bf_array view(const std::vector<Number>& list) {
  return {list.empty() ? nullptr : list.data(),
          std::ssize(list),
          sizeof(Number),
          1,
          1,
          type_of<Number>(),
          BF_HOST};
}
template <class T>
bf_array view(const ImageView<const T>& image) {
  const auto stride = image.stride * static_cast<std::int64_t>(sizeof(T));
  return {image.empty() ? nullptr : image.data,
          image.height,
          stride,
          image.width,
          image.channels,
          type_of<T>(),
          BF_HOST};
}

// Checks everything but the number of columns and the place.
void check_array(const bf_array& array, std::int32_t type, std::size_t bytes, const char* name);
// Throws Error(usage) for memory of a device.
void need_host(const bf_array& array, const char* name);
void need_columns(const bf_array& array, int least, int most, const char* name);

// Copies an array in host memory to structs of `sizeof(Row) / sizeof(Number)` columns.
template <class Row, class Number>
std::vector<Row> rows_of(const bf_array& array, const char* name) {
  check_array(array, type_of<Number>(), sizeof(Number), name);
  need_host(array, name);
  constexpr int kColumns = sizeof(Row) / sizeof(Number);
  need_columns(array, kColumns, kColumns, name);
  const std::int64_t stride = array.stride ? array.stride : std::int64_t{sizeof(Row)};
  std::vector<Row> rows(static_cast<std::size_t>(array.rows));
  const auto* from = static_cast<const unsigned char*>(array.data);
  for (std::size_t i = 0; i < rows.size(); ++i)
    std::memcpy(&rows[i], from + static_cast<std::int64_t>(i) * stride, sizeof(Row));
  return rows;
}

// Returns a view of an image in host memory, of 8 or 16 bits.
AnyImageView image_of(const bf_array& array, const char* name);
// Returns a view of a mask; empty for NULL.
ImageView<const std::uint8_t> mask_of(const bf_array* array);

}  // namespace bifocal::c
