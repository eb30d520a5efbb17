// SPDX-License-Identifier: BSD-3-Clause
// Synthetic bundle adjustment problems of the suite `adjust`, and BAL files.
#include <gtest/gtest.h>
#include <bifocal/adjust.hpp>
#include <bifocal/error.hpp>

#include <fstream>
#include <map>
#include <set>

#include "adjustment/bal.hpp"
#include "adjustment/problem.hpp"
#include "support/data.hpp"

namespace bifocal::test {
namespace {

using bench::AdjustShape;

AdjustShape shape_of(const std::string& name, int divisor) {
  for (const AdjustShape& shape : bench::large_shapes())
    if (shape.name == name) return bench::scaled(shape, divisor);
  throw std::logic_error(name);
}

// Cameras that see each point.
std::map<int, std::set<int>> tracks_of(const AdjustProblem& problem) {
  std::map<int, std::set<int>> tracks;
  for (const AdjustObservation& o : problem.observations) tracks[o.point].insert(o.image);
  return tracks;
}

TEST(AdjustProblems, have_the_stated_sizes) {
  std::vector<AdjustShape> shapes = bench::small_shapes();
  EXPECT_EQ(shapes.size(), 50u);
  EXPECT_EQ(shapes.front().cameras, 5);
  EXPECT_EQ(shapes.back().cameras, 500);
  for (const AdjustShape& shape : bench::large_shapes()) shapes.push_back(scaled(shape, 32));
  for (const AdjustShape& shape : shapes) {
    const bench::MadeProblem made = bench::make_adjust_problem(shape, {.wrong = 0.02});
    EXPECT_EQ(made.start.images.size(), static_cast<std::size_t>(shape.cameras)) << shape.name;
    EXPECT_EQ(made.start.points.size(), static_cast<std::size_t>(shape.points)) << shape.name;
    EXPECT_EQ(made.start.observations.size(), static_cast<std::size_t>(shape.observations))
        << shape.name;
    EXPECT_NEAR(static_cast<double>(made.wrong), 0.02 * static_cast<double>(shape.observations),
                10 + 0.005 * static_cast<double>(shape.observations))
        << shape.name;
    const auto tracks = tracks_of(made.start);
    std::size_t sightings = 0, shortest = 1000;
    for (const auto& [point, cameras] : tracks)
      sightings += cameras.size(), shortest = std::min(shortest, cameras.size());
    EXPECT_EQ(tracks.size(), made.start.points.size()) << shape.name;
    EXPECT_EQ(sightings, made.start.observations.size()) << shape.name << ": seen twice";
    EXPECT_GE(shortest, 2u) << shape.name;
  }
}

TEST(AdjustProblems, have_tracks_with_a_heavy_tail) {
  const AdjustShape shape = shape_of("venice1778", 8);
  std::size_t two = 0, many = 0;
  for (const auto& [point, cameras] : tracks_of(bench::make_adjust_problem(shape).start))
    two += cameras.size() == 2, many += cameras.size() >= 25;
  EXPECT_GT(two, static_cast<std::size_t>(shape.points / 4));
  EXPECT_GT(many, static_cast<std::size_t>(shape.points / 200));
}

TEST(AdjustProblems, are_adjusted_to_the_noise) {
  for (const char* name : {"trafalgar257", "ladybug1723"}) {
    const AdjustShape shape = shape_of(name, 32);
    bench::MadeProblem made = bench::make_adjust_problem(shape);
    const AdjustResult result = adjust(made.start);
    EXPECT_TRUE(result.is_converged()) << name;
    EXPECT_EQ(result.parts, 1) << name;
    EXPECT_EQ(result.counts[0], shape.observations) << name;
    EXPECT_GT(result.initial_cost, 50 * result.final_cost) << name;
    // Four standard deviations of the chi-squared distribution.
    const double floor = made.noise_floor({}), redundancy = 8 * floor;
    EXPECT_NEAR(result.final_cost / floor, 1, 4 * std::sqrt(2 / redundancy)) << name;
  }
}

TEST(BalFiles, keep_the_problem) {
  const TemporaryFolder folder;
  AdjustProblem problem = bench::make_adjust_problem(shape_of("trafalgar257", 32)).start;
  bench::write_bal(folder / "p.txt", problem);
  AdjustProblem again = bench::read_bal(folder / "p.txt");
  ASSERT_EQ(again.observations.size(), problem.observations.size());
  for (std::size_t i = 0; i < problem.observations.size(); ++i) {
    EXPECT_EQ(again.observations[i].image, problem.observations[i].image);
    EXPECT_EQ(again.observations[i].point, problem.observations[i].point);
    EXPECT_EQ(again.observations[i].x, problem.observations[i].x);
    EXPECT_EQ(again.observations[i].y, problem.observations[i].y);
  }
  EXPECT_EQ(again.points, problem.points);
  for (std::size_t i = 0; i < problem.images.size(); ++i) {
    const Pose &before = problem.images[i].cam_from_world, &after = again.images[i].cam_from_world;
    for (std::size_t k = 0; k < 9; ++k) EXPECT_NEAR(after.R[k], before.R[k], 1e-14);
    EXPECT_EQ(after.t, before.t);
    EXPECT_EQ(again.cameras[i].params, problem.cameras[i].params);
  }
}

// The camera looks along -z: a point at (1, 2, -4) is seen to the right of and above the centre.
TEST(BalFiles, have_cameras_that_look_along_minus_z) {
  const TemporaryFolder folder;
  std::ofstream(folder / "p.txt") << "2 1 2\n0 0 25 50\n1 0 25 50\n"
                                     "0 0 0 0 0 0 100 0 0\n0 0 0 0 0 0 100 0 0\n1 2 -4\n";
  EXPECT_NEAR(adjust_cost(bench::read_bal(folder / "p.txt")), 0, 1e-20);
}

TEST(BalFiles, name_file_and_line_of_an_error) {
  struct Wrong {
    const char *text, *named;
  };
  for (const Wrong& wrong : {Wrong{"", "line 1: number of cameras"},
                             Wrong{"1 1 1\n0 1 2 3\n", "line 2: point 1, there are 1"},
                             Wrong{"1 1 1\n0 0 2 x\n", "line 2: y expected"},
                             Wrong{"1 1 999\n", "999 in a file of 8 bytes"},
                             Wrong{"1 1 1\n0 0 2 3\n1 2 3", "camera parameter expected"}}) {
    const TemporaryFolder folder;
    std::ofstream(folder / "p.txt") << wrong.text;
    try {
      (void)bench::read_bal(folder / "p.txt");
      ADD_FAILURE() << wrong.text;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(wrong.named), std::string::npos) << error.what();
      EXPECT_NE(std::string(error.what()).find("p.txt"), std::string::npos) << error.what();
    }
  }
}

}  // namespace
}  // namespace bifocal::test
