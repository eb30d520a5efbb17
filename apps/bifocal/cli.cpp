// SPDX-License-Identifier: BSD-3-Clause
#include "cli.hpp"

#include <fmt/format.h>
#include <bifocal/error.hpp>
#include <bifocal/io.hpp>
#include <bifocal/device.hpp>

#include "arguments.hpp"

namespace bifocal::cli {
namespace {

void add_threads_and_json(const Command& command, CommonOptions& options) {
  command
      .option("--threads", options.threads,
              "largest number of threads, 0: all cores; does not change the result")
      .in_range(Range::within(0, 4096))
      .shows_default();
  command.flag("--json", options.json, "print the result as JSON on stdout");
}

}  // namespace

void add_common(const Command& command, CommonOptions& options) {
  options.device = "cpu";
  command
      .option("--device", options.device,
              "cpu, cuda[:i] or opencl[:i] (see bifocal devices); auto: a CUDA device, else an "
              "OpenCL GPU, else cpu")
      .shows_default();
  add_threads_and_json(command, options);
}

void add_common_of_large(const Command& command, CommonOptions& options) {
  command
      .option("--device", options.device,
              "cpu, cuda[:i] or opencl[:i] (see bifocal devices); auto: a CUDA device, else an "
              "OpenCL GPU, else cpu")
      .shows_default();
  add_threads_and_json(command, options);
}

void add_common_of_many(const Command& command, CommonOptions& options) {
  command
      .option("--device", options.device,
              "cpu, cuda[:i] or opencl[:i] (see bifocal devices), or several: cuda:all, "
              "cuda:0,cuda:1; auto: a CUDA device, else an OpenCL GPU, else cpu")
      .shows_default();
  command.flag(
      "--mixed-devices", options.mixed_devices,
      "allow devices of different kinds; results may then differ between runs in the last bits");
  add_threads_and_json(command, options);
}

void rethrow_renamed(const Error& error, std::string_view option, std::string_view flag) {
  std::string text = error.what();
  const std::size_t at = text.find(option);
  if (error.code() != ErrorCode::usage || at == std::string::npos) throw;
  throw Error(error.code(), text.replace(at, option.size(), flag));
}

namespace {

// A GPU that is busy or broken must not make the command fail.
Device best_device() {
  const WorkingDevice best = best_working_device();
  warn(best.warning);
  return best.device;
}

}  // namespace

Device chosen_device(const CommonOptions& options) {
  return options.device == "auto" ? best_device() : Device(options.device);
}

std::future<Device> starting_device(const CommonOptions& options) {
  return std::async(std::launch::async, [options] {
    Queue queue(chosen_device(options));  // the first queue creates the context
    return queue.device();
  });
}

DeviceSet chosen_devices(const CommonOptions& options) {
  if (options.device == "auto") return best_device();
  DeviceSet devices(options.device, MixedDevices::allowed);
  if (devices.is_mixed() && !options.mixed_devices)
    throw Error(ErrorCode::usage,
                fmt::format("--device {}: the devices differ in kind, name or driver, so results "
                            "may differ in the last bits; allow this with --mixed-devices",
                            options.device));
  return devices;
}

void print_lost_disparities(std::int64_t lost, bool has_raw) {
  if (lost == 0) return;
  print_note(fmt::format("disparity.png: {} negative disparities are stored as unknown ({})", lost,
                         has_raw ? "disparity_raw.pfm has them"
                                 : "--all-files writes disparity_raw.pfm, which has them"));
}

void print_note(std::string_view text) { fmt::print(stderr, "bifocal: {}\n", valid_utf8(text)); }

void warn(std::string_view text) {
  if (!text.empty()) print_note(fmt::format("warning: {}", text));
}

}  // namespace bifocal::cli
