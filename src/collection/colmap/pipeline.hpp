// SPDX-License-Identifier: BSD-3-Clause
// Verifies the matched pairs of a database piece by piece.
#pragma once

#include <functional>

#include "collection/colmap/chunk.hpp"
#include "verify/policies.hpp"

namespace bifocal::colmap {

// Returns the pairs to verify in the order of pair_id: pairs with matches and without a geometry.
// Counts the skipped pairs in `progress`, and reports rows whose pair_id is invalid.
[[nodiscard]] std::vector<PairOfImages> work_of(const Database& database, const VerifyRun& run,
                                                VerifyProgress& progress);

// Returns the sorted pair_ids of two_view_geometries. Rows of the configuration `undefined` are
// excluded unless `undefined_too` is set.
[[nodiscard]] std::vector<std::uint64_t> ids_with_geometry(const Database& database,
                                                           bool undefined_too = false);

struct Piece {
  Chunk chunk;
  std::vector<TwoViewGeometry> geometries;  // by pair
  std::size_t device = 0;                   // index in the DeviceSet of the device that verified it
};

// Fills a database row with the result for a pair. matches, inliers: the matches of the pair
// and their flags. Returns why the row has no pose, empty if it has one or none was wanted.
std::string set_geometry(const DecidedPair& from, std::span<const IndexPair> matches,
                         std::span<const std::uint8_t> inliers, TwoViewGeometry& to);

// Removes a pose whose R is no rotation, which a database cannot store. Returns the reason, empty
// if the pose is kept.
[[nodiscard]] std::string remove_wrong_pose(TwoViewGeometry& geometry);
// Returns the report of a pair that is written without its pose.
[[nodiscard]] OddRow without_pose(const std::string& image1, const std::string& image2,
                                  const std::string& reason);

// Verifies pieces on one device with its own queue.
class PieceDecider {
 public:
  PieceDecider(const Device& device, std::size_t number, const TwoViewGeometryOptions& options)
      : queue_(device),
        points_(device),
        verifier_(queue_, {}, verify::ColmapModels(queue_, options, 0)),
        device_(number) {}

  void decide(Piece& piece);

 private:
  Queue queue_;
  ChunkPoints points_;
  verify::PairVerifier<verify::ColmapModels> verifier_;
  std::size_t device_;
};

// Adds a verified pair to the counters.
void count(const TwoViewGeometry& geometry, VerifyProgress& progress);

using PieceWriter = std::function<void(const Piece&)>;

// Reads, verifies and writes all pieces of the reader. One thread reads, several threads for each
// device verify, and the calling thread writes in the order of the pieces. Ends after a piece if
// `report` returns false. An error in any thread is thrown once all earlier pieces are written.
void run_pipeline(const DeviceSet& devices, ChunkReader& reader,
                  const TwoViewGeometryOptions& options, const PieceWriter& write,
                  VerifyProgress& progress,
                  const std::function<bool(const VerifyProgress&)>& report);

}  // namespace bifocal::colmap
