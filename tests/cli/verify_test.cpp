// SPDX-License-Identifier: BSD-3-Clause
#include <bifocal/colmap/database.hpp>
#include <bifocal/device.hpp>

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <nlohmann/json.hpp>
#include <random>
#include <thread>

#include "cli/pairs_database.hpp"
#include "cli/process.hpp"
#include "support/long_tests.hpp"
#include "support/paths.hpp"

namespace bifocal::test {
namespace {

using colmap::Database;
using nlohmann::json;

TEST(Cli, verify_prints_its_results) {
  const TemporaryFolder folder;
  make_database(folder / "a.db", 7);
  const Ran r = run(folder, "verify a.db --json --threads 1 --device cpu");
  ASSERT_EQ(r.code, 0) << r.err;
  const json j = json::parse(r.out);
  EXPECT_EQ(j["pairs"], 21);
  EXPECT_EQ(j["verified_before"], 0);
  EXPECT_EQ(j["configurations"]["degenerate"], 14);
  EXPECT_EQ(j["configurations"]["calibrated"], 7);
  EXPECT_GT(j["inliers"], 7 * 20);
  EXPECT_EQ(j["device"], "cpu");
  EXPECT_EQ(Database(folder / "a.db").geometry_rows().size(), 21U);
  const Ran again = run(folder, "verify a.db");
  ASSERT_EQ(again.code, 0) << again.err;
  EXPECT_NE(again.out.find("verified before: 21"), std::string::npos) << again.out;
  const Ran over = run(folder, "verify a.db --overwrite --min-inliers 31");
  EXPECT_NE(over.out.find("degenerate: 21"), std::string::npos) << over.out;
}

TEST(Cli, verify_names_errors) {
  const TemporaryFolder folder;
  make_database(folder / "a.db", 3);
  write_file(folder / "pairs.txt", "i1 i9\n");
  write_file(folder / "text.db", "this is no database, and long enough to be told apart");
  const auto fails = [&](const std::string& arguments, int code, const std::string& part) {
    const Ran r = run(folder, "verify " + arguments);
    EXPECT_EQ(r.code, code) << arguments;
    EXPECT_NE(r.err.find(part), std::string::npos) << r.err;
  };
  fails("none.db", 3, "none.db: can't be read");
  fails("text.db", 3, "text.db: is no SQLite database");
  fails("a.db --pairs pairs.txt", 3, "pairs.txt, line 1: no image 'i9'");
  fails("a.db --pairs none.txt", 3, "none.txt");
  fails("a.db --threshold 0", 2, "--threshold");
  fails("a.db --min-inliers 0", 2, "--min-inliers");
  fails("a.db --device cuda:99", 4, "cuda:99");
  fails("", 2, "DATABASE");
}

// The Python package reads hloc's files; this program names its command and makes no file.
TEST(Cli, files_of_hloc_are_refused_with_the_command_of_python) {
  const TemporaryFolder folder;
  for (const char* file : {"f.h5", "m.h5"}) write_file(folder / file, "features or matches");
  write_file(folder / "p.txt", "a.jpg b.jpg\n");
  write_pictures(folder);
  const std::vector<std::string> before = listing(folder.path());
  const auto fails = [&](const std::string& arguments, const std::string& part) {
    const Ran r = run(folder, arguments);
    EXPECT_EQ(r.code, 2) << arguments;
    EXPECT_NE(r.err.find(part), std::string::npos) << r.err;
    EXPECT_EQ(r.out, "");
    EXPECT_EQ(listing(folder.path()), before) << arguments;
  };
  const std::string verify = "verify --features f.h5 --matches m.h5 --pairs p.txt --database o.db";
  fails(verify, "pip install h5py): python -m bifocal " + verify);
  const std::string collect = "collect left.png right.png --database o.db --features f.h5";
  fails(collect, "pip install h5py): python -m bifocal collect --features f.h5 ...");
  fails(collect + " --matches m.h5", "--features f.h5 --matches m.h5 ...");
  for (const char* wrong : {"--pairs p.txt", "--database o.db", "o.db --pairs p.txt"})
    fails(std::string("verify --features f.h5 --matches m.h5 ") + wrong, "See bifocal verify");
  fails("verify --matches m.h5 --database o.db", "See bifocal verify");
}

TEST(Cli, verify_takes_several_devices) {
  const TemporaryFolder folder;
  make_database(folder / "one.db", 47);  // two pieces
  for (const char* copy : {"two.db", "mixed.db"})
    std::filesystem::copy_file(folder / "one.db", folder / copy);
  ASSERT_EQ(run(folder, "verify one.db --device cpu").code, 0);
  const Ran two = run(folder, "verify two.db --device cpu,cpu --json");
  ASSERT_EQ(two.code, 0) << two.err;
  EXPECT_TRUE(read_file(folder / "two.db") == read_file(folder / "one.db"));
  const json j = json::parse(two.out);
  EXPECT_EQ(j["device"], "cpu,cpu");
  ASSERT_EQ(j["pairs_by_device"].size(), 2U);
  for (const json& one : j["pairs_by_device"]) EXPECT_GT(one["pairs"], 0);
  const Ran none = run(folder, "verify two.db --device cpu,,cpu");
  EXPECT_EQ(none.code, 2);
  EXPECT_NE(none.err.find("device 'cpu,,cpu'"), std::string::npos) << none.err;
  EXPECT_EQ(run(folder, "verify two.db --device cpu,cuda:99").code, 4);
  if (list_devices().size() == 1 || !test::is_long()) return;
  const std::string list = "cpu," + list_devices()[1].id;
  const Ran refused = run(folder, "verify mixed.db --device " + list);
  EXPECT_EQ(refused.code, 2);
  EXPECT_NE(refused.err.find("--mixed-devices"), std::string::npos) << refused.err;
  const Ran mixed = run(folder, "verify mixed.db --json --mixed-devices --device " + list);
  ASSERT_EQ(mixed.code, 0) << mixed.err;
  EXPECT_EQ(json::parse(mixed.out)["configurations"], j["configurations"]);
}

// PoCL makes as many CPU devices as POCL_DEVICES lists: two of one kind with separate memory and
// contexts, like two GPUs.
TEST(Cli, verify_and_collect_use_two_OpenCL_devices) {
  const TemporaryFolder folder;
  const auto on = [&](const std::string& arguments) {
    setenv("POCL_DEVICES", "pthread pthread", 1);
    const Ran ran = run(folder, arguments);
    unsetenv("POCL_DEVICES");
    return ran;
  };
  const Ran devices = on("devices");
  if (devices.out.find("opencl:1") == std::string::npos ||
      devices.out.find("Portable Computing Language") == std::string::npos)
    GTEST_SKIP() << "no PoCL with two devices";
  make_database(folder / "one.db", 47);
  std::filesystem::copy_file(folder / "one.db", folder / "two.db");
  ASSERT_EQ(on("verify one.db --device opencl:1").code, 0);
  const Ran two = on("verify two.db --device opencl:all --json");
  ASSERT_EQ(two.code, 0) << two.err;
  EXPECT_TRUE(read_file(folder / "two.db") == read_file(folder / "one.db"));
  const json j = json::parse(two.out);
  ASSERT_EQ(j["pairs_by_device"].size(), 2U) << two.out;
  for (const json& one : j["pairs_by_device"]) EXPECT_GT(one["pairs"], 0) << two.out;
  std::filesystem::create_directory(folder / "in");
  const ImageU8 scene = texture(300, 200, 1);
  for (int i = 0; i < 5; ++i) {
    ImageU8 view(280, 200);
    for (int y = 0; y < 200; ++y)
      for (int x = 0; x < 280; ++x) view.at(x, y) = scene.at(x + 4 * i, y);
    write_png(folder / fmt::format("in/{}.png", i), view);
  }
  for (const char* list : {"opencl:0", "opencl:all"}) {
    const Ran ran = on(
        fmt::format("collect in --database {}.db --device {}", list[7] == '0' ? "c1" : "c2", list));
    ASSERT_EQ(ran.code, 0) << ran.err;
  }
  EXPECT_TRUE(read_file(folder / "c1.db") == read_file(folder / "c2.db"));
}

// A run that is killed again and again and then left to finish writes the same file as an
// undisturbed run.
TEST(Cli, verify_resumes_after_kills) {
  const TemporaryFolder folder;
  make_database(folder / "whole.db", 80);
  std::filesystem::copy_file(folder / "whole.db", folder / "killed.db");
  ASSERT_EQ(run(folder, "verify whole.db --threads 1").code, 0);
  std::mt19937 random(1);
  int killed = 0;
  for (int i = 0; i < test::short_or_long(4, 8); ++i) {
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      (void)!freopen("/dev/null", "w", stdout);
      execl(test::kProgram, test::kProgram, "verify", (folder / "killed.db").c_str(), "--threads",
            "1", nullptr);
      _exit(127);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(50 + random() % 800));
    kill(child, SIGKILL);
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    killed += WIFSIGNALED(status);
  }
  EXPECT_GT(killed, test::short_or_long(0, 2));
  const Ran last = run(folder, "verify killed.db --json");
  ASSERT_EQ(last.code, 0) << last.err;
  const json j = json::parse(last.out);
  EXPECT_EQ(j["pairs"].get<int>() + j["verified_before"].get<int>(), 80 * 79 / 2);
  EXPECT_TRUE(read_file(folder / "whole.db") == read_file(folder / "killed.db"));
  EXPECT_FALSE(std::filesystem::exists(folder / "killed.db-wal"));
}

}  // namespace
}  // namespace bifocal::test
