// SPDX-License-Identifier: BSD-3-Clause
#include "robust_options.hpp"

#include <algorithm>

#include "option_fields.hpp"

namespace bifocal::cli {

void add_robust_options(const Command& command, RobustOptions& options) {
  add_flags(command, options,
            FlagChanges()
                .leave_out(options.min_iterations)
                .change(options.confidence, {.range = Range::within(0.5, 0.999999)})
                .change(options.max_iterations, {.range = Range::within(1, 1e8)}));
  command.after_parsing([&options] {
    options.min_iterations = std::min(options.min_iterations, options.max_iterations);
  });
}

}  // namespace bifocal::cli
