// SPDX-License-Identifier: BSD-3-Clause
// Bundle adjustment of COLMAP's models.
//
//   colmap::Model model = colmap::read_model("sparse/0");
//   const colmap::BundleAdjustResult result = colmap::bundle_adjust(model);
//   colmap::write_model("sparse/1", model, colmap::ModelFormat::binary);
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <bifocal/adjust.hpp>
#include <bifocal/colmap/model.hpp>

namespace bifocal::colmap {

// Names are COLMAP's where the meaning is the same.
struct BundleAdjustOptions {
  AdjustOptions adjust = {};
  bool refine_focal_length = true;
  bool refine_principal_point = false;
  bool refine_extra_params = true;
  bool refine_poses = true;
  bool refine_points = true;
  // Points with fewer observations keep their coordinates, and their observations are not used.
  int min_track_length = 0;
  // Numbers of cameras, images and points that are not adjusted.
  std::vector<Id> constant_cameras = {};
  std::vector<Id> constant_images = {};
  std::vector<PointId> constant_points = {};
  // Images of one frame are adjusted independently of each other, and the model loses its rigs and
  // frames. Without this a frame of several images has to be constant.
  bool separate_frames = false;
};
constexpr const char* name_of(const BundleAdjustOptions&) { return "BundleAdjustOptions"; }
template <MaybeConst<BundleAdjustOptions> Options, class Visit>
void fields(Options& options, const Visit& visit) {
  auto& [adjust, refine_focal_length, refine_principal_point, refine_extra_params, refine_poses,
         refine_points, min_track_length, constant_cameras, constant_images, constant_points,
         separate_frames] = options;
  BIFOCAL_FIELD(adjust, "the solver");
  BIFOCAL_FIELD(refine_focal_length, "adjust focal lengths");
  BIFOCAL_FIELD(refine_principal_point, "adjust principal points, too");
  BIFOCAL_FIELD(refine_extra_params, "adjust parameters of lenses");
  BIFOCAL_FIELD(refine_poses, "adjust poses of images");
  BIFOCAL_FIELD(refine_points, "adjust scene points");
  BIFOCAL_FIELD(min_track_length, "points with fewer observations are left as they are",
                Range::at_least(0));
  BIFOCAL_FIELD(constant_cameras, "numbers of cameras that are not adjusted");
  BIFOCAL_FIELD(constant_images, "numbers of images whose poses are not adjusted");
  BIFOCAL_FIELD(constant_points, "numbers of points that are not adjusted");
  BIFOCAL_FIELD(separate_frames,
                "adjust images of one frame independently and drop rigs and frames");
}

// Images and points are in the order of the model. Cameras are, too, without cameras that no image
// has. Observations are ordered by images, without features of no point and of short tracks.
//
// Throws Error(usage) for a model that check_model() refuses, a listed number that is not in the
// model, a camera model that the adjuster lacks, and a frame of several images that would be
// adjusted.
[[nodiscard]] AdjustProblem adjust_problem(const Model& model, const BundleAdjustOptions& options);

// Takes the values of a problem that adjust_problem() made of this model and that adjust() changed.
// Poses of frames follow from the poses of their images. Unchanged poses and parameters keep their
// numbers to the last bit.
void take_adjusted(Model& model, const AdjustProblem& problem, const BundleAdjustOptions& options);

// Distance of every observation from the projection of its point, px. NaN if the point is not in
// front of the camera or beyond the range of the lens. Throws no error for a problem that adjust()
// accepts.
[[nodiscard]] std::vector<double> reprojection_errors(const AdjustProblem& problem);
// Sets ModelPoint::error to the mean of the finite errors of the point's observations; points
// without such an observation keep their value. Throws as adjust_problem(), but takes every rig.
void set_point_errors(Model& model);

struct BundleAdjustResult {
  AdjustResult adjustment;
  std::vector<Id> camera_ids;                        // of AdjustProblem::cameras
  std::int64_t cameras = 0, images = 0, points = 0;  // with used observations
  // Mean and root mean square of the errors of the used observations, px.
  double initial_error = 0, final_error = 0;
  double initial_rms = 0, final_rms = 0;
  // With AdjustOptions::covariance: the image or the camera that the observations do not determine,
  // as a message names it. Then there are no covariances. Empty: none.
  std::string undetermined;
};

// Counts and errors of a problem that adjust_problem() made of this model and that adjust()
// changed. errors_before: reprojection errors of its observations at the start.
[[nodiscard]] BundleAdjustResult describe_adjustment(const Model& model,
                                                     const AdjustProblem& problem,
                                                     AdjustResult adjustment,
                                                     const std::vector<double>& errors_before);

// Adjusts a model in place. ModelPoint::error becomes the mean error of the track, px.
//
// The model changes only when the call returns. Throws as adjust_problem() and adjust().
[[nodiscard]] BundleAdjustResult bundle_adjust(Queue& queue, Model& model,
                                               const BundleAdjustOptions& options = {});
// On the CPU.
[[nodiscard]] BundleAdjustResult bundle_adjust(Model& model,
                                               const BundleAdjustOptions& options = {});

}  // namespace bifocal::colmap
