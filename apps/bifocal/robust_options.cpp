// SPDX-License-Identifier: BSD-3-Clause
#include "robust_options.hpp"

#include <algorithm>

#include "arguments.hpp"

namespace bifocal::cli {

void add_robust_options(CLI::App& command, RobustOptions& options) {
  command.add_option("--threshold", options.threshold, "largest error of an inlier, px")
      ->check(in_range(1e-3, 1e3))
      ->capture_default_str();
  command
      .add_option("--confidence", options.confidence, "of having drawn a sample without outliers")
      ->check(in_range(0.5, 0.999999))
      ->capture_default_str();
  command.add_option("--max-iterations", options.max_iterations, "most samples to draw")
      ->check(in_range(1, 1e8))
      ->capture_default_str();
  command
      .add_option("--seed", options.seed, "of the sampling; the same seed gives the same result")
      ->check(whole_number())
      ->capture_default_str();
  command.add_flag("--dominant-plane", options.dominant_plane,
                   "fundamental matrix: look for matches off a plane that most of them lie on, and "
                   "give none that they do not prove");
  command.parse_complete_callback([&options] {
    options.min_iterations = std::min(options.min_iterations, options.max_iterations);
  });
}

}  // namespace bifocal::cli
