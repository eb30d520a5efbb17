// SPDX-License-Identifier: BSD-3-Clause
#include "frames.hpp"

namespace bifocal::python {
namespace {

std::string place_of(const AnyArray& array) {
  return on_cuda(array) ? fmt::format("cuda:{}", array.device_id()) : "the host";
}

}  // namespace

nb::object framed(nb::handle frame, nb::object array) {
  if (!frame.is_valid() || frame.is_none() || array.is_none()) return array;
  return nb::object(frame.attr("from_host")(array));
}

FrameArray empty_of(nb::handle frame, std::initializer_list<std::size_t> shape, const char* dtype) {
  nb::list sizes;
  for (const std::size_t n : shape) sizes.append(n);
  FrameArray made{nb::object(frame.attr("empty")(nb::tuple(sizes), dtype)), {}};
  if (!nb::try_cast(made.object, made.array, false))
    type_error(fmt::format("an array of {} can't be written to", dtype));
  return made;
}

void await_frame(nb::handle frame) {
  if (frame.is_valid() && !frame.is_none()) frame.attr("wait")();
}

Numbers device_numbers(AnyArray array, const char* name) {
  const nb::dlpack::dtype d = array.dtype();
  const bool is_float = d.code == std::uint8_t(nb::dlpack::dtype_code::Float) && d.lanes == 1 &&
                        (d.bits == 32 || d.bits == 64);
  Numbers n{std::move(array), d.bits == 64};
  if (!is_float || !n.is_dense())
    type_error(fmt::format("{}: {}{}, must be contiguous float32 or float64 on a CUDA device", name,
                           dtype_text(n.array), n.is_dense() ? "" : " with gaps"));
  return n;
}

Numbers any_numbers(AnyArray array, nb::handle object, const char* name) {
  if (on_cuda(array)) return device_numbers(std::move(array), name);
  return host_numbers(std::move(array), object, name);
}

void need_same_memory(const AnyArray& array, const char* name, const AnyArray& first,
                      const char* first_name) {
  const std::string own = place_of(array), other = place_of(first);
  if (own != other)
    value_error(
        fmt::format("{}: in the memory of {}, but {} in that of {}", name, own, first_name, other));
}

}  // namespace bifocal::python
