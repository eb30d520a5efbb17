// SPDX-License-Identifier: BSD-3-Clause
// Generates the source of a solver from the source of a problem. Equal input and seed give the
// same bytes.
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
  bool stopped = false;  // the search was ended early, which the head of the file reports
};

// `file` is named in errors; the seed is added to the seed of the problem. Throws Error(input).
Generated generate_solver(std::string_view text, const std::string& file, std::uint64_t seed,
                          const Watch& watch = {});

}  // namespace bifocal::generate
