// SPDX-License-Identifier: BSD-3-Clause
// Runs the program, and makes pictures for it.
#pragma once

#include <fmt/format.h>
#include <sys/wait.h>
#include <bifocal/io.hpp>
#include <bifocal/stereo.hpp>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "support/data.hpp"

namespace bifocal::test {

inline std::string text_of(const std::filesystem::path& file) {
  return std::filesystem::file_size(file) == 0 ? std::string() : read_file(file);
}

struct Ran {
  int code;
  std::string out, err;
};

// `arguments` as for a shell, run inside `folder`.
inline Ran run(const TemporaryFolder& folder, const std::string& arguments) {
  const std::string command = fmt::format("cd '{}' && '{}' {} >.out 2>.err </dev/null",
                                          folder.path().string(), BIFOCAL_CLI, arguments);
  const int status = std::system(command.c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, text_of(folder / ".out"),
          text_of(folder / ".err")};
}

// What lies in the folder, without the two files of run().
inline std::vector<std::string> listing(const std::filesystem::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    const std::string name = std::filesystem::relative(entry.path(), folder).string();
    if (name != ".out" && name != ".err") names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

// Smooth random blobs of several sizes, grey.
inline ImageU8 texture(int width, int height, unsigned seed) {
  std::mt19937 random(seed);
  ImageF sum(width, height);
  for (int blob = 0; blob < width * height / 60; ++blob) {
    const double x = random() % 65536 / 65536.0 * width, y = random() % 65536 / 65536.0 * height;
    const double sigma = 1.5 + random() % 256 / 64.0, weight = random() % 2 ? 60 : -60;
    const int reach = static_cast<int>(3 * sigma);
    for (int j = std::max(0, int(y) - reach); j < std::min(height, int(y) + reach); ++j) {
      for (int i = std::max(0, int(x) - reach); i < std::min(width, int(x) + reach); ++i) {
        const double r2 = (i - x) * (i - x) + (j - y) * (j - y);
        sum.at(i, j) += static_cast<float>(weight * std::exp(-r2 / (2 * sigma * sigma)));
      }
    }
  }
  ImageU8 image(width, height);
  for (std::size_t i = 0; i < image.pixels.size(); ++i) {
    image.pixels[i] = static_cast<std::uint8_t>(std::clamp(sum.pixels[i] + 128.0F, 0.0F, 255.0F));
  }
  return image;
}

// left.png and right.png, 400 x 300: a rectified pair of four planes side by side, disparities 10,
// 16, 22 and 28 px (near on the right). planar.png: left.png warped by a homography.
inline void write_pictures(const TemporaryFolder& folder) {
  const ImageU8 scene = texture(400, 300, 1);
  ImageU8 right = texture(400, 300, 2);
  for (int x = 0; x < 400; ++x) {
    const int to = x - (10 + 6 * (x / 100));
    for (int y = 0; to >= 0 && y < 300; ++y) right.at(to, y) = scene.at(x, y);
  }
  write_png(folder / "left.png", scene);
  write_png(folder / "right.png", right);
  write_png(folder / "planar.png",
            warp(scene, {0.95, 0.1, 5, -0.08, 0.98, 12, 1e-4, 5e-5, 1}, 400, 300));
}

}  // namespace bifocal::test
