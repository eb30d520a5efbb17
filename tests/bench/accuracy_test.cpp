// SPDX-License-Identifier: BSD-3-Clause
// Robust accuracy on the scenes of `bifocal-bench robust` may be at most a tenth worse than
// documented (bench/results/2026-11-24-h200-robust-batches.json).
#include <gtest/gtest.h>

#include <string>

#include "suites/robust_suite.hpp"

namespace bifocal::bench {
namespace {

struct Documented {
  ModelKind problem;
  int inliers_percent;
  double error;  // E: 100 - AUC@1 degree; F and H: median of the mean error of clean pairs, px
};

TEST(RobustAccuracy, is_as_documented) {
  for (const Documented& d : {Documented{ModelKind::essential, 50, 100 - 89.9},
                              Documented{ModelKind::essential, 30, 100 - 85.4},
                              Documented{ModelKind::fundamental, 50, 0.0638},
                              Documented{ModelKind::fundamental, 30, 0.0874},
                              Documented{ModelKind::homography, 50, 0.1112},
                              Documented{ModelKind::homography, 30, 0.1357}}) {
    Accuracy accuracy(d.problem);
    for (const ProblemScene& scene : make_scenes(d.problem, 128, 2000, d.inliers_percent)) {
      const EstimateResult r = estimate_scene(scene, {.threshold = 2.5});
      accuracy.add(scene, {r.ok(), r.model, r.pose});
    }
    Figures figures;
    accuracy.report("", figures);
    const bool is_essential = d.problem == ModelKind::essential;
    const double error = is_essential ? 100 - std::get<double>(figures["auc1"].value)
                                      : std::get<double>(figures["mean_error_px"].value);
    std::printf("%s, %d %% right: %.4f, documented %.4f\n",
                std::string(to_string(d.problem)).c_str(), d.inliers_percent, error, d.error);
    EXPECT_LE(error, 1.1 * d.error) << to_string(d.problem) << " " << d.inliers_percent;
  }
}

}  // namespace
}  // namespace bifocal::bench
