// SPDX-License-Identifier: BSD-3-Clause
#include "oxford.hpp"

#include <bifocal/error.hpp>
#include <bifocal/io.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>

namespace bifocal::bench {

std::vector<OxfordPair> oxford_pairs(const std::string& data_folder) {
  std::vector<OxfordPair> pairs;
  for (const char* set : {"graf", "boat", "bark", "wall", "leuven", "bikes", "ubc", "trees"}) {
    const std::string folder = fmt::format("{}/oxford_affine/{}", data_folder, set);
    const char* type = std::filesystem::exists(folder + "/img1.png") ? "png" : "pgm";
    for (int second = 2; second <= 6; ++second) {
      OxfordPair pair{fmt::format("{}1-{}", set, second), fmt::format("{}/img1.{}", folder, type),
                      fmt::format("{}/img{}.{}", folder, second, type),
                      fmt::format("{}/H1to{}p", folder, second)};
      if (std::filesystem::exists(pair.image2) && std::filesystem::exists(pair.homography_file))
        pairs.push_back(pair);
    }
  }
  return pairs;
}

ImageU8 read_grey(const std::string& file) { return to_grey(read_image(file)); }

Mat3 read_homography(const std::string& file) {
  std::ifstream in(file);
  Mat3 H;
  for (double& h : H) in >> h;
  if (!in) throw Error(ErrorCode::input, fmt::format("{}: not nine numbers", file));
  return H;
}

std::array<double, 2> mapped(const Mat3& H, double x, double y) {
  const double z = H[6] * x + H[7] * y + H[8];
  return {(H[0] * x + H[1] * y + H[2]) / z, (H[3] * x + H[4] * y + H[5]) / z};
}

int count_correct(const std::vector<PointPair>& points, const Mat3& H, double threshold) {
  int correct = 0;
  for (const PointPair& p : points) {
    const auto [x, y] = mapped(H, p.x1, p.y1);
    correct += std::hypot(x - p.x2, y - p.y2) < threshold;
  }
  return correct;
}

double repeatability(const std::vector<std::array<float, 2>>& points1,
                     const std::vector<std::array<float, 2>>& points2, const Mat3& H, int width,
                     int height, double threshold) {
  // Points of the second image in cells of the threshold's size.
  std::map<std::pair<int, int>, std::vector<std::array<float, 2>>> cells;
  const auto cell = [&](double v) { return static_cast<int>(std::floor(v / threshold)); };
  for (const auto& p : points2) cells[{cell(p[0]), cell(p[1])}].push_back(p);
  int inside = 0, repeated = 0;
  for (const auto& p : points1) {
    const auto [x, y] = mapped(H, p[0], p[1]);
    if (x < 0 || y < 0 || x > width - 1 || y > height - 1) continue;
    ++inside;
    bool found = false;
    for (int i = 0; i < 9 && !found; ++i) {
      const auto near = cells.find({cell(x) + i % 3 - 1, cell(y) + i / 3 - 1});
      found = near != cells.end() && std::ranges::any_of(near->second, [&](const auto& q) {
                return std::hypot(x - q[0], y - q[1]) < threshold;
              });
    }
    repeated += found;
  }
  return inside ? double(repeated) / inside : 0;
}

}  // namespace bifocal::bench
