// SPDX-License-Identifier: BSD-3-Clause
// Binds the sampling of images through maps, in host or device memory.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>

#include <cmath>
#include <mutex>

#include "remap.hpp"

namespace bifocal::python {
namespace {

bool is_dense(const AnyArray& a) {
  std::int64_t step = 1;
  for (std::size_t k = a.ndim(); k-- > 0;) {
    if (a.shape(k) != 1 && a.stride(k) != step) return false;
    step *= std::int64_t(a.shape(k));
  }
  return true;
}

// Raises ValueError or TypeError unless the argument is a contiguous image of 8 or 16 bits on a
// CUDA device, [H, W] or [H, W, C].
void need_picture_there(const AnyArray& image, const char* name) {
  const bool has_channels = image.ndim() == 3;
  if (image.ndim() != 2 && !(has_channels && image.shape(2) >= 1 && image.shape(2) <= 4))
    value_error(fmt::format("{}: shape {}, must be (height, width) or (height, width, 1 to 4)",
                            name, shape_text(image)));
  const auto d = image.dtype();
  if (d.code != std::uint8_t(nb::dlpack::dtype_code::UInt) || (d.bits != 8 && d.bits != 16) ||
      !is_dense(image))
    type_error(fmt::format("{}: {}{}, must be contiguous uint8 or uint16 on a CUDA device", name,
                           dtype_text(image), is_dense(image) ? "" : " with gaps"));
}

// Converts positions in px, as for OpenCV's remap, to a map in 1/256 px.
SamplingMap map_of(nb::handle x, nb::handle y, std::pair<int, int> input_size) {
  const Numbers xs = numbers_of(x, "map_x", {-1, -1}), ys = numbers_of(y, "map_y", {-1, -1});
  const std::size_t height = xs.array.shape(0), width = xs.array.shape(1);
  need_shape(ys.array, "map_y", {int(height), int(width)});
  const auto [input_width, input_height] = input_size;
  SamplingMap map{int(width), int(height), input_width, input_height, {}, {}};
  map.x.reserve(width * height);
  map.y.reserve(width * height);
  const Unlocked unlocked;
  for (std::size_t i = 0; i < height; ++i) {
    check_cancelled();
    for (std::size_t j = 0; j < width; ++j) {
      const double u = std::floor(xs.at(i, j) * 256 + 0.5), v = std::floor(ys.at(i, j) * 256 + 0.5);
      const bool inside = u >= 0 && v >= 0 && u <= 256.0 * (input_width - 1) &&
                          v <= 256.0 * (input_height - 1);  // false for NaN
      map.x.push_back(inside ? static_cast<std::int32_t>(u) : -1);
      map.y.push_back(inside ? static_cast<std::int32_t>(v) : -1);
    }
  }
  return map;
}

// A map in the memory of a device with a queue; serialises its calls.
class MapRemapper {
 public:
  MapRemapper(const SamplingMap& map, const std::string& device)
      : device_(resolved_device(device)),
        input_width_(map.input_width),
        input_height_(map.input_height),
        queue_(Device(device_)),
        remapper_(queue_, map) {}

  nb::object run(nb::handle image, nb::handle frame, const char* name) {
    if (!frame.is_none())
      if (const AnyArray a = array_of(image, name); on_cuda(a)) return run_there(a, frame, name);
    const Picture p = picture_of(image, name);
    if (p.bits == 8) return framed(frame, image_array(run_here(p.view<std::uint8_t>())));
    return framed(frame, image_array(run_here(p.view<std::uint16_t>())));
  }
  [[nodiscard]] int width() const { return remapper_.width(); }
  [[nodiscard]] int height() const { return remapper_.height(); }
  [[nodiscard]] std::string text() const {
    return fmt::format("<Remapper {} x {} to {} x {}, {}>", input_width_, input_height_, width(),
                       height(), device_);
  }

 private:
  template <class T>
  Image<T> run_here(ImageView<const T> image) {
    const Unlocked unlocked;
    const std::lock_guard lock(mutex_);
    return remapper_(queue_, image);
  }
  nb::object run_there(const AnyArray& image, nb::handle frame, const char* name) {
    need_picture_there(image, name);
    (void)device_for(device_, &image, name);
    if (image.shape(0) != std::size_t(input_height_) || image.shape(1) != std::size_t(input_width_))
      value_error(fmt::format("{}: shape {}, the map is of ({}, {})", name, shape_text(image),
                              input_height_, input_width_));
    if (image.dtype().bits == 8) return run_there<std::uint8_t>(image, frame);
    return run_there<std::uint16_t>(image, frame);
  }
  template <class T>
  nb::object run_there(const AnyArray& image, nb::handle frame) {
    const auto h = std::size_t(height()), w = std::size_t(width());
    const bool is_grey = image.ndim() == 2;
    ResultArray<T> out =
        is_grey ? ResultArray<T>(frame, {h, w}) : ResultArray<T>(frame, {h, w, image.shape(2)});
    await_frame(frame);
    {
      const Unlocked unlocked;
      const std::lock_guard lock(mutex_);
      remapper_.run(queue_, memory_of<T>(image), is_grey ? 1 : int(image.shape(2)), out.memory());
      queue_.wait();
    }
    return out.take();
  }

  std::string device_;
  int input_width_, input_height_;
  std::mutex mutex_;
  Queue queue_;
  Remapper remapper_;
};

void make_remapper(MapRemapper* self, const Rectification& r, int side, const std::string& device) {
  const auto map = [&] {
    const Unlocked unlocked;
    return sampling_map(r, side);
  };
  new (self) MapRemapper(map(), device);
}

// Returns the device of the map for an image.
std::string place_of(nb::handle image, nb::handle frame, const char* name) {
  if (frame.is_none()) return "cpu";
  const AnyArray array = array_of(image, name);
  return device_for({}, &array, name);
}

}  // namespace

nb::object resampled(const SamplingMap& map, const char* name, nb::handle image) {
  const nb::object frame = nb::module_::import_("bifocal._arrays").attr("frame_of")(image);
  return MapRemapper(map, place_of(image, frame, name)).run(image, frame, name);
}

nb::object positions_of(const SamplingMap& map) {
  const auto h = std::size_t(map.height), w = std::size_t(map.width);
  const auto px = [&](const std::vector<std::int32_t>& positions) {
    std::vector<float> out(positions.size());
    for (std::size_t i = 0; i < out.size(); ++i)
      out[i] = positions[i] < 0 ? std::nanf("") : static_cast<float>(positions[i] / 256.0);
    return array_from(std::move(out), {h, w});
  };
  return nb::make_tuple(px(map.x), px(map.y));
}

void bind_remap(nb::module_& m) {
  nb::class_<MapRemapper>(m, "Remapper")
      .def("__init__", &make_remapper, nb::arg("rectification"), nb::arg("side"), nb::arg("device"))
      .def(
          "__init__",
          [](MapRemapper* self, nb::handle x, nb::handle y, std::pair<int, int> input_size,
             const std::string& device) {
            new (self) MapRemapper(map_of(x, y, input_size), device);
          },
          nb::arg("map_x").none(), nb::arg("map_y").none(), nb::arg("input_size"),
          nb::arg("device"))
      .def(
          "__call__",
          [](MapRemapper& self, nb::handle image, nb::handle frame) {
            return self.run(image, frame, "image");
          },
          nb::arg("image").none(), nb::arg("frame").none() = nb::none())
      .def("__repr__", &MapRemapper::text)
      .def_prop_ro("width", &MapRemapper::width)
      .def_prop_ro("height", &MapRemapper::height);
}

}  // namespace bifocal::python
