// SPDX-License-Identifier: BSD-3-Clause
// The program, run as a process: Ctrl-C keeps the best template so far.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>
#include <bifocal/io.hpp>

#include <chrono>
#include <csignal>
#include <thread>

#include "support/data.hpp"
#include "support/paths.hpp"

namespace bifocal::test {
namespace {

using std::chrono::steady_clock;

struct Process {
  pid_t id;
  // Returns the exit code; -1 if a signal ended the process.
  [[nodiscard]] int wait() const {
    int status = 0;
    waitpid(id, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
};

// Starts the program with its stderr in the file `errors`.
Process start(const std::string& problem, const std::string& out, const std::string& errors) {
  const pid_t id = fork();
  if (id != 0) return {id};
  const int to = open(errors.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  dup2(to, 2);
  execl(test::kProgram, test::kProgram, problem.c_str(), "-o", out.c_str(), nullptr);
  _exit(127);
}

// Returns the rows of the template that the head of an emitted file names.
int rows_of(const std::string& text) {
  const std::string words = "a template\n// of ", same_line = "a template of ";
  const auto broken = text.find(words), at = text.find(same_line);
  return std::stoi(broken != std::string::npos ? text.substr(broken + words.size())
                                               : text.substr(at + same_line.size()));
}

TEST(GenerateProgram, ctrl_c_keeps_the_best_template_so_far) {
  const TemporaryFolder folder;
  const std::string problem = folder / "p.problem", out = folder / "out.lane.h",
                    errors = folder / "errors";
  // All unknowns and their inverses are tried as actions, which takes half a minute.
  std::string text = read_file(std::string(test::kSourceFolder) +
                               "/tools/generate/problems/p4p_focal_radial.problem");
  const auto action = text.find("action ");
  text.erase(action, text.find('\n', action) - action);
  write_file(problem, text);
  for (int wait_ms = 500;; wait_ms *= 2) {
    ASSERT_LT(wait_ms, 100000);
    const Process process = start(problem, out, errors);
    std::this_thread::sleep_for(std::chrono::milliseconds(wait_ms));
    const auto before = steady_clock::now();
    kill(process.id, SIGINT);
    const int code = process.wait();
    const std::chrono::duration<double> took = steady_clock::now() - before;
    EXPECT_LT(took.count(), 10);
    if (code == -1) continue;  // the signal came before the program was ready for it
    const std::string message = read_file(errors);
    if (message.find("stopped before a template was found") != std::string::npos) {
      EXPECT_EQ(code, 3);
      EXPECT_FALSE(std::filesystem::exists(out));
      continue;
    }
    ASSERT_EQ(code, 0) << message;
    EXPECT_NE(message.find("stopped: a smaller template may exist"), std::string::npos) << message;
    const std::string solver = read_file(out);
    EXPECT_NE(solver.find("The search was stopped"), std::string::npos);
    EXPECT_NE(solver.find("p4p_focal_radial_roots"), std::string::npos);
    EXPECT_GT(rows_of(solver), 4);
    break;
  }
}

}  // namespace
}  // namespace bifocal::test
