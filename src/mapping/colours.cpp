// SPDX-License-Identifier: BSD-3-Clause
// Colours of points: the mean over their observations in the photographs. Photographs are read in
// parallel. Sums are integers, so their order does not change the result.
#include <bifocal/error.hpp>
#include <bifocal/io.hpp>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <string>
#include <unordered_map>

#include "collection/colmap/model/photographs.hpp"
#include "io/reject.hpp"
#include "mapping/scene.hpp"
#include "runtime/parallel.hpp"

namespace bifocal::mapping {
namespace {

struct ColourSum {
  std::array<std::atomic<std::uint32_t>, 3> total{};
  std::atomic<std::uint32_t> count = 0;
};

void add_colours(const ImageU8& photograph, const colmap::ModelImage& image,
                 const std::unordered_map<colmap::PointId, std::size_t>& places,
                 std::vector<ColourSum>& sums) {
  for (const colmap::ModelObservation& o : image.observations) {
    if (o.point_id == colmap::kNoPoint) continue;
    const double x = std::round(o.x), y = std::round(o.y);
    if (!(x >= 0 && x < photograph.width && y >= 0 && y < photograph.height)) continue;
    ColourSum& sum = sums[places.at(o.point_id)];
    for (int c = 0; c < 3; ++c)
      sum.total[static_cast<std::size_t>(c)].fetch_add(
          photograph.at(static_cast<int>(x), static_cast<int>(y), photograph.channels >= 3 ? c : 0),
          std::memory_order_relaxed);
    sum.count.fetch_add(1, std::memory_order_relaxed);
  }
}

colmap::model::PhotographOfImage of_image(const std::string& name,
                                          const colmap::ModelCamera& camera) {
  return {name, camera.width, camera.height};
}

// Returns the inliers of the pairs that contain a marked image.
std::vector<colmap::model::PhotographPair> pairs_of(const ViewGraph& graph,
                                                    const std::vector<bool>& marked) {
  std::vector<colmap::model::PhotographPair> pairs;
  for (const MapPair& pair : graph.pairs) {
    const auto i = static_cast<std::size_t>(pair.image1), j = static_cast<std::size_t>(pair.image2);
    if (!marked[i] && !marked[j]) continue;
    auto& [image1, image2, points] = pairs.emplace_back();
    image1 = i, image2 = j;
    for (const colmap::IndexPair& match : pair.inliers) {
      const Vec2 &p = graph.images[i].features[match.index1],
                 &q = graph.images[j].features[match.index2];
      points.push_back({p[0], p[1], q[0], q[1]});
    }
  }
  return pairs;
}

}  // namespace

void check_photographs(const ViewGraph& graph, const std::filesystem::path& photographs) {
  std::error_code none;
  if (!std::filesystem::is_directory(photographs, none))
    io::reject(photographs.string(), "is no folder of photographs");
  std::unordered_map<colmap::Id, const colmap::ModelCamera*> cameras;
  for (const colmap::ModelCamera& camera : graph.cameras) cameras.emplace(camera.id, &camera);
  std::vector<colmap::model::PhotographOfImage> images;
  for (const MapImage& image : graph.images)
    images.push_back(of_image(image.name, *cameras.at(image.camera_id)));
  colmap::model::check_photographs(photographs, images, [&](const std::vector<bool>& marked) {
    return pairs_of(graph, marked);
  });
}

void set_colours(colmap::Model& model, const std::filesystem::path& photographs,
                 std::vector<LeftOut>& without_colours) {
  std::unordered_map<colmap::PointId, std::size_t> places;
  for (std::size_t i = 0; i < model.points.size(); ++i) places.emplace(model.points[i].id, i);
  std::unordered_map<colmap::Id, const colmap::ModelCamera*> cameras;
  for (const colmap::ModelCamera& camera : model.cameras) cameras.emplace(camera.id, &camera);
  std::vector<ColourSum> sums(model.points.size());
  std::vector<std::string> reasons(model.images.size());
  runtime::parallel_each(model.images.size(), [&](std::size_t i) {
    check_cancelled();
    const colmap::ModelImage& image = model.images[i];
    const std::filesystem::path file = photographs / image.name;
    try {
      const ImageU8 photograph = read_stored_image(file);
      if (const auto camera = cameras.find(image.camera_id); camera != cameras.end()) {
        const std::string fault = colmap::model::size_fault(photograph.width, photograph.height, 1,
                                                            of_image(image.name, *camera->second));
        if (!fault.empty()) io::reject(file.string(), "{}", fault);
      }
      add_colours(photograph, image, places, sums);
    } catch (const Error& e) {
      if (e.code() != ErrorCode::input) throw;
      reasons[i] = e.what();
    }
  });
  for (std::size_t i = 0; i < reasons.size(); ++i)
    if (!reasons[i].empty()) without_colours.push_back({model.images[i].name, reasons[i]});
  for (std::size_t i = 0; i < sums.size(); ++i) {
    const std::uint32_t count = sums[i].count;
    for (std::size_t c = 0; count > 0 && c < 3; ++c)
      model.points[i].rgb[c] = static_cast<std::uint8_t>((sums[i].total[c] + count / 2) / count);
  }
}

}  // namespace bifocal::mapping
