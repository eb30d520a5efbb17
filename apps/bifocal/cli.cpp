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
              "auto or cpu; rectify, stereo, estimate --scenes and bench also run on cuda[:i] and "
              "opencl[:i]")
      .shows_default();
  command
      .option("--threads", options.threads,
              "most threads to use, 0: all cores; never changes the result")
      .in_range(0, 4096)
      .shows_default();
  command.flag("--json", options.json, "print the result as JSON on stdout");
}

std::string resolve_device(const std::string& device) {
  if (device == "auto" || device == "cpu") return "cpu";
  const std::string kind = device.substr(0, device.find(':'));
  if (kind == "cuda" || kind == "opencl") {
    throw Error(
        ErrorCode::device,
        fmt::format("--device {}: this command runs on the CPU only; use --device cpu", device));
  }
  throw Error(ErrorCode::usage, fmt::format("--device {}: not a device; use auto or cpu", device));
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
