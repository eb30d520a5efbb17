// SPDX-License-Identifier: BSD-3-Clause
// Results in the array library and on the device of the input of a call. A frame is an object of
// bifocal._arrays that represents both; null or None is NumPy.
#pragma once

#include "arrays.hpp"

namespace bifocal::python {

template <class T>
[[nodiscard]] constexpr const char* dtype_name() {
  if constexpr (std::is_same_v<T, double>) return "float64";
  if constexpr (std::is_same_v<T, float>) return "float32";
  if constexpr (std::is_same_v<T, int>) return "int32";
  if constexpr (std::is_same_v<T, std::uint16_t>) return "uint16";
  return "uint8";
}

// Converts a NumPy array to an array of the frame.
[[nodiscard]] nb::object framed(nb::handle frame, nb::object array);

// Uninitialised array of the frame, and its memory.
struct FrameArray {
  nb::object object;
  AnyArray array;
};
[[nodiscard]] FrameArray empty_of(nb::handle frame, std::initializer_list<std::size_t> shape,
                                  const char* dtype);

// Waits until the pending work of the caller's array library on the frame's device is done. Must
// be called after all results are allocated, because pending work may still use memory that was
// freed for them.
void await_frame(nb::handle frame);

// Memory of a result that C++ writes, on the host or on the frame's device.
template <class T>
class ResultArray {
 public:
  ResultArray(nb::handle frame, std::initializer_list<std::size_t> shape) {
    if (frame.is_valid() && !frame.is_none()) {
      FrameArray made = empty_of(frame, shape, dtype_name<T>());
      object_ = std::move(made.object);
      array_ = std::move(made.array);
      auto* data = static_cast<T*>(const_cast<void*>(array_.data()));
      memory_ = on_cuda(array_) ? Memory<T>::on_device(data) : Memory<T>(data);
      return;
    }
    std::size_t size = 1;
    for (const std::size_t n : shape) size *= n;
    T* const values =
        new T[size];  // not initialised, so that the writing thread touches the memory first
    const nb::capsule owner(values, [](void* p) noexcept { delete[] static_cast<T*>(p); });
    memory_ = values;
    object_ = nb::cast(nb::ndarray<nb::numpy, T>(values, shape, owner));
  }
  [[nodiscard]] const Memory<T>& memory() const { return memory_; }
  [[nodiscard]] nb::object take() { return std::move(object_); }

 private:
  nb::object object_;
  AnyArray array_;
  Memory<T> memory_;
};

// Returns the memory of an array of T as it is given, on the host or on a CUDA device.
template <class T>
[[nodiscard]] Memory<const T> memory_of(const AnyArray& array) {
  const auto* data = static_cast<const T*>(array.data());
  return on_cuda(array) ? Memory<const T>::on_device(data) : Memory<const T>(data);
}

// Returns floats on a CUDA device for reading in place: contiguous, 32 or 64 bits. Raises
// TypeError that names another type or gaps.
[[nodiscard]] Numbers device_numbers(AnyArray array, const char* name);
// Reads numbers on the host as host_numbers() does, or on a CUDA device as device_numbers() does.
[[nodiscard]] Numbers any_numbers(AnyArray array, nb::handle object, const char* name);
// Raises ValueError unless both arrays are in the memory of one device.
void need_same_memory(const AnyArray& array, const char* name, const AnyArray& first,
                      const char* first_name);

}  // namespace bifocal::python
