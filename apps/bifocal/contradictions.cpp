// SPDX-License-Identifier: BSD-3-Clause
#include "contradictions.hpp"

#include <fmt/format.h>

namespace bifocal::cli {

Contradictions print_contradictions(const std::vector<colmap::ContradictingPair>& pairs,
                                    bool are_dropped) {
  Contradictions found = described(pairs);
  for (const std::string& text : found.texts)
    warn(fmt::format("{}{}", text, are_dropped ? ": left out" : ""));
  return found;
}

}  // namespace bifocal::cli
