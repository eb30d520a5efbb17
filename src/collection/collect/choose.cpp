// SPDX-License-Identifier: BSD-3-Clause
// Which pairs are matched.
#include <bifocal/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "collection/collect/stages.hpp"
#include "runtime/parallel.hpp"

namespace bifocal::collection {
namespace {

// Names of settings.
constexpr const char *kPairs = "pairs chosen", *kMorePairs = "more pairs chosen",
                     *kAlike = "most alike";
std::string links_of(int round) { return fmt::format("links chosen {}", round); }

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
      : job_(job), options_(job.options), work_(work), rows_(work.photographs()) {
    for (const PhotographRow& r : rows_)
      if (r.state == PhotographState::done) images_.push_back(r.number);
  }

  // Of images that are done, by their numbers.
  std::vector<ImagePair> choose() {
    const int count = static_cast<int>(images_.size());
    std::vector<ImagePair> pairs;
    switch (options_.pairs) {
      case PairChoice::all:
        if (is_screened(options_)) return screened();
        [[fallthrough]];
      case PairChoice::exhaustive:
        pairs = all_pairs(count);
        break;
      case PairChoice::sequential:
        pairs = sequential();
        break;
      case PairChoice::retrieval:
        pairs = retrieval();
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

  // Of each image, places in the list of images that are done; -1 where there are fewer.
  [[nodiscard]] const std::vector<int>& most_alike() const { return alike_; }

  // Pairs that the screen left out.
  [[nodiscard]] const std::vector<ScreenedPair>& left_out() const { return left_out_; }

  // The next ones to match of those that the screen left out.
  std::vector<ImagePair> choose_links() {
    std::vector<ImagePair> verified;
    for (const WorkFile::Count& c : work_.pair_counts())
      if (c.inliers > 0) verified.push_back(c.pair);
    return linking_pairs(static_cast<int>(rows_.size()), verified, work_.left_out(),
                         options_.links);
  }

  // As many partners again as retrieval() left: those that verified pairs suggest, then those that
  // come next in looks.
  std::vector<ImagePair> choose_more(const std::vector<int>& alike) {
    const int count = static_cast<int>(images_.size()), all = options_.partners;
    if (alike.size() != images_.size() * static_cast<std::size_t>(all) ||
        std::any_of(alike.begin(), alike.end(), [&](int i) { return i >= count; }))
      throw Error(ErrorCode::input,
                  fmt::format("{}: table settings, {}: {} numbers, must be {} of each of {} "
                              "photographs; remove the file to begin anew",
                              job_.work_file.string(), kAlike, alike.size(), all, count));
    const auto most = static_cast<std::size_t>(all - by_look());
    const std::vector<PairInliers> tried = tried_pairs();
    std::set<std::pair<int, int>> known;
    for (const PairInliers& t : tried) known.emplace(t.pair.image1, t.pair.image2);
    const auto suggested = suggested_partners(count, tried, static_cast<int>(most));
    std::vector<ImagePair> pairs;
    for (int i = 0; i < count; ++i) {
      std::vector<int> own = suggested[static_cast<std::size_t>(i)];
      for (int k = by_look(); k < all && own.size() < most; ++k) {
        const int other = alike[static_cast<std::size_t>(i) * static_cast<std::size_t>(all) +
                                static_cast<std::size_t>(k)];
        if (other < 0) break;
        const bool is_new = !known.contains(std::minmax(i, other)) &&
                            std::find(own.begin(), own.end(), other) == own.end();
        if (is_new) own.push_back(other);
      }
      for (const int other : own) pairs.push_back({i, other});
    }
    tidy_pairs(pairs);
    rename(pairs, images_);
    return pairs;
  }

 private:
  std::vector<ImagePair> screened() {
    std::vector<ImagePair> pairs = all_pairs(static_cast<int>(images_.size()));
    rename(pairs, images_);
    const std::vector<ScreenedPair> all = screen(job_, pairs, static_cast<int>(rows_.size()));
    pairs.clear();
    for (const ScreenedPair& s : all) {
      if (s.matches >= options_.screen.min_matches) {
        pairs.push_back(s.pair);
      } else {
        left_out_.push_back(s);
      }
    }
    return pairs;
  }

  // Partners of an image that are chosen by looks alone; the others when it is known which of these
  // are right.
  [[nodiscard]] int by_look() const { return options_.partners - options_.partners * 3 / 8; }

  std::vector<ImagePair> retrieval() {
    const ImageIndex all = index();
    const auto most = static_cast<std::size_t>(options_.partners);
    alike_.assign(images_.size() * most, -1);
    runtime::parallel_for(all.size(), [&](int i) {
      const std::vector<int> best = all.nearest(i, options_.partners);
      std::copy(best.begin(), best.end(),
                alike_.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(i) * most));
    });
    std::vector<ImagePair> pairs;
    for (std::size_t k = 0; k < alike_.size(); ++k) {
      if (alike_[k] < 0 || k % most >= static_cast<std::size_t>(by_look())) continue;
      pairs.push_back({static_cast<int>(k / most), alike_[k]});
    }
    tidy_pairs(pairs);
    return pairs;
  }

  // By places in the list of images.
  std::vector<PairInliers> tried_pairs() {
    std::vector<int> place(rows_.size(), -1);
    for (std::size_t i = 0; i < images_.size(); ++i)
      place[static_cast<std::size_t>(images_[i])] = static_cast<int>(i);
    std::vector<PairInliers> tried;
    for (const WorkFile::Count& c : work_.pair_counts())
      tried.push_back({{place[static_cast<std::size_t>(c.pair.image1)],
                        place[static_cast<std::size_t>(c.pair.image2)]},
                       static_cast<int>(c.inliers)});
    return tried;
  }

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

  const Job& job_;
  const CollectOptions& options_;
  WorkFile& work_;
  std::vector<PhotographRow> rows_;
  std::vector<int> images_;  // numbers of those that are done
  std::vector<int> alike_;
  std::vector<ScreenedPair> left_out_;
};

// Lists of plain values as settings.
template <class T>
void set_list(WorkFile& work, const char* name, const std::vector<T>& list) {
  work.set(name, {reinterpret_cast<const char*>(list.data()), list.size() * sizeof(T)});
}

// Whether one of these pairs is verified.
bool has_verified(WorkFile& work, std::span<const ImagePair> pairs) {
  std::set<std::pair<int, int>> wanted;
  for (const ImagePair& p : pairs) wanted.emplace(p.image1, p.image2);
  return std::ranges::any_of(work.pair_counts(), [&](const WorkFile::Count& c) {
    return c.inliers > 0 && wanted.contains({c.pair.image1, c.pair.image2});
  });
}

}  // namespace

std::vector<ImagePair> choose_pairs(const Job& job, WorkFile& work) {
  if (const auto known = work.pairs(kPairs)) return *known;
  Chooser chooser(job, work);
  const std::vector<ImagePair> pairs = chooser.choose();
  work.together([&] {
    set_list(work, kPairs, pairs);
    set_list(work, kAlike, chooser.most_alike());
    for (const ScreenedPair& s : chooser.left_out()) work.add(s);
  });
  return pairs;
}

bool is_screened(const CollectOptions& options) {
  return options.pairs == PairChoice::all && options.given.source.empty();
}

std::vector<ImagePair> choose_links(const Job& job, WorkFile& work, int round) {
  const std::string name = links_of(round);
  if (const auto known = work.pairs(name)) return *known;
  if (round > 1 && !has_verified(work, *work.pairs(links_of(round - 1)))) return {};
  const std::vector<ImagePair> links = Chooser(job, work).choose_links();
  work.together([&] { set_list(work, name.c_str(), links); });
  return links;
}

std::vector<ImagePair> choose_more_pairs(const Job& job, WorkFile& work,
                                         std::vector<ImagePair> pairs) {
  auto more = work.pairs(kMorePairs);
  if (!more) {
    more = Chooser(job, work).choose_more(work.numbers(kAlike).value_or(std::vector<int>()));
    work.together([&] { set_list(work, kMorePairs, *more); });
  }
  pairs.insert(pairs.end(), more->begin(), more->end());
  tidy_pairs(pairs);
  return pairs;
}

}  // namespace bifocal::collection
