// SPDX-License-Identifier: BSD-3-Clause
// Devices and queues.
#include <bifocal/device.hpp>

#include "handles.hpp"

using namespace bifocal;
using namespace bifocal::c;

namespace {

// Kept, because descriptions of devices have texts.
const std::vector<DeviceInfo>& devices() {
  static const auto* all = new std::vector<DeviceInfo>(list_devices());
  return *all;
}

}  // namespace

int bf_device_count(int64_t* count) {
  return guarded(__func__, [&] { need(count, "count") = std::ssize(devices()); });
}

int bf_device_get(int64_t index, bf_device_info* out) {
  return guarded(__func__, [&] {
    const DeviceInfo& d = item(devices(), index);
    give({sizeof *out, d.id.c_str(), d.name.c_str(), d.driver.c_str(), d.memory, d.cores, d.is_gpu},
         out);
  });
}

int bf_queue_open(const char* names, bf_queue** out) {
  return guarded(__func__, [&] {
    bf_queue*& to = output(out);
    const std::string text = &need(names, "devices");
    const bool is_auto = text == "auto";
    const WorkingDevice best = is_auto ? best_working_device() : WorkingDevice{};
    DeviceSet set = is_auto ? DeviceSet(best.device) : DeviceSet(text);
    Queue queue(set.devices().front());
    std::string id = set.id();
    to = new bf_queue{std::move(set), std::move(queue), is_auto, std::move(id), best.warning};
  });
}

int bf_queue_get(const bf_queue* queue, bf_queue_info* out) {
  return guarded(__func__, [&] {
    const bf_queue& q = need(queue, "queue");
    give({sizeof *out, q.id.c_str(), q.warning.c_str()}, out);
  });
}

void bf_queue_free(bf_queue* queue) { delete queue; }
