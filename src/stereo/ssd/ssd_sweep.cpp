// SPDX-License-Identifier: BSD-3-Clause
// Twin: ssd.kernel.h (GPUs). Sweeps down the rows for block matching on CPUs.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "stereo/ssd/ssd_sweep.cpp"
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#include <algorithm>

#include "stereo/ssd/ssd_sweep.hpp"

HWY_BEFORE_NAMESPACE();
namespace bifocal::stereo {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
// A register has at most kLaneStep lanes.
using Tag = hn::CappedTag<std::uint32_t, kLaneStep>;
using Vec = hn::Vec<Tag>;

void make_pairs(const std::uint8_t* HWY_RESTRICT enter, const std::uint8_t* HWY_RESTRICT leave,
                int count, int plus_shift, int minus_shift, const RowPairs& out) {
  std::uint32_t* HWY_RESTRICT plus = out.plus;
  std::uint32_t* HWY_RESTRICT minus = out.minus;
  for (int i = 0; i < count; ++i) {
    const std::uint32_t e = enter[i], l = leave[i];
    plus[i] = (e << plus_shift) | (l << (16 + plus_shift));
    minus[i] = (e << minus_shift) | ((0U - l) << (16 + minus_shift));
  }
}

// Returns sum + (enter difference)^2 - (leave difference)^2, scaled.
HWY_INLINE Vec moved(Vec sum, Vec left_plus, Vec left_minus, Vec right_plus, Vec right_minus) {
#if HWY_TARGET == HWY_SCALAR  // its lanes cannot be divided
  const auto product = [](int shift, auto a, auto b, auto c, auto d) {
    const auto part = [&](auto v) { return static_cast<std::uint32_t>(hn::GetLane(v)) >> shift; };
    return static_cast<std::int16_t>(part(a) - part(b)) *
           static_cast<std::int16_t>(part(c) - part(d));
  };
  const int enter = product(0, left_plus, right_plus, left_minus, right_minus);
  const int leave = product(16, left_plus, right_plus, left_minus, right_minus);
  return hn::Add(sum, hn::Set(Tag(), static_cast<std::uint32_t>(enter + leave)));
#else
  const hn::RepartitionToNarrow<Tag> half;
  const hn::RebindToSigned<decltype(half)> d16;
  const hn::RebindToSigned<Tag> d32;
  const auto p = hn::Sub(hn::BitCast(d16, left_plus), hn::BitCast(d16, right_plus));
  const auto m = hn::Sub(hn::BitCast(d16, left_minus), hn::BitCast(d16, right_minus));
  auto odd = hn::Zero(d32);
  const auto even = hn::ReorderWidenMulAccumulate(d32, p, m, hn::Zero(d32), odd);
  return hn::Add(sum, hn::BitCast(Tag(), hn::RearrangeToOddPlusEven(even, odd)));
#endif
}

// Data of one column of the sweep.
struct Column {
  Vec left_plus, left_minus;
  const std::uint32_t* right_plus;
  const std::uint32_t* right_minus;
  std::uint32_t* sums;

  HWY_INLINE Column(const Sweep& s, int c)
      : left_plus(hn::Set(Tag(), s.left.plus[c])),
        left_minus(hn::Set(Tag(), s.left.minus[c])),
        right_plus(s.right.plus + (s.columns - 1 - c)),
        right_minus(s.right.minus + (s.columns - 1 - c)),
        sums(s.sums + static_cast<std::size_t>(c + 1) * static_cast<std::size_t>(s.lanes)) {}

  HWY_INLINE Vec move(int l) const {
    const Tag d;
    const Vec sum = moved(hn::Load(d, sums + l), left_plus, left_minus,
                          hn::LoadU(d, right_plus + l), hn::LoadU(d, right_minus + l));
    hn::Store(sum, d, sums + l);
    return sum;
  }
};

void move_sums(const Sweep& s) {
  for (int c = 0; c < s.columns; ++c) {
    const Column column(s, c);
    for (int l = 0; l < s.lanes; l += static_cast<int>(hn::Lanes(Tag()))) column.move(l);
  }
}

// Best keys of the right pixels under the lanes. From column to column, right pixels move up by one
// lane. The move takes place in registers, because a load that overlaps two recent stores would
// wait for both.
struct RightRun {
  using Indices = decltype(hn::SetTableIndices(Tag(), static_cast<const std::int32_t*>(nullptr)));

  std::uint32_t* keys;  // [lanes]
  Indices up;           // lane i takes lane i - 1, lane 0 takes the last lane
  hn::Mask<Tag> first;

  HWY_INLINE explicit RightRun(std::uint32_t* k)
      : keys(k), up(rotation()), first(hn::FirstN(Tag(), 1)) {}

  static HWY_INLINE Indices rotation() {
    HWY_ALIGN std::int32_t from[kLaneStep];
    const int n = static_cast<int>(hn::Lanes(Tag()));
    for (int i = 0; i < n; ++i) from[i] = (i + n - 1) % n;
    return hn::SetTableIndices(Tag(), from);
  }
  // carry: lane 0 holds the key that the preceding vector passes to this vector, and afterwards the
  // key that this vector passes to the next.
  HWY_INLINE void update(int l, Vec key, Vec& carry) const {
    const Tag d;
    const Vec moved_up = hn::TableLookupLanes(hn::Min(key, hn::Load(d, keys + l)), up);
    hn::Store(hn::IfThenElse(first, carry, moved_up), d, keys + l);
    carry = moved_up;
  }
};

// Searches at pixel x, when column x + 2 radius enters the window. kClear: the right pixels of all
// lanes lie inside the image.
template <bool kClear>
HWY_INLINE void search(const Sweep& s, const RightRun& run, int x,
                       const std::uint32_t* HWY_RESTRICT box_in,
                       std::uint32_t* HWY_RESTRICT box_out) {
  const Tag d;
  const int step = static_cast<int>(hn::Lanes(d)), edge_begin = s.lanes - kLaneStep;
  const Column column(s, x + 2 * s.radius);
  const std::uint32_t* leaving =
      column.sums - static_cast<std::size_t>(2 * s.radius + 1) * static_cast<std::size_t>(s.lanes);
  const std::uint32_t* right_mask = s.right_mask + (s.width - 1 - x);
  const Vec lane_bits = hn::Set(d, (1U << s.key_bits) - 1);
  Vec best = hn::Set(d, ~0U), last_best = best, carry = best;
  const auto lanes = [&](int l, bool edge) HWY_ATTR {
    const Vec in = column.move(l);
    const Vec box = hn::Add(hn::Load(d, box_in + l), hn::Sub(in, hn::Load(d, leaving + l)));
    hn::Store(box, d, box_out + l);
    Vec key = box;
    // Non-candidates lie in the first and the last kLaneStep lanes only.
    if (edge) key = hn::Or(key, hn::Load(d, s.lane_mask + l));
    if (!kClear) key = hn::Or(key, hn::LoadU(d, right_mask + l));
    run.update(l, key, carry);
    best = hn::Min(best, key);
    last_best = hn::Min(last_best, hn::Xor(key, lane_bits));
  };
  int l = 0;
  for (; l < kLaneStep; l += step) lanes(l, true);
  for (; l < edge_begin; l += step) lanes(l, false);
  for (; l < s.lanes; l += step) lanes(l, true);
  s.right_keys[s.width - 1 - x + s.lanes - 1] = hn::GetLane(carry);
  const std::uint32_t key = hn::GetLane(hn::MinOfLanes(d, best));
  const int winner = static_cast<int>(key & ((1U << s.key_bits) - 1));
  s.left_keys[x] = key;
  s.last_keys[x] = hn::GetLane(hn::MinOfLanes(d, last_best));
  s.below[x] = box_out[std::clamp(winner - 1, 0, s.lanes - 1)] >> s.key_bits;
  s.above[x] = box_out[std::clamp(winner + 1, 0, s.lanes - 1)] >> s.key_bits;
}

void sweep_row(const Sweep& s) {
  const Tag d;
  const int step = static_cast<int>(hn::Lanes(d));
  std::uint32_t* boxes[2] = {s.boxes, s.boxes + s.lanes};
  for (int l = 0; l < s.lanes; l += step)
    hn::Store(hn::Iota(d, static_cast<std::uint32_t>(l)), d, boxes[0] + l);
  for (int c = 0; c < 2 * s.radius; ++c) {
    const Column column(s, c);
    for (int l = 0; l < s.lanes; l += step)
      hn::Store(hn::Add(hn::Load(d, boxes[0] + l), column.move(l)), d, boxes[0] + l);
  }
  const RightRun run(s.boxes + 2 * s.lanes);
  std::fill(run.keys, run.keys + s.lanes, ~0U);
  for (int x = 0; x < s.width; ++x) {
    if (x >= s.clear_begin && x < s.clear_end) {
      search<true>(s, run, x, boxes[x & 1], boxes[(x & 1) ^ 1]);
    } else {
      search<false>(s, run, x, boxes[x & 1], boxes[(x & 1) ^ 1]);
    }
  }
  std::copy(run.keys + 1, run.keys + s.lanes, s.right_keys);
}

}  // namespace HWY_NAMESPACE
}  // namespace bifocal::stereo
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace bifocal::stereo {
HWY_EXPORT(make_pairs);
HWY_EXPORT(move_sums);
HWY_EXPORT(sweep_row);

void make_pairs(const std::uint8_t* enter, const std::uint8_t* leave, int count, int plus_shift,
                int minus_shift, const RowPairs& out) {
  HWY_DYNAMIC_DISPATCH(make_pairs)(enter, leave, count, plus_shift, minus_shift, out);
}
void move_sums(const Sweep& s) { HWY_DYNAMIC_DISPATCH(move_sums)(s); }
void sweep_row(const Sweep& s) { HWY_DYNAMIC_DISPATCH(sweep_row)(s); }

}  // namespace bifocal::stereo
#endif
