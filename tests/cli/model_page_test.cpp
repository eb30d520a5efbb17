// SPDX-License-Identifier: BSD-3-Clause
// Sparse models on the page of a collection: their views, and images in no model.
#include <gtest/gtest.h>
#include <bifocal/colmap/model.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "cli/report_page.hpp"

namespace bifocal::test {
namespace {

// Camera centre and rotation; rows of R are the image's right, down and viewing direction.
struct View {
  Vec3 centre;
  Mat3 R;
};

colmap::Model model_of(const std::vector<View>& views, Id first = 1) {
  colmap::Model model;
  model.cameras.push_back({1, 1, 1280, 960, {kFocal, kFocal, kCx, kCy}, true});
  for (const auto& [c, R] : views) {
    Pose pose{.R = R};
    for (std::size_t i = 0; i < 3; ++i)
      pose.t[i] = -(R[3 * i] * c[0] + R[3 * i + 1] * c[1] + R[3 * i + 2] * c[2]);
    const Id id = first + static_cast<Id>(model.images.size());
    model.images.push_back(
        {id, fmt::format("<b>{:04}</b>.png", id), 1, colmap::model_pose(pose), {}});
  }
  for (colmap::PointId k = 1; k <= 40; ++k)  // the ground: y is up in the world of the tests
    model.points.push_back({k, {4 * std::sin(double(k)), -10, 4 * std::cos(1.3 * double(k))}});
  return model;
}

// Extent of the cameras in a drawing, px.
struct Drawn {
  std::size_t cameras = 0;
  double left = 1e9, right = -1e9, top = 1e9, bottom = -1e9;
  [[nodiscard]] double width() const { return right - left; }
  [[nodiscard]] double height() const { return bottom - top; }
};

std::vector<Drawn> drawings_of(const std::string& page) {
  std::vector<Drawn> drawings;
  for (std::size_t at = 0; (at = page.find("<svg viewBox", at)) != std::string::npos;) {
    const std::size_t end = page.find("</svg>", at);
    Drawn& drawing = drawings.emplace_back();
    const std::string camera = "class=\"camera\" d=\"M";
    while ((at = page.find(camera, at)) < end) {
      at += camera.size();
      double x = 0, y = 0;
      EXPECT_EQ(std::sscanf(page.c_str() + at, "%lf %lf", &x, &y), 2);
      drawing.left = std::min(drawing.left, x), drawing.right = std::max(drawing.right, x);
      drawing.top = std::min(drawing.top, y), drawing.bottom = std::max(drawing.bottom, y);
      ++drawing.cameras;
    }
    at = end;
  }
  return drawings;
}

// Expects cameras at one height: an area from above and a line from the side.
void expect_level_cameras(const std::vector<View>& views) {
  const TemporaryFolder folder;
  make_database(folder / "a.db", 6, kPairs);
  colmap::write_model(folder / "sparse/0", model_of(views), colmap::ModelFormat::text);
  const Ran r = run(folder, "report a.db --model sparse --out a.html");
  ASSERT_EQ(r.code, 0) << r.err;
  const std::string page = read_file(folder / "a.html");
  EXPECT_LT(page.find("From above"), page.find("From the side"));
  const std::vector<Drawn> drawings = drawings_of(page);
  ASSERT_EQ(drawings.size(), 2U);
  const auto& above = drawings[0];
  const auto& side = drawings[1];
  EXPECT_EQ(above.cameras, views.size());
  EXPECT_GT(std::min(above.width(), above.height()), 15);
  EXPECT_GT(side.width(), 15);
  EXPECT_LT(side.height(), 0.1 * side.width());
}

// Right, down and viewing direction of an image with the viewing direction (sin a, 0, cos a).
Mat3 level(double a) {
  return {-std::cos(a), 0, std::sin(a), 0, -1, 0, std::sin(a), 0, std::cos(a)};
}

TEST(ModelPage, ShowsARingOfCamerasFromAboveAndFromTheSide) {
  std::vector<View> ring;
  for (int i = 0; i < 12; ++i) {
    const double a = i * std::numbers::pi / 6;
    ring.push_back({{-5 * std::sin(a), 0, -5 * std::cos(a)}, level(a)});
  }
  expect_level_cameras(ring);
}

// All look in one direction, as those of a flight do, but are at one height.
TEST(ModelPage, ShowsPhotographsOfAFacadeFromAboveAndFromTheSide) {
  std::vector<View> walk;
  for (int i = 0; i < 3; ++i)
    for (const double distance : {0.0, 1.0}) walk.push_back({{double(i), 0, distance}, level(0)});
  expect_level_cameras(walk);
}

// The images' upward direction is a direction over ground, or differs from strip to strip.
TEST(ModelPage, ShowsAFlightFromAboveAndFromTheSide) {
  for (const bool turns : {false, true}) {
    SCOPED_TRACE(turns);
    std::vector<View> flight;
    for (int strip = 0; strip < 3; ++strip)
      for (int i = 0; i < 4; ++i) {
        const double s = turns && strip % 2 == 1 ? -1 : 1;
        flight.push_back({{double(strip), 0.02 * i, double(i)}, {s, 0, 0, 0, 0, s, 0, -1, 0}});
      }
    expect_level_cameras(flight);
  }
}

TEST(ModelPage, DrawsAllModelsAndNamesImagesInNone) {
  const TemporaryFolder folder;
  make_database(folder / "a.db", 6, kPairs);
  const View at{{0, 0, 0}, level(0)}, beside{{1, 0, 0}, level(0)};
  colmap::write_model(folder / "sparse/0", model_of({at, beside}), colmap::ModelFormat::text);
  colmap::write_model(folder / "sparse/1", model_of({at, beside}, 4), colmap::ModelFormat::text);
  ASSERT_EQ(run(folder, "report a.db --model sparse --out a.html").code, 0);
  const std::string page = read_file(folder / "a.html");
  EXPECT_EQ(drawings_of(page).size(), 4U);
  for (const char* text :
       {"40 of 40 points of sparse/0.", "40 of 40 points of sparse/1.",
        "<caption>Images in no model: 2</caption>\n"
        "<tr><td>&lt;b&gt;0003&lt;/b&gt;.png</td><td>2 pairs verified, no pose found</td></tr>\n"
        "<tr><td>&lt;b&gt;0006&lt;/b&gt;.png</td><td>1 pair with matches, none verified</td></tr>"})
    EXPECT_NE(page.find(text), std::string::npos) << text;
}

TEST(ModelPage, NamesModelsBeyondTheDrawnOnes) {
  const TemporaryFolder folder;
  make_database(folder / "a.db", 6, kPairs);
  for (int m = 0; m < 9; ++m)
    colmap::write_model(folder / fmt::format("sparse/{}", m),
                        model_of({{{0, 0, 0}, level(0)}}, static_cast<Id>(m % 6 + 1)),
                        colmap::ModelFormat::text);
  ASSERT_EQ(run(folder, "report a.db --model sparse --out a.html").code, 0);
  const std::string page = read_file(folder / "a.html");
  EXPECT_EQ(drawings_of(page).size(), 16U);
  EXPECT_NE(page.find("<caption>Models that are not drawn: 1</caption>\n<tr><td>sparse/8</td>"
                      "<td>&lt;b&gt;0003&lt;/b&gt;.png</td></tr>"),
            std::string::npos);
  EXPECT_EQ(page.find("Images in no model"), std::string::npos);
}

}  // namespace
}  // namespace bifocal::test
