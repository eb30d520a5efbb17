// SPDX-License-Identifier: BSD-3-Clause
// Sums of products of bytes by VNNI. Highway 1.0.3 has no function for this instruction, and its
// targets do not include it. Assembler needs no option of the compiler, and it keeps GCC from
// moving every sum from register to register. match_simd.cpp includes this file in a namespace.
//
// The instruction multiplies unsigned bytes by signed bytes. Rows are therefore reduced by 128, and
// a sum begins with 128 times the sum of the column.

constexpr int kRowWords = 1;
// The instruction takes four or five clocks, and a core begins two per clock: ten sums keep it
// busy.
#undef MULTIPLY_ADD
#if HWY_TARGET <= HWY_AVX3
constexpr int kRows = 4, kRegisters = 4;
#define MULTIPLY_ADD(sum, columns, row) \
  asm("vpdpbusd %2, %1, %0" : "+v"(sum) : "v"(columns), "v"(row))
#else  // 15 of 16 registers
constexpr int kRows = 6, kRegisters = 2;
#define MULTIPLY_ADD(sum, columns, row) \
  asm("%{vex%} vpdpbusd %2, %1, %0" : "+x"(sum) : "x"(columns), "x"(row))
#endif
#undef STEPS_UNROLLED
#define STEPS_UNROLLED _Pragma("GCC unroll 1")

void prepare_row(const std::uint8_t* row, std::int32_t* words) {
  std::uint32_t four;
  for (int k = 0; k < kQuads; ++k) {
    hwy::CopyBytes<4>(row + 4 * k, &four);
    words[k] = static_cast<std::int32_t>(four ^ 0x80808080U);
  }
}
struct ColumnWord {
  Vec bytes;
  HWY_INLINE void load(const std::uint8_t* p, int) {
    bytes = hn::LoadU(Tag(), reinterpret_cast<const std::int32_t*>(p));
  }
};
struct RowWord {
  Vec bytes;
  HWY_INLINE explicit RowWord(const std::int32_t* p) : bytes(hn::Set(Tag(), *p)) {}
};
struct Sum {
  Vec sum;
  HWY_INLINE void start(const std::int32_t* from) { sum = hn::LoadU(Tag(), from); }
  HWY_INLINE void add(const RowWord& r, const ColumnWord& c) {
    MULTIPLY_ADD(sum.raw, c.bytes.raw, r.bytes.raw);
  }
  [[nodiscard]] HWY_INLINE Vec product() const { return sum; }
};
