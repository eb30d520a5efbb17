// SPDX-License-Identifier: BSD-3-Clause
#include <bifocal/device.hpp>

#include <fmt/format.h>

#include <algorithm>

#include "runtime/backend.hpp"
#include "runtime/built_parts.h"

namespace bifocal {
namespace {

using runtime::Backend;
using runtime::Devices;

// Each kind of device is searched on first use, once per process, because starting a GPU's
// driver takes long. The lists are never destroyed: queues and buffers may outlive every
// other static object.
const std::shared_ptr<Backend>& cpu_backend() {
  static const auto& cpu = *new std::shared_ptr<Backend>(runtime::make_cpu_backend());
  return cpu;
}

const Devices& cuda_devices() {
  static const Devices& devices = *new Devices([]() -> Devices {
    if constexpr (BIFOCAL_HAS_CUDA)
      return runtime::find_cuda_devices();
    else
      return {{},
              "this build was made without CUDA",
              "build Bifocal with nvcc (Debian: nvidia-cuda-toolkit) and -DBIFOCAL_CUDA=ON"};
  }());
  return devices;
}

const Devices& opencl_devices() {
  static const Devices& devices = *new Devices([]() -> Devices {
    if constexpr (BIFOCAL_HAS_OPENCL)
      return runtime::find_opencl_devices();
    else
      return {{},
              "this build was made without OpenCL",
              "build Bifocal with ocl-icd-opencl-dev and opencl-headers installed and "
              "-DBIFOCAL_OPENCL=ON"};
  }());
  return devices;
}

std::shared_ptr<Backend> best_device() {
  if (const Devices& cuda = cuda_devices(); !cuda.backends.empty()) return cuda.backends.front();
  // GPUs come first, because an OpenCL driver for the CPU is slower than the CPU's own code.
  if (const Devices& opencl = opencl_devices();
      !opencl.backends.empty() && opencl.backends.front()->info().is_gpu)
    return opencl.backends.front();
  return cpu_backend();
}

[[noreturn]] void refuse(std::string_view id) {
  std::string text = fmt::format("device '{}': there is no such device. There is ", id);
  const std::vector<DeviceInfo> devices = list_devices();
  const auto has_kind = [&](DeviceKind kind) {
    return std::ranges::any_of(devices, [&](const DeviceInfo& d) { return d.kind == kind; });
  };
  for (std::size_t i = 0; i < devices.size(); ++i)
    text += fmt::format("{}{} ({})", i == 0 ? "" : ", ", devices[i].id, devices[i].name);
  for (const MissingDevices& missing : missing_devices())
    text += fmt::format(". No {}{} device: {}; {}", has_kind(missing.kind) ? "further " : "",
                        missing.kind == DeviceKind::cuda ? "CUDA" : "OpenCL", missing.reason,
                        missing.remedy);
  throw Error(ErrorCode::device, text);
}

// Throws unless the text is a valid device id, whether the device exists or not.
void check_word(std::string_view id, std::string_view kind) {
  const auto fail = [&](std::string_view why) {
    throw Error(ErrorCode::usage, fmt::format("device '{}': {}", id, why));
  };
  const std::string_view number =
      kind.size() == id.size() ? std::string_view("0") : id.substr(kind.size() + 1);
  const bool is_number = !number.empty() && number.find_first_not_of("0123456789") == number.npos;
  if (id.find(',') != id.npos || number == "all") fail("one device is expected here");
  if (!(kind == "cuda" || kind == "opencl") || !is_number)
    fail("must be cpu, auto, cuda, cuda:NUMBER, opencl or opencl:NUMBER");
}

std::shared_ptr<Backend> find_device(std::string_view id) {
  if (id == "cpu") return cpu_backend();
  if (id == "auto") return best_device();
  const std::string_view kind = id.substr(0, id.find(':'));
  check_word(id, kind);
  if (kind == "cuda" || kind == "opencl") {
    for (const auto& backend : (kind == "cuda" ? cuda_devices() : opencl_devices()).backends)
      // A kind without a number selects its first device.
      if (id == kind || id == backend->info().id) return backend;
  }
  refuse(id);
}

}  // namespace

std::vector<DeviceInfo> list_devices() {
  std::vector<DeviceInfo> infos = {cpu_backend()->info()};
  for (const Devices* devices : {&cuda_devices(), &opencl_devices()})
    for (const auto& backend : devices->backends) infos.push_back(backend->info());
  return infos;
}

std::vector<MissingDevices> missing_devices() {
  std::vector<MissingDevices> missing;
  const auto add = [&](DeviceKind kind, const Devices& devices) {
    if (!devices.reason.empty()) missing.push_back({kind, devices.reason, devices.remedy});
  };
  add(DeviceKind::cuda, cuda_devices());
  add(DeviceKind::opencl, opencl_devices());
  return missing;
}

WorkingDevice working_or_cpu(const Device& device, const std::function<void(const Device&)>& open) {
  try {
    open(device);
    return {device, {}};
  } catch (const Error& e) {
    if (e.code() != ErrorCode::device) throw;
    const DeviceInfo& info = device.info();
    return {Device(), fmt::format("{} ({}) cannot be used, the CPU is used instead: {}", info.id,
                                  info.name, e.what())};
  }
}

WorkingDevice best_working_device() {
  return working_or_cpu(Device("auto"), [](const Device& best) {
    const Queue queue(best);  // the first queue creates the context
  });
}

Device::Device() : backend_(cpu_backend()) {}
Device::Device(std::string_view id) : backend_(find_device(id)) {}
const DeviceInfo& Device::info() const { return backend_->info(); }

}  // namespace bifocal
