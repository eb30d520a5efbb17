// SPDX-License-Identifier: BSD-3-Clause
#include "dense/agreement.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "runtime/parallel.hpp"
#include "runtime/uploaded.hpp"

namespace bifocal::dense {
namespace {

namespace kernel = kernels::patch_match;

std::int8_t rounded(float component) {
  return static_cast<std::int8_t>(std::lround(std::clamp(component, -1.0F, 1.0F) * 127));
}

}  // namespace

Comparer::Comparer(Queue& queue, const Shape& largest, int most_views)
    : places_(queue.device(), kernel::PATCH_PLACE * (static_cast<std::size_t>(most_views) + 1)),
      earlier_(queue.device(), static_cast<std::size_t>(most_views)),
      geometry_(queue.device(), kernel::PATCH_GEOMETRY * static_cast<std::size_t>(most_views)),
      intrinsics_(queue.device(), 4),
      host_(queue.device(), kOutputs * largest.size()),
      largest_(largest.size()) {
  // Pixels of the margin stay unknown.
  const std::vector<float> unknown(largest_, std::numeric_limits<float>::quiet_NaN());
  agreed_ = runtime::uploaded(queue, unknown),
  agreed_deviation_ = runtime::uploaded(queue, unknown);
  for (std::size_t k = 0; k < kOutputs; ++k) outputs_.emplace_back(queue.device(), largest.size());
}

AgreedDepth Comparer::compare(Queue& queue, const Slots<float>& maps,
                              std::span<const PlannedView> plan, std::size_t view,
                              std::span<const int> with, std::span<const int> slot_of,
                              int least_agreeing) {
  const Placed& own = plan[view].placed;
  std::vector<int> places, earlier;
  std::vector<float> geometry;
  const auto add = [&](const Shape& shape, int slot) {
    for (const int value : {slot, 0, shape.width, shape.height}) places.push_back(value);
  };
  add(own.shape, slot_of[0]);
  for (std::size_t k = 0; k < with.size(); ++k) {
    const Placed& other = plan[static_cast<std::size_t>(with[k])].placed;
    add(other.shape, slot_of[k + 1]);
    earlier.push_back(static_cast<std::size_t>(with[k]) < view ? 1 : 0);
    const std::vector<float> numbers = geometry_of(own, other, 0);
    geometry.insert(geometry.end(), numbers.begin(), numbers.end());
  }
  const std::vector<float> intrinsics = {
      static_cast<float>(own.camera.fx), static_cast<float>(own.camera.fy),
      static_cast<float>(own.camera.cx), static_cast<float>(own.camera.cy)};
  places_.upload(queue, places), earlier_.upload(queue, earlier);
  geometry_.upload(queue, geometry), intrinsics_.upload(queue, intrinsics);
  launch(queue, maps, own.shape, static_cast<int>(with.size()), least_agreeing);
  for (std::size_t k = 0; k < kOutputs; ++k)
    outputs_[k].download(queue, host_.span().subspan(k * largest_, own.shape.size()));
  queue.wait();
  return on_host(own.shape);
}

void Comparer::launch(Queue& queue, const Slots<float>& maps, const Shape& shape, int views,
                      int least_agreeing) {
  constexpr float kMostRelative = 0.01F, kMostPx = 1.5F, kOnPlane = 0.003F;
  constexpr int kLeastSupport = 20;  // of 121 pixels
  if (!(shape == last_)) {  // rows have other places: no number of another shape may remain
    const std::vector<float> unknown(largest_, std::numeric_limits<float>::quiet_NaN());
    agreed_.upload(queue, unknown);
    queue.wait();
    last_ = shape;
  }
  patch_kernels().patch_agree(queue, {.count = shape.across() * shape.height},
                              {.maps = maps.buffer(),
                               .map_size = maps.slot_size(),
                               .map_places = places_,
                               .map_geometry = geometry_,
                               .earlier = earlier_,
                               .views = views,
                               .across = shape.across(),
                               .least_agreeing = least_agreeing,
                               .most_relative = kMostRelative,
                               .most_px = kMostPx,
                               .agreed = agreed_,
                               .deviation = agreed_deviation_,
                               .agreeing = outputs_[0],
                               .is_new = outputs_[1]});
  patch_kernels().patch_fit(queue, {.count = shape.across() * shape.height},
                            {.maps = maps.buffer(),
                             .map_size = maps.slot_size(),
                             .map_places = places_,
                             .across = shape.across(),
                             .intrinsics = intrinsics_,
                             .agreed = agreed_,
                             .agreed_deviation = agreed_deviation_,
                             .most_relative = kOnPlane,
                             .least_support = kLeastSupport,
                             .depth = outputs_[2],
                             .deviation = outputs_[3],
                             .normal_x = outputs_[4],
                             .normal_y = outputs_[5],
                             .normal_z = outputs_[6]});
}

// Copies the downloaded arrays without their margins.
AgreedDepth Comparer::on_host(const Shape& shape) const {
  AgreedDepth out{
      {ImageF(shape.width, shape.height), ImageF(shape.width, shape.height),
       Image<std::int8_t>(shape.width, shape.height, 3), ImageU8(shape.width, shape.height)},
      std::vector<std::uint8_t>(static_cast<std::size_t>(shape.width) *
                                static_cast<std::size_t>(shape.height))};
  runtime::parallel_for(shape.height, [&](int y) {
    const float* at = host_.data() + shape.row(y);
    std::uint8_t* is_new =
        out.is_new.data() + static_cast<std::size_t>(y) * static_cast<std::size_t>(shape.width);
    for (int x = 0; x < shape.width; ++x, ++at) {
      const float depth = at[2 * largest_];
      out.map.depth.at(x, y) = depth;
      out.map.deviation.at(x, y) = at[3 * largest_];
      is_new[x] = !std::isnan(depth) && at[largest_] > 0 ? 1 : 0;
      if (std::isnan(depth)) continue;
      out.map.views.at(x, y) = static_cast<std::uint8_t>(1 + at[0]);
      for (int c = 0; c < 3; ++c)
        out.map.normal.at(x, y, c) = rounded(at[static_cast<std::size_t>(4 + c) * largest_]);
    }
  });
  return out;
}

}  // namespace bifocal::dense
