// SPDX-License-Identifier: BSD-3-Clause
// minimal LEFT RIGHT: the homography or fundamental matrix of two photographs.
#include <bifocal/io.hpp>
#include <bifocal/pair.hpp>
#include <cstdio>

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const bifocal::ImageU8 left = bifocal::read_image(argv[1]), right = bifocal::read_image(argv[2]);
  const bifocal::PairResult pair = bifocal::estimate_pair(left, right);
  std::printf("%d of %zu matches agree. %s\n", pair.model.inlier_count, pair.matches.size(),
              pair.reason.c_str());
  for (const double value : pair.model.model) std::printf("%g ", value);
}
