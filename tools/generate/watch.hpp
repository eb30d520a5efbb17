// SPDX-License-Identifier: BSD-3-Clause
// Looks on while a template is searched for, and can end the search early.
#pragma once

#include <atomic>
#include <functional>
#include <string>

namespace bifocal::generate {

struct Watch {
  // Is told the share of the search that is done, as far as that can be said, and the best template
  // so far ("11 x 20, 9 eigenpairs of 1/x"; empty where there is none).
  std::function<void(double share, const std::string& best)> tell;
  // Ends the search once it is true: the best template so far is taken.
  const std::atomic<bool>* stop = nullptr;

  [[nodiscard]] bool is_stopped() const { return stop && *stop; }
};

}  // namespace bifocal::generate
