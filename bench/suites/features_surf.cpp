// SPDX-License-Identifier: BSD-3-Clause
// SURF: time compared with Bifocal's RootSIFT, and correct matches on the Oxford pairs compared
// with AKAZE.
#include <bifocal/features.hpp>
#include <bifocal/device.hpp>

#include <fmt/format.h>

#include <filesystem>

#include "features_suite.hpp"
#include "oxford.hpp"
#include <bifocal/geometry.hpp>
#ifdef BIFOCAL_PEER_OPENCV
#include <opencv2/core.hpp>
#include <opencv2/features2d.hpp>
#endif

namespace bifocal::bench {
namespace {

std::vector<std::array<float, 2>> places(const Features& f) {
  std::vector<std::array<float, 2>> all;
  for (const Keypoint& k : f.keypoints) all.push_back({k.x, k.y});
  return all;
}

#ifdef BIFOCAL_PEER_OPENCV
struct PeerCount {
  int correct;
  std::size_t matches;
};
// AKAZE with its defaults, ratio 0.8 and mutual test.
PeerCount akaze(const ImageU8& image1, const ImageU8& image2, const Mat3& H) {
  std::vector<cv::KeyPoint> points[2];
  cv::Mat descriptors[2];
  const ImageU8* images[2] = {&image1, &image2};
  for (int i = 0; i < 2; ++i) {
    const cv::Mat mat(images[i]->height, images[i]->width, CV_8U,
                      const_cast<std::uint8_t*>(images[i]->pixels.data()));
    cv::AKAZE::create()->detectAndCompute(mat, cv::noArray(), points[i], descriptors[i]);
  }
  const cv::BFMatcher matcher(cv::NORM_HAMMING);
  std::vector<std::vector<cv::DMatch>> forward, backward;
  matcher.knnMatch(descriptors[0], descriptors[1], forward, 2);
  matcher.knnMatch(descriptors[1], descriptors[0], backward, 1);
  std::vector<PointPair> found;
  for (const auto& m : forward) {
    if (m.size() < 2 || m[0].distance >= 0.8F * m[1].distance) continue;
    if (backward[std::size_t(m[0].trainIdx)][0].trainIdx != m[0].queryIdx) continue;
    const cv::Point2f p = points[0][std::size_t(m[0].queryIdx)].pt,
                      q = points[1][std::size_t(m[0].trainIdx)].pt;
    found.push_back({p.x, p.y, q.x, q.y});
  }
  return {count_correct(found, H, 3), found.size()};
}
#endif

void count_matches(Context& context, const OxfordPair& pair) {
  const std::string name = "features/surf/correct/" + pair.name;
  if (!context.wanted(name)) return;
  const ImageU8 image1 = read_grey(pair.image1), image2 = read_grey(pair.image2);
  const Mat3 H = read_homography(pair.homography_file);
  Record record;
  record.suite = "features";
  record.case_name = name;
  record.unit = "matches within 3 px";
  record.runs = 1;
  record.higher_is_better = true;
  const std::pair<const char*, SurfOptions> variants[] = {{"of_128_numbers", {.numbers = 128}},
                                                          {"upright", {.upright = true}},
                                                          {"doubled", {.upsample = true}},
                                                          {"", {}}};
  for (const auto& [variant, options] : variants) {
    const Features a = detect_surf(image1, options), b = detect_surf(image2, options);
    const std::vector<PointPair> points = matched_points(a, b, match(a, b));
    const int correct = count_correct(points, H, 3);
    if (*variant != 0) {
      record.extra[fmt::format("correct_{}", variant)] = correct;
      record.extra[fmt::format("precision_{}", variant)] = correct / double(points.size());
      continue;
    }
    record.value = correct;
    record.extra["matches"] = points.size();
    record.extra["precision"] = record.value / double(points.size());
    record.extra["keypoints"] = a.size();
    record.extra["repeatability"] =
        repeatability(places(a), places(b), H, image2.width, image2.height, 3);
    record.extra["region_repeatability"] =
        region_repeatability(a.keypoints, b.keypoints, H, inverse(H), image1, image2);
    const Features e = detect_sift(image1), g = detect_sift(image2);
    record.extra["region_repeatability_of_rootsift"] =
        region_repeatability(e.keypoints, g.keypoints, H, inverse(H), image1, image2);
  }
#ifdef BIFOCAL_PEER_OPENCV
  const PeerCount peer = akaze(image1, image2, H);
  record.reference = Reference{"OpenCV " CV_VERSION " AKAZE", double(peer.correct)};
  record.extra["reference_precision"] = peer.correct / double(peer.matches);
#endif
  context.report(std::move(record));
}

void time_detection(Context& context, const std::string& file, const ImageU8& grey) {
  const std::string name = fmt::format("features/surf/{}x{}", grey.width, grey.height);
  if (!context.wanted(name)) return;
  const ThreadLimit limit(1);
  const auto [sample, sift] =
      measure_pair([&] { keep(detect_surf(grey)); }, [&] { keep(detect_sift(grey)); });
  Record record = record_of("features", name, sample);
  record.reference = Reference{"our RootSIFT", sift.median * 1e3};
  record.extra["keypoints"] = detect_surf(grey).size();
  record.extra["reference_keypoints"] = detect_sift(grey).size();
#ifdef BIFOCAL_PEER_OPENCV
  const cv::Mat mat(grey.height, grey.width, CV_8U, const_cast<std::uint8_t*>(grey.pixels.data()));
  const Sample peer = measure([&] {
    std::vector<cv::KeyPoint> points;
    cv::Mat descriptors;
    cv::AKAZE::create()->detectAndCompute(mat, cv::noArray(), points, descriptors);
  });
  record.extra["akaze_ms"] = peer.median * 1e3;
#endif
  record.extra["image"] = file;
  record.extra["threads"] = 1;
  context.report(std::move(record));
}

}  // namespace

void run_features_surf(Context& context) {
#ifdef BIFOCAL_PEER_OPENCV
  cv::setNumThreads(1);
#endif
  for (const char* file : {"oxford_affine/graf/img1.png", "strecha/fountain-P11/0004.jpg"}) {
    const std::string path = context.data_folder + "/" + file;
    if (std::filesystem::exists(path)) time_detection(context, file, read_grey(path));
  }
  time_detection(context, "texture", texture(1920, 1080, 11));
  const ThreadLimit one(1);
  for (const OxfordPair& pair : oxford_pairs(context.data_folder)) count_matches(context, pair);
}

}  // namespace bifocal::bench
