// SPDX-License-Identifier: BSD-3-Clause
// The time table of every command sums to the duration of its process.
#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <nlohmann/json.hpp>
#include <regex>

#include "cli/process.hpp"
#include "cli/views.hpp"

namespace bifocal::test {
namespace {

using nlohmann::json;
using Milliseconds = std::chrono::duration<double, std::milli>;

// What a process takes that is in no table: the shell, the start and the end of a program.
double ms_of_empty_process(const TemporaryFolder& folder) {
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(run(folder, "--version").code, 0);
  return Milliseconds(std::chrono::steady_clock::now() - start).count();
}

// Runs a command, at most three times because other processes may delay its start and its end, and
// compares the sum of its table, in ms, with a clock.
template <class SumOf>
void expect_whole(const TemporaryFolder& folder, const std::string& command, const SumOf& sum_of) {
  const double empty = ms_of_empty_process(folder);
  double sum = 0, wall = 0;
  for (int attempt = 0; attempt < 3; ++attempt) {
    const auto start = std::chrono::steady_clock::now();
    const Ran ran = run(folder, command);
    wall = Milliseconds(std::chrono::steady_clock::now() - start).count();
    ASSERT_EQ(ran.code, 0) << command << ": " << ran.err;
    sum = sum_of(ran.out);
    EXPECT_LE(sum, wall) << command;
    if (sum > 0.97 * wall - empty) break;
  }
  fmt::print("{:.0f} of {:.0f} ms: {}\n", sum, wall, command);
  EXPECT_GT(sum, 0.97 * wall - empty) << command;
}

std::function<double(const std::string&)> sum_of_json(const char* key, double ms) {
  return [=](const std::string& out) {
    const json table = json::parse(out).at(key);
    double sum = 0;
    for (const auto& [stage, time] : table.items()) sum += ms * time.get<double>();
    return sum;
  };
}

TEST(Times, SumToTheDurationOfEveryCommand) {
  const TemporaryFolder folder;
  write_pictures(folder);
  write_views(folder / "in");
  write_file(folder / "c.txt",
             "1 PINHOLE 400 300 400 400 200 150\nR 1 0 0 0 1 0 0 0 1\nt -0.25 0 0\n");
  const auto in_ms = sum_of_json("timings_ms", 1);
  expect_whole(folder, "collect in --database out.db --device cpu --overwrite --json",
               sum_of_json("seconds", 1000));
  expect_whole(folder, "collect in --database out.db --device cpu --json",  // complete already
               sum_of_json("seconds", 1000));
  expect_whole(folder,
               "collect in --database b.db --device cpu --overwrite --model both "
               "--overwrite-model --json",
               sum_of_json("seconds", 1000));
  expect_whole(folder, "verify out.db --device cpu --overwrite --json", in_ms);
  expect_whole(folder, "map out.db --out sparse --images in --device cpu --overwrite --json",
               in_ms);
  expect_whole(folder, "adjust sparse/0 --out adjusted --device cpu --overwrite --json", in_ms);
  expect_whole(folder, "pair left.png right.png --out pair --json", in_ms);
  expect_whole(folder, "stereo left.png right.png --out stereo --json", in_ms);
  expect_whole(folder, "rectify left.png right.png --calib c.txt --out rectified --json", in_ms);
}

// The table on stdout has seconds with two digits.
TEST(Times, OfCollectArePrinted) {
  const TemporaryFolder folder;
  write_views(folder / "in");
  expect_whole(folder, "collect in --database out.db --device cpu --overwrite",
               [](const std::string& out) {
                 const std::regex row(" +([0-9.]+) s ([a-z ]+)\n");
                 double sum = 0, total = 0;
                 int rows = 0;
                 for (std::sregex_iterator r(out.begin(), out.end(), row), end; r != end; ++r) {
                   const double ms = 1000 * std::stod((*r)[1].str());
                   ((*r)[2] == "in total" ? total : sum) += ms;
                   ++rows;
                 }
                 EXPECT_GE(rows, 8) << out;
                 EXPECT_NEAR(sum, total, 5 * rows) << out;
                 return total - 5;
               });
}

}  // namespace
}  // namespace bifocal::test
