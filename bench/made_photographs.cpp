// SPDX-License-Identifier: BSD-3-Clause
// made_photographs OUT COUNT PHOTOGRAPH...: makes a collection of COUNT JPEG files of 1600 x 1200
// for the timing of `collect`. The photographs (files or folders) are used cyclically. Each copy is
// warped by a homography that moves its corners by up to 8 % of a side, with a gain of 0.8 to 1.15
// and noise of 2 grey values. File k is the same in every run.
#include <bifocal/error.hpp>
#include <bifocal/draw.hpp>
#include <bifocal/io.hpp>
#include <bifocal/rectify.hpp>
#include <bifocal/solvers.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <random>

#include "runtime/parallel.hpp"

namespace {

using namespace bifocal;

constexpr int kWidth = 1600, kHeight = 1200, kQuality = 90;
constexpr double kMostMove = 0.08, kNoise = 2;

// Homography from four corners.
Mat3 moved_corners(const ImageU8& from, std::mt19937& random) {
  std::uniform_real_distribution<double> move(-kMostMove, kMostMove);
  std::array<PointPair, 4> corners;
  for (int k = 0; k < 4; ++k) {
    const double right = k % 2, down = k / 2;
    const double x = (right + move(random)) * kWidth, y = (down + move(random)) * kHeight;
    corners[static_cast<std::size_t>(k)] = {right * from.width, down * from.height, x, y};
  }
  return *homography_svd(corners);
}

void make(const ImageU8& from, unsigned number, const std::filesystem::path& file) {
  std::mt19937 random(number);
  ImageU8 made = warp(from, moved_corners(from, random), kWidth, kHeight);
  const double gain = std::uniform_real_distribution<double>(0.8, 1.15)(random);
  std::normal_distribution<float> noise(0, kNoise);
  for (std::uint8_t& v : made.pixels)
    v = static_cast<std::uint8_t>(std::clamp(gain * v + noise(random), 0.0, 255.0));
  write_file(file, encode_jpeg(made, kQuality));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) {
    fmt::print(stderr, "made_photographs OUT COUNT PHOTOGRAPH...\n");
    return 2;
  }
  try {
    const std::filesystem::path out = argv[1];
    const int count = std::stoi(argv[2]);
    const std::vector<std::string> in(argv + 3, argv + argc);
    std::vector<ImageU8> photographs;
    for (const PhotographFile& f : list_photographs(in).files)
      photographs.push_back(to_rgb(read_image(f.file)));
    std::filesystem::create_directories(out);
    bifocal::runtime::parallel_for(count, [&](int k) {
      make(photographs[static_cast<std::size_t>(k) % photographs.size()], unsigned(k),
           out / fmt::format("{:05}.jpg", k));
    });
    fmt::print("{}: {} photographs of {}\n", out.string(), count, photographs.size());
  } catch (const std::exception& e) {
    fmt::print(stderr, "made_photographs: {}\n", e.what());
    return 3;
  }
  return 0;
}
