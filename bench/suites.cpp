// SPDX-License-Identifier: BSD-3-Clause
#include "bench.hpp"

namespace bifocal::bench {

// One line a suite; each is defined in bench/suite_NAME.cpp.

const std::vector<Suite>& suites() {
  static const std::vector<Suite> all = {
  };
  return all;
}

}  // namespace bifocal::bench
