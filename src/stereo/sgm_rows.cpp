// SPDX-License-Identifier: BSD-3-Clause
// Also for AVX3_DL (Ice Lake, Zen 4), which counts bits in one instruction: costs in half the time.
#define HWY_WANT_AVX3_DL 1
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "stereo/sgm_rows.cpp"
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#include <algorithm>
#include <cstddef>

#include "stereo/disparity_text.hpp"
#include "stereo/sgm_rows.hpp"

HWY_BEFORE_NAMESPACE();
namespace bifocal::stereo {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
// Bytes of disparities; their sums in twice as many bits.
using D8 = hn::CappedTag<std::uint8_t, kWidestBytes>;
using D16 = hn::RepartitionToWide<D8>;
using V8 = hn::Vec<D8>;
using V16 = hn::Vec<D16>;

HWY_INLINE int lanes8() { return static_cast<int>(hn::Lanes(D8())); }
HWY_INLINE int lanes16() { return static_cast<int>(hn::Lanes(D16())); }
HWY_INLINE std::ptrdiff_t at(int x, int stride) {
  return static_cast<std::ptrdiff_t>(x) * static_cast<std::ptrdiff_t>(stride);
}

// ---- census

// One comparison into bit `bit` of half a code.
HWY_INLINE void compare(const std::uint16_t* HWY_RESTRICT neighbour,
                        const std::uint16_t* HWY_RESTRICT centre, int width, int tolerance, int bit,
                        std::uint16_t* HWY_RESTRICT half) {
  const auto margin = static_cast<std::uint16_t>(tolerance),
             mark = static_cast<std::uint16_t>(1U << bit);
  const std::uint16_t clear = bit == 0 ? 0 : 0xffff;
  for (int x = 0; x < width; ++x) {
    const auto limit = static_cast<std::uint16_t>(centre[x] + margin);
    const std::uint16_t set = neighbour[x] > limit ? mark : std::uint16_t{0};
    half[x] = static_cast<std::uint16_t>((half[x] & clear) | set);
  }
}

void census_row(const CensusRow& c) {
  using Text = disparity_text;
  int bits = 0;
  for (int j = -Text::CENSUS_RY; j <= Text::CENSUS_RY; ++j) {
    for (int i = -Text::CENSUS_RX; i <= Text::CENSUS_RX; ++i) {
      if (!Text::census_takes(c.kind, i, j)) continue;
      const bool facing = c.kind == Text::CENSUS_SYMMETRIC;
      compare(c.rows[3 + j] + i, facing ? c.rows[3 - j] - i : c.rows[3], c.width, c.tolerance,
              bits % 16, c.half[bits / 16]);
      ++bits;
    }
  }
  const auto join = [&](int first, std::uint32_t* HWY_RESTRICT out) {
    const std::uint16_t* HWY_RESTRICT low = c.half[first];
    const std::uint16_t* HWY_RESTRICT high = c.half[first + 1];
    for (int x = 0; x < c.width; ++x) out[x] = low[x] | std::uint32_t{high[x]} << 16;
  };
  join(0, c.low);
  if (bits > 32) join(2, c.high);
}

// ---- matching costs

template <bool kFull, class V32>
HWY_INLINE V32 differing(V32 left_low, V32 left_high, const std::uint32_t* const (&right)[2],
                         std::ptrdiff_t from) {
  const hn::DFromV<V32> d;
  V32 count = hn::PopulationCount(hn::Xor(left_low, hn::LoadU(d, right[0] + from)));
  if constexpr (kFull) {
    const V32 high = hn::PopulationCount(hn::Xor(left_high, hn::LoadU(d, right[1] + from)));
    count = hn::Add(count, high);
  }
  return count;
}

// The counts as bytes. TruncateTo of Highway 1.0.3 is wrong for AVX3_DL: it permutes words by
// indices that are meant for bytes.
template <class DBytes, class V32>
HWY_INLINE auto bytes_of(DBytes d, V32 counts) {
#if HWY_TARGET == HWY_AVX3_DL
  return hn::DemoteTo(d, hn::BitCast(hn::RebindToSigned<hn::DFromV<V32>>(), counts));
#else
  return hn::TruncateTo(d, counts);
#endif
}

template <bool kFull, bool kRowsApart>
HWY_INLINE void cost_row_of(const CostRow& c) {
  const hn::CappedTag<std::uint32_t, kSumsBlock> d;
  const hn::Rebind<std::uint8_t, decltype(d)> bytes;
  const int step = static_cast<int>(hn::Lanes(d)), disparities = c.disparities;
  const int end = (disparities + kWidestBytes - 1) / kWidestBytes * kWidestBytes;
  const auto none = hn::Set(bytes, std::uint8_t{255});
  for (int x = 0; x < c.width; ++x) {
    std::uint8_t* out = c.cost + at(x, c.stride);
    const auto low = hn::Set(d, c.left[0][x]), high = hn::Set(d, kFull ? c.left[1][x] : 0U);
    const int from = c.width - 1 - x;
    for (int i = 0; i < disparities; i += step) {
      auto least = differing<kFull>(low, high, c.right[0], from + i);
      for (int k = 1; kRowsApart && k < 5; ++k) {
        if (!c.right[k][0]) continue;
        const int apart = (k + 1) / 2 * c.rows_apart_penalty;
        const auto other = differing<kFull>(low, high, c.right[k], from + i);
        least = hn::Min(least, hn::Add(other, hn::Set(d, static_cast<std::uint32_t>(apart))));
      }
      hn::StoreU(bytes_of(bytes, least), bytes, out + i);
    }
    for (int i = disparities; i % step != 0 && i < end; ++i) out[i] = 255;
    for (int i = (disparities + step - 1) / step * step; i < end; i += step)
      hn::StoreU(none, bytes, out + i);
  }
}

void cost_row(const CostRow& c) {
  const bool full = c.left[1] != nullptr;
  bool apart = false;
  for (int k = 1; k < 5; ++k) apart = apart || c.right[k][0] != nullptr;
  if (full) {
    apart ? cost_row_of<true, true>(c) : cost_row_of<true, false>(c);
  } else {
    apart ? cost_row_of<false, true>(c) : cost_row_of<false, false>(c);
  }
}

// ---- paths

// The lowest byte.
HWY_INLINE int lowest(V8 v) {
#if HWY_TARGET == HWY_SCALAR
  return hn::GetLane(v);
#else
  const D16 d16;
  const V16 wide = hn::BitCast(d16, v);
  const V16 pairs =
      hn::Min(hn::And(wide, hn::Set(d16, std::uint16_t{255})), hn::ShiftRight<8>(wide));
  return hn::GetLane(hn::MinOfLanes(d16, pairs));
#endif
}

// Where one path's costs come from and go to.
struct Path {
  const std::uint8_t* from;
  std::uint8_t* to;
  int least, jump;
};

template <int kPaths>
HWY_INLINE void path_pixel(const PathRow& p, const std::uint8_t* cost, const Path (&paths)[kPaths],
                           std::uint16_t* sums, int (&least)[kPaths]) {
  const D8 d8;
  const D16 d16;
  const V8 P1 = hn::Set(d8, static_cast<std::uint8_t>(p.P1));
  V8 lowest_so_far[kPaths], base[kPaths], jump[kPaths];
  for (int k = 0; k < kPaths; ++k) {
    lowest_so_far[k] = hn::Set(d8, std::uint8_t{255});
    base[k] = hn::Set(d8, static_cast<std::uint8_t>(paths[k].least));
    jump[k] = hn::Set(d8, static_cast<std::uint8_t>(paths[k].least + paths[k].jump));
  }
  const int step = lanes8();
  for (int i = 0; i < p.disparities; i += step) {
    const V8 c = hn::LoadU(d8, cost + i);
    V16 low = hn::Zero(d16), high = hn::Zero(d16);
    for (int k = 0; k < kPaths; ++k) {
      const std::uint8_t* from = paths[k].from + i;
      const V8 beside = hn::Min(hn::LoadU(d8, from - 1), hn::LoadU(d8, from + 1));
      const V8 came = hn::Min(hn::Min(hn::LoadU(d8, from), jump[k]), hn::SaturatedAdd(beside, P1));
      const V8 now = hn::SaturatedAdd(c, hn::Sub(came, base[k]));
      hn::StoreU(now, d8, paths[k].to + i);
      lowest_so_far[k] = hn::Min(lowest_so_far[k], now);
#if HWY_TARGET == HWY_SCALAR
      low = hn::Add(low, hn::PromoteTo(d16, now));
#else
      low = hn::Add(low, hn::PromoteTo(d16, hn::LowerHalf(now)));
      high = hn::Add(high, hn::PromoteTo(d16, hn::UpperHalf(hn::Half<D8>(), now)));
#endif
    }
    const int half = lanes16();
    const auto put = [&](V16 sum, int j) {
      if (j >= p.sums_stride) return;
      if (p.add) sum = hn::Add(sum, hn::LoadU(d16, sums + j));
      hn::StoreU(sum, d16, sums + j);
    };
    put(low, i);
#if HWY_TARGET != HWY_SCALAR
    put(high, i + half);
#else
    (void)half;
    (void)high;
#endif
  }
  for (int k = 0; k < kPaths; ++k) least[k] = lowest(lowest_so_far[k]);
}

template <int kPaths>
HWY_INLINE void path_row_of(const PathRow& p, int begin, int end) {
  const std::ptrdiff_t plane = at(p.width + 2, p.stride);
  const int least_plane = p.width + 2;
  const int x0 = p.step > 0 ? begin : end - 1;
  const int count = end - begin;
  for (int n = 0; n < count; ++n) {
    const int x = x0 + n * p.step, from_x[3] = {x, x - p.step, x + p.step};
    Path paths[kPaths];
    // Along the row: outside the picture it is all 0 with minimum 0.
    const int before = x - p.step, inside = before >= 0 && before < p.width;
    const int turn = x & 1;
    const auto contrast = [&](int a, int b) { return a < b ? b - a : a - b; };
    paths[0] = {p.along + at(1 - turn, p.stride), p.along + at(turn, p.stride), *p.along_least,
                p.jump[inside ? contrast(p.brightness[x], p.brightness[before]) : 0]};
    for (int k = 1; k < kPaths; ++k) {
      const int xb = from_x[k - 1];
      const int xc = xb < 0 ? 0 : xb >= p.width ? p.width - 1 : xb;
      paths[k] = {p.before + (k - 1) * plane + at(xb + 1, p.stride),
                  p.now + (k - 1) * plane + at(x + 1, p.stride),
                  p.least_before[(k - 1) * least_plane + xb + 1],
                  p.jump[contrast(p.brightness[x], p.brightness_before[xc])]};
    }
    int least[kPaths];
    path_pixel<kPaths>(p, p.cost + at(x, p.stride), paths, p.sums + at(x, p.sums_stride), least);
    *p.along_least = least[0];
    for (int k = 1; k < kPaths; ++k)
      p.least_now[(k - 1) * least_plane + x + 1] = static_cast<std::uint8_t>(least[k]);
  }
}

void path_row(const PathRow& p, int begin, int end) {
  if (p.paths == 2) {
    path_row_of<2>(p, begin, end);
  } else {
    path_row_of<4>(p, begin, end);
  }
}

// ---- winners

HWY_INLINE int lowest16(V16 v) {
#if HWY_TARGET == HWY_SCALAR
  return hn::GetLane(v);
#else
  return hn::GetLane(hn::MinOfLanes(D16(), v));
#endif
}

// Sums of candidates [first, first + count) and 0xffff for the rest; i: of the first lane.
HWY_INLINE V16 candidates(const std::uint16_t* sums, int i, int first, int count) {
  const D16 d;
  const V16 from_first = hn::Iota(d, static_cast<std::uint16_t>(i - first));
  return hn::IfThenElse(hn::Lt(from_first, hn::Set(d, static_cast<std::uint16_t>(count))),
                        hn::LoadU(d, sums + i), hn::Set(d, std::uint16_t{0xffff}));
}

// A pixel's sums against the best that its right pixels have so far; returns the lowest.
HWY_INLINE int meet_right(const WinnerRow16& w, const std::uint16_t* s, int x, int first, int end) {
  const D16 d;
  const int step = lanes16(), block0 = first / step * step;
  const V16 none = hn::Set(d, std::uint16_t{0xffff});
  V16 low = none;
  // The reversed place of candidate i; those outside the arrays are no candidates.
  const int place = w.width - 1 - x + w.min_disparity;
  for (int i = block0; i < end; i += step) {
    const V16 v = candidates(s, i, first, end - first);
    low = hn::Min(low, v);
    if (place + i < 0) continue;  // the block is entered below
    const V16 was = hn::LoadU(d, w.right_best + place + i);
    const V16 lower = hn::Min(v, was);
    const auto better = hn::AndNot(hn::Eq(v, none), hn::Eq(lower, v));
    const V16 index = hn::Iota(d, static_cast<std::uint16_t>(i));
    hn::StoreU(lower, d, w.right_best + place + i);
    hn::StoreU(hn::IfThenElse(better, index, hn::LoadU(d, w.right_index + place + i)), d,
               w.right_index + place + i);
  }
  if (place + block0 < 0 && block0 < end) {  // only the first block can begin outside
    for (int i = first; i < std::min(end, block0 + step); ++i) {
      if (s[i] > w.right_best[place + i]) continue;
      w.right_best[place + i] = s[i];
      w.right_index[place + i] = static_cast<std::uint16_t>(i);
    }
  }
  return lowest16(low);
}

// The first candidate with the sum `best`.
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

// The lowest sum that is not beside the winner.
HWY_INLINE int lowest_elsewhere(const std::uint16_t* s, int winner, int first, int end) {
  const D16 d;
  const int step = lanes16();
  const V16 none = hn::Set(d, std::uint16_t{0xffff}), three = hn::Set(d, std::uint16_t{3});
  V16 other = none;
  for (int i = first / step * step; i < end; i += step) {
    const auto beside = hn::Lt(hn::Iota(d, static_cast<std::uint16_t>(i - winner + 1)), three);
    other = hn::Min(other, hn::IfThenElse(beside, none, candidates(s, i, first, end - first)));
  }
  return lowest16(other);
}

void winner_row(const WinnerRow16& w) {
  const int D = w.disparities;
  const std::size_t right_size =
      static_cast<std::size_t>(w.width) + static_cast<std::size_t>(w.sums_stride) + kSumsBlock;
  std::fill_n(w.right_best, right_size, std::uint16_t{0xffff});
  std::fill_n(w.right_index, right_size, std::uint16_t{0xffff});
  for (int x = w.width - 1; x >= 0; --x) {
    const std::uint16_t* s = w.sums + at(x, w.sums_stride);
    // Right pixel x - min_disparity - i lies in the picture.
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
HWY_EXPORT(census_row);
HWY_EXPORT(cost_row);
HWY_EXPORT(path_row);
HWY_EXPORT(winner_row);

void census_row(const CensusRow& c) { HWY_DYNAMIC_DISPATCH(census_row)(c); }
void cost_row(const CostRow& c) { HWY_DYNAMIC_DISPATCH(cost_row)(c); }
void path_row(const PathRow& p, int begin, int end) {
  HWY_DYNAMIC_DISPATCH(path_row)(p, begin, end);
}
void winner_row(const WinnerRow16& w) { HWY_DYNAMIC_DISPATCH(winner_row)(w); }
}  // namespace bifocal::stereo
#endif
