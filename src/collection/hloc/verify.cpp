// SPDX-License-Identifier: BSD-3-Clause
// Verifies hloc's matches and writes them to a COLMAP database.
#include <fmt/format.h>
#include <bifocal/error.hpp>
#include <bifocal/colmap/hloc.hpp>
#include <bifocal/pair_selection.hpp>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <tuple>
#include <unordered_map>

#include "collection/colmap/chunk.hpp"
#include "collection/colmap/row_writer.hpp"
#include "collection/colmap/pair.hpp"
#include "collection/colmap/pipeline.hpp"
#include "collection/colmap/sqlite.hpp"
#include "io/reject.hpp"

namespace bifocal::hloc {
namespace {

using colmap::Access, colmap::Camera, colmap::Cameras, colmap::Chunk, colmap::ChunkReader,
    colmap::Database, colmap::Id, colmap::Image, colmap::IndexPair, colmap::Keypoints,
    colmap::PairOfImages, colmap::PairRows, colmap::PairSource, colmap::Piece, colmap::Transaction,
    colmap::VerifyProgress, colmap::VerifyRun;
using colmap::pair_id;

class HlocSource : public PairSource {
 public:
  HlocSource(const FeatureFile& features, const MatchFile& matches, const Files& files,
             const std::vector<Image>& images)
      : features_(features), matches_(matches), files_(files) {
    for (const Image& image : images) names_.emplace(image.id, image.name);
  }
  // Returns keypoints after the rounding of the database, so that a later verification from the
  // database gives the same result.
  std::vector<Vec2> keypoints(Id image) override {
    std::vector<Vec2> points = features_.keypoints(names_.at(image));
    for (Vec2& p : points)
      for (double& v : p) v = static_cast<float>(v) + 0.5F - 0.5F;
    return points;
  }
  void matches(const PairOfImages& pair, std::vector<IndexPair>& to) override {
    const auto found = matches_.matches(names_.at(pair.image1), names_.at(pair.image2));
    if (!found) io::reject(files_.matches.string(), "has no matches of {}", both(pair));
    to.insert(to.end(), found->begin(), found->end());
  }
  [[nodiscard]] std::string name_of(const PairOfImages& pair) const override {
    return fmt::format("{}: {}", files_.matches.string(), both(pair));
  }

 private:
  [[nodiscard]] std::string both(const PairOfImages& pair) const {
    return fmt::format("'{}' and '{}'", names_.at(pair.image1), names_.at(pair.image2));
  }
  const FeatureFile& features_;
  const MatchFile& matches_;
  const Files& files_;
  std::unordered_map<Id, std::string> names_;
};

void add_images(Database& database, const FeatureFile& features) {
  Transaction all(database);
  Id id = 0;
  for (const std::string& name : features.names()) {
    const auto [width, height] = features.image_size(name);
    Camera camera = colmap::camera_without_lens("SIMPLE_RADIAL", width, height, {});
    camera.id = ++id;
    database.write(camera);
    database.write(Image{id, name, id});
  }
  all.commit();
}

// Deletes a new database in the destructor unless a pair was verified, so that a failure in the
// first reads leaves no file behind.
class NewDatabase {
 public:
  explicit NewDatabase(const std::filesystem::path& file)
      : file_(file), is_new_(!std::filesystem::exists(file)) {}
  ~NewDatabase() {
    std::error_code none;
    for (const char* end : {"", "-wal", "-shm", ".part", ".part-wal", ".part-shm"})
      if (is_new_ && !kept_) std::filesystem::remove(file_.string() + end, none);
  }
  NewDatabase(const NewDatabase&) = delete;
  NewDatabase& operator=(const NewDatabase&) = delete;
  [[nodiscard]] bool is_new() const { return is_new_; }
  void keep() { kept_ = true; }

 private:
  const std::filesystem::path& file_;
  const bool is_new_;
  std::atomic<bool> kept_ = false;
};

// Writes cameras and images of the features to a new file, which is renamed once it is complete.
void create(const std::filesystem::path& file, const FeatureFile& features) {
  sqlite::make_whole(file, ".part", [&](const std::filesystem::path& part) {
    Database database(part, Access::create);
    add_images(database, features);
  });
}

// Returns whether two coordinates in px agree up to rounding. hloc may have written the database
// from 16-bit floats, which are rounded after 0.5 px is added.
bool is_same(double stored, double given) {
  if (stored == given || (std::isnan(stored) && std::isnan(given))) return true;
  constexpr double kRounding = 0.01, kHalfPrecision = 1.0 / 2048;
  const double difference = std::abs(stored - given), exponent = std::exp2(std::ilogb(given) - 10);
  const bool is_half = given != 0 && std::fmod(given, exponent) == 0;
  return difference <= std::max(kRounding, is_half ? kHalfPrecision * std::abs(given) : 0);
}

// Rejects a database whose keypoints differ from the features: matches are indices
// into the keypoints.
void check_same(const std::filesystem::path& file, const std::filesystem::path& features,
                const Image& image, const Keypoints& stored, const std::vector<Vec2>& given) {
  if (stored.size() != given.size())
    io::reject(file.string(), "has {} keypoints of '{}', the features have {}", stored.size(),
               image.name, given.size());
  for (std::size_t i = 0; i < given.size(); ++i) {
    const float* p = stored.data.data() + i * static_cast<std::size_t>(stored.columns);
    if (is_same(p[0], given[i][0]) && is_same(p[1], given[i][1])) continue;
    io::reject(file.string(),
               "has other keypoints of '{}' than {}: keypoint {} is at ({:g}, {:g}), not at "
               "({:g}, {:g}); write a new database",
               image.name, features.string(), i, p[0], p[1], given[i][0], given[i][1]);
  }
}

// Adds the keypoints of the images that have none yet.
void add_keypoints(const std::filesystem::path& file, const Files& files,
                   const FeatureFile& features, const std::vector<Image>& images) {
  Database database(file, Access::write);
  Transaction all(database);
  for (const Image& image : images) {
    if (!features.contains(image.name)) continue;
    const std::vector<Vec2> points = features.keypoints(image.name);
    if (database.keypoint_count(image.id) >= 0) {
      check_same(file, files.features, image, database.keypoints(image.id), points);
      continue;
    }
    Keypoints keypoints;
    for (const Vec2& p : points)
      keypoints.data.insert(keypoints.data.end(),
                            {static_cast<float>(p[0]), static_cast<float>(p[1])});
    database.write_keypoints(image.id, keypoints);
  }
  all.commit();
}

// Returns width and height of the image that the features belong to, if the file contains them.
std::optional<std::array<std::int64_t, 2>> size_of(const FeatureFile& features,
                                                   const std::string& image) {
  try {
    return features.image_size(image);
  } catch (const Error&) {
    return {};
  }
}

// Reports existing cameras of the database whose size differs from the image size of the features.
void report_other_sizes(const Database& database, const std::vector<Image>& images,
                        const FeatureFile& features, const std::vector<PairOfImages>& work,
                        VerifyProgress& progress) {
  std::unordered_map<Id, std::int64_t> pairs;  // by image
  for (const PairOfImages& p : work) ++pairs[p.image1], ++pairs[p.image2];
  std::vector<colmap::RowFault> reported_elsewhere;
  std::unordered_map<Id, Camera> cameras;
  for (Camera& c : database.cameras(&reported_elsewhere)) cameras.emplace(c.id, std::move(c));
  for (const Image& image : images) {
    const auto camera = cameras.find(image.camera_id);
    if (pairs[image.id] == 0 || camera == cameras.end() || camera->second.width < 1) continue;
    const Camera& c = camera->second;
    const auto size = size_of(features, image.name);
    if (!size || *size == std::array{c.width, c.height}) continue;
    progress.odd_rows.push_back({fmt::format("table cameras, camera_id {}", c.id),
                                 fmt::format("{} x {} px, but the features of '{}' are of {} x {}",
                                             c.width, c.height, image.name, (*size)[0], (*size)[1]),
                                 colmap::RowUse::as_it_is, pairs[image.id]});
  }
}

// Listed pairs by state: `work` is to be verified; `finished` has a geometry or zero matches
// in the database.
struct ListedPairs {
  std::vector<PairOfImages> work, finished;
};

ListedPairs listed_pairs(const Database& database, const std::vector<Image>& images,
                         const FeatureFile& features, const Files& files, bool overwrite) {
  std::vector<std::string> names;
  for (const Image& image : images) names.push_back(image.name);
  std::vector<std::uint64_t> finished = colmap::ids_with_geometry(database);
  for (const PairRows& row : database.match_rows())
    if (row.rows == 0) finished.push_back(pair_id(row.image1, row.image2));
  std::sort(finished.begin(), finished.end());
  ListedPairs listed;
  for (const ImagePair& p : read_pairs(files.pairs, names)) {
    const Image &a = images[static_cast<std::size_t>(p.image1)],
                &b = images[static_cast<std::size_t>(p.image2)];
    for (const Image* image : {&a, &b})
      if (!features.contains(image->name))
        io::reject(files.features.string(), "has no image '{}', which {} lists", image->name,
                   files.pairs.string());
    const bool is_finished =
        !overwrite && std::binary_search(finished.begin(), finished.end(), pair_id(a.id, b.id));
    (is_finished ? listed.finished : listed.work).push_back({a.id, b.id});
  }
  return listed;
}

// Checks that finished pairs have the matches of this file. Only a sample is read, because a new
// run of a matcher changes nearly all pairs.
void check_finished(const Database& database, const std::filesystem::path& file, HlocSource& source,
                    const std::vector<PairOfImages>& finished) {
  constexpr std::size_t kMostRead = 256;
  const std::size_t step = finished.size() / kMostRead + 1;
  for (std::size_t k = 0; k < finished.size(); k += step) {
    const PairOfImages& pair = finished[k];
    auto stored = database.matches(pair.image1, pair.image2);
    if (!stored) continue;
    std::vector<IndexPair> given;
    source.matches(pair, given);
    const auto in_order = [](const IndexPair& a, const IndexPair& b) {
      return std::tie(a.index1, a.index2) < std::tie(b.index1, b.index2);
    };
    std::ranges::sort(*stored, in_order);
    std::ranges::sort(given, in_order);
    if (*stored != given)
      io::reject(file.string(), "has other matches than {}; verify them again with --overwrite",
                 source.name_of(pair));
  }
}

void write_rows(Database& database, const Piece& piece) {
  const Chunk& chunk = piece.chunk;
  for (std::size_t k = 0; k < chunk.pairs.size(); ++k) {
    const auto [a, b] = chunk.pairs[k];
    const auto first = static_cast<std::size_t>(chunk.offsets[k]),
               size = static_cast<std::size_t>(chunk.offsets[k + 1]) - first;
    database.write_matches(a, b, std::span(chunk.matches).subspan(first, size));
    if (size > 0)
      database.write_geometry(a, b, piece.geometries[k]);
    else
      database.erase_geometry(a, b);
  }
}

}  // namespace

colmap::VerifyProgress verify(const DeviceSet& devices, const Files& files,
                              const std::filesystem::path& file, const colmap::VerifyRun& run) {
  const FeatureFile features(files.features);
  const MatchFile matches(files.matches);
  NewDatabase made(file);  // outlives all connections
  if (made.is_new()) create(file, features);
  const Database database(file, Access::write);
  const std::vector<Image> images = database.images();
  VerifyProgress progress;
  HlocSource source(features, matches, files, images);
  const auto [work, finished] = listed_pairs(database, images, features, files, run.overwrite);
  progress.skipped = std::ssize(finished);
  progress.pairs = static_cast<std::int64_t>(work.size());
  report_other_sizes(database, images, features, work, progress);
  add_keypoints(file, files, features, images);
  check_finished(database, file, source, finished);
  const Cameras cameras(database);
  ChunkReader reader(source, cameras, work, run.max_memory);
  colmap::RowWriter writer(file);
  const auto write = [&](const Piece& piece) {
    made.keep();
    writer.write([&](Database& to) { write_rows(to, piece); });
  };
  colmap::run_pipeline(devices, reader, run.options, write, progress, run.progress);
  writer.finish();
  made.keep();
  return progress;
}

}  // namespace bifocal::hloc
