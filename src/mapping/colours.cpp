// SPDX-License-Identifier: BSD-3-Clause
// Colours of points: the mean over their observations in the photographs.
#include <bifocal/error.hpp>
#include <bifocal/io.hpp>

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "mapping/scene.hpp"

namespace bifocal::mapping {
namespace {

struct ColourSum {
  std::array<std::uint32_t, 3> total{};
  std::uint32_t count = 0;
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
      sum.total[static_cast<std::size_t>(c)] +=
          photograph.at(static_cast<int>(x), static_cast<int>(y), photograph.channels >= 3 ? c : 0);
    ++sum.count;
  }
}

}  // namespace

void set_colours(colmap::Model& model, const std::filesystem::path& photographs,
                 std::vector<LeftOut>& passed_over) {
  std::unordered_map<colmap::PointId, std::size_t> places;
  for (std::size_t i = 0; i < model.points.size(); ++i) places.emplace(model.points[i].id, i);
  std::vector<ColourSum> sums(model.points.size());
  for (const colmap::ModelImage& image : model.images) {
    check_cancelled();
    try {
      add_colours(read_stored_image(photographs / image.name), image, places, sums);
    } catch (const Error& e) {
      if (e.code() != ErrorCode::input) throw;
      passed_over.push_back({image.name, e.what()});
    }
  }
  for (std::size_t i = 0; i < sums.size(); ++i)
    for (std::size_t c = 0; sums[i].count > 0 && c < 3; ++c)
      model.points[i].rgb[c] =
          static_cast<std::uint8_t>((sums[i].total[c] + sums[i].count / 2) / sums[i].count);
}

}  // namespace bifocal::mapping
