// SPDX-License-Identifier: BSD-3-Clause
#include "program.hpp"

#include <bifocal/version.hpp>

#include <csignal>

#include "arguments.hpp"
#include "cli.hpp"
#include "interrupt.hpp"
#include "jobs/output_folder.hpp"

namespace bifocal::cli {
namespace {

// Prints texts that a package installs: bash completion and the manual page.
void add_shell(Program& program) {
  const Command completion =
      program.command("completion", "Print a script of bash that completes commands and options");
  completion.runs([&program] { print_out(program.bash_completion()); });
  const Command man = program.command("man", "Print the manual page (roff, for man -l)");
  man.runs([&program] { print_out(program.man_page(BIFOCAL_VERSION)); });
}

int run(int argc, char** argv, const HlocImport& import_hloc, const StageTimes& times) {
  Context context{.command_line = command_line("bifocal", argc, argv),
                  .import_hloc = import_hloc,
                  .times = times};
  Program program(
      "bifocal", "Two-view geometry: two photographs in, geometry out.", BIFOCAL_VERSION,
      "Exit codes: 0 ok, 2 usage, 3 input or output, 4 device, 5 no geometry found or, with "
      "--strict, a doubtful one, 130 interrupted; of shards also 65 damaged input and 75 try "
      "again.");
  add_pair(program, context);
  add_rectify(program, context);
  add_stereo(program, context);
  add_estimate(program, context);
  add_verify(program, context);
  add_shards(program, context);
  add_collect(program, context);
  add_report(program, context);
  add_adjust(program, context);
  add_map(program, context);
  add_dense(program, context);
  add_devices(program, context);
  add_shell(program);
  program.run(argc, argv);
  return context.exit_code;
}

}  // namespace

int run_program(int argc, char** argv, const HlocImport& import_hloc,
                const jobs::StageTimes& times) {
  std::signal(SIGPIPE, SIG_IGN);  // a closed pipe then gives a failed write with a message
  watch_interrupts();
  return exit_code_of(
      "bifocal", [&] { return run(argc, argv, import_hloc, times); },
      OutputFolder::with_final_names);
}

}  // namespace bifocal::cli
