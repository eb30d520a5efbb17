// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/opencl/source.hpp"

#include <bifocal/error.hpp>

#include <fmt/format.h>

#include <map>
#include <mutex>
#include <span>

namespace bifocal::runtime {

// Returns every source registered by bifocal_embed_opencl(). Generated.
std::span<const OpenClSource> embedded_opencl_sources();

namespace {

struct Sources {
  std::mutex mutex;
  std::map<std::string_view, std::string_view> by_name;
  Sources() {
    for (const OpenClSource& s : embedded_opencl_sources()) by_name[s.name] = s.source;
  }
};

Sources& sources() {
  static Sources& all = *new Sources;
  return all;
}

}  // namespace

std::string_view opencl_source(std::string_view name) {
  Sources& all = sources();
  const std::lock_guard lock(all.mutex);
  const auto found = all.by_name.find(name);
  if (found == all.by_name.end())
    throw Error(ErrorCode::device, fmt::format("this build holds no OpenCL source '{}'", name));
  return found->second;
}

void add_opencl_source(const OpenClSource& source) {
  Sources& all = sources();
  const std::lock_guard lock(all.mutex);
  all.by_name.insert_or_assign(source.name, source.source);
}

}  // namespace bifocal::runtime
