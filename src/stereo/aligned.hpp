// SPDX-License-Identifier: BSD-3-Clause
// Arrays with an alignment that suits loads and stores of SIMD registers.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <new>

namespace bifocal::stereo {

inline constexpr std::size_t kAlignment = 128;  // bytes; default alignment of Aligned

// The elements are not initialised, except by `filled`.
template <class T>
class Aligned {
 public:
  Aligned() = default;
  explicit Aligned(std::size_t count, std::size_t alignment = kAlignment)
      : data_(static_cast<T*>(::operator new(count * sizeof(T), std::align_val_t(alignment))),
              Delete{alignment}) {}
  [[nodiscard]] static Aligned filled(std::size_t count, T value) {
    Aligned a(count);
    std::fill_n(a.get(), count, value);
    return a;
  }
  [[nodiscard]] T* get() const { return data_.get(); }

 private:
  struct Delete {
    std::size_t alignment = kAlignment;
    void operator()(T* p) const { ::operator delete(p, std::align_val_t(alignment)); }
  };
  std::unique_ptr<T[], Delete> data_;
};

}  // namespace bifocal::stereo
