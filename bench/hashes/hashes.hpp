// SPDX-License-Identifier: BSD-3-Clause
// Common declarations of the suite `hashes`.
#pragma once

#include <bifocal/device.hpp>
#include <functional>
#include <string>
#include <type_traits>

#include "frame/bench.hpp"

namespace bifocal::bench {

// Collects the bytes of results, one number after another. Only numbers and padding-free records of
// numbers can be added, because padding has arbitrary bytes.
class ResultBytes {
 public:
  template <class T>
  void add(const T& value) {
    static_assert(std::is_arithmetic_v<T> || std::is_enum_v<T>);
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  template <class Container>
  void add_all(const Container& values) {
    using T = std::remove_cvref_t<decltype(*values.data())>;
    static_assert(std::is_trivially_copyable_v<T>);
    bytes_.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
  }
  [[nodiscard]] const std::string& all() const { return bytes_; }

 private:
  std::string bytes_;
};

// Reports the hash of the bytes that `call` adds, on the device of the context.
void report_hash(Context& context, const std::string& name,
                 const std::function<void(Queue&, ResultBytes&)>& call);

void hash_robust_estimates(Context& context);  // in robust.cpp

}  // namespace bifocal::bench
