// SPDX-License-Identifier: BSD-3-Clause
// Common parts of all functions of the C interface: error codes, checks of pointers and structs.
#pragma once

#include <bifocal.h>
#include <fmt/format.h>
#include <bifocal/error.hpp>

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstring>
#include <limits>
#include <string>
#include <type_traits>

namespace bifocal::c {

inline constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

template <class... Arguments>
[[nodiscard]] Error usage(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
  return {ErrorCode::usage, fmt::format(format, std::forward<Arguments>(arguments)...)};
}

// Stores the message of the exception that is handled now, and returns its code.
[[nodiscard]] int failure(const char* function) noexcept;

// Runs the body of a function; its exceptions become a code and a message.
template <class Body>
int guarded(const char* function, const Body& body) noexcept {
  try {
    body();
    return BF_OK;
  } catch (...) {
    return failure(function);
  }
}

template <class T>
T& need(T* pointer, const char* name) {
  if (!pointer) throw usage("{} is NULL", name);
  return *pointer;
}

// Returns the place of a new handle, which is NULL until the function succeeds.
template <class T>
T*& output(T** out) {
  need(out, "out") = nullptr;
  return *out;
}

// Size of a struct in interface 1.0. A struct with appended members has a specialisation.
template <class T>
inline constexpr std::size_t kFirstSize = sizeof(T);
// Structs of a later version are larger by a few members. A size that was never set is usually
// larger than that.
inline constexpr std::size_t kMostLaterBytes = 1024;

template <class T>
void check_size(const T* s, const char* name) {
  const std::size_t size = need(s, name).size;
  if (size < kFirstSize<T> || size > sizeof(T) + kMostLaterBytes)
    throw usage("{}: its size is {}, must be sizeof the struct, {} bytes", name, size, sizeof(T));
}

// Copies a result into the struct of the caller, which may have fewer members. Members of later
// versions become 0.
template <class T>
void give(const T& result, T* out, const char* name = "out") {
  check_size(out, name);
  const std::size_t size = out->size;
  std::memset(static_cast<void*>(out), 0, size);
  std::memcpy(static_cast<void*>(out), &result, std::min(size, sizeof(T)));
  out->size = size;
}

// Returns an input. Members that the caller's version lacks are 0; members of later versions must
// be 0.
template <class T>
T input(const T* given, const char* name) {
  check_size(given, name);
  const auto* bytes = reinterpret_cast<const unsigned char*>(given);
  for (std::size_t i = sizeof(T); i < given->size; ++i)
    if (bytes[i] != 0)
      throw usage("{}: has members that this library lacks (interface {}.{})", name,
                  BF_INTERFACE_MAJOR, BF_INTERFACE_MINOR);
  T known = {};
  std::memcpy(static_cast<void*>(&known), given, std::min(given->size, sizeof(T)));
  return known;
}

// Returns an item of a list. Throws Error(usage) for an index out of range.
template <class List>
auto& item(List& list, std::int64_t index) {
  if (index < 0 || index >= std::ssize(list))
    throw usage("index = {}: must be below {}", index, list.size());
  return list[static_cast<std::size_t>(index)];
}

template <std::size_t N, class Numbers>
void copy(const Numbers& from, double (&to)[N]) {
  for (std::size_t i = 0; i < N; ++i) to[i] = from[i];
}
template <std::size_t N>
void set_unknown(double (&to)[N]) {
  for (double& value : to) value = kUnknown;
}

}  // namespace bifocal::c
