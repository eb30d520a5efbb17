// SPDX-License-Identifier: BSD-3-Clause
// The commands share common options and the way to JSON.
#pragma once

#include <bifocal/device.hpp>
#include <future>
#include <bifocal/error.hpp>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "console.hpp"

namespace bifocal::cli {

class Command;  // arguments.hpp
class Option;
class Program;

struct Context {
  std::string command_line;  // as typed, quoted for a shell
  int exit_code = kExitOk;   // set by the command that ran
};

// Each adds its command to the program; the command runs when the arguments have been parsed.
void add_pair(Program& program, Context& context);
void add_rectify(Program& program, Context& context);
void add_stereo(Program& program, Context& context);
void add_estimate(Program& program, Context& context);
void add_verify(Program& program, Context& context);
void add_shards(Program& program, Context& context);  // plan, run-shard, merge
void add_collect(Program& program, Context& context);
void add_report(Program& program, Context& context);
void add_devices(Program& program, Context& context);

// Options of every command that computes.
struct CommonOptions {
  std::string device = "auto";
  bool mixed_devices = false;  // of commands that take several
  int threads = 0;
  bool json = false;
};
void add_common(const Command& command, CommonOptions& options);
// Adds the options of commands that several devices may work on.
void add_common_of_many(const Command& command, CommonOptions& options);

// Returns the device of a command that works on one pair; "auto" is the CPU. Throws Error(device)
// naming what there is.
Device chosen_device(const CommonOptions& options);
// Starts the context of a GPU, which takes longer than decoding a picture, in another thread.
std::future<Device> starting_device(const CommonOptions& options);
// Returns the devices of a command that works on many pairs. "auto" is the best device, as in
// Device("auto"), and the CPU if that device cannot be used or `earlier`, the device of the work to
// resume, is a CPU.
DeviceSet chosen_devices(const CommonOptions& options, std::string_view earlier = {});

// Ordered as inserted, so that files read well. Text that isn't UTF-8 (a file name) gets
// replacement characters.
using Json = nlohmann::ordered_json;
std::string to_text(const Json& json);
std::string to_line(const Json& json);  // without the end of the line

// Rethrows the error that is being handled; a usage error names the library's option as the command
// line does.
[[noreturn]] void rethrow_renamed(const Error& error, std::string_view option,
                                  std::string_view flag);

// A line "bifocal: TEXT" on stderr, in UTF-8 as print_out() writes.
void print_note(std::string_view text);
// A line "bifocal: warning: TEXT", unless there is no text.
void warn(std::string_view text);

}  // namespace bifocal::cli
