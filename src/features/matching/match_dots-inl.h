// SPDX-License-Identifier: BSD-3-Clause
// Sums of products of bytes by an instruction for dot products of four bytes: VNNI on x86, UDOT on
// ARM. Highway 1.0.3 has no function for these instructions, and its targets do not include them.
// Assembler needs no option of the compiler, and it keeps GCC from moving every sum from register
// to register. match_simd.cpp includes this file in a namespace.
//
// VNNI multiplies unsigned bytes by signed bytes. Rows are therefore reduced by 128, and a sum
// begins with 128 times the sum of the column. UDOT multiplies unsigned bytes.

constexpr int kRowWords = 1;
#if HWY_ARCH_X86
constexpr std::uint32_t kOffsets = 0x80808080U;  // of the four bytes of a row
#else
constexpr std::uint32_t kOffsets = 0;
#endif
// The instruction takes four or five clocks, and a core begins two per clock: ten sums keep it
// busy.
#undef MULTIPLY_ADD
#if !HWY_ARCH_X86
constexpr int kRows = 4, kRegisters = 4;  // 21 of 32 registers
#define MULTIPLY_ADD(sum, columns, row)                              \
  asm(".arch armv8.2-a+crypto+dotprod\n\tudot %0.4s, %1.16b, %2.16b" \
      : "+w"(sum)                                                    \
      : "w"(columns), "w"(row))
#elif HWY_TARGET <= HWY_AVX3
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
    words[k] = static_cast<std::int32_t>(four ^ kOffsets);
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
  HWY_INLINE void start(const std::int32_t* from) {
    if constexpr (kOffsets == 0) {
      (void)from;
      asm("movi %0.4s, #0" : "=w"(sum.raw));
    } else {
      sum = hn::LoadU(Tag(), from);
    }
  }
  HWY_INLINE void add(const RowWord& r, const ColumnWord& c) {
    MULTIPLY_ADD(sum.raw, c.bytes.raw, r.bytes.raw);
  }
  [[nodiscard]] HWY_INLINE Vec product() const { return sum; }
};
