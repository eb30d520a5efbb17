// SPDX-License-Identifier: BSD-3-Clause
// Plain reference of census and semi-global matching, loop by loop from the definitions. From the
// library only the sub-pixel curve is used, which is tested separately.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include <bifocal/stereo.hpp>

#include "stereo/rules.hpp"
#include "stereo/reference_filter.hpp"

namespace bifocal::test {

// The winner of a pixel, and the costs around it.
struct SgmPixel {
  int index = -1;  // -1: no candidate
  int best = -1, below = -1, above = -1, elsewhere = -1;
};

template <class T>
class SgmReference {
 public:
  SgmReference(const Image<T>& left, const Image<T>& right, const SgmOptions& o)
      : o_(o),
        w_(left.width),
        h_(left.height),
        D_(o.disparities),
        white_(o.white > 0      ? o.white
               : sizeof(T) == 1 ? 255
                                : 65535),
        left_(codes(left)),
        right_(codes(right)),
        brightness_(w_, h_) {
    for (int y = 0; y < h_; ++y) {
      for (int x = 0; x < w_; ++x) {
        const int levels = std::max(1, (white_ + 128) / 257);
        brightness_.at(x, y) = static_cast<std::uint8_t>(std::min(255, left.at(x, y) / levels));
      }
    }
    costs();
    paths();
    winners();
  }

  // Outputs disparities in steps of 1/32 px from min_disparity, and confidence.
  void check(ImageU16& disparity, ImageU8& confidence) const {
    disparity = ImageU16(w_, h_, 1, kUnknownDisparity);
    confidence = ImageU8(w_, h_);
    if (!is_clear()) return;
    for (int y = 0; y < h_; ++y) {
      for (int x = 0; x < w_; ++x) check_pixel(x, y, disparity, confidence);
    }
  }

  [[nodiscard]] const ImageU8& brightness() const { return brightness_; }

  std::vector<SgmPixel> pixels;  // [height, width]
  std::vector<int> right_index;  // index for right pixels

 private:
  const SgmOptions& o_;
  int w_, h_, D_, white_;
  std::vector<std::uint64_t> left_, right_;
  std::vector<int> cost_, sum_;  // [height, width, D]
  ImageU8 brightness_;

  [[nodiscard]] std::size_t place(int x, int y) const {
    return static_cast<std::size_t>(y) * static_cast<std::size_t>(w_) + static_cast<std::size_t>(x);
  }
  [[nodiscard]] std::size_t place(int x, int y, int i) const {
    return place(x, y) * static_cast<std::size_t>(D_) + static_cast<std::size_t>(i);
  }
  [[nodiscard]] bool inside(int x, int y) const { return x >= 0 && x < w_ && y >= 0 && y < h_; }
  [[nodiscard]] bool candidate(int x, int i) const { return inside(x - o_.min_disparity - i, 0); }

  [[nodiscard]] int smoothed(const Image<T>& image, int x, int y) const {
    constexpr std::array<int, 3> across{1, 4, 1}, down{1, 8, 1};
    x = std::clamp(x, 0, w_ - 1);
    y = std::clamp(y, 0, h_ - 1);
    std::int64_t sum = 0;
    for (int j = -1; j <= 1; ++j) {
      for (int i = -1; i <= 1; ++i)
        sum += std::int64_t{across[static_cast<std::size_t>(i + 1)]} *
               down[static_cast<std::size_t>(j + 1)] *
               image.at(std::clamp(x + i, 0, w_ - 1), std::clamp(y + j, 0, h_ - 1));
    }
    return static_cast<int>(sizeof(T) == 1 ? sum : sum / 64);
  }

  // A neighbour in the 9 x 7 window sets its bit if it is brighter by more than a quarter of
  // a level.
  [[nodiscard]] std::vector<std::uint64_t> codes(const Image<T>& image) const {
    const int margin = sizeof(T) == 1 ? white_ * 60 / 1020 : white_ / 64 * 60 / 1020;
    std::vector<std::uint64_t> out;
    for (int y = 0; y < h_; ++y) {
      for (int x = 0; x < w_; ++x) {
        std::uint64_t code = 0;
        for (int j = -3; j <= 3; ++j) {
          for (int i = -4; i <= 4; ++i) {
            const bool before_centre = j < 0 || (j == 0 && i < 0), is_centre = i == 0 && j == 0;
            const bool facing = o_.census == Census::symmetric;
            if (facing ? !before_centre : is_centre) continue;
            if (o_.census == Census::sparse && std::abs(i + j) % 2 == 1) continue;
            const int other = facing ? smoothed(image, x - i, y - j) : smoothed(image, x, y);
            code = code << 1 | (smoothed(image, x + i, y + j) > other + margin ? 1U : 0U);
          }
        }
        out.push_back(code);
      }
    }
    return out;
  }

  // The cost is the number of different bits. Columns beyond the right image repeat the code at
  // its border. Among the rows within vertical_tolerance the lowest cost counts, plus 3 per row
  // of offset.
  void costs() {
    cost_.resize(place(0, h_, 0));
    for (int y = 0; y < h_; ++y) {
      for (int x = 0; x < w_; ++x) {
        for (int i = 0; i < D_; ++i) {
          const int xr = std::clamp(x - o_.min_disparity - i, 0, w_ - 1);
          int least = 1000;
          for (int k = -o_.vertical_tolerance; k <= o_.vertical_tolerance; ++k) {
            if (!inside(x, y + k)) continue;
            const int bits = std::popcount(left_[place(x, y)] ^ right_[place(xr, y + k)]);
            least = std::min(least, bits + 3 * std::abs(k));
          }
          cost_[place(x, y, i)] = least;
        }
      }
    }
  }

  // Returns whether one in 64 of the samples has a smaller cost at one disparity than at all but
  // the neighbouring disparities. The samples are every eighth pixel of every eighth row whose
  // disparities all lie in the right image and which is 5 px from the border of the left image;
  // fewer than 64 samples decide no pair.
  [[nodiscard]] bool is_clear() const {
    int samples = 0, clear = 0;
    for (int y = 0; y < h_; y += 8) {
      for (int x = std::max(5, o_.min_disparity + D_ - 1);
           x < w_ - 5 && inside(x - o_.min_disparity, 0); x += 8) {
        const auto differ = [&](int i) {
          return std::popcount(left_[place(x, y)] ^ right_[place(x - o_.min_disparity - i, y)]);
        };
        int winner = 0, equal = 0;
        for (int i = 1; i < D_; ++i) winner = differ(i) < differ(winner) ? i : winner;
        for (int i = 0; i < D_; ++i)
          equal += std::abs(i - winner) > 1 && differ(i) == differ(winner) ? 1 : 0;
        ++samples;
        clear += equal == 0 ? 1 : 0;
      }
    }
    return samples < 64 || 64 * clear >= samples;
  }

  [[nodiscard]] int jump(int x, int y, int xb, int yb) const {
    const int g = std::abs(int{brightness_.at(x, y)} - int{brightness_.at(xb, yb)});
    return o_.P2_contrast > 0 ? o_.P2 * o_.P2_contrast / (o_.P2_contrast + g) : o_.P2;
  }

  // Sums the costs along one direction, each pixel from its predecessor.
  void path(int dx, int dy) {
    std::vector<int> L(cost_.size());
    for (int v = 0; v < h_; ++v) {
      for (int u = 0; u < w_; ++u) {
        const int x = dx >= 0 ? u : w_ - 1 - u, y = dy >= 0 ? v : h_ - 1 - v;
        const int xb = x - dx, yb = y - dy;
        if (!inside(xb, yb)) {
          for (int i = 0; i < D_; ++i) L[place(x, y, i)] = cost_[place(x, y, i)];
          continue;
        }
        const int* before = &L[place(xb, yb, 0)];
        const int least = *std::min_element(before, before + D_);
        for (int i = 0; i < D_; ++i) {
          int came = std::min(before[i], least + jump(x, y, xb, yb));
          if (i > 0) came = std::min(came, before[i - 1] + o_.P1);
          if (i < D_ - 1) came = std::min(came, before[i + 1] + o_.P1);
          L[place(x, y, i)] = cost_[place(x, y, i)] + came - least;
        }
      }
    }
    for (std::size_t k = 0; k < L.size(); ++k) sum_[k] += L[k];
  }

  void paths() {
    sum_.assign(cost_.size(), 0);
    for (int dy = -1; dy <= 1; ++dy) {
      for (int dx = -1; dx <= 1; ++dx) {
        const bool straight = dx == 0 || dy == 0;
        if ((dx != 0 || dy != 0) && (straight || o_.paths == 8)) path(dx, dy);
      }
    }
  }

  void winners() {
    pixels.resize(place(0, h_));
    right_index.assign(pixels.size(), -1);
    std::vector<int> right_best(pixels.size(), 1 << 30);
    for (int y = 0; y < h_; ++y) {
      for (int x = 0; x < w_; ++x) {
        SgmPixel& p = pixels[place(x, y)];
        const auto sum = [&](int i) {
          return i >= 0 && i < D_ && candidate(x, i) ? sum_[place(x, y, i)] : -1;
        };
        for (int i = 0; i < D_; ++i) {
          if (sum(i) < 0) continue;
          if (p.index < 0 || sum(i) < p.best) p.index = i, p.best = sum(i);
          const std::size_t seen = place(x - o_.min_disparity - i, y);
          if (sum(i) > right_best[seen]) continue;
          if (sum(i) == right_best[seen] && i > right_index[seen]) continue;
          right_best[seen] = sum(i);
          right_index[seen] = i;
        }
        if (p.index < 0) continue;
        p.below = sum(p.index - 1);
        p.above = sum(p.index + 1);
        for (int i = 0; i < D_; ++i) {
          if (sum(i) < 0 || std::abs(i - p.index) <= 1) continue;
          if (p.elsewhere < 0 || sum(i) < p.elsewhere) p.elsewhere = sum(i);
        }
      }
    }
  }

  void check_pixel(int x, int y, ImageU16& disparity, ImageU8& confidence) const {
    const SgmPixel& p = pixels[place(x, y)];
    const DisparityFilter& f = o_.filter;
    if (p.index < 0) return;
    if (p.elsewhere >= 0 &&
        (p.best == p.elsewhere || p.best * 100 > p.elsewhere * (100 - f.uniqueness)))
      return;
    const int right = right_index[place(x - o_.min_disparity - p.index, y)];
    if (f.cross_check >= 0 && 32 * std::abs(p.index - right) > nearest_subpixels(f.cross_check))
      return;
    int offset = 0;
    if (p.below >= 0 && p.above >= 0)
      offset = stereo::Rules::subpixel_offset(p.below, p.best, p.above, o_.paths * o_.P1);
    disparity.at(x, y) = static_cast<std::uint16_t>(32 * p.index + offset);
    // A pixel without a competing disparity counts as 0xffff.
    const int elsewhere = p.elsewhere >= 0 ? p.elsewhere : 0xffff;
    const int ahead = elsewhere > 0 ? (elsewhere - p.best) * 255 / elsewhere : 0;
    confidence.at(x, y) = static_cast<std::uint8_t>(std::max(1, ahead));
  }
};

// All of stereo_sgm.
template <class T>
DisparityMap sgm_reference(const Image<T>& left, const Image<T>& right, const SgmOptions& o) {
  const SgmReference<T> matched(left, right, o);
  ImageU16 disparity;
  ImageU8 confidence;
  matched.check(disparity, confidence);
  return reference_maps(disparity, confidence, matched.brightness(), o.filter, o.min_disparity);
}

}  // namespace bifocal::test
