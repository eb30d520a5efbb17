// SPDX-License-Identifier: BSD-3-Clause
#include "synthetic/real_matches.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bifocal/error.hpp>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <set>

namespace bifocal::synthetic {
namespace {

// These files of kusvod2 contain the tentative matches of booksh, box, castle and corr, byte for
// byte, which do not belong to their reference points.
const std::set<std::string> kMixedUp = {"Brussels", "Dresden", "Leuven1", "Leuven2"};

template <size_t N>
std::array<double, N> read_numbers(std::istream& in, const std::string& file) {
  std::array<double, N> values{};
  for (double& v : values) in >> v;
  if (!in) throw Error(ErrorCode::input, fmt::format("{}: fewer numbers than wanted", file));
  return values;
}

Intrinsics read_camera(const std::string& file) {
  std::ifstream in(file);
  const auto K = read_numbers<9>(in, file);
  return {K[0], K[4], K[2], K[5]};
}

// A file has K, three zeros, R from camera to world, and the centre.
PosedImage read_view(const std::string& file) {
  std::ifstream in(file);
  PosedImage view;
  const auto K = read_numbers<12>(in, file);
  view.camera = {K[0], K[4], K[2], K[5]};
  view.R = read_numbers<9>(in, file);
  view.centre = read_numbers<3>(in, file);
  return view;
}

}  // namespace

std::vector<RealMatches> read_real_matches(const std::string& folder) {
  namespace fs = std::filesystem;
  std::vector<RealMatches> sets;
  if (!fs::exists(folder)) return sets;
  const bool is_kusvod2 = fs::path(folder).filename() == "kusvod2";
  for (const auto& entry : fs::directory_iterator(folder)) {
    const std::string file = entry.path().filename().string();
    if (!file.ends_with("_pts.txt")) continue;
    RealMatches set{file.substr(0, file.size() - 8), {}, {}};
    if (is_kusvod2 && kMixedUp.contains(set.name)) continue;
    std::ifstream in(entry.path());
    double x1, y1, one1, x2, y2, one2, label;
    while (in >> x1 >> y1 >> one1 >> x2 >> y2 >> one2 >> label) {
      (label > 0 ? set.reference : set.matches).push_back({x1, y1, x2, y2});
    }
    sets.push_back(std::move(set));
  }
  std::sort(sets.begin(), sets.end(),
            [](const RealMatches& a, const RealMatches& b) { return a.name < b.name; });
  return sets;
}

// X2 = R2' (R1 X1 + c1 - c2)
Pose relative_pose(const PosedImage& a, const PosedImage& b) {
  Pose pose;
  for (size_t i = 0; i < 3; ++i) {
    pose.t[i] = 0;
    for (size_t j = 0; j < 3; ++j) {
      pose.R[3 * i + j] = 0;
      for (size_t k = 0; k < 3; ++k) pose.R[3 * i + j] += b.R[3 * k + i] * a.R[3 * k + j];
      pose.t[i] += b.R[3 * j + i] * (a.centre[j] - b.centre[j]);
    }
  }
  const double length = std::hypot(pose.t[0], pose.t[1], pose.t[2]);
  for (double& v : pose.t) v /= length;
  return pose;
}

std::vector<PosedImage> read_posed_images(const std::string& folder, const std::string& cameras,
                                          double scale) {
  std::vector<PosedImage> pictures;
  if (!std::filesystem::exists(folder)) return pictures;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    PosedImage p =
        read_view(fmt::format("{}/{}.camera", cameras, entry.path().filename().string()));
    Intrinsics& k = p.camera;
    // The centre of the first pixel is (0, 0) in both.
    k = {k.fx / scale, k.fy / scale, (k.cx + 0.5) / scale - 0.5, (k.cy + 0.5) / scale - 0.5};
    p.file = entry.path().string();
    pictures.push_back(std::move(p));
  }
  std::ranges::sort(pictures, {}, &PosedImage::file);
  return pictures;
}

PosedMatches read_fountain(const std::string& folder) {
  PosedMatches posed;
  if (!std::filesystem::exists(folder)) return posed;
  posed.camera1 = read_camera(folder + "/fountain_0001.K");
  posed.camera2 = read_camera(folder + "/fountain_0005.K");
  posed.truth =
      relative_pose(read_view(folder + "/0001.jpg.camera"), read_view(folder + "/0005.jpg.camera"));
  const std::string file = folder + "/fountain_0001_0005_pts.txt";
  std::ifstream in(file);
  const auto count = static_cast<size_t>(read_numbers<1>(in, file)[0]);
  for (size_t i = 0; i < count; ++i) {
    const auto p = read_numbers<4>(in, file);
    posed.matches.push_back({p[0], p[1], p[2], p[3]});
  }
  return posed;
}

}  // namespace bifocal::synthetic
