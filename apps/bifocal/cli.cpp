// SPDX-License-Identifier: BSD-3-Clause
#include "cli.hpp"

#include <fmt/format.h>
#include <bifocal/error.hpp>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <nlohmann/json.hpp>

#include "arguments.hpp"

namespace bifocal::cli {

void add_common(const Command& command, CommonOptions& options) {
  command
      .option("--device", options.device,
              "cpu, cuda[:i] or opencl[:i] (see bifocal devices); auto is cpu")
      .shows_default();
  command
      .option("--threads", options.threads,
              "most threads to use, 0: all cores; never changes the result")
      .in_range(0, 4096)
      .shows_default();
  command.flag("--json", options.json, "print the result as JSON on stdout");
}

Device chosen_device(const CommonOptions& options) {
  return options.device == "auto" ? Device() : Device(options.device);
}

std::string to_text(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

void print_out(const std::string& text) {
  const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  if (!written || std::fflush(stdout) != 0) {
    throw Error(ErrorCode::input, fmt::format("stdout: can't write: {}", std::strerror(errno)));
  }
}

}  // namespace bifocal::cli
