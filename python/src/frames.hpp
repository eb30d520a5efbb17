// SPDX-License-Identifier: BSD-3-Clause
// Results in the framework and on the device of a call's input. A frame is an object of
// bifocal._arrays that stands for both; null or None is NumPy.
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

// Returns an array of NumPy as one of the frame.
[[nodiscard]] nb::object framed(nb::handle frame, nb::object array);

// An array of the frame that nobody has written to yet, and where it lies.
struct FrameArray {
  nb::object object;
  AnyArray array;
};
[[nodiscard]] FrameArray empty_of(nb::handle frame, std::initializer_list<std::size_t> shape,
                                  const char* dtype);

// Waits until the work that the caller's framework was given for the frame's device is done. To be
// called when all results have their memory: work that is under way may still use what was freed.
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
    T* const values = new T[size];  // not initialised: the memory is first touched where it is made
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

// Floats on a CUDA device that C++ reads as they lie: contiguous, of 32 or 64 bits. TypeError
// naming what they are instead.
[[nodiscard]] Numbers device_numbers(AnyArray array, const char* name);
// Reads numbers on the host as host_numbers() does, or on a CUDA device as device_numbers() does.
[[nodiscard]] Numbers any_numbers(AnyArray array, nb::handle object, const char* name);
// ValueError unless both lie in the memory of one device.
void need_same_memory(const AnyArray& array, const char* name, const AnyArray& first,
                      const char* first_name);

}  // namespace bifocal::python
