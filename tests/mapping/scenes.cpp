// SPDX-License-Identifier: BSD-3-Clause
#include "mapping/scenes.hpp"

#include <bifocal/colmap/database.hpp>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numbers>
#include <random>
#include <set>

namespace bifocal::test {

Pose looking(const Vec3& centre, const Vec3& target) {
  const Vec3 z = unit({target[0] - centre[0], target[1] - centre[1], target[2] - centre[2]});
  const Vec3 x = unit(cross({0, 1, 0}, z)), y = cross(z, x);
  Pose pose;
  pose.R = {x[0], x[1], x[2], y[0], y[1], y[2], z[0], z[1], z[2]};
  const Vec3 t = times(pose.R, centre);
  pose.t = {-t[0], -t[1], -t[2]};
  return pose;
}

namespace {

constexpr int kWidth = 1000, kHeight = 800, kFewestMatches = 30;
constexpr double kFocal = 900;

using Random = std::mt19937;

double uniform(Random& random, double lo, double hi) {
  return lo + (hi - lo) * static_cast<double>(random()) / 4294967296.0;
}
double normal(Random& random) {
  const double u = uniform(random, 1e-12, 1), v = uniform(random, 0, 1);
  return std::sqrt(-2 * std::log(u)) * std::cos(2 * std::numbers::pi * v);
}

// Whether a camera at this centre sees a point, if the point is in its field of view.
using Visible = std::function<bool(const Vec3& centre, const Vec3& point)>;

// Points that an image sees: number of the point and px with noise.
std::map<int, Vec2> seen(const Pose& pose, const std::vector<Vec3>& points, const Visible& visible,
                         double noise, Random& random) {
  const Vec3 c = times(transposed(pose.R), pose.t), centre = {-c[0], -c[1], -c[2]};
  std::map<int, Vec2> out;
  for (std::size_t k = 0; k < points.size(); ++k) {
    Vec3 X = times(pose.R, points[k]);
    for (std::size_t i = 0; i < 3; ++i) X[i] += pose.t[i];
    if (X[2] < 0.5 || !visible(centre, points[k])) continue;
    const double x = kFocal * X[0] / X[2] + 0.5 * (kWidth - 1),
                 y = kFocal * X[1] / X[2] + 0.5 * (kHeight - 1);
    if (x < 0 || x > kWidth - 1 || y < 0 || y > kHeight - 1) continue;
    out[static_cast<int>(k)] = {x + noise * normal(random), y + noise * normal(random)};
  }
  return out;
}

Mat3 fundamental(const Pose& a, const Pose& b) {
  const Mat3 R = times(b.R, transposed(a.R));
  const Vec3 Rt = times(R, a.t);
  const Vec3 t = {b.t[0] - Rt[0], b.t[1] - Rt[1], b.t[2] - Rt[2]};
  const Intrinsics K{kFocal, kFocal, 0.5 * (kWidth - 1), 0.5 * (kHeight - 1)};
  return times(transposed(K.inverse_matrix()),
               times(cross_matrix(t), times(R, K.inverse_matrix())));
}

// Images with the points they see; the features of an image are in the order of the points.
struct Sightings {
  std::vector<std::map<int, Vec2>> images;

  [[nodiscard]] std::vector<colmap::IndexPair> matches(std::size_t a, std::size_t b) const {
    std::vector<colmap::IndexPair> out;
    std::uint32_t i = 0;
    for (const auto& [point, px] : images[a]) {
      const auto found = images[b].find(point);
      if (found != images[b].end())
        out.push_back({i, static_cast<std::uint32_t>(std::distance(images[b].begin(), found))});
      ++i;
    }
    return out;
  }
};

void add_images(const Sightings& sightings, const SceneSettings& settings, ViewGraph& graph) {
  colmap::ModelCamera camera{1, colmap::model_number("SIMPLE_RADIAL"), kWidth, kHeight, {}, true};
  camera.params = {kFocal * settings.given_focal_factor, 0.5 * (kWidth - 1), 0.5 * (kHeight - 1),
                   0};
  camera.has_prior_focal_length = settings.has_prior_focal_length;
  graph.cameras = {camera};
  for (std::size_t i = 0; i < sightings.images.size(); ++i) {
    MapImage& image = graph.images.emplace_back();
    image.id = static_cast<colmap::Id>(i + 1);
    image.name = "image" + std::to_string(i + 1) + ".jpg";
    image.camera_id = 1;
    for (const auto& [point, px] : sightings.images[i]) image.features.push_back(px);
  }
}

// A look-alike: features of two images that a wrong relative pose explains, made of the second
// image's features by their nearest epipolar lines.
MapPair wrong_pair(const ViewGraph& graph, int a, int b, Random& random) {
  MapPair pair{a, b, colmap::Configuration::uncalibrated, {}, std::nullopt};
  const Pose one = looking({0, 0, 0}, {0, 0, 1}),
             two = looking({uniform(random, -1, 1), uniform(random, -0.3, 0.3), 0.2},
                           {uniform(random, -2, 2), uniform(random, -1, 1), 4});
  pair.F = fundamental(one, two);
  const auto &first = graph.images[static_cast<std::size_t>(a)].features,
             &second = graph.images[static_cast<std::size_t>(b)].features;
  std::set<std::uint32_t> taken;
  for (std::uint32_t i = 0; i < first.size(); ++i) {
    const Vec3 line = times(*pair.F, Vec3{first[i][0], first[i][1], 1});
    for (std::uint32_t j = 0; j < second.size(); ++j) {
      const double distance = std::abs(line[0] * second[j][0] + line[1] * second[j][1] + line[2]) /
                              std::hypot(line[0], line[1]);
      if (distance > 1.5 || !taken.insert(j).second) continue;
      pair.inliers.push_back({i, j});
      break;
    }
  }
  return pair;
}

// Numbers of common points of an image and each later one.
std::vector<int> common_points(const Sightings& sightings,
                               const std::vector<std::vector<int>>& images_of_point,
                               std::size_t image) {
  std::vector<int> counts(sightings.images.size());
  for (const auto& [point, px] : sightings.images[image])
    for (const int other : images_of_point[static_cast<std::size_t>(point)])
      ++counts[static_cast<std::size_t>(other)];
  return counts;
}

void add_pairs(const Sightings& sightings, const SceneSettings& settings, SyntheticScene& scene,
               Random& random) {
  const std::size_t count = sightings.images.size();
  std::vector<std::vector<int>> images_of_point;
  for (std::size_t i = 0; i < count; ++i)
    for (const auto& [point, px] : sightings.images[i]) {
      images_of_point.resize(std::max(images_of_point.size(), static_cast<std::size_t>(point) + 1));
      images_of_point[static_cast<std::size_t>(point)].push_back(static_cast<int>(i));
    }
  std::set<std::pair<int, int>> known;
  for (std::size_t a = 0; a < count; ++a) {
    const std::vector<int> common = common_points(sightings, images_of_point, a);
    for (std::size_t b = a + 1; b < count; ++b) {
      if (common[b] < kFewestMatches) continue;
      std::vector<colmap::IndexPair> inliers = sightings.matches(a, b);
      for (colmap::IndexPair& match : inliers)
        if (uniform(random, 0, 1) < settings.wrong_matches)
          match.index2 = static_cast<std::uint32_t>(random() % sightings.images[b].size());
      known.insert({static_cast<int>(a), static_cast<int>(b)});
      scene.graph.pairs.push_back({static_cast<int>(a), static_cast<int>(b),
                                   colmap::Configuration::uncalibrated, std::move(inliers),
                                   fundamental(scene.poses[a], scene.poses[b])});
    }
  }
  const double share = settings.wrong_pairs / (1 - settings.wrong_pairs);
  auto left = static_cast<std::size_t>(share * static_cast<double>(known.size()));
  for (int trial = 0; left > 0 && trial < 100000; ++trial) {
    const auto a = static_cast<int>(random() % count), b = static_cast<int>(random() % count);
    if (a >= b || !known.insert({a, b}).second) continue;
    scene.graph.pairs.push_back(wrong_pair(scene.graph, a, b, random)), --left;
  }
}

SyntheticScene scene_of(std::vector<Pose> poses, const std::vector<Vec3>& points,
                        const Visible& visible, const SceneSettings& settings, Random& random) {
  SyntheticScene scene;
  scene.poses = std::move(poses);
  scene.focal_length = kFocal;
  Sightings sightings;
  for (const Pose& pose : scene.poses)
    sightings.images.push_back(seen(pose, points, visible, settings.noise, random));
  add_images(sightings, settings, scene.graph);
  add_pairs(sightings, settings, scene, random);
  return scene;
}

Eigen::Vector3d centre(const Pose& pose) {
  const Vec3 c = times(transposed(pose.R), pose.t);
  return {-c[0], -c[1], -c[2]};
}

}  // namespace

SyntheticScene ring(int images, const SceneSettings& settings) {
  Random random(settings.seed);
  std::vector<Vec3> points;
  while (points.size() < 1500) {
    const Vec3 X = {uniform(random, -1, 1), uniform(random, -1, 1), uniform(random, -1, 1)};
    if (norm(X) < 1 && norm(X) > 0.8) points.push_back(X);
  }
  std::vector<Pose> poses;
  for (int i = 0; i < images; ++i) {
    const double angle = 2 * std::numbers::pi * i / images;
    const double r = uniform(random, 2.6, 3.4);
    poses.push_back(looking({r * std::sin(angle), uniform(random, -0.6, 0.6), r * std::cos(angle)},
                            {uniform(random, -0.1, 0.1), uniform(random, -0.1, 0.1), 0}));
  }
  // A camera sees the side of the ball that faces it, so that opposite cameras share no point.
  const auto visible = [](const Vec3& centre, const Vec3& X) {
    return dot(X, centre) > 1.3 * norm(X);
  };
  return scene_of(std::move(poses), points, visible, settings, random);
}

SyntheticScene street(int images, const SceneSettings& settings) {
  Random random(settings.seed + 1000);
  const double length = 0.5 * images;
  std::vector<Vec3> points;
  for (int k = 0; k < 50 * (images + 36); ++k)
    points.push_back({uniform(random, -3, length + 15), uniform(random, -2, 2),
                      (k % 2 == 0 ? 1 : -1) * uniform(random, 4, 5)});
  std::vector<Pose> poses;
  for (int i = 0; i < images; ++i) {
    const double x = 0.5 * i;
    const double side = i % 2 == 0 ? 1.0 : -1.0;
    poses.push_back(looking({x, uniform(random, -0.2, 0.2), uniform(random, -0.3, 0.3)},
                            {x + 5, uniform(random, -0.2, 0.2), side * 0.4}));
  }
  const auto visible = [](const Vec3& centre, const Vec3& X) {
    return norm({X[0] - centre[0], X[1] - centre[1], X[2] - centre[2]}) < 15;
  };
  return scene_of(std::move(poses), points, visible, settings, random);
}

SyntheticScene joined(const SyntheticScene& a, const SyntheticScene& b) {
  SyntheticScene out = a;
  const auto first = static_cast<int>(a.graph.images.size());
  for (MapImage image : b.graph.images) {
    image.id += static_cast<colmap::Id>(first), image.name = "second/" + image.name;
    out.graph.images.push_back(std::move(image));
  }
  for (MapPair pair : b.graph.pairs) {
    pair.image1 += first, pair.image2 += first;
    out.graph.pairs.push_back(std::move(pair));
  }
  out.poses.insert(out.poses.end(), b.poses.begin(), b.poses.end());
  return out;
}

void write_database(const std::filesystem::path& file, const ViewGraph& graph) {
  colmap::Database database(file, colmap::Access::create);
  for (const colmap::ModelCamera& camera : graph.cameras) database.write(camera);
  for (const MapImage& image : graph.images) {
    database.write(colmap::Image{image.id, image.name, image.camera_id});
    colmap::Keypoints keypoints;
    for (const Vec2& x : image.features)
      for (const double v : x) keypoints.data.push_back(static_cast<float>(v));
    database.write_keypoints(image.id, keypoints);
  }
  for (const MapPair& pair : graph.pairs) {
    const auto id = [&](int image) { return graph.images[static_cast<std::size_t>(image)].id; };
    database.write_matches(id(pair.image1), id(pair.image2), pair.inliers);
    database.write_geometry(
        id(pair.image1), id(pair.image2),
        {.configuration = pair.configuration, .inliers = pair.inliers, .F = pair.F});
  }
}

PoseErrors pose_errors(const colmap::Model& model, const SyntheticScene& scene) {
  const auto count = static_cast<Eigen::Index>(model.images.size());
  Eigen::Matrix3Xd found(3, count), truth(3, count);
  Eigen::Matrix3d sum = Eigen::Matrix3d::Zero();
  std::vector<Eigen::Matrix3d> found_R, true_R;
  using RowMajor = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;
  for (Eigen::Index i = 0; i < count; ++i) {
    const colmap::ModelImage& image = model.images[static_cast<std::size_t>(i)];
    const Pose pose = colmap::pose_of(image.cam_from_world), &true_pose = scene.poses[image.id - 1];
    found.col(i) = centre(pose), truth.col(i) = centre(true_pose);
    found_R.emplace_back(Eigen::Map<const RowMajor>(pose.R.data()));
    true_R.emplace_back(Eigen::Map<const RowMajor>(true_pose.R.data()));
    sum += true_R.back().transpose() * found_R.back();
  }
  const Eigen::Matrix4d T = Eigen::umeyama(found, truth, true);
  const Eigen::JacobiSVD<Eigen::Matrix3d> svd(sum, Eigen::ComputeFullU | Eigen::ComputeFullV);
  const Eigen::Matrix3d Q = svd.matrixU() * svd.matrixV().transpose();  // true from found world
  const Eigen::Vector3d mean = truth.rowwise().mean();
  PoseErrors errors;
  errors.images = static_cast<int>(count);
  double extent = 0;
  for (Eigen::Index i = 0; i < count; ++i) {
    const Eigen::Vector3d moved = T.topLeftCorner<3, 3>() * found.col(i) + T.topRightCorner<3, 1>();
    errors.centre = std::max(errors.centre, (moved - truth.col(i)).norm());
    extent = std::max(extent, 2 * (truth.col(i) - mean).norm());
    const auto k = static_cast<std::size_t>(i);
    const Eigen::AngleAxisd angle(
        Eigen::Matrix3d(found_R[k] * Q.transpose() * true_R[k].transpose()));
    errors.rotation_deg = std::max(errors.rotation_deg, angle.angle() * 180 / std::numbers::pi);
  }
  errors.centre /= extent;
  return errors;
}

}  // namespace bifocal::test
