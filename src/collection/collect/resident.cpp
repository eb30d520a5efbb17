// SPDX-License-Identifier: BSD-3-Clause
#include "collection/collect/resident.hpp"

#include <algorithm>
#include <set>

#include "collection/screen.hpp"

namespace bifocal::collection {

std::vector<PairBlock> blocks_of(std::span<const ImagePair> pairs, int block) {
  const auto key = [=](const ImagePair& p) {
    const int first = p.image1 / block, second = p.image2 / block;
    return std::pair(first, first % 2 == 0 ? second : -second);
  };
  std::vector<ImagePair> ordered(pairs.begin(), pairs.end());
  std::stable_sort(ordered.begin(), ordered.end(),
                   [&](const ImagePair& a, const ImagePair& b) { return key(a) < key(b); });
  std::vector<PairBlock> blocks;
  for (std::size_t i = 0; i < ordered.size(); ++i) {
    if (i == 0 || key(ordered[i]) != key(ordered[i - 1])) blocks.emplace_back();
    blocks.back().pairs.push_back(ordered[i]);
  }
  return blocks;
}

PairWalk::Part PairWalk::next(const Part& last, std::size_t most) {
  const std::lock_guard lock(mutex_);
  std::size_t block = last.block ? static_cast<std::size_t>(last.block - blocks_.data()) : begun_;
  if (!last.block || left(block) == 0) {
    block = begun_;
    if (begun_ < blocks_.size()) {
      ++begun_;
    } else {  // the one with most left
      block = 0;
      for (std::size_t b = 1; b < blocks_.size(); ++b)
        if (left(b) > left(block)) block = b;
    }
  }
  if (block >= blocks_.size() || left(block) == 0) return {};
  const std::size_t first = given_[block], count = std::min(most, left(block));
  given_[block] += count;
  return {&blocks_[block], std::span(blocks_[block].pairs).subspan(first, count)};
}

ResidentFeatures::ResidentFeatures(Queue& queue, WorkFile& work, int capacity, int images)
    : queue_(queue),
      work_(work),
      set_(queue.device(), std::int64_t{capacity} * images),
      image_in_(static_cast<std::size_t>(images), -1),
      is_needed_(static_cast<std::size_t>(images), 0),
      keypoints_(static_cast<std::size_t>(images)) {
  set_.reserve(queue, capacity, images);
}

void ResidentFeatures::enter(const PairBlock& block) {
  std::set<int> images;
  for (const ImagePair& p : block.pairs) images.insert({p.image1, p.image2});
  std::fill(is_needed_.begin(), is_needed_.end(), 0);
  for (const int image : images)
    if (const auto at = where_.find(image); at != where_.end())
      is_needed_[static_cast<std::size_t>(at->second)] = 1;
}

std::vector<ImagePair> ResidentFeatures::slots_of(std::span<const ImagePair> pairs) {
  const auto slot = [this](int image) {
    if (const auto at = where_.find(image); at != where_.end()) return at->second;
    const int free = slot_of(image);
    load(image, free);
    return free;
  };
  std::vector<ImagePair> slots;
  slots.reserve(pairs.size());
  for (const ImagePair& p : pairs) slots.push_back({slot(p.image1), slot(p.image2)});
  return slots;
}

// One that holds nothing needed now.
int ResidentFeatures::slot_of(int image) {
  for (std::size_t tries = 0; tries < image_in_.size(); ++tries, ++next_) {
    const std::size_t slot = next_ % image_in_.size();
    if (is_needed_[slot]) continue;
    if (image_in_[slot] >= 0) where_.erase(image_in_[slot]);
    image_in_[slot] = image;
    is_needed_[slot] = 1;
    where_[image] = static_cast<int>(slot);
    return static_cast<int>(slot);
  }
  throw std::logic_error("ResidentFeatures: more images than slots");
}

void ResidentFeatures::load(int image, int slot) {
  Features f = work_.features(image);
  if (f.size() > set_.capacity(slot))
    f = features_at(f, largest_keypoints(f.keypoints, set_.capacity(slot)));
  const auto begin = static_cast<std::size_t>(set_.begin(slot));
  const int count = f.size();
  if (count > 0) {
    runtime::upload(queue_, *set_.keypoints().memory(), begin * sizeof(Keypoint),
                    f.keypoints.data(), f.keypoints.size() * sizeof(Keypoint));
    runtime::upload(queue_, *set_.descriptors().memory(), begin * kDescriptorBytes,
                    f.descriptors.data(), f.descriptors.size());
  }
  runtime::upload(queue_, *set_.counts().memory(), static_cast<std::size_t>(slot) * sizeof(int),
                  &count, sizeof count);
  queue_.wait();
  keypoints_[static_cast<std::size_t>(slot)] = std::move(f.keypoints);
}

}  // namespace bifocal::collection
