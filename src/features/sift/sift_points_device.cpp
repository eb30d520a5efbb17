// SPDX-License-Identifier: BSD-3-Clause
// Launches of SiftDevice that orient and describe points.
#include "features/sift/describe.kernels.hpp"
#include "features/sift/orient.kernels.hpp"
#include "features/sift/sift_device.hpp"
#include "runtime/launch_cache.hpp"

namespace bifocal::features {

using OrientLaunch = kernels::orient::launch<float>;
using DescribeLaunch = kernels::describe::launch<float>;

void SiftDevice::orient(int round) {
  runtime::group_launch_of<OrientLaunch>(queue_->device(), kernels::orient::POINT_THREADS,
                                         {{"SHAPED", options_.affine_shape}})
      .sift_orient(*queue_, {.count = groups_},
                   {.space = space(),
                    .layers = options_.octave_layers,
                    .sigma = static_cast<float>(options_.sigma),
                    .candidates = candidates_,
                    .counts = points_->counts,
                    .candidate_capacity = candidate_capacity_,
                    .extrema = extrema_,
                    .groups = groups_,
                    .added = points_->added(width_),
                    .round = round,
                    .selected = selected_,
                    .selected_counts = selected_counts_,
                    .shapes = shapes_});
}

void SiftDevice::describe(int count, const FeatureOutput& out) {
  const int groups = divided_up(groups_, count) * count;
  runtime::group_launch_of<DescribeLaunch>(
      queue_->device(), kernels::describe::POINT_THREADS,
      {{"DOMAINS", static_cast<int>(domains_.size())}, {"SHAPED", options_.affine_shape}})
      .sift_describe(
          *queue_, {.count = groups},
          {.space = space(),
           .ranked = points_->ranked(candidate_capacity_),
           .pictures = count,
           .groups = groups,
           .root = options_.root,
           .domains = domains_,
           .levels = options_.octave_layers + 3,
           .shapes = shapes_,
           .out = out.list(),
           .keypoint_shapes = runtime::Array<keypoint_shape>(runtime::Argument(out.shapes))});
}

}  // namespace bifocal::features
