// SPDX-License-Identifier: BSD-3-Clause
// Ctrl-C prints how the work is resumed.
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <thread>

#include "cli/pairs_database.hpp"
#include "cli/process.hpp"
#include "support/paths.hpp"

namespace bifocal::test {
namespace {

// Ends the command by Ctrl-C once it has opened a file with this name. Returns its stderr.
std::string interrupted(const std::filesystem::path& folder, std::vector<std::string> arguments,
                        const std::string& opened) {
  arguments.insert(arguments.begin(), test::kProgram);
  const pid_t child = fork();
  if (child == 0) {
    signal(SIGINT, SIG_DFL);  // ignored in a background job
    if (chdir(folder.c_str()) != 0 || !freopen(".out", "w", stdout) ||
        !freopen(".err", "w", stderr))
      _exit(126);
    std::vector<char*> words;
    for (std::string& a : arguments) words.push_back(a.data());
    words.push_back(nullptr);
    execv(test::kProgram, words.data());
    _exit(127);
  }
  const auto has_opened = [&] {
    std::error_code gone;
    // Before execv() the child has the files of this process.
    const std::filesystem::path program =
        std::filesystem::read_symlink(fmt::format("/proc/{}/exe", child), gone);
    if (program.filename() != std::filesystem::path(test::kProgram).filename()) return false;
    for (std::filesystem::directory_iterator file(fmt::format("/proc/{}/fd", child), gone), end;
         !gone && file != end; file.increment(gone)) {
      const std::filesystem::path target = std::filesystem::read_symlink(*file, gone);
      if (!gone && target.filename() == opened) return true;
    }
    return false;
  };
  for (int ms = 0; ms < 20'000 && !has_opened(); ++ms)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  kill(child, SIGINT);
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGINT)
      << arguments[1] << ": " << status << ": " << text_of(folder / ".err");
  return text_of(folder / ".err");
}

TEST(Interrupt, SaysHowToResume) {
  const TemporaryFolder folder;
  make_database(folder / "part.db", 60);
  ASSERT_EQ(run(folder, "plan part.db --out plan").code, 0);
  const auto expect_note = [&](std::vector<std::string> arguments, const std::string& note) {
    const std::string err = interrupted(folder.path(), std::move(arguments), "part.db");
    EXPECT_NE(err.find("bifocal: interrupted; " + note), std::string::npos) << err;
  };
  const std::string again = "the same command resumes the work",
                    over = "the same command starts again; pairs not verified yet keep their rows";
  expect_note({"run-shard", "plan", "0", "--threads", "1"},
              "the same command computes this shard again");
  ASSERT_EQ(run(folder, "run-shard plan 0").code, 0);
  {
    colmap::Database database(folder / "part.db", colmap::Access::write);
    const colmap::Transaction lock(database);  // the commands wait for it
    database.write(colmap::Image{999, "other", 1});
    expect_note({"merge", "plan"}, again);
    expect_note({"verify", "part.db"}, again);
    expect_note({"verify", "part.db", "--overwrite"}, over);
  }
  EXPECT_EQ(run(folder, "merge plan").code, 0);
}

}  // namespace
}  // namespace bifocal::test
