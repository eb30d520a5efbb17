// SPDX-License-Identifier: BSD-3-Clause
#include "collection/colmap/chunk.hpp"

#include <fmt/format.h>
#include <sqlite3.h>
#include <bifocal/error.hpp>

#include <algorithm>
#include <atomic>
#include <cstring>

#include "collection/colmap/blob.hpp"
#include "collection/colmap/pair.hpp"
#include "collection/colmap/state.hpp"
#include "io/reject.hpp"
#include "runtime/parallel.hpp"

namespace bifocal::colmap {
namespace {

constexpr int kKeypointColumns[] = {2, 4, 6};
constexpr int kMatchColumns[] = {2};
constexpr std::size_t kPairsAtOnce = 16;  // that one thread puts together

[[noreturn]] void refuse(const Chunk& chunk, const PairSource& source, std::size_t k) {
  const std::size_t a = chunk.images1[k]->px().size(), b = chunk.images2[k]->px().size();
  auto m = static_cast<std::size_t>(chunk.offsets[k]);
  while (chunk.matches[m].index1 < a && chunk.matches[m].index2 < b) ++m;
  throw Error(
      ErrorCode::input,
      fmt::format("{}: match {} is of keypoints {} and {}, but the images have {} and {}",
                  source.name_of(chunk.pairs[k]), m - static_cast<std::size_t>(chunk.offsets[k]),
                  chunk.matches[m].index1, chunk.matches[m].index2, a, b));
}

// Whatever is thrown: who writes may wait for the end.
class Ending {
 public:
  explicit Ending(PairSource& source) : source_(source) {}
  ~Ending() { source_.end(); }
  Ending(const Ending&) = delete;
  Ending& operator=(const Ending&) = delete;

 private:
  PairSource& source_;
};

}  // namespace

std::span<const Vec2> ImagePoints::straight() const {
  if (!lens_) return px_;
  std::call_once(once_, [this] {
    straight_.reserve(px_.size());
    for (const Vec2& px : px_) straight_.push_back((*lens_)(px));
  });
  return straight_;
}

DatabaseSource::DatabaseSource(const std::filesystem::path& file, Access access, ReadGate* gate)
    : connection_(file, access == Access::frozen ? sqlite::Mode::frozen : sqlite::Mode::read),
      keypoints_(connection_, "SELECT rows, cols, data FROM keypoints WHERE image_id = ?"),
      matches_(connection_, "SELECT rows, cols, data FROM matches WHERE pair_id = ?"),
      gate_(gate) {
  // Few pages are read twice; these stay in the caches of the processor.
  connection_.execute("PRAGMA cache_size = 40");
}

void DatabaseSource::begin() {
  if (gate_) gate_->enter();
  connection_.execute("BEGIN");
}
void DatabaseSource::end() noexcept {
  sqlite3_exec(connection_.get(), "COMMIT", nullptr, nullptr, nullptr);  // of what was read alone
  if (gate_) gate_->leave();
}

std::vector<Vec2> DatabaseSource::keypoints(Id image) {
  const sqlite::Use use(keypoints_);
  const std::string where = row_name("keypoints", "image_id", image);
  keypoints_.bind(1, std::int64_t{image});
  if (!keypoints_.step(where)) return {};
  const std::vector<float> data = sqlite::table_of<float>(keypoints_, 0, kKeypointColumns, where);
  if (data.empty()) return {};
  const auto columns = static_cast<std::size_t>(keypoints_.number(1));
  std::vector<Vec2> px(data.size() / columns);
  // As Database::keypoints() has them: rounded to float.
  constexpr auto kHalf = static_cast<float>(kHalfPixel);
  for (std::size_t i = 0; i < px.size(); ++i)
    px[i] = {data[i * columns] - kHalf, data[i * columns + 1] - kHalf};
  return px;
}

void DatabaseSource::matches(const PairOfImages& pair, std::vector<IndexPair>& to) {
  const sqlite::Use use(matches_);
  const auto where = [&] { return pair_row("matches", pair.image1, pair.image2); };
  matches_.bind(1, static_cast<std::int64_t>(pair_id(pair.image1, pair.image2)));
  if (!matches_.step(where)) return;
  sqlite::check_table(matches_, 0, kMatchColumns, sizeof(std::uint32_t), where);
  const auto bytes = matches_.bytes(2);
  const std::size_t before = to.size();
  to.resize(before + bytes.size() / sizeof(IndexPair));
  if (bytes.empty()) return;
  std::memcpy(to.data() + before, bytes.data(), bytes.size());
  io::swap_unless_little(
      std::span(reinterpret_cast<std::uint32_t*>(to.data() + before), bytes.size() / 4));
}

std::string DatabaseSource::name_of(const PairOfImages& pair) const {
  return fmt::format("{}: table matches, images {} and {}", connection_.name(), pair.image1,
                     pair.image2);
}

void Chunk::clear() {
  pairs.clear();
  offsets.assign(1, 0);
  matches.clear();
  images1.clear(), images2.clear();
  cameras1.clear(), cameras2.clear();
}

void ChunkPoints::gather(const Chunk& chunk, const PairSource& source) {
  const auto has_lens = [](const auto& images) {
    return std::any_of(images.begin(), images.end(), [](const auto& i) { return i->has_lens(); });
  };
  const bool lens = has_lens(chunk.images1) || has_lens(chunk.images2);
  points_ = points_memory_.take(chunk.matches.size());
  undistorted_ = undistorted_memory_.take(lens ? chunk.matches.size() : 0);
  const std::size_t pairs = chunk.pairs.size();
  std::atomic<std::size_t> wrong = pairs;  // the first of them
  runtime::parallel_for(static_cast<int>((pairs + kPairsAtOnce - 1) / kPairsAtOnce), [&](int i) {
    const std::size_t first = kPairsAtOnce * static_cast<std::size_t>(i);
    for (std::size_t k = first; k < std::min(pairs, first + kPairsAtOnce); ++k) {
      if (gather(chunk, k)) continue;
      for (std::size_t before = wrong; k < before && !wrong.compare_exchange_weak(before, k);) {
      }
    }
  });
  if (wrong < pairs) refuse(chunk, source, wrong);
}

bool ChunkPoints::gather(const Chunk& chunk, std::size_t k) {
  const auto begin = static_cast<std::size_t>(chunk.offsets[k]),
             end = static_cast<std::size_t>(chunk.offsets[k + 1]);
  const ImagePoints &image1 = *chunk.images1[k], &image2 = *chunk.images2[k];
  const auto a = image1.px(), b = image2.px();
  for (std::size_t m = begin; m < end; ++m) {
    const auto [i1, i2] = chunk.matches[m];
    if (i1 >= a.size() || i2 >= b.size()) return false;
    points_[m] = {a[i1][0], a[i1][1], b[i2][0], b[i2][1]};
  }
  if (undistorted_.empty()) return true;
  const auto straight1 = image1.straight(), straight2 = image2.straight();
  for (std::size_t m = begin; m < end; ++m) {
    const auto [i1, i2] = chunk.matches[m];
    undistorted_[m] = {straight1[i1][0], straight1[i1][1], straight2[i2][0], straight2[i2][1]};
  }
  return true;
}

Cameras::Cameras(const Database& database) : file_(database.file().string()) {
  for (const Camera& c : database.cameras()) {
    try {
      Undistortion lens(c);
      const ViewCamera view = view_camera(c, lens);
      cameras_.emplace(c.id, Entry{view, std::move(lens)});
    } catch (const Error& error) {
      io::reject(file_, "table cameras: {}", error.what());
    }
  }
  for (const Image& image : database.images()) {
    if (!cameras_.contains(image.camera_id))
      io::reject(file_, "table images, image_id {}: camera_id {}, there is no such camera",
                 image.id, image.camera_id);
    camera_of_.emplace(image.id, image.camera_id);
  }
}

const Cameras::Entry& Cameras::entry(Id image) const {
  const auto found = camera_of_.find(image);
  if (found == camera_of_.end())
    io::reject(file_, "table matches: a pair with image {}, which table images has not", image);
  return cameras_.at(found->second);
}

const ViewCamera& Cameras::of(Id image) const { return entry(image).view; }

const Undistortion* Cameras::lens_of(Id image) const {
  const Entry& e = entry(image);
  // Without a focal length only F and H are sought, on the pictures as they are.
  return e.view.has_prior_focal_length && e.undistortion.has_lens() ? &e.undistortion : nullptr;
}

void ChunkReader::next(Chunk& chunk) {
  chunk.clear();
  if (pairs_.empty()) return;
  source_.begin();
  const Ending ending(source_);
  while (!pairs_.empty() && !is_full_piece(chunk.pairs.size(), chunk.matches.size())) {
    add(pairs_.front(), chunk);
    pairs_ = pairs_.subspan(1);
  }
}

std::shared_ptr<const ImagePoints> ChunkReader::points_of(Id image) {
  if (const auto found = kept_.find(image); found != kept_.end()) {
    uses_.splice(uses_.begin(), uses_, found->second.use);
    return found->second.points;
  }
  const auto points =
      std::make_shared<const ImagePoints>(source_.keypoints(image), cameras_.lens_of(image));
  used_ += points->bytes();
  // The other image of a pair stays, whatever the limit.
  while (used_ > max_memory_ && uses_.size() > 1) {
    used_ -= kept_.at(uses_.back()).points->bytes();
    kept_.erase(uses_.back());
    uses_.pop_back();
  }
  uses_.push_front(image);
  kept_.emplace(image, Kept{points, uses_.begin()});
  return points;
}

void ChunkReader::add(const PairOfImages& pair, Chunk& chunk) {
  chunk.cameras1.push_back(cameras_.of(pair.image1));
  chunk.cameras2.push_back(cameras_.of(pair.image2));
  chunk.images1.push_back(points_of(pair.image1));
  chunk.images2.push_back(points_of(pair.image2));
  source_.matches(pair, chunk.matches);
  chunk.offsets.push_back(static_cast<std::int64_t>(chunk.matches.size()));
  chunk.pairs.push_back(pair);
}

}  // namespace bifocal::colmap
