// SPDX-License-Identifier: BSD-3-Clause
#include "features/sift/sift_device.hpp"

#include <bifocal/error.hpp>

#include <fmt/format.h>

#include <algorithm>

#include "features/sift/describe.hpp"
#include "features/sift/octave.hpp"
#include "features/sift/space.hpp"
#include "features/sift/sift.hpp"
#include "features/sift/extrema.kernels.hpp"
#include "features/sift/space.kernels.hpp"
#include "runtime/launch_cache.hpp"

namespace bifocal::features {
namespace {

namespace space = kernels::space;
namespace extrema = kernels::extrema;
using SpaceLaunch = space::launch<float>;
using ExtremaLaunch = extrema::launch<float>;

const SpaceLaunch& space_groups(const Device& device, int radius = kTileRadii[0]) {
  return runtime::group_launch_of<SpaceLaunch>(device, space::SPACE_THREADS, {{"RADIUS", radius}});
}
const SpaceLaunch& space_maps() {
  return runtime::launch_of<SpaceLaunch>(space::SPACE_THREADS, {{"RADIUS", kTileRadii[0]}});
}
const ExtremaLaunch& extrema_groups(const Device& device) {
  return runtime::group_launch_of<ExtremaLaunch>(device, extrema::EXTREMA_THREADS);
}
const ExtremaLaunch& extrema_maps() {
  return runtime::launch_of<ExtremaLaunch>(extrema::EXTREMA_THREADS);
}

}  // namespace

SiftDevice::SiftDevice(Queue& queue, int width, int height, const SiftOptions& options, int batch,
                       int capacity, std::size_t memory)
    : queue_(&queue),
      width_(width),
      height_(height),
      batch_(batch),
      options_(options),
      plan_(plan_sift(width, height, options, capacity, memory)),
      scale_(options.upsample ? 0.5F : 1.0F) {
  const DeviceInfo& info = queue.device().info();
  groups_ = std::max(1, info.cores) * (info.is_gpu ? 32 : 2);
  candidate_capacity_ = plan_.candidate_capacity * batch;
  if (plan_.steps.empty()) return;
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
  const auto pictures = static_cast<std::size_t>(batch);
  pyramid_ = Buffer<float>(device, pictures * static_cast<std::size_t>(plan_.floats));
  lines_ = Buffer<float>(device, pictures * static_cast<std::size_t>(plan_.lines));
  candidates_ = Buffer<candidate>(device, std::size_t(candidate_capacity_));
  extrema_ = Buffer<extremum>(device, std::size_t(candidate_capacity_));
  points_.emplace(queue, batch, plan_.capacity, height, scale_, options.upsample ? -0.25F : 0.0F);
  if (options.affine_shape)
    shapes_ = Buffer<keypoint_shape>(device, pictures * static_cast<std::size_t>(plan_.capacity));
  make_selection();
  make_tables();
}

void SiftDevice::make_selection() {
  if (!plan_.has_selection) return;
  const Device& device = queue_->device();
  const auto pictures = static_cast<std::size_t>(batch_);
  histogram_ = uploaded(
      *queue_, std::vector<std::uint32_t>(pictures * std::size_t{extrema::STRENGTH_BINS}, 0));
  cut_ = Buffer<std::uint32_t>(device, pictures);
  again_ = Buffer<std::uint32_t>(device, pictures);
  selected_ = Buffer<std::uint32_t>(device, std::size_t(candidate_capacity_));
  selected_counts_ = Buffer<std::uint32_t>(device, 2);
}

void SiftDevice::make_tables() {
  for (const SiftStep& step : plan_.steps) {
    std::vector<octave_layout> table;
    for (const StepOctave& o : step.octaves)
      table.push_back({o.first, o.plane, o.stride, o.width, o.height, o.first_tile, o.kept.first,
                       o.kept.end, o.own.first, o.own.end});
    octaves_.push_back(uploaded(*queue_, table));
  }
  std::vector<description_domain> domains;
  for (const Domain& d : domains_of(options_))
    domains.push_back({d.size, static_cast<float>(d.levels_up)});
  domains_ = uploaded(*queue_, domains);
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
  if (plan_.steps.empty()) {
    const std::vector<int> none(static_cast<std::size_t>(count), 0);
    runtime::upload(*queue_, *out.numbers.memory(),
                    static_cast<std::size_t>(out.first) * sizeof(int), none.data(),
                    none.size() * sizeof(int));
    queue_->wait();
    return;
  }
  points_->clear(count, out);
  const bool is_selected = plan_.has_selection && out.most == options_.max_features;
  for (std::size_t k = 0; k < plan_.steps.size(); ++k) {
    if (k > 0)
      extrema_maps().sift_next(*queue_, {.count = 1},
                               {.counts = points_->counts, .capacity = candidate_capacity_});
    make(k, pictures, first, count);
    find(count, is_selected);
    if (!is_selected) orient(-1);
  }
  is_selected ? select(count, out.most) : points_->drop_copies(count);
  points_->order(count, Grid(width_, height_, options_.balance), out.most);
  describe(count, out);
  // The levels of the last step are still in memory; the levels of bands have to be computed again.
  for (std::size_t k = 0; k + 1 < plan_.steps.size(); ++k) {
    make(k, pictures, first, count);
    describe(count, out);
  }
}

void SiftDevice::make(std::size_t k, const Memory<const std::uint8_t>& pictures, int first,
                      int count) {
  step_ = k;
  const std::size_t begin = step().begin, end = step().end, octaves = step().octaves.size();
  if (begin == 0) {
    make_first_level(pictures, first, count);
  } else if (end < octaves) {
    take_first_level(count);  // the last step's level is in place already
  }
  const int layers = options_.octave_layers;
  for (std::size_t o = begin; o < end; ++o) {
    for (int i = 0; i < layers; ++i)
      blur(blurs_[std::size_t(i)], o, o + 1, i, i + 1, i + 1 == layers && o + 1 < octaves, count);
  }
  // No octave waits for the last two levels of another octave.
  for (int i = layers; i < layers + 2; ++i)
    blur(blurs_[std::size_t(i)], begin, end, i, i + 1, false, count);
}

void SiftDevice::make_first_level(const Memory<const std::uint8_t>& pictures, int first,
                                  int count) {
  const StepOctave& o = step().octaves.front();
  if (options_.upsample) {
    const int tiles =
        divided_up(o.width, 2 * space::DOUBLE_SIDE) * divided_up(o.kept.size(), space::DOUBLE_SIDE);
    space_groups(queue_->device())
        .sift_double(*queue_, {.count = tiles * count},
                     {.pictures = pictures,
                      .first = first,
                      .width = width_,
                      .height = height_,
                      .pyramid = pyramid_,
                      .pitch = plan_.floats,
                      .to = level(o, 0),
                      .stride = o.stride,
                      .taps = first_.taps,
                      .radius = first_.radius,
                      .first_row = o.kept.first,
                      .end_row = o.kept.end});
    return;
  }
  const int items = divided_up(width_, space::BYTES_PIXELS);
  space_maps().sift_bytes(*queue_, {.count = items * o.kept.size() * count},
                          {.pictures = pictures,
                           .first = first,
                           .width = width_,
                           .height = height_,
                           .pyramid = pyramid_,
                           .pitch = plan_.floats,
                           .to = level(o, 1),
                           .stride = o.stride,
                           .items = items,
                           .first_row = o.kept.first,
                           .rows = o.kept.size()});
  blur(first_, 0, 1, 1, 0, false, count);
}

// Copies a band's rows of the first level of an octave, which the bands of the preceding octave
// have computed.
void SiftDevice::take_first_level(int count) {
  const StepOctave& o = step().octaves[step().begin];
  space_maps().sift_thin(*queue_, {.count = o.width * o.kept.size() * count},
                         {.pyramid = pyramid_,
                          .pitch = plan_.floats,
                          .from = step().first_level,
                          .stride = o.stride,
                          .step = 1,
                          .to = level(o, 0),
                          .to_stride = o.stride,
                          .width = o.width,
                          .first_row = o.kept.first,
                          .rows = o.kept.size()});
}

void SiftDevice::blur(const Blur& kernel, std::size_t begin, std::size_t end, int from, int to,
                      bool is_halved, int count) {
  int tiles = 0;
  std::size_t k = begin;
  for (; k < end; ++k) {
    const StepOctave& o = step().octaves[k];
    if (!has_tiles(kernel.radius, o.width, o.height)) break;  // the octaves after it are smaller
    tiles += divided_up(o.width, space::BLUR_WIDTH) * divided_up(o.kept.size(), space::BLUR_HEIGHT);
  }
  if (tiles > 0)
    space_groups(queue_->device(), kernel.radius)
        .sift_blur(*queue_, {.count = tiles * count},
                   {.pyramid = pyramid_,
                    .pitch = plan_.floats,
                    .octaves = octaves_[step_],
                    .octave = static_cast<int>(begin),
                    .tiles = tiles,
                    .from = from,
                    .to = to,
                    .is_halved = is_halved,
                    .taps = kernel.taps});
  for (; k < end; ++k) {
    blur_lines(kernel, step().octaves[k], from, to, count);
    if (is_halved) halve_lines(k, to, count);
  }
}

void SiftDevice::blur_lines(const Blur& kernel, const StepOctave& o, int from, int to, int count) {
  const int pixels = o.width * o.kept.size() * count;
  const std::int64_t lines = -std::int64_t{o.stride} * o.kept.first;
  SpaceLaunch::sift_blur_line_args line{.pyramid = pyramid_,
                                        .pitch = plan_.floats,
                                        .from = level(o, from),
                                        .blurred = lines_,
                                        .to_pitch = plan_.lines,
                                        .to = lines,
                                        .width = o.width,
                                        .height = o.height,
                                        .stride = o.stride,
                                        .taps = kernel.taps,
                                        .radius = kernel.radius,
                                        .is_down = 1,
                                        .first_row = o.kept.first,
                                        .rows = o.kept.size()};
  space_maps().sift_blur_line(*queue_, {.count = pixels}, line);
  line.pyramid = lines_, line.pitch = plan_.lines, line.from = lines;
  line.blurred = pyramid_, line.to_pitch = plan_.floats, line.to = level(o, to);
  line.is_down = 0;
  space_maps().sift_blur_line(*queue_, {.count = pixels}, line);
}

void SiftDevice::halve_lines(std::size_t octave, int from, int count) {
  const StepOctave &o = step().octaves[octave], &half = step().octaves[octave + 1];
  const int first = o.own.first / 2, rows = (o.own.end + 1) / 2 - first;
  space_maps().sift_thin(*queue_, {.count = half.width * rows * count},
                         {.pyramid = pyramid_,
                          .pitch = plan_.floats,
                          .from = level(o, from),
                          .stride = o.stride,
                          .step = 2,
                          .to = half.first,
                          .to_stride = half.stride,
                          .width = half.width,
                          .first_row = first,
                          .rows = rows});
}

// Selects the extrema that a cap can keep, and finds their points. The cap would drop the points of
// weak extrema in any case, and they do not displace stronger points. Weak extrema are therefore
// left out, unless the strong extrema give fewer points than the cap, because some have no point or
// are copies.
void SiftDevice::select(int count, int most) {
  const ExtremaLaunch& groups = extrema_groups(queue_->device());
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
  extrema_maps().sift_select(*queue_,
                             {.count = candidate_capacity_, .groups = std::max(1, groups_ / 8)},
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
  extrema_groups(queue_->device())
      .sift_search(*queue_, {.count = step().tiles * count},
                   {.space = space(),
                    .octave_count = static_cast<int>(step().octaves.size()),
                    .tiles = step().tiles,
                    .layers = layers,
                    .threshold = threshold,
                    .candidates = candidates_,
                    .capacity = candidate_capacity_,
                    .counts = points_->counts});
  extrema_maps().sift_refine(*queue_,
                             {.count = candidate_capacity_, .groups = std::max(1, groups_ / 8)},
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
  return {.pyramid = pyramid_, .pitch = plan_.floats, .octaves = octaves_[step_]};
}

bool SiftDevice::was_full(int count) {
  if (plan_.steps.empty()) return false;
  bool tile_full = false;
  const bool was_full = points_->was_full(count, candidate_capacity_, &tile_full);
  if (tile_full)  // only with more than four layers: extrema are not adjacent
    throw Error(ErrorCode::device, fmt::format("detect_sift: more than {} extrema in {} x {} px",
                                               static_cast<int>(extrema::SEARCH_CAPACITY),
                                               static_cast<int>(extrema::SEARCH_WIDTH),
                                               static_cast<int>(extrema::SEARCH_HEIGHT)));
  return was_full;
}

}  // namespace bifocal::features
