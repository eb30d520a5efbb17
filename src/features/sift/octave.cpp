// SPDX-License-Identifier: BSD-3-Clause
#include "features/sift/octave.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "features/sift/describe.hpp"
#include "features/sift/orient.hpp"
#include "features/sift/sift.hpp"
#include "runtime/cancel.hpp"
#include "runtime/parallel.hpp"

namespace bifocal::features {
namespace {

constexpr int kStep = 64;  // rows computed at a time

struct Candidate {
  int x, y, layer;
};

class Octave {
 public:
  Octave(int width, int height, const SiftOptions& options)
      : width_(width), height_(height), options_(options), domains_(domains_of(options)) {
    const int count = options.octave_layers + 3;
    const double ratio = std::exp2(1.0 / options.octave_layers);
    int lag = 0;
    kernels_ = octave_kernels(options);
    for (const Kernel& kernel : kernels_)
      lag += kernel.radius + kBlurRows - 1;  // rows are computed in whole groups
    const double largest = options.sigma * std::pow(ratio, options.octave_layers + 0.6);
    const double wider = options.affine_shape ? shape_reach() : 1;
    reach_ =
        kMoves + 3 + static_cast<int>(std::ceil(description_reach(domains_) * wider * largest));
    const int rows = static_cast<int>(
        std::bit_ceil(static_cast<unsigned>(kStep + lag + 2 * reach_ + 2 * kBlurRows)));
    const int stride = row_stride(width);
    runtime::grow(memory_,
                  std::size_t(rows) * std::size_t(stride) * std::size_t(count) + kRowAlign);
    for (int i = 0; i < count; ++i) {
      levels_.push_back(
          {memory_.data() + std::ptrdiff_t{i} * rows * stride, width, height, stride, rows - 1});
    }
    made_.resize(std::size_t(count));
  }

  void run(const RowPairSource& source, Plane& next, std::vector<Features>& pieces) {
    next = Plane((width_ + 1) / 2, (height_ + 1) / 2);
    while (made_.back() < height_) {
      make_first_level(source);
      for (std::size_t i = 1; i < levels_.size(); ++i) blur_level(i);
      keep_for_next(next);
      const int made = made_.back();
      search(made == height_ ? height_ - kBorder : made - reach_, pieces);
    }
  }

 private:
  float* row(std::size_t level, int y) {
    return memory_.data() + (levels_[level].row(y) - memory_.data());
  }

  void make_first_level(const RowPairSource& source) {
    const int first = made_[0], end = std::min(height_, first + kStep);
    runtime::parallel_for((end - first + 1) / 2, [&](int i) {
      const int y = first + 2 * i;
      source(y, row(0, y), y + 1 < height_ ? row(0, y + 1) : nullptr);
    });
    made_[0] = end;
  }

  // Computes as many rows as the preceding level allows, in groups of kBlurRows.
  void blur_level(std::size_t level) {
    const Kernel& kernel = kernels_[level - 1];
    const int first = made_[level], before = made_[level - 1];
    int end = before == height_ ? height_ : before - kernel.radius;
    if (end < height_) end -= std::max(0, end - first) % kBlurRows;
    if (end <= first) return;
    runtime::parallel_for((end - first + kBlurRows - 1) / kBlurRows, [&](int group) {
      const int y = first + group * kBlurRows;
      std::vector<const float*> rows;
      for (int i = y - kernel.radius; i < y + kBlurRows + kernel.radius; ++i) {
        rows.push_back(
            levels_[level - 1].row(mirrored(std::min(i, height_ - 1 + kernel.radius), height_)));
      }
      // Rows below the last one are computed also: the ring has memory for them.
      float* out[kBlurRows];
      for (int m = 0; m < kBlurRows; ++m) out[m] = row(level, y + m);
      blur_rows(rows.data(), kernel, out, width_);
    });
    made_[level] = end;
  }

  // Copies every second pixel of the level that has twice the blur of the first level.
  void keep_for_next(Plane& next) {
    const auto level = static_cast<std::size_t>(options_.octave_layers);
    for (; kept_ < made_[level]; kept_ += 2) {
      const float* in = levels_[level].row(kept_);
      float* out = next.row(kept_ / 2);
      for (int x = 0; x < next.width; ++x) out[x] = in[2 * x];
    }
  }

  void search(int end, std::vector<Features>& pieces) {
    const int first = searched_;
    if (end <= first) return;
    const int layers = options_.octave_layers;
    const auto threshold = static_cast<float>(0.5 * options_.contrast_threshold / layers);
    std::vector<std::vector<Candidate>> by_row(std::size_t(end - first));
    runtime::parallel_for(end - first, [&](int i) {
      std::vector<int> columns;
      for (int layer = 1; layer <= layers; ++layer) {
        columns.clear();
        find_extrema(levels_.data(), layer, first + i, kBorder, threshold, columns);
        for (int x : columns) by_row[std::size_t(i)].push_back({x, first + i, layer});
      }
    });
    std::vector<Candidate> all;
    for (const auto& row : by_row) all.insert(all.end(), row.begin(), row.end());
    pieces.push_back(describe_all(all));
    searched_ = end;
  }

  Features describe_all(const std::vector<Candidate>& candidates) const {
    std::vector<Features> results(candidates.size());
    runtime::parallel_for(static_cast<int>(candidates.size()), [&](int i) {
      describe_one(candidates[std::size_t(i)], results[std::size_t(i)]);
    });
    Features all;
    runtime::CancelTicks tick;
    for (const Features& f : results) {
      tick();
      all.keypoints.insert(all.keypoints.end(), f.keypoints.begin(), f.keypoints.end());
      all.descriptors.insert(all.descriptors.end(), f.descriptors.begin(), f.descriptors.end());
      all.shapes.insert(all.shapes.end(), f.shapes.begin(), f.shapes.end());
    }
    return all;
  }

  void describe_one(const Candidate& c, Features& out) const {
    const auto extremum = refine(levels_.data(), c.x, c.y, c.layer, options_);
    if (!extremum) return;
    const Extremum& e = *extremum;
    const int own = static_cast<int>(std::lround(e.layer));
    const Level& level = levels_[std::size_t(own)];
    const auto sigma = static_cast<float>(
        options_.sigma * std::exp2(e.layer / static_cast<float>(options_.octave_layers)));
    KeypointShape shape;
    if (options_.affine_shape) shape = affine_shape(level, e.x, e.y, sigma);
    const OrientationHistogram histogram =
        options_.affine_shape ? orientation_histogram(level, e.x, e.y, sigma, shape)
                              : orientation_histogram(level, e.x, e.y, sigma);
    for (float angle : dominant_directions(histogram)) {
      out.keypoints.push_back({e.x, e.y, sigma, angle, e.response});
      if (options_.affine_shape) out.shapes.push_back(shape);
      out.descriptors.resize(out.descriptors.size() + kDescriptorBytes);
      quantise(describe(levels_, own, domains_, e.x, e.y, sigma, angle, shape), options_.root,
               out.descriptors.data() + out.descriptors.size() - kDescriptorBytes);
    }
  }

  int width_, height_;
  const SiftOptions& options_;
  std::vector<Domain> domains_;
  std::vector<Kernel> kernels_;  // from level i to level i + 1
  std::vector<float> memory_;
  std::vector<Level> levels_;
  std::vector<int> made_;  // rows computed in each level
  int reach_ = 0;          // rows around an extremum that its refinement and description read
  int kept_ = 0, searched_ = kBorder;
};

}  // namespace

void detect_octave(int width, int height, const RowPairSource& source, const SiftOptions& options,
                   Plane& next, std::vector<Features>& pieces) {
  Octave(width, height, options).run(source, next, pieces);
}

}  // namespace bifocal::features
