// SPDX-License-Identifier: BSD-3-Clause
// Runs the program bifocal-bench as a process.
#include <gtest/gtest.h>
#include <bifocal/robust.hpp>

#include <map>
#include <nlohmann/json.hpp>

#include "cli/process.hpp"
#include "support/paths.hpp"

namespace bifocal::test {
namespace {

using nlohmann::json;

json json_of(const std::filesystem::path& file) { return json::parse(read_file(file)); }

TEST(BenchProgram, lists_and_measures_all_benchmarks) {
  const TemporaryFolder folder;
  const Ran list = run(folder, "solvers --list");
  EXPECT_EQ(list.code, 0);
  EXPECT_NE(list.out.find("solvers/"), std::string::npos) << list.out;
  const Ran measured = run(folder, "solvers --filter '^solvers/homography_4pt/f32$' --json r.json");
  ASSERT_EQ(measured.code, 0) << measured.err;
  const json records = json_of(folder / "r.json");
  ASSERT_EQ(records.size(), 1u);
  for (const char* key : {"suite", "case", "device", "unit", "value", "runs", "mad", "machine"}) {
    EXPECT_TRUE(records[0].contains(key)) << key;
  }
}

TEST(BenchProgram, leaves_the_records_of_finished_cases) {
  const TemporaryFolder folder;
  const std::string ended_by_a_signal = fmt::format(
      "cd '{}' && {{ '{}' solvers --json r.json >/dev/null 2>&1 & p=$!; for i in $(seq 900); do "
      "[ -s r.json ] && break; sleep 0.01; done; kill -9 $p; wait $p; }} 2>/dev/null",
      folder.path().string(), test::kProgram);
  (void)!std::system(ended_by_a_signal.c_str());
  const std::size_t records = json_of(folder / "r.json").size();
  EXPECT_GE(records, 1U);
  EXPECT_LT(records, 30U);
}

TEST(BenchProgram, replaces_records_of_the_same_command) {
  const TemporaryFolder folder;
  const std::string one = "solvers --filter '^solvers/homography_4pt/f32$' --json r.json";
  ASSERT_EQ(run(folder, one).code, 0);
  EXPECT_EQ(run(folder, one).code, 0);
  const Ran refused = run(folder, "solvers --filter homography_4pt/f64 --json r.json");
  EXPECT_EQ(refused.code, 2);
  EXPECT_NE(refused.err.find("r.json: exists already, and is no record of this command; choose "
                             "another name or use --overwrite"),
            std::string::npos)
      << refused.err;
  EXPECT_EQ(run(folder, one + " --overwrite").code, 0);
}

TEST(BenchProgram, seeds_have_the_recorded_times_and_write_the_pictures) {
  const TemporaryFolder folder;
  const Ran ran =
      run(folder, "seeds --device cpu --filter stereo --data none --pictures p --json r.json");
  ASSERT_EQ(ran.code, 0) << ran.err;
  std::map<std::string, double> recorded;
  for (const json& r : json_of(folder / "r.json"))
    recorded[r["case"].get<std::string>()] = r["reference"]["value"];
  const std::string size = "seeds/stereo/735x504/";
  EXPECT_EQ(recorded, (std::map<std::string, double>{{size + "d60w11", 277.5},
                                                     {size + "d90w11", 493.2},
                                                     {size + "d60w15", 578.0},
                                                     {size + "d90w15", 851.8}}));
  // Both images are the same noise, shifted by 20 px.
  const ImageU8 filled = read_image(folder / "p/d60w11_filled.png");
  ASSERT_EQ(filled.width, 735);
  ASSERT_EQ(filled.height, 504);
  EXPECT_NEAR(filled.at(400, 250), 255 * 20 / 60, 1);
  EXPECT_NEAR(filled.at(3, 250), 255 * 20 / 60, 8);  // outside of the right image: by means
  EXPECT_EQ(read_image(folder / "p/d60w11_known.png").at(3, 250), 0);
}

// scripts/determinism compares these hashes across commits.
TEST(BenchProgram, hashes_every_robust_problem) {
  const TemporaryFolder folder;
  const Ran ran =
      run(folder, "hashes --device cpu --filter '^hashes/robust/.*/(wide|refine)' --json r.json");
  ASSERT_EQ(ran.code, 0) << ran.err;
  std::map<std::string, int> calls;
  for (const json& r : json_of(folder / "r.json"))
    ++calls[r["case"].get<std::string>().substr(std::string("hashes/robust/").size())];
  for (const ModelKind kind : kModelKinds) {
    const std::string name(to_string(kind));
    const ProblemInfo problem = problem_info(kind);
    EXPECT_EQ(calls.count(name + "/wide"), problem.is_built ? 1u : 0u) << name;
    EXPECT_EQ(calls.count(name + "/refine"),
              problem.is_built && !problem.estimates_distortion ? 1u : 0u)
        << name;
  }
}

TEST(BenchProgram, names_errors_and_leaves_no_files) {
  struct Wrong {
    std::string arguments;
    int code;
    std::string named;
  };
  for (const Wrong& wrong : {
           Wrong{"", 2, "SUITE"},
           Wrong{"nosuch", 2, "nosuch: no such suite"},
           Wrong{"all --filter '('", 2, "--filter"},
           Wrong{"solvers --filter homography_4pt/f32 --json /proc/x.json", 3, "/proc/x.json"},
           Wrong{"all --device cuda:88", 4, "cuda:88"},
           Wrong{"svd --device cuda:99", 4, "cuda:99"},
           Wrong{"score --device opencl", 4, "opencl"},
       }) {
    const TemporaryFolder folder;
    const Ran ran = run(folder, wrong.arguments);
    EXPECT_EQ(ran.code, wrong.code) << wrong.arguments << ": " << ran.err;
    EXPECT_NE(ran.err.find(wrong.named), std::string::npos) << wrong.arguments << ": " << ran.err;
    EXPECT_TRUE(ran.err.starts_with("bifocal-bench: ")) << ran.err;
    EXPECT_TRUE(listing(folder.path()).empty()) << wrong.arguments;
  }
}

}  // namespace
}  // namespace bifocal::test
