// SPDX-License-Identifier: BSD-3-Clause
// bifocal-generate: generates a lane file that solves the equations of a minimal problem.
#include <fmt/format.h>
#include <bifocal/io.hpp>
#include <bifocal/version.hpp>

#include <atomic>
#include <chrono>
#include <csignal>
#include <optional>

#include "arguments.hpp"
#include "console.hpp"
#include "generate/generate.hpp"
#include "progress.hpp"

namespace bifocal::generate {
namespace {

constexpr std::size_t kMostBytes = 1 << 20;

// The first Ctrl-C ends the search, and the best template so far is written; the next one ends
// the program.
std::atomic<bool> stop = false;
static_assert(std::atomic<bool>::is_always_lock_free);
void on_signal(int signal) {
  stop = true;
  std::signal(signal, SIG_DFL);
}

void generate(const std::string& problem, const std::string& out, std::uint64_t seed) {
  const auto start = std::chrono::steady_clock::now();
  const std::string text = read_file(problem, kMostBytes);
  std::optional<cli::Progress> progress(std::in_place, 100, "%");
  const Watch watch = {.report =
                           [&](double share, const std::string& best) {
                             progress->update(100 * share, best.empty() ? "no template yet" : best);
                           },
                       .stop = &stop};
  std::signal(SIGINT, on_signal);
  const Generated g = generate_solver(text, problem, seed, watch);
  progress.reset();
  write_file(out, g.text);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  fmt::print(stderr,
             "bifocal-generate: {}: {} unknowns, {} roots, template {} x {}, {} eigenpairs of {}, "
             "{:.2f} s{}\n",
             out, g.unknowns, g.roots, g.rows, g.columns, g.basis, g.action, seconds.count(),
             g.stopped ? ", stopped: a smaller template may exist" : "");
}

int run(int argc, char** argv) {
  cli::Program program("bifocal-generate",
                       "Writes a solver of a minimal problem from its equations.", BIFOCAL_VERSION,
                       "Exit codes: 0 ok, 2 usage, 3 input or output.");
  const cli::Command command = program.only_command();
  std::string problem, out;
  std::uint64_t seed = 0;
  command.option("PROBLEM", problem, "file of the problem").required();
  command.option("-o,--out", out, "the lane file to write").required();
  command.option("--seed", seed, "of the random data and orders of pruning; added to the problem's")
      .whole_number()
      .shows_default();
  command.runs([&] { generate(problem, out, seed); });
  program.run(argc, argv);
  return cli::kExitOk;
}

}  // namespace
}  // namespace bifocal::generate

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);  // a closed pipe becomes a failed write with an error message
  return bifocal::cli::exit_code_of("bifocal-generate",
                                    [&] { return bifocal::generate::run(argc, argv); });
}
