// SPDX-License-Identifier: BSD-3-Clause
// Compiled programs on disk: $XDG_CACHE_HOME/bifocal, else ~/.cache/bifocal; BIFOCAL_CACHE=off in
// the environment bypasses it. An entry is used only when it is whole (its length and checksum are
// right) and its full key is the one asked for. Nothing here is ever an error: what can't be read
// is built again, what can't be written is not kept. Processes may share the folder: entries are
// written under a name of their own and then renamed.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace bifocal::runtime {

// All that a compiled program depends on.
struct ProgramKey {
  std::string_view source;
  std::string options, device, driver, platform;
};

// The compiled program of that key; empty: there is none.
[[nodiscard]] std::string read_cached_program(const ProgramKey& key);
void write_cached_program(const ProgramKey& key, std::string_view program) noexcept;

}  // namespace bifocal::runtime
