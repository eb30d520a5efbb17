// SPDX-License-Identifier: BSD-3-Clause
// SiftDevice gives single points their orientations, shapes and descriptions here.
#include <array>
#include <cstddef>
#include <memory>

#include "features/sift/sift_device.hpp"
#include "features/sift/sift_points.kernels.hpp"
#include "features/sift/sift_rules.hpp"

namespace bifocal::features {
namespace {

namespace sift_points = kernels::sift_points;
using PointLaunch = sift_points::launch<float>;

// domains: of a description; orientations are of the text with one. is_shaped: points have shapes.
const PointLaunch& points_of(const Device& device, bool is_shaped, int domains = 1) {
  static const auto made = [](int size) {
    std::array<std::unique_ptr<PointLaunch>, 4> launches;
    for (int k = 0; k < 4; ++k) {
      const int many = k % 2 ? SiftRules::SIFT_DOMAINS : 1;
      launches[std::size_t(k)] = std::make_unique<PointLaunch>(
          size, runtime::Constants{{"DOMAINS", many}, {"SHAPED", k / 2}});
    }
    return launches;
  };
  static const auto wide = made(sift_points::POINT_THREADS), single = made(1);
  const int at = (is_shaped ? 2 : 0) + (domains > 1 ? 1 : 0);
  return *(device.info().group_code ? wide : single)[std::size_t(at)];
}

}  // namespace

void SiftDevice::orient(int round) {
  const PointLaunch& launch = points_of(queue_->device(), options_.affine_shape);
  const auto orient_by = [&]<class Args>(void (PointLaunch::*kernel)(Queue&, const runtime::Launch&,
                                                                     const Args&) const) {
    (launch.*kernel)(*queue_, {.count = groups_},
                     Args{.space = space(),
                          .layers = options_.octave_layers,
                          .sigma = static_cast<float>(options_.sigma),
                          .candidates = candidates_,
                          .counts = points_->counts,
                          .candidate_room = candidate_room_,
                          .extrema = extrema_,
                          .groups = groups_,
                          .added = points_->added(width_),
                          .round = round,
                          .selected = selected_,
                          .selected_counts = selected_counts_,
                          .shapes = shapes_});
  };
  options_.affine_shape ? orient_by(&PointLaunch::sift_shape)
                        : orient_by(&PointLaunch::sift_orient);
}

void SiftDevice::describe(int count, const FeatureOutput& out) {
  const int domains = static_cast<int>(domains_.size() / 2);
  const PointLaunch& launch = points_of(queue_->device(), options_.affine_shape, domains);
  const int groups = divided_up(groups_, count) * count;
  launch.sift_describe(*queue_, {.count = groups},
                       {.space = space(),
                        .ranked = points_->ranked(candidate_room_),
                        .pictures = count,
                        .groups = groups,
                        .root = options_.root,
                        .domains = domains_,
                        .levels = options_.octave_layers + 3,
                        .shapes = shapes_,
                        .out = out.list(),
                        .keypoint_shapes = runtime::Array<float>(runtime::Argument(out.shapes))});
}

}  // namespace bifocal::features
