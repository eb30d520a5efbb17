// SPDX-License-Identifier: BSD-3-Clause
#include "features/sift/sift_plan.hpp"

#include <algorithm>
#include <cmath>

#include "features/points_device.hpp"
#include "features/sift/describe.hpp"
#include "features/sift/octave.hpp"
#include "features/sift/space.hpp"
#include "features/sift/sift.hpp"
#include "features/sift/extrema.kernels.hpp"

namespace bifocal::features {
namespace {

namespace extrema = kernels::extrema;

// Pixels of the first octave per extremum before the refinement, and per feature after it. White
// noise without thresholds has a feature in 1070 px with the default scales, and in 12 px with 16
// layers from a sigma of 0.8; the Oxford images have at most one in 186 px.
constexpr int kPixelsACandidate = 12, kPixelsAFeature = 16, kLeastCapacity = 1024;
// Caps of less than one feature in this number of pixels select before points get their directions.
// If such a cap has no effect, the selection costs up to 6 %.
constexpr int kPixelsACap = 512;
// Rows of a band are a multiple of this number: whole tiles of the search, and whole rows of the
// image and of the next octave.
constexpr int kRowsOfBand = 32;
static_assert(kRowsOfBand % extrema::SEARCH_HEIGHT == 0 && kRowsOfBand % 2 == 0);

int whole_bands(int rows) { return divided_up(rows, kRowsOfBand) * kRowsOfBand; }

// Number of octaves that are processed in bands, and rows that a band of the first octave owns. A
// band of the next octave, whose rows are half as long, owns twice as many rows.
struct Bands {
  std::size_t octaves;
  int rows;
};

class Planner {
 public:
  Planner(int width, int height, const SiftOptions& options, int capacity)
      : options_(options), height_(height), levels_(options.octave_layers + 3) {
    if (options.upsample) width *= 2, height *= 2;
    pixels_ = std::int64_t{width} * height;
    capacity_ = capacity > 0 ? capacity : at_least_one_in(kPixelsAFeature, pixels_);
    has_selection_ = options.max_features > 0 && options.balance == 0 &&
                     options.max_features <= pixels_ / kPixelsACap;
    find_reach();
    for (; std::min(width, height) > 2 * kBorder;
         width = (width + 1) / 2, height = (height + 1) / 2) {
      sizes_.push_back({width, height, row_stride(width)});
      for (const int radius : radii_) has_lines_ |= !has_tiles(radius, width, height);
    }
  }

  [[nodiscard]] SiftPlan best(std::size_t memory) const {
    SiftPlan plan = measured({0, 0});
    if (memory == 0 || plan.bytes <= memory) return with_steps(plan, {0, 0});
    for (std::size_t octaves = 1; octaves < sizes_.size(); ++octaves) {
      if (measured({octaves, kRowsOfBand}).bytes > memory) continue;
      Bands bands{octaves, 0};
      for (int count = 1; bands.rows == 0 || plan.bytes > memory; ++count) {
        bands.rows = whole_bands(divided_up(sizes_[0].height, count));
        plan = measured(bands);
      }
      return with_steps(plan, bands);
    }
    return least();
  }

  [[nodiscard]] SiftPlan least() const {
    Bands bands{0, kRowsOfBand};
    for (std::size_t octaves = 1; octaves < sizes_.size(); ++octaves)
      if (measured({octaves, kRowsOfBand}).bytes < measured(bands).bytes) bands.octaves = octaves;
    return with_steps(measured(bands), bands);
  }

 private:
  struct Size {
    int width, height, stride;
    [[nodiscard]] std::int64_t plane() const { return std::int64_t{stride} * height; }
  };

  static int at_least_one_in(int pixels_of_one, std::int64_t pixels) {
    return static_cast<int>(std::max<std::int64_t>(pixels / pixels_of_one, kLeastCapacity));
  }

  // Computes the rows that are kept on each side of a band's own rows. Levels are blurred from kept
  // rows only, so that rows near the ends of a band are wrong, in each level by the radius of its
  // blur more. Refinements move by a few rows; orientation, shape and description read samples
  // around a point.
  void find_reach() {
    if (!options_.upsample) radii_.push_back(gaussian_kernel(blur_to(options_.sigma, 1)).radius);
    for (const Kernel& kernel : octave_kernels(options_)) radii_.push_back(kernel.radius);
    const double ratio = std::exp2(1.0 / options_.octave_layers);
    const double largest = options_.sigma * std::pow(ratio, options_.octave_layers + 0.6);
    const double wider = options_.affine_shape ? shape_reach() : 1;
    int rows =
        kMoves + 3 +
        static_cast<int>(std::ceil(description_reach(domains_of(options_)) * wider * largest));
    for (const int radius : radii_) rows += radius;
    reach_ = whole_bands(rows);
  }

  [[nodiscard]] int own_rows(Bands bands, std::size_t octave) const {
    const int height = sizes_[octave].height;
    if (octave >= bands.octaves) return height;
    return static_cast<int>(std::min<std::int64_t>(
        height, std::int64_t{bands.rows} << std::min<std::size_t>(octave, 20)));
  }
  [[nodiscard]] std::int64_t band_plane(Bands bands, std::size_t octave) const {
    const Size& size = sizes_[octave];
    return std::int64_t{size.stride} * std::min(size.height, own_rows(bands, octave) + 2 * reach_);
  }

  // Returns the position of an octave's whole first level. The whole first levels of octaves [1,
  // bands.octaves] come first in memory, in descending order: octave bands.octaves is at the start,
  // where the octaves after the bands begin. Those octaves are in memory only after the bands, and
  // therefore reuse the memory of the bands.
  [[nodiscard]] std::int64_t place_of_first_level(Bands bands, std::size_t octave) const {
    std::int64_t place = 0;
    for (std::size_t k = bands.octaves; k > octave; --k) place += sizes_[k].plane();
    return place;
  }

  // Returns the plan without its steps.
  [[nodiscard]] SiftPlan measured(Bands bands) const {
    SiftPlan plan;
    plan.capacity = capacity_;
    plan.has_selection = has_selection_ && bands.octaves == 0;
    std::int64_t pixels = 0, plane = 0;
    for (std::size_t k = bands.octaves; k < sizes_.size(); ++k)
      plan.floats += levels_ * sizes_[k].plane();
    if (bands.octaves < sizes_.size()) {
      const Size& size = sizes_[bands.octaves];
      pixels = std::int64_t{size.width} * size.height;
      plane = size.plane();
    }
    const std::int64_t begin = place_of_first_level(bands, 0);
    for (std::size_t k = 0; k < bands.octaves; ++k) {
      const std::int64_t own = band_plane(bands, k);
      plan.floats = std::max(plan.floats, begin + levels_ * own);
      plane = std::max(plane, own);
      pixels = std::max(pixels, std::int64_t{sizes_[k].width} * own_rows(bands, k));
    }
    plan.lines = has_lines_ ? plane : 0;
    // A band may have the density of features that is allowed for the whole image.
    const auto dense =
        static_cast<int>(std::int64_t{capacity_} * pixels / std::max<std::int64_t>(pixels_, 1));
    plan.candidate_capacity = std::max(at_least_one_in(kPixelsACandidate, pixels), dense);
    std::int64_t steps = 1;
    for (std::size_t k = 0; k < bands.octaves; ++k)
      steps += divided_up(sizes_[k].height, own_rows(bands, k));
    plan.bytes = sizes_.empty() ? 0 : bytes_of(plan, static_cast<std::size_t>(steps));
    return plan;
  }

  [[nodiscard]] std::size_t bytes_of(const SiftPlan& plan, std::size_t steps) const {
    const auto capacity = static_cast<std::size_t>(plan.capacity);
    const auto cells = static_cast<std::size_t>(options_.balance) * std::size_t(options_.balance);
    const std::size_t each =
        sizeof(candidate) + sizeof(extremum) + (plan.has_selection ? sizeof(std::uint32_t) : 0);
    return sizeof(float) * static_cast<std::size_t>(plan.floats + plan.lines) +
           static_cast<std::size_t>(plan.candidate_capacity) * each +
           steps * sizes_.size() * sizeof(octave_layout) +
           (options_.affine_shape ? capacity * sizeof(KeypointShape) : 0) +
           (cells > 0 ? (2 * capacity + cells) * sizeof(std::uint32_t) : 0) +
           PointsDevice::bytes(plan.capacity, height_);
  }

  [[nodiscard]] SiftPlan with_steps(SiftPlan plan, Bands bands) const {
    if (sizes_.empty()) return plan;
    for (std::size_t k = 0; k < bands.octaves; ++k) {
      const int height = sizes_[k].height, rows = own_rows(bands, k);
      for (int first = 0; first < height; first += rows)
        plan.steps.push_back(step(bands, k, k + 1, {first, std::min(height, first + rows)}));
    }
    plan.steps.push_back(
        step(bands, bands.octaves, sizes_.size(), {0, sizes_[bands.octaves].height}));
    return plan;
  }

  // own: rows that octave `begin` owns; later octaves own all their rows.
  [[nodiscard]] SiftStep step(Bands bands, std::size_t begin, std::size_t end, Rows own) const {
    SiftStep step{begin, end, {}, 0, place_of_first_level(bands, begin)};
    std::int64_t place = begin < bands.octaves ? place_of_first_level(bands, 0) : 0;
    for (std::size_t k = 0; k < sizes_.size(); ++k) {
      const Size& size = sizes_[k];
      StepOctave o{size.width, size.height, size.stride, place_of_first_level(bands, k),
                   0,          {},          {},          step.tiles};
      if (k >= begin && k < end) {
        o.own = k == begin ? own : Rows{0, size.height};
        o.kept = {std::max(0, o.own.first - reach_), std::min(size.height, o.own.end + reach_)};
        o.plane = std::int64_t{size.stride} * o.kept.size();
        o.first = place - std::int64_t{size.stride} * o.kept.first;
        place += levels_ * o.plane;
        step.tiles += divided_up(size.width, extrema::SEARCH_WIDTH) *
                      divided_up(o.own.size(), extrema::SEARCH_HEIGHT);
      }
      step.octaves.push_back(o);
    }
    return step;
  }

  const SiftOptions options_;
  const int height_;  // image height
  const int levels_;
  std::int64_t pixels_ = 0;  // pixels of the first octave
  int capacity_ = 0, reach_ = 0;
  bool has_selection_ = false, has_lines_ = false;
  std::vector<int> radii_;
  std::vector<Size> sizes_;
};

}  // namespace

bool has_tiles(int radius, int width, int height) {
  return std::ranges::find(kTileRadii, radius) != std::end(kTileRadii) && radius < width &&
         radius < height;
}

SiftPlan plan_sift(int width, int height, const SiftOptions& options, int capacity,
                   std::size_t memory) {
  return Planner(width, height, options, capacity).best(memory);
}

SiftPlan least_sift_plan(int width, int height, const SiftOptions& options, int capacity) {
  return Planner(width, height, options, capacity).least();
}

}  // namespace bifocal::features
