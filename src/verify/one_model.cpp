// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "robust/guide.hpp"
#include "verify/policies.hpp"

namespace bifocal::verify {

OneModel::OneModel(Queue& queue, const Options& options)
    : queue_(queue),
      options_(options),
      takes_cameras_(problem_info(options.kind).cameras > 0),
      copies_(queue) {
  if (takes_cameras_ && std::ranges::any_of(options.cameras, &LensCamera::has_lens))
    undistorted_.emplace(queue);
}

const LensCamera& OneModel::camera_of(int image) const {
  return options_.cameras[options_.cameras.size() == 1 ? 0 : static_cast<std::size_t>(image)];
}

void OneModel::estimate(const MatchedPairs& pairs, std::vector<Estimate>& results,
                        std::vector<std::uint8_t>& inliers) {
  kept_.clear(), begins_.clear(), images_.clear(), cameras1_.clear(), cameras2_.clear();
  offsets_.assign(1, 0);
  results.assign(pairs.images.size(), {});
  for (std::size_t k = 0; k < pairs.images.size(); ++k) {
    results[k].outcome = Outcome::too_few_points;
    const std::int64_t count = pairs.offsets[k + 1] - pairs.offsets[k];
    if (count < options_.min_matches) continue;
    kept_.push_back(k);
    begins_.push_back(pairs.offsets[k]);
    offsets_.push_back(offsets_.back() + count);
    images_.push_back(pairs.images[k]);
    if (!takes_cameras_) continue;
    cameras1_.push_back(camera_of(pairs.images[k].image1).pinhole());
    cameras2_.push_back(camera_of(pairs.images[k].image2).pinhole());
  }
  inliers.assign(static_cast<std::size_t>(pairs.offsets.back()), 0);
  if (kept_.empty()) return;
  const auto points =
      undistorted_
          ? undistorted_->of_matches({*pairs.set, pairs.matches, images_, begins_, offsets_},
                                     [this](int i) -> const LensCamera& { return camera_of(i); })
          : copies_.of_pairs(pairs.points, begins_, offsets_);
  const BatchEstimate found = estimate_batch(queue_, options_.kind, points,
                                             {.offsets = offsets_,
                                              .cameras1 = cameras1_,
                                              .cameras2 = cameras2_,
                                              .options = options_.robust});
  for (std::size_t i = 0; i < kept_.size(); ++i) {
    results[kept_[i]] = found.pairs[i];
    std::copy(found.inliers.begin() + offsets_[i], found.inliers.begin() + offsets_[i + 1],
              inliers.begin() + begins_[i]);
  }
}

std::optional<MatchGuide> OneModel::guide(const ImagePair& images, const Estimate& e) const {
  const auto pinhole = [&](int image) {
    return takes_cameras_ ? camera_of(image).pinhole() : Intrinsics();
  };
  return robust::guide_of(options_.kind, e.model, pinhole(images.image1), pinhole(images.image2),
                          robust::kGuideWidth * options_.robust.threshold);
}

}  // namespace bifocal::verify
