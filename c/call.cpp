// SPDX-License-Identifier: BSD-3-Clause
// Errors, versions, threads and arrays.
#include "call.hpp"

#include <bifocal/device.hpp>
#include <bifocal/version.hpp>

#include <cstdio>
#include <filesystem>
#include <memory>
#include <mutex>
#include <new>
#include <stdexcept>

#include "arrays.hpp"

namespace bifocal::c {
namespace {

// Of fixed size, because a message about missing memory must not need memory.
thread_local char message[4096] = "";

int store(int code, const char* function, const char* text) noexcept {
  // The exception may refer to the old message.
  char made[sizeof message];
  std::snprintf(made, sizeof made, "%s: %s", function, text);
  std::memcpy(message, made, sizeof message);
  return code;
}

}  // namespace

int failure(const char* function) noexcept {
  try {
    throw;
  } catch (const Error& e) {
    return store(static_cast<int>(e.code()), function, e.what());
  } catch (const Cancelled&) {
    return store(BF_CANCELLED, function, "cancelled by a callback");
  } catch (const std::bad_alloc&) {
    return store(BF_MEMORY, function, "memory does not suffice");
  } catch (const std::length_error&) {
    return store(BF_MEMORY, function, "an array of this length cannot exist");
  } catch (const std::filesystem::filesystem_error& e) {
    return store(BF_INPUT, function, e.what());
  } catch (const std::exception& e) {
    return store(BF_INTERNAL, function, e.what());
  } catch (...) {
    return store(BF_INTERNAL, function, "an exception of unknown type");
  }
}

void check_array(const bf_array& a, std::int32_t type, std::size_t bytes, const char* name) {
  if (a.rows < 0 || a.columns < 0)
    throw usage("{}: {} rows of {} columns", name, a.rows, a.columns);
  if (!a.data && a.rows > 0) throw usage("{}: its data is NULL", name);
  if (a.type != type) throw usage("{}: its type is {}, must be {} (bf_type)", name, a.type, type);
  const auto channels = std::int64_t{a.channels > 0 ? a.channels : 1};
  const auto row = channels * a.columns * static_cast<std::int64_t>(bytes);
  if (a.stride != 0 && a.stride < row)
    throw usage("{}: its stride is {} bytes, a row has {}", name, a.stride, row);
  if (a.place != BF_HOST && a.place != BF_CUDA)
    throw usage("{}: its place is {}, must be BF_HOST or BF_CUDA", name, a.place);
}

void need_host(const bf_array& a, const char* name) {
  if (a.place != BF_HOST)
    throw usage("{}: is in the memory of a device (BF_CUDA), this function takes BF_HOST only",
                name);
}

void need_columns(const bf_array& a, int least, int most, const char* name) {
  if (a.columns >= least && a.columns <= most && a.channels >= 0 && a.channels <= 1) return;
  const std::string wanted =
      least == most ? fmt::format("{}", least) : fmt::format("{} to {}", least, most);
  throw usage("{}: has {} columns and {} channels, must have {} columns", name, a.columns,
              a.channels, wanted);
}

namespace {

template <class T>
ImageView<const T> image_view(const bf_array& a, const char* name) {
  check_array(a, type_of<T>(), sizeof(T), name);
  need_host(a, name);
  constexpr int kMost = std::numeric_limits<int>::max();
  if (a.rows > kMost || a.channels < 0 || a.channels > 4)
    throw usage("{}: {} rows of {} pixels with {} channels", name, a.rows, a.columns, a.channels);
  if (a.stride % std::int64_t{sizeof(T)} != 0 ||
      reinterpret_cast<std::uintptr_t>(a.data) % alignof(T) != 0)
    throw usage("{}: rows begin at odd bytes", name);
  return {static_cast<const T*>(a.data), a.columns, static_cast<int>(a.rows),
          a.channels > 0 ? a.channels : 1, a.stride / std::int64_t{sizeof(T)}};
}

}  // namespace

AnyImageView image_of(const bf_array& a, const char* name) {
  if (a.type == BF_U16) return image_view<std::uint16_t>(a, name);
  return image_view<std::uint8_t>(a, name);
}

ImageView<const std::uint8_t> mask_of(const bf_array* array) {
  if (!array) return {};
  const auto mask = image_view<std::uint8_t>(*array, "mask");
  if (mask.channels != 1) throw usage("mask: has {} channels, must have 1", mask.channels);
  return mask;
}

}  // namespace bifocal::c

using namespace bifocal;
using namespace bifocal::c;

const char* bf_version(void) { return BIFOCAL_VERSION; }
int bf_interface_version(void) { return 1000 * BF_INTERFACE_MAJOR + BF_INTERFACE_MINOR; }
const char* bf_error(void) { return message; }

int bf_set_threads(int threads) {
  return guarded(__func__, [&] {
    static std::mutex mutex;
    static std::unique_ptr<ThreadLimit> limit;
    const std::lock_guard lock(mutex);
    if (threads < 0) throw usage("threads = {}: must be at least 0", threads);
    limit.reset();
    if (threads > 0) limit = std::make_unique<ThreadLimit>(threads);
  });
}
