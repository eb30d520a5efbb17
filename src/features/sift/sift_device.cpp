// SPDX-License-Identifier: BSD-3-Clause
#include "features/sift/sift_device.hpp"

#include <bifocal/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>

#include "features/sift/descriptor.hpp"
#include "features/sift/octave.hpp"
#include "features/sift/scale_space.hpp"
#include "features/sift/sift.hpp"
#include "features/sift/sift.kernels.hpp"
#include "features/sift/sift_points.kernels.hpp"
#include "runtime/kernel_set.hpp"

namespace bifocal::features {
namespace {

namespace sift = kernels::sift;
namespace sift_points = kernels::sift_points;

// The radii that CUDA's kernel by tiles is compiled for: those of the default options.
constexpr int kTileRadii[] = {4, 5, 6, 8, 10};

using Launch = sift::launch<float>;

// Groups of one member where a device's compiler is not given group code.
const Launch& kernels_of(const Device& device, int radius) {
  static const auto made = [](int size) {
    std::array<std::unique_ptr<Launch>, std::size(kTileRadii)> launches;
    for (std::size_t k = 0; k < launches.size(); ++k)
      launches[k] = std::make_unique<Launch>(size, runtime::Constants{{"RADIUS", kTileRadii[k]}});
    return launches;
  };
  static const auto wide = made(sift::SIFT_THREADS), single = made(1);
  const auto at = std::ranges::find(kTileRadii, radius) - std::begin(kTileRadii);
  return *(device.info().group_code ? wide : single)[std::size_t(at)];
}
const Launch& kernels_of(const Device& device) { return kernels_of(device, kTileRadii[0]); }
// Kernels of an item a thread.
const Launch& maps() {
  static const Launch launch(sift::SIFT_THREADS, {{"RADIUS", kTileRadii[0]}});
  return launch;
}
bool has_tiles(int radius, int width, int height) {
  return std::ranges::find(kTileRadii, radius) != std::end(kTileRadii) && radius < width &&
         radius < height;
}

// Of the pixels of the first octave, extrema before and features after the refinement. White noise
// without thresholds has a feature in 1070 px with the default scales, in 12 px with 16 layers from
// a sigma of 0.8; the Oxford pictures at most one in 186.
constexpr int kPixelsACandidate = 12, kPixelsAFeature = 16, kLeastRoom = 1024;
// A cap at less than a feature in so many pixels chooses before points get their directions. Where
// it does not bind that costs up to 6 %.
constexpr int kPixelsACap = 512;

}  // namespace

SiftDevice::Shape SiftDevice::shape_of(int width, int height, const SiftOptions& options) {
  Shape shape;
  if (options.upsample) width *= 2, height *= 2;
  const auto pixels = static_cast<std::int64_t>(width) * height;
  shape.room = static_cast<int>(std::max<std::int64_t>(pixels / kPixelsAFeature, kLeastRoom));
  shape.candidate_room =
      static_cast<int>(std::max<std::int64_t>(pixels / kPixelsACandidate, kLeastRoom));
  while (std::min(width, height) > 2 * kBorder) {
    const int stride = row_stride(width);
    const std::int64_t plane = std::int64_t{stride} * height;
    shape.octaves.push_back({width, height, stride, shape.floats, plane});
    shape.floats += plane * (options.octave_layers + 3);
    width = (width + 1) / 2, height = (height + 1) / 2;
  }
  return shape;
}

bool SiftDevice::has_selection(int width, int height, const SiftOptions& options) {
  const std::int64_t pixels = std::int64_t{width} * height * (options.upsample ? 4 : 1);
  return options.max_features > 0 && options.balance == 0 &&
         options.max_features <= pixels / kPixelsACap;
}

std::size_t SiftDevice::bytes(int width, int height, const SiftOptions& options) {
  const Shape shape = shape_of(width, height, options);
  return sizeof(float) * static_cast<std::size_t>(shape.floats) +
         static_cast<std::size_t>(shape.candidate_room) *
             (sizeof(std::uint32_t) *
                  (sift::CANDIDATE_WORDS + (has_selection(width, height, options) ? 1 : 0)) +
              sizeof(float) * sift::EXTREMUM_FLOATS) +
         (options.affine_shape ? static_cast<std::size_t>(shape.room) * sizeof(KeypointShape) : 0) +
         PointsDevice::bytes(shape.room, height);
}

SiftDevice::SiftDevice(Queue& queue, int width, int height, const SiftOptions& options, int batch,
                       int room)
    : queue_(&queue),
      width_(width),
      height_(height),
      batch_(batch),
      options_(options),
      shape_(shape_of(width, height, options)),
      room_(room > 0 ? room : shape_.room),
      scale_(options.upsample ? 0.5F : 1.0F) {
  const DeviceInfo& info = queue.device().info();
  groups_ = std::max(1, info.cores) * (info.is_gpu ? 32 : 2);
  candidate_room_ = std::max(shape_.candidate_room, room_) * batch;
  if (shape_.octaves.empty()) return;
  if (options.upsample) {
    const Kernel quarter = quarter_pixel_kernel(0.5 * blur_to(options.sigma, 2));
    first_ = make_blur(quarter.taps, quarter.radius);
  } else {
    const Kernel kernel = gaussian_kernel(blur_to(options.sigma, 1));
    first_ = make_blur(kernel.taps, kernel.radius);
  }
  for (const Kernel& kernel : octave_kernels(options))
    blurs_.push_back(make_blur(kernel.taps, kernel.radius));
  const Device& device = queue.device();
  pyramid_ = Buffer<float>(device, std::size_t(batch) * static_cast<std::size_t>(shape_.floats));
  candidates_ = Buffer<std::uint32_t>(device, std::size_t(candidate_room_) * sift::CANDIDATE_WORDS);
  extrema_ = Buffer<float>(device, std::size_t(candidate_room_) * sift::EXTREMUM_FLOATS);
  points_.emplace(queue, batch, room_, height, scale_, options.upsample ? -0.25F : 0.0F);
  if (options.affine_shape)
    shapes_ = Buffer<float>(
        device, std::size_t(batch) * static_cast<std::size_t>(room_) * sift_points::SHAPE_FLOATS);
  if (has_selection(width, height, options)) {
    const auto pictures = static_cast<std::size_t>(batch);
    histogram_ =
        uploaded(queue, std::vector<std::uint32_t>(pictures * std::size_t{sift::STRENGTH_BINS}, 0));
    cut_ = Buffer<std::uint32_t>(device, pictures);
    again_ = Buffer<std::uint32_t>(device, pictures);
    selected_ = Buffer<std::uint32_t>(device, std::size_t(candidate_room_));
    selected_counts_ = Buffer<std::uint32_t>(device, 2);
  }
  std::vector<std::int64_t> table;
  for (const Octave& o : shape_.octaves) {
    table.insert(table.end(), {o.first, o.plane, o.stride, o.width, o.height, tiles_});
    tiles_ += divided_up(o.width, sift::SEARCH_WIDTH) * divided_up(o.height, sift::SEARCH_HEIGHT);
  }
  octaves_ = uploaded(queue, table);
  std::vector<float> domains;
  for (const Domain& d : domains_of(options))
    domains.insert(domains.end(), {d.size, static_cast<float>(d.levels_up)});
  domains_ = uploaded(queue, domains);
}

SiftDevice::Blur SiftDevice::make_blur(const std::vector<float>& taps, int radius) {
  return {radius, uploaded(*queue_, taps)};
}

void SiftDevice::set_mask(const ImageU8& mask) {
  if (points_) points_->set_mask(mask);
}

void SiftDevice::run(const Memory<const std::uint8_t>& pictures, int first, int count,
                     const FeatureOutput& out) {
  if (count == 0) return;
  if (shape_.octaves.empty()) {
    const std::vector<int> none(static_cast<std::size_t>(count), 0);
    runtime::upload(*queue_, *out.numbers.memory(),
                    static_cast<std::size_t>(out.first) * sizeof(int), none.data(),
                    none.size() * sizeof(int));
    queue_->wait();
    return;
  }
  points_->clear(count, out);
  make_first_level(pictures, first, count);
  const bool is_selected = histogram_.size() > 0 && out.most == options_.max_features;
  find(count, is_selected);
  if (is_selected) {
    select(count, out.most);
  } else {
    orient(-1);
    points_->drop_copies(count);
  }
  points_->order(count, Grid(width_, height_, options_.balance), out.most);
  describe(count, out);
}

void SiftDevice::make_first_level(const Memory<const std::uint8_t>& pictures, int first,
                                  int count) {
  const Octave& o = shape_.octaves.front();
  if (options_.upsample) {
    const int tiles =
        divided_up(width_, sift::DOUBLE_SIDE) * divided_up(height_, sift::DOUBLE_SIDE / 2);
    kernels_of(queue_->device())
        .sift_double(*queue_, {.count = tiles * count},
                     {.pictures = pictures,
                      .first = first,
                      .width = width_,
                      .height = height_,
                      .pyramid = pyramid_,
                      .pitch = shape_.floats,
                      .to = level(o, 0),
                      .stride = o.stride,
                      .taps = first_.taps,
                      .radius = first_.radius});
    return;
  }
  const int items = divided_up(width_, sift::BYTES_PIXELS);
  maps().sift_bytes(*queue_, {.count = items * height_ * count},
                    {.pictures = pictures,
                     .first = first,
                     .width = width_,
                     .height = height_,
                     .pyramid = pyramid_,
                     .pitch = shape_.floats,
                     .to = level(o, 1),
                     .stride = o.stride,
                     .items = items});
  blur(first_, 0, 1, 1, 0, false, count);
}

void SiftDevice::blur(const Blur& kernel, std::size_t begin, std::size_t end, int from, int to,
                      bool is_halved, int count) {
  int tiles = 0;
  std::size_t k = begin;
  for (; k < end; ++k) {
    const Octave& o = shape_.octaves[k];
    if (!has_tiles(kernel.radius, o.width, o.height)) break;  // the ones after are smaller
    tiles += divided_up(o.width, sift::BLUR_WIDTH) * divided_up(o.height, sift::BLUR_HEIGHT);
  }
  if (tiles > 0)
    kernels_of(queue_->device(), kernel.radius)
        .sift_blur(*queue_, {.count = tiles * count},
                   {.pyramid = pyramid_,
                    .pitch = shape_.floats,
                    .octaves = octaves_,
                    .octave = static_cast<int>(begin),
                    .tiles = tiles,
                    .from = from,
                    .to = to,
                    .is_halved = is_halved,
                    .taps = kernel.taps});
  for (; k < end; ++k) {
    const Octave& o = shape_.octaves[k];
    blur_lines(kernel, o, from, to, count);
    if (!is_halved) continue;
    const Octave& half = shape_.octaves[k + 1];
    maps().sift_halve(*queue_, {.count = half.width * half.height * count},
                      {.pyramid = pyramid_,
                       .pitch = shape_.floats,
                       .from = level(o, to),
                       .stride = o.stride,
                       .half_to = half.first,
                       .width = half.width,
                       .height = half.height,
                       .half_stride = half.stride});
  }
}

void SiftDevice::blur_lines(const Blur& kernel, const Octave& o, int from, int to, int count) {
  if (lines_.size() == 0)
    lines_ = Buffer<float>(queue_->device(),
                           std::size_t(batch_) * std::size_t(shape_.octaves.front().plane));
  const std::int64_t plane = shape_.octaves.front().plane;
  const int pixels = o.width * o.height * count;
  sift::launch<float>::sift_blur_line_args line{.pyramid = pyramid_,
                                                .pitch = shape_.floats,
                                                .from = level(o, from),
                                                .blurred = lines_,
                                                .to_pitch = plane,
                                                .to = 0,
                                                .width = o.width,
                                                .height = o.height,
                                                .stride = o.stride,
                                                .taps = kernel.taps,
                                                .radius = kernel.radius,
                                                .is_down = 1};
  maps().sift_blur_line(*queue_, {.count = pixels}, line);
  line.pyramid = lines_, line.pitch = plane, line.from = 0;
  line.blurred = pyramid_, line.to_pitch = shape_.floats, line.to = level(o, to);
  line.is_down = 0;
  maps().sift_blur_line(*queue_, {.count = pixels}, line);
}

// Points of weak extrema are dropped by the cap whatever they are, and drop no stronger ones: they
// are left out, unless the strong ones give fewer points than they are (some have none, or copies).
void SiftDevice::select(int count, int most) {
  const auto& groups = kernels_of(queue_->device());
  groups.sift_cut(
      *queue_, {.count = count},
      {.histogram = histogram_, .most = most, .cut = cut_, .selected_counts = selected_counts_});
  select_round(0);
  points_->drop_copies(count);
  groups.sift_again(*queue_, {.count = count},
                    {.most = most,
                     .cut = cut_,
                     .height = height_,
                     .found = points_->found,
                     .kept = points_->kept,
                     .rows = points_->rows,
                     .again = again_});
  select_round(1);
  points_->drop_copies(count, &again_);
}

void SiftDevice::select_round(int round) {
  maps().sift_select(*queue_, {.count = candidate_room_, .groups = std::max(1, groups_ / 8)},
                     {.candidates = candidates_,
                      .counts = points_->counts,
                      .extrema = extrema_,
                      .layers = options_.octave_layers,
                      .sigma = static_cast<float>(options_.sigma),
                      .scale = scale_,
                      .cut = cut_,
                      .again = again_,
                      .round = round,
                      .selected = selected_,
                      .selected_counts = selected_counts_});
  orient(round);
}

void SiftDevice::find(int count, bool is_counted) {
  const auto layers = options_.octave_layers;
  const auto threshold = static_cast<float>(0.5 * options_.contrast_threshold / layers);
  const std::size_t octaves = shape_.octaves.size();
  for (std::size_t k = 0; k < octaves; ++k) {
    for (int i = 0; i < layers; ++i)
      blur(blurs_[std::size_t(i)], k, k + 1, i, i + 1, i + 1 == layers && k + 1 < octaves, count);
  }
  // No octave waits for another one's last two levels.
  for (int i = layers; i < layers + 2; ++i)
    blur(blurs_[std::size_t(i)], 0, octaves, i, i + 1, false, count);
  kernels_of(queue_->device())
      .sift_search(*queue_, {.count = tiles_ * count},
                   {.space = space(),
                    .octave_count = static_cast<int>(octaves),
                    .tiles = tiles_,
                    .layers = layers,
                    .threshold = threshold,
                    .candidates = candidates_,
                    .room = candidate_room_,
                    .counts = points_->counts});
  maps().sift_refine(*queue_, {.count = candidate_room_, .groups = std::max(1, groups_ / 8)},
                     {.space = space(),
                      .layers = layers,
                      .contrast = static_cast<float>(options_.contrast_threshold),
                      .edge = static_cast<float>(options_.edge_threshold),
                      .candidates = candidates_,
                      .counts = points_->counts,
                      .extrema = extrema_,
                      .is_counted = is_counted,
                      .sigma = static_cast<float>(options_.sigma),
                      .scale = scale_,
                      .histogram = histogram_});
}

kernels::scale_space<float> SiftDevice::space() const {
  return {.pyramid = pyramid_, .pitch = shape_.floats, .octaves = octaves_};
}

bool SiftDevice::was_full(int count) {
  if (shape_.octaves.empty()) return false;
  bool tile_full = false;
  const bool was_full = points_->was_full(count, candidate_room_, &tile_full);
  if (tile_full)  // takes more than four layers: extrema are no neighbours
    throw Error(ErrorCode::device, fmt::format("detect_sift: more than {} extrema in {} x {} px",
                                               static_cast<int>(sift::SEARCH_ROOM),
                                               static_cast<int>(sift::SEARCH_WIDTH),
                                               static_cast<int>(sift::SEARCH_HEIGHT)));
  return was_full;
}

}  // namespace bifocal::features
