// SPDX-License-Identifier: BSD-3-Clause
// Verification of a database's pairs: pieces are read, verified and written concurrently.
#include <unistd.h>
#include <bifocal/colmap/verify.hpp>
#include <bifocal/pair_selection.hpp>

#include "collection/colmap/chunk.hpp"
#include "collection/colmap/row_writer.hpp"
#include "collection/colmap/pipeline.hpp"

namespace bifocal::colmap {
namespace {

// Returns the pairs of a list, by pair_id as in the table.
std::vector<PairOfImages> listed_pairs(const Database& database,
                                       const std::filesystem::path& file) {
  std::vector<RowFault> odd;                                // reported with the pairs of the images
  const std::vector<Image> images = database.images(&odd);  // by number
  std::vector<std::string> names;
  names.reserve(images.size());
  for (const Image& image : images) names.push_back(image.name);
  std::vector<PairOfImages> pairs;
  for (const ImagePair& p : read_pairs(file, names))
    pairs.push_back({images[static_cast<std::size_t>(p.image1)].id,
                     images[static_cast<std::size_t>(p.image2)].id});
  return pairs;
}

}  // namespace

std::vector<std::uint64_t> ids_with_geometry(const Database& database, bool undefined_too) {
  std::vector<std::uint64_t> ids;
  std::vector<RowFault> of_no_pair;  // ignored here
  for (const PairRows& row : database.geometry_rows(&of_no_pair))
    if (undefined_too || row.configuration != Configuration::undefined)
      ids.push_back(pair_id(row.image1, row.image2));
  return ids;
}

std::vector<PairOfImages> work_of(const Database& database, const VerifyRun& run,
                                  VerifyProgress& progress) {
  std::vector<RowFault> of_no_pair;
  const std::vector<PairRows> matched = database.match_rows(&of_no_pair);
  if (run.pairs.empty())
    for (const RowFault& fault : of_no_pair) {
      progress.odd_rows.push_back({fault.row, fault.reason, RowUse::left_out, 1});
      ++progress.left_out;
    }
  const std::vector<std::uint64_t> verified =
      run.overwrite ? std::vector<std::uint64_t>() : ids_with_geometry(database);
  std::vector<PairOfImages> listed, work;
  if (run.pairs.empty())
    for (const PairRows& row : matched) listed.push_back({row.image1, row.image2});
  else
    listed = listed_pairs(database, run.pairs);
  auto row = matched.begin();
  auto old = verified.begin();
  for (const PairOfImages& pair : listed) {
    const std::uint64_t id = pair_id(pair.image1, pair.image2);
    while (row != matched.end() && pair_id(row->image1, row->image2) < id) ++row;
    while (old != verified.end() && *old < id) ++old;
    const bool has_row = row != matched.end() && pair_id(row->image1, row->image2) == id;
    if (old != verified.end() && *old == id)
      ++progress.verified_before;
    else if (!has_row || row->rows == 0)
      ++progress.unmatched;
    else
      work.push_back(pair);
  }
  return work;
}

VerifyProgress verify(const DeviceSet& devices, const std::filesystem::path& file,
                      const VerifyRun& run) {
  // This connection is closed last, which removes the log. A read-only database is accepted,
  // because it may be complete already.
  const bool is_writable = ::access(file.c_str(), W_OK) == 0;
  const Database database(file, is_writable ? Access::write : Access::read);
  const Cameras cameras(database);
  VerifyProgress progress;
  const std::vector<PairOfImages> work = work_of(database, run, progress);
  progress.pairs = static_cast<std::int64_t>(work.size()) + progress.left_out;
  if (work.empty() && !is_writable) return progress;
  RowWriter writer(file);
  DatabaseSource source(file, Access::read, &writer.gate());
  ChunkReader reader(source, cameras, work, run.max_memory);
  const auto write = [&](const Piece& piece) {
    writer.write([&](Database& to) {
      for (std::size_t k = 0; k < piece.geometries.size(); ++k)
        to.write_geometry(piece.chunk.pairs[k].image1, piece.chunk.pairs[k].image2,
                          piece.geometries[k]);
    });
  };
  run_pipeline(devices, reader, run.options, write, progress, run.progress);
  writer.finish();
  return progress;
}

}  // namespace bifocal::colmap
