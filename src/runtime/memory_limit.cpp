// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/memory_limit.hpp"

#include <fmt/format.h>
#include <bifocal/error.hpp>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <string_view>

namespace bifocal::runtime {
namespace {

constexpr const char* kName = "BIFOCAL_DEVICE_MEMORY";

std::int64_t parsed(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
  const int shift = unit.empty() ? 0 : unit == "K" ? 10 : unit == "M" ? 20 : unit == "G" ? 30 : -1;
  if (error != std::errc() || shift < 0 || number < 1 || number > INT64_MAX >> 30)
    throw Error(ErrorCode::usage,
                fmt::format("{} = '{}', must be bytes, or a number with K, M or G", kName, text));
  return number << shift;
}

}  // namespace

std::optional<std::int64_t> memory_limit() {
  const char* text = std::getenv(kName);
  if (!text || *text == '\0') return std::nullopt;
  return parsed(text);
}

Backend::Backend(DeviceInfo info) : info_(std::move(info)) {
  if (info_.kind == DeviceKind::cpu) return;
  const std::int64_t limit = memory_limit().value_or(INT64_MAX);
  info_.memory = info_.memory > 0 ? std::min(info_.memory, limit) : info_.memory;
  info_.largest_buffer = std::min(info_.largest_buffer, limit);
}

std::shared_ptr<BackendMemory> allocate_within_limit(Backend& backend, std::size_t bytes) {
  const DeviceInfo& info = backend.info();
  const std::optional<std::int64_t> limit =
      info.kind == DeviceKind::cpu ? std::nullopt : memory_limit();
  if (!limit) return backend.allocate(bytes);
  const auto size = static_cast<std::int64_t>(bytes);
  const std::int64_t before = backend.limited.fetch_add(size);
  const auto give_back = [&backend, size](const void*) { backend.limited -= size; };
  const std::shared_ptr<const void> taken(&backend, give_back);
  if (before + size > *limit)
    throw Error(
        ErrorCode::device,
        fmt::format("{} ({}): out of memory: {} bytes requested, {} of {} free ({})", info.id,
                    info.name, bytes, std::max<std::int64_t>(0, *limit - before), *limit, kName));
  std::shared_ptr<BackendMemory> memory = backend.allocate(bytes);
  BackendMemory* const address = memory.get();
  // The deleter frees the memory before its bytes are returned to the limit.
  return {address, [taken, memory = std::move(memory)](BackendMemory*) mutable { memory.reset(); }};
}

bool is_out_of_memory(const Error& error) {
  return error.code() == ErrorCode::device &&
         std::string_view(error.what()).find("out of memory") != std::string_view::npos;
}

}  // namespace bifocal::runtime
