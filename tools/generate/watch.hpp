// SPDX-License-Identifier: BSD-3-Clause
// Observes the search for a template, and can end it early.
#pragma once

#include <atomic>
#include <functional>
#include <string>

namespace bifocal::generate {

struct Watch {
  // Receives the completed fraction of the search, as far as it is known, and the best template so
  // far ("11 x 20, 9 eigenpairs of 1/x"; empty without one).
  std::function<void(double share, const std::string& best)> report;
  // Ends the search when it is true; the best template so far is used.
  const std::atomic<bool>* stop = nullptr;

  [[nodiscard]] bool is_stopped() const { return stop && *stop; }
};

}  // namespace bifocal::generate
