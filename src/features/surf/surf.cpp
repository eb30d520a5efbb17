// SPDX-License-Identifier: BSD-3-Clause
// SURF on CPUs: maxima and their refinement, the twin of surf_search.kernel.h and
// surf_points.kernel.h. The twin remains, because the source for GPUs found the same features, but
// took a CPU 4.4 to 5.4 times the processor time as it is, and 2.7 to 3.2 times with loops over
// rows that a compiler vectorises (three runs each on three images, one thread of a loaded EPYC
// with AVX2, November 2026).
#include "features/surf/surf.hpp"

#include <bifocal/error.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <tuple>

#include "features/grey/grey_device.hpp"
#include "features/order.hpp"
#include "features/sift/sift.hpp"
#include "runtime/cancel.hpp"
#include "runtime/parallel.hpp"

namespace bifocal {
namespace features {
namespace {

// Hessian by box filters around one pixel.
struct Hessian {
  std::int64_t determinant;
  bool bright;  // the trace is negative
};
Hessian hessian_at(const Integral& integral, int lobe, int x, int y) {
  const auto box = [&](int left, int right, int top, int bottom) {
    const std::uint32_t *upper = integral.row(y + top) + x, *lower = integral.row(y + bottom) + x;
    return static_cast<std::int32_t>(lower[right] - lower[left] - upper[right] + upper[left]);
  };
  const int l = lobe, reach = (3 * l - 1) / 2, inner = (l - 1) / 2;
  const std::int64_t xx =
      box(-reach, reach + 1, -l + 1, l) - 3 * std::int64_t{box(-inner, inner + 1, -l + 1, l)};
  const std::int64_t yy =
      box(-l + 1, l, -reach, reach + 1) - 3 * std::int64_t{box(-l + 1, l, -inner, inner + 1)};
  const std::int64_t xy = std::int64_t{box(-l, 0, -l, 0)} + box(1, l + 1, 1, l + 1) -
                          box(1, l + 1, -l, 0) - box(-l, 0, 1, l + 1);
  return {SurfRules::SURF_DETERMINANT * xx * yy - SurfRules::SURF_MIXED * xy * xy, xx + yy < 0};
}

constexpr float kFarthest = 1;  // limit of a maximum's offset, in samples of the octave or layers

// Returns the pixels from one centre of a refinement to the next. offset: in samples.
int moved(float offset, float step) {
  const float size = std::abs(offset) * step;
  const int by = size <= SurfRules::surf_max_offset(step) ? 0 : static_cast<int>(size + 0.5F);
  return offset < 0 ? -by : by;
}

// Returns the maximum of a quadratic around a pixel, through determinants one step of the octave
// apart. The refinement restarts from the nearest pixel until it stays there. The layer is fixed,
// because a point would often alternate between two layers.
std::optional<SurfPoint> refined(const Integral& integral, const SurfOctave& octave, int x, int y,
                                 int layer, const float* first, float threshold) {
  const int step = octave.step();
  const auto pixels = static_cast<float>(step);
  for (int move = 0; move <= SurfRules::SURF_MOVES; ++move) {
    const int margin = octave.filters[std::size_t(layer) + 1].reach() + step;
    if (x < margin || x >= integral.width - margin || y < margin || y >= integral.height - margin)
      return std::nullopt;
    float D[27], o[3], value, curves[3];
    if (move == 0) std::copy_n(first, 27, D);
    for (int k = 0; k < 27 && move > 0; ++k) {
      const SurfFilter& filter = octave.filters[std::size_t(layer + k / 9 - 1)];
      const Hessian h =
          hessian_at(integral, filter.lobe, x + (k % 3 - 1) * step, y + (k / 3 % 3 - 1) * step);
      D[k] = static_cast<float>(h.determinant) * filter.scale;
    }
    SurfRules::sift_quadratic(D, o, &value, curves);
    for (float offset : o) {
      if (!(std::abs(offset) < kFarthest)) return std::nullopt;
    }
    const int dx = moved(o[0], pixels), dy = moved(o[1], pixels);
    if (dx == 0 && dy == 0) {
      if (!(value > threshold)) return std::nullopt;
      const auto where = static_cast<float>(layer) + o[2];
      const int lobe = octave.filters[std::size_t(layer)].lobe;
      return SurfPoint{static_cast<float>(x) + o[0] * pixels,
                       static_cast<float>(y) + o[1] * pixels,
                       SurfRules::surf_sigma(SurfRules::surf_lobe(octave.number, where)),
                       0,
                       std::sqrt(value),
                       hessian_at(integral, lobe, x, y).bright};
    }
    x += dx, y += dy;
  }
  return std::nullopt;
}

// Finds the maxima in rows [first, end) of an octave's samples.
class Strip {
 public:
  Strip(const Integral& integral, const Integral& sampled, const SurfOctave& octave,
        const SurfOptions& options)
      : integral_(integral),
        sampled_(sampled),
        octave_(octave),
        options_(options),
        pitch_((integral.width / octave.step() + 2 * kRowAlign) / kRowAlign * kRowAlign),
        rows_(std::size_t(pitch_) * 3 * SurfRules::SURF_LAYERS) {}

  std::vector<SurfPoint> run(int first, int end) {
    for (int y = first - 1; y <= end; ++y) {
      check_cancelled();
      for (int layer = 0; layer < SurfRules::SURF_LAYERS; ++layer) fill(layer, y);
      if (y > first) search(y - 1);
    }
    return std::move(found_);
  }

 private:
  float* row(int layer, int y) {
    return rows_.data() + (layer * 3 + y % 3) * std::ptrdiff_t{pitch_};
  }

  // Computes the determinants of a row that the search for maxima can read; other elements
  // are undefined.
  void fill(int layer, int y) {
    const std::size_t i = layer == SurfRules::SURF_LAYERS - 1 ? 1 : 0;
    const bool has_rows =
        octave_.first_y[i] < octave_.end_y[i] && octave_.first_x[i] < octave_.end_x[i];
    if (!has_rows || y < octave_.first_y[i] - 1 || y > octave_.end_y[i]) return;
    determinant_row(sampled_, octave_.filters[std::size_t(layer)], y * octave_.step(),
                    octave_.first_x[i] - 1, octave_.end_x[i] + 1, row(layer, y));
  }

  void search(int y) {
    const auto threshold = static_cast<float>(options_.threshold);
    for (int layer = 1; layer <= 2; ++layer) {
      const auto i = static_cast<std::size_t>(layer - 1);
      if (y < octave_.first_y[i] || y >= octave_.end_y[i]) continue;
      const float* rows[3][3];
      for (int s = 0; s < 3; ++s) {
        for (int r = 0; r < 3; ++r) rows[s][r] = row(layer + s - 1, y + r - 1);
      }
      columns_.clear();
      find_maxima(rows, octave_.first_x[i], octave_.end_x[i], threshold, columns_);
      for (int x : columns_) {
        float D[27];
        for (int k = 0; k < 27; ++k) D[k] = rows[k / 9][k / 3 % 3][x + k % 3 - 1];
        const auto point = refined(integral_, octave_, x * octave_.step(), y * octave_.step(),
                                   layer, D, threshold);
        if (point) found_.push_back(*point);
      }
    }
  }

  const Integral &integral_, &sampled_;
  const SurfOctave& octave_;
  const SurfOptions& options_;
  int pitch_;
  std::vector<float> rows_;  // [layer][y mod 3]
  std::vector<int> columns_;
  std::vector<SurfPoint> found_;
};

// sampled: the sums of `integral`, rearranged for the octave.
std::vector<SurfPoint> detect_octave(const Integral& integral, const Integral& sampled,
                                     const SurfOctave& octave, const SurfOptions& options) {
  const int first = octave.first_y[0], rows = octave.end_y[0] - first;
  const int threads = runtime::thread_count();
  const int strips = threads > 1 ? std::min(4 * threads, (rows + 7) / 8) : 1;
  std::vector<std::vector<SurfPoint>> found(static_cast<std::size_t>(strips));
  runtime::parallel_for(strips, [&](int i) {
    const auto begin = [&](int k) {
      return first + static_cast<int>(std::int64_t{rows} * k / strips);
    };
    Strip strip(integral, sampled, octave, options);
    found[std::size_t(i)] = strip.run(begin(i), begin(i + 1));
  });
  std::vector<SurfPoint> all;
  for (const auto& points : found) all.insert(all.end(), points.begin(), points.end());
  return all;
}

// Calls `work` for each point with the wavelets of the reach that the point needs. If many points
// share a reach, its wavelets are first computed for all pixels, which is five times as fast as
// looking up sums.
template <class Reach, class Work>
void for_each_with_wavelets(const Integral& integral, const std::vector<SurfPoint>& points,
                            Reach reach_of, const Work& work) {
  constexpr std::int64_t kPixelsAPoint = 1500;
  constexpr int kMost = WaveletRows::kMostReach, kBand = WaveletRows::kBand;
  const int bands = (integral.height + kBand - 1) / kBand;
  const auto at = [&](int i) -> const SurfPoint& { return points[std::size_t(i)]; };
  const auto band_of = [&](int i) {
    return std::clamp(static_cast<int>(at(i).y) / kBand, 0, bands - 1);
  };
  // Neighbouring points follow each other, because they read the same pixels.
  std::vector<int> order(points.size());
  std::iota(order.begin(), order.end(), 0);
  runtime::CancelTicks tick;
  std::ranges::sort(order, [&](int i, int j) {
    tick();
    return std::tuple(band_of(i), at(i).x, i) < std::tuple(band_of(j), at(j).x, j);
  });
  std::vector<int> counts(kMost + 1);
  for (int i : order) {
    tick();
    const int reach = reach_of(at(i).sigma);
    if (reach <= kMost) ++counts[std::size_t(reach)];
  }
  const std::int64_t pixels = std::int64_t{integral.width} * integral.height;
  std::vector<std::vector<std::vector<int>>> places(kMost + 1);  // [reach][band]
  for (auto& by_band : places) by_band.resize(std::size_t(bands));
  std::vector<int> others;
  for (int i : order) {
    tick();
    const int reach = reach_of(at(i).sigma);
    const bool is_rare = reach > kMost || counts[std::size_t(reach)] * kPixelsAPoint < pixels;
    (is_rare ? others : places[std::size_t(reach)][std::size_t(band_of(i))]).push_back(i);
  }
  const auto on_all = [&](const std::vector<int>& some, const WaveletRows* rows) {
    runtime::parallel_for(static_cast<int>(some.size()),
                          [&](int i) { work(some[std::size_t(i)], rows); });
  };
  on_all(others, nullptr);
  WaveletRows rows;
  for (int reach = 1; reach <= kMost; ++reach) {
    for (int band = 0, filled = 0; band < bands; ++band) {
      const std::vector<int>& some = places[std::size_t(reach)][std::size_t(band)];
      if (some.empty()) continue;
      const int first = std::max({0, filled, band * kBand - WaveletRows::kFarthest});
      filled = std::min(integral.height, (band + 1) * kBand + WaveletRows::kFarthest);
      rows.fill(integral, reach, first, filled);
      on_all(some, &rows);
    }
  }
}

// Returns the points of all octaves in px of `integral`, with directions.
std::vector<SurfPoint> detect_all(const Integral& integral, const SurfOptions& options) {
  std::vector<SurfPoint> all;
  Integral sampled[2];
  for (const SurfOctave& octave : surf_octaves(integral.width, integral.height, options)) {
    const int o = octave.number;
    if (o > 1) rearrange(o == 2 ? integral : sampled[(o - 1) % 2], sampled[o % 2]);
    const std::vector<SurfPoint> points =
        detect_octave(integral, o > 1 ? sampled[o % 2] : integral, octave, options);
    all.insert(all.end(), points.begin(), points.end());
  }
  if (options.upright) return all;
  for_each_with_wavelets(integral, all, SurfRules::surf_wide_reach,
                         [&](int i, const WaveletRows* rows) {
                           SurfPoint& point = all[std::size_t(i)];
                           point.angle_deg = surf_direction(integral, rows, point);
                         });
  return all;
}

}  // namespace
}  // namespace features

Features detect_surf(const AnyImageView& image, const SurfOptions& options,
                     ImageView<const std::uint8_t> mask) {
  check_options(options);
  features::check_image(image, "detect_surf");
  features::check_mask("detect_surf", mask, image.width(), image.height());
  if (image.empty()) return {};
  const features::Grey made(image);
  const ImageView<const std::uint8_t> grey = made.view();
  const features::Integral integral = features::integral_of(grey, options.upsample);
  const std::vector<features::SurfPoint> points = features::detect_all(integral, options);
  const float scale = options.upsample ? 0.5F : 1.0F, shift = options.upsample ? -0.25F : 0.0F;
  std::vector<Keypoint> keypoints;
  runtime::CancelTicks tick;
  for (const auto& p : points) {
    tick();
    keypoints.push_back(
        {p.x * scale + shift, p.y * scale + shift, p.sigma * scale, p.angle_deg, p.response});
  }
  Features result;
  std::vector<features::SurfPoint> kept;
  const features::Selection selection{grey.width, grey.height, options.max_features,
                                      options.balance, mask};
  for (int i : features::select(keypoints, selection)) {
    tick();
    result.keypoints.push_back(keypoints[std::size_t(i)]);
    kept.push_back(points[std::size_t(i)]);
  }
  runtime::grow(result.descriptors, kept.size() * kDescriptorBytes);
  features::for_each_with_wavelets(
      integral, kept, features::SurfRules::surf_reach,
      [&](int i, const features::WaveletRows* rows) {
        features::describe_surf(integral, rows, kept[std::size_t(i)], options.numbers,
                                result.descriptors.data() + std::ptrdiff_t{i} * kDescriptorBytes);
      });
  return result;
}

}  // namespace bifocal
