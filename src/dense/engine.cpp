// SPDX-License-Identifier: BSD-3-Clause
#include "dense/engine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>

#include "dense/agreement.hpp"
#include "dense/images.hpp"
#include "dense/patch_match.hpp"
#include "mapping/algebra.hpp"
#include "runtime/cancel.hpp"
#include "runtime/parallel.hpp"

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
    std::vector<std::size_t> left;
    for (std::size_t i = 0; i < plan_.size(); ++i)
      if (plan_[i].fault.empty() && !storage_.has_planes(static_cast<int>(i), pass))
        left.push_back(i);
    std::size_t reported = 0;
    const auto report_until = [&](std::size_t end) {
      while (reported < end)
        report(options_, pass == 0 ? DenseStage::match : DenseStage::refine, ++reported,
               plan_.size());
    };
    const HostBuffer<float> planes(queue_.device(), sizes_.planes);
    const auto own = [&](std::size_t i) {
      return planes.span().first(kPlaneArrays * plan_[i].placed.shape.size());
    };
    const auto write = [&](std::size_t i) {
      storage_.write_planes(static_cast<int>(i), pass, own(i));
    };
    for (std::size_t k = 0; k < left.size(); ++k) {
      start(left[k], pass);
      // While the device works: the planes of the view before, the photographs of the next one.
      if (k > 0) write(left[k - 1]);
      report_until(left[k]);
      if (k + 1 < left.size()) read_ahead(left[k + 1]);
      matcher_->finish(queue_, plan_[left[k]].placed.shape, own(left[k]));
    }
    if (!left.empty()) write(left.back());
    report_until(plan_.size());
  }

 private:
  void allocate(int pass) {
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
  }

  // Reads the photographs of a view and its sources that are in no slot.
  void read_ahead(std::size_t i) {
    std::vector<int> missing;
    const auto add = [&](int image) {
      if (!images_->has(image) && !ahead_.contains(image)) missing.push_back(image);
    };
    add(static_cast<int>(i));
    for (const int source : plan_[i].sources) add(source);
    std::vector<ImageU8> photographs(missing.size());
    runtime::parallel_each(missing.size(),
                           [&](std::size_t k) { photographs[k] = storage_.read(missing[k]); });
    for (std::size_t k = 0; k < missing.size(); ++k)
      ahead_.emplace(missing[k], std::move(photographs[k]));
  }

  void start(std::size_t i, int pass) {
    allocate(pass);
    read_ahead(i);
    ViewSlots<std::uint32_t> images{&*images_};
    ViewSlots<float> maps{pass > 0 ? &*maps_ : nullptr};
    const auto load = [&](int image) {
      images.of.push_back(images_->get(queue_, image, [&](std::span<std::uint32_t> words) {
        auto photograph = ahead_.extract(image);  // empty if its slot was taken since then
        write_pyramid(grey_of(storage_.undistort(image, photograph ? std::move(photograph.mapped())
                                                                   : storage_.read(image))),
                      words);
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
  }

  Queue& queue_;
  std::span<const PlannedView> plan_;
  const Storage& storage_;
  const DenseOptions& options_;
  const Sizes& sizes_;
  std::optional<Slots<std::uint32_t>> images_;
  std::optional<Slots<float>> maps_;
  std::optional<PatchMatcher> matcher_;
  std::map<int, ImageU8> ahead_;  // photographs for the next view
};

// Points of a view in the order of its pixels.
std::vector<FusedPoint> points_of(const PlannedView& view, const AgreedDepth& agreed,
                                  const ImageU8& image) {
  const Intrinsics& K = view.placed.camera;
  const Mat3 to_world = transposed(view.placed.cam_from_world.R);
  const Vec3 centre = mapping::centre_of(view.placed.cam_from_world);
  const DenseMap& map = agreed.map;
  const std::ptrdiff_t width = map.depth.width;
  std::vector<std::size_t> begin{0};  // of the points of each row
  for (auto row = agreed.is_new.begin(); row != agreed.is_new.end(); row += width)
    begin.push_back(begin.back() + static_cast<std::size_t>(std::count(row, row + width, 1)));
  std::vector<FusedPoint> points(begin.back());
  runtime::parallel_for(map.depth.height, [&](int y) {
    FusedPoint* next = points.data() + begin[static_cast<std::size_t>(y)];
    const std::uint8_t* is_new = agreed.is_new.data() + y * width;
    for (int x = 0; x < map.depth.width; ++x) {
      if (is_new[x] == 0) continue;
      const double z = map.depth.at(x, y);
      const Vec3 X = mapping::sum(
          centre, times(to_world, Vec3{(x - K.cx) / K.fx * z, (y - K.cy) / K.fy * z, z}));
      const Vec3 n =
          unit(times(to_world, Vec3{double(map.normal.at(x, y, 0)), double(map.normal.at(x, y, 1)),
                                    double(map.normal.at(x, y, 2))}));
      FusedPoint& p = *next++;
      p.x = float(X[0]), p.y = float(X[1]), p.z = float(X[2]);
      p.nx = float(n[0]), p.ny = float(n[1]), p.nz = float(n[2]);
      p.deviation = map.deviation.at(x, y);
      const int c = image.channels == 3 ? 1 : 0;
      p.r = image.at(x, y, 0), p.g = image.at(x, y, c), p.b = image.at(x, y, 2 * c);
      p.views = map.views.at(x, y);
    }
  });
  return points;
}

// Removes depths outside of the given range: matching starts within it, but moves planes freely.
void keep_range(AgreedDepth& agreed, const DenseOptions& options) {
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  constexpr std::size_t kBlock = 1 << 14;
  DenseMap& map = agreed.map;
  const auto keep = [&](std::size_t k) {
    const double depth = map.depth.pixels[k];
    if (!(depth < options.min_depth) && !(options.max_depth > 0 && depth > options.max_depth))
      return;
    map.depth.pixels[k] = map.deviation.pixels[k] = kNan;
    std::fill_n(map.normal.pixels.begin() + static_cast<std::ptrdiff_t>(3 * k), 3, std::int8_t{0});
    map.views.pixels[k] = agreed.is_new[k] = 0;
  };
  runtime::parallel_each(map.depth.pixels.size(), keep, kBlock);
}

DenseMap unknown_map(const PlannedView& view, std::string reason) {
  const Shape& s = view.placed.shape;
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  return {ImageF(s.width, s.height, 1, kNan), ImageF(s.width, s.height, 1, kNan),
          Image<std::int8_t>(s.width, s.height, 3), ImageU8(s.width, s.height), std::move(reason)};
}

// Depths, files and points of all views. While the device compares the views of a batch, the host
// completes the batch before.
class Comparison {
 public:
  Comparison(Queue& queue, std::span<const PlannedView> plan, const Storage& storage,
             const DenseOptions& options, const Sizes& sizes)
      : queue_(queue), plan_(plan), storage_(storage), options_(options), sizes_(sizes) {}

  void run() {
    std::vector<Compared> before;
    for (std::size_t begin = 0; begin < plan_.size() || !before.empty();) {
      const std::size_t end = batch_end(begin);
      std::vector<Compared> batch;
      const int threads = std::min(2, runtime::thread_count());
      runtime::run_on_threads(threads, [&](int thread) {
        if (thread == 0) batch = compare_batch(begin, end);
        if (thread == threads - 1) complete(before);
      });
      for (std::size_t done = begin - before.size(); done < begin;)
        report(options_, DenseStage::agree, ++done, plan_.size());
      before = std::move(batch), begin = end;
    }
  }

 private:
  struct Compared {
    std::size_t view = 0;
    AgreedDepth agreed;  // is_new is empty without depth
    ImageU8 image;       // empty without depth
    std::vector<FusedPoint> points;
  };

  // Both limit memory: a pixel takes up to 100 bytes until its files are written.
  [[nodiscard]] std::size_t batch_end(std::size_t begin) const {
    constexpr std::size_t kMostViews = 4, kMostNumbers = kPlaneArrays * 8'000'000;
    std::size_t end = begin, numbers = 0;
    while (end < plan_.size() && end < begin + kMostViews) {
      numbers += kPlaneArrays * plan_[end].placed.shape.size();
      if (end > begin && numbers > kMostNumbers) break;
      ++end;
    }
    return end;
  }

  std::vector<Compared> compare_batch(std::size_t begin, std::size_t end) {
    std::vector<Compared> batch;
    for (std::size_t i = begin; i < end; ++i) batch.push_back({i, compare(i), {}, {}});
    runtime::parallel_each(batch.size(), [&](std::size_t k) {
      if (!batch[k].agreed.is_new.empty())
        batch[k].image = storage_.read(static_cast<int>(batch[k].view));
    });
    for (Compared& c : batch)
      if (!c.image.empty())
        c.image = storage_.undistort(static_cast<int>(c.view), std::move(c.image));
    return batch;
  }

  AgreedDepth compare(std::size_t i) {
    const PlannedView& view = plan_[i];
    std::vector<int> with = view.checks;
    std::erase_if(with, [&](int j) { return !plan_[static_cast<std::size_t>(j)].fault.empty(); });
    if (!view.fault.empty() || with.empty())
      return {unknown_map(view, !view.fault.empty() ? view.fault : "has no neighbour with depths"),
              {}};
    if (!comparer_) {
      slots_.emplace(queue_, sizes_.planes,
                     slot_count(queue_.device(), sizes_.planes * sizeof(float),
                                static_cast<std::size_t>(sizes_.most_checks) + 1, plan_.size(),
                                options_.max_memory / 2));
      comparer_.emplace(queue_, sizes_.largest, sizes_.most_checks);
    }
    std::vector<int> slot_of;
    const auto load = [&](int image) {
      slot_of.push_back(slots_->get(queue_, image, [&](std::span<float> planes) {
        const Shape& shape = plan_[static_cast<std::size_t>(image)].placed.shape;
        storage_.read_planes(image, kPasses - 1, planes.first(kPlaneArrays * shape.size()));
      }));
    };
    load(static_cast<int>(i));
    for (const int other : with) load(other);
    const int least = std::min(options_.min_agreeing, static_cast<int>(with.size()));
    return comparer_->compare(queue_, *slots_, plan_, i, with, slot_of, least);
  }

  void complete(std::vector<Compared>& batch) const {
    runtime::parallel_each(batch.size(), [&](std::size_t k) {
      Compared& c = batch[k];
      if (!c.image.empty()) {
        keep_range(c.agreed, options_);
        c.points = points_of(plan_[c.view], c.agreed, c.image);
      }
      storage_.write_map(static_cast<int>(c.view), c.agreed.map, c.image);
    });
    for (Compared& c : batch)
      storage_.take(static_cast<int>(c.view), std::move(c.agreed.map), c.points);
  }

  Queue& queue_;
  std::span<const PlannedView> plan_;
  const Storage& storage_;
  const DenseOptions& options_;
  const Sizes& sizes_;
  std::optional<Slots<float>> slots_;
  std::optional<Comparer> comparer_;
};

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
  Comparison(queue, plan, storage, options, sizes).run();
}

}  // namespace bifocal::dense
