// SPDX-License-Identifier: BSD-3-Clause
// Positions of images that are wrong, or too inaccurate for the model.
#include <gtest/gtest.h>
#include <bifocal/colmap/database.hpp>
#include <bifocal/device.hpp>
#include <bifocal/mapping.hpp>

#include <string>
#include <vector>

#include "collection/colmap/state.hpp"
#include "mapping/flights.hpp"
#include "support/data.hpp"

namespace bifocal::test {
namespace {

using colmap::PosePrior, colmap::PriorCoordinates;

ViewGraph graph_of(const Flight& flight, double stated = 0) {
  ViewGraph graph = view_graph(flight);
  graph.origin = kFlightOrigin;
  for (std::size_t i = 0; i < flight.images.size(); ++i)
    graph.positions.push_back({.image = static_cast<int>(i),
                               .centre = flight.images[i].gps,
                               .deviations = {stated, stated, stated}});
  return graph;
}

MapResult mapped(const ViewGraph& graph) {
  Queue queue(Device("cpu"));
  return map_view_graph(queue, graph, {});
}

bool are_doubted(const MapResult& result) {
  for (const ModelDoubt& doubt : result.doubts.at(0))
    if (doubt.kind == DoubtKind::positions) return true;
  return false;
}

TEST(BadPositions, FarFromTheOthersAreOutliers) {
  const Flight made = flight({.images = 20, .wrong_gps = 0});
  for (const Vec3& away : {Vec3{2000, 0, 0}, Vec3{1e5, -1e5, 0}, Vec3{0, 0, 1e9}}) {
    ViewGraph graph = graph_of(made);
    for (std::size_t k = 0; k < 3; ++k) (*graph.positions[3].centre)[k] += away[k];
    const MapResult result = mapped(graph);
    ASSERT_TRUE(result.models.at(0).georeference.has_value()) << away[0];
    EXPECT_TRUE(result.models[0].georeference->is_adjusted);
    EXPECT_EQ(result.models[0].georeference->outliers,
              std::vector<std::string>{made.images[3].name});
    EXPECT_FALSE(are_doubted(result));
  }
}

// A phone stays in one place for its receiver while it moves around a small object.
TEST(BadPositions, WithoutScaleGiveNoFrame) {
  const Flight made = flight({.images = 20, .gps_noise = 1, .wrong_gps = 0});
  ViewGraph graph = graph_of(made);
  for (MapPosition& p : graph.positions) {
    const Vec3 noise = made.images[static_cast<std::size_t>(p.image)].gps;
    const Pose& pose = made.images[static_cast<std::size_t>(p.image)].cam_from_world;
    const Vec3 at = times(transposed(pose.R), pose.t);
    for (std::size_t k = 0; k < 3; ++k) (*p.centre)[k] = 3 * (noise[k] + at[k]);
  }
  const MapResult result = mapped(graph);
  EXPECT_FALSE(result.models.at(0).georeference.has_value());
  EXPECT_FALSE(are_doubted(result));
  EXPECT_EQ(result.figures.at(0).positions, 20);
}

TEST(BadPositions, OutsideTheEarthAreSkippedRows) {
  const TemporaryFolder folder;
  colmap::Database database(folder / "a.db", colmap::Access::create);
  database.write(colmap::ModelCamera{1, 1, 640, 480, {500, 500, 320, 240}, true});
  const auto write = [&](colmap::Id image, PriorCoordinates coordinates, const Vec3& position) {
    database.write(PosePrior{image, coordinates, position, {}, {}});
  };
  for (colmap::Id id = 1; id <= 6; ++id)
    database.write(colmap::Image{id, std::to_string(id) + ".jpg", 1});
  for (colmap::Id id = 1; id <= 4; ++id) write(id, PriorCoordinates::wgs84, {47, 8, 400});
  write(5, PriorCoordinates::wgs84, {47, 8, -7e6});
  write(6, PriorCoordinates::wgs84, {47, 8, 1e300});
  const ViewGraph graph = read_view_graph(database);
  ASSERT_EQ(graph.damaged_rows.size(), 2U);
  EXPECT_NE(graph.damaged_rows[0].reason.find("altitude -7000000 m"), std::string::npos)
      << graph.damaged_rows[0].reason;
  ASSERT_TRUE(graph.origin.has_value());
  // Most rows decide the coordinate system.
  for (colmap::Id id = 1; id <= 4; ++id) write(id, PriorCoordinates::cartesian, {1, 2, 1.0 * id});
  const ViewGraph other = read_view_graph(database);
  EXPECT_FALSE(other.origin.has_value());
  EXPECT_EQ(other.damaged_rows.size(), 2U);
  // Exchanged ones are named even though no such place exists.
  for (colmap::Id id = 1; id <= 6; ++id) write(id, PriorCoordinates::wgs84, {-120, 35, 10});
  const ViewGraph exchanged = read_view_graph(database);
  ASSERT_EQ(exchanged.damaged_rows.size(), 6U);
  EXPECT_NE(exchanged.damaged_rows[0].reason.find("exchanged"), std::string::npos);
}

// COLMAP's extractor writes an axis of the image also for photographs that look straight down.
TEST(BadPositions, GravityOfTheExifOrientationIsNotUsed) {
  const TemporaryFolder folder;
  colmap::Database database(folder / "a.db", colmap::Access::create);
  database.write(colmap::ModelCamera{1, 1, 640, 480, {500, 500, 320, 240}, true});
  const std::vector<Vec3> gravities = {{0, 1, 0}, {-1, 0, 0}, {0, 0, 1}, {0, 0.6, 0.8}};
  for (colmap::Id id = 1; id <= 4; ++id) {
    database.write(colmap::Image{id, std::to_string(id) + ".jpg", 1});
    database.write(PosePrior{id, PriorCoordinates::wgs84, Vec3{47, 8, 400}, {}, gravities[id - 1]});
  }
  const ViewGraph graph = read_view_graph(database);
  ASSERT_EQ(graph.positions.size(), 4U);
  EXPECT_FALSE(graph.positions[0].gravity.has_value());
  EXPECT_FALSE(graph.positions[1].gravity.has_value());
  EXPECT_EQ(graph.positions[2].gravity, gravities[2]);
  EXPECT_EQ(graph.positions[3].gravity, gravities[3]);
}

TEST(BadPositions, InATableWithOtherColumnsAreReported) {
  const TemporaryFolder folder;
  {
    const colmap::Database created(folder / "a.db", colmap::Access::create);
    const sqlite::Connection& connection = colmap::DatabaseInside::connection(created);
    connection.execute("CREATE TABLE bifocal_pose_priors(image_id INTEGER, height REAL)");
  }
  const ViewGraph graph = read_view_graph(colmap::Database(folder / "a.db", colmap::Access::read));
  ASSERT_EQ(graph.damaged_rows.size(), 1U);
  EXPECT_EQ(graph.damaged_rows[0].reason, "has no column relative_altitude");
}

}  // namespace
}  // namespace bifocal::test
