// SPDX-License-Identifier: BSD-3-Clause
// Colours of points.
#include <gtest/gtest.h>
#include <bifocal/io.hpp>

#include "io/exif_block.hpp"
#include "mapping/scene.hpp"
#include "support/data.hpp"

namespace bifocal::test {
namespace {

TEST(Colours, AreTakenFromStoredPixels) {
  ImageU8 image(64, 32, 3);
  for (int y = 0; y < image.height; ++y)
    for (int x = 0; x < image.width; ++x) image.at(x, y, 0) = x < 32 ? 200 : 30;
  const TemporaryFolder folder;
  // Orientation 6: programs show the photograph rotated by 90 degrees.
  write_file(folder / "a.jpg", with_exif(encode_jpeg(image, 95), exif_block({.orientation = 6})));
  colmap::Model model;
  model.images.push_back({.id = 1, .name = "a.jpg", .observations = {{10, 5, 1}, {50, 5, 2}}});
  model.points.push_back({.id = 1, .track = {{1, 0}}});
  model.points.push_back({.id = 2, .track = {{1, 1}}});
  std::vector<LeftOut> without_colours;
  mapping::set_colours(model, folder.path(), without_colours);
  EXPECT_TRUE(without_colours.empty());
  EXPECT_NEAR(model.points[0].rgb[0], 200, 10);
  EXPECT_NEAR(model.points[1].rgb[0], 30, 10);
}

}  // namespace
}  // namespace bifocal::test
