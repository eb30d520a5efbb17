// SPDX-License-Identifier: BSD-3-Clause
#include "collection/colmap/pipeline.hpp"

#include <bifocal/geometry.hpp>
#include <fmt/format.h>

#include "runtime/parallel.hpp"
#include "runtime/pipeline.hpp"

namespace bifocal::colmap {
namespace {

// Pieces that a GPU verifies at the same time. A single piece leaves most of a GPU idle, and during
// copies the whole GPU.
constexpr std::size_t kPiecesOnGpu = 6;
// Returns the number of pieces in memory in addition to those under verification: one in reading,
// one in writing, one waiting for each device. Sets of different devices get 16 more, so that the
// slowest device does not stall the rest.
std::size_t extra_pieces(const DeviceSet& devices) {
  return 3 + devices.devices().size() + (devices.is_mixed() ? 16 : 0);
}

std::vector<runtime::PipelineWorker<Piece>> deciders(const DeviceSet& devices,
                                                     const TwoViewGeometryOptions& options) {
  std::vector<runtime::PipelineWorker<Piece>> all;
  for (std::size_t d = 0; d < devices.devices().size(); ++d) {
    const Device& device = devices.devices()[d];
    const std::size_t workers = device.info().kind == DeviceKind::cpu ? 1 : kPiecesOnGpu;
    for (std::size_t k = 0; k < workers; ++k) {
      const auto decider = std::make_shared<PieceDecider>(device, d, options);
      all.push_back({d, [decider](Piece& piece) { decider->decide(piece); }});
    }
  }
  return all;
}

}  // namespace

std::string remove_wrong_pose(TwoViewGeometry& geometry) {
  if (!geometry.cam2_from_cam1) return {};
  const std::string fault = rotation_fault(geometry.cam2_from_cam1->R);
  if (fault.empty()) return {};
  geometry.cam2_from_cam1.reset();
  return "R of its pose " + fault;
}

OddRow without_pose(const std::string& image1, const std::string& image2,
                    const std::string& reason) {
  return {fmt::format("images {} and {}", image1, image2), reason, RowUse::without_pose, 1};
}

std::string set_geometry(const DecidedPair& from, std::span<const IndexPair> matches,
                         std::span<const std::uint8_t> inliers, TwoViewGeometry& to) {
  to.configuration = from.configuration;
  to.F = from.F, to.E = from.E, to.H = from.H;
  to.cam2_from_cam1 = from.cam2_from_cam1;
  to.inliers.clear();
  to.inliers.reserve(static_cast<std::size_t>(from.num_inliers));
  for (std::size_t i = 0; i < matches.size(); ++i)
    if (inliers[i]) to.inliers.push_back(matches[i]);
  return from.pose_fault.empty() ? remove_wrong_pose(to) : from.pose_fault;
}

void PieceDecider::decide(Piece& piece) {
  Chunk& chunk = piece.chunk;
  points_.gather(chunk);
  verifier_.policy().set_cameras(chunk.cameras1, chunk.cameras2);
  const auto& decided = verifier_.run(chunk.offsets, points_.points(), points_.undistorted());
  piece.geometries.resize(chunk.pairs.size());
  std::vector<std::string> faults(chunk.pairs.size());
  runtime::parallel_each(chunk.pairs.size(), [&](std::size_t k) {
    const auto own = std::span(chunk.matches)
                         .subspan(static_cast<std::size_t>(chunk.offsets[k]), decided.size(k));
    faults[k] = set_geometry(decided.results[k], own, decided.inliers_of(k), piece.geometries[k]);
  });
  for (std::size_t k = 0; k < faults.size(); ++k)
    if (!faults[k].empty())
      chunk.odd_rows.add(
          without_pose(chunk.images1[k]->name(), chunk.images2[k]->name(), faults[k]));
  piece.device = device_;
}

void count(const TwoViewGeometry& geometry, VerifyProgress& progress) {
  ++progress.done;
  progress.inliers += static_cast<std::int64_t>(geometry.inliers.size());
  ++progress.configurations.at(static_cast<std::size_t>(geometry.configuration));
}

void run_pipeline(const DeviceSet& devices, ChunkReader& reader,
                  const TwoViewGeometryOptions& options, const PieceWriter& write,
                  VerifyProgress& progress,
                  const std::function<bool(const VerifyProgress&)>& report) {
  progress.by_device.assign(devices.devices().size(), 0);
  if (report && !report(progress)) return;
  OddRows odd_rows;
  odd_rows.add(progress.odd_rows);
  const auto read = [&](Piece& piece) {
    reader.next(piece.chunk);
    return !piece.chunk.is_end();
  };
  runtime::Pipeline<Piece> pipeline(deciders(devices, options), read, extra_pieces(devices));
  while (const Piece* piece = pipeline.next()) {
    write(*piece);
    progress.by_device[piece->device] += std::ssize(piece->geometries);
    progress.left_out += static_cast<std::int64_t>(piece->chunk.left_out.size());
    if (!piece->chunk.odd_rows.rows().empty()) {
      odd_rows.add(piece->chunk.odd_rows.rows());
      progress.odd_rows = odd_rows.rows();
    }
    for (const TwoViewGeometry& g : piece->geometries) count(g, progress);
    if (report && !report(progress)) return;
  }
}

}  // namespace bifocal::colmap
