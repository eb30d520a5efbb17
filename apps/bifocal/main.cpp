// SPDX-License-Identifier: BSD-3-Clause
// bifocal: two photographs in, geometry out. Parses the arguments and turns errors into exit codes.
#include <fmt/format.h>
#include <bifocal/error.hpp>
#include <bifocal/version.hpp>

#include <csignal>
#include <new>

#include "arguments.hpp"
#include "cli.hpp"
#include "interrupt.hpp"
#include "output_folder.hpp"

namespace bifocal::cli {
namespace {

// Words that a shell would take apart are put in single quotes.
std::string shell_quoted(const std::string& word) {
  constexpr const char* kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./,:@%";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) return word;
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

std::string command_line(int argc, char** argv) {
  std::string text = "bifocal";
  for (int i = 1; i < argc; ++i) (text += ' ') += shell_quoted(argv[i]);
  return text;
}

int fail(const std::string& message, int code) {
  fmt::print(stderr, "bifocal: {}\n", message);
  return code;
}

int run(int argc, char** argv) {
  Context context{.command_line = command_line(argc, argv)};
  Program program("bifocal", "Two-view geometry: two photographs in, geometry out.",
                  BIFOCAL_VERSION,
                  "Exit codes: 0 ok, 2 usage, 3 input or output, 4 device, 5 no geometry found; "
                  "of shards: 65 the input of this shard is damaged, 75 try again.");
  add_pair(program, context);
  add_rectify(program, context);
  add_stereo(program, context);
  add_estimate(program, context);
  add_verify(program, context);
  add_shards(program, context);
  add_collect(program, context);
  add_report(program, context);
  add_bench(program, context);
  add_devices(program, context);
  try {
    program.run(argc, argv);
    return context.exit_code;
  } catch (const Error& e) {
    return fail(OutputFolder::with_final_names(e.what()), static_cast<int>(e.code()));
  } catch (const std::bad_alloc&) {
    return fail("out of memory", kExitInternal);
  } catch (const std::exception& e) {
    return fail(fmt::format("internal error: {}", e.what()), kExitInternal);
  }
}

}  // namespace
}  // namespace bifocal::cli

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);  // a closed pipe is a failed write with a message
  bifocal::cli::watch_interrupts();
  return bifocal::cli::run(argc, argv);
}
