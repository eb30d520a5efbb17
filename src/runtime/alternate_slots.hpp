// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>

namespace bifocal::runtime {

// Processes pieces of work in two alternating slots: while the device works on the piece of one
// slot, the host prepares the next piece in the second. start(slot) begins the next piece in slot
// 0 or 1 and returns false after the last piece; finish(slot) waits for the piece of a slot, if
// it has one.
template <class Start, class Finish>
void alternate_slots(const Start& start, const Finish& finish) {
  std::size_t slot = 0;
  for (bool more = true; more; slot = 1 - slot) {
    finish(slot);
    more = start(slot);
  }
  finish(slot);
}

}  // namespace bifocal::runtime
