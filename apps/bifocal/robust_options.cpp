// SPDX-License-Identifier: BSD-3-Clause
#include "robust_options.hpp"

#include <algorithm>

#include "arguments.hpp"

namespace bifocal::cli {

void add_robust_options(const Command& command, RobustOptions& options) {
  command.option("--threshold", options.threshold, "largest error of an inlier, px")
      .in_range(1e-3, 1e3)
      .shows_default();
  command.option("--confidence", options.confidence, "of having drawn a sample without outliers")
      .in_range(0.5, 0.999999)
      .shows_default();
  command.option("--max-iterations", options.max_iterations, "most samples to draw")
      .in_range(1, 1e8)
      .shows_default();
  command
      .option("--min-inlier-ratio", options.min_inlier_ratio,
              "fraction of right matches worth looking for; 0: 0.1 (fundamental, shared_focal "
              "0.15), with "
              "--scenes 0.2")
      .in_range(0, 1)
      .shows_default();
  command.option("--seed", options.seed, "of the sampling; the same seed gives the same result")
      .whole_number()
      .shows_default();
  command.flag("--dominant-plane", options.dominant_plane,
               "fundamental matrix: look for matches off a plane that most of them lie on, and "
               "give none that they do not prove");
  command.after_parsing([&options] {
    options.min_iterations = std::min(options.min_iterations, options.max_iterations);
  });
}

}  // namespace bifocal::cli
