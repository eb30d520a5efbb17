// SPDX-License-Identifier: BSD-3-Clause
#include "arrays.hpp"

#include <cmath>

namespace bifocal::python {
namespace {

constexpr auto kFloat = std::uint8_t(nb::dlpack::dtype_code::Float);
constexpr auto kInt = std::uint8_t(nb::dlpack::dtype_code::Int);
constexpr auto kUInt = std::uint8_t(nb::dlpack::dtype_code::UInt);

bool takes_grad(nb::handle object) {
  if (!nb::hasattr(object, "requires_grad")) return false;
  return nb::cast<bool>(nb::bool_(nb::getattr(object, "requires_grad")));
}

nb::object of_numbers(const char* function, nb::handle object) {
  return nb::module_::import_("bifocal._numbers").attr(function)(object);
}

void refuse_masked(nb::handle object, const char* name) {
  if (!nb::hasattr(object, "filled") || !nb::hasattr(object, "mask")) return;
  if (nb::cast<bool>(nb::bool_(nb::module_::import_("numpy.ma").attr("is_masked")(object))))
    type_error(
        fmt::format("{}: a masked array, give {}.filled(numpy.nan) for points, or {}.compressed()",
                    name, name, name));
}

// Converts an array of NumPy whose bytes have the other order; returns every further array
// unchanged.
nb::object native(const nb::object& array) {
  const nb::object dtype = array.attr("dtype");
  if (nb::cast<bool>(nb::bool_(dtype.attr("isnative")))) return array;
  return array.attr("astype")(dtype.attr("newbyteorder")("="));
}

nb::object numpy_array(nb::handle object, const char* name, const char* dtype) {
  try {
    const nb::object numpy = nb::module_::import_("numpy");
    return dtype ? numpy.attr("asarray")(object, dtype) : numpy.attr("asarray")(object);
  } catch (nb::python_error&) {
    type_error(fmt::format("{}: {}, must be an array of numbers", name, shown(object)));
  }
}

std::string shape_wanted(std::initializer_list<int> shape) {
  std::string text = "(";
  for (const int n : shape)
    text += (text.size() > 1 ? ", " : "") + (n < 0 ? std::string("N") : std::to_string(n));
  return text + (shape.size() == 1 ? ",)" : ")");
}

}  // namespace

// A KeyboardInterrupt leaves the call unchanged.
Unlocked::Unlocked()
    : scope_([] {
        const nb::gil_scoped_acquire locked;
        if (PyErr_CheckSignals() != 0) throw nb::python_error();
        return false;
      }) {}

void value_error(const std::string& message) { throw nb::value_error(message.c_str()); }
void type_error(const std::string& message) { throw nb::type_error(message.c_str()); }

std::string shown(nb::handle object) { return nb::cast<std::string>(of_numbers("shown", object)); }

bool is_flag(nb::handle object) {
  if (PyBool_Check(object.ptr())) return true;
  if (PyLong_Check(object.ptr()) || PyFloat_Check(object.ptr())) return false;
  return nb::cast<bool>(of_numbers("is_flag", object));
}

bool is_number(nb::handle object) {
  if (PyBool_Check(object.ptr())) return false;
  if (PyLong_Check(object.ptr()) || PyFloat_Check(object.ptr())) return true;
  return nb::cast<bool>(of_numbers("is_number", object));
}

bool goes_on(nb::handle answer) {
  bool value = true;
  if (!answer.is_none() && !exact_cast(answer, value))
    type_error(fmt::format("progress: returned {}, must be True, False or None", shown(answer)));
  return value;
}

AnyArray array_of(nb::handle object, const char* name) {
  // The buffer protocol would accept bytes, and NumPy would parse them as the text of a number.
  if (object.is_none() || PyBytes_Check(object.ptr()) || PyByteArray_Check(object.ptr()))
    type_error(fmt::format("{}: {}, must be an array of numbers", name, shown(object)));
  refuse_masked(object, name);
  // Only some versions of torch export such a tensor.
  if (takes_grad(object))
    type_error(fmt::format("{}: a tensor that requires grad, give {}.detach()", name, name));
  AnyArray array;
  if (nb::try_cast(object, array, false) && array.is_valid()) return array;
  const nb::object converted = native(numpy_array(object, name, nullptr));
  if (nb::try_cast(converted, array, false) && array.is_valid()) return array;
  const nb::object dtype = converted.attr("dtype");
  const bool is_long = nb::cast<std::string>(dtype.attr("kind")) == "f";  // longdouble
  type_error(fmt::format("{}: {} of dtype {}, must be an array of numbers{}", name,
                         nb::cast<std::string>(nb::handle(object.type()).attr("__name__")),
                         nb::cast<std::string>(nb::str(dtype)),
                         is_long ? " of at most 64 bits" : ""));
}

std::string shape_text(const AnyArray& array) {
  std::string text = "(";
  for (std::size_t i = 0; i < array.ndim(); ++i)
    text += (i ? ", " : "") + std::to_string(array.shape(i));
  return text + (array.ndim() == 1 ? ",)" : ")");
}

std::string dtype_text(const AnyArray& array) {
  using Code = nb::dlpack::dtype_code;
  const nb::dlpack::dtype d = array.dtype();
  const auto is = [&](Code code) { return d.code == std::uint8_t(code); };
  if (is(Code::Bool)) return "bool";
  const char* kind = is(Code::Float)     ? "float"
                     : is(Code::Int)     ? "int"
                     : is(Code::UInt)    ? "uint"
                     : is(Code::Complex) ? "complex"
                     : is(Code::Bfloat)  ? "bfloat"
                                         : "a type of bits: ";
  return kind + std::to_string(d.bits);
}

bool on_cuda(const AnyArray& array) {
  return array.device_type() == nb::device::cuda::value ||
         array.device_type() == nb::device::cuda_managed::value;
}

void need_host(const AnyArray& array, const char* name) {
  const int device = array.device_type();
  if (device == nb::device::cpu::value || device == nb::device::cuda_host::value) return;
  value_error(fmt::format("{}: in the memory of {}, must be in the host's", name,
                          on_cuda(array) ? fmt::format("cuda:{}", array.device_id())
                                         : fmt::format("DLPack device {}", device)));
}

void need_shape(const AnyArray& array, const char* name, std::initializer_list<int> shape) {
  bool fits = array.ndim() == shape.size();
  std::size_t i = 0;
  for (const int n : shape) {
    fits = fits && (n < 0 || array.shape(i) == std::size_t(n));
    ++i;
  }
  if (!fits)
    value_error(
        fmt::format("{}: shape {}, must be {}", name, shape_text(array), shape_wanted(shape)));
}

bool Numbers::is_dense() const {
  if (array.size() == 0) return true;  // independent of its strides, which are 0 in CuPy
  std::int64_t next = 1;
  for (std::size_t i = array.ndim(); i-- > 0;) {
    if (array.shape(i) > 1 && array.stride(i) != next) return false;
    next *= std::int64_t(array.shape(i));
  }
  return true;
}

// Raises ValueError for a whole number that float64 does not hold.
void need_exact(const Numbers& numbers, const char* name) {
  constexpr double kMost = 9007199254740992.0;
  const auto* const values = static_cast<const double*>(numbers.array.data());
  if (!numbers.is_dense()) return;
  for (std::size_t i = 0; i < numbers.array.size(); ++i)
    if (std::abs(values[i]) > kMost)
      value_error(fmt::format("{}: {}, must be at most 2^53", name, values[i]));
}

Numbers host_numbers(AnyArray array, nb::handle object, const char* name) {
  need_host(array, name);
  const nb::dlpack::dtype d = array.dtype();
  const bool is_float = d.code == kFloat && (d.bits == 32 || d.bits == 64) && d.lanes == 1;
  if (is_float) return {std::move(array), d.bits == 64};
  if (d.code != kFloat && d.code != kInt && d.code != kUInt)
    type_error(fmt::format("{}: dtype {}, must be float32, float64 or whole numbers", name,
                           dtype_text(array)));
  AnyArray converted;
  bool same = nb::try_cast(numpy_array(object, name, "float64"), converted, false) &&
              converted.ndim() == array.ndim();
  for (std::size_t i = 0; same && i < array.ndim(); ++i)
    same = converted.shape(i) == array.shape(i);
  if (!same)
    type_error(fmt::format("{}: dtype {}, can't be converted to float64", name, dtype_text(array)));
  Numbers made{std::move(converted), true};
  if (d.code != kFloat && d.bits == 64 && made.array.ndim() > 0) need_exact(made, name);
  return made;
}

Numbers numbers_of(nb::handle object, const char* name, std::initializer_list<int> shape) {
  AnyArray array = array_of(object, name);
  need_shape(array, name, shape);
  return host_numbers(std::move(array), object, name);
}

void need_finite(const Numbers& numbers, const char* name) {
  const bool is_matrix = numbers.array.ndim() == 2;
  for (std::size_t i = 0; i < numbers.rows(); ++i) {
    for (std::size_t j = 0; j < (is_matrix ? numbers.array.shape(1) : 1); ++j) {
      const double value = is_matrix ? numbers.at(i, j) : numbers.at(i);
      if (std::isfinite(value)) continue;
      const std::string place = is_matrix ? fmt::format("{}, {}", i, j) : std::to_string(i);
      value_error(fmt::format("{}: [{}] = {}, must be finite", name, place, value));
    }
  }
}

WholeNumbers whole_numbers_of(nb::handle object, const char* name,
                              std::initializer_list<int> shape) {
  const AnyArray given = array_of(object, name);
  need_host(given, name);
  const bool is_empty = given.ndim() == 1 && given.size() == 0;  // [], which has the type of floats
  if (!is_empty) need_shape(given, name, shape);
  const auto code = given.dtype().code;
  if (given.size() > 0 && code != kInt && code != kUInt)
    type_error(fmt::format("{}: dtype {}, must be whole numbers", name, dtype_text(given)));
  AnyArray whole;
  if (!nb::try_cast(numpy_array(object, name, "int64"), whole, false))
    type_error(fmt::format("{}: dtype {}, can't be read as int64", name, dtype_text(given)));
  return {std::move(whole)};
}

void need_index(std::int64_t value, std::int64_t below, const char* name, std::size_t i,
                std::ptrdiff_t j) {
  if (value >= 0 && value < below) return;
  const std::string place = j < 0 ? std::to_string(i) : fmt::format("{}, {}", i, j);
  value_error(fmt::format("{}: [{}] = {}, must be 0 to {}", name, place, value, below - 1));
}

std::vector<std::uint8_t> flags_of(nb::handle object, const char* name, int count) {
  if (object.is_none()) return {};
  const AnyArray a = array_of(object, name);
  need_shape(a, name, {count});
  need_host(a, name);
  const nb::dlpack::dtype d = a.dtype();
  const bool is_bool = d.code == std::uint8_t(nb::dlpack::dtype_code::Bool);
  if (!is_bool && !(d.code == kUInt && d.bits == 8))
    type_error(fmt::format("{}: dtype {}, must be bool or uint8", name, dtype_text(a)));
  std::vector<std::uint8_t> flags(a.shape(0));
  for (std::size_t i = 0; i < flags.size(); ++i) {
    const auto value = static_cast<const std::uint8_t*>(a.data())[std::int64_t(i) * a.stride(0)];
    if (!is_bool && value > 1 && value != 255)
      value_error(fmt::format("{}: [{}] = {}, must be 0, 1 or 255", name, i, value));
    flags[i] = value != 0;
  }
  return flags;
}

Mat3 mat3_of(nb::handle object, const char* name) {
  const Numbers given = numbers_of(object, name, {3, 3});
  need_finite(given, name);
  Mat3 m;
  for (std::size_t i = 0; i < 9; ++i) m[i] = given.at(i / 3, i % 3);
  return m;
}

Vec3 vec3_of(nb::handle object, const char* name) {
  AnyArray array = array_of(object, name);
  const bool is_column = array.ndim() == 2;  // OpenCV's (3, 1)
  if (is_column)
    need_shape(array, name, {3, 1});
  else
    need_shape(array, name, {3});
  const Numbers given = host_numbers(std::move(array), object, name);
  need_finite(given, name);
  Vec3 v;
  for (std::size_t i = 0; i < 3; ++i) v[i] = is_column ? given.at(i, 0) : given.at(i);
  return v;
}

Doubles doubles_of(nb::handle object, const char* name) {
  Doubles d;
  if (object.is_none()) return d;
  d.given = numbers_of(object, name, {-1});
  const std::size_t n = d.given.rows();
  if (d.given.is_double && d.given.is_dense()) {
    d.span = {static_cast<const double*>(d.given.array.data()), n};
    return d;
  }
  d.copy.resize(n);
  for (std::size_t i = 0; i < n; ++i) d.copy[i] = d.given.at(i);
  d.span = d.copy;
  return d;
}

void need_no_nan(std::span<const double> values, const char* name) {
  for (std::size_t i = 0; i < values.size(); ++i)
    if (std::isnan(values[i]))
      value_error(fmt::format("{}: [{}] = nan, must be a number", name, i));
}

Doubles qualities_of(nb::handle object) {
  Doubles d = doubles_of(object, "qualities");
  need_no_nan(d.span, "qualities");
  return d;
}

Picture picture_of(nb::handle object, const char* name) {
  Picture p{array_of(object, name)};
  const AnyArray& a = p.array;
  const bool shaped = a.ndim() == 2 || (a.ndim() == 3 && a.shape(2) >= 1 && a.shape(2) <= 4);
  if (!shaped || a.shape(0) >= (1u << 30) || a.shape(1) >= (1u << 30))
    value_error(fmt::format("{}: shape {}, must be (height, width) or (height, width, 1 to 4)",
                            name, shape_text(a)));
  const nb::dlpack::dtype d = a.dtype();
  if (d.code != kUInt || (d.bits != 8 && d.bits != 16))
    type_error(fmt::format("{}: dtype {}, must be uint8 or uint16{}", name, dtype_text(a),
                           d.code == kFloat ? fmt::format("; give ({} * 255).round() as uint8 if "
                                                          "its values are 0 to 1",
                                                          name)
                                            : ""));
  need_host(a, name);
  p.bits = d.bits;
  const std::int64_t channels = a.ndim() == 3 ? std::int64_t(a.shape(2)) : 1;
  const bool rows = (a.shape(1) <= 1 || a.stride(1) == channels) &&
                    (a.ndim() == 2 || channels == 1 || a.stride(2) == 1) &&
                    (a.shape(0) <= 1 || a.stride(0) >= std::int64_t(a.shape(1)) * channels);
  if (rows) return p;
  const nb::object dense = nb::module_::import_("numpy").attr("ascontiguousarray")(
      native(numpy_array(object, name, nullptr)));
  if (!nb::try_cast(dense, p.array, false))
    type_error(fmt::format("{}: can't be made contiguous", name));
  return p;
}

nb::object flags_array(const std::vector<std::uint8_t>& flags) {
  auto* kept = new std::vector<std::uint8_t>(flags);
  nb::capsule owner(kept,
                    [](void* p) noexcept { delete static_cast<std::vector<std::uint8_t>*>(p); });
  return nb::cast(
      nb::ndarray<nb::numpy, bool>(reinterpret_cast<bool*>(kept->data()), {flags.size()}, owner));
}

}  // namespace bifocal::python
