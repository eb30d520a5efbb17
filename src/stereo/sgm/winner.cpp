// SPDX-License-Identifier: BSD-3-Clause
// Twin: winner.kernel.h (GPUs). Finds the winners of semi-global matching on CPUs.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "stereo/sgm/winner.cpp"
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#include <algorithm>
#include <cstddef>

#include "stereo/rules.hpp"
#include "stereo/sgm/widths.hpp"
#include "stereo/sgm/winner.hpp"

HWY_BEFORE_NAMESPACE();
namespace bifocal::stereo {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using D16 = hn::CappedTag<std::uint16_t, kWidestBytes / 2>;
using V16 = hn::Vec<D16>;

HWY_INLINE int lanes16() { return static_cast<int>(hn::Lanes(D16())); }

HWY_INLINE int lowest16(V16 v) {
#if HWY_TARGET == HWY_SCALAR
  return hn::GetLane(v);
#else
  return hn::GetLane(hn::MinOfLanes(D16(), v));
#endif
}

// Returns the sums of candidates [first, first + count), and 0xffff in other lanes. i: index of the
// first lane.
HWY_INLINE V16 candidates(const std::uint16_t* sums, int i, int first, int count) {
  const D16 d;
  const V16 from_first = hn::Iota(d, static_cast<std::uint16_t>(i - first));
  return hn::IfThenElse(hn::Lt(from_first, hn::Set(d, static_cast<std::uint16_t>(count))),
                        hn::LoadU(d, sums + i), hn::Set(d, std::uint16_t{0xffff}));
}

// Merges the sums of a pixel into the lowest sums of its right pixels so far. Returns the
// lowest sum.
HWY_INLINE int meet_right(const SumsRow& w, const std::uint16_t* s, int x, int first, int end) {
  const D16 d;
  const int step = lanes16(), block0 = first / step * step;
  const V16 none = hn::Set(d, std::uint16_t{0xffff});
  V16 low = none;
  // The reversed place of candidate i is place + i. A place outside the arrays has no candidate.
  const int place = w.width - 1 - x + w.min_disparity;
  for (int i = block0; i < end; i += step) {
    const V16 v = candidates(s, i, first, end - first);
    low = hn::Min(low, v);
    if (place + i < 0) continue;  // the loop below handles this block
    const V16 was = hn::LoadU(d, w.right_best + place + i);
    const V16 lower = hn::Min(v, was);
    const auto better = hn::AndNot(hn::Eq(v, none), hn::Eq(lower, v));
    const V16 index = hn::Iota(d, static_cast<std::uint16_t>(i));
    hn::StoreU(lower, d, w.right_best + place + i);
    hn::StoreU(hn::IfThenElse(better, index, hn::LoadU(d, w.right_index + place + i)), d,
               w.right_index + place + i);
  }
  if (place + block0 < 0 && block0 < end) {  // only the first block can start outside
    for (int i = first; i < std::min(end, block0 + step); ++i) {
      if (s[i] > w.right_best[place + i]) continue;
      w.right_best[place + i] = s[i];
      w.right_index[place + i] = static_cast<std::uint16_t>(i);
    }
  }
  return lowest16(low);
}

// Returns the first candidate whose sum is `best`.
HWY_INLINE int find_winner(const std::uint16_t* s, int best, int first, int end) {
  const D16 d;
  const int step = lanes16();
  const V16 b = hn::Set(d, static_cast<std::uint16_t>(best));
  for (int i = first / step * step; i < end; i += step) {
    const auto found = hn::FindFirstTrue(d, hn::Eq(candidates(s, i, first, end - first), b));
    if (found >= 0) return i + static_cast<int>(found);
  }
  return first;
}

// Returns the lowest sum that is not next to the winner.
HWY_INLINE int lowest_elsewhere(const std::uint16_t* s, int winner, int first, int end) {
  const D16 d;
  const int step = lanes16();
  const V16 none = hn::Set(d, std::uint16_t{0xffff}), three = hn::Set(d, std::uint16_t{3});
  V16 other = none;
  for (int i = first / step * step; i < end; i += step) {
    const auto is_next = hn::Lt(hn::Iota(d, static_cast<std::uint16_t>(i - winner + 1)), three);
    other = hn::Min(other, hn::IfThenElse(is_next, none, candidates(s, i, first, end - first)));
  }
  return lowest16(other);
}

void winner_row(const SumsRow& w) {
  const int D = w.disparities;
  const std::size_t right_size =
      static_cast<std::size_t>(w.width) + static_cast<std::size_t>(w.sums_stride) + kSumsBlock;
  std::fill_n(w.right_best, right_size, std::uint16_t{0xffff});
  std::fill_n(w.right_index, right_size, std::uint16_t{0xffff});
  for (int x = w.width - 1; x >= 0; --x) {
    const std::uint16_t* s = w.sums + std::ptrdiff_t{x} * w.sums_stride;
    // Right pixel x - min_disparity - i has to lie inside the image.
    const int first = std::clamp(x - w.min_disparity - (w.width - 1), 0, D),
              end = std::clamp(x - w.min_disparity + 1, first, D);
    const int best = meet_right(w, s, x, first, end);
    w.index[x] = w.below[x] = w.above[x] = w.elsewhere[x] = 0xffff;
    w.best[x] = static_cast<std::uint16_t>(best);
    if (best == 0xffff) continue;
    const int winner = find_winner(s, best, first, end);
    w.index[x] = static_cast<std::uint16_t>(winner);
    if (winner > first) w.below[x] = s[winner - 1];
    if (winner + 1 < end) w.above[x] = s[winner + 1];
    w.elsewhere[x] = static_cast<std::uint16_t>(lowest_elsewhere(s, winner, first, end));
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace bifocal::stereo
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace bifocal::stereo {
HWY_EXPORT(winner_row);

void winner_row(const SumsRow& w) { HWY_DYNAMIC_DISPATCH(winner_row)(w); }

SgmWinnerRow disparity_row(const SumsRow& w, bool is_clear, int uniqueness, int step_cost,
                           const RowMemory& out) {
  for (int x = 0; x < w.width; ++x) {
    const int i = w.index[x], best = w.best[x], elsewhere = w.elsewhere[x];
    const bool known = is_clear && i != Rules::NO_CANDIDATE,
               has_neighbours =
                   w.below[x] != Rules::NO_CANDIDATE && w.above[x] != Rules::NO_CANDIDATE;
    out.disparity[x] = static_cast<std::uint16_t>(
        known ? Rules::winner_disparity(i, best, elsewhere, w.below[x], w.above[x], has_neighbours,
                                        uniqueness, step_cost)
              : Rules::UNKNOWN_DISPARITY);
    out.confidence[x] =
        static_cast<std::uint8_t>(known ? Rules::winner_confidence(best, elsewhere) : 0);
  }
  std::reverse_copy(w.right_index, w.right_index + w.width, out.right_index);
  return {{out.disparity, out.right_index, out.confidence}, w};
}

}  // namespace bifocal::stereo
#endif
