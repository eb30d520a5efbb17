// SPDX-License-Identifier: BSD-3-Clause
#include "robust/columns.hpp"

#include <utility>

#include "robust/philox.hpp"

namespace bifocal::robust {

// R. Durstenfeld, CACM 7(7), 1964.
void shuffle(std::vector<int>& order, std::uint64_t seed) {
  TrialRandom random(seed, 0, 0, TrialRandom::Purpose::order);
  for (size_t i = order.size(); i > 1; --i) {
    std::swap(order[i - 1], order[random.below(static_cast<std::uint32_t>(i))]);
  }
}

}  // namespace bifocal::robust
