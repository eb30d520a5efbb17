// SPDX-License-Identifier: BSD-3-Clause
// SIFT with pooled domain sizes, with affine shapes and with both, each compared with plain SIFT:
// correct matches on pairs with ground truth, poses of wide baselines, and time.
#include <bifocal/features.hpp>
#include <bifocal/robust.hpp>
#include <bifocal/device.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <set>
#include <utility>

#include "features_suite.hpp"
#include "oxford.hpp"
#include "synthetic/accuracy.hpp"
#include "synthetic/real_matches.hpp"

namespace bifocal::bench {
namespace {

using synthetic::PosedImage;

constexpr double kRightPx = 1.5;  // from an epipolar line, images of 1536 x 1024
constexpr int kLeastMatches = 15;
constexpr int kCap = 8192;

// The options compared with plain SIFT.
struct Trial {
  const char* name;
  bool is_pooled, has_shapes;
};
constexpr Trial kTrials[] = {
    {"pooled", true, false}, {"affine", false, true}, {"affine-pooled", true, true}};

SiftOptions options_of(const Trial& trial, bool is_on, int most = SiftOptions{}.max_features) {
  return {.max_features = most,
          .domain_size_pooling = is_on && trial.is_pooled,
          .affine_shape = is_on && trial.has_shapes};
}

// Normalised windows have more directions: with shapes, several matches of one place count once, by
// the best match.
std::vector<PointPair> matches_of(const Trial& trial, const Features& a, const Features& b) {
  std::vector<Match> matches = match(a, b);
  if (!trial.has_shapes) return matched_points(a, b, matches);
  std::ranges::stable_sort(matches, {}, &Match::ratio);
  std::set<std::pair<float, float>> places[2];
  std::erase_if(matches, [&](const Match& m) {
    const Keypoint &p = a.keypoints[std::size_t(m.index1)], &q = b.keypoints[std::size_t(m.index2)];
    const bool is_new = !places[0].contains({p.x, p.y}) && !places[1].contains({q.x, q.y});
    if (is_new) places[0].emplace(p.x, p.y), places[1].emplace(q.x, q.y);
    return !is_new;
  });
  return matched_points(a, b, matches);
}

// Results of one of the two variants.
struct Found {
  int pairs = 0, right = 0, matches = 0, inliers = 0, features = 0;
  std::vector<double> errors;  // of poses, degrees; 180 for poses that were not found
};

std::string name_of(const Trial& trial, const std::string& name) {
  return fmt::format("features/{}/{}", trial.name, name);
}

Record record_of_right(const Trial& trial, const std::string& name, const char* unit, double with,
                       double plain) {
  Record record;
  record.suite = "features";
  record.case_name = name_of(trial, name);
  record.unit = unit;
  record.value = with, record.runs = 1;
  record.higher_is_better = true;
  record.reference = Reference{"without", plain};
  return record;
}

void count_of_planes(Context& context, const Trial& trial, const OxfordPair& pair) {
  if (!context.wanted(name_of(trial, pair.name))) return;
  const ImageU8 image1 = read_grey(pair.image1), image2 = read_grey(pair.image2);
  const Mat3 H = read_homography(pair.homography_file);
  Found found[2];
  for (const bool is_on : {false, true}) {
    const Features a = detect_sift(image1, options_of(trial, is_on)),
                   b = detect_sift(image2, options_of(trial, is_on));
    const std::vector<PointPair> points = matches_of(trial, a, b);
    found[is_on].features = a.size() + b.size();
    found[is_on].matches = static_cast<int>(points.size());
    found[is_on].right = count_correct(points, H, 3);
  }
  Record record =
      record_of_right(trial, pair.name, "matches within 3 px", found[1].right, found[0].right);
  record.extra["precision"] = double(found[1].right) / found[1].matches;
  record.extra["reference_precision"] = double(found[0].right) / found[0].matches;
  record.extra["features"] = found[1].features;
  record.extra["reference_features"] = found[0].features;
  context.report(std::move(record));
}

// Angle between the cameras' directions, degrees.
double angle_between(const PosedImage& a, const PosedImage& b) {
  return synthetic::direction_error_deg({a.R[2], a.R[5], a.R[8]}, {b.R[2], b.R[5], b.R[8]});
}

Mat3 essential_of(const Pose& pose) {
  const auto& [x, y, z] = pose.t;
  const Mat3& R = pose.R;
  Mat3 E;
  for (std::size_t k = 0; k < 3; ++k) {
    E[k] = y * R[6 + k] - z * R[3 + k];
    E[3 + k] = z * R[k] - x * R[6 + k];
    E[6 + k] = x * R[3 + k] - y * R[k];
  }
  return E;
}

void add_pair(const PosedImage& a, const PosedImage& b, const std::vector<PointPair>& points,
              Found& found) {
  const Pose truth = relative_pose(a, b);
  const Mat3 F = fundamental_from_essential(essential_of(truth), a.camera, b.camera);
  ++found.pairs;
  found.matches += static_cast<int>(points.size());
  for (const PointPair& p : points) found.right += synthetic::mean_sampson_px(F, {p}) < kRightPx;
  double error = 180;
  if (points.size() >= kLeastMatches) {
    const auto r = estimate_relative_pose(
        ModelKind::essential, points,
        {.cameras = std::array{a.camera, b.camera}, .options = {.threshold = kRightPx}});
    if (r.ok())
      error = std::max(synthetic::rotation_error_deg(r.pose.R, truth.R),
                       synthetic::direction_error_deg(r.pose.t, truth.t));
  }
  found.errors.push_back(error);
}

std::vector<std::vector<Features>> features_of(const Trial& trial,
                                               const std::vector<std::string>& files) {
  std::vector<std::vector<Features>> all(2);
  for (const bool is_on : {false, true}) {
    for (const std::string& file : files)
      all[is_on].push_back(detect_sift(read_grey(file), options_of(trial, is_on, kCap)));
  }
  return all;
}

// All pairs of a sequence whose cameras' directions differ by an angle in the given range.
void count_of_views(Context& context, const Trial& trial, const std::string& sequence) {
  constexpr int kStep = 20, kGroups = 9;
  if (!context.wanted(name_of(trial, sequence))) return;
  const std::vector<PosedImage> pictures =
      synthetic::read_posed_images(context.data_folder + "/collections/" + sequence,
                                   context.data_folder + "/strecha/" + sequence, 2);
  std::vector<std::string> files;
  for (const PosedImage& p : pictures) files.push_back(p.file);
  const auto features = features_of(trial, files);
  Found found[kGroups][2];
  for (std::size_t i = 0; i < pictures.size(); ++i) {
    for (std::size_t j = i + 1; j < pictures.size(); ++j) {
      const int group = static_cast<int>(angle_between(pictures[i], pictures[j]) / kStep);
      for (std::size_t k = 0; k < 2; ++k) {
        const Features &a = features[k][i], &b = features[k][j];
        add_pair(pictures[i], pictures[j], matches_of(trial, a, b),
                 found[std::min(group, kGroups - 1)][k]);
      }
    }
  }
  for (int g = 0; g < kGroups; ++g) {
    const auto& [plain, with] = found[g];
    if (plain.pairs == 0) continue;
    Record record =
        record_of_right(trial, fmt::format("{}/{}-{}deg", sequence, g * kStep, (g + 1) * kStep),
                        "matches within 1.5 px of their lines", with.right, plain.right);
    record.extra["pairs"] = plain.pairs;
    for (const auto& [prefix, f] : {std::pair("", &with), {"reference_", &plain}}) {
      record.extra[fmt::format("{}precision", prefix)] = double(f->right) / f->matches;
      record.extra[fmt::format("{}auc5_percent", prefix)] =
          synthetic::area_under_recall(f->errors, 5);
      record.extra[fmt::format("{}poses_within_5deg", prefix)] =
          std::ranges::count_if(f->errors, [](double e) { return e < 5; });
    }
    context.report(std::move(record));
  }
}

// No ground truth: inliers of the accepted fundamental matrices.
void count_of_inliers(Context& context, const Trial& trial, const std::string& sequence) {
  if (!context.wanted(name_of(trial, sequence))) return;
  const std::string folder = context.data_folder + "/collections/" + sequence;
  if (!std::filesystem::exists(folder)) return;
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    files.push_back(entry.path().string());
  std::ranges::sort(files);
  const auto features = features_of(trial, files);
  Found all[2];
  for (std::size_t k = 0; k < 2; ++k) {
    for (std::size_t i = 0; i < files.size(); ++i) {
      for (std::size_t j = i + 1; j < files.size(); ++j) {
        const Features &a = features[k][i], &b = features[k][j];
        const auto r = estimate(ModelKind::fundamental, matches_of(trial, a, b),
                                {.options = {.threshold = 1.5}});
        all[k].pairs += r.ok();
        all[k].inliers += r.ok() ? r.num_inliers : 0;
      }
    }
  }
  Record record =
      record_of_right(trial, sequence, "inliers of F, all pairs", all[1].inliers, all[0].inliers);
  record.extra["pairs"] = all[1].pairs;
  record.extra["reference_pairs"] = all[0].pairs;
  context.report(std::move(record));
}

void time_trial(Context& context, const Trial& trial) {
  const std::string file = context.data_folder + "/collections/fountain-P11/0004.jpg";
  const std::string name = name_of(trial, "time/1536x1024");
  if (!context.wanted(name) || !std::filesystem::exists(file)) return;
  const ImageU8 grey = read_grey(file);
  const auto [with, plain] =
      measure_pair([&] { keep(detect_sift(grey, options_of(trial, true))); },
                   [&] { keep(detect_sift(grey, options_of(trial, false))); });
  Record record = record_of("features", name, with);
  record.reference = Reference{"without", plain.median * 1e3};
  record.extra["keypoints"] = detect_sift(grey, options_of(trial, true)).size();
  record.extra["reference_keypoints"] = detect_sift(grey).size();
  context.report(std::move(record));
}

}  // namespace

void run_features_options(Context& context) {
  const ThreadLimit one(1);
  for (const Trial& trial : kTrials) {
    time_trial(context, trial);
    for (const OxfordPair& pair : oxford_pairs(context.data_folder))
      count_of_planes(context, trial, pair);
    for (const char* sequence : {"fountain-P11", "Herz-Jesus-P8"})
      count_of_views(context, trial, sequence);
    count_of_inliers(context, trial, "sceaux");
  }
}

}  // namespace bifocal::bench
