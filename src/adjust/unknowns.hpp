// SPDX-License-Identifier: BSD-3-Clause
// The unknowns of poses and cameras: their coordinates, their order, their values and their steps.
#pragma once

#include <bifocal/adjust.hpp>

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "adjust/layout.hpp"
#include "scene/camera_models.hpp"

namespace bifocal::adjustment {

// Local coordinates are scale (X - origin). The scene has an extent of 4 to 8 in them, so that
// tolerances and roundings do not depend on its unit or its distance from the world's origin.
struct LocalFrame {
  Vec3 origin = {0, 0, 0};  // world units
  double scale = 1;         // a power of two

  [[nodiscard]] Vec3 local(const Vec3& world) const {
    return {scale * (world[0] - origin[0]), scale * (world[1] - origin[1]),
            scale * (world[2] - origin[2])};
  }
  [[nodiscard]] Vec3 world(const Vec3& local) const {
    return {local[0] / scale + origin[0], local[1] / scale + origin[1],
            local[2] / scale + origin[2]};
  }
  // The centre of a camera, local.
  [[nodiscard]] Vec3 local_centre(const Pose& cam_from_world) const;
  // The pose of a camera with a local centre.
  [[nodiscard]] Pose world_pose(const Mat3& R, const Vec3& local_centre) const;
};

// used_images: flags of images that have observations. One of them at least is needed.
[[nodiscard]] LocalFrame local_frame(const AdjustProblem& problem,
                                     const std::vector<char>& used_images);

// Values of poses and cameras, as kernels read them (adjust.kernels): poses in the local frame.
struct Views {
  std::vector<PoseRecord> poses;          // one per image
  std::vector<ProjectionRecord> cameras;  // one per camera
  std::vector<std::vector<double>> params;
};

// A vector of unknowns has rotation (3) and centre (3) of each image, then `free` numbers of each
// camera. Numbers that are not adjusted are always 0.
class Unknowns {
 public:
  // used_images: flags of images that have observations. Images and cameras without any are
  // constant.
  Unknowns(const AdjustProblem& problem, const std::vector<char>& used_images,
           const LocalFrame& frame);
  Unknowns(const AdjustProblem& problem, const std::vector<char>& used_images)
      : Unknowns(problem, used_images, local_frame(problem, used_images)) {}

  [[nodiscard]] int images() const { return images_; }
  [[nodiscard]] int cameras() const { return static_cast<int>(models_.size()); }
  [[nodiscard]] int free() const { return free_; }  // a size that kernels are compiled for
  [[nodiscard]] int view_size() const { return 6 + free_; }
  [[nodiscard]] std::size_t size() const { return is_active_.size(); }
  [[nodiscard]] std::size_t active_count() const;
  [[nodiscard]] const std::vector<char>& is_active() const { return is_active_; }
  [[nodiscard]] const std::vector<int>& image_cameras() const { return image_cameras_; }
  [[nodiscard]] std::size_t camera_start(int camera) const;
  // True for an image that shares its camera with no other.
  [[nodiscard]] bool has_own_camera(int image) const;
  // Index of the parameter that slot `slot` of a camera adjusts.
  [[nodiscard]] const std::vector<int>& adjusted_params(int camera) const;
  [[nodiscard]] const LocalFrame& frame() const { return frame_; }
  [[nodiscard]] const Views& start() const { return start_; }
  [[nodiscard]] int kinds() const { return kinds_; }
  [[nodiscard]] int used() const { return used_; }
  [[nodiscard]] int columns() const { return columns_; }
  // True if heights have a common level, which is an unknown that solvers eliminate.
  [[nodiscard]] bool has_level() const { return has_level_; }

  // Makes numbers constant.
  void pin(std::size_t unknown) { is_active_[unknown] = 0; }

  // Sums numbers [image][stride] from `first` on over the images of each camera, in their order.
  [[nodiscard]] std::vector<double> summed(std::span<const double> views, int stride,
                                           int first) const;
  // Adds a step.
  [[nodiscard]] Views moved(const Views& from, std::span<const double> step) const;
  // Squared length of centres and adjusted parameters: the scale that steps are compared with.
  [[nodiscard]] double squared_length(const Views& views) const;

 private:
  void set_cameras(const AdjustProblem& problem, const std::vector<char>& used_cameras);

  int images_, free_ = 0, kinds_ = 0, used_ = 0, columns_ = 0;
  bool has_level_ = false;
  std::vector<const CameraModel*> models_;
  std::vector<std::vector<int>> adjusted_;
  std::vector<int> image_cameras_, users_;
  std::vector<char> is_active_;
  LocalFrame frame_;
  Views start_;
};

// Writes adjusted poses and intrinsics to the problem. used_images: as for Unknowns.
void write_views(const std::vector<char>& used_images, const Unknowns& unknowns, const Views& views,
                 AdjustProblem& problem);

}  // namespace bifocal::adjustment
