// SPDX-License-Identifier: BSD-3-Clause
// minimal LEFT RIGHT: the homography or fundamental matrix of two photographs.
#include <bifocal/io.hpp>
#include <bifocal/two_photographs.hpp>
#include <cstdio>

int main(int argc, char** argv) try {
  using namespace bifocal;
  if (argc != 3) return 2;
  const ImageU8 left = read_image(argv[1]), right = read_image(argv[2]);
  const PairResult pair = estimate_pair(left, right);
  std::printf("%d of %zu matches agree.\n", pair.estimate.num_inliers, pair.matches.size());
  std::puts(pair.reason.c_str());
  for (const double value : pair.estimate.model) std::printf("%g ", value);
} catch (const bifocal::Error& error) {
  std::puts(error.what());
  return 3;
}
