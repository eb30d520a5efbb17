// SPDX-License-Identifier: BSD-3-Clause
#include "collection/collect/resident.hpp"

#include <algorithm>
#include <numeric>
#include <set>
#include <stdexcept>
#include <tuple>

#include "collection/screen.hpp"
#include "runtime/parallel.hpp"

namespace bifocal::collection {

constexpr int kMostReaders = 8;

PairPieces::PairPieces(std::span<const ImagePair> pairs, int images, int height)
    : pairs_(pairs), order_(pairs.size()) {
  std::iota(order_.begin(), order_.end(), std::size_t{0});
  int end = 0;
  for (const ImagePair& p : pairs) end = std::max(end, p.image2 + 1);
  if (end <= images) {
    height_ = width_ = std::max(1, end);
    return;
  }
  height_ = std::clamp(height, 1, std::max(1, images / 2));
  width_ = std::max(1, images - height_);
  if (height_ == 1) return;
  // Tiles are visited in alternating column order, so that the last column stays loaded from one
  // row of tiles to the next.
  const auto key = [this](std::size_t place) {
    const Tile t = tile_of(pairs_[place]);
    return std::tuple(t.row, t.row % 2 == 0 ? t.column : -t.column);
  };
  std::ranges::stable_sort(order_, {}, key);
}

PairPieces::Tile PairPieces::tile_of(const ImagePair& pair) const {
  return {pair.image1 / height_, pair.image2 / width_};
}

bool PairPieces::next(std::size_t most, Places& places) {
  places.clear();
  while (next_ < order_.size() && places.size() < most) {
    const std::size_t place = order_[next_];
    if (!places.empty() && tile_of(pairs_[place]) != tile_of(pairs_[places.front()])) break;
    places.push_back(place);
    ++next_;
  }
  return !places.empty();
}

ResidentFeatures::ResidentFeatures(const Device& device, const Job& job, int capacity, int images)
    : found_(*job.found),
      kept_(job.kept_on(device)),
      queue_(device),
      set_(device, std::int64_t{capacity} * images),
      image_in_(static_cast<std::size_t>(images), -1),
      is_needed_(static_cast<std::size_t>(images), 0) {
  set_.reserve(queue_, capacity, images);
  for (int k = 0; k < std::min(runtime::thread_count(), kMostReaders); ++k)
    readers_.push_back(std::make_unique<WorkDatabase>(job.work_file));
}

std::vector<ImagePair> ResidentFeatures::slots_of(std::span<const ImagePair> pairs) {
  const std::lock_guard lock(mutex_);
  std::set<int> images;
  for (const ImagePair& p : pairs) images.insert({p.image1, p.image2});
  std::ranges::fill(is_needed_, 0);
  for (const int image : images)
    if (const auto at = where_.find(image); at != where_.end())
      is_needed_[static_cast<std::size_t>(at->second)] = 1;
  std::vector<int> missing;
  for (const int image : images)
    if (!where_.contains(image) && !take_kept(image)) missing.push_back(image);
  queue_.wait();
  load(missing);
  std::vector<ImagePair> slots;
  slots.reserve(pairs.size());
  for (const ImagePair& p : pairs) slots.push_back({where_.at(p.image1), where_.at(p.image2)});
  return slots;
}

// Returns the next slot, in cyclic order, that is empty or whose image is not needed now.
int ResidentFeatures::free_slot() {
  for (std::size_t tries = 0; tries < image_in_.size(); ++tries) {
    const std::size_t slot = next_++ % image_in_.size();
    if (is_needed_[slot]) continue;
    if (image_in_[slot] >= 0) where_.erase(image_in_[slot]);
    image_in_[slot] = -1;
    return static_cast<int>(slot);
  }
  throw std::logic_error("ResidentFeatures: more images than slots");
}

// Copies an image from the features that the device keeps, if they have it.
bool ResidentFeatures::take_kept(int image) {
  if (!kept_ || !kept_->has(image, set_.capacity(0))) return false;
  const int slot = free_slot();
  kept_->copy(queue_, image, set_, slot);
  occupy(slot, image);
  return true;
}

void ResidentFeatures::occupy(int slot, int image) {
  image_in_[static_cast<std::size_t>(slot)] = image;
  is_needed_[static_cast<std::size_t>(slot)] = 1;
  where_[image] = slot;
}

// Loads images in small batches. Several threads read, each with its own connection.
void ResidentFeatures::load(std::span<const int> images) {
  while (!images.empty()) {
    const std::size_t count = std::min(images.size(), 2 * readers_.size());
    std::vector<std::shared_ptr<const Features>> read(count);
    runtime::parallel_each(std::min(count, readers_.size()), [&](std::size_t first) {
      for (std::size_t i = first; i < count; i += readers_.size()) {
        read[i] = found_.get(images[i], *readers_[first]);
        const std::vector<Keypoint>& all = read[i]->keypoints;
        if (const int most = set_.capacity(0); read[i]->size() > most)
          read[i] =
              std::make_shared<const Features>(features_at(*read[i], largest_keypoints(all, most)));
      }
    });
    for (std::size_t i = 0; i < count; ++i) {
      const int slot = free_slot();
      set_.put(queue_, slot, *read[i]);
      occupy(slot, images[i]);
    }
    images = images.subspan(count);
  }
}

}  // namespace bifocal::collection
