// SPDX-License-Identifier: BSD-3-Clause
// Dense matching of rectified pairs.
#include <nanobind/stl/optional.h>

#include "devices.hpp"
#include "options.hpp"

namespace bifocal::python {
namespace {

struct Maps {
  DisparityMap map;
};

nb::object image_view(nb::handle self, const ImageF& image) {
  return view(self, image.pixels.data(), {std::size_t(image.height), std::size_t(image.width)});
}

void check_pair(const Picture& left, const Picture& right) {
  if (left.bits != right.bits)
    type_error(fmt::format("right: dtype uint{}, but left is uint{}", right.bits, left.bits));
  bool same = left.array.ndim() == right.array.ndim();
  for (std::size_t i = 0; same && i < left.array.ndim(); ++i)
    same = left.array.shape(i) == right.array.shape(i);
  if (!same)
    value_error(fmt::format("right: shape {}, but left has {}", shape_text(right.array),
                            shape_text(left.array)));
}

// A matcher with a queue of its own; one call at a time.
class Matcher {
 public:
  Matcher(int width, int height, nb::handle options, const std::string& device, int bits)
      : width_(width), height_(height), bits_(bits), device_(device), queue_(Device(device)) {
    if (bits != 8 && bits != 16) value_error(fmt::format("bits: {}, must be 8 or 16", bits));
    if (is_ssd_options(options))
      matcher_.emplace(queue_, width, height, ssd_options(options));
    else
      matcher_.emplace(queue_, width, height, sgm_options(options), bits);
  }
  Maps run(nb::handle left, nb::handle right) {
    const Picture l = picture_of(left, "left"), r = picture_of(right, "right");
    check_pair(l, r);
    if (l.bits != bits_)
      type_error(fmt::format("left: dtype uint{}, but the matcher is of {} bits", l.bits, bits_));
    nb::gil_scoped_release unlocked;
    const std::lock_guard lock(mutex_);
    if (bits_ == 8) return {(*matcher_)(l.view<std::uint8_t>(), r.view<std::uint8_t>())};
    return {(*matcher_)(l.view<std::uint16_t>(), r.view<std::uint16_t>())};
  }
  [[nodiscard]] std::size_t memory() const { return matcher_->memory(); }
  [[nodiscard]] std::string text() const {
    return fmt::format("<StereoMatcher {} x {}, {} bits, {}>", width_, height_, bits_, device_);
  }

 private:
  int width_, height_, bits_;
  std::string device_;
  std::mutex mutex_;
  Queue queue_;
  std::optional<StereoMatcher> matcher_;
};

Maps stereo_any(nb::handle left, nb::handle right, nb::handle options,
                const std::optional<std::string>& device) {
  const Picture l = picture_of(left, "left"), r = picture_of(right, "right");
  check_pair(l, r);
  const bool is_ssd = !options.is_none() && is_ssd_options(options);
  const SsdOptions ssd = is_ssd ? ssd_options(options) : SsdOptions{};
  const SgmOptions sgm = is_ssd ? SgmOptions{} : sgm_options(options);
  if (is_ssd && l.bits != 8) type_error("left: dtype uint16, must be uint8 for SsdOptions");
  nb::gil_scoped_release unlocked;
  QueueLease lease(device.value_or("cpu"));
  const auto l8 = l.view<std::uint8_t>(), r8 = r.view<std::uint8_t>();
  if (is_ssd && l8.channels > 1) return {stereo_ssd(lease.queue(), to_grey(l8), to_grey(r8), ssd)};
  if (is_ssd) return {stereo_ssd(lease.queue(), l8, r8, ssd)};
  if (l.bits == 8) return {stereo_sgm(lease.queue(), l8, r8, sgm)};
  return {stereo_sgm(lease.queue(), l.view<std::uint16_t>(), r.view<std::uint16_t>(), sgm)};
}

const DisparityMap& of(nb::handle self) { return nb::cast<const Maps&>(self).map; }

}  // namespace

void bind_stereo(nb::module_& m) {
  nb::class_<Maps> c(m, "DisparityMap", "Disparities x_left - x_right of the left picture, px.");
#define FLOATS(name) "def " name "(self) -> numpy.typing.NDArray[numpy.float32]"
  c.def_prop_ro(
      "raw", [](nb::handle s) { return image_view(s, of(s).raw); }, nb::sig(FLOATS("raw")),
      "[H, W], checked and filtered, unknown NaN.");
  c.def_prop_ro(
      "filled", [](nb::handle s) { return image_view(s, of(s).filled); }, nb::sig(FLOATS("filled")),
      "[H, W], unknown ones filled in.");
#undef FLOATS
  c.def_prop_ro(
      "confidence",
      [](nb::handle s) -> nb::object {
        const ImageU8& image = of(s).confidence;
        if (image.empty()) return nb::none();
        return view(s, image.pixels.data(), {std::size_t(image.height), std::size_t(image.width)});
      },
      nb::sig("def confidence(self) -> numpy.typing.NDArray[numpy.uint8] | None"),
      "[H, W], 1 to 255, 0 unknown; None of SSD.");
  c.def_prop_ro(
      "density", [](const Maps& s) { return s.map.density; }, "Per cent known in raw.");
  nb::class_<Matcher>(m, "StereoMatcher", "Matches pairs of one size, one after the other.")
      .def(nb::init<int, int, nb::handle, const std::string&, int>(), nb::arg("width"),
           nb::arg("height"), nb::arg("options"), nb::arg("device"), nb::arg("bits"))
      .def("__call__", &Matcher::run, nb::arg("left").none(), nb::arg("right").none())
      .def("__repr__", &Matcher::text)
      .def_prop_ro("memory", &Matcher::memory, "Bytes of the device's memory that it takes.");
  m.def("stereo", &stereo_any, nb::arg("left").none(), nb::arg("right").none(),
        nb::arg("options").none(), nb::arg("device").none(), "One pair.");
}

}  // namespace bifocal::python
