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
  for (int i = 1; i < argc; ++i) text += " " + shell_quoted(argv[i]);
  return text;
}

int fail(const std::string& message, int code) {
  fmt::print(stderr, "bifocal: {}\n", message);
  return code;
}

int run(int argc, char** argv) {
  CLI::App app("Two-view geometry: two photographs in, geometry out.", "bifocal");
  app.set_version_flag("--version", "bifocal " BIFOCAL_VERSION);
  app.require_subcommand(1);
  app.footer("Exit codes: 0 ok, 2 usage, 3 input or output, 4 device, 5 no geometry found.");
  app.get_formatter()->column_width(34);

  Context context{.command_line = command_line(argc, argv)};
  add_pair(app, context);
  add_rectify(app, context);
  add_stereo(app, context);
  add_estimate(app, context);
  add_bench(app, context);
  add_devices(app, context);
  try {
    app.parse(argc, argv);
    return context.exit_code;
  } catch (const CLI::ParseError& e) {
    if (e.get_exit_code() == 0) return app.exit(e);  // --help, --version
    const auto chosen = app.get_subcommands();
    if (chosen.empty() && argc > 1 && argv[1][0] != '-') {
      return fail(fmt::format("{}: no such command\nSee bifocal --help", argv[1]), kExitUsage);
    }
    const std::string name = chosen.empty() ? "bifocal" : "bifocal " + chosen.front()->get_name();
    return fail(fmt::format("{}\nSee {} --help", e.what(), name), kExitUsage);
  } catch (const Error& e) {
    return fail(e.what(), static_cast<int>(e.code()));
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
