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

}  // namespace

void set_colours(colmap::Model& model, const std::filesystem::path& photographs,
                 std::vector<LeftOut>& passed_over) {
  std::unordered_map<colmap::PointId, std::size_t> places;
  for (std::size_t i = 0; i < model.points.size(); ++i) places.emplace(model.points[i].id, i);
  std::vector<ColourSum> sums(model.points.size());
  std::vector<std::string> reasons(model.images.size());
  runtime::parallel_each(model.images.size(), [&](std::size_t i) {
    check_cancelled();
    const colmap::ModelImage& image = model.images[i];
    try {
      add_colours(read_stored_image(photographs / image.name), image, places, sums);
    } catch (const Error& e) {
      if (e.code() != ErrorCode::input) throw;
      reasons[i] = e.what();
    }
  });
  for (std::size_t i = 0; i < reasons.size(); ++i)
    if (!reasons[i].empty()) passed_over.push_back({model.images[i].name, reasons[i]});
  for (std::size_t i = 0; i < sums.size(); ++i) {
    const std::uint32_t count = sums[i].count;
    for (std::size_t c = 0; count > 0 && c < 3; ++c)
      model.points[i].rgb[c] = static_cast<std::uint8_t>((sums[i].total[c] + count / 2) / count);
  }
}

}  // namespace bifocal::mapping
