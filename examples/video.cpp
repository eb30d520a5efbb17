// SPDX-License-Identifier: BSD-3-Clause
// video DEVICE FRAMES...: matches each frame with the two preceding frames and estimates their
// fundamental matrices. The image files replace a camera or a decoder: frames of one size, in
// order.
#include <bifocal/error.hpp>
#include <bifocal/io.hpp>
#include <bifocal/video.hpp>

#include <chrono>
#include <cstdio>
#include <vector>

namespace {

void print(const bifocal::VideoFrame& frame) {
  std::printf("frame %d: %zu features", frame.number, frame.keypoints.size());
  for (const bifocal::FramePair& pair : frame.pairs)
    std::printf(", %d of %zu matches agree with frame %d", pair.estimate.num_inliers,
                pair.matches.size(), pair.other);
  std::printf("\n");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) return std::fprintf(stderr, "video DEVICE FRAMES...\n"), 2;
  try {
    std::vector<bifocal::ImageU8> pictures;
    for (int i = 2; i < argc; ++i) pictures.push_back(bifocal::read_image(argv[i]));
    bifocal::Queue queue{bifocal::Device(argv[1])};
    bifocal::VideoMatcher matcher(queue, pictures[0].width, pictures[0].height, {.partners = 2});
    const auto start = std::chrono::steady_clock::now();
    for (const bifocal::ImageU8& picture : pictures)
      if (const auto before = matcher.add(picture)) print(*before);
    if (const auto last = matcher.finish()) print(*last);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    std::printf("%.1f frames a second\n", static_cast<double>(pictures.size()) / took.count());
  } catch (const bifocal::Error& error) {
    return std::fprintf(stderr, "%s\n", error.what()), static_cast<int>(error.code());
  }
}
