// SPDX-License-Identifier: BSD-3-Clause
#include "dense/engine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "dense/agreement.hpp"
#include "dense/images.hpp"
#include "dense/patch_match.hpp"
#include "mapping/algebra.hpp"
#include "runtime/cancel.hpp"

namespace bifocal::dense {
namespace {

struct Sizes {
  Shape largest;            // at least as large as every view, in both directions
  std::size_t pyramid = 0;  // words
  std::size_t planes = 0;   // numbers
  int most_sources = 1, most_checks = 1;
};
Sizes sizes_of(std::span<const PlannedView> plan) {
  Sizes sizes;
  for (const PlannedView& view : plan) {
    const Shape& shape = view.placed.shape;
    sizes.largest.width = std::max(sizes.largest.width, shape.width);
    sizes.largest.height = std::max(sizes.largest.height, shape.height);
    sizes.pyramid = std::max(sizes.pyramid, shape.pyramid_size());
    sizes.planes = std::max(sizes.planes, kPlaneArrays * shape.size());
    sizes.most_sources = std::max(sizes.most_sources, static_cast<int>(view.sources.size()));
    sizes.most_checks = std::max(sizes.most_checks, static_cast<int>(view.checks.size()));
  }
  return sizes;
}

// Number of slots of `bytes` that fit into the limits, at least `least`.
std::size_t slot_count(const Device& device, std::size_t bytes, std::size_t least, std::size_t most,
                       std::size_t max_memory) {
  std::size_t limit = max_memory;
  if (device.info().largest_buffer > 0)
    limit = std::min(limit, static_cast<std::size_t>(device.info().largest_buffer));
  const std::size_t count = std::clamp(limit / bytes, least, std::max(least, most));
  if (least * bytes > limit && device.info().largest_buffer > 0 &&
      least * bytes > static_cast<std::size_t>(device.info().largest_buffer))
    throw Error(ErrorCode::device,
                fmt::format("{}: {} images of this size do not fit into its largest buffer of {} "
                            "bytes; use a smaller max_size or fewer views",
                            device.info().id, least, device.info().largest_buffer));
  return count;
}

void report(const DenseOptions& options, DenseStage stage, std::size_t done, std::size_t total) {
  check_cancelled();
  if (options.progress)
    options.progress({stage, static_cast<std::int64_t>(done), static_cast<std::int64_t>(total)});
}

ImageU8 grey_of(ImageU8 image) { return image.channels == 1 ? std::move(image) : to_grey(image); }

// The planes of the images, in two passes: the first one compares patches alone, the second one
// also the planes of the first one.
class Matching {
 public:
  Matching(Queue& queue, std::span<const PlannedView> plan, const Storage& storage,
           const DenseOptions& options, const Sizes& sizes)
      : queue_(queue), plan_(plan), storage_(storage), options_(options), sizes_(sizes) {}

  void run(int pass) {
    std::vector<float> planes(sizes_.planes);
    for (std::size_t i = 0; i < plan_.size(); ++i) {
      const PlannedView& view = plan_[i];
      if (view.fault.empty() && !storage_.has_planes(static_cast<int>(i), pass)) {
        const Shape& shape = view.placed.shape;
        const std::span<float> own = std::span(planes).first(kPlaneArrays * shape.size());
        match(i, pass, own);
        storage_.write_planes(static_cast<int>(i), pass, own);
      }
      report(options_, pass == 0 ? DenseStage::match : DenseStage::refine, i + 1, plan_.size());
    }
  }

 private:
  void match(std::size_t i, int pass, std::span<float> planes) {
    const auto views = static_cast<std::size_t>(sizes_.most_sources) + 1;
    if (!images_)
      images_.emplace(queue_, sizes_.pyramid,
                      slot_count(queue_.device(), sizes_.pyramid * sizeof(std::uint32_t), views,
                                 plan_.size(), options_.max_memory / 2));
    if (!matcher_) matcher_.emplace(queue_, sizes_.largest, sizes_.most_sources);
    if (pass > 0 && !maps_)
      maps_.emplace(queue_, sizes_.planes,
                    slot_count(queue_.device(), sizes_.planes * sizeof(float), views, plan_.size(),
                               options_.max_memory / 2));
    ViewSlots<std::uint32_t> images{&*images_};
    ViewSlots<float> maps{pass > 0 ? &*maps_ : nullptr};
    const auto load = [&](int image) {
      images.of.push_back(images_->get(queue_, image, [&](std::span<std::uint32_t> words) {
        write_pyramid(grey_of(storage_.image(image)), words);
      }));
      if (pass > 0)
        maps.of.push_back(maps_->get(queue_, image, [&](std::span<float> numbers) {
          const PlannedView& other = plan_[static_cast<std::size_t>(image)];
          const std::span<float> own = numbers.first(kPlaneArrays * other.placed.shape.size());
          if (other.fault.empty())
            storage_.read_planes(image, pass - 1, own);
          else
            std::ranges::fill(own, std::numeric_limits<float>::quiet_NaN());  // unknown planes
        }));
    };
    load(static_cast<int>(i));
    for (const int source : plan_[i].sources) load(source);
    matcher_->start(queue_, images, maps, plan_, i);
    matcher_->finish(queue_, plan_[i].placed.shape, planes);
  }

  Queue& queue_;
  std::span<const PlannedView> plan_;
  const Storage& storage_;
  const DenseOptions& options_;
  const Sizes& sizes_;
  std::optional<Slots<std::uint32_t>> images_;
  std::optional<Slots<float>> maps_;
  std::optional<PatchMatcher> matcher_;
};

// Points of a view in the order of its pixels.
std::vector<FusedPoint> points_of(const PlannedView& view, const AgreedDepth& agreed,
                                  const ImageU8& image) {
  std::vector<FusedPoint> points;
  const Intrinsics& K = view.placed.camera;
  const Mat3 to_world = transposed(view.placed.cam_from_world.R);
  const Vec3 centre = mapping::centre_of(view.placed.cam_from_world);
  const DenseMap& map = agreed.map;
  for (int y = 0; y < map.depth.height; ++y)
    for (int x = 0; x < map.depth.width; ++x) {
      const std::size_t at =
          static_cast<std::size_t>(y) * static_cast<std::size_t>(map.depth.width) +
          static_cast<std::size_t>(x);
      if (agreed.is_new[at] == 0) continue;
      const double z = map.depth.at(x, y);
      const Vec3 X = mapping::sum(
          centre, times(to_world, Vec3{(x - K.cx) / K.fx * z, (y - K.cy) / K.fy * z, z}));
      const Vec3 n =
          unit(times(to_world, Vec3{double(map.normal.at(x, y, 0)), double(map.normal.at(x, y, 1)),
                                    double(map.normal.at(x, y, 2))}));
      FusedPoint p;
      p.x = float(X[0]), p.y = float(X[1]), p.z = float(X[2]);
      p.nx = float(n[0]), p.ny = float(n[1]), p.nz = float(n[2]);
      p.deviation = map.deviation.at(x, y);
      const int c = image.channels == 3 ? 1 : 0;
      p.r = image.at(x, y, 0), p.g = image.at(x, y, c), p.b = image.at(x, y, 2 * c);
      p.views = map.views.at(x, y);
      points.push_back(p);
    }
  return points;
}

// Removes depths outside of the given range: matching starts within it, but moves planes freely.
void keep_range(AgreedDepth& agreed, const DenseOptions& options) {
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  DenseMap& map = agreed.map;
  for (std::size_t k = 0; k < map.depth.pixels.size(); ++k) {
    const double depth = map.depth.pixels[k];
    if (!(depth < options.min_depth) && !(options.max_depth > 0 && depth > options.max_depth))
      continue;
    map.depth.pixels[k] = map.deviation.pixels[k] = kNan;
    std::fill_n(map.normal.pixels.begin() + static_cast<std::ptrdiff_t>(3 * k), 3, std::int8_t{0});
    map.views.pixels[k] = agreed.is_new[k] = 0;
  }
}

DenseMap unknown_map(const PlannedView& view, std::string reason) {
  const Shape& s = view.placed.shape;
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  return {ImageF(s.width, s.height, 1, kNan), ImageF(s.width, s.height, 1, kNan),
          Image<std::int8_t>(s.width, s.height, 3), ImageU8(s.width, s.height), std::move(reason)};
}

void compare_all(Queue& queue, std::span<const PlannedView> plan, const Storage& storage,
                 const DenseOptions& options, const Sizes& sizes) {
  std::optional<Slots<float>> slots;
  std::optional<Comparer> comparer;
  for (std::size_t i = 0; i < plan.size(); ++i) {
    const PlannedView& view = plan[i];
    std::vector<int> with = view.checks;
    std::erase_if(with, [&](int j) { return !plan[static_cast<std::size_t>(j)].fault.empty(); });
    if (!view.fault.empty() || with.empty()) {
      storage.take(
          static_cast<int>(i),
          unknown_map(view, !view.fault.empty() ? view.fault : "has no neighbour with depths"), {});
    } else {
      if (!comparer) {
        slots.emplace(queue, sizes.planes,
                      slot_count(queue.device(), sizes.planes * sizeof(float),
                                 static_cast<std::size_t>(sizes.most_checks) + 1, plan.size(),
                                 options.max_memory / 2));
        comparer.emplace(queue, sizes.largest, sizes.most_checks);
      }
      std::vector<int> slot_of;
      const auto load = [&](int image) {
        slot_of.push_back(slots->get(queue, image, [&](std::span<float> planes) {
          storage.read_planes(
              image, kPasses - 1,
              planes.first(kPlaneArrays *
                           plan[static_cast<std::size_t>(image)].placed.shape.size()));
        }));
      };
      load(static_cast<int>(i));
      for (const int other : with) load(other);
      const int least = std::min(options.min_agreeing, static_cast<int>(with.size()));
      AgreedDepth agreed = comparer->compare(queue, *slots, plan, i, with, slot_of, least);
      keep_range(agreed, options);
      std::vector<FusedPoint> points = points_of(view, agreed, storage.image(static_cast<int>(i)));
      storage.take(static_cast<int>(i), std::move(agreed.map), std::move(points));
    }
    report(options, DenseStage::agree, i + 1, plan.size());
  }
}

}  // namespace

void check_ranges(const DenseOptions& options) {
  check_options(options);
  if (options.max_depth > 0 && options.min_depth >= options.max_depth)
    throw Error(ErrorCode::usage, fmt::format("min_depth: {} is not below max_depth, {}",
                                              options.min_depth, options.max_depth));
}

void run(Queue& queue, std::span<const PlannedView> plan, const Storage& storage,
         const DenseOptions& options) {
  if (plan.empty()) return;
  const Sizes sizes = sizes_of(plan);
  {
    Matching matching(queue, plan, storage, options, sizes);
    for (int pass = 0; pass < kPasses; ++pass) matching.run(pass);
  }
  compare_all(queue, plan, storage, options, sizes);
}

}  // namespace bifocal::dense
