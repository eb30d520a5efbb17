// SPDX-License-Identifier: BSD-3-Clause
// Models with control points.
#include <bifocal/control.hpp>
#include <bifocal/error.hpp>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "control/points.hpp"
#include "mapping/place/similarity.hpp"

namespace bifocal::test {
namespace {

// Any other world.
constexpr mapping::Similarity kMoved{
    0.03, {0.36, 0.48, -0.8, -0.8, 0.6, 0, 0.48, 0.64, 0.6}, {1, -2, 0.5}};

// A flight with its model, in the true or another world, and its control points.
struct Scene {
  Flight made;
  colmap::Model model;
  ControlPoints control;
};
Scene scene_of(const FlightSettings& settings, bool is_moved = true) {
  Scene out{flight(settings), {}, {}};
  out.model = true_model(out.made);
  if (is_moved) mapping::transform(out.model, kMoved);
  out.control = control_of(out.made);
  return out;
}
ControlReport checked(const Scene& scene) {
  return check_control_points(scene.model, scene.control, {}, kFlightOrigin);
}
std::string message_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& e) {
    return e.what();
  }
  return {};
}
bool has_doubt(const ControlReport& report, const std::string& words) {
  return std::ranges::any_of(report.doubts, [&](const std::string& doubt) {
    return doubt.find(words) != std::string::npos;
  });
}

TEST(Control, ATrueModelFitsItsControlPointsAfterTheInverseSimilarity) {
  const Scene scene = scene_of({.images = 60, .control_noise = 0, .mark_noise = 0});
  const ControlReport report = checked(scene);
  EXPECT_TRUE(report.doubts.empty()) << report.doubts.front();
  EXPECT_NEAR(report.scale, 1 / kMoved.scale, 1e-4 / kMoved.scale);
  EXPECT_EQ(report.control.points, 3);
  EXPECT_EQ(report.check.points, 10);
  // The list has 0.01 px and 1e-9 degrees.
  EXPECT_LT(report.control.total, 2e-3);
  EXPECT_LT(report.check.total, 2e-3);
  for (const ControlPointReport& point : report.points) EXPECT_LT(point.rms_px, 0.02);
}

TEST(Control, ResidualsHaveTheNoiseOfMarksAndSurvey) {
  const Scene scene = scene_of({.images = 60});
  const ControlReport report = checked(scene);
  EXPECT_TRUE(report.doubts.empty()) << report.doubts.front();
  double sum = 0;
  int marks = 0;
  for (const ControlPointReport& point : report.points)
    sum += point.marks * point.rms_px * point.rms_px, marks += point.marks;
  // Two coordinates of 0.5 px a mark, less three coordinates a point.
  EXPECT_NEAR(sum / marks, 0.5 * (1 - 3 * 13 / (2.0 * marks)), 0.1);
  EXPECT_LT(report.check.total, 0.1);
}

TEST(Control, AWrongMarkIsNamedWithItsError) {
  Scene scene = scene_of({.images = 60});
  ControlMark& mark = scene.control.marks[3];
  mark.x += mark.x < 800 ? 20 : -20;
  const ControlReport report = checked(scene);
  EXPECT_FALSE(report.marks[3].agrees);
  EXPECT_NEAR(report.marks[3].error_px, 20, 2);
  EXPECT_EQ(std::ranges::count_if(report.marks, [](const auto& m) { return !m.agrees; }), 1);
  ASSERT_EQ(report.doubts.size(), 1u);
  EXPECT_NE(report.doubts[0].find("gcp_list.txt, line 5: the mark of control1 in " + mark.image),
            std::string::npos)
      << report.doubts[0];
  EXPECT_LT(report.check.total, 0.1);
}

TEST(Control, AWrongPositionIsNamedIfOthersContradictIt) {
  Scene scene = scene_of({.images = 60});
  for (ControlPoint& point : scene.control.points) point.is_check = false;
  scene.control.points[5].place.altitude_m += 1.5;
  const ControlReport report = checked(scene);
  EXPECT_EQ(report.points[5].use, ControlUse::contradictory);
  EXPECT_NEAR(report.points[5].residual[2], -1.5, 0.2);
  EXPECT_EQ(report.control.points, 12);
  EXPECT_TRUE(has_doubt(report, "check3 is 1."));
}

TEST(Control, FourPointsThatContradictEachOtherAreDoubtedTogether) {
  Scene scene = scene_of({.images = 60});
  scene.control.points[4].is_check = false;
  EXPECT_TRUE(checked(scene).doubts.empty());
  scene.control.points[4].place.altitude_m += 5;
  const ControlReport report = checked(scene);
  EXPECT_EQ(report.control.points, 4);
  EXPECT_TRUE(has_doubt(report, "the control points are ")) << report.control.total;
  EXPECT_TRUE(has_doubt(report, "the check points are "));
}

TEST(Control, TwoPointsAndPointsOnALineAreRefused) {
  Scene scene = scene_of({.images = 60});
  scene.control.points[0].is_check = true;
  const std::string two = message_of([&] { (void)checked(scene); });
  EXPECT_NE(two.find("2 control points are determined by marks: control2, control3, at least 3 are "
                     "needed; two determine scale and position"),
            std::string::npos)
      << two;
  scene.control.points[0].is_check = false;
  const TangentPlane plane(kFlightOrigin);
  const Vec3 a = plane.enu(scene.control.points[0].place),
             b = plane.enu(scene.control.points[1].place);
  scene.control.points[2].place = plane.geo(mapping::scaled(mapping::sum(a, b), 0.5));
  const std::string line = message_of([&] { (void)checked(scene); });
  EXPECT_NE(line.find("lie on a line"), std::string::npos) << line;
}

TEST(Control, MarksThatDetermineNoPointAreSaid) {
  Scene scene = scene_of({.images = 60});
  const auto keep = [&](int point, std::size_t count) {
    std::size_t kept = 0;
    std::erase_if(scene.control.marks,
                  [&](const ControlMark& mark) { return mark.point == point && kept++ >= count; });
  };
  keep(4, 1);
  keep(5, 2);
  for (ControlMark& mark : scene.control.marks)
    if (mark.point == 5) {
      mark.x += mark.x < 800 ? 300 : -300, mark.y += mark.y < 600 ? 200 : -200;
      break;
    }
  const ControlReport report = checked(scene);
  EXPECT_EQ(report.points[4].use, ControlUse::too_few_marks);
  EXPECT_EQ(report.points[5].use, ControlUse::contradictory_marks);
  EXPECT_TRUE(std::isnan(report.points[4].residual[0]));
  EXPECT_TRUE(has_doubt(report, "check2 has fewer than two marks"));
  EXPECT_TRUE(has_doubt(report, "most marks of check3 contradict each other"));
  EXPECT_EQ(report.check.points, 8);
}

TEST(Control, MarksInOtherImagesAreSaidAndImagesAreFoundByTheirLastPart) {
  Scene scene = scene_of({.images = 60});
  scene.control.marks[0].image = "missing.jpg";
  for (colmap::ModelImage& image : scene.model.images) image.name = "flight/" + image.name;
  const ControlReport report = checked(scene);
  EXPECT_FALSE(report.marks[0].is_in_model);
  EXPECT_TRUE(has_doubt(report, "marks in 1 images that are not in the model: missing.jpg"));
  EXPECT_EQ(report.control.points, 3);
  for (ControlMark& mark : scene.control.marks) mark.image = "other.jpg";
  const std::string none = message_of([&] { (void)checked(scene); });
  EXPECT_NE(none.find("no mark is in an image of the model; other.jpg is not in it"),
            std::string::npos)
      << none;
}

TEST(Control, AMarkOutsideAndExchangedCoordinatesAreRefused) {
  Scene scene = scene_of({.images = 60});
  scene.control.marks[2].y = 1200;
  const std::string outside = message_of([&] { (void)checked(scene); });
  EXPECT_NE(outside.find("gcp_list.txt, line 4: the mark"), std::string::npos) << outside;
  EXPECT_NE(outside.find("1600 x 1200 px"), std::string::npos) << outside;
  scene = scene_of({.images = 60});
  for (ControlPoint& point : scene.control.points)
    std::swap(point.place.latitude_deg, point.place.longitude_deg);
  const std::string exchanged = message_of([&] { (void)checked(scene); });
  EXPECT_NE(exchanged.find("it agrees if latitude and longitude are exchanged"), std::string::npos)
      << exchanged;
}

TEST(Control, TablesHaveALineForEachPoint) {
  const Scene scene = scene_of({.images = 60});
  const std::string table = control_table(scene.control, checked(scene));
  EXPECT_EQ(std::ranges::count(table, '\n'), 1 + 13 + 2) << table;
  EXPECT_NE(table.find("check10"), std::string::npos);
  EXPECT_NE(table.find("10 check points: 0.0"), std::string::npos) << table;
}

}  // namespace
}  // namespace bifocal::test
