// SPDX-License-Identifier: BSD-3-Clause
// Control points in the commands map, adjust and report.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <bifocal/colmap/database.hpp>
#include <bifocal/colmap/model.hpp>
#include <bifocal/geodesy.hpp>
#include <bifocal/io.hpp>

#include <cmath>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "cli/process.hpp"
#include "mapping/flights.hpp"
#include "mapping/scenes.hpp"

namespace bifocal::test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

// A flight with its list of control points and a database with positions.
class Control : public ::testing::Test {
 protected:
  void SetUp() override {
    write_database(folder / "flight.db", view_graph(made));
    const TangentPlane plane(kFlightOrigin);
    colmap::Database database(folder / "flight.db", colmap::Access::write);
    for (std::size_t i = 0; i < made.images.size(); ++i) {
      const GeoPoint at = plane.geo(made.images[i].gps);
      database.write({.image = colmap::Id(i + 1),
                      .coordinates = colmap::PriorCoordinates::wgs84,
                      .position = Vec3{at.latitude_deg, at.longitude_deg, at.altitude_m}});
    }
    write_file(folder / "gcp.txt", control_list(made));
    for (const FlightTarget& target : made.targets)
      if (target.is_check) checks += (checks.empty() ? "" : ",") + target.name;
  }
  // The list with other lines, or without those that become empty.
  void write_changed(const std::string& file,
                     const std::function<std::string(const std::string&)>& change) const {
    std::istringstream lines(control_list(made));
    std::string out;
    for (std::string line; std::getline(lines, line);)
      if (const std::string changed = change(line); !changed.empty()) out += changed + '\n';
    write_file(folder / file, out);
  }
  [[nodiscard]] Ran map(const std::string& options) const {
    return run(folder, "map flight.db --out m --device cpu " + options);
  }
  Flight made = flight({.images = 30});
  TemporaryFolder folder;
  std::string checks;
};

bool ends_with_name(const std::string& line, const std::string& name) {
  return line.ends_with(" " + name);
}

TEST_F(Control, places_a_model_and_is_printed_and_shown) {
  const Ran ran = map("--json --control gcp.txt --check " + checks);
  ASSERT_EQ(ran.code, 0) << ran.err;
  const json model = json::parse(ran.out)["models"][0];
  const json control = model["control"];
  EXPECT_EQ(control["points"].size(), made.targets.size());
  EXPECT_EQ(control["control"]["points"], 3);
  EXPECT_LT(double(control["control"]["total_m"]), 0.1);
  EXPECT_LT(double(control["check"]["total_m"]), 0.2);
  // GPS is wrong by 2 m, so only the control points can have done it.
  EXPECT_GT(double(model["georeference"]["check_points"]), 0);
  EXPECT_EQ(model["georeference"]["control_points"], 3);
  EXPECT_EQ(model["georeference"]["positions"], 0);
  for (const json& mark : control["marks"]) EXPECT_TRUE(mark["agrees"]) << mark;
  const std::string name = control["points"][0]["name"];
  // Coordinates of the model are east, north and up of its origin.
  const json origin = control["origin"];
  const TangentPlane plane(
      GeoPoint{origin["latitude_deg"], origin["longitude_deg"], origin["altitude_m"]});
  const Vec3 place = plane.enu(TangentPlane(kFlightOrigin).geo(made.targets[0].position));
  for (std::size_t k = 0; k < 3; ++k)
    EXPECT_NEAR(double(control["points"][0]["position_m"][k]), place[k], 0.1);
  const colmap::Model written = colmap::read_model(folder / "m/0");
  ASSERT_TRUE(written.georeference.has_value());
  EXPECT_EQ(written.georeference->control_points, 3);
  EXPECT_LT(written.georeference->control_residuals[0], 0.1);

  const Ran printed = map("--overwrite --control gcp.txt --check " + checks);
  EXPECT_NE(printed.out.find("m/0: in metres"), std::string::npos) << printed.out;
  EXPECT_NE(printed.out.find(", by control points\n"), std::string::npos) << printed.out;
  EXPECT_NE(printed.out.find("\n" + name + " "), std::string::npos) << printed.out;
  EXPECT_NE(printed.out.find("3 control points: 0.0"), std::string::npos) << printed.out;

  const Ran page = run(folder, "report flight.db --model m --control gcp.txt --check " + checks +
                                   " --out page.html");
  ASSERT_EQ(page.code, 0) << page.err;
  const std::string html = read_text(folder / "page.html");
  EXPECT_NE(html.find("Control points of m/0"), std::string::npos);
  EXPECT_NE(html.find("class=\"control check\""), std::string::npos);
  EXPECT_NE(html.find("class=\"residual\""), std::string::npos);
  EXPECT_NE(html.find("3 control points, root mean square"), std::string::npos);
}

TEST_F(Control, marks_that_contradict_are_named_and_doubt_the_model) {
  int number = 0;
  write_changed("wrong.txt", [&](const std::string& line) -> std::string {
    if (++number != 2) return line;
    std::istringstream words(line);
    std::string X, Y, Z, x, y, rest;
    words >> X >> Y >> Z >> x >> y;
    std::getline(words, rest);
    const double moved = std::stod(x) + (std::stod(x) < 800 ? 30 : -30);
    return fmt::format("{} {} {} {} {}{}", X, Y, Z, moved, y, rest);
  });
  const Ran ran = map("--json --strict --control wrong.txt --check " + checks);
  EXPECT_EQ(ran.code, 5) << ran.err;
  EXPECT_FALSE(fs::exists(folder / "m"));
  const json model = json::parse(ran.out)["models"][0];
  EXPECT_FALSE(model["control"]["marks"][0]["agrees"]);
  EXPECT_NEAR(double(model["control"]["marks"][0]["error_px"]), 30, 4);
  const json doubt = model["doubts"].back();
  EXPECT_EQ(doubt["kind"], "control");
  EXPECT_TRUE(std::string(doubt["text"]).starts_with("wrong.txt, line 2: the mark of "));
}

TEST_F(Control, on_a_line_leave_the_model_as_it_is) {
  const std::vector<FlightTarget>& t = made.targets;
  const TangentPlane plane(kFlightOrigin);
  Vec3 middle{};
  for (std::size_t k = 0; k < 3; ++k) middle[k] = (t[0].stated[k] + t[1].stated[k]) / 2;
  const GeoPoint at = plane.geo(middle);
  write_changed("line.txt", [&](const std::string& line) -> std::string {
    if (line.starts_with("EPSG")) return line;
    if (ends_with_name(line, t[0].name) || ends_with_name(line, t[1].name)) return line;
    if (!ends_with_name(line, t[2].name)) return "";
    std::istringstream words(line);
    std::string X, Y, Z, rest;
    words >> X >> Y >> Z;
    std::getline(words, rest);
    return fmt::format("{:.9f} {:.9f} {:.4f}{}", at.longitude_deg, at.latitude_deg, at.altitude_m,
                       rest);
  });
  const Ran ran = map("--control line.txt");
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_NE(ran.out.find("m/0: not placed by control points: line.txt: the control points lie on "
                         "a line"),
            std::string::npos)
      << ran.out;
  EXPECT_NE(ran.out.find("(control)\n"), std::string::npos) << ran.out;
  // It keeps the frame of its positions.
  EXPECT_EQ(colmap::read_model(folder / "m/0").georeference.value().control_points, 0);
  EXPECT_EQ(map("--overwrite --strict --control line.txt").code, 5);
}

TEST_F(Control, that_cannot_be_used_are_refused_before_the_work) {
  const auto refused = [&](const std::string& options, int code, const std::string& text) {
    const Ran ran = map(options);
    EXPECT_EQ(ran.code, code) << options << ran.out << ran.err;
    EXPECT_NE(ran.err.find(text), std::string::npos) << options << ": " << ran.err;
    EXPECT_FALSE(fs::exists(folder / "m"));
  };
  refused("--control none.txt", 3, "none.txt");
  write_changed("swiss.txt", [](const std::string& line) {
    return line.starts_with("EPSG") ? std::string("EPSG:2056") : line;
  });
  refused("--control swiss.txt", 3, "EPSG:2056");
  write_changed("other.txt", [](std::string line) {
    if (const std::size_t at = line.find(".jpg"); at != std::string::npos) line.insert(at, "x");
    return line;
  });
  refused("--control other.txt", 3, "other.txt: no mark is in one of the 30 photographs");
  write_changed("two.txt", [&](const std::string& line) -> std::string {
    return line.starts_with("EPSG") || ends_with_name(line, made.targets[0].name) ||
                   ends_with_name(line, made.targets[1].name)
               ? line
               : "";
  });
  refused("--control two.txt", 2,
          "two.txt: 2 control points have marks in at least two photographs");
  refused("--control two.txt", 2, "not the rotation about their line");
  refused("--control gcp.txt --check nobody", 2, "nobody");
  refused("--check " + checks, 2, "--control");
}

TEST_F(Control, adjust_a_model_without_a_place) {
  ASSERT_EQ(map("--positions ignore").code, 0);
  EXPECT_FALSE(colmap::read_model(folder / "m/0").georeference.has_value());
  const std::string command = "adjust m/0 --out a --device cpu --control gcp.txt --check " + checks;
  const Ran ran = run(folder, command + " --covariance --json");
  ASSERT_EQ(ran.code, 0) << ran.err;
  const json result = json::parse(ran.out);
  EXPECT_EQ(result["images"], 30);
  EXPECT_LT(double(result["control"]["check"]["total_m"]), 0.2);
  EXPECT_LT(double(result["final_rms_error"]), 1);
  const colmap::Model model = colmap::read_model(folder / "a");
  EXPECT_EQ(model.georeference.value().control_points, 3);
  // In m^2: the points are known to centimetres.
  const NpzFile covariances(folder / "a/covariances.npz");
  const NpyArray points = covariances.read("points");
  EXPECT_EQ(points.shape[0], std::ssize(model.points));
  EXPECT_EQ(covariances.read("poses").shape[0], 30);
  const Ran printed = run(folder, command + " --overwrite");
  EXPECT_NE(printed.out.find("a: control points of gcp.txt:\n"), std::string::npos) << printed.out;
  EXPECT_NE(printed.out.find(" check points: "), std::string::npos) << printed.out;
  EXPECT_EQ(run(folder, "adjust m/0 --out b --check x").code, 2);
  EXPECT_EQ(run(folder, "adjust m/0 --out b --control none.txt").code, 3);
  EXPECT_FALSE(fs::exists(folder / "b/cameras.bin"));
}

}  // namespace
}  // namespace bifocal::test
