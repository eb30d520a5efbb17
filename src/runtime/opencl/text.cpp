// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/opencl/text.hpp"

#include <bifocal/error.hpp>

#include <fmt/format.h>

#include <map>
#include <mutex>
#include <span>

namespace bifocal::runtime {

// Returns every source registered by bifocal_embed_opencl(). Generated.
std::span<const OpenClText> embedded_opencl_texts();

namespace {

struct Texts {
  std::mutex mutex;
  std::map<std::string_view, std::string_view> by_name;
  Texts() {
    for (const OpenClText& text : embedded_opencl_texts()) by_name[text.name] = text.text;
  }
};

Texts& texts() {
  static Texts& all = *new Texts;
  return all;
}

}  // namespace

std::string_view opencl_text(std::string_view name) {
  Texts& all = texts();
  const std::lock_guard lock(all.mutex);
  const auto found = all.by_name.find(name);
  if (found == all.by_name.end())
    throw Error(ErrorCode::device, fmt::format("this build holds no OpenCL text '{}'", name));
  return found->second;
}

void add_opencl_text(const OpenClText& text) {
  Texts& all = texts();
  const std::lock_guard lock(all.mutex);
  all.by_name.insert_or_assign(text.name, text.text);
}

}  // namespace bifocal::runtime
