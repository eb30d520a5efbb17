// SPDX-License-Identifier: BSD-3-Clause
// From the text of a problem to the text of a solver. The same text and seed give the same bytes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "generate/watch.hpp"

namespace bifocal::generate {

struct Generated {
  std::string text;
  int unknowns = 0, roots = 0, basis = 0, rows = 0, columns = 0;
  std::string action;
  bool stopped = false;  // the search was ended early, and the text says so
};

// `file` is what errors name; the seed is added to that of the problem. Throws Error(input).
Generated generate_solver(std::string_view text, const std::string& file, std::uint64_t seed,
                          const Watch& watch = {});

}  // namespace bifocal::generate
