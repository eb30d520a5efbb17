// SPDX-License-Identifier: BSD-3-Clause
// Ends a command by a signal in the middle of its work.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "cli/process.hpp"

namespace bifocal::test {

// Whether the process has opened a file with this name.
inline bool has_opened(pid_t child, const std::string& name) {
  std::error_code gone;
  for (std::filesystem::directory_iterator file(fmt::format("/proc/{}/fd", child), gone), end;
       !gone && file != end; file.increment(gone)) {
    const std::filesystem::path target = std::filesystem::read_symlink(*file, gone);
    if (!gone && target.filename() == name) return true;
  }
  return false;
}

// Starts a command inside the folder; its output goes to the files .out and .err there.
inline pid_t start(const std::filesystem::path& folder, std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), kProgram);
  const pid_t child = fork();
  if (child != 0) return child;
  signal(SIGINT, SIG_DFL);  // ignored in a background job
  if (chdir(folder.c_str()) != 0 || !freopen(".out", "w", stdout) || !freopen(".err", "w", stderr))
    _exit(126);
  std::vector<char*> words;
  for (std::string& a : arguments) words.push_back(a.data());
  words.push_back(nullptr);
  execv(kProgram, words.data());
  _exit(127);
}

inline bool has_ended(pid_t child) {
  siginfo_t info{};
  return waitid(P_PID, id_t(child), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
         info.si_pid == child;
}

// Sends the signal to a command that start() began once `has_begun` is true of its process.
// Returns the status of its end.
inline int signalled(pid_t child, const std::function<bool(pid_t)>& has_begun, int by) {
  const auto runs = [&] {  // before execv() the child has the files of this process
    std::error_code gone;
    const std::filesystem::path program =
        std::filesystem::read_symlink(fmt::format("/proc/{}/exe", child), gone);
    return program.filename() == std::filesystem::path(kProgram).filename();
  };
  for (int ms = 0; ms < 60'000 && !has_ended(child) && !(runs() && has_begun(child)); ++ms)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  kill(child, by);
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  return status;
}

// Runs a command inside the folder and sends the signal once `has_begun` is true of its process.
// On a busy machine the command can end before: then its files are removed, and it runs again.
// Returns its stderr. Expects the end that a shell shows as exit code 130.
inline std::string interrupted(const std::filesystem::path& folder,
                               const std::vector<std::string>& arguments,
                               const std::function<bool(pid_t)>& has_begun, int by = SIGINT) {
  const std::vector<std::string> before = listing(folder);
  const auto is_new = [&](const std::string& name) {
    return !std::binary_search(before.begin(), before.end(), name);
  };
  int status = signalled(start(folder, arguments), has_begun, by);
  for (int again = 0; again < 100 && WIFEXITED(status) && WEXITSTATUS(status) == 0; ++again) {
    for (const std::string& name : listing(folder))
      if (is_new(name)) std::filesystem::remove_all(folder / name);
    status = signalled(start(folder, arguments), has_begun, by);
  }
  const std::string err = text_of(folder / ".err");
  EXPECT_TRUE(by == SIGINT ? WIFSIGNALED(status) && WTERMSIG(status) == SIGINT
                           : WIFEXITED(status) && WEXITSTATUS(status) == 130)
      << arguments[0] << ": " << status << ": " << err;
  return err;
}

}  // namespace bifocal::test
