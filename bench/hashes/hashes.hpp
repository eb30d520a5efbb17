// SPDX-License-Identifier: BSD-3-Clause
// The parts of the suite `hashes` share these.
#pragma once

#include <bifocal/device.hpp>
#include <functional>
#include <string>
#include <type_traits>

#include "frame/bench.hpp"

namespace bifocal::bench {

// The bytes of results, one number behind the other. Only numbers and records of numbers without
// gaps between them can be added: a gap holds anything.
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

// Reports the hash of what `call` adds, on the device of the context.
void report_hash(Context& context, const std::string& name,
                 const std::function<void(Queue&, ResultBytes&)>& call);

void hash_robust_estimates(Context& context);  // robust.cpp

}  // namespace bifocal::bench
