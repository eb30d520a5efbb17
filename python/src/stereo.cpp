// SPDX-License-Identifier: BSD-3-Clause
// Binds the dense matching of rectified pairs.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>

#include <bifocal/two_photographs.hpp>
#include <tuple>

#include "devices.hpp"
#include "features/features_device.hpp"
#include "frames.hpp"
#include "options.hpp"
#include "photograph.hpp"
#include "results.hpp"

namespace bifocal::python {
namespace {

// Disparity maps in host memory or, for images on a device, arrays of their library there.
struct Maps {
  DisparityMap map;
  nb::object frame{};
  bool there = false;
  nb::object raw{}, filled{}, confidence{};
};

nb::object image_view(nb::handle self, const nb::object& frame, const ImageF& image) {
  return framed(frame, view(self, image.pixels.data(),
                            {std::size_t(image.height), std::size_t(image.width)}));
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

// Matcher with its own queue, which serialises its calls.
class Matcher {
 public:
  Matcher(int width, int height, nb::handle options, const std::string& device, int bits)
      : width_(width),
        height_(height),
        bits_(bits),
        is_ssd_(is_ssd_options(options)),
        device_(resolved_device(device)),
        queue_(Device(device_)) {
    if (bits != 8 && bits != 16) value_error(fmt::format("bits: {}, must be 8 or 16", bits));
    if (is_ssd_)
      matcher_.emplace(queue_, width, height, options_of<SsdOptions>(options));
    else
      matcher_.emplace(queue_, width, height, options_of<SgmOptions>(options), bits);
  }
  Maps run(nb::handle left, nb::handle right, nb::handle frame) {
    if (!frame.is_none())
      if (const AnyArray l = array_of(left, "left"); on_cuda(l))
        return run_there(l, array_of(right, "right"), frame);
    Maps maps = run_here(left, right);
    if (!frame.is_none()) maps.frame = nb::borrow(frame);
    return maps;
  }
  [[nodiscard]] std::size_t memory() const { return matcher_->memory(); }
  [[nodiscard]] std::string text() const {
    return fmt::format("<StereoMatcher {} x {}, {} bits, {}>", width_, height_, bits_, device_);
  }

 private:
  Maps run_here(nb::handle left, nb::handle right) {
    const Picture l = picture_of(left, "left"), r = picture_of(right, "right");
    check_pair(l, r);
    if (l.bits != bits_)
      type_error(fmt::format("left: dtype uint{}, but the matcher is of {} bits", l.bits, bits_));
    const Unlocked unlocked;
    const std::lock_guard lock(mutex_);
    if (bits_ == 8) return {(*matcher_)(l.view<std::uint8_t>(), r.view<std::uint8_t>())};
    return {(*matcher_)(l.view<std::uint16_t>(), r.view<std::uint16_t>())};
  }
  // Matches images in the memory of the device; the maps stay there.
  Maps run_there(const AnyArray& left, const AnyArray& right, nb::handle frame) {
    need_picture_there(left, "left", bits_);
    need_picture_there(right, "right", bits_);
    need_same_memory(right, "right", left, "left");
    (void)device_for(device_, &left, "left");
    for (const auto& [array, name] : {std::pair(&left, "left"), std::pair(&right, "right")})
      if (array->shape(0) != std::size_t(height_) || array->shape(1) != std::size_t(width_))
        value_error(fmt::format("{}: shape {}, the matcher is of ({}, {})", name,
                                shape_text(*array), height_, width_));
    const std::initializer_list<std::size_t> shape = {std::size_t(height_), std::size_t(width_)};
    ResultArray<float> raw(frame, shape), filled(frame, shape);
    std::optional<ResultArray<std::uint8_t>> confidence;
    if (!is_ssd_) confidence.emplace(frame, shape);
    await_frame(frame);
    {
      const Unlocked unlocked;
      const std::lock_guard lock(mutex_);
      const StereoOutput out{raw.memory(), filled.memory(),
                             is_ssd_ ? Memory<std::uint8_t>() : confidence->memory()};
      if (bits_ == 8)
        matcher_->run(memory_of<std::uint8_t>(left), memory_of<std::uint8_t>(right), out);
      else
        matcher_->run(memory_of<std::uint16_t>(left), memory_of<std::uint16_t>(right), out);
      queue_.wait();
    }
    return {{},         nb::borrow(frame), true,
            raw.take(), filled.take(),     is_ssd_ ? nb::none() : confidence->take()};
  }
  int width_, height_, bits_;
  bool is_ssd_;
  std::string device_;
  std::mutex mutex_;
  Queue queue_;
  std::optional<StereoMatcher> matcher_;
};

Maps stereo_here(nb::handle left, nb::handle right, nb::handle options,
                 const std::optional<std::string>& device) {
  const Picture l = picture_of(left, "left"), r = picture_of(right, "right");
  check_pair(l, r);
  const bool is_ssd = !options.is_none() && is_ssd_options(options);
  const SsdOptions ssd = is_ssd ? options_of<SsdOptions>(options) : SsdOptions{};
  const SgmOptions sgm = is_ssd ? SgmOptions{} : options_of<SgmOptions>(options);
  if (is_ssd && l.bits != 8) type_error("left: dtype uint16, must be uint8 for SsdOptions");
  const Unlocked unlocked;
  QueueLease lease(device.value_or("cpu"));
  const auto l8 = l.view<std::uint8_t>(), r8 = r.view<std::uint8_t>();
  if (is_ssd && l8.channels > 1) return {stereo_ssd(lease.queue(), to_grey(l8), to_grey(r8), ssd)};
  if (is_ssd) return {stereo_ssd(lease.queue(), l8, r8, ssd)};
  if (l.bits == 8) return {stereo_sgm(lease.queue(), l8, r8, sgm)};
  return {stereo_sgm(lease.queue(), l.view<std::uint16_t>(), r.view<std::uint16_t>(), sgm)};
}

// Matches images in the memory of a device.
Maps stereo_there(const AnyArray& left, nb::handle left_object, nb::handle right,
                  nb::handle options, const std::optional<std::string>& device, nb::handle frame) {
  const int bits = left.dtype().bits == 16 && !is_ssd_options(options) ? 16 : 8;
  need_picture_there(left, "left", bits);
  Matcher matcher(int(left.shape(1)), int(left.shape(0)), options,
                  device_for(device, &left, "left"), bits);
  return matcher.run(left_object, right, frame);
}

Maps stereo_any(nb::handle left, nb::handle right, nb::handle options,
                const std::optional<std::string>& device, nb::handle frame) {
  if (!frame.is_none())
    if (const AnyArray there = array_of(left, "left"); on_cuda(there))
      return stereo_there(there, left, right, options, device, frame);
  Maps maps = stereo_here(left, right, options, device);
  if (!frame.is_none()) maps.frame = nb::borrow(frame);
  return maps;
}
const Maps& of(nb::handle self) { return nb::cast<const Maps&>(self); }

const DisparityMap& host_map(const Maps& m) {
  if (m.there) type_error("DisparityMap: its arrays lie on a device; take them to the host");
  return m.map;
}

using MapState = std::tuple<int, int, nb::bytes, nb::bytes, nb::bytes, double>;

MapState state_of(const Maps& maps) {
  const DisparityMap& m = host_map(maps);
  return {m.raw.width,
          m.raw.height,
          bytes_of(m.raw.pixels),
          bytes_of(m.filled.pixels),
          bytes_of(m.confidence.pixels),
          m.density};
}

void restore(Maps& maps, const MapState& state) {
  const auto& [width, height, raw, filled, confidence, density] = state;
  const auto image = [&]<class T>(std::vector<T> pixels) {
    Image<T> out;
    if (pixels.empty()) return out;
    if (width < 1 || height < 1 || pixels.size() != std::size_t(width) * std::size_t(height))
      value_error("this pickle is of another version of bifocal");
    out.width = width, out.height = height;
    out.pixels = std::move(pixels);
    return out;
  };
  Maps made;
  made.map = {image(vector_of<float>(raw)), image(vector_of<float>(filled)),
              image(vector_of<std::uint8_t>(confidence)), density};
  new (&maps) Maps(std::move(made));
}

double density(nb::handle self) {
  const Maps& m = of(self);
  if (!m.there) return m.map.density;
  return nb::cast<double>(m.frame.attr("known_percent")(m.raw));
}

// Matches the features of the images and compares them with the search.
std::string doubt_of_search(nb::handle left, nb::handle right, int min_disparity, int disparities,
                            const std::string& device) {
  const PhotographArgument one = photograph_argument(left, "left"),
                           two = photograph_argument(right, "right");
  QueueLease lease(resolved_device(device));
  const Unlocked unlocked;
  return search_doubt(
      check_rectified_pair(lease.queue(), one.photograph.image, two.photograph.image),
      min_disparity, disparities);
}

}  // namespace

void bind_stereo(nb::module_& m) {
  nb::class_<Maps> c(m, "DisparityMap",
                     "Disparities x_left - x_right of the left image in px, shape (H, W).");
  c.def("__getstate__", &state_of);
  c.def("__setstate__", &restore);
#define FLOATS(name) "def " name "(self) -> numpy.typing.NDArray[numpy.float32]"
  c.def_prop_ro(
      "raw",
      [](nb::handle s) {
        return of(s).there ? of(s).raw : image_view(s, of(s).frame, of(s).map.raw);
      },
      nb::sig(FLOATS("raw")),
      "Checked and filtered disparities in px, shape (H, W); NaN if unknown.");
  c.def_prop_ro(
      "filled",
      [](nb::handle s) {
        return of(s).there ? of(s).filled : image_view(s, of(s).frame, of(s).map.filled);
      },
      nb::sig(FLOATS("filled")), "Disparities in px with unknown pixels filled, shape (H, W).");
#undef FLOATS
  c.def_prop_ro(
      "confidence",
      [](nb::handle s) -> nb::object {
        if (of(s).there) return of(s).confidence;
        const ImageU8& image = of(s).map.confidence;
        if (image.empty()) return nb::none();
        return framed(of(s).frame, view(s, image.pixels.data(),
                                        {std::size_t(image.height), std::size_t(image.width)}));
      },
      nb::sig("def confidence(self) -> numpy.typing.NDArray[numpy.uint8] | None"),
      "Confidence from 1 to 255, 0 if unknown, shape (H, W); None for block matching.");
  c.def_prop_ro("density", &density, nb::sig("def density(self) -> float"),
                "Percentage of known pixels in `raw`.");
  nb::class_<Matcher>(m, "StereoMatcher",
                      "Dense matcher for pairs of one size (bifocal.StereoMatcher).")
      .def(nb::init<int, int, nb::handle, const std::string&, int>(), nb::arg("width"),
           nb::arg("height"), nb::arg("options"), nb::arg("device"), nb::arg("bits"))
      .def("__call__", &Matcher::run, nb::arg("left").none(), nb::arg("right").none(),
           nb::arg("frame").none() = nb::none())
      .def("__repr__", &Matcher::text)
      .def_prop_ro("memory", &Matcher::memory, "Device memory of the matcher in bytes.");
  m.def(
      "disparity_doubt",
      [](const Maps& maps, int min_disparity, int disparities) {
        return disparity_doubt(host_map(maps), min_disparity, disparities);
      },
      nb::arg("disparity"), nb::arg("min_disparity"), nb::arg("disparities"));
  m.def("search_doubt", &doubt_of_search, nb::arg("left"), nb::arg("right"),
        nb::arg("min_disparity"), nb::arg("disparities"), nb::arg("device"));
  m.def("stereo", &stereo_any, nb::arg("left").none(), nb::arg("right").none(), nb::arg("options"),
        nb::arg("device").none(), nb::arg("frame").none() = nb::none(),
        "Matches a rectified pair densely (bifocal.stereo).");
}

}  // namespace bifocal::python
