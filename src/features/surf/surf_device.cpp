// SPDX-License-Identifier: BSD-3-Clause
#include "features/surf/surf_device.hpp"

#include <bifocal/error.hpp>

#include <fmt/format.h>

#include <algorithm>

#include "features/surf/surf.kernels.hpp"
#include "features/surf/surf_points.kernels.hpp"
#include "runtime/launch_cache.hpp"

namespace bifocal::features {
namespace {

namespace surf = kernels::surf;
namespace surf_points = kernels::surf_points;
using Launch = surf::launch<float>;
using PointLaunch = surf_points::launch<float>;

const Launch& groups_of(const Device& device) {
  return runtime::group_launch_of<Launch>(device, surf::SURF_THREADS);
}
const Launch& maps() { return runtime::launch_of<Launch>(surf::SURF_THREADS); }
const PointLaunch& points_of(const Device& device) {
  return runtime::group_launch_of<PointLaunch>(device, surf_points::SURF_POINT_THREADS);
}

// Pixels of the enlarged image per point. White noise without a threshold has a maximum in 100 px,
// the Oxford images at most one in 60 px.
constexpr int kPixelsAPoint = 32, kLeastSurfCapacity = 1024;

// Groups that share the points on a CPU, which can be cancelled between them.
constexpr int kCpuGroups = 4096;

int capacity_of(int width, int height, const SurfOptions& options) {
  const std::int64_t pixels = std::int64_t{width} * height * (options.upsample ? 4 : 1);
  return static_cast<int>(std::max<std::int64_t>(pixels / kPixelsAPoint, kLeastSurfCapacity));
}

}  // namespace

std::size_t SurfDevice::bytes(int width, int height, const SurfOptions& options) {
  const int enlarged = options.upsample ? 2 : 1, capacity = capacity_of(width, height, options);
  const std::size_t row = static_cast<std::size_t>(width) * enlarged + 1;
  const std::size_t rows = static_cast<std::size_t>(height) * enlarged + 1;
  return sizeof(std::uint32_t) * row * (rows + rows / surf::BAND_ROWS + 1) +
         sizeof(candidate) * static_cast<std::size_t>(capacity) +
         PointsDevice::bytes(capacity, height);
}

SurfDevice::SurfDevice(Queue& queue, int width, int height, const SurfOptions& options, int batch,
                       int capacity)
    : queue_(&queue),
      width_(width * (options.upsample ? 2 : 1)),
      height_(height * (options.upsample ? 2 : 1)),
      given_width_(width),
      given_height_(height),
      options_(options),
      stride_(width_ + 1),
      bands_(divided_up(height_, surf::BAND_ROWS)),
      pitch_(std::int64_t{stride_} * (height_ + 1)),
      capacity_(capacity > 0 ? capacity : capacity_of(width, height, options)) {
  const DeviceInfo& info = queue.device().info();
  groups_ = info.is_gpu ? 32 * std::max(1, info.cores) : kCpuGroups;
  candidate_capacity_ = capacity_ * batch;
  const std::vector<SurfOctave> octaves = surf_octaves(width_, height_, options);
  octave_count_ = static_cast<int>(octaves.size());
  if (octaves.empty()) return;
  make_octaves(octaves);
  const Device& device = queue.device();
  const auto pictures = static_cast<std::size_t>(batch);
  sums_ = Buffer<std::uint32_t>(device, pictures * static_cast<std::size_t>(pitch_));
  totals_ = Buffer<std::uint32_t>(
      device, pictures * static_cast<std::size_t>(bands_) * static_cast<std::size_t>(stride_));
  candidates_ = Buffer<candidate>(device, static_cast<std::size_t>(candidate_capacity_));
  points_.emplace(queue, batch, capacity_, height, options.upsample ? 0.5F : 1.0F,
                  options.upsample ? -0.25F : 0.0F);
}

void SurfDevice::make_octaves(const std::vector<SurfOctave>& octaves) {
  std::vector<surf_octave_layout> table;
  std::vector<float> scales;
  for (const SurfOctave& o : octaves) {
    // Maxima of layer 2 lie within the range of samples of layer 1.
    const int across = divided_up(o.end_x[0] - o.first_x[0], surf::SURF_TILE_SIDE);
    const int down = divided_up(o.end_y[0] - o.first_y[0], surf::SURF_TILE_SIDE);
    surf_octave_layout layout{tiles_, across, o.first_x[0], o.first_y[0], {}};
    for (std::size_t k = 0; k < o.first_x.size(); ++k)
      layout.layers[k] = {o.first_x[k], o.end_x[k], o.first_y[k], o.end_y[k]};
    table.push_back(layout);
    for (const SurfFilter& filter : o.filters) scales.push_back(filter.scale);
    tiles_ += across * down;
  }
  octaves_ = uploaded(*queue_, table);
  scales_ = uploaded(*queue_, scales);
  shares_ = uploaded(*queue_, surf_shares());
}

void SurfDevice::set_mask(const ImageU8& mask) {
  if (points_) points_->set_mask(mask);
}

void SurfDevice::run(const Memory<const std::uint8_t>& pictures, int first, int count,
                     const FeatureOutput& out) {
  if (count == 0) return;
  if (octave_count_ == 0) {
    const std::vector<int> none(static_cast<std::size_t>(count), 0);
    runtime::upload(*queue_, *out.numbers.memory(),
                    static_cast<std::size_t>(out.first) * sizeof(int), none.data(),
                    none.size() * sizeof(int));
    queue_->wait();
    return;
  }
  PointsDevice& p = *points_;
  p.clear(count, out);
  add_up(pictures, first, count);
  find(count);
  p.drop_copies(count);
  p.order(count, Grid(given_width_, given_height_, options_.balance), out.most);
  describe(count, out);
}

void SurfDevice::add_up(const Memory<const std::uint8_t>& pictures, int first, int count) {
  groups_of(queue_->device())
      .surf_sum_rows(*queue_, {.count = (height_ + 1) * count},
                     {.pictures = pictures,
                      .first = first,
                      .width = width_,
                      .height = height_,
                      .is_doubled = options_.upsample,
                      .sums = sums_,
                      .pitch = pitch_,
                      .stride = stride_});
  const int items = stride_ * bands_ * count;
  maps().surf_sum_bands(*queue_, {.count = items},
                        {.sums = sums_,
                         .pitch = pitch_,
                         .stride = stride_,
                         .height = height_,
                         .bands = bands_,
                         .totals = totals_});
  maps().surf_sum_columns(*queue_, {.count = items},
                          {.sums = sums_,
                           .pitch = pitch_,
                           .stride = stride_,
                           .height = height_,
                           .bands = bands_,
                           .totals = totals_});
}

kernels::integral_images<float> SurfDevice::images() const {
  return {.sums = sums_, .pitch = pitch_, .stride = stride_, .width = width_, .height = height_};
}

void SurfDevice::find(int count) {
  const auto threshold = static_cast<float>(options_.threshold);
  groups_of(queue_->device())
      .surf_search(*queue_, {.count = tiles_ * count},
                   {.images = images(),
                    .octaves = octaves_,
                    .octave_count = octave_count_,
                    .scales = scales_,
                    .tiles = tiles_,
                    .threshold = threshold,
                    .candidates = candidates_,
                    .capacity = candidate_capacity_,
                    .counts = points_->counts});
  points_of(queue_->device())
      .surf_orient(*queue_, {.count = groups_},
                   {.images = images(),
                    .scales = scales_,
                    .threshold = threshold,
                    .is_upright = options_.upright,
                    .candidates = candidates_,
                    .counts = points_->counts,
                    .candidate_capacity = candidate_capacity_,
                    .groups = groups_,
                    .added = points_->added(given_width_)});
}

void SurfDevice::describe(int count, const FeatureOutput& out) {
  const int groups = groups_ * count;
  points_of(queue_->device())
      .surf_describe(*queue_, {.count = groups},
                     {.images = images(),
                      .shares = shares_,
                      .numbers_each = options_.numbers / 16,
                      .ranked = points_->ranked(candidate_capacity_),
                      .pictures = count,
                      .groups = groups,
                      .out = out.list()});
}

bool SurfDevice::was_full(int count) {
  if (octave_count_ == 0) return false;
  bool tile_full = false;
  const bool was_full = points_->was_full(count, candidate_capacity_, &tile_full);
  if (tile_full)
    throw Error(ErrorCode::device,
                fmt::format("detect_surf: more than {} maxima in {} x {} samples",
                            static_cast<int>(surf::SURF_TILE_CAPACITY),
                            static_cast<int>(surf::SURF_TILE_SIDE),
                            static_cast<int>(surf::SURF_TILE_SIDE)));
  return was_full;
}

}  // namespace bifocal::features
