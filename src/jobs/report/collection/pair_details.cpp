// SPDX-License-Identifier: BSD-3-Clause
#include "jobs/report/collection/pair_details.hpp"

#include <fmt/format.h>
#include <bifocal/colmap/verify.hpp>
#include <bifocal/error.hpp>
#include <bifocal/geometry.hpp>
#include <bifocal/io.hpp>
#include <bifocal/robust.hpp>
#include <bifocal/two_view.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <list>
#include <optional>
#include <span>
#include <unordered_set>

#include "jobs/report/pair_figures.hpp"

namespace bifocal::jobs {
namespace {

using colmap::Configuration;

// Holds the keypoints of the most recently requested images.
class KeypointCache {
 public:
  explicit KeypointCache(const colmap::Database& database) : database_(database) {}
  // Returns keypoints that stay valid until kept_ further images have been requested.
  const colmap::Keypoints& of(colmap::Id image) {
    for (auto i = recent_.begin(); i != recent_.end(); ++i) {
      if (i->first != image) continue;
      recent_.splice(recent_.begin(), recent_, i);
      return recent_.front().second;
    }
    recent_.emplace_front(image, database_.keypoints(image));
    if (recent_.size() > kKept) recent_.pop_back();
    return recent_.front().second;
  }

 private:
  static constexpr std::size_t kKept = 64;
  const colmap::Database& database_;
  std::list<std::pair<colmap::Id, colmap::Keypoints>> recent_;
};

std::uint16_t across(double px, double size) {
  if (!std::isfinite(px)) return 0;
  return static_cast<std::uint16_t>(
      std::lround(std::clamp((px + 0.5) / size, 0.0, 1.0) * std::numeric_limits<uint16_t>::max()));
}

class Builder {
 public:
  Builder(const colmap::Database& database, const ViewGraph& graph, std::size_t points_of_pair)
      : database_(database), graph_(graph), points_of_pair_(points_of_pair), keypoints_(database) {
    for (const colmap::ModelCamera& camera : graph.cameras) {
      try {
        lenses_.emplace_back(colmap::lens_camera_of(camera));
      } catch (const Error&) {  // the camera model has no pinhole
        lenses_.emplace_back();
      }
    }
  }

  PairDetails details(int edge) {
    const GraphPair& pair = graph_.edges[static_cast<std::size_t>(edge)];
    const std::optional<colmap::TwoViewGeometry> geometry =
        database_.geometry(image(pair.a).id, image(pair.b).id);
    PairDetails out;
    out.edge = edge;
    if (!geometry) return out;  // removed by another process
    std::vector<PointPair> points = points_of(pair, geometry->inliers, points_of_pair_);
    out.inliers = points.size();
    const std::vector<PointPair> outliers =
        points_of(pair, outliers_of(pair, *geometry), points_of_pair_ / kInliersPerOutlier);
    points.insert(points.end(), outliers.begin(), outliers.end());
    const double size[] = {width(pair.a), height(pair.a), width(pair.b), height(pair.b)};
    for (const auto& [x1, y1, x2, y2] : points)
      for (const auto& [value, of] :
           {std::pair(x1, size[0]), {y1, size[1]}, {x2, size[2]}, {y2, size[3]}})
        out.positions.push_back(across(value, of));
    try {
      add_model(out, pair, *geometry, points);
      points.resize(out.inliers);
      add_scene(out, pair, *geometry, points);
    } catch (const Error& e) {  // invalid matrices
      out.points.clear();
      out.source = fmt::format("No depth: {}.", e.what());
    }
    return out;
  }

 private:
  [[nodiscard]] const GraphImage& image(int i) const {
    return graph_.images[static_cast<std::size_t>(i)];
  }
  [[nodiscard]] const colmap::ModelCamera* camera(int i) const {
    const int c = image(i).camera;
    return c < 0 ? nullptr : &graph_.cameras[static_cast<std::size_t>(c)];
  }
  [[nodiscard]] double width(int i) const {
    return camera(i) ? static_cast<double>(camera(i)->width) : 1;
  }
  [[nodiscard]] double height(int i) const {
    return camera(i) ? static_cast<double>(camera(i)->height) : 1;
  }

  [[nodiscard]] bool has_no_lens(const GraphPair& pair) const {
    const auto lenses = lenses_of(pair);
    return std::none_of(lenses.begin(), lenses.end(),
                        [](const auto* lens) { return lens && lens->has_lens(); });
  }

  // Matches with an index that is no keypoint are left out: they do not affect the geometry.
  std::vector<colmap::IndexPair> outliers_of(const GraphPair& pair,
                                             const colmap::TwoViewGeometry& g) {
    const std::size_t size1 = keypoints_.of(image(pair.a).id).size(),
                      size2 = keypoints_.of(image(pair.b).id).size();
    const auto key = [](const colmap::IndexPair& m) {
      return std::uint64_t{m.index1} << 32U | m.index2;
    };
    std::unordered_set<std::uint64_t> inliers;
    for (const colmap::IndexPair& m : g.inliers) inliers.insert(key(m));
    std::vector<colmap::IndexPair> outliers =
        database_.matches(image(pair.a).id, image(pair.b).id).value_or(g.inliers);
    std::erase_if(outliers, [&](const auto& m) {
      return m.index1 >= size1 || m.index2 >= size2 || inliers.contains(key(m));
    });
    return outliers;
  }

  // Returns at most `most` matches, evenly selected from the list.
  std::vector<PointPair> points_of(const GraphPair& pair,
                                   std::span<const colmap::IndexPair> matches, std::size_t most) {
    const std::size_t count = std::min(matches.size(), most);
    std::vector<PointPair> points;
    const colmap::Keypoints &k1 = keypoints_.of(image(pair.a).id),
                            &k2 = keypoints_.of(image(pair.b).id);
    for (std::size_t i = 0; i < count; ++i) {
      const auto [index1, index2] = matches[i * matches.size() / count];
      if (index1 >= k1.size() || index2 >= k2.size())
        throw Error(ErrorCode::input,
                    fmt::format("{}: table two_view_geometries, images {} and {}: match of "
                                "keypoints {} and {}, there are {} and {}",
                                database_.file().string(), image(pair.a).id, image(pair.b).id,
                                index1, index2, k1.size(), k2.size()));
      const float* p = &k1.data[index1 * static_cast<std::size_t>(k1.columns)];
      const float* q = &k2.data[index2 * static_cast<std::size_t>(k2.columns)];
      if (std::isfinite(p[0] + p[1] + q[0] + q[1])) points.push_back({p[0], p[1], q[0], q[1]});
    }
    return points;
  }

  // Returns both lenses; null for a camera without a pinhole model.
  [[nodiscard]] std::array<const LensCamera*, 2> lenses_of(const GraphPair& pair) const {
    std::array<const LensCamera*, 2> both = {};
    for (const int side : {0, 1}) {
      const int c = image(side == 0 ? pair.a : pair.b).camera;
      if (c >= 0 && lenses_[static_cast<std::size_t>(c)])
        both[static_cast<std::size_t>(side)] = &*lenses_[static_cast<std::size_t>(c)];
    }
    return both;
  }

  // Returns fundamental matrices for px without lens distortion: of the pose or E, and F. Through
  // lenses only a pose or E can be judged, because databases differ in the px of F and H.
  [[nodiscard]] std::vector<Mat3> epipolar_matrices(const GraphPair& pair,
                                                    const colmap::TwoViewGeometry& g) const {
    std::vector<Mat3> matrices;
    if (g.configuration == Configuration::panoramic) return matrices;
    const auto lenses = lenses_of(pair);
    const bool has_moved = g.cam2_from_cam1 && g.cam2_from_cam1->t != Vec3{};
    if (lenses[0] && lenses[1] && (has_moved || g.E)) {
      const Mat3 E =
          has_moved ? times(cross_matrix(g.cam2_from_cam1->t), g.cam2_from_cam1->R) : *g.E;
      matrices.push_back(fundamental_from_essential(E, lenses[0]->pinhole(), lenses[1]->pinhole()));
    }
    if (g.F && has_no_lens(pair)) matrices.push_back(*g.F);
    return matrices;
  }

  // Adds residuals of the matrix that the inliers fit best, and the matrix if it holds for px of
  // the images. The database does not say to which of its matrices the inliers belong.
  void add_model(PairDetails& out, const GraphPair& pair, const colmap::TwoViewGeometry& g,
                 const std::vector<PointPair>& points) const {
    const bool is_of_plane = g.configuration == Configuration::planar ||
                             g.configuration == Configuration::panoramic ||
                             g.configuration == Configuration::planar_or_panoramic;
    const bool has_px = has_no_lens(pair);
    std::vector<PointPair> straight = points;
    const std::vector<Mat3> matrices = epipolar_matrices(pair, g);
    const auto lenses = lenses_of(pair);
    if (!has_px && !matrices.empty()) undistort(std::span(straight), *lenses[0], *lenses[1]);
    Fit shown;
    for (const Mat3& F : matrices)
      if (Fit one = fit(ModelKind::fundamental, F, straight, out.inliers);
          !one.residuals.empty() && (shown.residuals.empty() || one.largest < shown.largest))
        shown = std::move(one);
    if (is_of_plane && has_px && g.H) {
      // H holds for a point, F for a line: errors of H are larger even if both are correct.
      constexpr double kRatio = 2;
      Fit plane = fit(ModelKind::homography, *g.H, points, out.inliers);
      out.is_homography = !plane.residuals.empty() &&
                          (shown.residuals.empty() || plane.largest <= kRatio * shown.largest);
      if (out.is_homography) shown = std::move(plane);
    }
    if (has_px && !shown.residuals.empty())
      out.model.assign(shown.matrix.begin(), shown.matrix.end());
    out.residuals = std::move(shown.residuals);
  }

  // Residuals of all points, and the largest of the first `inliers` ones.
  struct Fit {
    Mat3 matrix{};
    std::vector<std::uint16_t> residuals = {};  // in 1/256 px
    double largest = 0;
  };
  // Returns no residuals if the matrix is not finite.
  static Fit fit(ModelKind kind, const Mat3& matrix, const std::vector<PointPair>& points,
                 std::size_t inliers) {
    Fit out{.matrix = matrix};
    const auto is_finite = [](double v) { return std::isfinite(v); };
    if (!std::all_of(matrix.begin(), matrix.end(), is_finite)) return out;
    for (const double r : residuals(kind, matrix, points))
      out.residuals.push_back(r < 65535 / 256.0 ? static_cast<std::uint16_t>(std::lround(256 * r))
                                                : 65535);
    for (std::size_t i = 0; i < inliers; ++i)
      out.largest = std::max(out.largest, out.residuals[i] / 256.0);
    return out;
  }

  void add_scene(PairDetails& out, const GraphPair& pair, const colmap::TwoViewGeometry& g,
                 std::vector<PointPair> points) const {
    const auto lenses = lenses_of(pair);
    if (!lenses[0] || !lenses[1])
      return void(out.source = "No depth: a camera has no pinhole model.");
    undistort(std::span(points), *lenses[0], *lenses[1]);
    const Intrinsics &K1 = lenses[0]->pinhole(), &K2 = lenses[1]->pinhole();
    std::optional<Pose> pose = g.cam2_from_cam1;
    const bool moved = pose && std::hypot(pose->t[0], pose->t[1], pose->t[2]) > 0;
    const bool is_rotation = g.configuration == Configuration::panoramic;
    out.source = "Depth from the pose in the database.";
    if (is_rotation || (pose && !moved))
      return void(out.source = "No depth: the camera only rotated.");
    std::optional<Mat3> E;
    if (!pose && g.E) {
      E = g.E;
      out.source = "Depth from the pose of the essential matrix.";
    } else if (!pose && g.F && !lenses[0]->has_lens() && !lenses[1]->has_lens()) {
      E = essential_from_fundamental(*g.F, K1, K2);
      const bool known =
          camera(pair.a)->has_prior_focal_length && camera(pair.b)->has_prior_focal_length;
      out.source = known ? "Depth from F and the focal lengths in the database."
                         : "Depth from F and assumed focal lengths.";
    }
    try {
      if (E) pose = recover_pose(*E, points, K1, K2).cam2_from_cam1;
    } catch (const Error& e) {  // of a matrix that another program wrote
      return void(out.source = fmt::format("No depth: {}.", e.what()));
    }
    if (!pose) return void(out.source = "No depth: the pair has no pose, E or F.");
    for (const Vec3& X : triangulate(points, K1, K2, *pose))
      for (const double v : X) out.points.push_back(static_cast<float>(v));
    out.pose.assign(pose->R.begin(), pose->R.end());
    out.pose.insert(out.pose.end(), pose->t.begin(), pose->t.end());
  }

  const colmap::Database& database_;
  const ViewGraph& graph_;
  const std::size_t points_of_pair_;
  KeypointCache keypoints_;
  std::vector<std::optional<LensCamera>> lenses_;  // one for each camera
};

struct Small {
  std::string jpeg, reason;
};

Small thumbnail(const GraphImage& image, const colmap::ModelCamera* camera,
                const std::filesystem::path& folder) {
  if (!stays_inside(image.name)) return {{}, "its name leads out of the folder"};
  try {
    const ImageU8 rgb = read_stored_image(folder / image.name);
    if (camera && (camera->width != rgb.width || camera->height != rgb.height))
      return {{},
              fmt::format("has {} x {} px, its camera {} x {}", rgb.width, rgb.height,
                          camera->width, camera->height)};
    return {encode_jpeg(reduced_rgb(rgb, kThumbnailSide, kThumbnailSide), kThumbnailQuality), {}};
  } catch (const Error& e) {
    return {{}, e.what()};
  }
}

}  // namespace

bool stays_inside(const std::filesystem::path& name) {
  return name.is_relative() &&
         std::none_of(name.begin(), name.end(), [](const auto& part) { return part == ".."; });
}

std::vector<PairDetails> pair_details(const colmap::Database& database, const ViewGraph& graph,
                                      const std::vector<int>& edges, std::size_t points_of_pair) {
  Builder builder(database, graph, points_of_pair);
  // Edges are sorted by images, so that keypoints are read once, and afterwards returned in the
  // requested order.
  std::vector<std::pair<int, std::size_t>> order;
  for (std::size_t k = 0; k < edges.size(); ++k) order.emplace_back(edges[k], k);
  std::sort(order.begin(), order.end());
  std::vector<PairDetails> all(edges.size());
  for (const auto& [edge, k] : order) all[k] = builder.details(edge);
  return all;
}

Thumbnails thumbnails(const ViewGraph& graph, const std::vector<int>& images,
                      const std::filesystem::path& folder, std::int64_t most, unsigned threads) {
  Thumbnails out;
  const auto make = [&](std::size_t k) {
    const GraphImage& image = graph.images[static_cast<std::size_t>(images[k])];
    return thumbnail(
        image, image.camera < 0 ? nullptr : &graph.cameras[static_cast<std::size_t>(image.camera)],
        folder);
  };
  const auto take = [&](std::size_t k, Small made) {
    const auto bytes = static_cast<std::int64_t>(made.jpeg.size());
    if (made.jpeg.empty()) {
      out.left_out.emplace_back(graph.images[static_cast<std::size_t>(images[k])].name,
                                made.reason);
      return true;
    }
    if (out.bytes + bytes > most) return false;
    out.bytes += bytes;
    out.pictures[images[k]] = std::move(made.jpeg);
    return true;
  };
  out.over = images.size() - in_batches(most > 0 ? images.size() : 0, threads, make, take);
  return out;
}

}  // namespace bifocal::jobs
