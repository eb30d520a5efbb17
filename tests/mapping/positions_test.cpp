// SPDX-License-Identifier: BSD-3-Clause
// Models by positions of their images, on made flights over hills.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <bifocal/colmap/model.hpp>
#include <bifocal/device.hpp>
#include <bifocal/error.hpp>
#include <bifocal/mapping.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "mapping/flights.hpp"
#include "support/data.hpp"
#include "support/long_tests.hpp"

namespace bifocal::test {
namespace {

constexpr GeoPoint kOrigin = kFlightOrigin;

Vec3 centre_of(const Pose& pose) {
  const Vec3 c = times(transposed(pose.R), pose.t);
  return {-c[0], -c[1], -c[2]};
}

struct MadeFlight {
  Flight truth;
  ViewGraph graph;
};

// stated: deviation of the positions, m; 0: none.
MadeFlight made(const FlightSettings& settings, double stated = 2, double focal_factor = 1,
                bool is_flat = false) {
  MadeFlight out{flight(settings), {}};
  if (is_flat) {
    out.truth.hills.waves = {};
    for (FlightImage& image : out.truth.images) {
      const double s = std::sin(image.heading), c = std::cos(image.heading);
      const Mat3 R{c, -s, 0, -s, -c, 0, 0, 0, -1};
      Vec3 centre = centre_of(image.cam_from_world);
      image.gps[2] += settings.above - centre[2];
      centre[2] = settings.above;
      const Vec3 t = times(R, centre);
      image.cam_from_world = {R, {-t[0], -t[1], -t[2]}};
    }
  }
  out.graph = view_graph(out.truth, {.focal_factor = focal_factor});
  out.graph.origin = kOrigin;
  for (std::size_t i = 0; i < out.truth.images.size(); ++i)
    out.graph.positions.push_back({.image = static_cast<int>(i),
                                   .centre = out.truth.images[i].gps,
                                   .deviations = {stated, stated, stated}});
  return out;
}

MapResult map_flight(const ViewGraph& graph, MapPositions positions = MapPositions::automatic) {
  Queue queue(Device("cpu"));
  return map_view_graph(queue, graph, {.positions = positions});
}

// Root mean squares of the errors of the centres.
struct CentreErrors {
  double horizontal = 0, vertical = 0;
  Vec3 mean = {0, 0, 0};
};
CentreErrors centre_errors(const colmap::Model& model, const Flight& truth) {
  CentreErrors errors;
  const auto n = static_cast<double>(model.images.size());
  for (const colmap::ModelImage& image : model.images) {
    const Vec3 a = centre_of(colmap::pose_of(image.cam_from_world)),
               b = centre_of(truth.images[image.id - 1].cam_from_world);
    for (std::size_t k = 0; k < 3; ++k) errors.mean[k] += (a[k] - b[k]) / n;
    errors.horizontal += (std::pow(a[0] - b[0], 2) + std::pow(a[1] - b[1], 2)) / n;
    errors.vertical += std::pow(a[2] - b[2], 2) / n;
  }
  errors.horizontal = std::sqrt(errors.horizontal), errors.vertical = std::sqrt(errors.vertical);
  return errors;
}

bool is_doubted_by(const MapResult& result, DoubtKind kind) {
  return std::ranges::any_of(result.doubts.at(0),
                             [&](const ModelDoubt& d) { return d.kind == kind; });
}
std::string doubt_text(const MapResult& result, DoubtKind kind) {
  for (const ModelDoubt& d : result.doubts.at(0))
    if (d.kind == kind) return d.text;
  return "";
}

TEST(Positions, GiveMetresAndNorthInSpiteOfWrongOnes) {
  for (const double stated : {0.0, 2.0}) {
    const MadeFlight made_flight = made({.images = 60}, stated);
    const MapResult result = map_flight(made_flight.graph);
    ASSERT_EQ(result.models.size(), 1U);
    ASSERT_EQ(result.models[0].images.size(), 60U);
    const std::optional<colmap::Georeference>& place = result.models[0].georeference;
    ASSERT_TRUE(place.has_value());
    EXPECT_TRUE(place->is_adjusted);
    EXPECT_EQ(result.figures[0].positions, 60);
    std::vector<std::string> wrong;
    for (const FlightImage& image : made_flight.truth.images) {
      const Vec3 c = centre_of(image.cam_from_world);
      if (std::hypot(c[0] - image.gps[0], c[1] - image.gps[1]) > 30) wrong.push_back(image.name);
    }
    EXPECT_EQ(place->outliers, wrong);
    const CentreErrors errors = centre_errors(result.models[0], made_flight.truth);
    fmt::print(
        "stated {}: {:.3f} m horizontally, {:.3f} m in height; residuals {:.2f} {:.2f} "
        "{:.2f}; {} wrong\n",
        stated, errors.horizontal, errors.vertical, place->residuals[0], place->residuals[1],
        place->residuals[2], wrong.size());
    EXPECT_LT(errors.horizontal, 1);
    EXPECT_LT(errors.vertical, 1);
    EXPECT_NEAR(place->residuals[0], 2, 0.6);
    EXPECT_FALSE(is_doubted_by(result, DoubtKind::positions));
  }
}

// The mean error of the centres is within two stated deviations of 0 in 95 % of the cases.
TEST(Positions, DeviationsOfTheFrameAgreeWithItsErrors) {
  const int runs = short_or_long(12, 60);
  for (const double stated : {0.0, 2.0}) {
    int within = 0;
    for (int run = 0; run < runs; ++run) {
      const MadeFlight made_flight =
          made({.images = 40, .seed = static_cast<std::uint32_t>(100 + run)}, stated);
      const MapResult result = map_flight(made_flight.graph);
      const colmap::Georeference place = result.models.at(0).georeference.value();
      const CentreErrors errors = centre_errors(result.models[0], made_flight.truth);
      for (std::size_t k = 0; k < 3; ++k)
        within += std::abs(errors.mean[k]) <= 2 * place.position_deviations[k] ? 1 : 0;
    }
    fmt::print("stated {}: {} of {} mean errors within two deviations\n", stated, within, 3 * runs);
    EXPECT_GE(within, 3 * runs * 85 / 100);
  }
}

TEST(Positions, ThatDriftAreDoubtedAndBendNothing) {
  const MadeFlight made_flight = made({.images = 100, .wrong_gps = 0, .drift = 100});
  const MapResult result = map_flight(made_flight.graph);
  const MapResult without = map_flight(made_flight.graph, MapPositions::ignore);
  ASSERT_TRUE(result.models[0].georeference.has_value());
  EXPECT_FALSE(result.models[0].georeference->is_adjusted);
  EXPECT_TRUE(is_doubted_by(result, DoubtKind::positions));
  fmt::print("{}\n", doubt_text(result, DoubtKind::positions));
  EXPECT_FALSE(is_doubted_by(without, DoubtKind::positions));
  EXPECT_FALSE(without.models[0].georeference.has_value());
  // Both models have one shape: the ratio of all distances is the same.
  const auto distance = [](const colmap::Model& model, std::size_t a, std::size_t b) {
    const Vec3 p = centre_of(colmap::pose_of(model.images[a].cam_from_world)),
               q = centre_of(colmap::pose_of(model.images[b].cam_from_world));
    return norm({p[0] - q[0], p[1] - q[1], p[2] - q[2]});
  };
  const colmap::Model &one = result.models[0], &two = without.models[0];
  ASSERT_EQ(one.images.size(), two.images.size());
  const double scale = distance(one, 0, 50) / distance(two, 0, 50);
  for (std::size_t i = 1; i < one.images.size(); ++i)
    EXPECT_NEAR(distance(one, 0, i) / distance(two, 0, i) / scale, 1, 1e-9);
}

TEST(Positions, WithExchangedLatitudeAndLongitudeAreNamed) {
  MadeFlight made_flight = made({.images = 40});
  const TangentPlane plane(kOrigin);
  GeoPoint middle = kOrigin;
  std::swap(middle.latitude_deg, middle.longitude_deg);
  for (MapPosition& p : made_flight.graph.positions) {
    GeoPoint place = plane.geo(*p.centre);
    std::swap(place.latitude_deg, place.longitude_deg);
    p.centre = TangentPlane(middle).enu(place);
  }
  made_flight.graph.origin = middle;
  const MapResult result = map_flight(made_flight.graph);
  ASSERT_TRUE(is_doubted_by(result, DoubtKind::positions));
  fmt::print("{}\n", doubt_text(result, DoubtKind::positions));
  EXPECT_NE(doubt_text(result, DoubtKind::positions)
                .find("positions agree if latitude and longitude are exchanged"),
            std::string::npos);
}

TEST(Positions, OfAFlatFlightWithAltitudesGiveItsHeight) {
  MadeFlight made_flight = made({.images = 30, .gps_noise = 0.5, .wrong_gps = 0}, 0.5, 1.2, true);
  for (const bool has_altitudes : {false, true}) {
    for (MapPosition& p : made_flight.graph.positions)
      if (has_altitudes) p.altitude = 100;
    const MapResult result = map_flight(made_flight.graph);
    ASSERT_EQ(result.models.size(), 1U);
    std::vector<double> points;
    for (const colmap::ModelPoint& point : result.models[0].points) points.push_back(point.xyz[2]);
    std::ranges::sort(points);
    const double ground = points[points.size() / 2];
    const double height =
        centre_of(colmap::pose_of(result.models[0].images[0].cam_from_world))[2] - ground;
    fmt::print("altitudes {}: f {:.0f} px, {:.1f} m above the ground; {}\n", has_altitudes,
               result.models[0].cameras[0].params[0], height,
               doubt_text(result, DoubtKind::focal_length));
    if (has_altitudes) {
      EXPECT_NEAR(height, 100, 3);
    } else {
      EXPECT_TRUE(is_doubted_by(result, DoubtKind::focal_length));
    }
  }
}

TEST(Positions, PutThePartsOfADatabaseIntoOneFrame) {
  MadeFlight made_flight = made({.images = 60, .wrong_gps = 0});
  // The flight from the fourth strip on is apart.
  std::erase_if(made_flight.graph.pairs,
                [](const MapPair& p) { return (p.image1 < 33) != (p.image2 < 33); });
  const MapResult result = map_flight(made_flight.graph);
  ASSERT_EQ(result.models.size(), 2U);
  for (const colmap::Model& model : result.models) {
    ASSERT_TRUE(model.georeference.has_value());
    EXPECT_TRUE(model.georeference->is_adjusted);
    const CentreErrors errors = centre_errors(model, made_flight.truth);
    fmt::print("{} images: {:.2f} m horizontally, {:.2f} m in height\n", model.images.size(),
               errors.horizontal, errors.vertical);
    EXPECT_LT(errors.horizontal, 2);
    EXPECT_LT(errors.vertical, 3);
  }
}

TEST(Positions, AreNotUsedIfTheyDetermineNoPlace) {
  const MadeFlight scene = made({.images = 20, .wrong_gps = 0});
  const MapResult ignored = map_flight(scene.graph, MapPositions::ignore);
  const auto is_as_ignored = [&](const MapResult& result) {
    ASSERT_FALSE(result.models[0].georeference.has_value());
    for (std::size_t i = 0; i < result.models[0].images.size(); ++i)
      ASSERT_EQ(result.models[0].images[i].cam_from_world,
                ignored.models[0].images[i].cam_from_world);
  };
  ViewGraph two = scene.graph;
  two.positions.resize(2);
  is_as_ignored(map_flight(two));
  EXPECT_EQ(map_flight(two).figures[0].positions, 2);
  ViewGraph line = scene.graph;
  for (MapPosition& p : line.positions) p.centre = Vec3{(*p.centre)[0], 5, 7};
  is_as_ignored(map_flight(line));
}

TEST(Positions, GiveTheSameBytesForAnyNumberOfThreads) {
  const MadeFlight scene = made({.images = 30});
  const TemporaryFolder folder;
  std::vector<std::string> bytes;
  for (const int threads : {1, 2, 2}) {
    const ThreadLimit limit(threads);
    const MapResult result = map_flight(scene.graph);
    const std::filesystem::path out = folder / std::to_string(bytes.size());
    write_models(out, result);
    bytes.push_back(read_file(out / "0" / "images.bin") + read_file(out / "0" / "points3D.bin") +
                    read_file(out / "0" / "georeference.json"));
  }
  EXPECT_EQ(bytes[0], bytes[1]);
  EXPECT_EQ(bytes[1], bytes[2]);
}

TEST(Positions, AreReadBackFromTheModelsFolder) {
  const MadeFlight scene = made({.images = 20});
  const MapResult result = map_flight(scene.graph);
  const TemporaryFolder folder;
  write_models(folder.path(), result);
  const colmap::Model model = colmap::read_model(folder / "0");
  ASSERT_TRUE(model.georeference.has_value());
  write_models(folder / "again", {.models = {model}, .figures = {{}}, .doubts = {{}}});
  EXPECT_EQ(read_file(folder / "again" / "0" / "georeference.json"),
            read_file(folder / "0" / "georeference.json"));
  // A model of an unknown place removes the file.
  write_models(folder.path(), map_flight(scene.graph, MapPositions::ignore), true);
  EXPECT_FALSE(std::filesystem::exists(folder / "0" / "georeference.json"));
}

TEST(Positions, FilesThatAreNoGeoreferencesAreRefused) {
  const MadeFlight scene = made({.images = 20});
  const TemporaryFolder folder;
  write_models(folder.path(), map_flight(scene.graph));
  const std::string good = read_file(folder / "0" / "georeference.json");
  const auto message = [&](const std::string& text) -> std::string {
    write_file(folder / "0" / "georeference.json", text);
    try {
      (void)colmap::read_model(folder / "0");
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), ErrorCode::input);
      return e.what();
    }
    return "";
  };
  EXPECT_EQ(message(good), "");
  // Without the members of control points, which older programs did not write.
  EXPECT_EQ(message(good.substr(0, good.find(",\n  \"control_points\"")) + "\n}\n"), "");
  for (const char* text : {"", "[]", "{", "null", "{\"origin\": 3}", "{\"origin\": null}"})
    EXPECT_NE(message(text).find("georeference.json"), std::string::npos) << text;
  for (const char* number : {"1e300", "-1", "2.5", "18446744073709551615"}) {
    std::string bad = good;
    bad.replace(bad.find("\"positions\": 20"), 15, fmt::format("\"positions\": {}", number));
    EXPECT_NE(message(bad).find("positions is no number of images"), std::string::npos) << number;
  }
  for (const std::string& text : {std::string(1 << 20, '['), '"' + std::string(1 << 20, 'a')}) {
    EXPECT_NE(message(text), "");
    EXPECT_LT(message(text).size(), 1000U);
  }
  std::string bad = good;
  bad.replace(bad.find("47."), 3, "97.");
  EXPECT_NE(message(bad).find("origin"), std::string::npos) << message(bad);
}

TEST(Positions, ThatAreImpossibleAreRefused) {
  const MadeFlight scene = made({.images = 20});
  const auto message = [&](const std::function<void(ViewGraph&)>& change) -> std::string {
    ViewGraph graph = scene.graph;
    graph.positions = {{.image = 0, .centre = Vec3{1, 2, 3}}, {.image = 4}};
    change(graph);
    try {
      (void)map_flight(graph);
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), ErrorCode::usage);
      return e.what();
    }
    return "";
  };
  const auto nan = std::nan("");
  EXPECT_EQ(message([](ViewGraph& g) { g.positions[1].image = 20; }),
            "view graph: position 1: there is no image 20");
  EXPECT_EQ(message([](ViewGraph& g) { g.positions[1].image = 0; }),
            "view graph: position 1: image 0 has a position already");
  EXPECT_EQ(message([&](ViewGraph& g) { (*g.positions[0].centre)[1] = nan; }),
            "view graph: position 0 of image 0: nan is not finite");
  EXPECT_EQ(message([](ViewGraph& g) {
              g.positions[0].deviations = {1, -1, 1};
            }),
            "view graph: position 0 of image 0: a deviation of -1");
  EXPECT_EQ(message([&](ViewGraph& g) { g.positions[0].altitude = nan; }),
            "view graph: position 0 of image 0: an altitude of nan");
  EXPECT_EQ(message([](ViewGraph& g) {
              g.positions[0].gravity = Vec3{0, 0, 2};
            }),
            "view graph: position 0 of image 0: a gravity of length 2");
}

}  // namespace
}  // namespace bifocal::test
