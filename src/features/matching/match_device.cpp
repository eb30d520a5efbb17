// SPDX-License-Identifier: BSD-3-Clause
#include "features/matching/match_device.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "features/matching/grow.hpp"
#include "features/matching/match.hpp"
#include "features/matching/match.kernels.hpp"
#include "features/matching/match_piece.hpp"
#include "features/matching/tensor/match_tensor.kernels.hpp"
#include "features/matching/tensor/match_warp_group.kernels.hpp"
#include "features/records.hpp"
#include "runtime/integers.hpp"
#include "runtime/launch_cache.hpp"
#include "runtime/workspace.hpp"

namespace bifocal::features {
namespace {

namespace kernel = kernels::match;
namespace tensor = kernels::match_tensor;
namespace warp_group = kernels::match_warp_group;
using runtime::Array;

static_assert(sizeof(found_match) == sizeof(Match));
static_assert(sizeof(point_match) == sizeof(PointPair));

constexpr std::int64_t kPieceBytes = std::int64_t{256} << 20;  // limit of scratch memory
constexpr std::int64_t kAtOnceBytes = std::int64_t{64} << 20;  // results allocated at full size
static_assert(std::int64_t{kernel::MATCH_THREADS} * kernel::MATCH_CHUNK * 48 <= kAtOnceBytes,
              "match_gather finds the offsets of few chunks, and is not to wait for them");
constexpr std::int64_t kSmallList = 4096;  // matches whose copy takes less time than a second wait

// The constant specialises match_tiles; no other kernel uses it.
const kernel::launch<double>& launches(bool guided = false) {
  return runtime::launch_of<kernel::launch<double>>(kernel::MATCH_THREADS, {{"GUIDED", guided}});
}

// columns: 0: no results for columns; 1: the nearest; 2: the second nearest also.
const tensor::launch<double>& tensor_launches(int columns) {
  return runtime::launch_of<tensor::launch<double>>(tensor::TENSOR_THREADS, {{"COLUMNS", columns}});
}

const warp_group::launch<double>& warp_group_launches(int columns) {
  return runtime::launch_of<warp_group::launch<double>>(warp_group::WARP_GROUP_THREADS,
                                                        {{"COLUMNS", columns}});
}

// Matches the pairs of one piece.
class PieceWork {
 public:
  PieceWork(Queue& queue, const FeatureSet& set, Piece piece, const MatchRule& rule,
            TableKernel table)
      : queue_(queue), set_(set), piece_(std::move(piece)), rule_(rule), workspace_(queue) {
    const auto size = [](std::int64_t n) { return static_cast<std::size_t>(n); };
    shares_ = shares_of(queue, piece_, table);
    chunks_ = std::max(1, divided_up(piece_.most_rows, kernel::MATCH_CHUNK));
    images_begin_ = static_cast<int>(piece_.pairs.size());
    piece_.pairs.insert(piece_.pairs.end(), piece_.images.begin(), piece_.images.end());
    layouts_ = workspace_.take<image_layout>(piece_.pairs.size());
    guides_ = workspace_.take<guide_model>(piece_.guides.size());
    squares_ = workspace_.take<std::int32_t>(size(piece_.features));
    row_keys_ = workspace_.take<std::int64_t>(size(piece_.rows * shares_.columns));
    row_seconds_ = workspace_.take<std::int32_t>(size(piece_.rows * shares_.columns));
    if (rule.mutual || rule.ratio_both_ways)
      column_keys_ = workspace_.take<std::int64_t>(size(piece_.columns * shares_.rows));
    if (rule.ratio_both_ways)
      column_seconds_ = workspace_.take<std::int32_t>(size(piece_.columns * shares_.rows));
    found_ = workspace_.take<found_match>(size(piece_.rows));
    chunk_counts_ = workspace_.take<std::int32_t>(size(piece_.pair_count) * size(chunks_));
    chunk_begins_ = workspace_.take<std::int64_t>(chunk_counts_.size());
    offsets_ = workspace_.take<std::int64_t>(size(piece_.pair_count) + 1);
  }

  // Launches the kernels up to the offsets, which continue from `before`.
  void find(std::int64_t before) {
    layouts_.upload(queue_, piece_.pairs);
    guides_.upload(queue_, piece_.guides);
    const Array<const std::uint32_t> descriptors(set_.descriptors());
    const int chunks = std::max(1, divided_up(piece_.most_features, kernel::MATCH_THREADS));
    launches().match_squares(queue_, {.count = piece_.image_count * chunks},
                             {.images = layouts_,
                              .images_begin = images_begin_,
                              .counts = set_.counts(),
                              .descriptors = descriptors,
                              .chunks = chunks,
                              .squares = squares_});
    fill_tables(descriptors);
    launches().match_rows(queue_, {.count = piece_.pair_count * chunks_},
                          {.pairs = pairs(),
                           .counts = set_.counts(),
                           .row_keys = row_keys_,
                           .row_seconds = row_seconds_,
                           .column_keys = column_keys_,
                           .column_seconds = column_seconds_,
                           .row_tile = shares_.row_tile,
                           .column_tile = shares_.column_tile,
                           .row_shares = shares_.rows,
                           .column_shares = shares_.columns,
                           .chunks = chunks_,
                           .least_ratio = rule_.least_ratio,
                           .max_distance = rule_.max_distance,
                           .is_mutual = rule_.mutual,
                           .found = found_,
                           .chunk_counts = chunk_counts_});
    before_ = before;
    if (has_begins())
      launches().match_offsets(queue_, {.count = 1},
                               {.chunk_counts = chunk_counts_,
                                .pair_count = piece_.pair_count,
                                .chunks = chunks_,
                                .before = before,
                                .chunk_begins = chunk_begins_,
                                .offsets = offsets_});
  }

  // Writes the lists of matches into sufficiently large arrays. points: null if not wanted.
  void gather(const Buffer<Match>& matches, const Array<point_match>& points) {
    using Begins = Array<const std::int64_t>;
    launches().match_gather(queue_, {.count = piece_.pair_count * chunks_},
                            {.pairs = pairs(),
                             .counts = set_.counts(),
                             .found = found_,
                             .chunk_counts = chunk_counts_,
                             .before = before_,
                             .chunk_begins = has_begins() ? Begins(chunk_begins_) : Begins(nullptr),
                             .keypoints = Array<const keypoint>(set_.keypoints()),
                             .chunks = chunks_,
                             .offsets = offsets_,
                             .matches = Array<found_match>(matches),
                             .points = points});
  }
  [[nodiscard]] Buffer<Match> match_buffer(std::size_t matches) {
    return workspace_.take<Match>(matches);
  }

  // Appends the end offsets of the pairs to `to`. Waits for the queue.
  void download_offsets(std::vector<std::int64_t>& to) {
    std::vector<std::int64_t> offsets(offsets_.size());
    offsets_.download(queue_, offsets);
    queue_.wait();
    to.insert(to.end(), offsets.begin() + 1, offsets.end());
  }

 private:
  [[nodiscard]] Array<const pair_layout> pairs() const {
    return Array<const pair_layout>(runtime::Argument(layouts_));
  }
  // Returns whether match_offsets has to run, because the groups of match_gather cannot add up so
  // many chunks themselves.
  [[nodiscard]] bool has_begins() const {
    return chunk_counts_.size() > std::size_t{kernel::MATCH_THREADS};
  }

  void fill_tables(const Array<const std::uint32_t>& descriptors) {
    const int groups = piece_.pair_count * shares_.rows * shares_.columns;
    const kernels::match_table<double> table{.pairs = pairs(),
                                             .counts = set_.counts(),
                                             .descriptors = descriptors,
                                             .squares = squares_,
                                             .row_shares = shares_.rows,
                                             .column_shares = shares_.columns,
                                             .row_keys = row_keys_,
                                             .row_seconds = row_seconds_,
                                             .column_keys = column_keys_,
                                             .column_seconds = column_seconds_};
    const int columns = rule_.ratio_both_ways ? 2 : rule_.mutual ? 1 : 0;
    if (shares_.kernel == TableKernel::best) {
      warp_group_launches(columns).match_warp_group_tiles(
          queue_, {.count = groups, .local_bytes = warp_group::WARP_GROUP_BYTES}, {.table = table});
    } else if (shares_.kernel == TableKernel::tensor) {
      tensor_launches(columns).match_tensor_tiles(
          queue_,
          {.count = groups, .local_bytes = tensor::TENSOR_STAGES * tensor::TENSOR_STAGE_BYTES},
          {.table = table});
    } else {
      launches(guides_.size() > 0)
          .match_tiles(queue_, {.count = groups},
                       {.table = table,
                        .keypoints = Array<const keypoint>(set_.keypoints()),
                        .guides = guides_});
    }
  }

  Queue& queue_;
  const FeatureSet& set_;
  Piece piece_;
  MatchRule rule_;
  runtime::Workspace workspace_;
  Shares shares_{};
  std::int64_t before_ = 0;  // matches of earlier pieces
  int chunks_ = 1;           // chunks of the rows of each pair
  int images_begin_ = 0;     // the images follow the pairs, so that one copy transfers both
  Buffer<image_layout> layouts_;
  Buffer<std::int64_t> row_keys_, column_keys_, chunk_begins_, offsets_;
  Buffer<std::int32_t> squares_, row_seconds_, column_seconds_, chunk_counts_;
  Buffer<found_match> found_;
  Buffer<guide_model> guides_;
};

std::int64_t most_matches(const PlannedSet& planned, std::span<const ImagePair> pairs,
                          bool mutual) {
  std::int64_t sum = 0;
  for (const ImagePair& p : pairs) {
    const int rows = planned.size(p.image1), columns = planned.size(p.image2);
    sum += mutual ? std::min(rows, columns) : rows;
  }
  return sum;
}

void check_device(const DeviceInfo& device) {
  if (!device.has_double || device.max_group < kernel::MATCH_THREADS)
    throw Error(ErrorCode::device,
                fmt::format("match: {} ({}) has {} double precision and groups of {}; needed are "
                            "double precision and groups of {}",
                            device.id, device.name, device.has_double ? "" : "no", device.max_group,
                            static_cast<int>(kernel::MATCH_THREADS)));
}

}  // namespace

PlannedSet plan_set(Queue& queue, const FeatureSet& set, std::size_t pairs) {
  PlannedSet planned{set, {}};
  if (pairs > 1) {
    planned.sizes = set.count_all(queue);
  } else {
    for (int image = 0; image < set.size(); ++image) planned.sizes.push_back(set.capacity(image));
  }
  return planned;
}

namespace {

// Returns how many of the first pairs fit into one piece.
std::size_t pairs_of_piece(const PlannedSet& planned, std::span<const ImagePair> pairs) {
  std::int64_t bytes = 0;
  std::size_t count = 0;
  while (count < pairs.size()) {
    const std::int64_t features =
        std::int64_t{planned.size(pairs[count].image1)} + planned.size(pairs[count].image2);
    bytes += 1024 + features * 64;
    if (count > 0 && bytes > kPieceBytes) break;
    ++count;
  }
  return count;
}

// Calls work(piece work, upper limit of its matches) for each piece.
template <class Work>
void for_pieces(Queue& queue, const PlannedSet& planned, std::span<const ImagePair> pairs,
                std::span<const MatchGuide> guides, const MatchOptions& options, TableKernel table,
                const Work& work) {
  check_device(queue.device().info());
  const MatchRule rule = rule_of(options);
  for (std::size_t begin = 0, count = 0; begin < pairs.size(); begin += count) {
    count = pairs_of_piece(planned, pairs.subspan(begin));
    const std::span<const ImagePair> these = pairs.subspan(begin, count);
    PieceWork piece(
        queue, planned.set,
        piece_of(planned, these, guides.empty() ? guides : guides.subspan(begin, count)), rule,
        table);
    work(piece, most_matches(planned, these, rule.mutual));
  }
}

}  // namespace

void match_on_device(Queue& queue, const PlannedSet& planned, std::span<const ImagePair> pairs,
                     std::span<const MatchGuide> guides, const MatchOptions& options,
                     DeviceMatches& found, TableKernel table) {
  constexpr auto kEach = static_cast<std::int64_t>(sizeof(Match) + sizeof(PointPair));
  for_pieces(queue, planned, pairs, guides, options, table,
             [&](PieceWork& work, std::int64_t most) {
               const std::int64_t before = found.offsets.back();
               const auto gather_up_to = [&](std::int64_t needed) {
                 const auto used = static_cast<std::size_t>(before),
                            size = static_cast<std::size_t>(needed);
                 grow(queue, found.matches, used, size);
                 grow(queue, found.points, used, size);
                 work.gather(found.matches, Array<point_match>(found.points));
               };
               const bool at_once = most * kEach <= kAtOnceBytes;
               work.find(before);
               if (at_once) gather_up_to(before + most);
               work.download_offsets(found.offsets);
               if (!at_once) gather_up_to(found.offsets.back());
             });
}

void match_to_host(Queue& queue, const PlannedSet& planned, std::span<const ImagePair> pairs,
                   std::span<const MatchGuide> guides, const MatchOptions& options,
                   MatchBatch& batch) {
  const auto table = TableKernel::best;
  for_pieces(queue, planned, pairs, guides, options, table,
             [&](PieceWork& work, std::int64_t most) {
               const bool is_small = most <= kSmallList;
               const bool at_once = most * std::int64_t{sizeof(Match)} <= kAtOnceBytes;
               const std::size_t before = batch.matches.size();
               std::vector<std::int64_t> ends;
               Buffer<Match> matches;
               work.find(0);
               if (at_once)
                 work.gather(matches = work.match_buffer(static_cast<std::size_t>(most)), nullptr);
               if (is_small) {
                 batch.matches.resize(before + matches.size());
                 matches.download(queue, std::span(batch.matches).subspan(before));
               }
               work.download_offsets(ends);
               const auto size = static_cast<std::size_t>(ends.back());
               if (!at_once) work.gather(matches = work.match_buffer(size), nullptr);
               batch.matches.resize(before + size);
               if (!is_small) {
                 matches.download(queue, std::span(batch.matches).subspan(before));
                 queue.wait();
               }
               for (const std::int64_t end : ends)
                 batch.offsets.push_back(static_cast<std::int64_t>(before) + end);
             });
}

}  // namespace bifocal::features
