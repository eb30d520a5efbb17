// SPDX-License-Identifier: BSD-3-Clause
// Selects the pairs to match in rounds. A round uses the verified pairs of earlier rounds. The
// pairs depend only on the photographs, the options and the earlier rounds, so a resumed run
// selects the same pairs.
#include <bifocal/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "collection/collect/given.hpp"
#include "collection/collect/partners.hpp"
#include "collection/collect/stages.hpp"
#include "runtime/parallel.hpp"

namespace bifocal::collection {
namespace {

// Maps each image number i of the pairs to numbers[i].
void rename(std::vector<ImagePair>& pairs, const std::vector<int>& numbers) {
  for (ImagePair& p : pairs) {
    p.image1 = numbers[static_cast<std::size_t>(p.image1)];
    p.image2 = numbers[static_cast<std::size_t>(p.image2)];
  }
}

class Chooser {
 public:
  Chooser(const Job& job, WorkDatabase& work, std::span<const PhotographRow> rows)
      : job_(job), options_(job.options), work_(work), rows_(rows) {
    for (const PhotographRow& r : rows_)
      if (r.state == PhotographState::done) images_.push_back(r.number);
    // Sorts by the list of photographs; added photographs may lie anywhere in it.
    std::ranges::sort(images_, {}, [&](int number) { return row(number).place; });
  }

  // Returns the pairs of the next round, in order; nullopt after the last round. known: all matched
  // pairs of all rounds.
  std::optional<std::vector<ImagePair>> next(const PairCounts& known) {
    ++round_;
    if (round_ == 1) {
      last_ = choose();
    } else if (is_screened(options_)) {
      const PairCounts counts = of_rounds(known);
      if (round_ > 2 && !has_verified_last(counts)) return {};
      last_ = links(counts);
      if (last_.empty()) return {};
    } else if (options_.pairs == PairChoice::retrieval && round_ == 2) {
      last_ = choose_more(of_rounds(known));
    } else if (options_.pairs == PairChoice::automatic && round_ == 2) {
      last_ = between_components(of_rounds(known));
      if (last_.empty()) return {};
    } else {
      return {};
    }
    all_.insert(all_.end(), last_.begin(), last_.end());
    tidy_pairs(all_);
    return last_;
  }
  // Returns the pairs of all rounds so far, in order.
  [[nodiscard]] const std::vector<ImagePair>& all() const { return all_; }
  // Returns the pairs rejected by the screen and not matched since.
  [[nodiscard]] std::vector<ScreenedPair> left_out() const {
    std::vector<ScreenedPair> left_out = work_.screened();
    std::erase_if(left_out, [&](const ScreenedPair& s) { return contains(all_, s.pair); });
    return left_out;
  }

 private:
  static bool contains(const std::vector<ImagePair>& pairs, const ImagePair& pair) {
    return std::ranges::binary_search(pairs, pair, before);
  }
  [[nodiscard]] PairCounts of_rounds(PairCounts counts) const {
    std::erase_if(counts, [&](const auto& c) { return !contains(all_, c.pair); });
    return counts;
  }
  [[nodiscard]] bool has_verified_last(const PairCounts& counts) const {
    return std::ranges::any_of(
        counts, [&](const auto& c) { return c.inliers > 0 && contains(last_, c.pair); });
  }
  // Returns pairs rejected by the screen that may link unconnected components of the view graph.
  [[nodiscard]] std::vector<ImagePair> links(const PairCounts& counts) const {
    std::vector<ImagePair> verified;
    for (const WorkDatabase::PairCount& c : counts)
      if (c.inliers > 0) verified.push_back(c.pair);
    return linking_pairs(static_cast<int>(rows_.size()), verified, left_out(), options_.links);
  }

  // Returns the pairs that pass the screen, of images in different components of the view graph:
  // positions may be wrong, and places far from the others may be seen from there.
  [[nodiscard]] std::vector<ImagePair> between_components(const PairCounts& counts) const {
    ImageComponents components(static_cast<int>(rows_.size()));
    for (const WorkDatabase::PairCount& c : counts)
      if (c.inliers > 0) components.join(c.pair);
    std::vector<ImagePair> pairs = named(all_pairs(static_cast<int>(images_.size())));
    std::erase_if(pairs, [&](const ImagePair& p) {
      return components.of(p.image1) == components.of(p.image2);
    });
    if (pairs.empty()) return {};
    const std::vector<int> matches = screen(job_, pairs, static_cast<int>(rows_.size()));
    std::vector<ImagePair> passed;
    for (std::size_t k = 0; k < pairs.size(); ++k)
      if (matches[k] >= options_.screen.min_matches) passed.push_back(pairs[k]);
    return passed;
  }

  // Returns the pairs of the first round, as image numbers. Only photographs with
  // features take part.
  std::vector<ImagePair> choose() {
    const int count = static_cast<int>(images_.size());
    std::vector<ImagePair> pairs;
    switch (options_.pairs) {
      case PairChoice::all:
        if (is_screened(options_)) return screened();
        if (!options_.given.matches.empty()) return with_given_matches();
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
      case PairChoice::automatic:
      case PairChoice::gps:
        pairs = near_pairs(positions(), options_.gps);
        break;
      case PairChoice::listed:
        return listed();
    }
    return named(std::move(pairs));
  }

  // Adds partners up to options_.partners: first images suggested by verified pairs, then the next
  // most similar images.
  std::vector<ImagePair> choose_more(std::span<const WorkDatabase::PairCount> counts) {
    const int count = static_cast<int>(images_.size()), all = options_.partners;
    const auto most = static_cast<std::size_t>(all - similar_count());
    const std::vector<PairInliers> tried = tried_pairs(counts);
    std::vector<std::vector<int>> known(images_.size());  // partners already tried, by image
    for (const PairInliers& t : tried) {
      known[static_cast<std::size_t>(t.pair.image1)].push_back(t.pair.image2);
      known[static_cast<std::size_t>(t.pair.image2)].push_back(t.pair.image1);
    }
    // Twice the number is requested, because some suggested images are twins of known partners.
    const auto suggested = suggested_partners(count, tried, static_cast<int>(2 * most));
    std::vector<ImagePair> pairs;
    for (int i = 0; i < count; ++i) {
      std::vector<int>& own = known[static_cast<std::size_t>(i)];
      const std::size_t enough = own.size() + most;
      const auto add = [&](int other) {
        if (own.size() == enough || !partners_->is_new(i, other, own)) return;
        own.push_back(other);
        pairs.push_back({i, other});
      };
      std::ranges::for_each(suggested[static_cast<std::size_t>(i)], add);
      const std::vector<int>& similar = similar_[static_cast<std::size_t>(i)];
      for (std::size_t k = static_cast<std::size_t>(similar_count()); k < similar.size(); ++k)
        add(similar[k]);
    }
    return named(std::move(pairs));
  }

  [[nodiscard]] const PhotographRow& row(int number) const {
    return rows_[static_cast<std::size_t>(number)];
  }
  // Replaces indices into images_ by image numbers and sorts the pairs.
  [[nodiscard]] std::vector<ImagePair> named(std::vector<ImagePair> pairs) const {
    rename(pairs, images_);
    tidy_pairs(pairs);
    return pairs;
  }

  // Returns all pairs except the pairs rejected by the screen. Pairs of added photographs
  // are screened first.
  std::vector<ImagePair> screened() {
    const std::vector<ImagePair> all = named(all_pairs(static_cast<int>(images_.size())));
    if (const int before_now = work_.screened_photographs(); before_now < std::ssize(rows_)) {
      std::vector<ImagePair> new_pairs;
      for (const ImagePair& p : all)
        if (p.image2 >= before_now) new_pairs.push_back(p);
      const std::vector<int> matches = screen(job_, new_pairs, static_cast<int>(rows_.size()));
      work_.together([&] {
        for (std::size_t k = 0; k < new_pairs.size(); ++k)
          if (matches[k] < options_.screen.min_matches) work_.add({new_pairs[k], matches[k]});
        work_.set_screened_photographs(static_cast<int>(rows_.size()));
      });
    }
    std::vector<ImagePair> left_out, pairs;
    for (const ScreenedPair& s : work_.screened()) left_out.push_back(s.pair);
    std::ranges::set_difference(all, left_out, std::back_inserter(pairs), before);
    return pairs;
  }

  // Returns the pairs that the file of given matches has.
  [[nodiscard]] std::vector<ImagePair> with_given_matches() const {
    std::vector<std::string> names;
    for (const int number : images_) names.push_back(row(number).name);
    return named(given_opener()(options_.given.matches, true)->pairs(names));
  }

  // Number of partners of an image that are chosen by similarity: 5 of 8. Verified pairs
  // suggest the rest.
  [[nodiscard]] int similar_count() const { return options_.partners - options_.partners * 3 / 8; }

  std::vector<ImagePair> retrieval() {
    find_partners();
    const int count = static_cast<int>(images_.size());
    similar_.resize(images_.size());
    std::vector<std::vector<int>> twins(images_.size());
    runtime::parallel_for(count, [&](int i) {
      Partners::Found found = partners_->of(i, options_.partners);
      similar_[static_cast<std::size_t>(i)] = std::move(found.partners);
      twins[static_cast<std::size_t>(i)] = std::move(found.twins);
    });
    std::vector<ImagePair> pairs;
    for (int i = 0; i < count; ++i) {
      const auto& own = similar_[static_cast<std::size_t>(i)];
      for (std::size_t k = 0; k < own.size() && k < static_cast<std::size_t>(similar_count()); ++k)
        pairs.push_back({i, own[k]});
      for (const int twin : twins[static_cast<std::size_t>(i)]) pairs.push_back({i, twin});
    }
    tidy_pairs(pairs);
    return pairs;
  }

  // Returns the pair counts with inliers, as indices into images_.
  std::vector<PairInliers> tried_pairs(std::span<const WorkDatabase::PairCount> counts) const {
    std::vector<int> place(rows_.size(), -1);
    for (std::size_t i = 0; i < images_.size(); ++i)
      place[static_cast<std::size_t>(images_[i])] = static_cast<int>(i);
    std::vector<PairInliers> tried;
    for (const WorkDatabase::PairCount& c : counts)
      tried.push_back({{place[static_cast<std::size_t>(c.pair.image1)],
                        place[static_cast<std::size_t>(c.pair.image2)]},
                       static_cast<int>(c.inliers)});
    return tried;
  }

  std::vector<ImagePair> sequential() {
    const int count = static_cast<int>(images_.size());
    std::vector<ImagePair> pairs = sequential_pairs(count, options_.sequential);
    // Without images beyond the overlap no loop can be closed.
    const bool has_loops = options_.loop_period > 0 && count > options_.sequential.overlap + 1;
    if (!has_loops) return pairs;
    find_partners();
    for (int i = 0; i < count; i += options_.loop_period)
      for (const int other : partners_->of(i, options_.loop_partners).partners)
        pairs.push_back({i, other});
    tidy_pairs(pairs);
    return pairs;
  }

  void find_partners() {
    StageProgress progress(options_, "pairs", "photographs",
                           2 * static_cast<std::int64_t>(images_.size()), 0);
    const auto number = [&](int i) { return images_[static_cast<std::size_t>(i)]; };
    partners_.emplace(
        static_cast<int>(images_.size()),
        [&](int i) {
          progress.add(1);
          return *job_.found->get(number(i), work_);
        },
        [&](int i) {
          const PhotographInfo& info = row(number(i)).info;
          return static_cast<double>(std::max(info.width, info.height));
        },
        options_.retrieval, options_.min_matches);
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
  WorkDatabase& work_;
  std::span<const PhotographRow> rows_;
  std::vector<int> images_;                // numbers of the images with features
  std::optional<Partners> partners_;       // indexed like images_
  std::vector<std::vector<int>> similar_;  // by image, the most similar images, best first
  int round_ = 0;
  std::vector<ImagePair> all_, last_;
};

}  // namespace

bool is_screened(const CollectOptions& options) {
  return options.pairs == PairChoice::all && options.given.source.empty();
}

ChosenPairs match_chosen(const Job& job, WorkDatabase& work, std::span<const PhotographRow> rows,
                         const StageRunner& stage) {
  ChosenPairs chosen{{}, work.pair_counts(), 0};
  Chooser chooser(job, work, rows);
  std::optional<std::vector<ImagePair>> pairs;
  do {
    stage("pairs", [&] { pairs = chooser.next(chosen.counts); });
    if (pairs) stage("matches", [&] { match_pairs(job, work, rows, *pairs, chosen.counts); });
  } while (pairs);
  chosen.pairs = chooser.all();
  chosen.left_out = std::ssize(chooser.left_out());
  return chosen;
}

}  // namespace bifocal::collection
