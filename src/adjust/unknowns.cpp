// SPDX-License-Identifier: BSD-3-Clause
#include "adjust/unknowns.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "adjust/rotation.hpp"
#include "runtime/integers.hpp"

namespace bifocal::adjustment {
namespace {

// Kernels are compiled for these numbers of adjusted parameters of a camera.
constexpr int kFreeSizes[] = {0, 2, 3, 4, 12};

void write_pose(const Pose& pose, double* record) {
  const Mat3 R = orthonormal(pose.R);
  const Vec3 centre = times(transposed(R), pose.t);
  std::copy(R.begin(), R.end(), record);
  for (std::size_t k = 0; k < 3; ++k) record[POSE_CENTRE + k] = -centre[k];
}

std::vector<int> adjusted_of(const AdjustCamera& camera, const CameraModel& model) {
  std::vector<int> adjusted;
  for (int i = 0; i < model.parameters(); ++i) {
    const int column = model.column(i);
    const bool is_centre = column == COLUMN_CX || column == COLUMN_CY;
    if (!(camera.constant_params.empty() ? is_centre : camera.constant_params[at(i)]))
      adjusted.push_back(i);
  }
  return adjusted;
}

}  // namespace

Unknowns::Unknowns(const AdjustProblem& problem, const std::vector<char>& used_images)
    : images_(static_cast<int>(problem.images.size())) {
  start_.poses.resize(problem.images.size() * POSE_SIZE);
  std::vector<char> used_cameras(problem.cameras.size(), 0);
  users_.assign(problem.cameras.size(), 0);
  for (std::size_t i = 0; i < problem.images.size(); ++i) {
    const AdjustImage& image = problem.images[i];
    write_pose(image.cam_from_world, &start_.poses[i * POSE_SIZE]);
    image_cameras_.push_back(image.camera);
    if (used_images[i]) used_cameras[at(image.camera)] = 1, ++users_[at(image.camera)];
  }
  set_cameras(problem, used_cameras);
  is_active_.assign(6 * problem.images.size() + at(free_) * problem.cameras.size(), 0);
  for (std::size_t i = 0; i < problem.images.size(); ++i)
    std::fill_n(is_active_.begin() + static_cast<std::ptrdiff_t>(6 * i), 6,
                used_images[i] && !problem.images[i].is_constant);
  for (int c = 0; c < cameras(); ++c)
    std::fill_n(is_active_.begin() + static_cast<std::ptrdiff_t>(camera_start(c)),
                adjusted_[at(c)].size(), char{1});
}

void Unknowns::set_cameras(const AdjustProblem& problem, const std::vector<char>& used_cameras) {
  std::size_t most = 0;
  for (std::size_t c = 0; c < problem.cameras.size(); ++c) {
    const AdjustCamera& camera = problem.cameras[c];
    models_.push_back(camera_model(camera.model));
    const bool is_constant = camera.is_constant || !used_cameras[c];
    adjusted_.push_back(is_constant ? std::vector<int>{} : adjusted_of(camera, *models_.back()));
    most = std::max(most, adjusted_.back().size());
    start_.params.push_back(camera.params);
  }
  free_ = *std::ranges::find_if(kFreeSizes, [&](int size) { return at(size) >= most; });
  start_.cameras.resize(problem.cameras.size() * CAMERA_SIZE);
  for (std::size_t c = 0; c < problem.cameras.size(); ++c) {
    double* const record = &start_.cameras[c * CAMERA_SIZE];
    write_camera(*models_[c], start_.params[c], record);
    std::fill_n(record + CAMERA_SLOTS, 12, double{COLUMN_NONE});
    kinds_ |= 1 << models_[c]->first;
    for (int k = 0; k < TERM_COUNT; ++k) terms_ |= int{record[CAMERA_TERMS + k] != 0} << k;
    for (std::size_t k = 0; k < adjusted_[c].size(); ++k) {
      const int column = models_[c]->column(adjusted_[c][k]);
      record[at(CAMERA_SLOTS) + k] = column;
      columns_ |= 1 << column;
      if (column >= COLUMN_TERMS) terms_ |= 1 << (column - COLUMN_TERMS);
    }
  }
}

std::size_t Unknowns::active_count() const {
  return static_cast<std::size_t>(std::ranges::count(is_active_, char{1}));
}

std::size_t Unknowns::camera_start(int camera) const {
  return 6 * at(images_) + at(free_ * camera);
}

bool Unknowns::has_own_camera(int image) const {
  return users_[at(image_cameras_[at(image)])] == 1;
}

const std::vector<int>& Unknowns::adjusted_params(int camera) const {
  return adjusted_[at(camera)];
}

std::vector<double> Unknowns::by_views(std::span<const double> vector) const {
  std::vector<double> views(at(images_ * view_size()));
  for (int i = 0; i < images_; ++i) {
    double* const view = &views[at(i * view_size())];
    std::copy_n(&vector[6 * at(i)], 6, view);
    if (free_ > 0) std::copy_n(&vector[camera_start(image_cameras_[at(i)])], free_, view + 6);
  }
  return views;
}

std::vector<double> Unknowns::summed(std::span<const double> views, int stride, int first) const {
  std::vector<double> vector(size(), 0.0);
  for (int i = 0; i < images_; ++i) {
    const double* const view = &views[at(i) * at(stride) + at(first)];
    std::copy_n(view, 6, &vector[6 * at(i)]);
    for (int k = 0; k < free_; ++k)
      vector[camera_start(image_cameras_[at(i)]) + at(k)] += view[6 + k];
  }
  for (std::size_t i = 0; i < size(); ++i)
    if (!is_active_[i]) vector[i] = 0;
  return vector;
}

Views Unknowns::moved(const Views& from, std::span<const double> step) const {
  Views to = from;
  for (int i = 0; i < images_; ++i) {
    if (std::none_of(&is_active_[6 * at(i)], &is_active_[6 * at(i)] + 6, std::identity())) continue;
    double* const record = &to.poses[at(i) * POSE_SIZE];
    const double* const s = &step[6 * at(i)];
    Mat3 R;
    std::copy_n(record, 9, R.begin());
    R = orthonormal(times(R, rotation_of({s[0], s[1], s[2]})));
    std::copy(R.begin(), R.end(), record);
    for (int k = 0; k < 3; ++k) record[POSE_CENTRE + k] += s[3 + k];
  }
  for (int c = 0; c < cameras(); ++c) {
    const std::vector<int>& adjusted = adjusted_[at(c)];
    for (std::size_t k = 0; k < adjusted.size(); ++k)
      to.params[at(c)][at(adjusted[k])] += step[camera_start(c) + k];
    if (!adjusted.empty())
      write_camera(*models_[at(c)], to.params[at(c)], &to.cameras[at(c) * CAMERA_SIZE]);
  }
  return to;
}

double Unknowns::squared_length(const Views& views) const {
  double sum = 0;
  for (int i = 0; i < images_; ++i)
    for (int k = 0; k < 3; ++k) {
      const double centre = views.poses[at(i) * POSE_SIZE + at(POSE_CENTRE + k)];
      sum += centre * centre;
    }
  for (int c = 0; c < cameras(); ++c)
    for (const int p : adjusted_[at(c)])
      sum += views.params[at(c)][at(p)] * views.params[at(c)][at(p)];
  return sum;
}

}  // namespace bifocal::adjustment
