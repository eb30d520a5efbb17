// SPDX-License-Identifier: BSD-3-Clause
// SURF in double precision, sample by sample: slow, but easy to read.
#pragma once

#include <bifocal/features.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <vector>

#include "features/surf/surf.hpp"

namespace bifocal::test {

struct OraclePoint {
  double x, y, sigma, angle_deg, response;  // px of the image
  std::array<double, 128> numbers;          // unit vector, 64 or 128 in use
  bool bright;
};

class SurfOracle {
 public:
  SurfOracle(const ImageU8& image, const SurfOptions& options)
      : image_(image),
        options_(options),
        sums_(std::size_t(image.width + 1) * std::size_t(image.height + 1)) {
    for (int y = 0; y < image.height; ++y) {
      for (int x = 0; x < image.width; ++x)
        at(x + 1, y + 1) = at(x, y + 1) + at(x + 1, y) - at(x, y) + image.at(x, y);
    }
  }

  std::vector<OraclePoint> detect() const {
    std::vector<OraclePoint> found;
    for (int octave = 0; octave < options_.octaves; ++octave) {
      const int step = step_of(octave);
      for (int layer = 1; layer <= 2; ++layer) {
        for (int y = 0; y < image_.height; y += step) {
          for (int x = 0; x < image_.width; x += step) {
            if (is_inside(octave, layer, x, y) && is_maximum(octave, layer, x, y))
              refine(octave, layer, x, y, found);
          }
        }
      }
    }
    return found;
  }

 private:
  static int step_of(int octave) { return octave < 2 ? 1 : 1 << (octave - 1); }
  static int lobe(int octave, int layer) { return (2 << octave) * (layer + 1) + 1; }

  // Sum of the pixels [left, right) x [top, bottom).
  double sum(int left, int right, int top, int bottom) const {
    return (at(right, bottom) - at(left, bottom) - at(right, top) + at(left, top)) / 255;
  }
  struct Second {
    double xx, yy, xy;
  };
  Second second(int l, int x, int y) const {
    const int reach = (3 * l - 1) / 2, inner = (l - 1) / 2;
    const double area = 9.0 * l * l;
    return {(sum(x - reach, x + reach + 1, y - l + 1, y + l) -
             3 * sum(x - inner, x + inner + 1, y - l + 1, y + l)) /
                area,
            (sum(x - l + 1, x + l, y - reach, y + reach + 1) -
             3 * sum(x - l + 1, x + l, y - inner, y + inner + 1)) /
                area,
            (sum(x - l, x, y - l, y) + sum(x + 1, x + l + 1, y + 1, y + l + 1) -
             sum(x + 1, x + l + 1, y - l, y) - sum(x - l, x, y + 1, y + l + 1)) /
                area};
  }
  double determinant(int octave, int layer, int x, int y) const {
    const Second s = second(lobe(octave, layer), x, y);
    return s.xx * s.yy - 13.0 / 16 * s.xy * s.xy;
  }
  // Returns whether the filters around the neighbours in all three layers lie within the image.
  bool is_inside(int octave, int layer, int x, int y) const {
    const int margin = (3 * lobe(octave, layer + 1) - 1) / 2 + step_of(octave);
    return x >= margin && y >= margin && x < image_.width - margin && y < image_.height - margin;
  }
  bool is_maximum(int octave, int layer, int x, int y) const {
    const double v = determinant(octave, layer, x, y);
    if (!(v > options_.threshold)) return false;
    for (int k = 0; k < 27; ++k) {
      if (k == 13) continue;
      const int step = step_of(octave);
      const double other = determinant(octave, layer + k / 9 - 1, x + (k % 3 - 1) * step,
                                       y + (k / 3 % 3 - 1) * step);
      if (k < 13 ? other >= v : other > v) return false;
    }
    return true;
  }

  static int moved(double offset, int step) {
    const double pixels = offset * step;
    return std::abs(pixels) <= 0.5 + 0.1 * step ? 0 : static_cast<int>(std::lround(pixels));
  }

  void refine(int octave, int layer, int x, int y, std::vector<OraclePoint>& found) const {
    const int step = step_of(octave);
    for (int move = 0; move <= 5; ++move) {
      if (!is_inside(octave, layer, x, y)) return;
      double D[27], o[3], value, curves[3];
      for (int k = 0; k < 27; ++k)
        D[k] = determinant(octave, layer + k / 9 - 1, x + (k % 3 - 1) * step,
                           y + (k / 3 % 3 - 1) * step);
      features::surf_rules_of<double>::sift_quadratic(D, o, &value, curves);
      for (double offset : o) {
        if (!(std::abs(offset) < 1)) return;
      }
      const int dx = moved(o[0], step), dy = moved(o[1], step);
      if (dx == 0 && dy == 0) {
        if (!(value > options_.threshold)) return;
        const Second s = second(lobe(octave, layer), x, y);
        const double where = (2 << octave) * (layer + o[2] + 1) + 1;
        OraclePoint p{x + o[0] * step, y + o[1] * step, 0.4 * where, 0, std::sqrt(value), {},
                      s.xx + s.yy < 0};
        if (!options_.upright) p.angle_deg = direction(p);
        describe(p);
        found.push_back(p);
        return;
      }
      x += dx, y += dy;
    }
  }

  // Differences to the right and down around the pixel nearest to (x, y); 0 outside.
  std::array<double, 2> wavelet(double px, double py, int n) const {
    const int x = static_cast<int>(std::floor(px + 0.5)),
              y = static_cast<int>(std::floor(py + 0.5));
    if (x < n || y < n || x >= image_.width - n || y >= image_.height - n) return {0, 0};
    return {sum(x + 1, x + n + 1, y - n, y + n + 1) - sum(x - n, x, y - n, y + n + 1),
            sum(x - n, x + n + 1, y + 1, y + n + 1) - sum(x - n, x + n + 1, y - n, y)};
  }

  double direction(const OraclePoint& p) const {
    std::array<std::array<double, 2>, 64> bins{};
    const int n = static_cast<int>(2 * p.sigma + 0.5);
    for (int v = -6; v <= 6; ++v) {
      for (int u = -6; u <= 6; ++u) {
        if (u * u + v * v >= 36) continue;
        const auto [dx, dy] = wavelet(p.x + u * p.sigma, p.y + v * p.sigma, n);
        const double turn = std::atan2(dy, dx) / (2 * std::numbers::pi) * 64 + 64;
        const double weight = std::exp(-(u * u + v * v) / 8.0);
        auto& bin = bins[static_cast<std::size_t>(std::lround(turn)) % 64];
        bin[0] += weight * dx, bin[1] += weight * dy;
      }
    }
    double best = -1, angle = 0;
    for (std::size_t b = 0; b < 64; ++b) {
      double x = 0, y = 0;
      for (std::size_t k = 0; k <= 10; ++k)
        x += bins[(b + k + 59) % 64][0], y += bins[(b + k + 59) % 64][1];
      if (x * x + y * y > best)
        best = x * x + y * y, angle = std::atan2(y, x) * 180 / std::numbers::pi;
    }
    return angle < 0 ? angle + 360 : angle;
  }

  // Describes by 4 x 4 overlapping cells of 9 x 9 samples, out of 24 x 24 samples.
  void describe(OraclePoint& p) const {
    const double turn = p.angle_deg * std::numbers::pi / 180, c = std::cos(turn),
                 s = std::sin(turn);
    const int n = static_cast<int>(1.5 * p.sigma + 0.5), each = options_.numbers / 16;
    for (int cell = 0; cell < 16; ++cell) {
      const int cx = cell % 4, cy = cell / 4;
      double* out = p.numbers.data() + cell * each;
      for (int row = 5 * cy; row < 5 * cy + 9; ++row) {
        for (int column = 5 * cx; column < 5 * cx + 9; ++column) {
          const double u = (column - 11.5) * p.sigma, v = (row - 11.5) * p.sigma;
          const auto [dx, dy] = wavelet(p.x + c * u - s * v, p.y + s * u + c * v, n);
          const double from = std::hypot(column - 5 * cx - 4, row - 5 * cy - 4) / 2.5;
          const double centre = std::hypot(cx - 1.5, cy - 1.5) / 1.5;
          const double weight = std::exp(-0.5 * (from * from + centre * centre));
          const double x = weight * (c * dx + s * dy), y = weight * (c * dy - s * dx);
          if (each == 4) {
            out[0] += x, out[1] += y, out[2] += std::abs(x), out[3] += std::abs(y);
          } else {
            out[y < 0 ? 0 : 1] += x, out[y < 0 ? 2 : 3] += std::abs(x);
            out[x < 0 ? 4 : 5] += y, out[x < 0 ? 6 : 7] += std::abs(y);
          }
        }
      }
    }
    double squares = 0;
    for (double v : p.numbers) squares += v * v;
    for (double& v : p.numbers) v /= std::sqrt(squares);
  }

  double& at(int x, int y) { return sums_[std::size_t(y * (image_.width + 1) + x)]; }
  double at(int x, int y) const { return sums_[std::size_t(y * (image_.width + 1) + x)]; }

  const ImageU8& image_;
  SurfOptions options_;
  std::vector<double> sums_;  // of the pixels above and to the left, whole numbers
};

}  // namespace bifocal::test
