// SPDX-License-Identifier: BSD-3-Clause
#include "cli.hpp"

#include <fmt/format.h>
#include <bifocal/error.hpp>

#include <cctype>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>

namespace bifocal::cli {

void add_common(CLI::App& command, CommonOptions& options) {
  command
      .add_option(
          "--device", options.device,
          "auto or cpu; rectify, stereo, estimate --scenes and bench also run on cuda[:i] and "
          "opencl[:i]")
      ->capture_default_str();
  command
      .add_option("--threads", options.threads,
                  "most threads to use, 0: all cores; never changes the result")
      ->check(in_range(0, 4096))
      ->capture_default_str();
  command.add_flag("--json", options.json, "print the result as JSON on stdout");
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

namespace {

// 010 and 0x10, which would be read as octal and hexadecimal.
bool has_base(const std::string& text) {
  const std::size_t at = text.find_first_not_of("+-");
  return at + 1 < text.size() && text[at] == '0' &&
         std::isalnum(static_cast<unsigned char>(text[at + 1])) != 0 && text[at + 1] != 'e';
}

}  // namespace

CLI::Validator whole_number() {
  return {[](std::string& text) {
            std::uint64_t value = 0;
            const char* end = text.data() + text.size();
            const auto [stop, error] = std::from_chars(text.data(), end, value);
            if (text.empty() || stop != end || has_base(text))
              return fmt::format("{} is not a whole number", text);
            return error == std::errc() ? std::string()
                                        : fmt::format("{} is out of range: below 2^64", text);
          },
          ""};
}

CLI::Validator in_range(double lo, double hi) {
  const std::string range = hi < std::numeric_limits<double>::infinity()
                                ? fmt::format("[{}, {}]", lo, hi)
                                : fmt::format("{} or more", lo);
  return {[=](std::string& text) {
            double value = std::numeric_limits<double>::quiet_NaN();
            if (has_base(text) || !CLI::detail::lexical_cast(text, value))
              return fmt::format("{} is not a number", text);
            return value >= lo && value <= hi ? std::string()
                                              : fmt::format("{} is out of range: {}", text, range);
          },
          range};
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
