// SPDX-License-Identifier: BSD-3-Clause
// Runs the program and writes input images for it.
#pragma once

#include <fmt/format.h>
#include <sys/wait.h>
#include <bifocal/io.hpp>
#include <bifocal/stereo.hpp>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string>
#include <vector>

#include "support/data.hpp"
#include "support/paths.hpp"
#include "support/texture.hpp"

namespace bifocal::test {

inline std::string text_of(const std::filesystem::path& file) {
  return std::filesystem::file_size(file) == 0 ? std::string() : read_file(file);
}

struct Ran {
  int code;
  std::string out, err;
};

// Runs the program inside `folder`; `arguments` are in shell syntax.
inline Ran run(const TemporaryFolder& folder, const std::string& arguments) {
  const std::string command = fmt::format("cd '{}' && '{}' {} >.out 2>.err </dev/null",
                                          folder.path().string(), test::kProgram, arguments);
  const int status = std::system(command.c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, text_of(folder / ".out"),
          text_of(folder / ".err")};
}

// Lists the files of the folder, without the two files of run().
inline std::vector<std::string> listing(const std::filesystem::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    const std::string name = std::filesystem::relative(entry.path(), folder).string();
    if (name != ".out" && name != ".err") names.push_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

// Writes left.png and right.png, 400 x 300: a rectified pair of four planes next to each other,
// with disparities of 10, 16, 22 and 28 px (nearest on the right). planar.png is left.png warped by
// a homography.
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
