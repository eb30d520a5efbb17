// SPDX-License-Identifier: BSD-3-Clause
#include "adjust/unknowns.hpp"

#include <bifocal/geometry.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "adjust/rotation.hpp"
#include "math/median.hpp"
#include "runtime/integers.hpp"

namespace bifocal::adjustment {
namespace {

// Kernels are compiled for these numbers of adjusted parameters of a camera.
constexpr int kFreeSizes[] = {0, 2, 3, 4, 12};

constexpr double kExtent = 4;  // at least; below its double
// The origin is a multiple of this length, local: few digits, and 0 for scenes near it. Then the
// local frame rounds nothing.
constexpr double kGrid = 16;

double distance(const Vec3& a, const Vec3& b) {
  return norm({a[0] - b[0], a[1] - b[1], a[2] - b[2]});
}

std::vector<Vec3> used_centres(const AdjustProblem& problem, const std::vector<char>& used_images) {
  const LocalFrame world;
  std::vector<Vec3> centres;
  for (std::size_t i = 0; i < problem.images.size(); ++i)
    if (used_images[i]) centres.push_back(world.local_centre(problem.images[i].cam_from_world));
  return centres;
}

Vec3 mean_of(const std::vector<Vec3>& centres) {
  Vec3 mean = {0, 0, 0};
  for (const Vec3& c : centres)
    for (std::size_t k = 0; k < 3; ++k) mean[k] += c[k] / static_cast<double>(centres.size());
  return mean;
}

// Median distance of the finite points.
double distance_of_points(const AdjustProblem& problem, const Vec3& from) {
  std::vector<double> distances;
  distances.reserve(problem.points.size());
  for (const Vec3& X : problem.points)
    if (const double d = distance(X, from); std::isfinite(d)) distances.push_back(d);
  if (distances.empty()) return 0;
  return upper_median(distances);
}

PoseRecord pose_record(const Pose& pose, const LocalFrame& frame) {
  return {orthonormal(nearest_rotation(pose.R)), frame.local_centre(pose)};
}

// Writes all numbers but the slots.
void write_camera(const CameraModel& model, std::span<const double> params,
                  ProjectionRecord& record) {
  const lens_model m = lens_numbers(model, params);
  record.fx = m.fx, record.fy = m.fy, record.cx = m.cx, record.cy = m.cy;
  record.kind = m.kind;
  std::ranges::copy(m.k, record.lens.begin());
}

std::vector<int> adjusted_of(const AdjustCamera& camera, const CameraModel& model) {
  std::vector<int> adjusted;
  for (int i = 0; i < model.parameter_count(); ++i) {
    const int column = model.column(i);
    const bool is_centre = column == COLUMN_CX || column == COLUMN_CY;
    if (!(camera.constant_params.empty() ? is_centre : camera.constant_params[at(i)]))
      adjusted.push_back(i);
  }
  return adjusted;
}

}  // namespace

Vec3 LocalFrame::local_centre(const Pose& cam_from_world) const {
  // The origin in the camera's axes comes first: R may be a rotation to few digits.
  const Vec3 moved = times(cam_from_world.R, origin);
  Vec3 t;
  for (std::size_t k = 0; k < 3; ++k) t[k] = moved[k] + cam_from_world.t[k];
  const Mat3 R = orthonormal(nearest_rotation(cam_from_world.R));
  const Vec3 centre = times(transposed(R), t);
  return {-scale * centre[0], -scale * centre[1], -scale * centre[2]};
}

Pose LocalFrame::world_pose(const Mat3& R, const Vec3& local_centre) const {
  const Vec3 centre = world(local_centre);
  return {R, times(R, Vec3{-centre[0], -centre[1], -centre[2]})};
}

LocalFrame local_frame(const AdjustProblem& problem, const std::vector<char>& used_images) {
  const std::vector<Vec3> centres = used_centres(problem, used_images);
  const Vec3 mean = mean_of(centres);
  double spread = 0;
  for (const Vec3& c : centres) spread += distance(c, mean) / static_cast<double>(centres.size());
  // Images of a panorama have no extent.
  const double extent = std::max(spread, distance_of_points(problem, mean));
  LocalFrame frame;
  if (extent > 0 && std::isfinite(extent))
    frame.scale = std::exp2(std::clamp(std::ceil(std::log2(kExtent / extent)), -300.0, 300.0));
  const double grid = kGrid / frame.scale;
  for (std::size_t k = 0; k < 3; ++k) frame.origin[k] = grid * std::round(mean[k] / grid);
  return frame;
}

Unknowns::Unknowns(const AdjustProblem& problem, const std::vector<char>& used_images,
                   const LocalFrame& frame)
    : images_(static_cast<int>(problem.images.size())), frame_(frame) {
  std::vector<char> used_cameras(problem.cameras.size(), 0);
  users_.assign(problem.cameras.size(), 0);
  for (std::size_t i = 0; i < problem.images.size(); ++i) {
    const AdjustImage& image = problem.images[i];
    start_.poses.push_back(pose_record(image.cam_from_world, frame_));
    image_cameras_.push_back(image.camera);
    if (used_images[i]) used_cameras[at(image.camera)] = 1, ++users_[at(image.camera)];
  }
  set_cameras(problem, used_cameras);
  has_level_ = std::ranges::any_of(problem.priors.heights, [&](const HeightPrior& prior) {
    return used_images[at(prior.image)] != 0;
  });
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
    models_.push_back(scene::supported_model(camera.model));
    const bool is_constant = camera.is_constant || !used_cameras[c];
    adjusted_.push_back(is_constant ? std::vector<int>{} : adjusted_of(camera, *models_.back()));
    most = std::max(most, adjusted_.back().size());
    start_.params.push_back(camera.params);
  }
  free_ = *std::ranges::find_if(kFreeSizes, [&](int size) { return at(size) >= most; });
  start_.cameras.resize(problem.cameras.size());
  for (std::size_t c = 0; c < problem.cameras.size(); ++c) {
    ProjectionRecord& record = start_.cameras[c];
    write_camera(*models_[c], start_.params[c], record);
    record.slots.fill(COLUMN_NONE);
    kinds_ |= 1 << models_[c]->kind;
    // Numbers that follow from an adjusted one may become nonzero later.
    const bool has_others = models_[c]->kind == LENS_FOV;
    for (int k = 0; k < LENS_SIZE; ++k) used_ |= int{has_others || record.lens[at(k)] != 0} << k;
    for (std::size_t k = 0; k < adjusted_[c].size(); ++k) {
      const int column = models_[c]->column(adjusted_[c][k]);
      record.slots[k] = column;
      columns_ |= 1 << column;
      if (column >= COLUMN_LENS) used_ |= 1 << (column - COLUMN_LENS);
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
    PoseRecord& pose = to.poses[at(i)];
    const double* const s = &step[6 * at(i)];
    pose.R = orthonormal(times(pose.R, rotation_of({s[0], s[1], s[2]})));
    for (std::size_t k = 0; k < 3; ++k) pose.centre[k] += s[3 + k];
  }
  for (int c = 0; c < cameras(); ++c) {
    const std::vector<int>& adjusted = adjusted_[at(c)];
    for (std::size_t k = 0; k < adjusted.size(); ++k)
      to.params[at(c)][at(adjusted[k])] += step[camera_start(c) + k];
    if (!adjusted.empty()) write_camera(*models_[at(c)], to.params[at(c)], to.cameras[at(c)]);
  }
  return to;
}

double Unknowns::squared_length(const Views& views) const {
  double sum = 0;
  for (const PoseRecord& pose : views.poses)
    for (const double c : pose.centre) sum += c * c;
  for (int c = 0; c < cameras(); ++c)
    for (const int p : adjusted_[at(c)])
      sum += views.params[at(c)][at(p)] * views.params[at(c)][at(p)];
  return sum;
}

void write_views(const std::vector<char>& used_images, const Unknowns& unknowns, const Views& views,
                 AdjustProblem& problem) {
  for (std::size_t i = 0; i < problem.images.size(); ++i) {
    if (!used_images[i] || problem.images[i].is_constant) continue;
    const PoseRecord& pose = views.poses[i];
    problem.images[i].cam_from_world = unknowns.frame().world_pose(pose.R, pose.centre);
  }
  for (int c = 0; c < unknowns.cameras(); ++c)
    if (!unknowns.adjusted_params(c).empty()) problem.cameras[at(c)].params = views.params[at(c)];
}

}  // namespace bifocal::adjustment
