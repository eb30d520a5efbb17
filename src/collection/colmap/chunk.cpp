// SPDX-License-Identifier: BSD-3-Clause
#include "collection/colmap/chunk.hpp"

#include <fmt/format.h>
#include <bifocal/error.hpp>

#include "io/reject.hpp"

namespace bifocal::colmap {
namespace {

bool has_lens(const Chunk& chunk) { return !chunk.undistorted.empty(); }

}  // namespace

std::vector<Vec2> DatabaseSource::keypoints(Id image) {
  const Keypoints k = database_.keypoints(image);
  std::vector<Vec2> px(k.size());
  for (std::size_t i = 0; i < px.size(); ++i) {
    const float* row = &k.data[i * static_cast<std::size_t>(k.columns)];
    px[i] = {row[0], row[1]};
  }
  return px;
}

std::vector<IndexPair> DatabaseSource::matches(const PairOfImages& pair) {
  return database_.matches(pair.image1, pair.image2).value_or(std::vector<IndexPair>());
}

std::string DatabaseSource::name_of(const PairOfImages& pair) const {
  return fmt::format("{}: table matches, images {} and {}", database_.file().string(), pair.image1,
                     pair.image2);
}

Cameras::Cameras(const Database& database) : file_(database.file().string()) {
  for (const Camera& c : database.cameras()) {
    try {
      Undistortion lens(c);
      const ViewCamera view{lens.pinhole(), c.has_prior_focal_length, lens.is_fisheye(), c.width,
                            c.height};
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

Chunk ChunkReader::next() {
  Chunk chunk;
  while (!pairs_.empty() && !is_full_piece(chunk.pairs.size(), chunk.matches.size())) {
    add(pairs_.front(), chunk);
    pairs_ = pairs_.subspan(1);
  }
  return chunk;
}

const ChunkReader::Points& ChunkReader::points_of(Id image) {
  if (const auto found = kept_.find(image); found != kept_.end()) {
    uses_.splice(uses_.begin(), uses_, found->second.use);
    return found->second;
  }
  Points points;
  points.px = source_.keypoints(image);
  if (const Undistortion* lens = cameras_.lens_of(image)) {
    points.straight.reserve(points.px.size());
    for (const Vec2& px : points.px) points.straight.push_back((*lens)(px));
  }
  const auto bytes = [](const Points& p) {
    return static_cast<std::int64_t>((p.px.size() + p.straight.size()) * sizeof(Vec2));
  };
  used_ += bytes(points);
  // The other image of a pair stays, whatever the limit.
  while (used_ > max_memory_ && uses_.size() > 1) {
    used_ -= bytes(kept_.at(uses_.back()));
    kept_.erase(uses_.back());
    uses_.pop_back();
  }
  uses_.push_front(image);
  points.use = uses_.begin();
  return kept_.emplace(image, std::move(points)).first->second;
}

void ChunkReader::add(const PairOfImages& pair, Chunk& chunk) {
  const ViewCamera &camera1 = cameras_.of(pair.image1), &camera2 = cameras_.of(pair.image2);
  const Points &a = points_of(pair.image1), &b = points_of(pair.image2);
  const std::vector<IndexPair> matches = source_.matches(pair);
  const bool lens = !a.straight.empty() || !b.straight.empty();
  if (lens && !has_lens(chunk)) chunk.undistorted = chunk.points;
  const auto straight_a = std::span(a.straight.empty() ? a.px : a.straight),
             straight_b = std::span(b.straight.empty() ? b.px : b.straight);
  for (std::size_t i = 0; i < matches.size(); ++i) {
    const auto [i1, i2] = matches[i];
    if (i1 >= a.px.size() || i2 >= b.px.size())
      throw Error(
          ErrorCode::input,
          fmt::format("{}: match {} is of keypoints {} and {}, but the images have {} and {}",
                      source_.name_of(pair), i, i1, i2, a.px.size(), b.px.size()));
    chunk.points.push_back({a.px[i1][0], a.px[i1][1], b.px[i2][0], b.px[i2][1]});
    if (lens || has_lens(chunk))
      chunk.undistorted.push_back(
          {straight_a[i1][0], straight_a[i1][1], straight_b[i2][0], straight_b[i2][1]});
  }
  chunk.matches.insert(chunk.matches.end(), matches.begin(), matches.end());
  chunk.offsets.push_back(static_cast<std::int64_t>(chunk.points.size()));
  chunk.pairs.push_back(pair);
  chunk.cameras1.push_back(camera1);
  chunk.cameras2.push_back(camera2);
}

}  // namespace bifocal::colmap
