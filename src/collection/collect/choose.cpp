// SPDX-License-Identifier: BSD-3-Clause
// Which pairs are matched.
#include <bifocal/error.hpp>

#include <cstring>

#include "collection/collect/stages.hpp"

namespace bifocal::collection {
namespace {

// Pairs of places in a list of images as pairs of what is in the list.
void rename(std::vector<ImagePair>& pairs, const std::vector<int>& numbers) {
  for (ImagePair& p : pairs) {
    p.image1 = numbers[static_cast<std::size_t>(p.image1)];
    p.image2 = numbers[static_cast<std::size_t>(p.image2)];
  }
}

class Chooser {
 public:
  Chooser(const Job& job, WorkFile& work)
      : options_(job.options), work_(work), rows_(work.photographs()) {
    for (const PhotographRow& r : rows_)
      if (r.state == PhotographState::done) images_.push_back(r.number);
  }

  // Of images that are done, by their numbers.
  std::vector<ImagePair> choose() {
    const int count = static_cast<int>(images_.size());
    std::vector<ImagePair> pairs;
    switch (options_.pairs) {
      case PairChoice::all:
        pairs = all_pairs(count);
        break;
      case PairChoice::sequential:
        pairs = sequential();
        break;
      case PairChoice::retrieval:
        pairs = retrieval_pairs(index(), options_.partners);
        break;
      case PairChoice::gps:
        pairs = near_pairs(positions(), options_.gps);
        break;
      case PairChoice::listed:
        return listed();
    }
    rename(pairs, images_);
    return pairs;
  }

 private:
  std::vector<ImagePair> sequential() {
    const int count = static_cast<int>(images_.size());
    std::vector<ImagePair> pairs = sequential_pairs(count, options_.sequential);
    // Where all are neighbours there is no loop to close.
    const bool has_loops = options_.loop_period > 0 && count > options_.sequential.overlap + 1;
    if (!has_loops) return pairs;
    const auto loops = retrieval_pairs(index(), options_.loop_partners, options_.loop_period);
    pairs.insert(pairs.end(), loops.begin(), loops.end());
    tidy_pairs(pairs);
    return pairs;
  }

  ImageIndex index() {
    StageProgress progress(options_, "pairs", "photographs",
                           2 * static_cast<std::int64_t>(images_.size()), 0);
    return {static_cast<int>(images_.size()),
            [&](int i) {
              progress.add(1);
              return work_.features(images_[static_cast<std::size_t>(i)]);
            },
            options_.retrieval};
  }

  std::vector<std::optional<GeoPosition>> positions() const {
    std::vector<std::optional<GeoPosition>> all;
    for (const int number : images_)
      all.push_back(rows_[static_cast<std::size_t>(number)].info.position);
    return all;
  }

  std::vector<ImagePair> listed() const {
    std::vector<std::string> names;
    for (const PhotographRow& r : rows_) names.push_back(r.name);
    std::vector<ImagePair> pairs = read_pairs(options_.pairs_file, names);
    std::erase_if(pairs, [&](const ImagePair& p) {
      const auto is_done = [&](int i) {
        return rows_[static_cast<std::size_t>(i)].state == PhotographState::done;
      };
      return !is_done(p.image1) || !is_done(p.image2);
    });
    return pairs;
  }

  const CollectOptions& options_;
  WorkFile& work_;
  std::vector<PhotographRow> rows_;
  std::vector<int> images_;  // numbers of those that are done
};

constexpr const char* kSetting = "pairs chosen";

}  // namespace

std::vector<ImagePair> choose_pairs(const Job& job, WorkFile& work) {
  std::vector<ImagePair> pairs;
  if (const auto known = work.get(kSetting)) {
    pairs.resize(known->size() / sizeof(ImagePair));
    if (!pairs.empty()) std::memcpy(pairs.data(), known->data(), known->size());
    return pairs;
  }
  pairs = Chooser(job, work).choose();
  const std::string_view bytes(reinterpret_cast<const char*>(pairs.data()),
                               pairs.size() * sizeof(ImagePair));
  work.together([&] { work.set(kSetting, bytes); });
  return pairs;
}

}  // namespace bifocal::collection
