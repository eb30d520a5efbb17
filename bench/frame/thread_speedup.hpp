// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <string>

#include "bench.hpp"

namespace bifocal::bench {

// Record NAME/threads2, ms: `body` with two threads against the same with one, in turn. `make`
// makes it when the case is wanted.
void report_thread_speedup(Context& context, const std::string& suite, const std::string& name,
                           const std::function<std::function<void()>()>& make);

}  // namespace bifocal::bench
