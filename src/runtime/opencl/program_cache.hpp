// SPDX-License-Identifier: BSD-3-Clause
// Compiled programs on disk: $XDG_CACHE_HOME/bifocal, else ~/.cache/bifocal. BIFOCAL_CACHE=off in
// the environment disables the cache. An entry is used only if it is complete (correct length and
// checksum) and its full key matches. Failures are never errors: an unreadable entry is built
// again, an unwritable one is not stored. Processes may share the folder: entries are written under
// a unique name and renamed.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace bifocal::runtime {

// All inputs that determine a compiled program.
struct ProgramKey {
  std::string_view source;
  std::string options, device, driver, platform;
};

// Returns the compiled program for a key; empty if the cache has none.
[[nodiscard]] std::string read_cached_program(const ProgramKey& key);
void write_cached_program(const ProgramKey& key, std::string_view program) noexcept;

}  // namespace bifocal::runtime
