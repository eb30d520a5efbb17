// SPDX-License-Identifier: BSD-3-Clause
// stereo LEFT RIGHT DISPARITIES OUT.png: draws the disparities of a rectified pair in colours.
#include <bifocal/error.hpp>
#include <bifocal/io.hpp>
#include <bifocal/stereo.hpp>

#include <cstdio>
#include <cstdlib>

int main(int argc, char** argv) {
  if (argc != 5) return std::fprintf(stderr, "stereo LEFT RIGHT DISPARITIES OUT.png\n"), 2;
  try {
    const bifocal::ImageU8 left = bifocal::to_grey(bifocal::read_image(argv[1]));
    const bifocal::ImageU8 right = bifocal::to_grey(bifocal::read_image(argv[2]));
    const int disparities = std::atoi(argv[3]);
    const bifocal::DisparityMap map =
        bifocal::stereo_sgm(left, right, {.disparities = disparities});
    bifocal::write_png(argv[4],
                       bifocal::turbo_picture(map.raw, 0.0F, static_cast<float>(disparities)));
    std::printf("%.1f %% of the pixels were matched both ways\n", map.density);
  } catch (const bifocal::Error& error) {
    return std::fprintf(stderr, "%s\n", error.what()), static_cast<int>(error.code());
  }
}
