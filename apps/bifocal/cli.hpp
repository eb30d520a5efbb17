// SPDX-License-Identifier: BSD-3-Clause
// Common options and JSON output of the commands.
#pragma once

#include <bifocal/device.hpp>
#include <cstdint>
#include <future>
#include <bifocal/error.hpp>
#include <string>
#include <string_view>

#include "console.hpp"
#include "jobs/json.hpp"
#include "program.hpp"
#include "jobs/stage_times.hpp"

namespace bifocal::cli {

using namespace jobs;

class Command;  // arguments.hpp
class Option;
class Program;

struct Context {
  std::string command_line;  // as typed, quoted for a shell
  int exit_code = kExitOk;   // set by the command that ran
  HlocImport import_hloc;    // may be empty
  StageTimes times;          // of the process
};

// Each function adds its command to the program. The command runs after the arguments have
// been parsed.
void add_pair(Program& program, Context& context);
void add_rectify(Program& program, Context& context);
void add_stereo(Program& program, Context& context);
void add_estimate(Program& program, Context& context);
void add_verify(Program& program, Context& context);
void add_shards(Program& program, Context& context);  // plan, run-shard, merge
void add_collect(Program& program, Context& context);
void add_report(Program& program, Context& context);
void add_adjust(Program& program, Context& context);
void add_dense(Program& program, Context& context);
void add_map(Program& program, Context& context);
void add_devices(Program& program, Context& context);

// Options of every command that computes.
struct CommonOptions {
  std::string device = "auto";
  bool mixed_devices = false;  // for commands that take several devices
  int threads = 0;
  bool json = false;
};
// Adds the options of commands that work on one pair. `--device` is the CPU by default, because a
// GPU gains little on one pair if its start counts.
void add_common(const Command& command, CommonOptions& options);
// Adds the options of commands with much work for one device, which chosen_devices() returns.
void add_common_of_large(const Command& command, CommonOptions& options);
// Adds the options of commands on which several devices may work.
void add_common_of_many(const Command& command, CommonOptions& options);

// Returns the device of a command that works on one device. "auto" is the best device, as in
// Device("auto"), or the CPU with a warning on stderr if that device cannot be used. Throws
// Error(device) with the available devices.
Device chosen_device(const CommonOptions& options);
// Creates the context of a GPU in another thread, because this takes longer than decoding an image.
std::future<Device> starting_device(const CommonOptions& options);
// Returns the devices of a command on which several devices may work. "auto" is one device, as in
// chosen_device().
DeviceSet chosen_devices(const CommonOptions& options);

// Help texts of arguments that several commands have.
inline constexpr const char* kModelHelp =
    "folder with cameras, images and points3D, .bin or .txt, or a folder with one such folder";
inline constexpr const char* kOverwriteHelp =
    "replace files in --out that no earlier run with the same inputs made";
inline constexpr const char* kStrictHelp =
    "end with exit code 5 if the cameras are doubted (`doubt` in the JSON) or repeated structure "
    "explains the matches equally well (`repetition`)";

// Rethrows the current exception. In a usage error, replaces the name of a library option by its
// command-line flag.
[[noreturn]] void rethrow_renamed(const Error& error, std::string_view option,
                                  std::string_view flag);

// Says on stderr that disparity.png stores negative disparities as unknown; nothing for lost = 0.
void print_lost_disparities(std::int64_t lost, bool has_raw);
// Prints a line "bifocal: TEXT" on stderr, in UTF-8 like print_out().
void print_note(std::string_view text);
// Prints a line "bifocal: warning: TEXT" unless the text is empty.
void warn(std::string_view text);

}  // namespace bifocal::cli
