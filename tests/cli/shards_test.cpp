// SPDX-License-Identifier: BSD-3-Clause
// plan, run-shard and merge as processes. In any order, after kills, on damaged files and on full
// disks the database gets the bytes that `verify` alone writes.
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <nlohmann/json.hpp>
#include <numeric>
#include <thread>

#include "cli/pairs_database.hpp"
#include "cli/process.hpp"
#include "support/long_tests.hpp"
#include "support/paths.hpp"

namespace bifocal::test {
namespace {

using colmap::Access, colmap::Database;
using nlohmann::json;

class Shards : public testing::Test {
 protected:
  // Makes all.db, verified at once, and part.db, the same database planned into the folder "plan".
  void make(colmap::Id images, int pairs_per_shard, const std::string& options = "") {
    make_database(folder / "part.db", images);
    std::filesystem::copy_file(folder / "part.db", folder / "all.db");
    ok("verify all.db " + options);
    shards = plan(fmt::format("--pairs-per-shard {} {}", pairs_per_shard, options));
  }
  int plan(const std::string& options) {
    return json::parse(ok("plan part.db --out plan --json " + options).out)["shards"];
  }
  Ran ok(const std::string& arguments) {
    const Ran r = run(folder, arguments);
    EXPECT_EQ(r.code, 0) << arguments << ": " << r.err;
    return r;
  }
  void fails(const std::string& arguments, int code, const std::string& part) {
    const Ran r = run(folder, arguments);
    EXPECT_EQ(r.code, code) << arguments << ": " << r.err;
    EXPECT_NE(r.err.find(part), std::string::npos) << r.err;
  }
  void run_all() {
    for (int k = 0; k < shards; ++k) ok(fmt::format("run-shard plan {} --threads 1", k));
  }
  // Runs with a limit of `kilobytes` for each written file.
  Ran run_on_full_disk(int kilobytes, const std::string& arguments) {
    const int status =
        std::system(fmt::format("cd '{}' && (ulimit -f {}; exec '{}' {} >.out 2>.err </dev/null)",
                                folder.path().string(), kilobytes, test::kProgram, arguments)
                        .c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, text_of(folder / ".out"),
            text_of(folder / ".err")};
  }
  // Starts `bifocal A B ...` and kills it after `ms` milliseconds. Returns true if it was
  // still running.
  bool run_and_kill(std::vector<std::string> arguments, unsigned ms) {
    const pid_t child = start(std::move(arguments));
    std::this_thread::sleep_for(std::chrono::milliseconds(ms));
    kill(child, SIGKILL);
    int status = 0;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    return WIFSIGNALED(status);
  }
  pid_t start(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), test::kProgram);
    const pid_t child = fork();
    if (child != 0) return child;
    (void)!freopen("/dev/null", "w", stdout);
    std::vector<char*> words;
    for (std::string& a : arguments) words.push_back(a.data());
    words.push_back(nullptr);
    if (chdir(folder.path().c_str()) == 0) execv(test::kProgram, words.data());
    _exit(127);
  }
  // Runs several workers at once; each does all shards in its own random order.
  void run_workers(int workers) {
    std::vector<pid_t> children;
    for (int w = 0; w < workers; ++w) {
      const pid_t child = fork();
      if (child == 0) {
        std::vector<int> order(static_cast<std::size_t>(shards));
        std::iota(order.begin(), order.end(), 0);
        std::shuffle(order.begin(), order.end(), std::mt19937(static_cast<unsigned>(w)));
        int wrong = 0;
        for (const int k : order) {
          int status = 0;
          waitpid(start({"run-shard", "plan", std::to_string(k), "--threads", "1"}), &status, 0);
          wrong += status != 0;
        }
        _exit(wrong);
      }
      children.push_back(child);
    }
    for (const pid_t child : children) {
      int status = 0;
      EXPECT_EQ(waitpid(child, &status, 0), child);
      EXPECT_EQ(status, 0);
    }
  }
  void expect_bytes_of_verify(const std::string& name = "part.db") {
    EXPECT_TRUE(read_file(folder / "all.db") == read_file(folder / name));
    EXPECT_FALSE(std::filesystem::exists(folder / (name + "-wal")));
  }

  TemporaryFolder folder;
  int shards = 0;
};

TEST_F(Shards, any_number_of_workers_in_any_order_gives_the_bytes_of_verify) {
  make(60, 250);  // 1770 pairs: the written pieces of 1024 end inside of shards
  ASSERT_EQ(shards, 8);
  const std::string unverified = read_file(folder / "part.db");
  for (const int workers : test::short_or_long<std::vector<int>>({3}, {1, 2, 3})) {
    for (int k = 0; k < shards; ++k)
      std::filesystem::remove(folder / fmt::format("plan/shard-{}.result", k));
    write_file(folder / "part.db", unverified);
    run_workers(workers);
    const json j = json::parse(ok("merge plan --json").out);
    EXPECT_EQ(j["pairs"], 1770);
    EXPECT_GT(j["configurations"]["calibrated"], 580);  // all are 590
    expect_bytes_of_verify();
  }
  // A second merge has no pair left to do.
  EXPECT_EQ(json::parse(ok("merge plan --json").out)["verified_before"], 1770);
  expect_bytes_of_verify();
  EXPECT_NE(ok("run-shard plan 3").out.find("was done"), std::string::npos);
}

TEST_F(Shards, killed_workers_and_merges_lose_no_results) {
  make(60, 250);
  std::mt19937 random(1);
  int killed = 0;
  for (int i = 0; i < test::short_or_long(1, 3) * shards; ++i)
    killed += run_and_kill({"run-shard", "plan", std::to_string(i % shards), "--threads", "1"},
                           random() % 400);
  EXPECT_GT(killed, test::short_or_long(0, 2));
  // Unfinished files that were never renamed.
  write_file(folder / "plan/shard-0.result.0123456789abcdef.part", "BFSHARD");
  run_all();
  int merges = 0;
  for (int i = 0; i < test::short_or_long(5, 12); ++i)
    merges += run_and_kill({"merge", "plan"}, 1 + random() % 20);
  EXPECT_GT(merges, test::short_or_long(0, 2));
  ok("merge plan");
  expect_bytes_of_verify();
  for (const std::string& name : listing(folder / "plan"))
    EXPECT_FALSE(name.ends_with(".part")) << name;
}

TEST_F(Shards, damaged_results_are_found_and_made_again) {
  make(12, 20);
  ASSERT_EQ(shards, 4);
  run_all();
  const std::filesystem::path file = folder / "plan/shard-2.result";
  const std::string whole = read_file(file);
  const auto damage = [&](const std::string& bytes, const std::string& why) {
    write_file(file, bytes);
    fails("merge plan", 3, "1 of 4 shards are not done:\n  shard 2 " + why);
  };
  std::mt19937 random(1);
  for (int i = 0; i < 12; ++i) {
    damage(whole.substr(0, 1 + random() % (whole.size() - 1)), "is ");
    std::string flipped = whole;
    flipped[random() % flipped.size()] ^= char(1 << random() % 8);
    damage(flipped, "");
  }
  damage(read_file(folder / "plan/shard-1.result"), "is of shard 1");
  damage(whole + "x", "is damaged");
  std::filesystem::remove(file);
  fails("merge plan", 3, "shard 2 is missing");
  write_file(file, whole.substr(0, whole.size() / 2));
  const Ran again = ok("run-shard plan 2 --json");
  EXPECT_EQ(json::parse(again.out)["was_done"], false);
  EXPECT_TRUE(read_file(file) == whole);
  ok("merge plan");
  expect_bytes_of_verify();
}

TEST_F(Shards, plan_and_database_belong_together) {
  make(12, 20);
  make_database(folder / "other.db", 11);
  fails("run-shard plan 0 --database other.db", 3, "is not the database of the plan");
  fails("run-shard plan 0 --database none.db", 3, "none.db: can't be read");
  fails("run-shard plan 4", 2, "shard 4: the plan in plan has the shards 0 to 3");
  fails("run-shard plan", 2, "K is required");
  fails("run-shard none 0", 3, "plan.json");
  fails("run-shard plan 0 --device cuda:99", 4, "cuda:99");
  fails("plan other.db --out plan", 3, "has the plan of other work already");
  fails("plan part.db --out plan --min-inliers 20", 3, "has the plan of other work already");
  fails("plan part.db --out x --pairs-per-shard 0", 2, "--pairs-per-shard");
  fails("plan none.db --out x", 3, "none.db: can't be read");
  fails("plan part.db --out part.db", 3, "part.db");
  run_all();
  EXPECT_EQ(plan("--pairs-per-shard 20"), 4);  // an equal plan: results stay
  fails("merge plan --into other.db", 3, "is not the database of the plan");
  // Shards may run on a copy of the database, which also receives the rows.
  std::filesystem::copy_file(folder / "part.db", folder / "copy.db");
  std::filesystem::remove(folder / "plan/shard-1.result");
  ok("run-shard plan 1 --database copy.db");
  ok("merge plan --into copy.db");
  expect_bytes_of_verify("copy.db");
  // The text of the plan was changed.
  std::string text = read_file(folder / "plan/plan.json");
  text.replace(text.find("\"min_inliers\": 15"), 17, "\"min_inliers\": 16");
  write_file(folder / "plan/plan.json", text);
  fails("run-shard plan 0", 3, "is damaged or was changed");
  write_file(folder / "plan/plan.json", "{");
  fails("merge plan", 3, "is no plan");
}

TEST_F(Shards, lists_that_were_changed_are_refused) {
  make(12, 20);
  std::string list = read_file(folder / "plan/shard-1.pairs");
  list[0] ^= 1;
  write_file(folder / "plan/shard-1.pairs", list);
  fails("run-shard plan 1", 3, "shard-1.pairs: is not the list of the plan");
  plan("--pairs-per-shard 20");  // repairs the plan
  ok("run-shard plan 1");
}

TEST_F(Shards, changed_matches_do_not_poison_a_shard) {
  make(12, 20);
  {
    Database db(folder / "part.db", Access::write);
    db.write_matches(1, 2, std::vector<colmap::IndexPair>{{0, 0}});
  }
  fails("run-shard plan 0", 3, "images 1 and 2 have 1 matches, not 30");
}

// Breaks the chain of pages that holds the matches of one pair.
void break_pages(const std::filesystem::path& file, const std::string& pattern) {
  std::string bytes = read_file(file);
  int broken = 0;
  constexpr std::size_t kPage = 65536;
  for (std::size_t page = kPage; page < bytes.size(); page += kPage) {
    const bool is_of_it = bytes.substr(page + 4, 2 * pattern.size()).find(pattern) < pattern.size();
    if (!is_of_it || bytes.compare(page, 4, std::string(4, '\0')) == 0) continue;
    bytes.replace(page, 4, "\x7f\xff\xff\xff");
    ++broken;
  }
  ASSERT_GT(broken, 0);
  write_file(file, bytes);
}

TEST_F(Shards, a_poisoned_shard_has_its_own_code) {
  make_database(folder / "part.db", 12);
  {
    Database db(folder / "part.db", Access::write);
    db.write_matches(3, 7, std::vector<colmap::IndexPair>(30000, {251, 253}));
  }
  shards = plan("--pairs-per-shard 20");
  break_pages(folder / "part.db", std::string("\xfb\0\0\0\xfd\0\0\0", 8));
  int poisoned = 0;
  for (int k = 0; k < shards; ++k) {
    const Ran r = run(folder, fmt::format("run-shard plan {} --json", k));
    if (r.code == 0) continue;
    ++poisoned;
    EXPECT_EQ(r.code, 65);
    EXPECT_NE(r.err.find("images 3 and 7"), std::string::npos) << r.err;
    EXPECT_EQ(json::parse(r.out)["code"], 65);
    EXPECT_FALSE(std::filesystem::exists(folder / fmt::format("plan/shard-{}.result", k)));
  }
  EXPECT_EQ(poisoned, 1);
  fails("merge plan", 3, "1 of 4 shards are not done");
}

TEST_F(Shards, full_disks_are_reported_and_work_resumes) {
  make(40, 780);
  const Ran shard = run_on_full_disk(10, "run-shard plan 0");
  EXPECT_EQ(shard.code, 75);
  EXPECT_NE(shard.err.find("shard-0.result: can't be written: File too large"), std::string::npos)
      << shard.err;
  for (const std::string& name : listing(folder / "plan"))
    EXPECT_TRUE(name.ends_with(".pairs") || name == "plan.json") << name;
  run_all();
  const auto kilobytes = static_cast<int>(std::filesystem::file_size(folder / "part.db") / 1024);
  const Ran merge = run_on_full_disk(kilobytes / 8, "merge plan");
  EXPECT_EQ(merge.code, 75) << merge.err;
  EXPECT_NE(merge.err.find("part.db"), std::string::npos) << merge.err;
  ok("merge plan");
  expect_bytes_of_verify();
}

TEST_F(Shards, a_plan_may_be_empty) {
  make_database(folder / "part.db", 4);
  ok("verify part.db");
  std::filesystem::copy_file(folder / "part.db", folder / "all.db");
  EXPECT_EQ(plan(""), 0);
  fails("run-shard plan 0", 2, "shard 0: the plan in plan has none");
  EXPECT_EQ(json::parse(ok("merge plan --json").out)["pairs"], 0);
  expect_bytes_of_verify();
}

TEST_F(Shards, verified_and_unlisted_pairs_are_left_alone) {
  make_database(folder / "part.db", 30);
  write_file(folder / "some.txt", "i1 i2\ni3 i9\n");
  write_file(folder / "list.txt", "i1 i2\ni1 i3\ni5 i20\ni3 i9\ni7 i8\n");
  ok("verify part.db --pairs some.txt");
  std::filesystem::copy_file(folder / "part.db", folder / "all.db");
  ok("verify all.db --pairs list.txt");
  EXPECT_EQ((shards = plan("--pairs list.txt --pairs-per-shard 2")), 2);
  run_all();
  ok("merge plan");
  expect_bytes_of_verify();
  ok("verify all.db");
  std::filesystem::remove_all(folder / "plan");
  EXPECT_EQ((shards = plan("--pairs-per-shard 100")), 5);
  run_all();
  ok("merge plan");
  expect_bytes_of_verify();
}

// Earlier rows are deleted when the merge begins, not when it is resumed.
TEST_F(Shards, overwriting_is_resumed_after_kills) {
  make_database(folder / "part.db", 60);
  ok("verify part.db --min-inliers 31");  // all degenerate
  std::filesystem::copy_file(folder / "part.db", folder / "all.db");
  ok("verify all.db --overwrite");
  shards = plan("--overwrite --pairs-per-shard 500");
  run_all();
  std::mt19937 random(1);
  for (int i = 0; i < 10; ++i) (void)run_and_kill({"merge", "plan"}, 5 + random() % 80);
  ok("merge plan");
  expect_bytes_of_verify();
  const json again = json::parse(ok("merge plan --json").out);
  EXPECT_EQ(again["pairs"], 0);
  // Rows that another program wrote meanwhile are overwritten as well.
  ok("verify part.db --overwrite --min-inliers 31");
  EXPECT_EQ(json::parse(ok("merge plan --json").out)["pairs"], 1770);
}

TEST_F(Shards, one_process_serves_many_shards) {
  make(12, 20);
  const auto serve = [&](const std::string& lines) {
    const int status =
        std::system(fmt::format("cd '{}' && printf '{}' | '{}' run-shard plan --serve >.out 2>.err",
                                folder.path().string(), lines, test::kProgram)
                        .c_str());
    return Ran{WEXITSTATUS(status), text_of(folder / ".out"), text_of(folder / ".err")};
  };
  const Ran all = serve("3\\n0\\n2\\n1\\n1\\n");
  ASSERT_EQ(all.code, 0) << all.err;
  std::istringstream lines(all.out);
  std::vector<int> served;
  for (std::string line; std::getline(lines, line);) {
    const json j = json::parse(line);
    EXPECT_EQ(j["code"], 0);
    EXPECT_EQ(j["was_done"], served.size() == 4);
    served.push_back(j["shard"]);
  }
  EXPECT_EQ(served, (std::vector<int>{3, 0, 2, 1, 1}));
  EXPECT_EQ(serve("x\\n").code, 2);
  EXPECT_EQ(serve("9\\n").code, 2);
  ok("merge plan");
  expect_bytes_of_verify();
}

}  // namespace
}  // namespace bifocal::test
