// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <string>

#include "bench.hpp"

namespace bifocal::bench {

// Record NAME/threads2, ms: `body` with two threads and with one, alternately. `make` makes the
// body if the case passes the filter.
void report_thread_speedup(Context& context, const std::string& suite, const std::string& name,
                           const std::function<std::function<void()>()>& make);

}  // namespace bifocal::bench
