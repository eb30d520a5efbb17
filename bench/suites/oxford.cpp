// SPDX-License-Identifier: BSD-3-Clause
#include "oxford.hpp"

#include <bifocal/error.hpp>
#include <bifocal/io.hpp>

#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <fstream>

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

int count_correct(const std::vector<PointPair>& points, const Mat3& H, double threshold) {
  int correct = 0;
  for (const PointPair& p : points) {
    const double z = H[6] * p.x1 + H[7] * p.y1 + H[8];
    const double x = (H[0] * p.x1 + H[1] * p.y1 + H[2]) / z,
                 y = (H[3] * p.x1 + H[4] * p.y1 + H[5]) / z;
    correct += std::hypot(x - p.x2, y - p.y2) < threshold;
  }
  return correct;
}

}  // namespace bifocal::bench
