// SPDX-License-Identifier: BSD-3-Clause
#include "dense/photographs.hpp"

#include <bifocal/draw.hpp>
#include <bifocal/io.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

#include "collection/colmap/model/photographs.hpp"
#include "collection/colmap/model/undistorted_view.hpp"
#include "io/decode.hpp"
#include "io/reject.hpp"

namespace bifocal::dense {
namespace {

// The camera of an image that reduce_to() reduces.
colmap::ModelCamera reduced_camera(colmap::ModelCamera camera, int max_size) {
  const auto longer = static_cast<double>(std::max(camera.width, camera.height));
  if (longer <= max_size) return camera;
  const auto reduced = [&](std::int64_t size) {
    return std::max<std::int64_t>(1, std::llround(static_cast<double>(size) * max_size / longer));
  };
  const std::int64_t width = reduced(camera.width), height = reduced(camera.height);
  const double across = static_cast<double>(width) / static_cast<double>(camera.width),
               down = static_cast<double>(height) / static_cast<double>(camera.height);
  std::vector<double>& p = camera.params;
  p = {p[0] * across, p[1] * down, (p[2] + 0.5) * across - 0.5, (p[3] + 0.5) * down - 0.5};
  camera.width = width, camera.height = height;
  return camera;
}

}  // namespace

DensePhotographs::DensePhotographs(Queue& queue, const colmap::Model& model,
                                   std::filesystem::path folder, int max_size)
    : queue_(queue), folder_(std::move(folder)), max_size_(max_size) {
  for (const colmap::ModelCamera& camera : model.cameras) {
    const colmap::model::UndistortedView view = colmap::model::undistorted_view(camera);
    View out{camera, reduced_camera(colmap::model::undistorted_camera(camera, view), max_size),
             view.lens, nullptr};
    if (view.lens.has_lens())
      out.remapper = std::make_shared<Remapper>(
          queue, sampling_map(view.lens, view.pinhole, view.width, view.height));
    views_.emplace(camera.id, std::move(out));
  }
}

Vec2 DensePhotographs::place(colmap::Id camera, const Vec2& px) const {
  const View& view = views_.at(camera);
  const Intrinsics& K = view.lens.intrinsics();
  const std::vector<double>& to = view.reduced.params;
  const Vec2 p = view.lens.has_lens() ? colmap::model::undistorted(view.lens, px) : px;
  return {to[0] * ((p[0] - K.cx) / K.fx) + to[2], to[1] * ((p[1] - K.cy) / K.fy) + to[3]};
}

ImageU8 DensePhotographs::read(const colmap::ModelImage& image) const {
  const View& view = views_.at(image.camera_id);
  const std::filesystem::path file = folder_ / image.name;
  ImageU8 pixels =
      io::decode_stored_8(read_file(file, kMaxImageBytes), file.string(), kMaxImagePixels);
  const std::string fault = colmap::model::size_fault(
      pixels.width, pixels.height, 1, {image.name, view.distorted.width, view.distorted.height});
  if (!fault.empty()) io::reject(file.string(), "{}", fault);
  if (pixels.channels == 2) pixels = to_grey(pixels);
  if (pixels.channels == 4) pixels = to_rgb(pixels);
  return view.remapper ? std::move(pixels) : reduce_to(std::move(pixels), max_size_).image;
}

ImageU8 DensePhotographs::undistort(colmap::Id camera, ImageU8&& photograph) const {
  const View& view = views_.at(camera);
  if (!view.remapper) return std::move(photograph);
  return reduce_to((*view.remapper)(queue_, photograph), max_size_).image;
}

}  // namespace bifocal::dense
