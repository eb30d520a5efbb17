// SPDX-License-Identifier: BSD-3-Clause
// A second round of matching with the homography found by the first, on the Oxford pairs: correct
// matches, precision and time.
#include <bifocal/matching.hpp>
#include <bifocal/robust.hpp>

#include <fmt/format.h>

#include "match_suite.hpp"
#include "oxford.hpp"

namespace bifocal::bench {
namespace {

constexpr double kMaxError = 2;  // px

void time_guided(Context& context, Queue& queue, const OxfordPair& pair) {
  const std::string name = "match/guided/" + pair.name;
  if (!context.wanted(name)) return;
  SiftOptions options;
  options.max_features = 8192;
  const Features a = detect_sift(read_grey(pair.image1), options),
                 b = detect_sift(read_grey(pair.image2), options);
  const Mat3 truth = read_homography(pair.homography_file);
  const std::vector<PointPair> plain = matched_points(a, b, match(a, b));
  const EstimateResult found = estimate(ModelKind::homography, plain);
  FeatureSet set(queue.device());
  const ImagePair images{set.add(queue, a), set.add(queue, b)};
  const MatchGuide guide{GuideKind::homography, found.model, kMaxError};
  MatchBatch guided;
  const Sample sample = measure([&] {
    guided = match_guided(queue, set, {&images, 1}, {&guide, 1});
  });
  const std::vector<PointPair> points = matched_points(a, b, guided.matches);
  const int correct = count_correct(points, truth, 3), before = count_correct(plain, truth, 3);
  Record record;
  record.suite = "match";
  record.case_name = name;
  record.device = context.device;
  record.unit = "matches within 3 px";
  record.value = correct, record.runs = 1;
  record.higher_is_better = true;
  record.reference = Reference{"one round", double(before)};
  record.extra["precision"] = correct / std::max(1.0, double(points.size()));
  record.extra["precision_of_one_round"] = before / std::max(1.0, double(plain.size()));
  record.extra["ms"] = sample.median * 1e3;
  context.report(std::move(record));
}

}  // namespace

void run_match_guided(Context& context) {
  Queue queue{Device(context.device)};
  for (const OxfordPair& pair : oxford_pairs(context.data_folder))
    time_guided(context, queue, pair);
}

}  // namespace bifocal::bench
