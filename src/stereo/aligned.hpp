// SPDX-License-Identifier: BSD-3-Clause
// Arrays that SIMD registers are loaded from and stored to.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <new>

namespace bifocal::stereo {

inline constexpr std::size_t kAlignment = 128;  // bytes; of an Aligned at least

// Not initialised unless a value is given.
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
