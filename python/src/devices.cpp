// SPDX-License-Identifier: BSD-3-Clause
#include "devices.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>
#include <unistd.h>
#include <bifocal/device.hpp>

#include <map>
#include <mutex>

#include "options.hpp"

namespace bifocal::python {
namespace {

struct Pool {
  std::mutex mutex;
  std::multimap<std::string, std::unique_ptr<Queue>> idle;
  bool used_gpu = false;
  pid_t owner = getpid();
};
// Never destroyed, because a driver may be unloaded before the process ends.
Pool*& pool() {
  static Pool* the_pool = new Pool;
  return the_pool;
}

const char* kind_name(DeviceKind kind) {
  return kind == DeviceKind::cpu ? "cpu" : kind == DeviceKind::cuda ? "cuda" : "opencl";
}

// Forgets all queues in a child process, because GPU contexts do not survive fork().
void after_fork_in_child() {
  auto* fresh = new Pool;
  fresh->used_gpu = pool()->used_gpu;
  fresh->owner = fresh->used_gpu ? pool()->owner : getpid();
  pool() = fresh;
}

bool has_idle_queue(const std::string& device) {
  const std::lock_guard lock(pool()->mutex);
  return pool()->idle.contains(device);
}

}  // namespace

QueueLease::QueueLease(const std::string& device) : device_(resolved_device(device)) {
  Pool& p = *pool();
  {
    const std::lock_guard lock(p.mutex);
    if (const auto found = p.idle.find(device_); found != p.idle.end()) {
      queue_ = std::move(found->second);
      p.idle.erase(found);
      return;
    }
  }
  if (device_ != "cpu" && has_lost_gpus())
    throw Error(ErrorCode::device,
                fmt::format("device '{}': this process was forked from one that used a GPU, whose "
                            "driver does not survive that; start it by multiprocessing's spawn",
                            device_));
  queue_ = std::make_unique<Queue>(Device(device_));
  if (is_cpu()) return;
  const std::lock_guard lock(p.mutex);
  p.used_gpu = true;
}

QueueLease::~QueueLease() {
  if (!queue_) return;
  const std::lock_guard lock(pool()->mutex);
  pool()->idle.emplace(device_, std::move(queue_));
}

void warn(const std::string& text) {
  if (text.empty()) return;
  const nb::gil_scoped_acquire locked;
  if (PyErr_WarnEx(PyExc_RuntimeWarning, text.c_str(), 1) != 0) throw nb::python_error();
}

bool has_lost_gpus() { return pool()->owner != getpid(); }

std::string resolved_device(const std::string& device) {
  if (device != "auto") return device;
  if (has_lost_gpus()) {
    warn("device 'auto' is the CPU: this process was forked from one that used a GPU");
    return "cpu";
  }
  const std::string wanted = Device("auto").info().id;
  if (has_idle_queue(wanted)) return wanted;
  const WorkingDevice best = best_working_device();
  warn(best.warning);
  return best.device.info().id;
}

std::string device_for(const std::optional<std::string>& device, const AnyArray* array,
                       const char* name) {
  if (!array || !on_cuda(*array)) return resolved_device(device.value_or("cpu"));
  const std::string own = fmt::format("cuda:{}", array->device_id());
  if (!device || *device == "auto") return own;
  const bool same = *device == own || (*device == "cuda" && own == Device("cuda").info().id);
  if (!same)
    value_error(fmt::format("{}: in the memory of {}, but device is '{}'", name, own, *device));
  return own;
}

void bind_devices(nb::module_& m) {
  m.def(
      "devices",
      [] {
        std::vector<DeviceInfo> all;
        {
          const Unlocked unlocked;
          all = list_devices();
        }
        nb::list out;
        for (const DeviceInfo& d : all) {
          nb::dict one;
          one["id"] = d.id, one["kind"] = kind_name(d.kind), one["name"] = d.name;
          one["driver"] = d.driver, one["simd"] = d.simd, one["cores"] = d.cores;
          one["memory"] = d.memory, one["has_double"] = d.has_double, one["is_gpu"] = d.is_gpu;
          out.append(one);
        }
        return out;
      },
      nb::sig("def devices() -> list[dict[str, typing.Any]]"),
      "Lists the available devices (bifocal.devices).");
  m.def(
      "missing_devices",
      [] {
        nb::list out;
        for (const MissingDevices& d : missing_devices()) {
          nb::dict one;
          one["kind"] = kind_name(d.kind), one["reason"] = d.reason, one["remedy"] = d.remedy;
          out.append(one);
        }
        return out;
      },
      nb::sig("def missing_devices() -> list[dict[str, str]]"),
      "Lists the missing kinds of devices (bifocal.missing_devices).");
  m.def("after_fork_in_child", &after_fork_in_child,
        "Forgets the open devices in a child process; called by os.register_at_fork.");
  nb::class_<ThreadLimit>(m, "ThreadLimit").def(nb::init<int>(), nb::arg("threads"));
}

}  // namespace bifocal::python
