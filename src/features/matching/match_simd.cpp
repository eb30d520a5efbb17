// SPDX-License-Identifier: BSD-3-Clause
// Computes the matrix product of descriptors in exact 32-bit sums, and the nearest neighbours
// from it.
//
// A key has a distance in front of an index, so that a minimum finds both. For row i the key of
// column j is (|b|^2 - 2 a b) << 8 | number of the register of columns. For column j the key of row
// i is (|a|^2 - 2 a b) << 8 | number of the row in its block. The part of the distance that is
// constant along the line is added at the end. Sums wrap; keys fit 32 bits with a sign.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "features/matching/match_simd.cpp"
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#include <bifocal/error.hpp>

#include <algorithm>
#include <atomic>
#if HWY_ARCH_X86
#include <cpuid.h>
#elif HWY_ARCH_ARM_A64 && defined(__linux__)
#include <asm/hwcap.h>
#include <sys/auxv.h>
#endif

#include "features/matching/match_kernel.hpp"

HWY_BEFORE_NAMESPACE();
namespace bifocal::features::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using Tag = hn::ScalableTag<std::int32_t>;
using Vec = hn::Vec<Tag>;

// Unrolls loops of constant length whose arrays must stay in registers.
#undef UNROLLED
#define UNROLLED _Pragma("GCC unroll 8")

// A Sum adds the products of four bytes of a row with four bytes of each column in a register, in
// kRowWords steps. RowWord is the row's part, ColumnWord the columns'. kRows rows meet kRegisters
// registers of columns at a time. Targets from AVX2 on and NEON have two forms of these, because
// not all of their processors have instructions for dot products of bytes.
#undef SHORT_SUMS
#undef DOT_PRODUCTS
#if (HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2) || (HWY_ARCH_ARM_A64 && HWY_TARGET == HWY_NEON)
#define DOT_PRODUCTS 1
#define SHORT_SUMS 0
namespace dots {
#include "features/matching/match_dots-inl.h"
#include "features/matching/match_sweep-inl.h"
}  // namespace dots
#undef SHORT_SUMS
#else
#define DOT_PRODUCTS 0
#endif

#if HWY_ARCH_X86 && HWY_TARGET <= HWY_SSSE3
#define SHORT_SUMS 1
#else
#define SHORT_SUMS 0
#endif
namespace pairs {
constexpr int kRows = 4, kRegisters = 2;
// Unrolling by two keeps GCC from moving every sum from register to register in each step.
#undef STEPS_UNROLLED
#define STEPS_UNROLLED _Pragma("GCC unroll 2")

#if HWY_TARGET == HWY_SCALAR
constexpr int kRowWords = 1;
void prepare_row(const std::uint8_t* row, std::int32_t* words) {
  std::copy_n(row, kElements, reinterpret_cast<std::uint8_t*>(words));
}
struct ColumnWord {
  const std::uint8_t* bytes = nullptr;
  void load(const std::uint8_t* p, int) { bytes = p; }
};
struct RowWord {
  const std::uint8_t* bytes;
  explicit RowWord(const std::int32_t* p) : bytes(reinterpret_cast<const std::uint8_t*>(p)) {}
};
struct Sum {
  std::int32_t total = 0;
  void start(const std::int32_t*) { total = 0; }
  void add(const RowWord& r, const ColumnWord& c) {
    for (int e = 0; e < 4; ++e) total += r.bytes[e] * c.bytes[e];
  }
  [[nodiscard]] Vec product() const { return hn::Set(Tag(), total); }
};
#else
// Factors are pairs of 16-bit numbers: elements 0 and 2, then 1 and 3.
constexpr int kRowWords = 2;
using PairTag = hn::Repartition<std::int16_t, Tag>;
using Pairs = hn::Vec<PairTag>;
void prepare_row(const std::uint8_t* row, std::int32_t* words) {
  for (int k = 0; k < kElements; k += 4) {
    words[k / 2] = row[k] | row[k + 2] << 16;
    words[k / 2 + 1] = row[k + 1] | row[k + 3] << 16;
  }
}
struct ColumnWord {
  Pairs pairs;
  HWY_INLINE void load(const std::uint8_t* p, int step) {
    const hn::Repartition<std::uint16_t, Tag> words;
    const auto both = hn::LoadU(words, reinterpret_cast<const std::uint16_t*>(p));
    pairs = hn::BitCast(PairTag(), step == 0 ? hn::And(both, hn::Set(words, std::uint16_t{255}))
                                             : hn::ShiftRight<8>(both));
  }
};
struct RowWord {
  Pairs pairs;
  HWY_INLINE explicit RowWord(const std::int32_t* p)
      : pairs(hn::BitCast(PairTag(), hn::Set(Tag(), *p))) {}
};
// A sum takes two registers on machines whose instructions keep odd and even products apart.
struct Sum {
  Vec first, other;
  HWY_INLINE void start(const std::int32_t*) {
    first = hn::Zero(Tag());
    other = hn::Zero(Tag());
  }
  HWY_INLINE void add(const RowWord& r, const ColumnWord& c) {
    first = hn::ReorderWidenMulAccumulate(Tag(), r.pairs, c.pairs, first, other);
  }
  [[nodiscard]] HWY_INLINE Vec product() const { return hn::RearrangeToOddPlusEven(first, other); }
};
#endif

#if SHORT_SUMS
#include "features/matching/match_bytes-inl.h"
#endif
#include "features/matching/match_sweep-inl.h"
}  // namespace pairs

bool takes_dot_products() {
  return DOT_PRODUCTS && has_dot_products(hn::MaxLanes(Tag()) * sizeof(std::int32_t));
}
bool sums_are_short() { return SHORT_SUMS && !takes_dot_products(); }

void nearest_in_block(const PackedRows& a, int first, int end, const PackedPanels& b,
                      ColumnsWanted wanted, Nearest& rows, Nearest& columns) {
#if DOT_PRODUCTS
  if (takes_dot_products()) return dots::nearest_in_block(a, first, end, b, wanted, rows, columns);
#endif
  pairs::nearest_in_block(a, first, end, b, wanted, rows, columns);
}

}  // namespace bifocal::features::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace bifocal::features {
namespace {

std::atomic<bool> dot_products_are_allowed = true;

#if HWY_ARCH_X86
struct Vnni {
  bool avx2 = false, avx512 = false;
  Vnni() {
    unsigned a = 0, b = 0, c = 0, d = 0;
    if (__get_cpuid_count(7, 0, &a, &b, &c, &d) == 0) return;
    avx512 = (c >> 11 & 1) != 0;
    if (a >= 1 && __get_cpuid_count(7, 1, &a, &b, &c, &d) != 0) avx2 = (a >> 4 & 1) != 0;
  }
};
#endif

}  // namespace

void allow_dot_products(bool is_allowed) { dot_products_are_allowed = is_allowed; }

bool has_dot_products([[maybe_unused]] std::size_t register_bytes) {
#if HWY_ARCH_X86
  static const Vnni vnni;
  return dot_products_are_allowed && (register_bytes == 64 ? vnni.avx512 : vnni.avx2);
#elif HWY_ARCH_ARM_A64 && defined(__linux__)
  return dot_products_are_allowed && (getauxval(AT_HWCAP) & HWCAP_ASIMDDP) != 0;
#else
  return false;
#endif
}

HWY_EXPORT(nearest_in_block);
HWY_EXPORT(sums_are_short);

bool sums_are_short() { return HWY_DYNAMIC_DISPATCH(sums_are_short)(); }

void nearest_in_block(const PackedRows& a, int first, int end, const PackedPanels& b,
                      ColumnsWanted wanted, Nearest& rows, Nearest& columns) {
  HWY_DYNAMIC_DISPATCH(nearest_in_block)(a, first, end, b, wanted, rows, columns);
}

}  // namespace bifocal::features
#endif
