// SPDX-License-Identifier: BSD-3-Clause
// Sums of products of bytes in 16 bits, where no sum can overflow: an instruction takes twice as
// many products as with 16-bit pairs. match_simd.cpp includes this file in a namespace, after the
// definitions for pairs.
constexpr int kShortSteps = 8;       // steps that one sum takes
constexpr int kMostRemainders = 16;  // per kRows rows; more cost more than they save

HWY_INLINE Pairs multiply_bytes(Pairs columns, Pairs row) {
#if HWY_TARGET <= HWY_AVX3
  return Pairs{_mm512_maddubs_epi16(columns.raw, row.raw)};
#elif HWY_TARGET == HWY_AVX2
  return Pairs{_mm256_maddubs_epi16(columns.raw, row.raw)};
#else
  return Pairs{_mm_maddubs_epi16(columns.raw, row.raw)};
#endif
}

// Amounts by which four elements of a row exceed kLargestByte.
struct Remainder {
  int row, quad;
  std::int32_t words[kRowWords];
};

// kRows rows with elements of at most kLargestByte, and the remainders.
struct ShortRows {
  Norms norms;
  std::vector<Remainder> remainders;
  std::uint8_t bytes[kRows][kElements];

  ShortRows(const PackedRows& a, int first) {
    for (int r = 0; r < kRows; ++r) {
      norms.join(a.norms[static_cast<std::size_t>(first + r)]);
      const std::uint8_t* row = a.values.data() + std::ptrdiff_t{first + r} * kElements;
      for (int k = 0; k < kElements; ++k)
        bytes[r][k] = std::min(row[k], static_cast<std::uint8_t>(kLargestByte));
      for (int q = 0; q < kQuads; ++q) {
        int rest[4];
        for (int e = 0; e < 4; ++e) rest[e] = row[4 * q + e] - bytes[r][4 * q + e];
        if ((rest[0] | rest[1] | rest[2] | rest[3]) == 0) continue;
        remainders.push_back({r, q, {rest[0] | rest[2] << 16, rest[1] | rest[3] << 16}});
      }
    }
    if (remainders.size() > kMostRemainders) norms.pair = 1e9F;
  }
  [[nodiscard]] bool fit(const Norms& columns) const {
    constexpr float kPairs = 32767.0F * 32767 * 0.9999F, kSums = 65535.0F * 65535 * 0.9999F;
    float most = 0;
    for (std::size_t w = 0; w < norms.sums.size(); ++w)
      most = std::max(most, norms.sums[w] * columns.sums[w]);
    return norms.pair * columns.pair <= kPairs && most <= kSums;
  }
};

// Computes the products by short sums. Sums begin at the smallest number, in order to use all 16
// bits. When they are widened, they are doubled and moved to the place of the distance in a key.
HWY_INLINE void multiply_short(const ShortRows& rows, const std::uint8_t* values,
                               Vec (*twice)[kRegisters]) {
  const Tag d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  constexpr int kLanes = static_cast<int>(hn::MaxLanes(Tag()));
  HWY_ALIGN std::int32_t totals[kRows][kRegisters][kLanes];
  for (int r = 0; r < kRows; ++r) {
    for (int c = 0; c < kRegisters; ++c)
      hn::Store(hn::Set(d, 2 * kQuads / kShortSteps * 32768 * 512), d, totals[r][c]);
  }
  for (const Remainder& rest : rows.remainders) {
    for (int c = 0; c < kRegisters; ++c) {
      Sum sum;
      sum.start(nullptr);
      for (int step = 0; step < kRowWords; ++step) {
        ColumnWord word;
        word.load(values + 4 * kPanel * rest.quad + 4 * c * lanes, step);
        sum.add(RowWord(rest.words + step), word);
      }
      std::int32_t* at = totals[rest.row][c];
      hn::Store(hn::Add(hn::Load(d, at), hn::ShiftLeft<9>(sum.product())), d, at);
    }
  }
  const PairTag d16;
  for (int first = 0; first < kQuads / kShortSteps; ++first) {
    Pairs sums[kRows][kRegisters];
    UNROLLED for (int r = 0; r < kRows; ++r) {
      UNROLLED for (int c = 0; c < kRegisters; ++c) sums[r][c] = hn::Set(d16, std::int16_t{-32768});
    }
    _Pragma("GCC unroll 2") for (int k = first; k < kQuads; k += kQuads / kShortSteps) {
      Pairs columns[kRegisters];
      UNROLLED for (int c = 0; c < kRegisters; ++c) columns[c] = hn::LoadU(
          d16, reinterpret_cast<const std::int16_t*>(values + 4 * kPanel * k + 4 * c * lanes));
      UNROLLED for (int r = 0; r < kRows; ++r) {
        std::int32_t four;
        hwy::CopyBytes<4>(rows.bytes[r] + 4 * k, &four);
        const Pairs own = hn::BitCast(d16, hn::Set(d, four));
        UNROLLED for (int c = 0; c < kRegisters; ++c) sums[r][c] =
            hn::Add(sums[r][c], multiply_bytes(columns[c], own));
      }
    }
    const Pairs scale = hn::Set(d16, std::int16_t{512});
    UNROLLED for (int r = 0; r < kRows; ++r) {
      UNROLLED for (int c = 0; c < kRegisters; ++c) {
        std::int32_t* at = totals[r][c];
        Vec none = hn::Zero(d);
        hn::Store(hn::ReorderWidenMulAccumulate(d, sums[r][c], scale, hn::Load(d, at), none), d,
                  at);
      }
    }
  }
  UNROLLED for (int r = 0; r < kRows; ++r) {
    UNROLLED for (int c = 0; c < kRegisters; ++c) twice[r][c] = hn::Load(d, totals[r][c]);
  }
}
