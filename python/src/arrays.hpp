// SPDX-License-Identifier: BSD-3-Clause
// Arrays between Python and C++. Arguments may be NumPy arrays, objects with DLPack or the buffer
// protocol, or lists. Errors are ValueError and TypeError that name the argument and the given
// value. Arrays that C++ can read in place are not copied.
#pragma once

#include <fmt/format.h>
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

#include <bifocal/bifocal.hpp>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace bifocal::python {

namespace nb = nanobind;

// Releases the interpreter's lock: other Python threads run, and Ctrl-C ends the C++ call.
class Unlocked {
 public:
  Unlocked();

 private:
  nb::gil_scoped_release released_;
  CancelScope scope_;
};

[[noreturn]] void value_error(const std::string& message);
[[noreturn]] void type_error(const std::string& message);

// Returns a value for messages (_numbers.py).
[[nodiscard]] std::string shown(nb::handle object);
// As is_flag() and is_number() of _numbers.py.
[[nodiscard]] bool is_flag(nb::handle object);
[[nodiscard]] bool is_number(nb::handle object);
// Converts a number or a flag without a change of its value: a flag is no number, a number no flag,
// and a whole number may be a float without a fraction. Returns false for other objects.
template <class T>
[[nodiscard]] bool exact_cast(nb::handle object, T& to) {
  if constexpr (std::is_same_v<T, bool>) {
    if (!is_flag(object)) return false;
    to = PyObject_IsTrue(object.ptr()) == 1;
    return true;
  } else {
    if (!is_number(object)) return false;
    PyObject* const made =
        std::is_floating_point_v<T> ? PyNumber_Float(object.ptr()) : PyNumber_Index(object.ptr());
    if (made == nullptr) PyErr_Clear();
    nb::object number = nb::steal(made);
    if constexpr (!std::is_floating_point_v<T>) {
      double value = 0;  // a float that PyNumber_Index() refuses
      if (!number.is_valid() && (!exact_cast(object, value) || value != std::floor(value) ||
                                 !(std::abs(value) <= 9007199254740992.0)))
        return false;
      if (!number.is_valid()) number = nb::steal(PyLong_FromDouble(value));
    }
    return number.is_valid() && nb::try_cast(number, to);
  }
}
// Answer of a function `progress`: None and True go on, False ends. Raises TypeError for others.
[[nodiscard]] bool goes_on(nb::handle answer);

// Reads the argument `name` as an array in place, on the host or on a CUDA device. Other objects,
// such as lists and numbers, are converted to NumPy arrays. Masked values are refused.
using AnyArray = nb::ndarray<nb::ro>;
[[nodiscard]] AnyArray array_of(nb::handle object, const char* name);
[[nodiscard]] std::string shape_text(const AnyArray& array);
[[nodiscard]] std::string dtype_text(const AnyArray& array);
[[nodiscard]] bool on_cuda(const AnyArray& array);
// Raises ValueError unless the array is in host memory.
void need_host(const AnyArray& array, const char* name);

// Real numbers in host memory: float32 or float64 with any strides. Integers and other floats are
// converted, other types raise TypeError.
struct Numbers {
  AnyArray array;
  bool is_double = true;

  [[nodiscard]] std::size_t rows() const { return array.shape(0); }
  [[nodiscard]] double at(std::size_t i) const { return get(std::ptrdiff_t(i) * array.stride(0)); }
  [[nodiscard]] double at(std::size_t i, std::size_t j) const {
    return get(std::ptrdiff_t(i) * array.stride(0) + std::ptrdiff_t(j) * array.stride(1));
  }
  [[nodiscard]] bool is_dense() const;  // C order without gaps

 private:
  [[nodiscard]] double get(std::ptrdiff_t at) const {
    return is_double ? static_cast<const double*>(array.data())[at]
                     : double{static_cast<const float*>(array.data())[at]};
  }
};
// Reads numbers of this shape; -1 stands for any length and is called `N` in messages.
[[nodiscard]] Numbers numbers_of(nb::handle object, const char* name,
                                 std::initializer_list<int> shape);
[[nodiscard]] Numbers host_numbers(AnyArray array, nb::handle object, const char* name);
void need_shape(const AnyArray& array, const char* name, std::initializer_list<int> shape);
// Raises ValueError that names the first number that is not finite.
void need_finite(const Numbers& numbers, const char* name);

// Returns whole numbers of 64 bits of this shape. Raises TypeError for floats and flags.
struct WholeNumbers {
  AnyArray array;
  [[nodiscard]] std::int64_t at(std::size_t i) const {
    return values()[std::ptrdiff_t(i) * array.stride(0)];
  }
  [[nodiscard]] std::int64_t at(std::size_t i, std::size_t j) const {
    return values()[std::ptrdiff_t(i) * array.stride(0) + std::ptrdiff_t(j) * array.stride(1)];
  }
  [[nodiscard]] std::size_t rows() const { return array.shape(0); }

 private:
  [[nodiscard]] const std::int64_t* values() const {
    return static_cast<const std::int64_t*>(array.data());
  }
};
[[nodiscard]] WholeNumbers whole_numbers_of(nb::handle object, const char* name,
                                            std::initializer_list<int> shape);
// Raises ValueError unless `value`, at place [i] or [i, j], is from 0 to below - 1.
void need_index(std::int64_t value, std::int64_t below, const char* name, std::size_t i,
                std::ptrdiff_t j = -1);
// Returns flags, bool or uint8 of 0, 1 and 255; None gives none.
[[nodiscard]] std::vector<std::uint8_t> flags_of(nb::handle object, const char* name,
                                                 int count = -1);

[[nodiscard]] Mat3 mat3_of(nb::handle object, const char* name);
[[nodiscard]] Vec3 vec3_of(nb::handle object, const char* name);

// Dense doubles, copied only if the given array is not dense or not float64.
struct Doubles {
  Numbers given;
  std::vector<double> copy;
  std::span<const double> span;
};
[[nodiscard]] Doubles doubles_of(nb::handle object,
                                 const char* name);  // one-dimensional; None gives no numbers

// Qualities of matches as doubles_of(). Raises ValueError for a NaN.
[[nodiscard]] Doubles qualities_of(nb::handle object);
void need_no_nan(std::span<const double> values, const char* name);

// Image of 8 or 16 bits with any stride between rows, [H, W] or [H, W, C] with 1 to 4 channels.
struct Picture {
  AnyArray array;
  int bits = 8;
  template <class T>
  [[nodiscard]] ImageView<const T> view() const {
    const bool grey = array.ndim() == 2;
    return {static_cast<const T*>(array.data()), static_cast<int>(array.shape(1)),
            static_cast<int>(array.shape(0)), grey ? 1 : static_cast<int>(array.shape(2)),
            array.stride(0)};
  }
  [[nodiscard]] AnyImageView any() const {
    return bits == 8 ? AnyImageView(view<std::uint8_t>()) : AnyImageView(view<std::uint16_t>());
  }
};
[[nodiscard]] Picture picture_of(nb::handle object, const char* name);

// Arrays for results: a view of memory that `owner` keeps alive, or of memory that they own.
template <class T>
nb::object view(nb::handle owner, const T* data, std::initializer_list<std::size_t> shape,
                std::initializer_list<std::int64_t> strides = {}) {
  return nb::cast(nb::ndarray<nb::numpy, T>(const_cast<T*>(data), shape, owner, strides));
}
template <class T>
nb::object array_from(std::vector<T> values, std::initializer_list<std::size_t> shape) {
  auto* kept = new std::vector<T>(std::move(values));
  nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return nb::cast(nb::ndarray<nb::numpy, T>(kept->data(), shape, owner));
}
template <class T>
nb::object image_array(Image<T> image) {
  const auto h = std::size_t(image.height), w = std::size_t(image.width),
             c = std::size_t(image.channels);
  if (c == 1) return array_from(std::move(image.pixels), {h, w});
  return array_from(std::move(image.pixels), {h, w, c});
}
template <class Array>
nb::object copy_of(const Array& values, std::initializer_list<std::size_t> shape) {
  return array_from(std::vector<double>(values.begin(), values.end()), shape);
}
[[nodiscard]] nb::object flags_array(const std::vector<std::uint8_t>& flags);

}  // namespace bifocal::python
