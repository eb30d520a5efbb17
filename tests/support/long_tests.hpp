// SPDX-License-Identifier: BSD-3-Clause
//
// Some tests have a short form, which every run of ctest takes, and a long form with more seeds,
// sizes or devices: the same test under another name, with the label `long` (bifocal_test LONG).
// tests/long_tests.txt lists what only the long forms cover.
#pragma once

#include <cstdlib>

namespace bifocal::test {

// Returns whether the long form runs: $BIFOCAL_LONG_TESTS is set.
inline bool is_long() {
  const char* value = std::getenv("BIFOCAL_LONG_TESTS");
  return value && *value;
}

template <class T>
T short_or_long(T in_short, T in_long) {
  return is_long() ? in_long : in_short;
}

}  // namespace bifocal::test
